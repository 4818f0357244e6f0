"""Rewards of one known hand through every library that drives the game, as a table.

    pip install -c constraints.txt -e ".[interop]" && python benchmarks/interop.py --write

plays the same deal with the same choices through each library and lists the rewards of the four
seats as the library hands them to a learner. The dealer, seat 3, orders up its own upcard, goes
alone and takes all five tricks: four points for seats 1 and 3. Seat 2 acts last and has lost, seat
1 sits out: a wrapper that pays the seat which acts last, or drops seats that wait, gets it wrong.

A library that is not installed is named and left out, and the exit status is then 2; it is 1 where
rewards are wrong. RLlib and AgileRL want versions of their own: `--only rllib` in an environment of
theirs prints the row that docs/interop.md records with its date.
"""

import argparse
import json
import runpy
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from euchre_env import EuchreGymEnv, EuchreVectorEnv, action_id, euchre_v0, rules
from euchre_env._files import write_whole
from euchre_env.aec import AGENTS
from euchre_env.cards import card_id, deck_of
from euchre_env.encoding import LAYOUT

DECK = "9C TC JC 9D AD  TH 9S TS JS QC  QD KD KC TD AC  JH JD AH KH QH  9H  QS KS AS"
DEALER = 3
REWARDS = [-4.0, 4.0, -4.0, 4.0]
DECISIONS = 21
OPTIONS = {"deck": DECK, "dealer": DEALER}
ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "interop.md"
HEADER = ("library", "version", "what ran", "rewards of seats 0, 1, 2, 3")
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"

ORDER_UP, ALONE = action_id("order_up"), action_id("alone")
_HOLDS_RIGHT = LAYOUT["hand"].start + card_id("JH")


def choose(observation: Any, mask: Any) -> int:
    """The known hand's choice: who holds the right bower orders up, alone; else the first legal."""
    mask = np.asarray(mask)
    if mask[ORDER_UP] and np.asarray(observation)[_HOLDS_RIGHT]:
        return ORDER_UP
    return ALONE if mask[ALONE] else int(mask.argmax())


class Delivered(NamedTuple):
    """What came out: what was run, in words, and the rewards of seats 0 to 3."""

    ran: str
    rewards: list[float]


def lay(games: Any) -> None:
    """Deal the known hand in every game of a ``BatchEnv``."""
    state = games.get_state()
    for s, k in zip(state["states"], state["which"], strict=True):
        rules.new_match(s, games.rules[k])
        rules.deal(s, games.rules[k], deck_of(DECK), DEALER)
    games.set_state(state)


class KnownHand(EuchreGymEnv):
    """One seat of the known hand."""

    def __init__(self, seat: int) -> None:
        super().__init__(seat=seat, opponents=choose, frame="absolute")

    def reset(self, **arguments: Any) -> Any:
        """Deal the known hand and play on to the learner's first decision."""
        super().reset(**arguments)
        lay(self._games)
        self._owed, _ = self._play_on()
        return self._games.observation[0].copy(), self._info()


class KnownHands(EuchreVectorEnv):
    """Games that all begin with the known hand."""

    def reset(self, **arguments: Any) -> Any:
        """Deal the known hand everywhere."""
        super().reset(**arguments)
        lay(self.games)
        return self.games.observation.copy(), self._info()


# ---- PettingZoo and Gymnasium --------------------------------------------------------------------


def _play_aec(env: Any) -> list[float]:
    """Play the known hand on an AEC environment; what each agent was paid by the end."""
    env.reset(seed=1, options=OPTIONS)
    paid = {}
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            paid[agent] = float(reward)
            env.step(None)
        else:
            env.step(choose(seen["observation"], seen["action_mask"]))
    return [paid[agent] for agent in AGENTS]


def pettingzoo() -> Delivered:
    """The AEC environment by itself, after PettingZoo's own test."""
    from pettingzoo.test import api_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(euchre_v0.env(), num_cycles=100)
    return Delivered("`api_test`, AEC loop with `last()`", _play_aec(euchre_v0.env()))


