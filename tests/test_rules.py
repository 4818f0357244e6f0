"""The rules against answers written out by hand: bidding, lone hands, play and every option.

Unless a test says otherwise seat 0 deals and KH is turned up. The hands of ``DEAL``:

* seat 0 (dealer) 9H TH AC 9C 9S
* seat 1          JH JD AH QH AD
* seat 2          TC JC QC KC TS
* seat 3          JS QS KS AS 9D
* kitty           TD QD KD
"""

from collections import Counter

import numpy as np
import pytest

from euchre_env import cards, kernels, rules
from euchre_env.ruleset import Ruleset
from tests.table import Table, fields, hidden_from, seats

DEAL = {
    0: "9H TH AC 9C 9S",
    1: "JH JD AH QH AD",
    2: "TC JC QC KC TS",
    3: "JS QS KS AS 9D",
}
KITTY = "TD QD KD"
FOUR_PASSES = "pass pass pass pass"
CALLS = {"call_C", "call_D", "call_S"}


def deal(**options) -> Table:
    return Table("KH", 0, DEAL, KITTY, **options)


# --- the default game --------------------------------------------------------------------------


def test_a_deal_opens_the_bidding_left_of_the_dealer() -> None:
    t = deal()
    assert t.at == ("bid1", 1)
    assert t.legal == {"pass", "order_up"}
    assert [t.hand(seat) for seat in range(4)] == [set(DEAL[seat].split()) for seat in range(4)]
    assert t.texts(t.s.kitty) == {"TD", "QD", "KD"}
    assert t.texts(t.s.upcard) == {"KH"}
    assert t.place == "face_up"
    assert (t.s.trump, t.s.maker, t.s.passes) == (-1, -1, 0)


def test_the_first_round_goes_clockwise_and_ends_with_the_dealer() -> None:
    t = deal()
    for seat in (2, 3, 0):
        t.do("pass")
        assert t.at == ("bid1", seat)
        assert t.legal == {"pass", "order_up"}
    t.do("pass")
    assert t.at == ("bid2", 1)
    assert t.place == "turned_down"
    assert t.legal == CALLS | {"pass"}


def test_the_second_round_goes_clockwise_and_eight_passes_throw_in() -> None:
    t = deal().do(FOUR_PASSES)
    for seat in (2, 3, 0):
        t.do("pass")
        assert t.at == ("bid2", seat)
        assert t.legal == CALLS | {"pass"}
    t.do("pass")
    assert t.at == ("over", -1)
    assert t.legal == set()
    assert (t.s.thrown_in, t.s.next_dealer, t.points, t.score) == (1, 1, (0, 0), (0, 0))
    assert t.s.hands == 0
    assert rules.reward(t.s, 0) == 0


@pytest.mark.parametrize("dealer", range(4))
def test_the_actor_follows_from_the_dealer(dealer: int) -> None:
    t = Table("9C", dealer)
    seats = []
    for _ in range(8):
        seats.append(t.turn)
        t.do("pass")
    expected = {0: [1, 2, 3, 0], 1: [2, 3, 0, 1], 2: [3, 0, 1, 2], 3: [0, 1, 2, 3]}[dealer]
    assert seats == expected + expected
    assert t.s.next_dealer == {0: 1, 1: 2, 2: 3, 3: 0}[dealer]


@pytest.mark.parametrize(
    ("upcard", "calls"),
    [
        ("9C", {"call_D", "call_H", "call_S"}),
        ("JD", {"call_C", "call_H", "call_S"}),
        ("AH", {"call_C", "call_D", "call_S"}),
        ("TS", {"call_C", "call_D", "call_H"}),
    ],
)
def test_the_turned_down_suit_cannot_be_named(upcard: str, calls: set[str]) -> None:
    assert Table(upcard).do(FOUR_PASSES).legal == calls | {"pass"}


def test_ordering_up_goes_to_alone_then_to_the_dealers_discard() -> None:
    t = deal().do("pass order_up")
    assert t.at == ("loner", 2)
    assert t.legal == {"alone", "with_partner"}
    assert (t.s.trump, t.s.maker) == (2, 2)
    t.do("with_partner")
    assert t.at == ("discard", 0)
    assert t.legal == {"9H", "TH", "AC", "9C", "9S", "KH"}
    t.do("9S")
    assert t.at == ("play", 1)
    assert t.hand(0) == {"9H", "TH", "AC", "9C", "KH"}
    assert t.texts(t.s.discard) == {"9S"}
    assert (t.place, t.s.taker) == ("taken_or_buried", 0)


def test_the_dealer_may_bury_the_upcard() -> None:
    t = deal().do("order_up with_partner KH")
    assert t.hand(0) == {"9H", "TH", "AC", "9C", "9S"}
    assert t.texts(t.s.discard) == {"KH"}


def test_the_dealer_picks_up_last() -> None:
    t = deal().do("pass pass pass order_up")
    assert t.at == ("loner", 0)
    assert t.do("with_partner").at == ("discard", 0)


def test_a_call_in_round_two_has_no_exchange() -> None:
    t = deal().do(FOUR_PASSES, "pass pass call_S")
    assert t.at == ("loner", 3)
    t.do("with_partner")
    assert t.at == ("play", 1)
    assert (t.s.trump, t.s.maker, t.place) == (3, 3, "turned_down")
    assert t.hand(0) == set(DEAL[0].split())
    assert t.texts(t.s.kitty) == {"TD", "QD", "KD"}


def test_order_up_without_a_card_of_the_suit() -> None:
    assert "order_up" in deal().do("pass").legal  # seat 2 has no heart


def test_next_may_be_called_without_its_left_bower() -> None:
    t = Table("JH", 0, {1: "9D TD QD KD AD"}).do(FOUR_PASSES, "call_D with_partner")
    out = np.zeros(25, np.int64)
    n = rules.suit_order(1, 1, False, out)
    # The jack of hearts lies turned down, but would be the left bower.
    assert [cards.card_text(c) for c in out[:n]] == ["JD", "JH", "AD", "KD", "QD", "TD", "9D"]
    assert t.sees(1)["JH"] == "turned_down"


def test_a_whole_hand() -> None:
    """Hearts, seat 1 calls: three tricks by hand, then a fourth and fifth for the dealer's side."""
    t = deal().do("order_up with_partner 9S")
    assert t.legal == {"JH", "JD", "AH", "QH", "AD"}
    t.do("JH")
    assert t.at == ("play", 2)
    assert t.legal == {"TC", "JC", "QC", "KC", "TS"}  # void in hearts
    t.do("TS")
    assert t.legal == {"JS", "QS", "KS", "AS", "9D"}
    t.do("9D")
    assert t.legal == {"9H", "TH", "KH"}  # the dealer must follow
    t.do("9H")
    assert t.at == ("play", 1)
    assert t.tricks == [0, 1]
    t.do("JD")  # the left bower leads hearts
    t.do("TC JS")
    assert t.legal == {"TH", "KH"}
    t.do("TH")
    assert t.at == ("play", 1)
    t.do("AD JC QS")  # diamonds: nobody has one left but the kitty
    assert t.legal == {"KH", "AC", "9C"}
    t.do("KH")  # a ruff
    assert t.at == ("play", 0)
    t.do("AC")
    assert t.legal == {"AH", "QH"}  # seat 1 has no club
    t.do("QH QC KS")
    assert t.at == ("play", 1)
    t.do("AH KC AS 9C")
    assert t.at == ("over", -1)
    assert t.tricks == [1, 4]
    assert (t.points, t.score, t.s.next_dealer) == ((0, 1), (0, 1), 1)
    assert [rules.reward(t.s, seat) for seat in range(4)] == [-1, 1, -1, 1]
    assert [rules.seat_reward(t.s, t.r, seat) for seat in range(4)] == [-1, 1, -1, 1]
    assert t.s.leader.tolist() == [1, 1, 1, 0, 1]


