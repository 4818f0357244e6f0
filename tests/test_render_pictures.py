"""Pixels and SVG: golden pictures with tolerance, well-formed XML, no outside reference.

The golden pictures and texts of tests/data/pictures show the moments of docs/table_pictures.py at
half size. After a change of the drawing that is meant, look at them and write them anew by

    python tests/test_render_pictures.py
"""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a script
    sys.path.insert(0, str(ROOT))

from euchre_env import render  # noqa: E402
from euchre_env.cards import N_CARDS, card_id  # noqa: E402
from euchre_env.render.shapes import CROWNS, STAR, SUIT_SHAPES, polygons  # noqa: E402

PICTURES = ROOT / "tests" / "data" / "pictures"
SCALE = 0.5
BLOCK = 12  # pixels of a block's side at half size: about a corner index of a card
TOLERANCE = 14  # of a block's mean, of 255; fonts and scaling differ a little between releases


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # where its dataclasses look for their module
    spec.loader.exec_module(module)
    return module


TABLES = load(ROOT / "docs" / "table_pictures.py")
MOMENTS: dict[str, Any] = TABLES.MOMENTS


def pixels(file: Any) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(file).convert("RGB"), np.float64)


def distance(first: np.ndarray, second: np.ndarray) -> float:
    """The largest difference of a block's mean colour, in any channel."""
    height, width = (size - size % BLOCK for size in first.shape[:2])
    apart = (first - second)[:height, :width]
    blocks = apart.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3).mean(axis=(1, 3))
    return float(np.abs(blocks).max())


def shown(items: list[render.Item]) -> np.ndarray:
    import io

    return pixels(io.BytesIO(TABLES.png(items, SCALE, colours=64)))


# ---- golden pictures -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", MOMENTS)
def test_golden_picture(name: str) -> None:
    pytest.importorskip("PIL")
    golden = pixels(PICTURES / f"{name}.png")
    assert golden.shape == (360, 640, 3)
    assert distance(shown(MOMENTS[name].items()), golden) < TOLERANCE


def changed(items: list[render.Item], kind: type, **changes: Any) -> list[render.Item]:
    """A drawing whose last item of a kind is another one."""
    from dataclasses import replace

    k = max(k for k, item in enumerate(items) if isinstance(item, kind))
    return [*items[:k], replace(items[k], **changes), *items[k + 1 :]]


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (render.Card, {"card": card_id("TD")}),  # for another ten or jack
        (render.Card, {"card": None}),
        (render.Card, {"lit": True}),
        (render.Card, {"x": 500}),
        (render.Suit, {"suit": 3, "colour": (26, 27, 33)}),
        (render.Text, {"text": ""}),
    ],
)
def test_the_comparison_finds_a_change(kind: type, changes: dict[str, Any]) -> None:
    pytest.importorskip("PIL")
    items = MOMENTS["trick"].items()
    golden = pixels(PICTURES / "trick.png")
    assert distance(shown(changed(items, kind, **changes)), golden) > TOLERANCE


def test_no_golden_file_is_left_over_or_large() -> None:
    files = {path.name for path in PICTURES.iterdir()}
    assert files == {f"{name}.{kind}" for name in MOMENTS for kind in ("png", "txt")}
    assert max(path.stat().st_size for path in PICTURES.iterdir()) < 40_000


# ---- pixels --------------------------------------------------------------------------------------


def test_the_image() -> None:
    pytest.importorskip("PIL")
    items = MOMENTS["bidding"].items()
    image = render.rgb_array(items)
    assert image.shape == (720, 1280, 3) and image.dtype == np.uint8
    assert (render.rgb_array(items) == image).all()
    image[:] = 0  # the caller's own
    assert render.rgb_array(items).any()


def test_every_card_has_a_face_of_its_own() -> None:
    pytest.importorskip("PIL")
    faces = [render.rgb_array([render.Card(60, 80, card)])[:160, :120] for card in range(N_CARDS)]
    faces.append(render.rgb_array([render.Card(60, 80, None)])[:160, :120])
    for k, first in enumerate(faces):
        for second in faces[:k]:
            assert (np.abs(first.astype(int) - second).max(axis=2) > 100).sum() > 60


