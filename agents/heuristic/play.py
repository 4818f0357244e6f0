"""Cards: leads and follows, one principle a function.

A principle that has nothing to say here gives the empty set. Its caller turns a card into a verdict
(:mod:`.principles`).
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from euchre_env._jit import njit
from euchre_env.cards import NATURAL, TRUMPS, highest_card, popcount
from euchre_env.rules import (
    N_TRICKS,
    NOBODY,
    follows,
    is_out,
    partner,
    team,
    trick_size,
)

from .discard import least_kept, most_kept, throw_off
from .hands import (
    bosses,
    foes_may_hold,
    lacks,
    lowest_card,
    partner_plays,
    suit_of,
    unseen_cards,
)
from .principles import (
    BOSS_TRUMP_LATE,
    CASH_SIDE_WINNER,
    DRAW_TRUMPS,
    FORCED,
    GUARD_THE_LEFT,
    KEEP_BOSS_TRUMP,
    LEAD_LOW,
    LEAD_TRUMP_TO_PARTNER,
    NOTHING_WINS,
    OVER_PARTNER,
    PARTNER_WINS,
    RUFF_BEFORE_LONER,
    RUFF_LOW,
    RUFF_TO_SAVE_WINNER,
    RUFF_WITH_THE_LEFT,
    RUN_FROM_THE_TOP,
    SAVE_BOSS_TRUMP,
    SAVE_WINNER_FROM_RUFF,
    SECOND_HAND_LOW,
    THIRD_HAND_HIGH,
    WIN_AS_LAST,
    WIN_WITH_BOSS,
    act_of,
    by,
)
from .tables import DRAW_WITH, KEEP_LEADING, KEEP_RUFFING

NO_CARD = np.int64(0)
LEFT, RIGHT = np.int64(1 << 22), np.int64(1 << 23)

# --- who is who --------------------------------------------------------------------------------


@njit
def on_makers_side(s):
    """Whether the seat to act belongs to the makers."""
    return team(s.turn) == team(s.maker)


@njit
def is_caller(s):
    """Whether the seat to act calls the tune: the maker, or whoever plays alone for it."""
    return s.turn == s.maker or s.turn == s.loner


@njit
def is_last(s):
    """Whether the seat to act plays the last card of the trick."""
    return s.count == trick_size(s) - 1


@njit
def partner_wins(s):
    """Whether the partner's card is winning the trick."""
    return s.winner == partner(s.turn)


# --- leads -------------------------------------------------------------------------------------


@njit
def run_from_the_top(s, trumps, winners):
    """A lone hand plays its trumps, then its winners, from the top: each may squeeze a stopper out.

    A last trump that is not the highest waits for the side winners, and for the fourth trick.
    Published guides: a lone hand cashes winners from the top, a boss trump before a loser.
    """
    if trumps & winners != 0 or popcount(trumps) >= 2:
        return highest_card(trumps)
    if winners != 0:
        return highest_card(winners)
    return trumps if s.trick >= N_TRICKS - 2 else NO_CARD


@njit
def boss_trump_late(s, trumps, winners):
    """Two cards left: the boss trump first; three left: too, if a side winner comes after it.

    Published guides: at the fourth trick the boss trump comes before a loser.
    """
    boss = trumps & winners
    if boss == 0 or s.trick < N_TRICKS - 3:
        return NO_CARD
    followed_up = winners & ~trumps != 0
    return highest_card(boss) if followed_up or s.trick >= N_TRICKS - 2 else NO_CARD


@njit
def draw_trumps(s, trumps, winners, unseen):
    """Caller: draw trumps from the top while it holds the boss; else with the second of three.

    Published guides: a caller on lead with the right bower draws trump; down to two trumps with one
    trick won it needs both and leads the higher.
    """
    if trumps == 0 or not foes_may_hold(s, unseen & TRUMPS[s.frame], TRUMPS[s.frame]):
        return NO_CARD
    if trumps & winners != 0 or (s.trick == N_TRICKS - 2 and s.tricks[team(s.turn)] == 1):
        return highest_card(trumps)
    enough = DRAW_WITH if winners == 0 else DRAW_WITH - 1
    return highest_card(trumps ^ highest_card(trumps)) if popcount(trumps) >= enough else NO_CARD


@njit
def lead_trump_to_partner(s, trumps):
    """Caller's partner: lead the highest trump early, so that the caller's side draws them.

    Published guides: seat 1 leads trump to a calling partner; having won the first trick with the
    right bower it goes on with the left. Later a trump would only fall together with partner's.
    """
    if trumps == 0 or s.trick > 1:
        return NO_CARD
    return highest_card(trumps)


