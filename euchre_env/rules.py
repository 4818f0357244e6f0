"""The rules of Euchre, each written once, as small functions over a record of the game.

The record (:data:`STATE`) holds everything: hands, calls, tricks, scores. The functions change it
in place or answer a question about it; they draw no random numbers and do no input or output.
Chance enters as a dealt deck (:func:`deal`). A rule set is a record too (``Ruleset.record()``).

Sets of cards are bit masks in the record's own ``frame`` (see :mod:`euchre_env.cards`), and actions
are ids in that frame: a card's bit, then :data:`PASS` to :data:`KEEP`. Every function runs compiled
and, with ``NUMBA_DISABLE_JIT=1``, as plain Python with equal results.

The sources of each rule are listed in ``docs/rules.md``.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._jit import njit
from .cards import (
    ACE,
    BIT_OF,
    CARD_AT,
    CLUBS,
    EFFECTIVE_SUIT,
    JOKER,
    NATURAL,
    NINE,
    NO_TRUMP,
    OF_RANK,
    ONE,
    PRINTED_SUIT,
    RELATIVE_SUIT,
    SUIT_AT,
    SUIT_OF_BIT,
    TEN,
    TRUMP_SUIT,
    TRUMPS,
    from_natural,
    popcount,
    to_natural,
)
from .ruleset import (
    BEFORE_LEAD,
    BEST_OFF,
    BEST_OFFERED,
    BUCK,
    BY_MAKER_TEAM,
    CUTTHROAT_WIDOW,
    DEALER_DISCARDS,
    DEFEND_ANY,
    DEFEND_OFF,
    DUMMY_MAKER,
    JOKER_NAMES_BLIND,
    JOKER_REDRAW,
    LEAD_LONER_LEFT,
    LONER_TAKES,
    NATURAL_NOT_DEALER,
    NATURAL_OFF,
    NO_TRUMP_ROUND2,
    NO_TRUMP_STUCK,
    PARTNERSHIP,
    REDEAL_SAME,
    RENEGE_DEDUCT,
    RENEGE_PENALISED,
    TEST_ACE_NO_FACE,
    TEST_FOUR_LOW,
    TEST_NO_ACE_NO_FACE,
    TEST_NO_ACE_NO_FACE_NO_TRUMP,
    TEST_THREE_LOW,
    THREE_HAND_DUMMY,
    TWO_HAND,
    WEAK_OFF,
    WEAK_REDEAL_SAME,
    WEAK_THROW_IN,
    WITH_CALL,
)
from .ruleset import SEAT_NAMES as SEAT_NAMES

N_SEATS = 4
N_TRICKS = 5
N_TEAMS = 2
MOST_SIDES = 4
HAND_SIZE = 5
TEAM_NAMES = ("North and South", "East and West")
DUMMY_NAMES = {THREE_HAND_DUMMY: "dummy", CUTTHROAT_WIDOW: "spare hand", TWO_HAND: "dummy"}
"""What the cards dealt aside for the maker are called, by variant."""
NOBODY = -1
"""The value of a seat, a trump suit or a card that is not (yet) there."""

PHASES = (
    "weak_hand",
    "name_trump",
    "bid1",
    "bid2",
    "loner",
    "defend",
    "discard",
    "play",
    "over",
    "dummy_exchange",
    "stay",
    "call_best",
    "pass_card",
    "lay_away",
)
(
    WEAK_HAND,
    NAME_TRUMP,
    BID1,
    BID2,
    LONER,
    DEFEND,
    DISCARD,
    PLAY,
    OVER,
    DUMMY_EXCHANGE,
    STAY,
    CALL_BEST,
    PASS_CARD,
    LAY_AWAY,
) = range(len(PHASES))

# Action ids beyond the cards 0 to 24. CALL + s names the relative suit s of the frame.
PASS, ORDER_UP, CALL, CALL_NO_TRUMP = 25, 26, 27, 31
ALONE, WITH_PARTNER, DEFEND_ALONE, DEFEND_TOGETHER, CLAIM, KEEP = range(32, 38)
N_ACTIONS = 38

UPCARD_PLACES = ("face_up", "turned_down", "out_of_play", "taken", "taken_or_buried")
FACE_UP, TURNED_DOWN, OUT_OF_PLAY, TAKEN, TAKEN_OR_BURIED = range(len(UPCARD_PLACES))

LOCATIONS = (
    "unknown",
    "own_hand",
    "own_dead_hand",
    "own_discard",
    "played",
    "swapped",
    "upcard_face_up",
    "turned_down",
    "out_of_play",
    "dealer_hand",
    "dealer_hand_or_discard",
    "passed",
)
(
    LOCATION_UNKNOWN,
    LOCATION_OWN_HAND,
    LOCATION_OWN_DEAD_HAND,
    LOCATION_OWN_DISCARD,
    LOCATION_PLAYED,
    LOCATION_SWAPPED,
    LOCATION_UPCARD,
) = range(7)
LOCATION_PASSED = len(LOCATIONS) - 1

TOKENS_FOR_A_POINT = 4

UNDECIDED, DRAWN = -2, -1
"""Values of ``game_winner`` and ``match_winner`` besides a side."""

STATE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("rng", np.uint64),  # the game's own generator; only the kernels touch it
                ("hand", np.int32, 4),  # cards held
                ("played", np.int32, 4),  # cards played by each seat, the present trick included
                ("void", np.int32, 4),  # suits that a seat has shown it does not hold
                ("kitty", np.int32),  # the face-down cards that nobody may take
                ("spare", np.int32),  # the fourth face-down card of a deck with the joker
                ("upcard", np.int32),  # the card turned up, as a set of one
                ("discard", np.int32),  # the card laid away by the taker of the upcard
                ("dummy", np.int32),  # face-down cards that the maker may take
                ("buried", np.int32),  # cards laid away for those of a dummy, or for a passed one
                ("passed", np.int32),  # the card that the lone hand got from its partner
                ("swapped", np.int32),  # three cards laid under the pack for a weak hand
                ("led", np.int32),  # the suit to follow, as a set
                ("best", np.int32),  # the card winning the present trick, as a set of one
                ("score", np.int16, 4),  # by side, in the present game
                ("points", np.int16, 4),  # of the hand just finished, by side
                ("hands", np.int16),  # hands played in the present game
                ("plays", np.int8, (5, 4)),  # bit of the card by trick and seat, -1 for none
                ("leader", np.int8, 5),  # of each trick begun, else -1
                ("tricks", np.int8, 4),  # won by each side
                ("games", np.int8, 4),  # games of the match won by each side
                ("drawn", np.int8),  # games of the match that were drawn
                ("phase", np.int8),
                ("turn", np.int8),  # the seat to act, -1 when the hand is over
                ("dealer", np.int8),
                ("frame", np.int8),  # of all the sets above
                ("trump", np.int8),  # suit, NO_TRUMP, or -1 before a call
                ("passes", np.int8),  # two rounds of all seats at most
                ("maker", np.int8),  # the seat that called
                ("loner", np.int8),  # the lone hand of the makers' side
                ("lone_defender", np.int8),
                ("sitting_out", np.int8),  # bit per seat; seats that the game does not have, too
                ("alone_declined", np.int8),  # bit per seat
                ("defence_declined", np.int8),  # bit per seat
                ("place", np.int8),  # of the upcard: an index of UPCARD_PLACES
                ("taker", np.int8),  # the seat that took the upcard
                ("swapper", np.int8),  # the seat that swapped a weak hand
                ("offender", np.int8),  # the seat that reneged
                ("count", np.int8),  # cards in the present trick
                ("winner", np.int8),  # the seat winning the present trick, or the last one
                ("trick", np.int8),  # tricks finished
                ("thrown_in", np.int8),  # whether the hand ended without play
                ("next_dealer", np.int8),
                ("game_winner", np.int8),  # side, DRAWN, or UNDECIDED
                ("match_winner", np.int8),
                ("passer", np.int8),  # the seat that passes a card to the lone hand
                ("tokens", np.int8, 2),  # of the present game, by team
            ],
            align=True,
        ),
    )
)
"""The record of one game. Seats are 0 to 3, clockwise; a seat or trump of -1 is not there.

