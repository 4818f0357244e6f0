"""Match equity: by hand, by symmetry, and against games simulated and games really played."""

import json
from typing import Any

import numpy as np
import pytest

import agents
from agents.app.cli import main
from agents.evaluation.outcomes import measure_shares
from agents.evaluation.tables import play_games, streams_of
from euchre_env.equity import (
    PASSED_OUT,
    SHAPE,
    STUCK,
    Equity,
    EquityError,
    equity_change,
    equity_table,
    outcomes_of,
)
from euchre_env.rules import hand_points
from euchre_env.ruleset import PRESETS, Ruleset

STICK = Ruleset.stick()


def outcomes(**shares: float) -> Any:
    """Outcomes by hand: ``d1=0.5`` is a point for the dealer's side in half of the hands."""
    table = np.zeros((5, 5))
    for name, share in shares.items():
        points = int(name[1])
        table[(points, 0) if name[0] == "d" else (0, points)] = share
    return table


# --- by hand -----------------------------------------------------------------------------------


def test_one_point_to_go_by_hand() -> None:
    table = equity_table(Ruleset(target_score=1), outcomes(d1=0.6, o1=0.4))
    assert table.shape == (1, 1, 2)
    assert table[0, 0] == pytest.approx([0.6, 0.4])


def test_two_points_to_go_by_hand() -> None:
    # At 1-1 the dealer's side wins with 0.6. From 0-1 dealing: win the hand (0.6), then not deal at
    # 1-1: 0.4. From 1-0 dealing: 0.6 at once, else 1-1 not dealing.
    table = equity_table(Ruleset(target_score=2), outcomes(d1=0.6, o1=0.4))
    assert table[1, 1] == pytest.approx([0.6, 0.4])
    assert table[0, 1] == pytest.approx([0.6 * 0.4, 0.4 * 0.6])
    assert table[1, 0] == pytest.approx([0.6 + 0.4 * 0.4, 0.4 + 0.6 * 0.6])
    start = 0.6 * table[1, 0, 1] + 0.4 * table[0, 1, 1]
    assert table[0, 0] == pytest.approx([start, 1 - start])


def test_a_hand_thrown_in_passes_the_deal_by_hand() -> None:
    # W(deal) = 0.3 + 0.5 W(not), W(not) = 0.2 + 0.5 W(deal): W(deal) = 0.4 / 0.75.
    blanks = outcomes(d0=0.5, d1=0.3, o1=0.2)
    assert equity_table(Ruleset(target_score=1), blanks)[0, 0, 0] == pytest.approx(0.4 / 0.75)
    same = Ruleset(target_score=1, throw_in_redealer="same")
    assert equity_table(same, blanks)[0, 0, 0] == pytest.approx(0.3 / 0.5)


def test_a_game_of_two_hands_by_hand() -> None:
    rules = Ruleset(target_score=None, hands_per_game=2)
    found = Equity.of(rules, outcomes(d2=0.5, o1=0.5))
    # Own deals: +2 or -1; then the other deals: -2 or +1. Sums 0, 3, -3, 0: draws count half.
    assert found.win(0, 0, 0, hands=0) == pytest.approx(0.25 + 0.5 * 0.5)
    assert found.win(2, 0, 1, hands=1) == pytest.approx(0.5 + 0.5 * 0.5)
    assert found.win(0, 1, 1, hands=1) == pytest.approx(0.5 * 0.5)


def test_a_match_of_three_by_hand() -> None:
    # One point games with 0.6 to the dealer's side; the deal passes on from game to game.
    rules = Ruleset(target_score=1, match_games=3)
    one_up = 0.4 + 0.6 * 0.6  # ahead 1-0, not dealing: win, or lose and deal the third
    one_down = 0.4 * 0.6  # behind 0-1, not dealing: win, then deal the third
    table = equity_table(rules, outcomes(d1=0.6, o1=0.4))
    assert table[0, 0, 0] == pytest.approx(0.6 * one_up + 0.4 * one_down)
    ahead = equity_table(rules, outcomes(d1=0.6, o1=0.4), games=(1, 0, 0))
    assert ahead[0, 0, 1] == pytest.approx(one_up)


