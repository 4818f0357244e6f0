"""The server of the table in the browser: protocol, hidden cards, limits, malformed requests."""

import argparse
import asyncio
import json
import random
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip(
    "httpx2", reason="httpx2, which the tests of the web page need, is not installed"
)

import httpx2 as httpx
from starlette.testclient import TestClient

from agents.app import serve
from agents.app.web import replays
from agents.app.web.app import STATIC, Server
from agents.app.web.fields import LARGE, SMALL, Refusal
from agents.app.web.guard import POLICY, is_loopback, is_own_host
from agents.app.web.live import PERSON, LiveTable
from agents.app.web.tables import Tables
from euchre_env import explain
from euchre_env.cards import card_text, cards_of
from euchre_env.record import load_records, read_egn
from euchre_env.replay import replay as replayed
from euchre_env.rules import PHASES
from euchre_env.ruleset import OPTIONS, PRESETS, Ruleset, RulesetError
from euchre_env.testing import permute_hidden

ROOT = Path(__file__).resolve().parent.parent
RECORDS = sorted((ROOT / "euchre_env" / "data" / "egn").glob("*.egn"))
LOCAL = "http://127.0.0.1"
CARD = re.compile(r"\b(?:[9TJQKA][CDHS]|JOKER)\b")
PLAIN = ["heuristic", "heuristic:easy", "greedy"]


@pytest.fixture
def server() -> Server:
    """A server without an advisor, so that nothing here waits for a network."""
    made = Server(most_tables=8)
    made.advisor = None
    return made


@pytest.fixture
def client(server: Server) -> Iterator[TestClient]:
    with TestClient(server.app(), base_url=LOCAL) as made:
        yield made


def open_table(client: TestClient, **wishes: Any) -> dict[str, Any]:
    asked = {"seats": PLAIN, "rules": {"preset": "stick"}, "seed": 3, **wishes}
    response = client.post("/api/tables", json=asked)
    assert response.status_code == 201, response.text
    return dict(response.json())


def step(client: TestClient, view: dict[str, Any], verb: str, **more: Any) -> httpx.Response:
    body = {"version": view["version"], **more}
    return client.post(f"/api/tables/{view['id']}/{verb}", json=body)


def move(client: TestClient, view: dict[str, Any], rng: random.Random | None = None) -> Any:
    """Whatever comes next at a table: a legal act of South, an agent's, or the next hand."""
    state = view["state"]
    if state["hand_over"]:
        response = step(client, view, "next")
    elif state["actor"] == PERSON:
        acts = [act["action"] for act in state["legal"]]
        action = rng.choice(acts) if rng else acts[0]
        response = step(client, view, "act", action=action)
    else:
        response = step(client, view, "advance")
    assert response.status_code == 200, response.text
    return {"id": view["id"], **response.json()}


def until(client: TestClient, view: dict[str, Any], done: Any) -> dict[str, Any]:
    """The first view of a table, played on by first legal acts, of which ``done`` is true."""
    while not done(view):
        assert not view["state"]["over"]
        view = move(client, view)
    return view


def mine(view: dict[str, Any]) -> bool:
    return bool(view["state"]["actor"] == PERSON and not view["state"]["hand_over"])


def look(client: TestClient, view: dict[str, Any]) -> dict[str, Any]:
    return {"id": view["id"], **client.get(f"/api/tables/{view['id']}").json()}


def live_of(server: Server, view: dict[str, Any]) -> LiveTable:
    return server.tables.get(view["id"])


def error_of(response: httpx.Response) -> str:
    assert 400 <= response.status_code < 500 or response.status_code == 503
    return str(response.json()["error"])


# ---- the form ------------------------------------------------------------------------------------


def test_the_form_is_made_from_the_options(client: TestClient) -> None:
    told = client.get("/api/setup").json()
    assert [option["name"] for option in told["options"]] == list(OPTIONS)
    assert list(told["presets"]) == list(PRESETS)
    for name, preset in told["presets"].items():
        assert Ruleset.from_dict(preset["values"]) == Ruleset.preset(name)
        assert preset["text"] == Ruleset.preset(name).describe()
    names = [offered["name"] for offered in told["lineup"]["offered"]]
    assert names == [
        *("heuristic:easy", "heuristic:medium", "heuristic"),
        *("champion", "champion+search"),
    ]


