"""Settings of a training run: dataclasses, read from YAML and the command line with strict keys."""

from __future__ import annotations

import dataclasses
import difflib
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from euchre_env.batch import as_rulesets
from euchre_env.encoding import layout_of
from euchre_env.ruleset import RulesetError, any_wide

from ..network import MLP, NETWORKS

AUTO, ALL = "auto", "all"
PPO, RPI, DMC, NFSP = "ppo", "rpi", "dmc", "nfsp"


class ConfigError(ValueError):
    """A setting that is unknown or cannot be; the message names it and what would do."""


def _number(default: Any, low: float, high: float) -> Any:
    return field(default=default, metadata={"low": low, "high": high})


def _choice(default: str, *values: str) -> Any:
    return field(default=default, metadata={"values": values})


@dataclass(frozen=True)
class NetworkConfig:
    """The network.

    Attributes:
        kind: ``mlp``, or what a program has given to :func:`agents.network.register_network`.
        hidden: Width of each hidden layer.
        blocks: Observation blocks that it reads: names, ``auto`` (those that can differ in this
            run: without the rule set if there is one only, without scores in single hands) or
            ``all``.
        ordered_suits: Put the two suits of the other colour in an order of their own first, so that
            the symmetry between them need not be learnt.
    """

    kind: str = MLP
    hidden: tuple[int, ...] = _number((256, 256), 1, 1 << 14)
    blocks: tuple[str, ...] = (AUTO,)
    ordered_suits: bool = True


@dataclass(frozen=True)
class TeacherConfig:
    """A start by imitation: at first another agent plays all seats and the policy learns to do so.

    Attributes:
        agent: Its name; empty to start from nothing.
        iterations: How many; then comes reinforcement learning.
        noise: The part of its decisions that are random, so that more is seen than its own lines.
        smoothing: The part of the probability that is spread over all legal actions, so that the
            policy goes on to explore.
    """

    agent: str = ""
    iterations: int = _number(10, 1, 1 << 30)
    noise: float = _number(0.1, 0, 1)
    smoothing: float = _number(0.1, 0, 1)


@dataclass(frozen=True)
class CriticConfig:
    """The critic: what a hand is expected to bring, against which decisions are judged.

    It is dropped when training ends; the policy never sees what it sees.

    Attributes:
        sees: ``own``, what the policy sees, with one chain of advantages for each seat; or ``all``,
            the hands of all four, with one chain for the hand.
        double_dummy: Start from the value of the true cards when all see them, and learn the rest:
            a potential-based shaping of the reward (Ng, Harada and Russell 1999), which leaves the
            best policy as it is and takes the luck of the deal out of the advantages.
        hidden: Width of each hidden layer. A critic that sees ``own`` without ``double_dummy`` is
            the value head of the policy network instead.
        rate: Adam's step size at the start; it falls linearly to zero.
        epochs: Passes over an iteration's decisions.
        gae_lambda: Weight of longer returns in advantages and targets.
    """

    sees: str = _choice("own", "own", "all")
    double_dummy: bool = False
    hidden: tuple[int, ...] = _number((128, 128), 1, 1 << 14)
    rate: float = _number(1e-3, 0, 1)
    epochs: int = _number(1, 1, 100)
    gae_lambda: float = _number(0.95, 0, 1)


@dataclass(frozen=True)
class RolloutConfig:
    """Collection of self-play.

    Attributes:
        hands: Hands in an iteration, in each process.
        reward: ``points`` of the hand, or ``equity``: the change of the chance to win the game.
        scores: Hands start at ``zero`` to zero, or at ``random`` scores below the target.
    """

    hands: int = _number(8192, 1, 1 << 22)
    reward: str = _choice("points", "points", "equity")
    scores: str = _choice("zero", "zero", "random")


@dataclass(frozen=True)
class PoolConfig:
    """Frozen opponents that play one side of some hands.

    Attributes:
        share: The part of the hands that has one of them.
        past: Past selves that are kept, the newest ones.
        every: Iterations between them.
        agents: Other agents, by name.
    """

    share: float = _number(0.0, 0, 1)
    past: int = _number(4, 0, 64)
    every: int = _number(50, 1, 1 << 30)
    agents: tuple[str, ...] = ()


