"""Means and intervals against numbers computed by hand, and the fit of ratings."""

import math

import numpy as np
import pytest

from agents.evaluation.ladder import fit_ratings
from agents.evaluation.stats import deals_needed, estimate, normal_quantile, t_quantile


def test_an_interval_by_hand() -> None:
    found = estimate([1, 2, 3, 4, 5])
    assert found.mean == 3
    assert found.standard_error == pytest.approx(math.sqrt(2.5 / 5))
    assert found.ci95 == pytest.approx(2.776445 * math.sqrt(0.5), rel=1e-6)
    assert found.deviation == pytest.approx(math.sqrt(2.5))
    assert found.count == 5
    assert found.clear_of_zero
    assert found.interval == (found.mean - found.ci95, found.mean + found.ci95)


def test_quantiles_by_table() -> None:
    assert t_quantile(1) == pytest.approx(12.7062, abs=1e-4)
    assert t_quantile(30) == pytest.approx(2.0423, abs=1e-4)
    assert t_quantile(10**7) == pytest.approx(1.95996, abs=1e-4)
    assert normal_quantile(0.975) == pytest.approx(1.95996, abs=1e-5)


def test_equal_values_have_no_width() -> None:
    found = estimate([0.0, 0.0, 0.0])
    assert (found.mean, found.ci95, found.clear_of_zero, found.deals_needed) == (0, 0, False, None)


@pytest.mark.parametrize("values", [[], [1.0], [[1.0, 2.0]]])
def test_too_little_for_an_interval(values: list[float]) -> None:
    with pytest.raises(ValueError, match="at least two values"):
        estimate(values)


def test_the_interval_covers_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    found = [estimate(rng.normal(0.1, 1, 8)) for _ in range(4000)]
    covered = np.mean([low <= 0.1 <= high for low, high in (e.interval for e in found)])
    assert covered == pytest.approx(0.95, abs=0.012)


def test_deals_needed_as_in_the_table_of_measuring() -> None:
    assert deals_needed(0.73, 0.05) == pytest.approx(819, abs=1)
    assert deals_needed(0.73, 0.02) == pytest.approx(5118, abs=1)
    assert deals_needed(0.55, -0.02) == pytest.approx(2905, abs=1)
    assert deals_needed(0.73, 0.05, power=0.9) > 2 * deals_needed(0.73, 0.05)
    with pytest.raises(ValueError, match="difference=0"):
        deals_needed(0.73, 0)


def test_ratings_that_fit_exactly() -> None:
    pairs = [(0, 1), (0, 2), (1, 2)]
    points, errors = fit_ratings(pairs, np.repeat([[1.0], [3.0], [2.0]], 4, axis=1))
    assert points == pytest.approx([4 / 3, 1 / 3, -5 / 3])
    assert errors == pytest.approx([0, 0, 0])


def test_ratings_that_contradict_are_averaged() -> None:
    # Two deals whose ratings are (1, 0, -1) and (2, 0, -2): mean 1.5, standard error 0.5.
    one = np.array([1.0, 2.0, 1.0])
    cycle = np.array([1.0, -1.0, 1.0])  # first beats second beats third beats first: no rating
    points, errors = fit_ratings(
        [(0, 1), (0, 2), (1, 2)], np.stack([one + cycle, 2 * one - cycle], axis=1)
    )
    assert points == pytest.approx([1.5, 0, -1.5])
    assert errors == pytest.approx([0.5, 0, 0.5])
