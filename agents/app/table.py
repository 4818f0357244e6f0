"""A table where people and agents play: shared by ``euchre play``, ``watch``, ``demo``, ``serve``.

The table holds the full record. A person is only ever given :meth:`Table.snapshot`,
:meth:`Table.seen_by` and :meth:`Table.events_for`, which hold what that seat may know.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env import explain, rules
from euchre_env.actions import ACTION_TEXT, FROM_ABSOLUTE, TO_ABSOLUTE, legal_ids
from euchre_env.cards import CARD_AT, N_CARDS, NO_TRUMP, SUITS, card_text, cards_of, same_colour
from euchre_env.kernels import draw_dealer, seed_of, shuffle
from euchre_env.record import GameRecord, first_score, record_hand
from euchre_env.rules import N_SEATS, NOBODY, OVER, SEAT_NAMES
from euchre_env.ruleset import Ruleset

from .. import make
from ..base import Agent, RuleTable, check_actions, require_player, view_of

__all__ = ["Event", "IllegalAct", "Table", "TableError"]

GAME, HAND = "game", "hand"
LENGTHS = (GAME, HAND)


class TableError(ValueError):
    """A table that cannot be set up, or that is asked for what cannot be now."""


class IllegalAct(TableError):
    """An act that the rules forbid; the message says which rule. Nothing has changed."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at the table.

    Attributes:
        deal: The number of the hand, from 0.
        seat: Who acted.
        action: The absolute id; None where the reader may not know it.
        text: The act in words.
        note: What it brought about, in words; empty where nothing of note.
    """

    deal: int
    seat: int
    action: int | None
    text: str
    note: str


@dataclass(frozen=True, slots=True)
class _Hand:
    """A hand as it was dealt.

    Attributes:
        deck: int8[25], as :func:`euchre_env.rules.deal` takes it.
        dealer: The dealer.
        before: STATE, the record before the deal: how the hand before it ended.
        first: The number of its first act.
    """

    deck: npt.NDArray[np.int8]
    dealer: int
    before: Any
    first: int


@functools.lru_cache(maxsize=32)
def agent_of(name: str) -> Agent:
    """The agent of a name, made once for all tables: agents remember nothing of a game.

    Raises:
        AgentError: it cannot be made.
    """
    return make(name)


class Table:
    """One game, or one hand, between people and agents.

    Args:
        ruleset: The rules.
        seats: Names of agents, one a player by seat; None for a person.
        seed: Of the deals and the agents.
        start: The score at the start, by side; that of a new game unless given.
        dealer: The first dealer; by the rule set unless given.
        length: ``game`` until the game (or match) is over, ``hand`` for one hand.

    Raises:
        TableError: another number of seats than players, an unknown length, a score, dealer or
            seed that cannot be.
        AgentError: an agent that cannot be made, or cannot play this game.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        seats: Sequence[str | None],
        seed: int,
        start: Sequence[int] | None = None,
        dealer: int | None = None,
        length: str = GAME,
    ) -> None:
        players = ruleset.players
        if len(seats) != players:
            raise TableError(f"a table has {players} seats, not {len(seats)}: name each, or None")
        if length not in LENGTHS:
            raise TableError(f"length={length!r} is unknown: use {GAME!r} or {HAND!r}")
        if seed < 0:
            raise TableError(f"seed={seed} is negative: give a whole number from 0")
        self.ruleset, self.lineup, self.seed, self.length = ruleset, tuple(seats), seed, length
        self._agents = [agent_of(name) if name else None for name in seats]
        require_player([agent for agent in self._agents if agent is not None], ruleset)
        self._table = RuleTable.of([ruleset])
        self.rules: Any = self._table.rules[0]
        self._states = rules.new_states(1)
        self._hands: list[_Hand] = []
        self._events: list[tuple[Any, int]] = []  # the record before each act, and the act
        self._begin(first_score(ruleset) if start is None else tuple(start), dealer)

    # --- where it stands -----------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The full record, STATE: hidden cards included, so never for a person's eyes."""
        return self._states[0]

    @property
    def states(self) -> Any:
        """STATE[1], :attr:`state` as what takes many records wants it; as secret."""
        return self._states

    @property
    def deal(self) -> int:
        """The number of the hand, from 0."""
        return len(self._hands) - 1

    @property
    def hand_over(self) -> bool:
        """Whether the hand is over."""
        return bool(self.state.phase == OVER)

    @property
    def over(self) -> bool:
        """Whether there is nothing more to play."""
        decided = self.state.match_winner != rules.UNDECIDED
        return self.hand_over and bool(decided or self.length == HAND)

    @property
    def actor(self) -> int | None:
        """The seat to act; None when the hand is over."""
        return None if self.hand_over else int(self.state.turn)

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to act."""
        return self.actor is not None and self._agents[self.actor] is None

    @property
    def legal(self) -> list[int]:
        """Absolute ids of the legal actions."""
        return legal_ids(self.state, self.rules)

    @property
    def score(self) -> tuple[int, ...]:
        """The score of the game, by side: team, or player."""
        return tuple(_by_side(self.state.score, self.rules))

    @property
    def acts(self) -> int:
        """How many acts there were."""
        return len(self._events)

    @property
    def first_act(self) -> int:
        """The number of the first act of the present hand."""
        return self._hands[-1].first

    # --- what happens --------------------------------------------------------------------------

    def act(self, action: int) -> Event:
        """The act of the seat whose turn it is, a person or not.

        Args:
            action: Its absolute id.

        Raises:
            IllegalAct: the rules forbid it; the message says which.
        """
        why = explain.why_illegal(self.state, self.rules, action)
        if why:
            raise IllegalAct(why)
        before = self.state.copy()
        rules.apply(self.state, self.rules, int(FROM_ABSOLUTE[before.frame, action]))
        self._events.append((before, action))
        return self._event(len(self._events) - 1, None)

    def choice(self) -> int:
        """The absolute id that the agent to act chooses.

        Raises:
            TableError: a person is to act, or nobody.
        """
        agent = None if self.actor is None else self._agents[self.actor]
        if agent is None:
            raise TableError("no agent is to act at this table now")
        seeds = np.random.default_rng([self.seed, len(self._events)])
        seed = seeds.integers(2**64, size=1, dtype=np.uint64)
        view = view_of(self._states, self._table, np.zeros(1, np.int16), seed, oracle=agent.oracle)
        framed = int(check_actions(view, agent.act(view), agent.name)[0])
        return int(TO_ABSOLUTE[self.state.frame, framed])

    def advance(self) -> Event:
        """The agent to act does so.

        Raises:
            TableError: a person is to act, or nobody.
        """
        return self.act(self.choice())

    def next_hand(self) -> None:
        """Deal the next hand.

        Raises:
            TableError: the hand is not over, or there is nothing more to play.
        """
        if not self.hand_over or self.over:
            raise TableError("the hand is still going on" if not self.over else "the game is over")
        before, deck = self.state.copy(), np.zeros(N_CARDS, np.int8)
        shuffle(self.state, self.rules, deck)
        rules.next_hand(self.state, self.rules, deck)
        self._hands.append(_Hand(deck, int(self.state.dealer), before, self.acts))

    def undo(self) -> bool:
        """Go back to the last decision of a person, in this hand or an earlier one.

        Returns:
            Whether there was one.
        """
        mine = [n for n, (s, _) in enumerate(self._events) if self._agents[int(s.turn)] is None]
        if not mine:
            return False
        number = mine[-1]
        self._states[0] = self._events[number][0]
        del self._events[number:]
        self._hands = [hand for hand in self._hands if hand.first <= number]
        return True

    # --- what a seat may know ------------------------------------------------------------------

    def seen_by(self, seat: int) -> Any:
        """The record, cleared of what a seat cannot know: STATE."""
        seen = self._states.copy()
        rules.hide(seen[0], self.rules, seat)
        return seen[0]

    def events_for(self, seat: int | None, start: int = 0) -> list[Event]:
        """What happened from an act on, as a seat may know it; None for all that is true."""
        return [self._event(n, seat) for n in range(start, len(self._events))]

    def _event(self, number: int, viewer: int | None) -> Event:
        before, action = self._events[number]
        hidden = explain.is_face_down(before, viewer)
        return Event(
            sum(hand.first <= number for hand in self._hands) - 1,
            int(before.turn),
            None if hidden else action,
            explain.tell(before, action, viewer, self.rules),
            explain.consequence(before, self._after(number), self.rules),
        )

    def _after(self, number: int) -> Any:
        """The record right after an act, before another hand is dealt."""
        for hand in self._hands[1:]:
            if hand.first == number + 1:
                return hand.before
        return self._events[number + 1][0] if number + 1 < self.acts else self.state

    def snapshot(self, seat: int) -> dict[str, Any]:
        """What a seat may know, as plain values for JSON; cards and actions as texts."""
        return _snapshot(self, seat)

    # --- the record ----------------------------------------------------------------------------

    def game_record(self) -> GameRecord:
        """The game so far, the hand under way included."""
        ends = [*(hand.first for hand in self._hands[1:]), self.acts]
        deals = [
            record_hand(
                self.ruleset,
                hand.deck,
                hand.dealer,
                [action for _, action in self._events[hand.first : end]],
                number,
            )
            for number, (hand, end) in enumerate(zip(self._hands, ends, strict=True))
        ]
        first = self._hands[0].before
        return GameRecord(
            ruleset=self.ruleset,
            deals=tuple(deals),
            players=tuple(name or SEAT_NAMES[k] for k, name in enumerate(self.lineup)),
            initial_score=tuple(_by_side(first.score, self.rules)),
        )

    def _begin(self, start: tuple[int, ...], dealer: int | None) -> None:
        self._check_score(start)
        players = self.ruleset.players
        if dealer is not None and not 0 <= dealer < players:
            raise TableError(f"dealer={dealer} is no seat: give 0 to {players - 1}")
        s, deck = self.state, np.zeros(N_CARDS, np.int8)
        s.rng = seed_of(np.uint64(self.seed), np.uint64(0))
        rules.new_match(s, self.rules)
        s.score[: len(start)] = start
        before = s.copy()
        first = int(draw_dealer(s, self.rules)) if dealer is None else dealer
        shuffle(s, self.rules, deck)
        rules.deal(s, self.rules, deck, first)
        self._hands.append(_Hand(deck, first, before, 0))

    def _check_score(self, start: tuple[int, ...]) -> None:
        """Raise TableError for a score by another number of sides, or with which a game is over."""
        sides, target = int(rules.count_sides(self.rules)), self.ruleset.target_score
        if len(start) != sides:
            raise TableError(f"start={start} is no score of this game: it has {sides} sides")
        if rules.counts_down(self.rules):
            over = target is not None and min(start) <= 0
        else:
            over = min(start) < 0 or (target is not None and max(start) >= target)
        if over:
            raise TableError(f"start={start} is no score of a game that goes on")


def _snapshot(table: Table, seat: int) -> dict[str, Any]:
    s, full = table.seen_by(seat), table.state
    frame = int(s.frame)
    return {
        "seat": seat,
        "lineup": [name or "person" for name in table.lineup],
        "deal": table.deal,
        "acts": table.acts,
        **open_facts(s, table.rules),
        "question": explain.question(s, table.rules) if s.turn == seat else "",
        "legal": [
            {"action": a, "text": ACTION_TEXT[a]} for a in (table.legal if s.turn == seat else [])
        ],
        "hand": _texts(s.hand[seat], frame),
        "counts": hand_counts(full)[: table.ruleset.players],
        "discard": _only(s.discard, frame),
        "dummy": len(cards_of(full.dummy, frame)),
        "buried": _texts(s.buried, frame),
        "passed": _only(s.passed, frame),
        "calls": _calls(table, seat),
        "over": table.over,
        "winner_of_match": _seat(s.match_winner),
    }


def open_facts(s: Any, r: Any) -> dict[str, Any]:
    """What all at a table know of a record, as plain values; a hidden turn is cleared already.

    Args:
        s: The record.
        r: The rule record.
    """
    over = bool(s.phase == OVER)
    return {
        "phase": rules.PHASES[int(s.phase)],
        "actor": _seat(s.turn),
        **_cards_on_table(s, int(s.frame)),
        "maker": _seat(s.maker),
        "trump": None if s.trump == NOBODY else explain.trump_name(int(s.trump)),
        "left_suit": SUITS[same_colour(int(s.trump))] if 0 <= s.trump < NO_TRUMP else None,
        "alone": _seat(s.loner),
        "lone_defender": _seat(s.lone_defender),
        "passer": _seat(s.passer),
        "tokens": [int(n) for n in s.tokens] if r.four_trick_tokens else [],
        "sitting_out": [k for k in range(int(r.players)) if rules.is_out(s, k)],
        "dealer": int(s.dealer),
        "score": _by_side(s.score, r),
        "tricks": _by_side(s.tricks, r),
        "points": _by_side(s.points, r),
        "hand_over": over,
        "result": explain.result(s, r) if over else "",
    }


def _by_side(numbers: Any, r: Any) -> list[int]:
    """Numbers by side as plain values."""
    return [int(n) for n in numbers[: int(rules.count_sides(r))]]


def hand_counts(s: Any) -> list[int]:
    """How many cards each seat holds."""
    return [len(cards_of(hand, int(s.frame))) for hand in s.hand]


def _cards_on_table(s: Any, frame: int) -> dict[str, Any]:
    tricks = [_trick(s, t, frame) for t in range(rules.N_TRICKS)]
    played = [trick for trick in tricks if trick]
    going_on = s.phase == rules.PLAY and s.count > 0
    finished = played[:-1] if going_on else played
    return {
        "trick": played[-1] if going_on else [],
        "last_trick": finished[-1] if finished else [],
        "trick_number": int(s.trick),
        "winner": _seat(s.winner) if played else None,
        "upcard": _only(s.upcard, frame),
        "upcard_place": rules.UPCARD_PLACES[int(s.place)],
    }


def _trick(s: Any, number: int, frame: int) -> list[dict[str, Any]]:
    """The cards of a trick in the order played."""
    first = int(s.leader[number])
    if first == NOBODY:
        return []
    order = [(first + k) % N_SEATS for k in range(N_SEATS)]
    cards = [(seat, int(s.plays[number, seat])) for seat in order]
    return [
        {"seat": seat, "card": card_text(int(CARD_AT[frame, bit]))}
        for seat, bit in cards
        if bit >= 0
    ]


def _calls(table: Table, seat: int) -> list[dict[str, Any]]:
    """The calls and answers of the present hand."""
    return [
        {"seat": event.seat, "text": ACTION_TEXT[event.action]}
        for event in table.events_for(seat, table.first_act)
        if event.action is not None and event.action >= N_CARDS
    ]


def _texts(cards: Any, frame: int) -> list[str]:
    """Cards as texts, by suit and rank with the trumps last."""
    return [card_text(card) for card in cards_of(cards, frame)]


def _only(cards: Any, frame: int) -> str | None:
    found = _texts(cards, frame)
    return found[0] if found else None


def _seat(seat: Any) -> int | None:
    return None if seat < 0 else int(seat)
