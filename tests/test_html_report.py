"""The page of `report`: what it is made of, that it leaves out what is not there, and the plots."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import make, plots
from agents.app.cli import main
from agents.app.curve import Curve, read_curve
from agents.app.html import sources
from agents.app.html.report import POINTS, Measured, report_page, sections_of, thinned
from agents.app.html.sources import measure_agents, read_source
from agents.base import AgentError
from agents.bids import Bids
from agents.evaluation import timing
from agents.evaluation.bids import BidCounter, play_style
from agents.evaluation.crossplay import cross_play
from agents.evaluation.ladder import play_ladder
from agents.evaluation.rows import rate, series_of
from agents.evaluation.shares import play_shares
from agents.evaluation.stats import EvaluationError
from agents.evaluation.store import Store
from agents.evaluation.timing import DecisionTime
from agents.network import PolicyValueNet, save_policy
from agents.style import OUTCOMES, PLACES, REFERENCE
from tests.pages import Page, check_page

NEEDS_PICTURES = pytest.mark.skipif(not plots.can_draw(), reason="matplotlib is not installed")
HOSTILE = "<img src=x>$y$"
DEALS = 40


def rows_of_a_run(count: int = 3) -> list[dict[str, Any]]:
    return [
        {
            "iteration": k,
            "decisions": 1000 * k,
            "train/entropy": 1 / k,
            "train/explained_variance": 0.5,
            **{f"outcomes/{name}": 0.25 for name in OUTCOMES},
            **{f"round_1/{place}": 0.125 for place in PLACES},
            "strength/pimc:20/points_per_hand": -0.5 + k / 10,
            "strength/pimc:20/ci95": 0.0625,
            "speed/collect": 2000.0,
            "speed/learn": 1000.0,
            "speed/seconds": 10.0 * k,
        }
        for k in range(1, count + 1)
    ]


def write_run(folder: Path, rows: list[dict[str, Any]]) -> Path:
    folder.mkdir()
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, few timed calls."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(timing, "CALLS", 2)
    return tmp_path


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of results with a ladder and two cross-plays."""
    path = tmp_path_factory.mktemp("results") / "rows.jsonl"
    play_ladder(["greedy", "random", "first_legal"], DEALS, out=path)
    cross_play(["greedy", "random"], DEALS, out=path)
    cross_play(["greedy", "random"], DEALS, out=path, against="first_legal")
    return path


def read(path: Path) -> Page:
    return check_page(path.read_text("utf-8"), scripts=0)


# --- rows of results ---------------------------------------------------------------------------


def test_rows_make_the_ladder_that_was_played(results: Path) -> None:
    (series,) = series_of(Store(results).rows.values())
    played = play_ladder(["greedy", "random", "first_legal"], DEALS, out=results)
    assert series.ladder is not None
    assert series.ladder.ratings == played.ratings
    assert set(series.agents) == {"greedy", "random", "first_legal"}


def test_rows_make_the_crossplays_that_were_played(results: Path) -> None:
    (series,) = series_of(Store(results).rows.values())
    assert {c.against for c in series.crossplays} == {None, "first_legal"}
    for found in series.crossplays:
        played = cross_play(["greedy", "random"], DEALS, out=results, against=found.against)
        assert found.points == played.points and found.losses == played.losses
        assert found.loss == played.loss and set(found.agents) == set(played.agents)


def test_only_linked_agents_are_rated(results: Path) -> None:
    rows = list(Store(results).rows.values())
    pair = [m for m in rows if {m.a, m.b} == {"greedy", "random"}]
    assert rate(pair) is None
    star = [m for m in rows if "greedy" in (m.a, m.b) and "&" not in m.a]
    ladder = rate(star)
    assert ladder is not None and len(ladder.ratings) == 3
    gap = {r.agent: r.points for r in ladder.ratings}
    for m in star:
        assert gap[m.a] - gap[m.b] == pytest.approx(m.points_per_hand)


def test_other_deals_are_another_series(results: Path, place: Path) -> None:
    path = place / "more.jsonl"
    path.write_bytes(results.read_bytes())
    play_ladder(["greedy", "random"], 10, out=path)
    found = series_of(Store(path).rows.values())
    assert [s.matches[0].deals for s in found] == [DEALS, 10]
    assert found[1].ladder is None


# --- how an agent bids -------------------------------------------------------------------------


def test_counting_bids_changes_nothing() -> None:
    shares, (first, second) = play_style("greedy", 60)
    assert shares == play_shares("greedy", 60)
    called = {k: round(v * shares.called * 60) for k, v in shares.round_1.items()}
    # Round 1 has no forced bids, so every hand that was called then is a bid that was counted.
    assert [int(n) for n in first.bids.sum(1)] == list(called.values())
    assert (first.bids <= first.turns).all() and (second.bids <= second.turns).all()
    assert first.turns[0].sum() == 60


