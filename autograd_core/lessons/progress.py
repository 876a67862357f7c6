"""How far a training is: one bar for the notebook, which each training moves, on whichever engine.

    progress_bar(steps=241)                                     shows it
    for step in progress(range(241), T.__name__): ...           moves it

What PyTorch's side of a %%both cell shows is not seen, so the loop itself shows nothing."""

from collections.abc import Iterator, Sequence

import ipywidgets

WIDE = 10  # characters, where a bar is written as text
MOVES = 100  # of the bar in one training: a kernel keeps 2,000 unread messages and drops others


class Bar(ipywidgets.HBox):
    """Whose training it is, a bar, and the number of steps that are done."""

    def __init__(self) -> None:
        self.name, self.count = ipywidgets.Label(), ipywidgets.Label()
        self.bar = ipywidgets.FloatProgress()
        super().__init__([self.name, self.bar, self.count])

    def move(self, done: int, steps: int) -> None:
        """Show that `done` of `steps` are done."""
        self.bar.max, self.bar.value = max(steps, 1), done
        self.count.value = f"{done} of {steps}"

    def __repr__(self) -> str:
        filled = "#" * int(WIDE * self.bar.value / self.bar.max)
        return f"{self.name.value} {filled:{WIDE}} {self.count.value}"


_bar = Bar()


def progress_bar(steps: int | None = None) -> Bar:
    """The bar, to be shown; with `steps` it is empty, and as long as they are."""
    if steps is not None:
        _bar.name.value = ""
        _bar.move(0, steps)
    return _bar


def progress(steps: Sequence[int], label: str) -> Iterator[int]:
    """Each of `steps`. The bar says `label`, and moves when another hundredth is done."""
    _bar.name.value = f"{label}: "
    _bar.move(0, len(steps))
    for done, step in enumerate(steps, 1):
        yield step
        if done * MOVES // len(steps) > (done - 1) * MOVES // len(steps):
            _bar.move(done, len(steps))
