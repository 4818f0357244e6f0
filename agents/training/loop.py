"""The training run: collect, learn, report, keep; matches by a callable that is handed in."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from euchre_env.batch import as_rulesets
from euchre_env.encoding import (
    HOUSE_BLOCKS,
    LAYOUT,
    PARTNERSHIP_BLOCKS,
    RULE_BLOCKS,
    layout_of,
)
from euchre_env.rules import NOBODY
from euchre_env.ruleset import any_wide

from ..base import Agent, require_deck
from ..network import (
    NetworkAgent,
    PolicyValueNet,
    all_blocks,
    has_fast_bf16,
    network_of,
    save_policy,
)
from ..style import REFERENCE_RULES
from .checkpoint import (
    CheckpointError,
    checkpoints,
    latest_checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from .config import ALL, AUTO, PPO, RPI, WITHOUT_INFLUENCE, Config, ConfigError, config_from, flat
from .group import join_group
from .learners import make_learner
from .log import Log, outcome_shares, progress_line, seat_shares
from .pool import Pool
from .result import Result
from .rewards import ZERO, Rewards
from .rollout import Collector, Decisions, Teacher, Workers
from .warm_start import start_from

Evaluate = Callable[[Agent, str, int], Mapping[str, Any]]
"""Plays the agent against the named opponent on so many deals; gives at least the keys
``points_per_hand`` and ``ci95``."""
Make = Callable[[str], Agent]
"""Makes an agent by name, for the pool."""
Say = Callable[[str], None]

POLICY = "policy.safetensors"


def train(
    config: Config | None = None,
    evaluate: Evaluate | None = None,
    resume: Path | None = None,
    say: Say = print,
    make: Make | None = None,
) -> Result:
    """Run a training run to its end, or continue one.

    Args:
        config: Settings; None to take those of the run to continue. A new run gets a folder of its
            own: where there is a run of that name, a number is added.
        evaluate: Plays matches; none are played without it.
        resume: The folder of the run to continue.
        say: Gets each line of progress.
        make: Makes the pool's agents by name.

    Raises:
        ConfigError: the pool has agents, and there is no ``make``; or ``init`` cannot be used.
        CheckpointError: the run cannot be continued, or the disk is full.
    """
    if resume is None:
        run = _Run.start(config or Config(), say, make)
    else:
        run = _Run.resume(resume, config, say, make)
    try:
        run.train(evaluate)
        return run.finish(evaluate)
    except KeyboardInterrupt:
        say(f"stopped after iteration {run.iteration}; to go on: {resume_command(run.folder)}")
        raise
    except OSError as error:
        again = resume_command(run.folder)
        raise CheckpointError(
            f"cannot write to {run.folder}: {error.strerror}; to go on: {again}"
        ) from None
    finally:
        run.close()


def resume_command(folder: Path) -> str:
    """The command that continues a run."""
    return f"python train.py --resume {folder}"


# --- folders -----------------------------------------------------------------------------------


def new_folder(config: Config, say: Say) -> Path:
    """Make the folder of a new run: ``name``, or ``name-2`` and so on where that is taken."""
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        folder = Path(config.folder) / f"{config.name}{suffix}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            if not folder.is_dir():
                raise CheckpointError(f"{folder} is a file: choose another name") from None
            number += 1
            continue
        except OSError as error:
            raise CheckpointError(f"cannot make the run's folder {folder}: {error}") from None
        if number > 1:
            say(f"{config.name} is taken: this run is {folder}")
        return folder


def begun_folder(config: Config) -> Path | None:
    """The folder of a run of these settings and this name, if it was begun.

    Raises:
        CheckpointError: it was begun with other settings, its checkpoint is damaged, or a folder
            of that name holds other things.
    """
    folder = Path(config.folder) / config.name
    if found := checkpoints(folder):
        wrong = other_settings(config, config_from(load_checkpoint(found[-1])["config"]))
        if wrong:
            raise CheckpointError(
                f"{folder} was begun with other settings ({'; '.join(wrong)}): give another name, "
                "or delete that folder"
            )
        return folder
    if folder.is_dir():  # killed before its first checkpoint
        for part in folder.glob(".checkpoint-*"):
            part.unlink()
        try:
            folder.rmdir()
        except OSError as error:
            told = f"{folder} is no run ({error.strerror}): give another name"
            raise CheckpointError(told) from None
    return None


def check_same(config: Config, saved: Config, folder: Path) -> None:
    """Refuse to continue a run with settings that would change its figures.

    Raises:
        CheckpointError: some differ; the message names them.
    """
    wrong = other_settings(config, saved)
    if wrong:
        raise CheckpointError(
            f"run {folder} was started with other settings ({'; '.join(wrong)}): continue it with "
            f"`{resume_command(folder)}` alone, or start a new run without --resume"
        )


def other_settings(config: Config, saved: Config) -> list[str]:
    """The settings by which a saved run would show other figures, as ``key is X, not Y``."""
    given, kept = flat(config.to_dict()), flat(saved.to_dict())
    return [
        f"{key} is {kept[key]}, not {given[key]}"
        for key in given
        if given[key] != kept[key] and key.split(".")[0] not in WITHOUT_INFLUENCE
    ]


# --- the run -----------------------------------------------------------------------------------


def network_blocks(config: Config) -> tuple[str, ...]:
    """The observation blocks that the network of a run reads."""
    chosen, rulesets = config.network.blocks, as_rulesets(list(config.ruleset))
    if chosen == (ALL,):
        return tuple(layout_of(*rulesets))
    if chosen != (AUTO,):
        return chosen
    constant = {"games", "hands", "seat_games"}
    if config.rollout.scores == ZERO:
        constant |= {"score", "seat_score"}
    if len(set(config.ruleset)) == 1:
        constant |= {*RULE_BLOCKS, "low_ranks"}
    plays_house = any(r.has_wider_rules for r in rulesets)
    if all(r.is_partnership for r in rulesets):
        told = (*PARTNERSHIP_BLOCKS, *(HOUSE_BLOCKS if plays_house else ()))
        constant |= set(LAYOUT) - set(told)
    elif not plays_house:
        constant |= set(HOUSE_BLOCKS) - {"own_buried"}
    return tuple(name for name in all_blocks(is_wide(config)) if name not in constant)


def is_wide(config: Config) -> bool:
    """Whether a run's games have cards below nine."""
    return any_wide(as_rulesets(list(config.ruleset)))


