"""``rollout:N,by:POLICY``: as ``rollout:N``, but any agent plays the sampled worlds out."""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from euchre_env._jit import njit
from euchre_env.rules import N_ACTIONS, legal

from ..base import Actions, Agent, View
from ..heuristic.player import choose
from .base import SearchAgent
from .playouts import Worlds, copies_at_a_time, credit, open_games, play_out, refuse_oracle
from .worlds import best_action


@njit
def _decide(states, rules, which, seeds, games, sums, out):
    for k in range(len(games)):
        i = games[k]
        r = rules[which[i]]
        out[i] = best_action(legal(states[i], r), sums[k], choose(states[i], r, seeds[i]))


class PolicyRolloutAgent(SearchAgent):
    """Plays N sampled worlds out by a policy for every act and takes the best.

    Args:
        text: The number of worlds, such as ``200`` or ``100+infer``.
        policy: Who plays them out, in all seats.

    Raises:
        AgentError: no number of worlds, or a policy that needs to see hidden cards.
    """

    family = "rollout"

    def __init__(self, text: str, policy: Agent) -> None:
        super().__init__(text)
        self.name += f",by:{policy.name}"
        self.policy = policy
        refuse_oracle(policy, self.name)

    def _search(self, view: View, out: Actions, start: int, stop: int) -> int:
        choices = open_games(view.legal, out, start, stop)
        size = max(1, copies_at_a_time(self.threads) // self.worlds)
        for first in range(0, len(choices), size):
            worlds = Worlds.blank(choices[first : first + size], self.worlds)
            failed = worlds.deal(view, self.infer)
            if failed >= 0:
                return failed
            self._judge(view, worlds, out)
        return -1

    def _judge(self, view: View, worlds: Worlds, out: Actions) -> None:
        """Play all worlds out after every act and write the act of the highest sum."""
        acts = view.legal[worlds.games]
        sums = np.zeros((len(acts), N_ACTIONS))
        most = int(np.bitwise_count(acts).max())
        for low, high in worlds.slices(copies_at_a_time(self.threads) // most):
            came = play_out(view, worlds, acts, low, high, self.policy)
            credit(worlds.weights, came.origin, came.acts, came.worth, sums)
        _decide(view.states, view.rules, view.which, view.seeds, worlds.games, sums, out)
