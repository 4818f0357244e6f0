"""Worlds: exact counts and exact uniformity against enumeration, replay, and weights."""

import itertools
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import factorial, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from euchre_env import belief, cards, rules
from euchre_env._jit import njit
from euchre_env.belief import BeliefError
from euchre_env.kernels import seed_of
from euchre_env.ruleset import WEAK_THROW_IN, Ruleset
from euchre_env.testing import permute_hidden, random_ruleset
from tests.table import Table, copy, fields, hidden_from, random_deck, random_walk

DECK = np.zeros(32, np.int8)
LARGE = {"lowest_rank": 8, "joker": False, "weak_hand": "off", "call_for_best": "off"}
LARGEST = LARGE | {"lowest_rank": 7}
HIDDEN_SWAP = {"weak_hand": "swap3", "weak_hand_test": "three_low", "swap3_shown": False}
BEST = {"call_for_best": "always", "allow_alone": True, "canadian_loner": True}
NATURAL_CALLS = {"require_natural_trump": "always", "stick_the_dealer": True}

PARTNER_ALONE = ("left_in_kitty", "dealer_discards", "loner_takes")
LATE_TEAM = {"alone_timing": "before_lead", "alone_by": "maker_team", "canadian_loner": False}

Place = tuple[str, int]


def positions(seed: int, hands: int, **options: Any) -> Iterator[tuple[Table, random.Random]]:
    """Every decision, and the end, of random hands under random rule sets."""
    rng = random.Random(seed)
    for _ in range(hands):
        ruleset = random_ruleset(rng).replace(**options)
        redraw = ruleset.joker_upcard == "redraw"
        deck = random_deck(rng, ruleset.joker, redraw, ruleset.lowest_rank)
        table = Table.dealt(ruleset, deck, rng.randrange(4))
        while table.phase != "over":
            yield table, rng
            rules.apply(table.s, table.r, some_act(table.s, table.r, rng))
        yield table, rng


def some_act(s: Any, r: Any, rng: random.Random) -> int:
    """A random act; passes are common, reneges and thrown-in weak hands rare."""
    legal = int(rules.legal(s, r))
    if legal >> rules.PASS & 1 and rng.random() < 0.6:
        return rules.PASS
    if legal >> rules.CLAIM & 1 and r.weak_hand == WEAK_THROW_IN and rng.random() < 0.8:
        return rules.KEEP
    if s.phase == rules.PLAY and s.count and rng.random() < 0.95:
        cards = rules.cards_laid(np.int64(legal), s.frame)
        legal = int(rules.card_actions(rules.follows(cards, int(s.led)), s.frame))
    return rng.choice([action for action in range(46) if legal >> action & 1])


def one_hand(seed: int, ruleset: Ruleset, *words: str) -> Table:
    """A shuffled deal of dealer 0 and some acts; `low` and `high` play a legal card."""
    table = Table.dealt(ruleset, random_deck(random.Random(seed), ruleset.joker), 0)
    for word in words:
        plays = sorted(table.legal)
        table.do({"low": plays[0], "high": plays[-1]}.get(word, word))
    return table


@njit
def replay(world, r, deck, past):
    """Carry out the acts of a world's hand in `past`; whether all of them are legal."""
    belief.restart(world, r, deck, past)
    while True:
        action = belief.act_taken(world, past)
        if action < 0:
            return True
        if (rules.legal(past, r) >> action) & 1 == 0:
            return False
        rules.apply(past, r, action)


def acts_like(world: Any, r: Any) -> Any:
    """The record that the hand of a world leads to, or None when one of its acts was illegal."""
    past = rules.new_states(1)[0]
    return past if replay(world, r, DECK, past) else None


