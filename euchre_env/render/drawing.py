"""The drawing list of a game: the table, the four seats, and what lies in the middle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..cards import CARD_AT, NO_TRUMP, cards_of, popcount
from ..rules import (
    DISCARD,
    DUMMY_EXCHANGE,
    DUMMY_NAMES,
    FACE_UP,
    LAY_AWAY,
    NOBODY,
    PASS_CARD,
    SEAT_NAMES,
    TAKEN,
    TAKEN_OR_BURIED,
    TURNED_DOWN,
    hide,
    is_out,
    new_states,
)
from ..ruleset import CUTTHROAT_WIDOW, PARTNERSHIP
from .items import (
    COLUMNS,
    FAINT,
    FELT,
    HEIGHT,
    INK,
    INLAY,
    LIT,
    PALE,
    RAIL,
    RAIL_EDGE,
    SHADE,
    WIDTH,
    Box,
    Card,
    Cell,
    Item,
    Suit,
    Text,
    clean,
    spoken,
)
from .overlay import Overlay, card_figures
from .panels import panels
from .shapes import suit_colour


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a seat's things lie: pixels, and the cells of the text."""

    plate: tuple[float, float]
    hand: tuple[float, float]
    span: float  # from the first card's middle to the last one's
    trick: tuple[float, float]
    aside: tuple[float, float]  # the card laid away
    plate_cell: Cell
    notes_cell: Cell  # in the same line as the name or in its own
    hand_cell: Cell
    trick_cell: Cell
    aside_cell: Cell


_PLACES = (
    _Place(
        *((640, 32), (640, 113), 368, (640, 286), (896, 105)),
        *((40, 4), (40, 4), (40, 5), (40, 9), (57, 5)),
    ),
    _Place(
        *((1088, 274), (1088, 360), 232, (752, 360), (884, 352)),
        *((66, 9), (66, 10), (66, 11), (47, 11), (62, 8)),
    ),
    _Place(
        *((640, 690), (640, 573), 368, (640, 434), (896, 565)),
        *((40, 16), (40, 16), (40, 17), (40, 13), (57, 17)),
    ),
    _Place(
        *((192, 274), (192, 360), 232, (528, 360), (396, 352)),
        *((13, 9), (13, 10), (13, 11), (33, 11), (9, 8)),
    ),
)
_CARD_COLUMNS = 5
_CENTRE, _CENTRE_CELL = (640, 360), (40, 11)


def drawing(
    s: Any,
    r: Any,
    viewer: int | None = None,
    overlay: Overlay | None = None,
    names: Sequence[str] | None = None,
) -> list[Item]:
    """What there is to paint of a game, from back to front.

    Args:
        s: The full record; unchanged.
        r: The rule record.
        viewer: Show only what this seat can know; None shows all hands.
        overlay: An agent's figures for the seat to act; left out where ``viewer`` is another seat.
        names: The players by seat.

    Raises:
        ValueError: ``names`` are not as many as the players.
    """
    players = int(r["players"])
    if names is not None and len(names) != players:
        raise ValueError(f"names={names!r} must be {players} texts, one a seat")
    states = new_states(1)
    states[0] = s
    seen: Any = states[0]
    if viewer is not None:
        hide(seen, r, viewer)
        if int(s["turn"]) != viewer:
            overlay = None
    items = [*_table(), *panels(seen, r, overlay)]
    for seat in range(players):
        hand = list(_hand(seen, seat, popcount(int(s["hand"][seat]))))
        items += [*_plate(seen, r, seat, clean(names[seat]) if names else ""), *hand]
        items += _laid_away(seen, seat, len(hand))
        if overlay is not None and seen["turn"] == seat:
            items += card_figures(overlay, hand)
    items += _aside(seen, r, popcount(int(s["dummy"])), popcount(int(s["buried"])))
    return [*items, *_middle(seen)]


def _table() -> Iterator[Item]:
    x, y = WIDTH / 2, HEIGHT / 2
    yield Box(x, y, WIDTH, HEIGHT, RAIL)
    yield Box(x, y, WIDTH - 8, HEIGHT - 8, RAIL_EDGE, 30)
    yield Box(x, y, WIDTH - 12, HEIGHT - 12, RAIL, 28)
    yield Box(x, y, WIDTH - 24, HEIGHT - 24, FELT, 24)
    yield Box(x, y, 446, 306, INLAY, 153, 0.35)
    yield Box(x, y, 440, 300, FELT, 150)


# --- seats ---------------------------------------------------------------------------------------


