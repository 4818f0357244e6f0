"""Action ids, their names, and their text: one table for the engine, the environments and the docs.

Ids are stable and never renumbered. Those of the cards, 0 to 24, serve for discard and play alike.
In the absolute frame card ``a`` is card id ``a`` and ``call_C`` to ``call_S`` are 27 to 30; in the
trump-relative frame card actions are bits of the frame of 24 cards, and 27 to 30 name the two suits
of the other colour, the next suit and the frame's own. Games with 28 or 32 cards have eight more
actions: 38 to 41 are the eights and 42 to 45 the sevens, of C D H S or of the relative suits.
"""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np
import numpy.typing as npt

from .cards import (
    BIT_OF,
    CARD_AT,
    N_ALL_CARDS,
    N_CARDS,
    N_FRAMES,
    N_SUITS,
    NATURAL,
    RELATIVE_SUIT,
    SUIT_AT,
    CardError,
    card_id,
    card_text,
)
from .rules import (
    ALL_ACTIONS,
    CALL,
    EIGHTS,
    N_ACTIONS,
    SEVENS,
    action_of_card,
    legal,
)
from .rules import card_of_action as card_of_action
from .ruleset import Ruleset, any_wide

FRAMES = ("absolute", "trump")
"""The frames of observations and action ids that the environments offer."""

_WORDS = (
    "pass",
    "order_up",
    "call_C",
    "call_D",
    "call_H",
    "call_S",
    "call_NT",
    "alone",
    "with_partner",
    "defend_alone",
    "defend_together",
    "claim",
    "keep",
)
ACTION_TEXT: tuple[str, ...] = (
    *(card_text(i) for i in range(N_CARDS)),
    *_WORDS,
    *(card_text(i) for i in range(N_CARDS, N_ALL_CARDS)),
)
"""The text of each absolute action id."""

ACTION_MEANING: dict[str, str] = {
    "pass": "decline to call; where players may drop out, do so",
    "order_up": "make the upcard's suit trump; the dealer's own pick-up too",
    "call_C": "name clubs trump",
    "call_D": "name diamonds trump",
    "call_H": "name hearts trump",
    "call_S": "name spades trump",
    "call_NT": "call no trump",
    "alone": "the maker plays without the partner, or without the dummy",
    "with_partner": "the maker plays with the partner, or takes the dummy",
    "defend_alone": "defend without the partner",
    "defend_together": "defend with the partner",
    "claim": "claim the weak hand: throw the deal in, or swap three cards; call for the partner's "
    "best",
    "keep": "keep the weak hand, or the lone hand; where players may drop out, stay in",
}


class ActionError(ValueError):
    """A text or id that is no action, or an action that is not legal now."""


def count_actions(*rulesets: Ruleset) -> int:
    """The number of action ids of games by some rule sets: 38, or 46 with cards below nine."""
    return ALL_ACTIONS if any_wide(rulesets) else N_ACTIONS


def _frame_table(cards: npt.NDArray[np.int8], suits: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    table = np.tile(np.arange(ALL_ACTIONS, dtype=np.int8), (2 * N_FRAMES, 1))
    table[:, :N_CARDS] = np.tile(cards[:N_FRAMES, :N_CARDS], (2, 1))
    for first in (CALL, EIGHTS, SEVENS):
        table[:, first : first + N_SUITS] = first + suits
    return table


TO_ABSOLUTE: npt.NDArray[np.int8] = _frame_table(CARD_AT, SUIT_AT)
"""int8[10, 46]: the absolute id of each action of each frame."""
FROM_ABSOLUTE: npt.NDArray[np.int8] = _frame_table(BIT_OF, RELATIVE_SUIT)
"""int8[10, 46]: the frame's id of each absolute action."""


def action_text(action: int, frame: str = "absolute", state: Any = None) -> str:
    """The text of an action id, such as ``JH``, ``pass`` or ``call_S``.

    With ``frame="trump"`` the meaning depends on the game: pass its ``state`` record.

    Raises:
        ActionError: no such action, or a trump-relative id without the state.
    """
    if not 0 <= action < ALL_ACTIONS:
        raise ActionError(f"{action} is no action id: ids run from 0 to {ALL_ACTIONS - 1}")
    return ACTION_TEXT[int(TO_ABSOLUTE[_frame_of(frame, state), action])]


def action_id(text: str, frame: str = "absolute", state: Any = None) -> int:
    """The id of an action's text; cards may be written ``play_JH`` and ``discard_JH`` too.

    Raises:
        ActionError: ``text`` names no action, or a trump-relative id is wanted without a state.
    """
    word = str(text).strip()
    if word in ACTION_TEXT:
        absolute = ACTION_TEXT.index(word)
    else:
        absolute = _card_action(word)
    return int(FROM_ABSOLUTE[_frame_of(frame, state), absolute])


def _card_action(word: str) -> int:
    try:
        return action_of_card(card_id(word.removeprefix("play_").removeprefix("discard_")))
    except CardError:
        near = difflib.get_close_matches(word, _WORDS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"use a card or one of {', '.join(_WORDS)}"
        raise ActionError(f"{word!r} is no action: {hint}") from None


def _frame_of(frame: str, state: Any) -> int:
    if frame == "absolute":
        return NATURAL
    if frame != "trump":
        raise ActionError(f"frame={frame!r} is unknown: use 'absolute' or 'trump'")
    if state is None:
        raise ActionError("a trump-relative action id has a meaning only in a game: pass state=")
    return int(state["frame"])


def legal_ids(s: Any, r: Any) -> list[int]:
    """Absolute ids of the legal actions of the seat to act, in the order of the frame's ids.

    Args:
        s: The record.
        r: The rule record.
    """
    allowed = int(legal(s, r))
    return [int(TO_ABSOLUTE[s.frame, a]) for a in range(ALL_ACTIONS) if allowed >> a & 1]


def actions_markdown() -> str:
    """The table of action ids for the documentation."""
    lines = ["| id | text | meaning |", "| --- | --- | --- |"]
    lines += [f"| {i} | `{ACTION_TEXT[i]}` | discard or play this card |" for i in range(N_CARDS)]
    lines += [f"| {N_CARDS + k} | `{w}` | {ACTION_MEANING[w]} |" for k, w in enumerate(_WORDS)]
    lines += [
        f"| {i} | `{ACTION_TEXT[i]}` | discard or play this card, in games with 28 or 32 cards |"
        for i in range(N_ACTIONS, ALL_ACTIONS)
    ]
    return "\n".join(lines) + "\n"
