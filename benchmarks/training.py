"""Decisions a second that are trained on, beside Stable-Baselines3's MaskablePPO: one table.

    pip install -c constraints.txt -e ".[bench]" && python benchmarks/training.py

All collect and learn by PPO on two threads of the CPU: the rule set `stick`, the same observation,
one network of two hidden layers of 256 with a policy and a value head. A decision is trained on if
it went through the gradient steps of every epoch; seconds are wall time. Measures take turns, a
warm-up of each goes before, and the table shows medians; ratios hold within one run only. "must"
and "aim" are this project's own targets; the exit status is 1 where a "must" is missed.

MaskablePPO (sb3-contrib) is used as its documentation says: `EuchreGymEnv` has the method
`action_masks`, so no wrapper is needed. It takes no `EuchreVectorEnv`: it wants a VecEnv of its
own. One seat learns and the environment plays the three others at random, uncounted; in our
trainer, all four seats learn. It is measured in two ways:

- as it comes, but for the network: one environment and the library's settings, minibatches of 64
  and 10 epochs, which take more from each decision. The targets are for this one;
- with our settings, so that a decision costs both the same: 256 environments in a DummyVecEnv,
  two epochs, minibatches of 2048.

What it is given:

- Policy and value share the hidden layers, as here; by default each has its own.
- All its decisions count, also those with one legal action, which our trainer neither shows to the
  network nor counts; a row of the table leaves them out.
- Last minibatches of an epoch that are not full do not count for us.

On a machine with other work the ratio is worth nothing: MaskablePPO's two torch threads wait for
each other, and slow down far more than our trainer. A warning says so, and the load is in the JSON.

Our network computes in bf16 where the processor has it, MaskablePPO in fp32; a row compares fp32.
Our seconds are those of collecting and learning that the trainer reports; `call` in the JSON is
the whole call, with start-up, warm-up, checkpoints and logs.

Further words are settings of our trainer, as `train.py` takes them: `--critic.sees all`.
"""

import argparse
import dataclasses
import itertools
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

if __name__ == "__main__":  # said before NumPy, numba and torch are imported
    for _library in ("OMP", "MKL", "OPENBLAS", "NUMBA"):
        os.environ[f"{_library}_NUM_THREADS"] = "2"

import time

import torch
from torch import nn

from agents.network import has_fast_bf16
from agents.training import Config, ConfigError, load_config, train
from euchre_env.gym_env import EuchreGymEnv
from peers import SEED
from throughput import Comparison, interleave, machine, mark, print_table, show_comparisons

THREADS = 2
RULES = "stick"
HIDDEN = (256, 256)
EPOCHS = 2
RATE = 1e-3
BUSY = 0.5
LIBRARIES = ("torch", "stable-baselines3", "sb3-contrib")


@dataclasses.dataclass(frozen=True)
class Size:
    """How much is done at once.

    Attributes:
        hands: Of an iteration of ours, some 14 counted decisions each.
        environments: That MaskablePPO steps in turn.
        steps: Of each of those in an iteration.
        minibatch: Decisions in a gradient step of either.
    """

    hands: int = 4096
    environments: int = 256
    steps: int = 64
    minibatch: int = 2048


class Trained(NamedTuple):
    """One measurement.

    Attributes:
        decisions: Trained on in every epoch.
        choices: Those of them that had more than one legal action.
        wall: Seconds of collecting and learning.
        call: Seconds of the whole call.
        learning: Seconds of the gradient steps alone; None where collection overlaps them.
    """

    decisions: float
    choices: float
    wall: float
    call: float
    learning: float | None = None

    @property
    def rate(self) -> float:
        """Decisions per second of wall time."""
        return self.decisions / self.wall


COMPARISONS = [
    Comparison("trained / MaskablePPO as it comes", "ours", "maskable_ppo_as_it_comes", 20, 50),
    Comparison("trained / MaskablePPO with our settings", "ours", "maskable_ppo"),
    Comparison("  its decisions with a choice only", "ours", "maskable_ppo_choices"),
    Comparison("  in fp32", "ours_fp32", "maskable_ppo"),
    Comparison("  as if its collecting took no time", "ours", "maskable_ppo_learning"),
]


# ---- our trainer ---------------------------------------------------------------------------------


def our_config(size: Size, iterations: int, folder: str, settings: list[str]) -> Config:
    """Our trainer's configuration with the command line's further settings on top.

    Raises:
        ConfigError: a setting that is unknown or cannot be.
    """
    fixed = {
        "folder": folder,
        "seed": SEED,
        "ruleset": RULES,
        "iterations": iterations,
        "threads": THREADS,
        "network.hidden": ",".join(map(str, HIDDEN)),
        "network.blocks": "all",
        "rollout.hands": size.hands,
        "ppo.rate": RATE,
        "ppo.epochs": EPOCHS,
        "ppo.minibatch": size.minibatch,
    }
    if any(field.name == "device" for field in dataclasses.fields(Config)):
        fixed["device"] = "cpu"
    return load_config(None, [*(f"--{key}={value}" for key, value in fixed.items()), *settings])


