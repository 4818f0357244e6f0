"""Rows in files, data sets, the loader, and the packaged deals."""

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from euchre_env.dataset import DataSet, manifest_path, read_manifest, write_manifest
from euchre_env.encoding import OBSERVATION_SIZE, layout_hash
from euchre_env.real_deals import real_games
from euchre_env.replay import replay
from euchre_env.rowfiles import COLUMNS, DataError, read_rows, row_dtype, write_rows
from euchre_env.ruleset import Ruleset


def some_rows(count: int, probabilities: bool, first: int = 0) -> Any:
    """Rows in which every field of every row differs from its neighbours'."""
    dice = np.random.default_rng(first + count)
    rows = np.zeros(count, row_dtype(probabilities))
    rows["hand"] = first + np.arange(count)
    rows["step"] = np.arange(count) % 40
    rows["seat"] = np.arange(count) % 4
    rows["phase"] = np.arange(count) % 8
    rows["ruleset"] = 300
    rows["action"] = np.arange(count) % 38
    rows["last"] = np.arange(count) % 2
    rows["reward"] = np.arange(count) % 9 - 4
    rows["observation"] = dice.integers(0, 256, (count, OBSERVATION_SIZE))
    rows["action_mask"] = dice.integers(0, 2, (count, 38))
    rows["action_mask"][:, 5] = 1
    if probabilities:
        rows["probabilities"] = dice.random((count, 38)) * rows["action_mask"]
        rows["probabilities"][0] = np.nan
    return rows


def same(a: Any, b: Any) -> bool:
    """Whether rows are equal, what is not a number included."""
    return a.dtype == b.dtype and a.tobytes() == np.ascontiguousarray(b).tobytes()


def data_set(folder: Path, sizes: list[int], probabilities: bool = False) -> DataSet:
    """A data set of the given shards, one row a hand."""
    shards, first = [], 0
    for number, size in enumerate(sizes):
        path = folder / f"x-{number}.npy"
        write_rows(path, some_rows(size, probabilities, first))
        shards.append(
            {"file": path.name, "first": first, "hands": size, "rows": size, "sha256": "0"}
        )
        first += size
    manifest = {
        "layout": layout_hash(),
        "agents": ["random"],
        "rulesets": [Ruleset.stick().to_dict()],
        "probabilities": probabilities,
        "seed": 1,
        "hands": first,
        "shards": shards,
    }
    write_manifest(folder / "x.npy.manifest.json", manifest)
    return DataSet.open(folder / "x.npy")


# ---- files of rows -------------------------------------------------------------------------------


@pytest.mark.parametrize("probabilities", [False, True])
@pytest.mark.parametrize("suffix", [".npy", ".jsonl", ".parquet"])
def test_rows_come_back_equal(tmp_path: Path, suffix: str, probabilities: bool) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    rows = some_rows(50, probabilities)
    path = tmp_path / f"x{suffix}"
    write_rows(path, rows)
    assert same(rows, read_rows(path, probabilities))
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_an_npy_file_is_mapped_and_not_unpickled(tmp_path: Path) -> None:
    write_rows(tmp_path / "x.npy", some_rows(3, False))
    assert isinstance(read_rows(tmp_path / "x.npy"), np.memmap)
    np.save(tmp_path / "bad.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(DataError, match=r"bad\.npy"):
        read_rows(tmp_path / "bad.npy")


def test_a_json_line_can_be_read_without_this_program(tmp_path: Path) -> None:
    rows = some_rows(2, True)
    write_rows(tmp_path / "x.jsonl", rows)
    first, second = map(json.loads, (tmp_path / "x.jsonl").read_text().splitlines())
    seen = zlib.decompress(base64.b64decode(second["observation"]))
    assert list(seen) == rows["observation"][1].tolist()
    assert second["legal"] == np.flatnonzero(rows["action_mask"][1]).tolist()
    assert len(second["probabilities"]) == len(second["legal"])
    assert first["probabilities"] is None
    assert (second["phase"], second["reward"], second["last"]) == ("name_trump", -3.0, True)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "{}",
        '{"hand": 1}',
        pytest.param("seat=300", id="a seat that does not fit"),
        pytest.param("phase='dance'", id="no phase"),
        pytest.param("legal=[38]", id="no action"),
        pytest.param("legal=[-1]", id="a negative action"),
        pytest.param(
            f"observation={base64.b64encode(zlib.compress(bytes(10**6))).decode()!r}",
            id="an observation that is too long",
        ),
        pytest.param("observation='eA=='", id="an observation cut short"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "x.jsonl"
    write_rows(path, some_rows(2, False))
    good, other = path.read_text().splitlines()
    key, equals, value = line.partition("=")
    if equals:
        line = json.dumps(json.loads(other) | {key: eval(value)})
    path.write_text(f"{good}\n{line}\n")
    with pytest.raises(DataError, match=r"x\.jsonl:2: no row"):
        read_rows(path)


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_a_file_that_is_cut_off_or_of_another_kind(tmp_path: Path, suffix: str) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"x{suffix}"
    write_rows(path, some_rows(20, False))
    with pytest.raises(DataError, match="of this data set"):
        read_rows(path, probabilities=True)
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(DataError, match=path.name):
        read_rows(path)


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"\.npy, \.jsonl, \.parquet"):
        write_rows(tmp_path / "x.npz", some_rows(1, False))


def test_parquet_without_pyarrow_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"euchre-env\[parquet\]"):
        write_rows(tmp_path / "x.parquet", some_rows(1, False))


