"""`watching()` records a forward pass, so `watch(loss)` can show more than the graph contains.

from autograd_core import watch, watching

with watching():
    loss = model(x).sum()
watch(loss)                # also shows values, source lines, modules, and where and why paths end
"""

import contextlib
from collections import deque

from ..trace import Tape
from ..trace.summary import Budget
from .torch_tape import TorchTape

_kept = deque(maxlen=2)  # the latest recordings, in which `watch` and `report` find a loss


@contextlib.contextmanager
def watching():
    """Record the operations of PyTorch and autograd_core in this `with` block. It doesn't change any
    result.

    A recording keeps up to 16 MB of values and gradients. For every tensor that is larger than 1 MB
    or no longer fits, it keeps a summary: shape, norm, smallest and largest number, and the counts
    of 0, nan and inf.

    It also records backward passes, steps and cleared gradients. The latest two recordings are kept,
    and with them the parameters that their backward passes reached. All hooks are removed when the
    block ends, even by an exception. Your own hooks run as often as without it."""
    budget = Budget()
    tapes = Tape(budget=budget), TorchTape(budget=budget)
    _kept.append(tapes)
    with tapes[0].recording(), tapes[1].recording():
        yield
