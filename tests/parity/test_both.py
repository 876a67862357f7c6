"""The two-engine cell: what runs where, what is shared with ordinary cells, what is shown, what is
refused.
"""

import gc
import math
import re
import weakref

import numpy as np
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

import autograd_core
from autograd_core.parity.both import Session
from autograd_core.parity.compare import ParityError
from autograd_core.parity.sides import OnTorch

# ---- what runs where -----------------------------------------------------------------------------


def test_the_value_of_the_last_expression_is_ours(session):
    report, value = session.run("x = torch.ones(2)\nx.sum()")
    assert isinstance(value, autograd_core.Tensor) and "x.sum()" in report.table()
    assert session.run("x = 3")[1] is None


def test_settings_and_seeds_of_an_ordinary_cell_hold_on_both_sides(session):
    session.run("x = torch.rand(3)")
    autograd_core.manual_seed(3)
    autograd_core.set_default_dtype(autograd_core.float64)
    session.run(
        "import random, numpy as np\nx = torch.randn(3)\np, q = random.random(), np.random.rand()"
    )
    assert session.theirs.namespace["x"].dtype is torch.float64


# ---- names from ordinary cells -------------------------------------------------------------------


def test_ordinary_values_are_seen_by_both_sides(session):
    namespace = session.namespace
    namespace.update(
        n=3, xs=[1, {"k": (2.0, None)}], array=np.ones(2), word="a", norm=np.linalg.norm, math=math
    )
    session.run("xs.append(n)\narray += 1\nm, r = len(xs), norm(array) + math.pi")
    assert namespace["xs"] == session.theirs.namespace["xs"] == [1, {"k": (2.0, None)}, 3]
    namespace["xs"].append(4)
    namespace["n"] = 5
    session.run("m = len(xs) + n\nxs.append(m)")
    assert namespace["m"] == session.theirs.namespace["m"] == 9
    assert session.theirs.namespace["array"] is not namespace["array"]


@pytest.mark.parametrize(
    "kind, make",
    [
        ("Tensor", lambda torch: torch.ones(2)),
        ("list", lambda torch: [torch.ones(2)]),
        ("dict", lambda torch: {"k": (torch.ones(2),)}),
        ("ReLU", lambda torch: torch.nn.ReLU()),
        ("function", lambda torch: lambda: torch.ones(2)),
        ("Generator", lambda torch: np.random.default_rng(0)),
        ("list_iterator", lambda torch: iter([1])),
    ],
)
def test_what_an_ordinary_cell_made_and_cannot_be_copied_is_refused_when_used(session, kind, make):
    session.run("x = 1")
    session.namespace.update(made=make(autograd_core), f=lambda: 1)
    session.run("y = x + 1")  # not used: nothing wrong
    sentence = rf"made comes from an ordinary cell and can't be copied to PyTorch \(its type is {kind}\): make it in a %%both cell$"
    for cell in ("z = made", "def g():\n    return made", "eval('made')"):
        with pytest.raises(NameError, match=sentence):
            session.run(cell)
    assert "made" in session.namespace and "made" not in session.theirs.namespace
    session.run("made = torch.ones(2)")
    session.run("z = made * 2")


def test_an_ordinary_name_for_a_known_tensor_is_an_ordinary_cells(session):
    session.run("net = nn.Linear(2, 1)")
    session.namespace["weight"] = session.namespace["net"].weight
    with pytest.raises(NameError, match="weight comes from an ordinary cell"):
        session.run("total = weight.sum()")


def test_an_ordinary_list_that_gets_a_tensor_is_an_ordinary_cells(session):
    kept = session.namespace["kept"] = []
    session.run("n = len(kept)")
    kept.append(autograd_core.ones(1))
    report, _ = session.run("x = torch.ones(1)")
    assert repr(report) == "✓ same on PyTorch"
    with pytest.raises(NameError, match="kept comes from an ordinary cell"):
        session.run("n = len(kept)")
    session.namespace["losses"] = []
    session.run("losses.append(torch.ones(1))")
    session.run("total = sum(losses)")  # the %%both cells alone have changed it


def test_an_ordinary_list_that_contains_itself(session):
    loop = [np.ones(1)]
    loop.append(loop)
    session.namespace["loop"] = loop
    session.run("n = len(loop)")
    theirs = session.theirs.namespace["loop"]
    assert theirs[1] is theirs and theirs is not loop and theirs[0] is not loop[0]


def test_a_deleted_name_is_deleted_on_both_sides(session):
    session.run("x = torch.ones(1)")
    del session.namespace["x"]
    with pytest.raises(NameError) as caught:
        session.run("x")
    assert "PyTorch raises the same exception: NameError" in caught.value.__notes__[0]
    session.run("y = 1")
    session.run("del y")
    assert "y" not in session.namespace


