"""What an editor, a type checker and `help()` say: the files of types and the README's table are
what the records say, ordinary scripts have no false error, signatures are PyTorch's.
"""

import inspect
import json
import os
import pydoc
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

import autograd_core as T
from autograd_core import nn
from autograd_core.core.public import PUBLIC, Public, found_under
from tests import readme, stubs
from tests.js import node

HOUSE = Path(__file__).parents[1]
SCRIPTS = sorted((HOUSE / "tests" / "typing").glob("*.py"))
PLANTED = """\
import autograd_core as torch
from autograd_core.nn import functional as F

y = torch.ones(2, requires_grad=True)
y.exp()
y.exxp()
F.relu(y).exxp()
(2 - y).exxp()
y.add_(1).exxp()
torch.exxp(y)
torch.nn.Exxp()
F.exxp(y)
from autograd_core import explore, follow, report, watch, watching
report()
watch()
explore()
follow()
watching(1, 2, 3)
"""
ERRORS = [6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18]  # the lines of it that are wrong


# ---- files ---------------------------------------------------------------------------------------


def test_the_committed_files_are_what_the_records_say():
    assert stubs.differences() == [], "run python -m tests.stubs"


def test_a_planted_difference_is_found(monkeypatch):
    monkeypatch.setattr(T, "planted", T.exp, raising=False)
    PUBLIC.append(Public(T.exp, ("T",), ("planted",), "", {}))
    try:
        assert stubs.differences() == ["_functions.pyi", "README.md"]
    finally:
        PUBLIC.pop()
    with pytest.raises(ValueError, match="no place for it"):
        readme.shown("# autograd_core\n", readme.BEGIN, "| a table |\n")


def test_every_family_of_operations_is_loaded():
    """Or its functions would be missing, from the package and from the files alike."""
    script = "import autograd_core, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], cwd=HOUSE, capture_output=True, text=True, check=True
    ).stdout.split()
    families = {
        f"autograd_core.ops.{p.stem}" for p in (HOUSE / "autograd_core" / "ops").glob("*.py")
    }
    assert families - {*loaded} == {"autograd_core.ops.__init__"}


# ---- type checkers -------------------------------------------------------------------------------


def by_pyright(folder: Path, files: list[Path]) -> list[tuple[str, int]]:
    """(file, line) of each error. Raises `NoNode`, which says what to install, without node."""
    for file in files:
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(HOUSE)]}))
    package = Path(find_spec("pyright").origin).parent
    done = node.run(
        str(package / "dist" / "index.js"),
        *("--project", str(folder), "--pythonpath", sys.executable, "--outputjson"),
    )
    told = json.loads(done.stdout)
    assert told["summary"]["filesAnalyzed"] == len(files), done.stdout + done.stderr
    return [
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1)
        for each in told["generalDiagnostics"]
        if each["severity"] == "error"
    ]


def test_a_type_checker_finds_the_errors_and_no_others(tmp_path):
    planted = tmp_path / "planted.py"
    planted.write_text(PLANTED)
    assert len(SCRIPTS) == 3
    found = by_pyright(tmp_path, [*SCRIPTS, planted])
    assert found == [("planted.py", line) for line in ERRORS]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_scripts_run(script, tmp_path):
    done = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "PYTHONPATH": str(HOUSE)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


# ---- help() --------------------------------------------------------------------------------------


def heading(thing) -> str:
    """The signature that `help(thing)` shows, without types."""
    text = pydoc.plain(pydoc.render_doc(thing))
    line = next(line for line in text.splitlines()[2:] if "(" in line)
    return (
        re.sub(r": '?\w+'?(?= =|,|\))| ->.*| method of.*", "", line).strip(" |").replace(" = ", "=")
    )


def test_help_shows_pytorchs_signatures():
    assert heading(T.tensor) == "tensor(data, *, dtype=None, device=None, requires_grad=False)"
    assert inspect.signature(nn.Linear).parameters.keys() == (
        inspect.signature(torch.nn.Linear).parameters.keys()
    )
    assert heading(T.ones(2).add_) == "add_(other, alpha=1)"
    assert heading(T.ones(2).mul_) == "mul_(other)"


@pytest.mark.parametrize("name", found_under("Tensor_"))
def test_a_method_in_place_has_the_signature_of_its_function(name):
    changing = getattr(T.Tensor, f"{name}_")
    assert inspect.signature(changing) == inspect.signature(getattr(T, name))
    assert inspect.getdoc(changing).startswith("As `")


@pytest.mark.parametrize("place", ["T", "Tensor", "F"])
def test_signatures_have_names(place):
    for name, record in found_under(place).items():
        kinds = {p.kind for p in inspect.signature(record.function).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds, name


# ---- a stranger's way from `y = w * x; y.backward()` to the rule and to `.grad` ---------------------


def test_each_step_names_the_next():
    w = T.tensor(2.0, requires_grad=True)
    y = w * T.tensor(3.0)
    assert "autograd_core.ops.arithmetic.mul" in inspect.getdoc(w.__mul__)
    told = inspect.getdoc(type(y.grad_fn))
    assert "`mul` in autograd_core/ops/arithmetic.py" in told and "to input:  g * other" in told
    assert "g * other" in inspect.getsource(T.mul) and "g * other" in inspect.getsource(
        type(y.grad_fn)
    )
    assert "core/engine.py" in inspect.getdoc(y.backward)
    assert "core/engine.py" in inspect.getdoc(y.grad_fn.apply)
    leaf, _ = y.grad_fn.next_functions[0]
    assert "help(type(x.grad_fn))" in inspect.getdoc(type(w).grad_fn)
    assert "_accumulate_grad" in inspect.getdoc(leaf.apply)
    assert "_accumulate_grad" in inspect.getdoc(type(w).grad)
    assert hasattr(w, "_accumulate_grad")


def test_the_docstring_of_a_node_reads_named_rules_too():
    w = T.tensor(2.0, requires_grad=True)
    assert "to input:  g * exponent * input ** (exponent - 1)" in (w**3).grad_fn.__doc__
