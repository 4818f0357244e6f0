"""How an agent bids, by place and trumps held, counted while it plays."""

from __future__ import annotations

import numpy as np

from euchre_env.ruleset import Ruleset

from ..base import Actions, Agent, View
from ..bids import Bids, count_bids
from .match import CHUNK, Progress, as_agent
from .shares import Shares, play_shares


class BidCounter:
    """An agent that plays as another does, and counts the bids.

    Attributes:
        name: The other's.
        oracle: The other's,
        plays_alone: likewise,
        plays_large_decks: likewise.
        bids: Those of both rounds so far.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent, self.name, self.oracle = agent, agent.name, agent.oracle
        self.plays_alone = getattr(agent, "plays_alone", False)
        self.plays_large_decks = getattr(agent, "plays_large_decks", False)
        self.bids = Bids.none(), Bids.none()

    def act(self, view: View) -> Actions:
        """What the other does."""
        actions = np.asarray(self.agent.act(view))
        first, second = count_bids(view.observation, view.action_mask, actions)
        self.bids = self.bids[0].plus(first), self.bids[1].plus(second)
        return actions


def play_style(
    agent: Agent | str,
    deals: int,
    ruleset: Ruleset | str = "stick",
    seed: int = 1,
    *,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> tuple[Shares, tuple[Bids, Bids]]:
    """Let one agent play all four seats of some hands; its shares, and its bids of both rounds.

    Raises:
        EvaluationError, RulesetError, AgentError: as :func:`.play_shares`.
    """
    counter = BidCounter(as_agent(agent))
    shares = play_shares(counter, deals, ruleset, seed, progress=progress, chunk=chunk)
    return shares, counter.bids
