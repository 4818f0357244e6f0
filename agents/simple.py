"""Baselines: uniform random, first legal, a point-count player, and a scripted one for tests.

The point-count player, ``greedy``, calls by the count that players use (:data:`POINTS`; thresholds
in :data:`ROUND_ONE` and :data:`ROUND_TWO`) and plays by a few plain principles. It asks the engine
what a card's suit is, what beats what and what may be played, and knows no rule itself.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from euchre_env._jit import njit
from euchre_env.actions import ActionError, action_id
from euchre_env.cards import (
    ACE,
    CARD_AT,
    JOKER_BIT,
    N_CARDS,
    NATURAL,
    NO_TRUMP,
    ONE,
    SUIT_AT,
    SUIT_OF_BIT,
    TRUMPS,
    from_natural,
    lowest_bit,
    popcount,
    to_natural,
)
from euchre_env.kernels import below, count_actions, lowest_action, mix, nth_action
from euchre_env.rules import (
    ALONE,
    BID1,
    BID2,
    CALL,
    CALL_NO_TRUMP,
    CLAIM,
    DEFEND,
    DEFEND_ALONE,
    DEFEND_TOGETHER,
    DISCARD,
    DUMMY_EXCHANGE,
    FACE_UP,
    LAY_AWAY,
    LONER,
    N_SEATS,
    NAME_TRUMP,
    ORDER_UP,
    OUT_OF_PLAY,
    PASS,
    PASS_CARD,
    PLAY,
    STAY,
    TURNED_DOWN,
    WITH_PARTNER,
    beats,
    follows,
    gives_dummy,
    partner,
    team,
    trick_size,
)
from euchre_env.rules import KEEP as KEEP_HAND
from euchre_env.ruleset import PARTNERSHIP, THREE_HAND_DUMMY

from .base import Actions, AgentError, View

# --- random and first legal --------------------------------------------------------------------


@njit
def _random_actions(legal, seeds, out):
    for i in range(len(legal)):
        out[i] = nth_action(legal[i], below(mix(seeds[i]), count_actions(legal[i])))


@njit
def _first_actions(legal, out):
    for i in range(len(legal)):
        out[i] = lowest_action(legal[i])


class RandomAgent:
    """Chooses uniformly among the legal actions."""

    name = "random"
    oracle = False
    plays_alone = True

    def act(self, view: View) -> Actions:
        """A uniform legal action for each game, drawn from the view's seeds."""
        out = np.empty(len(view), np.int64)
        _random_actions(view.legal, view.seeds, out)
        return out


class FirstLegalAgent:
    """Chooses the legal action with the lowest trump-relative id: passes, plays its lowest card."""

    name = "first_legal"
    oracle = False
    plays_alone = True

    def act(self, view: View) -> Actions:
        """The first legal action of each game."""
        out = np.empty(len(view), np.int64)
        _first_actions(view.legal, out)
        return out


# --- scripted ----------------------------------------------------------------------------------


class ScriptedAgent:
    """Prefers the actions of a script, for tests.

    At each decision it takes the first action of the script that is legal, or, where none is, the
    first legal one. So ``call_S pass AS`` passes in round 1 and calls spades in round 2.

    Args:
        script: Texts of actions, separated by spaces or commas.

    Raises:
        AgentError: a text that is no action, or an empty script.
    """

    oracle = False

    def __init__(self, script: str) -> None:
        self.name = f"scripted:{script}"
        self._texts = script.replace(",", " ").split()
        try:
            self._actions = [action_id(text) for text in self._texts]
        except ActionError as error:
            raise AgentError(f"{self.name!r}: {error}") from None
        if not self._actions:
            raise AgentError("'scripted' needs actions, such as 'scripted:order_up alone JH'")

    def act(self, view: View) -> Actions:
        """The script's first legal action for each game."""
        return np.array([self._choose(s, n) for s, n in zip(view.states, view.legal)], np.int64)

    def _choose(self, state: np.void, legal: int) -> int:
        for text in self._texts:
            action = action_id(text, "trump", state)
            if int(legal) >> action & 1:
                return action
        return int(lowest_action(legal))


# --- greedy: counting points -------------------------------------------------------------------

_TRUMP_POINTS = [0, 0, 0, 0, 2, 5] * 2 + [0, 0, 0, 0, 4] + [3, 3, 4, 5, 6] + [7, 10, 12]
_NO_TRUMP_POINTS = [0, 0, 0, 1, 3, 6] * 4 + [0]
POINTS: npt.NDArray[np.int64] = np.array([_TRUMP_POINTS] * 4 + [_NO_TRUMP_POINTS], np.int64)
"""int64[5, 25]: what each card counts in a hand that plays the frame's suit as trump."""

