"""The demo: one hand told with reasons, a match, three commands; the first line comes at once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agents.app import demo
from agents.app.cli import BAD_INPUT, main
from agents.app.demo import match_told, tell_hand
from agents.app.table import Table
from agents.evaluation.match import MatchResult
from euchre_env.ruleset import Ruleset

ROOT = Path(__file__).resolve().parent.parent
FEW = ["--deals", "20"]


def test_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", *FEW, "--seed", "3"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("One hand of euchre: heuristic in all seats")
    assert "deals and turns up the " in out
    assert out.count(" takes the trick") == 5
    assert " points a hand more than greedy (95 % interval, 20 deals" in " ".join(out.split())
    for command, _ in demo.NEXT:
        assert f"  {command}  " in out
    assert len(demo.NEXT) == 3
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_it_follows_the_seed(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for seed in ("3", "3", "4"):
        assert main(["demo", *FEW, "--seed", seed, "--json"]) == 0
        data = json.loads(capsys.readouterr().out)
        data["match"] = {k: v for k, v in data["match"].items() if "second" not in k}
        told.append(data)
    assert told[0] == told[1]
    assert told[0]["hands"] != told[2]["hands"]
    assert told[0]["match"]["deals"] == 20
    assert len(told[0]["next"]) == 3
    assert {len(hand) for hand in told[0]["hands"]} == {5}
    assert all(act["reason"] and act["text"] for act in told[0]["acts"])
    assert sum(told[0]["points"]) > 0


def test_every_act_of_some_hands_has_a_reason() -> None:
    for seed in range(20):
        table = Table(Ruleset.stick(), ["heuristic"] * 4, seed, length="hand")
        acts = list(tell_hand(table))
        assert table.over
        assert len(acts) == table.acts
        assert all(told.reason for told in acts)


def test_colour_and_symbols_where_they_are_wanted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert main(["demo", *FEW]) == 0
    out = capsys.readouterr().out
    assert "\x1b[2m" in out
    assert "♥" in out
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["demo", *FEW]) == 0
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("columns", [1, 30, 60, 200])
def test_windows_of_any_width(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["demo", *FEW]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]  # the first is written before all else
    assert max(map(len, lines)) <= max(20, columns)


@pytest.mark.parametrize(
    ("arguments", "message"), [(["--seed", "-1"], "--seed -1"), (["--deals", "0"], "deals")]
)
def test_bad_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", *arguments]) == BAD_INPUT
    assert message in capsys.readouterr().err


def test_the_first_line_waits_for_nothing_heavy() -> None:
    code = (
        "import sys, builtins\n"
        "from agents.app.cli import main\n"
        "def first(*words, **_):\n"
        "    heavy = [m for m in ('torch', 'rich', 'matplotlib', 'PIL', 'agents.evaluation',\n"
        "        'agents.heuristic', 'agents.app.table') if m in sys.modules]\n"
        "    sys.stdout.write(f'{words[0]}|{heavy}')\n"
        "    sys.exit(0)\n"
        "builtins.print = first\n"
        "main(['demo'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    line, heavy = done.stdout.split("|")
    assert line.startswith("One hand of euchre")
    assert heavy == "[]"


def result(points: float, ci95: float) -> MatchResult:
    return MatchResult("a", "b", 1000, points, ci95, ci95 / 2, None, 1.0, 1.0, "stick", 1, "0")


@pytest.mark.parametrize(
    ("points", "ci95", "ending"),
    [
        (0.2, 0.1, "the interval leaves zero out, so it is stronger."),
        (0.05, 0.1, "the interval holds zero, so these deals cannot tell them apart."),
        (-0.05, 0.1, "the interval holds zero, so these deals cannot tell them apart."),
        (-0.2, 0.1, "1,000 deals, 1.0 s)."),
    ],
)
def test_a_match_in_a_sentence(points: float, ci95: float, ending: str) -> None:
    assert match_told(result(points, ci95)).endswith(ending)
