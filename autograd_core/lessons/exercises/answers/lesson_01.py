"""Lesson 01, recording the graph: the references of its exercises."""

import torch

import autograd_core

from ....parity.results import as_array
from ....trace.nodes import is_leaf, walk
from ....widgets.kit.format import number
from ...excavation import bare_loss, buried
from ..check import exercise, function_exercise
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
    "the value is right, but no path leads to `c`, so `c.grad` is None. `detach()` and `item()` drop a path": lambda a, c: (
        a**2
    ),
    "the value is right, but the path to `c` has the factor 1, and so `c.grad` is 1": lambda a, c: (
        a**2 + c - c.detach()
    ),
    "the value has to be `a ** 2` for every `c`": lambda a, c: a**2 + c,
    "the value has to be `a ** 2`, but yours is multiplied by `c`": lambda a, c: a**2 * c,
    "both gradients are 0, but so is the value": lambda a, c: 0 * (a**2 + c),
    "the term `a ** 2` is missing": lambda a, c: 0 * c + 0 * a.detach(),
}

function_exercise(
    "01.1",
    tolerance=1e-9,
    loss=Path(lambda a, c: a**2 + 0 * c, {"a": (), "c": ()}, PAIRS, mistakes=WRONG_PATHS),
)


class Net(Function):
    """A reference for a class of networks: its `parameters()` lists all that the loss reaches."""

    subject, engines = "Your network", (pytorch_tensor,)

    def call(self, function, arguments):
        net = function()
        if not hasattr(net, "parameters"):
            raise Refused(f"is {kind_of(net)}: pass the class, without calling it")
        loss = net(arguments[0].float()).mean()
        reached = [node.variable for node in walk(loss.grad_fn) if is_leaf(node)]
        listed = [*map(id, net.parameters())]
        missing = [each for each in reached if id(each) not in listed]
        counts = (
            f"the loss reaches {len(reached)} parameters, and `parameters()` lists {len(listed)}"
        )
        if missing and isinstance(getattr(net, "hidden", None), list):
            return ...  # as in the stub
        if missing:
            only = "A module registers only what is assigned to its attributes"
            raise Refused(f"isn't trained as a whole: {counts}. {only}, not what a list contains")
        if len(reached) != 6:
            raise Refused(f"has lost layers: {counts}. Keep both hidden layers")
        return as_array(len(listed))

    def praise(self, seen, tolerance):
        return "The loss reaches 6 parameters, and `parameters()` lists the same 6."


SLIPS = {
    "is not iterable": "has a single layer in `hidden`, but `forward` needs several: TypeError, 'Linear' object is not iterable",
    "takes from 1 to 2 positional": "raises TypeError: `nn.ModuleList` takes one list of layers",
    "shapes cannot be multiplied": "calls the last layer with 2 inputs, but it takes 3. Keep `forward`: only the line of `self.hidden` is wrong",
}
function_exercise("01.2", net=Net(lambda x: torch.tensor(6), {"x": (4, 2)}, random=1, slips=SLIPS))


def _layers(network):
    """The name of each layer and the shapes of its parameters, without layers that leave no node,
    because the graph can't show them."""
    leaves = [part for part in network.modules() if not list(part.children())]
    layers = [(type(each).__name__, each) for each in leaves]
    return [
        (name, [list(p.shape) for p in each.parameters()])
        for name, each in layers
        if name != "Identity" and (name != "Dropout" or each.training)
    ]


def _mistake(yours, theirs):
    """What is wrong with `yours`, as the end of a sentence about the network; "" if nothing is."""
    if yours == theirs:
        return ""
    if sorted(yours) == sorted(theirs):
        order = "the print starts at the loss, so the first layer is the deepest"
        return f"has the right layers in the wrong order: {order}"
    mine, linear = ([shapes for _, shapes in layers if shapes] for layers in (yours, theirs))
    bent, wanted = ([name for name, shapes in layers if not shapes] for layers in (yours, theirs))
    if len(mine) != len(linear):
        count = "each weight has one `TBackward0`, its transpose, and one product above it"
        return f"has {len(mine)} layers with a weight, and the graph has {len(linear)}: {count}"
    if len(bent) < len(wanted):
        no_leaf = (
            "`TanhBackward0` and `ReluBackward0` have no parameter, but they are operations too"
        )
        return f"lacks an activation: {no_leaf}"
    if len(bent) > len(wanted):
        return f"has more layers without a weight ({', '.join(bent)}) than the graph shows"
    for place, (shapes, right) in enumerate(zip(mine, linear), 1):
        if shapes[0] == right[0][::-1]:
            return f"has in and out exchanged in weight {place}: a weight is printed as [out, in]"
        if shapes[0] != right[0]:
            return f"has {shapes[0]} as weight {place}, and the graph shows another shape"
        if len(shapes) > len(right):
            return (
                f"has a bias too many in layer {place}: `MmBackward0` multiplies and adds nothing"
            )
        if len(shapes) < len(right):
            return f"lacks a bias in layer {place}: `AddmmBackward0` adds one"
    return "has other layers than the graph: a node is named after the operation that recorded it"


class Rebuilt(Function):
    """A reference for a function that builds `buried()` again, in either engine: its layers are
    compared. With the parameters that the graph holds, its loss is computed again."""

    subject, engines = "Your network", (pytorch_tensor,)

    def call(self, function, arguments):
        network = function if hasattr(function, "parameters") else function()
        if network is ... or network is None:
            return network
        if not hasattr(network, "modules"):
            raise Refused(f"is {kind_of(network)}: return an `nn.Sequential`")
        if mistake := _mistake(_layers(network), _layers(buried())):
            raise Refused(mistake)
        for parameter, found in zip(network.parameters(), buried().parameters()):
            parameter.detach().numpy()[...] = found.detach().numpy()
        engine = torch if isinstance(network, torch.nn.Module) else autograd_core
        x = engine.tensor(as_array(arguments[0]), dtype=engine.float32)
        return as_array((network(x) ** 2).mean())

    def praise(self, seen, tolerance):
        return f"Its loss on the saved batch is {number(bare_loss().item())}, as before."


@exercise(
    "01.3",
    tolerance=1e-5,
    mistakes={
        f"{rows} is a dimension of a weight. The node of the first layer, the last `AddmmBackward0` of the print, has saved the batch: look at the shape of its `_saved_mat1`": rows
        for rows in (3, 4, 5)
    },
)
def rebuilt():
    def loss_of(x):
        return (buried()(x.float()) ** 2).mean()

    return {"rows": 6, "network": Rebuilt(loss_of, {"x": (6, 3)}, [[torch.ones(6, 3)]])}
