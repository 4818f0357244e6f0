"""Pictures of a game: one drawing list, as text for a terminal or as an image.

:func:`drawing` turns a record into a list of a few kinds of items, placed in columns and rows of a
terminal of 80 by 24 characters; :func:`ansi` and :func:`rgb_array` only paint such a list.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .cards import (
    CARD_AT,
    JOKER,
    NO_TRUMP,
    RANKS,
    SUIT_NAMES,
    cards_of,
    popcount,
)
from .rules import (
    FACE_UP,
    N_SEATS,
    NOBODY,
    OVER,
    PHASES,
    TURNED_DOWN,
    hide,
    is_out,
    new_states,
    team,
)

COLUMNS, ROWS = 80, 24
CELL_WIDTH, CELL_HEIGHT = 10, 20
"""Pixels of an image to a column and a row."""

SEAT_NAMES = ("North", "East", "South", "West")
TEAM_NAMES = ("North and South", "East and West")

FELT, RAIL = (28, 94, 62), (20, 62, 44)
INK, PALE, LIT = (24, 24, 28), (236, 236, 224), (255, 214, 90)
RED, BACK = (190, 30, 45), (52, 74, 130)

_CARD_SPACING = 5
_HANDS = ((40, 5), (64, 12), (40, 20), (16, 12))  # middle of each seat's hand: column, row
_LABEL_ROWS = (2, 9, 17, 9)
_TRICK = ((40, 8), (46, 11), (40, 14), (34, 11))
_MIDDLE = (40, 11)
_SYMBOLS = "♣♦♥♠"


@dataclass(frozen=True, slots=True)
class Rect:
    """A filled rectangle: its left upper corner and size in columns and rows; not in text."""

    x: float
    y: float
    width: float
    height: float
    colour: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text whose middle stands at a column and a row."""

    x: float
    y: float
    text: str
    colour: tuple[int, int, int] = PALE


@dataclass(frozen=True, slots=True)
class Card:
    """A card whose middle stands at a column and a row; ``card`` is its id, None for its back."""

    x: float
    y: float
    card: int | None
    lit: bool = False


Item = Rect | Text | Card


# --- the drawing list ----------------------------------------------------------------------------


def drawing(s: Any, r: Any, viewer: int | None = None) -> list[Item]:
    """What there is to paint of a game.

    Args:
        s: The full record; unchanged.
        r: The rule record.
        viewer: Show only what this seat can know; None shows all hands.
    """
    states = new_states(1)
    states[0] = s
    seen: Any = states[0]
    if viewer is not None:
        hide(seen, r, viewer)
    counts = [popcount(int(s["hand"][seat])) for seat in range(N_SEATS)]
    return [
        Rect(0, 0, COLUMNS, ROWS, FELT),
        Rect(0, 0, COLUMNS, 1.5, RAIL),
        Rect(0, ROWS - 1.5, COLUMNS, 1.5, RAIL),
        Text(COLUMNS / 2, 0, _headline(seen)),
        *(item for seat in range(N_SEATS) for item in _seat(seen, seat, counts[seat])),
        *_middle(seen),
        Text(COLUMNS / 2, ROWS - 1, _footline(seen)),
    ]


def _headline(s: Any) -> str:
    score, tricks = s["score"], s["tricks"]
    return (
        f"{TEAM_NAMES[0]} {score[0]} : {score[1]} {TEAM_NAMES[1]}"
        f"     tricks {tricks[0]} : {tricks[1]}     {PHASES[int(s['phase'])]}"
    )


def _footline(s: Any) -> str:
    if s["phase"] == OVER:
        return _result(s)
    if s["trump"] == NOBODY:
        return f"{s['passes']} passed"
    trump = "no trump" if s["trump"] == NO_TRUMP else f"{SUIT_NAMES[int(s['trump'])]} are trump"
    return f"{trump}, called by {SEAT_NAMES[int(s['maker'])]}"


def _result(s: Any) -> str:
    if s["thrown_in"]:
        return "thrown in"
    points = s["points"]
    return f"points of this hand: {points[0]} : {points[1]}"


def _seat(s: Any, seat: int, count: int) -> Iterator[Item]:
    x, y = _HANDS[seat]
    turn = s["turn"] == seat
    mark = "> " if turn else ""
    yield Text(x, _LABEL_ROWS[seat], f"{mark}{_label(s, seat)}", LIT if turn else PALE)
    known = cards_of(s["hand"][seat], int(s["frame"]))
    shown: list[int | None] = [*known] if known else [None] * count
    for k, card in enumerate(shown):
        yield Card(x + _CARD_SPACING * (k - (len(shown) - 1) / 2), y, card)


def _label(s: Any, seat: int) -> str:
    notes = []
    if s["dealer"] == seat:
        notes.append("dealer")
    if s["maker"] == seat:
        notes.append("maker")
    if seat in (s["loner"], s["lone_defender"]):
        notes.append("alone")
    if is_out(s, seat):
        notes.append("sits out")
    if s["offender"] == seat:
        notes.append("reneged")
    return SEAT_NAMES[seat] + (f" ({', '.join(notes)})" if notes else "")


