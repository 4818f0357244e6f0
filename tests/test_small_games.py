"""Small games: values found by hand, by minimax, by bounds and by another method, and best answers.

The counterfactual regret minimisation here shares nothing with the module but the rules: it walks a
tree of its own, and tells positions apart by the observation of the seat to act.
"""

import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, hstack

from agents import make
from agents.base import RuleTable, view_of
from euchre_env import encoding, rules, solver
from euchre_env.actions import FROM_ABSOLUTE, action_id, action_text
from euchre_env.batch import BatchEnv
from euchre_env.ruleset import Ruleset
from euchre_env.small_games import (
    PROBES,
    SIDES,
    SMALL_GAMES,
    Equilibrium,
    Setup,
    SmallGame,
    cleared,
    describe,
    is_settled,
    probe,
    pure_policy,
    small_game,
    starts_of,
    uniform_policy,
)
from tests import minimax
from tests.table import Table, copy, observe, random_deck

ALL = SMALL_GAMES + PROBES
CALL = "pass pass pass pass pass pass pass call_H alone"


@cache
def game(name: str) -> SmallGame:
    return small_game(name) if name in SMALL_GAMES else probe(name).game


@cache
def solved(name: str) -> Equilibrium:
    return game(name).solve()


@cache
def tiny() -> SmallGame:
    """A game of 30 deals for slow methods: the makers have both tricks and lead."""
    ruleset = Ruleset(stick_the_dealer=True, defend_alone="vs_loner", points_loner_four=2)
    setup = Setup(
        dealer=0,
        upcard="9S",
        held={0: "AC AH QD", 1: "KC 9H QS"},
        pool="KD QC TS KS AD",
        drawn={0: 2, 1: 2},
        acts=f"{CALL} defend_alone KC AC AH 9H",
    )
    return SmallGame("tiny", ruleset, starts_of(setup, ruleset))


def one_deal(of: SmallGame, row: int) -> SmallGame:
    return SmallGame(f"{of.name} {row}", of.ruleset, of.starts[row : row + 1])


def double_dummy(of: SmallGame) -> float:
    """The mean of the solver's values of the deals, all cards seen by all."""
    values = solver.solve_many(of.starts, of.ruleset.record(), threads=1)
    chosen = [
        (max if s["turn"] % 2 == s["maker"] % 2 else min)(v[v != solver.ILLEGAL])
        for s, v in zip(of.starts, values)
    ]
    return float(np.mean(chosen))


def play_on(states: np.ndarray, ruleset: Ruleset, text: str) -> np.ndarray:
    """Copies of the records after one act, the same in all."""
    after = states.copy()
    r = ruleset.record()[0]
    for s in after:
        rules.apply(s, r, np.int64(FROM_ABSOLUTE[s.frame, action_id(text)]))
    return after


# ---- the starts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_the_engine_takes_the_starts(name: str) -> None:
    of = game(name)
    starts = of.sample(np.random.default_rng(1), 64)
    env = BatchEnv(64, of.ruleset, hidden=True)
    env.reset()
    state = env.get_state()
    state["states"][:] = starts
    env.set_state(state)
    assert (env.actor == starts["turn"]).all()
    assert (env.action_mask.sum(1) >= 2).all()
    for k in range(8):
        record, ruleset = encoding.decode(env.observation[k], "trump")
        assert ruleset == of.ruleset
        assert record["hand"][0] == starts[k]["hand"][starts[k]["turn"]]
    first = np.zeros((64, 4))
    over = np.zeros(64, bool)
    for _ in range(20):
        rewards, done = env.step(env.random_actions())
        first[done & ~over] = rewards[done & ~over]
        over |= done
    assert over.all()
    assert (np.abs(first) <= 4).all() and (first != 0).all()


