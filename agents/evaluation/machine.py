"""What figures were taken on: the machine, and the versions of the libraries that matter."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

LIBRARIES = ("numpy", "numba", "torch", "gymnasium", "pettingzoo", "open-spiel", "shimmy")
_CPUINFO = Path("/proc/cpuinfo")


def installed(name: str) -> str:
    """The version of a distribution, or that it is absent."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def machine(libraries: Sequence[str] = LIBRARIES) -> dict[str, Any]:
    """This machine as plain values: Python, system, processor, cores, versions of libraries."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "libraries": {name: installed(name) for name in libraries},
    }


def _processor() -> str:
    """The processor's model where the system tells it, else its kind."""
    try:
        lines = _CPUINFO.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def machine_text(told: dict[str, Any]) -> str:
    """What :func:`machine` gave, in a line; libraries that are not installed are left out."""
    there = {name: v for name, v in told["libraries"].items() if v[0].isdigit()}
    libraries = ", ".join(f"{name} {v}" for name, v in there.items())
    kind = f"{told['cores']} cores, {told['processor']}, {told['system']}"
    return f"{kind}, Python {told['python']}" + (f", {libraries}" if libraries else "")