def test_rules_are_told_in_words(client: TestClient) -> None:
    answer = client.post("/api/rules", json={"rules": {"preset": "british", "target_score": 7}})
    rules = Ruleset.preset("british").replace(target_score=7)
    assert answer.json() == {"text": rules.describe()}


@pytest.mark.parametrize(
    "changes",
    [
        {"joker": True, "no_trump": "round2"},
        {"alone_by": "maker_team"},
        {"target_score": 0},
        {"target_score": "10"},
        {"defend_alone_points": [1, 2, 3]},
        {"no_such_option": 1},
        {"preset": "swiss"},
    ],
)
def test_rules_that_cannot_be_are_refused_with_the_reason(
    changes: dict[str, Any], client: TestClient
) -> None:
    with pytest.raises(RulesetError) as told:
        Ruleset.from_dict(changes)
    for path, more in (("rules", {}), ("tables", {"seats": PLAIN})):
        response = client.post(f"/api/{path}", json={"rules": changes, **more})
        assert response.status_code == 422
        assert response.json() == {"error": str(told.value), "conflict": [*told.value.conflict]}


def test_a_game_without_partners_is_refused(client: TestClient) -> None:
    rules = {"variant": "buck"}
    told = "the web table is for the partnership game only"
    assert told in error_of(client.post("/api/rules", json={"rules": rules}))
    line = {"format": "euchre-record", "version": 1, "ruleset": rules, "deals": []}
    response = client.post("/api/replay", json={"record": json.dumps(line)})
    assert response.status_code == 400
    assert "for the partnership game only" in error_of(response)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("heurisitc", "did you mean 'heuristic'"),
        ("heuristic:hard", "easy"),
        ("oracle", "sees hidden cards"),
        ("pimc:100000", "thinks for too long"),
        ("rollout:100,by:rollout:100", "thinks for too long"),
        ("rollout:21,by:champion+search", "thinks for too long"),  # 100 worlds unless said
        ("search:30,by:champion,against:pimc:20", "thinks for too long"),
        ("champion+search:٩٩٩٩٩", "give a number of worlds"),
        ("/etc/passwd", "no agent is called"),
        ("checkpoints/champion.safetensors", "--agent"),
        ("search:9,by:../x.SAFETENSORS", "--agent"),
    ],
)
def test_players_that_cannot_be_are_refused(name: str, words: str, client: TestClient) -> None:
    response = client.post("/api/tables", json={"seats": ["greedy", name, "greedy"]})
    assert response.status_code == 400
    assert words in error_of(response)


def test_a_checkpoint_that_the_owner_named_may_play(tmp_path: Path) -> None:
    path = str(ROOT / "checkpoints" / "champion.safetensors")
    lineup = Server(checkpoints=[path]).lineup
    assert lineup.check(path) == path
    assert lineup.check(f"bids:{path},plays:greedy")
    with pytest.raises(Refusal, match="--agent"):
        lineup.check(f"{tmp_path}/other.safetensors")


# ---- playing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_a_whole_game(preset: str, client: TestClient) -> None:
    rng = random.Random(4)
    rules = {"preset": preset, "target_score": 3, "match_games": 1}
    view = open_table(client, rules=rules)
    while not view["state"]["over"]:
        assert "seed" not in view
        view = move(client, view, rng)
    assert view["seed"] == 3
    assert max(view["state"]["score"]) >= 3
    figures = view["figures"]
    assert [figures["points"], figures["points_lost"]] == view["state"]["score"]
    text = client.get(f"/api/tables/{view['id']}/record.jsonl").text
    (game,) = load_records(text)
    results, faults = replayed(game)
    assert not faults
    assert len(results) == figures["hands"]
    assert list(results[-1].score) == view["state"]["score"]
    called = [deal.maker for deal in results if deal.maker is not None]
    assert figures.get("own_calls", 0) == sum(maker % 2 == PERSON % 2 for maker in called)
    assert figures["thrown_in"] == len(results) - len(called)


