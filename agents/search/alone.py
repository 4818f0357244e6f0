"""``pimc:N`` in games without partners: cards are solved where two sides play, the rest played out.

Where a maker plays against defenders who cooperate, or against one, a card counts its mean
double-dummy value in the sampled worlds, as in the partnership game. A cutthroat game has no such
value: there a card is judged by playing the worlds out with the point-count player in all seats,
who sees of a world what its seat could see. So are calls, answers and cards laid away in every
game: each is tried in the same worlds.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from euchre_env._jit import njit
from euchre_env.kernels import lowest_action
from euchre_env.rules import N_ACTIONS, PLAY, apply, counts_down, hide, legal, seat_reward
from euchre_env.solver import ILLEGAL, on_makers_side, play_values

from ..simple import greedy_action


@njit
def play_out(stack, r):
    """Finish the hand of ``stack[0]`` with the point-count player; ``stack[1]`` is scratch."""
    s = stack[0]
    acts = legal(s, r)
    while acts != 0:
        action = np.int64(lowest_action(acts))
        if acts & (acts - 1) != 0:
            stack[1] = s
            hide(stack[1], r, s.turn)
            action = greedy_action(stack[1], r, acts)
        apply(s, r, action)
        acts = legal(s, r)


@njit
def _judge_by_playouts(stack, r, acts, worlds, sums):
    """Add up each legal act's points over all worlds: the seat's less the mean of the others'."""
    for action in range(N_ACTIONS):
        if (acts >> action) & 1:
            for k in range(len(worlds)):
                stack[0] = worlds[k]
                seat = np.int64(stack[0].turn)
                apply(stack[0], r, np.int64(action))
                play_out(stack, r)
                sums[action] += seat_reward(stack[0], r, seat)


@njit
def _judge_by_solving(w, r, worlds, values, sums):
    """Add up each legal card's net points over all worlds, to the side of the seat to act."""
    for k in range(len(worlds)):
        s = worlds[k]
        for action in range(N_ACTIONS):
            values[action] = ILLEGAL
        play_values(w, s, r, True, values)
        sign = 1 if on_makers_side(s, r, s.turn) else -1
        for action in range(N_ACTIONS):
            if values[action] != ILLEGAL:
                sums[action] += sign * values[action]


@njit
def judge_alone(w, stack, s, r, acts, worlds, values, sums):
    """Fill float64[38] with a figure for each legal act of a game without partners; more is better.

    Args:
        w: A workspace of the solver.
        stack: STATE[2] or more, scratch.
        s: The record of the seat to act, cleared of what it cannot know.
        r: The rule record.
        acts: The legal acts, a bit set.
        worlds: STATE[N], full records.
        values: int64[38], scratch.
        sums: float64[38]; entries of acts that are not legal are set to nothing.
    """
    for action in range(N_ACTIONS):
        sums[action] = 0.0
    if s.phase == PLAY and not counts_down(r):
        _judge_by_solving(w, r, worlds, values, sums)
    else:
        _judge_by_playouts(stack, r, acts, worlds, sums)
