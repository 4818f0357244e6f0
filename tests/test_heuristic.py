"""The hand-written player: faults of public players as literal deals, legality, no leaks, strength.

"Row n" is a line of section 3 of the strategy facts. Hearts are trump and seat 0 deals unless said,
so that seats 1, 2 and 3 are those left of the dealer in turn.
"""

import itertools
import random
from typing import Any

import numpy as np
import pytest

import agents
from agents.base import AgentError
from agents.evaluation import play_match
from agents.evaluation.shares import play_shares
from agents.heuristic import choose, choose_erring, playout
from agents.heuristic.bids import strength
from agents.heuristic.hands import unseen_cards
from euchre_env.actions import action_id, action_text
from euchre_env.cards import card_ids, set_of
from euchre_env.rules import apply, legal
from euchre_env.ruleset import Ruleset
from euchre_env.testing import permute_hidden, random_ruleset
from tests.table import Table, copy, dealt, hidden_from, random_deck, random_walk

NO_SEED = np.uint64(0)


def answer(table: Table) -> str:
    """What the player does, as shown the table by the seat to act."""
    seen = hidden_from(table.s, table.ruleset, table.turn)
    return action_text(int(choose(seen, table.r, NO_SEED)), "trump", seen)


def bid(hand: str, upcard: str, seat: int, score: tuple[int, int] = (0, 0), **options: Any) -> str:
    """The call of one seat in round 1, after passes."""
    t = dealt({seat: hand}, upcard, score=score, **options)
    return answer(t.do("pass " * ((seat - 1) % 4)))


def second_bid(hand: str, upcard: str, seat: int, score: tuple[int, int] = (0, 0)) -> str:
    """The call of one seat in round 2, after passes."""
    t = dealt({seat: hand}, upcard, score=score)
    return answer(t.do("pass " * (4 + (seat - 1) % 4)))


def after_order(hand: str, upcard: str, seat: int, score: tuple[int, int] = (0, 0)) -> str:
    """What a seat says about playing alone after it made the upcard trump."""
    t = dealt({seat: hand}, upcard, score=score)
    return answer(t.do("pass " * ((seat - 1) % 4), "order_up"))


# --- row 1: alone only where a fifth trick is possible -----------------------------------------


@pytest.mark.parametrize("seat", [1, 3])
@pytest.mark.parametrize(
    "hand",
    ["AH KH QH AD AS", "AH KH QH TH AS", "JD AH KH AS AC", "JD AH KH QH TH", "JD AH KH QH AC"],
)
def test_row_1_no_lone_hand_against_the_right_bower(hand: str, seat: int) -> None:
    assert after_order(hand, "JH", seat) == "with_partner"


@pytest.mark.parametrize(("upcard", "hand"), [("AH", "KH QH TH 9H AS"), ("KH", "QH TH 9H AC AS")])
def test_row_1_no_lone_hand_under_an_upcard_that_tops_it(upcard: str, hand: str) -> None:
    assert after_order(hand, upcard, 1) == "with_partner"


@pytest.mark.parametrize("seat", [0, 2])
def test_row_1_where_the_upcard_is_no_threat_it_goes_alone(seat: int) -> None:
    assert after_order("JH JD AH KH AS", "QH", seat) == "alone"


# --- rows 2 and 3: hands to call ---------------------------------------------------------------


@pytest.mark.parametrize("upcard", ["9H", "TH", "QH"])
@pytest.mark.parametrize("seat", range(4))
def test_row_2_right_ace_king_is_a_bid(seat: int, upcard: str) -> None:
    assert bid("JH AH KH 9C 9S", upcard, seat) == "order_up"


@pytest.mark.parametrize("upcard", ["9H", "TH", "QH", "KH", "AH", "JH"])
def test_row_2_seat_1_calls_next_with_right_king_ten(upcard: str) -> None:
    assert second_bid("JD KD TD 9C 9S", upcard, 1) == "call_D"


def test_row_3_both_bowers_and_nothing_else() -> None:
    assert bid("JH JD 9C 9S TC", "9H", 2) == "order_up"
    assert bid("JH JD 9C 9S TC", "9H", 1) == "pass"
    assert second_bid("JH JD 9C 9S TC", "9H", 1) == "call_D"