def test_a_new_trick_has_no_card_and_no_suit() -> None:
    t = deal().do("order_up with_partner 9S")
    assert (t.s.count, t.s.led, t.s.best) == (0, 0, 0)
    t.do("JH TS 9D 9H")
    assert (t.s.count, t.s.led, t.s.best) == (0, 0, 0)


def test_the_joker_is_of_no_suit_without_a_trump() -> None:
    assert rules.effective_suit(cards.JOKER, cards.NO_TRUMP) == rules.NOBODY
    assert rules.effective_suit(cards.JOKER, 2) == 2


def test_left_bower_is_trump_from_the_call_on() -> None:
    t = Table("KH", 0, {1: "9D TC JC QC KC", 2: "JD AD 9C 9S TS"}).do("order_up with_partner KH 9D")
    assert t.at == ("play", 2)
    assert t.legal == {"AD"}  # the jack of diamonds is a heart


@pytest.mark.parametrize(
    ("trump", "hand", "led", "legal"),
    [
        ("H", "JD KD AC 9H", "TD", "KD"),
        ("H", "JD AC 9S", "TD", "JD AC 9S"),
        ("H", "JD KD AC", "TH", "JD"),
        ("S", "JC 9S AC", "9C", "AC"),
        ("S", "JC 9S AC", "JS", "JC 9S"),
        ("S", "JH JD AS", "9H", "JH"),
        ("C", "JS AS 9D", "JC", "JS"),
        ("C", "JS AS 9D", "KS", "AS"),
        ("C", "JS AS 9D", "QH", "JS AS 9D"),
        ("D", "JH 9H 9C", "JOKER", "JH"),
        ("D", "JOKER 9C KD", "AC", "9C"),
        ("D", "JOKER 9C KH", "AD", "JOKER"),
        ("NT", "JD JH AS", "TD", "JD"),
        ("NT", "JC 9H", "QS", "JC 9H"),
    ],
)
def test_follow_suit(trump: str, hand: str, led: str, legal: str) -> None:
    frame = 4 if trump == "NT" else "CDHS".index(trump)
    suit = int(cards.SUIT_OF_BIT[frame, cards.BIT_OF[frame, cards.card_id(led)]])
    allowed = rules.follows(cards.set_of(cards.card_ids(hand), frame), suit)
    assert {cards.card_text(c) for c in cards.cards_of(allowed, frame)} == set(legal.split())


@pytest.mark.parametrize(
    ("trump", "trick", "winner"),
    [
        ("H", "AD JD TD 9D", 1),
        ("H", "JD 9H AH JH", 3),
        ("S", "KC AC JC 9S", 2),
        ("S", "JH QH AH TH", 2),
        ("C", "QH AD 9H KH", 3),
        ("S", "QD AC TD AH", 0),
        ("D", "AS 9D TD KS", 2),
        ("H", "KC 9H AC TC", 1),
        ("D", "JD JOKER JH AD", 1),
        ("C", "JD TD 9D QD", 3),
        ("S", "JS JC AS KS", 0),
        ("NT", "9D AS AH AC", 0),
        ("NT", "9D JD TD QD", 3),
        ("NT", "JC AS JS QC", 3),
        ("H", "9C 9S 9D", 0),
        ("H", "9C 9H", 1),
    ],
)
def test_who_wins_a_trick(trump: str, trick: str, winner: int) -> None:
    frame = 4 if trump == "NT" else "CDHS".index(trump)
    bits = np.array([cards.BIT_OF[frame, c] for c in cards.card_ids(trick)], np.int64)
    assert rules.trick_winner(bits, len(bits), frame) == winner


# --- rounds, dealers, stuck dealers ------------------------------------------------------------


def test_same_dealer_after_a_throw_in() -> None:
    assert deal().do(FOUR_PASSES, FOUR_PASSES).s.next_dealer == 1
    assert deal(throw_in_redealer="same").do(FOUR_PASSES, FOUR_PASSES).s.next_dealer == 0


def test_redealer_does_not_matter_for_a_hand_played() -> None:
    t = deal(throw_in_redealer="same").do("order_up with_partner 9S").finish()
    assert t.s.next_dealer == 1


def test_stick_the_dealer() -> None:
    t = deal(stick_the_dealer=True).do(FOUR_PASSES)
    assert t.legal == CALLS | {"pass"}
    t.do("pass pass pass")
    assert t.at == ("bid2", 0)
    assert t.legal == CALLS
    assert deal().do(FOUR_PASSES, "pass pass pass").legal == CALLS | {"pass"}


def test_stuck_dealer_may_name_the_turned_down_suit() -> None:
    t = deal(stick_the_dealer=True, stuck_dealer_may_name_turned_down=True).do(FOUR_PASSES)
    assert t.legal == CALLS | {"pass"}  # only the stuck dealer may
    t.do("pass pass pass")
    assert t.legal == CALLS | {"call_H"}
    t.do("call_H with_partner")
    assert t.at == ("play", 1)  # no pick-up
    assert (t.place, t.s.trump, t.s.maker) == ("turned_down", 2, 0)
    assert t.hand(0) == set(DEAL[0].split())


def test_no_trump_in_round_two() -> None:
    assert deal(no_trump="round2").legal == {"pass", "order_up"}
    t = deal(no_trump="round2").do(FOUR_PASSES)
    assert t.legal == CALLS | {"pass", "call_NT"}
    t.do("call_NT with_partner")
    assert (t.s.trump, t.s.frame) == (4, 4)
    t.do("JD")  # seat 1 leads a diamond that is no bower; nobody can follow but seat 3
    t.do("TS")
    assert t.legal == {"9D"}
    t.do("9D")
    assert t.legal == {"9H", "TH", "AC", "9C", "9S"}
    t.do("AC")
    assert t.turn == 1  # no card of another suit wins


def test_no_trump_for_a_stuck_dealer_only() -> None:
    t = deal(stick_the_dealer=True, no_trump="stuck_dealer").do(FOUR_PASSES)
    assert t.legal == CALLS | {"pass"}
    assert t.do("pass pass pass").legal == CALLS | {"call_NT"}


def test_no_trump_alone() -> None:
    t = deal(no_trump="round2").do(FOUR_PASSES, "call_NT alone")
    assert t.out == {3}
    assert t.turn == 1


# --- natural trump -----------------------------------------------------------------------------


def test_natural_trump_left_bower_does_not_count() -> None:
    hands = {1: "JD AC KC QC TC", 2: "9H 9C 9S TS QS", 3: "JH AD KD QD TD", 0: "AS KS JS JC 9D"}
    t = Table("KH", 0, hands, require_natural_trump="always")
    assert t.legal == {"pass"}
    assert t.do("pass").legal == {"pass", "order_up"}  # the nine of hearts
    assert t.do("pass").legal == {"pass", "order_up"}  # the right bower
    assert t.do("pass").legal == {"pass"}  # the dealer, without a heart
    t = Table("KH", 0, hands, require_natural_trump="not_dealer").do("pass pass pass")
    assert t.legal == {"pass", "order_up"}
    assert "order_up" in Table("KH", 0, hands).legal


