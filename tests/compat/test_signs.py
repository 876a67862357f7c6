"""Every operator of `torch.Tensor`, and every special method behind them, with each kind of operand
on each side.

Value, sign of zero, type, graph and leaves' gradients are equal on both engines, unless one of
them raises."""

import math
import operator

import numpy as np
import pytest

from tests.engines import ENGINES, assert_same, graph, numbers, raised

OPERANDS = {
    "float": lambda T: T.tensor([1.5, -2.5, 3.0], dtype=T.float64),
    "leaf": lambda T: T.tensor([1.5, 2.5, 0.5], dtype=T.float64, requires_grad=True),
    "int": lambda T: T.tensor([1, 2, 3]),
    "negative int": lambda T: T.tensor([-3, 0, -1]),
    "zeros": lambda T: T.tensor([0.0, -0.0, -3.0], dtype=T.float64),
    "bool": lambda T: T.tensor([True, False, True]),
    "single": lambda T: T.tensor(2.0, dtype=T.float64),
    "2": lambda T: 2,
    "-1": lambda T: -1,
    "2.5": lambda T: 2.5,
    "True": lambda T: True,
    "np.float64": lambda T: np.float64(2.5),
    "np.int64": lambda T: np.int64(3),
    "text": lambda T: "2",
    "None": lambda T: None,
    "list": lambda T: [1, 2, 3],
}
TENSORS = ("float", "leaf", "int", "negative int", "zeros", "bool", "single")
BETWEEN = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "divmod": divmod,
}
CHANGING = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "@=": operator.imatmul,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
}
ALONE = {
    "-": operator.neg,
    "~": operator.invert,
    "abs": abs,
    "round": round,
    "float": float,
    "int": int,
    "bool": bool,
    "complex": complex,
    "index": operator.index,
    "len": len,
    "iter": list,
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
    "not": operator.not_,
    "hash": lambda t: hash(t) == hash(t),
    "repr": repr,
    "format": "{}".format,
}

# PyTorch's own rule fails there: it subtracts a boolean, or meets one that it asserts cannot be.
PYTORCH_FAILS_BACKWARD = {
    (operator.pow, "leaf", "bool"),
    (operator.ipow, "leaf", "bool"),
    (operator.pow, "True", "leaf"),
}
OTHER_TYPE = {(operator.pow, "bool", "True")}  # int8 here, bool in PyTorch


def outcome(T, compute, names):
    """What a sign gives: the result, and where it has a gradient its graph and the leaves' gradients.
    None if it is refused.
    """
    operands = [OPERANDS[name](T) for name in names]
    if compute in CHANGING.values() and names[0] == "leaf":
        operands[0] = operands[0] * 1  # a leaf may not be changed in place
    leaves = [x for x in operands if isinstance(x, T.Tensor) and x.is_leaf]
    try:
        result = compute(*operands)
    except Exception:  # whatever it is
        return None
    if isinstance(result, tuple | list):
        return [x if isinstance(x, T.Tensor) else repr(x) for x in result]
    if not isinstance(result, T.Tensor):
        return repr(result)
    found = [result, [result is operand for operand in operands]]
    if result.is_floating_point():
        found.append([str(x) for x in numbers(result).ravel().tolist() if x == 0])
    if result.requires_grad:
        found.append(graph([result]))
        if (compute, *names) not in PYTORCH_FAILS_BACKWARD:
            found += [raised(result.sum().backward), [leaf.grad for leaf in leaves]]
    return found


def compare(compute, *names):
    """Raises AssertionError where both engines have a result, and these differ."""
    ours, theirs = (outcome(T, compute, names) for T in ENGINES)
    if ours is not None and theirs is not None and (compute, *names) not in OTHER_TYPE:
        assert_same(ours, theirs)


PAIRS = [
    (left, right) for left in OPERANDS for right in OPERANDS if left in TENSORS or right in TENSORS
]
pytestmark = pytest.mark.filterwarnings(
    "ignore::RuntimeWarning", "ignore::UserWarning", "ignore::DeprecationWarning"
)


def differences(compute, pairs):
    """Where the engines differ, a line for each."""
    found = []
    for names in pairs:
        try:
            compare(compute, *names)
        except AssertionError as error:
            found.append(f"{' and '.join(names)}: {str(error).splitlines()[0]}")
    return found


@pytest.mark.parametrize("sign", BETWEEN)
def test_between_two(sign):
    assert differences(BETWEEN[sign], PAIRS) == []


@pytest.mark.parametrize("sign", CHANGING)
def test_in_place(sign):
    assert differences(CHANGING[sign], [pair for pair in PAIRS if pair[0] in TENSORS]) == []


@pytest.mark.parametrize("sign", ALONE)
def test_of_one(sign):
    assert differences(ALONE[sign], [(name,) for name in TENSORS]) == []


def test_every_special_method_of_pytorch_is_there():
    """But for those of devices and of PyTorch's own dispatch."""
    ours, theirs = (set(dir(T.Tensor)) for T in ENGINES)
    missing = {name for name in theirs - ours if name[:2] == name[-2:] == "__"}
    assert missing <= {
        "__complex__",  # Python asks __float__
        "__contains__",  # Python asks each element
        "__cuda_array_interface__",
        "__delitem__",  # refused by both
        "__reversed__",  # Python asks __len__ and __getitem__
        "__dlpack__",
        "__dlpack_c_exchange_api__",
        "__dlpack_device__",
        "__setstate__",
        "__torch_dispatch__",
        "__torch_function__",
        "__slotnames__",
        "__div__",
        "__idiv__",
        "__rdiv__",
        "__long__",
        "__nonzero__",  # of Python 2
        "__pos__",
        *(f"__{form}{way}shift__" for form in ("", "r", "i") for way in "lr"),  # nobody shifts bits
    }


def test_a_planted_difference_is_found(monkeypatch):
    monkeypatch.setattr(ENGINES[0].Tensor, "__rfloordiv__", lambda self, other: self // other)
    assert len(differences(operator.floordiv, [("2", "float"), ("float", "2")])) == 1
