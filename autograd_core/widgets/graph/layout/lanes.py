"""Which lane beside the trunk a line runs in: lanes are counted outwards, and a lane holds one line
at any height.
"""


class Lanes:
    """Lanes taken in each of `count` gaps between rows, as bits: bit 0 is the lane nearest to the
    trunk.

    Taking a lane and asking which are taken cost log n each: a tree over the gaps keeps, for each
    of its parts, the lanes taken somewhere in it (`some`) and those taken in all of it (`all`).
    """

    def __init__(self, count: int):
        self.size = max(1, count)
        self.some, self.all = [0] * (2 * self.size), [0] * (2 * self.size)

    def taken(self, start: int, end: int) -> int:
        """The lanes taken somewhere in the gaps from `start` up to `end`, which is not counted."""
        bits = 0
        for part in self._parts(start, end):
            bits |= self.some[part]
        for edge in (start + self.size, end - 1 + self.size):
            while edge := edge >> 1:
                bits |= self.all[edge]
        return bits

    def take(self, start: int, end: int, lanes: int) -> None:
        """Take the lanes of the bits `lanes` in these gaps."""
        for part in self._parts(start, end):
            self.some[part] |= lanes
            self.all[part] |= lanes
        for edge in (start + self.size, end - 1 + self.size):
            while edge := edge >> 1:
                self.some[edge] = self.some[2 * edge] | self.some[2 * edge + 1] | self.all[edge]

    def first_free(self, start: int, end: int) -> int:
        """Take the lane nearest to the trunk that is free in all these gaps, and say which it is."""
        taken = self.taken(start, end)
        lane = (~taken & (taken + 1)).bit_length() - 1
        self.take(start, end, 1 << lane)
        return lane

    def _parts(self, start: int, end: int) -> list[int]:
        """The largest parts of the tree that make up the gaps from `start` up to `end`."""
        parts, left, right = [], start + self.size, end + self.size
        while left < right:
            if left & 1:
                parts.append(left)
                left += 1
            if right & 1:
                right -= 1
                parts.append(right)
            left, right = left >> 1, right >> 1
        return parts
