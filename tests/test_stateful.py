"""The environment against the pure rules: any order of calls, under random rule sets.

A model holds one record and moves it by the functions of ``rules`` alone; Hypothesis looks for a
series of steps, wrong steps, saves, restores, copies and resets after which the two differ.
"""

from __future__ import annotations

import copy
import pickle
import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from euchre_env import rules
from euchre_env.actions import FROM_ABSOLUTE, TO_ABSOLUTE, ActionError, count_actions
from euchre_env.aec import AGENTS, raw_env
from euchre_env.cards import WIDE_DECK, deck_of
from euchre_env.kernels import shuffle
from euchre_env.ruleset import Ruleset
from euchre_env.testing import random_ruleset
from tests import table
from tests.table import fields, random_deck

SEEDS = st.integers(0, 2**32 - 1)


@dataclass
class Model:
    """What the environment should hold: a record, and who is owed what."""

    ruleset: Ruleset
    whole_games: bool
    max_hands: int
    s: Any = None
    dealt: int = 1
    rewards: list[float] = field(default_factory=list)
    owed: list[float] = field(default_factory=list)
    terminated: bool = False
    truncated: bool = False
    left: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.r = self.ruleset.record()[0]

    @property
    def over(self) -> bool:
        return self.terminated or self.truncated

    @property
    def actor(self) -> int:
        return self.left[0] if self.over else int(self.s.turn)

    @property
    def legal(self) -> list[int]:
        """Legal actions in frame ids."""
        allowed = int(rules.legal(self.s, self.r))
        return [a for a in range(rules.ALL_ACTIONS) if allowed >> a & 1]

    def begin(self, s: Any) -> None:
        """Start from a record just dealt."""
        self.s, self.dealt = table.copy(s), 1
        seats = self.ruleset.players
        self.rewards, self.owed = [0.0] * seats, [0.0] * seats
        self.terminated = self.truncated = False
        self.left = list(range(seats))

    def step(self, action: int) -> None:
        """Move by the rules; after a hand pay, and end the episode or deal on."""
        self.owed[self.actor] = 0.0
        self.rewards = [0.0] * len(self.rewards)
        rules.apply(self.s, self.r, action)
        if self.s.phase != rules.OVER:
            return
        points = self.s.points.tolist()[: self.ruleset.players]
        if self.ruleset.is_partnership:
            points = [points[0], points[1], points[0], points[1]]
            self.rewards = [float(points[k] - points[k - 1]) for k in range(4)]
        else:
            others = len(points) - 1
            self.rewards = [own - (sum(points) - own) / others for own in points]
        self.owed = [a + b for a, b in zip(self.owed, self.rewards)]
        self.terminated = not self.whole_games or self.s.match_winner != rules.UNDECIDED
        self.truncated = not self.terminated and self.dealt >= self.max_hands
        if not self.over:
            deck = np.empty(WIDE_DECK, np.int8)
            shuffle(self.s, self.r, deck)
            rules.next_hand(self.s, self.r, deck)
            self.dealt += 1

    def copied(self) -> Model:
        """A model of its own with the same contents."""
        twin = copy.copy(self)
        twin.s = table.copy(self.s)
        twin.rewards, twin.owed, twin.left = self.rewards[:], self.owed[:], self.left[:]
        return twin


def contents(env: raw_env) -> dict[str, Any]:
    """All that a user can see of an environment, as plain values that compare."""
    saved: dict[str, Any] = dict(env.get_state())
    saved["state"] = fields(saved["state"][0])
    saved["rules"] = saved["rules"].tobytes()
    seen = [env.observe(agent) for agent in env.possible_agents]
    return saved | {"seen": [(o["observation"].tobytes(), o["action_mask"].tolist()) for o in seen]}


