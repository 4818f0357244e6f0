"""How long an agent takes for its decisions, alone and many at once, on one core."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from euchre_env.batch import BatchEnv
from euchre_env.ruleset import Ruleset

from ..base import Agent, RuleTable, is_oracle, require_player, view_of
from .match import as_ruleset

CALLS, FEWEST_CALLS, BUDGET = 400, 3, 5.0
"""Calls that are timed: so many, or as many as fit in so many seconds, but never fewer than that.
"""


@dataclass(frozen=True)
class DecisionTime:
    """The median time of a call, which depends on the machine and on what else it does.

    Attributes:
        batch: Games that one call decides.
        seconds: Of a call, the observation included.
        calls: Calls that were timed.
        one_core: Whether the agent was held to one core; not every system can do that.
    """

    batch: int
    seconds: float
    calls: int
    one_core: bool

    @property
    def decisions_per_second(self) -> float:
        """Decisions in a second."""
        return self.batch / self.seconds


@contextmanager
def one_core() -> Iterator[bool]:
    """Hold this thread, and those that it starts, to one core; tells whether that is possible."""
    if not hasattr(os, "sched_setaffinity"):
        yield False
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield True
    finally:
        os.sched_setaffinity(0, before)


def decision_time(
    agent: Agent, batch: int, ruleset: Ruleset | str = "stick", seed: int = 1
) -> DecisionTime:
    """Let an agent play hands, ``batch`` at once in all seats, and time its calls.

    Forced decisions are not asked, as in a match. The first call, which may compile, is not timed.

    Raises:
        RulesetError: a text that names no rule set.
        AgentError: the agent cannot play these rules.
        ActionError: the agent gave no legal action.
    """
    rules = as_ruleset(ruleset)
    require_player([agent], rules)
    env = BatchEnv(batch, rules, seed=seed, observe=False, skip_forced=True)
    env.reset()
    table, taken = RuleTable.of(env.rulesets), list[float]()
    with one_core() as held:
        env.step(_timed_call(agent, env, table, 0, []))
        while len(taken) < CALLS and (len(taken) < FEWEST_CALLS or sum(taken) < BUDGET):
            env.step(_timed_call(agent, env, table, len(taken) + 1, taken))
    return DecisionTime(batch, statistics.median(taken), len(taken), held)


def _timed_call(
    agent: Agent, env: BatchEnv, table: RuleTable, number: int, taken: list[float]
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    seeds = np.arange(len(env.states), dtype=np.uint64) + np.uint64(number * len(env.states))
    started = time.perf_counter()
    view = view_of(env.states, table, env.which, seeds, oracle=is_oracle(agent))
    actions = agent.act(view)
    taken.append(time.perf_counter() - started)
    return actions
