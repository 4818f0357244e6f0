"""Cards, suits, ranks and sets of cards.

A card id is ``6 * suit + rank``: suits C D H S are 0 to 3, ranks 9 T J Q K A are 0 to 5, the joker
is 24. Text is rank then suit, ``9C TD JH``, and ``JOKER``.

A set of cards is a bit mask *in a frame*. Frame 4, the natural one, puts card ``i`` at bit ``i``.
Frame ``t`` (a trump suit, or the suit of the upcard while bidding) puts the cards in the order in
which they take tricks, so that neither bower needs a special case anywhere:

=========  ==============================================  ==============
bits       cards                                           relative suit
=========  ==============================================  ==============
0 to 5     9 T J Q K A of the first suit of other colour   0
6 to 11    9 T J Q K A of the second suit of other colour  1
12 to 16   9 T Q K A of the same-colour suit ("next")      2
17 to 21   9 T Q K A of the frame's suit                   3
22, 23     left bower, right bower                         3
24         joker (best bower)                              3
=========  ==============================================  ==============

In the natural frame the relative suit is the suit itself.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ._check import is_int
from ._jit import njit

RANKS = "9TJQKA"
SUITS = "CDHS"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
NINE, TEN, JACK, QUEEN, KING, ACE = range(6)
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
JOKER = 24
N_CARDS = 25
N_SUITS = 4

NATURAL = 4
"""The frame without a trump suit: before one can be named, and under a no-trump call."""
NO_TRUMP = 4
"""The value of ``trump`` under a no-trump call; it is also the frame of such a hand."""
N_FRAMES = 5
NEXT_SUIT, TRUMP_SUIT = 2, 3
"""Relative suits: the same-colour suit and the frame's own."""

ONE = np.int64(1)
JOKER_BIT = ONE << JOKER


class CardError(ValueError):
    """A text or number that is no card, or a set of cards that cannot be dealt."""


def same_colour(suit: int) -> int:
    """The other suit of the same colour: clubs and spades, diamonds and hearts."""
    return 3 - suit


def _relative_suits(frame: int) -> list[int]:
    if frame == NATURAL:
        return [0, 1, 2, 3]
    others = [s for s in range(4) if s not in (frame, same_colour(frame))]
    return [*others, same_colour(frame), frame]


def _cards_in_order(frame: int) -> list[int]:
    """Card ids of a frame from bit 0 upwards."""
    if frame == NATURAL:
        return list(range(N_CARDS))
    first, second, same, trump = _relative_suits(frame)
    plain = [6 * suit + rank for suit in (first, second) for rank in range(6)]
    no_jack = (NINE, TEN, QUEEN, KING, ACE)
    shorn = [6 * suit + rank for suit in (same, trump) for rank in no_jack]
    return [*plain, *shorn, 6 * same + JACK, 6 * trump + JACK, JOKER]


CARD_AT: npt.NDArray[np.int8] = np.array([_cards_in_order(f) for f in range(N_FRAMES)], np.int8)
"""int8[5, 25]: the card id at each bit of each frame."""
BIT_OF: npt.NDArray[np.int8] = np.argsort(CARD_AT, axis=1).astype(np.int8)
"""int8[5, 25]: the bit of each card id in each frame."""
SUIT_AT: npt.NDArray[np.int8] = np.array([_relative_suits(f) for f in range(N_FRAMES)], np.int8)
"""int8[5, 4]: the suit that each relative suit stands for."""
RELATIVE_SUIT: npt.NDArray[np.int8] = np.argsort(SUIT_AT, axis=1).astype(np.int8)
"""int8[5, 4]: the relative suit of each suit."""

_EFFECTIVE = ((0x3F, 0x3F << 6, 0x1F << 12, 0xFF << 17), (0x3F, 0x3F << 6, 0x3F << 12, 0x3F << 18))
EFFECTIVE_SUIT: npt.NDArray[np.int64] = np.array(
    [_EFFECTIVE[frame == NATURAL] for frame in range(N_FRAMES)], np.int64
)
"""int64[5, 4]: the cards that count as each relative suit, bowers and joker among the trumps."""
TRUMPS: npt.NDArray[np.int64] = np.where(np.arange(5) == NATURAL, 0, EFFECTIVE_SUIT[:, TRUMP_SUIT])
"""int64[5]: all trumps of each frame; none in the natural frame."""


