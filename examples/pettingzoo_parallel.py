"""PettingZoo's `turn_based_aec_to_parallel`: all agents step, the action of one counts.

python examples/pettingzoo_parallel.py --hands 100
"""

import argparse
import random

import numpy as np

from euchre_env import euchre_v0


def main(argv: list[str] | None = None) -> dict[str, float]:
    """Play some hands at random and show the points of the seats."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=3)
    args = parser.parse_args(argv)
    env, rng = euchre_v0.parallel_env(ruleset="stick"), random.Random(1)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for hand in range(args.hands):
        seen, _ = env.reset(seed=hand)
        while env.agents:
            legal = {a: np.flatnonzero(seen[a]["action_mask"]).tolist() or [0] for a in env.agents}
            chosen = {agent: rng.choice(actions) for agent, actions in legal.items()}
            seen, rewards, _, _, _ = env.step(chosen)
            for agent, reward in rewards.items():
                total[agent] += reward
    print(f"points of the seats after {args.hands} hands: {total}")
    return total


if __name__ == "__main__":
    main()
