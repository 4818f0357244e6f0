"""Pictures of results; matplotlib, the extra ``plots``, is imported only when one is drawn."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ..evaluation.ladder import Ladder
from ..evaluation.stats import EvaluationError

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
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    ratings, first = ladder.ratings[::-1], ladder.matches[0]
    figure = Figure(figsize=(7, 1.6 + 0.4 * len(ratings)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for height, r in enumerate(ratings):
        axes.plot([r.low, r.high], [height, height], color="tab:blue", linewidth=2)
        axes.plot(r.points, height, "o", color="tab:blue", fillstyle="none" if r.oracle else "full")
    names = [r.agent + (" (saw hidden cards)" if r.oracle else "") for r in ratings]
    axes.set_yticks(range(len(ratings)), names)
    axes.margins(y=0.5 / len(ratings))
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("rating, points a hand (95 % interval)")
    axes.set_title(
        f"{first.deals} duplicate deals a pair, rules {first.ruleset}, seed {first.seed}, "
        f"version {first.version}",
        fontsize="small",
    )
    figure.savefig(path, dpi=150)
