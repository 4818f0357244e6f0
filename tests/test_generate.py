"""Self-play as data: the rows against the environment, files, resuming, records, Minari."""

import argparse
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import make
from agents.app.generate import add_generate_arguments, run_generate
from agents.base import Actions, AgentError, View
from agents.selfplay import files
from agents.selfplay.files import DataError, Plan, generate, plan_of
from agents.selfplay.hands import play_hands
from agents.work import InProcess
from euchre_env import BatchEnv, Ruleset
from euchre_env.dataset import DataSet
from euchre_env.encoding import OBSERVATION_SIZE
from euchre_env.record import load_records
from euchre_env.replay import played_deals, replay, verify
from euchre_env.rules import PHASES
from euchre_env.ruleset import RulesetError

STICK = [Ruleset.stick()]
SEVERAL = [Ruleset.stick(), Ruleset.preset("canadian"), Ruleset.parse("joker=true")]
THREE = [Ruleset.parse("three_hand"), Ruleset.parse("cutthroat,widow_exchange=true")]
MIXED = [Ruleset.stick(), Ruleset.parse("dirty_clubs,points_drop_out=1")]
TWO = [Ruleset.parse("two_hand,two_hand_dummy=maker")]


class Leaning:
    """Takes the highest legal action and says so, nearly."""

    name, oracle = "leaning", False

    def act(self, view: View) -> Actions:
        last: Actions = 37 - view.action_mask[:, ::-1].argmax(axis=1)
        return last

    def probabilities(self, view: View) -> Any:
        chances = view.action_mask * np.float32(0.1) / view.action_mask.sum(axis=1, keepdims=True)
        chances[np.arange(len(view)), self.act(view)] += np.float32(0.9)
        return chances.astype(np.float32)


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_generate_arguments(parser)
    return run_generate(parser.parse_args(words))


def all_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


# ---- rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rulesets",
    [STICK, SEVERAL, THREE, MIXED, TWO],
    ids=["one", "several", "three players", "with and without partners", "two players"],
)
def test_rows_are_what_the_environment_shows(rulesets: list[Ruleset]) -> None:
    """Hand h is the first episode of game h of a batch: step one, and compare everything."""
    count = 60
    hands = play_hands([make("random")], rulesets, 5, 0, count, forced=True)
    env = BatchEnv(count, rulesets, seed=5)
    env.reset()
    which = env.which.copy()
    running = np.ones(count, np.bool_)
    points = np.zeros((count, 4), np.float32)
    for step in range(64):
        now = hands.rows[hands.rows["step"] == step]
        assert now["hand"].tolist() == np.flatnonzero(running).tolist()
        if not len(now):
            break
        games = now["hand"]
        assert np.array_equal(now["observation"], env.observation[games])
        assert np.array_equal(now["action_mask"], env.action_mask[games])
        assert np.array_equal(now["seat"], env.actor[games])
        assert np.array_equal(now["phase"], env.states["phase"][games])
        assert np.array_equal(now["ruleset"], which[games])
        actions = env.random_actions()
        actions[games] = now["action"]
        rewards, done = env.step(actions)
        points[running & done] = rewards[running & done]
        running &= ~done
    assert not running.any()
    rows = hands.rows
    assert np.array_equal(rows["reward"], points[rows["hand"], rows["seat"]])
    assert np.unique(rows["reward"]).size >= 3


def test_last_marks_the_last_row_of_each_seat_and_hand() -> None:
    rows = play_hands([make("greedy")], STICK, 1, 0, 40).rows
    seen: dict[tuple[int, int], list[bool]] = {}
    for row in rows:
        seen.setdefault((int(row["hand"]), int(row["seat"])), []).append(bool(row["last"]))
    assert len(seen) > 100
    assert all(marks == [False] * (len(marks) - 1) + [True] for marks in seen.values())


def test_forced_decisions_change_nothing_but_their_own_rows() -> None:
    without = play_hands([make("random")], STICK, 2, 0, 50)
    with_forced = play_hands([make("random")], STICK, 2, 0, 50, forced=True)
    rows = with_forced.rows[with_forced.rows["action_mask"].sum(axis=1) > 1]
    for name in set(rows.dtype.names or ()) - {"last"}:
        assert np.array_equal(rows[name], without.rows[name]), name
    assert len(with_forced.rows) > len(rows)
    assert np.array_equal(with_forced.actions, without.actions)