def has_reference(config: Config) -> bool:
    """Whether hands are played by the rules, and at the score, of the reference players."""
    rulesets = as_rulesets(list(config.ruleset))
    same = set(rulesets) == set(as_rulesets(REFERENCE_RULES))
    return same and config.rollout.scores == ZERO


def hardware(config: Config) -> tuple[str, str]:
    """The precision and the device of a run's networks on this machine.

    Raises:
        ConfigError: ``cuda`` is asked for and there is none.
    """
    if config.device == "cuda" and not torch.cuda.is_available():
        raise ConfigError("device='cuda' needs a GPU that torch can use: set device to 'cpu'")
    gpu = config.device != "cpu" and torch.cuda.is_available()
    fast = torch.cuda.is_bf16_supported() if gpu else has_fast_bf16()
    half = config.precision == "bf16" or (config.precision == "auto" and fast)
    return "bf16" if half else "fp32", "cuda" if gpu else "cpu"


def _teacher(config: Config, make: Make | None) -> Teacher | None:
    """The teacher, if there is one.

    Raises:
        ConfigError: there is one, and nobody to make it.
    """
    if not config.teacher.agent:
        return None
    if make is None:
        raise ConfigError(f"teacher.agent={config.teacher.agent!r} needs `make`, to make it")
    agent = make(config.teacher.agent)
    require_deck(agent, as_rulesets(list(config.ruleset)))
    return Teacher(agent, config.teacher.noise)


def _agents(config: Config, make: Make | None) -> list[Agent]:
    """The pool's agents.

    Raises:
        ConfigError: there are some, and nobody to make them.
    """
    if config.pool.agents and make is None:
        raise ConfigError(f"pool.agents={list(config.pool.agents)} needs `make`, to make them")
    agents = [make(name) for name in config.pool.agents] if make else []
    for agent in agents:
        require_deck(agent, as_rulesets(list(config.ruleset)))
    return agents


