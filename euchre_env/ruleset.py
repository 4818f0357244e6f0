"""Rules as data: every option of the game, its values, conflicts, text and record forms.

A `Ruleset` holds plain values only. One table, `OPTIONS`, describes each option; the checks, the
compiled record, the sentence and the documentation all derive from it. Where the options come
from and what they change in play is told in docs/rules.md.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import os
import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._check import is_int, listed
from ._files import write_whole

__all__ = [
    "OPTIONS",
    "PRESETS",
    "RULES",
    "VARIANT_PLAYERS",
    "Option",
    "Ruleset",
    "RulesetError",
    "options_markdown",
]

# Codes of the record for compiled code: the place of each choice in the option's `choices`.
FIRST_DEALER_RANDOM, FIRST_DEALER_BLACK_JACK = -1, -2
REDEAL_NEXT, REDEAL_SAME = 0, 1
NO_TRUMP_OFF, NO_TRUMP_ROUND2, NO_TRUMP_STUCK = 0, 1, 2
NATURAL_OFF, NATURAL_ALWAYS, NATURAL_NOT_DEALER = 0, 1, 2
WITH_CALL, BEFORE_LEAD = 0, 1
BY_MAKER, BY_MAKER_TEAM = 0, 1
LEFT_IN_KITTY, DEALER_DISCARDS, LONER_TAKES = 0, 1, 2
LEAD_DEALER_LEFT, LEAD_LONER_LEFT = 0, 1
DEFEND_OFF, DEFEND_VS_LONER, DEFEND_ANY = 0, 1, 2
JOKER_NAMES_BLIND, JOKER_NAMES, JOKER_REDRAW = 0, 1, 2
WEAK_OFF, WEAK_THROW_IN, WEAK_SWAP3 = 0, 1, 2
TEST_NO_ACE_NO_FACE, TEST_ACE_NO_FACE, TEST_NO_ACE_NO_FACE_NO_TRUMP = 0, 1, 2
TEST_THREE_NINES_OR_TENS, TEST_THREE_LOW, TEST_FOUR_LOW = 3, 4, 5
WEAK_REDEAL_SAME, WEAK_REDEAL_NEXT = 0, 1
RENEGE_IMPOSSIBLE, RENEGE_PENALISED = 0, 1
RENEGE_AWARD, RENEGE_DEDUCT = 0, 1
PARTNERSHIP, THREE_HAND_DUMMY, CUTTHROAT_WIDOW, BUCK, TWO_HAND = 0, 1, 2, 3, 4
DUMMY_NONE, DUMMY_MAKER = 0, 1
BEST_OFF, BEST_OFFERED, BEST_ALWAYS = 0, 1, 2

VARIANT_PLAYERS: dict[str, int] = {
    "partnership": 4,
    "three_hand_dummy": 3,
    "cutthroat_widow": 3,
    "buck": 4,
    "two_hand": 2,
}
"""Number of players each variant is for (rule variants, see docs/rules.md)."""

SEAT_NAMES = ("North", "East", "South", "West")
_FILE_KINDS = (".yaml", ".yml", ".json")

Kind = Literal["bool", "choice", "int", "optional int", "pair", "seat"]


class RulesetError(ValueError):
    """A rule set that cannot be: a wrong value, options in conflict, or text that names neither.

    `conflict` holds the names of the options at fault, empty where no option is to blame.
    """

    def __init__(self, message: str, conflict: Iterable[str] = ()) -> None:
        """Keep the message and the names of the options at fault."""
        super().__init__(message)
        self.conflict: tuple[str, ...] = tuple(conflict)


# --- one option ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What one option may hold and how it is told.

    `low`, `high` and `step` bound the whole numbers; `choices` are the words, in code order;
    `phrases` are the words of the sentence: one for each choice, or one template. An option
    without phrases is told in the head of the sentence. An option with `variants` keeps its
    default in every other one.
    """

    kind: Kind
    group: str
    meaning: str
    phrases: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    step: int = 1
    variants: tuple[str, ...] = ()
    name: str = ""
    default: Any = None

    def allowed_in(self, variant: str) -> bool:
        """Whether the option may differ from its default in a variant."""
        return not self.variants or variant in self.variants

    def check(self, value: object) -> Any:
        """Return `value` as a plain Python value; raise RulesetError where it does not fit."""
        return _CHECKS[self.kind](self, value)

    def encode(self, value: Any) -> int | tuple[int, int]:
        """Return the record code of a checked value: see `RULES`."""
        if self.kind == "choice":
            return self.choices.index(value)
        if self.kind == "seat" and isinstance(value, str):
            return -1 - self.choices.index(value)
        if self.kind == "pair":
            return value[0], value[1]
        return 0 if value is None else int(value)

    def decode(self, code: Any) -> Any:
        """Return the value of a record code; raise RulesetError for a code that means nothing."""
        if self.kind == "pair":
            return tuple(int(part) for part in code)
        number = int(code)
        words = self._coded_values()
        if number in words:
            return words[number]
        if self.kind in ("bool", "choice"):
            raise RulesetError(f"{self.name}: no value has the code {number}", (self.name,))
        return number

    def _coded_values(self) -> dict[int, Any]:
        if self.kind == "bool":
            return {0: False, 1: True}
        if self.kind == "optional int":
            return {0: None}
        if self.kind == "seat":
            return {-1 - i: word for i, word in enumerate(self.choices)}
        return dict(enumerate(self.choices))

    def takes(self) -> str:
        """Say in words which values fit, for error messages and the documentation."""
        number = f"{'odd ' if self.step == 2 else ''}whole number {self.low} to {self.high}"
        return {
            "bool": "True or False",
            "choice": listed([repr(word) for word in self.choices], "or"),
            "int": f"a {number}" if self.step == 1 else f"an {number}",
            "optional int": f"a {number}, or None",
            "pair": f"two whole numbers {self.low} to {self.high}",
            "seat": f"{listed([repr(w) for w in self.choices], 'or')}, or a seat 0 to {self.high}",
        }[self.kind]

    def phrase(self, value: Any) -> str:
        """Return the words of the sentence for `value`."""
        if self.kind == "choice":
            return self.phrases[self.choices.index(value)]
        if self.kind == "pair":
            return self.phrases[0].format(*value)
        if self.kind == "seat":
            word = "the first black jack" if isinstance(value, str) else SEAT_NAMES[value]
            return f"{word} dealing first"
        return self.phrases[0].format(value)


