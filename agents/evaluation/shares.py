"""How an agent plays, as shares by outcome and by seat: what makes a style comparable with others.

All four seats are played by the same agent, at 0-0. Seats are named by their place left of the
dealer: 1, 2, 3 and the dealer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env import __version__
from euchre_env.rules import N_SEATS
from euchre_env.ruleset import Ruleset

from ..base import Agent, is_oracle
from ..style import OUTCOMES, PLACES, Hands, Mask
from ..style import share as share_of
from .match import CHUNK, Progress, as_agent, as_ruleset, ruleset_text
from .stats import estimate, require_deals
from .tables import decks_of, play_hands, streams_of


@dataclass(frozen=True)
class Shares:
    """Shares of hands played by one agent in all seats.

    Attributes:
        agent: The agent.
        deals: Hands played.
        called: Share of hands on which somebody became maker.
        outcomes: Of those, the shares by outcome; a hand that a renege ended has none.
        round_1: Share of called hands that each place called in round 1.
        round_2: The same of round 2; a joker turned up counts as round 1 of the dealer.
        next: Of the calls of each place in round 2, the share that named the turned-down colour.
        alone: Share of called hands that the makers played alone.
        net_round_1: Points of the makers' pair less the other's, a call of each place in round 1.
        net_round_2: The same of round 2.
        dealers_side: Points of the dealer's pair less the other's, a hand.
        dealers_side_ci95: Half the width of its 95 % interval.
        ruleset: The rule set, as ``--ruleset`` takes it.
        seed: Of the deals and the agent.
        version: Of this program.
        oracle: Whether the agent was shown hidden cards.
    """

    agent: str
    deals: int
    called: float
    outcomes: dict[str, float]
    round_1: dict[str, float]
    round_2: dict[str, float]
    next: dict[str, float | None]
    alone: float
    net_round_1: dict[str, float | None]
    net_round_2: dict[str, float | None]
    dealers_side: float
    dealers_side_ci95: float
    ruleset: str
    seed: int
    version: str
    oracle: bool

    def to_json(self) -> str:
        """The shares as one line of JSON."""
        return json.dumps(asdict(self))


def _by_place(hands: Hands, value: Callable[[Mask], Any], round_2: bool) -> dict[str, Any]:
    return {name: value(hands.calls(k, round_2)) for k, name in enumerate(PLACES)}


def play_shares(
    agent: Agent | str,
    deals: int,
    ruleset: Ruleset | str = "stick",
    seed: int = 1,
    *,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> Shares:
    """Let one agent play all four seats of some hands, and count.

    Raises:
        EvaluationError: fewer than two deals.
        RulesetError: a text that names no rule set, or a game without partners.
        AgentError: an unknown name, or the agent gave no legal action.
    """
    player, rules = as_agent(agent), as_ruleset(ruleset)
    require_deals(deals)
    states, _ = self_play(player, deals, rules, seed, progress=progress, chunk=chunk)
    return _count(Hands(states), player, rules, seed)


def self_play(
    player: Agent,
    deals: int,
    rules: Ruleset,
    seed: int,
    *,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int8]]:
    """Final records and decks of hands that one agent plays from all four seats, at 0-0.

    Raises:
        RulesetError: a game without partners.
        AgentError: the agent gave no legal action.
    """
    rules.require_partnership("shares of calls and results are")
    states, decks = [], []
    for first in range(0, deals, chunk):
        count = min(chunk, deals - first)
        decks.append(decks_of(seed, first, count, rules))
        dealers = np.arange(first, first + count) % N_SEATS
        seeds = streams_of(seed, first, count, 0)
        played = play_hands([player], [0] * N_SEATS, decks[-1], dealers, rules, seeds)
        states.append(played.states)
        if progress is not None:
            progress(first + count, deals)
    return np.concatenate(states), np.concatenate(decks)


def _count(hands: Hands, agent: Agent, ruleset: Ruleset, seed: int) -> Shares:
    called = hands.called

    def share(mask: Mask) -> float:
        return share_of(mask, called) or 0.0

    def net(mask: Mask) -> float | None:
        return float(hands.net[mask].mean()) if mask.any() else None

    side = estimate(hands.dealers_net)
    return Shares(
        agent=agent.name,
        deals=len(called),
        called=float(called.mean()),
        outcomes={name: share(hands.outcome(name)) for name in OUTCOMES},
        round_1=_by_place(hands, share, round_2=False),
        round_2=_by_place(hands, share, round_2=True),
        next=_by_place(hands, lambda mask: share_of(hands.next, mask), round_2=True),
        alone=share(hands.alone & called),
        net_round_1=_by_place(hands, net, round_2=False),
        net_round_2=_by_place(hands, net, round_2=True),
        dealers_side=side.mean,
        dealers_side_ci95=side.ci95,
        ruleset=ruleset_text(ruleset),
        seed=seed,
        version=__version__,
        oracle=is_oracle(agent),
    )
