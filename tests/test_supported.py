"""docs/supported.md: the table that docs/supported.py fills by runs on other Pythons."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.fixture(scope="module")
def supported() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_supported", DOCS / "supported.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_shows_the_oldest_python_and_no_failure(supported: ModuleType) -> None:
    assert supported.faults((DOCS / "supported.md").read_text("utf-8")) == []


def test_the_tests_that_it_runs_exist(supported: ModuleType) -> None:
    for name in supported.TESTS:
        assert (DOCS.parent / "tests" / f"test_{name}.py").is_file(), name


def test_a_row_replaces_that_of_the_same_python_and_set(supported: ModuleType) -> None:
    page = f"# Page\n\n{supported.BEGIN}\n{supported.END}\n\nmore\n"
    row = ["3.12.1", "newest", "2.4", "0.68", "1.4", "1.27", "9 passed"]
    page = supported.with_rows(page, [row, [*row[:1], "floors", *row[2:]]])
    page = supported.with_rows(page, [["3.12.9", *row[1:-1], "2 failed, 7 passed"]])
    page = supported.with_rows(page, [["3.9.1", *row[1:]]])
    rows = supported.rows_on(page)
    assert [(r[0], r[1]) for r in rows] == [
        ("3.9.1", "newest"),
        ("3.12.1", "floors"),
        ("3.12.9", "newest"),
    ]
    assert page.startswith("# Page\n") and page.endswith("\n\nmore\n")
    assert any("2 failed" in fault for fault in supported.faults(page))


def test_floors_are_those_of_the_project(supported: ModuleType) -> None:
    floors = supported.floors()
    assert set(floors) == set(supported.GAME)
    assert f"numba~={floors['numba']}.0" in supported.wanted("floors")
