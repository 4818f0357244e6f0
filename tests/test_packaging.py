"""The sdist and the wheel: built from a copy, installed in a new environment, tried from outside.

The environment is empty but for the wheel; the libraries that it depends on are lent from the
environment of the tests, so that nothing has to be downloaded.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from tests.test_project import ROOT, project, tracked_files

pytestmark = pytest.mark.slow

BUILD = """
import sys
from setuptools import build_meta
print(getattr(build_meta, f"build_{sys.argv[1]}")(sys.argv[2]))
"""
SMOKE = """
import sys
from importlib.metadata import version
from pathlib import Path

import euchre_env
from euchre_env import BatchEnv, Ruleset, euchre_v0, rules

assert "torch" not in sys.modules and "agents" not in sys.modules
assert euchre_env.__version__ == version("euchre-env")
where = Path(euchre_env.__file__).resolve()
assert where.is_relative_to(Path(sys.prefix).resolve()), where
env = euchre_v0.env(ruleset=Ruleset.stick())
env.reset(seed=7)
for agent in env.agent_iter():
    seen, reward, terminated, truncated, _ = env.last()
    over = terminated or truncated
    env.step(None if over else int(seen["action_mask"].argmax()))
batch = BatchEnv(8, "stick", seed=1)
batch.reset()
batch.step(batch.random_actions())

from agents import make
from agents.evaluation.match import play_match

result = play_match("greedy", "random", 200).to_dict()
assert result["points_per_hand"] > 0, result
print("smoke test passed")
"""


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Standard output of a command that has to succeed and sees nothing of the checkout."""
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packaging")


@pytest.fixture(scope="module")
def sdist(work: Path) -> Path:
    """The source distribution of a copy of what git tracks."""
    source = work / "source"
    for path in tracked_files():
        target = source / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    name = run(sys.executable, "-c", BUILD, "sdist", work, cwd=source).splitlines()[-1]
    return work / name


@pytest.fixture(scope="module")
def wheel(sdist: Path, work: Path) -> Path:
    """The wheel, built from the unpacked source distribution as an installer does."""
    with tarfile.open(sdist) as archive:
        archive.extractall(work / "unpacked", filter="data")
    (source,) = (work / "unpacked").iterdir()
    name = run(sys.executable, "-c", BUILD, "wheel", work, cwd=source).splitlines()[-1]
    return work / name


@pytest.fixture(scope="module")
def python(wheel: Path, work: Path) -> Path:
    """The interpreter of a new environment with the wheel installed."""
    place = work / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", place, cwd=work)
    found = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = ("-m", "pip", "--python", found, "install", "--no-deps", "--no-index", "-q", wheel)
    run(sys.executable, *install, cwd=work)
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(run(found, "-c", ask, cwd=work).strip())
    (site / "lent.pth").write_text("\n".join(sorted(lent)) + "\n", "utf-8")
    return found


def package_files() -> set[str]:
    """What git tracks of the two packages."""
    names = {path.relative_to(ROOT).as_posix() for path in tracked_files()}
    return {name for name in names if name.startswith(("euchre_env/", "agents/"))}


def test_the_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {n for n in archive.namelist() if n.startswith(("euchre_env/", "agents/"))}
    assert held == package_files()
    for name in ("euchre_env/py.typed", "agents/py.typed", "euchre_env/data/egn/league-01.egn"):
        assert name in held
    kinds = {Path(name).suffix for name in held}
    assert {".py", ".css", ".js", ".html", ".egn"} <= kinds


def test_the_wheel_says_what_pyproject_says(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        told = message_from_bytes(archive.read(name))
        names = archive.namelist()
    said = project()
    assert (told["Name"], told["Version"]) == (said["name"], said["version"])
    assert told["Requires-Python"] == said["requires-python"]
    assert told["License-Expression"] == "Apache-2.0"
    assert set(said["dependencies"]) <= set(told.get_all("Requires-Dist") or [])
    assert any(n.endswith("licenses/LICENSE") for n in names)
    assert not [n for n in names if n.startswith(("tests/", "benchmarks/", "docs/"))]


def test_the_source_distribution_can_be_built_and_read(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE"} | package_files() <= names


def test_it_works_outside_the_checkout(python: Path, tmp_path: Path) -> None:
    said = run(python, "-c", SMOKE, cwd=tmp_path)
    assert said.strip().endswith("smoke test passed")


def test_its_commands_work_outside_the_checkout(python: Path, tmp_path: Path) -> None:
    euchre = python.with_name("euchre")
    assert run(euchre, "--version", cwd=tmp_path).strip() == project()["version"]
    report = run(euchre, "doctor", cwd=tmp_path)
    assert "WRONG" not in report and f"euchre-env: {project()['version']}" in report
    assert "stick_the_dealer" in run(python, "-m", "agents", "rules", "stick", cwd=tmp_path)
    deals = run(
        python,
        "-c",
        "from importlib.resources import files\n"
        "print(len([p for p in files('euchre_env').joinpath('data/egn').iterdir()]))",
        cwd=tmp_path,
    )
    assert int(deals) > 5