@pytest.mark.parametrize("name", ALL)
def test_no_two_starts_are_alike_and_all_cards_lie_somewhere(name: str) -> None:
    starts = game(name).starts
    assert len(np.unique(starts["hand"], axis=0)) == len(starts)
    places = [starts["hand"], starts["played"], starts["kitty"][:, None], starts["upcard"][:, None]]
    sets = np.concatenate(places, axis=1)
    assert (np.bitwise_count(sets).sum(1) == 24).all()
    assert (np.bitwise_or.reduce(sets, axis=1) == (1 << 24) - 1).all()


@pytest.mark.parametrize("name", ALL)
def test_one_seat_of_each_side_decides(name: str) -> None:
    seats = [set(side.records["turn"].tolist()) for side in game(name).sides]
    defender = {"lone_defence": {3}, "hidden_card": set()}.get(name, {1})
    assert seats == [{0}, defender]
    assert set(game(name).starts["maker"].tolist()) == {0}


def test_samples_are_seeded_starts() -> None:
    of = game("three_tricks")
    one, same = (of.sample(np.random.default_rng(5), 500) for _ in range(2))
    assert (one == same).all()
    assert len(set(one["rng"].tolist())) == 500
    known = {s.tobytes() for s in of.starts["hand"]}
    assert {s.tobytes() for s in one["hand"]} <= known
    assert len(of.sample(np.random.default_rng(5), 0)) == 0


# ---- values --------------------------------------------------------------------------------------

SIZES = {
    "two_tricks": (14280, 148600, (135, 1305), (271, 2611)),
    "three_tricks": (560, 31442, (976, 1121), (2009, 2388)),
    "lone_defence": (30, 42855, (3822, 3807), (8519, 8518)),
}
VALUES = {
    "two_tricks": Fraction(2591, 14280),
    "three_tricks": Fraction(37, 40),
    "lone_defence": Fraction(-41, 15),
    "last_choice": Fraction(1),
    "two_steps": Fraction(1),
    "hidden_card": Fraction(-2, 3),
}
UNIFORM = {
    "two_tricks": (0.339741, 0.334069),
    "three_tricks": (1.213542, 0.641667),
    "lone_defence": (-2.067975, 0.967014),
    "last_choice": (-1.5, 1.25),
    "two_steps": (-1.222222, 2.083333),
    "hidden_card": (-1.5, 0.416667),
}
"""Of the uniform policy: its value against itself, and its exploitability."""


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name: str) -> None:
    size = game(name).size
    found = (size.deals, size.nodes, size.information_sets, size.sequences)
    assert found == SIZES[name]
    assert size.nodes < 1_000_000


@pytest.mark.parametrize("name", ALL)
def test_values_and_equilibria(name: str) -> None:
    found = solved(name)
    assert found.value == pytest.approx(float(VALUES[name]), abs=1e-7)
    assert abs(found.exploitability) < 1e-7
    for side in SIDES:
        assert game(name).best_response(found.policy, side).value == pytest.approx(
            found.value, abs=1e-7
        )


@pytest.mark.parametrize("name", ALL)
def test_the_uniform_policy(name: str) -> None:
    value, exploitability = UNIFORM[name]
    assert game(name).value(uniform_policy, uniform_policy) == pytest.approx(value, abs=1e-6)
    assert game(name).exploitability(uniform_policy) == pytest.approx(exploitability, abs=1e-6)


def test_play_agrees_with_the_value() -> None:
    of = game("three_tricks")
    rounds = 60
    env = BatchEnv(rounds * len(of.starts), of.ruleset, observe=False, seed=3)
    env.reset()
    state = env.get_state()
    state["states"][:] = np.tile(of.starts, rounds)
    env.set_state(state)
    points = np.zeros(len(env))
    for step in range(6):
        rewards, done = env.step(env.random_actions())
        assert done.all() == (step == 5)
        points = rewards[:, 0].astype(float)
    error = points.std() / np.sqrt(len(points))
    assert abs(points.mean() - UNIFORM["three_tricks"][0]) < 5 * error
    assert error < 0.02


