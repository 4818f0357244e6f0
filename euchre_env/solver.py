"""Double-dummy solver: the exact value of every act when all cards are seen.

A position of the play is searched for one yes-or-no question at a time: can the makers end with a
number of tricks that lies in a given goal set? A few such questions give the value in tricks or in
points, whatever the scoring options. The search merges neighbouring cards of one hand, bounds each
trick by the trumps and leads that cannot be beaten, remembers positions at the start of a trick in
a small table, and tries unbeatable leads first.

A fast break spoils the questions for more than nothing, and no other: three tricks then count for
nothing once the first two are lost. Until the makers win one of these their tricks are counted from
:data:`SPOILT` on, where no goal can be secured. Tokens for four tricks have no part in the value:
it is what the hand itself is worth.

Without partners a maker plays as a lone hand does, against two defenders who cooperate or against
one, so the same search serves (:func:`search_seat`). Cutthroat games have more than two sides, and
no such value.

Rules stay in :mod:`euchre_env.rules`; the search only asks them who beats whom and what a result
is worth, and copies a position into its own workspace.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from numba import boolean, int64

from ._cores import cores
from ._jit import njit, njit_recursive
from .actions import FROM_ABSOLUTE, TO_ABSOLUTE, ActionError, action_text, card_of_action
from .cards import (
    CARD_AT,
    EFFECTIVE_SUIT,
    N_BITS,
    ONE,
    SUIT_OF_BIT,
    TRUMPS,
    highest_card,
    lowest_bit,
    popcount,
)
from .rules import (
    ALL_ACTIONS,
    ALONE,
    BID1,
    BID2,
    DISCARD,
    DUMMY_EXCHANGE,
    HAND_SIZE,
    LAY_AWAY,
    LONER,
    N_ACTIONS,
    N_SEATS,
    N_TRICKS,
    NAME_TRUMP,
    NOBODY,
    OVER,
    PASS,
    PHASES,
    PLAY,
    STATE,
    WEAK_HAND,
    WITH_PARTNER,
    action_bit,
    apply,
    beats,
    card_action,
    counts_down,
    dummy_size,
    follows,
    hand_points,
    has_low_cards,
    is_out,
    legal,
    lost_first_two,
    new_states,
    renege_points,
    side_of,
    team,
    trick_size,
)
from .ruleset import OPTIONS, PARTNERSHIP, RENEGE_PENALISED, RULES

_TABLE_BITS = 8
_TEAM = ONE * 0b0101
"""Seats 0 and 2, a bit per seat."""
_DECK = (ONE << N_BITS) - 1

_ENTERED: npt.NDArray[np.int64] = (EFFECTIVE_SUIT & (EFFECTIVE_SUIT - 1)).sum(1)
"""int64[10]: the cards of each frame that have a lower one in their own suit."""
_LIVE = 39
"""Bits of a key for the cards held, the leader and the makers' tricks; above them is the tag."""

ILLEGAL = np.int64(-128)
"""The entry of an act that is not legal, or that has no double-dummy value."""
OBJECTIVES = ("points", "tricks")
MAX_DEPTH = 12
"""Records that a search of the decisions before the lead may stack."""
MAX_RESULTS = N_TRICKS + 4
"""Results of a hand for the makers: by tricks, a fast break, and a renege of either side."""
SPOILT = np.int64(8)
"""Added to the count of the makers' tricks as long as losing two would be a fast break."""
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
                ("spoilt", np.int64),  # SPOILT where a fast break would spoil the goal
                ("only", np.int64),  # the card to be played next, 0 for any
                ("renege", np.int64, 2),  # outcome when a defender, a maker reneges
                ("frame", np.int64),
                ("trumps", np.int64),
                ("suits", np.int64, 4),
                ("after", np.int64, 4),  # the seat that plays after each
                ("playing", np.int64),  # how many seats play, so the cards of a trick
                ("position", np.int64),  # number of the position loaded
                ("tag", np.int64),  # of position and question, in the table
                ("nodes", np.int64),  # plays searched, for measurement
                ("table", np.int64, 1 << _TABLE_BITS),
            ],
            align=True,
        ),
    )
)
"""The workspace of a search, passed as one pointer (an array would cross each call as seven)."""

_WORKSPACE = numba.from_dtype(SEARCH)
_RULE_RECORD = numba.from_dtype(RULES)
_STACK = numba.from_dtype(STATE)[::1]


