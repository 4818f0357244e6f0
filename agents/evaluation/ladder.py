"""A ladder: every pair of agents plays the same deals; ratings are fitted to points per deal."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env.ruleset import Ruleset

from ..base import Agent, AgentError
from .match import CHUNK, MatchResult, Progress, as_agent, as_ruleset, play_match
from .stats import require_deals, t_quantile
from .tables import is_oracle

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """One agent's place.

    Attributes:
        agent: The agent.
        points: Its rating: the difference of two ratings is their pair's difference in points per
            hand, as nearly as least squares can have it; the ratings of a ladder add up to zero.
        ci95: Half the width of its 95 % interval, from the deals.
        oracle: Whether it was shown hidden cards.
    """

    agent: str
    points: float
    ci95: float
    oracle: bool


@dataclass(frozen=True)
class Ladder:
    """Ratings, best first, and the matches behind them."""

    ratings: tuple[Rating, ...]
    matches: tuple[MatchResult, ...]

    def match(self, a: str, b: str) -> tuple[float, float]:
        """Points per hand of ``a`` against ``b`` and half the width of the interval."""
        for m in self.matches:
            if (m.a, m.b) == (a, b):
                return m.points_per_hand, m.ci95
            if (m.a, m.b) == (b, a):
                return -m.points_per_hand, m.ci95
        raise KeyError(f"{a} did not play {b}")

    def to_dict(self) -> dict[str, Any]:
        """The ladder as plain values."""
        first = self.matches[0]
        return {
            "ratings": [vars(r) for r in self.ratings],
            "matches": [m.to_dict() for m in self.matches],
            "deals": first.deals,
            "ruleset": first.ruleset,
            "seed": first.seed,
            "version": first.version,
        }

    def to_json(self) -> str:
        """The ladder as one line of JSON."""
        return json.dumps(self.to_dict())


def fit_ratings(pairs: Sequence[tuple[int, int]], differences: Floats) -> tuple[Floats, Floats]:
    """Ratings by least squares, and their standard errors.

    The fit is linear, so every deal has a rating of its own; their spread gives the error, which
    thereby knows that all pairs played the same deals.

    Args:
        pairs: Indices of the P pairs.
        differences: float64[P, deals], first less second, of the same deals.
    """
    design = np.zeros((len(pairs), 1 + max(max(p) for p in pairs)))
    for row, (first, second) in enumerate(pairs):
        design[row, first], design[row, second] = 1, -1
    by_deal = np.linalg.pinv(design) @ differences
    return by_deal.mean(axis=1), by_deal.std(axis=1, ddof=1) / math.sqrt(differences.shape[1])


def play_ladder(
    agents: Sequence[Agent | str],
    deals: int,
    ruleset: Ruleset | str = "stick",
    seed: int = 1,
    *,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> Ladder:
    """Play every pair of some agents on the same deals.

    Raises:
        EvaluationError: fewer than two deals.
        RulesetError: a text that names no rule set, or rules that cannot be played.
        AgentError: fewer than two agents, one twice, an unknown name, or no legal action.
    """
    players, rules = [as_agent(a) for a in agents], as_ruleset(ruleset)
    _require_distinct([p.name for p in players])
    require_deals(deals)
    pairs = list(combinations(range(len(players)), 2))
    matches = []
    for done, (i, j) in enumerate(pairs):
        along = None if progress is None else _part(progress, done, len(pairs))
        matches.append(
            play_match(players[i], players[j], deals, rules, seed, progress=along, chunk=chunk)
        )
    points, errors = fit_ratings(pairs, np.stack([m.differences for m in matches]))
    reach = t_quantile(deals - 1)
    ratings = [
        Rating(p.name, float(x), float(reach * e), is_oracle(p))
        for p, x, e in zip(players, points, errors)
    ]
    return Ladder(tuple(sorted(ratings, key=lambda r: -r.points)), tuple(matches))


def _part(progress: Progress, done: int, parts: int) -> Progress:
    return lambda deals, of: progress(done * of + deals, parts * of)


def _require_distinct(names: Sequence[str]) -> None:
    if len(names) < 2:
        raise AgentError(f"a ladder needs at least two agents, not {len(names)}")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise AgentError(f"{', '.join(map(repr, twice))} is on the ladder more than once")
