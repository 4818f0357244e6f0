"""One seat as a Gymnasium environment, and many games as a vector environment."""

import copy
import pickle
import random
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from euchre_env import EuchreGymEnv, EuchreVectorEnv, Ruleset, action_id
from euchre_env.actions import ActionError
from euchre_env.encoding import LAYOUT, OBSERVATION_SIZE, decode_rules
from euchre_env.ruleset import VARIANT_PRESETS
from euchre_env.testing import random_ruleset

GAME_OVER = LAYOUT["phase"].start + 8
SHORT = Ruleset(target_score=2)


def first_legal(_observation: np.ndarray, mask: np.ndarray) -> int:
    return int(mask.argmax())


def play_episode(env: EuchreGymEnv, seed: int) -> tuple[float, list[Any]]:
    rng = random.Random(seed)
    observation, info = env.reset(seed=seed)
    total, trace = 0.0, [observation.tobytes()]
    while True:
        assert info["action_mask"].any()
        assert (env.action_masks() == info["action_mask"].astype(bool)).all()
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        observation, reward, terminated, truncated, info = env.step(action)
        total += reward
        trace.append((observation.tobytes(), reward, terminated, truncated, info["seat"]))
        if terminated or truncated:
            assert observation[GAME_OVER] == 1
            assert not info["action_mask"].any()
            return total, trace


# ---- one seat ------------------------------------------------------------------------------------


@pytest.mark.parametrize("episode", ["hand", "game"])
@pytest.mark.parametrize("seat", [None, 2])
def test_gymnasium_s_checker(episode: str, seat: int | None) -> None:
    env = EuchreGymEnv(SHORT, episode=episode, seat=seat, illegal="random")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*(spec|render).*")
        check_env(env, skip_render_check=True)


@pytest.mark.parametrize("episode", ["hand", "game"])
@pytest.mark.parametrize("opponents", [None, first_legal])
def test_a_seed_fixes_an_episode(episode: str, opponents: Any) -> None:
    traces = []
    for _ in range(2):
        env = EuchreGymEnv(SHORT, episode=episode, opponents=opponents)
        traces.append([play_episode(env, seed) for seed in range(5)])
    assert traces[0] == traces[1]
    assert len({repr(trace) for trace in traces[0]}) == 5


def test_the_last_observation_is_of_the_rule_set_played() -> None:
    env = EuchreGymEnv(["american", "stick"])
    played = set()
    for seed in range(12):
        env.reset(seed=seed)
        rules, done = env._games.rulesets[env._games.which[0]], False
        while not done:
            observation, _, done, _, _ = env.step(int(env.action_masks().argmax()))
        assert decode_rules(observation) == rules
        played.add(rules)
    assert len(played) == 2


def test_seats_are_random_unless_one_is_chosen() -> None:
    free, fixed = EuchreGymEnv(), EuchreGymEnv(seat=1)
    assert {free.reset(seed=seed)[1]["seat"] for seed in range(30)} == {0, 1, 2, 3}
    assert {fixed.reset(seed=seed)[1]["seat"] for seed in range(5)} == {1}
    three = EuchreGymEnv("three_hand")
    assert {three.reset(seed=seed)[1]["seat"] for seed in range(30)} == {0, 1, 2}
    with pytest.raises(ValueError, match="seat=3"):
        EuchreGymEnv("three_hand", seat=3)


@pytest.mark.parametrize("rules", VARIANT_PRESETS)
def test_the_reward_without_partners_is_against_the_mean_of_the_others(rules: str) -> None:
    env = EuchreGymEnv(rules, frame="absolute")
    players, seen = Ruleset.parse(rules).players, set()
    for seed in range(12):
        total, _ = play_episode(env, seed)
        points = env._games.final_states[0].points.tolist()[:players]
        own = points.pop(env._learner)
        assert total == pytest.approx(own - sum(points) / len(points))
        seen.add(total)
    assert len(seen) > 1


