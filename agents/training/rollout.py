"""Collection: the policy plays a batch of hands, from the deal to the last card.

It has all four seats, but for those hands in which one side is a member of the pool: a past self or
another agent. No hand outlives an iteration, and every random number of an iteration comes from
(seed, iteration); so a run can go on from its weights and the iteration's number alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from euchre_env.batch import BatchEnv, RulesetLike
from euchre_env.rules import N_SEATS, NOBODY, STATE, team
from euchre_env.symmetry import ALL_SWAPPED_ACTIONS

from ..base import Agent, RuleTable, check_actions, view_of
from ..heuristic.truth import double_dummy
from ..network import CHUNK, PolicyValueNet, masked, sample
from .pool import Pool
from .rewards import Rewards

_GRAIN = 128
_GPU_CHUNK = 1 << 16
_DECISIONS_PER_HAND = 20  # room at first; it grows where a rule set needs more
_DEALS, _DRAWS, SHUFFLE, _SEATS, _TEACHING, MODES = range(6)
"""Purposes of streams of random numbers (:func:`iteration_seed`); those of learners are public."""

Rows = npt.NDArray[np.int64]
X = TypeVar("X")
Y = TypeVar("Y")


class Workers:
    """Threads that share work in pieces; results come in the order of the pieces.

    Each thread computes with one torch thread: more of them wait for each other at these sizes.

    Args:
        threads: How many.
        precision: ``bf16`` or ``fp32``, of the networks' products.
        device: Where networks compute. On a GPU the pieces are large and go one after another; the
            engine stays on the processor's threads.
    """

    def __init__(self, threads: int, precision: str = "fp32", device: str = "cpu") -> None:
        torch.set_num_threads(1)
        self.threads, self.precision = threads, precision
        self.device = torch.device(device)
        self.piece = CHUNK if self.device.type == "cpu" else _GPU_CHUNK
        self._pool = (
            ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
            if threads > 1 and self.device.type == "cpu"
            else None
        )

    def autocast(self) -> torch.autocast:
        """The context in which networks compute."""
        return torch.autocast(self.device.type, torch.bfloat16, self.precision == "bf16")

    def pieces(self, start: int, stop: int) -> list[slice]:
        """The range in slices of at most :attr:`piece`, whatever the number of threads."""
        return pieces(start, stop, self.piece)

    def map(self, work: Callable[[X], Y], pieces: Iterable[X]) -> list[Y]:
        """``work`` of each piece."""
        return list(map(work, pieces) if self._pool is None else self._pool.map(work, pieces))

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def pieces(start: int, stop: int, size: int = CHUNK) -> list[slice]:
    """The range in slices of at most ``size``."""
    return [slice(a, min(a + size, stop)) for a in range(start, stop, size)]


def rounded_up(rows: int) -> int:
    """The rows that go through the network for so many: few different numbers.

    Torch compiles and keeps code for every shape that it meets, some megabytes each.
    """
    return -(-rows // _GRAIN) * _GRAIN


@dataclass
class Decisions:
    """The N decisions of the policy in an iteration, in the order of the steps they were made in.

    Attributes:
        observation: uint8[N, D] of the seat that decided.
        action_mask: int8[N, 38], or int8[N, 46] with cards below nine.
        action: int64[N].
        log_prob: float32[N], of the action when it was chosen.
        value: float32[N], what the policy network expected then.
        hidden: uint8[N, H], all hands, as ``encoding.HIDDEN_LAYOUT`` has them.
        double_dummy: float32[N], net points of the seat's team with all cards seen (zero where the
            collector was not asked for it).
        hand: int64[N], the hand, an index of ``points``.
        seat: int64[N], the seat that decided.
        steps: Slices of the N; at each step a hand that is not over has at most one decision.
        reward: float32[hands, 4], what is to be learnt, by seat, at the end of the hand.
        points: float32[hands, 4], points of each seat's team less the others'.
        finals: STATE[hands], the record of each hand when it was over.
        which: int16[hands], the rule set of each hand.
        opponent: int64[hands], the pool's member who played one side, or -1.
        side: int64[hands], the policy's team where there is an opponent.
        swapped: bool[N], whether suits were swapped to bring them in order.
        records: STATE[N], all that was true when each decision was due; None where the collector
            was not asked for it.
        partners: Whether two teams play; otherwise everyone plays alone.

    Where the network has ``ordered_suits``, observations, masks, actions and ``hidden`` are by
    ordered suits too.
    """

    observation: Tensor
    action_mask: Tensor
    action: Tensor
    log_prob: Tensor
    value: Tensor
    hidden: Tensor
    double_dummy: Tensor
    hand: npt.NDArray[np.int64]
    seat: npt.NDArray[np.int64]
    steps: list[slice]
    reward: npt.NDArray[np.float32]
    points: npt.NDArray[np.float32]
    finals: npt.NDArray[Any]
    which: npt.NDArray[np.int16]
    opponent: npt.NDArray[np.int64]
    side: npt.NDArray[np.int64]
    swapped: npt.NDArray[np.bool_]
    records: npt.NDArray[Any] | None = None
    partners: bool = True

    def __len__(self) -> int:
        """The number of decisions."""
        return len(self.action)


class _Store:
    """Columns that grow, kept from one iteration to the next."""

    def __init__(
        self, room: int, width: int, actions: int, hidden: int, records: bool = False
    ) -> None:
        self.columns: dict[str, npt.NDArray[Any]] = {
            "observation": np.empty((room, width), np.uint8),
            "action_mask": np.empty((room, actions), np.int8),
            "action": np.empty(room, np.int64),
            "log_prob": np.empty(room, np.float32),
            "value": np.empty(room, np.float32),
            "hidden": np.empty((room, hidden), np.uint8),
            "double_dummy": np.zeros(room, np.float32),
            "hand": np.empty(room, np.int64),
            "seat": np.empty(room, np.int64),
            "swapped": np.empty(room, np.bool_),
        }
        if records:
            self.columns["record"] = np.empty(room, STATE)

    def make_room(self, rows: int) -> None:
        """See that there are at least ``rows`` rows."""
        while len(self.columns["action"]) < rows:
            for name, column in self.columns.items():
                self.columns[name] = np.concatenate([column, np.zeros_like(column)])

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self.columns[name]

    def tensor(self, name: str, stop: int | slice) -> Tensor:
        """A part of a column as a tensor that shares its memory."""
        part = stop if isinstance(stop, slice) else slice(stop)
        return torch.from_numpy(self.columns[name][part])


def iteration_seed(seed: int, iteration: int, purpose: int, rank: int = 0) -> list[int]:
    """The entropy of one purpose in one iteration, in one process."""
    return [seed, iteration, purpose, *([rank] if rank else [])]


@dataclass(frozen=True)
class Teacher:
    """Who decides in place of the policy, which learns to do the same.

    Attributes:
        agent: Whose choice is kept as the action.
        noise: The part of the decisions in which a random legal action is played instead.
    """

    agent: Agent
    noise: float


@dataclass(frozen=True)
class Moment:
    """Decisions that are due, for whoever does not draw them from the network's policy.

    Attributes:
        iteration: Their iteration.
        logits: float32[B, 38] of the network, masked.
        observation: uint8[B, D].
        action_mask: int8[B, 38].
        hand: int64[B].
        seat: int64[B].
    """

    iteration: int
    logits: Tensor
    observation: Tensor
    action_mask: Tensor
    hand: Rows
    seat: Rows


Behave = Callable[[Moment], Tensor]
"""Gives the masked logits, float32[B, 38], to draw actions from. It is called from all threads with
the same moments however many there are, and depends on nothing but the moment and networks."""

Start = Callable[[np.random.Generator, int], npt.NDArray[Any]]
"""Makes so many records for the hands to start from, STATE[count]; the generator is the only
chance."""


class Collector:
    """Plays batches of hands with a network and keeps what it decided.

    Args:
        hands: Hands in a batch.
        ruleset: Rule sets, of which each hand draws one.
        seed: Of deals and actions.
        workers: Threads that share the work.
        solve: Whether to find the double-dummy value of every decision.
        pool: Who else plays; nobody unless given.
        rewards: What hands are worth, and at which scores they start; points at 0-0 unless given.
        start: Where hands start from, instead of a deal.
        rank: The number of this process, which plays hands of its own.
        behave: How actions are chosen; by the network's policy unless given.
        records: Whether to keep the record of every decision.
    """

    def __init__(
        self,
        hands: int,
        ruleset: RulesetLike,
        seed: int,
        workers: Workers,
        solve: bool = False,
        pool: Pool | None = None,
        rewards: Rewards | None = None,
        start: Start | None = None,
        rank: int = 0,
        behave: Behave | None = None,
        records: bool = False,
    ) -> None:
        self.env = BatchEnv(hands, ruleset, hidden=True, skip_forced=True, threads=workers.threads)
        self.pool = pool or Pool()
        self.rewards = rewards or Rewards(self.env.rulesets)
        self._table = RuleTable.of(self.env.rulesets)
        self._seed, self._workers, self._rank = seed, workers, rank
        self._solve, self._start, self._behave = solve, start, behave
        env = self.env
        widths = env.observation_size, env.actions, env.hidden.shape[1]
        self._store = _Store(hands * _DECISIONS_PER_HAND, *widths, records)
        self._actions = np.zeros(hands, np.int64)

    def collect(
        self, net: PolicyValueNet, iteration: int, teacher: Teacher | None = None
    ) -> Decisions:
        """Play all hands to their end. The result is overwritten by the next call.

        Args:
            net: The policy.
            iteration: Its number, which decides all chance.
            teacher: Who decides instead of the policy.
        """
        env, store = self.env, self._store
        teaching = np.random.default_rng(
            iteration_seed(self._seed, iteration, _TEACHING, self._rank)
        )
        deals, draws, seats = (
            np.random.default_rng(iteration_seed(self._seed, iteration, p, self._rank))
            for p in (_DEALS, _DRAWS, _SEATS)
        )
        self._deal(deals)
        scores, dealers = env.states["score"][:, :2].copy(), env.states["dealer"].copy()
        which = env.which.copy()
        opponent, side = self.pool.seat(seats, len(env))
        points = np.zeros((len(env), N_SEATS), np.float32)
        finals = env.states.copy()
        going = np.ones(len(env), np.bool_)
        steps: list[slice] = []
        stop = 0
        while going.any():
            own = going & ((opponent == NOBODY) | (team(env.actor) == side))
            rows, others = np.flatnonzero(own), np.flatnonzero(going & ~own)
            step = slice(stop, stop + len(rows))
            stop = step.stop
            steps.append(step)
            store.make_room(stop + _GRAIN)
            # Hands that are over were dealt anew; they play on by first legal actions, unseen.
            self._actions[:] = env.action_mask.argmax(1)
            self._decide(net, iteration, rows, step, draws)
            if teacher is not None:
                self._teach(net, teacher, rows, step, teaching)
            self._let_decide(opponent, others, seats)
            rewards, done = env.step(self._actions)
            over = np.flatnonzero(done & going)
            points[over], finals[over] = rewards[over], env.final_states[over]
            going[over] = False
        named = {n: store.tensor(n, stop) for n in list(store.columns)[:7]}
        return Decisions(
            **named,
            hand=store["hand"][:stop],
            seat=store["seat"][:stop],
            steps=steps,
            reward=self.rewards.of(points, finals, which, scores, dealers),
            points=points,
            finals=finals,
            which=which,
            opponent=opponent,
            side=side,
            swapped=store["swapped"][:stop],
            records=store["record"][:stop] if "record" in store.columns else None,
            partners=env.rulesets[0].is_partnership,
        )

    def _deal(self, deals: np.random.Generator) -> None:
        env = self.env
        env.reset(seed=int(deals.integers(2**63)))
        if self._start is None and not self.rewards.draws_scores:
            return
        games = env.get_state()
        if self._start is not None:
            games["states"][:] = self._start(deals, len(env))
        if self.rewards.draws_scores:
            games["states"]["score"][:, :2] = self.rewards.draw_scores(deals, games["which"])
        env.set_state(games)

    def _decide(
        self,
        net: PolicyValueNet,
        iteration: int,
        rows: Rows,
        step: slice,
        draws: np.random.Generator,
    ) -> None:
        env, store = self.env, self._store
        store["hand"][step], store["seat"][step] = rows, env.actor[rows]
        uniforms = torch.from_numpy(draws.random(len(rows), dtype=np.float32))

        def work(part: slice) -> None:
            here = slice(part.start - step.start, part.stop - step.start)
            swapped = self._copy(net, rows[here], part)
            store["swapped"][part] = swapped
            wide = slice(part.start, part.start + rounded_up(part.stop - part.start))
            with torch.no_grad(), self._workers.autocast():
                logits, value = net(store.tensor("observation", wide).to(self._workers.device))
            count = part.stop - part.start
            logits, value = logits[:count].cpu(), value[:count].cpu()
            observation, mask = (store.tensor(n, part) for n in ("observation", "action_mask"))
            logits = masked(logits, mask)
            if self._behave is not None:
                hand, seat = store["hand"][part], store["seat"][part]
                moment = Moment(iteration, logits, observation, mask, hand, seat)
                logits = self._behave(moment)
            action = sample(logits, uniforms[here])
            store.tensor("action", part).copy_(action)
            log_prob = logits.log_softmax(1).gather(1, action[:, None]).squeeze(1)
            store.tensor("log_prob", part).copy_(log_prob)
            store.tensor("value", part).copy_(value)
            chosen = store["action"][part]
            self._actions[rows[here]] = np.where(swapped, ALL_SWAPPED_ACTIONS[chosen], chosen)

        self._workers.map(work, self._workers.pieces(step.start, step.stop))

    def _copy(self, net: PolicyValueNet, rows: Rows, part: slice) -> npt.NDArray[np.bool_]:
        """Keep what is seen and true in some games; returns where suits were swapped."""
        env, store = self.env, self._store
        names = ("observation", "action_mask", "hidden")
        for name in names:
            np.take(getattr(env, name), rows, axis=0, out=store[name][part])
        if "record" in store.columns:
            store["record"][part] = env.states[rows]
        if self._solve:
            solve = cast(Callable[..., None], double_dummy)  # compiled, so without types
            solve(env.states, env.rules, env.which, rows, store["double_dummy"][part])
        if not net.ordered_suits:
            return np.zeros(len(rows), np.bool_)
        return net.suit_order.apply(*(store[name][part] for name in names))

    def _teach(
        self,
        net: PolicyValueNet,
        teacher: Teacher,
        rows: Rows,
        step: slice,
        teaching: np.random.Generator,
    ) -> None:
        """Put the teacher's actions in place of the policy's, and play them but for some noise."""
        env, store = self.env, self._store
        seeds = teaching.integers(2**64, size=len(rows), dtype=np.uint64)
        view = view_of(env.states, self._table, env.which, seeds, rows, teacher.agent.oracle)
        chosen = check_actions(view, teacher.agent.act(view), teacher.agent.name)
        noisy = teaching.random(len(rows)) < teacher.noise
        self._actions[rows] = np.where(noisy, env.random_actions()[rows], chosen)
        if net.ordered_suits:
            shown = (view.observation.copy(), view.action_mask.copy())
            swapped = net.suit_order.apply(*shown)
            chosen = np.where(swapped, ALL_SWAPPED_ACTIONS[chosen], chosen)
        store["action"][step] = chosen

    def _let_decide(
        self, opponent: npt.NDArray[np.int64], rows: Rows, seats: np.random.Generator
    ) -> None:
        """Let the pool's members decide where it is their turn."""
        env = self.env
        if not len(rows):
            return
        seeds = seats.integers(2**64, size=len(rows), dtype=np.uint64)
        work: list[tuple[int, Rows]] = []
        for member in np.unique(opponent[rows]).tolist():
            mine = np.flatnonzero(opponent[rows] == member)
            work += [(member, mine[part]) for part in pieces(0, len(mine))]

        def decide(one: tuple[int, Rows]) -> None:
            agent, games = self.pool.members[one[0]], rows[one[1]]
            view = view_of(env.states, self._table, env.which, seeds[one[1]], games, agent.oracle)
            self._actions[games] = check_actions(view, agent.act(view), agent.name)

        self._workers.map(decide, work)

    def close(self) -> None:
        """Stop the environment's threads."""
        self.env.close()
