"""Deep Monte Carlo and neural fictitious self-play: their parts, and tiny runs of both."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents import make
from agents.evaluation.match import play_match
from agents.network import ILLEGAL, PolicyValueNet
from agents.training import Config, ConfigError, load_config, train
from agents.training.config import DMCConfig, NetworkConfig, NFSPConfig, RolloutConfig, config_from
from agents.training.dmc import DeepMonteCarlo, epsilon_greedy
from agents.training.nfsp import FictitiousPlay, q_targets
from agents.training.reservoir import Reservoir
from agents.training.rollout import Decisions, Workers
from tests.small_runs import TINY, check_resumed, collect, figures, quiet, small_net, tiny

DMC = dataclasses.replace(TINY, algorithm="dmc", dmc=DMCConfig(minibatch=128))
NFSP = dataclasses.replace(
    TINY, algorithm="nfsp", nfsp=NFSPConfig(minibatch=128, eta=0.3, reservoir=300)
)
BOTH = pytest.mark.parametrize("config", [DMC, NFSP], ids=["dmc", "nfsp"])


# --- how actions are chosen --------------------------------------------------------------------


def test_epsilon_is_spread_over_the_legal_actions() -> None:
    logits = torch.tensor([[1.0, 3.0, ILLEGAL, 2.0], [ILLEGAL, ILLEGAL, 0.0, -1.0]])
    mask = torch.tensor([[1, 1, 0, 1], [0, 0, 1, 1]])
    chance = epsilon_greedy(logits, mask, 0.3).softmax(1)
    expected = torch.tensor([[0.1, 0.8, 0, 0.1], [0, 0, 0.85, 0.15]])
    assert torch.allclose(chance, expected, atol=1e-6)
    greedy = epsilon_greedy(logits, mask, 0.0).softmax(1)
    assert torch.equal(greedy, torch.tensor([[0.0, 1, 0, 0], [0, 0, 1, 0]]))


def test_without_exploration_the_highest_q_is_played() -> None:
    net, workers = small_net(), Workers(1)
    learner = DeepMonteCarlo(net, DMCConfig(epsilon=0), 1, 1, workers)
    decisions = collect(net=net, behave=learner.behave)
    logits = net(decisions.observation)[0].masked_fill(decisions.action_mask == 0, ILLEGAL)
    assert torch.equal(decisions.action, logits.argmax(1))
    assert (decisions.log_prob == 0).all()


def fictitious(net: PolicyValueNet, threads: int = 1, **changes: Any) -> FictitiousPlay:
    """A learner that plays nothing but the best response unless told otherwise."""
    config = NFSPConfig(**{"minibatch": 512, "eta": 1.0, "epsilon": 0.0} | changes)
    return FictitiousPlay(net, config, 10, 1, Workers(threads))


def test_a_seat_plays_the_best_response_or_the_average_for_a_whole_hand() -> None:
    net = small_net()
    learner = fictitious(net, eta=0.3)
    decisions = collect(2000, net=net, behave=learner.behave)
    best = learner.plays_best(0, decisions.hand, decisions.seat)
    q = learner.best(decisions.observation)[0].masked_fill(decisions.action_mask == 0, ILLEGAL)
    agrees = (decisions.action == q.argmax(1)).numpy()
    assert agrees[best].all() and not agrees[~best].all()
    hands, seats = np.meshgrid(np.arange(2000), np.arange(4), indexing="ij")
    shares = learner.plays_best(0, hands, seats)
    assert abs(shares.mean() - 0.3) < 0.02
    assert (best == shares[decisions.hand, decisions.seat]).all()
    assert not (learner.plays_best(1, hands, seats) == shares).all()


# --- what is learnt ----------------------------------------------------------------------------


def test_q_targets_by_hand() -> None:
    """Two hands: in the first seat 2 decides twice and seat 1 once; in the second, seat 3 once."""
    decisions = dataclasses.replace(
        collect(2),
        action=torch.zeros(4, dtype=torch.int64),
        hand=np.array([0, 1, 0, 0]),
        seat=np.array([2, 3, 1, 2]),
        steps=[slice(0, 2), slice(2, 3), slice(3, 4)],
        reward=np.array([[1, -1, 1, -1], [-2, 2, -2, 2]], np.float32),
    )
    targets = q_targets(decisions, np.array([0.1, 0.2, 0.3, 0.4], np.float32))
    assert targets.tolist() == pytest.approx([0.4, 2, -1, 1])


def test_deep_monte_carlo_learns_the_mean_result_of_an_action() -> None:
    """Every result is 1, and so is Q of what was done; the policy's logits are ten times that."""
    net = small_net()
    decisions = collect(300)
    decisions.reward[:] = 1
    learner = DeepMonteCarlo(net, DMCConfig(rate=1e-2, minibatch=256), 1, 1, Workers(1))
    for iteration in range(8):
        said = learner.learn(decisions, iteration, 0.0)
    assert said["train/q_loss"] < 0.02 and said["train/value_loss"] < 0.02
    logits = net(decisions.observation)[0].gather(1, decisions.action[:, None])
    assert float(logits.detach().mean()) == pytest.approx(10, abs=1)


def test_the_average_policy_learns_what_the_best_response_does() -> None:
    net = small_net()
    learner = fictitious(net, average_rate=1e-2, rate=0.0)
    decisions = collect(500, net=net, behave=learner.behave)
    for iteration in range(12):
        learner.learn(decisions, iteration, 0.0)
    logits = net(decisions.observation)[0].masked_fill(decisions.action_mask == 0, ILLEGAL)
    agrees = float((logits.argmax(1) == decisions.action).float().mean())
    assert agrees > 0.8
    assert not net(decisions.observation)[1].any()


