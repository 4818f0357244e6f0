"""Euchre with every house rule, as a fast PettingZoo environment.

>>> from euchre_env import euchre_v0
>>> env = euchre_v0.env()
>>> env.reset(seed=7)

``BatchEnv`` steps many games at once, ``Ruleset`` holds the rules as data, ``EuchreGymEnv`` and
``EuchreVectorEnv`` are the game for Gymnasium.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from .actions import ActionError, action_id, action_text
from .batch import BatchEnv
from .cards import CardError
from .ruleset import Ruleset, RulesetError

if TYPE_CHECKING:
    from . import euchre_v0
    from .gym_env import EuchreGymEnv, EuchreVectorEnv

__all__ = [
    "ActionError",
    "BatchEnv",
    "CardError",
    "EuchreGymEnv",
    "EuchreVectorEnv",
    "Ruleset",
    "RulesetError",
    "__version__",
    "action_id",
    "action_text",
    "euchre_v0",
]

try:
    __version__ = version("euchre-env")
except PackageNotFoundError:  # run from a source tree that is not installed
    __version__ = "0+unknown"

# PettingZoo and Gymnasium are imported when they are first asked for; the engine needs neither.
_LAZY = {
    "euchre_v0": ".euchre_v0",
    "EuchreGymEnv": ".gym_env",
    "EuchreVectorEnv": ".gym_env",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_LAZY[name], __name__)
    value = module if _LAZY[name] == f".{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
