"""Observations: what one seat can know of a game, as named slices of a uint8 vector.

A record is first cleared of all that the seat cannot know (:func:`euchre_env.rules.hide`); the
encoder sees only what is left, so nothing hidden can reach an observation. Seats are relative to
the observer (0 oneself, 1 the left opponent, 2 the partner, 3 the right opponent, among as many as
play). :func:`decode` gives back the cleared record, save a total outside -50 to 205, which is cut
off: no partnership game to a target score reaches that; games of a fixed number of hands, with
deducted penalties, or that count down and add sets can.

Games with 28 or 32 cards append blocks for the cards below nine (:data:`WIDE_LAYOUT`); all else is
as with 24 cards.

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
    BIT_OF,
    CARD_AT,
    EFFECTIVE_SUIT,
    JOKER,
    N_BITS,
    N_CARDS,
    N_FRAMES,
    N_LOW,
    N_SUITS,
    NATURAL,
    NO_TRUMP,
    ONE,
    RELATIVE_SUIT,
    SPADES,
    SUIT_AT,
    WIDE,
    is_wide,
    join_low,
    lowest_bit,
    split_low,
    suit_of_card,
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
from .ruleset import OPTIONS, PARTNERSHIP, RULES, Ruleset, any_wide

LAYOUT_VERSION = 1
"""Layouts of a version only grow at the end: what was learnt on a shorter one still fits."""
POINTS_OFFSET = 50
"""Scores and points are stored plus 50, since a deducted penalty can make them negative."""
N_RULES = RULES.itemsize // 2
_FIRST_RULES, _FIRST_PHASES = 40, 9
_OTHER_RULES, _OTHER_PHASES = 48, 11
_HOUSE_RULES = 51
"""Where the rule codes and phases of the partnership game end; then, those of the other games; then
the codes of its wider house rules. What the deck has below the nines is told in a block apart."""


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
    Block("house_rules", (_HOUSE_RULES - _OTHER_RULES,), "codes of the wider house rules"),
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


_LOW = (N_LOW,)
_LOW_NAMES = "eights, then sevens, each of four suits"
_LOW_BLOCKS = (
    Block("low_ranks", (1,), "how many ranks below nine the deck has", 0, 2),
    Block("low_hand", _LOW, f"cards in one's own hand: {_LOW_NAMES}"),
    Block("low_upcard", _LOW, "the card turned up; likewise"),
    Block("low_own_discard", _LOW, "the card one has laid away; likewise"),
    Block("low_trick_cards", (N_SEATS, N_LOW), "cards in the present trick; likewise"),
    Block("low_played", (N_SEATS, N_LOW), "cards that each seat has played; likewise"),
    Block("low_trick_of_card", _LOW, "the trick, 1 to 5, in which each was played", 0, 5),
)
WIDE_LAYOUT: dict[str, Block] = _placed(_BLOCKS + _LOW_BLOCKS)
"""The blocks of an observation of games with 28 or 32 cards: those of :data:`LAYOUT` and more."""
WIDE_OBSERVATION_SIZE = sum(block.size for block in WIDE_LAYOUT.values())

_LOW_HIDDEN_BLOCKS = (
    Block("low_all_hands", (N_SEATS, N_LOW), f"cards in the hand of every seat: {_LOW_NAMES}"),
    Block("low_kitty", _LOW, "the face-down kitty; likewise"),
    Block("low_discard", _LOW, "the card laid away; likewise"),
)
WIDE_HIDDEN_LAYOUT: dict[str, Block] = _placed(_HIDDEN_BLOCKS + _LOW_HIDDEN_BLOCKS)
"""The same of what ``state()`` adds."""
WIDE_HIDDEN_SIZE = sum(block.size for block in WIDE_HIDDEN_LAYOUT.values())


def layout_of(*rulesets: Ruleset) -> dict[str, Block]:
    """The blocks of observations of games by some rule sets."""
    return WIDE_LAYOUT if any_wide(rulesets) else LAYOUT


def hidden_layout_of(*rulesets: Ruleset) -> dict[str, Block]:
    """The blocks that ``state()`` adds in games by some rule sets."""
    return WIDE_HIDDEN_LAYOUT if any_wide(rulesets) else HIDDEN_LAYOUT


def observation_size(*rulesets: Ruleset) -> int:
    """The number of entries of an observation of games by some rule sets."""
    return WIDE_OBSERVATION_SIZE if any_wide(rulesets) else OBSERVATION_SIZE


def hidden_size(*rulesets: Ruleset) -> int:
    """The number of entries that ``state()`` adds in games by some rule sets."""
    return WIDE_HIDDEN_SIZE if any_wide(rulesets) else HIDDEN_SIZE


def layout_hash(blocks: int | None = None, wide: bool = False) -> str:
    """A short digest of the layout (of :data:`WIDE_LAYOUT`), or of its first ``blocks`` blocks."""
    placed = list((WIDE_LAYOUT if wide else LAYOUT).values())[:blocks]
    words = [f"v{LAYOUT_VERSION}"] + [f"{b.name}{b.shape}@{b.start}" for b in placed]
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:12]


def fits_layout(digest: str, wide: bool = False) -> bool:
    """Whether weights learnt on the layout of this digest fit: it is this one, or its beginning.

    What was learnt with 24 cards does not fit games with more (``wide``), nor the other way round.
    """
    if wide:
        return digest == layout_hash(wide=True)
    return digest in {layout_hash(k) for k in range(len(PARTNERSHIP_BLOCKS), len(LAYOUT) + 1)}


PHASE_BLOCKS = ("phase", "other_phase", "house_phase")
"""The blocks that tell the phase, in the order of ``PHASES``."""


def _start(name: str) -> int:
    return LAYOUT[name].start


_PHASE_ENTRY: npt.NDArray[np.int64] = np.concatenate(
    [np.arange(_start(n), _start(n) + LAYOUT[n].size) for n in PHASE_BLOCKS]
)
"""The entry of each phase."""


_TURN, _DEALER = _start("turn"), _start("dealer")
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
_BURIED = _start("own_buried")
_HOUSE_CODES = _start("house_rules")
_PASSER, _PASSED, _TOKENS = _start("passer"), _start("passed"), _start("tokens")
_SEAT_TRICKS, _SEAT_SCORE, _SEAT_POINTS, _SEAT_GAMES = (
    _start("seat_tricks"),
    _start("seat_score"),
    _start("seat_points"),
    _start("seat_games"),
)
_GAME_WINNER, _MATCH_WINNER = _start("game_winner"), _start("match_winner")
_KITTY, _HIDDEN_DISCARD = HIDDEN_LAYOUT["kitty"].start, HIDDEN_LAYOUT["discard"].start

_LOW_START = OBSERVATION_SIZE
_LOW_HAND, _LOW_UPCARD, _LOW_DISCARD, _LOW_TRICK_CARDS, _LOW_PLAYED, _LOW_TRICK_OF_CARD = (
    WIDE_LAYOUT[block.name].start for block in _LOW_BLOCKS[1:]
)
_LOW_ALL_HANDS, _LOW_KITTY, _LOW_HIDDEN_DISCARD = (
    WIDE_HIDDEN_LAYOUT[block.name].start for block in _LOW_HIDDEN_BLOCKS
)

_PLAYERS_CODE, _VARIANT_CODE = (list(OPTIONS).index(name) for name in ("players", "variant"))
_LOWEST_RANK_CODE = _HOUSE_RULES
_RELATIVE_ROW = N_FRAMES
_CARD_ROW: npt.NDArray[np.int64] = np.vstack(
    [CARD_AT[:N_FRAMES, :N_CARDS], np.arange(N_CARDS)]
).astype(np.int64)
_SUIT_ROW: npt.NDArray[np.int64] = np.vstack([SUIT_AT[:N_FRAMES], np.arange(4)]).astype(np.int64)
"""Where cards and suits stand in an observation: a row for each frame, the last trump-relative."""


RULE_BLOCKS = {
    "rules": slice(0, _FIRST_RULES),
    "other_rules": slice(_FIRST_RULES, _OTHER_RULES),
    "house_rules": slice(_OTHER_RULES, _HOUSE_RULES),
}
"""The blocks of a rule set's codes, and which of the codes each holds."""


