"""Calls: how strong a hand is in a suit, when to call it, alone or not, and when to claim.

A hand's strength in a call is what calling gains over passing, in hundredths of a point at 0-0
under the usual points: what its cards, the number of its trumps, its voids and the upcard count
(:mod:`.tables`). It calls from nothing upwards; score and rule set move that line (:func:`line`).
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from euchre_env._jit import njit
from euchre_env.cards import (
    EFFECTIVE_SUIT,
    JOKER_BIT,
    NEXT_SUIT,
    NO_TRUMP,
    SUIT_AT,
    TRUMP_SUIT,
    TRUMPS,
    from_natural,
    lowest_bit,
    popcount,
    to_natural,
)
from euchre_env.rules import (
    ALONE,
    BID1,
    CALL,
    CALL_NO_TRUMP,
    CLAIM,
    DEFEND_ALONE,
    DEFEND_TOGETHER,
    FACE_UP,
    KEEP,
    NAME_TRUMP,
    NOBODY,
    ORDER_UP,
    PASS,
    TURNED_DOWN,
    WITH_PARTNER,
    left,
    partner,
    team,
)
from euchre_env.ruleset import LONER_TAKES

from .discard import with_upcard
from .hands import bosses, own_hand, unseen_cards
from .principles import (
    ALONE_CANNOT_TAKE_FIVE,
    ALONE_GAINS_NOTHING,
    ALONE_STRONG_ENOUGH,
    ALONE_TOO_WEAK,
    BEST_SUIT_WHEN_STUCK,
    CANADIAN_LONER,
    COUNTED_OUTRIGHT,
    DEFENCE_SAFE,
    DEFENCE_UNSAFE,
    DONATION,
    HAND_WORTH_A_CALL,
    HAND_WORTHLESS,
    NOT_ALLOWED_TO_ORDER,
    STRONG_ENOUGH,
    TOO_WEAK,
    TOO_WEAK_FOR_CANADIAN_LONER,
    act_of,
    by,
)
from .tables import (
    BASE,
    CANADIAN_LINE,
    CARD_VALUE,
    DEFEND_ALONE_TRICKS,
    DONATE_NEED,
    JACK_UP,
    KEEP_LINE,
    LINE_EVEN,
    LINE_SLOPE,
    LONE_CARD,
    LONE_LINE,
    LONE_LOSERS,
    LONE_PLACE,
    LONE_TRUMPS,
    OUTRIGHT,
    PLAIN_COUNT,
    ROUND_ONE,
    ROUND_TWO_CROSS,
    ROUND_TWO_NEXT,
    SCORE_LINE,
    SITUATION_NO_TRUMP,
    TRUMP_COUNT,
    UPCARD_VALUE,
    VOID_VALUE,
)

# --- the hand and the place --------------------------------------------------------------------


@njit
def places_left(s):
    """The seat to act by its place left of the dealer; 0 is the dealer."""
    return (s.turn - s.dealer) & 3


@njit
def _takes_upcard(s, r):
    """Whether the seat to act will play with the upcard, if it is (or stays) the maker."""
    if s.place != FACE_UP:
        return False
    if s.turn == s.dealer:
        return True
    alone = s.loner == s.turn or (r.canadian_loner != 0 and s.phase == BID1)
    return alone and s.turn == partner(s.dealer) and r.partner_alone_upcard == LONER_TAKES


@njit
def hand_to_play(s, r):
    """The five cards that the seat to act will play as maker in the record's frame."""
    hand = own_hand(s, r)
    if hand != 0 and _takes_upcard(s, r):
        return with_upcard(hand, np.int64(s.upcard), s.frame, r.dealer_may_discard_upcard != 0)
    return hand


@njit
def situation_of(s, call):
    """The row of the strength tables: round, place, and whether the call is next or cross.

    Published guides: with the upcard turned down, the side of the dealer's left leans to next, the
    dealer's side to cross ("reverse next").
    """
    place = places_left(s)
    if call == CALL_NO_TRUMP:
        return np.int64(SITUATION_NO_TRUMP)
    if s.phase == NAME_TRUMP or call == CALL + TRUMP_SUIT:
        return np.int64(ROUND_ONE) + place
    return np.int64(ROUND_TWO_NEXT if call == CALL + NEXT_SUIT else ROUND_TWO_CROSS) + place


# --- strength ----------------------------------------------------------------------------------


@njit
def card_values(hand, table, row):
    """The sum of what the cards of a hand count in a row of a table."""
    total = np.int64(0)
    while hand != 0:
        total += table[row, lowest_bit(hand)]
        hand &= hand - 1
    return total


@njit
def count_voids(hand, frame):
    """How many suits other than trump are missing."""
    voids = np.int64(0)
    for k in range(3):
        voids += hand & EFFECTIVE_SUIT[frame, k] == 0
    return voids


