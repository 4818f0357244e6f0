"""Rule sets: defaults, values, conflicts, presets, text, files, records and sentences."""

from __future__ import annotations

import copy
import dataclasses
import os
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from euchre_env import ruleset as codes
from euchre_env.ruleset import (
    ALL_PRESETS,
    HOUSE_PRESETS,
    OPTIONS,
    PRESETS,
    RULES,
    VARIANT_PLAYERS,
    VARIANT_PRESETS,
    Option,
    Ruleset,
    RulesetError,
    options_markdown,
)
from euchre_env.testing import random_ruleset, random_value

CONFIGS = Path(__file__).parent.parent / "configs" / "rules"

DEFAULTS: dict[str, Any] = {
    "players": 4,
    "variant": "partnership",
    "target_score": 10,
    "hands_per_game": None,
    "match_games": 1,
    "match_carry_over": False,
    "first_dealer": "random",
    "throw_in_redealer": "next",
    "stick_the_dealer": False,
    "stuck_dealer_may_name_turned_down": False,
    "no_trump": "off",
    "require_natural_trump": "off",
    "canadian_loner": False,
    "allow_alone": True,
    "alone_timing": "with_call",
    "alone_by": "maker",
    "partner_alone_upcard": "left_in_kitty",
    "dealer_may_discard_upcard": True,
    "loner_lead": "dealer_left",
    "defend_alone": "off",
    "points_make": 1,
    "points_march": 2,
    "points_loner_march": 4,
    "points_loner_four": 1,
    "points_euchre": 2,
    "points_loner_euchred": 2,
    "points_super_euchre": 2,
    "defend_alone_points": [4, 4],
    "joker": False,
    "joker_upcard": "dealer_names_blind",
    "weak_hand": "off",
    "weak_hand_test": "no_ace_no_face",
    "weak_hand_redealer": "same",
    "renege": "impossible",
    "renege_points": 2,
    "renege_points_vs_loner": 2,
    "dummy_exchange": True,
    "renege_mode": "award",
    "swap3_shown": True,
    "points_three_hand_loner_euchred": 4,
    "two_hand_dummy": "none",
    "widow_exchange": False,
    "points_set": 5,
    "set_without_trick": False,
    "drop_out": False,
    "points_drop_out": 0,
    "clubs_are_trump": False,
    "fast_break": False,
    "four_trick_tokens": False,
    "call_for_best": "off",
    "lowest_rank": 9,
}

CHOICES: dict[str, tuple[str, ...]] = {
    "variant": ("partnership", "three_hand_dummy", "cutthroat_widow", "buck", "two_hand"),
    "first_dealer": ("random", "black_jack"),
    "throw_in_redealer": ("next", "same"),
    "no_trump": ("off", "round2", "stuck_dealer"),
    "require_natural_trump": ("off", "always", "not_dealer"),
    "alone_timing": ("with_call", "before_lead"),
    "alone_by": ("maker", "maker_team"),
    "partner_alone_upcard": ("left_in_kitty", "dealer_discards", "loner_takes"),
    "loner_lead": ("dealer_left", "loner_left"),
    "defend_alone": ("off", "vs_loner", "any"),
    "joker_upcard": ("dealer_names_blind", "dealer_names", "redraw"),
    "weak_hand": ("off", "throw_in", "swap3"),
    "weak_hand_test": (
        "no_ace_no_face",
        "ace_no_face",
        "no_ace_no_face_no_trump",
        "three_nines_or_three_tens",
        "three_low",
        "four_low",
    ),
    "weak_hand_redealer": ("same", "next"),
    "renege": ("impossible", "penalised"),
    "renege_mode": ("award", "deduct"),
    "two_hand_dummy": ("none", "maker"),
    "call_for_best": ("off", "offered", "always"),
}

BUCK: dict[str, Any] = {"variant": "buck"}
CUTTHROAT: dict[str, Any] = {"variant": "cutthroat_widow", "players": 3}
THREE_HAND: dict[str, Any] = {"variant": "three_hand_dummy", "players": 3}
TWO_HAND: dict[str, Any] = {"variant": "two_hand", "players": 2}

PRESET_CHANGES: dict[str, dict[str, Any]] = {
    "american": {},
    "stick": {"stick_the_dealer": True},
    "late_alone": {"alone_timing": "before_lead"},
    "anyone_alone": {
        "alone_timing": "before_lead",
        "alone_by": "maker_team",
        "defend_alone": "any",
        "defend_alone_points": [2, 4],
    },
    "canadian": {"canadian_loner": True},
    "australian": {"canadian_loner": True},
    "british": {
        "target_score": 11,
        "canadian_loner": True,
        "defend_alone": "vs_loner",
        "joker": True,
    },
    "tournament_us": {"match_games": 3, "stick_the_dealer": True},
    "openspiel": {
        "stick_the_dealer": True,
        "dealer_may_discard_upcard": False,
        "alone_timing": "before_lead",
        "partner_alone_upcard": "dealer_discards",
    },
}

