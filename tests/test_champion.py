"""Shipped policies play well, the oldest as before though observations have grown since."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from agents.base import RuleTable, view_of
from agents.evaluation import play_match
from agents.network import read_header
from euchre_env import encoding
from euchre_env.actions import action_id
from euchre_env.ruleset import Ruleset
from tests.table import Table

OLDEST = agents.champion_path().with_name("seed1.safetensors")
LAYOUT_IT_WAS_MADE_FOR = "60869793f75e"

DECISIONS = [
    (
        "KH 9H TS JH 9S TD AC QC JS JC JD QD KD AD 9C QH KC TC AH TH KS QS 9D AS",
        *(2, "stick", "pass"),
        {"order_up": 0.50864, "pass": 0.49136},
    ),
    (
        "JC AS 9D AH TC TH AC JS KS QC QD JH KD 9S TD TS 9C 9H KC AD KH QS JD QH",
        *(0, "stick", "pass pass pass pass"),
        {"call_S": 0.56197, "call_C": 0.43681},
    ),
    (
        "9D 9C QS JC AH JD QD 9H TD KD KC TS AC KS JS QC AD QH KH TC AS TH 9S JH",
        *(3, "stick", "pass pass order_up"),
        {"alone": 0.71285, "with_partner": 0.28715},
    ),
    (
        "AD KC AS 9C 9H QS JC TS QH TC QC 9D KD AC JD AH JS 9S JH TD KH KS QD TH",
        *(1, "stick", "pass order_up with_partner"),
        {"JC": 0.49782, "TC": 0.49018},
    ),
    (
        "JH 9C AH TD 9D AD KS QS KD KC JC JS QC TS AC 9S QD AS QH KH JD TC TH 9H",
        *(0, "stick", "pass pass pass order_up alone 9C QS AS JD JH AD QD TD KD 9S KS"),
        {"QH": 0.71207, "KH": 0.28793},
    ),
    (
        "TC TH KC 9C 9D JC QC QD JS KD JH QH AD 9S KS 9H JD QS TS AS AC AH KH TD",
        *(3, "anyone_alone", "order_up 9H with_partner with_partner"),
        {"defend_together": 0.71449, "defend_alone": 0.28551},
    ),
    (
        "JS AD AS AH QS TH AC KD QD 9D 9C TD TC TS KH 9H KS JH QH QC JD JC 9S KC",
        *(1, "anyone_alone", "order_up TH with_partner with_partner defend_alone"),
        {"9C": 0.68615, "KH": 0.30611},
    ),
]
"""Deck, dealer, rules, what happened, and how likely this policy was to do what, at the score 6 to
7: found with the last version whose observations were those of the partnership game alone. Its
first act is the one that it does.
"""


def test_it_was_made_for_a_shorter_layout_that_still_fits() -> None:
    made_for = read_header(OLDEST)["layout"]
    assert made_for == LAYOUT_IT_WAS_MADE_FOR != encoding.layout_hash()
    assert encoding.fits_layout(made_for)


@pytest.mark.parametrize(("deck", "dealer", "rules", "history", "chances"), DECISIONS)
def test_it_decides_as_before(
    deck: str, dealer: int, rules: str, history: str, chances: dict[str, float]
) -> None:
    ruleset, policy = Ruleset.parse(rules), agents.make(str(OLDEST))
    t = Table.dealt(ruleset, deck.split(), dealer, (6, 7)).do(history)
    none = np.zeros(1, np.int16)
    view = view_of(np.array([t.s]), RuleTable.of([ruleset]), none, none.astype(np.uint64))
    acts = [action_id(word, "trump", t.s) for word in chances]
    found = policy.probabilities(view)[0]
    assert found[acts].tolist() == pytest.approx(list(chances.values()), abs=1e-3)
    assert policy.act(view).tolist() == acts[:1]


@pytest.mark.parametrize(
    ("file", "name", "seed", "algorithm"),
    [
        ("champion", "champion", 1, "rpi"),
        ("rpi", "rpi", 1, "rpi"),
        ("seed1", "champion", 1, "ppo"),  # the champion of its day
        ("seed2", "seed2", 2, "ppo"),
        ("seed3", "seed3", 3, "ppo"),
    ],
)
def test_they_are_what_they_say_and_play_well(
    file: str, name: str, seed: int, algorithm: str
) -> None:
    place = agents.champion_path().with_name(f"{file}.safetensors")
    config = {"algorithm": "ppo"} | read_header(place)["config"]  # the oldest knew no other
    assert (config["name"], config["seed"], config["algorithm"]) == (name, seed, algorithm)
    assert play_match(str(place), "greedy", 400, "stick", seed=3).points_per_hand > 0.1