Scores, points, tricks and games are by *side* (:func:`side_of`): teams 0 and 1 of the partnership
game, otherwise each seat for itself. Seats and sides that a game does not have stay empty.
"""


def new_states(count: int) -> npt.NDArray[np.void]:
    """``count`` blank records, STATE[count]."""
    return np.zeros(count, STATE)


# --- seats -------------------------------------------------------------------------------------


@njit
def left(seat):
    """The seat to the left (clockwise) at a table of four."""
    return (seat + 1) & 3


@njit
def next_seat(r, seat):
    """The seat to the left (clockwise), among the players that the game has."""
    seat = np.int64(seat) + 1
    return seat if seat < r.players else np.int64(0)


@njit
def partner(seat):
    """The seat across the table of four."""
    return (seat + 2) & 3


@njit
def team(seat):
    """The team of a seat of the partnership game: 0 for seats 0 and 2, 1 for seats 1 and 3."""
    return seat & 1


@njit
def side_of(r, seat):
    """The side that a seat scores for: its team, or itself where everyone plays alone."""
    return team(seat) if r.variant == PARTNERSHIP else seat


@njit
def count_sides(r):
    """The number of sides: two teams, or the players."""
    return np.int64(N_TEAMS if r.variant == PARTNERSHIP else r.players)


@njit
def counts_down(r):
    """Whether scores fall from the target to nothing, as in cutthroat games."""
    return r.variant == BUCK or r.variant == CUTTHROAT_WIDOW


@njit
def is_out(s, seat):
    """Whether a seat sits out the hand."""
    return (np.int64(s.sitting_out) >> seat) & 1 != 0


# --- cards -------------------------------------------------------------------------------------


@njit
def beats(card, best, led, frame):
    """Whether ``card`` takes the trick from ``best``: higher, and of the suit led or trump.

    Both are sets of one card, ``led`` is the set of the suit led.
    """
    return card > best and card & (led | TRUMPS[frame]) != 0


@njit
def follows(cards, led):
    """The cards that may be played to a lead of the set ``led``: those of the suit, or any."""
    following = cards & led
    return following if following != 0 else cards


@njit
def trick_winner(cards, count, frame):
    """The position (0 is the lead) that wins a trick of ``count`` card bits played in order."""
    best = 0
    for k in range(1, count):
        if beats(ONE << cards[k], ONE << cards[best], SUIT_OF_BIT[frame, cards[0]], frame):
            best = k
    return best


@njit
def effective_suit(bit, frame):
    """The suit (0 to 3) that the card at ``bit`` counts as."""
    for relative in range(4):
        if EFFECTIVE_SUIT[frame, relative] >> bit & 1:
            return np.int64(SUIT_AT[frame, relative])
    return np.int64(NOBODY)


@njit
def suit_order(suit, frame, joker, out):
    """Fill ``out`` with the card ids of an effective suit, high to low; returns how many."""
    cards = EFFECTIVE_SUIT[frame, RELATIVE_SUIT[frame, suit]]
    count = 0
    for k in range(25):
        bit = 24 - k
        if cards >> bit & 1 and (joker or bit != JOKER):
            out[count] = CARD_AT[frame, bit]
            count += 1
    return count


# --- dealing -----------------------------------------------------------------------------------


@njit
def must_redraw(r, deck):
    """Whether a deck is to be shuffled again because the joker would be turned up."""
    return r.joker_upcard == JOKER_REDRAW and deck[20] == JOKER


@njit
def _clear_hand(s):
    for seat in range(N_SEATS):
        s.hand[seat] = 0
        s.played[seat] = 0
        s.void[seat] = 0
        for t in range(N_TRICKS):
            s.plays[t, seat] = NOBODY
    for t in range(N_TRICKS):
        s.leader[t] = NOBODY
    for side in range(MOST_SIDES):
        s.points[side] = 0
        s.tricks[side] = 0
    s.kitty = s.spare = s.upcard = s.discard = s.swapped = s.led = s.best = 0
    s.dummy = s.buried = s.passed = 0
    s.passes = s.sitting_out = s.alone_declined = s.defence_declined = 0
    s.place = s.count = s.trick = s.thrown_in = 0
    s.trump = s.maker = s.loner = s.lone_defender = NOBODY
    s.taker = s.swapper = s.passer = s.offender = s.winner = s.next_dealer = NOBODY


@njit
def _cards_from(deck, start, stop, frame):
    cards = ONE & 0
    for k in range(start, stop):
        cards |= ONE << BIT_OF[frame, deck[k]]
    return cards


@njit
def dummy_size(r):
    """Face-down cards dealt aside that the maker may take: three, two, or a spare hand of five."""
    if r.variant == THREE_HAND_DUMMY:
        return 3
    if r.variant == CUTTHROAT_WIDOW:
        return HAND_SIZE
    return 2 if r.variant == TWO_HAND and r.two_hand_dummy == DUMMY_MAKER else 0


@njit
def deal(s, r, deck, dealer):
    """Deal a hand and open the bidding; scores stay.

    ``deck`` holds card ids: five of each seat from 0 on, the dummy where there is one, face-down
    cards up to the twentieth, the upcard, the rest of the kitty (three cards, four with the joker;
    int[25], the last -1 without it).
    """
    _clear_hand(s)
    s.dealer = dealer
    s.frame = NATURAL if deck[20] == JOKER else deck[20] // 6
    frame = s.frame
    for seat in range(r.players):
        s.hand[seat] = _cards_from(deck, 5 * seat, 5 * seat + 5, frame)
    s.upcard = _cards_from(deck, 20, 21, frame)
    s.kitty = _cards_from(deck, 21, 24, frame)
    if r.players < N_SEATS:
        s.sitting_out = (15 << np.int64(r.players)) & 15  # seats that the game does not have
        aside = 5 * np.int64(r.players)
        s.dummy = _cards_from(deck, aside, aside + dummy_size(r), frame)
        s.kitty |= _cards_from(deck, aside + dummy_size(r), 20, frame)
    if deck[24] >= 0:
        s.spare = _cards_from(deck, 24, 25, frame)
    if deck[20] == JOKER:
        s.phase = NAME_TRUMP
        s.turn = dealer
    elif r.clubs_are_trump != 0 and frame == CLUBS:
        _take_clubs(s, r)
    else:
        _ask_weak_hands(s, r, 0)


@njit
def _take_clubs(s, r):
    """A club turned up is trump without a maker; the dealer takes it."""
    s.trump = CLUBS
    s.taker = s.turn = s.dealer
    s.place = TAKEN
    s.hand[s.dealer] |= s.upcard
    s.phase = DISCARD


@njit
def first_score(r):
    """The score of every side at the start of a game: nothing, or what it counts down from."""
    return np.int64(r.target_score) if counts_down(r) else np.int64(0)


@njit
def new_match(s, r):
    """Scores at their start, no games won; the first hand may be dealt."""
    for side in range(MOST_SIDES):
        s.score[side] = first_score(r) if side < count_sides(r) else np.int64(0)
        s.games[side] = 0
    s.tokens[0] = s.tokens[1] = 0
    s.drawn = 0
    s.hands = 0
    s.game_winner = UNDECIDED
    s.match_winner = UNDECIDED


@njit
def next_hand(s, r, deck):
    """Deal the hand after the one just finished; after the end of a game, the next game's."""
    if s.game_winner != UNDECIDED:
        for side in range(count_sides(r)):
            s.score[side] = next_game_score(s, r, side)
        s.tokens[0] = s.tokens[1] = 0
        s.hands = 0
        s.game_winner = UNDECIDED
    deal(s, r, deck, s.next_dealer)