def test_an_equilibrium_holds_its_value_against_anyone() -> None:
    of, found = game("three_tricks"), solved("three_tricks")
    assert of.value(found.policy, uniform_policy) > found.value
    assert of.value(uniform_policy, found.policy) < found.value
    greedy = pure_policy(lambda states, sets: [int(x).bit_length() - 1 for x in sets])
    assert of.value(found.policy, greedy) > found.value - 1e-9
    assert of.value(greedy, found.policy) < found.value + 1e-9


def pure_value(of: SmallGame, me: int) -> float:
    """What a side can be sure of without mixing, by an integer programme."""

    def flow(side: Any) -> csr_array:
        rows, columns, values = [0], [0], [1.0]
        for i, (acts, parent, first) in enumerate(zip(side.legal, side.parent, side.first)):
            count = int(acts).bit_count()
            rows += [1 + i] * (1 + count)
            columns += [int(parent), *range(int(first), int(first) + count)]
            values += [-1.0] + [1.0] * count
        return csr_array((values, (rows, columns)))

    own, other = flow(of.sides[me]), flow(of.sides[1 - me])
    points = of.form.points if me == 0 else -of.form.points.T
    n, m = own.shape[1], other.shape[0]
    start = np.eye(1, own.shape[0])[0]
    found = milp(
        -np.eye(1, n + m, n)[0],
        integrality=np.repeat([1, 0], [n, m]),
        bounds=Bounds(np.repeat([0, -np.inf], [n, m]), np.repeat([1, np.inf], [n, m])),
        constraints=[
            LinearConstraint(hstack([-points.T, other.T]), -np.inf, 0),
            LinearConstraint(hstack([own, csr_array((own.shape[0], m))]), start, start),
        ],
    )
    assert found.success
    return float((1 - 2 * me) * -found.fun / of.form.deals)


def test_both_sides_have_to_mix() -> None:
    of, value = game("three_tricks"), solved("three_tricks").value
    assert pure_value(of, 0) == pytest.approx(value - 3 / 560, abs=1e-6)
    assert pure_value(of, 1) == pytest.approx(value + 3 / 560, abs=1e-6)


# ---- perfect information and bounds --------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_with_all_cards_seen_it_is_double_dummy(name: str) -> None:
    informed = game(name).with_informed(*SIDES)
    assert informed.solve().value == pytest.approx(double_dummy(game(name)), abs=1e-7)


def test_a_single_deal_is_minimax() -> None:
    of = game("three_tricks")
    r = of.ruleset.record()[0]
    for row in random.Random(2).sample(range(560), 10):
        expected = minimax.value(of.starts[row], r, points=True)
        assert one_deal(of, row).solve().value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_whoever_sees_more_does_no_worse(name: str) -> None:
    of = game(name)
    makers, defenders = (of.with_informed(side).solve().value for side in SIDES)
    for value in (solved(name).value, double_dummy(of)):
        assert defenders - 1e-7 <= value <= makers + 1e-7
    assert makers - defenders > 0.1


# ---- another method ------------------------------------------------------------------------------


class Node:
    """A position of the tree that the tests walk."""

    def __init__(self, s: Any, ruleset: Ruleset) -> None:
        r = ruleset.record()[0]
        self.maker = int(s.turn) % 2 == int(s.maker) % 2
        self.acts = [a for a in range(38) if int(rules.legal(s, r)) >> a & 1]
        self.points = int(rules.reward(s, s.maker)) if not self.acts else 0
        self.key = observe(s, ruleset, int(s.turn), False).tobytes() if self.acts else b""
        self.children = [Node(minimax.after(s, r, a), ruleset) for a in self.acts]


class Regrets:
    """Regret-matching+ at one information set, with a linearly weighted average."""

    def __init__(self, acts: int) -> None:
        self.regret = np.zeros(acts)
        self.total = np.zeros(acts)

    def now(self) -> np.ndarray:
        positive = self.regret.sum()
        return self.regret / positive if positive > 0 else np.full(len(self.regret), 1 / len(self))

    def average(self) -> np.ndarray:
        return self.total / self.total.sum()

    def __len__(self) -> int:
        return len(self.regret)


