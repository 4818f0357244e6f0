"""Records: reading, writing, replaying, and the faults they can have."""

import copy
import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from euchre_env import rules
from euchre_env.actions import ACTION_TEXT, FROM_ABSOLUTE, TO_ABSOLUTE, ActionError
from euchre_env.cards import CardError, card_text, deck_of
from euchre_env.record import (
    DealRecord,
    GameRecord,
    RecordError,
    complete_deck,
    load_records,
    read_egn,
    read_jsonl,
    record_hand,
    save_records,
    write_egn,
    write_jsonl,
)
from euchre_env.replay import full_deals, played_deals, replay, verify
from euchre_env.ruleset import PRESETS, VARIANT_PRESETS, Ruleset, RulesetError
from euchre_env.testing import random_ruleset
from tests.table import CLUB_UP, ROUND_TWO, SPREAD, deck_with

FOLDER = Path(__file__).parents[1] / "euchre_env" / "data" / "egn"
FILES = sorted(FOLDER.glob("*.egn"))
FINAL_SCORES = {
    "annotated-01": (10, 7),
    "final-01": (8, 10),
    "league-01": (11, 9),
    "league-02": (10, 9),
    "league-03": (10, 3),
    "league-04": (8, 10),
    "league-05": (10, 6),
    "league-06": (10, 9),
}


# ---- the real deals ------------------------------------------------------------------------------


def test_there_are_81_real_deals() -> None:
    assert sum(len(read_egn(file).deals) for file in FILES) == 81


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_real_deals_replay(file: Path) -> None:
    found = verify(file)
    assert [str(fault) for fault in found.faults] == []
    (deals,) = found.games
    assert (found.passed, found.failed) == (len(deals), 0)
    assert deals[-1].score == FINAL_SCORES[file.stem]
    score = np.array(read_egn(file).initial_score)
    for deal in deals:
        assert deal.complete
        assert sum(deal.tricks) == 5 == len(deal.winners)
        score += deal.points
        assert tuple(score) == deal.score


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_real_deals_read_back_equal(file: Path, tmp_path: Path) -> None:
    game = read_egn(file)
    for name in ("out.egn", "out.jsonl"):
        save_records(tmp_path / name, [game])
        assert load_records(tmp_path / name) == [game]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.egn", "out.jsonl"]


def test_a_known_deal_scores_as_told() -> None:
    first = verify(FOLDER / "league-06.egn").games[0][0]
    assert (first.trump, first.maker, first.alone) == ("H", 2, True)
    assert (first.tricks, first.points, first.score) == ((5, 0), (4, 0), (8, 9))
    assert first.winners == (2, 2, 2, 2, 2)


# ---- one real deal, changed ----------------------------------------------------------------------


def real(deal: int = 0, name: str = "annotated-01") -> dict[str, Any]:
    """A file of one real deal."""
    data: dict[str, Any] = json.loads((FOLDER / f"{name}.egn").read_text("utf-8"))
    data["deals"] = [data["deals"][deal]]
    return data


def bidding(data: dict[str, Any]) -> dict[str, Any]:
    return data["deals"][0]["phases"][0]  # type: ignore[no-any-return]


def tricks(data: dict[str, Any]) -> list[list[str]]:
    return data["deals"][0]["phases"][1]["tricks"]  # type: ignore[no-any-return]


def start(data: dict[str, Any]) -> dict[str, Any]:
    return data["deals"][0]["initialState"]  # type: ignore[no-any-return]


def the_fault(data: dict[str, Any]) -> Any:
    """The only fault of a file."""
    found = verify(json.dumps(data))
    assert found.failed == 1
    assert len(found.faults) == 1
    return found.faults[0]


def passes(data: dict[str, Any]) -> Any:
    found = verify(json.dumps(data))
    assert [str(fault) for fault in found.faults] == []
    return found.games[0][0]


# Deal 0: South (2) deals, KD up; West and North pass, East orders, South lays away the KS.
#   West leads: 9D AD JD KD / East Kc: KC AC TC 9C / ...


def test_renege_names_file_deal_trick_and_seat(tmp_path: Path) -> None:
    data = json.loads((FOLDER / "league-02.egn").read_text("utf-8"))
    played = data["deals"][3]["phases"][1]["tricks"]
    assert (played[1], played[3]) == (["As", "Ts", "9s", "Qs"], ["Kh", "Th", "Jd", "Qh"])
    played[1][2], played[3][3] = "Qh", "9s"  # South keeps the spade that is due
    file = tmp_path / "renege.egn"
    file.write_text(json.dumps(data))
    (fault,) = verify(file).faults
    assert (fault.file, fault.deal, fault.trick, fault.seat) == (str(file), 3, 2, 2)
    assert fault.message == "renege: QH does not follow suit, the hand still holds 9S"
    assert str(fault) == f"{file}: deal 3, trick 2, seat 2 (South): {fault.message}"


def test_a_card_played_twice() -> None:
    data = real()
    tricks(data)[1][3] = tricks(data)[0][0]
    fault = the_fault(data)
    assert (fault.deal, fault.trick) == (0, 2)
    assert fault.seat is not None
    assert "9D is played twice, the first time in trick 1 by seat 3 (West)" in fault.message


def test_the_discard_cannot_be_played() -> None:
    data = real()
    bidding(data)["discard"] = tricks(data)[2][0]
    fault = the_fault(data)
    assert fault.trick == 3
    assert "discarded" in fault.message or "cannot have been held" in fault.message


def test_a_turned_down_upcard_cannot_be_played() -> None:
    data = real(6)
    start(data)["upCard"] = tricks(data)[0][1]
    fault = the_fault(data)
    assert fault.trick == 1
    assert "the upcard stayed in the kitty" in fault.message


def test_an_upcard_that_went_to_the_dealer_cannot_be_played_by_another() -> None:
    data = real()
    tricks(data)[0][0], tricks(data)[0][3] = tricks(data)[0][3], tricks(data)[0][0]
    fault = the_fault(data)
    assert (fault.trick, fault.seat) == (1, 3)
    assert "the upcard went to seat 2" in fault.message


def test_a_card_known_to_be_elsewhere_cannot_be_played() -> None:
    data = real()
    start(data)["player_cards"] = [[tricks(data)[0][0]], [], [], []]
    assert "it is in the hand of seat 0 (North)" in the_fault(data).message
    data = real()
    start(data)["kitty"] = [tricks(data)[0][0], "", ""]
    assert "it is in the kitty" in the_fault(data).message
    data = real()
    start(data)["player_cards"] = [[], [], [], ["9c", "9h", "Qc", "Td", "Qh"]]
    fault = the_fault(data)
    assert (fault.trick, fault.seat) == (1, 3)
    assert "the cards dealt to the seat were" in fault.message


