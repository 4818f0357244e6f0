"""The verb ``analyse``: the double-dummy cost of every card of recorded games."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from euchre_env.analysis import DealCosts, analyse_record
from euchre_env.cards import card_text
from euchre_env.record import SEAT_NAMES, load_records
from euchre_env.solver import PlayCost

from .options import add_json, add_seed


def add_analyse_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``analyse`` takes."""
    parser.add_argument("file", metavar="FILE", help="a record (.egn, .jsonl)")
    add_json(parser)
    add_seed(parser)


def run_analyse(args: argparse.Namespace) -> int:
    """Print the costly cards of each deal, or all cards as JSON, and totals by seat."""
    games = [analyse_record(game) for game in load_records(args.file)]
    totals = _totals([cost for deals in games for deal in deals for cost in deal.costs])
    if args.json:
        print(json.dumps({"file": args.file, "deals": list(_told(games)), "seats": totals}))
        return 0
    for deal in (deal for deals in games for deal in deals):
        for line in _lines(deal):
            print(line)
    print("seat   cards  costly  points  tricks")
    for row in totals:
        counts = f"{row['cards']:>5}  {row['costly']:>6}  {row['points']:>6}  {row['tricks']:>6}"
        print(f"{SEAT_NAMES[row['seat']]:<5}  {counts}")
    return 0


def _lines(deal: DealCosts) -> Iterator[str]:
    """A line for each card that cost points, or one that says what there is to say instead."""
    costly = [cost for cost in deal.costs if cost.points]
    for cost in costly:
        better = " or ".join(map(card_text, cost.better))
        yield (
            f"deal {deal.deal}: trick {cost.trick}: {SEAT_NAMES[cost.seat]}'s "
            f"{card_text(cost.card)} cost {_points(cost.points)}, better was {better}"
        )
    if deal.note or not costly:
        yield f"deal {deal.deal}: {deal.note or 'no card cost a point'}"


def _points(count: int) -> str:
    return f"{count} point" if count == 1 else f"{count} points"


def _totals(costs: list[PlayCost]) -> list[dict[str, int]]:
    """By seat: cards played, how many cost points, and what they cost in points and tricks."""
    rows = []
    for seat in range(4):
        own = [cost for cost in costs if cost.seat == seat]
        rows.append(
            {
                "seat": seat,
                "cards": len(own),
                "costly": sum(cost.points > 0 for cost in own),
                "points": sum(cost.points for cost in own),
                "tricks": sum(cost.tricks for cost in own),
            }
        )
    return rows


def _told(games: list[list[DealCosts]]) -> Iterator[dict[str, Any]]:
    for number, deals in enumerate(games):
        for deal in deals:
            costs = [_plain(cost) for cost in deal.costs]
            yield {"game": number, "deal": deal.deal, "note": deal.note, "cards": costs}


def _plain(cost: PlayCost) -> dict[str, Any]:
    return {
        "trick": cost.trick,
        "seat": cost.seat,
        "card": card_text(cost.card),
        "points": cost.points,
        "tricks": cost.tricks,
        "better": [card_text(card) for card in cost.better],
    }
