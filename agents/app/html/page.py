"""Elements and whole pages of HTML; every text is escaped unless it is an element already."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from euchre_env import __version__

_VOID = frozenset({"br", "hr", "meta", "input"})


class Html(str):
    """Text that is HTML already, made of escaped parts by :func:`el`."""

    __slots__ = ()


Part = str | None
Cell = str


def el(tag: str, /, *parts: Part | Iterable[Part], **attributes: str | bool | None) -> Html:
    """An element around some parts; plain text among them is escaped.

    Attributes are named as in HTML, with a line below in place of a hyphen and after ``class``;
    True stands for one without a value, None and False leave it out.
    """
    told = "".join(_attribute(key, value) for key, value in attributes.items())
    inside = "".join(_escaped(part) for part in _flat(parts))
    return Html(f"<{tag}{told}>" if tag in _VOID else f"<{tag}{told}>{inside}</{tag}>")


def _flat(parts: Iterable[Part | Iterable[Part]]) -> Iterable[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif part is not None:
            yield from (p for p in part if p is not None)


def _escaped(part: str) -> str:
    return part if isinstance(part, Html) else html.escape(part)


def _attribute(key: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(value)}"'


def table(
    header: Sequence[Cell],
    rows: Iterable[Sequence[Cell]],
    caption: str = "",
    left: int = 1,
    marks: Sequence[str] = (),
) -> Html:
    """A table whose first ``left`` columns are words and the rest figures.

    Args:
        header: Its column heads.
        rows: Its cells; the first of each row heads it.
        caption: What it shows.
        left: Columns that are aligned to the left.
        marks: The class of each row, or nothing.
    """
    kinds = ["word" if k < left else None for k in range(len(header))]
    heads = [el("th", cell, scope="col", class_=kind) for cell, kind in zip(header, kinds)]
    lines = [
        el(
            "tr",
            [
                el("th" if k == 0 else "td", cell, scope="row" if k == 0 else None, class_=kind)
                for k, (cell, kind) in enumerate(zip(row, kinds))
            ],
            class_=(marks[number] or None) if number < len(marks) else None,
        )
        for number, row in enumerate(rows)
    ]
    around = {"tabindex": "0", "role": "region", "aria_label": caption or "table"}
    inside = el(
        "table",
        el("caption", caption) if caption else None,
        el("thead", el("tr", heads)),
        el("tbody", lines),
    )
    return el("div", inside, class_="scroll", **around)


def figure(picture: Html, caption: str, class_: str = "picture") -> Html:
    """A picture with what it shows in words."""
    told = "picture, scrolls sideways"
    around = el("div", picture, class_="scroll", tabindex="0", role="group", aria_label=told)
    return el("figure", around, el("figcaption", caption), class_=class_)


def labelled(svg: str, alt: str) -> Html:
    """A drawing as an element that a screen reader reads as one picture of this text."""
    head, rest = svg.split("<svg", 1)[1].split(">", 1)
    told = f' role="img" aria-label="{html.escape(alt)}"'
    return Html(f"<svg{head}{told}>{rest}".strip())


def facts(told: Iterable[tuple[str, Cell]]) -> Html:
    """Facts by name."""
    return el("dl", [part for k, v in told for part in (el("dt", k), el("dd", v))])


@cache
def _file(name: str) -> str:
    return (Path(__file__).parent / name).read_text("utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def page(title: str, *body: Part | Iterable[Part], script: str = "") -> str:
    """A whole page.

    Its policy lets a browser run only the script given here, and load nothing at all.

    Args:
        title: Its title.
        body: What it holds.
        script: The name of a file beside this one, run once the page is there.
    """
    code = _file(script) if script else ""
    allowed = f"'sha256-{_digest(code)}'" if code else "'none'"
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}; img-src data:"
    head = [
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", title),
        Html(f"<style>{_file('style.css')}</style>"),
    ]
    foot = el("footer", f"Made by euchre-env, version {__version__}.")
    last = Html(f"<script>{code}</script>") if code else None
    inside = el("body", el("main", *body), foot, last)
    return f"<!doctype html>\n{el('html', el('head', head), inside, lang='en')}\n"
