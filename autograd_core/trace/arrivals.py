"""What backward passes bring to the `.grad` of parameters between two steps, known by hooks."""

import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from .measure import holds_numbers


class Arrivals:
    """Of each parameter, by its place:

    since   whether a pass has added to its `.grad` since the last step of its optimizer
    twice   whether that `.grad` still had the numbers which that step used
    numbers whether something arrived that is not 0; looked at while `looks`

    dropped  of each pass whose gradients went before a step used them, after how many steps it ran
    passes   how many passes reached the parameter that was the first to be reached
    """

    def __init__(self, count: int):
        self.since, self.twice, self.numbers = np.zeros((3, count), bool)
        self.dropped: list[int] = []
        self.passes, self.looks, self.stepping = 0, True, False
        self._steps, self._first = 0, -1
        self._waits = np.zeros(count, bool)  # has a gradient that no step has seen
        self._versions = [0] * count  # of `.grad` when something was added last
        self._found: dict[int, tuple[bool, bool]] = {}  # by a pass: nothing there, or used numbers
        self._used: dict[int, tuple[Any, int]] = {}  # by a step: `.grad` and its version
        self._hooked: dict[int, tuple[Any, ...]] = {}  # (weakref of a parameter, its hooks)

    def hook(self, parameters: Iterable[Any]) -> None:
        """Hear of these from now on; of those that are new, and of those no longer frozen."""
        for place, parameter in enumerate(parameters):
            former, *handles = self._hooked.get(place, (lambda: None,))
            if former() is not parameter and parameter.requires_grad:
                for handle in handles:
                    handle.remove()
                known = weakref.ref(parameter)
                self._hooked[place] = (
                    known,
                    parameter.register_hook(self._before_it(place, known)),
                    parameter.register_post_accumulate_grad_hook(self._after_it(place)),
                )

    def stop(self) -> None:
        """Leave no hook."""
        for _, *handles in self._hooked.values():
            for handle in handles:
                handle.remove()
        self._hooked = {}

    def _before_it(self, place: int, known: Any) -> Any:
        def arrives(_gradient: Any) -> None:
            grad = known().grad
            if grad is None:
                self._found[place] = True, False
                return
            used = self._is_used(place, grad)
            written = self._waits[place] and grad._version != self._versions[place]
            look = used or written or self.twice[place]
            empty = bool(look) and not holds_numbers(grad)
            self._found[place] = empty, used and not empty

        return arrives

    def _after_it(self, place: int) -> Any:
        def arrived(parameter: Any) -> None:
            empty, used = self._found.pop(place, (False, False))
            if empty and self._waits[place] and not self.stepping:
                self.dropped.append(self._steps)
                self._waits[:] = False
            self._first = place if self._first < 0 else self._first
            self.passes += place == self._first
            self._waits[place] = self.since[place] = True
            self.twice[place] = used or self.twice[place] and not empty
            self._versions[place] = parameter.grad._version
            if self.looks and not self.numbers[place]:
                self.numbers[place] = holds_numbers(parameter.grad)

        return arrived

    def _is_used(self, place: int, grad: Any) -> bool:
        """Whether `.grad` is as a step has used it, and nobody has written to it since."""
        former, version = self._used.get(place, (None, 0))
        return former is not None and former() is grad and grad._version == version

    def again(self, place: int, grad: Any) -> bool:
        """Whether a step finds what the step before it has used."""
        return not self.since[place] and self._is_used(place, grad)

    def step_ended(self, places: Iterable[int], parameters: Any) -> None:
        """A step has used the gradients at `places`."""
        self._steps, self.stepping = self._steps + 1, False
        self._waits[:] = False
        for place in places:
            grad = parameters[place].grad
            self.since[place] = self.twice[place] = self.numbers[place] = False
            self._used.pop(place, None)
            if grad is not None:
                self._used[place] = weakref.ref(grad), grad._version
