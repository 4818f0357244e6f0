"""Who may ask: hosts, origins, and the headers that keep a page from reaching anywhere else."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .fields import Refusal, refused

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page's Content-Security-Policy: only its own files, no inline script, no other site."""

SECURITY_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
READING = ("GET", "HEAD", "OPTIONS")


class Guard:
    """ASGI middleware that refuses foreign hosts and cross-origin writes.

    Args:
        app: The application behind it.
        host: The name or address that the server was told to listen at.
    """

    def __init__(self, app: ASGIApp, host: str = "127.0.0.1") -> None:
        self.app, self.host = app, host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is refused; pass any other on, and guard its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            self._check(scope)
        except Refusal as refusal:
            await refused(refusal)(scope, receive, send_guarded)
            return
        await self.app(scope, receive, send_guarded)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        if len(headers.getlist("host")) != 1 or not is_own_host(headers["host"], self.host):
            raise Refusal(421, "this server answers to its address and to localhost only")
        if scope["method"] in READING:
            return
        origin = headers.get("origin")
        if origin is not None and _place(origin) != headers["host"].lower():
            raise Refusal(403, "another site's page may not act here")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise Refusal(403, "another site's page may not act here")


def _place(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def is_own_host(header: str, host: str) -> bool:
    """Whether a Host header names this server.

    Any address will do but no name except localhost and the server's own: a foreign name that
    was made to point here (DNS rebinding) is refused.
    """
    try:
        name = urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return False
    return name in ("localhost", host.lower()) or is_address(name)


def is_address(name: str) -> bool:
    """Whether a host is an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens at ``host``."""
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)
