"""Who only knows the partnership game says so of any other, before any work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.advice import Advisor
from agents.base import AgentError, require_player
from agents.evaluation.decomposition import decompose
from agents.evaluation.luck import play_luck_reduced
from agents.evaluation.match import match_games, play_match, play_until_clear
from agents.evaluation.outcomes import measure_shares
from agents.evaluation.report import Plan
from agents.evaluation.shares import play_shares
from agents.evaluation.timing import decision_time
from agents.selfplay.files import generate, plan_of
from agents.selfplay.hands import play_hands
from euchre_env import equity
from euchre_env.ruleset import VARIANT_PRESETS, Ruleset, RulesetError
from tests.table import Table

BUCK = Ruleset.preset("buck")
DECK = "9C TC JC QC KC AC 9D TD JD QD KD AD 9H TH JH QH KH AH 9S TS JS QS KS AS"


def table() -> Table:
    return Table.dealt(BUCK, DECK.split(), 0)


def advised() -> Any:
    return Advisor("champion", 2).advise(np.array([table().s]), BUCK)


NEEDS: dict[str, Callable[[], Any]] = {
    "chances to win a game are": lambda: equity.equity_table(BUCK),
    "chances to win a game are ": lambda: equity.outcomes_of(BUCK),
    "advice is": advised,
    "a report is": lambda: Plan("greedy", ruleset="buck").check(),
    "shares of calls and results are": lambda: play_shares("greedy", 10, "buck"),
    "shares of calls and results are ": lambda: measure_shares("greedy", 10, "buck"),
    "luck-reduced scores are": lambda: play_luck_reduced("greedy", "random", 200, "buck"),
    "matches of whole games are": lambda: match_games("greedy", "random", 2, "buck"),
    "matches of whole games are ": lambda: play_match("greedy", "random", 2, "buck", games=2),
}


@pytest.mark.parametrize("who", NEEDS)
def test_who_needs_partners_says_so(who: str) -> None:
    with pytest.raises(RulesetError, match=f"^variant='buck': {who.strip()} for the partnership"):
        NEEDS[who]()


ASKED: dict[str, Callable[[], Any]] = {
    "a match": lambda: play_match("heuristic", "random", 2, "three_hand"),
    "a match, the other way": lambda: play_match("random", "heuristic", 2, "three_hand"),
    "a match until it is clear": lambda: play_until_clear("heuristic", "random", 500, "three_hand"),
    "a decomposition": lambda: decompose("heuristic", "random", 2, "three_hand"),
    "the time of a decision": lambda: decision_time(agents.make("heuristic"), 1, "three_hand"),
    "self-play": lambda: play_hands(
        [agents.make("heuristic")], [Ruleset.preset("three_hand")], 1, 0, 2
    ),
}


@pytest.mark.parametrize("what", ASKED)
def test_a_player_who_needs_partners_is_named(what: str) -> None:
    with pytest.raises(AgentError, match=r"^heuristic plays the partnership game only.*three_hand"):
        ASKED[what]()


@pytest.mark.parametrize(
    "name", ["pimc:2+infer", "ismcts:2", "mixed:2", "oracle", "champion+search:2"]
)
def test_searching_players_need_partners(name: str) -> None:
    for preset in VARIANT_PRESETS:
        with pytest.raises(
            AgentError, match="name random, first_legal, greedy, pimc:N, or a policy"
        ):
            require_player([agents.make(name)], Ruleset.preset(preset))
    require_player([agents.make(name)], Ruleset())


@pytest.mark.parametrize("preset", VARIANT_PRESETS)
def test_partners_are_refused_where_there_are_none(preset: str) -> None:
    with pytest.raises(AgentError, match="'greedy & random' are partners"):
        play_match("greedy & random", "random", 2, preset)


def test_nothing_is_written_for_a_player_who_needs_partners(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="heuristic plays the partnership game only"):
        generate(plan_of(["heuristic"], 2, tmp_path / "x.npy", "three_hand"))
    assert list(tmp_path.iterdir()) == []


def test_a_hand_of_any_game_is_played_by_those_who_can() -> None:
    for preset in VARIANT_PRESETS:
        found = play_match("greedy", "random", 20, preset)
        assert (found.deals, found.ruleset) == (20, preset)
        assert np.isfinite(found.differences).all() and found.differences.any()
