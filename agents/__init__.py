"""Everyone who decides: players, what trains them, and what measures them.

:func:`make` gives an agent by name: a family, with a parameter after a colon where it takes one
(``random``, ``scripted:order_up JH``), or the path of a checkpoint (``checkpoints/x.safetensors``).
``bids:A,plays:B`` calls as agent A does and plays as agent B does; ``rollout:N,by:A`` plays sampled
worlds out by agent A; ``search:N,by:A`` also weights them by A, which has to be a trained policy,
and ``search:N,by:A,against:B`` supposes B in the seats of the other team.
``champion`` is the project's own trained policy, ``champion+search`` the same with search.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

from .base import Agent, AgentError, RuleTable, View, check_actions, view_of

__all__ = [
    "FAMILIES",
    "Agent",
    "AgentError",
    "Family",
    "RuleTable",
    "View",
    "available",
    "check_actions",
    "make",
    "name_of",
    "register",
    "view_of",
]

CHECKPOINT = ".safetensors"
CHAMPION = Path("checkpoints", "champion.safetensors")
"""Where the champion lies in a checkout."""
CHAMPION_WORLDS = "100"
"""The worlds of ``champion+search`` where no number is given."""


@dataclass(frozen=True)
class Family:
    """Where the agents of one name come from.

    Attributes:
        module: The module that makes them, relative to this package; imported on first use.
        factory: The callable there, by name, or, of a family that was registered, the callable
            itself; it takes the parameter's text if the family has a parameter.
        help: What they do, in one line.
        parameter: What is written after the colon; empty where nothing may be.
        optional: Whether the parameter may be left out; the factory is then called without it.
    """

    module: str
    factory: str | Callable[..., Agent]
    help: str
    parameter: str = ""
    optional: bool = False


FAMILIES: dict[str, Family] = {
    "random": Family(".simple", "RandomAgent", "chooses uniformly among the legal actions"),
    "first_legal": Family(".simple", "FirstLegalAgent", "passes, and plays its lowest card"),
    "greedy": Family(".simple", "GreedyAgent", "calls by point count, plays by plain principles"),
    "heuristic": Family(
        ".heuristic",
        "HeuristicAgent",
        "bids by seat and score, plays by published strategy; easy and medium make mistakes",
        parameter="LEVEL",
        optional=True,
    ),
    "scripted": Family(
        ".simple", "ScriptedAgent", "takes the first legal of some actions", parameter="ACTIONS"
    ),
    "bids": Family(
        ".", "split_of", "calls as agent A does, discards and plays as B", parameter="A,plays:B"
    ),
    "pimc": Family(
        ".search.pimc",
        "PimcAgent",
        "solves N sampled worlds and takes the best mean value",
        parameter="N[+infer]",
    ),
    "rollout": Family(
        ".",
        "rollout_of",
        "plays N sampled worlds out by the hand-written player, or by agent POLICY",
        parameter="N[+infer][,by:POLICY]",
    ),
    "search": Family(
        ".",
        "search_of",
        "plays the likeliest acts of a trained POLICY out in N worlds that POLICY weights, AGENT "
        "in the opponents' seats",
        parameter="N,by:POLICY[,against:AGENT]",
    ),
    "champion": Family(".", "champion", f"the project's trained policy, {CHAMPION.as_posix()}"),
    "champion+search": Family(
        ".",
        "champion_search",
        f"search:N,by:champion, N being {CHAMPION_WORLDS} unless given",
        parameter="N",
        optional=True,
    ),
    "mixed": Family(
        ".search.mixed",
        "MixedAgent",
        "plays N sampled worlds out and solves them too",
        parameter="N[+infer]",
    ),
    "ismcts": Family(
        ".search.ismcts",
        "IsmctsAgent",
        "grows one tree over N sampled worlds",
        parameter="N[+infer]",
    ),
    "oracle": Family(
        ".search.oracle",
        "OracleAgent",
        "calls as heuristic, plays with all cards seen: a check, no honest player",
    ),
}
"""Every family by name. An entry is all that a new kind of agent needs to be known everywhere."""


_WORD = r"\w[\w+-]*"
"""What the name of a family looks like."""
_MADE: WeakKeyDictionary[Agent, str] = WeakKeyDictionary()
"""The agents that :func:`make` made, and by what names."""
_OF_AGENTS = ("bids:", "rollout:", "search:")
"""How names begin that may end in another agent's, and so in a path."""


