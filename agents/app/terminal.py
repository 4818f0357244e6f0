"""What the verbs share that show a game in a terminal: its size and colours, seats, tables."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence

from euchre_env import render
from euchre_env._check import listed
from euchre_env.cards import SUITS
from euchre_env.render.text import SYMBOLS
from euchre_env.rules import N_SEATS, SEAT_NAMES, TEAM_NAMES
from euchre_env.ruleset import Ruleset

from .options import add_ruleset, add_seed
from .table import LENGTHS, Event, Table

BOLD, DIM, WARM = "1", "2", "1;33"
LEAST_COLUMNS = 20
JOINT = "\u00a0"
"""A space at which no line ends."""
_CARD = re.compile(r"\b([9TJQKA])([CDHS])\b")


class TerminalError(ValueError):
    """Options of a game in the terminal that cannot be; the message says what would do."""


# --- options -----------------------------------------------------------------------------------


def add_table(parser: argparse.ArgumentParser) -> None:
    """Declare the rules, the length and the seed."""
    add_ruleset(parser)
    parser.add_argument(
        "--length", choices=LENGTHS, default=LENGTHS[0], help="how long (default: %(default)s)"
    )
    add_seed(parser, "the deals and the agents")


def open_table(
    rules: Ruleset, seats: Sequence[str | None], seed: int, length: str = LENGTHS[0]
) -> Table:
    """A table as a command line describes it.

    Raises:
        TerminalError: a seed below zero.
        AgentError: an agent that cannot be, or cannot play this game.
    """
    if seed < 0:
        raise TerminalError(f"--seed {seed}: give a whole number from 0")
    return Table(rules, seats, seed, length=length)


# --- the screen --------------------------------------------------------------------------------


def tolerate() -> None:
    """Let no character that a terminal cannot write or read end a game."""
    for stream in (sys.stdin, sys.stdout):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


class Screen:
    """Standard output: how large it is, whether it takes colour, and text wrapped to fit.

    Attributes:
        colour: Whether to write ANSI escape sequences and suit symbols.
        terminal: Whether somebody watches: a terminal, not a file or a pipe.
    """

    def __init__(self) -> None:
        self.colour = render.wants_colour()
        self.terminal = bool(sys.stdout.isatty())

    @property
    def columns(self) -> int:
        """Columns at present: a window may change its size at any time."""
        return max(LEAST_COLUMNS, shutil.get_terminal_size().columns)

    def has_room(self, below: int) -> bool:
        """Whether a picture of the table and so many lines below it fit a terminal."""
        size = shutil.get_terminal_size()
        enough = size.columns >= render.COLUMNS and size.lines >= render.ROWS + below
        return self.terminal and enough

    def clear(self) -> None:
        """Start at the top of an empty screen, where escape sequences are understood."""
        if self.colour and self.terminal:
            print("\x1b[2J\x1b[H", end="")

    def say(self, text: str = "", style: str = "", indent: int = 0) -> None:
        """Print text wrapped to the columns there are; further lines are indented.

        Args:
            text: Plain text; cards such as JH are painted.
            style: Parameters of an escape sequence, such as :data:`BOLD`.
            indent: Columns by which lines after the first are set in.
        """
        width = self.columns
        for line in _wrapped(text, width, min(indent, width // 2)):
            print(self.paint(line, style))
        sys.stdout.flush()

    def say_beside(self, left: str, right: str, at: int) -> None:
        """Print two texts beside each other, the second from column ``at`` on, or below the first.

        The second is dimmed.
        """
        width = self.columns
        if width < at + LEAST_COLUMNS:
            self.say(left)
            if right:
                self.say("    " + right, DIM, 4)
            return
        below = _wrapped(right, width - at)
        print(f"{self.paint(left.ljust(at - 1))} {self.paint(below[0], DIM)}".rstrip())
        for line in below[1:]:
            print(" " * at + self.paint(line, DIM))
        sys.stdout.flush()

    def paint(self, text: str, style: str = "") -> str:
        """Text in a style, its cards with coloured suit symbols; as it is without colour."""
        if not self.colour:
            return text
        painted = _CARD.sub(_symbol, text)
        return f"\x1b[{style}m{painted}\x1b[0m" if style and text else painted

    def picture(self, table: Table, viewer: int | None, names: Sequence[str]) -> str:
        """The table as 24 lines, as a seat sees it; None shows all hands."""
        items = render.drawing(table.state, table.rules, viewer, names=names)
        return render.ansi(items, self.colour)


def _wrapped(text: str, width: int, indent: int = 0) -> list[str]:
    """Lines of a text, one at least; a word that is too long, such as a path, stays whole.

    No line ends at a :data:`JOINT`, which is printed as a space.
    """
    lines = textwrap.wrap(
        text,
        width,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(JOINT, " ") for line in lines] or [""]


def _symbol(card: re.Match[str]) -> str:
    suit = SUITS.index(card[2])
    text = card[1] + SYMBOLS[suit]
    return f"\x1b[91m{text}\x1b[39m" if card[2] in "DH" else text


def narrated(event: Event) -> str:
    """An event and what came of it, in a sentence without a full stop."""
    return f"{event.text}; {event.note}" if event.note else event.text


# --- seats -------------------------------------------------------------------------------------


def seats_of(names: Sequence[str], rules: Ruleset) -> list[str]:
    """The agents by seat from one for all, two for the pairs (North-South first), or one a seat.

    Raises:
        TerminalError: another number of names.
    """
    players = rules.players
    if rules.is_partnership and len(names) not in (1, 2, N_SEATS):
        raise TerminalError(
            f"{len(names)} agents: name one for all seats, two for the pairs North-South and "
            "East-West, or four by seat"
        )
    if not rules.is_partnership and len(names) not in (1, players):
        raise TerminalError(
            f"{len(names)} agents: name one for all seats, or {players} by seat, for "
            f"{listed(SEAT_NAMES[:players], 'and')}"
        )
    return [names[seat % len(names)] for seat in range(players)]


def score_text(table: Table) -> str:
    """The score of each side, and of the games of a match where there are several."""
    text = by_side(table, table.score)
    if table.ruleset.four_trick_tokens:
        text = f"{text}; tokens {' to '.join(str(n) for n in table.state.tokens)}"
    if table.ruleset.match_games == 1:
        return text
    games = [int(n) for n in table.state.games[: len(table.score)]]
    return f"{text}; games {' to '.join(map(str, games))}"


def by_side(table: Table, numbers: Sequence[int]) -> str:
    """A number beside the name of each side: the pairs, or the players."""
    pairs = ("North-South", "East-West")
    names = pairs if table.ruleset.is_partnership else SEAT_NAMES
    return ", ".join(f"{name} {number}" for name, number in zip(names, numbers))


def outcome(table: Table) -> str:
    """Who won, once there is nothing more to play; the score where nobody has."""
    winner = int(table.state.match_winner)
    won = ""
    if winner >= 0 and table.ruleset.is_partnership:
        won = f"{TEAM_NAMES[winner]} win. "
    elif winner >= 0:
        won = f"{SEAT_NAMES[winner]} wins. "
    return f"{won}{score_text(table)}."
