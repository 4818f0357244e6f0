"""The documentation: generated parts are up to date, links resolve, examples run."""

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from agents import FAMILIES
from agents.network import NETWORKS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md")])
FENCE = re.compile(r"(<!-- no-run -->\s*)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"<!-- file: (\S+) -->")
"""Marks a block that the reader saves as a file."""
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|src=\"([^\"]+)\"")


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- generated parts -----------------------------------------------------------------------------


def test_the_generated_parts_are_up_to_date(
    generate: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    status = generate.main(["--check"])
    assert status == 0, capsys.readouterr().out


def test_every_part_is_used_and_nothing_is_left_open(generate: ModuleType) -> None:
    text = "".join(page.read_text("utf-8") for page in DOCS.glob("*.md"))
    assert set(generate.PART.findall(text)) == generate.PARTS.keys()
    assert text.count("<!-- generated: ") == text.count("<!-- end -->")


def test_the_check_finds_a_stale_part_and_writes_nothing(
    generate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = "# Page\n<!-- generated: presets -->\nold\n<!-- end -->\nmore\n"
    page = tmp_path / "page.md"
    page.write_text(stale, "utf-8")
    monkeypatch.setattr(generate, "DOCS", tmp_path)
    assert generate.main(["--check"]) == 1
    assert page.read_text("utf-8") == stale
    assert generate.main([]) == 0
    new = page.read_text("utf-8")
    assert "tournament_us" in new and new.startswith("# Page\n") and new.endswith("more\n")
    assert generate.main(["--check"]) == 0
    assert list(tmp_path.iterdir()) == [page]


# ---- links ---------------------------------------------------------------------------------------


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub turns them into anchors."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(page: Path) -> Iterator[str]:
    for found in LINK.findall(without_code(page.read_text("utf-8"))):
        link = found[0] or found[1]
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            yield f"{page.name}: {link} does not exist"
        elif anchor and anchor not in anchors(target):
            yield f"{page.name}: {link} names no heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_resolve(page: Path) -> None:
    assert list(broken_links(page)) == []


def test_the_link_check_finds_broken_links(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = "# A b\n[x](gone.md) [y](#a-b) [z](#no) `[q](code.md)` [w](https://x.y)\n"
    page.write_text(text + '<img width="9" src="gone.png">', "utf-8")
    assert len(list(broken_links(page))) == 3


# ---- examples ------------------------------------------------------------------------------------


def examples() -> list[tuple[str, str]]:
    """Every Python block that is to run: its page and line, and its text."""
    found = []
    for page in PAGES:
        text = page.read_text("utf-8")
        for match in FENCE.finditer(text):
            spared = match[1] and page.name != "README.md"
            if match[2] == "python" and not spared:
                line = text.count("\n", 0, match.start(2)) + 1
                found.append((f"{page.name}:{line}", match[3]))
    return found


EXAMPLES = examples()


def test_there_are_examples() -> None:
    pages = {where.partition(":")[0] for where, _ in EXAMPLES}
    assert {"README.md", "actions.md", "observations.md"} <= pages


@pytest.mark.parametrize(("where", "code"), EXAMPLES, ids=[where for where, _ in EXAMPLES])
def test_example_runs(
    where: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with patch.dict(FAMILIES), patch.dict(NETWORKS):  # what an example registers is forgotten
        exec(compile(code, where, "exec"), {"__name__": "example"})


# ---- commands ------------------------------------------------------------------------------------


def commands() -> set[str]:
    """What pages tell readers to type: code in backquotes and the lines of bash blocks."""
    found: set[str] = set()
    for page in PAGES:
        text = page.read_text("utf-8")
        for match in FENCE.finditer(text):
            if match[2] == "bash":
                found |= {line.strip() for line in match[3].splitlines()}
        found |= set(re.findall(r"`((?:euchre|python) [^`]+)`", FENCE.sub("", text)))
    return found


def test_every_verb_in_the_pages_exists() -> None:
    from agents.app.cli import VERBS

    named = {verb for c in commands() for verb in re.findall(r"\beuchre ([a-z]+)\b", c)}
    assert named
    assert named <= VERBS.keys()


def test_every_script_and_module_in_the_pages_exists() -> None:
    saved = {name for page in PAGES for name in SAVED.findall(page.read_text("utf-8"))}
    for command in commands():
        for name in re.findall(r"python ([\w/]+\.py)", command):
            assert name in saved or (ROOT / name).is_file(), command
        for module in re.findall(r"python -m (tests[\w.]*)", command):
            assert (ROOT / (module.replace(".", "/") + ".py")).is_file(), command
        for name in re.findall(r"--config (\S+)", command):
            assert (ROOT / name).is_file(), command
