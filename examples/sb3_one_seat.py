"""sb3-contrib's MaskablePPO learns one seat; the environment plays the other three.

    pip install sb3-contrib && python examples/sb3_one_seat.py --steps 100000

The reward of a step is what the learner's own team won, in hands that it sat out as well.
"""

import argparse

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import DummyVecEnv

from euchre_env import EuchreGymEnv


def mean_reward(model: MaskablePPO, hands: int) -> float:
    """Points a hand of the learner's team, over some hands."""
    env = EuchreGymEnv("stick")
    total = 0.0
    for seed in range(hands):
        seen, _ = env.reset(seed=seed)
        done = False
        while not done:
            action, _ = model.predict(seen, action_masks=get_action_masks(env))
            seen, reward, terminated, truncated, _ = env.step(int(action))
            total += float(reward)
            done = terminated or truncated
    return total / hands


def main(argv: list[str] | None = None) -> float:
    """Train and show points a hand against random players."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=256, help="decisions to learn from")
    parser.add_argument("--hands", type=int, default=20, help="hands to play afterwards")
    args = parser.parse_args(argv)
    games = DummyVecEnv([lambda: EuchreGymEnv("stick")] * 4)
    model = MaskablePPO("MlpPolicy", games, n_steps=64, gamma=1.0, seed=1, device="cpu")
    model.learn(args.steps)
    mean = mean_reward(model, args.hands)
    print(f"{mean:+.2f} points a hand over {args.hands} hands")
    return mean


if __name__ == "__main__":
    main()