class EnvironmentMachine(RuleBasedStateMachine):
    """Calls in any order; the environment and the model have to agree after each."""

    saves = Bundle("saves")

    @initialize(
        seed=SEEDS,
        episode=st.sampled_from(["hand", "game"]),
        frame=st.sampled_from(["absolute", "trump"]),
        max_hands=st.sampled_from([1, 2, 5, 1000]),
    )
    def make(self, seed: int, episode: str, frame: str, max_hands: int) -> None:
        ruleset = random_ruleset(random.Random(seed), variants=seed % 3 == 0, decks=seed % 4 == 1)
        self.frame = frame
        self.env = raw_env(ruleset, episode, frame, max_hands=max_hands)
        self.model = Model(ruleset, episode == "game", max_hands)
        self.env.reset(seed=seed)
        self.model.begin(self.env.record)

    def framed(self, action: int) -> int:
        """An action of the user's frame in frame ids."""
        return int(FROM_ABSOLUTE[self.model.s.frame, action]) if self._absolute else action

    def named(self, action: int) -> int:
        """An action in frame ids as the user has to write it."""
        return int(TO_ABSOLUTE[self.model.s.frame, action]) if self._absolute else action

    @property
    def _absolute(self) -> bool:
        return self.frame == "absolute"

    # calls

    @rule(seed=st.none() | SEEDS, deal=SEEDS, given=st.sets(st.sampled_from(["dealer", "deck"])))
    def reset(self, seed: int | None, deal: int, given: set[str]) -> None:
        ruleset, rng = self.model.ruleset, random.Random(deal)
        top = 9 if ruleset.target_score is None else ruleset.target_score - 1
        low = 1 if ruleset.variant in ("buck", "cutthroat_widow") else 0  # 0 would have won
        sides = 2 if ruleset.is_partnership else ruleset.players
        all_options = {
            "dealer": rng.randrange(ruleset.players),
            "deck": random_deck(
                rng, ruleset.joker, ruleset.joker_upcard == "redraw", ruleset.lowest_rank
            ),
        }
        options = {key: all_options[key] for key in given}
        options["score"] = tuple(rng.randint(low, max(low, top)) for _ in range(sides))
        self.env.reset(seed=seed, options=options)
        record = self.env.record
        assert record.score.tolist() == [*options["score"]] + [0] * (4 - sides)
        if given == {"dealer", "deck"}:  # then the rules alone say what the record is
            told = table.copy(record)
            deck = deck_of(all_options["deck"], ruleset.joker, ruleset.lowest_rank)
            rules.new_match(told, self.model.r)
            told.score[:sides] = options["score"]
            rules.deal(told, self.model.r, deck, all_options["dealer"])
            assert fields(told) == fields(record)
        self.model.begin(record)

    @precondition(lambda self: not self.model.over)
    @rule(count=st.integers(1, 40), choices=SEEDS, lively=st.booleans())
    def step(self, count: int, choices: int, lively: bool) -> None:
        rng = random.Random(choices)
        for _ in range(count):
            legal = self.model.legal
            passes = lively and rules.PASS in legal and rng.random() < 0.7
            action = rules.PASS if passes else rng.choice(legal)
            word = self.named(action)
            self.env.step(rng.choice((int, np.int64))(word))
            self.model.step(action)
            self.agree()
            if self.model.over:
                return

    @precondition(lambda self: not self.model.over)
    @rule(
        action=st.integers(0, rules.ALL_ACTIONS - 1)
        | st.sampled_from([-1, 46, 2**40, -(2**70), None, True, np.True_, 1.0, "pass"])
    )
    def step_wrongly(self, action: Any) -> None:
        proper = type(action) is int and 0 <= action < rules.ALL_ACTIONS
        if proper and self.framed(action) in self.model.legal:
            return
        before = contents(self.env)
        with pytest.raises(ActionError, match="legal are"):
            self.env.step(action)
        assert contents(self.env) == before

    @precondition(lambda self: self.model.over and self.model.left)
    @rule()
    def leave(self) -> None:
        with pytest.raises(ValueError, match="the episode is over"):
            self.env.step(0)
        self.env.step(None)
        gone = self.model.left.pop(0)
        self.model.rewards[gone] = self.model.owed[gone] = 0.0
        # PettingZoo clears what was paid as soon as an agent has left.
        self.model.rewards = [0.0] * len(self.model.rewards)
        if not self.model.left:
            for call in (self.env.last, lambda: self.env.step(None)):
                with pytest.raises(RuntimeError, match="call reset"):
                    call()

    @rule(target=saves)
    def save(self) -> tuple[Any, Model]:
        return self.env.get_state(), self.model.copied()

    @rule(saved=saves)
    def restore(self, saved: tuple[Any, Model]) -> None:
        state, model = saved
        kept = copy.deepcopy(state)
        self.env.set_state(state)
        self.model = model.copied()
        assert all(np.array_equal(state[key], kept[key]) for key in kept)

    @rule(bad=st.sampled_from(["dealer", "deck", "score", "seed"]))
    def reset_wrongly(self, bad: str) -> None:
        before = contents(self.env)
        with pytest.raises(ValueError, match=bad):
            if bad == "seed":
                self.env.reset(seed=-1)
            else:
                self.env.reset(seed=1, options={bad: 77})
        assert contents(self.env) == before

    @rule(way=st.sampled_from(["deepcopy", "pickle"]))
    def replace_by_a_copy(self, way: str) -> None:
        old = self.env
        whole = copy.deepcopy if way == "deepcopy" else lambda e: pickle.loads(pickle.dumps(e))
        self.env = whole(old)
        before = contents(self.env)
        assert before == contents(old)
        old.reset(seed=5)  # what becomes of the original does not matter to the copy
        assert contents(self.env) == before

    # what has to hold after each call

    @invariant()
    def agree(self) -> None:
        env, model = self.env, self.model
        assert fields(env.record) == fields(model.s)
        assert env.agents == [AGENTS[seat] for seat in model.left]
        if not model.left:
            return
        actor = AGENTS[model.actor]
        assert env.agent_selection == actor
        seen, owed, terminated, truncated, _ = env.last()
        assert owed == model.owed[model.actor]
        assert (terminated, truncated) == (model.terminated, model.truncated)
        assert [env.rewards[a] for a in env.agents] == [model.rewards[k] for k in model.left]
        mask = np.zeros(count_actions(self.model.ruleset), np.int8)
        if not model.over:
            mask[[self.named(a) for a in model.legal]] = 1
        assert (seen["action_mask"] == mask).all()
        for seat in range(model.ruleset.players):
            found = env.observe(AGENTS[seat])
            known = table.observe(model.s, model.ruleset, seat, self._absolute)
            assert (found["observation"] == known).all()
            assert (found["action_mask"] == (mask if seat == model.actor else 0)).all()
        assert (seen["observation"] == env.observe(actor)["observation"]).all()


BOUNDED = settings(
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def test_any_order_of_calls_agrees_with_the_rules() -> None:
    run_state_machine_as_test(EnvironmentMachine, settings=BOUNDED)


@pytest.mark.slow
def test_many_orders_of_calls_agree_with_the_rules() -> None:
    run_state_machine_as_test(EnvironmentMachine, settings=settings(BOUNDED, max_examples=400))


def test_the_machine_finds_a_planted_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment whose copies share their record has to be caught."""
    monkeypatch.setattr(raw_env, "__deepcopy__", lambda env, memo: copy.copy(env), raising=False)
    monkeypatch.setattr(raw_env, "__getstate__", lambda env: env.__dict__.copy())
    monkeypatch.setattr(raw_env, "__setstate__", lambda env, kept: env.__dict__.update(kept))
    quick = settings(
        BOUNDED,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        print_blob=False,
        database=None,
    )
    with pytest.raises((AssertionError, TypeError)):
        run_state_machine_as_test(EnvironmentMachine, settings=quick)