def test_natural_trump_the_joker_does_not_count() -> None:
    hands = {1: "JOKER AC KC QC TC"}
    options = {"require_natural_trump": "always", "joker": True}
    assert Table("KH", 0, hands, **options).legal == {"pass"}


def test_natural_trump_in_round_two() -> None:
    t = deal(require_natural_trump="always").do(FOUR_PASSES)
    assert t.legal == {"pass", "call_D"}  # seat 1 holds hearts and diamonds
    assert t.do("pass").legal == {"pass", "call_C", "call_S"}
    assert t.do("pass").legal == {"pass", "call_D", "call_S"}
    assert t.do("pass").legal == {"pass", "call_C", "call_S"}
    # The dealer's exemption is for the pick-up only.
    t = deal(require_natural_trump="not_dealer").do(FOUR_PASSES, "pass pass pass")
    assert t.legal == {"pass", "call_C", "call_S"}


def test_natural_trump_no_suit_at_all() -> None:
    hands = {1: "9H TH JH QH AH", 0: "9C TC 9D TD 9S"}
    t = Table("KH", 0, hands, require_natural_trump="always").do(FOUR_PASSES)
    assert t.legal == {"pass"}
    t = Table("KH", 0, hands, require_natural_trump="always", no_trump="round2").do(FOUR_PASSES)
    assert t.legal == {"pass", "call_NT"}  # no trump is exempt


def test_natural_trump_is_waived_for_a_stuck_dealer_without_a_suit() -> None:
    hands = {0: "9H TH JH QH AH"}
    options = {"require_natural_trump": "always", "stick_the_dealer": True}
    t = Table("KH", 0, hands, **options).do(FOUR_PASSES, "pass pass pass")
    assert t.legal == CALLS
    t = Table("KH", 0, hands, **options, stuck_dealer_may_name_turned_down=True)
    assert t.do(FOUR_PASSES, "pass pass pass").legal == {"call_H"}
    t = deal(**options).do(FOUR_PASSES, "pass pass pass")  # holds clubs and a spade
    assert t.legal == {"call_C", "call_S"}


# --- alone -------------------------------------------------------------------------------------


def test_alone_with_the_call() -> None:
    t = deal().do("order_up alone")
    assert t.at == ("discard", 0)  # an opponent's loner does not stop the dealer's exchange
    t.do("9S")
    assert (t.out, t.turn, t.s.loner) == ({3}, 1, 1)
    t.do("JH TS")
    assert t.turn == 0  # seat 3 is skipped
    t.do("9H")
    assert t.turn == 1
    assert rules.trick_size(t.s) == 3


def test_dealer_alone_exchanges_and_the_partner_sits_out() -> None:
    t = deal().do("pass pass pass order_up alone")
    assert t.at == ("discard", 0)
    t.do("9S")
    assert (t.out, t.turn) == ({2}, 1)


def test_no_lone_hands() -> None:
    t = deal(allow_alone=False).do("order_up")
    assert t.at == ("discard", 0)
    t.do("9S")
    assert (t.at, t.out) == (("play", 1), set())
    assert deal(allow_alone=False).do(FOUR_PASSES, "call_D").at == ("play", 1)
    assert deal(allow_alone=False, alone_timing="before_lead").do("order_up 9S").at == ("play", 1)


def test_partner_alone_upcard_left_in_kitty() -> None:
    t = deal(partner_alone_upcard="left_in_kitty").do("pass order_up alone")
    assert t.at == ("play", 1)
    assert (t.out, t.place, t.s.taker) == ({0}, "out_of_play", -1)
    assert t.hand(0) == set(DEAL[0].split())
    assert t.s.discard == 0
    assert [t.sees(seat)["KH"] for seat in range(4)] == ["out_of_play"] * 4


def test_partner_alone_upcard_dealer_discards() -> None:
    t = deal(partner_alone_upcard="dealer_discards").do("pass order_up alone")
    assert t.at == ("discard", 0)
    t.do("9S")
    assert (t.at, t.out, t.s.taker) == (("play", 1), {0}, 0)


def test_partner_alone_upcard_loner_takes() -> None:
    t = deal(partner_alone_upcard="loner_takes").do("pass order_up alone")
    assert t.at == ("discard", 2)
    assert t.legal == {"TC", "JC", "QC", "KC", "TS", "KH"}
    t.do("TS")
    assert (t.at, t.out, t.s.taker) == (("play", 1), {0}, 2)
    assert t.hand(2) == {"TC", "JC", "QC", "KC", "KH"}
    assert t.hand(0) == set(DEAL[0].split())
    assert t.texts(t.s.discard) == {"TS"}


@pytest.mark.parametrize("option", ["left_in_kitty", "dealer_discards", "loner_takes"])
@pytest.mark.parametrize("words", ["pass order_up with_partner", "order_up alone"])
def test_partner_alone_upcard_concerns_only_the_dealers_lone_partner(
    option: str, words: str
) -> None:
    assert deal(partner_alone_upcard=option).do(words).at == ("discard", 0)


@pytest.mark.parametrize("option", ["left_in_kitty", "dealer_discards", "loner_takes"])
def test_partner_alone_in_round_two_has_no_upcard(option: str) -> None:
    t = deal(partner_alone_upcard=option).do(FOUR_PASSES, "pass call_C alone")
    assert (t.at, t.out) == (("play", 1), {0})
    assert t.place == "turned_down"


@pytest.mark.parametrize("timing", ["with_call", "before_lead"])
@pytest.mark.parametrize(
    ("option", "at"),
    [
        ("left_in_kitty", ("play", 1)),
        ("dealer_discards", ("discard", 0)),
        ("loner_takes", ("discard", 2)),
    ],
)
def test_canadian_loner_is_alone_at_once(timing: str, option: str, at: tuple[str, int]) -> None:
    t = deal(canadian_loner=True, alone_timing=timing, partner_alone_upcard=option)
    t.do("pass order_up")
    assert t.at == at
    assert t.s.loner == 2
    if t.phase == "discard":
        t.do("TS" if at[1] == 2 else "9S")
    assert (t.at, t.out) == (("play", 1), {0})


def test_canadian_loner_binds_nobody_else() -> None:
    assert deal(canadian_loner=True).do("order_up").at == ("loner", 1)
    assert deal(canadian_loner=True).do("pass pass order_up").at == ("loner", 3)
    assert deal(canadian_loner=True).do("pass pass pass order_up").at == ("loner", 0)
    assert deal(canadian_loner=True).do(FOUR_PASSES, "pass call_C").at == ("loner", 2)


def test_alone_before_the_lead() -> None:
    t = deal(alone_timing="before_lead").do("order_up")
    assert t.at == ("discard", 0)
    t.do("9S")
    assert t.at == ("loner", 1)
    assert t.legal == {"alone", "with_partner"}
    assert t.do("alone").at == ("play", 1)
    assert t.out == {3}
    assert deal(alone_timing="before_lead").do(FOUR_PASSES, "call_D").at == ("loner", 1)


def test_late_alone_by_the_dealers_partner_comes_after_the_discard() -> None:
    t = deal(alone_timing="before_lead").do("pass order_up")
    assert t.at == ("discard", 0)
    t.do("KH")
    assert t.at == ("loner", 2)
    t.do("alone")
    assert (t.out, t.place) == ({0}, "taken_or_buried")


