"""The double-dummy solver against a plain minimax, literal endings, symmetries and bad input."""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from euchre_env import rules, symmetry
from euchre_env.actions import FROM_ABSOLUTE, TO_ABSOLUTE, ActionError, action_id
from euchre_env.cards import SUITS, card_ids, card_text, set_of
from euchre_env.ruleset import Ruleset
from euchre_env.solver import (
    ILLEGAL,
    OBJECTIVES,
    Call,
    PlayCost,
    analyse_play,
    best_call,
    solve,
    solve_many,
)
from euchre_env.testing import random_ruleset
from tests import minimax
from tests.table import DECISION_PHASES, Table, copy, hidden_from, lively_choice, random_deck

ROOT = Path(__file__).resolve().parent.parent


class Position(NamedTuple):
    """A record at some moment and its rule set."""

    s: Any
    ruleset: Ruleset

    @property
    def r(self) -> Any:
        return self.ruleset.record()[0]


def random_table(rng: random.Random, best: bool = True, **options: Any) -> Table:
    """A deal under a random rule set, or under one with some options; without the partner's best
    where that would make a plain minimax slow.
    """
    ruleset = Ruleset(**options) if options else random_ruleset(rng)
    if not best:
        ruleset = ruleset.replace(call_for_best="off")
    redraw = ruleset.joker_upcard == "redraw"
    return Table.dealt(ruleset, random_deck(rng, ruleset.joker, redraw), rng.randrange(4))


def random_positions(
    rng: random.Random, wanted: set[str], best: bool = True, **options: Any
) -> Iterator[Position]:
    """Every position of a random hand whose phase is wanted; reneges are rare."""
    table = random_table(rng, best, **options)
    while table.phase != "over":
        if table.phase in wanted:
            yield Position(copy(table.s), table.ruleset)
        legal = table.legal
        if table.phase == "play" and table.s.count > 0 and rng.random() < 0.95:
            legal = table.texts(rules.follows(np.int64(table.s.hand[table.turn]), table.s.led))
        table.do(lively_choice(rng, legal))


def late_positions(rng: random.Random, count: int) -> list[Position]:
    """Positions with at most three tricks to come, over many rule sets."""
    found: list[Position] = []
    while len(found) < count:
        found += [p for p in random_positions(rng, {"play"}) if p.s.trick >= 2]
    return found[:count]


def opening_leads(rng: random.Random, count: int) -> list[Position]:
    """Full deals about to be led to, over many rule sets."""
    found: list[Position] = []
    while len(found) < count:
        found += list(random_positions(rng, {"play"}))[:1]
    return found


def solved(positions: list[Position], objective: str, threads: int = 1) -> list[dict[int, int]]:
    """What `solve_many` says of each position: the makers' value by act."""
    states = rules.new_states(len(positions))
    for i, p in enumerate(positions):
        states[i] = p.s
    table = np.concatenate([p.ruleset.record() for p in positions])
    which = np.arange(len(positions), dtype=np.int16)
    values = solve_many(states, table, which, objective, threads)
    return [{int(a): int(row[a]) for a in np.flatnonzero(row != ILLEGAL)} for row in values]


def assert_exact(positions: list[Position]) -> None:
    """Every act has the value of the plain minimax, in points and in tricks."""
    for objective in OBJECTIVES:
        found = solved(positions, objective)
        for p, values in zip(positions, found):
            expected = minimax.values(p.s, p.r, objective == "points")
            assert values == expected, (objective, p.ruleset.to_dict(), p.s)


# ---- against plain minimax -----------------------------------------------------------------------


def test_late_positions() -> None:
    positions = late_positions(random.Random(1), 4000)
    assert_exact(positions)
    seen = Counter(int(rules.trick_size(p.s)) for p in positions)
    assert min(seen[2], seen[3], seen[4]) > 100
    assert sum(p.ruleset.joker for p in positions) > 500
    assert sum(p.s.trump == 4 for p in positions) > 50
    assert sum(p.ruleset.renege == "penalised" for p in positions) > 500
    assert len({json.dumps(p.ruleset.to_dict()) for p in positions}) > 200


def test_full_deals() -> None:
    assert_exact(opening_leads(random.Random(2), 300))


