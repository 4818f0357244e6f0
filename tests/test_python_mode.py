"""The engine compiled and as plain Python: equal states, legal sets, observations and points."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SEED, RULESETS, HANDS = 11, 80, 3


def digests(**environment: str) -> list[dict]:
    """What `tests.digest` prints in a process of its own."""
    command = [sys.executable, "-m", "tests.digest", str(SEED), str(RULESETS), str(HANDS)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Warning" not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_compiled_and_plain_python_agree() -> None:
    compiled = digests(NUMBA_DISABLE_JIT="0")
    plain = digests(NUMBA_DISABLE_JIT="1")
    assert compiled[0] == {"compiled": True}
    assert plain[0] == {"compiled": False}
    assert len(compiled) == len(plain) == RULESETS + 4
    assert compiled[1:4] == plain[1:4]
    for ours, theirs in zip(compiled[4:], plain[4:]):
        pairs = enumerate(zip(ours["digests"], theirs["digests"]))
        first = next((step for step, (a, b) in pairs if a != b), None)
        assert first is None, f"step {first} differs under {ours['ruleset']}"
        assert ours == theirs
    assert sum(len(each["points"]) for each in compiled[4:]) > 150
