"""A drawing as an SVG picture: one text, without fonts, scripts or references to anything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from .image import BASELINE, FADE, FADE_SHARE, bar_boxes
from .items import (
    BACK,
    BACK_LINE,
    CARD_HEIGHT,
    CARD_WIDTH,
    FACE,
    FACE_EDGE,
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
    spoken,
)
from .shapes import SUIT_SHAPES, Frame, Mark, Part, back, face

FONTS = (
    "Aileron, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', "
    "'DejaVu Sans Condensed', sans-serif"
)


def svg(items: Sequence[Item], title: str = "A table of euchre") -> str:
    """The drawing as an SVG document of 1280 by 720, for a file or for a web page's body.

    Each card carries its name as a title, for screen readers and for pointers that rest on it.

    Args:
        items: A drawing list.
        title: What the picture is called.
    """
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-label={quoteattr(_legal(title))} '
        f'font-family="{FONTS}">'
    )
    lines = [line for item in items for line in _element(item)]
    return "\n".join([head, f"<title>{escape(_legal(title))}</title>", *lines, "</svg>\n"])


def _legal(text: str) -> str:
    """A text without the characters that XML forbids."""
    return "".join(c if c.isprintable() else " " for c in text)


def _element(item: Item) -> Iterator[str]:
    if isinstance(item, Box):
        yield _box(item)
    elif isinstance(item, Text):
        yield _text(item)
    elif isinstance(item, Suit):
        yield _path(SUIT_SHAPES[item.suit], item.x, item.y, item.size, item.colour)
    elif isinstance(item, Bar):
        yield from map(_box, bar_boxes(item))
    else:
        yield from _card(item)


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{c:02x}" for c in colour)


def _n(number: float) -> str:
    return f"{round(number, 2):g}"


def _box(box: Box) -> str:
    x, y = _n(box.x - box.width / 2), _n(box.y - box.height / 2)
    size = f'width="{_n(box.width)}" height="{_n(box.height)}"'
    radius = f' rx="{_n(min(box.radius, box.width / 2, box.height / 2))}"' if box.radius else ""
    opacity = f' fill-opacity="{_n(box.opacity)}"' if box.opacity < 1 else ""
    return f'<rect x="{x}" y="{y}" {size}{radius} fill="{_hex(box.fill)}"{opacity}/>'


def _text(item: Text, width: float = 0) -> str:
    """A text element; with a width it fits in there, whatever font there is."""
    if not item.text:
        return ""
    anchor = f' text-anchor="{item.anchor}"' if item.anchor != "start" else ""
    weight = ' font-weight="600"' if item.bold else ""
    fit = f' textLength="{_n(width)}" lengthAdjust="spacingAndGlyphs"' if width else ""
    return (
        f'<text x="{_n(item.x)}" y="{_n(item.y + BASELINE * item.size)}" '
        f'font-size="{item.size}" fill="{_hex(item.colour)}"{anchor}{weight}{fit}>'
        f"{escape(_legal(item.text))}</text>"
    )


def _path(path: str, x: float, y: float, size: float, colour: Colour, turned: bool = False) -> str:
    scale = _n(-size if turned else size)
    return (
        f'<path transform="translate({_n(x)} {_n(y)}) scale({scale})" '
        f'fill="{_hex(colour)}" d="{path}"/>'
    )


# --- cards ---------------------------------------------------------------------------------------


def _card(item: Card) -> Iterator[str]:
    scale = f" scale({_n(item.scale)})" if item.scale != 1 else ""
    name = "a card, face down" if item.card is None else spoken(item.card)
    yield f'<g transform="translate({_n(item.x)} {_n(item.y)}){scale}"><title>{name}</title>'
    yield _box(Box(2, 3, CARD_WIDTH, CARD_HEIGHT, SHADE, 8, 0.28))
    if item.lit:
        yield _box(Box(0, 0, CARD_WIDTH + 10, CARD_HEIGHT + 10, LIT, 13))
    yield _box(Box(0, 0, CARD_WIDTH, CARD_HEIGHT, FACE_EDGE, 8))
    yield _box(Box(0, 0, CARD_WIDTH - 2, CARD_HEIGHT - 2, FACE, 7))
    if item.card is None:
        yield _box(Box(0, 0, CARD_WIDTH - 10, CARD_HEIGHT - 10, BACK, 5))
    for part in back(BACK_LINE) if item.card is None else face(item.card):
        yield from _part(part)
    if item.faded:
        yield _box(Box(0, 0, CARD_WIDTH, CARD_HEIGHT, FADE, 8, FADE_SHARE))
    yield "</g>"


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, Frame):
        yield _box(Box(0, 0, part.width, part.height, part.edge, 4))
        yield _box(Box(0, 0, part.width - 2, part.height - 2, part.fill, 3))
    elif isinstance(part, Mark):
        yield _path(part.path, part.x, part.y, part.size, part.colour, part.turned)
    else:
        side = -1 if part.turned else 1
        letters = Text(side * part.x, side * part.y, part.text, part.size, part.colour, bold=True)
        width = 0.58 * part.size * len(part.text) if len(part.text) > 1 else 0
        line = _text(letters, width)
        yield f'<g transform="rotate(180)">{line}</g>' if part.turned else line