def _cards_where(frame: int, keep: Iterable[int]) -> int:
    return sum(1 << int(BIT_OF[frame, card]) for card in keep)


PRINTED_SUIT: npt.NDArray[np.int64] = np.array(
    [
        [_cards_where(f, range(6 * suit, 6 * suit + 6)) for suit in SUIT_AT[f].tolist()]
        for f in range(N_FRAMES)
    ],
    np.int64,
)
"""int64[5, 4]: the six cards printed with each relative suit."""
OF_RANK: npt.NDArray[np.int64] = np.array(
    [[_cards_where(f, range(rank, 24, 6)) for rank in range(6)] for f in range(N_FRAMES)], np.int64
)
"""int64[5, 6]: the four cards of each rank."""


def _suit_of_bit() -> npt.NDArray[np.int64]:
    table = np.zeros((N_FRAMES, N_CARDS), np.int64)
    for frame in range(N_FRAMES):
        for suit in range(N_SUITS):
            for bit in range(N_CARDS):
                if EFFECTIVE_SUIT[frame, suit] >> bit & 1:
                    table[frame, bit] = EFFECTIVE_SUIT[frame, suit]
    return table


SUIT_OF_BIT: npt.NDArray[np.int64] = _suit_of_bit()
"""int64[5, 25]: the effective suit, as a set, of the card at each bit."""


