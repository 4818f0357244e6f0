"""Requests and answers: JSON objects, read field by field with a reason for each fault."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NoReturn

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

SMALL = 16 * 1024
"""Bytes that a request may have, unless it carries a record."""
LARGE = 1024 * 1024
"""Bytes that a request may have that carries a record."""
PATIENCE = 20.0
"""Seconds in which a request's body has to arrive."""
MOST_SEED = 2**53 - 1
"""The largest whole number that JavaScript holds exactly."""


class Refusal(ValueError):
    """A request that is not met.

    Attributes:
        status: The HTTP status, 4xx or 503.
        reason: Why, in a sentence for a person.
        more: Further keys of the answer.
    """

    def __init__(self, status: int, reason: str, **more: Any) -> None:
        super().__init__(reason)
        self.status, self.reason, self.more = status, reason, more


def answer(data: Mapping[str, Any], status: int = 200) -> Response:
    """A JSON answer. Everything beyond ASCII is escaped, so that no text can break it."""
    body = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return Response(body, status, media_type="application/json")


def refused(refusal: Refusal) -> Response:
    """The answer to a request that is not met."""
    return answer({"error": refusal.reason, **refusal.more}, refusal.status)


async def read_fields(request: Request, most: int = SMALL) -> Fields:
    """The fields of a request's JSON body.

    Raises:
        Refusal: 415 not JSON by its header, 413 too long, 408 too slow, 400 malformed.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, "send a JSON object, with the header Content-Type: application/json")
    try:
        body = await asyncio.wait_for(_body(request, most), PATIENCE)
    except asyncio.TimeoutError:
        raise Refusal(408, f"the request took more than {PATIENCE:.0f} s to arrive") from None
    except ClientDisconnect:
        raise Refusal(400, "the request broke off") from None
    return Fields(parse_object(body))


async def _body(request: Request, most: int) -> bytes:
    told = request.headers.get("content-length", "0")
    if not told.isdecimal() or len(told) > 9 or int(told) > most:
        raise Refusal(413, f"at most {most} bytes may be sent here")
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise Refusal(413, f"at most {most} bytes may be sent here")
    return bytes(body)


def parse_object(body: bytes) -> dict[str, Any]:
    """A JSON object; Refusal 400 for anything else, NaN and names given twice included."""
    try:
        data = json.loads(
            body.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_unique
        )
    except (ValueError, RecursionError) as error:
        raise Refusal(400, f"malformed JSON: {_short(str(error))}") from None
    if not isinstance(data, dict):
        raise Refusal(400, "send a JSON object, such as {}")
    return data


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is given twice")
    return found


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 80 else text[:76] + " ..."


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class Fields:
    """The fields of one request. Each is asked for once; :meth:`done` refuses any others.

    Every method raises Refusal 400, which names the field, for a value that does not fit.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._left = dict(data)

    def _take(self, name: str, default: Any, fits: Any, takes: str) -> Any:
        value = self._left.pop(name, default)
        if value is default and default is not None:
            return value
        if not fits(value):
            given = "is missing" if value is None else f"is {_short(repr(value))}"
            raise Refusal(400, f"{name!r} {given}: it takes {takes}")
        return value

    def whole(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number; needed unless there is a default."""

        def fits(value: object) -> bool:
            return _is_whole(value) and low <= value <= high  # type: ignore[operator]

        return int(self._take(name, default, fits, f"a whole number {low} to {high}"))

    def maybe_whole(self, name: str, low: int, high: int) -> int | None:
        """A whole number, or None where it is absent or null."""
        if self._left.get(name) is None:
            self._left.pop(name, None)
            return None
        return self.whole(name, low, high)

    def text(self, name: str, most: int, default: str | None = None) -> str:
        """A text of at most ``most`` characters."""

        def fits(value: object) -> bool:
            return isinstance(value, str) and 0 < len(value) <= most

        return str(self._take(name, default, fits, f"a text of 1 to {most} characters"))

    def word(self, name: str, words: tuple[str, ...], default: str) -> str:
        """One of some words."""

        def fits(value: object) -> bool:
            return value in words

        return str(self._take(name, default, fits, " or ".join(map(repr, words))))

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""

        def fits(value: object) -> bool:
            return isinstance(value, bool)

        return bool(self._take(name, default, fits, "true or false"))

    def mapping(self, name: str) -> dict[str, Any]:
        """A JSON object; empty where it is absent."""

        def fits(value: object) -> bool:
            return isinstance(value, dict)

        return dict(self._take(name, {}, fits, "an object of names and values"))

    def texts(self, name: str, count: int, most: int) -> list[str]:
        """A list of ``count`` texts of at most ``most`` characters."""

        def fits(value: object) -> bool:
            return (
                isinstance(value, list)
                and len(value) == count
                and all(isinstance(v, str) and 0 < len(v) <= most for v in value)
            )

        return list(self._take(name, None, fits, f"a list of {count} texts"))

    def done(self) -> None:
        """Refuse fields that nobody asked for."""
        if self._left:
            names = ", ".join(_short(repr(name)) for name in list(self._left)[:5])
            raise Refusal(400, f"nothing here is called {names}")
