"""Thousands of random hands under random rule sets: invariants, and a second implementation.

The invariants are counted from the record alone; the second implementation is ``reference.py``.
"""

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from euchre_env import cards, rules
from euchre_env.ruleset import PRESETS, Ruleset
from euchre_env.testing import random_ruleset
from tests import reference
from tests.table import DECISION_PHASES, Table, fields, lively_choice, random_deck

BLOCKS = range(8)


def random_tables(seed: int, count: int, hands: int = 3):
    """Fresh deals: `hands` of them under each of `count` random rule sets."""
    rng = random.Random(seed)
    for _ in range(count):
        ruleset = random_ruleset(rng, decks=rng.random() < 0.3)
        redraw = ruleset.joker_upcard == "redraw"
        for _ in range(hands):
            deck = random_deck(rng, ruleset.joker, redraw, ruleset.lowest_rank)
            dealer = rng.randrange(4)
            yield Table.dealt(ruleset, deck, dealer), deck, dealer, rng


# --- a second implementation -------------------------------------------------------------------


@pytest.mark.parametrize("block", BLOCKS)
def test_equal_to_the_reference(block: int) -> None:
    for table, deck, dealer, rng in random_tables(block, 100):
        compare(table, list(deck), dealer, rng)


@pytest.mark.parametrize("preset", PRESETS)
def test_equal_to_the_reference_in_each_preset(preset: str) -> None:
    rng = random.Random(preset)
    ruleset = Ruleset.preset(preset)
    for _ in range(60):
        deck, dealer = random_deck(rng, ruleset.joker), rng.randrange(4)
        compare(Table.dealt(ruleset, deck, dealer), list(deck), dealer, rng)


def compare(table: Table, deck: list[str], dealer: int, rng: random.Random) -> None:
    history: list[str] = []
    asking = reference.play(table.ruleset, list(deck), dealer)
    ask = next(asking)
    while True:
        found = (table.phase, table.turn, table.legal)
        assert found == ask, (table.ruleset, dealer, deck, history)
        word = lively_choice(rng, ask[2])
        history.append(word)
        table.do(word)
        try:
            ask = asking.send(word)
        except StopIteration as end:
            assert outcome(table) == expected(end.value), (table.ruleset, dealer, deck, history)
            return


def outcome(t: Table) -> dict:
    return {
        "phase": t.phase,
        "points": list(t.points),
        "tricks": t.tricks,
        "leaders": [x for x in t.s.leader.tolist() if x >= 0],
        "out": t.out,
        "thrown_in": bool(t.s.thrown_in),
        "next_dealer": int(t.s.next_dealer),
        "trump": "" if t.s.trump < 0 else ["C", "D", "H", "S", "NT"][t.s.trump],
        "maker": int(t.s.maker),
        "loner": int(t.s.loner),
        "lone_defender": int(t.s.lone_defender),
        "score": list(t.score),
        "tokens": t.s.tokens.tolist(),
    }


def expected(d: reference.Deal) -> dict:
    return {
        "phase": "over",
        "points": d.points,
        "tricks": d.tricks,
        "leaders": d.leaders,
        "out": d.out,
        "thrown_in": d.thrown_in,
        "next_dealer": d.next_dealer,
        "trump": d.trump,
        "maker": d.maker,
        "loner": d.loner,
        "lone_defender": d.lone_defender,
        "score": d.points,
        "tokens": d.tokens,
    }


def test_the_random_hands_reach_every_corner() -> None:
    """The blocks above are only worth something if every phase and action occurs in them."""
    phases: Counter = Counter()
    words: Counter = Counter()
    for table, _, _, rng in random_tables(0, 600):
        while table.phase != "over":
            phases[table.phase] += 1
            word = lively_choice(rng, table.legal)
            words[word if len(word) > 2 else "card"] += 1
            table.do(word)
        words["renege"] += table.s.offender >= 0
        words["thrown in"] += int(table.s.thrown_in)
    assert set(phases) == set(DECISION_PHASES)
    assert min(phases.values()) >= 5, phases
    calls = {"call_C", "call_D", "call_H", "call_S", "call_NT"}
    polls = {"alone", "with_partner", "defend_alone", "defend_together", "claim", "keep"}
    assert calls | polls | {"pass", "order_up", "renege", "thrown in"} <= set(words)


# --- invariants --------------------------------------------------------------------------------


def bits(mask: int) -> int:
    return bin(int(mask)).count("1")