def test_alone_by_either_maker() -> None:
    options = {"alone_timing": "before_lead", "alone_by": "maker_team"}
    t = deal(**options).do("order_up 9S")
    assert t.at == ("loner", 1)
    t.do("with_partner")
    assert t.at == ("loner", 3)
    t.do("alone")
    assert (t.s.maker, t.s.loner, t.out) == (1, 3, {1})
    assert t.at == ("play", 2)  # the dealer's left sits out
    t = deal(**options).do("order_up 9S with_partner with_partner")
    assert (t.at, t.out, t.s.loner) == (("play", 1), set(), -1)
    t = deal(**options).do("order_up 9S alone")
    assert (t.at, t.out, t.s.loner) == (("play", 1), {3}, 1)


def test_who_declined_to_go_alone_is_public() -> None:
    t = deal(alone_timing="before_lead", alone_by="maker_team").do("order_up 9S with_partner")
    assert seats(hidden_from(t.s, t.ruleset, 0).alone_declined) == {1}
    t.do("with_partner")
    assert seats(hidden_from(t.s, t.ruleset, 0).alone_declined) == {1, 3}


def test_only_the_maker_is_asked_by_default() -> None:
    t = deal(alone_timing="before_lead").do("order_up 9S with_partner")
    assert t.at == ("play", 1)


# --- who leads ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lead", "dealer", "loner", "defender", "leader"),
    [
        ("dealer_left", 0, -1, -1, 1),
        ("dealer_left", 3, -1, -1, 0),
        ("dealer_left", 0, 0, -1, 1),
        ("dealer_left", 0, 1, -1, 1),
        ("dealer_left", 0, 2, -1, 1),
        ("dealer_left", 0, 3, -1, 2),  # the dealer's left is out: across from the dealer
        ("dealer_left", 0, 3, 0, 3),  # both next seats are out: the loner leads
        ("dealer_left", 0, 3, 2, 2),
        ("dealer_left", 0, -1, 3, 2),
        ("loner_left", 0, 0, -1, 1),
        ("loner_left", 0, 1, -1, 2),
        ("loner_left", 0, 2, -1, 3),
        ("loner_left", 0, 3, -1, 0),
        ("loner_left", 0, 0, 3, 3),  # skips 1 and 2
        ("loner_left", 0, 1, 0, 0),  # skips 2 and 3
        ("loner_left", 0, -1, 2, 1),  # no effect for a lone defender only
        ("loner_left", 0, -1, -1, 1),
    ],
)
def test_first_leader(lead: str, dealer: int, loner: int, defender: int, leader: int) -> None:
    r = Ruleset(loner_lead=lead).record()[0]
    out = {-1: 0, 0: 0b0100, 1: 0b1000, 2: 0b0001, 3: 0b0010}
    assert rules.seats_out(loner, defender) == out[loner] | out[defender]
    assert rules.first_leader(r, dealer, loner, np.int64(out[loner] | out[defender])) == leader


def test_lone_dealers_right_against_the_lone_dealer() -> None:
    t = deal(defend_alone="vs_loner").do("pass pass order_up alone 9S")
    assert t.at == ("defend", 2)
    t.do("defend_together")
    assert t.at == ("defend", 0)
    t.do("defend_alone")
    assert (t.out, t.turn) == ({1, 2}, 3)
    t.do("JS")
    assert t.turn == 0
    assert rules.trick_size(t.s) == 2


def test_the_lead_comes_from_the_loners_left_even_if_another_called() -> None:
    options = {"alone_timing": "before_lead", "alone_by": "maker_team", "loner_lead": "loner_left"}
    t = deal(**options).do("order_up 9S with_partner alone")
    assert (t.s.maker, t.s.loner, t.turn) == (1, 3, 0)


# --- defending alone ---------------------------------------------------------------------------


def test_defenders_are_asked_from_the_dealers_left() -> None:
    t = deal(defend_alone="any").do("order_up with_partner 9S")
    assert t.at == ("defend", 2)
    assert t.legal == {"defend_alone", "defend_together"}
    t.do("defend_together")
    assert t.at == ("defend", 0)
    assert t.do("defend_together").at == ("play", 1)
    assert t.out == set()
    t = deal(defend_alone="any").do("pass order_up with_partner 9S")
    assert t.at == ("defend", 1)
    assert t.do("defend_together").at == ("defend", 3)
    t.do("defend_alone")
    assert (t.out, t.turn, t.s.lone_defender) == ({1}, 2, 3)


def test_who_declined_to_defend_alone_is_public() -> None:
    t = deal(defend_alone="any").do("order_up with_partner 9S defend_together")
    assert seats(hidden_from(t.s, t.ruleset, 1).defence_declined) == {2}
    t.do("defend_together")
    assert seats(hidden_from(t.s, t.ruleset, 1).defence_declined) == {0, 2}


def test_the_first_lone_defender_ends_the_poll() -> None:
    t = deal(defend_alone="any").do("order_up with_partner 9S defend_alone")
    assert (t.at, t.out) == (("play", 1), {0})


def test_defence_against_a_loner_only() -> None:
    t = deal(defend_alone="vs_loner").do("order_up with_partner 9S")
    assert t.at == ("play", 1)
    t = deal(defend_alone="vs_loner").do("order_up alone 9S")
    assert t.at == ("defend", 2)
    assert deal(defend_alone="off").do("order_up alone 9S").at == ("play", 1)


def test_defence_after_a_late_alone() -> None:
    options = {"defend_alone": "vs_loner", "alone_timing": "before_lead"}
    assert deal(**options).do("order_up 9S alone").at == ("defend", 2)
    assert deal(**options).do("order_up 9S with_partner").at == ("play", 1)
    assert deal(**options).do(FOUR_PASSES, "call_D alone").at == ("defend", 2)


def test_partner_alone_then_the_poll_without_a_discard() -> None:
    t = deal(defend_alone="vs_loner").do("pass order_up alone")
    assert t.at == ("defend", 1)
    t.do("defend_together defend_alone")
    assert (t.out, t.turn) == ({0, 1}, 2)


def test_any_defence_without_lone_makers() -> None:
    t = deal(defend_alone="any", allow_alone=False).do(FOUR_PASSES, "call_D")
    assert t.at == ("defend", 2)


# --- points ------------------------------------------------------------------------------------

USUAL = {(3, 0): (1, 0), (4, 0): (1, 0), (5, 0): (2, 0), (2, 0): (0, 2), (0, 0): (0, 2)}
ALONE = {(3, 1): (1, 0), (4, 1): (1, 0), (5, 1): (4, 0), (2, 1): (0, 2), (0, 1): (0, 2)}


