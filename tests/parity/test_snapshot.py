"""A failed cell leaves no trace: names, tensors, gradients, modules, optimizers, containers, random numbers."""

import os
import random
import re
import signal
import warnings

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.parity.both import Session
from autograd_core.parity.compare import ParityError
from autograd_core.parity.snapshot import Snapshot
from tests.budget import PROVE

STATE = """
T.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
net.register_buffer('count', T.zeros(2))
net.history = [1, 2]
opt = optim.Adam(net.parameters(), lr=0.1)
net(T.ones(4, 2)).sum().backward()
opt.step()
x = T.tensor([1.0, 2.0], requires_grad=True)
y = x * x
plain = T.ones(2, 2)
view = plain[0]
flat = T.ones(2)
xs, d, s = [1, [2, 3]], {'k': [T.ones(1)]}, {1, 2}
import numpy as np, random
from collections import deque
array = np.arange(6.0).reshape(2, 3)
queue = deque([1, 2], maxlen=3)
own = random.Random(1)
rng = np.random.default_rng(1)
generator = T.Generator().manual_seed(1)
class Counter:
    def __init__(self):
        self.n, self.seen = 0, []
counter = Counter()
both = (counter, [xs])
import io, os, types, warnings, functools
def total(x, seen=[]):
    seen.append(x)
def counting():
    n = 0
    def count():
        nonlocal n
        n += 1
    return count
count = counting()
class Slotted:
    __slots__ = ('n',)
slotted = Slotted()
slotted.n = 1
class OwnList(list):
    pass
own_list = OwnList([1])
space, data, stream, iterator = types.SimpleNamespace(n=1), bytearray(b'a'), io.StringIO(), iter([1, 2, 3])
part = functools.partial(print, [1])
masked = np.ma.array([1.0, 2.0], mask=[0, 1])
loader = T.utils.data.DataLoader([1, 2, 3, 4, 5, 6], shuffle=True, generator=T.Generator().manual_seed(3))
flat_leaf = T.ones(2, requires_grad=True)
"""

