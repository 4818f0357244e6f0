"""The searching players: names, worlds and their weights, utilities, literal spots, and the oracle.

Seat 0 deals and the dealer is stuck unless said, so that seats 1, 2 and 3 are those left of the
dealer in turn.
"""

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import agents
from agents.base import AgentError, RuleTable, View, check_actions, view_of
from agents.evaluation import play_match
from agents.search import base, ismcts, utility, worlds
from euchre_env import _jit, belief, rules
from euchre_env.actions import action_text
from euchre_env.batch import BatchEnv
from euchre_env.equity import equity_table
from euchre_env.rules import N_ACTIONS, PHASES
from euchre_env.ruleset import OPTIONS, Ruleset
from euchre_env.solver import ILLEGAL, solve_many
from euchre_env.testing import permute_hidden, random_ruleset
from tests.table import DECISION_PHASE_IDS, Table, dealt, random_deck, random_walk

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = ["pimc", "rollout", "mixed", "ismcts"]
SEARCHERS = [f"{family}:{count}" for family in FAMILIES for count in ("6", "4+infer")]
STRONG = [f"{f}:{900 if f == 'ismcts' else 60}{i}" for f in FAMILIES for i in ("", "+infer")]
"""Enough worlds for a spot that has one answer."""
BY_MEANS = [name for name in STRONG if not name.startswith("ismcts")]
"""Those that take the act of the best mean, and of equal ones the hand-written player's."""
N_RULESETS = 64


@cache
def player(name: str) -> Any:
    return agents.make(name)


def seen_by(table: Table, oracle: bool = False) -> View:
    """The view of one table."""
    states = rules.new_states(1)
    states[0] = table.s
    one = RuleTable.of([table.ruleset])
    return view_of(states, one, np.zeros(1, np.int16), np.ones(1, np.uint64), oracle=oracle)


def answer(name: str, table: Table) -> str:
    """What a player does at a table."""
    agent = player(name)
    view = seen_by(table, agent.oracle)
    return action_text(int(check_actions(view, agent.act(view), name)[0]), "trump", table.s)


@cache
def rulesets() -> tuple[Ruleset, ...]:
    draw = random.Random(31)
    return tuple(random_ruleset(draw) for _ in range(N_RULESETS))


@cache
def positions(episode: str) -> View:
    """Decisions of all phases under random rule sets, by random and hand-written play, in full."""
    env = BatchEnv(240, list(rulesets()), episode, seed=12, observe=False)
    env.reset()
    table, heuristic, found = RuleTable.of(env.rulesets), player("heuristic"), []
    for step in range(40):
        seeds = np.random.default_rng(step).integers(2**63, size=len(env), dtype=np.uint64)
        view = view_of(env.states, table, env.which.copy(), seeds, oracle=True)
        common = np.isin(view.states["phase"], (rules.PLAY, rules.BID1, rules.BID2))
        found.append(view.select(np.flatnonzero(~common | (np.arange(len(env)) % 20 == step % 20))))
        half = np.arange(len(env)) % 2 == 0
        env.step(np.where(half, env.random_actions(), heuristic.act(view)))
    return View(
        np.concatenate([v.states for v in found]),
        table,
        np.concatenate([v.which for v in found]),
        np.concatenate([v.seeds for v in found]),
        np.concatenate([v.full_states for v in found if v.full_states is not None]),
    )


# --- names and bad input -----------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "count", ["0", "-1", "many", "1e3", "10+infr", "+infer", "2.5", "100001", "3+infer+infer", " 5"]
)
def test_a_wrong_number_of_worlds_is_refused(family: str, count: str) -> None:
    with pytest.raises(AgentError) as error:
        agents.make(f"{family}:{count}")
    assert str(error.value) == (
        f"'{family}:{count}': give a number of worlds from 1 to 100000, such as '{family}:200' "
        f"or '{family}:100+infer'"
    )


