"""Match equity: the chance to win the game from any score, dealer and stage of the match.

The score is a Markov chain: each hand moves it by a random result whose distribution depends only
on which side deals, and the deal passes to the other side. So the chance to win follows exactly
from the shares of hand results, by working back from the finished game (dynamic programming, as for
match equity in backgammon). A hand thrown in leaves the score and may pass the deal; the two
equations that then refer to each other are solved together.

Two sides are told apart as *own* and *other*. Index 0 of a dealer's axis means that the own side
deals the next hand, index 1 that the other side does. The shares assume that results do not depend
on the score; players who steer by the score change them a little. Fast breaks and tokens for four
tricks, rare house rules, are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .rules import N_TEAMS, N_TRICKS, hand_points
from .ruleset import Ruleset

__all__ = [
    "PASSED_OUT",
    "STUCK",
    "Equity",
    "EquityError",
    "equity_change",
    "equity_table",
    "outcomes_of",
    "shares_by_rule",
]

Floats = npt.NDArray[np.float64]
Ends = Callable[[int, int, int], float]
"""Value for the own side of a game's end: (winner 0 own, 1 other, 2 drawn; points of the winner
above the target; who deals next) -> chance to win the match."""

SHAPE = (N_TEAMS, 2, N_TRICKS + 1)
"""Shares of hands: by makers' side (the dealer's, the other), alone or not, tricks of the makers;
what is missing from one are hands thrown in."""


class EquityError(ValueError):
    """Shares or a score from which no chance to win follows."""


def _shares(per_million: list[list[list[int]]]) -> Floats:
    shares = np.array(per_million, np.float64) / 1e6
    shares.flags.writeable = False
    return shares


STUCK: Floats = _shares(
    [
        [[915, 13375, 91295, 223895, 250728, 114375], [10, 782, 3495, 5075, 20740, 29168]],
        [[665, 7522, 32760, 69565, 71242, 34432], [32, 1210, 3418, 4728, 11820, 8752]],
    ]
)
"""Hands of ``greedy`` in all seats, stick the dealer (``euchre equity --agent greedy
--deals 400000 --ruleset stick --json``, seed 1), per million; standard errors below 800."""
PASSED_OUT: Floats = _shares(
    [
        [[912, 13280, 90660, 223002, 250320, 114340], [10, 782, 3495, 5075, 20740, 29168]],
        [[665, 7522, 32760, 69565, 71242, 34432], [32, 1210, 3418, 4728, 11820, 8752]],
    ]
)
"""The same with hands thrown in (``--ruleset american``)."""


def shares_by_rule(ruleset: Ruleset) -> Floats:
    """The shipped shares for a rule set: :data:`STUCK` or :data:`PASSED_OUT`."""
    return STUCK if ruleset.stick_the_dealer else PASSED_OUT


# --- results of a hand -------------------------------------------------------------------------


def outcomes_of(ruleset: Ruleset, shares: npt.ArrayLike | None = None) -> Floats:
    """The distribution of a hand's result: float64[P, P], by points of the dealer's, other side.

    Entry (0, 0) holds the hands that score nothing, thrown in or not.

    Args:
        ruleset: Says what each number of tricks is worth. Lone defences count as plain ones.
        shares: Shares of the shape :data:`SHAPE`; :func:`shares_by_rule` unless given.

    Raises:
        EquityError: shares of another shape, negative, or of more than one.
        RulesetError: a game without partners.
    """
    ruleset.require_partnership("chances to win a game are")
    given = np.asarray(shares_by_rule(ruleset) if shares is None else shares, np.float64)
    if given.shape != SHAPE or not (given >= 0).all() or given.sum() > 1 + 1e-9:
        raise EquityError(
            f"shares of hands are numbers of shape {SHAPE}, none below zero, that add up to at "
            f"most one; given were shape {given.shape}, sum {given.sum():.6g}"
        )
    record = ruleset.record()[0]
    results = [
        (dealers, alone, tricks, hand_points(record, tricks, bool(alone), False))
        for dealers, alone, tricks in np.ndindex(SHAPE)
    ]
    size = 1 + max(max(points) for *_, points in results)
    outcomes = np.zeros((size, size))
    for side, alone, tricks, (made, defended) in results:
        points = (made, defended) if side == 0 else (defended, made)
        outcomes[points] += given[side, alone, tricks]
    outcomes[0, 0] += max(0.0, 1 - given.sum())
    return outcomes


def _check_outcomes(outcomes: npt.ArrayLike) -> Floats:
    given = np.asarray(outcomes, np.float64)
    if given.ndim != 2 or not (given >= 0).all() or abs(given.sum() - 1) > 1e-6:
        raise EquityError(
            "outcomes are a table of shares by points of the dealer's and the other side, none "
            f"below zero, that add up to one; given were shape {given.shape}, sum {given.sum():.6g}"
        )
    if given[1:, 1:].any():
        raise EquityError("only one side scores in a hand: outcomes[1:, 1:] must be zero")
    if given[0, 0] > 1 - 1e-9:
        raise EquityError("a game in which no hand ever scores has no winner")
    return given / given.sum()


def _moves(outcomes: Floats, deals: int) -> list[tuple[int, int, float]]:
    """What a scoring hand may bring: (own points, other points, share)."""
    found = [
        (x, y, float(outcomes[x, y])) for x, y in np.argwhere(outcomes).tolist() if (x, y) != (0, 0)
    ]
    return found if deals == 0 else [(y, x, share) for x, y, share in found]


def _with_blanks(first: float, second: float, blank: float, same_dealer: bool) -> list[float]:
    """Values by dealer when a share ``blank`` of hands leaves the score as it is."""
    if same_dealer:
        return [first / (1 - blank), second / (1 - blank)]
    whole = 1 - blank * blank
    return [(first + blank * second) / whole, (second + blank * first) / whole]


# --- games and matches -------------------------------------------------------------------------


def _to_target(target: int, outcomes: Floats, same_dealer: bool, end: Ends) -> Floats:
    """Values float64[target, target, 2] of a game to a number of points."""
    table = np.empty((target, target, 2))
    moves, blank = [_moves(outcomes, deals) for deals in (0, 1)], float(outcomes[0, 0])

    def after(own: int, other: int, deals: int) -> float:
        if own >= target:
            return end(0, own - target, deals)
        if other >= target:
            return end(1, other - target, deals)
        return float(table[own, other, deals])

    for total in range(2 * target - 2, -1, -1):
        for a in range(max(0, total - target + 1), min(target, total + 1)):
            b = total - a
            sums = [
                sum(share * after(a + x, b + y, 1 - deals) for x, y, share in moves[deals])
                for deals in (0, 1)
            ]
            table[a, b] = _with_blanks(sums[0], sums[1], blank, same_dealer)
    return table


def _by_hands(hands: int, outcomes: Floats, same_dealer: bool, end: Ends) -> Floats:
    """Values float64[hands, leads, 2] of a game of so many hands, by hands played and lead.

    The leads are centred: column ``leads // 2`` is a level score.
    """
    most = (outcomes.shape[0] - 1) * hands
    table = np.empty((hands + 1, 2 * most + 1, 2))
    for lead in range(-most, most + 1):
        winner = 2 if lead == 0 else int(lead < 0)
        table[hands, lead + most] = [end(winner, 0, deals) for deals in (0, 1)]
    moves, blank = [_moves(outcomes, deals) for deals in (0, 1)], float(outcomes[0, 0])
    for played in range(hands - 1, -1, -1):
        for k in range(2 * most + 1):
            sums = [
                sum(
                    share * table[played + 1, min(max(k + x - y, 0), 2 * most), 1 - deals]
                    for x, y, share in moves[deals]
                )
                for deals in (0, 1)
            ]
            table[played, k] = _with_blanks(sums[0], sums[1], blank, same_dealer)
    return table[:hands]


class _Match:
    """The games of a match, each solved from those that may follow it."""

    def __init__(self, ruleset: Ruleset, outcomes: Floats) -> None:
        self.ruleset, self.outcomes = ruleset, outcomes
        self.needed = ruleset.match_games // 2 + 1
        self.tables: dict[tuple[int, int, int], Floats] = {}

    def decided(self, games: tuple[int, int, int]) -> float | None:
        """The own side's result of the match at a count of games, or None while undecided."""
        own, other, drawn = games
        if max(own, other) < self.needed and own + other + drawn < self.ruleset.match_games:
            return None
        return 0.5 if own == other else float(own > other)

    def end(self, games: tuple[int, int, int]) -> Ends:
        """The value of each end of the game that is played at a count of games."""

        def value(winner: int, above: int, deals: int) -> float:
            after = list(games)
            after[winner] += 1
            counted = (after[0], after[1], after[2])
            known = self.decided(counted)
            if known is not None:
                return known
            start = [0, 0]
            if winner < 2 and self.ruleset.match_carry_over:
                start[winner] = min(above, (self.ruleset.target_score or 1) - 1)
            return float(self.table(counted)[self.start(start[0], start[1], deals)])

        return value

    def start(self, own: int, other: int, deals: int) -> tuple[int, int, int]:
        """Where a table holds the start of a game, by carried points and dealer."""
        hands = self.ruleset.hands_per_game
        if hands is None:
            return own, other, deals
        return 0, (len(self.outcomes) - 1) * hands, deals

    def table(self, games: tuple[int, int, int]) -> Floats:
        """The values of the game that is played at a count of games."""
        if games not in self.tables:
            rules, end = self.ruleset, cache(self.end(games))
            same = rules.throw_in_redealer == "same"
            if rules.hands_per_game is not None:
                found = _by_hands(rules.hands_per_game, self.outcomes, same, end)
            else:
                found = _to_target(rules.target_score or 1, self.outcomes, same, end)
            self.tables[games] = found
        return self.tables[games]


