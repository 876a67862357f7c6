"""Which loss sends how much gradient to which kernel: a table that follows switches and weights.

    gradient_table(run, on_torch.run, losses=["text", "radius"], kernels=["text", "radius"],
    scaled=True)

Each loss has a place ("on", "detached", "off") and a weight. The lesson's `run` says what they
mean."""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import traitlets

from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.settings import settings_of
from ...widgets.kit.sheet import Sheet
from .gradient_table_picture import STILL, angles, maps, norms, scalar, together
from .maps import forms

PLACES = ["on", "detached", "off"]
WEIGHT = (1.0, 0.0, 4.0, 0.25)
WANTED = ("losses", "maps", "gradients", "all at once", "gradient of the maps")


class GradientTable(Live):
    """The norms of gradients, losses by kernels; see `gradient_table`."""

    view = traitlets.Unicode("gradientTable").tag(sync=True)

    def __init__(
        self,
        run: Callable,
        other: Callable | None,
        losses: Sequence[str],
        kernels: Sequence[str],
        **options: object,
    ):
        self.losses, self.kernels = list(losses), list(kernels)
        super().__init__(run, other, **options)

    def arguments(self) -> dict:
        rest = self.settings
        places = {name: rest.pop(name) for name in self.losses}
        return {
            "places": places,
            "weights": {name: rest.pop(_weight(name)) for name in self.losses},
            **rest,
        }

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        if not isinstance(ours, dict) or not {*WANTED} <= {*ours}:
            raise TypeError(f"the run returns a dict with {', '.join(map(repr, WANTED))}")
        pairs = [ours["gradients"][name] for name in self.losses] + [ours["all at once"]]
        kernels, trunk = ([_array(pair[i]) for pair in pairs] for i in (0, 1))
        for what, count in (("gradients of kernels", len(kernels[0])), ("maps", len(ours["maps"]))):
            if count != len(self.kernels):
                raise ValueError(
                    f"there are {len(self.kernels)} names of kernels, and {count} {what}"
                )
        rows = [gradient.reshape(len(gradient), -1) for gradient in kernels]
        self.table = np.stack([np.linalg.norm(each, axis=1) for each in rows], axis=1)
        self.trunk = np.array([np.linalg.norm(gradient) for gradient in trunk])
        self.values = np.array([float(_array(ours["losses"][name])) for name in self.losses])
        self.places, self.weights = (
            list(self.arguments()[key].values()) for key in ("places", "weights")
        )
        self.apart = max(np.abs(sum(each[:-1]) - each[-1]).max() for each in (kernels, trunk))
        pairs = combinations(range(len(self.losses)), 2)
        self.cosines = {
            "each with the sum": {
                name: _cosine(trunk[i], trunk[-1]) for i, name in enumerate(self.losses)
            },
            "each with each": {
                f"{self.losses[i]}, {self.losses[j]}": _cosine(trunk[i], trunk[j]) for i, j in pairs
            },
        }
        self.maps = maps(self.kernels, _array(ours["maps"]), _array(ours["gradient of the maps"]))
        titles = (
            "Norm of the gradient that a loss sends to a kernel",
            "The one scalar, loss × weight",
            "Cosine of two gradients on the trunk",
        )
        pictures = [
            sheet.svg(title, role="table") for sheet, title in zip(self.pictures(live=True), titles)
        ]
        difference = "no difference" if self.apart == 0 else f"at most {number(self.apart)} apart"
        return {
            **dict(zip(("table", "scalar", "angles"), pictures)),
            "maps": forms(
                self.maps, STILL, "What the kernels put out, and the gradient of the sum for it"
            ),
            "difference": (
                f"One backward of the sum, and one for each loss, added up: {difference}."
            ),
        }

    def pictures(self, live: bool) -> tuple[Sheet, Sheet, Sheet]:
        """The norms, the one scalar, the cosines."""
        return (
            norms(self.losses, self.kernels, self.places, self.table, self.trunk, live),
            scalar(self.losses, self.places, self.values, self.weights, self.parts, live),
            angles(self.cosines, live),
        )

    @property
    def parts(self) -> np.ndarray:
        """What each loss adds to the one scalar."""
        return np.where([place == "off" for place in self.places], 0.0, self.values * self.weights)

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


def gradient_table(
    run: Callable,
    other: Callable | None = None,
    *,
    losses: Sequence[str],
    kernels: Sequence[str],
    title: str = "Many heads, one number",
    note: str = "",
    **settings: object,
) -> GradientTable:
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

    Raises ValueError for names that are taken twice or do not fit the result, TypeError for another
    kind of result, and what `run` raises.
    """
    taken = [*losses, *map(_weight, losses), *settings]
    if len({*taken}) < len(taken):
        raise ValueError(
            f"each loss and each setting needs a name of its own, not {', '.join(taken)}"
        )
    controls = {
        **dict.fromkeys(losses, PLACES),
        **dict.fromkeys(map(_weight, losses), WEIGHT),
        **settings,
    }
    return GradientTable(
        run, other, losses, kernels, title=title, note=note, settings=settings_of(**controls)
    )


def _weight(name: str) -> str:
    return f"weight of {name}"


def _array(tensor: object) -> np.ndarray:
    return np.asarray(tensor.detach().numpy() if hasattr(tensor, "detach") else tensor, np.float64)


def _cosine(a: np.ndarray, b: np.ndarray) -> float | None:
    """Of the angle between two gradients; None where one of them is zero or not finite, and so has
    no direction.
    """
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return float(np.sum(a * b) / lengths) if 0 < lengths < np.inf else None