@pytest.mark.parametrize(
    ("options", "table"),
    [
        ({}, USUAL | ALONE),
        ({"points_make": 3}, {(3, 0): (3, 0), (4, 0): (3, 0), (3, 1): (3, 0), (4, 1): (1, 0)}),
        ({"points_march": 7}, {(5, 0): (7, 0), (5, 1): (4, 0), (4, 0): (1, 0)}),
        ({"points_loner_march": 5}, {(5, 1): (5, 0), (5, 0): (2, 0)}),
        ({"points_loner_four": 2}, {(4, 1): (2, 0), (4, 0): (1, 0), (3, 1): (1, 0)}),
        ({"points_euchre": 3}, {(2, 0): (0, 3), (1, 0): (0, 3), (0, 1): (0, 3), (3, 0): (1, 0)}),
        ({"points_loner_euchred": 4}, {(2, 1): (0, 4), (0, 1): (0, 4), (2, 0): (0, 2)}),
        ({"points_loner_euchred": 1}, {(2, 1): (0, 2)}),  # the largest value counts
        ({"points_super_euchre": 4}, {(0, 0): (0, 4), (0, 1): (0, 4), (1, 0): (0, 2)}),
        ({"points_super_euchre": 4, "points_loner_euchred": 3}, {(0, 1): (0, 4), (1, 1): (0, 3)}),
        ({"points_super_euchre": 3, "points_loner_euchred": 4}, {(0, 1): (0, 4), (0, 0): (0, 3)}),
    ],
)
def test_points_of_a_hand(options: dict, table: dict) -> None:
    r = Ruleset(**options).record()[0]
    for (won, alone), points in table.items():
        assert rules.hand_points(r, won, bool(alone), False) == points, (won, alone)


@pytest.mark.parametrize(
    ("options", "won", "alone", "points"),
    [
        ({}, 2, False, (0, 4)),
        ({}, 0, False, (0, 4)),
        ({}, 0, True, (0, 4)),
        ({"defend_alone_points": (2, 4)}, 2, False, (0, 2)),
        ({"defend_alone_points": (2, 4)}, 1, True, (0, 2)),
        ({"defend_alone_points": (2, 4)}, 0, True, (0, 4)),
        ({"defend_alone_points": (1, 1), "points_euchre": 5}, 2, False, (0, 1)),
        ({"defend_alone_points": (1, 3), "points_super_euchre": 9}, 0, False, (0, 3)),
        ({"defend_alone_points": (9, 9)}, 3, False, (1, 0)),
        ({"defend_alone_points": (9, 9)}, 5, False, (2, 0)),
        ({"defend_alone_points": (9, 9)}, 5, True, (4, 0)),
    ],
)
def test_points_against_a_lone_defender(
    options: dict, won: int, alone: bool, points: tuple[int, int]
) -> None:
    r = Ruleset(defend_alone="any", **options).record()[0]
    assert rules.hand_points(r, won, alone, True) == points


def test_lone_march_played_out() -> None:
    hands = {1: "JH JD AH QH TH", 3: "9S TS JS QS KS"}
    t = Table("KH", 0, hands).do("order_up alone KH").finish()
    assert t.tricks == [0, 5]
    assert (t.points, t.score) == ((0, 4), (0, 4))


# --- reneging ----------------------------------------------------------------------------------


def test_a_renege_is_impossible_by_default() -> None:
    assert deal().do("order_up with_partner 9S JH TS 9D").legal == {"9H", "TH", "KH"}


def test_a_renege_may_be_tried_and_is_punished_at_once() -> None:
    t = deal(renege="penalised").do("order_up with_partner 9S JH TS 9D")
    assert t.legal == {"9H", "TH", "KH", "AC", "9C"}
    t.do("AC")
    assert t.at == ("over", -1)
    assert (t.s.offender, t.points, t.score) == (0, (0, 2), (0, 2))
    assert (t.s.next_dealer, t.s.thrown_in, t.s.hands) == (1, 0, 1)


def test_a_card_that_cannot_follow_is_no_renege() -> None:
    t = deal(renege="penalised").do("order_up with_partner 9S JH TS 9D 9H")
    assert (t.at, t.s.offender) == (("play", 1), -1)


def test_leading_is_never_a_renege() -> None:
    t = deal(renege="penalised").do("order_up with_partner 9S")
    assert t.legal == {"JH", "JD", "AH", "QH", "AD"}
    assert t.do("AD").at == ("play", 2)


def test_the_left_bower_on_its_printed_suit_is_a_renege() -> None:
    hands = {1: "9D TC JC QC KC", 2: "JD AD 9C 9S TS"}
    t = Table("KH", 0, hands, renege="penalised").do("order_up with_partner KH 9D JD")
    assert (t.phase, t.s.offender, t.points) == ("over", 2, (0, 2))


@pytest.mark.parametrize(
    ("maker", "loner", "offender", "options", "points"),
    [
        (0, -1, 1, {}, (2, 0)),
        (0, -1, 2, {}, (0, 2)),
        (0, -1, 1, {"renege_points": 3}, (3, 0)),
        (0, 0, 1, {"renege_points_vs_loner": 4}, (4, 0)),
        (0, 0, 0, {"renege_points_vs_loner": 4}, (0, 2)),  # the loner itself
        (0, -1, 3, {"renege_points_vs_loner": 4}, (2, 0)),  # no loner
        (1, 3, 2, {"renege_points_vs_loner": 4}, (0, 4)),
        (0, -1, 1, {"renege_mode": "deduct"}, (0, -2)),
        (0, -1, 0, {"renege_mode": "deduct"}, (-2, 0)),
        (0, 0, 3, {"renege_mode": "deduct", "renege_points_vs_loner": 4}, (0, -4)),
    ],
)
def test_renege_points(
    maker: int, loner: int, offender: int, options: dict, points: tuple[int, int]
) -> None:
    r = Ruleset(renege="penalised", **options).record()[0]
    assert rules.renege_points(r, maker, loner, offender) == points


def test_a_deducted_renege_may_take_the_score_below_zero() -> None:
    t = deal(renege="penalised", renege_mode="deduct").do("order_up with_partner 9S JH TS 9D AC")
    assert (t.points, t.score) == ((-2, 0), (-2, 0))
    assert [rules.reward(t.s, seat) for seat in range(4)] == [-2, 2, -2, 2]


# --- weak hands --------------------------------------------------------------------------------

WEAK = {1: "9C TC 9D KC KD", 3: "TD 9H TH KH KS"}  # two hands with three low cards


@pytest.mark.parametrize(
    ("test", "hand", "upcard", "qualifies"),
    [
        ("no_ace_no_face", "9C TC 9D TD 9H", "AC", True),
        ("no_ace_no_face", "9C TC 9D TD JH", "AC", False),
        ("no_ace_no_face", "9C TC 9D TD AH", "AC", False),
        ("ace_no_face", "9C TC 9D TD AH", "AC", True),
        ("ace_no_face", "9C TC 9D AD AH", "AC", False),
        ("ace_no_face", "9C TC 9D TD 9H", "AC", False),
        ("ace_no_face", "9C TC 9D TD KH", "AC", False),
        ("no_ace_no_face_no_trump", "9C TC 9D TD 9H", "AS", True),
        ("no_ace_no_face_no_trump", "9C TC 9D TD 9H", "AH", False),
        ("three_nines_or_three_tens", "9C 9D 9H AS KS", "AC", True),
        ("three_nines_or_three_tens", "9C 9D 9H 9S KS", "AC", True),
        ("three_nines_or_three_tens", "TC TD TH TS KS", "AC", True),
        ("three_nines_or_three_tens", "TC TD TH 9S KS", "AC", True),
        ("three_nines_or_three_tens", "9C 9D TH TS KS", "AC", False),
        ("three_low", "9C 9D TH AS KS", "AC", True),
        ("three_low", "9C 9D JH AS KS", "AC", False),
        ("four_low", "9C 9D TH TS KS", "AC", True),
        ("four_low", "9C 9D 9H TH TS", "AC", True),
        ("four_low", "9C 9D TH AS KS", "AC", False),
    ],
)
def test_weak_hands(test: str, hand: str, upcard: str, qualifies: bool) -> None:
    t = Table(upcard, 0, {1: hand}, weak_hand="throw_in", weak_hand_test=test)
    assert (t.at == ("weak_hand", 1)) is qualifies
    assert t.legal == ({"claim", "keep"} if qualifies else {"pass", "order_up"})


