"""What users could pick instead, each measured by a function of the same form.

``peer(seconds)`` sets up, runs one round unmeasured, plays uniformly random hands on one thread for
about ``seconds`` of CPU time and returns a `Sample`. Only decisions of live players count: neither
chance nodes nor the closing ``step(None)`` of finished agents.

OpenSpiel and Shimmy come with the extra ``bench``. OpenSpiel gets its fastest fair use: the deal
is a shuffled deck applied card by card, not 22 queries of chance nodes, and the tensor goes through
an observer that writes into one NumPy array.
"""

import functools
import random
import time
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

SEED = 1
OBSERVATION_BYTES = 320
ACTIONS = 38
CPP_HANDS_PER_ROUND = 20
ROLLOUTS = 1000


class Sample(NamedTuple):
    """One measurement: decisions made, and the seconds of CPU and wall time they took."""

    decisions: float
    cpu: float
    wall: float

    @property
    def rate(self) -> float:
        """Decisions per second of CPU time."""
        return self.decisions / self.cpu


def sample(play_round: Callable[[], float], seconds: float) -> Sample:
    """Call ``play_round``, which returns its decisions, for about ``seconds`` of CPU time."""
    play_round()
    decisions = 0.0
    wall, cpu = time.perf_counter(), time.process_time()
    end = cpu + seconds
    while True:
        decisions += play_round()
        now = time.process_time()
        if now >= end:
            return Sample(decisions, now - cpu, time.perf_counter() - wall)


# ---- AEC environments ----------------------------------------------------------------------------


def play_aec(env: Any, rand: Callable[[], float], mask_in_info: bool = False) -> int:
    """Play an episode after ``reset`` with random legal acts; the number of decisions."""
    decisions = 0
    for _ in env.agent_iter():
        observation, _reward, termination, truncation, info = env.last()
        if termination or truncation:
            env.step(None)
            continue
        mask = (info if mask_in_info else observation)["action_mask"]
        legal = np.flatnonzero(mask)
        env.step(int(legal[int(rand() * len(legal))]))
        decisions += 1
    return decisions


class DoNothing(AECEnv):  # type: ignore[misc]
    """Four agents that take turns for 30 steps: what PettingZoo's own loop costs."""

    metadata: ClassVar[dict[str, Any]] = {"name": "do_nothing_v0", "is_parallelizable": False}
    steps_per_episode = 30

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = [f"player_{seat}" for seat in range(4)]
        self._next = dict(zip(self.possible_agents, np.roll(self.possible_agents, -1).tolist()))
        mask = np.zeros(ACTIONS, np.int8)
        mask[:5] = 1
        vector = np.zeros(OBSERVATION_BYTES, np.uint8)
        self._observation = {"observation": vector, "action_mask": mask}
        self._observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, 255, (OBSERVATION_BYTES,), np.uint8),
                "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8),
            }
        )
        self._action_space = spaces.Discrete(ACTIONS)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Equal for all."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Equal for all."""
        return self._action_space

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The same arrays every time."""
        return self._observation

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._steps = 0

    def step(self, action: int | None) -> None:
        """Turn to the next agent."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._steps += 1
        self.agent_selection = self._next[self.agent_selection]
        if self._steps == self.steps_per_episode:
            self.terminations = dict.fromkeys(self.agents, True)


def _aec(env: Any, seconds: float) -> Sample:
    rand = random.Random(SEED).random

    def play_round() -> int:
        env.reset()
        return play_aec(env, rand)

    return sample(play_round, seconds)


def do_nothing_aec(seconds: float) -> Sample:
    """A do-nothing AEC environment under agent_iter / last / step."""
    return _aec(DoNothing(), seconds)


def do_nothing_wrapped(seconds: float) -> Sample:
    """The same under PettingZoo's standard wrappers."""
    env = TerminateIllegalWrapper(DoNothing(), illegal_reward=-1)
    return _aec(OrderEnforcingWrapper(AssertOutOfBoundsWrapper(env)), seconds)


# ---- OpenSpiel -----------------------------------------------------------------------------------


def _deal(game: Any, deck: list[int], generator: random.Random) -> Any:
    """A state after a uniformly random deal: dealer, 20 cards, upcard. ``deck`` is shuffled."""
    state = game.new_initial_state()
    apply = state.apply_action
    apply(int(generator.random() * 4))
    generator.shuffle(deck)
    for card in deck[:21]:
        apply(card)
    return state


