"""The README's table of what is there, made of the records in `core/public.py` and of each room's
`__all__`. `python -m tests.stubs` writes it.
"""

import inspect
from collections.abc import Iterable
from pathlib import Path

import autograd_core
from autograd_core import Tensor, autograd, nn, optim
from autograd_core.core.public import PUBLIC, Public

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- python -m tests.stubs writes from here -->", "<!-- to here -->"
ROOMS = {
    "nn.": nn,
    "nn.init.": nn.init,
    "nn.utils.": nn.utils,
    "optim.": optim,
    "optim.lr_scheduler.": optim.lr_scheduler,
    "autograd.": autograd,
    "autograd.functional.": autograd.functional,
}


def shown(readme: str, begin: str, text: str) -> str:
    """`readme` with `text` between the mark `begin` and the next END. Raises ValueError if it has
    not got the marks.
    """
    head, found, rest = readme.partition(begin)
    _, end, tail = rest.partition(END)
    if not (found and end):
        raise ValueError(f"the README has no place for it: it must contain {begin} and {END}")
    return head + begin + "\n" + text + END + tail


def home(record: Public) -> str:
    """Where a function stands: the file of its family, "ops/linalg.py", or else the room."""
    file = Path(inspect.getsourcefile(inspect.unwrap(record.function)) or "")
    path = file.relative_to(Path(autograd_core.__file__).parent)
    return path.as_posix() if path.parts[0] in ("ops", "__init__.py") else f"{path.parts[0]}/"


def row(where: str, *cells: Iterable[str]) -> str:
    return (
        " | ".join([f"| `{where}`", *(f"`{' '.join(cell)}`" if cell else "" for cell in cells)])
        + " |"
    )


def family(where: str) -> str:
    """A row of the first table: the functions that stand at `where`, by how people find them."""
    both, alone, methods, functional = [], [], [], []
    for name, record in ((name, record) for record in PUBLIC for name in record.names):
        if home(record) != where:
            continue
        if "F" in record.places:
            functional.append(name)
        if record.places == ("F",):
            continue
        if hasattr(autograd_core, name) and hasattr(Tensor, name):
            both.append(name + "*" * hasattr(Tensor, f"{name}_"))
        elif hasattr(autograd_core, name):
            alone.append(name)
        elif hasattr(Tensor, name) and not hasattr(Tensor, name.removesuffix("_")):
            methods.append(name)
    return row(where, dict.fromkeys(both), alone, methods, functional)


def table() -> str:
    """The README's two tables: functions by where they stand, then rooms."""
    homes = sorted(
        {home(record) for record in PUBLIC}, key=lambda where: (where[:4] != "ops/", where)
    )
    noted = {name + ending for record in PUBLIC for name in record.names for ending in ("", "_")}
    own = [
        name
        for name in dir(Tensor)
        if name[0] != "_" and name not in noted and hasattr(Tensor, name)
    ]
    rooms = {
        prefix: [name for name in room.__all__ if not inspect.ismodule(getattr(room, name))]
        for prefix, room in ROOMS.items()
    }
    return "\n".join(
        [
            "\n| in | `T.` and `x.` | only `T.` | only `x.` | `F.` |\n| --- | --- | --- | --- | --- |",
            *map(family, homes),
            "\n| besides | |\n| --- | --- |",
            row("x.", own),
            *(row(prefix, names) for prefix, names in rooms.items()),
            "\n",
        ]
    )
