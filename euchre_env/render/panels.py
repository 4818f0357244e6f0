"""The four corners of a drawing: score, calls, trump, and what is asked now or came out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..cards import CARD_AT, NO_TRUMP, SUIT_NAMES, cards_of
from ..rules import (
    BID1,
    BID2,
    DEFEND,
    DISCARD,
    DRAWN,
    LONER,
    N_SEATS,
    NAME_TRUMP,
    NOBODY,
    OUT_OF_PLAY,
    OVER,
    PLAY,
    SEAT_NAMES,
    TAKEN,
    TAKEN_OR_BURIED,
    TEAM_NAMES,
    TURNED_DOWN,
    UNDECIDED,
    WEAK_HAND,
    left,
    team,
)
from .items import (
    FAINT,
    LIT,
    PALE,
    RED,
    SHADE,
    Box,
    Card,
    Item,
    Suit,
    Text,
    clean,
    mixed,
    spoken,
)
from .overlay import Overlay, call_bars
from .shapes import suit_colour

_WIDTH = 312
_LEFT, _RIGHT, _TOP, _BOTTOM = 28, 940, 28, 516
_TALL, _LOW = 176, 152  # heights of the lower and the upper panels


def panels(s: Any, r: Any, overlay: Overlay | None) -> Iterator[Item]:
    """All four panels; ``s`` shows only what may be shown."""
    for x in (_LEFT, _RIGHT):
        for y, height in ((_TOP, _LOW), (_BOTTOM, _TALL)):
            yield Box(x + _WIDTH / 2, y + height / 2, _WIDTH, height, SHADE, 14, 0.24)
    yield from _score(s, r)
    yield from _calls(s)
    yield from _trump(s)
    yield from (_outcome(s) if s["phase"] == OVER else _asked(s, overlay))


# --- score and calls -----------------------------------------------------------------------------


def _score(s: Any, r: Any) -> Iterator[Item]:
    x, y = _LEFT + 20, _TOP
    yield Text(x, y + 26, _length(s, r), 16, FAINT, "start", cell=(0, 0))
    for k, word in enumerate(("points", "tricks")):
        yield Text(x + 204 + 72 * k, y + 26, word, 16, FAINT, "end", cell=(25 + 7 * k, 0))
    for side, name in enumerate(TEAM_NAMES):
        at = y + 68 + 46 * side
        yield Text(x, at, name, 18, PALE, "start", cell=(0, 1 + side))
        for k, number in enumerate((s["score"][side], s["tricks"][side])):
            place = (x + 196 + 72 * k, at)
            yield Text(*place, f"{number}", 28, PALE, "end", True, (25 + 7 * k, 1 + side))


def _length(s: Any, r: Any) -> str:
    aim = f"{r['hands_per_game']} hands" if r["hands_per_game"] else f"to {r['target_score']}"
    if r["match_games"] > 1:
        return f"{aim}, games {s['games'][0]}:{s['games'][1]}"
    return aim


def _calls(s: Any) -> Iterator[Item]:
    """Who passed and who called, a column a seat from the dealer's left, a row a round."""
    first = int(left(int(s["dealer"])))
    for k in range(N_SEATS):
        seat = (first + k) % N_SEATS
        x, column = _RIGHT + 42 + 76 * k, 54 + 7 * k
        yield Text(x, _TOP + 26, SEAT_NAMES[seat], 16, FAINT, cell=(column, 0))
        for turn in range(k, int(s["passes"]), N_SEATS):
            yield _call_at(turn // N_SEATS, x, column, "pass")
    if s["maker"] != NOBODY:
        k, turn = (int(s["maker"]) - first) % N_SEATS, int(s["passes"]) // N_SEATS
        x, column = _RIGHT + 42 + 76 * k, 54 + 7 * k
        trump = int(s["trump"])
        if trump == NO_TRUMP:
            yield _call_at(turn, x, column, "NT", LIT)
        else:
            at = _TOP + 68 + 46 * turn
            yield Box(x, at, 34, 34, PALE, 17)
            yield Suit(x, at, trump, 11, suit_colour(trump), (column, 1 + turn))


def _call_at(turn: int, x: float, column: int, word: str, colour: Any = PALE) -> Text:
    return Text(x, _TOP + 68 + 46 * turn, word, 18, colour, cell=(column, 1 + turn))


# --- trump ---------------------------------------------------------------------------------------


def _trump(s: Any) -> Iterator[Item]:
    x, y = _LEFT + 20, _BOTTOM
    trump = int(s["trump"])
    if trump == NOBODY:
        lines = list(_bidding_lines(s))
        yield Text(x, y + 44, "no trump suit yet", 20, PALE, "start", True, (0, 20))
    else:
        lines = list(_trump_lines(s))
        name = "no trump" if trump == NO_TRUMP else SUIT_NAMES[trump]
        word = name if trump == NO_TRUMP else f"{name} are trump"
        yield Box(x + 26, y + 44, 56, 56, PALE, 28)
        if trump == NO_TRUMP:
            yield Text(x + 26, y + 44, "NT", 22, RED, bold=True)
        else:
            yield Suit(x + 26, y + 44, trump, 18, suit_colour(trump))
        yield Text(x + 70, y + 28, "trump", 15, FAINT, "start")
        yield Text(x + 70, y + 54, name, 24, PALE, "start", True, (0, 20), word)
    for k, line in enumerate(lines):
        yield Text(x, y + 96 + 24 * k, line, 16, FAINT, "start", cell=(0, 21 + k))


def _bidding_lines(s: Any) -> Iterator[str]:
    yield f"{SEAT_NAMES[int(s['dealer'])]} deals"
    yield f"{s['passes']} passed"


def _trump_lines(s: Any) -> Iterator[str]:
    called = f"called by {SEAT_NAMES[int(s['maker'])]}"
    if s["loner"] != NOBODY:
        alone = "" if s["loner"] == s["maker"] else f"{SEAT_NAMES[int(s['loner'])]} "
        called += f", {alone}alone"
    yield called
    if s["lone_defender"] != NOBODY:
        yield f"{SEAT_NAMES[int(s['lone_defender'])]} defends alone"
    card = spoken(cards_of(s["upcard"], int(s["frame"]))[0])
    if s["place"] in (TAKEN, TAKEN_OR_BURIED):
        yield f"{SEAT_NAMES[int(s['taker'])]} took the {card}"
    elif s["place"] == OUT_OF_PLAY:
        yield f"{card} out of play"
    elif s["place"] == TURNED_DOWN:
        yield f"{card} turned down"


# --- what is asked, and what came out ------------------------------------------------------------

_ASKS = {
    WEAK_HAND: "to claim or keep a weak hand",
    NAME_TRUMP: "to name trump",
    BID1: "to order up or pass",
    BID2: "to name a suit or pass",
    LONER: "to go alone or not",
    DEFEND: "to defend alone or not",
    DISCARD: "to lay a card away",
    PLAY: "to follow",
}


def _asked(s: Any, overlay: Overlay | None) -> Iterator[Item]:
    leads = s["phase"] == PLAY and s["count"] == 0
    words = f"{SEAT_NAMES[int(s['turn'])]} {'to lead' if leads else _ASKS[int(s['phase'])]}"
    x, y = _RIGHT + 20, _BOTTOM
    yield Text(x, y + 28, words, 17, LIT, "start", True, (54, 14))
    if overlay is not None:
        yield Text(x, y + 50, clean(overlay.title), 14, FAINT, "start", cell=(54, 15))
        yield from call_bars(overlay, x, y + 74, 18)
    if s["phase"] == PLAY and s["trick"] > 0 and not leads:
        yield from _last_trick(s)


def _last_trick(s: Any) -> Iterator[Item]:
    """The trick before this one, small; the one that is complete still lies in the middle."""
    trick, winner = int(s["trick"]) - 1, int(s["leader"][s["trick"]])
    yield Text(_RIGHT + 292, _BOTTOM + 28, "last trick", 14, FAINT, "end", cell=(79, 18))
    x, column = _RIGHT + 46, 58
    for k in range(N_SEATS):
        seat = (int(s["leader"][trick]) + k) % N_SEATS
        bit = int(s["plays"][trick, seat])
        if bit < 0:
            continue
        card, lit = int(CARD_AT[s["frame"], bit]), seat == winner
        yield Card(x, _BOTTOM + 92, card, lit, scale=0.62, cell=(column, 19))
        colour = LIT if lit else FAINT
        yield Text(x, _BOTTOM + 148, SEAT_NAMES[seat], 14, colour, cell=(column, 20))
        x, column = x + 73, column + 6


def _outcome(s: Any) -> Iterator[Item]:
    x, y = _RIGHT + 20, _BOTTOM
    for k, line in enumerate(_outcome_lines(s)):
        colour = mixed(PALE, FAINT, 0 if k == 0 else 1)
        yield Text(x, y + 32 + 28 * k, line, 17, colour, "start", k == 0, (46, 20 + k))


def _outcome_lines(s: Any) -> Iterator[str]:
    if s["thrown_in"]:
        yield "The hand is thrown in"
    for side in (0, 1):
        points = int(s["points"][side])
        if points:
            verb, count = "make" if points > 0 else "lose", abs(points)
            yield f"{TEAM_NAMES[side]} {verb} {count} point{'s' * (count > 1)}"
    if s["maker"] != NOBODY and not s["thrown_in"]:
        makers = int(team(int(s["maker"])))
        yield f"{s['tricks'][makers]} of {sum(s['tricks'])} tricks to the makers"
    if s["game_winner"] == UNDECIDED:
        yield f"{SEAT_NAMES[int(s['next_dealer'])]} deals next"
    elif s["game_winner"] == DRAWN:
        yield "The game is drawn"
    else:
        yield f"{TEAM_NAMES[int(s['game_winner'])]} win the game"
