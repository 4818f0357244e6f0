"""Pieces of work in this process, in others and on Ray: equal results, whoever dies meanwhile."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.app.cli import INTERRUPTED, main
from agents.base import AgentError, View
from agents.evaluation import match
from agents.evaluation.crossplay import cross_play
from agents.evaluation.decomposition import decompose
from agents.evaluation.ladder import play_ladder
from agents.evaluation.luck import play_luck_reduced
from agents.evaluation.match import Contest, play_match, play_until_clear
from agents.evaluation.shares import play_shares
from agents.evaluation.stats import EvaluationError
from agents.network import PolicyValueNet, save_policy
from agents.selfplay.files import generate, plan_of
from agents.split import Split
from agents.work import (
    IN_PROCESS,
    Auto,
    Executor,
    InProcess,
    Processes,
    WorkError,
    check_workers,
    choice,
    cluster,
    cut,
    open_executor,
)
from agents.work.base import ATTEMPTS, Outcome
from euchre_env._cores import cores
from tests.pieces import die_always, die_once, dying_piece, fail, process, refuse, share, square

ROOT = Path(__file__).resolve().parent.parent
needs_signals = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs Unix signals")


@pytest.fixture(scope="module")
def two() -> Iterator[Executor]:
    """Two worker processes."""
    with Processes(2) as executor:
        yield executor


# --- cutting and choosing ----------------------------------------------------------------------


def test_one_worker_gets_the_largest_pieces() -> None:
    assert cut(0, 25, 10) == [(0, 10), (10, 20), (20, 25)]
    assert cut(5, 5, 10) == []


def test_several_workers_get_some_pieces_each() -> None:
    pieces = cut(100, 10_100, 4096, workers=2)
    assert len(pieces) == 16
    assert pieces[0] == (100, 725) and pieces[-1] == (9475, 10_100)
    assert [stop for _, stop in pieces[:-1]] == [start for start, _ in pieces[1:]]
    assert len(cut(0, 100, 4096, workers=50)) == 2
    assert max(stop - start for start, stop in cut(0, 10**6, 4096, workers=2)) == 4096


@pytest.mark.parametrize("text", ["auto", "1", "12", "ray", "ray:10.0.0.1:6379", "ray:head:6379"])
def test_workers_that_can_be_named(text: str) -> None:
    assert check_workers(text) == text


@pytest.mark.parametrize(
    "text", ["0", "-1", "x", "", "1.5", "ray:", "ray:6379", "ray:head", "ray:head:x", "ray://h:1"]
)
def test_workers_that_cannot_be_named(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(WorkError, match=f"workers={text!r}: give a number of processes from 1"):
        check_workers(text)
    assert main(["match", "greedy", "random", f"--workers={text}"]) == 2
    assert f"workers={text!r}: give a number of processes" in capsys.readouterr().err


def test_the_executors_that_texts_name() -> None:
    assert isinstance(open_executor("1"), InProcess)
    assert isinstance(open_executor("3"), Processes) and open_executor("3").workers == 3
    assert isinstance(open_executor(), Auto) and open_executor("auto").workers == cores()


# --- processes ---------------------------------------------------------------------------------


def test_results_come_in_order(two: Executor) -> None:
    expected = [0, 1, 4, 9, 16, 25, 36, 49, 64, 81]
    assert list(two.map(square, range(10))) == expected == list(IN_PROCESS.map(square, range(10)))
    assert list(two.map(square, [])) == []


def test_other_processes_do_it_and_share_the_cores(two: Executor) -> None:
    assert os.getpid() not in set(two.map(process, range(4)))
    assert set(two.map(share, range(4))) == {max(1, cores() // 2)}


class Vanished:
    """Work whose file is gone when it is to be sent."""

    def __call__(self, piece: int) -> int:
        return piece

    def __reduce__(self) -> tuple[Any, ...]:
        raise FileNotFoundError("x.safetensors is gone")


def test_work_that_cannot_be_sent_is_an_error() -> None:
    with Processes(1) as one, pytest.raises(FileNotFoundError, match="is gone"):
        list(one.map(Vanished(), range(3)))


@needs_signals
def test_the_piece_of_a_killed_worker_is_done_by_another(two: Executor, tmp_path: Path) -> None:
    flag = tmp_path / "died"
    assert list(two.map(partial(die_once, flag), range(12))) == [n * n for n in range(12)]
    assert flag.exists()
    assert list(two.map(square, range(3))) == [0, 1, 4]


@needs_signals
def test_a_piece_that_kills_every_worker_is_given_up(tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    with Processes(1) as one, pytest.raises(WorkError, match=r"4 times.*exit status -9.*--workers"):
        list(one.map(partial(die_always, tries), range(3)))
    assert tries.read_text() == "x" * 4 == "x" * ATTEMPTS


def test_an_error_arrives_as_it_was_raised_and_in_its_place(two: Executor) -> None:
    found = two.map(refuse, range(5))
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(AgentError, match="no such agent here") as caught:
        next(found)
    assert "in refuse" in str(caught.value.__cause__)
    with pytest.raises(RuntimeError, match="Sturdy: a: b"):
        list(two.map(fail, range(2)))


def test_work_may_be_left_half_done(two: Executor) -> None:
    found = two.map(square, range(100))
    assert next(found) == 0
    found.close()
    assert list(two.map(square, range(3))) == [0, 1, 4]


# --- where it is worth it ----------------------------------------------------------------------


def test_little_work_stays_in_this_process() -> None:
    with Auto(2) as executor:
        assert set(executor.map(process, range(6))) == {os.getpid()}


def test_much_work_goes_over_to_processes_and_stays_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "WORTH", 0.0)
    monkeypatch.setattr(choice, "BUSY", 1e9)
    with Auto(2) as executor:
        here, *there = executor.map(process, range(6))
        assert here == os.getpid() and here not in there
        assert os.getpid() not in set(executor.map(process, range(2)))


def test_work_that_keeps_all_cores_busy_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "WORTH", 0.0)
    monkeypatch.setattr(choice, "BUSY", 0.0)
    with Auto(2) as executor:
        assert set(executor.map(process, range(6))) == {os.getpid()}


# --- the same figures --------------------------------------------------------------------------

PAIRS = ("random & greedy", "bids:greedy,plays:heuristic")


def same(one: match.MatchResult, other: match.MatchResult) -> bool:
    """Whether two matches agree in all but their time."""
    timed = {"seconds": 0.0, "decisions_per_second": 0.0}
    return np.array_equal(one.differences, other.differences) and (
        one.to_dict() | timed == other.to_dict() | timed
    )


def test_a_match_is_the_same(two: Executor) -> None:
    told: list[tuple[int, int]] = []
    here = play_match(*PAIRS, 150, games=70, seed=3)
    there = play_match(
        *PAIRS, 150, games=70, seed=3, executor=two, progress=lambda *at: told.append(at)
    )
    assert same(here, there) and here.differences.any()
    assert told == [(64, 150), (128, 150), (150, 150)]


def test_a_match_that_may_stop_early_is_the_same(two: Executor) -> None:
    here = play_until_clear("greedy", "first_legal", 3000)
    assert same(here, play_until_clear("greedy", "first_legal", 3000, executor=two))


def test_matches_of_other_kinds_are_the_same(two: Executor) -> None:
    def figures(executor: Executor) -> list[Any]:
        names = ["greedy", "random", "bids:random,plays:greedy"]
        parts = decompose("bids:random,plays:greedy", "greedy", 130, executor=executor)
        luck = play_luck_reduced("greedy", "first_legal", 200, unplayed=300, executor=executor).luck
        crossed = cross_play(names[:2], 130, against="first_legal", executor=executor)
        assert luck is not None
        return [
            [m.differences.tolist() for m in (parts.whole, parts.bids, parts.plays)],
            (luck.points_per_hand, luck.ci95),
            play_ladder(names, 130, executor=executor).ratings,
            (crossed.points, crossed.loss),
            play_shares("greedy", 300, executor=executor),
        ]

    assert figures(two) == figures(IN_PROCESS)


def all_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_files_are_the_same(two: Executor, tmp_path: Path) -> None:
    found = []
    for name, executor in (("here", IN_PROCESS), ("there", two)):
        folder = tmp_path / name
        folder.mkdir()
        plan = plan_of(["greedy"], 30, folder / "x.jsonl", shard=10, records=folder / "r.jsonl")
        generate(plan, executor=executor)
        found.append(all_bytes(folder))
    assert found[0] == found[1] and len(found[0]) == 7


@needs_signals
def test_a_match_survives_a_worker_that_is_killed(
    two: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, flag = play_match(*PAIRS, 200), tmp_path / "died"
    monkeypatch.setattr(match, "_play_piece", partial(dying_piece, flag))
    assert same(here, play_match(*PAIRS, 200, executor=two)) and flag.exists()


# --- agents in other processes -----------------------------------------------------------------


class Own:
    """Plays as greedy does, and takes its name."""

    name, oracle = "greedy", False

    def act(self, view: View) -> Any:
        return agents.make("greedy").act(view)


def test_agents_that_were_not_made_by_name_stay_here(two: Executor) -> None:
    assert play_match(Own(), "random", 10).a == "greedy"
    with pytest.raises(AgentError, match="agent 'greedy' was not made by its name"):
        play_match(Own(), "random", 10, executor=two)
    assert list(two.map(square, [3])) == [9]


@pytest.mark.parametrize(
    "name",
    [
        "greedy",
        "heuristic:easy",
        "pimc:5",
        "bids:random,plays:greedy",
        "bids:bids:random,plays:greedy,plays:first_legal",
        "bids:random,plays:bids:greedy,plays:first_legal",
        "bids:bids:random,plays:greedy,plays:bids:first_legal,plays:random",
    ],
)
def test_an_agent_is_made_again_by_its_name(name: str) -> None:
    made = agents.make(name)
    assert agents.name_of(made) == name == made.name == agents.make(agents.name_of(made)).name


def test_parts_of_split_agents_are_those_that_were_put_together() -> None:
    random, greedy, first = map(agents.make, ("random", "greedy", "first_legal"))
    again = agents.make(agents.name_of(Split(random, Split(greedy, first))))
    assert isinstance(again, Split) and again.bidder.name == "random"
    assert again.player.name == "bids:greedy,plays:first_legal"


def test_another_checkpoint_of_the_same_path_is_refused(tmp_path: Path) -> None:
    """As on a machine of a cluster that has another file there."""
    path = tmp_path / "x.safetensors"
    write_policy(path, 1)
    _, fields = Contest(str(path), "greedy", "stick", 1).__reduce__()
    assert match.NamedContest(*fields).open().names == (str(path), "greedy")
    write_policy(path, 2)
    other = match.NamedContest(*fields[:-2], 7, fields[-1])
    with pytest.raises(EvaluationError, match=r"x\.safetensors is another checkpoint here"):
        other.open()


def write_policy(path: Path, seed: int) -> None:
    save_policy(path, PolicyValueNet([8], ["hand", "trump", "upcard"], seed), {})


# --- the command is interrupted, or killed -----------------------------------------------------

LONG = "match random greedy --deals 100000000 --workers {}"


def group_of(leader: int) -> list[int]:
    """The other processes of a process group."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[2]) == leader and fields[0] != "Z":
                found.append(int(stat.parent.name))
    return [number for number in found if number != leader]


