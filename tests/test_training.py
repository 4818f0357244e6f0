"""Settings, collection, learning, checkpoints, and whole runs of the trainer."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import train as command
from agents import make
from agents.evaluation.match import play_match
from agents.network import PolicyValueNet, load_agent, masked, read_header
from agents.training import CheckpointError, Config, ConfigError, checkpoint, load_config, train
from agents.training.checkpoint import checkpoints, load_checkpoint
from agents.training.config import NetworkConfig, PPOConfig, RolloutConfig, config_from
from agents.training.loop import METRICS, POLICY, TENSORBOARD, outcome_shares
from agents.training.ppo import FIGURES, Batch, Learner, advantages, losses
from agents.training.rollout import Collector, Decisions, Workers, pieces
from euchre_env.batch import BatchEnv
from euchre_env.encoding import LAYOUT

ROOT = Path(__file__).resolve().parent.parent
TINY = Config(
    name="tiny",
    iterations=3,
    threads=1,
    network=NetworkConfig(hidden=(16,)),
    rollout=RolloutConfig(hands=64),
    ppo=PPOConfig(minibatch=128),
)


def tiny(folder: Path, **changes: Any) -> Config:
    """A run of a second."""
    return dataclasses.replace(TINY, folder=str(folder), **changes)


def quiet(_: str) -> None:
    """Say nothing."""


def figures(folder: Path) -> list[dict[str, float]]:
    """metrics.jsonl without what the clock decides."""
    lines = (folder / METRICS).read_text("utf-8").splitlines()
    return [
        {name: value for name, value in json.loads(line).items() if not name.startswith("speed/")}
        for line in lines
    ]


def collect(hands: int = 200, threads: int = 1, iteration: int = 0, **changes: Any) -> Decisions:
    """The decisions of a new network."""
    workers = Workers(threads)
    collector = Collector(
        hands, changes.get("ruleset", "stick"), changes.get("seed", 1), workers, False
    )
    try:
        return collector.collect(PolicyValueNet([16], seed=1), iteration)
    finally:
        collector.close()
        workers.close()


# --- settings ----------------------------------------------------------------------------------


def written(folder: Path, text: str) -> Path:
    """A configuration file."""
    path = folder / "c.yaml"
    path.write_text(text, "utf-8")
    return path


def test_settings_come_from_the_file_and_then_the_command_line(tmp_path: Path) -> None:
    path = written(tmp_path, "seed: 3\nppo: {rate: 1e-3, epochs: 4}\nnetwork: {hidden: 64}\n")
    words = ["--ppo.rate", "5e-4", "--network.hidden=32,16", "--ruleset", "stick,joker=true"]
    config = load_config(path, words)
    assert (config.seed, config.ppo.rate, config.ppo.epochs) == (3, 5e-4, 4)
    assert config.network.hidden == (32, 16) and config.ruleset == ("stick,joker=true",)
    assert load_config(path).network.hidden == (64,)
    assert load_config(None) == Config()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ppo: {entropi: 1}", r"unknown setting 'ppo\.entropi': did you mean 'ppo\.entropy'"),
        ("hands: 5", r"unknown setting 'hands': did you mean 'rollout\.hands'"),
        ("seeed: 5", "did you mean 'seed'"),
        ("zzz: 5", "known are name, folder"),
        ("ppo: 5", "ppo is a section"),
        ("ppo: {rate: fast}", "ppo.rate='fast' must be a number"),
        ("ppo: {rate: -1}", "ppo.rate=-1.0 must be from 0 to 1"),
        ("ppo: {rate: .nan}", "ppo.rate=nan must be a number"),
        ("rollout: {hands: 0}", "rollout.hands=0 must be from 1"),
        ("rollout: {hands: 2.5}", "rollout.hands=2.5 must be a whole number"),
        ("iterations: yes", "iterations=True must be a whole number"),
        ("iterations: ", "iterations=None must be a whole number"),
        ("name: ../x", "must be a plain folder name"),
        ("name: 7", "name=7 must be text"),
        ("ruleset: stik", "ruleset: "),
        ("ruleset: []", "ruleset: "),
        ("network: {hidden: [64, 0]}", "network.hidden=0 must be from 1"),
        ("network: {hidden: []}", "must hold a width"),
        ("network: {blocks: [hnad]}", "did you mean 'hand'"),
        ("precision: fp64", "precision='fp64' must be 'auto' or 'bf16' or 'fp32'"),
        ("- 1", "must hold settings"),
        ("a: [", "is not valid YAML"),
    ],
)
def test_a_bad_setting_is_named_with_what_would_do(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(written(tmp_path, text))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["seed"], "write overrides as --key value"),
        (["--seed"], "--seed lacks its value"),
        (["--seed", "--name"], "--seed lacks its value"),
        (["--ppo.rte", "1"], "did you mean 'ppo.rate'"),
        (["--seed.x", "1"], "unknown setting 'seed.x'|seed="),
        (["--seed", "1", "--seed.x", "1"], "seed is no section"),
    ],
)
def test_a_bad_override_is_named(words: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(None, words)


def test_a_missing_file_names_those_that_are_there(tmp_path: Path) -> None:
    written(tmp_path, "")
    with pytest.raises(ConfigError, match=r"no configuration file .*quik\.yaml: .*c\.yaml"):
        load_config(tmp_path / "quik.yaml")


# --- collection --------------------------------------------------------------------------------


def test_all_four_seats_decide_and_get_their_teams_points() -> None:
    decisions = collect()
    assert set(decisions.seat.tolist()) == {0, 1, 2, 3}
    assert set(decisions.hand.tolist()) == set(range(200))
    points = decisions.points
    assert (points[:, 0] == points[:, 2]).all() and (points[:, 1] == points[:, 3]).all()
    assert (points[:, 0] == -points[:, 1]).all()
    assert set(np.abs(points).ravel().tolist()) <= {1, 2, 4} and len(set(points[:, 0])) > 3
    finals = decisions.finals["points"]
    assert (points[:, 0] == finals[:, 0] - finals[:, 1]).all()


def test_every_decision_is_a_choice_and_legal() -> None:
    decisions = collect()
    mask, action = decisions.action_mask, decisions.action
    assert (mask.sum(1) > 1).all()
    assert (mask.gather(1, action[:, None]) == 1).all()
    turn = decisions.observation[:, LAYOUT["turn"].slice]
    assert (turn == torch.tensor([1, 0, 0, 0])).all()


def test_what_is_kept_is_what_the_network_said() -> None:
    decisions = collect()
    logits, value = PolicyValueNet([16], seed=1)(decisions.observation)
    log_probs = masked(logits, decisions.action_mask).log_softmax(1)
    assert torch.allclose(value, decisions.value, atol=1e-5)
    expected = log_probs.gather(1, decisions.action[:, None]).squeeze(1)
    assert torch.allclose(expected, decisions.log_prob, atol=1e-5)


def test_a_hand_has_one_decision_a_step_until_it_is_over() -> None:
    decisions = collect()
    before = set(range(200))
    for step in decisions.steps:
        hands = decisions.hand[step].tolist()
        assert len(set(hands)) == len(hands) and set(hands) <= before
        before = set(hands)
    assert decisions.steps[-1].stop == len(decisions) and len(before) > 0


def test_the_seed_and_the_iteration_decide_everything_and_threads_nothing() -> None:
    first, again, threaded = collect(1500), collect(1500), collect(1500, threads=2)
    for other in (again, threaded):
        assert torch.equal(first.action, other.action)
        assert torch.equal(first.log_prob, other.log_prob)
        assert torch.equal(first.observation, other.observation)
        assert (first.points == other.points).all()
    for other in (collect(1500, seed=2), collect(1500, iteration=1)):
        assert not np.array_equal(first.points, other.points)


def test_room_grows_where_hands_are_long() -> None:
    long = "weak_hand=throw_in,weak_hand_test=three_low,defend_alone=any,alone_timing=before_lead"
    decisions = collect(60, ruleset=[long, "stick"])
    assert len(decisions) > 300


def test_shares_of_outcomes() -> None:
    shares = outcome_shares(collect())
    assert shares["hands/thrown_in"] == 0
    for name in ("called_in_round_1", "alone", "euchred"):
        assert 0.2 < shares[f"hands/{name}"] < 1
    passing = outcome_shares(collect(3000, ruleset="american"))
    assert 0 < passing["hands/thrown_in"] < 0.2


def test_pieces_cover_a_range_in_order() -> None:
    found = pieces(5, 2100)
    assert [i for s in found for i in range(s.start, s.stop)] == list(range(5, 2100))
    assert pieces(3, 3) == []


# --- learning ----------------------------------------------------------------------------------


def a_hand() -> Decisions:
    """Hand 0: seat 1 decides three times, seats 0, 2, 3 once. Hand 1: seat 2 decides once.

    Team 0 loses two points in hand 0 and wins four in hand 1.
    """
    hand = np.array([0, 1, 0, 0, 0, 0, 0])
    seat = np.array([1, 2, 2, 1, 0, 3, 1])
    value = torch.tensor([0.5, 1.0, -0.25, 0.75, -0.5, 0.0, 0.25])
    n = len(hand)
    return Decisions(
        observation=torch.zeros(n, 1, dtype=torch.uint8),
        action_mask=torch.ones(n, 38, dtype=torch.int8),
        action=torch.zeros(n, dtype=torch.int64),
        log_prob=torch.zeros(n),
        value=value,
        hand=hand,
        seat=seat,
        steps=[slice(0, 2), slice(2, 3), slice(3, 4), slice(4, 5), slice(5, 6), slice(6, 7)],
        points=np.array([[-2, 2, -2, 2], [4, -4, 4, -4]], np.float32),
        finals=np.zeros(2),
    )


def test_advantages_of_four_seats_by_hand() -> None:
    # Results: 1 for seats 1 and 3 of hand 0, -1 for seats 0 and 2, and 2 for seat 2 of hand 1.
    last = 1 - 0.25
    middle = (0.25 - 0.75) + 0.5 * last
    first = (0.75 - 0.5) + 0.5 * middle
    expected = [first, 2 - 1.0, -1 + 0.25, middle, -1 + 0.5, 1 - 0.0, last]
    assert np.allclose(advantages(a_hand(), 0.5), expected)


@pytest.mark.parametrize("gae_lambda", [0.0, 1.0])
def test_advantages_at_the_ends_of_lambda(gae_lambda: float) -> None:
    hand = a_hand()
    value = hand.value.numpy()
    result = hand.points[hand.hand, hand.seat] / 2
    following = np.array([0.75, 2, -1, 0.25, -1, 1, 1])
    expected = result - value if gae_lambda else following - value
    assert np.allclose(advantages(hand, gae_lambda), expected)


def a_batch(advantage: float, change: float) -> tuple[PolicyValueNet, Batch]:
    """A batch whose probabilities have grown by exp(change) since they were collected."""
    decisions = collect(20)
    net = PolicyValueNet([16], seed=1)
    n = len(decisions)
    return net, Batch(
        decisions.observation,
        decisions.action_mask,
        decisions.action,
        decisions.log_prob - change,
        torch.full((n,), advantage),
        decisions.value.clone(),
    )


@pytest.mark.parametrize(
    ("advantage", "change", "pulls"),
    [(1, 0, True), (1, 0.5, False), (1, -0.5, True), (-1, 0.5, True), (-1, -0.5, False)],
)
def test_the_ratio_is_clipped_where_it_went_too_far(
    advantage: float, change: float, pulls: bool
) -> None:
    net, batch = a_batch(advantage, change)
    loss, found = losses(net, batch, PPOConfig(value_weight=0), 0.0)
    (gradient,) = torch.autograd.grad(loss, [net.policy.weight])
    assert (float(gradient.abs().sum()) > 1e-6) is pulls
    shares = dict(zip(FIGURES, (found / len(batch.action)).tolist()))
    assert shares["clipped"] == (0 if change == 0 else 1)
    assert shares["kl"] == pytest.approx(np.exp(change) - 1 - change, abs=1e-4)
    assert shares["entropy"] > 0.5


def test_a_minibatch_has_the_gradient_of_its_mean_loss() -> None:
    decisions = collect(400)
    net = PolicyValueNet([16], seed=1)
    learner = Learner(net, PPOConfig(minibatch=1 << 20, epochs=1), 1, Workers(1), False)
    batch, _ = learner._batch(decisions)
    loss, _ = losses(net, batch, learner.config, 0.01)
    expected = torch.autograd.grad(loss / len(decisions), list(net.parameters()))
    learner.config = dataclasses.replace(learner.config, max_grad_norm=1e6)
    learner._step(batch, torch.arange(len(decisions)), 0.01)
    assert len(pieces(0, len(decisions))) > 1
    for gradient, parameter in zip(expected, net.parameters()):
        assert parameter.grad is not None
        assert torch.allclose(gradient, parameter.grad, atol=1e-6)


def test_learning_does_not_depend_on_threads() -> None:
    decisions = collect(400)
    found = []
    for threads in (1, 2):
        net = PolicyValueNet([16], seed=1)
        learner = Learner(net, PPOConfig(minibatch=3000), 1, Workers(threads), True)
        found.append((learner.learn(decisions, 0, 0.0), net.state_dict()))
    assert found[0][0] == found[1][0]
    for name, value in found[0][1].items():
        assert torch.equal(value, found[1][1][name]), name


def test_rate_and_entropy_fall_linearly() -> None:
    decisions = collect(20)
    learner = Learner(PolicyValueNet([16]), PPOConfig(), 1, Workers(1), False)
    half = learner.learn(decisions, 5, 0.5)
    assert half["train/rate"] == pytest.approx(5e-4)
    assert half["train/entropy_weight"] == pytest.approx(0.0055)


def test_it_learns_what_is_rewarded_at_once() -> None:
    # A reward for the lowest legal action, and for nothing else.
    decisions = collect(300)
    net = PolicyValueNet([32], seed=1)
    learner = Learner(net, PPOConfig(rate=3e-3, minibatch=512), 1, Workers(1), False)
    lowest = decisions.action_mask.argmax(1)
    before = chance_of(net, decisions, lowest)
    for iteration in range(10):
        draw = np.random.default_rng(iteration).random((len(decisions), 1))
        logits = masked(net(decisions.observation)[0], decisions.action_mask)
        below = logits.softmax(1).cumsum(1).detach().numpy()
        action = torch.from_numpy((below <= draw * below[:, -1:]).sum(1))
        log_prob = logits.log_softmax(1).gather(1, action[:, None]).squeeze(1).detach()
        won = torch.where(action == lowest, 2.0, -2.0).numpy()
        n = len(action)
        one_step = dataclasses.replace(
            decisions,
            action=action,
            log_prob=log_prob,
            value=torch.zeros(n),
            hand=np.arange(n),
            steps=[slice(0, n)],
            points=np.repeat(won[:, None], 4, axis=1).astype(np.float32),
        )
        learner.learn(one_step, iteration, 0.0)
    assert before < 0.4 and chance_of(net, decisions, lowest) > 0.8


def chance_of(net: PolicyValueNet, decisions: Decisions, action: torch.Tensor) -> float:
    """The mean probability of an action for each decision."""
    logits = masked(net(decisions.observation)[0], decisions.action_mask)
    return float(logits.softmax(1).gather(1, action[:, None]).mean().detach())


# --- runs --------------------------------------------------------------------------------------


def matches(deals: int = 100) -> Any:
    """What train.py hands in."""

    def evaluate(agent: Any, opponent: str, _: int) -> dict[str, Any]:
        return play_match(agent, opponent, deals).to_dict()

    return evaluate


def test_a_run_from_end_to_end(tmp_path: Path) -> None:
    said: list[str] = []
    config = tiny(tmp_path)
    config = dataclasses.replace(config, evaluation=dataclasses.replace(config.evaluation, every=2))
    result = train(config, matches(), say=said.append)
    assert result.folder == tmp_path / "tiny" and result.policy == result.folder / POLICY
    assert sum("/3 " in line for line in said) == 3
    found = figures(result.folder)
    assert [line["iteration"] for line in found] == [1, 2, 3]
    assert {"train/entropy", "train/kl", "hands/alone", "decisions"} <= found[0].keys()
    assert [("strength/random/points_per_hand" in line) for line in found] == [False, True, False]
    assert list((result.folder / TENSORBOARD).glob("events.*"))
    assert [p.name for p in checkpoints(result.folder)] == [
        "checkpoint-000002.pt",
        "checkpoint-000003.pt",
    ]
    header = read_header(result.policy)
    assert config_from(header["config"]) == config
    assert [m["b"] for m in header["results"]] == ["random", "greedy"]
    assert header["decisions"] == found[-1]["decisions"]
    repeated = play_match(make(str(result.policy)), "greedy", 100).to_dict()
    for key in ("points_per_hand", "ci95", "a"):
        assert repeated[key] == result.matches["greedy"][key]


def test_tensorboard_has_the_same_scalars(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    folder = train(tiny(tmp_path), say=quiet).folder
    board = EventAccumulator(str(folder / TENSORBOARD))
    board.Reload()
    for name in figures(folder)[0].keys() - {"iteration"}:
        found = [(e.step, e.value) for e in board.Scalars(name)]
        assert found == [
            (line["iteration"], pytest.approx(line[name], rel=1e-5)) for line in figures(folder)
        ], name


def test_the_same_settings_give_the_same_figures(tmp_path: Path) -> None:
    first = train(tiny(tmp_path / "a"), say=quiet)
    torch.manual_seed(99)
    again = train(tiny(tmp_path / "b", threads=2), say=quiet)
    assert figures(first.folder) == figures(again.folder)
    other = train(tiny(tmp_path / "c", seed=2), say=quiet)
    assert figures(first.folder) != figures(other.folder)
    assert first.policy.read_bytes() != other.policy.read_bytes()


def test_a_run_does_not_overwrite_another(tmp_path: Path) -> None:
    said: list[str] = []
    folders = [train(tiny(tmp_path, iterations=1), say=said.append).folder for _ in range(3)]
    assert [f.name for f in folders] == ["tiny", "tiny-2", "tiny-3"]
    assert any("this run is" in line for line in said)


class Killed(Exception):
    """Stands for the end of the process."""


def stop_after(iterations: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the collection of the iteration after so many fail."""
    real = Collector.collect

    def collect_or_stop(self: Collector, net: PolicyValueNet, iteration: int) -> Decisions:
        if iteration == iterations:
            raise Killed
        return real(self, net, iteration)

    monkeypatch.setattr(Collector, "collect", collect_or_stop)


