"""What is saved is written whole or not at all: a failure in the middle leaves the old file, and
nothing besides.
"""

import errno
import os

import pytest

from autograd_core.widgets import GraphView
from autograd_core.widgets.kit import files
from autograd_core.widgets.kit.live import Live
from tests.widgets.sample_traces import logistic


class Empty(Live):
    def draw(self, ours, theirs):
        return {}

    def still(self):
        return "<svg/>"


WRITERS = {
    ".live.html": lambda path: Empty(dict, title="empty").save(path),
    **{ending: lambda path: GraphView(logistic()).save(path) for ending in (".html", ".svg")},
}


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupted(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize(
    "place, failure", [("fsync", full), ("fsync", interrupted), ("replace", full)]
)
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path, monkeypatch, ending, place, failure
):
    path = tmp_path / f"step{ending}"
    path.write_text("old")
    with monkeypatch.context() as broken, pytest.raises((OSError, KeyboardInterrupt)):
        broken.setattr(files.os, place, failure)
        WRITERS[ending](path)
    assert path.read_text() == "old" and os.listdir(tmp_path) == [path.name]
    WRITERS[ending](path)
    assert path.read_bytes() != b"old" and os.listdir(tmp_path) == [path.name]


def test_two_processes_write_to_names_of_their_own(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(files.os, "fsync", lambda _: seen.extend(os.listdir(tmp_path)))
    for process in (1, 2):
        monkeypatch.setattr(files.os, "getpid", lambda process=process: process)
        files.write_whole(tmp_path / "a", "text")
    assert len({name for name in seen if name != "a"}) == 2


def test_a_link_goes_on_leading_to_its_file(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    files.write_whole(tmp_path / "link", "new, ∂")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text(
        encoding="utf-8"
    ) == "new, ∂"
