"""Every number that the hand-written player goes by.

Strengths are in hundredths of a point: what calling (or playing alone) gains over passing (over
playing with the partner) at 0-0, the usual points and stick the dealer. The first values were the
point counts of published guides. They were then tuned by letting the player play out its own deals
both ways and fitting the difference, several times over with the means taken, on seeds 1001 to
1036; no seed below 1000 was used.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from euchre_env.equity import Equity
from euchre_env.ruleset import Ruleset

Table = npt.NDArray[np.int64]

# --- strength of a call ------------------------------------------------------------------------

ROUND_ONE, ROUND_TWO_NEXT, ROUND_TWO_CROSS, SITUATION_NO_TRUMP = 0, 4, 8, 12
"""First rows of the strength tables; the place left of the dealer (0: the dealer) is added."""

# The constant of each row, then what each further part adds, in hundredths of a point.
_BASE = [-50, -28, -2, -62, -28, -1, -22, -65, -67, -19, 34, 25]
# 9 T J Q K A of either suit of the other colour.
_GREEN = [
    [0, 5, -38, 3, 4, 24],  # round 1, dealer
    [0, 3, -15, 3, 2, -1],  # round 1, seat 1
    [0, 3, -13, 3, 5, 8],  # round 1, seat 2
    [0, 2, -3, 3, 4, 6],  # round 1, seat 3
    [0, -12, -11, -3, -3, 52],  # next, stuck dealer
    [0, -6, -69, -5, -4, 10],  # next, seat 1
    [0, -5, -29, -6, -5, 5],  # next, seat 2
    [0, -5, -49, -5, -2, 16],  # next, seat 3
    [0, -5, -7, -7, 0, 35],  # cross, stuck dealer
    [0, 3, -14, 2, 3, 12],  # cross, seat 1
    [0, -3, -57, -4, -4, 0],  # cross, seat 2
    [0, -5, -58, -6, -7, 18],  # cross, seat 3
]
# 9 T Q K A of the same-colour suit.
_NEXT = [
    [0, -8, -13, -14, 8],  # round 1, dealer
    [0, -7, -6, -8, -6],  # round 1, seat 1
    [0, -8, -8, -8, -2],  # round 1, seat 2
    [0, -4, -3, -4, 2],  # round 1, seat 3
    [0, -10, -16, 0, 33],  # next, stuck dealer
    [0, 12, 12, 10, 13],  # next, seat 1
    [0, 12, 10, 5, 2],  # next, seat 2
    [0, 11, 7, 7, 18],  # next, seat 3
    [0, -15, -7, -12, 33],  # cross, stuck dealer
    [0, -6, -7, -7, 3],  # cross, seat 1
    [0, 2, -1, -1, 4],  # cross, seat 2
    [0, 2, -1, 1, 12],  # cross, seat 3
]
# 9 T Q K A, left, right, joker of trump.
_TRUMP = [
    [0, 5, 9, 9, -6, -15, 55, 70],  # round 1, dealer
    [0, 0, -1, -3, -9, -28, -4, 11],  # round 1, seat 1
    [0, 2, 5, 4, -6, -16, 27, 42],  # round 1, seat 2
    [0, 0, 0, -3, -12, -17, 9, 24],  # round 1, seat 3
    [0, 7, 7, 11, 19, 26, 54, 69],  # next, stuck dealer
    [0, 6, 6, 11, -14, 8, 47, 62],  # next, seat 1
    [0, 1, 3, 3, -1, 29, 42, 57],  # next, seat 2
    [0, 14, 12, 7, -11, 19, 52, 67],  # next, seat 3
    [0, -5, 4, 12, 26, 37, 61, 76],  # cross, stuck dealer
    [0, 4, 5, 5, -16, -14, 29, 44],  # cross, seat 1
    [0, 4, 5, 5, -10, 11, 37, 52],  # cross, seat 2
    [0, 9, 9, 5, -34, 11, 61, 76],  # cross, seat 3
]
# 0 to 7 trumps, beyond what the cards count.
_COUNT = [
    [0, -98, 0, 93, 182, 305, 305, 305],  # round 1, dealer
    [-12, -8, 0, 66, 170, 198, 198, 198],  # round 1, seat 1
    [-55, -48, 0, 66, 146, 207, 207, 207],  # round 1, seat 2
    [7, -15, 0, 58, 131, 217, 217, 217],  # round 1, seat 3
    [-60, -38, 0, 37, 22, 1, 1, 1],  # next, stuck dealer
    [-71, -46, 0, 72, 163, 129, 129, 129],  # next, seat 1
    [-15, -14, 0, 25, 79, 79, 79, 79],  # next, seat 2
    [-24, -37, 0, 69, 99, 24, 24, 24],  # next, seat 3
    [-52, -51, 0, 40, 37, 2, 2, 2],  # cross, stuck dealer
    [-48, -37, 0, 73, 175, 184, 184, 184],  # cross, seat 1
    [-64, -40, 0, 55, 133, 75, 75, 75],  # cross, seat 2
    [-102, -76, 0, 98, 113, 12, 12, 12],  # cross, seat 3
]
# 0 to 3 suits missing besides trump.
_VOIDS = [
    [0, 19, 47, 94],  # round 1, dealer
    [0, -7, -11, -22],  # round 1, seat 1
    [0, 1, 10, 20],  # round 1, seat 2
    [0, -4, 14, 28],  # round 1, seat 3
    [0, 30, 51, 102],  # next, stuck dealer
    [0, 10, 38, 76],  # next, seat 1
    [0, 11, 39, 78],  # next, seat 2
    [0, -5, 25, 50],  # next, seat 3
    [0, 32, 57, 114],  # cross, stuck dealer
    [0, 7, 33, 66],  # cross, seat 1
    [0, 2, 7, 14],  # cross, seat 2
    [0, -1, 10, 20],  # cross, seat 3
]
# The upcard, by its height among the trumps of its suit: 9 T Q K A, (left), right, joker.
_UPCARD = [
    [0, -3, -3, 2, 26, 0, 26, 26],  # round 1, dealer
    [0, 0, -1, -2, -6, 0, -7, -7],  # round 1, seat 1
    [0, 2, 3, 4, 1, 0, 1, 1],  # round 1, seat 2
    [0, 1, 0, -1, -4, 0, -1, -1],  # round 1, seat 3
    [0, -8, -9, -10, 0, 0, 19, 19],  # next, stuck dealer
    [0, 3, 4, 5, 4, 0, 10, 10],  # next, seat 1
    [0, -2, -2, -4, -5, 0, 2, 2],  # next, seat 2
    [0, -8, -6, -9, -13, 0, 7, 7],  # next, seat 3
    [0, 0, 3, 2, -2, 0, 2, 2],  # cross, stuck dealer
    [0, -1, -1, -2, 0, 0, -4, -4],  # cross, seat 1
    [0, -2, -5, -4, -4, 0, -8, -8],  # cross, seat 2
    [0, -1, -2, -6, 4, 0, 2, 2],  # cross, seat 3
]

_NO_TRUMP_CARD = [0, 0, 0, 10, 30, 60] * 4 + [0]
_NO_SHAPE = [0] * 8

BASE: Table = np.array([*_BASE, -180], np.int64)
"""int64[13]: the constant by situation."""
CARD_VALUE: Table = np.array(
    [g + g + n + t for g, n, t in zip(_GREEN, _NEXT, _TRUMP)] + [_NO_TRUMP_CARD], np.int64
)
"""int64[13, 25]: what each card adds, by situation and the card's bit in the call's frame."""
TRUMP_COUNT: Table = np.array([*_COUNT, _NO_SHAPE], np.int64)
"""int64[13, 8]: what the number of trumps adds."""
VOID_VALUE: Table = np.array([*_VOIDS, _NO_SHAPE[:4]], np.int64)
"""int64[13, 4]: what the number of suits missing adds."""
UPCARD_VALUE: Table = np.array([*_UPCARD, _NO_SHAPE], np.int64)
"""int64[13, 8]: what the upcard adds."""

# --- lines to reach ----------------------------------------------------------------------------

LINE_SLOPE, LINE_EVEN = 300, 200
"""How the line moves with the odds at which a call breaks even: from nothing at two in three."""


def _score_lines() -> Table:
    equity = Equity.of(Ruleset.stick())
    scores = np.arange(equity.ruleset.target_score or 0)
    own, other, next_deals = np.meshgrid(scores, scores, np.arange(2), indexing="ij")
    held, made, euchred = (
        equity.after(own + gain, other + loss, next_deals, np.int64(1))
        for gain, loss in ((0, 0), (1, 0), (0, 2))
    )
    break_even = (held - euchred) / (made - euchred)
    lines = LINE_SLOPE * (break_even - break_even[0, 0])
    return np.ascontiguousarray(np.rint(lines[::-1, ::-1]).astype(np.int64))


SCORE_LINE: Table = _score_lines()
"""int64[10, 10, 2]: how far the score moves the line, by the points that the own side and the other
need less one, and by who deals next (0 the own side).

