"""A recorded game, decision by decision: what a strong player thinks of it, and what each act cost.

Three opinions stand beside each other. The policy says how often it would act so; the search says
how many points the hand is expected to bring, knowing only what the seat could know; and the true
cards say what the hand would have come to with all cards seen. Only the second is a verdict: an act
can be right and lose to the cards as they lay.

Sampled worlds are few and unequally likely, so a first look alone would call chance a blunder. What
looks like a loss is therefore looked at again in many more worlds, which alone say how large it is
and how well that is known; a loss counts if it is clear of chance.

A record need not show every card. What a seat held and what it laid away may then be filled in by
the replay, and no opinion is given where it would rest on such a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from euchre_env import __version__, rules
from euchre_env.actions import ACTION_TEXT
from euchre_env.cards import card_id, card_text, cards_of
from euchre_env.explain import consequence, tell
from euchre_env.record import UNKNOWN, DealRecord, GameRecord, is_known
from euchre_env.replay import PlayedDeal, Step, played_deals
from euchre_env.rules import (
    DISCARD,
    LAY_AWAY,
    N_SEATS,
    N_TRICKS,
    OVER,
    PASS_CARD,
    PHASES,
    PLAY,
    SEAT_NAMES,
)
from euchre_env.ruleset import Ruleset

from ..advice import Advice, Advisor, Option
from .match import Progress, ruleset_text
from .stats import estimate

BLUNDER = 0.25
"""Points from which a loss is called a blunder, unless told otherwise."""
LOOKS = 8
"""How many times the worlds of the first look a second one takes: independent sets of them, whose
spread tells the error."""
DOUBT = BLUNDER / 2
"""Points of loss from which there is a second look; smaller ones do not count."""
FORCED = "there was no choice"
NO_HAND = "the record does not show this hand"
NO_DISCARD = "the record does not show what was laid away"
_LAYS_AWAY = (DISCARD, PASS_CARD, LAY_AWAY)
GROUPS = ("calls", "discards", "cards")
"""The kinds of decisions that totals tell apart."""


# --- what a review tells -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision and what is thought of it.

    Attributes:
        deal: Number of the deal in the record.
        number: Which decision of the deal it is, from 0.
        seat: Who decided.
        phase: The phase, a name of :data:`euchre_env.rules.PHASES`.
        trick: The trick, 1 to 5; 0 before the play.
        action: The absolute id of what was done.
        told: What was done, in words.
        came: What came of it, in words; empty for nothing of note.
        advice: What is thought of all legal acts; None where nothing is, and
        why: then, why not.
        ci95: Half the width of the 95 % interval of the loss; None without a second look.
    """

    deal: int
    number: int
    seat: int
    phase: str
    trick: int
    action: int
    told: str
    came: str
    advice: Advice | None
    why: str = ""
    ci95: float | None = None

    @property
    def text(self) -> str:
        """The text of what was done, such as ``JH``; ``??`` where the record does not show it."""
        return "??" if self.why == NO_DISCARD else ACTION_TEXT[self.action]

    @property
    def group(self) -> str:
        """Its kind, one of :data:`GROUPS`."""
        kinds = {PHASES[phase]: "discards" for phase in _LAYS_AWAY} | {PHASES[PLAY]: "cards"}
        return kinds.get(self.phase, "calls")

    @property
    def taken(self) -> Option | None:
        """What is thought of the act that was done."""
        return None if self.advice is None else self.advice.option(self.action)

    @property
    def best(self) -> Option | None:
        """The act that is expected to bring the most."""
        return None if self.advice is None else self.advice.options[0]

    @property
    def better(self) -> Option | None:
        """The act that the cost is measured by: :attr:`best`, without a search by true cards."""
        if self.advice is None or self.loss is not None:
            return self.best
        return max(self.advice.options, key=lambda o: o.double_dummy or 0.0)

    @property
    def agreed(self) -> bool:
        """Whether nothing is clearly better; without a search, whether the policy would do it."""
        if self.advice is None:
            return False
        return self.advice.best == self.action if self.loss is None else not self.cost

    @property
    def loss(self) -> float | None:
        """Expected points given away against the best act; None without a search.

        It is above zero by chance alone where it was not looked at again.
        """
        return None if self.advice is None else self.advice.loss(self.action)

    @property
    def double_dummy_loss(self) -> float | None:
        """Points given away with all cards seen; None where the cards are not known."""
        if self.advice is None:
            return None
        values = [o.double_dummy for o in self.advice.options if o.double_dummy is not None]
        taken = self.advice.option(self.action).double_dummy
        return None if taken is None else max(values) - taken

    @property
    def cost(self) -> float | None:
        """The loss if it is clear of chance, else 0; without a search the double-dummy loss."""
        if self.loss is None:
            return self.double_dummy_loss
        return self.loss if self.ci95 is not None and self.loss > self.ci95 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The decision as plain values."""
        own = ("deal", "number", "seat", "phase", "trick", "told", "came", "why", "text")
        found: dict[str, Any] = {name: getattr(self, name) for name in own}
        if self.advice is not None:
            found |= {
                "best": ACTION_TEXT[self.advice.best],
                "loss": self.loss,
                "ci95": self.ci95,
                "cost": self.cost,
                "double_dummy_loss": self.double_dummy_loss,
                "options": [_option(option) for option in self.advice.options],
            }
        return found


def _option(option: Option) -> dict[str, Any]:
    names = ("text", "probability", "value", "double_dummy")
    return {name: getattr(option, name) for name in names}


@dataclass(frozen=True, slots=True)
class DealReview:
    """One deal.

    Attributes:
        deal: Its number in the record.
        decisions: Its decisions in order; none where the record breaks the rules.
        played: The replay behind it; it may hold cards that are filled in.
        dealt: By seat, whether the record shows the cards that were dealt to it.
        discard: Whether the record shows what was laid away, or nothing was.
        note: What there is to say of it: a fault, cards that are not shown.
    """

    deal: int
    decisions: tuple[Decision, ...]
    played: PlayedDeal
    dealt: tuple[bool, ...]
    discard: bool
    note: str

    def picture(self, number: int) -> Any:
        """A copy of the record before a decision, STATE, without cards that are guesses.

        ``number`` may be one more than that of the last decision, for the end of the deal.
        """
        steps = self.played.steps
        copy = rules.new_states(1)
        copy[0] = steps[number].state if number < len(steps) else self.played.final
        s: Any = copy[0]
        for seat in range(N_SEATS):
            if not self.shows(s, seat):
                s.hand[seat] = 0
        if not self.discard:
            s.discard = s.passed = s.buried = 0
        return s

    def shows(self, s: Any, seat: int) -> bool:
        """Whether the cards that a seat holds now are those that the record tells."""
        if s.phase in (PLAY, OVER) and cards_played(self.played, seat) == N_TRICKS:
            return True
        laid_away = s.taker == seat and s.discard != 0
        laid_away |= s.passed != 0 and seat in (s.loner, s.passer)
        return bool(self.dealt[seat] and (self.discard or not laid_away))


@dataclass(frozen=True, slots=True)
class Total:
    """Some decisions together.

    Attributes:
        decisions: How many there were.
        judged: How many of them had a choice and cards that the record shows.
        agreed: How many of those were sound: :attr:`Decision.agreed`.
        loss: Points given away by the search's account, beyond chance; None without one.
        double_dummy_loss: Points given away with all cards seen, of :attr:`open`.
        open: Judged decisions of deals whose cards are known.
        blunders: Decisions that cost as much as a blunder or more.
    """

    decisions: int
    judged: int
    agreed: int
    loss: float | None
    double_dummy_loss: float
    open: int
    blunders: int

    @classmethod
    def of(cls, decisions: Iterable[Decision], least: float = BLUNDER) -> Total:
        """Add up; ``least`` is what a blunder costs at the least."""
        found = list(decisions)
        judged = [d for d in found if d.advice is not None]
        losses = [d.cost or 0.0 for d in judged if d.loss is not None]
        true = [d.double_dummy_loss for d in judged if d.double_dummy_loss is not None]
        return cls(
            len(found),
            len(judged),
            sum(d.agreed for d in judged),
            sum(losses) if len(losses) == len(judged) else None,
            sum(true),
            len(true),
            sum(d.cost is not None and d.cost >= least for d in judged),
        )

    def to_dict(self) -> dict[str, Any]:
        """The total as plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Review:
    """One game.

    Attributes:
        players: Names by seat.
        ruleset: Its rules.
        deals: Its deals.
        by: The policy that judged.
        worlds: Worlds behind an expected value at the first look; 0 without a search.
        seed: Of the worlds.
        least: Points from which a loss is a blunder.
    """

    players: tuple[str, ...]
    ruleset: Ruleset
    deals: tuple[DealReview, ...]
    by: str
    worlds: int
    seed: int
    least: float = BLUNDER

    @property
    def decisions(self) -> list[Decision]:
        """The decisions of all deals."""
        return [decision for deal in self.deals for decision in deal.decisions]

    def blunders(self, most: int | None = None) -> list[Decision]:
        """The decisions that cost the most, dearest first; at most so many."""
        found = [d for d in self.decisions if d.cost is not None and d.cost >= self.least]
        return sorted(found, key=lambda d: -(d.cost or 0))[:most]

    def by_seat(self) -> list[Total]:
        """A total for each seat."""
        return [self._total(lambda d, s=seat: d.seat == s) for seat in range(N_SEATS)]

    def by_group(self) -> dict[str, Total]:
        """A total for each of :data:`GROUPS`."""
        return {name: self._total(lambda d, n=name: d.group == n) for name in GROUPS}

    def total(self) -> Total:
        """All decisions together."""
        return self._total(lambda d: True)

    def of(self, seat: int, group: str) -> Total:
        """The decisions of one kind of one seat."""
        return self._total(lambda d: d.seat == seat and d.group == group)

    def _total(self, wanted: Callable[..., bool]) -> Total:
        return Total.of((d for d in self.decisions if wanted(d)), self.least)

    def to_dict(self) -> dict[str, Any]:
        """The review as plain values."""
        return {
            "players": list(self.players),
            "ruleset": ruleset_text(self.ruleset),
            "by": self.by,
            "worlds": self.worlds,
            "seed": self.seed,
            "least": self.least,
            "looks": LOOKS,
            "version": __version__,
            "deals": [_deal(deal) for deal in self.deals],
            "blunders": [{"deal": d.deal, "number": d.number} for d in self.blunders()],
            "seats": [
                {"seat": seat, **self.by_seat()[seat].to_dict()}
                | {name: self.of(seat, name).to_dict() for name in GROUPS}
                for seat in range(N_SEATS)
            ],
            "phases": {name: found.to_dict() for name, found in self.by_group().items()},
            "total": self.total().to_dict(),
        }


