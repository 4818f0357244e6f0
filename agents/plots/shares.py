"""How hands went, beside the shares of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .figure import INK, PALETTE, new_figure, styled

_MARKS = "Ds^vo"


class Group(NamedTuple):
    """Shares that belong together.

    Attributes:
        title: What they are shares of.
        keys: What each is the share of.
        own: By name, the shares to show as bars, None where one is not known.
        others: By name, those to show as marks.
    """

    title: str
    keys: Sequence[str]
    own: Mapping[str, Sequence[float | None]]
    others: Mapping[str, Sequence[float | None]]


@styled
def draw_shares(groups: Sequence[Group]) -> Any:
    """A panel for each group: bars, and marks of the others in them."""
    figure = new_figure(7, 2.9)
    for axes, group in zip(figure.subplots(1, len(groups), squeeze=False)[0], groups):
        _draw(axes, group)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize="small")
    return figure


def _draw(axes: Any, group: Group) -> None:
    width, places = 0.8 / max(len(group.own), 1), range(len(group.keys))
    for k, (name, shares) in enumerate(group.own.items()):
        known = [(p, 100 * v) for p, v in zip(places, shares) if v is not None]
        start = (k + 0.5) * width - 0.4
        axes.bar(
            [p + start for p, _ in known],
            [v for _, v in known],
            0.94 * width,
            color=PALETTE[k % len(PALETTE)],
            alpha=0.75,
            label=name,
        )
    for k, (name, shares) in enumerate(group.others.items()):
        found = [(p, 100 * v) for p, v in zip(places, shares) if v is not None]
        axes.plot(
            [p for p, _ in found],
            [v for _, v in found],
            _MARKS[k % len(_MARKS)],
            color=INK,
            fillstyle=("none", "full")[k % 2],
            markersize=5,
            label=name,
        )
    axes.set_xticks(list(places), [key.replace("_", "\n") for key in group.keys], fontsize="small")
    axes.set_title(group.title, fontsize="medium")
    axes.grid(axis="y")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter("{x:.0f} %")