# What a failing cell does, each after all before it, and what it must not be seen to have done: expressions whose text is compared.
CHANGES = {
    "a new name": ("new = 1", "'new' in globals()"),
    "numbers of a tensor": ("plain.mul_(3)", "plain, view, plain._version"),
    "numbers through a view": ("view[0] = 9", "plain, view"),
    "numbers through data": ("x.data[0] = 9", "x"),
    "other memory": ("plain.data = T.zeros(3)", "plain, view, view.data.add_(1), plain, view.data.sub_(1)"),
    "another dtype": ("plain.data = plain.data.double()", "plain.dtype, plain"),
    "a gradient": ("(x * x).sum().backward()", "x.grad"),
    "a gradient on top of another": ("net(T.ones(1, 2)).sum().backward()", "[p.grad for p in net.parameters()]"),
    "gradients cleared": ("opt.zero_grad()", "[p.grad for p in net.parameters()]"),
    "gradients set to zero": ("opt.zero_grad(set_to_none=False)", "[p.grad for p in net.parameters()]"),
    "a plain tensor that joins a graph": ("flat.mul_(x)", "flat, flat.requires_grad, flat.grad_fn, flat._version"),
    "requires_grad of a plain tensor": ("flat.requires_grad_()", "flat.requires_grad"),
    "a tensor that leaves its graph": ("xs.append(y.detach())", "xs, y"),
    "a saved tensor": ("plain.add_(1)\nx.data.add_(1)", "plain._version, x._version"),
    "a parameter": ("net[0].weight.data.fill_(1)", "net[0].weight"),
    "another parameter": ("net[0].weight = nn.Parameter(T.zeros(3, 2))", "net[0].weight, len(opt.param_groups[0]['params'])"),
    "another layer": ("net.add_module('more', nn.ReLU())", "net"),
    "a buffer": ("net.count += 1", "net.count"),
    "training": ("net.eval()", "net.training, net[1].training"),
    "an attribute of a module": ("net.history.append(3)\nnet.extra = 1", "net.history, hasattr(net, 'extra')"),
    "an optimizer step": ("opt.step()", "list(net.parameters()), list(opt.state.values())"),
    "settings of the optimizer": ("opt.param_groups[0]['lr'] = 9", "opt.param_groups[0]['lr']"),
    "optimizer state": ("opt.state.clear()", "list(opt.state.values())"),
    "a list in a list": ("xs[1].append(4)\nxs.pop(0)", "xs, both[1][0]"),
    "a dict": ("d['k'].append(1)\nd['j'] = 2", "d"),
    "a tensor in a dict": ("d['k'][0].add_(1)", "d"),
    "a set": ("s.add(3)\ns.discard(1)", "s"),
    "a deque": ("queue.extend([3, 4])", "queue"),
    "an array": ("array[0] = 9", "array"),
    "an object of the learner": ("counter.n += 1\ncounter.seen.append(1)\ncounter.more = 1", "vars(counter), vars(both[0])"),
    "random numbers": ("T.rand(3)\nT.manual_seed(5)", "T.rand(3)"),
    "random numbers of Python": ("random.random()", "random.random()"),
    "random numbers of NumPy": ("np.random.rand()", "np.random.rand()"),
    "own generators": ("own.random(), rng.random(), T.rand(2, generator=generator)",
                       "own.random(), rng.random(), T.rand(2, generator=generator)"),
    "a class attribute": ("Counter.n = 5\nCounter.more = 1", "getattr(Counter, 'n', 0), hasattr(Counter, 'more')"),
    "a method": ("Counter.__repr__ = lambda self: 'changed'", "Counter.__repr__(counter) == 'changed'"),
    "a function's attribute": ("total.n = 5", "vars(total)"),
    "a default argument": ("total(1)", "total.__defaults__"),
    "a closure": ("count()", "count.__closure__[0].cell_contents"),
    "a slot": ("slotted.n = 5", "slotted.n"),
    "a namespace": ("space.n = 5\nspace.more = 1", "space"),
    "bytes": ("data.append(1)", "data"),
    "a stream": ("stream.write('more')", "stream.getvalue(), stream.tell()"),
    "an iterator": ("next(iterator)", "next(iterator)"),
    "a subclass of list": ("own_list.append(2)\nown_list.n = 3", "list(own_list), vars(own_list)"),
    "a partial": ("part.args[0].append(2)", "part.args"),
    "a mask": ("masked.mask[0] = True", "masked"),
    "the generator of a loader": ("list(loader)", "[[i.tolist() for i in batch] for batch in loader]"),
    "a hook on a leaf": ("x.register_hook(lambda g: g * 2)", "T.autograd.grad((x * 1).sum(), x)"),
    "a hook on a result": ("y.register_hook(lambda g: g * 2)", "T.autograd.grad(y.sum(), x, retain_graph=True)"),
    "a hook after accumulation": ("flat_leaf.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(3))",
                                  "(flat_leaf * 1).sum().backward(), flat_leaf.grad"),
    "anomaly mode": ("T.autograd.set_detect_anomaly(True)", "T.is_anomaly_enabled()"),
    "the environment": ("os.environ['AUTOGRAD_TEST'] = '1'", "os.environ.get('AUTOGRAD_TEST')"),
    "filters of warnings": ("warnings.simplefilter('error')", "warnings.filters[0][0]"),
    "the engine's functions": ("T.exp = T.sin\nF.more = 1", "T.exp(T.ones(1)), hasattr(F, 'more')"),
    "the default dtype": ("T.set_default_dtype(T.float64)", "T.ones(1).dtype"),
    "recording": ("T.set_grad_enabled(False)", "(x * 2).requires_grad"),
    "requires_grad": ("x.requires_grad_(False)", "x.requires_grad, (x * 2).requires_grad"),
    "a name bound anew": ("xs = 3", "xs"),
    "a deleted name": ("del x", "x"),
}

FAILURES = {
    "raises": ("raise ValueError('on purpose')", "", ValueError),
    "differs": ("wrong = T.__name__", "", ParityError),
    "raises on one engine": ("if T.__name__ == 'torch':\n    raise ValueError('on purpose')", "", ParityError),
    "does not raise": ("pass", "raises ValueError", ParityError),
    "is interrupted": ("raise KeyboardInterrupt", "", KeyboardInterrupt),
}


@pytest.fixture(autouse=True)
def settings_of_the_engines():
    filters, exp = list(warnings.filters), [(engine, engine.exp) for engine in (autograd_core, torch)]
    yield
    os.environ.pop("AUTOGRAD_TEST", None)
    warnings.filters[:] = filters
    for engine, function in exp:
        engine.exp = function
        engine.inference_mode(False).__enter__()
        engine.autograd.set_detect_anomaly(False)
        engine.set_default_dtype(engine.float32)
        engine.set_grad_enabled(True)


def looks(side, expression):
    """The text of `expression` on one side."""
    return repr(eval(expression, dict(side.namespace)))


