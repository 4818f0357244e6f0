"""The four corners of a drawing: score, calls, trump, and what is asked now or came out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._check import listed
from ..cards import CARD_AT, NO_TRUMP, SUIT_NAMES, cards_of
from ..rules import (
    BID1,
    BID2,
    CALL_BEST,
    DEFEND,
    DISCARD,
    DRAWN,
    DUMMY_EXCHANGE,
    LAY_AWAY,
    LONER,
    N_SEATS,
    NAME_TRUMP,
    NOBODY,
    OUT_OF_PLAY,
    OVER,
    PASS_CARD,
    PLAY,
    SEAT_NAMES,
    STAY,
    TAKEN,
    TAKEN_OR_BURIED,
    TEAM_NAMES,
    TURNED_DOWN,
    UNDECIDED,
    WEAK_HAND,
    count_sides,
    counts_down,
    is_fast_break,
    is_out,
    is_set,
    next_seat,
    side_of,
)
from ..ruleset import PARTNERSHIP
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
from .overlay import Overlay, act_words, call_bars
from .shapes import suit_colour

_WIDTH = 312
_LEFT, _RIGHT, _TOP, _BOTTOM = 28, 940, 28, 516
_TALL, _LOW = 176, 152  # heights of the lower and the upper panels


def panels(s: Any, r: Any, overlay: Overlay | None) -> Iterator[Item]:
    """All four panels; ``s`` shows only what may be shown."""
    for x in (_LEFT, _RIGHT):
        for y, height in ((_TOP, _LOW), (_BOTTOM, _TALL)):
            yield Box(x + _WIDTH / 2, y + height / 2, _WIDTH, height, SHADE, 14, 0.24)
    yield Text(_LEFT + 20, _TOP + 26, _length(s, r), 16, FAINT, "start", cell=(0, 0))
    yield from (_score(s) if r["variant"] == PARTNERSHIP else _scores_by_seat(s, r))
    yield from _calls(s, r)
    yield from _trump(s)
    yield from (_outcome(s, r) if s["phase"] == OVER else _asked(s, r, overlay))


# --- score and calls -----------------------------------------------------------------------------


def _score(s: Any) -> Iterator[Item]:
    """A row for each team."""
    x, y = _LEFT + 20, _TOP
    for k, word in enumerate(("points", "tricks")):
        yield Text(x + 204 + 72 * k, y + 26, word, 16, FAINT, "end", cell=(25 + 7 * k, 0))
    for side, name in enumerate(TEAM_NAMES):
        at = y + 68 + 46 * side
        yield Text(x, at, name, 18, PALE, "start", cell=(0, 1 + side))
        for k, number in enumerate((s["score"][side], s["tricks"][side])):
            place = (x + 196 + 72 * k, at)
            yield Text(*place, f"{number}", 28, PALE, "end", True, (25 + 7 * k, 1 + side))


def _scores_by_seat(s: Any, r: Any) -> Iterator[Item]:
    """A column for each seat; who is out of the hand in grey."""
    x, y = _LEFT + 20, _TOP
    for k, word in enumerate(("points", "tricks")):
        yield Text(x, y + 90 + 36 * k, word, 16, FAINT, "start", cell=(0, 2 + k))
    for seat in range(int(r["players"])):
        at, column = x + 116 + 54 * seat, 13 + 7 * seat
        colour = FAINT if is_out(s, seat) else PALE
        yield Text(at, y + 58, SEAT_NAMES[seat], 16, colour, "end", cell=(column, 1))
        for k, number in enumerate((s["score"][seat], s["tricks"][seat])):
            place = (at, y + 90 + 36 * k)
            yield Text(*place, f"{number}", 24 - 4 * k, colour, "end", True, (column, 2 + k))


def _length(s: Any, r: Any) -> str:
    """What ends the game, and the games won in a match."""
    down = bool(counts_down(r))
    aim = f"counts down from {r['target_score']}" if down else f"to {r['target_score']}"
    if r["hands_per_game"]:
        aim = f"{r['hands_per_game']} hands{', lowest wins' if down else ''}"
    if r["match_games"] > 1:
        games = s["games"][: int(count_sides(r))]
        return f"{aim}, games {':'.join(map(str, games))}"
    return aim


def _calls(s: Any, r: Any) -> Iterator[Item]:
    """Who passed and who called, a column a seat from the dealer's left, a row a round."""
    players = int(r["players"])
    first = int(next_seat(r, int(s["dealer"])))
    for k in range(players):
        seat = (first + k) % players
        x, column = _RIGHT + 42 + 76 * k, 54 + 7 * k
        yield Text(x, _TOP + 26, SEAT_NAMES[seat], 16, FAINT, cell=(column, 0))
        for turn in range(k, int(s["passes"]), players):
            yield _call_at(turn // players, x, column, "pass")
    if s["maker"] != NOBODY:
        k, turn = (int(s["maker"]) - first) % players, int(s["passes"]) // players
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
    called = "turned up, not called"
    if s["maker"] != NOBODY:
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
    DUMMY_EXCHANGE: "to lay cards away",
    STAY: "to stay in or drop out",
    CALL_BEST: "to call for the best or not",
    PASS_CARD: "to pass a card",
    LAY_AWAY: "to lay a card away",
}