def rule_codes(ruleset: Ruleset) -> npt.NDArray[np.uint8]:
    """The rule set's codes as the rule blocks hold them: uint8[N_RULES]."""
    return (ruleset.record().view(np.int16) & 0xFF).astype(np.uint8)


def blank_observations(*rulesets: Ruleset) -> npt.NDArray[np.uint8]:
    """What observations begin as under each rule set: its codes, uint8[K, D].

    D is the :func:`observation_size` of all together.
    """
    blanks = np.zeros((len(rulesets), observation_size(*rulesets)), np.uint8)
    for blank, ruleset in zip(blanks, rulesets):
        codes = rule_codes(ruleset)
        matter = {
            "rules": True,
            "other_rules": not ruleset.is_partnership,
            "house_rules": ruleset.has_wider_rules,
        }
        for name, which in RULE_BLOCKS.items():
            if matter[name]:
                blank[LAYOUT[name].slice] = codes[which]
        blank[_LOW_START : _LOW_START + 1] = 9 - ruleset.lowest_rank
    return blanks


def _places_of(players: int, viewer: int) -> int:
    return sum(((seat - viewer) % players) << (4 * seat) for seat in range(players))


_PLACES: npt.NDArray[np.int64] = np.array(
    [[_places_of(n, v) if v < n else 0 for v in range(N_SEATS)] for n in range(N_SEATS + 1)],
    np.int64,
)
"""int64[5, 4]: by players and viewer, how far ahead of the viewer a seat is, four bits each."""


