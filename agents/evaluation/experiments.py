"""Experiments: the commands behind a table or a picture, run in turn, with what they showed kept.

An experiment is a YAML file. Its rows are commands as one would type them; each runs in a process
of its own, and what it prints as JSON is kept as a line of ``results.jsonl``, with version,
revision, machine and time. A row that is there already is not run again, so an experiment that was
broken off goes on where it stopped. A row counts only for the same command, version, code and
contents of the files that the command reads.
"""

from __future__ import annotations

import difflib
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import euchre_env
from euchre_env import __version__
from euchre_env._files import digest_of, write_whole
from euchre_env._revision import code_revision

from .machine import machine, machine_text
from .store import code_digest, files_of

Say = Callable[[str], None]
Result = dict[str, Any]

RESULTS, TABLE, FIGURES = "results.jsonl", "table.md", "figures.json"
EUCHRE, PYTHON, TRAINER = "euchre", "python", "train.py"
KEY = ("command", "version", "code", "files")
"""What a result is found by."""
_KEYS = ("title", "columns", "line", "quick", "rows")
_ROW_KEYS = ("run", "quick", "lines", "each")
_APART = ("app", "plots")
"""Parts of the agents' package that change no figure."""
_READ = (".yaml", ".yml", ".py")
"""Endings of files that a command reads and never writes."""
_ENDED_WELL = (0, 1)  # 1 is a negative finding
_COLUMNS, _LINE = ["command", "seconds"], ["`{row[command]}`", "{row[seconds]:.0f}"]


class ExperimentError(ValueError):
    """An experiment that cannot be run; the message names file or row, and what would do."""


@dataclass(frozen=True)
class Row:
    """A command and what a table shows of it.

    Attributes:
        words: The command, word by word: ``euchre`` or ``python`` and what follows.
        lines: Lines of the table: cells as format strings over the command's figures, by name, and
            ``row``, the whole result.
        each: A list among the figures; the lines are then filled in for each of its items, called
            ``it``. None where they are filled in once.
    """

    words: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    each: str | None = None

    @property
    def command(self) -> str:
        """The command as one types it."""
        return shlex.join(self.words)


@dataclass(frozen=True)
class Experiment:
    """An experiment that can be run.

    Attributes:
        title: Of its table.
        folder: Where results, table and what the commands write go.
        columns: The table's header.
        rows: The commands, in order: a later one may read what an earlier one wrote.
    """

    title: str
    folder: Path
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


# --- reading -----------------------------------------------------------------------------------


