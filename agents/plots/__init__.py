"""Pictures of results, drawn by matplotlib, which is imported only when one is drawn.

Every ``draw_...`` returns a matplotlib figure; :mod:`.figure` turns one into pixels, PNG or SVG.
"""

from .bids import draw_bids
from .course import Line, Panel, draw_course
from .figure import as_png, as_svg, can_draw, image_of
from .ratings import Interval, draw_intervals, draw_matrix
from .shares import Group, draw_shares

__all__ = [
    "Group",
    "Interval",
    "Line",
    "Panel",
    "as_png",
    "as_svg",
    "can_draw",
    "draw_bids",
    "draw_course",
    "draw_intervals",
    "draw_matrix",
    "draw_shares",
    "image_of",
]
