"""Figures of one look, and what they are written as."""

from __future__ import annotations

import functools
import hashlib
import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

P = ParamSpec("P")
R = TypeVar("R")

INK = "#010203"
"""Of text and axes: black enough by itself, and replaced by the page's own colour in SVG."""
PALETTE = ("#2f7ed8", "#d97706", "#1f9d6b", "#c2559b", "#8a63d2", "#1693a5", "#b45309", "#6b8e23")
"""Colours of lines, of a middle lightness that shows on light and on dark ground."""
_STYLE: dict[str, Any] = {
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": INK,
    "grid.alpha": 0.15,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "font.size": 9,
    "text.parse_math": False,  # a name may hold a dollar sign
    "svg.fonttype": "none",  # text stays text: to be found, read out and scaled
    "svg.hashsalt": "euchre",  # the same figure is the same file
}


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


@contextmanager
def _style() -> Iterator[None]:
    from matplotlib import rc_context, rcsetup

    style: Any = _STYLE | {"axes.prop_cycle": rcsetup.cycler(color=PALETTE)}
    with rc_context(style):
        yield


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Let a function draw in the look that all pictures share."""

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        with _style():
            return draw(*args, **kwargs)

    return drawn


def new_figure(width: float, height: float) -> Any:
    """A matplotlib figure of a size in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def image_of(figure: Any) -> npt.NDArray[np.uint8]:
    """A figure as pixels, uint8[H, W, 3]."""
    figure.canvas.draw()
    pixels: npt.NDArray[np.uint8] = np.asarray(figure.canvas.buffer_rgba())[:, :, :3].copy()
    return pixels


def as_png(figure: Any) -> bytes:
    """A figure as the bytes of a PNG file."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=150)
    return drawn.getvalue()


@styled
def as_svg(figure: Any) -> str:
    """A figure as an ``<svg>`` element for a page, text and axes in the page's own colour."""
    drawn = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(drawn, format="svg", transparent=True, metadata=nothing)
    text = drawn.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    return _own_ids(re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL))


def _own_ids(text: str) -> str:
    """The drawing without ids that nothing refers to, and the rest unlike those of another one."""
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text))
    mark = f"p{hashlib.sha256(text.encode()).hexdigest()[:8]}-"

    def kept(found: re.Match[str]) -> str:
        return f' id="{mark}{found[1]}"' if found[1] in used else ""

    return re.sub(r'(url\(#|href="#)', rf"\g<1>{mark}", re.sub(r' id="([^"]+)"', kept, text))
