"""What a figure was made with: digests of the code and of the checkpoints that agents name."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import euchre_env
from euchre_env._files import digest_of

from .. import champion_path, sources_of
from .stats import EvaluationError

_APART = ("app", "training", "evaluation", "plots", "work", "bids.py", "advice.py")
"""Parts of this package that do not decide how a hand goes."""
_THIS_PROCESS = uuid.uuid4().hex[:16]
_CHECKPOINT = re.compile(r"[^:,&]+\.safetensors")
_CHAMPION = re.compile(r"(?<![\w/.-])champion(?![\w/.-])")


def files_of(*names: str) -> dict[str, str]:
    """Digests of the files behind agents' names.

    Those are checkpoints, by path or as ``champion``, and the sources of registered agents, by
    name. A registered agent without a file has another digest in every process.
    """
    paths: dict[str, Path | None] = {
        p.strip(): Path(p.strip()) for name in names for p in _CHECKPOINT.findall(name)
    }
    if any(_CHAMPION.search(name) for name in names):
        paths["champion"] = champion_path()
    paths |= sources_of(names)
    return {n: digest_of(p)[:16] if p else _THIS_PROCESS for n, p in sorted(paths.items())}


def require_files(names: tuple[str, ...], files: Mapping[str, str]) -> None:
    """Raise EvaluationError unless agents' names stand for the same checkpoints here as elsewhere.

    Args:
        names: The names.
        files: What :func:`files_of` told of them elsewhere.

    Raises:
        OSError: a checkpoint cannot be read.
    """
    for name, digest in files_of(*names).items():
        if digest != files.get(name):
            raise EvaluationError(
                f"{name} is another checkpoint here than where the command runs, or was changed "
                "since: put the same file there and run the command again"
            )


@cache
def code_digest(apart: tuple[str, ...] = _APART) -> str:
    """A digest of sources: of those that decide how a hand goes, the engine's and the agents'.

    Args:
        apart: Parts of the agents' package that are left out.
    """
    agents = Path(__file__).resolve().parent.parent
    engine = Path(euchre_env.__file__).resolve().parent
    sources = [p for p in agents.rglob("*.py") if p.relative_to(agents).parts[0] not in apart]
    sources += engine.rglob("*.py")
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
