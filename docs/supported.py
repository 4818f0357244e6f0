"""Run the core tests on other Pythons and fill the table of docs/supported.md.

    python docs/supported.py python3.10 python3.12 python3.13 --set newest
    python docs/supported.py python3.12 --set floors

For each interpreter: a new virtual environment, the libraries of the game (the newest that pip
picks, or the floors of pyproject.toml), then the tests below. A row of the table says what was
installed and what passed; rows of other interpreters stay. ``--check`` only compares the Pythons
that pyproject.toml allows with the table.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "supported.md"
BEGIN, END = "<!-- supported: begin -->", "<!-- supported: end -->"
HEAD = ["Python", "libraries", "numpy", "numba", "gymnasium", "pettingzoo", "core tests"]
GAME = ("numpy", "numba", "gymnasium", "pettingzoo", "PyYAML")
TESTS = (
    *("cards", "ruleset", "rules", "rules_random", "encoding", "batch", "aec", "euchre_v0"),
    *("gym_env", "cases", "record", "solver", "belief", "symmetry", "stateful", "jit_cache"),
)
"""Modules of tests/ that need the libraries of the game alone, and for pictures two more."""
TOOLS = ("pytest>=8.0", "hypothesis>=6.100", "pillow>=10.1", "pygame>=2.5")


def floors() -> dict[str, str]:
    """The floor of each library of the game."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    found = {m[1]: m[2] for m in re.finditer(r'"([\w.-]+)>=([\d.]+)"', text)}
    return {name: found[name] for name in GAME}


def wanted(which: str) -> list[str]:
    """What pip is asked for; a floor means the newest patch of it."""
    return [f"{n}~={v}.0" if which == "floors" else f"{n}>={v}" for n, v in floors().items()]


def run(*words: str | Path, quiet: bool = True) -> str:
    """The output of a command in the root; its own complaint where it fails."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in words], cwd=ROOT, env=kept, capture_output=True, text=True
    )
    if done.returncode and quiet:
        raise SystemExit(f"{' '.join(map(str, words))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def row_of(python: str, which: str) -> list[str]:
    """Install and test; the row of the table."""
    with tempfile.TemporaryDirectory() as place:
        run(python, "-m", "venv", place)
        inside = Path(place) / ("Scripts" if os.name == "nt" else "bin") / "python"
        run(inside, "-m", "pip", "install", "-q", *wanted(which), *TOOLS)
        ask = f"import sys; from importlib.metadata import version; v = map(version, {GAME[:4]!r})"
        told = run(inside, "-c", f"{ask}; print(sys.version.split()[0], *v)").split()
        files = [f"tests/test_{name}.py" for name in TESTS]
        out = run(inside, "-m", "pytest", "-m", "not slow", *files, quiet=False)
    last = re.sub(
        r" in .*|,? \d+ (deselected|warnings?)", "", out.strip().splitlines()[-1].strip("= ")
    )
    print(f"{told[0]} with {which}: {last}", flush=True)
    if "failed" in last or "error" in last:
        print(out)
    return [told[0], which, *told[1:], last]


def rows_on(page: str) -> list[list[str]]:
    """The rows that the page has."""
    inside = page.partition(BEGIN)[2].partition(END)[0]
    lines = [line for line in inside.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def with_rows(page: str, new: list[list[str]]) -> str:
    """The page with rows added or put in the place of older ones of their Python and set."""

    def key(row: list[str]) -> tuple[list[int], str]:
        return [int(part) for part in row[0].split(".")[:2]], row[1]

    kept = {str(key(row)): row for row in [*rows_on(page), *new]}
    rows = sorted(kept.values(), key=key)
    lines = [f"| {' | '.join(row)} |" for row in [HEAD, ["---"] * len(HEAD), *rows]]
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{rest.partition(END)[2]}"


def _is_good(row: list[str]) -> bool:
    return "passed" in row[-1] and not re.search("failed|error", row[-1])


def faults(page: str) -> list[str]:
    """What the table does not show although pyproject.toml promises it."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    oldest = re.search(r'requires-python = ">=3\.(\d+)"', text)
    assert oldest is not None
    rows = rows_on(page)
    good = {row[0].split(".")[1] for row in rows if _is_good(row)}
    found = [] if oldest[1] in good else [f"the oldest Python, 3.{oldest[1]}, is not in the table"]
    return found + [f"row {row[:2]}: {row[-1]}" for row in rows if not _is_good(row)]


def main(argv: list[str] | None = None) -> int:
    """Test each interpreter, or check the table."""
    parser = argparse.ArgumentParser(description="Fill the table of docs/supported.md.")
    parser.add_argument("pythons", nargs="*", help="interpreters")
    parser.add_argument("--set", choices=["newest", "floors"], default="newest")
    parser.add_argument("--check", action="store_true", help="only check the table")
    args = parser.parse_args(argv)
    for python in args.pythons:
        row = row_of(python, args.set)
        PAGE.write_text(with_rows(PAGE.read_text("utf-8"), [row]), "utf-8")
    wrong = faults(PAGE.read_text("utf-8"))
    print("\n".join(wrong) or "the table is complete")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