def _network(config: Config) -> PolicyValueNet:
    """The policy network of a run with its random weights."""
    network = config.network
    blocks = network_blocks(config)
    return network_of(
        network.kind,
        hidden=network.hidden,
        blocks=blocks,
        seed=config.seed,
        ordered_suits=network.ordered_suits,
        **({"wide": True} if is_wide(config) else {}),
    )


def _figures_of(group: str, matches: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """What matches showed, by opponent, as figures of a group."""
    return {
        f"{group}/{opponent}/{key}": float(said[key])
        for opponent, said in matches.items()
        for key in ("points_per_hand", "ci95")
    }


class _Run:
    """One run: its folder, network, collector, learner, log and counters."""

    def __init__(
        self, config: Config, folder: Path, say: Say, make: Make | None, net: PolicyValueNet
    ) -> None:
        self.config, self.folder, self.say = config, folder, say
        self.iteration = self.decisions = 0
        self.seconds = 0.0
        self.group = join_group()
        self.workers = Workers(config.threads, *hardware(config))
        rulesets = as_rulesets(list(config.ruleset))
        self.net = net.to(self.workers.device)
        self.pool = Pool(config.pool, _agents(config, make))
        self.teacher = _teacher(config, make)
        self.learner = make_learner(config, self.net, self.workers, self.group)
        judged = config.critic.double_dummy or config.critic.sees == "all"
        solved = judged and rulesets[0].is_partnership and not is_wide(config)
        self.collector = Collector(
            config.rollout.hands,
            rulesets,
            config.seed,
            self.workers,
            solve=solved and config.algorithm == PPO,
            pool=self.pool,
            rewards=Rewards(rulesets, config.rollout.reward, config.rollout.scores),
            rank=self.group.rank,
            behave=self.learner.behave,
            records=config.algorithm == RPI,
        )
        self.log: Log | None = None
        self.collected: Decisions | None = None  # in the last iteration

    @classmethod
    def start(cls, config: Config, say: Say, make: Make | None) -> _Run:
        """A new run in a new folder, which the first process makes."""
        hardware(config)
        _agents(config, make)
        _teacher(config, make)
        net = _network(config)
        if config.init:
            start_from(config.init, net)
        leads = join_group().rank == 0
        folder = new_folder(config, say) if leads else Path(config.folder) / config.name
        run = cls(config, folder, say, make, net)
        run.keep()
        return run

    @classmethod
    def resume(cls, folder: Path, config: Config | None, say: Say, make: Make | None) -> _Run:
        """A run as its newest checkpoint has it."""
        path = latest_checkpoint(folder)
        whole = load_checkpoint(path)
        saved = config_from(whole["config"])
        if config is not None:
            check_same(config, saved, folder)
        run = cls(config or saved, folder, say, make, _network(config or saved))
        run.load(path, whole)
        say(f"continuing {folder} after iteration {run.iteration}")
        return run

    def load(self, path: Path, whole: dict[str, Any]) -> None:
        """Take over a checkpoint's contents."""
        state = whole["state"]
        if state["precision"] != self.workers.precision:
            raise CheckpointError(
                f"{path} was trained in {state['precision']}, this machine would go on in "
                f"{self.workers.precision}: start a new run with precision {state['precision']}"
            )
        try:
            self.learner.load_state_dict(state["learner"])
            self.pool.load_state_dict(state["pool"], self.net)
        except (RuntimeError, ValueError, KeyError) as error:
            raise CheckpointError(f"{path} does not fit its own configuration: {error}") from None
        self.iteration, self.decisions = whole["iteration"], state["decisions"]
        self.seconds = state["seconds"]
        if self.group.least(self.iteration) != -self.group.least(-self.iteration):
            raise CheckpointError(f"the processes found different checkpoints in {self.folder}")

    def keep(self) -> None:
        """Write a checkpoint. Random numbers need no state: they come from (seed, iteration)."""
        if not self.leads:
            return
        save_checkpoint(
            self.folder,
            self.iteration,
            self.config.to_dict(),
            {
                "learner": self.learner.state_dict(),
                "pool": self.pool.state_dict(),
                "decisions": self.decisions,
                "seconds": self.seconds,
                "precision": self.workers.precision,
            },
        )

    @property
    def leads(self) -> bool:
        """Whether this process writes the files and plays the matches."""
        return self.group.rank == 0

    def train(self, evaluate: Evaluate | None) -> None:
        """All iterations that are left."""
        config = self.config
        if not self.leads:
            while self.iteration < config.iterations:
                self._iterate()
            return
        self.log = Log(
            self.folder,
            self.iteration,
            config.iterations,
            config.figures_every,
            has_reference(config),
        )
        self.say(
            f"training {self.folder}: {config.iterations} iterations of {config.rollout.hands} "
            f"hands, {self.workers.precision} on {self.workers.device}, {config.threads} threads, "
            f"rules {' + '.join(dict.fromkeys(config.ruleset))}"
        )
        while self.iteration < config.iterations:
            figures = self._iterate()
            if evaluate and self._wants_matches():
                figures |= self._strength(evaluate, config.evaluation.deals)
            self.log.write(self.iteration, figures, self.collected)
            self.keep()
            self.say(progress_line(self.iteration, config.iterations, figures))

    def _wants_matches(self) -> bool:
        every = self.config.evaluation.every
        return every > 0 and self.iteration % every == 0

    def _iterate(self) -> dict[str, float]:
        started = time.perf_counter()
        taught = self.teacher is not None and self.iteration < self.config.teacher.iterations
        decisions = self.collector.collect(
            self.net, self.iteration, self.teacher if taught else None
        )
        self.collected = decisions
        collected = time.perf_counter()
        learnt = self.learner.learn(
            decisions,
            self.iteration,
            self.iteration / self.config.iterations,
            self.config.teacher.smoothing if taught else None,
        )
        ended = time.perf_counter()
        self.iteration += 1
        self.pool.add_past(self.net, self.iteration)
        self.decisions += int(self.group.sums(len(decisions))[0])
        self.seconds += ended - started
        return {
            "decisions": self.decisions,
            **learnt,
            **outcome_shares(decisions),
            **seat_shares(decisions),
            **self._against_pool(decisions),
            "speed/collect": len(decisions) / (collected - started),
            "speed/learn": len(decisions) / (ended - collected),
            "speed/iteration_seconds": ended - started,
            "speed/seconds": self.seconds,
        }

    def agent(self) -> NetworkAgent:
        """The policy as it is now, playing its likeliest action."""
        net = copy.deepcopy(self.learner.slow).cpu().eval()
        return NetworkAgent(net, str(self.folder / POLICY))

    def _against_pool(self, decisions: Decisions) -> dict[str, float]:
        """Points a hand of the policy, as it explores, against the pool's members together."""
        there = decisions.opponent != NOBODY
        if not there.any():
            return {}
        points = decisions.points[there, decisions.side[there]]
        return {
            "pool/points_per_hand": float(points.mean()),
            "pool/members": len(self.pool.members),
        }

    def _strength(self, evaluate: Evaluate, deals: int) -> dict[str, float]:
        opponents = self.config.evaluation.opponents
        said = {opponent: evaluate(self.agent(), opponent, deals) for opponent in opponents}
        return _figures_of("strength", said)

    def finish(self, evaluate: Evaluate | None) -> Result:
        """Save the policy, play the last matches, and add what they showed to its header."""
        path = self.folder / POLICY
        if not self.leads:
            return Result(self.folder, path, {})
        header = {
            "config": self.config.to_dict(),
            "rulesets": [r.to_dict() for r in as_rulesets(list(self.config.ruleset))],
            "decisions": self.decisions,
            "iterations": self.iteration,
            "seconds": round(self.seconds, 1),
            "precision": self.workers.precision,
            "results": [],
        }
        self._save(path, header)
        evaluation = self.config.evaluation
        matches = {}
        if evaluate is not None:
            for opponent in evaluation.opponents:
                matches[opponent] = dict(evaluate(self.agent(), opponent, evaluation.final_deals))
            self._save(path, header | {"results": list(matches.values())})
        if self.log is not None:
            self.log.finish(flat(self.config.to_dict()), _figures_of("final", matches))
        return Result(self.folder, path, matches)

    def _save(self, path: Path, header: dict[str, Any]) -> None:
        try:
            save_policy(path, self.agent().net, header)
        except OSError as error:
            raise CheckpointError(f"cannot write policy {path}: {error.strerror}") from None

    def close(self) -> None:
        """Stop threads and close files."""
        self.collector.close()
        self.workers.close()
        if self.log is not None:
            self.log.close()
