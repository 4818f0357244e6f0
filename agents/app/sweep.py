"""The verb ``sweep``: one training run for every combination of some settings, and their results.

A sweep is a YAML file: settings as in any configuration, on top of a configuration file that
``base`` names, and ``grid``, settings by their dotted names with the values to try. Each
combination is a run in a folder of its own; a sweep that was broken off goes on where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euchre_env._files import write_whole

from .. import make
from ..evaluation.match import play_match
from .match import text_table
from .options import add_json

if TYPE_CHECKING:
    from ..training import Config, Result

Say = Callable[[str], None]
Row = dict[str, Any]

RESULTS = "results.jsonl"
_LONGEST_NAME = 100


# --- the command line --------------------------------------------------------------------------


def add_sweep_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``sweep`` takes."""
    parser.add_argument("file", type=Path, metavar="FILE.yaml", help="base, settings and grid")
    parser.add_argument("--folder", metavar="FOLDER", help="holds the sweep's (default: runs)")
    parser.add_argument("--threads", type=int, metavar="N", help="in place of the file's")
    parser.add_argument("--seed", type=int, metavar="N", help="of training, in place of the file's")
    add_json(parser)


def run_sweep(args: argparse.Namespace) -> int:
    """Train what is left and print all results, the best first."""
    given = {name: getattr(args, name) for name in ("folder", "threads", "seed")}
    sweep = load_sweep(args.file, {k: v for k, v in given.items() if v is not None})
    try:
        rows = finish(sweep, _say)
    except KeyboardInterrupt:
        _say("the same sweep command goes on with this run and the rest")
        raise
    if args.json:
        print(json.dumps({"name": sweep.name, "folder": str(sweep.folder), "runs": rows}))
    else:
        print(sweep_text(sweep, rows))
    return 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


# --- reading -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sweep:
    """A sweep that can be run.

    Attributes:
        name: Of its folder.
        folder: That holds its runs.
        ruleset: The rules of the final matches of all runs.
        runs: The configuration of each run, by the run's name, in the order of the grid.
        values: What sets each run apart: its grid values by dotted name.
    """

    name: str
    folder: Path
    ruleset: str
    runs: dict[str, Config]
    values: dict[str, dict[str, Any]]


def load_sweep(path: Path, given: Mapping[str, Any]) -> Sweep:
    """The sweep of a YAML file.

    Args:
        path: The file; ``base`` is relative to it.
        given: Settings in place of the file's.

    Raises:
        ConfigError: no such file, not YAML, no grid, or a setting that is unknown or cannot be.
        AgentError: no such opponent.
    """
    from ..training.config import ConfigError, config_from, read_yaml

    values = read_yaml(path)
    grid, base = values.pop("grid", None), values.pop("base", None)
    try:
        _check_grid(grid, given)
        if base is not None:
            values = merged(read_yaml(path.parent / str(base)), values)
        values = merged(values, given)
        whole = config_from(values)
        folder = Path(whole.folder) / whole.name
        runs: dict[str, Config] = {}
        chosen = {}
        for point in combinations(grid):
            name = run_name(point)
            chosen[name] = point
            runs[name] = config_from(_of_run(values, point, name, folder))
        _check_runs(whole, runs, grid)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    return Sweep(whole.name, folder, whole.ruleset[0], runs, chosen)


def _of_run(
    values: Mapping[str, Any], point: Mapping[str, Any], name: str, folder: Path
) -> dict[str, Any]:
    for key, value in point.items():
        values = merged(values, nested(key, value))
    return {**values, "name": name, "folder": str(folder)}


