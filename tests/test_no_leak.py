"""No hidden card reaches an observation, a mask or a cleared record.

In random positions the cards that a seat cannot see are dealt otherwise, in keeping with all that
it has seen (`euchre_env.testing.permute_hidden`). What the seat is shown must stay the same. The
same checker has to find leaks that are planted.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import pytest

from euchre_env import encoding, rules
from euchre_env.ruleset import Ruleset
from euchre_env.testing import permute_hidden, random_ruleset
from tests.table import Table, copy, fields, hidden_from, observe, random_deck, random_walk

Shown = Callable[[Any, Ruleset, int], Any]
"""Something a seat is shown of a record, in a form that can be compared."""


def all_shown(s: Any, ruleset: Ruleset, viewer: int) -> Any:
    """The observation in both frames, the mask of a seat to act, and the cleared record."""
    mask = int(rules.legal(s, ruleset.record()[0])) if viewer == s.turn else 0
    seen = [observe(s, ruleset, viewer, absolute).tobytes() for absolute in (False, True)]
    return seen, mask, fields(hidden_from(s, ruleset, viewer))


def positions(
    seed: int, hands: int, variants: bool = False, **options: Any
) -> Iterator[tuple[Table, random.Random]]:
    rng = random.Random(seed)
    for _ in range(hands):
        if "variant" in options:
            ruleset = Ruleset(**options)
        else:
            ruleset = random_ruleset(rng, variants).replace(**options)
        deck = random_deck(rng, ruleset.joker, ruleset.joker_upcard == "redraw")
        dealer = rng.randrange(ruleset.players)
        for table in random_walk(Table.dealt(ruleset, deck, dealer), rng):
            yield table, rng


def leaks(shown: Shown, seed: int, hands: int, **options: Any) -> Counter:
    """How often a seat was shown something else in another world, by the phase of the game."""
    found: Counter = Counter()
    for table, rng in positions(seed, hands, **options):
        for viewer in range(table.ruleset.players):
            other = permute_hidden(table.s, table.r, viewer, rng)
            now = shown(table.s, table.ruleset, viewer)
            found[table.phase] += shown(other, table.ruleset, viewer) != now
    return +found


@pytest.mark.parametrize("block", range(3))
def test_nothing_hidden_is_shown(block: int) -> None:
    assert leaks(all_shown, block, 60) == {}


@pytest.mark.parametrize("block", range(3))
def test_nothing_hidden_is_shown_in_other_games(block: int) -> None:
    assert leaks(all_shown, 20 + block, 60, variants=True) == {}


@pytest.mark.parametrize(
    "options",
    [
        {"weak_hand": "swap3", "weak_hand_test": "three_low", "swap3_shown": False},
        {"weak_hand": "swap3", "weak_hand_test": "three_low", "swap3_shown": True},
        {"joker": True, "no_trump": "off", "joker_upcard": "dealer_names_blind"},
        {"renege": "penalised"},
        {"dealer_may_discard_upcard": False},
        {"variant": "three_hand_dummy", "players": 3},
        {"variant": "cutthroat_widow", "players": 3, "widow_exchange": True},
    ],
)
def test_nothing_hidden_is_shown_in_the_corners(options: dict[str, Any]) -> None:
    assert leaks(all_shown, 9, 30, **options) == {}


def test_a_blind_dealer_is_not_shown_its_own_hand() -> None:
    ruleset = Ruleset(joker=True)
    for seed in range(30):
        rng = random.Random(seed)
        deck = random_deck(rng, True)
        deck.remove("JOKER")
        deck.insert(20, "JOKER")
        t = Table.dealt(ruleset, deck, 2)
        assert t.at == ("name_trump", 2)
        other = permute_hidden(t.s, t.r, 2, rng)
        assert other.hand[2] != t.s.hand[2]
        assert all_shown(t.s, ruleset, 2) == all_shown(other, ruleset, 2)
        assert permute_hidden(t.s, t.r, 1, rng).hand[1] == t.s.hand[1]


# --- the checker itself ------------------------------------------------------------------------


def planted(s: Any, ruleset: Ruleset, viewer: int) -> bytes:
    """An encoder that also marks one card of the left neighbour's hand."""
    seen = observe(s, ruleset, viewer, False)
    seen[0] ^= int(s.hand[(viewer + 1) % 4]) >> 3 & 1
    return seen.tobytes()


def critics_view(s: Any, ruleset: Ruleset, viewer: int) -> bytes:
    out = np.zeros(encoding.HIDDEN_SIZE, np.uint8)
    encoding.encode_hidden(s, ruleset.record()[0], viewer, False, out)
    return out.tobytes()


def shown_discard(s: Any, ruleset: Ruleset, viewer: int) -> int:
    return int(s.discard)


def shown_kitty(s: Any, ruleset: Ruleset, viewer: int) -> int:
    return int(s.kitty)


def shown_spare(s: Any, ruleset: Ruleset, viewer: int) -> int:
    return int(s.spare)


def shown_dummy(s: Any, ruleset: Ruleset, viewer: int) -> int:
    return int(s.dummy)


def shown_buried(s: Any, ruleset: Ruleset, viewer: int) -> int:
    return int(s.buried)


