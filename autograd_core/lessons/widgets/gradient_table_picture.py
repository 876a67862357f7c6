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
    off, wrong = (
        sheet.stripes("masked-tint", "masked", 0.45),
        sheet.stripes("error-tint", "error", 0.3),
    )
    known = np.vstack([table, trunk])
    largest = np.max(known, where=np.isfinite(known), initial=0) or 1
    width = (100 - NAMES - LAST) / len(losses)
    columns = [
        *((name, NAMES + i * width, width) for i, name in enumerate(losses)),
        ("all at once", 100 - LAST, LAST),
    ]
    with sheet.within("g", role="row"):
        for name, left, wide in columns:
            sheet.add(
                "text",
                shorten(name, 20),
                x=_percent(left + wide / 2),
                y=14,
                fill="text",
                font_weight=700,
                text_anchor="middle",
                role="columnheader",
            )
    for i, (name, row) in enumerate(zip([*kernels, "trunk, shared"], known.tolist())):
        y, is_trunk = LINE + i * ROW + (10 if i == len(kernels) else 0), i == len(kernels)
        with sheet.within("g", role="row"):
            sheet.add(
                "text",
                shorten(name, 20),
                x=_percent(NAMES - 1.2),
                y=y + 22,
                fill="text",
                text_anchor="end",
                font_weight=700 if is_trunk else 400,
                role="rowheader",
            )
            for (_, left, wide), norm, place in zip(columns, row, [*places, "on"]):
                cut = "off" if place == "off" else "cut" if place == "detached" and is_trunk else ""
                ground = off if cut else "gradient-solid" if np.isfinite(norm) else wrong
                share = (
                    1 if ground != "gradient-solid" else round(DARKEST * (norm / largest) ** 0.5, 3)
                )
                ink = (
                    "text"
                    if cut or norm and np.isfinite(norm)
                    else "text3"
                    if norm == 0
                    else "error"
                )
                with sheet.within(
                    "svg", x=_percent(left), y=y, width=_percent(wide), height=ROW, role="cell"
                ):
                    if live:
                        sheet.add("title", str(norm))
                    sheet.add(
                        "rect",
                        x="1.5%",
                        y=2,
                        width="97%",
                        height=ROW - 4,
                        rx=4,
                        fill=ground,
                        fill_opacity=share,
                        stroke="border-quiet" if left + wide < 99 else "border",
                    )
                    sheet.add(
                        "text",
                        cut or number(norm),
                        x="50%",
                        y=22,
                        fill=ink,
                        text_anchor="middle",
                        font_weight=700 if norm and not cut else 400,
                    )
    return sheet


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
    for i, (name, place, value, weight, part) in enumerate(
        zip(losses, places, values, weights, parts)
    ):
        off, y = place == "off", 58 + i * LINE
        with sheet.within("g", role="row"):
            sheet.add("text", name, y=y, fill="text3" if off else "text", role="rowheader")
            for x, text, ink in (
                ("54%", number(value), "value"),
                ("78%", "off" if off else f"× {number(weight)}", "text3"),
                ("100%", number(part), "value"),
            ):
                sheet.add(
                    "text",
                    text,
                    x=x,
                    y=y,
                    fill="text3" if off else ink,
                    text_anchor="end",
                    role="cell",
                )
    y = 58 + len(losses) * LINE
    sheet.add("line", x2="100%", y1=y - 15, y2=y - 15, stroke="border")
    with sheet.within("g", role="row"):
        sheet.add("text", "total", y=y, fill="text", font_weight=700, role="rowheader")
        sheet.add(
            "text",
            number(parts.sum()),
            x="100%",
            y=y,
            fill="value",
            font_weight=700,
            text_anchor="end",
            role="cell",
        )
    return sheet


def angles(groups: dict[str, dict[str, float | None]], live: bool) -> Sheet:
    """Cosines as bars to either side of a line, by groups; None where a gradient has no direction."""
    sheet = Sheet(
        STILL // 2, 44 + LINE * sum(1 + len(each) for each in groups.values()), live, fluid=True
    )
    _heading(sheet, "Who pulls the trunk apart?", "cosine of two gradients on the trunk")
    y = 36
    for title, cosines in groups.items():
        y += LINE
        sheet.add("text", title, y=y, fill="text2")
        for name, cosine in cosines.items():
            y, against, size = y + LINE, cosine is not None and cosine < 0, 17 * abs(cosine or 0)
            with sheet.within("g", role="row"):
                sheet.add("text", name, y=y, fill="text", role="rowheader")
                sheet.add(
                    "rect",
                    x=_percent(60 - against * size),
                    y=y - 9,
                    width=_percent(size),
                    height=10,
                    fill="gradient-solid",
                    fill_opacity=1 if against else 0.45,
                )
                sheet.add("line", x1="60%", x2="60%", y1=y - 9, y2=y + 1, stroke="border")
                sheet.add(
                    "text",
                    "no angle" if cosine is None else number(round(cosine, 2)),
                    x="100%",
                    y=y,
                    role="cell",
                    fill="text3" if cosine is None else "gradient",
                    font_weight=700 if against else 400,
                    text_anchor="end",
                )
    return sheet


def maps(kernels: Sequence[str], outputs: np.ndarray, gradients: np.ndarray) -> tuple[Row, Row]:
    """What the kernels put out, and below it the size of the gradient there."""
    return (
        Row(
            "output map",
            dict(zip(kernels, outputs)),
            note=("each from its", "least to its", "greatest"),
        ),
        Row(
            "gradient",
            dict(zip(kernels, gradients)),
            True,
            ("its size, each", "to its own", "greatest"),
        ),
    )


def together(norms: Sheet, left: Sheet, right: Sheet, rows: Sequence[Row], description: str) -> str:
    """All four as one still."""
    maps, middle = rows_of_maps(rows, STILL), 2 * MARGIN + norms.height
    below = middle + max(left.height, right.height) + MARGIN
    sheet = Sheet(STILL + 2 * MARGIN, below + maps.height + MARGIN)
    for each, x, y in (
        (norms, MARGIN, MARGIN),
        (left, MARGIN, middle),
        (right, 2 * MARGIN + left.width, middle),
        (maps, MARGIN, below),
    ):
        with sheet.within(
            "svg",
            x=x,
            y=y,
            width=each.width - MARGIN * (each.width < STILL),
            height=each.height,
            overflow="visible",
        ):
            sheet.parts += each.parts
    return sheet.svg(description)


def _heading(sheet: Sheet, title: str, note: str) -> None:
    sheet.add("text", title, y=16, fill="text", font_weight=700, font_size=14)
    sheet.add("text", note, y=34, fill="text2")


def _percent(share: float) -> str:
    return f"{share:.4g}%"
