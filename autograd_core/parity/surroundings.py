"""What belongs to no variable: settings, random generators, and what both sides share whether they
want or not.
"""

import builtins
import functools
import hashlib
import os
import pickle
import random
import sys
import sysconfig
import types
from dataclasses import dataclass, fields

import numpy as np

_heard: set[tuple[str, str]] = set()  # (what was written to, its kind)
_PYTHONS_OWN = ("__main__", "warnings")
_INSTALLED = (*sysconfig.get_paths().values(), os.path.dirname(os.path.dirname(__file__)))


def next_numbers(engine, generator) -> str:
    """A name for the next numbers of `generator`: the same for generators that are in step. Nothing
    is drawn.
    """
    numbers = []
    for dtype in (engine.float32, engine.float64):  # of a pair, one may be kept back
        copy = engine.Generator()
        copy.set_state(generator.get_state())
        numbers += engine.randn(1, generator=copy, dtype=dtype).tolist()
        numbers += engine.rand(4, generator=copy, dtype=dtype).tolist()
    return hashlib.sha256(repr(numbers).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Settings:
    """What an engine and the process keep for themselves, in words that both engines understand.

    draws    a name for the next numbers of the default generator, `state` the bytes of its state.
    records  whether operations are recorded (`set_grad_enabled`).
    others   the states of the random numbers of Python and NumPy.
    """

    draws: str
    state: bytes
    default_dtype: str
    records: bool
    anomaly: bool
    others: bytes

    @classmethod
    def of(cls, engine) -> "Settings":
        """The settings now."""
        generator = engine.random.default_generator
        return cls(
            next_numbers(engine, generator),
            np.asarray(generator.get_state()).tobytes(),
            str(engine.get_default_dtype()).removeprefix("torch."),
            engine.is_grad_enabled(),
            engine.is_anomaly_enabled(),
            pickle.dumps((random.getstate(), np.random.get_state())),
        )

    def give_to(self, engine):
        """Put `engine` and the process into this state."""
        state = np.frombuffer(self.state, np.uint8).copy()
        engine.random.default_generator.set_state(engine.from_numpy(state))
        engine.set_default_dtype(getattr(engine, self.default_dtype))
        engine.set_grad_enabled(self.records)
        if engine.is_anomaly_enabled() != self.anomaly:
            engine.autograd.set_detect_anomaly(self.anomaly)
        python, numpy = pickle.loads(self.others)
        random.setstate(python)
        np.random.set_state(numpy)

    def differences(self, other: "Settings"):
        """(name, a sentence) for each setting that is not the same in `other`, PyTorch's."""
        numbers = {"draws": "random numbers", "others": "random numbers of Python or NumPy"}
        for name in [each.name for each in fields(self) if each.name != "state"]:
            here, there = getattr(self, name), getattr(other, name)
            if here != there and name in numbers:
                why = "the sides did not draw the same amount, so the next ones differ"
                yield numbers[name], f"{numbers[name]}: {why}"
            elif here != there:
                yield name, f"{name} is {here} here, {there} in PyTorch"


class Shared:
    """What both sides have in common: modules, files, the environment. `changes()` says what a cell
    did to them.
    """

    def __init__(self, *sides):
        _listen()
        owners = {"builtins": builtins}
        for side in sides:
            kinds = side.engine.Tensor, side.engine.nn.Module
            owners |= {f"{kind.__module__}.{kind.__name__}": kind for kind in kinds}
            for value in [*side.bindings.values(), *side.namespace.values(), side.engine.autograd]:
                if isinstance(value, type | types.FunctionType):
                    value = sys.modules.get(value.__module__ or "")
                if isinstance(value, types.ModuleType) and value.__name__ not in _PYTHONS_OWN:
                    owners.setdefault(value.__name__, value)
        self.before = {label: (owner, _contents(owner)) for label, owner in owners.items()}
        _heard.clear()

    def changes(self):
        """(name, kind) for each change since: what one side left there, the other may have used."""
        for label, (owner, before) in self.before.items():
            changed = {name for name, _ in before.items() ^ _contents(owner).items()}
            yield from ((f"{label}.{name}", "module") for name in sorted(changed))
        yield from sorted(_heard)


def _contents(owner):
    """Which object each name of a module means; of what an own module collects also how much it is.

    What PyTorch loads only when it is asked for is left out.
    """
    path, found = getattr(owner, "__file__", None) or "", {}
    for name, value in [*vars(owner).items()]:
        late = isinstance(value, types.ModuleType) or _of_torch(owner) and _of_torch(value)
        if not (late or name == "_" or name.startswith("__")):
            own = path and not path.startswith(_INSTALLED)
            found[name] = id(value), _size(value) if own else None
    return found


def _of_torch(value):
    home = getattr(value, "__name__" if isinstance(value, types.ModuleType) else "__module__", "")
    return (home or "").startswith("torch")


def _size(value):
    if isinstance(value, np.ndarray):
        return hash(value.tobytes())
    if hasattr(type(value), "cache_info"):
        return value.cache_info().currsize
    return len(value) if isinstance(value, list | dict | set) else None


@functools.cache
def _listen():
    sys.addaudithook(_hear)


def _hear(event, arguments):
    """Python's audit hook. It stays for good, so it is quick about what is of no interest."""
    if event not in ("open", "os.putenv", "os.chdir") or _in_an_import():
        return
    if event != "open":
        _heard.add((os.fsdecode(arguments[0]), event.partition(".")[2]))
    elif arguments[2] & (os.O_WRONLY | os.O_RDWR) and isinstance(arguments[0], str):
        if not arguments[0].startswith("/dev/"):
            _heard.add((os.path.basename(arguments[0]), "file"))


def _in_an_import():
    """Whether a module is being loaded, by the cell or by PyTorch when it first needs it: no doing
    of the cell.
    """
    frame = sys._getframe(2)
    while frame is not None and "importlib" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None
