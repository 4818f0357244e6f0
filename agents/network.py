"""The learned player: a small network over observations, and its files.

A policy file is a ``.safetensors`` file with a JSON header (:func:`save_policy`); nothing is ever
unpickled. The network reads observations in the trump-relative frame and answers in its ids.
"""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import safetensors.torch
import torch
from torch import Tensor, nn
from torch.nn import functional

from euchre_env._files import write_whole
from euchre_env._revision import code_revision
from euchre_env.encoding import (
    HIDDEN_LAYOUT,
    LAYOUT,
    RULE_BLOCKS,
    WIDE_HIDDEN_LAYOUT,
    WIDE_LAYOUT,
    WIDE_OBSERVATION_SIZE,
    Block,
    fits_layout,
    layout_hash,
    rule_codes,
)
from euchre_env.rules import ALL_ACTIONS, N_ACTIONS
from euchre_env.ruleset import Ruleset
from euchre_env.symmetry import ALL_SWAPPED_ACTIONS, SuitOrder

from .base import Actions, AgentError, View, require_deck

MLP = "mlp"
"""The kind of network that there is from the start."""

ILLEGAL = -1e9
"""The logit of an illegal action: its probability is exactly 0, and no product with it is NaN."""

ONLY_AFTER_THE_HAND = frozenset(
    {"points", "thrown_in", "offender", "next_dealer", "game_result", "match_result"}
)
"""Blocks that are never set while somebody has to decide."""

CHUNK = 1024
"""Rows that go through a network at once: few enough for the cache; one thread's piece of work."""

SUIT_ORDERS = {
    False: SuitOrder(LAYOUT, HIDDEN_LAYOUT),
    True: SuitOrder(WIDE_LAYOUT, WIDE_HIDDEN_LAYOUT),
}
"""Orders the suits for networks with ``ordered_suits``, by whether they are ``wide``."""

_FEWEST_ROWS = 16
_FORMAT = 1
_MOST_HEADER_BYTES = 1 << 20
_LARGEST_LAYER = 1 << 14
_MOST_LAYERS = 32
_GOLDEN, _MIX_1, _MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


class PolicyError(AgentError):
    """A policy file that cannot be used; the message says why and what to do."""


# --- the network -------------------------------------------------------------------------------


def _layout(wide: bool) -> dict[str, Block]:
    return WIDE_LAYOUT if wide else LAYOUT


def all_blocks(wide: bool = False) -> tuple[str, ...]:
    """The blocks of an observation that can be set while somebody has to decide.

    Those of games with 28 or 32 cards (``wide``) or of 24.
    """
    return tuple(name for name in _layout(wide) if name not in ONLY_AFTER_THE_HAND)


def block_slices(blocks: Sequence[str], wide: bool = False) -> list[slice]:
    """The parts of an observation that hold ``blocks``; neighbours become one slice.

    Raises:
        ValueError: a block that the layout lacks, or none at all.
    """
    layout = _layout(wide)
    unknown = [name for name in blocks if name not in layout]
    if unknown or not blocks:
        named = ", ".join(unknown) or "none given"
        raise ValueError(f"unknown observation block: {named}; known are {', '.join(layout)}")
    found: list[slice] = []
    for part in sorted((layout[name].slice for name in set(blocks)), key=lambda s: int(s.start)):
        if found and found[-1].stop == part.start:
            part = slice(found.pop().start, part.stop)
        found.append(part)
    return found


def _column(
    parts: Sequence[slice], entry: str, extra: int, of_extra: float, layout: dict[str, Block]
) -> Tensor:
    whole = np.zeros(sum(block.size for block in layout.values()), np.float32)
    for block in layout.values():
        whole[block.slice] = getattr(block, entry)
    # Rules are read by how they differ from the usual ones, in units of those, as some are large.
    usual = rule_codes(Ruleset())
    for name, codes in RULE_BLOCKS.items():
        part = usual[codes] if entry == "offset" else np.maximum(usual[codes], 1)
        whole[LAYOUT[name].slice] = part
    more = np.full(extra, of_extra, np.float32)
    return torch.from_numpy(np.concatenate([*(whole[part] for part in parts), more]))


