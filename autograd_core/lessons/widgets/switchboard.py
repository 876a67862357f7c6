"""Two networks in a row and two losses: which edges carry a gradient, who holds one, who has moved.
Lesson 11.
"""

from collections.abc import Callable

import numpy as np
import traitlets

from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.settings import settings_of
from ...widgets.kit.sheet import Sheet

WIDTH, HEIGHT = 760, 256
NARROW = 560
ROW, LOWER = 70, 190
"""The middle of the row of networks, and of the row below it."""


class Switchboard(Live):
    """See `switchboard`."""

    view = traitlets.Unicode("drawing").tag(sync=True)

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        self.result = ours
        return {
            "wide": _picture(ours, self.settings["backward"], WIDTH, True).svg(repr(self)),
            "narrow": _picture(ours, self.settings["backward"], NARROW, True).svg(repr(self)),
        }

    def still(self) -> str:
        return _picture(self.result, self.settings["backward"], WIDTH, False).svg(repr(self))

    def __repr__(self) -> str:
        parts = [
            f"{name} {_held(self.result[name])}, {_moved(moved)}"
            for name, moved in zip(("net1", "net2"), self.result["moved"])
        ]
        return f"{self.title}: {'; '.join(parts)}"


def switchboard(
    run: Callable, other: Callable | None = None, *, backward: list[str], **settings: object
) -> Switchboard:
    """Draw what `run(backward=..., **settings)` returns, again at every change of a setting.

    run       returns {"net1": gradient or None, "net2": gradient or None, "moved": [by how much
              each has moved], "at h": {"loss1": its gradient at h or None, "loss2": ...}}; and, if
              net2 has running statistics, "statistics": by how much they have moved.
    other     the same function on the other engine, compared.
    backward  what may be called backward; a loss whose name occurs in the choice takes part.
    settings  what else the reader may change, see `settings_of`.
    """
    return Switchboard(
        run,
        other,
        title="Switchboard",
        note="net1 feeds net2; two losses",
        settings=settings_of(**{**settings, "backward": backward}),
    )


def _norm(tensor: object) -> float:
    array = tensor.detach().numpy() if hasattr(tensor, "detach") else tensor
    return float(np.linalg.norm(np.asarray(array, np.float64)))


def _held(gradient: object) -> str:
    return "grad None" if gradient is None else f"grad {number(_norm(gradient))}"


def _moved(distance: object) -> str:
    return f"moved {number(_norm(distance))}" if _norm(distance) else "has not moved"


def _picture(result: dict, backward: str, width: int, live: bool) -> Sheet:
    sheet = Sheet(width, HEIGHT, live)
    scale = width / WIDTH
    x_at, net1, h_at, net2, end = (scale * place for place in (50, 190, 350, 510, 690))
    sent = {
        loss: gradient is not None and loss in backward for loss, gradient in result["at h"].items()
    }
    half = 68 * scale
    trains1 = result["net1"] is not None and any(sent.values())
    lost, reaches2 = (
        "loss2" in backward and not sent["loss2"],
        "loss2" in backward and result["net2"] is not None,
    )
    _edge(sheet, (x_at + 22, ROW), (net1 - half, ROW), False)
    _edge(sheet, (net1 + half, ROW), (h_at - 18, ROW), trains1)
    _edge(sheet, (h_at + 18, ROW), (net2 - half, ROW), sent["loss2"], cut=lost and reaches2)
    _edge(
        sheet,
        (net2 + half, ROW),
        (end - 36, ROW),
        sent["loss2"] or reaches2,
        cut=lost and not reaches2,
    )
    _edge(sheet, (h_at, ROW + 18), (h_at, LOWER - 18), sent["loss1"])
    _circle(sheet, x_at, ROW, "x")
    _circle(sheet, h_at, ROW, "h")
    _loss(sheet, end, ROW, "loss2", "loss2" in backward)
    _loss(sheet, h_at, LOWER, "loss1", "loss1" in backward)
    for place, name, moved in (
        (net1, "net1", result["moved"][0]),
        (net2, "net2", result["moved"][1]),
    ):
        _network(sheet, place, half, name, result[name], moved)
    if "statistics" in result:
        still = not _norm(result["statistics"])
        sheet.add(
            "text",
            "statistics kept" if still else f"statistics {_moved(result['statistics'])}",
            x=net2,
            y=ROW + 24,
            fill="text2" if still else "value",
            text_anchor="middle",
        )
    return sheet