@pytest.mark.parametrize("episode", ["hand", "game"])
@pytest.mark.parametrize("seed", range(8))
def test_the_total_reward_is_that_of_the_learner_s_team(episode: str, seed: int) -> None:
    """Against the full records, hand by hand, also where the learner sits out or never acts."""
    rules = random_ruleset(random.Random(seed)).replace(match_games=1, match_carry_over=False)
    env = EuchreGymEnv(rules, episode=episode, frame="absolute", max_hands=6)
    for episode_seed in range(6):
        won = watched(env)
        total, _ = play_episode(env, 10 * seed + episode_seed)
        side = env._learner % 2
        assert total == won[side] - won[1 - side]


def watched(env: EuchreGymEnv) -> list[float]:
    """Points by team since the last deal of an episode, written down from the batch beneath."""
    won = [0.0, 0.0]
    games = env._games
    step, reset = type(games).step, type(games).reset
    fresh = [True]

    def counted(actions: Any) -> Any:
        rewards, done = step(games, actions)
        if fresh[0]:
            won[:] = [0.0, 0.0]
        fresh[0] = bool(done[0])
        won[0] += max(float(rewards[0, 0]), 0)
        won[1] += max(float(rewards[0, 1]), 0)
        return rewards, done

    def restarted(seed: int | None = None) -> Any:
        fresh[0] = True
        return reset(games, seed)

    games.step, games.reset = counted, restarted  # type: ignore[method-assign]
    return won


def test_hands_before_the_first_decision_count_towards_the_first_step() -> None:
    """The learner's partner always goes alone in round 1: the learner sits out whole hands."""

    def eager(_observation: np.ndarray, mask: np.ndarray) -> int:
        for word in ("order_up", "alone"):
            if mask[action_id(word)]:
                return action_id(word)
        return int(mask.argmax())

    env = EuchreGymEnv(episode="game", seat=0, opponents=eager, frame="absolute")
    owed = []
    for seed in range(20):
        env.reset(seed=seed)
        owed.append(env._owed)
        score = env._games.states[0].score
        assert env._owed == score[0] - score[1]
    assert any(owed)
    assert env.step(int(env.action_masks().argmax()))[1] >= -4


def test_bad_calls_are_named_and_change_nothing() -> None:
    env = EuchreGymEnv(frame="absolute")
    with pytest.raises(RuntimeError, match="reset"):
        env.step(25)
    env.reset(seed=3)
    before = env._games.states.tobytes()
    for action in (38, -1, 25.5, "pass", None):
        with pytest.raises(ActionError):
            env.step(action)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    with pytest.raises(ActionError, match="not legal"):
        env.step(illegal)
    assert env._games.states.tobytes() == before
    play_episode(env, 3)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(25)
    for arguments in (
        *({"seat": 4}, {"seat": True}, {"seat": 1.0}, {"opponents": 5}, {"ruleset": 5}),
        *({"illegal": "ignore"}, {"episode": "match"}, {"frame": "x"}),
    ):
        name = next(iter(arguments))
        with pytest.raises(ValueError, match=name):
            EuchreGymEnv(**arguments)


@pytest.mark.parametrize(
    "action", [38, -1, 2**70, 1.0, float("nan"), True, "pass", None, [25], np.array([25])]
)
def test_anything_illegal_can_be_replaced(action: Any) -> None:
    env = EuchreGymEnv(illegal="random", seat=0)
    env.reset(seed=1)
    observation, *_ = env.step(action)
    assert observation in env.observation_space


@pytest.mark.parametrize("action", [None, 1.0, True, "pass", [1], 2**70])
def test_an_opponent_that_returns_no_action_is_named(action: Any) -> None:
    env = EuchreGymEnv(seat=0, opponents=lambda _observation, _mask: action)
    with pytest.raises(ActionError, match="opponents returned"):
        for seed in range(9):
            play_episode(env, seed)


def test_an_opponent_that_cheats_is_named() -> None:
    env = EuchreGymEnv(seat=0, opponents=lambda _observation, _mask: 36)
    with pytest.raises(ActionError, match="opponents returned 36"):
        for seed in range(9):
            play_episode(env, seed)


def test_opponents_cannot_reach_into_the_game() -> None:
    def vandal(observation: np.ndarray, mask: np.ndarray) -> int:
        action = int(mask.argmax())
        observation[:], mask[:] = 255, 1
        return action

    quiet, loud = (EuchreGymEnv(opponents=each) for each in (first_legal, vandal))
    assert play_episode(quiet, 4) == play_episode(loud, 4)