def test_a_trick_with_too_few_or_too_many_cards() -> None:
    data = real()
    extra = tricks(data)[1].pop()
    fault = the_fault(data)
    assert (fault.trick, fault.message) == (2, "the trick has 3 cards, 4 are due")
    data = real()
    tricks(data)[1].append(tricks(data)[2][0])
    assert the_fault(data).message == "the trick has 5 cards, 4 are due"
    data = real()
    tricks(data).append([extra])
    fault = the_fault(data)
    assert fault.trick == 6
    assert "6 tricks" in fault.message


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        (["Pass"] * 8, "the call pass is not legal: legal are call_C, call_S, call_H"),
        (["Pass"] * 4 + ["d"], "the call call_D is not legal"),
        (["Pass"] * 4 + ["Order"], "the call order_up is not legal"),
        (["h"], "the call call_H is not legal: legal are pass, order_up"),
        (["Pass"] * 4 + ["n"], "the call call_NT is not legal"),
        (["Order", "Pass"], "1 calls follow after the bidding ended: pass"),
        (["Pass"] * 3, "has no trump yet"),
        (["Pass", "Maybe"], "'Maybe' is no call"),
    ],
)
def test_illegal_calls(calls: list[str], message: str) -> None:
    data = real()
    bidding(data)["calls"] = calls
    bidding(data).pop("discard")
    assert message in the_fault(data).message


def test_the_seat_of_an_illegal_call() -> None:
    data = real()
    bidding(data)["calls"] = ["Pass"] * 5 + ["d"]
    bidding(data).pop("discard")
    assert the_fault(data).seat == 0


def test_thrown_in_deals_pass_and_take_no_cards() -> None:
    data = real()
    data["metadata"]["ruleset"]["std"] = False
    bidding(data)["calls"] = ["Pass"] * 8
    bidding(data).pop("discard")
    assert "was thrown in" in the_fault(data).message
    tricks(data).clear()
    result = passes(data)
    assert (result.thrown_in, result.complete, result.points) == (True, True, (0, 0))


def test_a_discard_nobody_made() -> None:
    data = real(6)
    bidding(data)["discard"] = "9c"
    assert "9C is said to be discarded, but nobody takes the upcard" in the_fault(data).message


def test_initial_lead() -> None:
    data = real()
    play = data["deals"][0]["phases"][1]
    play["initialLead"] = 3
    passes(data)
    play["initialLead"] = 0
    fault = the_fault(data)
    assert (fault.trick, fault.seat) == (1, 3)
    assert "seat 0 (North) leads, by the rules seat 3 (West) does" in fault.message


def test_alone_where_there_is_no_lone_hand() -> None:
    data = real(9)
    bidding(data)["isAlone"] = False
    assert "3 cards, 4 are due" in the_fault(data).message
    data = real()
    bidding(data)["isAlone"] = True
    assert "4 cards, 3 are due" in the_fault(data).message


def test_missing_is_alone_means_with_partner() -> None:
    data = real()
    del bidding(data)["isAlone"]
    assert passes(data).alone is False


def test_a_canadian_loner_needs_no_flag() -> None:
    data = real(9)
    data["metadata"]["ruleset"]["canadian"] = True
    dealer = start(data)["dealer"]
    bidding(data)["calls"] = ["Pass", "Order"]
    del bidding(data)["isAlone"]
    tricks(data)[1:] = []
    tricks(data)[0] = ["9c", "Tc", "Qc"]
    start(data)["upCard"] = "9h"
    result = passes(data)
    assert (result.alone, result.maker) == (True, (dealer + 2) % 4)


def test_a_deal_after_the_end_of_the_game() -> None:
    data = json.loads((FOLDER / "league-06.egn").read_text("utf-8"))
    data["metadata"]["initialScore"] = [6, 9]
    fault = verify(json.dumps(data)).faults[0]
    assert fault.deal == 1
    assert "the game was over before this deal, at 10 to 9" in fault.message


def test_a_dealer_out_of_turn_is_noted_only() -> None:
    data = json.loads((FOLDER / "league-06.egn").read_text("utf-8"))
    del data["deals"][1]
    data["deals"].append(real(1, "league-01")["deals"][0])
    data["metadata"]["initialScore"] = [0, 0]
    data["deals"][1]["initialState"]["dealer"] = 3
    data["deals"][1]["phases"] = [{"type": "EUCHRE_BIDDING", "calls": []}]
    found = verify(json.dumps(data))
    assert found.failed == 0
    assert found.games[0][1].note == "the next dealer was seat 1 (East)"


def test_the_deal_after_a_faulty_one_keeps_the_score_before_it() -> None:
    data = json.loads((FOLDER / "league-06.egn").read_text("utf-8"))
    data["deals"][0]["phases"][0]["calls"] = ["h"]
    found = verify(json.dumps(data))
    assert (found.passed, found.failed) == (1, 1)
    first, second = found.games[0]
    assert not first.ok
    assert second.score == (6, 9)


# ---- partial deals and cards that are not known --------------------------------------------------


@pytest.mark.parametrize("kept", range(5))
def test_partial_deals_pass_and_score_nothing(kept: int) -> None:
    for file in FILES:
        data = json.loads(file.read_text("utf-8"))
        for deal in data["deals"]:
            played = deal["phases"][1]["tricks"]
            del played[kept + 1 :]
            del played[kept][2:]
        found = verify(json.dumps(data))
        assert [str(fault) for fault in found.faults] == []
        assert found.games[0][-1].score == read_egn(file).initial_score
        assert found.games[0][0].note == "the record breaks off"


def test_unknown_cards_stop_the_replay() -> None:
    data = real()
    tricks(data)[3][1] = ""
    result = passes(data)
    assert not result.complete
    assert result.note == "trick 4 holds a card that is not known"
    assert result.winners == passes(real()).winners[:3]
    tricks(data)[4][1] = tricks(data)[0][1]
    fault = the_fault(data)
    assert (fault.trick, fault.seat) == (5, None)
    assert "played twice" in fault.message


def test_an_unknown_upcard_cannot_be_replayed() -> None:
    data = real()
    start(data)["upCard"] = "Xx"
    assert "the upcard is not known" in the_fault(data).message


def test_partly_known_hands() -> None:
    data = real()
    start(data)["player_cards"] = [["Xc", "Jx"], ["Xx", ""], [], []]
    assert read_egn(json.dumps(data)).deals[0].hands == (("?C", "J?"), (), (), ())
    passes(data)


def test_a_hand_pattern_that_no_card_can_be() -> None:
    data = real()
    start(data)["player_cards"] = [[], [], [], ["Xs", "Xs", "Xs", "Xs", "Xs"]]
    fault = the_fault(data)
    assert fault.seat == 3
    assert "cannot be filled" in fault.message


def test_no_card_can_fill_a_void_hand() -> None:
    """West holds three diamonds more than there are."""
    data = real()
    del tricks(data)[1:]
    start(data)["player_cards"] = [[], [], [], ["9d", "Xd", "Xd"]]
    start(data)["kitty"] = ["Td", "Qd", "9c"]
    tricks(data)[0] = ["9d", "Ad", "Jd", "Kd"]
    fault = the_fault(data)
    assert (fault.deal, fault.seat) == (0, 3)
    assert "no card is left that fits" in fault.message