def combinations(grid: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """Every choice of one value for each setting of a grid; the last setting changes first."""
    return [dict(zip(grid, chosen)) for chosen in itertools.product(*grid.values())]


def nested(dotted: str, value: Any) -> dict[str, Any]:
    """A setting as it would stand in a configuration file: ``a.b`` is ``{"a": {"b": value}}``."""
    for key in reversed(dotted.split(".")):
        value = {key: value}
    found: dict[str, Any] = value
    return found


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with others on top, section by section."""
    whole = dict(below)
    for key, value in above.items():
        old = whole.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            value = merged(old, value)
        whole[key] = value
    return whole


def run_name(point: Mapping[str, Any]) -> str:
    """The name of a run, which is its folder's: ``ppo.entropy=0.01,seed=1``.

    What a folder's name cannot hold is replaced, and a digest keeps such names apart.
    """
    whole = ",".join(f"{key}={_text(value)}" for key, value in point.items())
    name = re.sub(r"[^\w.,=+-]+", "_", whole)[:_LONGEST_NAME]
    return name if name == whole else f"{name}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}"


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "+".join(map(_text, value))
    return value if isinstance(value, str) else json.dumps(value)


def _check_grid(grid: Any, given: Mapping[str, Any]) -> None:
    from ..training.config import WITHOUT_INFLUENCE, ConfigError

    if not isinstance(grid, dict) or not grid:
        raise ConfigError("a sweep needs `grid`: settings with lists, as in ppo.rate: [1e-3, 3e-4]")
    for key, values in grid.items():
        if not isinstance(values, list) or not values:
            raise ConfigError(f"grid: {key} must have a list of values, not {values!r}")
        if str(key).split(".")[0] in ("name", *WITHOUT_INFLUENCE):
            raise ConfigError(f"grid: {key} is the same for all runs: set it beside the grid")
        if key in given:
            raise ConfigError(f"grid: {key} has values here: leave out --{key}")


def _check_runs(whole: Config, runs: Mapping[str, Config], grid: Mapping[str, list[Any]]) -> None:
    from ..training.checkpoint import checkpoints
    from ..training.config import ConfigError

    different = {json.dumps({**c.to_dict(), "name": ""}) for c in runs.values()}
    if len(different) < len(combinations(grid)):
        raise ConfigError("grid: two combinations are the same run: a value is there twice")
    if not whole.evaluation.opponents:
        raise ConfigError("evaluation.opponents is empty: the final match needs an opponent")
    for config in runs.values():
        others = (config.teacher.agent, *config.pool.agents)
        for name in (*config.evaluation.opponents, *filter(None, others)):
            make(name)
    folder = Path(whole.folder) / whole.name
    if checkpoints(folder):
        raise ConfigError(f"{folder} is a training run: give the sweep another name")


# --- running -----------------------------------------------------------------------------------


def finish(sweep: Sweep, say: Say) -> list[Row]:
    """Train and measure what is left; the rows of all runs, the best first.

    Raises:
        ConfigError: a setting that cannot be used on this machine.
        CheckpointError: a run was started with other settings, is damaged, or the disk is full.
        OSError: the results cannot be read or written.
    """
    from ..training.loop import begun_folder

    path = sweep.folder / RESULTS
    rows = read_rows(path)
    begun = {name: begun_folder(config) for name, config in sweep.runs.items()}
    for number, (name, config) in enumerate(sweep.runs.items(), 1):
        title = f"run {number} of {len(sweep.runs)}, {name}"
        if is_finished(rows.get(name), config, sweep.ruleset):
            say(f"{title}: finished before")
            continue
        say(title)
        result = train_run(config, sweep.ruleset, begun[name], say)
        rows[name] = _row(sweep, name, result)
        write_whole(path, "".join(json.dumps(row) + "\n" for row in rows.values()).encode())
    opponent = next(iter(sweep.runs.values())).evaluation.opponents[0]
    found = [rows[name] for name in sweep.runs]
    return sorted(found, key=lambda row: -float(row["matches"][opponent]["points_per_hand"]))


def read_rows(path: Path) -> dict[str, Row]:
    """The rows of a file of results by the names of their runs; none where there is no file.

    Raises:
        ConfigError: a line that is no row.
    """
    from ..training.config import ConfigError

    if not path.exists():
        return {}
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return {row["run"]: row for row in rows}
    except (ValueError, TypeError, KeyError):
        raise ConfigError(f"{path} holds other things than results of a sweep: move it") from None


def is_finished(row: Row | None, config: Config, ruleset: str) -> bool:
    """Whether a row is what a run of these settings would show."""
    return row is not None and row["settings"] == _settings(config) and row["ruleset"] == ruleset


def _settings(config: Config) -> dict[str, Any]:
    """What decides the figures of a run, matches included."""
    apart = ("folder", "threads", "device")
    return {key: value for key, value in config.to_dict().items() if key not in apart}


def train_run(config: Config, ruleset: str, begun: Path | None, say: Say) -> Result:
    """Train one run, or continue the one in the folder ``begun``, and play its final matches."""
    from ..training import train

    def evaluate(agent: Any, opponent: str, deals: int) -> dict[str, Any]:
        return play_match(agent, opponent, deals, ruleset, config.evaluation.seed).to_dict()

    return train(config, evaluate, begun, say, make)


def _row(sweep: Sweep, name: str, result: Result) -> Row:
    from ..network import read_header

    header = read_header(result.policy)
    return {
        "run": name,
        "values": sweep.values[name],
        "matches": result.matches,
        "decisions": header["decisions"],
        "seconds": header["seconds"],
        "policy": str(result.policy),
        "ruleset": sweep.ruleset,
        "settings": _settings(sweep.runs[name]),
    }


# --- telling -----------------------------------------------------------------------------------


def sweep_text(sweep: Sweep, rows: list[Row]) -> str:
    """The results, the best first."""
    opponents = list(rows[0]["matches"])
    table = [
        [
            row["run"],
            *(_points(row["matches"][name]) for name in opponents),
            f"{row['decisions'] / 1e6:.2f}M",
            f"{row['seconds']:.0f}",
        ]
        for row in rows
    ]
    match = rows[0]["matches"][opponents[0]]
    return "\n".join(
        [
            text_table(["run", *opponents, "decisions", "seconds"], table),
            "",
            f"points a hand, {match['deals']} duplicate deals, rules {match['ruleset']}, "
            f"seed {match['seed']}, version {match['version']}",
            f"results: {sweep.folder / RESULTS}",
        ]
    )


def _points(match: Mapping[str, Any]) -> str:
    return f"{match['points_per_hand']:+.4f} ± {match['ci95']:.4f}"
