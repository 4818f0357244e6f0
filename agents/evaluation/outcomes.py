"""Shares of hand results, from which match equity follows (:mod:`euchre_env.equity`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env.equity import SHAPE
from euchre_env.rules import NOBODY
from euchre_env.ruleset import Ruleset

from ..base import Agent
from .match import Progress, as_agent, as_ruleset
from .shares import self_play
from .stats import require_deals


def shares_of(states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Shares of finished hands, float64 of the shape :data:`euchre_env.equity.SHAPE`.

    A hand that a renege ended is left out; one thrown in counts in the total only.
    """
    played = states[states["offender"] == NOBODY]
    called = played[played["maker"] != NOBODY]
    makers = called["maker"].astype(int) & 1
    counts = np.zeros(SHAPE)
    place = (
        makers ^ (called["dealer"].astype(int) & 1),
        (called["loner"] != NOBODY).astype(int),
        called["tricks"][np.arange(len(called)), makers],
    )
    np.add.at(counts, place, 1)
    return counts / max(1, len(played))


def measure_shares(
    agent: Agent | str,
    deals: int,
    ruleset: Ruleset | str = "stick",
    seed: int = 1,
    *,
    progress: Progress | None = None,
) -> npt.NDArray[np.float64]:
    """Let one agent play all four seats at 0-0, and count results.

    Raises:
        EvaluationError: fewer than two deals.
        RulesetError: a text that names no rule set, or a game without partners.
        AgentError: an unknown name, or the agent gave no legal action.
    """
    player, rules = as_agent(agent), as_ruleset(ruleset)
    require_deals(deals)
    return shares_of(self_play(player, deals, rules, seed, progress=progress)[0])