def walk(
    node: Node, sets: dict[bytes, Regrets], gains: dict[bytes, Any], makers: bool, reach: Any
) -> float:
    """The makers' points from a node; collects gains for the side whose turn it is to learn."""
    if not node.acts:
        return float(node.points)
    here = sets.setdefault(node.key, Regrets(len(node.acts)))
    chances = here.now()
    values = np.zeros(len(here))
    for k, child in enumerate(node.children):
        after = (
            (reach[0] * chances[k], reach[1]) if node.maker else (reach[0], reach[1] * chances[k])
        )
        values[k] = walk(child, sets, gains, makers, after)
    value = float(chances @ values)
    if node.maker == makers:
        own, other = reach if makers else reach[::-1]
        sign = 1 if makers else -1
        entry = gains.setdefault(node.key, [np.zeros(len(here)), own * chances])
        entry[0] += other * sign * (values - value)
    return value


def regret_minimisation(roots: list[Node], rounds: int) -> dict[bytes, Regrets]:
    """CFR+ (Tammelin 2014): the sides learn in turn, regrets never fall below zero."""
    sets: dict[bytes, Regrets] = {}
    for t in range(1, rounds + 1):
        for makers in (True, False):
            gains: dict[bytes, Any] = {}
            for root in roots:
                walk(root, sets, gains, makers, (1.0, 1.0))
            for key, (gain, played) in gains.items():
                sets[key].regret = np.maximum(sets[key].regret + gain, 0)
                sets[key].total += t * played
    return sets


def policy_of(sets: dict[bytes, Regrets], ruleset: Ruleset) -> Callable[..., np.ndarray]:
    def policy(states: np.ndarray, legal_sets: np.ndarray) -> np.ndarray:
        out = uniform_policy(states, legal_sets)
        for i, s in enumerate(states):
            found = sets.get(observe(s, ruleset, int(s["turn"]), False).tobytes())
            if found is not None and found.total.sum() > 0:
                out[i, out[i] > 0] = found.average()
        return out

    return policy


def test_regret_minimisation_comes_to_the_same_value() -> None:
    of = tiny()
    found = of.solve()
    roots = [Node(s, of.ruleset) for s in of.starts]
    early = policy_of(regret_minimisation(roots, 2), of.ruleset)
    late = policy_of(regret_minimisation(roots, 25), of.ruleset)
    assert of.exploitability(uniform_policy) > 0.3
    assert of.exploitability(early) > 0.02
    assert of.exploitability(late) < 0.01
    assert of.value(late, late) == pytest.approx(found.value, abs=0.02)


# ---- best answers --------------------------------------------------------------------------------


def random_policy(seed: int) -> Callable[..., np.ndarray]:
    def policy(states: np.ndarray, legal_sets: np.ndarray) -> np.ndarray:
        mask = uniform_policy(states, legal_sets) > 0
        chances = np.random.default_rng(seed).exponential(size=mask.shape) ** 3 * mask
        return chances / chances.sum(1, keepdims=True)

    return policy


@pytest.mark.parametrize("side", SIDES)
def test_a_best_answer_earns_its_value_and_no_policy_earns_more(side: str) -> None:
    of = game("three_tricks")
    sign = 1 if side == "makers" else -1

    def meet(mine: Any, theirs: Any) -> float:
        return of.value(mine, theirs) if side == "makers" else of.value(theirs, mine)

    for seed in range(5):
        target = random_policy(seed)
        best = of.best_response(target, side)
        assert meet(best.policy, target) == pytest.approx(best.value, abs=1e-9)
        others = [uniform_policy, solved("three_tricks").policy, random_policy(seed + 50)]
        assert all(sign * (best.value - meet(other, target)) > 0 for other in others)