def _deal(deal: DealReview) -> dict[str, Any]:
    decisions = [decision.to_dict() for decision in deal.decisions]
    return {"deal": deal.deal, "note": deal.note, "decisions": decisions}


# --- what the record shows ---------------------------------------------------------------------


def cards_played(played: PlayedDeal, seat: int) -> int:
    """How many cards a seat plays in a deal."""
    return sum(step.state.turn == seat and step.state.phase == PLAY for step in played.steps)


def _dealt(deal: DealRecord, played: PlayedDeal, seat: int) -> bool:
    """Whether the five cards dealt to a seat can be told from the record."""
    if played.final is None:
        return False
    known = {card_id(card) for card in deal.hands[seat] if is_known(card)}
    known |= {
        step.action for step in played.steps if step.state.turn == seat and step.state.phase == PLAY
    }
    if played.final.taker == seat:
        known |= {card_id(card) for card in [deal.discard] if card is not None and is_known(card)}
        known -= {card_id(deal.upcard)}
    return len(known) >= N_TRICKS


def _note(played: PlayedDeal, dealt: Sequence[bool], discard: bool) -> str:
    """What the record does not show, in words."""
    if not played.steps:
        return played.note or "nothing was done"
    told = [played.note] if played.note else []
    hidden = [SEAT_NAMES[seat] for seat in range(N_SEATS) if not dealt[seat]]
    if hidden:
        told.append(f"not shown: what was dealt to {', '.join(hidden)}")
    if not discard:
        told.append(f"not shown: what {SEAT_NAMES[int(played.final.taker)]} laid away")
    return "; ".join(told)


