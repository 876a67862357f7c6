"""`processes`: a function in several processes at once, joined by gloo on this machine, for lesson
16.

    sums = processes(4, gradient, on_torch.gradient)
    sums["autograd_core"][0], sums["torch"][0]              what process 0 returned on each engine

The processes end with the call, however it ends: by a result, an error, an interrupt, or the death
of the notebook."""

import builtins
import contextlib
import dis
import inspect
import marshal
import os
import signal
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import autograd_core

MOST = 16
"""Processes; where they cannot be forked, each takes a second and 300 MB to load PyTorch."""

FORKS = sys.platform == "linux"
"""Whether one process loads PyTorch and all others are forked from it. Elsewhere a system library
may forbid that.
"""

PAUSE = 0.01  # seconds between two looks at the processes


def processes(
    world: int, function: Callable, other: Callable | None = None, *, seconds: float = 300
) -> dict[str, list]:
    """Call `function(rank, world)` in `world` new processes, in each with its own rank, 0 to `world
    - 1`.

    other  the same function on the other engine, called in the same processes after it.

    A process has what the function names, and nothing else of the notebook: other functions,
    modules, numbers, text, and lists and dicts of them. T, F, nn and optim are the function's
    engine. Tensors are made in the process.
    Returns, by the name of the engine ("autograd_core" or "torch"), what each process returned,
    tensors as lists. What a process prints is printed when all are done.

    Raises TypeError or ValueError for what cannot be sent, RuntimeError with the process's own
    error if one fails, and TimeoutError if they are not done after `seconds`.
    """
    if not isinstance(world, int) or not 1 <= world <= MOST:
        raise ValueError(
            f"processes({world!r}, ...): the number of processes is a whole number from 1 to {MOST}"
        )
    functions = [function] if other is None else [function, other]
    task = marshal.dumps([(each.__name__, _names_of(each)) for each in functions])
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "task").write_bytes(task)
        with _started(place, world) as running:
            _wait(running, place, world, seconds)
        outcomes = [_outcome(place, rank) for rank in range(world)]
    for rank, outcome in enumerate(outcomes):
        for line in outcome["printed"].splitlines():
            print(f"process {rank}: {line}")
    return {
        _engine_of(each): [outcome["results"][i] for outcome in outcomes]
        for i, each in enumerate(functions)
    }


@contextlib.contextmanager
def _started(place: Path, world: int) -> Iterator[list[subprocess.Popen]]:
    """The processes that are started here, each in a session of its own: an interrupt reaches the
    notebook alone.
    """
    root = str(Path(autograd_core.__file__).parent.parent)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH")))),
    }
    ranks = [str(rank) for rank in range(world)]
    running = []
    try:
        with open(place / "errors", "wb") as errors:
            for own in [ranks] if FORKS else [[rank] for rank in ranks]:
                running.append(
                    subprocess.Popen(
                        [
                            sys.executable,
                            "-m",
                            "autograd_core.lessons.distributed",
                            str(place),
                            str(world),
                            *own,
                        ],
                        stdin=subprocess.PIPE,
                        stdout=errors,
                        stderr=errors,
                        env=environment,
                        start_new_session=True,
                    )
                )
        yield running
    finally:
        for process in running:
            _end(process)
        for process in running:
            process.stdin.close()
            process.wait()


def _end(process: subprocess.Popen) -> None:
    """End `process` and those forked from it. One that has ended by itself has seen the end of all
    of them.
    """
    if process.poll() is None:
        if FORKS:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _wait(running: list[subprocess.Popen], place: Path, world: int, seconds: float) -> None:
    """Return when all are done. Raises for the first that failed: the others then fail too, for it
    is gone.
    """
    latest = time.monotonic() + seconds
    while any(process.poll() is None for process in running):
        if any(process.poll() for process in running):
            break
        if time.monotonic() > latest:
            raise TimeoutError(
                f"the processes were not done after {seconds:g} s. Does every process reach every "
                "all_reduce? It waits for all of them. processes(..., seconds=...) waits longer"
            )
        time.sleep(PAUSE)
    if not any(process.poll() for process in running):
        return
    left = sorted(place.glob("outcome*"), key=lambda file: file.stat().st_mtime_ns)
    for rank in (int(file.name.removeprefix("outcome")) for file in left):
        outcome = _outcome(place, rank)
        if "error" in outcome:
            error = RuntimeError(f"process {rank} of {world} raised {outcome['error']}")
            error.add_note(outcome["traceback"])
            raise error
    errors = (place / "errors").read_text(errors="replace").strip()
    raise RuntimeError(f"a process ended before its work was done. {errors[-1000:]}")


def _outcome(place: Path, rank: int) -> dict:
    return marshal.loads((place / f"outcome{rank}").read_bytes())


def _engine_of(function: Callable) -> str:
    """The name of the engine that T means in `function`."""
    return function.__globals__.get("T", autograd_core).__name__


def _names_of(function: Callable) -> dict[str, tuple]:
    """`function` and every name that it uses, in plain data. Raises TypeError for what cannot be
    sent.
    """
    if not isinstance(function, types.FunctionType):
        raise TypeError(
            "processes() takes a function made by def, to be called as function(rank, world), not "
            f"{type(function).__name__}"
        )
    found, waiting = {}, {function.__name__: function}
    while waiting:
        name, value = waiting.popitem()
        found[name] = _described(name, value, function)
        if found[name][0] == "function":
            there = {
                used: value.__globals__[used]
                for used in _used(value.__code__)
                if used in value.__globals__
            }
            waiting.update(
                (used, thing)
                for used, thing in there.items()
                if used not in found and not _is_builtin(used, thing)
            )
    return found


def _is_builtin(name: str, value: object) -> bool:
    """Whether a process has it anyway. A notebook has IPython's own `open` around the built-in one."""
    return callable(value) and inspect.unwrap(value) is getattr(builtins, name, None)


def _described(name: str, value: object, owner: Callable) -> tuple:
    if (
        isinstance(value, types.FunctionType)
        and value.__globals__ is owner.__globals__
        and not value.__closure__
    ):
        description = "function", value.__code__, value.__defaults__, value.__kwdefaults__
    elif isinstance(value, types.ModuleType):
        description = "module", value.__name__
    elif (
        callable(value)
        and getattr(sys.modules.get(value.__module__), getattr(value, "__name__", ""), None)
        is value
    ):
        description = "imported", value.__module__, value.__name__
    else:
        description = "value", value
    try:
        marshal.dumps(description)
    except ValueError:
        raise TypeError(
            f"{owner.__name__} uses {name}, a {type(value).__name__}, which cannot be sent to"
            " another process: make it inside of the function"
        ) from None
    return description


def _used(code: types.CodeType) -> Iterator[str]:
    """The global names that `code` and the functions within read."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _used(constant)