def test_every_column_is_explained() -> None:
    assert tuple(COLUMNS) == row_dtype(True).names


# ---- data sets -----------------------------------------------------------------------------------


def test_batches_in_order_hold_all_rows(tmp_path: Path) -> None:
    data = data_set(tmp_path, [5, 3])
    batches = list(data.batches(2))
    assert [len(b["hand"]) for b in batches] == [2, 2, 1, 2, 1]
    assert np.concatenate([b["hand"] for b in batches]).tolist() == list(range(8))
    expected = np.concatenate([some_rows(5, False), some_rows(3, False, 5)])
    for name in data.columns:
        assert np.array_equal(np.concatenate([b[name] for b in batches]), expected[name])
    assert batches[0]["observation"].flags.writeable
    assert len(data) == 8 and data.complete and data.agents == ("random",)
    assert data.rulesets == (Ruleset.stick(),)


def test_shuffled_batches_hold_each_row_once_and_follow_the_seed(tmp_path: Path) -> None:
    data = data_set(tmp_path, [50, 30, 20])

    def hands(seed: int) -> list[int]:
        return [h for b in data.batches(7, seed=seed) for h in b["hand"].tolist()]

    assert hands(1) == hands(1) != hands(2)
    assert sorted(hands(1)) == list(range(100)) != hands(1)


def test_parts_share_a_pass(tmp_path: Path) -> None:
    data = data_set(tmp_path, [50, 30])
    parts = [
        [h for b in data.batches(4, seed=3, part=(k, 3)) for h in b["hand"].tolist()]
        for k in range(3)
    ]
    assert sorted(h for part in parts for h in part) == list(range(80))
    assert all(parts)


def test_only_the_columns_asked_for(tmp_path: Path) -> None:
    data = data_set(tmp_path, [4], probabilities=True)
    batch = next(data.batches(4, columns=["action", "probabilities"]))
    assert {name: a.shape for name, a in batch.items()} == {
        "action": (4,),
        "probabilities": (4, 38),
    }


def test_what_batches_refuses(tmp_path: Path) -> None:
    data = data_set(tmp_path, [4])
    with pytest.raises(DataError, match="no column 'card'"):
        data.batches(2, columns=["card"])
    with pytest.raises(DataError, match="no agent of this set gives any"):
        data.batches(2, columns=["probabilities"])
    with pytest.raises(DataError, match="part"):
        data.batches(2, part=(2, 2))
    with pytest.raises(ValueError, match="size=0"):
        data.batches(0)


def test_a_shard_with_other_rows_is_found(tmp_path: Path) -> None:
    data = data_set(tmp_path, [4, 4])
    write_rows(tmp_path / "x-1.npy", some_rows(3, False))
    with pytest.raises(DataError, match=r"x-1\.npy: 3 rows, the manifest says 4"):
        list(data.shards())


def test_verify_finds_a_changed_byte(tmp_path: Path) -> None:
    data = data_set(tmp_path, [4])
    with pytest.raises(DataError, match=r"x-0\.npy: not as it was written"):
        data.verify()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layout": "other"}, "layout other"),
        ({"version": 2}, "version 1"),
        ({"seed": "1"}, "'seed'"),
        ({"hands": True}, "'hands'"),
        ({"shards": [{}]}, "'file'"),
        (
            {"shards": [{"file": "../x", "first": 0, "hands": 1, "rows": 1, "sha256": ""}]},
            "does not lie beside",
        ),
    ],
)
def test_a_bad_manifest_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = data_set(tmp_path, [1]).path
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(DataError, match=message):
        DataSet.open(path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "x"}', "[" * 100_000])
def test_no_manifest_at_all(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.npy.manifest.json"
    path.write_text(text)
    with pytest.raises(DataError, match="no manifest"):
        read_manifest(path)
    assert manifest_path(tmp_path / "x.npy") == manifest_path(path) == path


# ---- the packaged deals --------------------------------------------------------------------------


def test_the_packaged_deals_are_81_and_keep_the_rules() -> None:
    games = real_games()
    assert list(games) == sorted(games) and len(games) == 8
    results = [result for game in games.values() for result in replay(game)[0]]
    assert len(results) == 81
    assert all(result.ok for result in results)