def _middle(s: Any) -> Iterator[Item]:
    """The present trick, or the last one before the next lead; before play, the upcard."""
    if s["leader"][0] != NOBODY:
        yield from _trick(s)
    elif s["place"] in (FACE_UP, TURNED_DOWN):
        x, y = _MIDDLE
        card = int(cards_of(s["upcard"], int(s["frame"]))[0])
        turned_down = s["place"] == TURNED_DOWN
        yield Card(x, y, None if turned_down else card)
        yield Text(x, y + 2, f"{_spoken(card)} turned down" if turned_down else "upcard")


def _trick(s: Any) -> Iterator[Item]:
    played = [t for t, bits in enumerate(s["plays"]) if (bits >= 0).any()]
    if not played:
        return
    trick = played[-1]
    for seat, (x, y) in enumerate(_TRICK):
        bit = int(s["plays"][trick, seat])
        if bit >= 0:
            yield Card(x, y, int(CARD_AT[s["frame"], bit]), lit=s["winner"] == seat)
    if trick < s["trick"]:
        winner = int(s["winner"])
        yield Text(*_MIDDLE, f"to {'NESW'[winner]}", (PALE, LIT)[team(winner)])


def _spoken(card: int) -> str:
    # In words, since the font that comes with Pillow has no suits.
    return "joker" if card == JOKER else f"{RANKS[card % 6]} of {SUIT_NAMES[card // 6]}"


# --- text ----------------------------------------------------------------------------------------


def ansi(items: list[Item]) -> str:
    """The drawing as 24 lines of text, without colours; the winning card in round brackets."""
    grid = [[" "] * COLUMNS for _ in range(ROWS)]
    for item in items:
        if isinstance(item, Card):
            _write(grid, item.x, item.y, _card_word(item))
        elif isinstance(item, Text):
            _write(grid, item.x, item.y, item.text)
    return "\n".join("".join(row).rstrip() for row in grid)


def _card_word(item: Card) -> str:
    if item.card is None:
        name = "##"
    elif item.card == JOKER:
        name = "JKR"
    else:
        name = RANKS[item.card % 6] + _SYMBOLS[item.card // 6]
    return f"({name})" if item.lit else f"[{name}]"


def _write(grid: list[list[str]], x: float, y: float, word: str) -> None:
    row = grid[round(y)]
    start = max(0, min(math.floor(x - len(word) / 2 + 0.5), COLUMNS - len(word)))
    row[start : start + len(word)] = word


# --- image ---------------------------------------------------------------------------------------

_CARD_WIDTH, _CARD_HEIGHT = 42, 56


def rgb_array(items: list[Item]) -> npt.NDArray[np.uint8]:
    """The drawing as an image, uint8[480, 800, 3].

    Raises:
        ImportError: Pillow is not installed; the message says how to get it.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise ImportError(
            "render_mode='rgb_array' draws with Pillow, which is not installed: "
            "pip install 'euchre-env[render]'"
        ) from None
    image = Image.new("RGB", (COLUMNS * CELL_WIDTH, ROWS * CELL_HEIGHT))
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(16)
    for item in items:
        x, y = item.x * CELL_WIDTH, (item.y + 0.5) * CELL_HEIGHT
        if isinstance(item, Rect):
            left, top = item.x * CELL_WIDTH, item.y * CELL_HEIGHT
            box = (left, top, left + item.width * CELL_WIDTH, top + item.height * CELL_HEIGHT)
            draw.rectangle(box, fill=item.colour)
        elif isinstance(item, Text):
            draw.text((x, y), item.text, fill=item.colour, font=font, anchor="mm")
        else:
            _paint_card(draw, font, x, y, item)
    return np.array(image, np.uint8)


def _paint_card(draw: Any, font: Any, x: float, y: float, item: Card) -> None:
    left, top = x - _CARD_WIDTH / 2, y - _CARD_HEIGHT / 2
    box = (left, top, left + _CARD_WIDTH, top + _CARD_HEIGHT)
    face = BACK if item.card is None else PALE
    edge = LIT if item.lit else INK
    draw.rounded_rectangle(box, 5, fill=face, outline=edge, width=3 if item.lit else 1)
    if item.card is None:
        return
    if item.card == JOKER:
        draw.text((x, y), "Joker", fill=RED, font=font.font_variant(size=13), anchor="mm")
        return
    suit = item.card // 6
    colour = RED if suit in (1, 2) else INK
    rank = RANKS[item.card % 6].replace("T", "10")
    draw.text((x, y - 13), rank, fill=colour, font=font, anchor="mm")
    _paint_suit(draw, suit, x, y + 12, 9, colour)


def _paint_suit(draw: Any, suit: int, x: float, y: float, size: float, colour: Any) -> None:
    h = size / 2

    def disc(dx: float, dy: float) -> None:
        draw.ellipse((x + dx - h, y + dy - h, x + dx + h, y + dy + h), fill=colour)

    def shape(*points: tuple[float, float]) -> None:
        draw.polygon([(x + size * px, y + size * py) for px, py in points], fill=colour)

    if suit == 1:
        shape((0, -1), (0.75, 0), (0, 1), (-0.75, 0))
        return
    if suit == 2:
        disc(-h, -h)
        disc(h, -h)
        shape((-0.95, -0.3), (0.95, -0.3), (0, 1))
        return
    shape((0, 0), (0.35, 1), (-0.35, 1))
    disc(-h, h * 0.4)
    disc(h, h * 0.4)
    if suit == 3:
        shape((0, -1), (0.95, 0.1), (-0.95, 0.1))
    else:
        disc(0, -h)
