"""Observations: what one seat can know of a game, as named slices of a uint8 vector.

A record is first cleared of all that the seat cannot know (:func:`euchre_env.rules.hide`); the
encoder sees only what is left, so nothing hidden can reach an observation. Seats are relative to
the observer (0 oneself, 1 the left opponent, 2 the partner, 3 the right opponent, among as many as
play). :func:`decode` gives back the cleared record, save a total outside -50 to 205, which is cut
off: no partnership game to a target score reaches that; games of a fixed number of hands, with
deducted penalties, or that count down and add sets can.

Two frames: ``absolute`` orders cards and suits by name; ``trump`` orders them by the record's
frame, the upcard's suit while bidding and then trump, as described in :mod:`euchre_env.cards`.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._jit import njit, njit_inline
from .cards import (
    CARD_AT,
    EFFECTIVE_SUIT,
    JOKER,
    N_CARDS,
    N_FRAMES,
    NATURAL,
    NO_TRUMP,
    ONE,
    RELATIVE_SUIT,
    SPADES,
    SUIT_AT,
    lowest_bit,
)
from .rules import (
    DRAWN,
    N_SEATS,
    N_TRICKS,
    NOBODY,
    OVER,
    PHASES,
    STATE,
    UNDECIDED,
    UPCARD_PLACES,
    hide,
    team,
)
from .ruleset import OPTIONS, PARTNERSHIP, RULES, Ruleset

LAYOUT_VERSION = 1
"""Layouts of a version only grow at the end: what was learnt on a shorter one still fits."""
POINTS_OFFSET = 50
"""Scores and points are stored plus 50, since a deducted penalty can make them negative."""
N_RULES = RULES.itemsize // 2
_FIRST_RULES, _FIRST_PHASES = 40, 9
_OTHER_RULES, _OTHER_PHASES = 48, 11
"""Where the rule codes and phases of the partnership game end; then, those of the other games. The
wider house rules of the partnership game come after them."""


@dataclass(frozen=True, slots=True)
class Block:
    """One named slice of the observation.

    Attributes:
        name: The block's name.
        shape: Its shape; the slice holds it in C order.
        meaning: What the entries say, in one line.
        offset: What is subtracted, then
        scale: what the difference is divided by, to bring the entries near 0 to 1 for a network.
        start: Index of the first entry.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    offset: int = 0
    scale: int = 1
    start: int = 0

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(np.prod(self.shape))

    @property
    def slice(self) -> slice:
        """The block's place in the observation."""
        return slice(self.start, self.start + self.size)


