"""A seat at the table in the terminal: answers, help, records, and endings of every kind."""

import io
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agents.app import opinion as opinion_module
from agents.app.cli import BAD_INPUT, INTERRUPTED, main
from agents.app.play import Game, save_game
from agents.app.table import Table
from agents.app.terminal import Screen
from agents.app.words import NotUnderstood, parse_act
from euchre_env import rules
from euchre_env.actions import ACTION_TEXT
from euchre_env.cards import deck_of
from euchre_env.record import load_records
from euchre_env.replay import verify
from euchre_env.ruleset import Ruleset
from tests.table import CLUB_UP, ROUND_TWO, SPREAD, dealt, deck_with

SOUTH = 2
ANY_CARD = "1\n2\n3\n4\n5\n6\n" * 60
"""Enough answers to end any game of few points: one of each six is legal."""


def play(monkeypatch: pytest.MonkeyPatch, typed: str, *arguments: str) -> int:
    """The verb with what is typed; the input is closed after that."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return main(["play", *arguments])


def laid_out(hands: dict[int, str], upcard: str, kitty: str = "", dealer: int = 0) -> Table:
    """A table whose first hand is stated: the person is South, the others play a low card."""
    table = Table(Ruleset.stick(), ["first_legal", "first_legal", None, "first_legal"], 1)
    deck = deck_of(deck_with(hands, upcard, kitty))
    rules.deal(table.state, table.rules, deck, dealer)
    table._hands[0] = replace(table._hands[0], deck=deck, dealer=dealer)
    return table


def game(
    monkeypatch: pytest.MonkeyPatch,
    table: Table,
    typed: str,
    practice: bool = False,
    seat: int = SOUTH,
) -> Game:
    """Play at a table that is laid out, with what is typed."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    played = Game(Screen(), table, seat, practice, None)
    assert played.run() == 0
    return played


