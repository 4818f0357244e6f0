"""The ladder: weighted fit, bootstrap, files of results, picture."""

import argparse
import json
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import agents
from agents.app import match as verbs
from agents.evaluation import ladder as ladders
from agents.evaluation import play_match
from agents.evaluation.ladder import (
    fit_ratings,
    play_ladder,
    ratings_by_deal,
    resampled_means,
    weights_of,
)
from agents.evaluation.stats import EvaluationError
from agents.evaluation.store import Store, files_of, pack, unpack
from euchre_env.ruleset import Ruleset

NAMES = ["random", "greedy", "first_legal"]


def run(line: str) -> int:
    parser = argparse.ArgumentParser()
    verbs.add_ladder_arguments(parser)
    return verbs.run_ladder(parser.parse_args(shlex.split(line)))


# --- ratings -----------------------------------------------------------------------------------


def test_weights_favour_precise_matches() -> None:
    pairs = [(0, 1), (0, 2), (1, 2)]
    contradiction = np.repeat([[1.0], [0.0], [0.0]], 4, axis=1)  # 0 beats 1, else all are equal
    plain, _ = fit_ratings(pairs, contradiction)
    assert plain == pytest.approx([1 / 3, -1 / 3, 0])
    trusted, _ = fit_ratings(pairs, contradiction, np.array([1e9, 1.0, 1.0]))
    assert trusted[0] - trusted[1] == pytest.approx(1, abs=1e-6)
    ignored, _ = fit_ratings(pairs, contradiction, np.array([1e-9, 1.0, 1.0]))
    assert ignored == pytest.approx([0, 0, 0], abs=1e-6)


def test_weights_do_not_matter_where_all_fits() -> None:
    rng = np.random.default_rng(1)
    strength = rng.normal(size=(4, 50))
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    exact = np.stack([strength[i] - strength[j] for i, j in pairs])
    found = ratings_by_deal(pairs, exact, rng.uniform(0.1, 5, len(pairs)))
    assert found == pytest.approx(strength - strength.mean(axis=0))


def test_weights_of_matches() -> None:
    found = weights_of(np.array([[1.0, -1.0], [2.0, -2.0], [0.0, 0.0]]))
    assert found[0] / found[1] == pytest.approx(4)
    assert np.isfinite(found).all() and found.mean() == pytest.approx(1)
    assert weights_of(np.zeros((2, 5))).tolist() == [1, 1]


def test_the_bootstrap_spreads_as_the_standard_error() -> None:
    rng = np.random.default_rng(2)
    by_deal = rng.normal([[0.1], [-0.1]], 1, (2, 400))
    means = resampled_means(by_deal, seed=3, resamples=3000)
    assert means.std(axis=0) == pytest.approx(by_deal.std(axis=1) / 20, rel=0.06)
    assert means.mean(axis=0) == pytest.approx(by_deal.mean(axis=1), abs=0.01)
    assert np.array_equal(means, resampled_means(by_deal, seed=3, resamples=3000))


def test_bootstrap_intervals_of_a_ladder() -> None:
    found = play_ladder(NAMES, 400, seed=5)
    for r in found.ratings:
        assert r.low < r.points < r.high
        assert r.high - r.low == pytest.approx(2 * r.ci95, rel=0.15)
    assert [round(r.first) for r in found.ratings] == [1, 0, 0]
    assert found.misfit < 0.5


def test_the_order_of_agents_does_not_matter() -> None:
    there, back = play_ladder(NAMES, 50), play_ladder(NAMES[::-1], 50)
    assert there.ratings == back.ratings


# --- files of results --------------------------------------------------------------------------


def count_matches(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    played = []

    def counted(a: Any, b: Any, *args: Any, **options: Any) -> Any:
        played.append((a.name, b.name))
        return play_match(a, b, *args, **options)

    monkeypatch.setattr(ladders, "play_match", counted)
    return played


def test_a_ladder_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: Any) -> None:
    out, played = tmp_path / "rows.jsonl", count_matches(monkeypatch)
    play_ladder(NAMES[:2], 40, out=out)
    assert len(played) == 1
    whole = play_ladder(NAMES, 40, out=out)
    assert (len(played), whole.reused) == (3, 1)
    again = play_ladder(NAMES, 40, out=out)
    assert (len(played), again.reused) == (3, 3)
    assert again.ratings == whole.ratings == play_ladder(NAMES, 40).ratings
    assert len(out.read_text().splitlines()) == 3