@njit
def strength(hand, frame, situation, upcard):
    """What calling gains over passing, in hundredths of a point."""
    total = BASE[situation] + UPCARD_VALUE[situation, upcard]
    total += card_values(hand, CARD_VALUE, situation)
    if frame == NO_TRUMP:
        return total
    total += TRUMP_COUNT[situation, popcount(hand & TRUMPS[frame])]
    return total + VOID_VALUE[situation, count_voids(hand, frame)]


@njit
def upcard_index(s):
    """The upcard by its height among the trumps of its suit: 0 (nine) to 6 (right), 7 (joker)."""
    return np.int64(lowest_bit(np.int64(s.upcard))) - 17


@njit
def strength_of_call(s, r, call):
    """The strength of the seat's hand under a call of round 2, an action id."""
    hand = to_natural(hand_to_play(s, r), s.frame)
    trump = np.int64(NO_TRUMP if call == CALL_NO_TRUMP else SUIT_AT[s.frame, call - CALL])
    upcard = max(upcard_index(s), np.int64(0))
    return strength(from_natural(hand, trump), trump, situation_of(s, call), upcard)


# --- the line: score and rule set --------------------------------------------------------------


@njit
def needs(s, r, side):
    """Points that a team still needs for the game; many where the game has no target."""
    if r.target_score == 0:
        return np.int64(99)
    return np.int64(r.target_score) - np.int64(s.score[side])


@njit
def line(s, r):
    """The strength from which a call pays, in hundredths.

    Published guides: a call breaks even at two in three (+1 made, -2 euchred); where the rule set
    counts otherwise, at its own odds. The score moves it by the chances to win the game.
    """
    make, euchre = np.int64(r.points_make), np.int64(r.points_euchre)
    odds = LINE_SLOPE * euchre // max(np.int64(1), make + euchre) - LINE_EVEN
    us = team(s.turn)
    most = np.int64(len(SCORE_LINE))
    own = max(np.int64(1), min(needs(s, r, us), most))
    theirs = max(np.int64(1), min(needs(s, r, 1 - us), most))
    next_deals = np.int64(team(left(s.dealer)) != us)
    return odds + SCORE_LINE[own - 1, theirs - 1, next_deals]


# --- alone -------------------------------------------------------------------------------------


@njit
def fifth_trick_impossible(s, hand, maker_frame):
    """Whether an opponent is known to hold a trump that no trump of the hand beats.

    The upcard went (or will go) to the other side's dealer and tops the lone hand: that hand may
    win four tricks, never five.
    """
    if team(s.turn) == team(s.dealer) or s.place == TURNED_DOWN:
        return False
    upcard = np.int64(s.upcard)
    return upcard & TRUMPS[maker_frame] != 0 and hand < upcard


@njit
def count_losers(hand, frame):
    """Side cards that are not aces, nor in sequence down from an ace of the hand."""
    side = hand & ~TRUMPS[frame]
    return popcount(side & ~bosses(side, (JOKER_BIT - 1) & ~hand, frame))


@njit
def lone_strength(s, hand):
    """What a lone hand gains over one with the partner, in hundredths of a point at 0-0."""
    trumps = hand & TRUMPS[s.frame]
    total = LONE_PLACE[places_left(s)] + LONE_TRUMPS[popcount(trumps)]
    return total + LONE_LOSERS[count_losers(hand, s.frame)] + card_values(trumps, LONE_CARD, 0)


@njit
def lone_gain(s, r):
    """The points, 0 to 3, that alone can add to a march at this score.

    Published guides: at one or two points short alone adds nothing; at three or four short (6 or 7
    of ten) it wins the game.
    """
    own = needs(s, r, team(s.turn))
    extra = min(np.int64(r.points_loner_march), own) - min(np.int64(r.points_march), own)
    return max(np.int64(0), min(np.int64(3), extra))


@njit
def _alone_pays(s, r, hand):
    """Whether a hand is strong enough; on a tie it prefers the partner."""
    line_to_beat = LONE_LINE[lone_gain(s, r)]
    if s.frame == NO_TRUMP:
        return popcount(bosses(hand, unseen_cards(s, r), s.frame)) == 5 and line_to_beat < 100
    return lone_strength(s, hand) > line_to_beat


@njit
def judge_alone(s, r):
    """The verdict on playing alone or with the partner."""
    hand = hand_to_play(s, r)
    if s.frame != NO_TRUMP and fifth_trick_impossible(s, hand, s.frame):
        return by(ALONE_CANNOT_TAKE_FIVE, WITH_PARTNER)
    if _alone_pays(s, r, hand):
        return by(ALONE_STRONG_ENOUGH, ALONE)
    return by(ALONE_GAINS_NOTHING if lone_gain(s, r) == 0 else ALONE_TOO_WEAK, WITH_PARTNER)


