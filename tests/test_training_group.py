"""Training in several processes: the same steps as in one, and one set of files."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from agents.network import PolicyValueNet, load_agent
from agents.training.checkpoint import checkpoints, load_checkpoint
from agents.training.config import CriticConfig, PPOConfig
from agents.training.group import Group
from agents.training.loop import POLICY, _Run
from agents.training.ppo import Learner
from agents.training.rollout import Decisions, Workers
from tests.small_runs import EVERYTHING, ROOT, collect, figures, quiet, small_net, tiny

PROCESSES = 2
PAST_SELVES = dataclasses.replace(EVERYTHING.pool, agents=())


def some_hands(decisions: Decisions, hands: np.ndarray) -> Decisions:
    """The decisions of some hands, as a collector of these alone would give them."""
    kept = np.isin(decisions.hand, hands)
    number = np.full(len(decisions.points), -1)
    number[hands] = np.arange(len(hands))
    ends = np.concatenate([[0], np.cumsum(kept)])
    by_decision = ("observation", "action_mask", "action", "log_prob", "value", "hidden")
    return dataclasses.replace(
        decisions,
        **{
            name: getattr(decisions, name)[torch.from_numpy(kept)]
            for name in (*by_decision, "double_dummy")
        },
        hand=number[decisions.hand[kept]],
        seat=decisions.seat[kept],
        steps=[slice(int(ends[s.start]), int(ends[s.stop])) for s in decisions.steps],
        **{
            name: getattr(decisions, name)[hands]
            for name in ("reward", "points", "finals", "which", "opponent", "side")
        },
    )


def halves() -> tuple[Decisions, list[Decisions]]:
    """Decisions, and a part for each process; the parts have equally many."""
    decisions = collect(300, solve=True)
    lengths = np.bincount(decisions.hand)
    commonest = np.flatnonzero(lengths == np.bincount(lengths).argmax())
    hands = commonest[: len(commonest) // PROCESSES * PROCESSES]
    parts = [some_hands(decisions, part) for part in np.split(hands, PROCESSES)]
    return some_hands(decisions, hands), parts


def a_step(decisions: Decisions, group: Group) -> dict[str, Any]:
    """One gradient step on all of the decisions; the weights and gradients after it."""
    net = small_net()
    config = PPOConfig(minibatch=1 << 20, epochs=1, locations=0.2, average=0.9, magnet=0.1)
    critic = CriticConfig(sees="all", double_dummy=True, hidden=(16,), gae_lambda=0.7)
    learner = Learner(net, config, critic, 1, Workers(1), group)
    said = learner.learn(decisions, 0, 0.0)
    assert learner.critic is not None
    return {
        "norm": said["train/gradient_norm"],
        "weights": [p.detach().clone() for p in (*net.parameters(), *learner.critic.parameters())],
        "slow": [p.detach().clone() for p in learner.slow.parameters()],
        "gradients": [p.grad for p in (*net.parameters(), *learner.critic.parameters())],
    }


def a_run(folder: Path) -> dict[str, Any]:
    """A whole run with everything on; the weights at its end."""
    config = dataclasses.replace(EVERYTHING, pool=PAST_SELVES, iterations=3)
    run = _Run.start(tiny(folder, config), quiet, None)
    try:
        run.train(None)
        run.finish(None)
        past = [m.net.state_dict() for m in run.pool.members]  # type: ignore[attr-defined]
        return {"learner": run.learner.state_dict(), "past": past, "decisions": run.decisions}
    finally:
        run.close()


def one_of_several(rank: int, folder: str) -> None:
    """What each process does; it leaves what it found in a file."""
    there = Path(folder)
    try:
        dist.init_process_group(
            "gloo", init_method=f"file://{there / 'meet'}", rank=rank, world_size=PROCESSES
        )
    except RuntimeError as error:
        (there / "no_gloo").write_text(str(error), "utf-8")
        return
    group = Group()
    tensors = [torch.full((2, 3), float(rank)), torch.tensor([10.0 * rank])]
    group.mean_(tensors)
    found = {
        "group": [group.rank, group.size, group.least(5 + rank), group.least(-5 - rank)],
        "sums": group.sums(1.5, rank),
        "mean": tensors,
        "step": a_step(halves()[1][rank], group),
        "run": a_run(there),
    }
    torch.save(found, there / f"{rank}.pt")
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where two processes have trained."""
    if not dist.is_available() or not dist.is_gloo_available():
        pytest.skip("torch was built without gloo")
    there = tmp_path_factory.mktemp("group")
    mp.spawn(one_of_several, (str(there),), nprocs=PROCESSES)
    if (there / "no_gloo").exists():
        pytest.skip(f"gloo cannot connect: {(there / 'no_gloo').read_text('utf-8')}")
    return there


