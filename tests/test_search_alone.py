"""``pimc:N`` in games without partners: legal, blind, the same again, and the best mean.

The point-count player's calls in these games are checked here too, since they were fitted with it.
"""

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

import agents
from agents.base import AgentError, RuleTable, View, check_actions, view_of
from agents.evaluation import play_match
from agents.search import worlds
from euchre_env import belief, rules
from euchre_env.actions import action_text
from euchre_env.batch import BatchEnv
from euchre_env.ruleset import VARIANT_PRESETS, Ruleset
from euchre_env.solver import ILLEGAL, solve_many
from euchre_env.testing import permute_hidden, random_ruleset
from tests.table import Table, copy, deck_with, hidden_from, random_deck

GAMES = [
    *VARIANT_PRESETS,
    "three_hand,dummy_exchange=false",
    "two_hand,two_hand_dummy=maker",
    "cutthroat,widow_exchange=true,drop_out=true,points_drop_out=1",
]


@cache
def rulesets(count: int = 60) -> tuple[Ruleset, ...]:
    """The presets and random rule sets of games of one number of players each."""
    draw, found = random.Random(3), [Ruleset.parse(text) for text in GAMES]
    while len(found) < count:
        ruleset = random_ruleset(draw, variants=True)
        found += [] if ruleset.is_partnership else [ruleset]
    return tuple(found)


@cache
def positions(players: int) -> View:
    """Decisions of all phases, in full, by random and by the point-count player's play."""
    env = BatchEnv(60, [r for r in rulesets() if r.players == players], seed=12, observe=False)
    env.reset()
    table, greedy, found = RuleTable.of(env.rulesets), agents.make("greedy"), []
    for step in range(40):
        seeds = np.random.default_rng(step).integers(2**63, size=len(env), dtype=np.uint64)
        view = view_of(env.states, table, env.which.copy(), seeds, oracle=True)
        common = np.isin(view.states["phase"], (rules.PLAY, rules.BID1, rules.BID2))
        found.append(view.select(np.flatnonzero(~common | (np.arange(len(env)) % 8 == step % 8))))
        half = np.arange(len(env)) % 2 == 0
        env.step(np.where(half, env.random_actions(), greedy.act(view)))
    return View(
        np.concatenate([v.states for v in found]),
        table,
        np.concatenate([v.which for v in found]),
        np.concatenate([v.seeds for v in found]),
        np.concatenate([v.full_states for v in found if v.full_states is not None]),
    )


def answer(name: str, table: Table) -> str:
    """What a player does at a table."""
    states = rules.new_states(1)
    states[0] = table.s
    one = RuleTable.of([table.ruleset])
    view = view_of(states, one, np.zeros(1, np.int16), np.ones(1, np.uint64))
    agent = agents.make(name)
    return action_text(int(check_actions(view, agent.act(view), name)[0]), "trump", table.s)


# --- the contract ------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_legal_in_every_phase_and_the_same_on_any_number_of_threads(players: int) -> None:
    view, agent = positions(players), agents.make("pimc:3")
    early = {rules.BID1, rules.BID2, rules.DISCARD, rules.PLAY}
    more = {
        2: {rules.DUMMY_EXCHANGE},
        3: {rules.DUMMY_EXCHANGE, rules.LONER, rules.STAY},
        4: {rules.STAY},
    }
    assert set(view.states["phase"].tolist()) == early | more[players]
    found = []
    for threads in (1, 3):
        agent.threads = threads
        found.append(check_actions(view, agent.act(view), agent.name))
    assert np.array_equal(found[0], found[1])
    order = np.random.default_rng(1).permutation(len(view))[:60]
    assert np.array_equal(agent.act(view.select(order)), found[0][order])  # other company
    other = View(view.states, view.table, view.which, view.seeds + np.uint64(1))
    assert (agent.act(other) != found[0]).any()  # seeds matter


