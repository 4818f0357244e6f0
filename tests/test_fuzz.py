"""Every parser against its corpus and mutations of it; with atheris there is a guided run too."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests import fuzz

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_every_kept_input_is_read_or_refused(target: str) -> None:
    kept = fuzz.corpus(target)
    assert kept
    for path in kept:
        fuzz.TARGETS[target].check(path.read_bytes())


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_mutations_are_read_or_refused(target: str) -> None:
    assert fuzz.unguided(target, 150, Path("runs", "fuzz"), seed=1) == 0


def test_some_inputs_of_each_kind_are_accepted(tmp_path: Path) -> None:
    """A fuzz of nothing but refused inputs would find little."""
    from agents.network import load_policy
    from agents.training.checkpoint import load_checkpoint
    from agents.training.config import load_config
    from euchre_env.cards import deck_of
    from euchre_env.record import load_records
    from euchre_env.ruleset import Ruleset

    folder = fuzz.CORPUS
    assert load_records(folder / "egn" / "league-06.egn")
    assert load_records(folder / "jsonl" / "league-06.jsonl")
    assert Ruleset.load(folder / "ruleset" / "full.json") == Ruleset.stick()
    assert len(deck_of((folder / "deck" / "joker").read_text("utf-8"), joker=True)) == 25
    assert load_policy(folder / "policy" / "small.safetensors")[0].hidden == (1,)
    assert load_checkpoint(folder / "checkpoint" / "small.pt")["iteration"] == 1
    assert load_config(folder / "config" / "quick.yaml").iterations > 0


def test_mutations_of_records_stay_data() -> None:
    """Most mutations have to be JSON still, or no input would get past the first check."""
    rng = random.Random(1)
    data = (fuzz.CORPUS / "egn" / "league-06.egn").read_bytes()
    parsed = changed = 0
    for _ in range(100):
        mutated = fuzz.mutate(data, rng)
        changed += mutated != data
        try:
            parsed += isinstance(json.loads(mutated), dict)
        except ValueError:
            continue
    assert parsed > 50 and changed > 90


def test_a_failing_input_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(data: bytes) -> None:
        raise KeyError(len(data))

    monkeypatch.setitem(fuzz.TARGETS, "deck", fuzz.Target(broken, ()))
    assert fuzz.unguided("deck", 3, tmp_path, seed=1) == 3
    assert (tmp_path / "deck-0").read_bytes() == fuzz.corpus("deck")[0].read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(find_spec("atheris") is None, reason="needs atheris: pip install atheris")
@pytest.mark.parametrize("target", ["egn", "ruleset", "deck"])
def test_a_guided_run_of_seconds(target: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", target, "--seconds", "5", "--failures", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert not list(tmp_path.iterdir())
    # Coverage is only guided where the modules are instrumented.
    assert "cov: " in done.stderr and "INITED" in done.stderr