@pytest.fixture(scope="module")
def found(folder: Path) -> list[dict[str, Any]]:
    """What each of them left."""
    return [torch.load(folder / f"{rank}.pt", weights_only=True) for rank in range(PROCESSES)]


def test_a_group_of_one_changes_nothing() -> None:
    group, tensor = Group(), torch.tensor([3.0])
    group.mean_([tensor])
    assert (group.rank, group.size, group.least(7), group.sums(1.5, 2)) == (0, 1, 7, [1.5, 2])
    assert tensor.tolist() == [3.0]


def test_means_sums_and_the_least(found: list[dict[str, Any]]) -> None:
    for rank, one in enumerate(found):
        assert one["group"] == [rank, 2, 5, -6]
        assert one["sums"] == [3.0, 1.0]
        assert one["mean"][0].tolist() == [[0.5] * 3] * 2 and one["mean"][1].tolist() == [5.0]


def test_two_processes_take_the_step_of_one_with_the_joint_batch(
    found: list[dict[str, Any]],
) -> None:
    joint, parts = halves()
    assert len(parts[0]) == len(parts[1]) == len(joint) / 2 > 200
    assert sorted(joint.action.tolist()) == sorted(torch.cat([p.action for p in parts]).tolist())
    expected, start = a_step(joint, Group()), small_net()
    alone = a_step(parts[0], Group())
    for one in found:
        for name in ("weights", "gradients", "slow"):
            for ours, theirs in zip(one["step"][name], expected[name], strict=True):
                assert torch.allclose(ours, theirs, rtol=1e-4, atol=2e-6), name
        assert one["step"]["norm"] == pytest.approx(expected["norm"], rel=1e-4)
    # The step is no small one, and half of the decisions alone give another.
    first = expected["weights"][0]
    assert (first - start.first.weight).abs().max() > 5e-4
    assert (first - alone["weights"][0]).abs().max() > 1e-4
    assert abs(alone["norm"] - expected["norm"]) > 1e-3 * expected["norm"]


def test_processes_end_with_equal_weights_and_one_set_of_files(
    folder: Path, found: list[dict[str, Any]]
) -> None:
    first, second = (one["run"] for one in found)
    for name, part in first["learner"].items():
        other = second["learner"][name]
        for key in part.keys() - {"state", "param_groups"}:
            assert torch.equal(part[key], other[key]), (name, key)
    assert len(first["past"]) == len(second["past"]) == 2
    for ours, theirs in zip(first["past"], second["past"]):
        assert all(torch.equal(value, theirs[name]) for name, value in ours.items())
    assert first["decisions"] == second["decisions"]
    assert [p.name for p in folder.iterdir() if p.is_dir()] == ["tiny"]
    kept = load_checkpoint(checkpoints(folder / "tiny")[-1])
    assert kept["iteration"] == 3 and kept["state"]["decisions"] == first["decisions"]
    lines = figures(folder / "tiny")
    assert [line["iteration"] for line in lines] == [1, 2, 3]
    played = load_agent(folder / "tiny" / POLICY).net.state_dict()
    assert all(torch.equal(v, second["learner"]["slow"][name]) for name, v in played.items())


@pytest.mark.usefixtures("folder")  # skips where processes cannot meet
def test_the_command_trains_under_torchrun(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    text = "name: two\niterations: 2\nthreads: 1\nfigures_every: 0\nprecision: fp32\n"
    text += "network: {hidden: 16}\nrollout: {hands: 64}\n"
    text += "evaluation: {opponents: [greedy], final_deals: 64}\n"
    path.write_text(text, "utf-8")
    words = ["--standalone", f"--nproc-per-node={PROCESSES}", "train.py"]
    words += ["--config", str(path), "--folder", str(tmp_path / "runs")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert [p.name for p in (tmp_path / "runs").iterdir()] == ["two"]
    assert done.stdout.count("2/2 ") == 1 and done.stdout.count("euchre match") == 1
    lines = figures(tmp_path / "runs" / "two")
    assert [line["iteration"] for line in lines] == [1, 2]
    policy = load_agent(tmp_path / "runs" / "two" / POLICY)
    new = PolicyValueNet(**policy.net.shape, seed=1)
    collected = [len(collect(64, net=new, rank=rank)) for rank in range(PROCESSES)]
    assert lines[0]["decisions"] == sum(collected) and collected[0] != collected[1]
    header = policy.header
    assert header["decisions"] == lines[1]["decisions"] and len(header["results"]) == 1
