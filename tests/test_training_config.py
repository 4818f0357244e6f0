"""Settings of a training run: where they come from, and what is said of wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from agents import make
from agents.training import Config, ConfigError, load_config, train
from agents.training.config import config_from
from agents.training.loop import network_blocks
from tests.small_runs import EVERYTHING, quiet, tiny


def written(folder: Path, text: str) -> Path:
    """A configuration file."""
    path = folder / "c.yaml"
    path.write_text(text, "utf-8")
    return path


def test_settings_come_from_the_file_and_then_the_command_line(tmp_path: Path) -> None:
    path = written(tmp_path, "seed: 3\nppo: {rate: 1e-3, epochs: 4}\nnetwork: {hidden: 64}\n")
    words = ["--ppo.rate", "5e-4", "--network.hidden=32,16", "--ruleset", "stick,joker=true"]
    words += ["--pool.agents", "[greedy, random]", "--critic.double_dummy", "true"]
    config = load_config(path, words)
    assert (config.seed, config.ppo.rate, config.ppo.epochs) == (3, 5e-4, 4)
    assert config.network.hidden == (32, 16) and config.ruleset == ("stick,joker=true",)
    assert config.pool.agents == ("greedy", "random") and config.critic.double_dummy is True
    assert load_config(path).network.hidden == (64,)
    assert load_config(None) == Config()


def test_plain_values_give_the_same_settings_again() -> None:
    assert config_from(EVERYTHING.to_dict()) == EVERYTHING


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ppo: {entropi: 1}", r"unknown setting 'ppo\.entropi': did you mean 'ppo\.entropy'"),
        ("ppo: {gae_lambda: 1}", r"unknown setting .*: did you mean 'critic\.gae_lambda'"),
        ("hands: 5", r"unknown setting 'hands': did you mean 'rollout\.hands'"),
        ("seeed: 5", "did you mean 'seed'"),
        ("zzz: 5", "known are name, folder"),
        ("ppo: 5", "ppo is a section"),
        ("ppo: {rate: fast}", "ppo.rate='fast' must be a number"),
        ("ppo: {rate: -1}", "ppo.rate=-1.0 must be from 0 to 1"),
        ("ppo: {rate: .nan}", "ppo.rate=nan must be a number"),
        ("ppo: {magnet: 0.1}", r"ppo\.magnet=0\.1 needs a slow policy: set ppo\.average"),
        ("rollout: {hands: 0}", "rollout.hands=0 must be from 1"),
        ("rollout: {hands: 2.5}", "rollout.hands=2.5 must be a whole number"),
        ("rollout: {reward: win}", "rollout.reward='win' must be 'points' or 'equity'"),
        ("rollout: {scores: 5}", "rollout.scores=5 must be text"),
        ("pool: {share: 1.5}", "pool.share=1.5 must be from 0 to 1"),
        ("critic: {sees: some}", "critic.sees='some' must be 'own' or 'all'"),
        ("critic: {double_dummy: 1}", "critic.double_dummy=1 must be true or false"),
        ("critic: {hidden: []}", "critic.hidden=.* must hold a width"),
        ("iterations: yes", "iterations=True must be a whole number"),
        ("iterations: ", "iterations=None must be a whole number"),
        ("name: ../x", "must be a plain folder name"),
        ("name: 7", "name=7 must be text"),
        ("ruleset: stik", "ruleset: "),
        ("ruleset: []", "ruleset: "),
        ("network: {hidden: [64, 0]}", "network.hidden=0 must be from 1"),
        ("network: {hidden: []}", "network.hidden=.* must hold a width"),
        ("network: {blocks: [hnad]}", "did you mean 'hand'"),
        ("precision: fp64", "precision='fp64' must be 'auto' or 'bf16' or 'fp32'"),
        ("device: gpu", "device='gpu' must be 'auto' or 'cpu' or 'cuda'"),
        ("- 1", "must hold settings"),
        ("a: [", "is not valid YAML"),
    ],
)
def test_a_bad_setting_is_named_with_what_would_do(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(written(tmp_path, text))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["seed"], "write overrides as --key value"),
        (["--seed"], "--seed lacks its value"),
        (["--seed", "--name"], "--seed lacks its value"),
        (["--ppo.rte", "1"], "did you mean 'ppo.rate'"),
        (["--seed.x", "1"], "unknown setting 'seed.x'|seed="),
        (["--seed", "1", "--seed.x", "1"], "seed is no section"),
    ],
)
def test_a_bad_override_is_named(words: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(None, words)


def test_a_missing_file_names_those_that_are_there(tmp_path: Path) -> None:
    written(tmp_path, "")
    with pytest.raises(ConfigError, match=r"no configuration file .*quik\.yaml: .*c\.yaml"):
        load_config(tmp_path / "quik.yaml")


def test_what_this_machine_or_caller_lacks_is_said_before_a_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ConfigError, match=r"device='cuda' needs a GPU .*: set device to 'cpu'"):
        train(tiny(tmp_path, device="cuda"), say=quiet)
    with pytest.raises(ConfigError, match=r"pool\.agents=\['greedy'\] needs `make`"):
        train(tiny(tmp_path, EVERYTHING), say=quiet)
    assert not list(tmp_path.iterdir())
    assert train(tiny(tmp_path, EVERYTHING, iterations=1), say=quiet, make=make).policy.is_file()


def test_blocks_that_cannot_differ_are_left_out(tmp_path: Path) -> None:
    plain, whole = network_blocks(tiny(tmp_path)), network_blocks(tiny(tmp_path, EVERYTHING))
    assert set(whole) - set(plain) == {"rules", "score"}
    assert "hand" in plain and not {"games", "hands", "points"} & set(whole)
    best = network_blocks(tiny(tmp_path, ruleset=("stick,call_for_best=always",)))
    read = {"own_buried", "house_phase", "passer", "passed", "tokens"}
    assert set(best) - set(plain) == read
    both = network_blocks(tiny(tmp_path, ruleset=("stick", "stick,four_trick_tokens=true")))
    assert set(both) - set(plain) == read | {"rules", "house_rules"}


def test_an_empty_text_can_be_given_on_the_command_line() -> None:
    assert load_config(None, ["--init", "x.safetensors", "--init", ""]).init == ""
    with pytest.raises(ConfigError, match=r"ppo.rate='' must be a number"):
        load_config(None, ["--ppo.rate="])
