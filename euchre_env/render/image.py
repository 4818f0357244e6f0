"""A drawing as pixels, painted with Pillow.

Shapes are filled through masks that were drawn four times as large and reduced, which makes their
edges smooth; masks and whole cards are kept, so that a picture costs little more than its texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from .items import (
    BACK,
    BACK_LINE,
    CARD_HEIGHT,
    CARD_WIDTH,
    FACE,
    FACE_EDGE,
    FELT,
    HEIGHT,
    LIT,
    SHADE,
    WIDTH,
    Bar,
    Box,
    Card,
    Colour,
    Item,
    Suit,
    Text,
    mixed,
)
from .shapes import SUIT_SHAPES, Frame, Letters, Mark, Part, back, face, polygons

_FINE = 4
"""How much larger masks are drawn."""
BASELINE = 0.36
"""How far the baseline stands below the middle of capitals, as a share of the size."""


def rgb_array(items: Sequence[Item]) -> npt.NDArray[np.uint8]:
    """The drawing as an image, uint8[720, 1280, 3].

    Raises:
        ImportError: Pillow is not installed; the message says how to get it.
    """
    require_pillow()
    ground = tuple(takewhile(lambda item: isinstance(item, Box), items))
    image = _ground(ground).copy()
    for item in items[len(ground) :]:
        if isinstance(item, Box):
            _paint_box(image, item)
        elif isinstance(item, Text):
            _paint_text(image, item)
        elif isinstance(item, Suit):
            _fill(image, item.x, item.y, _outline(SUIT_SHAPES[item.suit], item.size), item.colour)
        elif isinstance(item, Bar):
            for box in bar_boxes(item):
                _paint_box(image, box)
        else:
            _paint_card(image, item)
    return np.array(image, np.uint8)


@lru_cache(maxsize=4)
def _ground(boxes: tuple[Box, ...]) -> Any:
    """What lies under everything else; it is large, and the same in every picture."""
    image = require_pillow().new("RGB", (WIDTH, HEIGHT))
    for box in boxes:
        _paint_box(image, box)
    return image


def bar_boxes(bar: Bar) -> list[Box]:
    """The two boxes of a bar: its track and its filled part."""
    track = Box(bar.x + bar.width / 2, bar.y, bar.width, bar.height, SHADE, 3, 0.35)
    filled = max(2.0, bar.share * bar.width)
    return [track, Box(bar.x + filled / 2, bar.y, filled, bar.height, bar.colour, 3)]


def require_pillow() -> Any:
    """Pillow's Image module; ImportError, which says what to install, where it is missing."""
    try:
        from PIL import Image
    except ImportError:
        raise ImportError(
            "pictures are drawn with Pillow, which is not installed: "
            "pip install 'euchre-env[render]'"
        ) from None
    return Image


# --- masks ---------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _round_box(width: int, height: int, radius: float, opacity: float) -> Any:
    from PIL import ImageDraw

    mask = require_pillow().new("L", (width * _FINE, height * _FINE))
    edge = (0, 0, width * _FINE - 1, height * _FINE - 1)
    level = round(255 * opacity)
    ImageDraw.Draw(mask).rounded_rectangle(edge, radius * _FINE, fill=level)
    return mask.reduce(_FINE)


@lru_cache(maxsize=256)
def _outline(path: str, size: float, turned: bool = False) -> Any:
    """The mask of an outline, ``size`` pixels to its unit, with a little room around it."""
    from PIL import ImageDraw, ImageOps

    half = int(size * _reach(path)) + 2
    mask = require_pillow().new("L", (2 * half * _FINE, 2 * half * _FINE))
    draw = ImageDraw.Draw(mask)
    for points in polygons(path):
        draw.polygon(
            [((half + size * x) * _FINE, (half + size * y) * _FINE) for x, y in points], fill=255
        )
    mask = mask.reduce(_FINE)
    return ImageOps.flip(ImageOps.mirror(mask)) if turned else mask


@lru_cache(maxsize=64)
def _reach(path: str) -> float:
    return max(max(abs(x), abs(y)) for points in polygons(path) for x, y in points)


