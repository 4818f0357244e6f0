"""``oracle``: plays its cards and discards with all hands open; a check, no honest player.

It calls as the hand-written player does, which sees nothing hidden, and plays the card of the best
double-dummy value in the true deal. What it gains over ``heuristic`` bounds what card play alone
can gain against such opponents, and every report says that it saw hidden cards.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from euchre_env._cores import cores
from euchre_env._jit import njit
from euchre_env.rules import DISCARD, LAY_AWAY, N_ACTIONS, PASS_CARD, PLAY, STATE, team
from euchre_env.solver import ILLEGAL, MAX_DEPTH, SEARCH, act_values

from ..base import Actions, AgentError, View
from ..heuristic.player import choose
from .base import SearchAgent


@njit
def _best(values, favourite, makers):
    """The act of the best value for the side to act; on a tie the favourite, else the lowest id."""
    best = favourite
    for action in range(N_ACTIONS):
        gain = values[action] - values[best]
        if values[action] != ILLEGAL and (gain > 0 if makers else gain < 0):
            best = np.int64(action)
    return best


@njit
def _search(seen, full, rules, which, seeds, out, start, stop):
    search = np.zeros(1, SEARCH)
    stack = np.empty(MAX_DEPTH, STATE)
    values = np.zeros(N_ACTIONS, np.int64)
    for i in range(start, stop):
        s = seen[i]
        r = rules[which[i]]
        out[i] = choose(s, r, seeds[i])
        if s.phase in (PLAY, DISCARD, PASS_CARD, LAY_AWAY):
            stack[0] = full[i]
            act_values(search[0], stack, r, True, values)
            out[i] = _best(values, out[i], team(s.turn) == team(s.maker))
    return -1


class OracleAgent(SearchAgent):
    """Calls as the hand-written player does; discards and plays by the solver, all cards seen."""

    family = "oracle"
    oracle = True

    def __init__(self) -> None:
        self.name = self.family
        self.threads = cores()

    def _search(self, view: View, out: Actions, start: int, stop: int) -> int:
        if view.full_states is None:
            raise AgentError("'oracle' needs the full records of the games, which this view lacks")
        seen, full = view.states, view.full_states
        return int(_search(seen, full, view.rules, view.which, view.seeds, out, start, stop))
