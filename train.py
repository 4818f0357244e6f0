"""Train a policy by self-play and rank it: ``python train.py --config configs/quick.yaml``.

Any setting may be given as ``--key value``, such as ``--seed 2 --ppo.rate 5e-4``.
"""

import argparse
import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from agents import AgentError, make
from agents.base import require_player
from agents.evaluation.match import play_match
from agents.training import CheckpointError, ConfigError, load_config, train
from agents.training.checkpoint import latest_checkpoint, load_checkpoint
from agents.training.config import config_from
from agents.training.group import end_process
from agents.training.loop import begun_folder
from euchre_env import Ruleset


def main(words: list[str] | None = None) -> int:
    """Train as the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--config", type=Path, help="a YAML file, such as configs/quick.yaml")
    parser.add_argument("--resume", type=Path, metavar="RUN", help="continue this run's folder")
    told = "continue the run of this name if it was begun (one process; torchrun takes --resume)"
    parser.add_argument("--continue", dest="go_on", action="store_true", help=told)
    parser.add_argument("--json", action="store_true", help="print the end as a line of JSON")
    known, overrides = parser.parse_known_args(words)
    say = partial(print, file=sys.stderr if known.json else None)
    try:
        if known.config or overrides or not known.resume:
            config = load_config(known.config, overrides)
        else:
            config = config_from(load_checkpoint(latest_checkpoint(known.resume))["config"])
        named = (*config.evaluation.opponents, *config.pool.agents, config.teacher.agent)
        made = {name: make(name) for name in filter(None, named)}
        opponents = [made[name] for name in config.evaluation.opponents]
        require_player(opponents, Ruleset.parse(config.ruleset[0]))
        resume = begun_folder(config) if known.go_on else known.resume

        def evaluate(agent: Any, opponent: str, deals: int) -> Mapping[str, Any]:
            rules, seed = config.ruleset[0], config.evaluation.seed
            return play_match(agent, opponent, deals, rules, seed).to_dict()

        result = train(config, evaluate, resume, say, make)
        if os.environ.get("RANK", "0") == "0":  # of the processes of torchrun, one speaks
            print(result.to_json() if known.json else result.to_text())
    except (AgentError, CheckpointError, ConfigError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    end_process(main())