@njit
def save_winner_from_ruff(s, trumps, winners):
    """A defender with length in trumps and a side winner leads a low trump first."""
    if s.trick != 0 or popcount(trumps) < DRAW_WITH or winners & ~trumps == 0:
        return NO_CARD
    return lowest_card(trumps)


@njit
def ruff_threatens(s, suit):
    """Whether an opponent has shown to be out of a side suit and may still hold a trump."""
    trumps = TRUMPS[s.frame]
    for k in (1, 3):
        foe = (s.turn + k) & 3
        if not is_out(s, foe) and s.void[foe] & suit != 0 and not lacks(s, foe, trumps):
            return True
    return False


@njit
def opens_against_loner(s):
    """Whether the seat to act makes the first lead against a lone hand."""
    return s.trick == 0 and s.loner != NOBODY and not on_makers_side(s)


@njit
def cash_side_winner(s, hand, winners):
    """A boss of a side suit that no opponent is known to ruff, from the shortest suit.

    On the first lead against a lone hand a boss with company stays back as a stopper.
    """
    rest = winners & ~TRUMPS[s.frame]
    found, shortest = NO_CARD, np.int64(2 if opens_against_loner(s) else 99)
    while rest != 0:
        card = highest_card(rest)
        rest ^= card
        suit = suit_of(card, s.frame)
        length = popcount(hand & suit)
        if length < shortest and not ruff_threatens(s, suit):
            found, shortest = card, length
    return found


@njit
def lead_low(s, hand, winners):
    """Nothing to cash: a low card of a long side suit; the higher of the last two."""
    trumps = hand & TRUMPS[s.frame]
    if trumps == hand:
        return highest_card(hand) if hand & winners != 0 else lowest_card(hand)
    side = hand & ~trumps
    if s.trick >= N_TRICKS - 2 and trumps == 0:
        return most_kept(hand, side, s.frame, KEEP_LEADING)
    return least_kept(hand, side, s.frame, KEEP_RUFFING if opens_against_loner(s) else KEEP_LEADING)


@njit
def _lead_trump(s, hand, winners, unseen):
    trumps = hand & TRUMPS[s.frame]
    if s.loner == s.turn:
        return by(RUN_FROM_THE_TOP, run_from_the_top(s, trumps, winners))
    card = boss_trump_late(s, trumps, winners)
    if card != 0:
        return by(BOSS_TRUMP_LATE, card)
    if is_caller(s):
        return by(DRAW_TRUMPS, draw_trumps(s, trumps, winners, unseen))
    if on_makers_side(s):
        return by(LEAD_TRUMP_TO_PARTNER, lead_trump_to_partner(s, trumps))
    return by(SAVE_WINNER_FROM_RUFF, save_winner_from_ruff(s, trumps, winners))


@njit
def lead(s, r):
    """The verdict on the card to lead, as a set."""
    hand = np.int64(s.hand[s.turn])
    if hand & (hand - 1) == 0:
        return by(FORCED, hand)
    unseen = unseen_cards(s, r)
    winners = bosses(hand, unseen, s.frame)
    verdict = _lead_trump(s, hand, winners, unseen)
    if act_of(verdict) != 0:
        return verdict
    card = cash_side_winner(s, hand, winners)
    return by(CASH_SIDE_WINNER, card) if card != 0 else by(LEAD_LOW, lead_low(s, hand, winners))


# --- follows -----------------------------------------------------------------------------------


@njit
def winning_cards(s, cards):
    """Those of ``cards`` that take the trick as it stands."""
    return cards & (np.int64(s.led) | TRUMPS[s.frame]) & -(np.int64(s.best) << 1)


@njit
def lowest_equal(winning, unseen):
    """The lowest card that is as good as the highest: no unseen card lies between."""
    between = unseen & (highest_card(winning) - 1)
    if between != 0:
        winning &= -(highest_card(between) << 1)
    return lowest_card(winning)


@njit
def best_may_be_beaten(s, unseen):
    """Whether a card of the winning card's suit that is higher may still be with an opponent."""
    suit = suit_of(np.int64(s.best), s.frame)
    return unseen & suit & -(np.int64(s.best) << 1) != 0


@njit
def over_partner(s, winning, unseen):
    """Partner wins: take over only in third seat, in suit, a card that may lose with a boss."""
    following = winning & np.int64(s.led)
    if is_last(s) or following == 0 or not best_may_be_beaten(s, unseen):
        return NO_CARD
    return bosses(highest_card(following), unseen, s.frame)