@dataclass(frozen=True, eq=False)
class Equity:
    """Chances to win, ready to be asked for many scores at once.

    Attributes:
        ruleset: The rules.
        outcomes: float64[P, P], as :func:`outcomes_of` gives them.
        table: As :func:`equity_table` gives it; compiled code may read it.
        ends: float64[3, P, 2]: chance to win the match after the present game, by its winner (own,
            other, drawn), the winner's points above the target, and who deals next.
    """

    ruleset: Ruleset
    outcomes: Floats
    table: Floats
    ends: Floats

    @classmethod
    def of(
        cls,
        ruleset: Ruleset,
        outcomes: npt.ArrayLike | None = None,
        games: tuple[int, int, int] = (0, 0, 0),
    ) -> Equity:
        """The chances under some rules.

        Args:
            ruleset: A rule set of the partnership game.
            outcomes: As :func:`outcomes_of` gives them; those of the shipped shares unless given.
            games: Games of the match won by the own side, by the other, and drawn.

        Raises:
            EquityError: outcomes that are no distribution, or a match that is over.
            RulesetError: a game without partners.
        """
        ruleset.require_partnership("chances to win a game are")
        shares = outcomes_of(ruleset) if outcomes is None else _check_outcomes(outcomes)
        match = _Match(ruleset, _check_outcomes(shares))
        if len(games) != 3 or min(games) < 0 or match.decided(games) is not None:
            raise EquityError(
                f"games={games} of a match of {ruleset.match_games}: three counts are needed (won, "
                "lost, drawn) that leave the match undecided"
            )
        table, end = match.table(games), match.end(games)
        size = len(match.outcomes)
        ends = np.array([[[end(w, k, d) for d in (0, 1)] for k in range(size)] for w in range(3)])
        return cls(ruleset, match.outcomes, table, ends)

    def win(
        self, own: npt.ArrayLike, other: npt.ArrayLike, deals: npt.ArrayLike, hands: Any = 0
    ) -> Floats:
        """The own side's chance to win the match; a drawn one counts as half.

        Args:
            own: The own side's points before the hand.
            other: The other side's points.
            deals: 0 where the own side deals the hand to come, 1 where the other does.
            hands: Hands played in this game; read only where the rules fix their number.

        Raises:
            EquityError: a score at which the game is over. Less than nothing, as a renege may leave
                a side with, counts as nothing.
        """
        a, b, d = (np.asarray(x).astype(np.int64) for x in (own, other, deals))
        if self.ruleset.hands_per_game is not None:
            return self._by_lead(a - b, d, np.asarray(hands, np.int64))
        target = len(self.table)
        outside = (a >= target) | (b >= target)
        if outside.any():
            raise EquityError(f"a score is given at which a game to {target} is over")
        return self.table[np.maximum(a, 0), np.maximum(b, 0), d]

    def _by_lead(self, lead: Any, deals: Any, hands: Any) -> Floats:
        if (hands >= len(self.table)).any() or (hands < 0).any():
            raise EquityError(f"hands={hands}: a game has {len(self.table)}")
        most = self.table.shape[1] // 2
        return self.table[hands, np.clip(lead, -most, most) + most, deals]

    def after(
        self, own: npt.ArrayLike, other: npt.ArrayLike, deals: npt.ArrayLike, hands: Any = 0
    ) -> Floats:
        """:meth:`win`, but at scores where the game may be over; ``hands`` counts the last one."""
        a, b, d, played = np.broadcast_arrays(
            *(np.asarray(x).astype(np.int64) for x in (own, other, deals, hands))
        )
        length, target = self.ruleset.hands_per_game, self.ruleset.target_score or 0
        if length is not None:
            over, winner = played >= length, np.where(a == b, 2, np.where(a > b, 0, 1))
            above = np.zeros_like(a)
        else:
            over, winner = (a >= target) | (b >= target), np.where(a >= target, 0, 1)
            above = np.clip(np.maximum(a, b) - target, 0, self.ends.shape[1] - 1)
        going = ~over
        value = np.empty(a.shape)
        value[over] = self.ends[winner[over], above[over], d[over]]
        value[going] = self.win(a[going], b[going], d[going], played[going])
        return value


