"""What backward passes bring to the `.grad` of parameters between two steps, known by hooks."""

import weakref
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .losses import Losses
from .measure import holds_numbers
from .surprises import Surprise

TWICE = (
    "its .grad still had what step {before} used when backward() added to it, and this step uses"
    " both: is zero_grad() missing?"
)
AGAIN = (
    "this step uses the gradient of step {before} once more: no backward() brought it another one,"
    " and nothing cleared it"
)


class Arrivals:
    """Of each parameter, by its place: `reused`, the first gradient that was used twice.

    dropped  of each pass whose gradients went before a step used them, after how many steps it ran
    passes   how many passes reached the parameter that was the first to be reached
    looks    whether it is looked at whether all that arrives is 0
    losses   the losses of the passes
    """

    def __init__(self, names: tuple[str, ...]):
        self.names, self.losses = names, Losses(len(names))
        self.reused: dict[int, Surprise] = {}
        self.dropped: list[int] = []
        self.passes, self.looks = 0, True
        self._steps, self._stepping, self._first = 0, False, -1
        # since the last step of its optimizer: a pass has added to `.grad`, in which there was still
        # what that step used; and some number was not 0. A pass has, and no step of any came since.
        self._since, self._twice, self._numbers, self._waits = np.zeros((4, len(names)), bool)
        self._versions = [0] * len(names)  # of `.grad` when something was added last
        self._found: dict[int, tuple[bool, bool]] = {}  # by a pass: nothing there, or used numbers
        self._used: dict[int, tuple[Any, int, int]] = {}  # `.grad`, its version, the step
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
            used = grad is not None and self._is_used(place, grad)
            empty = self._is_cleared(place, grad)
            if not empty and (used or self._twice[place]):
                empty = not holds_numbers(grad)
            self._found[place] = empty, used and not empty
            self.losses.arrives(place, empty)

        return arrives

    def _after_it(self, place: int) -> Any:
        def arrived(parameter: Any) -> None:
            empty, used = self._found.pop(place, (False, False))
            if parameter.grad is None:  # a hook of the learner's has stepped, and cleared it
                return
            if empty and self._waits[place] and not self._stepping:
                self.drop()
            self._first = place if self._first < 0 else self._first
            self.passes += place == self._first
            self._waits[place] = self._since[place] = True
            self._twice[place] = used or self._twice[place] and not empty
            self._versions[place] = parameter.grad._version
            if self.looks and not self._numbers[place]:
                self._numbers[place] = holds_numbers(parameter.grad)

        return arrived

    def _is_cleared(self, place: int, grad: Any) -> bool:
        """Whether `.grad` is empty because it was cleared before a step used it."""
        if grad is None:
            return True
        waits = self._waits[place] or self.losses.are_known(place)
        return bool(waits and grad._version != self._versions[place]) and not holds_numbers(grad)

    def _is_used(self, place: int, grad: Any) -> bool:
        """Whether `.grad` is as a step has used it, and nobody has written to it since."""
        former, version, _ = self._used.get(place, (None, 0, 0))
        return former is not None and former() is grad and grad._version == version

    @property
    def waits(self) -> bool:
        """Whether a pass has reached a parameter since the latest step."""
        return bool(self._waits.any())

    def brought(self, held: np.ndarray) -> tuple[bool, bool | None]:
        """Whether something came since the last step, and something that is not 0, if known."""
        came = bool(self._since[held].any())
        return came, bool(self._numbers[held].any()) if came and self.looks else None

    def step_begins(self, parameters: Sequence[Any]) -> None:
        self.hook(parameters)
        for place, parameter in enumerate(parameters):
            if self.losses.are_known(place) and self._is_cleared(place, parameter.grad):
                self.losses.forget(place)
        self._stepping = True

    def drop(self) -> None:
        """No step uses what has come since the latest one."""
        self.dropped.append(self._steps)
        self._waits[:] = self._stepping = False

    def step_ended(
        self, step: int, held: np.ndarray, gradient: np.ndarray, parameters: Sequence[Any]
    ) -> None:
        """A step has used the gradients at `held`, of these norms."""
        self._steps, self._stepping = step + 1, False
        for place in map(int, np.flatnonzero(held)):
            grad, (*_, before) = parameters[place].grad, self._used.get(place, (0,))
            again = grad is not None and self._is_used(place, grad)
            if (again or self._twice[place]) and gradient[place] > 0 and place not in self.reused:
                kind, text = ("again", AGAIN) if again else ("twice", TWICE)
                text = text.format(before=before)
                self.reused[place] = Surprise(step, self.names[place], kind, text)
            self._used.pop(place, None)
            if grad is not None:
                self._used[place] = weakref.ref(grad), grad._version, step
        self._since[held] = self._twice[held] = self._numbers[held] = False
        self._waits[:] = False