_SEAT = (N_SEATS,)
_CARD = (N_CARDS,)
_BLOCKS = (
    Block("phase", (_FIRST_PHASES,), "phase of the hand: " + ", ".join(PHASES[:_FIRST_PHASES])),
    Block("turn", _SEAT, "the seat to act"),
    Block("dealer", _SEAT, "the dealer"),
    Block("hand", _CARD, "cards in one's own hand"),
    Block("upcard", _CARD, "the card turned up"),
    Block("upcard_place", (len(UPCARD_PLACES),), "where it is: " + ", ".join(UPCARD_PLACES)),
    Block("taker", _SEAT, "the seat that took the upcard"),
    Block("own_discard", _CARD, "the card one has laid away"),
    Block("swapped", _CARD, "cards laid under the pack for a weak hand, where one may know them"),
    Block("swapper", _SEAT, "the seat that swapped a weak hand"),
    Block("trump", (5,), "the four suits of the frame, and no trump"),
    Block("maker", _SEAT, "the seat that called"),
    Block("passed_round_1", _SEAT, "seats that passed in round 1"),
    Block("passed_round_2", _SEAT, "seats that passed in round 2"),
    Block("loner", _SEAT, "the makers' lone hand"),
    Block("alone_declined", _SEAT, "seats that chose to play with the partner"),
    Block("lone_defender", _SEAT, "the lone defender"),
    Block("defence_declined", _SEAT, "defenders that chose to defend together"),
    Block("sitting_out", _SEAT, "seats that sit out"),
    Block("trick_cards", (N_SEATS, N_CARDS), "the card of each seat in the present trick"),
    Block("played", (N_SEATS, N_CARDS), "all cards that each seat has played"),
    Block("trick_of_card", _CARD, "the trick, 1 to 5, in which each card was played", 0, 5),
    Block("leader", (N_TRICKS, N_SEATS), "who led to each trick"),
    Block("winner", _SEAT, "who is winning the present trick, or won the last one"),
    Block("led_suit", (4,), "the suit to follow"),
    Block("void", (N_SEATS, 4), "suits that each seat has shown it does not hold"),
    Block("tricks", (2,), "tricks won by us, by them", 0, 5),
    Block("score", (2,), "score of us, of them, plus 50", POINTS_OFFSET, 10),
    Block("games", (3,), "games won by us, by them, and drawn"),
    Block("hands", (1,), "hands played in this game", 0, 10),
    Block(
        "points", (2,), "points of the finished hand for us, for them, plus 50", POINTS_OFFSET, 4
    ),
    Block("thrown_in", (1,), "the hand ended without play"),
    Block("offender", _SEAT, "the seat that reneged"),
    Block("next_dealer", _SEAT, "the next dealer, once the hand is over"),
    Block("game_result", (3,), "the game is won by us, by them, drawn"),
    Block("match_result", (3,), "the match is won by us, by them, drawn"),
    Block(
        "rules",
        (_FIRST_RULES,),
        "the rule set: codes of its options in the order of the rule record",
    ),
    Block(
        "other_phase",
        (_OTHER_PHASES - _FIRST_PHASES,),
        ", ".join(PHASES[_FIRST_PHASES:_OTHER_PHASES]),
    ),
    Block("own_buried", _CARD, "the cards one has laid away for the dummy's or a passed one"),
    Block("seat_tricks", _SEAT, "tricks won by each seat, where everyone plays alone", 0, 5),
    Block("seat_score", _SEAT, "score of each seat, plus 50; likewise", POINTS_OFFSET, 10),
    Block("seat_points", _SEAT, "points of the finished hand, plus 50; likewise", POINTS_OFFSET, 4),
    Block("seat_games", _SEAT, "games won by each seat; likewise"),
    Block("game_winner", _SEAT, "the seat that won the game; likewise"),
    Block("match_winner", _SEAT, "the seat that won the match; likewise"),
    Block("other_rules", (_OTHER_RULES - _FIRST_RULES,), "further codes of the rule set; likewise"),
    Block("house_rules", (N_RULES - _OTHER_RULES,), "the last codes of the rule set"),
    Block("house_phase", (len(PHASES) - _OTHER_PHASES,), ", ".join(PHASES[_OTHER_PHASES:])),
    Block("passer", _SEAT, "the seat that passes a card to the lone hand"),
    Block("passed", _CARD, "that card, where one is either of the two"),
    Block("tokens", (2,), "tokens for four tricks of us, of them", 0, 4),
)
PARTNERSHIP_BLOCKS = tuple(
    block.name for block in _BLOCKS[: [b.name for b in _BLOCKS].index("rules") + 1]
)
"""The blocks that say all there is to know in the partnership game without the house rules of
``house_rules``; the others are constant."""
HOUSE_BLOCKS = ("own_buried", "house_rules", "house_phase", "passer", "passed", "tokens")
"""The blocks that say the rest under those house rules."""


def _placed(blocks: tuple[Block, ...]) -> dict[str, Block]:
    placed, start = {}, 0
    for block in blocks:
        placed[block.name] = Block(
            block.name, block.shape, block.meaning, block.offset, block.scale, start
        )
        start += block.size
    return placed


LAYOUT: dict[str, Block] = _placed(_BLOCKS)
"""The blocks of an observation by name, in order."""
OBSERVATION_SIZE = sum(block.size for block in _BLOCKS)

_HIDDEN_BLOCKS = (
    Block("all_hands", (N_SEATS, N_CARDS), "cards in the hand of every seat"),
    Block("kitty", _CARD, "the face-down kitty, and the dummy until it is taken"),
    Block("discard", _CARD, "the cards laid away by the taker of the upcard and of the dummy"),
)
HIDDEN_LAYOUT: dict[str, Block] = _placed(_HIDDEN_BLOCKS)
"""The blocks that ``state()`` adds to an observation: what nobody at the table knows in full."""
HIDDEN_SIZE = sum(block.size for block in _HIDDEN_BLOCKS)