# --- weak hands --------------------------------------------------------------------------------


@njit
def weak_hand_qualifies(test, hand, frame):
    """Whether five cards pass a weak-hand test when the suit of ``frame`` is turned up."""
    nines = popcount(hand & OF_RANK[frame, NINE])
    tens = popcount(hand & OF_RANK[frame, TEN])
    low = nines + tens
    if test == TEST_NO_ACE_NO_FACE:
        return low == 5
    if test == TEST_ACE_NO_FACE:
        return low == 4 and hand & OF_RANK[frame, ACE] != 0
    if test == TEST_NO_ACE_NO_FACE_NO_TRUMP:
        return low == 5 and hand & PRINTED_SUIT[frame, TRUMP_SUIT] == 0
    if test == TEST_THREE_LOW:
        return low >= 3
    if test == TEST_FOUR_LOW:
        return low >= 4
    return nines >= 3 or tens >= 3


@njit
def _ask_weak_hands(s, r, asked):
    """Ask the first qualifying seat after the first ``asked`` ones, or open round 1."""
    if r.weak_hand != WEAK_OFF:
        for k in range(asked, N_SEATS):
            seat = (s.dealer + 1 + k) & 3
            if weak_hand_qualifies(r.weak_hand_test, np.int64(s.hand[seat]), s.frame):
                s.phase = WEAK_HAND
                s.turn = seat
                return
    s.phase = BID1
    s.turn = next_seat(r, s.dealer)