@njit_inline
def _relative(seat, places):
    # Two shifts and no branch, since this runs for every seat; nobody (-1) is given place 0.
    return (places >> ((4 * np.int64(seat)) & 63)) & 15


@njit_inline
def _mark_seat(out, start, seat, places):
    # Without a branch too: nobody (-1) falls on an entry of the block that is zero already.
    out[start + _relative(seat, places)] = seat >= 0


@njit_inline
def _mark_seats(out, start, seats, places, players):
    for seat in range(N_SEATS):
        if (np.int64(seats) >> seat) & 1 and seat < players:
            out[start + _relative(seat, places)] = 1


@njit_inline
def _mark_cards(out, start, cards, row):
    rest = np.int64(cards)
    while rest != 0:
        out[start + _CARD_ROW[row, lowest_bit(rest)]] = 1
        rest &= rest - 1


@njit_inline
def _mark_calls(s, places, players, out, row):
    # Four times in every game, without a branch: a loop over the players costs 6 % of the whole.
    first, passes = _relative(s.dealer, places) + 1, np.int64(s.passes)
    for ahead in range(N_SEATS):
        turn = ahead - first
        turn += players & (turn >> 63)
        out[_PASSED_1 + ahead] = (ahead < players) & (passes > turn)
        out[_PASSED_2 + ahead] = (ahead < players) & (passes > turn + players)
    if s.trump >= 0:
        named = 4 if s.trump == NO_TRUMP else _SUIT_ROW[row, RELATIVE_SUIT[s.frame, s.trump]]
        out[_TRUMP + named] = 1
    _mark_seat(out, _MAKER, s.maker, places)
    _mark_seat(out, _LONER, s.loner, places)
    _mark_seat(out, _LONE_DEFENDER, s.lone_defender, places)
    if s.alone_declined | s.defence_declined | s.sitting_out:
        _mark_seats(out, _ALONE_DECLINED, s.alone_declined, places, players)
        _mark_seats(out, _DEFENCE_DECLINED, s.defence_declined, places, players)
        _mark_seats(out, _SITTING_OUT, s.sitting_out, places, players)


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
def _mark_tricks(s, places, out, row):
    for t in range(N_TRICKS if s.trick == N_TRICKS else s.trick + 1):
        out[_LEADER + N_SEATS * t + _relative(s.leader[t], places)] = 1
        for seat in range(N_SEATS):
            bit = np.int64(s.plays[t, seat])
            if bit >= 0:
                relative = _relative(seat, places)
                card = _mark_play(out, row, bit, t, relative)
                if t == s.trick:
                    out[_TRICK_CARDS + N_CARDS * relative + card] = 1
    _mark_seat(out, _WINNER, s.winner, places)
    if s.led:
        _mark_suits(out, _LED_SUIT, s.led, s.frame, row)
    for seat in range(N_SEATS):
        if s.void[seat]:
            start = _VOID + 4 * _relative(seat, places)
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
def _mark_winner(out, start, draw, winner, places):
    if winner == DRAWN:
        out[draw] = 1
    elif winner != UNDECIDED:
        out[start + _relative(winner, places)] = 1


