"""A game in plain words: what is asked, why an act is not legal, what was done and what came of it.

No rule is decided here: :func:`euchre_env.rules.legal` says what is legal, the record says why.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import rules
from .actions import ACTION_TEXT, FROM_ABSOLUTE, legal_ids
from .cards import (
    BIT_OF,
    CARD_AT,
    JACK,
    JOKER,
    N_CARDS,
    NO_TRUMP,
    SUIT_NAMES,
    TRUMPS,
    card_text,
    cards_of,
)
from .rules import (
    ALONE,
    BID1,
    BID2,
    CALL,
    CALL_NO_TRUMP,
    CLAIM,
    DEFEND,
    DEFEND_ALONE,
    DEFEND_TOGETHER,
    DISCARD,
    KEEP,
    LONER,
    N_ACTIONS,
    NAME_TRUMP,
    NOBODY,
    ORDER_UP,
    OVER,
    PASS,
    PLAY,
    SEAT_NAMES,
    TEAM_NAMES,
    WEAK_HAND,
    WITH_PARTNER,
)

__all__ = [
    "card_name",
    "consequence",
    "question",
    "result",
    "tell",
    "why_illegal",
]

RANK_NAMES = ("nine", "ten", "jack", "queen", "king", "ace")

_ACTS_OF = {
    WEAK_HAND: (CLAIM, KEEP),
    NAME_TRUMP: (CALL, CALL + 1, CALL + 2, CALL + 3),
    BID1: (PASS, ORDER_UP),
    BID2: (PASS, CALL, CALL + 1, CALL + 2, CALL + 3, CALL_NO_TRUMP),
    LONER: (ALONE, WITH_PARTNER),
    DEFEND: (DEFEND_ALONE, DEFEND_TOGETHER),
    DISCARD: tuple(range(N_CARDS)),
    PLAY: tuple(range(N_CARDS)),
}
"""The kinds of acts that a phase asks for, whether or not each is legal."""


# --- words -------------------------------------------------------------------------------------


def card_name(card: int, trump: int = NOBODY) -> str:
    """A card in words, ``jack of hearts``, with its title under a trump suit: the left bower.

    Args:
        card: Its id.
        trump: The trump suit, NO_TRUMP, or NOBODY where there is none yet.
    """
    if card == JOKER:
        return "joker"
    name = f"{RANK_NAMES[card % 6]} of {SUIT_NAMES[card // 6]}"
    title = _bower(card, trump)
    return f"{name}, the {title}" if title else name


def _bower(card: int, trump: int) -> str:
    """``left bower`` or ``right bower``, or nothing."""
    if not 0 <= trump < NO_TRUMP or card == JOKER or card % 6 != JACK:
        return ""
    if not TRUMPS[trump] >> int(BIT_OF[trump, card]) & 1:
        return ""
    return "right bower" if card // 6 == trump else "left bower"


def trump_name(trump: int) -> str:
    """``hearts``, or ``no trump``."""
    return "no trump" if trump == NO_TRUMP else SUIT_NAMES[trump]


def _one_of(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def _upcard(s: Any) -> str:
    return card_text(int(cards_of(s.upcard, int(s.frame))[0]))


# --- what is asked -----------------------------------------------------------------------------


def question(s: Any, r: Any) -> str:
    """What the seat to act is asked, in words; nothing when the hand is over."""
    phase, dealer = int(s.phase), s.turn == s.dealer
    if phase == WEAK_HAND:
        return "Claim the weak hand, or keep it?"
    if phase == NAME_TRUMP:
        return "The joker is turned up: name a trump suit."
    if phase == BID1:
        taken = "Pick up" if dealer else "Order up"
        return f"{taken} the {_upcard(s)}, or pass?"
    if phase == BID2:
        must = "" if int(rules.legal(s, r)) >> PASS & 1 else " The dealer has to call."
        return f"Name a trump suit{'.' if must else ', or pass?'}{must}"
    if phase == LONER:
        whose = "" if s.turn == s.maker else f" {SEAT_NAMES[int(s.maker)]} called."
        return f"{trump_name(int(s.trump)).capitalize()}: play alone, or with your partner?{whose}"
    if phase == DEFEND:
        return "Defend alone, or together with your partner?"
    if phase == DISCARD:
        return "Lay a card away."
    if phase != PLAY:
        return ""
    if s.count == 0:
        return "Lead a card."
    return f"Play a card to {_led(s)}."


def _led(s: Any) -> str:
    """The suit that was led, in words."""
    bit = int(s.plays[s.trick, s.leader[s.trick]])
    suit = int(rules.effective_suit(bit, int(s.frame)))
    return "the joker" if suit == NOBODY else SUIT_NAMES[suit]


# --- why not -----------------------------------------------------------------------------------


def why_illegal(s: Any, r: Any, action: int) -> str:
    """The rule that forbids an action to the seat to act, in a sentence; empty if it is legal.

    Args:
        s: The record; only what the seat to act knows is read.
        r: The rule record.
        action: An absolute action id.
    """
    if not 0 <= action < N_ACTIONS:
        return f"{action} is no action: ids run from 0 to {N_ACTIONS - 1}."
    phase = int(s.phase)
    if phase == OVER:
        return "The hand is over: nobody is to act."
    framed = int(FROM_ABSOLUTE[s.frame, action])
    if int(rules.legal(s, r)) >> framed & 1:
        return ""
    if framed not in _ACTS_OF[phase]:
        return f"{_word(action)} is no answer now. {question(s, r)}"
    if phase == PLAY:
        return _why_not_play(s, r, action, framed)
    if phase == DISCARD:
        return _why_not_lay_away(s, action, framed)
    return _why_not_call(s, action, framed)


def _word(action: int) -> str:
    if action < N_CARDS:
        return f"The {card_text(action)}"
    return f'"{ACTION_TEXT[action].replace("_", " ")}"'


def _why_not_play(s: Any, r: Any, action: int, bit: int) -> str:
    if not int(s.hand[s.turn]) >> bit & 1:
        return f"The {card_text(action)} is not in your hand."
    could = _one_of(map(card_text, legal_ids(s, r)))
    led = _led(s)
    first = int(s.plays[s.trick, s.leader[s.trick]])
    lead_card = int(CARD_AT[s.frame, first])
    trump = int(s.trump)
    told = ""
    if _bower(lead_card, trump) == "left bower":
        told = f" The {card_text(lead_card)} that was led is the left bower, one of the {led}."
    elif _bower(action, trump) == "left bower":
        told = f" The {card_text(action)} is the left bower and counts as {trump_name(trump)}."
    elif any(_bower(card, trump) == "left bower" for card in legal_ids(s, r)):
        told = f" The left bower counts as {trump_name(trump)}."
    return f"Follow suit: {led} were led, so play {could}.{told}"


def _why_not_lay_away(s: Any, action: int, bit: int) -> str:
    if int(s.hand[s.turn]) >> bit & 1:
        return (
            f"The {card_text(action)} was turned up, and this table does not let you lay it away."
        )
    return f"The {card_text(action)} is not in your hand."


def _why_not_call(s: Any, action: int, framed: int) -> str:
    if framed == PASS:
        return "Stick the dealer: everyone has passed, so you have to call."
    if framed == CALL_NO_TRUMP:
        return "This table plays without no-trump calls here."
    natural = "this table lets you call a suit only with a card of that suit, bowers aside"
    if s.phase == BID1:
        return f"You hold no {SUIT_NAMES[int(s.frame)]}: {natural}."
    suit = action - CALL
    if suit == int(s.frame):
        return f"{SUIT_NAMES[suit].capitalize()} were turned down: name another suit."
    return f"You hold no {SUIT_NAMES[suit]}: {natural}."


# --- what was done -----------------------------------------------------------------------------


def tell(s: Any, action: int, viewer: int | None = None) -> str:
    """An act in words, before it is carried out: ``East orders up the JH``.

    Args:
        s: The record that the act is about to change.
        action: The absolute action id.
        viewer: The seat that is told, which must not learn what another lays away; None tells all.
    """
    seat = int(s.turn)
    who = SEAT_NAMES[seat]
    if s.phase == DISCARD:
        return f"{who} lays away {_laid_away(s, action, viewer)}"
    if s.phase == PLAY:
        return f"{who} {'leads' if s.count == 0 else 'plays'} {card_text(action)}"
    framed = int(FROM_ABSOLUTE[s.frame, action])
    if framed == ORDER_UP:
        return f"{who} {'picks up' if seat == s.dealer else 'orders up'} the {_upcard(s)}"
    said = {
        PASS: "passes",
        CALL_NO_TRUMP: "calls no trump",
        ALONE: "plays alone",
        WITH_PARTNER: "plays with the partner",
        DEFEND_ALONE: "defends alone",
        DEFEND_TOGETHER: "defends with the partner",
        CLAIM: "claims a weak hand",
        KEEP: "keeps the hand",
    }
    return f"{who} {said.get(framed) or f'calls {SUIT_NAMES[action - CALL]}'}"


def _laid_away(s: Any, action: int, viewer: int | None) -> str:
    return f"the {card_text(action)}" if viewer in (None, int(s.turn)) else "a card"


def consequence(before: Any, after: Any) -> str:
    """What an act brought about beyond itself, in words: a trick, a redeal, points; or nothing.

    Args:
        before: The record before the act.
        after: The record after it.
    """
    told = []
    if after.place == rules.TURNED_DOWN and before.place == rules.FACE_UP:
        told.append(f"the {_upcard(before)} is turned down")
    if after.trick > before.trick:
        told.append(f"{SEAT_NAMES[int(after.winner)]} takes the trick")
    if after.phase == OVER and before.phase != OVER:
        told.append(result(after))
    return "; ".join(told)


def result(s: Any) -> str:
    """How a finished hand ended, in words; points are those of the hand."""
    if s.thrown_in:
        return "the hand is thrown in"
    points = [int(p) for p in s.points[:2]]
    if s.offender != NOBODY:
        lost = f"{SEAT_NAMES[int(s.offender)]} reneged"
        return f"{lost}: {points[0]} to {points[1]} points"
    side = 0 if points[0] > points[1] else 1
    count = points[side]
    return f"{TEAM_NAMES[side]} make {count} point{'s' * (count != 1)}: {_feat(s, side)}"


def _feat(s: Any, side: int) -> str:
    makers, taken = int(rules.team(s.maker)), int(s.tricks[side])
    alone = s.loner != NOBODY
    if side != makers:
        return "a lone hand euchred" if alone else "a euchre"
    if taken == rules.N_TRICKS:
        return "a lone march" if alone else "a march"
    return f"{taken} tricks{' alone' if alone else ''}"
