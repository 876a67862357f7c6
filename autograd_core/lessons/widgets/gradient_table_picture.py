"""The pictures of the gradient table, each as wide as there is room: norms, the one scalar,
cosines, maps.
"""

from collections.abc import Sequence

import numpy as np

from ...widgets.kit.format import number, shorten
from ...widgets.kit.sheet import Sheet
from .maps import Row, rows_of_maps

# percent of the width: names of rows, and the column of all losses at once
NAMES, LAST = 16, 12
ROW, LINE = 36, 22  # height of a cell and of a line of text, in pixels
DARKEST = 0.5  # so that a number can be read on it
STILL, MARGIN = 592, 16  # the width of a still, and around its pictures


def norms(
    losses: Sequence[str],
    kernels: Sequence[str],
    places: Sequence[str],
    table: np.ndarray,
    trunk: np.ndarray,
    live: bool,
) -> Sheet:
    """The norms of kernels and trunk, by losses and all at once. The column of a loss that is off
    is hatched.
    """
    sheet = Sheet(STILL, LINE + (len(kernels) + 1) * ROW + 10, live, fluid=True)
    off = sheet.stripes("masked-tint", "masked", 0.45)
    wrong = sheet.stripes("error-tint", "error", 0.3)
    known = np.vstack([table, trunk])
    largest = np.max(known, where=np.isfinite(known), initial=0) or 1
    width = (100 - NAMES - LAST) / len(losses)
    columns = [(name, NAMES + i * width, width) for i, name in enumerate(losses)]
    columns.append(("all at once", 100 - LAST, LAST))
    with sheet.within("g", role="row"):
        for name, left, wide in columns:
            looks = {"weight": 700, "anchor": "middle", "role": "columnheader"}
            sheet.text(shorten(name, 20), _percent(left + wide / 2), 14, "text", **looks)
    for i, (name, row) in enumerate(zip([*kernels, "trunk, shared"], known.tolist())):
        is_trunk = i == len(kernels)
        y = LINE + i * ROW + (10 if is_trunk else 0)
        with sheet.within("g", role="row"):
            looks = {"anchor": "end", "weight": 700 if is_trunk else 400, "role": "rowheader"}
            sheet.text(shorten(name, 20), _percent(NAMES - 1.2), y + 22, "text", **looks)
            for (_, left, wide), norm, place in zip(columns, row, [*places, "on"]):
                place = "" if place == "detached" and not is_trunk else place
                cell = {"x": _percent(left), "y": y, "width": _percent(wide), "height": ROW}
                with sheet.within("svg", **cell, role="cell"):
                    strong = "border-quiet" if left + wide < 99 else "border"
                    share = round(DARKEST * (norm / largest) ** 0.5, 3)
                    _norm(sheet, norm, place, share, strong, off, wrong)
    return sheet


def _norm(
    sheet: Sheet, norm: float, place: str, share: float, outline: str, off: str, wrong: str
) -> None:
    """A norm on a ground that is the darker the larger it is; or why there is none."""
    cut = {"off": "off", "detached": "cut"}.get(place, "")
    ground, ink, weight = "gradient-solid", "text", 700
    if cut:
        ground, share, weight = off, 1, 400
    elif not np.isfinite(norm):
        ground, share, ink = wrong, 1, "error"
    elif norm == 0:
        ink, weight = "text3", 400
    if sheet.live:
        sheet.add("title", str(norm))
    looks = {"rx": 4, "fill": ground, "fill_opacity": share, "stroke": outline}
    sheet.rect("1.5%", 2, "97%", ROW - 4, **looks)
    sheet.text(cut or number(norm), "50%", 22, ink, anchor="middle", weight=weight)


def scalar(
    losses: Sequence[str],
    places: Sequence[str],
    values: np.ndarray,
    weights: Sequence[float],
    parts: np.ndarray,
    live: bool,
) -> Sheet:
    """What each loss adds to the one scalar."""
    sheet = Sheet(STILL // 2, 50 + (len(losses) + 1) * LINE, live, fluid=True)
    _heading(sheet, "The one scalar", "loss × weight")
    y, end = 58, {"anchor": "end", "role": "cell"}
    for name, place, value, weight, part in zip(losses, places, values, weights, parts):
        with sheet.within("g", role="row"):
            ink, pale, factor = "value", "text", f"× {number(weight)}"
            if place == "off":
                ink, pale, factor = "text3", "text3", "off"
            sheet.text(name, None, y, pale, role="rowheader")
            sheet.text(number(value), "54%", y, ink, **end)
            sheet.text(factor, "78%", y, "text3", **end)
            sheet.text(number(part), "100%", y, ink, **end)
        y += LINE
    sheet.add("line", x2="100%", y1=y - 15, y2=y - 15, stroke="border")
    with sheet.within("g", role="row"):
        sheet.text("total", None, y, "text", weight=700, role="rowheader")
        sheet.text(number(parts.sum()), "100%", y, "value", weight=700, **end)
    return sheet


def angles(groups: dict[str, dict[str, float | None]], live: bool) -> Sheet:
    """Cosines as bars to either side of a line, by groups; None where a gradient has no direction."""
    lines = sum(1 + len(each) for each in groups.values())
    sheet = Sheet(STILL // 2, 44 + LINE * lines, live, fluid=True)
    _heading(sheet, "Who pulls the trunk apart?", "cosine of two gradients on the trunk")
    y = 36
    for title, cosines in groups.items():
        y += LINE
        sheet.text(title, None, y, "text2")
        for name, cosine in cosines.items():
            y += LINE
            left, size, opacity, weight = 60.0, 17 * abs(cosine or 0), 0.45, 400
            if cosine is not None and cosine < 0:
                left, opacity, weight = 60 - size, 1, 700
            text, ink = "no angle", "text3"
            if cosine is not None:
                text, ink = number(round(cosine, 2)), "gradient"
            with sheet.within("g", role="row"):
                sheet.text(name, None, y, "text", role="rowheader")
                looks = {"fill": "gradient-solid", "fill_opacity": opacity}
                sheet.rect(_percent(left), y - 9, _percent(size), 10, **looks)
                sheet.line("60%", "60%", y - 9, y + 1, "border")
                sheet.text(text, "100%", y, ink, weight=weight, anchor="end", role="cell")
    return sheet


def together(norms: Sheet, left: Sheet, right: Sheet, rows: Sequence[Row], description: str) -> str:
    """All four as one still."""
    maps, middle = rows_of_maps(rows, STILL), 2 * MARGIN + norms.height
    below = middle + max(left.height, right.height) + MARGIN
    sheet = Sheet(STILL + 2 * MARGIN, below + maps.height + MARGIN)
    for each, x, y, width in (
        (norms, MARGIN, MARGIN, STILL),
        (left, MARGIN, middle, left.width - MARGIN),
        (right, 2 * MARGIN + left.width, middle, right.width - MARGIN),
        (maps, MARGIN, below, STILL),
    ):
        sheet.insert(each, x, y, width=width, height=each.height)
    return sheet.svg(description)


def _heading(sheet: Sheet, title: str, note: str) -> None:
    sheet.text(title, None, 16, "text", weight=700, size=14)
    sheet.text(note, None, 34, "text2")


def _percent(share: float) -> str:
    return f"{share:.4g}%"
