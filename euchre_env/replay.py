"""The replay of records: every call, card, winner and point goes through the engine.

A record need not show every card. The engine first says who plays what, from the calls and the
cards alone; then a full deal is found that agrees with what is shown, and the engine replays it,
checking each action. No rule is written here.

A record of a game without partners has to show every card that comes into play: which dummy cards
a maker took and laid away cannot be told from the cards played.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import rules
from ._check import listed
from .actions import ACTION_TEXT, FROM_ABSOLUTE, TO_ABSOLUTE
from .cards import (
    BIT_OF,
    JOKER,
    SUITS,
    card_id,
    card_text,
    cards_of,
    deck_cards,
    lowest_bit,
)
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
from .ruleset import PARTNERSHIP

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
    """What a deal came to. ``score`` is the running score after it; all are by side: team or seat.

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
    tricks: tuple[int, ...] = (0, 0)
    points: tuple[int, ...] = (0, 0)
    score: tuple[int, ...] = (0, 0)
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
        table = _Table(game)
    except BadRecord as unfit:
        faults = [unfit.at(file, deal.number) for deal in game.deals]
        return [DealResult(deal=deal.number, ok=False) for deal in game.deals], faults
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
    game.ruleset.require_partnership("records are judged")
    table = _Table(game)
    return [table.full_deal(deal) for deal in game.deals]


def played_deals(game: GameRecord) -> list[PlayedDeal]:
    """Every deal of a game, decision by decision.

    Raises:
        RulesetError: a game without partners.
    """
    game.ruleset.require_partnership("records are judged")
    table = _Table(game)
    return [table.played_deal(deal) for deal in game.deals]


class _Table:
    """One game being replayed: the engine's record of it, carried from deal to deal.

    ``states`` are that record, a second one to try things on, and the last deal's opening lead.
    """

    def __init__(self, game: GameRecord) -> None:
        self.ruleset = game.ruleset
        self.r = game.ruleset.record()[0]
        self.cards = tuple(deck_cards(game.ruleset.joker, game.ruleset.lowest_rank))
        self.sides = int(rules.count_sides(self.r))
        self.states = rules.new_states(3)
        self.s = self.states[0]
        rules.new_match(self.s, self.r)
        for what, found, due in (
            ("scores", len(game.initial_score), self.sides),
            ("players", len(game.players), game.ruleset.players),
        ):
            if found != due:
                raise BadRecord(f"the record names {found} {what}, the game has {due}")
        self.s.score[: self.sides] = game.initial_score
        if game.initial_tokens and not game.ruleset.four_trick_tokens:
            raise BadRecord("the record starts with tokens, but four_trick_tokens=False")
        if game.initial_tokens:
            self.s.tokens[:] = game.initial_tokens
        self.steps: list[Step] = []  # of the last deal

    def play(self, deal: DealRecord) -> tuple[DealResult, BadRecord | None]:
        """Replay one deal; with a fault the game goes on from the score before it."""
        before = self.states[0].copy()
        self.steps = []
        try:
            expected = int(self.s.next_dealer) if self.s.phase == rules.OVER else deal.dealer
            shown = (_Shown if self.ruleset.is_partnership else _Full)(deal, self)
            deck = shown.deck()
            self._open(self.s, deck, deal.dealer)
            decisions = _Decisions(
                deal, self.r, shown.discard, shown.last, self.steps, shown.exchange
            )
            decisions.call(self.s)
            self.states[2] = self.s
            decisions.play(self.s)
            note = "" if expected == deal.dealer else f"the next dealer was {seat_text(expected)}"
            return _result(self.s, deal, self.sides, note or shown.note), None
        except BadRecord as bad:
            self.states[0] = before
            none, score = (0,) * self.sides, _by_side(self.s.score, self.sides)
            result = DealResult(
                deal=deal.number, ok=False, tricks=none, points=none, score=score, note=bad.message
            )
            return result, bad

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
        """Whether the record shows all cards that were laid away or passed."""
        shown = [] if self.s.taker < 0 else [deal.discard]
        if self.s.passer >= 0:
            shown += [deal.passed, *(deal.buried or [None])]
        return all(card is not None and is_known(card) for card in shown)

    def scratch(self, deck: npt.NDArray[np.int8], dealer: int) -> Any:
        """A second record with the same score, dealt from ``deck``."""
        self.states[1] = self.states[0]
        self._open(self.states[1], deck, dealer)
        return self.states[1]

    def _open(self, s: Any, deck: npt.NDArray[np.int8], dealer: int) -> None:
        if s.match_winner != rules.UNDECIDED:
            score = " to ".join(map(str, _by_side(s.score, self.sides)))
            raise BadRecord(f"the game was over before this deal, at {score}")
        if s.game_winner == rules.UNDECIDED:
            rules.deal(s, self.r, deck, dealer)
        else:
            s.next_dealer = dealer
            rules.next_hand(s, self.r, deck)


