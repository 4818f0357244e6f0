"""A table with a browser before it: what it may be asked, and what it answers."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from euchre_env.record import GameRecord
from euchre_env.ruleset import Ruleset

from ...advice import Advisor
from ..table import IllegalAct, Table
from .fields import Refusal
from .figures import Figures
from .states import live_state

PERSON = 2
"""The seat of the person, South."""
MOST_LOG = 60
"""Events that an answer tells at most: more than a hand has."""


class LiveTable:
    """One table. Its methods run in worker threads, one at a time under :meth:`turn`.

    Args:
        seats: The agents at North, East and West.
        seed: Of deals and agents; told only when all is over.
        practice: Whether decisions may be taken back.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        seats: Sequence[str],
        seed: int,
        length: str,
        practice: bool,
        advisor: Advisor | None,
    ) -> None:
        north, east, west = seats
        self.table = Table(ruleset, (north, east, None, west), seed, length=length)
        self.seed, self.length, self.practice = seed, length, practice
        self.advisor = advisor
        self.figures = Figures(PERSON)
        self.version = 0
        self.lock = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, version: int) -> AsyncIterator[None]:
        """Hold the table for one change, if the browser has seen the latest one.

        Raises:
            Refusal: 409 the table has moved on since ``version``.
        """
        async with self.lock:
            if version != self.version:
                raise Refusal(409, "the table has moved on: look at it again", stale=True)
            yield

    # changes; each is one step of ``version``

    def act(self, action: int) -> None:
        """The person's act; Refusal 409 out of turn, 422 with the rule that forbids it."""
        if not self.table.waits_for_person:
            raise Refusal(409, "It is not your turn.")
        place, agreed = self._place(), self._is_advised(action)
        try:
            self.table.act(action)
        except IllegalAct as error:
            raise Refusal(422, str(error), illegal=True) from None
        if agreed is not None:
            self.figures.choice(*place, agreed)
        self._changed()

    def advance(self) -> None:
        """Let the agent decide whose turn it is; Refusal 409 where it is nobody's."""
        if self.table.hand_over or self.table.waits_for_person:
            raise Refusal(409, "No agent is to act.")
        self.table.advance()
        self._changed()

    def next_hand(self) -> None:
        """Deal again; Refusal 409 in mid-hand or after the last one."""
        if not self.table.hand_over or self.table.over:
            raise Refusal(409, "There is no next hand to deal now.")
        self.table.next_hand()
        self.version += 1

    def undo(self) -> None:
        """Go back to the person's last decision; Refusal 403 outside practice, 409 at the start."""
        if not self.practice:
            raise Refusal(403, "Decisions can be taken back at a practice table only.")
        if not self.table.undo():
            raise Refusal(409, "There is nothing to take back.")
        self.figures.take_back(*self._place())
        self.version += 1

    def _place(self) -> tuple[int, int]:
        return self.table.deal, self.table.acts

    def _changed(self) -> None:
        self.version += 1
        if self.table.hand_over:
            self.figures.hand(self.table.deal, self.table.state)

    def _is_advised(self, action: int) -> bool | None:
        """Whether the advisor would act so; None where there is no choice, or no advisor."""
        if self.advisor is None or len(self.table.legal) < 2:
            return None
        advice = self.advisor.advise(self.table.states, self.table.ruleset, search=False)
        return advice[0].best == action

    # what it tells

    def view(self) -> dict[str, Any]:
        """All that the page draws, as the person may know it."""
        table = self.table
        told = {
            "version": self.version,
            "state": live_state(table, PERSON),
            "log": self._log(),
            "practice": self.practice,
            "can_undo": self.practice and table.acts > 0,
            "figures": self.figures.told(),
            "rules": {"text": table.ruleset.describe(), "target": table.ruleset.target_score},
        }
        return told | ({"seed": self.seed} if table.over else {})

    def _log(self) -> dict[str, Any]:
        start = max(0, self.table.acts - MOST_LOG)
        events = self.table.events_for(PERSON, start)
        while events and events[0].deal < self.table.deal:
            del events[0]
            start += 1
        told = [{"seat": e.seat, "text": e.text, "note": e.note} for e in events]
        return {"start": start, "events": told}

    def question(self) -> Any:
        """STATE[1], a copy of the record in which the person is to act.

        Raises:
            Refusal: 409 it is not the person's turn.
        """
        if not self.table.waits_for_person:
            raise Refusal(409, "There is advice when it is your turn.")
        return self.table.states.copy()

    def finished_hands(self) -> GameRecord:
        """The record of the hands that are over: no card of the one under way is in it.

        Raises:
            Refusal: 409 there is none yet.
        """
        game = self.table.game_record()
        deals = game.deals if self.table.hand_over else game.deals[:-1]
        if not deals:
            raise Refusal(409, "No hand is finished yet.")
        return dataclasses.replace(game, deals=deals)
