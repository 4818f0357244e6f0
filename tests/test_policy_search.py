"""``search:N,by:POLICY``: weights of worlds, choices, and the champion's names.

Seat 0 deals and the dealer is stuck unless said, so that seats 1, 2 and 3 are those left of the
dealer in turn.
"""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import agents
from agents.base import AgentError, RuleTable, View, check_actions, view_of
from agents.evaluation import play_match
from agents.network import PolicyError, PolicyValueNet, save_policy
from agents.search import playouts, policy_search, utility
from agents.search.playouts import Worlds
from agents.search.policy_search import PolicySearchAgent, log_likelihoods
from euchre_env import belief, cards, rules
from euchre_env.actions import action_text
from euchre_env.batch import BatchEnv
from euchre_env.rules import N_ACTIONS, PHASES
from euchre_env.testing import permute_hidden, random_ruleset
from tests.table import DECISION_PHASE_IDS, Table, dealt
from tests.test_search import positions, seen_by


class Soft:
    """Decides as another agent does, and says that it does so with some probability."""

    oracle = False

    def __init__(self, of: str, sure: float = 0.8) -> None:
        self.name, self.sure, self.agent = f"soft {of}", sure, agents.make(of)
        self.seen: list[View] = []

    def act(self, view: View) -> Any:
        self.seen.append(view)
        return self.agent.act(view)

    def probabilities(self, view: View) -> npt.NDArray[np.float32]:
        self.seen.append(view)
        chances = view.action_mask / view.action_mask.sum(1, keepdims=True) * (1 - self.sure)
        chances[np.arange(len(view)), self.agent.act(view)] += self.sure
        return chances.astype(np.float32)


def some(episode: str, step: int) -> View:
    """Some decisions with a choice, under random rule sets, without the full records."""
    view = positions(episode)
    rows = np.flatnonzero(view.legal & (view.legal - 1))[::step]
    return View(view.states[rows], view.table, view.which[rows], view.seeds[rows])


# --- names -------------------------------------------------------------------------------------


