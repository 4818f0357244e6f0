"""The verbs that measure: ``match``, ``ladder`` and ``stats``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..evaluation.decomposition import PARTS, Decomposition, decompose
from ..evaluation.ladder import Ladder, play_ladder
from ..evaluation.luck import UNPLAYED, play_luck_reduced
from ..evaluation.match import MatchResult, Progress, play_match, play_until_clear
from ..evaluation.sequential import MAX_DEALS
from ..evaluation.shares import Shares, play_shares
from ..evaluation.stats import EvaluationError
from ..style import OUTCOMES, PLACES, REFERENCE, REFERENCE_RULES
from .options import add_json, add_ruleset, add_seed, add_workers, list_agents, opened
from .plot import plot_ladder, require_plots

DEALS = 10_000
COMPARED = (("next", 0), ("next", 1), ("net_round_1", 1), ("net_round_1", 3), ("net_round_2", 0))
"""What else is compared, by place: calls of next in round 2, and the caller's net points."""


# --- what the verbs share ----------------------------------------------------------------------


def add_common(parser: argparse.ArgumentParser, deals: int) -> None:
    """Declare deals, rules, seed and JSON, and list the agents below the help."""
    parser.add_argument(
        "--deals", type=int, default=deals, metavar="N", help="deals (default: %(default)s)"
    )
    add_ruleset(parser)
    add_seed(parser, "deals and agents")
    add_json(parser)
    list_agents(parser)


@contextmanager
def progress_bar(label: str) -> Iterator[Progress | None]:
    """A function to report progress to, shown on stderr where that is a terminal; else None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def working(args: argparse.Namespace, label: str) -> Iterator[dict[str, Any]]:
    """What measures of long duration take: ``progress`` to report to, and the ``executor``."""
    with opened(args.workers) as executor, progress_bar(label) as progress:
        yield {"progress": progress, "executor": executor}


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows as aligned plain text, the first column to the left and the rest to the right."""
    lines = [header, *rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    return "\n".join(
        "  ".join(
            c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(line, widths))
        )
        for line in lines
    )


# --- match -------------------------------------------------------------------------------------