@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_hidden_card_influences_it(players: int) -> None:
    view, agent, draw = positions(players), agents.make("pimc:3"), random.Random(7)
    assert view.full_states is not None
    others = view.full_states.copy()
    for row, s in enumerate(view.full_states):
        r = view.rules[view.which[row]]
        others[row] = permute_hidden(s.view(np.recarray)[()], r, int(s["turn"]), draw)
    twin = view_of(others.view(np.recarray), view.table, view.which, view.seeds)
    assert (others["hand"] != view.full_states["hand"]).any(axis=1).mean() > 0.9
    assert np.array_equal(agent.act(twin), agent.act(view))


def test_one_view_may_hold_games_with_partners_and_without() -> None:
    """Each is answered as beside its own kind."""
    of = [Ruleset.parse("stick"), Ruleset.parse("buck")]
    env = BatchEnv(40, of, seed=3, observe=False)
    env.reset()
    agent, table = agents.make("pimc:3"), RuleTable.of(of)
    for step in range(12):
        seeds = np.random.default_rng(step).integers(2**63, size=40, dtype=np.uint64)
        view = view_of(env.states, table, env.which, seeds)
        actions = check_actions(view, agent.act(view), agent.name)
        for which in (0, 1):
            rows = np.flatnonzero(env.which == which)
            assert np.array_equal(agent.act(view.select(rows)), actions[rows])
        env.step(actions)


@pytest.mark.parametrize("name", ["pimc:0", "pimc:many", "pimc:5+infr"])
def test_a_wrong_number_of_worlds_is_refused(name: str) -> None:
    with pytest.raises(AgentError, match="give a number of worlds from 1 to 100000"):
        play_match(name, "greedy", 4, "three_hand")


def test_a_record_that_no_deal_explains_is_named() -> None:
    view = positions(3)
    choice = view.action_mask.sum(axis=1) > 1
    rows = np.flatnonzero((view.states["phase"] == rules.BID1) & choice)[:9]
    broken = view.select(rows)
    broken.states["void"][7] = (1 << 25) - 1
    with pytest.raises(AgentError, match=r"^pimc:3: no deal .* in game 7$"):
        agents.make("pimc:3").act(broken)


# --- what it chooses ---------------------------------------------------------------------------


def worlds_of(s: Any, ruleset: Ruleset, seed: np.uint64, count: int) -> Any:
    """The worlds of a decision."""
    found, weights = rules.new_states(count), np.zeros(count)
    table, r = belief.new_belief()[0], ruleset.record()[0]
    assert worlds.deal_worlds(table, s, r, seed, False, found, weights)
    return found


def one(view: View, row: int) -> tuple[Any, Ruleset]:
    return view.states[row : row + 1].view(np.recarray)[0], view.rulesets[view.which[row]]


@pytest.mark.parametrize("players", [2, 3])
def test_a_card_has_the_best_mean_value_where_two_sides_play(players: int) -> None:
    compared, view = 0, positions(players)
    choice = view.legal & (view.legal - 1) != 0
    for row in np.flatnonzero((view.states["phase"] == rules.PLAY) & choice):
        s, ruleset = one(view, row)
        if ruleset.variant in ("three_hand_dummy", "two_hand"):
            action = int(agents.make("pimc:7").act(view.select([row]))[0])
            found = worlds_of(s, ruleset, view.seeds[row], 7)
            values = solve_many(found, ruleset.record(), threads=1)
            makers = s.turn == s.maker
            means = np.where(values == ILLEGAL, -99, values if makers else -values).mean(axis=0)
            assert means[action] == pytest.approx(means.max())
            compared += 1
    assert compared > 30


def finished_by_greedy(s: Any, ruleset: Ruleset, action: int) -> list[float]:
    """What an act leads to for each seat when the point-count player, seeing its own, goes on."""
    at, r, greedy = copy(s), ruleset.record()[0], agents.make("greedy")
    rules.apply(at, r, np.int64(action))
    while at.phase != rules.OVER:
        states = rules.new_states(1)
        states[0] = hidden_from(at, ruleset, int(at.turn))
        view = View(states, RuleTable.of([ruleset]), np.zeros(1, np.int16), np.ones(1, np.uint64))
        rules.apply(at, r, greedy.act(view)[0])
    return [float(rules.seat_reward(at, r, seat)) for seat in range(4)]


