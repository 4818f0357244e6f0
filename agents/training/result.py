"""What a finished training run left, and how it is told."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..network import read_header


@dataclass(frozen=True)
class Result:
    """A finished run.

    Attributes:
        folder: The run's.
        policy: The policy file.
        matches: What ``evaluate`` said of the final policy, by opponent.
    """

    folder: Path
    policy: Path
    matches: dict[str, dict[str, Any]]

    def to_text(self) -> str:
        """The final matches, a line each, and the commands that repeat them."""
        lines = ["", f"{'opponent':<12}{'points a hand':>22}{'deals':>8}  {'rules':<10}{'seed':>4}"]
        again = ["", "To play them again:"]
        for name, m in self.matches.items():
            points = f"{m['points_per_hand']:+.4f} ± {m['ci95']:.4f}"
            lines.append(f"{name:<12}{points:>22}{m['deals']:>8}  {m['ruleset']:<10}{m['seed']:>4}")
            where = f"--deals {m['deals']} --ruleset {m['ruleset']} --seed {m['seed']}"
            again.append(f"  euchre match {self.policy} {name} {where}")
        return "\n".join([*lines, *again] if self.matches else [f"policy: {self.policy}"])

    def to_json(self) -> str:
        """Where the policy is, what its training took, and the final matches, as a line of JSON."""
        header = read_header(self.policy)
        took = {name: header[name] for name in ("decisions", "iterations", "seconds")}
        took["seed"] = header["config"]["seed"]
        where = {"folder": str(self.folder), "policy": str(self.policy)}
        return json.dumps({**where, **took, "matches": self.matches})
