"""Watching agents play: as lines, drawn in a terminal, at a pace, and stopped."""

import sys
import time

import pytest

from agents.app.cli import BAD_INPUT, INTERRUPTED, main
from agents.app.terminal import TerminalError, seats_of


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
    assert seats_of(["a"]) == ["a"] * 4
    assert seats_of(["a", "b"]) == ["a", "b", "a", "b"]
    assert seats_of(["a", "b", "c", "d"]) == ["a", "b", "c", "d"]
    with pytest.raises(TerminalError, match="3 agents: name one for all seats, two"):
        seats_of(["a", "b", "c"])


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
