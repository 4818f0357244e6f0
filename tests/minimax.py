"""A plain minimax over the engine's own `legal` and `apply`, against which the solver is proven.

No bound, no ordering, no symmetry: every legal act is tried on a copy of the record. Only values of
positions at the start of a trick are kept, under all that can still matter to them, so that a full
deal takes a tenth of a second. It does not use euchre_env.solver.
"""

from typing import Any

import numba
import numpy as np

from euchre_env import rules
from euchre_env._jit import COMPILED

MOST_PLAYS = 21


@numba.njit
def _ended(s, r, points):
    """The makers' points less the other side's (each defender's without partners), or tricks."""
    makers = rules.side_of(r, s.maker)
    if points:
        others = rules.side_of(r, rules.next_seat(r, s.maker))
        return np.int64(s.points[makers] - s.points[others])
    return np.int64(s.tricks[makers])


@numba.njit
def _key(s, r):
    """All that matters at the start of a trick: cards left, who leads, tricks won.

    And whether the makers lost the first two, under the fast break.
    """
    held = np.int64(0)
    for seat in range(4):
        held |= np.int64(s.hand[seat])
    lost = np.int64(r.fast_break != 0 and s.trick >= 2 and rules.lost_first_two(s))
    return ((held << 2) | s.turn) << 4 | lost << 3 | s.tricks[rules.side_of(r, s.maker)]


@numba.njit
def makers_move(s, r):
    """Whether the seat to act is of the makers' side."""
    return rules.side_of(r, s.turn) == rules.side_of(r, s.maker)


@numba.njit
def _minimax(stack, depth, r, points, memo):
    s = stack[depth]
    if s.phase == rules.OVER:
        return _ended(s, r, points)
    if s.count == 0 and _key(s, r) in memo:
        return memo[_key(s, r)]
    acts = rules.legal(s, r)
    if not points and s.count > 0:
        acts = rules.follows(np.int64(s.hand[s.turn]), np.int64(s.led))  # a renege has no tricks
    sign = 1 if makers_move(s, r) else -1
    best = np.int64(-1000)
    for card in range(25):
        if (acts >> card) & 1:
            stack[depth + 1] = s
            rules.apply(stack[depth + 1], r, np.int64(card))
            best = max(best, sign * _minimax(stack, depth + 1, r, points, memo))
    if s.count == 0:
        memo[_key(s, r)] = sign * best
    return sign * best


def _new_memo() -> Any:
    return numba.typed.Dict.empty(numba.int64, numba.int64) if COMPILED else {}


def value(s: Any, r: Any, points: bool) -> int:
    """The makers' value of a record in which trump is named: net points, or tricks."""
    return _value(s, r, points, _new_memo())


def _value(s: Any, r: Any, points: bool, memo: Any) -> int:
    if s.phase in (rules.PLAY, rules.OVER):
        stack = rules.new_states(MOST_PLAYS)
        stack[0] = s
        return int(_minimax(stack, np.int64(0), r, points, memo))
    acts = int(rules.legal(s, r))
    found = [value(after(s, r, a), r, points) for a in range(38) if acts >> a & 1]
    return max(found) if makers_move(s, r) else min(found)


def after(s: Any, r: Any, action: int) -> Any:
    """A copy of the record after one act of its frame."""
    copy = rules.new_states(1)
    copy[0] = s
    rules.apply(copy[0], r, np.int64(action))
    return copy[0]


def values(s: Any, r: Any, points: bool) -> dict[int, int]:
    """The makers' value of each legal act by trump-relative id; a pass has none.

    In tricks a renege has no value either.
    """
    acts = int(rules.legal(s, r)) & ~(1 << rules.PASS)
    playing = s.phase == rules.PLAY
    if playing and not points and s.count > 0:
        acts = int(rules.follows(np.int64(s.hand[s.turn]), np.int64(s.led)))
    memo = _new_memo()
    found = {}
    for action in [a for a in range(38) if acts >> a & 1]:
        then = after(s, r, action)
        found[action] = _value(then, r, points, memo) if playing else value(then, r, points)
    return found