@dataclass(frozen=True)
class PPOConfig:
    """Learning.

    Attributes:
        rate: Adam's step size at the start; it falls linearly to zero.
        epochs: Passes over an iteration's decisions.
        minibatch: Decisions in a gradient step, of each process.
        clip: How far the probability ratio may leave 1 with profit.
        entropy: Weight of the policy's entropy at the start, and
        entropy_end: at the end; linear between.
        value_weight: Weight of the squared error of the policy network's value.
        max_grad_norm: Longer gradients are scaled down to this.
        average: Decay of the slow policy, an exponential average of the weights, in one iteration.
            Matches and the final policy use it; 0 for the plain weights.
        magnet: Weight of the divergence from the slow policy, KL(policy || slow): magnetic mirror
            descent (Sokota et al. 2023), which keeps self-play from going in circles.
        locations: Weight of an auxiliary loss: the policy network also says where each card is,
            which shapes what its hidden layers represent.
    """

    rate: float = _number(1e-3, 0, 1)
    epochs: int = _number(2, 1, 100)
    minibatch: int = _number(4096, 1, 1 << 22)
    clip: float = _number(0.2, 1e-6, 10)
    entropy: float = _number(0.01, 0, 10)
    entropy_end: float = _number(0.001, 0, 10)
    value_weight: float = _number(0.5, 0, 100)
    max_grad_norm: float = _number(0.5, 1e-6, 1e6)
    average: float = _number(0.0, 0, 1)
    magnet: float = _number(0.0, 0, 10)
    locations: float = _number(0.0, 0, 10)


@dataclass(frozen=True)
class DMCConfig:
    """Deep Monte Carlo, a reference learner.

    Attributes:
        rate: Adam's step size at the start; it falls linearly to zero.
        epochs: Passes over an iteration's decisions.
        minibatch: Decisions in a gradient step, of each process.
        epsilon: The part of the decisions that is random at the start; it falls linearly to zero.
        temperature: The logits of the policy are the values of actions divided by this, in units of
            the reward: half a point, or a fifth of a game.
        max_grad_norm: Longer gradients are scaled down to this.
    """

    rate: float = _number(3e-3, 0, 1)
    epochs: int = _number(1, 1, 100)
    minibatch: int = _number(2048, 1, 1 << 22)
    epsilon: float = _number(0.1, 0, 1)
    temperature: float = _number(0.1, 1e-6, 1e6)
    max_grad_norm: float = _number(0.5, 1e-6, 1e6)


@dataclass(frozen=True)
class NFSPConfig:
    """Neural fictitious self-play, a reference learner.

    Attributes:
        rate: Adam's step size for the best response at the start; it falls linearly to zero.
        average_rate: The same for the average policy.
        epochs: Passes over an iteration's decisions; the average policy takes as many steps.
        minibatch: Decisions in a gradient step, of each process.
        eta: The chance of a seat to play the best response in a hand.
        epsilon: The part of the best response's decisions that is random at the start; it falls
            linearly to zero.
        reservoir: Decisions of the best response that the average policy learns from, a sample of
            the whole run; half a kilobyte each in memory, and a tenth of that in a checkpoint.
        max_grad_norm: Longer gradients are scaled down to this.
    """

    rate: float = _number(1e-3, 0, 1)
    average_rate: float = _number(1e-3, 0, 1)
    epochs: int = _number(1, 1, 100)
    minibatch: int = _number(2048, 1, 1 << 22)
    eta: float = _number(0.1, 0, 1)
    epsilon: float = _number(0.1, 0, 1)
    reservoir: int = _number(200_000, 1, 1 << 24)
    max_grad_norm: float = _number(0.5, 1e-6, 1e6)


