"""The page of a review: totals, the blunders with pictures, and every deal step by step."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from euchre_env import render
from euchre_env.cards import SUITS
from euchre_env.explain import result
from euchre_env.render.text import SYMBOLS
from euchre_env.rules import N_SEATS, OVER, SEAT_NAMES

from ...advice import Option
from ...evaluation.match import ruleset_text
from ...evaluation.review import GROUPS, LOOKS, DealReview, Decision, Review, Total, held
from .page import Html, el, facts, figure, page, table


def review_page(source: str, reviews: Sequence[Review], most: int = 20) -> str:
    """The whole page.

    Args:
        source: What the games were read from.
        reviews: The games, one at least.
        most: The most blunders that are shown of a game.
    """
    pictures = Pictures()
    games = [  # before the cards that they share can be told
        part
        for number, review in enumerate(reviews)
        for part in _game(number, review, most, pictures, len(reviews) > 1)
    ]
    first = reviews[0]
    return page(
        f"Review of {source}",
        el("h1", f"Review of {source}"),
        el("p", _method(first), class_="quiet"),
        _contents(reviews),
        pictures.shared(),
        games,
        script="review.js",
    )


def _method(review: Review) -> str:
    if review.worlds:
        how = (
            f"Expected points: every legal act played out by {review.by} in {review.worlds} worlds "
            f"that agree with what the seat could know, seed {review.seed}; what then looked like "
            f"a loss, again in {LOOKS * review.worlds} others. A loss, what the act done is "
            "expected to bring less than the best one, counts if it is clear of chance (95 %)."
        )
    else:
        how = (
            "Without a search: losses are those of the true cards, which no player could see, so "
            "an unlucky act is listed like a bad one."
        )
    return (
        f"Policy: how often {review.by} acts so. {how} True cards: what the hand would have come "
        "to from there with all cards seen. Points are net points of the seat's side in the hand."
    )


def _contents(reviews: Sequence[Review]) -> Html:
    several = len(reviews) > 1
    links = []
    for number in range(len(reviews)):
        name = f"Game {number + 1}: " if several else ""
        for part in ("totals", "blunders", "deals"):
            told = f"{name}{part}" if several else part.capitalize()
            links.append(el("a", told, href=f"#g{number}-{part}"))
    return el("nav", links, class_="contents", aria_label="Contents")


def _game(
    number: int, review: Review, most: int, pictures: Pictures, several: bool
) -> Iterator[Html]:
    title = f"Game {number + 1}: " if several else ""
    yield el("h2", f"{title}Totals" if several else "Totals", id=f"g{number}-totals")
    players = ", ".join(name_of(review, seat) for seat in range(N_SEATS))
    yield facts([("players", players), ("rules", ruleset_text(review.ruleset))])
    yield from _totals(review)
    yield el("h2", f"{title}Blunders", id=f"g{number}-blunders")
    yield from _blunders(number, review, most, pictures)
    yield el("h2", f"{title}Deals", id=f"g{number}-deals")
    for index, deal in enumerate(review.deals):
        yield _deal(f"g{number}d{index}", review, deal, pictures)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def name_of(review: Review, seat: int) -> str:
    """A seat, and who sits there where that is another name."""
    player = review.players[seat]
    return SEAT_NAMES[seat] if player == SEAT_NAMES[seat] else f"{SEAT_NAMES[seat]} ({player})"


# --- totals ------------------------------------------------------------------------------------


def _totals(review: Review) -> Iterator[Html]:
    seats = review.by_seat()
    rows = [[name_of(review, seat), *total_cells(total)] for seat, total in enumerate(seats)]
    rows.append(["all", *total_cells(review.total())])
    marks = ["", "", "", "", "sum"]
    header = loss_header(review)
    yield table(("seat", *header), rows, "By seat", marks=marks)
    groups = [[name, *total_cells(found)] for name, found in review.by_group().items()]
    yield table(("kind", *header), groups, "By kind of decision")
    yield table(
        ("seat", *GROUPS),
        [
            [SEAT_NAMES[seat], *(_cost(review.of(seat, name)) for name in GROUPS)]
            for seat in range(N_SEATS)
        ],
        "Points lost" if review.worlds else "Points lost with all cards seen",
    )


def loss_header(review: Review) -> list[str]:
    """The heads of a total's cells; without a search there are no expected points to lose."""
    own = ["sound", "points lost"] if review.worlds else ["as the policy"]
    return ["decisions", "judged", *own, "blunders", "lost by true cards"]