@pytest.mark.parametrize("text", ["buck", "cutthroat", "dirty_clubs", "three_hand"])
def test_all_else_has_the_best_mean_when_worlds_are_played_out(text: str) -> None:
    compared, ruleset = 0, Ruleset.parse(text)
    two_sided = text == "three_hand"
    for seed in range(8):
        table = Table.dealt(ruleset, random_deck(random.Random(seed)), 0)
        while table.phase != "over":
            acts = [a for a in range(38) if int(rules.legal(table.s, table.r)) >> a & 1]
            few = table.phase in ("discard", "dummy_exchange", "play")
            if few and len(acts) > 1 and not (two_sided and table.phase == "play"):
                seen = hidden_from(table.s, ruleset, table.turn)
                found = worlds_of(seen, ruleset, np.uint64(1), 4)
                sums = {
                    a: sum(finished_by_greedy(w, ruleset, a)[table.turn] for w in found)
                    for a in acts
                }
                best = {
                    action_text(a, "trump", table.s)
                    for a in acts
                    if sums[a] == pytest.approx(max(sums.values()))
                }
                chosen = answer("pimc:4", table)
                assert chosen in best
                favourite = answer("greedy", table)
                assert favourite not in best or chosen == favourite
                compared += len(best) < len(acts)
            table.do(answer("greedy", table) if table.phase != "bid1" else sorted(table.legal)[0])
    assert compared > 10


@pytest.mark.parametrize("text", GAMES[:-1])
def test_the_five_highest_trumps_are_called(text: str) -> None:
    ruleset = Ruleset.parse(text)
    table = Table.dealt(ruleset, deck_with({1: "JH JD AH KH QH"}, "9H"), 0)
    for name in ("pimc:20", "greedy"):
        assert answer(name, table) == "order_up"
    table.do("order_up", sorted(table.hand(0) - {"9H"})[0])
    if table.phase == "loner":
        assert answer("pimc:20", table) == answer("greedy", table) == "alone"


@pytest.mark.parametrize("text", ["buck", "cutthroat", "two_hand", "dirty_clubs"])
def test_a_hopeless_hand_passes(text: str) -> None:
    table = Table.dealt(Ruleset.parse(text), deck_with({1: "9C TC 9D TD 9S"}, "JH"), 0)
    assert answer("pimc:20", table) == answer("greedy", table) == "pass"


def test_a_hand_without_a_trick_drops_out() -> None:
    table = Table.dealt(
        Ruleset.parse("dirty_clubs"),
        deck_with({1: "JH JD AH KH QH", 2: "9C TC 9D TD 9S"}, "TH"),
        0,
    )
    table.do("order_up", "9H" if "9H" in table.hand(0) else sorted(table.hand(0))[0])
    assert table.at == ("stay", 2)
    assert answer("pimc:20", table) == answer("greedy", table) == "pass"


def test_the_dummy_makes_the_point_count_player_call_lighter() -> None:
    """19 points as dealer will do with a dead dummy, 11 with one to take; 15 lie between."""
    for text, word in (("three_hand", "order_up"), ("three_hand,dummy_exchange=false", "pass")):
        # Jack and king of hearts with the nine turned up, and the ace of spades.
        table = Table.dealt(Ruleset.parse(text), deck_with({0: "QH TH AS 9C TC"}, "9H"), 0)
        assert answer("greedy", table.do("pass", "pass")) == word


# --- strength ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", VARIANT_PRESETS)
def test_it_beats_the_point_count_player(text: str) -> None:
    """Few deals, always the same; docs/players.md has the gain over more of them."""
    result = play_match("pimc:20", "greedy", 400, text, seed=1)
    assert result.points_per_hand > 0
