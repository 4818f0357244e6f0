"""What a drawing is made of: a few kinds of items, each with its place in a picture and in a text.

A picture is 1280 by 720 pixels, a text 80 by 24 characters. ``x`` and ``y`` are pixels of the
picture; ``cell`` is a column and a row of the text, or None for what only a picture shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..cards import ALL_RANKS, JOKER, SUIT_NAMES, rank_of_card, suit_of_card

WIDTH, HEIGHT = 1280, 720
COLUMNS, ROWS = 80, 24
CARD_WIDTH, CARD_HEIGHT = 84, 118
"""Pixels of a card of scale 1."""

Colour = tuple[int, int, int]
Cell = tuple[int, int]
Anchor = Literal["start", "middle", "end"]

RAIL, RAIL_EDGE = (62, 39, 27), (96, 64, 44)
FELT, INLAY = (25, 99, 68), (58, 132, 98)
SHADE = (0, 0, 0)
PALE, FAINT, LIT = (245, 242, 232), (178, 208, 192), (255, 214, 90)
INK, RED = (26, 27, 33), (200, 30, 46)
FACE, FACE_EDGE = (252, 251, 246), (196, 190, 176)
GOLD, PARCHMENT = (226, 170, 60), (253, 244, 216)
BACK, BACK_LINE = (44, 70, 134), (104, 132, 196)


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle with round corners, by its middle; never in a text."""

    x: float
    y: float
    width: float
    height: float
    fill: Colour
    radius: float = 0
    opacity: float = 1


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; ``word`` is how a terminal writes it, where that differs."""

    x: float
    y: float
    text: str
    size: int = 18
    colour: Colour = PALE
    anchor: Anchor = "middle"
    bold: bool = False
    cell: Cell | None = None
    word: str | None = None


@dataclass(frozen=True, slots=True)
class Suit:
    """A suit's own shape by its middle; ``size`` is half its height. In a text its name."""

    x: float
    y: float
    suit: int
    size: float
    colour: Colour
    cell: Cell | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """A card by its middle; ``card`` is its id, None for its back."""

    x: float
    y: float
    card: int | None
    lit: bool = False
    faded: bool = False
    scale: float = 1
    cell: Cell | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar filled from the left to ``share`` (0 to 1) of its width; ``columns`` in a text."""

    x: float
    y: float
    width: float
    height: float
    share: float
    colour: Colour
    cell: Cell | None = None
    columns: int = 0


Item = Box | Text | Suit | Card | Bar


NAME_LENGTH = 16
"""Characters of a player's name that are shown."""


def clean(name: str) -> str:
    """A name without characters that would steer a terminal, and not too long."""
    shown = "".join(c if c.isprintable() else "?" for c in str(name))
    return shown if len(shown) <= NAME_LENGTH else shown[: NAME_LENGTH - 2] + ".."


def spoken(card: int) -> str:
    """A card in words, such as ``K of hearts``, since fonts may lack the suits."""
    if card == JOKER:
        return "joker"
    rank = ALL_RANKS[rank_of_card(card)].replace("T", "10")
    return f"{rank} of {SUIT_NAMES[suit_of_card(card)]}"


def mixed(colour: Colour, ground: Colour, share: float) -> Colour:
    """A colour with ``share`` (0 to 1) of another one mixed in."""
    r, g, b = (round(c + share * (d - c)) for c, d in zip(colour, ground))
    return r, g, b
