"""The rules of the house: imports run one way, NumPy is all that loads, files are small, no path of one machine.

A room is a file or folder directly in `autograd_core`. An import inside a function counts as any other where it would
lead out of the story (to torch, to `parity`, to `widgets`); within the story only what runs at import time counts, so
that `Tensor.backward` may call the engine which is told after it.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[2]
PACKAGE = HOUSE / "autograd_core"

# A room imports rooms to its left. A room in NEEDS imports no others than these.
STORY = (
    "check", "dtypes", "box_muller", "random", "printing", "graph", "recording", "engine", "conversion", "tensor",
    "autograd", "creation", "saving", "ops", "nn", "optim", "utils", "formula", "moved", "trace", "datasets", "widgets",
    "parity", "lessons",
)  # fmt: skip
PUBLIC = "__init__"
NEEDS = {
    "graph": set(),
    "recording": set(),
    "engine": {"graph", "recording"},
    "optim": {"check", "graph", "recording", "tensor", "creation"},
    "moved": set(),
    "trace": {"graph", "recording", "engine", "formula", "moved"},
    "datasets": {"moved"},
    "widgets": {"trace", "moved", PUBLIC},
    "parity": {*STORY, PUBLIC} - {"widgets", "lessons", "datasets"},
    "lessons": {*STORY, PUBLIC},
    PUBLIC: {*STORY} - {"widgets", "parity", "lessons"},
    "__main__": {PUBLIC},
}
OUTSIDE = {
    "widgets": {"anywidget", "ipywidgets", "numpy", "traitlets"},
    "parity": {"IPython", "numpy", "torch"},
    "lessons": {"jupyter_core", "numpy", "torch", "traitlets"},
}
HEAVY = ("torch", "matplotlib", "IPython", "ipywidgets", "anywidget", "numpy.random")
MOST_LINES = {".py": 320, ".js": 600, ".css": 600}
NOT_OURS = "node_modules"
MACHINE_PATH = re.compile(r"(?<![\w.-])/(?:work|root|tmp|home|Users)/\w")


def room_of(path: Path, package: Path) -> str:
    return path.relative_to(package).with_suffix("").parts[0]


def imports(path: Path, package: Path) -> Iterator[tuple[str, bool]]:
    """Each module that the file imports, by its absolute name, and whether that happens as soon as the file is loaded."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)]
    later = {inner for function in functions for inner in ast.walk(function)}
    home = (package.name, *path.relative_to(package).parts[:-1])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node not in later) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = home[: len(home) - node.level + 1] if node.level else ()
            module = ".".join((*base, *filter(None, [node.module])))
            names = [f"{module}.{alias.name}" for alias in node.names] if module == package.name else [module]
            yield from ((name, node not in later) for name in names)


def wrong_imports(package: Path) -> list[str]:
    """The imports in `package` that run the wrong way, one sentence each."""
    wrong = []
    for path in sorted(set(package.rglob("*.py")) - set(package.rglob(f"{NOT_OURS}/**/*.py"))):
        room, where = room_of(path, package), path.relative_to(package)
        if room not in {*STORY, *NEEDS}:
            wrong.append(f"{where}: the room {room} has no place in STORY")
            continue
        earlier = {*STORY[: STORY.index(room)]} if room in STORY else {*STORY}
        allowed = NEEDS.get(room, earlier) | {room}
        for name, at_once in imports(path, package):
            top, _, rest = name.partition(".")
            if top != package.name:
                if top not in sys.stdlib_module_names and top not in OUTSIDE.get(room, {"numpy"}):
                    wrong.append(f"{where} imports {name}")
                continue
            target = rest.split(".")[0] if rest.split(".")[0] in STORY else PUBLIC
            leads_out = target in ("widgets", "parity", "lessons") or room in OUTSIDE
            if target not in allowed and (at_once or leads_out):
                wrong.append(f"{where} imports {target}")
    return wrong


def loaded_by(statement: str) -> set[str]:
    """Those of HEAVY that are loaded once a new Python has run `statement`."""
    script = f"import sys\n{statement}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], cwd=HOUSE, capture_output=True, text=True, check=True)
    return set(run.stdout.split()) & set(HEAVY)


def long_files(package: Path) -> list[str]:
    """The files of `package` that are above their limit, with their number of lines."""
    lines = {
        path: len(path.read_text(encoding="utf-8").splitlines())
        for path in package.rglob("*")
        if path.suffix in MOST_LINES and path.is_file() and NOT_OURS not in path.parts
    }
    return [f"{path.relative_to(package)}: {n} lines" for path, n in sorted(lines.items()) if n > MOST_LINES[path.suffix]]