def test_a_single_hand(client: TestClient) -> None:
    view = until(client, open_table(client, length="hand"), lambda v: v["state"]["over"])
    assert view["figures"]["hands"] == 1
    assert error_of(step(client, view, "next")) == "There is no next hand to deal now."


def test_the_same_seed_deals_the_same_cards(client: TestClient) -> None:
    hands = [open_table(client, seed=seed)["state"]["hand"] for seed in (7, 7, 8)]
    assert hands[0] == hands[1] != hands[2]


def test_tables_without_a_seed_differ_but_follow_the_servers(client: TestClient) -> None:
    def hand(one: TestClient) -> Any:
        return open_table(one, seed=None)["state"]["hand"]

    assert hand(client) != hand(client)
    pairs = []
    for _ in range(2):
        with TestClient(Server(seed=5).app(), base_url=LOCAL) as other:
            pairs.append([hand(other), hand(other)])
    assert pairs[0] == pairs[1]
    assert pairs[0][0] != pairs[0][1]


def test_an_illegal_card_is_refused_with_the_rule(server: Server, client: TestClient) -> None:
    def follows(view: dict[str, Any]) -> bool:
        state = view["state"]
        return mine(view) and state["phase"] == "play" and len(state["legal"]) < len(state["hand"])

    view = until(client, open_table(client), follows)
    live = live_of(server, view)
    held = set(cards_of(int(live.table.state.hand[PERSON]), int(live.table.state.frame)))
    for card in held - set(live.table.legal):
        response = step(client, view, "act", action=card)
        assert response.status_code == 422
        why = explain.why_illegal(live.table.state, live.table.rules, card)
        assert response.json() == {"error": why, "illegal": True}
        assert why.startswith("Follow suit: ")
    assert look(client, view) == view


def test_every_act_that_is_not_legal_is_refused_and_changes_nothing(
    server: Server, client: TestClient
) -> None:
    view = open_table(client, length="hand")
    while not view["state"]["over"]:
        if mine(view):
            legal = {act["action"] for act in view["state"]["legal"]}
            for action in {*range(40), 2**40} - legal:
                assert step(client, view, "act", action=action).status_code == 422
            assert look(client, view) == view
        view = move(client, view)


def test_out_of_turn_and_out_of_date(client: TestClient) -> None:
    view = until(client, open_table(client), mine)
    assert error_of(step(client, view, "advance")) == "No agent is to act."
    assert error_of(step(client, view, "next")) == "There is no next hand to deal now."
    later = move(client, view)
    stale = step(client, view, "act", action=view["state"]["legal"][0]["action"])
    assert (stale.status_code, stale.json()["stale"]) == (409, True)
    assert look(client, later) == later
    if later["state"]["actor"] != PERSON:
        assert error_of(step(client, later, "act", action=25)) == "It is not your turn."


def test_taking_back_goes_to_the_last_decision(client: TestClient) -> None:
    start = until(client, open_table(client), mine)
    after = until(client, move(client, start), mine)
    back = step(client, after, "undo").json()
    assert back["version"] > after["version"]
    for key in ("state", "log", "figures"):
        assert back[key] == start[key]
    other = open_table(client, practice=False)
    assert step(client, until(client, other, mine), "undo").status_code == 403


def test_taking_back_across_hands_takes_the_hand_from_the_figures(client: TestClient) -> None:
    view = until(client, open_table(client), lambda v: v["state"]["hand_over"])
    assert view["figures"]["hands"] == 1
    view = move(client, view)
    back = step(client, view, "undo").json()
    assert back["figures"]["hands"] == 0
    assert back["state"]["deal"] == 0


def test_a_closed_table_is_gone(client: TestClient) -> None:
    view = open_table(client)
    assert client.delete(f"/api/tables/{view['id']}").json() == {"closed": True}
    assert client.get(f"/api/tables/{view['id']}").status_code == 404


