"""The solver in games without partners, against the plain minimax, and where it refuses them."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from euchre_env import rules
from euchre_env.actions import TO_ABSOLUTE, action_id, action_text
from euchre_env.ruleset import Ruleset
from euchre_env.solver import (
    ILLEGAL,
    OBJECTIVES,
    PlayCost,
    analyse_play,
    best_call,
    solve,
    solve_many,
)
from euchre_env.testing import random_ruleset
from tests import minimax
from tests.table import Table, copy, deck_with, hidden_from, lively_choice, random_deck

THREE = Ruleset.preset("three_hand")
TWO = Ruleset.preset("two_hand")
DUMMIES = {
    "three, dummy": THREE,
    "three, dead dummy": THREE.replace(dummy_exchange=False),
    "two": TWO,
    "two, dummy": TWO.replace(two_hand_dummy="maker"),
}
TWO_SIDED = ("three_hand_dummy", "two_hand")


def some_ruleset(rng: random.Random, variant: str) -> Ruleset:
    """A random rule set of a variant."""
    while True:
        ruleset = random_ruleset(rng, variants=True)
        if ruleset.variant == variant:
            return ruleset


def hand(ruleset: Ruleset, rng: random.Random) -> Iterator[Table]:
    """The table at each decision of a random hand."""
    table = Table.dealt(ruleset, random_deck(rng), rng.randrange(ruleset.players))
    while table.phase != "over":
        yield table
        table.do(lively_choice(rng, table.legal))


def positions(
    rng: random.Random, rulesets: list[Ruleset], count: int, wanted: Any
) -> list[tuple[Any, Ruleset]]:
    """Some positions of random hands, for each rule set in turn, that ``wanted`` accepts."""
    found: list[tuple[Any, Ruleset]] = []
    for ruleset in itertools.cycle(rulesets):
        found += [(copy(t.s), ruleset) for t in hand(ruleset, rng) if wanted(t.s)]
        if len(found) >= count:
            return found[:count]
    raise AssertionError


def assert_exact(found: list[tuple[Any, Ruleset]]) -> None:
    """Every act has the value of the plain minimax, in points and in tricks."""
    states = rules.new_states(len(found))
    for i, (s, _) in enumerate(found):
        states[i] = s
    table = np.concatenate([ruleset.record() for _, ruleset in found])
    which = np.arange(len(found), dtype=np.int16)
    for objective in OBJECTIVES:
        values = solve_many(states, table, which, objective, threads=1)
        for (s, ruleset), row in zip(found, values):
            expected = minimax.values(s, ruleset.record()[0], objective == "points")
            given = {int(a): int(row[a]) for a in np.flatnonzero(row != ILLEGAL)}
            assert given == expected, (objective, ruleset.to_dict(only_changes=True), s)


# --- against plain minimax ---------------------------------------------------------------------


@pytest.mark.parametrize("variant", TWO_SIDED)
def test_late_positions(variant: str) -> None:
    rng = random.Random(1)
    some = [some_ruleset(rng, variant) for _ in range(100)]
    found = positions(rng, some, 1000, lambda s: s.phase == rules.PLAY and s.trick >= 2)
    assert_exact(found)
    seen = Counter((int(s.maker), int(s.turn)) for s, _ in found)
    players = 3 if variant == "three_hand_dummy" else 2
    assert set(seen) == set(itertools.product(range(players), repeat=2))
    assert sum(s.buried != 0 for s, _ in found) > 100
    assert sum(s.loner >= 0 for s, _ in found) > (100 if players == 3 else -1)


@pytest.mark.parametrize("ruleset", DUMMIES.values(), ids=DUMMIES)
def test_full_deals(ruleset: Ruleset) -> None:
    """Leads of the first trick, and cards in its midst."""
    early = positions(
        random.Random(2), [ruleset], 45, lambda s: s.phase == rules.PLAY and s.trick == 0
    )
    assert_exact(early)


POINTS = [
    {"points_march": 0},
    {"points_make": 3, "points_march": 1, "points_loner_march": 0, "points_loner_four": 2},
    {"points_euchre": 5, "points_super_euchre": 9, "points_three_hand_loner_euchred": 7},
]


@pytest.mark.parametrize("options", POINTS, ids=str)
def test_points_that_do_not_rise_with_tricks(options: dict[str, int]) -> None:
    some = [THREE.replace(**options)]
    if "points_three_hand_loner_euchred" not in options:
        some.append(TWO.replace(**options))
    assert_exact(
        positions(random.Random(3), some, 250, lambda s: s.phase == rules.PLAY and s.trick > 0)
    )


def is_early(s: Any, ruleset: Ruleset) -> bool:
    """Whether an act before the lead is due that the plain minimax can try in time."""
    if ruleset is THREE:  # 336 ways to lay three cards away, one by one
        return bool(s.phase == rules.DUMMY_EXCHANGE and int(s.buried).bit_count() == 2)
    return s.phase in (rules.DISCARD, rules.LONER, rules.DUMMY_EXCHANGE)


def test_decisions_before_the_lead() -> None:
    rng = random.Random(4)
    for ruleset in DUMMIES.values():
        assert_exact(positions(rng, [ruleset], 8, lambda s, of=ruleset: is_early(s, of)))


@pytest.mark.parametrize("name", ["three, dead dummy", "two", "two, dummy"])
def test_calls(name: str) -> None:
    early = (rules.BID1, rules.BID2)
    found = positions(random.Random(5), [DUMMIES[name]], 6, lambda s: s.phase in early)
    assert_exact(found)


def test_every_way_to_lay_three_cards_away_is_weighed() -> None:
    """The dummy taken is worth the best of all hands that can be kept, each solved by itself."""
    rng = random.Random(6)
    asked = positions(rng, [THREE], 5, lambda s: s.phase == rules.LONER)
    r = THREE.record()[0]
    for s, _ in asked:
        taken = minimax.after(s, r, rules.WITH_PARTNER)
        cards = [a for a in range(25) if int(rules.legal(taken, r)) >> a & 1]
        assert len(cards) == 8
        leads = rules.new_states(56)
        for k, laid in enumerate(itertools.combinations(cards, 3)):
            at = taken
            for card in laid:
                at = minimax.after(at, r, card)
            leads[k] = at
        makers = leads["turn"] == leads["maker"]
        values = solve_many(leads, THREE.record(), threads=1)
        each = np.where(
            makers,
            np.where(values == ILLEGAL, -99, values).max(axis=1),
            np.where(values == ILLEGAL, 99, values).min(axis=1),
        )
        points = solve(s, r).points
        assert points[rules.WITH_PARTNER] == each.max()


# --- literal endings ---------------------------------------------------------------------------


def at_lead(ruleset: Ruleset, maker: int, leader: int, won: dict[int, int], *hands: str) -> Table:
    """A table about to lead to a late trick, spades trump: hands and tricks by seat."""
    table = Table.dealt(ruleset, random_deck(random.Random(1)), 0)
    s = table.s
    s.phase, s.frame, s.trump, s.maker, s.turn = rules.PLAY, 3, 3, maker, leader
    s.trick = sum(won.values())
    for seat, text in enumerate(hands):
        s.hand[seat] = sum(1 << action_id(c, "trump", s) for c in text.split())
        s.tricks[seat] = won.get(seat, 0)
    s.dummy = 0
    s.leader[s.trick] = leader
    return table


def texts(values: dict[int, int]) -> dict[str, int]:
    return {action_text(a): v for a, v in values.items()}


def test_two_defend_together() -> None:
    # North leads for the defenders, and East needs one more trick: it has to follow to the king,
    # then trumps the heart.
    table = at_lead(THREE, 1, 0, {1: 2, 2: 1}, "KC 9H", "QC TS", "AC TH")
    found = solve(table.s, table.r)
    assert texts(found.tricks) == {"KC": 3, "9H": 3}
    assert texts(found.points) == {"KC": -1, "9H": -1}
    # Without East's trump the defenders take both, which is two points for each.
    table = at_lead(THREE, 1, 0, {1: 2, 2: 1}, "KC 9H", "QC 9D", "AC TH")
    assert texts(solve(table.s, table.r).points) == {"KC": 2, "9H": 2}


def test_a_lone_hand_of_three_costs_each_defender() -> None:
    # South, alone, has four tricks; its ace beats the others' clubs, its queen does not.
    for own, march in (("AC", True), ("QC", False)):
        table = at_lead(THREE, 2, 1, {2: 4}, "KC", "TC", own)
        table.s.loner = 2
        assert texts(solve(table.s, table.r).points) == {"TC": -4 if march else -1}
        table.do("TC")
        assert texts(solve(table.s, table.r).points) == {own: 4 if march else 1}


def test_a_card_that_gives_the_march_away_between_two() -> None:
    # East leads its last trump and then the ten of clubs, which only North's ace beats.
    table = at_lead(TWO, 1, 1, {1: 3}, "AC 9D", "TC TS").do("TS")
    found = solve(table.s, table.r)
    assert texts(found.points) == {"AC": -2, "9D": -1}
    assert analyse_play(table.s, table.r, [action_id("AC")]) == [
        PlayCost(4, 0, action_id("AC"), points=1, tricks=1, better=(action_id("9D"),))
    ]


# --- for Python --------------------------------------------------------------------------------


def test_solve_counts_for_the_side_to_act() -> None:
    rng = random.Random(8)
    for ruleset in DUMMIES.values():
        for s, _ in positions(rng, [ruleset], 30, lambda s: s.phase == rules.PLAY):
            r = ruleset.record()[0]
            sign = 1 if s.turn == s.maker else -1
            row = solve_many(np.asarray(s).reshape(1), ruleset.record(), threads=1)[0]
            named = {int(TO_ABSOLUTE[s.frame, a]): sign * int(row[a]) for a in range(25)}
            found = solve(s, r)
            assert found.points == {a: v for a, v in named.items() if abs(v) < 100}
            assert found.best == tuple(
                a for a in sorted(found.points) if found.points[a] == max(found.points.values())
            )


@pytest.mark.parametrize("name", DUMMIES)
def test_costs_account_for_the_result(name: str) -> None:
    rng, ruleset = random.Random(9), DUMMIES[name]
    r = ruleset.record()[0]
    led = [p for p, _ in positions(rng, [ruleset], 60, lambda s: s.phase == rules.PLAY)]
    for s in [s for s in led if s.trick == 0 and s.count == 0]:
        at, acts = copy(s), []
        while at.phase != rules.OVER:
            legal = int(rules.legal(at, r))
            action = rng.choice([a for a in range(25) if legal >> a & 1])
            acts.append(int(TO_ABSOLUTE[at.frame, action]))
            rules.apply(at, r, action)
        costs = analyse_play(s, r, acts)
        given = sum(c.points if c.seat != s.maker else -c.points for c in costs)
        defender = (int(s.maker) + 1) % ruleset.players
        net = int(at.points[s.maker]) - int(at.points[defender])
        assert minimax.value(s, r, True) + given == net


def test_best_call_says_alone_only_where_it_is_asked() -> None:
    rng = random.Random(10)
    for ruleset, answers in ((THREE, {False, True}), (TWO, {None})):
        for s, _ in positions(rng, [ruleset], 4, lambda s: s.phase in (rules.BID1, rules.BID2)):
            r = ruleset.record()[0]
            calls = best_call(s, r)
            assert {call.alone for call in calls} == answers
            points = solve(s, r).points
            for action, value in points.items():
                assert value == max(c.points for c in calls if c.action == action)
            assert all(call.seat == s.turn for call in calls)
            assert all((call.discard is None) == (s.phase == rules.BID2) for call in calls)


# --- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["buck", "dirty_clubs", "cutthroat"])
def test_games_of_more_than_two_sides_are_refused(name: str) -> None:
    ruleset = Ruleset.preset(name)
    table = Table.dealt(ruleset, deck_with({}, upcard="QH"), 0)
    message = (
        f"^position 0 has no double-dummy value: in variant='{ruleset.variant}' each player is a "
        "side, and the value needs two; give a partnership, three-handed or two-handed game$"
    )
    for ask in (solve, best_call):
        with pytest.raises(ValueError, match=message):
            ask(table.s, table.r)
    table.do("order_up", sorted(table.hand(0))[0])
    while table.phase == "stay":
        table.do("keep")
    with pytest.raises(ValueError, match=message):
        analyse_play(table.s, table.r, [action_id(sorted(table.legal)[0])])


def test_the_rule_record_of_the_row_decides() -> None:
    table = np.concatenate([TWO.record(), Ruleset.preset("buck").record()])
    states = rules.new_states(2)
    for i, ruleset in enumerate((TWO, Ruleset.preset("buck"))):
        states[i] = Table.dealt(ruleset, random_deck(random.Random(3)), 0).s
    which = np.array([0, 1], np.int16)
    with pytest.raises(ValueError, match=r"position 1 has no .* variant='buck'"):
        solve_many(states, table, which)
    assert (solve_many(states[:1], table, which[:1]) != ILLEGAL).any()


def test_impossible_records_are_refused() -> None:
    ruleset = DUMMIES["three, dummy"]
    table = Table.dealt(ruleset, random_deck(random.Random(3)), 0)
    for viewer in range(3):
        with pytest.raises(ValueError, match=r"3 cards belong to the dummy .* cleared by hide"):
            solve(hidden_from(table.s, ruleset, viewer), table.r)
    twice = copy(table.s)
    dummy, other = int(twice.dummy), int(twice.hand[1])
    twice.dummy = dummy & (dummy - 1) | other & -other
    with pytest.raises(ValueError, match="a card is held or was played twice"):
        solve(twice, table.r)
    exchange = positions(
        random.Random(3), [ruleset], 1, lambda s: s.phase == rules.DUMMY_EXCHANGE and s.buried != 0
    )[0][0]
    solve(exchange, table.r)
    exchange.buried = 0
    with pytest.raises(ValueError, match="hands of the seats that play do not hold as many"):
        solve(exchange, table.r)
