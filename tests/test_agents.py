"""The registry, the contract of an answer, and every agent: legal and blind to hidden cards."""

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest

import agents
from agents.base import Agent, AgentError, RuleTable, View, check_actions, view_of
from agents.evaluation import play_match
from agents.network import PolicyValueNet, load_agent, save_policy
from agents.simple import FirstLegalAgent
from euchre_env.actions import action_id, action_text
from euchre_env.batch import BatchEnv
from euchre_env.cards import card_ids, deck_of
from euchre_env.encoding import LAYOUT
from euchre_env.rules import (
    NAME_TRUMP,
    NOBODY,
    PASS,
    TAKEN_OR_BURIED,
    apply,
    deal,
    new_match,
    new_states,
)
from euchre_env.ruleset import PRESETS, Ruleset
from euchre_env.testing import random_ruleset
from tests.table import DECISION_PHASE_IDS

SHIPPED = [
    *("random", "first_legal", "greedy", "scripted:order_up call_S alone JH defend_alone"),
    *("heuristic", "heuristic:easy", "heuristic:medium", "bids:greedy,plays:heuristic"),
    *("pimc:3", "pimc:2+infer", "rollout:3", "rollout:2+infer", "ismcts:6", "ismcts:4+infer"),
    *("rollout:2,by:greedy", "mixed:2", "mixed:2+infer"),
    *("champion", "champion+search:2", "search:2,by:champion"),
]
SEED = 20240
N_RULESETS = 200


@cache
def make_rulesets() -> list[Ruleset]:
    draw = random.Random(SEED)
    presets = [Ruleset.preset(name) for name in PRESETS]
    return presets + [random_ruleset(draw) for _ in range(N_RULESETS - len(presets))]


def seeds_for(count: int, step: int) -> npt.NDArray[np.uint64]:
    return np.random.default_rng([SEED, step]).integers(2**63, size=count, dtype=np.uint64)


@cache
def table_of(rulesets: tuple[Ruleset, ...]) -> RuleTable:
    return RuleTable.of(rulesets)


def view_of_env(env: BatchEnv, step: int, agent: Agent) -> View:
    table, seeds = table_of(tuple(env.rulesets)), seeds_for(len(env), step)
    return view_of(env.states, table, env.which, seeds, oracle=agent.oracle)


