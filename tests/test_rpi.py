"""Rollout policy iteration: what acts are worth, what is learnt from it, and tiny runs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents import make
from agents.base import RuleTable, view_of
from agents.evaluation.match import play_match
from agents.network import PolicyValueNet
from agents.training import Config, ConfigError, train
from agents.training.config import NetworkConfig, RolloutConfig, RPIConfig, config_from
from agents.training.rollout import Decisions, Workers
from agents.training.rpi import Player, RolloutPolicyIteration, gains, worth_of_acts
from euchre_env import rules
from euchre_env.rules import N_ACTIONS
from euchre_env.ruleset import Ruleset
from tests.small_runs import TINY, check_resumed, collect, figures, quiet, small_net, tiny

RPI = dataclasses.replace(
    TINY, algorithm="rpi", ruleset=("stick", "british"), rpi=RPIConfig(minibatch=128)
)
SOME = Workers(1)


def learner_of(net: PolicyValueNet, workers: Workers = SOME, **settings: Any) -> Any:
    config = RPIConfig(**{"minibatch": 512} | settings)
    return RolloutPolicyIteration(net, config, [Ruleset.stick()], 1, workers)


def recorded(hands: int = 200, **more: Any) -> Decisions:
    return collect(hands, records=True, **more)


# --- what acts are worth -----------------------------------------------------------------------


def test_gains_by_hand() -> None:
    """Half of the weights are the policy's 0.9 and 0.1, half even: 0.7 and 0.3."""
    chances, worth = np.zeros((2, N_ACTIONS), np.float32), np.zeros((2, N_ACTIONS), np.float32)
    chances[:, 3], chances[:, 5] = 0.9, 0.1
    worth[0, 3], worth[0, 5] = 1, 2
    worth[1, 3], worth[1, 5], worth[1, 7] = -2, -2, 4  # act 7 was not judged
    found = gains(chances, worth, np.full(2, 1 << 3 | 1 << 5), 0.5)
    expected = np.zeros((2, N_ACTIONS))
    expected[0, 3], expected[0, 5] = -0.21, 0.21
    assert found == pytest.approx(expected, abs=1e-6)


def points_after(decisions: Decisions, row: int, act: int, player: Player) -> int:
    """The net points of the seat's team, one act and one seat at a time."""
    assert decisions.records is not None
    game, ruleset = decisions.records[row : row + 1].copy(), Ruleset.stick()
    seat, r = int(game[0]["turn"]), ruleset.record()[0]
    table, none, seed = RuleTable.of([ruleset]), np.zeros(1, np.int16), np.zeros(1, np.uint64)
    while True:
        rules.apply(game[0], r, np.int64(act))
        if game[0].turn < 0:
            return int(rules.reward(game[0], seat))
        act = int(player.act(view_of(game, table, none, seed))[0])


@pytest.mark.parametrize("ordered", [False, True])
def test_the_worth_of_an_act_is_what_the_policy_gets_after_it(ordered: bool) -> None:
    net = small_net(ordered_suits=ordered)
    decisions = recorded(40, net=net)
    assert decisions.swapped.any() == ordered
    rows, player = np.arange(0, len(decisions), 7), Player(net, False)
    assert decisions.records is not None
    table = RuleTable.of([Ruleset.stick()])
    zeros = np.zeros(len(rows), np.int16), np.zeros(len(rows), np.uint64)
    acts = view_of(decisions.records[rows], table, *zeros).legal
    worth = worth_of_acts(decisions, rows, acts, table, player)
    for k, row in enumerate(rows.tolist()):
        for act in range(N_ACTIONS):
            legal = acts[k] >> act & 1
            assert worth[k, act] == (points_after(decisions, row, act, player) if legal else 0)
    assert len(set(worth.ravel().tolist())) > 4


def test_gains_are_by_the_ids_that_the_network_sees() -> None:
    net = small_net(ordered_suits=True)
    decisions = recorded(net=net)
    batch, spread = learner_of(net)._batch(decisions)
    assert spread > 0.1 and 0.9 < float(batch.judged.mean()) <= 1  # a new network doubts all
    assert ((batch.gain != 0) <= (batch.action_mask != 0)).all()
    assert batch.gain.sum(1).abs().max() < 1e-4
    squares = batch.gain.square().sum(1)
    assert float(squares.sum() / batch.judged.sum()) == pytest.approx(1, abs=1e-3)


def test_what_the_policy_is_sure_of_is_not_judged() -> None:
    net = small_net()
    with torch.no_grad():
        net.policy.weight.mul_(1e5)
    batch, _ = learner_of(net)._batch(recorded(net=net))
    assert float(batch.judged.mean()) < 0.2
    assert not batch.gain[batch.judged == 0].any() and batch.gain[batch.judged == 1].any()


