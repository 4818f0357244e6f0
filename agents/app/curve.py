"""The course of a training run, from its ``metrics.jsonl``, as a picture or a table."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from euchre_env._files import write_whole

from ..evaluation.stats import EvaluationError
from ..plots import Line, Panel, as_png, draw_course

METRICS = "metrics.jsonl"
QUANTITIES = {"train/entropy": "entropy", "train/explained_variance": "explained variance"}
"""Figures of an iteration that a card shows, and what it calls them."""
SANITY_CHECK = "random"
"""Beaten by more than a point, so that other lines would look flat beside it: in tables only."""
_STRENGTH = re.compile(r"strength/(.+)/points_per_hand")
_ROWS = 12


@dataclass(frozen=True)
class Curve:
    """A training run.

    Attributes:
        rows: The iterations as they were logged.
        strengths: Points a hand by opponent; those that were played during training.
        quantities: The lines of :data:`QUANTITIES` that there are, by what a card calls them.
    """

    rows: tuple[dict[str, Any], ...]
    strengths: dict[str, Line]
    quantities: dict[str, Line]

    def last(self, key: str) -> float | None:
        """The last value that was logged under a key."""
        return next((row[key] for row in reversed(self.rows) if key in row), None)


def read_curve(folder: Path) -> Curve:
    """The course of the run in a folder.

    A last line that a killed run left unfinished is dropped.

    Raises:
        EvaluationError: no metrics, or a line that holds none; the message names file and line.
    """
    path = folder / METRICS
    if not path.is_file():
        raise EvaluationError(f"{path} does not exist: give the folder of a training run")
    data = path.read_bytes()
    lines = data[: data.rfind(b"\n") + 1].splitlines()
    rows = tuple(_row(path, number, line) for number, line in enumerate(lines, 1))
    if not rows:
        raise EvaluationError(f"{path} holds no iteration yet")
    opponents = dict.fromkeys(
        m[1] for row in rows for key in row if (m := _STRENGTH.fullmatch(key))
    )
    return Curve(
        rows,
        {name: _line(rows, f"strength/{name}/points_per_hand") for name in opponents},
        {told: _line(rows, key) for key, told in QUANTITIES.items() if any(key in r for r in rows)},
    )


def _row(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
        return {**row, "decisions": float(row["decisions"])}
    except (ValueError, KeyError, TypeError):
        raise EvaluationError(f"{path}:{number}: not a row of training metrics") from None


def _line(rows: Sequence[dict[str, Any]], key: str) -> Line:
    found = [row for row in rows if key in row]
    half = key.replace("/points_per_hand", "/ci95")
    known = half != key and all(half in row for row in found)
    return Line(
        tuple(row["decisions"] for row in found),
        tuple(row[key] for row in found),
        tuple(row[half] for row in found) if known else (),
    )


def curve_table(curve: Curve) -> list[list[str]]:
    """Some rows of a run, evenly spread and the last among them, the header first."""
    lines = {**{f"against {k}": v for k, v in curve.strengths.items()}, **curve.quantities}
    wanted = next(iter(curve.strengths.values()), None)
    marks = wanted.decisions if wanted else tuple(row["decisions"] for row in curve.rows)
    steps = min(_ROWS, len(marks))
    chosen = sorted({marks[round((k + 1) * len(marks) / steps) - 1] for k in range(steps)})
    table = [["decisions", *lines]]
    table += [[f"{mark:,.0f}", *(_cell(line, mark) for line in lines.values())] for mark in chosen]
    return table


def _cell(line: Line, mark: float) -> str:
    if mark not in line.decisions:
        return "-"
    k = line.decisions.index(mark)
    half = f" ± {line.ci95[k]:.3f}" if line.ci95 else ""
    return f"{line.values[k]:{'+' if half else ''}.3f}{half}"


def plot_curve(curve: Curve, path: Path, title: str) -> None:
    """Draw a run as PNG, one panel for the strengths and one for each other figure.

    Raises:
        OSError: the file cannot be written.
    """
    write_whole(path, as_png(draw_course(course_panels(curve), title)))


def course_panels(curve: Curve) -> list[Panel]:
    """What a picture of a run shows: strengths in one panel, each other figure in its own."""
    panels = [Panel(name, {name: line}) for name, line in curve.quantities.items()]
    if not curve.strengths:
        return panels
    shown = {
        name: line
        for name, line in curve.strengths.items()
        if name != SANITY_CHECK or len(curve.strengths) == 1
    }
    label = "points a hand (95 %)"
    return [Panel(label, shown, height=2.2, zero=True, legend="against"), *panels]
