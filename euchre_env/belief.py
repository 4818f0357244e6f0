"""Belief: deals of the unseen cards that agree with everything a seat has seen.

A *world* is an assignment of the cards that a seat has not seen to the places where they can lie:
the other hands, the face-down kitty, the fourth face-down card of a deck with the joker, another
seat's discard, a dummy, and what another seat laid away for it or for a card it was passed; with
the name of the card passed, one of those of the lone hand. The table of one information set
(:func:`prepare`) counts them exactly and numbers them from 0, so that a uniform number is a uniform
world, without rejection, and all worlds can be listed.

Method: cards that no place tells apart form a class (cards of one effective suit, the upcard while
it may be in the taker's hand or under the pack). A dynamic program over the classes counts the ways
to fill the places that refuse some cards; places that refuse nothing share what is left. A number
is turned back into cards by the combinatorial number system (Knuth, The Art of Computer
Programming 4A, section 7.2.1.3).

What has been seen: own hand and cards laid away, cards played, the upcard and where it went, cards
swapped in the open, hand sizes, and the suits that a seat has shown it does not hold. Four facts
that follow from what others did are kept by drawing again, since they are rare house rules: that a
caller was allowed its call (``require_natural_trump``), that a seat which swapped three cards had a
weak hand and gave its lowest, that an offender against following suit could have followed, and that
a card passed to a lone hand was its partner's: not the upcard unless that seat took it. A seat that
keeps a weak hand says nothing, so its silence is no constraint.

:func:`restart` and :func:`act_taken` replay the hand of a full record from the deal, so that a
policy can be asked how likely the observed acts are in a world (:func:`weigh`). Which of a maker's
cards came from the dummy leaves no trace: the highest of them are taken to be dealt, so a world is
kept when some deal explains the call.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._jit import njit
from .cards import (
    CARD_AT,
    EFFECTIVE_SUIT,
    JOKER_BIT,
    N_CARDS,
    NINE,
    NO_TRUMP,
    OF_RANK,
    ONE,
    RELATIVE_SUIT,
    TEN,
    lowest_bit,
    popcount,
)
from .kernels import as_uint64, draw, seed_of
from .rules import (
    ALONE,
    BID1,
    BID2,
    CALL,
    CALL_BEST,
    CALL_NO_TRUMP,
    CLAIM,
    DEFEND,
    DEFEND_ALONE,
    DEFEND_TOGETHER,
    DISCARD,
    DUMMY_EXCHANGE,
    HAND_SIZE,
    KEEP,
    LAY_AWAY,
    LONER,
    MOST_SIDES,
    N_SEATS,
    N_TEAMS,
    NAME_TRUMP,
    NOBODY,
    ORDER_UP,
    OVER,
    PASS,
    PASS_CARD,
    PLAY,
    STATE,
    STAY,
    TAKEN,
    TAKEN_OR_BURIED,
    TOKENS_FOR_A_POINT,
    UNDECIDED,
    WEAK_HAND,
    WITH_PARTNER,
    apply,
    burier,
    counts_down,
    deal,
    dummy_size,
    earned_token,
    hide,
    is_out,
    left,
    legal,
    new_states,
    side_of,
    takes_dummy,
    three_lowest,
    weak_hand_qualifies,
)
from .ruleset import JOKER_NAMES_BLIND, NATURAL_OFF, Ruleset

KITTY, SPARE, BURIED, DUMMY, LAID = 4, 5, 6, 7, 8
"""Places after the four hands: the kitty, the fourth face-down card, the discard, the dummy, and
what was laid away for it or for a card passed."""
N_PLACES = 9
MAX_ACTS = 40
"""More decisions than a hand can have."""

# Places that refuse cards are the taker's hand (5 cards or fewer), two others (4: only a seat that
# has played can be void), the discard and a kitty of low cards: 6 * 5 * 5 * 2 * 4 states; or, of
# three players, a hand, another, the discard and five cards laid away: 6 * 5 * 2 * 6; or, where a
# card was passed, a lone hand, two others, the discard, what was laid away and a low kitty:
# 6 * 5 * 5 * 2 * 2 * 4. Classes are four suits, each parted by a low kitty, the upcard and the card
# passed. Counted over all ways to share 20 unseen cards among the suits there are fewer than 1000
# fillings.
_MAX_TIGHT = 6
_MAX_CLASSES = 10
_MAX_STATES = 2400
_MAX_FILLINGS = 4096
_GUARD = np.int64(0x88888888)
_UPCARD_AT = 20
"""The place of the upcard in a deck."""
_TRIES = 1 << 20

_BINOMIAL: npt.NDArray[np.int64] = np.array(
    [[comb(n, k) for k in range(N_CARDS + 1)] for n in range(N_CARDS + 1)], np.int64
)

CALLER_MAY_CALL, SWAPPER_WAS_WEAK, OFFENDER_COULD_FOLLOW, PARTNER_HAD_IT = 1, 2, 4, 8
"""Facts kept by drawing again, added together."""

BELIEF = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("rng", np.uint64),
                ("worlds", np.int64),  # before the facts kept by drawing again
                ("fillings", np.int64),  # ways to fill the places that refuse some card
                ("inferred", np.int64),  # facts to be kept by drawing again
                ("viewer", np.int64),
                ("unseen", np.int64),  # cards to be dealt
                ("dealt", np.int64),  # bit per place that is written
                ("swap_hidden", np.int64),  # whether the swapped cards are dealt, as the kitty
                ("passed_ways", np.int64),  # cards that may be the one passed; 1 where it is known
                ("fixed", np.int64, N_PLACES),  # unseen cards that surely lie there
                ("room", np.int64, N_PLACES),  # cards to be dealt there
                ("open", np.int64, N_PLACES),  # cards that may be dealt there
                ("cards", np.int64, N_PLACES),  # of the world being dealt
                ("tight", np.int64, _MAX_TIGHT),  # places that refuse some card
                ("tights", np.int64),
                ("loose", np.int64, N_PLACES),  # places that take any card but a certain upcard
                ("looses", np.int64),
                ("common", np.int64),  # what a loose place takes
                ("stride", np.int64, _MAX_TIGHT),
                ("class_cards", np.int64, _MAX_CLASSES),
                ("class_fits", np.int64, _MAX_CLASSES),  # bit per tight place; the next one: loose
                ("classes", np.int64),
                ("states", np.int64),
                ("first", np.int64, _MAX_CLASSES + 1),  # filling of each class
                ("takes", np.int64, _MAX_FILLINGS),  # cards by tight place, four bits each
                ("step", np.int64, _MAX_FILLINGS),  # to the state that is left
                ("ways", np.int64, _MAX_FILLINGS),
                ("rooms", np.int64, _MAX_STATES),  # of each state, four bits a tight place
                ("table", np.int64, (_MAX_CLASSES + 1) * _MAX_STATES),
                ("past", STATE),
                ("deck", np.int8, N_CARDS),
            ],
            align=True,
        ),
    )
)
"""The table of an information set and its workspace, passed as one pointer."""


class BeliefError(ValueError):
    """A record that no deal of the unseen cards explains, or worlds without any weight."""


def new_belief() -> Any:
    """A blank table, BELIEF[1]; functions take its one record."""
    return np.zeros(1, BELIEF)


# --- what has been seen ------------------------------------------------------------------------


@njit
def _is_blind(s, r, viewer):
    return s.phase == NAME_TRUMP and r.joker_upcard == JOKER_NAMES_BLIND and viewer == s.dealer


@njit
def _unseen(s, r, viewer):
    """The cards whose place the viewer does not know, the upcard taken by another seat included."""
    seen = np.int64(s.upcard)
    if s.taker != NOBODY and (s.taker != viewer or s.passed & seen != 0):
        seen = ONE * 0
    for seat in range(N_SEATS):
        seen |= np.int64(s.played[seat])
    if not _is_blind(s, r, viewer):
        seen |= np.int64(s.hand[viewer])
    if s.taker == viewer:
        seen |= np.int64(s.discard)
    if burier(s) == viewer:
        seen |= np.int64(s.buried)
    if s.swapper == viewer or r.swap3_shown != 0:
        seen |= np.int64(s.swapped)
    deck = (ONE << N_CARDS) - 1
    return (deck if r.joker != 0 else deck ^ JOKER_BIT) & ~seen


@njit
def _list_places(b, s, r, viewer):
    """Which places are dealt, and how many cards go there."""
    b.dealt = 0
    for place in range(N_PLACES):
        b.fixed[place] = 0
        b.room[place] = 0
    for seat in range(r.players):
        if seat != viewer or _is_blind(s, r, viewer):
            b.dealt |= ONE << seat
            b.room[seat] = HAND_SIZE - popcount(np.int64(s.played[seat]))
    b.dealt |= ONE << KITTY
    b.swap_hidden = s.swapper != NOBODY and s.swapper != viewer and r.swap3_shown == 0
    if s.swapper == NOBODY or b.swap_hidden != 0:
        b.room[KITTY] = kitty_size(r)
    else:
        b.fixed[KITTY] = s.swapped
    if r.joker != 0:
        b.dealt |= ONE << SPARE
        b.room[SPARE] = 1
    if s.taker != NOBODY and s.taker != viewer:
        if s.phase == DISCARD:
            b.room[s.taker] += 1
        else:
            b.dealt |= ONE << BURIED
            b.room[BURIED] = 1
    b.passed_ways = 1
    if s.passer != NOBODY:
        _list_passed(b, s, viewer)
    else:
        _list_dummy(b, s, r, viewer)


@njit
def _list_passed(b, s, viewer):
    """What the lone hand laid away, and who holds more or less, once its partner passed a card."""
    if s.phase == PASS_CARD:
        return
    if viewer != s.passer:
        b.room[s.passer] -= 1
    if viewer != s.loner:
        if s.phase == LAY_AWAY:
            b.room[s.loner] += 1
        else:
            b.dealt |= ONE << LAID
            b.room[LAID] = 1
        if viewer != s.passer:
            b.passed_ways = HAND_SIZE + 1


@njit
def kitty_size(r):
    """The face-down cards that nobody may take."""
    return 3 + HAND_SIZE * (N_SEATS - np.int64(r.players)) - dummy_size(r)


@njit
def _is_dummy_taken(s, r):
    """Whether the maker holds the dummy's cards, or has laid as many away."""
    later = s.phase == DUMMY_EXCHANGE or s.phase == STAY or s.phase == PLAY or s.phase == OVER
    return later and takes_dummy(s, r)


