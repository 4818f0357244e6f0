"""The verb ``serve``: the table in the browser."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import socket
import sys
from typing import Any

HOST, PORT = "127.0.0.1", 8024
EXTRA = ("starlette", "uvicorn")


class ServeError(ValueError):
    """A server that cannot be started; the message says what to do."""


def add_serve_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``serve`` takes."""
    parser.add_argument(
        "--host", default=HOST, metavar="ADDRESS", help="where to listen (default: %(default)s)"
    )
    parser.add_argument(
        "--port", type=int, default=PORT, metavar="N", help="0 for any (default: %(default)s)"
    )
    parser.add_argument(
        "--agent",
        action="append",
        default=[],
        metavar="FILE.safetensors",
        help="a policy file that may be named as a player; may be given more than once",
    )
    parser.add_argument(
        "--tables", type=int, default=500, metavar="N", help="open at most (default: %(default)s)"
    )
    parser.add_argument(
        "--idle",
        type=float,
        default=6.0,
        metavar="HOURS",
        help="close tables that nobody looked at for so long (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="of tables that name none (default: drawn by chance)"
    )


def run_serve(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    require_web()
    _check(args)
    for path in args.agent:
        _check_agent(path)
    warn(args.host)
    bound = listen(args.host, args.port)
    serve(bound, args)
    return 0


def require_web() -> None:
    """Raise ServeError where the extra ``web`` is not installed."""
    missing = [name for name in EXTRA if importlib.util.find_spec(name) is None]
    if missing:
        raise ServeError(
            f"{' and '.join(missing)} missing: install the extra with pip install 'euchre-env[web]'"
        )


def _check(args: argparse.Namespace) -> None:
    if not 0 <= args.port <= 65535:
        raise ServeError(f"--port {args.port}: give 0 to 65535")
    if args.tables < 1:
        raise ServeError(f"--tables {args.tables}: give 1 or more")
    if not args.idle > 0:
        raise ServeError(f"--idle {args.idle}: give a number of hours above zero")


def _check_agent(path: str) -> None:
    from .. import make

    make(path)  # an unusable file is better told now than at a table


def warn(host: str) -> None:
    """Say clearly who else can play where the server does not listen at loopback."""
    from .web.guard import is_loopback

    if not is_loopback(host):
        print(
            f"euchre: warning: at {host} everyone who can reach this machine over the network can "
            "open tables here; there are no accounts and no encryption. Without --host, only this "
            "machine can.",
            file=sys.stderr,
        )


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; OSError names host and port where it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once only where the socket is known to be TCP: without this,
    # each one waits some 40 ms for the browser's acknowledgement of its first half.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise OSError(error.errno, error.strerror, f"{host}:{port}") from None
    return bound


def serve(bound: socket.socket, args: argparse.Namespace) -> None:
    """Answer requests at a bound socket until interrupted."""
    import torch
    import uvicorn

    from .web.app import Server

    # A decision is one row: more threads would only wait for one another.
    torch.set_num_threads(1)
    server = Server(args.host, args.tables, args.idle * 3600, args.agent, args.seed)
    print("euchre: setting the table ...", flush=True)
    server.warm_up()
    print(f"euchre: a table is set at {address(bound)} (Ctrl-C closes it)", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(settings(server)).run(sockets=[bound])


def address(bound: socket.socket) -> str:
    """The address that a browser takes."""
    host, port = bound.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def settings(server: Any) -> Any:
    """How uvicorn serves: no WebSockets, short headers, no line for every request."""
    import uvicorn

    return uvicorn.Config(
        server.app(),
        ws="none",
        lifespan="off",
        http="h11",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        limit_concurrency=2000,
        h11_max_incomplete_event_size=16 * 1024,
    )
