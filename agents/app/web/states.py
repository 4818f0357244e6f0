"""What the page draws: the state of a hand as plain values, hidden or open.

Trump is told as the page draws it: a suit's letter, ``NT``, or nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from euchre_env import explain
from euchre_env.actions import ACTION_TEXT, card_of_action
from euchre_env.cards import NO_TRUMP, SUITS, card_text, cards_of
from euchre_env.record import UNKNOWN
from euchre_env.replay import Step

from ..table import Table, hand_counts, open_facts

PERSON_NAME = "you"
_LETTERS = {explain.trump_name(suit): letter for suit, letter in enumerate(SUITS)}
_LETTERS[explain.trump_name(NO_TRUMP)] = "NT"


def live_state(table: Table, seat: int) -> dict[str, Any]:
    """What the person at ``seat`` may know of a live table."""
    told = table.snapshot(seat)
    names = [name or PERSON_NAME for name in table.lineup]
    return told | {"trump": _letter(told["trump"]), "names": names}


def _letter(trump: str | None) -> str | None:
    return None if trump is None else _LETTERS[trump]


def open_state(s: Any, r: Any, steps: Sequence[Step], players: Sequence[str]) -> dict[str, Any]:
    """A hand with all that is known of it.

    Args:
        s: STATE, the full record.
        r: The rule record.
        steps: What was done in the hand before it.
        players: Who played, by seat.
    """
    told = open_facts(s, r)
    return told | {
        "names": list(players),
        "counts": hand_counts(s),
        "calls": [
            {"seat": int(step.state.turn), "text": ACTION_TEXT[step.action]}
            for step in steps
            if card_of_action(step.action) < 0
        ],
        "trump": _letter(told["trump"]),
        "over": told["hand_over"],
    }


def open_hands(s: Any, shown: Sequence[Collection[str]]) -> list[list[str]]:
    """The cards of all seats, by seat, those that are not ``shown`` as UNKNOWN."""
    hands = [[card_text(card) for card in cards_of(hand, int(s.frame))] for hand in s.hand]
    return [
        [card if card in known else UNKNOWN for card in hand] for hand, known in zip(hands, shown)
    ]
