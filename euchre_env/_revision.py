"""The git revision of these sources."""

from __future__ import annotations

import subprocess
from pathlib import Path


def code_revision() -> str | None:
    """The git revision of these sources, marked where they were edited; None outside a checkout."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        said = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return said.stdout.strip() if said.returncode == 0 else None
