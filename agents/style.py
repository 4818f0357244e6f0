"""How hands went: shares by outcome and by seat, which tell one style of play from another.

Seats are named by their place left of the dealer: 1, 2, 3 and the dealer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env.cards import CARD_AT, JOKER, NO_TRUMP, SUIT_OF_CARD, same_colour
from euchre_env.rules import N_SEATS, N_TRICKS, NOBODY, team

PLACES = ("1", "2", "3", "dealer")
"""The seats by their place left of the dealer."""
OUTCOMES = ("euchred", "made", "march", "lone_march")
REFERENCE_RULES = "stick"
"""The rules, at 0-0, of :data:`REFERENCE`."""
REFERENCE: Mapping[str, Mapping[str, Sequence[float | None]]] = {
    "expert rules": {
        "outcomes": (0.192, 0.625, 0.090, 0.094),
        "round_1": (0.040, 0.192, 0.028, 0.445),
        "round_2": (0.203, 0.071, 0.018, 0.003),
        "next": (0.61, 0.28, None, None),
        "net_round_1": (None, 1.02, None, 0.86),
        "net_round_2": (0.54, None, None, None),
    },
    "PIMC-50": {
        "outcomes": (0.155, 0.654, 0.134, 0.058),
        "round_1": (0.082, 0.338, 0.065, 0.364),
        "round_2": (0.133, 0.011, 0.006, 0.001),
        "next": (0.45, 0.30, None, None),
        "net_round_1": (None, 0.99, None, 0.94),
        "net_round_2": (0.51, None, None, None),
    },
    "002, medium": {
        "outcomes": (0.186, 0.627, 0.119, 0.068),
        "round_1": (None, 0.28, None, 0.46),
        "round_2": (None, None, None, 0.002),
    },
}
"""Shares of other players under stick the dealer (strategy facts, section 2), by
:data:`OUTCOMES` or :data:`PLACES`; None is not known."""

Mask = npt.NDArray[np.bool_]


class Hands:
    """Finished hands as plain columns.

    Args:
        states: STATE[N], their records.

    Attributes:
        called: Whether somebody became maker, bool[N].
        round_2: Whether that was in round 2; a joker turned up counts as round 1 of the dealer.
        place: The maker's, an index of :data:`PLACES`.
        next: Whether trump has the colour of the card turned up, and
        cross: the other colour; neither without trump or with a joker turned up.
        alone: Whether the makers played alone.
        net: Points of the makers' pair less the other's, int[N].
        dealers_net: Points of the dealer's pair less the other's.
    """

    def __init__(self, states: npt.NDArray[Any]) -> None:
        maker = states["maker"].astype(int)
        rows = np.arange(len(states))
        self.called: Mask = maker != NOBODY
        self.round_2: Mask = states["passes"] >= N_SEATS
        self.place = (maker - states["dealer"] - 1) % N_SEATS
        self.alone: Mask = states["loner"] != NOBODY
        self._tricks = states["tricks"][rows, team(maker)]
        self._lost = states["tricks"][rows, 1 - team(maker)]
        self._finished: Mask = states["offender"] == NOBODY
        upcard = _card_of(states["upcard"], states["frame"])
        suited = (upcard != JOKER) & (states["trump"] != NO_TRUMP)
        next_suits = np.array([same_colour(suit) for suit in range(4)])
        suits = SUIT_OF_CARD[upcard]
        same: Mask = states["trump"] == next_suits[suits % 4]
        self.next: Mask = suited & same
        self.cross: Mask = suited & ~same & (states["trump"] != suits)
        margin = states["points"].astype(int)[:, 0] - states["points"][:, 1]
        self.net = np.where(team(maker) == 1, -margin, margin)
        self.dealers_net = np.where(team(states["dealer"]) == 1, -margin, margin)

    def outcome(self, name: str) -> Mask:
        """The hands of one of :data:`OUTCOMES`; a hand that a renege ended has none."""
        euchred = self._tricks < self._lost
        march = self._tricks == N_TRICKS
        found: Mask = {
            "euchred": euchred,
            "made": ~euchred & ~march,
            "march": march & ~self.alone,
            "lone_march": march & self.alone,
        }[name]
        return found & self.called & self._finished

    def calls(self, place: int, round_2: bool) -> Mask:
        """The hands called by a place in a round."""
        return self.called & (self.round_2 == round_2) & (self.place == place)


def share(part: Mask, whole: Mask) -> float | None:
    """The share of the whole that is in the part; None of nothing."""
    return float((part & whole).sum() / whole.sum()) if whole.any() else None


def _card_of(sets: npt.NDArray[np.uint32], frames: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """The card of each set of one in its frame, int64[N]; of an empty set the frame's first."""
    bits = np.log2(np.maximum(sets, 1)).astype(np.int64)
    return CARD_AT[frames, bits].astype(np.int64)
