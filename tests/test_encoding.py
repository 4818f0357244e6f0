"""Observations: everything a seat knows, and nothing lost on the way there and back."""

import random
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import pytest

from euchre_env import encoding, rules
from euchre_env.cards import NATURAL, SPADES, card_text
from euchre_env.encoding import LAYOUT, OBSERVATION_SIZE
from euchre_env.ruleset import PRESETS, VARIANT_PRESETS, Ruleset
from euchre_env.testing import random_ruleset
from tests.table import Table, fields, hidden_from, observe, random_deck, random_walk

LAYOUT_HASH = "412d84d4f3f7"
GAMES_HASH = "a837e2f75eb0"
"""Of the first 46 blocks, to which the games without partners added nine."""
PARTNERSHIP_HASH = "60869793f75e"
"""Of the first 37 blocks, which were the whole layout while there was only the partnership game."""
FRAMES = ("absolute", "trump")


def random_positions(
    seed: int, rulesets: int, variants: bool = False, **options: Any
) -> Iterator[Table]:
    """Each decision and each end of random hands in the middle of random matches."""
    rng = random.Random(seed)
    for _ in range(rulesets):
        ruleset = random_ruleset(rng, variants).replace(**options)
        deck = random_deck(rng, ruleset.joker, ruleset.joker_upcard == "redraw")
        dealer, top = rng.randrange(ruleset.players), min(20, (ruleset.target_score or 20) - 1)
        sides = 2 if ruleset.is_partnership else ruleset.players
        score = tuple(rng.randint(0, top) for _ in range(sides))
        table = Table.dealt(ruleset, deck, dealer, score)
        table.s.hands = rng.randrange(ruleset.hands_per_game or 20)
        won = [rng.randrange(ruleset.match_games // 2 + 1) for _ in range(sides + 1)]
        table.s.games[:sides], table.s.drawn = won[:sides], won[sides]
        if ruleset.four_trick_tokens:
            table.s.tokens[:] = rng.randrange(4), rng.randrange(4)
        yield from random_walk(table, rng)


def rotated(s: Any, viewer: int, ruleset: Ruleset) -> dict[str, Any]:
    """The record as its viewer counts: seats and sides from its own."""
    f, n = fields(s), ruleset.players
    order = [(viewer + k) % n for k in range(n)] + list(range(n, 4))
    for name in ("hand", "played", "void"):
        f[name] = [f[name][seat] for seat in order]
    f["plays"] = [[row[seat] for seat in order] for row in f["plays"]]
    f["leader"] = [x if x < 0 else order.index(x) for x in f["leader"]]
    seats = "turn dealer maker loner lone_defender taker swapper passer offender winner"
    for name in (*seats.split(), "next_dealer"):
        f[name] = f[name] if f[name] < 0 else order.index(f[name])
    for name in ("sitting_out", "alone_declined", "defence_declined"):
        f[name] = sum(1 << k for k in range(4) if f[name] >> order[k] & 1)
    sides = order
    if ruleset.is_partnership:
        sides = [1, 0, 2, 3] if viewer % 2 else [0, 1, 2, 3]
    for name in ("score", "points", "tricks", "games"):
        f[name] = [f[name][side] for side in sides]
    if ruleset.is_partnership:
        f["tokens"] = [f["tokens"][side] for side in sides[:2]]
    for name in ("game_winner", "match_winner"):
        f[name] = f[name] if f[name] < 0 else sides.index(f[name])
    return f


def nameless(f: dict[str, Any]) -> dict[str, Any]:
    """The trump frame forgets what its suits are called: its own is spades."""
    if f["frame"] != NATURAL:
        f = f | {"frame": SPADES, "trump": SPADES if f["trump"] >= 0 else -1}
    return f


@pytest.mark.parametrize("variants", [False, True])
@pytest.mark.parametrize("block", range(6))
def test_decoding_gives_back_the_record_that_the_seat_knows(block: int, variants: bool) -> None:
    rng = random.Random(block)
    for table in random_positions(block, 10 if variants else 25, variants):
        seats = table.ruleset.players
        viewers = range(seats) if rng.random() < 0.3 else [rng.randrange(seats)]
        for viewer in viewers:
            cleared = hidden_from(table.s, table.ruleset, viewer)
            known = rotated(cleared, viewer, table.ruleset)
            for frame in FRAMES:
                seen = observe(table.s, table.ruleset, viewer, frame == "absolute")
                s, ruleset = encoding.decode(seen, frame)
                expected = known if frame == "absolute" else nameless(known)
                assert fields(s) == expected, (table.ruleset, viewer, frame)
                assert ruleset == table.ruleset


@pytest.mark.parametrize("variants", [False, True])
@pytest.mark.parametrize("block", range(2))
def test_an_observation_holds_no_more_than_the_cleared_record(block: int, variants: bool) -> None:
    for table in random_positions(50 + block, 10 if variants else 30, variants):
        for viewer in range(table.ruleset.players):
            cleared = hidden_from(table.s, table.ruleset, viewer)
            for absolute in (False, True):
                seen = observe(table.s, table.ruleset, viewer, absolute)
                again = observe(cleared, table.ruleset, viewer, absolute)
                assert (seen == again).all()


def test_hiding_twice_changes_nothing() -> None:
    for table in chain(random_positions(60, 20), random_positions(61, 20, variants=True)):
        for viewer in range(table.ruleset.players):
            once = hidden_from(table.s, table.ruleset, viewer)
            assert fields(hidden_from(once, table.ruleset, viewer)) == fields(once)


# --- the layout --------------------------------------------------------------------------------


def test_blocks_follow_each_other_without_a_gap() -> None:
    at = 0
    for name, block in LAYOUT.items():
        assert name == block.name and block.meaning
        assert block.start == at
        assert block.slice == slice(at, at + block.size)
        at += block.size
    assert at == OBSERVATION_SIZE


def test_layout_hash_is_that_of_this_version() -> None:
    """A change of the layout needs a new LAYOUT_VERSION, and checkpoints made for it."""
    assert encoding.layout_hash() == LAYOUT_HASH


def test_what_was_learnt_on_the_partnership_blocks_alone_still_fits() -> None:
    assert len(encoding.PARTNERSHIP_BLOCKS) == 37
    assert encoding.layout_hash(37) == PARTNERSHIP_HASH
    assert encoding.fits_layout(PARTNERSHIP_HASH) and encoding.fits_layout(LAYOUT_HASH)
    assert encoding.layout_hash(46) == GAMES_HASH and encoding.fits_layout(GAMES_HASH)
    assert encoding.fits_layout(encoding.layout_hash(38))
    for digest in (encoding.layout_hash(36), "", "60869793f75f"):
        assert not encoding.fits_layout(digest)
    last = LAYOUT[encoding.PARTNERSHIP_BLOCKS[-1]]
    assert (last.name, last.start + last.size) == ("rules", 501)


def test_every_entry_is_used() -> None:
    touched = np.zeros(OBSERVATION_SIZE, np.bool_)
    swaps = {"weak_hand": "swap3", "weak_hand_test": "three_low", "swap3_shown": True}
    best = {"call_for_best": "always", "allow_alone": True, "canadian_loner": True}
    positions = chain(
        random_positions(7, 400),
        random_positions(7, 100, **swaps),
        random_positions(7, 300, variants=True),
        random_positions(7, 200, **best),
        random_positions(8, 200, **best, joker=True, no_trump="off"),
    )
    for k, table in enumerate(positions):
        viewer = k // 7 % table.ruleset.players
        touched |= observe(table.s, table.ruleset, viewer, k % 2 == 0) != 0
    # A swap gives only nines and tens, which stand at 8 places in each frame, 9 together; the joker
    # is for partners, who have no dummy.
    always_zero = {"swapped": 16, "own_buried": 1}
    for name, block in LAYOUT.items():
        unused = int((~touched[block.slice]).sum())
        assert unused <= always_zero.get(name, 0), (name, unused)


def test_rule_codes_stand_in_the_observation() -> None:
    for preset in (*PRESETS, *VARIANT_PRESETS):
        ruleset = Ruleset.preset(preset)
        seen = observe(
            Table.dealt(ruleset, random_deck(random.Random(1), ruleset.joker), 0).s,
            ruleset,
            1,
            True,
        )
        codes = encoding.rule_codes(ruleset)
        assert (seen[LAYOUT["rules"].slice] == codes[:40]).all()
        others = seen[LAYOUT["other_rules"].slice]
        assert (others == (0 if ruleset.is_partnership else codes[40:48])).all()
        assert not seen[LAYOUT["house_rules"].slice].any()
        assert encoding.decode_rules(seen) == ruleset


@pytest.mark.parametrize("hands", [1, 127, 128, 200, 250])
def test_long_games_are_told_apart(hands: int) -> None:
    ruleset = Ruleset(target_score=None, hands_per_game=hands)
    table = Table.dealt(ruleset, random_deck(random.Random(1)), 0)
    assert encoding.decode_rules(observe(table.s, ruleset, 0, True)) == ruleset


# --- what must not look alike ------------------------------------------------------------------


def entries(table: Table, viewer: int, name: str, absolute: bool = True) -> list[int]:
    return observe(table.s, table.ruleset, viewer, absolute)[LAYOUT[name].slice].tolist()


def test_literal_entries() -> None:
    """Seat 0 deals KH; seat 1 passes; seat 2 looks."""
    hands = {0: "9H TH AC 9C 9S", 2: "TC JC QC KC TS"}
    t = Table("KH", 0, hands, score=(3, 8)).do("pass")
    assert entries(t, 2, "phase") == [0, 0, 1, 0, 0, 0, 0, 0, 0]  # bid1
    assert entries(t, 2, "turn") == [1, 0, 0, 0]
    assert entries(t, 2, "dealer") == [0, 0, 1, 0]
    assert np.flatnonzero(entries(t, 2, "hand")).tolist() == [1, 2, 3, 4, 19]
    assert np.flatnonzero(entries(t, 2, "upcard")).tolist() == [16]
    assert entries(t, 2, "upcard_place") == [1, 0, 0, 0, 0]
    assert entries(t, 2, "passed_round_1") == [0, 0, 0, 1]
    assert entries(t, 2, "score") == [53, 58]
    assert entries(t, 1, "score") == [58, 53]
    assert entries(t, 2, "trump") == [0, 0, 0, 0, 0]
    # In the trump frame: clubs are the first suit of the other colour, spades the second.
    assert np.flatnonzero(entries(t, 2, "hand", False)).tolist() == [1, 2, 3, 4, 7]
    assert np.flatnonzero(entries(t, 2, "upcard", False)).tolist() == [20]
    t.do("order_up with_partner 9S")
    assert entries(t, 2, "trump") == [0, 0, 1, 0, 0]
    assert entries(t, 2, "trump", False) == [0, 0, 0, 1, 0]
    assert entries(t, 2, "maker") == [1, 0, 0, 0]
    assert entries(t, 0, "maker") == [0, 0, 1, 0]
    assert np.flatnonzero(entries(t, 0, "own_discard")).tolist() == [18]
    assert not any(entries(t, 2, "own_discard"))
    assert entries(t, 2, "upcard_place") == [0, 0, 0, 0, 1]


def test_alone_and_with_partner_differ() -> None:
    alone = Table("KH", 0).do("order_up alone")
    together = Table("KH", 0).do("order_up with_partner")
    for viewer in range(4):
        assert entries(alone, viewer, "loner") != entries(together, viewer, "loner")
        assert sum(entries(together, viewer, "loner")) == 0
        assert sum(entries(together, viewer, "alone_declined")) == 1


@pytest.mark.parametrize("absolute", [False, True])
def test_a_dealer_about_to_discard_and_a_leader_do_not_look_alike(absolute: bool) -> None:
    table = Table("KH", 3).do("pass pass pass order_up with_partner")
    assert table.at == ("discard", 3)
    discarding = [observe(table.s, table.ruleset, viewer, absolute) for viewer in range(4)]
    table.do("KH")
    assert table.at == ("play", 0)
    leading = [observe(table.s, table.ruleset, viewer, absolute) for viewer in range(4)]
    for a in discarding:
        for b in leading:
            assert (a[LAYOUT["phase"].slice] != b[LAYOUT["phase"].slice]).any()


def test_each_phase_has_its_entry() -> None:
    for table in chain(random_positions(8, 40), random_positions(9, 40, variants=True)):
        for viewer in range(table.ruleset.players):
            phase = table.phase
            if phase == "weak_hand" and table.turn != viewer:
                phase = "bid1"  # others must not know that the seat is asked
            blocks = ("phase", "other_phase", "house_phase")
            found = [entry for name in blocks for entry in entries(table, viewer, name)]
            assert found == [int(p == phase) for p in rules.PHASES]


def test_histories_that_differ_in_one_public_act_differ() -> None:
    """Perfect recall: who passed, who led, and in which trick a card fell."""
    first = Table("9C", 0, {1: "9H TH QH KH AH", 3: "9D TD QD KD AD"})
    second = Table("9C", 0, {1: "9H TH QH KH AH", 3: "9D TD QD KD AD"})
    for t, order in ((first, ("9H", "TH")), (second, ("TH", "9H"))):
        t.do("pass pass pass order_up with_partner 9C")
        for card in order:
            while t.turn != 1:
                t.do(sorted(t.legal)[0])
            t.do(card)
    assert entries(first, 1, "played")[:25] == entries(second, 1, "played")[:25]
    assert entries(first, 1, "trick_of_card") != entries(second, 1, "trick_of_card")


# --- hidden state ------------------------------------------------------------------------------


def test_the_critics_part_shows_all_hands() -> None:
    t = Table("KH", 0, joker=True).do("order_up with_partner 9C")
    out = np.full(encoding.HIDDEN_SIZE, 7, np.uint8)
    for viewer in range(4):
        encoding.encode_hidden(t.s, t.r, viewer, True, out)
        block = {n: out[b.slice].reshape(b.shape) for n, b in encoding.HIDDEN_LAYOUT.items()}
        for k in range(4):
            held = {card_text(int(c)) for c in np.flatnonzero(block["all_hands"][k])}
            assert held == t.hand((viewer + k) % 4)
        assert np.flatnonzero(block["kitty"]).size == 4
        assert np.flatnonzero(block["discard"]).tolist() == [0]
