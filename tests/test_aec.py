"""The AEC environment: rewards, order, injected deals, copies, errors that change nothing."""

import ast
import copy
import hashlib
import os
import pickle
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from euchre_env import BatchEnv, Ruleset, RulesetError, action_id
from euchre_env.actions import ActionError
from euchre_env.aec import AGENTS, raw_env
from euchre_env.cards import CardError
from euchre_env.encoding import HIDDEN_LAYOUT, LAYOUT, OBSERVATION_SIZE
from euchre_env.ruleset import VARIANT_PRESETS
from euchre_env.testing import random_ruleset

ROOT = Path(__file__).resolve().parent.parent

# ---- deals with known results --------------------------------------------------------------------

# North, East, South, West, upcard, kitty: the worked hand of source 000 (RP-01 and RP-05).
WORKED = "TD 9H AS KS TC  JS TH QS AH QC  JH QH AC TS 9D  AD JD 9S KD 9C  KH  JC KC QD"
MAKE = (
    "pass pass pass order_up with_partner 9D "
    "AD TD JS QH JH JD 9H TH AC 9C TC QC TS 9S AS QS KS AH KH KD"
)
EUCHRED = "pass order_up alone AD TD JS KD 9H TH AH JD KS 9C TC QC QS 9S AS"  # South sits out
# A lone maker against a lone defender, who takes all five (RP-04).
DUEL_DECK = "JC QS KH QH TH  9S TS QD KD 9D  JS AS KS AH AD  9C TC QC KC JD  9H  JH AC TD"
DUEL = "pass pass pass pass call_S alone defend_alone 9S KS JS TS AS 9D AD QD AH KD"

HANDS = [
    pytest.param({}, 2, WORKED, MAKE, 1, id="RP-01"),
    pytest.param({"defend_alone": "vs_loner"}, 0, DUEL_DECK, DUEL, 4, id="RP-04"),
    pytest.param({}, 2, WORKED, EUCHRED, -2, id="RP-05"),
    pytest.param({}, 2, WORKED, " ".join(["pass"] * 8), 0, id="thrown in"),
]


def play(env: raw_env, history: str) -> None:
    for word in history.split():
        env.step(action_id(word, env.frame, env.record))


def legal_actions(env: raw_env) -> np.ndarray:
    return np.flatnonzero(env.observe(env.agent_selection)["action_mask"])


def play_out(env: raw_env, seed: int = 0, limit: int = 10**6) -> list[Any]:
    """Play random legal actions to the end; everything that an agent was told on the way."""
    rng = random.Random(seed)
    trace: list[Any] = []
    for agent in env.agent_iter(limit):
        seen, reward, terminated, truncated, info = env.last()
        assert seen is not None
        legal = np.flatnonzero(seen["action_mask"])
        done = terminated or truncated
        action = None if done else int(rng.choice(legal))
        told = (seen["observation"].tobytes(), seen["action_mask"].tobytes(), reward, info)
        trace.append((agent, *told, terminated, truncated, action))
        env.step(action)
        trace.append((dict(env.rewards), list(env.agents), env.state().tobytes()))
    return trace


def totals(trace: list[Any]) -> dict[str, float]:
    """What each agent was paid by ``last()`` over an episode."""
    paid = dict.fromkeys(AGENTS, 0.0)
    for entry in trace:
        if entry[0] in AGENTS:
            paid[entry[0]] += entry[3]
    return paid


# ---- rewards -------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", ["absolute", "trump"])
@pytest.mark.parametrize(("rules", "dealer", "deck", "history", "points"), HANDS)
def test_rewards_of_a_hand_for_all_four_seats(
    rules: dict[str, Any], dealer: int, deck: str, history: str, points: int, frame: str
) -> None:
    env = raw_env(Ruleset(**rules), frame=frame)
    env.reset(seed=1, options={"dealer": dealer, "deck": deck})
    *before, last = history.split()
    play(env, " ".join(before))
    assert set(env.rewards.values()) == {0}
    assert not any(env.terminations.values())
    play(env, last)
    expected = dict(zip(AGENTS, (points, -points, points, -points)))
    assert env.rewards == expected
    assert sum(env.rewards.values()) == 0
    assert env.terminations == dict.fromkeys(AGENTS, True)
    assert env.truncations == dict.fromkeys(AGENTS, False)
    assert totals(play_out(env)) == expected
    assert env.agents == []


