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
from ..trace.summary import DEFAULT_KEEP, Budget, bytes_of

LATEST, THREADS = 4, 4  # so many recordings are kept, of each of so many threads
_kept = {}  # the latest recordings of each thread, which `watch` finds a loss on; its own at the end
_keeping = threading.Lock()
_budget = Budget()  # all of them share it


@contextlib.contextmanager
def watching(keep=DEFAULT_KEEP):
    """Record what PyTorch and autograd_core do inside this `with` block; no number changes by that.

    keep  how much of values and gradients is kept whole, "200 MB" for example, by all recordings
          together. Of every other tensor a summary is kept: shape, norm, smallest and largest
          number, how many are 0, nan and inf.

    Backward passes, steps and zeroings are recorded too. The latest four recordings of a thread
    are kept, and with them the parameters that their backward passes reached. Nothing is left on
    tensors or modules when the block ends, nor when it raises; hooks of your own run as often as
    without it.
    Raises ValueError for a `keep` that says no size."""
    from .torch_tape import TorchTape  # PyTorch takes a second to load, for those who record

    _budget.most = bytes_of(keep)
    _budget.next_recording()
    tapes = Tape(budget=_budget), TorchTape(budget=_budget)
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