def could_have_swapped(world: Any, r: Any) -> bool:
    """Whether a claim, carried out by the rules, leads to the swapper's hand and this kitty."""
    start = rules.new_states(1)[0]
    belief.restart(world, r, DECK, start)
    hand, kitty, seat = int(start.hand[start.swapper]), int(start.kitty), int(start.swapper)
    for pair in itertools.combinations(bits(hand), 2):
        before = copy(start)
        kept = sum(1 << bit for bit in pair)
        before.hand[seat], before.kitty = kept | kitty, hand & ~kept
        before.phase, before.turn = rules.WEAK_HAND, seat
        weak = rules.weak_hand_qualifies(r.weak_hand_test, before.hand[seat], before.frame)
        rules.apply(before, r, rules.CLAIM)
        if weak and (int(before.hand[seat]), int(before.kitty)) == (hand, kitty):
            return True
    return False


def cleared(s: Any, r: Any, viewer: int) -> bytes:
    """What a seat sees of a record, as bytes."""
    seen = copy(s)
    rules.hide(seen, r, viewer)
    return seen.tobytes()


def agrees(world: Any, table: Table, viewer: int) -> bool:
    """Whether a full record is a world, by the engine alone: same sight, and a legal history."""
    if cleared(world, table.r, viewer) != cleared(table.s, table.r, viewer):
        return False
    replayed = acts_like(world, table.r)
    if replayed is None or replayed.tobytes() != world.tobytes():
        return False
    return world.swapper in (-1, viewer) or could_have_swapped(world, table.r)


def bits(mask: int) -> list[int]:
    return [bit for bit in range(32) if int(mask) >> bit & 1]


def key(world: Any) -> tuple[int, ...]:
    """What tells two worlds of one information set apart."""
    down = [int(world.kitty), int(world.spare), int(world.discard), int(world.swapped)]
    return (*world.hand.tolist(), *down, int(world.buried), int(world.passed))


# --- counting against a count and an enumeration of their own -------------------------------------


def hidden_places(s: Any, r: Any, viewer: int) -> dict[Place, int]:
    """The cards that a viewer cannot see, by place, read off the true record."""
    blind = s.phase == rules.NAME_TRUMP and r.joker_upcard == 0 and viewer == s.dealer
    places: dict[Place, int] = {
        ("hand", k): int(s.hand[k]) for k in range(4) if k != viewer or blind
    }
    if s.swapper < 0 or (s.swapper != viewer and not r.swap3_shown):
        places["kitty", 0] = int(s.kitty)
    places["spare", 0] = int(s.spare)
    if s.taker not in (-1, viewer):
        places["discard", 0] = int(s.discard)
        if s.place == rules.TAKEN:
            places["hand", int(s.taker)] &= ~int(s.upcard)
    if s.passer >= 0 and s.loner != viewer:
        places["buried", 0] = int(s.buried)
    return places


def lone_cards(s: Any) -> int:
    """The six cards of a lone hand that was passed one."""
    return int(s.hand[s.loner]) | int(s.played[s.loner]) | int(s.buried)


def may_lie(s: Any, r: Any, viewer: int, place: Place, bit: int) -> bool:
    """Whether anything seen speaks against a card at a place."""
    name, seat = place
    if name == "hand" and int(s.void[seat]) >> bit & 1:
        return False
    low = cards.card_text(int(cards.CARD_AT[s.frame, bit]))[0] in "9T"
    if name == "kitty" and s.swapper >= 0 and not low:
        return False
    restricted = s.place == rules.TAKEN_OR_BURIED and s.taker != viewer
    of_loner = s.passed != 0 and place in (("hand", int(s.loner)), ("buried", 0))
    if viewer == s.passer and int(s.passed) >> bit & 1:
        return of_loner
    if restricted and int(s.upcard) >> bit & 1:
        if name == "discard":
            return bool(r.dealer_may_discard_upcard)
        return place == ("hand", int(s.taker)) or (of_loner and s.taker in (s.loner, s.passer))
    return True


