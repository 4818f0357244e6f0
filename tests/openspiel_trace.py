"""Random hands of OpenSpiel's euchre, replayed step by step on this engine.

    python -m tests.openspiel_trace --hands 100000

compares, under all four of OpenSpiel's settings (dealer stuck or not, lone defenders or not), seat
to act, phase and legal set at every decision, the winner of each trick, and the returns. OpenSpiel
deals and chooses; the engine follows. The rule set is ``Ruleset.openspiel()`` with the two options.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pyspiel

from euchre_env import cards, rules
from euchre_env.actions import FROM_ABSOLUTE
from euchre_env.ruleset import Ruleset

SETTINGS = tuple(product((True, False), (False, True)))
"""(stick_the_dealer, allow_lone_defender)."""
PASS, FIRST_SUIT, ALONE, WITH_PARTNER = 24, 25, 29, 30
PHASE = pyspiel.euchre.Phase


@dataclass(frozen=True)
class Setting:
    """One of OpenSpiel's settings: its game, and the rule set that is the same game here."""

    game: Any
    ruleset: Ruleset

    @classmethod
    def of(cls, stick: bool, lone_defender: bool) -> Setting:
        options = {"stick_the_dealer": stick, "allow_lone_defender": lone_defender}
        defend = "any" if lone_defender else "off"
        ruleset = Ruleset.openspiel().replace(stick_the_dealer=stick, defend_alone=defend)
        return cls(pyspiel.load_game("euchre", options), ruleset)


def card_of(theirs: int) -> int:
    """Our id of their card: they count ranks first, then clubs, diamonds, hearts, spades."""
    return 6 * (theirs % 4) + theirs // 4


def phase_of(state: Any) -> str:
    """The phase as this project names it."""
    phase = state.current_phase()
    if phase == PHASE.BIDDING:
        return "bid1" if state.num_passes() < 4 else "bid2"
    if phase == PHASE.GO_ALONE:
        return "loner" if state.declarer_go_alone() is None else "defend"
    return {PHASE.DISCARD: "discard", PHASE.PLAY: "play"}[phase]


def action_of(theirs: int, phase: str) -> int:
    """Our absolute id of their action."""
    if phase in ("discard", "play"):
        return card_of(theirs)
    if theirs == PASS:
        return rules.PASS
    if phase == "bid1":
        return rules.ORDER_UP
    if phase == "bid2":
        return rules.CALL + theirs - FIRST_SUIT
    answers = {
        "loner": {ALONE: rules.ALONE, WITH_PARTNER: rules.WITH_PARTNER},
        "defend": {ALONE: rules.DEFEND_ALONE, WITH_PARTNER: rules.DEFEND_TOGETHER},
    }
    return answers[phase][theirs]


class Fault(AssertionError):
    """The two engines differ."""


class Replay:
    """One hand on both engines."""

    def __init__(self, setting: Setting, rng: random.Random) -> None:
        self.setting, self.rng = setting, rng
        self.r = setting.ruleset.record()[0]
        self.state = setting.game.new_initial_state()
        self.s: Any = rules.new_states(1)[0]
        self.phases: Counter[str] = Counter()
        self.p_pass = rng.choice((0.4, 0.8, 0.98))
        self.p_alone = rng.choice((0.1, 0.5))
        self._deal()

    def _deal(self) -> None:
        """They deal one card at a time, and then turn one up; their own record says who got it."""
        dealer = self.rng.randrange(4)
        self.state.apply_action(dealer)
        while self.state.is_chance_node():
            self.state.apply_action(self.rng.choice(self.state.legal_actions()))
        upcard = card_of(self.state.history()[-1])
        dealt: list[int] = []
        for seat in range(4):
            holders = enumerate(self.state.card_holder())
            dealt += [card_of(theirs) for theirs, holder in holders if holder == seat]
        rest = [card for card in range(24) if card not in (*dealt, upcard)]
        rules.new_match(self.s, self.r)
        rules.deal(self.s, self.r, cards.deck_of([*dealt, upcard, *rest]), dealer)

    def check(self, what: str, ours: Any, theirs: Any) -> None:
        if ours != theirs:
            raise Fault(
                f"{what}: {ours!r} here, {theirs!r} in OpenSpiel, after {self.state.history()} "
                f"under {self.setting.ruleset!r}"
            )

    def run(self) -> Counter[str]:
        """Play the hand to its end; returns how often each phase came up."""
        while not self.state.is_terminal():
            self.step()
        self.check("end", rules.PHASES[self.s.phase], "over")
        returns = [float(rules.reward(self.s, seat)) for seat in range(4)]
        self.check("returns", returns, list(self.state.returns()))
        if self.phases["play"]:
            self.check_tricks()
        self.phases["thrown in"] += int(self.s.thrown_in)
        return self.phases

    def step(self) -> None:
        phase, theirs = phase_of(self.state), self.state.legal_actions()
        self.phases[phase] += 1
        self.check("phase", rules.PHASES[self.s.phase], phase)
        self.check("seat to act", int(self.s.turn), self.state.current_player())
        table = FROM_ABSOLUTE[self.s.frame]
        expected = sum(1 << int(table[action_of(a, phase)]) for a in theirs)
        self.check("legal set", int(rules.legal(self.s, self.r)), expected)
        action = self.choose(phase, theirs)
        rules.apply(self.s, self.r, int(table[action_of(action, phase)]))
        self.state.apply_action(action)

    def choose(self, phase: str, legal: list[int]) -> int:
        """Random, with late bids and lone hands common in some hands and rare in others."""
        if phase in ("loner", "defend"):
            return ALONE if self.rng.random() < self.p_alone else WITH_PARTNER
        if PASS in legal and self.rng.random() < self.p_pass:
            return PASS
        return self.rng.choice([a for a in legal if a != PASS])

    def check_tricks(self) -> None:
        """Leaders and winners of all tricks, ours read from the plays alone."""
        theirs = self.state.tricks()
        leaders = [int(seat) for seat in self.s.leader]
        self.check("leaders", leaders, [t.leader() for t in theirs])
        winners = [*leaders[1:], int(self.s.winner)]
        self.check("winners", winners, [t.winner() for t in theirs])
        won = np.bincount([w % 2 for w in winners], minlength=2).tolist()
        self.check("tricks", self.s.tricks.tolist()[:2], won)


def compare(setting: Setting, hands: int, seed: int) -> Counter[str]:
    """Replay some hands under one setting; raises Fault where the engines differ."""
    rng = random.Random(seed)
    total: Counter[str] = Counter()
    for _ in range(hands):
        total += Replay(setting, rng).run()
    return total


def main(argv: list[str] | None = None) -> int:
    """Compare and report; the exit status is 1 where the engines differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=100_000, help="over all four settings")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    start = time.perf_counter()
    total: Counter[str] = Counter()
    for k, (stick, lone) in enumerate(SETTINGS):
        share = args.hands // 4 + (k < args.hands % 4)
        try:
            found = compare(Setting.of(stick, lone), share, args.seed + k)
        except Fault as fault:
            print(f"stick={stick} lone_defender={lone}: {fault}")
            return 1
        print(f"stick={stick} lone_defender={lone}: {share} hands equal, {dict(found)}")
        total += found
    decisions = sum(total.values()) - total["thrown in"]
    seconds = time.perf_counter() - start
    print(f"{args.hands} hands, {decisions} decisions, 0 differences, {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
