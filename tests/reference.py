"""A second, plain implementation of the rules for tests: card texts and one generator a hand.

Written from the rules document alone, in another style than the engine, so that a fault would have
to be made twice. It says what is asked of whom, and is told the answers.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TypeAlias

from euchre_env.ruleset import Ruleset

TWIN = {"C": "S", "S": "C", "D": "H", "H": "D"}
Ask: TypeAlias = "tuple[str, int, set[str]]"
Asking: TypeAlias = "Generator[Ask, str, None]"


@dataclass
class Deal:
    """What is known of one hand so far, and how it ended."""

    r: Ruleset
    dealer: int
    hands: list[list[str]]
    upcard: str
    kitty: list[str]
    trump: str = ""
    maker: int = -1
    loner: int = -1
    lone_defender: int = -1
    out: set[int] = field(default_factory=set)
    thrown_in: bool = False
    next_dealer: int = -1
    points: list[int] = field(default_factory=lambda: [0, 0])
    tricks: list[int] = field(default_factory=lambda: [0, 0])
    leaders: list[int] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=lambda: [0, 0])

    def clockwise(self, first: int) -> list[int]:
        return [(first + k) % 4 for k in range(4)]


def suit_of(card: str, trump: str) -> str:
    if card == "JOKER":
        return trump
    if trump in TWIN and card == "J" + TWIN[trump]:
        return trump
    return card[1]


def strength(card: str, trump: str) -> int:
    """Order within one suit."""
    if card == "JOKER":
        return 99
    if trump in TWIN and card == "J" + trump:
        return 98
    if trump in TWIN and card == "J" + TWIN[trump]:
        return 97
    return "9TJQKA".index(card[0])


def winner_of(trick: list[tuple[int, str]], trump: str) -> int:
    led = suit_of(trick[0][1], trump)
    ruffs = [t for t in trick if suit_of(t[1], trump) == trump]
    rest = ruffs or [t for t in trick if suit_of(t[1], trump) == led]
    return max(rest, key=lambda t: strength(t[1], trump))[0]


def is_weak(test: str, hand: list[str], up: str) -> bool:
    low = [c for c in hand if c[0] in "9T"]
    aces = [c for c in hand if c[0] == "A"]
    if test == "no_ace_no_face":
        return len(low) == 5
    if test == "ace_no_face":
        return len(low) == 4 and len(aces) == 1
    if test == "no_ace_no_face_no_trump":
        return len(low) == 5 and not any(c[1] == up for c in hand)
    if test == "three_nines_or_three_tens":
        return any(sum(c[0] == rank for c in hand) >= 3 for rank in "9T")
    return len(low) >= {"three_low": 3, "four_low": 4}[test]


def given_in_swap(hand: list[str], up: str) -> list[str]:
    """Nines before tens; the upcard's suit last, before it its twin, the others by name."""
    order = [s for s in "CDHS" if s not in (up, TWIN[up])] + [TWIN[up], up]
    low = [c for c in hand if c[0] in "9T"]
    return sorted(low, key=lambda c: ("9T".index(c[0]), order.index(c[1])))[:3]


def play(r: Ruleset, deck: list[str], dealer: int) -> Generator[Ask, str, Deal]:
    """One hand: yields (phase, seat, legal actions), is sent the action, returns the deal."""
    hands = [deck[5 * s : 5 * s + 5] for s in range(4)]
    d = Deal(r, dealer, hands, deck[20], deck[21:24])
    if d.upcard == "JOKER":
        word = yield "name_trump", dealer, {"call_C", "call_D", "call_H", "call_S"}
        d.trump, d.maker = word[-1], dealer
        yield from exchange(d)
    else:
        yield from weak_hands(d)
        if not d.thrown_in:
            yield from auction(d)
    if d.thrown_in:
        return d
    yield from partners_best(d)
    yield from defence(d)
    yield from tricks(d)
    return d


def weak_hands(d: Deal) -> Asking:
    if d.r.weak_hand == "off":
        return
    for seat in d.clockwise(d.dealer + 1):
        if not is_weak(d.r.weak_hand_test, d.hands[seat], d.upcard[1]):
            continue
        if (yield "weak_hand", seat, {"claim", "keep"}) == "keep":
            continue
        if d.r.weak_hand == "throw_in":
            d.thrown_in = True
            d.next_dealer = d.dealer if d.r.weak_hand_redealer == "same" else (d.dealer + 1) % 4
        else:
            given = given_in_swap(d.hands[seat], d.upcard[1])
            d.hands[seat] = [c for c in d.hands[seat] if c not in given] + d.kitty
            d.kitty = given
        return


def auction(d: Deal) -> Asking:
    r, up = d.r, d.upcard[1]
    for seat in d.clockwise(d.dealer + 1):
        own = any(c != "JOKER" and c[1] == up for c in d.hands[seat])
        exempt = r.require_natural_trump == "not_dealer" and seat == d.dealer
        may = r.require_natural_trump == "off" or own or exempt
        if (yield "bid1", seat, {"pass"} | ({"order_up"} if may else set())) != "pass":
            d.trump, d.maker = up, seat
            yield from exchange(d)
            return
    for seat in d.clockwise(d.dealer + 1):
        word = yield "bid2", seat, second_round(d, seat)
        if word != "pass":
            d.trump, d.maker = word.removeprefix("call_"), seat
            if r.allow_alone:
                yield from ask_alone(d)
            return
    d.thrown_in = True
    d.next_dealer = d.dealer if r.throw_in_redealer == "same" else (d.dealer + 1) % 4


