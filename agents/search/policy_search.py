"""``search:N,by:POLICY[,against:AGENT]``: one step of search on top of a trained policy.

The policy says which acts are worth a thought. Worlds are sampled from what the seat has seen
(:mod:`euchre_env.belief`) and weighted by the policy's probability of everything that the other
seats did in them. The likeliest acts are then played out by the policy in the same N worlds, and
another act than the policy's own is taken only where it is better beyond chance: a step of policy
iteration at the table (the rollouts of Tesauro and Galperin 1996, over a belief). It sees and
draws nothing that other players do not.

``against:AGENT`` says who the opponents are thought to be: worlds are weighted, and played out, by
AGENT's acts in their seats. That gains against AGENT and may lose against others.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from euchre_env._jit import njit
from euchre_env.belief import replay_worlds
from euchre_env.cards import ONE
from euchre_env.rules import N_ACTIONS, PASS, PLAY, STATE

from ..base import Actions, Agent, AgentError, Array, View, check_actions, gives_probabilities
from .base import MAX_WORLDS, SearchAgent
from .playouts import (
    Floats,
    Integers,
    Outcomes,
    Worlds,
    copies_at_a_time,
    credit,
    open_games,
    partners_of,
    play_out,
    refuse_oracle,
)
from .utility import CENTRE
from .worlds import TIE, normalise

CANDIDATES = 4
"""Worlds that are dealt for each one that is played out; what made the contract says which."""
MOST_ACTS = 4
"""The most acts of a decision that are judged, the policy's likeliest."""
LEAST_CHANCE = 0.02
"""An act that the policy takes less often than this is not judged."""
FLOOR = 0.05
"""The share of acts that are taken uniformly, since other players are not the policy."""
MARGIN = 1.0
"""Standard errors of the paired difference by which an act has to beat the policy's own.

On top of a policy of a minute's training, N = 50, 500 duplicate deals with seed 7, margins of 0, 1
and 2 gained 0.10 ± 0.06, 0.07 ± 0.04 and 0.06 ± 0.03: more risk for more gain, none clearly best.
"""

SURE = 2.0
"""The least margin by which advice departs from the policy: a person takes it for the truth."""

ACTS_A_WORLD = 20
"""About as many acts of other seats as the history of a world holds; bounds memory."""
ROWS = 4096
"""Decisions whose probabilities are asked for at a time."""


class PolicyAgent(Agent, Protocol):
    """An agent that can say how likely each of its acts is."""

    def probabilities(self, view: View) -> npt.NDArray[np.float32]:
        """The probability of each act, float32[B, 38], each row by itself; zero where illegal."""
        ...


class Certain:
    """An agent that gives no probabilities, as a policy that is sure of what it does.

    Args:
        agent: Any agent.
    """

    oracle = False

    def __init__(self, agent: Agent) -> None:
        self.name, self.act = agent.name, agent.act

    def probabilities(self, view: View) -> npt.NDArray[np.float32]:
        """One for the act that the agent takes, float32[B, 38]."""
        found = np.zeros((len(view), N_ACTIONS), np.float32)
        found[np.arange(len(view)), check_actions(view, self.act(view), self.name)] = 1.0
        return found


def _as_policy(agent: Agent) -> PolicyAgent:
    return agent if gives_probabilities(agent) else Certain(agent)  # type: ignore[return-value]


def parse_worlds(family: str, text: str) -> int:
    """The number of worlds in the parameter of a family of this kind.

    Raises:
        AgentError: not a number from 1 to MAX_WORLDS.
    """
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= MAX_WORLDS:
        raise AgentError(
            f"'{family}:{text}': give a number of worlds from 1 to {MAX_WORLDS}, such as "
            f"'{family}:100'; the policy itself weights them, so nothing follows the number"
        )
    return int(text)


# --- the policy's opinions ---------------------------------------------------------------------


def probabilities_of(policy: PolicyAgent, view: View) -> npt.NDArray[np.float32]:
    """The policy's probability of each act, float32[B, 38], asked for in pieces.

    Raises:
        AgentError: an answer of the wrong shape, or numbers that are no probabilities.
    """
    found = np.empty((len(view), N_ACTIONS), np.float32)
    for k in range(0, len(view), ROWS):
        rows = np.arange(k, min(k + ROWS, len(view)))
        given = np.asarray(policy.probabilities(view.select(rows)))
        if given.shape != (len(rows), N_ACTIONS) or not np.all((given >= 0) & (given <= 1.001)):
            raise AgentError(
                f"agent {policy.name!r} gave probabilities of shape {given.shape} for "
                f"{len(rows)} games: ({len(rows)}, {N_ACTIONS}) numbers from 0 to 1 are needed"
            )
        found[rows] = given
    return found


