"""Records of hands and games: JSON lines and euchre game notation (``.egn``), in and out.

A :class:`GameRecord` says in the game's own words what was dealt, called and played, as far as the
record shows it: hands, kitty and discard may be missing. Whether it keeps the rules is for
:mod:`euchre_env.replay` to say. JSON lines hold every game, euchre game notation the partnership
game alone.

Cards are texts such as ``JH`` and ``JOKER``; a question mark stands for what is not known: ``?H``
is some heart, ``J?`` some jack, ``??`` any card.

Euchre game notation is the public format of NextSuit-Labs/euchre-game-notation.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from . import rules
from ._files import write_whole
from .actions import ACTION_TEXT, FROM_ABSOLUTE, ActionError, action_id, legal_ids
from .cards import (
    ALL_RANKS,
    JACK,
    JOKER,
    SUIT_NAMES,
    SUITS,
    CardError,
    card_id,
    card_ids,
    card_text,
    deck_cards,
    deck_of,
    rank_of_card,
    same_colour,
    suit_of_card,
)
from .ruleset import Ruleset, RulesetError

__all__ = [
    "DealRecord",
    "Fault",
    "GameRecord",
    "RecordError",
    "complete_deck",
    "load_records",
    "read_egn",
    "read_jsonl",
    "record_hand",
    "save_records",
    "write_egn",
    "write_jsonl",
]

FORMAT, VERSION = "euchre-record", 1
EGN_TYPE, EGN_VERSION = "Euchre Game Notation", "1.4"
EGN_RULESET = "euchre_env_ruleset"
"""The key of ``metadata`` for a rule set that the notation's own keys cannot tell in full."""
EGN_LAID = "euchre_env_laid_away"
"""The key of the bidding for the card laid away for one passed, for which the notation has none."""
SEAT_NAMES = rules.SEAT_NAMES
UNKNOWN = "??"
MAKER, PARTNER = "maker", "partner"
CALL_PHASES = (rules.WEAK_HAND, rules.NAME_TRUMP, rules.BID1, rules.BID2)
HAND_SIZE = 5

PathLike = str | os.PathLike[str]


