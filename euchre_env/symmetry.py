"""Suit and seat symmetries of the game: moving decks, records, actions and observations.

A permutation of the suits leaves the game the same exactly if it keeps the two colour pairs, since
the left bower is the jack of the other suit of the colour. There are eight. Once an upcard or a
trump suit is named, those remain that fix it: two, which differ by the swap of the two suits of the
other colour. The trump-relative frame has divided out all but this swap, which augments training
data at any moment (:func:`swap_other_suits_in_observation`); :class:`SuitOrder` divides it out as
well. Rotating the seats is a symmetry too; observations are relative to their seat, so they have
divided it out.

One choice of the rules is not symmetric: of equally low cards a weak hand swaps those of the
first suit by name.

A permutation of the suits is a sequence of four: suit ``s`` becomes ``suits[s]``.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ._jit import njit
from .cards import (
    BIT_OF,
    CARD_AT,
    JOKER,
    N_CARDS,
    N_SUITS,
    NATURAL,
    cards_of,
    same_colour,
    set_of,
)
from .rules import CALL, N_ACTIONS, N_SEATS, NOBODY, STATE, new_states

IntArray = npt.NDArray[np.int64]
Suits = Sequence[int] | npt.NDArray[Any]

_CARD_SETS = (
    *("kitty", "dummy", "buried", "passed", "spare"),
    *("upcard", "discard", "swapped", "led", "best"),
)
_SEAT_SETS = ("hand", "played", "void")
_SEATS = (
    "turn",
    "dealer",
    "maker",
    "loner",
    "lone_defender",
    "taker",
    "swapper",
    "passer",
    "offender",
    "winner",
    "next_dealer",
)
_SEAT_BITS = ("sitting_out", "alone_declined", "defence_declined")
_BY_TEAM = ("score", "points", "tricks", "games", "tokens")
_WINNERS = ("game_winner", "match_winner")

_SUIT_BLOCKS = frozenset({"trump", "led_suit", "void"})
"""Blocks of an observation whose last axis is the suit; one that ends in 25 holds cards."""


class Block(Protocol):
    """What is needed to know of a block of an observation (``encoding.Block``)."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def shape(self) -> tuple[int, ...]: ...  # noqa: D102
    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def size(self) -> int: ...  # noqa: D102


Layout = Mapping[str, Block]


# --- the permutations --------------------------------------------------------------------------


def keeps_colours(suits: Suits) -> bool:
    """Whether a permutation keeps the pairs of one colour, clubs with spades, diamonds, hearts."""
    return all(int(suits[same_colour(s)]) == same_colour(int(suits[s])) for s in range(N_SUITS))


SUIT_SYMMETRIES: npt.NDArray[np.int8] = np.array(
    [p for p in permutations(range(N_SUITS)) if keeps_colours(p)], np.int8
)
"""int8[8, 4]: the permutations of the suits that leave the game the same; the first is none."""


def suit_symmetries(*named: int) -> npt.NDArray[np.int8]:
    """The symmetries that remain once some suits are named, int8[n, 4].

    All eight without a name, two with one suit or with both of one colour, else one. Under a call
    of no trump name the upcard's suit only.
    """
    fixed = [p for p in SUIT_SYMMETRIES if all(p[s] == s for s in named)]
    return np.array(fixed, np.int8)


def other_suits_swap(suit: int) -> npt.NDArray[np.int8]:
    """The permutation that swaps the two suits of the other colour than ``suit``'s, int8[4]."""
    return suit_symmetries(suit)[1]


# --- cards, decks, actions, records ------------------------------------------------------------