def test_full_deals_in_the_midst_of_the_first_two_tricks() -> None:
    rng = random.Random(3)
    found: list[Position] = []
    while len(found) < 200:
        positions = [p for p in random_positions(rng, {"play"}) if p.s.trick < 2]
        found += rng.sample(positions, min(2, len(positions)))
    assert_exact(found)


POINTS = [
    {"points_march": 0},
    {"points_make": 3, "points_march": 1, "points_loner_march": 0, "points_loner_four": 2},
    {"points_euchre": 5, "points_super_euchre": 9, "points_loner_euchred": 7},
    {"points_make": 0, "points_march": 0, "points_euchre": 0, "points_super_euchre": 0},
    {"defend_alone": "any", "defend_alone_points": (6, 1), "points_make": 4, "points_march": 2},
]
FAST_BREAKS = [
    {"fast_break": True},
    {"fast_break": True, "points_make": 3, "points_march": 1, "points_euchre": 0},
    {"fast_break": True, "points_march": 0, "points_loner_march": 7, "defend_alone": "any"},
    {"fast_break": True, "renege": "penalised", "renege_points": 1},
    {"fast_break": True, "renege": "penalised", "renege_mode": "deduct", "renege_points": 0},
]
RENEGES = [
    {"renege": "penalised", "renege_points": 0},
    {"renege": "penalised", "renege_points": 4, "renege_points_vs_loner": 1},
    {"renege": "penalised", "renege_mode": "deduct", "renege_points": 1},
]


@pytest.mark.parametrize("options", POINTS + RENEGES + FAST_BREAKS, ids=str)
def test_points_that_do_not_rise_with_tricks_and_reneges(options: dict[str, Any]) -> None:
    rng, found = random.Random(4), list[Position]()
    rest = {"stick_the_dealer": True, "no_trump": "round2", "defend_alone": "vs_loner"} | options
    while len(found) < 300:
        positions = list(random_positions(rng, {"play"}, **rest))
        found += rng.sample(positions, min(3, len(positions)))
    assert_exact(found)


def test_decisions_before_the_lead() -> None:
    rng, found = random.Random(5), dict[str, list[Position]]()
    wanted = {"loner", "defend", "discard"}
    while min(len(found.get(phase, ())) for phase in wanted) < 8:
        for p in random_positions(rng, wanted, best=False):
            found.setdefault(rules.PHASES[p.s.phase], []).append(p)
    assert_exact([p for phase in sorted(wanted) for p in found[phase][:8]])


def test_full_deals_with_the_fast_break() -> None:
    rng, found = random.Random(12), list[Position]()
    while len(found) < 150:
        positions = list(random_positions(rng, {"play"}, fast_break=True, stick_the_dealer=True))
        lost = [p for p in positions if p.s.trick == 1 and p.s.tricks[p.s.maker % 2] == 0]
        found += [positions[0], *lost[::3]]
    assert_exact(found)
    values = [minimax.value(p.s, p.r, True) for p in found]
    plain = [minimax.value(p.s, Ruleset().record()[0], True) for p in found]
    assert sum(a != b for a, b in zip(values, plain)) > 1  # rare, since all see it coming


def test_a_fast_break_is_foreseen() -> None:
    """East has won a trick with the AC and leads again; North holds three trumps and the TC."""
    hands = {
        0: "JH AH 9C TC 9D",
        1: "AC KC QC 9H TH",
        2: "AD AS KS QS JS",
        3: "TD QD KD 9S TS",
    }
    for fast_break, best in ((True, {"KC": 0, "QC": 0, "9H": -1, "TH": -1}), (False, None)):
        table = Table("KH", 0, hands, fast_break=fast_break)
        table.do("pass pass pass order_up with_partner 9D AC AD TD 9C")
        found = solve(table.s, table.r)
        assert by_text(found.points) == (best or dict.fromkeys(("KC", "QC", "9H", "TH"), -1))
        assert set(by_text(found.tricks).values()) == {3}


def test_the_partners_best() -> None:
    rng, found = random.Random(13), dict[str, list[Position]]()
    options = {"call_for_best": "offered", "stick_the_dealer": True, "canadian_loner": True}
    sizes = {"lay_away": 8, "pass_card": 1, "call_best": 1}
    while any(len(found.get(phase, ())) < size for phase, size in sizes.items()):
        for p in random_positions(rng, set(sizes), **options):
            found.setdefault(rules.PHASES[p.s.phase], []).append(p)
    assert_exact([p for phase, size in sizes.items() for p in found[phase][:size]])


