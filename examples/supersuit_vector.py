"""SuperSuit: the four seats as rows of a Gymnasium vector environment, played at random.

pip install supersuit && python examples/supersuit_vector.py --hands 100
"""

import argparse

import numpy as np
import supersuit as ss

from euchre_env import euchre_v0


def choices(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    """A legal action of the row to act; rows that wait have none, and any number will do."""
    return np.array([rng.choice(np.flatnonzero(m)) if m.any() else 0 for m in masks])


def main(argv: list[str] | None = None) -> np.ndarray:
    """Play some hands and show the points of the seats, float64[4]."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=3)
    args = parser.parse_args(argv)
    rows = ss.pettingzoo_env_to_vec_env_v1(euchre_v0.parallel_env(ruleset="stick"))
    rng, total, hands = np.random.default_rng(1), np.zeros(4), 0
    seen, _ = rows.reset(seed=1)
    while hands < args.hands:
        seen, rewards, terminated, _, _ = rows.step(choices(rng, seen["action_mask"]))
        total += rewards
        hands += int(terminated.all())
    print(f"points of the seats after {hands} hands: {total.tolist()}")
    return total


if __name__ == "__main__":
    main()
