"""Cards, suits, ranks and sets of cards.

A card id is ``6 * suit + rank``: suits C D H S are 0 to 3, ranks 9 T J Q K A are 0 to 5, the joker
is 24. Decks of 28 and 32 cards have eights, 25 to 28, and sevens, 29 to 32, of C D H S besides.
Text is rank then suit, ``9C TD JH``, and ``JOKER``.

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

Games with 28 or 32 cards have *wide* frames of their own, 5 + t for trump t and 9 without trump,
in the same order: 7 8 9 T J Q K A at bits 0 to 7 and 8 to 15, 7 8 9 T Q K A at 16 to 22 and 23 to
29, the bowers at 30 and 31; in frame 9 eight bits a suit. A deck of 28 leaves out the sevens.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ._check import is_int
from ._jit import njit

RANKS = "9TJQKA"
ALL_RANKS = RANKS + "87"
SUITS = "CDHS"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
NINE, TEN, JACK, QUEEN, KING, ACE, EIGHT, SEVEN = range(8)
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
JOKER = 24
N_CARDS = 25
"""Ids of the deck of 24 and the joker; eights and sevens come after them."""
N_LOW = 8
"""Cards below the nines, in the order of their ids: eights, then sevens."""
N_ALL_CARDS = N_CARDS + N_LOW
N_SUITS = 4
LOWEST_RANKS = (7, 8, 9)

NATURAL = 4
"""The frame without a trump suit: before one can be named, and under a no-trump call."""
NO_TRUMP = 4
"""The value of ``trump`` under a no-trump call; it is also the frame of such a hand."""
N_FRAMES = 5
"""Frames of the deck of 24 (or 25) cards; the wide frames follow them in every table."""
WIDE = 5
"""What is added to a frame to have the wide frame of the same suit."""
N_BITS = 32
"""Bits of a wide frame; the others have ``N_CARDS``."""
WIDE_DECK = 32
"""Length of a ``deck`` array of 28 or 32 cards; that of 24 or 25 has ``N_CARDS``."""
NEXT_SUIT, TRUMP_SUIT = 2, 3
"""Relative suits: the same-colour suit and the frame's own."""

ONE = np.int64(1)
JOKER_BIT = ONE << JOKER


class CardError(ValueError):
    """A text or number that is no card, or a set of cards that cannot be dealt."""


def same_colour(suit: int) -> int:
    """The other suit of the same colour: clubs and spades, diamonds and hearts."""
    return 3 - suit


def suit_of_card(card: int) -> int:
    """The printed suit of a card id; of the joker 4."""
    return card // 6 if card < N_CARDS else (card - N_CARDS) % N_SUITS


def rank_of_card(card: int) -> int:
    """The rank of a card id but the joker: NINE to ACE, EIGHT or SEVEN."""
    return card % 6 if card < N_CARDS else EIGHT + (card - N_CARDS) // N_SUITS


def _card(suit: int, rank: int) -> int:
    return 6 * suit + rank if rank <= ACE else N_CARDS + N_SUITS * (rank - EIGHT) + suit


def _relative_suits(frame: int) -> list[int]:
    if frame == NATURAL:
        return [0, 1, 2, 3]
    others = [s for s in range(4) if s not in (frame, same_colour(frame))]
    return [*others, same_colour(frame), frame]


def _cards_in_order(frame: int, low: tuple[int, ...]) -> list[int]:
    """Card ids of a frame from bit 0 upwards, ``low`` being the ranks below nine."""
    ranks = (*low, NINE, TEN, JACK, QUEEN, KING, ACE)
    joker = [] if low else [JOKER]
    if frame == NATURAL:
        return [_card(suit, rank) for suit in range(4) for rank in ranks] + joker
    first, second, same, trump = _relative_suits(frame)
    plain = [_card(suit, rank) for suit in (first, second) for rank in ranks]
    shorn = [_card(suit, rank) for suit in (same, trump) for rank in ranks if rank != JACK]
    return [*plain, *shorn, 6 * same + JACK, 6 * trump + JACK, *joker]


