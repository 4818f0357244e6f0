"""The verb ``watch``: agents play at a pace, drawn in a terminal, as lines anywhere else."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence

from euchre_env.rules import DUMMY_NAMES, SEAT_NAMES
from euchre_env.ruleset import Ruleset

from .options import list_agents
from .table import Event, Table
from .terminal import (
    BOLD,
    DIM,
    Screen,
    TerminalError,
    add_table,
    narrated,
    open_table,
    outcome,
    score_text,
    seats_of,
    tolerate,
)

PACE = 1.0
"""Seconds between two acts in a terminal; elsewhere nobody waits."""
_BELOW = 4
"""Lines below the picture."""


def add_watch_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``watch`` takes."""
    parser.add_argument(
        "agents",
        nargs="+",
        metavar="AGENT",
        help="one for all seats, two for the pairs North-South and East-West, or one a seat",
    )
    parser.add_argument(
        "--delay",
        type=float,
        metavar="SECONDS",
        help=f"between two acts (default: {PACE:g} in a terminal, else 0)",
    )
    add_table(parser)
    list_agents(parser)


def run_watch(args: argparse.Namespace) -> int:
    """Play to the end and say who won."""
    tolerate()
    screen = Screen()
    delay = _delay(args.delay, screen)
    rules = Ruleset.parse(args.ruleset)
    seats = seats_of(args.agents, rules)
    table = open_table(rules, seats, args.seed, args.length)
    shown = _Show(screen, seats)
    shown.deal(table)
    while not table.over:
        time.sleep(delay)
        if table.hand_over:
            table.next_hand()
            shown.deal(table)
        else:
            shown.act(table, table.advance())
    screen.say(outcome(table), BOLD)
    return 0


def _delay(asked: float | None, screen: Screen) -> float:
    if asked is None:
        return PACE if screen.terminal else 0.0
    if not (math.isfinite(asked) and asked >= 0):
        raise TerminalError(f"--delay {asked:g}: give a number of seconds from 0")
    return asked


class _Show:
    """A picture that changes with each act where the terminal has room for it, else lines."""

    def __init__(self, screen: Screen, names: Sequence[str]) -> None:
        self.screen, self.names = screen, names

    def deal(self, table: Table) -> None:
        """Show what was dealt."""
        title = f"Hand {table.deal + 1}: {score_text(table)}"
        if self.screen.has_room(_BELOW):
            self._draw(table, title)
            return
        self.screen.say(title, BOLD)
        deal = table.game_record().deals[-1]
        dealt = list(zip(SEAT_NAMES, deal.hands))
        if deal.dummy:
            dealt.append((DUMMY_NAMES[int(table.rules.variant)], deal.dummy))
        for name, hand in dealt:
            self.screen.say(f"  {name:<6} {' '.join(hand)}", DIM, 9)

    def act(self, table: Table, event: Event) -> None:
        """Show what was done."""
        if self.screen.has_room(_BELOW):
            self._draw(table, narrated(event))
        else:
            self.screen.say(narrated(event), indent=2)

    def _draw(self, table: Table, line: str) -> None:
        self.screen.clear()
        print(self.screen.picture(table, None, self.names))
        self.screen.say(line, BOLD, 2)
