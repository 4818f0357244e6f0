"""What workers do in tests. Little is imported, since each of them imports it too."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from agents.base import AgentError
from euchre_env._cores import cores


def square(number: int) -> int:
    return number * number


def process(_: int) -> int:
    return os.getpid()


def share(_: int) -> int:
    return cores()


def deaf(_: int) -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def die_once(flag: Path, number: int) -> int:
    """A square; the process that is the first to come to number 3 kills itself."""
    if number == 3 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return square(number)


def die_always(tries: Path, number: int) -> int:
    if number == 1:
        with tries.open("a") as file:
            file.write("x")
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refuse(number: int) -> int:
    if number == 2:
        raise AgentError("no such agent here")
    return number


class Sturdy(Exception):
    """Cannot be made anew from its text."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")


def fail(_: int) -> int:
    raise Sturdy("a", "b")


def dying_piece(flag: Path, contest: Any, piece: tuple[int, int]) -> Any:
    """What a match does with a piece; the process that comes to deal 100 first kills itself."""
    if piece[0] <= 100 < piece[1] and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    from agents.evaluation.match import _play_piece

    return _play_piece(contest, piece)