VARIANT_PRESET_CHANGES: dict[str, dict[str, Any]] = {
    "three_hand": THREE_HAND,
    "two_hand": TWO_HAND,
    "buck": {**BUCK, "target_score": 25},
    "dirty_clubs": {
        **BUCK,
        "target_score": 25,
        "no_trump": "round2",
        "set_without_trick": True,
        "drop_out": True,
        "clubs_are_trump": True,
    },
    "cutthroat": {**CUTTHROAT, "target_score": 15},
}
HOUSE_PRESET_CHANGES: dict[str, dict[str, Any]] = {
    "euchre28": {"lowest_rank": 8},
    "euchre32": {"lowest_rank": 7},
    "fast_break": {"fast_break": True},
    "four_trick_tokens": {"four_trick_tokens": True},
    "call_for_best": {"call_for_best": "offered"},
    "twelve_hands": {"target_score": None, "hands_per_game": 12},
    "carry_over": {"match_games": 3, "match_carry_over": True},
}

# One option changed, with whatever else it needs to be valid.
ALONE: list[dict[str, Any]] = [
    {"target_score": 5},
    {"target_score": None, "hands_per_game": 12},
    {"target_score": None, "hands_per_game": 1},
    {"match_games": 3},
    {"match_games": 3, "match_carry_over": True},
    *({"first_dealer": value} for value in ("black_jack", 0, 1, 2, 3)),
    {"stick_the_dealer": True},
    {"stick_the_dealer": True, "stuck_dealer_may_name_turned_down": True},
    {"no_trump": "round2"},
    {"no_trump": "stuck_dealer", "stick_the_dealer": True},
    {"alone_by": "maker_team", "alone_timing": "before_lead"},
    *({"variant": variant, "players": seats} for variant, seats in VARIANT_PLAYERS.items()),
    *({name: not DEFAULTS[name]} for name in ("canadian_loner", "allow_alone", "joker")),
    *({name: True} for name in ("fast_break", "four_trick_tokens")),
    *({name: False} for name in ("dealer_may_discard_upcard", "swap3_shown", "dummy_exchange")),
    *(
        {name: 7}
        for name in DEFAULTS
        if "points" in name
        and name
        not in (
            "defend_alone_points",
            "points_three_hand_loner_euchred",
            "points_set",
            "points_drop_out",
        )
    ),
    {**THREE_HAND, "points_three_hand_loner_euchred": 7},
    {**TWO_HAND, "two_hand_dummy": "maker"},
    {**CUTTHROAT, "widow_exchange": True},
    *({**BUCK, name: True} for name in ("set_without_trick", "drop_out", "clubs_are_trump")),
    {"lowest_rank": 8},
    {"lowest_rank": 7},
    {**BUCK, "points_set": 7},
    {**BUCK, "drop_out": True, "points_drop_out": 7},
    {"defend_alone_points": (2, 4)},
    {"defend_alone_points": (4, 2)},
    *(
        {name: word}
        for name, words in CHOICES.items()
        for word in words[1:]
        if name not in ("variant", "no_trump", "alone_by", "first_dealer", "two_hand_dummy")
    ),
]

CONFLICTS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"hands_per_game": 12, "target_score": 10}, ("hands_per_game", "target_score")),
    ({"hands_per_game": 12}, ("hands_per_game", "target_score")),
    ({"target_score": None}, ("hands_per_game", "target_score")),
    ({"match_carry_over": True}, ("match_carry_over", "match_games")),
    (
        {"match_carry_over": True, "match_games": 3, "target_score": None, "hands_per_game": 8},
        ("match_carry_over", "target_score"),
    ),
    ({"match_games": 2}, ("match_games",)),
    (
        {"stuck_dealer_may_name_turned_down": True},
        ("stuck_dealer_may_name_turned_down", "stick_the_dealer"),
    ),
    ({"no_trump": "stuck_dealer"}, ("no_trump", "stick_the_dealer")),
    ({"no_trump": "round2", "joker": True}, ("no_trump", "joker")),
    (
        {"no_trump": "stuck_dealer", "stick_the_dealer": True, "joker": True},
        ("no_trump", "joker"),
    ),
    ({"lowest_rank": 7, "joker": True}, ("joker", "lowest_rank")),
    ({"lowest_rank": 8, "weak_hand": "swap3"}, ("weak_hand", "lowest_rank")),
    ({**BUCK, "lowest_rank": 8}, ("lowest_rank", "variant")),
    ({"canadian_loner": True, "allow_alone": False}, ("canadian_loner", "allow_alone")),
    ({"defend_alone": "vs_loner", "allow_alone": False}, ("defend_alone", "allow_alone")),
    ({"alone_by": "maker_team"}, ("alone_by", "alone_timing")),
    (
        {"alone_by": "maker_team", "alone_timing": "before_lead", "allow_alone": False},
        ("alone_by", "allow_alone"),
    ),
    ({"players": 3}, ("variant", "players")),
    ({"players": 2}, ("variant", "players")),
    ({"variant": "three_hand_dummy"}, ("variant", "players")),
    ({"variant": "buck", "players": 3}, ("variant", "players")),
    (
        {"variant": "three_hand_dummy", "players": 3, "first_dealer": 3},
        ("first_dealer", "players"),
    ),
    ({"variant": "three_hand_dummy", "players": 3, "joker": True}, ("joker", "variant")),
    ({"variant": "buck", "defend_alone": "any"}, ("defend_alone", "variant")),
    ({"variant": "buck", "canadian_loner": True}, ("canadian_loner", "variant")),
    ({"variant": "buck", "alone_timing": "before_lead"}, ("alone_timing", "variant")),
    ({"variant": "buck", "loner_lead": "loner_left"}, ("loner_lead", "variant")),
    ({"variant": "buck", "defend_alone_points": (2, 4)}, ("defend_alone_points", "variant")),
    ({"variant": "buck", "joker_upcard": "redraw"}, ("joker_upcard", "variant")),
    (
        {"variant": "buck", "partner_alone_upcard": "loner_takes"},
        ("partner_alone_upcard", "variant"),
    ),
    ({**BUCK, "weak_hand": "swap3"}, ("weak_hand", "variant")),
    ({**BUCK, "renege": "penalised"}, ("renege", "variant")),
    ({**BUCK, "match_games": 3, "match_carry_over": True}, ("match_carry_over", "variant")),
    ({**BUCK, "points_drop_out": 1}, ("points_drop_out", "drop_out")),
    ({**BUCK, "widow_exchange": True}, ("widow_exchange", "variant")),
    ({**THREE_HAND, "first_dealer": "black_jack"}, ("first_dealer", "players")),
    ({**THREE_HAND, "drop_out": True}, ("drop_out", "variant")),
    ({"two_hand_dummy": "maker"}, ("two_hand_dummy", "variant")),
    ({"points_set": 6}, ("points_set", "variant")),
    ({"clubs_are_trump": True}, ("clubs_are_trump", "variant")),
    ({"set_without_trick": True}, ("set_without_trick", "variant")),
    ({**BUCK, "fast_break": True}, ("fast_break", "variant")),
    ({**THREE_HAND, "four_trick_tokens": True}, ("four_trick_tokens", "variant")),
    ({**TWO_HAND, "call_for_best": "always"}, ("call_for_best", "variant")),
    ({"call_for_best": "offered", "allow_alone": False}, ("call_for_best", "allow_alone")),
    (
        {"points_three_hand_loner_euchred": 2},
        ("points_three_hand_loner_euchred", "variant"),
    ),
]

