"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Collection
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under a temporary name and rename it, so that it is whole or not there.

    Raises:
        OSError: no room, no folder, or no permission, with ``path`` as its file; an older file
            stays as it was.
    """
    waiting = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(waiting, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(waiting, path)
    except OSError as error:
        if error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
    finally:
        with contextlib.suppress(OSError):
            waiting.unlink(missing_ok=True)


def remove_unfinished(folder: Path, names: Collection[str]) -> None:
    """Remove what :func:`write_whole` left of some files of a folder where its process was killed.

    Nobody may be writing them.
    """
    for path in folder.glob(".*"):
        name, _, process = path.name[1:].rpartition(".")
        if name in names and process.isdecimal():
            path.unlink(missing_ok=True)


def digest_of(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal digits, read a megabyte at a time.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