def test_rows_do_not_depend_on_what_is_played_beside_them() -> None:
    agents = [make("random"), make("greedy")]
    together = play_hands(agents, SEVERAL, 3, 0, 30)
    apart = [play_hands(agents, SEVERAL, 3, first, 7).rows for first in range(0, 28, 7)]
    rest = play_hands(agents, SEVERAL, 3, 28, 2).rows
    assert np.concatenate([*apart, rest]).tobytes() == together.rows.tobytes()


def test_who_sits_where() -> None:
    two = play_hands([make("random"), make("greedy")], STICK, 1, 0, 2)
    assert two.seating.tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]
    four = play_hands([make("random")] * 4, STICK, 1, 5, 1)
    assert four.seating.tolist() == [[1, 2, 3, 0]]
    rows = two.rows
    assert np.array_equal(rows["agent"], two.seating[rows["hand"], rows["seat"]])


def test_probabilities_are_kept_where_the_agent_gives_them() -> None:
    hands = play_hands([Leaning(), make("greedy")], STICK, 1, 0, 20, forced=True)
    rows, forced = hands.rows, hands.rows["action_mask"].sum(axis=1) == 1
    chances = rows["probabilities"]
    leaning = (rows["agent"] == 0) & ~forced
    picked = chances[leaning, rows["action"][leaning]]
    legal = rows["action_mask"][leaning].sum(axis=1)
    assert np.allclose(picked, 0.9 + 0.1 / legal)
    assert np.isnan(chances[(rows["agent"] == 1) & ~forced]).all()
    assert (chances[forced, rows["action"][forced]] == 1).all()
    assert "probabilities" not in (play_hands([make("greedy")], STICK, 1, 0, 2).rows.dtype.names)


def test_an_illegal_answer_names_agent_and_hand() -> None:
    class Wrong(Leaning):
        name = "wrong"

        def act(self, view: View) -> Actions:
            return np.full(len(view), 37)

    with pytest.raises(AgentError, match=r"'wrong'.*in game 100,"):
        play_hands([Wrong()], STICK, 1, 100, 3)


# ---- files ---------------------------------------------------------------------------------------


def test_files_do_not_depend_on_the_batch(tmp_path: Path) -> None:
    found = []
    for batch in (3, 100):
        folder = tmp_path / str(batch)
        folder.mkdir()
        plan = plan_of(["random"], 25, folder / "x.npy", shard=10, records=folder / "r.jsonl")
        data = generate(plan, batch=batch)
        data.verify()
        assert data.complete
        found.append(all_bytes(folder))
    assert found[0] == found[1]
    assert list(found[0]) == [
        *("r-00000.jsonl", "r-00001.jsonl", "r-00002.jsonl"),
        *("x-00000.npy", "x-00001.npy", "x-00002.npy", "x.npy.manifest.json"),
    ]


class Elsewhere(InProcess):
    """Works on a machine whose files are not seen here."""

    def map(self, function: Any, pieces: Any) -> Any:
        for piece in pieces:
            told = function(piece)
            (function.plan.out.parent / told["file"]).unlink()
            yield told


def test_a_shard_that_is_not_seen_here_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "PATIENCE", 0.0)
    with pytest.raises(DataError, match=r"x\.npy was written on another machine .*share"):
        generate(plan_of(["random"], 5, tmp_path / "x.npy"), executor=Elsewhere())
    assert not DataSet.open(tmp_path / "x.npy").complete


def test_paths_are_absolute_for_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = plan_of(["random"], 5, "x.npy", records=Path("r.jsonl"))
    sent = pickle.loads(pickle.dumps(files._Writer(plan, 8, {}, 3, print)))
    assert (sent.plan.out, sent.plan.records) == (tmp_path / "x.npy", tmp_path / "r.jsonl")
    assert (sent.done, sent.tell, sent.batch) == (0, None, 8)


def test_what_killed_processes_left_is_removed(tmp_path: Path) -> None:
    plan = plan_of(["random"], 25, tmp_path / "x.npy", shard=10, records=tmp_path / "r.jsonl")
    for name in (".x-00001.npy.4711", ".r-00002.jsonl.12"):
        (tmp_path / name).write_bytes(b"half")
    others = {".y-00001.npy.4711", ".x-00007.npy.4711", ".x-00001.npy.old"}
    for name in others:
        (tmp_path / name).write_bytes(b"not ours")
    generate(plan)
    assert {path.name for path in tmp_path.glob(".*")} == others


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    generate(plan_of(["random"], 40, whole / "x.npy", shard=10))

    def stop_after_two(done: int, total: int) -> None:
        assert total == 40
        if done > 20:
            raise KeyboardInterrupt

    plan = plan_of(["random"], 40, broken / "x.npy", shard=10)
    with pytest.raises(KeyboardInterrupt):
        generate(plan, progress=stop_after_two)
    part = DataSet.open(broken / "x.npy")
    assert not part.complete
    assert sorted({h for b in part.batches(100) for h in b["hand"].tolist()}) == list(range(20))
    played = []
    real = files.write_shard
    monkeypatch.setattr(files, "write_shard", lambda p, n, *a: played.append(n) or real(p, n, *a))
    assert generate(plan, resume=True).complete
    assert played == [2, 3]
    assert all_bytes(broken) == all_bytes(whole)
    (broken / "x-00001.npy").write_bytes(b"spoiled")
    generate(plan, resume=True)
    assert played == [2, 3, 1]
    assert all_bytes(broken) == all_bytes(whole)


