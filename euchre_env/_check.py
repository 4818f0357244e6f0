"""Checks of arguments for every entrance of the package: one wording, always a ValueError."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard, TypeVar

import numpy as np

T = TypeVar("T")

LARGEST = 2**63 - 1
"""The largest number that compiled code takes."""


def is_int(value: object) -> TypeGuard[int | np.integer[Any]]:
    """Whether a value is a whole number of Python or NumPy; a bool is none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_int(name: str, value: object, low: int | None = None, high: int | None = None) -> int:
    """Return ``value`` as an int if it is a whole number from ``low`` to ``high``, where given.

    Raises:
        ValueError: it is not; the message names it and the bounds.
    """
    if is_int(value):
        number = int(value)
        if (low is None or number >= low) and (high is None or number <= high):
            return number
    bounds = ""
    if low is not None:
        bounds = f" of at least {low}" if high is None else f" from {low} to {high}"
    raise ValueError(f"{name}={value!r} must be an integer{bounds}")


def check_choice(name: str, value: T, choices: Sequence[T]) -> T:
    """Return ``value`` if it is one of ``choices``, texts or None.

    Raises:
        ValueError: it is not; the message names both.
    """
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise ValueError(f"{name}={value!r} is unknown: use {' or '.join(map(repr, choices))}")
    return value


def listed(words: Sequence[object], last: str) -> str:
    """Words with commas, ``last`` before the last one: ``a, b or c``."""
    told = [str(word) for word in words]
    if len(told) < 2:
        return "".join(told)
    return f"{', '.join(told[:-1])} {last} {told[-1]}"