def test_a_seat_that_sits_out_is_alive_never_selected_and_paid() -> None:
    env = raw_env()
    env.reset(seed=1, options={"dealer": 2, "deck": WORKED})
    play(env, "pass order_up alone")
    for word in EUCHRED.split()[3:]:
        assert env.agent_selection != "player_2"
        assert "player_2" in env.agents
        assert not env.observe("player_2")["action_mask"].any()
        play(env, word)
    assert env.rewards["player_2"] == -2


@pytest.mark.parametrize(("rules", "dealer", "deck", "history", "points"), HANDS)
def test_rewards_come_after_each_hand_of_a_game(
    rules: dict[str, Any], dealer: int, deck: str, history: str, points: int
) -> None:
    env = raw_env(Ruleset(**rules), episode="game")
    env.reset(seed=1, options={"dealer": dealer, "deck": deck})
    play(env, history)
    assert env.rewards == dict(zip(AGENTS, (points, -points, points, -points)))
    assert not any(env.terminations.values()) and not any(env.truncations.values())
    s = env.record
    assert s.score.tolist()[:2] == [max(points, 0), max(-points, 0)]
    assert s.dealer == (dealer + 1) % 4
    env.step(int(legal_actions(env)[0]))
    assert set(env.rewards.values()) == {0}


@pytest.mark.parametrize("seed", range(4))
def test_the_rewards_of_a_game_add_up_to_its_result(seed: int) -> None:
    env = raw_env(episode="game")
    env.reset(seed=seed)
    trace = play_out(env, seed)
    score = env.record.score[:2]
    lead = int(score[0] - score[1])
    assert max(score) >= 10 > min(score)
    assert totals(trace) == dict(zip(AGENTS, (lead, -lead, lead, -lead)))
    ends = [entry for entry in trace if entry[0] in AGENTS and entry[5]]
    assert [entry[0] for entry in ends] == list(AGENTS)


def test_an_injected_score_can_be_one_hand_from_the_end() -> None:
    env = raw_env(episode="game")
    env.reset(seed=1, options={"dealer": 2, "deck": WORKED, "score": (9, 9)})
    play(env, MAKE)
    assert env.record.score.tolist() == [10, 9, 0, 0]
    assert all(env.terminations.values()) and not any(env.truncations.values())
    assert env.rewards["player_3"] == -1


def test_a_game_is_cut_after_max_hands() -> None:
    env = raw_env(episode="game", max_hands=3)
    env.reset(seed=5)
    hands = 0
    while not any(env.truncations.values()):
        dealer = int(env.record.dealer)
        env.step(int(legal_actions(env)[0]))
        hands += dealer != int(env.record.dealer) or any(env.truncations.values())
    assert hands == 3
    assert env.truncations == dict.fromkeys(AGENTS, True)
    assert env.terminations == dict.fromkeys(AGENTS, False)
    assert len(play_out(env)) == 8


def test_cumulative_rewards_restart_when_an_agent_acts() -> None:
    env = raw_env(episode="game")
    env.reset(seed=1, options={"dealer": 2, "deck": WORKED})
    play(env, MAKE)
    assert [env._cumulative_rewards[a] for a in AGENTS] == [1, -1, 1, -1]
    first = env.agent_selection
    play(env, "pass")
    for agent, paid in zip(AGENTS, (1, -1, 1, -1)):
        assert env._cumulative_rewards[agent] == (0 if agent == first else paid)


# ---- injected deals ------------------------------------------------------------------------------


def test_dealer_deck_and_score_can_be_given() -> None:
    env = raw_env()
    env.reset(seed=1, options={"dealer": 2, "deck": WORKED, "score": [3, 8], "unknown": object()})
    assert env.agent_selection == "player_3"
    seen = env.observe("player_1")["observation"]
    assert np.flatnonzero(seen[LAYOUT["hand"].slice]).tolist() == sorted(
        action_id(card) for card in WORKED.split()[5:10]
    )
    assert np.flatnonzero(seen[LAYOUT["upcard"].slice]).tolist() == [action_id("KH")]
    assert env.record.score.tolist() == [3, 8, 0, 0]
    as_list = raw_env()
    as_list.reset(seed=1, options={"dealer": np.int8(2), "deck": WORKED.split(), "score": (3, 8)})
    assert as_list.state().tobytes() == env.state().tobytes()


