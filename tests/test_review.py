"""Reviews: what is judged and what is not, losses and totals, the verb `review` and its page."""

import dataclasses
import json
import math
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agents.advice import Advice, Advisor, Option
from agents.app import review as verb
from agents.app.cli import main
from agents.app.html.page import Html, el, table
from agents.app.html.review import Pictures, act_words, review_page
from agents.evaluation.review import (
    FORCED,
    LOOKS,
    NO_DISCARD,
    NO_HAND,
    Decision,
    Review,
    Total,
    held,
    review,
)
from agents.evaluation.stats import t_quantile
from agents.network import PolicyValueNet, save_policy
from euchre_env.actions import ACTION_TEXT
from euchre_env.analysis import analyse_record
from euchre_env.cards import card_id, deck_of
from euchre_env.explain import legal_ids
from euchre_env.record import GameRecord, load_records, record_hand, save_records
from euchre_env.rules import DISCARD, PLAY
from euchre_env.ruleset import Ruleset
from tests.pages import check_page

ANNOTATED = Path(__file__).parents[1] / "euchre_env" / "data" / "egn" / "annotated-01.egn"
GAME = load_records(ANNOTATED)[0]
HOSTILE = "<script>alert('x')</script>"
STEP = 0.3


class Judge:
    """Holds that the first legal act is the best, and that each later one is worse by a step."""

    policy = SimpleNamespace(name="judge")
    search = SimpleNamespace(worlds=7)

    def __init__(self, policy: str = "champion", worlds: int = 7) -> None:
        self.asked: list[tuple[int, bool, bool]] = []

    def advise(
        self,
        states: Any,
        ruleset: Ruleset,
        seed: int = 0,
        *,
        search: bool = True,
        double_dummy: bool = False,
    ) -> list[Advice]:
        self.asked.append((seed, search, double_dummy))
        found = []
        for s in states:
            legal = legal_ids(s, ruleset.record()[0])
            options = tuple(
                Option(
                    action,
                    ACTION_TEXT[action],
                    1 / len(legal),
                    -STEP * k if search else None,
                    -float(k) if double_dummy else None,
                )
                for k, action in enumerate(legal)
            )
            found.append(Advice(int(s.turn), legal[0], options, "judge"))
        return found


def one_deal(number: int = 0, **changes: Any) -> GameRecord:
    deal = dataclasses.replace(GAME.deals[number], **changes)
    return dataclasses.replace(GAME, deals=(deal,))


def judged(game: GameRecord, **options: Any) -> Review:
    advisor: Any = Judge()
    return review(game, advisor, **options)


def full_game(players: Sequence[str] = ("North", "East", "South", "West")) -> GameRecord:
    """One hand of which all cards are known: North orders up and leads trump."""
    hands = [
        ["JH", "JD", "AH", "KH", "QH"],
        ["9C", "TC", "JC", "QC", "KC"],
        ["9D", "TD", "QD", "KD", "AD"],
        ["9S", "TS", "JS", "QS", "KS"],
    ]
    order = [*(c for hand in hands for c in hand), "TH", "9H", "AC", "AS"]
    deck = deck_of(list(map(card_id, order)))
    acts = ["order_up", "with_partner", "9S", "JH", "9C", "9D", "TH"]
    deal = record_hand(Ruleset.stick(), deck, 3, acts)
    return GameRecord(ruleset=Ruleset.stick(), deals=(deal,), players=tuple(players))


# --- what is judged ----------------------------------------------------------------------------


def test_every_decision_of_a_known_deal_is_judged_or_forced() -> None:
    (deal,) = judged(one_deal(0)).deals
    assert deal.dealt == (True,) * 4 and deal.discard and deal.note == ""
    assert len(deal.decisions) == len(deal.played.steps)
    r = GAME.ruleset.record()[0]
    for d, step in zip(deal.decisions, deal.played.steps):
        legal = legal_ids(step.state, r)
        assert (d.seat, d.action) == (step.state.turn, step.action)
        assert d.why == (FORCED if len(legal) == 1 else "")
        if d.advice is not None:
            worse = legal.index(d.action)
            assert d.loss == pytest.approx(STEP * worse)
            assert d.double_dummy_loss == worse
            assert d.agreed == (worse == 0) and d.cost == pytest.approx(d.loss)


