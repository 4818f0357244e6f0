"""Many tables played at once by any agents: the loop under every match.

All tables that wait for the same agent are answered by one call of it. Decisions with one legal
action are played without asking. What happens at a table depends on its deal, its seeds and its
agents alone, not on which other tables are played beside it.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env._jit import njit
from euchre_env.cards import WIDE_DECK, deck_length
from euchre_env.kernels import (
    as_uint64,
    lowest_action,
    play_forced,
    seed_of,
    shuffle,
    start_episode,
)
from euchre_env.rules import (
    N_SEATS,
    PLAY,
    STATE,
    UNDECIDED,
    apply,
    deal,
    legal,
    new_match,
    next_hand,
)
from euchre_env.ruleset import Ruleset

from ..base import Agent, RuleTable, check_actions, decision_seeds, is_oracle, view_of

Array = npt.NDArray[Any]
Seeds = npt.NDArray[np.uint64]

FINISHED = -1


@dataclass(frozen=True, eq=False)
class Played:
    """Tables that have been played to the end.

    Attributes:
        states: STATE[B], the final record of each table: calls, tricks, points, score.
        decisions: How many decisions the agents were asked for.
    """

    states: Array
    decisions: int

    @property
    def points(self) -> npt.NDArray[np.int64]:
        """int64[B, 2], the points of each team in the last hand; nothing for a hand thrown in."""
        return self.states["points"][:, :2].astype(np.int64)


# --- deals and seeds ---------------------------------------------------------------------------


@njit
def _fill_decks(seed, first, scratch, r, decks):
    for k in range(len(decks)):
        scratch[0].rng = seed_of(seed, np.uint64(first + k))
        shuffle(scratch[0], r, decks[k])


def decks_of(seed: int, first: int, count: int, ruleset: Ruleset) -> npt.NDArray[np.int8]:
    """The decks of ``count`` deals from number ``first`` on, by (seed, deal): int8[count, 25].

    With 28 or 32 cards they are int8[count, 32].
    """
    decks = np.empty((count, deck_length(ruleset.lowest_rank)), np.int8)
    _fill_decks(as_uint64(seed), first, np.zeros(1, STATE), ruleset.record()[0], decks)
    return decks


@njit
def _fill_streams(seed, first, table, out):
    for k in range(len(out)):
        stream = seed_of(seed, np.uint64(first + k))
        out[k] = stream if table < 0 else seed_of(stream, np.uint64(table))


def streams_of(seed: int, first: int, count: int, table: int = -1) -> Seeds:
    """A seed for each of ``count`` deals, by (seed, deal) or (seed, deal, table): uint64[count]."""
    out = np.empty(count, np.uint64)
    _fill_streams(as_uint64(seed), first, table, out)
    return out


# --- playing -----------------------------------------------------------------------------------


@njit
def _to_play(s, r):
    """Whether there is a decision to come before the play."""
    options = legal(s, r)
    while options != 0 and s.phase != PLAY and options & (options - 1) == 0:
        apply(s, r, lowest_action(options))
        options = legal(s, r)
    return options != 0 and s.phase != PLAY


@njit
def _next_decision(s, r, hands, max_hands, deck):
    """Go on to the next decision with a choice; returns the hands begun so far, 0 at the end.

    With ``max_hands`` 0 a hand ends when the play begins.
    """
    if max_hands == 0:
        return np.int64(_to_play(s, r))
    while play_forced(s, r) == 0:
        if s.match_winner != UNDECIDED or hands >= max_hands:
            return 0
        shuffle(s, r, deck)
        next_hand(s, r, deck)
        hands += 1
    return hands


@njit
def _await(states, r, seating, hands, max_hands, acting, i, deck):
    hands[i] = _next_decision(states[i], r, hands[i], max_hands, deck)
    acting[i] = FINISHED if hands[i] == 0 else seating[i, states[i].turn]


@njit
def _begin(states, r, seating, hands, max_hands, acting):
    deck = np.empty(WIDE_DECK, np.int8)
    for i in range(len(states)):
        _await(states, r, seating, hands, max_hands, acting, i, deck)


@njit
def _advance(states, r, games, actions, numbers, seating, hands, max_hands, acting):
    deck = np.empty(WIDE_DECK, np.int8)
    for k in range(len(games)):
        i = games[k]
        apply(states[i], r, actions[k])
        numbers[i] += 1
        _await(states, r, seating, hands, max_hands, acting, i, deck)


class _Tables:
    """Tables in play: their records, who sits where, and which agent each of them waits for."""

    def __init__(
        self, states: Array, ruleset: Ruleset, seating: npt.ArrayLike, seeds: Seeds, max_hands: int
    ) -> None:
        count = len(states)
        self.states, self.seeds, self.max_hands = states, seeds, max_hands
        self.table = RuleTable.of([ruleset])
        self.record = self.table.rules[0]
        wide = np.broadcast_to(np.asarray(seating, np.int8), (count, N_SEATS))
        self.seating = np.ascontiguousarray(wide)
        self.which = np.zeros(count, np.int16)
        self.numbers = np.zeros(count, np.int64)
        self.hands = np.ones(count, np.int64)
        self.acting = np.full(count, FINISHED, np.int8)
        _begin(states, self.record, self.seating, self.hands, max_hands, self.acting)

    def ask(self, agent: Agent, games: npt.NDArray[np.int64]) -> None:
        seeds = np.empty(len(games), np.uint64)
        decision_seeds(self.seeds, self.numbers, games, seeds)
        view = view_of(self.states, self.table, self.which, seeds, games, is_oracle(agent))
        actions = check_actions(view, agent.act(view), agent.name, games)
        _advance(
            self.states,
            self.record,
            games,
            actions,
            self.numbers,
            self.seating,
            self.hands,
            self.max_hands,
            self.acting,
        )

    def play(self, agents: Sequence[Agent]) -> Played:
        while True:
            for k, agent in enumerate(agents):
                games = np.flatnonzero(self.acting == k)
                if games.size:
                    self.ask(agent, games)
            if (self.acting == FINISHED).all():
                return Played(self.states, int(self.numbers.sum()))


# --- hands and games ---------------------------------------------------------------------------


@njit
def _deal_hands(states, r, decks, dealers):
    for i in range(len(states)):
        new_match(states[i], r)
        deal(states[i], r, decks[i], dealers[i])


def play_hands(
    agents: Sequence[Agent],
    seating: npt.ArrayLike,
    decks: npt.NDArray[np.int8],
    dealers: npt.NDArray[np.int64],
    ruleset: Ruleset,
    seeds: Seeds,
    *,
    until_play: bool = False,
) -> Played:
    """Play one hand at each of B tables, at the score 0-0.

    Args:
        agents: The agents at the tables.
        seating: int[4] or int[B, 4], the index in ``agents`` of who plays each seat.
        decks: int8[B, 25] or int8[B, 32], as :func:`euchre_env.rules.deal` takes them.
        dealers: int[B].
        ruleset: The rules. A hand that they throw in ends there and scores nothing.
        seeds: uint64[B], the agents' randomness at each table.
        until_play: Whether to stop where the first card would be led.

    Raises:
        AgentError: an agent gave no legal action.
    """
    states = np.zeros(len(decks), STATE)
    _deal_hands(states, ruleset.record()[0], decks, dealers)
    return _Tables(states, ruleset, seating, seeds, 0 if until_play else 1).play(agents)


@njit
def _deal_games(states, r, streams, dealers):
    deck = np.empty(WIDE_DECK, np.int8)
    for i in range(len(states)):
        states[i].rng = streams[i]
        start_episode(states[i], r, dealers[i], deck)


def play_games(
    agents: Sequence[Agent],
    seating: npt.ArrayLike,
    streams: Seeds,
    dealers: npt.NDArray[np.int64],
    ruleset: Ruleset,
    seeds: Seeds,
    max_hands: int = 1000,
) -> Played:
    """Play a whole game (or match, as the rule set has it) at each of B tables.

    Args:
        agents: The agents at the tables.
        seating: int[4] or int[B, 4], the index in ``agents`` of who plays each seat.
        streams: uint64[B]; tables with equal streams get the same deck in their n-th hand.
        dealers: int[B], the first dealers.
        ruleset: The rules.
        seeds: uint64[B], the agents' randomness at each table.
        max_hands: Hands after which a game is broken off, undecided.

    Raises:
        AgentError: an agent gave no legal action.
    """
    states = np.zeros(len(streams), STATE)
    _deal_games(states, ruleset.record()[0], streams, dealers)
    return _Tables(states, ruleset, seating, seeds, max_hands).play(agents)
