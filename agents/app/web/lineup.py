"""Who may sit at a table: the agents a browser may name, each made once."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ... import CHAMPION_WORLDS, CHECKPOINT, AgentError, available, make
from ...search.policy_search import CANDIDATES
from .fields import Refusal

MOST_NAME = 120
MOST_WORLDS = 2000
"""Worlds that a browser may ask a searching agent for, so that one table cannot stall the rest."""


class Choice(NamedTuple):
    """An agent that the page offers by a button."""

    name: str
    title: str
    text: str


OFFERED = (
    Choice("heuristic:easy", "Easy", "plays by the book, with three slips in ten decisions"),
    Choice("heuristic:medium", "Medium", "plays by the book, with one slip in ten decisions"),
    Choice("heuristic", "Hard", "plays by published strategy, without slips"),
    Choice("champion", "Champion", "this project's trained policy"),
    Choice("champion+search", "Champion with search", "the champion, thinking each decision over"),
)


_UNSAID = re.compile(r"champion\+search(?!:)")


def _worlds_in(name: str) -> int:
    """About how many worlds an agent's name asks for.

    Searches that play worlds out by other searches multiply; one that stands for the opponents is
    also asked for what they did in every world that is dealt.
    """
    said = _UNSAID.sub(f"champion+search:{CHAMPION_WORLDS}", name)
    numbers = [int(n) for n in re.findall("[0-9]+", said)]
    opponents = said.partition(",against:")[2]
    return math.prod(numbers) * (CANDIDATES if re.search("[0-9]", opponents) else 1)


class Lineup:
    """The agents that may be named, and those named so far.

    Args:
        checkpoints: Paths of policy files that the server's owner allows.
    """

    def __init__(self, checkpoints: Sequence[str] = ()) -> None:
        self.checkpoints = tuple(checkpoints)
        self._sound: set[str] = set()

    def check(self, name: str) -> str:
        """The name, if an agent of that name may play.

        Raises:
            Refusal: 400 there is none, it needs a file that was not allowed, it sees hidden cards,
                or it thinks for too long.
        """
        if name not in self._sound:
            self._check_new(name)
            if len(self._sound) < 1000:
                self._sound.add(name)
        return name

    def _check_new(self, name: str) -> None:
        rest = name
        for path in sorted(self.checkpoints, key=len, reverse=True):
            rest = rest.replace(path, "")
        if CHECKPOINT in rest.lower():
            raise Refusal(400, "policy files are named when the server is started: --agent PATH")
        if _worlds_in(rest) > MOST_WORLDS:
            raise Refusal(400, f"{name!r} thinks for too long: at most {MOST_WORLDS} worlds")
        try:
            agent = make(name)
        except AgentError as error:
            raise Refusal(400, str(error)) from None
        if agent.oracle:
            raise Refusal(400, f"{name!r} sees hidden cards: take a player that does not")

    def told(self) -> dict[str, Any]:
        """What the page offers."""
        offered = [choice._asdict() for choice in OFFERED]
        offered += [
            {"name": path, "title": path, "text": "a trained policy"} for path in self.checkpoints
        ]
        forms = {form: text for form, text in available().items() if CHECKPOINT not in form}
        return {"offered": offered, "forms": forms, "most_name": MOST_NAME}
