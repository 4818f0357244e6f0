"""Runs files of rule cases: a rule set, a state, a question, and the answer to expect.

The runner turns the texts of a case into arguments of the engine, and its answer into texts;
it computes nothing itself. The schema is told in the head of a case file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import rules
from .actions import action_id
from .cards import (
    BIT_OF,
    CARD_AT,
    JOKER,
    N_CARDS,
    NATURAL,
    NO_TRUMP,
    SUITS,
    card_id,
    card_text,
    popcount,
    set_of,
)
from .odds import odds
from .record import GameRecord, apply_legal, complete_deck, legal_words, record_hand
from .replay import replay
from .ruleset import OPTIONS, Ruleset, RulesetError

__all__ = ["CaseError", "CaseResult", "run_case", "run_cases"]

PASSED, FAILED = "passed", "failed"
_SCHEMA = 1
_UNORDERED = ("legal", "unknown", "conflict", "sitting_out")
"""Keys of answers whose lists have no order."""


class CaseError(ValueError):
    """A file that is no file of rule cases."""


class _Missing(Exception):
    """A key that a case lacks, or a value that does not fit."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The outcome of one case; ``message`` says why it did not pass."""

    id: str
    status: str
    message: str = ""


# --- positions ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Question:
    """A case: the rules as options and as a record, and the state asked about."""

    ruleset: Ruleset
    state: Mapping[str, Any]

    @property
    def r(self) -> Any:
        return self.ruleset.record()[0]

    def __getitem__(self, key: str) -> Any:
        if key not in self.state:
            raise _Missing(f"the state lacks the key {key!r}")
        return self.state[key]


def _suit_text(suit: int) -> str | None:
    return None if suit < 0 else (*SUITS, "NT")[suit]


def _trump(q: _Question) -> int:
    return NO_TRUMP if q["trump"] == "NT" else SUITS.index(q["trump"])


def _seat_or_none(seat: int) -> int | None:
    return None if seat < 0 else int(seat)


def _seats(bits: int) -> list[int]:
    return [seat for seat in range(rules.N_SEATS) if int(bits) >> seat & 1]


def _by_side(q: _Question, values: Any) -> list[int]:
    return [int(value) for value in values[: rules.count_sides(q.r)]]


def _deck(q: _Question) -> Any:
    """A deck that agrees with the case; what the case leaves open is filled in."""
    hands = {int(seat): cards for seat, cards in q.state.get("hands", {}).items()}
    kitty = q.state.get("kitty_face_down", ())
    return complete_deck(q["upcard"], hands, kitty, q.ruleset.joker)


def _position(q: _Question) -> Any:
    """The record after the case's history."""
    s = rules.new_states(1)[0]
    rules.new_match(s, q.r)
    rules.deal(s, q.r, _deck(q), q["dealer"])
    for word in q["history"]:
        apply_legal(s, q.r, action_id(word))
    return s


def _in_play(q: _Question, trick: Iterable[Any], hand: Iterable[str]) -> Any:
    """A record in play under the case's trump, with a trick begun and a hand to play from."""
    s = rules.new_states(1)[0]
    rules.new_match(s, q.r)
    rules.deal(s, q.r, complete_deck(0, joker=q.ruleset.joker), 0)
    s.frame = s.trump = frame = _trump(q)
    s.phase, s.maker, s.turn = rules.PLAY, 0, 0
    for seat, card in trick:
        s.turn = seat
        s.hand[seat] = set_of([card_id(card)], frame)
        rules.apply(s, q.r, int(BIT_OF[frame, card_id(card)]))
    s.hand[s.turn] = set_of(map(card_id, hand), frame)
    return s


def _phase_text(s: Any) -> str:
    if s.phase != rules.OVER:
        return rules.PHASES[s.phase]
    return "hand_over" if s.game_winner == rules.UNDECIDED else "game_over"


def _action_texts(s: Any, r: Any) -> list[str]:
    prefix = {rules.DISCARD: "discard_", rules.PLAY: "play_"}.get(int(s.phase), "")
    return sorted(prefix + word for word in legal_words(s, r))


# --- questions ---------------------------------------------------------------------------------


