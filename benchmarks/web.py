"""The web server under load: many tables at once, decision times, malformed requests.

    python benchmarks/web.py [--tables 200] [--seconds 60] [--malformed 1000] [--json FILE]

A server is started on loopback in a process of its own. Every table is played by a client that
takes the first legal act; tables that are over are opened anew, so that all of them are in play
the whole time. Then single tables measure how long an agent's decision takes from request to
answer, and malformed requests are sent while a table is played on. "must" is this project's own
target; the exit status is 1 where one is missed.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import httpx2 as httpx

ROOT = Path(__file__).resolve().parent.parent
SOUTH = 2
CROWD = ["heuristic", "champion", "heuristic:medium"]
READY = "a table is set at "
JSON = {"content-type": "application/json"}


@dataclass
class Row:
    """A measure of the table, its unit, and what it must be below."""

    title: str
    value: float
    unit: str
    must: float | None = None

    @property
    def missed(self) -> bool:
        """Whether it is not what it must be."""
        return self.must is not None and self.value > self.must


@dataclass
class Tally:
    """What happened at all tables together."""

    answers: Counter = field(default_factory=Counter)
    acts: int = 0
    hands: int = 0
    games: int = 0
    lost: int = 0
    seconds: list[float] = field(default_factory=list)


# ---- the server ----------------------------------------------------------------------------------


def start_server(tables: int) -> tuple[subprocess.Popen[str], str]:
    """A server at a free port, and its address."""
    command = [sys.executable, "-m", "agents", "serve", "--port", "0", "--seed", "1"]
    command += ["--tables", str(tables)]
    paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=os.environ | paths
    )
    assert process.stdout is not None
    for line in process.stdout:
        if READY in line:
            return process, line.split(READY)[1].split()[0]
    raise SystemExit("the server did not start: its own output says why")


# ---- tables --------------------------------------------------------------------------------------


async def open_table(http: httpx.AsyncClient, seats: list[str], seed: int) -> dict[str, Any]:
    """Open a table; South is ours."""
    asked = {"seats": seats, "rules": {"preset": "stick"}, "seed": seed}
    response = await http.post("/api/tables", json=asked)
    response.raise_for_status()
    return dict(response.json())


async def move(http: httpx.AsyncClient, view: dict[str, Any], tally: Tally) -> dict[str, Any]:
    """Whatever comes next at a table."""
    state, body = view["state"], {"version": view["version"]}
    if state["hand_over"]:
        verb = "next"
    elif state["actor"] == SOUTH:
        verb, body["action"] = "act", state["legal"][0]["action"]
    else:
        verb = "advance"
    start = time.perf_counter()
    response = await http.post(f"/api/tables/{view['id']}/{verb}", json=body)
    tally.seconds.append(time.perf_counter() - start)
    tally.answers[response.status_code] += 1
    response.raise_for_status()
    after = {"id": view["id"], **response.json()}
    tally.acts += verb != "next"
    tally.hands += verb != "next" and after["state"]["hand_over"]
    return after


async def keep_playing(http: httpx.AsyncClient, number: int, end: float, tally: Tally) -> None:
    """Play at one table until ``end``, game after game; the table has to be there at the end."""
    view = await open_table(http, CROWD, number)
    while time.perf_counter() < end:
        if view["state"]["over"]:
            tally.games += 1
            await http.delete(f"/api/tables/{view['id']}")
            view = await open_table(http, CROWD, number + 1000 * tally.games)
        view = await move(http, view, tally)
    found = await http.get(f"/api/tables/{view['id']}")
    same = found.status_code == 200 and found.json()["version"] == view["version"]
    tally.lost += not same


async def crowd(address: str, tables: int, seconds: float) -> Tally:
    """Many tables at once."""
    tally = Tally()
    limits = httpx.Limits(max_connections=tables, max_keepalive_connections=tables)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=120) as http:
        end = time.perf_counter() + seconds
        await asyncio.gather(*(keep_playing(http, k, end, tally) for k in range(tables)))
    return tally


async def decision_times(address: str, agent: str, decisions: int) -> list[float]:
    """Seconds from request to answer of single decisions of an agent, at a table by itself."""
    times: list[float] = []
    async with httpx.AsyncClient(base_url=address, timeout=120) as http:
        view = await open_table(http, [agent] * 3, 7)
        while len(times) < decisions:
            if view["state"]["over"]:
                view = await open_table(http, [agent] * 3, 8 + len(times))
            asked = Tally()
            by_agent = view["state"]["actor"] not in (SOUTH, None)
            view = await move(http, view, asked)
            times += asked.seconds if by_agent else []
    return times


# ---- malformed requests --------------------------------------------------------------------------

WORDS = ["version", "action", "seats", "rules", "record", "game", "seed", "length", "x"]
VALUES = [None, True, -1, 1e9, "x", [], {}, [[]], {"a": {}}, 2**70, "\ud800", "9" * 500]
BROKEN = [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"version": NaN}', b"[" * 9000, b"{}" * 9000]


async def malformed(address: str, count: int) -> tuple[Counter, int]:
    """Statuses of malformed requests, and acts made meanwhile at a table that goes on."""
    rng, statuses, tally = random.Random(1), Counter(), Tally()
    async with httpx.AsyncClient(base_url=address, timeout=120) as http:
        view = await open_table(http, ["heuristic"] * 3, 3)
        for k in range(count):
            response = await http.send(bad_request(http, view["id"], rng))
            statuses[response.status_code] += 1
            assert response.json()["error"], response.text
            if k % 10 == 0 and not view["state"]["over"]:
                view = await move(http, view, tally)
    return statuses, tally.acts


def bad_request(http: httpx.AsyncClient, table: str, rng: random.Random) -> httpx.Request:
    """A request that nobody should send."""
    verb = rng.choice(["act", "advance", "next", "undo", "hint", "none"])
    path = rng.choice([f"/api/tables/{table}/{verb}", "/api/tables", "/api/replay", "/none"])
    fields = {rng.choice(WORDS): rng.choice(VALUES) for _ in range(rng.randrange(1, 4))}
    body = rng.choice(BROKEN) if rng.random() < 0.3 else json.dumps(fields).encode()
    headers = dict(JSON)
    if rng.random() < 0.1:
        headers["content-type"] = "text/plain"
    if rng.random() < 0.1:
        headers["origin"] = "http://elsewhere.example"
    return http.build_request("POST", path, content=body, headers=headers)


# ---- the table of figures ------------------------------------------------------------------------


def high(times: list[float], share: float = 0.95) -> float:
    """The time that a share of all times stays below."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def crowd_rows(tally: Tally, tables: int, seconds: float) -> list[Row]:
    """The figures of many tables at once."""
    bad = sum(n for status, n in tally.answers.items() if status >= 400)
    return [
        Row(f"{tables} tables at once: tables lost", tally.lost, "", 0),
        Row("  requests refused or failed", bad, "", 0),
        Row("  acts", tally.acts / seconds, "a second"),
        Row("  hands finished", tally.hands, ""),
        Row("  answer, median", 1000 * median(tally.seconds), "ms"),
        Row("  answer, 95 of 100", 1000 * high(tally.seconds), "ms"),
    ]