def count_by_cards(s: Any, r: Any, viewer: int) -> int:
    """The number of worlds, card by card, with what each place still takes as the state."""
    places = hidden_places(s, r, viewer)
    names = list(places)
    unseen = [bit for cards_there in places.values() for bit in bits(cards_there)]

    @cache
    def ways(k: int, room: tuple[int, ...]) -> int:
        if k == len(unseen):
            return 1
        return sum(
            ways(k + 1, (*room[:p], room[p] - 1, *room[p + 1 :]))
            for p, place in enumerate(names)
            if room[p] and may_lie(s, r, viewer, place, unseen[k])
        )

    from_partner = 6 if s.passed != 0 and viewer not in (s.loner, s.passer) else 1
    return from_partner * ways(0, tuple(len(bits(places[n])) for n in names))


@pytest.mark.parametrize(
    ("hands", "options"),
    [
        (15, {}),
        (5, {"weak_hand": "off", "joker": True, "no_trump": "off"}),
        (5, {"renege": "penalised"}),
        (15, HIDDEN_SWAP),
        (5, {"dealer_may_discard_upcard": False}),
        (8, LARGE),
        (8, LARGEST),
        (15, BEST),
        (15, BEST | {"partner_alone_upcard": "dealer_discards"}),
        (5, BEST | {"partner_alone_upcard": "loner_takes", "dealer_may_discard_upcard": False}),
        (15, BEST | HIDDEN_SWAP | {"joker": True, "no_trump": "off"}),
    ],
)
def test_the_number_of_worlds(hands: int, options: dict[str, Any]) -> None:
    seen: Counter = Counter()
    for table, rng in positions(5, hands, **options):
        viewer = rng.randrange(4)
        if rng.random() < (0.5 if table.phase == "play" else 0.1):
            count = belief.count_worlds(table.s, table.ruleset, viewer)
            assert count == count_by_cards(table.s, table.r, viewer), (table.ruleset, viewer)
            seen["voids"] += int(np.count_nonzero(np.delete(table.s.void, viewer)))
            seen["swaps"] += table.s.swapper not in (-1, viewer)
            seen["passed"] += table.s.passed != 0
    assert seen["passed"] > 5 or options.get("call_for_best", "off") == "off"
    assert seen["voids"] > 20
    assert seen["swaps"] > 10 or "swap3_shown" not in options


def deals(places: dict[Place, int]) -> Iterator[dict[Place, int]]:
    """Every way to share the cards of some places out among them."""

    def share(names: list[Place], pool: frozenset[int]) -> Iterator[dict[Place, int]]:
        if not names:
            yield {}
            return
        for chosen in itertools.combinations(sorted(pool), len(bits(places[names[0]]))):
            here = {names[0]: sum(1 << bit for bit in chosen)}
            for rest in share(names[1:], pool - set(chosen)):
                yield here | rest

    return share(list(places), frozenset(b for mask in places.values() for b in bits(mask)))


def enumerated(table: Table, viewer: int) -> set[tuple[int, ...]]:
    """All worlds, found by trying every deal of the unseen cards on the engine."""
    found = set()
    places = hidden_places(table.s, table.r, viewer)
    for deal in deals(places):
        world = copy(table.s)
        world.rng = 0
        for (name, seat), mask in deal.items():
            if name == "hand":
                sure = int(table.s.hand[seat]) & ~places[name, seat]
                world.hand[seat] = mask | sure
            else:
                world[name] = mask
        if world.swapper >= 0 and ("kitty", 0) in deal:
            world.swapped = world.kitty
        known = world.passed == 0 or viewer in (world.loner, world.passer)
        for bit in bits(world.passed if known else lone_cards(world)) or [0]:
            world.passed = 1 << bit if table.s.passed else 0
            if agrees(world, table, viewer):
                found.add(key(world))
    return found


