"""Records sent by the browser: their steps, and what each decision cost. Nothing is kept."""

from __future__ import annotations

import dataclasses
from typing import Any

from euchre_env import explain
from euchre_env.actions import ACTION_TEXT
from euchre_env.record import DealRecord, GameRecord, RecordError, load_records
from euchre_env.replay import PlayedDeal, Step, played_deals
from euchre_env.rules import DISCARD, LAY_AWAY, PASS_CARD, PLAY, left
from euchre_env.ruleset import RulesetError

from ...advice import Advice, Advisor
from ...evaluation.review import Decision
from ...evaluation.review import review as reviewed
from .fields import LARGE, Fields, Refusal
from .states import open_hands, open_state

MOST_DEALS = 250
"""Deals of one game that are replayed: the most that a rule set lets a game have."""
MOST_GAMES = 1000


@dataclasses.dataclass(frozen=True)
class Wish:
    """One deal of one game of a record."""

    record: str
    game: int
    deal: int

    @classmethod
    def read(cls, fields: Fields) -> Wish:
        """From a request's fields."""
        wish = cls(
            fields.text("record", LARGE),
            fields.whole("game", 0, MOST_GAMES, 0),
            fields.whole("deal", 0, MOST_DEALS, 0),
        )
        fields.done()
        return wish


def replay(wish: Wish) -> dict[str, Any]:
    """The deals of a game in a line each, and one of them step by step.

    Raises:
        Refusal: 400 no record that can be replayed; the reason says where it fails.
    """
    games = _games(wish.record)
    game = _one_of(games, wish.game, "game")
    deals = _played(game)
    chosen = _one_of(deals, wish.deal, "deal")
    return {
        "games": len(games),
        "game": wish.game,
        "deal": wish.deal,
        "players": list(game.players),
        "rules": {"text": game.ruleset.describe(), "target": game.ruleset.target_score},
        "deals": [_line(deal, game) for deal in deals],
        "frames": _frames(chosen, game, game.deals[wish.deal]),
    }


def review(wish: Wish, advisor: Advisor) -> dict[str, Any]:
    """What each decision of a deal cost, by the advisor and by the true cards where they are known.

    Raises:
        Refusal: as :func:`replay`.
    """
    game = _one_of(_games(wish.record), wish.game, "game")
    played = _one_of(_played(game), wish.deal, "deal")
    if not played.steps:
        return {"deal": wish.deal, "decisions": []}
    before = played.steps[0].state
    alone = dataclasses.replace(
        game,
        deals=(game.deals[wish.deal],),
        initial_score=tuple(int(points) for points in before.score[:2]),
        initial_tokens=tuple(int(tokens) for tokens in before.tokens),
    )
    (deal,) = reviewed(alone, advisor).deals
    decisions = [_decision(d, d.advice) for d in deal.decisions if d.advice is not None]
    return {"deal": wish.deal, "decisions": decisions}


def advice_told(advice: Advice) -> dict[str, Any]:
    """Advice as plain values."""
    return dataclasses.asdict(advice)


def _decision(decision: Decision, advice: Advice) -> dict[str, Any]:
    return {
        "step": decision.number,
        "seat": decision.seat,
        "action": decision.action,
        "text": decision.text,
        "best": ACTION_TEXT[advice.best],
        "loss": decision.cost or 0.0,
        "advice": advice_told(advice),
    }


# --- reading -----------------------------------------------------------------------------------


def _games(text: str) -> list[GameRecord]:
    # A text without a brace would be taken for the path of a file.
    if "{" not in text:
        raise Refusal(400, "This is no record: send a file in .egn or .jsonl.")
    try:
        games = load_records(text)
    except RecordError as error:
        raise Refusal(400, str(error)) from None
    if len(games) > MOST_GAMES:
        raise Refusal(400, f"The record has {len(games)} games: at most {MOST_GAMES} are shown.")
    return games


def _played(game: GameRecord) -> list[PlayedDeal]:
    if len(game.deals) > MOST_DEALS:
        raise Refusal(400, f"The game has {len(game.deals)} deals: at most {MOST_DEALS} are shown.")
    try:
        return played_deals(game)
    except RulesetError as error:
        raise Refusal(400, str(error)) from None


def _one_of(items: list[Any], number: int, what: str) -> Any:
    if number >= len(items):
        raise Refusal(400, f"The record has {len(items)} {what}s: {what} {number} is none of them.")
    return items[number]


# --- telling -----------------------------------------------------------------------------------


def _line(deal: PlayedDeal, game: GameRecord) -> dict[str, Any]:
    final = deal.final
    if final is None:
        return {"text": "cannot be replayed", "note": deal.note}
    over = "breaks off"
    if final.turn < 0:
        over = explain.result(final, game.ruleset.record()[0])
    note = deal.note or (
        "" if deal.certain else "Cards that the record does not show lie face down."
    )
    return {"text": over, "note": note}


def _frames(deal: PlayedDeal, game: GameRecord, record: DealRecord) -> list[dict[str, Any]]:
    """The states before each step with what was done then, and the last state; none of a fault."""
    if deal.final is None:
        return []
    states = [*(step.state for step in deal.steps), deal.final]
    shown, r = _shown_cards(deal, record), game.ruleset.record()[0]
    frames: list[dict[str, Any]] = [
        {"state": open_state(s, r, deal.steps[:k], game.players), "hands": open_hands(s, shown)}
        for k, s in enumerate(states)
    ]
    for frame, step, after in zip(frames, deal.steps, states[1:]):
        frame["action"] = step.action
        frame["text"] = explain.tell(step.state, step.action, _listener(step, record), r)
        frame["note"] = explain.consequence(step.state, after, r)
    return frames


def _shown_cards(deal: PlayedDeal, record: DealRecord) -> list[set[str]]:
    """By seat, the cards that the record shows it to have held; the rest are made up."""
    shown = [{*hand, record.upcard} for hand in record.hands]
    for step in deal.steps:
        if step.state.phase == PLAY:
            shown[int(step.state.turn)].add(ACTION_TEXT[step.action])
    return shown


def _listener(step: Step, record: DealRecord) -> int | None:
    """Who is told of a step: nobody who could learn a card face down that was made up."""
    told = {DISCARD: record.discard, PASS_CARD: record.passed, LAY_AWAY: record.buried or None}
    if step.state.phase in told and told[int(step.state.phase)] is None:
        return int(left(step.state.turn))
    return None