def test_no_opinion_rests_on_a_card_that_is_not_shown() -> None:
    deal = GAME.deals[1]
    assert deal.discard is None and not any(deal.hands)
    (found,) = judged(one_deal(1)).deals
    taker = int(found.played.final.taker)
    assert found.dealt == tuple(seat != taker for seat in range(4)) and not found.discard
    for d in found.decisions:
        if d.phase == "discard":
            assert (d.why, d.text) == (NO_DISCARD, "??") and d.told.endswith("lays away a card")
        elif d.phase != "play":
            assert (d.why == NO_HAND) == (d.seat == taker)
            assert d.double_dummy_loss is None  # the taker's cards would be a guess
        elif not d.why:
            assert d.double_dummy_loss is not None
    assert "what was dealt to" in found.note and "laid away" in found.note


def test_pictures_hold_no_guess() -> None:
    (found,) = judged(one_deal(1)).deals
    taker = int(found.played.final.taker)
    for number, step in enumerate(found.played.steps):
        s = found.picture(number)
        assert s.discard == 0
        shown = step.state.phase == PLAY
        assert bool(s.hand[taker]) == (shown and bool(step.state.hand[taker]))
        others = [seat for seat in range(4) if seat != taker]
        assert all(s.hand[seat] == step.state.hand[seat] for seat in others)
    (known,) = judged(one_deal(0)).deals
    for number, step in enumerate(known.played.steps):
        assert (known.picture(number) == step.state).all()
    discards = [d for d in known.decisions if d.phase == "discard"]
    assert len(held(known.picture(discards[0].number), discards[0].seat)) == 6


def test_the_partner_of_a_lone_hand_is_not_judged_before() -> None:
    (found,) = judged(one_deal(9)).deals
    out = next(k for k in range(4) if int(found.played.final.sitting_out) >> k & 1)
    assert not found.dealt[out]
    assert {d.why for d in found.decisions if d.seat == out} == {NO_HAND}
    last = next(d for d in found.decisions if d.phase == "play")
    assert found.picture(last.number).hand[out] == 0


def test_a_deal_with_a_fault_has_no_decisions() -> None:
    bad = one_deal(0, tricks=(("9C", "9C", "9C", "9C"),))
    (found,) = judged(bad).deals
    assert found.decisions == () and "twice" in found.note
    assert "twice" in review_page("x", [judged(bad)])


def test_a_record_that_breaks_off_is_judged_as_far_as_hands_are_shown() -> None:
    (found,) = judged(full_game()).deals
    assert found.dealt == (True,) * 4 and found.note == "the record breaks off"
    assert [d.text for d in found.decisions][-4:] == ["JH", "9C", "9D", "TH"]
    assert all(d.double_dummy_loss is not None for d in found.decisions if d.advice)


def test_true_cards_cost_what_the_analysis_says(tmp_path: Path) -> None:
    advisor = Advisor(tiny_policy(tmp_path), 2)
    game = dataclasses.replace(GAME, deals=GAME.deals[:2])
    found = review(game, advisor, search=False)
    for deal, costs in zip(found.deals, analyse_record(game), strict=True):
        cards = [d for d in deal.decisions if d.group == "cards"]
        for d, cost in zip(cards, costs.costs, strict=True):
            assert (d.double_dummy_loss or 0) == cost.points
        assert all(d.loss is None for d in deal.decisions)


def tiny_policy(folder: Path) -> str:
    path = folder / "tiny.safetensors"
    save_policy(path, PolicyValueNet([8], ["hand", "trump", "upcard"], 1), {})
    return str(path)