def learnt(kind: str, threads: int, decisions: Decisions) -> tuple[dict[str, float], Any]:
    """Figures and weights after an iteration."""
    net = small_net()
    workers = Workers(threads)
    learner = (
        DeepMonteCarlo(net, DMCConfig(minibatch=3000), 1, 1, workers)
        if kind == "dmc"
        else fictitious(net, threads, minibatch=3000, eta=0.5)
    )
    return learner.learn(decisions, 0, 0.0), net.state_dict()


@pytest.mark.parametrize("kind", ["dmc", "nfsp"])
def test_learning_does_not_depend_on_threads(kind: str) -> None:
    decisions = collect(400)
    (one, weights), (two, same) = (learnt(kind, threads, decisions) for threads in (1, 2))
    assert one == two
    assert all(torch.equal(weights[name], same[name]) for name in weights)
    assert any(not torch.equal(weights[n], small_net().state_dict()[n]) for n in weights)


# --- the reservoir -----------------------------------------------------------------------------


def filled(size: int, batches: list[int], seed: int = 1) -> Reservoir:
    """A reservoir to which the numbers 0, 1, ... were added, as two bytes."""
    reservoir, rng = Reservoir(size, 2), np.random.default_rng(seed)
    rows = np.arange(sum(batches), dtype="<u2").view(np.uint8).reshape(-1, 2)
    for part in np.split(rows, np.cumsum(batches)[:-1]):
        reservoir.add(rng, part)
    return reservoir


def numbers(reservoir: Reservoir) -> list[int]:
    """What is in it."""
    return reservoir.rows[: len(reservoir)].view("<u2").ravel().tolist()


def test_a_reservoir_keeps_all_until_it_is_full() -> None:
    assert numbers(filled(10, [3, 4])) == list(range(7))
    full = numbers(filled(10, [7, 30]))
    assert len(full) == len(set(full)) == 10


def test_every_row_is_as_likely_to_be_kept() -> None:
    counts = np.zeros(40)
    for seed in range(2000):
        counts[numbers(filled(10, [7, 1, 20, 12], seed))] += 1
    assert counts.sum() == 20000
    assert (abs(counts - 500) < 5 * np.sqrt(500 * 0.75)).all()


def test_a_reservoir_is_kept_small_and_comes_back() -> None:
    learner = fictitious(small_net())
    learner.learn(collect(300), 0, 0.0)
    kept = learner.reservoir
    state = kept.state_dict()
    assert len(kept) > 3000 and len(state["rows"]) < 70 * len(kept)
    again = Reservoir(*kept.rows.shape)
    again.load_state_dict(state)
    assert (again.rows == kept.rows).all() and again.seen == kept.seen
    with pytest.raises(ValueError, match="damaged"):
        again.load_state_dict({**state, "rows": state["rows"][:100]})
    with pytest.raises(ValueError, match=r"holds \d+ rows, not 5"):
        again.load_state_dict({**state, "seen": 5})


# --- runs --------------------------------------------------------------------------------------


@BOTH
def test_a_resumed_run_goes_on_to_the_very_same_figures(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_resumed(config, tmp_path, monkeypatch)


@BOTH
def test_what_a_run_tells(config: Config, tmp_path: Path) -> None:
    last = figures(train(tiny(tmp_path, config), say=quiet).folder)[-1]
    for name in ("train/q_loss", "train/entropy", "play/q_loss", "bid1/entropy"):
        assert last[name] > 0
    assert last["train/epsilon"] == pytest.approx(getattr(config, config.algorithm).epsilon / 3)
    assert "train/kl" not in last and "bid1/explained_variance" in last
    if config.algorithm == "nfsp":
        assert last["train/reservoir"] == 300 and 0.2 < last["train/best_response"] < 0.4


LEARNS = {
    "dmc": DMCConfig(rate=3e-3, minibatch=256, epsilon=0.2),
    "nfsp": NFSPConfig(rate=3e-3, average_rate=3e-3, minibatch=256, eta=0.2, reservoir=20_000),
}


@pytest.mark.parametrize("kind", list(LEARNS))
def test_a_short_run_beats_random(kind: str, tmp_path: Path) -> None:
    config = Config(
        folder=str(tmp_path),
        algorithm=kind,
        iterations=8,
        network=NetworkConfig(hidden=(64,)),
        rollout=RolloutConfig(hands=768),
        **{kind: LEARNS[kind]},
    )
    policy = make(str(train(config, say=quiet).policy))
    result = play_match(policy, "random", 1000, "stick", 1)
    assert result.points_per_hand - result.ci95 > 0.4


# --- settings ----------------------------------------------------------------------------------


def test_an_unknown_algorithm_and_a_teacher_for_another_are_refused() -> None:
    with pytest.raises(
        ConfigError, match="algorithm='sac' must be 'ppo' or 'rpi' or 'dmc' or 'nfsp'"
    ):
        config_from({"algorithm": "sac"})
    with pytest.raises(ConfigError, match=r"teacher.agent='greedy' needs algorithm 'ppo'"):
        config_from({"algorithm": "dmc", "teacher": {"agent": "greedy"}})


@pytest.mark.parametrize("kind", ["dmc", "nfsp"])
def test_their_configurations_say_so(kind: str) -> None:
    root = Path(__file__).resolve().parent.parent
    assert load_config(root / "configs" / f"{kind}.yaml").algorithm == kind
