"""The AEC environment: one game as PettingZoo expects it, over one record of the rules.

All of a game lives in one block of bytes (:data:`TABLE`), which compiled code reads and writes. A
step is a single compiled call that checks the action, applies it, and leaves the mask and the
observation of the next seat ready to be copied out.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import operator
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, ClassVar, TypedDict

import numba
import numpy as np
import numpy.typing as npt
from gymnasium import logger, spaces
from pettingzoo.utils.env import AECEnv

from . import render as pictures
from ._check import LARGEST, check_choice, check_int, is_int, listed
from ._jit import COMPILED, njit
from .actions import FRAMES, FROM_ABSOLUTE, ActionError, action_text, count_actions
from .cards import N_CARDS, WIDE_DECK, deck_of
from .encoding import (
    OBSERVATION_SIZE,
    POINTS_OFFSET,
    WIDE_OBSERVATION_SIZE,
    blank_observations,
    encode,
    encode_hidden,
    hidden_size,
    observation_size,
)
from .kernels import (
    EPISODES,
    WIDE_MASK_WORDS,
    as_uint64,
    seed_of,
    shuffle,
    start_episode,
    write_low_mask,
    write_mask,
)
from .rules import (
    ALL_ACTIONS,
    MOST_SIDES,
    N_SEATS,
    N_TEAMS,
    NOBODY,
    OVER,
    PHASES,
    STATE,
    TOKENS_FOR_A_POINT,
    UNDECIDED,
    apply,
    count_sides,
    counts_down,
    deal,
    has_low_cards,
    legal,
    must_redraw,
    next_hand,
    seat_reward,
)
from .ruleset import RULES, Ruleset

AGENTS = tuple(f"player_{seat}" for seat in range(N_SEATS))
"""The agents by seat, ``player_0`` (North) to ``player_3`` (West)."""
_SEAT_OF = {agent: seat for seat, agent in enumerate(AGENTS)}

_NO_SCORE = np.zeros(MOST_SIDES, np.int64)
_NO_TOKENS = np.zeros(N_TEAMS, np.int64)
_NO_OPTIONS = (NOBODY, None, _NO_TOKENS, None)

_PARTS = frozenset(
    ("_table", "_no_deck", "_copy_observation", "_copy_mask", "_list_rewards")
    + ("_begin_one", "_step_one", "_observe_one", "_report_one")
)
"""Attributes that stand for parts of the block of bytes or for compiled code: never copied."""

Observation = dict[str, npt.NDArray[Any]]


# --- one game in a block of bytes ----------------------------------------------------------------

TABLE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("state", STATE),
                ("scratch", STATE),  # where observations are prepared
                ("rules", RULES),
                ("legal", np.int64),  # the legal set of the seat to act, in frame ids
                ("mask", np.uint64, WIDE_MASK_WORDS),  # a byte an action, in the user's frame
                ("max_hands", np.int64),
                ("dealt", np.int64),  # hands of this episode, the present one included
                ("rewards", np.float64, N_SEATS),  # of the hand that ended last
                ("absolute", np.int8),  # whether the user's frame names suits
                ("whole_games", np.int8),  # whether an episode goes on after a hand
                ("deck", np.int8, WIDE_DECK),
                ("blank", np.uint8, WIDE_OBSERVATION_SIZE),
                ("observation", np.uint8, WIDE_OBSERVATION_SIZE),  # of the seat to act
            ],
            align=True,
        ),
    )
)
"""The block of one game: compiled code and Python name the same bytes by its fields."""


def _span(field: str) -> tuple[int, int]:
    kind, start = TABLE.fields[field][:2]  # type: ignore[index]
    return start, start + kind.itemsize


_STATE, _STATE_END = _span("state")
_SCRATCH, _SCRATCH_END = _span("scratch")
_RULES, _RULES_END = _span("rules")
_MASK, _MASK_END = _span("mask")
_DECK, _DECK_END = _span("deck")
_BLANK, _BLANK_END = _span("blank")
_OBSERVATION, _WIDE_OBSERVATION_END = _span("observation")
_OBSERVATION_END = _OBSERVATION + OBSERVATION_SIZE

ILLEGAL = -1
HAND_ENDED, TERMINATED, TRUNCATED = 4, 8, 16
"""What :func:`step_one` adds to the seat to act."""


@njit
def observe_one(table, viewer, out):
    """Write the observation of any seat: uint8[OBSERVATION_SIZE]."""
    t = table.view(TABLE)[0]
    blank = table[_BLANK:_BLANK_END]
    scratch = table[_SCRATCH:_SCRATCH_END].view(STATE)
    encode(t.state, t.rules, blank, np.int64(viewer), t.absolute != 0, scratch, out)


@njit
def report_one(table):
    """Write legal set, mask and observation of the seat to act; returns it, 0 if there is none."""
    t = table.view(TABLE)[0]
    s = t.state
    t.legal = legal(s, t.rules)
    write_mask(t.legal, s.frame, t.absolute != 0, table[_MASK:_MASK_END].view(np.uint64), 0)
    viewer = np.int64(max(s.turn, 0))
    end = _OBSERVATION_END
    if has_low_cards(t.rules):
        end = _WIDE_OBSERVATION_END
        words = table[_MASK:_MASK_END].view(np.uint64)
        write_low_mask(t.legal, s.frame, t.absolute != 0, words, 0)
    observe_one(table, viewer, table[_OBSERVATION:end])
    return viewer


@njit
def _after_hand(t, deck):
    """Note the rewards of the hand just finished; end the episode or deal on. Returns the flags."""
    s = t.state
    for seat in range(N_SEATS):
        t.rewards[seat] = seat_reward(s, t.rules, seat)
    if t.whole_games == 0 or s.match_winner != UNDECIDED:
        return HAND_ENDED | TERMINATED
    if t.dealt >= t.max_hands:
        return HAND_ENDED | TRUNCATED
    t.dealt += 1
    shuffle(s, t.rules, deck)
    next_hand(s, t.rules, deck)
    return HAND_ENDED


@njit
def step_one(table, action):
    """Carry out an action of the seat to act, in the user's frame, and report.

    Returns:
        The seat to act with flags added, or ILLEGAL, when nothing has changed.
    """
    t = table.view(TABLE)[0]
    s = t.state
    if action < 0 or action >= ALL_ACTIONS:
        return ILLEGAL
    framed = np.int64(FROM_ABSOLUTE[s.frame, action]) if t.absolute != 0 else np.int64(action)
    if (t.legal >> framed) & 1 == 0:
        return ILLEGAL
    apply(s, t.rules, framed)
    flags = 0
    if s.phase == OVER:
        flags = _after_hand(t, table[_DECK:_DECK_END].view(np.int8))
    return report_one(table) | flags


@njit
def begin_one(table, dealer, scored, score, tokens, injected, deck):
    """Start an episode and report.

    Args:
        table: The block.
        dealer: A seat, or NOBODY to draw one.
        scored: Whether the game starts at another score than usual: ``score`` int64[4], by side.
        tokens: int64[2], of each team.
        injected: Whether ``deck`` (:func:`euchre_env.cards.deck_of`) is dealt first.

    Returns:
        The seat to act.
    """
    t = table.view(TABLE)[0]
    own = table[_DECK:_DECK_END].view(np.int8)
    # The shuffle happens in any case, so that later hands do not depend on what is injected.
    start_episode(t.state, t.rules, dealer, own)
    if scored:
        for side in range(MOST_SIDES):
            t.state.score[side] = score[side]
    for side in range(N_TEAMS):
        t.state.tokens[side] = tokens[side]
    if injected:
        deal(t.state, t.rules, deck, t.state.dealer)
    t.dealt = 1
    return report_one(table)


@njit
def reveal_one(table, out):
    """Write the observation of seat 0 and then all that is hidden: the vector of ``state()``."""
    t = table.view(TABLE)[0]
    seen = WIDE_OBSERVATION_SIZE if has_low_cards(t.rules) else OBSERVATION_SIZE
    observe_one(table, 0, out[:seen])
    encode_hidden(t.state, t.rules, np.int64(0), t.absolute != 0, out[seen:])


def _entry(function: Any, *arguments: Any) -> Callable[..., Any]:
    """The function compiled for arguments of these types; calls spend no time on types."""
    if not COMPILED:
        return function
    types: Any = numba.typeof
    return function.compile(tuple(types(each) for each in arguments))


@cache
def _entries() -> tuple[Callable[..., Any], ...]:
    table, deck = np.zeros(TABLE.itemsize, np.uint8), np.zeros(N_CARDS, np.int8)
    return (
        _entry(begin_one, table, 0, False, _NO_SCORE, _NO_TOKENS, False, deck),
        _entry(step_one, table, 0),
        _entry(observe_one, table, 0, table),
        _entry(report_one, table),
    )


# --- the environment -----------------------------------------------------------------------------


class AecState(TypedDict):
    """What :meth:`raw_env.get_state` saves: plain values and copies of two records."""

    state: npt.NDArray[Any]
    rules: npt.NDArray[Any]
    dealt: int
    agents: list[str]
    agent_selection: str
    rewards: dict[str, float]
    cumulative_rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]


class raw_env(AECEnv):  # type: ignore[misc]
    """Euchre as a PettingZoo AEC environment.

    Order of calls, bounds and legality are checked here, with clear messages, so that no wrapper
    is needed. An observation is ``{"observation": uint8[D], "action_mask": int8[38]}`` (int8[46]
    with 28 or 32 cards, where D is larger too); the mask is all zero for agents that are not to
    act. Rewards are the points of the hand just ended, those of the agent's side less the mean of
    the other sides', on the step that ends it; over sides they add up to nothing. A seat that sits
    out stays alive and is never selected.

    Args:
        ruleset: A rule set, or its text.
        episode: ``"hand"`` ends an episode with its hand; ``"game"`` with the game (or match).
        frame: ``"absolute"`` or ``"trump"``: suits of observations and action ids by name, or
            relative to the upcard's suit and then to trump.
        render_mode: None, ``"human"`` (a window), ``"ansi"``, ``"rgb_array"`` or ``"svg"``.
        max_hands: Hands after which a game episode is truncated.
        render_seat: Show only what this seat can know; None shows all hands.

    Raises:
        ValueError: a bad argument; the message names it and what would do.
        ImportError: ``render_mode="human"`` without pygame or Pillow; the message says how to
            install them.

    A window that its user closes stays closed, with one warning, and the game goes on. A copy of
    an environment with a window draws only when its own :meth:`render` is called, so that games
    played ahead in copies do not flicker past.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "euchre_v0",
        "render_modes": ["human", "ansi", "rgb_array", "svg"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        ruleset: Ruleset | str = Ruleset(),  # noqa: B008 - a frozen value
        episode: str = "hand",
        frame: str = "absolute",
        render_mode: str | None = None,
        max_hands: int = 1000,
        render_seat: int | None = None,
    ) -> None:
        super().__init__()
        self.ruleset = ruleset if isinstance(ruleset, Ruleset) else Ruleset.parse(ruleset)
        self.episode = check_choice("episode", episode, EPISODES)
        self.frame = check_choice("frame", frame, FRAMES)
        modes = (None, *self.metadata["render_modes"])
        self.render_mode = check_choice("render_mode", render_mode, modes)
        self.render_seat = render_seat
        if render_seat is not None:
            self.render_seat = check_int("render_seat", render_seat, 0, self.ruleset.players - 1)
        self.max_hands = check_int("max_hands", max_hands, 1, LARGEST)
        self._is_shown = render_mode == "human"
        self._window = pictures.Window() if self._is_shown else None
        self.possible_agents = list(AGENTS[: self.ruleset.players])
        self._make_table()
        self._make_spaces()
        self._forget()

    # construction

    def _make_table(self) -> None:
        self._bytes = np.zeros(TABLE.itemsize, np.uint8)
        self._name_parts()
        table = self._table
        table["rules"] = self.ruleset.record()[0]
        blank = blank_observations(self.ruleset)[0]
        table["blank"][: len(blank)] = blank
        table["max_hands"] = self.max_hands
        table["absolute"] = self.frame == "absolute"
        table["whole_games"] = self.episode == "game"

    def _name_parts(self) -> None:
        """Views of the block of bytes; made anew for every copy of the environment."""
        self._table = self._bytes.view(TABLE)[0]
        self._no_deck = self._table["deck"]
        # Bound methods and entries, since a step has no time for look-ups.
        self._size = observation_size(self.ruleset)
        self._actions = count_actions(self.ruleset)
        self._copy_observation = self._table["observation"][: self._size].copy
        self._copy_mask = self._table["mask"].view(np.int8)[: self._actions].copy
        self._list_rewards = self._table["rewards"].tolist
        self._begin_one, self._step_one, self._observe_one, self._report_one = _entries()

    def _make_spaces(self) -> None:
        size, actions = self._size, self._actions
        seen = spaces.Dict(
            {
                "observation": spaces.Box(0, 255, (size,), np.uint8),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        # One object for each agent: they are seeded one by one.
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.state_space = spaces.Box(0, 255, (size + hidden_size(self.ruleset),), np.uint8)

    def _forget(self) -> None:
        self._is_reset = False
        self._is_seeded = False
        self._is_paid = False
        self._actor: str | None = None  # whose mask and observation stand ready in the table
        self.agents: list[str] = []
        self.agent_selection = AGENTS[0]
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """``{"observation": Box(0, 255, (D,), uint8), "action_mask": Box(0, 1, (38,), int8)}``."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """``Discrete(38)``, or ``Discrete(46)`` in games with 28 or 32 cards."""
        return self.action_spaces[self._known(agent)]

    # starting

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start an episode.

        Args:
            seed: Of all chance. Without one the generator goes on, and the first reset draws one.
            options: ``dealer`` (a seat), ``deck`` (text or cards: five of each seat from 0 to 3,
                the upcard, the kitty; in a game episode for the first hand only), ``score`` (of
                teams 0 and 1) and ``tokens`` (of the teams, under ``four_trick_tokens``). All may
                be left out; other keys are ignored.

        Raises:
            ValueError: a bad seed or option; nothing has changed.
        """
        dealer, score, tokens, deck = self._checked_options(options) if options else _NO_OPTIONS
        start = self._checked_seed(seed)
        if start is not None:
            self._table["state"]["rng"] = start
            self._is_seeded = True
        given = self._no_deck if deck is None else deck
        at = _NO_SCORE if score is None else score
        scored, injected = score is not None, deck is not None
        seat = self._begin_one(self._bytes, dealer, scored, at, tokens, injected, given)
        self._is_reset = True
        self._is_paid = False
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self._actor = AGENTS[seat]
        if self._is_shown:
            self.render()

    def _checked_seed(self, seed: int | None) -> Any:
        """The generator's new state, or None where it goes on as it is."""
        if seed is None:
            return None if self._is_seeded else np.uint64(secrets.randbits(64))
        return np.uint64(seed_of(as_uint64(check_int("seed", seed, 0)), np.uint64(0)))

    def _checked_options(
        self, options: Mapping[str, Any]
    ) -> tuple[
        int, npt.NDArray[np.int64] | None, npt.NDArray[np.int64], npt.NDArray[np.int8] | None
    ]:
        if not isinstance(options, Mapping):
            raise ValueError(f"options={options!r} must be a dict such as {{'dealer': 2}}")
        dealer = options.get("dealer")
        seats = range(self.ruleset.players)
        if dealer is not None and not (is_int(dealer) and dealer in seats):
            raise ValueError(f"options dealer={dealer!r} is no seat: use {listed(seats, 'or')}")
        deck = options.get("deck")
        return (
            NOBODY if dealer is None else int(dealer),
            self._checked_score(options.get("score")),
            self._checked_tokens(options.get("tokens")),
            None if deck is None else self._checked_deck(deck),
        )

    def _checked_score(self, score: Any) -> npt.NDArray[np.int64] | None:
        if score is None:
            return None
        # Scores are bytes of the observation, stored with an offset.
        rules, target = self._table["rules"], self.ruleset.target_score
        sides = range(count_sides(rules))
        low, top = -POINTS_OFFSET, 255 - POINTS_OFFSET
        limit = ""
        if target is not None and counts_down(rules):
            low, limit = 1, " (a player at 0 has won)"
        elif target is not None:
            top, limit = target - 1, f" (a side at target_score={target} has won)"
        fits = isinstance(score, tuple | list | np.ndarray) and len(score) == len(sides)
        if not fits or not all(is_int(n) and low <= n <= top for n in score):
            whom = "teams" if self.ruleset.is_partnership else "players"
            raise ValueError(
                f"options score={score!r} must be {len(sides)} integers, of {whom} "
                f"{listed(sides, 'and')}, from {low} to {top}{limit}"
            )
        found = np.zeros(MOST_SIDES, np.int64)
        found[: len(sides)] = score
        return found

    def _checked_tokens(self, tokens: Any) -> npt.NDArray[np.int64]:
        if tokens is None:
            return _NO_TOKENS
        if not self.ruleset.four_trick_tokens:
            raise ValueError(
                f"options tokens={tokens!r}: the rule set has four_trick_tokens=False; leave them "
                "out, or set four_trick_tokens=True"
            )
        most = TOKENS_FOR_A_POINT - 1
        fits = isinstance(tokens, tuple | list | np.ndarray) and len(tokens) == N_TEAMS
        if not fits or not all(is_int(n) and 0 <= n <= most for n in tokens):
            raise ValueError(
                f"options tokens={tokens!r} must be 2 integers, of teams 0 and 1, from 0 to {most}"
            )
        return np.array(tokens, np.int64)

    def _checked_deck(self, cards: Any) -> npt.NDArray[np.int8]:
        if not isinstance(cards, Iterable):
            raise ValueError(f"options deck={cards!r} must be a text or a list of cards")
        deck = deck_of(cards, self.ruleset.joker, self.ruleset.lowest_rank)
        if must_redraw(self._table["rules"], deck):
            raise ValueError(
                "options deck turns up the JOKER, which joker_upcard='redraw' rules out: put it in "
                "a hand or the kitty, or set joker_upcard='dealer_names_blind'"
            )
        return deck

    # playing

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """The agent to act, again and again until the episode is over for all.

        Raises:
            RuntimeError: before :meth:`reset`.
        """
        self._require_reset("agent_iter")
        return self._selections(max_iter)

    def _selections(self, max_iter: int) -> Iterator[str]:
        while self.agents and max_iter > 0:
            max_iter -= 1
            yield self.agent_selection

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """What ``agent_selection`` sees, its reward since it last acted, its end and its info.

        Raises:
            RuntimeError: before :meth:`reset`, or after the last agent is done.
        """
        agent = self.agent_selection
        try:
            terminated, truncated = self.terminations[agent], self.truncations[agent]
        except KeyError:
            raise self._out_of_order("last") from None
        if not observe:
            seen = None
        elif agent != self._actor or terminated or truncated:
            seen = self._observe_aside(agent)
        else:
            seen = {"observation": self._copy_observation(), "action_mask": self._copy_mask()}
        return seen, self._cumulative_rewards[agent], terminated, truncated, self.infos[agent]

    def observe(self, agent: str) -> Observation:
        """What an agent can know now; new arrays, which later steps do not touch.

        Raises:
            RuntimeError: before :meth:`reset`.
            ValueError: no such agent.
        """
        if agent == self._actor and not self._is_done(agent):
            return {"observation": self._copy_observation(), "action_mask": self._copy_mask()}
        self._require_reset("observe")
        return self._observe_aside(self._known(agent))

    def _observe_aside(self, agent: str) -> Observation:
        """The observation of an agent that is not to act."""
        out = np.empty(self._size, np.uint8)
        self._observe_one(self._bytes, _SEAT_OF[agent], out)
        return {"observation": out, "action_mask": np.zeros(self._actions, np.int8)}

    def step(self, action: int | None) -> None:
        """Carry out an action of the agent to act; an agent that is done takes None.

        Raises:
            ActionError: not a legal action; nothing has changed.
            RuntimeError: before :meth:`reset`, or after the last agent is done.
            ValueError: an action other than None for an agent that is done.
        """
        agent = self.agent_selection
        if agent != self._actor or self.terminations[agent] or self.truncations[agent]:
            self._step_without_turn(action)
            return
        if type(action) is not int:
            action = self._as_id(action)
        try:
            result = self._step_one(self._bytes, action)
        except OverflowError:  # more than 64 bits, as wrong as any other id out of bounds
            result = ILLEGAL
        if result < 0:
            raise ActionError(self._complaint(f"action {self._named(action)} is not legal"))
        self._cumulative_rewards[agent] = 0.0
        if self._is_paid:
            self._clear_rewards()
            self._is_paid = False
        if result >= HAND_ENDED:
            self._end_hand(result)
        else:
            self.agent_selection = self._actor = AGENTS[result]
        if self._is_shown:
            self.render()

    def _step_without_turn(self, action: Any) -> None:
        agent = self.agent_selection
        try:
            is_done = self.terminations[agent] or self.truncations[agent]
        except KeyError:
            raise self._out_of_order("step") from None
        if not is_done:
            raise RuntimeError(f"agent_selection was set to {agent}, but {self._actor} is to act")
        self._was_dead_step(action)

    def _was_dead_step(self, action: Any) -> None:
        """Remove an agent that is done; all are done together, so the next one is done too."""
        agent = self.agent_selection
        if action is not None:
            raise ValueError(f"the episode is over for {agent}: step(None), not step({action!r})")
        self.agents.remove(agent)
        del self.terminations[agent], self.truncations[agent], self.infos[agent]
        del self.rewards[agent], self._cumulative_rewards[agent]
        self._clear_rewards()
        if self.agents:
            self.agent_selection = self.agents[0]

    def _end_hand(self, result: int) -> None:
        self.rewards = dict(zip(self.agents, self._list_rewards()))
        self._accumulate_rewards()
        self._is_paid = True
        self.agent_selection = self._actor = AGENTS[result & (N_SEATS - 1)]
        if result & TERMINATED:
            self.terminations = dict.fromkeys(self.agents, True)
        if result & TRUNCATED:
            self.truncations = dict.fromkeys(self.agents, True)
        if result & (TERMINATED | TRUNCATED):
            self._actor = None
            self.agent_selection = self.agents[0]

    def _is_done(self, agent: str) -> bool:
        return self.terminations.get(agent, True) or self.truncations.get(agent, True)

    # errors

    def _require_reset(self, call: str) -> None:
        if not self._is_reset:
            raise RuntimeError(f"call reset() before {call}()")

    def _out_of_order(self, call: str) -> RuntimeError:
        if not self._is_reset:
            return RuntimeError(f"call reset() before {call}()")
        return RuntimeError(f"{call}() after the end: the episode is over, call reset()")

    def _known(self, agent: str) -> str:
        if agent not in self.action_spaces:
            raise ValueError(
                f"no agent is called {agent!r}: they are {', '.join(self.possible_agents)}"
            )
        return agent

    def _as_id(self, action: Any) -> int:
        """A whole number of another type, such as ``np.int64`` or an array of one, as an int."""
        # NumPy before 2.3 takes its own bool for a number.
        if not isinstance(action, bool) and getattr(action, "dtype", None) != np.bool_:
            try:
                return operator.index(action)
            except TypeError:
                pass
        raise ActionError(
            self._complaint(f"action {action!r} is a {type(action).__name__}, not an integer")
        )

    def _named(self, action: int) -> str:
        actions = self._actions
        if not 0 <= action < actions:
            return f"{action} (ids run from 0 to {actions - 1})"
        return f"{action} ({action_text(action, self.frame, self._table['state'])})"

    def _complaint(self, what: str) -> str:
        state = self._table["state"]
        allowed = [
            f"{a} ({action_text(int(a), self.frame, state)})"
            for a in np.flatnonzero(self._copy_mask())
        ]
        return (
            f"{what} for {self.agent_selection} in phase {PHASES[int(state['phase'])]}: "
            f"legal are {', '.join(allowed)}"
        )

    # the whole game

    @property
    def record(self) -> Any:
        """A copy of the full record (:data:`euchre_env.rules.STATE`), hidden cards included."""
        self._require_reset("record")
        return self._table["state"].copy()

    def state(self) -> npt.NDArray[np.uint8]:
        """The full state for critics: the observation of seat 0, then all hands, kitty and discard.

        Raises:
            RuntimeError: before :meth:`reset`.
        """
        self._require_reset("state")
        out = np.empty(self.state_space.shape[0], np.uint8)
        reveal_one(self._bytes, out)
        return out

    def get_state(self) -> AecState:
        """A copy of everything that decides the future of the episode, the generator included.

        Raises:
            RuntimeError: before :meth:`reset`.
        """
        self._require_reset("get_state")
        return {
            "state": self._bytes[_STATE:_STATE_END].copy().view(STATE),
            "rules": self._bytes[_RULES:_RULES_END].copy().view(RULES),
            "dealt": int(self._table["dealt"]),
            "agents": self.agents.copy(),
            "agent_selection": self.agent_selection,
            "rewards": self.rewards.copy(),
            "cumulative_rewards": self._cumulative_rewards.copy(),
            "terminations": self.terminations.copy(),
            "truncations": self.truncations.copy(),
            "infos": {agent: info.copy() for agent, info in self.infos.items()},
        }

    def set_state(self, state: AecState) -> None:
        """Restore what :meth:`get_state` saved, exactly; it stays unchanged and can be used again.

        Raises:
            ValueError: it is no saved state, or of another rule set; nothing has changed.
        """
        lacking = sorted(AecState.__annotations__.keys() - state)
        if lacking:
            raise ValueError(f"this is no saved state: it lacks {', '.join(lacking)}")
        if state["rules"].tobytes() != self._bytes[_RULES:_RULES_END].tobytes():
            raise ValueError(
                "the saved state is of another rule set than this environment: "
                f"{Ruleset.from_record(state['rules']).describe()}"
            )
        self._bytes[_STATE:_STATE_END] = state["state"].view(np.uint8)
        self._table["dealt"] = state["dealt"]
        self.agents = state["agents"].copy()
        self.agent_selection = state["agent_selection"]
        self.rewards = state["rewards"].copy()
        self._cumulative_rewards = state["cumulative_rewards"].copy()
        self.terminations = state["terminations"].copy()
        self.truncations = state["truncations"].copy()
        self.infos = {agent: info.copy() for agent, info in state["infos"].items()}
        self._is_reset = self._is_seeded = self._is_paid = True
        seat = self._report_one(self._bytes)
        self._actor = AGENTS[seat] if self._table["legal"] else None

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name not in _PARTS}
        return kept | {"_bytes": self._bytes.copy(), "_window": None, "_is_shown": False}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._name_parts()

    # pictures

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The table in the way of ``render_mode``.

        ``ansi``: 24 lines of text, in colour where standard output is a terminal that shows it
        (:func:`euchre_env.render.wants_colour`). ``rgb_array``: uint8[720, 1280, 3]. ``svg``: an
        SVG document. ``human``: None, and the picture in a window, which every reset and step
        brings up to date without this call, ``render_fps`` pictures a second at most.

        Raises:
            RuntimeError: before :meth:`reset`.
            ImportError: ``rgb_array`` without Pillow; the message says how to install it.
        """
        if self.render_mode is None:
            logger.warn(
                "render() does nothing without a render mode: make the environment with "
                f"render_mode= one of {', '.join(self.metadata['render_modes'])}"
            )
            return None
        self._require_reset("render")
        items = pictures.drawing(self._table["state"], self._table["rules"], self.render_seat)
        if self.render_mode == "rgb_array":
            return pictures.rgb_array(items)
        if self.render_mode == "svg":
            return pictures.svg(items)
        if self.render_mode == "ansi":
            return pictures.ansi(items, colour=pictures.wants_colour())
        self._show(items)
        return None

    def _show(self, items: list[pictures.Item]) -> None:
        if self._window is None:  # a copy of an environment
            self._window = pictures.Window()
        elif self._window.was_closed:
            return
        if not self._window.show(items, self.metadata["render_fps"]):
            logger.warn("the window was closed: the game goes on without pictures")

    def close(self) -> None:
        """Close the window, if there is one; the next reset or step of the game opens it again."""
        if self._window is not None:
            self._window.close()
