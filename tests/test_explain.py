"""A game in plain words: why an act is illegal, what is asked, what was done, what came of it."""

import random

import pytest

from euchre_env.actions import ACTION_TEXT, action_id
from euchre_env.explain import (
    card_name,
    consequence,
    legal_ids,
    question,
    result,
    tell,
    why_illegal,
)
from euchre_env.ruleset import Ruleset
from euchre_env.testing import random_ruleset
from tests.table import (
    CLUB_UP,
    ROUND_TWO,
    SPREAD,
    Table,
    copy,
    dealt,
    hidden_from,
    random_deck,
    random_walk,
)

NOT_IN_HAND = "is not in your hand."


def why(table: Table, word: str) -> str:
    return why_illegal(table.s, table.r, action_id(word))


# --- why not -----------------------------------------------------------------------------------


@pytest.mark.parametrize("block", range(3))
def test_every_illegal_act_has_a_reason_and_no_legal_one_has(block: int) -> None:
    rng = random.Random(block)
    for k in range(28):
        ruleset = random_ruleset(rng, variants=k >= 20)
        deck = random_deck(rng, ruleset.joker, ruleset.joker_upcard == "redraw")
        for t in random_walk(Table.dealt(ruleset, deck, rng.randrange(ruleset.players)), rng):
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


# --- games without partners --------------------------------------------------------------------


def opened(rules: str, deck: str, dealer: int, history: str = "") -> Table:
    """A game as a command line names it, after what has happened."""
    return Table.dealt(Ruleset.parse(rules), deck.split(), dealer).do(history)


def told(t: Table, words: str) -> list[tuple[str, str]]:
    """Acts in words, with what each brought about."""
    lines = []
    for word in words.split():
        before, text = copy(t.s), tell(t.s, action_id(word), r=t.r)
        lines.append((text, consequence(before, t.do(word).s, t.r)))
    return lines


def test_three_players_and_a_dummy_in_words() -> None:
    t = opened("three_hand", SPREAD, 1, "pass pass order_up TC")
    assert question(t.s, t.r) == "Hearts: take the dummy, or leave it and play alone?"
    assert told(t, "with_partner") == [("East takes the dummy", "")]
    assert question(t.s, t.r) == "You took the dummy: lay 3 cards away."
    assert why(t, "QS") == f"The QS {NOT_IN_HAND}"
    assert why(t, "keep") == f'"keep" is no answer now. {question(t.s, t.r)}'
    assert tell(t.s, action_id("9C"), viewer=1, r=t.r) == "East lays away the 9C"
    assert tell(t.s, action_id("9C"), viewer=2, r=t.r) == "East lays away a card"
    assert told(t, "9C KS")[1] == ("East lays away the KS", "")
    assert question(t.s, t.r) == "You took the dummy: lay 1 card away."
    lines = told(t, "JC 9S JS 9H AC JD KD 9D AD TH KH TS JH AS AH QS")
    assert lines[1:4] == [
        ("South leads 9S", ""),
        ("North plays JS", ""),
        ("East plays 9H", "East takes the trick"),
    ]
    assert lines[-1] == ("South plays QS", "East takes the trick; East makes 1 point: 3 tricks")


def test_who_leaves_the_dummy_and_is_euchred() -> None:
    t = opened("three_hand", SPREAD, 1, "pass pass order_up TC")
    assert told(t, "alone") == [("East leaves the dummy and plays alone", "")]
    lines = told(t, "JD JH 9H AS KS 9S KD AC 9D AD TH QS KH TS JS")
    assert lines[-1] == (
        "North plays JS",
        "East takes the trick; North and South make 4 points each: a lone hand euchred",
    )


def test_a_dead_dummy_is_not_asked_about() -> None:
    t = opened("three_hand,dummy_exchange=false", SPREAD, 1, "pass pass order_up TC")
    assert question(t.s, t.r) == "Hearts: play alone, or not?"
    assert tell(t.s, action_id("with_partner"), r=t.r) == "East does not play alone"
    assert tell(t.s, action_id("alone"), r=t.r) == "East plays alone"


def test_a_dummy_that_has_to_be_taken() -> None:
    t = opened("two_hand,two_hand_dummy=maker", SPREAD, 0, "pass order_up")
    assert told(t, "JS") == [("North lays away the JS", "North takes the dummy")]
    assert question(t.s, t.r) == "You took the dummy: lay 2 cards away."
    t = opened("cutthroat,widow_exchange=true", SPREAD, 1, "pass pass pass pass")
    assert told(t, "call_D") == [("North calls diamonds", "North takes the spare hand")]
    assert question(t.s, t.r) == "You took the spare hand: lay 5 cards away."


def test_staying_in_and_dropping_out() -> None:
    t = opened("dirty_clubs", ROUND_TWO, 2, "pass pass pass pass pass pass call_C")
    assert question(t.s, t.r) == "Clubs, called by East: stay in, or drop out?"
    assert why(t, "alone") == f'"alone" is no answer now. {question(t.s, t.r)}'
    assert told(t, "keep keep pass") == [
        ("South stays in", ""),
        ("West stays in", ""),
        ("North drops out", ""),
    ]
    lines = told(t, "AH QC JD JC 9C TC JS QD KC AC KD TH TD AD QH")
    assert lines[0] == ("West leads AH", "")
    assert lines[-1] == (
        "West plays QH",
        "South takes the trick; scores: North 0 (dropped out), East -4, South -1, West +5 (set)",
    )


def test_dropping_out_may_cost_and_may_end_the_hand() -> None:
    rules = "dirty_clubs,points_drop_out=2"
    t = opened(rules, ROUND_TWO, 2, "pass pass pass pass pass pass call_C")
    assert question(t.s, t.r).endswith("or drop out? Dropping out costs 2 points.")
    assert told(t, "pass pass pass")[-1] == (
        "North drops out",
        "scores: North +2 (dropped out), East -5, South +2 (dropped out), West +2 (dropped out)",
    )


def test_a_club_turned_up_is_told_with_what_is_laid_away_for_it() -> None:
    t = opened("dirty_clubs", CLUB_UP, 2)
    assert t.at == ("discard", 2)
    text = "South takes the 9C, which makes clubs trump, and lays away "
    assert tell(t.s, action_id("KS"), r=t.r) == f"{text}the KS"
    assert tell(t.s, action_id("KS"), viewer=0, r=t.r) == f"{text}a card"


@pytest.mark.parametrize(
    ("rules", "tricks", "points", "text"),
    [
        ("three_hand", (5, 0, 0), (2, 0, 0), "North makes 2 points: a march"),
        ("three_hand", (2, 3, 0), (0, 2, 2), "East and South make 2 points each: a euchre"),
        ("two_hand", (1, 4), (0, 2), "East makes 2 points: a euchre"),
        ("two_hand,points_make=0", (4, 1), (0, 0), "North makes 0 points: 4 tricks"),
        ("buck", (2, 0, 3, 0), (-5, 0, 3, 0), "scores: North +5 (set), East 0, South -3, West 0"),
    ],
)
def test_results_by_seat(
    rules: str, tricks: tuple[int, ...], points: tuple[int, ...], text: str
) -> None:
    t = opened(rules, SPREAD, 0)
    t.s.maker = 0
    t.s.tricks[: len(tricks)], t.s.points[: len(points)] = tricks, points
    assert result(t.s, t.r) == text