def _card_table() -> npt.NDArray[np.int8]:
    table = np.full((2 * N_FRAMES, N_BITS), -1, np.int8)
    for frame in range(N_FRAMES):
        table[frame, :N_CARDS] = _cards_in_order(frame, ())
        table[WIDE + frame] = _cards_in_order(frame, (SEVEN, EIGHT))
    return table


def _bit_table() -> npt.NDArray[np.int8]:
    table = np.full((2 * N_FRAMES, N_ALL_CARDS), -1, np.int8)
    for frame, cards in enumerate(CARD_AT.tolist()):
        for bit, card in enumerate(cards):
            if card >= 0:
                table[frame, card] = bit
    return table


CARD_AT: npt.NDArray[np.int8] = _card_table()
"""int8[10, 32]: the card id at each bit of each frame, -1 for a bit that is not used."""
BIT_OF: npt.NDArray[np.int8] = _bit_table()
"""int8[10, 33]: the bit of each card id in each frame, -1 for a card that the frame lacks."""
SUIT_AT: npt.NDArray[np.int8] = np.array([_relative_suits(f) for f in range(N_FRAMES)] * 2, np.int8)
"""int8[10, 4]: the suit that each relative suit stands for."""
RELATIVE_SUIT: npt.NDArray[np.int8] = np.argsort(SUIT_AT, axis=1).astype(np.int8)
"""int8[10, 4]: the relative suit of each suit."""
SUIT_OF_CARD: npt.NDArray[np.int8] = np.array(
    [suit_of_card(card) for card in range(N_ALL_CARDS)], np.int8
)
"""int8[33]: the printed suit of each card id; of the joker 4, the natural frame."""


def _cards_where(frame: int, keep: Iterable[int]) -> int:
    return sum(1 << int(BIT_OF[frame, card]) for card in keep if BIT_OF[frame, card] >= 0)


def _counts_as(frame: int, card: int) -> int:
    """The suit that a card counts as in a frame."""
    trump = frame % WIDE
    if trump == NATURAL:
        return suit_of_card(card)
    is_left = card == 6 * same_colour(trump) + JACK
    return trump if is_left or card == JOKER else suit_of_card(card)


EFFECTIVE_SUIT: npt.NDArray[np.int64] = np.array(
    [
        [
            _cards_where(f, [c for c in range(N_ALL_CARDS) if _counts_as(f, c) == suit])
            for suit in SUIT_AT[f].tolist()
        ]
        for f in range(2 * N_FRAMES)
    ],
    np.int64,
)
"""int64[10, 4]: the cards that count as each relative suit, bowers and joker among the trumps."""
TRUMPS: npt.NDArray[np.int64] = np.where(
    np.arange(2 * N_FRAMES) % WIDE == NATURAL, 0, EFFECTIVE_SUIT[:, TRUMP_SUIT]
)
"""int64[10]: all trumps of each frame; none in the natural frames."""


PRINTED_SUIT: npt.NDArray[np.int64] = np.array(
    [
        [_cards_where(f, [_card(suit, rank) for rank in range(8)]) for suit in SUIT_AT[f].tolist()]
        for f in range(2 * N_FRAMES)
    ],
    np.int64,
)
"""int64[10, 4]: the cards printed with each relative suit."""
OF_RANK: npt.NDArray[np.int64] = np.array(
    [
        [_cards_where(f, [_card(suit, rank) for suit in range(4)]) for rank in range(8)]
        for f in range(2 * N_FRAMES)
    ],
    np.int64,
)
"""int64[10, 8]: the four cards of each rank, NINE to ACE, EIGHT and SEVEN."""


def _suit_of_bit() -> npt.NDArray[np.int64]:
    table = np.zeros((2 * N_FRAMES, N_BITS), np.int64)
    for frame in range(2 * N_FRAMES):
        for suit in range(N_SUITS):
            for bit in range(N_BITS):
                if EFFECTIVE_SUIT[frame, suit] >> bit & 1:
                    table[frame, bit] = EFFECTIVE_SUIT[frame, suit]
    return table


SUIT_OF_BIT: npt.NDArray[np.int64] = _suit_of_bit()
"""int64[10, 32]: the effective suit, as a set, of the card at each bit."""