def available() -> dict[str, str]:
    """What :func:`make` understands: the form of each name, and what it is in one line."""
    forms = {_form(name): family.help for name, family in FAMILIES.items()}
    return forms | {f"PATH{CHECKPOINT}": "a trained policy from a checkpoint"}


def _form(name: str) -> str:
    family = FAMILIES[name]
    if not family.parameter:
        return name
    return f"{name}[:{family.parameter}]" if family.optional else f"{name}:{family.parameter}"


def make(name: str) -> Agent:
    """The agent called ``name``.

    Raises:
        AgentError: no such agent, a parameter missing, unwanted or wrong, or a file that cannot be
            loaded; the message names it and what would do.
    """
    agent = _make(name)
    _MADE[agent] = name
    return agent


def name_of(agent: Agent) -> str:
    """The name by which :func:`make` gives the same agent, in this process or in another.

    Raises:
        AgentError: it was not made by name.
    """
    from .split import Split

    if agent in _MADE:
        return _MADE[agent]
    if isinstance(agent, Split):
        return f"bids:{name_of(agent.bidder)},plays:{name_of(agent.player)}"
    raise AgentError(
        f"agent {agent.name!r} was not made by its name, so other processes cannot make it: let it "
        "play in this process, or give it by its name"
    )


def _make(name: str) -> Agent:
    if name.endswith(CHECKPOINT) and not name.startswith(_OF_AGENTS):
        return _load(name)
    word, colon, parameter = name.partition(":")
    family = FAMILIES.get(word)
    if family is None:
        raise AgentError(f"no agent is called {name!r}{_hint(word)}: known are {_list()}")
    _check_parameter(name, word, bool(colon), parameter)
    factory = family.factory
    if isinstance(factory, str):
        factory = getattr(importlib.import_module(family.module, __name__), factory)
    agent: Agent = factory(parameter) if colon else factory()
    return agent


def register(
    name: str,
    factory: Callable[..., Agent],
    help: str = "",
    parameter: str = "",
    optional: bool = False,
) -> None:
    """Let :func:`make`, and so all of this process, know a further kind of agent.

    Args:
        name: What it is called.
        factory: Makes one; it is given the parameter's text if there is a parameter.
        help: What it does, in one line.
        parameter: What is written after the colon; empty where nothing may be.
        optional: Whether the parameter may be left out; the factory is then called without it.

    Raises:
        AgentError: the name is taken, or is no name.
    """
    if name in FAMILIES:
        raise AgentError(f"there is an agent {name!r} already: give another name")
    if not re.fullmatch(_WORD, name):
        raise AgentError(f"{name!r} is no name for an agent: use letters, digits, '_', '+' and '-'")
    FAMILIES[name] = Family("", factory, help, parameter, optional)


def sources_of(names: Iterable[str]) -> dict[str, Path | None]:
    """The file that defines each registered agent that is named; None where there is no file."""
    words = {word for name in names for word in re.findall(_WORD, name)}
    registered = {w: FAMILIES[w].factory for w in words & FAMILIES.keys()}
    return {word: _file_of(made) for word, made in registered.items() if callable(made)}


def _file_of(factory: Callable[..., Agent]) -> Path | None:
    try:
        file = inspect.getsourcefile(factory)
    except (TypeError, OSError):
        file = None
    return Path(file) if file and Path(file).is_file() else None


def split_of(parts: str) -> Agent:
    """The agent ``bids:A,plays:B``, given by what follows the first colon.

    Raises:
        AgentError: no ``,plays:``, or a part that is no agent.
    """
    from .split import Split

    cut = _between(parts)
    if cut is None:
        raise AgentError(f"'bids:{parts}' does not say who plays: write {_form('bids')!r}")
    return Split(make(parts[: cut[0]]), make(parts[cut[1] :]))


def _between(parts: str) -> tuple[int, int] | None:
    """Where ``,plays:`` stands in ``A,plays:B``, each of which may be such a pair itself."""
    inside = 0
    for found in re.finditer("bids:|,plays:", parts):
        if found[0] == "bids:":
            inside += 1
        elif inside:
            inside -= 1
        else:
            return found.span()
    return None


