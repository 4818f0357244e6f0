"""Rows of decisions in files: NumPy arrays that can be memory-mapped, JSON lines, Parquet.

A row is one decision: what the seat saw, what it could do, what it did, and what came of it. The
same rows go into every format and come back equal. No format holds a pickle.

``.npy``
    A structured array of :func:`row_dtype`, read in place (:func:`numpy.load` with ``mmap_mode``).
``.jsonl``
    One JSON object a line. ``observation`` is base64 of the deflated bytes (zlib), ``legal`` the
    ids of the legal actions, ``probabilities`` those of the legal actions in the same order.
``.parquet``
    A column for each field, fixed-size lists for the arrays; needs pyarrow.
"""

from __future__ import annotations

import base64
import io
import json
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._files import write_whole
from .encoding import OBSERVATION_SIZE
from .rules import N_ACTIONS, PHASES

Rows = npt.NDArray[np.void]

_SCALARS: tuple[tuple[str, type[np.generic]], ...] = (
    ("hand", np.int64),
    ("step", np.uint8),
    ("seat", np.uint8),
    ("agent", np.uint8),
    ("phase", np.uint8),
    ("ruleset", np.uint16),
    ("action", np.uint8),
    ("last", np.bool_),
    ("reward", np.float32),
)
_ARRAYS: tuple[tuple[str, type[np.generic], int], ...] = (
    ("observation", np.uint8, OBSERVATION_SIZE),
    ("action_mask", np.int8, N_ACTIONS),
)
PROBABILITIES = "probabilities"

COLUMNS: dict[str, str] = {
    "hand": "number of the hand in the data set",
    "step": "number of the decision in the hand, forced ones counted, from 0",
    "seat": "the seat that decided, 0 North to 3 West",
    "agent": "who decided: an index of the manifest's `agents`",
    "phase": "an index of the manifest's `phases`",
    "ruleset": "an index of the manifest's `rulesets`",
    "action": "what was done, an id of the trump-relative frame",
    "last": "whether the seat has no later row in the hand",
    "reward": "net points of the seat's team at the end of the hand, in every row",
    "observation": "what the seat saw, trump-relative",
    "action_mask": "what it could do: 1 for each legal action",
    PROBABILITIES: "how likely the agent was to do what; not a number where it does not say",
}
"""Every column, and what it holds."""


class DataError(ValueError):
    """A data set that cannot be read or written; the message names the file and what would do."""


def row_dtype(probabilities: bool = False) -> np.dtype[np.void]:
    """The dtype of a row; the column of probabilities, float32[38], is there only if asked for."""
    fields: list[Any] = [*_SCALARS, *((name, kind, (size,)) for name, kind, size in _ARRAYS)]
    if probabilities:
        fields.append((PROBABILITIES, np.float32, (N_ACTIONS,)))
    return np.dtype(fields)


# --- .npy --------------------------------------------------------------------------------------


def _npy_bytes(rows: Rows) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, rows, allow_pickle=False)
    return buffer.getvalue()


def _read_npy(path: Path, dtype: np.dtype[np.void]) -> Rows:
    try:
        rows: Rows = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise DataError(f"{path}: no array of rows ({error})") from None
    if rows.dtype != dtype or rows.ndim != 1:
        raise DataError(f"{path}: an array of another kind, not of rows of this data set")
    return rows


# --- .jsonl ------------------------------------------------------------------------------------


def _jsonl_bytes(rows: Rows) -> bytes:
    return "".join(map(_line, rows)).encode("ascii")


def _line(row: Any) -> str:
    legal = np.flatnonzero(row["action_mask"])
    deflated = zlib.compress(row["observation"].tobytes(), 6)
    told: dict[str, Any] = {name: row[name].item() for name, _ in _SCALARS}
    told["phase"] = PHASES[told["phase"]]
    told |= {"legal": legal.tolist(), "observation": base64.b64encode(deflated).decode("ascii")}
    if PROBABILITIES in row.dtype.names:
        chances = row[PROBABILITIES]
        told[PROBABILITIES] = None if np.isnan(chances[0]) else chances[legal].tolist()
    return json.dumps(told, separators=(",", ":")) + "\n"