def _shows_hands(deal: DealRecord) -> bool:
    return all(len(hand) == HAND_SIZE and all(map(is_known, hand)) for hand in deal.hands)


def _by_side(numbers: Any, sides: int) -> tuple[int, ...]:
    return tuple(int(number) for number in numbers[:sides])


def _result(s: Any, deal: DealRecord, sides: int, note: str) -> DealResult:
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
        tricks=_by_side(s.tricks, sides),
        points=_by_side(s.points, sides),
        score=_by_side(s.score, sides),
        winners=tuple(winners),
        note=note or ("" if complete else "the record breaks off"),
    )


class _Decisions:
    """Feeds the calls and cards of a record to the engine, decision by decision."""

    def __init__(
        self,
        deal: DealRecord,
        r: Any,
        discard: int | None,
        last: int,
        steps: list[Step],
        exchange: tuple[int | None, int | None] = (None, None),
    ) -> None:
        self.deal, self.r, self.discard, self.last = deal, r, discard, last
        self.passed, self.laid = exchange
        self.steps, self.buried = steps, list(deal.buried)
        self.plays = [(t, card) for t, trick in enumerate(deal.tricks[:last]) for card in trick]

    def play(self, s: Any) -> None:
        """Play all cards of a deal that has been called."""
        for t, card in self.plays:
            self._play(s, t, card)

    def call(self, s: Any) -> None:
        """Bid, answer who is alone, and discard, up to the first lead or the end of the record."""
        calls = list(self.deal.calls)
        while s.phase != rules.PLAY and s.phase != rules.OVER and self._is_told(s, calls):
            self._decide(s, calls)
        self._check_called(s, calls)
        self._check_exchange(s)

    def _is_told(self, s: Any, calls: list[str]) -> bool:
        """Whether the record goes on here; a discard of the partnership game can be made up."""
        if s.phase in CALL_PHASES:
            return bool(calls)
        if s.phase == rules.DUMMY_EXCHANGE:
            return bool(self.buried)
        if s.phase == rules.DISCARD and self.r.variant != PARTNERSHIP:
            return self.discard is not None
        return True

    def _decide(self, s: Any, calls: list[str]) -> None:
        if s.phase in CALL_PHASES:
            self._act(s, calls.pop(0), "call")
        elif s.phase == rules.LONER:
            who = MAKER if s.turn == s.maker else PARTNER
            self._act(s, "alone" if self.deal.alone == who else "with_partner", "answer")
        elif s.phase == rules.DEFEND:
            alone = s.turn == self.deal.lone_defender
            self._act(s, "defend_alone" if alone else "defend_together", "answer")
        elif s.phase == rules.STAY:
            self._act(s, "pass" if s.turn in self.deal.dropped else "keep", "answer")
        elif s.phase == rules.DUMMY_EXCHANGE:
            self._act(s, self.buried.pop(0), "card laid away")
        elif s.phase == rules.CALL_BEST:
            self._act(s, "keep" if self.deal.passed is None else "claim", "answer")
        elif s.phase == rules.PASS_CARD:
            self._act_or_any(s, self.passed, "card passed")
        elif s.phase == rules.LAY_AWAY:
            del self.buried[:1]
            self._act_or_any(s, self.laid, "card laid away")
        elif self.discard is None:
            highest = int(s.hand[s.turn]).bit_length() - 1
            self._apply(s, int(rules.card_action(highest, s.frame)))
        else:
            self._act(s, card_text(self.discard), "discard")

    def _act_or_any(self, s: Any, card: int | None, what: str) -> None:
        """A card passed or laid away; any, where only who plays what is asked."""
        if card is None:
            self._apply(s, lowest_bit(np.int64(s.hand[s.turn])))
        else:
            self._act(s, card_text(card), what)

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
            raise BadRecord(f"cards are played, but {_why_not_played(s)}", 1)
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

    def _check_exchange(self, s: Any) -> None:
        """What is laid away and who drops out, once nothing more of it is to come."""
        if s.phase not in (rules.PLAY, rules.OVER):
            return
        if self.discard is not None and s.taker < 0:
            raise _nobody_takes(self.deal)
        if self.deal.passed is not None and s.phase == rules.PLAY and s.passer < 0:
            raise BadRecord("a card is said to be passed, but no lone hand may have one there")
        if self.buried:
            cards = listed(self.buried, "and")
            raise BadRecord(f"said to be laid away: {cards}, but nobody takes so many cards")
        for seat in self.deal.dropped:
            if self.r.variant == PARTNERSHIP or not rules.is_out(s, seat):
                raise BadRecord("the record says that it drops out, but it is not asked", seat=seat)

    def _play(self, s: Any, t: int, text: str) -> None:
        if s.phase == rules.OVER:
            raise BadRecord(f"{text} is played after the hand is over", t + 1)
        if s.trick != t:
            raise _miscounted(self.deal, s, min(t, int(s.trick)), None)
        seat, bit = int(s.turn), int(BIT_OF[s.frame, card_id(text)])
        hand, legal = int(s.hand[seat]), int(rules.legal(s, self.r))
        if not hand >> bit & 1:
            raise BadRecord(f"{text} is not in the hand of the seat that plays it", t + 1, seat)
        action = int(rules.card_action(bit, s.frame))
        if not legal >> action & 1:
            allowed = int(rules.cards_laid(np.int64(legal), s.frame))
            could = ", ".join(card_text(c) for c in cards_of(allowed, int(s.frame)))
            raise BadRecord(
                f"renege: {text} does not follow suit, the hand still holds {could}", t + 1, seat
            )
        self._apply(s, action)


