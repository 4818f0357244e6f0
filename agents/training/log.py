"""What a run tells: figures by name in metrics.jsonl and TensorBoard, and a line of progress."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from euchre_env._files import write_whole
from euchre_env.rules import team

from .rollout import Decisions

METRICS, TENSORBOARD = "metrics.jsonl", "tensorboard"


def outcome_shares(decisions: Decisions) -> dict[str, float]:
    """How the hands of an iteration went: shares of all hands, or of those with a maker."""
    finals = decisions.finals
    called = finals[finals["maker"] >= 0]
    makers = team(called["maker"])
    tricks = called["tricks"][np.arange(len(called)), makers]
    alone = called["loner"] >= 0
    played = max(len(called), 1)
    return {
        "hands/thrown_in": float((finals["thrown_in"] != 0).mean()),
        "hands/called_in_round_1": float((called["passes"] < 4).sum() / played),
        "hands/alone": float(alone.sum() / played),
        "hands/euchred": float((tricks < 3).sum() / played),
        "hands/marched": float((tricks == 5).sum() / played),
        "hands/makers_points": float(
            decisions.points[finals["maker"] >= 0, called["maker"]].sum() / played
        ),
        "hands/decisions": len(decisions) / len(finals),
    }


class Log:
    """metrics.jsonl and TensorBoard, with the same names and steps (decisions are a scalar too)."""

    def __init__(self, folder: Path, iteration: int) -> None:
        from torch.utils.tensorboard import SummaryWriter  # takes a second to import

        self._path = folder / METRICS
        self._forget_after(iteration)
        self._file = self._path.open("a", encoding="utf-8")
        self._board = SummaryWriter(str(folder / TENSORBOARD), purge_step=iteration + 1)

    def _forget_after(self, iteration: int) -> None:
        if self._path.exists():
            lines = self._path.read_text("utf-8").splitlines(keepends=True)
            whole = [line for line in lines if line.endswith("\n")]
            kept = [line for line in whole if json.loads(line)["iteration"] <= iteration]
            write_whole(self._path, "".join(kept).encode())

    def write(self, iteration: int, figures: Mapping[str, float]) -> None:
        """Add the figures of an iteration."""
        print(json.dumps({"iteration": iteration, **figures}), file=self._file, flush=True)
        for name, value in figures.items():
            self._board.add_scalar(name, value, iteration)
        self._board.flush()

    def close(self) -> None:
        """Close both."""
        self._file.close()
        self._board.close()


def progress_line(iteration: int, iterations: int, figures: Mapping[str, float]) -> str:
    """One iteration in one line."""
    f = figures
    left = f["speed/iteration_seconds"] * (iterations - iteration)
    strength = "".join(
        f"  {name.split('/')[1]} {value:+.3f}"
        for name, value in f.items()
        if name.startswith("strength/") and name.endswith("points_per_hand")
    )
    return (
        f"{iteration:4d}/{iterations}  {f['decisions'] / 1e6:6.2f}M decisions  "
        f"entropy {f['train/entropy']:.3f}  kl {f['train/kl']:.4f}  "
        f"value explains {f['train/explained_variance']:4.0%}  alone {f['hands/alone']:4.1%}  "
        f"euchred {f['hands/euchred']:4.1%}{strength}  "
        f"collect {f['speed/collect'] / 1e3:.0f}k/s  learn {f['speed/learn'] / 1e3:.0f}k/s  "
        f"{left:.0f} s left"
    )
