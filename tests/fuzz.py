"""Fuzz the parsers: records, rule sets, decks, policies, checkpoints, training configurations.

    python -m tests.fuzz TARGET --seconds 60        # coverage-guided, with atheris (extra `fuzz`)
    python -m tests.fuzz all --inputs 20000         # without it: mutations of the corpus

A parser may refuse any bytes by its own error class and in no other way; what it accepts has to
read back equal after it is written. Inputs start from ``tests/corpus/TARGET``; with ``--keep`` a
guided run adds what reached new code. An input that fails is written to ``--failures``.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":  # coverage is seen in plain Python only
    os.environ["NUMBA_DISABLE_JIT"] = "1"

CORPUS = Path(__file__).resolve().parent / "corpus"
LONGEST = 20_000


# --- what is fuzzed ----------------------------------------------------------------------------


def _written(data: bytes, name: str) -> Path:
    path = Path(_folder()) / name
    path.write_bytes(data)
    return path


def _folder() -> str:
    global _scratch
    if _scratch is None:
        _scratch = tempfile.mkdtemp(prefix="euchre-fuzz-")
        atexit.register(shutil.rmtree, _scratch, ignore_errors=True)
    return _scratch


_scratch: str | None = None


def read_record(data: bytes, kind: str) -> None:
    """Verify never raises; what loads is written and read back equal."""
    from euchre_env import record, replay

    path = _written(data, f"input.{kind}")
    verification = replay.verify(path)
    assert verification.failed >= 0
    for fault in verification.faults:
        assert str(fault) and "\n" not in str(fault)
    try:
        games = record.load_records(path)
    except record.RecordError as error:
        assert error.faults
        return
    again = Path(_folder()) / "again.jsonl"
    record.write_jsonl(again, games)
    assert record.read_jsonl(again) == games


def read_egn(data: bytes) -> None:
    """Euchre game notation."""
    read_record(data, "egn")


def read_jsonl(data: bytes) -> None:
    """Games as JSON lines."""
    read_record(data, "jsonl")


def read_ruleset(data: bytes) -> None:
    """A rule set as YAML, as JSON and as the text of a command line."""
    from euchre_env.ruleset import Ruleset, RulesetError

    text = data.decode("utf-8", "replace")
    for read in (Ruleset.from_yaml, Ruleset.from_json, _parse_inline):
        try:
            ruleset = read(text)
        except RulesetError:
            continue
        assert Ruleset.from_yaml(ruleset.to_yaml()) == ruleset
        assert Ruleset.from_json(ruleset.to_json(only_changes=True)) == ruleset
        assert Ruleset.from_record(ruleset.record()) == ruleset
        assert ruleset.describe()
    for kind in ("yaml", "json"):
        with contextlib.suppress(RulesetError):
            Ruleset.load(_written(data, f"rules.{kind}"))


def _parse_inline(text: str) -> Any:
    from euchre_env.ruleset import Ruleset, RulesetError

    if text.strip().lower().endswith((".yaml", ".yml", ".json")):
        raise RulesetError("names a file")  # other people's files are none of the fuzzer's business
    return Ruleset.parse(text)


def read_deck(data: bytes) -> None:
    """Cards and decks, with and without the joker."""
    from euchre_env.cards import CardError, card_ids, card_text, deck_of

    text = data.decode("utf-8", "replace")
    for read in (card_ids, deck_of, lambda t: deck_of(t, joker=True)):
        try:
            cards = [int(card) for card in read(text) if card >= 0]
        except CardError:
            continue
        assert card_ids(" ".join(map(card_text, cards))) == cards


def read_policy(data: bytes) -> None:
    """A policy file: its header, and the network."""
    from agents.network import PolicyError, load_policy, read_header

    path = _written(data, "input.safetensors")
    for read in (read_header, load_policy):
        try:
            read(path)
        except PolicyError:
            continue


def read_checkpoint(data: bytes) -> None:
    """A trainer's state."""
    from agents.training.checkpoint import CheckpointError, load_checkpoint

    try:
        whole = load_checkpoint(_written(data, "checkpoint-000001.pt"))
    except CheckpointError:
        return
    assert {"config", "iteration", "state"} <= whole.keys()


def read_config(data: bytes) -> None:
    """A training configuration."""
    from agents.training.config import ConfigError, load_config

    try:
        load_config(_written(data, "input.yaml"))
    except ConfigError:
        return


class Target(NamedTuple):
    """A parser: what is called, and the modules whose coverage guides the search."""

    check: Callable[[bytes], None]
    modules: tuple[str, ...]


_RECORD = ("euchre_env.record", "euchre_env.replay", "euchre_env.rules", "euchre_env.ruleset")
TARGETS = {
    "egn": Target(read_egn, _RECORD),
    "jsonl": Target(read_jsonl, _RECORD),
    "ruleset": Target(read_ruleset, ("euchre_env.ruleset", "yaml")),
    "deck": Target(read_deck, ("euchre_env.cards", "euchre_env._check")),
    "policy": Target(read_policy, ("agents.network",)),
    "checkpoint": Target(read_checkpoint, ("agents.training.checkpoint",)),
    "config": Target(read_config, ("agents.training.config", "yaml")),
}


def corpus(target: str) -> list[Path]:
    """The kept inputs of a target."""
    return sorted((CORPUS / target).iterdir())


# --- mutations ---------------------------------------------------------------------------------

