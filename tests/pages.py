"""What the tests of pages look for: that a page is whole, safe, and asks for nothing."""

import base64
import hashlib
import re
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "input"}
LINKS = {"href", "src", "xlink:href", "action", "data", "poster", "srcset", "background"}


class Page(HTMLParser):
    """A page, taken apart.

    Attributes:
        tags: The name and attributes of every element.
        ids: All ids.
        text: What is to be read, scripts and styles left out.
        scripts: The text of each script.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        self.text, self.open = "", list[str]()
        self.feed(text)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        inside = self.open[-1] if self.open else ""
        if inside == "script":
            self.scripts.append(data)
        elif inside != "style":
            self.text += data

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


def check_page(text: str, scripts: int) -> Page:
    """A page that is well formed, labelled, and loads nothing from anywhere."""
    page = Page(text)
    assert text.startswith("<!doctype html>") and page.count("main") == 1
    assert len(page.ids) == len(set(page.ids))
    for tag, attributes in page.tags:
        for name, value in attributes.items():
            assert not name.startswith("on"), f"<{tag}> has {name}"
            if name in LINKS:
                inside = str(value).startswith("#") and str(value)[1:] in page.ids
                assert inside or str(value).startswith("data:image/png;base64,"), (tag, value)
    assert page.count("script") == len(page.scripts) == scripts
    assert not re.search(r"url\((?!['\"]?#)|@import|javascript:", text)
    policy = next(str(a["content"]) for t, a in page.tags if t == "meta" and "http-equiv" in a)
    assert "default-src 'none'" in policy
    for script in page.scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    return page
