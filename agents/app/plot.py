"""Pictures of results; matplotlib, the extra ``plots``, is imported only when one is drawn."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ..evaluation.ladder import Ladder
from ..evaluation.stats import EvaluationError
from ..plots import Interval, draw_intervals

KINDS = (".png", ".svg", ".pdf")


def require_plots(path: str) -> None:
    """Raise EvaluationError unless a picture can be drawn and written to ``path``."""
    file = Path(path)
    if file.suffix.lower() not in KINDS:
        raise EvaluationError(f"{path}: a picture is a file of the kind {', '.join(KINDS)}")
    if not file.parent.is_dir():
        raise EvaluationError(f"{path}: no folder {str(file.parent)!r} to write to")
    if find_spec("matplotlib") is None:
        raise EvaluationError(
            "a picture needs matplotlib: pip install 'euchre-env[plots]', or leave out --plot"
        )


def plot_ladder(ladder: Ladder, path: str) -> None:
    """Draw ratings with their intervals, best on top.

    Raises:
        EvaluationError: see :func:`require_plots`.
    """
    require_plots(path)
    first = ladder.matches[0]
    rows = [
        Interval(r.agent + " (saw hidden cards)" * r.oracle, r.points, r.low, r.high, r.oracle)
        for r in ladder.ratings
    ]
    title = (
        f"{first.deals:,} duplicate deals a pair, rules {first.ruleset}, seed {first.seed}, "
        f"version {first.version}"
    )
    label = "rating, points a hand (95 % interval)"
    draw_intervals(rows, label, title).savefig(path, dpi=150)