def total_cells(total: Total) -> list[str]:
    """A total as the cells under :func:`loss_header`."""
    agreed = f"{100 * total.agreed / total.judged:.0f} %" if total.judged else "-"
    lost = [] if total.loss is None else [f"{total.loss:.2f}"]
    true = f"{total.double_dummy_loss:.0f} in {total.open}" if total.open else "-"
    return [str(total.decisions), str(total.judged), agreed, *lost, str(total.blunders), true]


def _cost(total: Total) -> str:
    if total.loss is not None:
        return f"{total.loss:.2f}" if total.judged else "-"
    return f"{total.double_dummy_loss:.0f}" if total.open else "-"


# --- blunders ----------------------------------------------------------------------------------


def _blunders(number: int, review: Review, most: int, pictures: Pictures) -> Iterator[Html]:
    found = review.blunders()
    index = {id(deal): k for k, deal in enumerate(review.deals)}
    if not found:
        yield el("p", f"No decision cost {review.least:.2f} points or more.")
    elif len(found) > most:
        yield el("p", f"The {most} dearest of {len(found)}.", class_="quiet")
    for rank, d in enumerate(found[:most], 1):
        deal = next(deal for deal in review.deals if any(d is x for x in deal.decisions))
        place = f"g{number}d{index[id(deal)]}s{d.number}"
        yield el(
            "article",
            el(
                "h3",
                f"{rank}. {_upper(place_of(d))}: {d.told}, ",
                el("span", cost_text(d), class_="cost"),
            ),
            el("p", _better(d)),
            pictures.of(review, deal, d.number, f"Before this decision. {_holding(deal, d)}"),
            options_table(d),
            el("a", "In the course of the deal", href=f"#{place}"),
            class_="card",
        )


PHASE_WORDS = {
    "weak_hand": "weak hand",
    "name_trump": "joker turned up",
    "bid1": "round 1",
    "bid2": "round 2",
    "loner": "alone or not",
    "defend": "defence",
    "discard": "discard",
    "play": "play",
    "call_best": "partner's best",
    "pass_card": "card passed",
    "lay_away": "card laid away",
}


def place_of(d: Decision) -> str:
    """Where in the record a decision stands."""
    return f"deal {d.deal}, {f'trick {d.trick}' if d.trick else PHASE_WORDS[d.phase]}"


def cost_text(d: Decision) -> str:
    """What a decision cost."""
    if d.loss is not None:
        return f"{d.loss:.2f} ± {d.ci95 or 0:.2f} points lost"
    return "" if d.cost is None else f"{d.cost:.0f} points lost with all cards seen"


def _better(d: Decision) -> str:
    best, taken = d.better, d.taken
    if best is None or taken is None:
        return ""
    done, better = act_words(taken.text), act_words(best.text)
    worth = "" if best.value is None else f" ({best.value:+.2f} against {taken.value:+.2f} points)"
    by = d.advice.by if d.advice else "the policy"
    chances = f"{_percent(best)} of the time, and what was done, {done}, {_percent(taken)}"
    return f"Better was {better}{worth}: {by} does that {chances}."


def _percent(option: Option) -> str:
    return f"{100 * option.probability:.0f} %"


def _holding(deal: DealReview, d: Decision) -> str:
    cards = held(deal.picture(d.number), d.seat)
    return f"{SEAT_NAMES[d.seat]} holds {' '.join(map(act_words, cards))}." if cards else ""


_COLUMNS: tuple[tuple[str, Callable[[Option, Option], float | None], str], ...] = (
    ("expected points", lambda o, best: o.value, "+.2f"),
    ("loss", lambda o, best: _less(best.value, o.value), ".2f"),
    ("true cards", lambda o, best: o.double_dummy, "+.0f"),
)


def _less(best: float | None, value: float | None) -> float | None:
    return None if best is None or value is None else best - value


def options_table(d: Decision) -> Html:
    """What is thought of every legal act; a column of which nothing is known is left out."""
    options = d.advice.options if d.advice is not None else ()
    best = options[0]
    columns = [c for c in _COLUMNS if any(c[1](o, best) is not None for o in options)]
    rows, marks = [], []
    for option in options:
        done, advised = option.action == d.action, option is best
        tags = [el("span", word, class_="tag") for word in _tags(done, advised)]
        figures = [_number(value(option, best), form) for _, value, form in columns]
        act = Html(el("span", act_words(option.text)) + "".join(tags))
        rows.append([act, _percent(option), *figures])
        marks.append("best" if advised else "done" if done else "")
    return table(("act", "policy", *(name for name, *_ in columns)), rows, marks=marks)