@pytest.mark.parametrize(
    ("sets", "options"),
    [
        (8, {}),
        (6, {"joker": True, "no_trump": "off"}),
        (6, NATURAL_CALLS),
        (6, HIDDEN_SWAP),
        (4, HIDDEN_SWAP | {"swap3_shown": True, "weak_hand_test": "four_low"}),
        (6, {"renege": "penalised"}),
        (4, {"dealer_may_discard_upcard": False}),
        (4, LARGE),
        (3, LARGEST),
        *((6, BEST | {"partner_alone_upcard": how}) for how in PARTNER_ALONE),
        (6, BEST | LATE_TEAM),
        (4, BEST | LATE_TEAM | {"dealer_may_discard_upcard": False}),
        (4, BEST | HIDDEN_SWAP),
    ],
)
def test_all_late_worlds_equal_an_enumeration_by_the_engine(
    sets: int, options: dict[str, Any]
) -> None:
    tried = 0
    for table, rng in positions(11, 12 * sets, **options):
        viewer = rng.randrange(4)
        if tried == sets or rng.random() < 0.6 or table.s.trick < 3:
            continue
        if options.get("call_for_best", "off") != "off" and table.s.passed == 0:
            continue
        if 1 < belief.count_worlds(table.s, table.ruleset, viewer) <= 900:
            listed = [key(w) for w in belief.every_world(table.s, table.ruleset, viewer)]
            assert len(set(listed)) == len(listed)
            assert set(listed) == enumerated(table, viewer), (table.ruleset, viewer)
            tried += 1
    assert tried == sets


def test_an_offender_could_have_followed() -> None:
    found = 0
    for table, rng in positions(19, 240, renege="penalised"):
        offender = int(table.s.offender)
        if offender >= 0 and table.s.trick > 1:
            viewer = (offender + 1 + rng.randrange(3)) % 4
            for world in belief.worlds(table.s, table.ruleset, viewer, 50, 3):
                assert agrees(world, table, viewer)
            found += 1
    assert found > 3


# --- every world agrees ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hands", "options"),
    [
        (25, {}),
        (10, NATURAL_CALLS),
        (10, HIDDEN_SWAP),
        (10, {"joker": True, "no_trump": "off", "joker_upcard": "dealer_names_blind"}),
        (10, {"renege": "penalised", "defend_alone": "any"}),
        (10, LARGEST),
        *((8, BEST | {"partner_alone_upcard": how}) for how in PARTNER_ALONE),
        (8, BEST | LATE_TEAM | {"dealer_may_discard_upcard": False}),
        (8, BEST | NATURAL_CALLS | {"call_for_best": "offered"}),
        (8, {"four_trick_tokens": True, "fast_break": True}),
    ],
)
def test_sampled_worlds_agree_and_can_be_played(hands: int, options: dict[str, Any]) -> None:
    for table, rng in positions(3, hands, **options):
        viewer = rng.randrange(4)
        for world in belief.worlds(table.s, table.ruleset, viewer, 2, rng.getrandbits(63)):
            assert agrees(world, table, viewer), (table.ruleset, viewer)
            while (legal := int(rules.legal(world, table.r))) != 0:
                rules.apply(world, table.r, rng.choice([a for a in range(46) if legal >> a & 1]))
            assert world.phase == rules.OVER


def test_worlds_depend_on_nothing_hidden() -> None:
    for table, rng in positions(17, 12):
        for viewer in range(4):
            other = permute_hidden(table.s, table.r, viewer, rng)
            if other.offender >= 0 or table.s.phase == rules.WEAK_HAND:
                continue
            cleared = hidden_from(table.s, table.ruleset, viewer)
            drawn = [
                belief.worlds(s, table.ruleset, viewer, 3, 8).tobytes()
                for s in (table.s, other, cleared)
            ]
            assert drawn[0] == drawn[1] == drawn[2]


def test_a_blind_dealer_does_not_know_its_own_hand() -> None:
    ruleset = Ruleset(joker=True)
    deck = random_deck(random.Random(1), True)
    deck.remove("JOKER")
    deck.insert(20, "JOKER")
    table = Table.dealt(ruleset, deck, 2)
    drawn = belief.worlds(table.s, ruleset, 2, 20, 1)
    assert len({int(w.hand[2]) for w in drawn}) == 20
    assert belief.count_worlds(table.s, ruleset, 2) == factorial(24) // factorial(
        5
    ) ** 4 // factorial(3)
    assert {int(w.hand[1]) for w in belief.worlds(table.s, ruleset, 1, 20, 1)} == {
        int(table.s.hand[1])
    }


