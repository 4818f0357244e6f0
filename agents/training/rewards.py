"""What a hand is worth to a trainer: its points, or the change of the chance to win the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env.equity import Equity, equity_change
from euchre_env.rules import N_SEATS, team
from euchre_env.ruleset import Ruleset

POINTS, EQUITY = "points", "equity"
ZERO, RANDOM = "zero", "random"

POINTS_SCALE = 0.5
"""The reward is the team's net points times this."""
EQUITY_SCALE = 5.0
"""The reward is the change of the team's chance to win times this: about as large, since a point at
0-0 is worth a tenth of a game."""

Floats = npt.NDArray[np.float32]


class Rewards:
    """Rewards at the ends of hands, and the scores at which the hands start.

    Args:
        rulesets: The rule sets in play.
        kind: ``points`` or ``equity``.
        scores: ``zero`` to start at 0-0, ``random`` at scores below the target, all as likely.
    """

    def __init__(self, rulesets: Sequence[Ruleset], kind: str = POINTS, scores: str = ZERO) -> None:
        self.kind, self.draws_scores = kind, scores == RANDOM
        self._targets = np.array([r.target_score or 1 for r in rulesets])
        self._equity = [Equity.of(r) for r in rulesets] if kind == EQUITY else []

    @property
    def scale(self) -> float:
        """What a reward of one net point, or of a whole game, is."""
        return EQUITY_SCALE if self.kind == EQUITY else POINTS_SCALE

    def draw_scores(
        self, rng: np.random.Generator, which: npt.NDArray[np.int16]
    ) -> npt.NDArray[np.int64]:
        """Scores to start from, int64[B, 2]."""
        below = self._targets[which][:, None]
        return rng.integers(0, np.broadcast_to(below, (len(which), 2)))

    def of(
        self,
        net: Floats,
        finals: npt.NDArray[Any],
        which: npt.NDArray[np.int16],
        scores: npt.NDArray[Any],
        dealers: npt.NDArray[Any],
    ) -> Floats:
        """The reward of each seat, float32[B, 4].

        Args:
            net: float32[B, 4], what the environment rewarded: points less those of the others.
            finals: STATE[B], the records of finished hands.
            which: int16[B], their rule sets.
            scores: int[B, 2], the scores before.
            dealers: int[B], who dealt.
        """
        if self.kind == POINTS:
            return (net * np.float32(self.scale)).astype(np.float32)
        points = finals["points"][:, :2].astype(np.int64)
        first = np.zeros(len(finals))
        for number, equity in enumerate(self._equity):
            of = which == number
            blank = finals["thrown_in"][of] != 0
            first[of] = equity_change(scores[of], dealers[of], points[of], equity, thrown_in=blank)
        sign = np.where(team(np.arange(N_SEATS)) == 0, self.scale, -self.scale)
        return (first[:, None] * sign).astype(np.float32)
