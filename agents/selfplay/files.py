"""Self-play in files: rows in shards beside a manifest, and whole hands as records.

A shard holds a range of hands, and is written whole once they are played; then the manifest is. A
run that was broken off goes on after the last shard that is there. What a shard holds depends on
its hands alone, not on how many hands are played at once nor on how many processes play.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env import __version__
from euchre_env._files import digest_of, remove_unfinished, write_whole
from euchre_env.batch import as_rulesets
from euchre_env.cards import cards_of
from euchre_env.dataset import DataSet, manifest_path, read_manifest, write_manifest
from euchre_env.encoding import layout_hash
from euchre_env.record import GameRecord, complete_deck, record_hand, save_records
from euchre_env.rowfiles import COLUMNS, DataError, Rows, check_suffix, row_dtype, rows_as_bytes
from euchre_env.rules import PHASES
from euchre_env.ruleset import Ruleset

from .. import make
from ..base import Agent, gives_probabilities, is_oracle, require_player
from ..evaluation.match import ruleset_text
from ..evaluation.sources import code_digest, files_of, require_files
from ..work import IN_PROCESS, Executor
from .hands import Hands, play_hands

Progress = Callable[[int, int], None]
"""Called with (hands done, hands in all)."""

SHARD = 5000
"""Hands in a file, some 70 MB of rows in memory."""
BATCH = 1024
"""Hands played at once."""
PATIENCE = 60.0
"""Seconds for a file that another machine has written to be seen here."""
_SAME = (
    "agents",
    "rules",
    "seed",
    "hands",
    "shard",
    "forced",
    "records",
    "layout",
    "code",
    "files",
)
"""Keys of a manifest that must be equal for a run to go on with it."""


@dataclass(frozen=True)
class Plan:
    """What is to be generated.

    Attributes:
        agents: Names of the agents; :mod:`.hands` says who sits where.
        hands: How many hands.
        out: The file of rows; with more than one shard they are numbered ``NAME-00000.ENDING``.
        rulesets: The rule sets, of which each hand draws one.
        seed: Of deals and agents.
        shard: Hands in a file.
        forced: Whether decisions with one legal action get rows too.
        records: A ``.jsonl`` file of whole-hand records to write as well, in the same shards; an
            ``.egn`` file where there is one hand.
    """

    agents: tuple[str, ...]
    hands: int
    out: Path
    rulesets: tuple[Ruleset, ...]
    seed: int = 1
    shard: int = SHARD
    forced: bool = False
    records: Path | None = None

    def __post_init__(self) -> None:
        for name in ("hands", "shard"):
            if getattr(self, name) < 1:
                raise DataError(f"{name}={getattr(self, name)} must be at least 1")
        if not self.agents:
            raise DataError("no agent is given: name one, or several that share the seats")
        for ruleset in self.rulesets:
            ruleset.require_small_deck("rows of decisions are")
        check_suffix(self.out)
        for path in filter(None, (self.out, self.records)):
            if not path.parent.is_dir():
                raise DataError(f"{path}: no folder {str(path.parent)!r} to write to")
        if self.records is not None:
            _check_records(self.records, self.out, self.hands)
            for ruleset in self.rulesets if self.records.suffix == ".egn" else ():
                ruleset.require_partnership("an .egn file is")

    @property
    def shards(self) -> int:
        """The number of files of rows."""
        return -(-self.hands // self.shard)

    def range_of(self, number: int) -> tuple[int, int]:
        """The first hand of a shard, and how many it holds."""
        first = number * self.shard
        return first, min(self.shard, self.hands - first)

    def path_of(self, out: Path, number: int) -> Path:
        """The file of a shard, of rows or of records."""
        return out if self.shards == 1 else out.with_name(f"{out.stem}-{number:05}{out.suffix}")

    def command(self) -> str:
        """The command that generates the same."""
        words = ["euchre", "generate", *self.agents, "--hands", str(self.hands)]
        words += ["--out", self.out.name, "--seed", str(self.seed), "--shard", str(self.shard)]
        words += [w for r in self.rulesets for w in ("--ruleset", ruleset_text(r))]
        words += ["--forced"] * self.forced
        words += [] if self.records is None else ["--records", self.records.name]
        return shlex.join(words)


def _check_records(records: Path, out: Path, hands: int) -> None:
    if records.suffix not in (".jsonl", ".egn"):
        raise DataError(f"{records}: records are a file that ends in .jsonl or .egn")
    if records.suffix == ".egn" and hands > 1:
        raise DataError(f"{records}: an .egn file holds one game, not {hands}: name a .jsonl file")
    if records == out:
        raise DataError(f"{records}: rows and records cannot share a file")


# --- the manifest ------------------------------------------------------------------------------


def _manifest(plan: Plan) -> dict[str, Any]:
    agents = [make(name) for name in plan.agents]
    for ruleset in plan.rulesets:
        require_player(agents, ruleset)
    probabilities = any(map(gives_probabilities, agents))
    return {
        "program": __version__,
        "command": plan.command(),
        "agents": list(plan.agents),
        "oracles": [a.name for a in agents if is_oracle(a)],
        "rules": [ruleset_text(r) for r in plan.rulesets],
        "rulesets": [r.to_dict() for r in plan.rulesets],
        "seed": plan.seed,
        "hands": plan.hands,
        "shard": plan.shard,
        "forced": plan.forced,
        "records": None if plan.records is None else plan.records.name,
        "layout": layout_hash(),
        "frame": "trump",
        "code": code_digest(),
        "files": files_of(*plan.agents),
        "probabilities": probabilities,
        "phases": list(PHASES),
        "columns": {name: COLUMNS[name] for name in row_dtype(probabilities).names or ()},
        "shards": [],
    }


def _begin(plan: Plan, resume: bool) -> dict[str, Any]:
    """The manifest to go on with; of shards only those whose files are there as they were."""
    fresh, path = _manifest(plan), manifest_path(plan.out)
    if not path.exists():
        _refuse_strangers(plan)
        return fresh
    if not resume:
        raise DataError(
            f"{path} is there already: go on with it (--resume), or name another file of rows"
        )
    found = read_manifest(path)
    for key in _SAME:
        if found.get(key) != fresh[key]:
            raise DataError(
                f"{path}: made with {key}={found.get(key)!r}, not {fresh[key]!r}: give the same "
                f"arguments ({found.get('command')}), or another file of rows"
            )
    shards = [s for s in found["shards"] if _is_there(plan, path.parent / s["file"], s)]
    return fresh | {"shards": shards}


def _refuse_strangers(plan: Plan) -> None:
    """Raise DataError if a file to be written is there, though no manifest tells of it."""
    for out in filter(None, (plan.out, plan.records)):
        for path in (plan.path_of(out, number) for number in range(plan.shards)):
            if path.exists():
                raise DataError(f"{path} is there already and is not ours: name another file")


def _is_there(plan: Plan, path: Path, told: dict[str, Any]) -> bool:
    if plan.records is not None:
        number = told["first"] // plan.shard
        if not plan.path_of(plan.records, number).is_file():
            return False
    return path.is_file() and digest_of(path) == told["sha256"]


# --- playing -----------------------------------------------------------------------------------


def generate(
    plan: Plan,
    *,
    resume: bool = False,
    batch: int = BATCH,
    progress: Progress | None = None,
    executor: Executor = IN_PROCESS,
) -> DataSet:
    """Play the hands of a plan and write their files; shards that are there are not played again.

    Args:
        plan: What to generate.
        resume: Whether to go on with a data set that is there.
        batch: Hands played at once.
        progress: Told of the hands done.
        executor: Where to play; the files do not depend on it.

    Raises:
        DataError: there is a data set already, or one made with other arguments.
        AgentError: an agent that cannot be made, cannot play these rules, or gave no legal action.
        OSError: a file cannot be written; what was finished stays.
    """
    if batch < 1:
        raise DataError(f"batch={batch} must be at least 1")
    manifest, path = _begin(plan, resume), manifest_path(plan.out)
    write_manifest(path, manifest)
    there = {shard["first"] for shard in manifest["shards"]}
    todo = [n for n in range(plan.shards) if plan.range_of(n)[0] not in there]
    done = sum(shard["hands"] for shard in manifest["shards"])
    tell = None
    if progress is not None:
        progress(done, plan.hands)
        tell = partial(_tell, progress, plan.hands)
    writer = _Writer(plan, batch, manifest["files"], done, tell)
    try:
        with closing(executor.map(writer, todo)) as shards:
            for shard in shards:
                _require_seen(path.parent / shard["file"])
                done += shard["hands"]
                manifest["shards"] = sorted([*manifest["shards"], shard], key=lambda s: s["first"])
                write_manifest(path, manifest)
                if tell is not None:
                    tell(done)
    finally:
        _clear(plan)
    return DataSet.open(path)


def _require_seen(path: Path) -> None:
    """Raise DataError unless a file is there, or appears: a network file system takes its time."""
    end = time.monotonic() + PATIENCE
    while not path.is_file():
        if time.monotonic() >= end:
            raise DataError(
                f"{path} was written on another machine and is not seen here: name a file on a "
                "file system that all machines of the cluster share"
            )
        time.sleep(0.5)
        os.listdir(path.parent)  # asks the server


def _tell(progress: Progress, total: int, done: int) -> None:
    progress(done, total)


@dataclass
class _Writer:
    """Writes shards, here or in another process, which makes the agents itself and tells nobody.

    Attributes:
        plan: What is generated.
        batch: Hands played at once.
        files: The agents' checkpoints, by digest.
        done: Hands finished before.
        tell: Told of the hands done.
        agents: The agents, once they are made.
    """

    plan: Plan
    batch: int
    files: dict[str, str]
    done: int = 0
    tell: Callable[[int], None] | None = None
    agents: tuple[Agent, ...] = ()

    def __call__(self, number: int) -> dict[str, Any]:
        """What the manifest is to tell of a shard."""
        if not self.agents:
            self.agents = tuple(map(make, self.plan.agents))
            require_files(self.plan.agents, self.files)
        told = write_shard(self.plan, number, self.batch, self.agents, self.done, self.tell)
        self.done += told["hands"]
        return told

    def __getstate__(self) -> dict[str, Any]:
        # Another machine may not have this working directory.
        out, records = self.plan.out.absolute(), self.plan.records
        plan = replace(self.plan, out=out, records=records and records.absolute())
        return vars(self) | {"plan": plan, "done": 0, "tell": None, "agents": ()}


def _clear(plan: Plan) -> None:
    """Remove what killed processes left of shards that they were writing."""
    for out in filter(None, (plan.out, plan.records)):
        remove_unfinished(out.parent, {plan.path_of(out, n).name for n in range(plan.shards)})


def write_shard(
    plan: Plan,
    number: int,
    batch: int = BATCH,
    agents: Sequence[Agent] | None = None,
    done: int = 0,
    tell: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Play the hands of one shard and write its files; what the manifest is to tell of it.

    Args:
        plan: What to generate.
        number: The shard.
        batch: Hands played at once.
        agents: The agents of the plan, if they have been made.
        done: Hands finished before, for ``tell``.
        tell: Told of the hands done.
    """
    first, count = plan.range_of(number)
    players = [make(name) for name in plan.agents] if agents is None else agents
    rows: list[Rows] = []
    games: list[GameRecord] = []
    for start in range(first, first + count, batch):
        some = min(batch, first + count - start)
        hands = play_hands(players, plan.rulesets, plan.seed, start, some, plan.forced)
        rows.append(hands.rows)
        if plan.records is not None:
            games += records_of(hands, plan)
        if tell is not None:
            tell(done + start + some - first)
    joined = np.concatenate(rows)
    if plan.records is not None:
        save_records(plan.path_of(plan.records, number), games)
    path = plan.path_of(plan.out, number)
    data = rows_as_bytes(joined, path.suffix)
    write_whole(path, data)
    digest = hashlib.sha256(data).hexdigest()
    told = {"file": path.name, "first": first, "hands": count, "rows": len(joined)}
    return told | {"sha256": digest}


