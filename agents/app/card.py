"""A model card as Markdown: the figures of a report, told in tables."""

from __future__ import annotations

import os
import platform
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..evaluation.report import Report, Row
from ..evaluation.timing import DecisionTime
from ..evaluation.weaknesses import verdict
from .match import stats_text

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class About:
    """What an agent is, besides its figures.

    Attributes:
        title: What the card calls it.
        facts: What it is, told by name.
        training: How it was trained, told by name; empty for agents that were not.
        config: Its training's settings as YAML.
        commands: The commands that train it.
        curve: Rows of the training curve, header first, where there is no picture of it.
        picture: The picture of the training curve, relative to the card.
        trained_on: The rule sets of its training, where they are known.
        unread: Blocks of the observation that it does not read.
    """

    title: str
    facts: Mapping[str, str]
    training: Mapping[str, str] = field(default_factory=dict)
    config: str = ""
    commands: Sequence[str] = ()
    curve: Rows = ()
    picture: str = ""
    trained_on: Sequence[str] | None = None
    unread: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        return {
            "facts": dict(self.facts),
            "training": dict(self.training),
            "config": self.config,
            "commands": list(self.commands),
            "trained_on": None if self.trained_on is None else list(self.trained_on),
            "unread": list(self.unread),
        }


# --- Markdown ----------------------------------------------------------------------------------


