"""The cost of every card of a record, and the verb `analyse`."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from agents.app.cli import main
from euchre_env import rules
from euchre_env.actions import FROM_ABSOLUTE, TO_ABSOLUTE
from euchre_env.analysis import UNCERTAIN, DealCosts, analyse_record
from euchre_env.cards import JOKER, card_id, card_text, cards_of
from euchre_env.record import DealRecord, GameRecord, load_records
from euchre_env.replay import full_deals
from euchre_env.ruleset import Ruleset, RulesetError
from tests import minimax

DATA = Path(__file__).parents[1] / "euchre_env" / "data" / "egn"
GAMES = [game for file in sorted(DATA.glob("*.egn")) for game in load_records(file)]
ANNOTATED = str(DATA / "annotated-01.egn")


def with_deal(game: GameRecord, deal: DealRecord, **changes: Any) -> GameRecord:
    return dataclasses.replace(game, deals=(dataclasses.replace(deal, **changes),))


@pytest.fixture(scope="module")
def costs() -> list[list[DealCosts]]:
    return [analyse_record(game) for game in GAMES]


def test_real_deals(costs: list[list[DealCosts]]) -> None:
    deals = [deal for game in costs for deal in game]
    cards = [cost for deal in deals for cost in deal.costs]
    assert len(deals) == 81
    assert all(len(deal.costs) in (15, 20) for deal in deals)
    assert all(cost.points >= 0 and cost.tricks >= 0 for cost in cards)
    # Good players: a card in thirty costs a point, and no seat errs much more than another.
    assert 0.02 < sum(cost.points for cost in cards) / len(cards) < 0.05
    assert sum(cost.points > 0 for cost in cards) < 0.03 * len(cards)


def test_costs_account_for_every_result(costs: list[list[DealCosts]]) -> None:
    for game, found in zip(GAMES, costs):
        r = game.ruleset.record()[0]
        for deal, told in zip(full_deals(game), found):
            s = minimax.after(deal.lead, r, int(FROM_ABSOLUTE[deal.lead.frame, deal.plays[0]]))
            for card in deal.plays[1:]:
                rules.apply(s, r, int(FROM_ABSOLUTE[s.frame, card]))
            net = int(s.points[s.maker % 2] - s.points[1 - s.maker % 2])
            given = sum(c.points if (c.seat - s.maker) % 2 else -c.points for c in told.costs)
            assert minimax.value(deal.lead, r, True) + given == net


def test_one_deal_by_plain_minimax(costs: list[list[DealCosts]]) -> None:
    game = GAMES[0]
    r, deal, told = game.ruleset.record()[0], full_deals(game)[0], costs[0][0]
    s, listed = minimax.after(deal.lead, r, int(FROM_ABSOLUTE[deal.lead.frame, deal.plays[0]])), []
    for card in deal.plays[1:]:
        side = 1 if s.turn % 2 == s.maker % 2 else -1
        values = {
            int(TO_ABSOLUTE[s.frame, a]): side * v for a, v in minimax.values(s, r, True).items()
        }
        best = max(values.values())
        kept = tuple(sorted(c for c, v in values.items() if v == best))
        listed.append((card, best - values[card], kept if values[card] < best else ()))
        rules.apply(s, r, int(FROM_ABSOLUTE[s.frame, card]))
    assert [(c.card, c.points, c.better) for c in told.costs[1:]] == listed
    costly = [(c.trick, c.seat, c.card, c.points) for c in told.costs if c.points]
    assert costly == [(2, 1, card_id("KC"), 1)]


def test_cards_that_do_not_play_do_not_matter() -> None:
    # Annotated deal 0 names the discard and deal 9 is a lone hand: hide the one, fill the other.
    game = GAMES[0]
    plain = analyse_record(game)
    hidden = with_deal(game, game.deals[0], discard=None)
    assert analyse_record(hidden)[0].costs == plain[0].costs
    lone = game.deals[9]
    played = {card_id(card) for trick in lone.tricks for card in trick} | {card_id(lone.upcard)}
    rest = [card for card in range(JOKER) if card not in played]
    out = next(seat for seat in range(4) if int(full_deals(game)[9].lead.sitting_out) >> seat & 1)
    for cards in (rest[:5], rest[-5:]):
        hands = [("??",) * 5] * 4
        hands[out] = tuple(map(card_text, cards))
        filled = with_deal(game, lone, hands=tuple(hands))
        assert analyse_record(filled)[0].costs == plain[9].costs


def test_a_record_that_breaks_off() -> None:
    game = GAMES[0]
    deal = game.deals[1]
    short = with_deal(game, deal, tricks=deal.tricks[:3])
    assert analyse_record(short) == [DealCosts(deal.number, (), UNCERTAIN)]
    lead = full_deals(game)[1].lead
    before = shown_hands(lead, deal)
    shown = with_deal(game, deal, tricks=deal.tricks[:3], hands=before, discard=laid_away(lead))
    told = analyse_record(shown)[0]
    assert told.note == "the record breaks off"
    assert told.costs == analyse_record(game)[1].costs[:12]


def laid_away(lead: Any) -> str:
    return card_text(cards_of(int(lead.discard), int(lead.frame))[0])


def shown_hands(lead: Any, deal: DealRecord) -> tuple[tuple[str, ...], ...]:
    """The four hands as they were dealt."""
    hands = []
    for seat in range(4):
        held = int(lead.hand[seat])
        if seat == lead.taker:
            held = (held | int(lead.discard)) & ~int(lead.upcard)
        hands.append(tuple(map(card_text, cards_of(held, int(lead.frame)))))
    return tuple(hands)


def test_deals_without_costs() -> None:
    game, deal = GAMES[0], GAMES[0].deals[1]
    uncalled = with_deal(game, deal, calls=("pass",), tricks=())
    assert analyse_record(uncalled)[0].note == "the record breaks off"
    tricks = (deal.tricks[0], deal.tricks[0], *deal.tricks[2:])
    bad = analyse_record(with_deal(game, deal, tricks=tricks))[0]
    assert bad.costs == ()
    assert "is played twice" in bad.note


def test_a_game_that_cannot_be_played() -> None:
    game = GameRecord(ruleset=Ruleset(variant="two_hand", players=2), deals=())
    with pytest.raises(RulesetError, match="two_hand"):
        analyse_record(game)


# ---- the verb ------------------------------------------------------------------------------------


def test_analyse(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", ANNOTATED]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "deal 0: trick 2: East's KC cost 1 point, better was TD or QD or JS"
    assert lines[1] == "deal 1: no card cost a point"
    assert [line.split() for line in lines[-5:]] == [
        ["seat", "cards", "costly", "points", "tricks"],
        ["North", "55", "0", "0", "0"],
        ["East", "50", "1", "1", "2"],
        ["South", "50", "1", "1", "1"],
        ["West", "55", "1", "1", "2"],
    ]


def test_analyse_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", ANNOTATED, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [len(deal["cards"]) for deal in told["deals"]] == [20] * 9 + [15] * 2
    assert told["deals"][0]["cards"][4] == {
        "trick": 2,
        "seat": 1,
        "card": "KC",
        "points": 1,
        "tricks": 1,
        "better": ["TD", "QD", "JS"],
    }
    assert [row["points"] for row in told["seats"]] == [0, 1, 1, 1]


def test_analyse_a_file_that_is_no_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.egn"
    file.write_text("no record")
    assert main(["analyse", str(file)]) == 2
    assert "euchre: error: " in capsys.readouterr().err
    assert main(["analyse", str(tmp_path / "missing.egn")]) == 2
