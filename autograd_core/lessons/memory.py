"""The memory that a run holds, as PyTorch's own allocator reports it, and the life of a node."""

import gc
import weakref
from collections.abc import Callable
from itertools import accumulate
from typing import Any


def bytes_held(run: Callable[[], object]) -> list[int]:
    """The bytes that `run` holds on the CPU, after each time that it took memory or gave some back.

    Counted is what it takes itself. If it gives back what was there before, PyTorch warns: clear
    gradients beforehand."""
    # the newer profiler writes to the screen, and takes seconds
    from torch.autograd import profiler_legacy as profiler

    gc.collect()
    profiler._enable_profiler_legacy(profiler.profile(profile_memory=True).config())
    try:
        run()
    finally:
        threads = profiler._disable_profiler_legacy()
    changes = [
        event.cpu_memory_usage()
        for thread in threads
        for event in thread
        if event.kind() == "memory_alloc"
    ]
    return list(accumulate(changes))


def hang_note(tensor: Any) -> Callable[[], bool]:
    """A function that says whether the node that made `tensor`, of either engine, is still alive."""

    def note(gradients: object) -> None:
        """What only one node holds."""

    tensor.grad_fn.register_prehook(note)
    there = weakref.ref(note)
    return lambda: there() is not None
