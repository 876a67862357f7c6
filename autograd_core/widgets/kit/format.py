"""Numbers, shapes and tensors as short text. js/kit/format.js follows the same rules, and tests
compare both.
"""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

from ...trace.summary import Summary, Value, norm

DOUBLE = "float64", "complex128"


def shorten(text: str, limit: int = 60) -> str:
    """`text` on one line, cut with an ellipsis if it is longer than `limit` characters."""
    text = " ".join(text[: 4 * limit].split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def number(value: Any) -> str:
    """A number with three decimals, without trailing zeros if it is exact. Numbers below 0.001 and
    from 10,000 on have a power of ten.
    """
    if value is None or isinstance(value, (bool, np.bool_)):
        return str(value)
    value = float(value)
    if not np.isfinite(value):
        return str(value).replace("-", "−")
    sign, size = ("−" if value < 0 else ""), Decimal(abs(value))
    if size == 0:
        return "0"
    if size < Decimal("0.001") or size >= 10_000:
        exponent = size.adjusted()
        digits = size.scaleb(-exponent).quantize(Decimal("0.1"), ROUND_HALF_UP)
        if digits >= 10:
            digits, exponent = digits / 10, exponent + 1
        return f"{sign}{digits:.1f}".removesuffix(".0") + f"e{exponent}".replace("-", "−")
    rounded = size.quantize(Decimal("0.001"), ROUND_HALF_UP)
    # float32 has no more digits
    exact = abs(rounded - size) <= size * Decimal("1e-7")
    text = f"{rounded:f}"
    return sign + (text.rstrip("0").rstrip(".") if exact else text)


def shape_text(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape)) or "scalar"


def size_text(shape: tuple[int, ...]) -> str:
    """The shape of a tensor, shown instead of its value. It can't be mistaken for a number."""
    return f"{shape[0]} number{'s' * (shape[0] != 1)}" if len(shape) == 1 else shape_text(shape)


def tensor_text(value: Any, gradient: bool = False) -> str:
    """Up to three elements. For a larger tensor, the size of a value or the norm of a gradient."""
    if value is None:
        return "None"
    if not isinstance(value, Summary):
        value = np.asarray(value)
        if value.ndim == 0 and value.dtype.kind != "c":
            return number(value[()])
        if value.size <= 3 and value.dtype.kind != "c":
            return "[" + ", ".join(number(x) for x in value.ravel()) + "]"
    return f"norm {number(size_of(value))}" if gradient else size_text(value.shape)


def size_of(value: Value) -> float:
    """The norm of a tensor with all its digits. Only float64 has more than eight."""
    return norm(value) if str(value.dtype) in DOUBLE else float(f"{norm(value):.8g}")