def test_weak_hands_are_not_asked_by_default() -> None:
    assert Table("AC", 0, {1: "9C TC 9D TD 9H"}).at == ("bid1", 1)


def test_weak_hands_are_asked_from_the_dealers_left() -> None:
    options = {"weak_hand": "swap3", "weak_hand_test": "three_low"}
    t = Table("AC", 2, WEAK, "JC JD JH", **options)
    assert t.at == ("weak_hand", 3)
    t.do("keep")
    assert t.at == ("weak_hand", 1)
    assert t.do("keep").at == ("bid1", 3)
    assert (t.s.swapper, t.s.swapped) == (-1, 0)


def test_a_dealer_with_a_weak_hand_is_asked_last() -> None:
    t = Table("AC", 3, WEAK, "JC JD JH", weak_hand="swap3", weak_hand_test="three_low")
    assert t.at == ("weak_hand", 1)
    assert t.do("keep").at == ("weak_hand", 3)


def test_neighbours_are_asked_one_after_the_other() -> None:
    hands = {1: "9C TC 9D KC KD", 2: "TD 9H TH KH KS"}
    t = Table("AC", 0, hands, weak_hand="swap3", weak_hand_test="three_low")
    assert t.at == ("weak_hand", 1)
    assert t.do("keep").at == ("weak_hand", 2)


def test_a_swap_takes_the_kitty_and_ends_the_poll() -> None:
    options = {"weak_hand": "swap3", "weak_hand_test": "three_low"}
    t = Table("AC", 2, WEAK, "JC JD JH", **options).do("claim")
    assert t.at == ("bid1", 3)  # seat 1 is not asked: one claim a deal
    assert t.hand(3) == {"KH", "KS", "JC", "JD", "JH"}
    assert t.texts(t.s.kitty) == t.texts(t.s.swapped) == {"TD", "9H", "TH"}
    assert t.s.swapper == 3
    t = Table("AC", 2, WEAK, "JC JD JH", **options).do("keep claim")
    assert t.hand(1) == {"KC", "KD", "JC", "JD", "JH"}
    assert t.at == ("bid1", 3)


def test_a_swap_gives_nines_first_and_the_upcards_suit_last() -> None:
    options = {"weak_hand": "swap3", "weak_hand_test": "four_low"}
    t = Table("AC", 0, {1: "9C TC 9D TD KS"}, "JC JD JH", **options).do("claim")
    assert t.texts(t.s.swapped) == {"9D", "9C", "TD"}
    assert t.hand(1) == {"TC", "KS", "JC", "JD", "JH"}


def test_swapped_cards_shown_or_hidden() -> None:
    options = {"weak_hand": "swap3", "weak_hand_test": "three_low"}
    shown = Table("AC", 2, WEAK, "JC JD JH", **options).do("claim")
    hidden = Table("AC", 2, WEAK, "JC JD JH", **options, swap3_shown=False).do("claim")
    for seat in range(4):
        assert {c for c, w in shown.sees(seat).items() if w == "swapped"} == {"TD", "9H", "TH"}
    for seat in (0, 1, 2):
        assert "swapped" not in hidden.sees(seat).values()
        assert hidden.s.swapper == 3
    assert {c for c, w in hidden.sees(3).items() if w == "swapped"} == {"TD", "9H", "TH"}
    hidden = Table("AC", 2, WEAK, "JC JD JH", **options, swap3_shown=False).do("keep claim")
    assert [s for s in range(4) if "swapped" in hidden.sees(s).values()] == [1]


@pytest.mark.parametrize(("redealer", "dealer"), [("same", 2), ("next", 3)])
def test_a_weak_hand_thrown_in(redealer: str, dealer: int) -> None:
    options = {"weak_hand": "throw_in", "weak_hand_test": "three_low"}
    t = Table("AC", 2, WEAK, "JC JD JH", **options, weak_hand_redealer=redealer)
    assert t.at == ("weak_hand", 3)
    t.do("keep claim")
    assert t.at == ("over", -1)
    assert (t.s.thrown_in, t.s.next_dealer, t.points, t.s.hands) == (1, dealer, (0, 0), 0)


def test_a_declined_weak_hand_leaves_no_trace_for_others() -> None:
    options = {"weak_hand": "swap3", "weak_hand_test": "three_low"}
    asked = Table("AC", 2, WEAK, "JC JD JH", **options)
    for viewer in (0, 1, 2):
        seen = asked.sees(viewer)
        assert set(seen.values()) == {"own_hand", "upcard_face_up"}
    for weak in (3, 1):
        for viewer in range(4):
            seen = hidden_from(asked.s, asked.ruleset, viewer)
            at = ("weak_hand", weak) if viewer == weak else ("bid1", 3)
            assert (rules.PHASES[seen.phase], seen.turn) == at
        asked.do("keep")


# --- the joker ---------------------------------------------------------------------------------


def test_a_deck_with_the_joker_has_four_cards_face_down() -> None:
    t = Table("KH", 0, DEAL, KITTY, joker=True)
    assert t.texts(t.s.kitty) == {"TD", "QD", "KD"}
    assert t.texts(t.s.spare) == {"JOKER"}
    assert deal().s.spare == 0


def test_the_joker_is_the_highest_trump() -> None:
    hands = {1: "JH JD AH 9C TC", 2: "JOKER AD KD QD TD"}
    t = Table("KH", 0, hands, joker=True).do("order_up with_partner KH JH")
    assert t.legal == {"JOKER"}
    t.do("JOKER").do(sorted(t.legal)[0]).do(sorted(t.legal)[0])
    assert t.turn == 2


@pytest.mark.parametrize(
    ("option", "hand"), [("dealer_names_blind", set()), ("dealer_names", {"9H", "TH", "AC"})]
)
def test_a_joker_turned_up(option: str, hand: set[str]) -> None:
    t = Table("JOKER", 0, DEAL, KITTY, joker=True, joker_upcard=option)
    assert t.at == ("name_trump", 0)
    assert t.legal == {"call_C", "call_D", "call_H", "call_S"}
    own = {c for c, w in t.sees(0).items() if w == "own_hand"}
    assert own == (set(DEAL[0].split()) if hand else set())
    assert {c for c, w in t.sees(1).items() if w == "own_hand"} == set(DEAL[1].split())
    assert t.sees(0)["JOKER"] == "upcard_face_up"
    t.do("call_D")
    assert t.at == ("loner", 0)
    assert (t.s.maker, t.s.trump) == (0, 1)
    assert {c for c, w in t.sees(0).items() if w == "own_hand"} == set(DEAL[0].split())
    t.do("with_partner")
    assert t.at == ("discard", 0)
    assert t.legal == {*DEAL[0].split(), "JOKER"}
    t.do("9S")
    assert t.at == ("play", 1)
    t.do("JH")  # the left bower of diamonds
    assert t.legal == {"TC", "JC", "QC", "KC", "TS"}
    t.do("TS")
    assert t.legal == {"9D"}
    t.do("9D")
    assert t.legal == {"JOKER"}
    assert t.do("JOKER").turn == 0


