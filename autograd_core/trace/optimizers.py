"""The optimizers of a training loop, and the parameters that each of them moves."""

from collections.abc import Iterable, Sequence
from typing import Any


def check_followed(model: Any, optimizer: Any) -> None:
    """Raise the errors of `follow`."""
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
    """The optimizers of a list, each once, or the one optimizer."""
    optimizers = list(given) if isinstance(given, list | tuple) else [given]
    return list({id(each): each for each in optimizers}.values())


def held_by(optimizer: Any) -> set[int]:
    """The ids of the parameters that this optimizer moves."""
    return {id(p) for group in optimizer.param_groups for p in group["params"]}


def places_without(parameters: Iterable[Any], optimizers: Sequence[Any]) -> set[int]:
    """The indices of the parameters that no optimizer moves."""
    moved = set[int]().union(*map(held_by, optimizers))
    return {place for place, p in enumerate(parameters) if id(p) not in moved}
