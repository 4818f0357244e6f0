"""Takes the pictures of the web page: docs/pictures/web-*.png.

    python docs/screenshots.py [--only NAME]

Needs the extra `web`, playwright and a chromium on the path. Seeds are fixed, so that a rerun shows
the same hands.
"""

import argparse
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import httpx2 as httpx  # noqa: E402
import uvicorn  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from agents.app.serve import address, listen, settings  # noqa: E402
from agents.app.web.app import Server  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
RECORD = ROOT / "euchre_env" / "data" / "egn" / "final-01.egn"
DESKTOP, PHONE = (1280, 800), (390, 844)
SEATS = ["champion", "heuristic", "heuristic"]
SEED = 7


@contextmanager
def server() -> Iterator[str]:
    """A running server; its address."""
    made = Server()
    made.warm_up()
    bound = listen("127.0.0.1", 0)
    running = uvicorn.Server(settings(made))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.05)
    yield address(bound)
    running.should_exit = True
    thread.join()


def new_table(home: str) -> str:
    """The page of a new table, the same cards every time."""
    asked = {"seats": SEATS, "rules": {"preset": "stick", "first_dealer": 2}, "seed": SEED}
    return f"#/table/{httpx.post(f'{home}api/tables', json=asked, timeout=60).json()['id']}"


def bidding(page: Any, home: str) -> None:
    """South is asked to pick up."""
    page.goto(home + new_table(home))
    page.wait_for_selector("[data-act=pass]")


def playing(page: Any, home: str) -> None:
    """In the second trick, with advice."""
    bidding(page, home)
    page.click("[data-act=pass]")
    while page.locator(".hand .card").count() > 4 or not page.locator(".hand.asked").count():
        page.wait_for_selector(".answer, .hand.asked")
        page.locator(".answer, .hand .legal").first.click()
        page.wait_for_timeout(100)
    page.keyboard.press("h")
    page.wait_for_selector(".advice")


def setup(page: Any, home: str) -> None:
    """The page that opens a table."""
    page.goto(home)
    page.wait_for_selector("#deal")
    page.wait_for_selector('#rules-text:text(".")')


def review(page: Any, home: str) -> None:
    """A reviewed hand of a real record."""
    page.goto(f"{home}#/replay")
    page.set_input_files("#record-file", RECORD)
    page.click("#review-hand")
    page.wait_for_selector("#worst")
    page.click("#worst .step")


SCENES: dict[str, tuple[Callable[[Any, str], None], tuple[int, int], str]] = {
    "web-bidding-light": (bidding, DESKTOP, "light"),
    "web-table-light": (playing, DESKTOP, "light"),
    "web-table-dark": (playing, DESKTOP, "dark"),
    "web-phone": (playing, PHONE, "light"),
    "web-phone-dark": (bidding, PHONE, "dark"),
    "web-setup": (setup, DESKTOP, "light"),
    "web-review": (review, DESKTOP, "dark"),
}


def picture(browser: Any, home: str, name: str) -> None:
    """Take one picture."""
    scene, (width, height), colours = SCENES[name]
    view = {"width": width, "height": height}
    context = browser.new_context(
        viewport=view,
        color_scheme=colours,
        reduced_motion="reduce",
        has_touch=width < 600,
        is_mobile=width < 600,
    )
    context.add_init_script("localStorage.setItem('euchre.pace', '\"instant\"')")
    page = context.new_page()
    page.set_default_timeout(300_000)
    scene(page, home)
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(300)
    page.screenshot(path=PICTURES / f"{name}.png")
    context.close()
    print(PICTURES / f"{name}.png")


def main() -> None:
    """Take all pictures, or one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=SCENES)
    only = parser.parse_args().only
    PICTURES.mkdir(exist_ok=True)
    with server() as home, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name in [only] if only else SCENES:
            picture(browser, home, name)
        browser.close()


if __name__ == "__main__":
    main()
