"""Checks for other people's rule sets and agents.

Random rule sets for property tests, and other deals of the cards that a seat cannot see.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np

from .rules import N_SEATS, NAME_TRUMP, TAKEN, TAKEN_OR_BURIED, burier, new_states
from .ruleset import JOKER_NAMES_BLIND, OPTIONS, VARIANT_PLAYERS, Option, Ruleset, RulesetError

__all__ = ["permute_hidden", "random_ruleset", "random_value"]

_SPREAD = 15  # keeps random games short enough to be played to their end in a test
_CHANGED = 0.5
_REDRAWS = 20


def random_ruleset(rng: random.Random | np.random.Generator, variants: bool = False) -> Ruleset:
    """Return a random valid rule set; any option may differ from its default.

    Of the partnership game, or with `variants` of any game. Numbers stay near the low end of what
    is allowed, so that games end soon. Equal generator states give equal rule sets.
    """
    draw = rng if isinstance(rng, random.Random) else random.Random(int(rng.integers(2**62)))
    values = _random_game(draw, variants)
    for name, option in OPTIONS.items():
        if name not in values and draw.random() < _CHANGED:
            values[name] = random_value(option, draw)
    if values.get("hands_per_game") is not None:
        values["target_score"] = None
    return _repaired(values, draw)


def random_value(option: Option, rng: random.Random) -> Any:
    """Return a random value that `option` takes, by itself; it may be the default."""
    if option.kind == "bool":
        return rng.random() < 0.5
    if option.kind == "pair":
        return _random_int(option, rng), _random_int(option, rng)
    if option.kind == "optional int" and rng.random() < 0.5:
        return None
    if option.choices and (option.kind == "choice" or rng.random() < 0.5):
        return rng.choice(option.choices)
    return _random_int(option, rng)


def _random_int(option: Option, rng: random.Random) -> int:
    return rng.randrange(option.low, min(option.high, option.low + _SPREAD) + 1, option.step)


def _random_game(rng: random.Random, variants: bool) -> dict[str, Any]:
    variant = rng.choice(OPTIONS["variant"].choices) if variants else "partnership"
    values: dict[str, Any] = {"variant": variant, "players": VARIANT_PLAYERS[variant]}
    fixed = {n: o.default for n, o in OPTIONS.items() if not o.allowed_in(variant)}
    return values | fixed


def _repaired(values: dict[str, Any], rng: random.Random) -> Ruleset:
    # Drawing again lets an option that needs another one survive; the defaults end the search.
    for attempt in itertools.count():
        try:
            return Ruleset(**values)
        except RulesetError as error:
            name = rng.choice([n for n in error.conflict if n not in ("variant", "players")])
            option = OPTIONS[name]
            values[name] = random_value(option, rng) if attempt < _REDRAWS else option.default
    raise AssertionError("unreachable")


# --- other worlds ------------------------------------------------------------------------------

_SWAPS = 100
"""Pairs of cards tried; about half as many mix a deck."""


def permute_hidden(
    state: Any, rules_record: Any, viewer: int, rng: random.Random | np.random.Generator
) -> Any:
    """Return a copy of a game with the cards that `viewer` cannot see dealt otherwise.

    The other world agrees with all that the seat has seen: its own cards, plays, voids shown (by
    effective suit), the upcard, what it laid away or swapped, and cards shown. What is only
    inferred is not kept: that a caller held a natural trump, that a seat qualified as weak, or that
    a hidden swap gave away the lowest cards. Every observation, mask and decision of `viewer` has
    to be the same in both worlds.

    Args:
        state: A record of a game at any moment.
        rules_record: The rule set's record, `ruleset.record()[0]`.
        viewer: The seat whose knowledge is kept.
        rng: Source of the new deal; two calls with equal generators deal alike.
    """
    draw = rng if isinstance(rng, random.Random) else random.Random(int(rng.integers(2**62)))
    worlds = new_states(1)
    worlds[0] = state
    world = worlds[0]
    places = _hidden_places(world, rules_record, viewer)
    open_to = {place: _cards_allowed(world, rules_record, place, viewer) for place in places}
    slots = [(place, card) for place, cards in places.items() for card in _bits(cards)]
    for _ in range(_SWAPS if len(slots) > 1 else 0):
        i, j = draw.randrange(len(slots)), draw.randrange(len(slots))
        (here, a), (there, b) = slots[i], slots[j]
        if open_to[there] >> a & open_to[here] >> b & 1:
            slots[i], slots[j] = (here, b), (there, a)
    _lay_out(world, places, slots)
    if world.passed and viewer not in (world.passer, world.loner):
        world.passed = 1 << draw.choice(_could_be_passed(world))
    return world


Place = tuple[str, int]
"""Where a hidden card lies: a field of the record, and the seat for a hand."""


def _hidden_places(s: Any, r: Any, viewer: int) -> dict[Place, int]:
    """The cards that a viewer cannot see, by place."""
    blind = s.phase == NAME_TRUMP and r.joker_upcard == JOKER_NAMES_BLIND and viewer == s.dealer
    seats = [seat for seat in range(N_SEATS) if seat != viewer or blind]
    places = {("hand", seat): int(s.hand[seat]) for seat in seats}
    if s.swapper != viewer and (s.swapper < 0 or r.swap3_shown == 0):
        places["kitty", 0] = int(s.kitty)
    places["spare", 0] = int(s.spare)
    places["dummy", 0] = int(s.dummy)
    if burier(s) != viewer:
        places["buried", 0] = int(s.buried)
    if s.taker != viewer:
        places["discard", 0] = int(s.discard)
        if s.place == TAKEN:
            places["hand", int(s.taker)] &= ~int(s.upcard)  # everybody knows that it is there
    return places


def _cards_allowed(s: Any, r: Any, place: Place, viewer: int) -> int:
    """The cards against which, at a place, the viewer has seen nothing that speaks."""
    name, seat = place
    allowed = ~int(s.void[seat]) if name == "hand" else ~0
    passed_on = s.passed != 0 and s.passer == s.taker  # the upcard may be the card passed
    holds_upcard = {
        "hand": seat == s.taker or (passed_on and seat == s.loner),
        "discard": r.dealer_may_discard_upcard != 0,
        "buried": burier(s) == s.taker or passed_on,
    }
    if s.place == TAKEN_OR_BURIED and s.taker != viewer and not holds_upcard.get(name, False):
        allowed &= ~int(s.upcard)
    if s.passer == viewer and place not in (("hand", int(s.loner)), ("buried", 0)):
        allowed &= ~int(s.passed)
    return allowed


def _could_be_passed(s: Any) -> list[int]:
    """The cards of the lone hand that its partner may have passed: not the upcard it took itself.

    Where the partner took the upcard, the lone hand can have it from nowhere else.
    """
    cards = int(s.hand[s.loner]) | int(s.played[s.loner]) | int(s.buried)
    if s.taker == s.passer and cards & int(s.upcard):
        return _bits(int(s.upcard))
    return _bits(cards & ~int(s.upcard)) if s.taker == s.loner else _bits(cards)


def _lay_out(s: Any, places: dict[Place, int], slots: list[tuple[Place, int]]) -> None:
    for (name, seat), cards in places.items():
        new = sum(1 << card for place, card in slots if place == (name, seat))
        if name == "hand":
            s.hand[seat] = (int(s.hand[seat]) & ~cards) | new
        else:
            s[name] = new
    if s.swapper >= 0 and ("kitty", 0) in places:
        s.swapped = s.kitty


def _bits(cards: int) -> list[int]:
    return [bit for bit in range(cards.bit_length()) if cards >> bit & 1]
