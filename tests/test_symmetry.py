"""Suit and seat symmetries: exactly eight keep the game, and everything moves with them."""

import random
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from euchre_env import cards, rules, symmetry
from euchre_env.actions import TO_ABSOLUTE, count_actions
from euchre_env.encoding import (
    HIDDEN_LAYOUT,
    HIDDEN_SIZE,
    LAYOUT,
    encode_hidden,
    hidden_layout_of,
    hidden_size,
    layout_of,
)
from euchre_env.ruleset import Ruleset
from euchre_env.symmetry import SUIT_SYMMETRIES
from euchre_env.testing import random_ruleset
from tests.table import Table, fields, lively_choice, observe, random_deck

C, D, H, S = range(4)
EIGHT = {
    (C, D, H, S),
    (S, D, H, C),
    (C, H, D, S),
    (S, H, D, C),
    (D, C, S, H),
    (D, S, C, H),
    (H, C, S, D),
    (H, S, C, D),
}


def symmetric_rules(rng: random.Random) -> Ruleset:
    """Any rules but two: the swap of a weak hand breaks ties between low cards by suit, and a club
    turned up may be trump.
    """
    ruleset = random_ruleset(rng, variants=rng.random() < 0.3, decks=rng.random() < 0.3)
    if ruleset.is_partnership:
        weak = "off" if ruleset.is_wide else rng.choice(("off", "throw_in"))
        return ruleset.replace(weak_hand=weak)
    return ruleset.replace(clubs_are_trump=False)


def deal(ruleset: Ruleset, rng: random.Random) -> tuple[np.ndarray, int]:
    lowest = ruleset.lowest_rank
    deck = random_deck(rng, ruleset.joker, ruleset.joker_upcard == "redraw", lowest)
    return cards.deck_of(deck, ruleset.joker, lowest), rng.randrange(ruleset.players)


def table_of(ruleset: Ruleset, deck: np.ndarray, dealer: int) -> Table:
    return Table.dealt(ruleset, [cards.card_text(int(c)) for c in deck if c >= 0], dealer)


def absolute_mask(t: Table) -> np.ndarray:
    legal, table = int(rules.legal(t.s, t.r)), TO_ABSOLUTE[t.s.frame]
    actions = count_actions(t.ruleset)
    mask = np.zeros(actions, np.int8)
    mask[[int(table[a]) for a in range(actions) if legal >> a & 1]] = 1
    return mask


def moved_word(word: str, suits: tuple[int, ...]) -> str:
    """A card or call with its suit letter replaced, by the text alone."""
    if word in ("pass", "call_NT", "JOKER") or word.islower():
        return word
    return word[:-1] + "CDHS"[suits["CDHS".index(word[-1])]]


# --- the group ---------------------------------------------------------------------------------


def test_there_are_eight() -> None:
    assert {tuple(p) for p in SUIT_SYMMETRIES.tolist()} == EIGHT
    assert SUIT_SYMMETRIES[0].tolist() == [C, D, H, S]
    for p in permutations(range(4)):
        assert symmetry.keeps_colours(p) == (p in EIGHT)


def test_they_form_a_group() -> None:
    for p in EIGHT:
        for q in EIGHT:
            assert tuple(p[q[s]] for s in range(4)) in EIGHT


@pytest.mark.parametrize(
    ("named", "left"),
    [
        ((), 8),
        ((C,), 2),
        ((D,), 2),
        ((H,), 2),
        ((S,), 2),
        ((D, H), 2),
        ((C, S), 2),
        ((H, C), 1),
        ((D, S), 1),
        ((C, D, H), 1),
    ],
)
def test_fewer_remain_once_suits_are_named(named: tuple[int, ...], left: int) -> None:
    found = symmetry.suit_symmetries(*named)
    assert len(found) == left
    assert all(p[s] == s for p in found for s in named)


def test_the_swap_of_the_other_colour() -> None:
    swaps = {C: [C, H, D, S], D: [S, D, H, C], H: [S, D, H, C], S: [C, H, D, S]}
    for suit, swap in swaps.items():
        assert symmetry.other_suits_swap(suit).tolist() == swap


