"""The double-dummy value of the true cards of a hand, in any phase.

It is the potential of the reward shaping in training, and what a review tells of a finished hand;
players never see it.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from euchre_env._jit import njit
from euchre_env.rules import N_ACTIONS, OVER, PLAY, STATE, apply, legal, team
from euchre_env.solver import SEARCH, play_value

from .player import choose


@njit
def _value_to(s, r, side, search):
    """Net points to a team: a scratch record is played on by the hand-written player, then solved.

    The auction and the discard have no double-dummy value worth the name, so that player ends them;
    from the first lead on, all four see all cards.
    """
    while s.phase != PLAY and s.phase != OVER:
        apply(s, r, choose(s, r, np.uint64(0)))
    if s.phase == OVER:
        return np.float64(s.points[side] - s.points[1 - side])
    value = play_value(search, s, r, True)
    return np.float64(value if team(s.maker) == side else -value)


@njit
def double_dummy(states, rules, which, games, values):
    """Write the hand's double-dummy value to the seat to act of each of some games.

    Needs no GIL.

    Args:
        states: STATE[N], full records that wait for a decision.
        rules: RULES[K].
        which: int16[N], the rule record of each.
        games: int64[B], rows of ``states``.
        values: float32[B], set to net points of the seat's team.
    """
    search = np.zeros(1, SEARCH)
    scratch = np.zeros(1, STATE)
    for k in range(len(games)):
        i = games[k]
        scratch[0] = states[i]
        s = scratch[0]
        values[k] = _value_to(s, rules[which[i]], team(s.turn), search[0])


@njit
def double_dummy_of_acts(states, rules, which, values):
    """Write the double-dummy value of the hand after each legal act of the seat to act.

    Args:
        states: STATE[B], full records that wait for a decision.
        rules: RULES[K].
        which: int16[B], the rule record of each.
        values: float64[B, 38] by the frame's action id, set to net points of the seat's team where
            the act is legal.
    """
    search = np.zeros(1, SEARCH)
    scratch = np.zeros(1, STATE)
    for i in range(len(states)):
        r = rules[which[i]]
        side = team(states[i].turn)
        acts = legal(states[i], r)
        for action in range(N_ACTIONS):
            if (acts >> action) & 1:
                scratch[0] = states[i]
                s = scratch[0]
                apply(s, r, action)
                values[i, action] = _value_to(s, r, side, search[0])