# --- the model ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class DealRecord:
    """One deal, as far as it is known.

    Attributes:
        dealer: The dealer's seat.
        upcard: The card turned up.
        calls: Answers to weak hands and calls in order, as action texts (``pass``, ``call_S``).
        alone: Who plays the lone hand: ``"maker"``, ``"partner"`` (the maker's), or ``""``.
        lone_defender: The seat that defends alone.
        discard: The card laid away by whoever took the upcard; None where not known.
        tricks: The cards of each trick in the order played; the last trick may be cut short.
        hands: By seat, the cards known to have been dealt.
        kitty: The face-down cards that are known.
        dummy: The cards known to have been dealt aside for the maker, in games without partners.
        buried: The cards laid away by the maker who took the dummy, in order; or the card that a
            lone hand laid away for one it was passed.
        passed: The card that the lone hand got from its partner; ``??`` where it is not known,
            None where it got none.
        dropped: The seats that dropped out.
        lead: The seat said to have led to the first trick; it follows from the rules.
        number: The deal's number in its source.
        call_notes: Comments by index of the call.
        play_notes: Comments by index of the card played.
    """

    dealer: int
    upcard: str
    calls: tuple[str, ...] = ()
    alone: str = ""
    lone_defender: int | None = None
    discard: str | None = None
    tricks: tuple[tuple[str, ...], ...] = ()
    hands: tuple[tuple[str, ...], ...] = ((), (), (), ())
    kitty: tuple[str, ...] = ()
    dummy: tuple[str, ...] = ()
    buried: tuple[str, ...] = ()
    passed: str | None = None
    dropped: tuple[int, ...] = ()
    lead: int | None = None
    number: int = 0
    call_notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    play_notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """A game: rule set, score at the start, deals; ``metadata`` holds whatever else is told.

    Attributes:
        ruleset: The rules.
        deals: The deals in order.
        players: Names by seat; those of the seats unless given.
        initial_score: By side (see :func:`rules.side_of`); that of a new game unless given.
        initial_tokens: Of the teams, under ``four_trick_tokens``; none unless given.
        metadata: Whatever else is told.
    """

    ruleset: Ruleset
    deals: tuple[DealRecord, ...]
    players: tuple[str, ...] = ()
    initial_score: tuple[int, ...] = ()
    initial_tokens: tuple[int, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Fill in names and score where they are not given."""
        if not self.players:
            object.__setattr__(self, "players", SEAT_NAMES[: self.ruleset.players])
        if not self.initial_score:
            object.__setattr__(self, "initial_score", first_score(self.ruleset))
        if not any(self.initial_tokens):
            object.__setattr__(self, "initial_tokens", ())


@lru_cache(maxsize=64)
def first_score(ruleset: Ruleset) -> tuple[int, ...]:
    """The score of a new game, by side."""
    r = ruleset.record()[0]
    return (int(rules.first_score(r)),) * int(rules.count_sides(r))


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a record: file, deal number, trick 1 to 5 and seat, where known."""

    file: str
    deal: int | None
    trick: int | None
    seat: int | None
    message: str

    def __str__(self) -> str:
        """Return one line."""
        places = [] if self.deal is None else [f"deal {self.deal}"]
        places += [] if self.trick is None else [f"trick {self.trick}"]
        places += [] if self.seat is None else [seat_text(self.seat)]
        return ": ".join(filter(None, [self.file, ", ".join(places), self.message]))


class RecordError(ValueError):
    """A record that cannot be read or written; ``faults`` says where."""

    def __init__(self, message: str, faults: Iterable[Fault] = ()) -> None:
        """Keep the message and the faults."""
        super().__init__(message)
        self.faults = tuple(faults)


class BadRecord(Exception):
    """A fault on its way to the place that knows file and deal."""

    def __init__(self, message: str, trick: int | None = None, seat: int | None = None) -> None:
        super().__init__(message)
        self.message, self.trick, self.seat = message, trick, seat

    def at(self, file: str, deal: int | None = None) -> Fault:
        return Fault(file, deal, self.trick, self.seat, self.message)


def seat_text(seat: int) -> str:
    """A seat's number and name, ``seat 1 (East)``."""
    return f"seat {seat} ({SEAT_NAMES[seat]})"


# --- cards, known or not -----------------------------------------------------------------------


def _pattern(text: str) -> str:
    """Our text of a card that may be unknown in part; CardError where it is neither."""
    name = text.strip().upper()
    if len(name) == 2 and "?" in name and name[0] in ALL_RANKS + "?" and name[1] in SUITS + "?":
        return name
    return card_text(card_id(text))


def is_known(text: str) -> bool:
    return "?" not in text


def matching(pattern: str, deck: Iterable[int]) -> frozenset[int]:
    """Ids of the cards of a deck that a pattern may stand for."""
    if is_known(pattern):
        return frozenset({card_id(pattern)})
    return frozenset(card for card in deck if pattern == UNKNOWN or _fits(pattern, card))


def _fits(pattern: str, card: int) -> bool:
    if card == JOKER:
        return False
    rank, suit = ALL_RANKS[rank_of_card(card)], SUITS[suit_of_card(card)]
    return pattern[0] in ("?", rank) and pattern[1] in ("?", suit)


def complete_deck(
    upcard: str | int,
    hands: Mapping[int, Iterable[str | int]] | None = None,
    kitty: Iterable[str | int] = (),
    joker: bool = False,
    players: int = rules.N_SEATS,
    dummy: Iterable[str | int] = (),
    dummy_size: int = 0,
    lowest_rank: int = 9,
) -> npt.NDArray[np.int8]:
    """A deck to deal from that holds the named cards in their places and others anywhere else.

    Args:
        upcard: The card turned up.
        hands: Cards of some seats, five or fewer each.
        kitty: Face-down cards.
        joker: Whether the deck has the joker.
        players: How many are dealt a hand.
        dummy: Cards dealt aside for the maker.
        dummy_size: How many are dealt aside (:func:`rules.dummy_size`).
        lowest_rank: Of the deck.

    Raises:
        CardError: a card twice, too many in one place, or a joker without the option.
    """
    held = [card_ids(list((hands or {}).get(seat, ()))) for seat in range(players)]
    turned, aside, hidden = card_ids([upcard]), card_ids(list(dummy)), card_ids(list(kitty))
    deck = deck_cards(joker, lowest_rank)
    before = 20 - HAND_SIZE * players - dummy_size  # face-down cards that lie above the upcard
    places = [(h, HAND_SIZE) for h in held] + [(aside, dummy_size), (hidden[:before], before)]
    places += [(turned, 1), (hidden[before:], len(deck) - 21)]
    named = {card for cards, _ in places for card in cards}
    rest = [card for card in deck if card not in named]
    for cards, room in places:
        if len(cards) > room:
            raise CardError(f"{', '.join(map(card_text, cards))}: there is room for {room} there")
        while len(cards) < room and rest:
            cards.append(rest.pop(0))
    return deck_of([card for cards, _ in places for card in cards], joker, lowest_rank)


# --- reading plain data ------------------------------------------------------------------------

_MISSING: Any = object()
_KINDS = {
    dict: "a mapping",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a whole number",
}


def _get(data: Any, key: str, kind: type, default: Any = _MISSING) -> Any:
    """The value of a key, of the kind asked for."""
    value = data.get(key)
    if value is None:
        if default is _MISSING:
            raise BadRecord(f"key {key!r} is missing: it takes {_KINDS[kind]}")
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise BadRecord(f"key {key!r} takes {_KINDS[kind]}, not {_shown(value)}")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 40 else text[:36] + " ..."


def _mapping(value: Any, what: str) -> Any:
    if not isinstance(value, dict):
        raise BadRecord(f"{what} must be a mapping, not {_shown(value)}")
    return value


def _texts(data: Any, key: str) -> list[str]:
    return _all_texts(_get(data, key, list, []), key)


def _all_texts(values: Any, key: str) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
        raise BadRecord(f"key {key!r} takes a list of texts, not {_shown(values)}")
    return values


def _seat(data: Any, key: str, default: Any = _MISSING, players: int = rules.N_SEATS) -> Any:
    seat = _get(data, key, int, default)
    if seat is not default and not 0 <= seat < players:
        raise BadRecord(f"key {key!r} takes a seat 0 to {players - 1}, not {seat}")
    return seat


def _seats(data: Any, key: str, players: int) -> tuple[int, ...]:
    seats = _get(data, key, list, [])
    if not all(type(seat) is int and 0 <= seat < players for seat in seats):
        raise BadRecord(f"key {key!r} takes seats 0 to {players - 1}, not {_shown(seats)}")
    return tuple(seats)


def _notes(data: Any, key: str) -> dict[str, tuple[str, ...]]:
    return {str(k): tuple(_all_texts(v, key)) for k, v in _get(data, key, dict, {}).items()}


_COUNTS = {2: "two", 3: "three", 4: "four"}


def _score(data: Any, key: str, ruleset: Ruleset) -> tuple[int, ...]:
    first = first_score(ruleset)
    score = _get(data, key, list, list(first))
    fits = len(score) == len(first) and all(type(n) is int and -1000 <= n <= 1000 for n in score)
    if not fits:
        whom = f"{_COUNTS[len(first)]} {'teams' if ruleset.is_partnership else 'players'}"
        raise BadRecord(f"key {key!r} takes the scores of the {whom}, not {_shown(score)}")
    return tuple(score)


def _tokens(data: Any) -> tuple[int, ...]:
    """Tokens of both teams; fewer than are turned in, and whether there may be any is replayed."""
    tokens = _get(data, "initial_tokens", list, [])
    most = rules.TOKENS_FOR_A_POINT - 1
    if tokens and (len(tokens) != 2 or not all(type(n) is int and 0 <= n <= most for n in tokens)):
        raise BadRecord(
            f"key 'initial_tokens' takes two whole numbers 0 to {most}, not {_shown(tokens)}"
        )
    return tuple(tokens)


def _players(data: Any, count: int) -> tuple[str, ...]:
    players = _texts(data, "players") or list(SEAT_NAMES[:count])
    if len(players) != count:
        raise BadRecord(f"key 'players' takes {_COUNTS[count]} names, not {len(players)}")
    return tuple(players)


def _read_deals(
    data: Any, number_key: str, read_one: Callable[[Any, int], DealRecord], file: str
) -> tuple[list[DealRecord], list[Fault]]:
    """The deals that can be read, and a fault for each of the others."""
    deals: list[DealRecord] = []
    faults: list[Fault] = []
    for index, item in enumerate(_get(data, "deals", list)):
        number = index
        try:
            number = _get(_mapping(item, "a deal"), number_key, int, index)
            deals.append(read_one(item, number))
        except BadRecord as bad:
            faults.append(bad.at(file, number))
    return deals, faults


_Read = tuple[GameRecord | None, list[Fault]]
_NamedRead = tuple[str, GameRecord | None, list[Fault]]


# --- JSON lines --------------------------------------------------------------------------------


def _game_of_line(data: Any, file: str) -> _Read:
    _mapping(data, "a game")
    if data.get("format") != FORMAT or data.get("version") != VERSION:
        raise BadRecord(
            f"keys 'format' and 'version' must be {FORMAT!r} and {VERSION}, not "
            f"{_shown(data.get('format'))} and {_shown(data.get('version'))}"
        )
    try:
        ruleset = Ruleset.from_dict(_get(data, "ruleset", dict))
    except RulesetError as error:
        raise BadRecord(f"key 'ruleset': {error}") from error
    read_one = partial(_deal_of_line, players=ruleset.players)
    deals, faults = _read_deals(data, "number", read_one, file)
    game = GameRecord(
        ruleset=ruleset,
        deals=tuple(deals),
        players=_players(data, ruleset.players),
        initial_score=_score(data, "initial_score", ruleset),
        initial_tokens=_tokens(data),
        metadata=_get(data, "metadata", dict, {}),
    )
    return game, faults


def _deal_of_line(data: Any, number: int, players: int) -> DealRecord:
    hands = _get(data, "hands", list, [[]] * players)
    if len(hands) != players:
        raise BadRecord(f"key 'hands' takes {_COUNTS[players]} lists of cards, not {len(hands)}")
    alone = _get(data, "alone", str, "")
    if alone not in ("", MAKER, PARTNER):
        raise BadRecord(f"key 'alone' takes '', {MAKER!r} or {PARTNER!r}, not {alone!r}")
    discard, passed = _get(data, "discard", str, None), _get(data, "passed", str, None)
    return DealRecord(
        dealer=_seat(data, "dealer", players=players),
        upcard=_cards([_get(data, "upcard", str)], "upcard")[0],
        calls=tuple(_call_words(_texts(data, "calls"))),
        alone=alone,
        lone_defender=_seat(data, "lone_defender", None, players),
        discard=None if discard is None else _cards([discard], "discard")[0],
        tricks=tuple(
            _cards(_all_texts(trick, "tricks"), "tricks", t + 1)
            for t, trick in enumerate(_get(data, "tricks", list, []))
        ),
        hands=tuple(_cards(_all_texts(hand, "hands"), "hands") for hand in hands),
        kitty=_cards(_texts(data, "kitty"), "kitty"),
        dummy=_cards(_texts(data, "dummy"), "dummy"),
        buried=_cards(_texts(data, "buried"), "buried"),
        passed=None if passed is None else _cards([passed], "passed")[0],
        dropped=_seats(data, "dropped", players),
        lead=_seat(data, "lead", None, players),
        number=number,
        call_notes=_notes(data, "call_notes"),
        play_notes=_notes(data, "play_notes"),
    )


def _cards(texts: Sequence[str], key: str, trick: int | None = None) -> tuple[str, ...]:
    try:
        return tuple(map(_pattern, texts))
    except CardError as error:
        raise BadRecord(f"key {key!r}: {error}", trick) from error


def _call_words(words: Sequence[str]) -> list[str]:
    for word in words:
        if word not in ACTION_TEXT[rules.PASS :]:
            raise BadRecord(f"key 'calls': {word!r} is no call")
    return list(words)


def _line_of_game(game: GameRecord) -> str:
    data = {
        "format": FORMAT,
        "version": VERSION,
        "ruleset": game.ruleset.to_dict(),
        "players": game.players,
        "initial_score": game.initial_score,
        "metadata": game.metadata,
        "deals": [_told(deal) for deal in game.deals],
    }
    if game.initial_tokens:
        data["initial_tokens"] = game.initial_tokens
    return json.dumps(data, ensure_ascii=False)


def _told(deal: DealRecord) -> dict[str, Any]:
    """A deal as plain data, without what has its default."""
    shown = {}
    for item in dataclasses.fields(DealRecord):
        value = getattr(deal, item.name)
        if value not in (item.default, {}, ()) or item.name in ("dealer", "upcard", "number"):
            shown[item.name] = value
    return shown


# --- euchre game notation, in ------------------------------------------------------------------

_EGN_DEFAULTS: dict[str, Any] = {
    "std": True,
    "min_rank": 9,
    "winning_score": 10,
    "num_deals": 0,
    "canadian": False,
    "loner_lead": "LEFT_OF_DEALER",
    "loner_march_score": 4,
    "loner_euchred_score": 2,
    "defend_alone": False,
    "farmers": False,
    "partners_best": False,
    "go_under": False,
    "joker": False,
    "num_players": 4,
    "allow_no_trump": False,
    "fast_break": False,
    "four_trick_tokens": False,
}
_EGN_UNSUPPORTED = {
    "num_players": "a .jsonl record holds games for two and three, see variant='two_hand' and "
    "variant='three_hand_dummy'",
    "farmers": "the notation leaves open what a farmer's hand may do; weak_hand='throw_in' or "
    "weak_hand='swap3' with a weak_hand_test comes near, in a .jsonl record",
    "go_under": "weak_hand='swap3' with weak_hand_test='three_low' comes near, in a .jsonl record",
}
"""Keys of which only the default is played, and what comes near."""
_EGN_HOLDS = "variant={!r}: .egn holds the partnership game only"
_EGN_LEADS = {"LEFT_OF_DEALER": "dealer_left", "LEFT_OF_LONER": "loner_left"}
_EGN_CALLS = {
    "pass": "pass",
    "order": "order_up",
    "n": "call_NT",
    **{suit.lower(): f"call_{suit}" for suit in SUITS},
}
_EGN_WORDS = {ours: word for word, ours in _EGN_CALLS.items()} | {
    "pass": "Pass",
    "order_up": "Order",
}


def _egn_keys(told: Any) -> dict[str, Any]:
    """All keys of a rule set of the notation, checked by kind."""
    keys = {key: _get(told, key, type(value), value) for key, value in _EGN_DEFAULTS.items()}
    for key in told:
        if key not in keys:
            raise BadRecord(f"key 'ruleset': {key!r} is not known; the keys are {', '.join(keys)}")
    for key in _EGN_UNSUPPORTED:
        if keys[key] != _EGN_DEFAULTS[key]:
            raise BadRecord(
                f"key 'ruleset': {key}={keys[key]!r} is not supported: {_EGN_UNSUPPORTED[key]}"
            )
    return keys


def _egn_ruleset(told: Any) -> Ruleset:
    keys = _egn_keys(told)
    if keys["num_deals"] and "winning_score" not in told:
        keys["winning_score"] = 0
    if keys["loner_lead"] not in _EGN_LEADS:
        raise BadRecord(
            f"key 'loner_lead' takes {' or '.join(_EGN_LEADS)}, not {keys['loner_lead']!r}"
        )
    if keys["loner_euchred_score"] < Ruleset().points_euchre:
        raise BadRecord(
            "key 'loner_euchred_score': less than a euchre with both partners is not supported"
        )
    try:
        return Ruleset(
            stick_the_dealer=keys["std"],
            target_score=keys["winning_score"] or None,
            hands_per_game=keys["num_deals"] or None,
            canadian_loner=keys["canadian"],
            loner_lead=_EGN_LEADS[keys["loner_lead"]],
            points_loner_march=keys["loner_march_score"],
            points_loner_euchred=keys["loner_euchred_score"],
            defend_alone="vs_loner" if keys["defend_alone"] else "off",
            joker=keys["joker"],
            no_trump="round2" if keys["allow_no_trump"] else "off",
            fast_break=keys["fast_break"],
            four_trick_tokens=keys["four_trick_tokens"],
            call_for_best="offered" if keys["partners_best"] else "off",
            lowest_rank=keys["min_rank"],
        )
    except RulesetError as error:
        raise BadRecord(f"key 'ruleset': {error}") from error


def _ruleset_of_egn(metadata: dict[str, Any]) -> Ruleset:
    ruleset = _egn_ruleset(_get(metadata, "ruleset", dict, {}))
    if EGN_RULESET not in metadata:
        return ruleset
    try:
        ruleset = Ruleset.from_dict(_get(metadata, EGN_RULESET, dict))
    except RulesetError as error:
        raise BadRecord(f"key {EGN_RULESET!r}: {error}") from error
    if not ruleset.is_partnership:
        raise BadRecord(f"key {EGN_RULESET!r}: {_EGN_HOLDS.format(ruleset.variant)}")
    return ruleset


def _game_of_egn(data: Any, file: str) -> _Read:
    _mapping(data, "the file")
    if _get(data, "fileType", str) != EGN_TYPE:
        raise BadRecord(f"key 'fileType' must be {EGN_TYPE!r}, not {_shown(data['fileType'])}")
    if _get(data, "version", str, EGN_VERSION).split(".")[0] != "1":
        raise BadRecord(f"key 'version': {data['version']!r} is not known; versions 1.x are")
    metadata = _get(data, "metadata", dict, {})
    ruleset = _ruleset_of_egn(metadata)
    deals, faults = _read_deals(data, "dealNumber", _deal_of_egn, file)
    if EGN_RULESET not in metadata and any(map(_dealer_lays_away, deals)):
        ruleset = ruleset.replace(partner_alone_upcard="dealer_discards")
    own = ("players", "initialScore", "ruleset", EGN_RULESET)
    game = GameRecord(
        ruleset=ruleset,
        deals=tuple(deals),
        players=_players(metadata, rules.N_SEATS),
        initial_score=_score(metadata, "initialScore", ruleset),
        metadata={key: value for key, value in metadata.items() if key not in own},
    )
    return game, faults


def _dealer_lays_away(deal: DealRecord) -> bool:
    """Whether a dealer whose partner goes alone discards, which makes the same game as not to."""
    return bool(deal.alone and deal.discard and deal.calls == ("pass", "order_up"))


def _phase_of(phases: list[Any], kind: str) -> Any:
    found = [p for p in phases if _get(_mapping(p, "a phase"), "type", str) == kind]
    if len(found) > 1:
        raise BadRecord(f"key 'phases' holds {len(found)} phases of type {kind}")
    return found[0] if found else {}


def _deal_of_egn(data: Any, number: int) -> DealRecord:
    start, phases = _get(data, "initialState", dict), _get(data, "phases", list)
    bidding, play = _phase_of(phases, "EUCHRE_BIDDING"), _phase_of(phases, "TRICK_PLAY")
    upcard = _egn_card(_get(start, "upCard", str), None, "upCard")
    calls = _calls_of_egn(bidding)
    trump = _trump_named(calls, upcard)
    defender = _get(bidding, "aloneDefender", int, -1)
    discard, dealer = _get(bidding, "discard", str, ""), _seat(start, "dealer")
    laid = _get(bidding, EGN_LAID, str, "")
    return DealRecord(
        dealer=dealer,
        upcard=upcard,
        calls=calls,
        alone=MAKER if _get(bidding, "isAlone", bool, False) else "",
        lone_defender=None if defender == -1 else _seat(bidding, "aloneDefender"),
        discard=_known_or_none(_egn_card(discard, trump, "discard")),
        tricks=_tricks_of_egn(play, trump),
        hands=_hands_of_egn(start, trump),
        kitty=_egn_cards(_texts(start, "kitty"), trump, "kitty"),
        passed=_passed_of_egn(bidding, _caller(dealer, upcard, calls), trump),
        buried=(_egn_card(laid, trump, EGN_LAID),) if laid else (),
        lead=_seat(play, "initialLead", None),
        number=number,
        call_notes=_notes(bidding, "callAnnotations"),
        play_notes=_notes(play, "playAnnotations"),
    )


def _caller(dealer: int, upcard: str, calls: Sequence[str]) -> int:
    """The seat that called: the dealer where the joker was turned up, else by the calls."""
    return dealer if upcard == card_text(JOKER) else (dealer + len(calls)) % rules.N_SEATS


def _passed_of_egn(bidding: Any, caller: int, trump: int | None) -> str | None:
    """The card that the caller, who plays alone, got from its partner."""
    exchanges = _get(bidding, "cardExchanges", list, [])
    if not exchanges:
        return None
    key = "cardExchanges"
    exchange = _mapping(exchanges[0], "a card exchange")
    cards = _all_texts(_get(exchange, "cards", list), key)
    receiver = _seat(exchange, "receiver")
    across = int(rules.partner(caller))
    if len(exchanges) != 1 or len(cards) != 1:
        raise BadRecord(f"key {key!r}: only one card, passed to a lone hand, is supported")
    if receiver != caller or _seat(exchange, "sender", across) != across:
        raise BadRecord(
            f"key {key!r}: only a card for the caller, {seat_text(caller)}, from its partner is "
            "supported"
        )
    return _egn_card(cards[0], trump, key)


def _known_or_none(card: str) -> str | None:
    return None if card == UNKNOWN else card


def _calls_of_egn(bidding: Any) -> tuple[str, ...]:
    if not bidding:
        raise BadRecord("key 'phases': the phase of type EUCHRE_BIDDING is missing")
    words = []
    for word in _all_texts(_get(bidding, "calls", list), "calls"):
        if word.strip().lower() not in _EGN_CALLS:
            raise BadRecord(f"key 'calls': {word!r} is no call: Pass, Order, a suit letter, or n")
        words.append(_EGN_CALLS[word.strip().lower()])
    return tuple(words)


def _trump_named(calls: Sequence[str], upcard: str) -> int | None:
    """The suit that the last call names, to tell which jacks R and L stand for."""
    if not calls or calls[-1] in ("pass", "call_NT"):
        return None
    suit = upcard[-1] if calls[-1] == "order_up" else calls[-1][-1]
    return SUITS.find(suit) if suit in SUITS else None


def _tricks_of_egn(play: Any, trump: int | None) -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(_egn_card(text, trump, "tricks", t + 1) for text in _all_texts(trick, "tricks"))
        for t, trick in enumerate(_get(play, "tricks", list, []))
    )


