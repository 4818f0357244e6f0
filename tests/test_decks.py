"""The partnership game with 28 and 32 cards. Answers by hand."""

from __future__ import annotations

import dataclasses
import io
import json
import random
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.app.cli import main
from agents.app.table import Table as LiveTable
from agents.bids import count_bids
from agents.evaluation.match import play_match
from agents.selfplay.files import Plan
from agents.simple import greedy_action
from euchre_env import (
    BatchEnv,
    EuchreGymEnv,
    Ruleset,
    actions,
    cards,
    encoding,
    explain,
    render,
    rules,
    symmetry,
)
from euchre_env.aec import raw_env
from euchre_env.cards import CardError, card_id, card_text, deck_of
from euchre_env.kernels import shuffle
from euchre_env.record import GameRecord, load_records, record_hand, save_records
from euchre_env.render import shapes
from euchre_env.replay import replay
from euchre_env.ruleset import RulesetError
from euchre_env.testing import random_ruleset
from tests.table import Table, observe, random_deck, random_walk

HEARTS = (
    "7C 8C 9C TC JC QC KC AC 7S 8S 9S TS JS QS KS AS "
    "7D 8D 9D TD QD KD AD 7H 8H 9H TH QH KH AH JD JH"
)
NO_TRUMP = (
    "7C 8C 9C TC JC QC KC AC 7D 8D 9D TD JD QD KD AD "
    "7H 8H 9H TH JH QH KH AH 7S 8S 9S TS JS QS KS AS"
)
HANDS = {
    0: "AC KC AD 7H 8S",
    1: "7C JD 9H 9S TS",
    2: "8C 8D JH AS KS",
    3: "TC QC 7D 7S QH",
}


def large(lowest_rank: int = 7, **options: Any) -> Table:
    """Seat 0 deals and turns up the eight of hearts."""
    return Table("8H", 0, HANDS, lowest_rank=lowest_rank, **options)


# --- cards and frames --------------------------------------------------------------------------


@pytest.mark.parametrize(("frame", "order"), [(7, HEARTS), (9, NO_TRUMP)])
def test_bits_of_wide_frames(frame: int, order: str) -> None:
    for bit, text in enumerate(order.split()):
        card = card_id(text)
        assert cards.CARD_AT[frame, bit] == card
        assert cards.BIT_OF[frame, card] == bit
        assert cards.cards_of(1 << bit, frame) == [card]
    assert cards.BIT_OF[frame, cards.JOKER] == -1


def test_ids_of_the_cards_below_nine() -> None:
    texts = ["8C", "8D", "8H", "8S", "7C", "7D", "7H", "7S"]
    assert [card_id(text) for text in texts] == list(range(25, 33))
    assert [card_text(card) for card in range(25, 33)] == texts


def test_wide_sets_convert_as_their_cards_do() -> None:
    rng = random.Random(1)
    for _ in range(1000):
        frame = rng.randrange(5, 10)
        ids = rng.sample([*range(24), *range(25, 33)], rng.randrange(33))
        natural, framed = cards.set_of(ids, 9), cards.set_of(ids, frame)
        assert cards.from_natural(natural, frame) == framed
        assert cards.to_natural(framed, frame) == natural
        high, low = cards.split_low(framed, frame)
        assert sorted(cards.cards_of(high, frame - 5)) == sorted(i for i in ids if i < 24)
        assert cards.popcount(np.int64(low)) == sum(i > 24 for i in ids)
        assert cards.join_low(high, low, frame) == framed
        if ids:
            assert 1 << int(cards.lowest_bit(np.int64(framed))) == framed & -framed


@pytest.mark.parametrize(
    ("suit", "order"),
    [
        ("H", "JH JD AH KH QH TH 9H 8H 7H"),
        ("D", "AD KD QD TD 9D 8D 7D"),
        ("C", "AC KC QC JC TC 9C 8C 7C"),
    ],
)
def test_order_of_a_suit_when_hearts_are_trump(suit: str, order: str) -> None:
    out = np.zeros(25, np.int64)
    count = rules.suit_order("CDHS".index(suit), 7, False, out)
    assert " ".join(card_text(int(card)) for card in out[:count]) == order