def move_card(card: int, suits: Suits) -> int:
    """The card that a card id becomes; the joker stays."""
    return card if card == JOKER else 6 * int(suits[card // 6]) + card % 6


def move_frame(frame: int, suits: Suits) -> int:
    """The frame (or trump suit) that a frame becomes; none and no trump stay."""
    return frame if frame in (NOBODY, NATURAL) else int(suits[frame])


def move_set(cards: int, frame: int, suits: Suits) -> int:
    """A set of cards of ``frame`` after the permutation, as a set of ``move_frame(frame)``."""
    moved = (move_card(card, suits) for card in cards_of(cards, frame))
    return set_of(moved, move_frame(frame, suits))


def move_deck(deck: Iterable[int], suits: Suits) -> npt.NDArray[np.int8]:
    """A dealt deck (``cards.deck_of``) after the permutation, int8[25]."""
    return np.array([card if card < 0 else move_card(int(card), suits) for card in deck], np.int8)


def move_action(action: int, suits: Suits) -> int:
    """The absolute action id that one becomes."""
    return int(_moved_actions(_moved_cards(suits), suits)[action])


def move_state(s: Any, suits: Suits) -> Any:
    """A record after the permutation, in a new record."""
    new = _copy(s)
    old, frame = int(s.frame), move_frame(int(s.frame), suits)
    new.frame, new.trump = frame, move_frame(int(s.trump), suits)
    for name in _CARD_SETS:
        new[name] = move_set(int(s[name]), old, suits)
    for name in _SEAT_SETS:
        new[name] = [move_set(int(cards), old, suits) for cards in s[name]]
    for trick, seat in np.argwhere(s.plays >= 0):
        card = int(CARD_AT[old, s.plays[trick, seat]])
        new.plays[trick, seat] = BIT_OF[frame, move_card(card, suits)]
    return new


def _copy(s: Any) -> Any:
    new = new_states(1)
    new[0] = s
    return new[0]


# --- observations and masks --------------------------------------------------------------------


def observation_order(layout: Layout, suits: Suits) -> IntArray:
    """The permutation of an absolute observation: ``observation[order]`` is the moved game's.

    Args:
        layout: ``encoding.LAYOUT`` (or ``HIDDEN_LAYOUT``, for what critics see besides).
        suits: The permutation of the suits.
    """
    return _observation_order(layout, _moved_cards(suits), suits)


def mask_order(suits: Suits) -> IntArray:
    """The permutation of an absolute action mask: ``mask[order]`` is the moved game's."""
    return _inverse(_moved_actions(_moved_cards(suits), suits))


def _moved_cards(suits: Suits) -> IntArray:
    return np.array([move_card(card, suits) for card in range(N_CARDS)])


def _moved_actions(cards: IntArray, suits: Suits) -> IntArray:
    moved = np.arange(N_ACTIONS)
    moved[:N_CARDS] = cards
    moved[CALL : CALL + N_SUITS] = CALL + np.asarray(suits)
    return moved


def _observation_order(layout: Layout, cards: IntArray, suits: Suits) -> IntArray:
    order = np.arange(sum(block.size for block in layout.values()))
    for block in layout.values():
        width = block.shape[-1]
        moved = np.arange(width)
        if width == N_CARDS:
            moved[:] = cards
        elif block.name in _SUIT_BLOCKS:
            moved[:N_SUITS] = suits
        rows = order[block.start : block.start + block.size].reshape(-1, width)
        rows[:] = rows[:, _inverse(moved)]
    return order


def _inverse(moved: IntArray) -> IntArray:
    return np.argsort(moved)


# --- augmentation in the trump-relative frame --------------------------------------------------

_PLAIN = 6  # cards in a suit of the other colour
_SWAPPED_SUITS = (1, 0, 2, 3)
_SWAPPED_BITS = np.array([*range(6, 12), *range(6), *range(12, N_CARDS)])

SWAPPED_ACTIONS: IntArray = _moved_actions(_SWAPPED_BITS, _SWAPPED_SUITS)
"""int64[38]: each trump-relative action with the two suits of the other colour swapped.

It is its own inverse, so ``mask[..., SWAPPED_ACTIONS]`` swaps masks and policies as well.
"""


def swap_other_suits_in_observation(layout: Layout) -> IntArray:
    """The swap of the two suits of the other colour in trump-relative observations, an index.

    ``observation[..., index]`` is the observation of the same game under another name of the suits,
    with actions ``SWAPPED_ACTIONS[action]``, at any moment of a hand. Where no suit is named yet, a
    joker turned up, or under a call of no trump, suits stand by name and it may not be used: the
    record's ``frame`` is 4 then.
    """
    return _observation_order(layout, _SWAPPED_BITS, _SWAPPED_SUITS)


@njit
def _suit_key(row, hand, discard, buried, played):
    """Positive where the first suit of the other colour comes first, zero where both look alike.

    What the seat was dealt counts most, so the order stays the same for a whole hand; then what the
    other seats played.
    """
    key = np.int64(0)
    for rank in range(_PLAIN):
        for sign, card in ((1, rank), (-1, rank + _PLAIN)):
            own = row[hand + card] | row[played + card]
            own |= row[discard + card] | row[buried + card]
            key += sign * (np.int64(own) << (3 * _PLAIN + rank))
            for seat in range(1, N_SEATS):
                there = np.int64(row[played + seat * N_CARDS + card])
                key += sign * (there << ((N_SEATS - 1 - seat) * _PLAIN + rank))
    return key


@njit
def _exchange(row, pairs):
    for k in range(len(pairs)):
        i, j = pairs[k]
        row[i], row[j] = row[j], row[i]


@njit
def _put_in_order(observations, masks, hidden, pairs, mask_pairs, hidden_pairs, places, swapped):
    hand, discard, buried, played, trump, upcard = places
    for i in range(len(observations)):
        row = observations[i]
        unnamed = row[trump] + row[trump + 1] + row[trump + 2] + row[trump + 3] == 0
        by_name = row[trump + N_SUITS] != 0 or (unnamed and row[upcard + N_CARDS - 1] != 0)
        swapped[i] = not by_name and _suit_key(row, hand, discard, buried, played) < 0
        if swapped[i]:
            _exchange(row, pairs)
            _exchange(masks[i], mask_pairs)
            if len(hidden) > 0:
                _exchange(hidden[i], hidden_pairs)


def _pairs(order: IntArray) -> IntArray:
    """The exchanges of two places that make up a swap, int64[n, 2]."""
    return np.array([(i, j) for i, j in enumerate(order.tolist()) if i < j])


class SuitOrder:
    """Puts the two suits of the other colour in an order of their own, so that names do not count.

    Of two trump-relative observations that differ by the swap of these suits alone, both become the
    same one, so a network that reads ordered observations need not learn the symmetry. (Where the
    suits look alike so far, either order stays.)

    Args:
        layout: ``encoding.LAYOUT``.
        hidden_layout: ``encoding.HIDDEN_LAYOUT``.
    """

    def __init__(self, layout: Layout, hidden_layout: Layout) -> None:
        self._pairs = _pairs(swap_other_suits_in_observation(layout))
        self._mask_pairs = _pairs(SWAPPED_ACTIONS)
        self._hidden_pairs = _pairs(
            _observation_order(hidden_layout, _SWAPPED_BITS, _SWAPPED_SUITS)
        )
        names = ("hand", "own_discard", "own_buried", "played", "trump", "upcard")
        self._places = tuple(np.int64(layout[name].start) for name in names)

    def apply(
        self,
        observations: npt.NDArray[np.uint8],
        masks: npt.NDArray[np.int8],
        hidden: npt.NDArray[np.uint8] | None = None,
    ) -> npt.NDArray[np.bool_]:
        """Order observations, masks and what critics see, in place; needs no GIL.

        Args:
            observations: uint8[B, D], trump-relative, of seats that have to decide.
            masks: int8[B, 38], trump-relative.
            hidden: uint8[B, H], if it is of interest.

        Returns:
            bool[B], which rows were swapped; their actions become ``SWAPPED_ACTIONS[action]``.
        """
        swapped = np.zeros(len(observations), np.bool_)
        more = np.empty((0, 0), np.uint8) if hidden is None else hidden
        _put_in_order(
            *(observations, masks, more, self._pairs, self._mask_pairs, self._hidden_pairs),
            *(self._places, swapped),
        )
        return swapped


# --- seats -------------------------------------------------------------------------------------


def rotate_deck(deck: Sequence[int] | npt.NDArray[Any], steps: int) -> npt.NDArray[np.int8]:
    """A dealt deck in which every hand has moved ``steps`` seats to the left, int8[25]."""
    new = np.array(deck, np.int8)
    new[:20] = np.roll(new[:20], 5 * steps)
    return new


def rotate_state(s: Any, steps: int) -> Any:
    """A record of the partnership game, everybody ``steps`` seats further to the left, a new one.

    Teams, scores and games follow. Each seat's observation is that of the seat it came from.
    """
    new = _copy(s)
    for name in (*_SEAT_SETS, "plays"):
        new[name] = np.roll(s[name], steps, axis=-1)
    for name in _SEATS:
        new[name] = _rotated(int(s[name]), steps)
    new.leader = [_rotated(int(seat), steps) for seat in s.leader]
    for name in _SEAT_BITS:
        seats = [seat for seat in range(N_SEATS) if int(s[name]) >> seat & 1]
        new[name] = sum(1 << _rotated(seat, steps) for seat in seats)
    if steps % 2:
        _swap_teams(new)
    return new


def _rotated(seat: int, steps: int) -> int:
    return seat if seat == NOBODY else (seat + steps) % N_SEATS


def _swap_teams(s: Any) -> None:
    for name in _BY_TEAM:
        s[name][:2] = s[name][1::-1].copy()
    for name in _WINNERS:
        if s[name] >= 0:
            s[name] = 1 - s[name]


_UNMOVED = {"rng", "hands", "drawn", "phase", "passes", "place", "count", "trick", "thrown_in"}
_MOVED = {*_CARD_SETS, *_SEAT_SETS, *_SEATS, *_SEAT_BITS, *_BY_TEAM, *_WINNERS}
assert {*_UNMOVED, *_MOVED, "plays", "leader", "frame", "trump"} == set(STATE.names or ())
