"""Small training runs for tests: settings, collected decisions, and ways to stop a run."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import torch

from agents.network import PolicyValueNet, load_policy
from agents.training import Config, train
from agents.training.config import (
    CriticConfig,
    NetworkConfig,
    PoolConfig,
    PPOConfig,
    RolloutConfig,
)
from agents.training.log import METRICS
from agents.training.rollout import Collector, Decisions, Workers

ROOT = Path(__file__).resolve().parent.parent

TINY = Config(
    name="tiny",
    iterations=3,
    threads=1,
    figures_every=0,
    network=NetworkConfig(hidden=(16,)),
    rollout=RolloutConfig(hands=64),
    ppo=PPOConfig(minibatch=128),
)

EVERYTHING = dataclasses.replace(
    TINY,
    iterations=4,
    ruleset=("stick", "stick,target_score=5"),
    rollout=RolloutConfig(hands=48, reward="equity", scores="random"),
    pool=PoolConfig(share=0.5, past=2, every=1, agents=("greedy",)),
    critic=CriticConfig(sees="all", double_dummy=True, hidden=(16,), epochs=3, gae_lambda=0.7),
    ppo=PPOConfig(minibatch=100, average=0.9, magnet=0.05, locations=0.1),
)
"""A run in which all that can be switched on is."""


def tiny(folder: Path, config: Config = TINY, **changes: Any) -> Config:
    """A run of a second."""
    return dataclasses.replace(config, folder=str(folder), **changes)


def quiet(_: str) -> None:
    """Say nothing."""


def figures(folder: Path) -> list[dict[str, float]]:
    """metrics.jsonl without what the clock decides."""
    lines = (folder / METRICS).read_text("utf-8").splitlines()
    return [
        {name: value for name, value in json.loads(line).items() if not name.startswith("speed/")}
        for line in lines
    ]


def small_net(**changes: Any) -> PolicyValueNet:
    """A new network."""
    return PolicyValueNet([16], seed=1, **changes)


def collect(
    hands: int = 200,
    threads: int = 1,
    iteration: int = 0,
    net: PolicyValueNet | None = None,
    ruleset: Any = "stick",
    seed: int = 1,
    **more: Any,
) -> Decisions:
    """The decisions of a network, a new one unless given; ``more`` is for the collector."""
    workers = Workers(threads)
    collector = Collector(hands, ruleset, seed, workers, **more)
    try:
        return collector.collect(net or small_net(), iteration)
    finally:
        collector.close()
        workers.close()


class Killed(Exception):
    """Stands for the end of the process."""


def stop_after(iterations: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the collection of the iteration after so many fail."""
    real = Collector.collect

    def collect_or_stop(self: Collector, net: PolicyValueNet, iteration: int, *more: Any) -> Any:
        if iteration == iterations:
            raise Killed
        return real(self, net, iteration, *more)

    monkeypatch.setattr(Collector, "collect", collect_or_stop)


def check_resumed(config: Config, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Assert that a run stopped after two iterations goes on to the very same figures."""
    whole = train(tiny(folder / "a", config), say=quiet)
    with monkeypatch.context() as patch:
        stop_after(2, patch)
        with pytest.raises(Killed):
            train(tiny(folder / "b", config), say=quiet)
    resumed = train(None, resume=folder / "b" / "tiny", say=quiet)
    assert figures(whole.folder) == figures(resumed.folder)
    one, two = (load_policy(r.policy)[0].state_dict() for r in (whole, resumed))
    assert all(torch.equal(one[name], two[name]) for name in one)
