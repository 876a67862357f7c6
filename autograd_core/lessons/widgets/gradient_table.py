"""Which loss sends how much gradient to which kernel: a table that follows switches and weights.

    gradient_table(run, on_torch.run, losses=["text", "radius"], kernels=["text", "radius"],
    scaled=True)

Each loss has a place ("on", "detached", "off") and a weight. The lesson's `run` says what they
mean."""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import traitlets

from ...widgets.kit.agreement import array_of
from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.sheet import Sheet
from .gradient_table_picture import STILL, angles, norms, scalar, together
from .maps import Row, forms

PLACES = ["on", "detached", "off"]
WEIGHT = (1.0, 0.0, 4.0, 0.25)
TITLES = (
    "Norm of the gradient that a loss sends to a kernel",
    "The one scalar, loss × weight",
    "Cosine of two gradients on the trunk",
    "What the kernels put out, and the gradient of the sum for it",
)
"""What each picture is called to those who do not see it."""


class GradientTable(Live):
    """Draw what `run(places, weights, **settings)` returns, again at every change.

    run       gets `places`, {loss: "on", "detached" or "off"}, `weights`, {loss: a number}, and the
              settings. It returns
                "losses"                {loss: its value, before the weight}
                "maps"                  what the kernels put out, (kernels, height, width)
                "gradients"             {loss: (gradient of the kernels, (kernels, …); of the trunk,
                                        any shape)}
                "all at once"           the same two for the weighted sum of all losses
                "gradient of the maps"  of that sum, (kernels, height, width)
    other     the same function on the other engine, for the comparison.
    losses    the names of the losses, one column each.
    kernels   the names of the kernels, one row each.
    settings  what else the reader may change, see `settings_of`.

    Raises ValueError where names and result do not fit, TypeError for another kind of result, and
    what `run` raises.
    """

    view = traitlets.Unicode("gradientTable").tag(sync=True)
    called = "Many heads, one number"
    wanted = "losses", "maps", "gradients", "all at once", "gradient of the maps"

    def __init__(
        self,
        run: Callable,
        other: Callable | None = None,
        *,
        losses: Sequence[str],
        kernels: Sequence[str],
        **options: object,
    ):
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
        self.places, self.weights = (
            list(self.arguments()[key].values()) for key in ("places", "weights")
        )
        # what each loss adds to the one scalar
        used = [place != "off" for place in self.places]
        self.parts = np.where(used, self.values * self.weights, 0.0)
        *each, whole = trunk
        self.cosines = {
            "each with the sum": {
                name: _cosine(one, whole) for name, one in zip(self.losses, each)
            },
            "each with each": {
                f"{name}, {another}": _cosine(one, two)
                for (name, one), (another, two) in combinations(zip(self.losses, each), 2)
            },
        }
        self.maps = self._maps(ours["maps"], ours["gradient of the maps"])
        apart = max(np.abs(sum(each[:-1]) - each[-1]).max() for each in (kernels, trunk))
        difference = "no difference" if apart == 0 else f"at most {number(apart)} apart"
        names, pictures = ("table", "scalar", "angles"), self.pictures(live=True)
        return {
            **{
                name: picture.svg(title, role="table")
                for name, picture, title in zip(names, pictures, TITLES)
            },
            "maps": forms(self.maps, STILL, TITLES[-1]),
            "difference": (
                f"One backward of the sum, and one for each loss, added up: {difference}."
            ),
        }

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
        """The norms, the one scalar, the cosines."""
        return (
            norms(self.losses, self.kernels, self.places, self.table, self.trunk, live),
            scalar(self.losses, self.places, self.values, self.weights, self.parts, live),
            angles(self.cosines, live),
        )

    def still(self) -> str:
        rows = zip([*self.kernels, "trunk, shared"], [*self.table, self.trunk])
        words = "; ".join(f"{name}: {', '.join(map(number, row))}" for name, row in rows)
        return together(*self.pictures(live=False), self.maps, f"{self.title}. {words}")

    def __repr__(self) -> str:
        reached = [
            f"{name} reaches {np.count_nonzero(column)}"
            for name, column in zip(self.losses, self.table.T)
        ]
        return (
            f"{self.title}: of {len(self.kernels)} kernels {', '.join(reached)}; total"
            f" {number(self.parts.sum())}"
        )


gradient_table = GradientTable


def _weight(name: str) -> str:
    return f"weight of {name}"


def _cosine(a: np.ndarray, b: np.ndarray) -> float | None:
    """Of the angle between two gradients; None where one of them is zero or not finite, and so has
    no direction.
    """
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return float(np.sum(a * b) / lengths) if 0 < lengths < np.inf else None
