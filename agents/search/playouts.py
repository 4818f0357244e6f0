"""Sampled worlds played out by any agent, those of many games side by side.

The agent decides for all worlds at once, and sees of a world only what the seat to act could see
there. Its randomness hangs on the decision, the world and how far the hand has gone, never on the
act that is judged, so acts meet the same luck.
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
from euchre_env.rules import N_ACTIONS, STATE, apply, legal, reward, team

from ..base import Actions, Agent, AgentError, Array, View, check_actions, is_oracle, view_of
from .utility import UTILITIES, equity_tables, fill_utility, utility_of
from .worlds import deal_worlds

MAX_COPIES = 200_000
"""The most worlds, and the most copies of worlds, that are held at a time by all threads."""

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def refuse_oracle(policy: Agent, name: str) -> None:
    """Refuse a policy that sees hidden cards: it would play worlds out as nobody at a table can.

    Raises:
        AgentError: ``policy`` is an oracle; ``name`` is the agent that was to use it.
    """
    if is_oracle(policy):
        raise AgentError(
            f"{name!r}: {policy.name!r} sees hidden cards, so it cannot play worlds out "
            "honestly; name a player that is no oracle"
        )


def copies_at_a_time(threads: int) -> int:
    """How many worlds, or copies of worlds, one of some threads may hold at a time."""
    return max(1, MAX_COPIES // threads)


def open_games(legal_sets: Integers, out: Integers, start: int, stop: int) -> Integers:
    """Write the only act of each game that has no choice; returns the rows of the others."""
    _forced_acts(legal_sets, out, start, stop)
    sets = legal_sets[start:stop]
    return start + np.flatnonzero(sets & (sets - 1))


@njit
def _forced_acts(legal_sets, out, start, stop):
    for i in range(start, stop):
        if legal_sets[i] & (legal_sets[i] - 1) == 0:
            out[i] = lowest_action(legal_sets[i])


# --- worlds ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Worlds:
    """The sampled worlds of G games.

    Attributes:
        games: int64[G], their rows of the view.
        states: STATE[G, N].
        weights: float64[G, N], of sum one for each game.
        utility: float64[G, UTILITIES], what net points are worth.
    """

    games: Integers
    states: Array
    weights: Floats
    utility: Floats

    @classmethod
    def blank(cls, games: Integers, count: int) -> Worlds:
        """Room for ``count`` worlds of each game."""
        size = len(games)
        worlds = np.zeros((size, count), STATE)
        return cls(games, worlds, np.zeros((size, count)), np.zeros((size, UTILITIES)))

    @property
    def count(self) -> int:
        """The number of worlds of each game, N."""
        return self.states.shape[1]

    def deal(self, view: View, infer: bool) -> int:
        """Sample all worlds; returns a row of the view that no deal explains, or -1.

        Args:
            view: The decisions.
            infer: Whether to weight worlds by the hand-written player's acts.
        """
        equity = equity_tables(view.rulesets)
        return int(
            _deal_all(
                *(view.states, view.rules, view.which, view.seeds, self.games, infer),
                *(equity, self.states, self.weights, self.utility),
            )
        )

    def slices(self, size: int) -> Iterator[tuple[int, int]]:
        """Ranges of ``size`` worlds or fewer, counted over all games."""
        total, size = self.weights.size, max(1, size)
        return ((low, min(low + size, total)) for low in range(0, total, size))


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


# --- playing out -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What came of some worlds after some acts, C results; those of a world follow each other.

    Attributes:
        origin: int64[C], the number of the world, counted over all games.
        acts: int64[C], the act that was judged.
        worth: float64[C], the utility of the result to the team of the seat that decides.
    """

    origin: Integers
    acts: Integers
    worth: Floats


def play_out(
    view: View,
    worlds: Worlds,
    acts: Integers,
    low: int,
    high: int,
    policy: Agent,
    opponent: Agent | None = None,
) -> Outcomes:
    """Play worlds ``low`` to ``high`` to the end of the hand after each of some acts.

    Args:
        view: The decisions.
        worlds: The worlds of some of its games; those of weight zero are left out.
        acts: int64[G], the acts to judge in each game, as bit sets.
        low: The first world, counted over all games.
        high: The world after the last.
        policy: Who plays in the seats of the team that decides.
        opponent: Who plays in the others; the policy too unless given.

    Raises:
        AgentError: one of them gave an answer that is no legal action.
    """
    numbers = low + np.flatnonzero(worlds.weights.reshape(-1)[low:high])
    size = int(np.bitwise_count(acts[numbers // worlds.count]).sum())
    copies, origin, judged = np.empty(size, STATE), np.empty(size, int), np.empty(size, int)
    _branch(worlds.states, acts, numbers, copies, origin, judged)
    which = view.which[worlds.games[origin // worlds.count]]
    steps, live, actions = np.zeros(size, np.int64), np.arange(size), judged
    while True:
        going = _advance(copies, view.rules, which, live, actions, steps)
        if not going:
            break
        live = live[:going]
        seeds = np.empty(going, np.uint64)
        _policy_seeds(view.seeds, worlds.games, worlds.count, live, origin, steps, seeds)
        seen = view_of(copies, view.table, which, seeds, live)
        deciders = view.seat[worlds.games[origin[live] // worlds.count]]
        actions = _answers(seen, deciders, policy, opponent)
    worth = np.empty(size)
    _assess(view.states, worlds.games, worlds.utility, worlds.count, copies, origin, worth)
    return Outcomes(origin, judged, worth)


def partners_of(seats: npt.NDArray[np.integer], deciders: npt.NDArray[np.integer]) -> Array:
    """Whether each seat is of the team of the seat that decides, bool[B]."""
    return np.asarray(team(seats) == team(deciders))


def _answers(
    seen: View, deciders: npt.NDArray[np.integer], policy: Agent, opponent: Agent | None
) -> Actions:
    """What the policy does in the seats of the deciding team, and the opponent in the others."""
    if opponent is None:
        return check_actions(seen, policy.act(seen), policy.name)
    actions = np.empty(len(seen), np.int64)
    own = partners_of(seen.seat, deciders)
    for rows, who in ((own, policy), (~own, opponent)):
        if rows.any():
            some = seen.select(rows)
            actions[rows] = check_actions(some, who.act(some), who.name)
    return actions


@njit
def _branch(worlds, sets, numbers, copies, origin, acts):
    """Copy some worlds, given by number over all games, once for each act of their game.

    Fills the copies, the number of each one's world, and its act.
    """
    made = 0
    count = worlds.shape[1]
    for number in numbers:
        k = number // count
        for action in range(N_ACTIONS):
            if (sets[k] >> action) & 1:
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
def _assess(states, games, utility, count, copies, origin, worth):
    """Write the utility of each finished copy to the team of the seat that decides."""
    for i in range(len(copies)):
        k = origin[i] // count
        net = reward(copies[i], states[games[k]].turn)
        worth[i] = utility_of(utility[k], net)


@njit
def credit(weights, origin, acts, worth, sums):
    """Add the weighted worth of each outcome to its game's act, float64[G, 38]."""
    count = weights.shape[1]
    for i in range(len(origin)):
        k = origin[i] // count
        sums[k, acts[i]] += weights[k, origin[i] % count] * worth[i]
