"""Which loss sends how much gradient to which kernel: a table that follows switches and weights.

    gradient_table(run, on_torch.run, losses=["text", "radius"], kernels=["text", "radius"], scaled=True)

Each loss has a place ("on", "detached", "off") and a weight. The lesson's `run` says what they mean.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import traitlets

from ...widgets.kit.format import number
from ...widgets.kit.live import Live
from ...widgets.kit.settings import settings_of
from .gradient_table_still import still

PLACES = ["on", "detached", "off"]
WEIGHT = (1.0, 0.0, 4.0, 0.25)
WANTED = ("losses", "maps", "gradients", "all at once", "gradient of the maps")
SHADES = 255


class GradientTable(Live):
    """The norms of gradients, losses by kernels; see `gradient_table`."""

    view = traitlets.Unicode("gradientTable").tag(sync=True)

    def __init__(self, run: Callable, other: Callable | None, losses: Sequence[str], kernels: Sequence[str],
                 **options: object):
        self.losses, self.kernels = list(losses), list(kernels)
        super().__init__(run, other, **options)

    def arguments(self) -> dict:
        rest = self.settings
        places = {name: rest.pop(name) for name in self.losses}
        return {"places": places, "weights": {name: rest.pop(_weight(name)) for name in self.losses}, **rest}

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        if not isinstance(ours, dict) or not {*WANTED} <= {*ours}:
            raise TypeError(f"the run returns a dict with {', '.join(map(repr, WANTED))}")
        pairs = [ours["gradients"][name] for name in self.losses] + [ours["all at once"]]
        kernels, trunk = ([_array(pair[i]) for pair in pairs] for i in (0, 1))
        for what, count in (("gradients of kernels", len(kernels[0])), ("maps", len(ours["maps"]))):
            if count != len(self.kernels):
                raise ValueError(f"there are {len(self.kernels)} names of kernels, and {count} {what}")
        rows = [gradient.reshape(len(gradient), -1) for gradient in kernels]
        self.table = np.stack([np.linalg.norm(each, axis=1) for each in rows], axis=1)
        self.trunk = np.array([np.linalg.norm(gradient) for gradient in trunk])
        self.values = np.array([float(_array(ours["losses"][name])) for name in self.losses])
        self.places, self.weights = (list(self.arguments()[key].values()) for key in ("places", "weights"))
        named = enumerate(self.losses)
        apart = max(np.abs(sum(each[:-1]) - each[-1]).max() for each in (kernels, trunk))
        return {
            "losses": self.losses, "kernels": self.kernels, "places": self.places, "weights": self.weights,
            "table": _plain(self.table), "trunk": _plain(self.trunk), "values": _plain(self.values),
            "parts": _plain(self.parts), "apart": _plain(apart),
            "pairs": [[a, b, _cosine(trunk[i], trunk[j])] for (i, a), (j, b) in combinations(named, 2)],
            "sum": [_cosine(gradient, trunk[-1]) for gradient in trunk[:-1]],
            "maps": [_value_map(cells) for cells in _array(ours["maps"])],
            "gradients": [_gradient_map(cells) for cells in _array(ours["gradient of the maps"])],
        }

    @property
    def parts(self) -> np.ndarray:
        """What each loss adds to the one scalar."""
        return np.where([place == "off" for place in self.places], 0.0, self.values * self.weights)

    def still(self) -> str:
        return still(self.title, self.losses, self.kernels, self.places, np.vstack([self.table, self.trunk]))

    def __repr__(self) -> str:
        reached = [f"{name} reaches {np.count_nonzero(column)}" for name, column in zip(self.losses, self.table.T)]
        return f"{self.title}: of {len(self.kernels)} kernels {', '.join(reached)}; total {number(self.parts.sum())}"


def gradient_table(run: Callable, other: Callable | None = None, *, losses: Sequence[str], kernels: Sequence[str],
                   title: str = "Many heads, one number", note: str = "", **settings: object) -> GradientTable:
    """Draw what `run(places, weights, **settings)` returns, again at every change.

    run       gets `places`, {loss: "on", "detached" or "off"}, `weights`, {loss: a number}, and the settings. It
              returns
                "losses"                {loss: its value, before the weight}
                "maps"                  what the kernels put out, (kernels, height, width)
                "gradients"             {loss: (gradient of the kernels, (kernels, …); of the trunk, any shape)}
                "all at once"           the same two for the weighted sum of all losses
                "gradient of the maps"  of that sum, (kernels, height, width)
    other     the same function on the other engine, for the comparison.
    losses    the names of the losses, one column each.
    kernels   the names of the kernels, one row each.
    settings  what else the reader may change, see `settings_of`.

    Raises ValueError for names that are taken twice or do not fit the result, TypeError for another kind of result, and
    what `run` raises.
    """
    taken = [*losses, *map(_weight, losses), *settings]
    if len({*taken}) < len(taken):
        raise ValueError(f"each loss and each setting needs a name of its own, not {', '.join(taken)}")
    controls = {**dict.fromkeys(losses, PLACES), **dict.fromkeys(map(_weight, losses), WEIGHT), **settings}
    return GradientTable(run, other, losses, kernels, title=title, note=note, settings=settings_of(**controls))


def _weight(name: str) -> str:
    return f"weight of {name}"


def _array(tensor: object) -> np.ndarray:
    return np.asarray(tensor.detach().numpy() if hasattr(tensor, "detach") else tensor, np.float64)


def _plain(array: np.ndarray) -> object:
    """Numbers for JSON, which has no nan and no inf: these go as words."""
    array = np.asarray(array)
    if array.ndim:
        return [_plain(row) for row in array]
    return float(array) if np.isfinite(array) else str(array)


def _cosine(a: np.ndarray, b: np.ndarray) -> float | None:
    """Of the angle between two gradients; None where one of them is zero or not finite, and so has no direction."""
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return float(np.sum(a * b) / lengths) if 0 < lengths < np.inf else None


def _value_map(cells: np.ndarray) -> dict:
    return _map(cells, float(np.nanmin(cells)), float(np.nanmax(cells)))


def _gradient_map(cells: np.ndarray) -> dict:
    """Its shades show sizes; `zeros` counts the pixels that get no gradient at all."""
    return {**_map(np.abs(cells), 0.0, float(np.nanmax(np.abs(cells)))), "zeros": int(np.sum(cells == 0))}


def _map(cells: np.ndarray, low: float, high: float) -> dict:
    """Shades from 0 (`low`) to 255 (`high`), row after row. A pixel that is nan has shade −1."""
    with np.errstate(invalid="ignore"):
        share = (cells - low) / (high - low or 1.0)
    shades = np.round(SHADES * np.where(np.isfinite(share), share, -1 / SHADES)).astype(int)
    return {"columns": cells.shape[1], "low": _plain(low), "high": _plain(high), "shades": shades.ravel().tolist()}
