"""Masked proximal policy optimisation (Schulman et al. 2017), top to bottom.

1. :func:`advantages`: what each decision gained over what was expected, along each seat's own
   decisions in a hand.
2. :func:`losses`: the clipped policy objective, the value's error, the entropy.
3. :class:`Learner`: minibatches, gradients, steps, and the figures to watch.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..network import PolicyValueNet, masked
from .config import PPOConfig
from .rollout import REWARD_SCALE, Decisions, Workers, iteration_seed, pieces

Floats = npt.NDArray[np.float32]

_SHUFFLE = 2  # the purpose of a stream of random numbers; collection has 0 and 1
_RATIO_BOUND = 20.0


# --- 1. advantages -----------------------------------------------------------------------------


def advantages(decisions: Decisions, gae_lambda: float) -> Floats:
    """Generalised advantage estimates (Schulman et al. 2016), gamma 1: float32[N].

    Each seat's decisions in a hand are a chain of their own. The only reward, the team's points
    times :data:`REWARD_SCALE`, follows the seat's last decision.
    """
    gained = np.empty(len(decisions), np.float32)
    value = decisions.value.numpy()
    # By hand and seat, going backwards: the value of what comes next, and the advantage there.
    ahead = decisions.points * np.float32(REWARD_SCALE)
    beyond = np.zeros_like(ahead)
    for step in reversed(decisions.steps):
        chain = decisions.hand[step], decisions.seat[step]
        surprise = ahead[chain] - value[step]
        gained[step] = surprise + np.float32(gae_lambda) * beyond[chain]
        beyond[chain], ahead[chain] = gained[step], value[step]
    return gained


# --- 2. losses ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Batch:
    """Some decisions with what is to be learnt from them; float32[n] but for the first three.

    Attributes:
        observation: uint8[n, D].
        action_mask: int8[n, 38].
        action: int64[n].
        log_prob: Of the action when it was chosen.
        advantage: Normalised.
        target: Of the value.
    """

    observation: Tensor
    action_mask: Tensor
    action: Tensor
    log_prob: Tensor
    advantage: Tensor
    target: Tensor

    def select(self, rows: Tensor) -> Batch:
        """The batch of some rows, int64[n]."""
        return Batch(*(getattr(self, f.name).index_select(0, rows) for f in fields(self)))


FIGURES = ("policy_loss", "value_loss", "entropy", "kl", "clipped")


def losses(
    net: PolicyValueNet, batch: Batch, config: PPOConfig, entropy_weight: float
) -> tuple[Tensor, Tensor]:
    """The loss of a batch, summed over its decisions, and the sums of :data:`FIGURES`."""
    logits, value = net(batch.observation)
    logits = masked(logits, batch.action_mask)
    log_probs = logits.log_softmax(1)
    log_prob = log_probs.gather(1, batch.action[:, None]).squeeze(1)
    change = (log_prob - batch.log_prob).clamp(-_RATIO_BOUND, _RATIO_BOUND)
    ratio = change.exp()
    clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
    policy_loss = -torch.minimum(ratio * batch.advantage, clipped * batch.advantage).sum()
    value_loss = (value - batch.target).square().sum()
    entropy = -(logits.softmax(1) * log_probs).sum()
    loss = policy_loss + config.value_weight * value_loss - entropy_weight * entropy
    with torch.no_grad():
        kl = (ratio - 1 - change).sum()
        outside = (ratio != clipped).sum()
        figures = torch.stack([policy_loss, value_loss, entropy, kl, outside])
    return loss, figures


# --- 3. learning -------------------------------------------------------------------------------


class Learner:
    """Improves a network on the decisions of one iteration after another.

    Args:
        net: The network, changed in place.
        config: Settings.
        seed: Of the order of minibatches.
        workers: Threads that share the work. A minibatch goes through the network in pieces of
            fixed size and their gradients are added in order, so figures do not depend on threads.
        autocast: Whether the network computes in bfloat16.
    """

    def __init__(
        self, net: PolicyValueNet, config: PPOConfig, seed: int, workers: Workers, autocast: bool
    ) -> None:
        self.net, self.config = net, config
        self._seed, self._workers, self._autocast = seed, workers, autocast
        self._parameters = list(net.parameters())
        self.optimizer = torch.optim.Adam(self._parameters, lr=config.rate, eps=1e-5, fused=True)

    def learn(self, decisions: Decisions, iteration: int, progress: float) -> dict[str, float]:
        """All epochs on one iteration's decisions, less what does not fill a minibatch.

        Args:
            decisions: What was collected.
            iteration: Its number.
            progress: The part of the run that is over, 0 to 1, for rate and entropy.

        Returns:
            Figures by name, averaged over the epochs.
        """
        config = self.config
        rate = config.rate * (1 - progress)
        entropy_weight = config.entropy + (config.entropy_end - config.entropy) * progress
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        batch, explained = self._batch(decisions)
        generator = np.random.default_rng(iteration_seed(self._seed, iteration, _SHUFFLE))
        sums, norms = torch.zeros(len(FIGURES)), []
        size = min(config.minibatch, len(decisions))
        for _ in range(config.epochs):
            order = torch.from_numpy(generator.permutation(len(decisions)))
            for start in range(0, len(order) - size + 1, size):
                figures, norm = self._step(batch, order[start : start + size], entropy_weight)
                sums += figures
                norms.append(norm)
        means = (sums / (size * len(norms))).tolist()
        return {
            **{f"train/{name}": mean for name, mean in zip(FIGURES, means)},
            "train/explained_variance": explained,
            "train/gradient_norm": float(np.mean(norms)),
            "train/rate": rate,
            "train/entropy_weight": entropy_weight,
        }

    def _batch(self, decisions: Decisions) -> tuple[Batch, float]:
        gained = advantages(decisions, self.config.gae_lambda)
        value = decisions.value.numpy()
        target = value + gained
        result = decisions.points[decisions.hand, decisions.seat] * REWARD_SCALE
        explained = 1 - float(np.var(result - value)) / max(float(np.var(result)), 1e-12)
        normal = (gained - gained.mean()) / (gained.std() + 1e-8)
        return (
            Batch(
                decisions.observation,
                decisions.action_mask,
                decisions.action,
                decisions.log_prob,
                torch.from_numpy(normal),
                torch.from_numpy(target),
            ),
            explained,
        )

    def _step(self, batch: Batch, rows: Tensor, entropy_weight: float) -> tuple[Tensor, float]:
        def work(part: slice) -> tuple[tuple[Tensor, ...], Tensor]:
            return self._gradients(batch.select(rows[part]), entropy_weight)

        found = self._workers.map(work, pieces(0, len(rows)))
        for parameter, *parts in zip(self._parameters, *(gradients for gradients, _ in found)):
            parameter.grad = sum(parts, torch.zeros(())) / len(rows)
        norm = torch.nn.utils.clip_grad_norm_(self._parameters, self.config.max_grad_norm)
        self.optimizer.step()
        return torch.stack([figures for _, figures in found]).sum(0), float(norm)

    def _gradients(self, batch: Batch, entropy_weight: float) -> tuple[tuple[Tensor, ...], Tensor]:
        with torch.autocast("cpu", torch.bfloat16, self._autocast):
            loss, figures = losses(self.net, batch, self.config, entropy_weight)
        return torch.autograd.grad(loss, self._parameters), figures

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps of the optimiser."""
        return self.optimizer.state_dict()
