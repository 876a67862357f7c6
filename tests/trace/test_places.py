"""Where a statement stands, who called it, and which statement switched recording off."""

import linecache
import runpy
import sys
from types import SimpleNamespace

import IPython
import pytest
import torch
from ipykernel.compiler import XCachingCompiler

import autograd_core
from autograd_core.parity import watching
from autograd_core.trace import names_in, report, trace
from autograd_core.trace.rows import folded

engines = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])

NET = """
class Net(T.nn.Module):
    def __init__(self):
        super().__init__()
        self.bb = T.nn.Sequential(*(T.nn.Linear(3, 3) for _ in range(3)))
        self.fc, self.spare = T.nn.Linear(3, 1), T.nn.Linear(3, 1)
    def forward(self, x):
        x = self.bb(x)
        return (self.fc(x) * 0).log()
"""
TRAIN = """
from autograd_core.parity import watching
from places_model.net import Net
net, criterion = Net(), T.nn.MSELoss()
with watching():
    loss = criterion(
        net(x), y)
"""


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """A function that runs the script train.py, with its model in a package, and gives its names."""

    def run(T, net=NET, train=TRAIN):
        imports = f"import {T.__name__} as T\n"
        texts = {"train": train, "places_model/net": net, "places_model/__init__": ""}
        for file, text in texts.items():
            path = tmp_path / f"{file}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(imports + text)
        data = {"x": T.ones(2, 3), "y": T.zeros(2, 1)}
        return runpy.run_path(str(tmp_path / "train.py"), data, "__main__")

    monkeypatch.syspath_prepend(tmp_path)
    yield run
    for name in ("places_model", "places_model.net"):
        sys.modules.pop(name, None)


def executed(T, program, file="program.py", **names):
    """The names of a program that runs as the text of this file."""
    linecache.cache[file] = (len(program), None, program.splitlines(keepends=True), file)
    names = {"T": T, "x": T.ones(2, 3), "__name__": "program", "watching": watching, **names}
    exec(compile(program, file, "exec"), names)
    return names


@engines
def test_a_row_names_the_statement_and_the_users_own_call(T, trained, tmp_path):
    names = trained(T)
    found = report(names["loss"], names=names_in(names))
    # the product with 0 is -0 or 0: its logarithm is -inf
    (first,) = [row for row in str(found).splitlines() if row.startswith("first inf")]
    place = "return (self.fc(x) * 0).log() (places_model/net.py:10, called in train.py:7)"
    assert place in first
    inf = found.data()["first"]["inf"]
    assert (inf["file"], inf["called"]) == ("places_model/net.py:10", "train.py:7")
    assert {*zip(found.trace.places, found.trace.called)} == {
        ("places_model/net.py:9", "train.py:7"),
        ("places_model/net.py:10", "train.py:7"),
        ("train.py:7", ""),
    }
    assert str(tmp_path) not in repr(found.trace)


@engines
def test_equal_statements_are_told_apart_by_their_places(T):
    again = "    y = y.exp()\n"
    program = (
        f"with watching():\n    y = x.exp()\n{again}{again}    loss = (y +\n            y).sum()\n"
    )
    found = trace(executed(T, f"x.requires_grad_()\n{program}")["loss"])
    last = "loss = (y +\n        y).sum()"
    assert found.source == ("y = x.exp()", "y = y.exp()", "y = y.exp()", last)
    assert found.places == tuple(f"program.py:{line}" for line in (3, 4, 5, 6))


@engines
def test_the_users_own_call_is_in_no_installed_package(T):
    library = executed(T, "def fit(net, x):\n    return net(x)", "lib/site-packages/trainer.py")
    program = "net = T.nn.Linear(3, 1)\nwith watching():\n    loss = fit(net, x).sum()\n"
    found = trace(executed(T, program, fit=library["fit"])["loss"])
    assert (found.source[0], found.places[0]) == ("return net(x)", "trainer.py:2")
    assert found.called == ("program.py:3", "")


@engines
def test_in_a_notebook_the_cell_is_named(T, monkeypatch):
    compiler = XCachingCompiler()
    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(compile=compiler))
    names = {"T": T, "watching": watching}
    model = "class Net(T.nn.Module):\n    def forward(self, x):\n        return (x *\n                2)"
    use = "x = T.ones(2, requires_grad=True)\nwith watching():\n    loss = Net()(x).sum()"
    for number, cell in ((7, model), (9, use)):
        exec(compile(cell, compiler.cache(cell, number), "exec"), names)
    made = trace(names["loss"])
    assert made.places == ("In[7]:3", "In[9]:3") and made.called == ("In[9]:3", "")
    compiler.cache(model, 12)  # the same cell has run again
    assert trace(names["loss"]).places == ("In[12]:3", "In[9]:3")


# ---- what switched recording off -----------------------------------------------------------------

