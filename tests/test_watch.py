"""Watching agents play: as lines, drawn in a terminal, at a pace, and stopped."""

import sys
import time

import pytest

from agents.app.cli import BAD_INPUT, INTERRUPTED, main
from agents.app.terminal import TerminalError, seats_of
from euchre_env.ruleset import Ruleset


def test_a_game_as_lines(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["watch", "greedy", "heuristic", "--ruleset", "stick,target_score=2"]
    assert main([*arguments, "--seed", "3"]) == 0
    first = capsys.readouterr().out
    assert first.startswith("Hand 1: North-South 0, East-West 0\n  North  ")
    assert " win. North-South " in first.splitlines()[-1]
    assert "\x1b" not in first
    assert main([*arguments, "--seed", "3"]) == 0
    assert capsys.readouterr().out == first
    assert main([*arguments, "--seed", "4"]) == 0
    assert capsys.readouterr().out != first


def test_one_hand_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "greedy", "--length", "hand"]) == 0
    out = capsys.readouterr().out
    assert out.count("Hand ") == 1
    assert out.count(" takes the trick") in (0, 5)


def test_who_sits_where() -> None:
    pairs, three = Ruleset(), Ruleset.preset("three_hand")
    assert seats_of(["a"], pairs) == ["a"] * 4
    assert seats_of(["a", "b"], pairs) == ["a", "b", "a", "b"]
    assert seats_of(["a", "b", "c", "d"], pairs) == ["a", "b", "c", "d"]
    assert seats_of(["a"], three) == ["a"] * 3
    assert seats_of(["a", "b", "c"], three) == ["a", "b", "c"]
    with pytest.raises(TerminalError, match="3 agents: name one for all seats, two"):
        seats_of(["a", "b", "c"], pairs)
    with pytest.raises(
        TerminalError, match=r"2 agents: .* or 3 by seat, for North, East and South"
    ):
        seats_of(["a", "b"], three)


def test_a_game_without_partners_as_lines(capsys: pytest.CaptureFixture[str]) -> None:
    rules = "three_hand,target_score=2"
    assert main(["watch", "greedy", "random", "greedy", "--ruleset", rules, "--seed", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Hand 1: North 0, East 0, South 0"
    assert [line.split()[0] for line in lines[1:5]] == ["North", "East", "South", "dummy"]
    assert " wins. North " in lines[-1]


def test_a_game_that_counts_down_as_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "greedy", "--ruleset", "buck,target_score=5", "--seed", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Hand 1: North 5, East 5, South 5, West 5\n  North  ")
    assert "scores: North " in out
    assert main(["watch", "heuristic", "--ruleset", "buck"]) == BAD_INPUT
    assert "heuristic plays the partnership game only" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["greedy"] * 5, "5 agents: name one"),
        (["nobody"], "no agent is called 'nobody'"),
        (["greedy", "--delay", "-1"], "--delay -1: give a number of seconds from 0"),
        (["greedy", "--delay", "nan"], "--delay nan"),
        (["greedy", "--delay", "inf"], "--delay inf"),
        (["greedy", "--seed", "-2"], "--seed -2"),
        (["greedy", "--length", "week"], "invalid choice: 'week'"),
    ],
)
def test_bad_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", *arguments]) == BAD_INPUT
    assert message in capsys.readouterr().err


def test_the_pace(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    assert main(["watch", "greedy", "--length", "hand", "--delay", "2.5"]) == 0
    assert set(waits) == {2.5}
    acts = [line for line in capsys.readouterr().out.splitlines() if line[:2] != "  "]
    assert len(waits) == len(acts) - 2  # the title and the outcome


def test_an_interrupt_ends_it_cleanly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupted)
    assert main(["watch", "greedy"]) == INTERRUPTED
    assert capsys.readouterr().err == "euchre: interrupted\n"


if sys.platform != "win32":
    from tests.terminal import Terminal

    @pytest.mark.parametrize(("columns", "lines", "drawn"), [(80, 30, True), (40, 10, False)])
    def test_in_a_terminal_until_control_c(columns: int, lines: int, drawn: bool) -> None:
        arguments = ["watch", "greedy", "--delay", "0.2", "--seed", "3"]
        with Terminal(*arguments, columns=columns, lines=lines) as screen:
            screen.until("takes the trick\n")
            assert screen.interrupt_to_the_end() == INTERRUPTED
            assert "Traceback" not in screen.text
            assert ("North, greedy" in screen.text) == drawn
            assert max(map(len, screen.text.splitlines())) <= columns
