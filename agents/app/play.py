"""The verb ``play``: a seat at a table in the terminal."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from euchre_env._check import listed
from euchre_env.cards import card_text, cards_of
from euchre_env.record import RecordError, save_records
from euchre_env.rules import PASS_CARD, PLAY, SEAT_NAMES
from euchre_env.ruleset import Ruleset

from .options import list_agents
from .table import IllegalAct, Table
from .terminal import (
    BOLD,
    DIM,
    JOINT,
    WARM,
    Screen,
    TerminalError,
    add_table,
    by_side,
    narrated,
    open_table,
    outcome,
    score_text,
    tolerate,
)
from .words import CARD_PHASES, NotUnderstood, choices, label, parse_act

OTHERS, OTHERS_ALONE = "heuristic", "greedy"
"""Who sits in the seats that nobody is named for, in games with and without partners."""
ENDINGS = (".egn", ".jsonl")
WORLDS = 100
_BELOW = 9
"""Lines below the picture: what happened, the question, the choices, the answer."""
_SEATS = [name.lower() for name in SEAT_NAMES]
_SOUTH = 2
HELP_ASKED = """
?      what the champion thinks: how often it would do each act, and points expected
hint   what the hand-written player would do, and why
"""
HELP_BEST = """More words: call for best, keep hand.
"""
HELP_ALONE = """
More words: take the dummy, leave it; stay in, drop out.
"""
HELP = """
Answer with a number shown, a card (JH, jh, J♥), or a word: pass, order up, hearts, alone.
undo   take your last act back (with --practice)
score  the score         last   the last trick         rules  the rules of this table
help   this text         quit   leave; the game is saved where --save says
"""


# --- options -----------------------------------------------------------------------------------


def add_play_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``play`` takes."""
    parser.add_argument(
        "--seat", choices=_SEATS, help="where you sit (default: south; for two players, east)"
    )
    for name, who in (
        ("partner", "your partner"),
        ("left", "the opponent to your left"),
        ("right", "the opponent to your right"),
        ("opponents", "all opponents"),
    ):
        told = f"{who} (default: {OTHERS}; without partners or with a larger deck, {OTHERS_ALONE})"
        parser.add_argument(f"--{name}", metavar="AGENT", help=told)
    add_table(parser)
    parser.add_argument(
        "--practice",
        action="store_true",
        help="allow undo, and let ? tell what each act is worth with all cards seen",
    )
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="record the game here, however it ends (.egn or .jsonl)",
    )
    list_agents(parser)


def run_play(args: argparse.Namespace) -> int:
    """Play until the game is over or the person leaves."""
    tolerate()
    rules = Ruleset.parse(args.ruleset)
    if args.save is not None:
        _check_file(args.save, rules)
    seat = _seat(args.seat, rules)
    others = _others if rules.is_partnership else _others_alone
    usual = OTHERS_ALONE if rules.is_wide or not rules.is_partnership else OTHERS
    table = open_table(rules, others(args, seat, rules.players, usual), args.seed, args.length)
    return Game(Screen(), table, seat, args.practice, args.save).run()


def _seat(name: str | None, rules: Ruleset) -> int:
    """The seat of a name; South unless given, or the last one of a smaller table."""
    seat = min(_SOUTH, rules.players - 1) if name is None else _SEATS.index(name)
    if seat >= rules.players:
        there = listed(_SEATS[: rules.players], "or")
        raise TerminalError(f"--seat {name}: a game for {rules.players} has {there}")
    return seat


def _others(args: argparse.Namespace, seat: int, players: int, usual: str) -> list[str | None]:
    """Who sits where besides the person: two opponents, and the partner across."""
    if args.opponents and args.left and args.right:
        raise TerminalError("--opponents beside --left and --right: leave one of the three out")
    both = args.opponents or usual
    names: list[str | None] = [None] * players
    names[(seat + 1) % players] = args.left or both
    names[(seat + 2) % players] = args.partner or usual
    names[(seat + 3) % players] = args.right or both
    return names


def _others_alone(
    args: argparse.Namespace, seat: int, players: int, usual: str
) -> list[str | None]:
    """Who sits where besides the person, in a game in which all others are opponents."""
    if args.partner:
        raise TerminalError(
            f"--partner {args.partner}: nobody has a partner in this game: name --opponents, "
            "--left or --right"
        )
    if players == 2 and args.left and args.right:
        raise TerminalError("--left beside --right: there is one opponent: name --opponents")
    names: list[str | None] = [args.opponents or usual] * players
    for name, place in ((args.left, seat + 1), (args.right, seat - 1)):
        if name:
            names[place % players] = name
    names[seat] = None
    return names


def _check_file(path: Path, rules: Ruleset) -> None:
    """Raise TerminalError where a record cannot be written, before a card is played."""
    if path.suffix.lower() not in ENDINGS:
        raise TerminalError(f"{path}: name a file that ends in .egn or .jsonl")
    if path.suffix.lower() == ".egn" and not rules.is_partnership:
        raise TerminalError(
            f"{path}: .egn holds the partnership game only: name a file that ends in .jsonl"
        )
    if not path.absolute().parent.is_dir():
        raise TerminalError(f"{path}: there is no folder {path.parent}: make it first")