def _why_not_played(s: Any) -> str:
    if s.thrown_in:
        return "the deal was thrown in"
    if s.phase == rules.OVER:
        return "everyone else has dropped out"
    if s.phase in (rules.DISCARD, rules.DUMMY_EXCHANGE):
        return f"the record does not show all that {seat_text(int(s.turn))} lays away"
    return "the deal has no trump yet"


def _miscounted(deal: DealRecord, s: Any, t: int, seat: int | None) -> BadRecord:
    due = int(rules.trick_size(s))
    return BadRecord(f"the trick has {len(deal.tricks[t])} cards, {due} are due", t + 1, seat)


def _nobody_takes(deal: DealRecord) -> BadRecord:
    return BadRecord(f"{deal.discard} is said to be discarded, but nobody takes the upcard")


# --- a deal that fits what a record shows ------------------------------------------------------


_KITTY, _DUMMY = 4, 5
"""Places of cards besides the hands of the seats 0 to 3."""


def _place(place: int) -> str:
    names = {_KITTY: "the kitty", _DUMMY: "the dummy"}
    return names.get(place) or f"the hand of {seat_text(place)}"


class _Told:
    """What a record shows of a deal, checked as far as no call or play is needed for it.

    Attributes:
        last: Tricks that can be replayed; the next one, if any, holds a card that is not known.
        discard: The card laid away for the upcard.
        exchange: The card passed to a lone hand, and what it laid away for it.
        note: Why the replay stops early, if it does.
    """

    def __init__(self, deal: DealRecord, table: _Table) -> None:
        self.deal, self.table = deal, table
        self.discard: int | None = None
        self.exchange: tuple[int | None, int | None] = (None, None)
        self._check_cards()
        unknown = [t for t, trick in enumerate(deal.tricks) if not all(map(is_known, trick))]
        self.last = unknown[0] if unknown else len(deal.tricks)
        self.note = f"trick {self.last + 1} holds a card that is not known" if unknown else ""
        self.upcard = card_id(deal.upcard)

    def _check_cards(self) -> None:
        deal = self.deal
        if not is_known(deal.upcard):
            raise BadRecord("the upcard is not known: without it the deal cannot be replayed")
        groups = (*deal.hands, *deal.tricks, deal.kitty, deal.dummy, deal.buried)
        texts = [deal.upcard, deal.passed or UNKNOWN, *(c for group in groups for c in group)]
        if card_text(JOKER) in texts and not self.table.ruleset.joker:
            raise BadRecord("the JOKER is there, but the rule set has joker=False")
        for text in filter(is_known, texts):
            if card_id(text) not in self.table.cards:
                lowest = self.table.ruleset.lowest_rank
                raise BadRecord(f"{text} is there, but the rule set has lowest_rank={lowest}")
        if len(deal.tricks) > rules.N_TRICKS:
            raise BadRecord(
                f"{len(deal.tricks)} tricks are recorded, a hand has {rules.N_TRICKS}", 6
            )

    def _check_places(self, groups: Mapping[int, tuple[int, Sequence[str]]]) -> None:
        """Each place has room for the cards that it shows, and none shows a card of another.

        Args:
            groups: By place how many cards were dealt to it, and those that are shown.
        """
        seen = {self.upcard: "the upcard"}
        for place, (room, group) in groups.items():
            seat = place if place < _KITTY else None
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


