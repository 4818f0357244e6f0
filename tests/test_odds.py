"""Exact odds against binomial counts and the published figures."""

from math import comb

import pytest

from euchre_env.odds import OddsError, odds


@pytest.mark.parametrize("number", range(6))
def test_trumps_follow_the_hypergeometric_counts(number: int) -> None:
    found = odds(f"trumps=={number}")
    assert found == (comb(7, number) * comb(17, 5 - number), comb(24, 5))


@pytest.mark.parametrize("number", range(6))
def test_with_the_joker_there_are_eight_trumps_of_twenty_five(number: int) -> None:
    found = odds(f"trumps=={number}", joker=True)
    assert found == (comb(8, number) * comb(17, 5 - number), comb(25, 5))


def test_bowers_and_comparisons() -> None:
    assert odds("bowers==2") == (1540, 42504)
    assert odds("bowers>=1") == (16170, 42504)
    assert odds("trumps>=4").numerator == 616
    assert odds("trumps<2").numerator + odds("trumps >= 2").numerator == 42504
    assert odds("trumps!=0").numerator == 42504 - 6188
    assert odds("aces<=4").numerator == odds("aces>0").numerator + odds("aces==0").numerator


def test_upcard() -> None:
    assert odds("upcard is a jack") == (4, 24)
    assert odds("upcard is an ace", joker=True) == (4, 25)
    assert odds("upcard is a jack").percent == pytest.approx(100 / 6)


@pytest.mark.parametrize("event", ["", "trumps", "trumps=0", "clubs==2", "upcard is a five"])
def test_another_text_is_an_error_that_says_what_would_do(event: str) -> None:
    with pytest.raises(OddsError, match="trumps>=4") as caught:
        odds(event)
    assert repr(event) in str(caught.value)
