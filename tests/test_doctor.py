"""The verb `doctor`: old and missing libraries, the cache, and its self-tests."""

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from agents.app import doctor
from euchre_env import _jit, rules


def finding(findings: list[doctor.Finding], name: str) -> doctor.Finding:
    """The finding of a name."""
    (found,) = [f for f in findings if f.name == name]
    return found


def installed(monkeypatch: pytest.MonkeyPatch, versions: dict[str, str]) -> None:
    """Pretend that these libraries are installed and no others."""

    def version(name: str) -> str:
        if name not in versions:
            raise PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(doctor, "version", version)
    asked = ["numpy>=2.0", "PyYAML>=6.0", "torch>=2.4", 'pillow>=10.1; extra == "render"']
    monkeypatch.setattr(doctor, "requires", lambda name: asked)


def test_floors_come_from_the_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, {})
    assert doctor.floors() == {"numpy": "2.0", "pyyaml": "6.0", "torch": "2.4"}


@pytest.mark.parametrize(
    ("name", "version", "ok"),
    [
        ("numpy", "2.0.0", True),
        ("numpy", "1.26.4", False),
        ("torch", "2.13.0+cpu", True),
        ("torch", "2.3.1", False),
        ("PyYAML", "5.4", False),
    ],
)
def test_an_old_library_is_wrong(
    name: str, version: str, ok: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, {name: version})
    found = finding(doctor.versions(), name)
    assert found.ok is ok
    assert ("older than" in found.value) is not ok


def test_a_missing_library_is_wrong_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, {})
    found = {f.name: f.ok for f in doctor.versions()}
    assert not found["numpy"] and not found["torch"]  # the first by need, the other by request
    assert found["safetensors"] and found["for extras"]


def test_the_cache_is_told_with_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.nbc").write_bytes(b"\0" * 1_500_000)
    monkeypatch.setattr(_jit, "COMPILED", True)
    monkeypatch.setenv("EUCHRE_ENV_CACHE", str(tmp_path))
    monkeypatch.setattr(_jit, "cache_root", lambda: tmp_path)
    (found,) = doctor.compiler()
    assert found.ok and "(1 files, 1.5 MB" in found.value and str(tmp_path) in found.value


def test_a_cache_that_does_not_last_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_jit, "COMPILED", True)
    monkeypatch.setattr(_jit, "cache_root", lambda: tmp_path / "temporary")
    (found,) = doctor.compiler()
    assert not found.ok and "set EUCHRE_ENV_CACHE" in found.value


def test_the_known_hand_is_right() -> None:
    (found,) = doctor.known_hand()
    assert found == ("points of a known hand", "solved 4, played 4, known 4", True)


def test_wrong_points_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def apply(s: object, r: object, action: int) -> None:
        real(s, r, action)
        if s.phase == rules.OVER:  # type: ignore[attr-defined]
            s.points[1] = 2  # type: ignore[attr-defined]

    real = rules.apply
    monkeypatch.setattr(rules, "apply", apply)
    (found,) = doctor.known_hand()
    assert not found.ok and "played 2" in found.value
