"""Where gradients stop: on both engines a trace names each cut, its statement, and what becomes of
every parameter.
"""

import contextlib
import linecache

import pytest
import torch

import autograd_core
from autograd_core.parity import watching
from autograd_core.trace import names_in, report, trace

engines = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])

HEAD = """
nn = T.nn
T.manual_seed(0)
x, net, other = T.rand(4, 3), nn.Linear(3, 2), nn.Linear(3, 2)
"""


def traced(T, program, recorded=True):
    """The trace of `loss` after `program`, and the namespace it ran in. Its lines are known, as a
    cell's are.
    """
    names, file = {"T": T}, f"<program {hash(program)}>"
    linecache.cache[file] = (len(program), None, program.splitlines(keepends=True), file)
    exec(HEAD, names)
    with watching() if recorded else contextlib.nullcontext():
        exec(compile(program, file, "exec"), names)
    model = None if recorded else {key: names[key] for key in ("net", "other")}
    return trace(names["loss"], names_in(names), model=model), names


def parameter(found, name):
    return next(p for p in found.parameters if p.name == name)


CUTS = {
    "h = net(x)\nloss = (other(x) + h.detach()).sum()": "detach()",
    "h = net(x)\nloss = (other(x) + h.data).sum()": ".data",
    "h = net(x)\nh.detach_()\nloss = (other(x) + h).sum()": "detach_()",
    "with T.no_grad():\n    h = net(x)\nloss = (other(x) * h.tanh()).sum()": "no_grad",
    "best = net(x).argmax(1)\nloss = other(x)[T.arange(4), best].sum()": "argmax is not differentiable",
    "loss = (other(x) * (net(x) > 0).float()).sum()": "gt is not differentiable",
    "loss = (net(x) > 0)[:, 0].float() @ other(x)[:, 0]": "gt is not differentiable",
    "largest, place = net(x).max(1)\nloss = (other(x)[:, 0] * place).sum()": "integer result",
    "net.bias.requires_grad_(False)\nloss = (net(x) + other(x)).sum()": "requires_grad=False",
    "loss = (other(x) * other.weight.detach().sum()).sum()": "detach()",
    "loss = other(x)[:, T.tensor([True, False])].sum()": None,
}


@engines
@pytest.mark.parametrize("program", CUTS)
def test_each_cut_is_named_and_nothing_else(T, program):
    found, names = traced(T, program)
    assert [edge.cut for edge in found.edges if edge.cut] == [CUTS[program]] * bool(CUTS[program])
    names["loss"].backward()
    modules = {name: names[name] for name in ("net", "other")}
    reached = [name for name, p in names_in(modules).parameters if p.grad is not None]
    assert [p.name for p in found.parameters if not p.reason] == reached, "the engine agrees"
    assert reached[-2:] == ["other.weight", "other.bias"]


TWO_CUTS = {
    "on one line": "h = net(x)\nk = other(x)\nloss = (h.detach() + last(k.data)).sum()",
    "by other names": "h = net(x)\nk = other(x)\na = T.Tensor.detach(h)\nb = getattr(k, 'da' + 'ta')\n"
    "loss = (a + last(b)).sum()",
    "where nothing is recorded": "h = net(x)\nk = other(x)\nwith T.no_grad():\n    a, b = h.detach(), k.data\n"
    "loss = (a + last(b)).sum()",
}


@engines
@pytest.mark.parametrize("program", TWO_CUTS.values(), ids=TWO_CUTS)
def test_detach_and_data_are_told_apart_by_what_happened(T, program):
    found, _ = traced(T, "last = nn.Linear(2, 2)\n" + program)
    assert [parameter(found, f"{name}.weight").reason for name in ("net", "other", "last")] == [
        "The path to the loss ends at detach().",
        "The path to the loss ends at .data.",
        "",
    ]


def test_a_boolean_result_is_no_integer_result():
    program = "h, mask = T.native_dropout(net(x), 0.5, True)\nloss = (other(x) * mask).sum()"
    found, _ = traced(torch, program)
    assert [edge.cut for edge in found.edges if edge.cut] == ["boolean result"]


@engines
def test_the_path_of_a_parameter_ends_at_its_cut(T):
    found, _ = traced(T, "h = net(x)\nloss = (other(x) + h.detach()).sum()")
    weight = parameter(found, "net.weight")
    assert weight.path == ("net.weight", "TBackward0", "AddmmBackward0", "detach()")
    assert weight.reason == "The path to the loss ends at detach()."
    edge = found.edges[weight.cut]
    consumer, producer = found.nodes[edge.consumer], found.nodes[edge.producer]
    assert (consumer.name, producer.name) == ("AddBackward0", "AddmmBackward0")
    assert producer.kind == "severed" and found.nodes[weight.node].kind == "leaf"


STATEMENTS = {
    "frozen = early.detach()": "early = net(x)\nfrozen = early.detach()\nlate = frozen * 2\n"
    "loss = (other(x) + late).sum()",
    "with T.no_grad():": "with T.no_grad():\n    early = net(x)\n    late = early * 2\n"
    "loss = (other(x) + late).sum()",
    "g = h; g = g.detach(); return (g *\n  2)": "def f(h):\n    g = h; g = g.detach(); return (g *\n"
    "      2)\nloss = f(net(x)).sum() + other(x).sum()",
    "best = p.argmax(1)": "p = net(x)\nbest = p.argmax(1)\nchosen = best + 0\n"
    "loss = other(x).sum() * chosen.sum()",
}


