"""Train a policy by self-play and rank it: ``python train.py --config configs/quick.yaml``.

Any setting may be given as ``--key value``, such as ``--seed 2 --ppo.rate 5e-4``.
"""

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents import AgentError, make
from agents.evaluation.match import play_match
from agents.training import CheckpointError, ConfigError, Result, load_config, train
from agents.training.checkpoint import latest_checkpoint, load_checkpoint
from agents.training.config import config_from
from agents.training.group import end_process


def table(result: Result) -> str:
    """The final matches, a line each, and the commands that repeat them."""
    lines = ["", f"{'opponent':<12}{'points a hand':>22}{'deals':>8}  {'rules':<10}{'seed':>4}"]
    again = ["", "To play them again:"]
    for name, m in result.matches.items():
        points = f"{m['points_per_hand']:+.4f} ± {m['ci95']:.4f}"
        lines.append(f"{name:<12}{points:>22}{m['deals']:>8}  {m['ruleset']:<10}{m['seed']:>4}")
        where = f"--deals {m['deals']} --ruleset {m['ruleset']} --seed {m['seed']}"
        again.append(f"  euchre match {result.policy} {name} {where}")
    return "\n".join([*lines, *again] if result.matches else [f"policy: {result.policy}"])


def main(words: list[str] | None = None) -> int:
    """Train as the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--config", type=Path, help="a YAML file, such as configs/quick.yaml")
    parser.add_argument("--resume", type=Path, metavar="RUN", help="continue this run's folder")
    known, overrides = parser.parse_known_args(words)
    try:
        if known.config or overrides or not known.resume:
            config = load_config(known.config, overrides)
        else:
            config = config_from(load_checkpoint(latest_checkpoint(known.resume))["config"])
        named = (*config.evaluation.opponents, *config.pool.agents, config.teacher.agent)
        for name in filter(None, named):
            make(name)

        def evaluate(agent: Any, opponent: str, deals: int) -> Mapping[str, Any]:
            rules, seed = config.ruleset[0], config.evaluation.seed
            return play_match(agent, opponent, deals, rules, seed).to_dict()

        result = train(config, evaluate, known.resume, make=make)
        if os.environ.get("RANK", "0") == "0":  # of the processes of torchrun, one speaks
            print(table(result))
    except (AgentError, CheckpointError, ConfigError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    end_process(main())