def _hands_of_egn(start: Any, trump: int | None) -> tuple[tuple[str, ...], ...]:
    key = "player_cards" if "player_cards" in start else "playerCards"
    hands = _get(start, key, list, []) or [[]] * 4
    if len(hands) != rules.N_SEATS:
        raise BadRecord(f"key {key!r} takes four lists of cards, not {len(hands)}")
    return tuple(_egn_cards(_all_texts(hand or [], key), trump, key) for hand in hands)


def _egn_cards(texts: Sequence[str], trump: int | None, key: str) -> tuple[str, ...]:
    """Cards of a hand or the kitty; those of which nothing is known are left out."""
    cards = [_egn_card(text, trump, key) for text in texts]
    return tuple(card for card in cards if card != UNKNOWN)


def _egn_card(text: str, trump: int | None, key: str, trick: int | None = None) -> str:
    """Our text of a card of the notation."""
    name = text.strip().upper().replace("10", "T")
    if name in ("", "X", "XX"):
        return UNKNOWN
    if name in ("B", "JOKER"):
        return card_text(JOKER)
    if name[0] in "RL":
        return _bower(text, name, trump, key, trick)
    name = ("9" if name[0] == "N" else name[0]) + name[1:]
    try:
        return _pattern(name.replace("X", "?"))
    except CardError:
        message = (
            f"key {key!r}: {text!r} is no card: write a rank 9 or N, T J Q K A, 8 or 7, R or L "
            "(bowers), X for unknown, then a suit c d h s or x; B is the joker"
        )
        raise BadRecord(message, trick) from None


