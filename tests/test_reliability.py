"""When the machine fails: full disks, damaged caches and files, two processes at once.

What is saved is whole or not there, what cannot be read is named, and a cache is only ever a cache.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from agents.app.cli import BAD_INPUT, main
from agents.network import PolicyError, PolicyValueNet, load_policy, save_policy
from agents.training import CheckpointError, train
from agents.training.checkpoint import load_checkpoint, save_checkpoint
from agents.training.config import ConfigError, load_config
from euchre_env._files import write_whole
from euchre_env.record import RecordError, load_records, save_records
from euchre_env.ruleset import Ruleset, RulesetError
from tests.small_runs import quiet, tiny
from tests.test_jit_cache import ANNOUNCED, POINTS, copy, start  # noqa: F401 - a fixture

resource = pytest.importorskip("resource", reason="limits on file sizes need a Unix system")
ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "euchre_env" / "data" / "egn" / "league-06.egn"

# --- a full disk -------------------------------------------------------------------------------


@contextlib.contextmanager
def full_disk(room: int) -> Iterator[None]:
    """Let the kernel refuse every write past so many bytes of a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _save_ruleset(path: Path) -> None:
    Ruleset().save(path)


def _save_policy(path: Path) -> None:
    save_policy(path, PolicyValueNet([8]), {})


def _save_record(path: Path) -> None:
    save_records(path, load_records(RECORD))


WRITERS: dict[str, Callable[[Path], None]] = {
    "rules.yaml": _save_ruleset,
    "rules.json": _save_ruleset,
    "policy.safetensors": _save_policy,
    "game.egn": _save_record,
    "game.jsonl": _save_record,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_older_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"older")
    with full_disk(100), pytest.raises(OSError, match=name):
        WRITERS[name](path)
    assert path.read_bytes() == b"older"
    assert os.listdir(tmp_path) == [name]
    WRITERS[name](path)
    assert path.stat().st_size > 100


def test_a_full_disk_is_one_line_of_a_verb(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with full_disk(100):
        status = main(["record", "convert", str(RECORD), "game.jsonl"])
    said = capsys.readouterr().err
    assert status == BAD_INPUT and said.startswith("euchre: error: game.jsonl: ")
    assert not os.listdir(tmp_path)


def test_a_run_stops_on_a_full_disk_and_keeps_what_it_has(tmp_path: Path) -> None:
    with full_disk(3000), pytest.raises(CheckpointError, match="cannot write"):
        train(tiny(tmp_path), say=quiet)
    folder = tmp_path / "tiny"
    assert not list(folder.glob(".*")) and not list(folder.glob("*.pt"))
    older = save_checkpoint(folder, 1, {}, {})
    with full_disk(3000), pytest.raises(CheckpointError, match="cannot write"):
        save_checkpoint(folder, 2, {}, {"learner": torch.zeros(9000)})
    assert load_checkpoint(older)["iteration"] == 1 and list(folder.glob("*.pt")) == [older]


def test_the_engine_runs_where_its_code_cannot_be_kept(copy: Path, tmp_path: Path) -> None:  # noqa: F811
    limited = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n{POINTS}"
    cache = {"EUCHRE_ENV_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    assert start(limited, copy, **cache)[0] == [1, 0]
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert start(POINTS, copy, **cache) == ([1, 0], True)


# --- the cache of compiled code ----------------------------------------------------------------


def test_two_processes_compile_at_once(copy: Path, tmp_path: Path) -> None:  # noqa: F811
    go, cache = tmp_path / "go", tmp_path / "cache"
    script = (
        "import sys, time, pathlib\nfrom euchre_env import rules\nprint('ready', flush=True)\n"
        f"while not pathlib.Path({str(go)!r}).exists():\n    time.sleep(0.001)\n" + POINTS
    )
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")},
        "PYTHONPATH": str(copy.parent),
        "EUCHRE_ENV_CACHE": str(cache),
    }
    several = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=copy.parent,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in several:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    go.touch()
    for process in several:
        said, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        assert said.split()[0] == "1"
    assert start(POINTS, copy, EUCHRE_ENV_CACHE=str(cache)) == ([1, 1], False)
    assert not list(cache.rglob("*.tmp*"))


def test_a_damaged_cache_is_compiled_anew(copy: Path, tmp_path: Path) -> None:  # noqa: F811
    cache = tmp_path / "cache"
    start(POINTS, copy, EUCHRE_ENV_CACHE=str(cache))
    harms: dict[str, Callable[[bytes], bytes]] = {
        "nbi": lambda data: b"",
        "nbc": lambda data: data[: len(data) // 2],
        "nb?": lambda data: data[::-1],
    }
    for kind, harm in harms.items():
        files = list(cache.rglob(f"*.{kind}"))
        assert files
        for path in files:
            path.write_bytes(harm(path.read_bytes()))
        assert start(POINTS, copy, EUCHRE_ENV_CACHE=str(cache)) == ([1, 0], True), kind
    assert start(POINTS, copy, EUCHRE_ENV_CACHE=str(cache)) == ([1, 1], False)


# --- damaged files -----------------------------------------------------------------------------


READERS: dict[str, tuple[Callable[[Path], Any], type[Exception]]] = {
    "rules.yaml": (Ruleset.load, RulesetError),
    "rules.json": (Ruleset.load, RulesetError),
    "game.egn": (load_records, RecordError),
    "game.jsonl": (load_records, RecordError),
    "run.yaml": (load_config, ConfigError),
    "policy.safetensors": (load_policy, PolicyError),
    "checkpoint-000001.pt": (load_checkpoint, CheckpointError),
}
DAMAGE = {
    "noise": bytes(range(256)),
    "a list": b"[1, 2, {]",
    "nul": b"\0" * 300,
    "text": b"\xff\xfe",
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_named_and_left_alone(name: str, damage: str, tmp_path: Path) -> None:
    read, error = READERS[name]
    path = tmp_path / name
    path.write_bytes(DAMAGE[damage])
    with pytest.raises(error, match=name) as caught:
        read(path)
    assert len(str(caught.value)) < 1000
    assert path.read_bytes() == DAMAGE[damage] and os.listdir(tmp_path) == [name]


def test_half_a_character_is_refused_before_it_cannot_be_written(tmp_path: Path) -> None:
    """Found by the fuzzer: such a record could be loaded, but neither shown nor saved."""
    game = json.loads(RECORD.read_text("utf-8"))
    game["metadata"]["players"] = ["\ud800", "East", "South", "West"]
    path = tmp_path / "game.egn"
    path.write_text(json.dumps(game), "utf-8")
    with pytest.raises(RecordError, match=r"'\\ud800' is half a character"):
        load_records(path)


# --- writing -----------------------------------------------------------------------------------


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    texts = [bytes([65 + k]) * 300_000 for k in range(3)]
    write_whole(path, texts[0])
    script = (
        "import sys, pathlib\nfrom euchre_env._files import write_whole\n"
        f"path = pathlib.Path({str(path)!r})\n"
        "for k in range(60):\n    write_whole(path, bytes([65 + k % 3]) * 300_000)\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    seen = set()
    while writer.poll() is None:
        data = path.read_bytes()
        assert data in texts
        seen.add(data[:1])
        time.sleep(0.001)
    assert writer.returncode == 0 and seen
    assert os.listdir(tmp_path) == ["file"]
