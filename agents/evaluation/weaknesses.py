"""Known weaknesses of an agent, derived from the figures of its report by fixed rules."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from euchre_env.ruleset import Ruleset, RulesetError

from ..style import OUTCOMES, PLACES
from .decomposition import Decomposition
from .match import MatchResult, ruleset_text
from .report import Report, Row, distinct_presets
from .shares import Shares
from .stats import CONFIDENCE, normal_quantile
from .timing import DecisionTime

Reference = Mapping[str, Mapping[str, Sequence[float | None]]]
"""Shares of other players: by player, group of :class:`.shares.Shares`, and place."""

LONGEST_DECISION = 1e-3
"""Seconds that a decision of one game may take before it counts as slow."""
BLIND = {
    "rules": "Does not see which rules are played, so it cannot adapt to them.",
    "score": "Does not see the score, so it cannot adapt to it.",
}
"""What it means that a policy does not read a block of the observation."""
STYLE_GAP, MOST_GAPS = 0.03, 5
"""How far outside all reference players a share must lie to be told, and how many are."""


def verdict(points: float, ci95: float) -> str:
    """What an interval says of the first of two agents."""
    if abs(points) <= ci95:
        return "not told apart"
    return "stronger" if points > 0 else "weaker"


def weaknesses(
    report: Report,
    trained_on: Sequence[str] | None = None,
    unread: Sequence[str] = (),
    reference: Reference | None = None,
) -> list[str]:
    """What the figures show against the agent, a sentence each.

    Args:
        report: The figures.
        trained_on: Rule sets of its training, as :func:`.ruleset_text` writes them; None if not
            known.
        unread: Blocks of the observation that it does not read.
        reference: Shares of other players under the report's rules.
    """
    return [
        *_weak_rungs(report.strengths),
        *_weak_parts(report.parts),
        *_weak_presets(report.presets, trained_on),
        *_blind(unread),
        *_weak_partners(report),
        *_slow(report.times),
        *_style_gaps(report.shares, reference or {}),
    ]


def _points(match: MatchResult) -> str:
    return f"{match.points_per_hand:+.3f} ± {match.ci95:.3f}"


def _weak_rungs(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row.match is None:
            yield f"No figure against `{row.title}`: {row.refusal}"
            continue
        found = verdict(row.match.points_per_hand, row.match.ci95)
        sees = " (which saw hidden cards)" if row.title in row.match.oracles else ""
        if found == "weaker":
            yield f"Loses to `{row.title}`{sees}: {_points(row.match)} points a hand."
        elif found == "not told apart":
            yield (
                f"Not shown to be stronger than `{row.title}`{sees}: {_points(row.match)} points "
                f"a hand on {row.match.deals:,} deals."
            )


def _weak_parts(parts: Decomposition | None) -> Iterator[str]:
    titles = {"bids": "Its calls", "plays": "Its discards and cards"}
    for part, title in titles.items():
        match: MatchResult | None = getattr(parts, part, None)
        if match is not None and not match.points_per_hand > match.ci95:
            found = verdict(match.points_per_hand, match.ci95)
            told = "are weaker than" if found == "weaker" else "are not shown to be better than"
            yield f"{title} alone {told} those of `{match.b}`: {_points(match)} points a hand."


def _weak_presets(rows: Sequence[Row], trained_on: Sequence[str] | None) -> Iterator[str]:
    by_verdict: dict[str, list[Row]] = {}
    for row in rows:
        if row.match is None:
            yield f"No figure under the rules `{row.title}`: {row.refusal}"
        else:
            found = verdict(row.match.points_per_hand, row.match.ci95)
            by_verdict.setdefault(found, []).append(row)
    telling = {"weaker": "Loses to", "not told apart": "Not shown to be stronger than"}
    for word, told in telling.items():
        matches = [(row.title, row.match) for row in by_verdict.get(word, ()) if row.match]
        if matches:
            each = ", ".join(f"`{title}` ({_points(match)})" for title, match in matches)
            yield (
                f"{told} `{matches[0][1].b}` under {len(matches)} of {len(rows)} rule sets: {each}."
            )
    known = distinct_presets()
    other = [] if trained_on is None else [name for name in known if name not in trained_on]
    if other:
        names = ", ".join(f"`{name}`" for name in other)
        yield f"Was not trained on {len(other)} of the {len(known)} preset rule sets: {names}."


def _weak_partners(report: Report) -> Iterator[str]:
    if report.crossplay is None:
        return
    for (a, b), loss in report.crossplay.losses.items():
        partner = b if a == report.plan.agent else a
        if report.plan.agent in (a, b) and loss.mean > loss.ci95:
            yield (
                f"With `{partner}` as its partner the pair makes {loss.mean:.3f} ± {loss.ci95:.3f} "
                "points a hand less than two of a kind."
            )


def _blind(unread: Sequence[str]) -> Iterator[str]:
    for block, told in BLIND.items():
        if block in unread:
            yield told


def _slow(times: Sequence[DecisionTime]) -> Iterator[str]:
    for t in times:
        if t.batch == 1 and t.seconds > LONGEST_DECISION:
            yield (
                f"Takes {1000 * t.seconds:.1f} ms for a decision of one game, more than "
                f"{1000 * LONGEST_DECISION:g} ms."
            )


def _style_gaps(shares: Shares, reference: Reference) -> Iterator[str]:
    """Shares furthest outside the range of the reference players, beyond what chance explains."""
    gaps = []
    for title, own, hands, others in _compared(shares, reference):
        low, high = min(others), max(others)
        gap = max(low - own, own - high)
        error = math.sqrt(max(own * (1 - own), 1 / (4 * hands)) / hands)
        if gap > max(STYLE_GAP, normal_quantile((1 + CONFIDENCE) / 2) * error):
            gaps.append((gap, f"{title} {own:.3f} (they {_range(low, high)})"))
    gaps.sort(key=lambda found: -found[0])
    if gaps:
        told = "; ".join(text for _, text in gaps[:MOST_GAPS])
        yield f"Plays unlike the reference players, which is no loss by itself: {told}."


def _range(low: float, high: float) -> str:
    return f"{low:.3f}" if low == high else f"{low:.3f} to {high:.3f}"


def _compared(
    shares: Shares, reference: Reference
) -> Iterator[tuple[str, float, float, list[float]]]:
    """Every share that others have too: title, the share, of how many hands, and theirs."""
    called = shares.called * shares.deals
    groups = {
        "outcomes": ("share of", OUTCOMES),
        "round_1": ("calls in round 1 by seat", PLACES),
        "round_2": ("calls in round 2 by seat", PLACES),
        "next": ("next among the calls in round 2 by seat", PLACES),
    }
    for group, (title, keys) in groups.items():
        for place, key in enumerate(keys):
            own: float | None = getattr(shares, group)[key]
            known = [r[group][place] for r in reference.values() if group in r]
            others = [value for value in known if value is not None]
            if own is not None and others:
                hands = called * shares.round_2[key] if group == "next" else called
                yield f"{title} {key.replace('_', ' ')}", own, hands, others


def trained_rulesets(header: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The rule sets of a policy file's header, as text; None if it has none that can be read."""
    try:
        found = [ruleset_text(Ruleset.from_dict(data)) for data in header["rulesets"]]
    except (KeyError, TypeError, RulesetError):
        return None
    return tuple(found) or None
