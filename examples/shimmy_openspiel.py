"""Shimmy: this project's game and OpenSpiel's own euchre as AEC environments, played at random.

pip install shimmy open-spiel && python examples/shimmy_openspiel.py --game euchre --hands 100
"""

import argparse
import random

import numpy as np

from euchre_env.wrappers import shimmy_env


def main(argv: list[str] | None = None) -> dict[str, float]:
    """Play some hands and show the points of the seats."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=("python_euchre", "euchre"), default="python_euchre")
    parser.add_argument("--hands", type=int, default=2)
    args = parser.parse_args(argv)
    env, rng = shimmy_env(args.game), random.Random(1)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for hand in range(args.hands):
        env.reset(seed=hand)
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            total[agent] += reward
            legal = np.flatnonzero(info["action_mask"]).tolist()
            env.step(None if terminated or truncated else rng.choice(legal))
    print(f"points of the seats after {args.hands} hands: {total}")
    return total


if __name__ == "__main__":
    main()