def layout_hash(blocks: int | None = None) -> str:
    """A short digest of the layout, or of its first ``blocks`` blocks."""
    placed = list(LAYOUT.values())[:blocks]
    words = [f"v{LAYOUT_VERSION}"] + [f"{b.name}{b.shape}@{b.start}" for b in placed]
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:12]


def fits_layout(digest: str) -> bool:
    """Whether weights learnt on the layout of this digest fit: it is this one, or its beginning."""
    return digest in {layout_hash(k) for k in range(len(PARTNERSHIP_BLOCKS), len(LAYOUT) + 1)}


def _start(name: str) -> int:
    return LAYOUT[name].start


_PHASE, _TURN, _DEALER = _start("phase"), _start("turn"), _start("dealer")
_HAND, _UPCARD, _PLACE, _TAKER = (
    _start("hand"),
    _start("upcard"),
    _start("upcard_place"),
    _start("taker"),
)
_DISCARD, _SWAPPED, _SWAPPER = _start("own_discard"), _start("swapped"), _start("swapper")
_TRUMP, _MAKER = _start("trump"), _start("maker")
_PASSED_1, _PASSED_2 = _start("passed_round_1"), _start("passed_round_2")
_LONER, _ALONE_DECLINED = _start("loner"), _start("alone_declined")
_LONE_DEFENDER, _DEFENCE_DECLINED = _start("lone_defender"), _start("defence_declined")
_SITTING_OUT, _TRICK_CARDS, _PLAYED = _start("sitting_out"), _start("trick_cards"), _start("played")
_TRICK_OF_CARD, _LEADER, _WINNER = _start("trick_of_card"), _start("leader"), _start("winner")
_LED_SUIT, _VOID, _TRICKS, _SCORE = (
    _start("led_suit"),
    _start("void"),
    _start("tricks"),
    _start("score"),
)
_GAMES, _HANDS, _POINTS = _start("games"), _start("hands"), _start("points")
_THROWN_IN, _OFFENDER, _NEXT_DEALER = _start("thrown_in"), _start("offender"), _start("next_dealer")
_GAME_RESULT, _MATCH_RESULT, _RULES = _start("game_result"), _start("match_result"), _start("rules")
_OTHER_PHASE, _BURIED, _OTHER_CODES = (
    _start("other_phase"),
    _start("own_buried"),
    _start("other_rules"),
)
_HOUSE_CODES, _HOUSE_PHASE = _start("house_rules"), _start("house_phase")
_PASSER, _PASSED, _TOKENS = _start("passer"), _start("passed"), _start("tokens")
_SEAT_TRICKS, _SEAT_SCORE, _SEAT_POINTS, _SEAT_GAMES = (
    _start("seat_tricks"),
    _start("seat_score"),
    _start("seat_points"),
    _start("seat_games"),
)
_GAME_WINNER, _MATCH_WINNER = _start("game_winner"), _start("match_winner")
_KITTY, _HIDDEN_DISCARD = HIDDEN_LAYOUT["kitty"].start, HIDDEN_LAYOUT["discard"].start

_PLAYERS_CODE, _VARIANT_CODE = (list(OPTIONS).index(name) for name in ("players", "variant"))
_FAST_BREAK_CODE, _TOKENS_CODE, _BEST_CODE = (
    list(OPTIONS).index(name) + 1  # a pair, which is two codes, comes before them
    for name in ("fast_break", "four_trick_tokens", "call_for_best")
)
_RELATIVE_ROW = N_FRAMES
_CARD_ROW: npt.NDArray[np.int64] = np.vstack([CARD_AT, np.arange(N_CARDS)]).astype(np.int64)
_SUIT_ROW: npt.NDArray[np.int64] = np.vstack([SUIT_AT, np.arange(4)]).astype(np.int64)
"""Where cards and suits stand in an observation: a row for each frame, the last trump-relative."""


RULE_BLOCKS = {
    "rules": slice(0, _FIRST_RULES),
    "other_rules": slice(_FIRST_RULES, _OTHER_RULES),
    "house_rules": slice(_OTHER_RULES, N_RULES),
}
"""The blocks of a rule set's codes, and which of the codes each holds."""


def rule_codes(ruleset: Ruleset) -> npt.NDArray[np.uint8]:
    """The rule set's codes as the rule blocks hold them: uint8[N_RULES]."""
    return (ruleset.record().view(np.int16) & 0xFF).astype(np.uint8)