def test_later_chance_does_not_depend_on_an_injected_deck() -> None:
    given, drawn = raw_env(episode="game"), raw_env(episode="game")
    given.reset(seed=4, options={"dealer": 0, "deck": WORKED})
    drawn.reset(seed=4, options={"dealer": 0})
    assert given.state().tobytes() != drawn.state().tobytes()
    for env in (given, drawn):
        play(env, " ".join(["pass"] * 8))
    assert given.record.hand.tolist() == drawn.record.hand.tolist()


def test_a_deck_with_the_joker() -> None:
    deck = WORKED.split()
    env = raw_env(Ruleset(joker=True))
    env.reset(seed=1, options={"dealer": 2, "deck": [*deck[:20], "JOKER", *deck[21:], "KH"]})
    assert env.agent_selection == "player_2"
    env.step(action_id("call_H"))
    assert env.record.upcard


# ---- errors that change nothing ------------------------------------------------------------------

BAD_OPTIONS = [
    ({"dealer": 4}, "dealer=4"),
    ({"dealer": -1}, "dealer=-1"),
    ({"dealer": "player_2"}, "dealer='player_2'"),
    ({"dealer": True}, "dealer=True"),
    ({"dealer": 1.0}, "dealer=1.0"),
    ({"score": (10, 0)}, "target_score=10"),
    ({"score": (0, 0, 0)}, "2 integers, of teams 0 and 1"),
    ({"score": (0.5, 0)}, "2 integers, of teams 0 and 1"),
    ({"score": (-51, 0)}, "from -50"),
    ({"score": 3}, "2 integers, of teams 0 and 1"),
    ({"score": "38"}, "2 integers, of teams 0 and 1"),
    ({"deck": " ".join(WORKED.split()[:23])}, "23: missing QD"),
    ({"deck": WORKED.replace("9H", "9D")}, "9D more than once"),
    ({"deck": WORKED.replace("9H", "JOKER")}, "joker=True"),
    ({"deck": WORKED.replace("9H", "1H")}, "'1H' is no card"),
    ({"deck": 7}, "deck=7"),
    ({"deck": [99] * 24}, "99 is no card id"),
    ({"deck": [1.5] * 24}, "1.5 is no card"),
    ([("dealer", 2)], "must be a dict"),
]


def snapshot(env: raw_env) -> Any:
    saved = env.get_state()
    told = [env.observe(agent) for agent in AGENTS]
    return pickle.dumps((saved, told, env.state(), env.infos))


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_a_bad_option_is_named_and_changes_nothing(options: Any, message: str) -> None:
    env = raw_env()
    env.reset(seed=3)
    play(env, "pass")
    before = snapshot(env)
    with pytest.raises(ValueError) as error:
        env.reset(seed=9, options=options)
    assert message in str(error.value)
    assert snapshot(env) == before


def test_an_upturned_joker_where_the_rules_would_redraw() -> None:
    env = raw_env(Ruleset(joker=True, joker_upcard="redraw"))
    env.reset(seed=3)
    before = snapshot(env)
    deck = WORKED.split()
    with pytest.raises(ValueError, match="joker_upcard='redraw'"):
        env.reset(options={"deck": [*deck[:20], "JOKER", *deck[21:], "KH"]})
    assert snapshot(env) == before


def test_a_card_error_is_a_value_error() -> None:
    env = raw_env()
    with pytest.raises(CardError):
        env.reset(options={"deck": "AH"})


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_a_bad_seed_is_named_and_changes_nothing(seed: Any) -> None:
    env = raw_env()
    env.reset(seed=3)
    before = snapshot(env)
    with pytest.raises(ValueError, match=f"seed={seed!r}"):
        env.reset(seed=seed)
    assert snapshot(env) == before


BAD_ACTIONS = [
    (38, "38 (ids run from 0 to 37) is not legal"),
    (-1, "-1 (ids run from 0 to 37) is not legal"),
    (2**80, "ids run from 0 to 37"),
    (0, "0 (9C) is not legal"),
    (np.int64(31), "31 (call_NT) is not legal"),
    (25.0, "25.0 is a float"),
    (np.float32(25), "float32"),
    ("pass", "'pass' is a str"),
    (None, "None is a NoneType"),
    (True, "True is a bool"),
    (np.True_, "bool"),
    ([25], "[25] is a list"),
    (np.array([25]), "ndarray"),
]


