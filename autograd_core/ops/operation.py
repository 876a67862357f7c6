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

import numpy as np

from .. import dtypes
from ..graph import LEAF, NO_EDGE, AccumulateGrad, Node, arrays, next_sequence_nr, recording, tensors
from ..tensor import Tensor
from .checks import as_pytorch_says, check_list, check_tensors, spoken_name

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
        return Operation(forward, node, broadcasts, promotes, view, outputs, optional, rules)
    return define


class _Rule:
    """One backward rule, called as `call(ops, g, saved)`; `needs` are the places among the saved values it reads."""

    def __init__(self, function, save_names):
        names = _parameters(function)
        self.needs = needs = tuple(save_names.index(name) for name in names if name not in ("ops", "g"))
        if names[0] == "ops":
            self.call = lambda ops, g, saved: function(ops, g, *[saved[i] for i in needs])
        else:
            self.call = lambda ops, g, saved: function(g, *[saved[i] for i in needs])


class Operation:
    """An array function with its backward rules; call it with tensors. Made by `operation`, never by hand.

    operands  the positions of the arguments that must be tensors, or numbers beside one.
    slots     the positions of the differentiable arguments (a list called `tensors` takes the place of all).
    sources   where each saved value comes from: "argument", "shape" or "result", and which one.
    """

    def __init__(self, forward, node, broadcasts, promotes, view, outputs, optional, rules):
        self.forward, self.broadcasts, self.promotes, self.view, self.outputs = (
            forward, broadcasts, promotes, view, outputs)
        self.__name__, self.__doc__, self.__module__ = forward.__name__, forward.__doc__, forward.__module__
        self.__wrapped__ = forward
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
        self._plans = {}
        name = node or _node_name(forward.__name__)
        self.node_type = type(name.rpartition("::")[2], (Node,), {      # a few of PyTorch's names begin with their room
            "__slots__": () if outputs == 1 else ("outputs",), "operation": self, "name": lambda node: name})
        REGISTRY[name] = self
        setattr(arrays, self.__name__, forward)
        setattr(tensors, self.__name__, self)

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

    def __call__(self, *args, **kwargs):
        if kwargs or len(args) != len(self.parameters):
            args = self._bind(args, kwargs)
        if self.variadic:
            inputs = args[0]
            check_list(self.__name__, inputs)
            result = self._compute([[t._array for t in inputs], *args[1:]])
        else:
            for i in self.operands:
                if not (isinstance(args[i], Tensor) or self._takes_number(i, args)):
                    check_tensors(self.__name__, **{self.parameters[i]: args[i]})
            inputs = [args[i] for i in self.slots]
            raw = [x._array if isinstance(x, Tensor) else x for x in args]
            if self.view:
                raw[0] = args[0]._storage()
            result = self._compute(raw)
        many = isinstance(result, (tuple, list))
        outs = [Tensor._make(r, NO_EDGE) for r in result] if many else [Tensor._make(result, NO_EDGE)]
        if self.view:
            for out in outs:
                out._become_view(args[0], many)
        node = self._record(args, inputs, outs) if recording.enabled else None
        for listener in recording.listeners:
            listener(self, node, args, outs)
        return type(result)(outs) if many else outs[0]

    def _takes_number(self, position, args):
        """Whether this argument is a number where one may stand: beside a tensor, to be brought to its type."""
        return (len(self.operands) > 1 and (self.promotes or position and not self.slots)
                and isinstance(args[position], (int, float, np.number, np.bool_))
                and any(isinstance(a, Tensor) for a in args))

    def _bind(self, args, kwargs):
        arity, defaults = len(self.parameters), self.forward.__defaults__ or ()
        if len(args) > arity:
            raise TypeError(f"{self.__name__}() takes {arity} arguments but {len(args)} were given")
        args = list(args)
        for position in range(len(args), arity):
            name = self.parameters[position]
            if name in kwargs:
                args.append(kwargs.pop(name))
            elif position >= arity - len(defaults):
                args.append(defaults[position - arity])
            else:
                raise TypeError(f"{self.__name__}() missing required argument: '{name}'")
        if kwargs:
            raise TypeError(f"{self.__name__}() got an unexpected keyword argument '{next(iter(kwargs))}'")
        return args

    def _compute(self, raw):
        if self.promotes:
            operands, places = (raw[0], range(len(raw[0]))) if self.variadic else (raw, self.slots)
            dtypes.bring_to_one_type(operands, places, self.promotes == "float")
        try:
            return self.forward(*raw)
        except (ValueError, IndexError) as error:
            raise as_pytorch_says(error, raw) from None

    def _record(self, args, inputs, outs):
        """Take the note: a node for `outs`, if one of `inputs` requires a gradient; else None."""
        edges, which, bit = [], 0, 1
        for x in inputs:
            edge = NO_EDGE
            if isinstance(x, Tensor):
                edge = x._edge if x._base is None else x._place()
            if edge is not NO_EDGE:
                which |= bit
                if edge is LEAF:
                    edge = x._gradient_edge()
            edges.append(edge)
            bit <<= 1
        if not which:
            return None
        if outs[0]._array.dtype.kind != "f":
            raise RuntimeError(f"Autograd not support dtype: {outs[0].dtype.short}: ask for a floating point result, or "
                               "detach() the input")
        node = self.node_type()
        node.next_functions = tuple(edges)
        node.sequence_nr = next_sequence_nr()
        node.hooks = None
        differentiable = outs[:self.outputs]
        if self.outputs != 1:
            node.outputs = len(differentiable)
        if node.outputs == 1:
            array = outs[0]._array
            node.shape, node.dtype = array.shape, array.dtype
            outs[0]._edge = (node, 0)
        else:
            node.shape = tuple(t._array.shape for t in differentiable)
            node.dtype = tuple(t._array.dtype for t in differentiable)
            for number, tensor in enumerate(differentiable):
                tensor._edge = (node, number)
        self._save(node, self._plan(which), args, outs)
        return node

    def _plan(self, which):
        """What to save when the inputs with a bit in `which` require a gradient: (index, kind, position) each."""
        if which not in self._plans:
            rules = self.rules if self.variadic else [r for i, r in enumerate(self.rules) if which >> i & 1]
            needed = sorted({index for rule in rules if rule for index in rule.needs})
            self._plans[which] = [(index, *self.sources[index]) for index in needed]
        return self._plans[which]

    def _save(self, node, plan, args, outs):
        if not plan:
            node.saved = node.versions = ()
            return
        saved, versions = [None] * len(self.save_names), []
        for index, kind, position in plan:
            value = outs[position] if kind == "result" else args[position]
            if kind == "shape":
                saved[index] = [t._array.shape for t in value] if self.variadic else value._array.shape
            elif isinstance(value, Tensor):
                saved[index] = value._array
                counter = value._counter or value._version_counter()
                versions.append((index, counter, counter[0]))
            else:
                saved[index] = value
                if position in self.slots or _holds_arrays(value):      # these count as saved tensors
                    versions.append((index, _NEVER_CHANGED, 0))
        node.saved, node.versions = tuple(saved), tuple(versions)

    def adopt_result(self, node, tensor):
        """The result was written into `tensor` in place: what the node saved of it is that memory now."""
        if "result" in self.save_names and node.saved and node.saved[index := self.save_names.index("result")] is not None:
            node.saved = (*node.saved[:index], tensor._array, *node.saved[index + 1:])
            node.versions = (*(v for v in node.versions if v[0] != index),
                             (index, tensor._version_counter(), tensor._version))

    # ---- backward ----------------------------------------------------------------------------------------------

    def backward(self, node, ops, gradient):
        """One gradient for each input of `node`, `None` where none is wanted."""
        saved = node.check_saved()
        if ops.creates_graph:
            saved = [self._unpack(node, index, value) for index, value in enumerate(saved)]
        if self.outputs != 1 and node.outputs == 1:         # a list of one
            gradient = [gradient]
        elif node.outputs > 1:
            gradient = [ops.zeros(shape, dtype) if g is None else g
                        for g, shape, dtype in zip(gradient, node.shape, node.dtype)]
        if self.variadic:
            return self.rules[0].call(ops, gradient, saved)
        return [None if producer is None or rule is None else rule.call(ops, gradient, saved)
                for rule, (producer, _) in zip(self.rules, node.next_functions)]

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


_NEVER_CHANGED = [0]                # the version counter of a saved value that nobody else can change


def _holds_arrays(value):
    return isinstance(value, tuple) and any(isinstance(part, np.ndarray) for part in value)


def _parameters(function):
    """The names of a function's parameters."""
    return function.__code__.co_varnames[:function.__code__.co_argcount]


def _node_name(function_name):
    return "".join(part.capitalize() for part in function_name.split("_")) + "Backward0"