# ---- how cards are written -----------------------------------------------------------------------


def read_card(text: str, calls: tuple[str, ...] = ("Order",), up: str = "9h") -> str:
    data = real()
    start(data)["upCard"] = up
    bidding(data)["calls"] = list(calls)
    bidding(data).pop("discard")
    data["deals"][0]["phases"][1]["tricks"] = [[text]]
    return read_egn(json.dumps(data)).deals[0].tricks[0][0]


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("Kd", "KD"),
        ("kd", "KD"),
        ("Nc", "9C"),
        ("10s", "TS"),
        ("Ts", "TS"),
        ("A♣", "AC"),
        ("R", "JH"),
        ("L", "JD"),
        ("Rh", "JH"),
        ("Ld", "JD"),
        ("Lh", "JD"),
        ("Rx", "JH"),
        ("B", "JOKER"),
        ("Xx", "??"),
        ("", "??"),
        ("Xc", "?C"),
        ("Jx", "J?"),
    ],
)
def test_card_texts(text: str, card: str) -> None:
    assert read_card(text) == card


def test_bowers_follow_the_call_of_round_two() -> None:
    calls = ("Pass", "Pass", "Pass", "Pass", "s")
    assert read_card("L", calls) == "JC"
    assert read_card("R", calls) == "JS"


def test_the_upcard_may_be_a_right_bower() -> None:
    assert read_card("L", up="Rd") == "JH"


@pytest.mark.parametrize("text", ["1h", "Kz", "KKd", "t", "Ls", "Rd", "?"])
def test_an_unknown_card_text_is_a_fault_with_its_trick(text: str) -> None:
    data = real()
    start(data)["upCard"] = "9h"
    tricks(data)[2][1] = text
    fault = the_fault(data)
    assert (fault.deal, fault.trick) == (0, 3)
    assert repr(text) in fault.message


def test_a_bower_without_trump_is_a_fault() -> None:
    data = real()
    bidding(data)["calls"] = ["Pass"]
    bidding(data)["discard"] = "L"
    assert "no trump suit is named" in the_fault(data).message


def test_the_joker() -> None:
    data = real(6)
    tricks(data)[0][1] = "B"
    assert "joker=False" in the_fault(data).message
    data["metadata"]["ruleset"]["joker"] = True
    assert passes(data).winners[0] == (start(data)["dealer"] + 2) % 4


def test_a_joker_turned_up_is_named_by_the_dealer() -> None:
    data = real()
    data["metadata"]["ruleset"]["joker"] = True
    start(data)["upCard"] = "B"
    bidding(data)["calls"] = ["d"]
    tricks(data)[0][3] = "B"
    del tricks(data)[1:]
    result = passes(data)
    assert (result.trump, result.maker) == ("D", 2)


def test_annotations_are_kept(tmp_path: Path) -> None:
    data = real()
    bidding(data)["callAnnotations"] = {"2": ["[!]Strong order.", "Two trumps."]}
    data["deals"][0]["phases"][1]["playAnnotations"] = {"0": ["[??] ♥"]}
    game = read_egn(json.dumps(data))
    assert game.deals[0].call_notes == {"2": ("[!]Strong order.", "Two trumps.")}
    for name in ("a.egn", "a.jsonl"):
        save_records(tmp_path / name, [game])
        assert load_records(tmp_path / name) == [game]
    written = json.loads((tmp_path / "a.egn").read_text("utf-8"))
    assert bidding(written)["callAnnotations"] == bidding(data)["callAnnotations"]


def test_other_metadata_is_kept(tmp_path: Path) -> None:
    data = real()
    data["metadata"]["date"] = "2026-05-17"
    game = read_egn(json.dumps(data))
    write_egn(tmp_path / "a.egn", game)
    assert read_egn(tmp_path / "a.egn") == game
    assert game.metadata["date"] == "2026-05-17"


# ---- the rule set of a file ----------------------------------------------------------------------


def ruleset_of(**keys: Any) -> Ruleset:
    data = real()
    data["metadata"]["ruleset"] = keys
    return read_egn(json.dumps(data)).ruleset


@pytest.mark.parametrize(
    ("keys", "options"),
    [
        ({}, {"stick_the_dealer": True}),
        ({"std": False}, {}),
        ({"std": False, "winning_score": 5}, {"target_score": 5}),
        ({"std": False, "num_deals": 8}, {"target_score": None, "hands_per_game": 8}),
        (
            {"std": False, "num_deals": 8, "winning_score": 0},
            {"target_score": None, "hands_per_game": 8},
        ),
        ({"std": False, "canadian": True}, {"canadian_loner": True}),
        ({"std": False, "loner_lead": "LEFT_OF_LONER"}, {"loner_lead": "loner_left"}),
        ({"std": False, "loner_march_score": 5}, {"points_loner_march": 5}),
        ({"std": False, "loner_euchred_score": 4}, {"points_loner_euchred": 4}),
        ({"std": False, "defend_alone": True}, {"defend_alone": "vs_loner"}),
        ({"std": False, "joker": True}, {"joker": True}),
        ({"std": False, "allow_no_trump": True}, {"no_trump": "round2"}),
        ({"std": False, "fast_break": True}, {"fast_break": True}),
        ({"std": False, "four_trick_tokens": True}, {"four_trick_tokens": True}),
        ({"std": False, "partners_best": True}, {"call_for_best": "offered"}),
        ({"std": False, "min_rank": 9, "farmers": False}, {}),
    ],
)
def test_ruleset_keys(keys: dict[str, Any], options: dict[str, Any]) -> None:
    assert ruleset_of(**keys) == Ruleset(**options)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"min_rank": 7}, ["min_rank=7", "not supported", "nine"]),
        ({"num_players": 3}, ["num_players=3", "not supported", "variant='three_hand_dummy'"]),
        ({"farmers": True}, ["farmers=True", "not supported", "weak_hand='throw_in'"]),
        ({"go_under": True}, ["go_under=True", "not supported", "weak_hand='swap3'"]),
        ({"partners_best": 1}, ["'partners_best'", "true or false"]),
        ({"loner_lead": "LEFT"}, ["loner_lead", "'LEFT'"]),
        ({"loner_euchred_score": 1}, ["loner_euchred_score"]),
        ({"winning_score": 10, "num_deals": 8}, ["hands_per_game", "target_score"]),
        ({"winning_score": 0}, ["hands_per_game", "target_score"]),
        ({"joker": True, "allow_no_trump": True}, ["joker", "no_trump"]),
        ({"std": 1}, ["'std'", "true or false"]),
        ({"jokers": True}, ["'jokers' is not known"]),
    ],
)
def test_rule_sets_that_are_refused(keys: dict[str, Any], words: list[str]) -> None:
    data = real()
    data["metadata"]["ruleset"] = keys
    fault = the_fault(data)
    assert all(word in fault.message for word in words), fault.message
    with pytest.raises(RecordError, match=words[0].replace("'", ".")):
        read_egn(json.dumps(data))


