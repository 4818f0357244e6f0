"""The project's own files: commands, dependencies, licence, configs, no machine paths."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:  # pytest brings it where the standard library has none
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
CONFIGS = sorted((ROOT / "configs").rglob("*.y*ml"))
# Written in pieces, since this file is searched too.
MACHINE_PATHS = ["/" + folder + "/" for folder in ("work", "tmp")]


def readme_command(name: str) -> str:
    """The command that .ci/run takes from README.md."""
    shown = subprocess.run(
        ["bash", ".ci/run", "--show", name], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return shown.stdout.strip()


def project() -> dict[str, Any]:
    """The [project] table of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def normal(name: str) -> str:
    """A distribution's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirement_name(requirement: str) -> str:
    """The normal name in a requirement such as ``numpy>=1.26``."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found, requirement
    return normal(found.group())


def pins() -> dict[str, str]:
    """Normal name -> exact version, from constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {normal(name): version for name, version in pinned}


def tracked_files() -> list[Path]:
    """What git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    names = listed.stdout.decode("utf-8").split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


# ---- commands ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("train", ["pip install -c constraints.txt -e .", "python train.py --config "]),
        ("test", ['pip install -c constraints.txt -e ".[dev]"', "pytest", "ruff check", "mypy"]),
    ],
)
def test_readme_command_is_one_complete_line(name: str, parts: list[str]) -> None:
    command = readme_command(name)
    assert "\n" not in command
    assert command.startswith("python -m venv .venv && . .venv/bin/activate && ")
    for part in parts:
        assert part in command


def test_the_train_command_names_files_that_exist() -> None:
    for name in re.findall(r"\S+\.(?:py|yaml)", readme_command("train")):
        assert (ROOT / name).is_file(), name


def test_ci_refuses_a_command_that_readme_lacks() -> None:
    asked = subprocess.run(
        ["bash", ".ci/run", "--show", "no-such"], cwd=ROOT, capture_output=True, text=True
    )
    assert asked.returncode == 2
    assert "no-such" in asked.stderr


# ---- packaging -----------------------------------------------------------------------------------


def test_extras_exist() -> None:
    assert {"test", "dev", "bench", "render"} <= project()["optional-dependencies"].keys()


def test_dependencies_have_floors_and_no_caps() -> None:
    extras = project()["optional-dependencies"].values()
    for requirement in [*project()["dependencies"], *(r for extra in extras for r in extra)]:
        if requirement_name(requirement) != "euchre-env":
            assert re.fullmatch(r"[\w.-]+>=[\d.]+", requirement), requirement


def test_constraints_cover_every_dependency() -> None:
    extras = project()["optional-dependencies"].values()
    named = {requirement_name(r) for r in project()["dependencies"]}
    named |= {requirement_name(r) for extra in extras for r in extra}
    missing = named - {"euchre-env"} - pins().keys()
    assert not missing


def test_constraints_are_exact_public_versions() -> None:
    for name, version in pins().items():
        assert re.fullmatch(r"\d+(\.\w+)*", version), f"{name}=={version}"


def test_licence_is_apache() -> None:
    text = (ROOT / "LICENSE").read_text("utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert project()["license"] == "Apache-2.0"


# ---- mutation testing ----------------------------------------------------------------------------


def test_the_tests_that_are_to_kill_mutants_exist() -> None:
    """One that is not there would fail on every mutant, and so seem to kill all."""
    config = tomllib.loads((ROOT / "tests" / "mutation.toml").read_text("utf-8"))["cosmic-ray"]
    assert (ROOT / config["module-path"]).is_file()
    named = re.findall(r"(tests/\w+\.py)(?:::(\w+))?", config["test-command"])
    assert len(named) > 5
    for path, function in named:
        assert f"def {function}" in (ROOT / path).read_text("utf-8"), function


# ---- files ---------------------------------------------------------------------------------------


def test_every_config_parses() -> None:
    for path in CONFIGS:
        assert yaml.safe_load(path.read_text("utf-8")) is not None, path


def test_no_file_names_a_path_of_one_machine() -> None:
    found = []
    for path in tracked_files():
        data = path.read_bytes()
        if b"\0" in data:
            continue
        text = data.decode("utf-8", errors="replace")
        found += [f"{path.relative_to(ROOT)}: {p}" for p in MACHINE_PATHS if p in text]
    assert not found, "\n".join(found)