def _read_jsonl(path: Path, dtype: np.dtype[np.void]) -> Rows:
    lines = path.read_bytes().splitlines()
    rows = np.zeros(len(lines), dtype)
    for number, line in enumerate(lines):
        try:
            _fill(rows[number], json.loads(line))
        except (ValueError, KeyError, TypeError, IndexError, OverflowError, zlib.error) as error:
            raise DataError(
                f"{path}:{number + 1}: no row of this data set ({type(error).__name__}: {error})"
            ) from None
    return rows


def _fill(row: Any, told: dict[str, Any]) -> None:
    for name, _ in _SCALARS:
        row[name] = PHASES.index(told[name]) if name == "phase" else told[name]
    inflater = zlib.decompressobj()
    data = inflater.decompress(base64.b64decode(told["observation"]), OBSERVATION_SIZE + 1)
    row["observation"] = np.frombuffer(data, np.uint8)
    legal = np.array(told["legal"], np.int64)
    if ((legal < 0) | (legal >= N_ACTIONS)).any():
        raise ValueError(f"legal={told['legal']} are no actions")
    row["action_mask"][legal] = 1
    if PROBABILITIES in row.dtype.names:
        chances = told[PROBABILITIES]
        row[PROBABILITIES] = np.nan if chances is None else 0
        if chances is not None:
            row[PROBABILITIES][legal] = chances


# --- .parquet ----------------------------------------------------------------------------------


def _arrow() -> tuple[ModuleType, ModuleType]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise DataError(
            'Parquet needs pyarrow: pip install "euchre-env[parquet]", or write .npy or .jsonl'
        ) from None


def _parquet_bytes(rows: Rows) -> bytes:
    arrow, parquet = _arrow()
    columns = {name: _column(arrow, rows[name]) for name in rows.dtype.names or ()}
    buffer = io.BytesIO()
    parquet.write_table(arrow.table(columns), buffer, compression="zstd")
    return buffer.getvalue()


def _column(arrow: ModuleType, values: Any) -> Any:
    flat = arrow.array(np.ascontiguousarray(values).reshape(-1))
    if values.ndim == 1:
        return flat
    return arrow.FixedSizeListArray.from_arrays(flat, values.shape[1])


def _read_parquet(path: Path, dtype: np.dtype[np.void]) -> Rows:
    arrow, parquet = _arrow()
    try:
        table = parquet.read_table(path)
        rows = np.zeros(table.num_rows, dtype)
        for name in dtype.names or ():
            column = table.column(name).combine_chunks()
            flat = column.flatten() if rows[name].ndim > 1 else column
            rows[name] = flat.to_numpy(zero_copy_only=False).reshape(rows[name].shape)
    except (arrow.ArrowException, KeyError, ValueError, TypeError) as error:
        raise DataError(f"{path}: no Parquet file of this data set ({error})") from None
    return rows


# --- all formats -------------------------------------------------------------------------------


class _Format(NamedTuple):
    write: Callable[[Rows], bytes]
    read: Callable[[Path, np.dtype[np.void]], Rows]


_FORMATS = {
    ".npy": _Format(_npy_bytes, _read_npy),
    ".jsonl": _Format(_jsonl_bytes, _read_jsonl),
    ".parquet": _Format(_parquet_bytes, _read_parquet),
}
SUFFIXES = tuple(_FORMATS)


def check_suffix(path: Path) -> None:
    """Raise DataError unless a file's ending names a format that can be used here."""
    if path.suffix not in _FORMATS:
        raise DataError(f"{path}: name a file that ends in {', '.join(SUFFIXES)}")
    if path.suffix == ".parquet":
        _arrow()


def rows_as_bytes(rows: Rows, suffix: str) -> bytes:
    """Rows in the format that a suffix names."""
    return _FORMATS[suffix].write(rows)


def write_rows(path: Path, rows: Rows) -> None:
    """Write rows in the format of the file's ending, whole or not at all.

    Raises:
        DataError: another ending, or Parquet without pyarrow.
        OSError: the file cannot be written.
    """
    check_suffix(path)
    write_whole(path, rows_as_bytes(rows, path.suffix))


def read_rows(path: Path, probabilities: bool = False) -> Rows:
    """The rows of one file, of :func:`row_dtype`; of an ``.npy`` file a memory map.

    Args:
        path: The file; its ending tells the format.
        probabilities: Whether it has that column.

    Raises:
        DataError: another ending, or no file of such rows; the message names it.
        OSError: the file cannot be read.
    """
    check_suffix(path)
    return _FORMATS[path.suffix].read(path, row_dtype(probabilities))
