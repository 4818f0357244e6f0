"""BatchEnv: many games equal to single ones, whatever the threads, and its arrays shared."""

import pickle
import random
import threading
import time
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from euchre_env import encoding, kernels, rules
from euchre_env.actions import FROM_ABSOLUTE, TO_ABSOLUTE, ActionError
from euchre_env.batch import BatchEnv
from euchre_env.ruleset import Ruleset, RulesetError
from euchre_env.testing import random_ruleset
from tests.table import copy, fields, observe

B = 16
FIVE = Ruleset.stick().replace(target_score=5)


def some_rulesets(seed: int, count: int = 4) -> list[Ruleset]:
    rng = random.Random(seed)
    return [random_ruleset(rng) for _ in range(count)]


def other_games(players: int) -> list[Ruleset]:
    """Rule sets for a number of players; for four, games with and without partners."""
    names = {
        2: ["two_hand", "two_hand,two_hand_dummy=maker,target_score=2"],
        3: [
            "three_hand,target_score=3",
            "cutthroat",
            "cutthroat,widow_exchange=true,drop_out=true",
        ],
        4: ["dirty_clubs,target_score=5", "stick,target_score=3", "buck"],
    }
    return [Ruleset.parse(name) for name in names[players]]


def paid(s: Any, ruleset: Ruleset) -> list[float]:
    """Rewards by seat, float32: points less those of the other side, or the others' mean."""
    points = s.points.tolist()
    if ruleset.is_partnership:
        return [float(points[seat % 2] - points[1 - seat % 2]) for seat in range(4)]
    n = ruleset.players
    net = [own - (sum(points[:n]) - own) / (n - 1) for own in points[:n]] + [0.0] * (4 - n)
    return np.array(net, np.float32).tolist()


def plain_mask(legal: int, frame: int, absolute: bool) -> list[int]:
    mask = [0] * 38
    for a in range(38):
        if legal >> a & 1:
            mask[int(TO_ABSOLUTE[frame, a]) if absolute else a] = 1
    return mask


# --- equal to single games ---------------------------------------------------------------------


@pytest.mark.parametrize("frame", ["trump", "absolute"])
@pytest.mark.parametrize("episode", ["hand", "game"])
def test_a_batch_equals_single_games(frame: str, episode: str) -> None:
    follow_single_games(some_rulesets(3), episode, frame)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("episode", ["hand", "game"])
def test_a_batch_of_other_games_equals_single_ones(players: int, episode: str) -> None:
    follow_single_games(other_games(players), episode, "absolute" if players == 3 else "trump")


def follow_single_games(rulesets: list[Ruleset], episode: str, frame: str) -> None:
    """Each game is followed by the rules' own functions on a record of its own."""
    env = BatchEnv(B, rulesets, episode=episode, seed=5, frame=frame, hidden=True)
    env.reset()
    single = [copy(s) for s in env.states]
    ended = 0
    for _ in range(150):
        which = env.which.copy()
        actions = env.random_actions()
        for i in range(B):
            check_report(env, i, frame == "absolute")
            r = env.rules[which[i]]
            action = int(actions[i])
            s = single[i]
            rules.apply(s, r, int(FROM_ABSOLUTE[s.frame, action]) if frame != "trump" else action)
        rewards, done = env.step(actions)
        for i in range(B):
            s, r = single[i], env.rules[which[i]]
            ruleset = env.rulesets[which[i]]
            expected = paid(s, ruleset) if s.phase == rules.OVER else [0.0] * 4
            assert rewards[i].tolist() == expected
            over = s.phase == rules.OVER and (episode == "hand" or s.match_winner != -2)
            assert done[i] == over
            if over:
                assert fields(env.final_states[i]) == fields(s)
                single[i] = copy(env.states[i])
            elif s.phase == rules.OVER:
                deck = np.zeros(25, np.int8)
                kernels.shuffle(s, r, deck)
                rules.next_hand(s, r, deck)
            assert fields(env.states[i]) == fields(single[i])
            ended += over
    assert ended > 10


