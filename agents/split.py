"""Two agents in one: the first calls, the second discards and plays.

So bidding and card play can be measured apart: swap one of them, leave the other, and play a match.
Everything before trump and lone hands are settled is bidding: weak hands, naming trump, both rounds
of calls, going alone, calling for the partner's best, defending alone. What to lay away is the
dealer's first act of card play, so the discard is the player's; so is a card passed to a lone hand.
"""

from __future__ import annotations

import numpy as np

from euchre_env.rules import DISCARD, LAY_AWAY, PASS_CARD, PLAY

from .base import Actions, Agent, View, is_oracle


class Split:
    """Calls as one agent does; discards and plays as another does.

    Each part sees what it would see alone: hidden cards only if it is an oracle itself.

    Args:
        bidder: Who calls.
        player: Who discards and plays.
    """

    def __init__(self, bidder: Agent, player: Agent) -> None:
        self.bidder, self.player = bidder, player
        self.name = f"bids:{bidder.name},plays:{player.name}"
        self.oracle = is_oracle(bidder) or is_oracle(player)

    def act(self, view: View) -> Actions:
        """The part's answer for each game."""
        plays = np.isin(view.states["phase"], (DISCARD, PASS_CARD, LAY_AWAY, PLAY))
        out = np.empty(len(view), np.int64)
        for part, mine in ((self.bidder, ~plays), (self.player, plays)):
            rows = np.flatnonzero(mine)
            if rows.size:
                out[rows] = part.act(_for(part, view.select(rows)))
        return out


def _for(agent: Agent, view: View) -> View:
    if is_oracle(agent) or view.full_states is None:
        return view
    return View(view.states, view.table, view.which, view.seeds)
