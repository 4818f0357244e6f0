"""``rollout:N,by:POLICY``: equal to ``rollout:N`` with the hand-written player, legal, exact.

What it does is also written out here game by game in plain Python, for policies with randomness.
"""

import random
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import agents
from agents.base import AgentError, RuleTable, View, check_actions, view_of
from agents.evaluation import play_match
from agents.network import PolicyValueNet, save_policy
from agents.search import playouts, utility, worlds
from agents.search.policy_rollout import PolicyRolloutAgent
from euchre_env import belief, rules
from euchre_env.batch import BatchEnv
from euchre_env.kernels import seed_of
from euchre_env.rules import PHASES
from euchre_env.testing import random_ruleset
from tests.table import DECISION_PHASE_IDS
from tests.test_search import positions


def some(episode: str, step: int, start: int = 0) -> View:
    """Some decisions under random rule sets, without the full records."""
    view = positions(episode)
    rows = np.arange(start, len(view), step)
    return View(view.states[rows], view.table, view.which[rows], view.seeds[rows])


def choices(view: View) -> npt.NDArray[np.bool_]:
    """Which games have more than one legal act."""
    return (view.legal & (view.legal - 1)) != 0


# --- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rollout:5,by:", r"'rollout:5,by:': the policy is missing, write 'rollout:N\[\+infer\]"),
        ("rollout:5,by:nobody", "no agent is called 'nobody'"),
        ("rollout:5,by:gredy", r"no agent is called 'gredy' \(did you mean 'greedy'"),
        ("rollout:5,bi:greedy", "'bi:greedy' does not say who plays the worlds out, write"),
        ("rollout:5,", "'' does not say who plays the worlds out, write"),
        ("rollout:,by:greedy", "'rollout:': give a number of worlds from 1 to 100000"),
        ("rollout:0,by:greedy", "'rollout:0': give a number of worlds"),
        ("rollout:5+infr,by:greedy", r"'rollout:5\+infr': give a number of worlds"),
        ("rollout:x,by:nowhere.safetensors", "'rollout:x': give a number of worlds"),
        ("rollout:5,by:nowhere.safetensors", "no checkpoint is at 'nowhere.safetensors'"),
        ("rollout:5,by:heuristic:hard", "'heuristic:hard': the level is one of"),
        ("rollout:5,by:oracle", "'rollout:5,by:oracle': 'oracle' sees hidden cards"),
        ("rollout:5,by:bids:greedy,plays:oracle", "'bids:greedy,plays:oracle' sees hidden cards"),
        ("rollout:5,by:rollout:2,by:oracle", "'oracle' sees hidden cards"),
        ("pimc:5,by:greedy", "'pimc:5,by:greedy': give a number of worlds"),
    ],
)
def test_a_wrong_name_is_refused(name: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        agents.make(name)


@pytest.mark.parametrize("name", ["rollout:5,by:nobody", "rollout:5,by:oracle", "rollout:5,by:"])
def test_a_wrong_name_ends_a_match_before_any_deal(name: str) -> None:
    with pytest.raises(AgentError):
        play_match("heuristic", name, 10**9)


@pytest.mark.parametrize(
    "name",
    [
        *("rollout:5,by:greedy", "rollout:5+infer,by:heuristic:easy"),
        *("rollout:5,by:rollout:2+infer,by:greedy", "rollout:2,by:bids:greedy,plays:heuristic"),
        *("bids:rollout:5,by:greedy,plays:random", "rollout:3,by:scripted:order_up alone"),
    ],
)
def test_make_gives_the_agent_of_that_name(name: str) -> None:
    agent = agents.make(name)
    assert agent.name == name and agent.oracle is False


def test_without_a_policy_the_compiled_player_is_made() -> None:
    assert not isinstance(agents.make("rollout:5"), PolicyRolloutAgent)
    assert isinstance(agents.make("rollout:5,by:heuristic"), PolicyRolloutAgent)


# --- the same as the compiled player -------------------------------------------------------------


@pytest.mark.parametrize("episode", ["hand", "game"])
@pytest.mark.parametrize("count", ["5", "4+infer"])
def test_the_hand_written_policy_decides_as_the_compiled_player(count: str, episode: str) -> None:
    view = some(episode, 1)
    assert set(view.states["phase"].tolist()) == DECISION_PHASE_IDS
    assert choices(view).sum() > 800
    found = agents.make(f"rollout:{count},by:heuristic").act(view)
    assert np.array_equal(found, agents.make(f"rollout:{count}").act(view))


# --- what it does, written out -------------------------------------------------------------------


def decide_alone(view: View, row: int, count: int, infer: bool, policy: Any) -> int:
    """The decision of one game: world by world, act by act, one copy at a time."""
    s, ruleset, seed = view.states[row], view.rulesets[view.which[row]], view.seeds[row]
    r, table, none = ruleset.record()[0], RuleTable.of([ruleset]), np.zeros(1, np.int16)
    dealt, weights = rules.new_states(count), np.zeros(count)
    assert worlds.deal_worlds(belief.new_belief()[0], s, r, seed, infer, dealt, weights)
    worth = np.zeros(utility.UTILITIES)
    utility.fill_utility(s, r, utility.equity_tables((ruleset,))[0], worth)
    sums = np.zeros(rules.N_ACTIONS)
    for act in np.flatnonzero(view.action_mask[row]):
        for k in range(count):
            game, step, action = dealt[k : k + 1].copy(), 0, int(act)
            while game[0].turn >= 0:
                rules.apply(game[0], r, np.int64(action))
                step += 1
                if game[0].turn >= 0:
                    stream = seed_of(np.uint64(seed_of(seed, np.uint64(k))), np.uint64(step))
                    seen = view_of(game, table, none, np.array([stream], np.uint64))
                    action = int(policy.act(seen)[0])
            net = rules.reward(game[0], s.turn)
            sums[act] += weights[k] * utility.utility_of(worth, net)
    favourite = int(agents.make("heuristic").act(view.select([row]))[0])
    return int(worlds.best_action(view.legal[row], sums, favourite))


@pytest.mark.parametrize("infer", [False, True])
@pytest.mark.parametrize("policy", ["random", "heuristic:easy", "greedy", "rollout:1"])
def test_each_decision_is_that_of_the_game_alone(policy: str, infer: bool) -> None:
    view, count = some("game", 67), 3
    view = view.select(np.flatnonzero(choices(view)))
    found = agents.make(f"rollout:{count}{'+infer' * infer},by:{policy}").act(view)
    one = agents.make(policy)
    if policy == "rollout:1":
        view, found = view.select(np.arange(4)), found[:4]
    expected = [decide_alone(view, row, count, infer, one) for row in range(len(view))]
    assert found.tolist() == expected


class Watcher:
    """Plays at random and keeps what it was shown."""

    name = "watcher"
    oracle = False

    def __init__(self) -> None:
        self.seen: list[View] = []

    def act(self, view: View) -> Any:
        self.seen.append(view)
        return agents.make("random").act(view)


def test_the_policy_sees_cleared_records_and_only_choices() -> None:
    watcher = Watcher()
    agent = PolicyRolloutAgent("3", watcher)
    agent.act(some("hand", 11))
    assert sum(len(view) for view in watcher.seen) > 1000
    for view in watcher.seen:
        assert view.full_states is None
        assert choices(view).all()
        again = view.states.copy()
        for s, which in zip(again, view.which):
            rules.hide(s, view.rules[which], np.int64(s["turn"]))
        assert np.array_equal(again, view.states)


def test_acts_that_lead_to_the_same_place_meet_the_same_seeds() -> None:
    """The seed hangs on game, world and step: every act of a world starts with the same one."""
    watcher = Watcher()
    agent = PolicyRolloutAgent("3", watcher)
    agent.threads = 1
    view = some("hand", 1)
    agent.act(view.select(np.flatnonzero(view.states["phase"] == PHASES.index("loner"))[:1]))
    first = watcher.seen[0]  # with the partner and alone, in each of three worlds
    assert len(first) == 6 and len(set(first.seeds.tolist())) == 3


class Cheat:
    """Answers with no legal action."""

    name = "cheat"
    oracle = False

    def act(self, view: View) -> Any:
        return np.full(len(view), 40)


def test_an_illegal_answer_of_the_policy_is_refused() -> None:
    with pytest.raises(AgentError, match=r"agent 'cheat' chose 40 \(no action\)"):
        PolicyRolloutAgent("2", Cheat()).act(some("hand", 50))


# --- deterministic, whatever else is asked -------------------------------------------------------


@pytest.mark.parametrize("name", ["rollout:4,by:greedy", "rollout:3+infer,by:random"])
def test_neither_company_nor_threads_nor_chunks_change_a_decision(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, agent = some("game", 7), agents.make(name)
    assert isinstance(agent, PolicyRolloutAgent)
    found = check_actions(view, agent.act(view), name)
    assert np.array_equal(agents.make(name).act(view), found)
    order = np.random.default_rng(1).permutation(len(view))[:40]
    assert np.array_equal(agent.act(view.select(order)), found[order])
    for threads, limit in ((1, 200_000), (3, 200_000), (1, 50), (2, 1)):
        agent.threads = threads
        monkeypatch.setattr(playouts, "MAX_COPIES", limit)
        assert np.array_equal(agent.act(view), found)


def test_memory_is_bounded_however_many_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    watcher = Watcher()
    agent = PolicyRolloutAgent("40", watcher)
    agent.threads = 1
    monkeypatch.setattr(playouts, "MAX_COPIES", 100)
    agent.act(some("hand", 60))
    assert max(len(view) for view in watcher.seen) <= 100


def test_the_seed_matters_to_a_policy_that_draws() -> None:
    view, agent = some("hand", 3), agents.make("rollout:1,by:random")
    other = View(view.states, view.table, view.which, view.seeds + np.uint64(1))
    assert (agent.act(view) != agent.act(other)).any()


# --- every rule set ------------------------------------------------------------------------------


@pytest.mark.parametrize("episode", ["hand", "game"])
@pytest.mark.parametrize("policy", ["greedy", "heuristic:easy", "pimc:2", "ismcts:3"])
def test_legal_under_random_rule_sets(policy: str, episode: str) -> None:
    name, draw = f"rollout:3,by:{policy}", random.Random(91)
    games, steps = (20, 25) if policy in ("pimc:2", "ismcts:3") else (60, 40)
    rulesets = [random_ruleset(draw) for _ in range(20)]
    env, agent = BatchEnv(games, rulesets, episode, seed=9, observe=False), agents.make(name)
    env.reset()
    table = RuleTable.of(env.rulesets)
    for step in range(steps):
        seeds = np.random.default_rng(step).integers(2**63, size=games, dtype=np.uint64)
        view = view_of(env.states, table, env.which, seeds)
        actions = check_actions(view, agent.act(view), name)
        env.step(env.random_actions() if step % 3 == 2 else actions)


def test_a_record_that_no_deal_explains_is_named() -> None:
    view = some("hand", 1)
    broken = view.select(np.flatnonzero(view.states["phase"] == PHASES.index("bid1"))[:9])
    broken.states["void"][7] = (1 << 25) - 1
    with pytest.raises(AgentError, match=r"^rollout:2,by:greedy: no deal .* in game 7$"):
        agents.make("rollout:2,by:greedy").act(broken)


def test_no_games_need_no_answers() -> None:
    view = some("hand", 50).select(np.arange(0))
    assert agents.make("rollout:2,by:greedy").act(view).tolist() == []


# --- a network as the policy ---------------------------------------------------------------------


def test_a_checkpoint_plays_the_worlds_out(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    save_policy(path, PolicyValueNet([16], ["hand", "trump", "phase"], seed=3), {})
    name = f"rollout:3,by:{path}"
    view, agent = some("game", 40), agents.make(name)
    assert agent.name == name
    actions = check_actions(view, agent.act(view), name)
    assert np.array_equal(agents.make(name).act(view), actions)


def test_it_beats_random_play() -> None:
    result = play_match("rollout:5,by:greedy", "random", 40, "stick", seed=1)
    assert result.points_per_hand - 1.5 * result.ci95 > 0
