"""Draw the tables of docs/pictures: ``python docs/table_pictures.py``.

``MOMENTS`` are moments of fixed deals that between them show all that a drawing can show; the
tests compare pictures of the same moments with those in tests/data/pictures.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

DOCS = Path(__file__).resolve().parent
if str(DOCS.parent) not in sys.path:  # run from a source tree that is not installed
    sys.path.insert(0, str(DOCS.parent))

from euchre_env import Ruleset, action_id, render  # noqa: E402
from euchre_env._files import write_whole  # noqa: E402
from euchre_env.aec import raw_env  # noqa: E402

PICTURES = DOCS / "pictures"

# North, East, South, West, upcard, kitty
DECK = "TD 9H AS KS TC  JS TH QS AH QC  JH QH AC TS 9D  AD JD 9S KD 9C  KH  JC KC QD"
DUEL = "JC QS KH QH TH  9S TS QD KD 9D  JS AS KS AH AD  9C TC QC KC JD  9H  JH AC TD"
SPREAD = "AS KD JS JH AD  TC KH AC KS TH  QS TS 9S JD 9D  9C AH JC KC QH  9H  QC QD TD"
ROUND_TWO = "KH 9H TS JH 9S  TD AC QC JS JC  JD QD KD AD 9C  QH KC TC AH TH  KS  QS 9D AS"
SPARE = "QD AH 9C AS AD  JD JS TC TS KS  9H TH KC 9S JC  KH QH 9D TD KD  JH  QS QC AC"
ORDERED = "pass pass pass order_up with_partner"
LARGE = (
    "7C JD 9H 9S TS  8C 8D JH AS KS  TC QC 7D 7S QH  AC KC AD 7H 8S  8H  "
    "9C JC TD 9D QD KD JS QS TH KH AH"
)
PLAYED = "9D AD TD JS QH JH JD 9H TH AC 9C TC QC TS 9S AS QS KS AH KH KD"


@dataclass(frozen=True)
class Moment:
    """A deal, what has happened since, and who looks at it."""

    history: str
    dealer: int = 2
    deck: str = DECK
    rules: Ruleset = Ruleset()  # noqa: RUF009 - a frozen value
    viewer: int | None = None
    score: tuple[int, ...] = (6, 7)
    figures: tuple[tuple[str, float, float], ...] = ()
    names: tuple[str, ...] | None = None

    def items(self) -> list[render.Item]:
        """The drawing list."""
        env = raw_env(self.rules)
        options = {"dealer": self.dealer, "deck": self.deck, "score": self.score}
        env.reset(seed=1, options=options)
        for word in self.history.split():
            env.step(action_id(word))
        entries = [(action_id(word), p, v) for word, p, v in self.figures]
        overlay = render.Overlay(entries, "example figures") if entries else None
        return render.drawing(env.record, env.ruleset.record()[0], self.viewer, overlay, self.names)


MOMENTS = {
    "bidding": Moment("pass pass"),
    "calls": Moment(
        "pass pass pass pass pass",
        viewer=0,
        figures=(
            ("pass", 0.11, -0.31),
            ("call_C", 0.0, -1.2),
            ("call_D", 0.01, -0.9),
            ("call_S", 0.88, 0.54),
        ),
        names=("you", "heuristic", "champion", "heuristic"),
    ),
    "discard": Moment(ORDERED, viewer=2),
    "alone": Moment("pass order_up alone AD TD JS KD 9H"),
    "trick": Moment(
        f"{ORDERED} 9D AD TD JS QH",
        figures=(("JH", 0.71, 1.12), ("AC", 0.21, 1.02), ("TS", 0.03, 0.9), ("KH", 0.05, 0.4)),
    ),
    "seen_by_east": Moment(f"{ORDERED} 9D AD TD JS QH JH JD", viewer=1),
    "duel": Moment(
        "pass pass pass pass call_S alone defend_alone 9S KS JS TS",
        dealer=0,
        deck=DUEL,
        rules=Ruleset(defend_alone="vs_loner"),
    ),
    "over": Moment(f"{ORDERED} {PLAYED}"),
    "three_hand": Moment(
        "pass pass order_up TC with_partner 9C KS JC 9S JS 9H AC JD",
        dealer=1,
        deck=SPREAD,
        rules=Ruleset.preset("three_hand"),
        score=(6, 7, 3),
        names=("greedy", "you", "random"),
        viewer=1,
    ),
    "dummy": Moment(
        "pass pass order_up TC",
        dealer=1,
        deck=SPREAD,
        rules=Ruleset.preset("three_hand"),
        score=(6, 7, 3),
        figures=(("alone", 0.06, -0.8), ("with_partner", 0.94, 1.1)),
    ),
    "buck": Moment(
        "pass pass pass pass pass pass call_C keep keep pass AH QC JD JC 9C",
        deck=ROUND_TWO,
        rules=Ruleset.preset("dirty_clubs"),
        score=(12, 9, 21, 5),
    ),
    "cutthroat": Moment(
        "pass pass order_up 9C TC KC AH JH JD",
        dealer=0,
        deck=SPARE,
        rules=Ruleset.preset("cutthroat"),
        score=(4, 15, 9),
    ),
    "set": Moment(
        "pass pass pass pass pass pass call_C keep keep pass "
        "AH QC JD JC 9C TC JS QD KC AC KD TH TD AD QH",
        deck=ROUND_TWO,
        rules=Ruleset.preset("dirty_clubs"),
        score=(12, 9, 21, 5),
    ),
    "large_deck": Moment(
        "order_up with_partner 8S 7C 8C",
        dealer=3,
        deck=LARGE,
        rules=Ruleset.preset("euchre32"),
        score=(4, 7),
    ),
    "two_hand": Moment(
        "pass order_up JS TS QS AC 9H JH TH AS",
        dealer=0,
        deck=SPREAD,
        rules=Ruleset.parse("two_hand,two_hand_dummy=maker"),
    ),
}
"""The moments by the names of their pictures."""

SHOWN = (
    *("bidding", "calls", "alone", "trick", "seen_by_east"),
    *("large_deck", "three_hand", "two_hand", "buck", "cutthroat"),
)
"""Those that are shown in the documentation."""


# --- a terminal ----------------------------------------------------------------------------------

_CODE = re.compile(r"\x1b\[([\d;]*)m")
_INKS = {"30": "#000000", "31": "#c00000", "33": "#ffd65a", "36": "#4fc1d0", "90": "#707070"}
_INKS |= {"91": "#ff6b6b", "97": "#ffffff"}
_GROUNDS = {"44": "#2f4a8a", "47": "#bbbbbb", "103": "#ffe066", "107": "#ffffff"}
_COLUMN, _ROW, _MARGIN = 10, 21, 16
_PALE, _DARK, _DIM = "#dddddd", "#1b1d21", "#8d9299"


def terminal(text: str) -> str:
    """A coloured text as an SVG picture of a terminal."""
    width, height = render.COLUMNS * _COLUMN + 2 * _MARGIN, render.ROWS * _ROW + 2 * _MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="monospace" font-size="16">',
        f'<rect width="{width}" height="{height}" rx="8" fill="{_DARK}"/>',
    ]
    for row, line in enumerate(text.split("\n")):
        lines += _runs(line, _MARGIN + _ROW * row)
    return "\n".join([*lines, "</svg>\n"])


def _runs(line: str, y: int) -> Iterator[str]:
    column, codes = 0, [""]
    for k, part in enumerate(_CODE.split(line)):
        if k % 2:
            codes = part.split(";")
            continue
        x, width = _MARGIN + _COLUMN * column, _COLUMN * len(part)
        column += len(part)
        ink = next((_INKS[c] for c in codes if c in _INKS), _DIM if "2" in codes else _PALE)
        ground = next((_GROUNDS[c] for c in codes if c in _GROUNDS), None)
        if "7" in codes:
            ink, ground = _DARK, _PALE
        if ground:
            yield f'<rect x="{x}" y="{y}" width="{width}" height="{_ROW}" fill="{ground}"/>'
        bold = ' font-weight="bold"' if "1" in codes else ""
        for word in re.finditer(r"\S+", part):
            at, length = x + _COLUMN * word.start(), _COLUMN * len(word[0])
            yield (
                f'<text x="{at}" y="{y + 16}" fill="{ink}"{bold} textLength="{length}" '
                f'lengthAdjust="spacingAndGlyphs">{escape(word[0])}</text>'
            )


# --- writing -------------------------------------------------------------------------------------


def png(items: list[render.Item], scale: float = 1, colours: int = 128) -> bytes:
    """A drawing as a small PNG file."""
    from io import BytesIO

    from PIL import Image

    image = Image.fromarray(render.rgb_array(items))
    if scale != 1:
        size = (round(image.width * scale), round(image.height * scale))
        image = image.resize(size, Image.Resampling.LANCZOS)
    file = BytesIO()
    image.quantize(colours, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def main() -> None:
    """Write all pictures."""
    PICTURES.mkdir(exist_ok=True)
    for name in SHOWN:
        write_whole(PICTURES / f"table_{name}.png", png(MOMENTS[name].items()))
    items = MOMENTS["trick"].items()
    write_whole(PICTURES / "table.svg", render.svg(items, "Hearts are trump").encode())
    coloured = terminal(render.ansi(items, colour=True))
    write_whole(PICTURES / "table_in_a_terminal.svg", coloured.encode())


if __name__ == "__main__":
    main()