def _fill(image: Any, x: float, y: float, mask: Any, colour: Colour) -> None:
    """Paint a colour through a mask whose middle stands at a place."""
    left, top = round(x - mask.width / 2), round(y - mask.height / 2)
    image.paste(colour, (left, top, left + mask.width, top + mask.height), mask)


def _paint_box(image: Any, box: Box) -> None:
    width, height = max(1, round(box.width)), max(1, round(box.height))
    _fill(image, box.x, box.y, _round_box(width, height, box.radius, box.opacity), box.fill)


# --- texts ---------------------------------------------------------------------------------------


@lru_cache(maxsize=32)
def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)  # the font that comes with Pillow


def _paint_text(image: Any, item: Text) -> None:
    from PIL import ImageDraw

    anchor = {"start": "ls", "middle": "ms", "end": "rs"}[item.anchor]
    place = (item.x, item.y + BASELINE * item.size)
    draw, font = ImageDraw.Draw(image), _font(item.size)
    draw.text(place, item.text, item.colour, font, anchor)
    if item.bold:  # the font has one weight: a second print, a little to the right
        draw.text((place[0] + item.size / 28, place[1]), item.text, item.colour, font, anchor)


# --- cards ---------------------------------------------------------------------------------------


def _paint_card(image: Any, item: Card) -> None:
    width, height = round(CARD_WIDTH * item.scale), round(CARD_HEIGHT * item.scale)
    radius = 8 * item.scale
    _fill(image, item.x + 2, item.y + 3, _round_box(width, height, radius, 0.28), SHADE)
    if item.lit:
        _fill(image, item.x, item.y, _round_box(width + 10, height + 10, radius + 5, 1.0), LIT)
    tile = _card_tile(item.card, item.faded, item.scale)
    left, top = round(item.x - width / 2), round(item.y - height / 2)
    image.paste(tile, (left, top), _round_box(width, height, radius, 1.0))


@lru_cache(maxsize=128)
def _card_tile(card: int | None, faded: bool, scale: float) -> Any:
    """The picture of a card, without its round corners."""
    size = (round(CARD_WIDTH * scale), round(CARD_HEIGHT * scale))
    if scale != 1:
        return _card_tile(card, faded, 1).resize(size, require_pillow().Resampling.LANCZOS)
    image = require_pillow().new("RGB", size, FACE_EDGE)
    middle = (CARD_WIDTH / 2, CARD_HEIGHT / 2)
    inner = _round_box(CARD_WIDTH - 2, CARD_HEIGHT - 2, 7, 1.0)
    _fill(image, *middle, inner, FACE)
    if card is None:
        _fill(image, *middle, _round_box(CARD_WIDTH - 10, CARD_HEIGHT - 10, 5, 1.0), BACK)
    for part in back(BACK_LINE) if card is None else face(card):
        _paint_part(image, part)
    if faded:
        image = require_pillow().blend(image, require_pillow().new("RGB", size, FADE), FADE_SHARE)
    return image


FADE = mixed(FELT, SHADE, 0.25)
"""The colour that greys a card."""
FADE_SHARE = 0.5


def _paint_part(image: Any, part: Part) -> None:
    x, y = CARD_WIDTH / 2, CARD_HEIGHT / 2
    if isinstance(part, Frame):
        width, height = round(part.width), round(part.height)
        _fill(image, x, y, _round_box(width, height, 4, 1.0), part.edge)
        _fill(image, x, y, _round_box(width - 2, height - 2, 3, 1.0), part.fill)
    elif isinstance(part, Mark):
        mask = _outline(part.path, part.size, part.turned)
        _fill(image, x + part.x, y + part.y, mask, part.colour)
    else:
        _paint_letters(image, part)


def _paint_letters(image: Any, part: Letters) -> None:
    turn = require_pillow().Transpose.ROTATE_180
    side = -1 if part.turned else 1
    place = (CARD_WIDTH / 2 + side * part.x, CARD_HEIGHT / 2 + side * part.y)
    upright = image.transpose(turn) if part.turned else image
    _paint_text(upright, Text(*place, part.text, part.size, part.colour, bold=True))
    if part.turned:
        image.paste(upright.transpose(turn))
