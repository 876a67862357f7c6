"""Lesson 05, in-place writes: what PyTorch answers to its exercises."""

import torch

from .... import nn
from ..check import function_exercise
from ..references import Function, Loss, leaves_of


def _with(write, finish=None):
    """A block whose shortcut is added by `write(h, x)`, which returns the new `h`."""

    def block(x):
        h = write(torch.sigmoid(x), x)
        return (finish or _threshold)(h)

    return block


def _threshold(h):
    h[h < 0.5] = 0
    return h.sum()


def _kept(h):
    return torch.where(h < 0.5, torch.zeros_like(h), h).sum()


def _added(h, x):
    h += x
    return h


def _added_to_data(h, x):
    h.data += x
    return h


def _without_recording(h, x):
    with torch.no_grad():
        h += x
    return h


def _added_to_detached(h, x):
    h.detach().add_(x)
    return h


def _threshold_in_data(h):
    h.data[h < 0.5] = 0
    return h.sum()


ROWS = [
    ([0.0, 0.01, -0.01, -0.1, 0.5, -2.0],),
    ([-3.0, -1.0],),
    ([[0.1, 3.0], [-0.3, 0.0]],),
    ([],),
    ([0.7],),
]

WRONG_BLOCKS = {
    "": _with(_added),  # the block as it is given: not attempted
    "Still raises: this write is now hidden, but the threshold writes to the same saved result, and "
    "that write is counted": _with(_added_to_data),
    "Still raises: `no_grad()` turns off recording, but the version counter counts this write": (
        _with(_without_recording)
    ),
    "Still raises: `detach()` shares memory and counter with `h`": _with(_added_to_detached),
    "Still raises: `h += x` overwrites the result that sigmoid saved. The threshold is harmless only "
    "after a new tensor": _with(_added, _kept),
    "No error, and the loss is right, but the gradient isn't: neither write has a backward rule, and "
    "sigmoid now reads changed numbers": _with(_added_to_data, _threshold_in_data),
    "Elements below the threshold still get a gradient: a write to `.data` is not recorded": _with(
        torch.add, _threshold_in_data
    ),
    "The loss is right, but the path through sigmoid is missing in the gradient": _with(
        lambda h, x: h.detach() + x
    ),
    "The loss is right, but the path through `h + x` to `x` is missing in the gradient": _with(
        lambda h, x: h + x.detach()
    ),
    "Add `x` first, then apply the threshold": lambda x: _kept(torch.sigmoid(x)) + x.sum(),
    "The threshold is missing": lambda x: (torch.sigmoid(x) + x).sum(),
}

function_exercise("05.1", loss=Loss(_with(torch.add), {"x": (4,)}, ROWS, mistakes=WRONG_BLOCKS))


class _Smooth(Function):
    """A weighted sum along a sequence: its elements, and the gradients of their squares' sum."""

    def trial(self, generator, arguments):
        names = ["the result", "the gradient of x", "the gradient of decay"]
        return arguments, list(self.call(self.reference, arguments)), names

    def call(self, function, given):
        x, decay = leaves_of(given)
        s = function(x, decay)
        if getattr(s, "requires_grad", False):
            (s * s).sum().backward()
        return s if s is ... or s is None else (s, x.grad, decay.grad)


def _in_buffer(before=lambda s, t: s[t - 1], fixed=False, number=False, late=False, data=False):
    """The loop over one buffer; each option is a way to change its line."""

    def smooth(x, decay):
        s = torch.zeros_like(x)
        s[0] = x[0]
        decay = decay.item() if number else decay.detach() if fixed else decay
        for t in range(1, len(x)):
            s = s.clone() if late else s
            if data:
                s.data[t] = decay * s[t - 1] + x[t]
            else:
                s[t] = decay * before(s, t) + x[t]
        return s

    return smooth


def _in_list(x, decay):
    s = [x[0]]
    for t in range(1, len(x)):
        s.append(decay * s[-1] + x[t])
    return torch.stack(s)


def _of_numbers(x, decay):
    return _in_list(x, decay).detach()


NO_GRADIENT = "It no longer raises because `decay` gets no gradient at all"
WRONG_LOOPS = {
    "": _in_buffer(),  # the loop as it is given
    "Still raises: the same line reads and writes the new `s`": _in_buffer(late=True),
    "Still raises: `detach()` shares the counter of `s`. It also cuts the path to the element before": (
        _in_buffer(lambda s, t: s[t - 1].detach())
    ),
    "It no longer raises, but each element must pass a gradient to the one before, and `detach()` "
    "cuts that path": _in_buffer(lambda s, t: s[t - 1].detach().clone()),
    NO_GRADIENT: [_in_buffer(fixed=True), _in_buffer(number=True)],
    "The values are right, but only `s[0]` has a path to `x`: the other writes were not recorded": (
        _in_buffer(data=True)
    ),
    "The values are right, but numbers have no graph. Keep the tensors and use `torch.stack`": (
        _of_numbers
    ),
}

function_exercise(
    "05.2",
    smooth=_Smooth(
        _in_list, {"x": (4,), "decay": ()}, [([1.0, 2.0, 3.0, 4.0], 0.9)], mistakes=WRONG_LOOPS
    ),
)


class _Refined(Function):
    """A loss of two linear layers, which are made of the weights and biases that are given."""

    def trial(self, generator, arguments):
        layers = [f"{layer}.{name}" for layer in ("first", "second") for name in ("weight", "bias")]
        names = ["the value", *(f"the gradient of {name}" for name in layers)]
        return arguments, list(self.call(self.reference, arguments)), names

    def call(self, function, given):
        x, *parameters = given
        nets = torch.nn if isinstance(x, torch.Tensor) else nn
        weights = [nets.Parameter(each) for each in parameters]
        layers = [nets.Linear(2, 2), nets.Linear(2, 2)]
        for layer, weight, bias in zip(layers, weights[::2], weights[1::2], strict=True):
            layer.weight, layer.bias = weight, bias
        loss = function(x, *layers)
        if loss is not ... and loss is not None:
            loss.backward()
        return loss if loss is ... or loss is None else (loss, *(each.grad for each in weights))


def _refined(write, given=lambda h: h, early=False):
    def refined(x, first, second):
        h = first(x)
        h = write(h, x) if early else h
        y = second(given(h))
        h = h if early else write(h, x)
        return (y * y + h).sum()

    return refined


WRONG_ORDERS = {
    "": _refined(_added),  # the block as it is given
    "It no longer raises, but the loss is another one: `second` now reads `h + x`": [
        _refined(_added, early=True),
        _refined(torch.add, early=True),
    ],
    "Still raises: the layer saves `h.detach()`, which shares the counter of `h`": _refined(
        _added, lambda h: h.detach()
    ),
    "No error, but wrong twice: `first` loses the path through `second`, and the gradient of "
    "`second` reads the overwritten `h`": _refined(_added, lambda h: h.data),
    "`first` loses the path through `second`": _refined(torch.add, lambda h: h.detach()),
    "No error, but the gradient of `second.weight` is computed from the overwritten `h`": _refined(
        _added_to_data
    ),
}

function_exercise(
    "05.3",
    loss=_Refined(
        _refined(torch.add),
        {"x": (3, 2), "weight 1": (2, 2), "bias 1": (2,), "weight 2": (2, 2), "bias 2": (2,)},
        mistakes=WRONG_ORDERS,
    ),
)
