"""The engine publishes what happens. Whoever watches subscribes; no function of the engine is
replaced for it.
"""

import sys
import types

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.core.recording import recording
from autograd_core.parity import watching
from autograd_core.parity.both import Session
from autograd_core.trace import Tape, trace
from tests.test_house import ENGINE

T = autograd_core


def functions():
    """{where it is called from: the function or class, and its code}: all that a caller can reach
    in the engine's rooms.
    """
    found = {}
    rooms = [
        module
        for name, module in [*sys.modules.items()]
        if name.partition(".")[0] == "autograd_core"
        and (name.split(".")[1:2] or ["__init__"])[0] in {*ENGINE, "__init__"}
    ]
    for module in rooms:
        for name, value in vars(module).items():
            if isinstance(value, (types.FunctionType, type)):
                found[module.__name__, name] = value, getattr(value, "__code__", None)
            if isinstance(value, type) and value.__module__.startswith("autograd_core"):
                found.update(
                    {
                        (module.__name__, name, attribute): (
                            method,
                            getattr(method, "__code__", None),
                        )
                        for attribute, method in vars(value).items()
                        if not attribute.startswith("__abc")
                    }
                )
            if isinstance(value, types.SimpleNamespace):
                found.update(
                    {
                        (module.__name__, name, key): (entry, entry.__code__)
                        for key, entry in vars(value).items()
                        if isinstance(entry, types.FunctionType)
                    }
                )
    return found


def replaced(before, after):
    return [
        where
        for where in before
        if where not in after
        or any(old is not new for old, new in zip(before[where], after[where]))
    ]


def program(T, seen):
    """A step of training that looks around in the middle of its forward and of its backward."""
    T.manual_seed(0)
    model = T.nn.Sequential(T.nn.Linear(2, 3), T.nn.Tanh(), T.nn.Linear(3, 1))
    optimizer = T.optim.Adam(model.parameters())
    loss = (model(T.ones(4, 2)) ** 2).mean()
    seen.append(functions())
    loss.register_hook(lambda gradient: seen.append(functions()))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss


def under_a_tape(seen):
    with Tape().recording():
        program(T, seen)


def watched(seen):
    with watching():
        loss = program(T, seen)
    trace(loss)


def traced_twice(seen):
    with Tape().recording(), Tape().recording():
        trace(program(T, seen))


def in_anomaly_mode(seen):
    with T.autograd.set_detect_anomaly(True):
        program(T, seen)


def in_a_cell(seen):
    session = Session(autograd_core, torch, {})
    session.run("from tests.trace.test_events import program\nseen = []\nprogram(T, seen)")
    seen += session.ours.namespace["seen"]


def with_gradcheck(seen):
    x = T.tensor(np.ones(3), requires_grad=True)

    def looks(x):
        seen.append(functions())
        return x.exp()

    assert T.autograd.gradcheck(looks, (x,))


@pytest.mark.parametrize(
    "watch", [under_a_tape, watched, traced_twice, in_anomaly_mode, in_a_cell, with_gradcheck]
)
def test_nothing_of_the_engine_is_replaced(watch):
    program(T, [])  # what is imported at the first use is there
    seen, before = [], functions()
    watch(seen)
    assert len(seen) >= 2 and len(before) > 2000
    assert [replaced(before, there) for there in (*seen, functions())] == [[]] * (len(seen) + 1)
    assert recording.state == (True, ())


@pytest.mark.parametrize(
    "owner, name",
    [
        (autograd_core.ops.arithmetic, "mul"),
        (autograd_core.Tensor, "__mul__"),
        (autograd_core.ops.table.numpy_ops, "add"),
    ],
)
def test_a_planted_replacement_is_found(monkeypatch, owner, name):
    before, kept = functions(), getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *args: kept(*args))
    assert replaced(before, functions())


def test_a_planted_swap_of_code_is_found(monkeypatch):
    before = functions()
    monkeypatch.setattr(
        autograd_core.core.engine.run, "__code__", (lambda *args, **named: None).__code__
    )
    assert len(replaced(before, functions())) >= 1
