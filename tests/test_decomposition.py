"""One agent's calls with another's cards, and where a difference comes from."""

import argparse
import json
from typing import Any

import numpy as np
import pytest

import agents
from agents.app import match as verbs
from agents.base import AgentError, View
from agents.evaluation import play_match
from agents.evaluation.decomposition import decompose
from agents.split import Split
from euchre_env.rules import DISCARD, PHASES, PLAY


class Spy:
    """Notes the phases it is asked about, and whether it is shown hidden cards."""

    def __init__(self, name: str, oracle: bool = False) -> None:
        self.name, self.oracle = name, oracle
        self.phases: set[str] = set()
        self.saw: set[bool] = set()

    def act(self, view: View) -> Any:
        self.phases |= {PHASES[p] for p in np.unique(view.states["phase"])}
        self.saw.add(view.full_states is not None)
        return agents.make("greedy").act(view)


def test_each_part_decides_its_own() -> None:
    bidder, player = Spy("bidder"), Spy("player")
    rules = "anyone_alone,weak_hand=throw_in,throw_in_redealer=same"
    play_match(Split(bidder, player), "random", 400, rules)
    assert player.phases == {PHASES[DISCARD], PHASES[PLAY]}
    assert bidder.phases >= {"weak_hand", "bid1", "bid2", "loner"}
    assert not bidder.phases & player.phases


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_two_halves_of_one_agent_are_that_agent(name: str) -> None:
    whole = play_match(name, "first_legal", 200, seed=4)
    halves = play_match(f"bids:{name},plays:{name}", "first_legal", 200, seed=4)
    assert np.array_equal(whole.differences, halves.differences)


def test_only_an_oracle_part_is_shown_hidden_cards() -> None:
    honest, oracle = Spy("honest"), Spy("oracle", oracle=True)
    split = Split(honest, oracle)
    assert split.oracle
    assert play_match(split, "random", 20).oracles == ("bids:honest,plays:oracle",)
    assert honest.saw == {False}
    assert oracle.saw == {True}


def test_names() -> None:
    agent = agents.make("bids:scripted:order_up,pass,plays:greedy")
    assert agent.name == "bids:scripted:order_up,pass,plays:greedy"
    assert agents.make(agent.name).name == agent.name
    nested = agents.make("bids:bids:random,plays:greedy,plays:first_legal")
    assert nested.name == "bids:bids:random,plays:greedy,plays:first_legal"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bids:greedy", "does not say who plays"),
        ("bids", "parameter is missing"),
        ("bids:", "parameter is missing"),
        ("bids:gredy,plays:greedy", "did you mean 'greedy'"),
        ("bids:greedy,plays:", "no agent is called ''"),
        ("bids:greedy,plays:none.safetensors", "no checkpoint is at"),
        ("bids:none.safetensors,plays:greedy", "no checkpoint is at"),
    ],
)
def test_bad_names(name: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        agents.make(name)


# --- decomposition -----------------------------------------------------------------------------


def test_parts_are_matches_of_their_own() -> None:
    found = decompose("greedy", "first_legal", 300, seed=2)
    bids = play_match("bids:greedy,plays:first_legal", "first_legal", 300, seed=2)
    plays = play_match("bids:first_legal,plays:greedy", "first_legal", 300, seed=2)
    assert np.array_equal(found.bids.differences, bids.differences)
    assert np.array_equal(found.plays.differences, plays.differences)
    assert found.whole.points_per_hand == pytest.approx(
        found.bids.points_per_hand + found.plays.points_per_hand + found.interplay.mean
    )
    assert found.bids.clear_of_zero


def test_a_difference_in_play_alone_has_no_bids() -> None:
    found = decompose("bids:greedy,plays:random", "greedy", 200)
    assert not found.bids.differences.any()
    assert found.plays.points_per_hand == found.whole.points_per_hand < 0
    assert (found.interplay.mean, found.interplay.ci95) == (0, 0)


def test_match_verb(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    verbs.add_match_arguments(parser)
    line = "greedy random --decompose --deals 50"
    assert verbs.run_match(parser.parse_args(line.split())) == 0
    out = capsys.readouterr().out
    assert [line.split("  ")[0] for line in out.splitlines()[1:5]] == [
        *("whole", "bids only", "play only", "interplay")
    ]
    assert verbs.run_match(parser.parse_args([*line.split(), "--json"])) == 0
    data = json.loads(capsys.readouterr().out)
    assert data.keys() == {"whole", "bids", "plays", "interplay"}
    assert data["bids"]["a"] == "bids:greedy,plays:random"