@pytest.fixture(scope="module", autouse=True)
def champion(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An untrained champion with strong opinions, so that no trained one is needed here."""
    net = PolicyValueNet([16], seed=5)
    net.policy.weight.data.mul_(100)
    net.policy.bias.data[PASS] = 1  # often enough for a second round of calls
    path = tmp_path_factory.mktemp("champion") / "champion.safetensors"
    save_policy(path, net, {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agents, "champion_path", lambda: path)
        yield


# --- the registry ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHIPPED)
def test_make_gives_the_agent_of_that_name(name: str) -> None:
    agent = agents.make(name)
    assert agent.name == name
    assert agent.oracle is False


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gredy", r"'gredy' \(did you mean 'greedy'\?\): known are random, first_legal, greedy"),
        ("", "no agent is called ''"),
        ("wizard:3", "no agent is called 'wizard:3': known are"),
        ("greedy:3", "'greedy' takes no parameter"),
        ("scripted", "the parameter is missing, write 'scripted:ACTIONS'"),
        ("scripted:", "the parameter is missing"),
        ("scripted:fly", "'fly' is no action"),
        ("scripted: ,", "needs actions"),
        ("nowhere/x.safetensors", "no checkpoint is at 'nowhere/x.safetensors'"),
    ],
)
def test_a_wrong_name_is_refused(name: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        agents.make(name)


def test_available_lists_every_family() -> None:
    assert set(agents.available()) == {
        *("random", "first_legal", "greedy", "scripted:ACTIONS", "PATH.safetensors"),
    } | {f for f in agents.available() if re.split(r"[:\[]", f)[0] in agents.FAMILIES}
    assert all(agents.available().values())


class Fixed(FirstLegalAgent):
    """What a user may add."""

    def __init__(self, number: str = "") -> None:
        self.name = f"fixed:{number}" if number else "fixed"


def test_a_registered_agent_is_made_listed_and_played() -> None:
    with patch.dict(agents.FAMILIES):
        agents.register("fixed", Fixed, "always the same", parameter="N", optional=True)
        assert agents.make("fixed").name == "fixed"
        assert agents.make("fixed:3").name == "fixed:3"
        assert agents.available()["fixed[:N]"] == "always the same"
        assert play_match("fixed", "first_legal", 20).points_per_hand == 0
        assert agents.make("bids:random,plays:fixed:3").name == "bids:random,plays:fixed:3"
        assert agents.sources_of(["bids:random,plays:fixed:3"]) == {"fixed": Path(__file__)}
        assert agents.sources_of(["prefixed", "random"]) == {}
        with pytest.raises(AgentError, match=r"no agent is called 'fixd'.*did you mean 'fixed'"):
            agents.make("fixd")
    with pytest.raises(AgentError, match="no agent is called 'fixed'"):
        agents.make("fixed")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("random", "there is an agent 'random' already"),
        ("", "'' is no name"),
        ("a:b", "'a:b' is no name"),
        ("x.safetensors", "is no name for an agent"),
    ],
)
def test_a_name_that_cannot_be_registered_is_refused(name: str, message: str) -> None:
    before = dict(agents.FAMILIES)
    with pytest.raises(AgentError, match=message):
        agents.register(name, Fixed)
    assert before == agents.FAMILIES


def test_no_torch_without_a_network() -> None:
    code = (
        "import sys, agents, agents.evaluation, agents.app.match\n"
        "agents.make('greedy')\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- the contract ------------------------------------------------------------------------------


def one_view(ruleset: str = "stick") -> View:
    env = BatchEnv(6, ruleset, seed=2, observe=False)
    env.reset()
    return view_of_env(env, 0, agents.make("random"))


@pytest.mark.parametrize("answer", [[25] * 5, [[25]] * 6, [25.0] * 6, 25, ["pass"] * 6])
def test_an_answer_of_the_wrong_form_is_refused(answer: Any) -> None:
    with pytest.raises(AgentError, match=r"agent 'who' answered 6 games with an array of shape"):
        check_actions(one_view(), answer, "who")


@pytest.mark.parametrize("action", [-1, 0, 33, 38, 2**40])
def test_an_illegal_action_is_named(action: int) -> None:
    answer = [25, 25, 25, action, 25, 25]
    message = rf"agent 'who' chose {action} \(.+\) in game 103, seat \d: legal are pass, order_up"
    with pytest.raises(AgentError, match=message):
        check_actions(one_view(), answer, "who", np.arange(100, 106))


def test_a_legal_answer_comes_back_as_int64() -> None:
    found = check_actions(one_view(), np.full(6, 25, np.uint8), "who")
    assert found.dtype == np.int64
    assert found.tolist() == [25] * 6


def test_a_view_shows_what_the_environment_shows() -> None:
    env = BatchEnv(300, make_rulesets(), seed=3)
    env.reset()
    for step in range(40):
        view = view_of_env(env, step, agents.make("random"))
        assert np.array_equal(view.observation, env.observation)
        assert np.array_equal(view.action_mask, env.action_mask)
        assert np.array_equal(view.legal, env.legal)
        assert np.array_equal(view.seat, env.actor)
        env.step(env.random_actions())


# --- every shipped agent -----------------------------------------------------------------------


def size_of(name: str) -> tuple[int, int]:
    """Games and steps in which an agent is tried: fewer for one that takes its time."""
    if name.startswith("scripted"):
        return 400, 180
    family = name.partition(":")[0]
    by_policy = family in ("rollout", "search", "champion+search")
    searches = by_policy or ".search" in agents.FAMILIES[family].module
    return (200, 60) if searches else (400, 250)


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("episode", ["hand", "game"])
def test_legal_under_every_rule_set(name: str, episode: str) -> None:
    games, steps = size_of(name)
    agent, env = agents.make(name), BatchEnv(games, make_rulesets(), episode, seed=4, observe=False)
    env.reset()
    phases: set[int] = set()
    for step in range(steps):
        view = view_of_env(env, step, agent)
        phases |= set(view.states["phase"].tolist())
        actions = check_actions(view, agent.act(view), name)
        if step % 3 == 2:  # positions that the agent itself would not come to
            actions = env.random_actions()
        env.step(actions)
    assert phases == DECISION_PHASE_IDS


@pytest.mark.parametrize("name", SHIPPED)
def test_each_game_is_answered_by_itself_and_the_same_again(name: str) -> None:
    agent, env = agents.make(name), BatchEnv(60, make_rulesets(), seed=5, observe=False)
    env.reset()
    for step in range(30):
        view = view_of_env(env, step, agent)
        actions = agent.act(view)
        assert np.array_equal(agent.act(view), actions)
        rows = np.array([7, 3, 41])
        assert np.array_equal(agent.act(view.select(rows)), actions[rows])
        env.step(env.random_actions())


def test_greedy_never_reneges() -> None:
    env = BatchEnv(200, "stick,renege=penalised", seed=6, observe=False)
    env.reset()
    for step in range(100):
        _, done = env.step(agents.make("greedy").act(view_of_env(env, step, agents.make("greedy"))))
        assert (env.final_states["offender"][done] == NOBODY).all()


# --- no leak -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Position:
    """A record and the same with all that the seat to act cannot see dealt again."""

    true: Any
    other: Any
    which: int


def hidden_places(s: Any, ruleset: Ruleset) -> Iterator[tuple[str, int | None]]:
    """The fields of a record whose cards the seat to act does not know."""
    viewer = s["turn"]
    blind = s["phase"] == NAME_TRUMP and ruleset.joker_upcard == "dealer_names_blind"
    yield from (("hand", seat) for seat in range(4) if seat != viewer or blind)
    if s["swapper"] == NOBODY or (s["swapper"] != viewer and not ruleset.swap3_shown):
        yield "kitty", None
    yield "spare", None
    if s["taker"] not in (viewer, NOBODY):
        yield "discard", None


def bits_of(cards: int) -> list[int]:
    return [b for b in range(25) if int(cards) >> b & 1]


def held(s: Any, place: tuple[str, int | None]) -> int:
    name, seat = place
    return int(s[name] if seat is None else s[name][seat])


def put(s: Any, place: tuple[str, int | None], cards: int) -> None:
    name, seat = place
    if seat is None:
        s[name] = cards
    else:
        s[name][seat] = cards


def move_upcard(s: Any, draw: random.Random) -> None:
    """Where nobody knows whether the taker buried the upcard, let it be in the other place."""
    taker, upcard = int(s["taker"]), int(s["upcard"])
    if s["place"] != TAKEN_OR_BURIED or taker == s["turn"] or not s["discard"]:
        return
    hand, discard = int(s["hand"][taker]), int(s["discard"])
    if hand & upcard:
        s["hand"][taker], s["discard"] = hand ^ upcard | discard, upcard
    elif discard == upcard and hand:
        card = 1 << draw.choice(bits_of(hand))
        s["hand"][taker], s["discard"] = hand ^ card | upcard, card


def keeps_voids(s: Any) -> bool:
    return not any(int(s["hand"][seat]) & int(s["void"][seat]) for seat in range(4))


def dealt_again(s: Any, ruleset: Ruleset, draw: random.Random) -> Any:
    """A record that looks the same to the seat to act: unseen cards permuted, shown voids kept."""
    places = list(hidden_places(s, ruleset))
    for _ in range(30):
        other = s.copy()
        if draw.random() < 0.5:
            move_upcard(other, draw)
        fixed = int(s["upcard"])
        pool = [b for place in places for b in bits_of(held(other, place) & ~fixed)]
        draw.shuffle(pool)
        for place in places:
            kept = held(other, place) & fixed
            size = len(bits_of(held(other, place) & ~fixed))
            put(other, place, kept | sum(1 << pool.pop() for _ in range(size)))
        if int(s["swapped"]) and int(s["swapped"]) == int(s["kitty"]):
            other["swapped"] = other["kitty"]
        other["rng"] = draw.getrandbits(63)
        if keeps_voids(other):
            return other
    return s.copy()


@pytest.fixture(scope="module")
def positions() -> list[Position]:
    """Positions of all phases, by random and by greedy play, each with a twin."""
    draw = random.Random(SEED)
    env = BatchEnv(60, make_rulesets(), seed=8, observe=False)
    env.reset()
    found, greedy = [], agents.make("greedy")
    for step in range(60):
        for s, which in zip(env.states, env.which):
            twin = dealt_again(s.copy(), env.rulesets[which], draw)
            found.append(Position(s.copy(), twin, int(which)))
        half = np.arange(len(env)) % 2 == 0
        env.step(np.where(half, env.random_actions(), greedy.act(view_of_env(env, step, greedy))))
    return found


def assert_blind(agent: Agent, positions: list[Position]) -> None:
    """Fail if anything that the seat to act cannot know changes what it is shown or does."""
    table = table_of(tuple(make_rulesets()))
    which = np.array([p.which for p in positions], np.int16)
    seeds = seeds_for(len(positions), 1)
    views = []
    for side in ("true", "other"):
        states = new_states(len(positions))
        for row, p in enumerate(positions):
            states[row] = getattr(p, side)
        views.append(view_of(states, table, which, seeds, oracle=agent.oracle))
    true, other = views
    assert true.states.tobytes() == other.states.tobytes()
    assert np.array_equal(true.observation, other.observation)
    assert np.array_equal(true.action_mask, other.action_mask)
    assert np.array_equal(agent.act(true), agent.act(other))


def test_every_family_is_tested() -> None:
    honest = {name for name in agents.FAMILIES if name != "oracle"}
    assert {name.partition(":")[0] for name in SHIPPED} == honest


def test_the_twins_are_fit_to_show_a_leak(positions: list[Position]) -> None:
    changed = [(p.true["hand"] != p.other["hand"]).any() for p in positions]
    assert np.mean(changed) > 0.9
    assert {int(p.true["phase"]) for p in positions} >= DECISION_PHASE_IDS - {NAME_TRUMP}
    assert any(p.true["discard"] != p.other["discard"] for p in positions)
    assert any(p.true["kitty"] != p.other["kitty"] for p in positions)
    for p in positions:
        both = [
            [bits_of(x) for x in (*s["hand"], s["kitty"], s["spare"], s["discard"])]
            for s in (p.true, p.other)
        ]
        assert sorted(b for x in both[0] for b in x) == sorted(b for x in both[1] for b in x)
        assert [len(x) for x in both[0]] == [len(x) for x in both[1]]


@pytest.mark.parametrize("name", SHIPPED)
def test_no_hidden_card_influences_an_agent(name: str, positions: list[Position]) -> None:
    assert_blind(agents.make(name), positions)


@pytest.mark.parametrize("greedy", [True, False])
def test_no_hidden_card_influences_a_network(
    greedy: bool, positions: list[Position], tmp_path: Path
) -> None:
    """A random network that reads every block, through a file as policies are shipped."""
    path = tmp_path / "policy.safetensors"
    save_policy(path, PolicyValueNet([32], list(LAYOUT), seed=5), {})
    assert_blind(load_agent(path, greedy=greedy), positions)


class Peeker:
    """Chooses by the hand of the seat to the left: a planted leak."""

    name = "peeker"
    oracle = True

    def act(self, view: View) -> Any:
        assert view.full_states is not None
        left = (view.seat + 1) % 4
        hand = view.full_states["hand"][np.arange(len(view)), left]
        options = [np.flatnonzero(mask) for mask in view.action_mask]
        return np.array([o[h % len(o)] for o, h in zip(options, hand)])


def test_a_planted_leak_is_found(positions: list[Position]) -> None:
    with pytest.raises(AssertionError):
        assert_blind(Peeker(), positions)


def test_only_oracles_get_the_full_records(positions: list[Position]) -> None:
    assert one_view().full_states is None
    assert one_view().select([0, 2]).full_states is None


# --- what the players do -----------------------------------------------------------------------


def deck(upcard: str, **hands: str) -> npt.NDArray[np.int8]:
    """A deck with some hands, ``s0`` to ``s3``, and the upcard; the rest go where there is room."""
    named = card_ids(" ".join([upcard, *hands.values()]))
    rest = (c for c in range(24) if c not in named)
    seats = [
        hands[f"s{k}"].split() if f"s{k}" in hands else [next(rest) for _ in range(5)]
        for k in range(4)
    ]
    return deck_of([*(c for hand in seats for c in hand), upcard, *rest])


def choice(name: str, cards: npt.NDArray[np.int8], played: str = "", ruleset: str = "stick") -> str:
    """The text of an agent's action after some actions of a hand that seat 0 has dealt."""
    table, states = RuleTable.of([Ruleset.parse(ruleset)]), new_states(1)
    new_match(states[0], table.rules[0])
    deal(states[0], table.rules[0], cards, 0)
    for text in played.split():
        apply(states[0], table.rules[0], action_id(text, "trump", states[0]))
    view = view_of(states, table, np.zeros(1, np.int16), np.zeros(1, np.uint64))
    return action_text(int(agents.make(name).act(view)[0]), "trump", states[0])


STRONG = "JH JD AH KS 9C"  # 25 points with hearts
MIDDLING = "JH JD 9C TC QC"  # 17
WEAK = "9S TS QS 9D TD"  # 10 with spades


@pytest.mark.parametrize(
    ("seat", "hand", "expected"),
    [
        (1, STRONG, "order_up"),
        (1, MIDDLING, "pass"),
        (1, WEAK, "pass"),
        (2, MIDDLING, "order_up"),
        (2, "JH AC KC QC TC", "pass"),  # 17 points, but one trump
        (3, STRONG, "order_up"),
        (3, MIDDLING, "pass"),
        (0, MIDDLING, "order_up"),
        (0, WEAK, "pass"),
    ],
)
def test_greedy_orders_up_by_points_and_seat(seat: int, hand: str, expected: str) -> None:
    passes = "pass " * ((seat - 1) % 4)
    assert choice("greedy", deck("QH", **{f"s{seat}": hand}), passes) == expected


def test_a_stuck_dealer_names_its_best_suit() -> None:
    cards = deck("QH", s0=WEAK)
    assert choice("greedy", cards, "pass " * 7) == "call_S"
    assert choice("greedy", cards, "pass " * 7, "american") == "pass"


def test_greedy_goes_alone_only_with_sure_tricks() -> None:
    assert choice("greedy", deck("QH", s1="JH JD AH KH AS"), "order_up") == "alone"
    assert choice("greedy", deck("QH", s1="JH KH QS AS AC"), "order_up") == "with_partner"


def test_greedy_leaves_a_trick_to_its_partner_and_wins_cheaply() -> None:
    cards = deck(
        "KH", s0="JH AH QH QD KD", s1="AS AC KC QC JC", s2="9S KS 9C 9D TC", s3="JS QS TD JD AD"
    )
    start = "pass pass pass order_up with_partner KD AS"
    assert choice("greedy", cards, start) == "9S"  # cannot win
    assert choice("greedy", cards, start + " 9S") == "JS"  # partner is winning
    assert choice("greedy", cards, start + " 9S JS") == "QH"  # the lowest trump will do


def test_greedy_draws_trumps_then_cashes() -> None:
    cards = deck("9H", s1="JH JD AH AS KS")
    assert choice("greedy", cards, "order_up with_partner 9C") == "JH"
    cards = deck("9H", s1="AS KS QS TC TD", s2="JH JD AH KH QH")
    assert choice("greedy", cards, "pass order_up with_partner 9C") == "AS"


def test_greedy_discards_to_make_a_void() -> None:
    cards = deck("9H", s0="JH AH QC AS KS")
    assert choice("greedy", cards, "pass pass pass order_up with_partner") == "QC"


def test_a_script_is_followed_where_it_is_legal() -> None:
    cards = deck("QH", s1=WEAK)
    assert choice("scripted:call_S pass", cards) == "pass"
    assert choice("scripted:call_S,pass", cards, "pass pass pass pass") == "call_S"
    assert choice("scripted:9C", cards) == "pass"