@pytest.mark.parametrize(
    ("exchanges", "words"),
    [
        ([{"from": 0}], "'cards' is missing"),
        ([{"receiver": 0, "cards": ["9c", "9d", "9h"]}], "only one card"),
        ([{"receiver": 9, "cards": ["9c"]}], "seat 0 to 3"),
        ("9c", "takes a list"),
    ],
)
def test_other_exchanges_of_cards_are_refused(exchanges: Any, words: str) -> None:
    data = real()
    bidding(data)["cardExchanges"] = exchanges
    assert words in the_fault(data).message


BEST_HANDS = {
    0: "JH AH 9C TC 9D",
    1: "AC KC QC 9H TH",
    2: "AD AS KS QS JD",
    3: "TD QD KD 9S TS",
}
BEST_PLAYS = "AC TD TC  9H 9S JD  KH TH TS  JH KC KD  AH QC QD"


def partners_best(words: str = "claim JD 9C", how: str = "offered") -> GameRecord:
    """North picks up the KH alone, lays the 9D away, and may get a card of South's."""
    ruleset = Ruleset(call_for_best=how)
    deck = deck_of(deck_with(BEST_HANDS, "KH"))
    acts = f"pass pass pass order_up alone 9D {words} {BEST_PLAYS}".split()
    return GameRecord(ruleset=ruleset, deals=(record_hand(ruleset, deck, 0, acts),))


@pytest.mark.parametrize("kind", ["egn", "jsonl"])
@pytest.mark.parametrize("how", ["offered", "always"])
def test_a_card_passed_reads_back_and_replays(tmp_path: Path, kind: str, how: str) -> None:
    game = partners_best("claim JD 9C" if how == "offered" else "JD 9C", how)
    deal = game.deals[0]
    assert (deal.passed, deal.buried, deal.discard) == ("JD", ("9C",), "9D")
    path = tmp_path / f"best.{kind}"
    save_records(path, [game])
    assert load_records(path) == [game]
    (result,), faults = replay(game)
    assert not faults
    assert (result.tricks, result.points) == ((4, 1), (1, 0))


@pytest.mark.parametrize(
    "unknown",
    [{"passed": "??"}, {"buried": ()}, {"passed": "??", "buried": (), "discard": None}],
    ids=str,
)
def test_what_was_passed_follows_from_the_cards_played(unknown: dict[str, Any]) -> None:
    game = partners_best()
    deals = (dataclasses.replace(game.deals[0], **unknown),)
    (played,) = played_deals(dataclasses.replace(game, deals=deals))
    acts = [ACTION_TEXT[step.action] for step in played.steps]
    assert acts[4:6] == ["alone", acts[5]] and acts[6:8] == ["claim", "JD"]
    assert {acts[5], acts[8]} == {"9C", "9D"}
    assert played.certain and not played.complete


def test_a_lone_hand_that_kept_its_cards() -> None:
    game = partners_best()
    words = "pass pass pass order_up alone 9D keep AC TD TC"
    deal = record_hand(game.ruleset, deck_of(deck_with(BEST_HANDS, "KH")), 0, words.split(" "))
    assert (deal.passed, deal.buried) == (None, ())
    (result,), faults = replay(dataclasses.replace(game, deals=(deal,)))
    assert not faults and not result.complete


def test_cards_passed_where_none_may_be() -> None:
    game = partners_best()
    plain = dataclasses.replace(game, ruleset=Ruleset())
    _, (fault,) = replay(plain)
    assert "no lone hand may have one there" in fault.message
    deal = dataclasses.replace(game.deals[0], hands=((), (), (), ()))
    _, (fault,) = replay(dataclasses.replace(game, deals=(deal,)))
    assert "a record must show all hands" in fault.message
    deal = dataclasses.replace(game.deals[0], passed="AC")
    _, (fault,) = replay(dataclasses.replace(game, deals=(deal,)))
    assert "the card passed AC is not legal" in fault.message
    assert fault.seat == 2


def test_only_the_caller_gets_a_card_in_egn(tmp_path: Path) -> None:
    path = tmp_path / "best.egn"
    write_egn(path, partners_best())
    data = json.loads(path.read_text())
    exchange = bidding(data)["cardExchanges"][0]
    assert exchange == {"sender": 2, "receiver": 0, "cards": ["Jd"]}
    del exchange["sender"]
    assert read_egn(json.dumps(data)) == partners_best()
    exchange["sender"] = 1
    assert "from its partner" in the_fault(data).message


def test_tokens_at_the_start_of_a_record(tmp_path: Path) -> None:
    ruleset = Ruleset(four_trick_tokens=True)
    hands = BEST_HANDS | {0: "JH AH QH 9C 9D", 2: "AD AS KS QS JS"}
    deck = deck_of(deck_with(hands, "KH"))
    plays = "AC AD TD 9C  KC JS QD KH  JH 9H QS KD  AH TH KS 9S  QH QC AS TS"
    acts = f"pass pass pass order_up with_partner 9D {plays}".split()
    deal = record_hand(ruleset, deck, 0, acts)
    game = GameRecord(ruleset=ruleset, deals=(deal,), initial_tokens=(3, 1))
    assert replay(game)[0][0].points == (2, 0)
    assert replay(dataclasses.replace(game, initial_tokens=()))[0][0].points == (1, 0)
    save_records(tmp_path / "tokens.jsonl", [game])
    assert load_records(tmp_path / "tokens.jsonl") == [game]
    with pytest.raises(RecordError, match="tokens at the start"):
        write_egn(tmp_path / "tokens.egn", game)
    _, (fault,) = replay(dataclasses.replace(game, ruleset=Ruleset()))
    assert "four_trick_tokens=False" in fault.message
    line = (tmp_path / "tokens.jsonl").read_text().replace("[3, 1]", "[4, 1]")
    with pytest.raises(RecordError, match=r"initial_tokens.*0 to 3"):
        read_jsonl(line)


def test_a_dealer_may_discard_though_the_partner_goes_alone() -> None:
    data = real(9)
    bidding(data)["calls"] = ["Pass", "Order"]
    del tricks(data)[0:]
    bidding(data)["discard"] = "9c"
    assert read_egn(json.dumps(data)).ruleset.partner_alone_upcard == "dealer_discards"
    assert passes(data).alone


@pytest.mark.parametrize("preset", PRESETS)
def test_any_rule_set_goes_through_egn(preset: str, tmp_path: Path) -> None:
    game = dataclasses.replace(read_egn(FILES[0]), ruleset=Ruleset.preset(preset))
    write_egn(tmp_path / "a.egn", game)
    assert read_egn(tmp_path / "a.egn") == game


# ---- malformed files -----------------------------------------------------------------------------


