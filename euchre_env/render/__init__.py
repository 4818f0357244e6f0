"""Pictures of a game: one drawing list, painted as text, as pixels, as SVG, or in a window.

>>> from euchre_env import render
>>> items = render.drawing(state, rules)                  # doctest: +SKIP
>>> print(render.ansi(items, colour=True))                # doctest: +SKIP

:func:`drawing` decides what is shown and where; the painters only paint such a list, so that what
a seat cannot know, and is therefore not in the list, is in no picture either.
"""

from .drawing import drawing
from .image import rgb_array
from .items import COLUMNS, HEIGHT, ROWS, WIDTH, Bar, Box, Card, Item, Suit, Text
from .overlay import Overlay
from .svg import svg
from .text import ansi, wants_colour
from .window import Window

__all__ = [
    "COLUMNS",
    "HEIGHT",
    "ROWS",
    "WIDTH",
    "Bar",
    "Box",
    "Card",
    "Item",
    "Overlay",
    "Suit",
    "Text",
    "Window",
    "ansi",
    "drawing",
    "rgb_array",
    "svg",
    "wants_colour",
]
