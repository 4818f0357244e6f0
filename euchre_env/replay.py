"""The replay of records: every call, card, winner and point goes through the engine.

A record need not show every card. The engine first says who plays what, from the calls and the
cards alone; then a full deal is found that agrees with what is shown, and the engine replays it,
checking each action. No rule is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import rules
from .actions import ACTION_TEXT, FROM_ABSOLUTE, TO_ABSOLUTE
from .cards import BIT_OF, JOKER, N_CARDS, SUITS, card_id, card_text, cards_of
from .record import (
    CALL_PHASES,
    HAND_SIZE,
    MAKER,
    PARTNER,
    UNKNOWN,
    BadRecord,
    DealRecord,
    Fault,
    GameRecord,
    PathLike,
    RecordError,
    complete_deck,
    is_known,
    legal_words,
    matching,
    read_file,
    seat_text,
)
from .ruleset import RulesetError

__all__ = [
    "DealResult",
    "FullDeal",
    "PlayedDeal",
    "Step",
    "Verification",
    "full_deals",
    "played_deals",
    "replay",
    "verify",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealResult:
    """What a deal came to. ``score`` is the running score after it; teams are (0, 1).

    ``complete`` is False where the record breaks off. Such a deal scores nothing, nor does one
    with a fault.
    """

    deal: int
    ok: bool
    complete: bool = False
    thrown_in: bool = False
    trump: str | None = None
    maker: int | None = None
    alone: bool = False
    lone_defender: int | None = None
    tricks: tuple[int, int] = (0, 0)
    points: tuple[int, int] = (0, 0)
    score: tuple[int, int] = (0, 0)
    winners: tuple[int, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class FullDeal:
    """A deal of a record with every card in a place that agrees with what is shown.

    Attributes:
        deal: Its number in the record.
        lead: The record of the game at the opening lead, STATE; None where no card is played.
        plays: The cards played, ids in order.
        certain: Whether the cards of all seats that play are known, not filled in.
        note: Why there is no lead, or what the replay noted.
    """

    deal: int
    lead: Any
    plays: tuple[int, ...]
    certain: bool
    note: str


@dataclass(frozen=True, slots=True)
class Step:
    """One decision of a record.

    Attributes:
        state: STATE, the full record before it, a copy.
        action: The absolute action id that was taken.
    """

    state: Any
    action: int


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A deal of a record, decision by decision, with every card in a place that fits what is shown.

    Attributes:
        deal: Its number in the record.
        steps: Its decisions in order; none for a deal with a fault.
        final: STATE, the record after the last of them; None for a deal with a fault.
        certain: Whether the cards of all seats that play are known, not filled in.
        complete: Whether all hands and the discard are shown, so that calls can be judged by the
            true cards too.
        note: The fault, or what the replay noted.
    """

    deal: int
    steps: tuple[Step, ...]
    final: Any
    certain: bool
    complete: bool
    note: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The replay of one file: results by game, and faults."""

    file: str
    games: tuple[tuple[DealResult, ...], ...]
    faults: tuple[Fault, ...]
    unread: int = 0

    @property
    def passed(self) -> int:
        """The number of deals without a fault."""
        return sum(deal.ok for game in self.games for deal in game)

    @property
    def failed(self) -> int:
        """The number of deals with a fault, those included that could not be read."""
        return self.unread + sum(not deal.ok for game in self.games for deal in game)


# --- replay ------------------------------------------------------------------------------------


def verify(path: PathLike) -> Verification:
    """Replay every deal of a file; what cannot be read or breaks the rules becomes a fault.

    Raises:
        OSError: the file cannot be opened.
    """
    try:
        file, reads = read_file(path)
    except RecordError as error:
        return Verification(str(path), (), error.faults, 1)
    games: list[tuple[DealResult, ...]] = []
    faults: list[Fault] = []
    unread = 0
    for name, game, found in reads:
        faults += found
        unread += len(found)
        if game is not None:
            results, more = replay(game, name)
            games.append(tuple(results))
            faults += more
    return Verification(file, tuple(games), tuple(faults), unread)


def replay(game: GameRecord, file: str = "") -> tuple[list[DealResult], list[Fault]]:
    """Replay a game through the engine: a result for each deal, and the faults."""
    try:
        game.ruleset.require_partnership("records are replayed")
    except RulesetError as error:
        faults = [Fault(file, d.number, None, None, str(error)) for d in game.deals]
        return [DealResult(deal=d.number, ok=False) for d in game.deals], faults
    table = _Table(game)
    results, faults = [], []
    for deal in game.deals:
        result, bad = table.play(deal)
        results.append(result)
        if bad is not None:
            faults.append(bad.at(file, deal.number))
    return results, faults


def full_deals(game: GameRecord) -> list[FullDeal]:
    """Every deal of a game at its opening lead; one with a fault has its message as the note.

    Raises:
        RulesetError: a game without partners.
    """
    game.ruleset.require_partnership("records are replayed")
    table = _Table(game)
    return [table.full_deal(deal) for deal in game.deals]


def played_deals(game: GameRecord) -> list[PlayedDeal]:
    """Every deal of a game, decision by decision.

    Raises:
        RulesetError: a game without partners.
    """
    game.ruleset.require_partnership("records are replayed")
    table = _Table(game)
    return [table.played_deal(deal) for deal in game.deals]


class _Table:
    """One game being replayed: the engine's record of it, carried from deal to deal.

    ``states`` are that record, a second one to try things on, and the last deal's opening lead.
    """

    def __init__(self, game: GameRecord) -> None:
        self.ruleset = game.ruleset
        self.r = game.ruleset.record()[0]
        self.size = N_CARDS if game.ruleset.joker else JOKER
        self.states = rules.new_states(3)
        self.s = self.states[0]
        rules.new_match(self.s, self.r)
        self.s.score[:2] = game.initial_score
        self.steps: list[Step] = []  # of the last deal

    def play(self, deal: DealRecord) -> tuple[DealResult, BadRecord | None]:
        """Replay one deal; with a fault the game goes on from the score before it."""
        before = self.states[0].copy()
        self.steps = []
        try:
            expected = int(self.s.next_dealer) if self.s.phase == rules.OVER else deal.dealer
            shown = _Shown(deal, self)
            deck = shown.deck()
            self._open(self.s, deck, deal.dealer)
            decisions = _Decisions(deal, self.r, shown.discard, shown.last, self.steps)
            decisions.call(self.s)
            self.states[2] = self.s
            decisions.play(self.s)
            note = "" if expected == deal.dealer else f"the next dealer was {seat_text(expected)}"
            return _result(self.s, deal, note or shown.note), None
        except BadRecord as bad:
            self.states[0] = before
            score = int(self.s.score[0]), int(self.s.score[1])
            return DealResult(deal=deal.number, ok=False, score=score, note=bad.message), bad

    def full_deal(self, deal: DealRecord) -> FullDeal:
        """Replay one deal; its opening lead and what was played."""
        result, bad = self.play(deal)
        if bad is not None or self.s.trick + self.s.count == 0:
            note = result.note or "no card was played"
            return FullDeal(deal.number, None, (), False, note)
        lead = rules.new_states(1)
        lead[0] = self.states[2]
        plays = tuple(step.action for step in self.steps if step.state.phase == rules.PLAY)
        return FullDeal(deal.number, lead[0], plays, self._certain(deal), result.note)

    def played_deal(self, deal: DealRecord) -> PlayedDeal:
        """Replay one deal; all its decisions."""
        result, bad = self.play(deal)
        if bad is not None:
            return PlayedDeal(deal.number, (), None, False, False, bad.message)
        final = rules.new_states(1)
        final[0] = self.s
        return PlayedDeal(
            deal.number,
            tuple(self.steps),
            final[0],
            self._certain(deal),
            _shows_hands(deal) and self._shows_discard(deal),
            result.note,
        )

    def _certain(self, deal: DealRecord) -> bool:
        """Whether the cards of all seats that play in the deal just replayed are known."""
        shown = _shows_hands(deal) and self._shows_discard(deal)
        return bool(self.s.trick == rules.N_TRICKS or shown)

    def _shows_discard(self, deal: DealRecord) -> bool:
        return bool(self.s.taker < 0) or (deal.discard is not None and is_known(deal.discard))

    def scratch(self, deck: npt.NDArray[np.int8], dealer: int) -> Any:
        """A second record with the same score, dealt from ``deck``."""
        self.states[1] = self.states[0]
        self._open(self.states[1], deck, dealer)
        return self.states[1]

    def _open(self, s: Any, deck: npt.NDArray[np.int8], dealer: int) -> None:
        if s.match_winner != rules.UNDECIDED:
            raise BadRecord(f"the game was over before this deal, at {s.score[0]} to {s.score[1]}")
        if s.game_winner == rules.UNDECIDED:
            rules.deal(s, self.r, deck, dealer)
        else:
            s.next_dealer = dealer
            rules.next_hand(s, self.r, deck)


def _shows_hands(deal: DealRecord) -> bool:
    return all(len(hand) == HAND_SIZE and all(map(is_known, hand)) for hand in deal.hands)


def _result(s: Any, deal: DealRecord, note: str) -> DealResult:
    complete = bool(s.phase == rules.OVER)
    winners = [int(seat) for seat in s.leader[1 : int(s.trick) + 1]]
    if s.trick == rules.N_TRICKS:
        winners.append(int(s.winner))
    names = (*SUITS, "NT")
    return DealResult(
        deal=deal.number,
        ok=True,
        complete=complete,
        thrown_in=bool(s.thrown_in),
        trump=None if s.trump < 0 else names[s.trump],
        maker=None if s.maker < 0 else int(s.maker),
        alone=bool(s.loner >= 0),
        lone_defender=None if s.lone_defender < 0 else int(s.lone_defender),
        tricks=(int(s.tricks[0]), int(s.tricks[1])),
        points=(int(s.points[0]), int(s.points[1])),
        score=(int(s.score[0]), int(s.score[1])),
        winners=tuple(winners),
        note=note or ("" if complete else "the record breaks off"),
    )


class _Decisions:
    """Feeds the calls and cards of a record to the engine, decision by decision."""

    def __init__(
        self, deal: DealRecord, r: Any, discard: int | None, last: int, steps: list[Step]
    ) -> None:
        self.deal, self.r, self.discard, self.last = deal, r, discard, last
        self.steps = steps
        self.plays = [(t, card) for t, trick in enumerate(deal.tricks[:last]) for card in trick]

    def play(self, s: Any) -> None:
        """Play all cards of a deal that has been called."""
        for t, card in self.plays:
            self._play(s, t, card)

    def call(self, s: Any) -> None:
        """Bid, answer who is alone, and discard, up to the first lead or the end of the record."""
        calls = list(self.deal.calls)
        while s.phase != rules.PLAY and s.phase != rules.OVER:
            if s.phase in CALL_PHASES and not calls:
                break
            self._decide(s, calls)
        self._check_called(s, calls)

    def _decide(self, s: Any, calls: list[str]) -> None:
        if s.phase in CALL_PHASES:
            self._act(s, calls.pop(0), "call")
        elif s.phase == rules.LONER:
            who = MAKER if s.turn == s.maker else PARTNER
            self._act(s, "alone" if self.deal.alone == who else "with_partner", "answer")
        elif s.phase == rules.DEFEND:
            alone = s.turn == self.deal.lone_defender
            self._act(s, "defend_alone" if alone else "defend_together", "answer")
        elif self.discard is None:
            self._apply(s, int(s.hand[s.turn]).bit_length() - 1)
        else:
            self._act(s, card_text(self.discard), "discard")

    def _act(self, s: Any, word: str, what: str) -> None:
        action = int(FROM_ABSOLUTE[s.frame, ACTION_TEXT.index(word)])
        if not int(rules.legal(s, self.r)) >> action & 1:
            legal = ", ".join(legal_words(s, self.r))
            raise BadRecord(f"the {what} {word} is not legal: legal are {legal}", seat=int(s.turn))
        self._apply(s, action)

    def _apply(self, s: Any, action: int) -> None:
        """Carry out an action of the record's frame, and keep what stood before it."""
        before = rules.new_states(1)
        before[0] = s
        self.steps.append(Step(before[0], int(TO_ABSOLUTE[s.frame, action])))
        rules.apply(s, self.r, action)

    def _check_called(self, s: Any, calls: list[str]) -> None:
        if calls:
            raise BadRecord(
                f"{len(calls)} calls follow after the bidding ended: {', '.join(calls)}"
            )
        if s.phase != rules.PLAY and self.plays:
            why = "was thrown in" if s.phase == rules.OVER else "has no trump yet"
            raise BadRecord(f"cards are played, but the deal {why}", 1)
        if s.phase != rules.PLAY:
            return
        if self.deal.alone and s.loner < 0:
            raise BadRecord("the record says alone, but the rule set allows no lone hand there")
        if self.deal.lone_defender is not None and s.lone_defender != self.deal.lone_defender:
            message = (
                "the record says defended alone, but the rule set allows no lone defence there"
            )
            raise BadRecord(message, seat=self.deal.lone_defender)
        if self.deal.lead is not None and self.deal.lead != s.turn:
            told = f"the record says that {seat_text(self.deal.lead)} leads"
            raise BadRecord(f"{told}, by the rules {seat_text(int(s.turn))} does", 1, int(s.turn))

    def _play(self, s: Any, t: int, text: str) -> None:
        if s.phase == rules.OVER:
            raise BadRecord(f"{text} is played after the hand is over", t + 1)
        seat, bit = int(s.turn), int(BIT_OF[s.frame, card_id(text)])
        hand, legal = int(s.hand[seat]), int(rules.legal(s, self.r))
        if not hand >> bit & 1:
            raise BadRecord(f"{text} is not in the hand of the seat that plays it", t + 1, seat)
        if not legal >> bit & 1:
            could = ", ".join(card_text(c) for c in cards_of(legal, int(s.frame)))
            raise BadRecord(
                f"renege: {text} does not follow suit, the hand still holds {could}", t + 1, seat
            )
        self._apply(s, bit)


