"""The `euchre` command: verbs, exit codes, last lines, errors."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agents.app import bench, cli, doctor
from agents.app.cli import VERBS, Verb, main
from euchre_env.cards import deck_of
from euchre_env.record import GameRecord, load_records, record_hand, write_jsonl
from euchre_env.ruleset import Ruleset
from tests.table import ROUND_TWO

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(__file__).parent / "data"
EGN = Path(__file__).resolve().parents[1] / "euchre_env" / "data" / "egn"
CASES = DATA / "rules_cases.json"
GAMES = sorted(map(str, EGN.glob("*.egn")))
LEAGUE_6 = str(EGN / "league-06.egn")


def run(*arguments: str, code: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, or some Python code."""
    command = [sys.executable, *(["-c", code] if code else ["-m", "agents", *arguments])]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def renege(tmp_path: Path) -> str:
    """A copy of a real game in which South reneges in trick 2 of deal 3."""
    data = json.loads((EGN / "league-02.egn").read_text("utf-8"))
    tricks = data["deals"][3]["phases"][1]["tricks"]
    tricks[1][2], tricks[3][3] = "Qh", "9s"
    file = tmp_path / "renege.egn"
    file.write_text(json.dumps(data))
    return str(file)


def last_line(text: str) -> str:
    return text.rstrip("\n").splitlines()[-1]


