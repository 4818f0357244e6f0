"""Heat maps of bids."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..bids import Bids
from ..style import PLACES
from .figure import new_figure, styled

TITLES = ("round 1: order up", "round 2: call")


@styled
def draw_bids(found: tuple[Bids, Bids]) -> Any:
    """The chances to order up and to call, by place and trumps held: two heat maps."""
    figure = new_figure(7, 3)
    for axes, title, bids in zip(figure.subplots(1, 2, sharey=True), TITLES, found):
        drawn = axes.imshow(bids.chance, vmin=0, vmax=1, cmap="viridis", aspect="auto")
        for (place, trumps), chance in np.ndenumerate(bids.chance):
            if bids.turns[place, trumps]:
                colour = "black" if chance > 0.6 else "white"
                shown = f"{chance:.2f}"
                axes.text(
                    trumps, place, shown, ha="center", va="center", color=colour, fontsize="small"
                )
        axes.set_yticks(range(len(PLACES)), PLACES)
        axes.set_xlabel("trumps held")
        axes.set_title(title, fontsize="medium")
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
    figure.axes[0].set_ylabel("seat left of the dealer")
    figure.colorbar(drawn, ax=figure.axes, label="share of turns", pad=0.02)
    return figure