# --- a deal that fits what a record shows ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Slot:
    """A card that was dealt to a place; only some of its properties are known."""

    place: int  # a seat, or _KITTY
    allowed: frozenset[int]


_KITTY = 4


def _place(place: int) -> str:
    return "the kitty" if place == _KITTY else f"the hand of {seat_text(place)}"


class _Shown:
    """What a record shows of a deal: who played which card, and a full deal that agrees with it.

    Cards that the record does not show are filled in. Each hand holds the cards it plays, so that
    the engine's own check finds every renege that a later card proves; cards filled in add none.

    Attributes:
        last: Tricks that can be replayed; the next one, if any, holds a card that is not known.
        discard: The card laid away, once :meth:`deck` has been called.
        note: Why the replay stops early, if it does.
    """

    def __init__(self, deal: DealRecord, table: _Table) -> None:
        self.deal, self.table = deal, table
        self.discard: int | None = None
        self.stuck = _KITTY
        self._check_cards()
        unknown = [t for t, trick in enumerate(deal.tricks) if not all(map(is_known, trick))]
        self.last = unknown[0] if unknown else len(deal.tricks)
        self.note = f"trick {self.last + 1} holds a card that is not known" if unknown else ""
        self.upcard = card_id(deal.upcard)
        groups = (*deal.hands, deal.kitty)
        self.held = [{card_id(c) for c in group if is_known(c)} for group in groups]
        self._check_places(groups)

    def deck(self) -> npt.NDArray[np.int8]:
        """A deck that deals what the record shows.

        Raises:
            BadRecord: no deal can be as the record shows.
        """
        known = self._full_deck()
        self._walk(known if known is not None else self._any_deck())
        if self.taker >= 0:
            said = self.deal.discard
            self.discard = card_id(said) if said is not None and is_known(said) else None
        elif self.deal.discard is not None:
            raise BadRecord(
                f"{self.deal.discard} is said to be discarded, but nobody takes the upcard"
            )
        if known is None:
            self._add_plays()
        if known is not None and (self.taker < 0 or self.discard is not None):
            return known
        self._fill()
        hands = {seat: sorted(self.held[seat]) for seat in range(rules.N_SEATS)}
        kitty, joker = sorted(self.held[_KITTY]), self.table.ruleset.joker
        return known if known is not None else complete_deck(self.upcard, hands, kitty, joker)

    # before any card is played

    def _check_cards(self) -> None:
        deal = self.deal
        if not is_known(deal.upcard):
            raise BadRecord("the upcard is not known: without it the deal cannot be replayed")
        texts = [
            deal.upcard,
            *deal.kitty,
            *(c for group in (*deal.hands, *deal.tricks) for c in group),
        ]
        if card_text(JOKER) in texts and not self.table.ruleset.joker:
            raise BadRecord("the JOKER is there, but the rule set has joker=False")
        if len(deal.tricks) > rules.N_TRICKS:
            raise BadRecord(
                f"{len(deal.tricks)} tricks are recorded, a hand has {rules.N_TRICKS}", 6
            )

    def _check_places(self, groups: Sequence[Sequence[str]]) -> None:
        seen = {self.upcard: "the upcard"}
        for place, group in enumerate(groups):
            seat = None if place == _KITTY else place
            room = self.table.size - 21 if place == _KITTY else HAND_SIZE
            if len(group) > room:
                raise BadRecord(
                    f"{_place(place)} has {len(group)} cards, there is room for {room}", seat=seat
                )
            for card in map(card_id, filter(is_known, group)):
                if card in seen:
                    told = (
                        f"{card_text(card)} is there twice, in {_place(place)} and as {seen[card]}"
                    )
                    raise BadRecord(told, seat=seat)
                seen[card] = f"part of {_place(place)}"

    def _full_deck(self) -> npt.NDArray[np.int8] | None:
        """The deck, where the record shows all four hands."""
        if any(len(cards) < HAND_SIZE for cards in self.held[:_KITTY]):
            return None
        kitty = list(filter(is_known, self.deal.kitty))
        hands = dict(enumerate(self.deal.hands))
        return complete_deck(self.upcard, hands, kitty, self.table.ruleset.joker)

    def _any_deck(self) -> npt.NDArray[np.int8]:
        ruleset = self.table.ruleset
        for option in ("weak_hand", "require_natural_trump"):
            if getattr(ruleset, option) != "off":
                raise BadRecord(
                    f"with {option}={getattr(ruleset, option)!r} a record must show all hands"
                )
        hands = {seat: sorted(self.held[seat]) for seat in range(rules.N_SEATS)}
        return complete_deck(self.upcard, hands, sorted(self.held[_KITTY]), ruleset.joker)

    # who played what

    def _walk(self, deck: npt.NDArray[np.int8]) -> None:
        """Let the engine say which seat plays each card, whoever may have held it.

        Each seat is handed just the card that it plays, so that no question of holding arises.
        """
        s = self.table.scratch(deck, self.deal.dealer)
        _Decisions(self.deal, self.table.r, None, self.last, []).call(s)
        self.taker, self.frame = int(s.taker), int(s.frame)
        self.plays: list[tuple[int, int, int]] = []  # trick, seat, card id
        seen: dict[int, str] = {}
        for t, trick in enumerate(self.deal.tricks):
            for text in filter(is_known, trick):
                seat = self._who_plays(s, t)
                self._once(seen, t, seat, text)
                if seat is not None:
                    self._drop(s, t, seat, card_id(text))
            if t < min(self.last, len(self.deal.tricks) - 1) and s.trick == t:
                raise self._miscounted(s, t, int(s.turn))
        self.voids = [frozenset(cards_of(int(suits), self.frame)) for suits in s.void]

    def _who_plays(self, s: Any, t: int) -> int | None:
        """The seat whose card comes next; None after a card that is not known."""
        if t >= self.last:
            return None
        if s.phase == rules.OVER or s.trick != t:
            raise self._miscounted(s, t, None)
        return int(s.turn)

    def _miscounted(self, s: Any, t: int, seat: int | None) -> BadRecord:
        due = int(rules.trick_size(s))
        return BadRecord(
            f"the trick has {len(self.deal.tricks[t])} cards, {due} are due", t + 1, seat
        )

    def _once(self, seen: dict[int, str], t: int, seat: int | None, text: str) -> None:
        card = card_id(text)
        if card in seen:
            raise BadRecord(f"{text} is played twice, the first time in {seen[card]}", t + 1, seat)
        seen[card] = f"trick {t + 1}" + ("" if seat is None else f" by {seat_text(seat)}")

    def _drop(self, s: Any, t: int, seat: int, card: int) -> None:
        bit = int(BIT_OF[self.frame, card])
        self.plays.append((t, seat, card))
        s.hand[seat] = 1 << bit
        rules.apply(s, self.table.r, bit)

    # where the cards were

    def _add_plays(self) -> None:
        """Add the cards played, and the discard, to the hands that they were dealt to."""
        if self.discard is not None and self.discard != self.upcard:
            self._add(self.taker, self.discard, None)
        for t, seat, card in self.plays:
            if card == self.discard:
                raise BadRecord(f"{card_text(card)} is played, but it was discarded", t + 1, seat)
            if card != self.upcard:
                self._add(seat, card, t + 1)
            elif seat != self.taker:
                where = (
                    "stayed in the kitty" if self.taker < 0 else f"went to {seat_text(self.taker)}"
                )
                raise BadRecord(f"{card_text(card)} is played, but the upcard {where}", t + 1, seat)

    def _add(self, seat: int, card: int, trick: int | None) -> None:
        name = f"{card_text(card)} cannot have been held"
        for place, cards in enumerate(self.held):
            if card in cards and place != seat:
                raise BadRecord(f"{name}: it is in {_place(place)}", trick, seat)
        others = ", ".join(map(card_text, sorted(self.held[seat] - {card})))
        self.held[seat].add(card)
        if len(self.held[seat]) > HAND_SIZE:
            raise BadRecord(f"{name}: the cards dealt to the seat were {others}", trick, seat)

    # the cards that are not shown

    def _slots(self) -> list[_Slot]:
        """What is known of each card dealt that is not named; a pattern may be a card played."""
        slots = []
        for place, group in enumerate((*self.deal.hands, self.deal.kitty)):
            patterns = [card for card in group if not is_known(card)]
            if place != _KITTY:
                room = HAND_SIZE - len(group) + len(patterns)
                patterns += [UNKNOWN] * (room - len(patterns))
            slots += [_Slot(place, matching(pattern, self.table.size)) for pattern in patterns]
        return slots

    def _fill(self) -> None:
        """Choose the cards that are not shown, and the discard, so that none makes a renege."""
        slots = self._slots()
        for discard, laid in self._discards(slots):
            cards = self._assigned(slots, laid)
            if cards is None:
                continue
            for slot, card in zip(slots, cards):
                self.held[slot.place].add(card)
            if self.discard is None:
                self.discard = cards[laid] if laid is not None else discard
            return
        seat = None if self.stuck == _KITTY else self.stuck
        told = f"{_place(self.stuck)} cannot be filled: no card is left that fits what is shown"
        raise BadRecord(told, seat=seat)

    def _discards(self, slots: list[_Slot]) -> list[tuple[int | None, int | None]]:
        """The discards to try: a card that is shown, or the slot of one that is not."""
        if self.taker < 0 or self.discard is not None:
            return [(self.discard, None)]
        played = {card for _, seat, card in self.plays if seat == self.taker}
        allowed = matching(self.deal.discard or UNKNOWN, self.table.size)
        kept = sorted(((self.held[self.taker] | {self.upcard}) - played) & allowed)
        proving = [card for card in kept if card in self.voids[self.taker]]
        if proving:
            return [(proving[0], None)]
        own = [index for index, slot in enumerate(slots) if slot.place == self.taker]
        choices: list[tuple[int | None, int | None]] = []
        if len(self.held[self.taker]) < HAND_SIZE:
            choices += [(None, index) for index in reversed(own)]
        choices += [(card, None) for card in sorted(kept, key=lambda card: card == self.upcard)]
        if not choices:
            raise BadRecord("no card is left that can have been discarded", seat=self.taker)
        return choices

    def _assigned(self, slots: list[_Slot], laid: int | None) -> list[int] | None:
        """A card of its own for every slot, the cards played among them (augmenting paths)."""
        options = [self._options(slot, index == laid) for index, slot in enumerate(slots)]
        taken: dict[int, int] = {}  # card -> slot
        filled: dict[int, int] = {}  # slot -> card
        for card in sorted(self._unlisted()):
            wanting = {index for index, cards in enumerate(options) if card in cards}
            if not _give(card, wanting, options, taken, filled, set()):
                self.stuck = next(p for p, cards in enumerate(self.held) if card in cards)
                return None
        for index, slot in enumerate(slots):
            if index not in filled and not _take(index, options, taken, filled, set()):
                self.stuck = slot.place
                return None
        return [filled[index] for index in range(len(slots))]

    def _unlisted(self) -> set[int]:
        """Cards that a hand is known to have had though the record does not list them there."""
        listed = {card_id(card) for hand in self.deal.hands for card in hand if is_known(card)}
        return set().union(*self.held[:_KITTY]) - listed

    def _options(self, slot: _Slot, is_discard: bool) -> set[int]:
        fresh = slot.allowed - set().union({self.upcard}, *self.held)
        if is_discard:
            return set(fresh & matching(self.deal.discard or UNKNOWN, self.table.size))
        if slot.place == _KITTY:
            return set(fresh)
        own = slot.allowed & self.held[slot.place] & self._unlisted()
        return set(own | (fresh - self.voids[slot.place]))


def _give(
    card: int,
    wanting: set[int],
    options: list[set[int]],
    taken: dict[int, int],
    filled: dict[int, int],
    tried: set[int],
) -> bool:
    """Place a card in one of the slots that want it, moving the cards placed before if need be."""
    for index in sorted(wanting - tried):
        tried.add(index)
        other = filled.get(index)
        others = {i for i, cards in enumerate(options) if other in cards}
        if other is None or _give(other, others, options, taken, filled, tried):
            filled[index], taken[card] = card, index
            return True
    return False


def _take(
    index: int,
    options: list[set[int]],
    taken: dict[int, int],
    filled: dict[int, int],
    tried: set[int],
) -> bool:
    """Find a card for a slot, moving others to other cards if need be."""
    for card in sorted(options[index] - tried):
        tried.add(card)
        if card not in taken or _take(taken[card], options, taken, filled, tried):
            filled[index], taken[card] = card, index
            return True
    return False