def load_experiment(
    path: Path, folder: Path = Path("runs"), quick: bool = False, seed: int | None = None
) -> Experiment:
    """The experiment of a YAML file.

    Args:
        path: The file.
        folder: Holds the experiment's folder, which has the file's name.
        quick: Add the words that make each command short, so as to see that all run. The folder is
            then another one.
        seed: In place of the commands' own, in another folder too.

    Raises:
        ExperimentError: not YAML, an unknown key, or a row that is no command.
        OSError: it cannot be read.
    """
    import yaml

    try:
        values = yaml.safe_load(path.read_text("utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ExperimentError(f"{path} is not valid YAML: {error}") from None
    name = path.stem + "-quick" * quick + (f"-seed{seed}" if seed is not None else "")
    try:
        return _experiment(values, folder / name, quick, seed)
    except ExperimentError as error:
        raise ExperimentError(f"{path}: {error}") from None


def _experiment(values: Any, folder: Path, quick: bool, seed: int | None) -> Experiment:
    whole = _known(values, _KEYS, "an experiment")
    columns = _texts(whole.get("columns", _COLUMNS), "columns")
    line = whole.get("line", None if "columns" in whole else _LINE)
    usual = {"lines": [] if line is None else [line], "quick": whole.get("quick", "")}
    rows = []
    for given in _list(whole.get("rows"), "rows"):
        own = _known({"run": given} if isinstance(given, str) else given, _ROW_KEYS, "a row")
        rows.append(_row({**usual, **own}, folder, quick, seed))
    _check(rows, columns)
    return Experiment(_text(whole.get("title"), "title"), folder, columns, tuple(rows))


def _row(values: Mapping[str, Any], folder: Path, quick: bool, seed: int | None) -> Row:
    words = _words(_text(values.get("run"), "run"), folder)
    if seed is not None and (words[0] == EUCHRE or words[1] == TRAINER):
        words += ["--seed", str(seed)]
    if quick:
        words += _split(_text(values["quick"], "quick"))
    lines = tuple(_texts(cells, "lines") for cells in _list(values["lines"], "lines"))
    return Row(tuple(words), lines, _text(values["each"], "each") if "each" in values else None)


def _check(rows: list[Row], columns: tuple[str, ...]) -> None:
    for row in rows:
        if rows.count(row) > 1:
            raise ExperimentError(f"{row.command!r} is there twice")
        for cells in row.lines:
            if len(cells) != len(columns):
                raise ExperimentError(
                    f"{row.command!r}: a line of {len(cells)} cells for {len(columns)} columns"
                )


def _known(values: Any, keys: tuple[str, ...], what: str) -> Mapping[str, Any]:
    """The values of a mapping without unknown keys."""
    if not isinstance(values, Mapping):
        raise ExperimentError(f"{what} has the keys {', '.join(keys)}, this is {values!r}")
    for key in values:
        if key not in keys:
            near = difflib.get_close_matches(str(key), keys, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"{what} has {', '.join(keys)}"
            raise ExperimentError(f"unknown key {key!r}: {hint}")
    return values


def _list(value: Any, key: str) -> list[Any]:
    if not isinstance(value, list):
        raise ExperimentError(f"{key} must be a list, not {value!r}")
    return value


def _texts(value: Any, key: str) -> tuple[str, ...]:
    return tuple(_text(each, key) for each in _list(value, key))


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise ExperimentError(f"{key} must be text, not {value!r}")
    return value


def _words(run: str, folder: Path) -> list[str]:
    """A command word by word, ``{folder}`` and ``{json}`` filled in."""
    found = _split(run)
    if len(found) < 2 or found[0] not in (EUCHRE, PYTHON):
        raise ExperimentError(f"{run!r} must begin with 'euchre VERB' or 'python FILE'")
    if found[0] == PYTHON and not Path(found[1]).is_file():
        raise ExperimentError(f"{run!r}: no file {found[1]!r} here: run it in a checkout's root")
    filled = {"{folder}": folder.as_posix(), "{json}": _figures_file(folder).as_posix()}
    for mark, text in filled.items():
        found = [word.replace(mark, text) for word in found]
    return found


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ExperimentError(f"{text!r} is no command: {error}") from None


def _figures_file(folder: Path) -> Path:
    return folder / FIGURES


# --- results -----------------------------------------------------------------------------------


def read_results(path: Path) -> list[Result]:
    """The results in a file; none where there is no file.

    Raises:
        ExperimentError: a line that is no result; the message names file and line.
        OSError: it cannot be read.
    """
    found = []
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    for number, line in enumerate(lines, 1):
        try:
            result = json.loads(line)
            found.append({**result, "figures": {**result["figures"]}})
            key_of(result)
        except (ValueError, TypeError, KeyError):
            raise ExperimentError(f"{path}:{number}: no result of an experiment: move it") from None
    return found


def key_of(result: Result) -> str:
    """What tells results apart, as text."""
    return json.dumps([result[name] for name in KEY], sort_keys=True)


def made_by(row: Row) -> Result:
    """The :data:`KEY` of a row as it would be run now.

    Raises:
        FileNotFoundError: a file that it reads is missing.
    """
    files = files_of(*row.words)
    read = [word for word in row.words if word.endswith(_READ) and Path(word).is_file()]
    files |= {word: digest_of(Path(word))[:16] for word in read}
    code = code_digest(_APART)
    return {"command": row.command, "version": __version__, "code": code, "files": files}


def results_of(experiment: Experiment) -> list[Result | None]:
    """The newest result of each row, None where there is none that counts.

    Raises:
        ExperimentError: the file of results holds something else.
        OSError: it cannot be read.
    """
    known = read_results(experiment.folder / RESULTS)
    return [_result_of(row, known) for row in experiment.rows]


def _result_of(row: Row, known: list[Result]) -> Result | None:
    try:
        key = key_of(made_by(row))
    except FileNotFoundError:
        return None
    return next((result for result in reversed(known) if key_of(result) == key), None)


# --- running -----------------------------------------------------------------------------------


def finish(experiment: Experiment, say: Say) -> list[Result | None]:
    """Run the rows that are left, and write the table; gives what :func:`results_of` does.

    A row that fails is told and left out; the rows after it are run all the same.

    Raises:
        ExperimentError: the file of results holds something else.
        OSError: the results cannot be read or written.
    """
    experiment.folder.mkdir(parents=True, exist_ok=True)
    path = experiment.folder / RESULTS
    for number, row in enumerate(experiment.rows, 1):
        title = f"row {number} of {len(experiment.rows)}: {row.command}"
        known = read_results(path)
        if _result_of(row, known):
            say(f"{title}: done before")
            continue
        say(title)
        try:
            known.append(run_row(row, _figures_file(experiment.folder)))
        except ExperimentError as error:
            say(str(error))
            continue
        write_whole(path, "".join(json.dumps(each) + "\n" for each in known).encode())
    found = results_of(experiment)
    write_whole(experiment.folder / TABLE, table_text(experiment, found).encode())
    return found


def run_row(row: Row, figures: Path) -> Result:
    """Run a command and return its result.

    Args:
        row: The command.
        figures: The file to which a command that names it writes its figures.

    Raises:
        ExperimentError: it cannot be run, failed, or gave no figures.
    """
    try:
        result = made_by(row)
    except FileNotFoundError as error:
        raise ExperimentError(f"not run, there is no {error.filename}: {row.command}") from None
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    result |= {"revision": code_revision(), "machine": machine(), "load": load}
    to_file = figures.as_posix() in row.words
    figures.unlink(missing_ok=True)
    started = time.perf_counter()
    done = subprocess.run(
        executed(row.words, to_file),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(_search_path())},
    )
    seconds = round(time.perf_counter() - started, 2)
    text = done.stdout.strip().rpartition("\n")[2]
    if to_file:
        print(done.stdout, file=sys.stderr, end="")
        text = figures.read_text("utf-8") if figures.is_file() else ""
        figures.unlink(missing_ok=True)
    found = _figures(row, done.returncode, text)
    return {**result, "seconds": seconds, "status": done.returncode, "figures": found}


def executed(words: tuple[str, ...], to_file: bool) -> list[str]:
    """The words that start a command's process, with ``--json`` unless it writes to a file."""
    start = ["-m", __name__.partition(".")[0]] if words[0] == EUCHRE else []
    return [sys.executable, *start, *words[1:], *([] if to_file else ["--json"])]


def _search_path() -> list[str]:
    """Where a child process finds these very packages."""
    roots = [Path(__file__).resolve().parents[2], Path(euchre_env.__file__).resolve().parents[1]]
    own = list(dict.fromkeys(map(str, roots)))
    return own + list(filter(None, [os.environ.get("PYTHONPATH")]))


def _figures(row: Row, status: int, text: str) -> dict[str, Any]:
    if status not in _ENDED_WELL:
        raise ExperimentError(f"failed with status {status}: {row.command}")
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ExperimentError(f"ended with status {status} and no figures: {row.command}")
    return found


# --- telling -----------------------------------------------------------------------------------


def table_text(experiment: Experiment, results: Iterable[Result | None]) -> str:
    """The table in Markdown, and below it what the figures were taken with.

    Raises:
        ExperimentError: a cell asks for a figure that a command does not give.
    """
    pairs = list(zip(experiment.rows, results))
    lines = [cells for row, result in pairs if result for cells in _lines(row, result)]
    rule = ["---"] * len(experiment.columns)
    told = [f"| {' | '.join(cells)} |" for cells in [experiment.columns, rule, *lines]]
    return "\n".join([f"## {experiment.title}", "", *told, "", *_notes(pairs)]) + "\n"


def _lines(row: Row, result: Result) -> list[list[str]]:
    known = {**result["figures"], "row": result}
    try:
        items = [None] if row.each is None else known[row.each]
        return [
            [cell.format_map({**known, "it": item}) for cell in cells]
            for item in items
            for cells in row.lines
        ]
    except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
        raise ExperimentError(f"{row.command!r} gives no figure for a cell: {error!r}") from None


def _notes(pairs: list[tuple[Row, Result | None]]) -> list[str]:
    done = [result for _, result in pairs if result]
    made = dict.fromkeys(
        f"version {r['version']}, git revision {r['revision'] or 'unknown'}; "
        f"{machine_text(r['machine'])}"
        for r in done
    )
    seconds = sum(r["seconds"] for r in done)
    missing = [f"missing: `{row.command}`" for row, result in pairs if not result]
    head = f"{len(done)} of {len(pairs)} commands, {seconds:,.0f} s"
    return ["; ".join([head, *made]), *missing]
