"""Which lane beside the trunk a line runs in: lanes are counted outwards, and a lane holds one line
at any height.
"""

from functools import reduce
from operator import or_


class Lanes:
    """Lanes taken in each of `count` gaps between rows, as bits: bit 0 is the lane nearest to the
    trunk. Gaps are named from `start` up to `end`, which is not counted.
    """

    def __init__(self, count: int):
        self.gaps = [0] * count

    def taken(self, start: int, end: int) -> int:
        """The lanes taken somewhere in these gaps."""
        return reduce(or_, self.gaps[start:end], 0)

    def take(self, start: int, end: int, lanes: int) -> None:
        """Take the lanes of the bits `lanes` in these gaps."""
        self.gaps[start:end] = [taken | lanes for taken in self.gaps[start:end]]

    def first_free(self, start: int, end: int) -> int:
        """Take the lane nearest to the trunk that is free in all these gaps, and say which it is."""
        taken = self.taken(start, end)
        lane = (~taken & (taken + 1)).bit_length() - 1
        self.take(start, end, 1 << lane)
        return lane
