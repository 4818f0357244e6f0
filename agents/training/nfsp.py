"""Neural fictitious self-play (Heinrich and Silver 2016), top to bottom.

Two networks: a best response, which learns by Q-learning what each action is worth against what is
played now, and the average policy, which learns by classification what the best response has done
over the whole run. In each hand each seat plays one of them: the best response with the chance eta,
else the average policy. In two-player zero-sum games the average comes near an equilibrium.

The average policy is the policy of the run. Its value is left at zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from euchre_env.encoding import OBSERVATION_SIZE
from euchre_env.rules import N_ACTIONS, N_SEATS, PHASES

from ..network import PolicyValueNet, masked, network_of, uniforms_of
from .config import NFSPConfig
from .descent import (
    adam,
    by_phase,
    descend,
    explained_variance,
    means_by_phase,
    minibatches,
    set_rate,
)
from .dmc import epsilon_greedy
from .group import Group
from .reservoir import Reservoir
from .rollout import MODES, SHUFFLE, Decisions, Moment, Workers, iteration_seed, rounded_up

Floats = npt.NDArray[np.float32]

_MASK_AT, _ACTION_AT = OBSERVATION_SIZE, OBSERVATION_SIZE + N_ACTIONS
_WIDTH = _ACTION_AT + 1
"""A row of the reservoir: observation, action mask, action."""

Q_FIGURES = ("decisions", "q_loss")
AVERAGE_FIGURES = ("decisions", "policy_loss", "entropy")


# --- 1. what is learnt -------------------------------------------------------------------------


def q_targets(decisions: Decisions, best: Floats) -> Floats:
    """What each decision led to, float32[N]: the best value at the seat's next one, or the reward.

    Args:
        decisions: What was collected.
        best: float32[N], the highest Q of a legal action at each decision.
    """
    targets = np.empty(len(decisions), np.float32)
    ahead = decisions.reward.copy()  # by hand and seat, going backwards
    for step in reversed(decisions.steps):
        chain = decisions.hand[step], decisions.seat[step]
        targets[step], ahead[chain] = ahead[chain], best[step]
    return targets


def average_losses(net: PolicyValueNet, rows: Tensor) -> tuple[Tensor, Tensor]:
    """The cross-entropy of the actions of some rows of the reservoir, uint8[n, W], summed.

    Returns:
        It, and the sums of :data:`AVERAGE_FIGURES` by phase, float32[phases, F].
    """
    observation = rows[:, :_MASK_AT]
    log_probs = masked(net(observation)[0], rows[:, _MASK_AT:_ACTION_AT]).log_softmax(1)
    loss = -log_probs.gather(1, rows[:, _ACTION_AT:].long()).squeeze(1)
    with torch.no_grad():
        entropy = -(log_probs.exp() * log_probs).sum(1)
        figures = by_phase(observation, (loss, entropy))
    return loss.sum(), figures


# --- 2. learning -------------------------------------------------------------------------------


class FictitiousPlay:
    """Improves both networks on the decisions of one iteration after another.

    The decisions of an iteration are the circular buffer that the best response learns from; they
    are off its own policy for the most part, which Q-learning allows.

    Args:
        net: The average policy, changed in place.
        config: Settings.
        iterations: Of the whole run, over which exploration falls to zero.
        seed: Of first weights, of who plays what, and of minibatches.
        workers: Threads that share the work.
        group: The processes that train together. Each has a reservoir of its own, and a checkpoint
            keeps that of the first.

    Attributes:
        slow: The policy to be played; the average policy.
        best: The best response; its logits are Q.
        reservoir: What the best response has done.
    """

    def __init__(
        self,
        net: PolicyValueNet,
        config: NFSPConfig,
        iterations: int,
        seed: int,
        workers: Workers,
        group: Group | None = None,
    ) -> None:
        self.net = self.slow = net
        self.config, self._iterations = config, iterations
        self._seed, self._workers, self._group = seed, workers, group or Group()
        self.best = network_of(**{**net.shape, "seed": seed + 1}).to(workers.device)
        nn.init.zeros_(net.value.weight)
        self.reservoir = Reservoir(config.reservoir, _WIDTH)
        self.optimizer = adam(_without_value(net), config.average_rate)
        self.best_optimizer = adam(_without_value(self.best), config.rate)

    def epsilon(self, iteration: int) -> float:
        """The part of the best response's decisions that is random."""
        return self.config.epsilon * max(0.0, 1 - iteration / self._iterations)

    def plays_best(
        self, iteration: int, hand: npt.NDArray[np.int64], seat: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """Which seats play the best response in a hand, bool[B]."""
        source = iteration_seed(self._seed, iteration, MODES, self._group.rank)
        key = np.uint64(np.random.SeedSequence(source).generate_state(1, np.uint64)[0])
        return uniforms_of(key + (hand * N_SEATS + seat).astype(np.uint64)) < self.config.eta

    def behave(self, moment: Moment) -> Tensor:
        """How the collector chooses actions."""
        rows = np.flatnonzero(self.plays_best(moment.iteration, moment.hand, moment.seat))
        if not len(rows):
            return moment.logits
        wide = torch.from_numpy(np.resize(rows, rounded_up(len(rows))))
        with torch.no_grad(), self._workers.autocast():
            q, _ = self.best(moment.observation[wide].to(self._workers.device))
        chosen = torch.from_numpy(rows)
        mask = moment.action_mask[chosen]
        q = masked(q[: len(rows)].cpu(), mask)
        logits = moment.logits.clone()
        logits[chosen] = epsilon_greedy(q, mask, self.epsilon(moment.iteration))
        return logits

    def learn(
        self, decisions: Decisions, iteration: int, progress: float, imitate: float | None = None
    ) -> dict[str, float]:
        """All epochs on one iteration's decisions, and as many minibatches from the reservoir.

        Args:
            decisions: What was collected.
            iteration: Its number.
            progress: The part of the run that is over, 0 to 1, for the rates.
            imitate: Never given: the settings refuse a teacher.

        Returns:
            Figures by name, averaged over the epochs.
        """
        config = self.config
        set_rate(self.optimizer, config.average_rate * (1 - progress))
        set_rate(self.best_optimizer, config.rate * (1 - progress))
        rng = np.random.default_rng(
            iteration_seed(self._seed, iteration, SHUFFLE, self._group.rank)
        )
        ours = self._remember(rng, decisions, iteration)
        taken, best = self._judge(decisions)
        target = torch.from_numpy(q_targets(decisions, best))
        q_sums = torch.zeros(len(PHASES), len(Q_FIGURES))
        sums, norms = torch.zeros(len(PHASES), len(AVERAGE_FIGURES)), []
        least, kept = self._group.least(len(decisions)), self._group.least(len(self.reservoir))
        size = min(config.minibatch, least)
        for _ in range(config.epochs):
            for rows in minibatches(rng, len(decisions), size, least // size):
                figures, norm = self._best_step(decisions, target, rows)
                q_sums += figures
                norms.append(norm)
                if kept:
                    drawn = rng.integers(len(self.reservoir), size=size)
                    sums += self._average_step(torch.from_numpy(drawn))
        return {
            **means_by_phase(Q_FIGURES, q_sums),
            **(means_by_phase(AVERAGE_FIGURES, sums) if kept else {}),
            **explained_variance(decisions, taken),
            "train/gradient_norm": float(np.mean(norms)),
            "train/rate": config.rate * (1 - progress),
            "train/epsilon": self.epsilon(iteration),
            "train/best_response": ours / len(decisions),
            "train/reservoir": len(self.reservoir),
        }

    def _remember(self, rng: np.random.Generator, decisions: Decisions, iteration: int) -> int:
        """Add what the best response did to the reservoir; returns how many decisions."""
        ours = np.flatnonzero(self.plays_best(iteration, decisions.hand, decisions.seat))
        columns = (decisions.observation, decisions.action_mask, decisions.action[:, None])
        self.reservoir.add(rng, np.hstack([c.numpy()[ours].astype(np.uint8) for c in columns]))
        return len(ours)

    def _judge(self, decisions: Decisions) -> tuple[Floats, Floats]:
        """Q of the action taken and of the best legal one, float32[N] each."""
        taken, best = torch.empty(len(decisions)), torch.empty(len(decisions))

        def work(part: slice) -> None:
            with torch.no_grad(), self._workers.autocast():
                q, _ = self.best(decisions.observation[part].to(self._workers.device))
            q = masked(q.cpu(), decisions.action_mask[part])
            taken[part] = q.gather(1, decisions.action[part, None]).squeeze(1)
            best[part] = q.amax(1)

        self._workers.map(work, self._workers.pieces(0, len(decisions)))
        return taken.numpy(), best.numpy()

    def _best_step(
        self, decisions: Decisions, target: Tensor, rows: Tensor
    ) -> tuple[Tensor, float]:
        columns = (decisions.observation, decisions.action, target)

        def loss_of(rows: Tensor) -> tuple[Tensor, Tensor]:
            some = (column.index_select(0, rows).to(self._workers.device) for column in columns)
            observation, action, aim = some
            q = self.best(observation)[0].gather(1, action[:, None]).squeeze(1)
            loss = (q - aim).square()
            return loss.sum(), by_phase(observation, (loss.detach(),))

        longest = self.config.max_grad_norm
        return descend(self.best_optimizer, rows, loss_of, self._workers, self._group, longest)

    def _average_step(self, rows: Tensor) -> Tensor:
        kept = torch.from_numpy(self.reservoir.rows)

        def loss_of(rows: Tensor) -> tuple[Tensor, Tensor]:
            some = kept.index_select(0, rows).to(self._workers.device)
            return average_losses(self.net, some)

        longest = self.config.max_grad_norm
        return descend(self.optimizer, rows, loss_of, self._workers, self._group, longest)[0]

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps: networks, optimisers, and the reservoir."""
        return {name: part.state_dict() for name, part in self._parts().items()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` gave."""
        for name, part in self._parts().items():
            part.load_state_dict(state[name])

    def _parts(self) -> dict[str, Any]:
        return {
            "net": self.net,
            "optimizer": self.optimizer,
            "best": self.best,
            "best_optimizer": self.best_optimizer,
            "reservoir": self.reservoir,
        }


def _without_value(net: PolicyValueNet) -> list[nn.Parameter]:
    return [p for name, p in net.named_parameters() if not name.startswith("value.")]
