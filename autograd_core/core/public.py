"""Where people find a function: `T.mul`, `x.mul`, `x.mul_`, `F.relu`. It is said once, beside the
function. All that lists functions is made of these records by plain loops: the names of the package
and of `nn.functional`, the methods of `Tensor`, the files of types, cases of the tests, and the
README's table.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

PLACES = ("T", "Tensor", "Tensor_", "F")


class Public(NamedTuple):
    """A function that people call.

    places   where: "T", "Tensor" (as a method), "Tensor_" (as a method that changes its tensor,
             `x.mul_`), "F" (in `nn.functional`).
    names    under which names; the first is its own.
    example  an expression that calls it, and its `inputs` by name: a shape, or the numbers.
    """

    function: Any
    places: tuple[str, ...]
    names: tuple[str, ...]
    example: str
    inputs: dict[str, Any]


PUBLIC: list[Public] = []


def public(
    *places: str, names: tuple[str, ...] = (), example: str = "", **inputs: Any
) -> Callable[[Any], Any]:
    """Decorator: note where people find a function, as in `Public`. It stays what it is.

    Raises ValueError for a place that is none.
    """
    for place in places:
        if place not in PLACES:
            raise ValueError(f"a function is found under {', '.join(PLACES)}, not under {place}")

    def note(function: Any) -> Any:
        PUBLIC.append(Public(function, places, (function.__name__, *names), example, inputs))
        return function

    return note


def offers(room: str, names: list[str]) -> tuple[Callable[[], list[str]], Callable[[str], Any]]:
    """`__dir__` and `__getattr__` of a room that has these names: any other raises at once."""
    path = f"{room}.".partition(".")[2]

    def refuse(name: str) -> Any:
        raise AttributeError(f"autograd_core has no {path}{name}")

    return lambda: names, refuse


def found_under(place: str) -> dict[str, Public]:
    """{name: record} of what is found under one of `PLACES`."""
    return {name: record for record in PUBLIC if place in record.places for name in record.names}
