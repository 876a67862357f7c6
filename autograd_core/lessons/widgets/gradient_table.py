"""Which loss sends how much gradient to which kernel: a table that follows switches and weights.

gradient_table(run, on_torch.run, losses=["text", "radius"], kernels=["text", "radius"],
scaled=True)
"""

from itertools import combinations

import numpy as np
import traitlets

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number, shorten
from ...widgets.kit.live import Live
from ...widgets.kit.sheet import Sheet
from .maps import Row, forms, rows_of_maps

PLACES = ["on", "detached", "off"]
WEIGHT = (1.0, 0.0, 4.0, 0.25)
TITLES = {
    "table": "Norm of the gradient that a loss sends to a kernel",
    "scalar": "The one scalar, loss × weight",
    "angles": "Cosine of two gradients on the trunk",
    "maps": "What the kernels put out, and the gradient of the sum for it",
}
"""What each picture is called to those who do not see it."""

# percent of the width: names of rows, and the column of all losses at once
NAMES, LAST = 16, 12
ROW, LINE = 36, 22  # height of a cell and of a line of text, in pixels
DARKEST = 0.5  # so that a number can be read on it
STILL, MARGIN = 592, 16  # the width of a still, and around its pictures


class GradientTable(Live):
    """Draw what `run(places, weights, **settings)` returns, again at every change.

    run       gets `places`, {loss: "on", "detached" or "off"}, `weights`, {loss: a number}, and the
              settings. It returns
                "losses"                {loss: its value, before the weight}
                "maps"                  what the kernels put out, (kernels, height, width)
                "gradients"             {loss: (of the kernels, (kernels, …); of the trunk, any)}
                "all at once"           the same two for the weighted sum of all losses
                "gradient of the maps"  of that sum, (kernels, height, width)
    losses, kernels  the names of the columns and of the rows.

    Raises ValueError where names and result do not fit.
    """

    view = traitlets.Unicode("gradientTable").tag(sync=True)
    called = "Many heads, one number"
    wanted = "losses", "maps", "gradients", "all at once", "gradient of the maps"

    def __init__(self, run, other=None, *, losses, kernels, **options):
        self.losses, self.kernels = list(losses), list(kernels)
        weights = dict.fromkeys(map(_weight, losses), WEIGHT)
        super().__init__(run, other, **dict.fromkeys(losses, PLACES), **weights, **options)

    def arguments(self) -> dict:
        rest = self.settings
        places = {name: rest.pop(name) for name in self.losses}
        weights = {name: rest.pop(_weight(name)) for name in self.losses}
        return {"places": places, "weights": weights, **rest}

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        pairs = [ours["gradients"][name] for name in self.losses] + [ours["all at once"]]
        kernels, trunk = ([array_of(pair[i], np.float64) for pair in pairs] for i in (0, 1))
        rows = [gradient.reshape(len(gradient), -1) for gradient in kernels]
        self.table = np.stack([np.linalg.norm(each, axis=1) for each in rows], axis=1)
        self.trunk = np.array([np.linalg.norm(gradient) for gradient in trunk])
        self.values = np.array([float(array_of(ours["losses"][name])) for name in self.losses])
        places, weights, *_ = self.arguments().values()
        self.places, self.weights = list(places.values()), list(weights.values())
        # what each loss adds to the one scalar
        used = [place != "off" for place in self.places]
        self.parts = np.where(used, self.values * self.weights, 0.0)
        *each, whole = trunk
        named = list(zip(self.losses, each))
        pairs = combinations(named, 2)
        self.cosines = {
            "each with the sum": {name: _cosine(one, whole) for name, one in named},
            "each with each": {f"{a}, {b}": _cosine(one, two) for (a, one), (b, two) in pairs},
        }
        self.maps = self._maps(ours["maps"], ours["gradient of the maps"])
        apart = max(np.abs(sum(each[:-1]) - each[-1]).max() for each in (kernels, trunk))
        difference = "no difference" if apart == 0 else f"at most {number(apart)} apart"
        live = zip(TITLES.items(), self.pictures(live=True))
        tables = {name: picture.svg(title, role="table") for (name, title), picture in live}
        added_up = f"One backward of the sum, and one for each loss, added up: {difference}."
        maps = forms(self.maps, STILL, TITLES["maps"])
        return {**tables, "maps": maps, "difference": added_up}

    def _maps(self, outputs: object, gradients: object) -> tuple[Row, Row]:
        """What the kernels put out, and below it the size of the gradient there."""
        planes, sizes = (
            dict(zip(self.kernels, array_of(each, np.float64), strict=True))
            for each in (outputs, gradients)
        )
        return (
            Row("output map", planes, note=("each from its", "least to its", "greatest")),
            Row("gradient", sizes, True, ("its size, each", "to its own", "greatest")),
        )

    def pictures(self, live: bool) -> tuple[Sheet, Sheet, Sheet]:
        return self._norms(live), self._scalar(live), angles(self.cosines, live)

    def _norms(self, live: bool) -> Sheet:
        """The norms of kernels and trunk, by losses and all at once; hatched where a loss is off."""
        sheet = Sheet(STILL, LINE + (len(self.kernels) + 1) * ROW + 10, live, fluid=True)
        off, wrong = sheet.stripes("masked", 0.45), sheet.stripes("error", 0.3)
        known = np.vstack([self.table, self.trunk])
        largest = np.max(known, where=np.isfinite(known), initial=0) or 1
        width = (100 - NAMES - LAST) / len(self.losses)
        columns = [(name, NAMES + i * width, width) for i, name in enumerate(self.losses)]
        columns.append(("all at once", 100 - LAST, LAST))
        looks = {"weight": 700, "anchor": "middle", "role": "columnheader"}
        with sheet.within("g", role="row"):
            for name, left, wide in columns:
                sheet.text(shorten(name, 20), _percent(left + wide / 2), 14, "text", **looks)
        for i, (name, row) in enumerate(zip([*self.kernels, "trunk, shared"], known.tolist())):
            is_trunk = i == len(self.kernels)
            y = LINE + i * ROW + (10 if is_trunk else 0)
            with sheet.within("g", role="row"):
                looks = {"anchor": "end", "weight": 700 if is_trunk else 400, "role": "rowheader"}
                sheet.text(shorten(name, 20), _percent(NAMES - 1.2), y + 22, "text", **looks)
                for (_, left, wide), norm, place in zip(columns, row, [*self.places, "on"]):
                    place = "" if place == "detached" and not is_trunk else place
                    cell = {"x": _percent(left), "y": y, "width": _percent(wide), "height": ROW}
                    with sheet.within("svg", **cell, role="cell"):
                        strong = "border-quiet" if left + wide < 99 else "border"
                        share = round(DARKEST * (norm / largest) ** 0.5, 3)
                        _cell(sheet, norm, place, share, strong, off, wrong)
        return sheet

    def _scalar(self, live: bool) -> Sheet:
        """What each loss adds to the one scalar."""
        sheet = Sheet(STILL // 2, 50 + (len(self.losses) + 1) * LINE, live, fluid=True)
        _heading(sheet, "The one scalar", "loss × weight")
        y, end = 58, {"anchor": "end", "role": "cell"}
        rows = zip(self.losses, self.places, self.values, self.weights, self.parts)
        for name, place, value, weight, part in rows:
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
            sheet.text(number(self.parts.sum()), "100%", y, "value", weight=700, **end)
        return sheet

    def still(self) -> str:
        """All four as one picture."""
        rows = zip([*self.kernels, "trunk, shared"], [*self.table, self.trunk])
        words = "; ".join(f"{name}: {', '.join(map(number, row))}" for name, row in rows)
        norms, left, right = self.pictures(live=False)
        maps, middle = rows_of_maps(self.maps, STILL), 2 * MARGIN + norms.height
        below, half = middle + max(left.height, right.height) + MARGIN, STILL // 2 - MARGIN
        sheet = Sheet(STILL + 2 * MARGIN, below + maps.height + MARGIN)
        sheet.insert(norms, MARGIN, MARGIN, width=STILL, height=norms.height)
        sheet.insert(left, MARGIN, middle, width=half, height=left.height)
        sheet.insert(right, 3 * MARGIN + half, middle, width=half, height=right.height)
        sheet.insert(maps, MARGIN, below, width=STILL, height=maps.height)
        return sheet.svg(f"{self.title}. {words}")

    def __repr__(self) -> str:
        counts = zip(self.losses, np.count_nonzero(self.table, axis=0))
        reached = ", ".join(f"{name} reaches {count}" for name, count in counts)
        total = number(self.parts.sum())
        return f"{self.title}: of {len(self.kernels)} kernels {reached}; total {total}"


gradient_table = GradientTable


def _weight(name: str) -> str:
    return f"weight of {name}"


def _cosine(a: np.ndarray, b: np.ndarray) -> float | None:
    """Of the angle between two gradients; None where one has no direction: zero, or not finite."""
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return float(np.sum(a * b) / lengths) if 0 < lengths < np.inf else None


def _cell(sheet: Sheet, norm: float, place, share: float, outline, off, wrong) -> None:
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


def _heading(sheet: Sheet, title: str, note: str) -> None:
    sheet.text(title, None, 16, "text", weight=700, size=14)
    sheet.text(note, None, 34, "text2")


def _percent(share: float) -> str:
    return f"{share:.4g}%"