def test_calls() -> None:
    rng, found = random.Random(6), dict[str, list[Position]]()
    phases = {"bid1", "bid2", "name_trump"}
    while min(len(found.get(phase, ())) for phase in phases) < 4:
        for p in random_positions(rng, phases, best=False):
            found.setdefault(rules.PHASES[p.s.phase], []).append(p)
    assert_exact([p for phase in sorted(phases) for p in found[phase][:4]])


# ---- best_call -----------------------------------------------------------------------------------


def line_by_minimax(s: Any, r: Any, alone: bool | None) -> tuple[int, set[int]]:
    """The makers' value after a call when the maker's answer is given, and the best discards."""
    if s.phase in (rules.PLAY, rules.DEFEND):
        return minimax.value(s, r, True), set()
    acts = [a for a in range(38) if int(rules.legal(s, r)) >> a & 1]
    if s.phase == rules.LONER and s.turn == s.maker:
        acts = [rules.ALONE if alone else rules.WITH_PARTNER]
    lines = {a: line_by_minimax(minimax.after(s, r, a), r, alone) for a in acts}
    wanted = max if s.turn % 2 == s.maker % 2 else min
    best = wanted(value for value, _ in lines.values())
    kept = {a for a, (value, _) in lines.items() if value == best}
    if s.phase == rules.DISCARD:
        return best, {int(TO_ABSOLUTE[s.frame, a]) for a in kept}
    return best, set().union(*(lines[a][1] for a in kept))


CALLS: list[dict[str, Any]] = [
    {"stick_the_dealer": True},
    {"alone_timing": "before_lead"},
    {"alone_by": "maker_team", "alone_timing": "before_lead"},
    {"canadian_loner": True, "defend_alone": "vs_loner", "partner_alone_upcard": "loner_takes"},
    {"allow_alone": False, "joker": True, "joker_upcard": "dealer_names"},
    {"dealer_may_discard_upcard": False, "no_trump": "round2"},
]


@pytest.mark.parametrize("options", CALLS, ids=str)
def test_best_call(options: dict[str, Any]) -> None:
    rng = random.Random(7)
    for _ in range(6):
        table = random_table(rng, **options)
        for _ in range(rng.choice([0, 1, 2, 3, 3, 5])):
            if "pass" in table.legal:
                table.do("pass")
        calls = best_call(table.s, table.r)
        assert [c.points for c in calls] == sorted((c.points for c in calls), reverse=True)
        offered = {action_id(word) for word in table.legal - {"pass"}}
        assert {c.action for c in calls} == offered
        for call in calls:
            check_call(table, call)


def check_call(table: Table, call: Call) -> None:
    after = minimax.after(table.s, table.r, int(FROM_ABSOLUTE[table.s.frame, call.action]))
    chooses = table.ruleset.allow_alone and after.loner < 0
    assert (call.alone is None) == (not chooses)
    value, discards = line_by_minimax(after, table.r, call.alone)
    assert call.seat == table.turn
    assert call.points == value
    assert call.discard in discards if discards else call.discard is None


# ---- literal endings -----------------------------------------------------------------------------


def ending(
    trump: str, maker: int, leader: int, won: tuple[int, int], *hands: str, **options: Any
) -> Table:
    """A table at the start of a late trick: hands by seat; a seat without cards sits out."""
    table = Table(**options)
    s, suit = table.s, SUITS.index(trump)
    s.phase, s.frame, s.trump, s.maker, s.turn = rules.PLAY, suit, suit, maker, leader
    s.trick, s.tricks[:2] = sum(won), won
    s.leader[s.trick] = leader
    for seat, text in enumerate(hands):
        s.hand[seat] = set_of(card_ids(text), suit)
        if not text:
            s.sitting_out = 1 << seat
            s.loner = (seat + 2) % 4
    return table


def by_text(values: dict[int, int]) -> dict[str, int]:
    return {card_text(card): value for card, value in values.items()}


