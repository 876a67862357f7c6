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
import types

import numpy as np

from .. import dtypes
from ..graph import NO_EDGE, AccumulateGrad, Node, arrays, end_of, tensors
from ..tensor import Tensor
from .checks import spoken_name
from .writing import backward_source, forward_source, namespace, parameters_of, written

REGISTRY = {}                       # every operation by its node's name: "MulBackward0" -> Operation


def operation(*, node=None, broadcasts=False, promotes=False, view=False, results=1, optional=(), **rules):
    """Decorator: make a function of arrays an `Operation`.

    node        the node's name, if it is not PyTorch's usual one (`mul` gives "MulBackward0").
    broadcasts  the inputs may be stretched to a common shape; the engine sums gradients back.
    promotes    tensors of different types are brought to one type first, by `dtypes.result_type`;
                "float" also makes integers floating point first.
    view        the result shares the first input's memory and version.
    results     how many arrays the forward returns, as a tuple; the first is differentiable. None: any number, and all.
    optional    the names of inputs in whose place `None` may stand.
    rules       one for each differentiable input, in the order of PyTorch's `next_functions`.
    """
    def define(forward):
        return Operation(forward, node, broadcasts, promotes, view, results, optional, rules).function
    return define


class Operation:
    """An array function with its backward rules. Made by `operation`, never by hand; people call `function`.

    operands  the positions of the arguments that must be tensors, or numbers beside one.
    slots     the positions of the differentiable arguments (a list called `tensors` takes the place of all).
    sources   where each saved value comes from: "argument", "shape" or "result", and which one.
    rules     for each slot the function that sends its gradient, or None.
    names     what the lines written for this operation know: its `forward`, `rule0`, `rule1` and others.
    """

    def __init__(self, forward, node, broadcasts, promotes, view, results, optional, rules):
        self.forward, self.broadcasts, self.promotes, self.view = forward, broadcasts, promotes, view
        self.returns_one, self.outputs = results == 1, results and 1
        self.__name__ = forward.__name__
        self.parameters = parameters_of(forward)
        for name in rules:
            if name not in self.parameters:
                raise TypeError(f"{self.__name__}: there is a rule for '{name}', but the forward takes "
                                + ", ".join(self.parameters))
        self.slots = tuple(self.parameters.index(name) for name in rules)
        needed = tuple(i for i in self.slots if self.parameters[i] not in optional)
        self.operands = needed or ((0, 1) if broadcasts else (0,))
        self.variadic = self.parameters[0] == "tensors"
        wanted = (name for rule in rules.values() if rule for name in parameters_of(rule) if name not in ("ops", "g"))
        self.save_names = tuple(dict.fromkeys(wanted))
        self.sources = tuple(map(self._source, self.save_names))
        self.rules = tuple(rules.values())
        name = node or _node_name(forward.__name__)
        if name in REGISTRY:
            raise TypeError(f"{self.__name__}: {REGISTRY[name].__name__} has a node named {name} already")
        self.node_type = type(name.rpartition("::")[2], (Node,), {      # a few of PyTorch's names begin with their room
            "__slots__": () if self.outputs else ("outputs",), "operation": self, "name": lambda node: name,
            **dict(self._saved_attributes())})
        REGISTRY[name] = self
        self.names = namespace(self)
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

    def write_forward(self):
        """Give `function` its own lines, from now on. Done at the first call: for all operations it takes 60 ms."""
        lines = written(forward_source(self), self.__name__, self.names, self.forward.__defaults__)
        self.function.__defaults__ = lines.__defaults__     # first: another thread may call as soon as the code is there
        self.function.__code__ = lines.__code__

    def place_outputs(self, node, outs):
        """Say of the node which outputs it has, and of them that it made them."""
        outs = outs[:self.outputs]
        if self.outputs is None:
            node.outputs = len(outs)
        for number, out in enumerate(outs):
            out._edge = node.output(number)
        node.shape = tuple(out._array.shape for out in outs)
        node.dtype = tuple(out._array.dtype for out in outs)
        if len(outs) == 1:
            (node.shape,), (node.dtype,) = node.shape, node.dtype

    def adopt_result(self, node, tensor):
        """The result was written into `tensor` in place: what the node saved of it is that memory now."""
        if "result" in self.save_names:
            saved, at = list(node.saved), 3 * self.save_names.index("result")
            saved[at:at + 3] = tensor._array, tensor._version_counter(), tensor._version
            node.saved = tuple(saved)

    # ---- backward ----------------------------------------------------------------------------------------------

    def write_backward(self):
        """Give this operation's nodes their own `apply`, from now on. Done when the first of them runs."""
        self.node_type.apply = written(backward_source(self), f"{self.__name__} backward", self.names, (True,))

    def unpacked(self, node):
        """What the node saved, with tensors in place of arrays, each with its place in the graph."""
        return [self._unpack(node, index, value) for index, value in enumerate(node.saved[::3])]

    @staticmethod
    def all_outputs(node, ops, gradient):
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
            return Tensor._make(value, node.output(position) if position < node.outputs else NO_EDGE)
        edge = node.inputs[self.slots.index(position)] if position in self.slots else NO_EDGE
        return edge.variable if isinstance(edge, AccumulateGrad) else Tensor._make(value, edge)

    # ---- telling what a node is --------------------------------------------------------------------------------

    def _saved_attributes(self):
        """`node._saved_other`, as PyTorch has it: a tensor or a value. Raises once the saved tensors are freed."""
        for index, name in enumerate(self.save_names):
            attribute = _saved_value(index)
            yield f"_saved_{name}", attribute
            if name in ("input", "input_shape"):            # PyTorch has names of its own for the first input
                yield {"input": "_saved_self", "input_shape": "_saved_self_sym_sizes"}[name], attribute

    def describe_saved(self, node, index):
        """The saved tensor as PyTorch's message names it: "torch.FloatTensor [2, 3]], which is output 0 of Mul"."""
        array, (kind, position) = node.saved[3 * index], self.sources[index]
        text = f"{dtypes.of_array(array).tensor_type} {list(array.shape)}]"
        if kind == "result":
            return f"{text}, which is output {position} of {spoken_name(node)}"
        producer, output = end_of(node.inputs[self.slots.index(position)] if position in self.slots else NO_EDGE)
        if producer is None or isinstance(producer, AccumulateGrad):
            return text
        return f"{text}, which is output {output} of {spoken_name(producer)}"


@functools.cache
def _saved_value(index):
    return property(lambda node: node.operation._unpack(node, index, node.check_saved()[index]))


def _function(operation):
    """What people call: a function, since only that can be a method too (`x.exp()`). Its first call writes its lines."""
    function = functools.wraps(operation.forward)(types.FunctionType(_first_call.__code__, operation.names))
    operation.names |= {"write": operation.write_forward, "function": function}
    function.forward = operation.forward
    return function


def _first_call(*args, **kwargs):
    write()                                                                 # noqa: F821  the names of the operation
    return function(*args, **kwargs)                                        # noqa: F821


def _node_name(function_name):
    return "".join(part.capitalize() for part in function_name.split("_")) + "Backward0"