@njit_inline
def _mark_seat_scores(s, places, players, out):
    """Scores of a game in which every seat is a side; results share the entry for a draw."""
    for seat in range(players):
        k = _relative(seat, places)
        out[_SEAT_TRICKS + k] = s.tricks[seat]
        out[_SEAT_SCORE + k] = _byte(s.score[seat], POINTS_OFFSET)
        out[_SEAT_GAMES + k] = s.games[seat]
        out[_SEAT_POINTS + k] = _byte(s.points[seat], POINTS_OFFSET)
    if s.phase == OVER:
        _mark_winner(out, _GAME_WINNER, _GAME_RESULT + 2, s.game_winner, places)
        _mark_winner(out, _MATCH_WINNER, _MATCH_RESULT + 2, s.match_winner, places)


# --- cards below nine --------------------------------------------------------------------------


@njit_inline
def _low_entry(k, frame, absolute):
    return (k & ~3) + np.int64(SUIT_AT[frame, k & 3]) if absolute else np.int64(k)


@njit_inline
def _take_low(cards, frame, absolute, start, out):
    """Mark those of a wide set that are below nine; returns the others, in the small frame."""
    high, low = split_low(cards, frame)
    for k in range(N_LOW):
        if (low >> k) & 1:
            out[start + _low_entry(k, frame, absolute)] = 1
    return high


@njit_inline
def _take_low_play(s, trick, seat, relative, frame, absolute, out):
    card = np.int64(CARD_AT[frame, s.plays[trick, seat]])
    if card < N_CARDS:
        s.plays[trick, seat] = BIT_OF[frame - WIDE, card]
        return
    s.plays[trick, seat] = NOBODY
    suit = (card - N_CARDS) & 3
    entry = suit if absolute else np.int64(RELATIVE_SUIT[frame, suit])
    entry += (card - N_CARDS) & ~3
    out[_LOW_PLAYED + N_LOW * relative + entry] = 1
    out[_LOW_TRICK_OF_CARD + entry] = trick + 1
    if trick == s.trick:
        out[_LOW_TRICK_CARDS + N_LOW * relative + entry] = 1


@njit
def _begin_wide(s, blank, viewer, absolute, out):
    """Begin the further entries of a wide observation, and mark the cards below nine.

    The record keeps the others, in the small frame.
    """
    if len(out) < WIDE_OBSERVATION_SIZE:
        raise ValueError("an observation of a game with cards below nine has more entries")
    for k in range(OBSERVATION_SIZE, WIDE_OBSERVATION_SIZE):
        out[k] = blank[k]
    frame = np.int64(s.frame)
    if not is_wide(frame):
        return
    places = _PLACES[N_SEATS, viewer]
    s.hand[viewer] = _take_low(s.hand[viewer], frame, absolute, _LOW_HAND, out)
    s.upcard = _take_low(s.upcard, frame, absolute, _LOW_UPCARD, out)
    s.discard = _take_low(s.discard, frame, absolute, _LOW_DISCARD, out)
    s.led, _ = split_low(s.led, frame)
    for seat in range(N_SEATS):
        s.void[seat], _ = split_low(s.void[seat], frame)
        for t in range(N_TRICKS):
            if s.plays[t, seat] >= 0:
                relative = _relative(seat, places)
                _take_low_play(s, t, seat, relative, frame, absolute, out)
    s.frame = frame - WIDE


