"""The game for Gymnasium: one learning seat as an ``Env``, and many games as a ``VectorEnv``.

Both stand on :class:`~euchre_env.batch.BatchEnv`. Observations are plain uint8 vectors; the legal
actions are in ``info["action_mask"]`` and in ``action_masks()``, the name that sb3-contrib uses.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ._check import check_choice, check_int
from ._jit import njit
from .actions import ActionError
from .batch import BatchEnv, RulesetLike
from .encoding import encode
from .rules import STATE
from .ruleset import Ruleset

Opponent = Callable[[npt.NDArray[np.uint8], npt.NDArray[np.int8]], Any]
"""Given the observation and the mask of the seat to act, returns its action."""

Step = tuple[npt.NDArray[np.uint8], float, bool, bool, dict[str, Any]]


@njit
def _final_observations(states, rules, blanks, which, viewers, done, absolute, out):
    scratch = np.empty(1, STATE)
    for i in range(len(done)):
        if done[i]:
            k = which[i]
            encode(states[i], rules[k], blanks[k], viewers[i], absolute, scratch, out[i])


def final_observations(
    games: BatchEnv, which: Any, viewers: Any, done: Any
) -> npt.NDArray[np.uint8]:
    """What the viewer of each game saw at the end of the episode that a step has just ended.

    Args:
        games: The batch, B.
        which: int[B], the rule sets of the episodes that ended, as they were before the step.
        viewers: int[B], seats.
        done: bool[B], the games concerned; the other rows are left at zero.
    """
    out = np.zeros((games.batch, games.observation_size), np.uint8)
    absolute = games.frame == "absolute"
    _final_observations(
        games.final_states, games.rules, games.blanks, which, viewers, done, absolute, out
    )
    return out


def _is_legal(action: Any, mask: npt.NDArray[np.int8]) -> bool:
    """Whether anything at all is one whole number that ``mask`` int8[38] allows."""
    given = np.asarray(action)
    if given.shape != () or given.dtype.kind not in "iu":
        return False
    return 0 <= int(given) < len(mask) and bool(mask[int(given)])


class EuchreGymEnv(gymnasium.Env[npt.NDArray[np.uint8], np.int64]):
    """Euchre for one learning seat; the other seats are part of the environment.

    A step carries out the learner's action and plays on until the learner is to act again or the
    episode ends. The reward is what the learner's team has won since then, +p or -p points for
    every hand that ended, also for one that the learner sat out (without partners, the learner's
    points less the mean of the others'). An episode that would end before
    the learner has had a single decision is dealt anew by ``reset``; in a game episode, points of
    hands before the learner's first decision count towards its first step.

    Args:
        ruleset: A rule set, its text, or a list of them, of which each episode draws one.
        episode: ``"hand"`` or ``"game"``.
        seat: The learner's seat, or None for a random one in each episode.
        opponents: Decides for the other seats, the learner's partner included, in the same
            frame: ``opponents(observation, mask) -> action``. None plays random legal actions.
        frame: ``"trump"`` or ``"absolute"``: suits of observations and action ids.
        max_hands: Hands after which a game episode is truncated.
        illegal: ``"raise"`` an error at an illegal action of the learner, or play a ``"random"``
            legal one instead, for tools that do not look at masks.

    Raises:
        ValueError: a bad argument; the message names it and what would do.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        ruleset: RulesetLike = Ruleset(),  # noqa: B008 - a frozen value
        episode: str = "hand",
        seat: int | None = None,
        opponents: Opponent | None = None,
        frame: str = "trump",
        max_hands: int = 1000,
        illegal: str = "raise",
    ) -> None:
        if not (opponents is None or callable(opponents)):
            raise ValueError(
                f"opponents={opponents!r} must be a function of observation and mask, or None"
            )
        self.opponents = opponents
        self.illegal = check_choice("illegal", illegal, ("raise", "random"))
        self.render_mode = None
        self._game: dict[str, Any] = {
            "ruleset": ruleset,
            "episode": episode,
            "frame": frame,
            "max_hands": max_hands,
        }
        self._games = BatchEnv(1, **self._game)
        self.observation_space = spaces.Box(0, 255, (self._games.observation_size,), np.uint8)
        self.action_space = spaces.Discrete(self._games.actions)
        self._players = self._games.rulesets[0].players
        self.seat = None if seat is None else check_int("seat", seat, 0, self._players - 1)
        self._learner = 0
        self._owed = 0.0
        self._is_running = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Start an episode at the learner's first decision; ``options`` are ignored."""
        super().reset(seed=seed)
        seat = self.seat
        self._learner = int(self.np_random.integers(self._players)) if seat is None else seat
        self._games.reset(seed=int(self.np_random.integers(2**63)))
        self._owed, is_over = self._play_on()
        while is_over:
            self._owed, is_over = self._play_on()
        self._is_running = True
        return self._games.observation[0].copy(), self._info()

    def step(self, action: Any) -> Step:
        """Carry out the learner's action and play on to its next decision or the end.

        Raises:
            ActionError: not a legal action; nothing has changed.
            RuntimeError: before ``reset``, or after the end.
        """
        if not self._is_running:
            raise RuntimeError("no episode is running: call reset() before step()")
        which = self._games.which.copy()
        reward, is_over = self._carry_out(self._checked(action))
        if not is_over:
            more, is_over = self._play_on()
            reward += more
        reward += self._owed
        self._owed = 0.0
        if not is_over:
            return self._games.observation[0].copy(), reward, False, False, self._info()
        self._is_running = False
        truncated = bool(self._games.truncated[0])
        final = final_observations(
            self._games, which, np.array([self._learner], np.int8), np.ones(1, np.bool_)
        )
        return final[0], reward, not truncated, truncated, self._info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The learner's legal actions, bool[38]; none when no episode is running."""
        return self._games.action_mask[0].astype(np.bool_) & self._is_running

    def __getstate__(self) -> dict[str, Any]:
        # The arrays of a batch share memory, which a copy of them one by one would not keep.
        kept = self.__dict__.copy()
        kept["_games"] = self._games.get_state() if self._is_running else None
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._games = BatchEnv(1, **self._game)
        if self._is_running:
            self._games.set_state(kept["_games"])

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().astype(np.int8), "seat": self._learner}

    def _checked(self, action: Any) -> Any:
        if self.illegal == "random" and not _is_legal(action, self._games.action_mask[0]):
            return self._random_action()
        return action

    def _random_action(self) -> Any:
        return self.np_random.choice(np.flatnonzero(self._games.action_mask[0]))

    def _carry_out(self, action: Any) -> tuple[float, bool]:
        rewards, done = self._games.step(np.array([action]))
        return float(rewards[0, self._learner]), bool(done[0])

    def _play_on(self) -> tuple[float, bool]:
        """Let the others act until the learner is to; points, and whether the episode is over."""
        reward, is_over = 0.0, False
        while not is_over and self._games.actor[0] != self._learner:
            points, is_over = self._carry_out(self._others_action())
            reward += points
        return reward, is_over

    def _others_action(self) -> Any:
        if self.opponents is None:
            return self._random_action()
        observation, mask = self._games.observation[0].copy(), self._games.action_mask[0].copy()
        action = self.opponents(observation, mask)
        if not _is_legal(action, mask):
            raise ActionError(
                f"opponents returned {action!r}, which is not legal: "
                f"legal are {np.flatnonzero(mask).tolist()}"
            )
        return action