def without(path: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
    """A file that lacks the key at a dotted path."""
    found = real() if data is None else data
    *parents, key = path.split(".")
    inner: Any = found
    for parent in parents:
        inner = inner[int(parent) if parent.isdigit() else parent]
    del inner[key]
    return found


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("fileType", "'fileType'"),
        ("deals", "'deals'"),
        ("deals.0.initialState", "'initialState'"),
        ("deals.0.initialState.dealer", "'dealer'"),
        ("deals.0.initialState.upCard", "'upCard'"),
        ("deals.0.phases", "'phases'"),
        ("deals.0.phases.0.type", "'type'"),
        ("deals.0.phases.0.calls", "'calls'"),
    ],
)
def test_a_missing_key_is_named(path: str, key: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.egn"
    file.write_text(json.dumps(without(path)))
    found = verify(file)
    assert found.failed == 1
    assert f"key {key} is missing" in str(found.faults[0])
    assert str(file) in str(found.faults[0])


WRONG_VALUES: list[tuple[list[Any], Any, str]] = [
    (["fileType"], "PGN", "'fileType'"),
    (["version"], "2.0", "'version'"),
    (["metadata"], 3, "'metadata'"),
    (["metadata", "players"], ["A"], "'players'"),
    (["metadata", "initialScore"], [1], "'initialScore'"),
    (["metadata", "initialScore"], [True, 1], "'initialScore'"),
    (["metadata", "initialScore"], [1e9, 1], "'initialScore'"),
    (["metadata", "ruleset"], [], "'ruleset'"),
    (["deals"], {}, "'deals'"),
    (["deals", 0], 5, "a deal"),
    (["deals", 0, "dealNumber"], "x", "'dealNumber'"),
    (["deals", 0, "initialState", "dealer"], 4, "'dealer'"),
    (["deals", 0, "initialState", "dealer"], True, "'dealer'"),
    (["deals", 0, "initialState", "upCard"], 7, "'upCard'"),
    (["deals", 0, "initialState", "kitty"], ["9c", 4], "'kitty'"),
    (["deals", 0, "initialState", "player_cards"], [[]], "'player_cards'"),
    (["deals", 0, "phases"], ["x"], "a phase"),
    (["deals", 0, "phases"], [], "EUCHRE_BIDDING"),
    (["deals", 0, "phases", 0, "isAlone"], "no", "'isAlone'"),
    (["deals", 0, "phases", 0, "aloneDefender"], 9, "'aloneDefender'"),
    (["deals", 0, "phases", 0, "callAnnotations"], {"1": "x"}, "'callAnnotations'"),
    (["deals", 0, "phases", 1, "tricks"], [["9c", None]], "'tricks'"),
    (["deals", 0, "phases", 1, "tricks"], "x", "'tricks'"),
    (["deals", 0, "phases", 1, "type"], "EUCHRE_BIDDING", "2 phases of type"),
]


@pytest.mark.parametrize(("path", "value", "word"), WRONG_VALUES)
def test_a_wrong_value_is_named(path: list[Any], value: Any, word: str) -> None:
    data = real()
    inner: Any = data
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    assert word in str(the_fault(data))


@pytest.mark.parametrize("content", [b"", b"  \n", b"{", b"[]", b"3", b"\xff\xfe{", b"[" * 100_000])
@pytest.mark.parametrize("name", ["bad.egn", "bad.jsonl", "bad.txt"])
def test_an_unreadable_record_is_told_with_its_file(
    content: bytes, name: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    found = verify(file)
    assert found.failed == 1
    assert str(file) in str(found.faults[0])
    with pytest.raises(RecordError, match="euchre record verify") as caught:
        load_records(file)
    assert str(file) in str(caught.value)
    assert file.read_bytes() == content


def test_random_damage_never_gives_another_error() -> None:
    text = (FOLDER / "league-06.egn").read_text("utf-8")
    rng = random.Random(5)
    for _ in range(300):
        cut = rng.randrange(len(text))
        damaged = text[:cut] + rng.choice('0x"],:{} ') + text[cut + rng.randrange(3) :]
        verify("{" + damaged[1:])


def test_random_values_never_give_another_error() -> None:
    rng = random.Random(6)
    odd = [None, True, -1, 7, 10**30, 1.5, "", "Xx", "Jh", "Pass", [], {}, [[]], ["9c"], {"a": 1}]

    def change(node: Any) -> Any:
        if rng.random() < 0.02:
            return rng.choice(odd)
        if isinstance(node, dict):
            return {key: change(value) for key, value in node.items()}
        if isinstance(node, list):
            return [change(value) for value in node]
        return node

    for _ in range(200):
        data = real(rng.randrange(11))
        verify(json.dumps({key: change(value) for key, value in data.items()}))


def test_one_bad_deal_leaves_the_others(tmp_path: Path) -> None:
    data = json.loads((FOLDER / "league-06.egn").read_text("utf-8"))
    del data["deals"][0]["initialState"]["dealer"]
    found = verify(json.dumps(data))
    assert (found.passed, found.failed) == (1, 1)
    assert found.faults[0].deal == 0


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    for read in (verify, load_records, read_egn, read_jsonl):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "none.egn")


# ---- JSON lines ----------------------------------------------------------------------------------


def test_lines_of_several_games_and_the_line_of_a_fault(tmp_path: Path) -> None:
    games = [read_egn(file) for file in FILES[:2]]
    file = tmp_path / "games.jsonl"
    write_jsonl(file, games)
    assert read_jsonl(file) == games == load_records(file)
    lines = file.read_text("utf-8").splitlines()
    broken = json.loads(lines[1])
    broken["deals"][4]["tricks"][1][0] = broken["deals"][4]["tricks"][0][0]
    file.write_text(f"{lines[0]}\n{json.dumps(broken)}\n", "utf-8")
    found = verify(file)
    assert (found.passed, found.failed) == (23, 1)
    (fault,) = found.faults
    assert (fault.file, fault.deal, fault.trick) == (f"{file}:2", 4, 2)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"version": 2}, "'version'"),
        ({"format": "x"}, "'format'"),
        ({"ruleset": {"jokers": True}}, "did you mean 'joker'"),
        ({"ruleset": 1}, "'ruleset'"),
        ({"players": ["A"]}, "'players'"),
        ({"deals": [{"dealer": 0}]}, "'upcard'"),
        ({"deals": [{"dealer": 0, "upcard": "9C", "alone": "yes"}]}, "'alone'"),
        ({"deals": [{"dealer": 0, "upcard": "9C", "hands": [[]]}]}, "'hands'"),
        ({"deals": [{"dealer": 0, "upcard": "9C", "calls": ["JH"]}]}, "'calls'"),
        ({"deals": [{"dealer": 0, "upcard": "9C", "tricks": [["9C"], ["??", "1C"]]}]}, "trick 2"),
    ],
)
def test_a_malformed_line(change: dict[str, Any], word: str, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    write_jsonl(file, [read_egn(FILES[0])])
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | change))
    found = verify(file)
    assert found.failed >= 1
    assert word in str(found.faults[0])
    assert f"{file}" in str(found.faults[0])