@njit_inline
def _relative(seat, viewer, players):
    ahead = np.int64(seat) - viewer
    return ahead + (players & (ahead >> 63))  # without a branch, since this runs for every seat


@njit_inline
def _mark_seat(out, start, seat, viewer, players):
    if seat >= 0:
        out[start + _relative(seat, viewer, players)] = 1


@njit_inline
def _mark_seats(out, start, seats, viewer, players):
    for seat in range(N_SEATS):
        if (np.int64(seats) >> seat) & 1 and seat < players:
            out[start + _relative(seat, viewer, players)] = 1


@njit_inline
def _mark_cards(out, start, cards, row):
    rest = np.int64(cards)
    while rest != 0:
        out[start + _CARD_ROW[row, lowest_bit(rest)]] = 1
        rest &= rest - 1


@njit_inline
def _mark_calls(s, viewer, players, out, row):
    ahead = _relative(s.dealer, viewer, players)
    for k in range(s.passes):
        ahead = ahead + 1 if ahead + 1 < players else 0
        out[(_PASSED_1 if k < players else _PASSED_2) + ahead] = 1
    if s.trump >= 0:
        named = 4 if s.trump == NO_TRUMP else _SUIT_ROW[row, RELATIVE_SUIT[s.frame, s.trump]]
        out[_TRUMP + named] = 1
    _mark_seat(out, _MAKER, s.maker, viewer, players)
    _mark_seat(out, _LONER, s.loner, viewer, players)
    _mark_seat(out, _LONE_DEFENDER, s.lone_defender, viewer, players)
    if s.alone_declined | s.defence_declined | s.sitting_out:
        _mark_seats(out, _ALONE_DECLINED, s.alone_declined, viewer, players)
        _mark_seats(out, _DEFENCE_DECLINED, s.defence_declined, viewer, players)
        _mark_seats(out, _SITTING_OUT, s.sitting_out, viewer, players)


@njit_inline
def _mark_suits(out, start, cards, frame, row):
    for relative in range(4):
        if cards & EFFECTIVE_SUIT[frame, relative]:
            out[start + _SUIT_ROW[row, relative]] = 1


@njit_inline
def _mark_play(out, row, bit, trick, relative):
    card = _CARD_ROW[row, bit]
    out[_PLAYED + N_CARDS * relative + card] = 1
    out[_TRICK_OF_CARD + card] = trick + 1
    return card


@njit_inline
def _mark_tricks(s, viewer, players, out, row):
    for t in range(N_TRICKS if s.trick == N_TRICKS else s.trick + 1):
        out[_LEADER + N_SEATS * t + _relative(s.leader[t], viewer, players)] = 1
        for seat in range(N_SEATS):
            bit = np.int64(s.plays[t, seat])
            if bit >= 0:
                relative = _relative(seat, viewer, players)
                card = _mark_play(out, row, bit, t, relative)
                if t == s.trick:
                    out[_TRICK_CARDS + N_CARDS * relative + card] = 1
    _mark_seat(out, _WINNER, s.winner, viewer, players)
    if s.led:
        _mark_suits(out, _LED_SUIT, s.led, s.frame, row)
    for seat in range(N_SEATS):
        if s.void[seat]:
            start = _VOID + 4 * _relative(seat, viewer, players)
            _mark_suits(out, start, s.void[seat], s.frame, row)


@njit_inline
def _byte(value, offset):
    return min(max(np.int64(value) + offset, 0), 255)


@njit_inline
def _mark_result(s, out, start, winner, us):
    if winner != UNDECIDED:
        out[start + (2 if winner == DRAWN else (0 if winner == us else 1))] = 1


@njit_inline
def _mark_scores(s, viewer, out):
    us = team(viewer)
    for k in range(2):
        side = us ^ k
        out[_TRICKS + k] = s.tricks[side]
        out[_SCORE + k] = _byte(s.score[side], POINTS_OFFSET)
        out[_GAMES + k] = s.games[side]
        out[_POINTS + k] = _byte(s.points[side], POINTS_OFFSET)
    if s.phase == OVER:
        _mark_result(s, out, _GAME_RESULT, s.game_winner, us)
        _mark_result(s, out, _MATCH_RESULT, s.match_winner, us)


