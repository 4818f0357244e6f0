"""Small Euchre: games through the same rules whose exact solution shows what a trainer is worth.

A small game starts late in a hand, or before a lone defence, with all but a few cards fixed and
public; the rest are dealt among the two hands that play and the cards out of play. Two seats
decide, one of each side, so it is a zero-sum game of two players with hidden cards. Its value, the
best answer to a policy and a policy's exploitability are computed exactly, none estimated by play.

Information sets are not described here: one is what :func:`euchre_env.rules.hide` leaves of the
record for the seat to act, byte for byte. Forced acts are no decisions, and a position ends when
the points no longer depend on the play.

Methods: games in sequence form and the linear programme of their equilibrium by Koller, Megiddo and
von Stengel (Games and Economic Behavior 14, 1996); exploitability as half of the "NashConv" of
Lanctot et al. (NeurIPS 2017).

Points are always those of the makers less those of the defenders, as in the solver.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack

from ._check import check_choice, check_int
from ._jit import njit
from .actions import FROM_ABSOLUTE, action_id, action_text
from .cards import (
    N_CARDS,
    ONE,
    TRUMPS,
    card_id,
    card_ids,
    deck_of,
    highest_card,
    popcount,
)
from .rules import (
    N_ACTIONS,
    N_SEATS,
    N_TRICKS,
    NOBODY,
    OVER,
    PLAY,
    STATE,
    apply,
    deal,
    hand_points,
    hide,
    is_out,
    legal,
    new_match,
    new_states,
    reward,
    team,
)
from .ruleset import RENEGE_PENALISED, Ruleset

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Policy = Callable[[Array, Ints], npt.ArrayLike]
"""Chances of acts: (STATE[B] cleared for the seat to act, legal sets int64[B]) -> float[B, 38].

Action ids are trump-relative, those of the record's frame."""

SIDES = ("makers", "defenders")
_TOLERANCE = 1e-4
"""How far the chances of one decision may sum from 1, as single precision needs."""


# --- the public part of a game, and its deals ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Setup:
    """What all deals of a small game share, and what is dealt at random.

    Attributes:
        dealer: The seat that deals.
        upcard: The card turned up, as text.
        held: The cards that seats hold in every deal, those that they have played included.
        pool: The cards dealt at random; those that no hand gets lie out of play.
        drawn: How many cards of the pool each seat gets.
        acts: The acts from the deal to the start, as texts, legal in every deal.
    """

    dealer: int
    upcard: str
    held: Mapping[int, str]
    pool: str
    drawn: Mapping[int, int]
    acts: str

    def decks(self) -> npt.NDArray[np.int8]:
        """Every deal, int8[K, 25]; places that do not matter are filled in card order."""
        shares = _shares(card_ids(self.pool), list(self.drawn.values()))
        return np.stack([self._deck(dict(zip(self.drawn, share))) for share in shares])

    def _deck(self, share: dict[int, tuple[int, ...]]) -> npt.NDArray[np.int8]:
        hands = {s: [*card_ids(self.held.get(s, "")), *share.get(s, ())] for s in range(N_SEATS)}
        named = [card_id(self.upcard), *(card for hand in hands.values() for card in hand)]
        # The seats that play are full, so this fills dead hands and the kitty only.
        rest = [card for card in range(N_CARDS - 1) if card not in named]
        for hand in hands.values():
            while len(hand) < N_TRICKS:
                hand.append(rest.pop(0))
        return deck_of([*(c for hand in hands.values() for c in hand), named[0], *rest])