def _hand(s: Any, seat: int, count: int) -> Iterator[Card]:
    place = _PLACES[seat]
    known = cards_of(s["hand"][seat], int(s["frame"]))
    shown: list[int | None] = [*known] if known else [None] * count
    step = min(place.span / 4, place.span / max(1, len(shown) - 1))
    start = _first_column(place, len(shown))
    (x, y), row = place.hand, place.hand_cell[1]
    for k, card in enumerate(shown):
        at = x + step * (k - (len(shown) - 1) / 2)
        cell = (start + _CARD_COLUMNS * k + 2, row)
        yield Card(at, y, card, faded=bool(is_out(s, seat)), cell=cell)


def _first_column(place: _Place, count: int) -> int:
    """Where a hand of so many cards begins in a text."""
    length = _CARD_COLUMNS * count - 1
    return max(0, min(place.hand_cell[0] - length // 2, COLUMNS - length))


def _notes(s: Any, r: Any, seat: int) -> Iterator[str]:
    if s["loner"] == seat:
        yield "alone"
    if s["lone_defender"] == seat:
        yield "defends alone"
    if is_out(s, seat):
        yield "sits out" if r["variant"] == PARTNERSHIP else "dropped out"
    if s["swapper"] == seat:
        yield "swapped"
    if s["passer"] == seat and s["phase"] != PASS_CARD:
        card = cards_of(s["passed"], int(s["frame"]))
        yield f"gave {spoken(card[0])}" if card else "gave a card"
    if s["offender"] == seat:
        yield "reneged"


_DISC = 28
_GAP = 7
_MARGIN = 24


def _plate(s: Any, r: Any, seat: int, name: str) -> Iterator[Item]:
    """The seat's name, and beside it the dealer's button, the maker's, and other notes."""
    label = f"{SEAT_NAMES[seat]}, {name}" if name else SEAT_NAMES[seat]
    dealer, maker, turn = (bool(s[role] == seat) for role in ("dealer", "maker", "turn"))
    notes = list(_notes(s, r, seat))
    words = [f"> {label}" if turn else label]
    words += [f"({note})" for note in ["dealer"] * dealer + ["maker"] * maker + notes]
    cells = _cells(words, _PLACES[seat])
    widths = [30 + 10.2 * len(label), *[_DISC] * (dealer + maker)]
    widths += [18 + 8.1 * len(note) for note in notes]
    middles = _middles(widths, _PLACES[seat].plate[0])
    y = _PLACES[seat].plate[1]

    def written(text: str, size: int, ink: Any) -> Text:
        return Text(next(xs), y, text, size, ink, bold=True, cell=next(cells), word=next(labels))

    xs, labels = iter(middles), iter(words)
    plain = FAINT if is_out(s, seat) else PALE
    yield Box(middles[0], y, widths[0], 30, LIT if turn else SHADE, 15, 1 if turn else 0.32)
    yield written(label, 19, INK if turn else plain)
    trump = int(s["trump"])
    buttons = ["D"] * dealer + ["NT" if trump == NO_TRUMP else ""] * maker
    for k, text in enumerate(buttons, 1):
        yield Box(middles[k] + 1, y + 2, _DISC, _DISC, SHADE, _DISC / 2, 0.3)
        yield Box(middles[k], y, _DISC, _DISC, PALE, _DISC / 2)
        yield written(text, 17 if text == "D" else 13, INK)
    if maker and trump != NO_TRUMP:
        yield Suit(middles[1 + dealer], y, trump, 8.5, suit_colour(trump))
    for k, note in enumerate(notes, 1 + len(buttons)):
        yield Box(middles[k], y, widths[k], 26, LIT, 13, 0.22)
        yield written(note, 15, LIT)


def _cells(words: list[str], place: _Place) -> Iterator[Cell]:
    """The middle of each word: of the name, and of the notes beside or below it."""
    if place.plate_cell == place.notes_cell:
        yield from _line(words, place.plate_cell)
    else:
        yield from _line(words[:1], place.plate_cell)
        yield from _line(words[1:], place.notes_cell)


def _line(words: list[str], cell: Cell) -> Iterator[Cell]:
    length = sum(map(len, words)) + len(words) - 1
    start = max(0, min(cell[0] - length // 2, COLUMNS - length))
    for word in words:
        yield start + len(word) // 2, cell[1]
        start += len(word) + 1


def _middles(widths: list[float], x: float) -> list[float]:
    """The middle of each box of a row of them around ``x``."""
    length = sum(widths) + _GAP * (len(widths) - 1)
    left = max(_MARGIN, min(x - length / 2, WIDTH - _MARGIN - length))
    found = []
    for width in widths:
        found.append(left + width / 2)
        left += width + _GAP
    return found


def _laid_away(s: Any, seat: int, count: int) -> Iterator[Item]:
    """The cards that the taker of the upcard, and a lone hand that was passed one, have laid away.

    Their faces are for those who know them. In a text they stand beside a hand of ``count`` cards.
    """
    away = []
    if s["taker"] == seat and s["phase"] != DISCARD and s["place"] in (TAKEN, TAKEN_OR_BURIED):
        away.append("discard")
    if s["loner"] == seat and s["passer"] != NOBODY and s["phase"] not in (PASS_CARD, LAY_AWAY):
        away.append("buried")
    if not away:
        return
    x, y = _PLACES[seat].aside
    column, row = _PLACES[seat].aside_cell
    if row == _PLACES[seat].hand_cell[1]:
        end = _first_column(_PLACES[seat], count) + _CARD_COLUMNS * count
        column = max(column, end + 2)
    for k, name in enumerate(away):
        known = cards_of(s[name], int(s["frame"]))
        card, at, cell = known[0] if known else None, x + 34 * k, (column + 5 * k, row)
        yield Card(at, y, card, faded=True, scale=0.62, cell=cell)
    column += 5 * (len(away) - 1)
    yield Text(x, y + 49, "laid away", 14, FAINT, cell=(column + 8, row))


def _aside(s: Any, r: Any, dummy: int, buried: int) -> Iterator[Item]:
    """In a free seat's place the dummy, or what the maker has laid away for it.

    Args:
        s: What may be shown of the record.
        r: The rule record.
        dummy: Cards of the dummy, all face down.
        buried: Cards laid away for it; their faces for those who know them.
    """
    if dummy + buried == 0 or r["variant"] == PARTNERSHIP:
        return
    place, name = _PLACES[-1], DUMMY_NAMES[int(r["variant"])]
    caption = name if dummy else f"laid away by {SEAT_NAMES[int(s['maker'])]}"
    known = cards_of(s["buried"], int(s["frame"]))
    shown: list[int | None] = [*known] if known else [None] * (dummy or buried)
    option = "widow_exchange" if r["variant"] == CUTTHROAT_WIDOW else "dummy_exchange"
    dead = bool(buried or s["loner"] != NOBODY or not r[option])
    start = _first_column(place, len(shown))
    (x, y), row = place.hand, place.hand_cell[1]
    yield Text(x, y - 66, caption, 16, FAINT, cell=place.plate_cell)
    for k, card in enumerate(shown):
        at = x + 46 * (k - (len(shown) - 1) / 2)
        yield Card(at, y, card, faded=dead, scale=0.8, cell=(start + _CARD_COLUMNS * k + 2, row))


# --- the middle ----------------------------------------------------------------------------------


def _middle(s: Any) -> Iterator[Item]:
    """The present trick, or the last one before the next lead; before play, the upcard."""
    if s["thrown_in"]:
        yield Text(*_CENTRE, "thrown in", 22, FAINT, bold=True, cell=_CENTRE_CELL)
    elif s["leader"][0] != NOBODY:
        yield from _trick(s)
    elif s["place"] in (FACE_UP, TURNED_DOWN) and s["phase"] not in (DUMMY_EXCHANGE, LAY_AWAY):
        yield from _upcard(s)  # a long hand would lie over it in a text


def _upcard(s: Any) -> Iterator[Item]:
    x, y = _CENTRE
    card = int(cards_of(s["upcard"], int(s["frame"]))[0])
    for k in (9, 6, 3):  # the rest of the kitty
        yield Card(x + k, y + k / 2, None)
    turned_down = s["place"] == TURNED_DOWN
    yield Card(x, y, None if turned_down else card, cell=_CENTRE_CELL)
    caption = f"{spoken(card)} turned down" if turned_down else "upcard"
    yield Text(x, y + 80, caption, 17, FAINT, cell=(40, 12))


def _trick(s: Any) -> Iterator[Item]:
    played = [t for t, bits in enumerate(s["plays"]) if (bits >= 0).any()]
    if not played:
        return
    trick, winner = played[-1], int(s["winner"])
    taken = trick < s["trick"]
    for seat, place in enumerate(_PLACES):
        bit = int(s["plays"][trick, seat])
        if bit >= 0:
            card = int(CARD_AT[s["frame"], bit])
            lit = winner == seat
            yield Card(*place.trick, card, lit, faded=taken and not lit, cell=place.trick_cell)
    if taken:
        text = f"to {SEAT_NAMES[winner]}"
        yield Text(*_CENTRE, text, 18, LIT, bold=True, cell=_CENTRE_CELL)