# --- row 4: the guarded left bower -------------------------------------------------------------


def clubs_led_through(hand: str, kitty: str) -> Table:
    """Seat 3 called and its partner leads a club through seat 2, who has none."""
    hands = {0: "KS AS JS JC KD", 1: "9C TC QC KC 9D", 2: hand, 3: "AH KH AC QH AD"}
    return dealt(hands, "TH", kitty).do("pass pass order_up with_partner JC 9C")


def test_row_4_the_guard_of_the_left_is_not_spent_on_a_ruff() -> None:
    assert answer(clubs_led_through("JD 9H 9S TS QS", "JH TD QD")) == "9S"


def test_row_4_with_the_right_bower_too_it_ruffs() -> None:
    assert answer(clubs_led_through("JD JH 9S TS QS", "9H TD QD")) == "JD"


def test_row_4_in_third_seat_the_guard_is_not_spent_either() -> None:
    hands = {0: "AH KH AD JC AS", 1: "9C TC QC KS 9D", 2: "AC KC 9S TD QD", 3: "JD 9H TS QS JS"}
    t = dealt(hands, "QH", "JH TH KD").do("pass pass pass order_up with_partner JC 9C AC")
    assert answer(t) in {"TS", "QS", "JS", "JD"}


def test_row_4_after_a_trick_the_guard_may_ruff() -> None:
    hands = {0: "AS KS JS JC AD", 1: "9C TC QC 9D TH", 2: "JD 9H 9S TD QS", 3: "AH KH TS KC JH"}
    t = dealt(hands, "QH", "AC KD QD").do("pass pass order_up with_partner JC")
    t.do("9D TD KC AD", "AS TH 9S TS")
    assert (t.at, t.tricks) == (("play", 1), [1, 1])
    assert answer(t.do("9C")) == "9H"


# --- rows 5 to 8: leads and ducks --------------------------------------------------------------


def test_row_5_partner_called_the_left_follows_the_right() -> None:
    hands = {0: "KD QD TD 9D JC", 1: "JH JD 9C TC 9S", 2: "QC KC TS QS JS", 3: "AH QH TH AC AS"}
    t = dealt(hands, "KH", "AD 9H KS").do("pass pass order_up with_partner 9D")
    assert answer(t) == "JH"
    assert answer(t.do("JH TS TH KH")) == "JD"


def test_row_6_the_caller_leads_the_higher_of_its_last_two_trumps() -> None:
    hands = {0: "AH AS 9C 9D KD", 1: "AC AD QS TH JC", 2: "QC QD 9S KC TD", 3: "TC TS JS KS QH"}
    t = dealt(hands, "9H", "JD JH KH").do("pass pass pass order_up with_partner KD")
    t.do("AC QC TC 9C", "AD TD JS 9D", "QS 9S KS AS")
    assert (t.at, t.tricks, t.hand(0)) == (("play", 0), [1, 2], {"AH", "9H"})
    assert answer(t) == "AH"


def test_row_7_second_hand_does_not_burn_the_boss_trump() -> None:
    hands = {0: "KS TS JC KC JS", 1: "TD AS AC 9C TH", 2: "AD QS TC JH QD", 3: "9D 9S QC AH KH"}
    t = dealt(hands, "9H", "JD QH KD").do("pass pass order_up with_partner JS")
    t.do("TD AD 9D KS", "QS 9S TS AS", "AC TC QC JC", "9C")
    assert (t.at, t.tricks, t.hand(2)) == (("play", 2), [1, 2], {"JH", "QD"})
    assert answer(t) == "QD"


def test_row_8_a_lone_hand_leads_the_boss_trump_before_the_loser() -> None:
    hands = {0: "JH AH KH AS 9S", 1: "9C TC QC 9H AD", 3: "KC JC JD TH QD"}
    t = dealt(hands, "QH").do("pass pass pass order_up alone AS")
    t.do("9C KC QH", "JH 9H JD", "AH TC TH")
    assert (t.at, t.hand(0)) == (("play", 0), {"KH", "9S"})
    assert answer(t) == "KH"