def test_the_dealer_alone_names_blind() -> None:
    t = Table("JOKER", 2, DEAL, KITTY, joker=True)
    for seat in range(4):
        own = {c for c, w in t.sees(seat).items() if w == "own_hand"}
        assert own == (set() if seat == 2 else set(DEAL[seat].split()))


def test_a_joker_turned_up_pre_empts_weak_hands() -> None:
    options = {"joker": True, "weak_hand": "throw_in"}
    t = Table("JOKER", 0, {1: "9C TC 9D TD 9H"}, **options)
    assert t.at == ("name_trump", 0)
    t.do("call_C with_partner").do(sorted(t.legal)[0])
    assert t.phase == "play"
    assert Table("KS", 0, {1: "9C TC 9D TD 9H"}, **options).at == ("weak_hand", 1)


def test_a_joker_turned_up_late_alone() -> None:
    t = Table("JOKER", 0, DEAL, KITTY, joker=True, alone_timing="before_lead").do("call_H")
    assert t.at == ("discard", 0)
    assert t.do("9S").at == ("loner", 0)


def test_a_joker_that_must_be_kept() -> None:
    t = Table("JOKER", 0, DEAL, KITTY, joker=True, dealer_may_discard_upcard=False)
    assert t.do("call_H with_partner").legal == set(DEAL[0].split())


def test_a_joker_turned_up_is_dealt_again() -> None:
    again = Ruleset(joker=True, joker_upcard="redraw").record()[0]
    stays = Ruleset(joker=True).record()[0]
    deck = cards.deck_of([*range(20), 24, 20, 21, 22, 23], joker=True)
    assert rules.must_redraw(again, deck)
    assert not rules.must_redraw(stays, deck)
    assert not rules.must_redraw(again, cards.deck_of(range(25), joker=True))
    low = Ruleset(lowest_rank=8, joker_upcard="redraw").record()[0]
    turned_up = cards.deck_of([*range(20), 28, 20, 21, 22, 23, 25, 26, 27], lowest_rank=8)
    assert not rules.must_redraw(low, turned_up)


def test_a_joker_turned_up_is_never_drawn() -> None:
    again = Ruleset(joker=True, joker_upcard="redraw").record()[0]
    stays = Ruleset(joker=True).record()[0]
    assert upcards(again)[24] == 0
    assert 50 < upcards(stays)[24] < 150  # 2000 / 25 = 80


def upcards(r) -> Counter:
    s, deck = rules.new_states(1)[0], np.zeros(25, np.int8)
    s.rng = 5
    seen: Counter = Counter()
    for _ in range(2000):
        kernels.shuffle(s, r, deck)
        assert sorted(deck.tolist()) == list(range(25))
        seen[int(deck[20])] += 1
    return seen


# --- the upcard kept ---------------------------------------------------------------------------


def test_the_upcard_must_be_kept() -> None:
    t = deal(dealer_may_discard_upcard=False).do("order_up with_partner")
    assert t.legal == {"9H", "TH", "AC", "9C", "9S"}
    t.do("9S")
    assert t.place == "taken"
    assert t.sees(2)["KH"] == "dealer_hand"
    assert deal().do("order_up with_partner 9S").sees(2)["KH"] == "dealer_hand_or_discard"


def test_the_loner_must_keep_the_upcard_too() -> None:
    options = {"dealer_may_discard_upcard": False, "partner_alone_upcard": "loner_takes"}
    assert deal(**options).do("pass order_up alone").legal == set(DEAL[2].split())


# --- who knows what ----------------------------------------------------------------------------


def test_a_seat_sees_no_other_hand_and_no_card_face_down() -> None:
    t = deal(joker=True)
    t.s.rng = 7
    for viewer in range(4):
        seen = hidden_from(t.s, t.ruleset, viewer)
        assert [t.texts(hand) for hand in seen.hand] == [
            set(DEAL[seat].split()) if seat == viewer else set() for seat in range(4)
        ]
        assert (seen.kitty, seen.spare, seen.rng) == (0, 0, 0)


def test_only_the_dealer_knows_the_discard() -> None:
    t = deal().do("order_up with_partner 9S")
    assert t.sees(0)["9S"] == "own_discard"
    assert t.sees(0)["KH"] == "own_hand"
    for seat in (1, 2, 3):
        assert "9S" not in t.sees(seat)
        assert "own_discard" not in t.sees(seat).values()
        assert len(t.sees(seat)) == 6  # five own cards and the upcard


def test_a_hand_laid_down_is_known_to_its_seat_only() -> None:
    t = deal().do("order_up alone 9S")
    assert [t.sees(3)[c] for c in DEAL[3].split()] == ["own_dead_hand"] * 5
    assert not set(DEAL[3].split()) & set(t.sees(1))


def test_nobody_ever_sees_the_kitty() -> None:
    t = deal().do("order_up with_partner 9S").finish()
    for seat in range(4):
        assert not {"TD", "QD", "KD"} & set(t.sees(seat))


def test_cards_played_are_public() -> None:
    t = deal().do("order_up with_partner 9S JH TS 9D 9H")
    for seat in range(4):
        assert [t.sees(seat)[c] for c in ["JH", "TS", "9D", "9H"]] == ["played"] * 4


def test_voids_are_shown_by_effective_suit() -> None:
    hearts = {"9H", "TH", "QH", "KH", "AH", "JH", "JD", "JOKER"}
    t = deal().do("order_up with_partner 9S JH TS")
    assert [t.texts(void) for void in t.s.void] == [set(), set(), hearts, set()]
    t.do("9D 9H")
    assert [t.texts(void) for void in t.s.void] == [set(), set(), hearts, hearts]
    t.do("AD TC")
    diamonds = {"9D", "TD", "QD", "KD", "AD"}
    assert [t.texts(void) for void in t.s.void] == [set(), set(), hearts | diamonds, hearts]


def test_a_new_deal_leaves_nothing_of_the_last_hand() -> None:
    for words in ("order_up alone 9S defend_alone", "pass order_up with_partner 9S"):
        t = deal(defend_alone="vs_loner", renege="penalised").do(words).finish()
        deck = cards.deck_of(range(24))
        rules.next_hand(t.s, t.r, deck)
        fresh = rules.new_states(1)[0]
        rules.new_match(fresh, t.r)
        rules.deal(fresh, t.r, deck, 1)
        fresh.score[:], fresh.hands = t.s.score, 1
        assert fields(t.s) == fields(fresh)


def test_a_new_match_leaves_nothing_of_the_last_one() -> None:
    t = deal(match_games=3, score=(9, 9)).do("order_up with_partner 9S").finish()
    assert t.s.games.tolist() != [0, 0, 0, 0]
    t.s.drawn = 1
    rules.new_match(t.s, t.r)
    assert (t.score, t.s.games.tolist(), t.s.drawn, t.s.hands) == ((0, 0), [0] * 4, 0, 0)
    assert (t.s.game_winner, t.s.match_winner) == (rules.UNDECIDED, rules.UNDECIDED)


# --- games and matches -------------------------------------------------------------------------


def after(score: tuple[int, int], points: tuple[int, int], hands: int = 0, **options):
    """The record after a hand with these points was settled."""
    r = Ruleset(**options).record()[0]
    s = rules.new_states(1)[0]
    rules.new_match(s, r)
    s.score[:2], s.points[:2], s.hands = score, points, hands
    rules.settle(s, r)
    return s