ROUND_ONE: npt.NDArray[np.int64] = np.array([16, 21, 11, 21], np.int64)
"""Points to order up with, by places left of the dealer (0: the dealer, who counts the upcard)."""
ROUND_TWO = 16
"""Points to call with in round 2."""
_TRUMPS_OF_SEAT_TWO = 2
_NO_TRUMP_CALL = 18
_SURE_FOR_ALONE = 4
_SURE_TO_DEFEND_ALONE = 3

_LEAST_TRUMP = 20
KEEP: npt.NDArray[np.int64] = np.array(
    [
        [
            _LEAST_TRUMP + bit if int(TRUMPS[frame]) >> bit & 1 else int(CARD_AT[frame, bit]) % 6
            for bit in range(N_CARDS)
        ]
        for frame in range(NATURAL + 1)
    ],
    np.int64,
)
"""int64[5, 25]: how gladly each card is kept: side cards by rank, then trumps in their order."""


@njit
def count_points(hand, frame):
    """The point count of a set of cards if ``frame``'s suit is trump."""
    total = 0
    while hand != 0:
        total += POINTS[frame, lowest_bit(hand)]
        hand &= hand - 1
    return total


@njit
def highest_bit(cards):
    """The index of the highest card of a set that is not empty."""
    while cards & (cards - 1) != 0:
        cards &= cards - 1
    return lowest_bit(cards)


@njit
def cheapest(cards, frame):
    """The card that is kept least gladly."""
    found = lowest_bit(cards)
    while cards != 0:
        bit = lowest_bit(cards)
        if KEEP[frame, bit] < KEEP[frame, found]:
            found = bit
        cards &= cards - 1
    return found


@njit
def dearest(cards, frame):
    """The card that is kept most gladly."""
    found = lowest_bit(cards)
    while cards != 0:
        bit = lowest_bit(cards)
        if KEEP[frame, bit] > KEEP[frame, found]:
            found = bit
        cards &= cards - 1
    return found


@njit
def choose_discard(hand, allowed, frame):
    """The card to lay away: the lowest, or one that makes a void, which is worth three ranks."""
    found, least = lowest_bit(allowed), np.int64(1000)
    while allowed != 0:
        bit = lowest_bit(allowed)
        worth = KEEP[frame, bit]
        alone = hand & SUIT_OF_BIT[frame, bit] == ONE << bit
        if alone and worth < ACE:
            worth -= 3
        if worth < least:
            found, least = bit, worth
        allowed &= allowed - 1
    return found


@njit
def hand_to_play(s):
    """The hand of the seat to act as it will be played: with the upcard where the seat takes it."""
    hand = np.int64(s.hand[s.turn])
    if s.place == FACE_UP and s.turn == s.dealer:
        hand |= np.int64(s.upcard)
        hand &= ~(ONE << choose_discard(hand, hand, s.frame))
    return hand


# --- greedy: sure tricks -----------------------------------------------------------------------


@njit
def gone(s, r):
    """The cards, its own hand apart, of which the seat to act knows that no seat holds them."""
    cards = np.int64(s.discard | s.swapped | s.buried)
    for seat in range(N_SEATS):
        cards |= np.int64(s.played[seat])
    if s.place == TURNED_DOWN or s.place == OUT_OF_PLAY:
        cards |= np.int64(s.upcard)
    return cards if r.joker else cards | JOKER_BIT


@njit
def bosses(hand, known, frame):
    """The cards of a hand above which no card of the suit is unknown."""
    found = hand & 0
    rest = hand
    while rest != 0:
        card = rest & -rest
        suit = SUIT_OF_BIT[frame, lowest_bit(card)]
        if suit & ~(known | hand) & ~(card - 1) == 0:
            found |= card
        rest &= rest - 1
    return found


@njit
def sure_tricks(hand, known, frame):
    """Cards likely to win: bosses, and all of three or more trumps if two of them are bosses."""
    winners = bosses(hand, known, frame)
    trumps = hand & TRUMPS[frame]
    if popcount(trumps) >= 3 and popcount(trumps & winners) >= 2:
        winners |= trumps
    return popcount(winners)


# --- greedy: calls -----------------------------------------------------------------------------


@njit
def _places_left(s):
    return (s.turn - s.dealer) & 3


@njit
def _wants_alone(s, r):
    return sure_tricks(hand_to_play(s), gone(s, r), s.frame) >= _SURE_FOR_ALONE


