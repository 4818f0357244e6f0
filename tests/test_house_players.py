"""The partner's best card, fast breaks and tokens in words, pictures and players' decisions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agents
from agents.app.table import Table as AppTable
from agents.app.words import NotUnderstood, parse_act
from agents.base import RuleTable, view_of
from agents.heuristic.hands import dead_cards
from agents.heuristic.reasons import reason
from euchre_env import explain, rules
from euchre_env.actions import ACTION_TEXT, TO_ABSOLUTE, action_id
from euchre_env.cards import card_text
from euchre_env.render.drawing import drawing
from euchre_env.render.text import ansi
from euchre_env.ruleset import Ruleset
from tests.table import Table
from tests.test_house_rules import BEST, BROKEN, FOUR_TRICKS, HANDS, north_picks_up, with_tokens

NO_TRUMPS = BEST | {2: "AD AS KS QS 9C", 0: "JH AH JD TC 9D"}
"""South holds no heart and no bower; North holds the left one."""


def alone(hands: dict[int, str] = BEST, how: str = "offered") -> Table:
    return north_picks_up(hands, "alone", call_for_best=how)


# --- words -------------------------------------------------------------------------------------


def test_what_is_asked() -> None:
    table = alone()
    asked = []
    for word in ("claim", "JD", "9C"):
        asked.append(explain.question(table.s, table.r))
        table.do(word)
    assert asked == [
        "Call for your partner's best card, or keep your hand?",
        "North plays alone: pass a card to your partner.",
        "South passed you the JD: lay a card away.",
    ]


def test_what_was_done_is_told_to_those_who_may_know() -> None:
    table = alone()
    told: list[list[str]] = []
    for word in ("claim", "JD", "9C"):
        action = action_id(word)
        told.append(
            [explain.tell(table.s, action, viewer, table.r) for viewer in (*range(4), None)]
        )
        table.do(word)
    assert told[0] == ["North calls for the partner's best"] * 5
    known, hidden = "South passes the JD to North", "South passes a card to North"
    assert told[1] == [known, hidden, known, hidden, known]
    mine, theirs = "North lays away the 9C", "North lays away a card"
    assert told[2] == [mine, theirs, theirs, theirs, mine]
    table = alone()
    assert explain.tell(table.s, action_id("keep"), 1, table.r) == "North keeps the five cards"


def test_why_not() -> None:
    table = alone().do("claim")
    why = explain.why_illegal(table.s, table.r, action_id("JH"))
    assert why == "The JH is not in your hand."
    assert "pass a card" in explain.why_illegal(table.s, table.r, action_id("claim"))


def test_how_a_hand_ended() -> None:
    broken = north_picks_up(HANDS, fast_break=True).do(BROKEN)
    assert explain.result(broken.s, broken.r) == "nobody scores: a fast break"
    token = with_tokens(1).do(FOUR_TRICKS)
    assert explain.result(token.s, token.r).endswith("make 1 point: 4 tricks, token 2")
    four = with_tokens(3).do(FOUR_TRICKS)
    assert explain.result(four.s, four.r).endswith("make 2 points: 4 tricks, four tokens turned in")


@pytest.mark.parametrize(
    ("said", "word"),
    [("call for best", "claim"), ("yes", "claim"), ("keep", "keep"), ("keep hand", "keep")],
)
def test_answers_as_typed(said: str, word: str) -> None:
    table = alone()
    assert ACTION_TEXT[parse_act(said, table.s, [])] == word


def test_a_card_to_pass_as_typed() -> None:
    table = alone().do("claim")
    for said in ("JD", "pass jd", "give J♦"):
        assert ACTION_TEXT[parse_act(said, table.s, [])] == "JD"
    with pytest.raises(NotUnderstood):
        parse_act("give up", table.s, [])


def picture(table: Table, viewer: int | None) -> str:
    return ansi(drawing(table.s, table.r, viewer), symbols=True)


def test_pictures_show_the_card_passed_to_the_two_who_know_it() -> None:
    table = alone().do("claim JD 9C")
    assert "(gave a card)" in picture(table, 1)
    for viewer in (0, 2, None):
        assert "(gave J of diamonds)" in picture(table, viewer)
    assert "9♣" not in picture(table, 1)
    assert "9♣" in picture(table, 0)


def test_a_fast_break_in_a_picture() -> None:
    table = north_picks_up(HANDS, fast_break=True).do(BROKEN)
    assert "A fast break: nobody scores" in picture(table, None)


# --- players -----------------------------------------------------------------------------------


def act(name: str, table: Table) -> str:
    """What an agent does, as a text."""
    agent = agents.make(name)
    states: Any = rules.new_states(1)
    states[0] = table.s
    found = view_of(
        states,
        RuleTable.of((table.ruleset,)),
        np.zeros(1, np.int16),
        np.ones(1, np.uint64),
        oracle=agent.oracle,
    )
    return ACTION_TEXT[int(TO_ABSOLUTE[table.s.frame, agent.act(found)[0]])]


PLAYERS = ("greedy", "heuristic", "pimc:20", "rollout:20", "mixed:20", "oracle")


@pytest.mark.parametrize("name", PLAYERS)
def test_players_call_for_the_best_and_pass_the_left_bower(name: str) -> None:
    table = alone()
    assert act(name, table) == "claim"
    assert act(name, table.do("claim")) == "JD"
    assert act(name, table.do("JD")) in ("9C", "TC")


@pytest.mark.parametrize("name", ["greedy", "heuristic"])
def test_without_a_trump_an_ace_is_passed(name: str) -> None:
    assert act(name, alone(NO_TRUMPS, "always")) in ("AD", "AS")


def test_of_two_aces_that_of_the_shorter_suit() -> None:
    table = alone(NO_TRUMPS, "always")
    assert act("heuristic", table) == "AD"


def test_the_hand_written_player_says_why() -> None:
    table = alone().do("claim")
    assert reason(table.s, table.r, action_id("JD")) == (
        "its highest trump is worth most to its partner"
    )
    assert reason(table.s, table.r, action_id("AS")) == "passes a spade"
    table = alone(NO_TRUMPS, "always")
    assert reason(table.s, table.r, action_id("AD")).startswith("holds no trump")


def test_only_the_lone_hand_counts_on_what_it_laid_away() -> None:
    table = alone().do("claim JD 9C")
    laid = int(table.s.buried)
    assert not int(dead_cards(table.s, table.r)) & laid  # East is to lead
    table.do("AC TD")
    assert table.turn == 0 and int(dead_cards(table.s, table.r)) & laid


def test_a_table_hides_what_was_passed() -> None:
    lineup = ("heuristic",) * 4
    rules_text = "call_for_best=always,canadian_loner=true,stick_the_dealer=true"
    table = AppTable(Ruleset.parse(rules_text), lineup, 3)
    kinds = set()
    while not table.over and not kinds:
        while not table.hand_over:
            phase, seat = rules.PHASES[int(table.state.phase)], int(table.state.turn)
            table.advance()
            if phase in ("pass_card", "lay_away"):
                kinds.add(phase)
                number = table.acts - 1
                seen = [table.events_for(viewer, number)[0] for viewer in range(4)]
                knows = {seat, int(table.state.loner)}  # the lone hand learns what it is passed
                assert {k for k, event in enumerate(seen) if event.action is not None} == knows
                card = card_text(table.events_for(None, number)[0].action or 0)
                assert all((card in event.text) == (k in knows) for k, event in enumerate(seen))
        if not table.over:
            table.next_hand()
    assert kinds == {"pass_card", "lay_away"}