# --- records -----------------------------------------------------------------------------------


def records_of(hands: Hands, plan: Plan) -> list[GameRecord]:
    """Each hand as a game of one deal, all cards shown; ``metadata`` names seed and hand."""
    return [_record(hands, plan, index) for index in range(len(hands.dealt))]


def _record(hands: Hands, plan: Plan, index: int) -> GameRecord:
    s, ruleset = hands.dealt[index], plan.rulesets[hands.which[index]]
    number = hands.first + index
    deal = record_hand(
        ruleset,
        _deck(s, ruleset),
        int(s["dealer"]),
        hands.actions[index, : hands.steps[index]].tolist(),
        number,
    )
    return GameRecord(
        ruleset=ruleset,
        deals=(deal,),
        players=tuple(plan.agents[k] for k in hands.seating[index][: ruleset.players]),
        metadata={"seed": plan.seed, "hand": number},
    )


def _deck(s: Any, ruleset: Ruleset) -> npt.NDArray[np.int8]:
    """The deck that deals a record as it is before the first decision."""

    def held(cards: Any) -> list[str | int]:
        return [*cards_of(int(cards), int(s["frame"]))]

    dummy, players = held(s["dummy"]), ruleset.players
    return complete_deck(
        held(s["upcard"])[0],
        # A club turned up may be in the dealer's hand already.
        {seat: held(s["hand"][seat] & ~s["upcard"]) for seat in range(players)},
        held(s["kitty"]) + held(s["spare"]),
        ruleset.joker,
        players,
        dummy,
        len(dummy),
        ruleset.lowest_rank,
    )


def plan_of(
    agents: Sequence[str],
    hands: int,
    out: str | Path,
    rulesets: Ruleset | str | Sequence[Ruleset | str] = "stick",
    **options: Any,
) -> Plan:
    """A plan, its rule sets given as texts or objects; ``options`` are the plan's other fields.

    Raises:
        DataError: an argument that cannot be.
        RulesetError: a rule set that is not known, or a game without partners in an .egn file.
    """
    return Plan(tuple(agents), hands, Path(out), tuple(as_rulesets(rulesets)), **options)