class Body(nn.Module):
    """Layers that read blocks of an observation, and what else they are given.

    Args:
        hidden: Width of each hidden layer (ReLU).
        blocks: Observation blocks that are read.
        extra: Further inputs, numbers of about 0 to 1.
        wide: Whether observations are those of games with 28 or 32 cards.

    Raises:
        ValueError: an unknown block, or a layer width out of range.
    """

    offset: Tensor
    scale: Tensor

    def __init__(
        self, hidden: Sequence[int], blocks: Sequence[str], extra: int = 0, wide: bool = False
    ) -> None:
        super().__init__()
        self.hidden, self.blocks, self.wide = tuple(hidden), tuple(blocks), wide
        if not 0 < len(self.hidden) <= _MOST_LAYERS or not all(
            isinstance(width, int) and 0 < width <= _LARGEST_LAYER for width in self.hidden
        ):
            raise ValueError(
                f"hidden={list(self.hidden)} must be 1 to {_MOST_LAYERS} widths "
                f"of 1 to {_LARGEST_LAYER}"
            )
        self.parts, layout = block_slices(self.blocks, wide), _layout(wide)
        self.register_buffer("offset", _column(self.parts, "offset", extra, 0.0, layout))
        self.register_buffer("scale", 1 / _column(self.parts, "scale", extra, 1.0, layout))
        self.is_shifted = bool(self.offset.any())
        widths = (len(self.offset), *self.hidden)
        self.first = nn.Linear(widths[0], widths[1])
        layers: list[nn.Module] = []
        for inputs, outputs in itertools.pairwise(widths[1:]):
            layers += [nn.Linear(inputs, outputs), nn.ReLU()]
        self.trunk = nn.Sequential(*layers)

    def initialise(self, seed: int, gains: Mapping[str, float]) -> None:
        """Draw the first weights; ``gains`` has those of layers that are not hidden ones."""
        generator = torch.Generator().manual_seed(seed % 2**63)
        for name, module in self.named_modules():
            if isinstance(module, nn.Linear):
                nn.init.orthogonal_(module.weight, gains.get(name, 2**0.5), generator=generator)
                nn.init.zeros_(module.bias)

    def features(self, observation: Tensor, *extra: Tensor) -> Tensor:
        """uint8[B, D] and further inputs [B, ...] -> the last hidden layer, float[B, W].

        The blocks read are shifted and scaled to about 0 to 1, as the layout says.
        """
        half = torch.is_autocast_enabled(
            observation.device.type
        )  # every byte is exact in bfloat16 too
        read = torch.cat([observation[:, part] for part in self.parts], dim=1)
        wide = read.to(torch.bfloat16 if half else torch.float32)
        if extra:
            wide = torch.cat([wide, *(more.to(wide.dtype) for more in extra)], dim=1)
        if self.is_shifted:
            wide -= self.offset
        # Scaling the weights is the same as scaling every row, and cheaper.
        inside = functional.relu(
            functional.linear(wide, self.first.weight * self.scale, self.first.bias)
        )
        return cast(Tensor, self.trunk(inside))


