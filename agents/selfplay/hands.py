"""Hands of self-play, many at once, with every decision as a row.

Hand ``h`` of a seed is the same whatever is played beside it: its rule set, dealer and deck come
from the stream (seed, h), and are those of the first episode of game ``h`` of a ``BatchEnv`` of
that seed. The agents' randomness comes from (seed, h, number of the decision). Seat ``s`` of hand
``h`` is played by agent ``(h + s) mod K`` of the K agents: one agent plays all seats, two are pairs
that swap seats from hand to hand (in games with partners), four go round the table.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env._jit import njit
from euchre_env.actions import TO_ABSOLUTE
from euchre_env.kernels import as_uint64, begin_games, legal_sets, lowest_action, seed_of
from euchre_env.rowfiles import PROBABILITIES, Rows, row_dtype
from euchre_env.rules import N_ACTIONS, N_SEATS, OVER, STATE, apply, legal, seat_reward
from euchre_env.ruleset import Ruleset

from ..base import (
    Actions,
    Agent,
    RuleTable,
    View,
    check_actions,
    decision_seeds,
    gives_probabilities,
    is_oracle,
    require_player,
    view_of,
)
from ..search.policy_search import probabilities_of

Array = npt.NDArray[Any]

MAX_STEPS = 64
"""More decisions than a hand can have: 20 cards, and a dozen or two of calls and answers."""
_AGENTS = np.uint64(0x5E1F)
"""Keeps the agents' streams apart from those of the deals."""


@dataclass(frozen=True, eq=False)
class Hands:
    """Some hands, played to the end.

    Attributes:
        first: The number of the first of the B hands.
        rows: Their decisions in order of hand and step, of :func:`euchre_env.rowfiles.row_dtype`.
        dealt: STATE[B], the records as dealt.
        final: STATE[B], the records at the end.
        which: int16[B], their rule sets.
        seating: uint8[B, 4], the agent at each seat.
        actions: int8[B, MAX_STEPS], all actions as absolute ids, of which
        steps: int64[B] were taken.
    """

    first: int
    rows: Rows
    dealt: Array
    final: Array
    which: npt.NDArray[np.int16]
    seating: npt.NDArray[np.uint8]
    actions: npt.NDArray[np.int8]
    steps: npt.NDArray[np.int64]


@njit
def _seed_hands(seed, first, states, bases):
    for i in range(len(states)):
        number = np.uint64(first + i)
        states[i].rng = seed_of(seed, number)
        bases[i] = seed_of(seed_of(seed, _AGENTS), number)


@njit
def _act(s, r, action, log, steps, i):
    if steps[i] >= MAX_STEPS:
        raise ValueError("a hand has more decisions than MAX_STEPS")
    log[i, steps[i]] = TO_ABSOLUTE[s.frame, action]
    steps[i] += 1
    apply(s, r, action)


@njit
def _skip_forced(states, rules, which, games, log, steps):
    """Play forced actions until there is a choice or the hand is over."""
    for k in range(len(games)):
        i = games[k]
        s, r = states[i], rules[which[i]]
        options = legal(s, r)
        while options != 0 and options & (options - 1) == 0:
            _act(s, r, lowest_action(options), log, steps, i)
            options = legal(s, r)


@njit
def _apply_all(states, rules, which, games, actions, log, steps):
    for k in range(len(games)):
        i = games[k]
        _act(states[i], rules[which[i]], actions[k], log, steps, i)


@njit
def _lowest(sets, out):
    for k in range(len(sets)):
        out[k] = lowest_action(sets[k])


@njit
def _rewards(final, rules, which, hands, first, seats, out):
    for k in range(len(hands)):
        i = hands[k] - first
        out[k] = seat_reward(final[i], rules[which[i]], np.int64(seats[k]))


