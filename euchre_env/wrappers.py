"""Adapters to other libraries, each named after the library it exists for.

A library is imported when its adapter is first used, and none of them is needed by anything else.
Tianshou's ``PettingZooEnv``, SuperSuit and PettingZoo's conversions take ``euchre_v0.env()`` as it
is, and sb3-contrib's ``MaskablePPO`` takes :class:`~euchre_env.gym_env.EuchreGymEnv`; the game for
OpenSpiel is :mod:`euchre_env.openspiel_game`. ``docs/interop.md`` says what each library makes of
rewards at the end of a hand, when the seat that acts last is one of several.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo.utils.env import ParallelEnv

from .aec import raw_env
from .encoding import encode_seats
from .gym_env import EuchreVectorEnv
from .rules import PASS

# ---- Stable-Baselines3 ---------------------------------------------------------------------------


@cache
def _stable_baselines3_class() -> Callable[..., Any]:
    from stable_baselines3.common.vec_env import VecEnv

    base: Any = VecEnv

    class StableBaselines3VecEnv(base):  # type: ignore[misc]
        """See :func:`stable_baselines3_vec_env`."""

        def __init__(self, env: EuchreVectorEnv) -> None:
            self.env, self.games = env, env.games
            self.seats = env.games.rulesets[0].players
            rows = self.seats * env.num_envs
            super().__init__(rows, env.single_observation_space, env.single_action_space)
            self._seen = np.zeros((env.num_envs, self.seats, self.games.observation_size), np.uint8)
            self._totals = np.zeros((env.num_envs, self.seats))
            self._lengths = np.zeros(env.num_envs, np.int64)
            self._actions: npt.NDArray[Any] = np.zeros(rows, np.int64)
            self._start = time.time()

        def reset(self) -> npt.NDArray[np.uint8]:
            """Start an episode in every game."""
            self.env.reset(seed=self._seeds[0])
            self._reset_seeds()
            self._reset_options()
            self._totals[:], self._lengths[:] = 0, 0
            return self._observe(self.games.states, self.games.which)

        def step_async(self, actions: npt.NDArray[Any]) -> None:
            """Keep the actions of all rows; those of rows that wait do not count."""
            self._actions = actions

        def step_wait(self) -> Any:
            """Carry out the action of the seat to act in each game."""
            everyone = np.arange(self.env.num_envs)
            chosen = self._actions.reshape(-1, self.seats)[everyone, self.games.actor]
            which = self.games.which.copy()
            rewards, done = self.games.step(chosen)
            own = rewards[:, : self.seats].copy()
            self._totals += own
            self._lengths += 1
            infos = self._infos(done, which)
            seen = self._observe(self.games.states, self.games.which)
            return seen, own.reshape(-1), np.repeat(done, self.seats), infos

        def _observe(self, states: Any, which: Any) -> npt.NDArray[np.uint8]:
            games = self.games
            absolute = games.frame == "absolute"
            encode_seats(states, games.rules, games.blanks, which, absolute, self._seen)
            return self._seen.reshape(self.num_envs, -1).copy()

        def _infos(self, done: npt.NDArray[Any], which: Any) -> list[dict[str, Any]]:
            infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
            if not done.any():
                return infos
            final = self._observe(self.games.final_states, which)
            for game in np.flatnonzero(done).tolist():
                for seat in range(self.seats):
                    row = self.seats * game + seat
                    infos[row] = {
                        "terminal_observation": final[row],
                        "TimeLimit.truncated": bool(self.games.truncated[game]),
                        "episode": self._episode(game, seat),
                    }
            self._totals[done], self._lengths[done] = 0, 0
            return infos

        def _episode(self, game: int, seat: int) -> dict[str, Any]:
            total, length = float(self._totals[game, seat]), int(self._lengths[game])
            return {"r": total, "l": length, "t": time.time() - self._start}

        def action_masks(self) -> npt.NDArray[np.bool_]:
            """The legal actions of each row, bool[S B, 38]; a row that waits may only pass."""
            masks = np.zeros((self.env.num_envs, self.seats, self.games.actions), np.bool_)
            masks[:, :, PASS] = True
            masks[np.arange(self.env.num_envs), self.games.actor] = self.games.action_mask
            return masks.reshape(self.num_envs, self.games.actions)

        def close(self) -> None:
            """Stop the threads."""
            self.env.close()

        def _rows(self, values: Any, indices: Any) -> list[Any]:
            return [values[i] for i in self._get_indices(indices)]

        def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
            """An attribute, once for each row."""
            return self._rows([getattr(self, attr_name, None)] * self.num_envs, indices)

        def has_attr(self, attr_name: str) -> bool:
            """Whether there is such an attribute; ``action_masks`` is what MaskablePPO asks for."""
            return hasattr(self, attr_name)

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            """Not possible: all rows are of one object.

            Raises:
                AttributeError: always.
            """
            raise AttributeError(f"rows share one environment: set {attr_name} on it, not by row")

        def env_method(self, method_name: str, *args: Any, indices: Any = None, **_: Any) -> Any:
            """``action_masks`` of each row.

            Raises:
                AttributeError: another method.
            """
            if method_name != "action_masks":
                raise AttributeError(f"rows have no method {method_name}, only action_masks")
            return self._rows(self.action_masks(), indices)

        def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
            """False for each row."""
            return self._rows([False] * self.num_envs, indices)

    return StableBaselines3VecEnv


def stable_baselines3_vec_env(env: EuchreVectorEnv) -> Any:
    """Many games as a ``VecEnv`` of Stable-Baselines3, in which all S seats learn by self-play.

    Row ``S * game + seat`` is one seat of one game, of four or as many as play. All rows of a game
    step together: the seat to act chooses among its legal actions, and those that wait have one
    single action (``pass``), which is not carried out and so teaches a policy nothing. A row's
    rewards are its own seat's, and a hand ends for all of a game's rows in the same step, each with
    what its side won. That is what the usual wrapper gets wrong: one row for all seats adds up
    rewards of opposite sides.

    Args:
        env: The games, B; use it through the result only. MaskablePPO's ``n_steps`` counts steps of
            a game, of which one of four seats decides a quarter.

    Returns:
        A ``VecEnv`` of S B rows with ``action_masks()``, uint8 observations [S B, D], and in
        ``infos`` the last observation and the total reward of each seat.

    Raises:
        ImportError: Stable-Baselines3 is not installed.
    """
    return _stable_baselines3_class()(env)


# ---- TorchRL -------------------------------------------------------------------------------------


def torchrl_env(group: str = "player", seed: int | None = None, **kwargs: Any) -> Any:
    """The game as TorchRL's ``PettingZooWrapper``, all S seats (four, in most games) in one group.

    Entries are ``(group, "observation", "observation")`` uint8[S, D], ``(group, "action_mask")``
    bool[S, 38], ``(group, "mask")`` bool[S], true for the seat to act, and ``("next", group,
    "reward")`` float32[S, 1]. Action masks of seats that wait are all true, as TorchRL has it;
    their actions do not count.

    Args:
        group: The group's name.
        seed: Of all chance.
        **kwargs: Of :class:`~euchre_env.aec.raw_env`.

    Raises:
        ImportError: TorchRL is not installed.
    """
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper

    game = raw_env(**kwargs)
    agents = {group: game.possible_agents.copy()}
    return PettingZooWrapper(game, use_mask=True, group_map=agents, seed=seed)


def _sizes(game: raw_env) -> tuple[int, int]:
    """The lengths of observations and masks."""
    agent = game.possible_agents[0]
    seen: Any = game.observation_space(agent)
    return seen["observation"].shape[0], seen["action_mask"].shape[0]


# ---- RLlib ---------------------------------------------------------------------------------------


@cache
def _rllib_class() -> Callable[..., Any]:
    from ray.rllib.env.multi_agent_env import MultiAgentEnv

    base: Any = MultiAgentEnv

    class RLlibEnv(base):  # type: ignore[misc]
        """See :func:`rllib_env`."""

        def __init__(self, config: Any = None) -> None:
            self.game = raw_env(**(config or {}))
            self.possible_agents = self.game.possible_agents.copy()
            self.agents = self.possible_agents.copy()
            super().__init__()
            size, actions = _sizes(self.game)
            seen = spaces.Dict(
                {
                    "action_mask": spaces.Box(0, 1, (actions,), np.float32),
                    "observations": spaces.Box(0, 255, (size,), np.float32),
                }
            )
            self.observation_spaces = dict.fromkeys(self.agents, seen)
            self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.agents}

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            """Start an episode; the observation is that of the seat to act."""
            self.game.reset(seed=seed, options=options)
            return self._seen(self.game.agent_selection), {}

        def step(self, action_dict: dict[str, Any]) -> Any:
            """Carry out the action of the seat to act; all seats are paid when a hand ends."""
            game = self.game
            game.step(action_dict[game.agent_selection])
            ended, cut = (any(x.values()) for x in (game.terminations, game.truncations))
            agents = self.possible_agents if ended or cut else [game.agent_selection]
            rewards = {a: r for a, r in game.rewards.items() if a in agents or r}
            return self._seen(*agents), rewards, {"__all__": ended}, {"__all__": cut}, {}

        def _seen(self, *agents: str) -> dict[str, Any]:
            return {agent: self._seen_by(agent) for agent in agents}

        def _seen_by(self, agent: str) -> dict[str, npt.NDArray[np.float32]]:
            seen = self.game.observe(agent)
            return {
                "action_mask": seen["action_mask"].astype(np.float32),
                "observations": seen["observation"].astype(np.float32),
            }

    return RLlibEnv


def rllib_env(config: dict[str, Any] | None = None) -> Any:
    """The game as a ``MultiAgentEnv`` of RLlib; also what ``register_env`` takes as a creator.

    Observations are ``{"action_mask": float32[38], "observations": float32[D]}``, the keys of
    RLlib's own ``ActionMaskingTorchRLModule``, and only the seat to act has one, so that RLlib asks
    nobody else; at the end of an episode all seats have theirs, with their side's points.

    Args:
        config: Arguments of :class:`~euchre_env.aec.raw_env`.

    Raises:
        ImportError: RLlib is not installed.
    """
    return _rllib_class()(config)


# ---- AgileRL -------------------------------------------------------------------------------------


class AgileRLEnv(ParallelEnv):  # type: ignore[misc]
    """The game as the parallel environment that AgileRL takes, with masks in ``infos``.

    All agents get observations float32[D] and rewards at every step, and every agent its own side's
    points on the step that ends a hand. AgileRL looks for legal actions in
    ``infos[agent]["action_mask"]``, a list of 38 numbers; an agent that waits may only ``pass``,
    which is not carried out. To learn with AgileRL, take one seat, as ``examples/agilerl_ppo.py``
    does: its multi-agent learner forgets the masks.

    Args:
        **kwargs: Of :class:`~euchre_env.aec.raw_env`.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "euchre_v0", "render_modes": []}

    def __init__(self, **kwargs: Any) -> None:
        self.game = raw_env(**kwargs)
        self.render_mode = None
        self.possible_agents = self.game.possible_agents.copy()
        self.agents: list[str] = []
        size, actions = _sizes(self.game)
        seen = spaces.Box(0, 255, (size,), np.float32)
        known = self.possible_agents
        self.observation_spaces = dict.fromkeys(known, seen)
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in known}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """``Box(0, 255, (D,), float32)``."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """``Discrete(38)``."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        """Start an episode."""
        self.game.reset(seed=seed, options=options)
        self.agents = self.possible_agents.copy()
        return self._seen()

    def step(self, actions: dict[str, Any]) -> Any:
        """Carry out the action of the agent to act."""
        game = self.game
        game.step(int(actions[game.agent_selection]))
        rewards = dict(game.rewards)
        ended, cut = dict(game.terminations), dict(game.truncations)
        seen, infos = self._seen()
        if any(ended.values()) or any(cut.values()):
            self.agents = []
        return seen, rewards, ended, cut, infos

    def _seen(self) -> tuple[dict[str, Any], dict[str, Any]]:
        seen, infos = {}, {}
        for agent in self.possible_agents:
            observed = self.game.observe(agent)
            seen[agent] = observed["observation"].astype(np.float32)
            mask = observed["action_mask"]
            mask[PASS] |= not mask.any()
            infos[agent] = {"action_mask": mask.tolist()}
        return seen, infos


def agilerl_env(**kwargs: Any) -> AgileRLEnv:
    """An :class:`AgileRLEnv`; the arguments are those of :class:`~euchre_env.aec.raw_env`."""
    return AgileRLEnv(**kwargs)


# ---- Shimmy --------------------------------------------------------------------------------------


@cache
def _shimmy_class() -> Callable[..., Any]:
    from shimmy import OpenSpielCompatibilityV0

    base: Any = OpenSpielCompatibilityV0

    class ShimmyEnv(base):  # type: ignore[misc]
        """See :func:`shimmy_env`."""

        def reset(self, seed: int | None = None, options: Any = None) -> None:
            """Start an episode, its length counted without the deal."""
            super().reset(seed=seed, options=options)
            self.game_length = 0

        def _accumulate_rewards(self) -> None:
            # Shimmy adds the last rewards again each time an agent that is done is removed.
            if len(self.agents) == len(self.possible_agents):
                super()._accumulate_rewards()

    return ShimmyEnv


def shimmy_env(game_name: str = "python_euchre", config: dict[str, Any] | None = None) -> Any:
    """An OpenSpiel game as Shimmy's AEC environment, played to its end and paid once.

    Shimmy counts the chance nodes of the deal as steps, OpenSpiel's greatest length of a game does
    not: left alone, every hand of euchre is truncated after a few decisions. And it pays the last
    rewards again whenever an agent that is done is removed, so that ``last()`` would give seats 0
    to 3 one, two, three and four times what they won. Legal actions are in
    ``infos[agent]["action_mask"]``.

    Args:
        game_name: ``python_euchre`` is this project's game, ``euchre`` OpenSpiel's.
        config: Parameters of the game.

    Raises:
        ImportError: Shimmy or OpenSpiel is not installed.
    """
    if game_name == "python_euchre":
        from . import openspiel_game  # noqa: F401 - registers the game
    return _shimmy_class()(game_name=game_name, config=config)
