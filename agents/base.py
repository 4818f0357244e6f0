"""What an agent is, and all that it is shown.

An agent answers many games at once: :meth:`Agent.act` gets a :class:`View` of B games that each
wait for a decision, and returns B actions. A view is built by :func:`view_of` alone, from records
that :func:`euchre_env.rules.hide` has cleared for the seat to act, so no agent can see a hidden
card unless it declares itself an oracle.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from euchre_env._jit import njit
from euchre_env.actions import action_text, count_actions
from euchre_env.cards import is_wide
from euchre_env.encoding import blank_observations, encode_seen, observation_size
from euchre_env.kernels import first_illegal, legal_sets, seed_of
from euchre_env.rules import STATE, hide
from euchre_env.ruleset import Ruleset

Array = npt.NDArray[Any]
Actions = npt.NDArray[np.int64]


class AgentError(ValueError):
    """An agent that does not exist, cannot be made, or gave an answer that is no legal action."""


@dataclass(frozen=True, eq=False)
class RuleTable:
    """The rule sets that a batch of games is played by, in the forms that compiled code reads.

    Attributes:
        rulesets: The K rule sets.
        rules: RULES[K], their records.
        blanks: uint8[K, D], their observations before anything is seen.
    """

    rulesets: tuple[Ruleset, ...]
    rules: Array
    blanks: Array

    @classmethod
    def of(cls, rulesets: Sequence[Ruleset]) -> RuleTable:
        """The table of some rule sets."""
        records = np.concatenate([r.record() for r in rulesets])
        return cls(tuple(rulesets), records, blank_observations(*rulesets))


@dataclass(frozen=True, eq=False)
class View:
    """B games that wait for a decision, as the seat to act in each of them may know them.

    Attributes:
        states: STATE[B], cleared of all that the seat to act cannot know.
        table: The rule sets in play.
        which: int16[B], the row of ``table`` for each game.
        seeds: uint64[B]: all the randomness an agent may use, so that a rerun acts the same.
        full_states: STATE[B], uncleared, for agents that declare themselves oracles; else None.
    """

    states: Array
    table: RuleTable
    which: npt.NDArray[np.int16]
    seeds: npt.NDArray[np.uint64]
    full_states: Array | None = None

    def __len__(self) -> int:
        """The number of games, B."""
        return len(self.states)

    @property
    def rules(self) -> Array:
        """RULES[K], the rule records; game ``i`` is played by ``rules[which[i]]``."""
        return self.table.rules

    @property
    def blanks(self) -> Array:
        """uint8[K, D], the observations before anything is seen."""
        return self.table.blanks

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """The K rule sets."""
        return self.table.rulesets

    @property
    def seat(self) -> npt.NDArray[np.int8]:
        """int8[B], the seat to act."""
        return self.states["turn"]

    @cached_property
    def legal(self) -> npt.NDArray[np.int64]:
        """int64[B], the legal actions as bit sets of trump-relative ids."""
        sets = np.empty(len(self), np.int64)
        legal_sets(self.states, self.rules, self.which, sets, 0, len(self))
        return sets

    @cached_property
    def action_mask(self) -> npt.NDArray[np.int8]:
        """int8[B, 38], the legal actions by trump-relative id; 46 with cards below nine."""
        mask = np.empty((len(self), count_actions(*self.rulesets)), np.int8)
        _spread(self.legal, mask)
        return mask

    @cached_property
    def observation(self) -> npt.NDArray[np.uint8]:
        """uint8[B, D], the observations of the seats to act in the trump-relative frame."""
        out = np.empty((len(self), observation_size(*self.rulesets)), np.uint8)
        _encode(self.states, self.blanks, self.which, out)
        return out

    def select(self, rows: npt.ArrayLike) -> View:
        """The view of some of the games, by their rows or a mask."""
        rows = np.asarray(rows)
        full = None if self.full_states is None else self.full_states[rows]
        return View(self.states[rows], self.table, self.which[rows], self.seeds[rows], full)


class Agent(Protocol):
    """Whoever decides: one object plays any seat of any number of games, and remembers none.

    Each row of a view is to be answered by itself: the answer may not depend on the other rows.

    Attributes:
        name: What reports call it; the registry's ``make(name)`` gives the same agent.
        oracle: Whether it is shown hidden cards; every report then says so.

    An agent that also plays games without partners says so by ``plays_alone = True``, and one that
    plays with 28 or 32 cards by ``plays_large_decks = True``.
    """

    name: str
    oracle: bool

    def act(self, view: View) -> Actions:
        """One legal action for each game, int[B], as trump-relative ids."""
        ...


def require_player(agents: Sequence[Agent], ruleset: Ruleset) -> None:
    """Refuse agents that cannot play a game: one without partners is for those that say so.

    Raises:
        AgentError: one of them only knows the partnership game, or the deck of 24 cards.
    """
    for agent in agents:
        require_deck(agent, [ruleset])
    if ruleset.is_partnership:
        return
    for agent in agents:
        if not getattr(agent, "plays_alone", False):
            raise AgentError(
                f"{agent.name} plays the partnership game only, not variant={ruleset.variant!r}: "
                "name random, first_legal, greedy, pimc:N, or a policy trained for it"
            )


def require_deck(agent: Any, rulesets: Sequence[Ruleset]) -> None:
    """Refuse games with 28 or 32 cards to an agent that knows the deck of 24 only.

    Raises:
        AgentError: one of the rule sets has such a deck, and the agent does not say it plays it.
    """
    for ruleset in rulesets:
        if ruleset.is_wide and not getattr(agent, "plays_large_decks", False):
            raise AgentError(
                f"{agent.name} plays with the deck of 24 cards only, not "
                f"lowest_rank={ruleset.lowest_rank}: name random, first_legal, greedy, pimc:N, or "
                "a policy trained for it"
            )


def is_oracle(agent: Agent) -> bool:
    """Whether an agent is shown hidden cards."""
    return bool(getattr(agent, "oracle", False))


def gives_probabilities(agent: Agent) -> bool:
    """Whether an agent says how likely its acts are."""
    return callable(getattr(agent, "probabilities", None))


# --- building views ----------------------------------------------------------------------------


@njit
def _clear(states, rules, which, games, seen):
    for k in range(len(games)):
        i = games[k]
        seen[k] = states[i]
        s = seen[k]
        hide(s, rules[which[i]], np.int64(s.turn))


@njit
def _spread(sets, masks):
    for i in range(len(sets)):
        for a in range(masks.shape[1]):
            masks[i, a] = (sets[i] >> a) & 1


@njit
def _encode(seen, blanks, which, out):
    scratch = np.empty(1, STATE)
    for i in range(len(seen)):
        s = seen[i]
        if is_wide(s.frame):
            scratch[0] = s
            s = scratch[0]
        encode_seen(s, blanks[which[i]], np.int64(s.turn), False, out[i])


def view_of(
    states: Array,
    table: RuleTable,
    which: npt.NDArray[np.int16],
    seeds: npt.NDArray[np.uint64],
    games: npt.NDArray[np.int64] | None = None,
    oracle: bool = False,
) -> View:
    """The view of some of the games of a batch, all of which wait for a decision.

    Args:
        states: STATE[N], full records; they are not changed.
        table: The rule sets in play.
        which: int16[N], the row of ``table`` for each game.
        seeds: uint64[B], one for each game that is viewed.
        games: int64[B], the games to view; all of them unless given.
        oracle: Whether to add the full records.
    """
    if games is None:
        games = np.arange(len(states))
    seen = np.empty(len(games), STATE)
    _clear(states, table.rules, which, games, seen)
    return View(seen, table, which[games], seeds, states[games] if oracle else None)


@njit
def decision_seeds(bases, numbers, games, out):
    """Write a seed for the next decision of some games, from the game's base and its number."""
    for k in range(len(games)):
        i = games[k]
        out[k] = seed_of(bases[i], np.uint64(numbers[i]))