def check_report(env: BatchEnv, i: int, absolute: bool) -> None:
    s, ruleset = env.states[i], env.rulesets[env.which[i]]
    legal = int(rules.legal(s, ruleset.record()[0]))
    assert env.legal[i] == legal != 0
    assert env.actor[i] == s.turn
    assert env.action_mask[i].tolist() == plain_mask(legal, int(s.frame), absolute)
    assert (env.observation[i] == observe(s, ruleset, int(s.turn), absolute)).all()
    hidden = np.zeros(encoding.HIDDEN_SIZE, np.uint8)
    encoding.encode_hidden(s, ruleset.record()[0], int(s.turn), absolute, hidden)
    assert (env.hidden[i] == hidden).all()


def test_frames_are_the_same_game() -> None:
    """The same seed deals the same games; only the names of suits differ."""
    trump = BatchEnv(B, "stick", seed=3, frame="trump")
    absolute = BatchEnv(B, "stick", seed=3, frame="absolute")
    trump.reset()
    absolute.reset()
    for _ in range(60):
        actions = trump.random_actions()
        named = np.array([TO_ABSOLUTE[s.frame, a] for s, a in zip(trump.states, actions)])
        first, second = trump.step(actions), absolute.step(named)
        assert (first[0] == second[0]).all() and (first[1] == second[1]).all()
        assert (trump.states == absolute.states).all()


# --- episodes ----------------------------------------------------------------------------------


def test_hand_episodes_start_at_nothing_with_dealers_drawn() -> None:
    env = BatchEnv(200, "stick", seed=1)
    env.reset()
    assert np.bincount(env.states["dealer"], minlength=4).min() > 25
    assert not env.states["score"].any()
    for _ in range(60):
        rewards, done = env.step(env.random_actions())
        assert (rewards[~done] == 0).all()
        assert (rewards[done] != 0).all()  # with stick every hand scores
        assert (rewards[:, 0] == rewards[:, 2]).all() and (rewards[:, 1] == rewards[:, 3]).all()
        assert (rewards.sum(axis=1) == 0).all()
        assert not env.truncated.any()
        assert not env.states["score"].any()


def test_thrown_in_hands_are_done_without_reward() -> None:
    env = BatchEnv(4, "american", seed=1)
    env.reset()
    for step in range(1, 17):
        rewards, done = env.step(np.full(4, rules.PASS))
        assert done.all() == (step % 8 == 0) and done.any() == done.all()
        assert not rewards.any()
    assert (env.final_states["thrown_in"] == 1).all()


def test_game_episodes_end_with_the_game() -> None:
    env = BatchEnv(B, FIVE, episode="game", seed=2)
    env.reset()
    ended, total = 0, np.zeros((B, 4))
    for _ in range(400):
        scores = env.states["score"].copy()
        rewards, done = env.step(env.random_actions())
        total += rewards
        for i in np.flatnonzero(done):
            final = env.final_states[i]
            assert max(final.score) >= 5 and final.match_winner in (0, 1)
            assert total[i].tolist() == [
                (1, -1)[seat % 2] * int(final.score[0] - final.score[1]) for seat in range(4)
            ]
            assert not env.states[i].score.any()
            total[i] = 0
            ended += 1
        going = ~done
        assert (env.states["score"][going] >= scores[going]).all()
    assert ended > B


def test_the_deal_rotates_within_a_game() -> None:
    env = BatchEnv(B, FIVE, episode="game", seed=2)
    env.reset()
    for _ in range(100):
        before = env.states.copy()
        _, done = env.step(env.random_actions())
        new_hand = ~done & (env.states["hands"] > before["hands"])
        assert (env.states["dealer"][new_hand] == (before["dealer"][new_hand] + 1) % 4).all()


def test_long_games_are_cut_off() -> None:
    env = BatchEnv(4, "american", episode="game", seed=1, max_hands=3)
    env.reset()
    for step in range(1, 49):
        _, done = env.step(np.full(4, rules.PASS))
        assert done.all() == (step % 24 == 0)  # three hands of eight passes
        assert (env.truncated == done).all()
    assert (env.final_states["match_winner"] == rules.UNDECIDED).all()


def test_a_game_that_ends_in_its_last_hand_is_not_cut_off() -> None:
    env = BatchEnv(8, Ruleset.stick().replace(target_score=1), episode="game", max_hands=1)
    env.reset()
    ended = 0
    for _ in range(60):
        _, done = env.step(env.random_actions())
        assert not env.truncated.any()
        ended += done.sum()
    assert ended > 8