A call breaks even where the chance to win the game is the same with it and without; the chances are
those of :mod:`euchre_env.equity`. At 0-0 it moves by nothing.
"""
PLAIN_COUNT: Table = np.array(
    [[0, 0, 0, 0, 2, 5] * 2 + [0, 0, 0, 2, 4] + [3, 3, 4, 5, 6] + [7, 10, 12]], np.int64
)
"""int64[1, 25]: the point count of published guides."""
OUTRIGHT = 21
"""The count, with three trumps, that is a call of round 1 from any seat."""
KEEP_LINE = 20
"""The strength in some suit above which a weak hand is not claimed."""
DONATE_NEED: Table = np.array([3, 4], np.int64)
"""Least and most points that the dealer's side needs for a donation: a lone hand would win."""
JACK_UP = 6
"""Lowest index of an upcard, in the order of UPCARD_VALUE, that makes a lone hand a danger."""

# --- alone -------------------------------------------------------------------------------------

LONE_PLACE: Table = np.array([-70, -70, -85, -111], np.int64)
"""int64[4]: the constant of a lone hand's strength by place left of the dealer."""
LONE_TRUMPS: Table = np.array([-100, -74, -26, 0, 10, 39, 39, 39], np.int64)
"""int64[8]: what the number of trumps adds."""
LONE_LOSERS: Table = np.array([38, 0, -62, -134, -134, -134], np.int64)
"""int64[6]: what the number of side cards that are not high adds."""
LONE_CARD: Table = np.array([[0] * 17 + [0, 2, 4, 14, 30, 52, 73, 85]], np.int64)
"""int64[1, 25]: what each trump adds."""
LONE_LINE: Table = np.array([9999, 25, 0, -20], np.int64)
"""int64[4]: the lone strength to exceed, by the points that alone can add to a march (0 to 3)."""
CANADIAN_LINE = -40
"""The lone strength to exceed where ordering up commits the dealer's partner to play alone."""
DEFEND_ALONE_TRICKS = 3
"""Safe tricks with which to defend alone."""

