"""A game in plain words: why an act is illegal, what is asked, what was done, what came of it."""

import random

import pytest

from euchre_env.actions import ACTION_TEXT, action_id
from euchre_env.explain import card_name, consequence, legal_ids, question, tell, why_illegal
from euchre_env.testing import random_ruleset
from tests.table import Table, copy, dealt, hidden_from, random_deck, random_walk

NOT_IN_HAND = "is not in your hand."


def why(table: Table, word: str) -> str:
    return why_illegal(table.s, table.r, action_id(word))


# --- why not -----------------------------------------------------------------------------------


@pytest.mark.parametrize("block", range(3))
def test_every_illegal_act_has_a_reason_and_no_legal_one_has(block: int) -> None:
    rng = random.Random(block)
    for _ in range(25):
        ruleset = random_ruleset(rng)
        deck = random_deck(rng, ruleset.joker, ruleset.joker_upcard == "redraw")
        for t in random_walk(Table.dealt(ruleset, deck, rng.randrange(4)), rng):
            seen = hidden_from(t.s, ruleset, t.turn)
            legal = {action_id(word) for word in t.legal}
            for action in range(len(ACTION_TEXT)):
                told = why_illegal(t.s, t.r, action)
                assert (told == "") == (action in legal), (ruleset, t.at, ACTION_TEXT[action])
                assert told == "" or told[-1] in ".?", told
                assert told == why_illegal(seen, t.r, action), (ruleset, t.at)


def led_to(hand: str, lead: str, **options: object) -> Table:
    """Seat 2 holds a hand; hearts are trump and seat 1 has led."""
    led = f"{lead} 9C TC QC KC"
    t = dealt({1: led, 2: hand}, "9H", "QH KH TH", **options)
    return t.do("pass pass pass order_up with_partner 9H", lead)


def test_the_left_bower_has_to_follow_trump() -> None:
    t = led_to("JD 9S TS QS KS", "AH")
    assert why(t, "9S") == (
        "Follow suit: hearts were led, so play JD. The left bower counts as hearts."
    )


def test_the_left_bower_does_not_follow_its_printed_suit() -> None:
    t = led_to("AH JD TS QS AD", "9D")
    assert why(t, "JD") == (
        "Follow suit: diamonds were led, so play AD. The JD is the left bower and counts as hearts."
    )


def test_a_left_bower_that_was_led_asks_for_trump() -> None:
    t = led_to("AH 9S TS QS AD", "JD")
    assert why(t, "AD") == (
        "Follow suit: hearts were led, so play AH. "
        "The JD that was led is the left bower, one of the hearts."
    )


def test_several_cards_that_would_follow_are_all_named() -> None:
    assert why(led_to("9S TS QS AD KD", "9D"), "9S") == (
        "Follow suit: diamonds were led, so play KD or AD."
    )


def test_a_stuck_dealer_may_not_pass_nor_name_the_suit_turned_down() -> None:
    t = dealt({0: "9H TH 9C TC AD"}, "KH").do("pass " * 7)
    assert why(t, "pass") == "Stick the dealer: everyone has passed, so you have to call."
    assert why(t, "call_H") == "Hearts were turned down: name another suit."
    assert why(t, "call_NT") == "This table plays without no-trump calls here."


def test_a_suit_may_need_a_natural_trump() -> None:
    t = dealt({1: "JD TS 9S TC AD"}, "KH", require_natural_trump="always")
    rule = "this table lets you call a suit only with a card of that suit, bowers aside."
    assert why(t, "order_up") == f"You hold no hearts: {rule}"
    t = dealt({1: "9C TC QC KC AC"}, "KH", require_natural_trump="always").do("pass " * 4)
    assert why(t, "call_S") == f"You hold no spades: {rule}"


def test_the_upcard_may_have_to_be_kept() -> None:
    t = dealt({0: "9C TC QC KC AC"}, "KH", dealer_may_discard_upcard=False)
    t.do("order_up with_partner")
    assert why(t, "KH") == "The KH was turned up, and this table does not let you lay it away."
    assert why(t, "9D") == f"The 9D {NOT_IN_HAND}"


def test_an_act_of_another_phase_is_answered_by_the_question() -> None:
    t = dealt({1: "9C TC QC KC AC"}, "KH")
    assert why(t, "9C") == "The 9C is no answer now. Order up the KH, or pass?"
    assert why(t, "call_S") == '"call S" is no answer now. Order up the KH, or pass?'


def test_a_card_that_is_not_held() -> None:
    assert why(led_to("9S TS QS AD KD", "9D"), "AC") == f"The AC {NOT_IN_HAND}"


@pytest.mark.parametrize("action", [-1, 38])
def test_what_is_no_action_is_told(action: int) -> None:
    t = dealt({}, "KH")
    told = f"{action} is no action: ids run from 0 to 37."
    assert why_illegal(t.s, t.r, action) == told


