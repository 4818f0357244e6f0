"""Millions of hands with every invariant checked after every decision, and memory over resets.

    python benchmarks/soak.py --hands 10000000

Hands are played by random legal actions (passes favoured, so that late calls, lone hands and polls
are common) under the presets of all games and random rule sets, half of them of the partnership
game, in games that go on to their end. After each decision: every card in one place and none lost,
the seat to act holds what it may play, tricks and turns in order. After each hand: points that the
rule set can give, to those that can have them, and scores that add up. A hand that takes more
decisions than any can, or a game that does not end, counts as a hang. The first fault ends the run
with status 1 and the seed, rule set and record that show it.

``--resets N`` then resets each kind of environment N times in all and reports the growth of the
process's memory. ``--json FILE`` writes the figures.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import argparse
import json
import platform
import random
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from euchre_env import BatchEnv, EuchreGymEnv, Ruleset, __version__, euchre_v0
from euchre_env._files import write_whole
from euchre_env._jit import njit
from euchre_env.cards import WIDE_DECK, popcount
from euchre_env.kernels import (
    as_uint64,
    below,
    count_actions,
    draw,
    nth_action,
    seed_of,
    shuffle,
    start_episode,
)
from euchre_env.rules import (
    DISCARD,
    DUMMY_EXCHANGE,
    HAND_SIZE,
    LAY_AWAY,
    MOST_SIDES,
    N_SEATS,
    N_TRICKS,
    NOBODY,
    OVER,
    PASS,
    PASS_CARD,
    PLAY,
    STATE,
    UNDECIDED,
    apply,
    card_actions,
    cards_laid,
    count_sides,
    counts_down,
    deck_size,
    dummy_size,
    is_out,
    legal,
    next_hand,
    side_of,
)
from euchre_env.ruleset import (
    ALL_PRESETS,
    RENEGE_DEDUCT,
    RENEGE_PENALISED,
)
from euchre_env.testing import random_ruleset

FAULTS = (
    "none",
    "a card is lost, or in two places",
    "a hand has the wrong number of cards",
    "nothing is legal, or it is nobody's turn",
    "a seat that sits out is to act",
    "a card that the seat does not hold is legal",
    "the tricks do not add up",
    "points for a side that can have none, or that the rule set does not know",
    "the score is not the sum of the points",
    "a hand does not end",
    "a game does not end",
)
(
    SOUND,
    CARDS,
    HELD,
    STUCK,
    OUT_ACTS,
    NOT_HELD,
    TRICKS,
    POINTS,
    SCORE,
    HANGS,
    ENDLESS,
) = range(len(FAULTS))

MOST_DECISIONS = 40
"""Polls of weak hands 4, passes 8, alone 2, defence 2, discard 1, cards 20, and some to spare;
where a dummy of five is exchanged, there are no polls of partners."""
MOST_HANDS = 2000
"""Of one match of random play. Where a renege takes points away, or a set is added to a score that
counts down, random players may sink for ever: such a match is broken off and counted; under any
other rules it is a fault."""


# --- invariants --------------------------------------------------------------------------------


@njit
def fault_of_cards(s, r):
    """Whether every card of the deck is in one place."""
    count = popcount(np.int64(s.kitty)) + popcount(np.int64(s.spare))
    count += popcount(np.int64(s.discard)) + popcount(np.int64(s.dummy))
    count += popcount(np.int64(s.buried))
    union = np.int64(s.kitty) | np.int64(s.spare) | np.int64(s.discard)
    union |= np.int64(s.dummy) | np.int64(s.buried)
    if s.taker < 0:
        count += popcount(np.int64(s.upcard))
        union |= np.int64(s.upcard)
    for seat in range(N_SEATS):
        count += popcount(np.int64(s.hand[seat])) + popcount(np.int64(s.played[seat]))
        union |= np.int64(s.hand[seat]) | np.int64(s.played[seat])
    size = deck_size(r)
    return SOUND if count == size and popcount(union) == size else CARDS


@njit
def cards_due(s, r, seat):
    """How many cards a seat should hold or have played."""
    if seat >= r.players:
        return np.int64(0)
    if seat == s.turn and (s.phase == DISCARD or s.phase == LAY_AWAY):
        return np.int64(HAND_SIZE + 1)
    if seat == s.passer and s.passed != 0:
        return np.int64(HAND_SIZE - 1)
    if seat == s.turn and s.phase == DUMMY_EXCHANGE:
        return HAND_SIZE + dummy_size(r) - popcount(np.int64(s.buried))
    return np.int64(HAND_SIZE)


@njit
def fault_of_decision(s, r, legal_set):
    """Whether the seat to act can act, by its turn and its cards."""
    if legal_set == 0 or s.turn < 0 or s.turn >= r.players:
        return STUCK
    if is_out(s, s.turn):
        return OUT_ACTS
    if s.phase in (PLAY, DISCARD, DUMMY_EXCHANGE, PASS_CARD, LAY_AWAY):
        if legal_set & ~card_actions(np.int64(s.hand[s.turn]), s.frame) != 0:
            return NOT_HELD
    elif cards_laid(legal_set, s.frame) != 0:
        return NOT_HELD
    for seat in range(N_SEATS):
        held = popcount(np.int64(s.hand[seat]))
        if held + popcount(np.int64(s.played[seat])) != cards_due(s, r, seat):
            return HELD
    return SOUND if tricks_taken(s) == s.trick else TRICKS


@njit
def tricks_taken(s):
    """Tricks of all sides."""
    taken = np.int64(0)
    for side in range(MOST_SIDES):
        taken += s.tricks[side]
    return taken


@njit
def fault_of_points(s, r):
    """Whether a hand just finished has points that its rule set can give."""
    for side in range(MOST_SIDES):
        if s.points[side] != 0 and (side >= count_sides(r) or s.thrown_in != 0):
            return POINTS
    if s.thrown_in != 0:
        return SOUND
    if s.offender != NOBODY:
        return fault_of_renege(s, r)
    if tricks_taken(s) != N_TRICKS:
        return TRICKS
    return fault_counting_down(s, r) if counts_down(r) else fault_of_sides(s, r)


@njit
def fault_of_renege(s, r):
    """Whether one team has the points of a renege, or has lost them."""
    if s.points[0] != 0 and s.points[1] != 0:
        return POINTS
    size = max(abs(np.int64(s.points[0])), abs(np.int64(s.points[1])))
    known = size == r.renege_points or size == r.renege_points_vs_loner
    return SOUND if known else POINTS


@njit
def fault_of_sides(s, r):
    """Whether the makers score for three tricks or more, or else every other side alike."""
    makers = side_of(r, np.int64(s.maker))
    made, euchre = s.tricks[makers] >= 3, np.int64(NOBODY)
    for side in range(count_sides(r)):
        points = np.int64(s.points[side])
        known = points == 0
        if side == makers and made:
            known = points in (r.points_make, r.points_march)
            known |= points in (r.points_loner_march, r.points_loner_four)
            known |= points == 0 and r.fast_break != 0
            known |= points == r.points_make + 1 and r.four_trick_tokens != 0
        elif side != makers and not made:
            known = points in (r.points_euchre, r.points_loner_euchred, r.points_super_euchre)
            known |= points in (r.defend_alone_points[0], r.defend_alone_points[1])
            known |= points == r.points_three_hand_loner_euchred
            known &= euchre in (NOBODY, points)
            euchre = points
        if not known:
            return POINTS
    return SOUND


@njit
def fault_counting_down(s, r):
    """Whether each player goes down by its tricks, or up by a set or for dropping out."""
    for seat in range(r.players):
        points, tricks = np.int64(s.points[seat]), np.int64(s.tricks[seat])
        if is_out(s, seat):
            known = points == -r.points_drop_out and tricks == 0 and seat != s.maker
        elif tricks == 0 and r.set_without_trick == 0 and seat != s.maker:
            known = points == 0
        elif tricks == 0 or (seat == s.maker and tricks < 3):
            known = points == -r.points_set
        else:
            known = points == tricks
        if not known:
            return POINTS
    return SOUND


@njit
def fault_of_score(s, r, before):
    """Whether each side's score is what it was, int64[4], and the points of the hand."""
    for side in range(MOST_SIDES):
        change = -np.int64(s.points[side]) if counts_down(r) else np.int64(s.points[side])
        if s.score[side] != before[side] + change:
            return SCORE
    return SOUND