def rollout_of(parts: str) -> Agent:
    """The agent ``rollout:N`` or ``rollout:N,by:POLICY``, given by what follows the first colon.

    Raises:
        AgentError: no number of worlds, no ``by:``, or a policy that is no agent or an oracle.
    """
    from .search.base import parse_count
    from .search.policy_rollout import PolicyRolloutAgent
    from .search.rollout import RolloutAgent

    count, comma, policy = parts.partition(",")
    parse_count("rollout", count)  # before a checkpoint is read
    if not comma:
        return RolloutAgent(count)
    if not policy.startswith("by:"):
        raise AgentError(
            f"'rollout:{parts}': {policy!r} does not say who plays the worlds out, "
            f"write {_form('rollout')!r}"
        )
    if policy == "by:":
        raise AgentError(f"'rollout:{parts}': the policy is missing, write {_form('rollout')!r}")
    return PolicyRolloutAgent(count, make(policy.removeprefix("by:")))


def search_of(parts: str) -> Agent:
    """The agent ``search:N,by:POLICY[,against:AGENT]``, given by what follows the first colon.

    Raises:
        AgentError: no number of worlds, no ``by:``, or a policy that is no agent, an oracle, or
            does not say how likely its acts are; or no opponent after ``against:``, or an oracle.
    """
    from .search.policy_search import PolicySearchAgent, parse_worlds

    count, _, players = parts.partition(",")
    worlds = parse_worlds("search", count)  # before a checkpoint is read
    policy, against, opponent = players.partition(",against:")
    if re.search(r",\s*against", policy):
        raise AgentError(f"'search:{parts}' is not understood, write {_form('search')!r}")
    if not policy.startswith("by:") or policy == "by:":
        raise AgentError(f"'search:{parts}': the policy is missing, write {_form('search')!r}")
    if against and not opponent:
        raise AgentError(f"'search:{parts}': the opponent is missing, write {_form('search')!r}")
    proposer = make(policy.removeprefix("by:"))
    return PolicySearchAgent(worlds, proposer, opponent=make(opponent) if against else None)


def champion_path() -> Path:
    """Where the champion's file is, or should be.

    That is ``checkpoints/`` of the checkout that this package belongs to (an editable install too).
    A package installed without its checkout looks in ``checkpoints/`` of the working directory.
    """
    beside = Path(__file__).resolve().parents[1] / CHAMPION
    return beside if beside.is_file() or not CHAMPION.is_file() else CHAMPION


def champion() -> Agent:
    """The agent ``champion``.

    Raises:
        AgentError: its file is missing, the message says how to train it; or cannot be used.
    """
    path = champion_path()
    if not path.is_file():
        raise AgentError(
            f"there is no champion at {str(path)!r} or at {str(CHAMPION)!r} in the working "
            "directory: train it as docs/training.md says, beginning with 'python train.py "
            f"--config configs/ppo.yaml', or give the path of another {CHECKPOINT} file"
        )
    from .network import load_agent

    return load_agent(path, name="champion")


def champion_search(worlds: str = "") -> Agent:
    """The agent ``champion+search`` or ``champion+search:N``.

    Raises:
        AgentError: as :func:`champion`, or no number of worlds.
    """
    from .search.policy_search import PolicySearchAgent, parse_worlds

    word = "champion+search"
    if "," in worlds:
        raise AgentError(f"'{word}:{worlds}': write 'search:N,by:champion,against:AGENT'")
    count = parse_worlds(word, worlds or CHAMPION_WORLDS)
    return PolicySearchAgent(count, champion(), f"{word}:{worlds}" if worlds else word)


def _check_parameter(name: str, word: str, given: bool, parameter: str) -> None:
    family = FAMILIES[word]
    if given and not family.parameter:
        raise AgentError(f"{name!r}: {word!r} takes no parameter, write {word!r}")
    needed = bool(family.parameter) and not family.optional
    if not parameter and (given or needed):
        raise AgentError(f"{name!r}: the parameter is missing, write {_form(word)!r}")


def _hint(word: str) -> str:
    near = difflib.get_close_matches(word, FAMILIES, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _list() -> str:
    return ", ".join(available())


def _load(path: str) -> Agent:
    if "," in path or "&" in path:
        raise AgentError(
            f"{path!r}: a comma and '&' mean something else in agents' names: rename the file or "
            "its folder, or go there"
        )
    if not Path(path).is_file():
        raise AgentError(f"no checkpoint is at {path!r}: give the path of a {CHECKPOINT} file")
    from .network import load_agent

    agent: Agent = load_agent(path)
    return agent