def pettingzoo_parallel() -> Delivered:
    """``turn_based_aec_to_parallel``."""
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel

    env = turn_based_aec_to_parallel(euchre_v0.env())
    seen, _ = env.reset(seed=1, options=OPTIONS)
    total = dict.fromkeys(AGENTS, 0.0)
    while env.agents:
        chosen = {agent: _act(seen[agent]) for agent in env.agents}
        seen, rewards, *_ = env.step(chosen)
        for agent, reward in rewards.items():
            total[agent] += float(reward)
    return Delivered("`turn_based_aec_to_parallel`, sums by agent", list(total.values()))


def _act(seen: dict[str, Any]) -> int:
    mask = seen["action_mask"]
    return choose(seen["observation"], mask) if mask.any() else 0


def gymnasium() -> Delivered:
    """One seat as an Env, four times, after Gymnasium's own check."""
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(EuchreGymEnv(illegal="random"), skip_render_check=True)
    return Delivered("`check_env`, one seat at a time", [_seat_total(seat) for seat in range(4)])


def _seat_total(seat: int) -> float:
    env = KnownHand(seat)
    seen, info = env.reset(seed=1)
    total, done = 0.0, False
    while not done:
        seen, reward, terminated, truncated, info = env.step(choose(seen, info["action_mask"]))
        total += reward
        done = terminated or truncated
    return total


def gymnasium_vector() -> Delivered:
    """The VectorEnv, its spaces checked at every step."""
    env = KnownHands(2, frame="absolute")
    seen, info = env.reset(seed=1)
    done = np.zeros(2, bool)
    while not done.any():
        assert env.observation_space.contains(seen)
        chosen = [choose(*pair) for pair in zip(seen, info["action_mask"], strict=True)]
        seen, _, done, _, info = env.step(np.array(chosen))
    return Delivered('`VectorEnv`, `info["rewards"]`', info["rewards"][0].tolist())


# ---- Stable-Baselines3 ---------------------------------------------------------------------------


def sb3_contrib() -> Delivered:
    """MaskablePPO's way to the one-seat environment: a DummyVecEnv, a row for each seat."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    rows = DummyVecEnv([lambda seat=seat: KnownHand(seat) for seat in range(4)])
    rewards = _play_rows(rows)
    model = MaskablePPO("MlpPolicy", EuchreGymEnv(), n_steps=32, batch_size=32, device="cpu")
    model.learn(32)
    return Delivered("`MaskablePPO.learn` on `EuchreGymEnv`, `DummyVecEnv` of one seat", rewards)


def sb3_contrib_vector() -> Delivered:
    """MaskablePPO on the VectorEnv, by the adapter."""
    from sb3_contrib import MaskablePPO

    from euchre_env.wrappers import stable_baselines3_vec_env

    rewards = _play_rows(stable_baselines3_vec_env(KnownHands(1, frame="absolute")))
    rows = stable_baselines3_vec_env(EuchreVectorEnv(2))
    MaskablePPO("MlpPolicy", rows, n_steps=16, batch_size=32, device="cpu").learn(128)
    return Delivered("`MaskablePPO.learn` on `stable_baselines3_vec_env`, self-play", rewards)


def _play_rows(rows: Any) -> list[float]:
    """Play the known hand on a VecEnv until every row's first episode is over; totals by row."""
    from sb3_contrib.common.maskable.utils import get_action_masks

    seen = rows.reset()
    total, running = np.zeros(rows.num_envs), np.ones(rows.num_envs, bool)
    while running.any():
        masks = get_action_masks(rows)
        chosen = np.array([choose(*pair) for pair in zip(seen, masks, strict=True)])
        seen, rewards, done, _ = rows.step(chosen)
        total += np.where(running, rewards, 0)
        running &= ~done
    return total.tolist()


# ---- other libraries -----------------------------------------------------------------------------