@njit
def three_lowest(hand, frame):
    """The three cards a weak hand swaps: nines, then tens, those of the upcard's suit last."""
    chosen = ONE & 0
    for rank in (NINE, TEN):
        rest = hand & OF_RANK[frame, rank]
        while rest != 0 and popcount(chosen) < 3:
            chosen |= rest & -rest
            rest &= rest - 1
    return chosen


@njit
def _answer_weak_hand(s, r, action):
    if action == KEEP:
        _ask_weak_hands(s, r, ((s.turn - s.dealer - 1) & 3) + 1)
    elif r.weak_hand == WEAK_THROW_IN:
        same = r.weak_hand_redealer == WEAK_REDEAL_SAME
        _throw_in(s, r, s.dealer if same else next_seat(r, s.dealer))
    else:
        given = three_lowest(np.int64(s.hand[s.turn]), s.frame)
        s.hand[s.turn] = (s.hand[s.turn] & ~given) | s.kitty
        s.kitty = given
        s.swapped = given
        s.swapper = s.turn
        s.phase = BID1
        s.turn = next_seat(r, s.dealer)


# --- calls -------------------------------------------------------------------------------------


@njit
def _is_stuck(s, r):
    """Whether the seat to call in round 2 may not pass."""
    return r.stick_the_dealer != 0 and s.turn == s.dealer


@njit
def _may_order_up(s, r):
    if r.require_natural_trump == NATURAL_OFF:
        return True
    if r.require_natural_trump == NATURAL_NOT_DEALER and s.turn == s.dealer:
        return True
    return s.hand[s.turn] & PRINTED_SUIT[s.frame, TRUMP_SUIT] != 0


@njit
def _suits_with_natural_trump(s, calls):
    kept = calls & 0
    for relative in range(4):
        if s.hand[s.turn] & PRINTED_SUIT[s.frame, relative] != 0:
            kept |= calls & (ONE << (CALL + relative))
    return kept


@njit
def _calls_of_round_two(s, r):
    stuck = _is_stuck(s, r)
    calls = (ONE << CALL) | (ONE << (CALL + 1)) | (ONE << (CALL + 2))
    if stuck and r.stuck_dealer_may_name_turned_down != 0:
        calls |= ONE << (CALL + TRUMP_SUIT)
    if r.require_natural_trump != NATURAL_OFF:
        kept = _suits_with_natural_trump(s, calls)
        # A stuck dealer must have something to say, so the duty is waived without such a suit.
        if kept != 0 or not stuck:
            calls = kept
    if r.no_trump == NO_TRUMP_ROUND2 or (r.no_trump == NO_TRUMP_STUCK and stuck):
        calls |= ONE << CALL_NO_TRUMP
    return calls if stuck else calls | (ONE << PASS)


@njit
def _pass(s, r):
    s.passes += 1
    if s.passes == 2 * r.players:
        same = r.throw_in_redealer == REDEAL_SAME
        _throw_in(s, r, s.dealer if same else next_seat(r, s.dealer))
        return
    if s.passes == r.players:
        s.phase = BID2
        s.place = TURNED_DOWN
    s.turn = next_seat(r, s.turn)


@njit
def reframe(s, frame):
    """Convert all sets of the record to another frame (before any card is played)."""
    old = s.frame
    for seat in range(N_SEATS):
        s.hand[seat] = from_natural(to_natural(s.hand[seat], old), frame)
    s.kitty = from_natural(to_natural(s.kitty, old), frame)
    s.spare = from_natural(to_natural(s.spare, old), frame)
    s.upcard = from_natural(to_natural(s.upcard, old), frame)
    s.dummy = from_natural(to_natural(s.dummy, old), frame)
    s.swapped = from_natural(to_natural(s.swapped, old), frame)
    s.frame = frame


@njit
def _call(s, r, trump):
    """The seat to act becomes maker of ``trump``, a suit or NO_TRUMP."""
    s.maker = s.turn
    s.trump = trump
    if trump != s.frame:
        reframe(s, trump)
    if r.canadian_loner != 0 and s.passes < N_SEATS and s.maker == partner(s.dealer):
        s.loner = s.maker
        _exchange(s, r)
    elif r.allow_alone != 0 and r.variant == PARTNERSHIP and r.alone_timing == WITH_CALL:
        s.phase = LONER
    else:
        _exchange(s, r)


