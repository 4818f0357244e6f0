"""A start by imitation: the teacher plays, and the policy learns to do the same."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from agents import make
from agents.base import RuleTable, view_of
from agents.network import PolicyValueNet, masked
from agents.training import ConfigError, train
from agents.training.config import CriticConfig, PPOConfig, TeacherConfig
from agents.training.ppo import Learner
from agents.training.rollout import Collector, Decisions, Teacher, Workers
from euchre_env.batch import BatchEnv
from euchre_env.encoding import LAYOUT
from tests.small_runs import figures, quiet, tiny

WORKERS = Workers(1)


def taught(
    agent: str, noise: float, iteration: int = 0, ordered_suits: bool = True, hands: int = 300
) -> tuple[PolicyValueNet, Decisions]:
    """A new network and what it was shown."""
    net = PolicyValueNet([64], seed=1, ordered_suits=ordered_suits)
    collector = Collector(hands, "stick", 1, WORKERS)
    try:
        return net, collector.collect(net, iteration, Teacher(make(agent), noise))
    finally:
        collector.close()


def test_without_noise_the_teacher_plays_every_hand() -> None:
    _, shown = taught("first_legal", 0.0, ordered_suits=False)
    # First-legal passes where it may, and else plays its lowest card.
    lowest = shown.action_mask.numpy().argmax(1)
    may_pass = shown.action_mask.numpy()[:, 25] == 1
    assert (shown.action.numpy() == np.where(may_pass, 25, lowest)).all()
    _, again = taught("first_legal", 0.0, ordered_suits=True)
    assert (again.points == shown.points).all() and len(again) == len(shown)


def test_actions_are_those_of_the_ordered_suits() -> None:
    _, shown = taught("heuristic", 0.1)
    legal = shown.action_mask.gather(1, shown.action[:, None])
    assert (legal == 1).all()


def test_noise_leads_the_hand_elsewhere_but_is_not_what_is_learnt() -> None:
    _, clean = taught("first_legal", 0.0, ordered_suits=False)
    _, noisy = taught("first_legal", 0.5, ordered_suits=False)
    assert (clean.points != noisy.points).any()
    may_pass = noisy.action_mask.numpy()[:, 25] == 1
    assert (noisy.action.numpy()[may_pass] == 25).all()  # the teacher's choice, whatever was played


def test_the_policy_comes_to_do_as_the_teacher_does() -> None:
    net = PolicyValueNet([64], seed=1, ordered_suits=True)
    collector = Collector(600, "stick", 1, WORKERS)
    learner = Learner(net, PPOConfig(rate=3e-3, minibatch=512), CriticConfig(), 1, WORKERS)
    teacher = Teacher(make("heuristic"), 0.1)
    agreed = []
    for iteration in range(8):
        shown = collector.collect(net, iteration, teacher)
        with torch.no_grad():
            guess = masked(net(shown.observation)[0], shown.action_mask).argmax(1)
        agreed.append(float((guess == shown.action).float().mean()))
        learner.learn(shown, iteration, 0.0, imitate=0.1)
    collector.close()
    assert agreed[0] < 0.5 and agreed[-1] > 0.75, agreed


def test_smoothing_leaves_every_legal_action_a_chance() -> None:
    def least_chance(smoothing: float) -> float:
        net, shown = taught("first_legal", 0.0, hands=100)
        learner = Learner(net, PPOConfig(rate=1e-2, minibatch=256), CriticConfig(), 1, WORKERS)
        for iteration in range(15):
            learner.learn(shown, iteration, 0.0, imitate=smoothing)
        passes = shown.action_mask[:, 25] == 1  # two actions in round 1: 5 % are half the smoothing
        bid = shown.observation[:, LAYOUT["phase"].slice][:, 2] == 1
        rows = passes & bid
        with torch.no_grad():
            chances = masked(net(shown.observation)[0], shown.action_mask).softmax(1)
        return float(chances[rows].masked_fill(shown.action_mask[rows] == 0, 1.0).min(1)[0].mean())

    assert least_chance(0.0) < 0.01
    assert 0.03 < least_chance(0.1) < 0.07


def test_a_run_starts_with_its_teacher_and_goes_on_without(tmp_path: Path) -> None:
    config = tiny(tmp_path, teacher=TeacherConfig("heuristic", iterations=2, noise=0.0))
    train(config, say=quiet, make=make)
    rows = figures(tmp_path / "tiny")
    # heuristic is euchred in a fifth of its calls, a policy three iterations old far more often.
    assert [row["hands/euchred"] < 0.4 for row in rows] == [True, True, False]


def test_a_resumed_run_knows_whether_it_is_still_taught(tmp_path: Path) -> None:
    config = tiny(tmp_path, iterations=4, teacher=TeacherConfig("heuristic", iterations=3))
    whole = train(config, say=quiet, make=make).folder
    half = dataclasses.replace(config, name="half")

    class Stopped(Exception):
        pass

    def stop(line: str) -> None:
        if line.lstrip().startswith("2/4"):
            raise Stopped

    with pytest.raises(Stopped):
        train(half, say=stop, make=make)
    train(resume=tmp_path / "half", say=quiet, make=make)
    assert figures(tmp_path / "half") == figures(whole)


def test_a_teacher_needs_somebody_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"teacher\.agent='greedy' needs `make`"):
        train(tiny(tmp_path, teacher=TeacherConfig("greedy")), say=quiet)
    assert not any(tmp_path.iterdir())


def test_rules_are_read_by_how_they_differ_from_the_usual_ones() -> None:
    """The usual rules are zeros to the network: some codes are large, and drown what is beside."""
    net = PolicyValueNet([8], ["rules"])
    for ruleset, largest in (("american", 0.0), ("stick", 1.0), ("british", 1.0)):
        env = BatchEnv(1, ruleset)
        seen = torch.from_numpy(env.reset())[:, LAYOUT["rules"].slice].float()
        read = (seen - net.offset) * net.scale
        assert float(read.abs().max()) == largest
    states = env.states
    view = view_of(states, RuleTable.of(env.rulesets), env.which, np.zeros(1, np.uint64))
    assert net(torch.from_numpy(view.observation))[0].abs().max() < 1
