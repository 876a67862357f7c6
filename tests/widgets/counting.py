"""How much work something is: a measure that no busy machine disturbs."""

import cProfile
from collections.abc import Callable


def calls_of(work: Callable[[], object]) -> int:
    """How many functions are called, Python's and C's, while `work` runs."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())
