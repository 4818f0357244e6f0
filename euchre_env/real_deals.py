"""81 deals of public league and tournament games, calls and cards as people made them.

They come with the package (``data/egn``; where they are from and their licence are in the README
there) and serve to compare an agent's decisions with those of practised players.
"""

from __future__ import annotations

from importlib.resources import files

from .record import GameRecord, read_egn

__all__ = ["real_games"]


def real_games() -> dict[str, GameRecord]:
    """The games by the name of their file, in order."""
    folder = files(__package__).joinpath("data", "egn")
    found = sorted((f for f in folder.iterdir() if f.name.endswith(".egn")), key=lambda f: f.name)
    return {file.name: read_egn(file.read_text("utf-8")) for file in found}
