"""Names that notebooks import from an older place: each is found, is the very one, and only one
table leads there.
"""

import ast
import importlib
import re
from pathlib import Path

import nbformat
import pytest

import autograd_core
from autograd_core.moved import LESSONS, MOVED
from notebooks.authoring.refresh import NOTEBOOKS

PACKAGE = Path(autograd_core.__file__).parent
EARLIER = [
    path
    for path in PACKAGE.rglob("*.py")
    if not {"lessons", "node_modules"} & set(path.relative_to(PACKAGE).parts)
]


@pytest.mark.parametrize(
    "module, name, place",
    [(module, *entry) for module, names in MOVED.items() for entry in names.items()],
)
def test_a_moved_name_is_found_in_its_old_place(module, name, place):
    file, _, attribute = place.partition(":")
    there = importlib.import_module(f"{LESSONS}.{file}")
    old = importlib.import_module(module)
    assert getattr(old, name) is (getattr(there, attribute) if attribute else there)
    assert name in dir(old)


@pytest.mark.parametrize("module", MOVED)
def test_a_name_that_is_nowhere_is_an_attribute_error(module):
    old = importlib.import_module(module)
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'nowhere'"):
        old.nowhere


def imported(path: Path) -> list[tuple[str, str]]:
    """(module, name) for each `from autograd_core… import name` of a notebook."""
    cells = [
        cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"
    ]
    lines = re.findall(
        r"^ *from (autograd_core[\w.]*) import ([\w, ]+)", "\n".join(cells), re.MULTILINE
    )
    return [
        (module, name.split(" as ")[0].strip())
        for module, names in lines
        for name in names.split(",")
    ]


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_all_that_a_notebook_imports_is_there(path):
    found = imported(path)
    assert found
    for module, name in found:
        assert getattr(importlib.import_module(module), name) is not None


def reaching(path: Path) -> list[str]:
    """The texts in the code of a file, docstrings aside, that name the room of the lessons."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and id(node) not in bare
    ]
    return [text for text in texts if isinstance(text, str) and text.startswith(LESSONS)]


def test_only_the_table_leads_from_an_earlier_room_to_the_lessons():
    """`tests/test_house.py` sees import statements; a name in a text would pass by it."""
    found = {str(path.relative_to(PACKAGE)) for path in EARLIER if reaching(path)}
    assert found == {"moved.py"}


def test_a_planted_way_to_the_lessons_is_found(tmp_path):
    planted = tmp_path / "planted.py"
    planted.write_text(
        '"""autograd_core.lessons is only mentioned here."""\nimport importlib\n'
        'importlib.import_module("autograd_core.lessons.datasets")\n'
    )
    assert reaching(planted) == ["autograd_core.lessons.datasets"]