def _tags(done: bool, advised: bool) -> list[str]:
    return ["done"] * done + ["advised"] * advised


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else f"{value:{form}}"


_SYMBOLS = dict(zip(SUITS, SYMBOLS))
_TEXT = "\N{VARIATION SELECTOR-15}"  # no picture of its own on a phone


def act_words(text: str) -> str:
    """The text of an act as a page writes it: ``J♥``, ``order up``, ``call ♠``."""
    *words, last = text.replace("_", " ").split(" ")
    if last == "NT":
        return "call no trump"
    if words == ["call"]:
        return f"call {_SYMBOLS[last]}{_TEXT}"
    if not words and last != "JOKER" and last[0] in "9TJQKA" and last[1:] in _SYMBOLS:
        return f"{last[0].replace('T', '10')}{_SYMBOLS[last[1:]]}{_TEXT}"
    return " ".join([*words, last])


# --- deals -------------------------------------------------------------------------------------


def _deal(name: str, review: Review, deal: DealReview, pictures: Pictures) -> Html:
    final = deal.played.final
    if final is None:
        return el("p", el("b", f"Deal {deal.deal}"), f" {deal.note}", class_="card")
    came = result(final) if final.phase == OVER else "the record breaks off"
    lost = Total.of(deal.decisions, review.least)
    blunders = f"; {lost.blunders} blunder{'s' * (lost.blunders != 1)}" if lost.blunders else ""
    steps = [_step(name, review, deal, d, pictures) for d in deal.decisions]
    end = el(
        "li",
        el("p", el("b", "The end: "), came, "."),
        pictures.of(review, deal, len(deal.decisions), f"The end: {came}."),
    )
    return el(
        "details",
        el(
            "summary",
            el("b", f"Deal {deal.deal}"),
            f"{SEAT_NAMES[final.dealer]} deals; {came}{blunders}",
        ),
        el(
            "div",
            el("p", f"{_upper(deal.note)}.", class_="quiet") if deal.note else None,
            el("ol", steps, end, class_="steps"),
        ),
        id=name,
    )


def _step(name: str, review: Review, deal: DealReview, d: Decision, pictures: Pictures) -> Html:
    blunder = d.cost is not None and d.cost >= review.least
    came = f" {_upper(d.came)}." if d.came else ""
    cost = el("span", cost_text(d), class_="cost") if blunder else None
    judged = (
        options_table(d)
        if d.advice is not None
        else el("p", f"Not judged: {d.why}.", class_="quiet")
    )
    return el(
        "li",
        el("p", el("b", d.told), f".{came} ", cost),
        pictures.of(review, deal, d.number, f"Before: {place_of(d)}. {_holding(deal, d)}"),
        judged,
        id=f"{name}s{d.number}",
        data_blunder=blunder,
    )


# --- pictures ----------------------------------------------------------------------------------


class Pictures:
    """Tables as SVG; a card that is drawn on many of them is held once."""

    _CARD = re.compile(r'(<g transform="[^"]*"><title>[^<]*</title>)\n(.*?)\n</g>\n', re.DOTALL)

    def __init__(self) -> None:
        self.bodies: dict[str, str] = {}

    def of(self, review: Review, deal: DealReview, number: int, caption: str) -> Html:
        """The table before a decision, all cards that the record shows face up."""
        r = review.ruleset.record()[0]
        overlay = None
        if number < len(deal.decisions) and (advice := deal.decisions[number].advice):
            entries = [(o.action, o.probability, o.value) for o in advice.options]
            overlay = render.Overlay(entries, review.by)
        names = ["" if p == s else p for p, s in zip(review.players, SEAT_NAMES)]
        items = render.drawing(deal.picture(number), r, None, overlay, names)
        drawn = render.svg(items, caption)
        return figure(Html(self._CARD.sub(self._short, drawn).strip()), caption)

    def _short(self, found: re.Match[str]) -> str:
        name = self.bodies.setdefault(found[2], f"card{len(self.bodies)}")
        return f'{found[1]}<use href="#{name}"/></g>\n'

    def shared(self) -> Html:
        """The cards that the pictures so far refer to."""
        held_once = "".join(f'<g id="{name}">{body}</g>' for body, name in self.bodies.items())
        return Html(f'<svg class="shared" aria-hidden="true"><defs>{held_once}</defs></svg>')