VALID: list[dict[str, Any]] = [
    {},
    {"stick_the_dealer": True},
    {
        "alone_timing": "before_lead",
        "alone_by": "maker_team",
        "defend_alone": "any",
        "defend_alone_points": [2, 4],
    },
    {"defend_alone": "any", "allow_alone": False},
    {"canadian_loner": True, "alone_timing": "before_lead"},
    {"hands_per_game": 12, "target_score": None},
    {"lowest_rank": 7, "no_trump": "round2", "renege": "penalised"},
    {"match_games": 3, "match_carry_over": True},
    {"require_natural_trump": "always", "stick_the_dealer": True},
    {"throw_in_redealer": "same", "stick_the_dealer": True},
    {**THREE_HAND, "dummy_exchange": False, "points_three_hand_loner_euchred": 2},
    {**TWO_HAND, "two_hand_dummy": "maker", "match_games": 3},
    {**BUCK, "first_dealer": "black_jack", "drop_out": True, "points_drop_out": 1},
    {**CUTTHROAT, "widow_exchange": True, "clubs_are_trump": True, "no_trump": "round2"},
    {"players": np.int64(4), "joker": np.bool_(True), "points_march": np.int8(3)},
]

WRONG: list[tuple[str, Any, str]] = [
    ("stick_the_dealer", 1, "True or False"),
    ("joker", "true", "True or False"),
    ("joker", None, "True or False"),
    ("players", True, "whole number 2 to 4"),
    ("players", 5, "whole number 2 to 4"),
    ("target_score", 0, "1 to 150, or None"),
    ("target_score", 151, "1 to 150, or None"),
    ("target_score", 10.0, "1 to 150, or None"),
    ("target_score", "10", "1 to 150, or None"),
    ("hands_per_game", 0, "1 to 250"),
    ("hands_per_game", 251, "1 to 250"),
    ("match_games", 0, "odd"),
    ("match_games", 98, "odd"),
    ("match_games", 101, "1 to 99"),
    ("lowest_rank", 6, "whole number 7 to 9"),
    ("lowest_rank", 10, "whole number 7 to 9"),
    ("lowest_rank", "7", "whole number 7 to 9"),
    ("points_make", -1, "0 to 50"),
    ("points_make", 51, "0 to 50"),
    ("points_make", None, "0 to 50"),
    ("points_make", False, "0 to 50"),
    ("no_trump", "round_2", "did you mean 'round2'?"),
    ("no_trump", False, "'off', 'round2' or 'stuck_dealer'"),
    ("no_trump", 1, "'off', 'round2' or 'stuck_dealer'"),
    ("weak_hand_test", ["three_low"], "'three_low'"),
    ("variant", "three_hand", "did you mean 'three_hand_dummy'?"),
    ("first_dealer", 4, "seat 0 to 3"),
    ("first_dealer", -1, "seat 0 to 3"),
    ("first_dealer", True, "seat 0 to 3"),
    ("first_dealer", "black jack", "did you mean 'black_jack'?"),
    ("defend_alone_points", 4, "two whole numbers"),
    ("defend_alone_points", (4,), "two whole numbers"),
    ("defend_alone_points", (4, 4, 4), "two whole numbers"),
    ("defend_alone_points", (4, 51), "two whole numbers"),
    ("defend_alone_points", (True, 4), "two whole numbers"),
    ("defend_alone_points", "24", "two whole numbers"),
]


def some_rulesets(count: int = 300, variants: bool = True) -> list[Ruleset]:
    rng = random.Random(20)
    return [random_ruleset(rng, variants, decks=variants) for _ in range(count)]


# --- defaults and values ---------------------------------------------------------------------