@njit
def _list_dummy(b, s, r, viewer):
    """The dummy where it lies, or what another maker laid away for it."""
    if not _is_dummy_taken(s, r):
        if dummy_size(r) != 0:
            b.dealt |= ONE << DUMMY
            b.room[DUMMY] = dummy_size(r)
    elif s.maker != viewer:
        b.dealt |= ONE << LAID
        b.room[LAID] = dummy_size(r)


@njit
def _open_places(b, s, r):
    """Which of the unseen cards each place may hold."""
    upcard = ONE * 0
    if s.place == TAKEN_OR_BURIED:
        upcard = b.unseen & np.int64(s.upcard)
    passed = b.unseen & np.int64(s.passed)  # known, but not where the lone hand has it
    b.common = b.unseen & ~(upcard | passed)
    for seat in range(N_SEATS):
        b.open[seat] = b.common & ~np.int64(s.void[seat])
    if upcard != 0:
        b.open[s.taker] |= upcard & ~np.int64(s.void[s.taker])
    b.open[KITTY] = b.common
    if b.swap_hidden != 0:
        b.open[KITTY] &= _low_cards(s.frame)
    b.open[SPARE] = b.common
    b.open[BURIED] = b.common
    if r.dealer_may_discard_upcard != 0:
        b.open[BURIED] |= upcard & ~passed
    b.open[DUMMY] = b.common
    b.open[LAID] = b.common
    if s.taker == burier(s):
        b.open[LAID] |= upcard
    if s.passer != NOBODY and s.phase != PASS_CARD:
        if s.taker == s.passer:
            passed |= upcard
        b.open[s.loner] |= passed & ~np.int64(s.void[s.loner])
        b.open[LAID] |= passed


