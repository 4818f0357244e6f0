"""Options that several verbs share."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def count_from(low: int) -> Callable[[str], int]:
    """A type for argparse: a whole number of at least ``low``."""

    def parse(text: str) -> int:
        number = int(text)
        if number < low:
            raise argparse.ArgumentTypeError(f"{text} must be a whole number of at least {low}")
        return number

    parse.__name__ = "whole number"  # argparse says: invalid whole number value
    return parse


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print one line of JSON")


def add_seed(parser: argparse.ArgumentParser, of: str = "") -> None:
    """Add ``--seed``, which every verb takes; ``of`` says what it seeds."""
    told = f"of {of} (default: 1)" if of else "taken by every verb; nothing is drawn here"
    parser.add_argument("--seed", type=count_from(0), default=1, metavar="N", help=told)
