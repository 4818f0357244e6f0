"""The verb ``doctor``: what is installed, and whether it works."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires, version
from pathlib import Path
from typing import NamedTuple

from .options import add_json, add_seed

NEEDED = ("numpy", "numba", "gymnasium", "pettingzoo", "PyYAML")  # by the game itself
LIBRARIES = (*NEEDED, "llvmlite", "torch", "safetensors", "scipy", "rich", "tensorboard")
EXTRAS = ("pillow", "pygame", "matplotlib", "starlette", "uvicorn", "open-spiel", "ray")
OWN = "euchre-env"
_PACKAGE = __name__.partition(".")[0]


class Finding(NamedTuple):
    """One line of the report."""

    name: str
    value: str
    ok: bool = True


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``doctor`` takes."""
    add_json(parser)
    add_seed(parser, "the hands of the self-test")


def run_doctor(args: argparse.Namespace) -> int:
    """Print the findings; status 1 where something is wrong."""
    findings = [*versions(), *compiler(), *threads(), *packages()]
    findings += [*self_test(args.seed), *known_hand()]
    if args.json:
        print(json.dumps([finding._asdict() for finding in findings]))
    else:
        for finding in findings:
            print(f"{'ok   ' if finding.ok else 'WRONG'} {finding.name}: {finding.value}")
    return int(not all(finding.ok for finding in findings))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def versions() -> list[Finding]:
    """Python and the libraries; one that is older than what was asked for is wrong."""
    found = [Finding("python", f"{platform.python_version()}, {platform.machine()}")]
    found.append(Finding(OWN, _version(OWN).replace("not installed", "run from a source tree")))
    oldest = floors()
    for name in LIBRARIES:
        told, floor = _version(name), oldest.get(name.lower(), "")
        is_missing = told == "not installed"
        is_old = not is_missing and _numbers(told) < _numbers(floor)
        wrong = is_old or (is_missing and (name in NEEDED or bool(floor)))
        found.append(Finding(name, f"{told}, older than {floor}" if is_old else told, not wrong))
    extras = ", ".join(f"{name} {_version(name)}" for name in EXTRAS)
    return [*found, Finding("for extras", extras)]


def floors() -> dict[str, str]:
    """The oldest version of each library that the installed distribution asks for."""
    try:
        asked = requires(OWN) or []
    except PackageNotFoundError:
        return {}
    plain = [r for r in asked if ";" not in r]
    return {m[1].lower(): m[2] for r in plain if (m := re.match(r"([\w.-]+) *>= *([\d.]+)", r))}


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("+")[0]))


def compiler() -> list[Finding]:
    """Where compiled code is kept, and how much of it there is."""
    from euchre_env._jit import COMPILED, cache_root, is_kept

    if not COMPILED:
        return [Finding("compiler", "off (NUMBA_DISABLE_JIT), every function runs as plain Python")]
    root = cache_root()
    if not is_kept():
        told = "no folder can be written, so each start compiles anew: set EUCHRE_ENV_CACHE to one"
        return [Finding("cache of compiled code", told, False)]
    sizes = [path.stat().st_size for path in root.rglob("*.nb[ci]")]
    told = f"{root} ({len(sizes)} files, {sum(sizes) / 1e6:.1f} MB; may be deleted)"
    return [Finding("cache of compiled code", told)]


def threads() -> list[Finding]:
    """How many threads there are, and what limits them."""
    from euchre_env._cores import cores

    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    limits = ", ".join(f"{n}={os.environ[n]}" for n in names if n in os.environ)
    told = f"{os.cpu_count()} cores, {cores()} for this process; {limits or 'no limits set'}"
    return [Finding("threads", told)]


def packages() -> list[Finding]:
    """Where the package of agents comes from, and whether another one has the same name."""
    here = Path(__file__).resolve().parents[1]
    hint = f"uninstall it, or use a virtual environment of our own: {_PACKAGE!r} must be ours"
    owners = sorted(set(packages_distributions().get(_PACKAGE, ())) - {OWN})
    clashes = [f"the distribution {name} installs {_PACKAGE!r} too" for name in owners]
    clashes += [f"{path} is on the path" for path in foreign_packages(here)]
    found = [Finding("name clash", f"{clash}: {hint}", False) for clash in clashes]
    return [Finding(f"package {_PACKAGE}", str(here)), *found]


def foreign_packages(here: Path) -> list[Path]:
    """What else on the search path has the package's name and is no copy of it."""
    roots = dict.fromkeys(Path(entry or ".").resolve() for entry in sys.path)
    found = [root / _PACKAGE for root in roots if (root / _PACKAGE / "__init__.py").is_file()]
    found += [root / f"{_PACKAGE}.py" for root in roots if (root / f"{_PACKAGE}.py").is_file()]
    own = Path("app") / Path(__file__).name
    return [path for path in found if path != here and not (path / own).is_file()]


def self_test(seed: int) -> list[Finding]:
    """Play some random hands and check that the points of every hand are fair."""
    from euchre_env import BatchEnv, Ruleset
    from euchre_env.kernels import random_hands

    decisions = random_hands(Ruleset.stick().record(), seed, 1000)
    env = BatchEnv(16, ruleset="stick", seed=seed)
    env.reset()
    ended, fair = 0, True
    for _ in range(100):
        rewards, done = env.step(env.random_actions())
        ended += int(done.sum())
        fair &= bool((rewards.sum(axis=1) == 0).all())
    well = fair and ended > 0 and decisions > 16_000
    told = f"{decisions} decisions, {ended} hands ended, zero-sum {fair}"
    return [Finding("self-test", told, well)]


def known_hand() -> list[Finding]:
    """Solve and play out a hand whose points are known: a lone hand of the five best trumps."""
    from euchre_env.actions import action_id
    from euchre_env.kernels import lowest_action
    from euchre_env.record import complete_deck
    from euchre_env.rules import OVER, PLAY, apply, deal, legal, new_match, new_states
    from euchre_env.ruleset import Ruleset
    from euchre_env.solver import solve

    r, s = Ruleset.stick().record()[0], new_states(1)[0]
    new_match(s, r)
    deal(s, r, complete_deck("TH", {1: ["JH", "JD", "AH", "KH", "QH"]}), 0)
    for word in ("order_up", "alone"):
        apply(s, r, action_id(word, "trump", s))
    while s.phase != PLAY:
        apply(s, r, lowest_action(legal(s, r)))
    solved = set(solve(s, r).points.values())
    while s.phase != OVER:
        apply(s, r, lowest_action(legal(s, r)))
    points = int(s.points[1] - s.points[0])
    told = f"solved {', '.join(map(str, sorted(solved)))}, played {points}, known 4"
    return [Finding("points of a known hand", told, solved == {4} and points == 4)]