def add_match_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``match`` takes."""
    parser.add_argument("a", metavar="A", help="the first agent, or two partners as in 'X & Y'")
    parser.add_argument("b", metavar="B", help="the second")
    parser.add_argument(
        "--games", type=int, default=0, metavar="N", help="whole games to play as well (default: 0)"
    )
    add_common(parser, DEALS)
    add_workers(parser)
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--until-clear", action="store_true", help="stop once the difference is clear of zero"
    )
    ways.add_argument(
        "--decompose", action="store_true", help="also swap only the calls, and only the cards"
    )
    ways.add_argument(
        "--luck-reduced", action="store_true", help="also score with double-dummy controls"
    )
    parser.add_argument(
        "--max-deals",
        type=int,
        metavar="N",
        help=f"deals at which --until-clear gives up (default: {MAX_DEALS})",
    )
    parser.add_argument(
        "--unplayed",
        type=int,
        metavar="N",
        help=f"deals bid but not played for --luck-reduced (default: {UNPLAYED} times --deals)",
    )


def run_match(args: argparse.Namespace) -> int:
    """Play a duplicate match and print what it showed."""
    _check_match_options(args)
    with working(args, f"{args.a} - {args.b}") as where:
        if args.decompose:
            parts = decompose(args.a, args.b, args.deals, args.ruleset, args.seed, **where)
        else:
            result = _play_match(args, where)
    if args.decompose:
        print(parts.to_json() if args.json else decomposition_text(parts))
    else:
        print(result.to_json() if args.json else match_text(result))
    return 0


def _check_match_options(args: argparse.Namespace) -> None:
    needs = {
        "--max-deals": (args.max_deals is not None, "--until-clear", args.until_clear),
        "--unplayed": (args.unplayed is not None, "--luck-reduced", args.luck_reduced),
    }
    for option, (given, other, on) in needs.items():
        if given and not on:
            raise EvaluationError(f"{option} is for {other}: add {other} or leave it out")
    if args.until_clear and args.deals != DEALS:
        raise EvaluationError("--until-clear stops by itself: give --max-deals, not --deals")
    if args.games and args.decompose:
        raise EvaluationError("--games does not go with --decompose: leave out one of the two")


def _play_match(args: argparse.Namespace, where: dict[str, Any]) -> MatchResult:
    who, rest = (args.a, args.b), (args.ruleset, args.seed)
    if args.until_clear:
        most = MAX_DEALS if args.max_deals is None else args.max_deals
        return play_until_clear(*who, most, *rest, games=args.games, **where)
    if args.luck_reduced:
        return play_luck_reduced(
            *who, args.deals, *rest, unplayed=args.unplayed, games=args.games, **where
        )
    return play_match(*who, args.deals, *rest, games=args.games, **where)


def match_text(result: MatchResult) -> str:
    """A match in a few lines."""
    lines = [result.describe(), _verdict(result)]
    if result.luck is not None:
        lines.append(
            f"luck-reduced: {result.luck.points_per_hand:+.4f} ± {result.luck.ci95:.4f}, variance "
            f"saved {100 * result.luck.variance_saved:.1f} % ({result.luck.unplayed} more deals "
            f"bid, not played, {result.luck.seconds:.1f} s)"
        )
    if result.games is not None:
        rate, half = 100 * result.games.win_rate, 100 * result.games.ci95
        lines.append(
            f"{result.a} wins {rate:.1f} ± {half:.1f} % of whole games "
            f"({result.games.games} deals of a game, each played twice)"
        )
    lines.append(f"{result.seconds:.1f} s, {result.decisions_per_second:,.0f} decisions/s")
    return "\n".join(lines)


def _verdict(result: MatchResult) -> str:
    stop = result.sequential
    if stop is not None:
        found = "the difference is clear of zero" if stop.clear else "not told apart"
        return (
            f"{found} at look {stop.look} of {stop.looks} (at most {stop.max_deals:,} deals); the "
            f"interval reaches {stop.bound:.2f} standard errors and holds at all looks"
        )
    if result.clear_of_zero:
        return "the difference is clear of zero"
    if result.deals_needed is None:
        return "no difference"
    return f"not told apart; a difference of this size needs about {result.deals_needed:,} deals"


def decomposition_text(parts: Decomposition) -> str:
    """The whole, the calls alone, the cards alone, and what they do not add up to."""
    titles = dict(zip(PARTS, ("whole", "bids only", "play only")))
    rows = [
        [title, f"{match.points_per_hand:+.4f} ± {match.ci95:.4f}"]
        for title, match in ((title, getattr(parts, part)) for part, title in titles.items())
    ]
    rows.append(["interplay", f"{parts.interplay.mean:+.4f} ± {parts.interplay.ci95:.4f}"])
    return "\n".join(
        [
            text_table([f"{parts.whole.a} - {parts.whole.b}", "points a hand"], rows),
            "",
            *(f"{title}: {getattr(parts, part).describe()}" for part, title in titles.items()),
        ]
    )


# --- ladder ------------------------------------------------------------------------------------


def add_ladder_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``ladder`` takes."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="two agents or more")
    add_common(parser, DEALS)
    add_workers(parser)
    add_out(parser)
    parser.add_argument(
        "--plot", metavar="FILE", help="write the ratings as a picture (.png, .svg or .pdf)"
    )


def add_out(parser: argparse.ArgumentParser) -> None:
    """Declare the file of results."""
    parser.add_argument(
        "--out", metavar="FILE.jsonl", help="keep matches here, and take those that it has"
    )


def run_ladder(args: argparse.Namespace) -> int:
    """Play every pair and print the ratings."""
    if args.plot is not None:
        require_plots(args.plot)
    with working(args, "ladder") as where:
        ladder = play_ladder(
            args.agents, args.deals, args.ruleset, args.seed, out=args.out, **where
        )
    print(ladder.to_json() if args.json else ladder_text(ladder))
    if args.plot is not None:
        plot_ladder(ladder, args.plot)
    return 0


def ladder_text(ladder: Ladder) -> str:
    """Ratings and the points of every pair as a table."""
    names = [r.agent for r in ladder.ratings]
    rows = [
        [r.agent + "*" * r.oracle, f"{r.points:+.3f}", f"{r.low:+.3f} to {r.high:+.3f}"]
        + [f"{100 * r.first:.0f} %"]
        + [_cell(ladder, r.agent, other) for other in names]
        for r in ladder.ratings
    ]
    first = ladder.matches[0]
    notes = [
        "rating and its 95 % interval (bootstrap over deals), share of resamples in first place",
        f"largest misfit of a match to the ratings {ladder.misfit:.3f}; "
        f"{ladder.reused} of {len(ladder.matches)} matches were read from the file",
        f"again: {ladder.command()}",
        f"one match: {first.command()}",
        f"points a hand, row minus column; {first.deals} duplicate deals a pair, "
        f"rules {first.ruleset}, seed {first.seed}, version {first.version}",
    ]
    if any(r.oracle for r in ladder.ratings):
        notes.append("* was shown hidden cards")
    return "\n".join([text_table(["", "rating", "95 %", "first", *names], rows), "", *notes])


def _cell(ladder: Ladder, a: str, b: str) -> str:
    if a == b:
        return "-"
    points, half = ladder.match(a, b)
    return f"{points:+.3f} ± {half:.3f}"


# --- stats -------------------------------------------------------------------------------------


def add_stats_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``stats`` takes."""
    parser.add_argument("agent", metavar="AGENT", help="the agent to play all four seats")
    add_common(parser, DEALS)
    add_workers(parser)