def likeliest(view: View, chances: npt.NDArray[np.float32]) -> Integers:
    """The likeliest legal act of each game, int64[B], by chances float32[B, 38]."""
    return np.where(view.action_mask != 0, chances, -1.0).argmax(1)


@njit
def shortlist(chances, legal_sets, most, least, acts, favourites):
    """Write the likeliest legal acts of each game as a bit set, and the likeliest of all."""
    for i in range(len(chances)):
        acts[i] = 0
        for rank in range(most):
            best = -1
            for action in range(N_ACTIONS):
                free = ((legal_sets[i] & ~acts[i]) >> action) & 1
                if free and (best < 0 or chances[i, action] > chances[i, best]):
                    best = action
            if best < 0 or (rank > 0 and chances[i, best] < least):
                break
            if rank == 0:
                favourites[i] = best
            acts[i] |= ONE << best


# --- weights of worlds -------------------------------------------------------------------------


@njit
def _replay(worlds, numbers, rules, which, seats, records, actions, owners):
    """Write the other seats' choices in some worlds, given by number over all games.

    Fills the cleared records, the acts, and which of ``numbers`` each belongs to, as far as there
    is room; returns how many there are.
    """
    count = worlds.shape[1]
    found = 0
    for n in range(len(numbers)):
        k = numbers[n] // count
        j = numbers[n] % count
        at = min(found, len(records))
        found += replay_worlds(
            worlds[k, j : j + 1],
            rules[which[k] : which[k] + 1],
            np.int64(seats[k]),
            True,
            records[at:],
            actions[at:],
            owners[at:],
        )
        owners[at : min(found, len(records))] = n
    return found


@njit
def _draw_worlds(logs, most, weights):
    """Turn logarithms of weights into those of ``most`` worlds drawn by them, of sum one.

    Systematic resampling (Kitagawa 1996) from the middle of each interval: a world of share ``w``
    is drawn ``most * w`` times, rounded up or down.
    """
    for k in range(len(logs)):
        shares = np.exp(logs[k] - logs[k].max())
        normalise(shares)
        passed = 0.0
        drawn = 0
        for j in range(len(shares)):
            passed += shares[j]
            upto = min(int(np.floor(passed * most + 0.5 + TIE)), most)
            weights[k, j] = (upto - drawn) / most
            drawn = upto


@njit
def _reweigh(logs, weights):
    """Multiply weights by what the logarithms say, and bring them to a sum of one."""
    for k in range(len(logs)):
        highest = -np.inf
        for j in range(logs.shape[1]):
            if weights[k, j] > 0.0:
                highest = max(highest, logs[k, j])
        for j in range(logs.shape[1]):
            if weights[k, j] > 0.0:
                weights[k, j] *= np.exp(logs[k, j] - highest)
        normalise(weights[k])


def _pieces(numbers: Integers, size: int) -> Iterator[Integers]:
    """The numbers in pieces of ``size`` or fewer."""
    return (numbers[k : k + max(1, size)] for k in range(0, len(numbers), max(1, size)))