def test_hands_that_only_look_alike() -> None:
    """AH KH QH JH with the left bower of hearts, or with an idle black jack."""
    first, second = (set(cards.card_ids(f"AH KH QH JH {jack}")) for jack in ("JD", "JC"))
    for suits in SUIT_SYMMETRIES:
        assert {symmetry.move_card(c, suits) for c in first} != second
    breaks_a_pair = (D, C, H, S)
    assert not symmetry.keeps_colours(breaks_a_pair)
    assert {symmetry.move_card(c, breaks_a_pair) for c in first} == second
    trumps = [cards.popcount(cards.set_of(hand, H) & cards.TRUMPS[H]) for hand in (first, second)]
    assert trumps == [5, 4]


# --- rules commute with them -------------------------------------------------------------------


def differs(suits: tuple[int, ...], ruleset: Ruleset, seed: int) -> bool:
    """Whether a random hand goes otherwise, or cannot be played, after a permutation."""
    rng = random.Random(seed)
    deck, dealer = deal(ruleset, rng)
    here = table_of(ruleset, deck, dealer)
    moved_deck = [moved_word(cards.card_text(int(c)), suits) for c in deck if c >= 0]
    there = Table.dealt(ruleset, moved_deck, dealer)
    while here.phase != "over":
        if here.at != there.at or {moved_word(w, suits) for w in here.legal} != there.legal:
            return True
        word = lively_choice(rng, here.legal)
        here.do(word)
        there.do(moved_word(word, suits))
    return (here.phase, here.points) != (there.phase, there.points)


def test_exactly_the_eight_keep_the_game() -> None:
    ruleset = Ruleset.stick()
    for suits in permutations(range(4)):
        found = any(differs(suits, ruleset, seed) for seed in range(15))
        assert found == (suits not in EIGHT), suits


@pytest.mark.parametrize("block", range(3))
def test_everything_moves_together(block: int) -> None:
    """Deck, record, actions, masks, observations: moving first or last comes to the same."""
    rng = random.Random(block)
    for _ in range(40):
        ruleset = symmetric_rules(rng)
        suits = SUIT_SYMMETRIES[rng.randrange(8)]
        deck, dealer = deal(ruleset, rng)
        here = table_of(ruleset, deck, dealer)
        there = table_of(ruleset, symmetry.move_deck(deck, suits), dealer)
        order = symmetry.observation_order(layout_of(ruleset), suits)
        mask_order = symmetry.mask_order(suits, count_actions(ruleset))
        while True:
            assert fields(symmetry.move_state(here.s, suits)) == fields(there.s)
            mask = absolute_mask(here)
            assert (mask[mask_order] == absolute_mask(there)).all()
            viewer = rng.randrange(ruleset.players)
            seen = observe(here.s, ruleset, viewer, True)
            assert (seen[order] == observe(there.s, ruleset, viewer, True)).all()
            check_hidden_part(here, there, viewer, suits)
            check_trump_frame(here, there, viewer)
            if here.phase == "over":
                break
            word = lively_choice(rng, here.legal)
            here.do(word)
            there.do(moved_word(word, tuple(int(x) for x in suits)))


def check_hidden_part(here: Table, there: Table, viewer: int, suits: np.ndarray) -> None:
    parts = np.zeros((2, hidden_size(here.ruleset)), np.uint8)
    for table, out in zip((here, there), parts):
        encode_hidden(table.s, table.r, viewer, True, out)
    order = symmetry.observation_order(hidden_layout_of(here.ruleset), suits)
    assert (parts[0][order] == parts[1]).all()


def check_trump_frame(here: Table, there: Table, viewer: int) -> None:
    """The trump frame has divided out all but the swap of the other colour's suits."""
    if cards.trump_of(here.s.frame) == cards.NATURAL:
        return
    seen = [observe(t.s, t.ruleset, viewer, False) for t in (here, there)]
    index = symmetry.swap_other_suits_in_observation(layout_of(here.ruleset))
    assert (seen[0] == seen[1]).all() or (seen[0][index] == seen[1]).all()