ODD = [
    *(None, True, False, 0, 1, -1, 3, 4, 255, 256, 2**31, -(2**63), 2**64, 10**400, 0.5, 1e308),
    *(
        "",
        "?",
        "??",
        "JH",
        "JOKER",
        "10h",
        "pass",
        "alone",
        "call_NT",
        "\u2660",
        "\ud800",
        "\0",
        "a" * 300,
    ),
    *([], {}, [[]], {"": {}}, [None] * 5, ["9C"] * 25),
]
"""Values put in the place of others."""


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    keys: Any = node.keys() if isinstance(node, dict) else range(len(node))
    for key in list(keys):
        yield node, key
        if isinstance(node[key], dict | list):
            yield from _places(node[key])


def mutate_tree(tree: Any, rng: random.Random) -> Any:
    """Replace, remove, double or swap some values of plain data, in place."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        places = list(_places(tree))
        if not places:
            return rng.choice(ODD)
        (node, key), (other, its) = rng.choice(places), rng.choice(places)
        act = rng.randrange(5)
        if act == 0:
            node[key] = rng.choice(ODD)
        elif act == 1:
            del node[key]
        elif act == 2 and isinstance(node, list):
            node.insert(key, json.loads(json.dumps(node[key])))
        elif act == 3 and type(node[key]) is int:
            node[key] += rng.choice((-1, 1, 7))
        else:
            node[key] = json.loads(json.dumps(other[its]))
    return tree


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """Flip, cut, repeat or insert some bytes."""
    text = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        at, size = rng.randrange(len(text) + 1), rng.choice((1, 1, 2, 4, 16))
        act = rng.randrange(4)
        if act == 0:
            text[at : at + 1] = bytes([rng.randrange(256)])
        elif act == 1:
            del text[at : at + size]
        elif act == 2:
            text[at:at] = text[at : at + size]
        else:
            text[at:at] = rng.randbytes(size)
    return bytes(text)


def mutate(data: bytes, rng: random.Random) -> bytes:
    """A neighbour of an input: as data where it is JSON (or a line of it is), else as bytes."""
    if rng.random() < 0.7:
        lines = data.splitlines() if b'"euchre-record"' in data else [data]
        at = rng.randrange(len(lines)) if lines else 0
        try:
            tree = json.loads(lines[at])
            lines[at] = json.dumps(mutate_tree(tree, rng)).encode()
            return b"\n".join(lines)
        except (ValueError, IndexError, RecursionError, TypeError):
            pass
    return mutate_bytes(data, rng)


def inputs(target: str, count: int, seed: int) -> Iterator[bytes]:
    """The corpus of a target, then mutations of it, ``count`` in all."""
    rng = random.Random(f"{target} {seed}")
    kept = [path.read_bytes() for path in corpus(target)]
    for number in range(count):
        if number < len(kept):
            yield kept[number]
        else:
            yield mutate(rng.choice(kept), rng)[:LONGEST]


# --- the command -------------------------------------------------------------------------------


def guided(target: str, seconds: int, keep: bool, failures: Path, seed: int) -> None:
    """Run atheris over a target; it ends the process, with status 77 where an input failed."""
    import atheris

    check, modules = TARGETS[target]
    if any(module.startswith("agents") for module in modules):
        import torch  # noqa: F401 - before, since it is too large to be instrumented
    with atheris.instrument_imports(include=list(modules)):
        for module in modules:
            __import__(module)
    grown = CORPUS / target if keep else Path(tempfile.mkdtemp(prefix="euchre-fuzz-corpus-"))
    failures.mkdir(parents=True, exist_ok=True)

    def mutator(data: bytes, size: int, number: int) -> bytes:
        rng = random.Random(number)
        changed = mutate(data, rng) if rng.random() < 0.5 else atheris.Mutate(data, size)
        return changed[:size]

    flags = [
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        f"-artifact_prefix={failures}{os.sep}",
        f"-seed={seed}",
        "-timeout=20",
        "-print_final_stats=1",
        "-verbosity=1",
    ]
    folders = dict.fromkeys([str(grown), str(CORPUS / target)])
    atheris.Setup([sys.argv[0], *flags, *folders], check, custom_mutator=mutator)
    atheris.Fuzz()


def unguided(target: str, count: int, failures: Path, seed: int) -> int:
    """Check ``count`` inputs; returns how many failed."""
    failed = 0
    for number, data in enumerate(inputs(target, count, seed)):
        try:
            TARGETS[target].check(data)
        except Exception as error:
            failures.mkdir(parents=True, exist_ok=True)
            (failures / f"{target}-{number}").write_bytes(data)
            print(f"{target}: input {number}: {type(error).__name__}: {error}")
            failed += 1
    print(f"{target}: {count} inputs, {failed} failed")
    return failed


def main() -> int:
    """Fuzz one target or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("target", choices=[*TARGETS, "all"])
    parser.add_argument("--seconds", type=int, default=60, help="of a guided run")
    parser.add_argument("--inputs", type=int, default=0, help="mutations instead of a guided run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="add what is found to the corpus")
    parser.add_argument("--failures", type=Path, default=Path("runs", "fuzz"))
    args = parser.parse_args()
    if args.target == "all" or args.inputs:
        names = TARGETS if args.target == "all" else [args.target]
        count = args.inputs or 1000
        return int(sum(unguided(n, count, args.failures, args.seed) for n in names) > 0)
    guided(args.target, args.seconds, args.keep, args.failures, args.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
