"""Data sets of decisions: a manifest, files of rows, and batches of arrays for offline learning.

``euchre generate`` writes them. The manifest, a JSON file beside the rows, says who played, by
which rules, and what the columns hold; it grows with every file of rows (a shard) that is finished,
so a run that was broken off leaves a data set that can be read and gone on with.

>>> from euchre_env.dataset import DataSet          # doctest: +SKIP
>>> for batch in DataSet.open("selfplay.npy").batches(256, seed=1):
...     batch["observation"], batch["action_mask"], batch["action"], batch["reward"]
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ._check import check_int
from ._files import digest_of, write_whole
from .encoding import layout_hash
from .rowfiles import PROBABILITIES, DataError, Rows, read_rows, row_dtype
from .ruleset import Ruleset, RulesetError

__all__ = ["Batch", "DataError", "DataSet", "manifest_path", "read_manifest", "write_manifest"]

FORMAT, VERSION = "euchre-dataset", 1
_ENDING = ".manifest.json"
_KEYS: dict[str, type] = {
    "layout": str,
    "agents": list,
    "rulesets": list,
    "probabilities": bool,
    "seed": int,
    "hands": int,
    "shards": list,
}
_SHARD_KEYS: dict[str, type] = {"file": str, "first": int, "hands": int, "rows": int, "sha256": str}

Batch = dict[str, npt.NDArray[Any]]
"""Columns by name, all with the rows along the first axis."""


# --- the manifest ------------------------------------------------------------------------------


def manifest_path(out: str | Path) -> Path:
    """Where the manifest of a data set lies, given that path or the one of its rows."""
    out = Path(out)
    return out if out.name.endswith(_ENDING) else out.with_name(out.name + _ENDING)


def write_manifest(path: Path, manifest: dict[str, Any]) -> None:
    """Write a manifest, whole or not at all."""
    told = {"format": FORMAT, "version": VERSION, **manifest}
    write_whole(path, (json.dumps(told, indent=1) + "\n").encode())


def read_manifest(path: Path) -> dict[str, Any]:
    """A manifest, its keys checked.

    Raises:
        DataError: not a manifest, or of another version; the message names file and key.
        OSError: the file cannot be read.
    """
    try:
        found = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: no manifest of a data set ({error})") from None
    if not isinstance(found, dict) or (found.get("format"), found.get("version")) != (
        FORMAT,
        VERSION,
    ):
        raise DataError(f"{path}: no manifest of a data set of version {VERSION}")
    _check_keys(path, found, _KEYS)
    for shard in found["shards"]:
        _check_keys(path, shard, _SHARD_KEYS)
        if Path(shard["file"]).name != shard["file"]:
            raise DataError(f"{path}: shard {shard['file']!r} does not lie beside the manifest")
    return found


def _check_keys(path: Path, found: Any, keys: dict[str, type]) -> None:
    for key, kind in keys.items():
        if not isinstance(found, dict) or type(found.get(key)) is not kind:
            raise DataError(f"{path}: key {key!r} is missing or is no {kind.__name__}")


# --- the data set ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class DataSet:
    """Rows of decisions in one or several files.

    Attributes:
        path: The manifest.
        manifest: What it says.
    """

    path: Path
    manifest: dict[str, Any]

    @classmethod
    def open(cls, path: str | Path) -> DataSet:
        """The data set whose rows were written as ``path``, or whose manifest it is.

        A data set that is not complete opens with the shards that are there.

        Raises:
            DataError: no data set, or one whose observations have another layout.
            OSError: the manifest cannot be read.
        """
        where = manifest_path(path)
        manifest = read_manifest(where)
        if manifest["layout"] != layout_hash():
            raise DataError(
                f"{where}: its observations have layout {manifest['layout']}, this version reads "
                f"{layout_hash()}: generate it again, or use the version that wrote it"
            )
        return cls(where, manifest)

    def __len__(self) -> int:
        """The number of rows."""
        return sum(shard["rows"] for shard in self.manifest["shards"])

    @property
    def complete(self) -> bool:
        """Whether all hands that were asked for are there."""
        return sum(s["hands"] for s in self.manifest["shards"]) == self.manifest["hands"]

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents, by the column ``agent``."""
        return tuple(self.manifest["agents"])

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """The rule sets, by the column ``ruleset``.

        Raises:
            DataError: the manifest names one that cannot be.
        """
        try:
            return tuple(Ruleset.from_dict(r) for r in self.manifest["rulesets"])
        except RulesetError as error:
            raise DataError(f"{self.path}: key 'rulesets': {error}") from None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(row_dtype(self.manifest["probabilities"]).names or ())

    def shards(self) -> Iterator[Rows]:
        """The rows of each file in turn, in order of hand and step; ``.npy`` files are mapped.

        Raises:
            DataError: a file that does not hold the rows that the manifest tells of.
            OSError: a file cannot be read.
        """
        for number in range(len(self.manifest["shards"])):
            yield self.shard(number)

    def shard(self, number: int) -> Rows:
        """The rows of one file; errors as for :meth:`shards`."""
        told = self.manifest["shards"][number]
        path = self.path.parent / told["file"]
        rows = read_rows(path, self.manifest["probabilities"])
        if len(rows) != told["rows"]:
            raise DataError(f"{path}: {len(rows)} rows, the manifest says {told['rows']}")
        return rows

    def verify(self) -> None:
        """Compare every file with the digest in the manifest.

        Raises:
            DataError: a file is not as it was written.
            OSError: a file cannot be read.
        """
        for told in self.manifest["shards"]:
            path = self.path.parent / told["file"]
            if digest_of(path) != told["sha256"]:
                raise DataError(f"{path}: not as it was written: generate it again")

    def batches(
        self,
        size: int,
        seed: int | None = None,
        columns: Sequence[str] | None = None,
        part: tuple[int, int] = (0, 1),
    ) -> Iterator[Batch]:
        """The rows once, in batches of arrays that are copies.

        Args:
            size: Rows in a batch; the last one of each shard may be smaller.
            seed: Of the order: shards in random order, and the rows of each shuffled. None keeps
                the order of the hands.
            columns: The columns wanted; all unless given.
            part: ``(k, n)`` gives every n-th batch from number k on: n readers share a pass.

        Raises:
            DataError: an unknown column, a bad part, or a file that cannot be understood.
            ValueError: a size below 1.
            OSError: a file cannot be read.
        """
        check_int("size", size, 1)
        names = self._checked(columns)
        if not 0 <= part[0] < part[1]:
            raise DataError(f"part={part} is none: give (k, n) with k from 0 to n - 1")
        return self._batches(size, seed, names, part)

    def _checked(self, columns: Sequence[str] | None) -> tuple[str, ...]:
        names = self.columns if columns is None else tuple(columns)
        for name in names:
            if name not in self.columns:
                why = " (no agent of this set gives any)" if name == PROBABILITIES else ""
                known = ", ".join(self.columns)
                raise DataError(f"{self.path}: no column {name!r}{why}: known are {known}")
        return names

    def _batches(
        self, size: int, seed: int | None, names: tuple[str, ...], part: tuple[int, int]
    ) -> Iterator[Batch]:
        dice = None if seed is None else np.random.default_rng(seed % 2**64)
        numbers = np.arange(len(self.manifest["shards"]))
        number = 0
        for shard in (numbers if dice is None else dice.permutation(numbers)).tolist():
            rows = self.shard(shard)
            order = None if dice is None else dice.permutation(len(rows))
            for start in range(0, len(rows), size):
                number += 1
                if (number - 1) % part[1] != part[0]:
                    continue
                where = slice(start, start + size) if order is None else order[start : start + size]
                picked = np.array(rows[where])
                yield {name: np.ascontiguousarray(picked[name]) for name in names}
