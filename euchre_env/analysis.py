"""The double-dummy cost of every card of a recorded game.

Not every card of a record needs to be known. A deal played to its end shows the five cards with
which each active seat played; the kitty, the cards of a seat that sits out, and what the taker of
the upcard laid away never come into play, so the cost of a card does not depend on them.
"""

from __future__ import annotations

from dataclasses import dataclass

from .record import GameRecord
from .replay import FullDeal, full_deals
from .solver import PlayCost, analyse_play

__all__ = ["DealCosts", "analyse_record"]

UNCERTAIN = "cards that were not played are not known"


@dataclass(frozen=True, slots=True)
class DealCosts:
    """What the cards of one deal cost.

    Attributes:
        deal: Its number in the record.
        costs: One for each card played, in order; empty where there is none to tell.
        note: Why the deal has no costs, or what its replay noted; empty where all is told.
    """

    deal: int
    costs: tuple[PlayCost, ...]
    note: str = ""


def analyse_record(game: GameRecord) -> list[DealCosts]:
    """What every card of a recorded game cost with all cards seen, deal by deal.

    The seats that play must be known card by card: a deal played to its end, or one whose hands
    and discard are shown. Other deals have a note in place of costs, and so have deals thrown in
    and deals with a fault. The dealer's unknown discard does not matter: it is not among the five
    cards that the dealer then plays.

    Args:
        game: A record, complete or not.

    Raises:
        RulesetError: a game without partners.
    """
    return [_costs(deal, game) for deal in full_deals(game)]


def _costs(deal: FullDeal, game: GameRecord) -> DealCosts:
    if deal.lead is None or not deal.certain:
        return DealCosts(deal.deal, (), deal.note if deal.lead is None else UNCERTAIN)
    costs = analyse_play(deal.lead, game.ruleset.record(), deal.plays)
    return DealCosts(deal.deal, tuple(costs), deal.note)
