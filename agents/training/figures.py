"""Pictures of a run for TensorBoard: the learning curve and the bids; matplotlib draws them.

It is imported only when a picture is drawn, and without it there are none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from euchre_env.cards import BIT_OF, CARD_AT, JOKER, N_SUITS, SUIT_AT, TRUMP_SUIT, TRUMPS
from euchre_env.encoding import LAYOUT
from euchre_env.rules import BID1, BID2, CALL, N_SEATS, PASS

from ..style import PLACES
from .rollout import Decisions

MOST_TRUMPS = 5
_STRENGTH = re.compile(r"(?:strength|final)/(.+)/points_per_hand")
_TRUMP_IF: npt.NDArray[np.int64] = np.array(
    [[TRUMPS[suit] >> BIT_OF[suit, card] & 1 for card in CARD_AT[0]] for suit in SUIT_AT[0]]
)
"""int64[4, 25]: by a suit of the trump-relative frame, the cards that are trumps if it is called.
All frames of a suit are alike, so the first serves."""


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


# --- bids --------------------------------------------------------------------------------------


class Bids(NamedTuple):
    """How often bids were made where one could pass.

    Attributes:
        bids: int64[4, 6], bids by place left of the dealer and number of trumps held.
        turns: int64[4, 6], decisions.
    """

    bids: npt.NDArray[np.int64]
    turns: npt.NDArray[np.int64]

    @property
    def chance(self) -> npt.NDArray[np.float64]:
        """Their ratio, float64[4, 6]; not a number where there was no decision."""
        with np.errstate(invalid="ignore"):
            return self.bids / self.turns


def bids(decisions: Decisions) -> tuple[Bids, Bids]:
    """The bids of both rounds; with a joker turned up there are none.

    In round 1 trumps are counted as the upcard's suit has them, without the upcard itself; in round
    2 in the suit that has the most of those that may be called.
    """
    observation, mask = decisions.observation.numpy(), decisions.action_mask.numpy()
    phase = observation[:, LAYOUT["phase"].slice].argmax(1)
    open_ = (mask[:, PASS] == 1) & (observation[:, LAYOUT["upcard"].slice][:, JOKER] == 0)
    first, second = (np.flatnonzero(open_ & (phase == p)) for p in (BID1, BID2))
    by_suit = observation[:, LAYOUT["hand"].slice].astype(np.int64) @ _TRUMP_IF.T
    callable_ = mask[second, CALL : CALL + N_SUITS] == 1
    longest = np.where(callable_, by_suit[second], 0).max(1, initial=0)
    return (
        _count(decisions, first, by_suit[first, TRUMP_SUIT]),
        _count(decisions, second, longest),
    )


def _count(
    decisions: Decisions, rows: npt.NDArray[np.int64], trumps: npt.NDArray[np.int64]
) -> Bids:
    dealer = decisions.observation.numpy()[rows][:, LAYOUT["dealer"].slice].argmax(1)
    place = (N_SEATS - 1) - dealer  # the dealer is so many seats to the left of who decides
    bid = decisions.action.numpy()[rows] != PASS
    found = np.zeros((2, len(PLACES), MOST_TRUMPS + 1), np.int64)
    np.add.at(found[0], (place[bid], trumps[bid]), 1)
    np.add.at(found[1], (place, trumps), 1)
    return Bids(*found)


def draw_bids(decisions: Decisions) -> Any:
    """The chances to order up and to call as a matplotlib figure of two heat maps."""
    figure = _figure(8, 3)
    titles = ("round 1: order up", "round 2: call")
    for axes, title, found in zip(figure.subplots(1, 2), titles, bids(decisions)):
        drawn = axes.imshow(found.chance, vmin=0, vmax=1, cmap="viridis", aspect="auto")
        for (place, trumps), chance in np.ndenumerate(found.chance):
            if found.turns[place, trumps]:
                colour = "black" if chance > 0.6 else "white"
                axes.text(trumps, place, f"{chance:.2f}", ha="center", va="center", color=colour)
        axes.set_yticks(range(len(PLACES)), PLACES)
        axes.set_xlabel("trumps held")
        axes.set_ylabel("seat left of the dealer")
        axes.set_title(title, fontsize="medium")
        figure.colorbar(drawn, ax=axes)
    return figure


# --- the learning curve ------------------------------------------------------------------------


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
    figure = _figure(7, 0.6 + 1.9 * len(found))
    for axes, (name, points) in zip(
        figure.subplots(len(found), squeeze=False)[:, 0], found.items()
    ):
        millions = [p.decisions / 1e6 for p in points]
        axes.errorbar(
            millions, [p.points for p in points], [p.ci95 for p in points], marker=".", capsize=2
        )
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_ylabel(f"against {name}")
        axes.set_xlim(left=0)
        axes.grid(alpha=0.3)
    axes.set_xlabel("decisions trained, millions")
    figure.suptitle("points a hand (95 %)", fontsize="medium")
    return figure


def _figure(width: float, height: float) -> Any:
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
