"""The statistics of one table: what its hands came to, and how often its person agreed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from euchre_env.rules import N_TEAMS, team

from ...style import OUTCOMES, Hands

Hand = dict[str, int]


class Figures:
    """Counts by hand, so that a hand which is taken back can be taken out again.

    Args:
        seat: The person's seat.
    """

    def __init__(self, seat: int) -> None:
        self.side = int(team(seat))
        self._hands: dict[int, Hand] = {}
        self._choices: dict[tuple[int, int], bool] = {}

    def hand(self, number: int, state: Any) -> None:
        """Count a finished hand: STATE, and its number at the table."""
        self._hands[number] = hand_figures(state, self.side)

    def choice(self, number: int, place: int, agreed: bool) -> None:
        """Count a decision: the number of its hand, its place there, and if the advisor agreed."""
        self._choices[number, place] = agreed

    def take_back(self, number: int, place: int) -> None:
        """Forget what came at or after a place of a hand."""
        self._hands = {n: hand for n, hand in self._hands.items() if n < number}
        self._choices = {at: ok for at, ok in self._choices.items() if at < (number, place)}

    def told(self) -> dict[str, int]:
        """All counts."""
        total: Counter[str] = Counter()
        for hand in self._hands.values():
            total.update(hand)
        return {
            "hands": len(self._hands),
            **total,
            "choices": len(self._choices),
            "agreed": sum(self._choices.values()),
        }


def hand_figures(state: Any, side: int) -> Hand:
    """What one finished hand, STATE, adds to the counts of a team."""
    other = N_TEAMS - 1 - side
    counts = {"points": int(state["points"][side]), "points_lost": int(state["points"][other])}
    rows = np.asarray(state).reshape(1)
    hands = Hands(rows)
    whose = "own" if team(int(state["maker"])) == side else "their"
    called = bool(hands.called[0])
    counts["thrown_in"] = int(not called)
    if called:
        counts[f"{whose}_calls"] = 1
        for name in OUTCOMES:
            counts[f"{whose}_{name}"] = int(hands.outcome(name)[0])
    return counts
