"""Two still pictures in the README: views that the notebook of the day after has saved.

python -m notebooks.authoring.picture           writes notebooks/nan.svg and vanishing.svg
"""

from pathlib import Path

import nbformat

NOTEBOOKS = Path(__file__).parents[1]
DAY_AFTER = NOTEBOOKS / "the_day_after.ipynb"
SAVED = {"nan.svg": "## 1.", "vanishing.svg": "## 3."}
"""Each shows the first view under a heading of the day after."""


def saved(heading: str) -> str:
    """The first view that the day after shows under the heading that begins so, as an SVG file."""
    cells = iter(nbformat.read(DAY_AFTER, as_version=4).cells)
    next(cell for cell in cells if cell.source.startswith(heading))
    return next(
        output.data["image/svg+xml"]
        for cell in cells
        for output in cell.get("outputs", ())
        if "image/svg+xml" in output.get("data", {})
    )


if __name__ == "__main__":
    for name, heading in SAVED.items():
        (NOTEBOOKS / name).write_text(saved(heading), encoding="utf-8", newline="\n")
