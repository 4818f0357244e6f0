"""Matches that stop as soon as the difference is clear, and keep their error rate.

Whoever looks again and again at a fixed 95 % interval, and stops once it leaves zero out, finds a
difference between equals far more often than in 5 % of matches. Here the looks are planned, and
each spends a part of the 5 %: a group-sequential test with alpha spending (Lan and DeMets 1983),
the function being the one like O'Brien and Fleming's, which spends little early. The bounds of the
looks come from the recursive integration of Armitage, McPherson and Rowe (1969).

The interval is the repeated confidence interval of Jennison and Turnbull (1989), the mean plus and
minus the look's bound times the standard error: all looks together cover the true difference with
95 %, so it holds however the match came to stop. It leaves zero out exactly where the test stops.
The mean itself is biased away from zero where a match stops early, as in any sequential test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import special

from .stats import CONFIDENCE, Estimate, EvaluationError, estimate

Floats = npt.NDArray[np.float64]

MAX_DEALS = 100_000
GROWTH = 1.5
"""Deals at one look over those at the look before."""
FIRST_SHARE = 0.01
"""No look at a smaller share of the deals: its bound would lie beyond 22 standard errors."""
FEWEST = 30
"""No look at fewer deals: the mean of so few is not near enough to normal."""
_NODES = 300


@dataclass(frozen=True)
class Sequential:
    """How a match that may stop early came to its end.

    Attributes:
        look: The number of the look at which it stopped, from 1.
        looks: How many were planned.
        max_deals: Deals at the last of them.
        bound: Standard errors that the interval reaches at this look.
        clear: Whether the difference was clear of zero there.
    """

    look: int
    looks: int
    max_deals: int
    bound: float
    clear: bool


def spent(share: float, error: float = 1 - CONFIDENCE) -> float:
    """The part of a two-sided ``error`` that may be spent by a share of the deals, 0 to 1.

    Lan and DeMets's function like O'Brien and Fleming's, for each side half of the error.
    """
    reach = -float(special.ndtri(error / 4))
    return 4 * float(special.ndtr(-reach / math.sqrt(share)))


def plan_looks(max_deals: int) -> tuple[int, ...]:
    """The numbers of deals at which a match of at most ``max_deals`` is looked at.

    Raises:
        EvaluationError: fewer deals than one look needs.
    """
    if max_deals < FEWEST:
        raise EvaluationError(
            f"max_deals={max_deals} is too few: a match that may stop early needs {FEWEST}"
        )
    looks, at = [], float(max_deals)
    while at >= max(FEWEST, FIRST_SHARE * max_deals):
        looks.append(round(at))
        at /= GROWTH
    return tuple(reversed(looks))


@cache
def bounds(looks: tuple[int, ...], error: float = 1 - CONFIDENCE) -> tuple[float, ...]:
    """The bound of each look, in standard errors of a normal mean.

    Args:
        looks: Deals at each look, rising; the last has spent the whole error.
        error: Two-sided, under no difference, over all looks.
    """
    shares = [n / looks[-1] for n in looks]
    budget = np.diff([0.0, *(spent(t, error) for t in shares)])
    found: list[float] = []
    nodes, density = np.zeros(1), np.ones(1)  # of the sum that is still between the bounds
    before = 0.0
    for t, part in zip(shares, budget):
        step = math.sqrt(t - before)
        limit = _limit(nodes, density, step, float(part), math.sqrt(t))
        found.append(limit / math.sqrt(t))
        nodes, density = _carry(nodes, density, step, limit)
        before = t
    return tuple(found)


def _exit(limit: float, nodes: Floats, density: Floats, step: float) -> float:
    """The chance to step beyond ``limit`` on either side for the first time."""
    out = special.ndtr((nodes - limit) / step) + special.ndtr((-limit - nodes) / step)
    return float(density @ out)


def _limit(nodes: Floats, density: Floats, step: float, part: float, scale: float) -> float:
    # To exit for the first time is at most as likely as to be outside.
    above = -scale * float(special.ndtri(part / 2))
    if part < 1e-10 or _exit(above, nodes, density, step) >= part * (1 - 1e-9):
        return above
    below = 0.0
    for _ in range(50):
        middle = (below + above) / 2
        if _exit(middle, nodes, density, step) > part:
            below = middle
        else:
            above = middle
    return above


@cache
def _rule() -> tuple[Floats, Floats]:
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    return points, weights


def _carry(nodes: Floats, density: Floats, step: float, limit: float) -> tuple[Floats, Floats]:
    """The sums between the bounds after a step, as weights at Gauss-Legendre nodes."""
    points, weights = _rule()
    reach = min(limit, 9 * (step + float(np.abs(nodes).max())))
    new = reach * points
    spread = np.exp(-0.5 * ((new[:, None] - nodes) / step) ** 2) / (step * math.sqrt(2 * math.pi))
    return new, reach * weights * (spread @ density)


def t_bound(bound: float, degrees: int) -> float:
    """The bound for Student's t that leaves out as much as ``bound`` does for a normal mean."""
    tail = float(special.ndtr(-bound))
    return -float(special.stdtrit(degrees, tail)) if tail > 0 else bound


def interval_at(values: npt.ArrayLike, bound: float) -> Estimate:
    """The mean of the deals up to a look, with the interval that holds at all looks."""
    found = estimate(values)
    reach = t_bound(bound, found.count - 1)
    return Estimate(found.mean, found.standard_error, found.standard_error * reach, found.count)
