"""Whole runs of the trainer: figures, resuming, what cannot go on, and the command."""

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

import pytest
import torch

import train as command
from agents import make
from agents.evaluation.match import play_match
from agents.network import load_agent, read_header
from agents.training import CheckpointError, checkpoint, load_config, train
from agents.training.checkpoint import checkpoints, load_checkpoint
from agents.training.config import NetworkConfig, PPOConfig, RolloutConfig, config_from
from agents.training.log import METRICS, TENSORBOARD
from agents.training.loop import POLICY
from tests.small_runs import (
    EVERYTHING,
    ROOT,
    TINY,
    Killed,
    figures,
    quiet,
    stop_after,
    tiny,
)

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
    lines = figures(folder)
    for name in set().union(*lines) - {"iteration"}:
        found = [(e.step, e.value) for e in board.Scalars(name)]
        assert found == [
            (line["iteration"], pytest.approx(line[name], rel=1e-5))
            for line in lines
            if name in line
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


def same(ours: Any, theirs: Any) -> bool:
    """Whether two states are equal bit for bit."""
    if isinstance(ours, torch.Tensor):
        return ours.dtype == theirs.dtype and torch.equal(ours, theirs)
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    if isinstance(ours, list | tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == theirs)


def final_state(folder: Path) -> dict[str, Any]:
    """The last checkpoint, but for the clock."""
    state = load_checkpoint(checkpoints(folder)[-1])["state"]
    del state["seconds"]
    return dict(state)


@pytest.fixture(scope="module")
def whole_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs from end to end: a plain one, and one with all that can be switched on."""
    folder = tmp_path_factory.mktemp("whole")
    return {
        config.name: train(tiny(folder, config), say=quiet, make=make).folder
        for config in (TINY, dataclasses.replace(EVERYTHING, name="everything"))
    }


@pytest.mark.parametrize("name", ["tiny", "everything"])
@pytest.mark.parametrize("done", [0, 1, 2])
def test_a_resumed_run_goes_on_to_the_very_same_figures(
    name: str,
    done: int,
    whole_runs: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = whole_runs[name]
    config = config_from(load_checkpoint(checkpoints(whole)[-1])["config"])
    with monkeypatch.context() as patch:
        stop_after(done, patch)
        with pytest.raises(Killed):
            train(tiny(tmp_path, config), say=quiet, make=make)
    resumed = train(resume=tmp_path / name, say=quiet, make=make)
    assert figures(resumed.folder) == figures(whole)
    assert same(final_state(resumed.folder), final_state(whole))
    ours, theirs = (load_agent(p).net.state_dict() for p in (resumed.policy, whole / POLICY))
    assert same(dict(ours), dict(theirs))


def test_everything_was_at_work(whole_runs: dict[str, Path]) -> None:
    lines, state = figures(whole_runs["everything"]), final_state(whole_runs["everything"])
    assert [line["pool/members"] for line in lines] == [2, 3, 3, 3]
    assert [past["name"] for past in state["pool"]] == ["past@3", "past@4"]
    assert {"net", "slow", "locations", "critic", "optimizer", "critic_optimizer"} == set(
        state["learner"]
    )
    assert all(line["train/slow_kl"] > 0 and line["train/critic_loss"] > 0 for line in lines)
    learner = state["learner"]
    assert not same(dict(learner["net"]), dict(learner["slow"]))
    # The policy to be played is the slow one.
    policy = load_agent(whole_runs["everything"] / POLICY)
    assert same(dict(policy.net.state_dict()), dict(learner["slow"]))
    assert len(policy.header["rulesets"]) == 2


def test_threads_do_not_change_a_figure_with_everything_on(
    whole_runs: dict[str, Path], tmp_path: Path
) -> None:
    config = tiny(tmp_path, EVERYTHING, threads=2)
    threaded = train(config, say=quiet, make=make).folder
    assert figures(threaded) == figures(whole_runs["everything"])
    assert same(final_state(threaded), final_state(whole_runs["everything"]))


def test_a_finished_run_can_be_resumed_for_its_matches(tmp_path: Path) -> None:
    first = train(tiny(tmp_path), say=quiet)
    again = train(resume=first.folder, evaluate=matches(), say=quiet)
    assert list(again.matches) == ["random", "greedy"]
    assert len(figures(again.folder)) == 3


def test_kill_9_loses_at_most_one_iteration(tmp_path: Path) -> None:
    words = ["--name", "tiny", "--iterations", "400", "--threads", "1", "--network.hidden", "16"]
    words += [
        "--figures_every",
        "0",
        "--rollout.hands",
        "64",
        "--ppo.minibatch",
        "128",
        "--folder",
        str(tmp_path),
    ]
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
        patch.setattr(checkpoint, "fits_layout", lambda digest: digest == "ffff")
        with pytest.raises(CheckpointError, match="this version has ffff"):
            train(resume=folder, say=quiet)
    path = checkpoints(folder)[-1]
    whole = torch.load(path, weights_only=True)
    whole["state"]["learner"]["net"]["value.bias"] = torch.zeros(2)
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
    path = tmp_path / "c.yaml"
    path.write_text("iterations: 1\nthreads: 1\nrollout: {hands: 64}\n", "utf-8")
    words = ["--config", str(path), "--folder", str(tmp_path), "--evaluation.final_deals", "64"]
    assert command.main(words) == 0
    said = capsys.readouterr().out
    policy = tmp_path / "run" / POLICY
    assert f"euchre match {policy} greedy --deals 64 --ruleset stick --seed 1" in said
    assert "points a hand" in said and "±" in said
    assert command.main(["--resume", str(tmp_path / "run")]) == 0


def test_the_command_goes_on_with_a_run_that_was_begun(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(
        "iterations: 3\nthreads: 1\nname: begun\nrollout: {hands: 64}\nnetwork: {hidden: [16]}\n"
        "evaluation: {opponents: [random], final_deals: 8}\n",
        "utf-8",
    )
    words = ["--config", str(path), "--folder", str(tmp_path / "runs"), "--continue", "--json"]
    with monkeypatch.context() as patch:
        stop_after(2, patch)
        with pytest.raises(Killed):
            command.main(words)
    folder = tmp_path / "runs" / "begun"
    assert load_checkpoint(checkpoints(folder)[-1])["iteration"] == 2
    for _ in range(2):  # to its end, and once more when it is finished
        capsys.readouterr()
        assert command.main(words) == 0
        out, err = capsys.readouterr()
        told = json.loads(out)
        assert told.keys() == {
            *("folder", "policy", "matches", "decisions", "iterations", "seconds", "seed")
        }
        assert (told["folder"], told["iterations"], told["seed"]) == (str(folder), 3, 1)
        assert told["matches"]["random"]["deals"] == 8
        assert f"continuing {folder} after iteration" in err
        assert len(figures(folder)) == 3
    assert [p.name for p in folder.parent.iterdir()] == ["begun"]
    assert command.main([*words, "--seed", "2"]) == 2
    assert "begun with other settings (seed is 1, not 2): give another" in capsys.readouterr().err
    (folder.parent / "other").mkdir()
    (folder.parent / "other" / "file").touch()
    assert command.main([*words, "--name", "other"]) == 2
    assert "other is no run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--config", "nowhere.yaml"], "there is no configuration file nowhere.yaml"),
        (["--seeed", "1"], "did you mean 'seed'"),
        (["--seed", "x"], "seed='x' must be a whole number"),
        (["--resume", "nowhere"], "there is no run nowhere"),
        (["--evaluation.opponents", "gredy"], "did you mean 'greedy'"),
        (["--pool.agents", "gredy"], "did you mean 'greedy'"),
        (["--ppo.magnet", "0.1"], "needs a slow policy"),
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
    assert len((ROOT / "train.py").read_text("utf-8").splitlines()) <= 65


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