@pytest.mark.parametrize("change", [{"seed": 2}, {"deals": 41}, {"ruleset": "american"}])
def test_another_match_is_never_mixed_in(
    change: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, played = tmp_path / "rows.jsonl", count_matches(monkeypatch)
    play_ladder(NAMES[:2], 40, out=out)
    options: dict[str, Any] = {"deals": 40, "ruleset": "stick", "seed": 1} | change
    found = play_ladder(NAMES[:2], out=out, **options)
    assert (len(played), found.reused) == (2, 0)
    assert found.matches[0].seed == options["seed"]


def test_rows_of_other_code_or_another_version_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "rows.jsonl"
    play_ladder(NAMES[:2], 40, out=out)
    with monkeypatch.context() as patched:
        patched.setattr("agents.evaluation.store.__version__", "9.9.9")
        assert play_ladder(NAMES[:2], 40, out=out).reused == 0
    with monkeypatch.context() as patched:
        patched.setattr("agents.evaluation.store.code_digest", lambda: "other")
        assert play_ladder(NAMES[:2], 40, out=out).reused == 0
    assert play_ladder(NAMES[:2], 40, out=out).reused == 1


MINE = """
from agents.simple import FirstLegalAgent

class Mine(FirstLegalAgent):
    name = "mine"
"""


def test_rows_of_a_registered_agent_count_for_the_same_source_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, source = tmp_path / "rows.jsonl", tmp_path / "mine_of_a_test.py"
    source.write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    with patch.dict(agents.FAMILIES), patch.dict(sys.modules):
        agents.register("mine", import_module(source.stem).Mine)
        assert play_ladder(["mine", "random"], 40, out=out).reused == 0
        assert play_ladder(["mine", "random"], 40, out=out).reused == 1
        source.write_text(MINE + "# another\n")
        assert play_ladder(["mine", "random"], 40, out=out).reused == 0


def test_a_registered_agent_without_a_file_counts_in_this_process_alone() -> None:
    with patch.dict(agents.FAMILIES):
        agents.register("mine", type("Mine", (), {"__module__": "nowhere"}))
        code = (
            "import agents; from agents.evaluation.store import files_of\n"
            "agents.register('mine', type('Mine', (), {'__module__': 'nowhere'}))\n"
            "print(files_of('mine')['mine'])"
        )
        here = files_of("mine")["mine"]
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert len(here) == 16 and here == files_of("mine")["mine"]
        assert len(done.stdout.strip()) == 16 and done.stdout.strip() != here


def test_a_row_says_how_to_play_it_again(tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    play_ladder(NAMES[:2], 40, "stick,no_trump=round2", 3, out=out)
    row = json.loads(out.read_text())
    words = shlex.split(row["command"])
    assert words[:2] == ["euchre", "match"]
    parser = argparse.ArgumentParser()
    verbs.add_match_arguments(parser)
    args = parser.parse_args(words[2:])
    again = play_match(args.a, args.b, args.deals, args.ruleset, args.seed)
    assert again.points_per_hand == row["points_per_hand"]
    assert np.array_equal(again.differences, unpack(row["halves"]))
    assert row.keys() >= {"a", "b", "ruleset", "seed", "deals", "version", "oracles", "ci95"}


def test_differences_are_kept_exactly() -> None:
    values = np.random.default_rng(3).integers(-40, 41, 500) / 2
    assert np.array_equal(unpack(pack(values)), values)


def test_checkpoints_are_told_apart_by_contents(tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    file.write_bytes(b"one")
    first = files_of(f"bids:{file},plays:greedy", f"greedy & {file}")
    assert list(first) == [str(file)]
    file.write_bytes(b"two")
    assert files_of(str(file)) != first
    assert files_of("greedy") == {}


def test_the_champion_counts_as_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "champion.safetensors"
    file.write_bytes(b"one")
    monkeypatch.setattr("agents.evaluation.store.champion_path", lambda: file)
    first = files_of("champion")
    assert list(first) == ["champion"] == list(files_of("greedy & champion+search:50"))
    file.write_bytes(b"two")
    assert files_of("search:20,by:champion") != first
    assert list(files_of(str(file))) == [str(file)]


def test_a_line_cut_off_is_dropped(tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    play_ladder(NAMES, 20, out=out)
    whole = out.read_bytes()
    out.write_bytes(whole[:-30])
    assert play_ladder(NAMES, 20, out=out).reused == 2
    assert len(Store(out).rows) == 3


@pytest.mark.parametrize("line", [b"{}", b"[1]", b"no json", b'{"a": 1}', b"\xff\xfe"])
def test_a_file_of_something_else_is_refused(line: bytes, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    out.write_bytes(line + b"\n")
    with pytest.raises(EvaluationError, match=r"rows.jsonl:1: not a row of match results \(\w+\);"):
        play_ladder(NAMES[:2], 20, out=out)
    assert out.read_bytes() == line + b"\n"
    with pytest.raises(EvaluationError, match="no folder"):
        play_ladder(NAMES[:2], 20, out=tmp_path / "none" / "rows.jsonl")


def test_find_needs_the_same_rules(tmp_path: Path) -> None:
    play_ladder(NAMES[:2], 20, out=tmp_path / "rows.jsonl")
    store = Store(tmp_path / "rows.jsonl")
    assert store.find("greedy", "random", Ruleset.stick(), 1, 20) is not None
    assert store.find("greedy", "random", Ruleset(), 1, 20) is None
    assert store.find("random", "greedy", Ruleset.stick(), 1, 20) is None


# --- verb and picture --------------------------------------------------------------------------


def test_ladder_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, plot = tmp_path / "rows.jsonl", tmp_path / "ladder.png"
    assert run(f"random greedy first_legal --deals 40 --out {out} --plot {plot}") == 0
    text = capsys.readouterr().out
    assert "0 of 3 matches were read" in text
    assert plot.read_bytes()[:4] == b"\x89PNG"
    again = next(line for line in text.splitlines() if line.startswith("again: euchre ladder "))
    assert run(again.partition("ladder ")[2] + f" --out {out}") == 0
    assert "3 of 3 matches were read" in capsys.readouterr().out


def test_a_picture_that_cannot_be_drawn_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verbs, "play_ladder", lambda *a, **k: pytest.fail("played"))
    with pytest.raises(EvaluationError, match="a file of the kind"):
        run(f"random greedy --plot {tmp_path}/a.txt")
    with pytest.raises(EvaluationError, match="no folder"):
        run(f"random greedy --plot {tmp_path}/none/a.png")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("agents.app.plot.find_spec", lambda name: None)
    with pytest.raises(EvaluationError, match=r"pip install 'euchre-env\[plots\]'"):
        run(f"random greedy --plot {tmp_path}/a.png")