# ---- writing -------------------------------------------------------------------------------------


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "a.egn"
    file.write_text("old")
    deal = DealRecord(dealer=0, upcard="9C", calls=("claim",))
    game = GameRecord(ruleset=Ruleset(weak_hand="throw_in"), deals=(deal,))
    with pytest.raises(RecordError, match="jsonl"):
        write_egn(file, game)
    alone = DealRecord(dealer=0, upcard="9C", calls=("order_up",), alone="partner")
    with pytest.raises(RecordError, match="partner"):
        write_egn(file, GameRecord(ruleset=Ruleset(), deals=(alone,)))
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_write_that_breaks_leaves_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_jsonl(tmp_path / "a.jsonl", [read_egn(FILES[0])])
    assert list(tmp_path.iterdir()) == []


def test_save_records_wants_an_ending_it_knows(tmp_path: Path) -> None:
    games = [read_egn(file) for file in FILES[:2]]
    with pytest.raises(RecordError, match=r"\.egn or \.jsonl"):
        save_records(tmp_path / "a.txt", games)
    with pytest.raises(RecordError, match="one game, not 2"):
        save_records(tmp_path / "a.egn", games)


# ---- hands of the engine -------------------------------------------------------------------------


@dataclasses.dataclass
class Hand:
    """A random hand: its rule set, its record, the engine's last state, and its actions."""

    ruleset: Ruleset
    deal: DealRecord
    state: Any
    deck: Any
    actions: list[int]


def random_hand(ruleset: Ruleset, rng: random.Random) -> Hand:
    cards = list(range(25 if ruleset.joker else 24))
    rng.shuffle(cards)
    while ruleset.joker_upcard == "redraw" and cards[20] == 24:
        rng.shuffle(cards)
    deck, dealer = deck_of(cards, ruleset.joker), rng.randrange(4)
    s, r = rules.new_states(1)[0], ruleset.record()[0]
    rules.new_match(s, r)
    rules.deal(s, r, deck, dealer)
    actions = []
    while s.phase != rules.OVER:
        legal = int(rules.legal(s, r))
        action = rng.choice([a for a in range(38) if legal >> a & 1])
        actions.append(int(TO_ABSOLUTE[s.frame, action]))
        rules.apply(s, r, action)
    return Hand(ruleset, record_hand(ruleset, deck, dealer, actions), s, deck, actions)


def random_hands(count: int, seed: int, **options: Any) -> list[Hand]:
    rng = random.Random(seed)
    hands = []
    for _ in range(count):
        ruleset = random_ruleset(rng)
        hands.append(random_hand(ruleset.replace(**options), rng))
    return hands


def the_result(ruleset: Ruleset, deal: DealRecord) -> Any:
    results, faults = replay(GameRecord(ruleset=ruleset, deals=(deal,)))
    assert [str(fault) for fault in faults] == [], deal
    return results[0]


def agrees(result: Any, state: Any) -> bool:
    return (result.complete, result.points, result.tricks) == (
        True,
        tuple(state.points[:2].tolist()),
        tuple(state.tricks[:2].tolist()),
    )


def test_random_hands_replay_under_random_rule_sets() -> None:
    for hand in random_hands(300, seed=1):
        assert agrees(the_result(hand.ruleset, hand.deal), hand.state), hand


def test_random_hands_read_back_equal(tmp_path: Path) -> None:
    hands = random_hands(150, seed=2)
    games = [GameRecord(ruleset=hand.ruleset, deals=(hand.deal,)) for hand in hands]
    write_jsonl(tmp_path / "a.jsonl", games)
    assert read_jsonl(tmp_path / "a.jsonl") == games
    told = 0
    for game in games:
        deal = game.deals[0]
        if deal.alone == "partner" or {"keep", "claim"} & set(deal.calls):
            continue
        write_egn(tmp_path / "a.egn", game)
        assert read_egn(tmp_path / "a.egn") == game
        told += 1
    assert told > 75


SHOWN = {
    "weak_hand": "off",
    "require_natural_trump": "off",
    "renege": "impossible",
    "call_for_best": "off",
}


def test_hands_that_are_not_shown_add_no_fault() -> None:
    for hand in random_hands(300, seed=3, **SHOWN):
        hidden = dataclasses.replace(hand.deal, hands=((), (), (), ()), kitty=(), discard=None)
        assert agrees(the_result(hand.ruleset, hidden), hand.state), hand


def test_hands_shown_in_part_and_cut_short_add_no_fault() -> None:
    rng = random.Random(4)
    for hand in random_hands(300, seed=4, **SHOWN):
        deal = hand.deal
        shown = tuple(tuple(c for c in h if rng.random() < 0.4) for h in deal.hands)
        partly = tuple(
            tuple(c if rng.random() < 0.5 or c == "JOKER" else f"?{c[1]}" for c in h) for h in shown
        )
        played = list(deal.tricks[: rng.randrange(6)])
        if played:
            played[-1] = played[-1][: rng.randrange(1, 5)]
        kitty = tuple(c for c in deal.kitty if rng.random() < 0.3)
        discard = deal.discard if rng.random() < 0.3 else None
        cut = dataclasses.replace(
            deal, hands=partly, tricks=tuple(played), kitty=kitty, discard=discard
        )
        the_result(hand.ruleset, cut)


def reneged(hand: Hand, rng: random.Random) -> tuple[DealRecord, int, int] | None:
    """The hand with a card played out of suit and its due card later; with trick and seat."""
    s, r = rules.new_states(1)[0], hand.ruleset.record()[0]
    rules.new_match(s, r)
    rules.deal(s, r, hand.deck, hand.deal.dealer)
    chances = []
    for absolute in hand.actions:
        if s.phase == rules.PLAY:
            frame, seat = int(s.frame), int(s.turn)
            refused = int(s.hand[seat]) & ~int(rules.legal(s, r))
            for bit in range(25):
                if refused >> bit & 1:
                    wrong = ACTION_TEXT[int(TO_ABSOLUTE[frame, bit])]
                    chances.append((int(s.trick), seat, ACTION_TEXT[absolute], wrong))
        rules.apply(s, r, int(FROM_ABSOLUTE[s.frame, absolute]))
    if not chances:
        return None
    trick, seat, due, wrong = rng.choice(chances)
    turned = {due: wrong, wrong: due}
    tricks = tuple(tuple(turned.get(c, c) for c in t) for t in hand.deal.tricks)
    return dataclasses.replace(hand.deal, tricks=tricks), trick + 1, seat


def test_every_renege_from_a_known_hand_is_found() -> None:
    rng = random.Random(7)
    found = 0
    for hand in random_hands(200, seed=7, weak_hand="off", renege="impossible"):
        planted = reneged(hand, rng)
        if planted is None:
            continue
        deal, trick, seat = planted
        game = GameRecord(ruleset=hand.ruleset, deals=(deal,))
        (fault,) = replay(game, "f")[1]
        assert (fault.trick, fault.seat) == (trick, seat) or fault.trick > trick
        if (fault.trick, fault.seat) == (trick, seat):
            assert "renege" in fault.message
            found += 1
    assert found > 60


def test_an_unfinished_hand_is_recorded() -> None:
    hand = random_hands(1, seed=9, **SHOWN)[0]
    for stop in range(len(hand.actions) + 1):
        deal = record_hand(hand.ruleset, hand.deck, hand.deal.dealer, hand.actions[:stop])
        result = the_result(hand.ruleset, deal)
        assert result.complete == (stop == len(hand.actions))


