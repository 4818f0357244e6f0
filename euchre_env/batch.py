"""Many games at once: arrays of records stepped in place, with automatic reset.

The arrays that :class:`BatchEnv` shows are the engine's own: ``torch.from_numpy(env.observation)``
shares memory and is updated by every step. Results depend on the seed alone, never on the number
of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from . import kernels
from ._check import LARGEST, check_choice, check_int, listed
from ._jit import prepare_thread
from .actions import FRAMES, ActionError, action_text, count_actions
from .encoding import OBSERVATION_SIZE, blank_observations, encode, hidden_size, observation_size
from .rules import N_SEATS, NOBODY, STATE, new_states
from .ruleset import Ruleset, RulesetError, any_wide

RulesetLike = Ruleset | str | Sequence[Ruleset | str]


class BatchState(TypedDict):
    """What :meth:`BatchEnv.get_state` saves: copies of the records and counters of all games."""

    rules: npt.NDArray[Any]
    states: npt.NDArray[Any]
    which: npt.NDArray[np.int16]
    dealt: npt.NDArray[np.int32]
    generators: npt.NDArray[np.uint64]
    final_states: npt.NDArray[Any]
    final_which: npt.NDArray[np.int16]


def as_rulesets(ruleset: RulesetLike) -> list[Ruleset]:
    """One or several rule sets, given as objects or texts, as a list.

    Raises:
        RulesetError: an unknown name, an empty list, games of different numbers of players, or
            something else.
    """
    given: list[Any] = list(ruleset) if isinstance(ruleset, list | tuple) else [ruleset]
    if not given:
        raise RulesetError("ruleset=[] holds no rule set: give at least one", ())
    found = [r if isinstance(r, Ruleset) else Ruleset.parse(r) for r in given]
    sizes = {each.players for each in found}
    if len(sizes) > 1:
        raise RulesetError(
            f"rule sets for {listed(sorted(sizes), 'and')} players do not mix: give games of one "
            "number of players",
            ("players",),
        )
    return found


class BatchEnv:
    """``batch`` games of Euchre stepped together.

    Args:
        batch: The number of games, B.
        ruleset: A rule set, its text, or a list of them, of which each episode draws one.
        episode: ``"hand"`` ends each episode with its hand; ``"game"`` with the game (or match).
        seed: Of all chance; the game at index i uses stream i.
        frame: ``"trump"`` or ``"absolute"``: suits of observations and action ids.
        observe: Write observations at every step.
        hidden: Write :attr:`hidden` at every step: all hands, for critics.
        skip_forced: Play decisions with one legal action automatically.
        threads: Threads that share each step; the GIL is released.
        max_hands: Hands after which a game episode is truncated.

    Attributes:
        observation: uint8[B, D] of the seat to act.
        action_mask: int8[B, 38]; int8[B, 46] if a rule set has cards below nine (D grows too).
        actions: The number of action ids, 38 or 46.
        actor: int8[B], the seat to act.
        hidden: uint8[B, H], relative to the seat to act; what no seat may see in full.
        legal: int64[B], the legal actions as bit sets in trump-relative ids.
        states: STATE[B], the full records.
        truncated: bool[B], whether the episode that just ended was cut off.
        final_states: STATE[B], the last record of the latest episode that ended in each game.

    Raises:
        ValueError: a bad argument; the message names it and what would do.
    """

    observation_size: int = OBSERVATION_SIZE
    """D; more if a rule set has cards below nine."""

    def __init__(
        self,
        batch: int,
        ruleset: RulesetLike = Ruleset(),  # noqa: B008 - a frozen value
        episode: str = "hand",
        seed: int = 1,
        frame: str = "trump",
        observe: bool = True,
        hidden: bool = False,
        skip_forced: bool = False,
        threads: int = 1,
        max_hands: int = 1000,
    ) -> None:
        self._arguments: dict[str, Any] = {
            "ruleset": as_rulesets(ruleset),
            "episode": episode,
            "seed": seed,
            "frame": frame,
            "observe": observe,
            "hidden": hidden,
            "skip_forced": skip_forced,
            "threads": threads,
            "max_hands": max_hands,
        }
        self.rulesets = self._arguments["ruleset"]
        self.observation_size = observation_size(*self.rulesets)
        self.actions = count_actions(*self.rulesets)
        self.episode = check_choice("episode", episode, kernels.EPISODES)
        self.frame = check_choice("frame", frame, FRAMES)
        self.batch = check_int("batch", batch, 1)
        self.threads = check_int("threads", threads, 1)
        self.max_hands = check_int("max_hands", max_hands, 1, LARGEST)
        self._seed = check_int("seed", seed)
        self._mode = self._mode_bits(observe, hidden, skip_forced)
        self._allocate(observe, hidden)
        self._pool = (
            ThreadPoolExecutor(self.threads, initializer=prepare_thread)
            if self.threads > 1
            else None
        )
        self._is_reset = False

    def _mode_bits(self, observe: bool, hidden: bool, skip_forced: bool) -> int:
        return (
            kernels.GAME_EPISODES * (self.episode == "game")
            | kernels.SKIP_FORCED * bool(skip_forced)
            | kernels.OBSERVE * bool(observe)
            | kernels.ABSOLUTE * (self.frame == "absolute")
            | kernels.HIDDEN * bool(hidden)
            | kernels.WIDE_MASKS * any_wide(self.rulesets)
        )

    def _allocate(self, observe: bool, hidden: bool) -> None:
        b = self.batch
        self.rules: npt.NDArray[Any] = np.concatenate([r.record() for r in self.rulesets])
        self.blanks = blank_observations(*self.rulesets)
        self.states = new_states(b)
        self.final_states = new_states(b)
        self.which = np.zeros(b, np.int16)
        self._final_which = np.full(b, NOBODY, np.int16)  # until an episode has ended
        self.legal = np.zeros(b, np.int64)
        self.observation = np.zeros((b if observe else 0, self.observation_size), np.uint8)
        self.hidden = np.zeros((b if hidden else 0, hidden_size(*self.rulesets)), np.uint8)
        self._words, self.action_mask = kernels.mask_arrays(b, self.actions)
        self.actor = np.zeros(b, np.int8)
        self.truncated = np.zeros(b, np.bool_)
        self._rewards = np.zeros((b, N_SEATS), np.float32)
        self._done = np.zeros(b, np.bool_)
        self._dealt = np.ones(b, np.int32)
        self._generators = np.zeros(b, np.uint64)
        self._actions = np.zeros(b, np.int64)

    def __len__(self) -> int:
        """The number of games."""
        return self.batch

    def _each_range(self, work: Callable[[int, int], Any]) -> list[Any]:
        if self._pool is None:
            return [work(0, self.batch)]
        edges = np.linspace(0, self.batch, self.threads + 1).astype(int).tolist()
        return list(self._pool.map(work, edges[:-1], edges[1:]))

    def reset(self, seed: int | None = None) -> npt.NDArray[np.uint8]:
        """Start an episode in every game, by the seed given here, before, or to the constructor.

        Returns:
            :attr:`observation`.

        Raises:
            ValueError: a bad seed; nothing has changed.
        """
        if seed is not None:
            self._seed = check_int("seed", seed)
        base = kernels.as_uint64(self._seed)
        streams = np.arange(2 * self.batch, dtype=np.uint64)
        seeds = [kernels.seed_of(base, stream) for stream in streams]
        self.states[:] = np.zeros(self.batch, STATE)
        self.states["rng"] = np.array(seeds[: self.batch], np.uint64)
        self._generators[:] = np.array(seeds[self.batch :], np.uint64)
        self._dealt[:] = 1
        self.which[:] = 0
        self._final_which[:] = NOBODY
        self._is_reset = True
        self._each_range(
            lambda a, b: kernels.begin_games(
                self.states, self.rules, self.which, self._mode, self.legal, a, b
            )
        )
        self._run(self._mode, self._actions)
        return self.observation

    def _run(self, mode: int, actions: npt.NDArray[np.int64]) -> None:
        self._each_range(
            lambda a, b: kernels.run_games(
                self.states,
                self.rules,
                self.blanks,
                self.which,
                mode,
                self.max_hands,
                actions,
                self.legal,
                self._words,
                self.actor,
                self.observation,
                self.hidden,
                self._rewards,
                self._done,
                self.truncated,
                self._dealt,
                self.final_states,
                a,
                b,
            )
        )

    def step(self, actions: npt.ArrayLike) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Apply one action to every game; games that end start again at once.

        Args:
            actions: Integers [B], ids of the environment's frame.

        Returns:
            Rewards float32[B, 4] by seat (0 for seats that the game does not have), and done
            bool[B]. Both are reused by the next step.

        Raises:
            ActionError: an action is not legal; nothing has changed.
            RuntimeError: before :meth:`reset`.
        """
        chosen = self._checked(actions)
        which = self.which.copy()
        self._run(self._mode | kernels.STEP, chosen)
        np.copyto(self._final_which, which, where=self._done)
        return self._rewards, self._done

    def _checked(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        self._require_reset("step")
        given = np.asarray(actions)
        if given.shape != (self.batch,) or given.dtype.kind not in "iu":
            raise ActionError(
                f"actions have shape {given.shape} and type {given.dtype}: "
                f"give {self.batch} integers, one for each game"
            )
        chosen = given.astype(np.int64, copy=False)
        absolute = self.frame == "absolute"
        bad = kernels.first_illegal(self.states, self.legal, chosen, absolute, 0, self.batch)
        if bad >= 0:
            raise ActionError(self._complaint(bad, int(given[bad])))
        return chosen

    def _require_reset(self, call: str) -> None:
        if not self._is_reset:
            raise RuntimeError(f"call reset() before {call}()")

    def _complaint(self, game: int, action: int) -> str:
        s = self.states[game]
        names = [action_text(int(a), self.frame, s) for a in np.flatnonzero(self.action_mask[game])]
        word = f"{action}"
        if 0 <= action < self.actions:
            word += f" ({action_text(action, self.frame, s)})"
        return f"action {word} is not legal in game {game}: legal are {', '.join(names)}"

    def random_actions(self) -> npt.NDArray[np.int64]:
        """One uniform legal action for each game, int64[B], by generators of their own.

        Raises:
            RuntimeError: before :meth:`reset`.
        """
        self._require_reset("random_actions")
        absolute = self.frame == "absolute"
        self._each_range(
            lambda a, b: kernels.random_actions(
                self._generators, self.states, self.legal, absolute, self._actions, a, b
            )
        )
        return self._actions.copy()

    def final_observation(self, game: int, seat: int) -> npt.NDArray[np.uint8]:
        """What ``seat`` saw at the end of the latest episode that ended in ``game``, uint8[D].

        Raises:
            ValueError: no such game or seat.
            RuntimeError: no episode has ended there since :meth:`reset`.
        """
        game = check_int("game", game, 0, self.batch - 1)
        seat = check_int("seat", seat, 0, self.rulesets[0].players - 1)
        if self._final_which[game] == NOBODY:
            raise RuntimeError(f"no episode has ended in game {game} yet")
        out = np.zeros(self.observation_size, np.uint8)
        s, k = self.final_states[game], self._final_which[game]
        absolute = self.frame == "absolute"
        encode(s, self.rules[k], self.blanks[k], seat, absolute, new_states(1), out)
        return out

    def get_state(self) -> BatchState:
        """Copies of everything that decides the future of the games.

        Raises:
            RuntimeError: before :meth:`reset`.
        """
        self._require_reset("get_state")
        return {
            "rules": self.rules.copy(),
            "states": self.states.copy(),
            "which": self.which.copy(),
            "dealt": self._dealt.copy(),
            "generators": self._generators.copy(),
            "final_states": self.final_states.copy(),
            "final_which": self._final_which.copy(),
        }

    def set_state(self, state: BatchState) -> None:
        """Restore what :meth:`get_state` saved, exactly.

        Raises:
            ValueError: it is no saved state, or one of another number of games or of other rule
                sets; nothing has changed.
        """
        lacking = sorted(BatchState.__annotations__.keys() - state)
        if lacking:
            raise ValueError(f"this is no saved state: it lacks {', '.join(lacking)}")
        if len(state["states"]) != self.batch:
            raise ValueError(
                f"the saved state has {len(state['states'])} games, this environment {self.batch}"
            )
        if not np.array_equal(state["rules"], self.rules):
            raise ValueError(
                "the saved state is of other rule sets than this environment: "
                f"{' + '.join(Ruleset.from_record(r).describe() for r in state['rules'])}"
            )
        self.states[:] = state["states"]
        self.which[:] = state["which"]
        self._dealt[:] = state["dealt"]
        self._generators[:] = state["generators"]
        self.final_states[:] = state["final_states"]
        self._final_which[:] = state["final_which"]
        self._is_reset = True
        kernels.legal_sets(self.states, self.rules, self.which, self.legal, 0, self.batch)
        self._run(self._mode, self._actions)

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle or a deep copy takes along: the arguments and the games."""
        saved = {"batch": self.batch, **self._arguments, "seed": self._seed}
        return {"arguments": saved, "games": self.get_state() if self._is_reset else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Build the arrays anew, since they share memory with each other, and restore the games."""
        BatchEnv.__init__(self, **state["arguments"])
        if state["games"] is not None:
            self.set_state(state["games"])

    def close(self) -> None:
        """Stop the threads; later calls do without."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