@njit_inline
def _mark_winner(out, start, draw, winner, viewer, players):
    if winner == DRAWN:
        out[draw] = 1
    elif winner != UNDECIDED:
        out[start + _relative(winner, viewer, players)] = 1


@njit_inline
def _mark_seat_scores(s, viewer, players, out):
    """Scores of a game in which every seat is a side; results share the entry for a draw."""
    for seat in range(players):
        k = _relative(seat, viewer, players)
        out[_SEAT_TRICKS + k] = s.tricks[seat]
        out[_SEAT_SCORE + k] = _byte(s.score[seat], POINTS_OFFSET)
        out[_SEAT_GAMES + k] = s.games[seat]
        out[_SEAT_POINTS + k] = _byte(s.points[seat], POINTS_OFFSET)
    if s.phase == OVER:
        _mark_winner(out, _GAME_WINNER, _GAME_RESULT + 2, s.game_winner, viewer, players)
        _mark_winner(out, _MATCH_WINNER, _MATCH_RESULT + 2, s.match_winner, viewer, players)


@njit_inline
def _mark_house(s, codes, viewer, players, out, row):
    """What the wider house rules of the partnership game add."""
    for k in range(_OTHER_RULES, N_RULES):
        out[_HOUSE_CODES - _OTHER_RULES + k] = codes[k]
    us = team(viewer)
    out[_TOKENS] = s.tokens[us]
    out[_TOKENS + 1] = s.tokens[us ^ 1]
    _mark_seat(out, _PASSER, s.passer, viewer, players)
    _mark_cards(out, _PASSED, s.passed, row)
    _mark_cards(out, _BURIED, s.buried, row)


@njit_inline
def encode_seen(s, codes, viewer, absolute, out):
    """Write the observation of a record that ``hide`` has cleared for ``viewer``.

    ``codes`` is :func:`rule_codes`; ``out`` is uint8[OBSERVATION_SIZE].
    """
    viewer = np.int64(viewer)  # plain Python keeps a seat in eight bits otherwise
    players = np.int64(codes[_PLAYERS_CODE])
    out[:] = 0
    for k in range(_FIRST_RULES):
        out[_RULES + k] = codes[k]
    row = np.int64(s.frame) if absolute else _RELATIVE_ROW
    phase = np.int64(s.phase)
    if phase < _FIRST_PHASES:
        out[_PHASE + phase] = 1
    elif phase < _OTHER_PHASES:
        out[_OTHER_PHASE - _FIRST_PHASES + phase] = 1
    else:
        out[_HOUSE_PHASE - _OTHER_PHASES + phase] = 1
    _mark_seat(out, _TURN, s.turn, viewer, players)
    _mark_seat(out, _DEALER, s.dealer, viewer, players)
    _mark_cards(out, _HAND, s.hand[viewer], row)
    _mark_cards(out, _UPCARD, s.upcard, row)
    out[_PLACE + s.place] = 1
    _mark_seat(out, _TAKER, s.taker, viewer, players)
    _mark_cards(out, _DISCARD, s.discard, row)
    if s.swapper >= 0:
        _mark_cards(out, _SWAPPED, s.swapped, row)
        _mark_seat(out, _SWAPPER, s.swapper, viewer, players)
    _mark_calls(s, viewer, players, out, row)
    if s.leader[0] >= 0:
        _mark_tricks(s, viewer, players, out, row)
    out[_GAMES + 2] = s.drawn
    out[_HANDS] = _byte(s.hands, 0)
    if phase == OVER:
        out[_THROWN_IN] = s.thrown_in
        _mark_seat(out, _OFFENDER, s.offender, viewer, players)
        _mark_seat(out, _NEXT_DEALER, s.next_dealer, viewer, players)
    if codes[_VARIANT_CODE] == PARTNERSHIP:
        _mark_scores(s, viewer, out)
        if codes[_FAST_BREAK_CODE] | codes[_TOKENS_CODE] | codes[_BEST_CODE]:
            _mark_house(s, codes, viewer, players, out, row)
    else:
        for k in range(_FIRST_RULES, _OTHER_RULES):
            out[_OTHER_CODES - _FIRST_RULES + k] = codes[k]
        _mark_cards(out, _BURIED, s.buried, row)
        _mark_seat_scores(s, viewer, players, out)