@pytest.mark.parametrize("name", ["two_steps", "last_choice"])
def test_a_best_answer_against_all_pure_policies(name: str) -> None:
    of, target = game(name), random_policy(9)
    makers = of.sides[0]
    choices = [[a for a in range(38) if int(x) >> a & 1] for x in makers.legal]
    values = []
    for chosen in product(*choices):
        policy = pure_policy(lambda states, sets, chosen=chosen: np.array(chosen))
        values.append(of.value(policy, target))
    assert len(values) >= 2
    assert of.best_response(target, "makers").value == pytest.approx(max(values), abs=1e-12)


def test_exploitability_is_the_mean_gain() -> None:
    of, target = game("two_tricks"), random_policy(4)
    against = of.value(target, target)
    makers = of.best_response(target, "makers").value - against
    defenders = against - of.best_response(target, "defenders").value
    assert of.exploitability(target) == pytest.approx((makers + defenders) / 2, abs=1e-12)
    assert min(makers, defenders) > 0


def test_an_agent_as_a_policy() -> None:
    of = game("three_tricks")
    table = RuleTable.of([of.ruleset])
    agent = make("greedy")

    def act(states: np.ndarray, legal_sets: np.ndarray) -> np.ndarray:
        which = np.zeros(len(states), np.int16)
        view = view_of(states, table, which, np.zeros(len(states), np.uint64))
        assert (view.legal == legal_sets).all()
        return agent.act(view)

    policy = pure_policy(act)
    assert 0.01 < of.exploitability(policy) < of.exploitability(uniform_policy)
    assert of.value(policy, solved(of.name).policy) < solved(of.name).value


# ---- who sees what -------------------------------------------------------------------------------


def test_a_policy_sees_cleared_records_only() -> None:
    of = game("lone_defence")
    shown = []

    def spy(states: np.ndarray, legal_sets: np.ndarray) -> np.ndarray:
        shown.append(states.copy())
        states["hand"] = 2**32 - 1  # what a policy does to its copy changes nothing
        return uniform_policy(states, legal_sets)

    assert of.value(spy, spy) == pytest.approx(UNIFORM["lone_defence"][0], abs=1e-6)
    for states in shown:
        others = np.arange(4) != states["turn"][:, None]
        assert (states["hand"][others] == 0).all()
        assert (states["hand"][~others] > 0).all()
        assert not states["kitty"].any() and not states["rng"].any()
    assert of.value(spy, spy) == pytest.approx(UNIFORM["lone_defence"][0], abs=1e-6)


def test_generators_do_not_tell_deals_apart() -> None:
    of = tiny()
    seeded = of.starts.copy()
    seeded["rng"] = np.arange(1, len(seeded) + 1)
    again = SmallGame("seeded", of.ruleset, seeded)
    assert again.size == of.size
    assert again.with_informed(*SIDES).size == of.with_informed(*SIDES).size
    assert (seeded["rng"] > 0).all()


def test_an_equilibrium_can_be_played() -> None:
    of, found = game("three_tricks"), solved("three_tricks")
    env = BatchEnv(len(of.starts), of.ruleset, observe=False)
    env.reset()
    state = env.get_state()
    state["states"][:] = of.starts
    env.set_state(state)
    rng = np.random.default_rng(0)
    for _ in range(6):
        chances = found.policy(cleared(env.states, of.ruleset), env.legal)
        assert (chances[env.action_mask == 0] == 0).all()
        assert chances.sum(1) == pytest.approx(1)
        rewards, done = env.step(np.array([rng.choice(38, p=row) for row in chances]))
    assert done.all()
    assert rewards[:, 0].mean() == pytest.approx(found.value, abs=0.3)


# ---- positions that are decided ------------------------------------------------------------------


def all_points(s: Any, r: Any) -> set[int]:
    """The makers' points at the end of every line of play."""
    if s.phase == rules.OVER:
        return {int(rules.reward(s, s.maker))}
    acts = int(rules.legal(s, r))
    return set().union(*(all_points(minimax.after(s, r, a), r) for a in range(25) if acts >> a & 1))


