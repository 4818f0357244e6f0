"""The verb ``cases``."""

from __future__ import annotations

import argparse
import json

from euchre_env import cases
from euchre_env.cases import FAILED, PASSED, CaseResult

from .options import add_json, add_seed


def add_cases_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``cases`` takes."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="rule cases (JSON)")
    add_json(parser)
    add_seed(parser)


def run_cases(args: argparse.Namespace) -> int:
    """Run the cases and print what did not pass; status 1 where one failed."""
    results = [(file, result) for file in args.files for result in cases.run_cases(file)]
    counts = {
        status: sum(result.status == status for _, result in results) for status in (PASSED, FAILED)
    }
    print(_as_json(results, counts) if args.json else _as_text(results, counts))
    return int(counts[FAILED] > 0)


def _as_text(results: list[tuple[str, CaseResult]], counts: dict[str, int]) -> str:
    lines = [
        f"{file}: {result.id}: {result.status}: {result.message}"
        for file, result in results
        if result.status != PASSED
    ]
    return "\n".join([*lines, f"{counts[PASSED]} passed, {counts[FAILED]} failed"])


def _as_json(results: list[tuple[str, CaseResult]], counts: dict[str, int]) -> str:
    listed = [
        {"file": file, "id": r.id, "status": r.status, "message": r.message} for file, r in results
    ]
    return json.dumps({**counts, "cases": listed})
