"""The verb ``generate``: self-play as data for offline learning."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from euchre_env.rowfiles import SUFFIXES, DataError

from ..selfplay.files import BATCH, SHARD, generate, plan_of
from ..work import AUTO
from .match import progress_bar, working
from .options import PRESET, add_json, add_seed, add_workers, list_agents


def add_generate_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``generate`` takes."""
    parser.add_argument(
        "agents",
        nargs="+",
        metavar="AGENT",
        help="who plays: one for all seats, two as pairs that swap seats from hand to hand, "
        "more going round the table",
    )
    parser.add_argument("--hands", type=int, required=True, metavar="N", help="hands to play")
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument(
        "--out", type=Path, metavar="FILE", help=f"the rows: a file in {', '.join(SUFFIXES)}"
    )
    target.add_argument(
        "--minari", metavar="ID", help="write a data set of Minari instead: NAMESPACE/NAME-v0"
    )
    parser.add_argument(
        "--records", type=Path, metavar="FILE.jsonl", help="write whole-hand records as well"
    )
    parser.add_argument(
        "--forced", action="store_true", help="rows for decisions with one legal action too"
    )
    parser.add_argument(
        "--ruleset",
        action="append",
        metavar="RULES",
        help=f"preset, file or key=value,...; of several one is drawn a hand (default: {PRESET})",
    )
    parser.add_argument(
        "--shard", type=int, default=SHARD, metavar="N", help="hands a file (default: %(default)s)"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with a run that was broken off"
    )
    parser.add_argument(
        "--batch",
        type=int,
        default=BATCH,
        metavar="N",
        help="hands played at once; changes no row (default: %(default)s)",
    )
    add_workers(parser)
    add_seed(parser, "deals and agents")
    add_json(parser)
    list_agents(parser)


def run_generate(args: argparse.Namespace) -> int:
    """Play the hands, write them, and say what was written."""
    started = time.perf_counter()
    told = _run_minari(args) if args.minari is not None else _run_files(args)
    told["seconds"] = round(time.perf_counter() - started, 3)
    if args.json:
        print(json.dumps(told))
    else:
        print(f"{told['out']}: {told['hands']} hands, {told['rows']} rows, {told['seconds']:.1f} s")
    return 0


def _run_files(args: argparse.Namespace) -> dict[str, Any]:
    plan = plan_of(
        args.agents,
        args.hands,
        args.out,
        args.ruleset or [PRESET],
        seed=args.seed,
        shard=args.shard,
        forced=args.forced,
        records=args.records,
    )
    with working(args, "generate") as where:
        data = generate(plan, resume=args.resume, batch=args.batch, **where)
    return {
        "out": str(args.out),
        "manifest": str(data.path),
        "hands": args.hands,
        "rows": len(data),
        "shards": len(data.manifest["shards"]),
        "seed": args.seed,
        "command": data.manifest["command"],
    }


def _run_minari(args: argparse.Namespace) -> dict[str, Any]:
    from ..selfplay.minari import write_minari

    given = {"records": args.records is not None, "resume": args.resume}
    given |= {"workers": args.workers not in (AUTO, "1")}
    for name in (name for name, is_given in given.items() if is_given):
        raise DataError(f"--{name} goes with --out, not with --minari")
    with progress_bar("generate") as progress:
        data = write_minari(
            args.minari,
            args.agents,
            args.hands,
            args.ruleset or [PRESET],
            args.seed,
            batch=args.batch,
            progress=progress,
        )
    return {
        "out": args.minari,
        "hands": args.hands,
        "episodes": int(data.total_episodes),
        "rows": int(data.total_steps),
        "seed": args.seed,
    }