FORM = r"write 'search:N,by:POLICY\[,against:AGENT\]'"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("search", rf"'search': the parameter is missing, {FORM}"),
        ("search:", "'search:': the parameter is missing"),
        ("search:5", rf"'search:5': the policy is missing, {FORM}"),
        ("search:5,by:", "'search:5,by:': the policy is missing"),
        ("search:5,of:greedy", "'search:5,of:greedy': the policy is missing"),
        ("search:0,by:x.safetensors", "'search:0': give a number of worlds from 1 to 100000"),
        ("search:5+infer,by:x.safetensors", r"'search:5\+infer': give .* nothing follows"),
        ("search:5,by:nowhere.safetensors", "no checkpoint is at 'nowhere.safetensors'"),
        ("search:5,by:greedy", "'search:5,by:greedy': 'greedy' does not say how likely its acts"),
        ("search:5,by:oracle", "'search:5,by:oracle': 'oracle' sees hidden cards"),
        ("search:5,by:champion,against:", rf"champion,against:': the opponent is missing, {FORM}"),
        ("search:5,by:champion,against:oracle", "against:oracle': 'oracle' sees hidden cards"),
        ("search:5,by:champion,against:nobody", "no agent is called 'nobody'"),
        ("search:5,by:nobody", "no agent is called 'nobody'"),
        ("search:5,by:champion, against:greedy", rf"is not understood, {FORM}"),
        ("search:5,by:champion,against", rf"is not understood, {FORM}"),
        ("search:٥,by:champion", "give a number of worlds"),
        ("search:5,by:a,b.safetensors", "'a,b.safetensors': a comma and '&' mean something else"),
        ("champion+search:5,against:greedy", "write 'search:N,by:champion,against:AGENT'"),
        ("champion:5", "'champion' takes no parameter"),
        ("champion+search:", r"'champion\+search:': the parameter is missing"),
        ("champion+search:0", r"'champion\+search:0': give a number of worlds"),
        ("champion+search:many", r"'champion\+search:many': give a number of worlds"),
    ],
)
def test_a_wrong_name_is_refused(name: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        agents.make(name)


def write_policy(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    save_policy(path, PolicyValueNet([8], ["hand", "trump", "phase"], seed=3), {})


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout without a champion, and another folder to work in."""
    monkeypatch.setattr(agents, "__file__", str(tmp_path / "checkout" / "agents" / "__init__.py"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "checkout"


@pytest.mark.parametrize("name", ["champion", "champion+search", "search:3,by:champion"])
def test_a_missing_champion_says_how_to_train_it(name: str, checkout: Path) -> None:
    with pytest.raises(AgentError) as error:
        agents.make(name)
    place = str(checkout / "checkpoints" / "champion.safetensors")
    assert place in str(error.value)
    assert "python train.py --config configs/ppo.yaml" in str(error.value)


def test_the_champion_of_the_checkout_comes_before_that_of_the_folder(checkout: Path) -> None:
    write_policy(Path("checkpoints", "champion.safetensors"))
    assert agents.champion_path() == Path("checkpoints", "champion.safetensors")
    assert agents.make("champion").name == "champion"
    inside = checkout / "checkpoints" / "champion.safetensors"
    write_policy(inside)
    assert agents.champion_path() == inside
    inside.write_bytes(b"no policy")
    with pytest.raises(PolicyError, match="not a policy file"):
        agents.make("champion+search")


@pytest.mark.parametrize(("name", "count"), [("champion+search", 100), ("champion+search:7", 7)])
def test_the_champion_searches(name: str, count: int, checkout: Path) -> None:
    write_policy(checkout / "checkpoints" / "champion.safetensors")
    agent = agents.make(name)
    assert isinstance(agent, PolicySearchAgent)
    assert (agent.name, agent.worlds, agent.oracle) == (name, count, False)
    view = some("hand", 300)
    by_path = agents.make(f"search:{count},by:{checkout}/checkpoints/champion.safetensors")
    assert np.array_equal(agent.act(view), by_path.act(view))


# --- weights of worlds -------------------------------------------------------------------------


JACK = cards.card_ids("JC")[0]


def has_jack(view: View) -> npt.NDArray[np.bool_]:
    """Whether the seat to act holds the jack of clubs."""
    hands = view.states["hand"][np.arange(len(view)), view.seat]
    return (hands >> cards.BIT_OF[view.states["frame"], JACK]) & 1 != 0


class JackCaller(Soft):
    """Orders up if it holds the jack of clubs, but for one time in a hundred, else passes likewise.

    All else it does at random.
    """

    def __init__(self) -> None:
        super().__init__("first_legal", 0.0)

    def probabilities(self, view: View) -> npt.NDArray[np.float32]:
        chances = super().probabilities(view)
        calls = view.states["phase"] == PHASES.index("bid1")
        order = np.where(has_jack(view), 0.99, 0.01)
        chances[calls] = 0
        chances[calls, rules.ORDER_UP] = order[calls]
        chances[calls, rules.PASS] = 1 - order[calls]
        return chances


def weighed(table: Table, count: int, agent: PolicySearchAgent | None = None) -> Worlds:
    view = seen_by(table)
    dealt_worlds = Worlds.blank(np.zeros(1, np.int64), policy_search.CANDIDATES * count)
    assert dealt_worlds.deal(view, False) == -1
    (agent or PolicySearchAgent(count, JackCaller())).weigh(view, dealt_worlds)
    return dealt_worlds


def jack_with_seat_1(found: Worlds) -> npt.NDArray[np.bool_]:
    hands = found.states[0]["hand"][:, 1] | found.states[0]["played"][:, 1]
    return (hands >> cards.BIT_OF[found.states[0]["frame"], JACK]) & 1 != 0


SURE, UNSURE = 0.95 * 0.99 + 0.05 / 2, 0.95 * 0.01 + 0.05 / 2
"""The probabilities of a call with and without the jack, one act in twenty taken uniformly."""


def test_a_world_in_which_the_policy_would_have_called_counts_little() -> None:
    """Seat 1 has passed: it hardly holds the jack of the upcard's suit."""
    found = weighed(dealt({2: "9S TS QS 9D TD"}, "9C").do("pass"), 300)
    with_jack, kept = jack_with_seat_1(found), found.weights[0] > 0
    assert kept.sum() == 300 and found.weights.sum() == pytest.approx(1)
    few, many = found.weights[0][kept & with_jack], found.weights[0][kept & ~with_jack]
    assert len(few) > 30 and len(many) > 150
    assert few / many[0] == pytest.approx(np.full(len(few), UNSURE / SURE), rel=1e-5)


@pytest.mark.parametrize(("passes", "counts"), [("pass", True), ("pass pass", False)])
def test_what_opponents_did_is_weighed_by_who_they_are_thought_to_be(
    passes: str, counts: bool
) -> None:
    """Seat 1 has passed: that tells seat 2 about the jack, but seat 3, its partner, nothing."""
    table = dealt({2: "9S TS QS 9D TD", 3: "AS AD KD QD JD"}, "9C").do(passes)
    agent = PolicySearchAgent(50, Soft("first_legal", 0.0), opponent=JackCaller())
    found = weighed(table, 50, agent)
    with_jack, kept = jack_with_seat_1(found), found.weights[0] > 0
    rarest = found.weights[0][kept & with_jack] / found.weights[0].max()
    expected = UNSURE / SURE if counts else 1.0
    assert rarest == pytest.approx(np.full(len(rarest), expected), rel=1e-5)


def test_a_call_draws_the_worlds_that_explain_it() -> None:
    """Seat 1 has ordered up and led: the share of worlds with the jack is that of Bayes' theorem.

    Seat 2 does not see 17 cards, of which four lie in the hand of seat 1.
    """
    table = dealt({0: "9D QD KD AD TC", 1: "JC 9H TH QH KH", 2: "9S TS QS TD JD"}, "9C")
    table.do("order_up with_partner 9D 9H")
    assert table.turn == 2
    found = weighed(table, 1000)
    prior = 4 / 17
    expected = prior * SURE / (prior * SURE + (1 - prior) * UNSURE)
    assert expected == pytest.approx(0.896, abs=0.001)
    assert jack_with_seat_1(found).mean() == pytest.approx(prior, abs=0.03)
    assert found.weights[0][jack_with_seat_1(found)].sum() == pytest.approx(expected, abs=0.03)


def likelihood_by(policy: Soft, view: View, which: int) -> belief.Likelihood:
    def likelihood(records: Any, actions: Any) -> Any:
        rows = np.full(len(records), which, np.int16)
        seen = View(records, view.table, rows, np.zeros(len(records), np.uint64))
        chances = policy.probabilities(seen)[np.arange(len(records)), actions]
        return 0.95 * chances + 0.05 / seen.action_mask.sum(1)

    return likelihood


def test_weights_are_those_of_belief_under_every_rule_set() -> None:
    """All acts of others count once, by the policy's view in each world and 5 % of luck."""
    view, policy = some("game", 3), Soft("greedy")
    assert set(view.states["phase"].tolist()) == DECISION_PHASE_IDS
    found = Worlds.blank(np.arange(len(view)), 5)
    assert found.deal(view, False) == -1
    logs = sum(log_likelihoods(policy, view, found, part, 7) for part in (True, False))
    for k, which in enumerate(view.which.tolist()):
        ruleset, viewer = view.rulesets[which], int(view.seat[k])
        likelihood = likelihood_by(policy, view, which)
        expected = belief.weigh(found.states[k], ruleset, viewer, likelihood)
        weights = np.exp(logs[k] - logs[k].max())
        assert weights / weights.sum() == pytest.approx(expected, rel=1e-5)


# --- what it does, written out -------------------------------------------------------------------


def drawn(logs: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.float64]:
    """The worlds of systematic resampling at (0.5, 1.5, ...) / most, as shares."""
    passed = np.cumsum(np.exp(logs - logs.max()))
    points = (np.arange(most) + 0.5) / most * passed[-1]
    picked = np.searchsorted(passed, points - 1e-9)
    return np.bincount(picked, minlength=len(logs)) / most


def worth_of(
    view: View, row: int, world: Any, act: int, policy: Any, opponent: Any = None
) -> float:
    """What the seat to act gets if it acts so in a world and the policy goes on.

    The seats of the other team are an opponent's, if there is one.
    """
    s, ruleset = view.states[row], view.rulesets[view.which[row]]
    r, table, none = ruleset.record()[0], RuleTable.of([ruleset]), np.zeros(1, np.int16)
    game, action = world.copy(), act
    while True:
        rules.apply(game[0], r, np.int64(action))
        if game[0].turn < 0:
            break
        player = opponent if opponent and (game[0].turn - s["turn"]) % 2 else policy
        action = int(player.act(view_of(game, table, none, np.zeros(1, np.uint64)))[0])
    worth = np.zeros(utility.UTILITIES)
    utility.fill_utility(s, r, utility.equity_tables((ruleset,))[0], worth)
    return float(utility.utility_of(worth, rules.reward(game[0], s.turn)))


def decide_alone(
    view: View, row: int, count: int, policy: Soft, opponent: Soft | None = None
) -> int:
    """The decision of one game: world by world, act by act, one copy at a time."""
    one = view.select([row])
    chances = policy.probabilities(one)[0]
    order = np.argsort(-chances, kind="stable")
    shortlist = [int(a) for a in order[:4] if chances[a] >= 0.02]
    found = Worlds.blank(np.zeros(1, np.int64), 4 * count)
    assert found.deal(one, False) == -1
    told = log_likelihoods(policy, one, found, True, 1000, opponent)[0]
    found.weights[0] = drawn(told, count)
    rest = log_likelihoods(policy, one, found, False, 1000, opponent)[0]
    weights = found.weights[0] * np.exp(rest)
    weights /= weights.sum()
    best, highest = shortlist[0], 0.0
    kept = np.flatnonzero(weights)
    w = weights[kept]
    own = [worth_of(view, row, found.states[0][k : k + 1], best, policy, opponent) for k in kept]
    for act in sorted(shortlist):
        worlds = (found.states[0][k : k + 1] for k in kept)
        other = [worth_of(view, row, world, act, policy, opponent) for world in worlds]
        gains = np.array(other) - np.array(own)
        mean = float(w @ gains)
        error = float(np.sqrt(w**2 @ (gains - mean) ** 2))
        if mean > highest + 1e-9 and mean > policy_search.MARGIN * error:
            best, highest = act, mean
    return best


@pytest.mark.parametrize("policy", ["heuristic", "first_legal"])
def test_each_decision_is_that_of_the_game_alone(policy: str) -> None:
    view, soft = some("game", 29), Soft(policy)
    found = PolicySearchAgent(3, soft).act(view)
    assert found.tolist() == [decide_alone(view, row, 3, soft) for row in range(len(view))]
    assert (found != soft.act(view)).sum() > 3


def test_so_it_is_against_an_opponent_who_gives_no_probabilities() -> None:
    view, soft, sure = some("game", 29), Soft("heuristic"), Soft("greedy", 1.0)
    agent = PolicySearchAgent(3, soft, opponent=agents.make("greedy"))
    assert agent.name == "search:3,by:soft heuristic,against:greedy"
    found = agent.act(view)
    assert found.tolist() == [decide_alone(view, row, 3, soft, sure) for row in range(len(view))]
    assert (found != PolicySearchAgent(3, soft).act(view)).any()


# --- choosing ----------------------------------------------------------------------------------


def answer(agent: Any, table: Table) -> str:
    view = seen_by(table)
    return action_text(int(check_actions(view, agent.act(view), agent.name)[0]), "trump", table.s)


FIVE_TRICKS = {1: "JH JD AH KH QH"}
"""All the highest trumps where hearts are turned up."""


def test_search_overrules_a_policy_that_passes_a_sure_march() -> None:
    passer = Soft("first_legal")
    table = dealt(FIVE_TRICKS, "9H")
    assert answer(passer, table) == "pass"
    assert answer(PolicySearchAgent(20, passer), table) == "order_up"


def test_search_overrules_a_policy_that_shares_a_sure_march() -> None:
    sharer = Soft("scripted:with_partner")
    table = dealt(FIVE_TRICKS, "9H").do("order_up")
    assert answer(sharer, table) == "with_partner"
    assert answer(PolicySearchAgent(20, sharer), table) == "alone"


def test_two_points_that_win_the_game_are_worth_as_much_as_four() -> None:
    sharer = Soft("scripted:with_partner")
    table = dealt(FIVE_TRICKS, "9H", score=(0, 8)).do("order_up")
    assert answer(PolicySearchAgent(20, sharer), table) == "with_partner"


def test_acts_that_are_no_better_leave_the_policy_its_own() -> None:
    """Any lead of five sure tricks takes all five."""
    table = dealt(FIVE_TRICKS, "9H").do("order_up with_partner 9H")
    for lead in ("QH", "KH", "JD"):
        leader = Soft(f"scripted:{lead}")
        assert answer(PolicySearchAgent(20, leader), table) == lead


def test_only_acts_that_the_policy_may_take_are_judged() -> None:
    """A policy sure of its act is not searched, however bad the act."""
    passer = Soft("first_legal", sure=0.99)
    assert answer(PolicySearchAgent(20, passer), dealt(FIVE_TRICKS, "9H")) == "pass"
    assert len(passer.seen) == 1


def test_without_limit_to_the_margin_the_policy_decides() -> None:
    view, policy = some("hand", 9), Soft("greedy")
    assert np.array_equal(PolicySearchAgent(3, policy, margin=np.inf).act(view), policy.act(view))
    assert (PolicySearchAgent(3, policy, margin=0.0).act(view) != policy.act(view)).sum() > 10


def test_it_beats_the_policy_that_it_searches_with() -> None:
    policy = Soft("first_legal")
    result = play_match(PolicySearchAgent(6, policy), policy, 60, "stick", seed=1)
    assert result.points_per_hand - 1.5 * result.ci95 > 0


# --- honest, deterministic ---------------------------------------------------------------------


def test_the_policy_is_shown_cleared_records_alone() -> None:
    policy = Soft("greedy")
    PolicySearchAgent(3, policy).act(some("hand", 19))
    assert sum(len(view) for view in policy.seen) > 3000
    for view in policy.seen:
        assert view.full_states is None
        again = view.states.copy()
        for s, which in zip(again, view.which):
            rules.hide(s, view.rules[which], np.int64(s["turn"]))
        assert np.array_equal(again, view.states)


@pytest.mark.parametrize("opponent", [None, Soft("heuristic")])
def test_hidden_cards_dealt_again_do_not_change_a_decision(opponent: Soft | None) -> None:
    full, draw = positions("hand"), random.Random(4)
    rows = np.flatnonzero(full.legal & (full.legal - 1))[::15]
    assert full.full_states is not None
    states = full.full_states[rows]
    other = states.copy()
    for k, row in enumerate(rows):
        s, ruleset = states[k], full.rulesets[full.which[row]]
        other[k] = permute_hidden(s, ruleset.record()[0], int(s["turn"]), draw)
    assert (other["hand"] != states["hand"]).any(1).mean() > 0.9
    agent = PolicySearchAgent(3, Soft("greedy"), opponent=opponent)
    place = (full.table, full.which[rows], full.seeds[rows])
    assert np.array_equal(agent.act(view_of(states, *place)), agent.act(view_of(other, *place)))


def test_neither_company_nor_threads_nor_pieces_change_a_decision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view, agent = some("game", 7), PolicySearchAgent(3, Soft("greedy"))
    found = check_actions(view, agent.act(view), agent.name)
    assert np.array_equal(agent.act(view), found)
    order = np.random.default_rng(1).permutation(len(view))[:40]
    assert np.array_equal(agent.act(view.select(order)), found[order])
    for threads, limit, rows in ((1, 200_000, 4096), (3, 200_000, 50), (1, 200, 9), (2, 1, 4096)):
        agent.threads = threads
        monkeypatch.setattr(playouts, "MAX_COPIES", limit)
        monkeypatch.setattr(policy_search, "ROWS", rows)
        assert np.array_equal(agent.act(view), found)


def test_memory_is_bounded_however_many_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Soft("greedy")
    agent = PolicySearchAgent(60, policy)
    agent.threads = 1
    monkeypatch.setattr(playouts, "MAX_COPIES", 100)
    agent.act(some("hand", 60))
    assert max(len(view) for view in policy.seen) <= 5 * 40  # a hand has fewer than 40 acts


def test_the_seed_matters() -> None:
    view, agent = some("hand", 3), PolicySearchAgent(1, Soft("greedy"), margin=0.0)
    other = View(view.states, view.table, view.which, view.seeds + np.uint64(1))
    assert (agent.act(view) != agent.act(other)).any()


@pytest.mark.parametrize("episode", ["hand", "game"])
def test_legal_under_random_rule_sets(episode: str) -> None:
    draw, agent = random.Random(92), PolicySearchAgent(2, Soft("heuristic"))
    env = BatchEnv(60, [random_ruleset(draw) for _ in range(20)], episode, seed=9, observe=False)
    env.reset()
    table = RuleTable.of(env.rulesets)
    for step in range(40):
        seeds = np.random.default_rng(step).integers(2**63, size=60, dtype=np.uint64)
        view = view_of(env.states, table, env.which, seeds)
        actions = check_actions(view, agent.act(view), agent.name)
        env.step(env.random_actions() if step % 3 == 2 else actions)


# --- what goes wrong ---------------------------------------------------------------------------


class Answers(Soft):
    """Gives probabilities of some form."""

    def __init__(self, form: Callable[[int], Any]) -> None:
        super().__init__("greedy")
        self.form = form

    def probabilities(self, view: View) -> Any:
        return self.form(len(view))


@pytest.mark.parametrize(
    "form",
    [
        lambda size: np.ones((size, 25), np.float32),
        lambda size: np.ones((size + 1, N_ACTIONS), np.float32),
        lambda size: np.full((size, N_ACTIONS), np.nan, np.float32),
        lambda size: np.full((size, N_ACTIONS), -0.5, np.float32),
        lambda size: np.full((size, N_ACTIONS), 7.0, np.float32),
    ],
)
def test_probabilities_that_are_none_are_refused(form: Callable[[int], Any]) -> None:
    agent = PolicySearchAgent(2, Answers(form))
    with pytest.raises(AgentError, match=r"agent 'soft greedy' gave probabilities"):
        agent.act(some("hand", 100))


def test_a_record_that_no_deal_explains_is_named() -> None:
    view = some("hand", 1)
    broken = view.select(np.flatnonzero(view.states["phase"] == PHASES.index("bid1"))[:9])
    broken.states["void"][7] = (1 << 25) - 1
    with pytest.raises(AgentError, match=r"^search:2,by:soft greedy: no deal .* in game 7$"):
        PolicySearchAgent(2, Soft("greedy")).act(broken)


def test_no_games_need_no_answers() -> None:
    view = some("hand", 50).select(np.arange(0))
    assert PolicySearchAgent(2, Soft("greedy")).act(view).tolist() == []