@pytest.mark.parametrize("block", range(2))
def test_the_swap_of_the_other_suits_in_the_trump_frame(block: int) -> None:
    rng = random.Random(50 + block)
    changed = 0
    for _ in range(40):
        ruleset = symmetric_rules(rng).replace(joker=False, no_trump="off")
        index = symmetry.swap_other_suits_in_observation(layout_of(ruleset))
        here = table_of(ruleset, *deal(ruleset, rng))
        while here.phase != "over":
            swap = symmetry.other_suits_swap(int(cards.trump_of(here.s.frame)))
            moved = symmetry.move_state(here.s, swap)
            viewer = rng.randrange(ruleset.players)
            seen = observe(here.s, ruleset, viewer, False)
            other = observe(moved, ruleset, viewer, False)
            assert (seen[index] == other).all()
            changed += (seen != other).any()
            legal, swapped = int(rules.legal(here.s, here.r)), int(rules.legal(moved, here.r))
            actions = [a for a in range(46) if legal >> a & 1]
            assert swapped == sum(1 << int(symmetry.ALL_SWAPPED_ACTIONS[a]) for a in actions)
            action = rng.choice(actions)
            rules.apply(moved, here.r, int(symmetry.ALL_SWAPPED_ACTIONS[action]))
            before = here.s.frame
            rules.apply(here.s, here.r, action)
            assert fields(symmetry.move_state(here.s, swap)) == fields(moved), before
    assert changed > 200
    assert (index[index] == np.arange(len(index))).all()
    assert (symmetry.SWAPPED_ACTIONS[symmetry.SWAPPED_ACTIONS] == np.arange(38)).all()


def test_swapped_actions_literally() -> None:
    moved = {a: int(b) for a, b in enumerate(symmetry.SWAPPED_ACTIONS) if a != b}
    cards_moved = {a: a + 6 for a in range(6)} | {a: a - 6 for a in range(6, 12)}
    assert moved == cards_moved | {27: 28, 28: 27}


def test_absolute_actions_literally() -> None:
    black_red = (D, C, S, H)
    assert symmetry.move_action(0, black_red) == 6  # 9C -> 9D
    assert symmetry.move_action(14, black_red) == 20  # JH -> JS
    assert symmetry.move_action(24, black_red) == 24
    assert [symmetry.move_action(a, black_red) for a in range(25, 38)] == [
        25, 26, 28, 27, 30, 29, 31, 32, 33, 34, 35, 36, 37
    ]  # fmt: skip


# --- suits in an order of their own ------------------------------------------------------------

ORDER = symmetry.SuitOrder(LAYOUT, HIDDEN_LAYOUT)


