"""What a strong player thinks of a decision: chances, expected points, and the true cards.

The advisor sees what the seat to act may know. Only when asked for double-dummy values does it look
at the true cards: that is for a hand that is over, or for practice.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from euchre_env.actions import ACTION_TEXT, TO_ABSOLUTE
from euchre_env.ruleset import Ruleset

from . import make
from .base import AgentError, RuleTable, View, view_of
from .heuristic.truth import double_dummy_of_acts
from .search.policy_search import Judgement, PolicySearchAgent, likeliest, probabilities_of

__all__ = ["Advice", "Advisor", "Option"]

WORLDS = 100
"""Worlds that a decision is judged in unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Option:
    """A legal action and what is thought of it; all points are net points of the seat's team.

    Attributes:
        action: Its absolute id.
        text: Its text.
        probability: How often the policy takes it.
        value: Points that the hand is expected to bring after it, over sampled worlds; None where
            no search was asked for.
        double_dummy: Points after it when all see all cards; None where that was not asked for.
        error: Standard error of the difference in value to the policy's likeliest act, by the
            sampled worlds; None where no search was asked for.
    """

    action: int
    text: str
    probability: float
    value: float | None = None
    double_dummy: float | None = None
    error: float | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """What is thought of a decision.

    Attributes:
        seat: Who decides.
        best: The absolute id that is advised: the policy's likeliest act, unless the search finds
            one better by more than chance (two standard errors).
        options: All legal actions, those of the highest expected points first, or the likeliest
            where no search was asked for.
        by: Who says so.
    """

    seat: int
    best: int
    options: tuple[Option, ...]
    by: str

    def option(self, action: int) -> Option:
        """The option of an absolute action id.

        Raises:
            KeyError: it was not legal.
        """
        for option in self.options:
            if option.action == action:
                return option
        raise KeyError(f"{action} was no legal action of this decision")

    def loss(self, action: int) -> float | None:
        """Expected points that an action gives away against the first option, 0 or more.

        None where no search was asked for.

        Raises:
            KeyError: the action was not legal.
        """
        best, taken = self.options[0].value, self.option(action).value
        return None if best is None or taken is None else max(0.0, best - taken)


class Advisor:
    """Advice of a trained policy with search.

    Args:
        policy: The policy's name, an agent that says how likely its acts are.
        worlds: Worlds in which a decision is judged.

    Raises:
        AgentError: the policy cannot be made, needs to see hidden cards, or gives no probabilities.
    """

    def __init__(self, policy: str = "champion", worlds: int = WORLDS) -> None:
        self.search = PolicySearchAgent(worlds, make(policy))
        self.policy = self.search.policy

    def advise(
        self,
        states: npt.NDArray[Any],
        ruleset: Ruleset,
        seed: int = 0,
        *,
        search: bool = True,
        double_dummy: bool = False,
    ) -> list[Advice]:
        """Advice on some decisions.

        Args:
            states: STATE[B], full records of games that wait for a decision; they are not changed.
            ruleset: The rule set of all of them.
            seed: Of the worlds.
            search: Whether to play the acts out in sampled worlds.
            double_dummy: Whether to tell what each act is worth with the true cards.

        Raises:
            AgentError: a record in which nobody is to act.
            RulesetError: a game without partners.
        """
        ruleset.require_partnership("advice is")
        ruleset.require_small_deck("advice is")
        if not len(states):
            return []
        if (states["turn"] < 0).any():
            raise AgentError("a hand is over: there is nothing to advise")
        view = self._view(states, ruleset, seed)
        found = self.search.judge(view) if search else self._unsearched(view)
        truth = np.full(found.values.shape, np.nan)
        if double_dummy:
            double_dummy_of_acts(states, view.rules, view.which, truth)
        rows = zip(states, view.action_mask, *found, truth, strict=True)
        return [self._advice(*row) for row in rows]

    def _unsearched(self, view: View) -> Judgement:
        chances = probabilities_of(self.policy, view)
        unknown = np.full(chances.shape, np.nan)
        return Judgement(chances, unknown, unknown, likeliest(view, chances))

    def _view(self, states: npt.NDArray[Any], ruleset: Ruleset, seed: int) -> View:
        seeds = np.random.default_rng(seed).integers(2**64, size=len(states), dtype=np.uint64)
        which = np.zeros(len(states), np.int16)
        return view_of(states, RuleTable.of([ruleset]), which, seeds)

    def _advice(
        self, s: Any, mask: Any, chances: Any, values: Any, errors: Any, best: Any, truth: Any
    ) -> Advice:
        options = [
            Option(
                action := int(TO_ABSOLUTE[s["frame"], framed]),
                ACTION_TEXT[action],
                float(chances[framed]),
                _known(values[framed]),
                _known(truth[framed]),
                _known(errors[framed]),
            )
            for framed in np.flatnonzero(mask).tolist()
        ]
        options.sort(key=_merit, reverse=True)
        advised = int(TO_ABSOLUTE[s["frame"], best])
        return Advice(int(s["turn"]), advised, tuple(options), self.policy.name)


def _known(number: Any) -> float | None:
    return None if math.isnan(number) else float(number)


def _merit(option: Option) -> tuple[float, float]:
    value = -math.inf if option.value is None else option.value
    return value, option.probability
