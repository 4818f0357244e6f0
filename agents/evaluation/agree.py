"""Agreement with recorded decisions: how often an agent does what practised players did.

Each decision with a choice is put to the agent as the seat saw it. A record need not show every
card; a decision is judged only where all that the seat knew is certain: its own hand, and what it
laid away. The cards of others may be filled in, since no agent sees them.

The intervals are those of a share of independent decisions (Clopper and Pearson 1934). Decisions of
one deal are not quite independent, so they are a little narrower than they should be.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from euchre_env import __version__, rules
from euchre_env.actions import FROM_ABSOLUTE
from euchre_env.kernels import as_uint64, seed_of
from euchre_env.record import GameRecord
from euchre_env.replay import PlayedDeal, Step, played_deals
from euchre_env.rules import DISCARD, LAY_AWAY, N_TRICKS, PASS_CARD, PHASES, PLAY
from euchre_env.ruleset import Ruleset

from ..base import Agent, RuleTable, check_actions, gives_probabilities, is_oracle, view_of
from .match import Progress, as_agent
from .review import NO_DISCARD, NO_HAND, DealReview, cards_played, look_at
from .stats import CONFIDENCE, EvaluationError

CHUNK = 256
"""Decisions put to the agent at a time."""
LEFT_OUT = (NO_HAND, NO_DISCARD)
"""Why decisions with a choice are left out."""


# --- results -----------------------------------------------------------------------------------


def share_interval(hits: int, count: int) -> tuple[float, float]:
    """The exact 95 % interval of a share of independent trials (Clopper and Pearson 1934)."""
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if hits == 0 else float(special.betaincinv(hits, count - hits + 1, tail))
    high = 1.0 if hits == count else float(special.betaincinv(hits + 1, count - hits, 1 - tail))
    return low, high


@dataclass(frozen=True)
class Agreement:
    """Some decisions, and how many of them the agent made as the player did.

    Attributes:
        decisions: How many there are.
        agreed: How many were the same.
        chance: The share that a uniform choice among the legal actions agrees with on average.
        probability: The mean probability that the agent gave to what was done; None if it gives
            none.
    """

    decisions: int
    agreed: int
    chance: float
    probability: float | None

    @property
    def share(self) -> float:
        """The share that was the same."""
        return self.agreed / self.decisions

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of its 95 % interval."""
        return share_interval(self.agreed, self.decisions)

    def to_dict(self) -> dict[str, Any]:
        """The agreement as plain values."""
        low, high = self.interval
        return {
            "decisions": self.decisions,
            "agreed": self.agreed,
            "share": self.share,
            "ci95_low": low,
            "ci95_high": high,
            "chance": self.chance,
            "probability": self.probability,
        }


@dataclass(frozen=True)
class AgreeResult:
    """How an agent's decisions agree with those of some records.

    Attributes:
        agent: Its name.
        files: The names of the records.
        deals: Deals in them.
        faulty: Deals that break the rules of their record, as ``FILE: deal N: fault``.
        phases: The agreement by phase, for phases with decisions.
        total: All decisions together.
        forced: Decisions with one legal action, which do not count.
        left_out: Decisions with a choice that are not judged, by reason.
        seed: Of the agent's randomness.
    """

    agent: str
    files: tuple[str, ...]
    deals: int
    faulty: tuple[str, ...]
    phases: Mapping[str, Agreement]
    total: Agreement
    forced: int
    left_out: Mapping[str, int]
    seed: int

    def to_json(self) -> str:
        """The result as one line of JSON."""
        told = dict(vars(self)) | {"version": __version__, "total": self.total.to_dict()}
        told["phases"] = {name: found.to_dict() for name, found in self.phases.items()}
        return json.dumps(told)


# --- what the records show ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """A decision to be judged: its step, and the index of its game."""

    step: Step
    game: int


def _known(look: DealReview) -> DealReview:
    """The same deal; what was laid away counts as shown where the other five cards were played."""
    taker = -1 if look.played.final is None else int(look.played.final.taker)
    if taker < 0 or look.discard or look.played.final.passer >= 0:
        return look
    sure = look.dealt[taker] and cards_played(look.played, taker) == N_TRICKS
    return replace(look, discard=sure)


def _why_not(look: DealReview, step: Step) -> str:
    """Why a decision cannot be judged; empty where it can."""
    s = step.state
    laid_away = s.phase in (DISCARD, PASS_CARD, LAY_AWAY) or (s.phase == PLAY and s.taker == s.turn)
    if laid_away and not look.discard:
        return NO_DISCARD
    return "" if look.shows(s, int(s.turn)) else NO_HAND


