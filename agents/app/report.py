"""The verb ``report``: measure an agent and write its model card, or a page of what is known."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from euchre_env import __version__
from euchre_env._files import write_whole
from euchre_env._revision import code_revision

from .. import CHECKPOINT, make
from ..base import Agent
from ..evaluation.match import as_ruleset
from ..evaluation.report import RUNGS, Plan, Report, measure
from ..evaluation.sources import files_of
from ..evaluation.stats import EvaluationError, require_deals
from ..evaluation.weaknesses import trained_rulesets, weaknesses
from ..style import REFERENCE, REFERENCE_RULES
from ..work import AUTO
from .card import About, card_text, megabytes
from .curve import Curve, curve_table, plot_curve, read_curve
from .html.report import report_page, sections_of
from .html.sources import measure_agents, read_source
from .options import add_json, add_ruleset, add_seed, add_workers, list_agents, opened
from .review import check_page

CONFIGS = Path(__file__).resolve().parents[2] / "configs"


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``report`` takes."""
    plan = Plan("")
    parser.add_argument(
        "agent",
        metavar="POLICY",
        help="a policy file, or the name of any agent; with --html also the folder of a training "
        "run, or a file of matches (--out of ladder and crossplay)",
    )
    parser.add_argument(
        "--html",
        type=Path,
        metavar="OUT.html",
        help="instead of the card write a page of what is known, and with --deals of what an agent "
        "shows on so many hands",
    )
    parser.add_argument(
        "--against",
        nargs="+",
        metavar="AGENT",
        help=f"opponents (default: {' '.join(RUNGS)}, without the agent itself)",
    )
    _add_common(parser, plan)
    add_workers(parser)
    add_opponents(parser, plan)
    parser.add_argument(
        "--run", type=Path, metavar="FOLDER", help="of the training run, for its curve"
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE.jsonl",
        help="keep matches here, and take those that it has (default: beside the card)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE.md",
        help="the card; its picture goes beside it (default: beside the policy)",
    )


def _add_common(parser: argparse.ArgumentParser, plan: Plan) -> None:
    """As :func:`.match.add_common`, but it shows whether ``--deals`` was given."""
    parser.add_argument(
        "--deals", type=int, metavar="N", help=f"deals (default: {plan.deals}; with --html: none)"
    )
    add_ruleset(parser, plan.ruleset)
    add_seed(parser, "deals and agents")
    add_json(parser)
    list_agents(parser)


def add_opponents(parser: argparse.ArgumentParser, plan: Plan) -> None:
    """Declare who is played besides the rungs."""
    parser.add_argument(
        "--parts-against",
        default=plan.parts_against,
        metavar="AGENT",
        help="opponent of its calls alone and of its cards alone (default: %(default)s)",
    )
    parser.add_argument(
        "--rulesets-against",
        default=plan.presets_against,
        metavar="AGENT",
        help="opponent under every preset (default: %(default)s)",
    )
    parser.add_argument(
        "--presets-deals",
        type=int,
        metavar="N",
        help=f"deals under each preset (default: {plan.presets_deals}, or as --deals if fewer)",
    )
    parser.add_argument(
        "--partners",
        nargs="+",
        default=(),
        metavar="AGENT",
        help="policies of other seeds, to be partners of it and of each other",
    )


def run_report(args: argparse.Namespace) -> int:
    """Measure, write the card and its picture, and print what they show; or write a page."""
    if args.html is not None:
        return run_page(args)
    agent = make(args.agent)
    out = args.out or _default_card(args.agent)
    plan = plan_of(args, out)
    _check_files(out, plan.results)
    plan.check()
    curve = None if args.run is None else read_curve(args.run)
    about = describe(args.agent, agent, curve)
    try:
        with opened(args.workers) as executor:
            report = measure(agent, plan, _say, executor)
    except KeyboardInterrupt:
        _say(f"the same command goes on with the matches in {plan.results}")
        raise
    if curve is not None:
        about = _with_curve(about, curve, out)
    reference = REFERENCE if report.shares.ruleset == REFERENCE_RULES else None
    weak = weaknesses(report, about.trained_on, about.unread, reference)
    command = command_of(args, plan, out)
    write_whole(out, card_text(about, report, weak, command).encode())
    print(_json(about, report, weak, command, out) if args.json else _text(report, weak, out))
    return 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


# --- what to do --------------------------------------------------------------------------------


def plan_of(args: argparse.Namespace, out: Path) -> Plan:
    """What a command line asks for."""
    rungs = args.against or [name for name in RUNGS if name != args.agent]
    usual = Plan("")
    deals = usual.deals if args.deals is None else args.deals
    fewer = min(usual.presets_deals, deals)
    return Plan(
        agent=args.agent,
        against=tuple(dict.fromkeys(rungs)),
        deals=deals,
        ruleset=args.ruleset,
        seed=args.seed,
        parts_against=args.parts_against,
        presets_against=args.rulesets_against,
        presets_deals=fewer if args.presets_deals is None else args.presets_deals,
        partners=tuple(args.partners),
        results=args.results or out.with_suffix(".jsonl"),
    )


