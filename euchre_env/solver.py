"""Double-dummy solver: the exact value of every act when all cards are seen.

A position of the play is searched for one yes-or-no question at a time: can the makers end with a
number of tricks that lies in a given goal set? A few such questions give the value in tricks or in
points, whatever the scoring options. The search merges neighbouring cards of one hand, bounds each
trick by the trumps and leads that cannot be beaten, remembers positions at the start of a trick in
a small table, and tries unbeatable leads first.

Rules stay in :mod:`euchre_env.rules`; the search only asks them who beats whom and what a result
is worth, and copies a position into its own workspace.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from ._jit import njit
from .cards import EFFECTIVE_SUIT, NATURAL, ONE, SUIT_OF_BIT, TRUMPS, lowest_bit, popcount
from .rules import (
    N_ACTIONS,
    N_SEATS,
    N_TRICKS,
    NOBODY,
    PASS,
    PLAY,
    STATE,
    WEAK_HAND,
    apply,
    beats,
    follows,
    hand_points,
    is_out,
    legal,
    renege_points,
    team,
    trick_size,
)
from .ruleset import RENEGE_PENALISED

_TABLE_BITS = 8
_DECK = (ONE << 25) - 1

_LOWEST_OF_SUIT = ((0, 6, 12, 17), (0, 6, 12, 18, 24))
_ENTERED: np.ndarray = np.array(  # type: ignore[type-arg]
    [_DECK & ~sum(1 << b for b in _LOWEST_OF_SUIT[f == NATURAL]) for f in range(5)], np.int64
)
"""int64[5]: the cards of each frame that have a lower one in their own suit."""

ILLEGAL = np.int64(-128)
"""The entry of an act that is not legal, or that has no double-dummy value."""
MAX_DEPTH = 8
"""Records that a search of the decisions before the lead may stack."""
NO_RENEGE = 2
"""The outcome of a renege where the rules make it impossible."""

SEARCH = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("hand", np.int64, 4),  # of the seats that play
                ("makers", np.int64),  # bit per seat
                ("goal", np.int64),  # bit t: the makers succeed with t tricks
                ("renege", np.int64, 2),  # outcome when a defender, a maker reneges
                ("frame", np.int64),
                ("trumps", np.int64),
                ("out", np.int64),  # bit per seat
                ("size", np.int64),  # cards to a trick
                ("tag", np.int64),  # of the present question, in the table
                ("nodes", np.int64),  # plays searched, for measurement
                ("table", np.int64, 1 << _TABLE_BITS),
            ],
            align=True,
        ),
    )
)
"""The workspace of a search, passed as one pointer (an array would cross each call as seven)."""


def new_search():
    """A blank workspace, SEARCH[1]."""
    return np.zeros(1, SEARCH)


@njit
def _highest(cards):
    cards |= cards >> 1
    cards |= cards >> 2
    cards |= cards >> 4
    cards |= cards >> 8
    cards |= cards >> 16
    return cards ^ (cards >> 1)


@njit
def _above(cards, others):
    """Those of ``cards`` that are higher than all ``others`` (of one suit)."""
    return cards if others == 0 else cards & ~((_highest(others) << 1) - 1)


@njit
def lowest_of_runs(cards, gone, frame):
    """One card of each run of equals: neighbours in a suit with nothing but ``gone`` cards between.

    The lowest of each run stands for it. The fill upwards is a parallel prefix, as in bitboards.
    """
    entered = _ENTERED[frame]
    path = gone & entered
    filled = cards | (path & (cards << 1))
    path &= path << 1
    filled |= path & (filled << 2)
    path &= path << 2
    filled |= path & (filled << 4)
    return cards & ~((filled << 1) & entered)


@njit
def _next_seat(w, seat):
    seat = (seat + 1) & 3
    while (w.out >> seat) & 1:
        seat = (seat + 1) & 3
    return seat


@njit
def _is_maker(w, seat):
    return (w.makers >> seat) & 1


@njit
def _last_trick(w, seat, made):
    best = w.hand[seat]
    led = SUIT_OF_BIT[w.frame, lowest_bit(best)]
    winner = seat
    for k in range(1, N_SEATS):
        other = (seat + k) & 3
        card = w.hand[other]
        if beats(card, best, led, w.frame):
            best = card
            winner = other
    return (w.goal >> (made + _is_maker(w, winner))) & 1


@njit
def _sure_leads(w, seat, live):
    """Tricks that the leader can cash against opponents without trumps: its unbeatable cards."""
    mine = w.hand[seat]
    sure = ONE * 0
    for suit in range(4):
        cards = EFFECTIVE_SUIT[w.frame, suit]
        if mine & cards:
            sure += popcount(_above(mine & cards, live & ~mine & cards))
    return sure


@njit
def _decided(w, seat, live, made, left):
    """0 or 1 when the tricks that nobody can take away decide the question, else 2."""
    makers_sure = ONE * 0
    defenders_sure = ONE * 0
    trumps = live & w.trumps
    opposing = ONE * 0
    for p in range(N_SEATS):
        mine = w.hand[p] & trumps
        if _is_maker(w, p) != _is_maker(w, seat):
            opposing |= mine
        if mine:
            sure = popcount(_above(mine, trumps & ~mine))
            if _is_maker(w, p):
                makers_sure = max(makers_sure, sure)
            else:
                defenders_sure = max(defenders_sure, sure)
    if opposing == 0:
        if _is_maker(w, seat):
            makers_sure = max(makers_sure, _sure_leads(w, seat, live))
        else:
            defenders_sure = max(defenders_sure, _sure_leads(w, seat, live))
    reachable = (ONE << (made + left - defenders_sure + 1)) - (ONE << (made + makers_sure))
    good = w.goal & reachable
    if good == reachable and w.renege[1] != 0:
        return ONE
    if good == 0 and w.renege[0] != 1:
        return ONE * 0
    return ONE * 2


@njit
def _lead(w, seat, made, left):
    """Whether the makers succeed with ``seat`` on lead, ``made`` tricks won and ``left`` to play."""
    if left == 1:
        return _last_trick(w, seat, made)
    live = w.hand[0] | w.hand[1] | w.hand[2] | w.hand[3]
    known = _decided(w, seat, live, made, left)
    if known != 2:
        return known
    slot = ((live * 0x9E3779B1 + seat * 0x85EBCA6B) >> 12) & ((1 << _TABLE_BITS) - 1)
    key = (w.tag << 32) | ((((live << 2) | seat) << 3 | made) << 1)
    entry = w.table[slot]
    if entry & ~1 == key:
        return entry & 1
    answer = _try_leads(w, seat, live, made, left)
    w.table[slot] = key | answer
    return answer


@njit
def _unbeatable(live, frame):
    top = ONE * 0
    for suit in range(4):
        top |= _highest(live & EFFECTIVE_SUIT[frame, suit])
    return top


@njit
def _try_leads(w, seat, live, made, left):
    maker = _is_maker(w, seat)
    hand = w.hand[seat]
    leads = lowest_of_runs(hand, _DECK & ~live, w.frame)
    first = leads & _unbeatable(live, w.frame)
    if first == 0:
        first = leads & w.trumps if maker else leads & ~w.trumps
    for _ in range(2):
        rest = first
        while rest:
            card = _highest(rest)
            rest ^= card
            led = SUIT_OF_BIT[w.frame, lowest_bit(card)]
            w.hand[seat] = hand ^ card
            answer = _follow(w, _next_seat(w, seat), ONE, led, card, seat, made, left)
            w.hand[seat] = hand
            if answer == maker:
                return maker
        first = leads & ~first
    return 1 - maker


@njit
def _put(w, seat, card, hand, count, led, best, winner, made, left):
    """The answer after ``seat`` plays ``card`` to a trick of ``count`` cards."""
    w.hand[seat] = hand ^ card
    if beats(card, best, led, w.frame):
        best = card
        winner = seat
    if count + 1 == w.size:
        answer = _lead(w, winner, made + _is_maker(w, winner), left - 1)
    else:
        answer = _follow(w, _next_seat(w, seat), count + 1, led, best, winner, made, left)
    w.hand[seat] = hand
    return answer


@njit
def _follow(w, seat, count, led, best, winner, made, left):
    """Whether the makers succeed with ``seat`` to follow; cheap wins come before discards."""
    w.nodes += 1
    hand = w.hand[seat]
    maker = _is_maker(w, seat)
    plays = follows(hand, led)
    if plays != hand and w.renege[maker] == maker:
        return maker
    if plays & (plays - 1) == 0:
        return _put(w, seat, plays, hand, count, led, best, winner, made, left)
    live = w.hand[0] | w.hand[1] | w.hand[2] | w.hand[3] | best
    plays = lowest_of_runs(plays, _DECK & ~live, w.frame)
    first = plays & (led | w.trumps) & ~((best << 1) - 1)
    if _is_maker(w, winner) == maker:
        first = plays & ~first
    for _ in range(2):
        rest = first
        while rest:
            card = rest & -rest
            rest ^= card
            if _put(w, seat, card, hand, count, led, best, winner, made, left) == maker:
                return maker
        first = plays & ~first
    return 1 - maker


# --- positions ---------------------------------------------------------------------------------


@njit
def load(w, s):
    """Copy a position of the play into the workspace."""
    for seat in range(N_SEATS):
        w.hand[seat] = 0 if is_out(s, seat) else np.int64(s.hand[seat])
    w.makers = 0
    for seat in range(N_SEATS):
        if team(seat) == team(s.maker):
            w.makers |= ONE << seat
    w.frame = s.frame
    w.trumps = TRUMPS[s.frame]
    w.out = s.sitting_out
    w.size = trick_size(s)
    w.nodes = 0


@njit
def results_in_points(s, r, table, results):
    """Fill the makers' net points by tricks, int64[6], and the distinct results in rising order.

    Returns how many distinct results there are; a penalised renege is one too.
    """
    for tricks in range(N_TRICKS + 1):
        made, defended = hand_points(r, tricks, s.loner != NOBODY, s.lone_defender != NOBODY)
        table[tricks] = made - defended
    count = 0
    for tricks in range(N_TRICKS + 1):
        count = _insert(results, count, table[tricks])
    if r.renege == RENEGE_PENALISED:
        for offender in range(2):
            count = _insert(results, count, _renege_value(s, r, (s.maker + offender) & 3))
    return count


@njit
def results_in_tricks(table, results):
    """The same for tricks: a number of tricks is its own result."""
    for tricks in range(N_TRICKS + 1):
        table[tricks] = tricks
        results[tricks] = tricks
    return N_TRICKS + 1


@njit
def _insert(results, count, value):
    place = 0
    while place < count and results[place] < value:
        place += 1
    if place < count and results[place] == value:
        return count
    for k in range(count, place, -1):
        results[k] = results[k - 1]
    results[place] = value
    return count + 1


@njit
def _renege_value(s, r, offender):
    points = renege_points(r, s.maker, s.loner, offender)
    makers = team(s.maker)
    return points[makers] - points[1 - makers]


@njit
def _ask(w, s, r, table, value, in_points):
    """Put the question whether the makers come to ``value`` or more."""
    w.goal = 0
    for tricks in range(N_TRICKS + 1):
        if table[tricks] >= value:
            w.goal |= ONE << tricks
    w.renege[0] = NO_RENEGE
    w.renege[1] = NO_RENEGE
    if in_points and r.renege == RENEGE_PENALISED:
        for maker in range(2):
            offender = (s.maker + 1 - maker) & 3
            w.renege[maker] = ONE * (_renege_value(s, r, offender) >= value)
    w.tag += 1


@njit
def _answer(w, s, card):
    """The answer when the seat to act plays ``card`` (a set of one), or plays best (0)."""
    seat = np.int64(s.turn)
    made = np.int64(s.tricks[team(s.maker)])
    left = np.int64(N_TRICKS - s.trick)
    count = np.int64(s.count)
    led, best, winner = np.int64(s.led), np.int64(s.best), np.int64(s.winner)
    if card == 0:
        if count == 0:
            return _lead(w, seat, made, left)
        return _follow(w, seat, count, led, best, winner, made, left)
    if count == 0:
        led = SUIT_OF_BIT[w.frame, lowest_bit(card)]
        best = ONE * 0
        winner = seat
    return _put(w, seat, card, w.hand[seat], count, led, best, winner, made, left)


@njit
def _value(w, s, r, card, table, results, count, in_points):
    """The highest result that the makers can reach, by halving; see :func:`_answer` for ``card``."""
    low = 0
    high = count - 1
    while low < high:
        middle = (low + high + 1) // 2
        _ask(w, s, r, table, results[middle], in_points)
        if _answer(w, s, card):
            low = middle
        else:
            high = middle - 1
    return results[low]


@njit
def _results(s, r, in_points, table, results):
    if in_points:
        return results_in_points(s, r, table, results)
    return results_in_tricks(table, results)


@njit
def play_value(w, s, r, in_points):
    """The value of a position of the play for the makers, in net points or in tricks."""
    table = np.empty(N_TRICKS + 1, np.int64)
    results = np.empty(N_TRICKS + 3, np.int64)
    count = _results(s, r, in_points, table, results)
    load(w, s)
    return _value(w, s, r, ONE * 0, table, results, count, in_points)


@njit
def play_values(w, s, r, in_points, values):
    """Fill int64[38] with the makers' value of each legal card, ILLEGAL elsewhere.

    Equal neighbours are searched once. A renege has a value in points only.
    """
    table = np.empty(N_TRICKS + 1, np.int64)
    results = np.empty(N_TRICKS + 3, np.int64)
    count = _results(s, r, in_points, table, results)
    load(w, s)
    hand = w.hand[s.turn]
    plays = follows(hand, np.int64(s.led)) if s.count else hand
    live = w.hand[0] | w.hand[1] | w.hand[2] | w.hand[3] | np.int64(s.best)
    distinct = lowest_of_runs(plays, _DECK & ~live, w.frame)
    value = ILLEGAL
    for bit in range(25):
        card = ONE << bit
        if plays & card:
            if distinct & card:
                value = _value(w, s, r, card, table, results, count, in_points)
            values[bit] = value
        elif in_points and hand & card and r.renege == RENEGE_PENALISED:
            values[bit] = _renege_value(s, r, s.turn)


# --- decisions before the lead -----------------------------------------------------------------


@njit
def state_value(w, stack, depth, r, in_points):
    """The makers' value of ``stack[depth]`` once trump is named; all see all cards and choose best.

    ``stack`` is STATE[MAX_DEPTH]; entries above ``depth`` are overwritten.
    """
    s = stack[depth]
    if s.phase == PLAY:
        return play_value(w, s, r, in_points)
    maker = team(s.turn) == team(s.maker)
    acts = legal(s, r)
    best = ILLEGAL
    for action in range(N_ACTIONS):
        if (acts >> action) & 1:
            stack[depth + 1] = s
            apply(stack[depth + 1], r, np.int64(action))
            value = state_value(w, stack, depth + 1, r, in_points)
            if best == ILLEGAL or (value > best if maker else value < best):
                best = value
    return best


@njit
def act_values(w, stack, r, in_points, values):
    """Fill int64[38] with the makers' value of each legal act of ``stack[0]``.

    A pass has no double-dummy value and stays ILLEGAL. A call counts for the caller's side.
    """
    for action in range(N_ACTIONS):
        values[action] = ILLEGAL
    s = stack[0]
    if s.phase == PLAY:
        play_values(w, s, r, in_points, values)
        return
    acts = legal(s, r)
    for action in range(N_ACTIONS):
        if (acts >> action) & 1 and action != PASS and s.phase != WEAK_HAND:
            stack[1] = s
            apply(stack[1], r, np.int64(action))
            values[action] = state_value(w, stack, np.int64(1), r, in_points)


@njit
def solve_range(states, rules, which, in_points, values, start, stop):
    """:func:`act_values` of each record of a range: values int64[B, 38]."""
    search = np.zeros(1, SEARCH)
    stack = np.empty(MAX_DEPTH, STATE)
    for i in range(start, stop):
        stack[0] = states[i]
        act_values(search[0], stack, rules[which[i]], in_points, values[i])


@njit
def value_range(states, rules, which, in_points, values, start, stop):
    """:func:`state_value` of each record of a range: values int64[B]."""
    search = np.zeros(1, SEARCH)
    stack = np.empty(MAX_DEPTH, STATE)
    for i in range(start, stop):
        stack[0] = states[i]
        values[i] = state_value(search[0], stack, np.int64(0), rules[which[i]], in_points)
