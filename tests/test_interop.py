"""Other libraries drive the game: rewards of a known hand, masks, examples, OpenSpiel beside ours.

Each test needs a library of the extra `interop` and is skipped where that is not installed.
"""

import random
import runpy
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import interop
from euchre_env import EuchreVectorEnv, Ruleset, euchre_v0
from euchre_env.aec import AGENTS

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NEEDS = {
    "agilerl_ppo": "agilerl",
    "openspiel_ismcts": "pyspiel",
    "rllib_ppo": "tree",  # RLlib needs it, Ray itself does not
    "sb3_one_seat": "sb3_contrib",
    "sb3_self_play": "sb3_contrib",
    "shimmy_openspiel": "shimmy",
    "supersuit_vector": "supersuit",
    "tianshou_dqn": "tianshou",
    "torchrl_rollout": "torchrl",
}


def require(name: str) -> None:
    """Skip where a library is absent; found without an import, since some take seconds."""
    if find_spec(name) is None:
        pytest.skip(f"{name} is not installed: pip install -e '.[interop]'")


# ---- the known hand ------------------------------------------------------------------------------


@pytest.mark.parametrize("library", interop.LIBRARIES, ids=lambda library: library.name)
@pytest.mark.filterwarnings("ignore")
def test_the_known_hand_pays_all_four_seats(library: interop.Library) -> None:
    if interop.versions(library) is None:
        pytest.skip(f"{' and '.join(library.packages)} not installed: pip install -e '.[interop]'")
    assert library.run().rewards == [-4, 4, -4, 4]


def test_the_known_hand_would_catch_a_wrapper_that_pays_only_the_last_to_act() -> None:
    """Seat 2 acts last and loses, seat 1 sits out and wins."""
    env = euchre_v0.raw_env()
    env.reset(seed=1, options=interop.OPTIONS)
    actors = []
    while not any(env.terminations.values()):
        seen = env.last()[0]
        actors.append(env.agent_selection)
        env.step(interop.choose(seen["observation"], seen["action_mask"]))
    assert len(actors) == interop.DECISIONS
    assert actors[-1] == "player_2" and actors.count("player_1") == 1
    assert set(actors) == set(AGENTS)


