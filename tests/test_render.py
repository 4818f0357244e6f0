"""The drawing list: what it shows of a game, and what a seat may not see."""

import random
from typing import Any

import numpy as np
import pytest
from test_aec import DUEL, DUEL_DECK, EUCHRED, MAKE, WORKED, play

from euchre_env import Ruleset, action_id, render
from euchre_env.aec import AGENTS, raw_env
from euchre_env.cards import card_id, cards_of, popcount, set_of
from euchre_env.render import Box, Card, Item, Overlay, Suit, Text, ansi, drawing
from euchre_env.rules import BID1, WEAK_HAND, hide, left
from euchre_env.ruleset import VARIANT_PRESETS
from euchre_env.testing import random_ruleset
from tests.table import CLUB_UP, ROUND_TWO, SPREAD

NAMES = ("champion+search-x", "heuristic", "you", "random-player-1")


def made(history: str = "", dealer: int = 2, deck: str = WORKED, **arguments: Any) -> raw_env:
    env = raw_env(**arguments)
    env.reset(seed=1, options={"dealer": dealer, "deck": deck})
    play(env, history)
    return env


def drawn(env: raw_env, viewer: int | None = None, **arguments: Any) -> list[Item]:
    return drawing(env.record, env.ruleset.record()[0], viewer, **arguments)


def texts(env: raw_env, viewer: int | None = None, **arguments: Any) -> list[str]:
    items = drawn(env, viewer, **arguments)
    return [
        item.text if item.word is None else item.word for item in items if isinstance(item, Text)
    ]


def cards(env: raw_env, viewer: int | None = None, **arguments: Any) -> list[Card]:
    """The cards that a text shows too: not the rest of the kitty below the upcard."""
    return [c for c in drawn(env, viewer, **arguments) if isinstance(c, Card) and c.cell]


# ---- what is shown -------------------------------------------------------------------------------


def test_bidding() -> None:
    env = made("pass pass")
    shown = texts(env)
    assert shown.count("pass") == 2
    assert {"> East", "East to order up or pass", "no trump suit yet", "upcard"} <= set(shown)
    assert "(dealer)" in shown and "(maker)" not in shown
    assert [c.card for c in cards(env)].count(card_id("KH")) == 1
    assert len(cards(env)) == 21


def test_columns_of_the_calls_start_left_of_the_dealer() -> None:
    env = made(dealer=0)
    seats = [i.text for i in drawn(env) if isinstance(i, Text) and i.cell and i.cell[1] == 0]
    assert seats[-4:] == ["East", "South", "West", "North"]


def test_a_card_turned_down() -> None:
    env = made("pass pass pass pass pass")
    assert "K of hearts turned down" in texts(env)
    assert card_id("KH") not in [c.card for c in cards(env)]
    shown = [i for i in drawn(env) if isinstance(i, Text) and i.text == "pass"]
    assert sorted({i.y for i in shown}) == [96, 142]
    assert texts(env).count("pass") == 5
    play(env, "call_S")
    suits = [i for i in drawn(env) if isinstance(i, Suit) and i.cell]
    assert [(s.suit, s.y) for s in suits] == [(3, 142)]  # North called spades in round 2
    assert {"spades are trump", "called by North", "(maker)"} <= set(texts(env))


def test_thrown_in() -> None:
    env = made("pass " * 8)
    assert {"thrown in", "The hand is thrown in", "West deals next"} <= set(texts(env))
    assert texts(env).count("pass") == 8


def test_the_upcard_is_still_up_while_the_maker_thinks_of_going_alone() -> None:
    env = made("pass order_up")
    assert "North to go alone or not" in texts(env)
    assert not [t for t in texts(env) if "turned down" in t or "took" in t]


def test_the_card_laid_away_is_known_to_who_laid_it() -> None:
    env = made("pass pass pass order_up with_partner")
    assert "South to lay a card away" in texts(env)
    assert "laid away" not in texts(env)
    play(env, "9D")
    assert "South took the K of hearts" in texts(env)
    for viewer, face in ((None, card_id("9D")), (2, card_id("9D")), (0, None), (1, None)):
        assert "laid away" in texts(env, viewer)
        assert [c.card for c in cards(env, viewer) if c.scale < 1] == [face]


