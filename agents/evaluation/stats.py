"""Means and intervals of figures that come one from each deal."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

CONFIDENCE = 0.95


class EvaluationError(ValueError):
    """Something was to be measured that cannot be."""


def require_deals(deals: int, what: str = "deals") -> None:
    """Raise EvaluationError unless there are enough of them for an interval."""
    if deals < 2:
        raise EvaluationError(f"{what}={deals} is too few: an interval needs at least 2")


@dataclass(frozen=True)
class Estimate:
    """A mean over deals and how well it is known.

    Attributes:
        mean: The mean.
        standard_error: Its standard error.
        ci95: Half the width of its 95 % interval (Student's t).
        count: The number of deals.
    """

    mean: float
    standard_error: float
    ci95: float
    count: int

    @property
    def deviation(self) -> float:
        """The standard deviation of one deal."""
        return self.standard_error * math.sqrt(self.count)

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the 95 % interval."""
        return self.mean - self.ci95, self.mean + self.ci95

    @property
    def clear_of_zero(self) -> bool:
        """Whether the 95 % interval leaves zero out."""
        return abs(self.mean) > self.ci95

    @property
    def deals_needed(self) -> int | None:
        """Deals after which a difference of this size is clear of zero; None for no difference."""
        return None if self.mean == 0 else deals_needed(self.deviation, self.mean)


def estimate(values: npt.ArrayLike) -> Estimate:
    """The mean of independent values, one of each deal, with its interval.

    Raises:
        EvaluationError: fewer than two values.
    """
    x = np.asarray(values, np.float64)
    if x.ndim != 1 or x.size < 2:
        raise EvaluationError(
            f"an interval needs at least two values, not an array of shape {x.shape}"
        )
    error = float(x.std(ddof=1)) / math.sqrt(x.size)
    return Estimate(float(x.mean()), error, error * t_quantile(x.size - 1), x.size)


def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """How many standard errors a two-sided interval of a mean reaches, by Student's t."""
    return float(special.stdtrit(degrees, (1 + confidence) / 2))


def normal_quantile(probability: float) -> float:
    """The value below which a standard normal variable lies with a probability."""
    return float(special.ndtri(probability))


def deals_needed(deviation: float, difference: float, power: float = 0.5) -> int:
    """Deals after which a true difference is clear of zero with probability ``power``.

    With the default of one half this is the number at which the 95 % interval is as wide on each
    side as the difference.

    Args:
        deviation: Standard deviation of one deal.
        difference: The true difference, not zero.
        power: The probability wanted.

    Raises:
        EvaluationError: a difference of zero, which no number of deals shows.
    """
    if difference == 0:
        raise EvaluationError("difference=0 cannot be told from zero by any number of deals")
    reach = normal_quantile((1 + CONFIDENCE) / 2) + normal_quantile(power)
    return max(2, math.ceil((reach * deviation / difference) ** 2))