def openspiel_loop(seconds: float) -> Sample:
    """OpenSpiel's euchre from a Python loop, without a tensor."""
    import pyspiel

    game, generator, deck = pyspiel.load_game("euchre"), random.Random(SEED), list(range(24))
    rand = generator.random

    def play_round() -> int:
        decisions = 0
        state = _deal(game, deck, generator)
        is_terminal, legal_actions = state.is_terminal, state.legal_actions
        apply = state.apply_action
        while not is_terminal():
            legal = legal_actions()
            apply(legal[int(rand() * len(legal))])
            decisions += 1
        return decisions

    return sample(play_round, seconds)


def openspiel_tensor(seconds: float) -> Sample:
    """The same with the tensor of the player to move, written into a NumPy array."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game, generator, deck = pyspiel.load_game("euchre"), random.Random(SEED), list(range(24))
    rand = generator.random
    # euchre has information states only, so perfect recall is asked for
    observer = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))

    def play_round() -> int:
        decisions = 0
        state = _deal(game, deck, generator)
        is_terminal, legal_actions = state.is_terminal, state.legal_actions
        apply = state.apply_action
        while not is_terminal():
            legal = legal_actions()
            observer.set_from(state, state.current_player())
            apply(legal[int(rand() * len(legal))])
            decisions += 1
        return decisions

    return sample(play_round, seconds)


@functools.cache
def openspiel_decisions_per_hand(hands: int = 5000) -> float:
    """Mean number of players' decisions in OpenSpiel's random hands, chance not counted."""
    import pyspiel

    game, total = pyspiel.load_game("euchre"), 0
    bots = [pyspiel.make_uniform_random_bot(seat, SEED + seat) for seat in range(4)]
    for hand in range(hands):
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, hand)
        total += sum(step.player >= 0 for step in state.full_history())
    return total / hands


def openspiel_hands(seconds: float) -> Sample:
    """OpenSpiel, one whole random hand in C++, deal included, per Python call (evaluate_bots)."""
    import pyspiel

    game = pyspiel.load_game("euchre")
    bots = [pyspiel.make_uniform_random_bot(seat, SEED + seat) for seat in range(4)]
    seeds = iter(range(SEED, 2**31))
    decisions = CPP_HANDS_PER_ROUND * openspiel_decisions_per_hand()

    def play_round() -> float:
        for _ in range(CPP_HANDS_PER_ROUND):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, next(seeds))
        return decisions

    return sample(play_round, seconds)


def openspiel_rollouts(seconds: float) -> Sample:
    """OpenSpiel, 1,000 random rollouts of one deal in C++ per call: no dealing, no Python.

    RandomRolloutEvaluator has no method in Python; a search of one simulation calls it once, at its
    root. The fastest way to random hands through pyspiel, given for comparison.
    """
    import pyspiel

    game = pyspiel.load_game("euchre")
    evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, SEED)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 10, False, SEED, False)
    root = _deal(game, list(range(24)), random.Random(SEED))
    decisions = ROLLOUTS * openspiel_decisions_per_hand()

    def play_round() -> float:
        bot.mcts_search(root)
        return decisions

    return sample(play_round, seconds)


# ---- Shimmy --------------------------------------------------------------------------------------


def shimmy_aec(seconds: float) -> Sample:
    """Shimmy over OpenSpiel's euchre, as AEC, its length bug patched from outside."""
    from shimmy import OpenSpielCompatibilityV0

    env = OpenSpielCompatibilityV0(game_name="euchre")
    rand = random.Random(SEED).random

    def play_round() -> int:
        env.reset()
        # Shimmy counts the 22 chance nodes of the deal, the game's max_game_length of 29 does not:
        # left alone, every hand is cut after 7 decisions.
        env.game_length = -1000
        return play_aec(env, rand, mask_in_info=True)

    return sample(play_round, seconds)


PEERS: dict[str, Callable[[float], Sample]] = {
    peer.__name__: peer
    for peer in (
        do_nothing_aec,
        do_nothing_wrapped,
        openspiel_loop,
        openspiel_tensor,
        openspiel_hands,
        openspiel_rollouts,
        shimmy_aec,
    )
}
