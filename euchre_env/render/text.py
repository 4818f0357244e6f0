"""A drawing as 24 lines of 80 characters, for terminals: plain, or in colour with suit symbols."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from ..cards import JOKER, SUIT_NAMES, card_text, suit_of_card
from .items import COLUMNS, FAINT, INK, LIT, RED, ROWS, Bar, Card, Item, Suit, Text
from .shapes import suit_colour

SYMBOLS = "♣♦♥♠"
"""The suits C D H S in a text with symbols."""

_PLAIN, _BOLD, _DIM, _WARM, _REVERSED = "", "1", "2", "1;33", "7"
_BLACK_ON_WHITE, _RED_ON_WHITE = "30;107", "31;107"
_BLACK_ON_YELLOW, _RED_ON_YELLOW = "30;103", "31;103"
_GREY_CARD, _CARD_BACK, _BAR, _RED_SUIT = "90;47", "97;44", "36", "91"

Grid = list[list[tuple[str, str]]]
"""Rows of characters, each with the parameters of its escape sequence."""


def ansi(items: Sequence[Item], colour: bool = False, symbols: bool | None = None) -> str:
    """The drawing as 24 lines of at most 80 characters.

    Colour only underlines what the characters say: the card that is winning stands in round
    brackets, the seat to act behind a ``>``.

    Args:
        items: A drawing list.
        colour: Write ANSI escape sequences.
        symbols: Write ``9♥`` for ``9H``, and bars in blocks; None: as ``colour``.
    """
    symbols = colour if symbols is None else symbols
    grid: Grid = [[(" ", _PLAIN)] * COLUMNS for _ in range(ROWS)]
    for item in items:
        if isinstance(item, Card | Text | Suit | Bar) and item.cell is not None:
            word, code, anchor = _written(item, symbols)
            _write(grid, item.cell, word, code, anchor)
    return "\n".join(map(_coloured if colour else _plain, grid))


def wants_colour(stream: Any = None, environ: Mapping[str, str] | None = None) -> bool:
    """Whether text written to a stream should be coloured.

    True for a terminal that can write the suits, unless ``NO_COLOR`` (no-color.org) is set or
    ``TERM`` is ``dumb``; ``FORCE_COLOR`` stands for a terminal.

    Args:
        stream: Standard output unless given.
        environ: The environment variables unless given.
    """
    stream = sys.stdout if stream is None else stream
    environ = os.environ if environ is None else environ
    if environ.get("NO_COLOR"):
        return False
    try:
        SYMBOLS.encode(getattr(stream, "encoding", None) or "ascii")
        is_terminal = bool(stream.isatty())
    except (AttributeError, LookupError, UnicodeError, ValueError):
        return False
    return bool(environ.get("FORCE_COLOR")) or (is_terminal and environ.get("TERM") != "dumb")


def _written(item: Card | Text | Suit | Bar, symbols: bool) -> tuple[str, str, str]:
    """What an item writes, in which colours, and how it stands to its cell."""
    if isinstance(item, Card):
        return _card_word(item, symbols), _card_code(item), "middle"
    if isinstance(item, Suit):
        word = SYMBOLS[item.suit] if symbols else SUIT_NAMES[item.suit]
        return word, _RED_SUIT if suit_colour(item.suit) == RED else _BOLD, "middle"
    if isinstance(item, Bar):
        full = round(item.share * item.columns)
        marks = "█░" if symbols else "#."
        return marks[0] * full + marks[1] * (item.columns - full), _BAR, "start"
    code = {LIT: _WARM, FAINT: _DIM, INK: _REVERSED}.get(
        item.colour, _BOLD if item.bold else _PLAIN
    )
    return item.text if item.word is None else item.word, code, item.anchor


def _card_word(item: Card, symbols: bool) -> str:
    if item.card is None:
        name = "##"
    elif item.card == JOKER:
        name = "JKR"
    else:
        name = card_text(item.card)
        name = name[0] + SYMBOLS[suit_of_card(item.card)] if symbols else name
    return f"({name})" if item.lit else f"[{name}]"


def _card_code(item: Card) -> str:
    if item.card is None:
        return _CARD_BACK
    if item.faded:
        return _GREY_CARD
    is_red = item.card != JOKER and suit_colour(suit_of_card(item.card)) == RED
    if item.lit:
        return _RED_ON_YELLOW if is_red else _BLACK_ON_YELLOW
    return _RED_ON_WHITE if is_red else _BLACK_ON_WHITE


def _write(grid: Grid, cell: tuple[int, int], word: str, code: str, anchor: str) -> None:
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
    start = math.floor(cell[0] - share * len(word) + 0.5)
    start = max(0, min(start, COLUMNS - len(word)))
    grid[cell[1]][start : start + len(word)] = [(c, code) for c in word]


def _plain(row: list[tuple[str, str]]) -> str:
    return "".join(c for c, _ in row).rstrip()


def _coloured(row: list[tuple[str, str]]) -> str:
    parts = []
    for code, run in groupby(row, key=lambda pair: pair[1]):
        text = "".join(c for c, _ in run)
        parts.append(f"\x1b[{code}m{text}\x1b[0m" if code else text)
    return "".join(parts).rstrip()
