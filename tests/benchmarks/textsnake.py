"""The TextSnake head of lesson 09, and the training loop of lesson 10: the functions are those of
the lessons' own cells.
"""

import ast
import functools
import importlib
import json
from pathlib import Path

from . import inputs

TRAPS, DETECTOR = "09_traps_in_one_loss.ipynb", "10_train_a_detector.ipynb"


@functools.cache
def cells(notebook):
    """The parsed `%%both` cells of a lesson."""
    text = (Path(__file__).parents[2] / "notebooks" / notebook).read_text(encoding="utf-8")
    sources = ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
    return [
        ast.parse(source.partition("\n")[2])
        for source in sources
        if source.startswith("%%both") and not source.startswith("%%both raises")
    ]


def lesson(notebook, engine, *values):
    """The functions of a lesson on one engine, and those of its values that are named: {name:
    object}.
    """
    T = importlib.import_module(engine)
    space = {"T": T, "F": T.nn.functional, "nn": T.nn, "optim": T.optim}
    for cell in cells(notebook):
        body = [
            line
            for line in cell.body
            if isinstance(line, (ast.Import, ast.ImportFrom, ast.FunctionDef))
            or isinstance(line, ast.Assign)
            and getattr(line.targets[0], "id", None) in values
        ]
        exec(compile(ast.Module(body, []), notebook, "exec"), space)
    return space


def head(engine, dtype, count, side, lr):
    """A training step of the head alone: two convolutions, five losses, every gradient, also that
    of the features.
    """
    T, here = importlib.import_module(engine), lesson(TRAPS, engine)
    numbers, features = inputs.head(count, side, dtype)
    net = T.nn.Sequential(T.nn.Conv2d(16, 16, 3, padding=1), T.nn.Conv2d(16, 7, 1)).to(
        getattr(T, dtype)
    )
    parameters = list(net.parameters())
    with T.no_grad():
        for parameter, array in zip(parameters, numbers):
            parameter.copy_(T.from_numpy(array))
    features = T.from_numpy(features).requires_grad_()
    crops = here["tensors"](inputs.crops(count, side, dtype))
    optimizer = T.optim.SGD(parameters, lr=lr)

    def step(_):
        optimizer.zero_grad()
        features.grad = None
        sum(here["mended"](net(features), crops).values()).backward()
        optimizer.step()

    return [step], lambda: [p.grad.numpy() for p in (*parameters, features)]


def loop(engine, dtype, steps):
    """The lesson's `train()`: its network, crops and optimizer, the pictures it takes on the way.
    float64 alone.
    """
    here, nets = lesson(DETECTOR, engine, "held_out", "shown", "few"), []
    here |= {"STEPS": steps - 1, "EVERY": 15, "progress": lambda steps, label: steps}

    def train(_):
        nets[:] = [here["train"]()[1]]

    return [train], lambda: [p.grad.numpy() for p in nets[0].parameters()]