@pytest.mark.parametrize("name", ["pimc:", "pimc", "rollout", "ismcts:"])
def test_a_missing_number_of_worlds_is_asked_for(name: str) -> None:
    form = name.rstrip(":") + ":N[+infer]" + "[,by:POLICY]" * name.startswith("rollout")
    with pytest.raises(AgentError) as error:
        agents.make(name)
    assert str(error.value) == f"'{name}': the parameter is missing, write '{form}'"


def test_a_wrong_name_ends_a_match_before_any_deal() -> None:
    with pytest.raises(AgentError, match="'pimc:many': give a number of worlds"):
        play_match("heuristic", "pimc:many", 10**9)


@pytest.mark.parametrize("name", ["pimc:1", "rollout:1", "ismcts:1", "pimc:100000", "pimc:7+infer"])
def test_the_name_says_worlds_and_weights(name: str) -> None:
    agent = agents.make(name)
    assert agent.name == name and agent.oracle is False
    assert (agent.worlds, agent.infer) == base.parse_count(*name.split(":"))


@pytest.mark.parametrize("name", ["pimc:2+infer", "rollout:2", "mixed:2", "ismcts:2", "oracle"])
def test_a_game_that_cannot_be_played_is_refused(name: str) -> None:
    with pytest.raises(AgentError, match=f"^{re.escape(name)} plays the partnership game only"):
        play_match(name, "random", 4, Ruleset(variant="cutthroat_widow", players=3))


def test_rules_under_which_nothing_scores_are_played() -> None:
    points = [name for name in OPTIONS if name.startswith("points_")]
    nothing = {name: 0 for name in points if OPTIONS[name].allowed_in("partnership")}
    for name in SEARCHERS:
        assert play_match(name, "random", 2, Ruleset(**nothing)).points_per_hand == 0


@pytest.mark.parametrize("name", SEARCHERS)
def test_a_record_that_no_deal_explains_is_named(name: str) -> None:
    view = positions("hand")
    rows = np.flatnonzero(view.states["phase"] == PHASES.index("bid1"))[:9]
    broken = view.select(rows)
    broken.states["void"][7] = (1 << 25) - 1
    with pytest.raises(AgentError, match=rf"^{name.replace('+', '.')}: no deal .* in game 7$"):
        agents.make(name).act(broken)


# --- every player, every phase, random rule sets -----------------------------------------------


@pytest.mark.parametrize("episode", ["hand", "game"])
@pytest.mark.parametrize("name", [*SEARCHERS, "oracle"])
def test_legal_in_every_phase_and_the_same_on_any_number_of_threads(
    name: str, episode: str
) -> None:
    view, agent = positions(episode), agents.make(name)
    assert set(view.states["phase"].tolist()) == DECISION_PHASE_IDS
    assert len(set(view.which.tolist())) >= 60  # rule sets
    found = []
    for threads in (1, 2, 3):
        agent.threads = threads
        found.append(check_actions(view, agent.act(view), name))
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
    order = np.random.default_rng(1).permutation(len(view))[:60]
    assert np.array_equal(agent.act(view.select(order)), found[0][order])  # other company
    assert np.array_equal(agents.make(name).act(view), found[0])


@pytest.mark.parametrize("name", ["pimc:1", "rollout:1", "ismcts:3"])
def test_seeds_matter_and_nothing_else_is_drawn(name: str) -> None:
    view, agent = positions("hand"), player(name)
    other = View(view.states, view.table, view.which, view.seeds + np.uint64(1))
    assert (agent.act(view) != agent.act(other)).any()


# --- literal spots -----------------------------------------------------------------------------


def before_the_march() -> Table:
    """Seat 1 called and its side has three tricks; its partner leads and seat 0 overtakes."""
    hands = {0: "KH KC KS 9S QD", 1: "JH JD AH 9C AD", 2: "TC 9D TD QC AS", 3: "AC TS QS QH TH"}
    t = dealt(hands, "9H", "JS JC KD").do("order_up with_partner QD")
    t.do("JD 9D TH 9H", "AH TD QH KH", "9C TC AC KC", "TS KS")
    assert (t.at, t.tricks, t.hand(1)) == (("play", 1), [0, 3], {"JH", "AD"})
    return t