def test_decks_of_larger_games() -> None:
    eights = [*range(24), 25, 26, 27, 28]
    assert deck_of(eights, lowest_rank=8).tolist() == [*eights, -1, -1, -1, -1]
    assert deck_of(NO_TRUMP, lowest_rank=7).tolist() == [card_id(c) for c in NO_TRUMP.split()]
    with pytest.raises(CardError, match="7C, 7D, 7H, 7S, but the rule set has lowest_rank=8"):
        deck_of(NO_TRUMP, lowest_rank=8)
    with pytest.raises(CardError, match="28 cards, this one has 24: missing 8C, 8D, 8H, 8S"):
        deck_of(range(24), lowest_rank=8)


# --- actions -----------------------------------------------------------------------------------


def test_action_ids_go_on_behind_those_of_the_small_deck() -> None:
    texts = ["8C", "8D", "8H", "8S", "7C", "7D", "7H", "7S"]
    assert list(actions.ACTION_TEXT[38:]) == texts
    assert [actions.action_id(text) for text in texts] == list(range(38, 46))
    s = large().s  # hearts stand last in its frame, diamonds before them
    in_frame = {text: actions.action_id(text, "trump", s) for text in texts}
    assert in_frame == {
        "8C": 38, "8S": 39, "8D": 40, "8H": 41, "7C": 42, "7S": 43, "7D": 44, "7H": 45,
    }  # fmt: skip
    assert actions.action_id("9C", "trump", s) == 0 and actions.action_id("JH", "trump", s) == 23
    assert actions.count_actions(Ruleset()) == 38
    assert actions.count_actions(Ruleset(), Ruleset(lowest_rank=8)) == 46


def test_sizes_of_decks() -> None:
    sizes = {"american": 24, "joker=true": 25, "euchre28": 28, "euchre32": 32}
    found = {text: int(rules.deck_size(Ruleset.parse(text).record()[0])) for text in sizes}
    assert found == sizes


def test_actions_and_cards_by_id() -> None:
    texts = {0: "9C", 23: "AS", 24: "JOKER", 38: "8C", 41: "8S", 42: "7C", 45: "7S"}
    lay = {action: card_id(text) for action, text in texts.items()}
    assert {action: rules.card_of_action(action) for action in lay} == lay
    assert {rules.action_of_card(card): card for card in lay.values()} == lay
    assert [rules.card_of_action(action) for action in (25, 37)] == [-1, -1]


def test_cards_that_actions_lay() -> None:
    for lowest, low in ((9, "KC"), (8, "8C"), (7, "7C")):
        t = Table("9H", 0, {0: f"{low} 9C JH TH 9S"}, lowest_rank=lowest)
        frame = int(t.s.frame)
        assert int(rules.cards_laid(np.int64(rules.legal(t.s, t.r)), frame)) == 0  # calls
        t.do("order_up with_partner")
        allowed = int(rules.cards_laid(np.int64(rules.legal(t.s, t.r)), frame))
        assert t.texts(allowed) == {low, "9C", "JH", "TH", "9S", "9H"}
        with_a_pass = np.int64(rules.legal(t.s, t.r) | (1 << rules.PASS))
        assert int(rules.cards_laid(with_a_pass, frame)) == allowed
        for bit in [bit for bit in range(cards.N_BITS) if allowed >> bit & 1]:
            action = int(rules.card_action(np.int64(bit), frame))
            assert int(rules.cards_laid(np.int64(1 << action), frame)) == 1 << bit


def test_cards_that_a_deck_lacks() -> None:
    t = Table("8H", 0, lowest_rank=8)
    assert t.texts(rules.missing_cards(t.r, t.s.frame)) == {"7C", "7D", "7H", "7S"}
    assert int(rules.missing_cards(large().r, t.s.frame)) == 0


# --- the game ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("lowest", "kitty"), [(7, 11), (8, 7)])
def test_the_deal(lowest: int, kitty: int) -> None:
    t = Table("8H", 0, lowest_rank=lowest)
    assert [cards.popcount(int(hand)) for hand in t.s.hand] == [5] * 4
    assert cards.popcount(int(t.s.kitty)) == kitty
    assert t.texts(t.s.upcard) == {"8H"}
    assert t.at == ("bid1", 1)


def test_the_upcard_is_taken_and_an_eight_is_laid_away() -> None:
    t = large().do("order_up with_partner")
    assert t.at == ("discard", 0)
    assert t.legal == {"AC", "KC", "AD", "7H", "8S", "8H"}
    t.do("8S")
    assert t.texts(t.s.discard) == {"8S"}
    assert t.hand(0) == {"AC", "KC", "AD", "7H", "8H"}


