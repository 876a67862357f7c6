"""How much work something is: a measure that no busy machine disturbs."""

import sys
from collections.abc import Callable


def calls_of(work: Callable[[], object]) -> int:
    """How many functions are called, Python's and C's, while `work` runs."""
    calls = 0

    def count(_frame, event: str, _argument) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls
