"""Compiled loops over arrays of game records: shuffling, dealing, stepping, encoding, playing out.

Nothing here knows a rule. Every loop takes a range ``[start, stop)`` of games, so that threads can
share an array; each game draws from its own generator, so results do not depend on the split.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from ._jit import njit, njit_inline
from .actions import FROM_ABSOLUTE, TO_ABSOLUTE
from .cards import (
    JOKER,
    N_CARDS,
    N_SUITS,
    ONE,
    WIDE_DECK,
    is_wide,
    lowest_bit,
    popcount,
    to_natural,
    trump_of,
)
from .encoding import encode, encode_hidden, encode_small
from .rules import (
    ALL_ACTIONS,
    CALL,
    EIGHTS,
    N_ACTIONS,
    N_SEATS,
    NOBODY,
    OVER,
    SEVENS,
    STATE,
    UNDECIDED,
    apply,
    deal,
    deck_size,
    has_low_cards,
    legal,
    must_redraw,
    new_match,
    next_hand,
    seat_reward,
)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)

CARD_BITS = (ONE << N_CARDS) - 1

# Modes of :func:`run_games`, added together.
EPISODES = ("hand", "game")
GAME_EPISODES, SKIP_FORCED, OBSERVE, ABSOLUTE, HIDDEN, STEP, WIDE_MASKS = 1, 2, 4, 8, 16, 32, 64


# --- the generator -----------------------------------------------------------------------------


@njit
def mix(x):
    """A 64-bit hash (the output function of SplitMix64; Steele, Lea and Flood 2014)."""
    x = np.uint64(x)
    x = (x ^ (x >> _S30)) * _MIX_1
    x = (x ^ (x >> _S27)) * _MIX_2
    return x ^ (x >> _S31)


@njit
def seed_of(seed, index):
    """The generator state of stream ``index`` under ``seed``, both uint64."""
    return mix(mix(np.uint64(seed) + _GOLDEN) ^ (np.uint64(index) * _MIX_1 + _GOLDEN))


def as_uint64(seed: int) -> np.uint64:
    """Any whole number as the seed of a generator."""
    return np.uint64(int(seed) % 2**64)


@njit
def draw(s):
    """64 random bits from the record's generator (SplitMix64)."""
    s.rng = s.rng + _GOLDEN
    return mix(s.rng)


@njit
def below(bits, bound):
    """A number in ``[0, bound)`` from 32 random bits (bias below bound / 2**32)."""
    return np.int64(((bits & _LOW) * np.uint64(bound)) >> _S32)


# --- dealing -----------------------------------------------------------------------------------


@njit_inline
def _mix_up(s, deck, size):
    bits = np.uint64(0)
    for k in range(size - 1):
        bits = bits >> _S32 if k & 1 else draw(s)
        other = k + below(bits, size - k)
        card = deck[other]
        deck[other] = deck[k]
        deck[k] = card


@njit
def shuffle(s, r, deck):
    """Fill ``deck`` with the cards in random order; redraws where the rules say so.

    It is int8[25], or int8[32] for 28 or 32 cards (of a longer one the rest stays).
    """
    if has_low_cards(r):
        for k in range(WIDE_DECK):
            deck[k] = NOBODY if k >= deck_size(r) else (k if k < JOKER else k + 1)
        _mix_up(s, deck, deck_size(r))
        return
    size = N_CARDS - 1 + (1 if r.joker != 0 else 0)
    while True:
        for k in range(N_CARDS):
            deck[k] = k if k < size else NOBODY
        _mix_up(s, deck, size)
        if not must_redraw(r, deck):
            return


@njit
def draw_dealer(s, r):
    """The first dealer: a fixed seat, a uniform one, or by the first black jack dealt."""
    if r.first_dealer >= 0:
        return np.int64(r.first_dealer)
    if r.first_dealer == -1:
        return below(draw(s), np.int64(r.players))
    # Chances of seats 0 to 3 that the first of two black jacks among 24 cards falls to them.
    ticket = below(draw(s), 46)
    return np.int64(ticket >= 13) + np.int64(ticket >= 25) + np.int64(ticket >= 36)