@pytest.mark.parametrize("name", STRONG)
def test_the_last_trump_takes_the_trick_for_the_march(name: str) -> None:
    """No trump is left, so the ace takes the fifth trick."""
    assert answer(name, before_the_march()) == "JH"


def test_the_card_that_saves_the_hand_over_all_worlds_is_played() -> None:
    """All deals that agree with what was seen are listed and solved; one card gains clearly."""
    found = 0
    for seed in range(100):
        t = Table.dealt(Ruleset.stick(), random_deck(random.Random(seed)), seed % 4)
        while t.phase != "over":
            late = t.phase == "play" and t.s.trick == 3 and len(t.legal) == 2
            if late and belief.count_worlds(t.s, t.ruleset, t.turn) < 9000:
                every = belief.every_world(t.s, t.ruleset, t.turn)
                values = solve_many(every, t.ruleset.record(), threads=1)
                first, second = (a for a in range(25) if values[0, a] != ILLEGAL)
                gain = float(np.mean(values[:, first] - values[:, second]))
                if abs(gain) > 0.25:
                    found += 1
                    best = first if (gain > 0) == (t.turn % 2 == t.s.maker % 2) else second
                    assert answer("pimc:200", t) == action_text(best, "trump", t.s)
            t.do(answer("greedy", t))
    assert found > 20


@pytest.mark.parametrize("name", STRONG)
def test_a_stuck_dealer_names_a_suit(name: str) -> None:
    t = dealt({0: "9S TS 9D TD 9C"}, "AH").do("pass " * 7)
    assert answer(name, t) in {"call_S", "call_D", "call_C"}


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("name", STRONG)
def test_the_five_highest_trumps_go_alone(name: str, seat: int) -> None:
    t = dealt({seat: "JH JD AH KH QH"}, "9H").do("pass " * ((seat - 1) % 4))
    assert answer(name, t) == "order_up"
    assert answer(name, t.do("order_up")) == "alone"


@pytest.mark.parametrize("own", [8, 9])
@pytest.mark.parametrize("name", BY_MEANS)
def test_alone_adds_nothing_near_the_end_of_the_game(name: str, own: int) -> None:
    """Two points win as four do. A tie is for the hand-written player, which keeps its partner."""
    t = dealt({1: "JH JD AH KH QH"}, "9H", score=(5, own)).do("order_up")
    assert answer(name, t) == "with_partner"


@pytest.mark.parametrize("name", STRONG)
def test_a_hopeless_hand_passes(name: str) -> None:
    t = dealt({1: "9C TC 9D TD 9S"}, "JH")
    assert answer(name, t) == "pass"


@pytest.mark.parametrize("name", BY_MEANS)
def test_where_nothing_is_at_stake_the_hand_written_player_chooses(name: str) -> None:
    """The makers are euchred already: every card ends in two points."""
    tied = 0
    for seed in range(150):
        t = Table.dealt(Ruleset.stick(), random_deck(random.Random(seed)), 0).do("order_up")
        while t.phase != "over":
            if t.s.tricks[0] == 3 and len(t.legal) > 1:
                tied += 1
                assert answer(name, t) == answer("heuristic", t)
            t.do(answer("heuristic", t))
    assert tied > 20


# --- pimc: the mean of exact values over the worlds --------------------------------------------


def worlds_of(
    s: Any, ruleset: Ruleset, seed: Any, count: int, infer: bool
) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
    """The worlds and weights that a search player deals for a record cleared for its seat."""
    found, weights = rules.new_states(count), np.zeros(count)
    r = ruleset.record()[0]
    assert worlds.deal_worlds(belief.new_belief()[0], s, r, np.uint64(seed), infer, found, weights)
    return found, weights


