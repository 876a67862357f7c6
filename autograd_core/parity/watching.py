"""`watching()`: record a forward, so that `watch(loss)` can say more than the graph tells.

    with watching():
        loss = model(x).sum()
    watch(loss)                     values, source lines, modules, and where and why paths end
"""

import contextlib
from collections import deque

from ..trace import Tape

_kept = deque(maxlen=4)             # the latest recordings: `watch` finds a loss on them as long as they are here


@contextlib.contextmanager
def watching(limit=5_000):
    """Record what PyTorch and autograd_core do inside this `with` block; no number changes by that.

    Backward passes, steps and zeroings are recorded too. The latest `limit` operations are kept, and the latest four
    recordings. Nothing is left on tensors or modules when the block ends, nor when it raises.
    """
    from .torch_tape import TorchTape  # PyTorch takes a second to load: only who records waits for it
    tapes = Tape(limit=limit), TorchTape(limit)
    _kept.append(tapes)
    with tapes[0].recording(), tapes[1].recording():
        yield
