"""Ratings with their intervals, and what every pair makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .figure import INK, PALETTE, new_figure, styled


class Interval(NamedTuple):
    """A figure with its 95 % interval; ``hollow`` sets its mark apart."""

    name: str
    value: float
    low: float
    high: float
    hollow: bool = False


@styled
def draw_intervals(rows: Sequence[Interval], label: str, title: str = "") -> Any:
    """One row a figure, the first on top and told beside it, with zero marked."""
    figure = new_figure(7.6, 0.8 + 0.3 * len(rows))
    axes = figure.add_subplot()
    for height, row in enumerate(reversed(rows)):
        axes.plot([row.low, row.high], [height, height], color=PALETTE[0], linewidth=2)
        fill = "none" if row.hollow else "full"
        axes.plot(row.value, height, "o", color=PALETTE[0], fillstyle=fill, markersize=5)
        told = f"{row.value:+.3f} ({row.low:+.3f} to {row.high:+.3f})"
        beside = axes.get_yaxis_transform()  # right of the axes, at the row's height
        axes.text(1.02, height, told, transform=beside, va="center", fontsize="small")
    axes.axvline(0, color=INK, linewidth=0.8, alpha=0.6)
    axes.set_yticks(range(len(rows)), [row.name for row in reversed(rows)])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(label)
    if title:
        axes.set_title(title, fontsize="small")
    return figure


@styled
def draw_matrix(
    names: Sequence[str], values: Sequence[Sequence[float | None]], label: str, title: str = ""
) -> Any:
    """A square of figures, row by column; what is not known stays empty."""
    grid = np.array([[np.nan if v is None else v for v in row] for row in values], float)
    reach = max(float(np.nanmax(np.abs(grid))), 1e-9) if not np.isnan(grid).all() else 1.0
    figure = new_figure(1.9 + 0.75 * len(names), 1.0 + 0.5 * len(names))
    axes = figure.add_subplot()
    drawn = axes.imshow(grid, vmin=-reach, vmax=reach, cmap="RdBu", aspect="auto")
    for (row, column), value in np.ndenumerate(grid):
        if not np.isnan(value):
            colour = "white" if abs(value) > 0.6 * reach else "black"
            shown = f"{value:+.2f}"
            axes.text(column, row, shown, ha="center", va="center", color=colour, fontsize="small")
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    figure.colorbar(drawn, ax=axes, label=label)
    if title:
        axes.set_title(title, fontsize="small")
    return figure