def _suit_order(q: _Question) -> dict[str, Any]:
    answer, frame = {}, _trump(q)
    for suit in q["suits"]:
        out = np.zeros(N_CARDS, np.int64)
        count = rules.suit_order(SUITS.index(suit), frame, q.ruleset.joker, out)
        answer[suit] = [card_text(int(card)) for card in out[:count]]
    return answer


def _effective_suit(q: _Question) -> dict[str, Any]:
    frame = _trump(q)
    suit = rules.effective_suit(int(BIT_OF[frame, card_id(q["card"])]), frame)
    return {"suit": _suit_text(suit)}


def _effective_suits(q: _Question) -> dict[str, Any]:
    hands = [_Question(q.ruleset, {"card": q["card"], "trump": trump}) for trump in q["trumps"]]
    return {"suits": [_effective_suit(hand)["suit"] for hand in hands]}


def _legal_cards(q: _Question) -> dict[str, Any]:
    return {"legal": sorted(legal_words(_in_play(q, q["trick"], q["hand"]), q.r))}


def _trick_winner(q: _Question) -> dict[str, Any]:
    trick, frame = q["trick"], _trump(q)
    bits = np.array([BIT_OF[frame, card_id(card)] for _, card in trick], np.int64)
    winner = trick[rules.trick_winner(bits, len(trick), frame)][0]
    played = int(_in_play(q, trick, ()).winner)
    if played != winner:
        raise AssertionError(f"trick_winner says seat {winner}, play says seat {played}")
    return {"winner": winner, "led_suit": _suit_text(rules.effective_suit(bits[0], frame))}


def _legal_actions(q: _Question) -> dict[str, Any]:
    s = _position(q)
    return {"phase": _phase_text(s), "actor": int(s.turn), "legal": _action_texts(s, q.r)}


def _next_state(q: _Question) -> dict[str, Any]:
    s = _position(q)
    return {
        "phase": _phase_text(s),
        "actor": _seat_or_none(s.turn),
        "trump": _suit_text(s.trump),
        "maker": _seat_or_none(s.maker),
        "alone": bool(s.loner >= 0),
        "lone_defender": _seat_or_none(s.lone_defender),
        "sitting_out": _seats(s.sitting_out),
        "hand_sizes": [int(popcount(int(hand))) for hand in s.hand],
        "points": _by_side(q, s.points),
        "next_dealer": _seat_or_none(s.next_dealer),
    }


def _loner(q: _Question) -> int:
    return int(q["maker"]) if q["alone"] else rules.NOBODY


def _lone_defender(q: _Question) -> int:
    seat = q.state.get("lone_defender")
    return rules.NOBODY if seat is None else int(seat)


def _first_lead(q: _Question) -> dict[str, Any]:
    s = rules.new_states(1)[0]
    s.sitting_out = out = rules.seats_out(_loner(q), _lone_defender(q))
    leader = int(rules.first_leader(q.r, q["dealer"], _loner(q), out))
    size = int(rules.trick_size(s))
    return {"leader": leader, "sitting_out": _seats(out), "trick_size": size}


def _hand_points(q: _Question) -> dict[str, Any]:
    defended_alone = _lone_defender(q) != rules.NOBODY
    made, defended = rules.hand_points(q.r, q["makers_tricks"], q["alone"], defended_alone)
    points = [int(defended)] * int(rules.count_sides(q.r))
    points[rules.side_of(q.r, q["maker"])] = int(made)
    return {"points": points}


def _after_hand(q: _Question) -> dict[str, Any]:
    s = rules.new_states(1)[0]
    rules.new_match(s, q.r)
    sides = int(rules.count_sides(q.r))
    s.score[:sides], s.points[:sides] = q["scores"], q["hand_points"]
    s.games[:sides] = q.state.get("games_won", [0] * sides)
    s.hands = q.state.get("hands_played", 1) - 1  # the number given counts this hand
    rules.settle(s, q.r)
    return {
        "scores": _by_side(q, s.score),
        "game_over": bool(s.game_winner != rules.UNDECIDED),
        "winner": _seat_or_none(s.game_winner),
        "games_won": _by_side(q, s.games),
        "match_over": bool(s.match_winner != rules.UNDECIDED),
        "match_winner": _seat_or_none(s.match_winner),
        "next_game_scores": [int(rules.next_game_score(s, q.r, side)) for side in range(sides)],
    }


