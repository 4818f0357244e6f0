"""``ismcts:N``: information-set Monte Carlo tree search with N iterations.

One tree over all worlds: each iteration deals a world, walks down among the acts legal in it by the
upper confidence bound, adds one act, and finishes the hand by the hand-written player (Cowling,
Powley and Whitehouse 2012, single observer). A node belongs to a sequence of acts, so acts of other
seats are shared by all worlds that allow them.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from euchre_env._jit import njit
from euchre_env.belief import BELIEF
from euchre_env.kernels import lowest_action
from euchre_env.rules import N_ACTIONS, NOBODY, STATE, apply, legal, reward, team

from ..heuristic.player import playout
from .base import SearchAgent
from .utility import UTILITIES, fill_utility, utility_of
from .worlds import deal_worlds

EXPLORATION = 0.7
"""Weight of the exploration term; utilities are scaled to a range of about one."""
MAX_PATH = 40

TREE_NODE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("child", np.int32, N_ACTIONS),  # index of the node after each act, 0 for none
                ("offered", np.int32, N_ACTIONS),  # iterations in which the act was legal here
                ("visits", np.int32),
                ("total", np.float64),  # weighted utility of the searching team
                ("weight", np.float64),
            ],
            align=True,
        ),
    )
)


@njit
def _clear(nodes, index):
    node = nodes[index]
    node.visits = 0
    node.total = 0.0
    node.weight = 0.0
    for action in range(N_ACTIONS):
        node.child[action] = 0
        node.offered[action] = 0


@njit
def _bound(nodes, index, action, scale, ours):
    """The upper confidence bound of an act for the side to move; unvisited acts come first."""
    child = nodes[index].child[action]
    if child == 0:
        return 1e9
    node = nodes[child]
    mean = node.total / node.weight / scale if node.weight > 0.0 else 0.0
    tries = math.log(float(nodes[index].offered[action]))
    return (mean if ours else -mean) + EXPLORATION * math.sqrt(tries / node.visits)


@njit
def _select(nodes, index, acts, scale, ours):
    best = np.int64(NOBODY)
    highest = 0.0
    for action in range(N_ACTIONS):
        if (acts >> action) & 1:
            nodes[index].offered[action] += 1
            bound = _bound(nodes, index, action, scale, ours)
            if best == NOBODY or bound > highest:
                best = np.int64(action)
                highest = bound
    return best


@njit
def _iterate(nodes, used, s, r, weight, utility, scale, path):
    """One walk down, one new node, one playout, one walk up; returns the nodes in use."""
    us = team(s.turn)
    seat = np.int64(s.turn)
    index = 0
    depth = 0
    path[0] = 0
    acts = legal(s, r)
    while acts != 0:
        action = _select(nodes, index, acts, scale, team(s.turn) == us)
        apply(s, r, action)
        child = nodes[index].child[action]
        depth += 1
        if child == 0:
            _clear(nodes, used)
            nodes[index].child[action] = used
            path[depth] = used
            used += 1
            playout(s, r, np.uint64(0))
            break
        index = child
        path[depth] = index
        acts = legal(s, r)
    worth = weight * utility_of(utility, reward(s, seat))
    for k in range(depth + 1):
        node = nodes[path[k]]
        node.visits += 1
        node.total += worth
        node.weight += weight
    return used


@njit
def _scale_of(utility):
    """The size of a good result, to bring utilities to about one."""
    return max(utility_of(utility, 2) - utility_of(utility, -2), 1e-6)


@njit
def _most_visited(nodes, acts):
    best = np.int64(NOBODY)
    most = np.int64(0)
    for action in range(N_ACTIONS):
        child = nodes[0].child[action]
        if (acts >> action) & 1 and child != 0 and nodes[child].visits > most:
            most = np.int64(nodes[child].visits)
            best = np.int64(action)
    return best


@njit
def _search(states, rules, which, seeds, count, infer, equity, out, start, stop):
    belief = np.zeros(1, BELIEF)
    worlds = np.zeros(count, STATE)
    weights = np.zeros(count)
    nodes = np.zeros(count + 2, TREE_NODE)
    path = np.zeros(MAX_PATH, np.int64)
    utility = np.zeros(UTILITIES)
    for i in range(start, stop):
        s = states[i]
        r = rules[which[i]]
        acts = legal(s, r)
        if acts & (acts - 1) == 0:
            out[i] = lowest_action(acts)
            continue
        if not deal_worlds(belief[0], s, r, seeds[i], infer, worlds, weights):
            return i
        fill_utility(s, r, equity[which[i]], utility)
        scale = _scale_of(utility)
        _clear(nodes, 0)
        used = 1
        for k in range(count):
            weight = weights[k] * count
            used = _iterate(nodes, used, worlds[k], r, weight, utility, scale, path)
        out[i] = _most_visited(nodes, acts)
    return -1


class IsmctsAgent(SearchAgent):
    """Grows one tree over N sampled worlds and takes the act visited most."""

    family = "ismcts"
    kernel = staticmethod(_search)
