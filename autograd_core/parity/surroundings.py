"""What belongs to no variable: the settings of an engine, the names in its modules, and what the process keeps."""

import os
import random
import signal
import threading
import types
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields

import numpy as np

_MISSING = object()
_entered = []           # PyTorch leaves inference mode when the object that entered it goes


@dataclass(frozen=True, slots=True)
class EngineState:
    """What an engine keeps for itself, in words that both engines understand.

    random         the state of the default generator, 5056 bytes, the same layout in both.
    default_dtype  "float32" or "float64".
    records        whether operations are recorded (`set_grad_enabled`).
    inference      whether `inference_mode` is on.
    anomaly        whether `detect_anomaly` is on.
    """

    random: bytes
    default_dtype: str
    records: bool
    inference: bool
    anomaly: bool

    @classmethod
    def of(cls, engine) -> "EngineState":
        """The state of `engine` now."""
        random_state = np.asarray(engine.random.default_generator.get_state())
        return cls(random_state.tobytes(), str(engine.get_default_dtype()).removeprefix("torch."),
                   engine.is_grad_enabled(), engine.is_inference_mode_enabled(), engine.is_anomaly_enabled())

    def give_to(self, engine):
        """Put `engine` into this state."""
        random_state = np.frombuffer(self.random, np.uint8).copy()
        if engine.is_inference_mode_enabled() != self.inference:
            _entered.append(engine.inference_mode(self.inference))
            _entered[-1].__enter__()
        engine.random.default_generator.set_state(engine.from_numpy(random_state))
        engine.set_default_dtype(getattr(engine, self.default_dtype))
        engine.set_grad_enabled(self.records)
        if engine.is_anomaly_enabled() != self.anomaly:
            engine.autograd.set_detect_anomaly(self.anomaly)

    def differences(self, other: "EngineState"):
        """(name, a sentence that says both values) for each setting that is not the same in `other`, PyTorch's."""
        for name in (field.name for field in fields(self)):
            here, there = getattr(self, name), getattr(other, name)
            if here != there and name == "random":
                yield "random numbers", "the random generators differ: the engines did not draw the same amount"
            elif here != there:
                yield name, f"{name} is {here} here, {there} in PyTorch"


class EngineNames:
    """The names in an engine's modules and in its two base classes, which a cell may have given another meaning."""

    def __init__(self, engine):
        owners = {"T": engine, "F": engine.nn.functional, "nn": engine.nn, "optim": engine.optim,
                  "T.autograd": engine.autograd, "T.Tensor": engine.Tensor, "nn.Module": engine.nn.Module}
        self.before = [(label, owner, dict(vars(owner))) for label, owner in owners.items()]

    def changed(self, by_ours: Iterable[str] = ()) -> dict[str, tuple[object, str, object]]:
        """{"T.exp": (owner, name, what it meant)} for each name that means something else than before.

        PyTorch wraps some of its functions when it first needs its compiler, and imports parts of itself. That is no
        doing of the cell, unless the cell did the same to autograd_core (`by_ours`), which never changes itself.
        """
        found = {}
        for label, owner, before in self.before:
            now = vars(owner)
            for name in now.keys() | before.keys():
                value = now.get(name, _MISSING)
                if value is not before.get(name, _MISSING) and not isinstance(value, types.ModuleType) and (
                        f"{label}.{name}" in by_ours or not _of_torch(value)):
                    found[f"{label}.{name}"] = owner, name, before.get(name, _MISSING)
        return found

    def restore(self, by_ours: Iterable[str] = ()):
        """Give each name that the cell changed the meaning it had."""
        for owner, name, value in self.changed(by_ours).values():
            if value is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


def _of_torch(value):
    return (getattr(value, "__module__", None) or "").partition(".")[0] == "torch"


@dataclass(frozen=True)
class ProcessState:
    """What both sides find in the process: each starts from the same, and what ours leaves stays."""

    values: dict[str, object]

    @classmethod
    def now(cls) -> "ProcessState":
        """As it is now."""
        return cls({name: get() for name, (get, _) in _IN_THE_PROCESS.items()})

    def restore(self):
        """Put the process back."""
        now = ProcessState.now().values
        for name, (_, put) in _IN_THE_PROCESS.items():
            if not _same(now[name], self.values[name]):
                put(self.values[name])


def _same(a, b):
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(np.array_equal(a, b)) if isinstance(a, np.ndarray) else a is b or a == b


def _put_environment(values):
    for name in os.environ.keys() - values.keys():
        del os.environ[name]
    for name, value in values.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def _put_filters(filters):
    warnings.filters[:] = filters
    warnings._filters_mutated()


_IN_THE_PROCESS: dict[str, tuple[Callable, Callable]] = {
    "the state of Python's random": (random.getstate, random.setstate),
    "the state of NumPy's random": (np.random.get_state, np.random.set_state),
    "the environment": (lambda: dict(os.environ), _put_environment),
    "the working directory": (os.getcwd, os.chdir),
    "the filters of warnings": (lambda: list(warnings.filters), _put_filters),
    "NumPy's treatment of errors": (np.geterr, lambda errors: np.seterr(**errors)),
}


class Interrupts:
    """Ctrl-C waits, except while code of `allowed` is running: then nothing is half done, and it goes through.

    So an interrupt of a cell ends the cell, and a second one cannot end the restoring that follows.
    """

    def __init__(self, *allowed: types.CodeType):
        self.allowed, self.waiting, self.before = allowed, False, None

    def __enter__(self):
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self.before = signal.signal(signal.SIGINT, self.arrived)
        return self

    def arrived(self, number, frame):
        """Pass the signal on if the interrupted code may be interrupted."""
        running = frame
        while running is not None and running.f_code not in self.allowed:
            running = running.f_back
        if running is None:
            self.waiting = True
        else:
            self.before(number, frame)

    def check(self):
        """Raises KeyboardInterrupt if one has waited."""
        if self.waiting:
            self.waiting = False
            raise KeyboardInterrupt

    def __exit__(self, kind, error, traceback):
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)
        if error is None:
            self.check()
