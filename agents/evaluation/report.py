"""What a model card tells of an agent: what is measured, and in which order.

Matches are rows of a file of results (:mod:`.store`), so a report that was broken off goes on where
it stopped, and every figure has the command that plays it again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from euchre_env import __version__
from euchre_env._files import write_whole
from euchre_env.ruleset import PRESETS, Ruleset, RulesetError

from ..base import Agent, AgentError
from ..split import Split
from .crossplay import CrossPlay, cross_play
from .decomposition import Decomposition
from .match import Contest, MatchResult, Progress, as_pair, as_ruleset, play_match, ruleset_text
from .shares import Shares, play_shares
from .stats import estimate, require_deals
from .store import Store, code_digest, files_of
from .timing import DecisionTime, decision_time

Say = Callable[[str], None]

RUNGS = ("random", "greedy", "heuristic", "pimc:20", "pimc:200", "mixed:400+infer")
BATCHES = (1, 1024)
"""Games at once for which the decision time is measured."""
_CHUNK = 1024  # small enough to tell progress; figures do not depend on it
_QUIET_SECONDS = 20.0


# --- what is measured --------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes:
        agent: Name of the agent.
        against: Its opponents, each a name or two partners (``greedy & random``).
        deals: Duplicate deals of each match, and hands of the shares.
        ruleset: The rules of all but the presets.
        seed: Of deals and agents.
        parts_against: Opponent for the bids alone and the play alone; an agent has none in itself.
        presets_against: Opponent under every preset.
        presets_deals: Duplicate deals of each of those matches.
        partners: Agents that it partners for cross-play.
        results: File of JSON lines with the matches; None keeps none.
    """

    agent: str
    against: tuple[str, ...] = RUNGS
    deals: int = 10_000
    ruleset: str = "stick"
    seed: int = 1
    parts_against: str = "heuristic"
    presets_against: str = "pimc:100"
    presets_deals: int = 5_000
    partners: tuple[str, ...] = ()
    results: Path | None = None

    def check(self) -> None:
        """Find bad input before any work.

        Raises:
            EvaluationError: too few deals, or a file of results that holds something else.
            RulesetError: a text that names no rule set, or a game without partners.
            AgentError: an unknown name, or a partner that is no other agent.
        """
        require_deals(self.deals)
        require_deals(self.presets_deals, "presets-deals")
        as_ruleset(self.ruleset).require_partnership("a report is")
        for name in (*self.against, self.parts_against, self.presets_against):
            as_pair(name)
        for name in (self.agent, *self.partners):
            if len({id(a) for a in as_pair(name)}) > 1:
                raise AgentError(f"{name!r} is a pair: a report and a partner are one agent each")
        names = [self.agent, *self.partners]
        for name in self.partners:
            if names.count(name) > 1:
                raise AgentError(f"partner {name!r} is given twice, or is the agent itself")
        if self.results is not None:
            Store(self.results)


