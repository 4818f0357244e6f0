"""How near to an equilibrium the trainers come on a small Euchre: one table, one command.

    python benchmarks/small_games.py [--game three_tricks] [--seeds 3] [--json FILE] [SETTINGS]

A small game (euchre_env/small_games.py) starts late in a hand, between two seats with hidden cards.
What a best answer gains against a policy (its exploitability, in points a hand, the mean of the two
sides) is computed exactly and not estimated by play; it is 0 for an equilibrium only. Every row
trains by self-play from random weights on as many hands. The columns are means over the seeds, with
the worst seed at the end beside them; `greedy` is the policy that takes its likeliest action, as in
matches, and `value error` how far the value of self-play is from that of the equilibrium.

PPO keeps no slow policy, or plays the average of its weights, or is drawn to it by the magnet too;
its critic sees what the seat sees, all hands, or all hands and the double-dummy value. DMC is deep
Monte Carlo, whose probabilities are a softmax of its values, and NFSP neural fictitious self-play.
All networks have one hidden layer of 64 and compute in fp32 on one thread, so the figures depend on
the seeds alone (and, in the last digits, on the processor).

Further words are settings of all rows, as `train.py` takes them: `--iterations 300`.
"""

import argparse
import dataclasses
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":  # one thread, said before NumPy, numba and torch are imported
    for _library in ("OMP", "MKL", "OPENBLAS", "NUMBA"):
        os.environ[f"{_library}_NUM_THREADS"] = "1"

import numpy as np
import numpy.typing as npt

from agents.base import RuleTable, View, view_of
from agents.network import NetworkAgent, PolicyValueNet
from agents.training import Config, ConfigError, load_config
from agents.training.config import PPO
from agents.training.group import Group
from agents.training.learners import Learns, make_learner
from agents.training.loop import hardware, network_blocks
from agents.training.rollout import Collector, Decisions, Workers
from euchre_env.ruleset import Ruleset
from euchre_env.small_games import (
    SMALL_GAMES,
    Policy,
    SmallGame,
    pure_policy,
    small_game,
    uniform_policy,
)
from throughput import machine, print_table

SHARED = [
    "--threads=1",
    "--device=cpu",
    "--precision=fp32",
    "--iterations=60",
    "--network.hidden=[64]",
    "--rollout.hands=2048",
    "--ppo.rate=3e-3",
    "--ppo.minibatch=1024",
    "--critic.hidden=[64]",
    "--critic.rate=3e-3",
    "--dmc.rate=3e-3",
    "--dmc.minibatch=1024",
    "--nfsp.rate=3e-3",
    "--nfsp.average_rate=3e-3",
    "--nfsp.minibatch=1024",
]
"""Settings of every row; the command line's come after them, and a row's own last."""

SETTINGS = (
    *("seed", "iterations", "threads", "device", "precision"),
    *("network.", "rollout.hands", "critic.", "ppo.", "dmc.", "nfsp."),
)
"""What may be set: all that is used here."""

_ALL = ["--critic.sees=all", "--critic.gae_lambda=0.7"]
_TRUTH = [*_ALL, "--critic.double_dummy=true"]
_AVERAGE = ["--ppo.average=0.9"]
_MAGNET = [*_AVERAGE, "--ppo.magnet=0.1"]

ROWS = {
    "ppo": [],
    "ppo, average": _AVERAGE,
    "ppo, magnet": _MAGNET,
    "ppo, critic sees all": _ALL,
    "ppo, critic sees all, magnet": [*_ALL, *_MAGNET],
    "ppo, double-dummy critic": _TRUTH,
    "ppo, double-dummy critic, magnet": [*_TRUTH, *_MAGNET],
    "dmc": ["--algorithm=dmc"],
    "nfsp": ["--algorithm=nfsp"],
}
"""Trainers by title, with the settings that are theirs."""

MARKS = 4
"""How often exploitability is computed in a run."""


# ---- training on a small game --------------------------------------------------------------------


def settings_of(row: list[str], more: list[str] | None = None) -> Config:
    """The settings of a row.

    Raises:
        ConfigError: an unknown setting or a wrong value.
    """
    return load_config(None, [*SHARED, *(more or []), *row])


class Step(NamedTuple):
    """What there is after an iteration.

    Attributes:
        learner: Whose ``slow`` is the policy.
        decisions: Of the iteration; the next one overwrites them.
        figures: What the learner reported.
    """

    learner: Learns
    decisions: Decisions
    figures: dict[str, float]


def train_on(game: SmallGame, config: Config) -> Iterator[Step]:
    """Train by self-play on starts of a small game; yields after every iteration.

    All chance comes from ``config.seed``. Only :data:`SETTINGS` matter.
    """
    workers = Workers(config.threads, *hardware(config))
    net = PolicyValueNet(
        config.network.hidden, network_blocks(config), config.seed, config.network.ordered_suits
    ).to(workers.device)
    learner = make_learner(config, net, workers, Group())
    collector = Collector(
        config.rollout.hands,
        game.ruleset,
        config.seed,
        workers,
        solve=config.algorithm == PPO and config.critic.sees == "all",
        start=game.sample,
        behave=learner.behave,
    )
    try:
        for iteration in range(config.iterations):
            decisions = collector.collect(net, iteration)
            figures = learner.learn(decisions, iteration, iteration / config.iterations)
            yield Step(learner, decisions, figures)
    finally:
        collector.close()
        workers.close()


