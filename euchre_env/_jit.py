"""Compiled functions: one decorator, a cache that notices every edit, and a plain-Python fallback.

``njit`` is :func:`numba.njit` with the engine's settings. With ``NUMBA_DISABLE_JIT=1`` it returns
the function unchanged, so that a debugger, coverage or a mutation test sees ordinary Python.

Numba's own cache stamps only the file that holds a function, so an edit to ``rules.py`` would leave
a stale ``kernels.py`` behind. Compiled code therefore lives in a folder named by a digest of all
sources it may contain: the engine's, and those of the package that holds the function.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import caching, event
from numba.core import config as _config

config: Any = _config
F = TypeVar("F", bound=Callable[..., Any])

ENGINE = Path(__file__).resolve().parent
CACHE_VARIABLE = "EUCHRE_ENV_CACHE"
_KEPT_CACHES = 8

COMPILED = not config.DISABLE_JIT
"""Whether functions run compiled (True) or as plain Python (``NUMBA_DISABLE_JIT=1``)."""


def prepare_thread() -> None:
    """Silence NumPy about wrapping uint64 arithmetic, which the generator relies on.

    Compiled code never warns; plain NumPy scalars do, in each thread anew.
    """
    if not COMPILED:
        np.seterr(over="ignore")


prepare_thread()


@cache
def source_digest(package: Path) -> str:
    """Hexadecimal digest of numba's version and the sources of the engine and of ``package``.

    Compiled code may hold that of any other compiled function, and the constants beside it: all
    files count of folders in which something is compiled.
    """
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for root in sorted({ENGINE, package}):
        texts = {path: path.read_bytes() for path in sorted(root.rglob("*.py"))}
        compiled = {path.parent for path, text in texts.items() if b"njit" in text}
        for path, text in texts.items():
            if path.parent in compiled:
                digest.update(path.relative_to(root).as_posix().encode())
                digest.update(text)
    return digest.hexdigest()[:16]


def _package_of(source: Path) -> Path:
    """The outermost package of a source file, or its folder where that is none."""
    folder = source.resolve().parent
    while (folder / "__init__.py").exists() and (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


def _user_cache() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    return Path(base) / "euchre_env"


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _lasting_folders() -> list[Path]:
    named = os.environ.get(CACHE_VARIABLE)
    usual = [ENGINE / "__pycache__" / "compiled", _user_cache()]
    return [Path(named), *usual] if named else usual


@cache
def cache_root() -> Path:
    """The folder of compiled code: ``EUCHRE_ENV_CACHE``, beside the sources, or the user's cache.

    The first of the three that can be written to is taken, so that a read-only install works.
    """
    for folder in _lasting_folders():
        if _is_writable(folder):
            return folder
    return Path(tempfile.mkdtemp(prefix="euchre_env_"))


def is_kept() -> bool:
    """Whether compiled code is found again by the next process: whether such a folder will do."""
    return cache_root() in _lasting_folders()


@cache
def cache_folder(package: Path) -> Path:
    """The cache folder of the present sources for ``package``; old folders are removed."""
    root = cache_root()
    folder = root / source_digest(package)
    if not folder.exists():
        _remove_old_caches(root)
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _remove_old_caches(root: Path) -> None:
    # Only folders named by a digest are ours: the root may be any folder that a user names.
    ours = (p for p in root.iterdir() if p.is_dir() and re.fullmatch("[0-9a-f]{16}", p.name))
    folders = sorted(ours, key=lambda p: p.stat().st_mtime)
    for stale in folders[: max(0, len(folders) - _KEPT_CACHES)]:
        shutil.rmtree(stale, ignore_errors=True)


class _ForgivingCacheFile(caching.IndexDataCacheFile):
    """Stored code that is damaged counts as missing; where none can be stored, none is.

    Numba itself stops on a file cut short, as after a power failure, and on a full disk.
    """

    def load(self, key: Any) -> Any:
        """The stored code, or None."""
        try:
            return super().load(key)  # type: ignore[no-untyped-call]
        except Exception:  # numba unpickles what it wrote: damage may raise anything
            return None

    def save(self, key: Any, data: Any) -> None:
        """Store code where there is room."""
        with contextlib.suppress(OSError):
            super().save(key, data)  # type: ignore[no-untyped-call]

    def _load_index(self) -> Any:
        try:
            return super()._load_index()  # type: ignore[no-untyped-call]
        except Exception:
            return {}


class _Announcer(event.Listener):
    """Says once that compilation has begun, since the first start on a machine takes a while."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, _event: event.Event) -> None:
        """Announce the first compilation of one of this project's functions."""
        dispatcher = _event.data["dispatcher"]
        if self.said or not str(dispatcher.py_func.__module__).startswith(("euchre_env", "agents")):
            return
        self.said = True
        print("euchre_env: compiling what this needs, once on this machine ...", file=sys.stderr)

    def on_end(self, _event: event.Event) -> None:
        """Nothing to say at the end."""


if COMPILED:
    event.register("numba:compile", _Announcer())  # type: ignore[no-untyped-call]


def njit(function: F) -> F:
    """Compile ``function`` with the engine's settings: cached, and releasing the GIL."""
    return _compile(function, inline=False)


def njit_inline(function: F) -> F:
    """As :func:`njit`, and always inlined: for small functions that pass arrays on.

    An array crosses a call as seven arguments, and a row of one costs an atomic reference count;
    inlining the observation encoder makes it 1.6 times faster.
    """
    return _compile(function, inline=True)


def njit_recursive(signature: Any) -> Callable[[F], F]:
    """As :func:`njit`, for a function that calls itself: its types have to be stated.

    Without them numba aborts the process when it links the stored code into a new caller.
    """
    return lambda function: _compile(function, inline=False, signature=signature)


def _compile(function: F, inline: bool, signature: Any = None) -> F:
    if not COMPILED:
        return function
    package = _package_of(Path(function.__code__.co_filename))
    previous = config.CACHE_DIR, caching.IndexDataCacheFile
    # Numba reads both while it decorates; other people's functions keep their own.
    config.CACHE_DIR = str(cache_folder(package))
    caching.IndexDataCacheFile = _ForgivingCacheFile  # type: ignore[misc]
    try:
        compiled = numba.njit(
            signature, cache=True, nogil=True, error_model="numpy", forceinline=inline
        )
        return cast(F, compiled(function))
    finally:
        config.CACHE_DIR, caching.IndexDataCacheFile = previous  # type: ignore[misc]
