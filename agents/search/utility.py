"""What a result is worth: points at a level score, and the chance to win the game elsewhere."""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from euchre_env._jit import njit
from euchre_env.equity import EquityError, equity_table
from euchre_env.rules import left, team
from euchre_env.ruleset import Ruleset

CENTRE = 64
UTILITIES = 2 * CENTRE + 1
"""Entries of a utility table: net points from -64 to 64."""


def _counts_games(ruleset: Ruleset) -> bool:
    single = ruleset.target_score is not None and ruleset.match_games == 1
    return single and ruleset.is_partnership


@lru_cache(maxsize=32)
def equity_tables(rulesets: tuple[Ruleset, ...]) -> npt.NDArray[np.float64]:
    """Chances to win the game, float64[K, T, T, 2]: own score, other score, who deals (0 own side).

    Rule sets without a target, matches of several games and games without partners have zeros:
    their results count as points (:func:`fill_utility`).
    """
    size = max([r.target_score or 1 for r in rulesets])
    tables = np.zeros((len(rulesets), size, size, 2))
    for k, ruleset in enumerate(rulesets):
        if _counts_games(ruleset):
            try:
                table = equity_table(ruleset)
            except EquityError:  # no hand ever scores
                continue
            tables[k, : len(table), : len(table)] = table
    return tables


@njit
def fill_utility(s, r, table, utility):
    """Fill float64[UTILITIES]: the worth of net points to the team of the seat to act.

    At a level score of nothing a point is a point, as in a match of single hands.
    """
    us = team(s.turn)
    own, other = np.int64(s.score[us]), np.int64(s.score[1 - us])
    in_points = (own == 0 and other == 0) or r.target_score == 0 or r.match_games != 1
    deals = 0 if team(left(s.dealer)) == us else 1
    for k in range(UTILITIES):
        net = k - CENTRE
        if in_points:
            utility[k] = net
        else:
            utility[k] = _chance(
                r, table, max(own + max(net, 0), 0), max(other - min(net, 0), 0), deals
            )


@njit
def _chance(r, table, own, other, deals):
    if own >= r.target_score:
        return 1.0
    if other >= r.target_score:
        return 0.0
    return table[own, other, deals]


@njit
def utility_of(utility, net):
    """The worth of net points."""
    return utility[min(max(net, -CENTRE), CENTRE) + CENTRE]


@njit
def utility_between(utility, points):
    """The worth of a mean of points, by straight lines between whole ones."""
    low = int(np.floor(points))
    part = points - low
    return (1.0 - part) * utility_of(utility, low) + part * utility_of(utility, low + 1)
