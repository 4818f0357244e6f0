"""Duplicate matches: fair, reproducible, and equal to a slow table played decision by decision."""

import argparse
import json
import random
from typing import Any

import numpy as np
import pytest

import agents
from agents.app import match as verbs
from agents.base import RuleTable, View, view_of
from agents.evaluation import match_games, play_match
from agents.evaluation.ladder import play_ladder
from agents.evaluation.match import ruleset_text
from agents.evaluation.shares import play_shares
from agents.evaluation.tables import decks_of, play_games, play_hands, streams_of
from euchre_env.kernels import seed_of
from euchre_env.rules import OVER, apply, deal, legal, new_match, new_states
from euchre_env.ruleset import PRESETS, VARIANT_PRESETS, Ruleset, RulesetError
from euchre_env.testing import random_ruleset

KEYS = {
    *("a", "b", "deals", "points_per_hand", "ci95", "seconds", "decisions_per_second"),
    *("ruleset", "seed", "standard_error", "deals_needed", "version", "oracles"),
}
RULES = ["stick", "american", "british", "anyone_alone", "stick,no_trump=round2"]


class Peeker:
    """Sees the hidden cards, and says so."""

    name = "peeker"
    oracle = True

    def act(self, view: View) -> Any:
        assert view.full_states is not None
        assert (view.full_states["hand"] != 0).sum() > (view.states["hand"] != 0).sum()
        return agents.make("greedy").act(view)


# --- fairness ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", RULES)
@pytest.mark.parametrize("name", ["greedy", "first_legal"])
def test_an_agent_ties_with_itself(name: str, ruleset: str) -> None:
    result = play_match(name, name, 300, ruleset)
    assert not result.differences.any()
    assert (result.points_per_hand, result.ci95) == (0.0, 0.0)


@pytest.mark.parametrize("ruleset", RULES)
def test_changing_sides_changes_the_sign(ruleset: str) -> None:
    there = play_match("greedy", "first_legal", 300, ruleset, seed=3)
    back = play_match("first_legal", "greedy", 300, ruleset, seed=3)
    assert there.points_per_hand == -back.points_per_hand != 0
    assert there.ci95 == back.ci95
    assert np.array_equal(there.differences, -back.differences)


def test_greedy_beats_the_other_baselines() -> None:
    for name, least in (("random", 1.0), ("first_legal", 0.9)):
        result = play_match("greedy", name, 1000)
        assert result.clear_of_zero
        assert result.points_per_hand > least


def test_hands_thrown_in_score_nothing() -> None:
    result = play_match("first_legal", "first_legal", 50, "american")
    assert not result.differences.any()
    states = _shares_hands("first_legal", "american")
    assert states["thrown_in"].all()
    assert not states["points"].any()


def _shares_hands(name: str, ruleset: str) -> Any:
    rules, count = Ruleset.parse(ruleset), 40
    decks, dealers = decks_of(1, 0, count, rules), np.arange(count) % 4
    return play_hands(
        [agents.make(name)], [0] * 4, decks, dealers, rules, streams_of(1, 0, count, 0)
    ).states


# --- reruns ------------------------------------------------------------------------------------


def test_a_rerun_gives_the_same_figures() -> None:
    first, again = (play_match("greedy", "random", 200, seed=5) for _ in range(2))
    assert np.array_equal(first.differences, again.differences)
    other = play_match("greedy", "random", 200, seed=6)
    assert not np.array_equal(first.differences, other.differences)


@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_the_size_of_the_chunks_does_not_matter(chunk: int) -> None:
    whole = play_match("random", "greedy", 100, "anyone_alone", chunk=100)
    parts = play_match("random", "greedy", 100, "anyone_alone", chunk=chunk)
    assert np.array_equal(whole.differences, parts.differences)


def test_fewer_deals_are_the_first_ones() -> None:
    few, many = play_match("random", "greedy", 20), play_match("random", "greedy", 50)
    assert np.array_equal(few.differences, many.differences[:20])


def test_decks_are_whole_and_differ() -> None:
    for ruleset, size in ((Ruleset(), 24), (Ruleset(joker=True), 25)):
        decks = decks_of(9, 0, 50, ruleset)
        assert (np.sort(decks[:, :size], axis=1) == np.arange(size)).all()
        assert len({deck.tobytes() for deck in decks}) == 50
        assert np.array_equal(decks[30:40], decks_of(9, 30, 10, ruleset))


def stream(seed: int, index: int) -> int:
    return int(seed_of(np.uint64(seed), np.uint64(index)))