def test_a_hand_with_low_cards() -> None:
    """Eights and sevens follow, lose to all above them and ruff; the left bower is a heart."""
    t = large().do("order_up with_partner 8S")
    t.do("7C 8C TC")
    assert t.legal == {"AC", "KC"}
    t.do("AC")
    assert t.s.winner == 0
    t.do("AD")
    assert t.turn == 1 and t.legal == {"JD", "9H", "9S", "TS"}  # the jack is no diamond
    t.do("9S 8D 7D")
    assert t.s.winner == 0
    t.do("KC 9H")  # a ruff
    assert t.legal == {"JH", "AS", "KS"}
    t.do("KS QC")
    assert t.s.winner == 1
    t.do("TS AS 7S")
    assert t.legal == {"7H", "8H"}
    t.do("7H")  # the seven of trump takes the ace of spades
    assert t.s.winner == 0
    t.do("8H JD JH QH")
    assert t.s.winner == 2
    assert (t.tricks, t.points) == ([4, 1], (2, 0))  # East called and is euchred


def test_a_call_of_another_suit_moves_every_card() -> None:
    t = large(no_trump="round2").do("pass pass pass pass")
    before = [t.hand(seat) for seat in range(4)]
    assert t.legal == {"pass", "call_C", "call_D", "call_S", "call_NT"}
    t.do("call_S with_partner")
    assert [t.hand(seat) for seat in range(4)] == before
    assert int(t.s.frame) == 8
    other = large(no_trump="round2").do("pass pass pass pass call_NT with_partner")
    assert [other.hand(seat) for seat in range(4)] == before
    assert (int(other.s.frame), int(other.s.trump)) == (9, 4)
    other.do("JD")
    assert other.legal == {"8D"}  # no bowers without trump


@pytest.mark.parametrize("lowest", [7, 8])
def test_every_card_of_the_deck_is_dealt_everywhere(lowest: int) -> None:
    r = Ruleset(lowest_rank=lowest).record()[0]
    s = rules.new_states(1)[0]
    s.rng = 5
    size = 24 + 4 * (9 - lowest)
    ids, seen = cards.deck_cards(lowest_rank=lowest), np.zeros((33, size), int)
    for _ in range(2000):
        deck = np.zeros(32, np.int8)
        shuffle(s, r, deck)
        assert sorted(deck[:size].tolist()) == ids and (deck[size:] == -1).all()
        seen[deck[:size], range(size)] += 1
    mean = 2000 / size
    assert abs(seen[ids] - mean).max() < 6 * mean**0.5


