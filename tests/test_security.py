"""Nothing from a file is ever run: no pickle is loaded, no YAML object built, no code evaluated.

The sources are walked for calls that could; what remains is named here with its reason.
"""

from __future__ import annotations

import ast
import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.network import PolicyError, load_policy, read_header

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [
    path
    for folder in ("euchre_env", "agents", "benchmarks", "docs", "examples", "configs")
    for path in sorted((ROOT / folder).rglob("*.py"))
] + [ROOT / "train.py"]

FORBIDDEN = {
    *("pickle.load", "pickle.loads", "pickle.Unpickler", "cPickle.load", "dill.load", "dill.loads"),
    *("cloudpickle.load", "cloudpickle.loads", "joblib.load", "shelve.open", "marshal.load"),
    *("marshal.loads", "pandas.read_pickle", "pd.read_pickle", "yaml.load", "yaml.load_all"),
    *("yaml.unsafe_load", "yaml.full_load", "eval", "exec", "os.system", "os.popen"),
}
NEEDS = {  # a call -> the keyword that makes it safe, and its value
    "torch.load": ("weights_only", True),
    "np.load": ("allow_pickle", False),
    "numpy.load": ("allow_pickle", False),
}
UNSAFE_KEYWORDS = {"shell": True, "allow_pickle": True, "weights_only": False}
ALLOWED = {"docs/generate.py": "exec"}  # runs the examples of our own pages, for their output
BUILDS_OBJECTS = re.compile(r"yaml\.(Unsafe|Full)?Loader\b")


def dotted(node: ast.expr) -> str:
    """The dotted name that is called, or as much as is plain."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def faults(text: str) -> Iterator[str]:
    """What a source file calls that could run code from a file or a text."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module in ("pickle", "marshal", "shelve"):
            yield f"line {node.lineno}: from {node.module} import ..."
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        given = {
            k.arg: k.value.value
            for k in node.keywords
            if isinstance(k.value, ast.Constant) and k.arg
        }
        if name in FORBIDDEN:
            yield f"line {node.lineno}: {name}"
        if name in NEEDS and given.get(NEEDS[name][0]) is not NEEDS[name][1]:
            yield f"line {node.lineno}: {name} without {NEEDS[name][0]}={NEEDS[name][1]}"
        for key, bad in UNSAFE_KEYWORDS.items():
            if given.get(key) is bad:
                yield f"line {node.lineno}: {name} with {key}={bad}"
    for found in BUILDS_OBJECTS.finditer(text):
        yield f"{found.group()} builds objects: use SafeLoader"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_source_can_run_what_a_file_says(path: Path) -> None:
    allowed = ALLOWED.get(path.relative_to(ROOT).as_posix())
    found = [fault for fault in faults(path.read_text("utf-8")) if not _is_call(fault, allowed)]
    assert not found


def _is_call(fault: str, name: str | None) -> bool:
    return name is not None and fault.endswith(f": {name}")


@pytest.mark.parametrize(
    "text",
    [
        "pickle.load(file)",
        "import pickle\nx = pickle.loads(data)",
        "from pickle import loads",
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "yaml.load(text, Loader=yaml.Loader)",
        "yaml.compose(text, Loader=yaml.FullLoader)",
        "eval(text)",
        "subprocess.run(text, shell=True)",
    ],
)
def test_the_walk_finds_what_it_looks_for(text: str) -> None:
    assert list(faults(text))


def test_the_walk_lets_safe_calls_pass() -> None:
    safe = (
        "torch.load(path, weights_only=True)\nnp.load(path, allow_pickle=False)\n"
        "yaml.safe_load(text)\nyaml.compose(text, Loader=yaml.SafeLoader)\nnet.eval()\n"
        "try: pass\nexcept pickle.UnpicklingError: pass\n"
    )
    assert not list(faults(safe))
    assert len(SOURCES) > 50


# --- headers of policies -----------------------------------------------------------------------


@pytest.mark.parametrize("length", [2**63, 2**32, 1 << 21, 1000])
def test_a_header_is_never_longer_than_the_file_or_a_megabyte(length: int, tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", length % 2**64) + b"{}" + b" " * 400)
    for read in (read_header, load_policy):
        with pytest.raises(PolicyError, match="not a policy file, or is cut short"):
            read(path)


def test_a_long_header_in_a_long_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", 1 << 30))
        file.truncate((1 << 30) + 8)  # a hole: nothing is stored
    with pytest.raises(PolicyError, match="not a policy file"):
        read_header(path)


@pytest.mark.parametrize(
    "network",
    [
        {"hidden": [16384] * 33},
        {"hidden": [10**9]},
        {"hidden": [1] * 10**4},
        {"hidden": [8], "blocks": ["hand"] * 10**4 + ["no such"]},
    ],
    ids=["many wide layers", "a wide layer", "many layers", "blocks"],
)
def test_a_header_cannot_ask_for_a_huge_network(network: dict[str, object], tmp_path: Path) -> None:
    small = ROOT / "tests" / "corpus" / "policy" / "small.safetensors"
    header = read_header(small) | {"network": network}
    start = json.dumps({"__metadata__": {"policy": json.dumps(header)}}).encode()
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(start)) + start)
    with pytest.raises(PolicyError, match="describes no network that can be built"):
        load_policy(path)