@njit
def _low_cards(frame):
    """Nines and tens: all that a seat may lay under the pack."""
    return OF_RANK[frame, NINE] | OF_RANK[frame, TEN]


@njit
def _survey(b, s, r, viewer):
    """Write down what the viewer knows; returns whether the numbers of cards agree.

    While another seat lays cards away one by one, nobody can tell how many it has laid away.
    """
    if s.phase == DUMMY_EXCHANGE and s.maker != viewer:
        return False
    b.viewer = viewer
    b.unseen = _unseen(s, r, viewer)
    _list_places(b, s, r, viewer)
    if s.place == TAKEN and b.unseen & np.int64(s.upcard) != 0:
        b.fixed[s.taker] = s.upcard
        b.room[s.taker] -= 1
        b.unseen &= ~np.int64(s.upcard)
    _open_places(b, s, r)
    b.inferred = 0
    if r.require_natural_trump != NATURAL_OFF and s.maker != NOBODY and s.maker != viewer:
        b.inferred |= 0 if s.trump == NO_TRUMP else CALLER_MAY_CALL
    if s.swapper != NOBODY and s.swapper != viewer:
        b.inferred |= SWAPPER_WAS_WEAK
    if s.offender != NOBODY and s.offender != viewer:
        b.inferred |= OFFENDER_COULD_FOLLOW
    if b.passed_ways != 1 and (s.taker == s.loner or s.taker == s.passer):
        b.inferred |= PARTNER_HAD_IT
    room = ONE * 0
    for place in range(N_PLACES):
        if b.room[place] < 0:
            return False
        room += b.room[place]
    return room == popcount(b.unseen)


# --- counting ----------------------------------------------------------------------------------


@njit
def _part_places(b):
    """Part the places into those that refuse some card and the others; number the states."""
    b.tights = 0
    b.looses = 0
    b.states = 1
    for place in range(N_PLACES):
        if b.room[place] == 0:
            continue
        if b.open[place] == b.common:
            b.loose[b.looses] = place
            b.looses += 1
        else:
            b.tight[b.tights] = place
            b.stride[b.tights] = b.states
            b.states *= b.room[place] + 1
            b.tights += 1


@njit
def _fits_of(b, card):
    fits = ONE * 0
    for k in range(b.tights):
        if b.open[b.tight[k]] & card != 0:
            fits |= ONE << k
    if b.looses != 0 and b.common & card != 0:
        fits |= ONE << b.tights
    return fits


@njit
def _add_class(b, cards, fits):
    """Add cards to the class of those that the same places take."""
    k = 0
    while k < b.classes and b.class_fits[k] != fits:
        k += 1
    if k == b.classes:
        b.class_fits[k] = fits
        b.class_cards[k] = 0
        b.classes += 1
    b.class_cards[k] |= cards


@njit
def _part_cards(b, s):
    """Part the unseen cards into classes: by suit, then by upcard, card passed and a low kitty."""
    b.classes = 0
    upcard, passed = np.int64(s.upcard), np.int64(s.passed & ~s.upcard)
    apart = upcard | passed
    low = _low_cards(s.frame) if b.swap_hidden != 0 else ONE * 0
    for suit in range(4):
        cards = b.unseen & EFFECTIVE_SUIT[s.frame, suit]
        rest = cards & ~apart
        for part in (cards & upcard, cards & passed, rest & low, rest & ~low):
            if part != 0:
                _add_class(b, part, _fits_of(b, part & -part))


