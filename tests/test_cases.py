"""All rule cases pass, and no planted wrong answer does."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from euchre_env.cases import FAILED, PASSED, CaseError, run_case, run_cases

FILE = Path(__file__).parent / "data" / "rules_cases.json"
DATA: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
CASES: list[dict[str, Any]] = DATA["cases"]
BY_ID = {case["id"]: case for case in CASES}


def run(case: dict[str, Any]) -> Any:
    return run_case(case, DATA["defaults_assumed"])


def test_all_cases_pass() -> None:
    results = run_cases(FILE)
    assert [r.id for r in results] == [case["id"] for case in CASES]
    assert len(results) == 161
    assert [r for r in results if r.status == FAILED] == []


# ---- planted wrong answers -----------------------------------------------------------------------


def wrong_values(value: Any) -> list[Any]:
    """Values near ``value`` that differ from it."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, None]
    if isinstance(value, float):
        return [value + 0.2, value - 0.2]
    if isinstance(value, str):
        return [value + "x", None]
    if value is None:
        return [0, "H"]
    if isinstance(value, dict):
        return [value | {key: other} for key in value for other in wrong_values(value[key])[:1]]
    changed = [value[1:], [*value, value[-1]]] if value else [[0]]
    if len(value) > 1 and isinstance(value[0], int):
        changed += [[value[0] + 1, *value[1:]]]
    return changed


def planted(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The case with one key of its answer made wrong, in several ways."""
    found = []
    for key, value in case["answer"].items():
        for wrong in wrong_values(value):
            other = copy.deepcopy(case)
            other["answer"][key] = wrong
            found.append(other)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_wrong_answer_fails(case: dict[str, Any]) -> None:
    variants = planted(case)
    assert variants
    for other in variants:
        assert run(other).status == FAILED, other["answer"]


@pytest.mark.parametrize("case_id", ["RK-01", "RP-01"])
def test_order_counts_where_it_has_a_meaning(case_id: str) -> None:
    case = copy.deepcopy(BY_ID[case_id])
    key = next(iter(case["answer"]))
    case["answer"][key] = case["answer"][key][::-1]
    assert run(case).status == FAILED


def test_order_does_not_count_among_legal_actions() -> None:
    case = copy.deepcopy(BY_ID["BD-03"])
    case["answer"]["legal"].reverse()
    assert run(case).status == PASSED


# ---- cases that ask for what cannot be -----------------------------------------------------------


def test_an_illegal_history_fails() -> None:
    case = copy.deepcopy(BY_ID["BD-05"])
    case["state"]["history"].append("pass")
    result = run(case)
    assert result.status == FAILED
    assert "'pass' is not legal" in result.message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": "who_wins"}, "'who_wins' is not known"),
        ({"rules": {"joker": 3}}, "joker=3"),
        ({"answer": {}}, "asks for nothing"),
        ({"answer": {"phases": []}}, "the engine gives none"),
        ({"state": {"dealer": 0, "history": []}}, "'upcard'"),
        ({"state": {"dealer": 0, "upcard": "1H", "history": []}}, "'1H' is no card"),
    ],
)
def test_a_case_that_does_not_fit_fails_with_the_reason(
    change: dict[str, Any], message: str
) -> None:
    result = run({**BY_ID["BD-01"], **change})
    assert result.status == FAILED
    assert message in result.message


def test_a_case_without_a_query_fails() -> None:
    case = {key: value for key, value in BY_ID["BD-01"].items() if key != "query"}
    assert "'query'" in run(case).message


def case_of(query: str, state: dict[str, Any], answer: dict[str, Any], **rules: Any) -> Any:
    return run({"id": "X", "query": query, "rules": rules, "state": state, "answer": answer})


def test_queries_without_a_case_in_the_file() -> None:
    state = {"card": "JD", "trump": "H"}
    assert case_of("effective_suit", state, {"suit": "H"}).status == PASSED
    state = {"card": "JD", "trumps": ["H", "S", "D"]}
    assert case_of("effective_suit_sequence", state, {"suits": ["H", "D", "D"]}).status == PASSED
    sizes = {"hands": [5, 5, 5, 5], "kitty": 5}
    assert case_of("deal_sizes", {}, sizes, joker=True).status == PASSED
    state = {"dealer": 2, "upcard": "9H", "history": ["order_up"]}
    answer = {"phases": ["loner", "discard", "play"], "actors": [3, 2, 3], "trick_size": 4}
    assert case_of("phase_order", state, answer).status == PASSED


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "malformed JSON"),
        ("[]", "schema_version"),
        ('{"schema_version": 2}', "schema_version"),
        ('{"schema_version": 1}', "defaults_assumed"),
        ('{"schema_version": 1, "defaults_assumed": {}, "cases": 3}', "cases"),
        ('{"schema_version": 1, "defaults_assumed": {}, "cases": []}', "cases"),
        ('{"schema_version": 1, "defaults_assumed": {}, "cases": [1]}', "cases"),
    ],
)
def test_another_file_is_an_error_that_names_it(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text)
    with pytest.raises(CaseError, match=message) as caught:
        run_cases(file)
    assert str(file) in str(caught.value)
