"""What the rows of a file of results tell together: ladders, cross-plays, and single matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..base import Actions, AgentError, View
from .crossplay import CrossPlay, Floats, Pair
from .ladder import Ladder, ratings_of
from .match import PARTNERS, MatchResult
from .stats import estimate

_SPLIT = "bids:"  # an agent put together from two, no rung of its own


@dataclass(frozen=True)
class Series:
    """Matches on the same deals.

    Attributes:
        matches: All of them.
        ladder: The ratings of agents that are linked by matches, three or more of them.
        crossplays: What partners make, by reference pair.
    """

    matches: tuple[MatchResult, ...]
    ladder: Ladder | None
    crossplays: tuple[CrossPlay, ...]

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of all single agents, in order."""
        names = (name for m in self.matches for name in (m.a, m.b))
        return tuple(dict.fromkeys(name for name in names if _is_single(name)))


def series_of(matches: Iterable[MatchResult]) -> list[Series]:
    """Matches put together by rules, seed, number of deals and version; of a match the last row."""
    groups: dict[tuple[str, int, int, str], dict[tuple[str, str], MatchResult]] = {}
    for m in matches:
        groups.setdefault((m.ruleset, m.seed, m.deals, m.version), {})[m.a, m.b] = m
    return [_series(tuple(group.values())) for group in groups.values()]


def _series(matches: tuple[MatchResult, ...]) -> Series:
    single = [m for m in matches if _is_single(m.a) and _is_single(m.b) and m.a != m.b]
    # Of two between the same agents the one that a ladder plays.
    pairs = {frozenset((m.a, m.b)): m for m in sorted(single, key=lambda m: m.a < m.b)}
    return Series(matches, rate(_linked(list(pairs.values()))), tuple(_crossplays(matches)))


def _is_single(name: str) -> bool:
    return PARTNERS not in name and not name.startswith(_SPLIT)


# --- ladders -----------------------------------------------------------------------------------


@dataclass
class _Known:
    """An agent of which only a row tells."""

    name: str
    oracle: bool

    def act(self, view: View) -> Actions:
        """It cannot play."""
        raise AgentError(f"{self.name!r} is only a name in a file of results")


def _linked(matches: Sequence[MatchResult]) -> list[MatchResult]:
    """The matches among the largest set of agents that are linked by matches."""
    sets: list[set[str]] = []
    for m in matches:
        touched = [s for s in sets if s & {m.a, m.b}]
        sets = [s for s in sets if s not in touched] + [set.union({m.a, m.b}, *touched)]
    largest = max(sets, key=len, default=set())
    return [m for m in matches if m.a in largest]


def rate(matches: Sequence[MatchResult]) -> Ladder | None:
    """A ladder of matches on the same deals; None of fewer than three agents."""
    names = sorted({name for m in matches for name in (m.a, m.b)})
    if len(names) < 3:
        return None
    oracles = {name for m in matches for name in m.oracles}
    players = [_Known(name, name in oracles) for name in names]
    pairs = [(names.index(m.a), names.index(m.b)) for m in matches]
    return ratings_of(players, pairs, matches, len(matches))


# --- cross-play --------------------------------------------------------------------------------


def _crossplays(matches: Sequence[MatchResult]) -> Iterable[CrossPlay]:
    found = {(m.a, m.b): m for m in matches}
    mixed = dict.fromkeys(m.a for m in matches if PARTNERS in m.a)
    references: dict[str | None, list[Pair]] = {}
    for name in mixed:
        x, y = name.split(PARTNERS)
        if (name, x) in found and (name, y) in found:
            references.setdefault(None, []).append((x, y))
        for against in (b for a, b in found if a == name and b not in (x, y)):
            if (x, against) in found and (y, against) in found:
                references.setdefault(against, []).append((x, y))
    return [_crossplay(found, against, pairs) for against, pairs in references.items()]


def _crossplay(
    found: dict[tuple[str, str], MatchResult], against: str | None, pairs: Sequence[Pair]
) -> CrossPlay:
    used: dict[tuple[str, str], MatchResult] = {}

    def play(a: str, b: str) -> Floats:
        used[a, b] = found[a, b]
        return found[a, b].differences

    points: dict[Pair, Floats] = {}
    losses: dict[Pair, Floats] = {}
    for x, y in pairs:
        name = PARTNERS.join((x, y))
        if against is None:
            points[x, y] = (play(name, x) + play(name, y)) / 2
            losses[x, y] = -points[x, y]
        else:
            points |= {(z, z): play(z, against) for z in (x, y)}
            points[x, y] = play(name, against)
            losses[x, y] = (points[x, x] + points[y, y]) / 2 - points[x, y]
    first = next(iter(used.values()))
    return CrossPlay(
        agents=tuple(dict.fromkeys(name for pair in pairs for name in pair)),
        against=against,
        points={pair: estimate(values) for pair, values in points.items()},
        losses={pair: estimate(values) for pair, values in losses.items()},
        loss=estimate(np.mean(list(losses.values()), axis=0)),
        deals=first.deals,
        ruleset=first.ruleset,
        seed=first.seed,
        version=first.version,
        oracles=tuple(sorted({name for m in used.values() for name in m.oracles})),
        matches=tuple(used.values()),
    )
