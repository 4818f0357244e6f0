"""The verb `report`: what is measured, the card, and the weaknesses that follow."""

import argparse
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from agents import make
from agents.app import curve as curves
from agents.app import report as verb
from agents.app.card import markdown_table
from agents.app.cli import main
from agents.app.match import REFERENCE, add_match_arguments
from agents.base import Actions, AgentError, View
from agents.evaluation import report as module
from agents.evaluation import timing
from agents.evaluation.crossplay import CrossPlay
from agents.evaluation.decomposition import Decomposition, decompose
from agents.evaluation.match import MatchResult, play_match
from agents.evaluation.report import Plan, Report, Row, distinct_presets, measure
from agents.evaluation.shares import PLACES, Shares, play_shares
from agents.evaluation.stats import Estimate, EvaluationError
from agents.evaluation.timing import DecisionTime, decision_time, one_core
from agents.evaluation.weaknesses import trained_rulesets, verdict, weaknesses
from agents.network import PolicyValueNet, save_policy
from agents.training.config import Config, config_from
from euchre_env.ruleset import PRESETS, Ruleset

PNG = b"\x89PNG"
METRICS = [
    {"iteration": 1, "decisions": 1000, "train/entropy": 1.0, "train/explained_variance": 0.1},
    {
        "iteration": 2,
        "decisions": 2000,
        "train/entropy": 0.5,
        "train/explained_variance": 0.25,
        "strength/pimc:20/points_per_hand": -0.125,
        "strength/pimc:20/ci95": 0.0625,
        "speed/seconds": 7200.0,
    },
]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few calls are timed."""
    monkeypatch.setattr(timing, "CALLS", 3)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a tiny policy and its run, the working directory."""
    monkeypatch.chdir(tmp_path)
    write_policy(tmp_path / "tiny.safetensors", 1)
    run = tmp_path / "run"
    run.mkdir()
    (run / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in METRICS))
    return tmp_path


def write_policy(path: Path, seed: int, init: str = "") -> None:
    header = {
        "config": Config(name="tiny", seed=seed, init=init).to_dict(),
        "rulesets": [Ruleset.stick().to_dict()],
        "decisions": 2_000_000,
        "iterations": 2,
        "seconds": 3600.0,
        "results": [],
    }
    save_policy(path, PolicyValueNet([8], ["hand", "trump", "upcard"], seed), header)


COMMAND = (
    "report tiny.safetensors --against random first_legal --deals 40 --presets-deals 4 "
    "--parts-against greedy --rulesets-against random"
)


def match_of(command: str) -> argparse.Namespace:
    """What `euchre match` understands of a command that a card tells."""
    words = shlex.split(command)
    assert words[:2] == ["euchre", "match"]
    parser = argparse.ArgumentParser()
    add_match_arguments(parser)
    return parser.parse_args(words[2:])


# --- the verb ----------------------------------------------------------------------------------


def test_a_card_and_its_figures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_policy(folder / "other.safetensors", 2)
    more = "--run run --partners other.safetensors --out card.md --json"
    assert main([*COMMAND.split(), *more.split()]) == 0
    out, err = capsys.readouterr()
    data, card = json.loads(out), (folder / "card.md").read_text()
    played = play_match("tiny.safetensors", "random", 40)
    assert data["strengths"][0]["match"]["points_per_hand"] == played.points_per_hand
    assert f"| `random` | {played.points_per_hand:+.3f} ± {played.ci95:.3f} |" in card
    assert data["shares"]["deals"] == 40 and [t["batch"] for t in data["decision_times"]] == [
        1,
        1024,
    ]
    assert [row["title"] for row in data["presets"]] == list(distinct_presets())
    assert len(data["crossplay"]["losses"]) == 1
    assert all(f"- {line}\n" in card for line in data["weaknesses"])
    assert (folder / "card-training.png").read_bytes().startswith(PNG)
    assert "](card-training.png)" in card
    assert "hidden layers of 8; " in card and "at most 2.00 core-hours, 2 threads" in card
    assert "first_legal, 40 deals, rules stick" in err