def test_draw_the_last_trump_before_cashing_an_ace() -> None:
    # Led first, the right bower draws the left, then the ace is good: five tricks, a march.
    # Led first, the ace is trumped by the left; the right still takes the last trick: four.
    table = ending("H", 0, 0, (3, 0), "JH AC", "9S TS", "9D TD", "JD QS")
    found = solve(table.s, table.r)
    assert by_text(found.tricks) == {"JH": 5, "AC": 4}
    assert by_text(found.points) == {"JH": 2, "AC": 1}
    assert found.best == (action_id("JH"),)


def test_do_not_trump_the_partners_ace() -> None:
    # West's partner holds the trick. If West throws the king of spades, East leads the nine and
    # West trumps it over North's nine: euchre. If West trumps the ace, North trumps the king.
    table = ending("H", 0, 0, (2, 1), "KC 9H", "AC 9S", "TC 9D", "TH KS").do("KC AC TC")
    found = solve(table.s, table.r)
    assert by_text(found.tricks) == {"TH": 3, "KS": 2}
    assert by_text(found.points) == {"TH": -1, "KS": 2}
    assert analyse_play(table.s, table.r, [action_id("TH")]) == [
        PlayCost(4, 3, action_id("TH"), points=3, tricks=1, better=(action_id("KS"),))
    ]


def test_keep_the_ace_that_stops_a_lone_march() -> None:
    # North alone has drawn trumps and leads the last one; only East can beat the king of clubs.
    table = ending("H", 0, 0, (3, 0), "AH KC", "AC 9D", "", "KS QS")
    assert by_text(solve(table.s, table.r).tricks) == {"AH": 4, "KC": 4}
    table.do("AH")
    found = solve(table.s, table.r)
    assert by_text(found.points) == {"AC": -4, "9D": -1}
    costs = analyse_play(table.s, table.r, map(action_id, ["AC", "QS", "KC", "9D", "KS"]))
    assert [cost.points for cost in costs] == [3, 0, 0, 0, 0]


def test_a_renege_that_is_cheaper_than_a_lone_march() -> None:
    # After the ace of hearts East cannot revoke any more; on the ace of clubs it can, for 2.
    rest = {"renege": "penalised", "renege_points_vs_loner": 2}
    table = ending("H", 0, 0, (3, 0), "AH AC", "9C 9D", "", "9S TS", **rest)
    found = solve(table.s, table.r)
    assert by_text(found.points) == {"AH": 4, "AC": 2}
    assert by_text(found.tricks) == {"AH": 5, "AC": 5}
    table.do("AC")
    found = solve(table.s, table.r)
    assert by_text(found.points) == {"9C": -4, "9D": -2}
    assert by_text(found.tricks) == {"9C": 5}


# ---- symmetry ------------------------------------------------------------------------------------


def in_absolute(p: Position, values: dict[int, int]) -> dict[int, int]:
    return {int(TO_ABSOLUTE[p.s.frame, a]): v for a, v in values.items()}


def some_positions(seed: int, count: int) -> list[Position]:
    """Positions of every phase that has a value, under rule sets with symmetric suits."""
    rng, found = random.Random(seed), list[Position]()
    while len(found) < count:
        positions = list(random_positions(rng, set(DECISION_PHASES[1:])))
        found += rng.sample(positions, min(3, len(positions)))
    return found[:count]


def test_suits_may_change_places() -> None:
    positions = some_positions(8, 60)
    for suits in symmetry.SUIT_SYMMETRIES[1:]:
        moved = [Position(symmetry.move_state(p.s, suits), p.ruleset) for p in positions]
        for objective in OBJECTIVES:
            pairs = zip(positions, moved, solved(positions, objective), solved(moved, objective))
            for p, q, here, there in pairs:
                expected = in_absolute(p, here).items()
                assert in_absolute(q, there) == {
                    symmetry.move_action(a, suits): v for a, v in expected
                }


def test_seats_may_change_places() -> None:
    positions = some_positions(9, 60)
    for steps in (1, 2, 3):
        moved = [Position(symmetry.rotate_state(p.s, steps), p.ruleset) for p in positions]
        for objective in OBJECTIVES:
            assert solved(positions, objective) == solved(moved, objective)


# ---- many at a time ------------------------------------------------------------------------------


def test_threads_and_order_do_not_matter() -> None:
    positions = some_positions(10, 90)
    for objective in OBJECTIVES:
        once = solved(positions, objective)
        assert solved(positions, objective, threads=3) == once
        assert solved(positions[::-1], objective, threads=2) == once[::-1]
        assert solved(positions[:1], objective, threads=5) == once[:1]


