"""Options that several verbs share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

from ..work import AUTO, Executor, WorkError, check_workers, open_executor

PRESET = "stick"
"""The rule set of every verb that plays, unless told otherwise."""


def positive(text: str) -> float:
    """A type for argparse: a finite number above zero."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} must be a number above zero")
    return number


def whole(text: str) -> int:
    """A type for argparse: a whole number above zero."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} must be a whole number above zero")
    return number


def add_ruleset(parser: argparse.ArgumentParser, default: str = PRESET) -> None:
    """Add ``--ruleset``."""
    parser.add_argument(
        "--ruleset",
        default=default,
        metavar="RULES",
        help="preset, file or key=value,... (default: %(default)s)",
    )


def workers(text: str) -> str:
    """A type for argparse: who shares the work, as :func:`.work.open_executor` takes it."""
    try:
        return check_workers(text)
    except WorkError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add ``--workers``."""
    parser.add_argument(
        "--workers",
        type=workers,
        default=AUTO,
        metavar="WHO",
        help="who shares the work, which changes no result: a number of processes; 'ray' or "
        "'ray:HOST:PORT', a Ray cluster; 'auto', a process for each core where there is much to "
        "do (default: %(default)s)",
    )


@contextmanager
def opened(workers: str) -> Iterator[Executor]:
    """The executor that ``--workers`` names. Standard output is kept for results meanwhile.

    Ray prints there what it has to tell of workers that died.
    """
    with redirect_stdout(sys.stderr), open_executor(workers) as executor:
        yield executor


def list_agents(parser: argparse.ArgumentParser) -> None:
    """List the agents that may be named below the help."""
    from .. import available

    forms = "; ".join(f"{form} - {text}" for form, text in available().items())
    parser.epilog = f"agents: {forms}"


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print one line of JSON")


def add_seed(parser: argparse.ArgumentParser, of: str = "") -> None:
    """Add ``--seed``, which every verb takes; ``of`` says what it seeds."""
    told = f"of {of} (default: 1)" if of else "taken by every verb; nothing is drawn here"
    parser.add_argument("--seed", type=int, default=1, metavar="N", help=told)
