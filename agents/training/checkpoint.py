"""The trainer's state on disk: whole files, the last two kept, no code ever unpickled."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import torch

from euchre_env._files import write_whole
from euchre_env.encoding import fits_layout, layout_hash

KEPT = 2
FORMAT = "euchre-env trainer state 1"
_NAME = re.compile(r"checkpoint-(\d+)\.pt")


class CheckpointError(ValueError):
    """A run that cannot be continued; the message says why and what to do."""


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints of a run's folder, oldest first."""
    found = [(int(m[1]), p) for p in folder.glob("*.pt") if (m := _NAME.fullmatch(p.name))]
    return [path for _, path in sorted(found)]


def save_checkpoint(
    folder: Path, iteration: int, config: dict[str, Any], state: dict[str, Any]
) -> Path:
    """Write the state after ``iteration`` iterations and delete all but the last :data:`KEPT`.

    Args:
        folder: The run's.
        iteration: Iterations done.
        config: Plain values.
        state: Tensors, numbers and texts in dictionaries and lists.

    Raises:
        CheckpointError: it cannot be written, such as on a full disk; older ones are still there.
    """
    path = folder / f"checkpoint-{iteration:06d}.pt"
    whole = {
        "format": FORMAT,
        "layout": layout_hash(),
        "config": json.dumps(config),
        "iteration": iteration,
        "state": state,
    }
    data = io.BytesIO()
    torch.save(whole, data)
    try:
        write_whole(path, data.getvalue())
        for old in checkpoints(folder)[:-KEPT]:
            old.unlink()
    except OSError as error:
        raise CheckpointError(f"cannot write checkpoint {path}: {error.strerror}") from None
    return path


def load_checkpoint(path: Path) -> dict[str, Any]:
    """What :func:`save_checkpoint` wrote: keys ``config`` (plain values), ``iteration``, ``state``.

    Raises:
        CheckpointError: unreadable, damaged, of another program or observation layout.
    """
    older = [p.name for p in checkpoints(path.parent) if p != path]
    remedy = f"delete it to continue from {older[-1]}" if older else "start a new run"
    try:
        whole = torch.load(path, weights_only=True)
    except OSError as error:
        raise CheckpointError(f"cannot read checkpoint {path}: {error.strerror}") from None
    except Exception:  # torch passes on whatever its reader stumbles over
        raise CheckpointError(f"checkpoint {path} is damaged or no checkpoint: {remedy}") from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise CheckpointError(f"{path} is no checkpoint of this version's trainer: {remedy}")
    if not fits_layout(whole.get("layout", "")):
        raise CheckpointError(
            f"checkpoint {path} was trained for observation layout {whole.get('layout')}, "
            f"this version has {layout_hash()}: start a new run, or use the version that made it"
        )
    try:
        whole["config"] = json.loads(whole["config"])
        is_whole = isinstance(whole["iteration"], int) and isinstance(whole["state"], dict)
    except (KeyError, TypeError, ValueError):
        is_whole = False
    if not is_whole:
        raise CheckpointError(f"checkpoint {path} is damaged: {remedy}")
    return whole


def latest_checkpoint(folder: Path) -> Path:
    """The newest checkpoint of a run.

    Raises:
        CheckpointError: no such folder, or none in it.
    """
    if not folder.is_dir():
        near = sorted(p.parent.name for p in folder.parent.glob("*/checkpoint-*.pt"))
        there = f": {folder.parent} has {', '.join(dict.fromkeys(near))}" if near else ""
        raise CheckpointError(f"there is no run {folder}{there}")
    found = checkpoints(folder)
    if not found:
        raise CheckpointError(f"run {folder} holds no checkpoint: start a new run")
    return found[-1]