def _slow_table(seating: list[str], deal_number: int, table: int, seed: int, rules: Ruleset) -> Any:
    """One hand played decision by decision, written apart from the loop of the matches."""
    s, r, which = new_states(1), RuleTable.of([rules]), np.zeros(1, np.int16)
    new_match(s[0], r.rules[0])
    deal(s[0], r.rules[0], decks_of(seed, deal_number, 1, rules)[0], deal_number % 4)
    base = stream(stream(seed, deal_number), table)
    asked = 0
    while s[0]["phase"] != OVER:
        options = int(legal(s[0], r.rules[0]))
        action = options.bit_length() - 1
        if options.bit_count() > 1:
            agent = agents.make(seating[s[0]["turn"]])
            seeds = np.array([stream(base, asked)], np.uint64)
            action = int(agent.act(view_of(s, r, which, seeds))[0])
            asked += 1
        apply(s[0], r.rules[0], action)
    return s[0]["points"][:2].astype(int)


@pytest.mark.parametrize("ruleset", RULES)
def test_a_match_equals_tables_played_slowly(ruleset: str) -> None:
    rules, seed = Ruleset.parse(ruleset), 11
    result = play_match("random", "greedy", 12, rules, seed)
    for d, difference in enumerate(result.differences):
        north = _slow_table(["random", "greedy"] * 2, d, 0, seed, rules)
        south = _slow_table(["greedy", "random"] * 2, d, 1, seed, rules)
        assert difference == ((north[0] - north[1]) + (south[1] - south[0])) / 2


# --- whole games -------------------------------------------------------------------------------


def test_whole_games_are_fair_and_reproducible() -> None:
    assert match_games("greedy", "greedy", 20).win_rate == 0.5
    result = match_games("greedy", "random", 20)
    assert result.win_rate > 0.9
    assert result == match_games("greedy", "random", 20)


@pytest.mark.parametrize("ruleset", ["stick", "american", "tournament_us"])
def test_whole_games_end_with_a_winner(ruleset: str) -> None:
    rules = Ruleset.parse(ruleset)
    streams = streams_of(1, 0, 8)
    states = play_games(
        [agents.make("greedy")], [0] * 4, streams, np.arange(8) % 4, rules, streams
    ).states
    assert (states["match_winner"] >= 0).all()
    assert (states["games"].max(axis=1) == rules.match_games // 2 + 1).all()
    assert (states["score"].max(axis=1) >= 10).all()


def test_endless_games_are_broken_off() -> None:
    streams = streams_of(1, 0, 4)
    played = play_games(
        [agents.make("first_legal")], [0] * 4, streams, np.arange(4), Ruleset(), streams, 3
    )
    assert (played.states["match_winner"] == -2).all()
    assert match_games("first_legal", "first_legal", 2, "american").win_rate == 0.5


# --- results -----------------------------------------------------------------------------------


def test_json_has_the_agreed_keys() -> None:
    data = json.loads(play_match("greedy", "random", 10, games=2).to_json())
    assert data.keys() == KEYS | {"games"}
    assert (data["a"], data["b"], data["deals"], data["ruleset"]) == (
        *("greedy", "random"),
        *(10, "stick"),
    )
    assert data["games"].keys() == {"games", "win_rate", "ci95"}


def test_oracles_are_marked_and_only_they_see() -> None:
    result = play_match(Peeker(), "random", 20)
    assert result.oracles == ("peeker",)
    assert "peeker saw hidden cards" in result.describe()
    assert play_match("greedy", "random", 20).oracles == ()


def test_progress_reaches_the_end() -> None:
    seen: list[tuple[int, int]] = []
    play_match("random", "random", 25, progress=lambda *at: seen.append(at), chunk=10)
    assert seen == [(10, 25), (20, 25), (25, 25)]


def test_the_text_of_a_rule_set_can_be_read_back() -> None:
    rng = random.Random(4)
    for ruleset in [random_ruleset(rng, k % 2 == 1) for k in range(100)]:
        assert Ruleset.parse(ruleset_text(ruleset)) == ruleset
    assert {ruleset_text(Ruleset.preset(name)) for name in PRESETS} <= set(PRESETS)
    for name in VARIANT_PRESETS:
        assert ruleset_text(Ruleset.preset(name)) == name


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="deals=1 is too few"):
        play_match("greedy", "random", 1)
    with pytest.raises(ValueError, match="games=1 is too few"):
        play_match("greedy", "random", 10, games=1)
    with pytest.raises(RulesetError, match="did you mean 'stick'"):
        play_match("greedy", "random", 10, "stik")
    with pytest.raises(
        agents.AgentError, match="heuristic plays the partnership game only, not variant"
    ):
        play_match("heuristic", "random", 10, "variant=buck")
    with pytest.raises(
        agents.AgentError, match="'greedy & random' are partners, and variant='buck' has"
    ):
        play_match("greedy & random", "random", 10, "variant=buck")
    with pytest.raises(RulesetError, match="matches of whole games are for the partnership game"):
        play_match("greedy", "random", 10, "variant=buck", games=2)
    with pytest.raises(agents.AgentError, match="did you mean 'greedy'"):
        play_match("gredy", "random", 10)


