"""Checks for other people's rule sets and agents: here, random rule sets for property tests."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np

from .ruleset import OPTIONS, VARIANT_PLAYERS, Option, Ruleset, RulesetError

__all__ = ["random_ruleset", "random_value"]

_SPREAD = 15  # keeps random games short enough to be played to their end in a test
_CHANGED = 0.5
_REDRAWS = 20


def random_ruleset(rng: random.Random | np.random.Generator, playable: bool = True) -> Ruleset:
    """Return a random valid rule set; any option may differ from its default.

    With `playable`, only games that the environment plays; otherwise every variant. Numbers stay
    near the low end of what is allowed, so that games end soon. Equal generator states give
    equal rule sets.
    """
    draw = rng if isinstance(rng, random.Random) else random.Random(int(rng.integers(2**62)))
    values = _random_game(draw, playable)
    for name, option in OPTIONS.items():
        if name not in values and draw.random() < _CHANGED:
            values[name] = random_value(option, draw)
    if values.get("hands_per_game") is not None:
        values["target_score"] = None
    return _repaired(values, draw)


def random_value(option: Option, rng: random.Random) -> Any:
    """Return a random value that `option` takes, by itself; it may be the default."""
    if option.kind == "bool":
        return rng.random() < 0.5
    if option.kind == "pair":
        return _random_int(option, rng), _random_int(option, rng)
    if option.kind == "optional int" and rng.random() < 0.5:
        return None
    if option.choices and (option.kind == "choice" or rng.random() < 0.5):
        return rng.choice(option.choices)
    return _random_int(option, rng)


def _random_int(option: Option, rng: random.Random) -> int:
    return rng.randrange(option.low, min(option.high, option.low + _SPREAD) + 1, option.step)


def _random_game(rng: random.Random, playable: bool) -> dict[str, Any]:
    variant = "partnership" if playable else rng.choice(OPTIONS["variant"].choices)
    values: dict[str, Any] = {"variant": variant, "players": VARIANT_PLAYERS[variant]}
    if variant != "partnership":
        values |= {n: o.default for n, o in OPTIONS.items() if o.partnership_only}
    return values


def _repaired(values: dict[str, Any], rng: random.Random) -> Ruleset:
    # Drawing again lets an option that needs another one survive; the defaults end the search.
    for attempt in itertools.count():
        try:
            return Ruleset(**values)
        except RulesetError as error:
            name = rng.choice([n for n in error.conflict if n not in ("variant", "players")])
            option = OPTIONS[name]
            values[name] = random_value(option, rng) if attempt < _REDRAWS else option.default
    raise AssertionError("unreachable")
