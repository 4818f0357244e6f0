"""The principles by number, and verdicts: an act together with the principle that chose it.

A verdict is an int64. Its lower half is an action id, or a set of cards as long as leads and
follows are being judged; its upper half is the number of the principle. The player takes the lower
half, :mod:`.reasons` puts the upper half into words.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from euchre_env._jit import njit

PRINCIPLES = (
    # the only legal act
    "forced",
    # calls
    "strong_enough",
    "counted_outright",
    "donation",
    "canadian_loner",
    "too_weak",
    "too_weak_for_canadian_loner",
    "not_allowed_to_order",
    "best_suit_when_stuck",
    # alone, defence, weak hands
    "alone_strong_enough",
    "alone_too_weak",
    "alone_gains_nothing",
    "alone_cannot_take_five",
    "defence_safe",
    "defence_unsafe",
    "hand_worthless",
    "hand_worth_a_call",
    # discard, the partner's best
    "laid_away",
    "call_for_best",
    "pass_best",
    # leads
    "run_from_the_top",
    "boss_trump_late",
    "draw_trumps",
    "lead_trump_to_partner",
    "save_winner_from_ruff",
    "cash_side_winner",
    "lead_low",
    # to take a trick
    "over_partner",
    "ruff_before_loner",
    "ruff_to_save_winner",
    "win_as_last",
    "ruff_low",
    "ruff_with_the_left",
    "win_with_boss",
    "keep_boss_trump",
    "third_hand_high",
    # not to take it
    "nothing_wins",
    "partner_wins",
    "guard_the_left",
    "save_boss_trump",
    "second_hand_low",
)
"""The name of each principle by its number."""
(
    FORCED,
    STRONG_ENOUGH,
    COUNTED_OUTRIGHT,
    DONATION,
    CANADIAN_LONER,
    TOO_WEAK,
    TOO_WEAK_FOR_CANADIAN_LONER,
    NOT_ALLOWED_TO_ORDER,
    BEST_SUIT_WHEN_STUCK,
    ALONE_STRONG_ENOUGH,
    ALONE_TOO_WEAK,
    ALONE_GAINS_NOTHING,
    ALONE_CANNOT_TAKE_FIVE,
    DEFENCE_SAFE,
    DEFENCE_UNSAFE,
    HAND_WORTHLESS,
    HAND_WORTH_A_CALL,
    LAID_AWAY,
    CALL_FOR_BEST,
    PASS_BEST,
    RUN_FROM_THE_TOP,
    BOSS_TRUMP_LATE,
    DRAW_TRUMPS,
    LEAD_TRUMP_TO_PARTNER,
    SAVE_WINNER_FROM_RUFF,
    CASH_SIDE_WINNER,
    LEAD_LOW,
    OVER_PARTNER,
    RUFF_BEFORE_LONER,
    RUFF_TO_SAVE_WINNER,
    WIN_AS_LAST,
    RUFF_LOW,
    RUFF_WITH_THE_LEFT,
    WIN_WITH_BOSS,
    KEEP_BOSS_TRUMP,
    THIRD_HAND_HIGH,
    NOTHING_WINS,
    PARTNER_WINS,
    GUARD_THE_LEFT,
    SAVE_BOSS_TRUMP,
    SECOND_HAND_LOW,
) = range(len(PRINCIPLES))

_HALF = 32
_LOWER = np.int64((1 << _HALF) - 1)


@njit
def by(principle, act):
    """The verdict of a principle: an action id or a set of cards, none where it is empty."""
    return np.int64(act) | (np.int64(principle) << _HALF)


@njit
def act_of(verdict):
    """The action id, or the set of cards, of a verdict."""
    return verdict & _LOWER


@njit
def principle_of(verdict):
    """The number of the principle behind a verdict."""
    return verdict >> _HALF