@engines
@pytest.mark.parametrize("statement, program", STATEMENTS.items())
def test_the_statement_that_cut_is_named(T, statement, program):
    found, _ = traced(T, program)
    (edge,) = (edge for edge in found.edges if edge.cut)
    assert found.source[edge.line] == statement


@engines
def test_a_recording_of_a_part_claims_nothing_of_the_rest(T):
    names = {"T": T}
    exec(HEAD + "hidden = other(x) * net(x).detach()", names)
    with watching():
        exec("loss = hidden.sum()", names)
    found = trace(names["loss"], names_in(names), model={"net": names["net"]})
    assert parameter(found, "net.weight").reason == "No path leads to the loss."


@engines
def test_unused_and_lost_parameters(T):
    found, names = traced(
        T, "seen = net(x).sum().item()\nspare = nn.Linear(2, 2)\nloss = other(x).sum() * (seen + 1)"
    )
    assert "spare.weight" not in {p.name for p in found.parameters}
    models = [names[key] for key in ("net", "other", "spare")]
    found = trace(names["loss"], names_in(names), model=models)
    assert parameter(found, "spare.weight").reason == "No recorded operation used this."
    assert parameter(found, "net.bias").reason == (
        "No recorded path leads to the loss. The last recorded use is item(), which takes only numbers:"
    )
    assert parameter(found, "net.bias").path == ("net.bias", "item()")
    assert found.source[parameter(found, "net.bias").line] == "seen = net(x).sum().item()"
    assert [p.name for p in found.parameters[::2]] == ["net.weight", "other.weight", "spare.weight"]


@engines
@pytest.mark.parametrize("used", ["", "net(x)\n"])
def test_a_parameter_of_which_a_new_leaf_was_made(T, used):
    _, names = traced(
        T, used + "h = net.weight.detach().requires_grad_()\nloss = (h * h).sum() + other(x).sum()"
    )
    found = trace(names["loss"], names_in(names), model={"net": names["net"]})
    weight = parameter(found, "net.weight")
    assert weight.reason == "The path to the loss ends at detach(). A new graph starts there."
    assert found.source[weight.line] == "h = net.weight.detach().requires_grad_()"


@engines
def test_data_is_no_cut(T):
    found, _ = traced(
        T,
        "with T.no_grad():\n    scaled = (x - x.mean()) / x.std()\nloss = net(scaled.detach()).sum()",
    )
    assert not any(edge.cut for edge in found.edges)
    assert [node.kind for node in found.nodes].count("severed") == 0
    assert [node.label for node in found.nodes if node.kind == "constant"] == ["scaled"]


# ---- modules -------------------------------------------------------------------------------------

NETWORK = """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 3))
        self.norm = nn.LayerNorm(3)
    def forward(self, x):
        return self.norm(x + self.inner(x)).tanh()
model = nn.Sequential(Block(), Block(), nn.Linear(3, 1))
loss = model(x).sum()
"""


def made_by(found):
    made = (node for node in found.nodes if node.kind == "operation")
    return [(node.name.removesuffix("Backward0"), node.module) for node in made]


@engines
def test_modules_of_a_recording(T):
    found, _ = traced(T, NETWORK)
    names = "T Addmm Relu T Addmm Add NativeLayerNorm Tanh".split()
    paths = [".inner.0"] * 2 + [".inner.1"] + [".inner.2"] * 2 + ["", ".norm", ""]
    blocks = [(name, f"model.{i}{path}") for i in (0, 1) for name, path in zip(names, paths)]
    assert made_by(found) == [*blocks, ("T", "model.2"), ("Addmm", "model.2"), ("Sum", "")]
    assert found.modules[2:6] == (
        ("model", "Sequential"),
        ("model.0", "Block"),
        ("model.0.inner", "Sequential"),
        ("model.0.inner.0", "Linear"),
    )


@engines
def test_a_module_that_the_caller_has_no_name_for(T):
    def forward():
        hidden = T.nn.Sequential(T.nn.Linear(3, 3), T.nn.Tanh())
        return hidden(T.ones(1, 3)).sum()

    with watching():
        loss = forward()
    found = report(loss, names=names_in({"loss": loss})).trace
    assert [m for _, m in made_by(found)] == ["0", "0", "1", ""]
    assert [p.name for p in found.parameters] == ["leaf 1", "leaf 2"]
    assert ("1", "Tanh") in found.modules


@engines
def test_gradients_that_were_taken_before_are_data(T):
    found, _ = traced(
        T, "y = net(x).sum()\ng, = T.autograd.grad(y, net.weight)\nloss = (other.weight * g).sum()"
    )
    assert not any(edge.cut for edge in found.edges)
    assert [node.label for node in found.nodes if node.kind == "constant"] == ["g"]
    found, _ = traced(
        T,
        "y = net(x).exp().sum()\ng, = T.autograd.grad(y, net.weight, create_graph=True)\n"
        "loss = (other.weight * g).sum()",
    )
    assert parameter(found, "net.weight").reason == ""
    assert all(node.value is not None for node in found.nodes), "its graph is recorded too"