def test_record_hand_takes_texts_and_refuses_illegal_actions() -> None:
    deck = deck_of(list(range(24)))
    deal = record_hand(Ruleset(), deck, 3, ["order_up", "alone"])
    assert (deal.calls, deal.alone, deal.upcard) == (("order_up",), "maker", "JS")
    with pytest.raises(ActionError, match=r"'alone' is not legal now: legal are pass, order_up"):
        record_hand(Ruleset(), deck, 3, ["alone"])
    with pytest.raises(ActionError, match="no action"):
        record_hand(Ruleset(), deck, 3, ["fold"])


def test_rules_that_look_at_hands_need_all_hands() -> None:
    hand = random_hands(1, seed=11, weak_hand="throw_in")[0]
    hidden = dataclasses.replace(hand.deal, hands=((), (), (), ()))
    (fault,) = replay(GameRecord(ruleset=hand.ruleset, deals=(hidden,)))[1]
    assert "weak_hand" in fault.message
    assert "all hands" in fault.message


def test_a_match_of_several_games_is_replayed() -> None:
    ruleset = Ruleset(match_games=3, target_score=1, stick_the_dealer=True)
    rng, deals = random.Random(12), []
    while len(deals) < 2:
        deals.append(random_hand(ruleset, rng).deal)
    results, faults = replay(GameRecord(ruleset=ruleset, deals=tuple(deals)))
    assert faults == []
    assert results[1].score == results[1].points


# ---- decks ---------------------------------------------------------------------------------------


def test_complete_deck_keeps_what_is_named() -> None:
    deck = complete_deck("JH", {2: ["AS", "KS"]}, ["9C"])
    texts = [card_text(int(card)) for card in deck[:24]]
    assert texts[10:12] == ["AS", "KS"]
    assert texts[20:22] == ["JH", "9C"]
    assert len(set(texts)) == 24
    assert deck[24] == -1
    assert complete_deck("JH", joker=True)[24] >= 0


def test_complete_deck_refuses_what_does_not_fit() -> None:
    with pytest.raises(CardError, match="room for 5"):
        complete_deck("JH", {0: ["9C", "TC", "JC", "QC", "KC", "AC"]})
    with pytest.raises(CardError, match="more than once"):
        complete_deck("JH", {0: ["JH"]})
    with pytest.raises(CardError, match="joker"):
        complete_deck("JH", {0: ["JOKER"]})


def test_records_are_values() -> None:
    game = read_egn(FILES[0])
    assert copy.deepcopy(game) == game
    with pytest.raises(dataclasses.FrozenInstanceError):
        game.deals[0].dealer = 1  # type: ignore[misc]


# ---- games without partners ----------------------------------------------------------------------

OTHER_GAMES = (
    *VARIANT_PRESETS,
    "three_hand,dummy_exchange=false",
    "three_hand,allow_alone=false",
    "cutthroat,widow_exchange=true,drop_out=true",
    "two_hand,two_hand_dummy=maker",
)
DUMMY_TAKEN = "pass pass order_up TC with_partner 9C KS JC"
PLAYED_OUT = "9S JS 9H AC JD KD 9D AD TH KH TS JH AS AH QS"


def recorded(rules: str, deck: str, dealer: int, history: str) -> GameRecord:
    """A game of one hand, as told."""
    ruleset = Ruleset.parse(rules)
    deal = record_hand(ruleset, deck_of(deck.split()), dealer, history.split())
    return GameRecord(ruleset=ruleset, deals=(deal,))


def spread(**changes: Any) -> GameRecord:
    """A hand of three players whose maker took the dummy, its deal changed."""
    game = recorded("three_hand", SPREAD, 1, f"{DUMMY_TAKEN} {PLAYED_OUT}")
    return dataclasses.replace(game, deals=(dataclasses.replace(game.deals[0], **changes),))


def only_fault(game: GameRecord) -> str:
    results, faults = replay(game, "x")
    assert [result.ok for result in results] == [False]
    return str(faults[0])


def random_game(ruleset: Ruleset, rng: random.Random, hands: int) -> tuple[GameRecord, Any]:
    """A game of some random hands, the last one broken off, and the engine's state before that."""
    states, r = rules.new_states(2), ruleset.record()[0]
    s, dealer, deals = states[0], rng.randrange(ruleset.players), []
    rules.new_match(s, r)
    for number in range(hands):
        deck = deck_of(rng.sample(range(24), 24))
        if number == 0:
            rules.deal(s, r, deck, dealer)
        elif s.match_winner == rules.UNDECIDED:
            dealer = int(s.next_dealer)
            rules.next_hand(s, r, deck)
        else:
            break
        actions = []
        while s.phase != rules.OVER:
            legal = int(rules.legal(s, r))
            action = rng.choice([a for a in range(38) if legal >> a & 1])
            actions.append(int(TO_ABSOLUTE[s.frame, action]))
            rules.apply(s, r, action)
        states[1] = s
        deals.append(record_hand(ruleset, deck, dealer, actions, number))
    if s.match_winner == rules.UNDECIDED:
        deals.append(record_hand(ruleset, deck, dealer, actions[: rng.randrange(len(actions))], 9))
    return GameRecord(ruleset=ruleset, deals=tuple(deals)), states[1]


@pytest.mark.parametrize("rules_text", OTHER_GAMES)
def test_games_of_other_kinds_read_back_equal_and_replay(rules_text: str, tmp_path: Path) -> None:
    rng = random.Random(rules_text)
    played = [random_game(Ruleset.parse(rules_text), rng, 4) for _ in range(12)]
    games = [game for game, _ in played]
    write_jsonl(tmp_path / "a.jsonl", games)
    assert read_jsonl(tmp_path / "a.jsonl") == games
    found = verify(tmp_path / "a.jsonl")
    assert [str(fault) for fault in found.faults] == []
    assert found.passed == sum(len(game.deals) for game in games)
    for results, (game, s) in zip(found.games, played):
        sides = len(game.initial_score)
        assert results[-1].score == tuple(s.score[:sides].tolist())
        whole = [result for result, deal in zip(results, game.deals) if deal.number != 9]
        assert all(result.complete for result in whole)
        assert whole[-1].points == tuple(s.points[:sides].tolist())
        assert whole[-1].tricks == tuple(s.tricks[:sides].tolist())


def test_random_rule_sets_of_all_games_replay() -> None:
    rng = random.Random(8)
    for _ in range(60):
        ruleset = random_ruleset(rng, variants=True)
        if not ruleset.is_partnership:
            game, s = random_game(ruleset, rng, 2)
            results, faults = replay(game)
            assert [str(fault) for fault in faults] == [], game
            whole = [result for result, deal in zip(results, game.deals) if deal.number != 9]
            assert whole[-1].score == tuple(s.score[: len(whole[-1].score)].tolist())


