"""Pictures of a run for TensorBoard: the learning curve and the bids."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .. import plots
from ..bids import Bids, count_bids
from ..plots import Line, Panel, can_draw, image_of
from .rollout import Decisions

__all__ = ["Point", "bids", "can_draw", "curves", "draw_bids", "draw_curves", "image_of"]

_STRENGTH = re.compile(r"(?:strength|final)/(.+)/points_per_hand")


def bids(decisions: Decisions) -> tuple[Bids, Bids]:
    """The bids of both rounds, as :func:`agents.bids.count_bids` counts them."""
    return count_bids(
        decisions.observation.numpy(), decisions.action_mask.numpy(), decisions.action.numpy()
    )


def draw_bids(decisions: Decisions) -> Any:
    """The chances to order up and to call as a matplotlib figure of two heat maps."""
    return plots.draw_bids(bids(decisions))


class Point(NamedTuple):
    """A match: decisions trained on before it, points a hand, and half its 95 % interval."""

    decisions: float
    points: float
    ci95: float


def curves(rows: Sequence[Mapping[str, float]]) -> dict[str, list[Point]]:
    """The matches by opponent, of the rows of ``metrics.jsonl``; the final one comes last."""
    found: dict[str, list[Point]] = {}
    for row in rows:
        for key in row:
            if (match := _STRENGTH.fullmatch(key)) is not None:
                half = row[key.replace("points_per_hand", "ci95")]
                found.setdefault(match[1], []).append(Point(row["decisions"], row[key], half))
    return found


def draw_curves(found: Mapping[str, Sequence[Point]]) -> Any:
    """The learning curves as a matplotlib figure, a panel an opponent."""
    panels = [
        Panel(f"against {name}", {name: Line(*map(tuple, zip(*points)))}, zero=True)
        for name, points in found.items()
    ]
    return plots.draw_course(panels, "points a hand (95 %)")