class _Sample:
    """The decisions of some records, sorted into those to judge and the others."""

    def __init__(self, games: Mapping[str, Sequence[GameRecord]]) -> None:
        self.rulesets: list[Ruleset] = []
        self.asked: list[_Asked] = []
        self.faulty: list[str] = []
        self.left_out: Counter[str] = Counter(dict.fromkeys(LEFT_OUT, 0))
        self.deals = self.forced = 0
        for name, found in games.items():
            for game in found:
                self._add(name, game)

    def _add(self, name: str, game: GameRecord) -> None:
        r = game.ruleset.record()[0]
        self.rulesets.append(game.ruleset)
        for deal, played in zip(game.deals, played_deals(game), strict=True):
            self.deals += 1
            if played.final is None:
                self.faulty.append(f"{name}: deal {played.deal}: {played.note}")
            look = _known(look_at(deal, played))
            for step in self._choices(played, r):
                why = _why_not(look, step)
                if why:
                    self.left_out[why] += 1
                else:
                    self.asked.append(_Asked(step, len(self.rulesets) - 1))

    def _choices(self, played: PlayedDeal, r: Any) -> Iterator[Step]:
        for step in played.steps:
            if int(rules.legal(step.state, r)).bit_count() > 1:
                yield step
            else:
                self.forced += 1


# --- measuring ---------------------------------------------------------------------------------


def agree(
    agent: Agent | str,
    games: Mapping[str, Sequence[GameRecord]],
    seed: int = 1,
    *,
    progress: Progress | None = None,
) -> AgreeResult:
    """Put the decisions of some records to an agent.

    Args:
        agent: The agent, or its name.
        games: Records by the name of their file.
        seed: Of the agent's randomness.
        progress: Told of the decisions done, and of all.

    Raises:
        AgentError: an unknown agent, one that cannot play these rules, or no legal action.
        EvaluationError: an agent that sees hidden cards, or no decision that could be judged.
        RulesetError: a record of a game without partners.
    """
    player = as_agent(agent)
    if is_oracle(player):
        raise EvaluationError(
            f"{player.name!r} is shown hidden cards, which records do not tell for certain: "
            "name an agent that is not"
        )
    sample = _Sample(games)
    if not sample.asked:
        raise EvaluationError(
            f"{', '.join(games) or 'no file'}: no decision that could be judged: what the seat "
            f"knew is not shown in {sum(sample.left_out.values())}, {sample.forced} had no choice"
        )
    same, chance, likely = _ask(player, sample, seed, progress)
    phase = np.array([int(one.step.state.phase) for one in sample.asked])
    return AgreeResult(
        agent=player.name,
        files=tuple(games),
        deals=sample.deals,
        faulty=tuple(sample.faulty),
        phases={PHASES[k]: _agreement(phase == k, same, chance, likely) for k in np.unique(phase)},
        total=_agreement(np.ones(len(same), np.bool_), same, chance, likely),
        forced=sample.forced,
        left_out=dict(sample.left_out),
        seed=seed,
    )


def _agreement(
    rows: npt.NDArray[np.bool_],
    same: npt.NDArray[np.bool_],
    chance: npt.NDArray[np.float64],
    likely: npt.NDArray[np.float64] | None,
) -> Agreement:
    return Agreement(
        int(rows.sum()),
        int(same[rows].sum()),
        float(chance[rows].mean()),
        None if likely is None else float(likely[rows].mean()),
    )


def _ask(
    agent: Agent, sample: _Sample, seed: int, progress: Progress | None
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64], npt.NDArray[np.float64] | None]:
    """Whether the agent does the same, chance's share, and how likely the agent was to do it."""
    count = len(sample.asked)
    states = rules.new_states(count)
    done = np.zeros(count, np.int64)
    for k, one in enumerate(sample.asked):
        states[k] = one.step.state
        done[k] = FROM_ABSOLUTE[one.step.state.frame, one.step.action]
    which = np.array([one.game for one in sample.asked], np.int16)
    seeds = np.array([seed_of(as_uint64(seed), np.uint64(k)) for k in range(count)], np.uint64)
    table = RuleTable.of(sample.rulesets)
    same, chance = np.zeros(count, np.bool_), np.zeros(count)
    likely = np.zeros(count) if gives_probabilities(agent) else None
    for start in range(0, count, CHUNK):
        part = np.arange(start, min(start + CHUNK, count))
        view = view_of(states, table, which, seeds[part], part)
        same[part] = check_actions(view, agent.act(view), agent.name, part) == done[part]
        chance[part] = 1 / view.action_mask.sum(axis=1)
        if likely is not None:
            given = agent.probabilities(view)  # type: ignore[attr-defined]
            likely[part] = given[np.arange(len(part)), done[part]]
        if progress is not None:
            progress(int(part[-1]) + 1, count)
    return same, chance, likely