def torchrl() -> Delivered:
    """PettingZooWrapper with masks: a random rollout, TorchRL's own check, and the known hand."""
    import torch
    from torchrl.envs.utils import check_env_specs

    from euchre_env.wrappers import torchrl_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env_specs(torchrl_env(seed=1))
        env = torchrl_env()
        data = env.reset(seed=1, options=OPTIONS)
        total = torch.zeros(4)
        while not data["done"]:
            seat = int(data["player", "mask"].nonzero())
            seen = data["player", "observation", "observation"][seat]
            actions = torch.zeros(4, dtype=torch.int64)
            actions[seat] = choose(seen, data["player", "action_mask"][seat].numpy())
            stepped = env.step(data.set(("player", "action"), actions))
            total += stepped["next", "player", "reward"][:, 0]
            data = stepped["next"].exclude(("player", "reward"))
    return Delivered("`check_env_specs`, `PettingZooWrapper` with masks", total.tolist())


def tianshou() -> Delivered:
    """A Collector over PettingZooEnv; the returns that a learner of each seat gets."""
    returns = tianshou_returns(horizon=40)
    ran = "`PettingZooEnv`, returns of `MultiAgentOffPolicyAlgorithm`, horizon 40"
    return Delivered(ran, [float(returns[agent][0]) for agent in AGENTS])


def tianshou_returns(horizon: int) -> dict[str, Any]:
    """What Tianshou's n-step learner of each seat is told that its decisions were worth."""
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv

    algorithm = _tianshou_learners(horizon)
    buffer = VectorReplayBuffer(100, 1)
    envs = DummyVectorEnv([lambda: PettingZooEnv(euchre_v0.env())])
    collector = Collector(algorithm, envs, buffer)
    collector.reset(gym_reset_kwargs={"seed": 1, "options": OPTIONS})
    collector.collect(n_step=DECISIONS)
    batch, indices = buffer.sample(0)
    told = algorithm._preprocess_batch(batch, buffer, indices)
    return {agent: told[agent].returns.flatten() for agent in AGENTS}


def _tianshou_learners(horizon: int) -> Any:
    """Four DQN learners that make the known hand's choices and value every position at zero."""
    import torch
    from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.env import PettingZooEnv

    env = PettingZooEnv(euchre_v0.env())

    class Chooser(torch.nn.Module):
        """Values below 1e-3, largest for what :func:`choose` prefers."""

        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.nn.Parameter(torch.tensor(1e-5))

        def forward(self, seen: Any, state: Any = None, info: Any = None) -> Any:
            del info
            values = -torch.arange(env.action_space.n).repeat(len(seen), 1).float()
            values[:, ALONE] = 1
            values[:, ORDER_UP] += 20 * torch.as_tensor(seen[:, _HOLDS_RIGHT] > 0)
            return values * self.scale, state

    def learner() -> Any:
        policy = DiscreteQLearningPolicy(model=Chooser(), action_space=env.action_space)
        optim = AdamOptimizerFactory()
        return DQN(policy=policy, optim=optim, gamma=1.0, n_step_return_horizon=horizon)

    return MultiAgentOffPolicyAlgorithm(algorithms=[learner() for _ in AGENTS], env=env)


def supersuit() -> Delivered:
    """An AEC wrapper and the conversion to a vector environment, whose rows are the seats."""
    import supersuit as ss

    aec = ss.reward_lambda_v0(euchre_v0.env(), lambda reward: reward)
    assert _play_aec(aec) == REWARDS
    rows = ss.pettingzoo_env_to_vec_env_v1(euchre_v0.parallel_env())
    seen, _ = rows.reset(seed=1, options=OPTIONS)
    total, done = np.zeros(4), False
    while not done:
        chosen = [_act({k: v[row] for k, v in seen.items()}) for row in range(4)]
        seen, rewards, terminated, truncated, _ = rows.step(np.array(chosen))
        total += rewards
        done = bool((terminated | truncated).all())
    return Delivered("`reward_lambda_v0`, `pettingzoo_env_to_vec_env_v1`", total.tolist())