@pytest.mark.parametrize("infer", [False, True])
def test_pimc_plays_a_card_of_the_highest_mean(infer: bool) -> None:
    count, compared = 5, 0
    agent = player(f"pimc:{count}{'+infer' * infer}")
    view = positions("hand")
    choice = view.legal & (view.legal - 1) != 0
    some = view.select(np.flatnonzero((view.states["phase"] == rules.PLAY) & choice)[::3])
    for row, action in enumerate(agent.act(some)):
        ruleset = some.rulesets[some.which[row]]
        found, weights = worlds_of(some.states[row], ruleset, some.seeds[row], count, infer)
        values = solve_many(found, ruleset.record(), threads=1)
        makers = found[0]["turn"] % 2 == found[0]["maker"] % 2
        means = weights @ np.where(values == ILLEGAL, -99, values if makers else -values)
        assert means[action] == pytest.approx(means.max())
        compared += 1
    assert compared > 60


# --- ismcts: the tree --------------------------------------------------------------------------


def grown(table: Table, count: int) -> Any:
    """The tree of a decision as the player grows it, TREE_NODE[used]."""
    view = seen_by(table)
    s, r = view.states[0], table.r
    found, weights = worlds_of(s, table.ruleset, view.seeds[0], count, False)
    values = np.zeros(utility.UTILITIES)
    utility.fill_utility(s, r, utility.equity_tables((table.ruleset,))[0], values)
    nodes, path = np.zeros(count + 2, ismcts.TREE_NODE), np.zeros(ismcts.MAX_PATH, np.int64)
    ismcts._clear(nodes, 0)
    used, scale = 1, ismcts._scale_of(values)
    for k in range(count):
        weight = weights[k] * count
        used = ismcts._iterate(nodes, used, found[k], r, weight, values, scale, path)
    return nodes[:used]


def visits_of(nodes: Any) -> dict[int, int]:
    """Visits by act of the root."""
    children = nodes[0]["child"]
    return {a: int(nodes[children[a]]["visits"]) for a in range(N_ACTIONS) if children[a]}


def test_ismcts_counts_its_visits_and_takes_the_most_visited() -> None:
    rng = random.Random(5)
    for seed in range(12):
        t = Table.dealt(Ruleset.stick(), random_deck(random.Random(seed)), 0)
        for now in random_walk(t, rng):
            if len(now.legal) < 2:
                continue
            nodes = grown(now, 60)
            visits = visits_of(nodes)
            assert nodes[0]["visits"] == sum(visits.values()) == 60
            assert {action_text(a, "trump", now.s) for a in visits} == now.legal
            best = max(visits, key=lambda a: visits[a])
            assert answer("ismcts:60", now) == action_text(best, "trump", now.s)
            for node in nodes[1:]:  # a node was entered once itself, then once for each child visit
                inside = sum(int(nodes[c]["visits"]) for c in node["child"] if c)
                assert node["visits"] == 1 + inside or inside == 0


def test_ismcts_converges_on_a_forced_win() -> None:
    t = before_the_march()
    shares = []
    for count in (20, 200, 2000):
        visits = visits_of(grown(t, count))
        best = max(visits, key=lambda a: visits[a])
        shares.append(visits[best] / count)
    assert shares[0] < shares[1] < shares[2]
    assert action_text(best, "trump", t.s) == "JH"


# --- worlds and weights ------------------------------------------------------------------------


def test_weights_are_equal_without_inference_and_sum_to_one_with_it() -> None:
    view, varied = positions("hand"), 0
    for row in range(0, len(view), 17):
        s, ruleset = view.states[row], view.rulesets[view.which[row]]
        _, equal = worlds_of(s, ruleset, 3, 8, False)
        assert np.array_equal(equal, np.full(8, 1 / 8))
        _, weights = worlds_of(s, ruleset, 3, 8, True)
        assert weights.sum() == pytest.approx(1) and (weights > 0).all()
        varied += np.ptp(weights) > 0.01
    assert varied > 40


