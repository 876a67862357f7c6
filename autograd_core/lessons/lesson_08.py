"""Lesson 08: a text detector with seven kernels and five losses, before its first training step."""

from collections.abc import Callable
from typing import Any

from .datasets import curved_text
from .widgets.loss_tree import loss_tree as LossTree

HEADS = {
    "text": ["not text", "text"],
    "line": ["not line", "line"],
    "sin": ["sin"],
    "cos": ["cos"],
    "radius": ["radius"],
}
"""Each loss with the kernels whose maps it reads."""


def loss_tree(**options: Any) -> LossTree:
    """One backward pass through five losses, computed on both engines."""
    import torch

    import autograd_core

    return LossTree(
        detector(autograd_core),
        detector(torch),
        heads=HEADS,
        joint=("scaled", "÷ length", ["sin", "cos"]),
        scaled=False,
        words={"scaled": "scale sin and cos to length 1"},
        **options,
    )


def detector(T: Any) -> Callable[..., dict[str, Any]]:
    """The detector on one engine: the `run` of a loss tree."""
    F, nn = T.nn.functional, T.nn
    crop = curved_text(seed=3, size=32)
    image, is_text, on_line = map(T.from_numpy, (crop.image[None], crop.tr_mask, crop.tcl_mask))
    true_sin, true_cos, true_radius = (T.from_numpy(each)[on_line] for each in crop[4:])
    T.manual_seed(37)
    trunk = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, padding=2, dilation=2),
        nn.ReLU(),
    ).double()
    heads = nn.Conv2d(16, 7, kernel_size=1).double()

    def losses_of(maps: Any, scaled: bool) -> dict[str, Any]:
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

    def run(places: dict[str, str], scaled: bool) -> dict[str, Any]:
        features = trunk(image)
        maps = {"on": heads(features)[0], "detached": heads(features.detach())[0]}
        losses = {
            name: losses_of(maps["detached" if place == "detached" else "on"], scaled)[name]
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
