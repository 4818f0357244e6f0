"""The environment by PettingZoo's convention: ``env()``, ``raw_env()`` and ``parallel_env()``."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.env import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from .aec import raw_env

__all__ = ["env", "parallel_env", "raw_env"]


def env(*args: Any, strict_wrappers: bool = False, **kwargs: Any) -> AECEnv:
    """The environment, which checks order, bounds and legality itself and raises on an error.

    Args:
        *args: Of :class:`~euchre_env.aec.raw_env`; the first is the rule set.
        strict_wrappers: Put PettingZoo's standard wrappers around it, at many times the cost of a
            step: an illegal action then ends the episode with -1 for its agent instead of raising.
        **kwargs: Of :class:`~euchre_env.aec.raw_env`.
    """
    game = raw_env(*args, **kwargs)
    if not strict_wrappers:
        return game
    bounded = AssertOutOfBoundsWrapper(TerminateIllegalWrapper(game, illegal_reward=-1))
    return OrderEnforcingWrapper(bounded)


def parallel_env(*args: Any, **kwargs: Any) -> ParallelEnv:
    """The environment as a parallel one: only the action of the agent to act counts.

    ``infos[agent]["active_agent"]`` names it after each step; observations are given to all.
    """
    return turn_based_aec_to_parallel(raw_env(*args, **kwargs))