def test_the_first_worlds_of_many_are_those_of_few() -> None:
    view = positions("hand")
    for row in range(0, len(view), 97):
        s, ruleset = view.states[row], view.rulesets[view.which[row]]
        few, many = (worlds_of(s, ruleset, 8, n, False)[0] for n in (3, 9))
        assert few.tobytes() == many[:3].tobytes()


def chance_of(table: Table, viewer: int) -> float:
    """The likelihood of the acts of a full record, as a seat weighs it."""
    deck, past = np.zeros(25, np.int8), rules.new_states(1)[0]
    return float(worlds.likelihood(table.s, table.r, viewer, deck, past))


def test_a_pass_speaks_against_both_bowers() -> None:
    """Seat 3 is to call after two passes; the two worlds differ in the hand of one passer."""
    own, other = "9C TC 9S TS 9D", "QC KC QD KD QS"
    strong, plain = "JH JD AH AS KS", "JC AC AH AS KS"
    for seat, factor in ((1, 0.9), (2, 0.5)):  # seat 2 has the better reason to order
        both, neither = (
            dealt({seat: hand, 3 - seat: other, 3: own}, "QH").do("pass pass")
            for hand in (strong, plain)
        )
        assert chance_of(both, 3) < factor * chance_of(neither, 3)
    assert chance_of(dealt({3: own}, "QH"), 3) == 1.0  # nobody has acted


def test_an_order_speaks_for_strength() -> None:
    own, other, dealer = "9C TC 9S TS 9D", "QC KC QD KD QS", "9H TH KH JC AC"
    strong, weak = (
        dealt({0: dealer, 1: other, 2: hand, 3: own}, "QH").do("pass order_up with_partner AC")
        for hand in ("JH AH AS KS JS", "TD JD AS KS JS")
    )
    assert chance_of(weak, 3) < 0.8 * chance_of(strong, 3)


def games_to_weigh() -> Iterator[Table]:
    """Full records at decisions and at the end, under random rule sets."""
    rng = random.Random(77)
    for ruleset in rulesets()[:40]:
        deck = random_deck(rng, ruleset.joker, redraw=ruleset.joker_upcard == "redraw")
        for k, table in enumerate(random_walk(Table.dealt(ruleset, deck, rng.randrange(4)), rng)):
            if k % 4 == 3 or table.phase == "over":
                yield table


def test_the_likelihood_is_the_product_over_the_others_acts() -> None:
    """Own acts and forced acts say nothing."""
    compared = 0
    for table in games_to_weigh():
        for viewer in range(4):
            product = 1.0
            for s, action in belief.history(table.s, table.ruleset):
                acts = int(rules.legal(s, table.r))
                if s.turn != viewer and acts & (acts - 1):
                    product *= worlds.act_likelihood(s, table.r, np.int64(acts), np.int64(action))
            assert chance_of(table, viewer) == pytest.approx(product, rel=1e-9)
            compared += product < 1
    assert compared > 300


def test_probabilities_of_acts_are_probabilities() -> None:
    rng, sums = random.Random(4), []
    for ruleset in rulesets()[:30]:
        deck = random_deck(rng, ruleset.joker, redraw=ruleset.joker_upcard == "redraw")
        for table in random_walk(Table.dealt(ruleset, deck, 0), rng):
            acts = int(rules.legal(table.s, table.r))
            if acts & (acts - 1):
                each = [
                    worlds.act_likelihood(table.s, table.r, np.int64(acts), np.int64(a))
                    for a in range(N_ACTIONS)
                    if acts >> a & 1
                ]
                assert min(each) > 0
                sums.append((table.phase, sum(each)))
    for phase, total in sums:
        assert total <= 1 + 1e-9 or phase in ("bid2", "name_trump")
        assert total == pytest.approx(1) or phase == "bid2"


