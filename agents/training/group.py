"""The processes that train together: each collects hands of its own, all take the same steps.

Under ``torchrun`` there is one process a share of the work; alone, a group of one does nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import torch
import torch.distributed as dist
from torch import Tensor


class Group:
    """One process among all.

    Attributes:
        rank: Its number, from 0; only rank 0 writes files.
        size: The number of processes.
    """

    def __init__(self) -> None:
        self.rank, self.size = 0, 1
        if dist.is_available() and dist.is_initialized():
            self.rank, self.size = dist.get_rank(), dist.get_world_size()

    def mean_(self, tensors: Sequence[Tensor]) -> None:
        """Replace tensors by their mean over the processes, in place."""
        if self.size == 1:
            return
        flat = torch.cat([t.reshape(-1) for t in tensors])
        dist.all_reduce(flat)
        flat /= self.size
        parts = torch.split(flat, [t.numel() for t in tensors])
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.copy_(part.view_as(tensor))

    def sums(self, *numbers: float) -> list[float]:
        """Sums over the processes."""
        if self.size == 1:
            return list(numbers)
        flat = torch.tensor(numbers, dtype=torch.float64)
        dist.all_reduce(flat)
        return [float(x) for x in flat]

    def least(self, number: int) -> int:
        """The least over the processes."""
        if self.size == 1:
            return number
        flat = torch.tensor(number)
        dist.all_reduce(flat, dist.ReduceOp.MIN)
        return int(flat)


def join_group() -> Group:
    """Join the processes that ``torchrun`` started, if it did."""
    if "WORLD_SIZE" in os.environ and not dist.is_initialized():
        dist.init_process_group("cuda:nccl,cpu:gloo" if torch.cuda.is_available() else "gloo")
    return Group()


def end_process(status: int) -> NoReturn:
    """End a process of a group at once, any other in the usual way.

    gloo's threads let go of the last tensors a little later than the reductions return, and where
    Python is winding up by then they abort the process: of pairs of processes that ended right
    after a reduction, one in six did.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    if dist.is_available() and dist.is_initialized():
        os._exit(status)
    sys.exit(status)