def test_the_trick_and_its_winner() -> None:
    env = made("pass pass pass order_up with_partner 9D AD TD")
    lit = [c for c in cards(env) if c.lit]
    assert [(c.card, c.cell) for c in lit] == [(card_id("AD"), (33, 11))]  # West's place
    assert "East to follow" in texts(env)
    play(env, "JS QH")
    assert {"to South", "South to lead", "> South"} <= set(texts(env))
    assert [c.card for c in cards(env) if c.lit] == [card_id("QH")]
    assert {c.card for c in cards(env) if c.faded} == set(map(card_id, ["9D", "AD", "TD", "JS"]))
    play(env, "JH")
    small = [(c.card, c.lit) for c in cards(env) if c.scale < 1 and c.cell and c.cell[1] == 19]
    assert small == [(card_id(w), w == "QH") for w in ("AD", "TD", "JS", "QH")]
    assert "last trick" in texts(env)


def test_a_lone_hand() -> None:
    env = made(" ".join(EUCHRED.split()[:3]))
    assert {"called by North, alone", "(alone)", "(sits out)", "K of hearts out of play"} <= set(
        texts(env)
    )
    south = set(map(card_id, WORKED.split()[10:15]))
    assert {c.card for c in cards(env) if c.faded} == south


def test_two_lone_hands() -> None:
    env = made(" ".join(DUEL.split()[:7]), 0, DUEL_DECK, ruleset=Ruleset(defend_alone="vs_loner"))
    assert {"(alone)", "(defends alone)", "South defends alone"} <= set(texts(env))
    assert texts(env).count("(sits out)") == 2


def test_the_end_of_a_hand_and_of_a_game() -> None:
    env = made(MAKE)
    shown = texts(env)
    assert {"North and South make 1 point", "4 of 5 tricks to the makers"} <= set(shown)
    assert "West deals next" in shown
    assert not [t for t in shown if t.startswith(">")]
    env = raw_env()
    env.reset(seed=1, options={"dealer": 2, "deck": WORKED, "score": (9, 0)})
    play(env, MAKE)
    assert "North and South win the game" in texts(env)


def test_a_renege_and_no_trump() -> None:
    env = made(
        ruleset=Ruleset(renege="penalised"), history="pass pass pass order_up with_partner 9D"
    )
    play(env, "AD KS")  # North holds the ten of diamonds
    assert "(reneged)" in texts(env)
    assert "East and West make 2 points" in texts(env)
    env = made("pass pass pass pass call_NT", ruleset=Ruleset(no_trump="round2"))
    assert {"NT", "no trump"} <= set(texts(env))


def test_the_joker() -> None:
    deck = WORKED.split()
    env = made(deck=" ".join([*deck[:20], "JOKER", *deck[21:], "KH"]), ruleset=Ruleset(joker=True))
    assert "South to name trump" in texts(env)
    play(env, "call_H")
    assert [s.suit for s in drawn(env) if isinstance(s, Suit) and s.cell] == [2]


def test_length_of_game_and_match() -> None:
    assert "to 10" in texts(made())
    assert "8 hands" in texts(made(ruleset=Ruleset(hands_per_game=8, target_score=None)))
    assert "to 10, games 0:0" in texts(made(ruleset=Ruleset(match_games=3)))


def test_names_stand_beside_the_seats() -> None:
    env = made("pass pass pass order_up")
    shown = texts(env, names=["a", "b\x1b[2J", "a name that is far too long", "d"])
    assert {"North, a", "East, b?[2J", "> South, a name that is..", "West, d"} <= set(shown)
    with pytest.raises(ValueError, match="one a seat"):
        drawn(env, names=["a", "b"])


# ---- an agent's figures --------------------------------------------------------------------------


def figures(*entries: tuple[str, float | None, float | None]) -> Overlay:
    return Overlay([(action_id(word), p, v) for word, p, v in entries], "agent")