@dataclass(frozen=True)
class Row:
    """One match of a table.

    Attributes:
        title: What sets the row apart: the opponent or the preset.
        match: The result, or None where the match could not be played, and
        refusal: then, why.
        also: Other presets with the very same rules.
    """

    title: str
    match: MatchResult | None
    refusal: str = ""
    also: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values."""
        found = None if self.match is None else self.match.to_dict()
        again = None if self.match is None else self.match.command()
        return {
            "title": self.title,
            "also": list(self.also),
            "match": found,
            "refusal": self.refusal,
            "command": again,
        }


@dataclass(frozen=True)
class Report:
    """The figures of a card.

    Attributes:
        plan: What was to be measured.
        strengths: A row for each opponent.
        parts: Bids alone and play alone, unless the opponent is the agent itself.
        presets: A row for each preset.
        crossplay: With other partners, if any were given.
        shares: How it plays.
        times: How long it thinks.
    """

    plan: Plan
    strengths: tuple[Row, ...]
    parts: Decomposition | None
    presets: tuple[Row, ...]
    crossplay: CrossPlay | None
    shares: Shares
    times: tuple[DecisionTime, ...]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "agent": self.plan.agent,
            "deals": self.plan.deals,
            "ruleset": self.plan.ruleset,
            "seed": self.plan.seed,
            "strengths": [row.to_dict() for row in self.strengths],
            "decomposition": None if self.parts is None else self.parts.to_dict(),
            "presets": [row.to_dict() for row in self.presets],
            "crossplay": None if self.crossplay is None else self.crossplay.to_dict(),
            "shares": asdict(self.shares),
            "decision_times": [asdict(t) for t in self.times],
        }

    def matches(self) -> Iterator[MatchResult]:
        """Every match behind the report; one of several tables comes once for each."""
        yield from (row.match for row in (*self.strengths, *self.presets) if row.match)
        if self.parts is not None:
            yield from (self.parts.whole, self.parts.bids, self.parts.plays)
        if self.crossplay is not None:
            yield from self.crossplay.matches


# --- measuring ---------------------------------------------------------------------------------


def measure(agent: Agent, plan: Plan, say: Say = lambda line: None) -> Report:
    """Measure all that a plan asks for; what its file of results has is not played again.

    Args:
        agent: The agent that the plan names.
        plan: What to measure; :meth:`Plan.check` finds bad input beforehand.
        say: Gets each line of progress.

    Raises:
        EvaluationError, RulesetError, AgentError: as :meth:`Plan.check`, or an agent that gave no
            legal action where that is not a row of a table.
    """
    say(f"decision time of {plan.agent}")
    times = tuple(decision_time(agent, batch, plan.ruleset, plan.seed) for batch in BATCHES)
    say(f"shares of {plan.agent}, {plan.deals} hands")
    shares = _shares(agent, plan, say)
    series = _Series(agent, plan, say)
    return Report(
        plan=plan,
        strengths=tuple(series.row(b, b, plan.deals, plan.ruleset) for b in plan.against),
        parts=series.parts(),
        presets=series.presets(),
        crossplay=_partners(plan, say),  # last: it opens the file of results anew
        shares=shares,
        times=times,
    )


def distinct_presets() -> dict[str, tuple[str, ...]]:
    """Each preset by the name that :func:`.ruleset_text` gives it, and others that are the same."""
    found: dict[str, tuple[str, ...]] = {}
    for name in PRESETS:
        text = ruleset_text(Ruleset.preset(name))
        found[text] = found.get(text, ()) + ((name,) if name != text else ())
    return found


def _progress(say: Say) -> Progress:
    """Tells of a long measure now and then, so that it is seen to be alive."""
    last = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal last
        if done < total and time.monotonic() - last >= _QUIET_SECONDS:
            last = time.monotonic()
            say(f"  {done} of {total} deals")

    return tell


def _shares(agent: Agent, plan: Plan, say: Say) -> Shares:
    """How the agent plays; kept beside the file of results, since a slow agent takes long."""
    text = ruleset_text(as_ruleset(plan.ruleset))
    wanted = {"agent": plan.agent, "ruleset": text, "seed": plan.seed, "deals": plan.deals}
    made_by = {"version": __version__, "code": code_digest(), "files": files_of(plan.agent)}
    key = wanted | made_by
    path = None if plan.results is None else plan.results.with_suffix(".shares.json")
    if path is not None and path.is_file():
        try:
            data = json.loads(path.read_bytes())
            if data["key"] == key:
                return Shares(**data["shares"])
        except (ValueError, KeyError, TypeError):
            pass  # not ours, or damaged: it is measured again
    found = play_shares(
        agent, plan.deals, plan.ruleset, plan.seed, progress=_progress(say), chunk=_CHUNK
    )
    if path is not None:
        write_whole(path, json.dumps({"key": key, "shares": asdict(found)}).encode())
    return found


class _Series:
    """The matches of one agent, played one after the other or read from a file that has them."""

    def __init__(self, agent: Agent, plan: Plan, say: Say) -> None:
        self.agent, self.plan, self.say = agent, plan, say
        self.store = None if plan.results is None else Store(plan.results)

    def play(self, a: Agent, b: Agent | str, deals: int, ruleset: str) -> MatchResult:
        rules, seed = as_ruleset(ruleset), self.plan.seed
        names = Contest(a, b, rules, seed).names
        self.say(f"{names[0]} - {names[1]}, {deals} deals, rules {ruleset_text(rules)}")
        found = self.store and self.store.find(*names, rules, seed, deals)
        known = " (from the file of results)" if found else ""
        if not found:
            told = _progress(self.say)
            found = play_match(a, b, deals, rules, seed, progress=told, chunk=_CHUNK)
            if self.store is not None:
                self.store.add(found)
        self.say(f"  {found.points_per_hand:+.4f} ± {found.ci95:.4f}{known}")
        return found

    def row(self, title: str, opponent: str, deals: int, ruleset: str) -> Row:
        """A match, or why it cannot be: an agent may not be made for some rules."""
        try:
            return Row(title, self.play(self.agent, opponent, deals, ruleset))
        except (AgentError, RulesetError) as error:
            self.say(f"  not played: {error}")
            return Row(title, None, str(error))

    def parts(self) -> Decomposition | None:
        """The agent whole, its bids alone and its play alone; as :func:`.decompose`, by rows."""
        plan = self.plan
        if plan.parts_against == plan.agent:
            return None
        opponent = as_pair(plan.parts_against)[0]
        whole, bids, plays = (
            self.play(a, opponent, plan.deals, plan.ruleset)
            for a in (self.agent, Split(self.agent, opponent), Split(opponent, self.agent))
        )
        rest = whole.differences - bids.differences - plays.differences
        return Decomposition(whole, bids, plays, estimate(rest))

    def presets(self) -> tuple[Row, ...]:
        plan = self.plan
        if plan.presets_against == plan.agent:
            return ()
        return tuple(
            replace(self.row(name, plan.presets_against, plan.presets_deals, name), also=also)
            for name, also in distinct_presets().items()
        )


def _partners(plan: Plan, say: Say) -> CrossPlay | None:
    if not plan.partners:
        return None
    say(f"cross-play with {', '.join(plan.partners)}, {plan.deals} deals")
    return cross_play(
        [plan.agent, *plan.partners],
        plan.deals,
        plan.ruleset,
        plan.seed,
        out=plan.results,
        progress=_progress(say),
        chunk=_CHUNK,
    )