def test_observations_handed_out_never_change() -> None:
    env = EuchreGymEnv(episode="game", max_hands=2)
    observation, info = env.reset(seed=1)
    kept = [(observation, observation.copy()), (info["action_mask"], info["action_mask"].copy())]
    done = False
    while not done:
        action = int(info["action_mask"].argmax())
        observation, _, terminated, truncated, info = env.step(action)
        kept.append((observation, observation.copy()))
        done = terminated or truncated
    assert all((array == before).all() for array, before in kept)
    assert truncated and not terminated


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_identically(clone: Any) -> None:
    clone(EuchreGymEnv()).reset(seed=1)
    env = EuchreGymEnv(episode="game", max_hands=3)
    _, info = env.reset(seed=1)
    for _ in range(4):
        *_, info = env.step(int(info["action_mask"].argmax()))
    other = clone(env)
    for _ in range(6):
        action = int(info["action_mask"].argmax())
        (a, *rest_a, info), (b, *rest_b, _) = env.step(action), other.step(action)
        assert (a == b).all() and rest_a == rest_b


# ---- many games ----------------------------------------------------------------------------------


def random_actions(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


@pytest.mark.parametrize("episode", ["hand", "game"])
@pytest.mark.parametrize("frame", ["trump", "absolute"])
@pytest.mark.parametrize("rules", [[SHORT, "stick"], ["cutthroat", "three_hand"]])
def test_the_vector_environment(rules: list[Any], episode: str, frame: str) -> None:
    env = EuchreVectorEnv(16, rules, episode=episode, frame=frame, max_hands=3)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    rng = np.random.default_rng(0)
    observation, info = env.reset(seed=5)
    kept, ends = [], 0
    for _ in range(200):
        assert env.observation_space.contains(observation)
        assert (env.action_masks() == info["action_mask"]).all()
        kept.append((observation, observation.copy(), info["actor"], info["actor"].copy()))
        actors, before = info["actor"], env.games.which.copy()
        observation, reward, terminated, truncated, info = env.step(
            random_actions(rng, info["action_mask"])
        )
        assert reward.shape == terminated.shape == truncated.shape == (16,)
        assert (reward == info["rewards"][np.arange(16), actors]).all()
        assert (info["rewards"].sum(axis=1) == 0).all()
        assert not (terminated & truncated).any()
        done = terminated | truncated
        ends += done.sum()
        assert done.any() == ("final_obs" in info)
        for i in np.flatnonzero(done):
            assert info["_final_obs"][i]
            final = info["final_obs"][i]
            assert final[GAME_OVER] == 1
            assert decode_rules(final) == env.games.rulesets[before[i]]
            if env.games.which[i] == before[i]:
                assert (final == env.games.final_observation(int(i), int(actors[i]))).all()
    assert ends > 20
    assert all((a == b).all() and (c == d).all() for a, b, c, d in kept)
    env.close()


def test_the_vector_environment_is_fixed_by_its_seed() -> None:
    seen = []
    for _ in range(2):
        env = EuchreVectorEnv(8)
        rng = np.random.default_rng(1)
        observation, info = env.reset(seed=3)
        trace = [observation]
        for _ in range(50):
            observation, *_, info = env.step(random_actions(rng, info["action_mask"]))
            trace.append(observation)
        env.reset()
        seen.append(np.concatenate([*trace, env.games.observation]))
    assert (seen[0] == seen[1]).all()


def test_arrays_are_reused_only_where_that_was_asked_for() -> None:
    env = EuchreVectorEnv(4, copy=False)
    observation, info = env.reset(seed=3)
    assert observation is env.games.observation
    again, *_ = env.step(info["action_mask"].argmax(axis=1))
    assert again is observation
    assert observation.shape == (4, OBSERVATION_SIZE)


def test_an_illegal_action_in_a_vector_is_named() -> None:
    env = EuchreVectorEnv(4)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(np.zeros(4, int))
    _, info = env.reset(seed=3)
    actions = info["action_mask"].argmax(axis=1)
    actions[2] = 37
    before = env.games.states.tobytes()
    with pytest.raises(ActionError, match="game 2"):
        env.step(actions)
    assert env.games.states.tobytes() == before