def session_with_state():
    """A session after STATE, the same each time."""
    random.seed(0)
    np.random.seed(0)
    session = Session(autograd_core, torch, {})
    session.run(STATE)
    return session


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_cell_changes_nothing(failure):
    """All changes, one cell for each or one for all: then every probe looks as in a session without the failed cells."""
    ending, line, error = FAILURES[failure]
    untouched = session_with_state()
    expected = [[looks(side, probe) for side in (untouched.ours, untouched.theirs)] for _, probe in CHANGES.values()]
    session = session_with_state()
    before = [dict(side.namespace) for side in (session.ours, session.theirs)]
    changes = [change for change, _ in CHANGES.values()]
    for cell in changes if PROVE or failure == "raises" else ["\n".join(changes)]:
        with pytest.raises(error):
            session.run(f"{cell}\n{ending}", line)
    for side, namespace in zip((session.ours, session.theirs), before):
        assert side.namespace.keys() == namespace.keys()
        assert all(side.namespace[name] is value for name, value in namespace.items())
    for (name, (_, probe)), texts in zip(CHANGES.items(), expected):
        assert [looks(side, probe) for side in (session.ours, session.theirs)] == texts, name


@pytest.mark.parametrize("change", CHANGES)
def test_each_probe_sees_its_change(change):
    """The test above can fail: a cell that does not fail shows each change to its probe."""
    do, probe = CHANGES[change]
    expected = looks(session_with_state().ours, probe)
    session = session_with_state()
    session.run(do + "\nNone")
    try:
        assert looks(session.ours, probe) != expected
    except NameError as error:
        assert change == "a deleted name" and "'x'" in str(error)


def test_a_failed_cell_does_not_make_an_old_graph_stale():
    session = Session(autograd_core, torch, {})
    session.run("x = T.tensor([1.0], requires_grad=True)\nw = T.ones(1)\nloss = (x * w).sum()")
    with pytest.raises(ValueError):
        session.run("w.add_(1)\nraise ValueError")
    session.run("loss.backward()")
    assert session.ours.namespace["x"].grad.item() == 1


LASTING = {
    "a freed graph": ("loss.backward()", "the graph of y \\(freed by backward\\), the graph of loss \\(freed by backward\\)"),
    "an in-place change": ("y.mul_(3)", "y \\(changed in place\\)"),
    "retain_grad": ("y.retain_grad()", "y \\(retain_grad\\)"),
}


@pytest.mark.parametrize("name", LASTING)
def test_what_pytorch_cannot_take_back_is_named_and_is_the_same_on_both_sides(name):
    change, named = LASTING[name]
    session = Session(autograd_core, torch, {})
    session.run("x = T.tensor([1.0, 2.0], requires_grad=True)\ny = x.exp()\nloss = (y * x).sum()\nz = (x * x).sum()")
    with pytest.raises(ValueError) as caught:
        session.run(f"{change}\nz * 1\nraise ValueError")
    assert re.fullmatch(f"Not as before the cell: {named}.", caught.value.__notes__[-1]), caught.value.__notes__
    report, _ = session.run(f"{change}\nraise RuntimeError" if change != "loss.backward()" else "loss.backward()", "raises RuntimeError")
    session.run("u = y.sum()\nv = y * 1")                # compared: the same numbers and the same graph
    session.run("g = T.autograd.grad(z, x)")
    session.run("z = (y * 2).sum()" if change != "y.retain_grad()" else "u.backward()\ngrads = x.grad, y.retains_grad and y.grad")


def test_the_report_of_an_expected_exception_names_what_is_not_as_before():
    session = Session(autograd_core, torch, {})
    session.run("x = T.ones(2, requires_grad=True)\nloss = x.exp().sum()")
    report, _ = session.run("loss.backward()\nloss.backward()", "raises RuntimeError")
    assert report.line() == ("both engines raise RuntimeError; the state is as before the cell, "
                             "but for the graph of loss (freed by backward)")
    report, _ = session.run("loss.backward()", "raises RuntimeError")          # it was freed before this cell
    assert report.line() == "both engines raise RuntimeError; the state is as before the cell"


def test_a_second_interrupt_waits_until_all_is_restored(monkeypatch, request):
    given = signal.signal(signal.SIGINT, signal.default_int_handler)        # who starts the tests in the background ignores it
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, given))
    session = session_with_state()
    untouched = [looks(side, "plain, xs") for side in (session.ours, session.theirs)]
    restore, seen = Snapshot.restore, []

    def interrupted(snapshot, *args, **kwargs):
        signal.raise_signal(signal.SIGINT)
        restore(snapshot, *args, **kwargs)
        seen.append(snapshot)
    monkeypatch.setattr(Snapshot, "restore", interrupted)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        session.run("plain.mul_(3)\nxs.append(3)\nimport signal\nsignal.raise_signal(signal.SIGINT)")
    assert len(seen) == 2 and signal.getsignal(signal.SIGINT) is before
    assert [looks(side, "plain, xs") for side in (session.ours, session.theirs)] == untouched
