"""Make the pictures of pages for the documentation: python docs/page_pictures.py RECORD RUN ROWS.

It writes the pages with the commands of the documentation and photographs them with Chromium.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from agents.app.cli import main

PICTURES = Path(__file__).resolve().parent / "pictures"
SHOTS = {  # name: page, width and height of the window, what of it is kept
    "review-blunder": ("review", 1000, 2000, (0, 1010, 1000, 1960)),
    "review-phone": ("review", 500, 2150, (0, 1180, 500, 2130)),
    "report-page": ("report", 1000, 1400, None),
}


def photograph(page: Path, out: Path, width: int, height: int) -> None:
    """A picture of the top of a page in a window of this size."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("Chromium is needed: install the package 'chromium'")
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    words += [f"--screenshot={out}", f"--window-size={width},{height}", page.as_uri()]
    subprocess.run(words, check=True, capture_output=True, timeout=300)


def run(record: str, folder: str, rows: str) -> None:
    """Write both pages and their pictures."""
    with tempfile.TemporaryDirectory() as place:
        game = shutil.copy(record, place)
        shutil.copytree(folder, Path(place, "champion"), ignore=shutil.ignore_patterns("*.pt"))
        shutil.copy(rows, Path(place, "rows.jsonl"))
        os.chdir(place)  # so that the pages tell short names
        main(["review", Path(game).name, "--html", "review.html"])
        report = ["report", "champion", "--html", "report.html", "--results", "rows.jsonl"]
        main([*report, "--deals", "2000"])
        pages = {name: Path(place, f"{name}.html") for name in ("review", "report")}
        for name, (page, width, height, box) in SHOTS.items():
            shot = PICTURES / f"{name}.png"
            photograph(pages[page], shot, width, height)
            image = Image.open(shot).convert("RGB").crop(box)
            image.quantize(128).save(shot, optimize=True)


if __name__ == "__main__":
    run(*sys.argv[1:])