def test_a_hand_with_a_dummy_as_it_is_written(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", [spread()])
    (line,) = (tmp_path / "a.jsonl").read_text("utf-8").splitlines()
    data = json.loads(line)
    assert data["players"] == ["North", "East", "South"]
    assert data["initial_score"] == [0, 0, 0]
    deal = data["deals"][0]
    assert deal["dummy"] == ["9C", "AH", "JC"]
    assert deal["buried"] == ["9C", "KS", "JC"]
    assert deal["discard"] == "TC"
    assert deal["kitty"] == ["KC", "QH", "QC", "QD", "TD"]
    assert [len(hand) for hand in deal["hands"]] == [5, 5, 5]
    (result,) = verify(tmp_path / "a.jsonl").games[0]
    assert (result.trump, result.maker, result.tricks) == ("H", 1, (1, 3, 1))
    assert (result.points, result.score, result.winners) == (
        *((0, 1, 0), (0, 1, 0)),
        (1, 2, 1, 0, 1),
    )


def test_scores_of_a_game_that_counts_down_start_at_the_top() -> None:
    call = "pass pass pass pass pass pass call_C"
    game = recorded("dirty_clubs", ROUND_TWO, 2, f"{call} pass pass pass")
    assert game.initial_score == (25, 25, 25, 25)
    assert game.deals[0].dropped == (2, 3, 0)
    (result,), _ = replay(game)
    assert (result.complete, result.score) == (True, (25, 20, 25, 25))
    (result,), _ = replay(recorded("dirty_clubs", CLUB_UP, 2, "KS"))
    assert (result.trump, result.maker, result.complete) == ("C", None, False)


def test_the_score_at_the_start_is_by_player(tmp_path: Path) -> None:
    game = dataclasses.replace(spread(), initial_score=(3, 9, 8))
    save_records(tmp_path / "a.jsonl", [game])
    (result,) = verify(tmp_path / "a.jsonl").games[0]
    assert result.score == (3, 10, 8)
    more = dataclasses.replace(game, deals=game.deals * 2)
    assert "the game was over before this deal, at 3 to 10 to 8" in str(replay(more)[1][0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hands": ((), (), ())}, "the hand of seat 0 (North) shows 0 of 5 cards"),
        ({"dummy": ()}, "the dummy shows 0 of 3 cards"),
        ({"hands": ((), (), (), ())}, "the record has 4 hands, the game 3 players"),
        ({"dealer": 3}, "3 is no seat of this game"),
        ({"dropped": (3,)}, "3 is no seat of this game"),
        ({"dropped": (2,)}, "seat 2 (South): the record says that it drops out"),
        ({"discard": "?C"}, "only where all laid away is known"),
        ({"discard": None}, "does not show all that seat 1 (East) lays away"),
        ({"buried": ("9C", "KS")}, "does not show all that seat 1 (East) lays away"),
        ({"buried": ("9C", "KS", "JC", "AH")}, "said to be laid away: AH"),
        ({"buried": ("9C", "KS", "QH")}, "the card laid away QH is not legal"),
        ({"dummy": ("9C", "AH", "9S")}, "9S is there twice"),
        ({"kitty": ("AH",)}, "AH is there twice"),
        (
            {"tricks": (("9S", "JS"), ("AC", "JD", "KD"))},
            "trick 1: the trick has 2 cards, 3 are due",
        ),
        ({"tricks": (("9S", "JS", "9H", "AC"),)}, "trick 1: the trick has 4 cards, 3 are due"),
        ({"tricks": (("9S", "AS", "JS"),)}, "is not in the hand of the seat that plays it"),
        ({"alone": "maker", "buried": (), "tricks": (("9S", "JS", "AH"),)}, "AH is not in the"),
    ],
)
def test_what_a_record_of_another_game_lacks_is_named(
    changes: dict[str, Any], message: str
) -> None:
    assert message in only_fault(spread(**changes))


def test_cards_after_everyone_dropped_out() -> None:
    call = "pass pass pass pass pass pass call_C"
    game = recorded("dirty_clubs", ROUND_TWO, 2, f"{call} pass pass pass")
    deal = dataclasses.replace(game.deals[0], tricks=(("AH",),))
    told = only_fault(dataclasses.replace(game, deals=(deal,)))
    assert "cards are played, but everyone else has dropped out" in told


def test_numbers_of_players_that_do_not_fit_are_named() -> None:
    game = dataclasses.replace(read_egn(FILES[0]), ruleset=Ruleset.preset("three_hand"))
    results, faults = replay(game, "x")
    assert len(faults) == len(results) == 11
    assert "the record names 2 scores, the game has 3" in str(faults[0])
    four = dataclasses.replace(spread(), players=("a", "b", "c", "d"))
    assert "the record names 4 players, the game has 3" in only_fault(four)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"players": ["a", "b"]}, "takes three names, not 2"),
        ({"initial_score": [1, 2]}, "takes the scores of the three players"),
        ({"deals": [{"dealer": 3, "upcard": "9C"}]}, "takes a seat 0 to 2, not 3"),
        ({"deals": [{"dealer": 0, "upcard": "9C", "dropped": [True]}]}, "'dropped'"),
        ({"deals": [{"dealer": 0, "upcard": "9C", "dummy": ["1C"]}]}, "'dummy'"),
        ({"deals": [{"dealer": 0, "upcard": "9C", "buried": "9C"}]}, "'buried'"),
        ({"deals": [{"dealer": 0, "upcard": "9C", "hands": [[]] * 4}]}, "takes three lists"),
    ],
)
def test_a_malformed_line_of_another_game(
    change: dict[str, Any], word: str, tmp_path: Path
) -> None:
    file = tmp_path / "games.jsonl"
    write_jsonl(file, [spread()])
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | change))
    assert word in str(verify(file).faults[0])


def test_euchre_game_notation_holds_the_partnership_game_only(tmp_path: Path) -> None:
    file = tmp_path / "a.egn"
    file.write_text("old")
    for write in (lambda: write_egn(file, spread()), lambda: save_records(file, [spread()])):
        with pytest.raises(RecordError) as refused:
            write()
        assert str(refused.value) == (
            "variant='three_hand_dummy': .egn holds the partnership game only: write a .jsonl file"
        )
    assert file.read_text() == "old"
    data = real()
    data["metadata"]["euchre_env_ruleset"] = {"variant": "buck"}
    assert "variant='buck': .egn holds the partnership game only" in str(the_fault(data))


def test_an_older_record_is_read_as_before() -> None:
    line = {
        "format": "euchre-record",
        "version": 1,
        "ruleset": {"stick_the_dealer": True},
        "deals": [{"dealer": 0, "upcard": "9C", "calls": ["pass"], "number": 3}],
    }
    (game,) = read_jsonl(json.dumps(line))
    assert (game.players, game.initial_score) == (("North", "East", "South", "West"), (0, 0))
    assert game.deals == (DealRecord(dealer=0, upcard="9C", calls=("pass",), number=3),)


def test_nobody_judges_the_other_games_yet() -> None:
    for judge in (played_deals, full_deals):
        with pytest.raises(RulesetError, match="records are judged for the partnership game only"):
            judge(spread())
