"""The sentences of `report` about faulty programs, and their silence about the fixed twins."""

import re
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import autograd_core
from autograd_core import follow, report, watching
from autograd_core.trace.sentences import ERRORS, FIXES, FOLLOW, REFUSED
from notebooks.authoring.find_your_error import read, records

engines = pytest.mark.parametrize("T", [autograd_core, torch], ids=["autograd_core", "PyTorch"])
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
# {program: (sentences of the report, the fixed lines)}. `model`, `other`, `opt` and `x` are given.
PROGRAMS = {
    """loss = T.tensor(model(x).mean().item())""": (
        ["no graph    This loss does not require grad", "is item(), which", "without item()"],
        "loss = model(x).mean()",
    ),
    """losses = [model(x).mean(), model(x).sum()]
loss = T.tensor(losses).sum()""": (
        ["last recorded use is torch.tensor()", "loss = T.tensor(losses).sum()", "torch.stack()"],
        "losses = [model(x).mean(), model(x).sum()]\nloss = T.stack(losses).sum()",
    ),
    """with T.no_grad():
    loss = model(x).mean()
loss.requires_grad_()""": (
        ["no graph    This loss is a leaf", "without requires_grad_()", "ends at no_grad()."],
        "loss = model(x).mean()",
    ),
    """loss = other(model(x).detach()).mean()""": (
        [
            "cut         Sequential.0.weight, ",
            "ends at detach().",
            "Remove detach() if these should learn (lesson 01, find_your_error.md#only_last_layer_learns)",
        ],
        "loss = other(model(x)).mean()",
    ),
    """loss = ((model(x) > 0) * other(x)).mean()""": (
        ["ends because gt is not differentiable.", "such as softmax or sigmoid (lesson 06, "],
        "loss = (T.sigmoid(model(x)) * other(x)).mean()",
    ),
    """h = T.zeros(3, 2)
for _ in range(2):
    h = T.tanh(model(x + h))
    loss = h.mean()
    if _ == 0: loss.backward()""": (
        [
            "an earlier step, through h, computed by h = T.tanh(model(x + h))",
            "h = h.detach() (lesson 04, ",
        ],
        "h = T.zeros(3, 2)\nfor _ in range(2):\n    h = T.tanh(model(x + h.detach()))\nloss = h.mean()",
    ),
    """h = T.zeros(3, 2)
for _ in range(3):
    h = T.tanh(model(x + h))
    loss = h.mean()
    if _ < 2: loss.backward(retain_graph=True); opt.step()""": (
        [
            "an earlier step, through h, computed by",
            "have changed since",
            "h = h.detach() (lesson 04, ",
        ],
        "h = T.tanh(model(x)).detach()\nopt.step()\nloss = T.tanh(model(x + h)).mean()",
    ),
    """scale = T.exp(model(x))
(scale * x).mean().backward()
loss = (scale * other(x)).mean()""": (
        ["contains scale, computed by scale = T.exp(model(x))", "Compute it again"],
        "(T.exp(model(x)) * x).mean().backward()\nloss = (T.exp(model(x)) * other(x)).mean()",
    ),
    """y = T.exp(model(x))
loss, first = y.mean(), (y * y).mean()
first.backward()""": (
        ["This loss and another one share y, computed by y", "Add both losses"],
        "y = T.exp(model(x))\nloss = y.mean() + (y * y).mean()",
    ),
    """fake = other(x)
first, loss = model(fake.detach()).mean(), (model(fake) ** 2).mean()
first.backward()
opt.step()""": (
        ["changed parameters that this loss needs, after", "(lesson 05, "],
        "fake = other(x)\nmodel(fake.detach()).mean().backward()\nopt.step()\n"
        "loss = (model(fake) ** 2).mean()",
    ),
    """model(x).mean().backward()
loss = (model(other(x)) ** 2).mean()
opt.step()""": (
        ["opt.step() changed parameters before", "Call backward() before step()"],
        "loss = (model(other(x)) ** 2).mean()",
    ),
    """y = T.exp(model(x))
y += 1
loss = y.mean()""": (
        ["backward    A saved tensor was modified", "in place    ExpBackward0", "not h += 1"],
        "y = T.exp(model(x))\ny = y + 1\nloss = y.mean()",
    ),
}


def reported(T, program):
    """The report on `loss`, which `program` computes inside watching()."""
    T.manual_seed(0)
    model, other = (T.nn.Sequential(T.nn.Linear(2, 2), T.nn.Tanh()) for _ in range(2))
    opt = T.optim.SGD(model.parameters(), lr=0.1)
    space = {"T": T, "model": model, "other": other, "opt": opt, "x": T.ones(3, 2)}
    space |= {"watching": watching, "report": report}
    lines = "".join(f"    {line}\n" for line in program.splitlines())
    code = f"with watching():\n{lines}found = report(loss, [model, other])\n"
    name = f"<cell {hash(code)}>"
    import linecache

    linecache.cache[name] = len(code), None, code.splitlines(True), name
    exec(compile(code, name, "exec"), space)
    return space["found"]