def test_a_settled_position_has_one_result() -> None:
    rng = random.Random(8)
    seen = {True: 0, False: 0}
    for _ in range(150):
        ruleset = Ruleset(
            stick_the_dealer=True,
            defend_alone="any",
            no_trump="stuck_dealer" if rng.random() < 0.2 else "off",
        )
        table = Table.dealt(ruleset, random_deck(rng), rng.randrange(4))
        while table.s.phase != rules.PLAY or table.s.trick < 3:
            table.do(rng.choice(sorted(table.legal)))
        for _ in range(rng.randrange(3)):
            table.do(rng.choice(sorted(table.legal)))
        settled = bool(is_settled(table.s, table.r))
        seen[settled] += 1
        assert not settled or len(all_points(table.s, table.r)) == 1
    assert min(seen.values()) > 20


def test_a_penalised_renege_unsettles() -> None:
    of = probe("last_choice").game
    s = play_on(of.starts, of.ruleset, "AS")
    s = play_on(s, of.ruleset, "9C")
    strict, loose = (of.ruleset.replace(renege=x).record()[0] for x in ("impossible", "penalised"))
    assert is_settled(s[0], strict)
    assert not is_settled(s[0], loose)


def test_the_partner_of_the_lone_defender_is_sure_of_two_points() -> None:
    of = game("lone_defence")
    r = of.ruleset.record()[0]
    assert not is_settled(play_on(of.starts, of.ruleset, "defend_alone")[0], r)
    rng = random.Random(4)
    for s in play_on(of.starts, of.ruleset, "defend_together"):
        assert is_settled(s, r)
        for _ in range(20):
            line = copy(s)
            while line.phase != rules.OVER:
                acts = int(rules.legal(line, r))
                rules.apply(line, r, np.int64(rng.choice([a for a in range(25) if acts >> a & 1])))
            assert line.points.tolist() == [0, 2, 0, 0]


# ---- probes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROBES)
def test_a_probe_has_one_right_card(name: str) -> None:
    p = probe(name)
    assert solved(name).value == pytest.approx(p.value, abs=1e-9)
    assert p.why == describe(name)
    s = p.game.starts[0]
    legal = int(rules.legal(s, p.game.ruleset.record()[0]))
    words = {action_text(a, "trump", s) for a in range(38) if legal >> a & 1}
    assert p.right in words and len(words) > 1
    for word in words:
        after = SmallGame("after", p.game.ruleset, play_on(p.game.starts, p.game.ruleset, word))
        loss = p.value - after.solve().value
        assert loss == pytest.approx(0, abs=1e-9) if word == p.right else loss > 1.5


def test_the_second_step_has_one_right_card_too() -> None:
    p = probe("two_steps")
    s = play_on(play_on(p.game.starts, p.game.ruleset, "JH"), p.game.ruleset, "QH")
    values = {
        word: SmallGame(word, p.game.ruleset, play_on(s, p.game.ruleset, word)).solve().value
        for word in ("AS", "TC")
    }
    assert values == {"AS": 1, "TC": -4}


def test_a_side_without_decisions_is_not_asked() -> None:
    of = probe("hidden_card").game
    assert len(of.sides[1].legal) == 0
    assert of.value(uniform_policy, lambda states, sets: 1 / len(states)) == pytest.approx(-1.5)


def test_the_hidden_card_is_hidden() -> None:
    of = probe("hidden_card").game
    assert len(of.starts) == 3
    assert len(of.sides[0].legal) == 1
    assert double_dummy(of) == 1
    wrong = SmallGame("wrong", of.ruleset, play_on(of.starts, of.ruleset, "AS"))
    assert wrong.solve().value == pytest.approx(-7 / 3)


# ---- bad input -----------------------------------------------------------------------------------


def answering(change: Callable[[np.ndarray], Any]) -> Callable[..., Any]:
    return lambda states, sets: change(uniform_policy(states, sets))


def with_illegal(chances: np.ndarray) -> np.ndarray:
    chances[3, 36] += 0.5
    return chances