def decision_rows(agent: str, times: list[float], must: float) -> list[Row]:
    """The figures of one agent's decisions."""
    return [
        Row(f"a decision of {agent}, median", 1000 * median(times), "ms", must),
        Row("  95 of 100", 1000 * high(times), "ms", must),
    ]


def print_rows(rows: list[Row]) -> None:
    """Print the table."""
    width = max(len(row.title) for row in rows)
    for row in rows:
        must = "" if row.must is None else f"  must be at most {row.must:g}"
        mark = "  MISSED" if row.missed else ""
        print(f"{row.title.ljust(width)}  {row.value:10.1f} {row.unit}{must}{mark}")


def measure(address: str, options: argparse.Namespace) -> list[Row]:
    """All figures, in the order of the table."""
    rows = []
    for agent, must, count in (("champion", 50.0, 200), ("champion+search", 1000.0, 60)):
        times = asyncio.run(decision_times(address, agent, count))
        rows += decision_rows(agent, times, must)
    tally = asyncio.run(crowd(address, options.tables, options.seconds))
    rows += crowd_rows(tally, options.tables, options.seconds)
    statuses, acts = asyncio.run(malformed(address, options.malformed))
    not_refused = sum(n for status, n in statuses.items() if not 400 <= status < 500)
    told = ", ".join(f"{n} of {status}" for status, n in sorted(statuses.items()))
    rows.append(Row(f"{options.malformed} malformed requests, not refused", not_refused, "", 0))
    rows.append(Row(f"  acts at a table meanwhile (answers: {told})", acts, ""))
    return rows


def main() -> int:
    """Print the table; 1 where a "must" is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--malformed", type=int, default=1000)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args()
    process, address = start_server(options.tables + 20)
    try:
        rows = measure(address, options)
    finally:
        process.terminate()
        process.wait()
    print_rows(rows)
    if options.json:
        figures = [vars(row) for row in rows]
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return int(any(row.missed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
