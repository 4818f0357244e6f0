"""A game in plain words: what is asked, why an act is not legal, what was done and what came of it.

No rule is decided here: :func:`euchre_env.rules.legal` says what is legal, the record says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from . import rules
from ._check import listed
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
    popcount,
)
from .rules import (
    ALONE,
    BID1,
    BID2,
    CALL,
    CALL_BEST,
    CALL_NO_TRUMP,
    CLAIM,
    DEFEND,
    DEFEND_ALONE,
    DEFEND_TOGETHER,
    DISCARD,
    DUMMY_EXCHANGE,
    DUMMY_NAMES,
    HAND_SIZE,
    KEEP,
    LAY_AWAY,
    LONER,
    N_ACTIONS,
    NAME_TRUMP,
    NOBODY,
    ORDER_UP,
    OVER,
    PASS,
    PASS_CARD,
    PLAY,
    SEAT_NAMES,
    STAY,
    TEAM_NAMES,
    WEAK_HAND,
    WITH_PARTNER,
)
from .ruleset import PARTNERSHIP, THREE_HAND_DUMMY

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
    DUMMY_EXCHANGE: tuple(range(N_CARDS)),
    STAY: (PASS, KEEP),
    CALL_BEST: (CLAIM, KEEP),
    PASS_CARD: tuple(range(N_CARDS)),
    LAY_AWAY: tuple(range(N_CARDS)),
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


def _has_partners(r: Any) -> bool:
    return bool(r is None or r.variant == PARTNERSHIP)


def _leaves_dummy(r: Any) -> bool:
    """Whether to play alone is to leave a dummy that the maker may take."""
    return bool(r.variant == THREE_HAND_DUMMY and r.dummy_exchange)


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
        return _ask_alone(s, r)
    if phase == STAY:
        cost = (
            f" Dropping out costs {_points(int(r.points_drop_out))}." if r.points_drop_out else ""
        )
        called = f"{trump_name(int(s.trump)).capitalize()}, called by {SEAT_NAMES[int(s.maker)]}"
        return f"{called}: stay in, or drop out?{cost}"
    if phase == DUMMY_EXCHANGE:
        count = popcount(int(s.hand[s.turn])) - HAND_SIZE
        cards = f"{count} card{'s' * (count != 1)}"
        return f"You took the {DUMMY_NAMES[int(r.variant)]}: lay {cards} away."
    if phase == DEFEND:
        return "Defend alone, or together with your partner?"
    if phase == CALL_BEST:
        return "Call for your partner's best card, or keep your hand?"
    if phase == PASS_CARD:
        return f"{SEAT_NAMES[int(s.loner)]} plays alone: pass a card to your partner."
    if phase == LAY_AWAY:
        return f"{SEAT_NAMES[int(s.passer)]} passed you the {_passed(s)}: lay a card away."
    if phase == DISCARD:
        return "Lay a card away."
    if phase != PLAY:
        return ""
    if s.count == 0:
        return "Lead a card."
    return f"Play a card to {_led(s)}."


def _ask_alone(s: Any, r: Any) -> str:
    trump = trump_name(int(s.trump)).capitalize()
    if _leaves_dummy(r):
        return f"{trump}: take the dummy, or leave it and play alone?"
    if not _has_partners(r):
        return f"{trump}: play alone, or not?"
    whose = "" if s.turn == s.maker else f" {SEAT_NAMES[int(s.maker)]} called."
    return f"{trump}: play alone, or with your partner?{whose}"


def _passed(s: Any) -> str:
    return card_text(int(cards_of(s.passed, int(s.frame))[0]))


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
    if phase in (DISCARD, DUMMY_EXCHANGE, PASS_CARD, LAY_AWAY):
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


def is_face_down(s: Any, viewer: int | None) -> bool:
    """Whether the act that is due is a card that a viewer does not get to see; None sees all."""
    if s.phase == PASS_CARD:
        return viewer not in (None, int(s.turn), int(s.loner))
    down = s.phase in (DISCARD, DUMMY_EXCHANGE, LAY_AWAY)
    return down and viewer not in (None, int(s.turn))


def tell(s: Any, action: int, viewer: int | None = None, r: Any = None) -> str:
    """An act in words, before it is carried out: ``East orders up the JH``.

    Args:
        s: The record that the act is about to change.
        action: The absolute action id.
        viewer: The seat that is told, which must not learn what another lays away or passes to a
            third; None tells all.
        r: The rule record; the partnership game unless given.
    """
    seat = int(s.turn)
    who = SEAT_NAMES[seat]
    if s.phase == PASS_CARD:
        return f"{who} passes {_named(s, action, viewer)} to {SEAT_NAMES[int(s.loner)]}"
    if s.phase in (DISCARD, DUMMY_EXCHANGE, LAY_AWAY):
        turned_up = s.phase == DISCARD and s.maker == NOBODY  # clubs are trump without a call
        taken = f"takes the {_upcard(s)}, which makes clubs trump, and " if turned_up else ""
        return f"{who} {taken}lays away {_named(s, action, viewer)}"
    if s.phase == PLAY:
        return f"{who} {'leads' if s.count == 0 else 'plays'} {card_text(action)}"
    framed = int(FROM_ABSOLUTE[s.frame, action])
    if framed == ORDER_UP:
        return f"{who} {'picks up' if seat == s.dealer else 'orders up'} the {_upcard(s)}"
    return f"{who} {_said(s, r).get(framed) or f'calls {SUIT_NAMES[action - CALL]}'}"


def _said(s: Any, r: Any) -> dict[int, str]:
    """How the answers that name no suit are told, in the phase that the record is in."""
    if s.phase == STAY:
        return {PASS: "drops out", KEEP: "stays in"}
    if s.phase == CALL_BEST:
        return {CLAIM: "calls for the partner's best", KEEP: "keeps the five cards"}
    if s.phase == LONER and not _has_partners(r):
        if _leaves_dummy(r):
            return {ALONE: "leaves the dummy and plays alone", WITH_PARTNER: "takes the dummy"}
        return {ALONE: "plays alone", WITH_PARTNER: "does not play alone"}
    return {
        PASS: "passes",
        CALL_NO_TRUMP: "calls no trump",
        ALONE: "plays alone",
        WITH_PARTNER: "plays with the partner",
        DEFEND_ALONE: "defends alone",
        DEFEND_TOGETHER: "defends with the partner",
        CLAIM: "claims a weak hand",
        KEEP: "keeps the hand",
    }


def _named(s: Any, action: int, viewer: int | None) -> str:
    return "a card" if is_face_down(s, viewer) else f"the {card_text(action)}"


def consequence(before: Any, after: Any, r: Any = None) -> str:
    """What an act brought about beyond itself, in words: a trick, a redeal, points; or nothing.

    Args:
        before: The record before the act.
        after: The record after it.
        r: The rule record; the partnership game unless given.
    """
    told = []
    if after.place == rules.TURNED_DOWN and before.place == rules.FACE_UP:
        told.append(f"the {_upcard(before)} is turned down")
    if after.phase == DUMMY_EXCHANGE and before.phase not in (DUMMY_EXCHANGE, LONER):
        told.append(f"{SEAT_NAMES[int(after.maker)]} takes the {DUMMY_NAMES[int(r.variant)]}")
    if after.trick > before.trick:
        told.append(f"{SEAT_NAMES[int(after.winner)]} takes the trick")
    if after.phase == OVER and before.phase != OVER:
        told.append(result(after, r))
    return "; ".join(told)


def result(s: Any, r: Any = None) -> str:
    """How a finished hand ended, in words; points are those of the hand.

    Args:
        s: The record.
        r: The rule record; the partnership game unless given.
    """
    if s.thrown_in:
        return "the hand is thrown in"
    if s.offender != NOBODY:
        lost = f"{SEAT_NAMES[int(s.offender)]} reneged"
        return f"{lost}: {s.points[0]} to {s.points[1]} points"
    if _has_partners(r):
        if r is not None and rules.is_fast_break(s, r):
            return "nobody scores: a fast break"
        return _scored(s, int(rules.team(s.maker)), TEAM_NAMES, "make") + _token(s, r)
    if rules.counts_down(r):
        return f"scores: {', '.join(_changes(s, r))}"
    return _scored(s, int(s.maker), SEAT_NAMES[: int(r.players)], "makes")


def _scored(s: Any, makers: int, names: Sequence[str], verb: str) -> str:
    """Who scores, the makers or each other side, and for what."""
    made = s.tricks[makers] >= 3
    sides = [side for side in range(len(names)) if (side == makers) == made]
    who, count = listed([names[side] for side in sides], "and"), int(s.points[sides[0]])
    verb, each = ("make", " each") if len(sides) > 1 else (verb, "")
    return f"{who} {verb} {_points(count)}{each}: {_feat(s, makers)}"


def _token(s: Any, r: Any) -> str:
    """What four tricks with both partners brought besides points, where there are tokens."""
    if r is None or not r.four_trick_tokens or not rules.earned_token(s, r):
        return ""
    tokens = int(s.tokens[int(rules.team(s.maker))])
    return f", token {tokens}" if tokens else ", four tokens turned in"


def _points(count: int) -> str:
    return f"{count} point{'s' * (count != 1)}"


def _feat(s: Any, makers: int) -> str:
    """What the makers did, or what befell them."""
    taken, alone = int(s.tricks[makers]), s.loner != NOBODY
    if taken < 3:
        return "a lone hand euchred" if alone else "a euchre"
    if taken == rules.N_TRICKS:
        return "a lone march" if alone else "a march"
    return f"{taken} tricks{' alone' if alone else ''}"


def _changes(s: Any, r: Any) -> list[str]:
    """How a hand of a game that counts down changed each score, and why: ``East +5 (set)``."""
    told = []
    for seat in range(int(r.players)):
        why = ""
        if rules.is_out(s, seat):
            why = " (dropped out)"
        elif rules.is_set(r, int(s.tricks[seat]), seat == int(s.maker)):
            why = " (set)"
        rise = -int(s.points[seat])
        told.append(f"{SEAT_NAMES[seat]} {f'{rise:+d}' if rise else '0'}{why}")
    return told