@njit
def judge_defence(s, r):
    """The verdict on defending alone."""
    if defends_alone(s, r):
        return by(DEFENCE_SAFE, DEFEND_ALONE)
    return by(DEFENCE_UNSAFE, DEFEND_TOGETHER)


@njit
def defends_alone(s, r):
    """Whether three tricks are safe without the partner: bosses, or length with two high trumps."""
    hand = own_hand(s, r)
    winners = bosses(hand, unseen_cards(s, r), s.frame)
    trumps = hand & TRUMPS[s.frame]
    if popcount(trumps) >= 3 and popcount(trumps & winners) >= 2:
        winners |= trumps
    return popcount(winners) >= DEFEND_ALONE_TRICKS


# --- round 1 -----------------------------------------------------------------------------------


@njit
def donates(s, r, hand):
    """Whether to order up with a hopeless hand, to deny the dealer a lone hand that wins the game.

    Published guides: seat 1, one point short of the game, the dealer's side three or four short.
    """
    if places_left(s) != 1 or r.allow_alone == 0 or needs(s, r, team(s.turn)) != 1:
        return False
    theirs = needs(s, r, 1 - team(s.turn))
    if theirs < DONATE_NEED[0] or theirs > DONATE_NEED[1]:
        return False
    jack_up = upcard_index(s) >= JACK_UP
    return jack_up and bosses(hand, unseen_cards(s, r), s.frame) == 0 and hand < (1 << 17)


@njit
def calls_outright(s, hand):
    """Three trumps and the count at which players call from any seat.

    Published guides: about 21 points, as counted in ``PLAIN_COUNT``, are a call for seats 1 and 3.
    """
    enough = popcount(hand & TRUMPS[s.frame]) >= 3
    return enough and card_values(hand, PLAIN_COUNT, 0) >= OUTRIGHT


@njit
def judge_order(s, r, legal):
    """The verdict on making the upcard's suit trump.

    Published guides: the dealer counts the upcard as its own, the dealer's partner is helped by it
    and orders lightly, the other side is hurt by it and needs a strong hand.
    """
    if (legal >> ORDER_UP) & 1 == 0:
        return by(NOT_ALLOWED_TO_ORDER, PASS)
    hand = hand_to_play(s, r)
    if r.canadian_loner != 0 and places_left(s) == 2:
        if lone_strength(s, hand) > CANADIAN_LINE:
            return by(CANADIAN_LONER, ORDER_UP)
        return by(TOO_WEAK_FOR_CANADIAN_LONER, PASS)
    situation = np.int64(ROUND_ONE) + places_left(s)
    if strength(hand, s.frame, situation, upcard_index(s)) > line(s, r):
        return by(STRONG_ENOUGH, ORDER_UP)
    if calls_outright(s, hand):
        return by(COUNTED_OUTRIGHT, ORDER_UP)
    return by(DONATION, ORDER_UP) if donates(s, r, hand) else by(TOO_WEAK, PASS)


@njit
def wants_to_order(s, r):
    """Whether to make the upcard's suit trump, were it allowed."""
    return act_of(judge_order(s, r, np.int64(1) << ORDER_UP)) == ORDER_UP


# --- round 2 -----------------------------------------------------------------------------------


@njit
def judge_suits(s, r, legal):
    """The verdict on naming a suit: the strongest, or a pass where none reaches the line.

    A stuck dealer and the namer of a joker turned up cannot pass and name their best suit.
    """
    best, most = np.int64(NOBODY), np.int64(-(1 << 30))
    may_pass = (legal >> PASS) & 1 != 0
    if may_pass:
        best, most = np.int64(PASS), line(s, r)
    for call in range(CALL, CALL_NO_TRUMP + 1):
        if (legal >> call) & 1 != 0:
            value = strength_of_call(s, r, call)
            if value > most:
                best, most = np.int64(call), value
    if not may_pass:
        return by(BEST_SUIT_WHEN_STUCK, best)
    return by(TOO_WEAK if best == PASS else STRONG_ENOUGH, best)


# --- weak hands --------------------------------------------------------------------------------


@njit
def judge_weak_hand(s, r):
    """The verdict on claiming a weak hand."""
    if claims_weak_hand(s, r):
        return by(HAND_WORTHLESS, CLAIM)
    return by(HAND_WORTH_A_CALL, KEEP)


@njit
def claims_weak_hand(s, r):
    """Whether to claim: unless the five cards would be worth a call in some suit."""
    hand = to_natural(own_hand(s, r), s.frame)
    for suit in range(4):
        framed = from_natural(hand, suit)
        if strength(framed, suit, np.int64(ROUND_TWO_CROSS) + places_left(s), 0) > KEEP_LINE:
            return False
    return True