def test_a_rerun_says_the_same(tmp_path: Path) -> None:
    advisor, game = Advisor(tiny_policy(tmp_path), 3), full_game()
    first, again = (review(game, advisor, 5).to_dict() for _ in range(2))
    assert first == again
    losses = [d["loss"] for d in first["deals"][0]["decisions"] if "loss" in d]
    assert losses and all(loss >= 0 for loss in losses)


def test_each_deal_has_worlds_of_its_own() -> None:
    advisor: Any = Judge()
    review(GAME, advisor, 1)
    seeds = {seed for seed, _, _ in advisor.asked}
    assert len(seeds) == 2 * len(GAME.deals)  # of the first look, and of the second
    other: Any = Judge()
    review(GAME, other, 2)
    assert not seeds & {seed for seed, _, _ in other.asked}


def test_progress_ends_at_all_decisions() -> None:
    told: list[tuple[int, int]] = []
    found = judged(GAME, progress=lambda done, total: told.append((done, total)))
    count = len(found.decisions)
    assert told[-1] == (count, count) and len(told) == len(GAME.deals)


# --- the second look ---------------------------------------------------------------------------


class Fickle(Judge):
    """Finds every act but the first far worse at the first look; then sees its mistake."""

    def advise(self, states: Any, ruleset: Ruleset, seed: int = 0, **options: Any) -> list[Advice]:
        again = not options
        found = super().advise(states, ruleset, seed, **options)
        if not again:
            return found
        return [self._better(k, advice) for k, advice in enumerate(found)]

    def _better(self, k: int, advice: Advice) -> Advice:
        """The last act is the best by 1 ± 0.5 points, all others are alike."""
        *most, last = advice.options
        options = [dataclasses.replace(o, value=0.0) for o in most]
        gain = 1.5 if k % 2 else 0.5
        best = dataclasses.replace(last, value=gain)
        return dataclasses.replace(advice, best=last.action, options=(best, *options))


def test_only_the_second_look_tells_a_loss() -> None:
    advisor: Any = Fickle()
    found = review(one_deal(0), advisor)
    first = judged(one_deal(0))
    looked = [d for d in found.decisions if d.ci95 is not None]
    assert len(looked) == sum(bool(d.loss) for d in first.decisions) > 0
    half = t_quantile(LOOKS - 1) * math.sqrt(0.25 * LOOKS / (LOOKS - 1)) / math.sqrt(LOOKS)
    for d in looked:
        assert d.best is not None and d.best.value == 1.0
        if d.agreed:
            assert (d.loss, d.cost) == (0, 0)
        else:
            assert (d.loss, d.cost, d.ci95) == (1, 1, pytest.approx(half))
            assert d.double_dummy_loss is not None  # kept from the first look
    assert found.total().loss == sum(not d.agreed for d in looked)


def test_a_loss_that_may_be_chance_costs_nothing() -> None:
    (deal,) = judged(one_deal(0)).deals
    d = next(d for d in deal.decisions if d.loss)
    assert d.cost == d.loss and not d.agreed
    for unclear in (dataclasses.replace(d, ci95=None), dataclasses.replace(d, ci95=d.loss)):
        assert unclear.cost == 0 and unclear.agreed
        assert Total.of([unclear]).loss == Total.of([unclear]).blunders == 0


# --- totals ------------------------------------------------------------------------------------


def test_totals_add_up() -> None:
    found = judged(GAME)
    total, seats, groups = found.total(), found.by_seat(), found.by_group()
    for key in ("decisions", "judged", "agreed", "open", "blunders"):
        assert sum(getattr(t, key) for t in seats) == getattr(total, key)
        assert sum(getattr(t, key) for t in groups.values()) == getattr(total, key)
    assert sum(t.loss or 0 for t in seats) == pytest.approx(total.loss)
    assert total.judged == sum(d.advice is not None for d in found.decisions)
    assert sum(found.of(2, name).decisions for name in groups) == seats[2].decisions