def test_ids_cannot_be_guessed(client: TestClient) -> None:
    ids = {open_table(client)["id"] for _ in range(5)}
    assert len(ids) == 5
    assert all(re.fullmatch(r"[\w-]{22}", name) for name in ids)


# ---- advice --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def advised() -> Iterator[TestClient]:
    """A server with its real advisor, kept for all tests of advice."""
    made = Server()
    if made.advisor is None:
        pytest.skip("there is no champion")
    made.advisor.search.worlds = 8
    with TestClient(made.app(), base_url=LOCAL) as client:
        yield client


def test_a_hint(advised: TestClient) -> None:
    view = until(advised, open_table(advised), mine)
    hint = step(advised, view, "hint").json()
    options = {option["action"]: option for option in hint["options"]}
    assert set(options) == {act["action"] for act in view["state"]["legal"]}
    assert sum(option["probability"] for option in options.values()) == pytest.approx(1, abs=1e-5)
    assert all(isinstance(option["value"], float) for option in options.values())
    assert all(option["double_dummy"] is None for option in options.values())
    assert options[hint["best"]]["value"] == max(o["value"] for o in options.values())
    assert hint["by"] == "champion"
    assert look(advised, view)["version"] == view["version"]


def test_agreement_is_counted_where_there_is_a_choice(advised: TestClient) -> None:
    view, choices = open_table(advised, length="hand"), 0
    while not view["state"]["over"]:
        choices += mine(view) and len(view["state"]["legal"]) > 1
        view = move(advised, view)
    assert view["figures"]["choices"] == choices
    assert 0 <= view["figures"]["agreed"] <= choices


def test_without_a_champion_hints_are_refused_and_the_rest_goes_on(client: TestClient) -> None:
    view = until(client, open_table(client), mine)
    assert "no champion" in error_of(step(client, view, "hint"))
    assert move(client, view)["figures"]["choices"] == 0


# ---- hidden cards --------------------------------------------------------------------------------


def known_cards(server: Server, view: dict[str, Any], own: set[str]) -> set[str]:
    """What South has a right to know, told from the true record: own, turned up, played."""
    s = live_of(server, view).table.state
    frame = int(s.frame)
    sets = [int(s.upcard), *(int(cards) for cards in s.played)]
    return own | {card_text(card) for cards in sets for card in cards_of(cards, frame)}


@pytest.mark.parametrize("preset", ["stick", "british", "anyone_alone", "openspiel"])
def test_no_message_names_a_hidden_card(preset: str, server: Server, client: TestClient) -> None:
    rng = random.Random(preset)
    for seed in range(6):
        rules = {"preset": preset, "weak_hand": rng.choice(["off", "throw_in"])}
        view = open_table(client, rules=rules, seed=seed, length="hand")
        own: set[str] = set()
        while not view["state"]["hand_over"]:
            own |= set(view["state"]["hand"])
            known = known_cards(server, view, own)
            assert set(CARD.findall(json.dumps(view))) <= known
            if mine(view):
                refused = [step(client, view, "act", action=a).text for a in range(38, 41)]
                assert set(CARD.findall("".join(refused))) <= known
            assert client.get(f"/api/tables/{view['id']}/record.jsonl").status_code == 409
            view = move(client, view, rng)
        client.delete(f"/api/tables/{view['id']}")


def messages(client: TestClient, view: dict[str, Any]) -> list[str]:
    """All that a browser can ask of a table without changing it."""
    asked = [client.get(f"/api/tables/{view['id']}").text]
    asked += [
        client.get(f"/api/tables/{view['id']}/record{kind}").text for kind in (".egn", ".jsonl")
    ]
    legal = {act["action"] for act in view["state"]["legal"]}
    asked += [step(client, view, "act", action=a).text for a in range(38) if a not in legal]
    asked += [step(client, view, verb).text for verb in ("hint", "next")]
    return asked