def test_solve_and_solve_many_agree() -> None:
    positions = [p for p in some_positions(11, 90) if int(rules.legal(p.s, p.r)) != 1 << rules.PASS]
    tricks, points = solved(positions, "tricks"), solved(positions, "points")
    for p, by_tricks, by_points in zip(positions, tricks, points):
        found = solve(p.s, p.r)
        assert solve(p.s, p.ruleset.record()) == found
        assert found.tricks == in_absolute(p, by_tricks)
        sign = 1 if p.s.maker < 0 or (p.s.turn - p.s.maker) % 2 == 0 else -1
        assert found.points == {a: sign * v for a, v in in_absolute(p, by_points).items()}
        best = max(found.points.values())
        assert found.best == tuple(sorted(a for a, v in found.points.items() if v == best))


def test_no_positions() -> None:
    assert solve_many(rules.new_states(0), Ruleset().record()).shape == (0, 38)


# ---- analyse_play --------------------------------------------------------------------------------


def play_on(p: Position, rng: random.Random, best: bool) -> tuple[list[int], Any]:
    """Absolute acts to the end of the hand, at random or best cards only, and the last record."""
    s, acts = copy(p.s), []
    while s.phase != rules.OVER:
        if best:
            choices = list(solve(s, p.r).best)
        else:
            legal = int(rules.legal(s, p.r))
            choices = [int(TO_ABSOLUTE[s.frame, a]) for a in range(38) if legal >> a & 1]
        acts.append(rng.choice(choices))
        rules.apply(s, p.r, int(FROM_ABSOLUTE[s.frame, acts[-1]]))
    return acts, s


def net_points(s: Any) -> int:
    return int(s.points[s.maker % 2] - s.points[1 - s.maker % 2])


@pytest.mark.parametrize("best", [True, False])
def test_costs_account_for_the_result(best: bool) -> None:
    rng = random.Random(12)
    for p in opening_leads(rng, 25):
        acts, end = play_on(p, rng, best)
        costs = analyse_play(p.s, p.r, acts)
        assert [c.card for c in costs] == acts
        assert all((c.points >= 0 and c.tricks >= 0) for c in costs)
        assert all(bool(c.better) == (c.points > 0) and c.card not in c.better for c in costs)
        if best:
            assert not any(c.points for c in costs)
        given = sum(c.points if (c.seat - p.s.maker) % 2 else -c.points for c in costs)
        assert minimax.value(p.s, p.r, True) + given == net_points(end)


