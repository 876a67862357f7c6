"""Watch by hooks which backward passes add to the `.grad` of parameters between two steps."""

import weakref
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .losses import Losses
from .measure import holds_numbers
from .sentences import FOLLOW
from .surprises import Surprise


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

    @property
    def waits(self) -> bool:
        """Whether a backward pass has reached a parameter since the latest step."""
        return bool(self._waits.any())

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