def second_round(d: Deal, seat: int) -> set[str]:
    r = d.r
    stuck = r.stick_the_dealer and seat == d.dealer
    suits = {s for s in "CDHS" if s != d.upcard[1]}
    if stuck and r.stuck_dealer_may_name_turned_down:
        suits = set("CDHS")
    if r.require_natural_trump != "off":
        held = {c[1] for c in d.hands[seat] if c != "JOKER"}
        suits = (suits & held) or (suits if stuck else set())
    words = {f"call_{s}" for s in suits}
    if r.no_trump == "round2" or (r.no_trump == "stuck_dealer" and stuck):
        words.add("call_NT")
    return words if stuck else words | {"pass"}


def exchange(d: Deal) -> Asking:
    """From a call in round 1, or of a turned-up joker's suit, to the end of the discard."""
    r, across = d.r, (d.dealer + 2) % 4
    if r.canadian_loner and d.maker == across:
        d.loner = across
    elif r.allow_alone and r.alone_timing == "with_call":
        yield from ask_alone(d)
    taker = d.dealer
    if d.loner == across:
        if r.partner_alone_upcard == "left_in_kitty":
            return
        if r.partner_alone_upcard == "loner_takes":
            taker = across
    d.hands[taker] = d.hands[taker] + [d.upcard]
    keep = set() if r.dealer_may_discard_upcard else {d.upcard}
    card = yield "discard", taker, set(d.hands[taker]) - keep
    d.hands[taker].remove(card)
    if d.loner < 0 and r.allow_alone and r.alone_timing == "before_lead":
        yield from ask_alone(d)


def ask_alone(d: Deal) -> Asking:
    asked = [d.maker]
    if d.r.alone_by == "maker_team":
        asked.append((d.maker + 2) % 4)
    for seat in asked:
        if (yield "loner", seat, {"alone", "with_partner"}) == "alone":
            d.loner = seat
            return


def partners_best(d: Deal) -> Asking:
    """The lone hand gets a card of its partner and lays one away."""
    if d.loner < 0 or d.r.call_for_best == "off":
        return
    offered = d.r.call_for_best == "offered"
    if offered and (yield "call_best", d.loner, {"claim", "keep"}) == "keep":
        return
    for phase, seat in (("pass_card", (d.loner + 2) % 4), ("lay_away", d.loner)):
        card = yield phase, seat, set(d.hands[seat])
        d.hands[seat].remove(card)
        if phase == "pass_card":
            d.hands[d.loner].append(card)


def defence(d: Deal) -> Asking:
    when = d.r.defend_alone
    if when == "off" or (when == "vs_loner" and d.loner < 0):
        return
    for seat in d.clockwise(d.dealer + 1):
        if seat % 2 == d.maker % 2:
            continue
        if (yield "defend", seat, {"defend_alone", "defend_together"}) == "defend_alone":
            d.lone_defender = seat
            return


def tricks(d: Deal) -> Asking:
    d.out = {(s + 2) % 4 for s in (d.loner, d.lone_defender) if s >= 0}
    from_loner = d.loner >= 0 and d.r.loner_lead == "loner_left"
    start = (d.loner if from_loner else d.dealer) + 1
    leader = next(s for s in d.clockwise(start) if s not in d.out)
    for _ in range(5):
        d.leaders.append(leader)
        trick: list[tuple[int, str]] = []
        for seat in d.clockwise(leader):
            if seat in d.out:
                continue
            following = following_cards(d, seat, trick)
            free = d.r.renege == "penalised"
            card = yield "play", seat, set(d.hands[seat]) if free else following
            if card not in following:
                punish(d, seat)
                return
            d.hands[seat].remove(card)
            trick.append((seat, card))
        leader = winner_of(trick, d.trump)
        d.winners.append(leader)
        d.tricks[leader % 2] += 1
    score(d)


def following_cards(d: Deal, seat: int, trick: list[tuple[int, str]]) -> set[str]:
    hand = set(d.hands[seat])
    if not trick:
        return hand
    led = suit_of(trick[0][1], d.trump)
    return {c for c in hand if suit_of(c, d.trump) == led} or hand


def punish(d: Deal, seat: int) -> None:
    defends = seat % 2 != d.maker % 2
    value = d.r.renege_points_vs_loner if defends and d.loner >= 0 else d.r.renege_points
    if d.r.renege_mode == "award":
        d.points[1 - seat % 2] = value
    else:
        d.points[seat % 2] = -value
    d.next_dealer = (d.dealer + 1) % 4


def score(d: Deal) -> None:
    r, side = d.r, d.maker % 2
    won, alone = d.tricks[side], d.loner >= 0
    if won >= 3:
        table = {3: r.points_make, 4: r.points_make, 5: r.points_march}
        if alone:
            table |= {4: r.points_loner_four, 5: r.points_loner_march}
        d.points[side] = table[won]
        if won == 3 and r.fast_break and {w % 2 for w in d.winners[:2]} == {1 - side}:
            d.points[side] = 0
        if won == 4 and not alone and r.four_trick_tokens:
            d.tokens[side] = 1  # of the first hand of a game
    elif d.lone_defender >= 0:
        d.points[1 - side] = r.defend_alone_points[won == 0]
    else:
        values = [r.points_euchre]
        if alone:
            values.append(r.points_loner_euchred)
        if won == 0:
            values.append(r.points_super_euchre)
        d.points[1 - side] = max(values)
    d.next_dealer = (d.dealer + 1) % 4
