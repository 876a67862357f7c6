"""`operation`: the decorator that makes an operation of a function of arrays. How it takes
arguments is PyTorch's way.

`core/operation.py` says what an operation is and runs it. Here stands what PyTorch asks of
arguments: names and defaults, numbers beside tensors, types that are brought together, and the
words in which it refuses."""

import numpy as np

from ..core.graph import LEAF, NO_EDGE, check, end_of
from ..core.operation import NUMBERS, Operation
from ..core.tensor import TensorBase
from .checks import (
    broadcast_message,
    check_flags,
    check_list,
    dimension_error,
    plain_number,
    spoken_name,
)
from .general import of_any
from .types import bring_to_one_type, type_name


def operation(
    *,
    node=None,
    broadcasts=False,
    promotes=False,
    view=False,
    results=1,
    optional=(),
    constants=(),
    **rules,
):
    """Decorator: make a function of arrays an `Operation`.

    node        the node's name, if it is not PyTorch's usual one (`mul` gives "MulBackward0").
    broadcasts  the inputs may be stretched to a common shape; the engine sums gradients back.
    promotes    tensors of different types are brought to one type first, by `result_type`;
                "float" also makes integers floating point first.
    view        the result shares the first input's memory and version.
    results     how many arrays the forward returns, as a tuple; the first is differentiable. None:
                any number, and all.
    optional    the names of inputs in whose place `None` may stand.
    constants   the names of arguments that are tensors too, but take no gradient: masks, indices,
                targets.
    rules       one for each differentiable input, in the order of PyTorch's `next_functions`.
    """

    def define(forward):
        return PyTorchOperation(
            forward,
            rules,
            node=node,
            broadcasts=broadcasts,
            promotes=promotes,
            view=view,
            results=results,
            optional=optional,
            constants=constants,
        ).function

    return define


def formula(text):
    """Decorator of a rule that is no formula itself: what the view shows of it. In it `g` is the
    gradient that arrived.
    """

    def note(rule):
        rule.formula = text
        return rule

    return note


class PyTorchOperation(Operation):
    """An operation that takes its arguments, and refuses them, as PyTorch does."""

    # a list of tensors takes the place of all
    variadic = property(lambda self: self.parameters[0] == "tensors")

    def form(self):
        return of_any if self.variadic else super().form() or of_any

    def arguments(self, args, named):
        """All arguments in their order: those by position, those by name, and what was left out.
        Raises TypeError.
        """
        missing = len(self.parameters) - len(args)
        if named or missing < 0 or missing > len(self.defaults):
            args = self._complete(args, named)
        elif missing:
            args = (*args, *self.default_values[-missing:])
        for i in self.numbers:
            kind = type(args[i])
            if (
                kind is not float
                and kind is not type(self.defaults[self.parameters[i]])
                or kind is int
            ):
                args = (*args[:i], self._number(i, args[i]), *args[i + 1 :])
        return args

    def _complete(self, args, named):
        args = [x for x in args if x is not ...]
        names, known = self.parameters[len(args) :], {**self.defaults, **named}
        check(
            len(args) <= len(self.parameters),
            "{}() takes {} positional arguments but {} were given",
            self.__name__,
            len(self.parameters),
            len(args),
            error=TypeError,
        )
        for name in named:
            check(
                name in self.parameters,
                "{}() got an unexpected keyword argument '{}'",
                self.__name__,
                name,
                error=TypeError,
            )
            check(
                name in names,
                "{}() got multiple values for argument '{}'",
                self.__name__,
                name,
                error=TypeError,
            )
        for name in names:
            check(
                name in known,
                "{}() missing 1 required positional argument: '{}'",
                self.__name__,
                name,
                error=TypeError,
            )
        return *args, *map(known.get, names)

    def _number(self, position, x):
        """What was given for a number: a tensor may be one, if nobody asks for its gradient. Raises
        TypeError.
        """
        name = self.parameters[position]
        if isinstance(self.defaults[name], bool):
            check_flags(self.__name__, **{name: x})
        if isinstance(x, TensorBase):
            check(
                not x._array.ndim and not x.requires_grad,
                "{}(): argument '{}' must be Number, not {}",
                self.__name__,
                name,
                type(x).__name__,
                error=TypeError,
            )
            return x._array.item()
        x = plain_number(x)
        check(
            isinstance(x, NUMBERS),
            "{}(): argument '{}' must be {}, not {}",
            self.__name__,
            name,
            "int" if name[:3] == "dim" else "Number",
            type(x).__name__,
            error=TypeError,
        )
        return x

    def bring_together(self, args, arrays):
        """The arrays of `args`, of one type if the operation promotes. A number may stand beside a
        tensor.

        Raises TypeError, in PyTorch's words, where a tensor should stand.
        """
        if self.variadic:
            check_list(self.__name__, args[0])
            given = [x._array for x in args[0]]
            return bring_to_one_type(given) if self.promotes else given, *arrays[1:]
        arrays = list(arrays)
        for i in self.operands:
            if arrays[i] is args[i]:
                self._check_operand(i, args)
                arrays[i] = plain_number(args[i])
        if self.promotes:
            together = self.slots or self.operands
            for i, array in zip(
                together, bring_to_one_type([arrays[i] for i in together], self.promotes == "float")
            ):
                arrays[i] = array
        return arrays

    def _check_operand(self, position, args):
        check(
            args[position] is not ...,
            "{}() missing 1 required positional argument: '{}'",
            self.__name__,
            self.parameters[position],
            error=TypeError,
        )
        x, beside = args[position], self.promotes if self.slots else position
        check(
            len(self.operands) == 2
            and beside
            and isinstance(x, (*NUMBERS, np.number, np.bool_))
            and any(isinstance(a, TensorBase) for a in args),
            "{}(): argument '{}' (position {}) must be Tensor, not {}",
            self.__name__,
            self.parameters[position],
            position + 1,
            type(x).__name__,
            error=TypeError,
        )

    def explain(self, error, arrays):
        """NumPy's error over the shapes of `arrays` as PyTorch raises it; another one as it is."""
        if isinstance(error, np.exceptions.AxisError):
            return dimension_error(error.axis, error.ndim)
        if isinstance(error, IndexError) and "axis" in str(error):
            return IndexError(
                "The shape of the mask or index does not fit the indexed tensor: "
                + str(error).replace("axis", "dimension")
            )
        if "broadcast" in str(error) and isinstance(error, ValueError):
            return RuntimeError(
                broadcast_message(*(np.shape(x) for x in arrays if hasattr(x, "shape")))
            )
        for name, x in zip(self.parameters, arrays):
            if (
                isinstance(x, (str, dict))
                and isinstance(error, (TypeError, ValueError))
                and name not in str(error)
            ):
                return TypeError(
                    f"{self.__name__}(): argument '{name}' must not be {type(x).__name__}"
                )
        return error

    def not_floating(self, result):
        return RuntimeError(
            f"Autograd not support dtype: {type_name(result)}: ask for a floating point result, or"
            " detach() the input"
        )

    def describe(self, saved):
        """As in "torch.FloatTensor [2, 3]], which is output 0 of Mul"."""
        text = f"torch.{type_name(saved._array)}Tensor {list(saved._array.shape)}]"
        node, output = end_of(NO_EDGE if saved._edge is LEAF else saved._edge)
        return text if node is None else f"{text}, which is output {output} of {spoken_name(node)}"
