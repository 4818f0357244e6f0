"""The verb ``record``: ``verify``, ``score`` and ``convert``."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterator
from typing import Any

from euchre_env.record import load_records, save_records
from euchre_env.replay import DealResult, Verification, verify

from .options import add_json, add_seed


def add_record_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``record`` takes."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="verify|score|convert")
    check = verbs.add_parser("verify", help="replay records; a line for every fault")
    check.add_argument("files", nargs="+", metavar="FILE", help="records (.egn, .jsonl)")
    score = verbs.add_parser("score", help="what each deal of a record came to")
    score.add_argument("file", metavar="FILE", help="a record (.egn, .jsonl)")
    convert = verbs.add_parser("convert", help="write a record in the other format")
    convert.add_argument("source", metavar="IN", help="a record (.egn, .jsonl)")
    convert.add_argument("target", metavar="OUT", help="the file to write (.egn, .jsonl)")
    for each in (check, score):
        add_json(each)
    for each in (check, score, convert):
        add_seed(each)


def run_record(args: argparse.Namespace) -> int:
    """Run one of the verbs of ``record``."""
    run = {"verify": _run_verify, "score": _run_score, "convert": _run_convert}
    return run[args.verb](args)


def _run_verify(args: argparse.Namespace) -> int:
    found = [verify(file) for file in args.files]
    passed, failed = (sum(getattr(v, key) for v in found) for key in ("passed", "failed"))
    if args.json:
        print(json.dumps({"passed": passed, "failed": failed, "files": [_told(v) for v in found]}))
        return int(failed > 0)
    for fault in (fault for v in found for fault in v.faults):
        print(fault)
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


def _told(found: Verification) -> dict[str, Any]:
    return {
        "file": found.file,
        "passed": found.passed,
        "failed": found.failed,
        "faults": [dataclasses.asdict(fault) | {"text": str(fault)} for fault in found.faults],
        "deals": list(_deals(found)),
    }


def _deals(found: Verification) -> Iterator[dict[str, Any]]:
    for game, deals in enumerate(found.games):
        for deal in deals:
            yield {"game": game, **dataclasses.asdict(deal)}


def _run_score(args: argparse.Namespace) -> int:
    found = verify(args.file)
    for fault in found.faults:
        print(fault, file=sys.stderr)
    if args.json:
        print(json.dumps({"file": found.file, "deals": list(_deals(found))}))
    else:
        print("deal  trump  maker  alone  tricks  points  score")
        for deal in (deal for game in found.games for deal in game):
            print(_row(deal))
    return int(found.failed > 0)


def _row(deal: DealResult) -> str:
    trump, maker = deal.trump or "-", "-" if deal.maker is None else str(deal.maker)
    alone = "yes" if deal.alone else "no"
    mark = "-" if len(deal.score) == 2 else "/"
    sides = [mark.join(map(str, by)) for by in (deal.tricks, deal.points, deal.score)]
    cells = (f"{deal.deal:>4}", f"{trump:>5}", f"{maker:>5}", f"{alone:>5}")
    tail = "" if deal.ok and deal.complete else f"  {deal.note}"
    return "  ".join([*cells, *(f"{side:>6}" for side in sides)]).rstrip() + tail


def _run_convert(args: argparse.Namespace) -> int:
    games = load_records(args.source)
    save_records(args.target, games)
    deals = sum(len(game.deals) for game in games)
    games_word = "game" if len(games) == 1 else "games"
    print(f"{args.target}: {len(games)} {games_word}, {deals} deals")
    return 0
