"""What an operation is: a function of arrays, and one backward rule for each input. Written once, used twice.

    @operation(
        input=lambda g, other: g * other,
        other=lambda g, input: g * input,
        broadcasts=True)
    def mul(input, other):
        return input * other

The keyword is the input that the rule is for. A rule's parameters say what it needs, by name, and that is what the
node saves:

    g               the gradient that arrived (for an operation with several outputs: a list, one for each)
    input, other…   an argument of the forward, tensor or not
    input_shape     only the shape of that argument
    result          what the forward returned; `result0`, `result1` where it returns several
    ops             operations by name: `ops.exp(result)`. In an ordinary backward these work on plain arrays; under
                    `create_graph` they record, and so the rule can itself be differentiated. Arithmetic signs do both.

`None` in place of a rule says: not differentiable in this input, though it has a place among the node's inputs.
Calling the decorated function with tensors computes, and records a node if one of them requires a gradient.
"""

import functools

import numpy as np

from .. import dtypes
from ..graph import NO_EDGE, AccumulateGrad, Node, arrays, tensors
from ..tensor import Tensor
from .checks import spoken_name
from .writing import written

REGISTRY = {}                       # every operation by its node's name: "MulBackward0" -> Operation


def operation(*, node=None, broadcasts=False, promotes=False, view=False, outputs=1, optional=(), **rules):
    """Decorator: make a function of arrays an `Operation`.

    node        the node's name, if it is not PyTorch's usual one (`mul` gives "MulBackward0").
    broadcasts  the inputs may be stretched to a common shape; the engine sums gradients back.
    promotes    tensors of different types are brought to one type first, by `dtypes.result_type`;
                "float" also makes integers floating point first.
    view        the result shares the first input's memory and version.
    outputs     how many of the results are differentiable; None: the forward returns a list of any length.
    optional    the names of inputs in whose place `None` may stand.
    rules       one for each differentiable input, in the order of PyTorch's `next_functions`.
    """
    def define(forward):
        return Operation(forward, node, broadcasts, promotes, view, outputs, optional, rules).function
    return define


class _Rule:
    """One backward rule; `needs` are the places among the saved values of those it reads."""

    def __init__(self, function, save_names):
        self.function = function
        self.arguments = [name if name in ("ops", "g") else f"saved[{save_names.index(name)}]"
                          for name in _parameters(function)]
        self.needs = [save_names.index(name) for name in _parameters(function) if name not in ("ops", "g")]

    @functools.cached_property
    def call(self):
        """`call(ops, g, saved)`. Written as source, `rule(g, saved[0])`: to pick and unpack a list takes twice as long."""
        return eval(f"lambda ops, g, saved: rule({', '.join(self.arguments)})", {"rule": self.function})