# --- frames ------------------------------------------------------------------------------------


@njit
def is_wide(frame):  # type: ignore[no-untyped-def]
    """Whether a frame is that of a deck of 28 or 32 cards."""
    return frame >= WIDE


@njit
def trump_of(frame):  # type: ignore[no-untyped-def]
    """The suit of a frame, which is NO_TRUMP (or NATURAL) where it has none."""
    return frame - WIDE if frame >= WIDE else frame


@njit
def frame_of(trump, like):  # type: ignore[no-untyped-def]
    """The frame of a suit, or of NO_TRUMP, for the same deck as the frame ``like``."""
    return trump + WIDE if like >= WIDE else trump


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


_WIDE_JACK = 4
"""Place of the jack among the eight cards of a suit of a wide frame."""


@njit
def _insert_jack(five):  # type: ignore[no-untyped-def]
    return (five & 0x03) | ((five & 0x1C) << 1)


@njit
def _drop_jack(six):  # type: ignore[no-untyped-def]
    return (six & 0x03) | ((six >> 1) & 0x1C)


@njit
def _to_wide_natural(cards, trump):  # type: ignore[no-untyped-def]
    if trump == NATURAL:
        return cards
    natural = (cards & 0xFF) << (8 * np.int64(SUIT_AT[trump, 0]))
    natural |= ((cards >> 8) & 0xFF) << (8 * np.int64(SUIT_AT[trump, 1]))
    for k, suit in ((0, 3 - trump), (1, trump)):
        seven = (cards >> (16 + 7 * k)) & 0x7F
        eight = (seven & 0x0F) | ((seven & 0x70) << 1) | (((cards >> (30 + k)) & 1) << _WIDE_JACK)
        natural |= eight << (8 * suit)
    return natural


@njit
def _from_wide_natural(cards, trump):  # type: ignore[no-untyped-def]
    if trump == NATURAL:
        return cards
    framed = (cards >> (8 * np.int64(SUIT_AT[trump, 0]))) & 0xFF
    framed |= ((cards >> (8 * np.int64(SUIT_AT[trump, 1]))) & 0xFF) << 8
    for k, suit in ((0, 3 - trump), (1, trump)):
        eight = (cards >> (8 * suit)) & 0xFF
        framed |= ((eight & 0x0F) | ((eight >> 1) & 0x70)) << (16 + 7 * k)
        framed |= ((eight >> _WIDE_JACK) & 1) << (30 + k)
    return framed


@njit
def to_natural(cards, frame):  # type: ignore[no-untyped-def]
    """The set ``cards`` of ``frame`` as a set of the natural frame (of the wide one, in 9)."""
    cards = np.int64(cards)
    if frame >= NATURAL:
        return cards if frame == NATURAL else _to_wide_natural(cards, np.int64(frame) - WIDE)
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
    """The set ``cards`` of the natural frame (9, for a wide one) as a set of ``frame``."""
    cards = np.int64(cards)
    if frame >= NATURAL:
        return cards if frame == NATURAL else _from_wide_natural(cards, np.int64(frame) - WIDE)
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


@njit
def split_low(cards, frame):  # type: ignore[no-untyped-def]
    """A set of a wide frame in two: nine and above in the frame of the deck of 24, and the rest.

    The rest is a set of eight: eights of the relative suits 0 to 3, then their sevens.
    """
    cards = np.int64(cards)
    natural = frame - WIDE == NATURAL
    high, low = ONE & 0, ONE & 0
    at, to = np.int64(0), np.int64(0)
    for suit in range(N_SUITS):
        held = 8 if natural or suit < NEXT_SUIT else 7
        part = (cards >> at) & ((ONE << held) - 1)
        low |= ((part >> 1) & 1) << suit | (part & 1) << (N_SUITS + suit)
        high |= (part >> 2) << to
        at += held
        to += held - 2
    if not natural:
        high |= (cards >> 30) << 22
    return high, low