@pytest.mark.parametrize(("action", "message"), BAD_ACTIONS)
@pytest.mark.parametrize("frame", ["absolute", "trump"])
def test_a_bad_action_is_named_and_changes_nothing(action: Any, message: str, frame: str) -> None:
    env = raw_env(frame=frame)
    env.reset(seed=3, options={"dealer": 0, "deck": WORKED})
    before = snapshot(env)
    with pytest.raises(ActionError) as error:
        env.step(action)
    assert message in str(error.value)
    assert "for player_1 in phase bid1: legal are 25 (pass), 26 (order_up)" in str(error.value)
    assert snapshot(env) == before
    env.step(25)


def test_a_card_that_does_not_follow_is_named() -> None:
    env = raw_env()
    env.reset(seed=1, options={"dealer": 2, "deck": WORKED})
    play(env, "pass pass pass order_up with_partner 9D AD")
    with pytest.raises(
        ActionError, match=r"\(AS\) is not legal for player_0 in phase play"
    ) as error:
        play(env, "AS")
    assert str(error.value).endswith(f"legal are {action_id('TD')} (TD)")


@pytest.mark.parametrize(
    "action", [25, np.int8(25), np.uint8(25), np.int32(25), np.int64(25), np.array(25)]
)
def test_whole_numbers_of_any_type_are_actions(action: Any) -> None:
    env = raw_env()
    env.reset(seed=3)
    env.step(action)
    assert env.record.passes == 1


CALLS = {
    "step": lambda env: env.step(25),
    "last": lambda env: env.last(),
    "observe": lambda env: env.observe("player_0"),
    "agent_iter": lambda env: env.agent_iter(),
    "state": lambda env: env.state(),
    "render": lambda env: env.render(),
    "get_state": lambda env: env.get_state(),
    "record": lambda env: env.record,
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_works_before_reset(name: str) -> None:
    env = raw_env(render_mode="ansi")
    with pytest.raises(RuntimeError, match="reset"):
        CALLS[name](env)


@pytest.mark.parametrize("name", ["step", "last"])
def test_nothing_is_played_after_the_end(name: str) -> None:
    env = raw_env()
    env.reset(seed=1)
    play_out(env)
    with pytest.raises(RuntimeError, match=rf"{name}\(\) after the end.*call reset\(\)"):
        CALLS[name](env)
    assert list(env.agent_iter()) == []
    assert not env.observe("player_3")["action_mask"].any()
    env.reset()
    assert len(env.agents) == 4


def test_an_agent_that_is_done_takes_none_only() -> None:
    env = raw_env()
    env.reset(seed=1, options={"dealer": 2, "deck": WORKED})
    play(env, MAKE)
    before = snapshot(env)
    with pytest.raises(ValueError, match=r"over for player_0: step\(None\)"):
        env.step(25)
    assert snapshot(env) == before
    assert not env.last()[0]["action_mask"].any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"episode": "match"}, "episode='match'"),
        ({"frame": "natural"}, "frame='natural'"),
        ({"render_mode": "png"}, "render_mode='png'"),
        ({"render_mode": ["ansi"]}, "render_mode=['ansi']"),
        ({"render_seat": 4}, "render_seat=4"),
        ({"render_seat": True}, "render_seat=True"),
        ({"render_seat": 1.0}, "render_seat=1.0"),
        ({"max_hands": 0}, "max_hands=0"),
        ({"max_hands": 1.5}, "max_hands=1.5"),
        ({"max_hands": 2**70}, "max_hands=1180591620717411303424"),
        ({"ruleset": None}, "ruleset=None"),
        ({"ruleset": {"joker": True}}, "is no rule set"),
        ({"ruleset": "amercian"}, "american"),
    ],
)
def test_a_bad_argument_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:
        raw_env(**arguments)
    assert message in str(error.value)


def test_an_option_that_the_game_does_not_know() -> None:
    raw_env(Ruleset.from_dict({"variant": "buck", "alone_by": "maker"}))
    with pytest.raises(RulesetError, match="alone_by is for partners"):
        raw_env("buck,alone_by=maker_team")
    with pytest.raises(ValueError, match="render_seat=3"):
        raw_env("three_hand", render_seat=3)


def test_unknown_agents_are_named() -> None:
    env = raw_env()
    env.reset(seed=1)
    for call in (env.observe, env.action_space, env.observation_space):
        with pytest.raises(ValueError, match=r"'North'.*player_0"):
            call("North")


# ---- copies --------------------------------------------------------------------------------------


def revived(env: raw_env) -> raw_env:
    other = raw_env(env.ruleset, env.episode, env.frame, max_hands=env.max_hands)
    other.set_state(env.get_state())
    return other


COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "get_state": revived,
}


