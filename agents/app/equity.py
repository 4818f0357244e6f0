"""The verb ``equity``."""

from __future__ import annotations

import argparse
import json
from typing import Any

from euchre_env import __version__
from euchre_env.equity import Equity, outcomes_of, shares_by_rule

from ..evaluation.match import as_ruleset, ruleset_text
from ..evaluation.outcomes import measure_shares
from .match import add_common, progress_bar, text_table

DEALS = 100_000
LEFT_OUT = (
    "they are those of 24 cards: larger decks, fast breaks, tokens and passed cards are left out"
)


def add_equity_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``equity`` takes."""
    parser.add_argument(
        "--agent", metavar="AGENT", help="measure hand results in its self-play; else shipped ones"
    )
    add_common(parser, DEALS)


def run_equity(args: argparse.Namespace) -> int:
    """Print the chance to win from every score."""
    rules = as_ruleset(args.ruleset)
    shares = shares_by_rule(rules)
    if args.agent is not None:
        with progress_bar(args.agent) as progress:
            shares = measure_shares(args.agent, args.deals, rules, args.seed, progress=progress)
    equity = Equity.of(rules, outcomes_of(rules, shares))
    if args.json:
        print(json.dumps(_plain(args, equity, shares)))
    else:
        print(equity_text(equity))
        print(_source(args, equity))
    return 0


def _plain(args: argparse.Namespace, equity: Equity, shares: Any) -> dict[str, Any]:
    return {
        "ruleset": ruleset_text(equity.ruleset),
        "agent": args.agent,
        "deals": args.deals if args.agent is not None else None,
        "seed": args.seed,
        "version": __version__,
        "shares": shares.tolist(),
        "outcomes": equity.outcomes.tolist(),
        "table": equity.table.tolist(),
    }


def _source(args: argparse.Namespace, equity: Equity) -> str:
    rules = ruleset_text(equity.ruleset)
    if args.agent is None:
        shipped = f"shipped hand results, rules {rules}, version {__version__}"
        other = equity.ruleset.is_wide or equity.ruleset.has_wider_rules
        return f"{shipped}\n{LEFT_OUT}" if other else shipped
    return (
        f"hand results of {args.agent}, {args.deals} hands, rules {rules}, seed {args.seed}, "
        f"version {__version__}"
    )


def equity_text(equity: Equity) -> str:
    """The chances of the side that deals next, in percent."""
    table = equity.table[..., 0]
    rows = [[str(k), *(f"{100 * chance:.1f}" for chance in row)] for k, row in enumerate(table)]
    most = table.shape[1] // 2
    if equity.ruleset.hands_per_game is None:
        header, told = ["own", *map(str, range(table.shape[1]))], "the other side's points"
    else:
        shown = slice(max(0, most - 6), most + 7)
        rows = [[row[0], *row[1:][shown]] for row in rows]
        leads = [f"{k:+d}" for k in range(-most, most + 1)]
        header, told = ["hands", *leads[shown]], "the lead"
    over = "match" if equity.ruleset.match_games > 1 else "game"
    return "\n".join(
        [
            text_table(header, rows),
            "",
            f"chance in percent that the side about to deal wins the {over}; across: {told}",
        ]
    )
