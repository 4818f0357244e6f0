"""Outlines of suits, crowns and stars, and the face of each card, drawn for this project.

An outline is an SVG path of absolute M, L, C and Z commands in a square from -1 to 1, y downwards.
Painters of pixels flatten it with :func:`polygons`; an SVG holds it as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import cos, pi, sin

from ..cards import (
    ACE,
    ALL_RANKS,
    DIAMONDS,
    EIGHT,
    HEARTS,
    JACK,
    JOKER,
    KING,
    NINE,
    QUEEN,
    SEVEN,
    TEN,
    rank_of_card,
    suit_of_card,
)
from .items import GOLD, INK, PARCHMENT, RED, Colour

Point = tuple[float, float]
Curve = tuple[Point, Point, Point]
"""Two control points and the end of a cubic Bézier curve."""


# --- outlines ------------------------------------------------------------------------------------


def _points(points: Sequence[Point]) -> str:
    """Coordinates as short as they can be; an SVG holds many of them."""
    numbers = (f"{round(c, 2):g}" for point in points for c in point)
    return " ".join(n.replace("0.", ".", 1) if n.lstrip("-")[:2] == "0." else n for n in numbers)


def _symmetric(start: Point, curves: Sequence[Curve]) -> str:
    """The closed path of curves down the right side from the middle line, and their mirror."""
    ends = [start, *(curve[2] for curve in curves)]
    back = [(b, a, end) for (a, b, _), end in zip(reversed(curves), reversed(ends[:-1]))]
    mirrored = [[(-x, y) for x, y in curve] for curve in back]
    return f"M{_points([start])}{''.join(f'C{_points(c)}' for c in [*curves, *mirrored])}Z"


def _polygon(points: Sequence[Point]) -> str:
    return "M" + "L".join(_points([point]) for point in points) + "Z"


def _disc(x: float, y: float, radius: float) -> str:
    k = 0.5523 * radius
    right, under, left, over = (x + radius, y), (x, y + radius), (x - radius, y), (x, y - radius)
    curves = (
        ((right[0], y + k), (x + k, under[1]), under),
        ((x - k, under[1]), (left[0], y + k), left),
        ((left[0], y - k), (x - k, over[1]), over),
        ((x + k, over[1]), (right[0], y - k), right),
    )
    return f"M{_points([right])}{''.join(f'C{_points(c)}' for c in curves)}Z"


def _star(points: int, inner: float) -> str:
    spokes = ((1 if k % 2 == 0 else inner, pi * k / points) for k in range(2 * points))
    return _polygon([(r * sin(angle), -r * cos(angle)) for r, angle in spokes])


_STEM = _symmetric(
    (0, 0.1),
    [((0.06, 0.1), (0.06, 0.1), (0.06, 0.3)), ((0.08, 0.75), (0.18, 0.92), (0.38, 1))]
    + [((0.2, 1), (0.1, 1), (0, 1))],
)
_CLUB = _disc(0, -0.54, 0.45) + _disc(-0.5, 0.2, 0.45) + _disc(0.5, 0.2, 0.45)
_DIAMOND = _symmetric(
    (0, -1), [((0.2, -0.62), (0.46, -0.28), (0.76, 0)), ((0.46, 0.28), (0.2, 0.62), (0, 1))]
)
_HEART = _symmetric(
    (0, -0.52),
    [
        ((0.1, -0.82), (0.28, -0.96), (0.5, -0.96)),
        ((0.78, -0.96), (0.97, -0.74), (0.97, -0.42)),
        ((0.97, 0.15), (0.3, 0.5), (0, 1)),
    ],
)
_SPADE = _symmetric(
    (0, -1),
    [
        ((0.28, -0.5), (0.95, -0.18), (0.95, 0.3)),
        ((0.95, 0.58), (0.74, 0.74), (0.5, 0.74)),
        ((0.28, 0.74), (0.1, 0.62), (0, 0.4)),
    ],
)
SUIT_SHAPES = (_CLUB + _disc(0, 0, 0.22) + _STEM, _DIAMOND, _HEART, _SPADE + _STEM)
"""The outline of each suit."""

STAR = _star(5, 0.45)
_BASE = _polygon([(-0.8, 0.5), (0.8, 0.5), (0.8, 0.75), (-0.8, 0.75)])
_SPIKES = ((-0.85, 0.4), (-1, -0.45), (-0.42, 0), (0, -0.75), (0.42, 0), (1, -0.45), (0.85, 0.4))
_BALLS = "".join(_disc(x, y, 0.13) for x, y in ((-1, -0.55), (0, -0.85), (1, -0.55)))
_CROSS = "".join(
    _polygon([(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)])
    for x, y, w, h in ((0, -0.85, 0.07, 0.27), (0, -0.92, 0.2, 0.07))
)
_TIARA = (
    *((-0.8, 0.4), (-1, -0.25), (-0.6, 0.05), (-0.5, -0.55), (-0.2, 0), (0, -0.7)),
    *((0.2, 0), (0.5, -0.55), (0.6, 0.05), (1, -0.25), (0.8, 0.4)),
)
_PEARLS = "".join(
    _disc(x, y, 0.12) for x, y in ((-1, -0.32), (-0.5, -0.64), (0, -0.8), (0.5, -0.64), (1, -0.32))
)
_CAP = (
    "M-0.85 0.4C-0.95 -0.2 -0.6 -0.5 -0.1 -0.5C0.45 -0.5 0.85 -0.2 0.85 0.4Z"
    "M0.05 -0.35C0.3 -0.8 0.7 -1 1.05 -0.95C0.95 -0.6 0.65 -0.3 0.2 -0.2Z"
)
CROWNS = {
    JACK: _CAP + _BASE,
    QUEEN: _polygon(_TIARA) + _PEARLS + _BASE,
    KING: _polygon(_SPIKES) + _BALLS + _CROSS + _BASE,
}
"""What the jack, the queen and the king wear."""


# --- flattening ----------------------------------------------------------------------------------


@cache
def polygons(path: str) -> tuple[tuple[Point, ...], ...]:
    """The closed polygons of an outline, each curve as twelve chords."""
    found = []
    for part in path.split("Z")[:-1]:
        points: list[Point] = []
        for step in part.replace("C", "|C").replace("L", "|L").split("|"):
            numbers = [float(word) for word in step[1:].split()]
            ends = list(zip(numbers[::2], numbers[1::2]))
            points += _chords(points[-1], ends) if step[0] == "C" else ends
        found.append(tuple(points))
    return tuple(found)


def _chords(start: Point, curve: Sequence[Point]) -> Iterator[Point]:
    for k in range(1, 13):
        t = k / 12
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        ends = (start, *curve)
        yield (
            sum(w * x for w, (x, _) in zip(weights, ends)),
            sum(w * y for w, (_, y) in zip(weights, ends)),
        )


# --- faces ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mark:
    """An outline on a card: its middle from the card's middle, and half its height, in pixels."""

    path: str
    x: float
    y: float
    size: float
    colour: Colour
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Letters:
    """Letters on a card, bold, by their middle."""

    text: str
    x: float
    y: float
    size: int
    colour: Colour
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """A panel in the middle of a card, with a thin edge."""

    width: float
    height: float
    fill: Colour
    edge: Colour


