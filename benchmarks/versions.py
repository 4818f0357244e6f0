"""Speed of this checkout beside that of an older one: did a change cost anything?

    git worktree add ../before HEAD~20 && python benchmarks/versions.py ../before

Both are measured by the functions of ``ours.py``, in turns, each turn in a process of its own with
one thread: ``--rounds`` times ``--seconds`` of CPU time a measure. The table shows medians, their
ratio, and the least and greatest ratio of a round. ``--most 5`` makes the exit status 1 where a
measure is more than 5 % slower.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from throughput import print_table

HERE = Path(__file__).resolve().parent

# Run in a new process, with the checkout's package first on the path.
TURN = """
import json, sys
sys.path[:0] = sys.argv[1:3]
import euchre_env, ours
from pathlib import Path
assert Path(euchre_env.__file__).is_relative_to(sys.argv[1]), euchre_env.__file__
print(json.dumps({name: measure(float(sys.argv[3])).rate for name, measure in ours.OURS.items()}))
"""


def turn(checkout: Path, cache: Path, seconds: float) -> dict[str, float]:
    """Decisions a second of CPU time by measure, of the package in ``checkout``."""
    one = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMBA")}
    shown = subprocess.run(
        [sys.executable, "-c", TURN, str(checkout), str(HERE), str(seconds)],
        env={**os.environ, **one, "EUCHRE_ENV_CACHE": str(cache)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    rates: dict[str, float] = json.loads(shown.stdout.splitlines()[-1])
    return rates


def compare(before: Path, rounds: int, seconds: float) -> dict[str, list[tuple[float, float]]]:
    """Rates of both checkouts, (before, now) a round, by measure."""
    rates: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        sides = [(before, Path(folder, "before")), (HERE.parent, Path(folder, "now"))]
        for each in sides:
            turn(*each, seconds=0.01)  # compiles
        for number in range(rounds):
            # Who goes first alternates, so that a drift of the machine favours neither.
            order = sides if number % 2 else sides[::-1]
            taken = {checkout: turn(checkout, cache, seconds) for checkout, cache in order}
            then, now = taken[before], taken[HERE.parent]
            for name in now:
                rates.setdefault(name, []).append((then[name], now[name]))
            print(f"round {number + 1} of {rounds} done", file=sys.stderr, flush=True)
    return rates


def show(rates: dict[str, list[tuple[float, float]]]) -> dict[str, float]:
    """Print the table; the ratios now / before by measure."""
    header = ["decisions a second of CPU time", "before", "now", "now / before", "by round"]
    ratios, rows = {}, []
    for name, pairs in rates.items():
        then, now = (median(side) for side in zip(*pairs))
        each = sorted(after / ago for ago, after in pairs)
        ratios[name] = now / then
        spread = f"{each[0]:.3f} .. {each[-1]:.3f}"
        rows.append([name, f"{then:,.0f}", f"{now:,.0f}", f"{ratios[name]:.3f}", spread])
    print_table(header, rows)
    return ratios


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path, help="folder of the other checkout")
    parser.add_argument("--rounds", type=int, default=7, help="turns of both (7)")
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds a measure (2)")
    parser.add_argument("--most", type=float, metavar="PERCENT", help="fail when slower than this")
    options = parser.parse_args(arguments)
    options.before = options.before.resolve()
    if not (options.before / "euchre_env" / "__init__.py").is_file():
        parser.error(f"{options.before} holds no euchre_env: give the folder of a checkout")
    if options.before == HERE.parent:
        parser.error(f"{options.before} is this checkout: give another one")
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds needs at least 1 and --seconds more than 0")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and say by the exit status whether anything became too slow."""
    options = parse(arguments)
    ratios = show(compare(options.before, options.rounds, options.seconds))
    if options.most is None:
        return 0
    slow = [name for name, ratio in ratios.items() if ratio < 1 - options.most / 100]
    for name in slow:
        print(f"more than {options.most:g} % slower: {name}", file=sys.stderr)
    return int(bool(slow))


if __name__ == "__main__":
    sys.exit(main())