def new_search() -> npt.NDArray[Any]:
    """A blank workspace, SEARCH[1]."""
    return np.zeros(1, SEARCH)


@njit
def _above(cards, others):
    """Those of ``cards`` that are higher than all ``others`` (of one suit)."""
    return cards if others == 0 else cards & ~((highest_card(others) << 1) - 1)


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
def _cashed(w, mine, live):
    """Tricks of one hand's unbeatable cards, led while the other side has no trumps."""
    others = live & ~mine
    sure = ONE * 0
    for suit in range(4):
        cards = w.suits[suit]
        sure += popcount(_above(mine & cards, others & cards))
    return sure


@njit
def _sure(w, seat, live):
    """Tricks that the side of the leader ``seat``, and the other side, can be sure to take.

    One hand's trumps above all of the other side's win a trick each. A leader with as many
    unbeatable trumps as any opponent has trumps can draw those, then cash its unbeatable cards.
    """
    first, second = w.hand[seat], w.hand[(seat + 2) & 3]
    third, fourth = w.hand[(seat + 1) & 3], w.hand[(seat + 3) & 3]
    ours = (first | second) & w.trumps
    theirs = (third | fourth) & w.trumps
    if ours < theirs:
        top = _above(theirs, ours)
        return ONE * 0, max(popcount(third & top), popcount(fourth & top))
    top = _above(ours, theirs)
    sure = max(popcount(first & top), popcount(second & top))
    drawing = popcount(_above(first & w.trumps, theirs | (second & w.trumps)))
    if max(popcount(third & theirs), popcount(fourth & theirs)) <= drawing:
        sure = max(sure, _cashed(w, first, live))
    return sure, ONE * 0


@njit
def _decided(w, seat, live, made, left):
    """0 or 1 when the tricks that nobody can take away decide the question, else 2."""
    makers_sure, defenders_sure = _sure(w, seat, live)
    if _is_maker(w, seat) == 0:
        makers_sure, defenders_sure = defenders_sure, makers_sure
    # Each side may also take fewer tricks than it can, which pays where more tricks score less.
    secured = (ONE << (made + left + 1)) - (ONE << (made + makers_sure))
    if w.goal & secured == secured and w.renege[0] != 0:
        return ONE
    open_ = (ONE << (made + left - defenders_sure + 1)) - (ONE << made)
    if w.goal & open_ == 0 and w.renege[1] != 1:
        return ONE * 0
    return ONE * 2


@njit
def _slot(live, seat):
    return ((live * 0x9E3779B1 + seat * 0x85EBCA6B) >> 12) & ((1 << _TABLE_BITS) - 1)


@njit
def _first_leads(w, leads, live, maker):
    """What to lead first: unbeatable cards, else the makers' trumps or the others' side cards."""
    unbeatable = ONE * 0
    for suit in range(4):
        unbeatable |= highest_card(live & w.suits[suit])
    first = leads & unbeatable
    if first == 0:
        first = leads & w.trumps if maker else leads & ~w.trumps
    return first


@njit
def _first_plays(w, plays, live, count, led, best, partner_wins):
    """What to follow with first: winning cards, but none over a partner who is likely to win."""
    winning = plays & (led | w.trumps) & ~((best << 1) - 1)
    stands = count + 1 == w.playing or best & w.trumps or best == highest_card((live | best) & led)
    return plays & ~winning if partner_wins and stands else winning


