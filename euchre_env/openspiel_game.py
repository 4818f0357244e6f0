"""Euchre for OpenSpiel's Python algorithms: the game ``python_euchre``, one hand an episode.

    import pyspiel
    import euchre_env.openspiel_game  # registers the game
    game = pyspiel.load_game("python_euchre", {"ruleset": "stick,joker=true", "score_0": 8})

Parameters are ``ruleset``, as a command line names it, and ``score_0`` and ``score_1``, the points
of the teams before the hand. In OpenSpiel's own texts of games, where commas and ``=`` have a
meaning, a rule set reads ``stick/joker:true``. Actions are the absolute ids of
:mod:`euchre_env.actions`. Chance is explicit: the dealer (uniform, or none where ``first_dealer``
names a seat), the upcard, then five cards for each of the seats 0 to 3, and with the joker the
kitty. The upcard comes first so that a joker that may not be turned up leaves every other deal
equally likely.

Information state and observation are the same, since the project's observations remember all that
a seat has seen. The tensor is the observation, each block shifted and scaled as
:data:`euchre_env.encoding.LAYOUT` says. ``resample_from_infostate`` draws from
:mod:`euchre_env.belief`, so it keeps shown voids and deals the kitty and hidden discards anew.

OpenSpiel's algorithms in Python take the game. Its compiled bots (``pyspiel.MCTSBot``,
``pyspiel.ISMCTSBot``) take no game written in Python: in OpenSpiel 2.0.2 they end the process, with
its own ``python_kuhn_poker`` as well, and C++ calls no Python method for resampling. OpenSpiel
saves Python games as pickles; load no saved state from a source you do not trust.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyspiel

from . import belief, rules
from .actions import FROM_ABSOLUTE, action_text, legal_ids
from .cards import JOKER, N_CARDS, card_text, cards_of, deck_of
from .encoding import LAYOUT, OBSERVATION_SIZE, encode, rule_codes
from .ruleset import OPTIONS, Ruleset

NAME = "python_euchre"
HAND_SIZE = 5
UPCARD_AT, KITTY_AT = 20, 21
"""Where upcard and kitty stand in a deck, after the hands."""
_TRIES = 10_000
_ABSOLUTE = True

_GAME_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Euchre with house rules",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=rules.N_SEATS,
    min_num_players=rules.N_SEATS,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"ruleset": "american", "score_0": 0, "score_1": 0},
)


class _Rules(NamedTuple):
    """What all states of a game share."""

    ruleset: Ruleset
    record: Any
    codes: npt.NDArray[np.uint8]
    score: tuple[int, int]
    order: tuple[int, ...]  # the places of the deck in the order of dealing


@cache
def _rules_of(text: str, score: tuple[int, int]) -> _Rules:
    """The rules of a game by its parameters.

    Raises:
        RulesetError: no such rule set, or one for another table than four.
    """
    ruleset = Ruleset.parse(_without_slashes(text))
    ruleset.require_partnership("OpenSpiel's game is")
    kitty = range(KITTY_AT, KITTY_AT + 3) if ruleset.joker else ()
    order = (UPCARD_AT, *range(UPCARD_AT), *kitty)
    return _Rules(ruleset, ruleset.record()[0], rule_codes(ruleset), score, order)


def _without_slashes(text: str) -> str:
    """``stick/joker:true`` as ``stick,joker=true``; what has commas or ``=`` stays as it is."""
    if "," in text or "=" in text:
        return text
    return ",".join(item.replace(":", "=", 1) for item in text.split("/"))


def _with_slashes(text: str) -> str:
    if "," not in text and "=" not in text:
        return text
    return "/".join(item.strip().replace("=", ":", 1) for item in text.split(","))


def _most_points(ruleset: Ruleset) -> float:
    """A bound on the points of a hand: the sum of the largest values that score."""
    found = [0]
    for name, value in ruleset.to_dict().items():
        values = value if isinstance(value, list) else [value]
        if OPTIONS[name].kind in ("int", "pair"):
            found += [abs(each) for each in values if isinstance(each, int)]
    return float(max(found) + ruleset.four_trick_tokens)


class EuchreGame(pyspiel.Game):  # type: ignore[misc]
    """The game; see the module for its parameters.

    Raises:
        RulesetError: a parameter that does not fit.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = params or {}
        text = _with_slashes(str(given.get("ruleset", "american")))
        score = int(given.get("score_0", 0)), int(given.get("score_1", 0))
        most = _most_points(_rules_of(text, score).ruleset)
        info = pyspiel.GameInfo(
            num_distinct_actions=rules.N_ACTIONS,
            max_chance_outcomes=N_CARDS,
            num_players=rules.N_SEATS,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=belief.MAX_ACTS,
        )
        own = {"ruleset": text, "score_0": score[0], "score_1": score[1]}
        super().__init__(_GAME_TYPE, info, own)

    @property
    def key(self) -> tuple[str, tuple[int, int]]:
        """Rule set and score; read from OpenSpiel's side, which alone survives a pickle."""
        own = self.get_parameters()
        return own["ruleset"], (own["score_0"], own["score_1"])

    @property
    def ruleset(self) -> Ruleset:
        """The rule set."""
        return _rules_of(*self.key).ruleset

    def new_initial_state(self) -> EuchreState:
        """A hand of which nothing is dealt."""
        return EuchreState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The dealer and the cards dealt one by one."""
        return 1 + len(_rules_of(*self.key).order)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> EuchreObserver:
        """An observer of all that a seat can know; there is no other."""
        return EuchreObserver(params)


class EuchreState(pyspiel.State):  # type: ignore[misc]
    """One hand; :attr:`record` is the project's own record of it, all cards included."""

    def __init__(self, game: EuchreGame) -> None:
        super().__init__(game)
        # OpenSpiel clones a state by a deep copy of these attributes, so they are few and plain.
        self.key = game.key
        self.hand = rules.new_states(1)
        fixed = int(self.rules.record.first_dealer)
        self.dealer = fixed if fixed >= 0 else rules.NOBODY
        self.dealt: list[int] = []
        self.acts: list[int] = []

    @property
    def rules(self) -> _Rules:
        """What all states of the game share."""
        return _rules_of(*self.key)

    @property
    def record(self) -> Any:
        """The record (:data:`euchre_env.rules.STATE`), all zero until the cards are dealt."""
        return self.hand[0]

    @property
    def is_dealt(self) -> bool:
        """Whether chance is done."""
        return len(self.dealt) == len(self.rules.order)

    # what OpenSpiel calls

    def current_player(self) -> int:
        """The seat to act, or OpenSpiel's number for chance or the end."""
        if not self.is_dealt:
            return int(pyspiel.PlayerId.CHANCE)
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return int(self.record.turn)

    def is_terminal(self) -> bool:
        """Whether the hand is over."""
        return self.is_dealt and int(self.record.phase) == rules.OVER

    def returns(self) -> list[float]:
        """Team points of the hand by seat, zero-sum; zeros before its end."""
        if not self.is_terminal():
            return [0.0] * rules.N_SEATS
        return [float(rules.reward(self.record, seat)) for seat in range(rules.N_SEATS)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Seats for the dealer, then card ids."""
        if self.dealer == rules.NOBODY:
            outcomes = list(range(rules.N_SEATS))
        else:
            outcomes = [c for c in range(N_CARDS) if self._can_be_dealt(c)]
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def _can_be_dealt(self, card: int) -> bool:
        ruleset = self.rules.ruleset
        if card == JOKER and not ruleset.joker:
            return False
        if card == JOKER and not self.dealt and ruleset.joker_upcard == "redraw":
            return False
        return card not in self.dealt

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(legal_ids(self.record, self.rules.record))

    def _apply_action(self, action: int) -> None:
        if self.is_dealt:
            framed = FROM_ABSOLUTE[self.record.frame, action]
            rules.apply(self.record, self.rules.record, np.int64(framed))
            self.acts.append(int(action))
        elif self.dealer == rules.NOBODY:
            self.dealer = int(action)
        else:
            self.dealt.append(int(action))
            if self.is_dealt:
                self._begin()

    def _begin(self) -> None:
        places = dict(zip(self.rules.order, self.dealt, strict=True))
        size = N_CARDS if self.rules.ruleset.joker else N_CARDS - 1
        rest = iter(sorted(set(range(size)) - set(self.dealt)))
        deck = [places[k] if k in places else next(rest) for k in range(size)]
        rules.new_match(self.record, self.rules.record)
        self.record.score[:2] = self.rules.score
        cards = deck_of(deck, joker=self.rules.ruleset.joker)
        rules.deal(self.record, self.rules.record, cards, self.dealer)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return action_text(action, "absolute")
        return f"dealer {action}" if self.dealer == rules.NOBODY else f"deal {card_text(action)}"

    def __str__(self) -> str:
        cards = " ".join(card_text(card) for card in self.dealt)
        words = " ".join(action_text(action, "absolute") for action in self.acts)
        return f"dealer {self.dealer}, upcard and hands {cards or '-'}, acts {words or '-'}"

    # resampling

    def resample_from_infostate(
        self, player_id: int, probability_sampler: Callable[[], float]
    ) -> EuchreState:
        """A state with the same information state of a seat, uniform over the deals behind it.

        Args:
            player_id: The seat.
            probability_sampler: Gives a uniform number from 0 to 1; it seeds the draw.

        Raises:
            BeliefError: before the deal, or no such seat.
        """
        if not self.is_dealt:
            raise belief.BeliefError("the cards are not dealt yet: apply the chance outcomes first")
        ruleset = self.rules.ruleset
        for _ in range(_TRIES):
            seed = int(probability_sampler() * 2**53)
            state = self._replayed(belief.worlds(self.record, ruleset, player_id, 1, seed)[0])
            if state is not None:
                return state
        raise belief.BeliefError(f"no deal found that gives seat {self.record.turn} a weak hand")

    def _replayed(self, world: Any) -> EuchreState | None:
        """A new state that has come to the record of a world by the same acts.

        None where the world does not ask the seat about its weak hand that is being asked.
        """
        state = self.get_game().new_initial_state()
        if state.dealer == rules.NOBODY:
            state.apply_action(self.dealer)
        deck = _deck_of(world, self.rules.record)
        for place in self.rules.order:
            state.apply_action(int(deck[place]))
        state._answer_weak_hands(world)
        if (state.record.phase == rules.WEAK_HAND) != (self.record.phase == rules.WEAK_HAND):
            return None
        for action in self.acts:
            if action in (rules.CLAIM, rules.KEEP):
                continue  # who was asked depends on hidden cards
            is_discard = int(state.record.phase) == rules.DISCARD
            state.apply_action(_discarded(world) if is_discard else action)
        return state

    def _answer_weak_hands(self, world: Any) -> None:
        """Claim for the seat that swapped, and keep for all others, as far as a world has come."""
        while int(self.record.phase) == rules.WEAK_HAND:
            if world.phase == rules.WEAK_HAND and world.turn == self.record.turn:
                return
            is_swapper = world.swapper == self.record.turn
            self.apply_action(rules.CLAIM if is_swapper else rules.KEEP)


def _discarded(world: Any) -> int:
    return cards_of(world.discard, world.frame)[0]


def _deck_of(world: Any, r: Any) -> npt.NDArray[np.int8]:
    """The deck whose deal led to a full record, int8[25]."""
    deck, past = np.zeros(N_CARDS, np.int8), rules.new_states(1)
    belief.restart(world, r, deck, past[0])
    if world.swapper != rules.NOBODY:
        _undo_swap(past[0], r, deck)
    return deck


def _undo_swap(past: Any, r: Any, deck: npt.NDArray[np.int8]) -> None:
    """Give the swapper a hand and the kitty three cards from which the swap can have come."""
    hand, given, frame = int(past.hand[past.swapper]), int(past.kitty), past.frame
    bits = [1 << k for k in range(N_CARDS) if hand >> k & 1]
    for taken in map(sum, combinations(bits, 3)):
        before = np.int64(hand - taken + given)
        weak = rules.weak_hand_qualifies(r.weak_hand_test, before, frame)
        if weak and rules.three_lowest(before, frame) == given:
            at = HAND_SIZE * int(past.swapper)
            deck[at : at + HAND_SIZE] = cards_of(int(before), frame)
            deck[KITTY_AT : KITTY_AT + 3] = cards_of(taken, frame)
            return
    raise belief.BeliefError("no weak hand explains the swap of this world")


class EuchreObserver:
    """What a seat can know, as OpenSpiel's observers give it.

    Attributes:
        tensor: float32[D], of the latest ``set_from``.
        dict: The same as ``{"observation": tensor}``.

    Raises:
        ValueError: any parameters; there are none.
    """

    def __init__(self, params: Any = None) -> None:
        if params:
            raise ValueError(f"params={params!r}: this observer has no parameters, leave them out")
        self.tensor = np.zeros(OBSERVATION_SIZE, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: EuchreState, player: int) -> None:
        """Fill the tensor with what a seat can know; zeros before the deal."""
        self.tensor[:] = (_observation(state, player) - _OFFSETS) / _SCALES if state.is_dealt else 0

    def string_from(self, state: EuchreState, player: int) -> str:
        """The hand in words and all of the observation in hexadecimal digits."""
        if not state.is_dealt:
            return f"seat {player}, dealing"
        seen = state.hand.copy()
        rules.hide(seen[0], state.rules.record, player)
        cards = " ".join(card_text(c) for c in cards_of(seen[0].hand[player], seen[0].frame))
        phase = rules.PHASES[int(seen[0].phase)]
        digits = _observation(state, player).data.hex()
        return f"seat {player}, {phase}, {cards or 'no cards'}, {digits}"


def _observation(state: EuchreState, player: int) -> npt.NDArray[np.uint8]:
    out = np.zeros(OBSERVATION_SIZE, np.uint8)
    shared = state.rules
    scratch = rules.new_states(1)
    encode(state.record, shared.record, shared.codes, player, _ABSOLUTE, scratch, out)
    return out


def _by_entry(name: str) -> npt.NDArray[np.float32]:
    values = [np.full(block.size, getattr(block, name), np.float32) for block in LAYOUT.values()]
    return np.concatenate(values)


_OFFSETS, _SCALES = _by_entry("offset"), _by_entry("scale")

pyspiel.register_game(_GAME_TYPE, EuchreGame)
