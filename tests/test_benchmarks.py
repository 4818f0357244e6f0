"""The peers of the benchmarks play what they say, and the table's logic holds."""

import random
from pathlib import Path

import pytest
from safetensors.torch import load_file

import peers
import scaling
import throughput
import training
import versions
from agents.training import train
from euchre_env.encoding import OBSERVATION_SIZE

NEEDS = {
    "openspiel_loop": ["pyspiel"],
    "openspiel_tensor": ["pyspiel"],
    "openspiel_hands": ["pyspiel"],
    "openspiel_rollouts": ["pyspiel"],
    "shimmy_aec": ["pyspiel", "shimmy"],
    "maskable_ppo": ["sb3_contrib"],
    "maskable_ppo_as_it_comes": ["sb3_contrib"],
}
SMALL = training.Size(hands=24, environments=4, steps=16, minibatch=32)


@pytest.mark.parametrize("name", sorted(peers.PEERS))
def test_peer_measures_a_moment(name: str) -> None:
    for library in NEEDS.get(name, []):
        pytest.importorskip(library)
    taken = peers.PEERS[name](0.01)
    assert taken.decisions > 0
    assert taken.cpu > 0
    assert taken.wall > 0
    assert taken.rate == pytest.approx(taken.decisions / taken.cpu)


def test_a_row_of_scaling_compares_with_the_first_count() -> None:
    one, two = [scaling.Run(s, 9.0, 0.5) for s in (8, 6, 90)], [scaling.Run(4, 10.0, 0.5)] * 3
    row = scaling.row_of("data", {1: one, 2: two})
    assert (row["seconds"], row["ratio"], row["equal"]) == ({1: 8, 2: 4}, {1: 1.0, 2: 2.0}, True)
    assert not scaling.row_of("data", {1: one, 2: [scaling.Run(4, 10.0, 0.25)]})["equal"]


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


# ---- training ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(training.measures(SMALL, [])))
def test_trainer_measures_a_moment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "THREADS", 1)  # two of them crawl where tests run side by side
    for library in NEEDS.get(name, []):
        pytest.importorskip(library)
    taken = training.measures(SMALL, [])[name](0.01)
    assert taken.decisions > 0
    assert taken.decisions % SMALL.minibatch == 0
    assert 0 < taken.choices <= taken.decisions
    assert 0 < taken.wall <= taken.call
    assert taken.learning is None or 0 < taken.learning < taken.wall
    assert taken.rate == pytest.approx(taken.decisions / taken.wall)


def test_decisions_trained_leave_out_the_warm_up_and_what_fills_no_minibatch() -> None:
    lines = [
        {"decisions": 700, "speed/seconds": 5.0},
        {"decisions": 1050, "speed/seconds": 6.0},  # 350: three minibatches of 100
        {"decisions": 1249, "speed/seconds": 6.5},  # 199: one
        {"decisions": 1279, "speed/seconds": 7.0},  # 30: a minibatch of their own
    ]
    assert training.trained_in(lines, 100) == (430, 2.0)


def test_both_networks_have_the_same_layers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sb3_contrib")
    monkeypatch.setattr(training, "THREADS", 1)
    layers = {(256, OBSERVATION_SIZE), (256, 256), (38, 256)}
    peer = training.maskable_ppo(1, training.AS_IT_COMES).policy
    assert {tuple(p.shape) for p in peer.parameters() if p.dim() == 2} == layers | {(1, 256)}
    config = training.our_config(SMALL, 1, str(tmp_path), [])
    policy = load_file(train(config, say=lambda line: None).policy)
    ours = {tuple(tensor.shape) for tensor in policy.values() if tensor.dim() == 2}
    assert layers <= ours <= layers | {(1, 256)}


def test_maskable_ppo_as_it_comes_has_the_settings_of_its_documentation() -> None:
    pytest.importorskip("sb3_contrib")
    model = training.maskable_ppo(1, training.AS_IT_COMES)
    assert (model.n_envs, model.n_steps, model.batch_size, model.n_epochs) == (1, 2048, 64, 10)
    assert model.learning_rate == 3e-4


def test_maskable_ppo_counts_all_its_decisions_and_apart_those_with_a_choice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("sb3_contrib")
    monkeypatch.setattr(training, "THREADS", 1)
    taken = training.PeerTrainer(SMALL.environments, training.our_settings(SMALL))(1e-9)
    assert taken.decisions == 64  # one iteration
    assert 20 < taken.choices < 60  # the last card is always forced


def test_a_busy_machine_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    training.warn_if_busy(0.2)
    training.warn_if_busy(None)
    assert capsys.readouterr().err == ""
    training.warn_if_busy(3.14)
    assert "busy (load 3.1)" in capsys.readouterr().err


def test_rates_are_medians_and_parts() -> None:
    samples = {
        "ours": [training.Trained(n, n, 2.0, 3.0) for n in (200, 100, 600)],
        "ours_fp32": [training.Trained(80, 80, 2.0, 3.0)],
        "maskable_ppo": [training.Trained(20, 10, 4.0, 4.0, 0.5)],
        "maskable_ppo_as_it_comes": [training.Trained(8, 4, 4.0, 4.0, 1.0)],
    }
    results = training.compare(training.rates_of(samples))
    assert [r["ratio"] for r in results] == [50, 20, 40, 8, 2.5]
    assert [r["status"] for r in results] == ["ok", "", "", "", ""]


def test_every_row_names_a_rate() -> None:
    taken = [training.Trained(1, 1, 1.0, 1.0, 1.0)]
    rates = training.rates_of(dict.fromkeys(training.measures(SMALL, []), taken))
    assert {name for row in training.COMPARISONS for name in (row.ours, row.peer)} <= rates.keys()


def test_further_words_are_settings_of_our_trainer() -> None:
    _, settings = training.parse(["--repeats", "2", "--ppo.clip", "0.3"])
    assert training.our_config(SMALL, 3, "runs", settings).ppo.clip == 0.3


@pytest.mark.parametrize(
    "arguments",
    [["--repeats", "0"], ["--seconds", "0"], ["--ppo.clp", "0.3"], ["--ppo.epochs", "0"]],
)
def test_bad_options_of_training_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit):
        training.parse(arguments)


# ---- two checkouts -------------------------------------------------------------------------------


def test_two_checkouts_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    rates = {"aec": [(100.0, 90.0), (200.0, 210.0), (120.0, 108.0)]}
    assert versions.show(rates) == {"aec": 0.9}  # medians 120 and 108
    row = capsys.readouterr().out.splitlines()[2]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == ["aec", "120", "108", "0.900", "0.900 .. 1.050"]


@pytest.mark.parametrize(("most", "status"), [("10.1", 0), ("9.9", 1)])
def test_what_became_too_slow_fails(
    most: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "euchre_env").mkdir()
    (tmp_path / "euchre_env" / "__init__.py").touch()
    taken = {"aec": [(100.0, 90.0)]}
    monkeypatch.setattr(versions, "compare", lambda before, rounds, seconds: taken)
    assert versions.main([str(tmp_path), "--most", most]) == status


def test_a_folder_without_the_package_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, why in ((tmp_path, "holds no euchre_env"), (versions.HERE.parent, "this checkout")):
        with pytest.raises(SystemExit, match="2"):
            versions.main([str(folder)])
        assert why in capsys.readouterr().err