# ---- OpenSpiel -----------------------------------------------------------------------------------


def deal_openspiel(state: Any) -> None:
    """Apply the chance outcomes of the known hand to a state of ``python_euchre``."""
    deck = deck_of(DECK)
    state.apply_action(DEALER)
    for place in state.rules.order:
        state.apply_action(int(deck[place]))


def open_spiel() -> Delivered:
    """Our game in OpenSpiel, after OpenSpiel's own test."""
    import pyspiel

    from euchre_env import openspiel_game

    game = pyspiel.load_game(openspiel_game.NAME)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    state = game.new_initial_state()
    deal_openspiel(state)
    while not state.is_terminal():
        tensor = state.information_state_tensor(state.current_player())
        state.apply_action(choose(tensor, state.legal_actions_mask()))
    return Delivered("`random_sim_test` on `python_euchre`, `returns()`", list(state.returns()))


def shimmy() -> Delivered:
    """Our game in OpenSpiel, back as AEC through Shimmy."""
    from euchre_env.wrappers import shimmy_env

    env = shimmy_env()
    env.reset(seed=1)
    env.game_state = env._env.new_initial_state()
    deal_openspiel(env.game_state)
    env._update_action_masks()
    env._update_observations()
    env._choose_next_agent()
    paid = {}
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, info = env.last()
        if terminated or truncated:
            paid[agent] = float(reward)
            env.step(None)
        else:
            env.step(choose(seen, info["action_mask"]))
    return Delivered("`python_euchre` through `shimmy_env`", [paid[agent] for agent in AGENTS])


# ---- libraries with environments of their own ----------------------------------------------------


def run_example(name: str) -> Any:
    """Run an example with its tiny defaults."""
    return runpy.run_path(str(ROOT / "examples" / f"{name}.py"))["main"]([])


def rllib() -> Delivered:
    """RLlib's own record of the known hand, and an iteration of PPO."""
    from ray.rllib.env.multi_agent_episode import MultiAgentEpisode

    from euchre_env.wrappers import rllib_env

    env, episode = rllib_env(), MultiAgentEpisode()
    seen, infos = env.reset(seed=1, options=OPTIONS)
    episode.add_env_reset(observations=seen, infos=infos)
    while not episode.is_done:
        actions = {a: choose(o["observations"], o["action_mask"]) for a, o in seen.items()}
        seen, rewards, ended, cut, infos = env.step(actions)
        episode.add_env_step(seen, actions, rewards, infos, terminateds=ended, truncateds=cut)
    paid = [float(episode.agent_episodes[agent].get_return()) for agent in AGENTS]
    run_example("rllib_ppo")
    return Delivered("`rllib_env`, `MultiAgentEpisode`, an iteration of PPO with masks", paid)


def agilerl() -> Delivered:
    """AgileRL's wrapper around the parallel environment, IPPO's masked choices, and its PPO."""
    from agilerl.algorithms import IPPO
    from agilerl.wrappers.pettingzoo_wrappers import PettingZooAutoResetParallelWrapper

    from euchre_env.wrappers import agilerl_env

    game = agilerl_env()
    env = PettingZooAutoResetParallelWrapper(game)
    learner = IPPO(
        list(game.observation_spaces.values()), list(game.action_spaces.values()), list(AGENTS)
    )
    seen, infos = env.reset(seed=1, options=OPTIONS)
    total, done = dict.fromkeys(AGENTS, 0.0), False
    while not done:
        offered, *_ = learner.get_action({a: o[None] for a, o in seen.items()}, infos)
        assert all(infos[agent]["action_mask"][int(x[0])] for agent, x in offered.items())
        chosen = {a: choose(seen[a], infos[a]["action_mask"]) for a in AGENTS}
        seen, rewards, ended, _, infos = env.step(chosen)
        total = {agent: total[agent] + float(rewards[agent]) for agent in AGENTS}
        done = all(ended.values())
    run_example("agilerl_ppo")
    ran = "`agilerl_env` with masks of `IPPO`, an iteration of `PPO` on one seat"
    return Delivered(ran, list(total.values()))


