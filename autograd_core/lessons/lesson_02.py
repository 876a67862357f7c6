"""Lesson 02: the backward pass that the learner runs by hand."""

import linecache
from typing import Any

from ..parity.torch_tape import TorchTape
from ..trace import Tape, Trace, names_in, trace
from ..widgets import GraphView, watch

LEAVES = {"a": 2.0, "b": -0.5, "c": 0.3}
PROGRAM = """u = a * b
v = torch.sigmoid(u + c)
loss = u * v"""
FILE = "<lesson 02>"  # where the program is for the trace, which looks its lines up
NODES = 4  # of the program that run forward before its loss


def run_it(one_path_more: bool = False) -> GraphView:
    """The step view of `loss = u * v`, where `u = a * b` and `v = sigmoid(u + c)`, as both engines
    computed it. `one_path_more` adds `u` to the loss."""
    import torch

    import autograd_core

    program = f"{PROGRAM} + u" if one_path_more else PROGRAM
    ours, theirs = (traced(engine, program) for engine in (autograd_core, torch))
    return watch(ours, theirs, title="The backward pass", event=NODES + one_path_more + 1)


def traced(T: Any, program: str) -> Trace:
    """The trace of a program on one engine, with its values and source lines."""
    linecache.cache[FILE] = len(program), None, program.splitlines(True), FILE
    names = {name: T.tensor(value, requires_grad=True) for name, value in LEAVES.items()}
    with (tape := TorchTape() if T.__name__ == "torch" else Tape()).recording():
        exec(compile(program, FILE, "exec"), {"torch": T}, names)
        names["loss"].backward()
    return trace(names["loss"], names_in(names), tape)
