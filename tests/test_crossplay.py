"""Cross-play: pairs of two agents, the matrix, and what mixed partnerships lose."""

import argparse
import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from agents.app import crossplay as verb
from agents.app import match as match_verb
from agents.base import AgentError
from agents.evaluation import play_match
from agents.evaluation.crossplay import cross_play
from agents.evaluation.match import Contest

# --- pairs -------------------------------------------------------------------------------------


def test_partners_sit_across_and_swap_pairs() -> None:
    found = Contest("greedy & random", "first_legal", "stick", 1)
    names = [a.name for a in found.agents]
    seats = [[names[k] for k in table] for table in found.seating]
    assert seats == [
        ["greedy", "first_legal", "random", "first_legal"],
        ["first_legal", "greedy", "first_legal", "random"],
    ]
    assert found.names == ("greedy & random", "first_legal")


def test_a_pair_of_one_is_that_agent() -> None:
    one, two = play_match("greedy", "random", 60), play_match("greedy & greedy", "random", 60)
    assert two.a == "greedy"
    assert np.array_equal(one.differences, two.differences)


def test_a_mixed_pair_lies_between() -> None:
    points = [
        play_match(pair, "first_legal", 600).points_per_hand
        for pair in ("random", "greedy & random", "greedy")
    ]
    assert points == sorted(points)


@pytest.mark.parametrize("pair", ["greedy &", "& greedy", "greedy & random & greedy", "&"])
def test_texts_that_are_no_pair(pair: str) -> None:
    with pytest.raises(AgentError, match="is no pair"):
        play_match(pair, "random", 10)


# --- cross-play --------------------------------------------------------------------------------


def test_points_and_losses_against_a_reference() -> None:
    found = cross_play(["greedy", "random"], 200, against="first_legal", seed=4)
    pure = {n: play_match(n, "first_legal", 200, seed=4).differences for n in found.agents}
    mixed = play_match("greedy & random", "first_legal", 200, seed=4).differences
    assert found.points.keys() == {("greedy",) * 2, ("random",) * 2, ("greedy", "random")}
    assert found.points["greedy", "random"].mean == mixed.mean()
    by_deal = (pure["greedy"] + pure["random"]) / 2 - mixed
    loss = found.losses["greedy", "random"]
    assert loss.mean == pytest.approx(by_deal.mean())
    assert loss.standard_error == pytest.approx(by_deal.std(ddof=1) / np.sqrt(200))
    assert found.loss.mean == pytest.approx(loss.mean)


def test_the_same_policy_under_two_names_loses_nothing() -> None:
    names = ["greedy", "bids:greedy,plays:greedy", "bids:bids:greedy,plays:greedy,plays:greedy"]
    found = cross_play(names, 100, against="random")
    assert len(found.losses) == 3
    assert all((e.mean, e.ci95) == (0, 0) for e in found.losses.values())
    without = cross_play(names[:2], 100)
    assert (without.loss.mean, without.loss.ci95) == (0, 0)


def test_without_a_reference_the_mixed_pair_plays_the_pure_ones() -> None:
    found = cross_play(["greedy", "random"], 100)
    against = [play_match("greedy & random", n, 100).differences for n in ("greedy", "random")]
    assert found.points["greedy", "random"].mean == pytest.approx(np.mean(against))
    assert found.loss.mean == pytest.approx(-np.mean(against))
    assert len(found.matches) == 2


def test_rows_are_used_again(tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    first = cross_play(["greedy", "random"], 30, against="first_legal", out=out)
    again = cross_play(["greedy", "random"], 30, against="first_legal", out=out)
    assert len(out.read_text().splitlines()) == 3
    assert again.points == first.points
    assert again.loss == first.loss


# --- verb --------------------------------------------------------------------------------------


def test_crossplay_verb(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    verb.add_crossplay_arguments(parser)

    def run(line: str) -> str:
        assert verb.run_crossplay(parser.parse_args(line.split())) == 0
        return capsys.readouterr().out

    text = run("greedy random --against first_legal --deals 30")
    assert "greedy & random lose" in text
    assert "30 duplicate deals a match, rules stick, seed 1" in text
    assert "two pure pairs" in run("greedy random --deals 30")
    data = json.loads(run("greedy random --against first_legal --deals 30 --json"))
    assert len(data["points"]) == 3 and len(data["losses"]) == 1
    matches = argparse.ArgumentParser()
    match_verb.add_match_arguments(matches)
    args = matches.parse_args(shlex.split(data["commands"][-1])[2:])
    assert (args.a, args.b) == ("greedy & random", "first_legal")


@pytest.mark.parametrize("names", [["greedy"], ["greedy", "greedy"]])
def test_two_different_agents_are_needed(names: list[str]) -> None:
    with pytest.raises(AgentError, match="two different agents"):
        cross_play(names, 30)


def test_bad_input_is_refused_before_any_work() -> None:
    with pytest.raises(AgentError, match="did you mean 'greedy'"):
        cross_play(["greedy", "random"], 30, against="gredy")
    with pytest.raises(ValueError, match="deals=1 is too few"):
        cross_play(["greedy", "random"], 1)
