"""Duplicate matches: each deal is played twice with the pairs swapped, so that the cards cancel.

The unit is points per hand to the pair. Deal ``d`` has the same deck and dealer (seat ``d`` mod 4)
at both tables, the score is 0-0, and the pair difference is averaged over the tables; the interval
comes from the deals. Decks derive from (seed, deal) alone, the agents' seeds from (seed, deal,
table, decision), so a rerun gives the same figures, whatever the size of the chunks.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env import __version__
from euchre_env.batch import as_rulesets
from euchre_env.rules import N_SEATS
from euchre_env.ruleset import OPTIONS, PRESETS, Ruleset

from .. import make
from ..base import Agent
from .stats import Estimate, estimate, require_deals
from .tables import Played, decks_of, is_oracle, play_games, play_hands, streams_of

Progress = Callable[[int, int], None]
"""Called with (deals done, deals in all)."""

CHUNK = 4096
SEATINGS = np.array([[0, 1, 0, 1], [1, 0, 1, 0]], np.int8)
"""Who plays each seat at the two tables of a deal: the first agent has team 0, then team 1."""
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
class MatchResult:
    """What a duplicate match showed.

    Attributes:
        a: The first agent.
        b: The second agent.
        deals: Deals, each played at two tables.
        points_per_hand: A minus B.
        ci95: Half the width of its 95 % interval.
        standard_error: Its standard error.
        deals_needed: Deals to tell the two apart, if the difference is what it seems; None for 0.
        seconds: Time taken.
        decisions_per_second: Decisions asked of the agents in a second; forced ones do not count.
        ruleset: The rule set, as ``--ruleset`` takes it.
        seed: Of the deals and the agents.
        version: Of this program.
        oracles: The agents that were shown hidden cards.
        games: The result of whole games, if any were played.
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
    differences: npt.NDArray[np.float64] = field(
        default_factory=lambda: np.zeros(0), repr=False, compare=False
    )

    @property
    def clear_of_zero(self) -> bool:
        """Whether the 95 % interval leaves zero out."""
        return abs(self.points_per_hand) > self.ci95

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values."""
        data = {k: v for k, v in vars(self).items() if k not in ("differences", "games")}
        data["oracles"] = list(self.oracles)
        if self.games is not None:
            data["games"] = vars(self.games)
        return data

    def to_json(self) -> str:
        """The result as one line of JSON."""
        return json.dumps(self.to_dict())

    def describe(self) -> str:
        """The result as a sentence."""
        marks = f" ({', '.join(self.oracles)} saw hidden cards)" if self.oracles else ""
        return (
            f"{self.a} - {self.b}: {self.points_per_hand:+.4f} ± {self.ci95:.4f} points a hand "
            f"({self.deals} duplicate deals, rules {self.ruleset}, seed {self.seed}){marks}"
        )


def ruleset_text(ruleset: Ruleset) -> str:
    """A rule set as :meth:`Ruleset.parse` reads it: a preset's name, or the changed options."""
    for name in PRESETS:
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


def _play_chunk(
    agents: Sequence[Agent], first: int, count: int, ruleset: Ruleset, seed: int
) -> Played:
    decks = decks_of(seed, first, count, ruleset)
    dealers = np.arange(first, first + count) % N_SEATS
    seeds = np.concatenate([streams_of(seed, first, count, table) for table in (0, 1)])
    return play_hands(
        agents,
        SEATINGS.repeat(count, axis=0),
        np.tile(decks, (2, 1)),
        np.tile(dealers, 2),
        ruleset,
        seeds,
    )


def _differences(played: Played) -> npt.NDArray[np.float64]:
    """Points of the first agent's pair less the other's, by deal, averaged over its tables."""
    margin = (played.points[:, 0] - played.points[:, 1]).reshape(2, -1)
    return (margin[0] - margin[1]) / 2


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
) -> MatchResult:
    """Play a duplicate match of two agents, each of which has both seats of a pair.

    Args:
        a: The first agent, or its name.
        b: The second agent, or its name.
        deals: How many deals; each is played at two tables.
        ruleset: The rules, or their text.
        seed: Of the deals and the agents.
        games: Whole games to play as well, each at two tables.
        progress: Told of the deals done.
        chunk: Deals to play at once.

    Raises:
        EvaluationError: fewer than two deals.
        RulesetError: a text that names no rule set, or rules that cannot be played.
        AgentError: an unknown name, or an agent gave no legal action.
    """
    agents, rules = (as_agent(a), as_agent(b)), as_ruleset(ruleset)
    require_deals(deals)
    if games:
        require_deals(games, "games")
    _play_chunk(agents, 0, 1, rules, seed)  # compiles, so that the clock does not see it
    started = time.perf_counter()
    parts, decisions = [], 0
    for first in range(0, deals, chunk):
        played = _play_chunk(agents, first, min(chunk, deals - first), rules, seed)
        parts.append(_differences(played))
        decisions += played.decisions
        if progress is not None:
            progress(min(first + chunk, deals), deals)
    seconds = time.perf_counter() - started
    whole = match_games(*agents, games, rules, seed) if games else None
    return _result(agents, np.concatenate(parts), decisions, seconds, rules, seed, whole)


def _result(
    agents: Sequence[Agent],
    differences: npt.NDArray[np.float64],
    decisions: int,
    seconds: float,
    ruleset: Ruleset,
    seed: int,
    games: GamesResult | None,
) -> MatchResult:
    found: Estimate = estimate(differences)
    return MatchResult(
        a=agents[0].name,
        b=agents[1].name,
        deals=found.count,
        points_per_hand=found.mean,
        ci95=found.ci95,
        standard_error=found.standard_error,
        deals_needed=found.deals_needed,
        seconds=round(seconds, 4),
        decisions_per_second=round(decisions / seconds, 1),
        ruleset=ruleset_text(ruleset),
        seed=seed,
        version=__version__,
        oracles=tuple(dict.fromkeys(x.name for x in agents if is_oracle(x))),
        games=games,
        differences=differences,
    )


def match_games(
    a: Agent | str, b: Agent | str, games: int, ruleset: Ruleset | str = "stick", seed: int = 1
) -> GamesResult:
    """Play whole games (matches, where the rule set has them), each twice with the pairs swapped.

    Both tables start with the same dealer and get the same decks hand by hand.

    Raises:
        EvaluationError: fewer than two games.
        RulesetError: a text that names no rule set, or rules that cannot be played.
        AgentError: an unknown name, or an agent gave no legal action.
    """
    agents, rules = (as_agent(a), as_agent(b)), as_ruleset(ruleset)
    require_deals(games, "games")
    streams = streams_of(seed, 0, games, _GAME_DECKS)
    seeds = [streams_of(seed, 0, games, table) for table in _GAME_TABLES]
    played = play_games(
        agents,
        SEATINGS.repeat(games, axis=0),
        np.tile(streams, 2),
        np.tile(np.arange(games) % N_SEATS, 2),
        rules,
        np.concatenate(seeds),
    )
    winner = played.states["match_winner"].reshape(2, -1)
    won = (winner == [[0], [1]]).astype(np.float64)
    lost = (winner == [[1], [0]]).astype(np.float64)
    found = estimate(((won - lost).mean(axis=0) + 1) / 2)
    return GamesResult(games, found.mean, found.ci95)
