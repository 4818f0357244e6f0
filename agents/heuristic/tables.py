"""Every number that the hand-written player goes by."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.int64]

ROUND_ONE, ROUND_TWO_NEXT, ROUND_TWO_CROSS, SITUATION_NO_TRUMP = 0, 4, 8, 12
# --- fitted
_BASE = [-59, -28, 4, -57, -8, 4, -13, -89, -72, -26, 32, 24]
_GREEN = [
    [0, 6, -32, 5, 5, 25],  # round 1, dealer
    [0, 3, -15, 3, 2, -1],  # round 1, seat 1
    [0, 4, -12, 4, 5, 8],  # round 1, seat 2
    [0, 3, 0, 4, 5, 9],  # round 1, seat 3
    [0, -15, -5, -6, -3, 42],  # next, stuck dealer
    [0, -6, -70, -6, -4, 10],  # next, seat 1
    [0, -5, -34, -5, -4, 1],  # next, seat 2
    [0, -4, -50, -9, -4, 14],  # next, seat 3
    [0, -5, -6, -11, -5, 22],  # cross, stuck dealer
    [0, 4, -9, 3, 4, 12],  # cross, seat 1
    [0, -3, -70, -3, -3, -1],  # cross, seat 2
    [0, -4, -60, -8, -4, 24],  # cross, seat 3
]
_NEXT = [
    [0, -11, -14, -17, 6],  # round 1, dealer
    [0, -7, -7, -8, -8],  # round 1, seat 1
    [0, -10, -10, -10, -4],  # round 1, seat 2
    [0, -6, -6, -6, 3],  # round 1, seat 3
    [0, -13, -15, 0, 26],  # next, stuck dealer
    [0, 12, 11, 10, 12],  # next, seat 1
    [0, 12, 9, 7, -1],  # next, seat 2
    [0, 8, 2, 9, 12],  # next, seat 3
    [0, -18, -6, -20, 27],  # cross, stuck dealer
    [0, -7, -9, -9, 3],  # cross, seat 1
    [0, 4, 1, -2, 3],  # cross, seat 2
    [0, 3, 2, 1, 19],  # cross, seat 3
]
_TRUMP = [
    [0, 6, 11, 11, -1, -19, 50, 65],  # round 1, dealer
    [0, 1, 0, -2, -8, -29, -4, 11],  # round 1, seat 1
    [0, 2, 5, 4, -7, -24, 20, 35],  # round 1, seat 2
    [0, 0, -1, -3, -12, -23, 6, 21],  # round 1, seat 3
    [0, 13, 9, 13, 25, 29, 45, 60],  # next, stuck dealer
    [0, 5, 7, 11, -13, 8, 45, 60],  # next, seat 1
    [0, 3, 5, 5, -1, 18, 32, 47],  # next, seat 2
    [0, 12, 12, 11, -2, 21, 49, 64],  # next, seat 3
    [0, -11, -2, 5, 20, 41, 68, 83],  # cross, stuck dealer
    [0, 5, 5, 6, -14, -14, 29, 44],  # cross, seat 1
    [0, 4, 4, 4, -14, 8, 37, 52],  # cross, seat 2
    [0, 13, 10, 4, -30, 7, 56, 71],  # cross, seat 3
]
_COUNT = [
    [0, -97, 0, 95, 186, 304, 304, 304],  # round 1, dealer
    [-12, -9, 0, 71, 177, 196, 196, 196],  # round 1, seat 1
    [-63, -52, 0, 70, 150, 202, 202, 202],  # round 1, seat 2
    [0, -18, 0, 58, 128, 185, 185, 185],  # round 1, seat 3
    [-48, -25, 0, 26, 24, 3, 3, 3],  # next, stuck dealer
    [-74, -49, 0, 71, 160, 116, 116, 116],  # next, seat 1
    [-24, -15, 0, 20, 69, 71, 71, 71],  # next, seat 2
    [-9, -29, 0, 62, 94, 48, 48, 48],  # next, seat 3
    [-54, -50, 0, 45, 42, 3, 3, 3],  # cross, stuck dealer
    [-44, -37, 0, 71, 170, 163, 163, 163],  # cross, seat 1
    [-65, -41, 0, 58, 133, 71, 71, 71],  # cross, seat 2
    [-109, -81, 0, 108, 129, 24, 24, 24],  # cross, seat 3
]
_VOIDS = [
    [0, 18, 45, 90],  # round 1, dealer
    [0, -7, -9, -18],  # round 1, seat 1
    [0, 0, 11, 22],  # round 1, seat 2
    [0, -3, 18, 36],  # round 1, seat 3
    [0, 28, 46, 92],  # next, stuck dealer
    [0, 11, 46, 92],  # next, seat 1
    [0, 9, 38, 76],  # next, seat 2
    [0, 1, 31, 62],  # next, seat 3
    [0, 27, 51, 102],  # cross, stuck dealer
    [0, 9, 38, 76],  # cross, seat 1
    [0, -2, 2, 4],  # cross, seat 2
    [0, -4, -2, -4],  # cross, seat 3
]
_UP = [
    [0, -3, -3, 2, 25, 0, 29, 29],  # round 1, dealer
    [0, 0, 0, -2, -5, 0, -7, -7],  # round 1, seat 1
    [0, 2, 4, 5, 2, 0, 2, 2],  # round 1, seat 2
    [0, 1, 0, -2, -4, 0, -3, -3],  # round 1, seat 3
    [0, 0, -10, -2, 4, 0, 18, 18],  # next, stuck dealer
    [0, 2, 3, 3, 2, 0, 9, 9],  # next, seat 1
    [0, 2, 0, 0, -5, 0, 3, 3],  # next, seat 2
    [0, -3, -5, -6, -14, 0, 5, 5],  # next, seat 3
    [0, 3, -2, -2, -12, 0, -17, -17],  # cross, stuck dealer
    [0, 0, -1, -3, -1, 0, -5, -5],  # cross, seat 1
    [0, -5, -9, -6, -10, 0, -14, -14],  # cross, seat 2
    [0, 1, 0, -4, 7, 0, 2, 2],  # cross, seat 3
]
# --- end fitted
_NT_CARD = [0, 0, 0, 10, 30, 60] * 4 + [0]
_NO_SHAPE = [0] * 8
BASE: Table = np.array([*_BASE, -180], np.int64)
CARD_VALUE: Table = np.array(
    [g + g + n + t for g, n, t in zip(_GREEN, _NEXT, _TRUMP)] + [_NT_CARD], np.int64
)
TRUMP_COUNT: Table = np.array([*_COUNT, _NO_SHAPE], np.int64)
VOID_VALUE: Table = np.array([*_VOIDS, _NO_SHAPE[:4]], np.int64)
UPCARD_VALUE: Table = np.array([*_UP, _NO_SHAPE], np.int64)

PLAIN_COUNT: Table = np.array(
    [[0, 0, 0, 0, 2, 5] * 2 + [0, 0, 0, 2, 4] + [3, 3, 4, 5, 6] + [7, 10, 12]], np.int64
)
OUTRIGHT = 21
LINE_SLOPE, LINE_EVEN = 300, 200
FAR = 4
SCORE_LINE: Table = np.array(
    [[-45, 5, -45, -35], [-5, 25, 0, 0], [-15, 10, 5, 0], [-20, 10, 5, 0]], np.int64
)
KEEP_LINE = 20
LONE_PLACE: Table = np.array([-86, -67, -97, -124], np.int64)
LONE_TRUMPS: Table = np.array([-100, -60, -24, 0, 13, 46, 46, 46], np.int64)
LONE_LOSERS: Table = np.array([36, 0, -63, -140, -72, -72], np.int64)
LONE_CARD: Table = np.array([[0] * 17 + [0, 2, 5, 18, 39, 59, 72, 85]], np.int64)
LONE_LINE: Table = np.array([9999, 25, 0, -20], np.int64)
CANADIAN_LINE = -40
DEFEND_ALONE_TRICKS = 3
DONATE_NEED: Table = np.array([3, 4], np.int64)
JACK_UP = 6

KEEP_AS_DEALER, KEEP_WITHOUT_TRUMPS, KEEP_RUFFING, KEEP_LEADING = range(4)
KEEP_VALUE: Table = np.array([
    [[-20, -18, -16, -12, -4, 60], [0, 5, 10, 15, 40, 70], [2, 6, 10, 15, 40, 60]],
    [[-3, 2, 8, 18, 30, 60], [0, 5, 10, 20, 40, 60], [0, 5, 10, 20, 40, 60]],
    [[-20, -15, -10, -5, 5, 60], [0, 5, 10, 15, 40, 70], [2, 6, 10, 15, 40, 60]],
    [[3, 8, 12, 20, 30, 60], [0, 5, 10, 15, 20, 60], [0, 5, 10, 15, 20, 60]],
], np.int64)
DRAW_WITH = 3
TRUMP_KEEP = 100

MISTAKES = {"easy": 30, "medium": 10}