class Operation:
    """An array function with its backward rules. Made by `operation`, never by hand; people call `function`.

    operands  the positions of the arguments that must be tensors, or numbers beside one.
    slots     the positions of the differentiable arguments (a list called `tensors` takes the place of all).
    sources   where each saved value comes from: "argument", "shape" or "result", and which one.
    """

    def __init__(self, forward, node, broadcasts, promotes, view, outputs, optional, rules):
        self.forward, self.broadcasts, self.promotes, self.view, self.outputs = (
            forward, broadcasts, promotes, view, outputs)
        self.__name__ = forward.__name__
        self.parameters = _parameters(forward)
        for name in rules:
            if name not in self.parameters:
                raise TypeError(f"{self.__name__}: there is a rule for '{name}', but the forward takes "
                                + ", ".join(self.parameters))
        self.slots = tuple(self.parameters.index(name) for name in rules)
        needed = tuple(i for i in self.slots if self.parameters[i] not in optional)
        self.operands = needed or ((0, 1) if broadcasts else (0,))
        self.variadic = self.parameters[0] == "tensors"
        wanted = (name for rule in rules.values() if rule for name in _parameters(rule) if name not in ("ops", "g"))
        self.save_names = tuple(dict.fromkeys(wanted))
        self.sources = tuple(map(self._source, self.save_names))
        self.rules = tuple(rule and _Rule(rule, self.save_names) for rule in rules.values())
        name = node or _node_name(forward.__name__)
        if name in REGISTRY:
            raise TypeError(f"{self.__name__}: {REGISTRY[name].__name__} has a node named {name} already")
        self.node_type = type(name.rpartition("::")[2], (Node,), {      # a few of PyTorch's names begin with their room
            "__slots__": () if outputs == 1 else ("outputs",), "operation": self, "name": lambda node: name})
        REGISTRY[name] = self
        self.function = _function(self)
        setattr(arrays, self.__name__, forward)
        setattr(tensors, self.__name__, self.function)

    def _source(self, name):
        if name in self.parameters:
            return "argument", self.parameters.index(name)
        if name.endswith("_shape") and name.removesuffix("_shape") in self.parameters:
            return "shape", self.parameters.index(name.removesuffix("_shape"))
        if name.rstrip("0123456789") == "result":
            return "result", int(name[6:] or 0)
        raise TypeError(f"{self.__name__}: a rule asks for '{name}', which is neither an argument nor the result")

    def __repr__(self):
        return f"<operation {self.__name__}>"

    # ---- forward -----------------------------------------------------------------------------------------------

    @functools.cached_property
    def call(self):
        """The function with this operation's own lines. Written when first called: for all it would take 60 ms."""
        return written(self)

    def place_outputs(self, node, outs):
        """Say of the node which outputs it has, and of them that it made them."""
        outs = outs[:self.outputs]
        node.outputs = len(outs)
        for number, out in enumerate(outs):
            out._edge = (node, number)
        node.shape = tuple(out._array.shape for out in outs)
        node.dtype = tuple(out._array.dtype for out in outs)
        if len(outs) == 1:
            (node.shape,), (node.dtype,) = node.shape, node.dtype

    def adopt_result(self, node, tensor):
        """The result was written into `tensor` in place: what the node saved of it is that memory now."""
        if "result" in self.save_names and node.saved and node.saved[index := self.save_names.index("result")] is not None:
            node.saved[index] = tensor._array
            node.versions = [*(v for v in node.versions if v[0] != index),
                             (index, tensor._version_counter(), tensor._version)]

    # ---- backward ----------------------------------------------------------------------------------------------

    def backward(self, node, ops, gradient):
        """One gradient for each input of `node`, `None` where none is wanted."""
        saved = node.check_saved()
        if ops.creates_graph:
            saved = [self._unpack(node, index, value) for index, value in enumerate(saved)]
        if self.outputs != 1:
            gradient = self._all_outputs(node, ops, gradient)
        if self.variadic:
            return self.rules[0].call(ops, gradient, saved)
        sent = []
        for rule, edge in zip(self.rules, node.next_functions):
            sent.append(None if rule is None or edge[0] is None else rule.call(ops, gradient, saved))
        return sent

    @staticmethod
    def _all_outputs(node, ops, gradient):
        """A list of gradients, one for each output: zeros where none has arrived."""
        if node.outputs == 1:
            return [gradient]
        return [ops.zeros(shape, dtype) if g is None else g for g, shape, dtype in zip(gradient, node.shape, node.dtype)]

    def _unpack(self, node, index, value):
        """The saved value as the tensor it was, with its place in the graph; other values as they are."""
        if not isinstance(value, (np.ndarray, np.generic)):
            return value
        kind, position = self.sources[index]
        if kind == "result":
            return Tensor._make(value, (node, position) if position < node.outputs else NO_EDGE)
        edge = node.next_functions[self.slots.index(position)] if position in self.slots else NO_EDGE
        return edge[0].variable if isinstance(edge[0], AccumulateGrad) else Tensor._make(value, edge)

    # ---- telling what a node is --------------------------------------------------------------------------------

    def saved_attribute(self, node, name):
        """`node._saved_other`, as PyTorch has it: a tensor or a value. Raises once the saved tensors are freed."""
        name = {"self": "input", "self_sym_sizes": "input_shape"}.get(name, name)
        if name not in self.save_names:
            raise AttributeError(f"{node.name()} saves {', '.join(self.save_names) or 'nothing'}, not '{name}'")
        index = self.save_names.index(name)
        saved = node.check_saved()
        return self._unpack(node, index, saved[index]) if saved else None

    def describe_saved(self, node, index):
        """The saved tensor as PyTorch's message names it: "torch.FloatTensor [2, 3]], which is output 0 of Mul"."""
        array, (kind, position) = node.saved[index], self.sources[index]
        text = f"{dtypes.of_array(array).tensor_type} {list(array.shape)}]"
        if kind == "result":
            return f"{text}, which is output {position} of {spoken_name(node)}"
        producer, output = node.next_functions[self.slots.index(position)] if position in self.slots else NO_EDGE
        if producer is None or isinstance(producer, AccumulateGrad):
            return text
        return f"{text}, which is output {output} of {spoken_name(producer)}"


def _function(operation):
    """What people call: a function, since only that can be a method too (`x.exp()`)."""
    @functools.wraps(operation.forward)
    def function(*args, **kwargs):
        return operation.call(*args, **kwargs)
    function.forward = operation.forward
    return function


def _parameters(function):
    """The names of a function's parameters."""
    return function.__code__.co_varnames[:function.__code__.co_argcount]


def _node_name(function_name):
    return "".join(part.capitalize() for part in function_name.split("_")) + "Backward0"
