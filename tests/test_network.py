"""The network, the agent that plays it, and its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import safetensors.torch
import torch

from agents import AgentError, make
from agents import network as module
from agents.base import RuleTable, View, check_actions, view_of
from agents.network import (
    CHUNK,
    NETWORKS,
    NetworkAgent,
    PolicyError,
    PolicyValueNet,
    all_blocks,
    block_slices,
    load_agent,
    load_policy,
    masked,
    network_of,
    read_header,
    register_network,
    sample,
    save_policy,
    uniforms_of,
)
from agents.training import ConfigError, train
from agents.training.config import NetworkConfig, config_from
from euchre_env import symmetry
from euchre_env.actions import TO_ABSOLUTE
from euchre_env.batch import BatchEnv
from euchre_env.encoding import LAYOUT, OBSERVATION_SIZE, layout_hash
from tests.small_runs import quiet, tiny

LARGEST_UNIFORM = 1 - 2**-24


def playing(games: int, steps: int = 9, seed: int = 1) -> BatchEnv:
    """A batch in the middle of its hands."""
    env = BatchEnv(games, "stick", seed=seed)
    env.reset()
    for _ in range(steps):
        env.step(env.random_actions())
    return env


def view(games: int = 64, seed: int = 1) -> View:
    """Games that wait for a decision."""
    env = playing(games, seed=seed)
    seeds = np.arange(games, dtype=np.uint64) + np.uint64(seed)
    return view_of(env.states, RuleTable.of(env.rulesets), env.which, seeds)


@pytest.fixture
def net() -> PolicyValueNet:
    return PolicyValueNet([32, 16], seed=3)


# --- the network -------------------------------------------------------------------------------


def test_shapes_and_types(net: PolicyValueNet) -> None:
    logits, value = net(torch.from_numpy(playing(5).observation))
    assert logits.shape == (5, 38) and value.shape == (5,)
    assert logits.dtype == value.dtype == torch.float32
    with torch.autocast("cpu", torch.bfloat16):
        logits, value = net(torch.from_numpy(playing(5).observation))
    assert logits.dtype == value.dtype == torch.float32


def test_the_first_weights_depend_on_the_seed_alone() -> None:
    torch.manual_seed(1)
    first = PolicyValueNet([8], seed=5)
    torch.manual_seed(2)
    again, other = PolicyValueNet([8], seed=5), PolicyValueNet([8], seed=6)
    assert torch.equal(first.first.weight, again.first.weight)
    assert not torch.equal(first.first.weight, other.first.weight)


def test_entries_are_shifted_and_scaled_as_the_layout_says() -> None:
    net = PolicyValueNet([8], ["score", "trick_of_card"], seed=1)
    rows = torch.from_numpy(playing(4).observation)
    parts = [
        (rows[:, b.slice].float() - b.offset) / b.scale
        for b in (LAYOUT["trick_of_card"], LAYOUT["score"])
    ]
    inside = torch.relu(net.first(torch.cat(parts, 1)))
    assert torch.allclose(net(rows)[0], net.policy(inside), atol=1e-6)


def test_blocks_left_out_have_no_influence() -> None:
    net = PolicyValueNet([8], [name for name in all_blocks() if name != "rules"])
    rows = torch.from_numpy(playing(4).observation.copy())
    before = net(rows)[0]
    rows[:, LAYOUT["rules"].slice] = 7
    assert torch.equal(net(rows)[0], before)
    rows[:, LAYOUT["hand"].slice] = 1
    assert not torch.equal(net(rows)[0], before)


def test_slices_of_blocks_are_merged_and_complete() -> None:
    assert block_slices(list(LAYOUT)) == [slice(0, OBSERVATION_SIZE)]
    hand, upcard, trump = (LAYOUT[n].slice for n in ("hand", "upcard", "trump"))
    assert block_slices(["trump", "upcard", "hand"]) == [slice(hand.start, upcard.stop), trump]


@pytest.mark.parametrize("blocks", [["hnad"], []])
def test_unknown_blocks_are_refused(blocks: list[str]) -> None:
    with pytest.raises(ValueError, match="unknown observation block"):
        PolicyValueNet([8], blocks)


@pytest.mark.parametrize("hidden", [[], [0], [1 << 20], [8.5], [8] * 100])
def test_impossible_widths_are_refused(hidden: list[Any]) -> None:
    with pytest.raises(ValueError, match="hidden="):
        PolicyValueNet(hidden)


def test_a_gradient_reaches_every_parameter(net: PolicyValueNet) -> None:
    env = playing(64)
    logits, value = net(torch.from_numpy(env.observation))
    log_probs = masked(logits, torch.from_numpy(env.action_mask)).log_softmax(1)
    chosen = torch.from_numpy(env.random_actions())
    (log_probs.gather(1, chosen[:, None]).sum() + value.square().sum()).backward()
    for name, parameter in net.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name
        assert torch.isfinite(parameter.grad).all(), name


# --- masks and sampling ------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1.0, 100.0, 10000.0])
def test_an_illegal_action_has_no_probability(size: float) -> None:
    mask = torch.from_numpy(playing(256).action_mask)
    logits = torch.randn(256, 38, generator=torch.Generator().manual_seed(1)) * size
    probabilities = masked(logits, mask).softmax(1)
    assert (probabilities[mask == 0] == 0).all()
    assert torch.allclose(probabilities.sum(1), torch.ones(256))


@pytest.mark.parametrize("size", [0.0, 1.0, 100.0])
@pytest.mark.parametrize("uniform", [0.0, 0.5, LARGEST_UNIFORM])
def test_an_illegal_action_is_never_drawn(size: float, uniform: float) -> None:
    mask = torch.from_numpy(playing(2048).action_mask)
    logits = torch.randn(2048, 38, generator=torch.Generator().manual_seed(1)) * size
    drawn = sample(masked(logits, mask), torch.full((2048,), uniform))
    assert (mask.gather(1, drawn[:, None]) == 1).all()


def test_draws_follow_the_probabilities() -> None:
    logits = masked(torch.tensor([[0.0, 1.0, 2.0, 9.0]]), torch.tensor([[1, 1, 1, 0]]))
    uniforms = torch.from_numpy(uniforms_of(np.arange(100_000, dtype=np.uint64)))
    shares = sample(logits.expand(100_000, 4), uniforms).bincount(minlength=4) / 100_000
    assert torch.allclose(shares, logits.softmax(1)[0], atol=0.006)  # four standard errors


def test_uniforms_are_multiples_of_two_to_the_minus_24_below_one() -> None:
    uniforms = uniforms_of(np.arange(100_000, dtype=np.uint64)).astype(np.float64)
    assert uniforms.min() >= 0 and uniforms.max() <= LARGEST_UNIFORM
    assert (uniforms * 2**24 == np.floor(uniforms * 2**24)).all()
    assert abs(uniforms.mean() - 0.5) < 0.004


# --- further networks ----------------------------------------------------------------------------


class Wide(PolicyValueNet):
    """What a user may add: a trunk of twice as many layers."""

    def __init__(self, *shape: Any, **more: Any) -> None:
        super().__init__(*shape, **more)
        width = self.hidden[-1]
        self.trunk = torch.nn.Sequential(self.trunk, torch.nn.Linear(width, width))


def test_a_registered_network_is_trained_saved_and_loaded(tmp_path: Path) -> None:
    with patch.dict(NETWORKS):
        register_network("wide", Wide)
        network = NetworkConfig(kind="wide", hidden=(16,))
        result = train(tiny(tmp_path, iterations=1, network=network), say=quiet)
        assert read_header(result.policy)["network"]["kind"] == "wide"
        found, _ = load_policy(result.policy)
        assert type(found) is Wide and found.shape["kind"] == "wide"
        logits, _ = found(torch.from_numpy(playing(5).observation))
        assert logits.shape == (5, 38)
        with pytest.raises(AgentError, match="a network of kind 'wide' already"):
            register_network("wide", Wide)
    with pytest.raises(
        PolicyError, match=r"no network of kind 'wide' is registered: known are mlp"
    ):
        load_policy(result.policy)
    with pytest.raises(ConfigError, match=r"network\.kind='mpl': did you mean 'mlp'"):
        config_from({"network": {"kind": "mpl"}})


def test_the_shape_of_the_usual_network_names_no_kind(net: PolicyValueNet) -> None:
    assert net.shape.keys() == {"hidden", "blocks", "ordered_suits"}
    assert type(network_of(**net.shape)) is PolicyValueNet


# --- the agent ---------------------------------------------------------------------------------


@pytest.mark.parametrize("greedy", [True, False])
def test_the_agent_answers_with_legal_actions(net: PolicyValueNet, greedy: bool) -> None:
    shown = view(CHUNK + 7)
    agent = NetworkAgent(net, greedy=greedy)
    check_actions(shown, agent.act(shown), agent.name)


def test_greedy_takes_the_likeliest_action(net: PolicyValueNet) -> None:
    shown = view(300)
    agent = NetworkAgent(net)
    assert (agent.act(shown) == agent.probabilities(shown).argmax(1)).all()


def test_draws_come_from_the_seeds_of_the_view_alone(net: PolicyValueNet) -> None:
    agent, shown = NetworkAgent(net, greedy=False), view(300)
    torch.manual_seed(1)
    first = agent.act(shown)
    torch.manual_seed(2)
    assert (agent.act(shown) == first).all()
    other = View(shown.states, shown.table, shown.which, shown.seeds + np.uint64(1))
    assert (agent.act(other) != first).any()


def test_a_row_is_answered_by_itself(net: PolicyValueNet) -> None:
    agent, shown = NetworkAgent(net), view(300)
    rows = np.arange(7, 250, 3)
    assert (agent.act(shown.select(rows)) == agent.act(shown)[rows]).all()


# --- suits in order ----------------------------------------------------------------------------


def suit_swapped(shown: View, suits: np.ndarray) -> View:
    """The same games under other names of the suits."""
    states = shown.states.copy()
    for i, s in enumerate(shown.states):
        states[i] = symmetry.move_state(s, suits)
    return View(states, shown.table, shown.which, shown.seeds)


def absolute(shown: View, actions: np.ndarray) -> np.ndarray:
    """Absolute ids of trump-relative ones."""
    return TO_ABSOLUTE[shown.states["frame"], actions]


def look_alike(shown: View) -> np.ndarray:
    """Where the suits of the other colour are alike in what the seat was dealt and in what others
    have played: either may come first then.
    """
    seen = shown.observation
    played = seen[:, LAYOUT["played"].slice].reshape(-1, 4, 25).copy()
    played[:, 0] |= seen[:, LAYOUT["hand"].slice] | seen[:, LAYOUT["own_discard"].slice]
    return (played[:, :, :6] == played[:, :, 6:12]).all((1, 2))


@pytest.mark.parametrize("steps", [1, 5, 9, 14])
def test_a_network_with_ordered_suits_plays_by_no_name(steps: int) -> None:
    agent = NetworkAgent(PolicyValueNet([32, 16], seed=3, ordered_suits=True))
    env = playing(80, steps, seed=steps)
    seeds = np.zeros(80, np.uint64)
    shown = view_of(env.states, RuleTable.of(env.rulesets), env.which, seeds)
    here = check_actions(shown, agent.act(shown), agent.name)
    clear = ~look_alike(shown)
    assert clear.mean() > 0.8
    for suits in symmetry.SUIT_SYMMETRIES:
        twin = suit_swapped(shown, suits)
        there = check_actions(twin, agent.act(twin), agent.name)
        moved = [symmetry.move_action(a, suits) for a in absolute(shown, here).tolist()]
        assert (absolute(twin, there)[clear] == np.array(moved)[clear]).all()
    assert len(set(here.tolist())) > 1


def test_probabilities_go_with_the_suits() -> None:
    agent = NetworkAgent(PolicyValueNet([32], seed=3, ordered_suits=True))
    shown = view(200)
    seen, mask = shown.observation.copy(), shown.action_mask.copy()
    swapped = module.SUIT_ORDERS[False].apply(seen, mask)
    assert swapped.any() and not swapped.all()
    found = agent.probabilities(shown)
    assert (found[shown.action_mask == 0] == 0).all()
    with torch.inference_mode():
        logits = masked(agent.net(torch.from_numpy(seen))[0], torch.from_numpy(mask))
        ordered = logits.softmax(1).numpy()
    assert np.allclose(found[~swapped], ordered[~swapped], atol=1e-6)
    back = ordered[swapped][:, symmetry.SWAPPED_ACTIONS]
    assert np.allclose(found[swapped], back, atol=1e-6)


def test_a_network_without_is_shown_the_suits_as_they_are(net: PolicyValueNet) -> None:
    shown = view(200)
    logits = masked(
        net(torch.from_numpy(shown.observation))[0], torch.from_numpy(shown.action_mask)
    )
    found = NetworkAgent(net).probabilities(shown)
    assert np.allclose(found, logits.softmax(1).detach().numpy(), atol=1e-6)


def test_the_view_is_left_as_it_was() -> None:
    shown = view(100)
    before = shown.observation.copy(), shown.action_mask.copy()
    NetworkAgent(PolicyValueNet([8], ordered_suits=True)).act(shown)
    assert (shown.observation == before[0]).all() and (shown.action_mask == before[1]).all()


def test_a_file_says_whether_suits_are_ordered(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    for ordered in (True, False):
        save_policy(path, PolicyValueNet([8], ordered_suits=ordered), {})
        assert load_policy(path)[0].ordered_suits is ordered
    header = read_header(path)
    del header["network"]["ordered_suits"]  # as older files have it
    write_raw(path, header, PolicyValueNet([8]).state_dict())
    assert load_policy(path)[0].ordered_suits is False


# --- files -------------------------------------------------------------------------------------


def write_raw(path: Path, header: object, tensors: dict[str, torch.Tensor]) -> None:
    """A safetensors file with the given policy header."""
    safetensors.torch.save_file(tensors, path, {"policy": json.dumps(header)})


def test_a_policy_file_reads_back_equal(net: PolicyValueNet, tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    save_policy(path, net, {"config": {"seed": 4}, "rulesets": ["stick"], "results": []})
    loaded, header = load_policy(path)
    for name, value in net.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], value), name
    assert header == read_header(path)
    assert header["config"] == {"seed": 4} and header["layout"] == layout_hash()
    assert {"version", "revision", "network", "results"} <= header.keys()
    shown = view()
    assert (load_agent(path).act(shown) == NetworkAgent(net).act(shown)).all()
    assert (make(str(path)).act(shown) == NetworkAgent(net).act(shown)).all()
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"there is no policy file .*nowhere"):
        load_agent(tmp_path / "nowhere.safetensors")
    with pytest.raises(PolicyError, match="cannot read"):
        load_agent(tmp_path)


@pytest.mark.parametrize(
    "data",
    [b"", b"abc", b"\x80\x04N.", b"\xff" * 64, (1 << 19).to_bytes(8, "little") + b"{}"],
    ids=["empty", "short", "pickle", "huge header", "cut header"],
)
def test_a_file_that_is_no_policy(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    with pytest.raises(PolicyError, match="is not a policy file"):
        load_agent(path)


def test_a_header_that_is_not_json(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes((4).to_bytes(8, "little") + b"{no}")
    with pytest.raises(PolicyError, match="not JSON"):
        load_agent(path)


def test_tensors_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    safetensors.torch.save_file({"a": torch.zeros(2)}, path)
    with pytest.raises(PolicyError, match="no policy of this project"):
        load_agent(path)
    write_raw(path, {"format": 99, "layout": "x"}, {"a": torch.zeros(2)})
    with pytest.raises(PolicyError, match="policy format 99"):
        load_agent(path)


def test_a_policy_for_another_layout(
    net: PolicyValueNet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.safetensors"
    with monkeypatch.context() as patch:
        patch.setattr(module, "layout_hash", lambda **_: "0123abcd")
        patch.setattr(module, "code_version", lambda: "0.0.7")
        save_policy(path, net, {})
    expected = rf"layout 0123abcd, .* has {layout_hash()}: retrain, or use version 0\.0\.7"
    with pytest.raises(PolicyError, match=expected):
        load_agent(path)
    with pytest.raises(AgentError):
        make(str(path))


def test_tensors_that_do_not_fit_the_header(net: PolicyValueNet, tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    save_policy(path, net, {})
    header = read_header(path)
    write_raw(path, header, {**net.state_dict(), "policy.bias": torch.zeros(39)})
    with pytest.raises(PolicyError, match=r"wrong tensors policy\.bias"):
        load_agent(path)
    write_raw(path, header | {"network": {"hidden": [-1]}}, net.state_dict())
    with pytest.raises(PolicyError, match="no network that can be built"):
        load_agent(path)
    write_raw(path, header | {"network": {"width": 3}}, net.state_dict())
    with pytest.raises(PolicyError, match="no network that can be built"):
        load_agent(path)


def test_a_policy_cut_short(net: PolicyValueNet, tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    save_policy(path, net, {})
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(PolicyError, match="is damaged"):
        load_agent(path)


def test_a_failed_write_leaves_the_old_file(
    net: PolicyValueNet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.safetensors"
    save_policy(path, net, {"seed": 1})

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save_policy(path, net, {"seed": 2})
    assert read_header(path)["seed"] == 1
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
