"""Luck-reduced scores: unbiased whatever the controls, honest about what they save."""

import argparse
import json

import numpy as np
import pytest

import agents
from agents.app import match as verbs
from agents.evaluation import play_match
from agents.evaluation.luck import (
    adjust,
    contract_controls,
    contract_values,
    play_luck_reduced,
    table_controls,
)
from agents.evaluation.match import Contest
from agents.evaluation.stats import EvaluationError
from agents.evaluation.tables import decks_of, play_hands, streams_of
from euchre_env.rules import OVER, PLAY, legal
from euchre_env.ruleset import Ruleset
from euchre_env.solver import ILLEGAL, solve_many

# --- the estimator -----------------------------------------------------------------------------


def sample(rng: np.random.Generator, n: int, strength: float) -> tuple[np.ndarray, np.ndarray]:
    x = rng.choice([-1.0, 0.0, 2.0], size=(n, 3)) * [1, 2, 0.5]
    y = 0.3 + strength * (x @ [0.5, -0.2, 0.7]) + 0.1 * x[:, 0] ** 2 + rng.normal(size=n)
    return y, x


def test_useful_controls_save_what_they_explain() -> None:
    rng = np.random.default_rng(1)
    y, x = sample(rng, 4000, 1.0)
    _, more = sample(rng, 40_000, 1.0)
    found = adjust(y, x, more)
    explained = 1 - np.var(y - x @ np.linalg.lstsq(x - x.mean(0), y, rcond=None)[0]) / np.var(y)
    assert found.variance_saved == pytest.approx(explained * 0.9, abs=0.03)


def test_useless_controls_save_nothing_and_it_says_so() -> None:
    rng = np.random.default_rng(2)
    saved = []
    for _ in range(50):
        y, x = rng.normal(size=300), rng.normal(size=(300, 5))
        saved.append(adjust(y, x, rng.normal(size=(1000, 5))).variance_saved)
    assert -0.06 < np.mean(saved) < 0


def test_no_bias_and_a_true_interval_with_few_deals() -> None:
    rng, truth = np.random.default_rng(3), 0.0
    big, _ = sample(rng, 2_000_000, 1.0)
    truth = float(big.mean())
    errors, covered = [], 0
    for _ in range(1500):
        y, x = sample(rng, 120, 1.0)
        found = adjust(y, x, sample(rng, 240, 1.0)[1])
        errors.append(found.mean - truth)
        covered += abs(errors[-1]) < 1.98 * found.standard_error
    assert abs(np.mean(errors)) < 3.5 * np.std(errors) / np.sqrt(len(errors))
    assert covered / 1500 > 0.93


# --- the controls ------------------------------------------------------------------------------


def bid_and_played(name: str, rules: Ruleset, count: int) -> tuple[np.ndarray, np.ndarray]:
    decks, dealers, seeds = (
        decks_of(3, 0, count, rules),
        np.arange(count) % 4,
        streams_of(3, 0, count, 0),
    )
    agent = [agents.make(name)]
    bid = play_hands(agent, [0] * 4, decks, dealers, rules, seeds, until_play=True)
    whole = play_hands(agent, [0] * 4, decks, dealers, rules, seeds)
    return bid.states, whole.states


@pytest.mark.parametrize("ruleset", ["stick", "american", "anyone_alone", "late_alone"])
@pytest.mark.parametrize("name", ["greedy", "random"])
def test_bidding_alone_comes_to_the_contract_of_the_whole_hand(name: str, ruleset: str) -> None:
    rules = Ruleset.parse(ruleset)
    bid, whole = bid_and_played(name, rules, 300)
    assert set(np.unique(bid["phase"])) <= {PLAY, OVER}
    for field in ("maker", "trump", "loner", "lone_defender", "thrown_in", "discard"):
        assert np.array_equal(bid[field], whole[field])
    going = bid["phase"] == PLAY
    assert (bid["trick"][going] == 0).all() and (bid["count"][going] == 0).all()
    assert all(legal(bid[i], rules.record()[0]) for i in np.flatnonzero(going)[:5])


def test_contract_values_are_double_dummy() -> None:
    rules = Ruleset.stick()
    states, _ = bid_and_played("greedy", rules, 60)
    acts = solve_many(states, rules.record(), threads=1)
    for s, values, found in zip(states, acts, contract_values(states, rules)):
        real = values[values != ILLEGAL]
        leads_for_makers = (s["turn"] ^ s["maker"]) & 1 == 0
        value = real.max() if leads_for_makers else real.min()
        assert found == (-value if s["maker"] & 1 else value)


def test_hands_thrown_in_have_no_controls() -> None:
    rules = Ruleset()
    states, _ = bid_and_played("first_legal", rules, 20)
    assert not contract_values(states, rules).any()
    assert not table_controls(states, rules).any()


def test_each_contract_is_counted_once() -> None:
    rules = Ruleset.stick()
    states, _ = bid_and_played("greedy", rules, 100)
    cells = table_controls(states, rules)
    assert (np.abs(cells).sum(axis=1) == 1).all()
    assert np.array_equal(cells.sum(axis=1), np.where(states["maker"] & 1, -1, 1))


def test_controls_of_equal_bidders_cancel() -> None:
    contest = Contest("greedy", "bids:greedy,plays:greedy", "stick", 1)
    assert not contract_controls(contest, 0, 50).any()
    there = contract_controls(Contest("greedy", "first_legal", "stick", 1), 0, 50)
    back = contract_controls(Contest("first_legal", "greedy", "stick", 1), 0, 50)
    assert np.array_equal(there, -back) and there.any()


# --- matches -----------------------------------------------------------------------------------


def test_a_match_saves_variance_and_keeps_its_mean() -> None:
    found = play_luck_reduced("greedy", "bids:first_legal,plays:greedy", 1500, seed=6)
    assert found.luck is not None
    assert found.luck.variance_saved > 0.1
    assert found.luck.unplayed == 7500
    difference = found.luck.points_per_hand - found.points_per_hand
    assert abs(difference) < 3 * found.standard_error
    big = play_match("greedy", "bids:first_legal,plays:greedy", 20_000, seed=7)
    reach = 3.5 * np.hypot(found.luck.standard_error, big.standard_error)
    assert abs(found.luck.points_per_hand - big.points_per_hand) < reach


def test_match_verb(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    verbs.add_match_arguments(parser)
    line = "greedy first_legal --luck-reduced --deals 200 --unplayed 400"
    assert verbs.run_match(parser.parse_args(line.split())) == 0
    assert "variance saved" in capsys.readouterr().out
    assert verbs.run_match(parser.parse_args([*line.split(), "--json"])) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["luck"]["unplayed"] == 400


def test_too_few_deals_are_refused() -> None:
    with pytest.raises(EvaluationError, match="is too few: luck-reduced scores need 200"):
        play_luck_reduced("greedy", "random", 199)
    with pytest.raises(EvaluationError, match="with 5 unplayed"):
        play_luck_reduced("greedy", "random", 300, unplayed=5)