# --- whole games -------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["egn", "jsonl"])
def test_a_game_is_played_to_its_end_and_recorded(
    ending: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    file = tmp_path / f"game.{ending}"
    options = ["--ruleset", "stick,target_score=2", "--save", str(file), "--seed", "5"]
    assert play(monkeypatch, ANY_CARD, *options) == 0
    out = capsys.readouterr().out
    assert " win. North-South " in out
    assert out.split()[-2:] == ["saved:", str(file)]  # on one line, or on two where it is long
    (record,) = load_records(file)
    assert record.players == ("heuristic", "heuristic", "South", "heuristic")
    assert verify(str(file)).failed == 0
    assert all(len(deal.tricks) == 5 for deal in record.deals)


def test_other_seats_partners_and_opponents(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "game.jsonl"
    seats = ["--seat", "east", "--partner", "greedy", "--left", "random", "--opponents", "greedy"]
    options = [*seats, "--length", "hand", "--save", str(file)]
    assert play(monkeypatch, ANY_CARD, *options) == 0
    (record,) = load_records(file)
    assert record.players == ("greedy", "East", "random", "greedy")
    assert len(record.deals) == 1
    assert "You are East." in capsys.readouterr().out


def test_the_same_seed_and_answers_give_the_same_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for seed in ("5", "5", "6"):
        assert play(monkeypatch, ANY_CARD, "--length", "hand", "--seed", seed) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] != told[2]


# --- answers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["JH", "jh", "J♥", "j♥", "play_JH", "discard JH", " Jh "])
def test_ways_to_write_a_card(word: str) -> None:
    assert parse_act(word, dealt({}, "KH").s, []) == ACTION_TEXT.index("JH")


@pytest.mark.parametrize(
    ("word", "action"),
    [
        ("pass", "pass"),
        ("P", "pass"),
        ("order up", "order_up"),
        ("order_up", "order_up"),
        ("pick up", "order_up"),
        ("hearts", "call_H"),
        ("h", "call_H"),
        ("♠", "call_S"),
        ("call_C", "call_C"),
        ("call diamonds", "call_D"),
        ("no trump", "call_NT"),
        ("alone", "alone"),
        ("with partner", "with_partner"),
        ("together", "with_partner"),
        ("defend alone", "defend_alone"),
        ("claim", "claim"),
        ("keep", "keep"),
        ("10h", "TH"),
        ("2", "order_up"),
    ],
)
def test_words_at_the_table(word: str, action: str) -> None:
    numbered = [ACTION_TEXT.index("pass"), ACTION_TEXT.index("order_up")]
    assert ACTION_TEXT[parse_act(word, dealt({}, "KH").s, numbered)] == action


def test_alone_means_the_defence_where_that_is_asked() -> None:
    t = dealt({1: "JH JD AH AS 9C"}, "KH", defend_alone="vs_loner")
    t.do("pass pass pass order_up alone")
    t.do(min(t.legal))
    assert ACTION_TEXT[parse_act("alone", t.s, [])] == "defend_alone"
    assert ACTION_TEXT[parse_act("together", t.s, [])] == "defend_together"


@pytest.mark.parametrize("word", ["0", "3", "99999999999999", "-1", "1H", "xyzzy", "é" * 500, "²"])
def test_what_means_nothing_is_refused_in_a_short_line(word: str) -> None:
    with pytest.raises(NotUnderstood) as refused:
        parse_act(word, dealt({}, "KH").s, [1, 2])
    assert len(str(refused.value)) < 250


def test_the_left_bower_has_to_follow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hands = {1: "9H TH QH KH AH", 2: "JD 9S TS QS KS"}
    game(monkeypatch, laid_out(hands, "JH"), "order up\ntogether\n9s\n")
    told = " ".join(capsys.readouterr().out.split())
    assert "> Follow suit: hearts were led, so play JD. The left bower counts as hearts." in told


def test_the_rule_that_forbids_a_card(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hands = {0: "9C TC JC QC KC", 1: "9S TS QS KS AS", 2: "JD AD KD AC JS", 3: "TD QD 9D AH TH"}
    table = laid_out(hands, "9H", "QH KH JH")
    typed = "order up\ntogether\nJD\nAC\n1\n1\nquit\n"
    game(monkeypatch, table, typed)
    out = capsys.readouterr().out
    assert "Follow suit: spades were led, so play JS." in out


def test_marks_of_legal_cards(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hands = {0: "9C TC JC QC KC", 1: "9S TS QS KS AS", 2: "JD AD KD AC JS", 3: "TD QD 9D AH TH"}
    game(monkeypatch, laid_out(hands, "9H", "QH KH JH"), "order up\ntogether\n")
    out = capsys.readouterr().out
    assert "1 AC   2 JS*   3 KD   4 AD   5 JD   (* may be played)" in out


def test_commands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    hands = {0: "9C TC JC QC KC", 1: "9S TS QS KS AS", 2: "JD AD KD AC JS", 3: "TD QD 9D AH TH"}
    typed = "score\nlast\nrules\nhelp\nhint\nundo\n\nquit\n"
    game(monkeypatch, laid_out(hands, "9H", "QH KH JH"), typed)
    out = capsys.readouterr().out
    assert "North-South 0, East-West 0." in out
    assert "there is none in this hand yet" in out
    assert "Euchre to 10 with stick the dealer." in out
    assert "Answer with a number shown" in out
    assert "hint: pass (too weak: one trump with the left bower" in out
    assert "undo is for practice: start with --practice" in out
    assert out.count("Order up the 9H, or pass?") == 2  # an empty line asks again
    assert "You leave the table." in out


def test_undo_in_practice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hands = {0: "9C TC JC QC KC", 1: "9S TS QS KS AS", 2: "JD AD KD AC JS", 3: "TD QD 9D AH TH"}
    typed = "undo\norder up\nundo\npass\nundo\norder up\nquit\n"
    played = game(monkeypatch, laid_out(hands, "9H", "QH KH JH"), typed, practice=True)
    out = capsys.readouterr().out
    assert "there is nothing to take back" in out
    assert out.count("Order up the 9H, or pass?") == 3
    assert int(played.table.state.maker) == SOUTH


def test_the_last_trick(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hands = {0: "9C TC JC QC KC", 1: "9S TS QS KS AS", 2: "JD AD KD AC JS", 3: "TD QD 9D AH TH"}
    game(monkeypatch, laid_out(hands, "9H", "QH KH JH"), "order up\ntogether\nJS\nlast\nquit\n")
    assert "Last trick: East 9S, South JS, West 9D, North TC." in capsys.readouterr().out


# --- advice ------------------------------------------------------------------------------------


class Advisors:
    """Stands for the champion: says nothing and keeps what it was asked."""

    asked: bool | None = None

    def advise(self, states: object, ruleset: Ruleset, seed: int, *, double_dummy: bool) -> list:
        from agents.advice import Advice, Option

        Advisors.asked = double_dummy
        dummy = 2.0 if double_dummy else None
        options = (Option(26, "order_up", 0.75, 0.5, dummy), Option(25, "pass", 0.25, -0.25, dummy))
        return [Advice(SOUTH, 26, options, "champion")]


@pytest.mark.parametrize("practice", [True, False])
def test_what_the_champion_thinks(
    practice: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(opinion_module, "_advisor", lambda worlds: Advisors())
    game(monkeypatch, laid_out({}, "9H"), "?\nquit\n", practice)
    out = capsys.readouterr().out
    assert "order up      75 %   +0.50" in out
    assert "pass          25 %   -0.25" in out
    assert ("all cards seen" in out) == practice
    assert Advisors.asked == practice


def test_without_a_champion_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(opinion_module, "POLICY", "greedy")
    opinion_module._advisor.cache_clear()
    game(monkeypatch, laid_out({}, "9H"), "?\nquit\n")
    opinion_module._advisor.cache_clear()
    assert "no opinion: " in capsys.readouterr().out


# --- endings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["", "quit\n", "pass\n", "help\nq\n"])
def test_leaving_and_closed_input_save_the_game(
    typed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    file = tmp_path / "left.egn"
    assert play(monkeypatch, typed, "--save", str(file)) == 0
    assert "You leave the table." in capsys.readouterr().out
    assert verify(str(file)).failed == 0


def test_an_interrupt_saves_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    file = tmp_path / "left.jsonl"
    assert main(["play", "--save", str(file)]) == INTERRUPTED
    assert len(load_records(file)) == 1
    assert capsys.readouterr().err == "euchre: interrupted\n"


def test_no_input_at_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["play"]) == 0
    assert "You leave the table." in capsys.readouterr().out


def test_the_offer_to_save(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    wrong, nowhere, file = tmp_path / "game.txt", tmp_path / "none" / "a.egn", tmp_path / "game.egn"
    assert play(monkeypatch, f"quit\n{wrong}\n{nowhere}\n{file}\n") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"{wrong}: name a file that ends in .egn or .jsonl" in out
    assert "there is no folder" in out
    assert out.endswith(f"saved: {file}")
    assert len(load_records(file)) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["game.egn"]


def test_a_game_that_the_notation_cannot_hold_is_saved_beside_it(tmp_path: Path) -> None:
    ruleset = Ruleset.parse("alone_by=maker_team,alone_timing=before_lead")
    table, rng = Table(ruleset, [None] * 4, 3, length="hand"), random.Random(1)
    while not table.over:
        wanted = [ACTION_TEXT.index(w) for w in ("order_up", "with_partner", "alone")]
        legal = table.legal
        answer = next((w for w in wanted if w in legal), rng.choice(legal))
        if table.state.phase == rules.LONER and table.state.alone_declined:
            answer = ACTION_TEXT.index("alone")
        table.act(answer)
    said = save_game(table, tmp_path / "game.egn")
    assert [p.name for p in tmp_path.iterdir()] == ["game.jsonl"]
    assert said.endswith(f"saved: {tmp_path / 'game.jsonl'}")


def test_a_record_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    table = laid_out({}, "9H")
    assert save_game(table, tmp_path / "none" / "game.jsonl").startswith("not saved: ")


# --- bad arguments -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--save", "game.txt"], "game.txt: name a file that ends in .egn or .jsonl"),
        (["--save", "nowhere/game.egn"], "there is no folder nowhere"),
        (["--seed", "-1"], "--seed -1: give a whole number from 0"),
        (["--partner", "nobody"], "no agent is called 'nobody'"),
        (["--ruleset", "nothing"], "nothing"),
        (["--seat", "up"], "invalid choice: 'up'"),
        (["--left", "a", "--right", "b", "--opponents", "c"], "leave one of the three out"),
    ],
)
def test_bad_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", *arguments]) == BAD_INPUT
    assert message in capsys.readouterr().err


# --- games without partners --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules_text", "seat", "players"),
    [
        ("three_hand,target_score=3", "South", ("greedy", "greedy", "South")),
        ("dirty_clubs,target_score=4", "South", ("greedy", "greedy", "South", "greedy")),
        ("cutthroat,target_score=4", "South", ("greedy", "greedy", "South")),
        ("two_hand,target_score=2,two_hand_dummy=maker", "East", ("greedy", "East")),
    ],
)
def test_other_games_are_played_to_their_end_and_recorded(
    rules_text: str,
    seat: str,
    players: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    file = tmp_path / "game.jsonl"
    typed = "1\n2\n3\n4\n5\n6\n7\n8\n" * 400
    options = ["--ruleset", rules_text, "--save", str(file), "--seed", "3"]
    assert play(monkeypatch, typed, *options) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"You are {seat}. ")
    assert " wins. North " in out
    (record,) = load_records(file)
    assert record.players == players
    assert verify(str(file)).failed == 0


def test_who_sits_where_without_partners(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "game.jsonl"
    seats = ["--seat", "east", "--left", "random", "--opponents", "first_legal"]
    options = [*seats, "--ruleset", "buck", "--save", str(file)]
    assert play(monkeypatch, "quit\n", *options) == 0
    (record,) = load_records(file)
    assert record.players == ("first_legal", "East", "random", "first_legal")
    assert "North 25, East 25, South 25, West 25." in capsys.readouterr().out


def other_table(rules_text: str, deck: str, dealer: int, history: str = "") -> Table:
    """A table of persons in a game without partners, after what has happened."""
    ruleset = Ruleset.parse(rules_text)
    table = Table(ruleset, [None] * ruleset.players, 1)
    cards = deck_of(deck.split())
    rules.deal(table.state, table.rules, cards, dealer)
    table._hands[0] = replace(table._hands[0], deck=cards, dealer=dealer)
    for word in history.split():
        table.act(ACTION_TEXT.index(word))
    return table


def test_advice_is_not_offered_without_partners(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = other_table("three_hand", SPREAD, 1)
    game(monkeypatch, table, "hint\n?\nhelp\nquit\n", practice=True)
    out = capsys.readouterr().out
    assert "hint: the hand-written player knows the partnership game only: no advice here" in out
    assert "?: the champion knows the partnership game only: no advice here" in out
    assert "what the champion thinks" not in out
    assert "take the dummy, leave it; stay in, drop out." in out
    assert out.endswith("Save the game as (.jsonl, nothing for no): \n")


def test_the_words_at_a_dummy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = other_table("three_hand", SPREAD, 1, "pass pass order_up TC")
    played = game(monkeypatch, table, "take the dummy\nqs\n9C\nKS\nJC\nquit\n", seat=1)
    out = capsys.readouterr().out
    assert "1 alone   2 take dummy" in out
    assert "You took the dummy: lay 3 cards away." in out
    assert "> The QS is not in your hand." in out
    assert "   (* may be laid away)" in out
    assert rules.PHASES[int(played.table.state.phase)] == "play"


@pytest.mark.parametrize(
    ("word", "action"),
    [
        *(("take", "with_partner"), ("take it", "with_partner"), ("take dummy", "with_partner")),
        *(("leave it", "alone"), ("alone", "alone"), ("a", "alone")),
    ],
)
def test_ways_to_take_or_leave_a_dummy(word: str, action: str) -> None:
    s = other_table("three_hand", SPREAD, 1, "pass pass order_up TC").state
    assert ACTION_TEXT[parse_act(word, s, [])] == action


def test_to_leave_is_no_call_where_there_is_no_dummy() -> None:
    t = dealt({}, "KH").do("order_up")
    assert t.phase == "loner"
    with pytest.raises(NotUnderstood):
        parse_act("leave", t.s, [])


@pytest.mark.parametrize(
    ("word", "action"),
    [
        *(("stay", "keep"), ("stay in", "keep"), ("in", "keep"), ("keep", "keep"), ("s", "keep")),
        *(("drop out", "pass"), ("out", "pass"), ("d", "pass"), ("pass", "pass")),
    ],
)
def test_ways_to_stay_in_or_drop_out(word: str, action: str) -> None:
    s = other_table("dirty_clubs", ROUND_TWO, 2, "pass pass pass pass pass pass call_C").state
    assert ACTION_TEXT[parse_act(word, s, [])] == action


def test_the_table_in_a_few_lines_without_partners(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = "pass pass pass pass pass pass call_C"
    game(monkeypatch, other_table("dirty_clubs", ROUND_TWO, 2, call), "stay in\nquit\n")
    out = capsys.readouterr().out
    assert "Clubs, called by East: stay in, or drop out?" in out
    assert "1 drop out   2 stay in" in out
    assert "Trump clubs, called by East. Tricks North 0, East 0, South 0, West 0." in out
    game(monkeypatch, other_table("dirty_clubs", ROUND_TWO, 2, f"{call} keep pass keep"), "quit\n")
    assert "Dropped out: West." in capsys.readouterr().out
    game(monkeypatch, other_table("dirty_clubs", CLUB_UP, 2), "quit\n")
    assert "Trump clubs, turned up. Tricks North 0," in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["buck", "--save", "game.egn"], "game.egn: .egn holds the partnership game only: name a"),
        (["three_hand", "--seat", "west"], "--seat west: a game for 3 has north, east or south"),
        (["buck", "--partner", "greedy"], "--partner greedy: nobody has a partner in this game"),
        (["two_hand", "--left", "greedy", "--right", "random"], "there is one opponent"),
        (["buck", "--opponents", "heuristic"], "heuristic plays the partnership game only"),
    ],
)
def test_bad_arguments_without_partners(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", "--ruleset", *arguments]) == BAD_INPUT
    assert message in capsys.readouterr().err


# --- terminals ---------------------------------------------------------------------------------

if sys.platform != "win32":
    from tests.terminal import Terminal

    @pytest.mark.parametrize(
        ("columns", "lines", "drawn"),
        [(80, 40, True), (200, 60, True), (30, 8, False), (1, 1, False)],
    )
    def test_windows_of_any_size(columns: int, lines: int, drawn: bool, tmp_path: Path) -> None:
        file = tmp_path / "game.egn"
        arguments = ["play", "--seed", "5", "--save", str(file)]
        with Terminal(*arguments, columns=columns, lines=lines) as screen:
            screen.until("> ")
            screen.type("help\n")
            screen.until("champion")
            screen.type("quit\n")
            assert screen.end() == 0
            widest = max(map(len, screen.text.splitlines()))
            assert widest <= max(columns, len(str(file)) + 10)
            assert ("South, you" in screen.text) == drawn
            assert "♦" in screen.raw
        assert verify(str(file)).failed == 0

    def test_control_c_in_a_terminal(tmp_path: Path) -> None:
        file = tmp_path / "game.egn"
        with Terminal("play", "--save", str(file), columns=80, lines=24) as screen:
            screen.until("> ")
            assert screen.interrupt_to_the_end() == INTERRUPTED
            assert "Traceback" not in screen.text
        assert len(load_records(file)) == 1

    def test_no_colour_where_it_is_not_wanted() -> None:
        with Terminal("play", columns=80, lines=24, NO_COLOR="1") as screen:
            screen.until("> ")
            screen.type("\x04")  # end of input
            screen.until("Save the game as")
            screen.type("\n")
            assert screen.end() == 0
            assert "\x1b" not in screen.raw
            assert "Upcard" in screen.text