@dataclass(frozen=True)
class RPIConfig:
    """Rollout policy iteration, which improves a policy that plays well already.

    Attributes:
        rate: Adam's step size at the start; it falls linearly to zero.
        epochs: Passes over the decisions that are learnt from.
        minibatch: Decisions in a gradient step, of each process.
        clip: How far the probability ratio of an act may leave 1 with profit.
        acts: The most acts of a decision that are played out, the policy's likeliest.
        least: An act that the policy takes less often than this is not played out. Decisions with
            one act left are not judged.
        uniform: The part of an act's weight that does not hang on how often the policy takes it.
        others: The part of the decisions not judged that is learnt from: the policy is held there,
            and the value goes on to learn.
        hold: Weight of the divergence from the policy as it was, at decisions not judged.
        value_weight: Weight of the squared error of the policy network's value.
        max_grad_norm: Longer gradients are scaled down to this.
        average: Decay of the slow policy, as ``ppo.average``.
    """

    rate: float = _number(3e-4, 0, 1)
    epochs: int = _number(2, 1, 100)
    minibatch: int = _number(4096, 1, 1 << 22)
    clip: float = _number(0.2, 1e-6, 10)
    acts: int = _number(4, 2, 38)
    least: float = _number(0.01, 1e-6, 1)
    uniform: float = _number(0.5, 0, 1)
    others: float = _number(0.25, 0, 1)
    hold: float = _number(0.5, 0, 1e6)
    value_weight: float = _number(0.5, 0, 1e6)
    max_grad_norm: float = _number(0.5, 1e-6, 1e6)
    average: float = _number(0.95, 0, 1)


@dataclass(frozen=True)
class EvaluationConfig:
    """Matches on duplicate deals, which do not influence training.

    Attributes:
        opponents: Agents to play against.
        every: Iterations between matches during training, 0 for none.
        deals: Duplicate deals in each of those.
        final_deals: Duplicate deals in each match at the end.
        seed: Of the deals.
    """

    opponents: tuple[str, ...] = ("random", "greedy")
    every: int = _number(0, 0, 1 << 30)
    deals: int = _number(2000, 2, 1 << 24)
    final_deals: int = _number(10000, 2, 1 << 24)
    seed: int = _number(1, 0, 2**63 - 1)


