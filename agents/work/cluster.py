"""Pieces of work as tasks of a Ray cluster (Ray core, the extra ``ray``).

Ray gives a task whose worker or machine died to another. What Ray sends between its processes is
pickled, so a cluster has to be trusted; nothing is sent unless it is asked for. Every machine needs
this project in the same version, and sees files under the same paths.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from euchre_env._cores import cores, use_cores
from euchre_env._jit import source_digest

from .base import ATTEMPTS, Executor, Outcome, P, R, WorkError, attempt, failure, result_of

_WAITING = 3
"""Tasks handed to Ray for each of its cores, so that none is idle while results come in order."""
_SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_NUM_REDIS_GET_RETRIES": "2"}
"""Ray's own, where the user has not set them: nothing is reported to anybody, and a server that is
no Ray cluster is given up after one or two minutes instead of a quarter of an hour."""
_QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
_STORE_BYTES = 100_000_000
_OWN = ("euchre_env", __name__.partition(".")[0])
_SECONDS = 5.0
"""To be answered by the address of a cluster."""


class OnRay(Executor):
    """A task a piece on a Ray cluster, one core each.

    A program that has called ``ray.init`` itself keeps its connection. Otherwise this connects, and
    disconnects at the end: to the cluster at an address, or that ``RAY_ADDRESS`` names, or that
    runs on this machine; where there is none, one of this machine's cores is started.

    Args:
        address: HOST:PORT of a cluster that this machine is part of.

    Raises:
        WorkError: Ray is not installed, or the cluster cannot be reached.
    """

    def __init__(self, address: str | None = None) -> None:
        self._ray = _import_ray()
        self._ours = not self._ray.is_initialized()
        if self._ours:
            _connect(self._ray, address)
        self.workers = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._task = self._ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1)(_run)

    def map(self, function: Callable[[P], R], pieces: Sequence[P]) -> Generator[R, None, None]:
        """See :meth:`Executor.map`."""
        start = partial(self._task.remote, Home.here(), self._ray.put(function))
        waiting: deque[Any] = deque()
        try:
            for piece in pieces:
                waiting.append(start(piece))
                if len(waiting) >= _WAITING * self.workers:
                    yield self._next(waiting)
            while waiting:
                yield self._next(waiting)
        finally:
            if self._ray.is_initialized():  # else cancelling would start it again
                for task in waiting:
                    self._ray.cancel(task, force=True)

    def _next(self, waiting: deque[Any]) -> Any:
        """The result of the first task that waits; it waits no longer once it is there."""
        try:
            outcome = self._ray.get(waiting[0])
        except self._ray.exceptions.RayError as error:
            raise WorkError(_told(error)) from error
        waiting.popleft()
        return result_of(_with_place(outcome))

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        if self._ours:
            self._ray.shutdown()


def _import_ray() -> ModuleType:
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        return import_module("ray")
    except ImportError:
        raise WorkError('workers on a Ray cluster need it: pip install "euchre-env[ray]"') from None


def is_address(text: str) -> bool:
    """Whether a text is HOST:PORT."""
    host, _, port = text.rpartition(":")
    return bool(host) and "/" not in host and port.isdecimal() and int(port) < 65536


def _connect(ray: ModuleType, address: str | None) -> None:
    known = address or os.environ.get("RAY_ADDRESS", "")
    if is_address(known):
        _require_answer(known)
    if not _join(ray, known):
        _start(ray)


def _join(ray: ModuleType, known: str) -> bool:
    """Join a cluster; False where none was named and none runs on this machine."""
    try:
        ray.init(address=known or "auto", **_QUIET)
        return True
    except Exception as error:
        if not known and isinstance(error, ConnectionError):
            return False
        raise WorkError(
            f"the Ray cluster {known or 'of this machine'} cannot be joined ({_told(error)}): this "
            "machine has to be part of it (ray start --address=HOST:PORT), and to have its token "
            "(RAY_AUTH_MODE=token, and the file that 'ray get-auth-token' shows) if it has one"
        ) from error


def _start(ray: ModuleType) -> None:
    """Start a cluster of this machine alone; results are small, so is its store."""
    store = {"include_dashboard": False, "object_store_memory": _STORE_BYTES}
    try:
        ray.init(num_cpus=cores(), **store, **_QUIET)
    except Exception as error:
        ray.shutdown()
        raise WorkError(
            f"Ray could not be started on this machine ({_told(error)}): give a number of "
            "--workers instead, or start a cluster with 'ray start --head'"
        ) from error
    except BaseException:  # Ctrl-C leaves no half-started cluster
        ray.shutdown()
        raise


def _require_answer(address: str) -> None:
    """Raise WorkError unless something listens there: Ray itself would try for a long time."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS).close()
    except (OSError, ValueError) as error:
        raise WorkError(
            f"no Ray cluster answers at {address} ({error}): start one with 'ray start --head', "
            "or give the address that it told"
        ) from None


def _told(error: Exception) -> str:
    """The first line of what Ray says, which may be a page."""
    return next(iter(str(error).strip().splitlines()), "") or type(error).__name__


# --- on the machine that does the work ---------------------------------------------------------


@dataclass(frozen=True)
class Home:
    """Where the command runs.

    Attributes:
        host: The machine.
        folder: The working directory, to which paths are relative.
        digest: Of the sources that pieces run.
    """

    host: str
    folder: str
    digest: str

    @classmethod
    def here(cls) -> Home:
        """This machine, and the present folder."""
        return cls(socket.gethostname(), os.getcwd(), _digest())

    def enter(self) -> None:
        """Work in the same folder, where this machine has it, with the same sources.

        Raises:
            WorkError: this machine has other sources.
        """
        if self.digest != _digest():
            raise WorkError(
                "other sources than those of the command, or another Python or numba, so results "
                "could differ: install the same version everywhere"
            )
        with contextlib.suppress(OSError):
            os.chdir(self.folder)


def _digest() -> str:
    return source_digest(Path(__file__).resolve().parents[1])


def _run(home: Home, function: Callable[[P], R], piece: P) -> Outcome[R]:
    """Do a piece, one of several on this machine."""
    here = socket.gethostname()
    place = "" if here == home.host else here
    use_cores(1)
    try:
        home.enter()
    except WorkError as error:
        return failure(error, here)
    return attempt(function, piece, place)


def _with_place(outcome: Outcome[R]) -> Outcome[R]:
    """The outcome; an error of bad input on another machine names it and says what it needs."""
    error = outcome.error
    if not outcome.place or error is None or not _is_bad_input(error):
        return outcome
    told = WorkError(
        f"on the machine {outcome.place} of the Ray cluster: {error} (files, checkpoints too, have "
        "to be on a file system that all its machines share, under the same path)"
    )
    return Outcome(None, told, outcome.trace, outcome.place)


def _is_bad_input(error: Exception) -> bool:
    own = type(error).__module__.partition(".")[0] in _OWN
    return isinstance(error, OSError) or (isinstance(error, ValueError) and own)