class PolicyValueNet(Body):
    """Observation -> action logits and the value of the hand to the seat to act.

    Args:
        hidden: Width of each hidden layer (ReLU).
        blocks: Observation blocks that it reads; ``None`` for :func:`all_blocks`. Blocks that are
            the same in all of a training run are better left out: untrained weights would add noise
            where they differ.
        seed: Of the first weights.
        ordered_suits: Whether it is shown observations and masks that went through
            :data:`SUIT_ORDERS`; for whoever calls the network to heed.

    Raises:
        ValueError: an unknown block, or a layer width out of range.
    """

    kind = MLP
    """Its name among :data:`NETWORKS`."""

    def __init__(
        self,
        hidden: Sequence[int] = (256, 256),
        blocks: Sequence[str] | None = None,
        seed: int = 0,
        ordered_suits: bool = False,
        wide: bool = False,
    ) -> None:
        super().__init__(hidden, all_blocks(wide) if blocks is None else blocks, wide=wide)
        self.ordered_suits = ordered_suits
        self.policy = nn.Linear(self.hidden[-1], ALL_ACTIONS if wide else N_ACTIONS)
        self.value = nn.Linear(self.hidden[-1], 1)
        self.initialise(seed, {"policy": 0.01, "value": 0.1})

    @property
    def shape(self) -> dict[str, Any]:
        """What builds a network of this shape: ``network_of(**net.shape)``."""
        return {
            **({} if self.kind == MLP else {"kind": self.kind}),
            "hidden": list(self.hidden),
            "blocks": list(self.blocks),
            "ordered_suits": self.ordered_suits,
            **({"wide": True} if self.wide else {}),
        }

    @property
    def suit_order(self) -> SuitOrder:
        """What orders the suits of its observations, where it has ``ordered_suits``."""
        return SUIT_ORDERS[self.wide]

    def heads(self, inside: Tensor) -> tuple[Tensor, Tensor]:
        """float[B, W] of :meth:`features` -> what :meth:`forward` gives."""
        return self.policy(inside).float(), self.value(inside).float().squeeze(1)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """uint8[B, D] -> logits float32[B, 38] (46), not masked, and values float32[B]."""
        return self.heads(self.features(observation))


NETWORKS: dict[str, type[PolicyValueNet]] = {MLP: PolicyValueNet}
"""The networks that can be trained and loaded, by the setting ``network.kind``."""


def register_network(kind: str, network: type[PolicyValueNet]) -> None:
    """Let this process train networks of a further kind, and load their policy files.

    Args:
        kind: The value of ``network.kind`` that stands for it.
        network: A subclass of :class:`PolicyValueNet` that is made from the same arguments.

    Raises:
        AgentError: there is a network of that kind already.
    """
    if kind in NETWORKS:
        raise AgentError(f"there is a network of kind {kind!r} already: give another name")
    network.kind = kind
    NETWORKS[kind] = network


def network_of(kind: str = MLP, **shape: Any) -> PolicyValueNet:
    """A network of a kind; the other arguments are those of :class:`PolicyValueNet`.

    Raises:
        ValueError: no such kind, an unknown block, or a layer width out of range.
    """
    if kind not in NETWORKS:
        known = ", ".join(NETWORKS)
        raise ValueError(f"no network of kind {kind!r} is registered: known are {known}")
    return NETWORKS[kind](**shape)


def masked(logits: Tensor, action_mask: Tensor) -> Tensor:
    """The logits with those of illegal actions (mask 0) at :data:`ILLEGAL`."""
    return logits.masked_fill(action_mask == 0, ILLEGAL)


def sample(logits: Tensor, uniforms: Tensor) -> Tensor:
    """One action a row by its probability, int64[B].

    Args:
        logits: Masked logits, float32[B, A].
        uniforms: float32[B], multiples of 2**-24 in [0, 1).
    """
    below = logits.softmax(1).cumsum(1)
    # A multiple of 2**-24 below 1 times the total rounds to less than the total, so that a last
    # action of probability zero is never reached.
    target = uniforms.unsqueeze(1) * below[:, -1:]
    return (below <= target).sum(1)


def uniforms_of(seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.float32]:
    """A number in [0, 1) from each seed, float32[B], multiples of 2**-24 (SplitMix64's hash)."""
    x = seeds.astype(np.uint64) + np.uint64(_GOLDEN)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(_MIX_1)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(_MIX_2)
    x = x ^ (x >> np.uint64(31))
    return ((x >> np.uint64(40)).astype(np.float32)) * np.float32(2**-24)


def has_fast_bf16() -> bool:
    """Whether this processor multiplies bfloat16 natively."""
    probe = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(probe is not None and probe())


# --- the agent ---------------------------------------------------------------------------------


