"""Every training configuration under configs/ loads and says what it means."""

from pathlib import Path

import pytest

from agents import make
from agents.app.sweep import load_sweep
from agents.training import Config, load_config
from agents.training.config import config_from, known_keys
from agents.training.loop import network_blocks

ROOT = Path(__file__).resolve().parent.parent
OTHERS = ("rules", "sweeps", "experiments")
CONFIGS = sorted(p for p in (ROOT / "configs").rglob("*.y*ml") if p.parent.name not in OTHERS)
SWEEPS = sorted((ROOT / "configs" / "sweeps").glob("*.y*ml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.stem)
def test_it_loads_and_round_trips(path: Path) -> None:
    config = load_config(path)
    assert config_from(config.to_dict()) == config
    assert network_blocks(config)
    for opponent in config.evaluation.opponents:
        make(opponent)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.stem)
def test_the_run_is_named_after_the_file(path: Path) -> None:
    assert load_config(path).name == path.stem


@pytest.mark.parametrize("path", SWEEPS, ids=lambda p: p.stem)
def test_a_sweep_loads_and_is_named_after_the_file(path: Path) -> None:
    sweep = load_sweep(path, {})
    assert sweep.name == path.stem
    assert len(sweep.runs) > 1


def test_the_files_of_the_readme_are_there() -> None:
    assert {"quick", "champion"} <= {path.stem for path in CONFIGS}


def test_every_setting_is_known_by_its_dotted_name() -> None:
    assert {"seed", "ppo.rate", "network.hidden", "evaluation.deals"} <= set(known_keys())
    assert config_from({}) == Config()
