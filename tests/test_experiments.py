"""Experiments: the files of the project, what a file may hold, and runs that are broken off."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agents.app.cli import main
from agents.app.experiment import check_commands
from agents.evaluation import experiments as module
from agents.evaluation.experiments import (
    RESULTS,
    TABLE,
    ExperimentError,
    load_experiment,
    read_results,
)
from agents.evaluation.machine import machine, machine_text
from agents.training import load_config
from tests.test_docs import FENCE, commands

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "configs" / "experiments").glob("*.y*ml"))
README = (ROOT / "README.md").read_text("utf-8")

TELL = """
import json, os, sys, time
number = int(sys.argv[1])
open("started", "a").write(f"{number} {os.getpid()}\\n")
while os.path.exists(f"wait-{number}"):
    time.sleep(0.01)
if number == 13:
    sys.exit("no luck")
print("some words first")
print(json.dumps({"n": number, "twice": 2 * number, "seed": 1}))
"""
SMALL = """
title: Numbers
columns: [number, twice]
line: ["{n}", "{twice:,.1f}"]
quick: "0"
rows:
  - python tell.py 1
  - python tell.py 2
  - run: python tell.py 3
    lines: [["three", "{twice}"], ["again", "{row[command]}"]]
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An experiment of three short commands, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tell.py").write_text(TELL)
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    return path


def started() -> list[int]:
    """The numbers of the commands that were started, in order."""
    path = Path("started")
    return [int(line.split()[0]) for line in path.read_text().splitlines()] if path.exists() else []