def test_a_caller_held_a_natural_trump() -> None:
    table = one_hand(4, Ruleset(require_natural_trump="always"), "pass", "pass")
    assert "order_up" in table.legal
    table.do("order_up", "with_partner")
    printed = int(cards.PRINTED_SUIT[table.s.frame, cards.TRUMP_SUIT])
    held = {int(w.hand[3]) & printed != 0 for w in belief.worlds(table.s, table.ruleset, 1, 500, 2)}
    assert held == {True}
    free = Ruleset()
    assert {int(w.hand[3]) & printed != 0 for w in belief.worlds(table.s, free, 1, 500, 2)} == {
        True,
        False,
    }


# --- uniformity --------------------------------------------------------------------------------


def chi_square_ok(counts: list[int]) -> bool:
    """Whether counts look uniform: the statistic within five deviations of its mean."""
    mean = sum(counts) / len(counts)
    statistic = sum((c - mean) ** 2 for c in counts) / mean
    return abs(statistic - (len(counts) - 1)) < 5 * sqrt(2 * (len(counts) - 1))


@pytest.mark.parametrize(
    "options", [{}, NATURAL_CALLS, HIDDEN_SWAP, {"renege": "penalised"}, LARGE, BEST]
)
def test_small_sets_are_sampled_uniformly(options: dict[str, Any]) -> None:
    tried = 0
    for table, rng in positions(23, 60, **options):
        viewer = rng.randrange(4)
        if tried == 6 or not 1 < belief.count_worlds(table.s, table.ruleset, viewer) <= 2000:
            continue
        every = Counter(key(w) for w in belief.every_world(table.s, table.ruleset, viewer))
        if len(every) < 2 or (options == HIDDEN_SWAP and table.s.swapper in (-1, viewer)):
            continue
        size = 20 * len(every)
        drawn = Counter(
            key(w) for w in belief.worlds(table.s, table.ruleset, viewer, size, 100 + tried)
        )
        assert set(drawn) <= set(every)
        assert chi_square_ok([drawn[k] for k in every])
        tried += 1
    assert tried == 6


def test_numbers_and_worlds_are_one_to_one() -> None:
    tried = 0
    for table, rng in positions(31, 40, weak_hand="off", require_natural_trump="off"):
        viewer = rng.randrange(4)
        count = belief.count_worlds(table.s, table.ruleset, viewer)
        if tried < 8 and 1000 < count < 8000:
            listed = belief.every_world(table.s, table.ruleset, viewer)
            assert len(listed) == count == len({key(w) for w in listed})
            tried += 1
    assert tried == 8


def test_marginals_after_an_order_are_exact() -> None:
    """Eighteen unseen cards: 15 are in hands, three under the pack, and one is laid away."""
    table = one_hand(7, Ruleset.stick(), "pass", "order_up", "with_partner", "low")
    size = 24000
    drawn = belief.worlds(table.s, table.ruleset, 1, size, 5)
    upcard = int(table.s.upcard)
    unknown = next(b for b in range(24) if not (int(table.s.hand[1]) | upcard) >> b & 1)
    buried = drawn["discard"] & upcard != 0
    # Buried: 18! / (5!^3 3!). In hand: 18! / (4! 5!^2 3! 1!), five times as many.
    near(np.mean(buried), 1 / 6, size)
    assert np.all((drawn["hand"][:, 0] & upcard != 0) == ~buried)
    near(np.mean(drawn["discard"] >> unknown & 1), 5 / 6 / 18, size)
    near(np.mean(drawn["kitty"] >> unknown & 1), 3 / 18, size)
    near(np.mean(drawn["hand"][:, 2] >> unknown & 1), 5 / 18, size)
    near(np.mean(drawn["hand"][:, 0] >> unknown & 1), (5 / 6 * 4 + 1 / 6 * 5) / 18, size)


def near(share: float, chance: float, size: int) -> None:
    assert abs(share - chance) < 4.5 * sqrt(chance * (1 - chance) / size), (share, chance)


