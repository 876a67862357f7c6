"""`watching()` records a forward pass, so `watch(loss)` can show more than the graph contains.

from autograd_core import watch, watching

with watching():
    loss = model(x).sum()
watch(loss)                # also shows values, source lines, modules, and where and why paths end
"""

import contextlib
import threading
from collections import deque

from ..trace import Tape
from ..trace.summary import Budget
from .torch_tape import TorchTape

LATEST, THREADS = 2, 4  # recordings that are kept for each thread, and threads
_kept = {}  # {thread: its latest recordings}, in which `watch` finds a loss; the latest thread last
_keeping = threading.Lock()


@contextlib.contextmanager
def watching():
    """Record the operations of PyTorch and autograd_core inside this `with` block. It doesn't change
    any result.

    A recording keeps up to 16 MB of values and gradients. For every tensor that is larger than 1 MB
    or no longer fits, it keeps a summary: shape, norm, smallest and largest number, and the counts
    of 0, nan and inf.

    It also records backward passes, steps and cleared gradients. The latest two recordings of a
    thread are kept, and with them the parameters that their backward passes reached. All hooks are
    removed when the block ends, even by an exception. Your own hooks run as often as without it."""
    budget = Budget()
    tapes = Tape(budget=budget), TorchTape(budget=budget)
    _keep(tapes)
    with tapes[0].recording(), tapes[1].recording():
        yield


def _keep(tapes):
    """Keep the recordings of this thread. They don't replace those of another thread."""
    thread = threading.get_ident()
    with _keeping:
        mine = _kept.pop(thread, None) or deque(maxlen=LATEST)
        mine.append(tapes)
        _kept[thread] = mine
        if len(_kept) > THREADS:
            del _kept[next(iter(_kept))]
