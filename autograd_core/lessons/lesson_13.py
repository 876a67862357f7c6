"""Lesson 13: failing loops, the instruments around them, and the check of a fix."""

from .failing_loops import HEALTHY as HEALTHY
from .failing_loops import LOOPS
from .fixes import verdict as verdict
from .instruments import measure as measure
from .instruments import points as points
from .instruments import slope as slope
from .widgets.ward import own as own
from .widgets.ward import ward as ward

FAILING = {number: loop.source for number, loop in LOOPS.items()}
TWELVE = [number for number, loop in LOOPS.items() if loop.ward != "more"]
