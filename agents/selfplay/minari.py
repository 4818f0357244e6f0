"""Self-play as a data set of Minari, the Farama Foundation's format for offline learning.

An episode is one seat in one hand, as an environment for that seat would show it: a dict of
observation and action mask before each of its decisions, forced ones included, and once more at the
end of the hand; the reward, net points of its side, comes with its last decision. The other
seats are part of that environment, and no name that Gymnasium could make it by tells who they were,
so the data set has spaces but no environment of its own.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import os
import shlex
import shutil
import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from gymnasium import spaces

from euchre_env import __version__
from euchre_env.batch import as_rulesets
from euchre_env.encoding import OBSERVATION_SIZE, encode_seats
from euchre_env.rowfiles import DataError
from euchre_env.rules import N_ACTIONS, N_SEATS
from euchre_env.ruleset import Ruleset

from .. import make
from ..base import RuleTable, require_player
from ..evaluation.match import ruleset_text
from .files import BATCH, Progress
from .hands import Array, Hands, play_hands

OBSERVATION = spaces.Dict(
    {
        "observation": spaces.Box(0, 255, (OBSERVATION_SIZE,), np.uint8),
        "action_mask": spaces.Box(0, 1, (N_ACTIONS,), np.int8),
    }
)
ACTION = spaces.Discrete(N_ACTIONS)


def _minari() -> ModuleType:
    try:
        import_module("h5py")  # what Minari writes with
        return import_module("minari")
    except ImportError:
        raise DataError(
            'this needs Minari: pip install "euchre-env[minari]" (Python 3.11 or later)'
        ) from None


def write_minari(
    name: str,
    agents: Sequence[str],
    hands: int,
    rulesets: Ruleset | str | Sequence[Ruleset | str] = "stick",
    seed: int = 1,
    *,
    batch: int = BATCH,
    progress: Progress | None = None,
) -> Any:
    """Play hands and write every seat's episode to a new Minari data set; no half of one stays.

    Args:
        name: Its id, ``NAMESPACE/NAME-v0``; it lies in Minari's own folder.
        agents: Names of the agents; :mod:`.hands` says who sits where.
        hands: How many hands.
        rulesets: The rule sets, of which each hand draws one.
        seed: Of deals and agents.
        batch: Hands played at once.
        progress: Told of the hands done.

    Returns:
        The ``minari.MinariDataset``.

    Raises:
        DataError: Minari is not installed, no hands, or an id that is bad or taken.
        AgentError: an agent that cannot be made, cannot play these rules, or gave no legal action.
    """
    minari = _minari()
    if hands < 1 or batch < 1:
        raise DataError(f"hands={hands} and batch={batch} must be at least 1")
    played, players = as_rulesets(rulesets), [make(agent) for agent in agents]
    for ruleset in played:
        ruleset.require_small_deck("a Minari dataset is")
        require_player(players, ruleset)
    data = _create(minari, name, agents, played, hands, seed)
    try:
        for first in range(0, hands, batch):
            count = min(batch, hands - first)
            found = play_hands(players, played, seed, first, count, forced=True)
            data.storage.update_episodes(_buffers(found, played))
            if progress is not None:
                progress(first + count, hands)
    except BaseException:
        _delete(name)
        raise
    return minari.load_dataset(name)


def _create(
    minari: ModuleType,
    name: str,
    agents: Sequence[str],
    rulesets: Sequence[Ruleset],
    hands: int,
    seed: int,
) -> Any:
    rules = " or ".join(ruleset_text(r) for r in rulesets)
    words = ["euchre", "generate", *agents, "--hands", str(hands), "--minari", name]
    words += ["--seed", str(seed), *(w for r in rulesets for w in ("--ruleset", ruleset_text(r)))]
    told = (
        f"Euchre self-play, an episode for each seat of each hand; rules {rules}, seed {seed}, "
        f"euchre-env {__version__}, trump-relative frame: {shlex.join(words)}"
    )
    try:
        import_module("minari.dataset.minari_dataset").parse_dataset_id(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that author, link and environment are not given
            return minari.create_dataset_from_buffers(
                name,
                [],
                observation_space=OBSERVATION,
                action_space=ACTION,
                algorithm_name=", ".join(agents),
                description=told,
                requirements=["euchre-env"],
                jpeg_encoding=False,
            )
    except ValueError as error:
        raise DataError(f"Minari refuses {name!r}: {error}") from None


def _delete(name: str) -> None:
    """Remove a data set that is not finished."""
    path = import_module("minari.storage").get_dataset_path(name)
    if os.path.isdir(path):
        shutil.rmtree(path)


# --- episodes ----------------------------------------------------------------------------------


def _final_observations(hands: Hands, rulesets: Sequence[Ruleset]) -> Array:
    """What each seat saw at the end of each hand, uint8[B, 4, D]."""
    out = np.zeros((len(hands.final), N_SEATS, OBSERVATION_SIZE), np.uint8)
    table = RuleTable.of(rulesets)
    encode_seats(hands.final, table.rules, table.blanks, hands.which, False, out)
    return out


def _buffers(hands: Hands, rulesets: Sequence[Ruleset]) -> Iterator[Any]:
    """The episodes of all seats that had a decision, by hand and seat."""
    episode = import_module("minari.data_collector").EpisodeBuffer
    final = _final_observations(hands, rulesets)
    rows = hands.rows[np.lexsort((hands.rows["step"], hands.rows["seat"], hands.rows["hand"]))]
    for part in np.split(rows, np.flatnonzero(rows["last"])[:-1] + 1) if len(rows) else []:
        hand, seat = int(part["hand"][0]), int(part["seat"][0])
        end = final[hand - hands.first, seat]
        yield episode(
            seed=hand,
            observations={
                "observation": np.vstack([part["observation"], end[None]]),
                "action_mask": np.vstack([part["action_mask"], np.zeros((1, N_ACTIONS), np.int8)]),
            },
            actions=part["action"].astype(np.int64),
            rewards=part["reward"] * part["last"],
            terminations=part["last"].copy(),
            truncations=np.zeros(len(part), np.bool_),
            infos=_infos(part),
        )


def _infos(part: Array) -> dict[str, Array]:
    """What is told of every step and of the end; the end repeats the last step's."""
    padded = np.append(part, part[-1:])
    names = ("hand", "step", "seat", "agent", "ruleset")
    return {name: padded[name].astype(np.int64) for name in names}