# --- row 9: alone and the score ----------------------------------------------------------------

LONE = "JH JD AH KH AS"


@pytest.mark.parametrize("others", range(10))
@pytest.mark.parametrize("own", [8, 9])
def test_row_9_alone_adds_nothing_near_the_end(own: int, others: int) -> None:
    assert after_order(LONE, "QH", 0, (own, others)) == "with_partner"


@pytest.mark.parametrize("own", range(8))
def test_row_9_before_that_a_sure_lone_hand_is_played_alone(own: int) -> None:
    assert after_order(LONE, "QH", 0, (own, 0)) == "alone"


# --- row 10: last to play ----------------------------------------------------------------------

LAST = {1: "9C TC QC KS QS", 2: "AC KC JH TD QD", 3: "JC 9H TH QH JS"}


def last_to_play(hand: str, *trick: str) -> str:
    t = dealt({0: hand, **LAST}, "TS", "JD AD KD" if "AH" in hand else "")
    t.do("pass " * 7, "call_H with_partner", *trick)
    assert t.at == ("play", 0)
    return answer(t)


def test_row_10_partner_wins_the_lowest_side_card_goes() -> None:
    assert last_to_play("AH KH 9S AS 9D", "9C AC JC") in {"9S", "9D"}
    assert last_to_play("AH KH AS 9S 9D", "QS JH JS") == "9S"


def test_row_10_partner_wins_a_trump_trick_the_lowest_trump_goes() -> None:
    hands = {0: "AH KH 9S AS 9D", 1: "TH TC QC KS QS", 2: "AC KC JH TD QD", 3: "JC 9H 9C QH JS"}
    t = dealt(hands, "TS", "JD AD KD").do("pass " * 7, "call_H with_partner")
    assert answer(t.do("TH JH 9H")) == "KH"


def test_last_to_play_wins_as_cheaply_as_possible() -> None:
    hands = {0: "AH KH 9S AS 9D", 1: "9C TC QC KS QS", 2: "AC KC JH TD QD", 3: "JD 9H TH QH JS"}
    t = dealt(hands, "TS", "JC AD KD").do("pass " * 7, "call_H with_partner")
    assert answer(t.do("TC KC QH")) == "KH"


# --- row 11: stuck -----------------------------------------------------------------------------


@pytest.mark.parametrize("hand", ["9C TC 9D TD 9S", "9C TC 9D 9S TS", "9H TH 9C 9D 9S"])
@pytest.mark.parametrize("no_trump", ["off", "round2", "stuck_dealer"])
def test_row_11_a_stuck_dealer_calls_whatever_it_holds(hand: str, no_trump: str) -> None:
    t = dealt({0: hand}, "KH", no_trump=no_trump).do("pass " * 7)
    assert answer(t) in t.legal
    assert answer(t).startswith("call_")


# --- rows 12 to 14: what is known, and what must not look alike --------------------------------


def unseen(t: Table, seat: int) -> set[str]:
    seen = hidden_from(t.s, t.ruleset, seat)
    seen.turn = seat
    return t.texts(unseen_cards(seen, t.r))


def test_row_12_what_another_seat_may_hold() -> None:
    hands = {0: "AH KH AS 9C 9D", 1: "9S TS JS QS KS"}
    ordered = dealt(hands, "QH").do("pass pass pass order_up with_partner 9C")
    assert "9C" not in unseen(ordered, 0)
    assert {"9C", "QH"} <= unseen(ordered, 1)
    turned_down = dealt(hands, "QH").do("pass pass pass pass call_S with_partner")
    assert "QH" not in unseen(turned_down, 1)


