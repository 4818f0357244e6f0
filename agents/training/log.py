"""What a run tells: figures by name in metrics.jsonl and TensorBoard, and a line of progress."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from euchre_env._files import write_whole
from euchre_env.rules import NOBODY, TURNED_DOWN, team

from ..style import OUTCOMES, PLACES, REFERENCE, Hands, share
from .figures import can_draw, curves, draw_bids, draw_curves, image_of
from .rollout import Decisions

METRICS, TENSORBOARD = "metrics.jsonl", "tensorboard"

_PROGRESS = (
    ("entropy", "train/entropy", ".3f"),
    ("kl", "train/kl", ".4f"),
    ("q loss", "train/q_loss", ".4f"),
    ("value explains", "train/explained_variance", "4.0%"),
    ("alone", "hands/alone", "4.1%"),
    ("euchred", "hands/euchred", "4.1%"),
)


# --- shares ------------------------------------------------------------------------------------


def outcome_shares(decisions: Decisions) -> dict[str, float]:
    """How the hands of an iteration went: shares of all hands, or of those with a maker."""
    finals = decisions.finals
    called = finals[finals["maker"] >= 0]
    makers = team(called["maker"]) if decisions.partners else called["maker"]
    tricks = called["tricks"][np.arange(len(called)), makers]
    alone = called["loner"] >= 0
    played = max(len(called), 1)
    return {
        "hands/thrown_in": float((finals["thrown_in"] != 0).mean()),
        "hands/called_in_round_1": float((called["place"] != TURNED_DOWN).sum() / played),
        "hands/alone": float(alone.sum() / played),
        "hands/euchred": float((tricks < 3).sum() / played),
        "hands/marched": float((tricks == 5).sum() / played),
        "hands/makers_points": float(
            decisions.points[finals["maker"] >= 0, called["maker"]].sum() / played
        ),
        "hands/decisions": len(decisions) / len(finals),
    }


def seat_shares(decisions: Decisions) -> dict[str, float]:
    """Shares of the hands that the policy played from all four seats, by outcome and by seat.

    Of called hands: ``outcomes/O``, and ``round_1/S`` and ``round_2/S``, who called. Of a seat's
    calls in round 2: ``next/S`` and ``cross/S``. The caller's net points: ``net_round_1/S`` and
    ``net_round_2/S``. What no hand tells is left out. The names are those of
    :data:`agents.style.REFERENCE`. Games without partners have none.
    """
    if not decisions.partners:
        return {}
    hands = Hands(decisions.finals[decisions.opponent == NOBODY])
    found = {f"outcomes/{name}": share(hands.outcome(name), hands.called) for name in OUTCOMES}
    for k, place in enumerate(PLACES):
        first, second = hands.calls(k, round_2=False), hands.calls(k, round_2=True)
        found |= {
            f"round_1/{place}": share(first, hands.called),
            f"round_2/{place}": share(second, hands.called),
            f"net_round_1/{place}": float(hands.net[first].mean()) if first.any() else None,
            f"net_round_2/{place}": float(hands.net[second].mean()) if second.any() else None,
            f"next/{place}": share(hands.next, second),
            f"cross/{place}": share(hands.cross, second),
        }
    return {name: value for name, value in found.items() if value is not None}


def reference_shares() -> dict[str, float]:
    """Shares of the reference players, ``reference/GROUP/KEY/PLAYER``."""
    return {
        f"reference/{group}/{key}/{player}": value
        for player, groups in REFERENCE.items()
        for group, values in groups.items()
        for key, value in zip(OUTCOMES if group == "outcomes" else PLACES, values, strict=True)
        if value is not None
    }


def _charts() -> dict[str, dict[str, list[Any]]]:
    """TensorBoard's charts of own shares with the reference players' in them."""
    charts: dict[str, dict[str, list[Any]]] = {}
    for tag in reference_shares():
        _, group, key, _ = tag.split("/", 3)
        lines = ["Multiline", [f"(reference/)?{group}/{key}(/.*)?$"]]
        charts.setdefault(group, {})[f"{group}/{key}"] = lines
    return charts


# --- the log -----------------------------------------------------------------------------------


class Log:
    """metrics.jsonl and TensorBoard, with the same names and steps (decisions are a scalar too).

    Args:
        folder: The run's.
        iteration: Iterations done; what was logged of later ones is forgotten.
        iterations: Of the whole run.
        figures_every: Iterations between pictures, 0 for none; there are some at the end too.
        reference: Whether the shares of :data:`agents.style.REFERENCE` are of the run's rules. They
            are logged in the first iteration and with the pictures.
    """

    def __init__(
        self,
        folder: Path,
        iteration: int,
        iterations: int = 0,
        figures_every: int = 0,
        reference: bool = False,
    ) -> None:
        from torch.utils.tensorboard import SummaryWriter  # takes a second to import

        self._path = folder / METRICS
        self._iterations, self._every, self._reference = iterations, figures_every, reference
        self._draws = figures_every > 0 and can_draw()
        self._forget_after(iteration)
        self._file = self._path.open("a", encoding="utf-8")
        self._board: Any = SummaryWriter(str(folder / TENSORBOARD), purge_step=iteration + 1)
        if reference:
            self._board.add_custom_scalars(_charts())

    def _forget_after(self, iteration: int) -> None:
        if self._path.exists():
            lines = self._path.read_text("utf-8").splitlines(keepends=True)
            whole = [line for line in lines if line.endswith("\n")]
            kept = [line for line in whole if json.loads(line)["iteration"] <= iteration]
            write_whole(self._path, "".join(kept).encode())

    def write(
        self, iteration: int, figures: Mapping[str, float], decisions: Decisions | None = None
    ) -> None:
        """Add the figures of an iteration, and pictures of its decisions when it is time."""
        ends = iteration == self._iterations
        time = ends or (self._every > 0 and iteration % self._every == 0)
        if self._reference and (time or iteration == 1):
            figures = {**figures, **reference_shares()}
        print(json.dumps({"iteration": iteration, **figures}), file=self._file, flush=True)
        self._scalars(iteration, figures)
        if time and self._draws:
            self._draw_curves(iteration)
            if decisions is not None:
                self._picture("bids", draw_bids(decisions), iteration)
        self._board.flush()

    def finish(self, config: Mapping[str, Any], final: Mapping[str, float]) -> None:
        """Add to the last iteration what the final matches showed, and the settings beside it.

        Args:
            config: Settings by dotted name.
            final: Figures by name, ``final/...``.
        """
        self._file.close()
        lines = self._path.read_text("utf-8").splitlines()
        if not lines:
            return
        *before, last = lines
        row = {**json.loads(last), **final}
        write_whole(self._path, "".join(f"{x}\n" for x in [*before, json.dumps(row)]).encode())
        self._scalars(row["iteration"], final)
        self._settings(config, final)
        if final and self._draws:
            self._draw_curves(row["iteration"])
        self._board.flush()

    def _settings(self, config: Mapping[str, Any], final: Mapping[str, float]) -> None:
        from torch.utils.tensorboard.summary import hparams

        plain = {k: v if isinstance(v, bool | int | float) else str(v) for k, v in config.items()}
        # As add_hparams does, which would make a run of its own in a folder below.
        for summary in hparams(plain, dict(final)):  # type: ignore[no-untyped-call]
            self._board.file_writer.add_summary(summary)

    def _scalars(self, iteration: int, figures: Mapping[str, float]) -> None:
        for name, value in figures.items():
            self._board.add_scalar(name, value, iteration)

    def _draw_curves(self, iteration: int) -> None:
        rows = [json.loads(line) for line in self._path.read_text("utf-8").splitlines()]
        if found := curves(rows):
            self._picture("strength", draw_curves(found), iteration)

    def _picture(self, name: str, figure: Any, iteration: int) -> None:
        self._board.add_image(f"figures/{name}", image_of(figure), iteration, dataformats="HWC")

    def close(self) -> None:
        """Close both."""
        self._file.close()
        self._board.close()


def progress_line(iteration: int, iterations: int, figures: Mapping[str, float]) -> str:
    """One iteration in one line."""
    f = figures
    left = f["speed/iteration_seconds"] * (iterations - iteration)
    told = "".join(f"{word} {f[key]:{form}}  " for word, key, form in _PROGRESS if key in f)
    strength = "".join(
        f"{name.removeprefix('strength/').removesuffix('/points_per_hand')} {value:+.3f}  "
        for name, value in f.items()
        if name.startswith("strength/") and name.endswith("/points_per_hand")
    )
    return (
        f"{iteration:4d}/{iterations}  {f['decisions'] / 1e6:6.2f}M decisions  {told}{strength}"
        f"collect {f['speed/collect'] / 1e3:.0f}k/s  learn {f['speed/learn'] / 1e3:.0f}k/s  "
        f"{left:.0f} s left"
    )
