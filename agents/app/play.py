"""The verb ``play``: a seat at a table in the terminal."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from euchre_env.cards import card_text, cards_of
from euchre_env.record import RecordError, save_records
from euchre_env.rules import DISCARD, N_SEATS, PLAY, SEAT_NAMES

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
    narrated,
    open_table,
    outcome,
    score_text,
    tolerate,
)
from .words import NotUnderstood, choices, label, parse_act

OTHERS = "heuristic"
ENDINGS = (".egn", ".jsonl")
WORLDS = 100
_BELOW = 9
"""Lines below the picture: what happened, the question, the choices, the answer."""
HELP = """
Answer with a number shown, a card (JH, jh, J♥), or a word: pass, order up, hearts, alone.
?      what the champion thinks: how often it would do each act, and points expected
hint   what the hand-written player would do, and why
undo   take your last act back (with --practice)
score  the score         last   the last trick         rules  the rules of this table
help   this text         quit   leave; the game is saved where --save says
"""


# --- options -----------------------------------------------------------------------------------


def add_play_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``play`` takes."""
    seats = [name.lower() for name in SEAT_NAMES]
    parser.add_argument(
        "--seat", choices=seats, default="south", help="where you sit (default: %(default)s)"
    )
    for name, who in (
        ("partner", "your partner"),
        ("left", "the opponent to your left"),
        ("right", "the opponent to your right"),
        ("opponents", "both opponents"),
    ):
        parser.add_argument(f"--{name}", metavar="AGENT", help=f"{who} (default: {OTHERS})")
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
    if args.save is not None:
        _check_file(args.save)
    seat = [name.lower() for name in SEAT_NAMES].index(args.seat)
    table = open_table(args.ruleset, _others(args, seat), args.seed, args.length)
    return Game(Screen(), table, seat, args.practice, args.save).run()


def _others(args: argparse.Namespace, seat: int) -> list[str | None]:
    if args.opponents and args.left and args.right:
        raise TerminalError("--opponents beside --left and --right: leave one of the three out")
    both = args.opponents or OTHERS
    names: list[str | None] = [None] * N_SEATS
    names[(seat + 1) % N_SEATS] = args.left or both
    names[(seat + 2) % N_SEATS] = args.partner or OTHERS
    names[(seat + 3) % N_SEATS] = args.right or both
    return names


def _check_file(path: Path) -> None:
    """Raise TerminalError where a record cannot be written, before a card is played."""
    if path.suffix.lower() not in ENDINGS:
        raise TerminalError(f"{path}: name a file that ends in .egn or .jsonl")
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
            alone = " alone" if seen["alone"] == seen["maker"] else ""
            maker = f"{SEAT_NAMES[seen['maker']]}{alone}"
            tricks = f"{seen['tricks'][0]} to {seen['tricks'][1]}"
            lines.append(f"Trump {seen['trump']}, called by {maker}. Tricks {tricks}.")
        if seen["trick"]:
            lines.append(f"On the table: {_trick_text(seen['trick'])}.")
        return lines

    def ask(self) -> None:
        """The question, the cards, and what may be answered; * marks what is legal."""
        state, legal, numbered = self.table.state, self.table.legal, self.numbered()
        question = self.table.snapshot(self.seat)["question"]
        self.screen.say(question, BOLD)
        if state.phase in (PLAY, DISCARD):
            words = [f"{n}{JOINT}{label(a)}{'*' * (a in legal)}" for n, a in enumerate(numbered, 1)]
            may = "may be played" if state.phase == PLAY else "may be laid away"
            self.screen.say(f"{'   '.join(words)}   (* {may})")
            return
        hand = " ".join(map(card_text, self.hand()))
        self.screen.say(f"Your hand: {hand or 'not seen yet'}", indent=2)
        words = [f"{n} {label(a)}".replace(" ", JOINT) for n, a in enumerate(numbered, 1)]
        self.screen.say("   ".join(words))

    # --- commands ------------------------------------------------------------------------------

    def help(self) -> None:
        """What may be typed."""
        for line in HELP.strip().splitlines():
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
        from ..heuristic.reasons import advised

        action, why = advised(self.table.seen_by(self.seat), self.table.rules)
        self.screen.say(f"hint: {label(action)} ({why})", WARM, 6)

    def ask_champion(self) -> None:
        """What the champion thinks, and in practice the solver with all cards seen."""
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
        while True:
            try:
                name = self.read("Save the game as (.egn or .jsonl, nothing for no): ")
            except Left:
                return
            if not name:
                return
            try:
                _check_file(Path(name))
            except TerminalError as error:
                self.screen.say(str(error), WARM)
                continue
            self.screen.say(save_game(self.table, Path(name)))
            return


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
