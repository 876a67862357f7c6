"""`save` and `load` for tensors in lists, tuples and dicts. Reading a file runs no code.

    save({"net": net.state_dict(), "epoch": 3}, "net.npz")
    net.load_state_dict(load("net.npz")["net"])

The file has NumPy's format `.npz` without pickle, with an array for each tensor. Its "structure" is a
JSON text that describes where each tensor belongs. Types that JSON lacks are {"tensor": [name,
requires_grad]}, {"tuple": [...]} and {"dict": [[key, value], ...]}.
"""

import contextlib
import os
from typing import Any

import numpy as np

from ..core.graph import check
from ..core.public import public
from ..core.tensor import TensorBase
from .creation import from_numpy
from .dtypes import check_device


@public("T")
def save(obj: Any, path: str | os.PathLike[str]) -> None:
    """Write `obj` to the file `path`: tensors, numbers, strings, None, and lists, tuples and dicts of
    these; else TypeError. The old file stays until all is written. Unlike `torch.save`, it has its own
    format, and tensors that share memory don't share it after loading.
    """
    import json  # here and in `load`, so that importing autograd_core is faster

    arrays = {}
    structure = json.dumps(_encoded(obj, arrays))
    path = os.path.realpath(path)
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "wb") as file:
            np.savez(file, structure=np.array(structure), **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:  # an interrupt or a full disk: remove the partial file
        with contextlib.suppress(OSError):
            os.remove(part)
        raise


@public("T")
def load(path: str | os.PathLike[str], map_location=None, *, weights_only: bool = True) -> Any:
    """Read the file `path` that `save` wrote. Tensors become leaves. `weights_only` has no effect,
    because reading a file never runs code. Raises RuntimeError for any other file.
    """
    import json
    import zipfile

    check_device(map_location)
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                size = sum(member.file_size for member in archive.infolist())
            check(size <= os.fstat(file.fileno()).st_size, "a file that grows as it is read")
            file.seek(0)
            with np.load(file, allow_pickle=False) as members:
                arrays = dict(members)
            structure = arrays.pop("structure").item()
            return json.loads(structure, object_hook=lambda node: _decoded(node, arrays))
        except Exception as error:  # any error of reading the file
            raise RuntimeError(
                f"{path} was not written by autograd_core.save, or is damaged. If PyTorch wrote it,"
                " rewrite its tensors: state = torch.load(path); autograd_core.save({name:"
                " autograd_core.from_numpy(t.numpy()) for name, t in state.items()}, path)"
            ) from error


def _encoded(obj, arrays):
    if isinstance(obj, (bool, int, float, str, type(None))):
        return obj
    if isinstance(obj, TensorBase):
        name = f"tensor {len(arrays)}"
        arrays[name] = obj._array
        return {"tensor": [name, obj.requires_grad]}
    if isinstance(obj, dict):
        return {"dict": [[_encoded(x, arrays) for x in pair] for pair in obj.items()]}
    if isinstance(obj, (list, tuple)):
        parts = [_encoded(part, arrays) for part in obj]
        return parts if isinstance(obj, list) else {"tuple": parts}
    message = "autograd_core saves tensors, numbers, strings, None, lists, tuples and dicts, not"
    raise TypeError(f"{message} {type(obj).__name__}: save its state_dict(), if it has one")


def _decoded(node, arrays):
    """The tensor, tuple or dict that `node` describes. Its elements are already decoded."""
    ((kind, content),) = node.items()
    if kind == "tensor":
        name, requires_grad = content
        # pop, because each array belongs to one tensor
        return from_numpy(arrays.pop(name)).requires_grad_(requires_grad)
    return {"tuple": tuple, "dict": dict}[kind](content)
