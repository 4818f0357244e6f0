"""The table that people and agents share: undo, what a seat may know, records."""

import json
import random
from typing import Any

import numpy as np
import pytest

from agents.app.table import Event, IllegalAct, Table
from agents.base import AgentError
from euchre_env import rules
from euchre_env.actions import ACTION_TEXT
from euchre_env.cards import deck_of
from euchre_env.record import load_records, save_records
from euchre_env.replay import verify
from euchre_env.rules import STATE
from euchre_env.ruleset import VARIANT_PRESETS, Ruleset
from euchre_env.testing import permute_hidden, random_ruleset
from tests.table import ROUND_TWO, SPREAD, fields

ME = 2
SEATS = ("greedy", "heuristic:easy", None, "greedy")
SHORT = Ruleset.parse("stick,target_score=6")


def table(ruleset: Ruleset = SHORT, seed: int = 4, **options: Any) -> Table:
    return Table(ruleset, SEATS, seed, **options)


def step(t: Table, rng: random.Random) -> Event | None:
    """The next thing that happens; a person acts at random."""
    if t.hand_over:
        t.next_hand()
        return None
    return t.act(rng.choice(t.legal)) if t.waits_for_person else t.advance()


def play_out(t: Table, rng: random.Random) -> Table:
    while not t.over:
        step(t, rng)
    return t


# --- playing and taking back -------------------------------------------------------------------


def test_undo_at_every_point_gives_the_very_same_game_again() -> None:
    rng, t, answers, tried = random.Random(2), table(), [], 0
    while not t.over:
        if not t.waits_for_person:
            step(t, rng)
            continue
        before = fields(t.state)
        action = rng.choice(t.legal)
        t.act(action)
        while not t.over and not t.waits_for_person:
            step(t, rng)
        after, events = fields(t.state), t.events_for(None)
        assert t.undo()
        assert fields(t.state) == before
        other = rng.choice(t.legal)  # another act, taken back again
        t.act(other)
        assert t.undo()
        assert fields(t.state) == before
        t.act(action)
        while not t.over and not t.waits_for_person:
            step(t, rng)
        assert fields(t.state) == after
        assert t.events_for(None) == events
        answers.append(action)
        tried += 1
    assert tried > 15
    again, left = table(), list(answers)
    while not again.over:
        if again.waits_for_person:
            again.act(left.pop(0))
        else:
            step(again, rng)
    assert again.events_for(None) == t.events_for(None)


def test_undo_goes_back_over_the_end_of_a_hand() -> None:
    rng, t = random.Random(1), table(Ruleset.stick())
    while t.deal == 0:
        step(t, rng)
    assert t.undo()
    assert (t.deal, t.actor) == (0, ME)
    assert not t.hand_over


def test_with_nothing_to_take_back_undo_says_so() -> None:
    t = table(dealer=1)  # the person acts first
    assert t.waits_for_person
    before = fields(t.state)
    assert not t.undo()
    assert fields(t.state) == before


def test_an_illegal_act_changes_nothing_and_says_why() -> None:
    t = table(dealer=1)
    before = fields(t.state)
    with pytest.raises(IllegalAct, match='"alone" is no answer now'):
        t.act(ACTION_TEXT.index("alone"))
    assert (fields(t.state), t.acts) == (before, 0)


def test_the_same_seed_gives_the_same_game_and_another_another() -> None:
    games = [play_out(table(seed=s), random.Random(3)).events_for(None) for s in (4, 4, 5)]
    assert games[0] == games[1] != games[2]


def test_a_hand_ends_after_one_hand_and_a_game_with_its_score() -> None:
    hand = play_out(table(Ruleset.stick(), length="hand"), random.Random(1))
    assert (hand.deal, hand.over) == (0, True)
    game = play_out(table(), random.Random(1))
    assert max(game.score) >= 6
    with pytest.raises(ValueError, match="the game is over"):
        game.next_hand()
    with pytest.raises(ValueError, match="no agent is to act"):
        game.advance()


def test_the_hand_has_to_be_over_before_the_next() -> None:
    with pytest.raises(ValueError, match="the hand is still going on"):
        table().next_hand()


# --- what a seat may know ----------------------------------------------------------------------


def test_a_snapshot_never_changes_with_the_unseen_cards() -> None:
    rng, differ = random.Random(5), 0
    for k in range(12):
        t = Table(random_ruleset(rng) if k else SHORT, SEATS, k, length="hand")
        while not t.over:
            for seat in range(4):
                before = t.snapshot(seat)
                assert json.loads(json.dumps(before)) == before
                kept = t.state.copy()
                t._states[0] = permute_hidden(kept, t.rules, seat, rng)
                differ += fields(t.state) != fields(kept)
                assert t.snapshot(seat) == before, (t.ruleset, before["phase"])
                t._states[0] = kept
            step(t, rng)
    assert differ > 100


