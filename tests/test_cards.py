"""Cards, suits and frames against answers written out by hand."""

import random

import numpy as np
import pytest

from euchre_env import cards, rules
from euchre_env.cards import CardError

TRUMP_ORDER = {
    "C": "JC JS AC KC QC TC 9C",
    "D": "JD JH AD KD QD TD 9D",
    "H": "JH JD AH KH QH TH 9H",
    "S": "JS JC AS KS QS TS 9S",
}
NEXT_ORDER = {
    "C": "AS KS QS TS 9S",
    "D": "AH KH QH TH 9H",
    "H": "AD KD QD TD 9D",
    "S": "AC KC QC TC 9C",
}
PLAIN_ORDER = {
    "C": "AC KC QC JC TC 9C",
    "D": "AD KD QD JD TD 9D",
    "H": "AH KH QH JH TH 9H",
    "S": "AS KS QS JS TS 9S",
}
FRAMES = {
    0: "9D TD JD QD KD AD 9H TH JH QH KH AH 9S TS QS KS AS 9C TC QC KC AC JS JC JOKER",
    1: "9C TC JC QC KC AC 9S TS JS QS KS AS 9H TH QH KH AH 9D TD QD KD AD JH JD JOKER",
    2: "9C TC JC QC KC AC 9S TS JS QS KS AS 9D TD QD KD AD 9H TH QH KH AH JD JH JOKER",
    3: "9D TD JD QD KD AD 9H TH JH QH KH AH 9C TC QC KC AC 9S TS QS KS AS JC JS JOKER",
    4: "9C TC JC QC KC AC 9D TD JD QD KD AD 9H TH JH QH KH AH 9S TS JS QS KS AS JOKER",
}


def order_of(suit: str, frame: int, joker: bool = False) -> str:
    out = np.zeros(25, np.int64)
    count = rules.suit_order("CDHS".index(suit), frame, joker, out)
    return " ".join(cards.card_text(int(c)) for c in out[:count])


@pytest.mark.parametrize("trump", "CDHS")
def test_order_of_every_suit_under_each_trump(trump: str) -> None:
    frame = "CDHS".index(trump)
    partner_suit = {"C": "S", "S": "C", "D": "H", "H": "D"}[trump]
    assert order_of(trump, frame) == TRUMP_ORDER[trump]
    assert order_of(trump, frame, joker=True) == "JOKER " + TRUMP_ORDER[trump]
    assert order_of(partner_suit, frame, joker=True) == NEXT_ORDER[trump]
    for other in set("CDHS") - {trump, partner_suit}:
        assert order_of(other, frame) == PLAIN_ORDER[other]


def test_no_trump_has_four_suits_of_six() -> None:
    assert [order_of(suit, 4) for suit in "CDHS"] == [PLAIN_ORDER[suit] for suit in "CDHS"]


@pytest.mark.parametrize(
    ("trump", "suits"),
    [
        ("C", {"JC": "C", "JS": "C", "JD": "D", "JH": "H", "AS": "S", "9C": "C", "JOKER": "C"}),
        ("D", {"JD": "D", "JH": "D", "JC": "C", "JS": "S", "AH": "H", "9D": "D", "JOKER": "D"}),
        ("H", {"JH": "H", "JD": "H", "JC": "C", "JS": "S", "AD": "D", "9H": "H", "JOKER": "H"}),
        ("S", {"JS": "S", "JC": "S", "JD": "D", "JH": "H", "AC": "C", "9S": "S", "JOKER": "S"}),
    ],
)
def test_the_suit_each_card_counts_as(trump: str, suits: dict[str, str]) -> None:
    frame = "CDHS".index(trump)
    for card, suit in suits.items():
        bit = cards.BIT_OF[frame, cards.card_id(card)]
        assert rules.effective_suit(bit, frame) == "CDHS".index(suit), card


def test_no_jack_changes_suit_without_trump() -> None:
    for card, suit in {"JC": 0, "JD": 1, "JH": 2, "JS": 3, "9S": 3}.items():
        assert rules.effective_suit(cards.card_id(card), 4) == suit


@pytest.mark.parametrize("frame", FRAMES)
def test_bits_of_each_frame(frame: int) -> None:
    texts = FRAMES[frame].split()
    assert len(set(texts)) == 25
    for bit, text in enumerate(texts):
        card = cards.card_id(text)
        assert cards.CARD_AT[frame, bit] == card
        assert cards.BIT_OF[frame, card] == bit
        assert cards.cards_of(1 << bit, frame) == [card]
        assert cards.from_natural(1 << card, frame) == 1 << bit
        assert cards.to_natural(1 << bit, frame) == 1 << card