@pytest.mark.parametrize("done", [0, 1, 2])
def test_a_resumed_run_goes_on_to_the_very_same_figures(
    done: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(tiny(tmp_path / "whole"), say=quiet)
    with monkeypatch.context() as patch:
        stop_after(done, patch)
        with pytest.raises(Killed):
            train(tiny(tmp_path / "parts"), say=quiet)
    resumed = train(resume=tmp_path / "parts" / "tiny", say=quiet)
    assert figures(resumed.folder) == figures(whole.folder)
    ours, theirs = (load_agent(r.policy).net.state_dict() for r in (resumed, whole))
    for name, value in ours.items():
        assert torch.equal(value, theirs[name]), name


def test_a_finished_run_can_be_resumed_for_its_matches(tmp_path: Path) -> None:
    first = train(tiny(tmp_path), say=quiet)
    again = train(resume=first.folder, evaluate=matches(), say=quiet)
    assert list(again.matches) == ["random", "greedy"]
    assert len(figures(again.folder)) == 3


def test_kill_9_loses_at_most_one_iteration(tmp_path: Path) -> None:
    words = ["--name", "tiny", "--iterations", "400", "--threads", "1", "--network.hidden", "16"]
    words += ["--rollout.hands", "64", "--ppo.minibatch", "128", "--folder", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "train.py", *words], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    folder = tmp_path / "tiny"
    deadline = time.monotonic() + 120
    while len(checkpoints(folder)) < 2 or checkpoints(folder)[-1].stem < "checkpoint-000005":
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    seen = [json.loads(x)["iteration"] for x in (folder / METRICS).open() if x.endswith("\n")]
    kept = load_checkpoint(checkpoints(folder)[-1])["iteration"]
    assert kept < 400 and kept >= seen[-1] - 1
    saved = load_config(None, words)
    straight = dataclasses.replace(saved, folder=str(tmp_path / "straight"))
    with pytest.MonkeyPatch.context() as patch:
        for each in (tmp_path / "straight", None):
            patch.undo()
            stop_after(kept + 3, patch)
            with pytest.raises(Killed):
                train(straight if each else None, resume=None if each else folder, say=quiet)
    assert figures(folder) == figures(tmp_path / "straight" / "tiny")


# --- runs that cannot go on --------------------------------------------------------------------


def test_other_settings_are_refused(tmp_path: Path) -> None:
    folder = train(tiny(tmp_path, iterations=1), say=quiet).folder
    with pytest.raises(
        CheckpointError, match=r"other settings \(seed is 1, not 8; iterations is 1"
    ):
        train(tiny(tmp_path, seed=8), resume=folder, say=quiet)
    train(tiny(tmp_path, iterations=1, threads=2), resume=folder, say=quiet)


def test_a_missing_run_names_those_that_are_there(tmp_path: Path) -> None:
    train(tiny(tmp_path, iterations=1), say=quiet)
    with pytest.raises(CheckpointError, match=r"there is no run .*tini: .* has tiny"):
        train(resume=tmp_path / "tini", say=quiet)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match="holds no checkpoint"):
        train(resume=tmp_path / "empty", say=quiet)


