"""Why the hand-written player acts: the player and its reasons share every principle.

Hearts are trump and seat 0 deals unless said; the deals are those of test_heuristic.py.
"""

import random

import numpy as np
import pytest

from agents.heuristic import choose, principles, reasons
from agents.heuristic.player import decide
from agents.heuristic.reasons import advised, holding, reason
from euchre_env.actions import ACTION_TEXT, TO_ABSOLUTE, action_id
from euchre_env.cards import card_ids, set_of
from euchre_env.ruleset import Ruleset
from euchre_env.testing import permute_hidden, random_ruleset
from tests.table import Table, dealt, hidden_from, random_deck, random_walk

NO_SEED = np.uint64(0)


def advice(t: Table) -> tuple[str, str]:
    """What the player would do, and why."""
    action, why = advised(t.s, t.r)
    return ACTION_TEXT[action], why


def why(t: Table, word: str) -> str:
    return reason(t.s, t.r, action_id(word))


# --- shared principles -------------------------------------------------------------------------


def test_every_principle_has_words() -> None:
    assert list(reasons._WORDS) == list(principles.PRINCIPLES)


@pytest.mark.parametrize("act", [0, 24, 37, 0b1011 << 17])
@pytest.mark.parametrize("principle", [0, 1, len(principles.PRINCIPLES) - 1])
def test_a_verdict_is_taken_apart(principle: int, act: int) -> None:
    verdict = principles.by(principle, act)
    assert (principles.principle_of(verdict), principles.act_of(verdict)) == (principle, act)


def test_every_legal_act_has_a_line_that_betrays_no_hidden_card() -> None:
    rng, found = random.Random(1), set()
    for k in range(150):
        ruleset = random_ruleset(rng) if k % 2 else Ruleset.stick()
        deck = random_deck(rng, ruleset.joker, ruleset.joker_upcard == "redraw")
        for t in random_walk(Table.dealt(ruleset, deck, rng.randrange(4)), rng):
            if t.phase == "over":
                continue
            verdict = decide(t.s, t.r)
            found.add(principles.PRINCIPLES[int(principles.principle_of(verdict))])
            assert int(principles.act_of(verdict)) == int(choose(t.s, t.r, NO_SEED))
            action, told = advised(t.s, t.r)
            assert action == int(TO_ABSOLUTE[t.s.frame, int(principles.act_of(verdict))])
            seen = hidden_from(t.s, ruleset, t.turn)
            other = permute_hidden(t.s, t.r, t.turn, rng)
            for word in t.legal:
                line = why(t, word)
                assert line
                assert "\n" not in line
                assert not line.endswith(".")
                assert line == reason(seen, t.r, action_id(word)), (ruleset, t.at, word)
                assert line == reason(other, t.r, action_id(word)), (ruleset, t.at, word)
            assert told == why(t, ACTION_TEXT[action])
    assert len(found) > 30, found


# --- stated lines ------------------------------------------------------------------------------


def test_a_holding_in_words() -> None:
    def told(hand: str, trump: int = 2) -> str:
        return holding(set_of(card_ids(hand), trump), trump)

    assert told("JH JD AH AS AC") == "three trumps with both bowers, two aces besides and a void"
    assert told("JD 9S TS QS KS") == "one trump with the left bower and two voids"
    assert told("JOKER JH 9H TS KD") == "three trumps with the joker and the right bower and a void"
    assert told("9S TS QS KS 9D") == "no trumps"
    assert told("AS AC QS KS 9D", 4) == "two aces"


def test_calls() -> None:
    order = dealt({2: "JH JD 9C 9S TC"}, "9H").do("pass")
    assert advice(order) == (
        "order_up",
        "strong enough: two trumps with both bowers and a void, and its partner takes the 9H",
    )
    weak = dealt({1: "JH JD 9C 9S TC"}, "9H")
    assert advice(weak) == (
        "pass",
        "too weak: two trumps with both bowers and a void, and the other side takes the 9H",
    )
    following = dealt({1: "JH JD 9C 9S TC"}, "9H").do("pass " * 4)
    assert advice(following) == (
        "call_D",
        "strong enough in diamonds, the next suit: two trumps with both bowers and a void",
    )


def test_a_stuck_dealer_and_a_donation() -> None:
    t = dealt({0: "9C TC 9D TD 9S"}, "KH").do("pass " * 7)
    call, told = advice(t)
    assert call.startswith("call_")
    assert told.startswith("has to call, and is strongest in ")
    donation = dealt({1: "9C TC 9S TS QD"}, "JH", score=(6, 9))
    assert advice(donation) == (
        "order_up",
        "a donation: a euchre costs less than the dealer's lone hand would",
    )


def test_alone_or_not() -> None:
    def after(hand: str, upcard: str, seat: int, score: tuple[int, int] = (0, 0)) -> str:
        t = dealt({seat: hand}, upcard, score=score)
        return advice(t.do("pass " * ((seat - 1) % 4), "order_up"))[1]

    assert after("AH KH QH AD AS", "JH", 1) == (
        "the other side's JH beats its highest trump, so not all five tricks are its"
    )
    assert after("JH JD AH KH AS", "QH", 0, (9, 0)) == "alone would add nothing at this score"
    assert after("JH JD AH KH AS", "QH", 0).startswith("strong enough without its partner: five")


def test_discards() -> None:
    t = dealt({0: "JH AH 9C AS KS"}, "9H").do("pass pass pass order_up with_partner")
    assert advice(t) == ("9C", "makes a void: clubs can be ruffed now")
    t = dealt({0: "JH JD AH KH TH"}, "9H").do("pass pass pass order_up with_partner")
    assert advice(t) == ("9H", "nothing but trumps: the lowest goes")


def test_the_guard_of_the_left_bower() -> None:
    hands = {0: "KS AS JS JC KD", 1: "9C TC QC KC 9D", 2: "JD 9H 9S TS QS", 3: "AH KH AC QH AD"}
    t = dealt(hands, "TH", "JH TD QD").do("pass pass order_up with_partner JC 9C")
    assert advice(t) == ("9S", "keeps the guard of its left bower: throws off a spade")
    assert why(t, "9H") == "ruffs"
    assert why(t, "QS") == "throws off a spade"


def test_leads_and_last_to_play() -> None:
    hands = {0: "AH KH 9S AS 9D", 1: "9C TC QC KS QS", 2: "AC KC JH TD QD", 3: "JD 9H TH QH JS"}
    t = dealt(hands, "TS", "JC AD KD").do("pass " * 7, "call_H with_partner")
    t.do("TC KC QH")
    assert advice(t) == ("KH", "last to play: wins as cheaply as it can")
    assert why(t, "9S") == "throws off a spade"
    t.do("KH")
    assert advice(t) == ("AS", "cashes the highest spade left, which nobody is known to ruff")
    assert why(t, "AH") == "leads a trump"
    assert why(t, "9D") == "leads a diamond that can be beaten"


def test_a_single_card_that_follows_and_the_last_card() -> None:
    hands = {0: "KD QD TD 9D JC", 1: "JH JD 9C TC 9S", 2: "QC KC TS QS JS", 3: "AH QH TH AC AS"}
    t = dealt(hands, "KH", "AD 9H KS").do("pass pass order_up with_partner 9D")
    assert advice(t) == ("JH", "its partner called: leads trumps to help draw them")
    assert advice(t.do("JH TS TH")) == ("KH", "its only trump: it has to follow suit")
