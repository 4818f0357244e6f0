"""The training run: collect, learn, report, keep; matches by a callable that is handed in."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from euchre_env._files import write_whole
from euchre_env.batch import as_rulesets
from euchre_env.encoding import LAYOUT
from euchre_env.rules import team

from ..base import Agent
from ..network import (
    NetworkAgent,
    PolicyValueNet,
    all_blocks,
    has_fast_bf16,
    save_policy,
)
from .checkpoint import CheckpointError, latest_checkpoint, load_checkpoint, save_checkpoint
from .config import ALL, AUTO, WITHOUT_INFLUENCE, Config, config_from
from .ppo import Learner
from .rollout import Collector, Decisions, Workers

Evaluate = Callable[[Agent, str, int], Mapping[str, Any]]
"""Plays the agent against the named opponent on so many deals; gives at least the keys
``points_per_hand`` and ``ci95``."""
Say = Callable[[str], None]

POLICY, METRICS, TENSORBOARD = "policy.safetensors", "metrics.jsonl", "tensorboard"


@dataclass(frozen=True)
class Result:
    """A finished run.

    Attributes:
        folder: The run's.
        policy: The policy file.
        matches: What ``evaluate`` said of the final policy, by opponent.
    """

    folder: Path
    policy: Path
    matches: dict[str, dict[str, Any]]


def train(
    config: Config | None = None,
    evaluate: Evaluate | None = None,
    resume: Path | None = None,
    say: Say = print,
) -> Result:
    """Run a training run to its end, or continue one.

    Args:
        config: Settings; None to take those of the run to continue. A new run gets a folder of its
            own: where there is a run of that name, a number is added.
        evaluate: Plays matches; none are played without it.
        resume: The folder of the run to continue.
        say: Gets each line of progress.

    Raises:
        CheckpointError: the run cannot be continued, or the disk is full.
    """
    if resume is None:
        run = _Run.start(config or Config(), say)
    else:
        run = _Run.resume(resume, config, say)
    try:
        run.train(evaluate)
        return run.finish(evaluate)
    except KeyboardInterrupt:
        say(f"stopped after iteration {run.iteration}; to go on: {resume_command(run.folder)}")
        raise
    except OSError as error:
        again = resume_command(run.folder)
        raise CheckpointError(
            f"cannot write to {run.folder}: {error.strerror}; to go on: {again}"
        ) from None
    finally:
        run.close()


def resume_command(folder: Path) -> str:
    """The command that continues a run."""
    return f"python train.py --resume {folder}"


# --- folders -----------------------------------------------------------------------------------


def new_folder(config: Config, say: Say) -> Path:
    """Make the folder of a new run: ``name``, or ``name-2`` and so on where that is taken."""
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        folder = Path(config.folder) / f"{config.name}{suffix}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            if not folder.is_dir():
                raise CheckpointError(f"{folder} is a file: choose another name") from None
            number += 1
            continue
        except OSError as error:
            raise CheckpointError(f"cannot make the run's folder {folder}: {error}") from None
        if number > 1:
            say(f"{config.name} is taken: this run is {folder}")
        return folder


def check_same(config: Config, saved: Config, folder: Path) -> None:
    """Refuse to continue a run with settings that would change its figures.

    Raises:
        CheckpointError: some differ; the message names them.
    """
    given, kept = _flat(config.to_dict()), _flat(saved.to_dict())
    wrong = [
        f"{key} is {kept[key]}, not {given[key]}"
        for key in given
        if given[key] != kept[key] and key.split(".")[0] not in WITHOUT_INFLUENCE
    ]
    if wrong:
        raise CheckpointError(
            f"run {folder} was started with other settings ({'; '.join(wrong)}): continue it with "
            f"`{resume_command(folder)}` alone, or start a new run without --resume"
        )


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


# --- figures -----------------------------------------------------------------------------------


def outcome_shares(decisions: Decisions) -> dict[str, float]:
    """How the hands of an iteration went: shares of all hands, or of those with a maker."""
    finals = decisions.finals
    called = finals[finals["maker"] >= 0]
    makers = team(called["maker"])
    tricks = called["tricks"][np.arange(len(called)), makers]
    alone = called["loner"] >= 0
    played = max(len(called), 1)
    return {
        "hands/thrown_in": float((finals["thrown_in"] != 0).mean()),
        "hands/called_in_round_1": float((called["passes"] < 4).sum() / played),
        "hands/alone": float(alone.sum() / played),
        "hands/euchred": float((tricks < 3).sum() / played),
        "hands/marched": float((tricks == 5).sum() / played),
        "hands/makers_points": float(
            decisions.points[finals["maker"] >= 0, called["maker"]].sum() / played
        ),
        "hands/decisions": len(decisions) / len(finals),
    }


class _Log:
    """metrics.jsonl and TensorBoard, with the same names and steps (decisions are a scalar too)."""

    def __init__(self, folder: Path, iteration: int) -> None:
        from torch.utils.tensorboard import SummaryWriter  # takes a second to import

        self._path = folder / METRICS
        self._forget_after(iteration)
        self._file = self._path.open("a", encoding="utf-8")
        self._board = SummaryWriter(str(folder / TENSORBOARD), purge_step=iteration + 1)

    def _forget_after(self, iteration: int) -> None:
        if self._path.exists():
            lines = self._path.read_text("utf-8").splitlines(keepends=True)
            whole = [line for line in lines if line.endswith("\n")]
            kept = [line for line in whole if json.loads(line)["iteration"] <= iteration]
            write_whole(self._path, "".join(kept).encode())

    def write(self, iteration: int, figures: Mapping[str, float]) -> None:
        """Add the figures of an iteration."""
        print(json.dumps({"iteration": iteration, **figures}), file=self._file, flush=True)
        for name, value in figures.items():
            self._board.add_scalar(name, value, iteration)
        self._board.flush()

    def close(self) -> None:
        """Close both."""
        self._file.close()
        self._board.close()


def progress_line(iteration: int, iterations: int, figures: Mapping[str, float]) -> str:
    """One iteration in one line."""
    f = figures
    left = f["speed/iteration_seconds"] * (iterations - iteration)
    strength = "".join(
        f"  {name.split('/')[1]} {value:+.3f}"
        for name, value in f.items()
        if name.startswith("strength/") and name.endswith("points_per_hand")
    )
    return (
        f"{iteration:4d}/{iterations}  {f['decisions'] / 1e6:6.2f}M decisions  "
        f"entropy {f['train/entropy']:.3f}  kl {f['train/kl']:.4f}  "
        f"value explains {f['train/explained_variance']:4.0%}  alone {f['hands/alone']:4.1%}  "
        f"euchred {f['hands/euchred']:4.1%}{strength}  "
        f"collect {f['speed/collect'] / 1e3:.0f}k/s  learn {f['speed/learn'] / 1e3:.0f}k/s  "
        f"{left:.0f} s left"
    )


# --- the run -----------------------------------------------------------------------------------


def network_blocks(config: Config) -> tuple[str, ...]:
    """The observation blocks that the network of a run reads."""
    chosen = config.network.blocks
    if chosen == (ALL,):
        return tuple(LAYOUT)
    if chosen != (AUTO,):
        return chosen
    constant = {"score", "games", "hands"}
    if len(config.ruleset) == 1:
        constant.add("rules")
    return tuple(name for name in all_blocks() if name not in constant)


class _Run:
    """One run: its folder, network, collector, learner, log and counters."""

    def __init__(self, config: Config, folder: Path, say: Say) -> None:
        self.config, self.folder, self.say = config, folder, say
        self.iteration = self.decisions = 0
        self.seconds = 0.0
        autocast = config.precision == "bf16" or (config.precision == "auto" and has_fast_bf16())
        self.precision = "bf16" if autocast else "fp32"
        self.workers = Workers(config.threads)
        rulesets = as_rulesets(list(config.ruleset))
        self.net = PolicyValueNet(config.network.hidden, network_blocks(config), config.seed)
        self.collector = Collector(
            config.rollout.hands, rulesets, config.seed, self.workers, autocast
        )
        self.learner = Learner(self.net, config.ppo, config.seed, self.workers, autocast)
        self.log: _Log | None = None

    @classmethod
    def start(cls, config: Config, say: Say) -> _Run:
        """A new run in a new folder."""
        run = cls(config, new_folder(config, say), say)
        run.keep()
        return run

    @classmethod
    def resume(cls, folder: Path, config: Config | None, say: Say) -> _Run:
        """A run as its newest checkpoint has it."""
        path = latest_checkpoint(folder)
        whole = load_checkpoint(path)
        saved = config_from(whole["config"])
        if config is not None:
            check_same(config, saved, folder)
        run = cls(config or saved, folder, say)
        run.load(path, whole)
        say(f"continuing {folder} after iteration {run.iteration}")
        return run

    def load(self, path: Path, whole: dict[str, Any]) -> None:
        """Take over a checkpoint's contents."""
        state = whole["state"]
        if state["precision"] != self.precision:
            raise CheckpointError(
                f"{path} was trained in {state['precision']}, this machine would go on in "
                f"{self.precision}: start a new run with precision {state['precision']}"
            )
        try:
            self.net.load_state_dict(state["net"])
            self.learner.optimizer.load_state_dict(state["optimizer"])
        except (RuntimeError, ValueError, KeyError) as error:
            raise CheckpointError(f"{path} does not fit its own configuration: {error}") from None
        self.iteration, self.decisions = whole["iteration"], state["decisions"]
        self.seconds = state["seconds"]

    def keep(self) -> None:
        """Write a checkpoint. Random numbers need no state: they come from (seed, iteration)."""
        save_checkpoint(
            self.folder,
            self.iteration,
            self.config.to_dict(),
            {
                "net": self.net.state_dict(),
                "optimizer": self.learner.state_dict(),
                "decisions": self.decisions,
                "seconds": self.seconds,
                "precision": self.precision,
            },
        )

    def train(self, evaluate: Evaluate | None) -> None:
        """All iterations that are left."""
        self.log = _Log(self.folder, self.iteration)
        config = self.config
        self.say(
            f"training {self.folder}: {config.iterations} iterations of {config.rollout.hands} "
            f"hands, {self.precision}, {config.threads} threads, rules {' + '.join(config.ruleset)}"
        )
        while self.iteration < config.iterations:
            figures = self._iterate()
            if evaluate and self._wants_matches():
                figures |= self._strength(evaluate, config.evaluation.deals)
            self.log.write(self.iteration, figures)
            self.keep()
            self.say(progress_line(self.iteration, config.iterations, figures))

    def _wants_matches(self) -> bool:
        every = self.config.evaluation.every
        return every > 0 and self.iteration % every == 0

    def _iterate(self) -> dict[str, float]:
        started = time.perf_counter()
        decisions = self.collector.collect(self.net, self.iteration)
        collected = time.perf_counter()
        learnt = self.learner.learn(
            decisions, self.iteration, self.iteration / self.config.iterations
        )
        ended = time.perf_counter()
        self.iteration += 1
        self.decisions += len(decisions)
        self.seconds += ended - started
        return {
            "decisions": self.decisions,
            **learnt,
            **outcome_shares(decisions),
            "speed/collect": len(decisions) / (collected - started),
            "speed/learn": len(decisions) / (ended - collected),
            "speed/iteration_seconds": ended - started,
            "speed/seconds": self.seconds,
        }

    def agent(self) -> NetworkAgent:
        """The policy as it is now, playing its likeliest action."""
        return NetworkAgent(self.net, str(self.folder / POLICY))

    def _strength(self, evaluate: Evaluate, deals: int) -> dict[str, float]:
        figures = {}
        for opponent in self.config.evaluation.opponents:
            said = evaluate(self.agent(), opponent, deals)
            for key in ("points_per_hand", "ci95"):
                figures[f"strength/{opponent}/{key}"] = float(said[key])
        return figures

    def finish(self, evaluate: Evaluate | None) -> Result:
        """Save the policy, play the last matches, and add what they showed to its header."""
        path = self.folder / POLICY
        header = {
            "config": self.config.to_dict(),
            "rulesets": [r.to_dict() for r in as_rulesets(list(self.config.ruleset))],
            "decisions": self.decisions,
            "iterations": self.iteration,
            "seconds": round(self.seconds, 1),
            "precision": self.precision,
            "results": [],
        }
        self._save(path, header)
        evaluation = self.config.evaluation
        matches = {}
        if evaluate is not None:
            for opponent in evaluation.opponents:
                matches[opponent] = dict(evaluate(self.agent(), opponent, evaluation.final_deals))
            self._save(path, header | {"results": list(matches.values())})
        return Result(self.folder, path, matches)

    def _save(self, path: Path, header: dict[str, Any]) -> None:
        try:
            save_policy(path, self.net, header)
        except OSError as error:
            raise CheckpointError(f"cannot write policy {path}: {error.strerror}") from None

    def close(self) -> None:
        """Stop threads and close files."""
        self.collector.close()
        self.workers.close()
        if self.log is not None:
            self.log.close()
