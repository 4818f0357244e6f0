"""The game for OpenSpiel: OpenSpiel's own tests, information states, resampling, algorithms."""

import pickle
import random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="open-spiel is not installed")

import pyspiel

from euchre_env import euchre_v0, openspiel_game, rules
from euchre_env.actions import action_id
from euchre_env.belief import BeliefError
from euchre_env.cards import card_id
from euchre_env.encoding import LAYOUT
from euchre_env.openspiel_game import NAME
from euchre_env.ruleset import RulesetError
from euchre_env.testing import permute_hidden

SETTINGS: list[dict[str, Any]] = [
    {},
    {"ruleset": "stick,first_dealer=2", "score_0": 3, "score_1": 8},
    {"ruleset": "british"},
    {"ruleset": "stick/joker:true/joker_upcard:redraw"},
    {"ruleset": "american,weak_hand=swap3,swap3_shown=false"},
    {"ruleset": "stick,defend_alone=any,defend_alone_points=2:4"},
]


def walk(state: Any, rng: random.Random, stop: int = 100) -> Any:
    """Play on at random, ``stop`` decisions at most."""
    while not state.is_terminal() and stop > 0:
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, chances)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
            stop -= 1
    return state


def told(state: Any) -> int:
    """Acts of a history that depend on no hidden card: a strong hand is not asked about itself."""
    return sum(action not in (rules.CLAIM, rules.KEEP) for action in state.acts)


def new_state(parameters: dict[str, Any]) -> Any:
    return pyspiel.load_game(NAME, parameters).new_initial_state()


# ---- OpenSpiel's tests ---------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
def test_openspiel_s_simulation_test(parameters: dict[str, Any]) -> None:
    """It checks chance, masks, returns, clones, serialisation and observations along random hands.

    It ends the process where it fails, so a failure shows as a crash of the test run.
    """
    game = pyspiel.load_game(NAME, parameters)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
def test_openspiel_s_python_simulation_test(parameters: dict[str, Any]) -> None:
    tests = pytest.importorskip("open_spiel.python.tests.games_sim_test")
    np.random.seed(1)
    tests.GamesSimTest().sim_game(pyspiel.load_game(NAME, parameters))


def test_a_game_survives_its_own_text() -> None:
    game = pyspiel.load_game(NAME, SETTINGS[5])
    again = pyspiel.load_game(str(game))
    assert again.ruleset == game.ruleset
    assert game.ruleset.defend_alone_points == (2, 4)
    text = (
        "python_euchre(ruleset=stick/defend_alone:any/defend_alone_points:2:4,score_0=0,score_1=0)"
    )
    assert text == str(game)
    copy = pickle.loads(pickle.dumps(game))
    assert copy.ruleset == game.ruleset
    assert walk(copy.new_initial_state(), random.Random(1)).is_terminal()
    assert game.max_chance_nodes_in_history() == 22


@pytest.mark.parametrize(
    "parameters",
    [{"ruleset": "whist"}, {"ruleset": "joker=maybe"}, {"ruleset": "players=2"}],
    ids=str,
)
def test_a_bad_parameter_is_named(parameters: dict[str, Any]) -> None:
    with pytest.raises(RulesetError):
        openspiel_game.EuchreGame(parameters)


# ---- the hand ------------------------------------------------------------------------------------


def test_chance_deals_every_card_once() -> None:
    state = new_state({})
    assert state.chance_outcomes() == [(seat, 0.25) for seat in range(4)]
    state.apply_action(3)
    for left in range(24, 3, -1):
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        assert len(outcomes) == left and set(chances) == {1 / left}
        state.apply_action(outcomes[0])
    assert state.current_player() == 0
    assert state.action_to_string(0, 26) == "order_up"
    assert "dealer 3, upcard and hands 9C TC JC QC KC AC 9D" in str(state)


def test_a_joker_that_may_not_be_turned_up_is_never_the_upcard() -> None:
    state = new_state({"ruleset": SETTINGS[3]["ruleset"] + "/first_dealer:0"})
    assert card_id("JOKER") not in dict(state.chance_outcomes())
    state.apply_action(0)
    assert card_id("JOKER") in dict(state.chance_outcomes())


@pytest.mark.parametrize("seed", range(6))
def test_equal_to_the_aec_environment(seed: int) -> None:
    """The same deal and acts: seats, masks, observations and rewards."""
    rng = random.Random(seed)
    state = walk(new_state({}), rng, stop=0)
    while state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    env = euchre_v0.raw_env()
    record = state.record
    deck = openspiel_game._deck_of(record, state.rules.record)
    env.reset(options={"deck": deck[:24].tolist(), "dealer": state.dealer})
    block = LAYOUT["hand"].slice
    while not state.is_terminal():
        seat = state.current_player()
        assert env.agent_selection == f"player_{seat}"
        seen = env.observe(env.agent_selection)
        assert (np.array(state.legal_actions_mask()) == seen["action_mask"]).all()
        tensor = np.array(state.information_state_tensor(seat))
        assert (tensor[block] == seen["observation"][block]).all()
        assert state.information_state_string(seat).endswith(seen["observation"].tobytes().hex())
        action = rng.choice(state.legal_actions())
        state.apply_action(action)
        env.step(action)
    assert state.returns() == list(env.rewards.values())


