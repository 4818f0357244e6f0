"""Every number that the hand-written player goes by."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.int64]

ROUND_ONE, ROUND_TWO_NEXT, ROUND_TWO_CROSS, SITUATION_NO_TRUMP = 0, 4, 8, 12
# --- fitted
_BASE = [-116, -57, 2, -45, -50, 46, -49, 58, -49, -56, 39, -6]
_GREEN = [
    [0, -6, -34, 0, 4, 33],  # round 1, dealer
    [0, 1, -6, 2, 2, 3],  # round 1, seat 1
    [0, 2, -20, 1, 3, 5],  # round 1, seat 2
    [0, 0, -16, 1, 2, 8],  # round 1, seat 3
    [0, -15, -13, -11, -12, 28],  # next, stuck dealer
    [0, -6, -69, -7, -10, 6],  # next, seat 1
    [0, -5, -27, -4, -9, -6],  # next, seat 2
    [0, -10, -97, -4, -5, 12],  # next, seat 3
    [0, -11, -7, -7, -2, 33],  # cross, stuck dealer
    [0, 4, 0, 7, 4, 12],  # cross, seat 1
    [0, -5, -62, -6, -5, -9],  # cross, seat 2
    [0, 1, -14, 3, 7, 13],  # cross, seat 3
]
_NEXT = [
    [0, -8, -8, -8, 21],  # round 1, dealer
    [0, -3, -4, -5, -1],  # round 1, seat 1
    [0, -2, -4, -3, 0],  # round 1, seat 2
    [0, 1, 1, -2, 3],  # round 1, seat 3
    [0, -5, -11, -9, 3],  # next, stuck dealer
    [0, 8, 2, 1, 12],  # next, seat 1
    [0, 8, 4, 8, -6],  # next, seat 2
    [0, 20, 11, 21, 22],  # next, seat 3
    [0, -10, -9, -4, 32],  # cross, stuck dealer
    [0, -13, -13, -11, 4],  # cross, seat 1
    [0, 2, 2, -9, -14],  # cross, seat 2
    [0, -14, -18, -26, -6],  # cross, seat 3
]
_TRUMP = [
    [0, 10, 13, 19, -1, 23, 82, 97],  # round 1, dealer
    [0, -2, 0, 1, -2, -17, 5, 20],  # round 1, seat 1
    [0, 3, 7, 8, 0, 5, 40, 55],  # round 1, seat 2
    [0, 3, 2, 1, -1, 8, 22, 37],  # round 1, seat 3
    [0, 9, 8, 15, 19, 30, 52, 67],  # next, stuck dealer
    [0, 11, 14, 15, -23, -1, 39, 54],  # next, seat 1
    [0, 4, 5, 4, -5, 19, 38, 53],  # next, seat 2
    [0, 22, 34, 32, -27, 20, 55, 70],  # next, seat 3
    [0, 13, 8, 27, 25, 38, 65, 80],  # cross, stuck dealer
    [0, 6, 9, 7, -18, -16, 35, 50],  # cross, seat 1
    [0, 9, 5, 0, -23, 0, 21, 36],  # cross, seat 2
    [0, 10, 8, 6, -17, -31, 30, 45],  # cross, seat 3
]
_COUNT = [
    [0, -105, 0, 96, 190, 269, 269, 269],  # round 1, dealer
    [-1, -1, 0, 36, 117, 143, 143, 143],  # round 1, seat 1
    [-57, -39, 0, 47, 112, 114, 114, 114],  # round 1, seat 2
    [-3, -19, 0, 39, 92, 172, 172, 172],  # round 1, seat 3
    [-65, -38, 0, 26, 24, 7, 7, 7],  # next, stuck dealer
    [-91, -54, 0, 56, 100, 36, 36, 36],  # next, seat 1
    [-21, -14, 0, 43, 72, 19, 19, 19],  # next, seat 2
    [-113, -85, 0, 45, 52, 3, 3, 3],  # next, seat 3
    [-77, -63, 0, 34, 45, 19, 19, 19],  # cross, stuck dealer
    [-43, -34, 0, 66, 133, 152, 152, 152],  # cross, seat 1
    [-65, -39, 0, 52, 117, 123, 123, 123],  # cross, seat 2
    [-46, -53, 0, 62, 111, 52, 52, 52],  # cross, seat 3
]
_VOIDS = [
    [0, 19, 42, 84],  # round 1, dealer
    [0, -4, -11, -22],  # round 1, seat 1
    [0, 1, 2, 4],  # round 1, seat 2
    [0, -4, 2, 4],  # round 1, seat 3
    [0, 26, 46, 92],  # next, stuck dealer
    [0, 10, 40, 80],  # next, seat 1
    [0, 9, 38, 76],  # next, seat 2
    [0, -5, 38, 76],  # next, seat 3
    [0, 27, 47, 94],  # cross, stuck dealer
    [0, 6, 29, 58],  # cross, seat 1
    [0, 0, 6, 12],  # cross, seat 2
    [0, -4, 11, 22],  # cross, seat 3
]
_UP = [
    [0, -6, 3, 3, 26, 0, 15, 15],  # round 1, dealer
    [0, 0, 0, -1, -1, 0, -4, -4],  # round 1, seat 1
    [0, 2, 2, 3, 1, 0, 9, 9],  # round 1, seat 2
    [0, 1, -4, -8, -9, 0, -26, -26],  # round 1, seat 3
    [0, -1, -16, -9, -17, 0, 7, 7],  # next, stuck dealer
    [0, 7, 9, 9, 21, 0, 15, 15],  # next, seat 1
    [0, 2, 0, -6, -20, 0, -9, -9],  # next, seat 2
    [0, 3, 16, 8, 27, 0, 47, 47],  # next, seat 3
    [0, -2, -1, -15, -8, 0, -13, -13],  # cross, stuck dealer
    [0, 0, 0, -3, -2, 0, -5, -5],  # cross, seat 1
    [0, 7, 11, 7, 9, 0, 6, 6],  # cross, seat 2
    [0, -4, 3, -4, 0, 0, 0, 0],  # cross, seat 3
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

LINE_SLOPE, LINE_EVEN = 300, 200
LONE_BASE: Table = np.array([0, 0, 0, 0], np.int64)
LONE_TRUMPS: Table = np.array([-100, -100, -100, -60, -20, 10, 10, 10], np.int64)
LONE_LOSERS: Table = np.array([10, -10, -50, -90, -100, -100], np.int64)
LONE_CARD: Table = np.array([[0]*17+[0,0,0,5,10,25,50,60]], np.int64)
MARCH_SHARE: Table = np.array([20, 30,40,50,55,60,65,70,80,90,100], np.int64)
DEFEND_ALONE_TRICKS = 3
DONATE_NEED: Table = np.array([3, 4], np.int64)
JACK_UP = 6

KEEP_AS_DEALER, KEEP_WITHOUT_TRUMPS, KEEP_RUFFING, KEEP_LEADING = range(4)
KEEP_VALUE: Table = np.array([
    [[-20, -15, -10, -5, 15, 60], [0, 5, 10, 15, 40, 70], [2, 6, 10, 15, 40, 60]],
    [[-3, 2, 8, 18, 30, 60], [0, 5, 10, 20, 40, 60], [0, 5, 10, 20, 40, 60]],
    [[-20, -15, -10, -5, 5, 60], [0, 5, 10, 15, 40, 70], [2, 6, 10, 15, 40, 60]],
    [[3, 8, 12, 20, 30, 60], [0, 5, 10, 15, 20, 60], [0, 5, 10, 15, 20, 60]],
], np.int64)
DRAW_FROM_BELOW = 3
TRUMP_KEEP = 100

MISTAKES = {"easy": 30, "medium": 10}