def test_equal_seeds_give_equal_worlds() -> None:
    table = one_hand(9, Ruleset.stick(), "order_up", "with_partner", "low")
    few = belief.worlds(table.s, table.ruleset, 1, 5, 77)
    assert few.tobytes() == belief.worlds(table.s, table.ruleset, 1, 9, 77)[:5].tobytes()
    assert few.tobytes() != belief.worlds(table.s, table.ruleset, 1, 5, 78).tobytes()
    assert len(belief.worlds(table.s, table.ruleset, 1, 0, 1)) == 0


# --- row 12 of the list of known faults -----------------------------------------------------------


def test_row_12_after_an_order_up() -> None:
    """The upcard lies with the dealer or under the pack; kitty and discard are dealt anew."""
    table = one_hand(12, Ruleset(), "pass", "pass", "order_up", "with_partner", "low")
    drawn = belief.worlds(table.s, table.ruleset, 1, 400, 1)
    upcard = int(table.s.upcard)
    where = Counter(
        "dealer" if int(w.hand[0]) & upcard else "buried" if int(w.discard) & upcard else "else"
        for w in drawn
    )
    assert set(where) == {"dealer", "buried"}
    assert np.mean(drawn["kitty"] == table.s.kitty) < 0.05
    assert np.mean(drawn["discard"] == table.s.discard) < 0.25
    assert len({int(w.kitty) for w in drawn}) > 100
    assert len({int(w.discard) for w in drawn}) > 10


def test_row_12_after_a_turn_down_the_upcard_lies_nowhere() -> None:
    table = one_hand(12, Ruleset(), *["pass"] * 4)
    table.do(sorted(w for w in table.legal if w.startswith("call"))[0], "with_partner")
    for world in belief.worlds(table.s, table.ruleset, 1, 200, 1):
        places = [*world.hand.tolist(), int(world.kitty), int(world.discard)]
        assert not any(mask & int(table.s.upcard) for mask in places)
        assert sum(len(bits(mask)) for mask in places) == 23


def test_row_12_the_upcard_is_surely_with_a_dealer_who_may_not_bury_it() -> None:
    ruleset = Ruleset(dealer_may_discard_upcard=False)
    table = one_hand(12, ruleset, "pass", "pass", "order_up", "with_partner", "low")
    drawn = belief.worlds(table.s, ruleset, 1, 200, 1)
    assert np.all(drawn["hand"][:, 0] & int(table.s.upcard))


def test_row_12_shown_voids_are_kept_by_effective_suit() -> None:
    """Spades are trump: the club jack does not follow clubs, and no void in clubs forbids it."""
    table = Table(
        "9S",
        3,
        {
            0: "AC KC 9H TH QH",
            1: "JS TS 9D TD QD",
            2: "QC TC AH KH JH",
            3: "JC QS AD KD JD",
        },
        kitty="9C AS KS",
    )
    table.do("order_up", "with_partner", "JD", "AC", "9D", "TC")
    assert table.at == ("play", 3)
    clubs = int(table.s.void[1])
    assert table.texts(clubs) == {"9C", "TC", "QC", "KC", "AC"}
    drawn = belief.worlds(table.s, table.ruleset, 0, 2000, 1)
    assert not np.any(drawn["hand"][:, 1] & clubs)
    left_bower = cards.set_of([cards.card_id("JC")], table.s.frame)
    assert np.any(drawn["hand"][:, 1] & left_bower)
    # The discard and the kitty may hold what a void seat may not.
    assert np.any(drawn["discard"] & clubs)
    assert np.any(drawn["kitty"] & clubs)


def test_row_12_the_dealer_keeps_its_own_discard_out_of_all_hands() -> None:
    table = one_hand(12, Ruleset(), "order_up", "with_partner", "low", "low")
    discard = int(table.s.discard)
    for world in belief.worlds(table.s, table.ruleset, 0, 200, 1):
        assert world.discard == discard
        assert not any(mask & discard for mask in [*world.hand.tolist(), int(world.kitty)])
        assert world.hand[0] == table.s.hand[0]