def wait_until(condition: Any, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


DEAF = """
from agents.work.processes import Processes
from tests.pieces import deaf
workers = Processes(2)
print(list(workers.map(deaf, [0, 1])))
workers.close()
"""


def long_command(workers: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "agents", *LONG.format(workers).split()],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="there are no masks")
def test_not_even_the_first_worker_gets_ctrl_c() -> None:
    """What counts the resources of processes is started with the first, and lifts the mask."""
    told = subprocess.run(
        [sys.executable, "-c", DEAF], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert told.stdout == "[True, True]\n"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_no_worker_outlives_the_command(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C goes to all processes of a terminal; kill -9 to the command alone."""
    command = long_command("2", tmp_path)
    wait_until(lambda: len(group_of(command.pid)) >= 3)  # two, and what counts their resources
    if number == signal.SIGINT:
        os.killpg(command.pid, number)
    else:
        command.kill()
    _, said = command.communicate(timeout=120)
    wait_until(lambda: not group_of(command.pid))
    if number == signal.SIGINT:
        assert (command.returncode, said) == (INTERRUPTED, "euchre: interrupted\n")


# --- Ray ---------------------------------------------------------------------------------------


def test_without_ray_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["match", "greedy", "random", "--deals", "10", "--workers", "ray"]) == 2
    assert 'pip install "euchre-env[ray]"' in capsys.readouterr().err


def test_what_went_wrong_on_another_machine_names_it() -> None:
    missing = FileNotFoundError(2, "No such file or directory", "x.safetensors")
    for error in (missing, AgentError("no checkpoint is at 'x.safetensors'")):
        told = cluster._with_place(Outcome(None, error, place="node7")).error
        assert isinstance(told, WorkError) and "x.safetensors" in str(told)
        assert "on the machine node7 of the Ray cluster" in str(told)
        assert "a file system that all its machines share" in str(told)
    bug = Outcome(None, KeyError("x"), place="node7")
    assert cluster._with_place(bug) is bug


def test_a_machine_with_other_sources_is_refused() -> None:
    home = cluster.Home("here", os.getcwd(), "another digest")
    outcome = cluster._run(home, square, 3)
    assert isinstance(outcome.error, WorkError) and "install the same version" in str(outcome.error)


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Ray, silent to the outside, and without a file in the user's folder."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    module = pytest.importorskip("ray", reason="needs the extra ray")
    yield module
    module.shutdown()


def test_a_cluster_that_does_not_answer(ray: Any, capsys: pytest.CaptureFixture[str]) -> None:
    line = "match greedy random --deals 10 --workers ray:127.0.0.1:1"
    assert main(line.split()) == 2
    told = capsys.readouterr().err
    assert told.startswith("euchre: error: no Ray cluster answers at 127.0.0.1:1")
    assert len(told.splitlines()) == 1


class BrokenRay:
    """Ray whose ``init`` raises one error after the other."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)

    def init(self, **_: Any) -> None:
        raise self.errors.pop(0)

    def shutdown(self) -> None:
        pass


def test_ray_that_cannot_be_joined_or_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    none_here = ConnectionError("no running Ray instance\nmore")
    for ray, told in (
        (BrokenRay(none_here, RuntimeError("no room")), r"not be started .*\(no room\).*--workers"),
        (BrokenRay(RuntimeError("bad\nx")), r"cluster of this machine cannot be joined \(bad\)"),
    ):
        with pytest.raises(WorkError, match=told):
            cluster._connect(ray, None)  # type: ignore[arg-type]
    monkeypatch.setenv("RAY_ADDRESS", "ray://far:1")
    with pytest.raises(WorkError, match=r"ray://far:1 cannot be joined .*ray start --address"):
        cluster._connect(BrokenRay(none_here), None)  # type: ignore[arg-type]


@needs_signals
def test_a_local_cluster_of_two_workers(
    ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One test, since a cluster takes seconds to start."""
    place = tempfile.mkdtemp(prefix="ray")  # short, since sockets lie in it
    try:
        start_ray(ray, place)
        line = "match greedy random --deals 200 --json"
        found = []
        for more in ("--workers ray", "--workers 1"):
            assert main([*line.split(), *more.split()]) == 0
            found.append(json.loads(capsys.readouterr().out)["points_per_hand"])
        assert found[0] == found[1]
        assert ray.is_initialized(), "the connection is the program's own"
        with open_executor("ray") as executor:
            assert executor.workers == 2
            assert list(executor.map(square, range(20))) == [n * n for n in range(20)]
            with pytest.raises(AgentError, match="no such agent here"):
                list(executor.map(refuse, range(5)))
            with pytest.raises(AgentError, match="was not made by its name"):
                play_match(Own(), "random", 10, executor=executor)
            check_figures(executor, tmp_path, monkeypatch)
    finally:
        ray.shutdown()
        shutil.rmtree(place, ignore_errors=True)


def start_ray(ray: Any, place: str) -> None:
    try:
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            object_store_memory=100_000_000,
            log_to_driver=False,
            logging_level="ERROR",
            _temp_dir=place,
        )
    except Exception as error:
        if "timed out during startup" in str(error):  # Ray allows itself 30 s
            pytest.skip(f"this machine is too busy to start Ray: {error}")
        raise


def check_figures(executor: Executor, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A match with a worker killed in its midst, and files, are those of one process."""
    here, flag = play_match(*PAIRS, 200, games=2), folder / "died"
    with monkeypatch.context() as patched:
        patched.setattr(match, "_play_piece", partial(dying_piece, flag))
        there = play_match(*PAIRS, 200, games=2, executor=executor)
    assert flag.exists() and same(here, there)
    found = []
    for name, where in (("one", IN_PROCESS), ("cluster", executor)):
        (folder / name).mkdir()
        generate(plan_of(["greedy"], 30, folder / name / "x.npy", shard=10), executor=where)
        found.append(all_bytes(folder / name))
    assert found[0] == found[1]
