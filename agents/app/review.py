"""The verb ``review``: what each decision of recorded games was worth, as a table or as a page."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from euchre_env._files import write_whole
from euchre_env.record import load_records
from euchre_env.rules import N_SEATS

from ..advice import WORLDS, Advisor
from ..evaluation.match import ruleset_text
from ..evaluation.review import BLUNDER, LOOKS, Decision, Review, review
from ..evaluation.stats import EvaluationError
from .html.review import loss_header, name_of, place_of, review_page, total_cells
from .match import progress_bar, text_table
from .options import add_json, add_seed, positive, whole

MOST = 20


def add_review_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``review`` takes."""
    parser.add_argument("file", metavar="FILE", help="a record (.egn, .jsonl)")
    parser.add_argument(
        "--html", type=Path, metavar="OUT.html", help="write a page with pictures of every step"
    )
    parser.add_argument(
        "--policy", default="champion", metavar="POLICY", help="who judges (default: %(default)s)"
    )
    parser.add_argument(
        "--worlds",
        type=whole,
        default=WORLDS,
        metavar="N",
        help="worlds in which every act is played out (default: %(default)s)",
    )
    parser.add_argument(
        "--fast", action="store_true", help="without the search: chances and true cards only"
    )
    parser.add_argument(
        "--least",
        type=positive,
        default=BLUNDER,
        metavar="POINTS",
        help="what a blunder costs at the least (default: %(default)s)",
    )
    parser.add_argument(
        "--most",
        type=whole,
        default=MOST,
        metavar="N",
        help="blunders to list of a game (default: %(default)s)",
    )
    add_json(parser)
    add_seed(parser, "the worlds")


def run_review(args: argparse.Namespace) -> int:
    """Judge all games of a file; print the blunders and totals, and write the page if asked."""
    if args.html is not None:
        check_page(args.html)
    games = load_records(args.file)
    advisor = Advisor(args.policy, args.worlds)
    found = []
    for number, game in enumerate(games, 1):
        with progress_bar(f"game {number} of {len(games)}") as progress:
            found.append(
                review(
                    game,
                    advisor,
                    args.seed,
                    search=not args.fast,
                    least=args.least,
                    progress=progress,
                )
            )
    if args.html is not None:
        write_whole(args.html, review_page(Path(args.file).name, found, args.most).encode())
    if args.json:
        page = None if args.html is None else str(args.html)
        told = {"file": args.file, "page": page, "games": [game.to_dict() for game in found]}
        print(json.dumps(told))
        return 0
    print("\n\n".join(review_text(game, args.most) for game in found))
    if args.html is not None:
        print(f"\npage: {args.html}")
    elif args.fast:
        print("\nwith expected points: leave out --fast", file=sys.stderr)
    return 0


def check_page(path: Path) -> None:
    """Raise EvaluationError unless a page can be written there; a wrong ending may spoil a file."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise EvaluationError(f"{path}: a page is a file ending in .html")
    if not path.parent.is_dir():
        raise EvaluationError(f"{path}: no folder {str(path.parent)!r} to write to")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise EvaluationError(f"{path} cannot be written: give another file")


# --- what is printed ---------------------------------------------------------------------------


def review_text(found: Review, most: int = MOST) -> str:
    """A game in some lines: blunders, totals, and what the record does not show."""
    return "\n".join(
        [
            f"{', '.join(name_of(found, seat) for seat in range(N_SEATS))}; "
            f"rules {ruleset_text(found.ruleset)}",
            *_notes(found),
            "",
            *_blunders(found, most),
            "",
            *_totals(found),
            "",
            _method(found),
        ]
    )


def _notes(found: Review) -> Iterator[str]:
    for deal in found.deals:
        if deal.note:
            yield f"deal {deal.deal}: {deal.note}"


def _blunders(found: Review, most: int) -> Iterator[str]:
    blunders = found.blunders()
    if not blunders:
        yield f"no decision cost {found.least:.2f} points or more"
        return
    rows = [_row(found, d) for d in blunders[:most]]
    yield text_table(["blunder", "", "lost", "done", "policy", "better", "policy", "true"], rows)
    if len(blunders) > most:
        yield f"and {len(blunders) - most} more, see --most"


def _row(found: Review, d: Decision) -> list[str]:
    """One blunder as cells."""
    best, taken = d.better, d.taken
    assert best is not None and taken is not None
    true = d.double_dummy_loss
    return [
        place_of(d),
        name_of(found, d.seat),
        f"{d.cost:.2f}" + ("" if d.ci95 is None else f" ± {d.ci95:.2f}"),
        d.text,
        f"{100 * taken.probability:.0f} %",
        best.text,
        f"{100 * best.probability:.0f} %",
        "-" if true is None else f"{true:.0f}",
    ]


def _totals(found: Review) -> Sequence[str]:
    rows = [[name_of(found, k), *total_cells(t)] for k, t in enumerate(found.by_seat())]
    rows += [[name, *total_cells(t)] for name, t in found.by_group().items()]
    return [text_table(["", *loss_header(found)], [*rows, ["all", *total_cells(found.total())]])]


def _method(found: Review) -> str:
    if not found.worlds:
        return (
            f"no search: policy {found.by}; losses are those of the true cards, which no player "
            "could see"
        )
    return (
        f"policy {found.by}, {found.worlds} worlds and for likely losses {LOOKS * found.worlds} "
        f"others, seed {found.seed}; lost: expected net points of the hand against the best act, "
        "where clear of chance (95 %); true: with all cards seen"
    )
