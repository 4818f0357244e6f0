"""The verb `sweep`: the runs of a grid, finished and broken off, and their results."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents.app import sweep as module
from agents.app.cli import main
from agents.app.sweep import RESULTS, combinations, load_sweep, merged, nested, run_name, sweep_text
from agents.training import CheckpointError, ConfigError
from agents.training.checkpoint import checkpoints

ROOT = Path(__file__).resolve().parent.parent
BASE = """
iterations: 2
threads: 1
network: {hidden: [8]}
rollout: {hands: 32}
ppo: {minibatch: 64, epochs: 1}
evaluation: {opponents: [first_legal, random], final_deals: 50}
"""
SWEEP = """
name: little
base: base.yaml
ppo: {epochs: 2}
grid:
  ppo.entropy: [0, 0.02]
  seed: [1, 2]
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sweep of four runs of a second, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.yaml").write_text(BASE)
    path = tmp_path / "little.yaml"
    path.write_text(SWEEP)
    return path


def sweep(file: Path, *more: str) -> list[str]:
    return ["sweep", str(file), "--folder", str(file.parent / "runs"), *more]


def rows_of(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The runs that the verb printed as JSON."""
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["runs"]
    return found


def shown(rows: list[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """Points and interval of each run against its first opponent."""
    matches = {row["run"]: row["matches"]["first_legal"] for row in rows}
    return {name: (m["points_per_hand"], m["ci95"]) for name, m in matches.items()}


# --- reading -----------------------------------------------------------------------------------


def test_every_combination_is_a_run_on_top_of_the_base(file: Path) -> None:
    found = load_sweep(file, {"threads": 3})
    assert list(found.runs) == [
        "ppo.entropy=0,seed=1",
        "ppo.entropy=0,seed=2",
        "ppo.entropy=0.02,seed=1",
        "ppo.entropy=0.02,seed=2",
    ]
    last = found.runs["ppo.entropy=0.02,seed=2"]
    assert (last.ppo.entropy, last.seed, last.ppo.epochs, last.ppo.minibatch) == (0.02, 2, 2, 64)
    assert (last.folder, last.name, last.threads) == (
        str(Path("runs", "little")),
        "ppo.entropy=0.02,seed=2",
        3,
    )
    assert found.values["ppo.entropy=0,seed=2"] == {"ppo.entropy": 0, "seed": 2}


def test_the_last_setting_changes_first() -> None:
    assert combinations({"a": [1, 2], "b": [3, 4]}) == [
        {"a": 1, "b": 3},
        {"a": 1, "b": 4},
        {"a": 2, "b": 3},
        {"a": 2, "b": 4},
    ]


def test_settings_go_on_top_section_by_section() -> None:
    below = {"seed": 1, "ppo": {"rate": 1, "clip": 2}}
    assert merged(below, nested("ppo.rate", 3)) == {"seed": 1, "ppo": {"rate": 3, "clip": 2}}
    assert merged(below, nested("seed", 3)) == {"seed": 3, "ppo": {"rate": 1, "clip": 2}}
    assert below == {"seed": 1, "ppo": {"rate": 1, "clip": 2}}


def test_a_run_is_named_so_that_a_folder_can_be() -> None:
    assert run_name({"network.hidden": [64, 64]}) == "network.hidden=64+64"
    paths = [run_name({"init": path}) for path in ("a/b", "a:b")]
    assert [name[:9] for name in paths] == ["init=a_b-"] * 2 and paths[0] != paths[1]
    assert len(run_name({"ruleset": "x" * 500})) < 120


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("grid:", "gird:"), "a sweep needs `grid`"),
        (("[1, 2]", "1"), "grid: seed must have a list of values, not 1"),
        (("[1, 2]", "[]"), "grid: seed must have a list of values"),
        (("[1, 2]", "[1, 1]"), "a value is there twice"),
        (("[0, 0.02]", "[0.02, 2e-2]"), "a value is there twice"),
        (("[1, 2]", "[1, -2]"), "seed=-2 must be from 0"),
        (("ppo.entropy", "ppo.entropi"), "did you mean 'ppo.entropy'"),
        (("ppo: {epochs: 2}", "pro: {epochs: 2}"), "unknown setting 'pro'"),
        (("  seed:", "  threads:"), "threads is the same for all runs"),
        (("  seed:", "  evaluation.deals:"), "evaluation.deals is the same for all runs"),
        (("  seed:", "  name:"), "name is the same for all runs"),
        (("base.yaml", "bas.yaml"), "there is no configuration file .*bas.yaml.*base.yaml"),
        (("ppo: {epochs: 2}", "evaluation: {opponents: []}"), "evaluation.opponents is empty"),
        (("ppo: {epochs: 2}", "evaluation: {opponents: [gredy]}"), "no agent is called 'gredy'"),
        (("ppo: {epochs: 2}", "teacher: {agent: heuristik}"), "did you mean 'heuristic'"),
        (("name: little", "name: a/b"), "must be a plain folder name"),
    ],
)
def test_a_bad_sweep_is_told_before_anything_is_trained(
    change: tuple[str, str], message: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(SWEEP.replace(*change))
    assert main(sweep(file)) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1
    with pytest.raises(ValueError, match=message):
        load_sweep(file, {})
    assert not (file.parent / "runs").exists()


def test_a_seed_beside_those_of_the_grid_is_refused(file: Path) -> None:
    assert load_sweep(file, {"threads": 1})
    with pytest.raises(ConfigError, match="seed has values here: leave out --seed"):
        load_sweep(file, {"seed": 3})


def test_a_training_run_of_the_same_name_is_refused(file: Path) -> None:
    taken = file.parent / "runs" / "little"
    taken.mkdir(parents=True)
    (taken / "checkpoint-000001.pt").touch()
    with pytest.raises(ConfigError, match="is a training run: give the sweep another name"):
        load_sweep(file, {})


# --- running -----------------------------------------------------------------------------------


def test_a_sweep_ranks_its_runs_and_does_none_twice(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(sweep(file, "--json")) == 0
    rows = rows_of(capsys)
    points = [row["matches"]["first_legal"]["points_per_hand"] for row in rows]
    assert len(points) == 4 and points == sorted(points, reverse=True)
    kept = (file.parent / "runs" / "little" / RESULTS).read_text("utf-8").splitlines()
    assert [json.loads(line)["run"] for line in kept] == list(load_sweep(file, {}).runs)
    assert sorted(map(json.loads, kept), key=lambda row: row["run"]) == sorted(
        rows, key=lambda row: row["run"]
    )
    for row in rows:
        assert Path(row["policy"]).is_file() and row["decisions"] > 0

    def never(*_: Any) -> None:
        raise AssertionError("a finished run was trained")

    monkeypatch.setattr(module, "train_run", never)
    assert main(sweep(file)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["run", "first_legal", "random", "decisions", "seconds"]
    assert [line.split()[0] for line in lines[1:5]] == [row["run"] for row in rows]
    best = rows[0]["matches"]["first_legal"]
    assert f"{best['points_per_hand']:+.4f} ± {best['ci95']:.4f}" in lines[1]


def test_a_sweep_goes_on_where_it_was_broken_off(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(sweep(file, "--json")) == 0
    whole = shown(rows_of(capsys))
    said: list[str] = []

    def stop(line: str) -> None:
        said.append(line)
        if line.lstrip().startswith("1/2") and any("run 2 of 4" in s for s in said):
            raise KeyboardInterrupt

    again = file.parent / "again"
    begun = load_sweep(file, {"folder": str(again)})
    with pytest.raises(KeyboardInterrupt):
        module.finish(begun, stop)
    half = again / "little" / "ppo.entropy=0,seed=2"
    assert [path.name for path in checkpoints(half)][-1] == "checkpoint-000001.pt"
    killed = again / "little" / "ppo.entropy=0.02,seed=1"  # before its first checkpoint
    killed.mkdir()
    (killed / ".checkpoint-000000.pt.123").touch()
    said.clear()
    assert shown(module.finish(begun, said.append)) == whole
    assert "run 1 of 4, ppo.entropy=0,seed=1: finished before" in said
    assert f"continuing {half} after iteration 1" in said
    assert sorted(path.name for path in (again / "little").iterdir() if path.is_dir()) == sorted(
        begun.runs
    )


def test_only_the_matches_are_played_again_when_only_they_change(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(SWEEP.replace("[1, 2]", "[1]"))
    assert main(sweep(file)) == 0
    file.write_text(SWEEP.replace("[1, 2]", "[1]") + "evaluation: {final_deals: 60}\n")
    capsys.readouterr()
    assert main(sweep(file, "--json")) == 0
    out, err = capsys.readouterr()
    assert [row["matches"]["random"]["deals"] for row in json.loads(out)["runs"]] == [60, 60]
    assert "1/2" not in err and err.count("after iteration 2") == 2


def test_other_settings_for_a_run_that_was_begun_are_refused(file: Path) -> None:
    file.write_text(SWEEP.replace("[1, 2]", "[1]"))
    assert main(sweep(file)) == 0
    file.write_text(SWEEP.replace("[1, 2]", "[1]").replace("epochs: 2", "epochs: 3"))
    changed = load_sweep(file, {"folder": str(file.parent / "runs")})
    with pytest.raises(CheckpointError, match=r"ppo\.epochs is 2, not 3\): give another name"):
        module.finish(changed, print)


def test_matches_are_under_the_rules_beside_the_grid(file: Path) -> None:
    grid = SWEEP.replace("seed: [1, 2]", "ruleset: [stick, american]").replace(", 0.02", "")
    file.write_text(grid + "ruleset: british\n")
    found = load_sweep(file, {"folder": str(file.parent / "runs")})
    rows = module.finish(found, lambda _: None)
    assert {row["matches"]["random"]["ruleset"] for row in rows} == {"british"}
    assert "rules british" in sweep_text(found, rows)


def test_a_file_that_holds_no_results_is_refused(file: Path) -> None:
    folder = file.parent / "runs" / "little"
    folder.mkdir(parents=True)
    (folder / RESULTS).write_text("[1]\n")
    with pytest.raises(ConfigError, match=r"results\.jsonl holds other things"):
        module.finish(load_sweep(file, {}), print)
