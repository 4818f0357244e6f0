"""Weights to start from: those of a policy file instead of random ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..network import PolicyError, PolicyValueNet, load_policy
from .config import ConfigError


def start_from(path: str | Path, net: PolicyValueNet) -> None:
    """Give a network the weights of a policy file, so that it is trained further.

    Args:
        path: The ``.safetensors`` file.
        net: The network, changed in place.

    Raises:
        ConfigError: no such file, not a policy, for another observation layout, damaged, or a
            network of another shape; the message says which settings would do.
    """
    try:
        found, _ = load_policy(path)
    except PolicyError as error:
        raise ConfigError(f"init: {error}") from None
    if found.wide != net.wide:
        decks = ("24 cards only", "28 or 32 cards too")
        raise ConfigError(
            f"init={str(path)!r} was made for decks of {decks[found.wide]}, this run is for "
            f"{decks[net.wide]}: a run goes on with the same kind of deck"
        )
    given, wanted = _comparable(found), _comparable(net)
    wrong = [f"network.{key} to {found.shape[key]}" for key in wanted if given[key] != wanted[key]]
    if wrong:
        raise ConfigError(
            f"init={str(path)!r} has another network than this run: set {', '.join(wrong)}"
        )
    net.load_state_dict(found.state_dict())


def _comparable(net: PolicyValueNet) -> dict[str, Any]:
    """What decides the meaning of each weight; the order in which blocks are named does not."""
    return net.shape | {"blocks": sorted(net.blocks)}