def test_the_table_has_a_line_for_each_library(capsys: pytest.CaptureFixture[str]) -> None:
    assert interop.main(["--only", "gymnasium vector"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[2].startswith("| Gymnasium vector | gymnasium ")
    assert lines[2].endswith("| -4, +4, -4, +4 |")
    page = interop.PAGE.read_text("utf-8")
    table = page.split(interop.BEGIN)[1].split(interop.END)[0]
    for library in interop.LIBRARIES:
        found = [line for line in table.splitlines() if line.startswith(f"| {library.name} |")]
        assert len(found) == 1 and found[0].endswith("| -4, +4, -4, +4 |")


def test_wrong_rewards_and_absent_libraries_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = interop.Library("wrong", ("numpy",), lambda: interop.Delivered("x", [4, 4, 4, 4]))
    assert interop.table((wrong,))[1] == 1
    assert "the rewards are wrong" in capsys.readouterr().out
    absent = interop.Library("absent", ("no-such-thing",), interop.gymnasium)
    assert interop.table((absent,)) == (interop.table(())[0], 2)
    assert "no-such-thing not installed" in capsys.readouterr().out


# ---- Stable-Baselines3 ---------------------------------------------------------------------------


@pytest.fixture
def rows() -> Any:
    require("stable_baselines3")
    from euchre_env.wrappers import stable_baselines3_vec_env

    return stable_baselines3_vec_env(EuchreVectorEnv(5, ["american", "stick"]))


def random_rows(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def test_rows_that_wait_may_only_pass_and_change_nothing(rows: Any) -> None:
    rows.seed(3)
    rows.reset()
    rng = np.random.default_rng(0)
    for _ in range(30):
        masks = rows.action_masks()
        acting = 4 * np.arange(5) + rows.games.actor
        waiting = np.setdiff1d(np.arange(20), acting)
        assert (masks[waiting].sum(axis=1) == 1).all() and masks[waiting, 25].all()
        assert (masks[acting] == rows.games.action_mask).all()
        chosen = random_rows(rng, masks)
        chosen[waiting] = 37  # legal nowhere
        rows.step(chosen)
    with pytest.raises(ValueError, match="not legal"):
        rows.step(np.full(20, 37))


def test_rows_see_what_their_seats_see(rows: Any) -> None:
    """Against the observation of the seat to act, which the games write themselves."""
    rows.seed(4)
    seen, rng = rows.reset(), np.random.default_rng(1)
    ends = 0
    for _ in range(120):
        acting = 4 * np.arange(5) + rows.games.actor
        assert (seen[acting] == rows.games.observation).all()
        seen, rewards, done, infos = rows.step(random_rows(rng, rows.action_masks()))
        rewards = rewards.reshape(5, 4)
        assert (rewards[:, 0] == rewards[:, 2]).all() and (rewards.sum(axis=1) == 0).all()
        for game in np.flatnonzero(done.reshape(5, 4).all(axis=1)):
            ends += 1
            for seat in range(4):
                told = infos[4 * game + seat]
                final = rows.games.final_observation(int(game), seat)
                assert (told["terminal_observation"] == final).all()
                assert told["episode"]["r"] == rewards[game, seat]
                assert not told["TimeLimit.truncated"]
    assert ends > 10


def test_rows_are_fixed_by_the_seed(rows: Any) -> None:
    rows.seed(7)
    first = rows.reset()
    rows.seed(7)
    assert (rows.reset() == first).all()
    assert not (rows.reset() == first).all()


def test_a_game_that_is_cut_off_is_marked() -> None:
    require("stable_baselines3")
    from euchre_env.wrappers import stable_baselines3_vec_env

    rows = stable_baselines3_vec_env(EuchreVectorEnv(1, episode="game", max_hands=2))
    rows.reset()
    rng, done, total = np.random.default_rng(2), np.zeros(4, bool), np.zeros(4)
    while not done.any():
        _, rewards, done, infos = rows.step(random_rows(rng, rows.action_masks()))
        total += rewards
    assert done.all() and all(info["TimeLimit.truncated"] for info in infos)
    assert [info["episode"]["r"] for info in infos] == total.tolist()


def test_a_game_for_three_has_three_rows() -> None:
    require("stable_baselines3")
    from euchre_env.wrappers import stable_baselines3_vec_env

    rows = stable_baselines3_vec_env(EuchreVectorEnv(4, "three_hand"))
    assert rows.num_envs == 12
    rows.seed(1)
    seen, rng, ends = rows.reset(), np.random.default_rng(3), 0
    for _ in range(60):
        acting = 3 * np.arange(4) + rows.games.actor
        assert (seen[acting] == rows.games.observation).all()
        seen, rewards, done, infos = rows.step(random_rows(rng, rows.action_masks()))
        assert seen.shape[0] == len(rewards) == len(done) == len(infos) == 12
        assert np.allclose(rewards.reshape(4, 3).sum(axis=1), 0)
        for row in np.flatnonzero(done):
            final = rows.games.final_observation(int(row) // 3, int(row) % 3)
            assert (infos[row]["terminal_observation"] == final).all()
            ends += 1
    assert ends > 10


def test_the_parallel_environments_have_as_many_agents_as_players() -> None:
    from euchre_env.wrappers import agilerl_env

    for env in (agilerl_env(ruleset="three_hand"), euchre_v0.parallel_env(ruleset="three_hand")):
        seen, infos = env.reset(seed=2)
        assert list(seen) == env.possible_agents == ["player_0", "player_1", "player_2"]
        paid = dict.fromkeys(seen, 0.0)
        while env.agents:
            assert list(seen) == list(infos) == env.agents
            actions = {agent: legal_action(seen[agent], infos[agent]) for agent in env.agents}
            seen, rewards, *_, infos = env.step(actions)
            paid = {agent: paid[agent] + rewards[agent] for agent in rewards}
        assert sum(paid.values()) == pytest.approx(0)


def legal_action(seen: Any, info: dict[str, Any]) -> int:
    """The highest legal action, where the mask is, or a pass where nobody asks."""
    mask = info["action_mask"] if "action_mask" in info else seen["action_mask"]
    legal = np.flatnonzero(mask)
    return int(legal[-1]) if len(legal) else 25


@pytest.mark.filterwarnings("ignore")
def test_torchrl_has_a_game_for_three_too() -> None:
    require("torchrl")
    from euchre_env.wrappers import torchrl_env

    env = torchrl_env(seed=2, ruleset="three_hand")
    hand = env.rollout(100)
    assert (hand["player", "mask"].sum(dim=1) == 1).all()
    rewards = hand["next", "player", "reward"][..., 0]
    assert rewards.shape[1] == 3 and abs(float(rewards.sum())) < 1e-5


def test_what_a_row_does_not_have_is_named(rows: Any) -> None:
    with pytest.raises(AttributeError, match="only action_masks"):
        rows.env_method("fly")
    with pytest.raises(AttributeError, match="share one environment"):
        rows.set_attr("seat", 1)
    assert rows.has_attr("action_masks") and not rows.has_attr("fly")
    assert len(rows.env_method("action_masks", indices=[1, 2])) == 2


# ---- TorchRL and Tianshou ------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_torchrl_plays_by_the_masks() -> None:
    """A rollout of random actions, drawn by TorchRL's own masked specs, plays whole hands."""
    require("torchrl")
    import torch

    from euchre_env.wrappers import torchrl_env

    torch.manual_seed(1)
    env = torchrl_env(seed=2, ruleset="stick")
    for _ in range(3):
        hand = env.rollout(100)
        acting = hand["player", "mask"]
        assert (acting.sum(dim=1) == 1).all()
        chosen = hand["player", "action"][acting]
        masks = hand["player", "action_mask"][acting]
        assert masks[torch.arange(len(chosen)), chosen].all()
        rewards = hand["next", "player", "reward"][..., 0]
        assert (rewards[:-1] == 0).all()
        assert rewards[-1, 0] == rewards[-1, 2] == -rewards[-1, 1] == -rewards[-1, 3] != 0
        assert hand["next", "done"][-1].all()


@pytest.mark.filterwarnings("ignore")
def test_tianshou_pays_every_decision_only_with_a_long_horizon() -> None:
    """Tianshou's default of one step tells the points to the seat that acts last alone."""
    require("tianshou")
    long = interop.tianshou_returns(horizon=40)
    assert [round(float(r), 2) for r in long["player_1"]] == [4.0]
    for agent, points in zip(AGENTS, interop.REWARDS, strict=True):
        assert np.allclose(long[agent], points, atol=1e-3)
    short = interop.tianshou_returns(horizon=1)
    assert abs(float(short["player_1"][0])) < 1e-3
    assert abs(float(short["player_3"].abs().max())) < 1e-3
    assert round(float(short["player_2"][-1]), 2) == -4.0


# ---- OpenSpiel's own euchre beside ours ----------------------------------------------------------


@pytest.mark.parametrize("stick", [True, False])
def test_openspiel_s_euchre_through_shimmy_beside_ours(stick: bool) -> None:
    """Shimmy deals theirs; the same deal here; legal actions, seats and rewards at every step."""
    require("shimmy")
    pytest.importorskip("pyspiel")
    from euchre_env.wrappers import shimmy_env
    from tests.openspiel_trace import PASS, action_of, card_of, phase_of

    theirs = shimmy_env("euchre", {"stick_the_dealer": stick})
    ruleset = Ruleset.openspiel().replace(stick_the_dealer=stick, defend_alone="off")
    ours = euchre_v0.raw_env(ruleset=ruleset)
    rng = random.Random(5)
    paid = []
    for seed in range(40):
        theirs.reset(seed=seed)
        state = theirs.game_state
        holders = state.card_holder()
        hands = [[card_of(c) for c, h in enumerate(holders) if h == seat] for seat in range(4)]
        upcard = card_of(state.history()[-1])
        dealt = [card for hand in hands for card in hand] + [upcard]
        rest = [card for card in range(24) if card not in dealt]
        ours.reset(options={"deck": dealt + rest, "dealer": state.dealer()})
        while not any(theirs.terminations.values()):
            agent, phase = theirs.agent_selection, phase_of(state)
            assert ours.agent_selection == agent
            legal = np.flatnonzero(theirs.infos[agent]["action_mask"]).tolist()
            mask = ours.observe(agent)["action_mask"]
            assert {action_of(a, phase) for a in legal} == set(np.flatnonzero(mask).tolist())
            action = PASS if PASS in legal and rng.random() < 0.7 else rng.choice(legal)
            theirs.step(action)
            ours.step(action_of(action, phase))
        assert theirs.rewards == ours.rewards
        assert not any(theirs.truncations.values())
        cumulative = {agent: theirs._cumulative_rewards[agent] for agent in AGENTS}
        assert cumulative == ours.rewards
        paid.append(ours.rewards["player_0"])
    assert min(paid) < 0 < max(paid)
    assert (0 in paid) != stick


def test_shimmy_s_last_rewards_are_paid_once() -> None:
    require("shimmy")
    pytest.importorskip("pyspiel")
    from euchre_env.wrappers import shimmy_env

    for name in ("euchre", "python_euchre"):
        env = shimmy_env(name)
        env.reset(seed=1)
        paid, rng = {}, random.Random(1)
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            if terminated or truncated:
                paid[agent] = reward
                env.step(None)
            else:
                env.step(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
        assert list(paid) == list(AGENTS)
        assert sum(paid.values()) == 0 and len({abs(r) for r in paid.values()}) == 1


# ---- examples ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_says_what_it_does(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) < 60
    assert f"python examples/{path.name}" in text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")
def test_an_example_runs(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if path.stem in NEEDS:
        require(NEEDS[path.stem])
    main = runpy.run_path(str(path))["main"]
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    assert "usage" in capsys.readouterr().out
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main([])
    assert capsys.readouterr().out.strip()


def test_the_engine_needs_none_of_these_libraries() -> None:
    """Importing the adapters imports no library that they are for."""
    libraries = ("stable_baselines3", "torchrl", "tianshou", "supersuit", "shimmy", "ray", "torch")
    code = f"import sys, euchre_env.wrappers; print([x for x in {libraries} if x in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.strip() == "[]"