def test_blunders_are_sorted_and_cut() -> None:
    found = judged(GAME, least=0.5)
    costs = [d.cost for d in found.blunders()]
    assert costs == sorted(costs, reverse=True) and min(costs) >= 0.5
    assert (
        len(costs) == found.total().blunders == sum((d.loss or 0) >= 0.5 for d in found.decisions)
    )
    assert found.blunders(2) == found.blunders()[:2]


def test_without_a_search_true_cards_make_the_blunders() -> None:
    found = judged(one_deal(0), search=False)
    assert found.worlds == 0 and found.total().loss is None
    assert all(d.cost == d.double_dummy_loss for d in found.decisions)
    assert found.blunders()


def test_nothing_judged_is_no_loss() -> None:
    assert Total.of([]) == Total(0, 0, 0, 0, 0, 0, 0)


# --- the verb ----------------------------------------------------------------------------------


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The verb with a quick advisor, in a folder of its own."""
    monkeypatch.setattr(verb, "Advisor", Judge)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_verb_lists_blunders_and_totals(
    judge: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", str(ANNOTATED), "--most", "3"]) == 0
    out = capsys.readouterr().out
    found = judged(GAME)
    worst = found.blunders()[0]
    row = next(line for line in out.splitlines() if line.startswith(f"deal {worst.deal}, "))
    assert f"{worst.cost:.2f}" in row and worst.text in row
    assert f"and {len(found.blunders()) - 3} more" in out
    assert "deal 1: not shown: what was dealt to" in out
    total = found.total()
    assert out.split("\nall ")[1].split()[:2] == [str(total.decisions), str(total.judged)]


def test_json_holds_every_decision(judge: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = [GAME, full_game()]
    save_records(judge / "two.jsonl", games)
    assert main(["review", "two.jsonl", "--json", "--fast"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data["games"]) == 2
    for told, game in zip(data["games"], games):
        found = judged(game, search=False)
        decisions = [d for deal in told["deals"] for d in deal["decisions"]]
        assert [d["text"] for d in decisions] == [d.text for d in found.decisions]
        assert told["total"] == found.total().to_dict()
        assert told["worlds"] == 0
    first = next(d for d in data["games"][0]["deals"][0]["decisions"] if "options" in d)
    assert first["loss"] is None and first["double_dummy_loss"] >= 0
    assert set(first["options"][0]) == {"text", "probability", "value", "double_dummy"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("gone.egn", "gone.egn"),
        ("x.egn --html out.txt", "a page is a file ending in .html"),
        ("x.egn --html no/out.html", "no folder 'no' to write to"),
        (f"{ANNOTATED} --worlds 0", "--worlds"),
        (f"{ANNOTATED} --most none", "--most"),
        (f"{ANNOTATED} --least 0", "--least"),
    ],
)
def test_bad_input_is_told(
    options: str, told: str, judge: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", *options.split()]) == 2
    out, err = capsys.readouterr()
    assert out == "" and told in err and len(err.splitlines()) == 1
    assert list(judge.iterdir()) == []


def test_a_policy_without_chances_cannot_judge(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(ANNOTATED), "--policy", "greedy"]) == 2
    assert "greedy" in capsys.readouterr().err


# --- the page ----------------------------------------------------------------------------------


def test_the_page_is_whole_and_asks_for_nothing(judge: Path) -> None:
    game = dataclasses.replace(GAME, deals=tuple(GAME.deals[k] for k in (0, 1, 9)))
    save_records(judge / "game.jsonl", [game])
    assert main(["review", "game.jsonl", "--html", "out.html", "--most", "4"]) == 0
    text = (judge / "out.html").read_text("utf-8")
    page, found = check_page(text, scripts=1), judged(game)
    steps = sum(len(deal.decisions) + 1 for deal in found.deals)
    assert page.count("details") == 3
    assert page.count("figure") == steps + 4 and page.count("article") == 4
    for deal in found.deals:
        for d in deal.decisions:
            assert f"{d.told}." in page.text
    assert f"The 4 dearest of {len(found.blunders())}." in page.text
    assert page.text.count(f"Not judged: {NO_DISCARD}.") == 2
    marked = sum("data-blunder" in attributes for _, attributes in page.tags)
    assert marked == len(found.blunders())
    # Read without the script: no step is hidden from the start.
    assert not any("hidden" in attributes for _, attributes in page.tags)
    pictures = [a for t, a in page.tags if t == "svg" and "viewbox" in a]
    assert all(a.get("role") == "img" and a.get("aria-label") for a in pictures)


def test_names_from_files_stay_text(judge: Path) -> None:
    players = (HOSTILE, "<img src=http://x.example/y.png>", '"onload="x', "&amp;")
    name = "a<b>.jsonl"
    save_records(judge / name, [full_game(players)])
    assert main(["review", name, "--html", "out.html"]) == 0
    page = check_page((judge / "out.html").read_text("utf-8"), scripts=1)
    assert page.count("img") == 0
    assert page.count("b") == len(judged(full_game()).decisions) + 2  # the deal, and its end
    for player in players:
        assert player in page.text
    assert f"Review of {name}" in page.text


def test_columns_of_which_nothing_is_known_are_left_out() -> None:
    fast = review_page("x", [judged(full_game(), search=False)])
    assert "expected points" not in fast.split("</p>", 1)[1] and "points lost<" not in fast
    assert "true cards" in fast
    blind = review_page("x", [judged(full_game(), double_dummy=False)])
    assert ">true cards<" not in blind and ">expected points<" in blind


def test_a_game_without_blunders_says_so() -> None:
    text = review_page("x", [judged(full_game(), least=100)])
    assert "No decision cost 100.00 points or more." in text


def test_several_games_are_told_apart(judge: Path) -> None:
    page = check_page(review_page("x", [judged(full_game())] * 2), scripts=1)
    assert "Game 1: totals" in page.text and "Game 2: blunders" in page.text


def test_a_card_is_drawn_once() -> None:
    found = judged(full_game())
    pictures = Pictures()
    texts = [pictures.of(found, found.deals[0], k, "x") for k in range(3)]
    shared = pictures.shared()
    assert shared.count("<g id=") == len(pictures.bodies) < 30
    for text in texts:
        assert text.count("<use") >= 20
        for name in text.split('<use href="#')[1:]:
            assert f'<g id="{name.split(chr(34))[0]}">' in shared


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("TH", "10♥"),
        ("JS", "J♠"),
        ("order_up", "order up"),
        ("call_C", "call ♣"),
        ("call_NT", "call no trump"),
        ("JOKER", "JOKER"),
        ("alone", "alone"),
    ],
)
def test_acts_in_words(text: str, words: str) -> None:
    assert act_words(text).replace("\N{VARIATION SELECTOR-15}", "") == words


def test_elements_escape_what_is_text() -> None:
    assert el("p", "a<b", el("i", '"'), None, class_='x"y', hidden=True) == (
        '<p class="x&quot;y" hidden>a&lt;b<i>&quot;</i></p>'
    )
    assert isinstance(el("br"), Html) and el("br") == "<br>"
    shown = table(("a", "b"), [("<1>", "2")], "<c>", marks=["best"])
    assert "<caption>&lt;c&gt;</caption>" in shown and '<tr class="best">' in shown
    assert '<th scope="row" class="word">&lt;1&gt;</th><td>2</td>' in shown


def test_a_decision_without_advice_has_no_figures() -> None:
    d = Decision(0, 0, 1, "discard", 0, DISCARD, "x", "", None, NO_HAND)
    assert (d.taken, d.best, d.agreed, d.loss, d.double_dummy_loss, d.cost) == (
        *(None, None, False),
        *(None, None, None),
    )
    assert "options" not in d.to_dict()