@njit_recursive(int64(_WORKSPACE, int64, int64, int64, int64, int64, int64, int64))
def _succeeds(w, seat, count, led, best, winner, made, left):
    """Whether the makers reach the goal from here: 1 or 0.

    ``seat`` is to play to a trick of ``count`` cards, of which ``winner`` holds with ``best``;
    ``made`` tricks are the makers' and ``left`` are to be finished. One function calls itself
    alone: numba cannot link compiled code that it has stored when two functions call each other.
    """
    hand = w.hand[seat]
    maker = _is_maker(w, seat)
    none = np.int64(0)  # typed: numba takes a literal for another signature
    key, slot = none, none
    if w.only != 0:
        plays = w.only
        first = plays
        w.only = 0
    elif count == 0:
        if left == 0:
            return (w.goal >> made) & 1
        if left == 1:
            return _last_trick(w, seat, made)
        live = w.hand[0] | w.hand[1] | w.hand[2] | w.hand[3]
        slot = _slot(live, seat)
        key = (w.tag << _LIVE) | ((((live << 2) | seat) << 4 | made) << 1)
        if w.table[slot] & ~1 == key:
            return w.table[slot] & 1
        if made >= SPOILT:
            if made > SPOILT:
                made -= SPOILT
            elif left == N_TRICKS - 2:
                return none
        known = _decided(w, seat, live, made, left)
        if known != 2:
            return known
        plays = lowest_of_runs(hand, _DECK & ~live, w.frame)
        first = _first_leads(w, plays, live, maker)
    else:
        w.nodes += 1
        plays = follows(hand, led)
        if plays != hand and w.renege[maker] == maker:
            return maker
        first = plays
        if plays & (plays - 1) != 0:
            live = w.hand[0] | w.hand[1] | w.hand[2] | w.hand[3]
            plays = lowest_of_runs(plays, _DECK & ~(live | best), w.frame)
            partner_wins = _is_maker(w, winner) == maker
            first = _first_plays(w, plays, live, count, led, best, partner_wins)
    answer = 1 - maker
    for _ in range(2):
        while first != 0 and answer != maker:
            card = highest_card(first) if count == 0 else first & -first
            first ^= card
            plays ^= card
            new_led = SUIT_OF_BIT[w.frame, lowest_bit(card)] if count == 0 else led
            new_best = best
            new_winner = winner
            if count == 0 or beats(card, best, led, w.frame):
                new_best = card
                new_winner = seat
            w.hand[seat] = hand ^ card
            if count + 1 == w.playing:
                made_now = made + _is_maker(w, new_winner)
                answer = _succeeds(w, new_winner, none, none, none, none, made_now, left - 1)
            else:
                after = w.after[seat]
                answer = _succeeds(w, after, count + 1, new_led, new_best, new_winner, made, left)
            w.hand[seat] = hand
        first = plays
    if key != 0:
        w.table[slot] = key | answer
    return answer


# --- positions ---------------------------------------------------------------------------------


@njit
def search_seat(s, r, seat):
    """The seat of the search that a seat of the game plays at: its own in the partnership game.

    Without partners the maker plays at seat 0, as if its partner sat out; the one to its left at
    seat 1, and where three play the third at seat 3.
    """
    if r.variant == PARTNERSHIP:
        return np.int64(seat)
    steps = (np.int64(seat) - np.int64(s.maker)) % np.int64(r.players)
    return steps + (steps >> 1)


@njit
def _seats_out(s, r):
    """The seats of the search that do not play, a bit per seat."""
    if r.variant == PARTNERSHIP:
        return np.int64(s.sitting_out)
    return ONE * 4 if r.players == N_SEATS - 1 else ONE * 12


@njit
def _next_seat(out, seat):
    seat = (seat + 1) & 3
    while (out >> seat) & 1:
        seat = (seat + 1) & 3
    return seat


@njit
def on_makers_side(s, r, seat):
    """Whether a seat wins its tricks for the side that called."""
    return side_of(r, seat) == side_of(r, s.maker)


@njit
def load(w, s, r):
    """Copy a position of the play into the workspace."""
    for seat in range(N_SEATS):
        w.hand[seat] = 0
    for seat in range(r.players):
        if not is_out(s, seat):
            w.hand[search_seat(s, r, seat)] = s.hand[seat]
    w.makers = _TEAM << team(search_seat(s, r, s.maker))
    w.frame = s.frame
    w.trumps = TRUMPS[s.frame]
    for suit in range(4):
        w.suits[suit] = EFFECTIVE_SUIT[s.frame, suit]
    out = _seats_out(s, r)
    for seat in range(N_SEATS):
        w.after[seat] = _next_seat(out, seat)
    w.position += 1
    w.playing = trick_size(s)
    w.nodes = 0


@njit
def is_broken(s, r):
    """Whether the makers have lost the first two tricks, so that three are worth nothing."""
    return r.fast_break != 0 and s.trick >= 2 and lost_first_two(s)


@njit
def may_break(s, r):
    """Whether the makers may still lose the first two tricks, with all that hangs on it."""
    open_yet = r.fast_break != 0 and s.trick < 2
    return open_yet and s.tricks[side_of(r, s.maker)] == 0