def shown_dead_hand(s: Any, ruleset: Ruleset, viewer: int) -> list[int]:
    return [int(s.hand[k]) for k in range(4) if int(s.sitting_out) >> k & 1 and k != viewer]


def mask_of_the_actor(s: Any, ruleset: Ruleset, viewer: int) -> int:
    return int(rules.legal(s, ruleset.record()[0]))


@pytest.mark.parametrize(
    "leaky",
    [
        planted,
        critics_view,
        shown_discard,
        shown_kitty,
        shown_spare,
        shown_dead_hand,
        mask_of_the_actor,
    ],
)
def test_a_planted_leak_is_found(leaky: Shown) -> None:
    assert sum(leaks(leaky, 1, 20, joker=True, no_trump="off").values()) > 5


@pytest.mark.parametrize(
    "leaky", [planted, critics_view, shown_discard, shown_kitty, shown_dummy, shown_buried]
)
def test_a_planted_leak_is_found_in_other_games(leaky: Shown) -> None:
    assert sum(leaks(leaky, 3, 40, variants=True).values()) > 5


def test_swapped_cards_that_stay_hidden_would_be_found() -> None:
    def shown_swap(s: Any, ruleset: Ruleset, viewer: int) -> int:
        return int(s.swapped)

    options = {"weak_hand": "swap3", "weak_hand_test": "three_low"}
    assert leaks(shown_swap, 2, 40, **options, swap3_shown=False)
    assert not leaks(shown_swap, 2, 40, **options, swap3_shown=True)


def public_part(s: Any, viewer: int) -> dict[str, Any]:
    """Every field that does not hold hidden cards, and those of the viewer."""
    f = fields(s)
    for name in ("kitty", "spare", "discard", "swapped", "dummy"):
        del f[name]
    if viewer != (f["maker"] if f["passer"] < 0 else f["loner"]):
        del f["buried"]
        if viewer != f["passer"]:
            del f["passed"]
    f["hand"] = f["hand"][viewer]
    return f


def test_other_worlds_are_possible_and_different() -> None:
    moved = Counter()
    for table, rng in chain(positions(4, 60), positions(5, 60, variants=True)):
        s = table.s
        for viewer in range(table.ruleset.players):
            before = fields(s)
            other = permute_hidden(s, table.r, viewer, rng)
            assert fields(s) == before
            assert check_world(table, other, viewer)
            moved["all"] += 1
            moved["hand"] += other.hand[(viewer + 1) % 4] != s.hand[(viewer + 1) % 4]
            moved["kitty"] += other.kitty != s.kitty
            moved["discard"] += other.discard != s.discard
            moved["dummy"] += other.dummy != s.dummy
            moved["buried"] += other.buried != s.buried
            moved["passed"] += other.passed != s.passed
            taken = table.place == "taken_or_buried"
            moved["upcard"] += taken and (other.discard == s.upcard) != (s.discard == s.upcard)
    assert moved["hand"] > moved["all"] / 2
    assert moved["kitty"] > moved["all"] / 2
    assert moved["discard"] > moved["all"] / 10
    assert moved["upcard"] > moved["all"] / 50
    assert moved["dummy"] > moved["all"] / 12
    assert moved["buried"] > moved["all"] / 50
    assert moved["passed"] > moved["all"] / 100


def check_world(table: Table, other: Any, viewer: int) -> bool:
    s = table.s
    blind = table.phase == "name_trump" and viewer == s.dealer
    if not blind:
        assert public_part(other, viewer) == public_part(s, viewer)
    names = ("kitty", "spare", "discard", "dummy", "buried")
    sets = [*other.hand.tolist(), *(int(other[name]) for name in names)]
    true = [*s.hand.tolist(), *(int(s[name]) for name in names)]
    assert [bin(m).count("1") for m in sets] == [bin(m).count("1") for m in true]
    assert sum(sets) == sum(true)  # disjoint sets of the same cards
    union = 0
    for mask in sets:
        assert union & mask == 0
        union |= mask
    for seat in range(4):
        assert other.hand[seat] & other.void[seat] == 0
    if table.place == "taken" or (viewer == s.taker and table.place == "taken_or_buried"):
        assert (other.hand[s.taker] & s.upcard) == (s.hand[s.taker] & s.upcard)
    if viewer == s.taker:
        assert other.discard == s.discard
    if viewer == s.swapper or (s.swapper >= 0 and table.ruleset.swap3_shown):
        assert other.swapped == s.swapped
    if s.swapper >= 0:
        assert other.swapped == other.kitty
    if s.passed:
        from_partner = other.hand[s.loner] | other.played[s.loner] | other.buried
        assert bin(other.passed).count("1") == 1 and other.passed & from_partner
        if s.taker == s.loner:
            assert other.passed != s.upcard
        if s.taker == s.passer:
            assert (other.passed == s.upcard) == bool(from_partner & s.upcard)
    return True


def test_equal_generators_deal_alike() -> None:
    t = Table("KH", 0).do("order_up with_partner 9C")
    first = permute_hidden(t.s, t.r, 1, random.Random(5))
    second = permute_hidden(t.s, t.r, 1, random.Random(5))
    third = permute_hidden(t.s, t.r, 1, np.random.default_rng(5))
    assert fields(first) == fields(second)
    assert fields(copy(third)) != fields(t.s)