@njit
def start_episode(s, r, dealer, deck):
    """Begin a match (or a hand): draw a dealer for -1, shuffle, deal."""
    new_match(s, r)
    if dealer < 0:
        dealer = draw_dealer(s, r)
    shuffle(s, r, deck)
    deal(s, r, deck, dealer)


# --- legal sets --------------------------------------------------------------------------------


MASK_WORDS, WIDE_MASK_WORDS = 5, 6
"""An action mask is written as five words of eight bytes (six with cards below nine in the game);
the last two bytes are padding."""

_SPREAD = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
_SPREAD_WORD = np.ascontiguousarray(_SPREAD).view(np.uint64)[:, 0].copy()


def mask_arrays(batch, actions=N_ACTIONS):
    """Blank masks as flat words, uint64[5 B], and the same memory as action masks, int8[B, 38].

    For 46 ``actions`` it is six words a game.
    """
    words = np.zeros(batch * (MASK_WORDS if actions == N_ACTIONS else WIDE_MASK_WORDS), np.uint64)
    return words, words.view(np.int8).reshape(batch, -1)[:, :actions]


_COMMON = (ONE << N_ACTIONS) - 1


@njit
def _absolute_suits(action_set, frame, first):
    found = ONE & 0
    for suit in range(N_SUITS):
        if (action_set >> (first + suit)) & 1:
            found |= ONE << TO_ABSOLUTE[frame, first + suit]
    return found


@njit
def absolute_set(action_set, frame):
    """A set of actions of ``frame`` as a set of absolute ids."""
    if is_wide(frame):
        low = _absolute_suits(action_set, frame, EIGHTS) | _absolute_suits(
            action_set, frame, SEVENS
        )
        return low | _absolute_set(action_set & _COMMON, trump_of(np.int64(frame)))
    return _absolute_set(action_set, frame)


@njit
def _absolute_set(action_set, frame):
    calls = (action_set >> CALL) & 15
    named = action_set & ~(CARD_BITS | (np.int64(15) << CALL))
    while calls != 0:
        named |= ONE << TO_ABSOLUTE[frame, CALL + lowest_bit(calls)]
        calls &= calls - 1
    return named | to_natural(action_set & CARD_BITS, frame)


@njit_inline
def _spread(action_set, words, at):
    for k in range(MASK_WORDS):
        words[at + k] = _SPREAD_WORD[(action_set >> (8 * k)) & 0xFF]


@njit_inline
def _spread_low(action_set, words, at):
    words[at + MASK_WORDS] = _SPREAD_WORD[(action_set >> (8 * MASK_WORDS)) & 0xFF]


@njit_inline
def write_mask(legal_set, frame, absolute, words, at):
    """Write a legal set as a mask, a byte an action, in five words of ``words`` from ``at``.

    A sixth word, where masks have one, is left to :func:`write_low_mask`.
    """
    _spread(absolute_set(legal_set, frame) if absolute else legal_set, words, at)


@njit_inline
def write_low_mask(legal_set, frame, absolute, words, at):
    """Write the sixth word of a mask: the cards below nine."""
    _spread_low(absolute_set(legal_set, frame) if absolute else legal_set, words, at)


@njit
def nth_action(legal_set, n):
    """The ``n``-th lowest action of a legal set."""
    for _ in range(n):
        legal_set &= legal_set - 1
    return lowest_action(legal_set)


@njit
def lowest_action(legal_set):
    """The lowest action of a legal set that is not empty."""
    low = legal_set & 0x7FFFFFF
    if low != 0:
        return lowest_bit(low)
    return 27 + lowest_bit(legal_set >> 27)


@njit
def count_actions(legal_set):
    """The number of actions in a legal set."""
    return popcount(legal_set & 0x7FFFFFF) + popcount(legal_set >> 27)


