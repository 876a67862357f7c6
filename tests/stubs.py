"""Files of types and the README's table, made of the records in `core/public.py`: `python -m
tests.stubs` writes them.

An editor and a type checker read files and run nothing. So what plain loops make of the records, the
functions of the package and the methods of `Tensor`, is written down for them, with PyTorch's
signatures and where each function stands.
"""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import autograd_core
from autograd_core.compat.tensor import BETWEEN_TWO, Tensor
from autograd_core.core.public import found_under
from tests import readme

ROOT = Path(autograd_core.__file__).parent
FUNCTIONS, METHODS = ROOT / "_functions.pyi", ROOT / "compat" / "_methods.pyi"
FUNCTIONAL = ROOT / "nn" / "functional.pyi"
HEAD = '''\
"""{title} Written by `python -m tests.stubs`."""

from collections.abc import Sequence
from typing import Any

from {tensor} import Tensor

_bool = bool
_float = float
_int = int
_str = str
Number = _int | _float | _bool
'''

# What an argument of this name is, where the function does not say it
ARGUMENTS = {
    "input": "Tensor",
    "tensors": "Sequence[Tensor]",
    "other": "Tensor | Number",
    "exponent": "Tensor | Number",
    "target": "Tensor",
    "condition": "Tensor",
    "index": "Tensor",
    "mask": "Tensor",
    "source": "Tensor",
    "weight": "Tensor | Any",
    "min": "Tensor | Number | None",
    "max": "Tensor | Number | None",
}
# What a function of this name returns, where it is no tensor
RETURNS = {
    "max": "Any",
    "min": "Any",
    "where": "Any",
    "nonzero": "Any",
    "allclose": "_bool",
    "equal": "_bool",
    "is_tensor": "_bool",
    "is_floating_point": "_bool",
    "numel": "_int",
    "split": "tuple[Tensor, ...]",
    "chunk": "tuple[Tensor, ...]",
    "unbind": "tuple[Tensor, ...]",
    "meshgrid": "tuple[Tensor, ...]",
    "topk": "Any",
    "sort": "Any",
}


def type_of(parameter: inspect.Parameter) -> str:
    """The type of a parameter: its annotation, or what its name or its default says."""
    if parameter.annotation is not inspect.Parameter.empty:
        return written(parameter.annotation)
    if parameter.name in ARGUMENTS:
        kind = ARGUMENTS[parameter.name]
        return f"{kind} | None" if parameter.default is None and "None" not in kind else kind
    plain = isinstance(parameter.default, bool | float | str)
    return f"_{type(parameter.default).__name__}" if plain else "Any"


def default_of(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return ""
    plain = parameter.default is None or isinstance(parameter.default, bool | int | float | str)
    return f" = {parameter.default!r}" if plain else " = ..."


def written(annotation: Any) -> str:
    """An annotation in a file of types: what is neither a tensor nor Python's own is Any there."""
    if annotation in (bool, float, int, str):
        return f"_{annotation.__name__}"
    if annotation is None or annotation is type(None):
        return "None"
    named = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return "Tensor" if named == "Tensor" else "Any"


def signature(name: str, function: Callable[..., Any], method: bool) -> str:
    """`def name(…) -> …:` for a file of types."""
    parts, seen_star = [], False
    parameters = list(inspect.signature(function).parameters.values())
    for place, parameter in enumerate(parameters):
        if method and place == 0:
            parts.append("self")
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            seen_star = True
            parts.append(f"*{parameter.name}: Any")
        elif parameter.kind is parameter.VAR_KEYWORD:
            parts.append(f"**{parameter.name}: Any")
        else:
            if parameter.kind is parameter.KEYWORD_ONLY and not seen_star:
                seen_star = True
                parts.append("*")
            parts.append(f"{parameter.name}: {type_of(parameter)}{default_of(parameter)}")
    return f"def {name}({', '.join(parts)}) -> {returned(name, function)}:"


def returned(name: str, function: Callable[..., Any]) -> str:
    annotation = inspect.signature(function).return_annotation
    if annotation is not inspect.Signature.empty:
        return written(annotation)
    return RETURNS.get(name, "Tensor")


def told(function: Callable[..., Any]) -> str:
    """The docstring for a file of types: what the function computes, and the file in which it
    stands.
    """
    file = Path(inspect.getsourcefile(inspect.unwrap(function)) or "")
    about = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
    return f'    """{about} In {file.relative_to(ROOT.parent).as_posix()}."""'


def lines(place: str, method: bool, ending: str = "") -> Iterator[str]:
    for name, record in sorted(found_under(place).items()):
        function = getattr(Tensor, name + ending) if method else record.function
        yield signature(name + ending, function, method)
        yield told(function)


def signs() -> Iterator[str]:
    """Python's signs between a tensor and another, or a number."""
    for name in BETWEEN_TWO:
        for form in (f"__{name}__", f"__r{name}__", f"__i{name}__"):
            yield f"def {form}(self, other: Any) -> Tensor:"
            yield told(getattr(Tensor, form))
    for name in ("eq", "ne"):  # as Python's own, which return a bool
        yield f"def __{name}__(self, other: object) -> Tensor:  # type: ignore[override]"
        yield told(getattr(Tensor, f"__{name}__"))
    for name in ("lt", "le", "gt", "ge"):
        yield f"def __{name}__(self, other: Any) -> Tensor:"
        yield told(getattr(Tensor, f"__{name}__"))


def functions() -> str:
    names = sorted(found_under("T"))
    listed = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    title = "The functions of tensors: `T.exp(x)`."
    head = HEAD.format(title=title, tensor=".compat.tensor")
    return head + "\n" + listed + "\n" + "\n".join(lines("T", False)) + "\n"


def methods() -> str:
    title = "The operations as methods of `Tensor`: `x.exp()`, `x.exp_()`."
    body = [*lines("Tensor", True), *lines("Tensor_", True, "_"), *signs()]
    head = HEAD.format(title=title, tensor=".tensor")
    return head + "\nclass Methods:\n" + "\n".join(f"    {line}" for line in body) + "\n"


def functional() -> str:
    found = vars(autograd_core.nn.functional)
    names = autograd_core.nn.functional.__all__
    body = [
        line
        for name in sorted(names)
        for line in (signature(name, found[name], False), told(found[name]))
    ]
    title = "`torch.nn.functional`'s names: `F.relu(x)`."
    head = HEAD.format(title=title, tensor="..compat.tensor")
    return head + "\n" + "\n".join(body) + "\n"


def all_files() -> dict[Path, str]:
    """{file: what it should hold}."""
    text = readme.README.read_text(encoding="utf-8")
    return {
        FUNCTIONS: functions(),
        METHODS: methods(),
        FUNCTIONAL: functional(),
        readme.README: readme.shown(text, readme.BEGIN, readme.table()),
    }


def differences() -> list[str]:
    """The files that do not hold what they should."""
    return [
        path.name for path, text in all_files().items() if path.read_text(encoding="utf-8") != text
    ]


if __name__ == "__main__":
    for path, text in all_files().items():
        path.write_text(text, encoding="utf-8")