@pytest.mark.parametrize("seed", range(25))
def test_a_copy_in_the_middle_goes_on_identically(seed: int) -> None:
    rng = random.Random(seed)
    ruleset = random_ruleset(rng, variants=seed >= 20, decks=15 <= seed < 20)
    frame = rng.choice(["absolute", "trump"])
    env = raw_env(ruleset, rng.choice(["hand", "game"]), frame, max_hands=4)
    env.reset(seed=seed)
    play_out(env, seed, limit=rng.randrange(30))
    copies = [make(env) for make in COPIES.values()]
    saved = env.get_state()
    after = env.agent_selection, env.last() if env.agents else None
    traces = [play_out(each, seed + 1) for each in copies]
    # The original has not moved; it goes on in the same way, and so does a second use of its state.
    again = env.agent_selection, env.last() if env.agents else None
    assert pickle.dumps(again) == pickle.dumps(after)
    traces.append(play_out(env, seed + 1))
    env.set_state(saved)
    traces.append(play_out(env, seed + 1))
    assert all(trace == traces[0] for trace in traces)
    for each in (*copies, env):
        each.reset()
    assert len({each.state().tobytes() for each in (*copies, env)}) == 1


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_is_independent(name: str) -> None:
    env = raw_env(episode="game")
    env.reset(seed=1, options={"dealer": 2, "deck": WORKED})
    play(env, MAKE)
    before = snapshot(env)
    other = COPIES[name](env)
    assert snapshot(other) == before
    play_out(other)
    assert snapshot(env) == before


def test_copies_of_an_environment_that_was_never_reset() -> None:
    env = raw_env()
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        with pytest.raises(RuntimeError):
            other.step(25)
        other.reset(seed=2)
        play_out(other)


def test_states_of_another_rule_set_are_refused() -> None:
    env, other = raw_env(), raw_env("stick")
    env.reset(seed=1)
    other.reset(seed=1)
    before = snapshot(other)
    with pytest.raises(ValueError, match="another rule set"):
        other.set_state(env.get_state())
    assert snapshot(other) == before
    saved = {k: v for k, v in other.get_state().items() if k != "truncations"}
    play(other, "pass")
    before = snapshot(other)
    with pytest.raises(ValueError, match="no saved state: it lacks truncations"):
        other.set_state(saved)
    assert snapshot(other) == before


def test_a_state_can_be_seen_in_another_frame() -> None:
    env, other = raw_env(), raw_env(frame="trump")
    env.reset(seed=1)
    other.set_state(env.get_state())
    other.reset(seed=1)
    fresh = raw_env(frame="trump")
    fresh.reset(seed=1)
    assert other.state().tobytes() == fresh.state().tobytes()


# ---- what agents are given -----------------------------------------------------------------------


@pytest.mark.parametrize("episode", ["hand", "game"])
def test_arrays_handed_out_never_change(episode: str) -> None:
    env = raw_env(episode=episode, max_hands=3)
    kept: list[tuple[np.ndarray, np.ndarray]] = []

    def keep(*arrays: np.ndarray) -> None:
        kept.extend((array, array.copy()) for array in arrays)

    for seed in (1, 2):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            keep(*seen.values(), env.state())
            for each in AGENTS:
                keep(*env.observe(each).values())
            legal = np.flatnonzero(seen["action_mask"])
            seen_before = env.observe(agent)
            seen["observation"][:] = 9  # nor does writing into one disturb the environment
            kept[:] = [(a, b) for a, b in kept if a is not seen["observation"]]
            assert (env.observe(agent)["observation"] == seen_before["observation"]).all()
            env.step(None if terminated or truncated else int(legal[-1]))
    assert len(kept) > 100
    assert all((array == before).all() for array, before in kept)


@pytest.mark.parametrize("seed", range(10))
def test_masks_are_zero_for_all_but_the_agent_to_act(seed: int) -> None:
    ruleset = random_ruleset(random.Random(seed), variants=seed >= 6, decks=seed >= 4)
    env = raw_env(ruleset, episode="game", max_hands=2)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        _, _, terminated, truncated, info = env.last(observe=False)
        done = terminated or truncated
        assert info == {}
        for each in env.possible_agents:
            seen = env.observe(each)
            assert env.observation_space(each).contains(seen)
            assert seen["action_mask"].any() == (each == agent and not done)
        assert env.state_space.contains(env.state())
        env.step(None if done else int(legal_actions(env)[0]))


