"""A sample of all that was ever added, each row as likely to be in it."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
import torch


class Reservoir:
    """Rows of bytes, kept by reservoir sampling (Vitter 1985, algorithm R).

    Args:
        size: The most rows that are kept.
        width: Bytes of a row.

    Attributes:
        rows: uint8[size, width], of which the first ``len(self)`` are set.
        seen: Rows added so far.
    """

    def __init__(self, size: int, width: int) -> None:
        self.rows = np.zeros((size, width), np.uint8)
        self.seen = 0

    def __len__(self) -> int:
        """The number of rows kept."""
        return min(self.seen, len(self.rows))

    def add(self, rng: np.random.Generator, rows: npt.NDArray[np.uint8]) -> None:
        """Add rows, uint8[n, width], one after another."""
        number = self.seen + np.arange(len(rows))
        drawn = (rng.random(len(rows)) * (number + 1)).astype(np.int64)
        place = np.where(number < len(self.rows), number, drawn)
        kept = place < len(self.rows)
        self.rows[place[kept]] = rows[kept]  # of two in one place the later one stays
        self.seen += len(rows)

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps: the rows, compressed."""
        packed = zlib.compress(self.rows[: len(self)].tobytes(), 1)
        return {"seen": self.seen, "rows": torch.frombuffer(bytearray(packed), dtype=torch.uint8)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` gave.

        Raises:
            ValueError: the rows are damaged, or of another width or number.
        """
        self.seen = int(state["seen"])
        try:
            data = zlib.decompress(state["rows"].numpy().tobytes())
        except zlib.error as error:
            raise ValueError(f"the reservoir is damaged: {error}") from None
        found = np.frombuffer(data, np.uint8).reshape(-1, self.rows.shape[1])
        if len(found) != len(self):
            raise ValueError(f"the reservoir holds {len(found)} rows, not {len(self)}")
        self.rows[: len(found)] = found