def _widened(
    observation: npt.NDArray[np.uint8], mask: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8]]:
    """Observations and masks of the deck of 24 cards as a wide network reads them."""
    lacking = WIDE_OBSERVATION_SIZE - observation.shape[1]
    return (
        np.pad(observation, ((0, 0), (0, lacking))),
        np.pad(mask, ((0, 0), (0, ALL_ACTIONS - N_ACTIONS))),
    )


class NetworkAgent:
    """Plays a network's policy: its likeliest action, or one drawn by probability.

    Computes in float32 whatever the processor, so that a figure can be repeated elsewhere.

    Args:
        net: The network.
        name: How reports call it.
        greedy: Take the likeliest action; otherwise draw from ``view.seeds``.
        header: The policy file's header, where it came from one.
    """

    oracle = False

    def __init__(
        self,
        net: PolicyValueNet,
        name: str = "network",
        greedy: bool = True,
        header: Mapping[str, Any] | None = None,
    ) -> None:
        self.net, self.name, self.greedy = net, name, greedy
        self.header = dict(header or {})

    @property
    def plays_alone(self) -> bool:
        """Whether the network reads what it takes to play games without partners."""
        return "seat_tricks" in self.net.blocks

    @property
    def plays_large_decks(self) -> bool:
        """Whether the network was made for games with 28 or 32 cards; it plays with 24 too."""
        return self.net.wide

    def act(self, view: View) -> Actions:
        """One legal action for each game of the view, int64[B], trump-relative ids."""
        with torch.inference_mode():
            chosen = self._choose(self._logits(view), view.seeds)
        return chosen.numpy()

    def _logits(self, view: View) -> Tensor:
        """Masked logits by the view's own ids, float32[B, 38] or float32[B, 46]."""
        require_deck(self, view.rulesets)
        observation, mask = view.observation, view.action_mask
        actions = mask.shape[1]
        if self.net.wide and actions == N_ACTIONS:
            observation, mask = _widened(observation, mask)
        swapped = np.zeros(len(view), np.bool_)
        if self.net.ordered_suits:
            observation, mask = observation.copy(), mask.copy()
            swapped = self.net.suit_order.apply(observation, mask)
        pieces = torch.split(torch.from_numpy(observation), CHUNK)
        logits = masked(torch.cat([self._of_piece(p) for p in pieces]), torch.from_numpy(mask))
        rows = torch.from_numpy(np.flatnonzero(swapped))
        logits[rows] = logits[rows][:, torch.from_numpy(ALL_SWAPPED_ACTIONS[: logits.shape[1]])]
        return logits[:, :actions]

    def _of_piece(self, rows: Tensor) -> Tensor:
        """Logits of at most CHUNK rows. Few rows are filled up, since products of very few take
        another way through the library, with other last digits.
        """
        lacking = max(0, _FEWEST_ROWS - len(rows))
        padded = functional.pad(rows, (0, 0, 0, lacking)) if lacking else rows
        logits: Tensor = self.net(padded)[0]
        return logits[: len(rows)]

    def _choose(self, logits: Tensor, seeds: npt.NDArray[np.uint64]) -> Tensor:
        if self.greedy:
            return logits.argmax(1)
        return sample(logits, torch.from_numpy(uniforms_of(seeds)))

    def probabilities(self, view: View) -> npt.NDArray[np.float32]:
        """The probability of each action, float32[B, 38]; zero where illegal."""
        with torch.inference_mode():
            return self._logits(view).softmax(1).numpy()


# --- files -------------------------------------------------------------------------------------


def code_version() -> str:
    """The installed version of this distribution, or ``unknown``."""
    try:
        return importlib.metadata.version("euchre-env")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def save_policy(path: str | Path, net: PolicyValueNet, header: Mapping[str, Any]) -> None:
    """Write a network as ``.safetensors`` with a JSON header, atomically.

    The observation layout, the network's shape, the code's version and git revision are added to
    the header; a trainer gives ``config``, ``rulesets`` and ``results``.
    """
    full = {
        **header,
        "format": _FORMAT,
        "layout": layout_hash(wide=net.wide),
        "network": net.shape,
        "version": code_version(),
        "revision": code_revision(),
    }
    tensors = {name: value.detach().contiguous() for name, value in net.state_dict().items()}
    text = json.dumps(full, sort_keys=True)
    write_whole(Path(path), safetensors.torch.save(tensors, {"policy": text}))


