"""Contour lines of a function on a grid, by marching squares."""

from collections import defaultdict

import numpy as np

# The sides of a cell that a contour crosses, by which of its corners are above: 1 (left, low), 2 (right, low),
# 4 (right, high), 8 (left, high). Sides: 0 low, 1 right, 2 high, 3 left. Where opposite corners are above (5 and 10)
# there are two lines.
CROSSED = {1: [(3, 0)], 2: [(0, 1)], 3: [(3, 1)], 4: [(1, 2)], 5: [(3, 0), (1, 2)], 6: [(0, 2)], 7: [(3, 2)]}
CROSSED.update({15 - corners: sides for corners, sides in CROSSED.items() if corners != 5} | {10: [(0, 1), (3, 2)]})


def contours(x: np.ndarray, y: np.ndarray, heights: np.ndarray, level: float) -> list[np.ndarray]:
    """The lines along which a function has the height `level`, each (points, 2); a closed one ends at its start.

    x (columns,), y (rows,) ascending; heights (rows, columns), the function there; it is taken as straight between.
    """
    above = heights > level
    corners = above[:-1, :-1] + 2 * above[:-1, 1:] + 4 * above[1:, 1:] + 8 * above[1:, :-1]
    lines = defaultdict(list)                           # from each crossed side to those on which its lines end
    for row, column in np.argwhere((corners > 0) & (corners < 15)).tolist():
        sides = [(row, column, "x"), (row, column + 1, "y"), (row + 1, column, "x"), (row, column, "y")]
        for a, b in CROSSED[int(corners[row, column])]:
            lines[sides[a]].append(sides[b])
            lines[sides[b]].append(sides[a])

    def place(side: tuple) -> tuple[float, float]:
        row, column, along = side
        to = (row, column + 1) if along == "x" else (row + 1, column)
        low, high = heights[row, column], heights[to]
        part = (level - low) / (high - low)
        return x[column] + part * (x[to[1]] - x[column]), y[row] + part * (y[to[0]] - y[row])

    return [np.array([place(side) for side in chain]) for chain in _chains(lines)]


def _chains(lines: dict) -> list[list]:
    """Follow `lines` from end to end, first those that have ends, then those that are closed. Empties `lines`."""
    chains = []
    for open_ones in (True, False):
        for start in [side for side, others in lines.items() if len(others) == 1 or not open_ones]:
            chain = [start]
            while lines[chain[-1]]:
                following = lines[chain[-1]].pop()
                lines[following].remove(chain[-1])
                chain.append(following)
            if len(chain) > 1:
                chains.append(chain)
    return chains