def test_bids_of_pieces_add_up() -> None:
    whole, pieces = play_style("greedy", 30)[1], play_style("greedy", 30, chunk=7)[1]
    for a, b in zip(whole, pieces):
        assert (a.bids == b.bids).all() and (a.turns == b.turns).all()


def test_a_counter_is_the_agent_that_it_counts() -> None:
    counter = BidCounter(make("oracle"))
    assert (counter.name, counter.oracle) == ("oracle", True)


# --- the page ----------------------------------------------------------------------------------


def test_a_page_of_a_run(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_run(place / "run", rows_of_a_run())
    save_policy(run / "policy.safetensors", PolicyValueNet([8], ["hand", "upcard"], 1), {})
    assert main(["report", "run", "--html", "out.html"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[:3] == ["Learning curve", "How the hands of training went", "Throughput"]
    page = read(place / "out.html")
    assert "Report: run" in page.text and "hidden layers of 8" in page.text
    for told in ("-0.200 ± 0.062", "25.0 %", "12.5 %", "2,000", "1,000"):
        assert told in page.text
    assert "euchre report run --html out.html" in page.text
    if plots.can_draw():
        assert page.count("svg") == page.count("figure") == 4


def test_what_a_run_has_not_logged_is_left_out(place: Path) -> None:
    rows = [{"iteration": 1, "decisions": 5.0, "train/entropy": 0.5}]
    found = sections_of(read_curve(write_run(place / "run", rows)), [], [])
    assert [s.name for s in found] == ["learning"]
    assert sections_of(None, [], []) == []


def test_references_stand_beside_a_run_that_names_them(place: Path) -> None:
    rows = rows_of_a_run()
    plain = report_page("x", {}, "", read_curve(write_run(place / "a", rows)))
    rows[0]["reference/outcomes/euchred/PIMC-50"] = 0.155
    beside = report_page("x", {}, "", read_curve(write_run(place / "b", rows)))
    assert all(name in beside and name not in plain for name in REFERENCE)


def test_a_page_of_matches(results: Path, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(results), "--html", "out.html", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["sections"][0] == "Ladder" and data["sections"][-1] == "Matches"
    page = read(place / "out.html")
    ladder = play_ladder(["greedy", "random", "first_legal"], DEALS, out=results)
    for rating in ladder.ratings:
        assert f"{rating.points:+.3f}" in page.text
    found = cross_play(["greedy", "random"], DEALS, out=results)
    assert f"{found.loss.mean:+.3f} ± {found.loss.ci95:.3f}" in page.text
    for match in ladder.matches:
        assert match.command() in page.text
    assert "Decision times" not in page.text


def test_measuring_adds_shares_bids_and_times(results: Path, place: Path) -> None:
    line = ["report", "greedy", "--html", "out.html", "--deals", "30", "--results", str(results)]
    assert main(line) == 0
    page = read(place / "out.html")
    found = play_shares("greedy", 30)
    assert f"{100 * found.outcomes['made']:.1f} %" in page.text
    for told in ("Outcomes and calls", "Bids by trumps held and seat", "Decision times", "PIMC-50"):
        assert told in page.text
    assert "--deals 30 --ruleset stick --seed 1" in page.text


def test_agents_that_are_gone_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(name: str) -> Any:
        if name == "gone":
            raise AgentError("gone is gone")
        return make(name)

    monkeypatch.setattr(sources, "make", made)
    told: list[str] = []
    found = measure_agents(["gone", "random"], 10, "stick", 1, told.append)
    assert [m.shares.agent for m in found] == ["random"]
    assert told[0] == "not measured: gone is gone"


def test_without_matplotlib_there_are_tables(
    results: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plots, "can_draw", lambda: False)
    write_run(place / "run", rows_of_a_run())
    assert main(["report", "run", "--html", "out.html", "--results", str(results)]) == 0
    page = read(place / "out.html")
    assert page.count("svg") == 0 and page.count("table") >= 8
    assert "pip install 'euchre-env[plots]'" in page.text


def test_names_from_files_stay_text(place: Path) -> None:
    rows = rows_of_a_run()
    rows[0] |= {f"strength/{HOSTILE}/points_per_hand": 0.1, f"strength/{HOSTILE}/ci95": 0.1}
    rows[-1] |= {f"final/{HOSTILE}/points_per_hand": 0.1, f"final/{HOSTILE}/ci95": 0.1}
    run = write_run(place / HOSTILE, rows)
    assert main(["report", str(run), "--html", "out.html"]) == 0
    page = read(place / "out.html")
    assert page.count("img") == 0 and page.text.count(HOSTILE) >= 3


def test_names_of_agents_stay_text(results: Path) -> None:
    text = results.read_text("utf-8").replace("first_legal", HOSTILE)
    Path("rows.jsonl").write_text(text)
    assert main(["report", "rows.jsonl", "--html", "out.html"]) == 0
    page = read(Path("out.html"))
    assert page.count("img") == 0 and "greedy & random" in page.text and HOSTILE in page.text


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("nobody --html x.html", "no agent is called 'nobody'"),
        ("random --html x.html", "nothing is known of random: give --deals"),
        ("random --html x.md --deals 9", "a page is a file ending in .html"),
        ("random --html no/x.html --deals 9", "no folder 'no'"),
        ("random --html x.html --deals 1", "deals=1 is too few"),
        ("random --html x.html --deals 9 --ruleset stik", "'stik'"),
        ("random --html x.html --against greedy", "--against is for a model card"),
        ("random --html x.html --out x.md", "--out is for a model card"),
        ("gone.jsonl --html x.html", "gone.jsonl does not exist"),
        ("empty.jsonl --html x.html", "holds no match yet"),
        ("run/metrics.jsonl --html x.html", "give its folder"),
        ("bare --html x.html", "metrics.jsonl does not exist"),
        ("random --html x.html --results run/metrics.jsonl", "not a row of match results"),
    ],
)
def test_bad_input_is_told(
    options: str, told: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(place / "run", rows_of_a_run())
    (place / "empty.jsonl").touch()
    (place / "bare").mkdir()
    assert main(["report", *options.split()]) == 2
    out, err = capsys.readouterr()
    assert out == "" and told in err and len(err.splitlines()) == 1
    assert not list(place.glob("x.*"))


def test_a_run_without_its_policy_still_has_a_page(place: Path) -> None:
    source = read_source(str(write_run(place / "run", rows_of_a_run())), None)
    assert (source.title, source.policy, source.agents) == ("run", "", ())
    with pytest.raises(EvaluationError, match="does not exist"):
        read_source("run", Path("none.jsonl"))


# --- plots -------------------------------------------------------------------------------------


def test_a_long_line_keeps_its_course() -> None:
    count = 1001
    line = plots.Line(tuple(map(float, range(count))), tuple(2.0 * k for k in range(count)))
    thin = thinned(line)
    assert len(thin.values) == POINTS
    assert all(v == pytest.approx(2 * d) for d, v in zip(thin.decisions, thin.values))
    assert thinned(thin) == thin
    known = plots.Line(line.decisions, line.values, line.values)
    assert thinned(known) == known


def measured() -> Measured:
    bids = Bids.none()
    bids.turns[0, 3] += 4
    bids.bids[0, 3] += 3
    times = (DecisionTime(1, 0.001, 9, True),)
    return Measured(play_shares("random", 10), (bids, bids), times)


def test_the_heat_map_is_a_table_too() -> None:
    page = check_page(report_page("x", {}, "", measured=[measured()]), scripts=0)
    assert page.text.count("75 % (4)") == 2
    assert "1.000" in page.text


@NEEDS_PICTURES
def test_a_drawing_takes_the_colour_of_the_page() -> None:
    interval = plots.Interval("a $b", 0.1, -0.1, 0.3)
    drawings = [
        lambda: plots.draw_intervals([interval, interval._replace(hollow=True)], "points"),
        lambda: plots.draw_matrix(["a", "b"], [[0.1, None], [None, -0.1]], "points"),
        lambda: plots.draw_matrix(["a"], [[None]], "points"),
        lambda: plots.draw_bids(measured().bids),
        lambda: plots.draw_course([plots.Panel("x", {"y": plots.Line((1.0,), (2.0,), (0.5,))})]),
        lambda: plots.draw_shares(
            [plots.Group("g", "ab", {"o": [0.5, None]}, {"r": [None, 0.25]})]
        ),
    ]
    for draw in drawings:
        drawn = plots.as_svg(draw())
        assert drawn.startswith("<svg") and "currentColor" in drawn and "<metadata" not in drawn
        assert drawn == plots.as_svg(draw())
        assert plots.as_png(draw()).startswith(b"\x89PNG")
        assert not re.search(r'(href|src)="(?!#|data:image/png;base64)', drawn)
    assert "a $b" in plots.as_svg(drawings[0]())


@NEEDS_PICTURES
def test_a_bid_that_is_known_has_its_figure_in_the_heat_map() -> None:
    assert plots.as_svg(plots.draw_bids(measured().bids)).count(">0.75<") == 2


def test_an_empty_curve_has_no_strengths() -> None:
    curve = Curve(({"decisions": 1.0},), {}, {})
    assert [s.name for s in sections_of(curve, [], [])] == ["learning"]
    assert np.isnan(Bids.none().chance).all()
