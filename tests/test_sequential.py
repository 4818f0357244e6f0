"""Stopping early: bounds by table, error rate and coverage by simulation, and in real matches."""

import argparse
import json
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from agents.app import match as verbs
from agents.evaluation import play_match
from agents.evaluation.match import play_until_clear
from agents.evaluation.sequential import (
    FEWEST,
    bounds,
    interval_at,
    plan_looks,
    spent,
    t_bound,
)
from agents.evaluation.stats import EvaluationError, estimate, t_quantile

MATCHES = 4000


# --- bounds ------------------------------------------------------------------------------------


def test_bounds_by_published_table() -> None:
    # Lan-DeMets spending like O'Brien and Fleming's, 0.05 two-sided, five and two equal looks
    # (for instance the R package ldbounds, or Proschan, Lan and Wittes 2006).
    assert bounds((1, 2, 3, 4, 5)) == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=1e-3)
    assert bounds((1, 2)) == pytest.approx([2.963, 1.969], abs=1e-3)
    assert bounds((7,)) == pytest.approx([1.960], abs=1e-3)


def test_the_whole_error_is_spent_at_the_end() -> None:
    assert spent(1.0) == pytest.approx(0.05)
    assert spent(1.0, 0.01) == pytest.approx(0.01)
    shares = np.linspace(0.05, 1, 20)
    assert (np.diff([spent(t) for t in shares]) > 0).all()


@pytest.mark.parametrize("most", [FEWEST, 31, 100, 3000, 100_000, 10**7])
def test_looks_rise_to_the_last_deal(most: int) -> None:
    looks = plan_looks(most)
    assert looks[-1] == most
    assert (np.diff(looks) > 0).all()
    assert looks[0] >= max(FEWEST, most // 100)
    found = bounds(looks)
    assert (np.diff(found) < 0).all()
    assert 1.95 < found[-1] < 2.01


def test_bounds_for_few_deals_are_those_of_student() -> None:
    assert t_bound(1.959964, 9) == pytest.approx(t_quantile(9), rel=1e-5)
    assert t_bound(2.5, 10**6) == pytest.approx(2.5, rel=1e-4)
    assert t_bound(20.0, 10**6) == pytest.approx(20.0, rel=1e-3)


# --- error rate --------------------------------------------------------------------------------


@cache
def pool() -> npt.NDArray[np.float64]:
    """Differences of real duplicate deals, made symmetric, so that the true mean is zero."""
    found = play_match("greedy", "first_legal", 2000).differences
    return np.concatenate([found, -found])


def draws(kind: str, rng: np.random.Generator, deals: int) -> npt.NDArray[np.float64]:
    if kind == "normal":
        return rng.normal(size=deals)
    if kind == "deals":
        return rng.choice(pool(), deals)
    return rng.choice([0.0, 2.0, -2.0], deals, p=[0.96, 0.02, 0.02])  # near twins


def stopped(values: npt.NDArray[np.float64], looks: tuple[int, ...]) -> Any:
    for look, bound in zip(looks, bounds(looks)):
        found = interval_at(values[:look], bound)
        if found.clear_of_zero:
            break
    return found


@pytest.mark.parametrize("kind", ["normal", "deals", "near twins"])
def test_equals_are_told_apart_in_no_more_than_5_percent(kind: str) -> None:
    rng, looks = np.random.default_rng(17), plan_looks(3000)
    found = [stopped(draws(kind, rng, looks[-1]), looks).clear_of_zero for _ in range(MATCHES)]
    assert 0.03 < np.mean(found) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / MATCHES)


def test_peeking_at_plain_intervals_would_err_far_more_often() -> None:
    rng, looks = np.random.default_rng(18), plan_looks(3000)
    wrong = 0
    for _ in range(500):
        values = rng.normal(size=looks[-1])
        wrong += any(estimate(values[:n]).clear_of_zero for n in looks)
    assert wrong / 500 > 0.15


@pytest.mark.parametrize("difference", [0.02, 0.05, 0.3])
def test_the_interval_covers_the_truth_however_it_stopped(difference: float) -> None:
    rng, looks, covered, used = np.random.default_rng(19), plan_looks(3000), 0, []
    for _ in range(1000):
        found = stopped(rng.normal(difference, 0.73, looks[-1]), looks)
        covered += found.interval[0] <= difference <= found.interval[1]
        used.append(found.count)
    assert covered / 1000 > 0.95 - 3 * np.sqrt(0.05 * 0.95 / 1000)
    assert np.mean(used) < (500 if difference == 0.3 else 3000)


# --- matches -----------------------------------------------------------------------------------


def test_a_clear_difference_stops_early_on_the_first_deals() -> None:
    found = play_until_clear("greedy", "random", 5000, seed=2)
    assert found.sequential is not None
    assert found.sequential.clear and found.clear_of_zero
    assert found.deals == plan_looks(5000)[found.sequential.look - 1] < 1000
    plain = play_match("greedy", "random", found.deals, seed=2)
    assert np.array_equal(plain.differences, found.differences)
    assert plain.points_per_hand == found.points_per_hand
    assert plain.ci95 < found.ci95


def test_equals_go_on_to_the_end() -> None:
    found = play_until_clear("greedy", "greedy", 100)
    assert found.deals == 100
    assert found.sequential is not None
    assert found.sequential.look == found.sequential.looks
    assert not found.sequential.clear


def test_match_verb(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    verbs.add_match_arguments(parser)

    def run(line: str) -> str:
        assert verbs.run_match(parser.parse_args(line.split())) == 0
        return capsys.readouterr().out

    text = run("greedy random --until-clear --max-deals 2000")
    assert "clear of zero at look" in text and "holds at all looks" in text
    data = json.loads(run("greedy random --until-clear --max-deals 2000 --json"))
    assert data["sequential"].keys() == {"look", "looks", "max_deals", "bound", "clear"}


def test_bad_input_is_refused() -> None:
    with pytest.raises(EvaluationError, match="max_deals=29 is too few"):
        play_until_clear("greedy", "random", 29)
    parser = argparse.ArgumentParser()
    verbs.add_match_arguments(parser)
    for line, message in (
        ("greedy random --max-deals 50", "add --until-clear"),
        ("greedy random --unplayed 50", "add --luck-reduced"),
        ("greedy random --until-clear --deals 50", "give --max-deals"),
        ("greedy random --decompose --games 50", "leave out one"),
    ):
        with pytest.raises(EvaluationError, match=message):
            verbs.run_match(parser.parse_args(line.split()))