def test_a_card_tells_what_the_training_went_on_from(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*COMMAND.split(), "--out", "card.md"]
    write_policy(folder / "tiny.safetensors", 1, init="old.safetensors")
    assert main(command) == 0
    told = "- goes on from: `old.safetensors`; the rest is of this training alone\n- decisions: "
    assert told in (folder / "card.md").read_text()
    write_policy(folder / "tiny.safetensors", 1)
    assert main(command) == 0
    assert "goes on from" not in (folder / "card.md").read_text()


def test_a_card_does_not_depend_on_who_plays(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for workers in ("1", "2"):
        out = f"--out {workers}.md --results {workers}.jsonl --workers {workers} --json"
        assert main([*COMMAND.replace("40", "130").split(), *out.split()]) == 0
        data = json.loads(capsys.readouterr().out)
        found.append([row["match"]["points_per_hand"] for row in data["strengths"]])
        found[-1].append(data["shares"])
    assert found[0] == found[1]
    assert main([*COMMAND.split()[:2], "--html", "x.html", "--workers", "2"]) == 2
    assert "--workers is for a model card" in capsys.readouterr().err


def test_every_command_of_a_card_repeats_its_match(folder: Path) -> None:
    assert main(COMMAND.split()) == 0
    lines = (folder / "tiny.md").read_text().splitlines()
    commands = dict.fromkeys(line for line in lines if line.startswith("euchre match "))
    assert len(commands) == 2 + 3 + len(distinct_presets())
    rows = [json.loads(line) for line in (folder / "tiny.jsonl").read_text().splitlines()]
    assert {row["command"] for row in rows} == set(commands)
    for row in rows:
        args = match_of(row["command"])
        again = play_match(args.a, args.b, args.deals, args.ruleset, args.seed)
        assert again.points_per_hand == row["points_per_hand"]


def test_the_command_of_a_card_makes_it_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*COMMAND.split(), "--seed", "5", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    before = (folder / "tiny.jsonl").read_bytes()
    assert main([*shlex.split(first["command"])[1:], "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    for data in (first, again):  # but for what the clock says
        data.pop("decision_times")
        data["weaknesses"] = [w for w in data["weaknesses"] if " ms for a decision" not in w]
    assert again == first
    assert (folder / "tiny.jsonl").read_bytes() == before


def test_a_report_broken_off_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played: list[str] = []

    def counted(a: Any, b: Any, *rest: Any, **options: Any) -> MatchResult:
        if len(played) == 3:
            raise KeyboardInterrupt
        found = play_match(a, b, *rest, **options)
        played.append(found.command())
        return found

    monkeypatch.setattr(module, "play_match", counted)
    assert main(COMMAND.split()) == 130
    assert "goes on with the matches in tiny.jsonl" in capsys.readouterr().err
    assert not (folder / "tiny.md").exists()
    kept = [json.loads(line)["command"] for line in (folder / "tiny.jsonl").open()]
    assert kept == played
    played[:] = ["none yet"] * 4  # no more interruptions
    monkeypatch.setattr(module, "play_shares", None)  # they are known too
    assert main(COMMAND.split()) == 0
    assert not set(kept) & set(played[4:])
    assert len(played[4:]) == 2 + 3 + len(distinct_presets()) - 3


def test_shares_are_measured_again_for_other_settings(folder: Path) -> None:
    assert main(COMMAND.split()) == 0
    kept = folder / "tiny.shares.json"
    plan = Plan("tiny.safetensors", deals=40, results=folder / "tiny.jsonl")
    agent = make("tiny.safetensors")
    whole = module._shares(agent, plan, print)
    assert whole == play_shares(agent, 40)
    other = replace(plan, seed=2)
    assert module._shares(agent, other, print) == play_shares(agent, 40, seed=2) != whole
    kept.write_text("{")
    assert module._shares(agent, plan, print) == whole


def test_an_agent_that_was_not_trained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "report bids:greedy,plays:random --against random --deals 10 --presets-deals 4"
    assert main([*line.split(), "--rulesets-against", "random", "--parts-against", "random"]) == 0
    assert capsys.readouterr().out.endswith("model card: bids-greedy-plays-random.md\n")
    card = (folder / "bids-greedy-plays-random.md").read_text()
    assert "nothing is known of a training" in card
    assert "parameters" not in card and "trained on" not in card


def test_an_agent_is_not_compared_with_itself(folder: Path) -> None:
    line = "report random --deals 10 --parts-against random --rulesets-against random"
    parser = argparse.ArgumentParser()
    verb.add_report_arguments(parser)
    plan = verb.plan_of(parser.parse_args(line.split()[1:]), Path("x.md"))
    assert plan.against == ("greedy", "heuristic", "pimc:20", "pimc:200", "mixed:400+infer")
    assert main([*line.split(), "--against", "first_legal"]) == 0
    card = (folder / "random.md").read_text()
    assert "Calls and cards apart" not in card and "Under every preset" not in card


def test_an_oracle_is_marked(folder: Path) -> None:
    line = "report tiny.safetensors --against oracle --deals 4 --presets-deals 2"
    assert main([*line.split(), "--parts-against", "random", "--rulesets-against", "random"]) == 0
    assert "| `oracle` (sees hidden cards) | " in (folder / "tiny.md").read_text()


def test_a_table_where_no_picture_can_be_drawn(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verb, "find_spec", lambda name: None)
    assert main([*COMMAND.split(), "--run", "run"]) == 0
    card = (folder / "tiny.md").read_text()
    assert "| decisions | against pimc:20 | entropy | explained variance |" in card
    assert "| 2,000 | -0.125 ± 0.062 | 0.500 | 0.250 |" in card
    assert not list(folder.glob("*.png"))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("report nobody", "no agent is called 'nobody'"),
        ("report gone.safetensors", "no checkpoint is at 'gone.safetensors'"),
        ("report random --against gredy", "did you mean 'greedy'"),
        ("report random --rulesets-against nobody", "'nobody'"),
        ("report random --parts-against nobody", "'nobody'"),
        ("report random --partners random", "partner 'random' is given twice"),
        ("report random --partners 'greedy & random'", "is a pair"),
        ("report random --deals 1", "deals=1 is too few"),
        ("report random --presets-deals 0", "presets-deals=0 is too few"),
        ("report random --ruleset stik", "'stik'"),
        ("report random --out gone/card.md", "no folder 'gone' to write to"),
        ("report random --out tiny.safetensors", "a file ending in .md is needed"),
        ("report random --results tiny.safetensors", "a file ending in .jsonl is needed"),
        ("report random --results run/metrics.jsonl", "metrics.jsonl:1: not a row of match"),
        ("report random --run gone", "metrics.jsonl does not exist"),
    ],
)
def test_bad_input_is_told_before_any_work(
    options: str,
    told: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*")}
    monkeypatch.setattr(verb, "measure", None)
    assert main(shlex.split(options)) == 2
    out, err = capsys.readouterr()
    assert out == "" and told in err and len(err.splitlines()) == 1
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*")} == before


# --- measuring ---------------------------------------------------------------------------------


class Picky:
    """Plays its first legal action, but refuses some rules."""

    name, oracle = "picky", False

    def act(self, view: View) -> Actions:
        if view.rulesets[0] == Ruleset.british():
            raise AgentError("picky knows no joker")
        return np.asarray(view.action_mask.argmax(1))


def test_a_match_that_cannot_be_played_is_a_row() -> None:
    plan = Plan(
        "picky", ("random",), 4, parts_against="picky", presets_against="random", presets_deals=2
    )
    told: list[str] = []
    report = measure(Picky(), plan, told.append)
    refused = [row for row in report.presets if row.match is None]
    assert [(row.title, row.refusal) for row in refused] == [("british", "picky knows no joker")]
    assert "  not played: picky knows no joker" in told
    assert any("`british`: picky knows no joker" in line for line in weaknesses(report))


def test_the_parts_are_those_of_a_decomposition() -> None:
    plan = Plan("greedy", deals=30, parts_against="random")
    parts = module._Series(make("greedy"), plan, lambda line: None).parts()
    expected = decompose("greedy", "random", 30)
    assert parts is not None and parts.interplay == expected.interplay
    for part in ("whole", "bids", "plays"):
        ours, theirs = getattr(parts, part), getattr(expected, part)
        assert (ours.a, ours.points_per_hand) == (theirs.a, theirs.points_per_hand)


def test_presets_with_the_same_rules_are_one() -> None:
    found = distinct_presets()
    names = [name for first, also in found.items() for name in (first, *also)]
    assert sorted(names) == sorted(PRESETS)
    assert found["canadian"] == ("australian",)
    assert len({Ruleset.preset(name) for name in found}) == len(found)


@pytest.mark.parametrize("batch", [1, 7])
def test_a_decision_time_is_the_median_of_the_calls(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = iter([0, 9, 10, 14, 20, 21, 30, 32])  # the first call, of 9 s, does not count
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(ticks))
    found = decision_time(make("random"), batch)
    assert (found.batch, found.seconds, found.calls) == (batch, 2, 3)
    assert found.decisions_per_second == batch / 2


def test_slow_calls_stop_at_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "CALLS", 100)
    ticks = iter(range(1000))
    monkeypatch.setattr(timing.time, "perf_counter", lambda: 10.0 * next(ticks))
    assert decision_time(make("random"), 2).calls == timing.FEWEST_CALLS


@pytest.mark.skipif(not hasattr(timing.os, "sched_getaffinity"), reason="no such call here")
def test_one_core_is_for_a_while_only() -> None:
    before = timing.os.sched_getaffinity(0)
    with one_core() as held:
        assert held and len(timing.os.sched_getaffinity(0)) == 1
    assert timing.os.sched_getaffinity(0) == before


# --- weaknesses --------------------------------------------------------------------------------


def match(points: float, ci95: float, b: str = "pimc:20", **more: Any) -> MatchResult:
    return MatchResult("x", b, 1000, points, ci95, ci95 / 2, None, 1, 1, "stick", 1, "0", **more)


def shares(**more: Any) -> Shares:
    """The shares of an agent that plays like the first reference player."""
    own = REFERENCE["expert rules"]

    def by(group: str) -> dict[str, float | None]:
        return {place: own[group][k] for k, place in enumerate(PLACES)}

    names = ("euchred", "made", "march", "lone_march")
    return Shares(
        **{
            "agent": "x",
            "deals": 10_000,
            "called": 1.0,
            "outcomes": dict(zip(names, own["outcomes"])),
            "round_1": by("round_1"),
            "round_2": by("round_2"),
            "next": by("next"),
            "alone": 0.1,
            "net_round_1": by("net_round_1"),
            "net_round_2": by("net_round_2"),
            "dealers_side": 0.0,
            "dealers_side_ci95": 0.1,
            "ruleset": "stick",
            "seed": 1,
            "version": "0",
            "oracle": False,
            **more,
        }
    )


def report_of(**more: Any) -> Report:
    """A report that shows nothing against the agent."""
    good = match(0.1, 0.01)
    values: dict[str, Any] = {
        "plan": Plan("x"),
        "strengths": (Row("pimc:20", good),),
        "parts": Decomposition(good, good, good, Estimate(0, 1, 1, 9)),
        "presets": (Row("stick", good),),
        "crossplay": None,
        "shares": shares(),
        "times": (DecisionTime(1, 0.0009, 9, True), DecisionTime(1024, 1.0, 9, True)),
    }
    return Report(**values | more)


def test_no_weakness_where_the_figures_show_none() -> None:
    assert weaknesses(report_of(), tuple(distinct_presets()), (), REFERENCE) == []


@pytest.mark.parametrize(
    ("points", "ci95", "told"),
    [(0.05, 0.02, "stronger"), (0.02, 0.02, "not told apart"), (-0.05, 0.02, "weaker")],
)
def test_a_verdict_needs_an_interval_clear_of_zero(points: float, ci95: float, told: str) -> None:
    assert verdict(points, ci95) == told


def test_rungs_that_are_not_beaten() -> None:
    rows = (
        Row("greedy", match(0.5, 0.1, "greedy")),
        Row("pimc:20", match(0.01, 0.02)),
        Row("oracle", match(-0.3, 0.02, "oracle", oracles=("oracle",))),
        Row("nobody", None, "it refused"),
    )
    assert weaknesses(report_of(strengths=rows)) == [
        "Not shown to be stronger than `pimc:20`: +0.010 ± 0.020 points a hand on 1,000 deals.",
        "Loses to `oracle` (which saw hidden cards): -0.300 ± 0.020 points a hand.",
        "No figure against `nobody`: it refused",
    ]


def test_parts_that_are_not_better() -> None:
    good, level, bad = match(0.1, 0.01), match(0.0, 0.01), match(-0.1, 0.01)
    parts = Decomposition(good, level, bad, Estimate(0, 1, 1, 9))
    assert weaknesses(report_of(parts=parts)) == [
        "Its calls alone are not shown to be better than those of `pimc:20`: +0.000 ± 0.010 "
        "points a hand.",
        "Its discards and cards alone are weaker than those of `pimc:20`: -0.100 ± 0.010 points "
        "a hand.",
    ]


def test_rule_sets_that_are_lost_or_were_not_trained_on() -> None:
    rows = (
        Row("stick", match(0.1, 0.01)),
        Row("british", match(-0.1, 0.01)),
        Row("canadian", match(0.0, 0.01)),
    )
    trained = [name for name in distinct_presets() if name != "british"]
    assert weaknesses(report_of(presets=rows), trained, ["rules"]) == [
        "Loses to `pimc:20` under 1 of 3 rule sets: `british` (-0.100 ± 0.010).",
        "Not shown to be stronger than `pimc:20` under 1 of 3 rule sets: `canadian` "
        "(+0.000 ± 0.010).",
        "Was not trained on 1 of the 8 preset rule sets: `british`.",
        "Does not see which rules are played, so it cannot adapt to them.",
    ]


def test_partners_that_cost_points() -> None:
    pair, rest = ("x", "y"), (1000, "stick", 1, "0", (), ())
    for loss, count in ((0.03, 1), (0.01, 0)):
        found = Estimate(loss, 0.01, 0.02, 1000)
        whole = CrossPlay(("x", "y"), None, {pair: found}, {pair: found}, found, *rest)
        told = weaknesses(report_of(crossplay=whole))
        assert len(told) == count
    large = replace(whole, losses={pair: Estimate(1, 0, 0, 9)})
    assert weaknesses(report_of(crossplay=large)) == [
        "With `y` as its partner the pair makes 1.000 ± 0.000 points a hand less than two of a "
        "kind."
    ]


def test_a_slow_decision() -> None:
    times = (DecisionTime(1, 0.0012, 9, True), DecisionTime(1024, 0.5, 9, True))
    told = ["Takes 1.2 ms for a decision of one game, more than 1 ms."]
    assert weaknesses(report_of(times=times)) == told


def test_shares_outside_of_all_references() -> None:
    own = shares()
    loners = own.outcomes | {"lone_march": 0.15, "march": 0.16}
    found = weaknesses(report_of(shares=replace(own, outcomes=loners)), reference=REFERENCE)
    assert found == [
        "Plays unlike the reference players, which is no loss by itself: "
        "share of lone march 0.150 (they 0.058 to 0.094)."
    ]
    few = replace(own, outcomes=loners, deals=50)  # on few hands it may be chance
    assert weaknesses(report_of(shares=few), reference=REFERENCE) == []
    assert weaknesses(report_of(shares=replace(own, outcomes=loners))) == []


def test_rule_sets_of_a_header() -> None:
    dicts = [Ruleset.stick().to_dict(), Ruleset.australian().to_dict()]
    assert trained_rulesets({"rulesets": dicts}) == ("stick", "canadian")
    for header in ({}, {"rulesets": []}, {"rulesets": [{"no": 1}]}, {"rulesets": 3}):
        assert trained_rulesets(header) is None


# --- the training run --------------------------------------------------------------------------


def test_a_curve_is_read(folder: Path) -> None:
    path = folder / "run" / "metrics.jsonl"
    path.write_text(path.read_text() + '{"iteration": 3, "deci')  # a run that was killed
    found = curves.read_curve(folder / "run")
    assert found.strengths == {"pimc:20": curves.Line((2000,), (-0.125,), (0.0625,))}
    assert found.quantities["entropy"] == curves.Line((1000, 2000), (1.0, 0.5))
    assert found.last("speed/seconds") == 7200 and found.last("other") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no iteration yet"),
        ('{"decisions": 1}\n{}\n', "metrics.jsonl:2: not a row of training metrics"),
        ("[1]\n", "metrics.jsonl:1: not a row of training metrics"),
        ("no\n", "metrics.jsonl:1: not a row of training metrics"),
    ],
)
def test_metrics_that_are_none(text: str, told: str, folder: Path) -> None:
    (folder / "run" / "metrics.jsonl").write_text(text)
    with pytest.raises(EvaluationError, match=told):
        curves.read_curve(folder / "run")


