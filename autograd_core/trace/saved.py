"""A trace as a file: JSON that any program can read, and `load_trace` reads back.

Each record of `data` is an object with the names of its fields, and with its kind under "is"; a tuple is a list. An
array is {"dtype": "float64", "shape": [2, 3], "numbers": [...]}, its numbers in a row, where "nan", "inf" and "-inf" are
words, and a complex number is a pair. The file itself is {"format": "autograd_core trace", "version": 1, "trace": ...}.
"""

import dataclasses
import json
import os
import pathlib
from typing import Any

import numpy as np

from . import data
from .summary import Summary

FORMAT, VERSION = "autograd_core trace", 1
RECORDS: dict[str, type] = {name: kind for name, kind in vars(data).items()
                            if isinstance(kind, type) and dataclasses.is_dataclass(kind)}
KINDS = "biufc"                         # of NumPy's dtypes: what is a number or a truth value


def save_trace(trace: data.Trace, path: str | os.PathLike[str]) -> None:
    """Write `trace` to a JSON file, whole or not at all."""
    path = pathlib.Path(path)
    text = json.dumps({"format": FORMAT, "version": VERSION, "trace": _packed(trace)}, ensure_ascii=False)
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def load_trace(path: str | os.PathLike[str]) -> data.Trace:
    """The trace that `save_trace`, or `view.save("step.json")`, wrote.

    Raises ValueError for a file that is not such a trace, and says what is wrong with it.
    """
    try:
        found = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as problem:
        raise ValueError(f"{path} is no JSON file: {problem}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f"{path} holds no trace: its \"format\" is not {FORMAT!r}. save_trace(trace, path) writes one")
    if found.get("version") != VERSION:
        raise ValueError(f"{path} is of version {found.get('version')!r}; this program reads version {VERSION}")
    try:
        trace = _unpacked(found.get("trace"))
    except (TypeError, KeyError, ValueError, OverflowError) as problem:
        raise ValueError(f"{path} is damaged: {problem}") from None
    if not isinstance(trace, data.Trace):
        raise ValueError(f"{path} is damaged: it holds no trace")
    return trace


def _packed(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {"is": type(value).__name__,
                **{field.name: _packed(getattr(value, field.name)) for field in dataclasses.fields(value)}}
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.kind not in KINDS:
            raise TypeError(f"a trace with an array of {array.dtype} cannot be saved: it holds no numbers")
        pairs = array.dtype.kind == "c"
        numbers = np.stack([array.real, array.imag], -1).ravel() if pairs else array.ravel()
        return {"dtype": str(array.dtype), "shape": list(array.shape), "numbers": [_cell(x) for x in numbers.tolist()]}
    if isinstance(value, tuple | list):
        return [_packed(each) for each in value]
    if isinstance(value, float):
        return _cell(value)
    return value


def _cell(x: Any) -> Any:
    """A number as JSON has it: it lacks nan and inf."""
    return x if not isinstance(x, float) or np.isfinite(x) else str(x)


def _unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_unpacked(each) for each in value)
    if not isinstance(value, dict):
        return value
    if "numbers" not in value:
        kind = RECORDS[value["is"]]
        fields = {name: _unpacked(each) for name, each in value.items() if name != "is"}
        if kind is Summary:                             # of which nan and inf are words in the file
            fields |= {name: float(fields[name]) for name in ("norm", "min", "max")}
        return kind(**fields)
    dtype = np.dtype(value["dtype"])
    if dtype.kind not in KINDS:
        raise ValueError(f"{dtype} is no type of numbers")
    if dtype.kind == "c":
        pairs = np.array([float(x) for x in value["numbers"]]).reshape(-1, 2)
        flat = np.empty(len(pairs), dtype)
        flat.real, flat.imag = pairs.T
    else:
        flat = np.array([float(x) if isinstance(x, str) else x for x in value["numbers"]], dtype=dtype)
    return flat.reshape(value["shape"])
