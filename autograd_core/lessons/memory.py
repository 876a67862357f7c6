"""The memory that a run holds, as PyTorch's own allocator reports it."""

import gc
from collections.abc import Callable


def bytes_held(run: Callable[[], object]) -> list[tuple[str, int]]:
    """The events of `run` that took memory or gave some back: the name of an operation ("tanh") or
    of a node ("TanhBackward0"), and the most bytes that were held on the CPU until the next one.

    The count contains only memory that `run` allocates. If `run` frees memory that was allocated
    earlier, PyTorch warns, so clear the gradients first."""
    # the newer profiler writes to the screen, and takes seconds
    from torch.autograd import profiler_legacy as profiler

    gc.collect()
    profiler._enable_profiler_legacy(profiler.profile(profile_memory=True).config())
    try:
        run()
    finally:
        threads = profiler._disable_profiler_legacy()
    held, depth, events = 0, 0, [("", 0)]
    for event in (event for thread in threads for event in thread):
        kind = event.kind()
        if kind == "push":
            if depth == 0:
                events.append((event.name().rpartition(":")[2].strip(), -1))
            depth += 1
        elif kind == "pop":
            depth -= 1
        elif kind == "memory_alloc":
            held += event.cpu_memory_usage()
            events[-1] = events[-1][0], max(events[-1][1], held)
    return [(name, most) for name, most in events[1:] if most >= 0]
