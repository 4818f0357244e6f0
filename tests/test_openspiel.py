"""The engine against OpenSpiel's euchre; 100,000 hands: python -m tests.openspiel_trace."""

import random

import pytest

pytest.importorskip("pyspiel")

from euchre_env import rules
from tests.openspiel_trace import SETTINGS, Fault, Replay, Setting, card_of, compare, main

HANDS = 750  # under each of four settings


@pytest.mark.parametrize(("stick", "lone_defender"), SETTINGS)
def test_equal_to_openspiel(stick: bool, lone_defender: bool) -> None:
    found = compare(Setting.of(stick, lone_defender), HANDS, seed=2026)
    assert found["play"] > 10 * HANDS / 2
    assert found["bid2"] and found["discard"] and found["loner"]
    assert bool(found["defend"]) == lone_defender
    assert bool(found["thrown in"]) != stick


def test_cards_are_translated() -> None:
    names = {0: 0, 1: 6, 2: 12, 3: 18, 4: 1, 23: 23, 20: 5}  # 9C 9D 9H 9S TC AS AC
    assert {theirs: card_of(theirs) for theirs in names} == names
    assert sorted(map(card_of, range(24))) == list(range(24))


def test_a_difference_is_found() -> None:
    """The same hands under other rules, or after a slip of the hand, must raise."""
    wrong = Setting.of(True, False)
    wrong = Setting(wrong.game, wrong.ruleset.replace(dealer_may_discard_upcard=True))
    with pytest.raises(Fault, match="legal set"):
        compare(wrong, 100, seed=1)
    wrong = Setting(wrong.game, Setting.of(True, False).ruleset.replace(points_march=3))
    with pytest.raises(Fault, match="returns"):
        compare(wrong, 300, seed=1)
    replay = Replay(Setting.of(True, False), random.Random(1))
    replay.s.turn = rules.left(replay.s.turn)
    with pytest.raises(Fault, match="seat to act"):
        replay.run()


def test_the_command_reports(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--hands", "41", "--seed", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("stick=True lone_defender=False: 11 hands equal")
    assert lines[-1].startswith("41 hands, ") and ", 0 differences, " in lines[-1]