@njit
def _wants_to_order(s, r):
    hand = hand_to_play(s)
    seat = _places_left(s)
    if seat == 2:
        if r.canadian_loner != 0:
            return _wants_alone(s, r)
        if popcount(hand & TRUMPS[s.frame]) < _TRUMPS_OF_SEAT_TWO:
            return False
    return count_points(hand, s.frame) >= ROUND_ONE[seat]


@njit
def points_of_call(s, call):
    """The point count of the hand of the seat to act under a call, an action id."""
    hand = to_natural(hand_to_play(s), s.frame)
    trump = NO_TRUMP if call == CALL_NO_TRUMP else np.int64(SUIT_AT[s.frame, call - CALL])
    return count_points(from_natural(hand, trump), trump)


@njit
def _margin(s, call):
    threshold = _NO_TRUMP_CALL if call == CALL_NO_TRUMP else ROUND_TWO
    return points_of_call(s, call) - threshold


@njit
def _name_a_suit(s, legal):
    best, most = np.int64(PASS), np.int64(-1000)
    if (legal >> PASS) & 1:
        most = np.int64(-1)
    for call in range(CALL, CALL_NO_TRUMP + 1):
        if (legal >> call) & 1:
            margin = _margin(s, call)
            if margin > most:
                best, most = np.int64(call), margin
    return best


# --- greedy: cards -----------------------------------------------------------------------------


@njit
def choose_lead(s, r):
    """Makers draw trumps while they hold the highest; else a side winner; else a low card."""
    hand = np.int64(s.hand[s.turn])
    known = gone(s, r)
    trumps = hand & TRUMPS[s.frame]
    side = hand & ~trumps
    winners = bosses(hand, known, s.frame)
    if team(s.turn) == team(s.maker) and trumps != 0:
        others_hold_trumps = TRUMPS[s.frame] & ~(known | hand) != 0
        if others_hold_trumps and (winners & trumps != 0 or s.trick == 0):
            return highest_bit(trumps)
    if winners & side != 0:
        return dearest(winners & side, s.frame)
    if winners != 0:
        return highest_bit(winners)
    return cheapest(hand, s.frame)


@njit
def winning_cards(cards, s):
    """Those of ``cards`` that would take the trick as it stands."""
    found = cards & 0
    rest = cards
    while rest != 0:
        card = rest & -rest
        if beats(card, s.best, s.led, s.frame):
            found |= card
        rest &= rest - 1
    return found


@njit
def choose_follow(s):
    """Leave partner's trick alone; win cheaply if last or ruffing, else with the highest card."""
    cards = follows(np.int64(s.hand[s.turn]), np.int64(s.led))
    winning = winning_cards(cards, s)
    if winning == 0 or s.winner == partner(s.turn):
        return cheapest(cards, s.frame)
    last = s.count == trick_size(s) - 1
    if last or cards & s.led == 0:
        return lowest_bit(winning)
    return highest_bit(winning)


# --- greedy: without partners ------------------------------------------------------------------

CALLS_ALONE: npt.NDArray[np.int64] = np.array(
    [[0, 0, 0], [19, 22, 18], [20, 24, 20], [22, 25, 22], [12, 24, 8]], np.int64
)
"""int64[5, 3]: points to call with by variant: as dealer and others in round 1, in round 2.

Fitted by best responses: one entry at a time was moved by 1, 2 or 4 points, 3,000 deals or more of
one player against others by the table before, until nothing gained twice its standard error.
"""
CALLS_WITH_DUMMY: npt.NDArray[np.int64] = np.array(
    [[0, 0, 0], [11, 20, 12], [4, 16, 12], [0, 0, 0], [4, 4, 8]], np.int64
)
"""int64[5, 3]: the same where the maker takes a dummy's cards, fitted in the same way."""
_FEWER_WHERE_OTHERS_DROP_OUT = 4
_POINTS_TO_STAY = 12
_FEWER_FOR_A_POINT = 2
"""Points by which a seat stays in with less, for each point that dropping out costs."""
_SURE_TO_LEAVE_THE_DUMMY = 5


@njit
def _points_to_call(r, place):
    """Points to call with: as dealer (place 0) and others (1) in round 1, in round 2 (2)."""
    if gives_dummy(r):
        return CALLS_WITH_DUMMY[r.variant, place]
    fewer = _FEWER_WHERE_OTHERS_DROP_OUT if r.drop_out != 0 and r.set_without_trick != 0 else 0
    return CALLS_ALONE[r.variant, place] - fewer