def test_costs_from_the_bidding_on() -> None:
    table = Table(upcard="JH", dealer=3, hands={0: "AH KH QH TH 9H"}, kitty="9C TC JC")
    words = ["order_up", "with_partner", "TS"]
    before = copy(table.s)
    table.do(*words)
    acts, _ = play_on(Position(table.s, table.ruleset), random.Random(1), best=True)
    costs = analyse_play(before, table.r, [*map(action_id, words), *acts])
    assert len(costs) == 20
    assert [(c.trick, c.points) for c in costs] == [(1 + i // 4, 0) for i in range(20)]


def test_an_illegal_act_is_named() -> None:
    table = ending("H", 0, 0, (3, 0), "JH AC", "9S TS", "9D TD", "JD QS")
    for words, message in [
        (["JH", "TD"], "TD is not legal for seat 1"),
        (["JH", "9S", "9D", "QS"], "QS is not legal for seat 3"),
        (["JH", "9S", "9D", "JD", "AC", "TS", "TD", "QS", "9C"], "9C is not legal"),
        (["pass"], "pass is not legal for seat 0"),
    ]:
        with pytest.raises(ActionError, match=message):
            analyse_play(table.s, table.r, map(action_id, words))


# ---- bad input -----------------------------------------------------------------------------------


def middle_of_play() -> Table:
    table = random_table(random.Random(13), stick_the_dealer=True)
    table.do("order_up", "with_partner")
    while table.s.trick < 2 or table.s.count < 2:
        table.do(sorted(table.legal)[0])
    return table


def test_an_unknown_objective() -> None:
    table = middle_of_play()
    states = rules.new_states(1)
    states[0] = table.s
    with pytest.raises(ValueError, match="objective='trick' is unknown: use 'points' or 'tricks'"):
        solve_many(states, table.ruleset.record(), objective="trick")


def test_a_record_with_hidden_cards() -> None:
    table = middle_of_play()
    for viewer in range(4):
        with pytest.raises(ValueError, match="not one cleared by hide"):
            solve(hidden_from(table.s, table.ruleset, viewer), table.r)
    fresh = random_table(random.Random(14), stick_the_dealer=True)
    with pytest.raises(ValueError, match="not one cleared by hide"):
        best_call(hidden_from(fresh.s, fresh.ruleset, fresh.turn), fresh.r)


def test_hands_that_do_not_fit() -> None:
    table = middle_of_play()
    for seat in range(4):
        short = copy(table.s)
        short.hand[seat] &= short.hand[seat] - 1
        with pytest.raises(ValueError, match="position 0 is impossible: the hands"):
            solve(short, table.r)
    for seat in range(1, 4):
        twice = copy(table.s)
        twice.hand[seat] = (twice.hand[seat] & (twice.hand[seat] - 1)) | twice.played[0]
        with pytest.raises(ValueError, match="impossible: a card is held or was played twice"):
            solve(twice, table.r)


def test_the_position_at_fault_is_named() -> None:
    table = middle_of_play()
    states = rules.new_states(3)
    states[:] = table.s
    states[2].hand[0] = 0
    with pytest.raises(ValueError, match="position 2 is impossible"):
        solve_many(states, table.ruleset.record())


def test_a_hand_that_is_over() -> None:
    table = middle_of_play().finish()
    with pytest.raises(ValueError, match="no double-dummy value: its phase is 'over'"):
        solve(table.s, table.r)
    with pytest.raises(ValueError, match="bidding phase, not 'over'"):
        best_call(table.s, table.r)


def test_a_weak_hand_poll() -> None:
    rest = {"weak_hand": "throw_in", "weak_hand_test": "three_low"}
    table = Table(hands={1: "9C TC 9D TD AC"}, **rest)
    assert table.phase == "weak_hand"
    with pytest.raises(ValueError, match="its phase is 'weak_hand'"):
        solve(table.s, table.r)


def test_nothing_but_a_pass() -> None:
    table = Table(hands={1: "9C TC 9D TD AC"}, upcard="KH", require_natural_trump="always")
    assert table.legal == {"pass"}
    with pytest.raises(ValueError, match="can only pass"):
        solve(table.s, table.r)
    assert best_call(table.s, table.r) == []


# ---- other processes -----------------------------------------------------------------------------


def outcomes(count: int) -> list[Any]:
    """What the solver says of a few late positions and calls, for another process to compare."""
    rng = random.Random(15)
    late = late_positions(rng, count)
    last = [p for p in late if p.s.trick == 4][:2]
    found: list[Any] = [solved(late, objective) for objective in OBJECTIVES]
    found.append([(s.tricks, s.points, s.best) for s in (solve(p.s, p.r) for p in last)])
    return found


def calls_and_costs() -> list[Any]:
    rng = random.Random(16)
    table = random_table(rng, stick_the_dealer=True)
    costs = [analyse_play(p.s, p.r, play_on(p, rng, False)[0]) for p in opening_leads(rng, 1)]
    return [repr(best_call(table.s, table.r)), repr(costs)]


def in_another_process(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"from tests.test_solver import *; {code}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Warning" not in done.stderr
    return done.stdout


def test_plain_python_agrees() -> None:
    code = "print(outcomes(40))"
    assert in_another_process(code, NUMBA_DISABLE_JIT="1").strip() == str(outcomes(40))


@pytest.mark.slow
def test_stored_code_links_in_a_new_process(tmp_path: Path) -> None:
    # Numba aborts when it reloads recursive functions whose types were not stated; see _jit.
    expected = [*outcomes(40), *calls_and_costs()]
    code = "print([*outcomes(40), *calls_and_costs()])"
    swapped = "print([*calls_and_costs(), *outcomes(40)])"
    for each in (code, code, swapped, swapped):
        shown = in_another_process(each, EUCHRE_ENV_CACHE=str(tmp_path))
        wanted = expected if each == code else [*expected[3:], *expected[:3]]
        assert shown.strip() == str(wanted)
