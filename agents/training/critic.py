"""The critic: the expected reward of a hand, by what one seat sees or by the hands of all.

It adds what it learns to the double-dummy value of the true cards, if that is asked for. It exists
in training alone, so it may know what no player does (an asymmetric critic, Pinto et al. 2018).
"""

from __future__ import annotations

from torch import Tensor, nn

from euchre_env.encoding import HIDDEN_SIZE

from ..network import Body
from .config import CriticConfig
from .rewards import POINTS_SCALE

_STANDING = (
    "phase",
    "dealer",
    "upcard",
    "upcard_place",
    "taker",
    "trump",
    "maker",
    "passed_round_1",
    "passed_round_2",
    "loner",
    "sitting_out",
    "trick_cards",
    "winner",
    "led_suit",
    "tricks",
)
"""How matters stand; who sees all hands need not know how they came about."""
_WHERE_READ = ("rules", "house_rules", "score", "house_phase", "tokens")
"""What matters as well where rules, score or house rules change."""


class Critic(Body):
    """Observation, all hands and double-dummy value -> the reward expected by the seat to decide.

    Args:
        config: Settings.
        blocks: Observation blocks that the policy reads. A critic that sees all hands reads
            :data:`_STANDING` instead, with those of :data:`_WHERE_READ` that the policy reads.
        seed: Of the first weights.
    """

    def __init__(self, config: CriticConfig, blocks: tuple[str, ...], seed: int) -> None:
        sees_all = config.sees == "all"
        if sees_all:
            blocks = (*_STANDING, *(name for name in _WHERE_READ if name in blocks))
        super().__init__(config.hidden, blocks, HIDDEN_SIZE + 1 if sees_all else 0)
        self.sees_all = sees_all
        self.value = nn.Linear(self.hidden[-1], 1)
        self.initialise(seed, {"value": 0.1})

    def forward(self, observation: Tensor, hidden: Tensor, double_dummy: Tensor) -> Tensor:
        """uint8[B, D], uint8[B, H], float32[B] -> float32[B], a correction of the base."""
        extra = (hidden, double_dummy[:, None]) if self.sees_all else ()
        return self.value(self.features(observation, *extra)).float().squeeze(1)


def base_of(config: CriticConfig, double_dummy: Tensor) -> Tensor:
    """What a critic corrects: the double-dummy value as a reward, or nothing; float32[B]."""
    return double_dummy * (POINTS_SCALE if config.double_dummy else 0.0)