# --- the project's own -------------------------------------------------------------------------


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_file_of_the_project_loads_and_its_commands_are_understood(
    path: Path, quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    experiment = load_experiment(path, quick=quick)
    check_commands(experiment)
    for row in experiment.rows:
        if row.words[1] == "train.py":
            assert row.words[-1] == "--continue" or quick
            given = [w for w in row.words[4:] if w != "--continue"]
            load_config(Path(row.words[3]), given)


def test_every_experiment_is_told_of_and_every_one_told_of_is_there() -> None:
    told = {word for c in commands() for word in re.findall(r"euchre experiment (\S+)", c)}
    here = {f"configs/experiments/{path.name}" for path in FILES}
    assert {word for word in told if "/" in word} == here
    for path in FILES:
        assert f"euchre experiment configs/experiments/{path.name}" in path.read_text("utf-8")


def test_the_example_of_the_pages_is_an_experiment(file: Path) -> None:
    page = (ROOT / "docs" / "reproducing.md").read_text("utf-8")
    (example,) = (text for _, kind, text in FENCE.findall(page) if kind == "yaml")
    file.write_text(example)
    experiment = load_experiment(file)
    check_commands(experiment)
    assert len(experiment.rows) == 2 and len(experiment.columns) == 2


def table_of(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading of the README, its header left out."""
    part = README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_each_row_of_the_readmes_strengths_is_a_row_of_the_experiment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    experiment = load_experiment(ROOT / "configs" / "experiments" / "strength.yaml")
    found = []
    for row in experiment.rows:
        if row.words[:2] == ("euchre", "match"):
            a, b, *options = row.words[2:]
            named = dict(zip(options[::2], options[1::2], strict=True))
            assert named.keys() == {"--deals", "--ruleset", "--seed"}
            assert (named["--ruleset"], named["--seed"]) == ("stick", "1")
            found.append((a.replace("runs/strength/", "runs/"), b, int(named["--deals"])))
    names = re.compile(r"`([^`]+)`")
    told = [
        (names.findall(a)[0], names.findall(b)[0], int(deals.replace(",", "")))
        for a, b, deals, _ in table_of("Strength")
    ]
    assert len(told) > 10
    assert found == told
    assert "rule set `stick`, seed 1" in README


def test_each_row_of_the_readmes_speeds_is_a_line_of_the_experiment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    experiment = load_experiment(ROOT / "configs" / "experiments" / "speed.yaml")
    lines = [cells for row in experiment.rows for cells in row.lines]
    rows = table_of("Speed")
    assert len(rows) == 5
    for told, cells in zip(rows, lines):
        assert told[0] == cells[0]
        assert told[2].rpartition(": ")[0] == cells[2].rpartition(": ")[0]


def test_the_picture_of_the_ladder_is_what_the_readme_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    (row,) = load_experiment(ROOT / "configs" / "experiments" / "ladder.yaml").rows
    agents = row.words[2 : row.words.index("--deals")]
    assert len(agents) == 7 and agents[-1] == "champion"
    assert "--deals 20000 --ruleset stick --seed 1" in row.command
    assert "Every pair of seven players on 20,000 duplicate deals" in README


# --- reading -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title: Numbers", "titel: x", "unknown key 'titel': did you mean 'title'"),
        ("    lines:", "    line:", "unknown key 'line': did you mean 'lines'"),
        ("title: Numbers", "", "title must be text, not None"),
        ("title: Numbers", "title: [1]", "title must be text, not \\[1\\]"),
        ("  - python tell.py 1", "  - 7", "a row has the keys run, quick, lines, each, this is 7"),
        ("python tell.py 1", "python none.py", "no file 'none.py' here"),
        ("python tell.py 1", "rm -rf x", "must begin with 'euchre VERB' or 'python FILE'"),
        ("python tell.py 1", "euchre", "must begin with"),
        ("python tell.py 1", '"euchre match \'a"', "is no command: No closing quotation"),
        ("python tell.py 1", "python tell.py 2", "'python tell.py 2' is there twice"),
        ('line: ["{n}", ', "line: [", "a line of 1 cells for 2 columns"),
        ("python tell.py 1", "euchre mtch a b", "no verb is called 'mtch'"),
        ("python tell.py 1", "euchre match a b --dels 3", "'euchre match a b --dels 3'.*--dels"),
        ("title: Numbers", "title: {", "small.yaml is not valid YAML"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_before_anything_runs(
    old: str, new: str, message: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in SMALL
    file.write_text(SMALL.replace(old, new))
    assert main(["experiment", str(file)]) == 2
    assert re.search(message, capsys.readouterr().err)
    assert not started() and not Path("runs").exists()


def test_a_file_that_is_not_there_or_no_mapping(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiment", "none.yaml"]) == 2
    assert "none.yaml: No such file" in capsys.readouterr().err
    file.write_text("- 1\n")
    with pytest.raises(ExperimentError, match=r"small\.yaml: an experiment has the keys title,"):
        load_experiment(file)


# --- running -----------------------------------------------------------------------------------


def test_rows_are_run_once_and_told_as_a_table(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiment", str(file)]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[:9] == [
        "## Numbers",
        "",
        "| number | twice |",
        "| --- | --- |",
        "| 1 | 2.0 |",
        "| 2 | 4.0 |",
        "| three | 6 |",
        "| again | python tell.py 3 |",
        "",
    ]
    assert lines[9].startswith("3 of 3 commands, ") and machine_text(machine()) in lines[9]
    assert "row 2 of 3: python tell.py 2\n" in err
    assert Path("runs/small", TABLE).read_text("utf-8") == out
    assert main(["experiment", str(file)]) == 0
    again, err = capsys.readouterr()
    assert again == out
    assert err.count("done before") == 3 and started() == [1, 2, 3]


def test_a_result_says_how_it_came_about(file: Path) -> None:
    assert main(["experiment", str(file)]) == 0
    rows = [json.loads(line) for line in Path("runs/small", RESULTS).read_text().splitlines()]
    assert [row["figures"]["n"] for row in rows] == [1, 2, 3]
    row = rows[0]
    assert row["command"] == "python tell.py 1"
    assert row["figures"]["seed"] == 1
    assert row["version"] == module.__version__
    assert row["machine"]["cores"] == os.cpu_count()
    assert row["machine"]["libraries"]["numpy"][0].isdigit()
    assert row["status"] == 0 and row["seconds"] > 0
    assert {"revision", "code", "load"} <= row.keys()
    assert row["files"].keys() == {"tell.py"}


def test_a_row_counts_only_for_the_same_version_code_and_files(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["experiment", str(file)]) == 0
    with monkeypatch.context() as patched:
        patched.setattr(module, "__version__", "9.9.9")
        assert main(["experiment", str(file)]) == 0
    assert started() == [1, 2, 3] * 2
    with monkeypatch.context() as patched:
        patched.setattr(module, "code_digest", lambda apart: "other")
        assert main(["experiment", str(file)]) == 0
    assert started() == [1, 2, 3] * 3
    Path("tell.py").write_text(TELL + "# another\n")
    assert main(["experiment", str(file)]) == 0
    assert started() == [1, 2, 3] * 4
    assert len(read_results(Path("runs/small", RESULTS))) == 12


def test_a_changed_row_alone_is_run(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", str(file)]) == 0
    file.write_text(SMALL.replace("tell.py 2", "tell.py 20"))
    capsys.readouterr()
    assert main(["experiment", str(file), "--list"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line[:5] for line in told] == ["done ", "to do", "done "]
    assert main(["experiment", str(file)]) == 0
    assert started() == [1, 2, 3, 20]
    assert "| 20 | 40.0 |" in capsys.readouterr().out


def test_a_failing_row_is_named_and_the_others_are_run(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(SMALL.replace("tell.py 1", "tell.py 13"))
    silent = Path("silent.py")
    silent.write_text("print('no figures')")
    file.write_text(file.read_text() + "  - python silent.py\n")
    assert main(["experiment", str(file), "--folder", "elsewhere"]) == 1
    out, err = capsys.readouterr()
    assert "ended with status 1 and no figures: python tell.py 13" in err
    assert "ended with status 0 and no figures: python silent.py" in err
    assert "| 2 | 4.0 |" in out and "| three | 6 |" in out
    assert out.splitlines()[-2:] == ["missing: `python tell.py 13`", "missing: `python silent.py`"]
    assert len(read_results(Path("elsewhere/small", RESULTS))) == 2


def test_figures_may_come_in_a_file_and_a_list_fills_a_line_each(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("write.py").write_text(
        "import json, sys\nassert sys.argv[1] == '--json' and len(sys.argv) == 3\n"
        "json.dump({'found': [{'x': 1}, {'x': 2.5}]}, open(sys.argv[2], 'w'))\nprint('a table')\n"
    )
    file.write_text(
        "title: A list\ncolumns: [x]\nrows:\n  - run: python write.py --json {json}\n"
        '    each: found\n    lines: [["{it[x]:.1f}"]]\n'
    )
    assert main(["experiment", str(file)]) == 0
    out, err = capsys.readouterr()
    assert "| 1.0 |\n| 2.5 |\n" in out
    assert "a table" in err
    assert sorted(p.name for p in Path("runs/small").iterdir()) == [RESULTS, TABLE]


def test_a_cell_without_a_figure_is_an_error_and_the_results_stay(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(SMALL.replace("{twice}", "{thrice}"))
    assert main(["experiment", str(file)]) == 2
    assert "'python tell.py 3' gives no figure for a cell" in capsys.readouterr().err
    file.write_text(SMALL)
    assert main(["experiment", str(file)]) == 0
    assert started() == [1, 2, 3]


def test_quick_and_seed_have_folders_of_their_own(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(
        "title: T\nquick: --deals 2\nrows:\n"
        "  - euchre match random first_legal --deals 500 --seed 1\n"
        "  - python tell.py 1\n  - {run: python tell.py 2, quick: more}\n"
    )
    assert main(["experiment", str(file), "--list", "--quick", "--seed", "7"]) == 0
    assert [line[6:] for line in capsys.readouterr().out.splitlines()] == [
        "euchre match random first_legal --deals 500 --seed 1 --seed 7 --deals 2",
        "python tell.py 1 --deals 2",
        "python tell.py 2 more",
    ]
    assert main(["experiment", str(file), "--quick", "--seed", "7", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["folder"] == str(Path("runs", "small-quick-seed7"))
    figures = told["rows"][0]["figures"]
    assert (figures["deals"], figures["seed"], figures["a"]) == (2, 7, "random")


def test_a_file_that_holds_no_results_is_refused(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("runs/small").mkdir(parents=True)
    Path("runs/small", RESULTS).write_text('{"command": "x"}\n')
    assert main(["experiment", str(file)]) == 2
    assert f"{RESULTS}:1: no result of an experiment" in capsys.readouterr().err
    assert not started()


# --- broken off --------------------------------------------------------------------------------


def wait_for(what: str, process: subprocess.Popen[str]) -> list[str]:
    """The words of the line of the file ``started`` that begins so, once it is there."""
    while True:
        text = Path("started").read_text() if Path("started").exists() else ""
        for line in text.splitlines(keepends=True):
            if line.startswith(what) and line.endswith("\n"):
                return line.split()
        assert process.poll() is None, "the experiment ended early"
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs signals to processes")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_experiment_killed_half_way_loses_the_row_in_progress_alone(
    number: signal.Signals, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("wait-2").touch()
    process = subprocess.Popen(
        [sys.executable, "-m", "agents", "experiment", str(file)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    child = int(wait_for("2 ", process)[1])
    process.send_signal(number)
    if number == signal.SIGKILL:  # cannot be heeded, so that the command goes on alone
        os.kill(child, signal.SIGKILL)
    _, err = process.communicate()
    assert process.returncode == (143 if number == signal.SIGTERM else -signal.SIGKILL)
    if number == signal.SIGTERM:
        assert not is_alive(child), "the command outlived the experiment"
        assert "the same experiment command goes on" in err
    assert [r["figures"]["n"] for r in read_results(Path("runs/small", RESULTS))] == [1]
    assert not Path("runs/small", TABLE).exists()
    Path("wait-2").unlink()
    assert main(["experiment", str(file)]) == 0
    assert started() == [1, 2, 2, 3]
    assert "| 1 | 2.0 |\n| 2 | 4.0 |\n| three | 6 |" in capsys.readouterr().out


def test_ctrl_c_half_way(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = subprocess.run

    def run(words: list[str], **options: Any) -> Any:
        if words[-2:] == ["2", "--json"]:
            raise KeyboardInterrupt
        return real(words, **options)

    with monkeypatch.context() as patched:
        patched.setattr(module.subprocess, "run", run)
        assert main(["experiment", str(file)]) == 130
    assert capsys.readouterr().err.endswith(
        "goes on with this row and the rest\neuchre: interrupted\n"
    )
    assert main(["experiment", str(file)]) == 0
    assert started() == [1, 2, 3]