def log_likelihoods(
    policy: PolicyAgent,
    view: View,
    worlds: Worlds,
    telling: bool,
    size: int,
    opponent: PolicyAgent | None = None,
) -> Floats:
    """How likely the policy would have acted as the other seats did, as logarithms.

    Args:
        policy: Who is supposed to sit in the other seats, but for a share of :data:`FLOOR` of acts.
        view: The decisions.
        worlds: The worlds of some of its games; those of weight zero are left out.
        telling: Whether to count what made the contract, which says most (calls, answers, the
            discard), or else the passes and the cards played.
        size: The most worlds whose histories are held at a time.
        opponent: Who is supposed to sit in the seats of the other team; the policy unless given.

    Returns:
        float64[G, N], the sum over the choices of other seats that led to the decision.
    """
    which, seats = view.which[worlds.games], view.seat[worlds.games]
    logs = np.zeros(worlds.weights.size)
    nothing: Integers = np.zeros(0, np.int64)
    for numbers in _pieces(np.flatnonzero(worlds.weights), size):
        place = (worlds.states, numbers, view.rules, which, seats)
        count = _replay(*place, np.empty(0, STATE), nothing, nothing)
        records, actions, owners = (np.empty(count, t) for t in (STATE, np.int64, np.int64))
        _replay(*place, records, actions, owners)
        rows = np.flatnonzero(_is_telling(records, actions) == telling)
        games = worlds.games[numbers[owners[rows]] // worlds.count]
        seen = View(records[rows], view.table, view.which[games], view.seeds[games])
        if opponent is None:
            chances = _chances_taken(policy, seen, actions[rows])
        else:
            own = partners_of(seen.seat, view.seat[games])
            chances = np.empty(len(rows))
            for part, who in ((own, policy), (~own, opponent)):
                chances[part] = _chances_taken(who, seen.select(part), actions[rows[part]])
        logs[numbers] = np.bincount(owners[rows], np.log(chances), len(numbers))
    return logs.reshape(worlds.weights.shape)


def _is_telling(records: Array, actions: Integers) -> npt.NDArray[np.bool_]:
    return (records["phase"] != PLAY) & (actions != PASS)


def _chances_taken(policy: PolicyAgent, seen: View, actions: Integers) -> Floats:
    """The probability of the acts that were taken, with the floor, float64[B]."""
    chances = probabilities_of(policy, seen)[np.arange(len(seen)), actions].astype(np.float64)
    return (1 - FLOOR) * chances + FLOOR / np.bitwise_count(seen.legal)


# --- choosing ----------------------------------------------------------------------------------


@njit
def _compare(weights, favourites, origin, acts, worth, sums):
    """Add up paired differences to the policy's own act, float64[G, 38, 3].

    The three are, over worlds of weight w and difference d: w d, w^2 d, w^2 d^2.
    """
    count = weights.shape[1]
    first = 0
    while first < len(origin):
        number = origin[first]
        k = number // count
        last = first
        own = 0.0
        while last < len(origin) and origin[last] == number:
            if acts[last] == favourites[k]:
                own = worth[last]
            last += 1
        w = weights[k, number % count]
        for i in range(first, last):
            d = worth[i] - own
            sums[k, acts[i], 0] += w * d
            sums[k, acts[i], 1] += w * w * d
            sums[k, acts[i], 2] += w * w * d * d
        first = last


@njit
def _gain(sums, squares):
    """The mean of paired differences and its standard error, from three sums and the weights'."""
    gain = sums[0]
    variance = sums[2] - gain * (2.0 * sums[1] - gain * squares)
    return gain, np.sqrt(max(variance, 0.0))


@njit
def _overrule(weights, favourites, acts, sums, margin, games, out):
    """Write each game's act: the best of those that beat the policy's own by the margin."""
    for k in range(len(games)):
        squares = (weights[k] * weights[k]).sum()
        best = np.int64(favourites[k])
        highest = 0.0
        for action in range(N_ACTIONS):
            if (acts[k] >> action) & 1:
                gain, error = _gain(sums[k, action], squares)
                if gain > highest + TIE and gain > margin * error:
                    best = np.int64(action)
                    highest = gain
        out[games[k]] = best


@njit
def _errors(weights, acts, sums, out):
    """Write the standard error of each act's difference to the policy's own, float64[G, 38]."""
    for k in range(len(acts)):
        squares = (weights[k] * weights[k]).sum()
        for action in range(N_ACTIONS):
            if (acts[k] >> action) & 1:
                out[k, action] = _gain(sums[k, action], squares)[1]


class Judgement(NamedTuple):
    """What the search thinks of all legal acts of B decisions; points are those of the seat's team.

    Attributes:
        chances: float32[B, 38], how likely the policy takes each act.
        values: float64[B, 38], net points that the hand is expected to bring; NaN where illegal.
        errors: float64[B, 38], standard errors of the difference to the policy's own act.
        best: int64[B], the policy's own act, or one that beats it by the margin.
    """

    chances: npt.NDArray[np.float32]
    values: Floats
    errors: Floats
    best: Actions


class PolicySearchAgent(SearchAgent):
    """Plays the policy's likeliest acts out in N worlds weighted by the policy.

    Args:
        worlds: The number of worlds played out for each act.
        policy: Who proposes, and who weighs worlds and plays them out.
        name: How reports call it; as the registry does unless given.
        margin: Standard errors by which an act has to beat the policy's own.
        opponent: Who weighs and plays in the seats of the other team; the policy unless given.

    Raises:
        AgentError: a policy that gives no probabilities, or a player who needs to see hidden cards.
    """

    family = "search"

    def __init__(
        self,
        worlds: int,
        policy: Agent,
        name: str | None = None,
        margin: float = MARGIN,
        opponent: Agent | None = None,
    ) -> None:
        super().__init__(str(worlds))
        against = "" if opponent is None else f",against:{opponent.name}"
        self.name = f"{self.name},by:{policy.name}{against}" if name is None else name
        self.margin = margin
        for player in (policy, *([] if opponent is None else [opponent])):
            refuse_oracle(player, self.name)
        if not gives_probabilities(policy):
            raise AgentError(
                f"{self.name!r}: {policy.name!r} does not say how likely its acts are; name a "
                "trained policy, such as the path of a .safetensors file"
            )
        self.policy: PolicyAgent = policy  # type: ignore[assignment]
        self.opponent = None if opponent is None else _as_policy(opponent)

    def _search(self, view: View, out: Actions, start: int, stop: int) -> int:
        rows = open_games(view.legal, out, start, stop)
        acts, favourites = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
        chances = probabilities_of(self.policy, view.select(rows))
        shortlist(chances, view.legal[rows], MOST_ACTS, LEAST_CHANCE, acts, favourites)
        out[rows] = favourites
        doubtful = np.flatnonzero(acts & (acts - 1))
        size = max(1, self._limit // (CANDIDATES * self.worlds))
        for first in range(0, len(doubtful), size):
            some = doubtful[first : first + size]
            worlds = Worlds.blank(rows[some], CANDIDATES * self.worlds)
            failed = worlds.deal(view, False)
            if failed >= 0:
                return failed
            self._judge(view, worlds, acts[some], favourites[some], out)
        return -1

    @property
    def _limit(self) -> int:
        return copies_at_a_time(self.threads)

    def weigh(self, view: View, worlds: Worlds) -> None:
        """Draw N of some games' worlds by what made the contract, and weight them by the rest.

        The others get the weight zero.
        """
        size = self._limit // ACTS_A_WORLD
        told = log_likelihoods(self.policy, view, worlds, True, size, self.opponent)
        _draw_worlds(told, self.worlds, worlds.weights)
        rest = log_likelihoods(self.policy, view, worlds, False, size, self.opponent)
        _reweigh(rest, worlds.weights)

    def judge(self, view: View) -> Judgement:
        """What the search thinks of every legal act, also those that :meth:`act` leaves out.

        Points count as points at any score.

        Raises:
            AgentError: a game that no deal of the unseen cards explains.
        """
        chances = probabilities_of(self.policy, view)
        favourites = likeliest(view, chances)
        values, errors = (np.zeros((len(view), N_ACTIONS)) for _ in range(2))
        best = np.empty(len(view), np.int64)
        size = max(1, self._limit // (CANDIDATES * self.worlds))
        for first in range(0, len(view), size):
            rows = np.arange(first, min(first + size, len(view)))
            worlds = Worlds.blank(rows, CANDIDATES * self.worlds)
            failed = worlds.deal(view, False)
            if failed >= 0:
                raise AgentError(f"{self.name}: no deal explains what is seen in game {failed}")
            worlds.utility[:] = np.arange(-CENTRE, CENTRE + 1)
            acts = view.legal[rows]
            sums = self._compared(view, worlds, acts, favourites[rows], values[rows[0] :])
            _errors(worlds.weights, acts, sums, errors[rows[0] :])
            margin = max(self.margin, SURE)
            _overrule(worlds.weights, favourites[rows], acts, sums, margin, rows, best)
        return Judgement(chances, np.where(view.action_mask != 0, values, np.nan), errors, best)

    def _compared(
        self,
        view: View,
        worlds: Worlds,
        acts: Integers,
        favourites: Integers,
        values: Floats | None = None,
    ) -> Floats:
        """Weigh some games' worlds and play the acts out in them.

        Returns:
            float64[G, 38, 3], the sums of :func:`_compare`; the mean worth of each act is added to
            ``values``, float64[G, 38], if they are given.
        """
        self.weigh(view, worlds)
        sums = np.zeros((len(acts), N_ACTIONS, 3))
        for low, high in worlds.slices(self._limit // int(np.bitwise_count(acts).max())):
            came: Outcomes = play_out(view, worlds, acts, low, high, self.policy, self.opponent)
            if values is not None:
                credit(worlds.weights, came.origin, came.acts, came.worth, values)
            _compare(worlds.weights, favourites, came.origin, came.acts, came.worth, sums)
        return sums

    def _judge(
        self, view: View, worlds: Worlds, acts: Integers, favourites: Integers, out: Actions
    ) -> None:
        """Write the acts to take in some games, of those that are to be judged."""
        sums = self._compared(view, worlds, acts, favourites)
        _overrule(worlds.weights, favourites, acts, sums, self.margin, worlds.games, out)