# --- replay ------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", range(2))
def test_a_final_record_replays_the_whole_hand(block: int) -> None:
    """Bit for bit, but for the generator and for who claimed a weak hand that was thrown in."""
    rng = random.Random(block)
    for _ in range(60):
        ruleset = random_ruleset(rng)
        deck = random_deck(rng, ruleset.joker, ruleset.joker_upcard == "redraw")
        score = (rng.randrange(ruleset.target_score or 5), 0)
        table = Table.dealt(ruleset, deck, rng.randrange(4), score)
        walked = [copy(t.s) for t in random_walk(table, rng)]
        claimed = table.s.thrown_in and table.s.passes == 0
        if table.s.swapper >= 0:
            walked = [s for s in walked if s.phase != rules.WEAK_HAND]
        told = belief.history(table.s, ruleset)
        if not claimed:
            assert [fields(s) for s, _ in told] == [fields(s) for s in walked[:-1]], ruleset
        last = acts_like(table.s, table.r)
        assert last.tobytes() == table.s.tobytes()


def test_rewind_steps_through_the_hand() -> None:
    table = one_hand(3, Ruleset(), "pass", "order_up", "alone", "low", "high")
    out = rules.new_states(1)[0]
    steps = [int(belief.rewind(table.s, table.r, k, DECK, out)) for k in range(6)]
    assert steps[:3] == [rules.PASS, rules.ORDER_UP, rules.ALONE]
    assert steps == [action for _, action in belief.history(table.s, table.ruleset)] + [-1]
    assert out.tobytes() == table.s.tobytes()
    assert belief.rewind(table.s, table.r, 1, DECK, out) == rules.ORDER_UP
    assert (out.phase, out.turn, out.passes) == (rules.BID1, 2, 1)


def test_points_and_games_are_taken_back() -> None:
    table = one_hand(3, Ruleset(target_score=1, match_games=3), "order_up", "with_partner")
    table.finish(random.Random(1))
    assert sum(table.score) > 0 and sum(table.s.games.tolist()) == 1
    first = belief.history(table.s, table.ruleset)[0][0]
    assert not first.score.any() and not first.games.any() and first.drawn == 0
    assert first.hands == 0 and first.game_winner == rules.UNDECIDED


# --- weights -----------------------------------------------------------------------------------


