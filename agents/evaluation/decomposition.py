"""Where a difference comes from: swap only the bidder, or only the card player.

A against B is played whole, then with A's calls and B's cards against B, then with B's calls and
A's cards, all on the same deals. What the two parts do not add up to is their interplay: cards that
suit the contracts one calls oneself.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from euchre_env.ruleset import Ruleset

from ..base import Agent
from ..split import Split
from ..work import IN_PROCESS, Executor
from .match import CHUNK, MatchResult, Progress, as_agent, part_of, play_match
from .stats import Estimate, estimate

PARTS = ("whole", "bids", "plays")


@dataclass(frozen=True)
class Decomposition:
    """Three matches against the same opponent on the same deals.

    Attributes:
        whole: A against B.
        bids: A's calls with B's discards and cards, against B.
        plays: B's calls with A's discards and cards, against B.
        interplay: The whole less both parts, paired by deal.
    """

    whole: MatchResult
    bids: MatchResult
    plays: MatchResult
    interplay: Estimate

    def to_dict(self) -> dict[str, Any]:
        """The three matches and the interplay as plain values."""
        data: dict[str, Any] = {part: getattr(self, part).to_dict() for part in PARTS}
        data["interplay"] = {"points_per_hand": self.interplay.mean, "ci95": self.interplay.ci95}
        return data

    def to_json(self) -> str:
        """The decomposition as one line of JSON."""
        return json.dumps(self.to_dict())


def decompose(
    a: Agent | str,
    b: Agent | str,
    deals: int,
    ruleset: Ruleset | str = "stick",
    seed: int = 1,
    *,
    progress: Progress | None = None,
    chunk: int = CHUNK,
    executor: Executor = IN_PROCESS,
) -> Decomposition:
    """Measure A against B whole, by its bids alone and by its play alone.

    Args and errors are those of :func:`.match.play_match`.
    """
    first, second = as_agent(a), as_agent(b)
    challengers = (first, Split(first, second), Split(second, first))
    found = [
        play_match(
            challenger,
            second,
            deals,
            ruleset,
            seed,
            progress=part_of(progress, k, len(challengers)),
            chunk=chunk,
            executor=executor,
        )
        for k, challenger in enumerate(challengers)
    ]
    whole, bids, plays = found
    rest = whole.differences - bids.differences - plays.differences
    return Decomposition(whole, bids, plays, estimate(rest))