# ---- the table -----------------------------------------------------------------------------------


class Library(NamedTuple):
    """A library, its distributions, and what runs the known hand through it."""

    name: str
    packages: tuple[str, ...]
    run: Callable[[], Delivered]


LIBRARIES = (
    Library("PettingZoo", ("pettingzoo",), pettingzoo),
    Library("PettingZoo parallel", ("pettingzoo",), pettingzoo_parallel),
    Library("Gymnasium", ("gymnasium",), gymnasium),
    Library("Gymnasium vector", ("gymnasium",), gymnasium_vector),
    Library("sb3-contrib, one seat", ("sb3_contrib", "stable_baselines3"), sb3_contrib),
    Library("sb3-contrib, four seats", ("sb3_contrib", "stable_baselines3"), sb3_contrib_vector),
    Library("TorchRL", ("torchrl", "tensordict"), torchrl),
    Library("Tianshou", ("tianshou",), tianshou),
    Library("SuperSuit", ("SuperSuit",), supersuit),
    Library("OpenSpiel", ("open_spiel",), open_spiel),
    Library("Shimmy", ("Shimmy", "open_spiel"), shimmy),
)
APART = (
    Library("RLlib", ("ray", "gymnasium", "pettingzoo", "torch"), rllib),
    Library("AgileRL", ("agilerl", "gymnasium", "pettingzoo", "tensordict", "torch"), agilerl),
)
"""Those that want an environment of their own; the page records their rows by hand."""


def versions(library: Library) -> str | None:
    """The versions of a library's distributions; None where one is not installed."""
    try:
        return ", ".join(f"{name} {version(name)}" for name in library.packages)
    except PackageNotFoundError:
        return None


def row(library: Library) -> tuple[list[str], bool]:
    """The cells of a line of the table, and whether the rewards are right."""
    ran, rewards = library.run()
    shown = ", ".join(f"{value:+g}" for value in rewards)
    return [library.name, str(versions(library)), ran, shown], rewards == REWARDS


def table(libraries: tuple[Library, ...]) -> tuple[list[list[str]], int]:
    """The cells of the table's lines, and the exit status."""
    rows = []
    status = 0
    for library in libraries:
        if versions(library) is None:
            print(f"{library.name}: {' and '.join(library.packages)} not installed, left out")
            status = max(status, 2)
            continue
        cells, right = row(library)
        rows.append(cells)
        if not right:
            print(f"{library.name}: the rewards are wrong, they must be {REWARDS}")
            return rows, 1
    return rows, status


def lines_of(rows: list[list[str]]) -> list[str]:
    """The table in Markdown."""
    rule = "|---|---|---|---|"
    return [f"| {' | '.join(HEADER)} |", rule, *(f"| {' | '.join(cells)} |" for cells in rows)]


def main(argv: list[str] | None = None) -> int:
    """Print the table, and write it into the page on demand."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="run one library by its name")
    parser.add_argument("--write", action="store_true", help="write the table into docs/interop.md")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table's rows here")
    args = parser.parse_args(argv)
    chosen = LIBRARIES
    if args.only:
        every = LIBRARIES + APART
        chosen = tuple(each for each in every if args.only.lower() in each.name.lower())
        if not chosen:
            parser.error(f"--only {args.only}: there are {', '.join(x.name for x in every)}")
    rows, status = table(chosen)
    print("\n".join(lines_of(rows)))
    if args.write and status == 0 and not args.only:
        write_table(lines_of(rows))
    if args.json:
        write_whole(args.json, (json.dumps({"header": HEADER, "rows": rows}) + "\n").encode())
    return status


def write_table(lines: list[str]) -> None:
    """Put the table between its marks in the page."""
    before, rest = PAGE.read_text("utf-8").split(BEGIN)
    after = rest.split(END)[1]
    text = f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}"
    write_whole(PAGE, text.encode())


if __name__ == "__main__":
    sys.exit(main())
