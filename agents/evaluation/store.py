"""Results of matches in a file of JSON lines, so that a long series can be broken off and resumed.

A row is one match: agents, rule set, seed, deals, version, the result, every deal's difference and
the command that plays it again. A row is used again only for the very same match: checkpoints and
the code of engine and agents are told apart by their contents. Rows are appended, one write each,
and never changed.
"""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env import __version__
from euchre_env.ruleset import Ruleset

from .match import MatchResult, ruleset_text
from .sources import code_digest, files_of
from .stats import EvaluationError

KEY = ("a", "b", "ruleset", "seed", "deals", "version", "code", "files")
"""What a row is found by; see :mod:`.sources` for the last two."""
_FIELDS = (
    *("a", "b", "deals", "points_per_hand", "ci95", "standard_error", "deals_needed", "seconds"),
    *("decisions_per_second", "ruleset", "seed", "version", "oracles"),
)


def _key(row: dict[str, Any]) -> str:
    return json.dumps([row[name] for name in KEY], sort_keys=True)


def pack(differences: npt.NDArray[np.float64]) -> str:
    """Differences, which are whole halves, as text: base64 of deflated int16 of their doubles."""
    halves = np.round(2 * differences).astype("<i2")
    return base64.b64encode(zlib.compress(halves.tobytes(), 9)).decode("ascii")


def unpack(text: str) -> npt.NDArray[np.float64]:
    """The differences that :func:`pack` wrote."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), "<i2") / 2


def row_of(result: MatchResult) -> dict[str, Any]:
    """A match as a row."""
    return {
        **{name: getattr(result, name) for name in _FIELDS},
        "oracles": list(result.oracles),
        "code": code_digest(),
        "files": files_of(result.a, result.b),
        "command": result.command(),
        "halves": pack(result.differences),
    }


def _result(row: dict[str, Any]) -> MatchResult:
    values = {name: row[name] for name in _FIELDS} | {"oracles": tuple(row["oracles"])}
    differences = unpack(row["halves"])
    if len(differences) != row["deals"]:
        raise ValueError(f"{len(differences)} differences of {row['deals']} deals")
    return MatchResult(**values, differences=differences)


class Store:
    """The rows of one file, which is made with the first of them.

    A last line without an end, which a run that was killed may leave, is dropped.

    Raises:
        EvaluationError: a line that is no row; the message names file and line.
        OSError: the file cannot be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.rows: dict[str, MatchResult] = {}
        if not self.path.parent.is_dir():
            raise EvaluationError(f"{self.path}: no folder {str(self.path.parent)!r} to write to")
        if self.path.exists() and not self.path.is_file():
            raise EvaluationError(f"{self.path} is not a file: name one to write results to")
        data = self.path.read_bytes() if self.path.exists() else b""
        self._whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[: self._whole].splitlines(), 1):
            self._read(number, line)

    def _read(self, number: int, line: bytes) -> None:
        try:
            row = json.loads(line)
            self.rows[_key(row)] = _result(row)
        except (ValueError, KeyError, TypeError, zlib.error) as error:
            raise EvaluationError(
                f"{self.path}:{number}: not a row of match results ({type(error).__name__}); "
                "give another file"
            ) from None

    def find(self, a: str, b: str, ruleset: Ruleset, seed: int, deals: int) -> MatchResult | None:
        """The match between agents of these names, if it has a row."""
        wanted = {"a": a, "b": b, "ruleset": ruleset_text(ruleset), "seed": seed, "deals": deals}
        made_by = {"version": __version__, "code": code_digest(), "files": files_of(a, b)}
        return self.rows.get(_key(wanted | made_by))

    def add(self, result: MatchResult) -> None:
        """Append a match."""
        row = row_of(result)
        with self.path.open("r+b" if self.path.exists() else "w+b") as file:
            file.truncate(self._whole)
            file.seek(self._whole)
            file.write(json.dumps(row).encode() + b"\n")
            self._whole = file.tell()
        self.rows[_key(row)] = result
