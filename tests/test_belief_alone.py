"""Worlds in games without partners: dummies, cards laid away for them, seats that drop out."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import factorial, prod
from typing import Any

import numpy as np
import pytest

from euchre_env import belief, cards, rules
from euchre_env.belief import BeliefError
from euchre_env.ruleset import VARIANT_PRESETS, Ruleset
from euchre_env.testing import permute_hidden, random_ruleset
from tests.table import Table, copy, deck_with, fields, hidden_from, random_deck, random_walk
from tests.test_belief import Place, acts_like, bits, chi_square_ok, cleared, deals, near, some_act

GAMES = {name: Ruleset.preset(name) for name in VARIANT_PRESETS} | {
    "two_hand, dummy": Ruleset.parse("two_hand,two_hand_dummy=maker"),
    "cutthroat, exchange": Ruleset.parse("cutthroat,widow_exchange=true"),
    "three_hand, natural": Ruleset.parse("three_hand,require_natural_trump=always"),
}

DUMMIES = [GAMES["three_hand"], GAMES["two_hand, dummy"], GAMES["cutthroat, exchange"]]


def some_rulesets(rng: random.Random, count: int) -> list[Ruleset]:
    """Random rule sets of the games without partners."""
    found: list[Ruleset] = []
    while len(found) < count:
        ruleset = random_ruleset(rng, variants=True)
        found += [] if ruleset.is_partnership else [ruleset]
    return found


def positions(
    seed: int, hands: int, of: list[Ruleset] | None = None
) -> Iterator[tuple[Table, random.Random]]:
    """Every decision, and the end, of random hands."""
    rng = random.Random(seed)
    rulesets = of or some_rulesets(rng, hands)
    for ruleset in itertools.islice(itertools.cycle(rulesets), hands):
        table = Table.dealt(ruleset, random_deck(rng), rng.randrange(ruleset.players))
        while table.phase != "over":
            yield table, rng
            rules.apply(table.s, table.r, some_act(table.s, table.r, rng))
        yield table, rng


def can_tell(s: Any, viewer: int) -> bool:
    """Whether the number of cards in all places is known: not while another seat exchanges."""
    return s.phase != rules.DUMMY_EXCHANGE or s.maker == viewer


def asked(seed: int, hands: int, of: list[Ruleset] | None = None) -> Iterator[tuple[Table, int]]:
    """Positions with a seat that can be asked for worlds."""
    for table, rng in positions(seed, hands, of):
        viewer = rng.randrange(table.ruleset.players)
        if can_tell(table.s, viewer):
            yield table, viewer


def key(world: Any) -> tuple[int, ...]:
    """What tells two worlds of one information set apart."""
    down = [world.kitty, world.discard, world.dummy, world.buried]
    return (*world.hand.tolist(), *map(int, down))


def agrees(world: Any, table: Table, viewer: int) -> bool:
    """Whether a full record is a world, by the engine alone: same sight, and a legal history."""
    if cleared(world, table.r, viewer) != cleared(table.s, table.r, viewer):
        return False
    replayed = acts_like(world, table.r)
    return replayed is not None and replayed.tobytes() == world.tobytes()


# --- counting and listing ----------------------------------------------------------------------


def hidden_places(s: Any, viewer: int, players: int) -> dict[Place, int]:
    """The cards that a viewer cannot see, by place, read off the true record."""
    places: dict[Place, int] = {("hand", k): int(s.hand[k]) for k in range(players) if k != viewer}
    places["kitty", 0] = int(s.kitty)
    places["dummy", 0] = int(s.dummy)
    if s.maker != viewer:
        places["buried", 0] = int(s.buried)
    if s.taker not in (-1, viewer):
        places["discard", 0] = int(s.discard)
        if s.place == rules.TAKEN:
            places["hand", int(s.taker)] &= ~int(s.upcard)
    return places


def may_lie(s: Any, ruleset: Ruleset, viewer: int, place: Place, bit: int) -> bool:
    """Whether anything seen speaks against a card at a place."""
    name, seat = place
    if name == "hand" and int(s.void[seat]) >> bit & 1:
        return False
    if s.place != rules.TAKEN_OR_BURIED or s.taker == viewer or not int(s.upcard) >> bit & 1:
        return True
    if name == "discard":
        return ruleset.dealer_may_discard_upcard
    return place == ("hand", int(s.taker)) or (name == "buried" and s.maker == s.taker)


def count_by_cards(s: Any, ruleset: Ruleset, viewer: int) -> int:
    """The number of worlds, card by card, with what each place still takes as the state."""
    places = hidden_places(s, viewer, ruleset.players)
    names = list(places)
    unseen = [bit for mask in places.values() for bit in bits(mask)]

    @cache
    def ways(k: int, room: tuple[int, ...]) -> int:
        if k == len(unseen):
            return 1
        return sum(
            ways(k + 1, (*room[:p], room[p] - 1, *room[p + 1 :]))
            for p, place in enumerate(names)
            if room[p] and may_lie(s, ruleset, viewer, place, unseen[k])
        )

    return ways(0, tuple(len(bits(places[n])) for n in names))


def test_the_number_of_worlds() -> None:
    seen: Counter = Counter()
    common = ("bid1", "bid2", "play")
    for k, (table, viewer) in enumerate(asked(5, 50, [*GAMES.values(), *DUMMIES])):
        s = table.s
        if table.phase in common and k % 6:
            continue
        count = belief.count_worlds(s, table.ruleset, viewer)
        assert count == count_by_cards(s, table.ruleset, viewer), (table.ruleset, viewer)
        seen["voids"] += int(np.count_nonzero(np.delete(s.void, viewer)))
        seen["dummies"] += s.dummy != 0
        seen["laid away"] += s.buried != 0 and s.maker != viewer
        seen["upcard"] += s.place == rules.TAKEN_OR_BURIED and s.taker == s.maker != viewer
        seen[table.phase] += 1
    least = min(seen[k] for k in ("voids", "dummies", "laid away", "upcard"))
    assert least > 5 and min(seen["dummy_exchange"], seen["stay"]) > 5, seen


def count_deals(table: Table, viewer: int) -> int:
    """The ways to deal the unseen cards, whatever speaks against them."""
    places = hidden_places(table.s, viewer, table.ruleset.players)
    sizes = [len(bits(mask)) for mask in places.values()]
    return factorial(sum(sizes)) // prod(map(factorial, sizes))


def enumerated(table: Table, viewer: int) -> set[tuple[int, ...]]:
    """All worlds, found by trying every deal of the unseen cards on the engine."""
    found = set()
    places = hidden_places(table.s, viewer, table.ruleset.players)
    for deal in deals(places):
        world = copy(table.s)
        world.rng = 0
        for (name, seat), mask in deal.items():
            if name == "hand":
                world.hand[seat] = mask | (int(table.s.hand[seat]) & ~places[name, seat])
            else:
                world[name] = mask
        if agrees(world, table, viewer):
            found.add(key(world))
    return found


@pytest.mark.parametrize("name", GAMES)
def test_late_worlds_equal_an_enumeration_by_the_engine(name: str) -> None:
    tried = 0
    for table, viewer in asked(11, 40, [GAMES[name]]):
        if tried < 3 and 1 < count_deals(table, viewer) <= 1500:
            listed = [key(w) for w in belief.every_world(table.s, table.ruleset, viewer)]
            assert len(set(listed)) == len(listed)
            assert set(listed) == enumerated(table, viewer), viewer
            tried += 1
    assert tried == 3


# --- sampling ----------------------------------------------------------------------------------


def test_sampled_worlds_agree_and_can_be_played() -> None:
    rng = random.Random(3)
    for table, viewer in asked(3, 40):
        for world in belief.worlds(table.s, table.ruleset, viewer, 2, rng.getrandbits(63)):
            assert agrees(world, table, viewer), (table.ruleset, viewer)
            while (legal := int(rules.legal(world, table.r))) != 0:
                rules.apply(world, table.r, rng.choice([a for a in range(38) if legal >> a & 1]))
            assert world.phase == rules.OVER


@pytest.mark.parametrize("name", GAMES)
def test_small_sets_are_sampled_uniformly(name: str) -> None:
    tried = 0
    for table, viewer in asked(23, 60, [GAMES[name]]):
        if tried == 2 or not 1 < belief.count_worlds(table.s, table.ruleset, viewer) <= 2000:
            continue
        every = Counter(key(w) for w in belief.every_world(table.s, table.ruleset, viewer))
        size = 20 * len(every)
        drawn = belief.worlds(table.s, table.ruleset, viewer, size, 100 + tried)
        found = Counter(key(w) for w in drawn)
        assert set(found) <= set(every)
        assert chi_square_ok([found[k] for k in every])
        tried += 1
    assert tried == 2


@pytest.mark.parametrize(("may", "chances"), [(True, (5, 1, 3)), (False, (5, 0, 3))])
def test_the_upcard_of_a_dealer_who_took_the_dummy(may: bool, chances: tuple[int, ...]) -> None:
    """It may lie in the hand of five, be the one card laid away, or be among the next three."""
    ruleset = GAMES["three_hand"].replace(dealer_may_discard_upcard=may)
    table = Table.dealt(ruleset, deck_with({0: "9C TC 9D TD QD"}, "QH"), 0)
    table.do("pass", "pass", "order_up", "9C", "with_partner", "TC", "9D", "TD")
    size = 9000
    drawn = belief.worlds(table.s, ruleset, 1, size, 5)
    upcard = int(table.s.upcard)
    places = drawn["hand"][:, 0], drawn["discard"], drawn["buried"]
    for place, chance in zip(places, chances):
        share = float(np.mean(place & upcard != 0))
        near(share, chance / sum(chances), size) if chance else share == 0
    assert sum(float(np.mean(place & upcard != 0)) for place in places) == pytest.approx(1)
    assert {len(bits(mask)) for mask in drawn["kitty"]} == {5}
    assert {int(mask) for mask in drawn["dummy"]} == {0}


def test_the_maker_knows_what_it_laid_away() -> None:
    table = Table.dealt(GAMES["three_hand"], deck_with({0: "9C TC 9D TD QD"}, "QH"), 0)
    table.do("pass", "pass", "order_up", "9C", "with_partner", "TC")
    for words in ("", "9D TD"):
        table.do(words)
        for world in belief.worlds(table.s, table.ruleset, 0, 20, 1):
            assert (world.buried, world.discard) == (table.s.buried, table.s.discard)
            held = [*world.hand[1:3].tolist(), int(world.kitty)]
            assert [len(bits(mask)) for mask in held] == [5, 5, 5]
            assert not any(mask & int(table.s.buried | table.s.discard) for mask in held)


def test_a_dead_dummy_stays_hidden() -> None:
    """Nobody has seen it, so any unseen card may lie there: 5 of the 18."""
    table = Table.dealt(GAMES["cutthroat"], deck_with({}, "QH"), 0).do("order_up", "9C")
    drawn = belief.worlds(table.s, table.ruleset, 1, 8000, 5)
    unknown = next(b for b in range(24) if not int(table.s.hand[1] | table.s.upcard) >> b & 1)
    near(float(np.mean(drawn["dummy"] >> unknown & 1)), 5 / 6 / 18 * 5 + 1 / 6 * 5 / 18, 8000)
    assert {len(bits(mask)) for mask in drawn["dummy"]} == {5}
    assert set(drawn["hand"][:, 3].tolist()) == {0}


def test_a_caller_held_a_natural_trump() -> None:
    ruleset = GAMES["three_hand, natural"]
    for seed in range(20):
        table = Table.dealt(ruleset, random_deck(random.Random(seed)), 0)
        if "order_up" not in table.legal:
            continue
        table.do("order_up", sorted(table.hand(0))[0], "with_partner")
        table.do(sorted(table.hand(1))[0]).do(sorted(table.hand(1))[0])
        table.do(sorted(table.hand(1))[0])
        printed = int(cards.PRINTED_SUIT[table.s.frame, cards.TRUMP_SUIT])
        for viewer in (0, 2):
            drawn = belief.worlds(table.s, ruleset, viewer, 300, 2)
            assert np.all((drawn["hand"][:, 1] | drawn["buried"]) & printed)
        return
    raise AssertionError


def test_worlds_depend_on_nothing_hidden() -> None:
    moved: Counter = Counter()
    for table, rng in positions(17, 40):
        for viewer in range(table.ruleset.players):
            other = permute_hidden(table.s, table.r, viewer, rng)
            seen = hidden_from(table.s, table.ruleset, viewer)
            assert fields(hidden_from(other, table.ruleset, viewer)) == fields(seen)
            for name in ("dummy", "buried", "kitty", "discard"):
                moved[name] += int(other[name] != table.s[name])
            if can_tell(table.s, viewer):
                drawn = [
                    belief.worlds(s, table.ruleset, viewer, 3, 8).tobytes()
                    for s in (table.s, other, seen)
                ]
                assert drawn[0] == drawn[1] == drawn[2]
    assert min(moved.values()) > 100, moved


# --- replay ------------------------------------------------------------------------------------


def test_a_final_record_replays_the_whole_hand() -> None:
    """Bit for bit; only of a maker who took the dummy it cannot tell what was dealt."""
    rng, told = random.Random(1), Counter()
    for ruleset in some_rulesets(rng, 80):
        table = Table.dealt(ruleset, random_deck(rng), rng.randrange(ruleset.players))
        table.s.score[: ruleset.players] = [rng.randrange(1, 5) for _ in range(ruleset.players)]
        walked = [copy(t.s) for t in random_walk(table, rng)]
        history = belief.history(table.s, ruleset)
        assert acts_like(table.s, table.r).tobytes() == table.s.tobytes()
        assert len(history) == len(walked) - 1
        taken = table.s.buried != 0
        told[taken] += 1
        if not taken:
            assert [fields(s) for s, _ in history] == [fields(s) for s in walked[:-1]], ruleset
        for (s, action), true in zip(history, walked):
            assert int(rules.legal(s, table.r)) >> action & 1
            assert (s.phase, s.turn, s.score.tolist()) == (
                true.phase,
                true.turn,
                true.score.tolist(),
            )
    assert min(told.values()) > 15


# --- bad questions -----------------------------------------------------------------------------


def test_a_seat_that_is_not_there_is_refused() -> None:
    for name, players in (("two_hand", 2), ("three_hand", 3)):
        table = Table.dealt(GAMES[name], random_deck(random.Random(1)), 0)
        with pytest.raises(
            BeliefError, match=f"viewer {players} is no seat: .* 0 to {players - 1}"
        ):
            belief.count_worlds(table.s, table.ruleset, players)


def test_nobody_knows_how_many_cards_the_maker_has_laid_away_yet() -> None:
    table = Table.dealt(GAMES["three_hand"], deck_with({0: "9C TC 9D TD QD"}, "QH"), 0)
    table.do("pass", "pass", "order_up", "9C", "with_partner", "TC")
    with pytest.raises(BeliefError, match="seat 2 cannot tell how many cards the maker has laid"):
        belief.worlds(table.s, table.ruleset, 2, 1, 1)
    assert len(belief.worlds(table.s, table.ruleset, 0, 1, 1)) == 1
