"""The cache of compiled code: every edit is noticed, a warm start loads, any folder will do.

Numba alone stamps the file that holds a function and would miss an edit in a file that it calls.
Each test runs a copy of the engine in processes of their own, and compiles small functions only.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ENGINE = Path(__file__).resolve().parent.parent / "euchre_env"
ANNOUNCED = "euchre_env: compiling"

POINTS = """
from euchre_env import _jit, rules
from euchre_env.ruleset import Ruleset
r = Ruleset().record()[0]
print(int(rules.hand_points(r, 3, False, False)[0]), len(rules.hand_points.stats.cache_hits))
"""
# The test of a weak hand is in rules.py and counts cards by a function in cards.py.
WEAK = """
from euchre_env import cards, rules
import numpy as np
hand = np.int64(cards.set_of(cards.card_ids("9C TC 9D TD 9H"), 3))
hits = rules.weak_hand_qualifies.stats.cache_hits
print(int(rules.weak_hand_qualifies(0, hand, 3)), len(hits))
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a copy of the engine that has no package around it to import."""
    package = tmp_path / "source" / "euchre_env"
    package.mkdir(parents=True)
    for path in ENGINE.glob("*.py"):
        shutil.copy(path, package)
    (package / "__init__.py").write_text("")
    return package


def start(script: str, package: Path, **environment: str) -> tuple[list[int], bool]:
    """The numbers a script prints, and whether compilation was announced."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "EUCHRE_", "XDG_"))}
    kept["HOME"] = str(package.parent / "home")
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=package.parent,
        env={**kept, "PYTHONPATH": str(package.parent), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()], ANNOUNCED in done.stderr


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} in {path.name}"
    stamp = path.stat()
    path.write_text(text.replace(old, new))
    # Not even size and time of the file need to tell.
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


def test_a_first_start_announces_and_a_warm_start_loads(copy: Path, tmp_path: Path) -> None:
    cache = {"EUCHRE_ENV_CACHE": str(tmp_path / "cache")}
    assert start(POINTS, copy, **cache) == ([1, 0], True)
    assert start(POINTS, copy, **cache) == ([1, 1], False)
    assert list((tmp_path / "cache").rglob("*.nbi"))


def test_an_edit_is_seen(copy: Path, tmp_path: Path) -> None:
    cache = {"EUCHRE_ENV_CACHE": str(tmp_path / "cache")}
    assert start(POINTS, copy, **cache) == ([1, 0], True)
    edit(copy / "rules.py", "    if makers_tricks >= 3:\n", "    if makers_tricks >= 4:\n")
    assert start(POINTS, copy, **cache) == ([0, 0], True)
    edit(copy / "rules.py", "    if makers_tricks >= 4:\n", "    if makers_tricks >= 3:\n")
    assert start(POINTS, copy, **cache) == ([1, 1], False)  # the old code is still there


def test_an_edit_of_another_file_is_seen(copy: Path, tmp_path: Path) -> None:
    cache = {"EUCHRE_ENV_CACHE": str(tmp_path / "cache")}
    assert start(WEAK, copy, **cache) == ([1, 0], True)
    assert start(WEAK, copy, **cache) == ([1, 1], False)
    edit(copy / "cards.py", "* 0x01010101) & 0xFFFFFFFF) >> 24\n", "* 0) & 0xFFFFFFFF) >> 24\n")
    assert start(WEAK, copy, **cache) == ([0, 0], True)


def test_the_cache_lies_beside_the_sources_by_default(copy: Path) -> None:
    start(POINTS, copy)
    assert list((copy / "__pycache__" / "compiled").rglob("*.nbi"))