def markdown_table(header: Sequence[str], rows: Rows, left: int = 1) -> str:
    """A table whose first ``left`` columns are aligned to the left and the rest to the right."""
    rule = ["---" if k < left else "---:" for k in range(len(header))]
    lines = [header, rule, *([_escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")


def _facts(facts: Mapping[str, str]) -> str:
    return "\n".join(f"- {name}: {told}" for name, told in facts.items())


def _block(text: str, language: str = "text") -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def points_text(value: float, ci95: float) -> str:
    """Points a hand and half the width of their interval."""
    return f"{value:+.3f} ± {ci95:.3f}"


# --- the card ----------------------------------------------------------------------------------


def card_text(about: About, report: Report, weak: Sequence[str], command: str) -> str:
    """The whole card.

    Args:
        about: What the agent is.
        report: Its figures.
        weak: Its known weaknesses, a sentence each.
        command: The command that makes the card.
    """
    parts = [
        f"# Model card: {about.title}",
        f"Made by this command, which takes every figure from measurements:\n\n"
        f"{_block(command, 'bash')}",
        _summary(report),
        "## What it is",
        _facts(about.facts),
        *_strength(report),
        *_parts(report),
        *_presets(report, about.trained_on),
        *_partners(report),
        *_style(report, about.title),
        *_times(report),
        *_training(about),
        "## Known weaknesses",
        "Derived from the figures above by fixed rules, none written by hand.",
        "\n".join(f"- {line}" for line in weak) or "The figures show none.",
        "## Not measured here",
        _not_measured(report),
    ]
    # A cell or a name never makes two blank lines.
    return re.sub(r"\n{3,}", "\n\n", "\n\n".join(parts)) + "\n"


def _summary(report: Report) -> str:
    found = [r.match for r in report.strengths if r.match]
    count = [verdict(m.points_per_hand, m.ci95) for m in found]
    told = ", ".join(
        f"{word} {'as against' if word == 'not told apart' else 'than'} {number}"
        for word in ("stronger", "not told apart", "weaker")
        if (number := count.count(word))
    )
    intervals = len({m.command() for m in report.matches()})
    return (
        f"Of {len(report.strengths)} opponents it is {told or 'compared with none'}. Figures are "
        "points a hand to the pair on duplicate deals, at 0-0, with half the width of the 95 % "
        f"interval. Of {intervals} such intervals about one in twenty leaves the true value out."
    )


def _rows(rows: Sequence[Row]) -> list[list[str]]:
    return [_cells(row) for row in rows]


def _cells(row: Row) -> list[str]:
    m, title = row.match, ", ".join(f"`{name}`" for name in (row.title, *row.also))
    if m is None:
        return [title, "not played", row.refusal, "-"]
    sees = " (sees hidden cards)" if row.title in m.oracles else ""
    told = points_text(m.points_per_hand, m.ci95)
    return [title + sees, told, verdict(m.points_per_hand, m.ci95), f"{m.deals:,}"]


def _again(rows: Sequence[Row]) -> str:
    return _block("\n".join(row.match.command() for row in rows if row.match), "bash")


def _strength(report: Report) -> list[str]:
    plan = report.plan
    header = ("against", "points a hand", "it is", "deals")
    return [
        "## Strength",
        f"Rules `{plan.ruleset}`, seed {plan.seed}.",
        markdown_table(header, _rows(report.strengths)),
        "Each row again:",
        _again(report.strengths),
    ]


def _parts(report: Report) -> list[str]:
    if report.parts is None:
        return []
    parts, rest = report.parts, report.parts.interplay
    matches = {
        "whole": parts.whole,
        "its calls, the other's discards and cards": parts.bids,
        "the other's calls, its discards and cards": parts.plays,
    }
    rows = [[title, points_text(m.points_per_hand, m.ci95)] for title, m in matches.items()]
    rows.append(["interplay, the whole less both", points_text(rest.mean, rest.ci95)])
    return [
        f"## Calls and cards apart, against `{parts.whole.b}`",
        f"{parts.whole.deals:,} duplicate deals, rules `{parts.whole.ruleset}`.",
        markdown_table(("", "points a hand"), rows),
        "Each row again:",
        _block("\n".join(m.command() for m in matches.values()), "bash"),
    ]


def _presets(report: Report, trained_on: Sequence[str] | None) -> list[str]:
    plan, rows = report.plan, _rows(report.presets)
    if not rows:
        return []
    header = ["rules", "points a hand", "it is", "deals"]
    if trained_on is not None:
        header.append("trained on")
        rows = [
            [*r, "yes" if p.title in trained_on else "no"] for r, p in zip(rows, report.presets)
        ]
    return [
        f"## Under every preset of the rules, against `{plan.presets_against}`",
        f"{plan.presets_deals:,} duplicate deals each, seed {plan.seed}.",
        markdown_table(header, rows),
        "Each row again:",
        _again(report.presets),
    ]


def _partners(report: Report) -> list[str]:
    found = report.crossplay
    if found is None:
        return []
    rows = [[f"`{a}` & `{b}`", points_text(v.mean, v.ci95)] for (a, b), v in found.losses.items()]
    rows.append(["mean of all", points_text(found.loss.mean, found.loss.ci95)])
    return [
        "## With other partners",
        "What a mixed pair loses to the two pairs of one kind, points a hand; "
        f"{found.deals:,} duplicate deals a match, rules `{found.ruleset}`, seed {found.seed}.",
        markdown_table(("partners", "loss"), rows),
        "Each match again:",
        _block("\n".join(m.command() for m in found.matches), "bash"),
    ]


def _style(report: Report, title: str) -> list[str]:
    shares = report.shares
    again = (
        f"euchre stats {shlex.quote(shares.agent)} --deals {shares.deals} "
        f"--ruleset {shlex.quote(shares.ruleset)} --seed {shares.seed}"
    )
    return [
        "## How it plays",
        "All four seats, beside reference players where they are known under these rules. Seats "
        "count from the dealer's left.",
        _block(stats_text(replace(shares, agent=title))),
        f"Again: `{again}`",
    ]


TIME_HEADER = ("games at once", "ms a call", "µs a decision", "decisions/s", "calls timed")


def time_rows(times: Sequence[DecisionTime]) -> list[list[str]]:
    """Decision times as cells under :data:`TIME_HEADER`."""
    return [
        [
            f"{t.batch:,}",
            f"{1000 * t.seconds:.3f}",
            f"{1e6 * t.seconds / t.batch:,.1f}",
            f"{t.decisions_per_second:,.0f}",
            f"{t.calls}",
        ]
        for t in times
    ]


def _times(report: Report) -> list[str]:
    cores = "one core" if all(t.one_core for t in report.times) else "all cores"
    return [
        "## Decision time",
        f"Median of calls on {cores}, the observation included. It depends on the machine and on "
        f"what else it does; this one has {os.cpu_count()} cores ({platform.machine()}).",
        markdown_table(TIME_HEADER, time_rows(report.times), 0),
    ]


def _training(about: About) -> list[str]:
    if not about.training:
        return ["## Training", "It is no policy file, so nothing is known of a training."]
    parts = ["## Training", _facts(about.training)]
    if about.commands:
        parts += ["Train it again:", _block("\n".join(about.commands), "bash")]
    if about.config:
        summary = "<details><summary>The whole configuration</summary>"
        parts += [summary, _block(about.config, "yaml"), "</details>"]
    if about.picture:
        parts.append(f"![Strength, entropy and explained variance by decisions]({about.picture})")
    elif about.curve:
        parts.append(markdown_table(about.curve[0], about.curve[1:], 0))
    else:
        parts.append("No folder of the run was given (`--run`), so there is no training curve.")
    return parts


def _not_measured(report: Report) -> str:
    lines = [
        "How far a best response could exploit it.",
        "Scores other than 0-0, and so whether it minds the score.",
        "Partners and opponents that are people.",
    ]
    if report.crossplay is None:
        lines.append("Partners of other makes (`--partners`).")
    return "\n".join(f"- {line}" for line in lines)


def megabytes(path: Path) -> str:
    """The size of a file in words."""
    return f"{path.stat().st_size / 1e6:.2f} MB"