HEAD = "a, b = T.nn.Linear(3, 3), T.nn.Linear(3, 3)\n"
OFF = {  # a program that cuts `a` off: the statement that is to be named
    "with T.no_grad():\n    h = a(x)\n    h = h * 2": "with T.no_grad():",
    "with T.no_grad():\n    # not a statement\n\n    h = a(x)": "with T.no_grad():",
    "with T.no_grad():  # the outer one\n    with T.set_grad_enabled(True):\n        c = x * 2\n"
    "    h = a(c)": "h = a(c)",
    "@T.set_grad_enabled(False)\ndef f(x):\n    return x\nwith T.no_grad():\n    h = a(x)": "with"
    " T.no_grad():",
    "with (\n    T.no_grad(),\n):\n    h = a(x)": "with (\n    T.no_grad(),\n):",
    "@T.no_grad()\ndef f(x):\n    return a(x)\nh = f(x)": "h = f(x)",
    "@T.set_grad_enabled(False)\ndef f(x):\n    return a(x)\nh = f(x)": "h = f(x)",
    "T.set_grad_enabled(False)\nh = a(x)\nT.set_grad_enabled(True)": "T.set_grad_enabled(False)",
    "with T.set_grad_enabled(False):\n    h = a(x)": "with T.set_grad_enabled(False):",
    "with T.no_grad():  # the outer one\n    with T.enable_grad():\n        with T.no_grad():\n"
    "            c = x * 2\n        c = c * 2\n    h = a(c)": "h = a(c)",
    "with T.no_grad():\n    c = x * 2\nwith T.no_grad():  # the second\n    h = a(c)": "with T.no_grad():"
    "  # the second",
    "off = T.no_grad()\nwith off:\n    c = x * 2\nwith off:\n    h = a(c)": "with off:",
    "from contextlib import ExitStack\nwith ExitStack() as stack:\n    stack.enter_context(T.no_grad())\n"
    "    h = a(x)": "stack.enter_context(T.no_grad())",
}
ONLY_PYTORCH = {
    "@T.no_grad()\ndef f(x):\n    yield a(x)\nh = next(f(x))": "h = next(f(x))",
    "class F(T.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        y = x + 1\n"
    "        ctx.mark_non_differentiable(y)\n        return y\nwith T.enable_grad():\n    h = F.apply(a(x))": "h"
    " = F.apply(a(x))",
}


@pytest.mark.parametrize(
    "T, program, statement",
    [(T, *case) for T in (autograd_core, torch) for case in OFF.items()]
    + [(torch, *case) for case in ONLY_PYTORCH.items()],
)
def test_a_cut_names_what_switched_recording_off(T, program, statement):
    body = "".join(f"    {line}\n" for line in f"{program}\nloss = (b(x) + h).sum()".splitlines())
    names = executed(T, f"{HEAD}with watching():\n{body}")
    (cut, same) = report(names["loss"], names=names_in(names)).data()["parameters"][:2]
    assert cut["line"] == same["line"] == statement
    assert cut["reason"] == "The path to the loss ends at no_grad()." and T.is_grad_enabled()


@engines
def test_what_switched_recording_off_unseen_is_not_guessed(T):
    body = (
        "with T.no_grad():\n    with watching():\n        h = a(x)\n        with T.enable_grad():\n"
    )
    names = executed(T, f"{HEAD}{body}            loss = (b(x) + h).sum()\n")
    cut = report(names["loss"], names=names_in(names)).data()["parameters"][0]
    assert cut["line"] == "h = a(x)"


def test_inference_mode_is_named_and_its_statement_is_not_known():
    """PyTorch has no hook for it: the report names the statement that ran inside of it."""
    body = "    with T.inference_mode():\n        h = a(x)\n    loss = (b(x) + h.clone()).sum()\n"
    names = executed(torch, f"{HEAD}with watching():\n{body}")
    cut = report(names["loss"], names=names_in(names)).data()["parameters"][0]
    assert cut["reason"] == "The path to the loss ends at inference_mode()."
    assert cut["line"] == "h = a(x)"


# ---- rows ----------------------------------------------------------------------------------------


@engines
def test_equal_rows_are_one(T, trained):
    body = "with T.no_grad():\n            x = self.bb(x)"
    names = trained(T, NET.replace("x = self.bb(x)", body))
    rows = str(report(names["loss"], names=names_in({"net": names["net"]}))).splitlines()
    place = "with T.no_grad(): (places_model/net.py:9, called in train.py:7)"
    assert f"cut         6 of net.bb.*: The path to the loss ends at no_grad(). {place}" in rows
    spare = "net.spare.weight, net.spare.bias: No recorded operation used this."
    assert f"unused      {spare}" in rows


def test_a_row_says_which_parameters_it_is_about():
    names = [f"net.{layer}.{kind}" for layer in "abcde" for kind in ("weight", "bias")]

    def row(*mine):
        (found,) = folded([(name, "It has no gradient.", "") for name in mine], names)
        return found.partition(":")[0]

    assert row(*names) == "10 of net.*"
    assert row(*names[:4]) == "4 of net.a.*, net.b.*"
    assert row(*names[:3]) == "3 of net.a.*, net.b.weight"
    assert row(*names[::2]) == "5 of the 10 of net.*, net.a.weight … net.e.weight"
    assert row(*names[:2]) == "net.a.weight, net.a.bias"