def what_is_seen(s: Any, ruleset: Ruleset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Observation, mask and hidden part of the seat to act in the trump frame, a row each."""
    seat, record = int(s.turn), ruleset.record()[0]
    hidden = np.zeros((1, HIDDEN_SIZE), np.uint8)
    encode_hidden(s, record, seat, False, hidden[0])
    legal = int(rules.legal(s, record))
    mask = np.array([[legal >> a & 1 for a in range(38)]], np.int8)
    return observe(s, ruleset, seat, False)[None], mask, hidden


def ordered(s: Any, ruleset: Ruleset) -> tuple[list[np.ndarray], bool]:
    """What is seen with its suits in order, and whether they were swapped."""
    seen = [part.copy() for part in what_is_seen(s, ruleset)]
    (swapped,) = ORDER.apply(*seen)
    return seen, bool(swapped)


def positions(seed: int, count: int, **changes: Any) -> Iterator[tuple[Any, Ruleset]]:
    """Records of random hands that wait for a decision, by random rules."""
    rng = random.Random(seed)
    for k in range(count):
        ruleset = random_ruleset(rng, variants=k % 4 == 3).replace(**changes)
        table = table_of(ruleset, *deal(ruleset, rng))
        while table.phase != "over":
            yield table.s, ruleset
            table.do(lively_choice(rng, table.legal))


def look_alike(s: Any, ruleset: Ruleset) -> bool:
    """Whether the suits of the other colour are alike in what was dealt to the seat to act and in
    what the others have played: either may come first then.
    """
    seen = what_is_seen(s, ruleset)[0][0]
    played = seen[LAYOUT["played"].slice].reshape(4, 25).copy()
    for block in ("hand", "own_discard", "own_buried"):
        played[0] |= seen[LAYOUT[block].slice]
    return bool((played[:, :6] == played[:, 6:12]).all())


def test_two_names_of_one_game_become_the_same() -> None:
    swaps = ties = 0
    for s, ruleset in positions(1, 60, joker=False, no_trump="off"):
        moved = symmetry.move_state(s, symmetry.other_suits_swap(int(s.frame)))
        (here, swapped), (there, swapped_too) = ordered(s, ruleset), ordered(moved, ruleset)
        if look_alike(s, ruleset):
            ties += 1
            assert not swapped and not swapped_too
            continue
        assert swapped != swapped_too
        for ours, theirs in zip(here, there):
            assert (ours == theirs).all()
        swaps += swapped
    assert swaps > 200 and ties < 0.1 * swaps


def test_all_eight_names_of_one_game_become_the_same() -> None:
    checked = 0
    for s, ruleset in positions(2, 8, joker=False, no_trump="off"):
        if not look_alike(s, ruleset):
            checked += 1
            kinds = {
                b"".join(part.tobytes() for part in ordered(symmetry.move_state(s, p), ruleset)[0])
                for p in SUIT_SYMMETRIES
            }
            assert len(kinds) == 1
    assert checked > 100


def test_what_a_swap_does() -> None:
    index = symmetry.swap_other_suits_in_observation(LAYOUT)
    swaps = 0
    for s, ruleset in positions(3, 40):
        before = what_is_seen(s, ruleset)
        (seen, mask, hidden), swapped = ordered(s, ruleset)
        if not swapped:
            assert all((a == b).all() for a, b in zip(before, (seen, mask, hidden)))
            continue
        swaps += 1
        assert (seen[0] == before[0][0][index]).all()
        assert (mask[0] == before[1][0][symmetry.SWAPPED_ACTIONS]).all()
        # The hidden part is that of the game in which the suits have the other names.
        moved = symmetry.move_state(s, symmetry.other_suits_swap(int(s.frame)))
        assert (hidden == what_is_seen(moved, ruleset)[2]).all()
        assert (hidden[0, :25] == seen[0, LAYOUT["hand"].slice]).all()
        # A second time, nothing is out of order.
        assert not ORDER.apply(seen, mask, hidden)[0]
    assert swaps > 100


def check_names_stay(found: Iterator[tuple[Any, Ruleset]]) -> None:
    by_name = [ordered(s, r)[1] for s, r in found if int(s.frame) == cards.NATURAL]
    assert len(by_name) > 20 and not any(by_name)


def test_suits_stay_by_name_under_a_call_of_no_trump() -> None:
    check_names_stay(positions(4, 60, joker=False, no_trump="round2"))


def test_suits_stay_by_name_while_a_joker_is_turned_up() -> None:
    def joker_up() -> Iterator[tuple[Any, Ruleset]]:
        rng = random.Random(5)
        for _ in range(40):
            ruleset = random_ruleset(rng).replace(
                joker=True, no_trump="off", joker_upcard="dealer_names"
            )
            deck, dealer = deal(ruleset, rng)
            at = deck.tolist().index(cards.JOKER)
            deck[[20, at]] = deck[[at, 20]]
            table = table_of(ruleset, deck, dealer)
            while table.phase in ("weak_hand", "name_trump"):
                yield table.s, ruleset
                table.do(rng.choice(sorted(table.legal)))

    check_names_stay(joker_up())


def test_the_order_stays_for_a_whole_hand() -> None:
    """Once trump is named, a seat sees its suits in one order, whatever it has played."""
    rng = random.Random(6)
    for _ in range(40):
        ruleset = Ruleset.stick()
        table = table_of(ruleset, *deal(ruleset, rng))
        found: dict[int, set[bool]] = {seat: set() for seat in range(4)}
        while table.phase != "over":
            if table.phase == "play":
                seen = what_is_seen(table.s, ruleset)[0][0]
                own = seen[LAYOUT["hand"].slice] | seen[LAYOUT["own_discard"].slice]
                own |= seen[LAYOUT["played"].slice][:25]
                if (own[:6] != own[6:12]).any():
                    found[table.turn].add(ordered(table.s, ruleset)[1])
            table.do(rng.choice(sorted(table.legal)))
        assert all(len(orders) <= 1 for orders in found.values())
        assert any(found.values())


def test_the_order_literally() -> None:
    """Hearts turned up: clubs, the lower of the black suits by name, stand first by themselves."""
    hands = {1: "AS 9C KH QH JD"}
    ruleset = Ruleset.stick()
    for hand, swapped in (
        ("AS 9C KH QH JD", True),
        ("AC 9S KH QH JD", False),
        ("AS AC KH QH JD", False),
        ("AS KC QC TC JD", True),
        ("9H TH KH QH JD", False),
    ):
        hands[1] = hand
        table = Table(upcard="AH", hands=hands, stick_the_dealer=True)
        assert table.turn == 1 and ordered(table.s, ruleset)[1] is swapped, hand


def test_many_rows_are_ordered_each_by_itself_and_without_hidden_cards_too() -> None:
    seen, masks, hidden = (
        np.concatenate(part)
        for part in zip(*(what_is_seen(s, ruleset) for s, ruleset in positions(7, 10)))
    )
    alone = [seen.copy(), masks.copy()]
    swapped = ORDER.apply(*alone)
    both = [seen.copy(), masks.copy(), hidden.copy()]
    assert (ORDER.apply(*both) == swapped).all() and swapped.any() and not swapped.all()
    assert (both[0] == alone[0]).all() and (both[1] == alone[1]).all()
    for i in range(len(seen)):
        one = [part[i : i + 1].copy() for part in (seen, masks, hidden)]
        assert ORDER.apply(*one)[0] == swapped[i]
        assert all((part[0] == every[i]).all() for part, every in zip(one, both))


# --- seats -------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", range(4))
def test_seats_rotate(steps: int) -> None:
    rng = random.Random(steps)
    for _ in range(25):
        ruleset = random_ruleset(rng)
        deck, dealer = deal(ruleset, rng)
        here = table_of(ruleset, deck, dealer)
        there = table_of(ruleset, symmetry.rotate_deck(deck, steps), (dealer + steps) % 4)
        if (ruleset.target_score or 10) > 3:
            here.s.score[:2] = (3, 1)
            there.s.score[:2] = (1, 3) if steps % 2 else (3, 1)
        while True:
            assert fields(symmetry.rotate_state(here.s, steps)) == fields(there.s)
            viewer = rng.randrange(4)
            for absolute in (False, True):
                seen = observe(here.s, ruleset, viewer, absolute)
                other = observe(there.s, ruleset, (viewer + steps) % 4, absolute)
                assert (seen == other).all()
            if here.phase == "over":
                break
            word = lively_choice(rng, here.legal)
            here.do(word)
            there.do(word)


def test_a_turn_and_its_inverse_do_nothing() -> None:
    rng = random.Random(8)
    table = Table("KH", 1, score=(4, 7)).do("order_up alone KH").finish(rng)
    for steps in range(4):
        turned = symmetry.rotate_state(table.s, steps)
        assert fields(symmetry.rotate_state(turned, -steps)) == fields(table.s)
    for suits in SUIT_SYMMETRIES:
        back = np.argsort(suits)
        moved = symmetry.move_state(symmetry.move_state(table.s, suits), back)
        assert fields(moved) == fields(table.s)
