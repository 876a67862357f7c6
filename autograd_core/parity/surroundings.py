"""What belongs to no variable: settings, random generators, and what both sides share whether they want or not."""

import builtins
import functools
import hashlib
import os
import random
import sys
import sysconfig
import types
from collections.abc import Sized
from dataclasses import dataclass, fields

import numpy as np

_entered = []  # PyTorch leaves inference mode when the object that entered it goes


def next_numbers(engine, generator) -> str:
    """A name for the next numbers of `generator`: the same for generators that are in step. Nothing is drawn."""
    numbers = []
    for dtype in (engine.float32, engine.float64):
        copy = engine.Generator()
        copy.set_state(generator.get_state())
        numbers += engine.randn(
            1, generator=copy, dtype=dtype
        ).tolist()  # of which one may be kept back
        numbers += engine.rand(4, generator=copy, dtype=dtype).tolist()
    return hashlib.sha256(repr(numbers).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Settings:
    """What an engine and the process keep for themselves, in words that both engines understand.

    draws          a name for the next numbers of the default generator, `state` the bytes of its state.
    records        whether operations are recorded (`set_grad_enabled`).
    python, numpy  the states of the random numbers of Python and NumPy.
    """

    draws: str
    state: bytes
    default_dtype: str
    records: bool
    inference: bool
    anomaly: bool
    python: tuple
    numpy: tuple

    @classmethod
    def of(cls, engine) -> "Settings":
        """The settings now."""
        generator = engine.random.default_generator
        name, words, *place = np.random.get_state()
        return cls(
            next_numbers(engine, generator),
            np.asarray(generator.get_state()).tobytes(),
            str(engine.get_default_dtype()).removeprefix("torch."),
            engine.is_grad_enabled(),
            engine.is_inference_mode_enabled(),
            engine.is_anomaly_enabled(),
            random.getstate(),
            (name, words.tobytes(), *place),
        )

    def give_to(self, engine):
        """Put `engine` and the process into this state."""
        if engine.is_inference_mode_enabled() != self.inference:
            _entered.append(engine.inference_mode(self.inference))
            _entered[-1].__enter__()
        state = np.frombuffer(self.state, np.uint8).copy()
        engine.random.default_generator.set_state(engine.from_numpy(state))
        engine.set_default_dtype(getattr(engine, self.default_dtype))
        engine.set_grad_enabled(self.records)
        if engine.is_anomaly_enabled() != self.anomaly:
            engine.autograd.set_detect_anomaly(self.anomaly)
        random.setstate(self.python)
        name, words, *place = self.numpy
        np.random.set_state((name, np.frombuffer(words, np.uint32), *place))

    def differences(self, other: "Settings"):
        """(name, a sentence) for each setting that is not the same in `other`, PyTorch's."""
        drawn = {"draws": "random", "python": "Python's random", "numpy": "NumPy's random"}
        for name in (field.name for field in fields(self) if field.name != "state"):
            here, there = getattr(self, name), getattr(other, name)
            if here != there and name in drawn:
                yield (
                    f"{drawn[name]} numbers",
                    (
                        f"{drawn[name]} numbers: the sides did not draw the same amount, so the next ones differ"
                    ),
                )
            elif here != there:
                yield name, f"{name} is {here} here, {there} in PyTorch"


@functools.cache
def _listen():
    sys.addaudithook(_hear)


class Shared:
    """What both sides have in common: modules, files, the environment. `changes()` says what a cell did to them."""

    def __init__(self, *sides):
        _listen()
        owners = {id(builtins): ("builtins", builtins)}
        for side in sides:
            T = side.engine
            owners |= {
                id(owner): (label, owner)
                for label, owner in {
                    **side.bindings,
                    "T.autograd": T.autograd,
                    "T.Tensor": T.Tensor,
                    "nn.Module": T.nn.Module,
                }.items()
            }
            for value in [*side.namespace.values()]:
                if isinstance(value, type | types.FunctionType):
                    value = sys.modules.get(value.__module__ or "")
                if isinstance(value, types.ModuleType) and value.__name__ not in (
                    "__main__",
                    "warnings",
                ):
                    owners.setdefault(id(value), (value.__name__, value))
        self.before = [(label, owner, _contents(owner)) for label, owner in owners.values()]
        _heard.clear()

    def changes(self):
        """(name, kind, a sentence) for each change since: what one side left there, the other may have used."""
        for label, owner, before in self.before:
            now = _contents(owner)
            for name in [
                name for name in now.keys() | before.keys() if now.get(name) != before.get(name)
            ]:
                value = vars(owner).get(name)
                of_torch = (getattr(value, "__module__", None) or "").startswith("torch")
                lazy = (
                    isinstance(value, types.ModuleType)
                    or of_torch
                    and owner.__name__.startswith("torch")
                )
                if not (lazy or name.startswith("__") or name == "_"):
                    yield (
                        f"{label}.{name}",
                        "module",
                        "the cell changed it, and both sides share it",
                    )
        for name, kind in sorted(_heard):
            yield name, kind, "the cell changed it, and both sides share it"


def _contents(owner):
    """Which object each name of a module means; of what an own module collects also how much it is."""
    path = getattr(owner, "__file__", None) or ""
    own = path and not path.startswith(_INSTALLED)
    return {name: (id(value), _size(value) if own else None) for name, value in vars(owner).items()}


def _size(value):
    if isinstance(value, np.ndarray):
        return hash(value.tobytes())
    if hasattr(type(value), "cache_info"):
        return value.cache_info().currsize
    return len(value) if isinstance(value, Sized) and not hasattr(value, "detach") else None


_INSTALLED = (*sysconfig.get_paths().values(), os.path.dirname(os.path.dirname(__file__)))


def _hear(event, arguments):
    """Python's audit hook. It stays for good, so it is quick about what is of no interest."""
    if event not in ("open", "os.putenv", "os.unsetenv", "os.chdir") or _in_an_import():
        return
    if event == "open":
        name, _, flags = arguments
        if (
            flags & (os.O_WRONLY | os.O_RDWR)
            and isinstance(name, str)
            and not name.startswith("/dev/")
        ):
            _heard.add((os.path.basename(name), "file"))
    elif event == "os.chdir":
        _heard.add((str(arguments[0]), "working directory"))
    else:
        _heard.add((f"os.environ[{os.fsdecode(arguments[0])!r}]", "environment"))


def _in_an_import():
    """Whether a module is being loaded, by the cell or by PyTorch when it first needs it: no doing of the cell."""
    frame = sys._getframe(2)
    while frame is not None and "importlib" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None


_heard: set[tuple[str, str]] = set()