def _asks(s: Any, r: Any) -> str:
    if s["phase"] == PLAY and s["count"] == 0:
        return "to lead"
    if s["phase"] == LONER and r["variant"] != PARTNERSHIP and r["dummy_exchange"]:
        return "to take or leave the dummy"
    return _ASKS[int(s["phase"])]


def _asked(s: Any, r: Any, overlay: Overlay | None) -> Iterator[Item]:
    words = f"{SEAT_NAMES[int(s['turn'])]} {_asks(s, r)}"
    x, y = _RIGHT + 20, _BOTTOM
    yield Text(x, y + 28, words, 17, LIT, "start", True, (54, 14))
    if overlay is not None:
        yield Text(x, y + 50, clean(overlay.title), 14, FAINT, "start", cell=(54, 15))
        yield from call_bars(overlay, act_words(s, r), x, y + 74, 18)
    if s["phase"] == PLAY and s["trick"] > 0 and s["count"] > 0:
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


def _outcome(s: Any, r: Any) -> Iterator[Item]:
    x, y = _RIGHT + 20, _BOTTOM
    for k, line in enumerate([*_outcome_lines(s, r), _what_next(s, r)]):
        colour = mixed(PALE, FAINT, 0 if k == 0 else 1)
        yield Text(x, y + 32 + 28 * k, line, 17, colour, "start", k == 0, (46, 20 + k))


def _outcome_lines(s: Any, r: Any) -> Iterator[str]:
    if s["thrown_in"]:
        yield "The hand is thrown in"
        return
    if counts_down(r):
        yield from _falls(s, r)
        return
    if s["offender"] == NOBODY and is_fast_break(s, r):
        yield "A fast break: nobody scores"
    yield from _gains(s, r)
    makers = int(side_of(r, int(s["maker"])))
    whom = "makers" if r["variant"] == PARTNERSHIP else "maker"
    yield f"{s['tricks'][makers]} of {sum(s['tricks'])} tricks to the {whom}"


def _gains(s: Any, r: Any) -> Iterator[str]:
    """The points of a hand: those of a team, or of a player, or the same to each defender."""
    names = _side_names(r)
    earned = {side: int(s["points"][side]) for side in range(len(names)) if s["points"][side]}
    for count in dict.fromkeys(earned.values()):
        sides = [names[side] for side, points in earned.items() if points == count]
        each = " each" * (len(sides) > 1)
        verb = "makes" if r["variant"] != PARTNERSHIP and not each else "make"
        verb, points = (verb, count) if count > 0 else ("lose", -count)
        yield f"{listed(sides, 'and')} {verb} {points} point{'s' * (points > 1)}{each}"


def _falls(s: Any, r: Any) -> Iterator[str]:
    """What a hand changed in the scores of a game that counts down, and who is set."""
    seats = range(int(r["players"]))
    tricks, maker = s["tricks"], int(s["maker"])
    fell = [
        SEAT_NAMES[seat]
        for seat in seats
        if not is_out(s, seat) and is_set(r, int(tricks[seat]), seat == maker)
    ]
    if fell:
        yield f"{listed(fell, 'and')} {'is' if len(fell) == 1 else 'are'} set"
    elif maker == NOBODY:
        yield "Clubs were turned up"
    elif s["trick"] == 0:
        yield "All others dropped out"
    else:
        yield f"{tricks[maker]} of 5 tricks to the maker"
    rises = [-int(s["points"][seat]) for seat in seats]
    told = [f"{SEAT_NAMES[seat]} {f'{n:+d}' if n else '0'}" for seat, n in zip(seats, rises)]
    for start in range(0, len(told), 2):
        yield ", ".join(told[start : start + 2])


def _side_names(r: Any) -> tuple[str, ...]:
    return TEAM_NAMES if r["variant"] == PARTNERSHIP else SEAT_NAMES[: int(r["players"])]


def _what_next(s: Any, r: Any) -> str:
    if s["game_winner"] == UNDECIDED:
        return f"{SEAT_NAMES[int(s['next_dealer'])]} deals next"
    if s["game_winner"] == DRAWN:
        return "The game is drawn"
    winner = _side_names(r)[int(s["game_winner"])]
    return f"{winner} {'win' if r['variant'] == PARTNERSHIP else 'wins'} the game"