class _PolicyFile(NamedTuple):
    header: dict[str, Any]
    shapes: dict[str, list[int]]


def _read_start(path: Path) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            length = int.from_bytes(file.read(8), "little")
            if size < 8 or not 0 < length <= min(size - 8, _MOST_HEADER_BYTES):
                raise PolicyError(f"{path} is not a policy file, or is cut short")
            found = json.loads(file.read(length))
    except FileNotFoundError:
        raise PolicyError(f"there is no policy file {path}") from None
    except OSError as error:
        raise PolicyError(f"cannot read policy file {path}: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise PolicyError(f"{path} is not a policy file: its header is not JSON") from None
    return found if isinstance(found, dict) else {}


def _read_file(path: Path) -> _PolicyFile:
    start = _read_start(path)
    try:
        header = json.loads(start.pop("__metadata__")["policy"])
        shapes = {name: list(entry["shape"]) for name, entry in start.items()}
        known = header["format"] == _FORMAT and isinstance(header["layout"], str)
    except (KeyError, TypeError, ValueError):
        raise PolicyError(f"{path} holds tensors, but no policy of this project") from None
    if not known:
        raise PolicyError(f"{path} has policy format {header['format']!r}; known is {_FORMAT}")
    return _PolicyFile(header, shapes)


def read_header(path: str | Path) -> dict[str, Any]:
    """The JSON header of a policy file: what it is, how it was trained, how strong it was.

    Raises:
        PolicyError: there is no such file, or it is not a policy.
    """
    return _read_file(Path(path)).header


def _check_layout(path: Path, header: Mapping[str, Any]) -> None:
    shape = header.get("network")
    wide = isinstance(shape, dict) and shape.get("wide") is True
    if not fits_layout(header["layout"], wide):
        raise PolicyError(
            f"{path} was trained for observation layout {header['layout']}, this version "
            f"({code_version()}) has {layout_hash(wide=wide)}: retrain, or use version "
            f"{header.get('version')} (git revision {header.get('revision')})"
        )


def load_policy(path: str | Path) -> tuple[PolicyValueNet, dict[str, Any]]:
    """The network of a policy file and the file's header.

    Raises:
        PolicyError: no such file, not a policy, for another observation layout, or damaged.
    """
    path = Path(path)
    header, shapes = _read_file(path)
    _check_layout(path, header)
    try:
        net = network_of(**header["network"])
    except (KeyError, TypeError, ValueError) as error:
        raise PolicyError(f"{path} describes no network that can be built: {error}") from None
    expected = {name: list(value.shape) for name, value in net.state_dict().items()}
    if shapes != expected:
        wrong = sorted(n for n in expected | shapes if expected.get(n) != shapes.get(n))
        raise PolicyError(f"{path} does not fit its own network: wrong tensors {', '.join(wrong)}")
    try:
        net.load_state_dict(safetensors.torch.load_file(path))
    except (OSError, RuntimeError, safetensors.SafetensorError) as error:
        raise PolicyError(f"{path} is damaged: {error}") from None
    return net.eval(), header


def load_agent(path: str | Path, greedy: bool = True, name: str | None = None) -> NetworkAgent:
    """The agent of a policy file. Sets torch to one thread: more lose time at these sizes.

    Args:
        path: The ``.safetensors`` file.
        greedy: Play the likeliest action; otherwise draw by probability.
        name: How reports call it; the path unless given.

    Raises:
        PolicyError: no such file, not a policy, for another observation layout, or damaged.
    """
    net, header = load_policy(path)
    torch.set_num_threads(1)
    return NetworkAgent(net, str(path) if name is None else name, greedy, header)
