"""The table in a real browser: Chromium without a window, driven by Playwright."""

import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the extra 'web' is not installed")
pytest.importorskip(
    "httpx2", reason="httpx2, which the tests of the web page need, is not installed"
)
pytest.importorskip(
    "playwright.sync_api", reason="playwright, which drives the browser, is not installed"
)

import httpx2 as httpx
import uvicorn
from playwright import sync_api as playwright

from agents.app.serve import address, listen, settings
from agents.app.web.app import Server
from agents.app.web.live import PERSON
from euchre_env.record import load_records
from euchre_env.replay import replay

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on the path")
RECORD = Path(__file__).resolve().parents[1] / "euchre_env" / "data" / "egn" / "final-01.egn"
PATIENCE = 60_000  # milliseconds; only a hanging page takes so long
PLAIN = ["heuristic", "heuristic", "heuristic"]
SOUTH_FIRST = {"preset": "stick", "first_dealer": 1}
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def home() -> Iterator[str]:
    """The address of a running server, which gives no advice."""
    bound = listen("127.0.0.1", 0)
    made = Server()
    made.advisor = None
    server = uvicorn.Server(settings(made))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield address(bound)
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser: Any, home: str) -> Iterator[Open]:
    """Opens pages that are watched: no script fails, and nobody but the server is asked."""
    faults: list[str] = []
    contexts = []

    def asked(request: Any) -> None:
        if not request.url.startswith((home, "blob:", "data:")):
            faults.append(f"asked {request.url}")

    def make(path: str = "", width: int = 1280, height: int = 800, **wishes: Any) -> Any:
        view = {"width": width, "height": height}
        context = browser.new_context(viewport=view, reduced_motion="reduce", **wishes)
        contexts.append(context)
        context.add_init_script("localStorage.setItem('euchre.pace', '\"instant\"')")
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", asked)
        page.goto(home + path)
        return page

    yield make
    for context in contexts:
        context.close()
    assert faults == []


def new_table(home: str, **wishes: Any) -> dict[str, Any]:
    asked = {"seats": PLAIN, "rules": SOUTH_FIRST, "seed": 1, **wishes}
    response = httpx.post(f"{home}api/tables", json=asked, timeout=PATIENCE / 1000)
    assert response.status_code == 201, response.text
    return dict(response.json())


def look(home: str, name: str) -> dict[str, Any]:
    return dict(httpx.get(f"{home}api/tables/{name}", timeout=PATIENCE / 1000).json())


def is_asked(page: Any) -> None:
    """Wait until South is asked or the hand is over."""
    page.wait_for_selector(".answer, .hand.asked, #next-hand, #review")


