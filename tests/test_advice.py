"""Advice: chances, expected points and double-dummy values, and that it sees no hidden card."""

import random
from typing import Any

import numpy as np
import pytest

from agents import advice as module
from agents.advice import Advice, Advisor, Option
from agents.base import AgentError, View
from agents.heuristic.player import choose
from euchre_env.actions import action_id
from euchre_env.rules import STATE
from euchre_env.ruleset import Ruleset
from euchre_env.testing import permute_hidden
from tests.table import Table, copy, dealt, fields, random_deck, random_walk

WORLDS = 20


class Mostly:
    """A policy: nine in ten for the hand-written player's choice, the rest spread over all."""

    name, oracle = "mostly", False

    def probabilities(self, view: View) -> Any:
        mask = view.action_mask.astype(np.float32)
        chances = 0.1 * mask / mask.sum(1, keepdims=True)
        chances[np.arange(len(view)), self.act(view)] += 0.9
        return chances

    def act(self, view: View) -> Any:
        rows = zip(view.states, view.which, strict=True)
        return np.array([choose(s, view.rules[k], np.uint64(0)) for s, k in rows], np.int64)


@pytest.fixture
def advisor(monkeypatch: pytest.MonkeyPatch) -> Advisor:
    monkeypatch.setattr(module, "make", lambda name: Mostly())
    return Advisor("mostly", WORLDS)


def records(*tables: Table) -> Any:
    states = np.zeros(len(tables), STATE)
    for k, t in enumerate(tables):
        states[k] = t.s
    return states


HANDS = {
    0: "JH AH 9D AS 9S",
    1: "9C 9H KS QC KD",
    2: "TD JS QS TC TS",
    3: "QD TH KH JC AC",
}


def two_cards_left() -> Table:
    """Seat 0, the maker, has won two tricks of three and leads: the ace makes, the nine loses."""
    t = dealt(HANDS, "QH").do("pass pass pass order_up with_partner QH")
    return t.do("KD TD QD 9D", "9H JS TH JH", "AH 9C QS KH")


def test_all_legal_acts_the_best_first(advisor: Advisor) -> None:
    (found,) = advisor.advise(records(two_cards_left()), Ruleset.stick(), 1)
    assert [option.text for option in found.options] == ["AS", "9S"]
    assert (found.seat, found.by) == (0, "mostly")
    assert found.best == found.options[0].action
    values = [option.value for option in found.options]
    assert values == sorted(values, reverse=True)
    assert sum(option.probability for option in found.options) == pytest.approx(1)
    assert found.loss(found.best) == 0


def test_with_the_true_cards(advisor: Advisor) -> None:
    states = records(two_cards_left())
    (found,) = advisor.advise(states, Ruleset.stick(), 1, double_dummy=True)
    assert found.option(action_id("AS")).double_dummy == 1
    assert found.option(action_id("9S")).double_dummy == -2


def test_without_search_the_policy_decides(advisor: Advisor) -> None:
    (found,) = advisor.advise(records(two_cards_left()), Ruleset.stick(), 1, search=False)
    assert found.options[0].probability == max(o.probability for o in found.options)
    assert all(o.value is None and o.double_dummy is None for o in found.options)
    assert found.loss(found.options[-1].action) is None


def test_it_sees_no_hidden_card_and_follows_the_seed(advisor: Advisor) -> None:
    rng, ruleset = random.Random(3), Ruleset.stick()
    tables = []
    for _ in range(3):
        walk = random_walk(Table.dealt(ruleset, random_deck(rng), rng.randrange(4)), rng)
        tables += [copied(t) for t in walk if t.phase != "over"][::5]
    states = records(*tables)
    others = states.copy()
    for k, t in enumerate(tables):
        others[k] = permute_hidden(states[k], t.r, int(states[k]["turn"]), rng)
    before = [fields(s) for s in states]
    found = advisor.advise(states, ruleset, 5)
    assert found == advisor.advise(others, ruleset, 5)
    assert found == advisor.advise(states, ruleset, 5)
    assert [fields(s) for s in states] == before


def copied(t: Table) -> Table:
    other = Table.__new__(Table)
    other.ruleset, other.r = t.ruleset, t.r
    other.s = copy(t.s)
    return other


def test_losses_and_options() -> None:
    found = Advice(0, 26, (Option(26, "order_up", 0.3, 0.5), Option(25, "pass", 0.7, 0.2)), "x")
    assert found.loss(25) == pytest.approx(0.3)
    assert found.loss(26) == 0
    with pytest.raises(KeyError, match="27 was no legal action"):
        found.option(27)


def test_nothing_to_advise(advisor: Advisor) -> None:
    assert advisor.advise(np.zeros(0, STATE), Ruleset.stick()) == []
    over = dealt({}, "KH").finish()
    with pytest.raises(AgentError, match="a hand is over"):
        advisor.advise(records(over), Ruleset.stick())


def test_a_policy_without_probabilities_is_refused() -> None:
    with pytest.raises(AgentError, match="does not say how likely its acts are"):
        Advisor("greedy")