def places_of_cards(s) -> list[int]:
    """All places a card may be in, each once; the upcard is on the kitty until it is taken."""
    on_kitty = [int(s.upcard)] if s.taker < 0 else []
    masks = [*s.hand.tolist(), *s.played.tolist(), int(s.kitty), int(s.spare), int(s.discard)]
    assert s.dummy == 0  # it is for other games
    assert s.passed == 0 or s.passed & (s.hand[s.loner] | s.played[s.loner] | s.buried)
    return [*masks, *on_kitty, int(s.buried)]


def check_record(t: Table) -> None:
    s = t.s
    masks = places_of_cards(s)
    size = 24 + t.ruleset.joker + 4 * (9 - t.ruleset.lowest_rank)
    assert sum(bits(m) for m in masks) == size
    union = 0
    for mask in masks:
        assert union & mask == 0
        union |= mask
    assert bits(union) == size
    assert t.ruleset.is_wide or (union >> 24 & 1) == t.ruleset.joker
    assert bits(s.kitty) == size - 21 - t.ruleset.joker
    assert bits(s.spare) == t.ruleset.joker
    for seat in range(4):
        assert s.hand[seat] & s.void[seat] == 0
        assert bits(s.played[seat]) == sum(1 for k in range(5) if s.plays[k, seat] >= 0)
    if s.trump >= 0:
        assert s.frame == s.trump + 5 * t.ruleset.is_wide


def check_decision(t: Table) -> None:
    s, legal = t.s, t.legal
    assert legal
    assert t.turn in range(4)
    assert t.turn not in t.out
    cards_only = all(len(word) == 2 or word == "JOKER" for word in legal)
    assert cards_only == (t.phase in ("discard", "play", "pass_card", "lay_away"))
    if cards_only:
        assert legal <= t.hand(t.turn)
    held = [bits(m) for m in s.hand.tolist()]
    six = t.phase in ("discard", "lay_away")
    extra = [6 if six and seat == t.turn else 5 for seat in range(4)]
    if s.passed:
        extra[s.passer] = 4
    assert held == [extra[seat] - bits(s.played[seat]) for seat in range(4)]
    if t.phase not in ("weak_hand", "name_trump", "bid1", "bid2"):
        assert s.maker >= 0 and s.trump >= 0
    else:
        assert s.maker < 0 and s.trump < 0
    if t.phase == "play":
        assert bits(sum(1 << seat for seat in t.out)) == 4 - rules.trick_size(s)


def check_step(before: dict, t: Table) -> None:
    """What one step may change, from the record before it."""
    s = t.s
    for seat in range(4):
        assert before["played"][seat] & ~int(s.played[seat]) == 0 or before["frame"] != s.frame
    assert sum(s.tricks.tolist()) in (sum(before["tricks"]), sum(before["tricks"]) + 1)
    if before["phase"] == rules.PLAY and s.phase == rules.PLAY:
        if s.trick == before["trick"]:
            between = [(before["turn"] + k) % 4 for k in range(1, 4)]
            assert t.turn == next(seat for seat in between if seat not in t.out)
        else:
            assert t.turn == s.winner == s.leader[s.trick]


def check_end(t: Table) -> None:
    s, r = t.s, t.ruleset
    points = t.points
    assert t.turn == -1 and t.legal == set()
    assert s.next_dealer in (s.dealer, (s.dealer + 1) % 4)
    assert 0 in points
    assert list(t.score) == list(points)
    assert rules.reward(s, 0) == -rules.reward(s, 1) == rules.reward(s, 2) == points[0] - points[1]
    if s.thrown_in:
        assert points == (0, 0) and s.hands == 0 and not any(s.played.tolist())
        return
    assert s.hands == 1
    if s.offender >= 0:
        assert r.renege == "penalised"
        assert set(map(abs, points)) <= {0, r.renege_points, r.renege_points_vs_loner}
        assert min(points) >= 0 or r.renege_mode == "deduct"
        return
    assert sum(s.tricks.tolist()) == 5
    size = 4 - len(t.out)
    for seat in range(4):
        assert bits(s.played[seat]) == (0 if seat in t.out else 5)
        passed_one = s.passed != 0 and seat == s.passer
        assert bits(s.hand[seat]) == (5 - passed_one if seat in t.out else 0)
    assert (s.plays >= 0).sum() == 5 * size
    check_points(t)
    check_leaders(t)


def check_points(t: Table) -> None:
    r, s = t.ruleset, t.s
    makers, defenders = t.points[s.maker % 2], t.points[1 - s.maker % 2]
    if s.tricks[s.maker % 2] >= 3:
        made = {r.points_make, r.points_march, r.points_loner_march, r.points_loner_four}
        if r.fast_break:
            made.add(0)
        assert makers in made and defenders == 0
    else:
        euchres = {r.points_euchre, r.points_loner_euchred, r.points_super_euchre}
        assert defenders in euchres | set(r.defend_alone_points) and makers == 0


