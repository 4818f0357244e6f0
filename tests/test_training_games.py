"""The trainer on games whose answers are known: probes, and small Euchre with its equilibrium.

Its settings and loop are those of benchmarks/small_games.py, which prints how near each trainer
comes. Bounds are about twice what was found, so that another processor passes too.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import torch

import small_games
from agents.training.critic import base_of
from agents.training.ppo import Learner
from agents.training.rewards import POINTS_SCALE
from agents.training.rollout import Decisions
from euchre_env.actions import action_text
from euchre_env.rules import legal
from euchre_env.small_games import PROBES, Policy, SmallGame, probe, small_game, uniform_policy
from small_games import ROWS, Run, Step, policies_of, run, settings_of, train_on

OWN, ALL, TRUTH = "ppo", "ppo, critic sees all", "ppo, double-dummy critic"
"""By what the critic sees."""

# ---- probes --------------------------------------------------------------------------------------

POINTS = {"last_choice": [1, 1, 1], "two_steps": [1, 1, 1], "hidden_card": [-4, 1, 1]}
"""What the right card brings, in each third of the deals."""


FEW = [
    "--iterations=30",
    "--rollout.hands=300",
    "--ppo.minibatch=100",
    "--ppo.entropy_end=0",
    "--critic.epochs=4",
]


def trained(game: SmallGame, row: str, *settings: str) -> Step:
    """What there is after the last iteration."""
    *_, last = train_on(game, settings_of(ROWS[row], list(settings)))
    return last


def chosen(game: SmallGame, policy: Policy) -> set[str]:
    """The likeliest first cards over all deals, as texts."""
    starts, r = game.starts, game.ruleset.record()[0]
    sets = np.array([int(legal(s, r)) for s in starts])
    acts = np.asarray(policy(starts, sets)).argmax(1)
    return {action_text(int(act), "trump", s) for act, s in zip(acts, starts)}


def expected_points(learner: Learner, decisions: Decisions) -> np.ndarray:
    """What the critic expects at the start of each hand, in points, in rising order."""
    first = decisions.steps[0]
    truth, seen = decisions.double_dummy[first], decisions.observation[first]
    with torch.no_grad():
        if learner.critic is None:
            value = learner.net(seen)[1]
        else:
            correction = learner.critic(seen, decisions.hidden[first], truth)
            value = base_of(learner.critic_config, truth) + correction
    return np.sort(value.numpy()) / POINTS_SCALE


@pytest.mark.parametrize("row", [OWN, ALL, TRUTH])
@pytest.mark.parametrize("name", PROBES)
def test_a_probe_is_solved(name: str, row: str) -> None:
    it = probe(name)
    learner, decisions, _ = trained(it.game, row, *FEW)
    assert isinstance(learner, Learner)
    chances, greedy = policies_of(learner.net, it.game.ruleset)
    assert chosen(it.game, greedy) == {it.right}
    assert it.game.exploitability(greedy) == pytest.approx(0, abs=1e-9)
    assert it.game.value(chances, chances) == pytest.approx(it.value, abs=0.03)
    expected = expected_points(learner, decisions)
    if row == OWN:
        assert expected == pytest.approx(it.value, abs=0.2)
    else:
        thirds = expected[[50, 150, 250]]
        assert thirds == pytest.approx(POINTS[name], abs=0.2)


# ---- small Euchre --------------------------------------------------------------------------------

MAGNET, TRUTH_MAGNET = "ppo, critic sees all, magnet", "ppo, double-dummy critic, magnet"
VALUES = {"three_tricks": 37 / 40, "two_tricks": 2591 / 14280}
"""Of the equilibria; tests/test_small_games.py has them by other methods."""


def learnt(name: str, row: str) -> Run:
    """A run of some seconds."""
    return run(small_game(name), settings_of(ROWS[row], ["--iterations=60"]))


@pytest.mark.parametrize(
    ("name", "row"),
    [("three_tricks", MAGNET), ("three_tricks", TRUTH_MAGNET), ("two_tricks", MAGNET)],
)
def test_self_play_comes_near_the_equilibrium(name: str, row: str) -> None:
    found = learnt(name, row)
    assert found.curve[-1] < 0.05
    assert found.greedy < 0.05
    assert found.value == pytest.approx(VALUES[name], abs=0.03)
    assert all(later < earlier for earlier, later in itertools.pairwise(found.curve))


@pytest.mark.parametrize(("name", "start"), [("three_tricks", 0.64), ("two_tricks", 0.33)])
def test_it_starts_far_from_it(name: str, start: float) -> None:
    game = small_game(name)
    still = ["--iterations=1", "--rollout.hands=64", "--ppo.rate=0", "--critic.rate=0"]
    chances, _ = policies_of(trained(game, MAGNET, *still).learner.slow, game.ruleset)
    assert game.exploitability(chances) == pytest.approx(start, abs=0.02)
    assert game.exploitability(uniform_policy) == pytest.approx(start, abs=0.01)


def test_a_seed_decides_all() -> None:
    game = probe("two_steps").game
    few = ["--iterations=3", "--rollout.hands=200", "--ppo.minibatch=100"]
    one, same, other = (
        trained(game, TRUTH_MAGNET, *few, f"--seed={seed}").learner.slow.state_dict()
        for seed in (1, 1, 2)
    )
    assert all(torch.equal(one[key], same[key]) for key in one)
    assert not torch.equal(one["policy.weight"], other["policy.weight"])


# ---- the benchmark -------------------------------------------------------------------------------


def test_the_benchmark_prints_a_row_of_each_trainer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--iterations=4", "--rollout.hands=64", "--seeds=2", "--game=two_tricks"]
    report = tmp_path / "report.json"
    assert small_games.main([*few, "--json", str(report), "--rows", "ppo", "dmc", "nfsp"]) == 0
    table = capsys.readouterr().out
    assert "two_tricks: value +0.181" in table and "| all acts alike" in table
    for name, runs in json.loads(report.read_text("utf-8"))["runs"].items():
        assert f"| {name} " in table
        assert [len(one["curve"]) for one in runs] == [4, 4]
        assert all(0.05 < one["curve"][-1] < 0.5 and one["decisions"] > 300 for one in runs)
        assert runs[0]["curve"] != runs[1]["curve"]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("--seeds=0", "--seeds needs at least 1"),
        ("--iterations=3", "--iterations needs at least 4"),
        ("--pool.share=0.5", "--pool.share=0.5 changes nothing here"),
        ("--ppo.rat=1", "did you mean 'ppo.rate'"),
        ("--rows=sarsa", "invalid choice"),
    ],
)
def test_bad_options_of_the_benchmark(
    word: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        small_games.parse([word])
    assert message in capsys.readouterr().err
