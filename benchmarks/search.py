"""Speed of the solver and of the players that use it, on one core: one table, one command.

    python benchmarks/search.py [--repeats 5] [--seconds 1] [--json FILE]

Full deals are solved from the opening lead under the preset `stick`, in points (euchred, made,
march): shuffled cards, a maker drawn among the four seats who orders up and plays with the partner,
and a discard drawn by the dealer. The players decide all calls and cards of all four seats in whole
hands; forced actions are counted unless the row says otherwise. All measures take turns and the
table shows medians over process CPU time, since a shared machine drifts. "must" and "aim" are this
project's own targets; the exit status is 1 where a "must" is missed.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

if __name__ == "__main__":  # one thread, said before NumPy and numba are imported
    for _library in ("OMP", "MKL", "OPENBLAS", "NUMBA"):
        os.environ[f"{_library}_NUM_THREADS"] = "1"

import time

import numpy as np

import agents
from agents import heuristic
from euchre_env import BatchEnv, Ruleset
from euchre_env._jit import njit
from euchre_env.kernels import below, draw, nth_action, seed_of, start_episode
from euchre_env.rules import ORDER_UP, PASS, STATE, WITH_PARTNER, apply, legal, new_states
from euchre_env.solver import new_search, play_value, play_values, solve_range, value_range
from peers import SEED, Sample, sample
from throughput import interleave, machine, mark, print_table

RULES = Ruleset.stick()
DEALS = 2000
GAMES = 256


class Row(NamedTuple):
    """A measure of the table and what it must and should reach, per second."""

    title: str
    measure: str
    must: float | None = None
    aim: float | None = None


ROWS = [
    Row("full deals solved, points class", "deals_solved", 100_000, 200_000),
    Row("class of every legal first card, deals", "first_cards_solved", 50_000, 100_000),
    Row("pimc:50 in all seats, decisions", "pimc", 3_000, 6_000),
    Row("  without forced ones", "pimc_unforced"),
    Row("heuristic in a kernel, decisions", "heuristic_playouts", 3e6, 1e7),
]


# ---- the solver ----------------------------------------------------------------------------------


@njit
def _deal_and_call(states, rules, seed):
    deck = np.empty(25, np.int8)
    r = rules[0]
    for i in range(len(states)):
        s = states[i]
        s.rng = seed_of(seed, np.uint64(i))
        start_episode(s, r, -1, deck)
        for _ in range(below(draw(s), 4)):
            apply(s, r, np.int64(PASS))
        apply(s, r, np.int64(ORDER_UP))
        apply(s, r, np.int64(WITH_PARTNER))
        apply(s, r, nth_action(legal(s, r), below(draw(s), 6)))


@cache
def opening_leads() -> np.ndarray:
    """Full random deals about to be led to, STATE[DEALS]."""
    states = new_states(DEALS)
    _deal_and_call(states, RULES.record(), np.uint64(SEED))
    return states


def deals_solved(seconds: float) -> Sample:
    """The class of full random deals."""
    values = np.empty(DEALS, np.int64)
    return _solved(value_range, values, seconds)


def first_cards_solved(seconds: float) -> Sample:
    """The class after every legal opening lead of full random deals."""
    values = np.empty((DEALS, 38), np.int64)
    return _solved(solve_range, values, seconds)


def _solved(solver: Callable[..., None], values: np.ndarray, seconds: float) -> Sample:
    states, rules, which = opening_leads(), RULES.record(), np.zeros(DEALS, np.int16)

    def play_round() -> float:
        solver(states, rules, which, True, values, 0, DEALS)
        return DEALS

    return sample(play_round, seconds)


def nodes_per_deal() -> dict[str, float]:
    """Cards played in the search per deal, the last trick and the leads not counted."""
    work, r, values = new_search()[0], RULES.record()[0], np.empty(38, np.int64)
    value, every = 0, 0
    for s in opening_leads():
        play_value(work, s, r, True)
        value += int(work.nodes)
        play_values(work, s, r, True, values)
        every += int(work.nodes)
    return {"deals_solved": value / DEALS, "first_cards_solved": every / DEALS}


# ---- players -------------------------------------------------------------------------------------


def pimc(seconds: float) -> Sample:
    """Decisions of pimc:50 in all seats; the environment's steps are not counted."""
    return _decided("pimc:50", seconds, skip_forced=False)