@pytest.mark.parametrize("preset", ["stick", "british", "anyone_alone"])
def test_messages_do_not_depend_on_hidden_cards(
    preset: str, server: Server, client: TestClient
) -> None:
    rng = random.Random(preset)
    for seed in range(4):
        view = open_table(client, rules={"preset": preset}, seed=seed, length="hand")
        live = live_of(server, view).table
        while not view["state"]["hand_over"]:
            if mine(view):
                told, full = messages(client, view), live.state.copy()
                live._states[0] = permute_hidden(full, live.rules, PERSON, rng)
                assert messages(client, view) == told
                live._states[0] = full
            view = move(client, view, rng)
        client.delete(f"/api/tables/{view['id']}")


def test_the_scan_finds_a_planted_leak(server: Server, client: TestClient) -> None:
    view = until(client, open_table(client), mine)
    live = live_of(server, view).table
    other = card_text(cards_of(int(live.state.hand[0]), int(live.state.frame))[0])
    planted = json.dumps(view | {"note": other})
    own = set(view["state"]["hand"])
    assert set(CARD.findall(planted)) - known_cards(server, view, own) == {other}


def test_a_hint_does_not_depend_on_hidden_cards(advised: TestClient) -> None:
    server: Any = advised.app
    view = until(advised, open_table(advised), mine)
    tables = next(r for r in server.routes if r.path == "/api/setup").endpoint.__self__.tables
    live, told = tables.get(view["id"]).table, step(advised, view, "hint").json()
    for seed in range(3):
        live._states[0] = permute_hidden(live.state, live.rules, PERSON, random.Random(seed))
        assert step(advised, view, "hint").json() == told


def test_the_record_holds_finished_hands_only(client: TestClient) -> None:
    view = open_table(client, rules={"preset": "stick", "target_score": 50})
    where = f"/api/tables/{view['id']}/record"
    assert client.get(where + ".egn").status_code == 409
    for hands in (1, 2):
        over = until(client, view, lambda v: v["state"]["hand_over"])
        assert len(load_records(client.get(where + ".jsonl").text)[0].deals) == hands
        view = until(client, move(client, over), mine)
        text = client.get(where + ".egn").text
        assert len(read_egn(text).deals) == hands


def test_a_record_that_egn_cannot_hold_says_so(client: TestClient) -> None:
    rules = {"preset": "stick", "weak_hand": "throw_in", "weak_hand_test": "three_low"}
    for seed in range(40):
        view = open_table(client, rules=rules, seed=seed)
        view = until(client, view, lambda v: v["state"]["hand_over"])
        if {call["text"] for call in view["state"]["calls"]} & {"claim", "keep"}:
            break
        client.delete(f"/api/tables/{view['id']}")
    where = f"/api/tables/{view['id']}/record"
    assert "write a .jsonl file" in error_of(client.get(where + ".egn"))
    assert client.get(where + ".jsonl").status_code == 200


# ---- records -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_real_records_are_replayed(path: Path, client: TestClient) -> None:
    record = path.read_text("utf-8")
    (game,) = load_records(record)
    results, _ = replayed(game)
    for deal in range(0, len(game.deals), 5):
        body = {"record": record, "deal": deal}
        told = client.post("/api/replay", json=body).json()
        assert told["players"] == list(game.players)
        assert len(told["deals"]) == len(game.deals)
        states = [frame["state"] for frame in told["frames"]]
        played = sum(map(len, game.deals[deal].tricks))
        assert sum(frame.get("action", 99) < 25 for frame in told["frames"]) >= played
        assert states[-1]["tricks"] == list(results[deal].tricks)
        if results[deal].complete:
            assert states[-1]["points"] == list(results[deal].points)
        assert all(state["phase"] in PHASES for state in states)


def test_a_review(advised: TestClient) -> None:
    record = RECORDS[0].read_text("utf-8")
    told = advised.post("/api/replay", json={"record": record}).json()
    found = advised.post("/api/review", json={"record": record}).json()["decisions"]
    assert found
    for decision in found:
        frame = told["frames"][decision["step"]]
        assert frame["action"] == decision["action"]
        assert frame["state"]["actor"] == decision["seat"]
        options = {o["action"]: o for o in decision["advice"]["options"]}
        lost = max(o["value"] for o in options.values()) - options[decision["action"]]["value"]
        assert decision["loss"] in (0, pytest.approx(lost))  # 0 where it may be chance