def test_on_torch():
    session = Session({})
    on_torch = OnTorch(session.theirs.namespace)
    with pytest.raises(
        AttributeError, match="'x'. It has no variables yet: run a %%both cell first"
    ):
        on_torch.x
    session.run("x = torch.ones(2)")
    assert isinstance(on_torch.x, torch.Tensor) and dir(on_torch) == ["x"]
    with pytest.raises(AttributeError, match="PyTorch's side has no 'z'. It has x"):
        on_torch.z
    with pytest.raises(AttributeError, match="on_torch is read-only"):
        on_torch.z = 1


# ---- exceptions ----------------------------------------------------------------------------------


def test_an_exception_of_both_is_the_learners_own(session):
    with pytest.raises(ValueError, match="mine") as caught:
        session.run("x = 1\nraise ValueError('mine')", filename="<cell>")
    assert caught.value.__notes__ == ["PyTorch raises the same exception: ValueError: mine"]
    assert caught.traceback[-1].lineno + 1 == 3  # %%both is line 1
    assert str(caught.traceback[-1].path) == "<cell>"


def test_an_expected_exception(session):
    report, value = session.run("x = torch.ones(2)\nx.backward()", "raises RuntimeError")
    assert value is None and session.theirs.namespace["x"].tolist() == session.ours.namespace[
        "x"
    ].tolist() == [1, 1]
    assert repr(report).count("RuntimeError: ") == 2 and "both engines raise RuntimeError" in repr(
        report
    )
    assert "element 0 of tensors does not require grad" in report.table()


@pytest.mark.parametrize(
    "cell, message",
    [
        ("x = 1", "but raised nothing on either engine"),
        ("raise ValueError('other')", "autograd_core raises ValueError: other"),
        (
            "raise RuntimeError if torch.__name__ == 'torch' else ValueError",
            "autograd_core raises ValueError and PyTorch raises RuntimeError",
        ),
        (
            "raise NotImplementedError if torch.__name__ == 'torch' else RuntimeError",
            "PyTorch raises NotImplementedError",
        ),
        (
            "if torch.__name__ == 'torch':\n    raise RuntimeError('x')",
            "PyTorch raises RuntimeError: x, but autograd_core raises nothing",
        ),
    ],
)
def test_an_expected_exception_that_does_not_come(session, cell, message):
    with pytest.raises(ParityError, match=message):
        session.run(cell, "raises RuntimeError")


@pytest.mark.parametrize(
    "line, message",
    [
        ("raises", "has no option 'raises'"),
        ("raises Nothing", "needs the name of a built-in exception"),
        ("raises int", "needs the name"),
        ("rises RuntimeError", "has no option 'rises'"),
        ("unwatched raises RuntimeError raises ValueError", "has no option 'raises'"),
        ("rtol=a", "rtol=a must be at least 0 and less than 1, such as rtol=1e-3"),
        ("rtol=-1", "rtol=-1 must be at least 0"),
    ],
)
def test_a_wrong_magic_line(session, line, message):
    with pytest.raises(ValueError, match=message):
        session.run("x = 1", line)


# ---- after a cell that failed --------------------------------------------------------------------


def test_both_sides_run_to_their_own_end(session):
    session.run("x = torch.tensor(2.0, requires_grad=True)\nn = 0")
    with pytest.raises(ParityError, match="autograd_core raises") as caught:
        session.run(
            "n += 1\n(x * x).backward()\nif torch.__name__ != 'torch':\n    raise ValueError\nn += 1"
        )
    assert "now differ in n: run the notebook from the top" in str(caught.value.__notes__)
    assert (session.ours.namespace["n"], session.theirs.namespace["n"]) == (1, 2)
    with pytest.raises(ValueError, match="mine"):
        session.run("(x * x).backward()\nraise ValueError('mine')")
    assert session.ours.namespace["x"].grad.item() == session.theirs.namespace["x"].grad.item() == 8
    report, _ = session.run("y = x * 1")
    assert (
        report.mark == "≠"
        and "n differs: 1 here, 2 in PyTorch: a failed cell left this difference" in repr(report)
    )
    assert session.run("n = 0")[0].mark == "✓"


# ---- in IPython ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cell, sentence",
    [
        ("x = 1\ny = (", "CellError: line 3, `y = (`: '(' was never closed"),
        ("x = 1\n  y = 2", "CellError: line 3, `y = 2`: unexpected indent"),
        ("return 1", "CellError: line 2, `return 1`: 'return' outside function"),
        (
            "%time x = 1",
            "CellError: line 2, `%time x = 1`: magics, shell commands and await belong in ordinary cells",
        ),
        (
            "x = 1\n!ls",
            "CellError: line 3, `!ls`: magics, shell commands and await belong in ordinary cells",
        ),
        (
            "await x",
            "CellError: line 2, `await x`: magics, shell commands and await belong in ordinary cells",
        ),
        (
            "x = f()",
            "MadeOutside: f comes from an ordinary cell and can't be copied to PyTorch (its type is function): make it in a %%both cell",
        ),
        (
            "from math import inf as nn",
            "CellError: nn is one of the engine's names in a %%both cell: use another name",
        ),
    ],
)
def test_what_cannot_be_run_is_told_in_one_sentence(notebook, cell, sentence):
    notebook.run("def f():\n    return 1")
    assert notebook.both(cell).printed == f"{sentence}\n"