def check_leaders(t: Table) -> None:
    """Each trick is led by the winner of the one before, who is found here from texts."""
    s, trump = t.s, ["C", "D", "H", "S", "NT"][t.s.trump]
    leaders, winners = s.leader.tolist(), []
    for k in range(5):
        order = [(leaders[k] + i) % 4 for i in range(4)]
        played = [(seat, int(s.plays[k, seat])) for seat in order if s.plays[k, seat] >= 0]
        texts = [(seat, cards.card_text(int(cards.CARD_AT[s.frame, b]))) for seat, b in played]
        winners.append(reference.winner_of(texts, trump))
    assert leaders[1:] == winners[:-1]
    assert t.tricks == [sum(w % 2 == side for w in winners) for side in range(2)]
    assert s.winner == winners[-1]
    assert all(seat not in t.out for seat in leaders)


@pytest.mark.parametrize("block", BLOCKS)
def test_invariants(block: int) -> None:
    for table, _, _, rng in random_tables(100 + block, 60):
        check_record(table)
        while table.phase != "over":
            check_decision(table)
            before = fields(table.s)
            table.do(lively_choice(rng, table.legal))
            check_record(table)
            check_step(before, table)
        check_end(table)


# --- games -------------------------------------------------------------------------------------


def play_match(ruleset: Ruleset, rng: random.Random, most: int = 400) -> list[dict]:
    """The outcome of each hand of a match, played on with random decks."""
    r = ruleset.record()[0]
    t = Table.dealt(ruleset, random_deck(rng, ruleset.joker), rng.randrange(4))
    log = []
    while len(log) < most:
        t.finish(rng)
        log.append(fields(t.s))
        if t.s.match_winner != -2:
            break
        deck = random_deck(rng, ruleset.joker, ruleset.joker_upcard == "redraw")
        rules.next_hand(t.s, r, cards.deck_of(deck, joker=ruleset.joker))
    return log


def check_match(r: Ruleset, log: list[dict]) -> None:
    """Retell the match from the points of its hands alone."""
    score, games, hands = [0, 0], [0, 0, 0], 0
    for before, now in pairwise([{"next_dealer": log[0]["dealer"]}, *log]):
        assert now["dealer"] == before["next_dealer"]
        score = [a + b for a, b in zip(score, now["points"][:2])]
        hands += not now["thrown_in"]
        assert now["score"] == [*score, 0, 0] and now["hands"] == hands
        over = (
            hands == r.hands_per_game
            if r.hands_per_game is not None
            else max(score) >= (r.target_score or 0)
        )
        if not over:
            assert now["game_winner"] == -2 and now["match_winner"] == -2
            continue
        winner = -1 if score[0] == score[1] else int(score[1] > score[0])
        assert now["game_winner"] == winner
        games[winner] += 1
        assert (now["games"], now["drawn"]) == ([*games[:2], 0, 0], games[2])
        most = max(games[:2])
        decided = most > r.match_games // 2 or sum(games) == r.match_games
        ahead = -1 if games[0] == games[1] else int(games[1] > games[0])
        assert now["match_winner"] == (ahead if decided else -2)
        target = r.target_score or 0
        score, hands = [0, 0], 0
        if r.match_carry_over:
            score[winner] = min(now["score"][winner] - target, target - 1)


@pytest.mark.parametrize("block", range(4))
def test_games_and_matches(block: int) -> None:
    rng = random.Random(f"match {block}")
    ended = 0
    for _ in range(15):
        ruleset = random_ruleset(rng)
        target = None if ruleset.hands_per_game else rng.choice((1, 3, 7))
        games = rng.choice((1, 3, 5))
        carry = bool(target and games > 1 and rng.random() < 0.5)
        ruleset = ruleset.replace(match_games=games, match_carry_over=carry, target_score=target)
        log = play_match(ruleset, rng)
        check_match(ruleset, log)
        ended += log[-1]["match_winner"] != -2
    assert ended > 10


def test_points_carried_over() -> None:
    rng = random.Random(3)
    for _ in range(20):
        check = Ruleset(match_games=5, match_carry_over=True, target_score=4 + rng.randrange(8))
        check_match(check, play_match(check, rng))


def test_dealers_are_drawn_for_each_seat() -> None:
    assert np.bincount([t.s.dealer for t, *_ in random_tables(9, 40)], minlength=4).min() > 10
