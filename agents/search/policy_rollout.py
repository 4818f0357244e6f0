"""``rollout:N,by:POLICY``: as ``rollout:N``, but any agent plays the sampled worlds out.

All worlds of many games go on side by side, and the policy decides for all of them at once. It sees
of a world only what the seat to act could see there. Its randomness hangs on the decision, the
world and how far the hand has gone, never on the act that is judged, so acts meet the same luck.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from euchre_env._jit import njit
from euchre_env.belief import BELIEF
from euchre_env.kernels import lowest_action, seed_of
from euchre_env.rules import N_ACTIONS, STATE, apply, legal, reward

from ..base import Actions, Agent, AgentError, Array, View, check_actions, view_of
from ..heuristic.player import choose
from .base import SearchAgent
from .utility import UTILITIES, equity_tables, fill_utility, utility_of
from .worlds import best_action, deal_worlds

MAX_COPIES = 200_000
"""The most worlds, and the most copies of worlds, that are held at a time by all threads."""

Integers = npt.NDArray[np.int64]


@njit
def _deal_all(states, rules, which, seeds, games, infer, equity, worlds, weights, utility):
    """Deal worlds[k] and fill utility[k] for the k-th of some games; a game that fails, or -1."""
    belief = np.zeros(1, BELIEF)
    for k in range(len(games)):
        i = games[k]
        s = states[i]
        r = rules[which[i]]
        if not deal_worlds(belief[0], s, r, seeds[i], infer, worlds[k], weights[k]):
            return i
        fill_utility(s, r, equity[which[i]], utility[k])
    return -1


@njit
def _branch(worlds, legal_sets, games, start, stop, copies, origin, acts):
    """Copy worlds ``start`` to ``stop``, counted over all games, once for each legal act.

    Fills the copies, the number of each one's world, and its act.
    """
    made = 0
    count = worlds.shape[1]
    for number in range(start, stop):
        k = number // count
        for action in range(N_ACTIONS):
            if (legal_sets[games[k]] >> action) & 1:
                copies[made] = worlds[k, number % count]
                origin[made] = number
                acts[made] = action
                made += 1


@njit
def _advance(copies, rules, which, live, actions, steps):
    """Apply an action to each live copy, then what is forced; moves those that go on to the front.

    ``steps`` counts what was applied to each copy. Returns how many go on.
    """
    going = 0
    for j in range(len(live)):
        i = live[j]
        s = copies[i]
        r = rules[which[i]]
        legal_set = np.int64(0)
        action = np.int64(actions[j])
        while True:
            apply(s, r, action)
            steps[i] += 1
            legal_set = legal(s, r)
            if legal_set == 0 or legal_set & (legal_set - 1) != 0:
                break
            action = np.int64(lowest_action(legal_set))
        if legal_set != 0:
            live[going] = i
            going += 1
    return going


@njit
def _policy_seeds(seeds, games, count, live, origin, steps, out):
    """A seed for the next decision of each live copy: from the game's, the world and the step."""
    for j in range(len(live)):
        i = live[j]
        of_world = seed_of(seeds[games[origin[i] // count]], np.uint64(origin[i] % count))
        out[j] = seed_of(of_world, np.uint64(steps[i]))


@njit
def _credit(states, games, weights, utility, copies, origin, acts, sums):
    """Add the weighted utility of each finished copy to its game's act."""
    count = weights.shape[1]
    for i in range(len(copies)):
        k = origin[i] // count
        net = reward(copies[i], states[games[k]].turn)
        sums[k, acts[i]] += weights[k, origin[i] % count] * utility_of(utility[k], net)


@njit
def _decide(states, rules, which, seeds, games, sums, out):
    for k in range(len(games)):
        i = games[k]
        r = rules[which[i]]
        out[i] = best_action(legal(states[i], r), sums[k], choose(states[i], r, seeds[i]))


@njit
def _forced_acts(legal_sets, out, start, stop):
    """Write the only action of each game that has no choice."""
    for i in range(start, stop):
        if legal_sets[i] & (legal_sets[i] - 1) == 0:
            out[i] = lowest_action(legal_sets[i])


@dataclass(frozen=True, eq=False)
class _Worlds:
    """The sampled worlds of G games.

    Attributes:
        games: int64[G], their rows of the view.
        states: STATE[G, N].
        weights: float64[G, N], of sum one for each game.
        utility: float64[G, UTILITIES], what net points are worth.
    """

    games: Integers
    states: Array
    weights: npt.NDArray[np.float64]
    utility: npt.NDArray[np.float64]

    @classmethod
    def blank(cls, games: Integers, count: int) -> _Worlds:
        """Room for ``count`` worlds of each game."""
        size = len(games)
        worlds = np.zeros((size, count), STATE)
        return cls(games, worlds, np.zeros((size, count)), np.zeros((size, UTILITIES)))


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
        if getattr(policy, "oracle", False):
            raise AgentError(
                f"{self.name!r}: {policy.name!r} sees hidden cards, so it cannot play worlds out "
                "honestly; name a player that is no oracle"
            )

    def _search(self, view: View, out: Actions, start: int, stop: int) -> int:
        _forced_acts(view.legal, out, start, stop)
        acts = view.legal[start:stop]
        choices = start + np.flatnonzero(acts & (acts - 1))
        size = max(1, self._limit // self.worlds)
        for first in range(0, len(choices), size):
            worlds = _Worlds.blank(choices[first : first + size], self.worlds)
            failed = self._deal(view, worlds)
            if failed >= 0:
                return failed
            sums = np.zeros((len(worlds.games), N_ACTIONS))
            for low, high in self._slices(view, worlds):
                self._judge(view, worlds, low, high, sums)
            _decide(view.states, view.rules, view.which, view.seeds, worlds.games, sums, out)
        return -1

    @property
    def _limit(self) -> int:
        return max(1, MAX_COPIES // self.threads)

    def _deal(self, view: View, worlds: _Worlds) -> int:
        """Sample the worlds of some games; returns a game that no deal explains, or -1."""
        equity = equity_tables(view.rulesets)
        return int(
            _deal_all(
                *(view.states, view.rules, view.which, view.seeds, worlds.games, self.infer),
                *(equity, worlds.states, worlds.weights, worlds.utility),
            )
        )

    def _slices(self, view: View, worlds: _Worlds) -> Iterator[tuple[int, int]]:
        """Ranges of worlds, counted over all games, whose copies fit in memory."""
        total = worlds.weights.size
        most = max(int(np.bitwise_count(view.legal[worlds.games]).max()), 1)
        size = max(1, self._limit // most)
        return ((low, min(low + size, total)) for low in range(0, total, size))

    def _judge(self, view: View, worlds: _Worlds, low: int, high: int, sums: Array) -> None:
        """Play some of the worlds out after every act and add up what came of it."""
        games = worlds.games[np.arange(low, high) // self.worlds]
        size = int(np.bitwise_count(view.legal[games]).sum())
        copies, origin, acts = np.empty(size, STATE), np.empty(size, int), np.empty(size, int)
        _branch(worlds.states, view.legal, worlds.games, low, high, copies, origin, acts)
        which = view.which[worlds.games[origin // self.worlds]]
        steps, live, actions = np.zeros(size, np.int64), np.arange(size), acts
        while True:
            going = _advance(copies, view.rules, which, live, actions, steps)
            if not going:
                break
            live = live[:going]
            seeds = np.empty(going, np.uint64)
            _policy_seeds(view.seeds, worlds.games, self.worlds, live, origin, steps, seeds)
            seen = view_of(copies, view.table, which, seeds, live)
            actions = check_actions(seen, self.policy.act(seen), self.policy.name)
        _credit(
            *(view.states, worlds.games, worlds.weights, worlds.utility),
            *(copies, origin, acts, sums),
        )
