"""Which loss sends how much gradient to which kernel: a table that follows switches and weights."""

import numpy as np
import traitlets

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number, shorten
from ...widgets.kit.live import Live
from ...widgets.kit.sheet import Sheet
from .maps import ink_on

PLACES = ["on", "detached", "off"]
WEIGHT = (1.0, 0.0, 4.0, 0.25)
# percent of the width: names of rows, and the column of all losses at once
NAMES, LAST = 14, 12
ROW, LINE = 34, 22  # height of a cell and of a line of text, in pixels
STILL, MARGIN = 592, 16  # the width of a still, and around its picture


class gradient_table(Live):
    """Draw what `run(places, weights, **settings)` returns, again at every change.

    run       gets `places`, {loss: "on", "detached" or "off"}, `weights`, {loss: a number}, and the
              settings. It returns
                "losses"       {loss: its value, before the weight}
                "gradients"    {loss: (of the kernels, (kernels, …); of the trunk, any)}
                "all at once"  the same two for the weighted sum of all losses
    losses, kernels  the names of the columns and of the rows.
    words     {a setting: what to call it}, where its name does not say enough.

    Raises ValueError where names and result do not fit.
    """

    view = traitlets.Unicode("gradientTable").tag(sync=True)
    called = "Many heads, one number"
    wanted = "losses", "gradients", "all at once"

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
        self.places, weighted = list(places.values()), self.values * list(weights.values())
        # what each loss adds to the one scalar
        self.parts = np.where(np.array(self.places) == "off", 0.0, weighted)
        self.cosines = [_cosine(one, trunk[-1]) for one in trunk[:-1]]
        apart = max(np.abs(sum(each[:-1]) - each[-1]).max() for each in (kernels, trunk))
        difference = "no difference" if apart == 0 else f"at most {number(apart)} apart"
        title = "Norm of the gradient that a loss sends to a kernel"
        return {
            "table": self._table(live=True).svg(title, role="table"),
            "difference": f"One backward of the sum, and one for each loss, added up: {difference}.",
        }

    def _table(self, live: bool) -> Sheet:
        """By losses and all at once: what each loss adds to the one scalar; the norms that it sends
        to kernels and trunk, hatched where it is off; and the cosine of its gradient at the trunk
        with that of all. In a page the names of the losses are with their switches, above."""
        top = LINE * (2 if live else 3)
        sheet = Sheet(STILL, top + (len(self.kernels) + 1) * ROW + 10 + LINE, live, fluid=True)
        stripes = sheet.stripes("masked", 0.45), sheet.stripes("error", 0.3)
        known = np.vstack([self.table, self.trunk])
        largest = np.max(known, where=np.isfinite(known), initial=0) or 1
        width = (100 - NAMES - LAST) / len(self.losses)
        columns = [(NAMES + i * width, width) for i in range(len(self.losses))]
        columns.append((100 - LAST, LAST))

        def line(name: str, y: float, texts: list[str], ink: str, bold: bool = False) -> None:
            with sheet.within("g", role="row"):
                looks = {"anchor": "end", "weight": 700 if bold else 400, "role": "rowheader"}
                sheet.text(shorten(name, 20), _percent(NAMES - 1.2), y, "text", **looks)
                for (left, wide), text in zip(columns, texts):
                    looks = {"anchor": "middle", "weight": 700 if left + wide > 99 else 400}
                    sheet.text(text, _percent(left + wide / 2), y, ink, **looks, role="cell")

        if not live:
            line("", 14, [*self.losses, ""], "text", bold=True)
        line("loss", top - LINE - 8, [*map(number, self.values), "all"], "value")
        parts = [
            "off" if place == "off" else number(part)
            for place, part in zip(self.places, self.parts)
        ]
        line("in sum", top - 8, [*parts, number(self.parts.sum())], "value")
        names = [*self.kernels, "trunk"]
        for i, (name, row) in enumerate(zip(names, known.tolist(), strict=True)):
            is_trunk = i == len(self.kernels)
            y = top + i * ROW + (10 if is_trunk else 0)
            with sheet.within("g", role="row"):
                looks = {"anchor": "end", "weight": 700 if is_trunk else 400, "role": "rowheader"}
                sheet.text(shorten(name, 20), _percent(NAMES - 1.2), y + 21, "text", **looks)
                for (left, wide), norm, place in zip(columns, row, [*self.places, "on"]):
                    place = "" if place == "detached" and not is_trunk else place
                    cell = {"x": _percent(left), "y": y, "width": _percent(wide), "height": ROW}
                    with sheet.within("svg", **cell, role="cell"):
                        strong = "border-quiet" if left + wide < 99 else "border"
                        share = round((norm / largest) ** 0.5, 3)
                        _cell(sheet, norm, place, share, strong, stripes)
        cosines = ["none" if each is None else number(round(each, 2)) for each in self.cosines]
        line("cosine", sheet.height - 6, cosines, "gradient")
        return sheet

    def still(self) -> str:
        rows = zip([*self.kernels, "trunk"], [*self.table, self.trunk])
        words = "; ".join(f"{name}: {', '.join(map(number, row))}" for name, row in rows)
        norms = self._table(live=False)
        sheet = Sheet(STILL + 2 * MARGIN, norms.height + 2 * MARGIN)
        sheet.insert(norms, MARGIN, MARGIN, width=STILL, height=norms.height)
        return sheet.svg(f"{self.title}. {words}")

    def __repr__(self) -> str:
        counts = zip(self.losses, np.count_nonzero(self.table, axis=0))
        reached = ", ".join(f"{name} reaches {count}" for name, count in counts)
        total = number(self.parts.sum())
        return f"{self.title}: of {len(self.kernels)} kernels {reached}; total {total}"


def _weight(name: str) -> str:
    return f"weight of {name}"


def _cosine(a: np.ndarray, b: np.ndarray) -> float | None:
    """Of the angle between two gradients; None where one has no direction: zero, or not finite."""
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return float(np.sum(a * b) / lengths) if 0 < lengths < np.inf else None


def _cell(sheet: Sheet, norm: float, place: str, share: float, outline: str, stripes) -> None:
    """A norm on a ground that is the darker the larger it is; or why there is none."""
    cut = {"off": "off", "detached": "cut"}.get(place, "")
    ground, ink, weight = "gradient-solid", ink_on(share, sheet.live), 700
    if cut:
        ground, share, ink, weight = stripes[0], 1, "text", 400
    elif not np.isfinite(norm):
        ground, share, ink = stripes[1], 1, "error"
    elif norm == 0:
        ink, weight = "text3", 400
    if sheet.live:
        sheet.add("title", str(norm))
    looks = {"rx": 4, "fill": ground, "fill_opacity": share, "stroke": outline}
    sheet.rect("1.5%", 2, "97%", ROW - 4, **looks)
    sheet.text(cut or number(norm), "50%", ROW / 2 + 4, ink, anchor="middle", weight=weight)


def _percent(share: float) -> str:
    return f"{share:.4g}%"
