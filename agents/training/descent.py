"""What all learners share: gradient steps in pieces, by threads and processes, and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from euchre_env.encoding import LAYOUT
from euchre_env.rules import PHASES

from ..network import PolicyValueNet, masked
from .group import Group
from .rollout import Decisions, Workers

LossOf = Callable[[Tensor], tuple[Tensor, Tensor]]
"""From rows, int64[n], their loss, summed over them, and further sums to report."""


def adam(parameters: Sequence[nn.Parameter], rate: float) -> torch.optim.Adam:
    """The optimiser of every network here."""
    return torch.optim.Adam(parameters, lr=rate, eps=1e-5, fused=True)


def set_rate(optimizer: torch.optim.Optimizer | None, rate: float) -> None:
    """Change the step size."""
    for group in optimizer.param_groups if optimizer else ():
        group["lr"] = rate


def minibatches(rng: np.random.Generator, count: int, size: int, steps: int) -> Iterator[Tensor]:
    """``steps`` minibatches of the rows 0 to ``count`` in a new order, int64[size] each."""
    order = torch.from_numpy(rng.permutation(count))
    for step in range(steps):
        yield order[step * size : (step + 1) * size]


def descend(
    optimizer: torch.optim.Optimizer,
    rows: Tensor,
    loss_of: LossOf,
    workers: Workers,
    group: Group,
    max_norm: float,
) -> tuple[Tensor, float]:
    """One step along the mean gradient of a minibatch, and over all processes.

    The minibatch goes through in pieces of fixed size, whose gradients are added in order: figures
    do not depend on threads.

    Args:
        optimizer: Of the parameters that the loss depends on.
        rows: int64[n], the minibatch.
        loss_of: The loss of some of it; called from several threads.
        workers: The threads.
        group: The processes.
        max_norm: Longer gradients are scaled down to this.

    Returns:
        The further sums of ``loss_of``, added up, and the length of the gradient.
    """
    parameters = [p for entry in optimizer.param_groups for p in entry["params"]]

    def work(part: slice) -> tuple[tuple[Tensor, ...], Tensor]:
        with workers.autocast():
            loss, sums = loss_of(rows[part])
        return torch.autograd.grad(loss, parameters), sums.detach().cpu()

    found = workers.map(work, workers.pieces(0, len(rows)))
    for parameter, *parts in zip(parameters, *(gradients for gradients, _ in found)):
        parameter.grad = sum(parts, torch.zeros((), device=parameter.device)) / len(rows)
    group.mean_([p.grad for p in parameters])
    norm = nn.utils.clip_grad_norm_(parameters, max_norm)
    optimizer.step()
    return torch.stack([sums for _, sums in found]).sum(0), float(norm)


def log_probs_of(net: PolicyValueNet, decisions: Decisions, workers: Workers) -> Tensor:
    """The logarithms of a policy's probabilities at all decisions, float32[N, 38]."""
    found = torch.empty(decisions.action_mask.shape)

    def work(part: slice) -> None:
        with torch.no_grad(), workers.autocast():
            logits, _ = net(decisions.observation[part].to(workers.device))
        found[part] = masked(logits.cpu(), decisions.action_mask[part]).log_softmax(1)

    workers.map(work, workers.pieces(0, len(decisions)))
    return found


def follow(slow: nn.Module, net: nn.Module, decay: float, iteration: int) -> None:
    """Move the average of a network's weights, quicker in the first iterations.

    There it would else keep what it started from, which may be noise.
    """
    decay = min(decay, (iteration + 1) / (iteration + 10))
    with torch.no_grad():
        for average, now in zip(slow.parameters(), net.parameters(), strict=True):
            average.lerp_(now, 1 - decay)


# --- figures -----------------------------------------------------------------------------------


def _phases(observation: Tensor) -> Tensor:
    """Which phase each decision is in, uint8[n, phases], from its observation uint8[n, D]."""
    blocks = ("phase", "other_phase", "house_phase")
    return torch.cat([observation[:, LAYOUT[name].slice] for name in blocks], 1)


def by_phase(observation: Tensor, columns: Sequence[Tensor]) -> Tensor:
    """Sums by phase of a decision, float32[phases, 1 + C]: their number, then each column's.

    Args:
        observation: uint8[n, D].
        columns: float32[n] each.
    """
    phase = _phases(observation).float()
    return phase.T @ torch.stack([torch.ones_like(columns[0]), *columns], 1)


def means_by_phase(names: Sequence[str], sums: Tensor) -> dict[str, float]:
    """Means of :func:`by_phase` over all decisions, and over those of each phase there were.

    Args:
        names: Of the columns, the first of which is the number of decisions.
        sums: float32[phases, columns].
    """
    names, total = names[1:], sums.sum(0)
    named = {f"train/{n}": float(x / total[0]) for n, x in zip(names, total[1:], strict=True)}
    for phase, row in zip(PHASES, sums, strict=True):
        if row[0]:
            means = zip(names, (row[1:] / row[0]).tolist(), strict=True)
            named |= {f"{phase}/{name}": mean for name, mean in means}
    return named


def explained_variance(decisions: Decisions, expected: npt.NDArray[np.float32]) -> dict[str, float]:
    """How much of the results' variance was foreseen, over all decisions and in each phase.

    Args:
        decisions: What was collected.
        expected: float32[N], the reward that the seat that decided expected.
    """
    result = decisions.reward[decisions.hand, decisions.seat]
    missed = result - expected
    phase = _phases(decisions.observation).numpy().argmax(1)
    groups = {"train": np.ones(len(phase), np.bool_)}
    groups |= {name: phase == number for number, name in enumerate(PHASES)}
    return {
        f"{name}/explained_variance": 1 - float(missed[of].var()) / float(result[of].var())
        for name, of in groups.items()
        if of.any() and result[of].var() > 0
    }