def _information(q: _Question) -> dict[str, Any]:
    s, seat = _position(q), q["seat"]
    rules.hide(s, q.r, seat)
    bits = range(N_CARDS if q.ruleset.joker else JOKER)
    places = {
        card_text(int(CARD_AT[s.frame, bit])): rules.LOCATIONS[rules.card_location(s, seat, bit)]
        for bit in bits
    }
    nowhere = rules.LOCATIONS[rules.LOCATION_UNKNOWN]
    return {
        "known": {card: place for card, place in places.items() if place != nowhere},
        "unknown": sorted(card for card, place in places.items() if place == nowhere),
    }


def _is_renege(q: _Question) -> dict[str, Any]:
    s = _in_play(q, q["trick"], q["hand"])
    card = set_of([card_id(q["card"])], int(s.frame))
    return {"renege": bool(rules.is_renege(int(s.hand[s.turn]), card, int(s.led)))}


def _renege_points(q: _Question) -> dict[str, Any]:
    offender, maker = q["offender"], q["maker"]
    out = int(rules.seats_out(_loner(q), rules.NOBODY))
    leader = next(seat for seat in range(4) if seat != offender and not out >> seat & 1)
    play = _Question(q.ruleset, {"trump": "H"})
    s = _in_play(play, [(leader, "9C")], ())
    s.maker, s.loner, s.sitting_out, s.turn = maker, _loner(q), out, offender
    s.hand[offender] = set_of(map(card_id, ("TC", "9D")), int(s.frame))
    apply_legal(s, q.r, action_id("9D"))
    return {"points": _by_side(q, s.points), "hand_over": bool(s.phase == rules.OVER)}


def _weak_hand_qualifies(q: _Question) -> dict[str, Any]:
    frame = card_id(q["upcard"]) // 6 if "upcard" in q.state else NATURAL
    hand = set_of(map(card_id, q["hand"]), frame)
    test = OPTIONS["weak_hand_test"].encode(q.ruleset.weak_hand_test)
    return {"qualifies": bool(rules.weak_hand_qualifies(test, hand, frame))}


def _deal_sizes(q: _Question) -> dict[str, Any]:
    first = {"dealer": 0, "upcard": "9C", "history": []}
    s = _position(_Question(q.ruleset, {**first, **q.state}))
    hidden = int(popcount(int(s.kitty))) + int(popcount(int(s.spare)))
    return {
        "hands": [int(popcount(int(hand))) for hand in s.hand],
        "kitty": hidden + int(popcount(int(s.upcard))),
    }


def _phase_order(q: _Question) -> dict[str, Any]:
    s = _position(q)
    phases: list[str] = []
    actors: list[int] = []
    while s.phase != rules.OVER:
        if ([_phase_text(s)], [int(s.turn)]) != (phases[-1:], actors[-1:]):  # cards one by one
            phases.append(_phase_text(s))
            actors.append(int(s.turn))
        if s.phase == rules.PLAY:
            return {"phases": phases, "actors": actors, "trick_size": int(rules.trick_size(s))}
        words = legal_words(s, q.r)
        wanted = (q.state.get("alone_choice", "with_partner"), "defend_together", words[0])
        apply_legal(s, q.r, action_id(next(word for word in wanted if word in words)))
    return {"phases": phases, "actors": actors}


def _exact_probability(q: _Question) -> dict[str, Any]:
    found = odds(q["event"], q.ruleset.joker)
    return {
        "numerator": found.numerator,
        "denominator": found.denominator,
        "percent": found.percent,
        "published_percent": found.percent,
    }


def _replay(q: _Question) -> dict[str, Any]:
    deal = record_hand(q.ruleset, _deck(q), q["dealer"], q["history"])
    results, faults = replay(GameRecord(ruleset=q.ruleset, deals=(deal,)))
    if faults:
        raise _Missing(str(faults[0]))
    return {
        "trick_winners": list(results[0].winners),
        "tricks": list(results[0].tricks),
        "points": list(results[0].points),
        "next_dealer": _seat_or_none(_position(q).next_dealer),
    }


