"""A trace as a JSON file, which any program can read. `load_trace` reads it back.

Each record of `data` becomes an object with the names of its fields, and its class under "is". A
tuple becomes a list. An array becomes {"dtype": "float64", "shape": [2, 3], "numbers": [...]} with
flat numbers: nan, inf and -inf are strings, and a complex number takes two numbers. The file itself
is {"format": "autograd_core trace", "version": 5, "sha256": ..., "trace": ...}. The checksum of
`json.dumps(trace, ensure_ascii=False)` detects a file that was changed or cut off.
"""

import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import types
import typing
from typing import Any

import numpy as np

from . import data
from .files import write_whole
from .summary import Summary

FORMAT, VERSION = "autograd_core trace", 5
DTYPES = {str(np.dtype(code)): np.dtype(code) for code in "?bBhHiIqQefdFD"}


def save_trace(trace: data.Trace, path: str | os.PathLike[str]) -> None:
    """Write `trace` to a JSON file, completely or not at all. TypeError for non-numeric arrays."""
    packed = _packed(trace)
    content = {"format": FORMAT, "version": VERSION, "sha256": _sum(packed), "trace": packed}
    write_whole(path, json.dumps(content, ensure_ascii=False))


def load_trace(path: str | os.PathLike[str]) -> data.Trace:
    """The trace that `save_trace` or `view.save("step.json")` wrote.

    Raises ValueError if the file isn't such a trace or is damaged. The message names the reason.
    """
    try:
        found = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"{path} is no JSON file that can be read: {problem}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(
            f'{path} holds no trace: its "format" is not {FORMAT!r}. save_trace(trace, path)'
            " writes one"
        )
    if found.get("version") != VERSION:
        raise ValueError(
            f"{path} is of version {found.get('version')!r}; this program reads version {VERSION}"
        )
    try:
        if found.get("sha256") == _sum(found.get("trace")):
            return typing.cast(data.Trace, _read(found["trace"], data.Trace))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise ValueError(f"{path} is damaged: {problem!r:.200}") from None
    raise ValueError(f"{path} is damaged: it has changed since it was written")


def _sum(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def _packed(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        fields = {name: _packed(getattr(value, name)) for name in names}
        return {"is": type(value).__name__, **fields}
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if str(array.dtype) not in DTYPES:
            raise TypeError(
                f"a trace with an array of {array.dtype} cannot be saved: a file has"
                f" {', '.join(DTYPES)}"
            )
        cells = [_packed(x) for x in array.ravel().view(array.real.dtype).tolist()]
        return {"dtype": str(array.dtype), "shape": list(array.shape), "numbers": cells}
    if isinstance(value, tuple | list):
        return [_packed(each) for each in value]
    # JSON lacks nan and inf
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value


def _read(value: Any, kind: Any) -> Any:
    """Convert the JSON `value` to the type in the annotation `kind`."""
    kinds = typing.get_args(kind)
    if isinstance(kind, types.UnionType):  # such as np.ndarray | Summary | None
        is_summary = Summary in kinds and isinstance(value, dict) and "is" in value
        return None if value is None else _read(value, Summary if is_summary else kinds[0])
    if typing.get_origin(kind) is tuple:
        kinds = kinds[:1] * len(value) if kinds[-1] is Ellipsis else kinds
        return tuple(_read(part, kind) for part, kind in zip(value, kinds, strict=True))
    if hasattr(kind, "__dataclass_fields__"):
        hints = _hints(kind)
        return kind(**{n: _read(part, hints[n]) for n, part in value.items() if n != "is"})
    if kind is np.ndarray:
        dtype = DTYPES[value["dtype"]]
        cells = np.array(value["numbers"], np.empty(0, dtype).real.dtype)
        return cells.view(dtype).reshape(value["shape"])
    return float(value) if kind is float else value


_hints = functools.cache(typing.get_type_hints)