@njit
def popcount(cards):  # type: ignore[no-untyped-def]
    """The number of cards in a set (up to 32 bits)."""
    x = cards - ((cards >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return ((x * 0x01010101) & 0xFFFFFFFF) >> 24


_DE_BRUIJN = 0x077CB531
_BIT_INDEX: npt.NDArray[np.int64] = np.zeros(32, np.int64)
for _k in range(32):
    _BIT_INDEX[((_DE_BRUIJN << _k) & 0xFFFFFFFF) >> 27] = _k


@njit
def lowest_bit(cards):  # type: ignore[no-untyped-def]
    """The index of the lowest card of a set that is not empty, by a de Bruijn sequence."""
    return _BIT_INDEX[(((cards & -cards) * _DE_BRUIJN) & 0xFFFFFFFF) >> 27]


@njit
def highest_card(cards):  # type: ignore[no-untyped-def]
    """The highest card of a set (up to 32 bits), as a set of one; an empty set stays empty."""
    cards |= cards >> 1
    cards |= cards >> 2
    cards |= cards >> 4
    cards |= cards >> 8
    cards |= cards >> 16
    return cards ^ (cards >> 1)


@njit
def _insert_jack(five):  # type: ignore[no-untyped-def]
    return (five & 0x03) | ((five & 0x1C) << 1)


@njit
def _drop_jack(six):  # type: ignore[no-untyped-def]
    return (six & 0x03) | ((six >> 1) & 0x1C)


@njit
def to_natural(cards, frame):  # type: ignore[no-untyped-def]
    """The set ``cards`` of ``frame`` as a set of the natural frame."""
    cards = np.int64(cards)
    if frame == NATURAL:
        return cards
    frame = np.int64(frame)
    same = 3 - frame
    natural = cards & JOKER_BIT
    natural |= (cards & 0x3F) << (6 * np.int64(SUIT_AT[frame, 0]))
    natural |= ((cards >> 6) & 0x3F) << (6 * np.int64(SUIT_AT[frame, 1]))
    natural |= (_insert_jack((cards >> 12) & 0x1F) | (((cards >> 22) & 1) << JACK)) << (6 * same)
    natural |= (_insert_jack((cards >> 17) & 0x1F) | (((cards >> 23) & 1) << JACK)) << (6 * frame)
    return natural


@njit
def from_natural(cards, frame):  # type: ignore[no-untyped-def]
    """The set ``cards`` of the natural frame as a set of ``frame``."""
    cards = np.int64(cards)
    if frame == NATURAL:
        return cards
    frame = np.int64(frame)
    same_suit = (cards >> (6 * (3 - frame))) & 0x3F
    trump_suit = (cards >> (6 * frame)) & 0x3F
    framed = cards & JOKER_BIT
    framed |= (cards >> (6 * np.int64(SUIT_AT[frame, 0]))) & 0x3F
    framed |= ((cards >> (6 * np.int64(SUIT_AT[frame, 1]))) & 0x3F) << 6
    framed |= _drop_jack(same_suit) << 12
    framed |= _drop_jack(trump_suit) << 17
    framed |= ((same_suit >> JACK) & 1) << 22
    framed |= ((trump_suit >> JACK) & 1) << 23
    return framed


_SYMBOLS = str.maketrans(
    {"♣": "C", "♦": "D", "♥": "H", "♠": "S", "♧": "C", "♢": "D", "♡": "H", "♤": "S"}
)


def card_id(text: str) -> int:
    """The id of a card written as ``JH``, ``jh``, ``10H``, ``J♥`` or ``JOKER``.

    Raises:
        CardError: ``text`` names no card of the deck.
    """
    name = str(text).strip().translate(_SYMBOLS).upper().replace("10", "T")
    if name == "JOKER":
        return JOKER
    if len(name) != 2 or name[0] not in RANKS or name[1] not in SUITS:
        raise CardError(
            f"{text!r} is no card: write a rank of {' '.join(RANKS)} and a suit of "
            f"{' '.join(SUITS)}, such as JH, or JOKER"
        )
    return 6 * SUITS.index(name[1]) + RANKS.index(name[0])


def card_text(card: int) -> str:
    """The text of a card id, ``9C`` to ``AS`` and ``JOKER``.

    Raises:
        CardError: ``card`` is not in 0 to 24.
    """
    if not 0 <= card < N_CARDS:
        raise CardError(
            f"{card} is no card id: ids run from 0 (9C) to 23 (AS), and 24 is the joker"
        )
    return "JOKER" if card == JOKER else RANKS[card % 6] + SUITS[card // 6]


def card_ids(text: str | Iterable[str | int]) -> list[int]:
    """Card ids of a text such as ``"9C TD, JH"`` or of a sequence of texts or ids.

    Raises:
        CardError: a part is no card.
    """
    parts = text.replace(",", " ").split() if isinstance(text, str) else list(text)
    return [_one_id(part) for part in parts]


def _one_id(part: str | int) -> int:
    if isinstance(part, str):
        return card_id(part)
    if not is_int(part):
        raise CardError(f"{part!r} is no card: give a text such as JH, or an id from 0 to 24")
    card_text(int(part))
    return int(part)


def cards_of(cards: int, frame: int = NATURAL) -> list[int]:
    """Card ids of a set, in the order of its bits."""
    return [int(CARD_AT[frame, bit]) for bit in range(N_CARDS) if int(cards) >> bit & 1]


def set_of(ids: Iterable[int], frame: int = NATURAL) -> int:
    """The set of some card ids as a bit mask of ``frame``."""
    return _cards_where(frame, ids)


def deck_of(cards: str | Iterable[str | int], joker: bool = False) -> npt.NDArray[np.int8]:
    """A deck to deal from: int8[25] card ids, padded with -1 where there is no joker.

    The order is five cards of each seat from 0 to 3, the upcard, then the face-down kitty.

    Raises:
        CardError: not 24 cards (25 with the joker), a card twice, or a joker without the option.
    """
    ids = card_ids(cards)
    if not joker and JOKER in ids:
        raise CardError(
            "the deck holds the JOKER, but the rule set has joker=False: set joker=True"
        )
    twice = sorted({i for i in ids if ids.count(i) > 1})
    if twice:
        raise CardError(f"the deck holds {', '.join(map(card_text, twice))} more than once")
    size = 24 + joker
    if len(ids) != size:
        missing = [card_text(i) for i in range(size) if i not in ids]
        raise CardError(
            f"a deck has {size} cards, this one has {len(ids)}: "
            f"missing {', '.join(missing) or 'none'}"
        )
    return np.array(ids + [-1] * (N_CARDS - size), np.int8)
