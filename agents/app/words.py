"""What a person types at a table in the terminal, and which act it means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from euchre_env.actions import ACTION_TEXT
from euchre_env.cards import N_CARDS, SUIT_NAMES, CardError, card_id
from euchre_env.render.overlay import ACTION_WORDS, act_words
from euchre_env.render.text import SYMBOLS
from euchre_env.rules import (
    ALONE,
    CALL,
    CALL_BEST,
    CALL_NO_TRUMP,
    CLAIM,
    DEFEND,
    DEFEND_ALONE,
    DEFEND_TOGETHER,
    DISCARD,
    DUMMY_EXCHANGE,
    KEEP,
    LAY_AWAY,
    LONER,
    ORDER_UP,
    PASS,
    PASS_CARD,
    PLAY,
    STAY,
    WITH_PARTNER,
)

CARD_PHASES = (DISCARD, PLAY, DUMMY_EXCHANGE, PASS_CARD, LAY_AWAY)
"""The phases that are answered by a card."""

_SHORT = {
    "p": PASS,
    "o": ORDER_UP,
    "up": ORDER_UP,
    "order": ORDER_UP,
    "pick up": ORDER_UP,
    **{name[0]: CALL + suit for suit, name in enumerate(SUIT_NAMES)},
    **{symbol: CALL + suit for suit, symbol in enumerate(SYMBOLS)},
    "n": CALL_NO_TRUMP,
    "nt": CALL_NO_TRUMP,
    "call nt": CALL_NO_TRUMP,
    **{f"call {name[0]}": CALL + suit for suit, name in enumerate(SUIT_NAMES)},
    **{f"call {name}": CALL + suit for suit, name in enumerate(SUIT_NAMES)},
    "together": WITH_PARTNER,
    "partner": WITH_PARTNER,
}
_IN_DEFENCE = {
    "alone": DEFEND_ALONE,
    "a": DEFEND_ALONE,
    "together": DEFEND_TOGETHER,
    "t": DEFEND_TOGETHER,
}
_IN_LONER = {"a": ALONE, "t": WITH_PARTNER, "not alone": WITH_PARTNER}
_AT_DUMMY = {
    **_IN_LONER,
    **dict.fromkeys(("leave", "leave it", "leave the dummy"), ALONE),
    **dict.fromkeys(("take", "take it", "take dummy", "take the dummy"), WITH_PARTNER),
}
_IN_STAY = {
    **{"stay": KEEP, "stay in": KEEP, "in": KEEP, "s": KEEP},
    **{"drop": PASS, "drop out": PASS, "out": PASS, "d": PASS},
}
_IN_BEST = {
    **dict.fromkeys(("call", "call for best", "best", "ask", "yes", "y", "c"), CLAIM),
    **dict.fromkeys(("keep hand", "no", "n", "k"), KEEP),
}
_LONGEST = 30


class NotUnderstood(ValueError):
    """A text that means no act at the table."""


def choices(s: Any, legal: Sequence[int], hand: Sequence[int]) -> list[int]:
    """The acts that numbers 1, 2, ... stand for: the cards held, or the legal calls.

    Args:
        s: The record.
        legal: Absolute ids of the legal acts.
        hand: Card ids of the seat to act, as shown.
    """
    return list(hand) if s.phase in CARD_PHASES else list(legal)


def label(action: int, s: Any, r: Any) -> str:
    """An act as it is written at the table: ``JH``, ``order up``, ``hearts``, ``stay in``.

    Args:
        action: Its absolute id.
        s: The record, for acts that are called otherwise in some phases.
        r: The rule record.
    """
    return ACTION_TEXT[action] if action < N_CARDS else act_words(s, r)[action]


def parse_act(text: str, s: Any, numbered: Sequence[int]) -> int:
    """The absolute id of an act as typed; it may be illegal.

    Args:
        text: A number shown, a card (``JH``, ``jh``, ``J♥``, ``10h``), or a call in words.
        s: The record, for words that mean one thing here and another there.
        numbered: What the numbers stand for.

    Raises:
        NotUnderstood: it means nothing.
    """
    word = " ".join(text.lower().replace("_", " ").split())
    if word.isascii() and word.isdecimal():
        return _numbered(word, numbered)
    at_loner = _AT_DUMMY if s.dummy else _IN_LONER
    by_phase = {DEFEND: _IN_DEFENCE, LONER: at_loner, STAY: _IN_STAY, CALL_BEST: _IN_BEST}
    here = by_phase.get(int(s.phase), {})
    spoken = {name: action for action, name in ACTION_WORDS.items()}
    for words in (here, spoken, _SHORT):
        if word in words:
            return words[word]
    try:
        return card_id(re.sub(r"^(play|discard|pass|give|lay away) ", "", word))
    except CardError:
        shown = word if len(word) <= _LONGEST else f"{word[:_LONGEST]}..."
        raise NotUnderstood(
            f"{shown!a} is no card, call or command here: type a number, or help"
        ) from None


def _numbered(word: str, numbered: Sequence[int]) -> int:
    number = int(word) if len(word) <= 3 else 0
    if not 1 <= number <= len(numbered):
        raise NotUnderstood(f"there is no number {word[:6]}: give 1 to {len(numbered)}")
    return numbered[number - 1]
