"""Fill the generated parts of the documentation: ``python docs/generate.py [--check]``.

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->`` in a Markdown file
of this folder; ``PARTS`` says what each name stands for. With ``--check`` nothing is written, and
the exit status is 1 when a file is out of date.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import sys
from collections.abc import Callable
from math import comb
from pathlib import Path

DOCS = Path(__file__).resolve().parent
if str(DOCS.parent) not in sys.path:  # run from a source tree that is not installed
    sys.path.insert(0, str(DOCS.parent))

import agents  # noqa: E402
from euchre_env import ruleset  # noqa: E402
from euchre_env.actions import actions_markdown  # noqa: E402
from euchre_env.encoding import (  # noqa: E402
    HIDDEN_LAYOUT,
    OBSERVATION_SIZE,
    WIDE_HIDDEN_LAYOUT,
    WIDE_OBSERVATION_SIZE,
    Block,
    layout_markdown,
)

PART = re.compile(r"<!-- generated: ([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


# --- tables ------------------------------------------------------------------------------------


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def presets() -> str:
    """Every preset, what it is called in one sentence, and the options that it changes."""
    rows = []
    for name in ruleset.ALL_PRESETS:
        rules = ruleset.Ruleset.preset(name)
        changes = rules.to_dict(only_changes=True)
        told = ", ".join(f"`{option}={value!r}`" for option, value in changes.items())
        rows.append([f"`{name}`", rules.describe(), told or "the defaults"])
    return table(["preset", "in words", "changes"], rows)


def conflicts() -> str:
    """The pairs of options that cannot go together."""
    rows = [
        [" and ".join(f"`{name}`" for name in conflict.names), conflict.why]
        for conflict in ruleset._CONFLICTS
    ]
    return table(["options", "why, and what will do"], rows)


def players() -> str:
    """Every player by the form of its name."""
    return table(["name", "what it does"], [[f"`{n}`", h] for n, h in agents.available().items()])


def hidden_layout() -> str:
    """What ``state()`` appends to an observation."""
    return _hidden_rows(list(HIDDEN_LAYOUT.values()), OBSERVATION_SIZE)


def wide_hidden_layout() -> str:
    """What it appends besides in games with cards below nine."""
    more = [block for name, block in WIDE_HIDDEN_LAYOUT.items() if name not in HIDDEN_LAYOUT]
    return _hidden_rows(more, WIDE_OBSERVATION_SIZE)


def _hidden_rows(blocks: list[Block], start: int) -> str:
    rows = []
    for block in blocks:
        first = start + block.start
        shape = " x ".join(map(str, block.shape))
        rows.append([f"{first}..{first + block.size - 1}", f"`{block.name}`", shape, block.meaning])
    return table(["entries of `state()`", "block", "shape", "meaning"], rows)


# --- odds --------------------------------------------------------------------------------------


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.3f} %"


def trump_odds() -> str:
    """How many trumps five cards hold: exact, by counting hands."""
    kinds = (
        ("before anything is seen, for a suit fixed beforehand", 24, 7),
        ("the upcard seen, for its suit, in a non-dealer's hand", 23, 6),
        ("the upcard turned down, for a suit of the other colour", 23, 7),
        ("28 cards, before anything is seen, for a suit fixed beforehand", 28, 8),
        ("32 cards, likewise", 32, 9),
    )
    rows = []
    for what, cards, trumps in kinds:
        hands = [comb(trumps, k) * comb(cards - trumps, 5 - k) for k in range(6)]
        rows.append([what, *(f"{100 * n / comb(cards, 5):.2f}" for n in hands)])
    return table(["five cards, in percent", *(f"{k} trumps" for k in range(6))], rows)


def odds() -> str:
    """Further exact chances of a deal."""
    hands = comb(24, 5)
    bower = hands - comb(22, 5)
    low = [comb(8, k) * comb(16, 5 - k) for k in range(6)]
    rows = [
        ["at least one bower of a suit fixed beforehand", f"{bower} / {hands}"],
        ["both bowers", f"{comb(22, 3)} / {hands}"],
        ["the upcard is a jack", "4 / 24"],
        ["a hand is `no_ace_no_face`", f"{low[5]} / {hands}"],
        ["a hand is `ace_no_face`", f"{4 * comb(8, 4)} / {hands}"],
        [
            "a hand is `no_ace_no_face_no_trump`, the upcard seen",
            f"{comb(6, 5)} / {comb(23, 5)}",
        ],
        [
            "a hand is `three_nines_or_three_tens`",
            f"{2 * (comb(4, 3) * comb(20, 2) + comb(20, 1))} / {hands}",
        ],
        ["a hand is `three_low`", f"{sum(low[3:])} / {hands}"],
        ["a hand is `four_low`", f"{sum(low[4:])} / {hands}"],
        *([f"seat {seat} is dealt the first black jack", f"{13 - seat} / 46"] for seat in range(4)),
    ]
    for row in rows:
        part, whole = map(int, row[1].split(" / "))
        row.append(_percent(part, whole))
    return table(["event", "chance", "percent"], rows)


# --- examples ----------------------------------------------------------------------------------


def shown(code: str) -> str:
    """A Python example and, below it, what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<example>", "exec"), {"__name__": "example"})
    output = printed.getvalue().rstrip()
    return f"```python\n{code.strip()}\n```\n\nIt prints:\n\n```text\n{output}\n```"


