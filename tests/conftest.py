"""Fixtures of all tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def heed_ctrl_c() -> Iterator[None]:
    """Whoever is started in the background is deaf to Ctrl-C, and so would these tests be."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
