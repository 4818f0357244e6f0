"""The page of a report: a training run, results of matches, and how an agent plays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median
from typing import Any, NamedTuple

from ... import plots
from ...bids import MOST_TRUMPS, Bids
from ...evaluation.crossplay import CrossPlay
from ...evaluation.ladder import Ladder
from ...evaluation.match import MatchResult
from ...evaluation.rows import Series
from ...evaluation.shares import Shares
from ...evaluation.timing import DecisionTime
from ...evaluation.weaknesses import verdict
from ...plots import Group, Interval, Line, Panel
from ...style import OUTCOMES, PLACES, REFERENCE, REFERENCE_RULES
from ..card import TIME_HEADER, points_text, time_rows
from ..curve import Curve, course_panels, curve_table
from .page import Html, el, facts, figure, labelled, page, table

POINTS = 240
"""The most points of a line; more of them would be told by their means."""
LAST = 50
"""Iterations whose mean tells how a run ended."""
GROUPS: Mapping[str, Sequence[str]] = {
    "outcomes": OUTCOMES,
    **dict.fromkeys(("round_1", "round_2", "next", "net_round_1", "net_round_2"), PLACES),
}
DRAWN = {
    "outcomes": "called hands by outcome",
    "round_1": "called in round 1, by seat",
    "round_2": "called in round 2, by seat",
}
"""The groups that are drawn, and what their panels are called."""
ROWS = {
    "outcomes": "{}",
    "round_1": "called in round 1, seat {}",
    "round_2": "called in round 2, seat {}",
    "next": "next, of the calls in round 2, seat {}",
    "net_round_1": "caller's net points, round 1, seat {}",
    "net_round_2": "caller's net points, round 2, seat {}",
}
NO_PICTURES = "No pictures: they need matplotlib, pip install 'euchre-env[plots]'."


@dataclass(frozen=True)
class Measured:
    """What was measured of one agent for the page.

    Attributes:
        shares: How it plays.
        bids: Its bids of both rounds.
        times: How long it takes.
    """

    shares: Shares
    bids: tuple[Bids, Bids]
    times: tuple[DecisionTime, ...]


class Section(NamedTuple):
    """A part of the page under a heading; ``name`` is its anchor."""

    name: str
    title: str
    parts: Sequence[Html]


def report_page(
    title: str,
    told: Mapping[str, str],
    command: str,
    curve: Curve | None = None,
    series: Sequence[Series] = (),
    measured: Sequence[Measured] = (),
) -> str:
    """The whole page; what there is nothing of is left out.

    Args:
        title: What it reports on.
        told: Facts by name.
        command: The command that makes it again.
        curve: A training run.
        series: Matches that were played.
        measured: What was measured of agents.
    """
    sections = sections_of(curve, series, measured)
    links = [el("a", s.title, href=f"#{s.name}") for s in sections]
    return page(
        f"Report: {title}",
        el("h1", f"Report: {title}"),
        facts([*told.items(), ("made by", el("code", command))]),
        None if plots.can_draw() else el("p", NO_PICTURES, class_="quiet"),
        el("nav", links, class_="contents", aria_label="Contents"),
        [
            el("section", el("h2", s.title, id=s.name), s.parts, aria_labelledby=s.name)
            for s in sections
        ],
    )


def sections_of(
    curve: Curve | None, series: Sequence[Series], measured: Sequence[Measured]
) -> list[Section]:
    """All parts that have something to tell."""
    found = [] if curve is None else list(_run(curve))
    several = len(series) > 1
    for number, one in enumerate(series, 1):
        found += _series(one, f"-{number}" if several else "")
    if series:
        every = [m for one in series for m in one.matches]
        found.append(Section("matches", "Matches", list(_matches(every))))
    return found + (list(_measured(measured)) if measured else [])


def _plot(draw: Callable[[], Any], alt: str) -> list[Html]:
    """A picture, where pictures can be drawn; the tables beside it tell the same."""
    if not plots.can_draw():
        return []
    return [figure(labelled(plots.as_svg(draw()), alt), alt, "plot")]


# --- a training run ----------------------------------------------------------------------------


def _run(curve: Curve) -> Iterator[Section]:
    yield Section("learning", "Learning curve", list(_learning(curve)))
    if parts := list(_hands(curve)):
        yield Section("hands", "How the hands of training went", parts)
    if speeds := _speeds(curve):
        yield Section("throughput", "Throughput", list(_throughput(curve, speeds)))


def _learning(curve: Curve) -> Iterator[Html]:
    panels = [
        panel._replace(lines={name: thinned(line) for name, line in panel.lines.items()})
        for panel in course_panels(curve)
    ]
    against = ", ".join(curve.strengths) or "nobody"
    alt = (
        f"By decisions trained: points a hand on duplicate deals against {against}, with 95 % "
        f"intervals, and {', '.join(curve.quantities) or 'no other figure'}."
    )
    if panels:
        yield from _plot(lambda: plots.draw_course(panels), alt)
    rows = curve_table(curve)
    yield table(rows[0], rows[1:], "The same in figures", left=0)
    final = _final(curve)
    if final:
        yield table(("against", "points a hand"), final, "Matches at the end")


def _final(curve: Curve) -> list[list[str]]:
    head, tail = "final/", "/points_per_hand"
    last = curve.rows[-1]
    names = [k[len(head) : -len(tail)] for k in last if k.startswith(head) and k.endswith(tail)]
    return [
        [name, points_text(last[head + name + tail], last.get(f"{head}{name}/ci95", 0.0))]
        for name in names
    ]


def thinned(line: Line) -> Line:
    """A line of not too many points: means of neighbours, unless each has an interval."""
    count = len(line.values)
    if line.ci95 or count <= POINTS:
        return line
    edges = [round(k * count / POINTS) for k in range(POINTS + 1)]
    spans = [slice(a, b) for a, b in pairwise(edges)]
    return Line(
        tuple(fmean(line.decisions[s]) for s in spans), tuple(fmean(line.values[s]) for s in spans)
    )


def _line(curve: Curve, key: str) -> Line:
    rows = [row for row in curve.rows if key in row]
    return Line(tuple(row["decisions"] for row in rows), tuple(row[key] for row in rows))


_HANDS = ("hands/called_in_round_1", "hands/euchred", "hands/marched", "hands/alone")
"""Shares of called hands that runs log too which do not log all outcomes."""


class Style(NamedTuple):
    """How somebody plays: figures by group of :data:`GROUPS`, in the order of its keys."""

    name: str
    groups: Mapping[str, Sequence[float | None]]


def _shares_of_run(curve: Curve) -> Style | None:
    rows = curve.rows[-LAST:]

    def mean(key: str) -> float | None:
        values = [row[key] for row in rows if key in row]
        return fmean(values) if values else None

    groups = {g: [mean(f"{g}/{key}") for key in keys] for g, keys in GROUPS.items()}
    known = {g: values for g, values in groups.items() if any(v is not None for v in values)}
    return Style("training", known) if known else None


def _hands(curve: Curve) -> Iterator[Html]:
    logged = {key for row in curve.rows for key in row}
    found = _shares_of_run(curve)
    if found is not None:
        told = f"Means of the last {min(LAST, len(curve.rows))} iterations. The policy draws its"
        yield el("p", f"{told} acts while it trains, so it also tries what it thinks worse.")
        compared = any(key.startswith("reference/") for key in logged)
        yield from _styles([found], _references() if compared else [])
    keys = {f"outcomes/{name}": name.replace("_", " ") for name in OUTCOMES}
    if not keys.keys() & logged:
        keys = {key: key.removeprefix("hands/").replace("_", " ") for key in _HANDS}
    lines = {told: _line(curve, key) for key, told in keys.items() if key in logged}
    if not lines:
        return
    alt = f"By decisions trained, as shares of called hands: {', '.join(lines)}."
    panel = Panel("share of called hands", {n: thinned(line) for n, line in lines.items()}, 2)
    yield from _plot(lambda: plots.draw_course([panel]), alt)
    rows = [
        [told, _percent(fmean(line.values[:LAST])), _percent(fmean(line.values[-LAST:]))]
        for told, line in lines.items()
    ]
    header = ("", f"first {LAST} iterations", f"last {LAST} iterations")
    yield table(header, rows, "The same in figures: means")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


_SPEEDS = {"speed/collect": "collecting", "speed/learn": "learning"}


def _speeds(curve: Curve) -> dict[str, Line]:
    found = {told: _line(curve, key) for key, told in _SPEEDS.items()}
    return {told: line for told, line in found.items() if line.values}


def _throughput(curve: Curve, speeds: Mapping[str, Line]) -> Iterator[Html]:
    rows = [[told, f"{median(line.values):,.0f}"] for told, line in speeds.items()]
    decisions, seconds = curve.last("decisions"), curve.last("speed/seconds")
    if decisions and seconds:
        rows.append(["whole run", f"{decisions / seconds:,.0f}"])
    yield table(("", "decisions/s"), rows, "Medians of iterations; the whole run without matches")
    thousands = {
        told: thinned(Line(line.decisions, tuple(v / 1000 for v in line.values)))
        for told, line in speeds.items()
    }
    panel = Panel("thousand decisions/s", thousands, 1.6)
    alt = f"By decisions trained: decisions a second while {' and while '.join(speeds)}."
    yield from _plot(lambda: plots.draw_course([panel]), alt)


# --- matches -----------------------------------------------------------------------------------


def _series(series: Series, suffix: str) -> Iterator[Section]:
    first = series.matches[0]
    rules = f" ({first.ruleset})" if suffix else ""
    if series.ladder is not None:
        parts = list(_ladder(series.ladder))
        yield Section(f"ladder{suffix}", f"Ladder{rules}", parts)
    for number, found in enumerate(series.crossplays):
        against = "" if found.against is None else f" against {found.against}"
        title = f"Cross-play{against}{rules}"
        yield Section(f"crossplay{suffix}-{number}", title, list(_crossplay(found)))


def conditions(m: MatchResult | CrossPlay) -> str:
    """Under what a figure was measured."""
    return f"{m.deals:,} duplicate deals, rules {m.ruleset}, seed {m.seed}, version {m.version}"


def _ladder(ladder: Ladder) -> Iterator[Html]:
    ratings = [
        Interval(r.agent + " (saw hidden cards)" * r.oracle, r.points, r.low, r.high, r.oracle)
        for r in ladder.ratings
    ]
    best = ladder.ratings[0]
    alt = (
        f"Ratings of {len(ratings)} agents in points a hand with 95 % intervals, from "
        f"{best.agent} at {best.points:+.2f} down to {ladder.ratings[-1].agent} at "
        f"{ladder.ratings[-1].points:+.2f}."
    )
    yield from _plot(lambda: plots.draw_intervals(ratings, "points a hand (95 %)"), alt)
    rows = [
        [row.name, f"{r.points:+.3f}", f"{r.low:+.3f} to {r.high:+.3f}", f"{100 * r.first:.0f} %"]
        for row, r in zip(ratings, ladder.ratings)
    ]
    header = ("agent", "rating", "95 %", "best in")
    yield table(header, rows, f"{conditions(ladder.matches[0])} a pair; intervals by bootstrap")
    names = [r.agent for r in ladder.ratings]
    cells = [[a, *(_pair(ladder, a, b) for b in names)] for a in names]
    yield table(["", *names], cells, "Points a hand, row minus column")


def _pair(ladder: Ladder, a: str, b: str) -> str:
    try:
        return points_text(*ladder.match(a, b))
    except KeyError:
        return "-"


def _crossplay(found: CrossPlay) -> Iterator[Html]:
    names = found.agents
    grid = [[found.points.get((a, b)) or found.points.get((b, a)) for b in names] for a in names]
    rival = "the two pure pairs" if found.against is None else found.against
    alt = f"Points a hand of row and column as partners against {rival}."
    values = [[None if e is None else e.mean for e in row] for row in grid]
    yield from _plot(lambda: plots.draw_matrix(names, values, "points a hand"), alt)
    cells = [
        [a, *("-" if e is None else points_text(e.mean, e.ci95) for e in row)]
        for a, row in zip(names, grid)
    ]
    yield table(["partners", *names], cells, f"{alt} {conditions(found)} a match")
    losses = [[f"{a} & {b}", points_text(e.mean, e.ci95)] for (a, b), e in found.losses.items()]
    losses.append(["mean of all", points_text(found.loss.mean, found.loss.ci95)])
    told = "What mixed partners lose to the mean of their pure pairs, points a hand"
    yield table(("partners", "loss"), losses, told)


def _matches(matches: Sequence[MatchResult]) -> Iterator[Html]:
    rows = [
        [
            m.a,
            m.b + " (saw hidden cards)" * (m.b in m.oracles),
            points_text(m.points_per_hand, m.ci95),
            verdict(m.points_per_hand, m.ci95),
            f"{m.deals:,}",
            m.ruleset,
            f"{m.decisions_per_second:,.0f}",
        ]
        for m in matches
    ]
    header = ("agent", "against", "points a hand", "it is", "deals", "rules", "decisions/s")
    yield table(header, rows, "Duplicate deals; the speed is that of both sides", left=2)
    commands = "\n".join(dict.fromkeys(m.command() for m in matches))
    yield el("details", el("summary", "Each match again"), el("div", el("pre", commands)))


# --- how an agent plays ------------------------------------------------------------------------


def _measured(measured: Sequence[Measured]) -> Iterator[Section]:
    yield Section("shares", "Outcomes and calls", list(_shares(measured)))
    bids = [part for m in measured for part in _bids(m)]
    yield Section("bids", "Bids by trumps held and seat", bids)
    yield Section("times", "Decision times", list(_times(measured)))


def style_of(shares: Shares) -> Style:
    """The shares that were measured."""
    return Style(shares.agent, {g: list(getattr(shares, g).values()) for g in GROUPS})


def _references() -> list[Style]:
    return [Style(name, groups) for name, groups in REFERENCE.items()]


def _shares(measured: Sequence[Measured]) -> Iterator[Html]:
    first = measured[0].shares
    beside = _references() if first.ruleset == REFERENCE_RULES else []
    told = "Each agent in all four seats at 0-0"
    told += ", beside reference players under the same rules." if beside else "."
    yield el("p", f"{told} Seats count from the dealer's left.")
    yield from _styles([style_of(m.shares) for m in measured], beside)
    rows = [
        [
            m.shares.agent,
            f"{m.shares.called:.3f}",
            f"{m.shares.alone:.3f}",
            points_text(m.shares.dealers_side, m.shares.dealers_side_ci95),
        ]
        for m in measured
    ]
    header = ("agent", "called", "of those alone", "dealer's side, points a hand")
    yield table(header, rows, f"{first.deals:,} hands, rules {first.ruleset}, seed {first.seed}")


def _styles(own: Sequence[Style], beside: Sequence[Style]) -> Iterator[Html]:
    drawn = [g for g in DRAWN if any(g in s.groups for s in own)]
    groups = [
        Group(
            DRAWN[g],
            GROUPS[g],
            {s.name: s.groups[g] for s in own if g in s.groups},
            {s.name: s.groups[g] for s in beside if g in s.groups},
        )
        for g in drawn
    ]
    names = ", ".join(s.name for s in own)
    marks = f"; marks: {', '.join(s.name for s in beside)}" if beside else ""
    alt = f"Shares of called hands by outcome and by who called. Bars: {names}{marks}."
    if groups:
        yield from _plot(lambda: plots.draw_shares(groups), alt)
    rows = [
        [ROWS[g].format(key.replace("_", " ")), *(_share(s, g, k) for s in (*own, *beside))]
        for g, keys in GROUPS.items()
        for k, key in enumerate(keys)
        if any(_share(s, g, k) != "-" for s in own)
    ]
    yield table(["", *(s.name for s in (*own, *beside))], rows, "The same in figures, and more")


def _share(style: Style, group: str, k: int) -> str:
    values = style.groups.get(group)
    value = None if values is None else values[k]
    if value is None:
        return "-"
    return f"{value:+.2f}" if group.startswith("net") else _percent(value)


def _bids(m: Measured) -> Iterator[Html]:
    name = m.shares.agent
    alt = (
        f"{name}: how often it orders up in round 1 and calls in round 2, by seat and by trumps "
        "held, where it could pass. Round 2 counts the longest suit that may be called."
    )
    yield el("h3", name)
    yield from _plot(lambda: plots.draw_bids(m.bids), alt)
    for title, found in zip(("Round 1: ordered up", "Round 2: called"), m.bids):
        chance = found.chance
        rows = [
            [place, *(_chance(chance[k, n], found.turns[k, n]) for n in range(MOST_TRUMPS + 1))]
            for k, place in enumerate(PLACES)
        ]
        header = ["seat", *(f"{n} trump{'s' * (n != 1)}" for n in range(MOST_TRUMPS + 1))]
        yield table(header, rows, f"{title}, of turns (how many)")


def _chance(chance: float, turns: int) -> str:
    return f"{100 * chance:.0f} % ({turns:,})" if turns else "-"


def _times(measured: Sequence[Measured]) -> Iterator[Html]:
    for m in measured:
        yield table(TIME_HEADER, time_rows(m.times), m.shares.agent, left=0)
    yield el("p", "Medians; they depend on the machine and what else it does.", class_="quiet")
