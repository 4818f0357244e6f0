"""The algorithms by name, and what the training run asks of each."""

from __future__ import annotations

from typing import Any, Protocol

from euchre_env.batch import as_rulesets

from ..network import PolicyValueNet
from .config import DMC, NFSP, RPI, Config
from .dmc import DeepMonteCarlo
from .group import Group
from .nfsp import FictitiousPlay
from .ppo import Learner
from .rollout import Behave, Decisions, Workers
from .rpi import RolloutPolicyIteration


class Learns(Protocol):
    """A learner."""

    @property
    def behave(self) -> Behave | None:
        """How it wants actions chosen during collection; None for by its network's policy."""

    @property
    def slow(self) -> PolicyValueNet:
        """The policy to be played and saved."""

    def learn(
        self, decisions: Decisions, iteration: int, progress: float, imitate: float | None = None
    ) -> dict[str, float]:
        """Improve on one iteration's decisions; returns figures by name."""

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` gave."""


def make_learner(config: Config, net: PolicyValueNet, workers: Workers, group: Group) -> Learns:
    """The learner of a run, which changes ``net`` in place."""
    if config.algorithm == DMC:
        return DeepMonteCarlo(net, config.dmc, config.iterations, config.seed, workers, group)
    if config.algorithm == NFSP:
        return FictitiousPlay(net, config.nfsp, config.iterations, config.seed, workers, group)
    if config.algorithm == RPI:
        rulesets = as_rulesets(list(config.ruleset))
        return RolloutPolicyIteration(net, config.rpi, rulesets, config.seed, workers, group)
    return Learner(net, config.ppo, config.critic, config.seed, workers, group)