def wait_until(page: Any, expression: str) -> None:
    """Wait until an expression holds; the page's own policy forbids Playwright to do so there."""
    for _ in range(PATIENCE // 10):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(10)
    raise AssertionError(f"never true: {expression}")


def play_on(page: Any) -> None:
    """Give the first answer that is allowed, or go on to the next hand.

    What was just answered may still be there to be seen, and gone before it is clicked: whoever
    plays on tries again.
    """
    is_asked(page)
    for choice in ("#next-hand", ".answer", ".hand .legal"):
        if page.locator(choice).count():
            with contextlib.suppress(playwright.TimeoutError):
                page.locator(choice).first.click(timeout=2_000)
            return


def seen_by_eye(page: Any, selector: str) -> list[str]:
    return [str(box.get_attribute("data-card")) for box in page.query_selector_all(selector)]


def test_a_whole_game_by_clicks(open_page: Open, home: str) -> None:
    page = open_page()
    page.click("[data-level='heuristic:easy']")
    assert page.input_value("#seat-north") == "heuristic:easy"
    page.click("text=Every option")
    page.fill("#rule-target_score", "2")
    page.wait_for_selector("text=Euchre to 2")
    page.click("#deal")
    page.wait_for_selector(".felt")
    name = page.url.rpartition("/")[2]
    while not page.locator("#review").count():
        play_on(page)
        page.wait_for_timeout(5)
    state = look(home, name)["state"]
    assert state["over"]
    assert max(state["score"]) >= 2
    ours, theirs = state["score"]
    told = page.inner_text(".ending h2")
    assert told == (
        f"You win, {ours} to {theirs}" if ours > theirs else f"They win, {theirs} to {ours}"
    )
    with page.expect_download() as waiting:
        page.click("text=Save .jsonl")
    (game,) = load_records(Path(waiting.value.path()).read_text("utf-8"))
    results, faults = replay(game)
    assert not faults
    assert list(results[-1].score) == state["score"]
    page.click("nav [data-page=statistics]")
    hands = page.locator(".tile strong").first.inner_text()
    assert hands == str(len(game.deals))


def test_rules_in_conflict_are_refused_beside_the_options(open_page: Open) -> None:
    page = open_page()
    page.click("text=Every option")
    page.check("#rule-joker")
    page.select_option("#rule-no_trump", "round2")
    page.wait_for_selector("#rules-fault:not([hidden])")
    assert "the joker has no rank without a trump suit" in page.inner_text("#rules-fault")
    wrong = page.query_selector_all(".option.wrong")
    assert [box.get_attribute("data-option") for box in wrong] == ["no_trump", "joker"]
    page.click("#deal")
    page.wait_for_selector("#alert p")
    assert not page.locator(".felt").count()
    page.uncheck("#rule-joker")
    page.wait_for_selector("#rules-fault", state="hidden")
    page.click("#deal")
    page.wait_for_selector(".felt")


def test_a_loner(open_page: Open, home: str) -> None:
    table = new_table(home, length="hand")
    page = open_page(f"#/table/{table['id']}")
    page.click("[data-act=order_up]")
    page.click("[data-act=alone]")
    page.wait_for_selector(".seat.north.out")
    assert "sits out" in page.inner_text(".seat.north .plate")
    assert "alone" in page.inner_text(".seat.south .plate")
    assert page.inner_text(".trump").endswith("You called, alone")
    while not page.locator("#review").count():
        play_on(page)
        page.wait_for_timeout(5)
    view = look(home, table["id"])
    assert view["state"]["alone"] == PERSON
    assert view["figures"]["own_calls"] == 1
    assert len(view["state"]["last_trick"]) == 3
    assert page.locator(".played").count() == 3


def must_follow(home: str) -> dict[str, Any]:
    """A table where South holds a card that may not be played."""
    for seed in range(50):
        view = new_table(home, seed=seed, length="hand")
        while not view["state"]["over"]:
            state, name = view["state"], view["id"]
            held, legal = state["hand"], [act["action"] for act in state["legal"]]
            if state["phase"] == "play" and legal and len(legal) < len(held):
                return view
            verb, more = ("act", {"action": legal[0]}) if legal else ("advance", {})
            body = {"version": view["version"], **more}
            told = httpx.post(f"{home}api/tables/{name}/{verb}", json=body, timeout=60)
            view = {"id": name, **told.json()}
    raise AssertionError("South could always play any card")


def test_an_illegal_click_is_explained(open_page: Open, home: str) -> None:
    table = must_follow(home)
    page = open_page(f"#/table/{table['id']}")
    page.wait_for_selector(".hand.asked")
    before = seen_by_eye(page, ".hand .card")
    card = page.locator(".hand .illegal").first
    assert card.get_attribute("aria-disabled") == "true"
    assert str(card.get_attribute("aria-label")).endswith(", not allowed now")
    card.click(force=True)
    page.wait_for_selector("#alert p")
    assert page.inner_text("#alert").startswith("Follow suit: ")
    assert seen_by_eye(page, ".hand .card") == before
    assert look(home, table["id"])["version"] == table["version"]


def test_a_reload_in_mid_hand_changes_nothing(open_page: Open, home: str) -> None:
    table = new_table(home, length="hand")
    page = open_page(f"#/table/{table['id']}")
    while page.locator(".hand .card").count() != 3:
        play_on(page)
        page.wait_for_timeout(5)
    is_asked(page)
    picture = [page.inner_text(part) for part in (".score", ".trump", ".course", ".question")]
    hand = seen_by_eye(page, ".hand .card")
    page.reload()
    is_asked(page)
    assert seen_by_eye(page, ".hand .card") == hand
    assert picture == [page.inner_text(p) for p in (".score", ".trump", ".course", ".question")]
    page.click("nav [data-page=statistics]")
    page.click("nav [data-page=table]")
    is_asked(page)
    assert seen_by_eye(page, ".hand .card") == hand


def test_taking_back(open_page: Open, home: str) -> None:
    table = new_table(home)
    page = open_page(f"#/table/{table['id']}")
    is_asked(page)
    first = page.inner_text(".question")
    page.click("[data-act=pass]")
    wait_until(page, "document.querySelectorAll('.course li').length > 3")
    is_asked(page)
    page.keyboard.press("u")
    wait_until(page, "document.querySelectorAll('.course li').length === 0")
    assert page.inner_text(".question") == first
    assert "Taken back." in page.text_content("#announcer")


def test_replay_of_a_real_record(open_page: Open) -> None:
    page = open_page("#/replay")
    page.set_input_files("#record-file", RECORD)
    page.wait_for_selector("#step-next")
    (game,) = load_records(RECORD)
    results, _ = replay(game)
    last = len(page.query_selector_all("[data-step]"))
    played = []
    for step in range(last):
        assert page.inner_text(".where") == f"{step} / {last}"
        page.click("#step-next")
        played.append(page.locator(".played").count())
    assert page.locator("#step-next").is_disabled()
    assert max(played) == 4
    won = [page.locator(f".{side} .tricks .won").count() for side in ("us", "them")]
    assert won == list(results[0].tricks)
    page.keyboard.press("Home")
    assert page.inner_text(".where") == f"0 / {last}"
    page.click(f"[data-step='{last - 2}']")
    assert page.inner_text(".where") == f"{last - 2} / {last}"
    if len(game.deals) > 1:
        page.select_option("#pick-hand", index=1)
        wait_until(page, "document.querySelector('#pick-hand').selectedIndex === 1")
        page.wait_for_selector(".where:text('0 /')")


def test_a_file_that_is_no_record_is_refused(open_page: Open, tmp_path: Path) -> None:
    wrong = tmp_path / "x.egn"
    wrong.write_text("no record", encoding="utf-8")
    page = open_page("#/replay")
    page.set_input_files("#record-file", wrong)
    page.wait_for_selector("#alert p")
    assert page.inner_text("#alert").startswith("This is no record")


def test_an_own_game_is_replayed(open_page: Open, home: str) -> None:
    table = new_table(home, length="hand")
    page = open_page(f"#/table/{table['id']}")
    while not page.locator("#review").count():
        play_on(page)
        page.wait_for_timeout(5)
    page.click("#review")
    page.wait_for_selector("#step-last")
    assert page.locator(".fan.open .card").count() == 20
    page.keyboard.press("End")
    assert page.locator(".fan.open .card").count() == 0
    page.click("#review-hand")
    page.wait_for_selector("#alert p")
    assert "no champion" in page.inner_text("#alert")


def test_a_hand_by_keys_alone(open_page: Open, home: str) -> None:
    table = new_table(home, length="hand")
    page = open_page(f"#/table/{table['id']}")
    while not page.locator("#review").count():
        is_asked(page)
        if page.locator("[data-digit='1']").count():
            page.keyboard.press("1")
        page.wait_for_timeout(5)
    assert look(home, table["id"])["state"]["over"]


def test_every_control_is_reached_by_tab_and_shows_it(open_page: Open, home: str) -> None:
    table = must_follow(home)
    page = open_page(f"#/table/{table['id']}")
    page.wait_for_selector(".hand.asked")
    wanted = page.locator("main button:enabled, main a, main summary").count()
    page.focus("main")
    reached = set()
    for _ in range(wanted + 3):
        page.keyboard.press("Tab")
        told = page.evaluate(
            "() => { const e = document.activeElement; const s = getComputedStyle(e);"
            " return [e.closest('main') ? e.outerHTML : '', s.outlineStyle, s.outlineWidth]; }"
        )
        if told[0]:
            reached.add(told[0])
            assert told[1] != "none"
            assert float(told[2].removesuffix("px")) >= 2
    assert len(reached) == wanted
    page.focus(".hand .card:first-child")
    page.keyboard.press("ArrowRight")
    second = page.locator(".hand .card").nth(1).get_attribute("data-card")
    assert page.evaluate("document.activeElement.dataset.card") == second


def test_what_a_screen_reader_hears(open_page: Open, home: str) -> None:
    table = new_table(home, length="hand")
    page = open_page(f"#/table/{table['id']}")
    page.click("[data-act=order_up]")
    page.click("[data-act=with_partner]")
    wait_until(
        page, "document.querySelector('#announcer').textContent.includes('South orders up the')"
    )
    names = page.evaluate(
        "async () => { const { longName } = await import('./static/js/cards.js');"
        " const hearts = { trump: 'H', left_suit: 'D' }, none = { trump: null, left_suit: null };"
        " return [longName('JD', hearts), longName('JH', hearts), longName('TS', none),"
        " longName('JOKER', { trump: 'C', left_suit: 'S' })]; }"
    )
    assert names == [
        *("jack of diamonds, left bower", "jack of hearts, right bower"),
        *("ten of spades", "joker, best bower"),
    ]
    is_asked(page)
    for box in page.query_selector_all(".hand .card"):
        assert " of " in box.get_attribute("aria-label")
    assert page.get_attribute("#announcer", "aria-live") == "polite"
    assert page.locator("main h1").count() == 1
    bare = page.locator("button:not([aria-label])")
    assert all(text.strip() for text in bare.all_inner_texts())


@pytest.mark.parametrize("path", ["#/", "table", "#/replay", "#/statistics", "record"])
def test_phone_width_needs_no_scrolling_sideways(path: str, open_page: Open, home: str) -> None:
    where = f"#/table/{new_table(home)['id']}" if path == "table" else path
    page = open_page("#/replay" if path == "record" else where, width=360, height=740)
    if path == "#/":
        page.click("text=Every option")
    if path == "record":
        page.set_input_files("#record-file", RECORD)
        page.wait_for_selector("#step-next")
    if path == "table":
        page.click("[data-act=order_up]")
        page.click("[data-act=with_partner]")
        page.wait_for_selector(".hand.asked")
        boxes = [
            box.bounding_box() for box in page.query_selector_all(".hand .card, .actions button")
        ]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 360 for box in boxes)
        assert all(box["width"] >= 44 and box["height"] >= 44 for box in boxes)
        assert page.locator(".hand").bounding_box()["y"] < 740
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_colours_follow_the_system_and_the_button(open_page: Open) -> None:
    back = "getComputedStyle(document.documentElement).backgroundColor"
    light, dark = (open_page(color_scheme=scheme) for scheme in ("light", "dark"))
    colours = [page.evaluate(back) for page in (light, dark)]
    assert colours[0] != colours[1]
    dark.click("#theme")  # from the system's to light
    assert dark.evaluate(back) == colours[0]
    dark.reload()
    assert dark.evaluate(back) == colours[0]
    dark.click("#theme")
    assert dark.evaluate(back) == colours[1]


def test_a_table_that_is_gone(open_page: Open) -> None:
    page = open_page("#/table/none")
    page.wait_for_selector("text=No table here")
    assert page.locator("main a[href='#/']").count() == 1