def test_last_and_observe_agree() -> None:
    env = raw_env()
    env.reset(seed=8)
    for agent in env.agent_iter():
        seen, *_ = env.last()
        again = env.observe(agent)
        assert all((seen[key] == again[key]).all() for key in again)
        assert env.last(observe=False)[0] is None
        env.step(int(legal_actions(env)[0]) if again["action_mask"].any() else None)


def test_the_state_shows_all_hands() -> None:
    env = raw_env()
    env.reset(seed=1, options={"dealer": 2, "deck": WORKED})
    state = env.state()
    assert (state[:OBSERVATION_SIZE] == env.observe("player_0")["observation"]).all()
    hands = state[OBSERVATION_SIZE:][HIDDEN_LAYOUT["all_hands"].slice].reshape(4, 25)
    for seat in range(4):
        dealt = WORKED.split()[5 * seat : 5 * seat + 5]
        assert np.flatnonzero(hands[seat]).tolist() == sorted(map(action_id, dealt))


# ---- chance --------------------------------------------------------------------------------------


def test_a_seed_fixes_everything() -> None:
    traces = []
    for _ in range(2):
        env = raw_env(episode="game")
        env.reset(seed=11)
        first = play_out(env)
        env.reset()
        traces.append((first, play_out(env)))
    assert traces[0] == traces[1]
    assert traces[0][0] != traces[0][1]
    env.reset(seed=12)
    assert play_out(env) != traces[0][0]


def test_without_a_seed_environments_differ() -> None:
    states = set()
    for _ in range(4):
        env = raw_env()
        env.reset()
        states.add(env.state().tobytes())
    assert len(states) == 4


def test_seeds_beyond_64_bits() -> None:
    env = raw_env()
    env.reset(seed=2**70)
    env.reset(seed=np.uint64(2**63 + 1))


@pytest.mark.parametrize("frame", ["absolute", "trump"])
@pytest.mark.parametrize("rules", ["american", *VARIANT_PRESETS])
def test_equal_to_the_batch_of_one(rules: str, frame: str) -> None:
    batch = BatchEnv(1, rules, episode="game", seed=7, frame=frame, max_hands=5)
    batch.reset()
    env = raw_env(rules, episode="game", frame=frame, max_hands=5)
    env.reset(seed=7)
    done = [False]
    while not done[0]:
        seen = env.observe(env.agent_selection)
        assert AGENTS[batch.actor[0]] == env.agent_selection
        assert (seen["observation"] == batch.observation[0]).all()
        assert (seen["action_mask"] == batch.action_mask[0]).all()
        action = int(batch.random_actions()[0])
        env.step(action)
        rewards, done = batch.step([action])
        players = env.possible_agents
        found = [env.rewards[agent] for agent in players]
        assert found == pytest.approx(rewards[0, : len(players)].tolist())
    assert batch.truncated[0] == env.truncations["player_0"]


PLAIN = """
import hashlib, sys
sys.path.insert(0, "tests")
from test_aec import play_out
from euchre_env.aec import raw_env
env = raw_env("anyone_alone", episode="game", max_hands=2)
env.reset(seed=5)
print(hashlib.sha256(repr(play_out(env)).encode()).hexdigest())
"""


def test_plain_python_gives_the_same_game() -> None:
    env = raw_env("anyone_alone", episode="game", max_hands=2)
    env.reset(seed=5)
    expected = hashlib.sha256(repr(play_out(env)).encode()).hexdigest()
    shown = subprocess.run(
        [sys.executable, "-c", PLAIN],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.stdout.split() == [expected], shown.stderr


# ---- size, and what must not be there ------------------------------------------------------------


def test_one_environment_takes_less_than_64_kib() -> None:
    def make() -> raw_env:
        env = raw_env()
        env.reset(seed=1)
        for agent in env.possible_agents:
            env.action_space(agent).sample(env.observe(agent)["action_mask"])
        env.step(25)
        return env

    warm = [make() for _ in range(3)]
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        made = [make() for _ in range(100)]
        used = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert len(warm) + len(made) == 103
    assert used / 100 < 64 * 1024


PATIENT = ["aec.py", "euchre_v0.py", "gym_env.py", "__init__.py", "render/*.py"]


@pytest.mark.parametrize(
    "path", [p for name in PATIENT for p in (ROOT / "euchre_env").glob(name)], ids=lambda p: p.name
)
def test_no_clock_decides_anything(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    imported = {
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    } | {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not imported & {"time", "datetime", "signal", "sched", "threading"}
