"""What importing the package does, and what it leaves alone."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

import euchre_env

ROOT = Path(__file__).resolve().parent.parent


def loaded_by(statement: str) -> set[str]:
    """Top-level modules that a statement loads in a new process."""
    code = f"{statement}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(shown.stdout.split())


@pytest.mark.parametrize(
    "statement",
    [
        "import euchre_env",
        "from euchre_env import *",
        "from euchre_env import euchre_v0, EuchreGymEnv; euchre_v0.env()",
    ],
)
def test_neither_torch_nor_agents_are_imported(statement: str) -> None:
    assert not loaded_by(statement) & {"torch", "agents", "tensorboard", "PIL"}


def test_pettingzoo_and_gymnasium_wait_until_they_are_needed() -> None:
    assert not loaded_by("import euchre_env; euchre_env.BatchEnv") & {"pettingzoo", "gymnasium"}
    assert "pettingzoo" in loaded_by("import euchre_env; euchre_env.euchre_v0.env")
    assert "gymnasium" in loaded_by("from euchre_env import EuchreVectorEnv")


def test_every_name_is_there() -> None:
    for name in euchre_env.__all__:
        assert getattr(euchre_env, name) is not None
    assert set(euchre_env.__all__) <= set(dir(euchre_env))
    with pytest.raises(AttributeError, match="euchre_v1"):
        _ = euchre_env.euchre_v1
    assert euchre_env.euchre_v0.raw_env.metadata["name"] == "euchre_v0"


def test_the_version_is_that_of_the_distribution() -> None:
    try:
        assert euchre_env.__version__ == importlib.metadata.version("euchre-env")
    except importlib.metadata.PackageNotFoundError:
        assert euchre_env.__version__ == "0+unknown"


def test_the_package_is_typed() -> None:
    assert (ROOT / "euchre_env" / "py.typed").exists()