def machine_paths(root: Path, files: list[str]) -> list[str]:
    """Where the text among `files`, relative to `root`, names a place on one machine."""
    found = []
    for file in files:
        try:
            lines = (root / file).read_text(encoding="utf-8").splitlines()
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        found += [f"{file}:{i}: {line.strip()[:80]}" for i, line in enumerate(lines, start=1) if MACHINE_PATH.search(line)]
    return found


def test_imports_run_one_way():
    assert wrong_imports(PACKAGE) == []


@pytest.mark.parametrize(
    "file, source, found",
    [
        ("graph.py", "from . import engine", "graph.py imports engine"),
        ("graph.py", "from .tensor import Tensor", "graph.py imports tensor"),
        ("engine.py", "import autograd_core.tensor", "engine.py imports tensor"),
        ("engine.py", "from autograd_core import Tensor", "engine.py imports __init__"),
        ("tensor.py", "class A:\n    from .ops import add", "tensor.py imports ops"),
        ("ops/loss.py", "from ..nn.functional import relu", "ops/loss.py imports nn"),
        ("optim/sgd.py", "from ..ops import add", "optim/sgd.py imports ops"),
        ("nn/__init__.py", "def f():\n    import torch", "nn/__init__.py imports torch"),
        ("__init__.py", "from . import widgets", "__init__.py imports widgets"),
        ("ops/loss.py", "def f():\n    from autograd_core.parity import both", "ops/loss.py imports parity"),
        ("widgets/graph_view.py", "from ..parity import both", "widgets/graph_view.py imports parity"),
        ("widgets/graph_view.py", "def f():\n    from ..tensor import Tensor", "widgets/graph_view.py imports tensor"),
        ("widgets/graph_view.py", "def f():\n    import torch.nn", "widgets/graph_view.py imports torch.nn"),
        ("parity/both.py", "from ..widgets import GraphView", "parity/both.py imports widgets"),
        ("parity/both.py", "def f():\n    from ..lessons.exercises.check import check", "parity/both.py imports lessons"),
        ("widgets/graph/view.py", "from ...lessons import datasets", "widgets/graph/view.py imports lessons"),
        ("trace/take.py", "def f():\n    from ..lessons.own_trace import trace_own", "trace/take.py imports lessons"),
        ("shed.py", "", "shed.py: the room shed has no place in STORY"),
    ],
)
def test_planted_import_is_found(tmp_path, file, source, found):
    path = tmp_path / "autograd_core" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    assert wrong_imports(tmp_path / "autograd_core") == [found]


@pytest.mark.parametrize(
    "file, source",
    [
        ("tensor.py", "import math\nimport numpy as np\nfrom .graph import Node\ndef f():\n    from .autograd import backward"),
        ("widgets/watch.py", "import autograd_core\nimport anywidget\nfrom ..trace import trace\nfrom .theme import css"),
        ("parity/both.py", "import torch\nfrom .. import nn\nfrom autograd_core import Tensor"),
        ("lessons/exercises/check.py", "import torch\nfrom ...parity.compare import as_array\nfrom ...widgets import watch"),
    ],
)
def test_sound_imports_pass(tmp_path, file, source):
    path = tmp_path / "autograd_core" / file
    path.parent.mkdir(parents=True)
    path.write_text(source)
    assert wrong_imports(tmp_path / "autograd_core") == []


def test_import_loads_numpy_and_nothing_heavier():
    assert loaded_by("import autograd_core") == set()


@pytest.mark.parametrize("module", ["matplotlib", "numpy.random"])
def test_planted_heavy_import_is_found(module):
    assert module in loaded_by(f"import autograd_core, {module}")


def test_files_are_small():
    assert long_files(PACKAGE) == []


def test_planted_long_file_is_found(tmp_path):
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops" / "loss.py").write_text("pass\n" * 321)
    (tmp_path / "view.js").write_text("//\n" * 600)
    (tmp_path / "view.css").write_text("\n" * 601)
    assert long_files(tmp_path) == ["ops/loss.py: 321 lines", "view.css: 601 lines"]


def test_no_path_of_one_machine():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=HOUSE, capture_output=True, text=True, check=True).stdout
    files = [file for file in listed.split("\0") if file]
    assert files, "git lists no file here"
    assert machine_paths(HOUSE, files) == []


@pytest.mark.parametrize("folder", ["work", "root", "tmp", "home", "Users"])
def test_planted_path_is_found(tmp_path, folder):
    (tmp_path / "notes.md").write_text(f"# Notes\nSee /{folder}/ann/notes, or tests/{folder}/a and https://x.org/{folder}.\n")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    assert len(machine_paths(tmp_path, ["notes.md", "picture.png"])) == 1