def test_points_carried_over_count() -> None:
    plain = Ruleset(target_score=3, match_games=3)
    carried = Ruleset(target_score=3, match_games=3, match_carry_over=True)
    shares = outcomes(d2=0.5, o2=0.5)
    first, second = (Equity.of(r, shares) for r in (plain, carried))
    assert first.after(4, 0, 0) == first.after(3, 0, 0) == pytest.approx(0.75)
    assert second.after(4, 0, 0) > second.after(3, 0, 0)


# --- what must hold ----------------------------------------------------------------------------

PLAYABLE = [name for name in PRESETS if Ruleset.preset(name).variant == "partnership"]


@pytest.mark.parametrize("name", PLAYABLE)
def test_tables_are_symmetric_and_monotone(name: str) -> None:
    rules = Ruleset.preset(name)
    if rules.hands_per_game is not None or rules.players != 4:
        pytest.skip("no target")
    table = equity_table(rules)
    assert table.shape == (rules.target_score, rules.target_score, 2)
    assert table[..., 0] == pytest.approx(1 - table[..., 1].T)
    assert (np.diff(table, axis=0) > -1e-9).all()
    assert (np.diff(table, axis=1) < 1e-9).all()
    assert ((table > 0) & (table < 1)).all()
    assert table[0, 0, 0] > 0.5 > table[0, 0, 1]


def test_games_of_hands_are_symmetric() -> None:
    table = equity_table(Ruleset(target_score=None, hands_per_game=8))
    assert table[..., 0] == pytest.approx(1 - table[:, ::-1, 1])
    assert (np.diff(table, axis=1) >= -1e-12).all()


def test_outcomes_are_scored_by_the_rules() -> None:
    for rules in (STICK, Ruleset.preset("british"), Ruleset(points_loner_march=9)):
        table, record = outcomes_of(rules, STUCK), rules.record()[0]
        assert table.sum() == pytest.approx(1)
        made, _ = hand_points(record, 5, True, False)
        assert table[made, 0] == pytest.approx(
            sum(
                STUCK[0, alone, t]
                for alone in (0, 1)
                for t in range(6)
                if hand_points(record, t, bool(alone), False) == (made, 0)
            )
            + sum(
                STUCK[1, alone, t]
                for alone in (0, 1)
                for t in range(6)
                if hand_points(record, t, bool(alone), False) == (0, made)
            )
        )


# --- against simulation ------------------------------------------------------------------------


def simulated(rules: Ruleset, a: int, b: int, deals: int, count: int) -> tuple[float, float]:
    """Wins of the own side in games drawn hand by hand, and three standard errors."""
    rng, table = np.random.default_rng(8), outcomes_of(rules)
    cells = rng.choice(table.size, size=(count, 60), p=table.ravel())
    x, y = np.unravel_index(cells, table.shape)
    wins = 0
    for game in range(count):
        own, other, d = a, b, deals
        for gain, loss in zip(x[game], y[game]):
            own += gain if d == 0 else loss
            other += loss if d == 0 else gain
            d = 1 - d
            if max(own, other) >= (rules.target_score or 0):
                break
        wins += own > other
    rate = wins / count
    return rate, 3 * np.sqrt(rate * (1 - rate) / count)


@pytest.mark.parametrize(("a", "b", "deals"), [(0, 0, 0), (9, 6, 1), (3, 7, 0), (8, 8, 1)])
def test_the_table_agrees_with_simulated_games(a: int, b: int, deals: int) -> None:
    rate, reach = simulated(STICK, a, b, deals, 4000)
    assert equity_table(STICK)[a, b, deals] == pytest.approx(rate, abs=reach)


