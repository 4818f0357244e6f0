"""The ``euchre`` command.

A verb is one line of :data:`VERBS`. Its module, imported only when the verb is asked for, has
``add_VERB_arguments(parser)`` and ``run_VERB(args)``, which returns the exit status. What a verb
raises for bad input (an error class of this project derived from ValueError, or OSError) becomes
one line on stderr and status 2.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import FrameType
from typing import Any, NamedTuple, NoReturn

BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
_OWN = ("euchre_env", __name__.partition(".")[0])


class Verb(NamedTuple):
    """The module of a verb, relative to this package, and what the verb does in a few words."""

    module: str
    help: str


VERBS: dict[str, Verb] = {
    "demo": Verb(".demo", "tell one hand in colour, play a small match, and say what to do next"),
    "play": Verb(".play", "take a seat at a table in the terminal"),
    "watch": Verb(".watch", "watch agents play at a pace"),
    "serve": Verb(".serve", "open the table as a web page on this machine"),
    "review": Verb(".review", "judge every decision of recorded games, and list the blunders"),
    "cases": Verb(".cases", "run files of rule cases against the engine"),
    "record": Verb(".record", "verify, score or convert recorded games (.egn, .jsonl)"),
    "analyse": Verb(".analyse", "tell what each card of recorded games cost, all cards seen"),
    "rules": Verb(".rules", "show the options, or tell a rule set in words and as YAML"),
    "match": Verb(".match", "let two agents play duplicate deals and measure the difference"),
    "ladder": Verb(".match", "let every pair of agents play and rate them"),
    "crossplay": Verb(".crossplay", "let every two agents be partners and measure what they lose"),
    "exploit": Verb(".exploit", "train a pair against a frozen agent and measure what it gains"),
    "report": Verb(".report", "measure an agent and write its model card"),
    "experiment": Verb(".experiment", "run the commands behind a table, and keep their results"),
    "sweep": Verb(".sweep", "train every combination of some settings and rank the results"),
    "generate": Verb(".generate", "write self-play as data: rows, records, or a Minari data set"),
    "agree": Verb(".agree", "compare an agent's decisions with those of recorded players"),
    "stats": Verb(".match", "show how an agent plays: shares by outcome and by seat"),
    "equity": Verb(".equity", "show the chance to win the game from every score"),
    "bench": Verb(".bench", "measure the speed of the engine"),
    "doctor": Verb(".doctor", "check the installation"),
}


class UsageError(ValueError):
    """A command line that cannot be understood."""


class _Parser(argparse.ArgumentParser):
    """A parser that reports a wrong command line like any other bad input."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def usage() -> str:
    """The overview of all verbs."""
    width = max(map(len, VERBS))
    lines = [f"  {name.ljust(width)}  {verb.help}" for name, verb in VERBS.items()]
    head = ["usage: euchre VERB ...", "", "Euchre: the game, its players, and how strong they are."]
    return "\n".join([*head, "", *lines, "", "`euchre VERB --help` tells the options of a verb."])


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit status: 0, 1 for a negative finding, 2 for bad input."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    with _noting_ctrl_c() as pressed:
        try:
            status = _run(arguments)
            if sys.stdout is not None:  # a shell may have closed it: euchre VERB >&-
                sys.stdout.flush()
            return status
        except BrokenPipeError:
            _drop_output()
            return BROKEN_PIPE
        except KeyboardInterrupt:
            return _interrupted()
        except Exception as error:
            if pressed:
                return _interrupted()
            if not _is_bad_input(error):
                raise
            print(f"euchre: error: {_one_line(error)}", file=sys.stderr)
            return BAD_INPUT


@contextlib.contextmanager
def _noting_ctrl_c() -> Iterator[list[int]]:
    """A list that grows with each Ctrl-C.

    A compiler that is interrupted loses KeyboardInterrupt on its way and fails with an error of its
    own, which is then none of ours.
    """
    pressed: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        signal.default_int_handler(number, frame)

    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not (is_usual and threading.current_thread() is threading.main_thread()):
        yield pressed
        return
    hook = sys.unraisablehook
    signal.signal(signal.SIGINT, note)
    sys.unraisablehook = lambda lost: hook(lost) if not _is_ctrl_c(lost.exc_type) else None
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = hook


def _is_ctrl_c(kind: type[BaseException]) -> bool:
    return issubclass(kind, KeyboardInterrupt)


def _interrupted() -> int:
    print("euchre: interrupted", file=sys.stderr)
    return INTERRUPTED


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(usage())
        return 0 if arguments else BAD_INPUT
    if arguments[0] == "--version":
        from euchre_env import __version__

        print(__version__)
        return 0
    try:
        run, options = understood(arguments)
    except SystemExit as stop:  # --help
        return int(stop.code or 0)
    return run(options)


def understood(arguments: Sequence[str]) -> tuple[Callable[[argparse.Namespace], int], Any]:
    """The function of a verb and the options to call it with, given the verb and its arguments.

    Raises:
        UsageError: no such verb, or arguments that it does not take.
        SystemExit: the help was asked for, and printed.
    """
    name = arguments[0] if arguments else ""
    if name not in VERBS:
        raise UsageError(f"no verb is called {name!r}: the verbs are {', '.join(VERBS)}")
    module = import_module(VERBS[name].module, __package__)
    parser = _Parser(prog=f"euchre {name}", description=f"{VERBS[name].help}.".capitalize())
    getattr(module, f"add_{name}_arguments")(parser)
    run: Callable[[argparse.Namespace], int] = getattr(module, f"run_{name}")
    return run, parser.parse_args(arguments[1:])


def _is_bad_input(error: Exception) -> bool:
    """Whether an error is the user's to mend; any other is a bug and keeps its traceback."""
    own = type(error).__module__.partition(".")[0] in _OWN or isinstance(error, UsageError)
    return isinstance(error, OSError) or (isinstance(error, ValueError) and own)


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


def _drop_output() -> None:
    """Let Python flush to nowhere at exit, since the reader of our output has gone."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError):
        pass


if __name__ == "__main__":
    sys.exit(main())
