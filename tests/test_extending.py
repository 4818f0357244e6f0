"""The page that says how to add an agent, a network, a rule option, an observation block.

The examples that need no change run with those of the other pages, in test_docs.py.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs import DOCS, ROOT, without_code

PAGE = (DOCS / "extending.md").read_text("utf-8")
BLOCK = re.compile(r"(?:<!-- ([\w-]+)(?:: (\S+))? -->\n)?^```(\w+)\n(.*?)^```$", re.M | re.S)
BLOCKS = [(m[1], m[2], m[3], m[4]) for m in BLOCK.finditer(PAGE)]
LONGEST = 30


def block(mark: str, name: str) -> str:
    """The text of the block that is marked so."""
    (found,) = (text for *marks, _, text in BLOCKS if marks == [mark, name])
    return found


def test_every_example_is_short() -> None:
    assert len(BLOCKS) == 7
    for *_, text in BLOCKS:
        assert len(text.splitlines()) < LONGEST, text


def test_the_agent_is_known_to_the_command(tmp_path: Path) -> None:
    (tmp_path / "together.py").write_text(block("file", "together.py"), "utf-8")
    command = block("run", "together.py").strip()
    assert command.startswith("python together.py match ")
    done = subprocess.run(
        [sys.executable, *command.split()[1:]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert re.match(r"heuristic - together: \+0\.\d+ ± 0\.\d+", done.stdout), done.stdout


# --- changes of the project, on a copy ---------------------------------------------------------


def hunks(changes: str) -> list[tuple[str, str, str]]:
    """The file, the old and the new text of each hunk of a diff without line numbers."""
    found = []
    for part in changes.split("--- ")[1:]:
        file, *pieces = part.split("@@\n")
        for piece in pieces:
            lines = piece.splitlines(keepends=True)
            old, new = ("".join(x[1:] for x in lines if x[0] in kinds) for kinds in (" -", " +"))
            found.append((file.strip(), old, new))
    return found


def apply(changes: str, root: Path) -> None:
    """Make the changes of a diff; each piece of old text must be there once."""
    for file, old, new in hunks(changes):
        text = (root / file).read_text("utf-8")
        assert text.count(old) == 1, f"{file}: the page changes what is not there once:\n{old}"
        (root / file).write_text(text.replace(old, new), "utf-8")


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the game's package with the changes of the page made."""
    root = tmp_path_factory.mktemp("changed")
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "euchre_env", root / "euchre_env", ignore=skipped)
    for name in ("rule", "block"):
        apply(block("changes", name), root)
    return root


def start(code: str, root: Path) -> subprocess.CompletedProcess[str]:
    """Run Python text on a copy, as plain Python, so that nothing is compiled."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )


CHECKS = [text for mark, _, _, text in BLOCKS if mark == "no-run"]
GAME = """
import numpy as np, euchre_env
from euchre_env import BatchEnv, encoding, euchre_v0
assert euchre_env.__file__.startswith({root!r}), euchre_env.__file__
assert encoding.layout_hash() != {layout!r}
env = euchre_v0.env(ruleset="stick")
env.reset(seed=3)
for agent in env.agent_iter():
    seen, _, ended, _, _ = env.last()
    if not ended:
        state, rules = encoding.decode(seen["observation"])
        assert rules.points_loner_three == 1
    env.step(None if ended else env.action_space(agent).sample(seen["action_mask"]))
"""


def test_there_is_a_check_for_each_change() -> None:
    assert len(CHECKS) == 2


@pytest.mark.parametrize("code", CHECKS, ids=["rule", "block"])
def test_the_changes_do_what_the_page_says(code: str, changed: Path) -> None:
    done = start(code, changed)
    assert done.returncode == 0, done.stderr


def test_the_checks_of_the_page_fail_without_its_changes() -> None:
    for code in CHECKS:
        assert start(code, ROOT).returncode == 1


def test_the_changed_game_still_plays_and_decodes(changed: Path) -> None:
    from euchre_env.encoding import layout_hash

    done = start(GAME.format(root=str(changed), layout=layout_hash()), changed)
    assert done.returncode == 0, done.stderr


def test_a_change_that_no_longer_fits_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ny = 2\n")
    apply("--- a.py\n@@\n x = 1\n+z = 3\n@@\n-y = 2\n", tmp_path)
    assert (tmp_path / "a.py").read_text() == "x = 1\nz = 3\n"
    with pytest.raises(AssertionError, match="not there once"):
        apply("--- a.py\n@@\n-y = 2\n", tmp_path)


def test_the_page_has_a_section_for_each_kind() -> None:
    assert [line for line in without_code(PAGE).splitlines() if line.startswith("## ")] == [
        "## An agent",
        "## A network",
        "## A rule option",
        "## An observation block",
    ]
