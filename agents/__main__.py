"""``python -m agents VERB``: the same as ``euchre VERB``."""

from __future__ import annotations

import sys

from .app.cli import main

sys.exit(main())
