"""What a seat may know of a hand: its own cards and the public record, as sets of cards.

Everything here works on full records and on cleared ones alike and gives the same answers on both:
only the hand of the seat to act, its own discard and swap, and public fields are read.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from euchre_env._jit import njit
from euchre_env.cards import (
    CARD_AT,
    EFFECTIVE_SUIT,
    JOKER_BIT,
    N_CARDS,
    N_FRAMES,
    N_SUITS,
    ONE,
    TRUMPS,
)
from euchre_env.rules import (
    NAME_TRUMP,
    NOBODY,
    OUT_OF_PLAY,
    TURNED_DOWN,
    is_out,
    left,
    partner,
)
from euchre_env.ruleset import JOKER_NAMES_BLIND

ALL_CARDS = (ONE << N_CARDS) - 1


def _neighbours(frame: int, distance: int) -> int:
    """The cards that have a card of their own suit ``distance`` places above them."""
    suits = [int(suit) for suit in EFFECTIVE_SUIT[frame]]
    return sum(suit & (suit >> distance) for suit in suits)


_SAME_SUIT: npt.NDArray[np.int64] = np.array(
    [[_neighbours(frame, distance) for distance in (1, 2, 4)] for frame in range(N_FRAMES)],
    np.int64,
)
RANK: npt.NDArray[np.int64] = np.array(
    [
        [
            10 + bit - 17 if int(TRUMPS[frame]) >> bit & 1 else int(CARD_AT[frame, bit]) % 6
            for bit in range(N_CARDS)
        ]
        for frame in range(N_FRAMES)
    ],
    np.int64,
)
"""int64[5, 25]: side cards 0 (nine) to 5 (ace), trumps 10 (nine) to 17 (joker)."""


@njit
def lowest_card(cards):
    """The lowest card of a set that is not empty, as a set of one."""
    return cards & -cards


@njit
def below(cards, frame):
    """The cards that are at or under one of ``cards`` in its suit."""
    cards |= (cards >> 1) & _SAME_SUIT[frame, 0]
    cards |= (cards >> 2) & _SAME_SUIT[frame, 1]
    return cards | ((cards >> 4) & _SAME_SUIT[frame, 2])


@njit
def own_hand(s, r):
    """The hand of the seat to act; nothing while it names trump blind."""
    if s.phase == NAME_TRUMP and r.joker_upcard == JOKER_NAMES_BLIND:
        return np.int64(0)
    return np.int64(s.hand[s.turn])


@njit
def dead_cards(s, r):
    """The cards, its own hand apart, of which the seat to act knows that no seat holds them."""
    cards = np.int64(s.played[0] | s.played[1] | s.played[2] | s.played[3])
    if s.taker == s.turn:
        cards |= np.int64(s.discard)
    if s.passer != NOBODY and s.loner == s.turn:
        cards |= np.int64(s.buried)
    if s.swapper == s.turn or r.swap3_shown != 0:
        cards |= np.int64(s.swapped)
    if s.place == TURNED_DOWN or s.place == OUT_OF_PLAY:
        cards |= np.int64(s.upcard)
    return cards if r.joker != 0 else cards | JOKER_BIT


@njit
def unseen_cards(s, r):
    """The cards that another seat may hold, for all that the seat to act knows."""
    return ALL_CARDS & ~(dead_cards(s, r) | own_hand(s, r))


@njit
def bosses(hand, unseen, frame):
    """The cards of a hand above which no card of their suit is unseen."""
    return hand & ~below(unseen, frame)


@njit
def suit_of(card, frame):
    """The effective suit of a card, both as sets."""
    for k in range(N_SUITS - 1):
        if card & EFFECTIVE_SUIT[frame, k] != 0:
            return EFFECTIVE_SUIT[frame, k]
    return EFFECTIVE_SUIT[frame, N_SUITS - 1]


@njit
def lacks(s, seat, suit):
    """Whether a seat has shown that it cannot follow a suit, or sits out."""
    return is_out(s, seat) or np.int64(s.void[seat]) & suit != 0


@njit
def foes_may_hold(s, cards, suit):
    """Whether an opponent of the seat to act may hold one of ``cards``, all of one suit."""
    if cards == 0:
        return False
    return not (lacks(s, left(s.turn), suit) and lacks(s, (s.turn + 3) & 3, suit))


@njit
def partner_plays(s):
    """Whether the partner of the seat to act takes part in the hand."""
    return not is_out(s, partner(s.turn))
