"""Ctrl-C in every verb: status 130, one last line, no traceback, at whatever moment it comes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from agents.app.cli import INTERRUPTED, VERBS, main

ROOT = Path(__file__).resolve().parent.parent
RECORD = str(next((ROOT / "euchre_env" / "data" / "egn").rglob("*.egn")))
CASES = str(next((ROOT / "tests" / "data").glob("*cases*.json")))
BASE = "iterations: 2\nthreads: 1\nrollout: {hands: 64}\n"
EXPERIMENT = "title: little\nrows:\n  - euchre match random greedy --deals 100\n"
SWEEP = "name: little\nbase: base.yaml\ngrid:\n  seed: [1, 2]\n"

JOBS: dict[str, str] = {
    "demo": "--deals 100",
    "play": "",
    "watch": "random --delay 0",
    "serve": "--port 0",
    "review": f"{RECORD} --fast",
    "cases": CASES,
    "record": f"verify {RECORD}",
    "analyse": RECORD,
    "rules": "stick",
    "match": "random greedy --deals 100",
    "ladder": "random greedy --deals 100",
    "crossplay": "random greedy --deals 100",
    "exploit": "random --decisions 1000 --hands 64 --threads 1 --folder {folder}",
    "report": "greedy --deals 100 --out {folder}/card.md",
    "experiment": "{folder}/experiment.yaml --folder {folder}",
    "sweep": "{folder}/sweep.yaml --folder {folder}",
    "stats": "random --deals 100",
    "equity": "--agent random --deals 100",
    "bench": "--short --seconds 0.01",
    "doctor": "",
    "generate": "random --hands 100 --out {folder}/rows",
    "agree": "random",
}
"""A small job for every verb."""


def words_of(verb: str, folder: Path) -> list[str]:
    (folder / "base.yaml").write_text(BASE, "utf-8")
    (folder / "sweep.yaml").write_text(SWEEP, "utf-8")
    (folder / "experiment.yaml").write_text(EXPERIMENT, "utf-8")
    return [verb, *JOBS[verb].format(folder=folder).split()]


class CtrlC:
    """Sends the signal of Ctrl-C at the n-th call of a Python function after a verb has begun."""

    def __init__(self, verb: str, calls: int) -> None:
        self.start, self.left, self.begun = f"run_{verb}", calls, False

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        self.begun |= frame.f_code.co_name == self.start
        self.left -= self.begun
        if self.left <= 0:
            sys.setprofile(None)
            signal.raise_signal(signal.SIGINT)


def interrupted(verb: str, calls: int, folder: Path) -> int:
    hook: Callable[..., None] = CtrlC(verb, calls)
    sys.setprofile(hook)
    try:
        return main(words_of(verb, folder))
    finally:
        sys.setprofile(None)


def test_an_error_of_an_interrupted_compiler_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The compiler swallows the exception of Ctrl-C and raises one of its own."""

    def compile_on(_: Any) -> int:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        raise RuntimeError("no compiled object yet")

    monkeypatch.setattr("agents.app.rules.run_rules", compile_on)
    assert main(["rules"]) == INTERRUPTED
    assert capsys.readouterr().err == "euchre: interrupted\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_every_verb_has_a_job() -> None:
    assert JOBS.keys() == VERBS.keys(), "give a new verb a line in JOBS"


@pytest.mark.parametrize("calls", [1, 40])
@pytest.mark.parametrize("verb", VERBS)
def test_ctrl_c(
    verb: str,
    calls: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert interrupted(verb, calls, tmp_path) == INTERRUPTED
    said = capsys.readouterr().err
    assert said.endswith("euchre: interrupted\n")
    assert "Traceback" not in said
    assert not list(tmp_path.rglob(".*.[0-9]*")), "a half-written file was left behind"


# --- in the middle of long work ----------------------------------------------------------------

LATER = """
import os, signal, sys
from importlib import import_module
from agents.app.cli import VERBS, main
import_module(VERBS[sys.argv[1]].module, "agents.app")
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
signal.setitimer(signal.ITIMER_REAL, 1.0)
sys.exit(main(sys.argv[1:]))
"""
LONG = {
    "match": "random greedy --deals 100000000",
    "ladder": "random greedy first_legal --deals 100000000",
    "stats": "greedy --deals 100000000",
    "generate": "random --hands 100000000 --out rows.npy",
    "exploit": "random --decisions 1000000000 --threads 2 --folder runs",
    "bench": "--short --seconds 1000",
}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs a timer that sends a signal")
@pytest.mark.parametrize("verb", LONG)
def test_ctrl_c_in_the_middle_of_long_work(verb: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LATER, verb, *LONG[verb].split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == INTERRUPTED, done.stderr
    assert done.stderr.rstrip().endswith("euchre: interrupted")
    assert "Traceback" not in done.stderr
