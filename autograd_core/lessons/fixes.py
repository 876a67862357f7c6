"""Is an edited loop of lesson 13 a fix? Its gradients answer, because a bug can lower the loss."""

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..trace.measure import array_of
from ..widgets.kit.format import shorten
from .failing_loops import LOOPS
from .instruments import Record, measure

STEPS = 39  # the fewest steps with a gradient
SAME = 1e-6  # relative, of gradients and of factors
OPTIMIZER = re.compile(r"optim\.(\w+)\(.*lr=([\d.]+)\)")


@dataclass(frozen=True)
class Match:
    """How `.grad` compares with the gradient of the meant loss when a step begins.

    factor   how many times the meant gradient it is
    rest     the fraction of its length that isn't explained by that
    missing  a parameter with a meant gradient and no `.grad`, or ""
    wanted   the parameters whose meant gradient isn't 0
    """

    factor: float
    rest: float
    missing: str
    wanted: list[str]


@dataclass(frozen=True)
class Check:
    """The record of an edited loop, why it isn't a fix (or ""), and the factor of its gradients."""

    record: Record
    reason: str
    factor: float = 1.0


def verdict(number: str, loop: str, torch: Any, seed: int = 0) -> str:
    """Why the text `loop` doesn't fix the failing loop `number`, as a sentence; "" if it does.

    A fix makes `.grad` the gradient of the meant loss at each step, times one factor. It moves each
    parameter with the same optimizer, and its graph doesn't grow."""
    return check_fix(number, loop, torch, seed).reason


def check_fix(number: str, loop: str, torch: Any, seed: int = 0) -> Check:
    """Run an edited loop, and compare its gradients with those of the meant loss."""
    matches: list[list[Match]] = []

    def at_step(names: dict[str, Any]) -> None:
        if "net" not in names:
            return
        losses = [eval(meant, names) for meant in LOOPS[number].meant]
        matches.append([match(loss, names["net"], torch) for loss in losses])

    record = measure(loop, torch, seed, at_step=at_step)
    if reason := _fault_of_run(record):
        return Check(record, reason)
    if not LOOPS[number].meant:
        return Check(record, _fault_of_score(record))
    if reason := _fault_of_steps(number, record):
        return Check(record, reason)
    steps = {k: found for k, found in enumerate(matches) if not _is_idle(record, k)}
    if len(steps) < STEPS:
        text = f"Only {len(steps)} steps had a gradient; the loop needs at least {STEPS}."
        return Check(record, text)
    ways = [{k: found[way] for k, found in steps.items()} for way in range(len(matches[0]))]
    faults = [_fault_of_gradients(way) for way in ways]
    if all(faults):
        return Check(record, faults[0])
    right = ways[faults.index("")]
    reason = _unmoved(record, right)
    if not reason and "grows" in record.alarms:
        reason = f"At step {record.alarms['grows'][0]}, {record.alarms['grows'][1]}."
    return Check(record, reason, next(iter(right.values())).factor)


def match(loss: Any, net: Any, torch: Any) -> Match:
    """Compare each `.grad` of `net` with the gradient of `loss`."""
    parameters = dict(net.named_parameters())
    found = torch.autograd.grad(loss, [*parameters.values()], allow_unused=True)
    meant = dict(zip(parameters, found, strict=True))
    wanted = [n for n, g in meant.items() if g is not None and _flat(g).any()]
    missing = [n for n, g in meant.items() if g is not None and parameters[n].grad is None]
    if missing:
        return Match(math.nan, math.inf, missing[0], wanted)
    blank = {n: np.zeros(p.numel()) for n, p in parameters.items()}
    ours, theirs = (
        np.concatenate([blank[n] if g is None else _flat(g) for n, g in side.items()])
        for side in ({n: p.grad for n, p in parameters.items()}, meant)
    )
    with np.errstate(all="ignore"):
        factor = ours @ theirs / (theirs @ theirs)
        rest = np.linalg.norm(ours - factor * theirs) / np.linalg.norm(ours)
    return Match(float(factor), float(rest), "", wanted)


def _flat(tensor: Any) -> np.ndarray:
    return np.ravel(array_of(tensor))


def _fault_of_run(record: Record) -> str:
    if record.error:
        return f"The loop raises {shorten(record.error, 160)}"
    if hasattr(record.names.get("net"), "named_parameters"):
        return ""
    return "The widget measures the network called `net`, and this loop has none. Keep the name."


def _fault_of_score(record: Record) -> str:
    """Loop 15 has no meant gradient, because dropout is random."""
    score = record.names.get("score")
    right = record.names["accuracy"](record.names["net"].eval())
    if score == right:
        return ""
    return f"score is {score}, but in eval mode the network reaches {right}."


def _fault_of_steps(number: str, record: Record) -> str:
    if not record.gradient:
        return "No optimizer called step(), so nothing could be measured."
    if not record.optimizers:
        first = next(iter(record.shapes))
        held = "No optimizer that called step() holds a parameter of net"
        return f"{held}: {first} never moves."
    kind, rate = OPTIMIZER.search(LOOPS[number].source).groups()
    if record.optimizers != {(kind, float(rate))}:
        used = " and ".join(f"{name}(lr={lr})" for name, lr in sorted(record.optimizers))
        keep = f"Keep {kind}(lr={rate}): another learning rate doesn't fix a gradient."
        return f"The optimizer is {used}. {keep}"
    if "nan" in record.alarms:
        step, (name, *_) = record.heard["nan"]
        return f"At step {step}, the gradient of {name} is {record.gradient[step][name]}."
    return ""


def _is_idle(record: Record, step: int) -> bool:
    """Whether a step found no gradient and moved nothing."""
    return not any(record.gradient[step].values()) and not any(record.moved[step].values())


def _fault_of_gradients(steps: dict[int, Match]) -> str:
    first = next(iter(steps.values())).factor
    for step, found in steps.items():
        at = f"At step {step}, "
        if found.missing:
            return f"{at}{found.missing}.grad is None, but the meant loss depends on it."
        if not found.rest < SAME:
            apart = f"{100 * found.rest:.3g}% of its length"
            return f"{at}.grad differs from the gradient of the meant loss by {apart}."
        if found.factor <= 0:
            return f"{at}.grad points against the gradient of the meant loss: check the sign."
        if abs(found.factor / first - 1) > SAME:
            times = f"{found.factor:.3g} times the gradient of the meant loss"
            return f"{at}.grad is {times}, and {first:.3g} times at the first step."
    return ""


def _unmoved(record: Record, steps: dict[int, Match]) -> str:
    for step, found in steps.items():
        for name in found.wanted:
            if not record.moved[step].get(name):
                return f"At step {step}, {name} has a gradient and does not move."
    return ""