@njit
def _encode_hidden_wide(s, players, places, absolute, out):
    if len(out) < WIDE_HIDDEN_SIZE:
        raise ValueError("the hidden cards of a game with cards below nine have more entries")
    frame = np.int64(s.frame)
    row = frame - WIDE if absolute else np.int64(_RELATIVE_ROW)
    for seat in range(players):
        k = _relative(seat, places)
        high = _take_low(s.hand[seat], frame, absolute, _LOW_ALL_HANDS + N_LOW * k, out)
        _mark_cards(out, N_CARDS * k, high, row)
    high = _take_low(s.kitty, frame, absolute, _LOW_KITTY, out)
    _mark_cards(out, _KITTY, high, row)
    high = _take_low(s.discard, frame, absolute, _LOW_HIDDEN_DISCARD, out)
    _mark_cards(out, _HIDDEN_DISCARD, high, row)


@njit_inline
def _mark_house(s, viewer, places, out, row):
    """What the wider house rules of the partnership game add."""
    us = team(viewer)
    out[_TOKENS] = s.tokens[us]
    out[_TOKENS + 1] = s.tokens[us ^ 1]
    _mark_seat(out, _PASSER, s.passer, places)
    _mark_cards(out, _PASSED, s.passed, row)
    _mark_cards(out, _BURIED, s.buried, row)


# --- the whole ---------------------------------------------------------------------------------


@njit_inline
def encode_seen(s, blank, viewer, absolute, out):
    """Write the observation of a record that ``hide`` has cleared for ``viewer``.

    ``blank`` is its row of :func:`blank_observations`, as long as ``out``: uint8[OBSERVATION_SIZE],
    or [WIDE_OBSERVATION_SIZE] in games with cards below nine. There the record is changed: it loses
    those cards.
    """
    if is_wide(s.frame) or len(out) > OBSERVATION_SIZE:
        _begin_wide(s, blank, np.int64(viewer), absolute, out)
    _encode_small(s, blank, viewer, absolute, out)


@njit_inline
def _encode_small(s, blank, viewer, absolute, out):
    """Write the entries that games with 24 cards have; the record's frame is one of theirs."""
    viewer = np.int64(viewer)  # plain Python keeps a seat in eight bits otherwise
    players = np.int64(blank[_RULES + _PLAYERS_CODE])
    places = _PLACES[players, viewer]
    for k in range(OBSERVATION_SIZE):
        out[k] = blank[k]
    row = np.int64(s.frame) if absolute else _RELATIVE_ROW
    phase = np.int64(s.phase)
    out[_PHASE_ENTRY[phase]] = 1
    _mark_seat(out, _TURN, s.turn, places)
    _mark_seat(out, _DEALER, s.dealer, places)
    _mark_cards(out, _HAND, s.hand[viewer], row)
    _mark_cards(out, _UPCARD, s.upcard, row)
    out[_PLACE + s.place] = 1
    _mark_seat(out, _TAKER, s.taker, places)
    _mark_cards(out, _DISCARD, s.discard, row)
    if s.swapper >= 0:
        _mark_cards(out, _SWAPPED, s.swapped, row)
        _mark_seat(out, _SWAPPER, s.swapper, places)
    _mark_calls(s, places, players, out, row)
    if s.leader[0] >= 0:
        _mark_tricks(s, places, out, row)
    out[_GAMES + 2] = s.drawn
    out[_HANDS] = _byte(s.hands, 0)
    if phase == OVER:
        out[_THROWN_IN] = s.thrown_in
        _mark_seat(out, _OFFENDER, s.offender, places)
        _mark_seat(out, _NEXT_DEALER, s.next_dealer, places)
    if blank[_RULES + _VARIANT_CODE] == PARTNERSHIP:
        _mark_scores(s, viewer, out)
        if blank[_HOUSE_CODES] | blank[_HOUSE_CODES + 1] | blank[_HOUSE_CODES + 2]:
            _mark_house(s, viewer, places, out, row)
    else:
        _mark_cards(out, _BURIED, s.buried, row)
        _mark_seat_scores(s, places, players, out)