@njit
def play_forced(s, r):
    """Play forced actions until there is a choice or the hand is over; returns the legal set."""
    legal_set = legal(s, r)
    while legal_set != 0 and legal_set & (legal_set - 1) == 0:
        apply(s, r, lowest_action(legal_set))
        legal_set = legal(s, r)
    return legal_set


# --- stepping a batch --------------------------------------------------------------------------


@njit
def legal_sets(states, rules, which, sets, start, stop):
    """Write the legal set of each game, int64[B]."""
    for i in range(start, stop):
        sets[i] = legal(states[i], rules[which[i]])


@njit
def first_illegal(states, legal_sets, actions, absolute, start, stop):
    """The first game whose action is not legal, or -1. Changes nothing."""
    for i in range(start, stop):
        action = np.int64(actions[i])
        if action < 0 or action >= ALL_ACTIONS:
            return i
        if absolute:
            action = np.int64(FROM_ABSOLUTE[states[i].frame, action])
        if (legal_sets[i] >> action) & 1 == 0:
            return i
    return -1


@njit
def _first_decision(s, r, mode):
    return play_forced(s, r) if mode & SKIP_FORCED else legal(s, r)


@njit
def begin_games(states, rules, which, mode, legal_sets, start, stop):
    """Start an episode in each game from its own generator."""
    deck = np.empty(WIDE_DECK, np.int8)
    for i in range(start, stop):
        _begin(i, states, rules, which, mode, legal_sets, deck)


@njit
def _begin(i, states, rules, which, mode, legal_sets, deck):
    s = states[i]
    if len(rules) > 1:
        which[i] = below(draw(s), len(rules))
    r = rules[which[i]]
    legal_sets[i] = 0
    while legal_sets[i] == 0:
        start_episode(s, r, NOBODY, deck)
        legal_sets[i] = _first_decision(s, r, mode)


@njit
def _ends_episode(s, mode, dealt, max_hands):
    return mode & GAME_EPISODES == 0 or s.match_winner != UNDECIDED or dealt >= max_hands


@njit
def _after_hand(
    i,
    states,
    rules,
    which,
    mode,
    max_hands,
    legal_sets,
    rewards,
    done,
    truncated,
    dealt,
    final_states,
    deck,
):
    """Reward the hand just finished; deal the next one, or keep the last record and begin anew."""
    s = states[i]
    while s.phase == OVER:
        for seat in range(N_SEATS):
            rewards[i, seat] += seat_reward(s, rules[which[i]], seat)
        if _ends_episode(s, mode, dealt[i], max_hands):
            done[i] = True
            truncated[i] = mode & GAME_EPISODES != 0 and s.match_winner == UNDECIDED
            final_states[i] = s
            dealt[i] = 1
            _begin(i, states, rules, which, mode, legal_sets, deck)
        else:
            dealt[i] += 1
            shuffle(s, rules[which[i]], deck)
            next_hand(s, rules[which[i]], deck)
            legal_sets[i] = _first_decision(s, rules[which[i]], mode)


# Loops apart, since within that of the steps they would take the registers that those need.


@njit
def _write_masks(states, mode, legal_sets, words, start, stop):
    """Write the legal sets as masks."""
    absolute = (mode & ABSOLUTE) != 0
    wide = (mode & WIDE_MASKS) != 0
    for i in range(start, stop):
        legal_set, at = legal_sets[i], i * (WIDE_MASK_WORDS if wide else MASK_WORDS)
        if absolute:
            legal_set = absolute_set(legal_set, states[i].frame)
        _spread(legal_set, words, at)
        if wide:
            _spread_low(legal_set, words, at)


@njit
def _observe(states, rules, blanks, which, absolute, observations, start, stop):
    """Write what the seats to act can know, in games with 24 cards."""
    scratch = np.empty(1, STATE)
    for i in range(start, stop):
        s, k = states[i], which[i]
        encode_small(s, rules[k], blanks[k], s.turn, absolute, scratch, observations[i])


