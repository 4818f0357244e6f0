"""Masked proximal policy optimisation (Schulman et al. 2017), top to bottom.

1. :func:`advantages`: what each decision gained over what was expected, along the decisions of one
   seat or of the whole hand.
2. :func:`losses`: the clipped policy objective, the value's error, the entropy, and what else the
   settings ask for.
3. :class:`Learner`: values, minibatches, gradients, steps, and the figures to watch.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from euchre_env.cards import N_CARDS
from euchre_env.encoding import HIDDEN_LAYOUT
from euchre_env.rules import N_SEATS, PHASES, team

from ..network import PolicyValueNet, masked
from .config import CriticConfig, PPOConfig
from .critic import Critic, base_of
from .descent import (
    LossOf,
    adam,
    by_phase,
    descend,
    explained_variance,
    follow,
    log_probs_of,
    means_by_phase,
    minibatches,
    set_rate,
)
from .group import Group
from .rollout import SHUFFLE, Behave, Decisions, Workers, iteration_seed

Floats = npt.NDArray[np.float32]

_RATIO_BOUND = 20.0


# --- 1. advantages -----------------------------------------------------------------------------


def advantages(decisions: Decisions, value: Floats, gae_lambda: float, whole_hand: bool) -> Floats:
    """Generalised advantage estimates (Schulman et al. 2016), gamma 1: float32[N].

    The only reward follows the last decision of a hand. Between partners, what is a gain to one
    team is a loss to the other, so decisions of all seats can make up one chain.

    Args:
        decisions: What was collected.
        value: float32[N], what the seat that decides expected.
        gae_lambda: Weight of longer returns.
        whole_hand: One chain for a hand of two teams, or one for each of its seats.
    """
    gained = np.empty(len(decisions), np.float32)
    sign = np.ones(len(decisions), np.float32)
    lane = decisions.seat
    # By hand and lane, going backwards: the value of what comes next, and the advantage there.
    ahead = decisions.reward.copy()
    if whole_hand:  # in the eyes of team 0
        sign[team(decisions.seat) == 1] = -1
        lane = np.zeros_like(decisions.seat)
    mine = sign * value
    beyond = np.zeros_like(ahead)
    for step in reversed(decisions.steps):
        chain = decisions.hand[step], lane[step]
        surprise = ahead[chain] - mine[step]
        gained[step] = surprise + np.float32(gae_lambda) * beyond[chain]
        beyond[chain], ahead[chain] = gained[step], mine[step]
    return sign * gained


# --- 2. losses ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Batch:
    """Some decisions with what is to be learnt from them; float32[n] unless said otherwise.

    Attributes:
        observation: uint8[n, D].
        action_mask: int8[n, 38].
        action: int64[n].
        log_prob: Of the action when it was chosen.
        advantage: Normalised.
        target: Of values.
        hidden: uint8[n, H], for critics and where the policy is to say where cards are.
        double_dummy: Net points with all cards seen.
        slow: float32[n, 38], logarithms of the slow policy's probabilities; [n, 0] if unused.
    """

    observation: Tensor
    action_mask: Tensor
    action: Tensor
    log_prob: Tensor
    advantage: Tensor
    target: Tensor
    hidden: Tensor
    double_dummy: Tensor
    slow: Tensor

    def select(self, rows: Tensor) -> Batch:
        """The batch of some rows, int64[n]."""
        return Batch(*(getattr(self, f.name).index_select(0, rows) for f in fields(self)))

    def to(self, device: torch.device) -> Batch:
        """The batch on a device."""
        return Batch(*(getattr(self, f.name).to(device) for f in fields(self)))


FIGURES = ("decisions", "policy_loss", "value_loss", "entropy", "kl", "clipped", "slow_kl")


class Locations(nn.Module):
    """The auxiliary head: who holds each card; left, partner, right, or nobody at the table.

    Args:
        width: Of the layer that it reads.
        seed: Of the first weights.
    """

    def __init__(self, width: int, seed: int) -> None:
        super().__init__()
        self.head = nn.Linear(width, N_SEATS * N_CARDS)
        generator = torch.Generator().manual_seed(seed % 2**63)
        nn.init.orthogonal_(self.head.weight, 0.1, generator=generator)
        nn.init.zeros_(self.head.bias)

    def forward(self, inside: Tensor, hidden: Tensor) -> Tensor:
        """The cross-entropy of the places of the unseen cards, summed over rows and averaged over
        the cards of a row; ``inside`` float[n, W] and ``hidden`` uint8[n, H].
        """
        start = HIDDEN_LAYOUT["all_hands"].start + N_CARDS  # after one's own hand
        truth = hidden[:, start : start + N_SEATS * N_CARDS].view(-1, N_SEATS, N_CARDS).float()
        guess = self.head(inside).float().view(-1, N_SEATS, N_CARDS).log_softmax(1)
        unseen = truth.sum((1, 2)).clamp(min=1)
        return -((truth * guess).sum((1, 2)) / unseen).sum()


def losses(
    net: PolicyValueNet,
    batch: Batch,
    config: PPOConfig,
    entropy_weight: float,
    locations: Locations | None = None,
    imitate: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The loss of a batch, summed over its decisions.

    Args:
        net: The policy.
        batch: The decisions.
        config: Settings.
        entropy_weight: Weight of the entropy.
        locations: The auxiliary head, if there is one.
        imitate: Learn the actions themselves, by cross-entropy with so much of the probability
            spread over all legal actions, instead of what they gained.

    Returns:
        It, and the sums of :data:`FIGURES` by phase, float32[phases, F].
    """
    inside = net.features(batch.observation)
    logits, value = net.heads(inside)
    logits = masked(logits, batch.action_mask)
    log_probs = logits.log_softmax(1)
    log_prob = log_probs.gather(1, batch.action[:, None]).squeeze(1)
    change = (log_prob - batch.log_prob).clamp(-_RATIO_BOUND, _RATIO_BOUND)
    ratio = change.exp()
    clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
    policy_loss = -torch.minimum(ratio * batch.advantage, clipped * batch.advantage)
    if imitate is not None:
        legal = batch.action_mask != 0
        spread = torch.where(legal, log_probs, 0.0).sum(1) / legal.sum(1)
        policy_loss = -((1 - imitate) * log_prob + imitate * spread)
        entropy_weight = 0.0
    value_loss = (value - batch.target).square()
    probs = log_probs.exp()
    entropy = -(probs * log_probs).sum(1)
    slow_kl = torch.zeros_like(entropy)
    if config.magnet:
        slow_kl = (probs * (log_probs - batch.slow)).sum(1)
    terms = policy_loss + config.value_weight * value_loss - entropy_weight * entropy
    loss = (terms + config.magnet * slow_kl).sum()
    if locations is not None:
        loss = loss + config.locations * locations(inside, batch.hidden)
    with torch.no_grad():
        kl, outside = ratio - 1 - change, (ratio != clipped).float()
        columns = (policy_loss, value_loss, entropy, kl, outside, slow_kl)
        return loss, by_phase(batch.observation, columns)


