"""How strong agents are: duplicate matches, ladders, cross-play, and the shares of a style.

Nothing here needs torch; agents that do bring it themselves.
"""

from __future__ import annotations

from .match import GamesResult, MatchResult, match_games, play_match, play_until_clear
from .stats import Estimate, EvaluationError, deals_needed, estimate

__all__ = [
    "Estimate",
    "EvaluationError",
    "GamesResult",
    "MatchResult",
    "deals_needed",
    "estimate",
    "match_games",
    "play_match",
    "play_until_clear",
]
