"""Collection: decisions, the pool, rewards, rule sets, and what only a trainer knows."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
import torch

from agents import AgentError, make
from agents.base import Actions, View
from agents.heuristic.truth import double_dummy
from agents.network import NetworkAgent, PolicyValueNet, masked
from agents.training.config import PoolConfig
from agents.training.log import outcome_shares
from agents.training.pool import Pool
from agents.training.rewards import Rewards
from agents.training.rollout import pieces
from euchre_env.batch import BatchEnv, as_rulesets
from euchre_env.encoding import HIDDEN_LAYOUT, LAYOUT, RULE_BLOCKS, rule_codes
from euchre_env.equity import equity_table
from euchre_env.rules import PHASES, PLAY, new_states, team
from euchre_env.ruleset import Ruleset
from euchre_env.solver import solve
from tests.small_runs import collect, small_net
from tests.table import Table, fields

# --- decisions ---------------------------------------------------------------------------------


def test_all_four_seats_decide_and_get_their_teams_points() -> None:
    decisions = collect()
    assert set(decisions.seat.tolist()) == {0, 1, 2, 3}
    assert set(decisions.hand.tolist()) == set(range(200))
    points = decisions.points
    assert (points[:, 0] == points[:, 2]).all() and (points[:, 1] == points[:, 3]).all()
    assert (points[:, 0] == -points[:, 1]).all()
    assert set(np.abs(points).ravel().tolist()) <= {1, 2, 4} and len(set(points[:, 0])) > 3
    finals = decisions.finals["points"]
    assert (points[:, 0] == finals[:, 0] - finals[:, 1]).all()
    assert (decisions.reward == points / 2).all()
    assert (decisions.opponent == -1).all()


def test_every_decision_is_a_choice_and_legal() -> None:
    decisions = collect()
    mask, action = decisions.action_mask, decisions.action
    assert (mask.sum(1) > 1).all()
    assert (mask.gather(1, action[:, None]) == 1).all()
    turn = decisions.observation[:, LAYOUT["turn"].slice]
    assert (turn == torch.tensor([1, 0, 0, 0])).all()


@pytest.mark.parametrize("ordered", [False, True])
def test_what_is_kept_is_what_the_network_said(ordered: bool) -> None:
    net = small_net(ordered_suits=ordered)
    decisions = collect(net=net)
    logits, value = net(decisions.observation)
    log_probs = masked(logits, decisions.action_mask).log_softmax(1)
    assert torch.allclose(value, decisions.value, atol=1e-5)
    expected = log_probs.gather(1, decisions.action[:, None]).squeeze(1)
    assert torch.allclose(expected, decisions.log_prob, atol=1e-5)


def test_hidden_cards_agree_with_what_is_seen_and_fit_the_order_of_the_suits() -> None:
    decisions = collect(net=small_net(ordered_suits=True))
    hidden, seen = decisions.hidden, decisions.observation
    hands = hidden[:, HIDDEN_LAYOUT["all_hands"].slice].view(-1, 4, 25)
    assert (hands[:, 0] == seen[:, LAYOUT["hand"].slice]).all()
    assert (hands.sum(1) <= 1).all() and hands[:, 1:].any()
    # A card on the mask is in the own hand, and no card played is in any.
    assert (decisions.action_mask[:, :25] <= hands[:, 0]).all()
    played = seen[:, LAYOUT["played"].slice].view(-1, 4, 25).sum(1)
    assert (hands.sum(1) + played <= 1).all()


def test_a_hand_has_one_decision_a_step_until_it_is_over() -> None:
    decisions = collect()
    before = set(range(200))
    for step in decisions.steps:
        hands = decisions.hand[step].tolist()
        assert len(set(hands)) == len(hands) and set(hands) <= before
        before = set(hands)
    assert decisions.steps[-1].stop == len(decisions) and len(before) > 0


def test_the_seed_and_the_iteration_decide_everything_and_threads_nothing() -> None:
    first, again, threaded = collect(1500), collect(1500), collect(1500, threads=2)
    for other in (again, threaded):
        assert torch.equal(first.action, other.action)
        assert torch.equal(first.log_prob, other.log_prob)
        assert torch.equal(first.observation, other.observation)
        assert (first.points == other.points).all()
    for other in (collect(1500, seed=2), collect(1500, iteration=1), collect(1500, rank=1)):
        assert not np.array_equal(first.points, other.points)


def test_room_grows_where_hands_are_long() -> None:
    long = "weak_hand=throw_in,weak_hand_test=three_low,defend_alone=any,alone_timing=before_lead"
    decisions = collect(60, ruleset=[long, "stick"])
    assert len(decisions) > 300


def test_shares_of_outcomes() -> None:
    shares = outcome_shares(collect())
    assert shares["hands/thrown_in"] == 0
    for name in ("called_in_round_1", "alone", "euchred"):
        assert 0.2 < shares[f"hands/{name}"] < 1
    passing = outcome_shares(collect(3000, ruleset="american"))
    assert 0 < passing["hands/thrown_in"] < 0.2


def test_pieces_cover_a_range_in_order() -> None:
    found = pieces(5, 2100)
    assert [i for s in found for i in range(s.start, s.stop)] == list(range(5, 2100))
    assert pieces(3, 3) == []


def test_the_engine_restarts_hands_on_its_own() -> None:
    # What collection relies on: a finished hand's row is dealt anew and can be played on.
    env = BatchEnv(8, "stick", skip_forced=True)
    env.reset()
    for _ in range(60):
        env.step(env.action_mask.argmax(1))


# --- rule sets ---------------------------------------------------------------------------------


def test_each_hand_draws_a_rule_set_and_the_observation_names_it() -> None:
    rulesets = as_rulesets(["stick", "american,joker=true"])
    decisions = collect(600, ruleset=rulesets)
    assert 0.4 < decisions.which.mean() < 0.6
    codes = np.stack([rule_codes(r) for r in rulesets])
    assert (codes[0] != codes[1]).any()
    seen = decisions.observation[:, LAYOUT["rules"].slice].numpy()
    assert (seen == codes[decisions.which[decisions.hand]][:, RULE_BLOCKS["rules"]]).all()
    thrown_in = decisions.finals["thrown_in"] != 0
    assert thrown_in.any() and (decisions.which[thrown_in] == 1).all()


# --- rewards -----------------------------------------------------------------------------------


UNREAD = np.zeros((0, 4), np.float32)
"""In place of net points, where rewards are chances to win."""


def finished(points: list[tuple[int, int]]) -> Any:
    """Records of finished hands."""
    finals = new_states(len(points))
    finals["points"][:, :2] = points
    return finals


def test_rewards_in_points() -> None:
    rewards = Rewards([Ruleset.stick()])
    finals = finished([(2, 0), (0, 4), (0, 0)])
    which, dealers = np.zeros(3, np.int16), np.zeros(3, np.int8)
    net = np.array([[2, -2, 2, -2], [-4, 4, -4, 4], [0, 0, 0, 0]], np.float32)
    found = rewards.of(net, finals, which, np.zeros((3, 2)), dealers)
    assert found.tolist() == [[1, -1, 1, -1], [-2, 2, -2, 2], [0, 0, 0, 0]]


@pytest.mark.parametrize("first_dealer", range(4))
def test_equity_adds_up_to_the_result_of_a_game(first_dealer: int) -> None:
    ruleset = Ruleset.stick()
    points = [(2, 0), (0, 1), (4, 0), (0, 2), (1, 0), (0, 4), (2, 0), (0, 1), (1, 0)]  # 10 to 8
    scores = np.concatenate([np.zeros((1, 2), int), np.cumsum(points, 0)])[:-1]
    dealers = (first_dealer + np.arange(len(points))) % 4
    rewards = Rewards([ruleset], "equity")
    which = np.zeros(len(points), np.int16)
    found = rewards.of(UNREAD, finished(points), which, scores, dealers) / rewards.scale
    start = equity_table(ruleset)[0, 0, first_dealer % 2]
    assert 0.4 < start < 0.6
    assert found[:, 0].sum() == pytest.approx(1 - start, abs=1e-5)
    assert (found[:, 0] == -found[:, 1]).all()
    assert (found[:, :2] == found[:, 2:]).all()
    assert (np.sign(found[:, 0]) == np.sign([a - b for a, b in points])).all()
    assert found[-1, 0] > 0.2  # 9-8 is far from won


def test_equity_is_by_the_rule_set_of_each_hand() -> None:
    rulesets = as_rulesets(["stick", "stick,target_score=5"])
    rewards = Rewards(rulesets, "equity")
    finals, scores = finished([(4, 0)] * 2), np.array([[1, 0]] * 2)
    found = rewards.of(UNREAD, finals, np.array([0, 1], np.int16), scores, np.zeros(2, np.int8))
    won = 1 - equity_table(rulesets[1])[1, 0, 0]
    assert found[1, 0] == pytest.approx(rewards.scale * won, abs=1e-5)
    assert 0 < found[0, 0] < found[1, 0]


def test_random_scores_are_below_the_target_and_are_seen() -> None:
    rulesets = as_rulesets(["stick", "stick,target_score=5"])
    rewards = Rewards(rulesets, "equity", "random")
    decisions = collect(1500, ruleset=rulesets, rewards=rewards)
    finals = decisions.finals
    start = finals["score"].astype(int) - finals["points"]
    for number, target in ((0, 10), (1, 5)):
        found = start[decisions.which == number]
        assert set(found.ravel().tolist()) == set(range(target))
        assert len(np.unique(found, axis=0)) > 0.9 * target**2
    mine = team(decisions.seat)
    shown = decisions.observation[:, LAYOUT["score"].slice].numpy().astype(int) - 50
    assert (shown[:, 0] == start[decisions.hand, mine]).all()
    assert (shown[:, 1] == start[decisions.hand, 1 - mine]).all()
    assert (decisions.reward[:, 0] == -decisions.reward[:, 1]).all()
    assert len(np.unique(decisions.reward[:, 0])) > 100
    assert (collect(300).observation[:, LAYOUT["score"].slice] == 50).all()


# --- the pool ----------------------------------------------------------------------------------


class Spy:
    """Plays the first legal action, and remembers what it was shown."""

    oracle = False
    name = "spy"

    def __init__(self) -> None:
        self.views: list[View] = []

    def act(self, view: View) -> Actions:
        self.views.append(view)
        return view.action_mask.argmax(1)


def test_the_pool_seats_members_by_its_share() -> None:
    pool = Pool(PoolConfig(share=0.3), [Spy(), Spy(), Spy()])
    opponent, side = pool.seat(np.random.default_rng(1), 20_000)
    assert (opponent >= 0).mean() == pytest.approx(0.3, abs=0.015)
    for member in range(3):
        here = opponent == member
        assert here.mean() == pytest.approx(0.1, abs=0.01)
        assert side[here].mean() == pytest.approx(0.5, abs=0.05)
    assert set(side.tolist()) == {0, 1}
    for empty in (Pool(PoolConfig(share=0.3)), Pool(PoolConfig(), [Spy()])):
        assert (empty.seat(np.random.default_rng(1), 500)[0] == -1).all()


def test_decisions_are_those_of_the_policy_alone() -> None:
    spy = Spy()
    decisions = collect(400, pool=Pool(PoolConfig(share=0.5), [spy]))
    there = decisions.opponent[decisions.hand] == 0
    mine = team(decisions.seat) == decisions.side[decisions.hand]
    assert mine[there].all() and 0.2 < mine[~there].mean() < 0.8
    assert set(decisions.side[decisions.opponent == 0].tolist()) == {0, 1}
    assert set(decisions.seat[~there].tolist()) == set(range(4))
    for view in spy.views:
        assert view.full_states is None
        assert (view.states["hand"][np.arange(len(view)), view.seat] != 0).all()
        others = [(view.seat + k) % 4 for k in (1, 2, 3)]
        assert not any(view.states["hand"][np.arange(len(view)), seat].any() for seat in others)


def test_both_sides_play_the_whole_hand_when_one_is_the_pools() -> None:
    decisions = collect(400, pool=Pool(PoolConfig(share=1.0), [make("greedy")]))
    assert (decisions.opponent == 0).all()
    finals = decisions.finals
    assert (finals["phase"] == PHASES.index("over")).all()
    assert (finals["tricks"].sum(1) == 5).all()
    # A new network loses to a player who follows the simplest rules of thumb.
    assert decisions.points[np.arange(400), decisions.side].mean() < -0.3


def test_an_oracle_in_the_pool_gets_the_full_records() -> None:
    oracle = Spy()
    oracle.oracle = True
    collect(50, pool=Pool(PoolConfig(share=1.0), [oracle]))
    assert all(view.full_states is not None for view in oracle.views)


def test_a_member_that_cheats_is_named() -> None:
    cheat = Spy()
    cheat.act = lambda view: np.full(len(view), 36)  # type: ignore[method-assign]
    with pytest.raises(AgentError, match="agent 'spy' chose 36"):
        collect(50, pool=Pool(PoolConfig(share=1.0), [cheat]))


def test_members_and_threads_do_not_change_what_chance_gives() -> None:
    def again(threads: int) -> Any:
        past = NetworkAgent(small_net(ordered_suits=True), "past", greedy=False)
        pool = Pool(PoolConfig(share=0.5), [make("random"), past])
        return collect(1500, threads, pool=pool)

    first, other = again(1), again(2)
    assert torch.equal(first.action, other.action)
    assert (first.points == other.points).all() and (first.opponent == other.opponent).all()


def weights(pool: Pool) -> list[torch.Tensor]:
    return [member.net.policy.weight for member in pool.members if isinstance(member, NetworkAgent)]


def test_past_selves_are_frozen_and_the_oldest_gives_way() -> None:
    pool, net = Pool(PoolConfig(share=0.5, past=2, every=3), [Spy()]), small_net()
    with torch.no_grad():
        for iteration in range(1, 11):
            net.policy.weight.fill_(iteration)
            pool.add_past(net, iteration)
    assert [m.name for m in pool.members] == ["spy", "past@6", "past@9"]
    assert [float(w.detach().mean()) for w in weights(pool)] == [6, 9]
    for config in (PoolConfig(share=0.5, past=0), PoolConfig(share=0.0)):
        none = Pool(config)
        none.add_past(net, 50)
        assert not none.members


def test_past_selves_draw_their_actions() -> None:
    pool = Pool(PoolConfig(share=0.5, every=1))
    pool.add_past(small_net(), 1)
    (past,) = pool.members
    assert isinstance(past, NetworkAgent) and not past.greedy


def test_a_checkpoint_restores_past_selves_bit_for_bit() -> None:
    pool, net = Pool(PoolConfig(share=0.5, past=3, every=1)), small_net(ordered_suits=True)
    for iteration in range(1, 6):
        other = PolicyValueNet([16], seed=iteration, ordered_suits=True)
        pool.add_past(other, iteration)
    file = io.BytesIO()
    torch.save(pool.state_dict(), file)
    file.seek(0)
    restored = Pool(pool.config)
    restored.load_state_dict(torch.load(file, weights_only=True), net)
    assert [m.name for m in restored.members] == ["past@3", "past@4", "past@5"]
    for ours, theirs in zip(weights(restored), weights(pool), strict=True):
        assert torch.equal(ours, theirs)
    first = collect(200, pool=pool)
    assert torch.equal(first.action, collect(200, pool=restored).action)


# --- the double-dummy value --------------------------------------------------------------------


def in_play(games: int, ruleset: Any = "stick") -> BatchEnv:
    """A batch somewhere in its hands."""
    env = BatchEnv(games, ruleset, skip_forced=True, seed=4)
    env.reset()
    for _ in range(7):
        env.step(env.random_actions())
    return env


@pytest.mark.parametrize("ruleset", ["stick", "american,no_trump=round2"])
def test_the_double_dummy_value_is_that_of_the_best_play(ruleset: str) -> None:
    env = in_play(150, ruleset)
    rows = np.flatnonzero(env.states["phase"] == PLAY)
    found = np.empty(len(rows), np.float32)
    double_dummy(env.states, env.rules, env.which, rows, found)
    best = [max(solve(env.states[i], env.rules).points.values()) for i in rows]
    assert found.tolist() == best
    makers = team(env.states["maker"][rows]) == team(env.actor[rows])
    assert {True, False} == set(makers.tolist())  # so both signs are tested
    assert len(set(best)) > 3


def test_the_collector_keeps_the_value_of_each_decision() -> None:
    env = in_play(150)
    states = env.states[env.states["phase"] == PLAY][:80].copy()
    decisions = collect(
        80, start=lambda rng, count: states, solve=True, net=small_net(ordered_suits=True)
    )
    first = decisions.hand[decisions.steps[0]]
    expected = [max(solve(states[i], env.rules).points.values()) for i in first]
    assert decisions.double_dummy[decisions.steps[0]].tolist() == expected
    assert (decisions.seat[decisions.steps[0]] == states["turn"][first]).all()


def test_asking_for_the_value_changes_nothing_else() -> None:
    with_it, without = collect(300, solve=True), collect(300)
    assert torch.equal(with_it.action, without.action)
    assert with_it.double_dummy.any() and not without.double_dummy.any()
    assert with_it.double_dummy.abs().max() <= 4


def value_at(table: Table) -> float:
    found = np.empty(1, np.float32)
    one = new_states(1)
    one[0] = table.s
    rules = table.ruleset.record()
    double_dummy(one, rules, np.zeros(1, np.int16), np.zeros(1, np.int64), found)
    return float(found[0])


@pytest.mark.parametrize(("dealer", "expected"), [(0, 4), (1, -4), (2, 4), (3, -4)])
def test_before_trump_is_named_the_hand_written_player_ends_the_auction(
    dealer: int, expected: int
) -> None:
    # Seat 1 has the five highest hearts, and the nine is turned up: it goes alone in any place.
    hands = {1: "JH JD AH KH QH"}
    table = Table(upcard="9H", dealer=dealer, hands=hands, stick_the_dealer=True)
    assert table.turn == (dealer + 1) % 4
    assert value_at(table) == expected


def test_a_hand_that_nobody_calls_is_worth_nothing() -> None:
    table = Table(upcard="AH", dealer=0, hands={0: "9C TC 9D TD 9S"})
    table.do("pass pass pass pass pass pass pass")
    assert table.at == ("bid2", 0)
    before = fields(table.s)
    assert value_at(table) == 0
    assert fields(table.s) == before
