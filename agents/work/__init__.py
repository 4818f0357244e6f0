"""Independent pieces of work, done in this process, by several, or on a Ray cluster.

Whoever has work cuts it into pieces (:func:`cut`) and gives function and pieces to an executor,
whose :meth:`Executor.map` yields the results in the order of the pieces. A piece decides its result
alone, so results depend on no executor. :func:`open_executor` makes the one that ``--workers``
names.
"""

from .base import IN_PROCESS, Executor, InProcess, WorkError, cut
from .choice import AUTO, Auto, check_workers, open_executor
from .processes import Processes

__all__ = [
    "AUTO",
    "IN_PROCESS",
    "Auto",
    "Executor",
    "InProcess",
    "Processes",
    "WorkError",
    "check_workers",
    "cut",
    "open_executor",
]
