"""Lesson 13 runs failing loops, measures them, and checks fixes."""

from .cycles import cycles
from .failing_loops import HEALTHY, LOOPS
from .fixes import verdict
from .instruments import measure, points, slope
from .widgets.ward import own, ward

__all__ = ["HEALTHY", "cycles", "measure", "own", "points", "slope", "verdict", "ward"]

FAILING = {number: loop.source for number, loop in LOOPS.items()}
TWELVE = [number for number, loop in LOOPS.items() if loop.ward != "more"]