@njit
def results_in_points(s, r, table, results):
    """Fill the makers' net points by tricks, int64[6], and the distinct results in rising order.

    Returns how many distinct results there are; a penalised renege is one too.
    """
    for tricks in range(N_TRICKS + 1):
        made, defended = hand_points(r, tricks, s.loner != NOBODY, s.lone_defender != NOBODY)
        table[tricks] = made - defended
    if is_broken(s, r):
        table[N_TRICKS - 2] = 0
    count = 0
    for tricks in range(N_TRICKS + 1):
        count = _insert(results, count, table[tricks])
    if may_break(s, r):
        count = _insert(results, count, np.int64(0))
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
def _ask(w, s, r, table, results, index, in_points):
    """Put the question whether the makers come to ``results[index]`` or more."""
    value = results[index]
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
    w.spoilt = 0
    if in_points and value > 0 and may_break(s, r):
        w.spoilt = SPOILT
        w.goal |= ONE << (SPOILT + N_TRICKS - 2)  # reached in time perhaps, but not yet secured
    w.tag = w.position * MAX_RESULTS + index


@njit
def _answer(w, s, r, card):
    """The answer when the seat to act plays ``card`` (a set of one), or plays best (0)."""
    w.only = card
    return _succeeds(
        w,
        search_seat(s, r, s.turn),
        np.int64(s.count),
        np.int64(s.led),
        np.int64(s.best),
        search_seat(s, r, s.winner),
        np.int64(s.tricks[side_of(r, s.maker)]) + w.spoilt,
        np.int64(N_TRICKS - s.trick),
    )


@njit
def _value(w, s, r, card, table, results, count, in_points):
    """The highest result that the makers can reach, by halving; ``card`` as in ``_answer``."""
    low = 0
    high = count - 1
    while low < high:
        middle = (low + high + 1) // 2
        _ask(w, s, r, table, results, middle, in_points)
        if _answer(w, s, r, card):
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
    results = np.empty(MAX_RESULTS, np.int64)
    count = _results(s, r, in_points, table, results)
    load(w, s, r)
    return _value(w, s, r, ONE * 0, table, results, count, in_points)


@njit
def play_values(w, s, r, in_points, values):
    """Write the makers' value of each legal card into int64[38] (or 46); other entries stay.

    Equal neighbours are searched once. A renege has a value in points only.
    """
    table = np.empty(N_TRICKS + 1, np.int64)
    results = np.empty(MAX_RESULTS, np.int64)
    count = _results(s, r, in_points, table, results)
    load(w, s, r)
    hand = w.hand[search_seat(s, r, s.turn)]
    plays = follows(hand, np.int64(s.led)) if s.count else hand
    live = w.hand[0] | w.hand[1] | w.hand[2] | w.hand[3] | np.int64(s.best)
    distinct = lowest_of_runs(plays, _DECK & ~live, w.frame)
    value = ILLEGAL
    for bit in range(N_BITS):
        card = ONE << bit
        if plays & card:
            if distinct & card:
                value = _value(w, s, r, card, table, results, count, in_points)
            values[card_action(bit, w.frame)] = value
        elif in_points and hand & card and r.renege == RENEGE_PENALISED:
            values[card_action(bit, w.frame)] = _renege_value(s, r, s.turn)


# --- decisions before the lead -----------------------------------------------------------------


@njit
def _bury_all(s, r, cards):
    """Lay away some of the maker's cards; in which order does not matter."""
    while cards != 0:
        apply(s, r, lowest_bit(cards))
        cards &= cards - 1


@njit_recursive(int64(_WORKSPACE, _STACK, int64, _RULE_RECORD, boolean))
def state_value(w, stack, depth, r, in_points):
    """The makers' value of ``stack[depth]`` once trump is named; all see all cards and choose best.

    ``stack`` is STATE[MAX_DEPTH]; entries above ``depth`` are overwritten.
    """
    s = stack[depth]
    if s.phase == PLAY:
        return play_value(w, s, r, in_points)
    acts = legal(s, r)
    best = ILLEGAL
    if s.phase == DUMMY_EXCHANGE:
        laid = acts
        while laid != 0:
            if popcount(laid) == popcount(acts) - HAND_SIZE:
                stack[depth + 1] = s
                _bury_all(stack[depth + 1], r, laid)
                best = max(best, state_value(w, stack, depth + 1, r, in_points))
            laid = (laid - 1) & acts
        return best
    maker = on_makers_side(s, r, s.turn)
    for action in range(ALL_ACTIONS):
        if (acts >> action) & 1:
            stack[depth + 1] = s
            apply(stack[depth + 1], r, np.int64(action))
            value = state_value(w, stack, depth + 1, r, in_points)
            if best == ILLEGAL or (value > best if maker else value < best):
                best = value
    return best