def policies_of(net: PolicyValueNet, ruleset: Ruleset) -> tuple[Policy, Policy]:
    """A network's policy as small games take it: by probability, and its likeliest actions."""
    agent, table = NetworkAgent(net), RuleTable.of([ruleset])

    def view(states: npt.NDArray[Any]) -> View:
        count = len(states)
        return view_of(states, table, np.zeros(count, np.int16), np.zeros(count, np.uint64))

    return (
        lambda states, legal_sets: agent.probabilities(view(states)),
        pure_policy(lambda states, legal_sets: agent.act(view(states))),
    )


# ---- the table -----------------------------------------------------------------------------------


class Run(NamedTuple):
    """A finished run.

    Attributes:
        curve: Exploitability at :data:`MARKS` equal steps, in points a hand.
        greedy: Of the likeliest actions at the end.
        value: The makers' points a hand at the end, when the policy plays itself.
        decisions: That it learnt from.
        seconds: Of process time, without those of computing exploitability.
    """

    curve: list[float]
    greedy: float
    value: float
    decisions: int
    seconds: float


def run(game: SmallGame, config: Config) -> Run:
    """Train once and measure."""
    marks = {config.iterations * k // MARKS for k in range(1, MARKS + 1)}
    curve: list[float] = []
    decisions, seconds, started = 0, 0.0, time.process_time()
    for iteration, step in enumerate(train_on(game, config), 1):
        seconds += time.process_time() - started
        decisions += len(step.decisions)
        if iteration in marks:
            chances, greedy = policies_of(step.learner.slow, game.ruleset)
            curve.append(game.exploitability(chances))
        started = time.process_time()
    return Run(curve, game.exploitability(greedy), game.value(chances, chances), decisions, seconds)


def show(game: SmallGame, runs: dict[str, list[Run]]) -> None:
    """The table."""
    solution = game.solve().value
    print(f"{game.name}: value {solution:+.3f} points a hand to the makers")
    start = game.exploitability(uniform_policy)
    rows = [["all acts alike", f"{start:.3f}", *[""] * (MARKS + 2), "", ""]]
    for title, each in runs.items():
        curve = np.array([one.curve for one in each])
        rest = [np.mean([getattr(one, name) for one in each]) for name in ("greedy", "value")]
        rows.append(
            [
                title,
                "",
                *(f"{x:.3f}" for x in curve.mean(0)),
                f"{curve[:, -1].max():.3f}",
                f"{rest[0]:.3f}",
                f"{rest[1] - solution:+.3f}",
                f"{np.mean([one.seconds for one in each]):.0f}",
            ]
        )
    parts = [f"{k}/{MARKS}" for k in range(1, MARKS + 1)]
    print_table(
        ["exploitability after", "0", *parts, "worst", "greedy", "value error", "CPU s"], rows
    )


# ---- the command ---------------------------------------------------------------------------------


def parse(arguments: list[str] | None) -> tuple[argparse.Namespace, list[str]]:
    """The command line, and what of it are settings of the trainers."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0], allow_abbrev=False
    )
    parser.add_argument("--game", choices=SMALL_GAMES, default="three_tricks")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each row (3)")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all runs here")
    options, settings = parser.parse_known_args(arguments)
    if options.seeds < 1:
        parser.error("--seeds needs at least 1")
    for word in settings:
        if word.startswith("--") and not word[2:].startswith(SETTINGS):
            parser.error(f"{word} changes nothing here: known are {', '.join(SETTINGS)}")
    try:
        for row in ROWS.values():
            if settings_of(row, settings).iterations < MARKS:
                parser.error(f"--iterations needs at least {MARKS}")
    except ConfigError as error:
        parser.error(str(error))
    return options, settings


def main(arguments: list[str] | None = None) -> int:
    """Train every row and print the table."""
    options, settings = parse(arguments)
    game = small_game(options.game)
    runs: dict[str, list[Run]] = {}
    for title in options.rows:
        config = settings_of(ROWS[title], settings)
        seeds = range(config.seed, config.seed + options.seeds)
        runs[title] = [run(game, dataclasses.replace(config, seed=seed)) for seed in seeds]
        print(f"{title} done", file=sys.stderr, flush=True)
    show(game, runs)
    if options.json:
        report = {
            "machine": machine(),
            "game": options.game,
            "value": game.solve().value,
            "configs": {t: settings_of(ROWS[t], settings).to_dict() for t in options.rows},
            "runs": {title: [one._asdict() for one in each] for title, each in runs.items()},
        }
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
