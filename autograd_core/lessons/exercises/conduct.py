"""How an exercise was solved: what the learner's function did, and how much it printed."""

import contextlib
import io
import sys
from collections.abc import Iterator

from ...core.recording import recording
from ...trace.nodes import is_leaf, walk

LINES = 20


class Conduct:
    """A subscriber to the engine: the backward passes, and what was computed for them."""

    def __init__(self) -> None:
        self.calls = 0  # of the learner's function
        self.passes = 0  # backward, those of `autograd.grad` included
        self.retained = 0  # those after which a node still had a tensor saved
        self.shapes: set[tuple[int, ...]] = set()  # of what recorded operations took
        self.order: list[str] = []  # the names of recorded nodes, and "backward" for each pass
        self.on_leaves: set[str] = set()  # the names of recorded nodes that took a leaf as input

    @contextlib.contextmanager
    def during_backward(self, roots, accumulates: bool) -> Iterator[None]:
        yield
        self.passes += 1
        self.order.append("backward")
        nodes = walk(*(getattr(root, "grad_fn", None) for root in roots))
        self.retained += any(getattr(node, "versions", ()) for node in nodes)

    def on_operation(self, operation, node, args, outs) -> None:
        if node is not None:
            self.order.append(node.name())
            self.shapes |= {tuple(part.shape) for part in args if hasattr(part, "shape")}
            if any(next_node and is_leaf(next_node) for next_node, _ in node.next_functions):
                self.on_leaves.add(node.name())

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        self.calls += 1
        with recording.subscribed(self):
            yield


def kind_of(value: object) -> str:
    """ "a list", "an int"."""
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


class few_lines(io.TextIOBase):
    """A context that lets the first `LINES` lines through that are printed inside, and counts the
    others."""

    def __enter__(self) -> None:
        self.lines, self.through, sys.stdout = 0, sys.stdout, self

    def __exit__(self, *_: object) -> None:
        sys.stdout = self.through
        if self.lines > LINES:
            print(f"… and {self.lines - LINES:,} more lines")

    def write(self, text: str) -> int:
        for line in text.splitlines(keepends=True):
            if self.lines < LINES:
                self.through.write(line if len(line) <= 200 else line[:200] + "…\n")
            self.lines += line.endswith("\n")
        return len(text)
