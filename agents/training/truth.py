"""What only the trainer knows of a hand: the double-dummy value of its true cards.

It is the potential of the reward shaping and the first guess of a critic that sees all hands; the
players never see it.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from euchre_env._jit import njit
from euchre_env.rules import OVER, PLAY, STATE, apply, team
from euchre_env.solver import SEARCH, play_value

from ..heuristic.player import choose


@njit
def double_dummy(states, rules, which, games, values):
    """Write the hand's double-dummy value to the seat to act of each of some games.

    The hand-written player ends the auction and the discard, which have no double-dummy value worth
    the name; from the first lead on, all four see all cards. Needs no GIL.

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
        r = rules[which[i]]
        side = team(s.turn)
        while s.phase != PLAY and s.phase != OVER:
            apply(s, r, choose(s, r, np.uint64(0)))
        if s.phase == PLAY:
            value = play_value(search[0], s, r, True)
            values[k] = value if team(s.maker) == side else -value
        else:
            values[k] = s.points[side] - s.points[1 - side]
