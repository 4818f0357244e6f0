"""Time of matches and self-play data by the number of worker processes: one table, one command.

    python benchmarks/scaling.py [--workers 1 2] [--repeats 3] [--jobs NAME ...] [--json FILE]

Every job is an `euchre` command of its own; the counts of workers take turns, and the table shows
medians of the time that the command tells, starts of its workers included, beside the processor
seconds of the whole command. Results have to be equal for all counts, or the exit status is 1. On
a machine that does other work at the same time the ratios say little: the load is printed too.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
JOBS = {
    "heuristic": "match heuristic greedy --deals 1000000",
    "champion": "match champion heuristic --deals 60000",
    "search": "match champion+search champion --deals 100",
    "pimc": "match pimc:20 heuristic --deals 2000",
    "data": "generate greedy --hands 100000 --out {folder}/rows.npy",
}


class Run(NamedTuple):
    """One run of a job.

    Attributes:
        seconds: As the command tells.
        processor: Processor seconds of the command and its workers.
        result: What must not depend on the workers.
    """

    seconds: float
    processor: float
    result: Any


def run(job: str, workers: int) -> Run:
    """Run a job with some workers."""
    before = os.times()
    with tempfile.TemporaryDirectory() as folder:
        words = [*JOBS[job].format(folder=folder).split(), "--workers", str(workers), "--json"]
        done = subprocess.run(
            [sys.executable, "-m", "agents", *words],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            check=True,
        )
    told, after = json.loads(done.stdout), os.times()
    processor = after.children_user + after.children_system
    processor -= before.children_user + before.children_system
    return Run(told["seconds"], processor, told.get("points_per_hand", told.get("rows")))


def measure(job: str, counts: list[int], repeats: int) -> dict[int, list[Run]]:
    """Run a job with each number of workers in turns."""
    found: dict[int, list[Run]] = {count: [] for count in counts}
    for _ in range(repeats):
        for count in counts:
            found[count].append(run(job, count))
    return found


def row_of(job: str, found: dict[int, list[Run]]) -> dict[str, Any]:
    """A row of the table: medians, the ratio to the first count, whether all results agree."""
    first = median(r.seconds for r in next(iter(found.values())))
    return {
        "job": job,
        "command": JOBS[job],
        "seconds": {n: median(r.seconds for r in runs) for n, runs in found.items()},
        "ratio": {n: first / median(r.seconds for r in runs) for n, runs in found.items()},
        "processor": {n: median(r.processor for r in runs) for n, runs in found.items()},
        "equal": len({r.result for runs in found.values() for r in runs}) == 1,
        "load": os.getloadavg()[0],
    }


def main(argv: list[str] | None = None) -> int:
    """Run the jobs and print the table."""
    parser = argparse.ArgumentParser(description="Time by the number of workers.")
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2], metavar="N")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=list(JOBS), metavar="NAME")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args(argv)
    rows = []
    for job in args.jobs:
        row = row_of(job, measure(job, args.workers, args.repeats))
        rows.append(row)
        print(f"euchre {row['command']}: results {'equal' if row['equal'] else 'DIFFER'}")
        for n in args.workers:
            print(
                f"  {n:3} workers {row['seconds'][n]:8.1f} s  ratio {row['ratio'][n]:5.2f}  "
                f"processor {row['processor'][n]:7.1f} s"
            )
        print(f"  load {row['load']:.1f} on {os.cpu_count()} cores", flush=True)
    if args.json is not None:
        args.json.write_text(json.dumps(rows))
    return int(not all(row["equal"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