def test_an_illegal_action_names_agent_and_game() -> None:
    class Rogue:
        name, oracle = "rogue", False

        def act(self, view: View) -> Any:
            return np.full(len(view), 31)

    with pytest.raises(agents.AgentError, match=r"'rogue' chose 31 \(call_NT\) in game \d+"):
        play_match(Rogue(), "random", 10)


# --- ladder and shares -------------------------------------------------------------------------


def test_a_ladder_orders_the_baselines() -> None:
    ladder = play_ladder(["random", "greedy", "first_legal"], 300)
    assert [r.agent for r in ladder.ratings] == ["greedy", "first_legal", "random"]
    assert sum(r.points for r in ladder.ratings) == pytest.approx(0)
    assert ladder.match("greedy", "random")[0] == -ladder.match("random", "greedy")[0] > 1
    assert len(ladder.to_dict()["matches"]) == 3


def test_a_ladder_of_two_halves_the_difference() -> None:
    ladder, match = play_ladder(["greedy", "random"], 100), play_match("greedy", "random", 100)
    assert ladder.ratings[0].points == pytest.approx(match.points_per_hand / 2)
    assert ladder.ratings[0].ci95 == pytest.approx(match.ci95 / 2)


@pytest.mark.parametrize("names", [["greedy"], ["greedy", "random", "greedy"]])
def test_a_ladder_needs_two_different_agents(names: list[str]) -> None:
    with pytest.raises(agents.AgentError):
        play_ladder(names, 10)


def test_shares_add_up() -> None:
    for ruleset in ("stick", "american", "british"):
        shares = play_shares("greedy", 2000, ruleset)
        assert sum(shares.outcomes.values()) == pytest.approx(1)
        calls = [*shares.round_1.values(), *shares.round_2.values()]
        assert sum(calls) == pytest.approx(1)
        assert shares.called == 1 or ruleset != "stick"


def test_hands_that_a_renege_ends_have_no_outcome() -> None:
    assert sum(play_shares("random", 200, "stick,renege=penalised").outcomes.values()) < 0.9


def test_shares_of_a_player_who_always_passes() -> None:
    shares = play_shares("first_legal", 200)
    assert shares.round_2 == {"1": 0, "2": 0, "3": 0, "dealer": 1}
    assert shares.next["1"] is None
    nothing = play_shares("first_legal", 200, "american")
    assert nothing.called == 0
    assert nothing.dealers_side == 0


# --- verbs -------------------------------------------------------------------------------------


def _run(verb: str, line: str) -> int:
    parser = argparse.ArgumentParser(verb)
    getattr(verbs, f"add_{verb}_arguments")(parser)
    return int(getattr(verbs, f"run_{verb}")(parser.parse_args(line.split())))


def test_match_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("match", "greedy random --deals 50 --json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out).keys() == KEYS
    assert err == "" or "compiling" in err
    assert _run("match", "greedy random --deals 50 --games 4 --seed 2 --ruleset american") == 0
    assert "50 duplicate deals, rules american, seed 2" in capsys.readouterr().out


def test_ladder_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("ladder", "random greedy --deals 50") == 0
    out = capsys.readouterr().out.splitlines()
    assert out[1].startswith("greedy")
    assert "50 duplicate deals a pair, rules stick, seed 1" in out[-1]
    assert _run("ladder", "random greedy --deals 50 --json") == 0
    assert json.loads(capsys.readouterr().out)["ratings"][0]["agent"] == "greedy"


def test_stats_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("stats", "greedy --deals 100") == 0
    assert "PIMC-50" in capsys.readouterr().out
    assert _run("stats", "greedy --deals 100 --ruleset american") == 0
    assert "PIMC-50" not in capsys.readouterr().out
    assert _run("stats", "greedy --deals 100 --json") == 0
    assert json.loads(capsys.readouterr().out)["deals"] == 100