def pimc_unforced(seconds: float) -> Sample:
    """The same where only decisions with a choice are put to the player."""
    return _decided("pimc:50", seconds, skip_forced=True)


def _decided(name: str, seconds: float, skip_forced: bool) -> Sample:
    agent: Any = agents.make(name)
    agent.threads = 1
    table = agents.RuleTable.of([RULES])
    env = BatchEnv(GAMES, ruleset=RULES, seed=SEED, observe=False, skip_forced=skip_forced)
    env.reset()
    for _ in range(40):  # past the first hands, so that the batch is spread over all phases
        env.step(env.random_actions())
    rng = np.random.default_rng(SEED)
    decisions, cpu, wall = -GAMES, 0.0, 0.0
    while cpu < seconds:
        seeds = rng.integers(2**64, size=GAMES, dtype=np.uint64)
        start, wall_start = time.process_time(), time.perf_counter()
        actions = agent.act(agents.view_of(env.states, table, env.which, seeds))
        if decisions >= 0:  # the first call compiles
            cpu += time.process_time() - start
            wall += time.perf_counter() - wall_start
        decisions += GAMES
        env.step(actions)
    return Sample(decisions, cpu, wall)


if hasattr(heuristic, "playout"):
    _playout = heuristic.playout

    @njit
    def _heuristic_hands(states, rules, seed, hands):
        deck = np.empty(25, np.int8)
        s = states[0]
        s.rng = seed_of(seed, np.uint64(0))
        decisions = 0
        for _ in range(hands):
            start_episode(s, rules[0], -1, deck)
            decisions += _playout(s, rules[0], draw(s))
        return decisions


def heuristic_playouts(seconds: float) -> Sample:
    """Whole hands of the heuristic in all seats inside one kernel."""
    states, rules = np.zeros(1, STATE), RULES.record()
    seeds = iter(range(SEED, 2**31))
    return sample(
        lambda: float(_heuristic_hands(states, rules, np.uint64(next(seeds)), np.int64(2000))),
        seconds,
    )


def measures() -> dict[str, Callable[[float], Sample]]:
    """The measures whose players exist."""
    found: dict[str, Callable[[float], Sample]] = {
        each.__name__: each for each in (deals_solved, first_cards_solved)
    }
    if "pimc" in agents.FAMILIES:
        found |= {each.__name__: each for each in (pimc, pimc_unforced)}
    if hasattr(heuristic, "playout"):
        found[heuristic_playouts.__name__] = heuristic_playouts
    return found


# ---- the command ---------------------------------------------------------------------------------


def results_of(samples: dict[str, list[Sample]]) -> list[dict[str, Any]]:
    """One result for each row that was measured."""
    nodes = nodes_per_deal()
    results = []
    for row in ROWS:
        if row.measure in samples:
            rates = sorted(s.rate for s in samples[row.measure])
            results.append(
                {
                    **row._asdict(),
                    "rate": median(rates),
                    "least": rates[0],
                    "most": rates[-1],
                    "nodes": nodes.get(row.measure),
                    "status": mark(median(rates), row.must, row.aim),
                }
            )
    return results


def show(results: list[dict[str, Any]]) -> None:
    """The table."""
    rows = []
    for r in results:
        spread = f"{r['least']:,.0f} .. {r['most']:,.0f}"
        targets = ["" if r[key] is None else f"{r[key]:,.0f}" for key in ("must", "aim")]
        nodes = "" if r["nodes"] is None else f"{r['nodes']:.0f}"
        rows.append([r["title"], f"{r['rate']:,.0f}", spread, nodes, *targets, r["status"]])
    print_table(["one core", "1/s", "least .. most", "nodes", "must", "aim", ""], rows)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="rounds over all measures (5)")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds a measure (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples here")
    options = parser.parse_args(arguments)
    if options.repeats < 1 or options.seconds <= 0:
        parser.error("--repeats needs at least 1 and --seconds more than 0")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and say by the exit status whether every must is met."""
    options = parse(arguments)
    samples = interleave(measures(), options.repeats, options.seconds)
    results = results_of(samples)
    show(results)
    if options.json:
        taken = {name: [s._asdict() for s in each] for name, each in samples.items()}
        report = {"machine": machine(), "ruleset": RULES.describe(), "seed": SEED}
        text = json.dumps({**report, "results": results, "samples": taken}, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")
    return int(any(r["status"] == "MISSES must" for r in results))


if __name__ == "__main__":
    sys.exit(main())