@njit
def _exchange(s, r):
    """After a call in round 1 the upcard is taken, by dealer or loner, or goes out of play."""
    if s.place == TURNED_DOWN:
        _ask_alone_late(s, r)
        return
    partner_alone = s.loner == partner(s.dealer)
    if partner_alone and r.partner_alone_upcard == LONER_TAKES:
        s.taker = s.loner
    elif partner_alone and r.partner_alone_upcard != DEALER_DISCARDS:
        s.place = OUT_OF_PLAY
        _ask_alone_late(s, r)
        return
    else:
        s.taker = s.dealer
    s.place = TAKEN
    s.hand[s.taker] |= s.upcard
    s.phase = DISCARD
    s.turn = s.taker


@njit
def _discards(s, r):
    if r.dealer_may_discard_upcard != 0:
        return np.int64(s.hand[s.turn])
    return np.int64(s.hand[s.turn] & ~s.upcard)


@njit
def _lay_away(s, r, card):
    s.discard = ONE << card
    s.hand[s.turn] &= ~s.discard
    if r.dealer_may_discard_upcard != 0:
        s.place = TAKEN_OR_BURIED
    _ask_alone_late(s, r)


# --- alone -------------------------------------------------------------------------------------


@njit
def _asks_alone_late(r):
    """Whether lone hands are declared before the lead; always so where the dummy is left."""
    if r.allow_alone == 0:
        return False
    if r.variant == PARTNERSHIP:
        return r.alone_timing == BEFORE_LEAD
    return r.variant == THREE_HAND_DUMMY


@njit
def _ask_alone_late(s, r):
    if s.loner == NOBODY and _asks_alone_late(r):
        s.phase = LONER
        s.turn = s.maker
    elif r.variant == PARTNERSHIP:
        _ask_for_best(s, r)
    else:
        _take_dummy(s, r)


@njit
def _answer_alone(s, r, action):
    if action == ALONE:
        s.loner = s.turn
    else:
        s.alone_declined |= ONE << s.turn
        if r.alone_by == BY_MAKER_TEAM and s.turn == s.maker:
            s.turn = partner(s.maker)
            return
    if r.variant != PARTNERSHIP:
        _take_dummy(s, r)
    elif r.alone_timing == WITH_CALL:
        _exchange(s, r)
    else:
        _ask_for_best(s, r)


# --- the partner's best ------------------------------------------------------------------------


@njit
def _ask_for_best(s, r):
    """Ask the makers' lone hand whether it wants a card of its partner, where it may have one."""
    if r.call_for_best == BEST_OFF or s.loner == NOBODY:
        _ask_defence(s, r)
    elif r.call_for_best == BEST_OFFERED:
        s.phase = CALL_BEST
        s.turn = s.loner
    else:
        _ask_to_pass(s)


@njit
def _ask_to_pass(s):
    s.phase = PASS_CARD
    s.passer = s.turn = partner(s.loner)


@njit
def _answer_best(s, r, action):
    if action == CLAIM:
        _ask_to_pass(s)
    else:
        _ask_defence(s, r)


@njit
def _pass_card(s, card):
    """The partner passes a card; the lone hand has six then, of which any may be laid away.

    The upcard may be that card, or may now be laid away, so that its place is certain no more.
    """
    s.passed = ONE << card
    s.hand[s.passer] &= ~s.passed
    s.hand[s.loner] |= s.passed
    s.phase = LAY_AWAY
    s.turn = s.loner
    if s.place == TAKEN and (s.taker == s.loner or s.taker == s.passer):
        s.place = TAKEN_OR_BURIED


@njit
def _lay_away_for_best(s, r, card):
    s.buried = ONE << card
    s.hand[s.turn] &= ~s.buried
    _ask_defence(s, r)


@njit
def burier(s):
    """The seat that lays cards away for those of a dummy, or for the card that it was passed."""
    return s.maker if s.passer == NOBODY else s.loner


# --- alone against alone -----------------------------------------------------------------------


@njit
def _ask_defence(s, r):
    if r.defend_alone == DEFEND_ANY or (r.defend_alone != DEFEND_OFF and s.loner != NOBODY):
        first = next_seat(r, s.dealer)
        s.phase = DEFEND
        s.turn = first if team(first) != team(s.maker) else next_seat(r, first)
    else:
        _start_play(s, r)


@njit
def _answer_defence(s, r, action):
    if action == DEFEND_ALONE:
        s.lone_defender = s.turn
        _start_play(s, r)
        return
    first_asked = s.defence_declined == 0
    s.defence_declined |= ONE << s.turn
    if first_asked:
        s.turn = partner(s.turn)
    else:
        _start_play(s, r)


# --- the dummy, and dropping out ---------------------------------------------------------------


@njit
def gives_dummy(r):
    """Whether there is a dummy whose cards a maker may take."""
    if dummy_size(r) == 0:
        return False
    if r.variant == CUTTHROAT_WIDOW:
        return r.widow_exchange != 0
    return r.dummy_exchange != 0


@njit
def takes_dummy(s, r):
    """Whether the maker, once it has said whether it plays alone, takes the dummy's cards."""
    return s.maker != NOBODY and s.loner == NOBODY and gives_dummy(r)