def _show(value: object) -> str:
    # Python refuses to spell out integers of thousands of digits, which a file may well hold.
    try:
        return reprlib.repr(value)
    except ValueError:
        return "an enormous number"


def _hint(word: object, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(str(word), list(known), n=1) if isinstance(word, str) else []
    return f" (did you mean {close[0]!r}?)" if close else ""


def _wrong(option: Option, value: object) -> RulesetError:
    hint = _hint(value, option.choices)
    text = f"{option.name}={_show(value)} does not fit: it takes {option.takes()}{hint}"
    return RulesetError(text, (option.name,))


def _as_int(value: object) -> int | None:
    return int(value) if is_int(value) else None


def _fits(option: Option, number: int | None) -> bool:
    if number is None or not option.low <= number <= option.high:
        return False
    return (number - option.low) % option.step == 0


def _check_bool(option: Option, value: object) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise _wrong(option, value)
    return bool(value)


def _check_choice(option: Option, value: object) -> str:
    if not isinstance(value, str) or value not in option.choices:
        raise _wrong(option, value)
    return str(value)


def _check_int(option: Option, value: object) -> int:
    number = _as_int(value)
    if number is None or not _fits(option, number):
        raise _wrong(option, value)
    return number


def _check_optional(option: Option, value: object) -> int | None:
    return None if value is None else _check_int(option, value)


def _check_pair(option: Option, value: object) -> tuple[int, int]:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise _wrong(option, value)
    first, second = (_as_int(part) for part in value)
    if first is None or second is None or not (_fits(option, first) and _fits(option, second)):
        raise _wrong(option, value)
    return first, second


def _check_seat(option: Option, value: object) -> int | str:
    return _check_choice(option, value) if isinstance(value, str) else _check_int(option, value)


_CHECKS: dict[Kind, Callable[[Option, object], Any]] = {
    "bool": _check_bool,
    "choice": _check_choice,
    "int": _check_int,
    "optional int": _check_optional,
    "pair": _check_pair,
    "seat": _check_seat,
}


# --- the table of options --------------------------------------------------------------------


_PARTNERS = ("partnership",)
_COUNT_DOWN = ("cutthroat_widow", "buck")


def _flag(group: str, meaning: str, phrase: str, variants: tuple[str, ...] = ()) -> Option:
    return Option(kind="bool", group=group, meaning=meaning, phrases=(phrase,), variants=variants)


def _choice(
    group: str, meaning: str, phrases: Mapping[str, str], variants: tuple[str, ...] = ()
) -> Option:
    return Option(
        kind="choice",
        group=group,
        meaning=meaning,
        choices=tuple(phrases),
        phrases=tuple(phrases.values()),
        variants=variants,
    )


def _points(group: str, meaning: str, phrase: str, variants: tuple[str, ...] = ()) -> Option:
    return Option(
        kind="int", group=group, meaning=meaning, phrases=(phrase,), high=50, variants=variants
    )


# Defaults are not repeated here: they are those of the fields of `Ruleset`.
_ROWS: dict[str, Option] = {
    "players": Option(
        kind="int", group="Game", meaning="number of players, fixed by the variant", low=2, high=4
    ),
    "variant": _choice(
        "Game",
        "the game itself, which fixes the number of players",
        {
            "partnership": "Euchre",
            "three_hand_dummy": "Three-handed euchre with a dummy",
            "cutthroat_widow": "Cutthroat euchre with a widow",
            "buck": "Buck euchre",
            "two_hand": "Two-handed euchre",
        },
    ),
    "target_score": Option(
        kind="optional int",
        group="Game",
        meaning="a side at or above it after a hand wins the game (cutthroat games count down from "
        "it); None with hands_per_game",
        low=1,
        high=150,  # a final score then fits the observation's byte, whatever the points
    ),
    "hands_per_game": Option(
        kind="optional int",
        group="Game",
        meaning="play so many hands, the higher total wins, equal totals draw; needs no target",
        low=1,
        high=250,
    ),
    "match_games": Option(
        kind="int",
        group="Game",
        meaning="best of so many games, ended as soon as it is decided",
        low=1,
        high=99,
        step=2,
    ),
    "match_carry_over": _flag(
        "Game",
        "points above the target start the winner's next game of the match",
        "surplus points carried into the next game",
        variants=_PARTNERS,
    ),
    "first_dealer": Option(
        kind="seat",
        group="Game",
        meaning="who deals first: any seat alike, whoever is dealt a black jack, or a fixed seat",
        choices=("random", "black_jack"),
        low=0,
        high=3,
    ),
    "throw_in_redealer": _choice(
        "Game",
        "who deals after a hand on which everyone passed twice",
        {"next": "the next dealer after a throw-in", "same": "the same dealer after a throw-in"},
    ),
    "stick_the_dealer": _flag(
        "Bidding",
        "after seven passes the dealer must name a suit",
        "stick the dealer",
    ),
    "stuck_dealer_may_name_turned_down": _flag(
        "Bidding",
        "a stuck dealer may name the turned-down suit as well, without taking the upcard",
        "the turned-down suit open to a stuck dealer",
    ),
    "no_trump": _choice(
        "Bidding",
        "who may call no trump: nobody, anyone in the second round, or a stuck dealer",
        {
            "off": "no calls of no trump",
            "round2": "no trump in the second round",
            "stuck_dealer": "no trump for a stuck dealer",
        },
    ),
    "require_natural_trump": _choice(
        "Bidding",
        "a caller must hold a printed card of the suit; not_dealer counts the upcard for the "
        "dealer in the first round",
        {
            "off": "no natural trump needed to call",
            "always": "a natural trump needed to call",
            "not_dealer": "a natural trump needed to call unless the dealer picks up",
        },
    ),
    "dealer_may_discard_upcard": _flag(
        "Bidding",
        "the dealer may bury the upcard just picked up",
        "the upcard always kept by the dealer",
    ),
    "allow_alone": _flag("Lone hands", "makers may play alone", "no lone hands"),
    "alone_timing": _choice(
        "Lone hands",
        "when a lone hand is declared: with the call, or after the discard and before the lead",
        {
            "with_call": "lone hands declared with the call",
            "before_lead": "lone hands declared before the lead",
        },
        variants=_PARTNERS,
    ),
    "alone_by": _choice(
        "Lone hands",
        "who may play alone: the maker, or the maker's partner too when the maker declines",
        {
            "maker": "lone hands by the maker only",
            "maker_team": "lone hands open to the maker's partner",
        },
        variants=_PARTNERS,
    ),
    "canadian_loner": _flag(
        "Lone hands",
        "the dealer's partner who orders up in the first round plays alone",
        "the Canadian loner",
        variants=_PARTNERS,
    ),
    "partner_alone_upcard": _choice(
        "Lone hands",
        "the upcard when the dealer's partner orders up alone: untouched, exchanged by the dealer "
        "who then sits out, or taken by the loner",
        {
            "left_in_kitty": "the upcard left in the kitty when the dealer's partner goes alone",
            "dealer_discards": "a discard by the dealer whose partner goes alone",
            "loner_takes": "the upcard taken by the dealer's lone partner",
        },
        variants=_PARTNERS,
    ),
    "loner_lead": _choice(
        "Lone hands",
        "who leads against a lone maker: the first active seat from the dealer's or loner's left",
        {
            "dealer_left": "the lead from the dealer's left against a loner",
            "loner_left": "the lead from the loner's left",
        },
        variants=_PARTNERS,
    ),
    "defend_alone": _choice(
        "Lone hands",
        "whether a defender may play alone: never, against a lone maker, or against any maker",
        {
            "off": "no lone defence",
            "vs_loner": "lone defence against a loner",
            "any": "lone defence against any maker",
        },
        variants=_PARTNERS,
    ),
    "defend_alone_points": Option(
        kind="pair",
        group="Lone hands",
        meaning="points of a lone defender's euchre: with three or four tricks, with five",
        phrases=("a lone defender's euchre worth {} or {}",),
        high=50,
        variants=_PARTNERS,
    ),
    "points_make": _points(
        "Points", "the makers take three or four tricks", "a made hand worth {}"
    ),
    "points_march": _points("Points", "the makers take all five tricks", "a march worth {}"),
    "points_loner_march": _points(
        "Points", "a lone maker takes all five tricks", "a lone march worth {}"
    ),
    "points_loner_four": _points(
        "Points", "a lone maker takes four tricks", "a loner's four tricks worth {}"
    ),
    "points_euchre": _points(
        "Points", "the defenders, when the makers take under three tricks", "a euchre worth {}"
    ),
    "points_loner_euchred": _points(
        "Points",
        "the defenders, when a lone maker is euchred; the largest euchre value counts",
        "a euchred loner worth {}",
    ),
    "points_super_euchre": _points(
        "Points",
        "the defenders, when the makers take no trick; the largest euchre value counts",
        "a super euchre worth {}",
    ),
    "joker": _flag(
        "Joker",
        "a 25th card, the highest trump; five cards stay in the kitty",
        "the joker",
        variants=_PARTNERS,
    ),
    "joker_upcard": _choice(
        "Joker",
        "a joker turned up: the dealer names a suit before or after looking, or cards are redealt",
        {
            "dealer_names_blind": "a turned-up joker's suit named blind",
            "dealer_names": "a turned-up joker's suit named after looking",
            "redraw": "a turned-up joker dealt again",
        },
        variants=_PARTNERS,
    ),
    "weak_hand": _choice(
        "Weak hands",
        "a claim before the bidding: none, a new deal, or three cards swapped with the kitty",
        {
            "off": "no claim for weak hands",
            "throw_in": "weak hands thrown in",
            "swap3": "weak hands swapping three cards",
        },
        variants=_PARTNERS,
    ),
    "weak_hand_test": _choice(
        "Weak hands",
        "what makes a hand weak; low cards are nines and tens",
        {
            "no_ace_no_face": "weak meaning no ace and no face card",
            "ace_no_face": "weak meaning one ace and no face card",
            "no_ace_no_face_no_trump": "weak meaning no ace nor face card nor card of the upcard's "
            "suit",
            "three_nines_or_three_tens": "weak meaning three nines or three tens",
            "three_low": "weak meaning three low cards",
            "four_low": "weak meaning four low cards",
        },
    ),
    "weak_hand_redealer": _choice(
        "Weak hands",
        "who deals after a weak hand is thrown in",
        {"same": "the same dealer after a weak hand", "next": "the next dealer after a weak hand"},
    ),
    "swap3_shown": _flag(
        "Weak hands", "the three cards given in a swap are shown to all", "swapped cards hidden"
    ),
    "renege": _choice(
        "Reneging",
        "failing to follow suit: never legal, or legal to try and punished at once",
        {"impossible": "reneges impossible", "penalised": "reneges penalised"},
        variants=_PARTNERS,
    ),
    "renege_points": _points("Reneging", "points of a renege", "a renege worth {}"),
    "renege_points_vs_loner": _points(
        "Reneging",
        "points of a renege by a defender against a lone maker",
        "a renege against a loner worth {}",
    ),
    "renege_mode": _choice(
        "Reneging",
        "renege points go to the other side, or come off the offender's score",
        {"award": "renege points awarded", "deduct": "renege points deducted"},
    ),
    "dummy_exchange": _flag(
        "Three-handed",
        "the maker who does not play alone takes the dummy's cards; only with a dummy",
        "a dead dummy",
    ),
    "points_three_hand_loner_euchred": _points(
        "Three-handed",
        "each defender, when a maker who left the dummy takes under three tricks",
        "a lone maker's euchre worth {} to each defender",
        ("three_hand_dummy",),
    ),
    "two_hand_dummy": _choice(
        "Two-handed",
        "the dummy: none, or two cards for the maker, who lays two away",
        {"none": "no dummy", "maker": "a dummy of two cards for the maker"},
        ("two_hand",),
    ),
    "widow_exchange": _flag(
        "Cutthroat",
        "the maker takes the spare hand and lays five cards away (no source; else it is dead)",
        "the spare hand exchanged by the maker",
        ("cutthroat_widow",),
    ),
    "points_set": _points(
        "Cutthroat",
        "points added to a maker with under three tricks, in place of the tricks",
        "a set worth {}",
        _COUNT_DOWN,
    ),
    "set_without_trick": _flag(
        "Cutthroat",
        "whoever stays in and takes no trick is set too",
        "a set for whoever takes no trick",
        _COUNT_DOWN,
    ),
    "drop_out": _flag(
        "Cutthroat",
        "after the call and the discard, each other player in turn stays in or drops out",
        "dropping out",
        _COUNT_DOWN,
    ),
    "points_drop_out": _points(
        "Cutthroat",
        "points added to whoever drops out",
        "dropping out at a cost of {}",
        _COUNT_DOWN,
    ),
    "clubs_are_trump": _flag(
        "Cutthroat",
        "a club turned up is trump at once: no calls, no maker, nobody drops out",
        "clubs as trump when turned up",
        _COUNT_DOWN,
    ),
    "fast_break": _flag(
        "House rules",
        "nobody scores when the defenders win the first two tricks and the makers the last three",
        "the fast break",
        _PARTNERS,
    ),
    "four_trick_tokens": _flag(
        "House rules",
        "makers who take four tricks with both partners get a token; four of a game's tokens are "
        "turned in at once for a point",
        "tokens for four tricks",
        _PARTNERS,
    ),
    "call_for_best": _choice(
        "House rules",
        "whether the makers' lone hand gets a card of its partner's choice for one that it lays "
        "away: never, when it says so, or always",
        {
            "off": "no call for the partner's best",
            "offered": "a lone hand free to call for the partner's best",
            "always": "the partner's best passed to every lone hand",
        },
        _PARTNERS,
    ),
    "lowest_rank": Option(
        kind="int",
        group="Deck",
        meaning="the lowest rank of the deck: 24 cards from the nine, 28 from the eight, 32 from "
        "the seven",
        phrases=("{}s as the lowest cards",),
        low=7,
        high=9,
        variants=_PARTNERS,
    ),
}

_CHANGES: dict[str, dict[str, Any]] = {
    "american": {},
    "stick": {"stick_the_dealer": True},
    "late_alone": {"alone_timing": "before_lead"},
    "anyone_alone": {
        "alone_timing": "before_lead",
        "alone_by": "maker_team",
        "defend_alone": "any",
        "defend_alone_points": (2, 4),
    },
    "canadian": {"canadian_loner": True},
    "australian": {"canadian_loner": True},
    "british": {
        "target_score": 11,
        "canadian_loner": True,
        "defend_alone": "vs_loner",
        "joker": True,
    },
    "tournament_us": {"match_games": 3, "stick_the_dealer": True},
    "openspiel": {
        "stick_the_dealer": True,
        "dealer_may_discard_upcard": False,
        "alone_timing": "before_lead",
        "partner_alone_upcard": "dealer_discards",
    },
}

PRESETS: tuple[str, ...] = tuple(_CHANGES)
"""Names of the partnership game's rule sets that `Ruleset.preset` and `Ruleset.parse` know."""

_VARIANT_CHANGES: dict[str, dict[str, Any]] = {
    "three_hand": {"variant": "three_hand_dummy", "players": 3},
    "two_hand": {"variant": "two_hand", "players": 2},
    "buck": {"variant": "buck", "target_score": 25},
    "dirty_clubs": {
        "variant": "buck",
        "target_score": 25,
        "no_trump": "round2",
        "drop_out": True,
        "set_without_trick": True,
        "clubs_are_trump": True,
    },
    "cutthroat": {"variant": "cutthroat_widow", "players": 3, "target_score": 15},
}
VARIANT_PRESETS: tuple[str, ...] = tuple(_VARIANT_CHANGES)
"""Names of the other games' rule sets; `Ruleset.preset` and `Ruleset.parse` know them too."""

_HOUSE_CHANGES: dict[str, dict[str, Any]] = {
    "euchre28": {"lowest_rank": 8},
    "euchre32": {"lowest_rank": 7},
    "fast_break": {"fast_break": True},
    "four_trick_tokens": {"four_trick_tokens": True},
    "call_for_best": {"call_for_best": "offered"},
    "twelve_hands": {"target_score": None, "hands_per_game": 12},
    "carry_over": {"match_games": 3, "match_carry_over": True},
}
HOUSE_PRESETS: tuple[str, ...] = tuple(_HOUSE_CHANGES)
"""Names of the partnership game with one house rule or a larger deck; these are known likewise."""
ALL_PRESETS = (*PRESETS, *VARIANT_PRESETS, *HOUSE_PRESETS)
"""The names of all of them."""


# --- the rule set ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Ruleset:
    """One set of house rules; the default is the American game to ten.

    Values are checked when the object is made: a value that does not fit or two options that
    cannot go together raise RulesetError. What each option means is in `OPTIONS` and, with its
    sources, in docs/rules.md. Rule sets are immutable, hashable and compare by value.
    """

    players: int = 4
    variant: str = "partnership"
    target_score: int | None = 10
    hands_per_game: int | None = None
    match_games: int = 1
    match_carry_over: bool = False
    first_dealer: int | str = "random"
    throw_in_redealer: str = "next"
    stick_the_dealer: bool = False
    stuck_dealer_may_name_turned_down: bool = False
    no_trump: str = "off"
    require_natural_trump: str = "off"
    dealer_may_discard_upcard: bool = True
    allow_alone: bool = True
    alone_timing: str = "with_call"
    alone_by: str = "maker"
    canadian_loner: bool = False
    partner_alone_upcard: str = "left_in_kitty"
    loner_lead: str = "dealer_left"
    defend_alone: str = "off"
    defend_alone_points: tuple[int, int] = (4, 4)
    points_make: int = 1
    points_march: int = 2
    points_loner_march: int = 4
    points_loner_four: int = 1
    points_euchre: int = 2
    points_loner_euchred: int = 2
    points_super_euchre: int = 2
    joker: bool = False
    joker_upcard: str = "dealer_names_blind"
    weak_hand: str = "off"
    weak_hand_test: str = "no_ace_no_face"
    weak_hand_redealer: str = "same"
    swap3_shown: bool = True
    renege: str = "impossible"
    renege_points: int = 2
    renege_points_vs_loner: int = 2
    renege_mode: str = "award"
    dummy_exchange: bool = True
    points_three_hand_loner_euchred: int = 4
    two_hand_dummy: str = "none"
    widow_exchange: bool = False
    points_set: int = 5
    set_without_trick: bool = False
    drop_out: bool = False
    points_drop_out: int = 0
    clubs_are_trump: bool = False
    fast_break: bool = False
    four_trick_tokens: bool = False
    call_for_best: str = "off"
    lowest_rank: int = 9

    def __post_init__(self) -> None:
        """Check every value, then every pair of options that may be in conflict."""
        for name, option in OPTIONS.items():
            object.__setattr__(self, name, option.check(getattr(self, name)))
        found = list(_conflicts(self))
        if found:
            names = dict.fromkeys(name for pair, _ in found for name in pair)
            raise RulesetError("; ".join(_told(self, *each) for each in found), names)

    # presets

    @classmethod
    def preset(cls, name: str) -> Ruleset:
        """Return the preset of that name, one of `ALL_PRESETS`; or RulesetError."""
        known = _CHANGES | _VARIANT_CHANGES | _HOUSE_CHANGES
        if not isinstance(name, str) or name not in known:
            hint = _hint(name, known)
            raise RulesetError(f"no preset is called {_show(name)}{hint}: {_preset_list()}")
        return cls(**known[name])

    @classmethod
    def american(cls) -> Ruleset:
        """Return the default: 24 cards, to ten, everyone passing twice throws the hand in."""
        return cls.preset("american")

    @classmethod
    def stick(cls) -> Ruleset:
        """Return the American game with stick the dealer, so that every hand is played."""
        return cls.preset("stick")

    @classmethod
    def late_alone(cls) -> Ruleset:
        """Return the American game with lone hands declared just before the first lead."""
        return cls.preset("late_alone")

    @classmethod
    def anyone_alone(cls) -> Ruleset:
        """Return the game in which any player of either side may go alone before the lead."""
        return cls.preset("anyone_alone")

    @classmethod
    def canadian(cls) -> Ruleset:
        """Return the game in which the dealer's partner who orders up must play alone."""
        return cls.preset("canadian")

    @classmethod
    def australian(cls) -> Ruleset:
        """Return the Australian game; its rules are those of `canadian`."""
        return cls.preset("australian")

    @classmethod
    def british(cls) -> Ruleset:
        """Return the British game: joker, to eleven, partner alone, lone defence of a loner."""
        return cls.preset("british")

    @classmethod
    def tournament_us(cls) -> Ruleset:
        """Return the game of United States tournaments: stick the dealer, best of three."""
        return cls.preset("tournament_us")

    @classmethod
    def openspiel(cls) -> Ruleset:
        """Return the rules of OpenSpiel's euchre, to compare agents with its implementation."""
        return cls.preset("openspiel")

    # text and files

    @classmethod
    def parse(cls, text: str) -> Ruleset:
        """Return the rule set that a command line names.

        `text` is a preset's name, the path of a .yaml, .yml or .json file, or a comma list of
        `option=value`, which may begin with a preset: `stick,joker=true,defend_alone_points=2:4`.
        Raises RulesetError, saying what would do, for anything else.
        """
        if not isinstance(text, str):
            raise RulesetError(
                f"ruleset={_show(text)} is no rule set: give a Ruleset or a text, such as 'stick'"
            )
        if text.strip().lower().endswith(_FILE_KINDS):
            return cls.load(text.strip())
        # A comma between brackets belongs to a value: defend_alone_points=[2,4].
        items = re.split(r",(?![^\[]*\])", text.strip())
        pairs = [_item(item.strip(), at_start=i == 0) for i, item in enumerate(items)]
        return cls.from_dict(_unique(pairs))

    def to_dict(self, *, only_changes: bool = False) -> dict[str, Any]:
        """Return plain values by option name, ready for JSON or YAML; pairs become lists.

        With `only_changes`, only the options that differ from the default rule set.
        """
        values = {name: getattr(self, name) for name in OPTIONS}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if not only_changes or value != OPTIONS[name].default
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Ruleset:
        """Return the rule set of option names and values; the rest keeps its default.

        The key `preset` names a preset to start from. `False` will do for the choice "off" and
        "none" for None, since YAML reads a bare `off` as false. Raises RulesetError for anything
        but a mapping, an unknown name or a value that does not fit.
        """
        if not isinstance(data, Mapping):
            raise RulesetError(f"a rule set is a mapping of options to values, not {_show(data)}")
        base = cls.preset(data["preset"]) if "preset" in data else cls()
        changes = {name: value for name, value in data.items() if name != "preset"}
        _require_known(changes, also=("preset",))
        return base.replace(**{n: _from_plain(OPTIONS[n], v) for n, v in changes.items()})

    def to_yaml(self, *, only_changes: bool = False) -> str:
        """Return the rule set as YAML text."""
        import yaml  # type: ignore[import-untyped,unused-ignore]

        return str(yaml.safe_dump(self.to_dict(only_changes=only_changes), sort_keys=False))

    @classmethod
    def from_yaml(cls, text: str) -> Ruleset:
        """Return the rule set of YAML text (see `from_dict`); RulesetError where malformed."""
        return cls.from_dict(_yaml_mapping(text))

    def to_json(self, *, only_changes: bool = False) -> str:
        """Return the rule set as JSON text."""
        return json.dumps(self.to_dict(only_changes=only_changes), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Ruleset:
        """Return the rule set of JSON text (see `from_dict`); RulesetError where malformed."""
        try:
            data = json.loads(text, object_pairs_hook=_unique)
        except RulesetError:
            raise
        except (ValueError, RecursionError) as error:
            raise RulesetError(f"malformed JSON: {error}") from error
        return cls.from_dict(data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write every option to a .yaml, .yml or .json file, whole or not at all.

        A failure leaves an older file of that name as it was. Raises RulesetError for another
        file kind and OSError where the file cannot be written.
        """
        target = Path(path)
        text = self.to_json() if _file_kind(target) == ".json" else self.to_yaml()
        write_whole(target, text.encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Ruleset:
        """Read a .yaml, .yml or .json file.

        Raises RulesetError, naming the file, where it cannot be read or is no rule set.
        """
        source = Path(path)
        read = cls.from_json if _file_kind(source) == ".json" else cls.from_yaml
        try:
            return read(source.read_text(encoding="utf-8"))
        except RulesetError as error:
            raise RulesetError(f"{source}: {error}", error.conflict) from error
        except (OSError, ValueError) as error:
            raise RulesetError(f"{source}: cannot be read: {error}") from error

    # other forms

    def replace(self, **changes: Any) -> Ruleset:
        """Return a rule set with some options changed; RulesetError as for a new one."""
        _require_known(changes)
        return dataclasses.replace(self, **changes)

    def record(self) -> npt.NDArray[np.void]:
        """Return a new array of shape (1,) and dtype `RULES`, the form compiled code reads."""
        row = np.zeros(1, RULES)
        for name, option in OPTIONS.items():
            row[name] = option.encode(getattr(self, name))
        return row

    @classmethod
    def from_record(cls, record: npt.NDArray[np.void] | np.void) -> Ruleset:
        """Return the rule set of one record: the exact inverse of `record`.

        Takes an array of one element or the element itself. Raises RulesetError for another
        shape or dtype and for codes that mean nothing.
        """
        row = np.asarray(record)
        if row.dtype != RULES or row.size != 1:
            raise RulesetError(f"one record of rules is needed, not {row.size} of {row.dtype.kind}")
        row = row.reshape(1)
        return cls(**{name: option.decode(row[name][0]) for name, option in OPTIONS.items()})

    @property
    def is_partnership(self) -> bool:
        """Whether two teams of partners play, as in most of euchre."""
        return self.variant == "partnership"

    @property
    def is_wide(self) -> bool:
        """Whether the deck has cards below the nines: 28 or 32 cards."""
        return self.lowest_rank < 9

    def require_small_deck(self, who: str) -> None:
        """Raise RulesetError unless the deck has no card below the nines; `who` knows no other."""
        if self.is_wide:
            raise RulesetError(
                f"lowest_rank={self.lowest_rank}: {who} for the deck of 24 cards only; set "
                "lowest_rank=9",
                ("lowest_rank",),
            )

    @property
    def has_wider_rules(self) -> bool:
        """Whether a fast break, tokens or a call for the partner's best change the game."""
        return self.fast_break or self.four_trick_tokens or self.call_for_best != "off"

    def require_partnership(self, who: str) -> None:
        """Raise RulesetError unless this is the partnership game; `who` knows no other."""
        if not self.is_partnership:
            raise RulesetError(
                f"variant={self.variant!r}: {who} for the partnership game only; set "
                "variant='partnership' and players=4",
                ("variant",),
            )

    def describe(self) -> str:
        """Return one English sentence that tells this rule set from every other."""
        told = [
            OPTIONS[name].phrase(getattr(self, name))
            for name in self.to_dict(only_changes=True)
            if name not in _IN_HEAD
        ]
        return f"{_head(self)}{' with ' if told else ''}{listed(told, 'and')}."

    def __str__(self) -> str:
        """Return the sentence of `describe`."""
        return self.describe()

    def __repr__(self) -> str:
        """Return Python text that makes this rule set again, naming only what was changed."""
        changed = (n for n in OPTIONS if getattr(self, n) != OPTIONS[n].default)
        return f"Ruleset({', '.join(f'{n}={getattr(self, n)!r}' for n in changed)})"


def any_wide(rulesets: Iterable[Ruleset]) -> bool:
    """Whether one of some rule sets has cards below nine, which makes all that they share wide."""
    return any(each.is_wide for each in rulesets)


OPTIONS: dict[str, Option] = {
    field.name: dataclasses.replace(_ROWS[field.name], name=field.name, default=field.default)
    for field in dataclasses.fields(Ruleset)
}
"""Every option by name, in the order of the fields of `Ruleset` and of `RULES`."""

_FIELDS = [(n, np.int16, (2,) if o.kind == "pair" else ()) for n, o in OPTIONS.items()]
RULES: np.dtype[np.void] = np.dtype((np.record, np.dtype(_FIELDS, align=True)))
"""A rule set for compiled code: one int16 an option, a pair as a subarray of two.

A bool is 0 or 1, a choice its place among the option's `choices`, None 0. `first_dealer` is a
seat 0 to 3, or FIRST_DEALER_RANDOM or FIRST_DEALER_BLACK_JACK, both below zero.
"""


# --- the sentence ----------------------------------------------------------------------------

_IN_HEAD = frozenset({"players", "variant", "target_score", "hands_per_game", "match_games"})


def _head(rules: Ruleset) -> str:
    hands = rules.hands_per_game
    length = "one hand" if hands == 1 else f"{hands} hands"
    end = f"to {rules.target_score}" if hands is None else f"over {length}"
    match = f" in a best-of-{rules.match_games} match" if rules.match_games > 1 else ""
    return f"{OPTIONS['variant'].phrase(rules.variant)} {end}{match}"


# --- conflicts -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Conflict:
    names: tuple[str, ...]
    broken: Callable[[Ruleset], bool]
    why: str


_CONFLICTS: tuple[_Conflict, ...] = (
    _Conflict(
        ("call_for_best", "lowest_rank"),
        lambda r: r.call_for_best != "off" and r.is_wide,
        "a card is passed in the deck of 24 only: set call_for_best='off' or lowest_rank=9",
    ),
    _Conflict(
        ("hands_per_game", "target_score"),
        lambda r: r.hands_per_game is not None and r.target_score is not None,
        "a game has one end only: set target_score=None or hands_per_game=None",
    ),
    _Conflict(
        ("hands_per_game", "target_score"),
        lambda r: r.hands_per_game is None and r.target_score is None,
        "a game needs an end: set target_score or hands_per_game",
    ),
    _Conflict(
        ("match_carry_over", "match_games"),
        lambda r: r.match_carry_over and r.match_games == 1,
        "carrying points over needs a match: set match_games=3 or more, or match_carry_over=False",
    ),
    _Conflict(
        ("match_carry_over", "target_score"),
        lambda r: r.match_carry_over and r.target_score is None,
        "carrying points over needs a target: set target_score, or match_carry_over=False",
    ),
    _Conflict(
        ("first_dealer", "players"),
        lambda r: not isinstance(r.first_dealer, str) and r.first_dealer >= r.players,
        "no such seat at this table: set first_dealer below players, or to 'random'",
    ),
    _Conflict(
        ("first_dealer", "players"),
        lambda r: r.first_dealer == "black_jack" and r.players != 4,
        "the chances of a black jack are those of four seats: set first_dealer='random'",
    ),
    _Conflict(
        ("points_drop_out", "drop_out"),
        lambda r: r.points_drop_out != 0 and not r.drop_out,
        "nobody can drop out: set drop_out=True or points_drop_out=0",
    ),
    _Conflict(
        ("stuck_dealer_may_name_turned_down", "stick_the_dealer"),
        lambda r: r.stuck_dealer_may_name_turned_down and not r.stick_the_dealer,
        "only a stuck dealer can: set stick_the_dealer=True or "
        "stuck_dealer_may_name_turned_down=False",
    ),
    _Conflict(
        ("no_trump", "stick_the_dealer"),
        lambda r: r.no_trump == "stuck_dealer" and not r.stick_the_dealer,
        "only a stuck dealer can: set stick_the_dealer=True or no_trump='off'",
    ),
    _Conflict(
        ("no_trump", "joker"),
        lambda r: r.no_trump != "off" and r.joker,
        "the joker has no rank without a trump suit: set joker=False or no_trump='off'",
    ),
    _Conflict(
        ("joker", "lowest_rank"),
        lambda r: r.joker and r.is_wide,
        "the joker goes with 24 cards: set joker=False or lowest_rank=9",
    ),
    _Conflict(
        ("weak_hand", "lowest_rank"),
        lambda r: r.weak_hand != "off" and r.is_wide,
        "weak hands are told of the deck of 24 cards: set weak_hand='off' or lowest_rank=9",
    ),
    _Conflict(
        ("canadian_loner", "allow_alone"),
        lambda r: r.canadian_loner and not r.allow_alone,
        "it needs lone hands: set allow_alone=True or canadian_loner=False",
    ),
    _Conflict(
        ("defend_alone", "allow_alone"),
        lambda r: r.defend_alone == "vs_loner" and not r.allow_alone,
        "it needs lone hands: set allow_alone=True, or defend_alone='off' or 'any'",
    ),
    _Conflict(
        ("alone_by", "alone_timing"),
        lambda r: r.alone_by == "maker_team" and r.alone_timing != "before_lead",
        "the partner is asked after the call: set alone_timing='before_lead' or alone_by='maker'",
    ),
    _Conflict(
        ("alone_by", "allow_alone"),
        lambda r: r.alone_by == "maker_team" and not r.allow_alone,
        "it needs lone hands: set allow_alone=True or alone_by='maker'",
    ),
    _Conflict(
        ("call_for_best", "allow_alone"),
        lambda r: r.call_for_best != "off" and not r.allow_alone,
        "it needs lone hands: set allow_alone=True or call_for_best='off'",
    ),
)


def _conflicts(rules: Ruleset) -> Iterator[tuple[tuple[str, ...], str]]:
    for conflict in _CONFLICTS:
        if conflict.broken(rules):
            yield conflict.names, conflict.why
    yield from _variant_conflicts(rules)


def _variant_conflicts(rules: Ruleset) -> Iterator[tuple[tuple[str, ...], str]]:
    seats = VARIANT_PLAYERS[rules.variant]
    if rules.players != seats:
        others = [repr(v) for v, n in VARIANT_PLAYERS.items() if n == rules.players]
        why = f"it is a game for {seats}: set players={seats}, or variant={listed(others, 'or')}"
        yield ("variant", "players"), why
    for name, option in OPTIONS.items():
        if not option.allowed_in(rules.variant) and getattr(rules, name) != option.default:
            whom = "partners" if option.variants == _PARTNERS else "another game"
            variants = listed([repr(variant) for variant in option.variants], "or")
            why = f"{name} is for {whom}: set {name}={option.default!r} or variant={variants}"
            yield (name, "variant"), why


def _told(rules: Ruleset, names: tuple[str, ...], why: str) -> str:
    values = listed([f"{name}={getattr(rules, name)!r}" for name in names], "with")
    return f"{values} will not do: {why}"


# --- reading text ----------------------------------------------------------------------------


def _preset_list() -> str:
    return f"the presets are {listed(ALL_PRESETS, 'and')}"


def _require_known(names: Iterable[object], also: tuple[str, ...] = ()) -> None:
    for name in names:
        if name not in OPTIONS:
            hint = _hint(name, (*OPTIONS, *also)) or f"; the options are {', '.join(OPTIONS)}"
            raise RulesetError(f"no option is called {_show(name)}{hint}", (str(name),))


def _from_plain(option: Option, value: Any) -> Any:
    # YAML 1.1 reads a bare off as false, and knows null but not none.
    if value is False and "off" in option.choices:
        return "off"
    if option.kind == "optional int" and isinstance(value, str) and value.lower() == "none":
        return None
    if option.kind == "pair" and isinstance(value, str) and _PAIR.fullmatch(value):
        return [int(part) for part in value.split(":")]
    return value


_PAIR = re.compile(r"\d{1,4}:\d{1,4}")


def _item(item: str, *, at_start: bool) -> tuple[str, Any]:
    name, equals, value = (part.strip() for part in item.partition("="))
    if equals:
        return name, _scalar(name, value)
    if at_start and name in ALL_PRESETS:
        return "preset", name
    if name in OPTIONS:
        raise RulesetError(f"{name} lacks its value: write {name}=VALUE", (name,))
    if name in ALL_PRESETS:
        raise RulesetError(f"{_show(item)} is a preset: give one alone, at the start")
    hint = _hint(name.lower(), (*ALL_PRESETS, *OPTIONS))
    raise RulesetError(
        f"{_show(item)} names no rules{hint}: give a preset, a file ending in "
        f"{listed(_FILE_KINDS, 'or')}, or option=value,... (a preset may come first); "
        f"{_preset_list()}"
    )


def _scalar(name: str, text: str) -> Any:
    # YAML 1.1 reads 2:4 as a number to base 60.
    if _PAIR.fullmatch(text):
        return text
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RulesetError(f"{name}={_show(text)} cannot be read as a value", (name,)) from error


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise RulesetError(f"{name} is given twice: leave one", (name,))
        found[name] = value
    return found


def _yaml_mapping(text: str) -> Any:
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if isinstance(node, yaml.MappingNode):
            _unique((str(key.value), None) for key, _ in node.value)
        return yaml.safe_load(text)
    except RulesetError:
        raise
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise RulesetError(f"malformed YAML: {' '.join(str(error).split())}") from error


def _file_kind(path: Path) -> str:
    kind = path.suffix.lower()
    if kind not in _FILE_KINDS:
        raise RulesetError(f"{path}: a rule set's file ends in {listed(_FILE_KINDS, 'or')}")
    return kind


# --- documentation ---------------------------------------------------------------------------


def options_markdown() -> str:
    """Return the documentation of every option as Markdown: one table for each group."""
    groups = dict.fromkeys(option.group for option in OPTIONS.values())
    return "\n".join(_group_markdown(group) for group in groups)


def _group_markdown(group: str) -> str:
    head = [f"### {group}", "", "| option | values | default | meaning |", "|---|---|---|---|"]
    rows = [
        f"| `{o.name}` | {o.takes()} | `{o.default!r}` | {o.meaning} |"
        for o in OPTIONS.values()
        if o.group == group
    ]
    return "\n".join([*head, *rows, ""])
