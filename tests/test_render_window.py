"""The window of render_mode="human", without a screen."""

import copy
import pickle
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from test_aec import WORKED
from test_render import drawn

from euchre_env.aec import raw_env
from euchre_env.render import HEIGHT, WIDTH, Window, rgb_array

pytest.importorskip("PIL")
pygame = pytest.importorskip("pygame")


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(raw_env.metadata, "render_fps", 0)
    yield
    pygame.display.quit()


def made(**arguments: Any) -> raw_env:
    env = raw_env(render_mode="human", **arguments)
    env.reset(seed=1, options={"dealer": 2, "deck": WORKED})
    return env


def on_screen() -> np.ndarray:
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


def close_by_hand() -> None:
    pygame.event.post(pygame.event.Event(pygame.QUIT))


# ---- the environment -----------------------------------------------------------------------------


def test_every_reset_and_step_shows_the_picture() -> None:
    env = made(render_seat=3)
    assert (on_screen() == rgb_array(drawn(env, 3))).all()
    env.step(25)
    second = on_screen()
    assert (second == rgb_array(drawn(env, 3))).all()
    assert env.render() is None
    assert (on_screen() == second).all()
    env.close()
    assert not pygame.display.get_init()


def test_a_closed_window_stays_closed_and_the_game_goes_on(
    recwarn: pytest.WarningsRecorder,
) -> None:
    env = made()
    close_by_hand()
    env.step(25)
    assert not pygame.display.get_init()
    for _ in range(3):
        env.step(25)
        env.render()
    env.reset(seed=2)
    assert not pygame.display.get_init()
    assert [str(w.message) for w in recwarn if "closed" in str(w.message)] == [
        str(w.message) for w in recwarn
    ]
    assert len(recwarn) == 1
    env.close()
    env.step(25)
    assert pygame.display.get_init()


def test_close_without_a_window_and_twice() -> None:
    raw_env(render_mode="human").close()
    raw_env().close()
    env = made()
    env.close()
    env.close()
    assert not pygame.display.get_init()


@pytest.mark.parametrize("again", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_draws_only_when_it_is_asked(again: Any) -> None:
    env = made()
    before = on_screen()
    other = again(env)
    other.step(25)
    assert (on_screen() == before).all()
    other.render()
    assert (on_screen() == rgb_array(drawn(other))).all()
    assert (on_screen() != before).any()


@pytest.mark.parametrize(
    ("module", "extra"), [("pygame", r"euchre-env\[human\]"), ("PIL", r"euchre-env\[render\]")]
)
def test_without_a_library_the_message_says_what_to_install(
    module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"pip install '{extra}'"):
        raw_env(render_mode="human")
    raw_env(render_mode="ansi").reset(seed=1)


def test_without_a_screen_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "no_such_driver")
    with pytest.raises(RuntimeError, match=r"no window can be opened here.*rgb_array"):
        raw_env(render_mode="human").reset(seed=1)


# ---- the window ----------------------------------------------------------------------------------


def test_a_window_of_another_size_keeps_the_shape_of_the_picture() -> None:
    window = Window()
    items = drawn(made())
    assert window.show(items)
    pygame.display.set_mode((WIDTH // 2, HEIGHT), pygame.RESIZABLE)
    pygame.event.post(pygame.event.Event(pygame.VIDEORESIZE, size=(WIDTH // 2, HEIGHT)))
    assert window.poll()
    shown = on_screen().astype(int)
    quarter = HEIGHT // 4
    assert not shown[: quarter - 1].any() and not shown[-quarter + 1 :].any()
    small = rgb_array(items).astype(int)[1::2, 1::2]
    assert np.abs(shown[quarter:-quarter] - small).mean() < 4


class Clock:
    """A clock that only waiting moves, and each look by a millisecond."""

    def __init__(self) -> None:
        self.now = self.last = self.waited = 0

    def tick(self) -> int:
        self.now += 1
        passed, self.last = self.now - self.last, self.now
        return passed

    def wait(self, milliseconds: int) -> None:
        self.now += milliseconds
        self.waited += milliseconds


def test_a_picture_stands_for_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    env = raw_env()
    env.reset(seed=1)
    window = Window()
    window.show(drawn(env), fps=2)
    clock = Clock()
    window._clock = clock
    monkeypatch.setattr(pygame.time, "wait", clock.wait)
    env.step(25)
    window.show(drawn(env), fps=2)
    assert 400 < clock.waited <= 500
    window.show(drawn(env), fps=2)  # nothing new
    assert clock.waited <= 500
    waited = clock.waited
    env.step(25)
    window.show(drawn(env))
    assert clock.waited == waited


def test_a_window_closed_while_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    env = raw_env()
    env.reset(seed=1)
    window = Window()
    assert window.show(drawn(env))
    env.step(25)
    close_by_hand()
    assert not window.show(drawn(env), fps=2)
    assert window.was_closed and not window.is_open
