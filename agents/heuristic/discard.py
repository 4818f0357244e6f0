"""What is laid away, passed to a lone partner, and thrown on a trick that cannot be won."""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from euchre_env._jit import njit
from euchre_env.cards import TRUMPS, highest_card, lowest_bit, popcount

from .hands import RANK, suit_of
from .tables import KEEP_AS_DEALER, KEEP_RUFFING, KEEP_VALUE, KEEP_WITHOUT_TRUMPS, TRUMP_KEEP


@njit
def _worth_keeping(hand, card, frame, when):
    """How gladly a card is kept: trumps most, then by rank and by the length of its suit."""
    bit = lowest_bit(card)
    rank = RANK[frame, bit]
    if TRUMPS[frame] & card != 0:
        return TRUMP_KEEP + rank
    length = popcount(hand & suit_of(card, frame))
    return KEEP_VALUE[when, min(length, np.int64(3)) - 1, rank]


@njit
def least_kept(hand, allowed, frame, when):
    """The allowed card that is kept least gladly, as a set of one."""
    found, least = allowed & -allowed, np.int64(1 << 30)
    while allowed != 0:
        card = allowed & -allowed
        worth = _worth_keeping(hand, card, frame, when)
        if worth < least:
            found, least = card, worth
        allowed ^= card
    return found


@njit
def most_kept(hand, allowed, frame, when):
    """The allowed card that is kept most gladly, as a set of one."""
    found, most = allowed & -allowed, np.int64(-(1 << 30))
    while allowed != 0:
        card = allowed & -allowed
        worth = _worth_keeping(hand, card, frame, when)
        if worth > most:
            found, most = card, worth
        allowed ^= card
    return found


@njit
def lay_away(hand, allowed, frame):
    """The card to bury after picking up, as a set: make a void, keep trumps, aces, guarded kings.

    Published guides: discard the lone low card of a side suit, so that the next lead of it can be
    ruffed.
    """
    return least_kept(hand, allowed, frame, KEEP_AS_DEALER)


@njit
def best_to_pass(hand, frame):
    """The card to pass to a lone partner, as a set: the highest trump, else the highest rank.

    Of equal ranks the one of the shorter suit: the others hold more of it, and seldom ruff it.
    """
    if hand & TRUMPS[frame] != 0:
        return highest_card(hand & TRUMPS[frame])
    found, most = hand & -hand, np.int64(-1)
    rest = hand
    while rest != 0:
        card = rest & -rest
        length = popcount(hand & suit_of(card, frame))
        worth = 8 * RANK[frame, lowest_bit(card)] - length
        if worth > most:
            found, most = card, worth
        rest ^= card
    return found


@njit
def with_upcard(hand, upcard, frame, may_bury):
    """The five cards that the taker of the upcard will play."""
    six = hand | upcard
    allowed = six if may_bury else hand
    return six & ~lay_away(six, allowed, frame)


@njit
def throw_off(s, hand, allowed):
    """The card to lose on a trick, as a set: the lowest side card, a lone one if trumps are left.

    Published guides: never spend a trump or a winner on a trick that is lost or that partner wins;
    a void is worth having while there are trumps to ruff with.
    """
    frame = s.frame
    when = KEEP_RUFFING if hand & TRUMPS[frame] != 0 else KEEP_WITHOUT_TRUMPS
    return least_kept(hand, allowed, frame, when)