def run_stats(args: argparse.Namespace) -> int:
    """Let one agent play all seats and print its shares."""
    with working(args, args.agent) as where:
        shares = play_shares(args.agent, args.deals, args.ruleset, args.seed, **where)
    if args.json:
        print(shares.to_json())
    else:
        print(stats_text(shares))
    return 0


def stats_text(shares: Shares) -> str:
    """Shares beside those of reference players."""
    beside = REFERENCE if shares.ruleset == REFERENCE_RULES else {}
    rows = [_share_row(name, "outcomes", k, shares, beside) for k, name in enumerate(OUTCOMES)]
    for rounds in ("round_1", "round_2"):
        rows += [_share_row(place, rounds, k, shares, beside) for k, place in enumerate(PLACES)]
    for group, place in COMPARED:
        rows.append(_share_row(PLACES[place], group, place, shares, beside))
    mark = " (was shown hidden cards)" if shares.oracle else ""
    return "\n".join(
        [
            text_table(["share of called hands", shares.agent, *beside], rows),
            "",
            text_table(["seat", *PLACES], _place_rows(shares)),
            "",
            f"hands called {shares.called:.3f}, played alone {shares.alone:.3f}, dealer's side "
            f"{shares.dealers_side:+.3f} ± {shares.dealers_side_ci95:.3f} points a hand",
            f"{shares.deals} hands, rules {shares.ruleset}, seed {shares.seed}, "
            f"version {shares.version}{mark}",
        ]
    )


def _share_row(
    key: str, group: str, place: int, shares: Shares, beside: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    own: float | None = getattr(shares, group)[key]
    others = [
        reference[group][place] if group in reference else None for reference in beside.values()
    ]
    title = key if group == "outcomes" else f"{group}, seat {key}"
    return [title.replace("_", " "), *(_figure(value, 3) for value in (own, *others))]


def _place_rows(shares: Shares) -> list[list[str]]:
    groups: dict[str, Mapping[str, Any]] = {
        "caller's net, round 1": shares.net_round_1,
        "caller's net, round 2": shares.net_round_2,
        "next, round 2": shares.next,
    }
    return [[title, *(_figure(group[p]) for p in PLACES)] for title, group in groups.items()]


def _figure(value: float | None, places: int = 2) -> str:
    return "-" if value is None else f"{value:.{places}f}"