def _shares(pool: Sequence[int], counts: Sequence[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All ways to deal so many cards of the pool to each of some hands."""
    if not counts:
        yield ()
        return
    for first in combinations(pool, counts[0]):
        rest = [card for card in pool if card not in first]
        for others in _shares(rest, counts[1:]):
            yield (first, *others)


@njit
def _replay(decks, dealer, acts, r, states):
    """Deal each deck and carry out absolute ids; the number of the first illegal act, or -1."""
    for i in range(len(decks)):
        s = states[i]
        new_match(s, r)
        deal(s, r, decks[i], dealer)
        for k in range(len(acts)):
            action = np.int64(FROM_ABSOLUTE[s.frame, acts[k]])
            if (legal(s, r) >> action) & 1 == 0:
                return i * len(acts) + k
            apply(s, r, action)
    return -1


def starts_of(setup: Setup, ruleset: Ruleset) -> Array:
    """The records of every deal of a setup, STATE[K], made by dealing and acting.

    Raises:
        ValueError: an act is not legal in some deal.
    """
    decks = setup.decks()
    acts = np.array([action_id(word) for word in setup.acts.split()], np.int64)
    states = new_states(len(decks))
    bad = int(_replay(decks, setup.dealer, acts, ruleset.record()[0], states))
    if bad >= 0:
        row, k = divmod(bad, len(acts))
        raise ValueError(
            f"act {k + 1}, {action_text(int(acts[k]))}, is not legal in deal {row} of the setup"
        )
    return states


# --- the tree --------------------------------------------------------------------------------


@njit
def _sure_tricks(s):
    """Tricks of makers and defenders that no play can change: a hand's trumps above all others'.

    For the start of a trick. Each such trump wins whenever it is played, and it will be.
    """
    trumps = TRUMPS[s.frame]
    for seat in range(N_SEATS):
        if not is_out(s, seat):
            others = ONE * 0
            for other in range(N_SEATS):
                if other != seat and not is_out(s, other):
                    others |= np.int64(s.hand[other]) & trumps
            mine = np.int64(s.hand[seat]) & trumps
            top = mine & ~((highest_card(others) << 1) - 1) if others != 0 else mine
            if top != 0:
                sure = popcount(top)
                return (sure, ONE * 0) if team(seat) == team(s.maker) else (ONE * 0, sure)
    return ONE * 0, ONE * 0


@njit
def is_settled(s, r):
    """Whether a position of the play has the same points at its end however it is played."""
    if s.phase != PLAY or r.renege == RENEGE_PENALISED or r.fast_break | r.four_trick_tokens:
        return False
    made = np.int64(s.tricks[team(s.maker)])
    most = made + N_TRICKS - s.trick
    if s.count == 0:
        sure = _sure_tricks(s)
        made += sure[0]
        most -= sure[1]
    alone, defended = s.loner != NOBODY, s.lone_defender != NOBODY
    points = hand_points(r, made, alone, defended)
    for tricks in range(made + 1, most + 1):
        if hand_points(r, tricks, alone, defended) != points:
            return False
    return True


@njit
def _find_ends(states, r, sets, points):
    """Write the legal set of each position; for one that is decided 0, and the makers' points."""
    for i in range(len(states)):
        s = states[i]
        sets[i] = 0
        if s.phase == OVER:
            points[i] = reward(s, s.maker)
        elif is_settled(s, r):
            tricks = np.int64(s.tricks[team(s.maker)])
            if s.count == 0:
                tricks += _sure_tricks(s)[0]
            made, lost = hand_points(r, tricks, s.loner != NOBODY, s.lone_defender != NOBODY)
            points[i] = made - lost
        else:
            sets[i] = legal(s, r)


@njit
def _expand(states, sets, r, children, parent, slot):
    """Write the position after every legal act, its parent and the rank of the act."""
    row = 0
    for i in range(len(states)):
        rank = 0
        for action in range(N_ACTIONS):
            if (sets[i] >> action) & 1:
                children[row] = states[i]
                apply(children[row], r, np.int64(action))
                parent[row] = i
                slot[row] = rank
                row += 1
                rank += 1


@njit
def _clear(states, r, seen):
    for i in range(len(states)):
        seen[i] = states[i]
        hide(seen[i], r, np.int64(states[i].turn))


def cleared(states: Array, ruleset: Ruleset) -> Array:
    """Copies of records, each cleared of what its seat to act cannot know: STATE[B]."""
    seen = new_states(len(states))
    _clear(states, ruleset.record()[0], seen)
    return seen


_PACKED = np.dtype([(name, STATE[name]) for name in STATE.names or ()])
"""STATE without the padding between its fields, whose bytes mean nothing."""


def _keys(seen: Array) -> list[bytes]:
    """The bytes of each record, without its generator."""
    packed = seen.astype(_PACKED)
    packed["rng"] = 0
    rows: list[bytes] = packed.view(np.dtype((np.void, _PACKED.itemsize))).tolist()
    return rows


def _count_acts(sets: Ints) -> Ints:
    return np.bitwise_count(sets).astype(np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class Side:
    """One player in sequence form.

    A sequence is a decision and an act, given all earlier acts of the same player; sequence 0 is
    the empty one. Sets and sequences are numbered in the order of time.

    Attributes:
        records: STATE[I], what the player sees in each information set.
        legal: int64[I], the legal acts there, two at least.
        parent: int64[I], the player's last sequence before each set.
        first: int64[I], the sequence of the lowest act of each set; the others follow.
        keys: The number of the set of each key.
    """

    records: Array
    legal: Ints
    parent: Ints
    first: Ints
    keys: dict[bytes, int]

    @property
    def sequences(self) -> int:
        """How many sequences the player has, the empty one included."""
        return 1 + int(_count_acts(self.legal).sum())

    @property
    def acts(self) -> tuple[Ints, Ints]:
        """The information set and the action id of each sequence after the empty one."""
        mask = (self.legal[:, None] >> np.arange(N_ACTIONS)) & 1
        rows, ids = np.nonzero(mask)
        return rows.astype(np.int64), ids.astype(np.int64)


class _SideBuilder:
    """Numbers the information sets and sequences of one player, layer by layer of the tree."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.keys: dict[bytes, int] = {}
        self.sequences = 1
        self.seats: set[int] = set()
        self.parts: list[tuple[Array, Ints, Ints, Ints]] = []

    def add(self, seen: Array, legal_sets: Ints, last: Ints) -> Ints:
        """Number the sets of a layer's decisions; returns the first sequence of each decision."""
        self.seats |= set(seen["turn"].tolist())
        if len(self.seats) > 1:
            raise ValueError(
                f"seats {sorted(self.seats)} of the {self.name} decide: a small game needs one of "
                "each side, so let the partner sit out"
            )
        known = len(self.keys)
        found = [self.keys.setdefault(key, len(self.keys)) for key in _keys(seen)]
        numbers, at, back = np.unique(found, return_index=True, return_inverse=True)
        # All acts are in the record, so a set lies in one layer, after one sequence of its player.
        if numbers[0] != known or (last != last[at][back]).any():
            raise ValueError(f"the {self.name} forget what they knew: no game of perfect recall")
        counts = _count_acts(legal_sets[at])
        first = self.sequences + np.cumsum(counts) - counts
        self.sequences += int(counts.sum())
        self.parts.append((seen[at], legal_sets[at], last[at], first))
        return np.asarray(first[back])

    def side(self) -> Side:
        """All that was numbered."""
        blank = (new_states(0), *(np.zeros(0, np.int64) for _ in range(3)))
        seen, sets, last, first = (np.concatenate(column) for column in zip(blank, *self.parts))
        return Side(seen, sets, last, first, self.keys)


@dataclass(frozen=True, eq=False, slots=True)
class SequenceForm:
    """A small game as two players and the points of every pair of their sequences.

    Attributes:
        sides: Makers and defenders.
        points: Sparse [sequences of makers, of defenders]: makers' points, summed over the deals.
        deals: How many deals, equally likely.
        nodes: Positions of the tree, all deals together, forced acts and ends included.
    """

    sides: tuple[Side, Side]
    points: csr_array
    deals: int
    nodes: int


def _sequence_form(ruleset: Ruleset, starts: Array, informed: tuple[str, ...]) -> SequenceForm:
    """Build the tree layer by layer, all deals together, and keep its sequence form."""
    r = ruleset.record()[0]
    builders = tuple(map(_SideBuilder, SIDES))
    layer, last = starts.copy(), np.zeros((len(starts), 2), np.int64)
    ends: list[tuple[Ints, Ints]] = []
    nodes = 0
    while len(layer):
        nodes += len(layer)
        sets, points = np.zeros(len(layer), np.int64), np.zeros(len(layer), np.int64)
        _find_ends(layer, r, sets, points)
        ended, on = sets == 0, sets != 0
        ends.append((last[ended], points[ended]))
        layer, last, sets = layer[on], last[on], sets[on]
        first = _decide(builders, layer, cleared(layer, ruleset), sets, last, informed)
        total = int(_count_acts(sets).sum())
        children, parent, slot = new_states(total), *np.zeros((2, total), np.int64)
        _expand(layer, sets, r, children, parent, slot)
        last = np.where(first[parent] > 0, first[parent] + slot[:, None], last[parent])
        layer = children
    pairs, values = (np.concatenate(column) for column in zip(*ends))
    shape = tuple(b.sequences for b in builders)
    table = csr_array((values.astype(float), (pairs[:, 0], pairs[:, 1])), shape=shape)
    return SequenceForm((builders[0].side(), builders[1].side()), table, len(starts), nodes)


def _decide(
    builders: tuple[_SideBuilder, ...],
    layer: Array,
    seen: Array,
    sets: Ints,
    last: Ints,
    informed: tuple[str, ...],
) -> Ints:
    """The first sequence of each decision by its player, int64[n, 2]; 0 for all else."""
    first = np.zeros((len(layer), 2), np.int64)
    defends = (layer["turn"] & 1) != (layer["maker"] & 1)
    for k, builder in enumerate(builders):
        rows = np.flatnonzero((defends == k) & (_count_acts(sets) > 1))
        if len(rows):
            known = layer if builder.name in informed else seen
            first[rows, k] = builder.add(known[rows], sets[rows], last[rows, k])
    return first


# --- policies and plans --------------------------------------------------------------------------


def uniform_policy(states: Array, legal_sets: Ints) -> Floats:
    """The policy that takes every legal act alike."""
    mask = ((legal_sets[:, None] >> np.arange(N_ACTIONS)) & 1).astype(float)
    return np.asarray(mask / mask.sum(1, keepdims=True))


def pure_policy(act: Callable[[Array, Ints], npt.ArrayLike]) -> Policy:
    """The policy of a chooser: (STATE[B] cleared for the seat to act, legal sets) -> int[B]."""

    def policy(states: Array, legal_sets: Ints) -> Floats:
        chances = np.zeros((len(states), N_ACTIONS))
        chances[np.arange(len(states)), np.asarray(act(states, legal_sets))] = 1
        return chances

    return policy


@dataclass(frozen=True, eq=False, slots=True)
class TablePolicy:
    """A policy written out: a row of chances for each information set.

    Elsewhere all acts are alike: in positions whose points are decided, and in other games.

    Attributes:
        keys: The row of each key.
        chances: float64[I, 38].
        informed: Whether a side sees all cards, so that its records come uncleared.
    """

    keys: dict[bytes, int]
    chances: Floats
    informed: bool = False

    def __call__(self, states: Array, legal_sets: Ints) -> Floats:
        """The chances of acts, float64[B, 38].

        Raises:
            ValueError: a record shows other hands than that of its seat to act.
        """
        out = uniform_policy(states, legal_sets)
        others = np.arange(N_SEATS) != states["turn"][:, None]
        if not self.informed and (states["hand"][others] != 0).any():
            raise ValueError(
                "a record shows the hands of others: give cleared(states, ruleset), since a full "
                "record is no information set"
            )
        found = np.array([self.keys.get(key, -1) for key in _keys(states)], np.int64)
        out[found >= 0] = self.chances[found[found >= 0]]
        return out

    @classmethod
    def of(
        cls, sides: Sequence[Side], chances: Sequence[Floats], informed: bool = False
    ) -> TablePolicy:
        """The table of both players from the chance of each sequence given its set."""
        rows: list[Floats] = []
        keys: dict[bytes, int] = {}
        for side, each in zip(sides, chances):
            sets, acts = side.acts
            table = np.zeros((len(side.legal), N_ACTIONS))
            table[sets, acts] = each[1:]
            offset = len(keys)
            keys.update({key: offset + row for key, row in side.keys.items()})
            rows.append(table)
        return cls(keys, np.concatenate(rows), informed)


def _chances(policy: Policy, side: Side) -> Floats:
    """The chance of each sequence given its information set, as the policy answers; checked."""
    if len(side.legal) == 0:
        return np.ones(1)  # a policy need not know what to say to no records
    given = np.asarray(policy(side.records.copy(), side.legal.copy()), np.float64)
    shape = (len(side.legal), N_ACTIONS)
    if given.shape != shape:
        raise ValueError(f"the policy answered with shape {given.shape}: chances {shape} are due")
    sets, acts = side.acts
    chosen = given[sets, acts]
    total = np.bincount(sets, chosen, len(side.legal))
    illegal = np.abs(given).sum(1) - np.bincount(sets, np.abs(chosen), len(side.legal))
    wrong = (np.bincount(sets, chosen < 0, len(side.legal)) > 0) | (illegal > _TOLERANCE)
    for row in np.flatnonzero(wrong | ~(np.abs(total - 1) <= _TOLERANCE))[:1]:
        raise ValueError(
            f"the policy's chances in row {row} are no distribution over the legal acts: they sum "
            f"to {total[row]:.6g}, {illegal[row]:.6g} lies on illegal acts"
        )
    return np.concatenate([[1.0], chosen / total[sets]])


@njit
def _plan(chances, parent, first, counts):
    """The chance that a player plays a whole sequence, as far as it depends on the player."""
    plan = np.ones(len(chances))
    for i in range(len(parent)):
        for k in range(first[i], first[i] + counts[i]):
            plan[k] = plan[parent[i]] * chances[k]
    return plan


@njit
def _chances_of_plan(plan, parent, first, counts):
    """The converse of ``_plan``; uniform where the plan never comes."""
    chances = np.ones(len(plan))
    for i in range(len(parent)):
        total = 0.0
        for k in range(first[i], first[i] + counts[i]):
            total += max(plan[k], 0.0)
        for k in range(first[i], first[i] + counts[i]):
            chances[k] = max(plan[k], 0.0) / total if total > 1e-12 else 1.0 / counts[i]
    return chances


@njit
def _respond(gain, parent, first, counts):
    """The best plan against ``gain`` per sequence, by backward induction over information sets.

    Returns the chances (0 or 1) of each sequence; ``gain[0]`` becomes the value.
    """
    chances = np.zeros(len(gain))
    chances[0] = 1
    for i in range(len(parent) - 1, -1, -1):
        best = first[i]
        for k in range(first[i] + 1, first[i] + counts[i]):
            if gain[k] > gain[best]:
                best = k
        chances[best] = 1
        gain[parent[i]] += gain[best]
    return chances


# --- the game --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Size:
    """How large a small game is; pairs are makers, defenders."""

    deals: int
    nodes: int
    information_sets: tuple[int, int]
    sequences: tuple[int, int]


@dataclass(frozen=True, eq=False, slots=True)
class Equilibrium:
    """A solution: neither side gains by another policy.

    Attributes:
        value: The makers' points a hand.
        policy: Of both sides.
        exploitability: Of that policy, computed anew: how exact the solution is.
    """

    value: float
    policy: TablePolicy
    exploitability: float


@dataclass(frozen=True, eq=False, slots=True)
class Response:
    """A best answer of one side.

    Attributes:
        value: The makers' points a hand when it meets the policy that it answers.
        policy: The answer; the other side's decisions are uniform.
    """

    value: float
    policy: TablePolicy


@dataclass(frozen=True, eq=False)
class SmallGame:
    """A game of two seats, one of each side, that can be solved exactly.

    Attributes:
        name: For messages.
        ruleset: The rules.
        starts: STATE[K], full records of every deal, equally likely; a call has been made.
        informed: Sides that see all cards, ``"makers"``, ``"defenders"``, for bounds; policies are
            then given full records for them.
    """

    name: str
    ruleset: Ruleset
    starts: Array = field(repr=False)
    informed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check what is given.

        Raises:
            ValueError: no deals, a hand without a maker, or an unknown side.
        """
        if len(self.starts) == 0 or (self.starts["maker"] == NOBODY).any():
            raise ValueError(f"the small game {self.name!r} needs deals in which trump is named")
        for side in self.informed:
            check_choice("informed", side, SIDES)

    @cached_property
    def form(self) -> SequenceForm:
        """The sequence form, built when first asked for.

        Raises:
            ValueError: two seats of one side have decisions.
        """
        starts = self.starts.copy()
        starts["rng"] = 0
        return _sequence_form(self.ruleset, starts, self.informed)

    @property
    def size(self) -> Size:
        """How large the game is."""
        makers, defenders = self.form.sides
        return Size(
            self.form.deals,
            self.form.nodes,
            (len(makers.legal), len(defenders.legal)),
            (makers.sequences, defenders.sequences),
        )

    def sample(self, rng: np.random.Generator, count: int) -> Array:
        """Starts drawn at random with their generators seeded, STATE[count], for ``BatchEnv``.

        Raises:
            ValueError: ``count`` is no number of games.
        """
        rows = rng.integers(len(self.starts), size=check_int("count", count, 0))
        states = self.starts[rows]
        states["rng"] = rng.integers(2**63, size=count, dtype=np.uint64)
        return states

    def with_informed(self, *sides: str) -> SmallGame:
        """The same game in which some sides see all cards."""
        return SmallGame(self.name, self.ruleset, self.starts, sides)

    def value(self, makers: Policy, defenders: Policy) -> float:
        """The makers' points a hand, exactly, when one policy plays each side.

        Raises:
            ValueError: a policy's answer is no distribution over the legal acts.
        """
        plans = [self._plan_of(_chances(p, s), s) for p, s in zip((makers, defenders), self.sides)]
        return float(plans[0] @ (self.form.points @ plans[1])) / self.form.deals

    @property
    def sides(self) -> tuple[Side, Side]:
        """Makers and defenders in sequence form."""
        return self.form.sides

    def _plan_of(self, chances: Floats, side: Side) -> Floats:
        return np.asarray(_plan(chances, side.parent, side.first, _count_acts(side.legal)))

    def best_response(self, policy: Policy, side: str) -> Response:
        """The best answer of a side to a policy of the other, by backward induction.

        Raises:
            ValueError: an unknown side, or as for :meth:`value`.
        """
        me = SIDES.index(check_choice("side", side, SIDES))
        return self._answer(me, self._other_plan(policy, me))

    def _other_plan(self, policy: Policy, me: int) -> Floats:
        other = self.sides[1 - me]
        return self._plan_of(_chances(policy, other), other)

    def _answer(self, me: int, plan: Floats) -> Response:
        mine, sign = self.sides[me], 1 - 2 * me
        points = self.form.points if me == 0 else self.form.points.T
        gain = sign * np.asarray(points @ plan)
        chances = _respond(gain, mine.parent, mine.first, _count_acts(mine.legal))
        both = [self._uniform(side) for side in self.sides]
        both[me] = chances
        return Response(sign * float(gain[0]) / self.form.deals, self._table(both))

    def _table(self, chances: Sequence[Floats]) -> TablePolicy:
        return TablePolicy.of(self.sides, chances, bool(self.informed))

    def _uniform(self, side: Side) -> Floats:
        return _chances(uniform_policy, side)

    def exploitability(self, policy: Policy) -> float:
        """What a best answer gains against a policy, in points a hand, mean of the two sides.

        It is 0 for an equilibrium only, and above 0 for every other policy.

        Raises:
            ValueError: as for :meth:`value`.
        """
        makers = self.best_response(policy, "makers").value
        defenders = self.best_response(policy, "defenders").value
        return (makers - defenders) / 2

    def solve(self) -> Equilibrium:
        """An equilibrium and the value, by the linear programme over sequences (HiGHS).

        Raises:
            RuntimeError: the programme did not end in a solution.
        """
        plans = _solve_programme(self.form)
        chances = [
            _chances_of_plan(plan, side.parent, side.first, _count_acts(side.legal))
            for plan, side in zip(plans, self.sides)
        ]
        policy = self._table(chances)
        return Equilibrium(self.value(policy, policy), policy, self.exploitability(policy))


def _constraints(side: Side) -> csr_array:
    """[1 + I, sequences]: the chances of a set's acts sum to that of the sequence before it."""
    sets, _ = side.acts
    count = len(side.legal)
    rows = np.concatenate([np.arange(1 + count), 1 + sets])
    columns = np.concatenate([[0], side.parent, 1 + np.arange(len(sets))])
    values = np.concatenate([[1.0], np.full(count, -1.0), np.ones(len(sets))])
    return csr_array((values, (rows, columns)), shape=(1 + count, side.sequences))


def _solve_programme(form: SequenceForm) -> tuple[Floats, Floats]:
    """Equilibrium plans of both sides: maximise v0 with E x = e, F'v <= A'x, x >= 0.

    The defenders' plan is what the inequalities are worth (the dual solution).
    """
    own, other = (_constraints(side) for side in form.sides)
    sequences, sets = own.shape[1], other.shape[0]
    cost = np.zeros(sequences + sets)
    cost[sequences] = -1
    result = linprog(
        cost,
        A_ub=hstack([-form.points.T, other.T]),
        b_ub=np.zeros(other.shape[1]),
        A_eq=hstack([own, csr_array((own.shape[0], sets))]),
        b_eq=np.eye(1, own.shape[0])[0],
        bounds=np.array([(0, np.inf)] * sequences + [(-np.inf, np.inf)] * sets),
        method="highs",
    )
    if result.status != 0:
        raise RuntimeError(f"the linear programme was not solved: {result.message}")
    return result.x[:sequences], -result.ineqlin.marginals


# --- the games and probes at hand ----------------------------------------------------------------

_CALL = "pass pass pass pass pass pass pass call_H alone"
"""The dealer, seat 0, is stuck for a call in round two and goes alone in hearts."""
_LONE = f"{_CALL} defend_alone"
"""Then seat 1 defends alone and leads, so two hands play."""


def _setup(held: Mapping[int, str], pool: str, drawn: Mapping[int, int], acts: str) -> Setup:
    return Setup(dealer=0, upcard="9S", held=held, pool=pool, drawn=drawn, acts=acts)


_GAMES: dict[str, tuple[str, dict[str, Any], Setup]] = {
    "two_tricks": (
        "The maker has two of three tricks and leads; all 17 unseen cards are dealt at random.",
        {"points_loner_four": 2},
        _setup(
            held={0: "9C KH AH", 1: "AC TH 9H"},
            pool="JH JD QH TC JC QC KC 9D TD QD KD AD TS JS QS KS AS",
            drawn={0: 2, 1: 2},
            acts=f"{_LONE} AC 9C TH KH AH 9H",
        ),
    ),
    "three_tricks": (
        "The maker has both tricks and leads; eight cards are dealt at random. March, made and "
        "euchred are all possible, and both sides have to mix.",
        {},
        _setup(
            held={0: "AC AH", 1: "KC 9H"},
            pool="JH 9D QD KD QC JC TS QS",
            drawn={0: 3, 1: 3},
            acts=f"{_LONE} KC AC AH 9H",
        ),
    ),
    "lone_defence": (
        "Seat 3 may defend alone for four points, or leave the hand to its partner, whose three "
        "top trumps are sure of two. It turns on cards of the loner's that seat 3 does not see; "
        "five tricks lie between the choice and the points.",
        {},
        _setup(
            held={0: "QS KH QC", 1: "JH JD AH", 3: "TH KC AS"},
            pool="AC QD KD QH AD",
            drawn={0: 2, 3: 2},
            acts=f"{_CALL} defend_together",
        ),
    ),
}

_PROBES: dict[str, tuple[str, str, float, Setup]] = {
    "last_choice": (
        "Two cards left, all known: AS draws the defender's last trump or wins, and QH takes the "
        "other trick; QH first loses both.",
        "AS",
        1.0,
        _setup(
            held={0: "TC JD JH QH AS", 1: "AC TH 9H KH 9C"},
            pool="",
            drawn={},
            acts=f"{_LONE} AC TC TH JD JH 9H",
        ),
    ),
    "two_steps": (
        "Three cards left, all known: first JH, which draws the last trump, then AS, which cannot "
        "be trumped any more; any other order is euchred, and no point is seen until the end.",
        "JH",
        1.0,
        _setup(
            held={0: "9C AH JH AS TC", 1: "AC TH QH QD QC"},
            pool="",
            drawn={},
            acts=f"{_LONE} AC 9C TH AH",
        ),
    ),
    "hidden_card": (
        "The maker keeps one ace for the last trick, which decides the hand. Two of the three "
        "cards that the defender may hold are spades, so AD goes: made two times in three.",
        "AD",
        -2 / 3,
        _setup(
            held={0: "KH AH 9C AS AD", 1: "TH 9H AC JH"},
            pool="KS QS KD",
            drawn={1: 1},
            acts=f"{_LONE} TH KH AH 9H 9C AC JH",
        ),
    ),
}

SMALL_GAMES: tuple[str, ...] = tuple(_GAMES)
"""The names that :func:`small_game` knows."""
PROBES: tuple[str, ...] = tuple(_PROBES)
"""The names that :func:`probe` knows."""


@dataclass(frozen=True, eq=False, slots=True)
class Probe:
    """A small game so simple that its value and the right first card are plain.

    Attributes:
        game: The game; the maker, seat 0, is to act in every start.
        value: The makers' points a hand when both sides play best.
        right: The right card at the start, as text; each other one costs points.
        why: The reason.
    """

    game: SmallGame
    value: float
    right: str
    why: str


def _ruleset(changes: Mapping[str, Any]) -> Ruleset:
    return Ruleset(stick_the_dealer=True, defend_alone="vs_loner").replace(**changes)


def small_game(name: str) -> SmallGame:
    """A game to train on: one of :data:`SMALL_GAMES`.

    Raises:
        ValueError: no such game.
    """
    _, changes, setup = _GAMES[check_choice("small game", name, SMALL_GAMES)]
    ruleset = _ruleset(changes)
    return SmallGame(name, ruleset, starts_of(setup, ruleset))


def describe(name: str) -> str:
    """What a small game or a probe is about, in a sentence or two.

    Raises:
        ValueError: no such game.
    """
    check_choice("small game", name, SMALL_GAMES + PROBES)
    return (_GAMES[name] if name in _GAMES else _PROBES[name])[0]


def probe(name: str) -> Probe:
    """A probe: one of :data:`PROBES`.

    Raises:
        ValueError: no such probe.
    """
    why, right, value, setup = _PROBES[check_choice("probe", name, PROBES)]
    ruleset = _ruleset({})
    return Probe(SmallGame(name, ruleset, starts_of(setup, ruleset)), value, right, why)