def _bower(text: str, name: str, trump: int | None, key: str, trick: int | None) -> str:
    """The jack that R or L stands for, with or without a suit letter."""
    letter = name[1:].replace("X", "")
    if trump is None and name[0] == "R" and letter in tuple(SUITS):
        return f"J{letter}"
    if trump is None:
        raise BadRecord(f"key {key!r}: {text!r} is a bower, but no trump suit is named", trick)
    suits = [trump] if name[0] == "R" else [same_colour(trump), trump]
    if letter and letter not in [SUITS[suit] for suit in suits]:
        raise BadRecord(f"key {key!r}: {text!r} is no bower under {SUIT_NAMES[trump]}", trick)
    return card_text(6 * suits[0] + JACK)


# --- euchre game notation, out -----------------------------------------------------------------


def _egn_of_game(game: GameRecord) -> dict[str, Any]:
    if not game.ruleset.is_partnership:
        told = _EGN_HOLDS.format(game.ruleset.variant)
        raise RecordError(f"{told}: write a .jsonl file")
    if game.initial_tokens:
        raise RecordError(".egn cannot hold tokens at the start of a game: write a .jsonl file")
    keys = _egn_of_ruleset(game.ruleset)
    metadata = dict(game.metadata)
    metadata |= {
        "players": list(game.players),
        "initialScore": list(game.initial_score),
        "ruleset": keys,
    }
    if _egn_ruleset(keys) != game.ruleset:
        metadata[EGN_RULESET] = game.ruleset.to_dict(only_changes=True)
    deals = [_egn_of_deal(deal) for deal in game.deals]
    return {"fileType": EGN_TYPE, "version": EGN_VERSION, "metadata": metadata, "deals": deals}


