"""Rollout policy iteration, top to bottom: a policy improves on itself where it is in doubt.

At each decision whose likeliest acts are several, every one of them is played out to the end of
the hand by the policy itself, in the true hidden cards. All of them meet the same cards and the
same players, so the luck of the deal falls out of their differences, and an act that the policy
hardly ever takes is judged as often as its favourite. The policy then moves towards the better
acts by PPO's clipped objective over all acts that were judged (Schulman et al. 2017), and is held
where it was in no doubt.

This is the rollout of Tesauro and Galperin 1996 as a step of policy iteration (Lagoudakis and Parr
2003). It is meant for a policy that PPO has trained: there, noise hides differences of less than a
tenth of a point. Hidden cards decide what an act brought, as in the result of any hand; the policy
never sees them.
"""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from euchre_env.rules import N_ACTIONS, PHASES
from euchre_env.ruleset import Ruleset
from euchre_env.symmetry import ALL_SWAPPED_ACTIONS

from ..base import RuleTable, View, view_of
from ..network import NetworkAgent, PolicyValueNet, has_fast_bf16, masked
from ..search.playouts import Worlds, play_out
from ..search.policy_search import shortlist
from ..search.utility import CENTRE
from .config import RPIConfig
from .descent import (
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
from .rollout import SHUFFLE, Decisions, Workers, iteration_seed, pieces

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

STATE_FIGURES = ("decisions", "entropy", "judged")
"""Of all decisions: the policy's entropy, and whether acts were played out."""
FIGURES = ("decisions", "policy_loss", "value_loss", "kl", "clipped")
"""Of those that are learnt from."""

_TOGETHER = 4096
"""Decisions whose acts are played out side by side."""
_RATIO_BOUND = 20.0
_SWAPPED = ALL_SWAPPED_ACTIONS[:N_ACTIONS]


# --- 1. judging acts ---------------------------------------------------------------------------


class Player(NetworkAgent):
    """Who plays hands out: a copy of the policy, its likeliest acts.

    Args:
        net: The network.
        half: Whether it computes in bf16, as training does, instead of float32.
    """

    def __init__(self, net: PolicyValueNet, half: bool) -> None:
        super().__init__(copy.deepcopy(net).cpu().eval())
        self._half = half

    def _of_piece(self, rows: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, self._half):
            return super()._of_piece(rows)


def seen(decisions: Decisions, rows: slice | Integers, table: RuleTable) -> View:
    """What the seats that made some decisions knew; the records hold all cards."""
    assert decisions.records is not None
    records = decisions.records[rows]
    which = decisions.which[decisions.hand[rows]]
    return view_of(records, table, which, np.zeros(len(records), np.uint64))


def worth_of_acts(
    decisions: Decisions, rows: Integers, acts: Integers, table: RuleTable, player: Player
) -> Floats:
    """The net points of the seat's team after each act, float32[n, 38]; zero for other acts.

    Args:
        decisions: What was collected.
        rows: int64[n], the decisions.
        acts: int64[n], the acts to play out in each, as bit sets.
        table: The rule sets in play.
        player: Who goes on, in all seats.
    """
    assert decisions.records is not None
    size = len(rows)
    points = np.tile(np.arange(-CENTRE, CENTRE + 1.0), (size, 1))
    worlds = decisions.records[rows][:, None]
    truth = Worlds(np.arange(size), worlds, np.ones((size, 1)), points)
    came = play_out(seen(decisions, rows, table), truth, acts, 0, size, player)
    worth = np.zeros((size, N_ACTIONS), np.float32)
    worth[came.origin, came.acts] = came.worth
    return worth


def gains(chances: Floats, worth: Floats, acts: Integers, uniform: float) -> Floats:
    """What each act is worth more than the acts together, times its weight, float32[n, 38].

    Args:
        chances: float32[n, 38], of the policy.
        worth: float32[n, 38], net points.
        acts: int64[n], the acts that were played out, as bit sets.
        uniform: The part of the weights that is the same for all of these acts; the rest is as the
            policy's chances. The gains of a decision add up to nothing.
    """
    judged = ((acts[:, None] >> np.arange(N_ACTIONS)) & 1).astype(np.float32)
    own = chances * judged
    even = judged / judged.sum(1, keepdims=True)
    weights = (1 - uniform) * own / own.sum(1, keepdims=True) + uniform * even
    expected = (weights * worth).sum(1, keepdims=True)
    return np.asarray(weights * (worth - expected), np.float32)


# --- 2. losses ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Batch:
    """Decisions with what is to be learnt from them.

    Attributes:
        observation: uint8[n, D].
        action_mask: int8[n, 38].
        log_probs: float32[n, 38], of the policy that collected them.
        gain: float32[n, 38] as :func:`gains`, in units of its spread; zero where none was judged.
        judged: float32[n], 1 for decisions whose acts were played out, else 0.
        result: float32[n], the reward of the hand.
    """

    observation: Tensor
    action_mask: Tensor
    log_probs: Tensor
    gain: Tensor
    judged: Tensor
    result: Tensor

    def select(self, rows: Tensor, device: torch.device) -> Batch:
        """The batch of some rows, int64[n], on a device."""
        return Batch(
            *(getattr(self, f.name).index_select(0, rows).to(device) for f in fields(self))
        )


def losses(net: PolicyValueNet, batch: Batch, config: RPIConfig) -> tuple[Tensor, Tensor]:
    """The loss of a batch, summed over its decisions.

    Returns:
        It, and the sums of :data:`FIGURES` by phase, float32[phases, F].
    """
    logits, value = net(batch.observation)
    log_probs = masked(logits, batch.action_mask).log_softmax(1)
    ratio = (log_probs - batch.log_probs).clamp(-_RATIO_BOUND, _RATIO_BOUND).exp()
    clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
    policy_loss = -torch.minimum(ratio * batch.gain, clipped * batch.gain).sum(1)
    value_loss = (value - batch.result).square()
    kl = (batch.log_probs.exp() * (batch.log_probs - log_probs)).sum(1)
    held = config.hold * (1 - batch.judged) * kl
    loss = (policy_loss + held + config.value_weight * value_loss).sum()
    with torch.no_grad():
        outside = ((ratio != clipped) & (batch.gain != 0)).any(1).float()
        return loss, by_phase(batch.observation, (policy_loss, value_loss, kl, outside))


# --- 3. learning -------------------------------------------------------------------------------


class RolloutPolicyIteration:
    """Improves a network on the decisions of one iteration after another.

    Args:
        net: The policy, changed in place.
        config: Settings.
        rulesets: The rule sets of the decisions.
        seed: Of the order of minibatches.
        workers: Threads that share the work.
        group: The processes that train together.

    Attributes:
        slow: The average of the policy's weights, which is to be played.
    """

    behave = None  # it learns from what its policy does

    def __init__(
        self,
        net: PolicyValueNet,
        config: RPIConfig,
        rulesets: Sequence[Ruleset],
        seed: int,
        workers: Workers,
        group: Group | None = None,
    ) -> None:
        self.net, self.config = net, config
        self.slow = copy.deepcopy(net).eval() if config.average else net
        self._table = RuleTable.of(rulesets)
        self._seed, self._workers, self._group = seed, workers, group or Group()
        on_gpu = workers.device.type != "cpu"
        # Hands are played out on the processor, on all threads, wherever the network learns.
        self._players = Workers(workers.threads, workers.precision) if on_gpu else workers
        self.optimizer = adam([*net.parameters()], config.rate)

    def learn(
        self, decisions: Decisions, iteration: int, progress: float, imitate: float | None = None
    ) -> dict[str, float]:
        """All epochs on one iteration's decisions, less what does not fill a minibatch.

        Args:
            decisions: What was collected, with ``records``.
            iteration: Its number.
            progress: The part of the run that is over, 0 to 1, for the rate.
            imitate: Never given: the settings refuse a teacher.

        Returns:
            Figures by name: means over all decisions of :data:`STATE_FIGURES`, and over those that
            were learnt from, in all epochs, of :data:`FIGURES`, if there were any.
        """
        config = self.config
        set_rate(self.optimizer, config.rate * (1 - progress))
        rng = np.random.default_rng(
            iteration_seed(self._seed, iteration, SHUFFLE, self._group.rank)
        )
        batch, spread = self._batch(decisions)
        learnt = batch.judged.numpy() > 0
        learnt |= rng.random(len(learnt)) < config.others
        chosen = torch.from_numpy(np.flatnonzero(learnt))
        sums, norms = torch.zeros(len(PHASES), len(FIGURES)), []
        least = self._group.least(len(chosen))
        size = min(config.minibatch, max(least, 1))
        for _ in range(config.epochs):
            for rows in minibatches(rng, len(chosen), size, least // size):
                figures, norm = self._step(batch, chosen[rows])
                sums += figures
                norms.append(norm)
        if self.slow is not self.net:
            follow(self.slow, self.net, config.average, iteration)
        entropy = -(batch.log_probs.exp() * batch.log_probs).sum(1)
        states = by_phase(batch.observation, (entropy, batch.judged))
        learning = {}
        if norms:
            learning = means_by_phase(FIGURES, sums)
            learning["train/gradient_norm"] = float(np.mean(norms))
        return {
            **means_by_phase(STATE_FIGURES, states),
            **learning,
            **explained_variance(decisions, decisions.value.numpy()),
            "train/gain_spread": spread,
            "train/rate": config.rate * (1 - progress),
        }

    def _batch(self, decisions: Decisions) -> tuple[Batch, float]:
        """What is to be learnt from decisions, and the spread of the gains in points."""
        log_probs = log_probs_of(self.net, decisions, self._workers)
        gain, judged = self._judge(decisions, log_probs.exp().numpy())
        squares, count = self._group.sums(
            float(np.square(gain, dtype=np.float64).sum()), float(judged.sum())
        )
        spread = (squares / max(count, 1.0)) ** 0.5
        return (
            Batch(
                decisions.observation,
                decisions.action_mask,
                log_probs,
                torch.from_numpy(gain / np.float32(spread + 1e-8)),
                torch.from_numpy(judged.astype(np.float32)),
                torch.from_numpy(decisions.reward[decisions.hand, decisions.seat]),
            ),
            spread,
        )

    def _judge(self, decisions: Decisions, chances: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """The gains of acts by the ids that the network sees, and which decisions were judged."""
        config = self.config
        swapped = np.flatnonzero(decisions.swapped)
        chances[swapped] = chances[swapped][:, _SWAPPED]
        acts, favourites = np.empty(len(decisions), np.int64), np.empty(len(decisions), np.int64)

        def choose(part: slice) -> None:
            legal = seen(decisions, part, self._table).legal
            found = acts[part], favourites[part]
            shortlist(chances[part], legal, config.acts, config.least, *found)

        self._players.map(choose, pieces(0, len(decisions), _TOGETHER))
        judged = acts & (acts - 1) != 0
        rows = np.flatnonzero(judged)
        half = self._workers.precision == "bf16" and has_fast_bf16()
        player = Player(self.net, half)
        gain = np.zeros(chances.shape, np.float32)

        def judge(part: slice) -> None:
            some = rows[part]
            worth = worth_of_acts(decisions, some, acts[some], self._table, player)
            gain[some] = gains(chances[some], worth, acts[some], config.uniform)

        self._players.map(judge, pieces(0, len(rows), _TOGETHER))
        gain[swapped] = gain[swapped][:, _SWAPPED]
        return gain, judged

    def _step(self, batch: Batch, rows: Tensor) -> tuple[Tensor, float]:
        def loss_of(rows: Tensor) -> tuple[Tensor, Tensor]:
            return losses(self.net, batch.select(rows, self._workers.device), self.config)

        longest = self.config.max_grad_norm
        return descend(self.optimizer, rows, loss_of, self._workers, self._group, longest)

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        slow = {} if self.slow is self.net else {"slow": self.slow.state_dict()}
        return {"net": self.net.state_dict(), "optimizer": self.optimizer.state_dict(), **slow}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` gave."""
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])
        if self.slow is not self.net:
            self.slow.load_state_dict(state["slow"])