# --- cards -------------------------------------------------------------------------------------

KEEP_AS_DEALER, KEEP_WITHOUT_TRUMPS, KEEP_RUFFING, KEEP_LEADING = range(4)
KEEP_VALUE: Table = np.array(
    [
        [[-20, -18, -16, -12, -4, 60], [0, 5, 10, 15, 40, 70], [2, 6, 10, 15, 40, 60]],
        [[-3, 2, 8, 18, 30, 60], [0, 5, 10, 20, 40, 60], [0, 5, 10, 20, 40, 60]],
        [[-20, -15, -10, -5, 5, 60], [0, 5, 10, 15, 40, 70], [2, 6, 10, 15, 40, 60]],
        [[3, 8, 12, 20, 30, 60], [0, 5, 10, 15, 20, 60], [0, 5, 10, 15, 20, 60]],
    ],
    np.int64,
)
"""int64[4, 3, 6]: how gladly a side card is kept: by purpose (the four above), by cards held of its
suit (1, 2, 3 or more) and by rank, 9 to A."""
TRUMP_KEEP = 100
"""How much more gladly a trump is kept than its rank says."""
DRAW_WITH = 3
"""Trumps with which to lead them without the highest."""

# --- levels ------------------------------------------------------------------------------------

MISTAKES = {"easy": 30, "medium": 10}
"""Of a hundred decisions, those that a level takes at random."""