@njit_inline
def encode(s, r, blank, viewer, absolute, scratch, out):
    """Write what ``viewer`` can know of record ``s`` under the rule record ``r``.

    ``scratch`` is STATE[1], overwritten; ``absolute`` chooses the frame; ``blank`` and ``out`` are
    as for :func:`encode_seen`.
    """
    scratch[0] = s
    seen = scratch[0]
    hide(seen, r, viewer)
    encode_seen(seen, blank, viewer, absolute, out)


@njit_inline
def encode_small(s, r, blank, viewer, absolute, scratch, out):
    """As :func:`encode`, in a batch of games with 24 cards.

    A branch for others, with a call that passes arrays on, would make it a tenth slower.
    """
    scratch[0] = s
    seen = scratch[0]
    hide(seen, r, viewer)
    _encode_small(seen, blank, viewer, absolute, out)


@njit
def encode_seats(states, rules, blanks, which, absolute, out):
    """Write what each seat of each game can know.

    Args:
        states: STATE[B], full records.
        rules: RULES[K].
        blanks: uint8[K, D], :func:`blank_observations` of the same rule sets.
        which: int16[B], the rule set of each game.
        absolute: The frame.
        out: uint8[B, 4, OBSERVATION_SIZE]; seats that a game does not have are left alone.
    """
    scratch = np.empty(1, STATE)
    for i in range(len(states)):
        k = which[i]
        for seat in range(rules[k].players):
            encode(states[i], rules[k], blanks[k], seat, absolute, scratch, out[i, seat])


@njit
def encode_hidden(s, r, viewer, absolute, out):
    """Write all hands, the kitty and the discard, for critics: uint8[HIDDEN_SIZE]."""
    places = _PLACES[r.players, viewer]
    out[:] = 0
    if is_wide(s.frame):
        _encode_hidden_wide(s, r.players, places, absolute, out)
        return
    row = np.int64(s.frame) if absolute else _RELATIVE_ROW
    for seat in range(r.players):
        _mark_cards(out, N_CARDS * _relative(seat, places), s.hand[seat], row)
    _mark_cards(out, _KITTY, s.kitty | s.spare | s.dummy, row)
    _mark_cards(out, _HIDDEN_DISCARD, s.discard | s.buried, row)


# --- decoding ----------------------------------------------------------------------------------


def _seat_in(block: npt.NDArray[Any]) -> int:
    return int(np.argmax(block)) if block.any() else NOBODY


def _seat_bits(block: npt.NDArray[Any]) -> int:
    return int(sum(1 << i for i in range(N_SEATS) if block[i]))


def _layout_at(observation: npt.NDArray[np.uint8]) -> dict[str, Block]:
    return LAYOUT if len(observation) == OBSERVATION_SIZE else WIDE_LAYOUT


