"""The application: its routes, and who does the work of each."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from euchre_env.record import RecordError, save_records
from euchre_env.ruleset import OPTIONS, PRESETS, Ruleset, RulesetError

from ...advice import Advisor
from ...base import AgentError
from .fields import LARGE, MOST_SEED, Fields, Refusal, answer, read_fields, refused
from .guard import Guard
from .lineup import MOST_NAME, Lineup
from .live import LiveTable
from .replays import Wish, advice_told, replay, review
from .tables import IDLE, MOST_TABLES, Tables

STATIC = Path(__file__).resolve().parent.parent / "static"
KINDS = (".egn", ".jsonl")
T = TypeVar("T")


class Server:
    """What the routes share: tables, agents, and two pools of threads.

    Short work (a decision) and long work (a hint, a review) have threads of their own, so that
    neither the event loop nor another table waits for somebody's review.

    Args:
        host: Where the server listens, for the check of the Host header.
        most_tables: How many tables may be open.
        idle: Seconds after which a table that nobody looks at is closed.
        checkpoints: Policy files that may be named as agents.
        seed: Of the tables that name no seed of their own; by chance unless given.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        most_tables: int = MOST_TABLES,
        idle: float = IDLE,
        checkpoints: Sequence[str] = (),
        seed: int | None = None,
    ) -> None:
        self.host = host
        self.tables = Tables(most_tables, idle)
        self.lineup = Lineup(checkpoints)
        self._seeds = None if seed is None else random.Random(seed)
        self._decide = ThreadPoolExecutor(max(2, os.cpu_count() or 1), "decide")
        self._think = ThreadPoolExecutor(2, "think")

    async def decide(self, work: Callable[..., T], *args: Any) -> T:
        """Do something short in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._decide, work, *args)

    async def think(self, work: Callable[..., T], *args: Any) -> T:
        """Do something long in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._think, work, *args)

    @cached_property
    def advisor(self) -> Advisor | None:
        """Who gives hints; None where there is no champion."""
        try:
            return Advisor()
        except AgentError:
            return None

    def require_advisor(self) -> Advisor:
        """The advisor; Refusal 409 where there is none."""
        if self.advisor is None:
            raise Refusal(409, "There is no champion to ask: it has not been trained here.")
        return self.advisor

    def warm_up(self) -> None:
        """Play a hand and ask for advice, so that no person waits for compilers and files."""
        strong = "heuristic" if self.advisor is None else "champion"
        seats = (strong, "heuristic", "heuristic:easy")
        live = LiveTable(Ruleset.stick(), seats, 1, "hand", True, self.advisor)
        while not live.table.over:
            if not live.table.waits_for_person:
                live.advance()
                continue
            if self.advisor is not None:
                self.advisor.advise(live.question(), live.table.ruleset)
            live.act(live.table.legal[0])
        live.view()

    def app(self) -> Starlette:
        """The ASGI application."""
        routes = [
            Route("/", self.page),
            Mount("/static", StaticFiles(directory=STATIC)),
            Route("/api/setup", self.setup),
            Route("/api/rules", self.rules, methods=["POST"]),
            Route("/api/tables", self.open, methods=["POST"]),
            Route("/api/tables/{id}", self.look, methods=["GET"]),
            Route("/api/tables/{id}", self.leave, methods=["DELETE"]),
            Route("/api/tables/{id}/act", self.act, methods=["POST"]),
            Route("/api/tables/{id}/advance", self.change(LiveTable.advance), methods=["POST"]),
            Route("/api/tables/{id}/next", self.change(LiveTable.next_hand), methods=["POST"]),
            Route("/api/tables/{id}/undo", self.change(LiveTable.undo), methods=["POST"]),
            Route("/api/tables/{id}/hint", self.hint, methods=["POST"]),
            Route("/api/tables/{id}/record{kind}", self.record, methods=["GET"]),
            Route("/api/replay", self.replay, methods=["POST"]),
            Route("/api/review", self.review, methods=["POST"]),
        ]
        handlers: dict[Any, Any] = {
            Refusal: lambda _, error: refused(error),
            HTTPException: _http_error,
            Exception: _own_fault,
        }
        guard = Middleware(Guard, host=self.host)
        return Starlette(routes=routes, middleware=[guard], exception_handlers=handlers)

    # --- the page and its form ---

    async def page(self, request: Request) -> Response:
        """The page itself; the part after # says what it shows."""
        return FileResponse(STATIC / "index.html")

    async def setup(self, request: Request) -> Response:
        """What a table can be: agents, options, presets."""
        return answer(
            {"lineup": self.lineup.told(), "options": told_options(), "presets": told_presets()}
        )

    async def rules(self, request: Request) -> Response:
        """A rule set in words, or why it cannot be."""
        fields = await read_fields(request)
        rules = ruleset_of(fields)
        fields.done()
        return answer({"text": rules.describe()})

    # --- tables ---

    async def open(self, request: Request) -> Response:
        """Open a table."""
        fields = await read_fields(request)
        names = fields.texts("seats", 3, MOST_NAME)
        rules = ruleset_of(fields)
        length = fields.word("length", ("game", "hand"), "game")
        practice = fields.flag("practice", True)
        given = fields.maybe_whole("seed", 0, MOST_SEED)
        fields.done()
        seed = self._new_seed() if given is None else given
        self.tables.require_room()

        def make() -> LiveTable:
            seats = [self.lineup.check(name) for name in names]
            return LiveTable(rules, seats, seed, length, practice, self.advisor)

        table = await self.think(make)
        name = self.tables.add(table)
        return answer({"id": name, **await self.decide(table.view)}, 201)

    async def look(self, request: Request) -> Response:
        """What the person may know of a table."""
        table = self._table(request)
        async with table.lock:
            return await self.decide(_after, table, lambda: None)

    async def leave(self, request: Request) -> Response:
        """Close a table."""
        self.tables.close(request.path_params["id"])
        return answer({"closed": True})

    async def act(self, request: Request) -> Response:
        """The person's act."""
        table, fields = self._table(request), await read_fields(request)
        version, action = _version(fields), fields.whole("action", 0, MOST_SEED)
        fields.done()
        async with table.turn(version):
            return await self.decide(_after, table, table.act, action)

    def change(self, work: Callable[[LiveTable], None]) -> Callable[[Request], Any]:
        """A handler that changes a table in one of the ways that need nothing but its version."""

        async def handler(request: Request) -> Response:
            table, fields = self._table(request), await read_fields(request)
            version = _version(fields)
            fields.done()
            async with table.turn(version):
                return await self.decide(_after, table, work, table)

        return handler

    async def hint(self, request: Request) -> Response:
        """Advice on the person's decision, from what the person may know."""
        table, fields = self._table(request), await read_fields(request)
        version = _version(fields)
        fields.done()
        advisor = self.require_advisor()
        async with table.turn(version):
            states = table.question()
        rules = table.table.ruleset
        advice = (await self.think(advisor.advise, states, rules, version))[0]
        return answer({"version": version, **advice_told(advice)})

    async def record(self, request: Request) -> Response:
        """The finished hands of a table as a file."""
        table, kind = self._table(request), request.path_params["kind"]
        if kind not in KINDS:
            raise Refusal(404, f"A record is {' or '.join(KINDS)}, not {kind!r}.")
        async with table.lock:
            return await self.think(_record_file, table, kind)

    def _new_seed(self) -> int:
        return (self._seeds or secrets.SystemRandom()).randrange(MOST_SEED)

    def _table(self, request: Request) -> LiveTable:
        return self.tables.get(request.path_params["id"])

    # --- records ---

    async def replay(self, request: Request) -> Response:
        """A record step by step."""
        wish = Wish.read(await read_fields(request, LARGE))
        return answer(await self.think(replay, wish))

    async def review(self, request: Request) -> Response:
        """What each decision of a deal of a record cost."""
        wish = Wish.read(await read_fields(request, LARGE))
        return answer(await self.think(review, wish, self.require_advisor()))