def test_matches_end_with_the_match() -> None:
    ruleset = FIVE.replace(match_games=3, target_score=2)
    env = BatchEnv(4, ruleset, episode="game", seed=4)
    env.reset()
    ended = 0
    for _ in range(900):
        _, done = env.step(env.random_actions())
        for i in np.flatnonzero(done):
            assert max(env.final_states[i].games[:2]) == 2
            ended += 1
    assert ended > 3


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("frame", ["trump", "absolute"])
def test_the_final_observation_is_kept(frame: str, players: int) -> None:
    """Also with several rule sets: the next episode may have drawn another one."""
    rulesets = some_rulesets(7, 6) if players == 4 else other_games(players)
    env = BatchEnv(B, rulesets, seed=3, frame=frame)
    env.reset()
    ended = changed = 0
    for _ in range(80):
        before = env.which.copy()
        _, done = env.step(env.random_actions())
        for i in np.flatnonzero(done):
            final, ruleset = env.final_states[i], env.rulesets[before[i]]
            assert final.phase == rules.OVER
            for seat in range(players):
                seen = env.final_observation(int(i), seat)
                assert (seen == observe(final, ruleset, seat, frame == "absolute")).all()
                assert encoding.decode_rules(seen) == ruleset
            ended += 1
            changed += before[i] != env.which[i]
    assert ended > 20 and changed > 5


def test_each_episode_draws_its_rule_set() -> None:
    env = BatchEnv(300, ["american", "stick", "british"], seed=1)
    env.reset()
    assert np.bincount(env.which, minlength=3).min() > 60
    for _ in range(30):
        env.step(env.random_actions())
    joker = env.states["spare"] != 0
    assert (env.which[joker] == 2).all()
    assert np.bincount(env.which, minlength=3).min() > 60


def test_forced_decisions_are_skipped() -> None:
    env = BatchEnv(64, some_rulesets(3), seed=1, skip_forced=True)
    env.reset()
    done_once = 0
    for _ in range(120):
        assert (env.action_mask.sum(axis=1) >= 2).all()
        assert (env.legal & (env.legal - 1) != 0).all()
        _, done = env.step(env.random_actions())
        done_once += done.sum()
    assert done_once > 100
    plain = BatchEnv(64, "stick", seed=1)
    plain.reset()
    single = 0
    for _ in range(40):
        single += (plain.action_mask.sum(axis=1) == 1).sum()
        plain.step(plain.random_actions())
    assert single > 0


def test_skipping_forced_decisions_is_the_same_game() -> None:
    """The hand that the long way plays with the same choices has the same result."""
    short = BatchEnv(B, "stick", seed=9, skip_forced=True)
    short.reset()
    deals = [copy(s) for s in short.states]
    choices: list[list[int]] = [[] for _ in range(B)]
    finals: list = [None] * B
    while any(f is None for f in finals):
        actions = short.random_actions()
        for i in range(B):
            if finals[i] is None:
                choices[i].append(int(actions[i]))
        _, done = short.step(actions)
        for i in np.flatnonzero(done):
            if finals[i] is None:
                finals[i] = copy(short.final_states[i])
    r = Ruleset.stick().record()[0]
    for s, chosen, final in zip(deals, choices, finals):
        while s.phase != rules.OVER:
            legal = int(rules.legal(s, r))
            forced = legal & (legal - 1) == 0
            rules.apply(s, r, legal.bit_length() - 1 if forced else chosen.pop(0))
        assert not chosen
        assert fields(s) == fields(final)


# --- determinism -------------------------------------------------------------------------------


def trace(env: BatchEnv, steps: int) -> list[bytes]:
    found = []
    for _ in range(steps):
        actions = env.random_actions()
        rewards, done = env.step(actions)
        arrays = (actions, rewards, done, env.observation, env.hidden, env.action_mask, env.actor)
        arrays += (env.truncated, env.which, env.legal)
        found.append(b"".join(a.tobytes() for a in arrays))
    return found


def make(threads: int, seed: int = 11) -> BatchEnv:
    env = BatchEnv(
        33, ["american", "british"], episode="game", seed=seed, hidden=True, threads=threads
    )
    env.reset()
    return env


