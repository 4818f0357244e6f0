"""The verb ``crossplay``."""

from __future__ import annotations

import argparse

from ..evaluation.crossplay import CrossPlay, cross_play
from .match import add_common, add_out, text_table, working
from .options import add_workers

DEALS = 10_000


def add_crossplay_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``crossplay`` takes."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="two agents or more")
    told = "the reference pair; without it mixed partners play the two pure pairs"
    parser.add_argument("--against", metavar="AGENT", help=told)
    add_common(parser, DEALS)
    add_workers(parser)
    add_out(parser)


def run_crossplay(args: argparse.Namespace) -> int:
    """Let every two agents be partners and print what they make."""
    with working(args, "crossplay") as where:
        found = cross_play(
            args.agents,
            args.deals,
            args.ruleset,
            args.seed,
            against=args.against,
            out=args.out,
            **where,
        )
    print(found.to_json() if args.json else crossplay_text(found))
    return 0


def crossplay_text(found: CrossPlay) -> str:
    """The matrix of partnerships and what the mixed ones lose."""
    rows = [[a, *(_cell(found, a, b) for b in found.agents)] for a in found.agents]
    rival = "the two pure pairs" if found.against is None else found.against
    notes = [f"points a hand of row and column as partners against {rival}"]
    notes += [
        f"{a} & {b} lose {loss.mean:+.4f} ± {loss.ci95:.4f} to the mean of their pure pairs"
        for (a, b), loss in found.losses.items()
    ]
    notes.append(f"mixed partners lose {found.loss.mean:+.4f} ± {found.loss.ci95:.4f} on average")
    if found.oracles:
        notes.append(f"{', '.join(found.oracles)} saw hidden cards")
    notes.append(f"one match: {found.matches[-1].command()}")
    notes.append(
        f"{found.deals} duplicate deals a match, rules {found.ruleset}, seed {found.seed}, "
        f"version {found.version}"
    )
    return "\n".join([text_table(["partners", *found.agents], rows), "", *notes])


def _cell(found: CrossPlay, a: str, b: str) -> str:
    points = found.points.get((a, b)) or found.points.get((b, a))
    return "-" if points is None else f"{points.mean:+.3f} ± {points.ci95:.3f}"