def test_the_model_reads_nothing_that_the_seat_cannot_see() -> None:
    """It is asked with full records: other cards in others' hands change no probability."""
    rng, moved = random.Random(6), 0
    for ruleset in rulesets()[:40]:
        deck = random_deck(rng, ruleset.joker, redraw=ruleset.joker_upcard == "redraw")
        for table in random_walk(Table.dealt(ruleset, deck, 0), rng):
            acts = int(rules.legal(table.s, table.r))
            if not acts & (acts - 1):
                continue
            twin = permute_hidden(table.s, table.r, table.turn, rng)
            moved += bool((twin.hand != table.s.hand).any())
            for action in [a for a in range(N_ACTIONS) if acts >> a & 1]:
                true, other = (
                    worlds.act_likelihood(s, table.r, np.int64(acts), np.int64(action))
                    for s in (table.s, twin)
                )
                assert true == other
    assert moved > 200


# --- what a result is worth --------------------------------------------------------------------


def worth(ruleset: Ruleset, score: tuple[int, int], seat: int, dealer: int = 0) -> Any:
    """The utilities of a seat, as a function of net points."""
    s, r = rules.new_states(1)[0], ruleset.record()[0]
    rules.new_match(s, r)
    s.score[:2] = score
    s.turn, s.dealer = seat, dealer
    values = np.zeros(utility.UTILITIES)
    utility.fill_utility(s, r, utility.equity_tables((ruleset,))[0], values)
    return lambda net: float(utility.utility_of(values, net))


def test_at_nine_all_the_next_point_wins() -> None:
    u = worth(Ruleset.stick(), (9, 9), seat=2)
    assert [u(k) for k in (-4, -2, -1, 1, 2, 4)] == [0, 0, 0, 1, 1, 1]
    # A hand without points: seat 1 deals next, the other side's.
    assert u(0) == equity_table(Ruleset.stick())[9, 9, 1]
    assert u(0) == pytest.approx(1 - equity_table(Ruleset.stick())[9, 9, 0])


@pytest.mark.parametrize("dealer", range(4))
def test_at_nine_to_six(dealer: int) -> None:
    """Own points from their own side, the next dealer to the left of this one."""
    table = equity_table(Ruleset.stick())
    ahead = worth(Ruleset.stick(), (9, 6), seat=0, dealer=dealer)
    next_is_ours = (dealer + 1) % 2 == 0
    deals = 0 if next_is_ours else 1
    assert [ahead(k) for k in (1, 2, 4)] == [1, 1, 1]
    assert [ahead(-1), ahead(-2), ahead(-4)] == [table[9, 7, deals], table[9, 8, deals], 0]
    behind = worth(Ruleset.stick(), (9, 6), seat=3, dealer=dealer)
    assert [behind(1), behind(2), behind(4)] == [table[7, 9, 1 - deals], table[8, 9, 1 - deals], 1]
    assert [behind(-1), behind(-2)] == [0, 0]
    for net in (-4, -2, -1, 0, 1, 2, 4):
        assert ahead(net) + behind(-net) == pytest.approx(1)


@pytest.mark.parametrize(
    ("rules_text", "score"),
    [
        ("stick", (0, 0)),
        ("stick,match_games=3", (7, 3)),
        ("target_score=none,hands_per_game=8", (5, 2)),
    ],
)
def test_points_count_as_points_where_no_single_game_is_decided(
    rules_text: str, score: tuple[int, int]
) -> None:
    u = worth(Ruleset.parse(rules_text), score, seat=1)
    assert [u(k) for k in range(-4, 5)] == list(range(-4, 5))
    assert u(99) == 64 and u(-99) == -64  # the ends of the table


def test_between_whole_points_worth_runs_straight() -> None:
    values = np.arange(-64, 65, dtype=np.float64) ** 3
    assert utility.utility_between(values, 2.0) == 8
    assert utility.utility_between(values, 2.5) == (8 + 27) / 2
    assert utility.utility_between(values, -0.25) == -0.25


