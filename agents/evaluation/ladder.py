"""A ladder: every pair of agents plays the same deals; ratings are fitted to points per deal.

A rating is in points per hand: the difference of two is what weighted least squares makes of all
matches. A match counts by the inverse of its variance, so matches between near equals, which differ
in few deals, say more than those against a random player. Intervals are bootstrapped over deals,
which all pairs share (Efron and Tibshirani 1993).
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env.ruleset import Ruleset

from ..base import Agent, AgentError, is_oracle
from .match import CHUNK, MatchResult, Progress, as_agent, as_ruleset, part_of, play_match
from .stats import CONFIDENCE, require_deals, t_quantile
from .store import Store

Floats = npt.NDArray[np.float64]

RESAMPLES = 1000


@dataclass(frozen=True)
class Rating:
    """One agent's place.

    Attributes:
        agent: The agent.
        points: Its rating: the difference of two ratings is their pair's difference in points per
            hand, as nearly as least squares can have it; the ratings of a ladder add up to zero.
        ci95: Half the width of its 95 % interval, from the spread over deals (Student's t).
        low: Lower end of its 95 % interval, by the bootstrap.
        high: Upper end.
        first: Share of resamples in which no other agent has a higher rating.
        oracle: Whether it was shown hidden cards.
    """

    agent: str
    points: float
    ci95: float
    low: float
    high: float
    first: float
    oracle: bool


@dataclass(frozen=True)
class Ladder:
    """Ratings, best first, and the matches behind them.

    Attributes:
        ratings: One for each agent.
        matches: One for each pair.
        misfit: The largest difference in points per hand between a match and its two ratings; large
            where agents beat each other in a circle.
        reused: How many of the matches were read from a file.
    """

    ratings: tuple[Rating, ...]
    matches: tuple[MatchResult, ...]
    misfit: float
    reused: int = 0

    def match(self, a: str, b: str) -> tuple[float, float]:
        """Points per hand of ``a`` against ``b`` and half the width of the interval."""
        for m in self.matches:
            if (m.a, m.b) == (a, b):
                return m.points_per_hand, m.ci95
            if (m.a, m.b) == (b, a):
                return -m.points_per_hand, m.ci95
        raise KeyError(f"{a} did not play {b}")

    def command(self) -> str:
        """The command that plays the ladder again."""
        first = self.matches[0]
        names = " ".join(shlex.quote(r.agent) for r in self.ratings)
        return (
            f"euchre ladder {names} --deals {first.deals} --ruleset {shlex.quote(first.ruleset)} "
            f"--seed {first.seed}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The ladder as plain values."""
        first = self.matches[0]
        return {
            "ratings": [vars(r) for r in self.ratings],
            "matches": [m.to_dict() for m in self.matches],
            "misfit": self.misfit,
            "reused": self.reused,
            "deals": first.deals,
            "ruleset": first.ruleset,
            "seed": first.seed,
            "version": first.version,
            "command": self.command(),
        }

    def to_json(self) -> str:
        """The ladder as one line of JSON."""
        return json.dumps(self.to_dict())


# --- fitting -----------------------------------------------------------------------------------


def _design(pairs: Sequence[tuple[int, int]]) -> Floats:
    design = np.zeros((len(pairs), 1 + max(max(p) for p in pairs)))
    for row, (first, second) in enumerate(pairs):
        design[row, first], design[row, second] = 1, -1
    return design


def ratings_by_deal(
    pairs: Sequence[tuple[int, int]], differences: Floats, weights: Floats | None = None
) -> Floats:
    """The rating of each agent by each deal alone, float64[agents, deals]; the fit is linear.

    Args:
        pairs: Indices of the P pairs.
        differences: float64[P, deals], first less second, of the same deals.
        weights: float64[P], of the matches; equal unless given.
    """
    design = _design(pairs)
    roots = np.ones(len(pairs)) if weights is None else np.sqrt(weights)
    by_deal: Floats = np.linalg.pinv(design * roots[:, None]) @ (differences * roots[:, None])
    return by_deal


def fit_ratings(
    pairs: Sequence[tuple[int, int]], differences: Floats, weights: Floats | None = None
) -> tuple[Floats, Floats]:
    """Ratings by least squares, and their standard errors.

    Every deal has a rating of its own; their spread gives the error, which thereby knows that all
    pairs played the same deals. Args are those of :func:`ratings_by_deal`.
    """
    by_deal = ratings_by_deal(pairs, differences, weights)
    return by_deal.mean(axis=1), by_deal.std(axis=1, ddof=1) / math.sqrt(differences.shape[1])


def weights_of(differences: Floats) -> Floats:
    """Inverse variances of matches, scaled to a mean of one; small ones count as 1 % of the top."""
    variances = differences.var(axis=1, ddof=1)
    if not variances.any():
        return np.ones(len(variances))
    weights = 1 / np.maximum(variances, variances.max() / 100)
    return np.asarray(weights / weights.mean())


def resampled_means(by_deal: Floats, seed: int, resamples: int = RESAMPLES) -> Floats:
    """Means over deals drawn with replacement, float64[resamples, agents]: the bootstrap."""
    rng, deals = np.random.default_rng(seed), by_deal.shape[1]
    means = np.empty((resamples, len(by_deal)))
    for k in range(resamples):
        times = np.bincount(rng.integers(deals, size=deals), minlength=deals)
        means[k] = by_deal @ times / deals
    return means


# --- playing -----------------------------------------------------------------------------------


def play_ladder(
    agents: Sequence[Agent | str],
    deals: int,
    ruleset: Ruleset | str = "stick",
    seed: int = 1,
    *,
    out: str | Path | None = None,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> Ladder:
    """Play every pair of some agents on the same deals.

    Args:
        agents: The agents, or their names.
        deals: Duplicate deals of each pair.
        ruleset: The rules, or their text.
        seed: Of the deals and the agents.
        out: A file of JSON lines: matches that it holds are not played again, others are added.
        progress: Told of the deals done.
        chunk: Deals to play at once.

    Raises:
        EvaluationError: fewer than two deals, or a file that holds something else.
        RulesetError: a text that names no rule set.
        AgentError: fewer than two agents, one twice, an unknown name, or no legal action.
    """
    players, rules = [as_agent(a) for a in agents], as_ruleset(ruleset)
    _require_distinct([p.name for p in players])
    require_deals(deals)
    store = None if out is None else Store(out)
    # By name, so that the order in which agents are given does not matter to the rows.
    players.sort(key=lambda p: p.name)
    pairs = list(combinations(range(len(players)), 2))
    matches, reused = [], 0
    for done, (i, j) in enumerate(pairs):
        a, b = players[i], players[j]
        found = store and store.find(a.name, b.name, rules, seed, deals)
        reused += bool(found)
        if not found:
            told = part_of(progress, done, len(pairs))
            found = play_match(a, b, deals, rules, seed, progress=told, chunk=chunk)
            if store is not None:
                store.add(found)
        matches.append(found)
    return ratings_of(players, pairs, matches, reused)


def ratings_of(
    players: Sequence[Agent],
    pairs: Sequence[tuple[int, int]],
    matches: Sequence[MatchResult],
    reused: int,
) -> Ladder:
    """The ladder that some matches make.

    Args:
        players: Who played.
        pairs: Indices of the two in each match.
        matches: The matches, all on the same deals, with their differences.
        reused: How many of them were read from a file.
    """
    differences = np.stack([m.differences for m in matches])
    deals, seed = differences.shape[1], matches[0].seed
    by_deal = ratings_by_deal(pairs, differences, weights_of(differences))
    points, errors = by_deal.mean(axis=1), by_deal.std(axis=1, ddof=1) / math.sqrt(deals)
    resamples = resampled_means(by_deal, seed % 2**32)
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(resamples, [tail, 100 - tail], axis=0)
    first = (resamples >= resamples.max(axis=1, keepdims=True) - 1e-12).mean(axis=0)
    reach, misfit = t_quantile(deals - 1), _design(pairs) @ points - differences.mean(axis=1)
    ratings = [
        Rating(
            p.name,
            float(points[k]),
            float(reach * errors[k]),
            float(low[k]),
            float(high[k]),
            float(first[k]),
            is_oracle(p),
        )
        for k, p in enumerate(players)
    ]
    ranked = tuple(sorted(ratings, key=lambda r: -r.points))
    return Ladder(ranked, tuple(matches), float(np.abs(misfit).max()), reused)


def _require_distinct(names: Sequence[str]) -> None:
    if len(names) < 2:
        raise AgentError(f"a ladder needs at least two agents, not {len(names)}")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise AgentError(f"{', '.join(map(repr, twice))} is on the ladder more than once")