# --- judging -----------------------------------------------------------------------------------


def review(
    game: GameRecord,
    advisor: Advisor,
    seed: int = 1,
    *,
    search: bool = True,
    double_dummy: bool = True,
    least: float = BLUNDER,
    progress: Progress | None = None,
) -> Review:
    """Judge every decision of a recorded game.

    Args:
        game: The record, complete or not.
        advisor: Who judges.
        seed: Of the sampled worlds.
        search: Whether to play the acts out in sampled worlds; without it there are no losses but
            those of the true cards.
        double_dummy: Whether to tell what each act is worth with the true cards.
        least: Points from which a loss is a blunder.
        progress: Told of the decisions done, and of all.

    Raises:
        RulesetError: a game without partners.
        AgentError: the policy cannot judge these rules.
    """
    found = [
        look_at(deal, played) for deal, played in zip(game.deals, played_deals(game), strict=True)
    ]
    done, all_ = 0, sum(len(deal.decisions) for deal in found)
    judged = []
    for index, deal in enumerate(found):
        first, second = _seeds(seed, index)
        once = _judge(deal, game.ruleset, advisor, first, search, double_dummy)
        judged.append(_look_again(once, game.ruleset, advisor, second))
        done += len(deal.decisions)
        if progress is not None:
            progress(done, all_)
    worlds = advisor.search.worlds if search else 0
    by = advisor.policy.name
    return Review(game.players, game.ruleset, tuple(judged), by, worlds, seed, least)


def _seeds(seed: int, index: int) -> tuple[int, int]:
    """The seeds of both looks at a deal."""
    found = np.random.SeedSequence([seed % 2**64, index]).generate_state(2, np.uint64)
    return int(found[0]), int(found[1])