def test_a_snapshot_holds_no_other_hand() -> None:
    t = table(dealer=1)
    seen = t.snapshot(ME)
    assert seen["counts"] == [5, 5, 5, 5]
    assert len(seen["hand"]) == 5
    assert t.snapshot(0)["legal"] == []
    assert t.snapshot(0)["question"] == ""
    assert [choice["text"] for choice in seen["legal"]] == ["pass", "order_up"]


def test_another_seats_discard_is_hidden_from_the_events() -> None:
    rng = random.Random(6)
    hidden = 0
    for seed in range(8):
        t = play_out(table(seed=seed, length="hand"), rng)
        for mine, true in zip(t.events_for(ME), t.events_for(None), strict=True):
            if " lays away " in true.text and true.seat != ME:
                hidden += 1
                assert (mine.action, mine.text.endswith("lays away a card")) == (None, True)
            else:
                assert mine == true
    assert hidden


def test_the_record_seen_by_a_seat_is_cleared() -> None:
    t = table(dealer=1)
    seen = t.seen_by(ME)
    assert [int(seen.hand[k]) == 0 for k in range(4)] == [True, True, False, True]
    assert int(seen.kitty) == 0
    assert all(int(t.state.hand[k]) for k in range(4))


# --- records -----------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", ["over", "at once", "in a hand"])
def test_the_record_replays(stop: str, tmp_path: Any) -> None:
    rng, t = random.Random(7), table(Ruleset.stick(), seed=9)
    acts = {"over": 10_000, "at once": 0, "in a hand": 70}[stop]
    while not t.over and t.acts < acts:
        step(t, rng)
    game = t.game_record()
    file = tmp_path / "game.jsonl"
    save_records(file, [game])
    assert load_records(file) == [game]
    found = verify(str(file))
    assert found.failed == 0, [str(fault) for fault in found.faults]
    assert len(game.deals) == t.deal + 1
    assert game.players == ("greedy", "heuristic:easy", "South", "greedy")


def test_the_record_holds_the_score_at_the_start() -> None:
    t = table(Ruleset.stick(), start=(6, 9), dealer=3)
    game = t.game_record()
    assert (game.initial_score, game.deals[0].dealer, t.score) == ((6, 9), 3, (6, 9))


# --- bad arguments -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"length": "match"}, "length='match' is unknown"),
        ({"seed": -1}, "seed=-1 is negative"),
        ({"start": (6, 0)}, "is no score"),
        ({"start": (-1, 0)}, "is no score"),
        ({"dealer": 4}, "dealer=4 is no seat"),
    ],
)
def test_bad_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        table(**options)


def test_other_numbers_of_seats_and_unknown_agents() -> None:
    with pytest.raises(ValueError, match="a table has 4 seats, not 2"):
        Table(SHORT, ["greedy", "greedy"], 1)
    with pytest.raises(AgentError, match="no agent is called 'nobody'"):
        Table(SHORT, ["greedy", "greedy", None, "nobody"], 1)


def test_a_choice_is_the_agents_and_changes_nothing() -> None:
    t = Table(SHORT, ["greedy"] * 4, 3)
    before = fields(t.state)
    assert t.choice() == t.choice()
    assert fields(t.state) == before
    assert np.array([t.state], STATE)["turn"][0] == t.actor
    assert rules.PHASES[int(t.state.phase)] == "bid1"


# --- games without partners --------------------------------------------------------------------

OTHER_GAMES = (*VARIANT_PRESETS, "two_hand,two_hand_dummy=maker")


def other(rules_text: str, seed: int = 4, **options: Any) -> Table:
    """A table of a game without partners; the last seat is a person's."""
    ruleset = Ruleset.parse(rules_text)
    agents = ("greedy", "random", "first_legal")[: ruleset.players - 1]
    return Table(ruleset, (*agents, None), seed, **options)


