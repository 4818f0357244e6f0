"""What the champion thinks of a decision at a table, in lines for the terminal."""

from __future__ import annotations

from functools import cache

from ..advice import Advice, Advisor
from ..base import AgentError
from .match import text_table
from .table import Table
from .words import label

POLICY = "champion"


@cache
def _advisor(worlds: int) -> Advisor:
    return Advisor(POLICY, worlds)


def opinion(table: Table, worlds: int, double_dummy: bool) -> list[str]:
    """The champion's chances and expected points of each legal act, the best first.

    Args:
        table: A table where somebody is to act.
        worlds: Worlds in which the acts are played out.
        double_dummy: Whether to add what each act is worth with all cards seen: practice only.

    Returns:
        Lines; why there is no opinion, where the champion cannot be had.
    """
    try:
        (advice,) = _advisor(worlds).advise(
            table.states, table.ruleset, table.seed + table.acts, double_dummy=double_dummy
        )
    except AgentError as error:
        return [f"no opinion: {error}"]
    return _lines(table, advice, double_dummy)


def _lines(table: Table, advice: Advice, double_dummy: bool) -> list[str]:
    header = ["", "champion", "points"] + ["all cards seen"] * double_dummy
    rows = [
        [label(option.action, table.state, table.rules), f"{100 * option.probability:.0f} %"]
        + [_points(option.value)]
        + [_points(option.double_dummy)] * double_dummy
        for option in advice.options
    ]
    return text_table(header, rows).splitlines()


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:+.2f}"