@njit
def act_values(w, stack, r, in_points, values):
    """Fill int64[38] (46 with cards below nine) with the value of each legal act for the makers.

    A pass has no double-dummy value and stays ILLEGAL. A call counts for the caller's side.
    """
    for action in range(len(values)):
        values[action] = ILLEGAL
    s = stack[0]
    if s.phase == PLAY:
        play_values(w, s, r, in_points, values)
        return
    acts = legal(s, r)
    for action in range(len(values)):
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


# --- for Python --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Solution:
    """The double-dummy value of every legal act of one position.

    Attributes:
        tricks: By absolute action id, the tricks that the makers end with.
        points: By absolute action id, the points of the acting seat's side less the other's: of
            the maker less those of each defender, or the reverse, where three play.
        best: The acts of the highest points, absolute ids in rising order.
    """

    tricks: dict[int, int]
    points: dict[int, int]
    best: tuple[int, ...]


def solve_many(
    states: npt.NDArray[Any],
    rules: npt.NDArray[Any],
    which: npt.NDArray[np.int16] | None = None,
    objective: str = "points",
    threads: int | None = None,
) -> npt.NDArray[np.int64]:
    """The makers' value of every act of many positions, on all cores.

    Args:
        states: STATE[B], full records in which trump is named, or a call is to be made.
        rules: RULES[K].
        which: int16[B], the rule record of each position; the first by default.
        objective: ``"points"`` (the makers' less the defenders', less those of each defender where
            three play) or ``"tricks"`` (the makers').
        threads: All cores by default; results do not depend on it.

    Returns:
        int64[B, 38] (46 if a rule record has cards below nine) by trump-relative action id;
        ILLEGAL for acts that are not legal, for a pass, and for a renege where tricks are asked
        for.

    Raises:
        ValueError: an unknown objective, or a position that has no value (weak-hand polls, hands
            that are over, cutthroat games, in which more than two sides play).
    """
    if objective not in OBJECTIVES:
        raise ValueError(f"objective={objective!r} is unknown: use 'points' or 'tricks'")
    rows = np.zeros(len(states), np.int16) if which is None else which
    _require_decisions(states, rules, rows)
    wide = any(has_low_cards(each) for each in rules)
    values = np.empty((len(states), ALL_ACTIONS if wide else N_ACTIONS), np.int64)
    in_points = objective == "points"
    count = threads or cores()
    edges = np.linspace(0, len(states), count + 1).astype(int).tolist()
    with ThreadPoolExecutor(count) as pool:
        list(
            pool.map(
                lambda a, b: solve_range(states, rules, rows, in_points, values, a, b),
                edges[:-1],
                edges[1:],
            )
        )
    return values


def _require_decisions(
    states: npt.NDArray[Any], rules: npt.NDArray[Any], rows: npt.NDArray[np.int16]
) -> None:
    """Refuse positions, STATE[B], without a value by the rule records of their rows, int16[B]."""
    many_sides = np.array([counts_down(r) for r in rules], bool)[rows]
    for i in np.flatnonzero(many_sides)[:1]:
        variant = OPTIONS["variant"].decode(rules[rows[i]]["variant"])
        raise ValueError(
            f"position {i} has no double-dummy value: in variant={variant!r} each player is a "
            "side, and the value needs two; give a partnership, three-handed or two-handed game"
        )
    for i in np.flatnonzero(np.isin(states["phase"], (WEAK_HAND, OVER)))[:1]:
        raise ValueError(
            f"position {i} has no double-dummy value: its phase is "
            f"{PHASES[states[i].phase]!r}; give one in which a call, an answer or a card is due"
        )
    for i in np.flatnonzero(_twice(states))[:1]:
        raise ValueError(f"position {i} is impossible: a card is held or was played twice")
    aside = np.array([dummy_size(r) for r in rules], np.int64)[rows]
    for i in np.flatnonzero(~_dummy_fits(states, aside))[:1]:
        raise ValueError(
            f"position {i} is impossible: {aside[i]} cards belong to the dummy before it is taken; "
            "give a full record, not one cleared by hide()"
        )
    for i in np.flatnonzero(~_hands_fit(states, aside))[:1]:
        raise ValueError(
            f"position {i} is impossible: the hands of the seats that play do not hold as many "
            "cards as tricks are left; give a full record, not one cleared by hide()"
        )


