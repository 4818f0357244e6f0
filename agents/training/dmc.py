"""Deep Monte Carlo, as in DouZero (Zha et al. 2021), top to bottom.

The value Q of the action taken is regressed on what the hand brought. The action of the highest
value is played, but for some random ones. Nothing is bootstrapped, and there is no critic.

The policy is a copy of the Q network with the last layer divided by a temperature: its likeliest
action is the one of the highest Q, and its probabilities say by how much.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from euchre_env.rules import PHASES

from ..network import ILLEGAL, PolicyValueNet, masked
from .config import DMCConfig
from .descent import (
    adam,
    by_phase,
    descend,
    explained_variance,
    means_by_phase,
    minibatches,
    set_rate,
)
from .group import Group
from .rollout import SHUFFLE, Decisions, Moment, Workers, iteration_seed

FIGURES = ("decisions", "q_loss", "value_loss", "entropy")


def epsilon_greedy(logits: Tensor, action_mask: Tensor, epsilon: float) -> Tensor:
    """Logits of the likeliest action, with ``epsilon`` of the probability spread over legal ones.

    Args:
        logits: Masked, float32[B, 38].
        action_mask: int8[B, 38].
        epsilon: 0 to 1.
    """
    legal = action_mask.float()
    greedy = torch.zeros_like(logits).scatter_(1, logits.argmax(1, keepdim=True), 1.0)
    chance = epsilon * legal / legal.sum(1, keepdim=True) + (1 - epsilon) * greedy
    return chance.log().clamp(min=ILLEGAL)


@dataclass(frozen=True)
class Batch:
    """Decisions with the results of their hands.

    Attributes:
        observation: uint8[N, D].
        action_mask: int8[N, 38].
        action: int64[N].
        result: float32[N], the reward of the seat that decided.
    """

    observation: Tensor
    action_mask: Tensor
    action: Tensor
    result: Tensor

    def select(self, rows: Tensor, device: torch.device) -> Batch:
        """The batch of some rows, int64[n], on a device."""
        columns = (self.observation, self.action_mask, self.action, self.result)
        return Batch(*(column.index_select(0, rows).to(device) for column in columns))


def losses(net: PolicyValueNet, batch: Batch, temperature: float) -> tuple[Tensor, Tensor]:
    """The squared errors of Q and of the network's value, summed over a batch's decisions.

    Args:
        net: The Q network.
        batch: The decisions.
        temperature: Of the policy, whose entropy is reported.

    Returns:
        The loss, and the sums of :data:`FIGURES` by phase, float32[phases, F].
    """
    all_q, value = net(batch.observation)
    q = all_q.gather(1, batch.action[:, None]).squeeze(1)
    q_loss, value_loss = (q - batch.result).square(), (value - batch.result).square()
    with torch.no_grad():
        log_probs = masked(all_q / temperature, batch.action_mask).log_softmax(1)
        entropy = -(log_probs.exp() * log_probs).sum(1)
        figures = by_phase(batch.observation, (q_loss, value_loss, entropy))
    return (q_loss + value_loss).sum(), figures


class DeepMonteCarlo:
    """Improves a network on the decisions of one iteration after another.

    Args:
        net: The policy, changed in place.
        config: Settings.
        iterations: Of the whole run, over which exploration falls to zero.
        seed: Of the order of minibatches.
        workers: Threads that share the work.
        group: The processes that train together.

    Attributes:
        slow: The policy to be played.
        q: The Q network, which is trained.
    """

    def __init__(
        self,
        net: PolicyValueNet,
        config: DMCConfig,
        iterations: int,
        seed: int,
        workers: Workers,
        group: Group | None = None,
    ) -> None:
        self.net = self.slow = net
        self.config, self._iterations = config, iterations
        self._seed, self._workers, self._group = seed, workers, group or Group()
        self.q = copy.deepcopy(net)
        _scale(self.q, config.temperature)
        self.optimizer = adam([*self.q.parameters()], config.rate)

    def epsilon(self, iteration: int) -> float:
        """The part of the decisions that is random."""
        return self.config.epsilon * max(0.0, 1 - iteration / self._iterations)

    def behave(self, moment: Moment) -> Tensor:
        """How the collector chooses actions."""
        return epsilon_greedy(moment.logits, moment.action_mask, self.epsilon(moment.iteration))

    def learn(
        self, decisions: Decisions, iteration: int, progress: float, imitate: float | None = None
    ) -> dict[str, float]:
        """All epochs on one iteration's decisions, less what does not fill a minibatch.

        Args:
            decisions: What was collected.
            iteration: Its number.
            progress: The part of the run that is over, 0 to 1, for the rate.
            imitate: Never given: the settings refuse a teacher.

        Returns:
            Figures by name, averaged over the epochs.
        """
        config = self.config
        rate = config.rate * (1 - progress)
        set_rate(self.optimizer, rate)
        batch = Batch(
            decisions.observation,
            decisions.action_mask,
            decisions.action,
            torch.from_numpy(decisions.reward[decisions.hand, decisions.seat]),
        )
        rng = np.random.default_rng(
            iteration_seed(self._seed, iteration, SHUFFLE, self._group.rank)
        )
        sums, norms = torch.zeros(len(PHASES), len(FIGURES)), []
        least = self._group.least(len(decisions))
        size = min(config.minibatch, least)
        for _ in range(config.epochs):
            for rows in minibatches(rng, len(decisions), size, least // size):
                figures, norm = self._step(batch, rows)
                sums += figures
                norms.append(norm)
        self._follow()
        return {
            **means_by_phase(FIGURES, sums),
            **explained_variance(decisions, decisions.value.numpy()),
            "train/gradient_norm": float(np.mean(norms)),
            "train/rate": rate,
            "train/epsilon": self.epsilon(iteration),
        }

    def _step(self, batch: Batch, rows: Tensor) -> tuple[Tensor, float]:
        def loss_of(rows: Tensor) -> tuple[Tensor, Tensor]:
            some = batch.select(rows, self._workers.device)
            return losses(self.q, some, self.config.temperature)

        longest = self.config.max_grad_norm
        return descend(self.optimizer, rows, loss_of, self._workers, self._group, longest)

    def _follow(self) -> None:
        """Let the policy play what the Q network has learnt."""
        self.net.load_state_dict(self.q.state_dict())
        _scale(self.net, 1 / self.config.temperature)

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {"q": self.q.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` gave."""
        self.q.load_state_dict(state["q"])
        self.optimizer.load_state_dict(state["optimizer"])
        self._follow()


def _scale(net: PolicyValueNet, factor: float) -> None:
    """Multiply a network's logits."""
    with torch.no_grad():
        net.policy.weight.mul_(factor)
        net.policy.bias.mul_(factor)
