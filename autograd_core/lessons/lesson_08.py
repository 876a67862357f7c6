"""Lesson 08: a text detector with seven kernels and five losses, and a film of its training."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .datasets import CurvedText, curved_text
from .engines import ENGINES
from .widgets.film import film as Film
from .widgets.loss_tree import loss_tree as LossTree

HEADS = {
    "text": ["not text", "text"],
    "line": ["not line", "line"],
    "sin": ["sin"],
    "cos": ["cos"],
    "radius": ["radius"],
}
"""Each loss with the kernels whose maps it reads."""
KERNELS = [kernel for kernels in HEADS.values() for kernel in kernels]


def loss_tree(**options: Any) -> LossTree:
    """One backward pass through five losses, computed on both engines."""
    return LossTree(
        *map(detector, ENGINES),
        heads=HEADS,
        joint=("scaled", "÷ length", ["sin", "cos"]),
        scaled=False,
        words={"scaled": "scale sin and cos to length 1"},
        **options,
    )


def layers(T: Any, seed: int) -> tuple[Any, Any]:
    """The trunk and the seven kernels of the detector."""
    T.manual_seed(seed)
    trunk = T.nn.Sequential(
        T.nn.Conv2d(1, 8, 3, padding=1),
        T.nn.ReLU(),
        T.nn.Conv2d(8, 16, 3, padding=2, dilation=2),
        T.nn.ReLU(),
    ).double()
    return trunk, T.nn.Conv2d(16, 7, kernel_size=1).double()


def losses_of(T: Any, crop: CurvedText, maps: Any, scaled: bool) -> dict[str, Any]:
    """The five losses of the seven `maps`; `scaled` divides sin and cos by their common length."""
    F, is_text, on_line = T.nn.functional, *map(T.from_numpy, (crop.tr_mask, crop.tcl_mask))
    true_sin, true_cos, true_radius = (T.from_numpy(each)[on_line] for each in crop[4:])
    sin, cos, radius = (maps[k][on_line] for k in (4, 5, 6))
    if scaled:
        length = T.sqrt(sin**2 + cos**2)
        sin, cos = sin / length, cos / length
    return {
        "text": F.cross_entropy(maps[0:2].flatten(1).T, is_text.flatten().long()),
        "line": F.cross_entropy(maps[2:4, is_text].T, on_line[is_text].long()),
        "sin": F.smooth_l1_loss(sin, true_sin),
        "cos": F.smooth_l1_loss(cos, true_cos),
        "radius": F.smooth_l1_loss(radius / true_radius, T.ones_like(radius)),
    }


def detector(T: Any) -> Callable[..., dict[str, Any]]:
    """The detector on one engine: the `run` of a loss tree."""
    crop = curved_text(seed=3, size=32)
    image = T.from_numpy(crop.image[None])
    trunk, heads = layers(T, 37)

    def run(places: dict[str, str], scaled: bool) -> dict[str, Any]:
        features = trunk(image)
        maps = {"on": heads(features)[0], "detached": heads(features.detach())[0]}
        losses = {
            name: losses_of(T, crop, maps["detached" if place == "detached" else "on"], scaled)[
                name
            ]
            for name, place in places.items()
        }
        weighted = {name: losses[name] * (places[name] != "off") for name in losses}

        def sent_by(loss: Any) -> tuple[Any, Any, Any]:
            """The gradients of `loss` at the maps, at the kernels and at the trunk."""
            wanted = [*maps.values(), heads.weight, *trunk.parameters()]
            on, detached, kernels, *rest = T.autograd.grad(
                loss, wanted, retain_graph=True, materialize_grads=True
            )
            return on + detached, kernels.flatten(1), T.cat([each.flatten() for each in rest])

        return {
            "losses": {name: loss.detach() for name, loss in losses.items()},
            "gradients": {name: sent_by(loss) for name, loss in weighted.items()},
            "all at once": sent_by(sum(weighted.values())),
        }

    return run


def film(frames: Sequence, other: Sequence, crop: CurvedText) -> Film:
    """The training from equal kernels, next to its targets. A frame is (kernels, maps, gradients of
    the maps, losses); `other` holds PyTorch's.
    """
    steps = [*range(11), *range(15, len(frames), 5)]
    _, text, line, _, *directions = crop
    read = {"text": np.ones_like(text), "line": text}
    targets = {}
    for name, mask in ("text", text), ("line", line):
        for kernel, target in zip(HEADS[name], (~mask, mask)):
            targets[kernel] = np.where(read[name], target, np.nan)
    for name, target in zip(("sin", "cos", "radius"), directions):
        targets[name] = np.where(line, target, np.nan)

    def run(frames: Sequence) -> dict[str, Any]:
        losses = {name: [frame[3][name].item() for frame in frames] for name in HEADS}
        return {
            "at": steps,
            "output": [frames[step][1] for step in steps],
            "gradient": [frames[step][2] for step in steps],
            "curves": {"loss": losses},
        }

    return Film(
        lambda: run(frames),
        lambda: run(other),
        channels=KERNELS,
        truth=targets,
        opens=0,
        title="Seven maps that separate",
        note="all kernels start equal, one total",
    )