def _size(sets: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The number of cards in each of some sets."""
    return np.bitwise_count(sets.astype(np.uint32)).astype(np.int64)


def _dummy_fits(states: npt.NDArray[Any], aside: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Whether the dummy, of ``aside`` cards, is whole before the moment at which it is taken."""
    before = np.isin(states["phase"], (BID1, BID2, LONER, DISCARD))
    return np.asarray(~before | (_size(states["dummy"]) == aside))


def _hands_fit(states: npt.NDArray[Any], aside: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Whether each seat that plays holds a card for each trick that it has not played to.

    ``aside`` is the size of the dummy; the maker holds what it has still to lay away for it, too,
    and a lone hand what it is to lay away for a card passed.
    """
    held = _size(states["hand"])
    in_play = states["phase"] == PLAY
    played_now = (states["plays"][np.arange(len(states)), np.minimum(states["trick"], 4)]) >= 0
    due = (N_TRICKS - states["trick"].astype(int))[:, None] - (played_now & in_play[:, None])
    due += (states["phase"] == DISCARD)[:, None] & (np.arange(4) == states["taker"][:, None])
    extra = np.where(states["phase"] == DUMMY_EXCHANGE, aside - _size(states["buried"]), 0)
    due += extra[:, None] * (np.arange(4) == states["maker"][:, None])
    due += (states["phase"] == LAY_AWAY)[:, None] & (np.arange(4) == states["loner"][:, None])
    due -= (states["passed"] != 0)[:, None] & (np.arange(4) == states["passer"][:, None])
    out = (states["sitting_out"][:, None] >> np.arange(4)) & 1 != 0
    return np.asarray(((held == due) | out).all(axis=1))


def _twice(states: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Whether some card is in two places of hands, cards played, the dummy and those laid away."""
    aside = np.stack([states["dummy"], states["buried"]], axis=1)
    sets = np.concatenate([states["hand"], states["played"], aside], axis=1)
    return np.asarray(_size(sets).sum(axis=1) != _size(np.bitwise_or.reduce(sets, axis=1)))


def solve(state: Any, rules: Any) -> Solution:
    """The double-dummy value of every legal act of one position.

    Args:
        state: A full record, STATE.
        rules: Its rule record, RULES[1] or one entry of it.

    Raises:
        ValueError: the position has no double-dummy value, see :func:`solve_many`, or there is
            none but to pass.
    """
    states = new_states(1)
    states[0] = state
    table = np.atleast_1d(np.asarray(rules))
    tricks = solve_many(states, table, objective="tricks", threads=1)[0]
    points = solve_many(states, table, objective="points", threads=1)[0]
    makers = state.maker == NOBODY or on_makers_side(state, table[0], state.turn)
    sign = 1 if makers else -1
    names = TO_ABSOLUTE[state.frame]
    by_points = {int(names[a]): sign * int(points[a]) for a in np.flatnonzero(points != ILLEGAL)}
    by_tricks = {int(names[a]): int(tricks[a]) for a in np.flatnonzero(tricks != ILLEGAL)}
    if not by_points:
        raise ValueError("the seat to act can only pass, and a pass has no double-dummy value")
    highest = max(by_points.values())
    best = tuple(sorted(a for a, v in by_points.items() if v == highest))
    return Solution(by_tricks, by_points, best)


@dataclass(frozen=True, slots=True)
class Call:
    """The double-dummy value of one call of a full deal.

    Attributes:
        seat: The caller.
        action: The call, an absolute action id (order_up, call_C ... call_NT).
        alone: Whether the caller plays alone (where three play: leaves the dummy); None where the
            rules leave no choice.
        points: Points of the caller's side less the other's, of each defender where three play.
        discard: The taker's best discard, a card id; None where there is no exchange.
    """

    seat: int
    action: int
    alone: bool | None
    points: int
    discard: int | None


def best_call(state: Any, rules: Any) -> list[Call]:
    """Every call of a seat about to bid, alone and with the partner, best first.

    All later decisions (the discard, whether the partner goes alone, a lone defence, the exchange
    with a dummy, the play) are made with all cards seen. Of equal calls, those with the partner (or
    with the dummy) come first.

    Args:
        state: A full record in ``bid1``, ``bid2`` or ``name_trump``.
        rules: Its rule record.

    Raises:
        ValueError: the record is not in a bidding phase, is impossible, or of a cutthroat game.
    """
    table = np.atleast_1d(np.asarray(rules))
    if state.phase not in (BID1, BID2, NAME_TRUMP):
        raise ValueError(
            f"best_call needs a record in a bidding phase, not {PHASES[state.phase]!r}"
        )
    states = new_states(1)
    states[0] = state
    table = np.atleast_1d(np.asarray(rules))[:1]
    _require_decisions(states, table, np.zeros(1, np.int16))
    r = table[0]
    found: list[Call] = []
    for action in _actions_of(int(legal(state, r)) & ~(1 << PASS)):
        after = _after(state, r, action)
        named = int(TO_ABSOLUTE[state.frame, action])
        chooses = _maker_chooses_alone(after, r)
        for alone in (False, True) if chooses else (None,):
            value, discard = _best_line(after, r, alone)
            found.append(Call(int(state.turn), named, alone, value, discard))
    return sorted(found, key=lambda call: -call.points)


def _actions_of(acts: int) -> list[int]:
    return [a for a in range(ALL_ACTIONS) if acts >> a & 1]


def _after(state: Any, r: Any, action: int) -> Any:
    copy = new_states(1)
    copy[0] = state
    apply(copy[0], r, np.int64(action))
    return copy[0]


def _maker_chooses_alone(s: Any, r: Any) -> bool:
    """Whether the maker is asked about a lone hand after a call and the discard on the way."""
    while s.phase == DISCARD:
        s = _after(s, r, _actions_of(int(legal(s, r)))[0])
    return bool(s.phase == LONER and s.turn == s.maker)


def _best_line(s: Any, r: Any, alone: bool | None) -> tuple[int, int | None]:
    """The makers' value after a call and the discard on the way, the maker's answer being given."""
    if s.phase not in (LONER, DISCARD):
        stack = np.empty(MAX_DEPTH, STATE)
        stack[0] = s
        return int(state_value(new_search()[0], stack, np.int64(0), r, True)), None
    acts = _actions_of(int(legal(s, r)))
    if s.phase == LONER and s.turn == s.maker:
        acts = [ALONE if alone else WITH_PARTNER]
    sign = 1 if on_makers_side(s, r, s.turn) else -1
    lines = [(*_best_line(_after(s, r, action), r, alone), action) for action in acts]
    value, discard, action = max(lines, key=lambda line: sign * line[0])
    laid = int(CARD_AT[s.frame, action_bit(action, s.frame)]) if s.phase == DISCARD else discard
    return value, laid


@dataclass(frozen=True, slots=True)
class PlayCost:
    """What one card of a hand cost with all cards seen.

    Attributes:
        trick: The trick, from 1.
        seat: Who played it.
        card: The card id.
        points: Points that the card gave away, for the seat's team; 0 for a best card.
        tricks: Tricks that it gave away, for the seat's team.
        better: The card ids that would have kept the most points.
    """

    trick: int
    seat: int
    card: int
    points: int
    tricks: int
    better: tuple[int, ...]


def analyse_play(start: Any, rules: Any, actions: Iterable[int]) -> list[PlayCost]:
    """The double-dummy cost of every card played.

    Args:
        start: A full record at any moment of the hand.
        rules: Its rule record.
        actions: The acts from there on, absolute ids, in order.

    Raises:
        ActionError: an act is not legal where it stands; the message names it.
    """
    r = np.atleast_1d(np.asarray(rules))[0]
    states = new_states(1)
    states[0] = start
    s = states[0]
    costs = []
    for absolute in actions:
        action = int(FROM_ABSOLUTE[s.frame, absolute])
        if not int(legal(s, r)) >> action & 1:
            raise ActionError(f"{action_text(absolute)} is not legal for seat {s.turn} here")
        if s.phase == PLAY:
            costs.append(_cost(s, r, absolute))
        apply(s, r, np.int64(action))
    return costs


def _cost(s: Any, r: Any, action: int) -> PlayCost:
    solution = solve(s, r)
    best = solution.points[solution.best[0]]
    makers = on_makers_side(s, r, s.turn)
    most = (max if makers else min)(solution.tricks.values())
    tricks = abs(most - solution.tricks[action]) if action in solution.tricks else 0
    points = best - solution.points[action]
    better = () if points == 0 else tuple(map(card_of_action, solution.best))
    card = card_of_action(action)
    return PlayCost(int(s.trick) + 1, int(s.turn), card, points, tricks, better)