def test_a_side_below_nothing_counts_as_at_nothing() -> None:
    u = worth(Ruleset.stick(), (-2, 3), seat=0)
    table = equity_table(Ruleset.stick())
    assert u(1) == table[0, 3, 1] and u(4) == table[2, 3, 1]


# --- strength ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [f"{family}:6" for family in FAMILIES])
def test_search_beats_random_play(name: str) -> None:
    result = play_match(name, "random", 60, "stick", seed=1)
    assert result.points_per_hand - 1.5 * result.ci95 > 0


# --- the oracle --------------------------------------------------------------------------------


def test_the_oracle_says_what_it_is() -> None:
    assert player("oracle").name == "oracle" and player("oracle").oracle is True
    assert "all cards seen" in agents.available()["oracle"]
    with pytest.raises(AgentError, match="'oracle' takes no parameter"):
        agents.make("oracle:5")
    with pytest.raises(AgentError, match="'oracle' needs the full records"):
        player("oracle").act(seen_by(dealt({}, "QH")))


def test_the_oracle_calls_as_the_hand_written_player_and_plays_by_the_solver() -> None:
    view = positions("hand")
    actions, plain = player("oracle").act(view), player("heuristic").act(view)
    by_cards = (rules.DISCARD, rules.PASS_CARD, rules.LAY_AWAY, rules.PLAY)
    cards = np.isin(view.states["phase"], by_cards)
    assert np.array_equal(actions[~cards], plain[~cards])
    assert (actions[cards] != plain[cards]).any()
    assert view.full_states is not None
    rows = np.flatnonzero(cards)
    values = solve_many(view.full_states[rows], view.rules, view.which[rows], threads=1)
    for row, each in zip(rows, values):
        s = view.states[row]
        mine = np.where(each == ILLEGAL, -99, each if s["turn"] % 2 == s["maker"] % 2 else -each)
        assert mine[actions[row]] == mine.max()
        if mine[plain[row]] == mine.max():
            assert actions[row] == plain[row]


def test_the_oracle_beats_the_hand_written_player_and_reports_say_so() -> None:
    result = play_match("oracle", "heuristic", 300, "stick", seed=1)
    assert result.points_per_hand - result.ci95 > 0.1
    assert result.oracles == ("oracle",)
    assert "oracle saw hidden cards" in result.describe()


# --- stored code -------------------------------------------------------------------------------

PLAY_A_LITTLE = """
import numpy as np
import agents
from agents.base import RuleTable, view_of
from euchre_env.batch import BatchEnv
env = BatchEnv(4, "stick", seed=1, observe=False)
env.reset()
table, total = RuleTable.of(env.rulesets), 0
for name in ("pimc:2", "rollout:2", "ismcts:2", "oracle") * 8:
    agent = agents.make(name)
    seeds = np.arange(4, dtype=np.uint64)
    actions = agent.act(view_of(env.states, table, env.which, seeds, oracle=agent.oracle))
    total += int(actions.sum())
    env.step(actions)
print(total)
"""


def start(cache: Path | None) -> tuple[str, bool]:
    """What a process prints that plays a little, and whether it had to compile."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    if cache is not None:
        environment["EUCHRE_ENV_CACHE"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-c", PLAY_A_LITTLE],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, "compiling" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not _jit.COMPILED, reason="plain Python stores nothing")
def test_stored_code_links_into_old_and_new_callers(tmp_path: Path) -> None:
    """A recursive function once ended the process when its stored code met a new caller.

    The first process stores all code; the second loads it; the third finds that of the engine
    alone, and compiles the players anew around it.
    """
    first, _ = start(None)
    for package in (_jit.ENGINE, ROOT / "agents"):
        folder = _jit.cache_folder(package)
        shutil.copytree(folder, tmp_path / folder.name)
    assert start(tmp_path) == (first, False)
    shutil.rmtree(tmp_path / _jit.cache_folder(ROOT / "agents").name)
    assert start(tmp_path) == (first, True)
