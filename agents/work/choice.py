"""The executor that ``--workers`` names."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence

from euchre_env._cores import cores

from .base import Executor, InProcess, P, R, WorkError
from .cluster import OnRay, is_address
from .processes import Processes

AUTO = "auto"
RAY = "ray"
WORTH = 10.0
"""Seconds of work from which on processes are started, each of which takes a second or two."""
BUSY = 0.75
"""Share of all cores that work in one process has to keep busy, or else processes are started."""


class Auto(Executor):
    """Works in this process, and goes over to a process for each core if that will save time.

    That is where there is much to do and the work does not keep the cores busy by its own threads,
    as that of searching players does.

    Args:
        workers: Processes; one for each core unless given.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = cores() if workers is None else workers
        self._spent = self._computed = 0.0
        self._processes: Processes | None = None

    def map(self, function: Callable[[P], R], pieces: Sequence[P]) -> Generator[R, None, None]:
        """See :meth:`Executor.map`."""
        before = self._spent
        for number, piece in enumerate(pieces):
            one = (self._spent - before) / max(1, number)
            if self._processes is not None or self._is_worth_it(one * (len(pieces) - number)):
                yield from self._all_cores().map(function, pieces[number:])
                return
            yield self._timed(function, piece)

    def _timed(self, function: Callable[[P], R], piece: P) -> R:
        started = time.perf_counter(), time.process_time()
        result = function(piece)
        self._spent += time.perf_counter() - started[0]
        self._computed += time.process_time() - started[1]
        return result

    def _is_worth_it(self, left: float) -> bool:
        """Whether to start processes, with so many seconds of work left in one."""
        is_idle = self._computed < BUSY * self.workers * self._spent
        return self.workers > 1 and self._spent + left > WORTH and is_idle

    def _all_cores(self) -> Processes:
        if self._processes is None:
            self._processes = Processes(self.workers)
        return self._processes

    def close(self) -> None:
        """End the processes, if any were started."""
        if self._processes is not None:
            self._processes.close()


def check_workers(text: str) -> str:
    """The text, if it names workers: ``auto``, a number from 1, ``ray`` or ``ray:HOST:PORT``.

    Raises:
        WorkError: it does not.
    """
    place, colon, address = text.partition(":")
    if text == AUTO or (text.isdecimal() and int(text) > 0):
        return text
    if place == RAY and (not colon or is_address(address)):
        return text
    raise WorkError(
        f"workers={text!r}: give a number of processes from 1, {AUTO!r}, {RAY!r}, or the address "
        f"of a Ray cluster that this machine is part of, as in '{RAY}:10.0.0.1:6379'"
    )


def open_executor(workers: str = AUTO) -> Executor:
    """The executor of a text that :func:`check_workers` passes.

    Raises:
        WorkError: it does not pass, Ray is not installed, or its cluster cannot be reached.
    """
    place, _, address = check_workers(workers).partition(":")
    if place == RAY:
        return OnRay(address or None)
    if place == AUTO:
        return Auto()
    return Processes(int(place)) if int(place) > 1 else InProcess()