@njit
def ruff_before_loner(s, winning):
    """A defender before the lone hand ruffs even partner's winner: one trick stops the march."""
    if s.loner == NOBODY or on_makers_side(s) or is_last(s):
        return NO_CARD
    return lowest_card(winning) if winning & np.int64(s.led) == 0 else NO_CARD


@njit
def ruff_to_save_winner(s, hand, cards, winning, unseen):
    """Makers, late: partner's card may be beaten and only winners could be thrown: ruff low."""
    if is_last(s) or winning & np.int64(s.led) != 0:
        return NO_CARD
    if not on_makers_side(s) or s.trick < 2:
        return NO_CARD
    spared = throw_off(s, hand, cards) & bosses(hand, unseen, s.frame)
    return lowest_card(winning) if spared & ~TRUMPS[s.frame] != 0 else NO_CARD


@njit
def guards_left(s, hand, unseen):
    """A defender's left bower with one small trump, the right unseen, before a trick is won.

    Published guides: the left with one guard is a stopper while the right is out.
    """
    trumps = hand & TRUMPS[s.frame]
    if s.frame == NATURAL or popcount(trumps) != 2 or trumps & LEFT == 0:
        return False
    return unseen & RIGHT != 0 and s.tricks[team(s.turn)] == 0 and not on_makers_side(s)


@njit
def saves_boss_trump(s, hand, winning, unseen):
    """Second seat, two tricks to find: the boss trump is not spent on a side suit.

    Published guides: partner behind the caller may still win the trick; the boss wins later anyway.
    """
    if s.count != 1 or on_makers_side(s) or s.loner != NOBODY or not partner_plays(s):
        return False
    if s.tricks[team(s.turn)] != 1 or s.tricks[1 - team(s.turn)] != 2:
        return False
    top = highest_card(winning)
    return bosses(hand, unseen, s.frame) == top and winning == top


@njit
def ruff(s, hand, winning, unseen):
    """The verdict on ruffing: by the lowest trump that wins, unless a left or boss is at stake."""
    if guards_left(s, hand, unseen):
        if s.count == 1:
            return by(GUARD_THE_LEFT, NO_CARD)
        return by(RUFF_WITH_THE_LEFT, highest_card(winning))
    if saves_boss_trump(s, hand, winning, unseen):
        return by(SAVE_BOSS_TRUMP, NO_CARD)
    return by(RUFF_LOW, lowest_card(winning))


@njit
def keeps_boss_trump(s):
    """Second seat on a trump lead: a lower card that wins so far will do, the boss wins later."""
    return s.count == 1 and np.int64(s.led) == TRUMPS[s.frame]


@njit
def win(s, hand, winning, unseen):
    """The verdict on winning: last, the lowest; second, only a boss; third, the highest.

    Published guides: second hand low, third hand high, last to play as cheaply as possible.
    """
    if is_last(s):
        return by(WIN_AS_LAST, lowest_card(winning))
    if hand & np.int64(s.led) == 0:
        return ruff(s, hand, winning, unseen)
    sure = bosses(winning, unseen, s.frame)
    if sure != 0 and keeps_boss_trump(s):
        return by(KEEP_BOSS_TRUMP, lowest_card(winning))
    if sure != 0:
        return by(WIN_WITH_BOSS, lowest_card(sure))
    if s.count == 1:
        return by(SECOND_HAND_LOW, NO_CARD)
    return by(THIRD_HAND_HIGH, lowest_equal(winning, unseen))


@njit
def _take(s, hand, cards, winning, unseen):
    """The verdict on taking the trick; without a card, the principle says why not."""
    if winning == 0:
        return by(NOTHING_WINS, NO_CARD)
    if not partner_wins(s):
        return win(s, hand, winning, unseen)
    card = over_partner(s, winning, unseen)
    if card != 0:
        return by(OVER_PARTNER, card)
    card = ruff_before_loner(s, winning)
    if card != 0:
        return by(RUFF_BEFORE_LONER, card)
    card = ruff_to_save_winner(s, hand, cards, winning, unseen)
    return by(RUFF_TO_SAVE_WINNER if card != 0 else PARTNER_WINS, card)


@njit
def follow(s, r):
    """The verdict on the card to play on a trick, as a set."""
    hand = np.int64(s.hand[s.turn])
    cards = follows(hand, np.int64(s.led))
    if cards & (cards - 1) == 0:
        return by(FORCED, cards)
    unseen = unseen_cards(s, r)
    winning = winning_cards(s, cards)
    verdict = _take(s, hand, cards, winning, unseen)
    return verdict if act_of(verdict) != 0 else verdict | throw_off(s, hand, cards)