class _Reader:
    """Reads an observation back into a record, seat 0 being the observer."""

    def __init__(self, observation: npt.NDArray[np.uint8], absolute: bool) -> None:
        self.block = {
            name: observation[b.slice].reshape(b.shape).astype(np.int64)
            for name, b in _layout_at(observation).items()
        }
        self.is_wide = bool(self.block.get("low_ranks", np.zeros(1)).any())
        self.is_absolute = absolute
        small = self._small_frame(absolute)
        self.row = small if absolute else _RELATIVE_ROW
        self.frame = small + WIDE * self.is_wide

    def _small_frame(self, absolute: bool) -> int:
        trump, upcard = self.block["trump"], self.block["upcard"]
        if trump[4] or (not trump.any() and upcard[JOKER]):
            return NATURAL
        if not absolute:
            return SPADES
        if trump.any():
            return int(np.argmax(trump))
        if upcard.any():
            return suit_of_card(int(np.argmax(upcard)))
        return int(np.argmax(self.block["low_upcard"])) % N_SUITS if self.is_wide else 0

    def cards(self, name: str, *at: int) -> int:
        """The set that a block holds, with its cards below nine."""
        block = self.block[name][at]
        high = sum(1 << bit for bit in range(N_CARDS) if block[_CARD_ROW[self.row, bit]])
        if not self.is_wide:
            return high
        block = self.block.get(f"low_{name}", np.zeros(N_LOW, np.int64))[at]
        low = sum(1 << k for k in range(N_LOW) if block[self._low_entry(k)])
        return int(join_low(high, low, self.frame))

    def _low_entry(self, k: int) -> int:
        return int(_low_entry(k, self.frame, self.is_absolute))

    def trick_of(self, bit: int) -> int:
        """The trick, from 0, in which the card at a bit was played, -1 for none."""
        card = int(CARD_AT[self.frame, bit])
        if card < N_CARDS:
            at = _CARD_ROW[self.row, BIT_OF[self.frame % WIDE, card]]
            return int(self.block["trick_of_card"][at]) - 1
        low = card - N_CARDS
        suit = low % N_SUITS if self.is_absolute else RELATIVE_SUIT[self.frame, low % N_SUITS]
        return int(self.block["low_trick_of_card"][low // N_SUITS * N_SUITS + suit]) - 1

    def suits(self, block: npt.NDArray[np.int64]) -> int:
        held = [k for k in range(4) if block[_SUIT_ROW[self.row, k]]]
        return int(sum(EFFECTIVE_SUIT[self.frame, k] for k in held))

    def trump(self) -> int:
        if not self.block["trump"].any():
            return NOBODY
        return self.frame % WIDE

    def result(self, name: str, winners: str) -> int:
        block = self.block[name]
        if self.block[winners].any():
            return int(np.argmax(self.block[winners]))
        return (0, 1, DRAWN)[int(np.argmax(block))] if block.any() else UNDECIDED


def _read_calls(s: Any, read: _Reader, ruleset: Ruleset) -> None:
    block = read.block
    phases = [block[name] for name in PHASE_BLOCKS]
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
    s["hand"][0] = read.cards("hand")
    s["upcard"], s["discard"] = read.cards("upcard"), read.cards("own_discard")
    s["swapped"] = read.cards("swapped")
    s["buried"], s["passed"] = read.cards("own_buried"), read.cards("passed")


def _read_tricks(s: Any, read: _Reader) -> None:
    block = read.block
    s["plays"][:] = NOBODY
    for seat in range(N_SEATS):
        s["played"][seat] = read.cards("played", seat)
        s["void"][seat] = read.suits(block["void"][seat])
        for bit in range(N_BITS):
            if int(s["played"][seat]) >> bit & 1:
                s["plays"][read.trick_of(bit), seat] = bit
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
        observation: uint8[OBSERVATION_SIZE], or uint8[WIDE_OBSERVATION_SIZE].
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
    usual = rule_codes(Ruleset())
    if first[_VARIANT_CODE] == PARTNERSHIP:
        others = usual[RULE_BLOCKS["other_rules"]]  # left out, since they mean nothing there
    codes = np.concatenate([first, others, house, usual[_HOUSE_RULES:]]).astype(np.int16)
    codes[codes >= 254] -= 256
    if len(observation) > OBSERVATION_SIZE:
        codes[_LOWEST_RANK_CODE] = 9 - int(observation[_LOW_START])
    return Ruleset.from_record(codes.view(RULES))


def layout_markdown() -> str:
    """The table of observation blocks for the documentation."""
    lines = [
        f"Layout version {LAYOUT_VERSION}, {OBSERVATION_SIZE} entries, hash `{layout_hash()}`.",
        "",
        *_TABLE_HEAD,
        *map(_table_row, LAYOUT.values()),
        "",
        f"Games with 28 or 32 cards have {WIDE_OBSERVATION_SIZE} entries, hash "
        f"`{layout_hash(wide=True)}`: the same and, behind them, the cards below nine.",
        "",
        *_TABLE_HEAD,
        *(_table_row(WIDE_LAYOUT[b.name]) for b in _LOW_BLOCKS),
    ]
    return "\n".join(lines) + "\n"


_TABLE_HEAD = ("| entries | block | shape | meaning |", "| --- | --- | --- | --- |")


def _table_row(b: Block) -> str:
    shape = " x ".join(map(str, b.shape))
    return f"| {b.start}..{b.start + b.size - 1} | `{b.name}` | {shape} | {b.meaning} |"
