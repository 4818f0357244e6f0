"""Worker processes on this machine. One that is killed is replaced, and its piece done again."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias, cast

from euchre_env._cores import cores, use_cores

from .base import ATTEMPTS, Executor, Outcome, P, R, WorkError, attempt, failure, result_of

Link: TypeAlias = "Connection[Any, Any]"
_SPAWN = multiprocessing.get_context("spawn")  # a fork after threads may hang
_PATIENCE = 5.0
"""Seconds for a process to end when it is told to."""


class Processes(Executor):
    """Processes of this machine that share its cores; each is started when there is work for it.

    They end with this process, however it ends. As for all of Python's ``multiprocessing``, a
    script that uses them starts its own work under ``if __name__ == "__main__":``.

    Args:
        workers: How many.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._all: dict[Link, _Worker] = {}

    def map(self, function: Callable[[P], R], pieces: Sequence[P]) -> Generator[R, None, None]:
        """See :meth:`Executor.map`; one call at a time."""
        work = _Work(function, pieces)
        try:
            for number in range(len(pieces)):
                self._hand_out(work)
                while number not in work.found:
                    self._collect(work)
                    self._hand_out(work)
                yield result_of(work.found.pop(number))
        finally:
            self._end([worker for worker in self._all.values() if worker.pieces])

    def close(self) -> None:
        """End the processes."""
        self._end(list(self._all.values()))

    def _end(self, workers: Sequence[_Worker]) -> None:
        for worker in workers:
            del self._all[worker.link]
        end_all(workers)

    def _hand_out(self, work: _Work) -> None:
        """Give workers pieces, if there are so many; a second one each while there are plenty.

        So none waits for this process between two short ones.
        """
        while work.todo and (worker := self._next_worker(len(work.todo))) is not None:
            number = work.begin()
            worker.pieces.append(number)
            function = None if worker.work is work else work.function  # it keeps the last one
            worker.work = work
            with contextlib.suppress(ConnectionError):  # it died, as its link will tell
                worker.link.send((function, work.pieces[number]))

    def _next_worker(self, pieces: int) -> _Worker | None:
        """Who gets the next of so many pieces: an idle worker, a new one, or one that has one."""
        held = min(self._all.values(), key=lambda w: len(w.pieces), default=None)
        if held is not None and not held.pieces:
            return held
        if len(self._all) < self.workers:
            worker = _Worker(cores() // self.workers)
            self._all[worker.link] = worker
            return worker
        return held if held is not None and len(held.pieces) < 2 and pieces > self.workers else None

    def _collect(self, work: _Work) -> None:
        """Wait for results and keep them; a worker that died has its pieces done by another."""
        for link in wait([link for link, worker in self._all.items() if worker.pieces]):
            worker = self._all[cast("Link", link)]
            try:
                work.found[worker.pieces[0]] = worker.link.recv()
            except (EOFError, OSError):
                self._end([worker])
                work.lost(worker.pieces, worker.process.exitcode)
            else:
                worker.pieces.popleft()


class _Work:
    """The pieces of one call of :meth:`Processes.map`, those yet to be begun and what was found."""

    def __init__(self, function: Callable[..., Any], pieces: Sequence[Any]) -> None:
        self.function, self.pieces = function, pieces
        self.todo = deque(range(len(pieces)))
        self.begun = [0] * len(pieces)
        self.found: dict[int, Outcome[Any]] = {}

    def begin(self) -> int:
        """The number of the next piece."""
        number = self.todo.popleft()
        self.begun[number] += 1
        return number

    def lost(self, numbers: Sequence[int], status: int | None) -> None:
        """Put pieces whose worker died back to the front, unless the first has lost too many."""
        first, *others = numbers
        if self.begun[first] >= ATTEMPTS:
            raise WorkError(
                f"a worker process died on the same piece of work {ATTEMPTS} times, at last with "
                f"exit status {status}: if memory is short, give fewer --workers"
            )
        for number in others:
            self.begun[number] -= 1  # it was not begun
        self.todo.extendleft(reversed(numbers))


class _Worker:
    """A process, the link to it, and the numbers of the pieces that it has, in their order.

    ``work`` is what they are pieces of.
    """

    def __init__(self, share: int) -> None:
        self.link, far = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=_serve, args=(far, share), daemon=True)
        with _ctrl_c_held_back():
            self.process.start()
        far.close()  # so that its death is seen as the end of the link
        self.pieces: deque[int] = deque()
        self.work: _Work | None = None


@contextlib.contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Put Ctrl-C off until the end; what is started meanwhile never gets it.

    A terminal sends it to all of its processes. The mask is inherited by what this thread starts;
    another thread of this process may take the signal nevertheless, and Python would raise here.
    """
    resource_tracker.ensure_running()  # where it is started meanwhile it lifts the mask
    if threading.current_thread() is not threading.main_thread():
        with _ctrl_c_masked():
            yield
        return
    pressed: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        with _ctrl_c_masked():
            yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if pressed:
        signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def _ctrl_c_masked() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(link: Link, share: int) -> None:
    """Do pieces for as long as there is somebody at the other end."""
    if not hasattr(signal, "pthread_sigmask"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    use_cores(share)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    function: Any = None
    try:
        while True:
            try:
                given, piece = link.recv()
                function = function if given is None else given
            except (EOFError, OSError):
                raise
            except Exception as error:  # what was sent cannot be made anew here
                link.send(failure(error))
            else:
                link.send(attempt(function, piece))
    except (EOFError, OSError):
        return


def _end_with_parent() -> None:
    """End this process at once when the one that started it ends, killed or not."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def end_all(workers: Sequence[_Worker]) -> None:
    """End some processes, first asking, then not."""
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join(_PATIENCE)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.link.close()