@njit
def _take_dummy(s, r):
    """The maker takes the dummy's cards, and then lays as many away one by one."""
    if s.dummy == 0 or not takes_dummy(s, r):
        _ask_to_stay(s, r, s.maker)
        return
    s.hand[s.maker] |= s.dummy
    s.dummy = 0
    s.phase = DUMMY_EXCHANGE
    s.turn = s.maker
    if s.taker == s.maker:
        s.place = TAKEN_OR_BURIED


@njit
def _bury(s, r, card):
    s.buried |= ONE << card
    s.hand[s.turn] &= ~(ONE << card)
    if popcount(np.int64(s.hand[s.turn])) == HAND_SIZE:
        _ask_to_stay(s, r, s.maker)


@njit
def _ask_to_stay(s, r, last):
    """Ask the seat after ``last`` whether it stays in, or start the play once all were asked."""
    if r.drop_out != 0 and s.maker != NOBODY and next_seat(r, last) != s.maker:
        s.phase = STAY
        s.turn = next_seat(r, last)
    elif trick_size(s) == 1:
        s.tricks[s.maker] = N_TRICKS  # nobody is left to play against
        _score_hand(s, r)
    else:
        _start_play(s, r)


@njit
def _answer_stay(s, r, action):
    seat = s.turn
    if action == PASS:
        s.sitting_out |= ONE << seat
    _ask_to_stay(s, r, seat)


# --- play --------------------------------------------------------------------------------------


@njit
def seats_out(loner, lone_defender):
    """The seats that sit out, a bit per seat: the partners of those who play alone."""
    out = ONE & 0
    if loner != NOBODY:
        out |= ONE << partner(loner)
    if lone_defender != NOBODY:
        out |= ONE << partner(lone_defender)
    return out


@njit
def first_leader(r, dealer, loner, sitting_out):
    """Who leads first: left of the dealer (or of the lone hand), skipping seats that sit out."""
    leader = left(dealer)
    if loner != NOBODY and r.loner_lead == LEAD_LONER_LEFT:
        leader = left(loner)
    while sitting_out >> leader & 1:
        leader = left(leader)
    return leader


@njit
def trick_size(s):
    """Cards to a trick: one of each seat that does not sit out."""
    return N_SEATS - popcount(np.int64(s.sitting_out))


@njit
def _lead_from(s, seat):
    s.leader[s.trick] = seat
    s.turn = seat
    s.count = 0
    s.led = 0
    s.best = 0


@njit
def _start_play(s, r):
    if r.variant == PARTNERSHIP:
        s.sitting_out = seats_out(s.loner, s.lone_defender)
    s.phase = PLAY
    _lead_from(s, first_leader(r, s.dealer, s.loner, np.int64(s.sitting_out)))


@njit
def _playable(s, r):
    hand = np.int64(s.hand[s.turn])
    if r.renege == RENEGE_PENALISED:
        return hand
    return follows(hand, s.led)  # nothing is led before a lead


@njit
def is_renege(hand, card, led):
    """Whether ``card`` (a set of one) fails to follow the set ``led`` that ``hand`` could."""
    return follows(hand, led) & card == 0


@njit
def _play(s, r, bit):
    seat = s.turn
    card = ONE << bit
    if s.count == 0:
        s.led = SUIT_OF_BIT[s.frame, bit]
    elif s.led & card == 0:
        if is_renege(np.int64(s.hand[seat]), card, s.led):
            s.offender = seat
        else:
            s.void[seat] |= s.led
    s.hand[seat] ^= card
    s.played[seat] |= card
    s.plays[s.trick, seat] = bit
    if s.count == 0 or beats(card, s.best, s.led, s.frame):
        s.best = card
        s.winner = seat
    s.count += 1
    if s.offender != NOBODY:
        _end_by_renege(s, r)
    elif s.count == trick_size(s):
        _end_trick(s, r)
    else:
        seat = left(seat)
        while is_out(s, seat):
            seat = left(seat)
        s.turn = seat


@njit
def _end_trick(s, r):
    s.tricks[side_of(r, s.winner)] += 1
    s.trick += 1
    if s.trick < N_TRICKS:
        _lead_from(s, s.winner)
    else:
        _score_hand(s, r)


@njit
def _score_hand(s, r):
    if counts_down(r):
        for seat in range(r.players):
            is_maker = seat == s.maker
            s.points[seat] = cutthroat_points(r, s.tricks[seat], is_maker, is_out(s, seat))
    else:
        makers = side_of(r, s.maker)
        alone, defended_alone = s.loner != NOBODY, s.lone_defender != NOBODY
        made, defended = hand_points(r, s.tricks[makers], alone, defended_alone)
        if r.fast_break | r.four_trick_tokens:
            made = _house_points(s, r, makers, made)
        for side in range(count_sides(r)):
            s.points[side] = made if side == makers else defended
    _end_hand(s, r, next_seat(r, s.dealer))


# --- points ------------------------------------------------------------------------------------


@njit
def is_set(r, tricks, is_maker):
    """Whether a player who counts down, and stayed in, took too few tricks."""
    return tricks < 3 if is_maker else tricks == 0 and r.set_without_trick != 0


@njit
def cutthroat_points(r, tricks, is_maker, dropped_out):
    """What a hand is worth to a player who counts down: the fall of its score, below 0 a rise."""
    if dropped_out:
        return -np.int64(r.points_drop_out)
    return -np.int64(r.points_set) if is_set(r, tricks, is_maker) else np.int64(tricks)


