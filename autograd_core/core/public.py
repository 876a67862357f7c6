"""Where people find a function: `T.mul`, `x.mul`, `x.mul_`, `x * y`, `F.relu`. It is said once, beside
the function, and everything that lists functions is made of these records by plain loops: the names
of the package and of `nn.functional`, the methods of `Tensor`, the files of types, the cases of the
tests, the signs in pictures, and the README's table.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

PLACES = ("T", "Tensor", "Tensor_", "F")  # the last but one: in place, as `x.mul_`


class Public(NamedTuple):
    """A function that people call.

    places   where: "T", "Tensor" (a method), "Tensor_" (a method that changes its tensor), "F".
    names    under which names; the first is its own.
    sign     what a picture writes into the node of its graph: "×".
    example  an expression that calls it, and its inputs by name: a shape, or the numbers themselves.
    """

    function: Any
    places: tuple[str, ...]
    names: tuple[str, ...]
    sign: str
    example: str
    inputs: dict[str, Any]


PUBLIC: list[Public] = []


def public(
    *places: str,
    names: tuple[str, ...] = (),
    sign: str = "",
    example: str = "",
    **inputs: Any,
) -> Callable[[Any], Any]:
    """Decorator: note where people find a function, as in `Public`. The function stays what it is.

    Raises ValueError for a place that is none.
    """
    for place in places:
        if place not in PLACES:
            raise ValueError(f"a function is found under {', '.join(PLACES)}, not under {place}")

    def note(function: Any) -> Any:
        known = (function.__name__, *names)
        PUBLIC.append(Public(function, places, known, sign, example, inputs))
        return function

    return note


def found_under(place: str) -> dict[str, Public]:
    """{name: record} of all that is found under "T", "Tensor" or another place."""
    return {name: record for record in PUBLIC if place in record.places for name in record.names}
