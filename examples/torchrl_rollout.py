"""TorchRL: a masked policy plays all four seats, and the returns of each seat are summed up.

pip install torchrl && python examples/torchrl_rollout.py --hands 100
"""

import argparse

import torch
from tensordict.nn import TensorDictModule, TensorDictSequential
from torchrl.modules import MaskedCategorical, ProbabilisticActor

from euchre_env.wrappers import torchrl_env


class Policy(torch.nn.Module):
    """Scores of all actions from what each seat sees: uint8[4, D] -> float32[4, 38]."""

    def __init__(self, size: int, actions: int) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(size, 64), torch.nn.ReLU(), torch.nn.Linear(64, actions)
        )

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """float32[..., 38]."""
        return self.layers(seen.float())


def main(argv: list[str] | None = None) -> torch.Tensor:
    """Play some hands and show the points of the seats, float32[4]."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=3)
    args = parser.parse_args(argv)
    torch.manual_seed(1)
    env = torchrl_env(seed=1, ruleset="stick")
    size, actions = env.observation_space("player_0")["observation"].shape[0], 38
    seen, logits = ("player", "observation", "observation"), ("player", "logits")
    scores = TensorDictModule(Policy(size, actions), in_keys=[seen], out_keys=[logits])
    actor = ProbabilisticActor(
        TensorDictSequential(scores),
        in_keys={"logits": logits, "mask": ("player", "action_mask")},
        out_keys=[("player", "action")],
        distribution_class=MaskedCategorical,
    )
    total = torch.zeros(4)
    for _ in range(args.hands):
        total += env.rollout(100, actor)["next", "player", "reward"].sum(dim=0)[:, 0]
    print(f"points of the seats after {args.hands} hands: {total.tolist()}")
    return total


if __name__ == "__main__":
    main()
