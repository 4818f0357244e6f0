"""What a run tells: shares by seat, reference figures, pictures, settings with final figures."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.style import REFERENCE, Hands
from agents.training import log, train
from agents.training.config import RolloutConfig
from agents.training.figures import (
    Point,
    bids,
    can_draw,
    curves,
    draw_bids,
    draw_curves,
    image_of,
)
from agents.training.log import (
    METRICS,
    TENSORBOARD,
    Log,
    progress_line,
    reference_shares,
    seat_shares,
)
from agents.training.loop import has_reference
from agents.training.rollout import Decisions
from euchre_env.cards import BIT_OF, CLUBS, DIAMONDS, HEARTS, JOKER, NO_TRUMP, SPADES, card_id
from euchre_env.encoding import LAYOUT
from euchre_env.rules import BID1, BID2, CALL, NOBODY, ORDER_UP, PASS, PLAY, new_states
from tests.small_runs import TINY, collect, quiet, tiny

NEEDS_PICTURES = pytest.mark.skipif(not can_draw(), reason="matplotlib is not installed")

# --- shares ------------------------------------------------------------------------------------


def hand(
    maker: int, trump: int, upcard: str, passes: int, tricks: int, alone: bool = False
) -> npt.NDArray[Any]:
    """A finished hand dealt by seat 3, so that seats 0, 1, 2 are places 1, 2, 3."""
    found = new_states(1)
    s = found[0]
    s.dealer, s.maker, s.trump, s.frame, s.passes = 3, maker, trump, trump, passes
    card = JOKER if upcard == "JOKER" else card_id(upcard)
    s.upcard = 1 << int(BIT_OF[trump, card])
    s.loner, s.offender = maker if alone else NOBODY, NOBODY
    s.tricks[maker & 1], s.tricks[1 - (maker & 1)] = tricks, 5 - tricks
    s.points[maker & 1] = {3: 1, 4: 1, 5: 4 if alone else 2}.get(tricks, 0)
    s.points[1 - (maker & 1)] = 2 if tricks < 3 else 0
    return found


HANDS = np.concatenate(
    [
        hand(3, HEARTS, "9H", 3, 3),  # the dealer takes it up and makes it
        hand(1, HEARTS, "9H", 1, 5),  # the partner orders up: march
        hand(0, DIAMONDS, "9H", 4, 2),  # the first seat calls next and is euchred
        hand(0, DIAMONDS, "JH", 4, 3),  # again, the right bower's twin turned down: made
        hand(0, SPADES, "9H", 4, 5, alone=True),  # cross, alone: a lone march
        hand(1, CLUBS, "9H", 5, 4),  # the second seat calls cross
        hand(1, NO_TRUMP, "9H", 5, 4),  # no trump is neither
        hand(2, CLUBS, "JOKER", 6, 4),  # nor has a joker a colour
    ]
)


def of(finals: npt.NDArray[Any], opponent: list[int] | None = None) -> Decisions:
    """Decisions with these results."""
    member = np.full(len(finals), NOBODY) if opponent is None else np.array(opponent)
    return dataclasses.replace(collect(2), finals=finals, opponent=member)


def test_shares_by_outcome_and_by_seat() -> None:
    shares = seat_shares(of(HANDS))
    expected = {
        "outcomes/euchred": 1 / 8,
        "outcomes/made": 5 / 8,
        "outcomes/march": 1 / 8,
        "outcomes/lone_march": 1 / 8,
        "round_1/1": 0,
        "round_1/2": 1 / 8,
        "round_1/3": 0,
        "round_1/dealer": 1 / 8,
        "round_2/1": 3 / 8,
        "round_2/2": 2 / 8,
        "round_2/3": 1 / 8,
        "round_2/dealer": 0,
        "next/1": 2 / 3,
        "cross/1": 1 / 3,
        "next/2": 0,
        "cross/2": 1 / 2,
        "next/3": 0,
        "cross/3": 0,
        "net_round_1/2": 2,
        "net_round_1/dealer": 1,
        "net_round_2/1": (-2 + 1 + 4) / 3,
        "net_round_2/2": 1,
        "net_round_2/3": 1,
    }
    assert shares == pytest.approx(expected)


def test_hands_against_the_pool_are_left_out() -> None:
    mixed = of(HANDS, [NOBODY, 0, 1, NOBODY, NOBODY, 0, 0, 0])
    assert seat_shares(mixed) == seat_shares(of(HANDS[[0, 3, 4]]))
    assert seat_shares(of(HANDS, [0] * 8)) == {}


def test_shares_of_real_hands_add_up() -> None:
    decisions = collect(1000, ruleset="american")
    shares = seat_shares(decisions)
    calls = sum(v for k, v in shares.items() if k.startswith(("round_1", "round_2")))
    assert calls == pytest.approx(1)
    assert sum(v for k, v in shares.items() if k.startswith("outcomes")) == pytest.approx(1)
    assert shares["next/1"] + shares["cross/1"] == pytest.approx(1)
    first = Hands(decisions.finals)
    assert not (first.next | first.cross)[first.called & ~first.round_2].any()


def test_reference_figures_have_the_names_of_our_own() -> None:
    reference = reference_shares()
    assert reference["reference/round_1/dealer/expert rules"] == 0.445
    assert reference["reference/outcomes/euchred/PIMC-50"] == 0.155
    assert reference["reference/next/2/PIMC-50"] == 0.30
    assert not any(name.startswith("reference/next/3") for name in reference)
    known = [v for groups in REFERENCE.values() for row in groups.values() for v in row]
    assert len(reference) == sum(value is not None for value in known)
    own = seat_shares(collect(3000))
    assert {"/".join(name.split("/")[1:3]) for name in reference} <= own.keys()


def test_there_is_a_reference_for_its_rules_at_the_start_of_a_game_only() -> None:
    assert has_reference(TINY)
    assert has_reference(dataclasses.replace(TINY, ruleset=("american,stick_the_dealer=true",)))
    for other in (
        {"ruleset": ("american",)},
        {"ruleset": ("stick", "american")},
        {"rollout": RolloutConfig(hands=64, scores="random")},
    ):
        assert not has_reference(dataclasses.replace(TINY, **other))


# --- bids --------------------------------------------------------------------------------------


def bid(
    phase: int, dealer: int, cards: list[int], action: int, legal: list[int], up: int = 17
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8], int]:
    """An observation, a mask and an action; cards are bits of the trump-relative frame."""
    seen = np.zeros(max(block.slice.stop for block in LAYOUT.values()), np.uint8)
    mask = np.zeros(38, np.int8)
    mask[legal] = 1
    for block, entries in (
        ("phase", [phase]),
        ("dealer", [dealer]),
        ("hand", cards),
        ("upcard", [up]),
    ):
        seen[LAYOUT[block].start + np.array(entries)] = 1
    return seen, mask, action


def decisions_of(rows: list[tuple[Any, Any, int]]) -> Decisions:
    """Decisions of the policy."""
    seen, masks, actions = zip(*rows)
    return dataclasses.replace(
        collect(2),
        observation=torch.from_numpy(np.stack(seen)),
        action_mask=torch.from_numpy(np.stack(masks)),
        action=torch.tensor(actions),
    )


ROUND_1, ROUND_2 = [PASS, ORDER_UP], [PASS, CALL, CALL + 1, CALL + 2]
OURSELVES, LEFT, PARTNER = 0, 1, 2
BIDS = [
    bid(BID1, OURSELVES, [23, 22, 18, 0, 1], ORDER_UP, ROUND_1),  # both bowers and a small one
    bid(BID1, OURSELVES, [23, 22, 18, 0, 1], PASS, ROUND_1),
    bid(BID1, LEFT, [12, 13, 14, 0, 1], PASS, ROUND_1),  # three of next without its jack: none
    # Nine and ten of the first suit of other colour, and the jack of the second: its left bower.
    bid(BID2, PARTNER, [0, 1, 8, 17, 18], CALL, ROUND_2),
    bid(BID2, PARTNER, [0, 1, 8, 17, 18], PASS, ROUND_2),
    # Next, with the turned-down suit's own jack as its left bower; the turned-down suit itself,
    # of which there are more, may not be called.
    bid(BID2, OURSELVES, [12, 23, 17, 18, 19], PASS, ROUND_2),
    bid(BID2, OURSELVES, [0, 1, 2, 3, 4], CALL, [CALL, CALL + 1, CALL + 2]),  # stuck: no choice
    bid(BID2, LEFT, [0, 1, 2, 3, 4], CALL, ROUND_2, up=JOKER),  # left out
    bid(PLAY, LEFT, [0, 1, 2, 3, 4], 0, [0, 1]),
]


def test_bids_by_trumps_held_and_seat() -> None:
    first, second = bids(decisions_of(BIDS))
    places = {(3, 3): (1, 2), (2, 0): (0, 1)}
    for place, trumps in np.ndindex(4, 6):
        made, turns = places.get((place, trumps), (0, 0))
        assert (first.bids[place, trumps], first.turns[place, trumps]) == (made, turns)
    places = {(1, 3): (1, 2), (3, 2): (0, 1)}
    for place, trumps in np.ndindex(4, 6):
        made, turns = places.get((place, trumps), (0, 0))
        assert (second.bids[place, trumps], second.turns[place, trumps]) == (made, turns)
    assert first.chance[3, 3] == 0.5 and np.isnan(first.chance[0, 0])


def test_every_choice_in_a_round_of_bids_is_counted() -> None:
    decisions = collect(500)
    phase = decisions.observation[:, LAYOUT["phase"].slice].argmax(1)
    free = decisions.action_mask[:, PASS] == 1
    for found, number in zip(bids(decisions), (BID1, BID2), strict=True):
        assert found.turns.sum() == int(((phase == number) & free).sum()) > 0
        made = (phase == number) & free & (decisions.action != PASS)
        assert found.bids.sum() == int(made.sum())


# --- pictures ----------------------------------------------------------------------------------


def test_the_learning_curve_is_read_from_the_rows() -> None:
    rows = [
        {"decisions": 10.0, "strength/a/points_per_hand": 0.1, "strength/a/ci95": 0.05},
        {"decisions": 20.0},
        {
            "decisions": 30.0,
            "strength/a/points_per_hand": 0.2,
            "strength/a/ci95": 0.04,
            "final/a/points_per_hand": 0.3,
            "final/a/ci95": 0.01,
            "final/b/points_per_hand": 0.4,
            "final/b/ci95": 0.02,
        },
    ]
    assert curves(rows) == {
        "a": [Point(10, 0.1, 0.05), Point(30, 0.2, 0.04), Point(30, 0.3, 0.01)],
        "b": [Point(30, 0.4, 0.02)],
    }
    assert curves([{"decisions": 1.0}]) == {}


@NEEDS_PICTURES
def test_pictures_have_colours() -> None:
    curve = {"a": [Point(10, 0.1, 0.05), Point(30, 0.3, 0.01)], "b": [Point(30, 0.4, 0.02)]}
    for figure in (draw_bids(decisions_of(BIDS)), draw_curves(curve)):
        pixels = image_of(figure)
        assert pixels.dtype == np.uint8 and pixels.shape[2] == 3 and pixels.shape[0] >= 300
        assert (pixels.min(2) < pixels.max(2)).any()


# --- runs --------------------------------------------------------------------------------------


def evaluate(agent: Any, opponent: str, deals: int) -> dict[str, float]:
    """A match that always ends the same way."""
    return {"points_per_hand": deals / 1e6, "ci95": 0.125}


def board(folder: Path) -> EventAccumulator:
    """All that TensorBoard shows of a run."""
    found = EventAccumulator(str(folder / TENSORBOARD), {"scalars": 0, "images": 0})
    found.Reload()
    return found


def rows(folder: Path) -> list[dict[str, float]]:
    """metrics.jsonl."""
    return [json.loads(line) for line in (folder / METRICS).read_text("utf-8").splitlines()]


@NEEDS_PICTURES
def test_a_run_has_pictures_reference_and_settings_with_final_figures(tmp_path: Path) -> None:
    config = dataclasses.replace(
        tiny(tmp_path, iterations=5, figures_every=2),
        evaluation=dataclasses.replace(TINY.evaluation, every=2, final_deals=40_000),
    )
    folder = train(config, evaluate, say=quiet).folder
    seen, logged = board(folder), rows(folder)
    assert [image.step for image in seen.Images("figures/bids")] == [2, 4, 5]
    assert [image.step for image in seen.Images("figures/strength")] == [2, 4, 5, 5]
    name = "reference/outcomes/made/PIMC-50"
    assert [(e.step, round(e.value, 3)) for e in seen.Scalars(name)] == [
        (step, 0.654) for step in (1, 2, 4, 5)
    ]
    assert [row["iteration"] for row in logged if name in row] == [1, 2, 4, 5]
    assert "custom_scalars__config__" in seen.Tags()["tensors"]
    assert [row["iteration"] for row in logged if "final/random/ci95" in row] == [5]
    assert seen.Scalars("final/random/points_per_hand")[0].value == pytest.approx(0.04)
    settings = seen.summary_metadata["_hparams_/session_start_info"].plugin_data.content
    assert b"ppo.rate" in settings and b"network.hidden" in settings
    metrics = seen.summary_metadata["_hparams_/experiment"].plugin_data.content
    assert b"final/greedy/points_per_hand" in metrics
    assert all(path.is_file() for path in (folder / TENSORBOARD).iterdir())


def test_every_scalar_is_in_both_files(tmp_path: Path) -> None:
    folder = train(tiny(tmp_path), evaluate, say=quiet).folder
    seen = board(folder)
    in_board = {
        (name, event.step): event.value
        for name in seen.Tags()["scalars"]
        for event in seen.Scalars(name)
    }
    in_file = {
        (name, row["iteration"]): value
        for row in rows(folder)
        for name, value in row.items()
        if name != "iteration"
    }
    assert in_board.keys() == in_file.keys()
    assert in_board == pytest.approx(in_file, rel=1e-6)


def test_matches_played_again_take_the_place_of_the_first(tmp_path: Path) -> None:
    folder = train(tiny(tmp_path), evaluate, say=quiet).folder
    train(None, lambda *_: {"points_per_hand": -1.0, "ci95": 0.5}, folder, say=quiet)
    logged = rows(folder)
    assert [row["iteration"] for row in logged] == [1, 2, 3]
    assert logged[-1]["final/random/points_per_hand"] == -1


@pytest.mark.parametrize("why", ["switched off", "no matplotlib"])
def test_a_run_without_pictures(why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "can_draw", lambda: why == "switched off")
    every = 0 if why == "switched off" else 1
    folder = train(tiny(tmp_path, figures_every=every), evaluate, say=quiet).folder
    assert board(folder).Tags()["images"] == []
    assert len(rows(folder)) == 3


def test_a_log_that_was_lost_is_no_reason_to_fail(tmp_path: Path) -> None:
    written = Log(tmp_path, 3, 3)
    written.finish({"seed": 1}, {"final/random/ci95": 0.1})
    written.close()
    assert rows(tmp_path) == []


def test_the_line_of_progress_has_what_there_is() -> None:
    figures = {
        "decisions": 2e6,
        "train/entropy": 0.5,
        "train/explained_variance": 0.25,
        "strength/random/points_per_hand": 1.25,
        "strength/random/ci95": 0.1,
        "speed/iteration_seconds": 2.0,
        "speed/collect": 2e5,
        "speed/learn": 1e5,
    }
    line = progress_line(3, 10, figures)
    assert line == (
        "   3/10    2.00M decisions  entropy 0.500  value explains  25%  random +1.250  "
        "collect 200k/s  learn 100k/s  14 s left"
    )
    assert "q loss 0.3000" in progress_line(3, 10, {**figures, "train/q_loss": 0.3})
