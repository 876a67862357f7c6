"""`watching()`: record a forward, so that `watch(loss)` can say more than the graph tells.

from autograd_core import watch, watching

with watching():
    loss = model(x).sum()
watch(loss)                     values, source lines, modules, and where and why paths end
"""

import contextlib
import threading
from collections import deque

from ..trace import Tape
from ..trace.summary import Budget

LATEST, THREADS = 2, 4  # so many recordings are kept, of each of so many threads
_kept = {}  # the latest recordings of each thread, which `watch` finds a loss on; its own at the end
_keeping = threading.Lock()


@contextlib.contextmanager
def watching():
    """Record what PyTorch and autograd_core do inside this `with` block; no number changes by that.

    A recording keeps up to 16 MB of values and gradients. It keeps a summary of every tensor that
    is larger than 1 MB or that no longer fits: shape, norm, smallest and largest number, and how
    many numbers are 0, nan and inf.

    Backward passes, steps and zeroings are recorded too. The latest two recordings of a thread
    are kept, and with them the parameters that their backward passes reached. Nothing is left on
    tensors or modules when the block ends, nor when it raises; hooks of your own run as often as
    without it."""
    from .torch_tape import TorchTape  # PyTorch takes a second to load, for those who record

    budget = Budget()
    tapes = Tape(budget=budget), TorchTape(budget=budget)
    _keep(tapes)
    with tapes[0].recording(), tapes[1].recording():
        yield


def _keep(tapes):
    """Another thread's recordings push out none of this one's."""
    thread = threading.get_ident()
    with _keeping:
        mine = _kept.pop(thread, None) or deque(maxlen=LATEST)
        mine.append(tapes)
        _kept[thread] = mine
        if len(_kept) > THREADS:
            del _kept[next(iter(_kept))]