@njit
def _list_rooms(b):
    """The rooms of each state, as digits of four bits."""
    for state in range(b.states):
        rooms = ONE * 0
        for k in range(b.tights):
            digit = (state // b.stride[k]) % (b.room[b.tight[k]] + 1)
            rooms |= digit << (4 * k)
        b.rooms[state] = rooms


@njit
def _ways(takes, size):
    """Ways to choose which cards of a class go where, given how many."""
    ways = ONE
    while takes != 0:
        ways *= _BINOMIAL[size, takes & 15]
        size -= takes & 15
        takes >>= 4
    return ways


@njit
def _list_fillings(b, c):
    """All ways to split a class by number: how many of its cards each tight place gets."""
    count = b.first[c]
    fits = b.class_fits[c]
    size = popcount(b.class_cards[c])
    anywhere = (fits >> b.tights) & 1
    takes, step, given = ONE * 0, ONE * 0, ONE * 0
    more = True
    while more:
        if given == size or anywhere != 0:
            b.takes[count] = takes
            b.step[count] = step
            b.ways[count] = _ways(takes, size)
            count += 1
        more = False
        for k in range(b.tights):
            digit = (takes >> (4 * k)) & 15
            more = given < size and (fits >> k) & 1 != 0 and digit < b.room[b.tight[k]]
            added = ONE if more else -digit
            takes += added << (4 * k)
            step += added * b.stride[k]
            given += added
            if more:
                break
    b.first[c + 1] = count


@njit
def _has_room(rooms, takes):
    """Whether no digit of ``takes`` is larger than that of ``rooms``; digits are below 8."""
    return ((rooms | _GUARD) - takes) & _GUARD == _GUARD


@njit
def _count_fillings(b, c, state):
    """Ways to fill the rooms of a state with the classes from ``c`` on; the table has the rest."""
    total = ONE * 0
    rooms = b.rooms[state]
    after = (c + 1) * b.states + state
    for k in range(b.first[c], b.first[c + 1]):
        if _has_room(rooms, b.takes[k]):
            total += b.ways[k] * b.table[after - b.step[k]]
    return total


@njit
def _fill_table(b):
    """Fill ``table[c * states + state]``: ways to fill a state with the classes from ``c`` on."""
    b.first[0] = 0
    for c in range(b.classes):
        _list_fillings(b, c)
    end = b.classes * b.states
    for state in range(b.states):
        b.table[end + state] = 1 if state == 0 else 0
    for k in range(b.classes):
        c = b.classes - 1 - k
        # The first class meets full rooms only.
        for state in range(b.states - 1 if c == 0 else 0, b.states):
            b.table[c * b.states + state] = _count_fillings(b, c, state)
    b.fillings = b.table[b.states - 1]


@njit
def prepare(b, s, r, viewer):
    """Fill the table of what ``viewer`` has seen of a game; returns the number of worlds.

    Args:
        b: A record of BELIEF, overwritten.
        s: The game, cleared by ``rules.hide`` for the viewer; what it hides is not read.
        r: The rule record.
        viewer: A seat.

    Returns:
        int64: assignments of unseen cards to places; 0 when nothing explains the record. Facts
        kept by drawing again (``b.inferred``) are not counted in.
    """
    b.worlds = 0
    if not _survey(b, s, r, viewer):
        return b.worlds
    _part_places(b)
    _part_cards(b, s)
    _list_rooms(b)
    _fill_table(b)
    b.worlds = b.fillings
    left_over = ONE * 0
    for k in range(b.looses):
        room = b.room[b.loose[k]]
        left_over += room
        b.worlds *= _BINOMIAL[left_over, room]
    b.worlds *= b.passed_ways
    return b.worlds


# --- dealing -----------------------------------------------------------------------------------


@njit
def _choose(cards, count, number):
    """The ``number``-th of the sets of ``count`` cards out of ``cards``.

    A card's part is decided by arithmetic, since a branch would be mispredicted half the time.
    """
    chosen = ONE * 0
    size = popcount(cards)
    while count > 0:
        size -= 1
        card = cards & -cards
        cards ^= card
        with_card = _BINOMIAL[size, count - 1]
        passed_over = (with_card - 1 - number) >> 63
        chosen |= card & ~passed_over
        number -= with_card & passed_over
        count -= 1 + passed_over
    return chosen


@njit
def _split_class(b, c, takes, number):
    """Give each tight place its cards of a class; returns the cards that are left."""
    cards = b.class_cards[c]
    size = popcount(cards)
    k = 0
    while takes != 0:
        count = takes & 15
        if count != 0:
            ways = _BINOMIAL[size, count]
            chosen = _choose(cards, count, number % ways)
            number //= ways
            b.cards[b.tight[k]] |= chosen
            cards ^= chosen
            size -= count
        takes >>= 4
        k += 1
    return cards


@njit
def _fill_tight(b, number):
    """Fill the places that refuse cards in the ``number``-th way; returns the cards left over."""
    rest = ONE * 0
    state = b.states - 1
    for c in range(b.classes):
        rooms = b.rooms[state]
        after = (c + 1) * b.states + state
        k = b.first[c]
        while True:
            if _has_room(rooms, b.takes[k]):
                weight = b.ways[k] * b.table[after - b.step[k]]
                if number < weight:
                    break
                number -= weight
            k += 1
        state -= b.step[k]
        below = b.table[after - b.step[k]]
        rest |= _split_class(b, c, b.takes[k], number // below)
        number %= below
    return rest


@njit
def _fill_loose(b, cards, number):
    """Share cards out to the places that take any, in the ``number``-th way."""
    size = popcount(cards)
    for k in range(b.looses - 1):
        place = b.loose[k]
        ways = _BINOMIAL[size, b.room[place]]
        chosen = _choose(cards, b.room[place], number % ways)
        number //= ways
        b.cards[place] |= chosen
        cards ^= chosen
        size -= b.room[place]
    if b.looses != 0:
        b.cards[b.loose[b.looses - 1]] |= cards


@njit
def deal_world(b, number, world):
    """Deal the unseen cards in the ``number``-th way, ``0 <= number < b.worlds``.

    ``world`` is a record that agrees with the one given to :func:`prepare` in all that the viewer
    sees; only what the viewer does not see is written. Each number gives another world.
    """
    for place in range(N_PLACES):
        b.cards[place] = b.fixed[place]
    choice = ONE * 0
    if b.passed_ways != 1:
        choice = number % b.passed_ways
        number //= b.passed_ways
    rest = _fill_tight(b, number % b.fillings)
    _fill_loose(b, rest, number // b.fillings)
    for seat in range(N_SEATS):
        if (b.dealt >> seat) & 1:
            world.hand[seat] = b.cards[seat]
    world.kitty = b.cards[KITTY]
    if b.swap_hidden != 0:
        world.swapped = b.cards[KITTY]
    if (b.dealt >> SPARE) & 1:
        world.spare = b.cards[SPARE]
    if (b.dealt >> BURIED) & 1:
        world.discard = b.cards[BURIED]
    if (b.dealt >> DUMMY) & 1:
        world.dummy = b.cards[DUMMY]
    if (b.dealt >> LAID) & 1:
        world.buried = b.cards[LAID]
    if b.passed_ways != 1:
        _name_passed(world, choice)


@njit
def _lone_cards(s):
    """All six cards of a lone hand that was passed one, those laid away and played among them."""
    return np.int64(s.hand[s.loner] | s.played[s.loner] | s.buried)


@njit
def _name_passed(world, choice):
    """Say which card of the lone hand came from the partner: the ``choice``-th lowest."""
    cards = _lone_cards(world)
    for _ in range(choice):
        cards &= cards - 1
    world.passed = cards & -cards


@njit
def _uniform(b, bound):
    """A uniform number below ``bound`` from the table's generator, without any bias."""
    bound = np.uint64(bound)
    last = ~np.uint64(0) - bound + np.uint64(1)
    while True:
        bits = draw(b)
        number = bits % bound
        if bits - number <= last:
            return np.int64(number)


@njit
def sample(b, r, bits, world):
    """Deal a uniform world into ``world``; see :func:`prepare` and :func:`deal_world`.

    Args:
        b: The table.
        r: The rule record.
        bits: uint64 generator state; equal states give equal worlds.
        world: A record that agrees with the one prepared in all that the viewer sees.

    Returns:
        bool: False when no world was found that keeps the facts of ``b.inferred``.
    """
    b.rng = bits
    if b.worlds == 0:
        return False
    for _ in range(_TRIES):
        deal_world(b, _uniform(b, b.worlds), world)
        if b.inferred == 0 or agrees(b, r, world):
            return True
    return False


@njit
def agrees(b, r, world):
    """Whether a world of the table keeps the facts of ``b.inferred``."""
    if b.inferred & OFFENDER_COULD_FOLLOW and world.hand[world.offender] & world.led == 0:
        return False
    if b.inferred & PARTNER_HAD_IT and not _partner_had_it(world):
        return False
    if b.inferred & (CALLER_MAY_CALL | SWAPPER_WAS_WEAK):
        restart(world, r, b.deck, b.past)
        if b.inferred & SWAPPER_WAS_WEAK and not _was_weak(b.past, r):
            return False
        if b.inferred & CALLER_MAY_CALL:
            return _call_was_legal(world, r, b.past)
    return True


@njit
def _partner_had_it(world):
    """Whether the card passed is not the upcard that the lone hand took, and is that which the
    partner took where the lone hand has it.
    """
    if world.taker == world.loner:
        return world.passed & world.upcard == 0
    return (_lone_cards(world) & world.upcard) == (world.passed & world.upcard)


@njit
def _was_weak(past, r):
    """Whether some weak hand becomes the swapper's by giving its three lowest cards for others."""
    hand = np.int64(past.hand[past.swapper])
    given = np.int64(past.kitty)
    first = hand
    while first != 0:
        card = first & -first
        first ^= card
        second = first
        while second != 0:
            before = given | card | (second & -second)
            second &= second - 1
            weak = weak_hand_qualifies(r.weak_hand_test, before, past.frame)
            if weak and three_lowest(before, past.frame) == given:
                return True
    return False


@njit
def _call_was_legal(world, r, past):
    """Whether the maker was allowed its call; ``past`` is the beginning of the hand."""
    while True:
        action = act_taken(world, past)
        if action >= ORDER_UP and action <= CALL_NO_TRUMP:
            return (legal(past, r) >> action) & 1 != 0
        if action == NOBODY:
            return True
        apply(past, r, action)


# --- replaying ---------------------------------------------------------------------------------


@njit
def _fill_deck(deck, at, cards, frame):
    """Fill the deck from a place on, the upcard's left out; returns the place that follows."""
    while cards != 0:
        if at == _UPCARD_AT:
            at += 1
        deck[at] = CARD_AT[frame, lowest_bit(cards)]
        cards &= cards - 1
        at += 1
    return at


@njit
def _held(s, seat):
    """All the cards that a seat has held but for the upcard, in the frame of a full record."""
    cards = np.int64(s.hand[seat]) | np.int64(s.played[seat])
    if s.taker == seat:
        cards |= np.int64(s.discard)
    if burier(s) == seat:
        cards |= np.int64(s.buried)
    if s.passer != NOBODY and seat == s.loner:
        cards &= ~np.int64(s.passed)
    elif s.passer == seat:
        cards |= np.int64(s.passed)
    return cards & ~np.int64(s.upcard) if s.taker == seat else cards


@njit
def dealt_hand(s, seat):
    """The five cards that a seat held at the first call, in the present frame of a full record.

    Of a maker who took the dummy they are the highest that can be.
    """
    cards = _held(s, seat)
    others = cards & ~np.int64(s.discard) if s.taker == seat else cards
    while popcount(cards) > HAND_SIZE:
        cards &= ~(others & -others)
        others &= others - 1
    return cards


@njit
def _dealt_dummy(s):
    """The dummy as it was dealt, to agree with :func:`dealt_hand`."""
    if s.maker == NOBODY:
        return np.int64(s.dummy)
    return np.int64(s.dummy) | (_held(s, s.maker) & ~dealt_hand(s, s.maker))


@njit
def _restore_score(world, r, out):
    """Scores, games and winners as they were before the points of a finished hand."""
    played_out = world.phase == OVER and world.thrown_in == 0
    sign = -1 if counts_down(r) else 1
    for side in range(MOST_SIDES):
        out.score[side] = world.score[side] - (sign * world.points[side] if played_out else 0)
        out.games[side] = world.games[side]
    for side in range(N_TEAMS):
        out.tokens[side] = world.tokens[side]
    if played_out and r.four_trick_tokens != 0 and earned_token(world, r):
        makers = side_of(r, world.maker)
        out.tokens[makers] = (world.tokens[makers] + TOKENS_FOR_A_POINT - 1) % TOKENS_FOR_A_POINT
    out.drawn = world.drawn
    out.hands = world.hands - (1 if played_out else 0)
    out.game_winner = world.game_winner
    out.match_winner = world.match_winner
    if played_out and world.game_winner != UNDECIDED:
        if world.game_winner >= 0:
            out.games[world.game_winner] -= 1
        else:
            out.drawn -= 1
        out.game_winner = UNDECIDED
        out.match_winner = UNDECIDED


@njit
def restart(world, r, deck, out):
    """Lay out in ``out`` the beginning of the hand that led to a full record ``world``.

    This is the record after the deal, the generator's state left out; after a swap of three cards,
    which leaves no trace of the hand before it, it is the record after the swap. ``deck`` is
    scratch, int8[25].
    """
    frame = world.frame
    at = 0
    for seat in range(r.players):
        at = _fill_deck(deck, at, dealt_hand(world, seat), frame)
    at = _fill_deck(deck, at, _dealt_dummy(world), frame)
    _fill_deck(deck, at, np.int64(world.kitty), frame)
    deck[_UPCARD_AT] = CARD_AT[frame, lowest_bit(np.int64(world.upcard))]
    deck[24] = NOBODY
    _fill_deck(deck, 24, np.int64(world.spare), frame)
    out.rng = 0
    _restore_score(world, r, out)
    deal(out, r, deck, world.dealer)
    if world.swapper != NOBODY:
        out.swapper = world.swapper
        out.swapped = out.kitty
        out.phase = BID1
        out.turn = left(world.dealer)


@njit
def act_taken(world, s):
    """The act that the hand of ``world`` took at its earlier record ``s``; -1 when it is there.

    Acts are ids in the frame of ``s``. Who claimed a weak hand that was thrown in is not recorded;
    the first seat asked is taken. Nor is the order in which cards were laid away for a dummy.
    """
    if s.phase == PLAY:
        return np.int64(world.plays[s.trick, s.turn])
    if s.phase == BID1 or s.phase == BID2:
        return _call_taken(world, s)
    if s.phase == DISCARD:
        return lowest_bit(np.int64(world.discard)) if world.discard != 0 else np.int64(NOBODY)
    if s.phase == LONER:
        return _answer_taken(
            s.turn, world.alone_declined, world.loner, np.int64(WITH_PARTNER), np.int64(ALONE)
        )
    if s.phase == DEFEND:
        return _answer_taken(
            s.turn,
            world.defence_declined,
            world.lone_defender,
            np.int64(DEFEND_TOGETHER),
            np.int64(DEFEND_ALONE),
        )
    if s.phase == NAME_TRUMP and world.maker != NOBODY:
        return np.int64(CALL + world.trump)
    if s.phase == WEAK_HAND:
        return _weak_answer_taken(world, s)
    if s.phase == DUMMY_EXCHANGE:
        laid = np.int64(world.buried & ~s.buried)
        return lowest_bit(laid) if laid != 0 else np.int64(NOBODY)
    if s.phase == STAY and not (world.phase == STAY and world.turn == s.turn):
        return np.int64(PASS if is_out(world, s.turn) else KEEP)
    if s.phase == CALL_BEST and world.phase != CALL_BEST:
        return np.int64(CLAIM if world.passer != NOBODY else KEEP)
    if s.phase == PASS_CARD and world.passed != 0:
        return lowest_bit(np.int64(world.passed))
    if s.phase == LAY_AWAY and world.buried != 0:
        return lowest_bit(np.int64(world.buried))
    return np.int64(NOBODY)


@njit
def _call_taken(world, s):
    if s.passes < world.passes:
        return np.int64(PASS)
    if world.maker == NOBODY:
        return np.int64(NOBODY)
    if s.phase == BID1:
        return np.int64(ORDER_UP)
    if world.trump == NO_TRUMP:
        return np.int64(CALL_NO_TRUMP)
    return np.int64(CALL + RELATIVE_SUIT[s.frame, world.trump])


@njit
def _answer_taken(seat, declined, accepted, no, yes):
    """The answer of a seat that was polled, given who declined and who accepted."""
    if (np.int64(declined) >> seat) & 1:
        return no
    return yes if accepted == seat else np.int64(NOBODY)


@njit
def _weak_answer_taken(world, s):
    if world.phase == WEAK_HAND and world.turn == s.turn:
        return np.int64(NOBODY)
    if world.phase == OVER and world.maker == NOBODY and world.passes == 0:
        return np.int64(CLAIM)
    return np.int64(KEEP)


@njit
def rewind(world, r, step, deck, out):
    """Lay out in ``out`` the record before decision ``step`` (from 0) of a full record's hand.

    Returns the act taken there, an id in the frame of ``out``; -1 when the hand has no such
    decision, and ``out`` is then ``world`` itself but for the generator's state.
    """
    restart(world, r, deck, out)
    action = act_taken(world, out)
    while step > 0 and action != NOBODY:
        apply(out, r, action)
        action = act_taken(world, out)
        step -= 1
    return action


@njit
def replay_worlds(worlds, rules, viewer, hidden, records, actions, owners):
    """Write the decisions that led to each of some full records, and count them.

    Args:
        worlds: STATE[W].
        rules: RULES[1].
        viewer: A seat whose own decisions are left out, as are those with one legal act; -1 for
            every decision.
        hidden: Whether to clear each record for the seat that decides.
        records: STATE[N], the record before each decision; nothing is written beyond N.
        actions: int64[N], the act in the frame of its record.
        owners: int64[N], the index of the world.
    """
    count = 0
    deck = np.empty(N_CARDS, np.int8)
    scratch = np.empty(1, STATE)
    past = scratch[0]
    for i in range(len(worlds)):
        restart(worlds[i], rules[0], deck, past)
        action = act_taken(worlds[i], past)
        while action != NOBODY:
            if viewer == NOBODY or (past.turn != viewer and _is_free(legal(past, rules[0]))):
                if count < len(records):
                    records[count] = past
                    actions[count] = action
                    owners[count] = i
                    if hidden:
                        hide(records[count], rules[0], past.turn)
                count += 1
            apply(past, rules[0], action)
            action = act_taken(worlds[i], past)
    return count


@njit
def _is_free(legal_set):
    return legal_set & (legal_set - 1) != 0


# --- from Python -------------------------------------------------------------------------------


@njit
def _sample_worlds(b, r, seed, worlds):
    found = True
    for i in range(len(worlds)):
        found = found and sample(b, r, seed_of(seed, np.uint64(i)), worlds[i])
    return found


@njit
def _list_worlds(b, r, worlds):
    """Write the worlds that keep the inferred facts, in order; returns how many."""
    kept = 0
    for number in range(b.worlds):
        if kept == len(worlds):
            break
        deal_world(b, number, worlds[kept])
        if b.inferred == 0 or agrees(b, r, worlds[kept]):
            kept += 1
    return kept


def _prepared(state: Any, ruleset: Ruleset, viewer: int) -> tuple[Any, Any, Any]:
    """The cleared record, STATE[1], the table and the rule record."""
    if not 0 <= viewer < ruleset.players:
        raise BeliefError(f"viewer {viewer} is no seat: seats are 0 to {ruleset.players - 1}")
    seen = new_states(1)
    seen[0] = state
    r = ruleset.record()[0]
    if seen[0]["upcard"] == 0:
        raise BeliefError("the record holds no deal yet: deal a hand first")
    if state.phase == DUMMY_EXCHANGE and state.maker != viewer:
        raise BeliefError(
            f"seat {viewer} cannot tell how many cards the maker has laid away: ask before or after"
        )
    hide(seen[0], r, viewer)
    belief = new_belief()[0]
    if prepare(belief, seen[0], r, viewer) <= 0:
        raise BeliefError(
            f"no deal of the unseen cards agrees with what seat {viewer} has seen: "
            f"{int(popcount(belief.unseen))} cards for rooms {belief.room.tolist()} "
            "(four hands, kitty, spare, discard, dummy, cards laid away for it)"
        )
    return seen, belief, r


def count_worlds(state: Any, ruleset: Ruleset, viewer: int) -> int:
    """The number of worlds that agree with what a seat has seen.

    Args:
        state: A record, full or cleared for the viewer; nothing hidden is read.
        ruleset: Of the game.
        viewer: The seat.

    Returns:
        The number of assignments of unseen cards to places; where facts are kept by drawing again
        (see the module) the worlds that break them are counted too.

    Raises:
        BeliefError: no such seat, or nothing explains the record.
        RulesetError: a game without partners.
    """
    return int(_prepared(state, ruleset, viewer)[1].worlds)


def worlds(
    state: Any, ruleset: Ruleset, viewer: int, count: int, seed: int
) -> npt.NDArray[np.void]:
    """Uniform worlds, drawn independently, that agree with what a seat has seen.

    Args:
        state: A record, full or cleared for the viewer; nothing hidden is read.
        ruleset: Of the game.
        viewer: The seat.
        count: How many.
        seed: Equal seeds give equal worlds, and the first of many are those of few.

    Returns:
        STATE[count], full records; ``rules.hide`` turns each into what the seat sees.

    Raises:
        BeliefError: no such seat, a negative count, or nothing explains the record.
    """
    if count < 0:
        raise BeliefError(f"count is {count}: it has to be 0 or more")
    seen, belief, r = _prepared(state, ruleset, viewer)
    sampled = np.repeat(seen, count)
    if not _sample_worlds(belief, r, as_uint64(seed), sampled):
        raise BeliefError(f"no world explains the calls and swaps that seat {viewer} has seen")
    return sampled


def every_world(
    state: Any, ruleset: Ruleset, viewer: int, limit: int = 1_000_000
) -> npt.NDArray[np.void]:
    """Each world that agrees with what a seat has seen, once: STATE[W].

    Args:
        state: A record, full or cleared for the viewer; nothing hidden is read.
        ruleset: Of the game.
        viewer: The seat.
        limit: The most worlds to list.

    Raises:
        BeliefError: as :func:`worlds`, or there are more than ``limit``.
    """
    seen, belief, r = _prepared(state, ruleset, viewer)
    if belief.worlds > limit:
        raise BeliefError(f"there are {int(belief.worlds)} worlds, more than the limit of {limit}")
    listed = np.repeat(seen, int(belief.worlds) + 1)
    return listed[: _list_worlds(belief, r, listed)]


def history(state: Any, ruleset: Ruleset) -> list[tuple[Any, int]]:
    """Every decision of the hand that led to a full record, oldest first.

    Args:
        state: A full record, such as a world. Cleared records cannot be replayed.
        ruleset: Of the game.

    Returns:
        Pairs of the full record before a decision (its generator state is 0) and the act taken,
        an id in that record's frame. Answers about weak hands are there unless a hand was swapped.

    Raises:
        RulesetError: a game without partners.
    """
    ruleset.require_partnership("beliefs are")
    world = new_states(1)
    world[0] = state
    records = new_states(MAX_ACTS)
    actions = np.zeros(MAX_ACTS, np.int64)
    owners = np.zeros(MAX_ACTS, np.int64)
    rules = ruleset.record()
    count = replay_worlds(world, rules, np.int64(NOBODY), False, records, actions, owners)
    return [(records[k], int(actions[k])) for k in range(count)]


Likelihood = Callable[[npt.NDArray[np.void], npt.NDArray[np.int64]], npt.NDArray[np.float64]]
"""A policy's probability of acts: records STATE[N], each cleared for the seat to act, and int64[N]
acts in the frames of the records to float[N]."""


class WeightedWorlds(NamedTuple):
    """Worlds with importance weights."""

    worlds: npt.NDArray[np.void]
    """STATE[W], drawn uniformly."""
    weights: npt.NDArray[np.float64]
    """float64[W], of sum one."""
    effective: float
    """The number of equally weighted worlds that would serve as well (Kong 1992)."""


def weigh(
    sampled: npt.NDArray[np.void], ruleset: Ruleset, viewer: int, likelihood: Likelihood
) -> npt.NDArray[np.float64]:
    """Self-normalised weights of worlds: how likely the other seats' acts are in each.

    Every act of another seat that had a choice counts: weak hands kept, calls, polls, the discard
    and cards. A policy sees only what the seat that acts could see in that world.

    Args:
        sampled: STATE[W], one or more, from :func:`worlds`.
        ruleset: Of the game.
        viewer: The seat that wonders; its own acts say nothing about the others' cards.
        likelihood: The probability of each act; asked once, for all acts of all worlds.

    Returns:
        float64[W], of sum one.

    Raises:
        BeliefError: probabilities that are none, or all worlds are impossible under the policy.
    """
    rules = ruleset.record()
    none: npt.NDArray[np.int64] = np.zeros(0, np.int64)
    count = replay_worlds(sampled, rules, np.int64(viewer), True, new_states(0), none, none)
    records, actions, owners = new_states(count), np.zeros(count, np.int64), np.zeros(count, int)
    replay_worlds(sampled, rules, np.int64(viewer), True, records, actions, owners)
    chances = np.asarray(likelihood(records, actions), np.float64) if count else np.zeros(0)
    if chances.shape != (count,) or not np.all((chances >= 0) & (chances < np.inf)):
        raise BeliefError(
            f"the likelihood has to give {count} numbers of 0 or more, one for each act; "
            f"it gave an array of shape {chances.shape}"
        )
    with np.errstate(divide="ignore"):
        logs = np.bincount(owners, np.log(chances), len(sampled))
    if np.max(logs) == -np.inf:
        raise BeliefError(
            "no world has any weight: the policy gives some observed act the probability 0 in "
            "each of them; mix it with a little of the uniform policy, or draw more worlds"
        )
    weights: npt.NDArray[np.float64] = np.exp(logs - np.max(logs))
    return weights / np.sum(weights)


def weighted_worlds(
    state: Any, ruleset: Ruleset, viewer: int, count: int, seed: int, likelihood: Likelihood
) -> WeightedWorlds:
    """Uniform worlds weighted by a policy's probability of what the other seats have done.

    Args:
        state: A record, full or cleared for the viewer; nothing hidden is read.
        ruleset: Of the game.
        viewer: The seat.
        count: How many worlds, one or more.
        seed: Equal seeds give equal worlds.
        likelihood: See :data:`Likelihood`.

    Raises:
        BeliefError: as :func:`worlds` and :func:`weigh`.
    """
    if count < 1:
        raise BeliefError(f"count is {count}: weights need one world or more")
    sampled = worlds(state, ruleset, viewer, count, seed)
    weights = weigh(sampled, ruleset, viewer, likelihood)
    return WeightedWorlds(sampled, weights, float(1 / np.sum(weights**2)))