# --- checking answers --------------------------------------------------------------------------


def check_actions(
    view: View, actions: npt.ArrayLike, name: str, games: npt.NDArray[np.int64] | None = None
) -> Actions:
    """The actions that agent ``name`` gave for a view, as int64[B], if all of them are legal.

    Args:
        view: What the agent was shown.
        actions: What it answered.
        name: The agent, for the message.
        games: int64[B], the numbers by which the message calls the games; the rows unless given.

    Raises:
        AgentError: a wrong shape or type, or an action that is not legal.
    """
    given = np.asarray(actions)
    if given.shape != (len(view),) or given.dtype.kind not in "iu":
        raise AgentError(
            f"agent {name!r} answered {len(view)} games with an array of shape {given.shape} and "
            f"type {given.dtype}: one integer for each game is needed"
        )
    chosen = given.astype(np.int64, copy=False)
    bad = int(first_illegal(view.states, view.legal, chosen, False, 0, len(view)))
    if bad >= 0:
        number = bad if games is None else int(games[bad])
        raise AgentError(_complaint(view, bad, int(given[bad]), name, number))
    return chosen


def _complaint(view: View, row: int, action: int, name: str, game: int) -> str:
    s = view.states[row]
    legal = [action_text(a, "trump", s) for a in np.flatnonzero(view.action_mask[row]).tolist()]
    known = 0 <= action < len(view.action_mask[row])
    word = action_text(action, "trump", s) if known else "no action"
    return (
        f"agent {name!r} chose {action} ({word}) in game {game}, seat {int(s['turn'])}: "
        f"legal are {', '.join(legal)}"
    )
