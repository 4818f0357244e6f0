"""The verb ``rules``."""

from __future__ import annotations

import argparse
import json

from euchre_env.ruleset import ALL_PRESETS, Ruleset, options_markdown

from .options import add_json, add_seed


def add_rules_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``rules`` takes."""
    told = "a preset, a file, or key=value,...; without it, the table of options"
    parser.add_argument("ruleset", nargs="?", metavar="NAME|FILE|key=value,...", help=told)
    add_json(parser)
    add_seed(parser)


def run_rules(args: argparse.Namespace) -> int:
    """Print a rule set as a sentence and YAML, or all options and presets."""
    if args.ruleset is None and not args.json:
        print(options_markdown())
        print("Presets:\n")
        for name in ALL_PRESETS:
            print(f"- `{name}`: {Ruleset.preset(name).describe()}")
        return 0
    ruleset = Ruleset() if args.ruleset is None else Ruleset.parse(args.ruleset)
    if args.json:
        print(json.dumps({"sentence": ruleset.describe(), "ruleset": ruleset.to_dict()}))
    else:
        print(ruleset.describe())
        print()
        print(ruleset.to_yaml(), end="")
    return 0
