"""What takes longest begins first, and the table of seconds is what a run says; what is marked
`prove` waits for it.
"""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from . import conftest, longest_first


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The table, of files of which only `there.py` and `here.py` exist."""
    table = tmp_path / "tests" / "seconds.json"
    table.parent.mkdir()
    table.write_text('{"there.py": 7, "gone.py": 3}')
    for name in ("there.py", "here.py"):
        (tmp_path / name).touch()
    monkeypatch.setattr(longest_first, "TABLE", table)
    return table


def test_a_file_that_took_longer_begins_earlier_and_stays_together(table):
    items = [
        SimpleNamespace(nodeid=name)
        for name in ("here.py::a", "there.py::a", "here.py::b", "there.py::b", "gone.py::a")
    ]
    longest_first.pytest_collection_modifyitems(items)
    assert [item.nodeid for item in items] == [
        "there.py::a",
        "there.py::b",
        "gone.py::a",
        "here.py::a",
        "here.py::b",
    ]


def test_the_table_is_written_anew(table):
    watch = longest_first.Stopwatch()
    for name, seconds in (("here.py::a", 1.2), ("here.py::b", 0.9), ("gone.py::a", 5.0)):
        watch.pytest_runtest_logreport(SimpleNamespace(nodeid=name, duration=seconds))
    watch.pytest_sessionfinish()
    assert json.loads(table.read_text()) == {"here.py": 2, "there.py": 7}


def test_what_fails_is_told_when_it_fails(tmp_path):
    (tmp_path / "test_both.py").write_text(
        "import os\ndef test_bad(): assert 2 == 3\ndef test_ended(): os.killpg(0, 9)\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.longest_first", str(tmp_path)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        start_new_session=True,
    )
    assert run.returncode == -9
    assert "test_bad (call)" in run.stdout and "assert 2 == 3" in run.stdout


@pytest.mark.parametrize("prove", [False, True])
def test_what_is_marked_waits_for_make_prove(monkeypatch, prove):
    monkeypatch.setattr(conftest, "PROVE", prove)
    marked = {
        True: SimpleNamespace(get_closest_marker=lambda name: name == "prove"),
        False: SimpleNamespace(get_closest_marker=lambda name: None),
    }
    items, left = [*marked.values()], []
    config = SimpleNamespace(
        hook=SimpleNamespace(pytest_deselected=lambda items: left.extend(items))
    )
    conftest.pytest_collection_modifyitems(config, items)
    assert items == ([marked[True], marked[False]] if prove else [marked[False]])
    assert left == ([] if prove else [marked[True]])
