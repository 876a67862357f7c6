"""Lesson 01, recording the graph: what PyTorch answers to its exercises."""

import torch

import autograd_core

from ....parity.results import as_array
from ...excavation import buried
from ..check import function_exercise
from ..conduct import kind_of
from ..references import Function, Loss, Refused, pytorch_tensor


class Path(Loss):
    """A loss whose function leaves `.grad` to `backward()`."""

    def call(self, function, arguments):
        def loss_of(*leaves):
            loss = function(*leaves)
            if any(leaf.grad is not None for leaf in leaves):
                path = "make a path, and let the loss' `backward()` fill it"
                raise Refused(f"fills `.grad` itself: {path}")
            return loss

        return super().call(loss_of, arguments)


PAIRS = [(1.5, 0.0), (0.0, 1.5), (0.0, 0.0), (-2.0, 1e4), (2.0, -1e4), (3.0, 3.0)]

WRONG_PATHS = {
    "the value is right, but no path leads to `c`, so `c.grad` is None": lambda a, c: a**2,
    "the value is right, but the path to `c` has the factor 1": lambda a, c: a**2 + c - c.detach(),
    "the value must be that of `a ** 2` for every `c`": lambda a, c: a**2 + c,
    "the value must be that of `a ** 2`, but yours is multiplied by `c`": lambda a, c: a**2 * c,
    "the value must be that of `a ** 2`, but yours is always 0": lambda a, c: 0 * (a**2 + c),
    "the term `a ** 2` is missing": lambda a, c: 0 * c + 0 * a.detach(),
}

function_exercise(
    "01.1",
    tolerance=1e-9,
    loss=Path(lambda a, c: a**2 + 0 * c, {"a": (), "c": ()}, PAIRS, mistakes=WRONG_PATHS),
)


def _layers(network):
    """The name of each layer and the shapes of its parameters. `Identity` leaves no node, so the
    graph can't show it."""
    leaves = [part for part in network.modules() if not list(part.children())]
    layers = [(type(each).__name__, [list(p.shape) for p in each.parameters()]) for each in leaves]
    return [layer for layer in layers if layer[0] != "Identity"]


def _mistake(yours, theirs):
    """What is wrong with `yours`, as the end of a sentence about who builds it; "" if nothing is."""
    if yours == theirs:
        return ""
    if sorted(yours) == sorted(theirs):
        return "has the right layers in the wrong order: the graph begins at the loss"
    mine, linear = ([shapes for _, shapes in layers if shapes] for layers in (yours, theirs))
    bent, wanted = ([name for name, shapes in layers if not shapes] for layers in (yours, theirs))
    if len(mine) != len(linear):
        return f"has {len(mine)} layers with a weight: count `TBackward0`, each is a weight's"
    if len(bent) < len(wanted):
        return "lacks an activation: look for nodes without a leaf of their own"
    if len(bent) > len(wanted):
        return f"has more layers without a weight ({', '.join(bent)}) than the graph shows"
    for place, (shapes, right) in enumerate(zip(mine, linear), 1):
        if shapes[0] == right[0][::-1]:
            return f"has in and out exchanged in weight {place}: a weight is [out, in]"
        if shapes[0] != right[0]:
            return f"has {shapes[0]} as weight {place}: the graph shows another shape"
        if len(shapes) > len(right):
            return f"has a bias too many beside weight {place}: `MmBackward0` adds none"
        if len(shapes) < len(right):
            return f"lacks a bias beside weight {place}: `AddmmBackward0` adds one"
    return "has other layers than the graph tells of: the name of a node says what made it"


class Rebuilt(Function):
    """A reference for a function that builds `buried()` again, in either engine: its layers are
    compared, and, with the numbers that were in the graph, what it computes."""

    engines = (pytorch_tensor,)

    def call(self, function, arguments):
        network = function if hasattr(function, "parameters") else function()
        if network is ... or network is None:
            return network
        if not hasattr(network, "modules"):
            raise Refused(f"returns {kind_of(network)}, and a network is asked for")
        if mistake := _mistake(_layers(network), _layers(buried())):
            raise Refused(mistake)
        for parameter, found in zip(network.parameters(), buried().parameters()):
            parameter.detach().numpy()[...] = found.detach().numpy()
        engine = torch if isinstance(network, torch.nn.Module) else autograd_core
        return as_array(network(engine.tensor(as_array(arguments[0]), dtype=engine.float32)))


function_exercise(
    "01.2", tolerance=1e-5, network=Rebuilt(lambda x: buried()(x.float()), {"x": (6, 3)})
)