# --- reading and telling -----------------------------------------------------------------------


def ruleset_of(fields: Fields) -> Ruleset:
    """The rule set of a request; Refusal 422 with the reason and the options in conflict."""
    try:
        rules = Ruleset.from_dict(fields.mapping("rules"))
        rules.require_partnership("the web table is")
        rules.require_small_deck("the web table is")
    except RulesetError as error:
        raise Refusal(422, str(error), conflict=list(error.conflict)) from None
    return rules


def told_options() -> list[dict[str, Any]]:
    """Every option of a rule set, as the form needs it."""
    keys = ("name", "kind", "group", "meaning", "choices", "low", "high", "step")
    return [{key: getattr(option, key) for key in keys} for option in OPTIONS.values()]


def told_presets() -> dict[str, Any]:
    """Every preset in words and in values."""
    rules = {name: Ruleset.preset(name) for name in PRESETS}
    return {name: {"text": r.describe(), "values": r.to_dict()} for name, r in rules.items()}


def _after(table: LiveTable, work: Callable[..., Any], *args: Any) -> Response:
    """Do something at a table, and the answer with what the person may know then."""
    work(*args)
    return answer(table.view())


def _version(fields: Fields) -> int:
    return fields.whole("version", 0, MOST_SEED)


def _record_file(table: LiveTable, kind: str) -> Response:
    game = table.finished_hands()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"table{kind}")
        try:
            save_records(path, [game])
        except RecordError as error:
            raise Refusal(409, str(error).removeprefix(f"{path}: ")) from None
        return Response(path.read_bytes(), media_type="text/plain; charset=utf-8")


async def _http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    words = {404: "there is nothing at this address", 405: "this address takes another method"}
    return answer({"error": words.get(status, "this cannot be done")}, status)


async def _own_fault(request: Request, error: Exception) -> Response:
    return answer({"error": "the server failed at this; its own output says why"}, 500)