@pytest.mark.parametrize(
    ("lowest", "ways"),
    [  # of none to five trumps among five cards
        (9, [6188, 16660, 14280, 4760, 595, 21]),
        (8, [15504, 38760, 31920, 10640, 1400, 56]),
        (7, [33649, 79695, 63756, 21252, 2898, 126]),
    ],
)
def test_chances_of_trumps_by_deck(lowest: int, ways: list[int]) -> None:
    """Of 24 cards seven are trumps, of 28 eight, of 32 nine; dealt hands keep to that."""
    size, trumps = 24 + 4 * (9 - lowest), 7 + 9 - lowest
    assert sum(ways) == comb(size, 5)
    ruleset, hands = Ruleset(lowest_rank=lowest), 4000
    r, s, deck = ruleset.record()[0], rules.new_states(1)[0], np.zeros(32, np.int8)
    s.rng, found = 11, np.zeros(6, int)
    for _ in range(hands // 4):
        shuffle(s, r, deck)
        for seat in range(4):  # hearts are trump, whatever is turned up
            dealt = cards.set_of(deck[5 * seat : 5 * seat + 5].tolist(), 7)
            found[cards.popcount(dealt & int(cards.TRUMPS[7]))] += 1
    whole = cards.set_of(cards.deck_cards(lowest_rank=lowest), 7)
    assert cards.popcount(int(cards.TRUMPS[7]) & whole) == trumps
    for count, number in zip(found, ways):
        expected = hands * number / comb(size, 5)
        assert abs(count - expected) < 5 * expected**0.5 + 2


# --- environments ------------------------------------------------------------------------------


def test_spaces_and_masks_of_the_single_game() -> None:
    env = raw_env("euchre32")
    env.reset(seed=3)
    assert env.action_space("player_0").n == 46
    seen = env.observe(env.agent_selection)
    assert seen["observation"].shape == (encoding.WIDE_OBSERVATION_SIZE,) == (694,)
    assert np.flatnonzero(seen["action_mask"]).tolist() == [25, 26]
    assert env.state().shape == (694 + encoding.WIDE_HIDDEN_SIZE,)
    small = raw_env("american")
    small.reset(seed=3)
    seen = small.observe(small.agent_selection)
    assert (len(seen["observation"]), len(seen["action_mask"])) == (597, 38)


def test_a_seven_is_discarded_and_shown_to_its_dealer_alone() -> None:
    env = raw_env("euchre32")
    deck = " ".join([*(HANDS[seat] for seat in range(4)), "8H"])
    rest = [c for c in HEARTS.split() if c not in deck.split()]
    env.reset(seed=1, options={"dealer": 0, "deck": f"{deck} {' '.join(rest)}"})
    for word in ("order_up", "with_partner"):
        env.step(actions.action_id(word))
    mask = env.observe("player_0")["action_mask"]
    legal = {actions.action_text(int(a)) for a in np.flatnonzero(mask)}
    assert legal == {"AC", "KC", "AD", "7H", "8S", "8H"}
    env.step(actions.action_id("8S"))
    layout = encoding.WIDE_LAYOUT
    for seat in range(4):
        seen = env.observe(f"player_{seat}")["observation"]
        own = np.flatnonzero(seen[layout["low_own_discard"].slice]).tolist()
        assert own == ([3] if seat == 0 else [])  # eights of C D H S, then sevens
        hand = np.flatnonzero(seen[layout["low_hand"].slice]).tolist()
        assert hand == [[2, 6], [4], [0, 1], [5, 7]][seat]
        assert seen[layout["low_ranks"].slice] == [2]


def test_a_batch_with_one_larger_deck_is_wide_as_a_whole() -> None:
    env = BatchEnv(64, ["american", "euchre28"], seed=4, hidden=True)
    env.reset()
    assert env.observation.shape == (64, 694) and env.action_mask.shape == (64, 46)
    low = env.observation[:, encoding.WIDE_LAYOUT["low_ranks"].start]
    assert set(env.which.tolist()) == {0, 1}
    assert (low == env.which).all()
    for _ in range(100):
        env.step(env.random_actions())
    assert not env.action_mask[env.which == 0, 38:].any()
    assert not env.observation[env.which == 0, 597:].any()


def test_the_small_deck_keeps_its_observations() -> None:
    env = BatchEnv(4, "stick", seed=1)
    assert env.reset().shape == (4, 597) and env.action_mask.shape == (4, 38)
    assert encoding.fits_layout("a837e2f75eb0") and encoding.fits_layout("60869793f75e")
    assert not encoding.fits_layout("a837e2f75eb0", wide=True)
    assert not encoding.fits_layout(encoding.layout_hash(wide=True))
    assert encoding.fits_layout(encoding.layout_hash(wide=True), wide=True)


def test_the_gymnasium_environment() -> None:
    env = EuchreGymEnv("euchre32", seat=1)
    seen, info = env.reset(seed=2)
    assert env.observation_space.contains(seen) and len(info["action_mask"]) == 46
    assert env.action_space.n == 46
    over = False
    while not over:
        action = np.flatnonzero(env.action_masks())[-1]
        seen, _, over, _, _ = env.step(action)
    assert encoding.decode_rules(seen) == Ruleset.preset("euchre32")


@pytest.mark.parametrize("absolute", [False, True])
def test_literal_entries_of_a_trick(absolute: bool) -> None:
    t = large().do("order_up with_partner 8S 7C 8C")
    seen = observe(t.s, t.ruleset, 3, absolute)
    layout = encoding.WIDE_LAYOUT
    block = {n: seen[b.slice].reshape(b.shape) for n, b in layout.items()}
    # From West: the left neighbour is the dealer; then East, who led 7C, and South with 8C.
    assert np.argwhere(block["low_trick_cards"]).tolist() == [[2, 4], [3, 0]]
    assert np.argwhere(block["low_played"]).tolist() == [[2, 4], [3, 0]]
    assert np.flatnonzero(block["low_trick_of_card"]).tolist() == [0, 4]
    upcard = 2 if absolute else 3
    assert np.flatnonzero(block["low_upcard"]).tolist() == [upcard]
    assert not block["trick_cards"].any()
    assert np.flatnonzero(block["winner"]).tolist() == [3]


def test_every_low_entry_is_used() -> None:
    rng, touched = random.Random(5), np.zeros(694, np.bool_)
    ruleset = Ruleset(lowest_rank=7)
    for _ in range(400):
        table = Table.dealt(ruleset, random_deck(rng, lowest=7), rng.randrange(4))
        for t in random_walk(table, rng):
            touched |= observe(t.s, ruleset, rng.randrange(4), rng.random() < 0.5) != 0
    assert touched[597:].all()


# --- suits in an order of their own ------------------------------------------------------------


def test_suit_order_of_wide_observations() -> None:
    """Two names of one game become the same, masks and hidden cards with them."""
    order = symmetry.SuitOrder(encoding.WIDE_LAYOUT, encoding.WIDE_HIDDEN_LAYOUT)
    rng, swaps = random.Random(7), 0

    def parts(s: Any, ruleset: Ruleset) -> list[np.ndarray]:
        seen = observe(s, ruleset, int(s.turn), False)[None].copy()
        legal = int(rules.legal(s, ruleset.record()[0]))
        mask = np.array([[legal >> a & 1 for a in range(46)]], np.int8)
        hidden = np.zeros((1, encoding.WIDE_HIDDEN_SIZE), np.uint8)
        encoding.encode_hidden(s, ruleset.record()[0], int(s.turn), False, hidden[0])
        return [seen, mask, hidden]

    for _ in range(40):
        ruleset = random_ruleset(rng, decks=True).replace(
            lowest_rank=rng.choice((7, 8)),
            joker=False,
            weak_hand="off",
            no_trump="off",
            call_for_best="off",
        )
        deck = random_deck(rng, lowest=ruleset.lowest_rank)
        for t in random_walk(Table.dealt(ruleset, deck, rng.randrange(4)), rng):
            if t.phase == "over":
                break
            swap = symmetry.other_suits_swap(int(cards.trump_of(t.s.frame)))
            here = parts(t.s, ruleset)
            there = parts(symmetry.move_state(t.s, swap), ruleset)
            alike = all((a == b).all() for a, b in zip(here[:1], there[:1]))
            (one,), (two,) = order.apply(*here), order.apply(*there)
            if one != two:
                swaps += 1
                assert all((a == b).all() for a, b in zip(here, there))
            else:
                assert alike or not (one or two)
    assert swaps > 200


# --- players -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rule_set", ["euchre32", "stick,lowest_rank=8"])
def test_greedy_beats_random_with_larger_decks(rule_set: str) -> None:
    found = play_match("greedy", "random", 300, rule_set, seed=2)
    assert found.points_per_hand > 0.3


def test_greedy_keeps_high_cards_of_a_large_deck() -> None:
    t = large().do("order_up with_partner")
    chosen = int(greedy_action(t.s, t.r, rules.legal(t.s, t.r)))
    assert actions.action_text(chosen, "trump", t.s) == "8S"


def test_players_of_the_small_deck_are_refused_by_name() -> None:
    ruleset = Ruleset.preset("euchre32")
    with pytest.raises(ValueError, match=r"heuristic plays with the deck of 24 cards only.*greedy"):
        play_match("heuristic", "random", 10, ruleset)


# --- records, words, pictures ------------------------------------------------------------------


def recorded(lowest_rank: int, seed: int) -> GameRecord:
    """A game of four hands that random play went through."""
    ruleset = Ruleset(lowest_rank=lowest_rank, stick_the_dealer=True)
    rng, deals = random.Random(seed), []
    for number in range(4):
        deck, dealer = random_deck(rng, lowest=lowest_rank), rng.randrange(4)
        history = []
        table = Table.dealt(ruleset, deck, dealer)
        while table.phase != "over":
            history.append(rng.choice(sorted(table.legal)))
            table.do(history[-1])
        dealt = deck_of(deck, lowest_rank=lowest_rank)
        deals.append(record_hand(ruleset, dealt, dealer, history, number + 1))
    return GameRecord(ruleset=ruleset, deals=tuple(deals))


@pytest.mark.parametrize("name", ["game.jsonl", "game.egn"])
@pytest.mark.parametrize("lowest", [7, 8])
def test_records_go_there_and_back(lowest: int, name: str, tmp_path: Path) -> None:
    for seed in range(5):
        game = recorded(lowest, seed)
        results, faults = replay(game)
        assert not faults
        save_records(tmp_path / name, [game])
        (again,) = load_records(tmp_path / name)
        assert again.ruleset == game.ruleset and again.deals == game.deals
        assert replay(again) == (results, [])
        if name.endswith("egn"):
            told = json.loads((tmp_path / name).read_text())["metadata"]
            assert told["ruleset"]["min_rank"] == lowest and "euchre_env_ruleset" not in told


def test_a_record_with_hidden_cards_is_filled_from_the_larger_deck() -> None:
    game = recorded(7, 3)
    deals = [
        dataclasses.replace(deal, hands=((), (), (), ()), kitty=(), discard=None)
        for deal in game.deals
    ]
    results, faults = replay(dataclasses.replace(game, deals=tuple(deals)))
    assert not faults
    assert [r.points for r in results] == [r.points for r in replay(game)[0]]


def test_a_low_card_in_a_record_of_the_small_deck_is_a_fault() -> None:
    game = recorded(7, 1)
    _, faults = replay(dataclasses.replace(game, ruleset=Ruleset(stick_the_dealer=True)))
    assert len(faults) == 4
    assert "is there, but the rule set has lowest_rank=9" in faults[0].message


def test_words_for_low_cards() -> None:
    t = large().do("order_up with_partner")
    assert explain.tell(t.s, actions.action_id("8S")) == "North lays away the 8S"
    assert explain.tell(t.s, actions.action_id("8S"), 1) == "North lays away a card"
    t.do("8S 7C 8C TC")
    seven = actions.action_id("7H")
    assert explain.why_illegal(t.s, t.r, seven) == (
        "Follow suit: clubs were led, so play KC or AC."
    )
    assert explain.why_illegal(t.s, t.r, actions.action_id("8H")).startswith("Follow suit: clubs")
    assert explain.why_illegal(t.s, t.r, actions.action_id("7S")) == "The 7S is not in your hand."
    assert explain.card_name(card_id("7D")) == "seven of diamonds"
    assert explain.tell(t.s, actions.action_id("AC")) == "North plays AC"


def test_pictures_show_low_cards() -> None:
    t = large().do("order_up with_partner 8S 7C 8C")
    items = render.drawing(t.s, t.r, None)
    text = render.ansi(items, colour=False)
    assert all(f"[{card}]" in text for card in ("8D", "JH", "7D", "7S", "7H", "7C"))
    assert "(8C)" in text  # it is winning the trick
    assert "8 of hearts" in render.svg(items) or "8H" in text
    for card in range(25, 33):
        assert len(shapes.face(card)) == (8 if card < 29 else 7) + 4


def test_a_hand_is_played_at_the_table() -> None:
    ruleset = Ruleset.preset("euchre32")
    table = LiveTable(ruleset, ["greedy", None, "random", "greedy"], 4, length="hand")
    while not table.over:
        if table.waits_for_person:
            table.act(table.legal[-1])
        else:
            table.advance()
    (game,) = [table.game_record()]
    assert replay(game)[1] == []


# --- players that search and learn -------------------------------------------------------------


def test_pimc_plays_larger_decks() -> None:
    assert play_match("pimc:4", "random", 30, "euchre32", seed=3).points_per_hand > 0.5
    with pytest.raises(ValueError, match="deck of 24 cards only"):
        play_match("oracle", "random", 10, "euchre28")


def test_rows_of_decisions_are_refused() -> None:
    with pytest.raises(RulesetError, match="lowest_rank=7: rows of decisions are for the deck of"):
        Plan(("greedy",), 2, Path("rows.npz"), (Ruleset.preset("euchre32"),))


def test_a_person_sits_down_with_point_counters(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hint\n9s\n7c\nquit\n"))
    main(["play", "--ruleset", "euchre32", "--seed", "3", "--length", "hand"])
    told = capsys.readouterr().out
    assert "Your hand: 7C 8H 9H AH QD" in told
    assert "knows the deck of 24 cards only: no advice here" in told


def test_bids_count_low_trumps() -> None:
    """East holds the jack of diamonds and the nine of hearts, South the jack alone."""
    t = large().do("pass")
    seen = observe(t.s, t.ruleset, 2, False)[None]
    mask = np.zeros((1, 46), np.int8)
    mask[0, [25, 26]] = 1
    first, _ = count_bids(seen, mask, np.array([25]))
    assert first.turns.sum() == 1 and first.turns[1, 1] == 1
    dealer = large().do("pass pass pass")
    first, _ = count_bids(observe(dealer.s, dealer.ruleset, 0, False)[None], mask, np.array([25]))
    assert first.turns[3, 1] == 1  # the seven of hearts