def test_an_own_game_is_reviewed_with_the_true_cards(advised: TestClient) -> None:
    view = until(advised, open_table(advised, length="hand"), lambda v: v["state"]["over"])
    record = advised.get(f"/api/tables/{view['id']}/record.jsonl").text
    found = advised.post("/api/review", json={"record": record}).json()["decisions"]
    values = [o["double_dummy"] for d in found for o in d["advice"]["options"]]
    assert values
    assert None not in values


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (str(RECORDS[0]), "This is no record"),
        ("/etc/passwd", "This is no record"),
        ("{", "malformed JSON"),
        ("{}", "mend it"),
        ('{"format": "euchre-record", "version": 1}', "'ruleset' is missing"),
        ("{" * 100_000, "malformed JSON"),
    ],
)
def test_what_is_no_record_is_refused(record: str, words: str, client: TestClient) -> None:
    for verb in ("replay", "review"):
        if verb == "replay":
            assert words in error_of(client.post("/api/replay", json={"record": record}))
    with pytest.raises(Refusal, match=re.escape(words)):
        replays.replay(replays.Wish(record, 0, 0))


def test_a_deal_or_game_that_is_not_there(client: TestClient) -> None:
    record = RECORDS[0].read_text("utf-8")
    for place in ({"deal": 200}, {"game": 1}):
        response = client.post("/api/replay", json={"record": record, **place})
        assert "none of them" in error_of(response)


def test_a_faulty_deal_has_no_frames_but_a_note(client: TestClient) -> None:
    data = json.loads(RECORDS[0].read_text("utf-8"))
    tricks = data["deals"][0]["phases"][1]["tricks"]
    tricks[0][0], tricks[0][1] = tricks[0][1], tricks[0][1]
    told = client.post("/api/replay", json={"record": json.dumps(data)}).json()
    assert told["frames"] == []
    assert told["deals"][0]["text"] == "cannot be replayed"
    assert told["deals"][0]["note"]


# ---- malformed requests and limits ---------------------------------------------------------------

BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"3",
    b'"text"',
    b"\xff\xfe{}",
    b'{"version": NaN}',
    b'{"version": 0, "version": 0}',
    b'{"version": true}',
    b'{"version": -1}',
    b'{"version": 0.5}',
    b'{"version": "0"}',
    b'{"version": 0, "extra": 1}',
    b'{"version": ' + b"9" * 5000 + b"}",
    b"[" * 15_000,
    b'{"\\ud800": 1}',
]


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_malformed_bodies_are_refused_with_a_reason(body: bytes, client: TestClient) -> None:
    view = open_table(client)
    verbs = ("act", "advance", "next", "undo", "hint")
    paths = [f"/api/tables/{view['id']}/{verb}" for verb in verbs]
    headers = {"content-type": "application/json"}
    for path in [*paths, "/api/tables", "/api/replay", "/api/review"]:
        response = client.post(path, content=body, headers=headers)
        assert response.status_code in (400, 409)
        assert error_of(response)
    assert look(client, view) == view


def test_random_requests_get_4xx_and_the_table_goes_on(client: TestClient) -> None:
    view, rng = open_table(client, seed=9), random.Random(9)
    words = ["version", "action", "seats", "rules", "record", "game", "seed", "length"]
    values = [None, True, -1, 1e9, "x", [], {}, [[]], {"a": {}}, "\ud800", 2**70]
    for _ in range(200):
        fields = {rng.choice(words): rng.choice(values) for _ in range(rng.randrange(1, 4))}
        verb = rng.choice(["act", "advance", "undo", "hint", "none", "../.."])
        path = rng.choice([f"/api/tables/{view['id']}/{verb}", "/api/tables", "/api/replay"])
        assert error_of(client.post(path, content=json.dumps(fields), headers=JSON))
    assert until(client, look(client, view), lambda v: v["state"]["hand_over"])