# --- what is learnt ----------------------------------------------------------------------------


def test_the_policy_moves_to_the_better_acts() -> None:
    net = small_net()
    decisions = recorded(400)
    learner = learner_of(net, rate=3e-3, epochs=4)
    batch, _ = learner._batch(decisions)
    before = float((batch.log_probs.exp() * batch.gain).sum(1).mean())
    for iteration in range(3):
        said = learner.learn(decisions, iteration, 0.0)
    after, _ = learner._batch(decisions)
    assert float((after.log_probs.exp() * batch.gain).sum(1).mean()) > before + 0.05
    assert 0 < said["train/kl"] < 0.5 and said["train/judged"] > 0.9


def test_a_policy_that_is_sure_is_held() -> None:
    net = small_net()
    with torch.no_grad():
        net.policy.weight.mul_(1e5)
    decisions = recorded(net=net)
    learner = learner_of(net, others=1.0, value_weight=0.0, hold=1.0, least=1.0)
    before = net.policy.weight.clone()
    said = learner.learn(decisions, 0, 0.0)
    assert said["train/judged"] == 0
    assert torch.allclose(net.policy.weight, before, rtol=1e-3)


def test_an_iteration_with_nothing_to_learn_changes_nothing() -> None:
    net = small_net()
    learner = learner_of(net, others=0.0, least=1.0)
    before = net.policy.weight.clone()
    said = learner.learn(recorded(5), 0, 0.0)
    assert torch.equal(net.policy.weight, before)
    assert said["train/judged"] == 0 and said["train/entropy"] > 0.5 and "train/kl" not in said


def test_figures_say_what_they_are_means_of() -> None:
    """Entropy and the judged share are those of all decisions, however few are learnt from."""
    decisions = recorded(300)
    some, every = (learner_of(small_net(), others=x).learn(decisions, 0, 0.0) for x in (0.1, 1.0))
    for name in ("train/entropy", "play/entropy", "train/judged", "bid1/judged"):
        assert some[name] == every[name]
    assert some["train/judged"] == pytest.approx(
        float(learner_of(small_net())._batch(decisions)[0].judged.mean())
    )


def learnt(threads: int, decisions: Decisions) -> tuple[dict[str, float], Any]:
    """Figures and weights after an iteration."""
    net = small_net()
    return learner_of(net, Workers(threads)).learn(decisions, 0, 0.0), net.state_dict()


def test_learning_does_not_depend_on_threads() -> None:
    decisions = recorded(600)
    (one, weights), (two, same) = (learnt(threads, decisions) for threads in (1, 2))
    assert one == two
    assert all(torch.equal(weights[name], same[name]) for name in weights)
    assert any(not torch.equal(weights[n], small_net().state_dict()[n]) for n in weights)


# --- runs --------------------------------------------------------------------------------------


def test_a_resumed_run_goes_on_to_the_very_same_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_resumed(RPI, tmp_path, monkeypatch)


def test_what_a_run_tells(tmp_path: Path) -> None:
    last = figures(train(tiny(tmp_path, RPI), say=quiet).folder)[-1]
    for name in ("train/entropy", "train/kl", "play/value_loss", "bid1/judged", "train/judged"):
        assert last[name] > 0
    assert last["train/rate"] == pytest.approx(1e-4)


def test_a_short_run_beats_random(tmp_path: Path) -> None:
    config = Config(
        folder=str(tmp_path),
        algorithm="rpi",
        iterations=8,
        network=NetworkConfig(hidden=(64,)),
        rollout=RolloutConfig(hands=768),
        rpi=RPIConfig(rate=3e-3, minibatch=256, average=0.0),
    )
    policy = make(str(train(config, say=quiet).policy))
    result = play_match(policy, "random", 1000, "stick", 1)
    assert result.points_per_hand - result.ci95 > 0.4


# --- settings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pool": {"share": 0.5}}, "pool.share does not go with algorithm 'rpi'"),
        ({"rollout": {"reward": "equity"}}, "rollout.reward does not go with algorithm 'rpi'"),
        ({"rollout": {"scores": "random"}}, "rollout.scores does not go with algorithm 'rpi'"),
        ({"ruleset": "three_hand"}, "algorithm='rpi' needs a game with partners"),
        ({"ruleset": "euchre32"}, "algorithm needs the deck of 24 cards"),
        ({"teacher": {"agent": "greedy"}}, "teacher.agent='greedy' needs algorithm 'ppo'"),
        ({"rpi": {"least": 0}}, "rpi.least=0.0 must be from 1e-06 to 1"),
        ({"rpi": {"acts": 1}}, "rpi.acts=1 must be from 2 to 38"),
    ],
)
def test_what_it_cannot_do_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        config_from({"algorithm": "rpi", **settings})