@njit
def _observe_wide(states, rules, blanks, which, absolute, observations, start, stop):
    """The same where some games have cards below nine."""
    scratch = np.empty(1, STATE)
    for i in range(start, stop):
        s, k = states[i], which[i]
        encode(s, rules[k], blanks[k], s.turn, absolute, scratch, observations[i])


@njit
def _show_hidden(states, rules, which, absolute, hidden, start, stop):
    """Write what nobody at the table knows in full, for critics."""
    for i in range(start, stop):
        s = states[i]
        encode_hidden(s, rules[which[i]], s.turn, absolute, hidden[i])


@njit
def run_games(
    states,
    rules,
    blanks,
    which,
    mode,
    max_hands,
    actions,
    legal_sets,
    words,
    actors,
    observations,
    hidden,
    rewards,
    done,
    truncated,
    dealt,
    final_states,
    start,
    stop,
):
    """Apply one legal action to each game (in mode STEP) and report the decision it then waits for.

    Finished episodes keep their last record and start again.
    """
    deck = np.empty(WIDE_DECK, np.int8)
    absolute = (mode & ABSOLUTE) != 0
    for i in range(start, stop):
        s = states[i]
        if mode & STEP:
            action = np.int64(actions[i])
            if absolute:
                action = np.int64(FROM_ABSOLUTE[s.frame, action])
            apply(s, rules[which[i]], action)
            for seat in range(N_SEATS):
                rewards[i, seat] = 0
            done[i] = False
            truncated[i] = False
            legal_sets[i] = _first_decision(s, rules[which[i]], mode)
            if s.phase == OVER:
                _after_hand(
                    i,
                    states,
                    rules,
                    which,
                    mode,
                    max_hands,
                    legal_sets,
                    rewards,
                    done,
                    truncated,
                    dealt,
                    final_states,
                    deck,
                )
        actors[i] = s.turn
    _write_masks(states, mode, legal_sets, words, start, stop)
    if mode & OBSERVE:
        if mode & WIDE_MASKS:
            _observe_wide(states, rules, blanks, which, absolute, observations, start, stop)
        else:
            _observe(states, rules, blanks, which, absolute, observations, start, stop)
    if mode & HIDDEN:
        _show_hidden(states, rules, which, absolute, hidden, start, stop)


@njit
def random_actions(generators, states, legal_sets, absolute, actions, start, stop):
    """One uniform legal action for each game, drawn from the generators uint64[B]."""
    for i in range(start, stop):
        generators[i] += _GOLDEN
        n = below(mix(generators[i]), count_actions(legal_sets[i]))
        action = nth_action(legal_sets[i], n)
        actions[i] = TO_ABSOLUTE[states[i].frame, action] if absolute else action


# --- whole hands -------------------------------------------------------------------------------


@njit
def play_out_randomly(s, r, bits):
    """Finish the hand by uniform random actions from generator state ``bits``; count them."""
    decisions = 0
    legal_set = legal(s, r)
    while legal_set != 0:
        bits += _GOLDEN
        apply(s, r, nth_action(legal_set, below(mix(bits), count_actions(legal_set))))
        decisions += 1
        legal_set = legal(s, r)
    return decisions


@njit
def _random_hands(states, rules, seed, hands):
    s = states[0]
    deck = np.empty(WIDE_DECK, np.int8)
    decisions = 0
    s.rng = seed_of(seed, 0)
    for _ in range(hands):
        start_episode(s, rules[0], NOBODY, deck)
        decisions += play_out_randomly(s, rules[0], draw(s))
    return decisions


def random_hands(rules, seed: int, hands: int) -> int:
    """Play whole hands with uniform random legal actions; returns the number of decisions.

    Args:
        rules: A rule record, RULES[1].
        seed: Of deals and actions.
        hands: How many hands to play.
    """
    return int(_random_hands(np.zeros(1, STATE), rules, as_uint64(seed), np.int64(hands)))
