"""The setting `init`: a run that starts from the weights of a policy file."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
import torch

from agents.network import PolicyValueNet, all_blocks, save_policy
from agents.training import ConfigError, train
from agents.training.checkpoint import load_checkpoint
from agents.training.config import NetworkConfig, PPOConfig
from agents.training.warm_start import start_from
from tests.small_runs import TINY, figures, quiet, tiny

NARROW = NetworkConfig(hidden=(16,), blocks=("hand", "trump", "upcard"))


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A policy file whose weights no run of the tests draws by itself."""
    path = tmp_path / "policy.safetensors"
    save_policy(path, net_of(), {"config": {}})
    return path


def net_of(seed: int = 77, hidden: int = 16) -> PolicyValueNet:
    return PolicyValueNet([hidden], NARROW.blocks, seed, ordered_suits=True)


def same(a: PolicyValueNet, b: PolicyValueNet) -> bool:
    return all(torch.equal(x, y) for x, y in zip(a.parameters(), b.parameters(), strict=True))


def test_a_network_takes_over_the_weights(policy: Path) -> None:
    net = net_of(seed=1)
    assert not same(net, net_of())
    start_from(policy, net)
    assert same(net, net_of())


def test_the_order_in_which_blocks_are_named_does_not_matter(policy: Path) -> None:
    net = PolicyValueNet([16], NARROW.blocks[::-1], 1, ordered_suits=True)
    start_from(policy, net)
    assert same(net, net_of())


@pytest.mark.parametrize(
    ("net", "message"),
    [
        (net_of(hidden=8), "another network than this run: set network.hidden to [16]"),
        (PolicyValueNet([16], NARROW.blocks), "set network.ordered_suits to True"),
        (
            PolicyValueNet([8], all_blocks(), ordered_suits=True),
            "set network.hidden to [16], network.blocks to ['hand', 'trump', 'upcard']",
        ),
    ],
)
def test_another_shape_is_refused_with_the_settings_that_would_do(
    net: PolicyValueNet, message: str, policy: Path
) -> None:
    before = [x.clone() for x in net.parameters()]
    with pytest.raises(ConfigError, match=re.escape(message)):
        start_from(policy, net)
    assert all(torch.equal(x, y) for x, y in zip(before, net.parameters(), strict=True))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "init: there is no policy file .*policy.safetensors"),
        (b"x" * 100, "init: .*policy.safetensors is not a policy file, or is cut short"),
    ],
)
def test_a_file_that_is_no_policy_is_refused_before_a_folder_is_made(
    data: bytes | None, message: str, policy: Path, tmp_path: Path
) -> None:
    policy.unlink()
    if data is not None:
        policy.write_bytes(data)
    config = tiny(tmp_path / "runs", network=NARROW, init=str(policy))
    with pytest.raises(ConfigError, match=message):
        train(config, say=quiet)
    assert not (tmp_path / "runs").exists()


def test_a_run_starts_from_the_weights_and_so_does_its_slow_policy(
    policy: Path, tmp_path: Path
) -> None:
    still = dataclasses.replace(TINY.ppo, rate=0.0, average=0.5)
    config = tiny(tmp_path, network=NARROW, init=str(policy), iterations=1, ppo=still)
    folder = train(config, say=quiet).folder
    learner = load_checkpoint(folder / "checkpoint-000001.pt")["state"]["learner"]
    for part in ("net", "slow"):
        assert all(torch.equal(learner[part][n], x) for n, x in net_of().state_dict().items())


def test_a_run_goes_on_without_the_file(policy: Path, tmp_path: Path) -> None:
    config = tiny(tmp_path, network=NARROW, init=str(policy), ppo=PPOConfig(minibatch=128))
    whole = train(config, say=quiet).folder
    (whole / "checkpoint-000003.pt").unlink()
    (whole / "policy.safetensors").unlink()
    before = figures(whole)
    policy.unlink()
    assert train(resume=whole, say=quiet).folder == whole
    assert figures(whole) == before