ACTION_EXAMPLE = """
from euchre_env import action_id, action_text, euchre_v0

deck = "JH AS 9C TD QD  9S TS KC AD QC  TH 9D AC KS JC  9H AH JD QS TC  KH QH JS KD"
env = euchre_v0.raw_env(frame="trump")
env.reset(seed=7, options={"deck": deck, "dealer": 3})
state = env.record  # KH is turned up
for action in (23, 22, 26, 30):
    print(action, "is", action_text(action, frame="trump", state=state))
print(action_id("JH"), "and", action_id("JH", frame="trump", state=state))
"""

OBSERVATION_EXAMPLE = """
import numpy as np

from euchre_env import action_id, euchre_v0
from euchre_env.cards import card_text, cards_of
from euchre_env.encoding import LAYOUT, decode

deck = "JH AS 9C TD QD  9S TS KC AD QC  TH 9D AC KS JC  9H AH JD QS TC  KH QH JS KD"
env = euchre_v0.env()  # frame="absolute"
env.reset(seed=7, options={"deck": deck, "dealer": 3})
env.step(action_id("pass"))  # player_0
env.step(action_id("order_up"))  # player_1: hearts are trump
env.step(action_id("with_partner"))
seen = env.last()[0]["observation"]  # player_3, the dealer, is to discard
for name in ("phase", "turn", "dealer", "passed_round_1", "maker", "trump", "score"):
    print(f"{name:15}", seen[LAYOUT[name].slice])
print("hand           ", *(card_text(i) for i in np.flatnonzero(seen[LAYOUT["hand"].slice])))
state, rules = decode(seen)  # seat 0 of the record is the observer
print("decoded        ", *(card_text(i) for i in cards_of(state.hand[0], state.frame)))
print("other hands    ", *(int(state.hand[seat]) for seat in (1, 2, 3)))
print("rules          ", rules.describe())
"""


# --- filling in --------------------------------------------------------------------------------

PARTS: dict[str, Callable[[], str]] = {
    "options": ruleset.options_markdown,
    "presets": presets,
    "conflicts": conflicts,
    "trump-odds": trump_odds,
    "odds": odds,
    "players": players,
    "actions": actions_markdown,
    "action-example": lambda: shown(ACTION_EXAMPLE),
    "layout": layout_markdown,
    "hidden-layout": hidden_layout,
    "wide-hidden-layout": wide_hidden_layout,
    "observation-example": lambda: shown(OBSERVATION_EXAMPLE),
}
"""What each generated part holds, by name."""


def filled(text: str) -> str:
    """A document with its generated parts brought up to date; KeyError for an unknown part."""

    def part(match: re.Match[str]) -> str:
        name = match[1]
        return f"<!-- generated: {name} -->\n{PARTS[name]().strip()}\n<!-- end -->"

    return PART.sub(part, text)


def write(path: Path, text: str) -> None:
    """Replace a file, whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def main(arguments: list[str] | None = None) -> int:
    """Bring every file of the folder up to date, or say which are not."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    check = parser.parse_args(arguments).check
    stale = []
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        new = filled(text)
        if new != text:
            stale.append(path)
            if not check:
                write(path, new)
    for path in stale:
        print(f"{path.name}: {'out of date, run python docs/generate.py' if check else 'written'}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
