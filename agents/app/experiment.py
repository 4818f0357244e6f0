"""The verb ``experiment``: run the commands behind a table or a picture."""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from ..evaluation.experiments import (
    EUCHRE,
    Experiment,
    ExperimentError,
    finish,
    load_experiment,
    results_of,
    table_text,
)
from .cli import UsageError, understood
from .options import add_json

_ENDED = 128 + 15
"""The exit status of a process that was told to end."""


def add_experiment_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``experiment`` takes."""
    told = "rows of commands, as in configs/experiments"
    parser.add_argument("file", type=Path, metavar="FILE.yaml", help=told)
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("runs"),
        metavar="FOLDER",
        help="holds the experiment's own folder (default: %(default)s)",
    )
    parser.add_argument("--quick", action="store_true", help="shorten every row, to see it run")
    parser.add_argument(
        "--list", action="store_true", help="only tell the commands, and which are done"
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="of every command, in place of the file's"
    )
    add_json(parser)


def run_experiment(args: argparse.Namespace) -> int:
    """Run what is left, and print the table; status 1 where a command failed."""
    experiment = load_experiment(args.file, args.folder, args.quick, args.seed)
    check_commands(experiment)
    if args.list:
        results = results_of(experiment)
    else:
        results = _finish(experiment)
    if args.json:
        told = {"title": experiment.title, "folder": str(experiment.folder)}
        print(json.dumps({**told, "rows": results}))
    elif args.list:
        for row, result in zip(experiment.rows, results):
            print(f"{'done ' if result else 'to do'} {row.command}")
    else:
        print(table_text(experiment, results), end="")
    return int(not (args.list or all(results)))


def check_commands(experiment: Experiment) -> None:
    """Find a command that a verb does not understand before anything is run.

    Raises:
        ExperimentError: there is one; the message tells it and what is wrong.
    """
    for row in experiment.rows:
        if row.words[0] == EUCHRE:
            try:
                understood(row.words[1:])
            except UsageError as error:
                raise ExperimentError(f"{row.command!r}: {error}") from None


def _finish(experiment: Experiment) -> list[dict[str, object] | None]:
    try:
        with _ending_the_child():
            return finish(experiment, _say)
    except (KeyboardInterrupt, SystemExit):
        _say("the same experiment command goes on with this row and the rest")
        raise


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@contextlib.contextmanager
def _ending_the_child() -> Iterator[None]:
    """Let a process that is told to end (SIGTERM) end the command that it runs as well."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(_ENDED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