def _edge(sheet: Sheet, start: tuple, end: tuple, lit: bool, cut: bool = False) -> None:
    """From producer to consumer; lit ones carry a gradient back, and point back."""
    (x1, y1), (x2, y2) = start, end
    looks = (
        {"stroke": "gradient-solid", "stroke_width": 3}
        if lit
        else {
            "stroke": "border",
            "stroke_width": 1.5,
            **({"stroke_dasharray": "4 4"} if cut else {}),
        }
    )
    sheet.add("line", x1=x1, y1=y1, x2=x2, y2=y2, **looks)
    tip, back = ((x1, y1), -1) if lit else ((x2, y2), 1)
    along = (back, 0) if y1 == y2 else (0, back)
    across = (along[1], along[0])
    corners = [
        tip,
        *(
            (
                tip[0] - 9 * along[0] + side * 5 * across[0],
                tip[1] - 9 * along[1] + side * 5 * across[1],
            )
            for side in (1, -1)
        ),
    ]
    sheet.add(
        "path", d="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "Z", fill=looks["stroke"]
    )
    if cut:
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        sheet.add(
            "rect",
            x=x - 20,
            y=y - 10,
            width=40,
            height=20,
            rx=10,
            fill="error-tint",
            stroke="error",
        )
        sheet.add("text", "cut", x=x, y=y + 4, fill="error", font_weight=700, text_anchor="middle")


def _circle(sheet: Sheet, x: float, y: float, name: str) -> None:
    sheet.add("circle", cx=x, cy=y, r=18, fill="value-tint", stroke="value")
    sheet.add("text", name, x=x, y=y + 4, fill="value", font_weight=700, text_anchor="middle")


def _loss(sheet: Sheet, x: float, y: float, name: str, used: bool) -> None:
    sheet.add(
        "rect",
        x=x - 34,
        y=y - 18,
        width=68,
        height=36,
        rx=18,
        fill="gradient-tint" if used else "masked-tint",
        stroke="gradient-solid" if used else "masked",
        **({} if used else {"stroke_dasharray": "4 4"}),
    )
    sheet.add(
        "text",
        name,
        x=x,
        y=y + 4,
        fill="gradient" if used else "masked",
        font_weight=700,
        text_anchor="middle",
    )


def _network(
    sheet: Sheet, x: float, half: float, name: str, gradient: object, moved: object
) -> None:
    sheet.add(
        "rect",
        x=x - half,
        y=ROW - 34,
        width=2 * half,
        height=68,
        rx=8,
        fill="card",
        stroke="text",
        stroke_width=1.5,
    )
    sheet.add(
        "text",
        name,
        x=x,
        y=ROW + 5,
        fill="text",
        font_weight=700,
        text_anchor="middle",
        font_size=15,
    )
    here, none = (
        {"stroke": "gradient-solid", "stroke_width": 3},
        {"stroke": "border", "stroke_width": 1.5},
    )
    sheet.add(
        "line",
        x1=x,
        y1=ROW + 34,
        x2=x,
        y2=LOWER - 34,
        **(here if gradient is not None else {**none, "stroke_dasharray": "4 4"}),
    )
    sheet.add(
        "rect",
        x=x - half,
        y=LOWER - 34,
        width=2 * half,
        height=76,
        rx=20,
        fill="card",
        stroke="text",
        **({} if gradient is not None else {"stroke_dasharray": "4 4"}),
    )
    sheet.add("text", "weight", x=x, y=LOWER - 12, fill="text2", text_anchor="middle")
    sheet.add(
        "text",
        _held(gradient),
        x=x,
        y=LOWER + 8,
        fill="gradient" if gradient is not None else "text2",
        font_weight=700,
        text_anchor="middle",
    )
    sheet.add(
        "text",
        _moved(moved),
        x=x,
        y=LOWER + 28,
        fill="value" if _norm(moved) else "text2",
        text_anchor="middle",
        font_weight=700 if _norm(moved) else 400,
    )
