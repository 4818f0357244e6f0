"""What an executor is, the one that works in this process, and how work is cut into pieces."""

from __future__ import annotations

import copy
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, TypeVar

P = TypeVar("P")
R = TypeVar("R")

ATTEMPTS = 4
"""How often a piece is begun, at most, if the worker that has it dies each time."""
_PIECES_PER_WORKER = 8
_LEAST = 64
"""No smaller pieces, if there is a choice: each costs some milliseconds."""


class WorkError(ValueError):
    """Work that cannot be done where it was to be done."""


class Executor(ABC):
    """Where pieces of work are done; a context that ends its workers.

    Attributes:
        workers: How many pieces are worked on at once.
    """

    workers: int = 1

    @abstractmethod
    def map(self, function: Callable[[P], R], pieces: Sequence[P]) -> Generator[R, None, None]:
        """What the function makes of each piece, in the order of the pieces.

        Function and pieces are pickled where they leave this process, so the function is one of a
        module, or a ``partial`` of one. A piece whose worker died is given to another.

        Raises:
            WorkError: a piece lost its worker :data:`ATTEMPTS` times, or no worker can be had.
            Exception: what the function raised, at the place of its piece.
        """

    def close(self) -> None:  # noqa: B027 - there may be none
        """End the workers, whatever they are at."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class InProcess(Executor):
    """Does one piece after the other in this process, each when its result is asked for."""

    def map(self, function: Callable[[P], R], pieces: Sequence[P]) -> Generator[R, None, None]:
        """See :meth:`Executor.map`; nothing is pickled."""
        for piece in pieces:
            yield function(piece)


IN_PROCESS = InProcess()


def cut(start: int, stop: int, most: int, workers: int = 1) -> list[tuple[int, int]]:
    """The range from ``start`` to ``stop`` as ranges (start, stop) in order.

    One worker gets as few as can be. Several get some each, so that none waits long for the last.

    Args:
        start: The first number.
        stop: The number after the last.
        most: Numbers in a piece, at most.
        workers: Who share the work.
    """
    size = most
    if workers > 1:
        size = min(most, max(_LEAST, -(-(stop - start) // (_PIECES_PER_WORKER * workers))))
    return [(at, min(at + size, stop)) for at in range(start, stop, size)]


# --- what comes back from another process ------------------------------------------------------


class WorkerTraceback(Exception):
    """Where an error arose in another process, as text; the cause of what is raised here."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


@dataclass(frozen=True)
class Outcome(Generic[R]):
    """What came of a piece in another process.

    Attributes:
        result: The result, unless there is an
        error: that the function raised, and
        trace: where, as text.
        place: The machine.
    """

    result: R | None
    error: Exception | None = None
    trace: str = ""
    place: str = ""


def attempt(function: Callable[[P], R], piece: P, place: str = "") -> Outcome[R]:
    """Do a piece and keep what it raises."""
    try:
        return Outcome(function(piece), place=place)
    except Exception as error:
        return failure(error, place)


def failure(error: Exception, place: str = "") -> Outcome[R]:
    """The outcome of a piece that raised an error, which is being handled."""
    return Outcome(None, _portable(error), traceback.format_exc(), place)


def _portable(error: Exception) -> Exception:
    """The error, or one that tells of it where it could not be made anew in another process."""
    try:
        return copy.deepcopy(error)
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")


def result_of(outcome: Outcome[R]) -> R:
    """The result of a piece, or its error raised here."""
    if outcome.error is not None:
        raise outcome.error from WorkerTraceback(outcome.trace)
    return outcome.result  # type: ignore[return-value]
