"""A window that shows drawings, by pygame."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .image import require_pillow, rgb_array
from .items import HEIGHT, WIDTH, Item

_SLICE = 20
"""Milliseconds between two looks at what the user does to the window."""


class Window:
    """A window for one drawing at a time; it opens with the first one.

    A window that its user has closed stays closed: :meth:`show` then does nothing, until
    :meth:`close` is called. pygame has one window to a process: a second ``Window`` draws in the
    same one.

    Args:
        title: What stands above the picture.

    Raises:
        ImportError: pygame or Pillow is not installed; the message says how to get it.
    """

    def __init__(self, title: str = "Euchre") -> None:
        self._pygame = _pygame()
        require_pillow()
        self._title = title
        self._screen: Any = None
        self._clock: Any = None
        self._picture: Any = None
        self._shown: list[Item] = []
        self.was_closed = False
        """Whether the user has closed the window."""

    @property
    def is_open(self) -> bool:
        """Whether the window is on the screen."""
        return self._screen is not None

    def show(self, items: Sequence[Item], fps: float = 0) -> bool:
        """Show a drawing, fitted to the window's size; the one that is shown already costs nothing.

        Args:
            items: A drawing list.
            fps: Wait until ``1 / fps`` seconds have passed since the last picture; 0: do not wait.

        Returns:
            Whether the window is (still) open.

        Raises:
            RuntimeError: there is no screen to open a window on.
        """
        if self.was_closed:
            return False
        if not self.is_open:
            self._open()
        elif list(items) == self._shown:
            return self.poll()
        else:
            self._wait(fps)
        if self.was_closed:
            return False
        self._shown = list(items)
        self._picture = self._pygame.surfarray.make_surface(rgb_array(items).swapaxes(0, 1))
        self._paint()
        return self.poll()

    def poll(self) -> bool:
        """Answer what the user did to the window; returns whether it is (still) open."""
        if not self.is_open:
            return False
        for event in self._pygame.event.get():
            if event.type == self._pygame.QUIT:
                self.close()
                self.was_closed = True
                return False
            if event.type in (self._pygame.VIDEORESIZE, self._pygame.VIDEOEXPOSE):
                self._paint()
        return True

    def close(self) -> None:
        """Take the window off the screen; a later :meth:`show` opens it again."""
        if self.is_open:
            self._screen = self._clock = self._picture = None
            self._shown = []
            self._pygame.display.quit()
        self.was_closed = False

    def _open(self) -> None:
        try:
            self._pygame.display.init()
            self._pygame.display.set_caption(self._title)
            self._screen = self._pygame.display.set_mode((WIDTH, HEIGHT), self._pygame.RESIZABLE)
        except self._pygame.error as error:
            raise RuntimeError(
                f"no window can be opened here ({error}): use render_mode='ansi', 'rgb_array' or "
                "'svg', or set SDL_VIDEODRIVER=dummy to go without the picture"
            ) from None
        self._clock = self._pygame.time.Clock()

    def _paint(self) -> None:
        screen, picture = self._pygame.display.get_surface(), self._picture
        if screen is None or picture is None:
            return
        scale = min(screen.get_width() / WIDTH, screen.get_height() / HEIGHT)
        width, height = max(1, round(WIDTH * scale)), max(1, round(HEIGHT * scale))
        if (width, height) != (WIDTH, HEIGHT):
            picture = self._pygame.transform.smoothscale(picture, (width, height))
        screen.fill((0, 0, 0))
        left, top = (screen.get_width() - width) // 2, (screen.get_height() - height) // 2
        screen.blit(picture, (left, top))
        self._pygame.display.flip()

    def _wait(self, fps: float) -> None:
        """Let the last picture stand for its time, answering the user in between."""
        left = 1000 / fps - self._clock.tick() if fps > 0 else 0.0
        while left > 0 and self.poll():
            self._pygame.time.wait(max(1, int(min(_SLICE, left))))
            left -= self._clock.tick() if self._clock is not None else left
        if self._clock is not None:
            self._clock.tick()


def _pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it greets on standard output
    try:
        import pygame
    except ImportError:
        raise ImportError(
            "render_mode='human' opens a window by pygame, which is not installed: "
            "pip install 'euchre-env[human]'"
        ) from None
    return pygame
