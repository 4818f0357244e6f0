"""``rollout:N``: every act is judged by playing N sampled worlds out with the hand-written player.

No solver, so no player in a world sees more than its own cards: the search does not fall for plans
that need to know where the cards lie. The same worlds serve every act.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from euchre_env._jit import njit
from euchre_env.belief import BELIEF
from euchre_env.cards import ONE
from euchre_env.kernels import lowest_action
from euchre_env.rules import N_ACTIONS, STATE, apply, legal, reward

from ..heuristic.player import choose, playout
from .base import SearchAgent
from .utility import UTILITIES, fill_utility, utility_of
from .worlds import best_action, deal_worlds


@njit
def judge_by_playouts(s, r, acts, worlds, weights, utility, sums, game):
    """Add up the utility of each legal act over all worlds; ``game`` is scratch."""
    seat = s.turn
    for action in range(N_ACTIONS):
        sums[action] = 0.0
        if (acts >> action) & 1:
            for k in range(len(worlds)):
                game[0] = worlds[k]
                apply(game[0], r, np.int64(action))
                playout(game[0], r, np.uint64(0))
                sums[action] += weights[k] * utility_of(utility, reward(game[0], seat))


@njit
def _search(states, rules, which, seeds, count, infer, equity, out, start, stop):
    belief = np.zeros(1, BELIEF)
    worlds = np.zeros(count, STATE)
    weights = np.zeros(count)
    game = np.zeros(1, STATE)
    sums = np.zeros(N_ACTIONS)
    utility = np.zeros(UTILITIES)
    for i in range(start, stop):
        s = states[i]
        r = rules[which[i]]
        acts = legal(s, r)
        if acts & (acts - 1) != 0:
            if not deal_worlds(belief[0], s, r, seeds[i], infer, worlds, weights):
                return i
            fill_utility(s, r, equity[which[i]], utility)
            judge_by_playouts(s, r, acts, worlds, weights, utility, sums, game)
            acts = ONE << best_action(acts, sums, choose(s, r, seeds[i]))
        out[i] = lowest_action(acts)
    return -1


class RolloutAgent(SearchAgent):
    """Plays N sampled worlds out for every act and takes the best."""

    family = "rollout"
    kernel = staticmethod(_search)
