"""AgileRL: PPO with action masks learns one seat; the environment plays the other three.

    pip install agilerl peft && python examples/agilerl_ppo.py --steps 100000

AgileRL wants versions of its own: docs/interop.md names those that this was run with, and why its
multi-agent learner is not the one to use.
"""

import argparse

import numpy as np
from agilerl.algorithms import PPO
from agilerl.rollouts import collect_rollouts
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from euchre_env import EuchreGymEnv

GAMES = 4


def main(argv: list[str] | None = None) -> list[float]:
    """Collect and learn; returns the points of the hands that ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=128, help="decisions of an iteration")
    parser.add_argument("--iterations", type=int, default=1)
    args = parser.parse_args(argv)
    games = SyncVectorEnv(
        [lambda: EuchreGymEnv("stick")] * GAMES, autoreset_mode=AutoresetMode.SAME_STEP
    )
    learner = PPO(
        games.single_observation_space,
        games.single_action_space,
        num_envs=GAMES,
        learn_step=args.steps,
        gamma=1.0,
    )
    points: list[float] = []
    for _ in range(args.iterations):
        ended, *_ = collect_rollouts(learner, games)
        learner.learn()
        points += [float(each) for each in ended]
    print(f"{np.mean(points):+.2f} points a hand over {len(points)} hands")
    return points


if __name__ == "__main__":
    main()
