"""Exact odds of a random hand of five, counted over every one of them.

Nothing is computed by formula: all hands that five cards of the deck can make are listed, and what
counts as a trump or a bower is read off the engine's own sets of cards. Trump is fixed before the
deal and independent of it, so the odds hold before the upcard is seen.
"""

from __future__ import annotations

import operator
import re
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .cards import JACK, JOKER, N_CARDS, OF_RANK, RANKS, SPADES, TRUMPS

__all__ = ["Odds", "OddsError", "odds"]

_HAND = 5
_FRAME = SPADES  # by symmetry, any trump suit gives the same odds
_RANK_NAMES = ("nine", "ten", "jack", "queen", "king", "ace")
_COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_COUNTED: dict[str, int] = {
    "trumps": int(TRUMPS[_FRAME]),
    "bowers": int(TRUMPS[_FRAME] & OF_RANK[_FRAME, JACK]),
    **{f"{name}s": int(OF_RANK[_FRAME, rank]) for rank, name in enumerate(_RANK_NAMES)},
}
"""What can be counted in a hand, as sets of cards."""
_COUNT = re.compile(r"\s*(\w+)\s*(==|!=|<=|>=|<|>)\s*(\d)\s*")
_UPCARD = re.compile(r"\s*upcard is an? (\w+)\s*")


class OddsError(ValueError):
    """A text that names no event."""


class Odds(NamedTuple):
    """How many of the equally likely deals have the event, and of how many; not reduced."""

    numerator: int
    denominator: int

    @property
    def percent(self) -> float:
        """The chance in percent."""
        return 100 * self.numerator / self.denominator


@cache
def _hands(size: int) -> npt.NDArray[np.int64]:
    """All hands of a deck of ``size`` cards, as bits: int64[hands, 5]."""
    return np.array(list(combinations(range(size), _HAND)), np.int64)


def odds(event: str, joker: bool = False) -> Odds:
    """The exact odds of an event.

    Args:
        event: A count of cards in a hand (``trumps==0``, ``bowers>=1``, ``aces<2``) or a rank
            turned up (``upcard is a jack``).
        joker: Whether the deck has the joker.

    Raises:
        OddsError: ``event`` is neither.
    """
    size = N_CARDS if joker else JOKER
    turned = _UPCARD.fullmatch(event)
    if turned is not None and turned[1] in _RANK_NAMES:
        cards = int(OF_RANK[_FRAME, _RANK_NAMES.index(turned[1])])
        return Odds(sum(cards >> bit & 1 for bit in range(size)), size)
    counted = _COUNT.fullmatch(event)
    if counted is None or counted[1] not in _COUNTED:
        raise OddsError(
            f"{event!r} is no event: count one of {', '.join(_COUNTED)} with ==, !=, <=, >=, < or "
            f"> as in 'trumps>=4', or turn up one of {len(RANKS)} ranks as in 'upcard is a jack'"
        )
    return _odds_of_count(_COUNTED[counted[1]], _COMPARE[counted[2]], int(counted[3]), size)


def _odds_of_count(cards: int, compare: Any, number: int, size: int) -> Odds:
    is_one = (cards >> np.arange(size)) & 1
    counts = is_one[_hands(size)].sum(axis=1)
    return Odds(int(np.count_nonzero(compare(counts, number))), len(counts))