@pytest.mark.parametrize("name", ["stick", "american"])
def test_the_table_agrees_with_games_played(name: str) -> None:
    rules, count = Ruleset.parse(name), 3000
    streams = streams_of(4, 0, count)
    played = play_games(
        [agents.make("greedy")], [0] * 4, streams, np.arange(count) % 4, rules, streams
    )
    dealers_won = played.states["match_winner"] == np.arange(count) % 2
    reach = 3 * np.sqrt(0.25 / count)
    assert equity_table(rules)[0, 0, 0] == pytest.approx(dealers_won.mean(), abs=reach)


def test_the_shipped_shares_are_those_of_greedy() -> None:
    for name, shipped in (("stick", STUCK), ("american", PASSED_OUT)):
        found = measure_shares("greedy", 8000, name, seed=3)
        assert found.shape == SHAPE
        assert np.abs(found - shipped).max() < 4 * np.sqrt(0.25 / 8000)


# --- rewards -----------------------------------------------------------------------------------


def test_changes_of_a_game_add_up_to_its_result() -> None:
    rng, table = np.random.default_rng(3), outcomes_of(STICK)
    score, dealer, total = np.zeros(2, int), 2, 0.0
    while score.max() < 10:
        x, y = np.unravel_index(rng.choice(table.size, p=table.ravel()), table.shape)
        points = [x, y] if dealer % 2 == 0 else [y, x]
        total += float(equity_change(score, dealer, points, STICK))
        score, dealer = score + points, (dealer + 1) % 4
    won = float(score[0] > score[1])
    assert total == pytest.approx(won - equity_table(STICK)[0, 0, 0])


def test_changes_of_many_hands_at_once() -> None:
    scores = np.array([[0, 0], [9, 9], [9, 9], [4, 6]])
    points = np.array([[2, 0], [1, 0], [0, 4], [0, 0]])
    found = equity_change(
        scores, [0, 1, 3, 2], points, Ruleset(), thrown_in=[False, False, False, True]
    )
    table = equity_table(Ruleset())
    assert found == pytest.approx(
        [
            table[2, 0, 1] - table[0, 0, 0],
            1 - table[9, 9, 1],
            0 - table[9, 9, 1],
            table[4, 6, 1] - table[4, 6, 0],
        ]
    )


def test_changes_where_the_number_of_hands_is_fixed() -> None:
    rules = Ruleset(target_score=None, hands_per_game=2)
    equity = Equity.of(rules)
    last = equity_change([1, 0], 1, [0, 1], equity, hands=1)
    assert last == pytest.approx(0.5 - equity.win(1, 0, 1, hands=1))


# --- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.ones((2, 2)), "add up to one"),
        (np.array([1.0]), "add up to one"),
        (np.array([[0.5, 0.0], [0.0, 0.5]]), "only one side"),
        (np.array([[1.0, 0.0], [0.0, 0.0]]), "no winner"),
        (np.array([[-1.0, 1.0], [1.0, 0.0]]), "none below zero"),
    ],
)
def test_outcomes_that_are_no_distribution(table: Any, message: str) -> None:
    with pytest.raises(EquityError, match=message):
        equity_table(STICK, table)


def test_scores_and_games_out_of_range() -> None:
    with pytest.raises(EquityError, match="a game to 10 is over"):
        Equity.of(STICK).win(10, 3, 0)
    with pytest.raises(EquityError, match="undecided"):
        Equity.of(STICK, games=(1, 0, 0))
    with pytest.raises(EquityError, match="shape"):
        outcomes_of(STICK, np.ones(3))
    with pytest.raises(EquityError, match="hands=2"):
        Equity.of(Ruleset(target_score=None, hands_per_game=2)).win(0, 0, 0, hands=2)


# --- verb --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "shipped hand results, rules stick"),
        ("--ruleset tournament_us", "wins the match"),
        ("--ruleset target_score=None,hands_per_game=8", "the lead"),
        ("--agent greedy --deals 500", "hand results of greedy, 500 hands, rules stick, seed 1"),
    ],
)
def test_equity_verb(line: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equity", *line.split()]) == 0
    assert told in capsys.readouterr().out
    assert main(["equity", "--json", *line.split()]) == 0
    assert json.loads(capsys.readouterr().out)["table"]