# --- the game ----------------------------------------------------------------------------------


class Left(Exception):
    """The person has left the table."""


class Game:
    """A person at a table in the terminal.

    Args:
        screen: Where it is shown.
        table: A table with a person in one seat.
        seat: That seat.
        practice: Whether acts may be taken back and true cards judged.
        file: Where the game is recorded; None to be asked at the end.
    """

    def __init__(
        self, screen: Screen, table: Table, seat: int, practice: bool, file: Path | None
    ) -> None:
        self.screen, self.table, self.seat = screen, table, seat
        self.practice, self.file = practice, file
        self.names = [name or "you" for name in table.lineup]
        self.told = 0  # acts that the person has been told of
        self._commands: dict[str, Callable[[], None]] = {
            "?": self.ask_champion,
            "hint": self.hint,
            "undo": self.undo,
            "score": lambda: self.screen.say(f"{score_text(self.table)}."),
            "last": self.last,
            "rules": lambda: self.screen.say(self.table.ruleset.describe()),
            "help": self.help,
            "quit": self.leave,
            "exit": self.leave,
            "q": self.leave,
        }

    def run(self) -> int:
        """Play to the end, or until the person leaves; the record is saved in any case."""
        self.screen.say(f"You are {SEAT_NAMES[self.seat]}. Type help for what you can answer.")
        try:
            self._play()
            self.news()
            self.screen.say(outcome(self.table), BOLD)
        except Left:
            self.screen.say(f"You leave the table. {score_text(self.table)}.")
        finally:  # an interrupt passes here too
            self._keep()
        return 0

    def _play(self) -> None:
        while not self.table.over:
            if self.table.hand_over:
                if self.file is not None:
                    save_game(self.table, self.file)
                self.table.next_hand()
            elif self.table.waits_for_person:
                self.turn()
            else:
                self.table.advance()

    # --- a decision ----------------------------------------------------------------------------

    def turn(self) -> None:
        """Show the table, and ask until something has been done."""
        acts = self.table.acts
        self.show()
        while self.table.acts == acts:
            answer = self.read("> ")
            if answer:
                self.answer(answer)
            else:
                self.show()

    def answer(self, text: str) -> None:
        """Carry out a command or an act as typed; what is not possible changes nothing."""
        command = self._commands.get(text.lower())
        if command is not None:
            command()
            return
        try:
            self.table.act(parse_act(text, self.table.state, self.numbered()))
        except (NotUnderstood, IllegalAct) as error:
            self.screen.say(str(error), WARM)

    def read(self, prompt: str) -> str:
        """A line that was typed.

        Raises:
            Left: the input is closed.
        """
        try:
            return input(prompt).strip()
        except (EOFError, RuntimeError, ValueError):  # closed before or after the start
            print()
            raise Left from None

    def numbered(self) -> list[int]:
        """The absolute ids that numbers stand for."""
        return choices(self.table.state, self.table.legal, self.hand())

    def hand(self) -> list[int]:
        """Card ids of the person's hand, as far as the person may see it."""
        seen = self.table.seen_by(self.seat)
        return cards_of(seen.hand[self.seat], int(seen.frame))

    # --- what is shown -------------------------------------------------------------------------

    def show(self) -> None:
        """The table, what happened since, and the question."""
        if self.screen.has_room(_BELOW):
            self.screen.clear()
            print(self.screen.picture(self.table, self.seat, self.names))
            self.news()
        else:
            self.news()
            for line in self.summary():
                self.screen.say(line, DIM, 2)
        self.ask()

    def news(self) -> None:
        """What the others did since the person was told last."""
        events = self.table.events_for(self.seat, min(self.told, self.table.acts))
        deal = self.table.deal
        for event in events:
            again = "" if event.deal == deal else f"Hand {event.deal + 1}: "
            self.screen.say(f"{again}{narrated(event)}.", indent=2)
        self.told = self.table.acts

    def summary(self) -> list[str]:
        """The table in a few lines."""
        seen = self.table.snapshot(self.seat)
        dealer = SEAT_NAMES[seen["dealer"]]
        lines = [f"Hand {seen['deal'] + 1}. {score_text(self.table)}. {dealer} deals."]
        if seen["trump"] is None:
            lines.append(f"Upcard {seen['upcard']}, {seen['upcard_place'].replace('_', ' ')}.")
        else:
            lines.append(f"Trump {seen['trump']}, {_called(seen)}. Tricks {self._tricks(seen)}.")
        if seen["sitting_out"] and not self.table.ruleset.is_partnership:
            out = listed([SEAT_NAMES[seat] for seat in seen["sitting_out"]], "and")
            lines.append(f"Dropped out: {out}.")
        if seen["trick"]:
            lines.append(f"On the table: {_trick_text(seen['trick'])}.")
        return lines

    def _tricks(self, seen: dict[str, Any]) -> str:
        if self.table.ruleset.is_partnership:
            return f"{seen['tricks'][0]} to {seen['tricks'][1]}"
        return by_side(self.table, seen["tricks"])

    def _label(self, action: int) -> str:
        return label(action, self.table.state, self.table.rules)

    def ask(self) -> None:
        """The question, the cards, and what may be answered; * marks what is legal."""
        state, legal, numbered = self.table.state, self.table.legal, self.numbered()
        question = self.table.snapshot(self.seat)["question"]
        self.screen.say(question, BOLD)
        if state.phase in CARD_PHASES:
            words = [
                f"{n}{JOINT}{self._label(a)}{'*' * (a in legal)}" for n, a in enumerate(numbered, 1)
            ]
            done = {PLAY: "played", PASS_CARD: "passed"}.get(int(state.phase), "laid away")
            may = f"may be {done}"
            self.screen.say(f"{'   '.join(words)}   (* {may})")
            return
        hand = " ".join(map(card_text, self.hand()))
        self.screen.say(f"Your hand: {hand or 'not seen yet'}", indent=2)
        words = [f"{n} {self._label(a)}".replace(" ", JOINT) for n, a in enumerate(numbered, 1)]
        self.screen.say("   ".join(words))

    # --- commands ------------------------------------------------------------------------------

    def help(self) -> None:
        """What may be typed."""
        first, *rest = HELP.strip().splitlines()
        ruleset = self.table.ruleset
        more = HELP_ASKED if ruleset.is_partnership else HELP_ALONE
        more += HELP_BEST if ruleset.call_for_best == "offered" else ""
        for line in (first, *more.strip().splitlines(), *rest):
            self.screen.say(line, indent=7)

    def leave(self) -> None:
        """Leave the table."""
        raise Left

    def last(self) -> None:
        """The last trick of the hand."""
        trick = self.table.snapshot(self.seat)["last_trick"]
        told = _trick_text(trick) if trick else "there is none in this hand yet"
        self.screen.say(f"Last trick: {told}.")

    def undo(self) -> None:
        """Take the person's last act back, in practice."""
        if not self.practice:
            self.screen.say("undo is for practice: start with --practice", WARM)
        elif not self.table.undo():
            self.screen.say("there is nothing to take back", WARM)
        else:
            self.told = min(self.told, self.table.acts)

    def hint(self) -> None:
        """What the hand-written player would do here, and why."""
        if not self._is_advised("hint: the hand-written player"):
            return
        from ..heuristic.reasons import advised

        action, why = advised(self.table.seen_by(self.seat), self.table.rules)
        self.screen.say(f"hint: {self._label(action)} ({why})", WARM, 6)

    def _is_advised(self, who: str) -> bool:
        """Whether there is advice in this game; says so where there is none."""
        rules = self.table.ruleset
        if not rules.is_partnership:
            self.screen.say(f"{who} knows the partnership game only: no advice here", WARM)
        elif rules.is_wide:
            self.screen.say(f"{who} knows the deck of 24 cards only: no advice here", WARM)
        return rules.is_partnership and not rules.is_wide

    def ask_champion(self) -> None:
        """What the champion thinks, and in practice the solver with all cards seen."""
        if not self._is_advised("?: the champion"):
            return
        from .opinion import opinion

        self.screen.say("Asking the champion ...", DIM)
        for line in opinion(self.table, WORLDS, self.practice):
            self.screen.say(line, indent=2)

    # --- the record ----------------------------------------------------------------------------

    def _keep(self) -> None:
        """Write the record where it was asked for; else ask."""
        if self.file is None:
            self._offer_to_save()
        else:
            self.screen.say(save_game(self.table, self.file))

    def _offer_to_save(self) -> None:
        """Ask for a file until the game is saved, or nothing is answered."""
        endings = " or ".join(ENDINGS if self.table.ruleset.is_partnership else ENDINGS[1:])
        while True:
            try:
                name = self.read(f"Save the game as ({endings}, nothing for no): ")
            except Left:
                return
            if not name:
                return
            try:
                _check_file(Path(name), self.table.ruleset)
            except TerminalError as error:
                self.screen.say(str(error), WARM)
                continue
            self.screen.say(save_game(self.table, Path(name)))
            return


def _called(seen: dict[str, Any]) -> str:
    """Who called, and whether alone; without a maker a club that was turned up is trump."""
    if seen["maker"] is None:
        return "turned up"
    alone = " alone" if seen["alone"] == seen["maker"] else ""
    return f"called by {SEAT_NAMES[seen['maker']]}{alone}"


def _trick_text(trick: Sequence[dict[str, object]]) -> str:
    return ", ".join(f"{SEAT_NAMES[int(str(play['seat']))]} {play['card']}" for play in trick)


def save_game(table: Table, path: Path) -> str:
    """Record a game; where euchre game notation cannot hold it, as JSON lines beside it.

    Returns:
        What was done, or why it could not be: no game is to end over its record.
    """
    record = table.game_record()
    try:
        save_records(path, [record])
    except RecordError as error:
        other = path.with_suffix(".jsonl")
        if other == path:
            return f"not saved: {error}"
        told = save_game(table, other)
        return f"{error}; {told}"
    except OSError as error:
        return f"not saved: {path}: {error.strerror}"
    return f"saved: {path}"
