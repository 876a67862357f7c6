"""Lesson 13: failing loops, the instruments around them, and the check of a fix."""

from .cycles import cycles
from .failing_loops import HEALTHY, LOOPS
from .fixes import verdict
from .instruments import measure, points, slope
from .widgets.ward import own, ward

FAILING = {number: loop.source for number, loop in LOOPS.items()}
TWELVE = [number for number, loop in LOOPS.items() if loop.ward != "more"]
TOOLS = HEALTHY, cycles, measure, own, points, slope, verdict, ward