def test_defaults_are_the_american_game() -> None:
    assert Ruleset().to_dict() == DEFAULTS
    assert Ruleset().defend_alone_points == (4, 4)


def test_options_describe_every_field_in_order() -> None:
    assert tuple(OPTIONS) == tuple(field.name for field in dataclasses.fields(Ruleset))
    assert set(OPTIONS) == set(DEFAULTS)
    assert {n: o.choices for n, o in OPTIONS.items() if o.choices} == CHOICES
    for name, option in OPTIONS.items():
        assert (option.name, option.check(option.default)) == (name, option.default)
        assert option.meaning
        assert option.group


def test_every_choice_has_its_own_phrase() -> None:
    for option in OPTIONS.values():
        if option.kind == "choice":
            assert len(set(option.phrases)) == len(option.choices)


@pytest.mark.parametrize("changes", VALID)
def test_valid(changes: dict[str, Any]) -> None:
    assert Ruleset(**changes) == Ruleset(**changes)


@pytest.mark.parametrize(("name", "value", "says"), WRONG)
def test_wrong_value(name: str, value: Any, says: str) -> None:
    with pytest.raises(RulesetError) as caught:
        Ruleset(**{name: value})
    assert caught.value.conflict == (name,)
    assert str(caught.value).startswith(f"{name}=")
    assert says in str(caught.value)


def test_number_too_long_to_print() -> None:
    with pytest.raises(RulesetError, match="points_march=an enormous number does not fit"):
        Ruleset(points_march=16**6000)


@pytest.mark.parametrize("name", [n for n, o in OPTIONS.items() if o.high])
def test_bounds_are_allowed(name: str) -> None:
    option = OPTIONS[name]
    for number in (option.low, option.high):
        value = [number, number] if option.kind == "pair" else number
        assert option.check(value) == (tuple(value) if isinstance(value, list) else value)


def test_values_become_plain_python() -> None:
    rules = Ruleset(joker=np.bool_(True), points_march=np.int16(3), defend_alone_points=[2, 4])  # type: ignore[arg-type]
    assert type(rules.joker) is bool
    assert type(rules.points_march) is int
    assert rules.defend_alone_points == (2, 4)
    assert type(Ruleset(no_trump=np.str_("round2")).no_trump) is str


# --- conflicts -------------------------------------------------------------------------------


@pytest.mark.parametrize(("changes", "conflict"), CONFLICTS)
def test_conflict(changes: dict[str, Any], conflict: tuple[str, ...]) -> None:
    with pytest.raises(RulesetError) as caught:
        Ruleset(**changes)
    assert caught.value.conflict == conflict
    assert isinstance(caught.value, ValueError)
    for name in conflict:
        assert f"{name}=" in str(caught.value)


def test_conflict_says_what_would_do() -> None:
    with pytest.raises(RulesetError) as caught:
        Ruleset(canadian_loner=True, allow_alone=False)
    assert str(caught.value) == (
        "canadian_loner=True with allow_alone=False will not do: "
        "it needs lone hands: set allow_alone=True or canadian_loner=False"
    )


def test_wrong_player_count_names_the_variants_for_it() -> None:
    with pytest.raises(RulesetError, match=r"players=4.*'three_hand_dummy' or 'cutthroat_widow'"):
        Ruleset(players=3)


def test_all_conflicts_are_told_at_once() -> None:
    with pytest.raises(RulesetError) as caught:
        Ruleset(canadian_loner=True, allow_alone=False, no_trump="round2", joker=True)
    assert set(caught.value.conflict) == {"canadian_loner", "allow_alone", "no_trump", "joker"}


def test_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(RulesetError("bad", ("joker",))))
    assert (str(error), error.conflict) == ("bad", ("joker",))


# --- variants --------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", [v for v in VARIANT_PLAYERS if v != "partnership"])
def test_a_variant_is_refused_by_whoever_needs_partners(variant: str) -> None:
    rules = Ruleset(variant=variant, players=VARIANT_PLAYERS[variant])
    assert not rules.is_partnership
    with pytest.raises(RulesetError, match=f"variant='{variant}': chess is for the") as caught:
        rules.require_partnership("chess is")
    assert caught.value.conflict == ("variant",)


def test_the_default_is_the_partnership_game() -> None:
    assert Ruleset().is_partnership
    Ruleset().require_partnership("chess is")


# --- presets ---------------------------------------------------------------------------------


def test_preset_names() -> None:
    assert tuple(PRESET_CHANGES) == PRESETS
    assert tuple(VARIANT_PRESET_CHANGES) == VARIANT_PRESETS
    assert tuple(HOUSE_PRESET_CHANGES) == HOUSE_PRESETS
    assert (*PRESETS, *VARIANT_PRESETS, *HOUSE_PRESETS) == ALL_PRESETS


@pytest.mark.parametrize("name", HOUSE_PRESETS)
def test_preset_of_a_house_rule(name: str) -> None:
    rules = Ruleset.preset(name)
    assert rules.to_dict(only_changes=True) == HOUSE_PRESET_CHANGES[name]
    assert Ruleset.parse(name) == rules
    assert Ruleset.parse(f"{name},stick_the_dealer=true") == rules.replace(stick_the_dealer=True)
    assert Ruleset.from_dict({"preset": name}) == rules
    assert rules.is_partnership