def the_error(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line of stderr; nothing was printed besides."""
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("euchre: error: ")
    return lines[0]


# ---- cases ---------------------------------------------------------------------------------------


def test_cases(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cases", str(CASES)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["161 passed, 0 failed"]


def test_cases_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cases", "--json", str(CASES), str(CASES)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["passed"], data["failed"]) == (322, 0)
    assert len(data["cases"]) == 322


def test_a_failing_case_is_told_and_gives_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(CASES.read_text("utf-8"))
    next(c for c in data["cases"] if c["id"] == "SC-03")["answer"]["points"] = [1, 0]
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(data))
    assert main(["cases", str(file)]) == 1
    out = capsys.readouterr().out
    assert last_line(out) == "160 passed, 1 failed"
    told = f"{file}: SC-03: failed: points: expected [1, 0], the engine says [2, 0]"
    assert told in out


@pytest.mark.parametrize("text", ["{", "{}"])
def test_a_file_that_holds_no_cases(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.json"
    file.write_text(text)
    assert main(["cases", str(file)]) == 2
    assert str(file) in the_error(capsys)


# ---- record --------------------------------------------------------------------------------------


def test_record_verify(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "verify", *GAMES]) == 0
    assert capsys.readouterr().out == "81 passed, 0 failed\n"


def test_record_verify_tells_faults(renege: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "verify", renege, LEAGUE_6]) == 1
    lines = capsys.readouterr().out.splitlines()
    told = "renege: QH does not follow suit, the hand still holds 9S"
    assert lines == [
        f"{renege}: deal 3, trick 2, seat 2 (South): {told}",
        "13 passed, 1 failed",
    ]


def test_record_verify_as_json(renege: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "verify", "--json", renege]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["passed"], data["failed"]) == (11, 1)
    (fault,) = data["files"][0]["faults"]
    assert (fault["deal"], fault["trick"], fault["seat"]) == (3, 2, 2)


def test_record_verify_of_malformed_json_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.egn"
    file.write_text("{")
    assert main(["record", "verify", str(file)]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"{file}: malformed JSON")
    assert last_line(out) == "0 passed, 1 failed"


def test_record_score(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "score", LEAGUE_6, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    keys = ("trump", "maker", "alone", "tricks", "points", "score")
    assert [[deal[key] for key in keys] for deal in data["deals"]] == [
        ["H", 2, True, [5, 0], [4, 0], [8, 9]],
        ["D", 2, False, [5, 0], [2, 0], [10, 9]],
    ]
    assert main(["record", "score", LEAGUE_6]) == 0
    assert last_line(capsys.readouterr().out).split() == ["1", "D", "2", "no", "5-0", "2-0", "10-9"]


def test_records_of_games_without_partners(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ruleset, call = Ruleset.preset("dirty_clubs"), "pass pass pass pass pass pass call_C"
    deal = record_hand(ruleset, deck_of(ROUND_TWO.split()), 2, f"{call} pass pass pass".split())
    file = str(tmp_path / "a.jsonl")
    write_jsonl(file, [GameRecord(ruleset=ruleset, deals=(deal,))])
    assert main(["record", "verify", file]) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed\n"
    assert main(["record", "score", file]) == 0
    cells = ["0", "C", "1", "no", "0/5/0/0", "0/5/0/0", "25/20/25/25"]
    assert last_line(capsys.readouterr().out).split() == cells
    assert main(["record", "convert", file, str(tmp_path / "a.egn")]) == 2
    assert "variant='buck': .egn holds the partnership game only" in the_error(capsys)
    for verb in ("analyse", "review"):
        assert main([verb, file]) == 2
        assert "for the partnership game only" in the_error(capsys)


def test_record_score_of_a_faulty_record(renege: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "score", renege, "--json"]) == 1
    out, err = capsys.readouterr()
    assert len(json.loads(out)["deals"]) == 12
    assert "trick 2, seat 2 (South)" in err


def test_record_convert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines, back = str(tmp_path / "a.jsonl"), str(tmp_path / "b.egn")
    assert main(["record", "convert", LEAGUE_6, lines]) == 0
    assert main(["record", "convert", lines, back]) == 0
    assert load_records(back) == load_records(LEAGUE_6)
    assert capsys.readouterr().out == f"{lines}: 1 game, 2 deals\n{back}: 1 game, 2 deals\n"


def test_record_convert_leaves_files_alone_where_it_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "bad.egn", tmp_path / "out.jsonl"
    source.write_text("{}")
    target.write_text("old")
    assert main(["record", "convert", str(source), str(target)]) == 2
    error = the_error(capsys)
    assert str(source) in error
    assert "'fileType'" in error
    assert "euchre record verify" in error
    assert target.read_text() == "old"
    assert main(["record", "convert", LEAGUE_6, str(tmp_path / "out.txt")]) == 2
    assert ".egn or .jsonl" in the_error(capsys)


# ---- rules, bench, doctor ------------------------------------------------------------------------


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "stick,target_score=5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Euchre to 5 with stick the dealer."
    assert "stick_the_dealer: true" in lines
    assert main(["rules", "british", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ruleset"]["joker"] is True


def test_rules_without_a_name_shows_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    out = capsys.readouterr().out
    assert "| `stick_the_dealer` |" in out
    assert "- `british`: Euchre to 11" in out


def test_rules_that_cannot_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "stik"]) == 2
    assert "did you mean 'stick'" in the_error(capsys)
    assert main(["rules", "joker=true,no_trump=round2"]) == 2
    assert "joker=False" in the_error(capsys)


def test_bench_measures_the_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--short", "--json", "--seconds", "0.02", "--seed", "3"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["seed"] == 3
    assert all(rate > 0 for rate in data["decisions_per_second"].values())
    assert main(["bench", "--short", "--seconds", "0.02"]) == 0
    assert "hands/s" in capsys.readouterr().out


def test_bench_runs_the_script_of_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "throughput.py"
    script.write_text(
        "import sys, pathlib\n"
        "pathlib.Path(sys.argv[sys.argv.index('--json') + 1]).write_text('{\"a\": 1}')\n"
        "sys.exit(1)\n"
    )
    monkeypatch.setattr(bench, "SCRIPT", script)
    monkeypatch.setattr(bench, "PEERS", ())
    monkeypatch.setattr(sys, "stderr", sys.__stderr__)
    assert main(["bench", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"a": 1}


def test_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) in (0, 1)
    findings = {f["name"]: f for f in json.loads(capsys.readouterr().out)}
    assert findings["self-test"]["ok"]
    assert findings["package agents"]["value"] == str(ROOT / "agents")
    assert "numba" in findings
    main(["doctor"])
    assert "ok    self-test" in capsys.readouterr().out


def test_doctor_finds_a_package_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert f"WRONG name clash: {tmp_path / 'agents'} is on the path" in out


def test_doctor_finds_another_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "packages_distributions", lambda: {"agents": ["euchre-env", "tf"]})
    clashes = [f for f in doctor.packages() if not f.ok]
    assert "tf installs 'agents' too" in clashes[0].value


# ---- the command itself --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["castle"], "no verb is called 'castle'"),
        (["cases"], "FILE"),
        (["record"], "verify"),
        (["record", "verifie", "x"], "verifie"),
        (["rules", "--colour"], "--colour"),
        (["cases", "none.json"], "none.json: No such file"),
        (["record", "verify", "none.egn"], "none.egn: No such file"),
        (["record", "verify", str(DATA)], str(DATA)),
        (["cases", "--seed", "x", "y"], "--seed"),
        (["bench", "--short", "--seconds", "nan"], "nan must be a number above zero"),
        (["bench", "--short", "--seconds", "-1"], "-1 must be a number above zero"),
        (["record", "convert", LEAGUE_6, "none/x.egn"], "none/x.egn: No such file or directory"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert words in the_error(capsys)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    assert f"usage: euchre {verb}" in capsys.readouterr().out


def test_every_verb_takes_a_seed(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in VERBS:
        calls = (
            [[verb]] if verb != "record" else [[verb, v] for v in ("verify", "score", "convert")]
        )
        for call in calls:
            assert main([*call, "--help"]) == 0
            assert "--seed" in capsys.readouterr().out


@pytest.mark.parametrize("seed", ["-1", str(2**70)])
def test_any_whole_number_is_a_seed(seed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--seed", seed]) == 0
    assert main(["bench", "--short", "--seconds", "0.02", "--seed", seed]) == 0
    assert main(["match", "random", "greedy", "--deals", "4", "--seed", seed]) == 0
    assert capsys.readouterr().err == ""


def test_overview_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    overview = capsys.readouterr().out
    assert all(f"  {verb}" in overview for verb in VERBS)
    assert main([]) == 2
    assert capsys.readouterr().out == overview
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip()


def planted(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """A verb ``fail`` that raises an error."""

    def fail(_: Any) -> int:
        raise error

    module = SimpleNamespace(add_fail_arguments=lambda parser: None, run_fail=fail)
    monkeypatch.setitem(VERBS, "fail", Verb(".fail", "fail"))
    monkeypatch.setattr(cli, "import_module", lambda *_: module)


def test_a_closed_stdout_is_no_error() -> None:
    code = "import sys; sys.stdout = None; from agents.app.cli import main; sys.exit(main())"
    done = run(code=code + "  # euchre --version >&-")
    assert done.returncode == 2 and done.stderr == ""


def test_ctrl_c_is_one_line_and_status_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planted(monkeypatch, KeyboardInterrupt())
    assert main(["fail"]) == 130
    assert capsys.readouterr().err == "euchre: interrupted\n"


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, ValueError("a bug"))
    with pytest.raises(ValueError, match="a bug"):
        main(["fail"])


def test_errors_of_several_lines_become_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planted(monkeypatch, OSError("one\n  two"))
    assert main(["fail"]) == 2
    assert the_error(capsys) == "euchre: error: one two"


# ---- in a process of its own ---------------------------------------------------------------------


def test_python_m_agents() -> None:
    done = run("record", "verify", LEAGUE_6)
    assert (done.returncode, done.stdout) == (0, "2 passed, 0 failed\n")
    assert run("record", "verify", "none.egn").returncode == 2


def test_cases_never_imports_torch() -> None:
    code = (
        "import sys; from agents.app.cli import main; "
        f"status = main(['cases', {str(CASES)!r}]); "
        "print(sorted({m.partition('.')[0] for m in sys.modules} & {'torch', 'pettingzoo'})); "
        "sys.exit(status)"
    )
    done = run(code=code)
    assert done.returncode == 0
    assert last_line(done.stdout) == "[]"


def test_a_reader_that_goes_away_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "agents", "rules"]
    with open(writer, "w") as out:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (141, b"")
