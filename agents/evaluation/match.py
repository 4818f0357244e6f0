"""Duplicate matches: each deal is played twice with the pairs swapped, so that the cards cancel.

The unit is points per hand to the pair. Deal ``d`` has the same deck and dealer (seat ``d`` mod 4)
at both tables, the score is 0-0, and the pair difference is averaged over the tables; the interval
comes from the deals. Decks derive from (seed, deal) alone, the agents' seeds from (seed, deal,
table, decision), so a rerun gives the same figures, whatever the size of the chunks and wherever
they are played (:mod:`agents.work`).

In a game without partners each deal is played once for each seat: there A plays against B at all
other seats, and the unit is A's points less the mean of the others'.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env import __version__
from euchre_env._jit import njit
from euchre_env.batch import as_rulesets
from euchre_env.rules import N_SEATS, seat_reward
from euchre_env.ruleset import ALL_PRESETS, OPTIONS, Ruleset

from .. import make, name_of
from ..base import Agent, AgentError, is_oracle, require_player
from ..work import IN_PROCESS, Executor, cut
from .sequential import MAX_DEALS, Sequential, bounds, interval_at, plan_looks
from .sources import files_of, require_files
from .stats import Estimate, estimate, require_deals
from .tables import Played, decks_of, play_games, play_hands, streams_of

Progress = Callable[[int, int], None]
"""Called with (deals done, deals in all)."""

Partners = tuple[Agent, Agent]

CHUNK = 4096
PARTNERS = " & "
"""Between the names of two agents that make a pair."""
_GAME_DECKS, _GAME_TABLES = 2, (3, 4)
"""Streams of a seed for whole games, beside those of the two tables of a hand."""


# --- results -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class GamesResult:
    """How often A won whole games against B.

    Attributes:
        games: Deals of the cards; each was played twice, with the pairs swapped.
        win_rate: Share of games that A won, an undecided one counting as half.
        ci95: Half the width of its 95 % interval.
    """

    games: int
    win_rate: float
    ci95: float


@dataclass(frozen=True)
class LuckReduced:
    """The score of a match after control variates (:mod:`.luck`), beside the plain one.

    Attributes:
        points_per_hand: A minus B.
        ci95: Half the width of its 95 % interval.
        standard_error: Its standard error.
        variance_saved: Share of the plain score's variance that is gone; below zero if it grew.
        unplayed: Deals that were bid and not played.
        seconds: Time that took, besides that of the match.
    """

    points_per_hand: float
    ci95: float
    standard_error: float
    variance_saved: float
    unplayed: int
    seconds: float


@dataclass(frozen=True)
class MatchResult:
    """What a duplicate match showed.

    Attributes:
        a: The first agent, or the two of the first pair (``greedy & random``).
        b: The second.
        deals: Deals, each played at two tables.
        points_per_hand: A minus B.
        ci95: Half the width of its 95 % interval; of a match that may stop early, of the interval
            that holds nevertheless.
        standard_error: Its standard error.
        deals_needed: Deals to tell the two apart, if the difference is what it seems; None for 0.
        seconds: Time taken.
        decisions_per_second: Decisions asked of the agents in a second; forced ones do not count.
        ruleset: The rule set, as ``--ruleset`` takes it.
        seed: Of the deals and the agents.
        version: Of this program.
        oracles: The agents that were shown hidden cards.
        games: The result of whole games, if any were played.
        sequential: How a match that may stop early came to its end.
        luck: The luck-reduced score, if it was asked for.
        differences: float64[deals], A minus B of each deal; not part of the JSON form.
    """

    a: str
    b: str
    deals: int
    points_per_hand: float
    ci95: float
    standard_error: float
    deals_needed: int | None
    seconds: float
    decisions_per_second: float
    ruleset: str
    seed: int
    version: str
    oracles: tuple[str, ...] = ()
    games: GamesResult | None = None
    sequential: Sequential | None = None
    luck: LuckReduced | None = None
    differences: npt.NDArray[np.float64] = field(
        default_factory=lambda: np.zeros(0), repr=False, compare=False
    )

    @property
    def clear_of_zero(self) -> bool:
        """Whether the 95 % interval leaves zero out."""
        return abs(self.points_per_hand) > self.ci95

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values."""
        parts = ("differences", "games", "sequential", "luck")
        data = {k: v for k, v in vars(self).items() if k not in parts}
        data["oracles"] = list(self.oracles)
        for part in parts[1:]:
            if getattr(self, part) is not None:
                data[part] = dict(vars(getattr(self, part)))
        return data

    def to_json(self) -> str:
        """The result as one line of JSON."""
        return json.dumps(self.to_dict())

    def command(self) -> str:
        """The command that plays this match again."""
        length = f"--deals {self.deals}"
        if self.sequential is not None:
            length = f"--until-clear --max-deals {self.sequential.max_deals}"
        if self.games is not None:
            length += f" --games {self.games.games}"
        if self.luck is not None:
            length += f" --luck-reduced --unplayed {self.luck.unplayed}"
        return (
            f"euchre match {shlex.quote(self.a)} {shlex.quote(self.b)} {length} "
            f"--ruleset {shlex.quote(self.ruleset)} --seed {self.seed}"
        )

    def describe(self) -> str:
        """The result as a sentence."""
        marks = f" ({', '.join(self.oracles)} saw hidden cards)" if self.oracles else ""
        return (
            f"{self.a} - {self.b}: {self.points_per_hand:+.4f} ± {self.ci95:.4f} points a hand "
            f"({self.deals} duplicate deals, rules {self.ruleset}, seed {self.seed}){marks}"
        )