def test_a_long_run_becomes_a_short_table(folder: Path) -> None:
    rows = [{"decisions": 10 * (k + 1), "train/entropy": 1 / (k + 1)} for k in range(1000)]
    (folder / "run" / "metrics.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    table = curves.curve_table(curves.read_curve(folder / "run"))
    assert table[0] == ["decisions", "entropy"]
    assert len(table) == 13 and table[-1] == ["10,000", "0.001"]


def test_a_picture_of_a_run_without_matches(folder: Path) -> None:
    rows = [{k: v for k, v in row.items() if "strength" not in k} for row in METRICS]
    (folder / "run" / "metrics.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    curves.plot_curve(curves.read_curve(folder / "run"), folder / "x.png", "x")
    assert (folder / "x.png").read_bytes().startswith(PNG)


def test_the_command_that_trains_it_again(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump({"name": "tiny", "ppo": {"rate": 5e-4}}))
    start = f"python train.py --config {tmp_path.name}/tiny.yaml"
    same = config_from({"name": "tiny", "threads": 7, "folder": "x", "ppo": {"rate": 5e-4}})
    assert verb.training_commands(same.to_dict(), None, tmp_path) == [start]
    other = config_from({"name": "tiny", "seed": 2, "network": {"hidden": [9, 9]}})
    found = verb.training_commands(other.to_dict(), "abc", tmp_path)
    assert found[0] == "# with the sources of git revision abc"
    assert found[1] == f"{start} --seed 2 --network.hidden '[9, 9]' --ppo.rate 0.001"
    unknown = verb.training_commands(Config(name="else").to_dict(), None, tmp_path)
    assert unknown[-1] == "python train.py --config FILE"
    assert verb.training_commands({}) == []


# --- Markdown ----------------------------------------------------------------------------------


def test_a_table_keeps_its_columns() -> None:
    assert markdown_table(("a", "b"), [["x|y", "1\n2"]]).splitlines() == [
        "| a | b |",
        "| --- | ---: |",
        "| x\\|y | 1 2 |",
    ]