def in_whole_minibatches(decisions: int, size: int) -> int:
    """How many of an iteration's decisions every epoch is sure to use."""
    return decisions if decisions < size else decisions - decisions % size


def trained_in(lines: list[dict[str, Any]], minibatch: int) -> tuple[int, float]:
    """Decisions and seconds in the lines of a run's metrics after the first, which warms up."""
    totals = [int(line["decisions"]) for line in lines]
    used = (in_whole_minibatches(b - a, minibatch) for a, b in itertools.pairwise(totals))
    return sum(used), lines[-1]["speed/seconds"] - lines[0]["speed/seconds"]


class OurTrainer:
    """The measure of our trainer: a new run each time, its first iteration not counted."""

    def __init__(self, size: Size, settings: list[str]) -> None:
        self.size, self.settings = size, settings
        self._pace: float | None = None  # seconds of an iteration

    def __call__(self, seconds: float) -> Trained:
        """Train for about so many seconds; the first call trains a little before, to learn how."""
        if self._pace is None:
            self._pace = self._run(2).wall / 2
        iterations = max(1, math.ceil(seconds / self._pace))
        taken = self._run(iterations)
        self._pace = taken.wall / iterations
        return taken

    def _run(self, iterations: int) -> Trained:
        with tempfile.TemporaryDirectory() as folder:
            config = our_config(self.size, 1 + iterations, folder, self.settings)
            start = time.perf_counter()
            result = train(config, evaluate=None, say=lambda line: None)
            call = time.perf_counter() - start
            text = (result.folder / "metrics.jsonl").read_text("utf-8")
        lines = [json.loads(line) for line in text.splitlines()]
        decisions, wall = trained_in(lines, self.size.minibatch)
        return Trained(decisions, decisions, wall, call)


# ---- MaskablePPO ---------------------------------------------------------------------------------


AS_IT_COMES: dict[str, Any] = {}
"""MaskablePPO's settings where nothing is said: one environment, minibatches of 64, 10 epochs."""


def our_settings(size: Size) -> dict[str, Any]:
    """MaskablePPO's settings that do what our trainer's do."""
    return {
        "learning_rate": RATE,
        "n_steps": size.steps,
        "batch_size": size.minibatch,
        "n_epochs": EPOCHS,
        "gamma": 1.0,
        "ent_coef": 0.01,
    }


def maskable_ppo(environments: int, settings: dict[str, Any]) -> Any:
    """MaskablePPO with our network on the one-seat environment."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.vec_env import DummyVecEnv

    class Trunk(BaseFeaturesExtractor):  # type: ignore[misc]
        """The hidden layers, shared by the policy's and the value's head."""

        def __init__(self, space: Any) -> None:
            super().__init__(space, HIDDEN[-1])
            widths = (space.shape[0], *HIDDEN)
            pairs = (
                (nn.Linear(inputs, outputs), nn.ReLU())
                for inputs, outputs in itertools.pairwise(widths)
            )
            self.layers = nn.Sequential(*(layer for pair in pairs for layer in pair))

        def forward(self, observation: torch.Tensor) -> torch.Tensor:
            """float32[B, D] -> float32[B, 256]."""
            return self.layers(observation)

    return MaskablePPO(
        "MlpPolicy",
        DummyVecEnv([lambda: EuchreGymEnv(RULES)] * environments),
        **settings,
        policy_kwargs={"features_extractor_class": Trunk, "net_arch": []},
        seed=SEED,
        device="cpu",
    )


class PeerTrainer:
    """The measure of MaskablePPO: one model learns on and on, its first iteration not counted."""

    def __init__(self, environments: int, settings: dict[str, Any]) -> None:
        self._environments, self._settings = environments, settings
        self._model: Any = None
        self._per_iteration = 0
        self._learning = 0.0  # seconds of gradient steps

    def __call__(self, seconds: float) -> Trained:
        """Train whole iterations for at least so many seconds."""
        torch.set_num_threads(THREADS)  # our trainer sets one for each thread of its own
        if self._model is None:
            self._model = maskable_ppo(self._environments, self._settings)
            self._per_iteration = self._environments * self._model.n_steps
            self._time_gradient_steps()
            self._iterate()
        self._learning = wall = 0.0
        decisions = choices = 0
        start = time.perf_counter()
        while wall < seconds:
            choices += self._iterate()
            decisions += self._per_iteration
            wall = time.perf_counter() - start
        return Trained(decisions, choices, wall, wall, self._learning)

    def _iterate(self) -> int:
        """Collect and learn once; how many of the decisions had more than one legal action."""
        self._model.learn(self._per_iteration, log_interval=None, reset_num_timesteps=False)
        return int((self._model.rollout_buffer.action_masks.sum(-1) > 1).sum())

    def _time_gradient_steps(self) -> None:
        gradient_steps = self._model.train

        def timed() -> None:
            start = time.perf_counter()
            gradient_steps()
            self._learning += time.perf_counter() - start

        self._model.train = timed


# ---- the table -----------------------------------------------------------------------------------


def measures(size: Size, settings: list[str]) -> dict[str, Callable[[float], Trained]]:
    """All measures by name."""
    return {
        "ours": OurTrainer(size, settings),
        "ours_fp32": OurTrainer(size, [*settings, "--precision=fp32"]),
        "maskable_ppo": PeerTrainer(size.environments, our_settings(size)),
        "maskable_ppo_as_it_comes": PeerTrainer(1, AS_IT_COMES),
    }


def rates_of(samples: dict[str, list[Trained]]) -> dict[str, list[float]]:
    """Rates by name, in the order of the repeats: of each measure, and MaskablePPO's in parts."""
    rates = {name: [taken.rate for taken in each] for name, each in samples.items()}
    peer = samples["maskable_ppo"]
    rates["maskable_ppo_choices"] = [taken.choices / taken.wall for taken in peer]
    rates["maskable_ppo_learning"] = [t.decisions / t.learning for t in peer if t.learning]
    return rates