class Boom:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("boom",)


@pytest.mark.parametrize("kind", ["empty", "text", "cut", "pickle", "foreign", "tensors"])
def test_a_damaged_or_foreign_checkpoint(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = train(tiny(tmp_path, iterations=2), say=quiet).folder
    path = checkpoints(folder)[-1]
    if kind == "cut":
        path.write_bytes(path.read_bytes()[:-500])
    elif kind in ("empty", "text"):
        path.write_text("" if kind == "empty" else "no checkpoint at all")
    else:
        things: dict[str, object] = {
            "pickle": {"format": Boom()},
            "foreign": {"model": torch.zeros(2)},
            "tensors": torch.zeros(3),
        }
        torch.save(things[kind], path)
    with pytest.raises(CheckpointError, match=r"no checkpoint.*delete it to continue from .*0001"):
        train(resume=folder, say=quiet)
    assert not (tmp_path / "boom").exists()
    path.unlink()
    assert train(resume=folder, say=quiet).policy.is_file()


def test_a_checkpoint_of_another_layout_or_shape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = train(tiny(tmp_path, iterations=1), say=quiet).folder
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "layout_hash", lambda: "ffff")
        with pytest.raises(CheckpointError, match="this version has ffff"):
            train(resume=folder, say=quiet)
    path = checkpoints(folder)[-1]
    whole = torch.load(path, weights_only=True)
    whole["state"]["net"]["value.bias"] = torch.zeros(2)
    torch.save(whole, path)
    with pytest.raises(CheckpointError, match="does not fit its own configuration"):
        train(resume=folder, say=quiet)


