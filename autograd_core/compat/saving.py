"""`save` and `load`: tensors, in lists, tuples and dicts, in a file that runs nothing when read.

    save({"net": net.state_dict(), "epoch": 3}, "net.npz")
    net.load_state_dict(load("net.npz")["net"])

The file is NumPy's `.npz` without pickle: an array for each tensor, and "structure", a text in JSON
that says where each belongs: {"tensor": [name, requires_grad]}, {"tuple": [...]} and {"dict":
[[key, value], ...]} stand for what JSON does not have.
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
    these; else TypeError. What was there before stays until all is written. As `torch.save`, but for
    the format, and that memory is no longer shared after loading.
    """
    import json  # here and in `load`: importing autograd_core should not pay for it

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
    except BaseException:  # an interrupt, a full disk: nothing of it stays
        with contextlib.suppress(OSError):
            os.remove(part)
        raise


@public("T")
def load(path: str | os.PathLike[str], map_location=None, *, weights_only: bool = True) -> Any:
    """What `save` wrote to the file `path`; tensors are leaves. `weights_only` changes nothing: no
    file runs code when it is read. Raises RuntimeError for any other file.
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
        except Exception as error:  # whatever is said of what cannot be read
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
    """The tensor, tuple or dict that `node` stands for; what is in it is decoded already."""
    ((kind, content),) = node.items()
    if kind == "tensor":
        name, requires_grad = content
        # once: save wrote each by itself
        return from_numpy(arrays.pop(name)).requires_grad_(requires_grad)
    return {"tuple": tuple, "dict": dict}[kind](content)