class _Full(_Told):
    """A deal of a game without partners: all cards that come into play are shown."""

    def deck(self) -> npt.NDArray[np.int8]:
        """The deck of the deal; face-down cards that nobody sees may be any that are left.

        Raises:
            BadRecord: a card that comes into play is not shown, or has no room where it is.
        """
        deal, players = self.deal, self.table.ruleset.players
        dummy = int(rules.dummy_size(self.table.r))
        self._check_seats(players)
        hidden = len(self.table.cards) - 1 - HAND_SIZE * players - dummy
        groups = {seat: (HAND_SIZE, hand) for seat, hand in enumerate(deal.hands)}
        self._check_places({**groups, _KITTY: (hidden, deal.kitty), _DUMMY: (dummy, deal.dummy)})
        for place, (_, hand) in groups.items():
            self._require_all(place, hand, HAND_SIZE)
        if deal.buried:
            self._require_all(_DUMMY, deal.dummy, dummy)
        away = (*deal.buried, *([] if deal.discard is None else [deal.discard]))
        if not all(map(is_known, away)):
            raise BadRecord("a game without partners is replayed only where all laid away is known")
        self.discard = None if deal.discard is None else card_id(deal.discard)
        aside, kitty = (list(filter(is_known, cards)) for cards in (deal.dummy, deal.kitty))
        hands = dict(enumerate(deal.hands))
        return complete_deck(
            self.upcard, hands, kitty, players=players, dummy=aside, dummy_size=dummy
        )

    def _check_seats(self, players: int) -> None:
        deal = self.deal
        if len(deal.hands) != players:
            raise BadRecord(f"the record has {len(deal.hands)} hands, the game {players} players")
        for seat in (deal.dealer, *deal.dropped):
            if not 0 <= seat < players:
                raise BadRecord(f"{seat} is no seat of this game: it has 0 to {players - 1}")

    def _require_all(self, place: int, cards: Sequence[str], count: int) -> None:
        known = sum(map(is_known, cards))
        if known != count:
            raise BadRecord(
                f"{_place(place)} shows {known} of {count} cards: a game without partners is "
                "replayed only where all hands and a dummy that was taken are shown",
                seat=place if place < _KITTY else None,
            )


@dataclass(frozen=True, slots=True)
class _Slot:
    """A card that was dealt to a place; only some of its properties are known."""

    place: int  # a seat, or _KITTY
    allowed: frozenset[int]