@njit_inline
def encode(s, r, codes, viewer, absolute, scratch, out):
    """Write what ``viewer`` can know of record ``s`` under the rule record ``r``.

    ``scratch`` is STATE[1], overwritten; ``codes`` is :func:`rule_codes` of the same rule set;
    ``absolute`` chooses the frame; ``out`` is uint8[OBSERVATION_SIZE].
    """
    scratch[0] = s
    seen = scratch[0]
    hide(seen, r, viewer)
    encode_seen(seen, codes, viewer, absolute, out)


@njit
def encode_seats(states, rules, codes, which, absolute, out):
    """Write what each seat of each game can know.

    Args:
        states: STATE[B], full records.
        rules: RULES[K].
        codes: uint8[K, N_RULES], :func:`rule_codes` of the same rule sets.
        which: int16[B], the rule set of each game.
        absolute: The frame.
        out: uint8[B, 4, OBSERVATION_SIZE]; seats that a game does not have are left alone.
    """
    scratch = np.empty(1, STATE)
    for i in range(len(states)):
        k = which[i]
        for seat in range(rules[k].players):
            encode(states[i], rules[k], codes[k], seat, absolute, scratch, out[i, seat])


@njit_inline
def encode_hidden(s, r, viewer, absolute, out):
    """Write all hands, the kitty and the discard, for critics: uint8[HIDDEN_SIZE]."""
    viewer, players = np.int64(viewer), np.int64(r.players)
    out[:] = 0
    row = np.int64(s.frame) if absolute else _RELATIVE_ROW
    for seat in range(players):
        _mark_cards(out, N_CARDS * _relative(seat, viewer, players), s.hand[seat], row)
    _mark_cards(out, _KITTY, s.kitty | s.spare | s.dummy, row)
    _mark_cards(out, _HIDDEN_DISCARD, s.discard | s.buried, row)


# --- decoding ----------------------------------------------------------------------------------


def _seat_in(block: npt.NDArray[Any]) -> int:
    return int(np.argmax(block)) if block.any() else NOBODY


def _seat_bits(block: npt.NDArray[Any]) -> int:
    return int(sum(1 << i for i in range(N_SEATS) if block[i]))


class _Reader:
    """Reads an observation back into a record, seat 0 being the observer."""

    def __init__(self, observation: npt.NDArray[np.uint8], absolute: bool) -> None:
        self.block = {
            name: observation[b.slice].reshape(b.shape).astype(np.int64)
            for name, b in LAYOUT.items()
        }
        self.frame = self._frame(absolute)
        self.row = self.frame if absolute else _RELATIVE_ROW

    def _frame(self, absolute: bool) -> int:
        trump, upcard = self.block["trump"], self.block["upcard"]
        if trump[4] or (not trump.any() and upcard[JOKER]):
            return NATURAL
        if not absolute:
            return SPADES
        return int(np.argmax(trump)) if trump.any() else int(np.argmax(upcard)) // 6

    def cards(self, block: npt.NDArray[np.int64]) -> int:
        return sum(1 << bit for bit in range(N_CARDS) if block[_CARD_ROW[self.row, bit]])

    def suits(self, block: npt.NDArray[np.int64]) -> int:
        held = [k for k in range(4) if block[_SUIT_ROW[self.row, k]]]
        return int(sum(EFFECTIVE_SUIT[self.frame, k] for k in held))

    def trump(self) -> int:
        if not self.block["trump"].any():
            return NOBODY
        return self.frame

    def result(self, name: str, winners: str) -> int:
        block = self.block[name]
        if self.block[winners].any():
            return int(np.argmax(self.block[winners]))
        return (0, 1, DRAWN)[int(np.argmax(block))] if block.any() else UNDECIDED


def _read_calls(s: Any, read: _Reader, ruleset: Ruleset) -> None:
    block = read.block
    phases = [block[name] for name in ("phase", "other_phase", "house_phase")]
    s["phase"] = np.argmax(np.concatenate(phases))
    s["place"] = np.argmax(block["upcard_place"])
    for name in ("turn", "dealer", "taker", "swapper", "maker", "loner", "lone_defender"):
        s[name] = _seat_in(block[name])
    for name in ("passer", "offender", "next_dealer", "winner"):
        s[name] = _seat_in(block[name])
    for name in ("alone_declined", "defence_declined", "sitting_out"):
        s[name] = _seat_bits(block[name])
    s["sitting_out"] |= (15 << ruleset.players) & 15
    s["passes"] = block["passed_round_1"].sum() + block["passed_round_2"].sum()
    s["frame"], s["trump"] = read.frame, read.trump()
    s["hand"][0] = read.cards(block["hand"])
    s["upcard"], s["discard"] = read.cards(block["upcard"]), read.cards(block["own_discard"])
    s["swapped"] = read.cards(block["swapped"])
    s["buried"], s["passed"] = read.cards(block["own_buried"]), read.cards(block["passed"])


