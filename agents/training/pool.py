"""The pool: past selves of the policy and other agents, which play one side of some hands.

Self-play alone forgets how to beat what it left behind; a pool of frozen opponents keeps them in
the training data (as in fictitious play, and in the leagues of large self-play systems). Members
are swapped between hands only, never within one.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env.rules import N_TEAMS, NOBODY

from ..base import Agent
from ..network import NetworkAgent, PolicyValueNet
from .config import PoolConfig

Integers = npt.NDArray[np.int64]


class Pool:
    """Frozen opponents.

    Args:
        config: Which part of the hands they play, and how many past selves are kept.
        agents: Members from the start to the end.
    """

    def __init__(self, config: PoolConfig | None = None, agents: Sequence[Agent] = ()) -> None:
        self.config = config or PoolConfig()
        self._agents = list(agents)
        self._past: list[NetworkAgent] = []

    @property
    def members(self) -> list[Agent]:
        """Who may be drawn now: the agents, then the past selves, oldest first."""
        return [*self._agents, *self._past]

    def seat(self, rng: np.random.Generator, hands: int) -> tuple[Integers, Integers]:
        """Who plays against the policy in each hand, a member's number or -1, and on which side.

        Returns:
            int64[hands] and, the policy's team there, int64[hands].
        """
        opponent = np.full(hands, NOBODY, np.int64)
        side = np.zeros(hands, np.int64)
        if self.members and self.config.share > 0:
            some = rng.random(hands) < self.config.share
            opponent[some] = rng.integers(len(self.members), size=int(some.sum()))
            side = rng.integers(N_TEAMS, size=hands)
        return opponent, side

    def add_past(self, net: PolicyValueNet, iteration: int) -> None:
        """Keep a copy of the policy, if it is time for one; the oldest gives way."""
        config = self.config
        if config.share == 0 or config.past == 0 or iteration % config.every:
            return
        name = f"past@{iteration}"
        self._past.append(NetworkAgent(_frozen(net), name, greedy=False))
        del self._past[: -config.past]

    def state_dict(self) -> list[dict[str, Any]]:
        """What a checkpoint keeps: the past selves."""
        return [{"name": agent.name, "net": agent.net.state_dict()} for agent in self._past]

    def load_state_dict(self, state: list[dict[str, Any]], net: PolicyValueNet) -> None:
        """Take over past selves of the shape of ``net``."""
        self._past = []
        for entry in state:
            past = _frozen(net)
            past.load_state_dict(entry["net"])
            self._past.append(NetworkAgent(past, entry["name"], greedy=False))


def _frozen(net: PolicyValueNet) -> PolicyValueNet:
    """A copy that plays on the processor, wherever the policy learns."""
    return copy.deepcopy(net).cpu().eval().requires_grad_(False)