@njit
def may_never_end(r):
    """Whether random players may lose points for ever."""
    return counts_down(r) or (r.renege == RENEGE_PENALISED and r.renege_mode == RENEGE_DEDUCT)


# --- play --------------------------------------------------------------------------------------


@njit
def choose(s, legal_set):
    """A random legal action: a pass three times out of four where one may pass."""
    bits = draw(s)
    if legal_set >> PASS & 1 and below(bits >> np.uint64(32), 4) != 0:
        return np.int64(PASS)
    return nth_action(legal_set, below(bits, count_actions(legal_set)))


@njit
def play_hand(s, r, figures):
    """Play a hand out, checking after each decision; returns a fault."""
    for _ in range(MOST_DECISIONS):
        fault = fault_of_cards(s, r)
        if fault != SOUND or s.phase == OVER:
            return fault
        legal_set = legal(s, r)
        fault = fault_of_decision(s, r, legal_set)
        if fault != SOUND:
            return fault
        apply(s, r, choose(s, legal_set))
        figures[0] += 1
    return HANGS


@njit
def soak_block(states, rule_records, seed, hands, figures):
    """Play at least ``hands`` hands in whole matches under one rule set; returns a fault.

    ``figures`` int64[7] counts decisions, hands, matches ended, hands thrown in, lone hands,
    reneges, and matches broken off.
    """
    s, r = states[0], rule_records[0]
    deck, before = np.empty(WIDE_DECK, np.int8), np.empty(MOST_SIDES, np.int64)
    s.rng = seed_of(seed, 0)
    goal = figures[1] + hands
    while figures[1] < goal:
        start_episode(s, r, NOBODY, deck)
        for number in range(MOST_HANDS + 1):
            if number == MOST_HANDS:
                if not may_never_end(r):
                    return ENDLESS
                figures[6] += 1
                break
            before[:] = s.score
            fault = play_hand(s, r, figures)
            if fault == SOUND:
                fault = fault_of_points(s, r)
            if fault == SOUND:
                fault = fault_of_score(s, r, before)
            if fault != SOUND:
                return fault
            figures[1] += 1
            figures[3] += np.int64(s.thrown_in != 0)
            figures[4] += np.int64(s.loner != NOBODY)
            figures[5] += np.int64(s.offender != NOBODY)
            if s.match_winner != UNDECIDED or figures[1] >= goal:
                break
            shuffle(s, r, deck)
            next_hand(s, r, deck)
        figures[2] += np.int64(s.match_winner != UNDECIDED)
    return SOUND


