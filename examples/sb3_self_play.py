"""sb3-contrib's MaskablePPO learns all four seats of many games by self-play.

    pip install sb3-contrib && python examples/sb3_self_play.py --games 64 --steps 1000000

A row of the VecEnv is one seat of one game, with the rewards of that seat's team; a row that waits
has one action, which is not carried out.
"""

import argparse

from sb3_contrib import MaskablePPO

from euchre_env import EuchreVectorEnv
from euchre_env.wrappers import stable_baselines3_vec_env


def main(argv: list[str] | None = None) -> list[float]:
    """Train, and show the total rewards of the seats in the latest episodes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=4, help="games stepped together")
    parser.add_argument("--steps", type=int, default=1024, help="rows to learn from, waits too")
    args = parser.parse_args(argv)
    rows = stable_baselines3_vec_env(EuchreVectorEnv(args.games, "stick"))
    model = MaskablePPO(
        "MlpPolicy", rows, n_steps=64, batch_size=256, gamma=1.0, seed=1, device="cpu"
    )
    model.learn(args.steps)
    totals = [float(episode["r"]) for episode in model.ep_info_buffer or ()]
    print(f"{len(totals)} episodes of a seat, {sum(totals):+g} points in all (zero-sum)")
    return totals


if __name__ == "__main__":
    main()
