"""How many cores this process may keep busy: one answer for all that starts threads."""

from __future__ import annotations

import os

_share: int | None = None


def cores() -> int:
    """The cores that this process may run on, or its share of them (:func:`use_cores`)."""
    if _share is not None:
        return _share
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def use_cores(count: int) -> None:
    """Say that this process is one of several and has ``count`` cores to itself, at least one."""
    global _share
    _share = max(1, count)