@engines
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_fault_has_its_sentence_and_the_fixed_twin_has_none(T, program):
    words, fixed = PROGRAMS[program]
    text = str(reported(T, program))
    for each in words:
        assert each in text, text
    assert "retain_graph" not in re.sub(r"\.backward\(retain_graph=True\)", "", text)
    assert text.count("cannot tell") <= 1 and "Backward is not known" not in text
    twin = str(reported(T, fixed))
    if "backward    " in text:
        with pytest.raises(AssertionError, match="found: cut"):
            reported(T, program).raise_if(cut=True)
    assert "\nbackward " not in twin and "\ncut " not in twin and "\nno graph" not in twin, twin


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out, self.state = nn.LSTM(2, 3, batch_first=True), nn.Linear(3, 1), None

    def forward(self, x):
        y, self.state = self.rnn(x, self.state)
        return self.out(y)


@pytest.mark.parametrize("retain", [False, True])
@pytest.mark.parametrize("whole", [False, True], ids=["one step", "both steps"])
def test_a_state_in_an_attribute_is_named(retain, whole):
    net, x = Recurrent(), torch.ones(2, 4, 2)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    if not whole:
        net(x).mean().backward(retain_graph=retain)
        opt.step()
    with watching():
        if whole:
            net(x).mean().backward(retain_graph=retain)
            opt.step()
        loss = net(x).mean()
    found = report(loss, net)
    assert "through net.state[0] and net.state[1], " in str(found) and "(lesson 04, " in str(found)
    assert "net.state = tuple(t.detach() for t in net.state)" in found.trace.note
    net.state = tuple(t.detach() for t in net.state)
    assert "6 trained" in report(net(x).mean(), net).line


def test_a_step_outside_watching_is_not_blamed_on_an_activation():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    with watching():
        h = model(torch.ones(3, 2))
        first, loss = h.mean(), (h * h).mean()
    first.backward(retain_graph=True)
    opt.step()
    text = str(report(loss, model))
    assert "outside watching(), probably step(), changed parameters" in text
    assert "(Sequential.1.weight)" in text and "inplace=True" not in text


def test_a_reentrant_checkpoint_is_no_no_grad():
    block, head, x = nn.Linear(3, 3), nn.Linear(3, 1), torch.ones(2, 3)
    with watching():
        loss = head(checkpoint(block, x, use_reentrant=True)).mean()
    text = str(report(loss, [block, head]))
    assert "ends at a checkpoint with use_reentrant=True" in text and "no_grad()" not in text
    with watching():
        loss = head(checkpoint(block, x, use_reentrant=False)).mean()
    assert "4 trained, 0 cut" in str(report(loss, [block, head]))


@engines
def test_a_report_inside_anomaly_mode(T):
    x = T.tensor([0.0, 1.0], requires_grad=True)
    with T.autograd.set_detect_anomaly(True):
        with watching():
            loss = (x.sqrt() * 0).sum()
        assert "First nan at SqrtBackward0, backward" in report(loss).line
        with pytest.raises(RuntimeError, match="returned nan values"):
            loss.backward()


def test_a_report_leaves_the_next_error_of_ddp_alone(tmp_path):
    class Net(nn.Linear):
        def __init__(self):
            super().__init__(3, 1)
            self.unused = nn.Linear(3, 1)

    store = f"file://{tmp_path}/store"
    torch.distributed.init_process_group("gloo", init_method=store, rank=0, world_size=1)
    try:
        net = nn.parallel.DistributedDataParallel(Net())
        for _ in range(2):
            with pytest.raises(RuntimeError, match="finished reduction") if _ else watching():
                loss = net(torch.ones(2, 3)).mean()
            assert "2 not reached" in report(loss, net).line
            if not _:
                loss.backward()
                assert net.module.weight.grad is not None
    finally:
        torch.distributed.destroy_process_group()


@engines
def test_follow_and_report_agree_on_one_run(T):
    """`report` runs a pass of its own while `follow` counts the passes of the loop."""
    model, x = T.nn.Linear(2, 1), T.ones(3, 2)
    opt = T.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    with follow(model, opt) as history:
        for _ in range(3):
            opt.zero_grad()
            loss = model(x).square().mean()
            loss.backward(retain_graph=True)
            assert "hook" not in str(report(loss, model))
            losses.append(loss.item())
            opt.step()
    assert history.loss.tolist() == pytest.approx(losses) and not history.surprises()


LESSON = re.compile(r"\((lesson (\d\d)|the day after)(, find_your_error\.md#(\w+))?\)\.?$")


def wrong_ends(sentences, rows):
    """The sentences that don't end with a lesson and an error's row that exist."""
    for text in sentences:
        found = LESSON.search(text)
        lesson, row = found.group(2, 4) if found else ("none", "")
        is_there = not lesson or any(NOTEBOOKS.glob(f"{lesson}_*.ipynb"))
        if not is_there or row and row not in rows:
            yield text


def test_each_sentence_ends_with_a_lesson_and_a_row_that_exist():
    rows = {record["id"] for record in records(read())}
    assert [*wrong_ends([*FIXES.values(), *FOLLOW.values()], rows)] == []
    assert ERRORS.keys() | REFUSED.keys() <= FIXES.keys()
    assert [*wrong_ends([FIXES["no graph"]], rows - {"no_graph_item"})], "a renamed row is found"
    assert [*wrong_ends(["Do it (lesson 77)."], rows)] and [*wrong_ends(["Do it."], rows)]