def ruleset_text(ruleset: Ruleset) -> str:
    """A rule set as :meth:`Ruleset.parse` reads it: a preset's name, or the changed options."""
    for name in ALL_PRESETS:
        if Ruleset.preset(name) == ruleset:
            return name
    changed = (n for n, o in OPTIONS.items() if getattr(ruleset, n) != o.default)
    return ",".join(f"{name}={_value_text(getattr(ruleset, name))}" for name in changed)


def _value_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ":".join(map(str, value))
    return str(value).lower()


# --- playing -----------------------------------------------------------------------------------


def as_agent(agent: Agent | str) -> Agent:
    """The agent itself, or the one of that name."""
    return make(agent) if isinstance(agent, str) else agent


def as_ruleset(ruleset: Ruleset | str) -> Ruleset:
    """The rule set itself, or the one that a text names; it is one that can be played."""
    return as_rulesets(ruleset)[0]


def as_pair(pair: Agent | str | Partners) -> Partners:
    """The two partners: one agent twice, or the two that a text names with ``&`` between."""
    if isinstance(pair, tuple):
        return pair
    if not isinstance(pair, str):
        return pair, pair
    names = [name.strip() for name in pair.split(PARTNERS.strip())]
    if len(names) > 2 or not all(names):
        raise AgentError(f"{pair!r} is no pair: write one agent, or two as in 'greedy & random'")
    first = make(names[0])
    return (first, first) if names[-1] == names[0] else (first, make(names[1]))


def _pair_name(pair: Partners) -> str:
    first, second = pair
    return first.name if first is second else f"{first.name}{PARTNERS}{second.name}"


class Contest:
    """Two pairs about to play under some rules; deals are named by number, whatever their order.

    At the first table of a deal pair A has team 0, at the second team 1. In a game without partners
    A plays one seat and B all others, at as many tables as there are seats. Another process that is
    handed a contest gets a :class:`NamedContest` and makes the agents itself.

    Attributes:
        names: The two pairs.
        agents: The agents, each once.
        seating: int8[T, 4], who plays each seat at the T tables; A has seat t of table t.
    """

    def __init__(
        self,
        a: Agent | str | Partners,
        b: Agent | str | Partners,
        ruleset: Ruleset | str,
        seed: int,
    ) -> None:
        self.pairs = as_pair(a), as_pair(b)
        self.rules, self.seed = as_ruleset(ruleset), seed
        self.names = _pair_name(self.pairs[0]), _pair_name(self.pairs[1])
        self.agents: list[Agent] = []
        (x, y), (u, v) = (tuple(map(self._number, pair)) for pair in self.pairs)
        if self.rules.is_partnership:
            require_player(self.agents, self.rules)
            self.seating = np.array([[x, u, y, v], [u, x, v, y]], np.int8)
        else:
            self._require_singles()
            self.seating = np.full((self.rules.players, N_SEATS), u, np.int8)
            np.fill_diagonal(self.seating, x)

    def _require_singles(self) -> None:
        for first, second in self.pairs:
            if first is not second:
                raise AgentError(
                    f"{_pair_name((first, second))!r} are partners, and variant="
                    f"{self.rules.variant!r} has none: name one agent"
                )
        require_player(self.agents, self.rules)

    def _number(self, agent: Agent) -> int:
        for number, known in enumerate(self.agents):
            if known is agent:
                return number
        self.agents.append(agent)
        return len(self.agents) - 1

    def __reduce__(self) -> tuple[Any, ...]:
        (a, b), (c, d) = ((name_of(x), name_of(y)) for x, y in self.pairs)
        return NamedContest, (a, b, c, d, self.rules, self.seed, self._files)

    @cached_property
    def _files(self) -> tuple[tuple[str, str], ...]:
        return tuple(files_of(*(name_of(agent) for agent in self.agents)).items())

    def open(self) -> Contest:
        """This contest."""
        return self

    @property
    def oracles(self) -> tuple[str, ...]:
        """The agents that are shown hidden cards."""
        return tuple(dict.fromkeys(x.name for x in self.agents if is_oracle(x)))

    def hands(self, first: int, count: int, until_play: bool = False) -> Played:
        """Play some deals: the first tables of all of them, then the second tables."""
        decks = decks_of(self.seed, first, count, self.rules)
        tables = len(self.seating)
        dealers = np.arange(first, first + count) % self.rules.players
        seeds = [streams_of(self.seed, first, count, table) for table in range(tables)]
        return play_hands(
            self.agents,
            self.seating.repeat(count, axis=0),
            np.tile(decks, (tables, 1)),
            np.tile(dealers, tables),
            self.rules,
            np.concatenate(seeds),
            until_play=until_play,
        )

    def differences(self, played: Played) -> npt.NDArray[np.float64]:
        """Points of A less B's (of each of them, on average), by deal, averaged over its tables."""
        margins, tables = np.empty(len(played.states)), len(self.seating)
        _fill_margins(played.states, self.rules.record()[0], tables, margins)
        return margins.reshape(tables, -1).mean(axis=0)

    def play(
        self,
        first: int,
        stop: int,
        chunk: int = CHUNK,
        progress: Callable[[int], None] | None = None,
        executor: Executor = IN_PROCESS,
    ) -> tuple[npt.NDArray[np.float64], int]:
        """Points of A's pair less B's of each deal, averaged over its tables; and decisions."""
        parts, decisions = [np.zeros(0)], 0
        pieces = cut(first, stop, chunk, executor.workers)
        found = executor.map(partial(_play_piece, self), pieces)
        for (_, done), (differences, asked) in zip(pieces, found):
            parts.append(differences)
            decisions += asked
            if progress is not None:
                progress(done)
        return np.concatenate(parts), decisions


