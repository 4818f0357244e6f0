"""Who may import whom: section 2 of docs/design.md as a table, and a walk over all imports.

An import counts wherever it stands: inside a function, under TYPE_CHECKING, or as
``import_module("literal")``. A new module fails until it gets a line in the table.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent

# ---- the table -----------------------------------------------------------------------------------

ANY = frozenset({"*"})
BASE = frozenset(
    {"_check", "_cores", "_files", "_jit", "cards", "ruleset"}
)  # what every module above them may import

# module of euchre_env -> modules of euchre_env that it may import; "__init__" is the package itself
ENGINE: dict[str, frozenset[str]] = {
    "_check": frozenset(),
    "_cores": frozenset(),
    "_files": frozenset(),
    "_jit": frozenset(),
    "_revision": frozenset(),
    "cards": frozenset({"_check", "_jit"}),
    "ruleset": frozenset({"_check", "_files", "_jit", "cards"}),
    "rules": BASE,
    "actions": BASE | {"rules"},
    "encoding": BASE | {"rules"},
    "symmetry": BASE | {"rules"},
    "render": BASE | {"rules"},
    "explain": BASE | {"rules", "actions"},
    "record": BASE | {"rules", "actions"},
    "replay": BASE | {"rules", "actions", "record"},
    "cases": BASE | {"rules", "actions", "odds", "record", "replay"},
    "odds": BASE | {"rules"},
    "equity": BASE | {"rules"},
    "kernels": BASE | {"rules", "actions", "encoding"},
    "batch": BASE | {"rules", "actions", "encoding", "kernels"},
    "solver": BASE | {"rules", "actions", "encoding", "kernels"},
    "rowfiles": BASE | {"rules", "encoding"},
    "dataset": BASE | {"rules", "encoding", "rowfiles"},
    "real_deals": BASE | {"record"},
    "analysis": BASE | {"record", "replay", "solver"},
    "small_games": BASE | {"rules", "actions"},
    "belief": BASE | {"rules", "encoding", "kernels"},
    "aec": BASE | {"rules", "actions", "encoding", "kernels", "render"},
    "euchre_v0": BASE | {"aec"},
    "gym_env": BASE | {"rules", "actions", "encoding", "batch"},
    "wrappers": BASE | {"rules", "encoding", "aec", "gym_env", "openspiel_game"},
    "openspiel_game": BASE | {"rules", "actions", "encoding", "kernels", "belief"},
    "testing": ANY,
    "__init__": ANY,
}

# layer of agents (its first name) -> layers of agents that it may import besides itself. Every
# layer may import all of euchre_env. "__init__" is the registry; __main__ only starts the app.
AGENTS: dict[str, frozenset[str]] = {
    "work": frozenset(),
    "base": frozenset(),
    "style": frozenset(),
    "bids": frozenset({"style"}),
    "plots": frozenset({"bids", "style"}),
    "simple": frozenset({"base"}),
    "heuristic": frozenset({"base"}),
    "human": frozenset({"base"}),
    "split": frozenset({"base"}),
    "network": frozenset({"base"}),
    "search": frozenset({"base", "heuristic", "simple"}),
    "__init__": frozenset({"base", "simple", "heuristic", "human", "network", "search", "split"}),
    "advice": frozenset({"base", "heuristic", "search", "__init__"}),
    "training": frozenset({"base", "network", "heuristic", "search", "style", "bids", "plots"}),
    "evaluation": frozenset({"base", "split", "style", "bids", "advice", "work", "__init__"}),
    "selfplay": frozenset({"base", "search", "evaluation", "work", "__init__"}),
    "app": ANY,
    "__main__": ANY,
}

TORCH_LAYERS = frozenset({"network", "training"})
APP_LAYERS = frozenset({"app", "__main__"})  # nobody imports them
TABLE_HINT = "add it to the table in tests/test_layers.py"


# ---- reading imports -----------------------------------------------------------------------------


class Import(NamedTuple):
    """One imported dotted name, the line it stands on, and how it was written."""

    name: str
    line: int
    relative: bool
    lazy: bool


def dotted_name(path: Path) -> tuple[str, bool]:
    """Dotted module name of a path relative to the root, and whether it is a package."""
    parts = list(path.with_suffix("").parts)
    if parts[-1] == "__init__":
        return ".".join(parts[:-1]), True
    return ".".join(parts), False


def absolute(module: str, is_package: bool, level: int, name: str) -> str:
    """The dotted name that ``from <level dots><name>`` means inside ``module``."""
    parts = module.split(".")
    drop = level - 1 if is_package else level
    return ".".join(parts[: len(parts) - drop] + ([name] if name else []))


def called_import(node: ast.Call) -> str | None:
    """The literal in ``import_module("x")`` or ``__import__("x")``, if the call is one."""
    name = getattr(node.func, "attr", getattr(node.func, "id", None))
    if name not in {"import_module", "__import__"} or not node.args:
        return None
    argument = node.args[0]
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return argument.value
    return None


def imports_of_node(node: ast.AST, module: str, is_package: bool, lazy: bool) -> Iterator[Import]:
    """The names that one syntax node imports; ``from a import b`` yields ``a.b``."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(alias.name, node.lineno, False, lazy)
    elif isinstance(node, ast.ImportFrom):
        start = node.module or ""
        if node.level:
            start = absolute(module, is_package, node.level, start)
        for alias in node.names:
            yield Import(f"{start}.{alias.name}", node.lineno, node.level > 0, lazy)
    elif isinstance(node, ast.Call):
        name = called_import(node)
        if name is not None:
            bare = name.lstrip(".")
            level = len(name) - len(bare)
            full = absolute(module, is_package, level, bare) if level else name
            yield Import(full, node.lineno, level > 0, lazy)


