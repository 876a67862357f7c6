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

import ast
import inspect
import textwrap

import numpy as np

from .. import dtypes
from ..graph import NO_EDGE, AccumulateGrad, Node, arrays, next_sequence_nr, recording, tensors
from ..tensor import Tensor

REGISTRY = {}                       # every operation by its node's name: "MulBackward0" -> Operation


def operation(*, node=None, broadcasts=False, promotes=False, view=False, outputs=1, **rules):
    """Decorator: make a function of arrays an `Operation`.

    node        the node's name, if it is not PyTorch's usual one (`mul` gives "MulBackward0").
    broadcasts  the inputs may be stretched to a common shape; the engine sums gradients back.
    promotes    tensors of different types are brought to one type first, by `dtypes.result_type`;
                "float" also makes integers floating point first.
    view        the result shares the first input's memory and version.
    outputs     how many of the results are differentiable; None: the forward returns a list of any length.
    rules       one for each differentiable input, in the order of PyTorch's `next_functions`.
    """
    def define(forward):
        return Operation(forward, node, broadcasts, promotes, view, outputs, rules)
    return define


class _Rule:
    """One backward rule, and the positions among the node's saved values of what it needs."""

    def __init__(self, function, save_names):
        self.function = function
        parameters = list(inspect.signature(function).parameters)
        self.leading = tuple(p for p in parameters if p in ("g", "ops"))
        self.needs = tuple(save_names.index(p) for p in parameters if p not in ("g", "ops"))

    def __call__(self, ops, g, saved):
        leading = {"g": g, "ops": ops}
        return self.function(*(leading[p] for p in self.leading), *(saved[i] for i in self.needs))


