"""A table for tests: games are laid out, moved and read back in card and action texts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from euchre_env import cards, encoding, rules
from euchre_env.actions import action_id, action_text
from euchre_env.ruleset import Ruleset

SCRATCH = rules.new_states(1)
DECISION_PHASES = (*rules.PHASES[: rules.OVER], "call_best", "pass_card", "lay_away")
"""The phases of the partnership game in which a decision is due."""
DECISION_PHASE_IDS = {rules.PHASES.index(name) for name in DECISION_PHASES}

# Deals of games without partners, told as hands are played in several tests.
SPREAD = "AS KD JS JH AD  TC KH AC KS TH  QS TS 9S JD 9D  9C AH JC KC QH  9H  QC QD TD"
ROUND_TWO = "KH 9H TS JH 9S  TD AC QC JS JC  JD QD KD AD 9C  QH KC TC AH TH  KS  QS 9D AS"
CLUB_UP = "KH 9H TS JH 9S  TD AC QC JS JC  JD QD KD AD KS  QH KC TC AH TH  9C  QS 9D AS"


def deck_with(
    hands: dict[int, str], upcard: str, kitty: str = "", joker: bool = False
) -> list[str]:
    """The texts of a whole deck with some places given; the rest is filled in card order."""
    given = {seat: text.split() for seat, text in hands.items()}
    down = kitty.split()
    named = {c for hand in given.values() for c in hand} | {upcard, *down}
    every = [cards.card_text(i) for i in range(24)] + (["JOKER"] if joker else [])
    rest = [c for c in every if c not in named]
    full = [given[seat] if seat in given else [rest.pop(0) for _ in range(5)] for seat in range(4)]
    return [*full[0], *full[1], *full[2], *full[3], upcard, *down, *rest]


def random_deck(rng: random.Random, joker: bool = False, redraw: bool = False) -> list[str]:
    """The texts of a shuffled deck; with `redraw` the joker is not turned up."""
    deck = [cards.card_text(i) for i in range(24 + joker)]
    while True:
        rng.shuffle(deck)
        if not (redraw and deck[20] == "JOKER"):
            return deck


def observe(s: Any, ruleset: Ruleset, viewer: int, absolute: bool) -> np.ndarray:
    """The observation of one seat, uint8[D]."""
    out = np.zeros(encoding.OBSERVATION_SIZE, np.uint8)
    codes = encoding.rule_codes(ruleset)
    encoding.encode(s, ruleset.record()[0], codes, viewer, absolute, SCRATCH, out)
    return out


def fields(s: Any) -> dict[str, Any]:
    """The record as plain values, its padding left out."""
    return {name: np.asarray(s[name]).tolist() for name in rules.STATE.names}


def copy(s: Any) -> Any:
    """A record of its own with the same contents."""
    new = rules.new_states(1)
    new[0] = s
    return new[0]


def seats(bits: int) -> set[int]:
    """The seats of a field with a bit per seat."""
    return {seat for seat in range(4) if int(bits) >> seat & 1}


def hidden_from(s: Any, ruleset: Ruleset, viewer: int) -> Any:
    """A copy of the record without all that `viewer` cannot know."""
    seen = copy(s)
    rules.hide(seen, ruleset.record()[0], viewer)
    return seen


class Table:
    """One game in a rule set, driven and read in texts."""

    def __init__(
        self,
        upcard: str = "KH",
        dealer: int = 0,
        hands: dict[int, str] | None = None,
        kitty: str = "",
        score: tuple[int, ...] = (),
        **options: Any,
    ) -> None:
        joker = bool(options.get("joker"))
        self.start(Ruleset(**options), deck_with(hands or {}, upcard, kitty, joker), dealer, score)

    @classmethod
    def dealt(
        cls, ruleset: Ruleset, deck: list[str], dealer: int, score: tuple[int, ...] = ()
    ) -> Table:
        """A table for a rule set and a whole deck; the score is the usual one unless given."""
        table = cls.__new__(cls)
        table.start(ruleset, deck, dealer, score)
        return table

    def start(self, ruleset: Ruleset, deck: list[str], dealer: int, score: tuple[int, ...]) -> None:
        self.ruleset = ruleset
        self.r = ruleset.record()[0]
        self.s: Any = rules.new_states(1)[0]
        rules.new_match(self.s, self.r)
        self.s.score[: len(score)] = score
        rules.deal(self.s, self.r, cards.deck_of(deck, joker=ruleset.joker), dealer)

    @property
    def phase(self) -> str:
        return rules.PHASES[int(self.s.phase)]

    @property
    def turn(self) -> int:
        return int(self.s.turn)

    @property
    def legal(self) -> set[str]:
        allowed = int(rules.legal(self.s, self.r))
        assert allowed >> rules.N_ACTIONS == 0
        actions = (a for a in range(rules.N_ACTIONS) if allowed >> a & 1)
        return {action_text(a, "trump", self.s) for a in actions}

    @property
    def at(self) -> tuple[str, int]:
        """Phase and seat to act."""
        return self.phase, self.turn

    def do(self, *words: str) -> Table:
        """Carry out actions, each of which has to be legal; several may stand in one text."""
        for word in " ".join(words).split():
            assert word in self.legal, f"{word} is not in {sorted(self.legal)} at {self.at}"
            rules.apply(self.s, self.r, action_id(word, "trump", self.s))
        return self

    def texts(self, mask: int) -> set[str]:
        return {cards.card_text(i) for i in cards.cards_of(int(mask), int(self.s.frame))}

    def hand(self, seat: int) -> set[str]:
        return self.texts(self.s.hand[seat])

    @property
    def points(self) -> tuple[int, int]:
        """Of the two teams."""
        return int(self.s.points[0]), int(self.s.points[1])

    @property
    def score(self) -> tuple[int, int]:
        """Of the two teams."""
        return int(self.s.score[0]), int(self.s.score[1])

    @property
    def tricks(self) -> list[int]:
        """Of the two teams."""
        return self.s.tricks.tolist()[:2]

    @property
    def out(self) -> set[int]:
        """The seats that sit out."""
        return seats(self.s.sitting_out)

    @property
    def place(self) -> str:
        return rules.UPCARD_PLACES[int(self.s.place)]

    def sees(self, viewer: int) -> dict[str, str]:
        """Where a seat places each card that it can place."""
        seen = hidden_from(self.s, self.ruleset, viewer)
        where = {
            c: rules.LOCATIONS[rules.card_location(seen, viewer, int(cards.BIT_OF[seen.frame, c]))]
            for c in range(25)
        }
        return {cards.card_text(c): w for c, w in where.items() if w != "unknown"}

    def finish(self, rng: random.Random | None = None) -> Table:
        """Play the hand to its end, the first legal action each time or a random one."""
        while self.phase != "over":
            words = sorted(self.legal)
            self.do(rng.choice(words) if rng else words[0])
        return self


def dealt(
    hands: dict[int, str],
    upcard: str,
    kitty: str = "",
    score: tuple[int, ...] = (),
    **options: Any,
) -> Table:
    """A table with seat 0 as dealer, stick the dealer unless ``options`` say otherwise."""
    options = {"stick_the_dealer": True, **options}
    return Table(upcard=upcard, dealer=0, hands=hands, kitty=kitty, score=score, **options)


def lively_choice(rng: random.Random, legal: set[str]) -> str:
    """A random action that makes late calls, lone hands and polls common enough to be tested."""
    words = sorted(legal)
    if "pass" in legal and rng.random() < 0.6:
        return "pass"
    if "claim" in legal and rng.random() < 0.5:
        return "keep"
    return rng.choice(words)


def random_walk(table: Table, rng: random.Random) -> Iterator[Table]:
    """Yield the table at each decision of a random hand, and once more when the hand is over."""
    while table.phase != "over":
        yield table
        table.do(lively_choice(rng, table.legal))
    yield table