def test_a_card_turned_by_half_is_the_same_card() -> None:
    pytest.importorskip("PIL")
    for card in (card_id("TD"), card_id("KS"), card_id("JC")):
        face = render.rgb_array([render.Card(42, 59, card)])[8:110, 6:78].astype(int)
        assert np.abs(face - face[::-1, ::-1]).mean() < 6


def test_an_image_without_pillow_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"pip install 'euchre-env\[render\]'"):
        render.rgb_array(MOMENTS["bidding"].items())


def test_outlines_are_closed_and_stay_in_their_square() -> None:
    for path in (*SUIT_SHAPES, *CROWNS.values(), STAR):
        for points in polygons(path):
            assert len(points) >= 4
            assert max(max(abs(x), abs(y)) for x, y in points) <= 1.2


# ---- SVG -----------------------------------------------------------------------------------------

NAMESPACE = "{http://www.w3.org/2000/svg}"


def titles(text: str) -> list[str]:
    """The names of the cards in a picture."""
    root = ElementTree.fromstring(text)
    return [
        t.text or "" for g in root.iter(f"{NAMESPACE}g") for t in g.findall(f"{NAMESPACE}title")
    ]


@pytest.mark.parametrize("name", MOMENTS)
def test_svg(name: str) -> None:
    items = MOMENTS[name].items()
    text = render.svg(items, "A <table> & more")
    root = ElementTree.fromstring(text)
    assert root.tag == f"{NAMESPACE}svg"
    assert (root.get("viewBox"), root.get("role")) == ("0 0 1280 720", "img")
    assert root.get("aria-label") == root.findtext(f"{NAMESPACE}title") == "A <table> & more"
    written = [t.text for t in root.iter(f"{NAMESPACE}text")]
    for item in items:
        if isinstance(item, render.Text) and item.text:
            assert item.text in written
    assert len(titles(text)) == sum(isinstance(item, render.Card) for item in items)
    assert not re.search(r"href|url\(|<script|<style|<image|id=", text)
    assert text.count("http") == 1  # the name space
    assert len(text) < 120_000


def test_svg_names_the_cards_that_are_seen_and_no_others() -> None:
    named = titles(render.svg(MOMENTS["seen_by_east"].items()))
    assert {"A of hearts", "10 of hearts", "J of diamonds"} <= set(named)
    assert not {"9 of clubs", "K of spades", "9 of diamonds", "K of hearts"} & set(named)
    assert named.count("a card, face down") == 11


def test_svg_escapes_names() -> None:
    from dataclasses import replace

    moment = replace(MOMENTS["bidding"], names=("<b>&", '"x"', "\x00\x1b[m", "d"))
    root = ElementTree.fromstring(render.svg(moment.items()))
    written = {t.text for t in root.iter(f"{NAMESPACE}text")}
    assert {"North, <b>&", 'East, "x"', "South, ??[m"} <= written


# ---- the pictures of the documentation -----------------------------------------------------------


def test_the_pictures_of_the_documentation_are_up_to_date() -> None:
    pytest.importorskip("PIL")
    for name in TABLES.SHOWN:
        path = TABLES.PICTURES / f"table_{name}.png"
        now = render.rgb_array(MOMENTS[name].items()).astype(np.float64)
        assert distance(pixels(path), now) < TOLERANCE, "run python docs/table_pictures.py"
    items = MOMENTS["trick"].items()
    expected = render.svg(items, "Hearts are trump")
    assert (TABLES.PICTURES / "table.svg").read_text("utf-8") == expected
    terminal = TABLES.terminal(render.ansi(items, colour=True))
    assert (TABLES.PICTURES / "table_in_a_terminal.svg").read_text("utf-8") == terminal
    ElementTree.fromstring(terminal)


def write() -> None:
    """Write the golden files anew."""
    PICTURES.mkdir(exist_ok=True)
    for name, moment in MOMENTS.items():
        items = moment.items()
        (PICTURES / f"{name}.png").write_bytes(TABLES.png(items, SCALE, colours=64))
        (PICTURES / f"{name}.txt").write_text(render.ansi(items) + "\n", "utf-8")


if __name__ == "__main__":
    write()
