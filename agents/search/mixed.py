"""``mixed:N``: every act is judged both by playing N worlds out and by solving them.

Playouts by the hand-written player are honest about what the seats cannot see, but carry that
player's errors; solved worlds carry none, but see all cards. Their errors differ, so the sum of the
two is a better judge than either.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from euchre_env._jit import njit
from euchre_env.belief import BELIEF
from euchre_env.kernels import lowest_action
from euchre_env.rules import N_ACTIONS, STATE, WEAK_HAND, legal
from euchre_env.solver import MAX_DEPTH, SEARCH

from ..heuristic.player import choose
from .base import SearchAgent
from .pimc import judge_by_solving
from .rollout import judge_by_playouts
from .utility import UTILITIES, fill_utility
from .worlds import best_action, deal_worlds, normalise

SOLVED_WORLDS = 200
"""The most worlds that are solved; solving costs several times what a playout does."""
SOLVED_SHARE = 0.5
"""Weight of the solved value beside that of the playouts."""


@njit
def _search(states, rules, which, seeds, count, infer, equity, out, start, stop):
    belief = np.zeros(1, BELIEF)
    search = np.zeros(1, SEARCH)
    stack = np.empty(MAX_DEPTH, STATE)
    worlds = np.zeros(count, STATE)
    weights = np.zeros(count)
    some = np.zeros(min(count, SOLVED_WORLDS))
    values = np.zeros(N_ACTIONS, np.int64)
    sums = np.zeros(N_ACTIONS)
    solved = np.zeros(N_ACTIONS)
    utility = np.zeros(UTILITIES)
    for i in range(start, stop):
        s = states[i]
        r = rules[which[i]]
        acts = legal(s, r)
        if acts & (acts - 1) == 0:
            out[i] = lowest_action(acts)
            continue
        if not deal_worlds(belief[0], s, r, seeds[i], infer, worlds, weights):
            return i
        fill_utility(s, r, equity[which[i]], utility)
        judge_by_playouts(s, r, acts, worlds, weights, utility, sums, stack)
        if s.phase != WEAK_HAND:
            some[:] = weights[: len(some)]
            normalise(some)
            few = worlds[: len(some)]
            judge_by_solving(search[0], stack, s, r, acts, few, some, utility, values, solved)
            for action in range(N_ACTIONS):
                sums[action] += SOLVED_SHARE * solved[action]
        out[i] = best_action(acts, sums, choose(s, r, seeds[i]))
    return -1


class MixedAgent(SearchAgent):
    """Plays N sampled worlds out, solves some of them, and takes the best sum."""

    family = "mixed"
    kernel = staticmethod(_search)