def test_sets_convert_as_their_cards_do() -> None:
    rng = random.Random(1)
    for _ in range(2000):
        frame = rng.randrange(5)
        ids = rng.sample(range(25), rng.randrange(26))
        natural = sum(1 << i for i in ids)
        framed = sum(1 << FRAMES[frame].split().index(cards.card_text(i)) for i in ids)
        assert cards.from_natural(natural, frame) == framed
        assert cards.to_natural(framed, frame) == natural
        assert cards.set_of(ids, frame) == framed
        assert sorted(cards.cards_of(framed, frame)) == sorted(ids)
        assert cards.popcount(np.int64(framed)) == len(ids)
        if ids:
            assert 1 << int(cards.lowest_bit(np.int64(framed))) == framed & -framed


@pytest.mark.parametrize(
    ("text", "card"),
    [("9C", 0), ("AC", 5), ("9D", 6), ("TD", 7), ("JH", 14), ("QS", 21), ("AS", 23), ("JOKER", 24)],
)
def test_card_ids(text: str, card: int) -> None:
    assert cards.card_id(text) == card
    assert cards.card_text(card) == text


@pytest.mark.parametrize(
    ("text", "card"),
    [("jh", "JH"), ("10H", "TH"), ("10h", "TH"), ("J♥", "JH"), ("q♤", "QS"), ("Joker", "JOKER")],
)
def test_other_ways_to_write_a_card(text: str, card: str) -> None:
    assert cards.card_text(cards.card_id(text)) == card


@pytest.mark.parametrize("text", ["6C", "J", "JX", "", "JHH", "1H", "0H", "HJ", "N"])
def test_what_is_no_card(text: str) -> None:
    with pytest.raises(CardError, match="no card"):
        cards.card_id(text)


@pytest.mark.parametrize("card", [-1, 33])
def test_what_is_no_card_id(card: int) -> None:
    with pytest.raises(CardError, match=str(card)):
        cards.card_text(card)


def test_printed_suits_and_ranks() -> None:
    def texts(mask: int, frame: int) -> str:
        return " ".join(sorted(cards.card_text(i) for i in cards.cards_of(mask, frame)))

    hearts, spades = 2, 3
    assert texts(cards.PRINTED_SUIT[hearts, 3], hearts) == "9H AH JH KH QH TH"
    assert texts(cards.PRINTED_SUIT[hearts, 2], hearts) == "9D AD JD KD QD TD"
    assert texts(cards.PRINTED_SUIT[spades, 0], spades) == "9D AD JD KD QD TD"
    assert texts(cards.OF_RANK[spades, cards.JACK], spades) == "JC JD JH JS"
    assert texts(cards.OF_RANK[4, cards.NINE], 4) == "9C 9D 9H 9S"
    assert texts(cards.TRUMPS[hearts], hearts) == "9H AH JD JH JOKER KH QH TH"
    assert cards.TRUMPS[4] == 0


ALL = "9C TC JC QC KC AC 9D TD JD QD KD AD 9H TH JH QH KH AH 9S TS JS QS KS AS"


def test_decks() -> None:
    assert cards.deck_of(ALL).tolist() == [*range(24), -1]
    assert cards.deck_of(ALL + " JOKER", joker=True).tolist() == list(range(25))
    assert cards.deck_of(range(24)).tolist() == [*range(24), -1]


@pytest.mark.parametrize(
    ("deck", "joker", "message"),
    [
        (ALL[3:], False, "24 cards, this one has 23: missing 9C"),
        (ALL.replace("9C", "AS"), False, "AS more than once"),
        (ALL + " JOKER", False, "joker=True"),
        (ALL.replace("9C", "JOKER"), False, "joker=True"),
        (ALL, True, "25 cards, this one has 24: missing JOKER"),
        (ALL + " 9C", False, "9C more than once"),
        (ALL.replace("9C", "8C"), False, "8C, but the rule set has lowest_rank=9"),
        ([*range(23), 33], False, "33 is no card id"),
        ([1.5] * 24, False, "1.5 is no card"),
        ([*range(23), None], False, "None is no card"),
        ([*range(22), True, 23], False, "True is no card"),
        ([*range(23), -1], False, "-1 is no card id"),
    ],
)
def test_decks_that_cannot_be_dealt(deck: str, joker: bool, message: str) -> None:
    with pytest.raises(CardError, match=message):
        cards.deck_of(deck, joker=joker)