def _egn_of_ruleset(ruleset: Ruleset) -> dict[str, Any]:
    leads = {ours: word for word, ours in _EGN_LEADS.items()}
    keys = {
        "std": ruleset.stick_the_dealer,
        "winning_score": ruleset.target_score or 0,
        "num_deals": ruleset.hands_per_game or 0,
        "canadian": ruleset.canadian_loner,
        "loner_lead": leads[ruleset.loner_lead],
        "loner_march_score": ruleset.points_loner_march,
        "loner_euchred_score": max(
            ruleset.points_loner_euchred, _EGN_DEFAULTS["loner_euchred_score"]
        ),
        "defend_alone": ruleset.defend_alone != "off",
        "joker": ruleset.joker,
        "allow_no_trump": ruleset.no_trump != "off",
        "fast_break": ruleset.fast_break,
        "four_trick_tokens": ruleset.four_trick_tokens,
        "partners_best": ruleset.call_for_best != "off",
        "min_rank": ruleset.lowest_rank,
    }
    always = ("std", "canadian", "loner_lead")
    return {
        key: value for key, value in keys.items() if key in always or value != _EGN_DEFAULTS[key]
    }


def _egn_of_deal(deal: DealRecord) -> dict[str, Any]:
    start: dict[str, Any] = {"dealer": deal.dealer, "upCard": _egn_text(deal.upcard)}
    if deal.kitty:
        start["kitty"] = list(map(_egn_text, deal.kitty))
    if any(deal.hands):
        start["player_cards"] = [list(map(_egn_text, hand)) for hand in deal.hands]
    phases = [_egn_bidding(deal)]
    if deal.tricks or deal.play_notes or deal.lead is not None:
        phases.append(_egn_play(deal))
    return {"dealNumber": deal.number, "initialState": start, "phases": phases}