class Operation:
    """An array function with its backward rules; call it with tensors. Made by `operation`, never by hand."""

    def __init__(self, forward, node, broadcasts, promotes, view, outputs, rules):
        self.forward, self.broadcasts, self.promotes, self.view, self.outputs = (
            forward, broadcasts, promotes, view, outputs)
        self.__name__, self.__doc__, self.__module__ = forward.__name__, forward.__doc__, forward.__module__
        self.__signature__ = inspect.signature(forward)
        self.parameters = list(self.__signature__.parameters)
        self.defaults = [p.default for p in self.__signature__.parameters.values()]
        for name in rules:
            if name not in self.parameters:
                raise TypeError(f"{self.__name__}: there is a rule for '{name}', but the forward takes "
                                + ", ".join(self.parameters))
        self.slots = tuple(self.parameters.index(name) for name in rules)
        self.variadic = self.parameters[0] == "tensors"
        self.save_names = self._names_saved(rules)
        self.rules = tuple(rule and _Rule(rule, self.save_names) for rule in rules.values())
        self.node_type = type(node or _node_name(forward.__name__), (Node,), {
            "__slots__": () if outputs == 1 else ("outputs",), "operation": self})
        REGISTRY[self.node_type.__name__] = self
        setattr(arrays, self.__name__, forward)
        setattr(tensors, self.__name__, self)

    def _names_saved(self, rules):
        names = []
        for rule in rules.values():
            for name in inspect.signature(rule).parameters if rule else ():
                source = name.removesuffix("_shape")
                if name in ("g", "ops") or name in names:
                    continue
                if source not in self.parameters and source.rstrip("0123456789") != "result":
                    raise TypeError(f"{self.__name__}: a rule asks for '{name}', which is neither an argument nor "
                                    "the result")
                names.append(name)
        return tuple(names)

    def __repr__(self):
        return f"<operation {self.__name__}>"

    # ---- forward -----------------------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        if kwargs or len(args) < len(self.parameters):
            args = self._bind(args, kwargs)
        inputs = args[0] if self.variadic else [args[i] for i in self.slots]
        result = self._compute(args)
        if isinstance(result, (tuple, list)):
            out = type(result)(self._wrap(r, args) for r in result)
            outs = out
        else:
            out = self._wrap(result, args)
            outs = (out,)
        node = None
        if recording.enabled and any(isinstance(x, Tensor) and x.requires_grad for x in inputs):
            node = self._record(args, inputs, outs)
        if recording.listener is not None:
            recording.listener(self, node, args, outs)
        return out

    def _bind(self, args, kwargs):
        args = list(args)
        if len(args) > len(self.parameters):
            raise TypeError(f"{self.__name__}() takes {len(self.parameters)} arguments but {len(args)} were given")
        for name, default in zip(self.parameters[len(args):], self.defaults[len(args):]):
            value = kwargs.pop(name, default)
            if value is inspect.Parameter.empty:
                raise TypeError(f"{self.__name__}() missing required argument: '{name}'")
            args.append(value)
        if kwargs:
            raise TypeError(f"{self.__name__}() got an unexpected keyword argument '{next(iter(kwargs))}'")
        return args

    def _compute(self, args):
        if self.variadic:
            raw = [[t._array for t in args[0]], *args[1:]]
            operands = raw[0]
        else:
            raw = [a._array if isinstance(a, Tensor) else a for a in args]
            operands = [raw[i] for i in self.slots]
        if self.view:
            raw[0] = args[0]._storage()
        if self.promotes:
            target = dtypes.result_type(*operands)
            if self.promotes == "float" and target.kind != "f":
                target = dtypes.get_default_dtype().numpy
            raw = self._convert(raw, target)
        try:
            return self.forward(*raw)
        except ValueError as error:
            shapes = [np.shape(x) for x in operands]
            if self.broadcasts and "broadcast" in str(error):
                raise RuntimeError(_broadcast_message(*shapes)) from None
            raise

    def _convert(self, raw, target):
        """`raw` with its tensors in type `target`; plain numbers take the type of what they meet, as in NumPy."""
        def convert(x):
            return x.astype(target) if hasattr(x, "dtype") and x.dtype != target else x
        if self.variadic:
            return [[convert(x) for x in raw[0]], *raw[1:]]
        return [convert(x) if i in self.slots else x for i, x in enumerate(raw)]

    def _wrap(self, result, args):
        out = Tensor._make(result, NO_EDGE)
        if self.view:
            out._share_version(args[0])
        return out

    def _record(self, args, inputs, outs):
        node = self.node_type()
        node.next_functions = tuple(
            x._gradient_edge() if isinstance(x, Tensor) and x.requires_grad else NO_EDGE for x in inputs)
        node.sequence_nr = next_sequence_nr()
        if self.outputs == 1:
            node.shape, node.dtype = outs[0]._array.shape, outs[0]._array.dtype
            outs[0]._edge = (node, 0)
        else:
            differentiable = outs[:self.outputs]
            node.outputs = len(differentiable)
            node.shape = tuple(t._array.shape for t in differentiable)
            node.dtype = tuple(t._array.dtype for t in differentiable)
            for number, tensor in enumerate(differentiable):
                tensor._edge = (node, number)
        needed = set()
        for rule, (producer, _) in zip(self.rules * len(inputs) if self.variadic else self.rules, node.next_functions):
            if producer is not None and rule:
                needed.update(rule.needs)
        node.saved, node.versions = self._save(args, outs, needed)
        return node

    def _save(self, args, outs, needed):
        saved, versions = [None] * len(self.save_names), []
        for index in sorted(needed):
            name = self.save_names[index]
            if name not in self.parameters and name.endswith("_shape"):
                value = args[self.parameters.index(name.removesuffix("_shape"))]
                saved[index] = [t._array.shape for t in value] if self.variadic else value._array.shape
                continue
            value = args[self.parameters.index(name)] if name in self.parameters else outs[int(name[6:] or 0)]
            if isinstance(value, Tensor):
                saved[index] = value._array
                versions.append((index, value._version_counter(), value._version))
            else:
                saved[index] = value
                if self.parameters.index(name) in self.slots:       # a number in a tensor's place counts as one
                    versions.append((index, _NEVER_CHANGED, 0))
        return tuple(saved), tuple(versions)

    def adopt_result(self, node, tensor):
        """The result was written into `tensor` in place: what the node saved of it is that memory now."""
        if "result" in self.save_names and node.saved[index := self.save_names.index("result")] is not None:
            node.saved = (*node.saved[:index], tensor._array, *node.saved[index + 1:])
            node.versions = (*(v for v in node.versions if v[0] != index),
                             (index, tensor._version_counter(), tensor._version))

    # ---- backward ----------------------------------------------------------------------------------------------

    def backward(self, node, ops, gradient):
        """One gradient for each input of `node`, `None` where none is wanted."""
        saved = node.check_saved()
        if ops.creates_graph:
            saved = [self._unpack(node, i, saved[i]) for i in range(len(saved))]
        if node.outputs > 1:
            gradient = [ops.zeros(shape, dtype) if g is None else g
                        for g, shape, dtype in zip(gradient, node.shape, node.dtype)]
        if self.variadic:
            return self.rules[0](ops, gradient, saved)
        return [rule(ops, gradient, saved) if producer is not None and rule else None
                for rule, (producer, _) in zip(self.rules, node.next_functions)]

    def _unpack(self, node, index, value):
        """The saved value as the tensor it was, with its place in the graph; other values as they are."""
        if not isinstance(value, (np.ndarray, np.generic)):
            return value
        name = self.save_names[index]
        if name in self.parameters:
            position = self.parameters.index(name)
            edge = node.next_functions[self.slots.index(position)] if position in self.slots else NO_EDGE
            return edge[0].variable if isinstance(edge[0], AccumulateGrad) else Tensor._make(value, edge)
        output = int(name[6:] or 0)
        return Tensor._make(value, (node, output) if output < node.outputs else NO_EDGE)

    # ---- telling what a node is --------------------------------------------------------------------------------

    def saved_attribute(self, node, name):
        """`node._saved_other`, as PyTorch has it: a tensor or a value. Raises once the saved tensors are freed."""
        name = {"self": "input", "self_sym_sizes": "input_shape"}.get(name, name)
        if name not in self.save_names:
            raise AttributeError(f"{node.name()} saves {', '.join(self.save_names) or 'nothing'}, not '{name}'")
        index = self.save_names.index(name)
        return self._unpack(node, index, node.check_saved()[index])

    def describe_saved(self, node, index):
        """The saved tensor as PyTorch's message names it: "torch.FloatTensor [2, 3]], which is output 0 of …"."""
        array, name = node.saved[index], self.save_names[index]
        text = f"{dtypes.of_array(array).tensor_type} {list(array.shape)}]"
        if name not in self.parameters:
            return f"{text}, which is output 0 of {node.name()}"
        position = self.parameters.index(name)
        producer, output = node.next_functions[self.slots.index(position)] if position in self.slots else NO_EDGE
        if producer is None or isinstance(producer, AccumulateGrad):
            return text
        return f"{text}, which is output {output} of {producer.name()}"

    def formulas(self):
        """The rules as text, read from the operation's own source: (("input", "g * other"), …)."""
        tree = ast.parse(textwrap.dedent(inspect.getsource(self.forward)))
        call = tree.body[0].decorator_list[0]
        keywords = {k.arg: k.value for k in getattr(call, "keywords", ())}
        texts = []
        for position in self.slots:
            rule = keywords.get(self.parameters[position])
            text = ast.unparse(rule.body if isinstance(rule, ast.Lambda) else rule) if rule else ""
            texts.append((self.parameters[position], text.replace("ops.", "")))
        return tuple(texts)


_NEVER_CHANGED = [0]                # the version counter of a saved value that nobody else can change


def _node_name(function_name):
    return "".join(part.capitalize() for part in function_name.split("_")) + "Backward0"


def _broadcast_message(*shapes):
    for dim in range(1, max(map(len, shapes)) + 1):
        sizes = [s[-dim] for s in shapes if len(s) >= dim and s[-dim] != 1]
        if len(set(sizes)) > 1:
            return (f"The size of tensor a ({sizes[0]}) must match the size of tensor b ({sizes[1]}) at non-singleton "
                    f"dimension {max(map(len, shapes)) - dim}")
    return f"shapes {', '.join(map(str, shapes))} cannot be broadcast together"
