"""The verb ``agree``: how often an agent does what practised players did."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

from euchre_env.real_deals import real_games
from euchre_env.record import GameRecord, load_records

from ..evaluation.agree import Agreement, AgreeResult, agree
from .match import progress_bar, text_table
from .options import add_json, add_seed, list_agents

REAL_DEALS = "the 81 real deals"


def add_agree_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``agree`` takes."""
    parser.add_argument("agent", metavar="AGENT", help="who is asked")
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help=f"records (.egn, .jsonl); {REAL_DEALS} that come with the package unless given",
    )
    add_json(parser)
    add_seed(parser, "the agent")
    list_agents(parser)


def run_agree(args: argparse.Namespace) -> int:
    """Put the recorded decisions to the agent and print the agreement."""
    with progress_bar(args.agent) as progress:
        found = agree(args.agent, _games(args.files), args.seed, progress=progress)
    for fault in found.faulty:
        print(fault, file=sys.stderr)
    print(found.to_json() if args.json else agree_text(found))
    return 0


def _games(files: Sequence[str]) -> Mapping[str, Sequence[GameRecord]]:
    if not files:
        return {name: [game] for name, game in real_games().items()}
    return {file: load_records(file) for file in files}


def agree_text(found: AgreeResult) -> str:
    """The agreement by phase as a table, and what it rests on."""
    rows = [_row(name, share) for name, share in found.phases.items()]
    header = [found.agent, "decisions", "agreed", "95 %", "by chance", "probability"]
    left = [f"{count} where {why}" for why, count in found.left_out.items() if count]
    notes = [
        f"{found.deals} deals of {len(found.files)} files, seed {found.seed}; "
        f"{found.forced} decisions without a choice do not count",
        *([f"left out: {'; '.join(left)}"] if left else []),
        *([f"{len(found.faulty)} deals break the rules of their record"] if found.faulty else []),
    ]
    return "\n".join([text_table(header, [*rows, _row("all", found.total)]), "", *notes])


def _row(name: str, share: Agreement) -> list[str]:
    low, high = share.interval
    return [
        name,
        str(share.decisions),
        f"{100 * share.share:.1f} %",
        f"{100 * low:.1f} to {100 * high:.1f}",
        f"{100 * share.chance:.1f} %",
        "-" if share.probability is None else f"{100 * share.probability:.1f} %",
    ]
