"""Speed side by side with what users could pick instead: one table, one command.

    pip install -c constraints.txt -e ".[bench]" && python benchmarks/throughput.py

All measures take turns, ``--repeats`` times ``--seconds`` of CPU time each on one thread, and the
table shows medians, since a shared machine drifts. Ratios hold within one run only. "must" and
"aim" are this project's own targets; a row that misses its "must" is marked and the exit status
is 1.
``--peers-only`` measures the peers alone. ``--json FILE`` writes every single sample too.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

if __name__ == "__main__":  # one thread, said before NumPy and numba are imported
    for _library in ("OMP", "MKL", "OPENBLAS", "NUMBA"):
        os.environ[f"{_library}_NUM_THREADS"] = "1"

from peers import PEERS, Sample, openspiel_decisions_per_hand

LIBRARIES = ("numpy", "numba", "gymnasium", "pettingzoo", "open-spiel", "shimmy")


class Comparison(NamedTuple):
    """A row: our measure against a peer, and the ratio that it must and should reach."""

    title: str
    ours: str
    peer: str
    must: float | None = None
    aim: float | None = None


class Limit(NamedTuple):
    """A row where less is better: our figure and what it must and should stay under."""

    title: str
    figure: str
    unit: str
    must: float | None
    aim: float | None


COMPARISONS = [
    Comparison(
        "random hands in a kernel / OpenSpiel, C++", "kernel_hands", "openspiel_hands", 8, 15
    ),
    Comparison("  / OpenSpiel, C++ rollouts of one deal", "kernel_hands", "openspiel_rollouts"),
    Comparison("batch, mask / OpenSpiel loop", "batch_mask", "openspiel_loop", 15, 30),
    Comparison("  with choosing actions", "batch_mask_selecting", "openspiel_loop"),
    Comparison("batch, mask, obs / with tensor", "batch_observation", "openspiel_tensor", 8, 18),
    Comparison("  with choosing actions", "batch_observation_selecting", "openspiel_tensor"),
    Comparison("AEC / Shimmy", "aec", "shimmy_aec", 40, 75),
    Comparison("AEC / do-nothing AEC", "aec", "do_nothing_aec", 0.4, 0.7),
    Comparison("  / do-nothing AEC, standard wrappers", "aec", "do_nothing_wrapped"),
]

LIMITS = [
    Limit("import euchre_env", "import", "s", None, 1.0),
    Limit("first use, empty cache", "first", "s", None, 20.0),
    Limit("first use, warm cache", "warm", "s", None, 1.5),
    Limit("memory of one AEC environment", "memory", "KiB", 64.0, None),
]


# ---- measuring -----------------------------------------------------------------------------------


def interleave(
    measures: dict[str, Callable[[float], Sample]], repeats: int, seconds: float
) -> dict[str, list[Sample]]:
    """Every measure in turn, ``repeats`` times over."""
    samples: dict[str, list[Sample]] = {name: [] for name in measures}
    for repeat in range(repeats):
        for name, measure in measures.items():
            samples[name].append(measure(seconds))
        print(f"repeat {repeat + 1} of {repeats} done", file=sys.stderr, flush=True)
    return samples


def measure_limits(repeats: int) -> dict[str, float]:
    """The figures of `LIMITS`: medians, but for the first compile, which is measured once."""
    import ours

    first, warm = ours.first_and_warm_seconds()
    return {
        "import": median(ours.import_seconds() for _ in range(repeats)),
        "first": first,
        "warm": warm,
        "memory": ours.memory_bytes() / 1024,
    }


# ---- the table -----------------------------------------------------------------------------------


def mark(value: float, must: float | None, aim: float | None, less: bool = False) -> str:
    """How a figure stands to its targets."""
    sign = -1 if less else 1
    if must is not None and sign * value < sign * must:
        return "MISSES must"
    if aim is not None and sign * value < sign * aim:
        return "under aim" if not less else "over aim"
    return "ok" if (must, aim) != (None, None) else ""


def number(value: float | None) -> str:
    """A target as printed; nothing where there is none."""
    return "" if value is None else f"{value:g}"


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """Left-aligned first column, right-aligned others, in Markdown."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    for row in [header, rule, *rows]:
        cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))]
        print("| " + " | ".join(cells) + " |")


def compare(rates: dict[str, float]) -> list[dict[str, Any]]:
    """One result for each row of `COMPARISONS`."""
    results = []
    for row in COMPARISONS:
        mine, theirs = rates[row.ours], rates[row.peer]
        result = {**row._asdict(), "rate": mine, "peer_rate": theirs, "ratio": mine / theirs}
        results.append({**result, "status": mark(mine / theirs, row.must, row.aim)})
    return results


def show_comparisons(results: list[dict[str, Any]]) -> None:
    """The table of ratios."""
    header = ["measure / peer", "ours, 1/s", "peer, 1/s", "ratio", "must", "aim", ""]
    rows = [
        [
            r["title"],
            f"{r['rate']:,.0f}",
            f"{r['peer_rate']:,.0f}",
            f"{r['ratio']:.2f}",
            number(r["must"]),
            number(r["aim"]),
            r["status"],
        ]
        for r in results
    ]
    print_table(header, rows)


def show_limits(figures: dict[str, float]) -> list[str]:
    """The table of start-up and memory; the status of each row."""
    statuses = [mark(figures[row.figure], row.must, row.aim, less=True) for row in LIMITS]
    rows = []
    for row, status in zip(LIMITS, statuses):
        figure = f"{figures[row.figure]:.2f} {row.unit}"
        rows.append([row.title, figure, number(row.must), number(row.aim), status])
    print_table(["start-up and memory", "ours", "must be under", "aim", ""], rows)
    return statuses


def show_peers(samples: dict[str, list[Sample]]) -> None:
    """The table of all rates with their spread."""
    rows = []
    for name, taken in samples.items():
        rates = sorted(s.rate for s in taken)
        spread = f"{rates[0]:,.0f} .. {rates[-1]:,.0f}"
        rows.append([name, f"{median(rates):,.0f}", spread])
    print_table(["decisions a second of CPU time", "median", "least .. most"], rows)


# ---- the command ---------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """What the figures were taken on; imported late, since it brings the agents along."""
    from agents.evaluation.machine import machine as here

    return here(LIBRARIES)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="rounds over all measures (5)")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds a measure (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples here")
    parser.add_argument("--peers-only", action="store_true", help="leave euchre_env out")
    options = parser.parse_args(arguments)
    if options.repeats < 1 or options.seconds <= 0:
        parser.error("--repeats needs at least 1 and --seconds more than 0")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and say by the exit status whether every must is met."""
    options = parse(arguments)
    measures = dict(PEERS)
    if not options.peers_only:
        import ours

        measures.update(ours.OURS)
    openspiel_decisions_per_hand()  # outside every measured interval
    samples = interleave(measures, options.repeats, options.seconds)
    report: dict[str, Any] = {
        "machine": machine(),
        "samples": {name: [s._asdict() for s in taken] for name, taken in samples.items()},
    }
    show_peers(samples)
    missed = False
    if not options.peers_only:
        rates = {name: median(s.rate for s in taken) for name, taken in samples.items()}
        results, figures = compare(rates), measure_limits(options.repeats)
        print()
        show_comparisons(results)
        print()
        statuses = show_limits(figures) + [r["status"] for r in results]
        missed = "MISSES must" in statuses
        report |= {"comparisons": results, "limits": figures}
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
