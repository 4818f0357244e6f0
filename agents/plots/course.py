"""The course of a training run: figures by decisions trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .figure import INK, new_figure, styled


@dataclass(frozen=True)
class Line:
    """One figure by decisions trained.

    Attributes:
        decisions: Decisions up to each point.
        values: The figure there.
        ci95: Half the width of its 95 % interval; empty where it has none.
    """

    decisions: tuple[float, ...]
    values: tuple[float, ...]
    ci95: tuple[float, ...] = ()


class Panel(NamedTuple):
    """Lines that share an axis.

    Attributes:
        label: Of the axis.
        lines: The lines by name; a legend tells them apart where there are several.
        height: Its share of the figure.
        zero: Whether to mark zero.
        legend: Title of the legend, shown for one line too.
    """

    label: str
    lines: Mapping[str, Line]
    height: float = 1.0
    zero: bool = False
    legend: str = ""


@styled
def draw_course(panels: Sequence[Panel], title: str = "") -> Any:
    """Panels above each other over one axis of decisions, intervals as bands."""
    heights = [panel.height for panel in panels]
    figure = new_figure(6.4, 0.9 + 1.45 * sum(heights))
    grid = figure.subplots(
        len(panels), sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights}
    )
    for axes, panel in zip(grid[:, 0], panels):
        _draw(axes, panel)
    axes.set_xlabel("decisions trained, millions")
    axes.set_xlim(left=0)
    if title:
        figure.suptitle(title, fontsize="medium")
    return figure


def _draw(axes: Any, panel: Panel) -> None:
    if panel.zero:
        axes.axhline(0, color=INK, linewidth=0.8)
    for name, line in panel.lines.items():
        millions = [d / 1e6 for d in line.decisions]
        mark = "." if line.ci95 or len(millions) == 1 else ""
        (drawn,) = axes.plot(millions, line.values, linewidth=1.3, marker=mark, label=name)
        if line.ci95:
            low = [v - c for v, c in zip(line.values, line.ci95)]
            high = [v + c for v, c in zip(line.values, line.ci95)]
            axes.fill_between(millions, low, high, alpha=0.2, color=drawn.get_color(), lw=0)
            # A band of one point has no width.
            axes.vlines(millions, low, high, color=drawn.get_color(), lw=0.8)
    axes.set_ylabel(panel.label)
    axes.grid(True)
    if panel.legend or len(panel.lines) > 1:
        axes.legend(title=panel.legend or None, fontsize="small", title_fontsize="small")