def test_a_preset_called_like_an_option_stands_at_the_start_only() -> None:
    assert Ruleset.parse("fast_break") == Ruleset.parse("fast_break=true")
    with pytest.raises(RulesetError, match="fast_break lacks its value: write fast_break=VALUE"):
        Ruleset.parse("stick,fast_break")


def test_presets_of_larger_decks() -> None:
    assert Ruleset.parse("euchre32,stick_the_dealer=true") == Ruleset(
        lowest_rank=7, stick_the_dealer=True
    )
    assert str(Ruleset.preset("euchre32")) == "Euchre to 10 with 7s as the lowest cards."


def test_what_is_for_the_small_deck_only_says_so() -> None:
    Ruleset().require_small_deck("chess is")
    with pytest.raises(RulesetError, match="lowest_rank=7: chess is for the deck of 24") as caught:
        Ruleset.preset("euchre32").require_small_deck("chess is")
    assert caught.value.conflict == ("lowest_rank",)


@pytest.mark.parametrize("name", VARIANT_PRESETS)
def test_preset_of_another_game(name: str) -> None:
    rules = Ruleset.preset(name)
    assert rules.to_dict(only_changes=True) == VARIANT_PRESET_CHANGES[name]
    assert Ruleset.parse(name) == rules
    assert Ruleset.parse(f"{name},target_score=7") == rules.replace(target_score=7)
    assert Ruleset.from_dict({"preset": name}) == rules
    assert not rules.is_partnership


@pytest.mark.parametrize("name", PRESETS)
def test_preset(name: str) -> None:
    rules = Ruleset.preset(name)
    assert rules.to_dict(only_changes=True) == PRESET_CHANGES[name]
    assert getattr(Ruleset, name)() == rules
    assert Ruleset.parse(name) == rules
    assert Ruleset.from_dict({"preset": name}) == rules
    assert rules.is_partnership


@pytest.mark.parametrize("name", ALL_PRESETS)
def test_preset_file(name: str) -> None:
    path = CONFIGS / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert Ruleset.load(path) == Ruleset.preset(name)
    assert Ruleset.parse(str(path)) == Ruleset.preset(name)
    keys = [line.partition(":")[0] for line in text.splitlines() if ":" in line and line[0] != "#"]
    assert keys == list(Ruleset.preset(name).to_dict(only_changes=True))


def test_every_rules_file_is_a_preset() -> None:
    assert {path.stem for path in CONFIGS.iterdir()} == set(ALL_PRESETS)


def test_unknown_preset() -> None:
    with pytest.raises(RulesetError, match="did you mean 'canadian'"):
        Ruleset.preset("canadien")
    with pytest.raises(RulesetError, match="the presets are american, "):
        Ruleset.preset(["stick"])  # type: ignore[arg-type]


# --- round trips -----------------------------------------------------------------------------


def test_round_trips() -> None:
    for rules in some_rulesets():
        assert Ruleset.from_record(rules.record()) == rules
        for changes in (False, True):
            assert Ruleset.from_dict(rules.to_dict(only_changes=changes)) == rules
            assert Ruleset.from_yaml(rules.to_yaml(only_changes=changes)) == rules
            assert Ruleset.from_json(rules.to_json(only_changes=changes)) == rules
        assert eval(repr(rules), {"Ruleset": Ruleset}) == rules
        assert pickle.loads(pickle.dumps(rules)) == rules == copy.deepcopy(rules)
        assert hash(Ruleset.from_dict(rules.to_dict())) == hash(rules)


def test_parse_reads_what_a_command_line_can_say() -> None:
    for rules in some_rulesets(100):
        changes = rules.to_dict(only_changes=True)
        words = {n: f"{v[0]}:{v[1]}" if isinstance(v, list) else v for n, v in changes.items()}
        text = ",".join(f"{name}={value}" for name, value in words.items())
        assert Ruleset.parse(text or "american") == rules


def test_random_rulesets_repeat_and_vary_every_option() -> None:
    assert some_rulesets(20) == some_rulesets(20)
    both = [random_ruleset(np.random.default_rng(3)) for _ in range(2)]
    assert both[0] == both[1]
    seen = some_rulesets(2000)
    for name in OPTIONS:
        values = {getattr(rules, name) for rules in seen}
        assert len(values) > 1, name
        assert set(CHOICES.get(name, ())) <= values
    assert all(rules.is_partnership for rules in some_rulesets(200, variants=False))


def test_random_values_fit() -> None:
    rng = random.Random(1)
    for option in OPTIONS.values():
        for _ in range(50):
            value = random_value(option, rng)
            assert option.check(value) == value


# --- dictionaries and text -------------------------------------------------------------------


def test_from_dict_starts_from_a_preset() -> None:
    rules = Ruleset.from_dict({"preset": "stick", "joker": True})
    assert rules == Ruleset(stick_the_dealer=True, joker=True)
    with pytest.raises(RulesetError, match="no preset is called"):
        Ruleset.from_dict({"preset": ["stick"]})


def test_from_dict_unknown_option() -> None:
    with pytest.raises(RulesetError, match="did you mean 'stick_the_dealer'") as caught:
        Ruleset.from_dict({"stick_dealer": True})
    assert caught.value.conflict == ("stick_dealer",)
    with pytest.raises(RulesetError, match="the options are players, variant"):
        Ruleset.from_dict({"zzz": True})
    with pytest.raises(RulesetError, match="no option is called True"):
        Ruleset.from_dict({True: 1})  # type: ignore[dict-item]