def command_of(args: argparse.Namespace, plan: Plan, out: Path) -> str:
    """The command that makes the card again, every option told."""
    words = ["euchre", "report", plan.agent, "--against", *plan.against]
    words += ["--deals", str(plan.deals), "--ruleset", plan.ruleset, "--seed", str(plan.seed)]
    words += ["--parts-against", plan.parts_against, "--rulesets-against", plan.presets_against]
    words += ["--presets-deals", str(plan.presets_deals)]
    words += ["--partners", *plan.partners] if plan.partners else []
    words += ["--run", str(args.run)] if args.run else []
    return shlex.join([*words, "--results", str(plan.results), "--out", str(out)])


def _default_card(name: str) -> Path:
    if name.endswith(CHECKPOINT) and Path(name).is_file():
        return Path(name).with_suffix(".md")
    return Path(re.sub(r"[^\w+.-]+", "-", name).strip("-.") + ".md")


def _check_files(out: Path, results: Path | None) -> None:
    """Find what cannot be written, before any work; a wrong ending might spoil another file."""
    for path, kind in ((out, ".md"), (results, ".jsonl")):
        if path is None:
            continue
        if path.suffix != kind:
            raise EvaluationError(f"{path}: a file ending in {kind} is needed")
        if not path.parent.is_dir():
            raise EvaluationError(f"{path}: no folder {str(path.parent)!r} to write to")
        if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            raise EvaluationError(f"{path} cannot be written: give another file")


# --- a page of what is known -------------------------------------------------------------------

CARD_ONLY = ("against", "out", "run", "partners")


def run_page(args: argparse.Namespace) -> int:
    """Write the page of a training run, of matches, or of an agent."""
    _check_page_options(args)
    source = read_source(args.agent, args.results)
    told = {} if not source.policy else _plain(source.policy, source.curve)
    measured = []
    if args.deals is not None:
        measured = measure_agents(source.agents, args.deals, args.ruleset, args.seed, _say)
    found = source.curve, source.series, measured
    sections = [section.title for section in sections_of(*found)]
    if not sections:
        raise EvaluationError(f"nothing is known of {args.agent}: give --deals to measure it")
    command = page_command(args)
    write_whole(args.html, report_page(source.title, told, command, *found).encode())
    data = {"page": str(args.html), "command": command, "sections": sections}
    print(json.dumps(data) if args.json else "\n".join([*sections, "", f"page: {args.html}"]))
    return 0


def _check_page_options(args: argparse.Namespace) -> None:
    """Find bad input before any work."""
    check_page(args.html)
    for name in CARD_ONLY:
        if getattr(args, name):
            raise EvaluationError(f"--{name} is for a model card: leave out --html, or --{name}")
    if args.workers != AUTO:
        raise EvaluationError("--workers is for a model card: leave out --html, or --workers")
    as_ruleset(args.ruleset)
    if args.deals is not None:
        require_deals(args.deals)


def _plain(policy: str, curve: Curve | None) -> dict[str, str]:
    """Facts of a policy without Markdown's marks."""
    about = describe(policy, make(policy), curve)
    return {k: re.sub(r"[`*]", "", v) for k, v in {**about.facts, **about.training}.items()}


def page_command(args: argparse.Namespace) -> str:
    """The command that makes the page again."""
    words = ["euchre", "report", args.agent, "--html", str(args.html)]
    words += ["--results", str(args.results)] if args.results else []
    if args.deals is not None:
        words += ["--deals", str(args.deals), "--ruleset", args.ruleset, "--seed", str(args.seed)]
    return shlex.join(words)


# --- what the agent is -------------------------------------------------------------------------


def describe(name: str, agent: Agent, curve: Curve | None) -> About:
    """What is known of an agent; of a policy, what the header of its file tells."""
    header: Mapping[str, Any] = getattr(agent, "header", {})
    file = Path(name) if name.endswith(CHECKPOINT) and Path(name).is_file() else None
    facts = {"agent": f"`{name}`"}
    if file is not None:
        facts["file"] = f"{megabytes(file)}, SHA-256 begins {files_of(name).get(name, '-')}"
    if header:
        facts |= _network(agent, header)
    if agent.oracle:
        facts["sees"] = "**hidden cards: it is a check, no honest player**"
    facts["measured with"] = f"version {__version__}, git revision {code_revision() or 'unknown'}"
    title = name if file is None else file.stem
    if not header:
        return About(title, facts)
    config = _config(header)
    told = {key: value for key, value in config.items() if key != "folder"}
    return About(
        title,
        facts,
        _training(header, curve),
        yaml.safe_dump(told, sort_keys=False) if told else "",
        training_commands(config, header.get("revision")),
        trained_on=trained_rulesets(header),
        unread=_unread(header),
    )


