"""The hand-written player: one compiled choice for a record, a playout, and the agent."""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from euchre_env._jit import njit
from euchre_env.cards import lowest_bit
from euchre_env.kernels import below, count_actions, mix, nth_action
from euchre_env.rules import (
    BID1,
    BID2,
    CALL_BEST,
    CLAIM,
    DEFEND,
    DISCARD,
    LAY_AWAY,
    LONER,
    NAME_TRUMP,
    PASS_CARD,
    PLAY,
    apply,
    legal,
)

from ..base import Actions, AgentError, View
from .bids import judge_alone, judge_defence, judge_order, judge_suits, judge_weak_hand
from .discard import best_to_pass, lay_away
from .play import follow, lead
from .principles import CALL_FOR_BEST, LAID_AWAY, PASS_BEST, act_of, by, principle_of
from .tables import MISTAKES


@njit
def _bid(s, r, legal_set):
    phase = s.phase
    if phase == BID1:
        return judge_order(s, r, legal_set)
    if phase in (BID2, NAME_TRUMP):
        return judge_suits(s, r, legal_set)
    if phase == LONER:
        return judge_alone(s, r)
    if phase == DEFEND:
        return judge_defence(s, r)
    return judge_weak_hand(s, r)


@njit
def decide(s, r):
    """The verdict of the seat to act: an id of the record's frame, and the principle behind it.

    :func:`agents.heuristic.principles.act_of` and ``principle_of`` take it apart.

    Args:
        s: A record that waits for a decision, full or cleared for the seat to act: the answer is
            the same, since nothing that the seat cannot know is read.
        r: The rule record.
    """
    if s.phase == PLAY:
        verdict = lead(s, r) if s.count == 0 else follow(s, r)
        return by(principle_of(verdict), lowest_bit(act_of(verdict)))
    if s.phase == DISCARD or s.phase == LAY_AWAY:
        laid = lay_away(np.int64(s.hand[s.turn]), legal(s, r), s.frame)
        return by(LAID_AWAY, lowest_bit(laid))
    if s.phase == PASS_CARD:
        return by(PASS_BEST, lowest_bit(best_to_pass(np.int64(s.hand[s.turn]), s.frame)))
    if s.phase == CALL_BEST:
        return by(CALL_FOR_BEST, CLAIM)
    return _bid(s, r, legal(s, r))


@njit
def choose(s, r, seed):
    """The action of the seat to act, an id of the record's frame.

    Args:
        s: A record that waits for a decision, full or cleared for the seat to act, as for
            :func:`decide`.
        r: The rule record.
        seed: Randomness for the decision, uint64; this player needs none.
    """
    return act_of(decide(s, r))


@njit
def choose_erring(s, r, seed, percent):
    """As :func:`choose`, but in ``percent`` of a hundred decisions a random legal action."""
    bits = mix(seed)
    if below(bits, 100) >= percent:
        return choose(s, r, seed)
    legal_set = legal(s, r)
    return nth_action(legal_set, below(mix(bits), count_actions(legal_set)))


@njit
def playout(s, r, seed):
    """Finish the hand with this player in all seats; returns the number of decisions."""
    decisions = 0
    while s.turn >= 0:
        apply(s, r, choose(s, r, seed))
        decisions += 1
    return decisions


@njit
def _choose_all(states, rules, which, seeds, percent, out):
    for i in range(len(states)):
        out[i] = choose_erring(states[i], rules[which[i]], seeds[i], percent)


class HeuristicAgent:
    """Bids by seat and score and plays by published principles.

    Args:
        level: ``easy`` makes frequent mistakes, ``medium`` some; none unless given.

    Raises:
        AgentError: an unknown level.
    """

    oracle = False

    def __init__(self, level: str = "") -> None:
        if level and level not in MISTAKES:
            raise AgentError(
                f"'heuristic:{level}': the level is one of {', '.join(MISTAKES)}, or left out"
            )
        self.name = f"heuristic:{level}" if level else "heuristic"
        self._percent = MISTAKES.get(level, 0)

    def act(self, view: View) -> Actions:
        """The player's action for each game."""
        out = np.empty(len(view), np.int64)
        _choose_all(view.states, view.rules, view.which, view.seeds, self._percent, out)
        return out