class EuchreVectorEnv(VectorEnv[npt.NDArray[np.uint8], npt.NDArray[Any], npt.NDArray[Any]]):
    """Many games at once, for self-play: every step carries out one decision of each game.

    Observation and mask are those of the seat to act, ``info["actor"]``. A step's reward is that of
    the seat which has just acted (a partner's is the same, the other side's the opposite), and
    ``info["rewards"]`` float32[B, 4] has all seats, 0 for those that the game does not have. Games
    that end start again in the same step (``AutoresetMode.SAME_STEP``); then ``info["final_obs"]``
    uint8[B, D] holds, in the rows that ``info["_final_obs"]`` marks, the last observation of the
    seat which acted last.

    Args:
        num_envs: The number of games, B.
        ruleset: A rule set, its text, or a list of them, of which each episode draws one.
        episode: ``"hand"`` or ``"game"``.
        frame: ``"trump"`` or ``"absolute"``.
        threads: Threads that share each step.
        max_hands: Hands after which a game episode is truncated.
        copy: Hand out new arrays; without it observations, masks and rewards are reused.

    Raises:
        ValueError: a bad argument; the message names it and what would do.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": [],
    }

    def __init__(
        self,
        num_envs: int,
        ruleset: RulesetLike = Ruleset(),  # noqa: B008 - a frozen value
        episode: str = "hand",
        frame: str = "trump",
        threads: int = 1,
        max_hands: int = 1000,
        copy: bool = True,
    ) -> None:
        self.num_envs = num_envs
        self.copy = copy
        self.games = BatchEnv(
            num_envs, ruleset, episode=episode, frame=frame, threads=threads, max_hands=max_hands
        )
        self.single_observation_space = spaces.Box(0, 255, (self.games.observation_size,), np.uint8)
        self.single_action_space = spaces.Discrete(self.games.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._everywhere = np.ones(num_envs, np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Start an episode in every game; ``options`` are ignored."""
        super().reset(seed=seed)
        self.games.reset(seed=int(self.np_random.integers(2**63)))
        return self._given(self.games.observation), self._info()

    def step(
        self, actions: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[np.uint8], Any, Any, Any, dict[str, Any]]:
        """Carry out one action in each game.

        Raises:
            ActionError: an action is not legal; nothing has changed.
            RuntimeError: before ``reset``.
        """
        actors, which = self.games.actor.copy(), self.games.which.copy()
        rewards, done = self.games.step(actions)
        info = self._info()
        info["rewards"], info["_rewards"] = self._given(rewards), self._everywhere
        if done.any():
            info["final_obs"] = final_observations(self.games, which, actors, done)
            info["_final_obs"] = done.copy()
        own = rewards[np.arange(self.num_envs), actors]
        truncated = self.games.truncated.copy()
        return self._given(self.games.observation), own, done & ~truncated, truncated, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions of the seat to act in each game, bool[B, 38]."""
        return self.games.action_mask.astype(np.bool_)

    def close_extras(self, **_: Any) -> None:
        """Stop the threads."""
        self.games.close()

    def _given(self, array: Any) -> Any:
        return array.copy() if self.copy else array

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._given(self.games.action_mask),
            "_action_mask": self._everywhere,
            "actor": self._given(self.games.actor),
            "_actor": self._everywhere,
        }