def with_negative(chances: np.ndarray) -> np.ndarray:
    acts = np.flatnonzero(chances[2])
    chances[2, acts[:2]] = -1, 2
    return chances


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c[:-1], r"shape \(975, 38\): chances \(976, 38\) are due"),
        (lambda c: c * 0.9, "row 0 are no distribution over the legal acts: they sum to 0.9"),
        (lambda c: c * np.nan, "row 0 are no distribution"),
        (with_illegal, "row 3 are no distribution .* 0.5 lies on illegal acts"),
        (with_negative, "row 2 are no distribution"),
    ],
)
def test_a_policy_that_is_none(change: Callable[[np.ndarray], Any], message: str) -> None:
    of = game("three_tricks")
    with pytest.raises(ValueError, match=message):
        of.value(answering(change), uniform_policy)


def test_single_precision_will_do() -> None:
    of = game("three_tricks")
    single = answering(lambda c: c.astype(np.float32))
    expected = of.value(uniform_policy, uniform_policy)
    assert of.value(single, single) == pytest.approx(expected, abs=1e-6)


def test_a_full_record_is_no_information_set() -> None:
    of = game("three_tricks")
    sets = np.array([int(rules.legal(s, of.ruleset.record()[0])) for s in of.starts])
    with pytest.raises(ValueError, match="shows the hands of others: give cleared"):
        solved("three_tricks").policy(of.starts, sets)
    chances = of.with_informed("makers").solve().policy(of.starts, sets)
    assert chances.sum(1) == pytest.approx(1)


def test_a_table_knows_its_own_game_only() -> None:
    of = game("two_tricks")
    seen = cleared(of.starts[:200], of.ruleset)
    sets = np.array([int(rules.legal(s, of.ruleset.record()[0])) for s in seen])
    other = solved("three_tricks").policy(seen, sets)
    assert (other == uniform_policy(seen, sets)).all()
    assert (solved("two_tricks").policy(seen, sets) != other).any()


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match="small game='four' is unknown: use 'two_tricks' or"):
        small_game("four")
    with pytest.raises(ValueError, match="probe='two_tricks' is unknown: use 'last_choice' or"):
        probe("two_tricks")
    with pytest.raises(ValueError, match="small game='x' is unknown"):
        describe("x")
    with pytest.raises(ValueError, match="informed='dealer' is unknown: use 'makers' or"):
        tiny().with_informed("dealer")
    with pytest.raises(ValueError, match="side='dealer' is unknown"):
        tiny().best_response(uniform_policy, "dealer")
    with pytest.raises(ValueError, match="count=-1 must be an integer of at least 0"):
        tiny().sample(np.random.default_rng(1), -1)


def test_a_setup_with_an_illegal_act() -> None:
    held = {0: "AC AH QD KD AD", 1: "KC 9H QS KS JH"}
    ruleset = Ruleset(stick_the_dealer=True, defend_alone="vs_loner")
    setup = Setup(0, "9S", held, "", {}, f"{CALL} defend_alone KC AH")
    with pytest.raises(ValueError, match="act 12, AH, is not legal in deal 0"):
        starts_of(setup, ruleset)


def test_no_deals_or_no_maker() -> None:
    of = tiny()
    with pytest.raises(ValueError, match="'none' needs deals in which trump is named"):
        SmallGame("none", of.ruleset, of.starts[:0])
    fresh = rules.new_states(1)
    fresh[0] = Table().s
    with pytest.raises(ValueError, match="'bids' needs deals in which trump is named"):
        SmallGame("bids", Ruleset(), fresh)


def test_a_partner_who_decides() -> None:
    table = Table.dealt(Ruleset(), random_deck(random.Random(1)), 0)
    table.do("order_up", "with_partner")
    while table.s.trick < 2:
        table.do(sorted(table.legal)[0])
    starts = rules.new_states(1)
    starts[0] = table.s
    with pytest.raises(ValueError, match="decide: a small game needs one of each side"):
        _ = SmallGame("four hands", table.ruleset, starts).form