Part = Mark | Letters | Frame

_PIP_ROWS = (-39, -13, 13, 39)
_LATTICE = "".join(
    _polygon([(x, y - 7), (x + 6, y), (x, y + 7), (x - 6, y)])
    for x in (-24, -8, 8, 24)
    for y in (-40, -24, -8, 8, 24, 40)
)
"""The back of a card, in pixels."""


_THREE_ROWS = (-39, 0, 39)
_PIPS = {
    SEVEN: [*((x, y) for x in (-11, 11) for y in _THREE_ROWS), (0, -20)],
    EIGHT: [*((x, y) for x in (-11, 11) for y in _THREE_ROWS), (0, -20), (0, 20)],
    NINE: [*((x, y) for x in (-11, 11) for y in _PIP_ROWS), (0, 0)],
    TEN: [*((x, y) for x in (-11, 11) for y in _PIP_ROWS), (0, -26), (0, 26)],
}
"""Where the suit stands on a card, by rank."""


def suit_colour(suit: int) -> Colour:
    """Red for diamonds and hearts, the colour of ink for clubs and spades."""
    return RED if suit in (DIAMONDS, HEARTS) else INK


@cache
def face(card: int) -> tuple[Part, ...]:
    """What a card of scale 1 shows: corner indices, pips, a crown in a frame, or a star."""
    if card == JOKER:
        return tuple(_joker())
    suit, rank = suit_of_card(card), rank_of_card(card)
    return (*_middle(suit, rank), *_indices(suit, rank))


def _indices(suit: int, rank: int) -> Iterator[Part]:
    colour, text = suit_colour(suit), ALL_RANKS[rank].replace("T", "10")
    for side, turned in ((1, False), (-1, True)):
        yield Letters(text, -30 * side, -44 * side, 24 if len(text) == 1 else 20, colour, turned)
        yield Mark(SUIT_SHAPES[suit], -30 * side, -24 * side, 7.5, colour, turned)


def _middle(suit: int, rank: int) -> Iterator[Part]:
    shape, colour = SUIT_SHAPES[suit], suit_colour(suit)
    if rank == ACE:
        yield Mark(shape, 0, 0, 25, colour)
    elif rank in _PIPS:
        for x, y in _PIPS[rank]:
            yield Mark(shape, x, y, 7.5, colour, y > 0)
    else:
        yield Frame(38, 98, PARCHMENT, colour)
        for side, turned in ((1, False), (-1, True)):
            yield Mark(CROWNS[rank], 0, -33 * side, 13, GOLD, turned)
            yield Mark(shape, 0, -12 * side, 9, colour, turned)


def _joker() -> Iterator[Part]:
    yield Mark(STAR, 0, -4, 27, GOLD)
    yield Letters("JOKER", 0, 40, 17, INK)
    for side, turned in ((1, False), (-1, True)):
        yield Mark(STAR, -30 * side, -46 * side, 8, RED, turned)


def back(colour: Colour) -> tuple[Mark, ...]:
    """The pattern on the back of a card of scale 1."""
    return (Mark(_LATTICE, 0, 0, 1, colour),)
