"""Agreement with recorded decisions: what is judged, what is left out, and the figures."""

import argparse
import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import make
from agents.app.agree import add_agree_arguments, run_agree
from agents.base import Actions, View
from agents.evaluation.agree import agree, share_interval
from agents.evaluation.review import NO_DISCARD, NO_HAND
from agents.evaluation.stats import EvaluationError
from agents.selfplay.files import plan_of, records_of
from agents.selfplay.hands import play_hands
from euchre_env import Ruleset
from euchre_env.real_deals import real_games
from euchre_env.record import GameRecord, write_jsonl


class Watching:
    """Takes the lowest legal action and keeps what it saw."""

    name, oracle = "watching", False

    def __init__(self) -> None:
        self.seen: set[bytes] = set()

    def act(self, view: View) -> Actions:
        self.seen |= {row.tobytes() for row in view.observation}
        lowest: Actions = view.action_mask.argmax(axis=1)
        return lowest


def played_by(name: str, count: int) -> list[GameRecord]:
    """Hands of self-play, all cards shown."""
    plan = plan_of([name], count, "x.npy")
    return records_of(play_hands([make(name)], plan.rulesets, 1, 0, count), plan)


def without_cards(game: GameRecord) -> GameRecord:
    """The same game as people write it down: upcard, calls and cards played."""
    deals = [
        dataclasses.replace(deal, hands=((),) * 4, kitty=(), discard=None) for deal in game.deals
    ]
    return dataclasses.replace(game, deals=tuple(deals))


@pytest.fixture(scope="module")
def by_greedy() -> list[GameRecord]:
    return played_by("greedy", 30)


# ---- intervals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [
        (0, 10, 0.0, 1 - 0.025**0.1),
        (10, 10, 0.025**0.1, 1.0),
        (5, 10, 0.187086, 0.812914),
        (1, 20, 0.001265, 0.248733),
    ],
)
def test_interval(hits: int, count: int, low: float, high: float) -> None:
    assert share_interval(hits, count) == pytest.approx((low, high), abs=1e-6)


# ---- what is judged ------------------------------------------------------------------------------


def test_an_agent_agrees_with_itself(by_greedy: list[GameRecord]) -> None:
    found = agree("greedy", {"x": by_greedy})
    rows = play_hands([make("greedy")], [Ruleset.stick()], 1, 0, 30).rows
    assert found.total.agreed == found.total.decisions == len(rows)
    assert found.total.chance == pytest.approx((1 / rows["action_mask"].sum(axis=1)).mean())
    assert found.left_out == {NO_HAND: 0, NO_DISCARD: 0}
    assert (found.deals, found.faulty) == (30, ())
    assert sum(p.decisions for p in found.phases.values()) == found.total.decisions
    assert found.total.probability is None


def test_only_what_the_seat_knew_for_certain_is_asked(by_greedy: list[GameRecord]) -> None:
    """Every question about a record without hands is one that the full record asks too."""
    full, bare = Watching(), Watching()
    all_shown = agree(full, {"x": by_greedy})
    found = agree(bare, {"x": [without_cards(game) for game in by_greedy]})
    assert bare.seen < full.seen
    assert found.left_out[NO_HAND] > 0 and found.left_out[NO_DISCARD] > 0
    assert found.forced <= all_shown.forced
    judged = found.total.decisions + sum(found.left_out.values()) + found.forced
    assert judged == all_shown.total.decisions + all_shown.forced
    assert found.total.decisions > 100


def test_a_discard_that_follows_from_the_other_cards_counts(by_greedy: list[GameRecord]) -> None:
    """With the hands shown and all five cards played, the sixth is what was laid away."""
    unsaid = [
        dataclasses.replace(
            game, deals=tuple(dataclasses.replace(d, discard=None) for d in game.deals)
        )
        for game in by_greedy
    ]
    assert agree("greedy", {"x": unsaid}) == agree("greedy", {"x": by_greedy})


def test_the_figures_of_the_packaged_deals() -> None:
    found = agree("first_legal", {name: [game] for name, game in real_games().items()})
    counts = {name: part.decisions for name, part in found.phases.items()}
    assert counts == {"bid1": 230, "bid2": 35, "loner": 55, "discard": 12, "play": 756}
    assert found.left_out == {NO_HAND: 60, NO_DISCARD: 215}
    assert (found.deals, found.forced, found.total.decisions) == (81, 648, 1088)
    assert found.total.chance == pytest.approx(0.398, abs=0.0005)


def test_a_deal_with_a_fault_is_named_and_left_out(by_greedy: list[GameRecord]) -> None:
    game = by_greedy[0]
    bad = dataclasses.replace(game.deals[0], calls=("pass", "call_S"))
    found = agree("greedy", {"f": [dataclasses.replace(game, deals=(bad,)), by_greedy[1]]})
    assert found.deals == 2
    assert len(found.faulty) == 1 and found.faulty[0].startswith("f: deal 0: ")
    assert found.total == agree("greedy", {"f": [by_greedy[1]]}).total


def test_probabilities_are_averaged(by_greedy: list[GameRecord]) -> None:
    class Certain(Watching):
        def probabilities(self, view: View) -> Any:
            return np.eye(38, dtype=np.float32)[self.act(view)]

    found = agree(Certain(), {"x": by_greedy})
    assert found.total.probability == pytest.approx(found.total.share)


def test_what_cannot_be_measured(by_greedy: list[GameRecord]) -> None:
    with pytest.raises(EvaluationError, match="hidden cards"):
        agree("oracle", {"x": by_greedy})
    with pytest.raises(EvaluationError, match="x: no decision that could be judged"):
        agree("greedy", {"x": []})


# ---- the verb ------------------------------------------------------------------------------------


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_agree_arguments(parser)
    return run_agree(parser.parse_args(words))


def test_the_verb(
    tmp_path: Path, by_greedy: list[GameRecord], capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "r.jsonl")
    write_jsonl(file, by_greedy)
    assert run("greedy", file, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["agent"] == "greedy" and told["files"] == [file]
    assert told["total"]["share"] == 1.0
    assert set(told["phases"]["play"]) >= {"decisions", "agreed", "ci95_low", "ci95_high"}
    assert run("greedy", file) == 0
    table = capsys.readouterr().out
    assert "100.0 %" in table and "30 deals of 1 files, seed 1" in table


def test_the_verb_takes_the_packaged_deals(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("first_legal") == 0
    assert "81 deals of 8 files" in capsys.readouterr().out