QUERIES: dict[str, Callable[[_Question], dict[str, Any]]] = {
    "suit_order": _suit_order,
    "effective_suit": _effective_suit,
    "effective_suit_sequence": _effective_suits,
    "legal_cards": _legal_cards,
    "trick_winner": _trick_winner,
    "legal_actions": _legal_actions,
    "next_state": _next_state,
    "first_lead": _first_lead,
    "hand_points": _hand_points,
    "after_hand": _after_hand,
    "information": _information,
    "renege_points": _renege_points,
    "is_renege": _is_renege,
    "weak_hand_qualifies": _weak_hand_qualifies,
    "deal_sizes": _deal_sizes,
    "phase_order": _phase_order,
    "exact_probability": _exact_probability,
    "replay": _replay,
}
"""What answers each query. ``validate_rules`` is answered by making the rule set."""


# --- running -----------------------------------------------------------------------------------


def run_case(case: Mapping[str, Any], defaults: Mapping[str, Any] | None = None) -> CaseResult:
    """Run one case; its rules are laid over ``defaults``."""
    name = str(case.get("id", "?"))
    try:
        return _outcome(name, case, {**(defaults or {}), **case["rules"]})
    except KeyError as error:
        return CaseResult(name, FAILED, f"the case lacks the key {error}")
    except (_Missing, ValueError, TypeError, IndexError, AssertionError) as error:
        return CaseResult(name, FAILED, f"{type(error).__name__.strip('_')}: {error}")


def _outcome(name: str, case: Mapping[str, Any], options: dict[str, Any]) -> CaseResult:
    query, expected = case["query"], case["answer"]
    if query == "validate_rules":
        return _compared(name, expected, _validated(options))
    ruleset = Ruleset.from_dict(options)
    if query not in QUERIES:
        known = ", ".join((*QUERIES, "validate_rules"))
        return CaseResult(name, FAILED, f"the query {query!r} is not known; known are {known}")
    return _compared(name, expected, QUERIES[query](_Question(ruleset, case["state"])))


def _validated(options: dict[str, Any]) -> dict[str, Any]:
    try:
        Ruleset.from_dict(options)
    except RulesetError as error:
        return {"valid": False, "conflict": list(error.conflict)}
    return {"valid": True}


def _compared(name: str, expected: Mapping[str, Any], answer: dict[str, Any]) -> CaseResult:
    if not isinstance(expected, Mapping) or not expected:
        return CaseResult(name, FAILED, f"the expected answer {expected!r} asks for nothing")
    for key, value in expected.items():
        if key not in answer:
            return CaseResult(name, FAILED, f"{key}: expected {value!r}, the engine gives none")
        if not _agrees(key, value, answer[key]):
            told = f"{key}: expected {value!r}, the engine says {answer[key]!r}"
            return CaseResult(name, FAILED, told)
    return CaseResult(name, PASSED)


def _agrees(key: str, expected: Any, answer: Any) -> bool:
    if key == "percent":
        return bool(expected == round(answer, 4))
    if key == "published_percent":
        return _rounds_to(answer, expected)
    if isinstance(expected, bool) or isinstance(answer, bool):
        return expected is answer
    if key in _UNORDERED and isinstance(expected, list) and isinstance(answer, list):
        return sorted(map(str, expected)) == sorted(map(str, answer))
    return bool(expected == answer)


def _rounds_to(exact: float, published: Any) -> bool:
    """Whether a published figure is the exact one rounded to the decimals it shows."""
    decimals = len(str(published).partition(".")[2]) if isinstance(published, float) else 0
    return bool(round(exact, decimals) == published)


def run_cases(path: str | os.PathLike[str]) -> list[CaseResult]:
    """Run every case of a file.

    Raises:
        CaseError: the file is not of this schema; names the file and the key.
        OSError: the file cannot be opened.
    """
    data = _read(path)
    return [run_case(case, data["defaults_assumed"]) for case in data["cases"]]


def _read(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise CaseError(f"{path}: malformed JSON: {error}") from error
    if not isinstance(data, dict) or data.get("schema_version") != _SCHEMA:
        raise CaseError(f"{path}: key 'schema_version' must be {_SCHEMA}: no file of rule cases")
    for key, kind in (("defaults_assumed", dict), ("cases", list)):
        if not isinstance(data.get(key), kind):
            raise CaseError(f"{path}: key {key!r} must be a JSON {kind.__name__}")
    if not data["cases"] or not all(isinstance(case, dict) for case in data["cases"]):
        raise CaseError(f"{path}: key 'cases' must hold cases, each a mapping")
    return data
