"""benchmarks/soak.py: a short soak is sound, and each invariant catches what it is for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soak
from euchre_env import rules
from euchre_env.ruleset import Ruleset
from tests.table import Table, dealt

NORTH = {0: "JH JD AH KH QH", 1: "9C TC JC QC KC", 2: "9S TS JS QS KS", 3: "9D TD QD KD AD"}


def lead() -> Table:
    """East leads; South has called and North holds the five best trumps."""
    return dealt(NORTH, "TH").do("pass", "order_up", "with_partner", "TH")


def lost_card(s: Any) -> None:
    s.hand[1] &= s.hand[1] - 1


def doubled_card(s: Any) -> None:
    s.hand[1] = s.hand[2]


def lost_kitty(s: Any) -> None:
    s.kitty = 0


@pytest.mark.parametrize("harm", [lost_card, doubled_card, lost_kitty])
def test_a_lost_or_doubled_card_is_found(harm: Callable[[Any], None]) -> None:
    table = lead()
    assert soak.fault_of_cards(table.s, table.r) == soak.SOUND
    harm(table.s)
    assert soak.fault_of_cards(table.s, table.r) == soak.CARDS


def decision(**changes: Any) -> int:
    """The fault of the opening lead with fields of the record changed."""
    s = lead().s
    for name, value in changes.items():
        s[name] = value
    legal = int(s.hand[1]) if changes.get("turn", 1) in range(4) else 0
    return int(soak.fault_of_decision(s, np.int64(legal)))


def test_an_impossible_decision_is_found() -> None:
    assert decision() == soak.SOUND
    assert decision(turn=-1) == soak.STUCK
    assert decision(turn=7) == soak.STUCK
    assert decision(sitting_out=2) == soak.OUT_ACTS
    assert decision(turn=2) == soak.NOT_HELD
    assert decision(phase=rules.BID1) == soak.NOT_HELD
    assert decision(tricks=(1, 0)) == soak.TRICKS
    s = lead().s
    s.hand[3] = 0
    assert soak.fault_of_decision(s, np.int64(s.hand[1])) == soak.HELD


@pytest.mark.parametrize(
    ("points", "fault"),
    [((2, 0), "SOUND"), ((3, 0), "POINTS"), ((2, 2), "POINTS"), ((0, 2), "POINTS")],
)
def test_points_that_cannot_be_are_found(points: tuple[int, int], fault: str) -> None:
    table = lead().finish()
    table.s.points[:] = points
    table.s.tricks[:] = 5, 0
    assert soak.fault_of_points(table.s, table.r) == getattr(soak, fault)
    table.s.tricks[:] = 4, 0
    assert soak.fault_of_points(table.s, table.r) in (soak.TRICKS, soak.POINTS)


def test_a_short_soak(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "soak.json"
    words = ["--hands", "6000", "--rulesets", "60", "--resets", "100", "--json", str(file)]
    assert soak.main(words) == 0
    found = json.loads(file.read_text("utf-8"))
    assert found["soak"]["fault"] == "" and found["soak"]["hands"] == 6000
    assert found["soak"]["decisions"] > 60_000 and found["soak"]["lone_hands"] > 100
    assert found["growth"].keys() == soak.RESETS.keys()
    assert "no fault" in capsys.readouterr().out


def test_a_fault_ends_the_soak_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "soak_block", lambda *_: soak.SCORE)
    found = soak.soak(100, seed=3, count=4)
    assert "the score is not the sum of the points: seed 3, rule set 0" in found.fault
    assert soak.main(["--hands", "100"]) == 1


def test_the_same_seed_gives_the_same_rule_sets() -> None:
    first, again, other = (soak.rulesets_of(30, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len(first) == 30 and Ruleset.stick() in first