def test_a_data_set_is_not_overwritten_nor_mixed(tmp_path: Path) -> None:
    out = tmp_path / "x.npy"
    generate(plan_of(["random"], 5, out))
    before = all_bytes(tmp_path)
    with pytest.raises(DataError, match="--resume"):
        generate(plan_of(["random"], 5, out))
    with pytest.raises(DataError, match=r"made with seed=1, not 2"):
        generate(plan_of(["random"], 5, out, seed=2), resume=True)
    with pytest.raises(DataError, match="made with agents="):
        generate(plan_of(["greedy"], 5, out), resume=True)
    (tmp_path / "mine.jsonl").write_text("precious")
    with pytest.raises(DataError, match=r"mine\.jsonl is there already"):
        generate(plan_of(["random"], 5, tmp_path / "mine.jsonl"))
    with pytest.raises(DataError, match=r"mine\.jsonl is there already"):
        generate(plan_of(["random"], 5, tmp_path / "y.npy", records=tmp_path / "mine.jsonl"))
    assert all_bytes(tmp_path) == before | {"mine.jsonl": b"precious"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hands": 0}, "hands=0"),
        ({"shard": 0}, "shard=0"),
        ({"agents": ()}, "no agent"),
        ({"out": Path("x.npz")}, r"x\.npz: name a file that ends in"),
        ({"out": Path("nowhere/x.npy")}, "no folder 'nowhere'"),
        ({"records": Path("r.txt")}, r"r\.txt: records"),
        ({"records": Path("r.egn")}, "holds one game, not 5"),
        ({"out": Path("x.jsonl"), "records": Path("x.jsonl")}, "cannot share"),
    ],
)
def test_what_a_plan_refuses(changes: dict[str, Any], message: str) -> None:
    plan = {"agents": ("random",), "hands": 5, "out": Path("x.npy"), "rulesets": (STICK[0],)}
    with pytest.raises(DataError, match=message):
        Plan(**(plan | changes))


def test_all_formats_hold_the_same_rows(tmp_path: Path) -> None:
    suffixes = [".npy", ".jsonl"]
    try:
        import pyarrow  # noqa: F401

        suffixes.append(".parquet")
    except ImportError:
        pass
    sets = [generate(plan_of(["greedy"], 8, tmp_path / f"x{s}")) for s in suffixes]
    rows = [np.concatenate(list(data.shards())).tobytes() for data in sets]
    assert rows == [rows[0]] * len(suffixes)