@cache
def _shipped(ruleset: Ruleset) -> Equity:
    return Equity.of(ruleset)


def equity_table(
    ruleset: Ruleset,
    outcomes: npt.ArrayLike | None = None,
    games: tuple[int, int, int] = (0, 0, 0),
) -> Floats:
    """The own side's chance to win from every score.

    Returns:
        float64[target, target, 2] by own points, other points and dealer (0 the own side, 1 the
        other). Where the rules fix the number of hands instead, float64[hands, leads, 2] by hands
        played and lead, the middle column being a level score. In a match of several games it is
        the chance to win the match.

    Raises:
        EquityError, RulesetError: see :meth:`Equity.of`.
    """
    return Equity.of(ruleset, outcomes, games).table


def equity_change(
    scores: npt.ArrayLike,
    dealer: npt.ArrayLike,
    points: npt.ArrayLike,
    equity: Equity | Ruleset,
    *,
    thrown_in: npt.ArrayLike = False,
    hands: npt.ArrayLike = 0,
) -> Floats:
    """What a hand changed in team 0's chance to win; the reward of team 1 is its negative.

    Over a whole game the changes add up to the result (1 or 0) less the chance at the start.

    Args:
        scores: int[..., 2], points of the teams before the hand.
        dealer: int[...], the seat (or team) that dealt the hand.
        points: int[..., 2], points of the teams in the hand.
        equity: The chances, or the rules for the shipped ones.
        thrown_in: bool[...], whether the hand was thrown in.
        hands: int[...], hands of this game played before, for rules that fix their number.
    """
    table = _shipped(equity) if isinstance(equity, Ruleset) else equity
    before, won = np.asarray(scores, np.int64), np.asarray(points, np.int64)
    deals, blank = np.asarray(dealer).astype(np.int64) & 1, np.asarray(thrown_in, bool)
    same = blank & (table.ruleset.throw_in_redealer == "same")
    played = np.asarray(hands, np.int64)
    now = before + won
    after = table.after(now[..., 0], now[..., 1], np.where(same, deals, 1 - deals), played + ~blank)
    return after - table.win(before[..., 0], before[..., 1], deals, played)
