"""A terminal for tests: the command in a process of its own, behind a pseudo-terminal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parent.parent
GIVEN_UP = 300.0
"""Seconds after which a process that says nothing is taken to hang."""
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def _heed_ctrl_c() -> None:
    """Whoever is started in the background is deaf to Ctrl-C, and so is what it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Terminal:
    """``euchre`` with some arguments in a terminal of a size; a context manager.

    Attributes:
        raw: All that was written so far.
    """

    def __init__(self, *arguments: str, columns: int, lines: int, **variables: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "agents", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=ROOT,
            env={**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", **variables},
            start_new_session=True,
            preexec_fn=_heed_ctrl_c,
        )
        os.close(slave)
        self.raw = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)

    @property
    def text(self) -> str:
        """What was written, without escape sequences."""
        return _ESCAPES.sub("", self.raw).replace("\r\n", "\n")

    def until(self, text: str, times: int = 1) -> str:
        """Read on until a text was written so often, and return all of it."""
        limit = time.monotonic() + GIVEN_UP
        while self.text.count(text) < times:
            assert time.monotonic() < limit, f"waited for {text!r}: {self.text[-2000:]}"
            if not self._read():
                break
        assert self.text.count(text) >= times, self.text[-2000:]
        return self.text

    def type(self, text: str) -> None:
        """Type some keys."""
        os.write(self.master, text.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        os.kill(self.process.pid, signal.SIGINT)

    def interrupt_to_the_end(self) -> int:
        """Press Ctrl-C and return the exit status.

        Once more after a while if nothing happens: a key pressed in the very moment in which a line
        editor starts to wait is noticed with the next one.
        """
        for _ in range(10):
            self.interrupt()
            limit = time.monotonic() + GIVEN_UP / 10
            while time.monotonic() < limit and self.process.poll() is None:
                if select.select([self.master], [], [], 0.1)[0]:
                    self._read()
            if self.process.poll() is not None:
                break
        return self.end()

    def end(self) -> int:
        """Read to the end and return the exit status."""
        while self._read():
            pass
        return self.process.wait(GIVEN_UP)

    def _read(self) -> bool:
        ready, _, _ = select.select([self.master], [], [], GIVEN_UP)
        data = b""
        if ready:
            with contextlib.suppress(OSError):  # the other end is closed
                data = os.read(self.master, 65536)
        self.raw += data.decode("utf-8", "replace")
        return bool(data)