@njit
def _fill_margins(states, r, tables, out):
    deals = len(states) // tables
    for i in range(len(states)):
        out[i] = seat_reward(states[i], r, i // deals)


@dataclass(frozen=True)
class NamedContest:
    """A contest as it goes to another process: its agents by name.

    Attributes:
        a: The agents of the first pair: this one,
        b: and its partner.
        c: Those of the second pair,
        d: likewise.
        rules: The rules.
        seed: Of the deals and the agents.
        files: The checkpoints that the names stand for, by digest.
    """

    a: str
    b: str
    c: str
    d: str
    rules: Ruleset
    seed: int
    files: tuple[tuple[str, str], ...]

    def open(self) -> Contest:
        """The contest.

        Raises:
            AgentError: an agent that cannot be made here.
            EvaluationError: a checkpoint is not the one that was meant.
        """
        return _opened(self)


@lru_cache(maxsize=16)
def _opened(named: NamedContest) -> Contest:
    names = (named.a, named.b, named.c, named.d)
    made = {name: make(name) for name in dict.fromkeys(names)}
    require_files(names, dict(named.files))
    a, b, c, d = (made[name] for name in names)
    return Contest((a, b), (c, d), named.rules, named.seed)


def _play_piece(
    contest: Contest | NamedContest, piece: tuple[int, int]
) -> tuple[npt.NDArray[np.float64], int]:
    first, stop = piece
    here = contest.open()
    played = here.hands(first, stop - first)
    return here.differences(played), played.decisions


def play_match(
    a: Agent | str,
    b: Agent | str,
    deals: int,
    ruleset: Ruleset | str = "stick",
    seed: int = 1,
    *,
    games: int = 0,
    progress: Progress | None = None,
    chunk: int = CHUNK,
    executor: Executor = IN_PROCESS,
) -> MatchResult:
    """Play a duplicate match of two agents, each of which has both seats of a pair.

    Args:
        a: The first agent, or its name, or the names of two partners (``greedy & random``).
        b: The second.
        deals: How many deals; each is played at two tables.
        ruleset: The rules, or their text.
        seed: Of the deals and the agents.
        games: Whole games to play as well, each at two tables.
        progress: Told of the deals done.
        chunk: Deals to play at once, at most.
        executor: Where to play them; nothing but the time depends on it.

    Raises:
        EvaluationError: fewer than two deals.
        RulesetError: a text that names no rule set, or whole games without partners.
        AgentError: an unknown name, or an agent gave no legal action.
    """
    contest = Contest(a, b, ruleset, seed)
    require_deals(deals)
    return _measure(contest, (deals,), games, progress, chunk, executor)


def play_until_clear(
    a: Agent | str,
    b: Agent | str,
    max_deals: int = MAX_DEALS,
    ruleset: Ruleset | str = "stick",
    seed: int = 1,
    *,
    games: int = 0,
    progress: Progress | None = None,
    chunk: int = CHUNK,
    executor: Executor = IN_PROCESS,
) -> MatchResult:
    """Play a duplicate match that stops once the difference is clear (:mod:`.sequential`).

    Args and errors are those of :func:`play_match`; ``max_deals`` must be fixed beforehand.
    """
    contest = Contest(a, b, ruleset, seed)
    return _measure(contest, plan_looks(max_deals), games, progress, chunk, executor, early=True)


def _measure(
    contest: Contest,
    looks: tuple[int, ...],
    games: int,
    progress: Progress | None,
    chunk: int,
    executor: Executor,
    early: bool = False,
) -> MatchResult:
    if games:
        _require_games(contest, games)
    contest.hands(0, 1)  # compiles, so that the clock does not see it
    tell = None if progress is None else partial(_tell, progress, looks[-1])
    differences, decisions, ended = np.zeros(0), 0, None
    started = time.perf_counter()
    for number, deals in enumerate(looks):
        more, asked = contest.play(len(differences), deals, chunk, tell, executor)
        differences, decisions = np.concatenate([differences, more]), decisions + asked
        found = estimate(differences)
        if early:
            bound = bounds(looks)[number]
            found = interval_at(differences, bound)
            clear = found.clear_of_zero
            ended = Sequential(number + 1, len(looks), looks[-1], round(bound, 4), clear)
            if clear:
                break
    seconds = time.perf_counter() - started
    whole = _play_games(contest, games, executor) if games else None
    return _result(contest, differences, found, decisions, seconds, whole, ended)


def _tell(progress: Progress, total: int, done: int) -> None:
    progress(done, total)


def part_of(progress: Progress | None, number: int, parts: int) -> Progress | None:
    """What to tell of the progress of one match out of several of equal length."""
    if progress is None:
        return None
    return lambda done, total: progress(number * total + done, parts * total)


def _result(
    contest: Contest,
    differences: npt.NDArray[np.float64],
    found: Estimate,
    decisions: int,
    seconds: float,
    games: GamesResult | None,
    ended: Sequential | None,
) -> MatchResult:
    return MatchResult(
        a=contest.names[0],
        b=contest.names[1],
        deals=found.count,
        points_per_hand=found.mean,
        ci95=found.ci95,
        standard_error=found.standard_error,
        deals_needed=found.deals_needed,
        seconds=round(seconds, 4),
        decisions_per_second=round(decisions / seconds, 1),
        ruleset=ruleset_text(contest.rules),
        seed=contest.seed,
        version=__version__,
        oracles=contest.oracles,
        games=games,
        sequential=ended,
        differences=differences,
    )


def match_games(
    a: Agent | str, b: Agent | str, games: int, ruleset: Ruleset | str = "stick", seed: int = 1
) -> GamesResult:
    """Play whole games (matches, where the rule set has them), each twice with the pairs swapped.

    Both tables start with the same dealer and get the same decks hand by hand.

    Raises:
        EvaluationError: fewer than two games.
        RulesetError: a text that names no rule set, or a game without partners.
        AgentError: an unknown name, or an agent gave no legal action.
    """
    contest = Contest(a, b, ruleset, seed)
    _require_games(contest, games)
    return _play_games(contest, games, IN_PROCESS)


def _require_games(contest: Contest, games: int) -> None:
    require_deals(games, "games")
    contest.rules.require_partnership("matches of whole games are")


def _play_games(contest: Contest, games: int, executor: Executor) -> GamesResult:
    pieces = cut(0, games, CHUNK, executor.workers)
    shares = executor.map(partial(_play_games_piece, contest), pieces)
    found = estimate(np.concatenate(list(shares)))
    return GamesResult(games, found.mean, found.ci95)


def _play_games_piece(
    contest: Contest | NamedContest, piece: tuple[int, int]
) -> npt.NDArray[np.float64]:
    """The share of its two tables that A won, of some games."""
    contest, (first, stop) = contest.open(), piece
    numbers = first, stop - first
    streams = streams_of(contest.seed, *numbers, _GAME_DECKS)
    seeds = [streams_of(contest.seed, *numbers, table) for table in _GAME_TABLES]
    played = play_games(
        contest.agents,
        contest.seating.repeat(stop - first, axis=0),
        np.tile(streams, 2),
        np.tile(np.arange(first, stop) % N_SEATS, 2),
        contest.rules,
        np.concatenate(seeds),
    )
    winner = played.states["match_winner"].reshape(2, -1)
    won = (winner == [[0], [1]]).astype(np.float64)
    lost = (winner == [[1], [0]]).astype(np.float64)
    return np.asarray(((won - lost).mean(axis=0) + 1) / 2)