def compare(rates: dict[str, list[float]]) -> list[dict[str, Any]]:
    """One result for each row of `COMPARISONS`."""
    results = []
    for row in COMPARISONS:
        mine, theirs = median(rates[row.ours]), median(rates[row.peer])
        result = {**row._asdict(), "rate": mine, "peer_rate": theirs, "ratio": mine / theirs}
        results.append({**result, "status": mark(mine / theirs, row.must, row.aim)})
    return results


def show_rates(rates: dict[str, list[float]]) -> None:
    """The table of all rates with their spread."""
    rows = [
        [name, f"{median(each):,.0f}", f"{min(each):,.0f} .. {max(each):,.0f}"]
        for name, each in rates.items()
    ]
    print_table([f"decisions trained a second, {THREADS} threads", "median", "least .. most"], rows)


# ---- the command ---------------------------------------------------------------------------------


def load() -> float | None:
    """The processes that wanted to run in the last minute, on average; None where not known."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def warn_if_busy(wanting: float | None) -> None:
    """Say so where other work would spoil the ratio."""
    if wanting is not None and wanting > BUSY:
        said = f"the machine is busy (load {wanting:.1f}): do not quote these ratios"
        print(said, file=sys.stderr, flush=True)


def parse(arguments: list[str] | None) -> tuple[argparse.Namespace, list[str]]:
    """The command line, and what of it are settings of our trainer."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0], allow_abbrev=False
    )
    parser.add_argument("--repeats", type=int, default=5, help="rounds over all measures (5)")
    parser.add_argument("--seconds", type=float, default=10.0, help="wall seconds a measure (10)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples here")
    options, settings = parser.parse_known_args(arguments)
    if options.repeats < 1 or options.seconds <= 0:
        parser.error("--repeats needs at least 1 and --seconds more than 0")
    try:
        our_config(Size(), 1, "runs", settings)
    except ConfigError as error:
        parser.error(str(error))
    return options, settings


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and say by the exit status whether every must is met."""
    options, settings = parse(arguments)
    size, load_before = Size(), load()
    warn_if_busy(load_before)
    timed = measures(size, settings)
    for measure in timed.values():  # warms up, outside every measured interval
        measure(0.01)
    samples = interleave(timed, options.repeats, options.seconds)
    rates = rates_of(samples)
    results = compare(rates)
    show_rates(rates)
    print()
    show_comparisons(results)
    if options.json:
        report = {
            "machine": {**machine(), "bf16": has_fast_bf16(), "load": load_before},
            "training_libraries": {name: version(name) for name in LIBRARIES},
            "threads": THREADS,
            "size": dataclasses.asdict(size),
            "config": our_config(size, 1, "runs", settings).to_dict(),
            "comparisons": results,
            "samples": {name: [t._asdict() for t in each] for name, each in samples.items()},
        }
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return int(any(r["status"] == "MISSES must" for r in results))


if __name__ == "__main__":
    sys.exit(main())
