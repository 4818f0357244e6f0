"""Adapters to other libraries, each named after the library it exists for.

A library is imported when its adapter is first used, and none of them is needed by anything else.
Tianshou's ``PettingZooEnv``, SuperSuit and PettingZoo's conversions take ``euchre_v0.env()`` as it
is, and sb3-contrib's ``MaskablePPO`` takes :class:`~euchre_env.gym_env.EuchreGymEnv`; the game for
OpenSpiel is :mod:`euchre_env.openspiel_game`. ``docs/interop.md`` says what each library makes of
rewards at the end of a hand, when the seat that acts last is one of four.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from ._jit import njit
from .aec import AGENTS, raw_env
from .encoding import OBSERVATION_SIZE, encode
from .gym_env import EuchreVectorEnv
from .rules import N_ACTIONS, N_SEATS, PASS, STATE

# ---- Stable-Baselines3 ---------------------------------------------------------------------------


@njit
def _observe_seats(states, rules, codes, which, absolute, out):
    """Write what each seat of each game can know: ``out`` is uint8[B, 4, D]."""
    scratch = np.empty(1, STATE)
    for i in range(len(states)):
        k = which[i]
        for seat in range(N_SEATS):
            encode(states[i], rules[k], codes[k], seat, absolute, scratch, out[i, seat])


@cache
def _stable_baselines3_class() -> Callable[..., Any]:
    from stable_baselines3.common.vec_env import VecEnv

    class StableBaselines3VecEnv(VecEnv):  # type: ignore[misc]
        """See :func:`stable_baselines3_vec_env`."""

        def __init__(self, env: EuchreVectorEnv) -> None:
            self.env, self.games = env, env.games
            rows = N_SEATS * env.num_envs
            super().__init__(rows, env.single_observation_space, env.single_action_space)
            self._seen = np.zeros((env.num_envs, N_SEATS, OBSERVATION_SIZE), np.uint8)
            self._totals = np.zeros((env.num_envs, N_SEATS))
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
            chosen = self._actions.reshape(-1, N_SEATS)[everyone, self.games.actor]
            which = self.games.which.copy()
            rewards, done = self.games.step(chosen)
            self._totals += rewards
            self._lengths += 1
            infos = self._infos(done, which)
            seen = self._observe(self.games.states, self.games.which)
            return seen, rewards.reshape(-1).copy(), np.repeat(done, N_SEATS), infos

        def _observe(self, states: Any, which: Any) -> npt.NDArray[np.uint8]:
            games = self.games
            absolute = games.frame == "absolute"
            _observe_seats(states, games.rules, games.codes, which, absolute, self._seen)
            return self._seen.reshape(self.num_envs, -1).copy()

        def _infos(self, done: npt.NDArray[Any], which: Any) -> list[dict[str, Any]]:
            infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
            if not done.any():
                return infos
            final = self._observe(self.games.final_states, which)
            for game in np.flatnonzero(done):
                for seat in range(N_SEATS):
                    row = N_SEATS * game + seat
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
            """The legal actions of each row, bool[4 B, 38]; a row that waits may only pass."""
            masks = np.zeros((self.env.num_envs, N_SEATS, N_ACTIONS), np.bool_)
            masks[:, :, PASS] = True
            masks[np.arange(self.env.num_envs), self.games.actor] = self.games.action_mask
            return masks.reshape(self.num_envs, N_ACTIONS)

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
    """Many games as a ``VecEnv`` of Stable-Baselines3, in which all four seats learn by self-play.

    Row ``4 * game + seat`` is one seat of one game. All rows of a game step together: the seat to
    act chooses among its legal actions, and the three that wait have one single action (``pass``),
    which is not carried out and so teaches a policy nothing. A row's rewards are its own seat's,
    and a hand ends for all four rows in the same step, each with what its team won. That is what
    the usual wrapper gets wrong: one row for four seats adds up rewards of opposite teams.

    Args:
        env: The games, B; use it through the result only. MaskablePPO's ``n_steps`` counts steps of
            a game, of which a seat itself decides a quarter.

    Returns:
        A ``VecEnv`` of 4 B rows with ``action_masks()``, uint8 observations [4 B, D], and in
        ``infos`` the last observation and the total reward of each seat.

    Raises:
        ImportError: Stable-Baselines3 is not installed.
    """
    return _stable_baselines3_class()(env)


# ---- TorchRL -------------------------------------------------------------------------------------


def torchrl_env(group: str = "player", seed: int | None = None, **kwargs: Any) -> Any:
    """The game as TorchRL's ``PettingZooWrapper``, all four seats in one group.

    Entries are ``(group, "observation", "observation")`` uint8[4, D], ``(group, "action_mask")``
    bool[4, 38], ``(group, "mask")`` bool[4], true for the seat to act, and ``("next", group,
    "reward")`` float32[4, 1]. Action masks of seats that wait are all true, as TorchRL has it;
    their actions do not count.

    Args:
        group: The group's name.
        seed: Of all chance.
        **kwargs: Of :class:`~euchre_env.aec.raw_env`.

    Raises:
        ImportError: TorchRL is not installed.
    """
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper

    return PettingZooWrapper(
        raw_env(**kwargs), use_mask=True, group_map={group: list(AGENTS)}, seed=seed
    )


# ---- Shimmy --------------------------------------------------------------------------------------


@cache
def _shimmy_class() -> Callable[..., Any]:
    from shimmy import OpenSpielCompatibilityV0

    class ShimmyEnv(OpenSpielCompatibilityV0):  # type: ignore[misc]
        """See :func:`shimmy_env`."""

        def reset(self, seed: int | None = None, options: Any = None) -> None:
            """Start an episode, its length counted without the deal."""
            super().reset(seed=seed, options=options)
            self.game_length = 1

    return ShimmyEnv


def shimmy_env(game_name: str = "python_euchre", config: dict[str, Any] | None = None) -> Any:
    """An OpenSpiel game as Shimmy's AEC environment, not cut off before its end.

    Shimmy counts the chance nodes of the deal as steps, OpenSpiel's greatest length of a game does
    not: left alone, every hand of euchre is truncated after a few decisions. Legal actions are in
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
