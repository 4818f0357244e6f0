"""What the searching players share: their names, their threads, and the loop over games."""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from euchre_env._cores import cores

from ..base import Actions, AgentError, View, require_deck
from .utility import equity_tables

INFER = "+infer"
MAX_WORLDS = 100_000


def parse_count(family: str, text: str) -> tuple[int, bool]:
    """The number of worlds and whether they are weighted, from ``200`` or ``100+infer``.

    Raises:
        AgentError: not a number from 1 to MAX_WORLDS, with or without ``+infer``.
    """
    number = text.removesuffix(INFER)
    if not (number.isascii() and number.isdecimal()) or not 1 <= int(number) <= MAX_WORLDS:
        raise AgentError(
            f"'{family}:{text}': give a number of worlds from 1 to {MAX_WORLDS}, "
            f"such as '{family}:200' or '{family}:100{INFER}'"
        )
    return int(number), text.endswith(INFER)


class SearchAgent:
    """A player that decides each game by a compiled search, on all cores.

    Subclasses name their compiled ``kernel``. Every game is searched by its own seed, so results
    do not depend on the number of threads.

    Args:
        text: The parameter of the agent's name, such as ``200`` or ``100+infer``.
    """

    family = ""
    oracle = False
    kernel: Callable[..., int]

    def __init__(self, text: str) -> None:
        self.worlds, self.infer = parse_count(self.family, text)
        self.name = f"{self.family}:{text}"
        self.threads = cores()

    def _search(self, view: View, out: Actions, start: int, stop: int) -> int:
        """Write the actions of games ``start`` to ``stop``; returns a game that failed, or -1."""
        return int(
            self.kernel(
                view.states,
                view.rules,
                view.which,
                view.seeds,
                self.worlds,
                self.infer,
                equity_tables(view.table.rulesets),
                out,
                start,
                stop,
            )
        )

    def act(self, view: View) -> Actions:
        """The player's action for each game.

        Raises:
            AgentError: a game that no deal of the unseen cards explains.
        """
        require_deck(self, view.rulesets)
        out = np.full(len(view), -1, np.int64)
        pieces = min(len(view), 4 * self.threads) if self.threads > 1 else 1
        edges = np.linspace(0, len(view), pieces + 1).astype(int).tolist()
        if pieces == 1:
            failed = [self._search(view, out, 0, len(view))]
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                failed = list(
                    pool.map(lambda a, b: self._search(view, out, a, b), edges[:-1], edges[1:])
                )
        for game in failed:
            if game >= 0:
                raise AgentError(f"{self.name}: no deal explains what is seen in game {game}")
        return out
