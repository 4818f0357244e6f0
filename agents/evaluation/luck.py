"""Luck-reduced scores: double-dummy control variates whose coefficients come from other deals.

A control variate is a figure x of a deal whose mean is known apart from the match. The score less
``b (x - mean of x)`` then has the same mean for any b that was not fitted on that deal, and less
variance if x goes with the score (Hammersley and Handscomb 1964; for card and dice games White and
Bowling 2009, Burch and others 2018).

The deal alone is no use in a duplicate match: what one pair gains by the cards at one table it
loses at the other. What is left is mostly luck with the *contracts*: one pair calls, the other does
not, and the hidden cards say who was right. So x describes the contract that each table comes to,
played double dummy, makers' side and lone hands apart. Its mean depends on both bidders and is not
known, but cheap to estimate: many more deals are bid, not played. Their spread is part of the
interval. It helps little where both bid alike.
"""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env.rules import NOBODY, PLAY
from euchre_env.ruleset import Ruleset
from euchre_env.solver import value_range

from ..base import Agent
from .match import CHUNK, Contest, LuckReduced, MatchResult, Progress, play_match
from .stats import EvaluationError, t_quantile

Floats = npt.NDArray[np.float64]

UNPLAYED = 5
"""Deals that are bid and not played, for each deal that is played, unless told otherwise."""
FOLDS = 10
FEWEST = 200
"""Deals below which coefficients fitted on the other folds are too rough to be of use."""
_STEPS = np.arange(-4, 5)


# --- the estimator -----------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Adjusted:
    """A mean freed from the part of its luck that controls explain.

    Attributes:
        mean: The mean.
        standard_error: Its standard error, that of the controls' mean included.
        variance_saved: Share of the plain mean's variance that is gone; below zero if it grew.
    """

    mean: float
    standard_error: float
    variance_saved: float


def adjust(scores: Floats, controls: Floats, unplayed: Floats, folds: int = FOLDS) -> Adjusted:
    """The mean score, adjusted by controls fitted on other deals.

    The deals are cut into folds; the scores of each are adjusted by least squares over the others.

    Args:
        scores: float64[n].
        controls: float64[n, k], of the same deals.
        unplayed: float64[m, k], the controls of other deals from the same distribution.
        folds: How many folds.
    """
    n, fold = len(scores), np.arange(len(scores)) % folds
    centre, adjusted, slopes = unplayed.mean(axis=0), np.empty(n), []
    for k in range(folds):
        slope = _slopes(scores[fold != k], controls[fold != k])
        mine = fold == k
        adjusted[mine] = scores[mine] - (controls[mine] - centre) @ slope
        slopes.append(slope)
    of_centre = float((unplayed @ np.mean(slopes, axis=0)).var(ddof=1)) / len(unplayed)
    variance, plain = float(adjusted.var(ddof=1)) / n + of_centre, float(scores.var(ddof=1)) / n
    saved = 1 - variance / plain if plain > 0 else 0.0
    return Adjusted(float(adjusted.mean()), variance**0.5, saved)


def _slopes(scores: Floats, controls: Floats) -> Floats:
    centred = controls - controls.mean(axis=0)
    found: Floats = np.linalg.lstsq(centred, scores - scores.mean(), rcond=1e-8)[0]
    return found


# --- the controls ------------------------------------------------------------------------------


def contract_values(states: npt.NDArray[Any], ruleset: Ruleset) -> npt.NDArray[np.int64]:
    """Team 0's net points, int64[B], of contracts about to be played, played double dummy.

    Zero for hands without a contract (thrown in).
    """
    values = np.zeros(len(states), np.int64)
    rows = np.flatnonzero(states["phase"] == PLAY)
    solved, which = np.empty(len(rows), np.int64), np.zeros(len(rows), np.int16)
    value_range(states[rows], ruleset.record(), which, True, solved, 0, len(rows))
    values[rows] = np.where(states["maker"][rows] & 1, -solved, solved)
    return values


def table_controls(states: npt.NDArray[Any], ruleset: Ruleset) -> Floats:
    """Controls of tables about to be played, from the side of team 0.

    One column for each double-dummy result of a partnership's contract and of a lone hand, +1 where
    team 0 made it and -1 where team 1 did, so that each result finds its own worth in play.
    """
    sign = np.where(states["maker"] & 1, -1, 1)
    values = np.clip(contract_values(states, ruleset) * sign, _STEPS[0], _STEPS[-1])
    alone = states["loner"] != NOBODY
    called = states["phase"] == PLAY
    cells = [(values == v) & (alone == lone) & called for lone in (False, True) for v in _STEPS]
    return np.stack(cells, axis=1) * sign[:, None].astype(np.float64)


def contract_controls(contest: Contest, first: int, stop: int, chunk: int = CHUNK) -> Floats:
    """Controls float64[deals, k] of a duplicate match; nothing but calls is asked of the agents."""
    parts = []
    for at in range(first, stop, chunk):
        bid = contest.hands(at, min(chunk, stop - at), until_play=True)
        north, south = np.split(table_controls(bid.states, contest.rules), 2)
        parts.append((north - south) / 2)
    return np.concatenate(parts)


# --- matches -----------------------------------------------------------------------------------


def play_luck_reduced(
    a: Agent | str,
    b: Agent | str,
    deals: int,
    ruleset: Ruleset | str = "stick",
    seed: int = 1,
    *,
    unplayed: int | None = None,
    games: int = 0,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> MatchResult:
    """A duplicate match with a luck-reduced score beside the plain one.

    Args and errors are those of :func:`.match.play_match`, and:

    Args:
        unplayed: Further deals to bid and not to play; :data:`UNPLAYED` times ``deals`` unless
            given.

    Raises:
        EvaluationError: too few deals for coefficients.
    """
    more = UNPLAYED * deals if unplayed is None else unplayed
    if deals < FEWEST or more < FEWEST:
        raise EvaluationError(
            f"deals={deals} with {more} unplayed is too few: luck-reduced scores need {FEWEST} each"
        )
    contest = Contest(a, b, ruleset, seed)
    contest.rules.require_partnership("luck-reduced scores are")
    plain = play_match(a, b, deals, ruleset, seed, games=games, progress=progress, chunk=chunk)
    contract_controls(contest, 0, 1)  # compiles
    started = time.perf_counter()
    controls = contract_controls(contest, 0, deals, chunk)
    others = contract_controls(contest, deals, deals + more, chunk)
    found = adjust(plain.differences, controls, others)
    luck = LuckReduced(
        points_per_hand=found.mean,
        ci95=found.standard_error * t_quantile(deals - 1),
        standard_error=found.standard_error,
        variance_saved=found.variance_saved,
        unplayed=more,
        seconds=round(time.perf_counter() - started, 4),
    )
    return dataclasses.replace(plain, luck=luck)
