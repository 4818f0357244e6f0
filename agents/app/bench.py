"""The verb ``bench``."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .options import add_json, add_seed, positive

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "throughput.py"
PEERS = ("pyspiel", "shimmy")
BATCH = 4096


def add_bench_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``bench`` takes."""
    parser.add_argument(
        "--seconds", type=positive, default=1.0, metavar="S", help="a measure (default: 1)"
    )
    parser.add_argument(
        "--short", action="store_true", help="only the engine, without benchmarks/throughput.py"
    )
    add_json(parser)
    add_seed(parser, "the short measure")


def run_bench(args: argparse.Namespace) -> int:
    """Run the side-by-side benchmark of a checkout, or else measure the engine alone."""
    lacking = [name for name in PEERS if find_spec(name) is None]
    if SCRIPT.is_file() and not lacking and not args.short:
        return _side_by_side(args.seconds, args.json)
    report = measure(args.seconds, args.seed)
    if args.json:
        print(json.dumps(report))
        return 0
    for name, rate in report["decisions_per_second"].items():
        print(f"{name.replace('_', ' '):<32} {rate:>14,.0f} decisions/s")
    print(f"whole random hands {report['hands_per_second']:>27,.0f} hands/s, one thread")
    return 0


def _side_by_side(seconds: float, as_json: bool) -> int:
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        command = [sys.executable, str(SCRIPT), "--seconds", str(seconds), "--json", str(figures)]
        done = subprocess.run(command, stdout=sys.stderr if as_json else None, check=False)
        if as_json and figures.is_file():
            print(json.dumps(json.loads(figures.read_text(encoding="utf-8"))))
    return done.returncode


def measure(seconds: float, seed: int) -> dict[str, Any]:
    """Decisions and hands a second of the engine, one thread, each measured for ``seconds``."""
    from euchre_env import BatchEnv, Ruleset
    from euchre_env.kernels import random_hands

    record, hands = Ruleset().record(), 20_000
    decisions = random_hands(record, seed, hands)  # the first call compiles
    rates = {"random_hands": _rate(lambda: random_hands(record, seed, hands), seconds)}
    for name, observe in (("batch_with_mask", False), ("batch_with_observation", True)):
        env = BatchEnv(BATCH, seed=seed, observe=observe)
        env.reset()
        rates[name] = _rate(lambda env=env: _step(env), seconds)  # type: ignore[misc]
    return {
        "decisions_per_second": rates,
        "hands_per_second": rates["random_hands"] * hands / decisions,
        "batch": BATCH,
        "seed": seed,
        "threads": 1,
    }


def _step(env: Any) -> int:
    env.step(env.random_actions())
    return BATCH


def _rate(work: Callable[[], int], seconds: float) -> float:
    """Units of work a second; the first round, which may compile, does not count."""
    work()
    start, done = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        done += work()
    return done / (time.perf_counter() - start)
