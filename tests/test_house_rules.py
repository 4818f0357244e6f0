"""Fast break, tokens for four tricks, and the partner's best card. Answers by hand."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from euchre_env import cards, encoding, euchre_v0, rules
from euchre_env.ruleset import Ruleset, RulesetError
from tests.table import Table, dealt, hidden_from, observe, seats

# North deals and picks up the KH; East has the three best clubs, North two low ones.
HANDS = {
    0: "JH AH 9C TC 9D",
    1: "AC KC QC 9H TH",
    2: "AD AS KS QS JS",
    3: "TD QD KD 9S TS",
}
CALL = "pass pass pass order_up"
BROKEN = "AC AD TD 9C  KC JS QD TC  QC QS KD KH  JH 9H KS 9S  AH TH AS TS"
"""East wins two tricks, North three."""
NOT_BROKEN = "AC AD TD 9C  9H JS QD JH  AH TH QS KD  TC KC KS 9S  QC AS TS KH"
"""East wins the first trick and the fourth."""
FOUR = {**HANDS, 0: "JH AH QH 9C 9D"}
FOUR_TRICKS = "AC AD TD 9C  KC JS QD KH  JH 9H QS KD  AH TH KS 9S  QH QC AS TS"


def north_picks_up(hands: dict[int, str], answer: str = "with_partner", **options: Any) -> Table:
    return dealt(hands, "KH", **options).do(f"{CALL} {answer} 9D")


# --- fast break --------------------------------------------------------------------------------


def test_nobody_scores_in_a_fast_break() -> None:
    table = north_picks_up(HANDS, fast_break=True).do(BROKEN)
    assert table.tricks == [3, 2]
    assert (table.points, table.score) == ((0, 0), (0, 0))
    s = table.s
    assert (int(s.hands), int(s.thrown_in), int(s.next_dealer)) == (1, 0, 1)
    assert int(s.game_winner) == rules.UNDECIDED


def test_without_the_option_the_makers_score() -> None:
    assert north_picks_up(HANDS).do(BROKEN).points == (1, 0)


def test_two_tricks_lost_later_are_no_fast_break() -> None:
    table = north_picks_up(HANDS, fast_break=True).do(NOT_BROKEN)
    assert (table.tricks, table.points) == ([3, 2], (1, 0))


def test_a_lone_maker_can_be_stopped_by_a_fast_break() -> None:
    table = north_picks_up(HANDS, "alone", fast_break=True)
    table.do("AC TD 9C  KC QD TC  QC KD KH  JH 9H 9S  AH TH TS")
    assert (table.tricks, table.points) == ([3, 2], (0, 0))


def test_a_euchre_after_two_lost_tricks_is_a_euchre() -> None:
    hands = {**HANDS, 0: "JH 9C TC JC 9D", 1: "AC KC QC AH TH"}
    table = north_picks_up(hands, fast_break=True)
    table.do("AC AD TD 9C  KC JS QD TC  QC QS KD JC  AH KS 9S JH  KH TH AS TS")
    assert (table.tricks, table.points) == ([2, 3], (0, 2))
    assert not rules.is_fast_break(table.s, table.r)


def test_the_last_hand_of_a_game_may_be_broken() -> None:
    options = {"stick_the_dealer": True, "target_score": None, "hands_per_game": 1}
    table = north_picks_up(HANDS, fast_break=True, **options).do(BROKEN)
    assert int(table.s.game_winner) == rules.DRAWN


# --- tokens ------------------------------------------------------------------------------------


def with_tokens(ours: int, theirs: int = 0, answer: str = "with_partner", **options: Any) -> Table:
    table = north_picks_up(FOUR, answer, four_trick_tokens=True, **options)
    table.s.tokens[:] = ours, theirs
    return table


def test_four_tricks_earn_a_token_besides_the_point() -> None:
    table = with_tokens(0, 2).do(FOUR_TRICKS)
    assert (table.tricks, table.points) == ([4, 1], (1, 0))
    assert table.s.tokens.tolist() == [1, 2]
    assert rules.earned_token(table.s, table.r)
    table.s.trick = 4  # the last trick is still to come
    assert not rules.earned_token(table.s, table.r)


def test_the_fourth_token_turns_all_in_for_a_point() -> None:
    table = with_tokens(3, 3).do(FOUR_TRICKS)
    assert (table.points, table.score) == ((2, 0), (2, 0))
    assert table.s.tokens.tolist() == [0, 3]
    assert rules.reward(table.s, 0) == 2 and rules.reward(table.s, 3) == -2


def test_the_point_for_tokens_can_end_the_game() -> None:
    assert int(with_tokens(3, score=(8, 0)).do(FOUR_TRICKS).s.game_winner) == 0
    assert int(with_tokens(2, score=(8, 0)).do(FOUR_TRICKS).s.game_winner) == rules.UNDECIDED


@pytest.mark.parametrize("answer, plays", [("alone", "AC TD 9C  KC QD KH  JH 9H KD")])
def test_a_lone_hand_earns_no_token(answer: str, plays: str) -> None:
    table = with_tokens(3, answer=answer).do(plays + "  AH TH 9S  QH QC TS")
    assert (table.tricks, table.points) == ([4, 1], (1, 0))
    assert table.s.tokens.tolist() == [3, 0]


def test_three_tricks_earn_no_token() -> None:
    table = north_picks_up(HANDS, four_trick_tokens=True).do(BROKEN)
    assert (table.points, table.s.tokens.tolist()) == ((1, 0), [0, 0])


def test_tokens_are_kept_from_hand_to_hand_and_lost_with_the_game() -> None:
    table = with_tokens(0, 0, match_games=3).do(FOUR_TRICKS)
    deck = cards.deck_of([*range(24)])
    rules.next_hand(table.s, table.r, deck)
    assert table.s.tokens.tolist() == [1, 0]
    table = with_tokens(1, 2, match_games=3, score=(9, 0)).do(FOUR_TRICKS)
    assert table.s.tokens.tolist() == [2, 2]
    rules.next_hand(table.s, table.r, deck)
    assert table.s.tokens.tolist() == [0, 0]
    table = with_tokens(1, 2)
    rules.new_match(table.s, table.r)
    assert table.s.tokens.tolist() == [0, 0]


def test_an_episode_may_start_with_tokens() -> None:
    env = euchre_v0.env(ruleset="four_trick_tokens=true")
    env.reset(seed=1, options={"tokens": (3, 1)})
    assert env.unwrapped.record.tokens.tolist() == [3, 1]
    env.reset(seed=1)
    assert env.unwrapped.record.tokens.tolist() == [0, 0]
    for bad in ((4, 0), (0, -1), (1,), 3, (True, 0), "12"):
        with pytest.raises(ValueError, match=r"tokens.*2 integers.*from 0 to 3"):
            env.reset(seed=1, options={"tokens": bad})
    plain = euchre_v0.env()
    with pytest.raises(ValueError, match="four_trick_tokens=False"):
        plain.reset(seed=1, options={"tokens": (1, 0)})


def test_both_teams_see_the_tokens_as_ours_and_theirs() -> None:
    table = with_tokens(1, 3)
    for viewer, seen in ((0, [1, 3]), (1, [3, 1]), (2, [1, 3]), (3, [3, 1])):
        out = observe(table.s, table.ruleset, viewer, True)
        assert out[encoding.LAYOUT["tokens"].slice].tolist() == seen
        assert encoding.decode(out)[0].tokens.tolist() == seen


# --- the partner's best ------------------------------------------------------------------------

BEST = {
    0: "JH AH 9C TC 9D",
    1: "AC KC QC 9H TH",
    2: "AD AS KS QS JD",
    3: "TD QD KD 9S TS",
}


def test_the_lone_hand_is_offered_a_card() -> None:
    table = north_picks_up(BEST, "alone", call_for_best="offered")
    assert (table.phase, table.turn, table.legal) == ("call_best", 0, {"claim", "keep"})
    table.do("claim")
    assert (table.phase, table.turn) == ("pass_card", 2)
    assert table.legal == {"AD", "AS", "KS", "QS", "JD"}
    table.do("JD")
    assert (table.phase, table.turn) == ("lay_away", 0)
    assert table.legal == {"JH", "AH", "KH", "JD", "9C", "TC"}
    table.do("9C")
    assert (table.phase, table.turn) == ("play", 1)
    assert table.hand(0) == {"JH", "AH", "KH", "JD", "TC"}
    assert table.hand(2) == {"AD", "AS", "KS", "QS"}
    assert table.texts(table.s.passed) == {"JD"} and table.texts(table.s.buried) == {"9C"}
    assert table.out == {2}
    table.do("AC TD TC  9H 9S JD  KH TH TS  JH KC KD  AH QC QD")
    assert (table.tricks, table.points) == ([4, 1], (1, 0))


def test_a_lone_hand_may_keep_its_own_cards() -> None:
    table = north_picks_up(BEST, "alone", call_for_best="offered").do("keep")
    assert (table.phase, table.turn) == ("play", 1)
    assert table.hand(2) == set(BEST[2].split())
    assert int(table.s.passer) == rules.NOBODY


def test_always_asks_no_question() -> None:
    table = north_picks_up(BEST, "alone", call_for_best="always")
    assert (table.phase, table.turn) == ("pass_card", 2)


def test_with_the_partner_nothing_is_passed() -> None:
    for how in ("offered", "always"):
        table = north_picks_up(BEST, call_for_best=how)
        assert (table.phase, table.turn) == ("play", 1)


def test_the_card_just_passed_may_be_laid_away() -> None:
    table = north_picks_up(BEST, "alone", call_for_best="always").do("QS QS")
    assert table.hand(0) == {"JH", "AH", "KH", "9C", "TC"}


def test_a_call_of_round_two_alone_gets_a_card_too() -> None:
    table = dealt(BEST, "KH", call_for_best="always").do("pass pass pass pass call_C alone")
    assert (table.phase, table.turn) == ("pass_card", 3)
    table.do("9S 9S")
    assert (table.phase, table.turn) == ("play", 1)


def test_the_dealers_partner_alone_gets_a_card_of_the_dealers_five() -> None:
    table = dealt(BEST, "KH", call_for_best="always").do("pass order_up alone")
    assert (table.phase, table.turn) == ("pass_card", 0)
    assert table.legal == set(BEST[0].split())
    assert table.place == "out_of_play"


def test_the_dealer_who_exchanged_may_pass_the_upcard() -> None:
    options = {"call_for_best": "always", "partner_alone_upcard": "dealer_discards"}
    table = dealt(BEST, "KH", **options).do("pass order_up alone 9D")
    assert (table.phase, table.turn) == ("pass_card", 0)
    assert table.legal == {"JH", "AH", "9C", "TC", "KH"}
    table.do("KH QS")
    assert "KH" in table.hand(2)
    assert table.hand(0) == {"JH", "AH", "9C", "TC"}


def test_the_loner_who_takes_the_upcard_discards_first() -> None:
    options = {"call_for_best": "always", "partner_alone_upcard": "loner_takes"}
    table = dealt(BEST, "KH", **options).do("pass order_up alone")
    assert (table.phase, table.turn) == ("discard", 2)
    table.do("QS")
    assert (table.phase, table.turn) == ("pass_card", 0)


def test_the_canadian_loner_gets_a_card() -> None:
    table = dealt(BEST, "KH", call_for_best="offered", canadian_loner=True).do("pass order_up")
    assert (table.phase, table.turn) == ("call_best", 2)


def test_after_a_late_answer_of_the_makers_partner_the_maker_passes() -> None:
    options = {"alone_timing": "before_lead", "alone_by": "maker_team"}
    table = dealt(BEST, "KH", call_for_best="offered", **options)
    table.do("pass pass pass order_up 9D with_partner")
    assert (table.phase, table.turn) == ("loner", 2)
    table.do("alone")
    assert (table.phase, table.turn) == ("call_best", 2)
    table.do("claim")
    assert (table.phase, table.turn) == ("pass_card", 0)
    assert "KH" in table.legal and "9D" not in table.legal
    table.do("KH QS")
    known = [hidden_from(table.s, table.ruleset, viewer) for viewer in range(4)]
    assert [bool(s.buried) for s in known] == [False, False, True, False]
    assert [bool(s.passed) for s in known] == [True, False, True, False]


def test_the_defenders_are_asked_after_the_card_was_passed() -> None:
    table = north_picks_up(BEST, "alone", call_for_best="always", defend_alone="vs_loner")
    table.do("JD 9C")
    assert (table.phase, table.turn) == ("defend", 1)
    table.do("defend_alone")
    assert table.out == {2, 3}


def test_a_lone_defender_gets_no_card() -> None:
    table = north_picks_up(HANDS, call_for_best="always", defend_alone="any")
    table.do("defend_alone")
    assert table.phase == "play"


def test_a_dealer_who_had_to_keep_the_upcard_may_lay_it_away_for_the_card_passed() -> None:
    options = {"dealer_may_discard_upcard": False, "call_for_best": "always"}
    table = north_picks_up(BEST, "alone", **options)
    assert table.place == "taken"
    table.do("AS KH")
    assert table.place == "taken_or_buried"
    assert table.sees(0)["KH"] == "own_discard"
    assert table.sees(1)["KH"] == "dealer_hand_or_discard"


@pytest.mark.parametrize("dealer", [0, 3])
@pytest.mark.parametrize("passes", ["", "pass pass"])
def test_a_card_passed_between_others_leaves_the_upcard_with_its_dealer(
    passes: str, dealer: int
) -> None:
    options = {"dealer_may_discard_upcard": False, "call_for_best": "always"}
    table = Table("KH", dealer, BEST, **options).do(f"{passes} order_up alone")
    table.do(sorted(table.legal)[0])
    assert (table.phase, table.turn) == ("pass_card", (dealer + (1 if passes else 3)) % 4)
    card = sorted(table.legal)[0]
    table.do(f"{card} {card}")
    assert table.place == "taken"


def test_who_knows_the_card_passed_and_the_card_laid_away() -> None:
    table = north_picks_up(BEST, "alone", call_for_best="always").do("JD 9C")
    known = [hidden_from(table.s, table.ruleset, viewer) for viewer in range(4)]
    assert [bool(s.passed) for s in known] == [True, False, True, False]
    assert [bool(s.buried) for s in known] == [True, False, False, False]
    assert [int(s.passer) for s in known] == [2, 2, 2, 2]
    assert table.sees(0)["JD"] == "own_hand" and table.sees(0)["9C"] == "own_discard"
    assert table.sees(2)["JD"] == "passed" and "9C" not in table.sees(2)
    assert table.sees(2)["AS"] == "own_dead_hand"
    assert not {"JD", "9C"} & set(table.sees(1))
    table.do("AC TD TC  9H 9S JD")
    assert [table.sees(viewer)["JD"] for viewer in range(4)] == ["played"] * 4


def test_observations_tell_the_card_passed_to_the_two_who_know_it() -> None:
    table = north_picks_up(BEST, "alone", call_for_best="always").do("JD")
    for viewer in range(4):
        out = observe(table.s, table.ruleset, viewer, True)
        s, ruleset = encoding.decode(out)
        assert ruleset == table.ruleset
        assert rules.PHASES[int(s.phase)] == "lay_away"
        assert seats(1 << int(s.passer)) == {(2 - viewer) % 4}
        assert cards.cards_of(int(s.passed), int(s.frame)) == (
            [cards.card_id("JD")] if viewer in (0, 2) else []
        )


def test_call_for_best_needs_lone_hands() -> None:
    with pytest.raises(RulesetError, match="call_for_best='always' with allow_alone=False"):
        Ruleset(call_for_best="always", allow_alone=False)


@pytest.mark.parametrize("name", ["fast_break", "four_trick_tokens", "call_for_best"])
def test_house_rules_are_for_partners(name: str) -> None:
    value = "always" if name == "call_for_best" else True
    with pytest.raises(RulesetError, match=f"{name} is for partners"):
        Ruleset(variant="buck", target_score=25, **{name: value})


def test_the_sentence_tells_the_house_rules() -> None:
    ruleset = Ruleset(fast_break=True, four_trick_tokens=True, call_for_best="offered")
    assert ruleset.describe() == (
        "Euchre to 10 with the fast break, tokens for four tricks and a lone hand free to call "
        "for the partner's best."
    )


def test_plain_rules_leave_the_new_blocks_empty() -> None:
    table = north_picks_up(HANDS).finish(random.Random(1))
    for viewer in range(4):
        out = observe(table.s, table.ruleset, viewer, False)
        for name in encoding.HOUSE_BLOCKS:
            assert not np.any(out[encoding.LAYOUT[name].slice])