def relabelled(hand: str, suits: str) -> list[int]:
    """The cards with their suits C D H S renamed to ``suits``."""
    return [6 * "CDHS".index(suits[i // 6]) + i % 6 for i in card_ids(hand)]


SYMMETRIES = [
    "".join(p)
    for p in itertools.permutations("CDHS")
    if {frozenset((p[0], p[3])), frozenset((p[1], p[2]))} == {frozenset("CS"), frozenset("DH")}
]


def test_row_13_a_suit_may_be_swapped_only_with_its_colour() -> None:
    def worth(hand: str, suits: str) -> list[int]:
        found = []
        for suit in range(4):
            trump = "CDHS".index(suits[suit])
            cards = set_of(relabelled(hand, suits), trump)
            found += [int(strength(cards, trump, k, 2)) for k in range(12)]
        return found

    first, second = "AH KH QH JH JD", "AH KH QH JH JC"
    assert len(SYMMETRIES) == 8
    for hand in (first, second, "9C AD QH JS KS"):
        assert all(worth(hand, suits) == worth(hand, "CDHS") for suits in SYMMETRIES)
    assert worth(first, "CDHS") != worth(second, "CDHS")
    assert worth(first, "HCDS") != worth(first, "CDHS")


def test_row_14_a_discard_and_a_lead_are_told_apart() -> None:
    hands = {0: "JH AH KH AS 9C", 1: "JD QH TH KS TC"}
    t = dealt(hands, "9H").do("pass pass pass order_up with_partner")
    assert (t.at, answer(t)) == (("discard", 0), "9C")
    hands = {1: "JH AH KH AS 9C", 0: "JD QH TH KS TC"}
    t = dealt(hands, "9H").do("order_up with_partner TC")
    assert (t.at, answer(t)) == (("play", 1), "JH")


# --- seat and score ----------------------------------------------------------------------------


def test_the_upcard_helps_the_dealers_side_only() -> None:
    assert bid("JH QH 9C TC AS", "KH", 2) == "order_up"
    assert bid("JH QH 9C TC AS", "KH", 0) == "order_up"
    assert bid("JH QH 9C TC AS", "KH", 1) == "pass"
    assert bid("JH QH 9C TC AS", "KH", 3) == "pass"


def calls(score: tuple[int, int], seat: int, hands: int = 400) -> int:
    """How many of some random deals one seat calls in round 1 at a score."""
    rng = random.Random(5)
    found = 0
    for _ in range(hands):
        t = Table.dealt(Ruleset.stick(), random_deck(rng), 0, score)
        found += answer(t.do("pass " * ((seat - 1) % 4))) == "order_up"
    return found


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_with_the_opponents_one_short_it_calls_more(seat: int) -> None:
    other = (9, 0) if seat & 1 else (0, 9)
    assert calls(other, seat) > calls((0, 0), seat)


def test_donation() -> None:
    hand = "9C TC 9S TS QD"
    assert bid(hand, "JH", 1, (6, 9)) == "order_up"
    assert bid(hand, "JH", 1, (7, 9)) == "order_up"
    assert bid(hand, "JH", 1, (0, 0)) == "pass"
    assert bid(hand, "JH", 1, (9, 9)) == "pass"
    assert bid(hand, "JH", 3, (6, 9)) == "pass"
    assert bid(hand, "JH", 1, (6, 9), allow_alone=False) == "pass"


# --- discards, claims, defence -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "discard"),
    [
        ("JH AH 9C AS KS", "9C"),
        ("JH AH 9C TS KS", "9C"),
        ("JH AH KD AS KS", "KD"),
        ("JH AH KH AC 9S", "9S"),
        ("JH JD AH KH TH", "9H"),
    ],
)
def test_the_dealer_makes_a_void(hand: str, discard: str) -> None:
    t = dealt({0: hand}, "9H").do("pass pass pass order_up with_partner")
    assert answer(t) == discard


def test_a_weak_hand_is_claimed_unless_it_is_worth_a_call() -> None:
    options = {"weak_hand": "throw_in", "weak_hand_test": "three_low"}
    assert answer(dealt({1: "9C TC 9S QS QD"}, "KH", **options)) == "claim"
    assert answer(dealt({1: "9C JC TC JS TS"}, "KH", **options)) == "keep"


def test_three_safe_tricks_defend_alone() -> None:
    options = {"defend_alone": "vs_loner"}
    strong, weak = "JH JD AH AS 9C", "9H TH QC KS JC"
    for hand, word in ((strong, "defend_alone"), (weak, "defend_together")):
        t = dealt({1: hand}, "KH", **options).do("pass pass pass order_up alone")
        t.do(sorted(t.legal)[0])
        assert (t.at, answer(t)) == (("defend", 1), word)


# --- every rule set ----------------------------------------------------------------------------


@pytest.mark.parametrize("block", range(4))
def test_legal_and_blind_to_hidden_cards_under_every_rule_set(block: int) -> None:
    rng = random.Random(block)
    for _ in range(150):
        ruleset = random_ruleset(rng)
        deck = random_deck(rng, ruleset.joker, ruleset.joker_upcard == "redraw")
        score = (rng.randrange(ruleset.target_score or 1), rng.randrange(ruleset.target_score or 1))
        for t in random_walk(Table.dealt(ruleset, deck, rng.randrange(4), score), rng):
            if t.phase == "over":
                continue
            full = int(choose(t.s, t.r, NO_SEED))
            assert int(legal(t.s, t.r)) >> full & 1, (ruleset, t.at)
            assert full == int(choose(hidden_from(t.s, ruleset, t.turn), t.r, NO_SEED))
            other = permute_hidden(t.s, t.r, t.turn, rng)
            assert full == int(choose(other, t.r, NO_SEED)), (ruleset, t.at)


def test_it_never_reneges() -> None:
    rng = random.Random(8)
    ruleset = Ruleset(renege="penalised")
    for _ in range(100):
        t = Table.dealt(ruleset, random_deck(rng), rng.randrange(4))
        playout(t.s, t.r, NO_SEED)
        assert t.phase == "over"
        assert t.s.offender == -1


def test_a_playout_is_the_choices_one_by_one() -> None:
    rng = random.Random(9)
    for _ in range(40):
        t = Table.dealt(Ruleset.stick(), random_deck(rng), rng.randrange(4))
        other, decisions = copy(t.s), 0
        while t.phase != "over":
            apply(t.s, t.r, int(choose(t.s, t.r, NO_SEED)))
            decisions += 1
        assert playout(other, t.r, NO_SEED) == decisions
        assert other.points.tolist() == t.s.points.tolist()


# --- levels and strength -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["heuristic", "heuristic:easy", "heuristic:medium"])
def test_the_levels_exist(name: str) -> None:
    agent = agents.make(name)
    assert (agent.name, agent.oracle) == (name, False)


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(AgentError, match="'heuristic:hard': the level is one of easy, medium"):
        agents.make("heuristic:hard")


def test_mistakes_are_legal_and_follow_the_seed() -> None:
    rng = random.Random(10)
    t = Table.dealt(Ruleset.stick(), random_deck(rng), 0)
    seeds = [np.uint64(k) for k in range(200)]
    found = [int(choose_erring(t.s, t.r, seed, 50)) for seed in seeds]
    assert found == [int(choose_erring(t.s, t.r, seed, 50)) for seed in seeds]
    assert set(found) == {action_id(word) for word in t.legal}


@pytest.mark.parametrize(
    ("better", "worse", "margin"),
    [
        ("heuristic", "greedy", 0.05),
        ("heuristic", "heuristic:medium", 0.02),
        ("heuristic:medium", "heuristic:easy", 0.05),
        ("heuristic:easy", "random", 0.3),
    ],
)
def test_strength(better: str, worse: str, margin: float) -> None:
    result = play_match(better, worse, 8000, "stick", seed=3)
    assert result.points_per_hand - result.ci95 > margin


def test_shares_lie_near_the_reference() -> None:
    shares = play_shares("heuristic", 8000, "stick", seed=3)
    assert 0.14 < shares.outcomes["euchred"] < 0.22
    assert 0.58 < shares.outcomes["made"] < 0.68
    assert 0.04 < shares.outcomes["lone_march"] < 0.11
    assert 0.34 < shares.round_1["dealer"] < 0.47
    assert 0.17 < shares.round_1["2"] < 0.36
    assert 0.11 < shares.round_2["1"] < 0.23
    assert (shares.next["1"] or 0) > (shares.next["2"] or 1)