def test_results_do_not_depend_on_threads() -> None:
    one, two, three = (make(threads) for threads in (1, 2, 3))
    expected = trace(one, 80)
    assert trace(two, 80) == expected
    assert trace(three, 80) == expected
    for env in (one, two, three):
        env.close()


def test_more_threads_than_games() -> None:
    env = BatchEnv(2, "stick", threads=5, seed=4)
    other = BatchEnv(2, "stick", threads=1, seed=4)
    env.reset()
    other.reset()
    assert trace(env, 40) == trace(other, 40)


def test_results_depend_on_the_seed_alone() -> None:
    first = trace(make(1), 40)
    assert trace(make(1), 40) == first
    assert trace(make(1, seed=12), 40) != first
    env = make(1, seed=12)
    env.step(env.random_actions())
    env.reset(seed=11)
    assert trace(env, 40) == first
    env.reset()  # the seed given last
    assert trace(env, 40) == first


def test_games_differ_from_each_other() -> None:
    env = BatchEnv(200, "stick", seed=1)
    env.reset()
    assert len({tuple(h) for h in env.states["hand"].tolist()}) == 200
    assert len(set(env.states["rng"].tolist())) == 200


def test_a_game_does_not_depend_on_the_size_of_the_batch() -> None:
    small, large = BatchEnv(3, "stick", seed=6), BatchEnv(9, "stick", seed=6)
    small.reset()
    large.reset()
    assert (small.states == large.states[:3]).all()


@pytest.mark.parametrize("seed", [0, -1, 2**63, 2**64 - 1, 2**70])
def test_any_integer_is_a_seed(seed: int) -> None:
    env = BatchEnv(2, seed=seed)
    env.reset()
    env.step(env.random_actions())


def test_saved_states_are_exact() -> None:
    env = make(1)
    trace(env, 37)
    saved = env.get_state()
    expected = trace(env, 60)
    env.set_state(saved)
    assert trace(env, 60) == expected
    other = make(2, seed=99)
    other.set_state(saved)
    assert trace(other, 60) == expected
    fresh = BatchEnv(33, ["american", "british"], episode="game", hidden=True)
    fresh.set_state(saved)  # without a reset before
    assert trace(fresh, 60) == expected


def test_saved_states_are_copies() -> None:
    env = make(1)
    saved = env.get_state()
    before = {name: np.copy(value) for name, value in saved.items()}
    trace(env, 20)
    for name, value in saved.items():
        assert (value == before[name]).all()
    with pytest.raises(ValueError, match="33 games"):
        BatchEnv(5).set_state(saved)


# --- arrays ------------------------------------------------------------------------------------


def test_shapes_and_types() -> None:
    env = BatchEnv(7, "stick", hidden=True)
    assert env.reset() is env.observation
    rewards, done = env.step(env.random_actions())
    assert (env.observation.shape, env.observation.dtype) == ((7, env.observation_size), np.uint8)
    assert (env.action_mask.shape, env.action_mask.dtype) == ((7, 38), np.int8)
    assert (env.actor.shape, env.actor.dtype) == ((7,), np.int8)
    assert (env.hidden.shape, env.hidden.dtype) == ((7, encoding.HIDDEN_SIZE), np.uint8)
    assert (rewards.shape, rewards.dtype) == ((7, 4), np.float32)
    assert (done.shape, done.dtype) == ((7,), np.bool_)
    assert len(env) == 7
    bare = BatchEnv(7, observe=False)
    bare.reset()
    bare.step(bare.random_actions())
    assert bare.observation.size == 0 and bare.hidden.size == 0


def test_arrays_stay_the_same_objects() -> None:
    env = BatchEnv(5, "stick", hidden=True)
    names = ("observation", "action_mask", "actor", "hidden", "states", "legal", "truncated")
    addresses = {name: getattr(env, name).ctypes.data for name in names}
    env.reset()
    for _ in range(30):
        env.step(env.random_actions())
    env.set_state(env.get_state())
    assert {name: getattr(env, name).ctypes.data for name in names} == addresses