def test_scores_before_the_hand_are_seen() -> None:
    state = walk(new_state(SETTINGS[1]), random.Random(1), stop=0)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    assert state.record.score.tolist() == [3, 8, 0, 0]
    assert state.dealer == 2


# ---- information states --------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
def test_no_hidden_card_is_in_an_information_state(parameters: dict[str, Any]) -> None:
    rng = random.Random(3)
    checked = 0
    for stop in range(0, 24, 3):
        state = walk(new_state(parameters), rng, stop)
        while state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
        for seat in range(4):
            other = state.clone()
            other.hand[0] = permute_hidden(state.record, state.rules.record, seat, rng)
            checked += other.record.tobytes() != state.record.tobytes()
            text = state.information_state_string(seat)
            assert other.information_state_string(seat) == text
            tensor = state.information_state_tensor(seat)
            assert other.information_state_tensor(seat) == tensor
    assert checked > 10


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
def test_resampling_keeps_the_information_state_and_moves_hidden_cards(
    parameters: dict[str, Any],
) -> None:
    rng = random.Random(4)
    moved = 0
    for stop in list(range(0, 22, 2)) * 2:
        state = walk(new_state(parameters), rng, stop)
        while state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
        if state.is_terminal():
            continue
        for seat in range(4):
            other = state.resample_from_infostate(seat, rng.random)
            assert other.information_state_string(seat) == state.information_state_string(seat)
            assert other.current_player() == state.current_player()
            assert told(other) == told(state)
            voids = np.array(other.record.void)
            assert (voids == state.record.void).all()
            assert not any(int(h) & int(v) for h, v in zip(other.record.hand, voids, strict=True))
            moved += other.record.tobytes() != state.record.tobytes()
            assert walk(other.clone(), rng).is_terminal()
    assert moved > 20


def test_resampling_deals_the_kitty_anew() -> None:
    state = walk(new_state({}), random.Random(1), stop=0)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    rng = random.Random(2)
    kitties = {int(state.resample_from_infostate(0, rng.random).record.kitty) for _ in range(50)}
    assert len(kitties) > 30
    hands = {int(state.resample_from_infostate(0, rng.random).record.hand[0]) for _ in range(50)}
    assert len(hands) == 1


def test_resampling_undoes_a_swap() -> None:
    """A seat that swapped three cards gets a weak hand again that leads to the same swap."""
    rng, swapped = random.Random(1), 0
    claim = action_id("claim")
    for _ in range(400):
        state = new_state(SETTINGS[4])
        while state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
        if claim not in state.legal_actions():
            continue
        state.apply_action(claim)
        for seat in range(4):
            other = state.resample_from_infostate(seat, rng.random)
            assert other.information_state_string(seat) == state.information_state_string(seat)
            assert other.record.swapper == state.record.swapper
        swapped += 1
    assert swapped > 2


def test_resampling_before_the_deal_is_an_error() -> None:
    with pytest.raises(BeliefError, match="not dealt"):
        new_state({}).resample_from_infostate(0, random.random)


def test_the_observer_has_no_parameters() -> None:
    with pytest.raises(ValueError, match="no parameters"):
        openspiel_game.EuchreObserver({"size": 3})


# ---- OpenSpiel's algorithms ----------------------------------------------------------------------


def dealt(seed: int) -> Any:
    rng = random.Random(seed)
    state = new_state({"ruleset": "stick"})
    while state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    return state


def test_openspiel_s_tree_search_plays() -> None:
    """With the last trick to play there is nothing to choose; a search before it finds a move."""
    ismcts = pytest.importorskip("open_spiel.python.algorithms.ismcts")
    from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

    random_state = np.random.RandomState(1)
    evaluator = RandomRolloutEvaluator(1, random_state)
    state = dealt(1)
    bot = ismcts.ISMCTSBot(state.get_game(), evaluator, 2.0, 6, random_state=random_state)
    for _ in range(3):
        action = int(bot.step(state))
        assert action in state.legal_actions()
        state.apply_action(action)


def test_openspiel_s_regret_minimisation_runs() -> None:
    sampling = pytest.importorskip("open_spiel.python.algorithms.outcome_sampling_mccfr")
    np.random.seed(1)
    game = pyspiel.load_game(NAME, {"ruleset": "stick"})
    solver = sampling.OutcomeSamplingSolver(game)
    solver.iteration()
    state = dealt(3)
    chances = solver.average_policy().action_probabilities(state)
    assert set(chances) == set(state.legal_actions())
    assert game.num_distinct_actions() == rules.N_ACTIONS