def _egn_bidding(deal: DealRecord) -> dict[str, Any]:
    for word in deal.calls:
        if word not in _EGN_WORDS:
            _not_in_egn(deal, f"the answer {word!r} to a weak hand")
    if deal.alone == PARTNER:
        _not_in_egn(deal, "a lone hand of the maker's partner")
    phase: dict[str, Any] = {
        "phaseNumber": 0,
        "type": "EUCHRE_BIDDING",
        "calls": [_EGN_WORDS[word] for word in deal.calls],
        "isAlone": deal.alone == MAKER,
    }
    if deal.discard is not None:
        phase["discard"] = _egn_text(deal.discard)
    if deal.lone_defender is not None:
        phase["aloneDefender"] = deal.lone_defender
    if deal.passed is not None:
        caller = _caller(deal.dealer, deal.upcard, deal.calls)
        passed = {"sender": int(rules.partner(caller)), "receiver": caller}
        phase["cardExchanges"] = [passed | {"cards": [_egn_text(deal.passed)]}]
    if deal.buried:
        phase[EGN_LAID] = _egn_text(deal.buried[0])
    if deal.call_notes:
        phase["callAnnotations"] = {key: list(notes) for key, notes in deal.call_notes.items()}
    return phase


def _egn_play(deal: DealRecord) -> dict[str, Any]:
    phase: dict[str, Any] = {"phaseNumber": 1, "type": "TRICK_PLAY"}
    if deal.lead is not None:
        phase["initialLead"] = deal.lead
    phase["tricks"] = [list(map(_egn_text, trick)) for trick in deal.tricks]
    if deal.play_notes:
        phase["playAnnotations"] = {key: list(notes) for key, notes in deal.play_notes.items()}
    return phase