def test_torch_shares_the_memory() -> None:
    torch = pytest.importorskip("torch")
    env = BatchEnv(5, "stick", seed=2)
    env.reset()
    for array in (env.observation, env.action_mask, env.actor):
        tensor = torch.from_numpy(array)
        assert tensor.data_ptr() == array.ctypes.data
        before = tensor.clone()
        for _ in range(3):
            env.step(env.random_actions())
        assert (tensor.numpy() == array).all()
        assert not torch.equal(tensor, before)


def test_actions_may_be_of_any_integer_type() -> None:
    envs = [BatchEnv(5, "stick", seed=2) for _ in range(4)]
    for env in envs:
        env.reset()
    types = (np.int64, np.int32, np.uint8, list)
    for _ in range(20):
        actions = envs[0].random_actions()
        for env, kind in zip(envs, types):
            env.step(actions.tolist() if kind is list else actions.astype(kind))
    assert all((env.states == envs[0].states).all() for env in envs)


def test_the_gil_is_released() -> None:
    """Another thread takes five short naps while a kernel call runs that began before them.

    With the GIL held it could not wake before the end of the call.
    """
    record = Ruleset.stick().record()
    kernels.random_hands(record, 1, 10)
    assert any(naps_during_a_call(record, 100_000 << k) for k in range(5))


def naps_during_a_call(record: np.ndarray, hands: int) -> bool:
    begun, ended = threading.Event(), threading.Event()
    during = []

    def nap() -> None:
        begun.wait()
        for _ in range(5):
            time.sleep(0.001)
        during.append(not ended.is_set())

    napper = threading.Thread(target=nap)
    napper.start()
    begun.set()
    kernels.random_hands(record, 2, hands)
    ended.set()
    napper.join()
    return during[0]


# --- bad input ---------------------------------------------------------------------------------


def state_of(env: BatchEnv) -> list[bytes]:
    arrays = (env.states, env.observation, env.action_mask, env.actor, env.legal, env._dealt)
    return [a.tobytes() for a in arrays]


@pytest.mark.parametrize("frame", ["trump", "absolute"])
def test_an_illegal_action_is_named_and_changes_nothing(frame: str) -> None:
    env = BatchEnv(4, "american", seed=1, frame=frame)
    env.reset()
    before = state_of(env)
    actions = env.random_actions()
    actions[2] = rules.CALL_NO_TRUMP
    with pytest.raises(ActionError) as caught:
        env.step(actions)
    assert str(caught.value) == (
        "action 31 (call_NT) is not legal in game 2: legal are pass, order_up"
    )
    assert state_of(env) == before


@pytest.mark.parametrize("action", [-1, 38, 63, 64, 89, 2**40, -(2**63)])
def test_an_action_out_of_range_changes_nothing(action: int) -> None:
    env = BatchEnv(4, "american", seed=1)
    env.reset()
    before = state_of(env)
    actions = env.random_actions()
    actions[3] = action
    with pytest.raises(ActionError, match=rf"action {action} is not legal in game 3"):
        env.step(actions)
    assert state_of(env) == before


def test_every_illegal_action_is_refused() -> None:
    env = BatchEnv(4, some_rulesets(2), seed=1)
    env.reset()
    for _ in range(25):
        actions = env.random_actions()
        for game in range(4):
            for action in np.flatnonzero(env.action_mask[game] == 0):
                wrong = actions.copy()
                wrong[game] = action
                with pytest.raises(ActionError):
                    env.step(wrong)
        env.step(actions)


@pytest.mark.parametrize(
    "actions", [[25, 25], [25.0] * 4, [[25] * 4], ["pass"] * 4, [True] * 4, 25, None]
)
def test_malformed_actions(actions: object) -> None:
    env = BatchEnv(4, "american", seed=1)
    env.reset()
    before = state_of(env)
    with pytest.raises(ActionError, match="give 4 integers"):
        env.step(actions)
    assert state_of(env) == before