def _config(header: Mapping[str, Any]) -> Mapping[str, Any]:
    config = header.get("config")
    return config if isinstance(config, Mapping) else {}


def _unread(header: Mapping[str, Any]) -> tuple[str, ...]:
    from ..network import all_blocks

    read = header.get("network", {}).get("blocks", all_blocks())
    return tuple(name for name in all_blocks() if name not in read)


def _network(agent: Any, header: Mapping[str, Any]) -> dict[str, str]:
    shape = header.get("network", {})
    unread = _unread(header)
    blocks = f"{len(shape.get('blocks', ()))} blocks of the observation"
    weights = sum(p.numel() for p in agent.net.parameters())
    widths = ", ".join(map(str, shape.get("hidden", ())))
    version, revision = header.get("version"), header.get("revision")
    return {
        "network": f"hidden layers of {widths or '?'}; {weights:,} parameters",
        "reads": blocks + (f", all but {', '.join(unread)}" if unread else ", all there are"),
        "observation layout": f"`{header.get('layout')}`",
        "trained with": f"version {version}, git revision {revision or 'unknown'}",
    }


def _training(header: Mapping[str, Any], curve: Curve | None) -> dict[str, str]:
    decisions = header.get("decisions") or (curve and curve.last("decisions"))
    seconds = header.get("seconds") or (curve and curve.last("speed/seconds"))
    threads = _config(header).get("threads")
    rulesets = trained_rulesets(header)
    start = _config(header).get("init")
    facts = {"goes on from": f"`{start}`; the rest is of this training alone"} if start else {}
    facts |= {
        "decisions": f"{decisions:,.0f}" if decisions else "not recorded",
        "iterations": str(header.get("iterations", "not recorded")),
        "wall time": f"{_duration(seconds)}, matches not included" if seconds else "not recorded",
        "rules": _counted(rulesets) if rulesets else "not recorded",
        "precision": str(header.get("precision", "not recorded")),
    }
    if seconds and threads:
        facts["compute"] = f"at most {threads * seconds / 3600:.2f} core-hours, {threads} threads"
    if decisions and seconds:
        facts["speed"] = f"{decisions / seconds:,.0f} decisions trained a second"
    return facts


def _counted(rulesets: Sequence[str]) -> str:
    """Each rule set once, with how many of the drawn ones it is where there are several."""
    told = (f"`{text}`" + (f" × {n}" if n > 1 else "") for text, n in Counter(rulesets).items())
    return ", ".join(told)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


# --- how to train it again ---------------------------------------------------------------------


def training_commands(
    config: Mapping[str, Any], revision: str | None = None, folder: Path = CONFIGS
) -> list[str]:
    """The command that trains with these settings, from the configuration file of their name.

    What the file has otherwise is added to the command, except for settings that leave the policy
    as it is. Without such a file a comment says what to do; another tells the sources' revision.
    """
    from ..training import ConfigError, load_config
    from ..training.config import WITHOUT_INFLUENCE, flat

    if not config:
        return []
    path = folder / f"{config.get('name')}.yaml"
    sources = [f"# with the sources of git revision {revision}"] if revision else []
    try:
        known = flat(load_config(path).to_dict())
    except ConfigError:
        save = "# save the configuration below as FILE"
        return [*sources, save, "python train.py --config FILE"]
    words = ["python", "train.py", "--config", f"{folder.name}/{path.name}"]
    for key, value in flat(config).items():
        if known.get(key) != value and key.split(".")[0] not in WITHOUT_INFLUENCE:
            words += [f"--{key}", value if isinstance(value, str) else json.dumps(value)]
    return [*sources, shlex.join(words)]


def _with_curve(about: About, curve: Curve, out: Path) -> About:
    """Draw the training curve beside the card; a table does where there is no matplotlib."""
    if find_spec("matplotlib") is None:
        return replace(about, curve=curve_table(curve))
    picture = out.with_name(f"{out.stem}-training.png")
    plot_curve(curve, picture, f"training of {about.title}")
    return replace(about, picture=picture.name)


# --- what is printed ---------------------------------------------------------------------------


def _text(report: Report, weak: list[str], out: Path) -> str:
    lines = [row.match.describe() for row in report.strengths if row.match]
    lines += ["", "known weaknesses:", *(f"- {line}" for line in weak or ["none in these figures"])]
    return "\n".join([*lines, "", f"model card: {out}"])


def _json(about: About, report: Report, weak: list[str], command: str, out: Path) -> str:
    data = report.to_dict() | {"about": about.to_dict(), "weaknesses": weak}
    return json.dumps(data | {"command": command, "card": str(out), "picture": about.picture})
