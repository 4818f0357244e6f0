"""Why the hand-written player acts as it does, in words: a line for each act.

:func:`reason` asks the player for its verdict and puts the principle behind it into words, with
what the seat to act knows. No principle is stated here a second time. An act that the player would
not choose is described by what the record shows.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from euchre_env import rules
from euchre_env.actions import FROM_ABSOLUTE, TO_ABSOLUTE
from euchre_env.cards import (
    ACE,
    EFFECTIVE_SUIT,
    JOKER,
    JOKER_BIT,
    NEXT_SUIT,
    NO_TRUMP,
    OF_RANK,
    SUIT_AT,
    SUIT_NAMES,
    TRUMPS,
    card_text,
    cards_of,
    from_natural,
    to_natural,
)
from euchre_env.rules import (
    ALONE,
    BID1,
    CALL,
    CALL_BEST,
    CALL_NO_TRUMP,
    DISCARD,
    LAY_AWAY,
    NAME_TRUMP,
    ORDER_UP,
    PASS,
    PASS_CARD,
    PLAY,
)

from . import principles as p
from .bids import hand_to_play, strength_of_call
from .hands import bosses, own_hand, unseen_cards
from .play import LEFT, RIGHT, is_last, partner_wins, winning_cards
from .player import decide

__all__ = ["advised", "reason"]

COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven")

_Words = Callable[[Any, Any, int], str]
"""Words for an act from the record, the rule record and the act's id in the record's frame."""


def reason(s: Any, r: Any, action: int) -> str:
    """Why the hand-written player would do this, in a few words and without a full stop.

    Args:
        s: A record that waits for a decision, full or cleared for the seat to act: the answer is
            the same.
        r: The rule record.
        action: The absolute id of a legal action. One that the player would not choose is described
            instead, by what the seat to act sees.
    """
    framed = int(FROM_ABSOLUTE[s.frame, action])
    verdict = decide(s, r)
    if int(p.act_of(verdict)) != framed:
        return _described(s, r, framed)
    name = p.PRINCIPLES[int(p.principle_of(verdict))]
    words = _WORDS[name]
    return words if isinstance(words, str) else words(s, r, framed)


def advised(s: Any, r: Any) -> tuple[int, str]:
    """What the hand-written player would do, an absolute action id, and why.

    Args:
        s: A record that waits for a decision, full or cleared for the seat to act.
        r: The rule record.
    """
    framed = int(p.act_of(decide(s, r)))
    action = int(TO_ABSOLUTE[s.frame, framed])
    return action, reason(s, r, action)


# --- words for cards ---------------------------------------------------------------------------


def _count(cards: int) -> int:
    return int(cards).bit_count()


def _a(suit: int) -> str:
    """One card of a suit: ``heart``."""
    return SUIT_NAMES[suit].removesuffix("s")


def _suit(s: Any, bit: int) -> str:
    """The suit that a card counts as: ``hearts``, ``trumps``."""
    if int(TRUMPS[s.frame]) >> bit & 1:
        return "trumps"
    return SUIT_NAMES[int(rules.effective_suit(np.int64(bit), np.int64(s.frame)))]


def _one(s: Any, bit: int) -> str:
    """A card by its suit: ``heart``, ``trump``, or ``joker`` where there is no trump."""
    if bit == JOKER and s.frame == NO_TRUMP:
        return "joker"
    return _suit(s, bit).removesuffix("s")


def _upcard(s: Any) -> str:
    return card_text(int(cards_of(s.upcard, int(s.frame))[0]))


def _listed(words: list[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def holding(hand: int, frame: int) -> str:
    """What counts in a hand: ``three trumps with the right bower, one ace besides and a void``.

    Args:
        hand: Cards, as a set of ``frame``.
        frame: The trump suit, or NO_TRUMP.
    """
    aces = _count(hand & int(OF_RANK[frame][ACE]) & ~int(TRUMPS[frame]))
    if frame == NO_TRUMP:
        return f"{COUNTS[aces]} ace{'s' * (aces != 1)}"
    trumps = hand & int(TRUMPS[frame])
    number = _count(trumps)
    words = [f"{COUNTS[number]} trump{'s' * (number != 1)}{_top(trumps)}"]
    if aces:
        words.append(f"{COUNTS[aces]} ace{'s' * (aces != 1)} besides")
    voids = sum(hand & int(EFFECTIVE_SUIT[frame, k]) == 0 for k in range(3))
    if voids and number:
        words.append("a void" if voids == 1 else f"{COUNTS[voids]} voids")
    return _listed(words)


def _top(trumps: int) -> str:
    """The highest of some trumps where it says something."""
    titles = {"joker": JOKER_BIT, "right bower": RIGHT, "left bower": LEFT}
    high = [f"the {title}" for title, bit in titles.items() if trumps & int(bit)]
    if high[-2:] == ["the right bower", "the left bower"]:
        high[-2:] = ["both bowers"]
    return f" with {_listed(high)}" if high else ""


# --- calls -------------------------------------------------------------------------------------


def _played_hand(s: Any, r: Any, call: int) -> str:
    """The holding of the seat to act if it makes a call."""
    trump = _trump_of(s, call)
    hand = to_natural(hand_to_play(s, r), np.int64(s.frame))
    return holding(int(from_natural(hand, np.int64(trump))), trump)


def _trump_of(s: Any, call: int) -> int:
    if call == CALL_NO_TRUMP:
        return NO_TRUMP
    return int(s.frame if call == ORDER_UP else SUIT_AT[s.frame, call - CALL])


def _suit_called(s: Any, call: int) -> str:
    """The suit of a call, and whether it is next."""
    if call == CALL_NO_TRUMP:
        return "no trump"
    is_next = s.phase != NAME_TRUMP and call == CALL + NEXT_SUIT
    return SUIT_NAMES[_trump_of(s, call)] + (", the next suit" if is_next else "")


def _where_upcard_goes(s: Any) -> str:
    if s.turn == s.dealer:
        return f"the {_upcard(s)} taken up"
    if s.turn == rules.partner(s.dealer):
        return f"and its partner takes the {_upcard(s)}"
    return f"and the other side takes the {_upcard(s)}"


def _hand_for_order(s: Any, r: Any) -> str:
    return f"{_played_hand(s, r, ORDER_UP)}, {_where_upcard_goes(s)}"


def _strong_enough(s: Any, r: Any, action: int) -> str:
    if s.phase == BID1:
        return f"strong enough: {_hand_for_order(s, r)}"
    return f"strong enough in {_suit_called(s, action)}: {_played_hand(s, r, action)}"


def _too_weak(s: Any, r: Any, action: int) -> str:
    if s.phase == BID1:
        return f"too weak: {_hand_for_order(s, r)}"
    best = _best_call(s, r)
    return f"too weak: at best {_suit_called(s, best)}, with {_played_hand(s, r, best)}"


def _best_call(s: Any, r: Any) -> int:
    """The legal call of round 2 in which the hand is strongest."""
    legal = int(rules.legal(s, r))
    calls = [a for a in range(CALL, CALL_NO_TRUMP + 1) if legal >> a & 1] or [CALL + NEXT_SUIT]
    return max(calls, key=lambda call: int(strength_of_call(s, r, np.int64(call))))


def _best_when_stuck(s: Any, r: Any, action: int) -> str:
    if int(own_hand(s, r)) == 0:
        return "has to name a suit before it sees its hand"
    hand = _played_hand(s, r, action)
    return f"has to call, and is strongest in {_suit_called(s, action)}: {hand}"


def _counted(s: Any, r: Any, action: int) -> str:
    return f"a call by the usual count from any seat: {_hand_for_order(s, r)}"


def _no_natural(s: Any, r: Any, action: int) -> str:
    return f"holds no {_a(int(s.frame))}, so this table does not let it call"


def _maker_hand(s: Any, r: Any) -> str:
    return holding(int(hand_to_play(s, r)), int(s.frame))


def _alone(s: Any, r: Any, action: int) -> str:
    return f"strong enough without its partner: {_maker_hand(s, r)}"


def _not_alone(s: Any, r: Any, action: int) -> str:
    return f"may need its partner for five tricks: {_maker_hand(s, r)}"


def _not_five(s: Any, r: Any, action: int) -> str:
    return f"the other side's {_upcard(s)} beats its highest trump, so not all five tricks are its"


# --- cards -------------------------------------------------------------------------------------


def _forced(s: Any, r: Any, action: int) -> str:
    if _count(s.hand[s.turn]) == 1:
        return "its last card"
    return f"its only {_one(s, action)}: it has to follow suit"


def _laid_away(s: Any, r: Any, action: int) -> str:
    hand, frame = int(s.hand[s.turn]), int(s.frame)
    if int(TRUMPS[frame]) >> action & 1:
        return "nothing but trumps: the lowest goes"
    if _makes_void(s, action) and hand & int(TRUMPS[frame]):
        return f"makes a void: {_suit(s, action)} can be ruffed now"
    return "the side card that it can best do without"


def _makes_void(s: Any, bit: int) -> bool:
    """Whether a card is the only one of its suit in the hand of the seat to act."""
    suits = (int(EFFECTIVE_SUIT[s.frame, k]) for k in range(4))
    return any(suit >> bit & 1 and int(s.hand[s.turn]) & suit == 1 << bit for suit in suits)


def _is_trump(s: Any, action: int) -> bool:
    return bool(int(TRUMPS[s.frame]) >> action & 1)


def _is_boss(s: Any, r: Any, action: int) -> bool:
    hand, frame = np.int64(s.hand[s.turn]), np.int64(s.frame)
    return bool(int(bosses(hand, unseen_cards(s, r), frame)) >> action & 1)


def _run(s: Any, r: Any, action: int) -> str:
    what = "its trumps" if _is_trump(s, action) else "its winners"
    return f"alone: runs {what} from the top, so that the others have to throw cards away"


def _draw(s: Any, r: Any, action: int) -> str:
    if _is_boss(s, r, action):
        return "called, and draws trumps from the top with the highest left"
    if s.trick == rules.N_TRICKS - 2:
        return "needs both last tricks, so the higher trump goes first"
    return "called, and draws trumps with a middle one"


def _cash(s: Any, r: Any, action: int) -> str:
    return f"cashes the highest {_one(s, action)} left, which nobody is known to ruff"


def _lead_low(s: Any, r: Any, action: int) -> str:
    if _is_trump(s, action):
        return "only trumps are left"
    return "has no winner to cash: leads a card that it can spare"


def _pass_best(s: Any, r: Any, action: int) -> str:
    if _is_trump(s, action):
        return "its highest trump is worth most to its partner"
    return "holds no trump: its highest card is worth most to its partner"


def _with_boss(s: Any, r: Any, action: int) -> str:
    return f"the highest {_one(s, action)} left"


def _off(why: str) -> _Words:
    """Words for a card thrown on a trick that is not taken, and why it is not."""

    def words(s: Any, r: Any, action: int) -> str:
        follows = int(s.led) >> action & 1
        card = f"a low {_one(s, action)}" if follows else f"throws off a {_one(s, action)}"
        return f"{why}: {card}"

    return words


# --- what the player would not do --------------------------------------------------------------


def _described(s: Any, r: Any, action: int) -> str:
    """What the record shows of an act, without a judgement."""
    if s.phase == PLAY:
        return _lead_seen(s, r, action) if s.count == 0 else _follow_seen(s, r, action)
    if s.phase == PASS_CARD:
        return f"passes a {_one(s, action)}"
    if s.phase == DISCARD or s.phase == LAY_AWAY:
        void = _makes_void(s, action)
        return f"{'its only' if void else 'one of its'} {_suit(s, action)[: -1 if void else None]}"
    if action == PASS:
        return (
            f"passes with {_played_hand(s, r, ORDER_UP if s.phase == BID1 else _best_call(s, r))}"
        )
    if CALL <= action <= CALL_NO_TRUMP and int(own_hand(s, r)):
        return f"with {_played_hand(s, r, action)}"
    if action == ORDER_UP:
        return f"with {_hand_for_order(s, r)}"
    if action in (ALONE, rules.WITH_PARTNER):
        return f"with {_maker_hand(s, r)}"
    if s.phase == CALL_BEST:
        return _SEEN_FOR_BEST[action]
    return _SEEN.get(action, "names a suit unseen")


_SEEN = {
    rules.DEFEND_ALONE: "takes the defence on itself",
    rules.DEFEND_TOGETHER: "leaves the defence to both",
    rules.CLAIM: "gives the hand up",
    rules.KEEP: "keeps the hand",
}
_SEEN_FOR_BEST = {
    rules.CLAIM: "asks for a card of its partner",
    rules.KEEP: "keeps its own five cards",
}


def _lead_seen(s: Any, r: Any, action: int) -> str:
    if _is_boss(s, r, action):
        return f"leads the highest {_one(s, action)} left"
    if _is_trump(s, action):
        return "leads a trump"
    return f"leads a {_one(s, action)} that can be beaten"


def _follow_seen(s: Any, r: Any, action: int) -> str:
    follows = int(s.led) >> action & 1
    if rules.is_renege(np.int64(s.hand[s.turn]), np.int64(1 << action), np.int64(s.led)):
        return "does not follow suit though it could"
    if not int(winning_cards(s, np.int64(1 << action))):
        return f"follows with a {_one(s, action)}" if follows else f"throws off a {_one(s, action)}"
    taken = "takes the trick" if is_last(s) else "goes over what is there"
    verb = taken if follows else "ruffs"
    return f"{verb}{', over its partner' if partner_wins(s) else ''}"


# --- the words of each principle ---------------------------------------------------------------

_WORDS: dict[str, str | _Words] = {
    "forced": _forced,
    "strong_enough": _strong_enough,
    "counted_outright": _counted,
    "donation": "a donation: a euchre costs less than the dealer's lone hand would",
    "canadian_loner": lambda s, r, a: f"strong enough to play it alone: {_hand_for_order(s, r)}",
    "too_weak": _too_weak,
    "too_weak_for_canadian_loner": (
        lambda s, r, a: f"too weak to play it alone: {_hand_for_order(s, r)}"
    ),
    "not_allowed_to_order": _no_natural,
    "best_suit_when_stuck": _best_when_stuck,
    "alone_strong_enough": _alone,
    "alone_too_weak": _not_alone,
    "alone_gains_nothing": "alone would add nothing at this score",
    "alone_cannot_take_five": _not_five,
    "defence_safe": "has three safe tricks by itself",
    "defence_unsafe": "has no three safe tricks by itself",
    "hand_worthless": "no suit would be worth a call",
    "hand_worth_a_call": "worth a call in some suit",
    "laid_away": _laid_away,
    "call_for_best": "no card of its partner can harm: it may lay that one away",
    "pass_best": _pass_best,
    "run_from_the_top": _run,
    "boss_trump_late": "the highest trump left goes before the rest",
    "draw_trumps": _draw,
    "lead_trump_to_partner": "its partner called: leads trumps to help draw them",
    "save_winner_from_ruff": "long in trumps: draws some, lest its winner be ruffed",
    "cash_side_winner": _cash,
    "lead_low": _lead_low,
    "over_partner": "its partner's card may be beaten, this one cannot in its suit",
    "ruff_before_loner": "ruffs before the lone hand plays: one trick stops the march",
    "ruff_to_save_winner": "ruffs, since it could only throw a winner away",
    "win_as_last": "last to play: wins as cheaply as it can",
    "ruff_low": "ruffs with its lowest trump that wins",
    "ruff_with_the_left": "ruffs with the left bower while it wins a trick",
    "win_with_boss": _with_boss,
    "keep_boss_trump": "second to play: a lower trump wins so far, the highest wins later",
    "third_hand_high": "third to play: high, so that the last hand has to beat it",
    "nothing_wins": _off("cannot win the trick"),
    "partner_wins": _off("its partner has the trick"),
    "guard_the_left": _off("keeps the guard of its left bower"),
    "save_boss_trump": _off("saves the highest trump for a later trick"),
    "second_hand_low": _off("second to play, it leaves the trick to its partner"),
}
"""What to say for each principle: words, or what makes them."""
