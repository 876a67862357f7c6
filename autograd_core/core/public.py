"""Where users find a function: `T.mul`, `x.mul`, `x.mul_`, `F.relu`. A decorator on the function
says it once. Plain loops over these records create everything that lists functions: the names of the
package and of `nn.functional`, the methods of `Tensor`, the type stubs, test cases, and the README's
table.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

PLACES = ("T", "Tensor", "Tensor_", "F")


class Public(NamedTuple):
    """A function that users call.

    places   where it is found: "T", "Tensor" (as a method), "Tensor_" (as an in-place method,
             `x.mul_`), "F" (in `nn.functional`).
    names    its names; the first one is its `__name__`.
    example  an expression that calls it. `inputs` has the shape or the numbers of each variable.
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
    """Decorator that records where users find a function, see `Public`. It returns the function.

    Raises ValueError for a place that isn't in PLACES.
    """
    for place in places:
        if place not in PLACES:
            raise ValueError(f"a function is found under {', '.join(PLACES)}, not under {place}")

    def note(function: Any) -> Any:
        PUBLIC.append(Public(function, places, (function.__name__, *names), example, inputs))
        return function

    return note


def offers(room: str, names: list[str]) -> tuple[Callable[[], list[str]], Callable[[str], Any]]:
    """`__dir__` and `__getattr__` for a package with these names. Any other name raises."""
    path = f"{room}.".partition(".")[2]

    def refuse(name: str) -> Any:
        raise AttributeError(f"autograd_core has no {path}{name}")

    return lambda: names, refuse


def found_under(place: str) -> dict[str, Public]:
    """{name: record} of the functions in one of `PLACES`."""
    return {name: record for record in PUBLIC if place in record.places for name in record.names}