JSON = {"content-type": "application/json"}


def test_requests_that_are_no_json_by_their_header(client: TestClient) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        response = client.post("/api/rules", content=b"{}", headers={"content-type": kind})
        assert response.status_code == 415
        assert error_of(response)


@pytest.mark.parametrize("path", ["/api/rules", "/api/tables", "/api/replay"])
def test_requests_that_are_too_long(path: str, client: TestClient) -> None:
    most = LARGE if path == "/api/replay" else SMALL
    long = b'{"record": "' + b"x" * most + b'"}'

    def in_pieces() -> Iterator[bytes]:  # sent without a length
        for start in range(0, len(long), 4096):
            yield long[start : start + 4096]

    for content in (long, in_pieces()):
        response = client.post(path, content=content, headers=JSON)
        assert response.status_code == 413
        assert str(most) in error_of(response)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/none", 404),
        ("GET", "/api/none", 404),
        ("GET", "/api/tables/x", 404),
        ("GET", "/api/tables/x/record.egn", 404),
        ("POST", "/", 405),
        ("PUT", "/api/tables", 405),
        ("GET", "/api/tables", 405),
        ("PATCH", "/api/tables/x", 405),
    ],
)
def test_addresses_that_are_not_there(
    method: str, path: str, status: int, client: TestClient
) -> None:
    response = client.request(method, path)
    assert response.status_code == status
    assert error_of(response)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../serve.py",
        "/static/%2e%2e/serve.py",
        "/static/..%2fserve.py",
        "/static/js/..%5c..%5cserve.py",
        "/static//etc/passwd",
        "/static/%00",
        "/static/",
        "/static/js",
        "/api/tables/..%2f..%2fsetup",
    ],
)
def test_no_path_leads_out(path: str, client: TestClient) -> None:
    assert client.get(path).status_code in (404, 405)


def test_no_more_tables_than_there_is_room_for(client: TestClient, server: Server) -> None:
    views = [open_table(client) for _ in range(server.tables.most)]
    response = client.post("/api/tables", json={"seats": PLAIN})
    assert response.status_code == 503
    assert "All 8 tables are taken" in error_of(response)
    client.delete(f"/api/tables/{views[0]['id']}")
    assert open_table(client)
    assert [look(client, view) for view in views[1:]] == views[1:]


def test_idle_tables_are_closed_and_others_stay() -> None:
    now = [0.0]
    tables = Tables(most=3, idle=10.0, clock=lambda: now[0])
    table: Any = object()
    old, used = tables.add(table), tables.add(table)
    now[0] = 6
    assert tables.get(used) is table
    now[0] = 12
    assert len(tables) == 1
    assert tables.get(used) is table
    with pytest.raises(Refusal, match="nobody looked at it") as gone:
        tables.get(old)
    assert gone.value.status == 404


# ---- hosts, origins, headers ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://127.0.0.1.evil.example"},
        {"origin": "http://[bad"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_sites_page_may_not_write(headers: dict[str, str], client: TestClient) -> None:
    view = open_table(client)
    for method, path in (("POST", "/api/tables"), ("DELETE", f"/api/tables/{view['id']}")):
        response = client.request(method, path, json={}, headers=headers)
        assert response.status_code == 403
        assert "another site" in error_of(response)
    assert look(client, view) == view


def test_the_own_page_may_write(client: TestClient) -> None:
    headers = {"origin": LOCAL, "sec-fetch-site": "same-origin"}
    assert client.post("/api/rules", json={}, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "", "a b", "[::1", "127.0.0.1.x"]
)
def test_foreign_hosts_are_refused(host: str, client: TestClient) -> None:
    response = client.get("/api/setup", headers={"host": host})
    assert response.status_code == 421
    assert error_of(response)


def test_own_hosts() -> None:
    for host in ("localhost", "LOCALHOST:8024", "127.0.0.1:1", "[::1]:8024", "10.0.0.7"):
        assert is_own_host(host, "127.0.0.1")
    assert is_own_host("table.example:8024", "table.example")
    assert not is_own_host("table.example", "127.0.0.1")
    assert [is_loopback(h) for h in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "x")] == [
        *(True, True, True, False, False)
    ]