@pytest.mark.parametrize("rules_text", OTHER_GAMES)
def test_other_games_are_played_taken_back_and_recorded(rules_text: str, tmp_path: Any) -> None:
    rng, t, undone = random.Random(3), other(rules_text), 0
    players = t.ruleset.players
    while not t.over and t.deal < 6:
        if t.waits_for_person and rng.random() < 0.3:
            before, events = fields(t.state), t.events_for(None)
            t.act(rng.choice(t.legal))
            assert t.undo()
            assert (fields(t.state), t.events_for(None)) == (before, events)
            undone += 1
        step(t, rng)
    assert undone > 3
    game = t.game_record()
    assert len(game.players) == len(game.initial_score) == len(t.score) == players
    save_records(tmp_path / "game.jsonl", [game])
    assert load_records(tmp_path / "game.jsonl") == [game]
    found = verify(tmp_path / "game.jsonl")
    assert [str(fault) for fault in found.faults] == []
    whole = [deal for deal in found.games[0] if deal.complete]
    if t.hand_over:
        assert whole[-1].score == t.score


@pytest.mark.parametrize("rules_text", OTHER_GAMES)
def test_a_snapshot_of_other_games_keeps_secrets(rules_text: str) -> None:
    rng, differ = random.Random(5), 0
    for seed in range(3):
        t = other(rules_text, seed, length="hand")
        while not t.over:
            for seat in range(t.ruleset.players):
                before = t.snapshot(seat)
                assert json.loads(json.dumps(before)) == before
                kept = t.state.copy()
                t._states[0] = permute_hidden(kept, t.rules, seat, rng)
                differ += fields(t.state) != fields(kept)
                assert t.snapshot(seat) == before, before["phase"]
                t._states[0] = kept
            step(t, rng)
    assert differ > 20


def test_what_a_maker_lays_away_for_a_dummy_is_hidden_from_the_others() -> None:
    t = Table(Ruleset.preset("three_hand"), [None] * 3, 1)
    deal_out(t, SPREAD, 1, "pass pass order_up TC with_partner")
    assert (t.snapshot(1)["dummy"], t.snapshot(1)["buried"]) == (0, [])
    assert t.snapshot(1)["question"] == "You took the dummy: lay 3 cards away."
    for word in ("9C", "KS", "JC"):
        t.act(ACTION_TEXT.index(word))
    mine, others = t.events_for(1)[-3:], t.events_for(2)[-3:]
    assert [e.text for e in mine] == [f"East lays away the {w}" for w in ("9C", "KS", "JC")]
    assert [(e.text, e.action) for e in others] == [("East lays away a card", None)] * 3
    assert t.snapshot(1)["buried"] == ["9C", "JC", "KS"]
    assert t.snapshot(2)["buried"] == t.snapshot(0)["buried"] == []
    assert t.snapshot(0)["sitting_out"] == []


def deal_out(t: Table, deck: str, dealer: int, history: str) -> None:
    """Deal a stated deck at a table of persons, and let happen what is told."""
    rules.deal(t.state, t.rules, deck_of(deck.split()), dealer)
    for word in history.split():
        t.act(ACTION_TEXT.index(word))


def test_what_the_other_games_tell_of_their_end() -> None:
    t = Table(Ruleset.preset("dirty_clubs"), [None] * 4, 1, start=(12, 5, 21, 5), length="hand")
    deal_out(t, ROUND_TWO, 2, "pass pass pass pass pass pass call_C pass pass pass")
    seen = t.snapshot(0)
    assert seen["result"].startswith("scores: North 0 (dropped out), East -5, ")
    assert (seen["score"], seen["points"]) == ([12, 0, 21, 5], [0, 5, 0, 0])
    assert seen["sitting_out"] == [0, 2, 3]
    assert (seen["over"], seen["winner_of_match"]) == (True, 1)


def test_players_that_know_no_other_game_are_refused() -> None:
    for name in ("heuristic", "mixed:5"):
        with pytest.raises(AgentError, match="plays the partnership game only, not variant='buck'"):
            Table(Ruleset.preset("buck"), ["greedy", name, None, "greedy"], 1)
    with pytest.raises(ValueError, match="a table has 3 seats, not 4"):
        Table(Ruleset.preset("three_hand"), SEATS, 1)


@pytest.mark.parametrize(
    ("rules_text", "options", "message"),
    [
        ("three_hand", {"start": (0, 0)}, "it has 3 sides"),
        ("three_hand", {"start": (0, 10, 0)}, "of a game that goes on"),
        ("buck", {"start": (25, 0, 25, 25)}, "of a game that goes on"),
        ("three_hand", {"dealer": 3}, "dealer=3 is no seat: give 0 to 2"),
    ],
)
def test_bad_arguments_of_other_games(
    rules_text: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        other(rules_text, **options)


def test_scores_of_other_games_at_the_start() -> None:
    assert other("buck").score == (25, 25, 25, 25)
    assert other("cutthroat").score == (15, 15, 15)
    assert other("cutthroat", start=(1, 40, 3)).score == (1, 40, 3)
    assert other("two_hand").score == (0, 0)
