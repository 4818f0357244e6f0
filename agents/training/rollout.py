"""Collection: one policy plays all four seats of a batch of hands, from the deal to the last card.

No hand outlives an iteration, and every random number of an iteration comes from (seed, iteration);
so a run can go on from its weights and the iteration's number alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from euchre_env.batch import BatchEnv, RulesetLike
from euchre_env.rules import N_ACTIONS, N_SEATS

from ..network import CHUNK, PolicyValueNet, masked, sample

REWARD_SCALE = 0.5
"""The reward is the team's points times this, at the end of the hand."""

_GRAIN = 128
_DECISIONS_PER_HAND = 20  # room at first; it grows where a rule set needs more

Rows = npt.NDArray[np.int64]
X = TypeVar("X")
Y = TypeVar("Y")


class Workers:
    """Threads that share work in pieces; results come in the order of the pieces.

    Each thread computes with one torch thread: more of them wait for each other at these sizes.
    """

    def __init__(self, threads: int) -> None:
        torch.set_num_threads(1)
        self.threads = threads
        self._pool = (
            ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
            if threads > 1
            else None
        )

    def map(self, work: Callable[[X], Y], pieces: Iterable[X]) -> list[Y]:
        """``work`` of each piece."""
        return list(map(work, pieces) if self._pool is None else self._pool.map(work, pieces))

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def pieces(start: int, stop: int) -> list[slice]:
    """The range in slices of at most :data:`CHUNK`, whatever the number of threads."""
    return [slice(a, min(a + CHUNK, stop)) for a in range(start, stop, CHUNK)]


def rounded_up(rows: int) -> int:
    """The rows that go through the network for so many: few different numbers.

    Torch compiles and keeps code for every shape that it meets, some megabytes each.
    """
    return -(-rows // _GRAIN) * _GRAIN


@dataclass
class Decisions:
    """The N decisions of an iteration, in the order of the steps at which they were made.

    Attributes:
        observation: uint8[N, D] of the seat that decided.
        action_mask: int8[N, 38].
        action: int64[N].
        log_prob: float32[N], of the action when it was chosen.
        value: float32[N], what the network expected then.
        hand: int64[N], the hand, an index of ``points``.
        seat: int64[N], the seat that decided.
        steps: Slices of the N; at each step every hand that is not over has one decision.
        points: float32[hands, 4], points of each seat's team less the others'.
        finals: STATE[hands], the record of each hand when it was over.
    """

    observation: Tensor
    action_mask: Tensor
    action: Tensor
    log_prob: Tensor
    value: Tensor
    hand: npt.NDArray[np.int64]
    seat: npt.NDArray[np.int64]
    steps: list[slice]
    points: npt.NDArray[np.float32]
    finals: npt.NDArray[Any]

    def __len__(self) -> int:
        """The number of decisions."""
        return len(self.action)


class _Store:
    """Columns that grow, kept from one iteration to the next."""

    def __init__(self, room: int, width: int) -> None:
        self.columns: dict[str, npt.NDArray[Any]] = {
            "observation": np.empty((room, width), np.uint8),
            "action_mask": np.empty((room, N_ACTIONS), np.int8),
            "action": np.empty(room, np.int64),
            "log_prob": np.empty(room, np.float32),
            "value": np.empty(room, np.float32),
            "hand": np.empty(room, np.int64),
            "seat": np.empty(room, np.int64),
        }

    def make_room(self, rows: int) -> None:
        """See that there are at least ``rows`` rows."""
        while len(self.columns["action"]) < rows:
            for name, column in self.columns.items():
                self.columns[name] = np.concatenate([column, np.empty_like(column)])

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self.columns[name]

    def tensor(self, name: str, stop: int | slice) -> Tensor:
        """A part of a column as a tensor that shares its memory."""
        part = stop if isinstance(stop, slice) else slice(stop)
        return torch.from_numpy(self.columns[name][part])


def iteration_seed(seed: int, iteration: int, purpose: int) -> list[int]:
    """The entropy of one purpose in one iteration."""
    return [seed, iteration, purpose]


class Collector:
    """Plays batches of hands with a network and keeps what was decided.

    Args:
        hands: Hands in a batch.
        ruleset: Rule sets, of which each hand draws one.
        seed: Of deals and actions.
        workers: Threads that share the work.
        autocast: Whether the network computes in bfloat16.
    """

    def __init__(
        self, hands: int, ruleset: RulesetLike, seed: int, workers: Workers, autocast: bool
    ) -> None:
        self.env = BatchEnv(hands, ruleset, skip_forced=True, threads=workers.threads)
        self._seed, self._workers, self._autocast = seed, workers, autocast
        self._store = _Store(hands * _DECISIONS_PER_HAND, self.env.observation_size)

    def collect(self, net: PolicyValueNet, iteration: int) -> Decisions:
        """Play all hands to their end. The result is overwritten by the next call."""
        env, store = self.env, self._store
        deals, draws = (
            np.random.default_rng(iteration_seed(self._seed, iteration, p)) for p in range(2)
        )
        env.reset(seed=int(deals.integers(2**63)))
        points = np.zeros((len(env), N_SEATS), np.float32)
        finals = env.states.copy()
        going = np.ones(len(env), np.bool_)
        steps: list[slice] = []
        stop = 0
        while going.any():
            rows = np.flatnonzero(going)
            step = slice(stop, stop + len(rows))
            stop = step.stop
            steps.append(step)
            store.make_room(stop + CHUNK)
            self._decide(net, rows, step, draws)
            rewards, done = env.step(self._all_actions(rows, step))
            over = rows[done[rows]]
            points[over], finals[over] = rewards[over], env.final_states[over]
            going[over] = False
        named = {n: store.tensor(n, stop) for n in list(store.columns)[:5]}
        return Decisions(
            **named,
            hand=store["hand"][:stop],
            seat=store["seat"][:stop],
            steps=steps,
            points=points,
            finals=finals,
        )

    def _decide(
        self, net: PolicyValueNet, rows: Rows, step: slice, draws: np.random.Generator
    ) -> None:
        env, store = self.env, self._store
        np.take(env.observation, rows, axis=0, out=store["observation"][step])
        np.take(env.action_mask, rows, axis=0, out=store["action_mask"][step])
        store["hand"][step], store["seat"][step] = rows, env.actor[rows]
        uniforms = torch.from_numpy(draws.random(len(rows), dtype=np.float32))

        def work(part: slice) -> None:
            wide = slice(part.start, part.start + rounded_up(part.stop - part.start))
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, self._autocast):
                logits, value = net(store.tensor("observation", wide))
            logits, value = logits[: part.stop - part.start], value[: part.stop - part.start]
            logits = masked(logits, store.tensor("action_mask", part))
            here = slice(part.start - step.start, part.stop - step.start)
            action = sample(logits, uniforms[here])
            store.tensor("action", part).copy_(action)
            log_prob = logits.log_softmax(1).gather(1, action[:, None]).squeeze(1)
            store.tensor("log_prob", part).copy_(log_prob)
            store.tensor("value", part).copy_(value)

        self._workers.map(work, pieces(step.start, step.stop))

    def _all_actions(self, rows: Rows, step: slice) -> npt.NDArray[np.int64]:
        """The decisions of ``rows``; the other hands, dealt anew, play their first legal action."""
        actions = self.env.action_mask.argmax(1)
        actions[rows] = self._store["action"][step]
        return actions

    def close(self) -> None:
        """Stop the environment's threads."""
        self.env.close()