def test_figures_of_calls() -> None:
    env = made("pass pass")
    overlay = figures(("pass", 0.834, -0.126), ("order_up", 0.166, None))
    shown = texts(env, overlay=overlay)
    assert {"agent", "83%", "-0.13", "17%", "order up"} <= set(shown)
    lit = [i.text for i in drawn(env, overlay=overlay) if isinstance(i, Text) and i.colour[2] == 90]
    assert {"83%", "-0.13"} <= set(lit) and "17%" not in lit


def test_figures_of_cards_stand_below_them() -> None:
    env = made("pass pass pass order_up with_partner 9D AD TD JS QH")
    overlay = figures(("JH", 0.7, 1.0), ("AC", 0.3, -1.0), ("QD", 0.5, 2.0))
    items = drawn(env, overlay=overlay)
    jack = next(c for c in items if isinstance(c, Card) and c.card == card_id("JH"))
    below = [i.text for i in items if isinstance(i, Text) and i.x == jack.x and i.y > jack.y]
    assert below == ["70%", "+1.00"]
    assert "50%" not in texts(env, overlay=overlay)  # the queen of diamonds is not in the hand


def test_figures_are_for_the_seat_to_act_only() -> None:
    env = made("pass pass")
    overlay = figures(("pass", 0.83, -0.12))
    assert "83%" in texts(env, 1, overlay=overlay)
    for viewer in (0, 2, 3):
        assert texts(env, viewer, overlay=overlay) == texts(env, viewer)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ((46, 0.5, None), "action 46"),
        ((-1, 0.5, None), "action -1"),
        ((25, 1.5, None), "probability 1.5"),
        ((25, float("nan"), None), "probability nan"),
        ((25, None, float("inf")), "value inf"),
    ],
)
def test_a_figure_out_of_bounds_is_named(entry: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Overlay([entry])


# ---- hidden cards --------------------------------------------------------------------------------


FIELDS = [
    *(("hand", seat) for seat in range(4)),
    ("kitty", None),
    ("spare", None),
    ("discard", None),
    ("dummy", None),
    ("buried", None),
]
OTHER_GAMES = (
    *VARIANT_PRESETS,
    "cutthroat,widow_exchange=true,drop_out=true",
    "two_hand,two_hand_dummy=maker",
)


def held(s: Any, name: str, seat: int | None) -> int:
    return int(s[name] if seat is None else s[name][seat])


def hold(s: Any, name: str, seat: int | None, cards: int) -> None:
    if seat is None:
        s[name] = cards
    else:
        s[name][seat] = cards


def reshuffled(s: Any, r: Any, viewer: int, rng: random.Random) -> Any:
    """The record with all that ``viewer`` cannot know dealt anew."""
    other, known = s.copy(), s.copy()
    hide(known, r, viewer)
    hidden = [field for field in FIELDS if held(s, *field) != held(known, *field)]
    pool = [card for field in hidden for card in cards_of(held(s, *field), int(s.frame))]
    rng.shuffle(pool)
    for field in hidden:
        count = popcount(held(s, *field))
        cut, pool = pool[:count], pool[count:]
        hold(other, *field, set_of(cut, int(s.frame)))
    if s.swapped != known.swapped:
        other.swapped = other.kitty
    if s.phase == WEAK_HAND and s.turn != viewer:
        other.phase, other.turn = BID1, left(int(s.dealer))
    other.rng = rng.getrandbits(60)
    return other


def ruleset_for(game: int | str, rng: random.Random) -> Ruleset:
    """A random rule set of the partnership game for a number, or what a text names."""
    return random_ruleset(rng) if isinstance(game, int) else Ruleset.parse(game)


@pytest.mark.parametrize("game", [*range(10), *OTHER_GAMES])
def test_what_a_seat_cannot_know_changes_nothing_that_it_sees(game: int | str) -> None:
    seed = game if isinstance(game, int) else 7
    rng = random.Random(seed)
    env = raw_env(ruleset_for(game, rng), episode="game", max_hands=2)
    players = env.ruleset.players
    names = NAMES[:players]
    env.reset(seed=seed)
    changed = 0
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        record, rules = env.record, env.ruleset.record()[0]
        before = record.tobytes()
        overlay = Overlay([(card, 0.1, 0.0) for card in range(25)])
        for viewer in range(players):
            other = reshuffled(record, rules, viewer, rng)
            shown = drawing(record, rules, viewer, overlay, names)
            assert shown == drawing(other, rules, viewer, overlay, names)
            changed += drawing(record, rules) != drawing(other, rules)
        assert record.tobytes() == before
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
    assert changed > 20


def test_a_seat_sees_its_own_hand_only() -> None:
    env = made()
    shown = [c.card for c in cards(env, 3)]
    assert shown.count(None) == 15
    assert card_id("AD") in shown and card_id("AS") not in shown


# ---- games without partners ----------------------------------------------------------------------


def opened(rules: str, deck: str, dealer: int, history: str = "") -> raw_env:
    return made(history, dealer, deck, ruleset=Ruleset.parse(rules))


def test_three_hands_and_a_dummy_face_down() -> None:
    env = opened("three_hand", SPREAD, 1, "pass pass order_up TC")
    shown = texts(env)
    assert {"North", "> East", "South", "dummy", "East to take or leave the dummy"} <= set(shown)
    assert not [t for t in shown if "West" in t]
    for viewer in (None, 0, 1):
        assert [c.cell for c in cards(env, viewer) if c.cell and c.cell[0] < 20] == [
            *((8, 11), (13, 11), (18, 11))
        ]
        assert not [c for c in cards(env, viewer) if c.cell and c.cell[0] < 20 and c.card]
    with pytest.raises(ValueError, match="must be 3 texts"):
        drawn(env, names=NAMES)


def test_what_is_laid_away_for_the_dummy_is_known_to_the_maker() -> None:
    env = opened("three_hand", SPREAD, 1, "pass pass order_up TC with_partner 9C KS")
    assert {"laid away by East", "East to lay cards away"} <= set(texts(env))
    for viewer, faces in ((None, ["9C", "KS"]), (1, ["9C", "KS"]), (0, None), (2, None)):
        away = [c.card for c in cards(env, viewer) if c.scale == 0.8]
        assert away == ([None] * 2 if faces is None else list(map(card_id, faces)))


def test_a_dummy_that_nobody_takes_is_grey() -> None:
    def faded(env: raw_env) -> set[bool]:
        return {c.faded for c in cards(env) if c.scale == 0.8}

    asked = opened("three_hand", SPREAD, 1, "pass pass order_up TC")
    assert faded(asked) == {False}
    play(asked, "alone")
    assert faded(asked) == {True}
    assert "(alone)" in texts(asked)
    spare = opened("cutthroat", SPREAD, 1)
    assert faded(spare) == {True}
    assert "spare hand" in texts(spare)
    assert faded(opened("cutthroat,widow_exchange=true", SPREAD, 1)) == {False}
    assert faded(opened("two_hand", SPREAD, 1)) == set()


def test_scores_by_seat() -> None:
    env = raw_env(Ruleset.preset("buck"))
    env.reset(seed=1, options={"dealer": 2, "deck": ROUND_TWO, "score": (12, 9, 21, 5)})
    items = [i for i in drawn(env) if isinstance(i, Text) and i.cell and i.cell[1] < 4]
    rows = [[i.text for i in items if i.cell[1] == k and i.cell[0] < 40] for k in range(4)]  # type: ignore[index]
    assert rows == [
        ["counts down from 25"],
        ["North", "East", "South", "West"],
        ["points", "12", "9", "21", "5"],
        ["tricks", "0", "0", "0", "0"],
    ]


def test_who_drops_out_is_greyed() -> None:
    env = opened("dirty_clubs", ROUND_TWO, 2, "pass pass pass pass pass pass call_C")
    assert "South to stay in or drop out" in texts(env)
    shown = texts(env, overlay=figures(("pass", 0.2, -0.1), ("keep", 0.8, 0.3)))
    assert {"drop out", "stay in"} <= set(shown)
    play(env, "keep keep pass AH QC")
    assert texts(env).count("(dropped out)") == 1
    north = set(map(card_id, ROUND_TWO.split()[:5]))
    assert {c.card for c in cards(env) if c.faded} == north
    grey = [i for i in drawn(env) if isinstance(i, Text) and i.text == "North" and i.y < 100]
    assert len({i.colour for i in grey}) == 1  # its plate, and the heads of its columns


def test_ends_of_hands_of_the_other_games() -> None:
    history = "pass pass order_up TC with_partner 9C KS JC 9S JS 9H AC JD KD 9D AD TH KH TS JH"
    shown = texts(opened("three_hand", SPREAD, 1, f"{history} AS AH QS"))
    assert {"East makes 1 point", "3 of 5 tricks to the maker", "South deals next"} <= set(shown)
    history = "pass pass order_up TC alone JD JH 9H AS KS 9S KD AC 9D AD TH QS KH TS JS"
    assert "North and South make 4 points each" in texts(opened("three_hand", SPREAD, 1, history))
    call = "pass pass pass pass pass pass call_C"
    history = f"{call} keep keep pass AH QC JD JC 9C TC JS QD KC AC KD TH TD AD QH"
    shown = texts(opened("dirty_clubs", ROUND_TWO, 2, history))
    assert {"West is set", "North 0, East -4", "South -1, West +5"} <= set(shown)
    shown = texts(opened("dirty_clubs", ROUND_TWO, 2, f"{call} pass pass pass"))
    assert {"All others dropped out", "North 0, East -5"} <= set(shown)
    env = raw_env(Ruleset.preset("dirty_clubs"))
    env.reset(seed=1, options={"dealer": 2, "deck": ROUND_TWO, "score": (12, 4, 21, 5)})
    play(env, history)
    assert "East wins the game" in texts(env)


def test_a_club_turned_up_has_no_caller() -> None:
    env = opened("dirty_clubs", CLUB_UP, 2)
    shown = texts(env)
    assert {"clubs are trump", "turned up, not called", "South to lay a card away"} <= set(shown)
    assert "(maker)" not in shown


# ---- every moment --------------------------------------------------------------------------------


def overlaps(items: list[Item], symbols: bool) -> list[str]:
    """What of a text lies over something else."""
    taken: dict[tuple[int, int], str] = {}
    found = []
    for item in items:
        text = ansi([item], symbols=symbols)
        for row, line in enumerate(text.split("\n")):
            for column, mark in enumerate(line):
                if mark == " ":
                    continue
                if (row, column) in taken:
                    found.append(f"{text.strip()!r} over {taken[row, column]!r}")
                taken[row, column] = text.strip()
    return found


def outside(item: Item) -> bool:
    half = (item.width / 2, item.height / 2) if isinstance(item, Box) else (0, 0)
    return not (half[0] <= item.x <= 1280 - half[0] and half[1] <= item.y <= 720 - half[1])


@pytest.mark.parametrize("game", [*range(6), *OTHER_GAMES])
def test_every_moment_of_random_games_can_be_drawn(game: int | str) -> None:
    seed = game if isinstance(game, int) else 7
    rng = random.Random(seed)
    env = raw_env(ruleset_for(game, rng), episode="game", max_hands=2 if seed == game else 5)
    players = env.ruleset.players
    env.reset(seed=seed)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        overlay = Overlay([(int(a), rng.random(), rng.uniform(-4, 4)) for a in legal], NAMES[0])
        viewer = rng.choice([None, *range(players)])
        items = drawing(env.record, env.ruleset.record()[0], viewer, overlay, NAMES[:players])
        assert not overlaps(items, rng.random() < 0.5)
        assert not [item for item in items if outside(item)]
        env.step(int(rng.choice(legal)))


# ---- the environment -----------------------------------------------------------------------------


def test_without_a_mode_there_is_a_warning_and_nothing_else() -> None:
    env = made()
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
    assert env.agents == list(AGENTS)


def test_a_mode_returns_what_its_painter_makes() -> None:
    for mode, painter in (("ansi", render.ansi), ("svg", render.svg)):
        env = made("pass", render_mode=mode, render_seat=1)
        assert env.render() == painter(drawn(env, 1))
