"""Networks and training in games with 28 and 32 cards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents import make
from agents.base import AgentError, RuleTable, View, check_actions, view_of
from agents.evaluation.match import play_match
from agents.network import NetworkAgent, PolicyValueNet, load_policy, save_policy
from agents.training import ConfigError, train
from agents.training.config import config_from
from agents.training.loop import network_blocks
from agents.training.rollout import Collector, Workers
from euchre_env import BatchEnv, cards, encoding, symmetry


def games_of(ruleset: str, count: int = 32) -> View:
    env = BatchEnv(count, ruleset, seed=6, observe=False)
    env.reset()
    for _ in range(9):
        env.step(env.random_actions())
    seeds = np.arange(count, dtype=np.uint64)
    return view_of(env.states, RuleTable.of(env.rulesets), env.which, seeds)


@pytest.mark.parametrize("ordered", [False, True])
def test_a_network_of_the_large_deck_plays_both(ordered: bool) -> None:
    agent = NetworkAgent(PolicyValueNet((16,), wide=True, ordered_suits=ordered))
    for ruleset, actions_ in (("euchre32", 46), ("stick", 38)):
        view = games_of(ruleset)
        chances = agent.probabilities(view)
        assert chances.shape == (32, actions_)
        assert np.allclose(chances.sum(1), 1, atol=1e-5)
        assert not chances[view.action_mask == 0].any()
        check_actions(view, agent.act(view), agent.name)


def test_the_names_of_suits_do_not_count_for_an_ordered_wide_network() -> None:
    """A game and the same under other names of the suits get the same act."""
    agent = NetworkAgent(PolicyValueNet((32,), wide=True, ordered_suits=True, seed=3))
    view = games_of("euchre32", 200)
    moved = view.states.copy()
    rows = []
    for i, s in enumerate(view.states):
        if cards.trump_of(s.frame) < 4:
            swap = symmetry.other_suits_swap(int(cards.trump_of(s.frame)))
            moved[i] = symmetry.move_state(s, swap)
            rows.append(i)
    other = View(moved, view.table, view.which, view.seeds)
    here, there = agent.probabilities(view)[rows], agent.probabilities(other)[rows]
    same = np.abs(here - there[:, symmetry.ALL_SWAPPED_ACTIONS]).max(1) < 1e-6
    assert same.mean() > 0.95  # suits that look alike may stand in either order


def test_a_network_of_the_small_deck_refuses_the_large_one() -> None:
    agent = NetworkAgent(PolicyValueNet((16,)), name="small.safetensors")
    with pytest.raises(AgentError, match=r"small.safetensors plays with the deck of 24 cards only"):
        play_match(agent, "random", 4, "euchre32")


@pytest.mark.parametrize("name", ["heuristic", "oracle", "rollout:2", "pimc:2+infer"])
def test_players_of_the_small_deck_refuse_views_of_the_large_one(name: str) -> None:
    with pytest.raises(AgentError, match="plays with the deck of 24 cards only, not lowest_rank=7"):
        make(name).act(games_of("euchre32", 4))


def test_a_trainer_refuses_teachers_that_do_not_know_the_deck(tmp_path: Path) -> None:
    config = config_from({"ruleset": ["euchre32"], "teacher": {"agent": "heuristic"}})
    with pytest.raises(AgentError, match="heuristic plays with the deck of 24 cards only"):
        train(config, make=make)


def test_policies_of_the_large_deck_are_kept(tmp_path: Path) -> None:
    net = PolicyValueNet((16,), wide=True, ordered_suits=True, seed=4)
    save_policy(tmp_path / "large.safetensors", net, {})
    again, header = load_policy(tmp_path / "large.safetensors")
    assert again.wide and header["network"]["wide"] is True
    assert header["layout"] == encoding.layout_hash(wide=True)
    view = games_of("euchre32")
    chances = [NetworkAgent(each).probabilities(view) for each in (net, again)]
    assert (chances[0] == chances[1]).all()


def test_what_a_trainer_sees_of_larger_decks() -> None:
    config = config_from({"ruleset": ["euchre32"], "critic": {"sees": "all"}})
    assert "low_hand" in network_blocks(config) and "low_ranks" not in network_blocks(config)
    workers = Workers(1, "fp32", "cpu")
    collector = Collector(64, "euchre32", 1, workers)
    net = PolicyValueNet((16,), wide=True, ordered_suits=True)
    found = collector.collect(net, 1)
    assert found.observation.shape[1] == 694 and found.action_mask.shape[1] == 46
    assert found.hidden.shape[1] == encoding.WIDE_HIDDEN_SIZE
    assert (found.action_mask.gather(1, found.action[:, None]) == 1).all()
    assert (found.action >= 38).any()
    for key, value in (("critic", {"double_dummy": True}), ("ppo", {"locations": 0.1})):
        with pytest.raises(ConfigError, match=f"{key}.* needs the deck of 24 cards"):
            config_from({"ruleset": ["euchre32"], key: value})
