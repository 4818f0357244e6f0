"""euchre-env measured in the same form as its peers: ``measure(seconds)`` gives a `Sample`.

Start-up times and memory are measured in processes of their own, since they can be seen only once.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from euchre_env import BatchEnv, Ruleset, euchre_v0
from euchre_env.kernels import random_hands
from peers import SEED, Sample, play_aec, sample

BATCH = 4096
HANDS_PER_ROUND = 2000
MEMORY_ENVIRONMENTS = 200
WARM_UP_STEPS = 40  # past the first hands, so that a batch is spread over all phases

# OpenSpiel's default game sticks the dealer too.
RULES = Ruleset(stick_the_dealer=True)

# Every kind of use once, so that all that it needs is compiled or loaded.
FIRST_USE = """
import time
start = time.perf_counter()
from euchre_env import BatchEnv, euchre_v0
env = euchre_v0.raw_env()
env.reset(seed=1)
for agent in env.agent_iter():
    obs, _, termination, truncation, _ = env.last()
    env.step(None if termination or truncation else int(obs["action_mask"].argmax()))
batch = BatchEnv(64, seed=1)
batch.reset()
batch.step(batch.random_actions())
print(time.perf_counter() - start)
"""

IMPORT = """
import time
start = time.perf_counter()
import euchre_env
print(time.perf_counter() - start)
"""

MEMORY = f"""
import tracemalloc
from euchre_env import euchre_v0
def make():
    env = euchre_v0.raw_env()
    env.reset(seed=1)
    obs = env.last()[0]
    env.step(int(obs["action_mask"].argmax()))
    return env
warm = [make() for _ in range(3)]
tracemalloc.start()
before = tracemalloc.get_traced_memory()[0]
envs = [make() for _ in range({MEMORY_ENVIRONMENTS})]
print((tracemalloc.get_traced_memory()[0] - before) / len(envs))
"""


# ---- decisions a second --------------------------------------------------------------------------


def kernel_hands(seconds: float) -> Sample:
    """Whole random hands inside one kernel."""
    rules = RULES.record()
    seeds = iter(range(SEED, 2**31))
    return sample(lambda: random_hands(rules, next(seeds), HANDS_PER_ROUND), seconds)


def _batch(seconds: float, observe: bool, count_selection: bool) -> Sample:
    """Step a batch for about ``seconds`` of counted time, with or without choosing the actions."""
    env = BatchEnv(BATCH, ruleset=RULES, episode="hand", seed=SEED, frame="trump", observe=observe)
    env.reset()
    for _ in range(WARM_UP_STEPS):
        env.step(env.random_actions())
    decisions, cpu, wall = 0, 0.0, 0.0
    while cpu < seconds:
        if not count_selection:
            actions = env.random_actions()
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        if count_selection:
            actions = env.random_actions()
        env.step(actions)
        cpu += time.process_time() - cpu_start
        wall += time.perf_counter() - wall_start
        decisions += BATCH
    return Sample(decisions, cpu, wall)


def batch_mask(seconds: float) -> Sample:
    """BatchEnv step with masks; choosing actions not counted."""
    return _batch(seconds, observe=False, count_selection=False)


def batch_mask_selecting(seconds: float) -> Sample:
    """BatchEnv step with masks; choosing actions counted."""
    return _batch(seconds, observe=False, count_selection=True)


def batch_observation(seconds: float) -> Sample:
    """BatchEnv step with masks and observations; choosing actions not counted."""
    return _batch(seconds, observe=True, count_selection=False)


def batch_observation_selecting(seconds: float) -> Sample:
    """BatchEnv step with masks and observations; choosing actions counted."""
    return _batch(seconds, observe=True, count_selection=True)


def aec(seconds: float) -> Sample:
    """The raw AEC environment under agent_iter / last / step."""
    env = euchre_v0.raw_env(ruleset=RULES)
    rand = random.Random(SEED).random

    def play_round() -> int:
        env.reset()
        return play_aec(env, rand)

    return sample(play_round, seconds)


OURS: dict[str, Callable[[float], Sample]] = {
    measure.__name__: measure
    for measure in (
        kernel_hands,
        batch_mask,
        batch_mask_selecting,
        batch_observation,
        batch_observation_selecting,
        aec,
    )
}


# ---- start-up and memory -------------------------------------------------------------------------


def _figure(code: str, cache: Path | None = None) -> float:
    """The number that ``code`` prints last in a new Python process."""
    own = {} if cache is None else {"EUCHRE_ENV_CACHE": str(cache)}
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **own},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(shown.stdout.split()[-1])


def import_seconds() -> float:
    """Wall seconds to import euchre_env in a new process, less the interpreter's own start."""
    return _figure(IMPORT)


def first_and_warm_seconds() -> tuple[float, float]:
    """Wall seconds from import to a hand and a batch step: with an empty cache, then with it."""
    with tempfile.TemporaryDirectory() as folder:
        first = _figure(FIRST_USE, Path(folder))
        return first, _figure(FIRST_USE, Path(folder))


def memory_bytes() -> float:
    """Bytes that one more AEC environment takes in the middle of a hand (traced allocations)."""
    return _figure(MEMORY)
