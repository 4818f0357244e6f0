"""The verb ``demo``: one hand told act by act, a small match, and what to try next.

Nothing heavy is imported before the first line is printed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .options import add_json, add_seed

if TYPE_CHECKING:
    from ..evaluation.match import MatchResult
    from .table import Table
    from .terminal import Screen

PLAYER, RIVAL = "heuristic", "greedy"
DEALS = 20_000
NEXT = (
    ("euchre play", "take a seat yourself; '?' asks the champion"),
    ("euchre watch champion heuristic", "watch a game at a pace"),
    ("euchre match champion heuristic", "measure who is stronger, and by how much"),
)
_ACT = 31
"""Where the reasons begin, a column."""


class Told(NamedTuple):
    """An act of the hand: who, what (an action's text), in words, why, and what came of it."""

    seat: int
    action: str
    text: str
    reason: str
    note: str


def add_demo_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``demo`` takes."""
    parser.add_argument(
        "--deals",
        type=int,
        default=DEALS,
        metavar="N",
        help="deals of the match (default: %(default)s)",
    )
    add_json(parser)
    add_seed(parser, "the hand and the match")


def run_demo(args: argparse.Namespace) -> int:
    """Tell the hand, play the match, name the commands."""
    if args.json:
        print(json.dumps(_as_data(args)))
        return 0
    print(f"One hand of euchre: {PLAYER} in all seats, and why it does what it does.", flush=True)
    from .terminal import Screen, tolerate

    tolerate()
    screen = Screen()
    _show_hand(screen, args.seed)
    screen.say()
    screen.say(f"A duplicate match: {PLAYER} against {RIVAL}, every deal played from both sides.")
    screen.say(match_told(_play(args)), "1", 2)
    screen.say()
    screen.say("Three things to do next:")
    for command, what in NEXT:
        screen.say_beside(f"  {command}", what, _ACT + 4)
    return 0


def _as_data(args: argparse.Namespace) -> dict[str, Any]:
    table = _open(args.seed)
    deal = table.game_record().deals[0]
    acts = [told._asdict() for told in tell_hand(table)]
    return {
        "seed": args.seed,
        "rules": table.ruleset.to_dict(only_changes=True),
        "dealer": deal.dealer,
        "hands": [list(hand) for hand in deal.hands],
        "upcard": deal.upcard,
        "acts": acts,
        "points": [int(p) for p in table.state.points[:2]],
        "match": _play(args).to_dict(),
        "next": [command for command, _ in NEXT],
    }


# --- the hand ----------------------------------------------------------------------------------


def _open(seed: int) -> Table:
    from euchre_env.ruleset import Ruleset

    from .options import PRESET
    from .table import HAND
    from .terminal import open_table

    return open_table(Ruleset.parse(PRESET), [PLAYER] * 4, seed, HAND)


def tell_hand(table: Table) -> Iterator[Told]:
    """Play a hand to its end, an act at a time.

    Args:
        table: A table of agents at the start of a hand.
    """
    from euchre_env.actions import ACTION_TEXT

    from ..heuristic.reasons import reason

    while not table.hand_over:
        action = table.choice()
        why = reason(table.state, table.rules, action)
        event = table.act(action)
        yield Told(event.seat, ACTION_TEXT[action], event.text, why, event.note)


def _show_hand(screen: Screen, seed: int) -> None:
    table = _open(seed)
    deal = table.game_record().deals[0]
    from euchre_env.cards import card_id
    from euchre_env.rules import PLAY, SEAT_NAMES

    screen.say(f"Rules: {table.ruleset.describe()}")
    for seat, hand in enumerate(deal.hands):
        screen.say(f"  {SEAT_NAMES[seat]:<6} {' '.join(sorted(hand, key=card_id))}")
    screen.say(f"{SEAT_NAMES[deal.dealer]} deals and turns up the {deal.upcard}.")
    screen.say()
    for told in tell_hand(table):
        screen.say_beside(told.text, told.reason, _ACT)
        if told.note:
            screen.say(f"  {told.note[0].upper()}{told.note[1:]}.", "1", 2)
        if table.state.phase == PLAY and table.state.trick == 0 == table.state.count:
            _show_table(screen, table)


def _show_table(screen: Screen, table: Table) -> None:
    """The picture when the calls are made, where it fits."""
    from euchre_env.render import COLUMNS

    if screen.columns >= COLUMNS:
        print(f"\n{screen.picture(table, None, [PLAYER] * 4)}\n", flush=True)


# --- the match ---------------------------------------------------------------------------------


def _play(args: argparse.Namespace) -> MatchResult:
    from ..evaluation.match import play_match
    from .match import progress_bar
    from .options import PRESET

    with progress_bar(f"{PLAYER} - {RIVAL}") as progress:
        return play_match(PLAYER, RIVAL, args.deals, PRESET, args.seed, progress=progress)


def match_told(result: MatchResult) -> str:
    """The result of a match in a sentence for somebody who sees one for the first time."""
    clear = "the interval leaves zero out, so it is stronger" if result.points_per_hand > 0 else ""
    if not result.clear_of_zero:
        clear = "the interval holds zero, so these deals cannot tell them apart"
    return (
        f"{result.a} makes {result.points_per_hand:+.3f} ± {result.ci95:.3f} points a hand more "
        f"than {result.b} (95 % interval, {result.deals:,} deals, {result.seconds:.1f} s)"
        f"{': ' if clear else ''}{clear}."
    )