@dataclass(frozen=True)
class Config:
    """A training run.

    Attributes:
        name: Of the run's folder.
        folder: That holds the runs.
        seed: Of all chance; the same settings and seed give the same figures.
        ruleset: Rule sets, of which each hand draws one; matches use the first.
        iterations: Rounds of collecting and learning.
        algorithm: ``ppo``; ``rpi``, rollout policy iteration, to go on from a trained policy; or a
            reference learner: ``dmc``, deep Monte Carlo, or ``nfsp``, neural fictitious self-play.
            Each has a section of its own; the critic is PPO's.
        figures_every: Iterations between pictures in TensorBoard, 0 for none; there are some at
            the end too. They need matplotlib.
        threads: That share the work of a process; the figures do not depend on it.
        device: Of the networks: ``cpu``, ``cuda``, or ``auto``, which is a GPU where there is one.
            The engine stays on the processor.
        precision: Of the network's products: ``bf16``, ``fp32``, or ``auto``, which is bf16 where
            the processor has it.
        init: A policy file whose weights the policy network starts from; empty for random ones.
        network, rollout, pool, teacher, critic, ppo, rpi, dmc, nfsp, evaluation: Sections of their
            own.
    """

    name: str = "run"
    folder: str = "runs"
    seed: int = _number(1, 0, 2**63 - 1)
    ruleset: tuple[str, ...] = ("stick",)
    iterations: int = _number(100, 1, 1 << 30)
    algorithm: str = _choice(PPO, PPO, RPI, DMC, NFSP)
    figures_every: int = _number(50, 0, 1 << 30)
    threads: int = _number(2, 1, 1024)
    device: str = _choice("auto", "auto", "cpu", "cuda")
    precision: str = _choice("auto", "auto", "bf16", "fp32")
    init: str = ""
    network: NetworkConfig = NetworkConfig()
    rollout: RolloutConfig = RolloutConfig()
    pool: PoolConfig = PoolConfig()
    teacher: TeacherConfig = TeacherConfig()
    critic: CriticConfig = CriticConfig()
    ppo: PPOConfig = PPOConfig()
    rpi: RPIConfig = RPIConfig()
    dmc: DMCConfig = DMCConfig()
    nfsp: NFSPConfig = NFSPConfig()
    evaluation: EvaluationConfig = EvaluationConfig()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for YAML or JSON; :func:`config_from` reads them back."""
        return _plain(dataclasses.asdict(self))


WITHOUT_INFLUENCE = ("folder", "threads", "device", "figures_every", "evaluation")
"""Settings that a resumed run may change: they leave the policy as it is."""


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings by dotted key."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return list(value) if isinstance(value, tuple) else value


# --- reading -----------------------------------------------------------------------------------


def config_from(values: Mapping[str, Any]) -> Config:
    """The configuration of nested plain values, missing ones at their defaults.

    Raises:
        ConfigError: an unknown key, a wrong type, or a value out of range.
    """
    config: Config = _build(Config, values, "")
    _check(config)
    return config


def load_config(path: str | Path | None, overrides: Sequence[str] = ()) -> Config:
    """The configuration of a YAML file, with the command line's ``--key value`` on top.

    Args:
        path: The file; None for the defaults.
        overrides: Words such as ``["--ppo.rate", "3e-4", "--seed=2"]``.

    Raises:
        ConfigError: no such file, not YAML, an unknown key, or a wrong value.
    """
    values = {} if path is None else read_yaml(Path(path))
    try:
        for key, text in _pairs(overrides):
            _set(values, key, text)
        return config_from(values)
    except ConfigError as error:
        where = "" if path is None else f"{path}: "
        raise ConfigError(f"{where}{error}") from None


def read_yaml(path: Path) -> dict[str, Any]:
    """The settings of a YAML file, not checked.

    Raises:
        ConfigError: no such file, not YAML, or no settings.
    """
    try:
        values = yaml.safe_load(path.read_text("utf-8"))
    except FileNotFoundError:
        near = sorted(str(p) for p in path.parent.glob("*.yaml")) if path.parent.is_dir() else []
        there = f": {path.parent} has {', '.join(near)}" if near else ""
        raise ConfigError(f"there is no configuration file {path}{there}") from None
    except OSError as error:
        raise ConfigError(f"cannot read configuration file {path}: {error.strerror}") from None
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict):
        raise ConfigError(f"{path} must hold settings as `key: value` lines")
    return values


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    rest = list(words)
    while rest:
        word = rest.pop(0)
        key, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not key:
            raise ConfigError(f"{word!r} is not understood: write overrides as --key value")
        if not equals:
            if not rest or rest[0].startswith("--"):
                raise ConfigError(f"--{key} lacks its value: write --{key} VALUE")
            value = rest.pop(0)
        yield key, value


def _set(values: dict[str, Any], dotted: str, text: str) -> None:
    *sections, key = dotted.split(".")
    inner = values
    for section in sections:
        inner = inner.setdefault(section, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"--{dotted}: {section} is no section")
    try:
        inner[key] = yaml.safe_load(text) if text else ""
    except yaml.YAMLError:
        inner[key] = text


def known_keys(kind: type = Config, prefix: str = "") -> list[str]:
    """Every setting by its dotted name."""
    found = []
    for name, hint in typing.get_type_hints(kind).items():
        if dataclasses.is_dataclass(hint):
            found += known_keys(typing.cast(type, hint), f"{prefix}{name}.")
        else:
            found.append(prefix + name)
    return found


def _build(kind: Any, values: Any, prefix: str) -> Any:
    if not isinstance(values, Mapping):
        raise ConfigError(f"{prefix.rstrip('.')} is a section: give its settings, not {values!r}")
    hints = typing.get_type_hints(kind)
    for key in values:
        if key not in hints:
            raise ConfigError(_unknown(f"{prefix}{key}"))
    given = {}
    for item in dataclasses.fields(kind):
        if item.name in values:
            key, value = prefix + item.name, values[item.name]
            if dataclasses.is_dataclass(hints[item.name]):
                given[item.name] = _build(hints[item.name], value, f"{key}.")
            else:
                given[item.name] = _in_range(_convert(value, hints[item.name], key), item, key)
    return kind(**given)


def _unknown(key: str) -> str:
    known = known_keys()
    leaf = {name.rpartition(".")[2]: name for name in known}
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.7)
    near = near or [leaf[m] for m in difflib.get_close_matches(key.rpartition(".")[2], leaf, n=1)]
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
    return f"unknown setting {key!r}: {hint}"


def _convert(value: Any, kind: Any, key: str) -> Any:
    if isinstance(kind, types.GenericAlias):  # tuple[X, ...]; one value alone is a list of one
        inner = typing.get_args(kind)[0]
        if isinstance(value, str) and inner is not str:
            value = value.split(",")
        items = value if isinstance(value, list | tuple) else [value]
        return tuple(_convert(item, inner, key) for item in items)
    if kind is bool:
        if isinstance(value, bool):
            return value
    elif kind is str and isinstance(value, str):
        return value
    elif kind is not str and not isinstance(value, bool):
        try:
            number = float(value)  # YAML takes 1e-3 for text
        except (TypeError, ValueError):
            number = float("nan")
        if kind is float and number == number:
            return number
        if kind is int and number.is_integer():
            return int(value) if isinstance(value, int) else int(number)
    names = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    raise ConfigError(f"{key}={value!r} must be {names[kind]}")


def _in_range(value: Any, item: dataclasses.Field[Any], key: str) -> Any:
    low, high = item.metadata.get("low"), item.metadata.get("high")
    values = item.metadata.get("values")
    if low is not None:
        for number in value if isinstance(value, tuple) else (value,):
            if not low <= number <= high:
                raise ConfigError(f"{key}={number} must be from {low} to {high}")
    if values is not None and value not in values:
        raise ConfigError(f"{key}={value!r} must be {' or '.join(map(repr, values))}")
    return value


def _check_partners(config: Config, partners: list[bool]) -> None:
    """Refuse what needs two teams where a rule set has none."""
    if all(partners):
        return
    if any(partners):
        raise ConfigError("ruleset mixes games with and without partners: train one kind at a time")
    wrong = {
        "critic.double_dummy": config.critic.double_dummy,
        "pool.share": config.pool.share,
        "rollout.reward": config.rollout.reward != "points",
        "rollout.scores": config.rollout.scores != "zero",
        "ppo.locations": config.ppo.locations,
        "algorithm='rpi'": config.algorithm == RPI,
    }
    for key, is_set in wrong.items():
        if is_set:
            raise ConfigError(f"{key} needs a game with partners: leave it at its default")


def _check_large_deck(config: Config) -> None:
    """Refuse what knows the deck of 24 cards only, where a rule set has a larger one."""
    wrong = {
        "critic.double_dummy": config.critic.double_dummy,
        "ppo.locations": config.ppo.locations,
        "algorithm": config.algorithm != PPO,
    }
    for key, is_set in wrong.items():
        if is_set:
            raise ConfigError(f"{key} needs the deck of 24 cards: leave it at its default")


def _check_rpi(config: Config) -> None:
    """Refuse what rollout policy iteration does not learn from."""
    wrong = {
        "pool.share": config.pool.share,
        "rollout.reward": config.rollout.reward != "points",
        "rollout.scores": config.rollout.scores != "zero",
    }
    for key, is_set in wrong.items():
        if is_set:
            raise ConfigError(f"{key} does not go with algorithm 'rpi': leave it at its default")


def _check(config: Config) -> None:
    name = config.name
    if not name or name != Path(name).name or name.startswith("."):
        raise ConfigError(f"name={name!r} must be a plain folder name, such as 'quick'")
    for section in ("network", "critic"):
        if not getattr(config, section).hidden:
            raise ConfigError(f"{section}.hidden=[] must hold a width, such as [256, 256]")
    kind = config.network.kind
    if kind not in NETWORKS:
        near = difflib.get_close_matches(kind, NETWORKS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"registered are {', '.join(NETWORKS)}"
        raise ConfigError(f"network.kind={kind!r}: {hint}")
    if config.ppo.magnet and not config.ppo.average:
        raise ConfigError(
            f"ppo.magnet={config.ppo.magnet} needs a slow policy: set ppo.average, such as 0.97"
        )
    if config.algorithm == RPI:
        _check_rpi(config)
    if config.teacher.agent and config.algorithm != PPO:
        raise ConfigError(
            f"teacher.agent={config.teacher.agent!r} needs algorithm 'ppo', not "
            f"{config.algorithm!r}: leave the teacher out"
        )
    try:
        rulesets = as_rulesets(list(config.ruleset))
    except RulesetError as error:
        raise ConfigError(f"ruleset: {error}") from None
    _check_partners(config, [r.is_partnership for r in rulesets])
    if any_wide(rulesets):
        _check_large_deck(config)
    blocks, layout = config.network.blocks, layout_of(*rulesets)
    unknown = [name for name in blocks if name not in layout]
    if not blocks or (unknown and blocks not in [(AUTO,), (ALL,)]):
        word = unknown[0] if unknown else "[]"
        near = difflib.get_close_matches(word, [*layout, AUTO, ALL], n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {AUTO}, {ALL}, or names"
        raise ConfigError(f"network.blocks: {word!r} is no observation block: {hint}")