# --- 3. learning -------------------------------------------------------------------------------


class Learner:
    """Improves a network on the decisions of one iteration after another.

    Args:
        net: The network, changed in place.
        config: Settings.
        critic: Settings of the critic.
        seed: Of first weights and of the order of minibatches.
        workers: Threads that share the work, on the network's device. A minibatch goes through the
            network in pieces of fixed size and their gradients are added in order, so figures do
            not depend on threads.
        group: The processes that train together.

    Attributes:
        critic: The critic, or None where the policy network's own value serves.
        slow: The average of the policy's weights; the policy itself where none is kept.
    """

    behave: Behave | None = None  # it learns from what its policy does

    def __init__(
        self,
        net: PolicyValueNet,
        config: PPOConfig,
        critic: CriticConfig,
        seed: int,
        workers: Workers,
        group: Group | None = None,
    ) -> None:
        self.net, self.config, self.critic_config = net, config, critic
        self._seed, self._workers = seed, workers
        self._group = group or Group()
        self.slow = copy.deepcopy(net).eval() if config.average else net
        device = workers.device
        self.locations = Locations(net.hidden[-1], seed).to(device) if config.locations else None
        own = critic.sees == "own" and not critic.double_dummy
        self.critic = None if own else Critic(critic, net.blocks, seed, net.wide).to(device)
        self._policy = [*net.parameters(), *(self.locations.parameters() if self.locations else ())]
        self._critics = [*self.critic.parameters()] if self.critic else []
        self.optimizer = adam(self._policy, config.rate)
        self.critic_optimizer = adam(self._critics, critic.rate) if self.critic else None

    def learn(
        self,
        decisions: Decisions,
        iteration: int,
        progress: float,
        imitate: float | None = None,
    ) -> dict[str, float]:
        """All epochs on one iteration's decisions, less what does not fill a minibatch.

        Args:
            decisions: What was collected.
            iteration: Its number.
            progress: The part of the run that is over, 0 to 1, for rates and entropy.
            imitate: As in :func:`losses`.

        Returns:
            Figures by name, averaged over the epochs.
        """
        config = self.config
        entropy_weight = config.entropy + (config.entropy_end - config.entropy) * progress
        set_rate(self.optimizer, config.rate * (1 - progress))
        set_rate(self.critic_optimizer, self.critic_config.rate * (1 - progress))
        batch, explained = self._batch(decisions)
        generator = np.random.default_rng(
            iteration_seed(self._seed, iteration, SHUFFLE, self._group.rank)
        )
        sums, norms, critic_losses = torch.zeros(len(PHASES), len(FIGURES)), [], []
        least = self._group.least(len(decisions))
        size = min(config.minibatch, least)
        for epoch in range(max(config.epochs, self.critic_config.epochs if self.critic else 0)):
            for rows in minibatches(generator, len(decisions), size, least // size):
                if epoch < config.epochs:
                    figures, norm = self._step(batch, rows, entropy_weight, imitate)
                    sums += figures
                    norms.append(norm)
                if self.critic and epoch < self.critic_config.epochs:
                    critic_losses.append(self._critic_step(self.critic, batch, rows))
        if self.slow is not self.net:
            follow(self.slow, self.net, config.average, iteration)
        return {
            **means_by_phase(FIGURES, sums),
            **explained,
            "train/critic_loss": float(np.mean(critic_losses)) if critic_losses else 0.0,
            "train/gradient_norm": float(np.mean(norms)),
            "train/rate": config.rate * (1 - progress),
            "train/entropy_weight": entropy_weight,
        }

    def _batch(self, decisions: Decisions) -> tuple[Batch, dict[str, float]]:
        whole_hand = self.critic_config.sees == "all" and decisions.partners
        value = self._values(decisions)
        gained = advantages(decisions, value, self.critic_config.gae_lambda, whole_hand)
        count, total, squares = self._group.sums(
            len(gained),
            float(gained.sum(dtype=np.float64)),
            float(np.square(gained, dtype=float).sum()),
        )
        mean = total / count
        spread = max(squares / count - mean * mean, 0.0) ** 0.5
        return (
            Batch(
                decisions.observation,
                decisions.action_mask,
                decisions.action,
                decisions.log_prob,
                torch.from_numpy(((gained - mean) / (spread + 1e-8)).astype(np.float32)),
                torch.from_numpy(value + gained),
                decisions.hidden,
                decisions.double_dummy,
                self._slow_log_probs(decisions),
            ),
            explained_variance(decisions, value),
        )

    def _values(self, decisions: Decisions) -> Floats:
        """What the critic expects for each decision, float32[N]."""
        critic = self.critic
        if critic is None:
            return decisions.value.numpy()
        value, device = base_of(self.critic_config, decisions.double_dummy), self._workers.device

        def work(part: slice) -> None:
            columns = (decisions.observation, decisions.hidden, decisions.double_dummy)
            with torch.no_grad(), self._workers.autocast():
                value[part] += critic(*(column[part].to(device) for column in columns)).cpu()

        self._workers.map(work, self._workers.pieces(0, len(decisions)))
        return value.numpy()

    def _slow_log_probs(self, decisions: Decisions) -> Tensor:
        if not self.config.magnet:
            return torch.zeros(len(decisions), 0)
        return log_probs_of(self.slow, decisions, self._workers)

    def _step(
        self, batch: Batch, rows: Tensor, entropy_weight: float, imitate: float | None
    ) -> tuple[Tensor, float]:
        def loss_of(rows: Tensor) -> tuple[Tensor, Tensor]:
            some = batch.select(rows).to(self._workers.device)
            return losses(self.net, some, self.config, entropy_weight, self.locations, imitate)

        return self._descend(self.optimizer, rows, loss_of)

    def _critic_step(self, critic: Critic, batch: Batch, rows: Tensor) -> float:
        columns = (batch.observation, batch.hidden, batch.double_dummy, batch.target)

        def loss_of(rows: Tensor) -> tuple[Tensor, Tensor]:
            some = (column.index_select(0, rows).to(self._workers.device) for column in columns)
            observation, hidden, double_dummy, target = some
            base = base_of(self.critic_config, double_dummy)
            loss = (base + critic(observation, hidden, double_dummy) - target).square().sum()
            return loss, loss

        assert self.critic_optimizer is not None
        return float(self._descend(self.critic_optimizer, rows, loss_of)[0]) / len(rows)

    def _descend(
        self, optimizer: torch.optim.Optimizer, rows: Tensor, loss_of: LossOf
    ) -> tuple[Tensor, float]:
        longest = self.config.max_grad_norm
        return descend(optimizer, rows, loss_of, self._workers, self._group, longest)

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps: all networks and optimisers."""
        return {name: part.state_dict() for name, part in self._parts().items()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` gave."""
        for name, part in self._parts().items():
            part.load_state_dict(state[name])

    def _parts(self) -> dict[str, Any]:
        parts = {
            "net": self.net,
            "optimizer": self.optimizer,
            "slow": None if self.slow is self.net else self.slow,
            "locations": self.locations,
            "critic": self.critic,
            "critic_optimizer": self.critic_optimizer,
        }
        return {name: part for name, part in parts.items() if part is not None}