@njit
def join_low(high, low, frame):  # type: ignore[no-untyped-def]
    """The set of a wide frame that :func:`split_low` has split."""
    high, low = np.int64(high), np.int64(low)
    natural = frame - WIDE == NATURAL
    cards = ONE & 0
    at, to = np.int64(0), np.int64(0)
    for suit in range(N_SUITS):
        held = 8 if natural or suit < NEXT_SUIT else 7
        part = ((high >> to) & ((ONE << (held - 2)) - 1)) << 2
        part |= ((low >> suit) & 1) << 1 | (low >> (N_SUITS + suit)) & 1
        cards |= part << at
        at += held
        to += held - 2
    if not natural:
        cards |= ((high >> 22) & 3) << 30
    return cards


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
    if len(name) != 2 or name[0] not in ALL_RANKS or name[1] not in SUITS:
        raise CardError(
            f"{text!r} is no card: write a rank of {' '.join(RANKS)} (8 or 7 in larger decks) and "
            f"a suit of {' '.join(SUITS)}, such as JH, or JOKER"
        )
    return _card(SUITS.index(name[1]), ALL_RANKS.index(name[0]))


def card_text(card: int) -> str:
    """The text of a card id, ``9C`` to ``AS``, ``JOKER``, and ``8C`` to ``7S``.

    Raises:
        CardError: ``card`` is not in 0 to 32.
    """
    if not 0 <= card < N_ALL_CARDS:
        raise CardError(
            f"{card} is no card id: ids run from 0 (9C) to 23 (AS), 24 is the joker, and 25 (8C) "
            "to 32 (7S) are the cards below nine"
        )
    return "JOKER" if card == JOKER else ALL_RANKS[rank_of_card(card)] + SUITS[suit_of_card(card)]


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
        raise CardError(f"{part!r} is no card: give a text such as JH, or an id from 0 to 32")
    card_text(int(part))
    return int(part)


def cards_of(cards: int, frame: int = NATURAL) -> list[int]:
    """Card ids of a set, in the order of its bits."""
    return [int(CARD_AT[frame, bit]) for bit in range(N_BITS) if int(cards) >> bit & 1]


def set_of(ids: Iterable[int], frame: int = NATURAL) -> int:
    """The set of some card ids as a bit mask of ``frame``."""
    return _cards_where(frame, ids)


def deck_cards(joker: bool = False, lowest_rank: int = 9) -> list[int]:
    """The ids of the cards that a deck has, in order."""
    low = N_SUITS * (9 - lowest_rank)
    return [*range(JOKER + joker), *range(N_CARDS, N_CARDS + low)]


def deck_length(lowest_rank: int) -> int:
    """The length of a ``deck`` array: 25, or 32 where there are cards below nine."""
    return N_CARDS if lowest_rank == LOWEST_RANKS[-1] else WIDE_DECK


def deck_of(
    cards: str | Iterable[str | int], joker: bool = False, lowest_rank: int = 9
) -> npt.NDArray[np.int8]:
    """A deck to deal from: int8[25] card ids, padded with -1 where there is no joker.

    The order is five cards of each seat from 0 to 3, the upcard, then the face-down kitty. A deck
    with eights, and sevens, is int8[32], padded likewise.

    Raises:
        CardError: another number of cards than the deck has, a card twice, or one that it lacks.
    """
    ids = card_ids(cards)
    if not joker and JOKER in ids:
        raise CardError(
            "the deck holds the JOKER, but the rule set has joker=False: set joker=True"
        )
    known = deck_cards(joker, lowest_rank)
    foreign = [card_text(i) for i in dict.fromkeys(ids) if i not in known]
    if foreign:
        raise CardError(
            f"the deck holds {', '.join(foreign)}, but the rule set has lowest_rank={lowest_rank}"
        )
    twice = sorted({i for i in ids if ids.count(i) > 1})
    if twice:
        raise CardError(f"the deck holds {', '.join(map(card_text, twice))} more than once")
    if len(ids) != len(known):
        missing = [card_text(i) for i in known if i not in ids]
        raise CardError(
            f"a deck has {len(known)} cards, this one has {len(ids)}: "
            f"missing {', '.join(missing) or 'none'}"
        )
    return np.array(ids + [-1] * (deck_length(lowest_rank) - len(ids)), np.int8)
