"""A trace as a file: JSON that any program can read, and `load_trace` reads back.

Each record of `data` is an object with the names of its fields, and with its kind under "is"; a
tuple is a list. An array is {"dtype": "float64", "shape": [2, 3], "numbers": [...]}, its numbers in
a row, where "nan", "inf" and "-inf" are words, and a complex number is a pair. The file itself is
{"format": "autograd_core trace", "version": 1, "trace": ...}."""

import dataclasses
import json
import os
import pathlib
from typing import Any

import numpy as np

from . import data
from .checked import DTYPES, checked
from .files import write_whole

FORMAT, VERSION = "autograd_core trace", 1


def save_trace(trace: data.Trace, path: str | os.PathLike[str]) -> None:
    """Write `trace` to a JSON file, whole or not at all."""
    content = {"format": FORMAT, "version": VERSION, "trace": _packed(trace)}
    write_whole(path, json.dumps(content, ensure_ascii=False))


def load_trace(path: str | os.PathLike[str]) -> data.Trace:
    """The trace that `save_trace`, or `view.save("step.json")`, wrote.

    Raises ValueError for a file that is not such a trace, and says what is wrong with it.
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
        return checked(found.get("trace"))
    except ValueError as problem:
        raise ValueError(f"{path} is damaged: {problem}") from None


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
        pairs = array.dtype.kind == "c"
        numbers = np.stack([array.real, array.imag], -1).ravel() if pairs else array.ravel()
        cells = [_cell(x) for x in numbers.tolist()]
        return {"dtype": str(array.dtype), "shape": list(array.shape), "numbers": cells}
    if isinstance(value, tuple | list):
        return [_packed(each) for each in value]
    if isinstance(value, float):
        return _cell(value)
    return value


def _cell(x: Any) -> Any:
    """A number as JSON has it: it lacks nan and inf."""
    return x if not isinstance(x, float) or np.isfinite(x) else str(x)