def test_after_the_hand_nobody_is_to_act() -> None:
    t = dealt({}, "KH").finish()
    assert why(t, "pass") == "The hand is over: nobody is to act."
    assert question(t.s, t.r) == ""
    assert legal_ids(t.s, t.r) == []


# --- questions and names -----------------------------------------------------------------------


def test_questions() -> None:
    t = dealt({1: "9C TC QC KC AC"}, "KH", defend_alone="vs_loner")
    assert question(t.s, t.r) == "Order up the KH, or pass?"
    t.do("pass pass pass")
    assert question(t.s, t.r) == "Pick up the KH, or pass?"
    t.do("order_up")
    assert question(t.s, t.r) == "Hearts: play alone, or with your partner?"
    t.do("alone")
    assert question(t.s, t.r) == "Lay a card away."
    t.do(min(t.legal))
    assert question(t.s, t.r) == "Defend alone, or together with your partner?"
    t.do("defend_together defend_together")
    assert question(t.s, t.r) == "Lead a card."
    t.do("9C")
    assert question(t.s, t.r) == "Play a card to clubs."


def test_questions_of_the_second_round() -> None:
    t = dealt({}, "KH").do("pass " * 4)
    assert question(t.s, t.r) == "Name a trump suit, or pass?"
    assert question(t.do("pass " * 3).s, t.r) == "Name a trump suit. The dealer has to call."


@pytest.mark.parametrize(
    ("card", "trump", "name"),
    [
        ("JD", -1, "jack of diamonds"),
        ("JD", 2, "jack of diamonds, the left bower"),
        ("JH", 2, "jack of hearts, the right bower"),
        ("JS", 2, "jack of spades"),
        ("JH", 4, "jack of hearts"),
        ("JOKER", 2, "joker"),
    ],
)
def test_names_of_cards(card: str, trump: int, name: str) -> None:
    assert card_name(action_id(card), trump) == name


# --- one hand told -----------------------------------------------------------------------------

HAND = [
    ("pass", "East passes", ""),
    ("pass", "South passes", ""),
    ("pass", "West passes", ""),
    ("order_up", "North picks up the QH", ""),
    ("alone", "North plays alone", ""),
    ("9S", "North lays away the 9S", ""),
    ("9C", "East leads 9C", ""),
    ("KC", "West plays KC", ""),
    ("AS", "North plays AS", "West takes the trick"),
    ("JD", "West leads JD", ""),
    ("JH", "North plays JH", ""),
    ("9H", "East plays 9H", "North takes the trick"),
    ("AH", "North leads AH", ""),
    ("TC", "East plays TC", ""),
    ("TH", "West plays TH", "North takes the trick"),
    ("KH", "North leads KH", ""),
    ("QC", "East plays QC", ""),
    ("QD", "West plays QD", "North takes the trick"),
    ("QH", "North leads QH", ""),
    ("AD", "East plays AD", ""),
    ("JC", "West plays JC", None),
]
LAST = "North takes the trick; North and South make 1 point: 4 tricks alone"


def test_one_hand_in_words() -> None:
    t = dealt({0: "JH AH KH AS 9S", 1: "9C TC QC 9H AD", 3: "KC JC JD TH QD"}, "QH")
    for word, text, came in HAND:
        before = copy(t.s)
        assert tell(t.s, action_id(word)) == text
        t.do(word)
        assert consequence(before, t.s) == (LAST if came is None else came)
    assert t.phase == "over"


def test_another_seats_discard_is_not_told() -> None:
    t = dealt({0: "JH AH KH AS 9S"}, "QH").do("pass pass pass order_up alone")
    assert tell(t.s, action_id("9S"), viewer=0) == "North lays away the 9S"
    assert tell(t.s, action_id("9S"), viewer=2) == "North lays away a card"


def test_a_hand_thrown_in_and_an_upcard_turned_down() -> None:
    t = dealt({}, "QH", stick_the_dealer=False).do("pass pass pass")
    before = copy(t.s)
    assert consequence(before, t.do("pass").s) == "the QH is turned down"
    t.do("pass pass pass")
    before = copy(t.s)
    assert consequence(before, t.do("pass").s) == "the hand is thrown in"


def test_a_euchre_in_words() -> None:
    hands = {0: "9C TC 9S TS 9D", 1: "JH JD AH KH AS", 2: "JS QS KS AC KC", 3: "TD QD KD AD QC"}
    t = dealt(hands, "9H").do("pass pass pass order_up with_partner 9D JH")
    while t.phase != "over":
        before = copy(t.s)
        t.do(max(t.legal, key=action_id) if t.turn == 1 else min(t.legal, key=action_id))
    assert consequence(before, t.s).endswith("; East and West make 2 points: a euchre")
