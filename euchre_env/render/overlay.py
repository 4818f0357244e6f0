"""What an agent thinks of each action, drawn over the table: bars for calls, figures for cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ..cards import N_CARDS, SUIT_NAMES
from ..rules import (
    ALONE,
    CALL,
    CALL_BEST,
    CALL_NO_TRUMP,
    CLAIM,
    DEFEND_ALONE,
    DEFEND_TOGETHER,
    KEEP,
    LONER,
    N_ACTIONS,
    ORDER_UP,
    PASS,
    STAY,
    WITH_PARTNER,
)
from ..ruleset import PARTNERSHIP
from .items import CARD_HEIGHT, FAINT, LIT, PALE, Bar, Card, Item, Text

ACTION_WORDS = {
    PASS: "pass",
    ORDER_UP: "order up",
    **{CALL + suit: name for suit, name in enumerate(SUIT_NAMES)},
    CALL_NO_TRUMP: "no trump",
    ALONE: "alone",
    WITH_PARTNER: "with partner",
    DEFEND_ALONE: "defend alone",
    DEFEND_TOGETHER: "defend together",
    CLAIM: "claim",
    KEEP: "keep",
}
"""Absolute actions that are no cards, as a picture words them."""


def act_words(s: Any, r: Any) -> dict[int, str]:
    """The words of :data:`ACTION_WORDS` in the phase that a record is in.

    Args:
        s: The record.
        r: The rule record.
    """
    if s["phase"] == STAY:
        return ACTION_WORDS | {PASS: "drop out", KEEP: "stay in"}
    if s["phase"] == CALL_BEST:
        return ACTION_WORDS | {CLAIM: "call for best", KEEP: "keep hand"}
    if s["phase"] == LONER and r["variant"] != PARTNERSHIP:
        return ACTION_WORDS | {WITH_PARTNER: "take dummy" if r["dummy_exchange"] else "not alone"}
    return ACTION_WORDS


MOST_BARS = 5
"""No rule set offers more calls at once."""

Entry = tuple[int, float | None, float | None]


@dataclass(frozen=True, slots=True)
class Overlay:
    """Figures of an agent for the seat to act.

    Attributes:
        entries: An absolute action id, its probability (0 to 1) or None, and its value (points) or
            None, in the order in which they are listed.
        title: What the figures are, such as the agent's name.

    Raises:
        ValueError: no such action, or a figure out of its bounds.
    """

    entries: Sequence[Entry]
    title: str = ""

    def __post_init__(self) -> None:
        for action, probability, value in self.entries:
            if not 0 <= action < N_ACTIONS:
                raise ValueError(f"action {action} is not in 0 to {N_ACTIONS - 1}")
            if probability is not None and not 0 <= probability <= 1:
                raise ValueError(f"probability {probability} of action {action} is not in 0 to 1")
            if value is not None and not isfinite(value):
                raise ValueError(f"value {value} of action {action} is not finite")

    def best(self) -> int | None:
        """The action of the highest probability, or of the highest value where there is none."""
        for figure in (1, 2):
            known = [e for e in self.entries if e[figure] is not None]
            if known:
                return max(known, key=lambda e: e[figure])[0]  # type: ignore[arg-type, return-value]
        return None


def percent(probability: float | None) -> str:
    """A probability in whole percents."""
    return "" if probability is None else f"{100 * probability:.0f}%"


def points(value: float | None) -> str:
    """A value in points, with its sign."""
    return "" if value is None else f"{value:+.2f}"


def call_bars(
    overlay: Overlay, words: Mapping[int, str], x: float, y: float, row: int
) -> Iterator[Item]:
    """The calls among the entries, a bar each, from a left upper corner and a text row down."""
    calls = [entry for entry in overlay.entries if entry[0] >= N_CARDS][:MOST_BARS]
    best = overlay.best()
    for k, (action, probability, value) in enumerate(calls):
        at, colour = y + 22 * k, LIT if action == best else PALE
        cells = row + k
        yield Text(x, at, words[action], 16, colour, "start", cell=(44, cells))
        if probability is not None:
            yield Bar(x + 126, at, 64, 12, probability, colour, (60, cells), 8)
            yield Text(x + 228, at, percent(probability), 16, colour, "end", cell=(72, cells))
        yield Text(x + 280, at, points(value), 16, colour, "end", cell=(79, cells))


def card_figures(overlay: Overlay, cards: Sequence[Card]) -> Iterator[Item]:
    """Probability and value below each card of a hand that has an entry."""
    best = overlay.best()
    figures = {action: (p, v) for action, p, v in overlay.entries if action < N_CARDS}
    for card in cards:
        if card.card is None or card.card not in figures or card.cell is None:
            continue
        probability, value = figures[card.card]
        colour = LIT if card.card == best else FAINT
        column, row = card.cell
        brief = "" if value is None else f"{value:+.1f}"  # five columns to a card
        words = [(percent(probability), None), (points(value), brief)]
        for k, (text, word) in enumerate(pair for pair in words if pair[0]):
            y = card.y + CARD_HEIGHT / 2 + 13 + 18 * k
            yield Text(card.x, y, text, 16, colour, "middle", True, (column, row + 1 + k), word)
