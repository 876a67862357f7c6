"""How far a training is: one bar for the notebook, which each training moves, on whichever engine.

    progress_bar(steps=241)                                     shows it
    for step in progress(range(241), T.__name__): ...           moves it

What PyTorch's side of a %%both cell shows is not seen, so the loop itself shows nothing."""

from collections.abc import Iterator, Sequence

import ipywidgets

MOVES = 100  # of the bar in one training: a kernel keeps 2,000 unread messages and drops others


class Bar(ipywidgets.FloatProgress):
    """Whose training it is, the number of steps that are done, and a bar."""

    def move(self, label: str, done: int, steps: int) -> None:
        """Show that `done` of the `steps` of `label` are done."""
        self.max, self.value = max(steps, 1), done
        self.description = f"{label}{done} of {steps}"

    def __repr__(self) -> str:
        return self.description


_bar = Bar(style={"description_width": "initial"})


def progress_bar(steps: int | None = None) -> Bar:
    """The bar, to be shown; with `steps` it is empty, and as long as they are."""
    if steps is not None:
        _bar.move("", 0, steps)
    return _bar


def progress(steps: Sequence[int], label: str) -> Iterator[int]:
    """Each of `steps`. The bar says `label`, and moves when another hundredth is done."""
    _bar.move(f"{label}: ", 0, len(steps))
    for done, step in enumerate(steps, 1):
        yield step
        if done * MOVES // len(steps) > (done - 1) * MOVES // len(steps):
            _bar.move(f"{label}: ", done, len(steps))