@njit
def _calls_alone(s, r, legal):
    """A call by the point count, which has to carry the hand without a partner."""
    if s.phase == BID1:
        least = _points_to_call(r, 0 if s.turn == s.dealer else 1)
        enough = count_points(hand_to_play(s), s.frame) >= least
        return np.int64(ORDER_UP if enough and (legal >> ORDER_UP) & 1 else PASS)
    best, most = np.int64(PASS), _points_to_call(r, 2) - 1
    if (legal >> PASS) & 1 == 0:
        most = np.int64(-1)
    for call in range(CALL, CALL_NO_TRUMP + 1):
        if (legal >> call) & 1:
            points = points_of_call(s, call)
            if points > most:
                best, most = np.int64(call), points
    return best


@njit
def _wants_to_stay(s, r):
    """Whether a trick can be hoped for, where it costs something to take none."""
    if r.set_without_trick == 0:
        return True
    least = _POINTS_TO_STAY - _FEWER_FOR_A_POINT * np.int64(r.points_drop_out)
    return count_points(np.int64(s.hand[s.turn]), s.frame) >= least


@njit
def _lead_alone(s, r):
    """Who defends against a maker leads as partners do; everyone else leads as makers do."""
    hand = np.int64(s.hand[s.turn])
    known = gone(s, r)
    winners = bosses(hand, known, s.frame)
    side = hand & ~TRUMPS[s.frame]
    if s.turn == s.maker and hand & ~side != 0 and winners & ~side != 0:
        return highest_bit(hand & ~side)
    if winners & side != 0:
        return dearest(winners & side, s.frame)
    if winners != 0:
        return highest_bit(winners)
    return cheapest(hand, s.frame)


@njit
def _is_friend(s, r, seat):
    """Whether a seat defends on the side of the seat to act: together against the one maker."""
    together = r.variant == THREE_HAND_DUMMY
    return together and seat != s.maker and s.turn != s.maker


@njit
def _follow_alone(s, r):
    cards = follows(np.int64(s.hand[s.turn]), np.int64(s.led))
    winning = winning_cards(cards, s)
    if winning == 0 or _is_friend(s, r, s.winner):
        return cheapest(cards, s.frame)
    if s.count == trick_size(s) - 1 or cards & s.led == 0:
        return lowest_bit(winning)
    return highest_bit(winning)


@njit
def greedy_alone(s, r, legal):
    """The point-count player's action in a game without partners."""
    phase = s.phase
    if phase == PLAY:
        return _lead_alone(s, r) if s.count == 0 else _follow_alone(s, r)
    if phase in (DISCARD, DUMMY_EXCHANGE):
        return choose_discard(np.int64(s.hand[s.turn]), legal, s.frame)
    if phase == STAY:
        return np.int64(KEEP_HAND if _wants_to_stay(s, r) else PASS)
    if phase == LONER:
        sure = sure_tricks(np.int64(s.hand[s.turn]), gone(s, r), s.frame)
        needed = _SURE_TO_LEAVE_THE_DUMMY if gives_dummy(r) else _SURE_FOR_ALONE
        return np.int64(ALONE if sure >= needed else WITH_PARTNER)
    return _calls_alone(s, r, legal)


# --- greedy: the player ------------------------------------------------------------------------


@njit
def greedy_action(s, r, legal):
    """The point-count player's action in a record cleared for the seat to act."""
    if r.variant != PARTNERSHIP:
        return greedy_alone(s, r, legal)
    phase = s.phase
    if phase == PLAY:
        return choose_lead(s, r) if s.count == 0 else choose_follow(s)
    if phase in (DISCARD, LAY_AWAY):
        return choose_discard(np.int64(s.hand[s.turn]), legal, s.frame)
    if phase == PASS_CARD:
        return dearest(legal, s.frame)
    if phase == BID1:
        wants = (legal >> ORDER_UP) & 1 and _wants_to_order(s, r)
        return np.int64(ORDER_UP if wants else PASS)
    if phase in (BID2, NAME_TRUMP):
        return _name_a_suit(s, legal)
    if phase == LONER:
        return np.int64(ALONE if _wants_alone(s, r) else WITH_PARTNER)
    if phase == DEFEND:
        sure = sure_tricks(np.int64(s.hand[s.turn]), gone(s, r), s.frame)
        return np.int64(DEFEND_ALONE if sure >= _SURE_TO_DEFEND_ALONE else DEFEND_TOGETHER)
    return np.int64(CLAIM)


@njit
def _greedy_actions(states, rules, which, legal, out):
    for i in range(len(states)):
        out[i] = greedy_action(states[i], rules[which[i]], legal[i])


class GreedyAgent:
    """Calls by point count and plays by a few plain principles; the baseline to beat."""

    name = "greedy"
    oracle = False
    plays_alone = True

    def act(self, view: View) -> Actions:
        """The point-count player's action for each game."""
        out = np.empty(len(view), np.int64)
        _greedy_actions(view.states, view.rules, view.which, view.legal, out)
        return out
