"""Cross-play: who can partner whom. Pairs that rely on private habits lose with other partners.

Every two agents, each with itself included, sit as partners against the same reference pair on the
same duplicate deals. A mixed partnership's loss is how much less it makes than the mean of the two
pure ones. Without a reference pair a mixed partnership plays both pure ones instead; its loss is
then what it loses to them on average.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env import __version__
from euchre_env.ruleset import Ruleset

from ..base import AgentError, is_oracle
from .match import (
    CHUNK,
    PARTNERS,
    MatchResult,
    Progress,
    as_agent,
    as_ruleset,
    part_of,
    play_match,
    ruleset_text,
)
from .stats import Estimate, estimate, require_deals
from .store import Store

Pair = tuple[str, str]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class CrossPlay:
    """What partnerships make.

    Attributes:
        agents: The agents.
        against: The reference pair, or None.
        points: Points per hand of each partnership (i not after j) against the reference; of mixed
            ones against their two pure ones where there is no reference.
        losses: Of each mixed partnership, points per hand below the mean of its pure ones.
        loss: The mean of the losses, paired by deal.
        deals: Duplicate deals of each match.
        ruleset: The rules, as ``--ruleset`` takes them.
        seed: Of deals and agents.
        version: Of this program.
        oracles: The agents that were shown hidden cards.
        matches: The matches played.
    """

    agents: tuple[str, ...]
    against: str | None
    points: dict[Pair, Estimate]
    losses: dict[Pair, Estimate]
    loss: Estimate
    deals: int
    ruleset: str
    seed: int
    version: str
    oracles: tuple[str, ...]
    matches: tuple[MatchResult, ...]

    def to_dict(self) -> dict[str, Any]:
        """The cross-play as plain values."""
        plain = ("agents", "against", "deals", "ruleset", "seed", "version", "oracles")
        return {
            **{name: getattr(self, name) for name in plain},
            "points": [_entry(pair, found) for pair, found in self.points.items()],
            "losses": [_entry(pair, found) for pair, found in self.losses.items()],
            "loss": {"points_per_hand": self.loss.mean, "ci95": self.loss.ci95},
            "commands": [m.command() for m in self.matches],
        }

    def to_json(self) -> str:
        """The cross-play as one line of JSON."""
        return json.dumps(self.to_dict())


def _entry(pair: Pair, found: Estimate) -> dict[str, Any]:
    return {"partners": list(pair), "points_per_hand": found.mean, "ci95": found.ci95}


class _Series:
    """Matches played one after the other, or read from a file that has them."""

    def __init__(
        self,
        deals: int,
        ruleset: Ruleset,
        seed: int,
        out: str | Path | None,
        progress: Progress | None,
        parts: int,
        chunk: int,
    ) -> None:
        self.deals, self.ruleset, self.seed, self.chunk = deals, ruleset, seed, chunk
        self.store = None if out is None else Store(out)
        self.progress, self.parts = progress, parts
        self.matches: list[MatchResult] = []

    def play(self, a: str, b: str) -> Floats:
        """Points of A less B by deal."""
        known = self.store and self.store.find(a, b, self.ruleset, self.seed, self.deals)
        told = part_of(self.progress, len(self.matches), self.parts)
        found = known or play_match(
            a, b, self.deals, self.ruleset, self.seed, progress=told, chunk=self.chunk
        )
        if self.store is not None and not known:
            self.store.add(found)
        self.matches.append(found)
        return found.differences


def _name(pair: Pair) -> str:
    return pair[0] if pair[0] == pair[1] else PARTNERS.join(pair)


def cross_play(
    agents: Sequence[str],
    deals: int,
    ruleset: Ruleset | str = "stick",
    seed: int = 1,
    *,
    against: str | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> CrossPlay:
    """Let every two agents be partners.

    Args:
        agents: Names of at least two agents.
        deals: Duplicate deals of each match.
        ruleset: The rules, or their text.
        seed: Of the deals and the agents.
        against: The agent that is the reference pair, or ``X & Y``.
        out: A file of JSON lines, as a ladder has it.
        progress: Told of the deals done.
        chunk: Deals to play at once.

    Raises:
        EvaluationError: fewer than two deals, or a file that holds something else.
        RulesetError: a text that names no rule set.
        AgentError: fewer than two agents, one twice, an unknown name, or no legal action.
    """
    players, rules = [as_agent(a) for a in agents], as_ruleset(ruleset)
    names = [p.name for p in players]
    if len(set(names)) < len(names) or len(names) < 2:
        raise AgentError(f"cross-play needs two different agents or more, not {', '.join(names)}")
    require_deals(deals)
    mixed = list(combinations(names, 2))
    pure = [(name, name) for name in names]
    parts = 2 * len(mixed) if against is None else len(mixed) + len(pure)
    series = _Series(deals, rules, seed, out, progress, parts, chunk)
    if against is None:
        points, losses = _against_pure(series, mixed)
    else:
        points, losses = _against_reference(series, [*pure, *mixed], against)
    return CrossPlay(
        agents=tuple(names),
        against=against,
        points={pair: estimate(values) for pair, values in points.items()},
        losses={pair: estimate(values) for pair, values in losses.items()},
        loss=estimate(np.mean(list(losses.values()), axis=0)),
        deals=deals,
        ruleset=ruleset_text(rules),
        seed=seed,
        version=__version__,
        oracles=tuple(p.name for p in players if is_oracle(p)),
        matches=tuple(series.matches),
    )


def _against_reference(
    series: _Series, pairs: Sequence[Pair], against: str
) -> tuple[dict[Pair, Floats], dict[Pair, Floats]]:
    points = {pair: series.play(_name(pair), against) for pair in pairs}
    losses = {(i, j): (points[i, i] + points[j, j]) / 2 - points[i, j] for i, j in pairs if i != j}
    return points, losses


def _against_pure(
    series: _Series, mixed: Sequence[Pair]
) -> tuple[dict[Pair, Floats], dict[Pair, Floats]]:
    points = {
        pair: (series.play(_name(pair), pair[0]) + series.play(_name(pair), pair[1])) / 2
        for pair in mixed
    }
    return points, {pair: -values for pair, values in points.items()}
