"""What the page draws: the state of a hand as plain values, hidden or open.

Trump is told as the page draws it: a suit's letter, ``NT``, or nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from euchre_env import explain, rules
from euchre_env.actions import ACTION_TEXT
from euchre_env.cards import N_CARDS, NO_TRUMP, SUITS, card_text, cards_of
from euchre_env.record import UNKNOWN
from euchre_env.replay import Step

from .. import table as tables
from ..table import Table

PERSON_NAME = "you"
_LETTERS = {explain.trump_name(suit): letter for suit, letter in enumerate(SUITS)}
_LETTERS[explain.trump_name(NO_TRUMP)] = "NT"


def live_state(table: Table, seat: int) -> dict[str, Any]:
    """What the person at ``seat`` may know of a live table."""
    told = table.snapshot(seat)
    trump = told["trump"]
    names = [name or PERSON_NAME for name in table.lineup]
    over = bool(told["over"])
    return told | {"trump": trump and _LETTERS[trump], "names": names, "over": over}


def open_state(s: Any, steps: Sequence[Step], players: Sequence[str]) -> dict[str, Any]:
    """A hand with all that is known of it.

    Args:
        s: STATE, the full record.
        steps: What was done in the hand before it.
        players: Who played, by seat.
    """
    over = bool(s.phase == rules.OVER)
    trump = None if s.trump < 0 else _LETTERS[explain.trump_name(int(s.trump))]
    return {
        "names": list(players),
        "phase": rules.PHASES[int(s.phase)],
        "actor": None if s.turn < 0 else int(s.turn),
        "counts": [len(cards_of(hand, int(s.frame))) for hand in s.hand],
        **tables.cards_on_table(s, int(s.frame)),
        "calls": [
            {"seat": int(step.state.turn), "text": ACTION_TEXT[step.action]}
            for step in steps
            if step.action >= N_CARDS
        ],
        "trump": trump,
        "maker": _seat(s.maker),
        "alone": _seat(s.loner),
        "lone_defender": _seat(s.lone_defender),
        "sitting_out": [seat for seat in range(rules.N_SEATS) if rules.is_out(s, seat)],
        "dealer": int(s.dealer),
        "score": [int(n) for n in s.score],
        "tricks": [int(n) for n in s.tricks],
        "points": [int(n) for n in s.points],
        "hand_over": over,
        "over": over,
        "result": explain.result(s) if over else "",
    }


def open_hands(s: Any, shown: Sequence[Collection[str]]) -> list[list[str]]:
    """The cards of all seats, by seat, those that are not ``shown`` as UNKNOWN."""
    hands = [[card_text(card) for card in cards_of(hand, int(s.frame))] for hand in s.hand]
    return [
        [card if card in known else UNKNOWN for card in hand] for hand, known in zip(hands, shown)
    ]


def _seat(seat: Any) -> int | None:
    return None if seat < 0 else int(seat)