def test_a_folder_that_cannot_be_written_falls_back(copy: Path, tmp_path: Path) -> None:
    """Files stand in the way of the folders, since an administrator may write anywhere."""
    (copy / "__pycache__").mkdir(exist_ok=True)
    (copy / "__pycache__" / "compiled").write_text("")
    user = tmp_path / "user"
    assert start(POINTS, copy, XDG_CACHE_HOME=str(user)) == ([1, 0], True)
    assert list((user / "euchre_env").rglob("*.nbi"))
    assert start(POINTS, copy, XDG_CACHE_HOME=str(user)) == ([1, 1], False)
    (tmp_path / "file").write_text("")
    in_the_way = {"XDG_CACHE_HOME": str(tmp_path / "file")}
    assert start(POINTS, copy, **in_the_way) == ([1, 0], True)  # a temporary folder
    in_the_way["EUCHRE_ENV_CACHE"] = str(tmp_path / "file" / "cache")
    assert start(POINTS, copy, **in_the_way)[0] == [1, 0]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_read_only_install_falls_back(copy: Path, tmp_path: Path) -> None:
    shutil.rmtree(copy / "__pycache__", ignore_errors=True)
    copy.chmod(0o555)
    try:
        user = tmp_path / "user"
        assert start(POINTS, copy, XDG_CACHE_HOME=str(user)) == ([1, 0], True)
        assert list((user / "euchre_env").rglob("*.nbi"))
    finally:
        copy.chmod(0o755)


def test_old_caches_are_removed_and_nothing_else(copy: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for k in range(12):
        (cache / f"{k:016x}").mkdir(parents=True)
        (cache / f"{k:016x}" / "code.nbi").write_text("")
        os.utime(cache / f"{k:016x}", (k, k))
    mine = [cache / name for name in ("photos", "0123456789", "a" * 17, "deadbeef.d")]
    for folder in mine:
        folder.mkdir()
        os.utime(folder, (0, 0))
    start(POINTS, copy, EUCHRE_ENV_CACHE=str(cache))
    assert all(folder.exists() for folder in mine)
    assert not (cache / f"{0:016x}").exists()
    assert (cache / f"{11:016x}").exists()
    assert len(list(cache.iterdir())) <= len(mine) + 9


def test_plain_python_needs_no_cache(copy: Path, tmp_path: Path) -> None:
    script = POINTS.replace("len(rules.hand_points.stats.cache_hits)", "int(_jit.COMPILED)")
    found = start(script, copy, NUMBA_DISABLE_JIT="1", EUCHRE_ENV_CACHE=str(tmp_path / "cache"))
    assert found == ([1, 0], False)
    assert not (tmp_path / "cache").exists()


def test_other_packages_keep_numbas_own_cache_folder(copy: Path, tmp_path: Path) -> None:
    script = "import numba; from euchre_env import rules; print(int(not numba.config.CACHE_DIR))"
    assert start(script, copy, EUCHRE_ENV_CACHE=str(tmp_path / "cache"))[0] == [1]


def test_an_edit_beside_a_function_of_another_package_is_seen(copy: Path, tmp_path: Path) -> None:
    """As the agents are: their own sources count too, and those of the engine."""
    other = copy.parent / "agents"
    for folder in (other, other / "one", other / "two"):
        folder.mkdir()
        (folder / "__init__.py").write_text("")
    (other / "one" / "a.py").write_text(
        "from euchre_env._jit import njit\n\n\n@njit\ndef one(x):\n    return x + 1\n"
    )
    (other / "two" / "b.py").write_text(
        "from euchre_env._jit import njit\nfrom euchre_env.cards import popcount\n"
        "from ..one.a import one\n\n\n@njit\ndef two(x):\n    return one(popcount(x))\n"
    )
    script = (
        "import numpy as np\nfrom agents.two.b import two\n"
        "print(int(two(np.int64(7))), len(two.stats.cache_hits))"
    )
    cache = {"EUCHRE_ENV_CACHE": str(tmp_path / "cache")}
    assert start(script, copy, **cache) == ([4, 0], True)
    (other / "app.py").write_text("print")  # nothing is compiled beside this file
    assert start(script, copy, **cache) == ([4, 1], False)
    edit(other / "one" / "a.py", "x + 1", "x + 9")
    assert start(script, copy, **cache) == ([12, 0], True)
    edit(copy / "cards.py", "* 0x01010101) & 0xFFFFFFFF) >> 24\n", "* 0) & 0xFFFFFFFF) >> 24\n")
    assert start(script, copy, **cache) == ([9, 0], True)
