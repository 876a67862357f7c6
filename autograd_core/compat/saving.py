"""`save` and `load`: tensors, in lists, tuples and dicts, in a file that runs nothing when it is
read.

    save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}, "net.npz")
    net.load_state_dict(load("net.npz")["net"])

The file is NumPy's `.npz` without pickle: an array for each tensor, and "structure", a text in JSON
that says where each belongs. In that text a list stands for itself, and {"tensor": [name,
requires_grad]}, {"tuple": [...]} and {"dict": [[key, value], ...]} for what JSON does not have.
"""

import contextlib
import math
import os

import numpy as np

from ..core.graph import check
from ..core.tensor import TensorBase
from .creation import from_numpy
from .dtypes import check_device


def save(obj, path):
    """Write `obj` to the file `path`: tensors, numbers, strings, None, and lists, tuples and dicts
    of these.

    Each tensor is written by itself: what shared memory does so no longer after loading. Raises
    TypeError, before anything is written, for other objects. Until all is written, a file that was
    there before stays: it is written beside it, and then put in its place at once. As `torch.save`,
    but for the format."""
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


def load(path, map_location=None, *, weights_only=True):
    """What `save` wrote to the file `path`. Tensors are leaves; of every kind of dict a plain one
    is made.

    map_location  None or "cpu".
    weights_only  PyTorch's question whether a file may run code when it is read. Here none ever
                  does.
    Raises RuntimeError for a file that `save` did not write, also for one that would grow as it is
    read: no more is read than the file has bytes. As `torch.load`, but for the format.
    """
    import json

    check_device(map_location)
    with open(path, "rb") as file:
        try:
            arrays = _arrays(file)
            return json.loads(
                arrays.pop("structure").item(), object_hook=lambda node: _decoded(node, arrays)
            )
        # whatever zipfile, NumPy and json say of what they cannot read
        except Exception as error:
            raise RuntimeError(
                f"{path} was not written by autograd_core.save, or is damaged. If PyTorch wrote it,"
                " rewrite its tensors: state = torch.load(path); autograd_core.save({name:"
                " autograd_core.from_numpy(t.numpy()) for name, t in state.items()}, path)"
            ) from error


def _arrays(file):
    """{name: array} of an `.npz` file in which nothing is compressed, each array as long as its
    header says.
    """
    import zipfile

    arrays = {}
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        check(
            sum(member.file_size for member in members) <= os.fstat(file.fileno()).st_size,
            "members that overlap",
        )
        for member in members:
            check(
                member.compress_type == zipfile.ZIP_STORED, "a compressed member: save writes none"
            )
            with archive.open(member) as data:
                version = np.lib.format.read_magic(data)
                check(version in ((1, 0), (2, 0)), "a header of an unknown kind")
                header = (
                    np.lib.format.read_array_header_1_0
                    if version == (1, 0)
                    else np.lib.format.read_array_header_2_0
                )
                shape, columns_first, dtype = header(data)
                check(dtype.kind in "bifuU", "an array of something else than numbers")
                size = math.prod(shape) * dtype.itemsize
                check(
                    size == member.file_size - data.tell(),
                    "an array of another size than its header says",
                )
                flat = np.frombuffer(bytearray(data.read()), dtype) if size else np.zeros(0, dtype)
            arrays[member.filename.removesuffix(".npy")] = flat.reshape(
                shape, order="F" if columns_first else "C"
            )
    return arrays


def _encoded(obj, arrays):
    if isinstance(obj, (bool, int, float, str, type(None))):
        return obj
    if isinstance(obj, TensorBase):
        name = f"tensor {len(arrays)}"
        arrays[name] = obj._array
        return {"tensor": [name, obj.requires_grad]}
    if isinstance(obj, dict):
        return {
            "dict": [[_encoded(key, arrays), _encoded(value, arrays)] for key, value in obj.items()]
        }
    if isinstance(obj, (list, tuple)):
        parts = [_encoded(part, arrays) for part in obj]
        return parts if isinstance(obj, list) else {"tuple": parts}
    raise TypeError(
        "autograd_core saves tensors, numbers, strings, None, lists, tuples and dicts, not "
        f"{type(obj).__name__}: save its state_dict(), if it has one"
    )


def _decoded(node, arrays):
    """The tensor, tuple or dict that `node` stands for; what is in it is decoded already, from the
    inside out.
    """
    ((kind, content),) = node.items()
    if kind == "tensor":
        name, requires_grad = content
        # once: save wrote each by itself
        return from_numpy(arrays.pop(name)).requires_grad_(requires_grad)
    return {"tuple": tuple, "dict": dict}[kind](content)
