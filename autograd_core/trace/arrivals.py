"""The backward passes between two steps: their losses, and which of them add to the `.grad` of each
parameter, watched by hooks.
"""

import sys
import weakref
from collections.abc import Iterable, Sequence
from functools import partial
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from .measure import holds_numbers
from .nodes import engine_of, is_leaf, numbers_of, some_nodes
from .sentences import FOLLOW
from .surprises import Surprise

BACKWARD = ("torch.autograd", "autograd_core.autograd.entry")  # modules of the function `backward`


class Loss(NamedTuple):
    """The number of a loss, nan if it has several; and the number of nodes in its graph, nan if they
    weren't counted.
    """

    loss: float
    nodes: float


class Losses:
    """The losses of the backward passes since the latest step. A hook on each parameter calls
    `arrives`, which finds the loss on Python's stack, unless PyTorch runs it in another thread.
    """

    def __init__(self) -> None:
        self._passes: list[Loss] = []
        self._roots: list[weakref.ref[Any]] = []  # the tensors on which the latest pass was called
        self._reached: set[int] = set()  # the parameters that the latest pass has reached
        self._waiting: set[int] = set()  # the parameters that passes have reached since the step
        self.leaves: list[weakref.ref[Any]] = []  # of the first graph that was measured
        self.too_large = False  # a graph of PyTorch's had too many nodes, so no more are counted

    def arrives(self, place: int, grad: Any) -> None:
        """A pass brings a gradient to the parameter at `place`, whose `.grad` is `grad` so far."""
        roots = roots_of_pass()
        if not roots or not all(hasattr(root, "grad_fn") for root in roots):
            return
        if place in self._reached or not self.latest_began_at(*roots):
            if place in self._waiting and (grad is None or not holds_numbers(grad)):
                self._passes, self._waiting = [], set()  # the earlier gradients were cleared
            self._roots, self._reached = [*map(weakref.ref, roots)], set()
            self._passes.append(total(map(self.measure, roots)))
        self._reached.add(place)
        self._waiting.add(place)

    def latest_began_at(self, *losses: Any) -> bool:
        """Whether `backward` of the latest pass was called on these tensors."""
        return [*map(id, losses)] == [id(root()) for root in self._roots]

    def take(self) -> Loss | None:
        """The sum of the losses since the latest step; None if none is known."""
        passes, self._passes, self._waiting = self._passes, [], set()
        return total(passes) if passes else None

    def measure(self, loss: Any) -> Loss:
        """The number and the nodes of `loss`. After a PyTorch graph that is too large, no more nodes
        are counted, because the graph may grow (see `check_bearable`).
        """
        found, large = ([], False) if self.too_large else some_nodes(loss.grad_fn)
        self.leaves = self.leaves or [weakref.ref(n.variable) for n in found if is_leaf(n)]
        self.too_large |= large and engine_of(loss) == "torch"
        numbers = numbers_of(loss).real
        number = float(numbers.item()) if numbers.size == 1 else np.nan
        return Loss(number, np.nan if large or self.too_large else len(found))


def total(losses: Iterable[Loss]) -> Loss:
    """The sums of the numbers and of the nodes of some losses."""
    numbers, nodes = zip(*losses)
    return Loss(sum(numbers), sum(nodes))


def roots_of_pass() -> tuple[Any, ...]:
    """The tensors on which the backward pass in this thread was called, found on Python's stack. If
    passes are nested, the outermost one counts; () if none runs.
    """
    roots: Any = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "backward" and frame.f_globals.get("__name__") in BACKWARD:
            roots = frame.f_locals["tensors"]
        frame = frame.f_back
    return tuple(roots) if isinstance(roots, list | tuple) else (roots,)


class Arrivals:
    """`reused` has the first gradient of each parameter that was used twice, by its index."""

    def __init__(self, names: tuple[str, ...]):
        self.names, self.losses = names, Losses()
        self.reused: dict[int, Surprise] = {}
        # _waits: a pass has added to `.grad` since the last step. _twice: `.grad` still held the
        # gradient of that step.
        self._waits, self._twice = np.zeros((2, len(names)), bool)
        self._found: dict[int, tuple[bool, bool]] = {}  # `.grad` was empty; held a used gradient
        self._used: dict[int, tuple[Any, int, int]] = {}  # `.grad`, its version, the step
        self._hooked: dict[int, tuple[Any, ...]] = {}  # (weakref of a parameter, its hooks)

    def hook(self, parameters: Iterable[Any]) -> None:
        """Put hooks on the parameters that are new or no longer frozen."""
        for place, p in enumerate(parameters):
            former, *handles = self._hooked.get(place, (lambda: None,))
            if former() is not p and p.requires_grad:
                for handle in handles:
                    handle.remove()
                arrives = p.register_hook(partial(self._arrives, place, known := weakref.ref(p)))
                after = p.register_post_accumulate_grad_hook(partial(self._arrived, place))
                self._hooked[place] = known, arrives, after

    def stop(self) -> None:
        for _, *handles in self._hooked.values():
            for handle in handles:
                handle.remove()
        self._hooked = {}

    def _arrives(self, place: int, known: Any, _gradient: Any) -> None:
        grad = known().grad
        former, version, _ = self._used.get(place, (lambda: None, 0, 0))
        # a step has used `.grad`, and `.grad` hasn't been modified since
        used = grad is not None and former() is grad and grad._version == version
        empty = grad is None or (used or self._twice[place]) and not holds_numbers(grad)
        self._found[place] = empty, used and not empty
        self.losses.arrives(place, grad)

    def _arrived(self, place: int, parameter: Any) -> None:
        empty, used = self._found.pop(place, (False, False))
        if parameter.grad is not None:  # else the learner's own hook has stepped and cleared it
            self._waits[place] = True
            self._twice[place] = used or self._twice[place] and not empty

    def brought(self, held: np.ndarray) -> bool:
        return bool(self._waits[held].any())

    def step_ended(
        self, step: int, held: np.ndarray, gradient: np.ndarray, parameters: Sequence[Any]
    ) -> None:
        """Record a step that used the gradients at `held`. `gradient` has the norms of them all."""
        for place in np.flatnonzero(held).tolist():
            grad, (*_, before) = parameters[place].grad, self._used.pop(place, (0,))
            if self._twice[place] and gradient[place] > 0 and place not in self.reused:
                text = FOLLOW["twice"].format(before=before)
                self.reused[place] = Surprise(step, self.names[place], "twice", text)
            if grad is not None:
                self._used[place] = weakref.ref(grad), grad._version, step
        self._twice[held] = False
        self._waits[:] = False
