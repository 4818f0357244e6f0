"""benchmarks/soak.py: a short soak is sound, and each invariant catches what it is for."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soak
from euchre_env import rules
from euchre_env.ruleset import VARIANT_PLAYERS, Ruleset
from tests.table import Table, dealt, random_deck

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
    table = lead()
    s = table.s
    for name, value in changes.items():
        s[name] = value
    legal = int(s.hand[1]) if changes.get("turn", 1) in range(4) else 0
    return int(soak.fault_of_decision(s, table.r, np.int64(legal)))


def test_an_impossible_decision_is_found() -> None:
    assert decision() == soak.SOUND
    assert decision(turn=-1) == soak.STUCK
    assert decision(turn=7) == soak.STUCK
    assert decision(sitting_out=2) == soak.OUT_ACTS
    assert decision(turn=2) == soak.NOT_HELD
    assert decision(phase=rules.BID1) == soak.NOT_HELD
    assert decision(tricks=(1, 0, 0, 0)) == soak.TRICKS
    table = lead()
    table.s.hand[3] = 0
    assert soak.fault_of_decision(table.s, table.r, np.int64(table.s.hand[1])) == soak.HELD


@pytest.mark.parametrize(
    ("points", "fault"),
    [((2, 0), "SOUND"), ((3, 0), "POINTS"), ((2, 2), "POINTS"), ((0, 2), "POINTS")],
)
def test_points_that_cannot_be_are_found(points: tuple[int, int], fault: str) -> None:
    table = lead().finish()
    table.s.points[:2] = points
    table.s.tricks[:] = 5, 0, 0, 0
    assert soak.fault_of_points(table.s, table.r) == getattr(soak, fault)
    table.s.tricks[:2] = 4, 0
    assert soak.fault_of_points(table.s, table.r) in (soak.TRICKS, soak.POINTS)


@pytest.mark.parametrize(
    ("rules", "maker", "tricks", "points", "fault"),
    [
        ("three_hand", 0, (5, 0, 0), (2, 0, 0), "SOUND"),
        ("three_hand", 0, (5, 0, 0), (2, 0, 2), "POINTS"),
        ("three_hand", 0, (2, 2, 1), (0, 2, 2), "SOUND"),
        ("three_hand", 0, (2, 2, 1), (0, 2, 4), "POINTS"),
        ("three_hand", 0, (2, 2, 2), (0, 2, 2), "TRICKS"),
        ("two_hand", 1, (0, 5), (0, 1, 1), "POINTS"),
        ("buck", 2, (1, 1, 3, 0), (1, 1, 3, 0), "SOUND"),
        ("buck", 2, (1, 2, 2, 0), (1, 2, 2, 0), "POINTS"),
        ("buck", 2, (1, 2, 2, 0), (1, 2, -5, 0), "SOUND"),
        ("buck", 2, (1, 1, 3, 0), (1, 1, 3, -5), "POINTS"),
        ("dirty_clubs", 2, (1, 1, 3, 0), (1, 1, 3, -5), "SOUND"),
        ("dirty_clubs", 2, (1, 1, 3, 0), (1, 1, 3, 0), "POINTS"),
    ],
)
def test_points_of_other_games(
    rules: str, maker: int, tricks: tuple[int, ...], points: tuple[int, ...], fault: str
) -> None:
    table = Table.dealt(Ruleset.parse(rules), random_deck(random.Random(1)), 0)
    table.s.maker = maker
    table.s.tricks[: len(tricks)], table.s.points[: len(points)] = tricks, points
    assert soak.fault_of_points(table.s, table.r) == getattr(soak, fault)


def test_a_score_that_is_not_the_sum_is_found() -> None:
    down = Table.dealt(Ruleset.parse("buck"), random_deck(random.Random(1)), 0)
    before = np.array([25, 25, 25, 25])
    down.s.points[0], down.s.score[0] = 5, 20
    assert soak.fault_of_score(down.s, down.r, before) == soak.SOUND
    down.s.score[0] = 30
    assert soak.fault_of_score(down.s, down.r, before) == soak.SCORE
    up = lead()
    up.s.points[1], up.s.score[1] = 2, 2
    assert soak.fault_of_score(up.s, up.r, np.zeros(4, np.int64)) == soak.SOUND
    assert soak.fault_of_score(up.s, up.r, np.ones(4, np.int64)) == soak.SCORE


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
    assert {ruleset.variant for ruleset in first} == set(VARIANT_PLAYERS)