def test_after_a_reset_everything_is_there_again(notebook):
    notebook.both("x = 1")
    notebook.run("%reset -f")
    assert notebook.both("x = torch.ones(1)").line == "✓ same on PyTorch"
    assert notebook.names["on_torch"].x.tolist() == [1]


@pytest.mark.parametrize("name", ["exit", "quit"])
def test_a_cell_that_ends_the_kernel_ends_it(notebook, name, monkeypatch):
    asked = []
    monkeypatch.setattr(
        InteractiveShell, "ask_exit", lambda shell: asked.append(name), raising=False
    )
    assert notebook.both(f"{name}()").error is None and asked
    assert name not in dir(notebook.names["on_torch"])


def test_the_magic(notebook):
    shown = notebook.both("x = torch.tensor([1.0, 2.0])\nprint('once')\nx.sum()")
    assert shown.printed.count("once") == 1 and shown.line == "✓ same on PyTorch"
    assert notebook.names["_"].item() == 3 and notebook.names["on_torch"].x.tolist() == [1, 2]


def test_a_traceback_shows_the_learners_lines_alone(notebook, capsys):
    notebook.shell.run_cell("%%both\nx = 1\nraise ValueError('mine')", store_history=True)
    out = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert "----> 3 raise ValueError('mine')" in out and "both.py" not in out
    numbers = re.findall(r"Cell In\[(\d+)\]", out)
    assert len(numbers) == 2 and len(set(numbers)) == 1, out


# ---- plain PyTorch -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "imports",
    [
        "",
        "import torch",
        "import torch.nn as nn\nimport torch.nn.functional as F\nfrom torch import optim",
        "from torch import nn, optim\nfrom torch.nn import functional as F",
        "import torch.optim, torch.nn.functional as F",
    ],
)
def test_a_cell_of_plain_pytorch_runs_on_both(notebook, imports):
    """The cell could be pasted into a script of one's own."""
    cell = (
        "net = nn.Linear(3, 2)\nopt = optim.SGD(net.parameters(), lr=0.1)\n"
        "loss = F.relu(net(torch.ones(4, 3))).sum()\nloss.backward()\nopt.step()"
    )
    assert notebook.both(f"{imports}\n{cell}").error is None
    assert isinstance(notebook.names["loss"], autograd_core.Tensor)
    assert isinstance(notebook.names["on_torch"].loss, torch.Tensor)


def test_a_function_of_a_cell_keeps_its_engine_in_ordinary_cells(notebook):
    notebook.run("import torch")
    notebook.both("x = torch.ones(2)\ndef f(x):\n    return torch.relu(x)")
    notebook.run("y = f(x)")
    assert isinstance(notebook.names["y"], autograd_core.Tensor)
    assert notebook.names["torch"] is torch


def test_one_engine_on_both_sides_is_told(session):
    session.namespace["ones"] = torch.ones
    with pytest.raises(ParityError, match="x belongs to the same engine on both sides"):
        session.run("x = ones(2)")


def test_an_interrupted_cell_leaves_the_names_and_says_what_differs(session):
    session.run("n = 0")
    with pytest.raises(KeyboardInterrupt) as caught:
        session.run("n = 1\nif torch.__name__ == 'torch':\n    raise KeyboardInterrupt\nn = 2")
    assert "now differ in n: run the notebook from the top" in str(caught.value.__notes__)
    assert session.namespace["n"] == 2
    with pytest.raises(KeyboardInterrupt):
        session.run("m = 1\nraise KeyboardInterrupt")
    assert session.namespace["m"] == 1


def test_a_deleted_graph_is_free_after_the_next_cell(session):
    session.run("x = torch.ones(1, requires_grad=True)\ny = x * x")
    graph = weakref.ref(session.namespace["y"].grad_fn)
    session.ours.tape.records.clear()  # a tape keeps the last passes, to be watched
    del session.namespace["y"]
    session.run("z = 1", "unwatched")
    gc.collect()
    assert graph() is None


# ---- what is not recorded ------------------------------------------------------------------------


def test_an_unwatched_cell_is_compared_and_leaves_nothing_on_the_tapes(session):
    cell = "x = torch.tensor([1.0, 2.0], requires_grad=True)\nloss = (x * x).sum()\nloss.backward()"
    tapes = session.ours.tape, session.theirs.tape
    report, _ = session.run(cell, "unwatched")
    assert "gradient" in report.table()
    assert [len(tape.records) for tape in tapes] == [0, 0]
    session.run(cell)
    assert [len(tape.records) for tape in tapes] == [1, 1]
    with pytest.raises(ParityError, match="loss"):
        session.run("loss = x.sum() + (0 if torch.__name__ == 'torch' else 1)", "unwatched")
