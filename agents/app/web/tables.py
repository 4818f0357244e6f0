"""The tables that are open: found by ids that nobody can guess, closed when left alone."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable

from .fields import Refusal
from .live import LiveTable

MOST_TABLES = 500
IDLE = 6 * 3600.0
"""Seconds after which a table that nobody looked at is closed."""
ID_BYTES = 16


class Tables:
    """Open tables by id, the longest unused first.

    Args:
        most: How many may be open.
        idle: Seconds after which an unused one is closed.
        clock: Seconds that only go forward.
    """

    def __init__(
        self,
        most: int = MOST_TABLES,
        idle: float = IDLE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most, self.idle, self._clock = most, idle, clock
        self._open: OrderedDict[str, tuple[float, LiveTable]] = OrderedDict()

    def __len__(self) -> int:
        """How many are open."""
        self._close_idle()
        return len(self._open)

    def require_room(self) -> None:
        """Refuse, 503, where no more tables may be opened."""
        if len(self) >= self.most:
            raise Refusal(503, f"All {self.most} tables are taken: close one, or try again later.")

    def add(self, table: LiveTable) -> str:
        """Open a table; its id."""
        self.require_room()
        name = secrets.token_urlsafe(ID_BYTES)
        self._open[name] = (self._clock(), table)
        return name

    def get(self, name: str) -> LiveTable:
        """The table of an id; Refusal 404 where there is none (any more)."""
        self._close_idle()
        if name not in self._open:
            hours = self.idle / 3600
            raise Refusal(
                404,
                "There is no such table: it was closed, the server was started anew, "
                f"or nobody looked at it for {hours:g} hours.",
            )
        table = self._open[name][1]
        self._open[name] = (self._clock(), table)
        self._open.move_to_end(name)
        return table

    def close(self, name: str) -> None:
        """Close a table; Refusal 404 as for :meth:`get`."""
        self.get(name)
        del self._open[name]

    def _close_idle(self) -> None:
        late = self._clock() - self.idle
        while self._open and next(iter(self._open.values()))[0] < late:
            self._open.popitem(last=False)