# --- the command -------------------------------------------------------------------------------


class Soak(NamedTuple):
    """What a run found."""

    hands: int
    decisions: int
    matches: int
    thrown_in: int
    lone_hands: int
    reneges: int
    broken_off: int
    rulesets: int
    seconds: float
    fault: str


def rulesets_of(count: int, seed: int) -> list[Ruleset]:
    """The presets, then random rule sets, every second one of any game; ``count`` in all."""
    rng = random.Random(seed)
    presets = [Ruleset.preset(name) for name in ALL_PRESETS]
    drawn = (random_ruleset(rng, k % 2 == 1, k % 4 == 2) for k in range(count))
    return [*presets, *drawn][:count]


def soak(hands: int, seed: int, count: int = 200, said: Any = None) -> Soak:
    """Play ``hands`` hands under ``count`` rule sets, the same number under each.

    Args:
        hands: In all.
        seed: Of rule sets, deals and actions.
        count: How many rule sets.
        said: Called with a line of text now and then.
    """
    figures, started, fault = np.zeros(7, np.int64), time.perf_counter(), ""
    each = -(-hands // count)
    for number, ruleset in enumerate(rulesets_of(count, seed)):
        states = np.zeros(1, STATE)
        generator = as_uint64(seed * 1_000_003 + number)
        found = soak_block(states, ruleset.record(), generator, np.int64(each), figures)
        if found != SOUND:
            fault = f"{FAULTS[found]}: seed {seed}, rule set {number} ({ruleset!r}), {states[0]}"
            break
        if said is not None and number % max(1, count // 10) == 0:
            said(f"{figures[1]:>12,} hands, {figures[0]:>13,} decisions, no fault")
    decisions, played, *rest = figures.tolist()
    seconds = time.perf_counter() - started
    return Soak(played, decisions, *rest, count, round(seconds, 1), fault)


def memory() -> float:
    """Megabytes that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * _page_size() / 1e6


def _page_size() -> int:
    import resource

    return resource.getpagesize()


def _reset_single(count: int) -> None:
    env = euchre_v0.raw_env(episode="game")
    for number in range(count):
        env.reset(seed=number)
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))


def _reset_gymnasium(count: int) -> None:
    env = EuchreGymEnv()
    for number in range(count):
        env.reset(seed=number)


def _reset_batch(count: int) -> None:
    env = BatchEnv(64, "stick", seed=1)
    for number in range(-(-count // 64)):
        env.reset(seed=number)
        env.step(env.random_actions())


RESETS = {
    "raw_env, a step after each": (1.0, _reset_single),
    "EuchreGymEnv": (0.1, _reset_gymnasium),
    "BatchEnv of 64, a step after each": (1.0, _reset_batch),
}
"""What is reset, how often in proportion to ``--resets``, and by what."""


def growth(resets: int) -> dict[str, dict[str, float]]:
    """Resets of each kind, and the megabytes by which the process grew after the first tenth."""
    found = {}
    for name, (share, reset) in RESETS.items():
        count = int(resets * share)
        reset(count // 10 + 1)
        before = memory()
        reset(count)
        found[name] = {"resets": count, "growth_mb": round(memory() - before, 2)}
    return found


def main(argv: list[str] | None = None) -> int:
    """Run the soak; status 1 where a fault was found."""
    parser = argparse.ArgumentParser(description="Play millions of hands with invariants checked.")
    parser.add_argument("--hands", type=int, default=10_000_000, help="hands in all")
    parser.add_argument("--rulesets", type=int, default=200, help="rule sets they are played under")
    parser.add_argument("--resets", type=int, default=0, help="resets to watch the memory over")
    parser.add_argument("--seed", type=int, default=1, help="of rule sets, deals and actions")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    args = parser.parse_args(argv)
    result = soak(args.hands, args.seed, args.rulesets, print) if args.hands else None
    grown = growth(args.resets) if args.resets else {}
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    report = {"version": __version__, "seed": args.seed, "machine": machine, "growth": grown}
    if result is not None:
        report["soak"] = result._asdict()
        print(f"{result.hands:,} hands and {result.decisions:,} decisions under {result.rulesets}")
        print(f"rule sets in {result.seconds} s: {result.fault or 'no fault'}")
    for name, row in grown.items():
        print(f"{row['resets']:,} resets of {name}: {row['growth_mb']} MB more")
    if args.json is not None:
        write_whole(args.json, (json.dumps(report, indent=2) + "\n").encode())
    return int(result is not None and bool(result.fault))


if __name__ == "__main__":
    sys.exit(main())