# ---- records -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "games",
    [["three_hand", "cutthroat"], ["buck", "dirty_clubs"], ["two_hand,two_hand_dummy=maker"]],
)
def test_records_of_games_without_partners(games: list[str], tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    generate(plan_of(["random", "greedy"], 24, tmp_path / "x.npy", games, records=records))
    found = verify(records)
    assert [str(fault) for fault in found.faults] == []
    assert found.passed == 24
    players = Ruleset.parse(games[0]).players
    assert {len(game.players) for game in load_records(records)} == {players}
    with pytest.raises(RulesetError, match=r"an \.egn file is for the partnership game only"):
        plan_of(["random"], 1, tmp_path / "y.npy", games, records=tmp_path / "r.egn")


def test_records_tell_the_same_hands(tmp_path: Path) -> None:
    plan = plan_of(
        ["random", "greedy"],
        30,
        tmp_path / "x.npy",
        SEVERAL,
        forced=True,
        records=tmp_path / "r.jsonl",
    )
    (rows,) = generate(plan).shards()
    games = load_records(tmp_path / "r.jsonl")
    assert len(games) == 30
    for number, game in enumerate(games):
        mine = rows[rows["hand"] == number]
        (played,) = played_deals(game)
        assert played.note == "" and played.complete
        assert [int(s.state.turn) for s in played.steps] == mine["seat"].tolist()
        assert [int(s.state.phase) for s in played.steps] == mine["phase"].tolist()
        assert game.ruleset == plan.rulesets[mine["ruleset"][0]]
        assert game.players[mine["seat"][0]] == plan.agents[mine["agent"][0]]
        points = played.final.points
        sign = 1 - 2 * (int(mine["seat"][0]) % 2)
        assert mine["reward"][0] == sign * (int(points[0]) - int(points[1]))


@pytest.mark.parametrize("rulesets", [THREE, MIXED, TWO], ids=["3", "4", "2"])
def test_records_of_other_games_come_to_the_same_points(
    tmp_path: Path, rulesets: list[Ruleset]
) -> None:
    path = tmp_path / "r.jsonl"
    plan = plan_of(["random", "greedy"], 20, tmp_path / "x.npy", rulesets, records=path)
    (rows,) = generate(plan).shards()
    for number, game in enumerate(load_records(path)):
        (result,), faults = replay(game)
        assert not faults and result.complete and result.note == ""
        mine = rows[rows["hand"] == number][0]
        assert game.ruleset == plan.rulesets[mine["ruleset"]]
        assert game.players[mine["seat"]] == plan.agents[mine["agent"]]
        points, seat = list(result.points), int(mine["seat"])
        side = seat % 2 if game.ruleset.is_partnership else seat
        own, others = points.pop(side), points
        assert mine["reward"] == pytest.approx(own - sum(others) / len(others))


# ---- the verb ------------------------------------------------------------------------------------


def test_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "x.jsonl")
    words = ["greedy", "--hands", "6", "--out", out, "--ruleset", "stick", "--ruleset", "british"]
    assert run(*words, "--seed", "4", "--shard", "3", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    data = DataSet.open(out)
    assert (told["hands"], told["rows"], told["shards"]) == (6, len(data), 2)
    assert told["seed"] == 4 == data.manifest["seed"]
    assert data.manifest["rules"] == ["stick", "british"]
    assert data.manifest["phases"] == list(PHASES)
    assert run(*words, "--seed", "4", "--shard", "3", "--resume") == 0
    assert f"{out}: 6 hands, {len(data)} rows" in capsys.readouterr().out


def test_options_that_minari_does_not_take() -> None:
    with pytest.raises(DataError, match="--resume goes with --out"):
        run("greedy", "--hands", "2", "--minari", "a/b-v0", "--resume")


# ---- Minari --------------------------------------------------------------------------------------


def test_minari_without_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "minari", None)
    with pytest.raises(DataError, match=r"euchre-env\[minari\]"):
        run("greedy", "--hands", "2", "--minari", "a/b-v0")


@pytest.mark.parametrize("rules", ["stick", "three_hand"])
def test_minari_holds_the_same_episodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str
) -> None:
    minari = pytest.importorskip("minari")
    pytest.importorskip("h5py")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    words = ["--hands", "6", "--minari", "euchre/x-v0", "--batch", "4", "--ruleset", rules]
    assert run("random", *words) == 0
    data = minari.load_dataset("euchre/x-v0")
    rows = play_hands([make("random")], [Ruleset.parse(rules)], 1, 0, 6, forced=True).rows
    assert data.total_steps == len(rows)
    by_seat = {}
    for row in rows:
        by_seat.setdefault((int(row["hand"]), int(row["seat"])), []).append(row)
    assert len(data) == len(by_seat)
    for episode, key in zip(data, sorted(by_seat), strict=True):
        mine = by_seat[key]
        seen, mask = episode.observations["observation"], episode.observations["action_mask"]
        assert seen.shape == (len(mine) + 1, OBSERVATION_SIZE)
        assert np.array_equal(seen[:-1], [row["observation"] for row in mine])
        assert np.array_equal(mask[:-1], [row["action_mask"] for row in mine])
        assert seen[-1, PHASES.index("over")] == 1 and not mask[-1].any()
        assert episode.actions.tolist() == [row["action"] for row in mine]
        assert episode.rewards.tolist() == [0.0] * (len(mine) - 1) + [mine[0]["reward"]]
        assert episode.terminations.tolist() == [False] * (len(mine) - 1) + [True]
        assert data.observation_space.contains({"observation": seen[-1], "action_mask": mask[-1]})
    with pytest.raises(DataError, match="already exists"):
        run("random", "--hands", "6", "--minari", "euchre/x-v0")


def test_no_half_of_a_minari_data_set_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("minari")
    pytest.importorskip("h5py")
    from agents.selfplay.minari import write_minari

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_minari("euchre/x-v0", ["random"], 4, progress=stop)
    assert not list(tmp_path.rglob("*.hdf5"))
    write_minari("euchre/x-v0", ["random"], 2)
