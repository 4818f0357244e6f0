"""The peers of the benchmarks play what they say, and the table's logic holds."""

import random

import pytest

import peers
import throughput

NEEDS = {
    "openspiel_loop": ["pyspiel"],
    "openspiel_tensor": ["pyspiel"],
    "openspiel_hands": ["pyspiel"],
    "openspiel_rollouts": ["pyspiel"],
    "shimmy_aec": ["pyspiel", "shimmy"],
}


@pytest.mark.parametrize("name", sorted(peers.PEERS))
def test_peer_measures_a_moment(name: str) -> None:
    for library in NEEDS.get(name, []):
        pytest.importorskip(library)
    taken = peers.PEERS[name](0.01)
    assert taken.decisions > 0
    assert taken.cpu > 0
    assert taken.wall > 0
    assert taken.rate == pytest.approx(taken.decisions / taken.cpu)


def test_do_nothing_plays_thirty_live_steps() -> None:
    env = peers.DoNothing()
    env.reset()
    assert peers.play_aec(env, random.Random(1).random) == 30
    assert env.agents == []


def test_openspiel_hands_have_the_decisions_of_the_python_loop() -> None:
    pytest.importorskip("pyspiel")
    import pyspiel

    game, generator, deck = pyspiel.load_game("euchre"), random.Random(3), list(range(24))
    total = 0
    for _ in range(1000):
        state = peers._deal(game, deck, generator)
        while not state.is_terminal():
            state.apply_action(generator.choice(state.legal_actions()))
            total += 1
    assert total / 1000 == pytest.approx(peers.openspiel_decisions_per_hand(), abs=0.5)


def test_shimmy_plays_whole_hands_once_patched() -> None:
    pytest.importorskip("pyspiel")
    shimmy = pytest.importorskip("shimmy")
    env = shimmy.OpenSpielCompatibilityV0(game_name="euchre")
    rand = random.Random(1).random
    env.reset(seed=1)
    assert peers.play_aec(env, rand, mask_in_info=True) <= 8  # the bug that is patched
    for seed in range(5):
        env.reset(seed=seed)
        env.game_length = -1000
        assert peers.play_aec(env, rand, mask_in_info=True) >= 15
        assert env.game_state.is_terminal()


@pytest.mark.parametrize(
    ("value", "must", "aim", "less", "status"),
    [
        (16, 8, 15, False, "ok"),
        (9, 8, 15, False, "under aim"),
        (7, 8, 15, False, "MISSES must"),
        (60, 64, None, True, "ok"),
        (65, 64, None, True, "MISSES must"),
        (1.2, None, 1.0, True, "over aim"),
        (1.2, None, None, False, ""),
    ],
)
def test_mark(value: float, must: float | None, aim: float | None, less: bool, status: str) -> None:
    assert throughput.mark(value, must, aim, less) == status


def test_every_row_names_a_peer() -> None:
    assert {row.peer for row in throughput.COMPARISONS} <= peers.PEERS.keys()


@pytest.mark.parametrize("arguments", [["--repeats", "0"], ["--seconds", "0"]])
def test_bad_options_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit):
        throughput.parse(arguments)