@pytest.mark.parametrize("data", [None, 3, "stick", ["stick"]])
def test_from_dict_needs_a_mapping(data: Any) -> None:
    with pytest.raises(RulesetError, match="mapping"):
        Ruleset.from_dict(data)


def test_replace() -> None:
    assert Ruleset.stick().replace(joker=True) == Ruleset(stick_the_dealer=True, joker=True)
    with pytest.raises(RulesetError, match="did you mean 'joker'"):
        Ruleset().replace(jokers=True)
    with pytest.raises(RulesetError):
        Ruleset.british().replace(no_trump="round2")


@pytest.mark.parametrize("bare", ["off", "'off'", "OFF", "false"])
def test_yaml_bare_off_is_a_choice(bare: str) -> None:
    assert Ruleset.from_yaml(f"no_trump: {bare}") == Ruleset()
    assert Ruleset.parse(f"weak_hand={bare},joker=off") == Ruleset()
    with pytest.raises(RulesetError, match="'with_call' or 'before_lead'"):
        Ruleset.from_yaml("alone_timing: off")


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("american", {}),
        (" stick ", {"stick_the_dealer": True}),
        ("joker=true", {"joker": True}),
        ("joker=yes", {"joker": True}),
        (
            "stick,joker=true,target_score=11",
            {"stick_the_dealer": True, "joker": True, "target_score": 11},
        ),
        ("stick, joker = true", {"stick_the_dealer": True, "joker": True}),
        ("preset=stick,joker=true", {"stick_the_dealer": True, "joker": True}),
        ("stick,stick_the_dealer=false", {}),
        (
            "defend_alone=any,defend_alone_points=2:4",
            {"defend_alone": "any", "defend_alone_points": (2, 4)},
        ),
        ("defend_alone_points=[2, 4],joker=true", {"defend_alone_points": (2, 4), "joker": True}),
        ("hands_per_game=12,target_score=null", {"hands_per_game": 12, "target_score": None}),
        ("hands_per_game=12,target_score=None", {"hands_per_game": 12, "target_score": None}),
        ("first_dealer=2", {"first_dealer": 2}),
        ("first_dealer=black_jack", {"first_dealer": "black_jack"}),
        ("no_trump=round2", {"no_trump": "round2"}),
    ],
)
def test_parse(text: str, changes: dict[str, Any]) -> None:
    assert Ruleset.parse(text) == Ruleset(**changes)


@pytest.mark.parametrize("given", [5, None, {"joker": True}, ["stick"], True, Ruleset()])
def test_parse_takes_texts_only(given: Any) -> None:
    with pytest.raises(RulesetError, match="is no rule set"):
        Ruleset.parse(given)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "give a preset, a file ending in .yaml, .yml or .json, or option=value"),
        ("stik", "did you mean 'stick'"),
        ("rules.txt", "file ending in"),
        ("STIK", "did you mean 'stick'"),
        ("joker", "write joker=VALUE"),
        ("joker=true,stick", "'stick' is a preset: give one alone, at the start"),
        ("stick,stick", "'stick' is a preset: give one alone, at the start"),
        ("stick,,joker=true", "names no rules"),
        ("=true", "no option is called ''"),
        ("jocker=true", "did you mean 'joker'"),
        ("joker=maybe", "True or False"),
        ("joker=", "True or False"),
        ("joker=true,joker=false", "given twice"),
        ("stick,preset=canadian", "given twice"),
        ("joker=[", "cannot be read as a value"),
        ("target_score=2:4", "whole number"),
        ("joker=true,no_trump=round2", "joker=False or no_trump='off'"),
        ("no_such_file.yaml", "no_such_file.yaml: cannot be read"),
    ],
)
def test_parse_errors_say_what_would_do(text: str, says: str) -> None:
    with pytest.raises(RulesetError) as caught:
        Ruleset.parse(text)
    assert says in str(caught.value)


# --- files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["r.yaml", "r.yml", "r.json", "R.JSON"])
def test_save_and_load(tmp_path: Path, name: str) -> None:
    rules = Ruleset.anyone_alone()
    rules.save(tmp_path / name)
    assert Ruleset.load(tmp_path / name) == rules == Ruleset.parse(str(tmp_path / name))
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_saved_file_names_every_option(tmp_path: Path) -> None:
    Ruleset().save(tmp_path / "r.yaml")
    text = (tmp_path / "r.yaml").read_text(encoding="utf-8")
    assert all(f"{name}:" in text for name in OPTIONS)


def test_failed_save_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.yaml"
    Ruleset.stick().save(path)
    before = path.read_bytes()

    def fail(*_: object, **__: object) -> int:
        raise OSError("disk full")

    for owner, function in ((os, "replace"), (os, "fsync")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, function, fail)
            with pytest.raises(OSError, match="disk full"):
                Ruleset.british().save(path)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]


def test_save_half_written_never_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.json"
    Ruleset.stick().save(path)

    def half(file: int) -> None:
        os.ftruncate(file, 9)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", half)
    with pytest.raises(KeyboardInterrupt):
        Ruleset.british().save(path)
    assert Ruleset.load(path) == Ruleset.stick()
    assert list(tmp_path.iterdir()) == [path]


