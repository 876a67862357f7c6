"""Check a loss before it is traced, and raise the errors that PyTorch raises."""

from typing import Any

from .cuts import severed, why_cut
from .nodes import shape_and_type
from .provenance import FROZEN, TRAINED
from .statements import Statement
from .tape import Tape, tape_of

NO_GRAPH = "this tensor does not require grad and does not have a grad_fn, so there is no graph: "
GENERAL = "compute it from a tensor with requires_grad=True, outside of no_grad()"


def check_loss(loss: Any, caller: str) -> None:
    """Raise TypeError if `loss` isn't a tensor, and RuntimeError if it has no graph or no numbers.
    `caller` is the function that the learner called.
    """
    if not hasattr(loss, "grad_fn"):
        raise TypeError(f"{caller}() takes a tensor as the loss, but got {type(loss).__name__}")
    if getattr(loss, "is_meta", False):  # also for PyTorch's fake tensors
        raise RuntimeError("this tensor is on the device 'meta', so it has no numbers to show")
    if loss.grad_fn is None and loss.requires_grad:
        raise RuntimeError(
            "this tensor is a leaf, which no operation made: it has no grad_fn, and there is no"
            f" graph to show. Compute a loss from it, and call {caller}() with that"
        )
    if loss.grad_fn is None:
        tape = tape_of(loss, ())
        raise RuntimeError(NO_GRAPH + (tape and _lost(loss, tape) or GENERAL))


def check_start(loss: Any) -> None:
    """Raise RuntimeError if a tensor has several elements."""
    if loss.numel() != 1:
        shape, _ = shape_and_type(loss)
        raise RuntimeError(
            f"grad can be implicitly created only for scalar outputs, and this has the shape {shape}:"
            " make one number of it, loss.mean() or loss.sum()"
        )


def _lost(loss: Any, tape: Tape) -> str:
    """Why a tensor that `tape` recorded isn't in the graph, or "" if the reason is unknown."""
    source, frozen = tape.source_of(loss), set()
    if source.cut:
        return _ends(source.cut, source.statement)
    reached = severed(tape.forward, [source.producer]) | {source.producer}
    nearest_first = (tape.forward[key] for key in reversed(tape.forward) if key in reached)
    for operation in nearest_first:
        for x in operation.inputs:
            if x.source and x.source.depends is TRAINED:
                why, statement = why_cut(tape.forward, operation, x)
                if not why and x.in_graph:
                    why, statement = operation.mode, operation.switch or operation.statement
                if why:
                    return _ends(why, statement)
            elif x.source and x.source.depends is FROZEN and x.source.producer not in tape.forward:
                frozen.add(x.source.producer)
    if not frozen:
        return ""
    known = len(frozen) > 1 and all(key in tape.leaves for key in frozen)
    count = f"all {len(frozen)}" if known else "the"
    return f"{count} parameters that it was computed from have requires_grad=False"


def _ends(why: str, statement: Statement | None) -> str:
    text = " ".join(str(statement or "").split())
    place = f" ({statement.place})" if statement and statement.place else ""
    at = f", {text}{place}" if text else ""
    return f"it is cut off from the parameters: {why}{at}"
