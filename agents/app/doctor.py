"""The verb ``doctor``: what is installed, and whether it works."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import NamedTuple

from .options import add_json, add_seed

LIBRARIES = ("numpy", "numba", "gymnasium", "pettingzoo", "torch", "safetensors", "scipy")
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
    findings = [*versions(), *compiler(), *threads(), *packages(), *self_test(args.seed)]
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
    """Python and the libraries."""
    found = [Finding("python", f"{platform.python_version()}, {platform.machine()}")]
    found.append(Finding(OWN, _version(OWN).replace("not installed", "run from a source tree")))
    needed = ("numpy", "numba")
    for name in LIBRARIES:
        told = _version(name)
        found.append(Finding(name, told, told != "not installed" or name not in needed))
    return found


def compiler() -> list[Finding]:
    """Where compiled code is kept."""
    from euchre_env._jit import COMPILED, cache_root

    if not COMPILED:
        return [Finding("compiler", "off (NUMBA_DISABLE_JIT), every function runs as plain Python")]
    return [Finding("cache of compiled code", str(cache_root()))]


def threads() -> list[Finding]:
    """How many threads there are, and what limits them."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    limits = ", ".join(f"{n}={os.environ[n]}" for n in names if n in os.environ)
    return [Finding("threads", f"{os.cpu_count()} cores; {limits or 'no limits set'}")]


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
