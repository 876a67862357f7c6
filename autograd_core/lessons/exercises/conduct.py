"""How a learner's function computed its results, and how much it printed."""

import contextlib
import io
import sys
from collections.abc import Iterator

import torch
from torch.overrides import TorchFunctionMode

from ...core.recording import recording
from ...trace.nodes import walk

LINES = 20


class Conduct(TorchFunctionMode):
    """The backward passes of a function in either engine, and the operations before them."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0  # how many times the learner's function was called
        self.passes = 0  # backward passes, also by `autograd.grad`
        self.differentiated = 0  # passes whose vector requires a gradient
        self.retained = 0  # passes that did not free the graph
        self.shapes: set[tuple[int, ...]] = set()  # the arguments' shapes of recorded operations
        self.order: list[str] = []  # the names of recorded nodes, and "backward" for each pass
        # PyTorch's in-place calls: whether recorded, the nodes of the inputs
        self.writes: list[tuple] = []

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Observe one call of the learner's function."""
        self.calls += 1
        with recording.subscribed(self), self:
            yield

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Observe a call of a function of PyTorch."""
        kwargs = kwargs or {}
        made = function(*args, **kwargs)
        if function.__name__ in ("backward", "grad"):
            vectors = kwargs.get("grad_outputs")
            vectors = [vectors] if isinstance(vectors, torch.Tensor) else vectors or []
            self.differentiated += any(getattr(v, "requires_grad", False) for v in vectors)
            self.on_pass(bool(kwargs.get("retain_graph") or kwargs.get("create_graph")))
            return made
        if any(made is arg for arg in args[:1]):
            inputs = made.grad_fn.next_functions if made.grad_fn else ()
            self.writes.append((torch.is_grad_enabled(), [n and n.name() for n, _ in inputs]))
        for out in made if isinstance(made, tuple) else [made]:
            # some functions return their argument: `x.double()`
            if isinstance(out, torch.Tensor) and not any(out is arg for arg in args):
                self.on_operation(function, out.grad_fn, args, made)
        return made

    @contextlib.contextmanager
    def during_backward(self, roots, accumulates: bool) -> Iterator[None]:
        """Observe a pass of autograd_core."""
        yield
        nodes = walk(*(getattr(root, "grad_fn", None) for root in roots))
        self.on_pass(any(getattr(node, "versions", ()) for node in nodes))

    def on_pass(self, retained: bool) -> None:
        self.passes += 1
        self.order.append("backward")
        self.retained += retained

    def on_operation(self, operation, node, args, outs) -> None:
        if node is not None:
            self.order.append(node.name())
            self.shapes |= {tuple(part.shape) for part in args if hasattr(part, "shape")}


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
