"""How often bids are made, by place and by trumps held: the heat maps of a way of bidding."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from euchre_env.cards import (
    BIT_OF,
    CARD_AT,
    JOKER,
    N_CARDS,
    N_SUITS,
    SUIT_AT,
    TRUMP_SUIT,
    TRUMPS,
)
from euchre_env.encoding import LAYOUT, WIDE_LAYOUT, WIDE_OBSERVATION_SIZE
from euchre_env.rules import BID1, BID2, CALL, N_SEATS, PASS

from .style import PLACES

MOST_TRUMPS = 5
_TRUMP_IF: npt.NDArray[np.int64] = np.array(
    [
        [TRUMPS[suit] >> BIT_OF[suit, card] & 1 for card in CARD_AT[0, :N_CARDS]]
        for suit in SUIT_AT[0]
    ]
)
"""int64[4, 25]: by a suit of the trump-relative frame, the cards that are trumps if it is called.
All frames of a suit are alike, so the first serves."""


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

    def plus(self, other: Bids) -> Bids:
        """Both together."""
        return Bids(self.bids + other.bids, self.turns + other.turns)

    @classmethod
    def none(cls) -> Bids:
        """No decisions."""
        return cls(*np.zeros((2, len(PLACES), MOST_TRUMPS + 1), np.int64))


def count_bids(
    observation: npt.NDArray[np.uint8],
    action_mask: npt.NDArray[np.int8],
    action: npt.NDArray[np.int64],
) -> tuple[Bids, Bids]:
    """The bids of both rounds; with a joker turned up there are none.

    In round 1 trumps are counted as the upcard's suit has them, without the upcard itself; in round
    2 in the suit that has the most of those that may be called.

    Args:
        observation: uint8[B, D], of the seats that decided, in the trump-relative frame.
        action_mask: int8[B, 38], what they could do.
        action: int64[B], what they did.
    """
    phase = observation[:, LAYOUT["phase"].slice].argmax(1)
    upcard = observation[:, LAYOUT["upcard"].slice]
    open_ = (action_mask[:, PASS] == 1) & (upcard[:, JOKER] == 0)
    first, second = (np.flatnonzero(open_ & (phase == p)) for p in (BID1, BID2))
    by_suit = observation[:, LAYOUT["hand"].slice].astype(np.int64) @ _TRUMP_IF.T
    if observation.shape[1] == WIDE_OBSERVATION_SIZE:
        low = observation[:, WIDE_LAYOUT["low_hand"].slice].astype(np.int64)
        by_suit += low[:, :N_SUITS] + low[:, N_SUITS:]  # eights, sevens
    callable_ = action_mask[second, CALL : CALL + N_SUITS] == 1
    longest = np.where(callable_, by_suit[second], 0).max(1, initial=0)
    return (
        _count(observation[first], action[first], by_suit[first, TRUMP_SUIT]),
        _count(observation[second], action[second], longest),
    )


def _count(
    observation: npt.NDArray[np.uint8],
    action: npt.NDArray[np.int64],
    trumps: npt.NDArray[np.int64],
) -> Bids:
    dealer = observation[:, LAYOUT["dealer"].slice].argmax(1)
    place = (N_SEATS - 1) - dealer  # the dealer is so many seats to the left of who decides
    bid, found = action != PASS, Bids.none()
    np.add.at(found.bids, (place[bid], trumps[bid]), 1)
    np.add.at(found.turns, (place, trumps), 1)
    return found