class _Shown(_Told):
    """What a record shows of a deal: who played which card, and a full deal that agrees with it.

    Cards that the record does not show are filled in. Each hand holds the cards it plays, so that
    the engine's own check finds every renege that a later card proves; cards filled in add none.

    ``discard`` is there once :meth:`deck` has been called.
    """

    def __init__(self, deal: DealRecord, table: _Table) -> None:
        super().__init__(deal, table)
        self.stuck = _KITTY
        groups = (*deal.hands, deal.kitty)
        self.held = [{card_id(c) for c in group if is_known(c)} for group in groups]
        rooms = [HAND_SIZE] * rules.N_SEATS + [len(table.cards) - 21]
        self._check_places(dict(enumerate(zip(rooms, groups))))

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
            raise _nobody_takes(self.deal)
        if known is None:
            self._add_plays()
        if known is None or (self.taker >= 0 and self.discard is None):
            self._fill()
        if self.passer >= 0:
            self.exchange = self._exchanged()
        if known is not None:
            return known
        hands = {seat: sorted(self.held[seat]) for seat in range(rules.N_SEATS)}
        kitty = sorted(self.held[_KITTY])
        return known if known is not None else self._completed(hands, kitty)

    def _completed(
        self, hands: Mapping[int, Iterable[str | int]], kitty: Iterable[str | int]
    ) -> npt.NDArray[np.int8]:
        ruleset = self.table.ruleset
        return complete_deck(
            self.upcard, hands, kitty, ruleset.joker, lowest_rank=ruleset.lowest_rank
        )

    # before any card is played

    def _full_deck(self) -> npt.NDArray[np.int8] | None:
        """The deck, where the record shows all four hands."""
        if any(len(cards) < HAND_SIZE for cards in self.held[:_KITTY]):
            return None
        kitty = list(filter(is_known, self.deal.kitty))
        hands = dict(enumerate(self.deal.hands))
        return self._completed(hands, kitty)

    def _any_deck(self) -> npt.NDArray[np.int8]:
        ruleset = self.table.ruleset
        for option in ("weak_hand", "require_natural_trump"):
            if getattr(ruleset, option) != "off":
                raise BadRecord(
                    f"with {option}={getattr(ruleset, option)!r} a record must show all hands"
                )
        always = ruleset.call_for_best == "always" and self.deal.alone
        if self.deal.passed is not None or always:
            raise BadRecord("where a card is passed to a lone hand a record must show all hands")
        hands = {seat: sorted(self.held[seat]) for seat in range(rules.N_SEATS)}
        return self._completed(hands, sorted(self.held[_KITTY]))

    # who played what

    def _walk(self, deck: npt.NDArray[np.int8]) -> None:
        """Let the engine say which seat plays each card, whoever may have held it.

        Each seat is handed just the card that it plays, so that no question of holding arises.
        """
        s = self.table.scratch(deck, self.deal.dealer)
        _Decisions(self.deal, self.table.r, None, self.last, []).call(s)
        self.taker, self.frame = int(s.taker), int(s.frame)
        self.passer, self.loner = int(s.passer), int(s.loner)
        self.plays: list[tuple[int, int, int]] = []  # trick, seat, card id
        seen: dict[int, str] = {}
        for t, trick in enumerate(self.deal.tricks):
            for text in filter(is_known, trick):
                seat = self._who_plays(s, t)
                self._once(seen, t, seat, text)
                if seat is not None:
                    self._drop(s, t, seat, card_id(text))
            if t < min(self.last, len(self.deal.tricks) - 1) and s.trick == t:
                raise _miscounted(self.deal, s, t, int(s.turn))
        self.voids = [frozenset(cards_of(int(suits), self.frame)) for suits in s.void]

    def _who_plays(self, s: Any, t: int) -> int | None:
        """The seat whose card comes next; None after a card that is not known."""
        if t >= self.last:
            return None
        if s.phase == rules.OVER or s.trick != t:
            raise _miscounted(self.deal, s, t, None)
        return int(s.turn)

    def _once(self, seen: dict[int, str], t: int, seat: int | None, text: str) -> None:
        card = card_id(text)
        if card in seen:
            raise BadRecord(f"{text} is played twice, the first time in {seen[card]}", t + 1, seat)
        seen[card] = f"trick {t + 1}" + ("" if seat is None else f" by {seat_text(seat)}")

    def _drop(self, s: Any, t: int, seat: int, card: int) -> None:
        bit = int(BIT_OF[self.frame, card])
        self.plays.append((t, seat, card))
        s.hand[seat] = 1 << bit
        rules.apply(s, self.table.r, int(rules.card_action(bit, s.frame)))

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
            slots += [_Slot(place, matching(pattern, self.table.cards)) for pattern in patterns]
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
        played = self._played_by(self.taker)
        allowed = matching(self.deal.discard or UNKNOWN, self.table.cards)
        if self.passer >= 0:
            gone = (self.deal.passed, *self.deal.buried)
            allowed -= {card_id(card) for card in gone if card is not None and is_known(card)}
            allowed -= self._played_by(self.loner)
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

    # the partner's best

    def _played_by(self, seat: int) -> set[int]:
        return {card for _, other, card in self.plays if other == seat}

    def _exchanged(self) -> tuple[int, int]:
        """The card passed to the lone hand and the one it laid away, where all hands are shown.

        What the record does not say follows from the cards played; else the lone hand laid away the
        card that it was passed.
        """
        five = self._after_exchange(self.loner)
        played = self._played_by(self.loner)
        told = self.deal.passed
        laid = {card_id(card) for card in self.deal.buried if is_known(card)}
        if told is not None and is_known(told):
            passed = card_id(told)
        else:
            theirs = self._after_exchange(self.passer)
            passed = min(((played | laid) - five) & theirs or theirs)
        if laid:
            return passed, min(laid)
        left = (five | {passed}) - played
        proving = sorted(card for card in left if card in self.voids[self.loner])
        if proving:
            return passed, proving[0]
        return passed, passed if passed in left or not left else min(left)

    def _after_exchange(self, seat: int) -> set[int]:
        """The five cards of a seat once the upcard has been exchanged."""
        if seat != self.taker:
            return set(self.held[seat])
        return (self.held[seat] | {self.upcard}) - {self.discard}

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
            return set(fresh & matching(self.deal.discard or UNKNOWN, self.table.cards))
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
