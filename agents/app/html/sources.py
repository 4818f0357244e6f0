"""What a report page is made of: read from files, and measured where that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ... import CHECKPOINT, make
from ...base import Agent, AgentError
from ...evaluation.bids import play_style
from ...evaluation.report import BATCHES
from ...evaluation.rows import Series, series_of
from ...evaluation.stats import EvaluationError
from ...evaluation.store import Store
from ...evaluation.timing import decision_time
from ..curve import METRICS, Curve, read_curve
from .report import Measured

Say = Callable[[str], None]

POLICY = f"policy{CHECKPOINT}"
ROWS = ".jsonl"


@dataclass(frozen=True)
class Source:
    """What is known before anything is measured.

    Attributes:
        title: What the report is on.
        curve: The training run, if it is one.
        policy: The agent that it is on: the run's policy, or the agent that was named; may be "".
        series: Matches that were played.
        agents: The agents to measure, if that is asked for.
    """

    title: str
    curve: Curve | None
    policy: str
    series: tuple[Series, ...]
    agents: tuple[str, ...]


def read_source(name: str, results: Path | None) -> Source:
    """Read the folder of a run, a file of results, or neither: then the name is an agent's.

    Args:
        name: The folder, the file or the agent.
        results: A file of results to tell as well.

    Raises:
        EvaluationError: no such file, or one that holds something else.
        AgentError: a name that is none of the three.
    """
    path = Path(name)
    if path.is_dir():
        curve = read_curve(path)
        policy = path / POLICY
        name = str(policy) if policy.is_file() else ""
        title, found = path.resolve().name, _rows(results)
        return Source(title, curve, name, found, (name,) if name else ())
    if path.suffix == ROWS:
        if path.name == METRICS:
            raise EvaluationError(f"{path} is of a training run: give its folder")
        found = _rows(path) + _rows(results)
        agents = tuple(dict.fromkeys(name for one in found for name in one.agents))
        return Source(path.name, None, "", found, agents)
    make(name)
    return Source(name, None, name, _rows(results), (name,))


def _rows(path: Path | None) -> tuple[Series, ...]:
    if path is None:
        return ()
    if not path.is_file():
        raise EvaluationError(f"{path} does not exist: give a file that --out has written")
    rows = Store(path).rows.values()
    if not rows:
        raise EvaluationError(f"{path} holds no match yet")
    return tuple(series_of(rows))


def measure_agents(
    names: Sequence[str], deals: int, ruleset: str, seed: int, say: Say
) -> list[Measured]:
    """Measure how agents play and how long they take; those that cannot be made are told of."""
    return [_measure(agent, deals, ruleset, seed, say) for agent in _made(names, say)]


def _made(names: Sequence[str], say: Say) -> Iterator[Agent]:
    for name in names:
        try:
            yield make(name)
        except AgentError as error:
            say(f"not measured: {error}")


def _measure(agent: Agent, deals: int, ruleset: str, seed: int, say: Say) -> Measured:
    say(f"{agent.name}: {deals} hands")
    shares, bids = play_style(agent, deals, ruleset, seed)
    say(f"{agent.name}: decision times")
    times = tuple(decision_time(agent, batch, ruleset, seed) for batch in BATCHES)
    return Measured(shares, bids, times)