def test_every_answer_is_guarded(client: TestClient) -> None:
    paths = ("/", "/static/js/main.js", "/api/setup", "/api/tables/x", "/none")
    answers = [client.get(path) for path in paths]
    answers.append(client.get("/", headers={"host": "evil.example"}))
    for response in answers:
        assert response.headers["content-security-policy"] == POLICY
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in response.headers


def test_the_page_asks_nobody_else() -> None:
    names = {"http://www.w3.org/2000/svg"}  # a name of XML, not an address that is asked
    for path in STATIC.rglob("*"):
        if path.is_file():
            text = path.read_text("utf-8")
            assert set(re.findall(r"https?://[^\"'\s)]+", text)) <= names, path
    page = (STATIC / "index.html").read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=|<style", page)
    for source in re.findall(r'(?:src|href)="(static/[^"]+)"', page):
        assert (STATIC.parent / source).is_file()


# ---- the event loop ------------------------------------------------------------------------------


def test_a_slow_decision_holds_nobody_else_up(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, go_on = threading.Event(), threading.Event()

    def slow(_: LiveTable) -> None:
        started.set()
        assert go_on.wait(60)

    monkeypatch.setattr(LiveTable, "advance", slow)

    async def scene() -> None:
        transport = httpx.ASGITransport(server.app())
        async with httpx.AsyncClient(transport=transport, base_url=LOCAL) as http:
            tables = []
            for seed in (1, 2):
                asked = {"seats": PLAIN, "seed": seed}
                tables.append((await http.post("/api/tables", json=asked)).json())
            body = {"version": 0}
            waiting = asyncio.ensure_future(
                http.post(f"/api/tables/{tables[0]['id']}/advance", json=body)
            )
            await asyncio.get_running_loop().run_in_executor(None, started.wait, 60)
            assert (await http.get("/api/setup")).status_code == 200
            assert (await http.get(f"/api/tables/{tables[1]['id']}")).status_code == 200
            assert not waiting.done()
            go_on.set()
            assert (await waiting).status_code == 200

    asyncio.run(scene())


# ---- the verb ------------------------------------------------------------------------------------


def options(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    serve.add_serve_arguments(parser)
    return parser.parse_args(arguments)


def test_it_listens_at_loopback_unless_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert options().host == "127.0.0.1"
    serve.warn("127.0.0.1")
    assert capsys.readouterr().err == ""
    serve.warn("0.0.0.0")
    assert "everyone who can reach this machine" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--port", "70000"], "--port 70000"),
        (["--tables", "0"], "--tables 0"),
        (["--idle", "nan"], "--idle nan"),
        (["--agent", "none.safetensors"], "none.safetensors"),
    ],
)
def test_a_server_that_cannot_be(arguments: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        serve.run_serve(options(*arguments))


def test_a_port_that_is_taken() -> None:
    with serve.listen("127.0.0.1", 0) as bound:
        bound.listen()
        port = bound.getsockname()[1]
        assert serve.address(bound) == f"http://127.0.0.1:{port}/"
        with pytest.raises(OSError, match=f"127.0.0.1:{port}"):
            serve.listen("127.0.0.1", port)


def test_small_answers_are_sent_at_once() -> None:
    """Held back until the browser acknowledges (Nagle's algorithm), each would take 40 ms."""
    seen: list[int] = []

    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        seen.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async def ask(bound: socket.socket) -> None:
        async with await asyncio.start_server(answered, sock=bound):
            reader, writer = await asyncio.open_connection(*bound.getsockname())
            await reader.read()
            writer.close()

    with serve.listen("127.0.0.1", 0) as bound:
        asyncio.run(ask(bound))
    assert seen and all(seen)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "EXTRA", ("no_such_library",))
    with pytest.raises(serve.ServeError, match=r"euchre-env\[web\]"):
        serve.require_web()