def _read_tricks(s: Any, read: _Reader) -> None:
    block = read.block
    s["plays"][:] = NOBODY
    for seat in range(N_SEATS):
        s["played"][seat] = read.cards(block["played"][seat])
        s["void"][seat] = read.suits(block["void"][seat])
        for bit in range(N_CARDS):
            if int(s["played"][seat]) >> bit & 1:
                trick = block["trick_of_card"][_CARD_ROW[read.row, bit]] - 1
                s["plays"][trick, seat] = bit
    for t in range(N_TRICKS):
        s["leader"][t] = _seat_in(block["leader"][t])
    s["trick"] = (block["tricks"].sum() + block["seat_tricks"].sum()) * block["leader"].any()
    s["led"] = read.suits(block["led_suit"])
    present = s["plays"][min(int(s["trick"]), N_TRICKS - 1)]
    s["count"] = (present >= 0).sum()
    if s["count"] and s["winner"] >= 0:
        s["best"] = ONE << np.int64(present[s["winner"]])


def decode(observation: npt.NDArray[np.uint8], frame: str = "absolute") -> tuple[Any, Ruleset]:
    """The record that an observation came from, as far as its observer knew it, and the rule set.

    Seats and teams are the observer's (seat 0 is the observer). In the ``trump`` frame suits have
    no names: the frame's suit is called spades.

    Args:
        observation: uint8[OBSERVATION_SIZE].
        frame: ``"absolute"`` or ``"trump"``, the frame that it was encoded in.
    """
    read = _Reader(np.asarray(observation), frame == "absolute")
    s = np.zeros(1, STATE)[0]
    ruleset = decode_rules(observation)
    _read_calls(s, read, ruleset)
    _read_tricks(s, read)
    _read_scores(s, read, ruleset)
    s["hands"] = read.block["hands"][0]
    s["thrown_in"] = read.block["thrown_in"][0]
    s["game_winner"] = read.result("game_result", "game_winner")
    s["match_winner"] = read.result("match_result", "match_winner")
    return s, ruleset


def _read_scores(s: Any, read: _Reader, ruleset: Ruleset) -> None:
    block = read.block
    s["drawn"], s["tokens"] = block["games"][2], block["tokens"]
    if ruleset.is_partnership:
        sides, prefix = 2, ""
    else:
        sides, prefix = ruleset.players, "seat_"
    s["score"][:sides] = block[prefix + "score"][:sides] - POINTS_OFFSET
    s["points"][:sides] = block[prefix + "points"][:sides] - POINTS_OFFSET
    s["games"][:sides] = block[prefix + "games"][:sides]
    s["tricks"][:sides] = block[prefix + "tricks"][:sides]


def decode_rules(observation: npt.NDArray[np.uint8]) -> Ruleset:
    """The rule set that an observation carries."""
    first, others, house = (observation[LAYOUT[name].slice] for name in RULE_BLOCKS)
    if first[_VARIANT_CODE] == PARTNERSHIP:
        usual = rule_codes(Ruleset())  # what is left out, since it means nothing there
        others = usual[RULE_BLOCKS["other_rules"]]
    codes = np.concatenate([first, others, house]).astype(np.int16)
    codes[codes >= 254] -= 256
    return Ruleset.from_record(codes.view(RULES))


def layout_markdown() -> str:
    """The table of observation blocks for the documentation."""
    lines = [
        f"Layout version {LAYOUT_VERSION}, {OBSERVATION_SIZE} entries, hash `{layout_hash()}`.",
        "",
        "| entries | block | shape | meaning |",
        "| --- | --- | --- | --- |",
    ]
    for b in LAYOUT.values():
        shape = " x ".join(map(str, b.shape))
        lines.append(f"| {b.start}..{b.start + b.size - 1} | `{b.name}` | {shape} | {b.meaning} |")
    return "\n".join(lines) + "\n"