def _not_in_egn(deal: DealRecord, what: str) -> NoReturn:
    raise RecordError(f"deal {deal.number}: .egn cannot hold {what}: write a .jsonl file")


def _egn_text(card: str) -> str:
    if card == card_text(JOKER):
        return "B"
    return card[0].replace("?", "X") + card[1].replace("?", "x").lower()


# --- files -------------------------------------------------------------------------------------


def _json(text: str) -> Any:
    try:
        data = json.loads(text)
        if "\\u" in text:
            json.dumps(data, ensure_ascii=False).encode()
        return data
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise BadRecord(f"{half!a} is half a character: it cannot be written as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise BadRecord(f"malformed JSON: {error}") from error


def _text_of(source: PathLike) -> tuple[str, str]:
    """The text of a file and the name to report; a text with a brace is a record itself."""
    if isinstance(source, str) and "{" in source:
        return source, "<text>"
    try:
        return Path(source).read_text(encoding="utf-8"), str(source)
    except UnicodeDecodeError as error:
        fault = Fault(str(source), None, None, None, f"not UTF-8 text ({error.reason})")
        raise _unreadable([fault]) from error


def _read_one(text: str, name: str, read: Any) -> _NamedRead:
    """One game, or the faults that keep it from being read, with the name to report."""
    try:
        return name, *read(_json(text), name)
    except BadRecord as bad:
        return name, None, [bad.at(name)]


def _read_lines(text: str, file: str) -> list[_NamedRead]:
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    return [_read_one(line, f"{file}:{n}", _game_of_line) for n, line in lines]


def _is_egn(text: str, file: str) -> bool:
    kind = Path(file).suffix.lower()
    if kind in (".egn", ".jsonl"):
        return kind == ".egn"
    return f'"{FORMAT}"' not in text.partition("\n")[0]


def read_file(source: PathLike) -> tuple[str, list[_NamedRead]]:
    text, file = _text_of(source)
    if not text.strip():
        return file, [(file, None, [Fault(file, None, None, None, "the file is empty")])]
    if _is_egn(text, file):
        return file, [_read_one(text, file, _game_of_egn)]
    return file, _read_lines(text, file)


def _unreadable(faults: Sequence[Fault]) -> RecordError:
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    hint = (
        "mend it, or give an .egn or .jsonl record; `euchre record verify FILE` lists every fault"
    )
    return RecordError(f"{faults[0]}{more}: {hint}", faults)


def _games_of(reads: Iterable[_NamedRead]) -> list[GameRecord]:
    games, faults = [], []
    for _, game, found in reads:
        faults += found
        if game is not None:
            games.append(game)
    if faults:
        raise _unreadable(faults)
    return games


def read_egn(source: PathLike) -> GameRecord:
    """The game of an ``.egn`` file, or of its text.

    Raises:
        RecordError: malformed, or with a key or card that is not known; names file, deal and key.
    """
    text, file = _text_of(source)
    return _games_of([_read_one(text, file, _game_of_egn)])[0]


def read_jsonl(source: PathLike) -> list[GameRecord]:
    """The games of a ``.jsonl`` file, or of its text; RecordError as for :func:`read_egn`."""
    text, file = _text_of(source)
    return _games_of(_read_lines(text, file))


def load_records(path: PathLike) -> list[GameRecord]:
    """The games of a file of either kind, told by its ending or else by its content.

    Raises:
        RecordError: not a record; names the file, the fault, and what to do.
    """
    return _games_of(read_file(path)[1])


def write_egn(path: PathLike, game: GameRecord) -> None:
    """Write a game as euchre game notation; it reads back equal.

    What the notation's rule-set keys cannot tell is added under ``metadata``, key
    :data:`EGN_RULESET`.

    Raises:
        RecordError: the notation cannot hold the game (one without partners, or that starts with
            tokens) or a deal (answers to weak hands, a lone hand of the maker's partner); the file
            is left as it was.
    """
    text = json.dumps(_egn_of_game(game), indent=1, ensure_ascii=False)
    write_whole(Path(path), f"{text}\n".encode())


def write_jsonl(path: PathLike, games: Iterable[GameRecord]) -> None:
    """Write games as JSON, one a line; they read back equal."""
    write_whole(Path(path), "".join(_line_of_game(game) + "\n" for game in games).encode())


def save_records(path: PathLike, games: Sequence[GameRecord]) -> None:
    """Write games in the format that the file's ending names, ``.egn`` (one game) or ``.jsonl``.

    Raises:
        RecordError: another ending, or a game or a number of games that the format cannot hold.
    """
    kind = Path(path).suffix.lower()
    if kind == ".jsonl":
        write_jsonl(path, games)
    elif kind != ".egn":
        raise RecordError(f"{path}: name a file that ends in .egn or .jsonl")
    elif len(games) != 1:
        raise RecordError(
            f"{path}: an .egn file holds one game, not {len(games)}: write a .jsonl file"
        )
    else:
        write_egn(path, games[0])


# --- from the engine ---------------------------------------------------------------------------


def record_hand(
    ruleset: Ruleset,
    deck: npt.NDArray[np.int8],
    dealer: int,
    actions: Iterable[int | str],
    number: int = 0,
) -> DealRecord:
    """The record of a hand dealt from ``deck`` (see :func:`cards.deck_of`) and of its actions.

    Args:
        ruleset: The rules it was played by.
        deck: Card ids, int8[25], or int8[32] of a larger deck.
        dealer: The dealer's seat.
        actions: Absolute action ids or texts, one for each decision; the hand may be unfinished.
        number: The deal's number in its game.

    Raises:
        ActionError: an action is not legal.
    """
    s, r = rules.new_states(1)[0], ruleset.record()[0]
    rules.new_match(s, r)
    rules.deal(s, r, deck, dealer)
    calls: list[str] = []
    buried: list[str] = []
    dropped: list[int] = []
    tricks: list[list[str]] = [[] for _ in range(rules.N_TRICKS)]
    discard = passed = defender = None
    for action in actions:
        absolute = action_id(action) if isinstance(action, str) else int(action)
        word, phase, trick = ACTION_TEXT[absolute], s.phase, int(s.trick)
        if phase in CALL_PHASES:
            calls.append(word)
        elif phase == rules.DISCARD:
            discard = word
        elif phase in (rules.DUMMY_EXCHANGE, rules.LAY_AWAY):
            buried.append(word)
        elif phase == rules.PASS_CARD:
            passed = word
        elif phase == rules.STAY and word == "pass":
            dropped.append(int(s.turn))
        elif word == "defend_alone":
            defender = int(s.turn)
        elif phase == rules.PLAY:
            tricks[trick].append(word)
        apply_legal(s, r, absolute)
    names = [card_text(int(card)) for card in deck if card >= 0]
    aside = HAND_SIZE * ruleset.players
    down = aside + int(rules.dummy_size(r))
    return DealRecord(
        dealer=dealer,
        upcard=names[20],
        calls=tuple(calls),
        alone="" if s.loner < 0 else MAKER if s.loner == s.maker else PARTNER,
        lone_defender=defender,
        discard=discard,
        tricks=tuple(map(tuple, filter(None, tricks))),
        hands=tuple(tuple(names[5 * seat : 5 * seat + 5]) for seat in range(ruleset.players)),
        kitty=(*names[down:20], *names[21:]),
        dummy=tuple(names[aside:down]),
        buried=tuple(buried),
        passed=passed,
        dropped=tuple(dropped),
        number=number,
    )


def apply_legal(s: Any, r: Any, absolute: int) -> None:
    """Carry out an absolute action id; ActionError where it is not legal."""
    action = int(FROM_ABSOLUTE[s.frame, absolute])
    if not int(rules.legal(s, r)) >> action & 1:
        legal = ", ".join(legal_words(s, r)) or "nothing, the hand is over"
        raise ActionError(f"{ACTION_TEXT[absolute]!r} is not legal now: legal are {legal}")
    rules.apply(s, r, action)


def legal_words(s: Any, r: Any) -> list[str]:
    """The texts of the legal actions."""
    return [ACTION_TEXT[action] for action in legal_ids(s, r)]