def trumps_speak(records: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """A policy that passes or calls by its number of trumps, and plays anything."""
    chances = np.ones(len(actions))
    for i, (s, action) in enumerate(zip(records, actions)):
        if s.phase == rules.BID1:
            suit = int(cards.TRUMPS[s.frame])
            call = (1 + len(bits(int(s.hand[s.turn]) & suit))) / 8
            chances[i] = call if action == rules.ORDER_UP else 1 - call
    return chances


def test_weights_are_the_product_of_the_chances() -> None:
    table = one_hand(2, Ruleset.stick(), "pass", "order_up", "with_partner", "low")
    result = belief.weighted_worlds(table.s, table.ruleset, 1, 50, 4, trumps_speak)
    wanted = []
    for world in result.worlds:
        weight = 1.0
        for before, action in belief.history(world, table.ruleset):
            if before.turn != 1:
                seen = hidden_from(before, table.ruleset, int(before.turn))
                weight *= float(trumps_speak(np.array([seen]).view(np.recarray), [action])[0])
        wanted.append(weight)
    assert np.allclose(result.weights, np.array(wanted) / sum(wanted))
    assert result.weights.sum() == pytest.approx(1)
    assert result.effective == pytest.approx(1 / np.sum(result.weights**2))
    assert 1 < result.effective < 50


def test_weights_move_the_belief() -> None:
    table = one_hand(2, Ruleset.stick(), "pass", "order_up", "with_partner", "low")
    drawn, weights, _ = belief.weighted_worlds(table.s, table.ruleset, 1, 400, 4, trumps_speak)
    trumps = [len(bits(int(w.hand[2]) & int(cards.TRUMPS[w.frame]))) for w in drawn]
    assert np.dot(weights, trumps) > np.mean(trumps) + 0.2


def test_a_likelihood_sees_what_the_seat_saw() -> None:
    table = one_hand(2, Ruleset.stick(), "pass", "order_up", "with_partner", "low", "low")
    viewer = 3
    asked: list[Any] = []

    def spy(records: np.ndarray, actions: np.ndarray) -> np.ndarray:
        asked.extend(zip(records, actions))
        return np.ones(len(actions))

    result = belief.weighted_worlds(table.s, table.ruleset, viewer, 10, 1, spy)
    assert result.effective == pytest.approx(10)
    for s, action in asked:
        assert s.turn != viewer
        assert fields(s) == fields(hidden_from(s, table.ruleset, int(s.turn)))
        assert int(rules.legal(s, table.r)) >> int(action) & 1
    kinds = {rules.PHASES[int(s.phase)] for s, _ in asked}
    assert kinds == {"bid1", "loner", "discard", "play"}


@pytest.mark.parametrize(
    ("likelihood", "message"),
    [
        (lambda s, a: np.zeros(len(a)), "no world has any weight"),
        (lambda s, a: np.ones(len(a) + 1), "numbers of 0 or more"),
        (lambda s, a: np.full(len(a), np.nan), "numbers of 0 or more"),
        (lambda s, a: -np.ones(len(a)), "numbers of 0 or more"),
    ],
)
def test_bad_likelihoods(likelihood: Any, message: str) -> None:
    table = one_hand(2, Ruleset.stick(), "pass", "order_up", "with_partner", "low")
    with pytest.raises(BeliefError, match=message):
        belief.weighted_worlds(table.s, table.ruleset, 1, 5, 1, likelihood)


# --- bad input ---------------------------------------------------------------------------------


def test_bad_questions_are_refused() -> None:
    table = one_hand(1, Ruleset())
    with pytest.raises(BeliefError, match="no seat"):
        belief.worlds(table.s, table.ruleset, 4, 1, 1)
    with pytest.raises(BeliefError, match="count is -1"):
        belief.worlds(table.s, table.ruleset, 0, -1, 1)
    with pytest.raises(BeliefError, match="count is 0"):
        belief.weighted_worlds(table.s, table.ruleset, 0, 0, 1, trumps_speak)
    with pytest.raises(BeliefError, match="no deal yet"):
        belief.count_worlds(rules.new_states(1)[0], table.ruleset, 0)
    with pytest.raises(BeliefError, match="more than the limit"):
        belief.every_world(table.s, table.ruleset, 0)


def test_impossible_records_are_refused() -> None:
    table = one_hand(1, Ruleset())
    lost = copy(table.s)
    lost.hand[0] &= lost.hand[0] - 1
    with pytest.raises(BeliefError, match="no deal of the unseen cards"):
        belief.count_worlds(lost, table.ruleset, 0)
    void = copy(table.s)
    void.void[1] = (1 << 24) - 1
    with pytest.raises(BeliefError, match="no deal of the unseen cards"):
        belief.worlds(void, table.ruleset, 0, 1, 1)


# --- plain Python ------------------------------------------------------------------------------


def digest() -> str:
    """Counts, worlds and weights of a few positions, as text."""
    lines = []
    for table, rng in positions(41, 6):
        if rng.random() < 0.2:
            viewer = rng.randrange(4)
            drawn = belief.worlds(table.s, table.ruleset, viewer, 2, 9)
            count = belief.count_worlds(table.s, table.ruleset, viewer)
            lines.append(f"{count} {[key(w) for w in drawn]}")
    lines.append(str(int(seed_of(np.uint64(1), np.uint64(2)))))
    return "\n".join(lines)


def test_compiled_and_plain_python_agree() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from tests.test_belief import digest; print(digest())"],
        cwd=Path(__file__).resolve().parent.parent,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Warning" not in done.stderr
    assert done.stdout.strip() == digest()