def look_at(deal: DealRecord, played: PlayedDeal) -> DealReview:
    """The decisions of a deal, not yet judged; ``why`` says which cannot be."""
    dealt = tuple(_dealt(deal, played, seat) for seat in range(N_SEATS))
    discard = played.final is None or _shows_laid_away(deal, played.final)
    note = _note(played, dealt, discard)
    bare = DealReview(played.deal, (), played, dealt, discard, note)
    ends = [step.state for step in played.steps[1:]] + [played.final]
    decisions = tuple(
        _decision(bare, number, step, after)
        for number, (step, after) in enumerate(zip(played.steps, ends))
    )
    return DealReview(played.deal, decisions, played, dealt, discard, note)


def _shows_laid_away(deal: DealRecord, final: Any) -> bool:
    """Whether the record shows what was laid away, and passed to a lone hand."""
    shown = [] if final.taker < 0 else [deal.discard]
    shown += [] if final.passer < 0 else [deal.passed, *(deal.buried or [None])]
    return all(is_known(card or UNKNOWN) for card in shown)


def _decision(deal: DealReview, number: int, step: Step, after: Any) -> Decision:
    s = step.state
    why = _why_not(deal, step)
    viewer = (int(s.turn) + 1) % N_SEATS if why == NO_DISCARD else None
    return Decision(
        deal.deal,
        number,
        int(s.turn),
        PHASES[int(s.phase)],
        int(s.trick) + 1 if s.phase == PLAY else 0,
        step.action,
        tell(s, step.action, viewer),
        consequence(s, after),
        None,
        why,
    )


def _why_not(deal: DealReview, step: Step) -> str:
    s = step.state
    if s.phase in _LAYS_AWAY and not deal.discard:
        return NO_DISCARD
    return "" if deal.shows(s, int(s.turn)) else NO_HAND


def _judge(
    deal: DealReview,
    ruleset: Ruleset,
    advisor: Advisor,
    seed: int,
    search: bool,
    double_dummy: bool,
) -> DealReview:
    """The same deal with advice on every decision that can be judged."""
    r = ruleset.record()[0]
    steps = deal.played.steps
    decisions = list(deal.decisions)
    for d in deal.decisions:
        if not d.why and int(rules.legal(steps[d.number].state, r)).bit_count() == 1:
            decisions[d.number] = replace(d, why=FORCED)
    for open_ in (False, True):
        rows = [
            d
            for d in decisions
            if not d.why and open_ == (double_dummy and _is_open(deal, steps[d.number].state))
        ]
        states = rules.new_states(len(rows))
        for k, d in enumerate(rows):
            states[k] = steps[d.number].state
        given = advisor.advise(states, ruleset, seed, search=search, double_dummy=open_)
        for d, advice in zip(rows, given, strict=True):
            decisions[d.number] = replace(d, advice=advice)
    return replace(deal, decisions=tuple(decisions))


def _look_again(deal: DealReview, ruleset: Ruleset, advisor: Advisor, seed: int) -> DealReview:
    """The same deal, its likely losses told by worlds that had no part in finding them."""
    doubtful = [d for d in deal.decisions if d.loss is not None and d.loss >= DOUBT]
    states = rules.new_states(LOOKS * len(doubtful))
    for k, d in enumerate(doubtful):
        for copy in range(LOOKS):
            states[LOOKS * k + copy] = deal.played.steps[d.number].state
    given = advisor.advise(states, ruleset, seed)
    decisions = list(deal.decisions)
    for k, d in enumerate(doubtful):
        decisions[d.number] = _averaged(d, given[LOOKS * k : LOOKS * (k + 1)])
    return replace(deal, decisions=tuple(decisions))


def _averaged(d: Decision, looks: Sequence[Advice]) -> Decision:
    """A decision with the mean values of some looks, and the interval of its loss."""
    assert d.advice is not None
    acts = [option.action for option in d.advice.options]
    values = np.array([[look.option(act).value for act in acts] for look in looks], float)
    means = values.mean(axis=0)
    best = int(means.argmax())
    loss = estimate(values[:, best] - values[:, acts.index(d.action)])
    options = [replace(option, value=float(mean)) for option, mean in zip(d.advice.options, means)]
    options.insert(0, options.pop(best))
    options[1:] = sorted(options[1:], key=lambda o: -(o.value or 0.0))
    advice = replace(d.advice, best=acts[best], options=tuple(options))
    return replace(d, advice=advice, ci95=loss.ci95)


def _is_open(deal: DealReview, s: Any) -> bool:
    """Whether all cards that decide how the hand can go on are those that the record tells."""
    if s.phase == PLAY:
        return deal.played.certain
    return all(deal.shows(s, seat) for seat in range(N_SEATS))


def held(s: Any, seat: int) -> list[str]:
    """The cards that a seat holds, as texts."""
    return [card_text(card) for card in cards_of(int(s.hand[seat]), int(s.frame))]
