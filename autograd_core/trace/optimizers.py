"""The optimizers of a loop, and what each of them moves."""

from collections.abc import Iterable, Sequence
from typing import Any


def check_followed(model: Any, optimizer: Any) -> None:
    """Raise what `follow` raises."""
    optimizers = optimizers_in(optimizer)
    known = [hasattr(each, "register_step_post_hook") for each in optimizers]
    if not hasattr(model, "named_parameters") or not known or not all(known):
        raise TypeError(
            "follow() takes a module and an optimizer, or a list of optimizers, not"
            f" {type(model).__name__} and {type(optimizer).__name__}"
        )
    parameters = list(model.parameters())
    if len(places_without(parameters, optimizers)) == len(parameters):
        raise ValueError(
            "this optimizer moves none of the parameters of this model: was it made for another"
            " model, or before this model was copied?"
        )


def optimizers_in(given: Any) -> list[Any]:
    """The optimizers themselves, of one, of a list, or in a wrapper (accelerate's, Lightning's)."""
    optimizers = list(given) if isinstance(given, list | tuple) else [given]
    while any(_is_wrapper(each) for each in optimizers):
        optimizers = [each.optimizer if _is_wrapper(each) else each for each in optimizers]
    return list({id(each): each for each in optimizers}.values())


def _is_wrapper(optimizer: Any) -> bool:
    return hasattr(getattr(optimizer, "optimizer", None), "param_groups")


def held_by(optimizer: Any) -> set[int]:
    """The ids of the parameters that it moves."""
    return {id(p) for group in optimizer.param_groups for p in group["params"]}


def scaling_of(optimizer: Any) -> tuple[float, bool]:
    """What a GradScaler tells a fused optimizer: by how much the gradients are too large, and
    whether this step will move nothing, since there is an inf.
    """
    scale, found_inf = (getattr(optimizer, name, None) for name in ("grad_scale", "found_inf"))
    return 1.0 if scale is None else float(scale), found_inf is not None and bool(found_inf)


def places_without(parameters: Iterable[Any], optimizers: Sequence[Any]) -> set[int]:
    """The places of the parameters that no optimizer moves."""
    moved = set[int]().union(*map(held_by, optimizers))
    return {place for place, p in enumerate(parameters) if id(p) not in moved}