def test_other_file_kinds(tmp_path: Path) -> None:
    with pytest.raises(RulesetError, match=r"\.yaml, \.yml or \.json"):
        Ruleset().save(tmp_path / "r.toml")
    with pytest.raises(RulesetError, match=r"\.yaml, \.yml or \.json"):
        Ruleset.load(tmp_path / "r.toml")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.yaml", b"", "mapping"),
        ("a.yaml", b"# only a comment\n", "mapping"),
        ("a.yaml", b"- stick\n", "mapping"),
        ("a.yaml", b"joker: [\n", "malformed YAML"),
        ("a.yaml", b"joker: true\njoker: false\n", "joker is given twice"),
        ("a.yaml", b"? [a]\n: 1\n", "malformed YAML"),
        ("a.yaml", b"joker: !!python/object:os.x {}\n", "malformed YAML"),
        ("a.yaml", b"target_score: 2020-99-99\n", "malformed YAML"),
        ("a.yaml", b"target_score: 0x" + b"f" * 9000, "enormous"),
        ("a.yaml", b"target_score: " + b"9" * 9000, "malformed YAML"),
        ("a.yaml", b"[" * 5000, "malformed YAML"),
        ("a.yaml", b"\xff\xfe\xff", "cannot be read"),
        ("a.yaml", b"jokr: true\n", "did you mean 'joker'"),
        ("a.yaml", b"target_score: 0\n", "target_score=0"),
        ("a.yaml", b"defend_alone_points: 2:4\n", "two whole numbers"),
        ("a.json", b"", "malformed JSON"),
        ("a.json", b"{", "malformed JSON"),
        ("a.json", b"[" * 100000, "malformed JSON"),
        ("a.json", b'{"target_score": ' + b"9" * 9000 + b"}", "malformed JSON"),
        ("a.json", b"[1]", "mapping"),
        ("a.json", b'{"joker": true, "joker": false}', "joker is given twice"),
        ("a.json", b'{"joker": NaN}', "True or False"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bad_files_are_named(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(RulesetError) as caught:
        Ruleset.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert says in str(caught.value)


def test_load_keeps_the_names_at_fault(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("joker: true\nno_trump: round2\n", encoding="utf-8")
    with pytest.raises(RulesetError) as caught:
        Ruleset.load(tmp_path / "a.yaml")
    assert caught.value.conflict == ("no_trump", "joker")


def test_missing_file_and_folder(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    for name in ("none.yaml", "folder.yaml"):
        with pytest.raises(RulesetError, match=f"{name}: cannot be read"):
            Ruleset.load(tmp_path / name)


def test_yaml_file_may_start_from_a_preset(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("preset: stick\ntarget_score: 5\n", encoding="utf-8")
    assert Ruleset.load(tmp_path / "mine.yaml") == Ruleset(stick_the_dealer=True, target_score=5)


# --- the record ------------------------------------------------------------------------------


def test_record_layout() -> None:
    assert RULES.names == tuple(OPTIONS)
    assert RULES.isalignedstruct
    assert RULES.itemsize == 2 * (len(OPTIONS) + 1)
    record = Ruleset().record()
    assert record.shape == (1,)
    assert record.dtype == RULES
    assert all(record[name].dtype.base == np.int16 for name in OPTIONS)
    assert record["defend_alone_points"].shape == (1, 2)


def test_record_codes() -> None:
    record = Ruleset(
        hands_per_game=12,
        target_score=None,
        first_dealer=3,
        stick_the_dealer=True,
        no_trump="stuck_dealer",
        defend_alone_points=(2, 5),
    ).record()
    want = {
        "hands_per_game": 12,
        "target_score": 0,
        "first_dealer": 3,
        "stick_the_dealer": 1,
        "no_trump": 2,
        "allow_alone": 1,
        "variant": 0,
        "players": 4,
    }
    assert {name: int(record[name][0]) for name in want} == want
    assert record["defend_alone_points"].tolist() == [[2, 5]]


def test_first_dealer_codes() -> None:
    got = [
        int(Ruleset(first_dealer=x).record()["first_dealer"][0]) for x in CHOICES["first_dealer"]
    ]
    assert got == [codes.FIRST_DEALER_RANDOM, codes.FIRST_DEALER_BLACK_JACK] == [-1, -2]


def test_record_is_a_fresh_copy() -> None:
    rules = Ruleset()
    rules.record()["joker"] = 1
    assert rules.record()["joker"].tolist() == [0]


def test_from_record_takes_one_element_too() -> None:
    record = Ruleset.british().record()
    assert Ruleset.from_record(record[0]) == Ruleset.british()
    assert Ruleset.from_record(record.reshape(())) == Ruleset.british()


@pytest.mark.parametrize(
    ("name", "code"),
    [("joker", 2), ("no_trump", 3), ("no_trump", -1), ("first_dealer", -3), ("points_make", -1)],
)
def test_from_record_bad_code(name: str, code: int) -> None:
    record = Ruleset().record()
    record[name] = code
    with pytest.raises(RulesetError) as caught:
        Ruleset.from_record(record)
    assert caught.value.conflict == (name,)


@pytest.mark.parametrize("record", [np.zeros(2, RULES), np.zeros(1, np.int16), np.zeros(0, RULES)])
def test_from_record_bad_shape(record: Any) -> None:
    with pytest.raises(RulesetError, match="one record"):
        Ruleset.from_record(record)


@pytest.mark.parametrize(
    ("option", "names"),
    [
        ("throw_in_redealer", {"REDEAL_NEXT": "next", "REDEAL_SAME": "same"}),
        (
            "no_trump",
            {
                "NO_TRUMP_OFF": "off",
                "NO_TRUMP_ROUND2": "round2",
                "NO_TRUMP_STUCK": "stuck_dealer",
            },
        ),
        (
            "require_natural_trump",
            {
                "NATURAL_OFF": "off",
                "NATURAL_ALWAYS": "always",
                "NATURAL_NOT_DEALER": "not_dealer",
            },
        ),
        ("alone_timing", {"WITH_CALL": "with_call", "BEFORE_LEAD": "before_lead"}),
        ("alone_by", {"BY_MAKER": "maker", "BY_MAKER_TEAM": "maker_team"}),
        (
            "partner_alone_upcard",
            {
                "LEFT_IN_KITTY": "left_in_kitty",
                "DEALER_DISCARDS": "dealer_discards",
                "LONER_TAKES": "loner_takes",
            },
        ),
        ("loner_lead", {"LEAD_DEALER_LEFT": "dealer_left", "LEAD_LONER_LEFT": "loner_left"}),
        (
            "defend_alone",
            {"DEFEND_OFF": "off", "DEFEND_VS_LONER": "vs_loner", "DEFEND_ANY": "any"},
        ),
        (
            "joker_upcard",
            {
                "JOKER_NAMES_BLIND": "dealer_names_blind",
                "JOKER_NAMES": "dealer_names",
                "JOKER_REDRAW": "redraw",
            },
        ),
        (
            "weak_hand",
            {"WEAK_OFF": "off", "WEAK_THROW_IN": "throw_in", "WEAK_SWAP3": "swap3"},
        ),
        (
            "weak_hand_test",
            {
                "TEST_NO_ACE_NO_FACE": "no_ace_no_face",
                "TEST_ACE_NO_FACE": "ace_no_face",
                "TEST_NO_ACE_NO_FACE_NO_TRUMP": "no_ace_no_face_no_trump",
                "TEST_THREE_NINES_OR_TENS": "three_nines_or_three_tens",
                "TEST_THREE_LOW": "three_low",
                "TEST_FOUR_LOW": "four_low",
            },
        ),
        ("weak_hand_redealer", {"WEAK_REDEAL_SAME": "same", "WEAK_REDEAL_NEXT": "next"}),
        ("renege", {"RENEGE_IMPOSSIBLE": "impossible", "RENEGE_PENALISED": "penalised"}),
        ("renege_mode", {"RENEGE_AWARD": "award", "RENEGE_DEDUCT": "deduct"}),
        (
            "variant",
            {
                "PARTNERSHIP": "partnership",
                "THREE_HAND_DUMMY": "three_hand_dummy",
                "CUTTHROAT_WIDOW": "cutthroat_widow",
                "BUCK": "buck",
                "TWO_HAND": "two_hand",
            },
        ),
        ("two_hand_dummy", {"DUMMY_NONE": "none", "DUMMY_MAKER": "maker"}),
    ],
)
def test_constants_are_the_record_codes(option: str, names: dict[str, str]) -> None:
    assert tuple(names.values()) == OPTIONS[option].choices
    assert [getattr(codes, name) for name in names] == list(range(len(names)))
    assert [OPTIONS[option].encode(word) for word in names.values()] == list(range(len(names)))


# --- sentences -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (Ruleset(), "Euchre to 10."),
        (
            Ruleset(stick_the_dealer=True, joker=True),
            "Euchre to 10 with stick the dealer and the joker.",
        ),
        (
            Ruleset.tournament_us(),
            "Euchre to 10 in a best-of-3 match with stick the dealer.",
        ),
        (Ruleset(hands_per_game=12, target_score=None), "Euchre over 12 hands."),
        (
            Ruleset.british(),
            "Euchre to 11 with the Canadian loner, lone defence against a loner and the joker.",
        ),
        (Ruleset.preset("three_hand"), "Three-handed euchre with a dummy to 10."),
        (
            Ruleset.parse("buck,drop_out=true,points_drop_out=2"),
            "Buck euchre to 25 with dropping out and dropping out at a cost of 2.",
        ),
    ],
)
def test_sentence(rules: Ruleset, sentence: str) -> None:
    assert str(rules) == rules.describe() == sentence


def test_every_option_alone_changes_the_sentence() -> None:
    rulesets = [Ruleset(**changes) for changes in ALONE]
    assert {name for changes in ALONE for name in changes} == set(OPTIONS)
    assert len({str(rules) for rules in rulesets}) == len(set(rulesets)) == len(ALONE)


def test_sentences_tell_rule_sets_apart() -> None:
    rulesets = set(some_rulesets(2000))
    assert len({str(rules) for rules in rulesets}) == len(rulesets)


def test_repr_names_only_changes() -> None:
    assert repr(Ruleset()) == "Ruleset()"
    assert repr(Ruleset.stick()) == "Ruleset(stick_the_dealer=True)"


# --- documentation ---------------------------------------------------------------------------


def test_options_markdown_has_a_row_for_every_option() -> None:
    text = options_markdown()
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == list(OPTIONS)
    assert all(row.count("|") == 5 for row in rows)
    for words in CHOICES.values():
        assert all(repr(word) in text for word in words)


def test_rule_sets_are_immutable() -> None:
    with pytest.raises(AttributeError):
        Ruleset().joker = True  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Option(kind="bool", group="", meaning="").low = 1  # type: ignore[misc]