def is_lazy(node: ast.AST) -> bool:
    """Whether what stands in this node does not run when the module is imported."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def imports(source: str, module: str, is_package: bool) -> list[Import]:
    """Every import of a source text."""
    found: list[Import] = []

    def walk(node: ast.AST, lazy: bool) -> None:
        found.extend(imports_of_node(node, module, is_package, lazy))
        inside = lazy or is_lazy(node)
        for child in ast.iter_child_nodes(node):
            walk(child, inside)

    walk(ast.parse(source), False)
    return found


# ---- the check -----------------------------------------------------------------------------------


def engine_part(name: str) -> str:
    """The module of euchre_env that a dotted name reaches; the package itself is "__init__"."""
    part = name.removeprefix("euchre_env").lstrip(".").split(".")[0]
    return part if part in ENGINE else "__init__"


def agents_part(name: str) -> str:
    """The layer of agents that a dotted name reaches; the package itself is "__init__"."""
    part = name.removeprefix("agents").lstrip(".").split(".")[0]
    return part if part in AGENTS else "__init__"


def engine_fault(module: str, item: Import) -> str | None:
    """What is wrong with one import inside euchre_env, or None."""
    top = item.name.split(".")[0]
    if top in {"agents", "torch", "train"}:
        return f"euchre_env never imports {top}"
    if top != "euchre_env":
        return None
    own, target = engine_part(module), engine_part(item.name)
    allowed = ENGINE[own]
    if allowed is ANY or target == own or target in allowed:
        return None
    return f"{own} may not import {target}"


def torch_fault(own: str, item: Import) -> str | None:
    """What is wrong with an import of torch inside agents, or None."""
    if own in TORCH_LAYERS or (own in APP_LAYERS and item.lazy):
        return None
    if own in APP_LAYERS:
        return "the app imports torch only inside a function"
    return "torch only in agents.network and agents.training"


def agents_fault(own: str, item: Import) -> str | None:
    """What is wrong with one import inside a layer of agents, or None."""
    top = item.name.split(".")[0]
    if top == "torch":
        return torch_fault(own, item)
    if top == "train":
        return "nothing imports train.py"
    if top != "agents":
        return None
    if not item.relative:
        return "imports inside agents are relative"
    target = agents_part(item.name)
    if AGENTS[own] is not ANY and target != own and target not in AGENTS[own]:
        return f"{own} may not import {target}"
    if target in TORCH_LAYERS and own not in TORCH_LAYERS and not item.lazy:
        return f"{own} imports {target}, and so torch, only inside a function"
    return None


def faults(source: str, path: Path) -> list[str]:
    """What breaks the table in one file, given by its path below the root."""
    module, is_package = dotted_name(path)
    in_engine = module.split(".")[0] == "euchre_env"
    own = module.partition(".")[2].split(".")[0]
    if (own or "__init__") not in (ENGINE if in_engine else AGENTS):
        return [f"{path}: unknown module {module}: {TABLE_HINT}"]
    found = []
    for item in imports(source, module, is_package):
        fault = engine_fault(module, item) if in_engine else agents_fault(own or "__init__", item)
        if fault:
            found.append(f"{path}:{item.line}: {fault} ({item.name})")
    return found


# ---- the repository ------------------------------------------------------------------------------


def source_files() -> list[Path]:
    """Every Python file of the two packages, relative to the root."""
    found = (p for package in ("euchre_env", "agents") for p in (ROOT / package).rglob("*.py"))
    return sorted(p.relative_to(ROOT) for p in found)


def test_every_file_keeps_to_its_layer() -> None:
    found = [f for path in source_files() for f in faults((ROOT / path).read_text("utf-8"), path)]
    assert not found, "\n".join(found)


def test_the_table_names_known_modules_only() -> None:
    for table in (ENGINE, AGENTS):
        for allowed in table.values():
            assert allowed is ANY or allowed <= table.keys()


def test_the_table_has_no_cycle() -> None:
    for table in (ENGINE, AGENTS):
        left = {name: set(allowed) for name, allowed in table.items() if allowed is not ANY}
        while left:
            free = [name for name, allowed in left.items() if not allowed & left.keys()]
            assert free, f"cycle among {sorted(left)}"
            for name in free:
                del left[name]


# ---- the checker itself, on planted sources ------------------------------------------------------

CLEAN = [
    ("euchre_env/rules.py", "from .cards import card_id\nfrom . import _jit\nimport numpy as np"),
    ("euchre_env/rules.py", "from euchre_env.ruleset import Ruleset"),
    ("euchre_env/__init__.py", "from . import euchre_v0\nfrom .batch import BatchEnv"),
    ("euchre_env/testing.py", "from . import Ruleset\nfrom .belief import sample"),
    ("euchre_env/kernels.py", "from .encoding import encode"),
    ("agents/base.py", "from euchre_env import Ruleset\nfrom euchre_env.belief import sample"),
    ("agents/__init__.py", "from .base import Agent\ndef f():\n    from .network import N"),
    ("agents/search/__init__.py", "from .pimc import Pimc"),
    ("agents/search/pimc.py", "from ..base import Agent\nfrom .rollout import rollout"),
    ("agents/search/rollout.py", "from ..heuristic.player import playout"),
    ("agents/training/ppo.py", "import torch\nfrom ..network import Net\nfrom . import loop"),
    ("agents/evaluation/match.py", "from .. import make\nfrom ..base import Agent"),
    ("agents/app/cli.py", "def train():\n    import torch\n    from ..training import loop"),
    ("agents/app/cli.py", "from ..evaluation import match\nfrom .server import serve"),
    ("agents/__main__.py", "from .app.cli import main"),
]

PLANTED = [
    ("euchre_env/cards.py", "from .rules import legal", "cards may not import rules"),
    ("euchre_env/_jit.py", "import euchre_env.cards", "_jit may not import cards"),
    ("euchre_env/rules.py", "from . import actions", "rules may not import actions"),
    ("euchre_env/rules.py", "from . import Ruleset", "rules may not import __init__"),
    ("euchre_env/rules.py", "from euchre_env import kernels", "rules may not import kernels"),
    ("euchre_env/encoding.py", "from .render import draw", "encoding may not import render"),
    ("euchre_env/aec.py", "from .batch import BatchEnv", "aec may not import batch"),
    ("euchre_env/gym_env.py", "from .aec import raw_env", "gym_env may not import aec"),
    ("euchre_env/batch.py", "import torch", "euchre_env never imports torch"),
    ("euchre_env/batch.py", "def f():\n    import torch.nn", "euchre_env never imports torch"),
    ("euchre_env/__init__.py", "from agents import make", "euchre_env never imports agents"),
    ("euchre_env/testing.py", "import_module('agents.base')", "euchre_env never imports agents"),
    ("euchre_env/testing.py", "import train", "euchre_env never imports train"),
    ("euchre_env/new.py", "", TABLE_HINT),
    ("euchre_env/deep/er.py", "", TABLE_HINT),
    ("agents/new.py", "", TABLE_HINT),
    ("agents/base.py", "from .simple import Random", "base may not import simple"),
    ("agents/simple.py", "from . import make", "simple may not import __init__"),
    ("agents/simple.py", "from agents.base import Agent", "imports inside agents are relative"),
    ("agents/app/cli.py", "import agents", "imports inside agents are relative"),
    ("agents/search/pimc.py", "from ..split import S", "search may not import split"),
    ("agents/search/pimc.py", "import torch", "torch only in agents.network"),
    ("agents/__init__.py", "def f():\n    import torch", "torch only in agents.network"),
    ("agents/__init__.py", "from .training import loop", "__init__ may not import training"),
    ("agents/training/loop.py", "from ..evaluation import m", "training may not import evaluation"),
    ("agents/training/loop.py", "from ..split import S", "training may not import split"),
    ("agents/evaluation/x.py", "from ..training import l", "evaluation may not import training"),
    ("agents/__init__.py", "from .network import Net", "only inside a function"),
    ("agents/app/cli.py", "from ..training import loop", "only inside a function"),
    ("agents/evaluation/match.py", "from torch import nn", "torch only in agents.network"),
    ("agents/evaluation/match.py", "from ..app import cli", "evaluation may not import app"),
    ("agents/evaluation/match.py", "def f():\n  from ..app import x", "may not import app"),
    ("agents/network.py", "import_module('.app.cli', 'agents')", "network may not import app"),
    ("agents/app/cli.py", "import torch", "the app imports torch only inside a function"),
    ("agents/app/cli.py", "def f():\n    import train", "nothing imports train.py"),
    (
        "agents/network.py",
        "if TYPE_CHECKING:\n    from .training import ppo",
        "network may not import training",
    ),
]


@pytest.mark.parametrize(("path", "source"), CLEAN)
def test_the_checker_accepts(path: str, source: str) -> None:
    assert faults(source, Path(path)) == []


@pytest.mark.parametrize(("path", "source", "message"), PLANTED)
def test_the_checker_finds_a_planted_violation(path: str, source: str, message: str) -> None:
    found = faults(source, Path(path))
    assert len(found) == 1
    assert message in found[0]
