"""Pictures: what the drawing list shows, the text, the image, and what a seat may not see."""

import random
import sys
from typing import Any

import numpy as np
import pytest
from test_aec import EUCHRED, MAKE, WORKED, play

from euchre_env.aec import AGENTS, raw_env
from euchre_env.render import Card, Text, ansi, drawing
from euchre_env.testing import random_ruleset

TABLE = """\
          North and South 0 : 0 East and West     tricks 0 : 0     bid1

                                      North


                            [9♥] [T♦] [T♣] [K♠] [A♠]



           > West                                             East

                                      [K♥]
    [9♣] [J♦] [K♦] [A♦] [9♠]                        [Q♣] [T♥] [A♥] [J♠] [Q♠]
                                     upcard



                                 South (dealer)


                            [9♦] [T♠] [A♣] [Q♥] [J♥]


                                    0 passed"""


def made(**arguments: Any) -> raw_env:
    env = raw_env(**arguments)
    env.reset(seed=1, options={"dealer": 2, "deck": WORKED})
    return env


def texts(env: raw_env, viewer: int | None = None) -> list[str]:
    items = drawing(env.record, env.ruleset.record()[0], viewer)
    return [item.text for item in items if isinstance(item, Text)]


def cards(env: raw_env, viewer: int | None = None) -> list[Card]:
    items = drawing(env.record, env.ruleset.record()[0], viewer)
    return [item for item in items if isinstance(item, Card)]


def words(text: str) -> list[str]:
    return sorted(text.split())


def test_the_table_as_text() -> None:
    shown = made(render_mode="ansi").render()
    assert isinstance(shown, str)
    assert words(shown) == words(TABLE)
    lines = shown.splitlines()
    assert len(lines) == 24
    assert max(map(len, lines)) <= 80


def test_the_text_tells_the_course_of_a_hand() -> None:
    env = made()
    play(env, "pass pass pass order_up")
    assert "> South (dealer, maker)" in texts(env)
    play(env, "with_partner 9D AD TD")
    assert "hearts are trump, called by South" in texts(env)
    lit = [card for card in cards(env) if card.lit]
    assert [(card.x, card.y) for card in lit] == [(34, 11)]  # West's ace of diamonds is winning
    play(env, "JS QH")
    assert "to S" in texts(env)
    play(env, MAKE.split("QH ", 1)[1])
    assert "points of this hand: 1 : 0" in texts(env)
    assert "North and South 1 : 0 East and West     tricks 4 : 1     over" in texts(env)


def test_turned_down_thrown_in_and_alone() -> None:
    env = made()
    play(env, "pass pass pass pass")
    assert "K of hearts turned down" in texts(env)
    play(env, "pass pass pass pass")
    assert "thrown in" in texts(env)
    env = made()
    play(env, " ".join(EUCHRED.split()[:3]))
    assert "South (dealer, sits out)" in texts(env)
    assert "North (maker, alone)" in texts(env)


def test_a_seat_sees_its_own_hand_only() -> None:
    env = made(render_mode="ansi", render_seat=3)
    shown = env.render()
    assert isinstance(shown, str)
    assert shown.count("[##]") == 15
    assert "[A♦]" in shown and "[A♠]" not in shown
    backs = [card for card in cards(env, 3) if card.card is None]
    assert len(backs) == 15


@pytest.mark.parametrize("seed", range(8))
def test_every_moment_of_random_games_can_be_drawn(seed: int) -> None:
    rng = random.Random(seed)
    env = raw_env(random_ruleset(rng), episode="game", max_hands=2)
    env.reset(seed=seed)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        record, rules = env.record, env.ruleset.record()[0]
        before = record.tobytes()
        for viewer in (None, *range(4)):
            items = drawing(record, rules, viewer)
            assert len(ansi(items).splitlines()) <= 24
            faces = {item.card for item in items if isinstance(item, Card)} - {None}
            if viewer is not None:
                others = set()
                for seat in range(4):
                    if seat != viewer:
                        hand = record.copy()
                        others |= set(_hand(hand, seat))
                public = set(_hand_of(int(record.upcard), record)) | _played(record)
                assert not (faces & others) - public
        assert record.tobytes() == before
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))


def _hand_of(mask: int, record: Any) -> list[int]:
    from euchre_env.cards import cards_of

    return cards_of(mask, int(record.frame))


def _hand(record: Any, seat: int) -> list[int]:
    return _hand_of(int(record.hand[seat]), record)


def _played(record: Any) -> set[int]:
    return {card for seat in range(4) for card in _hand_of(int(record.played[seat]), record)}


def test_the_image() -> None:
    pytest.importorskip("PIL")
    env = made(render_mode="rgb_array")
    first = env.render()
    assert isinstance(first, np.ndarray)
    assert first.shape == (480, 800, 3) and first.dtype == np.uint8
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 10
    assert (env.render() == first).all()
    play(env, "pass")
    assert (env.render() != first).any()


def test_an_image_without_pillow_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    env = made(render_mode="rgb_array")
    with pytest.raises(ImportError, match=r"pip install 'euchre-env\[render\]'"):
        env.render()


def test_human_prints_the_text_at_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = made(render_mode="human")
    assert env.render() is None
    env.step(25)
    shown = capsys.readouterr().out
    assert shown.count("South (dealer)") == 3
    assert "1 passed" in shown


def test_without_a_mode_there_is_a_warning_and_nothing_else() -> None:
    env = made()
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
    assert env.agents == list(AGENTS)