@njit
def hand_points(r, makers_tricks, alone, defended_alone):
    """Points (makers, each side of defenders) of a hand played out; makers or defenders score.

    Of the values that a euchre earns the largest counts, never the sum; a lone defender's scale
    replaces them all.
    """
    if makers_tricks == N_TRICKS:
        return np.int64(r.points_loner_march if alone else r.points_march), np.int64(0)
    if makers_tricks == N_TRICKS - 1 and alone:
        return np.int64(r.points_loner_four), np.int64(0)
    if makers_tricks >= 3:
        return np.int64(r.points_make), np.int64(0)
    if defended_alone:
        return np.int64(0), np.int64(r.defend_alone_points[0 if makers_tricks > 0 else 1])
    euchre = np.int64(r.points_euchre)
    if alone and r.variant == THREE_HAND_DUMMY:
        euchre = max(euchre, np.int64(r.points_three_hand_loner_euchred))
    elif alone:
        euchre = max(euchre, np.int64(r.points_loner_euchred))
    if makers_tricks == 0:
        euchre = max(euchre, np.int64(r.points_super_euchre))
    return np.int64(0), euchre


@njit
def lost_first_two(s):
    """Whether the makers lost the first two tricks, of a hand of which so many are finished."""
    return team(s.leader[1]) != team(s.maker) and team(s.leader[2]) != team(s.maker)


@njit
def is_fast_break(s, r):
    """Whether a hand just played is worth nothing, the makers having won the last three tricks."""
    won = s.tricks[side_of(r, s.maker)]
    return r.fast_break != 0 and s.trick == N_TRICKS and won == 3 and lost_first_two(s)


@njit
def earned_token(s, r):
    """Whether the makers of a hand just played took four tricks with both partners."""
    won = s.tricks[side_of(r, s.maker)]
    return s.trick == N_TRICKS and won == N_TRICKS - 1 and s.loner == NOBODY


@njit
def _house_points(s, r, makers, made):
    """The makers' points under the house rules: none in a fast break, one more for four tokens."""
    if is_fast_break(s, r):
        return np.int64(0)
    if r.four_trick_tokens != 0 and earned_token(s, r):
        s.tokens[makers] += 1
        if s.tokens[makers] == TOKENS_FOR_A_POINT:
            s.tokens[makers] = 0
            made += 1
    return made


@njit
def renege_points(r, maker, loner, offender):
    """Points (team 0, team 1) of a renege: to the other side, or taken from the offender's."""
    penalty = np.int64(r.renege_points)
    if loner != NOBODY and team(offender) != team(maker):
        penalty = np.int64(r.renege_points_vs_loner)
    side = team(offender)
    if r.renege_mode != RENEGE_DEDUCT:
        side = 1 - side
    else:
        penalty = -penalty
    return (penalty, np.int64(0)) if side == 0 else (np.int64(0), penalty)


@njit
def _end_by_renege(s, r):
    s.points[0], s.points[1] = renege_points(r, s.maker, s.loner, s.offender)
    _end_hand(s, r, next_seat(r, s.dealer))


@njit
def _throw_in(s, r, next_dealer):
    s.thrown_in = 1
    s.phase = OVER
    s.turn = NOBODY
    s.next_dealer = next_dealer


@njit
def _end_hand(s, r, next_dealer):
    s.phase = OVER
    s.turn = NOBODY
    s.next_dealer = next_dealer
    settle(s, r)


@njit
def settle(s, r):
    """Add the points of a hand played to the score; decide the game and the match."""
    for side in range(count_sides(r)):
        s.score[side] += -s.points[side] if counts_down(r) else s.points[side]
    s.hands += 1
    s.game_winner = _winner_of_game(s, r)
    if s.game_winner == UNDECIDED:
        return
    if s.game_winner == DRAWN:
        s.drawn += 1
    else:
        s.games[s.game_winner] += 1
    s.match_winner = _winner_of_match(s, r)


@njit
def _highest(values, sides, sign):
    """The side with the highest (for a sign of -1 the lowest) of some values, DRAWN if shared."""
    best, shared = 0, False
    for side in range(1, sides):
        ahead = sign * (np.int64(values[side]) - np.int64(values[best]))
        shared = ahead == 0 or (shared and ahead < 0)
        if ahead > 0:
            best = side
    return DRAWN if shared else best


@njit
def _winner_of_game(s, r):
    """The side that has won, DRAWN, or UNDECIDED.

    Where several reach the target together, the one that is further on wins; if that is shared,
    another hand is played (a decision of this project, for games without partners).
    """
    sign = -1 if counts_down(r) else 1
    first = _highest(s.score, count_sides(r), sign)
    if r.hands_per_game != 0:
        return first if s.hands >= r.hands_per_game else UNDECIDED
    if first == DRAWN:
        return UNDECIDED
    goal = 0 if counts_down(r) else r.target_score
    return first if sign * (s.score[first] - goal) >= 0 else UNDECIDED


@njit
def _winner_of_match(s, r):
    needed = r.match_games // 2 + 1
    played = np.int64(s.drawn)
    for side in range(count_sides(r)):
        if s.games[side] >= needed:
            return side
        played += s.games[side]
    return _highest(s.games, count_sides(r), 1) if played >= r.match_games else UNDECIDED


