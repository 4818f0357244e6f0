"""Worlds for a decision: sampled from what the seat has seen, and weighted by what others did."""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from euchre_env._jit import njit
from euchre_env.belief import act_taken, prepare, restart, sample
from euchre_env.cards import TRUMP_SUIT, is_wide
from euchre_env.kernels import count_actions, seed_of
from euchre_env.rules import (
    BID1,
    BID2,
    CALL,
    CALL_NO_TRUMP,
    NOBODY,
    PASS,
    apply,
    legal,
)

from ..heuristic.bids import line, strength_of_call, wants_to_order
from ..heuristic.player import choose
from ..simple import greedy_action

SOFTNESS = 30.0
"""Hundredths of a point over which a model bidder goes from passing to calling (logistic scale)."""
BID_FLOOR = 0.03
"""The least probability of a call or a pass, since real bidders are not the model."""
SURE_CALL = 0.9
"""The least probability of ordering up a hand that the model itself orders up."""
LIKELY_ACT = 0.7
"""The probability of the model's own choice among discards, answers and cards."""


TIE = 1e-9
"""Sums of utilities closer than this are equal but for rounding."""


@njit
def _call_chance(margin):
    """The probability that a model bidder calls whose strength exceeds the line by ``margin``."""
    chance = 1.0 / (1.0 + math.exp(-margin / SOFTNESS))
    return BID_FLOOR + (1.0 - 2.0 * BID_FLOOR) * chance


@njit
def _bid_likelihood(s, r, acts, action):
    """The model's probability of a pass, an order or a named suit."""
    if s.phase == BID1:
        chance = _call_chance(strength_of_call(s, r, CALL + TRUMP_SUIT) - line(s, r))
        if wants_to_order(s, r):  # it has reasons besides strength
            chance = max(chance, SURE_CALL)
        return 1.0 - chance if action == PASS else chance
    total = 0.0
    highest = -1e9
    own = 0.0
    for call in range(CALL, CALL_NO_TRUMP + 1):
        if (acts >> call) & 1:
            margin = float(strength_of_call(s, r, call) - line(s, r))
            highest = max(highest, margin)
            weight = math.exp(min(margin, 300.0) / SOFTNESS)
            total += weight
            if call == action:
                own = weight
    chance = _call_chance(highest) if (acts >> PASS) & 1 else 1.0
    if action == PASS:
        return 1.0 - chance
    return chance * (BID_FLOOR + (1.0 - BID_FLOOR) * own / total)


@njit
def act_likelihood(s, r, acts, action):
    """The hand-written player's probability of one act, with room for other players' habits."""
    if s.phase == BID1 or s.phase == BID2:
        return _bid_likelihood(s, r, acts, action)
    if choose(s, r, np.uint64(0)) == action:
        return LIKELY_ACT
    return (1.0 - LIKELY_ACT) / (count_actions(acts) - 1)


@njit
def model_act(s, r, seed):
    """What a player like others does: the hand-written one, in large decks the point-count one."""
    if is_wide(s.frame):
        return greedy_action(s, r, legal(s, r))
    return choose(s, r, seed)


@njit
def likelihood(world, r, viewer, deck, past):
    """How likely the other seats' acts are in a full record, relative to other worlds."""
    restart(world, r, deck, past)
    action = act_taken(world, past)
    product = 1.0
    while action != NOBODY:
        acts = legal(past, r)
        if past.turn != viewer and acts & (acts - 1) != 0:
            product *= act_likelihood(past, r, acts, action)
        apply(past, r, action)
        action = act_taken(world, past)
    return product


@njit
def normalise(weights):
    """Bring weights to a sum of one; where all are zero, worlds count alike."""
    total = 0.0
    for k in range(len(weights)):
        total += weights[k]
    for k in range(len(weights)):
        weights[k] = weights[k] / total if total > 0.0 else 1.0 / len(weights)


@njit
def deal_worlds(b, s, r, seed, infer, worlds, weights):
    """Fill STATE[n] with sampled worlds and float64[n] with weights of sum one.

    Args:
        b: A record of BELIEF, overwritten.
        s: The record of the seat to act, cleared of what it cannot know.
        r: The rule record.
        seed: uint64; world ``k`` depends on it and ``k`` alone.
        infer: Whether to weight worlds by :func:`likelihood`, else they count alike.
        worlds: Taken in full.
        weights: Likewise.

    Returns:
        bool: False when nothing explains the record.
    """
    viewer = np.int64(s.turn)
    if prepare(b, s, r, viewer) <= 0:
        return False
    for k in range(len(worlds)):
        worlds[k] = s
        if not sample(b, r, seed_of(seed, np.uint64(k)), worlds[k]):
            return False
        weights[k] = likelihood(worlds[k], r, viewer, b.deck, b.past) if infer else 1.0
    normalise(weights)
    return True


@njit
def best_action(acts, sums, favourite):
    """The legal action of the highest sum; on a tie the favourite, else the lowest id.

    Many acts tie, above all in few worlds, so the hand-written player's choice is worth having.
    """
    best = np.int64(favourite)
    for action in range(len(sums)):
        if (acts >> action) & 1 and sums[action] > sums[best] + TIE:
            best = np.int64(action)
    return best
