"""Pictures as text: golden tables, what colour adds, and when there is colour."""

import io
import re

import pytest
from test_render import drawn, figures, made
from test_render_pictures import MOMENTS, PICTURES

from euchre_env.render import ansi, wants_colour

CODE = re.compile(r"\x1b\[[\d;]*m")


@pytest.mark.parametrize("name", MOMENTS)
def test_golden_text(name: str) -> None:
    """Written anew, with the golden pictures, by ``python tests/test_render_pictures.py``."""
    expected = (PICTURES / f"{name}.txt").read_text("utf-8")
    assert ansi(MOMENTS[name].items()) + "\n" == expected


@pytest.mark.parametrize("name", MOMENTS)
def test_colour_adds_codes_and_nothing_else(name: str) -> None:
    items = MOMENTS[name].items()
    coloured = ansi(items, colour=True)
    assert len(CODE.findall(coloured)) > 20
    lines = [line.rstrip() for line in CODE.sub("", coloured).split("\n")]
    assert lines == ansi(items, symbols=True).split("\n")
    assert len(lines) == 24 and max(map(len, lines)) <= 80
    for line in coloured.split("\n"):  # no line leaves its colour to the next one
        codes = CODE.findall(line)
        assert not codes or codes[-1] == "\x1b[0m"


def test_plain_text_is_ascii_and_names_cards_as_actions_do() -> None:
    shown = ansi(drawn(made("pass", render_mode="ansi")))
    assert shown.isascii() and "[TD]" in shown and "[KH]" in shown


def test_cards_in_colour() -> None:
    env = made("pass pass pass order_up with_partner 9D AD TD")
    shown = ansi(drawn(env, 0), colour=True)
    assert "\x1b[30;107m[K♠]\x1b[0m" in shown
    assert "\x1b[31;107m[9♥]\x1b[0m" in shown
    assert "\x1b[31;103m(A♦)\x1b[0m" in shown  # winning
    assert "\x1b[97;44m[##]\x1b[0m" in shown


def test_bars() -> None:
    items = drawn(made("pass"), overlay=figures(("pass", 0.75, 0.5), ("order_up", 0.25, -0.5)))
    assert "pass            ######.. 75%  +0.50" in ansi(items)
    assert "order up        ██░░░░░░ 25%  -0.50" in ansi(items, symbols=True)


# ---- when ----------------------------------------------------------------------------------------


class Stream(io.TextIOWrapper):
    def __init__(self, terminal: bool, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self.terminal = terminal

    def isatty(self) -> bool:
        return super().isatty() or self.terminal  # an error once it is closed


@pytest.mark.parametrize(
    ("terminal", "encoding", "environ", "expected"),
    [
        (True, "utf-8", {}, True),
        (True, "utf-8", {"TERM": "xterm-256color"}, True),
        (True, "utf-8", {"TERM": "dumb"}, False),
        (True, "utf-8", {"NO_COLOR": "1"}, False),
        (True, "utf-8", {"NO_COLOR": ""}, True),
        (True, "latin-1", {}, False),  # it cannot write the suits
        (False, "utf-8", {}, False),
        (False, "utf-8", {"FORCE_COLOR": "1"}, True),
        (False, "utf-8", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_when_there_is_colour(
    terminal: bool, encoding: str, environ: dict[str, str], expected: bool
) -> None:
    assert wants_colour(Stream(terminal, encoding), environ) is expected


def test_streams_that_are_no_terminals() -> None:
    closed = Stream(True)
    closed.close()
    for stream in (closed, io.StringIO(), object()):
        assert wants_colour(stream, {}) is False


def test_the_environment_colours_what_a_terminal_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    env = made(render_mode="ansi")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", Stream(False))
    assert env.render() == ansi(drawn(env))
    monkeypatch.setattr("sys.stdout", Stream(True))
    assert env.render() == ansi(drawn(env), colour=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert env.render() == ansi(drawn(env))
