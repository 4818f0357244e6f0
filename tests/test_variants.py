"""Games without partners: three-handed with a dummy, cutthroat, two-handed. Answers by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from euchre_env import BatchEnv, euchre_v0, kernels, rules
from euchre_env.actions import action_id
from euchre_env.cards import BIT_OF, card_ids, cards_of, deck_of, popcount
from euchre_env.record import apply_legal, legal_words
from euchre_env.ruleset import OPTIONS, VARIANT_PLAYERS, VARIANT_PRESETS, Ruleset, RulesetError

OTHERS = [variant for variant in VARIANT_PLAYERS if variant != "partnership"]


class Game:
    """A hand of any game, moved by words."""

    def __init__(self, ruleset: str, front: str, upcard: str = "9H", dealer: int = 0) -> None:
        self.ruleset = Ruleset.parse(ruleset)
        self.r = self.ruleset.record()[0]
        self.s: Any = rules.new_states(1)[0]
        rules.new_match(self.s, self.r)
        first, turned = card_ids(front), card_ids(upcard)
        rest = [card for card in range(24) if card not in (*first, *turned)]
        cards = [*first, *rest[: 20 - len(first)], *turned, *rest[20 - len(first) :]]
        rules.deal(self.s, self.r, deck_of(cards), dealer)

    def do(self, words: str) -> Game:
        for word in words.split():
            apply_legal(self.s, self.r, action_id(word))
        return self

    def at(self, *cards_by_seat: str) -> list[set[int]]:
        return [set(card_ids(cards)) for cards in cards_by_seat]

    @property
    def where(self) -> tuple[str, int]:
        return rules.PHASES[int(self.s.phase)], int(self.s.turn)

    @property
    def place(self) -> str:
        return rules.UPCARD_PLACES[int(self.s.place)]

    @property
    def points(self) -> list[int]:
        return [int(p) for p in self.s.points[: rules.count_sides(self.r)]]

    @property
    def score(self) -> list[int]:
        return [int(p) for p in self.s.score[: rules.count_sides(self.r)]]

    @property
    def legal(self) -> set[str]:
        return set(legal_words(self.s, self.r))

    def hand(self, seat: int) -> set[int]:
        return set(cards_of(int(self.s.hand[seat]), int(self.s.frame)))


def cards(text: str) -> set[int]:
    return set(card_ids(text))


# --- three hands and a dummy -------------------------------------------------------------------

THREE = "JS AS KS QS TS  9C TC QC KC AC  9D TD QD KD AD  JH KH AH"
"""North, East and South, then the dummy."""


def test_the_deal_for_three() -> None:
    game = Game("three_hand", THREE, upcard="9S", dealer=2)
    assert [game.hand(seat) for seat in range(3)] == game.at(
        "JS AS KS QS TS", "9C TC QC KC AC", "9D TD QD KD AD"
    )
    assert game.hand(3) == set()
    assert set(cards_of(int(game.s.dummy), int(game.s.frame))) == cards("JH KH AH")
    assert popcount(int(game.s.kitty)) == 5
    assert game.where == ("bid1", 0)


def test_six_passes_throw_the_hand_in_for_three() -> None:
    game = Game("three_hand", THREE, upcard="9S", dealer=1).do("pass " * 6)
    assert game.where[0] == "over"
    assert (game.points, int(game.s.next_dealer)) == ([0, 0, 0], 2)


def test_the_maker_takes_the_dummy_and_lays_three_away() -> None:
    game = Game("three_hand", THREE, upcard="9S", dealer=2).do("order_up")
    assert game.where == ("discard", 2)
    game.do("9D")
    assert game.where == ("loner", 0)
    game.do("with_partner")
    assert game.where == ("dummy_exchange", 0)
    assert game.hand(0) == cards("JS AS KS QS TS JH KH AH")
    assert int(game.s.dummy) == 0
    game.do("TS")
    assert "TS" not in game.legal
    game.do("QS JH")
    assert game.hand(0) == cards("JS AS KS KH AH")
    assert set(cards_of(int(game.s.buried), int(game.s.frame))) == cards("TS QS JH")
    assert game.where == ("play", 0)


def test_alone_the_dummy_is_never_seen() -> None:
    game = Game("three_hand", THREE, upcard="9S", dealer=2).do("order_up 9D alone")
    assert game.where == ("play", 0)
    assert popcount(int(game.s.dummy)) == 3
    assert rules.trick_size(game.s) == 3
    rules.hide(game.s, game.r, 0)
    assert int(game.s.dummy) == 0


def test_five_tricks_alone_are_worth_four_to_the_maker() -> None:
    game = Game("three_hand", THREE, upcard="9S", dealer=2).do("order_up 9D alone")
    game.do("JS 9C 9S AS TC TD KS QC QD QS KC KD TS AC AD")
    assert (game.points, game.score) == ([4, 0, 0], [4, 0, 0])
    assert [rules.seat_reward(game.s, game.r, seat) for seat in range(4)] == [4, -2, -2, 0]


def test_both_defenders_score_a_euchre() -> None:
    front = "9C TC QC KC AC  JS AS KS QS TS  9D TD QD KD AD  JH KH AH"
    game = Game("three_hand,dummy_exchange=false", front, upcard="9S", dealer=2)
    game.do("order_up 9D with_partner")  # clubs against the five best spades
    assert game.where == ("play", 0)
    game.do("9C JS 9S AS TD TC KS QD QC QS KD KC TS AD AC")
    assert game.points == [0, 2, 2]
    assert [rules.seat_reward(game.s, game.r, seat) for seat in range(3)] == [-2, 1, 1]


def test_what_was_laid_away_for_the_dummy_is_the_makers_secret() -> None:
    game = Game("three_hand", THREE, upcard="9S", dealer=2)
    game.do("order_up 9D with_partner TS QS JH")
    seen = {}
    for seat in (0, 1):
        states = rules.new_states(1)
        states[0] = game.s
        rules.hide(states[0], game.r, seat)
        seen[seat] = int(states[0].buried)
    assert popcount(seen[0]) == 3
    assert seen[1] == 0


def test_a_dealer_who_takes_the_dummy_may_have_buried_the_upcard() -> None:
    game = Game("three_hand,dealer_may_discard_upcard=false", THREE, upcard="9S", dealer=0)
    game.do("pass pass order_up TS")
    assert game.place == "taken"
    game.do("with_partner")
    assert game.place == "taken_or_buried"


@pytest.mark.parametrize(("dealer", "laid_away"), [(2, "9D"), (0, "TS")])
def test_a_dealer_who_leaves_the_dummy_to_its_maker_keeps_the_upcard(
    dealer: int, laid_away: str
) -> None:
    game = Game("three_hand,dealer_may_discard_upcard=false", THREE, upcard="9S", dealer=dealer)
    game.do(f"order_up {laid_away} with_partner")
    assert game.where == ("dummy_exchange", (dealer + 1) % 3)
    assert game.place == "taken"


def test_a_maker_knows_what_it_laid_away_for_the_upcard_and_for_the_dummy() -> None:
    game = Game("three_hand", THREE, upcard="9S", dealer=0)
    game.do("pass pass order_up TS with_partner QS JH KH")
    rules.hide(game.s, game.r, 0)
    where: dict[str, set[int]] = {}
    for card in range(24):
        location = rules.card_location(game.s, 0, int(BIT_OF[game.s.frame, card]))
        where.setdefault(rules.LOCATIONS[location], set()).add(card)
    assert where["own_hand"] == cards("JS AS KS 9S AH")
    assert where["own_discard"] == cards("TS QS JH KH")
    assert sorted(where) == ["own_discard", "own_hand", "unknown"]


def test_games_with_a_dummy_to_take() -> None:
    give = ["three_hand", "two_hand,two_hand_dummy=maker", "cutthroat,widow_exchange=true"]
    keep = ["american", "two_hand", "buck", "cutthroat", "three_hand,dummy_exchange=false"]
    for texts, expected in ((give, True), (keep, False)):
        for text in texts:
            assert rules.gives_dummy(Ruleset.parse(text).record()[0]) == expected, text


# --- cutthroat ---------------------------------------------------------------------------------

SPADES_IN_SOUTH = "9C TC QC KC AC  9D TD QD KD AD  JS AS KS QS TS  JH QH KH AH TH"
FOUR = "JS AS KS QS TS  9C TC QC KC AC  9D TD QD KD AD  JH QH KH AH TH"


def test_cutthroat_counts_down_from_the_target() -> None:
    game = Game("buck", FOUR, upcard="9S", dealer=3)
    assert game.score == [25, 25, 25, 25]
    game.do("order_up TH")
    assert game.where == ("play", 0)
    game.do("JS 9C 9D 9S AS TC TD JH KS QC QD QH QS KC KD KH TS AC AD AH")
    assert (game.points, game.score) == ([5, 0, 0, 0], [20, 25, 25, 25])
    assert rules.seat_reward(game.s, game.r, 1) == pytest.approx(-5 / 3)


def test_the_seats_before_the_maker_are_no_makers() -> None:
    game = Game("buck", SPADES_IN_SOUTH, upcard="9S", dealer=1).do("order_up 9D")
    game.do("JS JH 9C 9S AS QH TC TD KS KH QC QD QS AH KC KD TS TH AC AD")
    assert game.points == [0, 0, 5, 0]


def test_three_tricks_are_enough_for_a_maker() -> None:
    r = Ruleset.preset("buck").record()[0]
    assert [rules.cutthroat_points(r, n, True, False) for n in range(6)] == [-5, -5, -5, 3, 4, 5]


def test_a_set_maker_goes_up_and_its_tricks_do_not_count() -> None:
    front = "9C TC QC KC AS  JS KS QS TS AC  9D TD QD KD AD  JH QH KH AH TH"
    game = Game("buck", front, upcard="9S", dealer=3).do("order_up TH")
    # East has JS KS QS TS; North's ace of trumps takes one trick.
    game.do("9C AC 9D 9S AH TC JS TD KS QD QH AS QC QS KD KH TS AD JH KC")
    assert game.s.tricks.tolist() == [1, 3, 0, 1]
    assert (game.points, game.score) == ([-5, 3, 0, 1], [30, 22, 25, 24])


def test_staying_in_or_dropping_out() -> None:
    game = Game("buck,drop_out=true,points_drop_out=1", FOUR, upcard="9S", dealer=3)
    game.do("order_up TH")
    assert game.where == ("stay", 1)
    assert game.legal == {"pass", "keep"}
    game.do("pass keep pass")
    assert game.where == ("play", 0)
    assert rules.trick_size(game.s) == 2
    game.do("JS 9D AS TD KS QD QS KD TS AD")
    assert game.points == [5, -1, 0, -1]


def test_all_others_are_asked_whether_they_stay_in() -> None:
    game = Game("buck,drop_out=true", SPADES_IN_SOUTH, upcard="9S", dealer=1).do("order_up 9D")
    for seat in (3, 0, 1):
        assert game.where == ("stay", seat)
        game.do("keep")
    assert game.where == ("play", 2)


def test_a_maker_against_nobody_has_all_tricks() -> None:
    game = Game("buck,drop_out=true", FOUR, upcard="9S", dealer=3)
    game.do("order_up TH pass pass pass")
    assert game.where[0] == "over"
    assert (game.points, int(game.s.next_dealer)) == ([5, 0, 0, 0], 0)


def test_who_stays_and_takes_nothing_may_be_set() -> None:
    game = Game("buck,set_without_trick=true", FOUR, upcard="9S", dealer=3).do("order_up TH")
    game.do("JS 9C 9D 9S AS TC TD JH KS QC QD QH QS KC KD KH TS AC AD AH")
    assert game.points == [5, -5, -5, -5]


def test_a_club_turned_up_is_trump_without_a_maker() -> None:
    front = "JS AS KS QS TS  TC QC KC AC JC  9D TD QD KD AD  JH QH KH AH TH"
    game = Game("dirty_clubs", front, upcard="9C", dealer=0)
    assert game.where == ("discard", 0)
    assert (int(game.s.trump), int(game.s.maker)) == (0, rules.NOBODY)
    game.do("TS")
    assert game.where == ("play", 1)
    game.do("JC 9D JH 9C AC TD QH JS AS TC QD KH QC KD AH KS KC AD TH QS")
    # North's jack of spades is the left bower: it takes the second trick.
    assert game.s.tricks.tolist() == [1, 4, 0, 0]
    assert game.points == [1, 4, -5, -5]


def test_another_suit_turned_up_opens_the_bidding_of_dirty_clubs() -> None:
    assert Game("dirty_clubs", FOUR, upcard="9S", dealer=0).where == ("bid1", 1)


def test_a_game_ends_for_the_lowest_and_a_shared_lowest_plays_on() -> None:
    game = Game("buck", FOUR, upcard="9S", dealer=3)
    for score, points, winner in (
        ([3, 1, 9, 9], [3, 1, 0, 1], rules.UNDECIDED),
        ([3, 1, 9, 9], [3, 2, 0, 0], 1),
        ([2, 4, 9, 9], [1, 2, 1, 1], rules.UNDECIDED),
        ([2, 4, 9, 9], [2, 3, 0, 0], 0),
        ([2, 2, 2, 9], [2, 2, 1, 0], rules.UNDECIDED),
        ([9, 2, 9, 9], [0, 5, 0, 0], 1),
        ([2, 2, 3, 9], [2, 2, 5, 0], 2),
    ):
        game.s.score[:], game.s.points[:], game.s.games[:] = score, points, 0
        game.s.game_winner = game.s.match_winner = rules.UNDECIDED
        rules.settle(game.s, game.r)
        assert int(game.s.game_winner) == winner
        assert int(game.s.match_winner) == winner


def test_the_spare_hand_is_dead_unless_the_option_says_otherwise() -> None:
    front = "JS AS KS QS TS  9C TC QC KC AC  9D TD QD KD AD  JH QH KH AH TH"
    game = Game("cutthroat", front, upcard="9S", dealer=2).do("order_up 9S")
    assert game.where == ("play", 0)
    assert game.s.score.tolist() == [15, 15, 15, 0]  # there is no fourth side
    assert popcount(int(game.s.dummy)) == 5
    game = Game("cutthroat,widow_exchange=true", front, upcard="9S", dealer=2)
    game.do("order_up 9S JS AS KS QS")
    assert game.where == ("dummy_exchange", 0)
    game.do("TS")
    assert game.hand(0) == cards("JH QH KH AH TH")
    assert game.where == ("play", 0)


# --- two hands ---------------------------------------------------------------------------------


def test_two_hands() -> None:
    game = Game("two_hand", "JS AS KS QS TS  9C TC QC KC AC", upcard="9S", dealer=0)
    assert game.where == ("bid1", 1)
    assert (game.hand(2), game.hand(3)) == (set(), set())
    game.do("pass order_up TS")
    assert game.where == ("play", 1)  # nobody is asked to play alone
    game.do("9C JS AS TC KS QC QS KC 9S AC")
    assert (game.points, game.score, int(game.s.next_dealer)) == ([2, 0], [2, 0], 1)
    assert [rules.seat_reward(game.s, game.r, seat) for seat in range(4)] == [2, -2, 0, 0]


def test_a_dummy_of_two_for_the_maker() -> None:
    front = "JS AS KS QS TS  9C TC QC KC AC  JC AH"
    game = Game("two_hand,two_hand_dummy=maker", front, upcard="9S", dealer=0)
    game.do("pass order_up TS")
    assert game.where == ("dummy_exchange", 0)
    game.do("QS 9S")
    assert game.hand(0) == cards("JS AS KS JC AH")


# --- rule sets ---------------------------------------------------------------------------------


def test_presets_of_other_games() -> None:
    found = {name: Ruleset.parse(name) for name in VARIANT_PRESETS}
    assert {name: (r.variant, r.players, r.target_score) for name, r in found.items()} == {
        "three_hand": ("three_hand_dummy", 3, 10),
        "two_hand": ("two_hand", 2, 10),
        "buck": ("buck", 4, 25),
        "dirty_clubs": ("buck", 4, 25),
        "cutthroat": ("cutthroat_widow", 3, 15),
    }
    assert {r.variant for r in found.values()} == set(OTHERS)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("buck,defend_alone=any", "defend_alone is for partners"),
        ("three_hand,joker=true", "joker is for partners"),
        ("two_hand,weak_hand=swap3", "weak_hand is for partners"),
        ("buck,renege=penalised", "renege is for partners"),
        ("drop_out=true", "drop_out is for another game"),
        ("three_hand,clubs_are_trump=true", "variant='cutthroat_widow' or 'buck'"),
        ("buck,points_drop_out=2", "nobody can drop out"),
        ("three_hand,first_dealer=3", "no such seat"),
        ("three_hand,first_dealer=black_jack", "those of four seats"),
    ],
)
def test_options_that_do_not_go_together(text: str, word: str) -> None:
    with pytest.raises(RulesetError, match=word):
        Ruleset.parse(text)


@pytest.mark.parametrize("variant", OTHERS)
def test_an_option_for_other_games_keeps_its_default(variant: str) -> None:
    fixed = [name for name, option in OPTIONS.items() if not option.allowed_in(variant)]
    assert {"canadian_loner", "joker", "renege"} <= set(fixed)
    for name in fixed:
        changed = {"bool": not OPTIONS[name].default}.get(OPTIONS[name].kind)
        if changed is not None:
            with pytest.raises(RulesetError, match=name):
                Ruleset(variant=variant, players=VARIANT_PLAYERS[variant], **{name: changed})


# --- environments ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VARIANT_PRESETS)
def test_aec_has_as_many_agents_as_players(name: str) -> None:
    env = euchre_v0.env(name)
    players = Ruleset.parse(name).players
    assert env.possible_agents == [f"player_{seat}" for seat in range(players)]
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for seed in range(20):
        env.reset(seed=seed)
        assert env.agents == env.possible_agents
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, _ = env.last()
            totals[agent] += reward
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero(seen["action_mask"])
            env.step(int(legal[seed % len(legal)]))
        assert sum(totals.values()) == pytest.approx(0)
    assert any(totals.values())


def test_aec_scores_by_seat_in_a_game_without_teams() -> None:
    env = euchre_v0.raw_env("buck", episode="game")
    env.reset(seed=1, options={"score": [3, 4, 5, 6], "dealer": 2})
    assert env.record["score"].tolist() == [3, 4, 5, 6]
    with pytest.raises(ValueError, match=r"4 integers, of players 0, 1, 2 and 3, from 1 to 205"):
        env.reset(options={"score": [3, 4]})
    with pytest.raises(ValueError, match=r"from 1 to 205 \(a player at 0 has won\)"):
        env.reset(options={"score": [3, 4, 0, 6]})
    three = euchre_v0.raw_env("three_hand")
    with pytest.raises(ValueError, match="dealer=3 is no seat: use 0, 1 or 2"):
        three.reset(options={"dealer": 3})
    with pytest.raises(ValueError, match="they are player_0, player_1, player_2"):
        three.observation_space("player_3")


@pytest.mark.parametrize("name", VARIANT_PRESETS)
def test_batch_agrees_with_the_rules(name: str) -> None:
    ruleset = Ruleset.parse(name)
    r = ruleset.record()[0]
    env = BatchEnv(64, ruleset, seed=5, hidden=True)
    env.reset()
    ended = 0
    for _ in range(80):
        rewards, done = env.step(env.random_actions())
        assert (env.actor < ruleset.players).all()
        for i in np.flatnonzero(done):
            s = env.final_states[i]
            expected = [rules.seat_reward(s, r, seat) for seat in range(4)]
            assert rewards[i].tolist() == pytest.approx(expected)
            ended += 1
        assert not rewards[~done].any()
    assert ended > 64


def test_games_of_different_sizes_do_not_mix() -> None:
    with pytest.raises(RulesetError, match="for 3 and 4 players do not mix"):
        BatchEnv(4, ["stick", "three_hand"])


@pytest.mark.parametrize("name", VARIANT_PRESETS)
def test_equal_players_finish_equal_over_seats(name: str) -> None:
    """Random players: no seat wins or loses by its number; five standard errors at most."""
    ruleset = Ruleset.parse(name)
    env = BatchEnv(512, ruleset, seed=3, observe=False)
    env.reset()
    seen: list[np.ndarray] = []
    for _ in range(300):
        rewards, done = env.step(env.random_actions())
        seen += [rewards[done][:, : ruleset.players].copy()]
    found = np.concatenate(seen).astype(float)
    assert len(found) > 3000
    error = found.std(axis=0) / np.sqrt(len(found))
    assert (abs(found.mean(axis=0)) < 5 * error).all()


def test_chances_of_trumps_are_those_of_the_deck() -> None:
    """Five of 24 cards, a suit fixed beforehand: 14.559, 39.196, 33.597 % for 0, 1, 2 trumps."""
    r = Ruleset.parse("three_hand").record()[0]
    s = rules.new_states(1)[0]
    s.rng = np.uint64(9)
    deck = np.zeros(25, np.int8)
    hearts = [*range(12, 18), 8]  # hearts and the jack of diamonds
    counts = np.zeros(6)
    for _ in range(20000):
        kernels.shuffle(s, r, deck)
        counts[np.isin(deck[5:10], hearts).sum()] += 1
    share = counts / counts.sum()
    expected = np.array([6188, 16660, 14280, 4760, 595, 21]) / 42504
    error = np.sqrt(expected * (1 - expected) / counts.sum())
    assert (abs(share - expected) < 5 * error + 1e-9).all()