def test_step_before_reset() -> None:
    with pytest.raises(RuntimeError, match="reset"):
        BatchEnv(2).step([25, 25])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch": 0}, "batch=0"),
        ({"batch": 1.5}, r"batch=1\.5 must be an integer"),
        ({"batch": "2"}, "batch='2'"),
        ({"batch": True}, "batch=True"),
        ({"batch": 2, "threads": 0}, "threads=0"),
        ({"batch": 2, "max_hands": 0}, "max_hands=0"),
        ({"batch": 2, "max_hands": 2**70}, "max_hands=1180591620717411303424"),
        ({"batch": 2, "seed": 1.5}, r"seed=1\.5 must be an integer"),
        ({"batch": 2, "seed": "7"}, "seed='7'"),
        ({"batch": 2, "seed": None}, "seed=None"),
        ({"batch": 2, "ruleset": 5}, "ruleset=5 is no rule set"),
        ({"batch": 2, "ruleset": [None]}, "ruleset=None is no rule set"),
        ({"batch": 2, "episode": "match"}, "episode='match'.*'hand' or 'game'"),
        ({"batch": 2, "frame": "suits"}, "frame='suits'"),
        ({"batch": 2, "ruleset": []}, "at least one"),
        ({"batch": 2, "ruleset": "sticky"}, "stick"),
        ({"batch": 2, "ruleset": ["stick", "nope"]}, "nope"),
        ({"batch": 2, "ruleset": ["stick", "three_hand"]}, "for 3 and 4 players do not mix"),
        ({"batch": 2, "ruleset": "buck,joker=true"}, "joker is for partners"),
    ],
)
def test_bad_arguments(options: dict, message: str) -> None:
    with pytest.raises((ValueError, RulesetError), match=message):
        BatchEnv(**options)


def everything(env: BatchEnv) -> list[str]:
    saved = env.get_state()
    return [repr(saved[key].tolist()) for key in ("states", "which", "dealt", "generators")]


def test_bad_calls_are_named_and_change_nothing() -> None:
    env = BatchEnv(3, ["stick", "british"], seed=4)
    for call in (env.random_actions, env.get_state, lambda: env.step([25] * 3)):
        with pytest.raises(RuntimeError, match=r"call reset\(\) before"):
            call()
    env.reset()
    with pytest.raises(RuntimeError, match="no episode has ended in game 1"):
        env.final_observation(1, 0)
    while not env.step(env.random_actions())[1][1]:
        pass
    assert env.final_observation(1, 3).any()
    before = everything(env)
    for game, seat, message in ((3, 0, "game=3"), (-1, 0, "game=-1"), (1, 4, "seat=4")):
        with pytest.raises(ValueError, match=message):
            env.final_observation(game, seat)
    three = BatchEnv(3, "three_hand")
    three.reset()
    with pytest.raises(ValueError, match="seat=3"):
        three.final_observation(0, 3)
    for seed in (1.5, "7", True):
        with pytest.raises(ValueError, match=f"seed={seed!r}"):
            env.reset(seed=seed)
    with pytest.raises(ActionError, match="action 9223372036854775808 is not legal"):
        env.step(np.full(3, 2**63, np.uint64))
    assert everything(env) == before


def test_a_saved_state_that_does_not_fit_is_refused() -> None:
    """Its rule sets are numbered: another list would be read out of bounds."""
    env, other = BatchEnv(3, "stick"), BatchEnv(3, ["stick", "british"])
    env.reset()
    other.reset()
    before = everything(env)
    with pytest.raises(ValueError, match="of other rule sets"):
        env.set_state(other.get_state())
    with pytest.raises(ValueError, match="it lacks dealt, final_states"):
        env.set_state({"states": env.states, "rules": env.rules})
    assert everything(env) == before


def test_a_closed_environment_goes_on_without_threads() -> None:
    env = BatchEnv(8, threads=2)
    env.reset()
    env.close()
    env.step(env.random_actions())


@pytest.mark.parametrize("clone", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike_and_alone(clone) -> None:
    env = BatchEnv(16, "british", episode="game", seed=3, threads=2, hidden=True)
    env.reset()
    for _ in range(37):
        env.step(env.random_actions())
    twin = clone(env)
    for _ in range(60):
        actions = env.random_actions()
        assert np.array_equal(actions, twin.random_actions())
        ours, theirs = env.step(actions), twin.step(actions)
        assert all(np.array_equal(a, b) for a, b in zip(ours, theirs))
        assert np.array_equal(env.action_mask, twin.action_mask)
        assert np.array_equal(env.observation, twin.observation)
    before = env.action_mask.copy()
    twin.step(twin.random_actions())
    assert np.array_equal(env.action_mask, before)
    env.close()
    twin.close()
