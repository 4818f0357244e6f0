"""The hand-written player, from published strategy: at kernel speed, for play and for rollouts.

:func:`choose` answers one record, :func:`playout` finishes a hand with this player in all seats;
both are compiled and may be called from other kernels, on full records too: they read nothing that
the seat to act cannot know.
"""

from __future__ import annotations

from .player import HeuristicAgent, choose, choose_erring, playout

__all__ = ["HeuristicAgent", "choose", "choose_erring", "playout"]