@pytest.mark.parametrize(
    ("score", "points", "options", "total", "winner"),
    [
        ((8, 0), (2, 0), {}, [10, 0], 0),
        ((9, 9), (0, 1), {}, [9, 10], 1),
        ((8, 3), (4, 0), {}, [12, 3], 0),
        ((8, 3), (1, 0), {}, [9, 3], -2),
        ((9, 9), (0, 0), {}, [9, 9], -2),
        ((9, 0), (1, 0), {"target_score": 11}, [10, 0], -2),
        ((10, 0), (1, 0), {"target_score": 11}, [11, 0], 0),
        ((3, 4), (2, 0), {"target_score": 5}, [5, 4], 0),
        ((0, 0), (0, 1), {"target_score": 1}, [0, 1], 1),
        ((1, 0), (-2, 0), {"renege_mode": "deduct"}, [-1, 0], -2),
    ],
)
def test_the_end_of_a_game(
    score: tuple[int, int], points: tuple[int, int], options: dict, total: list, winner: int
) -> None:
    s = after(score, points, **options)
    assert s.score.tolist() == [*total, 0, 0]
    assert s.game_winner == winner
    assert s.match_winner == winner


@pytest.mark.parametrize(
    ("score", "points", "hands", "winner"),
    [
        ((50, 0), (4, 0), 10, -2),
        ((3, 3), (2, 0), 11, 0),
        ((3, 5), (2, 0), 11, -1),  # a draw
        ((3, 5), (1, 0), 11, 1),
    ],
)
def test_a_fixed_number_of_hands(
    score: tuple[int, int], points: tuple[int, int], hands: int, winner: int
) -> None:
    s = after(score, points, hands, target_score=None, hands_per_game=12)
    assert s.game_winner == winner
    assert s.match_winner == winner


def test_a_thrown_in_hand_is_not_counted() -> None:
    t = deal(target_score=None, hands_per_game=1).do(FOUR_PASSES, FOUR_PASSES)
    assert (t.s.hands, t.s.game_winner) == (0, -2)
    rules.next_hand(t.s, t.r, cards.deck_of(range(24)))
    assert (t.s.dealer, t.phase) == (1, "bid1")
    t.finish()
    assert t.s.hands + t.s.thrown_in == 1


def match(results: list[int], **options) -> list[int]:
    """Match winners after games won by the teams in `results`, -1 for a draw."""
    r = Ruleset(target_score=None, hands_per_game=1, **options).record()[0]
    s = rules.new_states(1)[0]
    rules.new_match(s, r)
    s.next_dealer = 0
    winners = []
    for team in results:
        rules.next_hand(s, r, cards.deck_of(range(24)))
        assert s.score.tolist() == [0, 0, 0, 0]
        s.points[:2] = [int(team == 0), int(team == 1)]
        rules.settle(s, r)
        assert s.game_winner == team
        winners.append(int(s.match_winner))
        s.next_dealer = 0
    return winners


def test_best_of_three() -> None:
    assert match([0, 0], match_games=3) == [-2, 0]
    assert match([0, 1, 1], match_games=3) == [-2, -2, 1]
    assert match([1], match_games=1) == [1]
    assert match([0, -1, 1], match_games=3) == [-2, -2, -1]
    assert match([0, -1, -1], match_games=3) == [-2, -2, 0]
    assert match([-1], match_games=1) == [-1]
    assert match([-1, -1, 1], match_games=3) == [-2, -2, 1]
    assert match([1, 0, 1, 0, 0], match_games=5) == [-2, -2, -2, -2, 0]


@pytest.mark.parametrize(
    ("options", "start"),
    [
        ({"match_games": 3, "match_carry_over": True}, [2, 0]),
        ({"match_games": 3}, [0, 0]),
    ],
)
def test_the_next_game_of_a_match(options: dict, start: list[int]) -> None:
    hands = {1: "9C TC QC KC AC", 2: "JH JD AH QH TH"}
    t = Table("KH", 0, hands, score=(8, 9), loner_lead="loner_left", **options)
    t.do("pass order_up alone").finish()
    assert (t.score, t.s.games.tolist(), t.s.match_winner) == ((12, 9), [1, 0, 0, 0], -2)
    rules.next_hand(t.s, t.r, cards.deck_of(range(24)))
    assert t.s.score.tolist() == [*start, 0, 0]
    assert (t.s.dealer, t.s.hands, t.s.game_winner) == (1, 0, -2)
    assert (t.s.games.tolist(), t.s.drawn) == ([1, 0, 0, 0], 0)


def test_exactly_the_target_carries_nothing() -> None:
    r = Ruleset(match_games=3, match_carry_over=True).record()[0]
    s = after((9, 9), (1, 0), match_games=3, match_carry_over=True)
    assert [rules.next_game_score(s, r, side) for side in range(2)] == [0, 0]


def test_no_game_is_won_before_it_begins() -> None:
    options = {"match_games": 3, "match_carry_over": True, "target_score": 2}
    r = Ruleset(**options).record()[0]
    s = after((1, 1), (0, 4), **options)
    assert [rules.next_game_score(s, r, side) for side in range(2)] == [0, 1]


@pytest.mark.parametrize(
    ("option", "chances"),
    [
        ("random", (1 / 4, 1 / 4, 1 / 4, 1 / 4)),
        ("black_jack", (13 / 46, 12 / 46, 11 / 46, 10 / 46)),
    ],
)
def test_the_first_dealer_is_drawn(option: str, chances: tuple[float, ...]) -> None:
    r = Ruleset(first_dealer=option).record()[0]
    s = rules.new_states(1)[0]
    s.rng = 2024
    n = 40_000
    drawn = Counter(int(kernels.draw_dealer(s, r)) for _ in range(n))
    assert set(drawn) == {0, 1, 2, 3}
    chi_square = sum((drawn[seat] - n * p) ** 2 / (n * p) for seat, p in enumerate(chances))
    assert chi_square < 16.27  # three degrees of freedom: one in a thousand, and the seed is fixed


def test_black_jack_chances_by_counting() -> None:
    """The first of two black jacks at place i of 24, dealt from seat 0: 24 * 23 / 2 pairs."""
    counts = Counter(min(i, j) % 4 for i in range(24) for j in range(i))
    assert [counts[seat] for seat in range(4)] == [78, 72, 66, 60]
    assert 78 / 276 == 13 / 46


@pytest.mark.parametrize("seat", range(4))
def test_a_fixed_first_dealer(seat: int) -> None:
    r = Ruleset(first_dealer=seat).record()[0]
    s, deck = rules.new_states(1)[0], np.zeros(25, np.int8)
    for _ in range(20):
        kernels.start_episode(s, r, -1, deck)
        assert s.dealer == seat


def test_a_shuffle_is_even() -> None:
    r = Ruleset().record()[0]
    s, deck = rules.new_states(1)[0], np.zeros(25, np.int8)
    s.rng = 11
    n = 12_000
    at = np.zeros((24, 24), np.int64)
    for _ in range(n):
        kernels.shuffle(s, r, deck)
        assert deck[24] == -1
        at[np.arange(24), deck[:24]] += 1
    expected = n / 24
    chi_square = ((at - expected) ** 2 / expected).sum()
    # 23 * 23 degrees of freedom: mean 529, deviation about 33.
    assert 400 < chi_square < 660