class _Table:
    """Hands in play."""

    def __init__(
        self,
        agents: Sequence[Agent],
        rulesets: Sequence[Ruleset],
        seed: int,
        first: int,
        count: int,
        forced: bool,
    ) -> None:
        self.agents, self.first, self.forced = agents, first, forced
        self.table = RuleTable.of(rulesets)
        self.states = np.zeros(count, STATE)
        self.bases = np.zeros(count, np.uint64)
        self.which = np.zeros(count, np.int16)
        _seed_hands(as_uint64(seed), first, self.states, self.bases)
        begin_games(
            self.states, self.table.rules, self.which, 0, np.zeros(count, np.int64), 0, count
        )
        self.dealt = self.states.copy()
        numbers = np.arange(first, first + count)[:, None] + np.arange(N_SEATS)
        self.seating = (numbers % len(agents)).astype(np.uint8)
        self.log = np.full((count, MAX_STEPS), -1, np.int8)
        self.steps = np.zeros(count, np.int64)
        self.asked = np.zeros(count, np.int64)
        self.dtype = row_dtype(any(map(gives_probabilities, agents)))
        self.parts: list[Rows] = []

    def play(self) -> Hands:
        games = np.arange(len(self.states))
        while games.size:
            if not self.forced:
                _skip_forced(self.states, self.table.rules, self.which, games, self.log, self.steps)
                games = games[self.states["phase"][games] != OVER]
            self._decide(games)
            games = games[self.states["phase"][games] != OVER]
        return Hands(
            self.first,
            self._rows(),
            self.dealt,
            self.states,
            self.which,
            self.seating,
            self.log,
            self.steps,
        )

    def _decide(self, games: npt.NDArray[np.int64]) -> None:
        """One decision in each of some games, asked of the agents or forced."""
        sets = np.zeros(len(self.states), np.int64)
        legal_sets(self.states, self.table.rules, self.which, sets, 0, len(sets))
        sets = sets[games]
        choice = sets & (sets - 1) != 0
        who = self.seating[games, self.states["turn"][games]]
        if not choice.all():
            self._force(games[~choice], sets[~choice])
        for number, agent in enumerate(self.agents):
            mine = games[choice & (who == number)]
            if mine.size:
                self._ask(agent, number, mine)

    def _ask(self, agent: Agent, number: int, games: npt.NDArray[np.int64]) -> None:
        seeds = np.empty(len(games), np.uint64)
        decision_seeds(self.bases, self.asked, games, seeds)
        view = view_of(self.states, self.table, self.which, seeds, games, is_oracle(agent))
        actions = check_actions(view, agent.act(view), agent.name, games + self.first)
        chances: Any = np.nan
        if gives_probabilities(agent):
            chances = probabilities_of(agent, view)  # type: ignore[arg-type]
        self._keep(view, games, actions, number, chances)
        self.asked[games] += 1
        self._apply(games, actions)

    def _force(self, games: npt.NDArray[np.int64], sets: npt.NDArray[np.int64]) -> None:
        seeds = np.zeros(len(games), np.uint64)
        view = view_of(self.states, self.table, self.which, seeds, games)
        actions = np.empty(len(games), np.int64)
        _lowest(sets, actions)
        chances = np.zeros((len(games), N_ACTIONS), np.float32)
        chances[np.arange(len(games)), actions] = 1
        self._keep(view, games, actions, self.seating[games, view.seat], chances)
        self._apply(games, actions)

    def _apply(self, games: npt.NDArray[np.int64], actions: Actions) -> None:
        _apply_all(self.states, self.table.rules, self.which, games, actions, self.log, self.steps)

    def _keep(
        self, view: View, games: npt.NDArray[np.int64], actions: Actions, agent: Any, chances: Any
    ) -> None:
        rows = np.zeros(len(games), self.dtype)
        rows["hand"] = games + self.first
        rows["step"] = self.steps[games]
        rows["seat"] = view.seat
        rows["agent"] = agent
        rows["phase"] = view.states["phase"]
        rows["ruleset"] = self.which[games]
        rows["action"] = actions
        rows["observation"] = view.observation
        rows["action_mask"] = view.action_mask
        if PROBABILITIES in (self.dtype.names or ()):
            rows[PROBABILITIES] = chances
        self.parts.append(rows)

    def _rows(self) -> Rows:
        """All rows in order, with what came of each hand."""
        rows = np.concatenate([np.zeros(0, self.dtype), *self.parts])
        self.parts.clear()
        rows = rows[np.lexsort((rows["step"], rows["hand"]))]
        points = np.zeros(len(rows), np.float32)
        _rewards(
            *(self.states, self.table.rules, self.which),
            *(rows["hand"].copy(), self.first, rows["seat"].copy(), points),
        )
        rows["reward"] = points
        seats = rows["hand"] * N_SEATS + rows["seat"]
        _, backwards = np.unique(seats[::-1], return_index=True)
        rows["last"][len(rows) - 1 - backwards] = True
        return rows


def play_hands(
    agents: Sequence[Agent],
    rulesets: Sequence[Ruleset],
    seed: int,
    first: int,
    count: int,
    forced: bool = False,
) -> Hands:
    """Play hands ``first`` to ``first + count - 1`` of a seed, each at the score 0-0.

    Args:
        agents: Who plays; see the module for who sits where.
        rulesets: The rule sets, of which each hand draws one.
        seed: Of deals and agents.
        first: The number of the first hand.
        count: How many.
        forced: Whether decisions with one legal action get rows too; nobody is asked for them.

    Raises:
        AgentError: an agent gave no legal action, or cannot play these rules.
    """
    for ruleset in rulesets:
        require_player(agents, ruleset)
    return _Table(agents, rulesets, seed, first, count, forced).play()