@njit
def next_game_score(s, r, side):
    """A side's score at the start of the next game: as at first, or its points above the target.

    It stays below the target (a decision of this project), so that every game has to be played.
    """
    if r.match_carry_over != 0 and s.game_winner == side:
        surplus = np.int64(s.score[side]) - np.int64(r.target_score)
        return min(max(np.int64(0), surplus), np.int64(r.target_score) - 1)
    return first_score(r)


@njit
def reward(s, seat):
    """Points of the seat's team less those of the other team in the partnership hand just over."""
    side = team(seat)
    return np.int64(s.points[side]) - np.int64(s.points[1 - side])


@njit
def seat_reward(s, r, seat):
    """Points of the seat's side less the mean of the other sides', in the hand just finished.

    Rewards of all sides add up to nothing. With two sides that is the difference of their points.
    A seat that the game does not have gets nothing.
    """
    if r.variant == PARTNERSHIP:
        return np.float64(reward(s, seat))
    if seat >= r.players:
        return np.float64(0)
    others = np.int64(0)
    for side in range(r.players):
        if side != seat:
            others += s.points[side]
    return np.float64(s.points[seat]) - np.float64(others) / np.float64(r.players - 1)


# --- acting ------------------------------------------------------------------------------------


@njit
def legal(s, r):
    """The legal actions of the seat to act, a bit for each action of the frame; 0 when over."""
    phase = s.phase
    if phase == PLAY:
        return _playable(s, r)
    if phase == BID1:
        return (ONE << PASS) | ((ONE << ORDER_UP) if _may_order_up(s, r) else ONE & 0)
    if phase == BID2:
        return _calls_of_round_two(s, r)
    if phase == DISCARD:
        return _discards(s, r)
    if phase == LONER:
        return (ONE << ALONE) | (ONE << WITH_PARTNER)
    if phase == DEFEND:
        return (ONE << DEFEND_ALONE) | (ONE << DEFEND_TOGETHER)
    if phase == NAME_TRUMP:
        return (ONE << CALL) * 15
    if phase == WEAK_HAND:
        return (ONE << CLAIM) | (ONE << KEEP)
    if phase == DUMMY_EXCHANGE:
        return np.int64(s.hand[s.turn])
    if phase == STAY:
        return (ONE << PASS) | (ONE << KEEP)
    if phase == CALL_BEST:
        return (ONE << CLAIM) | (ONE << KEEP)
    if phase in (PASS_CARD, LAY_AWAY):
        return np.int64(s.hand[s.turn])
    return ONE & 0


@njit
def apply(s, r, action):
    """Carry out a legal action of the seat to act. The caller has checked that it is legal."""
    phase = s.phase
    if phase == PLAY:
        _play(s, r, action)
    elif phase == DISCARD:
        _lay_away(s, r, action)
    elif phase == LONER:
        _answer_alone(s, r, action)
    elif phase == DEFEND:
        _answer_defence(s, r, action)
    elif phase == WEAK_HAND:
        _answer_weak_hand(s, r, action)
    elif phase == DUMMY_EXCHANGE:
        _bury(s, r, action)
    elif phase == STAY:
        _answer_stay(s, r, action)
    elif phase == CALL_BEST:
        _answer_best(s, r, action)
    elif phase == PASS_CARD:
        _pass_card(s, action)
    elif phase == LAY_AWAY:
        _lay_away_for_best(s, r, action)
    elif action == PASS:
        _pass(s, r)
    elif action == ORDER_UP:
        _call(s, r, s.frame)
    elif action == CALL_NO_TRUMP:
        _call(s, r, NO_TRUMP)
    else:
        _call(s, r, SUIT_AT[s.frame, action - CALL])


# --- who knows what ----------------------------------------------------------------------------


@njit
def hide(s, r, viewer):
    """Remove from the record all that ``viewer`` cannot know; observations see only what is left.

    Hidden are the other hands, the kitty, the dummy, what another seat has laid away, the card that
    a lone hand got from its partner unless one is either, swapped cards that were not shown, one's
    own hand while naming trump blind, and that another seat is asked about a weak hand.
    """
    s.rng = 0
    for seat in range(N_SEATS):
        if seat != viewer or (
            s.phase == NAME_TRUMP and r.joker_upcard == JOKER_NAMES_BLIND and viewer == s.dealer
        ):
            s.hand[seat] = 0
    s.kitty = 0
    s.spare = 0
    s.dummy = 0
    if s.taker != viewer:
        s.discard = 0
    if burier(s) != viewer:
        s.buried = 0
        if s.passer != viewer:
            s.passed = 0
    if s.swapper != viewer and r.swap3_shown == 0:
        s.swapped = 0
    if s.phase == WEAK_HAND and s.turn != viewer:
        s.phase = BID1
        s.turn = next_seat(r, s.dealer)


@njit
def card_location(s, viewer, bit):
    """Where ``viewer`` places a card, an index of LOCATIONS; the record is cleared by ``hide``."""
    card = ONE << bit
    if s.hand[viewer] & card:
        return LOCATION_OWN_DEAD_HAND if is_out(s, viewer) else LOCATION_OWN_HAND
    if (s.played[0] | s.played[1] | s.played[2] | s.played[3]) & card:
        return LOCATION_PLAYED
    if (s.discard | s.buried) & card:
        return LOCATION_OWN_DISCARD
    if s.swapped & card:
        return LOCATION_SWAPPED
    if s.passed & card:
        return LOCATION_PASSED
    if s.upcard & card:
        return LOCATION_UPCARD + np.int64(s.place)
    return LOCATION_UNKNOWN
