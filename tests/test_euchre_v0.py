"""PettingZoo's own checks, its standard wrappers, and the parallel form."""

import copy
import pickle
import random
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test, test_save_obs
from pettingzoo.test.state_test import test_parallel_env, test_state_space
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from euchre_env import euchre_v0
from euchre_env.aec import AGENTS, raw_env
from euchre_env.testing import random_ruleset

test_save_obs.__test__ = False  # a helper of PettingZoo's, not a test of this file
test_parallel_env.__test__ = False
test_state_space.__test__ = False

KINDS = [
    {"episode": "hand"},
    {"episode": "game"},
    {"episode": "game", "frame": "trump", "ruleset": "anyone_alone", "max_hands": 2},
    {"episode": "game", "ruleset": "dirty_clubs", "max_hands": 3},
    {"episode": "game", "frame": "trump", "ruleset": "three_hand", "max_hands": 2},
    {"episode": "hand", "ruleset": "two_hand,two_hand_dummy=maker"},
]


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        # PettingZoo warns of every observation with a mask that it is a dict.
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        yield


def play_out(env: Any, seed: int = 0) -> dict[str, float]:
    rng = random.Random(seed)
    paid = dict.fromkeys(AGENTS, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        paid[agent] += reward
        legal = np.flatnonzero(seen["action_mask"])
        env.step(None if terminated or truncated else int(rng.choice(legal)))
    return paid


@pytest.mark.parametrize("strict_wrappers", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_pettingzoo_api(kind: dict[str, Any], strict_wrappers: bool) -> None:
    with warnings.catch_warnings():
        # The wrappers say so when api_test steps once more after the end; dead masks are zero.
        warnings.filterwarnings("ignore", "Action mask numpy array is all zeros")
        warnings.filterwarnings("error", category=DeprecationWarning)
        api_test(euchre_v0.env(strict_wrappers=strict_wrappers, **kind), num_cycles=60)


@pytest.mark.parametrize("seed", range(6))
def test_pettingzoo_api_under_random_rules(seed: int) -> None:
    ruleset = random_ruleset(random.Random(seed))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Action mask numpy array is all zeros")
        api_test(euchre_v0.env(ruleset=ruleset, episode="game", max_hands=3), num_cycles=60)


@pytest.mark.parametrize("make", [euchre_v0.env, euchre_v0.raw_env])
@pytest.mark.parametrize("kind", KINDS)
def test_pettingzoo_seed(make: Any, kind: dict[str, Any]) -> None:
    seed_test(lambda: make(**kind), num_cycles=50)


def test_pettingzoo_render(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(euchre_v0.raw_env.metadata, "render_fps", 0)
    render_test(euchre_v0.env)


def test_pettingzoo_save_observation(capsys: pytest.CaptureFixture[str]) -> None:
    # Observations are vectors with masks; PettingZoo's test accepts that they are no pictures.
    test_save_obs(euchre_v0.env())
    assert "Observations must be Box" in capsys.readouterr().out


def test_pettingzoo_state() -> None:
    env = euchre_v0.env()
    test_state_space(env)
    test_parallel_env(euchre_v0.parallel_env())
    test_parallel_env(euchre_v0.parallel_env(ruleset="three_hand"))
    test_state_space(euchre_v0.env(ruleset="cutthroat"))
    env.reset(seed=1)
    play_out(env)
    assert env.state_space.contains(env.state())


@pytest.mark.parametrize("limit", [1, 4])
def test_max_hands_is_this_game_s_max_cycles(limit: int) -> None:
    """PettingZoo's max-cycles test counts the steps of agents; this limit counts hands."""
    module = SimpleNamespace(
        env=lambda max_cycles: euchre_v0.env(episode="game", max_hands=max_cycles),
        parallel_env=lambda max_cycles: euchre_v0.parallel_env(
            episode="game", max_hands=max_cycles
        ),
    )
    parallel = module.parallel_env(max_cycles=limit)
    observations, _ = parallel.reset(seed=2)
    ended = 0
    while parallel.agents:
        dealer = int(parallel.unwrapped.record.dealer)
        actions = {a: int(seen["action_mask"].argmax()) for a, seen in observations.items()}
        observations, _, terminated, truncated, _ = parallel.step(actions)
        ended += all(truncated.values()) or dealer != int(parallel.unwrapped.record.dealer)
    assert ended == limit
    assert all(truncated.values()) and not any(terminated.values())

    env = module.env(max_cycles=limit)
    env.reset(seed=2)
    dead = [agent for agent in env.agent_iter() if step_first_legal(env)]
    assert dead == list(AGENTS)


def step_first_legal(env: Any) -> bool:
    seen, _, terminated, truncated, _ = env.last()
    done = terminated or truncated
    env.step(None if done else int(seen["action_mask"].argmax()))
    return bool(truncated)


# ---- the parallel form ---------------------------------------------------------------------------


@pytest.mark.parametrize("wrapped", [False, True])
def test_turn_based_aec_to_parallel(wrapped: bool) -> None:
    parallel = turn_based_aec_to_parallel(euchre_v0.env(strict_wrappers=wrapped))
    alone = euchre_v0.env()
    alone.reset(seed=6)
    paid = play_first_legal_in_parallel(parallel, seed=6)
    expected = dict.fromkeys(AGENTS, 0.0)
    while alone.agents:
        agent, reward = alone.agent_selection, alone.last()[1]
        expected[agent] += reward
        step_first_legal(alone)
    assert paid == expected
    assert alone.agents == [] == parallel.agents


def play_first_legal_in_parallel(parallel: Any, seed: int) -> dict[str, float]:
    observations, infos = parallel.reset(seed=seed)
    paid = dict.fromkeys(AGENTS, 0.0)
    assert set(observations) == set(infos) == set(AGENTS)
    while parallel.agents:
        actions = {a: int(seen["action_mask"].argmax()) for a, seen in observations.items()}
        observations, rewards, *_, infos = parallel.step(actions)
        for agent, reward in rewards.items():
            paid[agent] += reward
        if parallel.agents:
            active = infos["player_0"]["active_agent"]
            assert observations[active]["action_mask"].any()
    return paid


def test_parallel_env_is_the_turn_based_conversion() -> None:
    assert play_first_legal_in_parallel(euchre_v0.parallel_env(), seed=3)
    assert euchre_v0.parallel_env().possible_agents == list(AGENTS)


# ---- the standard wrappers -----------------------------------------------------------------------


def test_strict_wrappers_end_the_episode_at_an_illegal_action() -> None:
    env = euchre_v0.env(strict_wrappers=True)
    env.reset(seed=1, options={"dealer": 0})
    env.step(25)
    assert env.agent_selection == "player_2"
    env.step(0)
    assert all(env.terminations.values())
    assert env.rewards == {"player_0": 0, "player_1": 0, "player_2": -1, "player_3": 0}
    other = copy.deepcopy(env)
    other.step(None)
    assert other.rewards == {"player_1": 0, "player_2": 0, "player_3": 0}
    assert play_out(env) == {"player_0": 0, "player_1": 0, "player_2": -1, "player_3": 0}
    env.reset(seed=1)
    assert len(env.agents) == 4
    assert sum(play_out(env).values()) == 0


def test_the_raw_environment_under_the_wrappers_shows_no_mask_after_an_illegal_action() -> None:
    env = euchre_v0.env(strict_wrappers=True)
    env.reset(seed=1, options={"dealer": 3})
    assert env.agent_selection == "player_0"
    env.step(0)
    for agent in AGENTS:
        assert not env.unwrapped.observe(agent)["action_mask"].any()
    assert not env.unwrapped.last()[0]["action_mask"].any()


def test_strict_wrappers_check_order_and_bounds() -> None:
    env = euchre_v0.env(strict_wrappers=True)
    with pytest.raises(AttributeError, match="before reset"):
        _ = env.agents
    with pytest.raises(AssertionError):
        env.reset(seed=1)
        env.step(38)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("strict_wrappers", [False, True])
def test_copies_with_and_without_wrappers(clone: Any, strict_wrappers: bool) -> None:
    env = euchre_v0.env(strict_wrappers=strict_wrappers, episode="game", max_hands=3)
    env.reset(seed=4)
    for _ in range(9):
        step_first_legal(env)
    other = clone(env)
    assert play_out(other, 7) == play_out(env, 7)
    assert other.state().tobytes() == env.state().tobytes()


def test_env_is_the_raw_environment_unless_wrappers_are_asked_for() -> None:
    assert type(euchre_v0.env()) is raw_env
    wrapped = euchre_v0.env(strict_wrappers=True, frame="trump")
    assert type(wrapped.unwrapped) is raw_env
    assert wrapped.unwrapped.frame == "trump"
    assert str(wrapped) == "euchre_v0"