def test_a_full_disk_leaves_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        stop_after(2, patch)
        with pytest.raises(Killed):
            train(tiny(tmp_path), say=quiet)
    folder = tmp_path / "tiny"
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(CheckpointError, match=r"No space left.*"):
            train(resume=folder, say=quiet)
    assert not list(folder.glob(".*"))
    assert len(figures(train(resume=folder, say=quiet).folder)) == 3


# --- the command -------------------------------------------------------------------------------


def test_the_command_trains_ranks_and_says_how_to_repeat_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "iterations: 1\nthreads: 1\nrollout: {hands: 64}\n")
    words = ["--config", str(path), "--folder", str(tmp_path), "--evaluation.final_deals", "64"]
    assert command.main(words) == 0
    said = capsys.readouterr().out
    policy = tmp_path / "run" / POLICY
    assert f"euchre match {policy} greedy --deals 64 --ruleset stick --seed 1" in said
    assert "points a hand" in said and "±" in said
    assert command.main(["--resume", str(tmp_path / "run")]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--config", "nowhere.yaml"], "there is no configuration file nowhere.yaml"),
        (["--seeed", "1"], "did you mean 'seed'"),
        (["--seed", "x"], "seed='x' must be a whole number"),
        (["--resume", "nowhere"], "there is no run nowhere"),
        (["--evaluation.opponents", "gredy"], "did you mean 'greedy'"),
    ],
)
def test_the_command_says_what_is_wrong(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main([*words, *(["--folder", str(tmp_path)] if "--resume" not in words else [])])
    said = capsys.readouterr().err
    assert said.startswith("train.py: ") and message in said
    assert not list(tmp_path.iterdir())


def test_the_command_is_short() -> None:
    assert len((ROOT / "train.py").read_text("utf-8").splitlines()) <= 60


@pytest.mark.slow
def test_a_short_run_beats_random(tmp_path: Path) -> None:
    config = tiny(tmp_path, iterations=12)
    config = dataclasses.replace(
        config,
        network=NetworkConfig(hidden=(64, 64)),
        rollout=RolloutConfig(hands=1024),
        ppo=PPOConfig(minibatch=1024, rate=2e-3),
    )
    result = train(config, matches(1000), say=quiet)
    match = result.matches["random"]
    assert match["points_per_hand"] - match["ci95"] > 0.5


def test_the_engine_restarts_hands_on_its_own() -> None:
    # What collection relies on: a finished hand's row is dealt anew and can be played on.
    env = BatchEnv(8, "stick", skip_forced=True)
    env.reset()
    for _ in range(60):
        env.step(env.action_mask.argmax(1))
