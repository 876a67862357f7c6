"""The committed bundles are made from the sources that stand there: each names their hash, which
build.js takes too.
"""

import hashlib
import re
import shutil
from pathlib import Path

import pytest

from autograd_core.widgets.kit.bundle import STATIC

SOURCES = STATIC.parent / "js"
BUNDLES = ("widgets.js", "widgets.css", "stub.js", "view.js", "view.css")


def hash_of_sources(folder: Path) -> str:
    """A hash over all sources, as build.js takes it."""
    digest = hashlib.sha256()
    files = {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }
    for name in sorted(files):
        if not name.startswith("node_modules/") and (
            name.endswith((".js", ".css")) or name == "package.json"
        ):
            digest.update(name.encode() + b"\0" + files[name].read_bytes() + b"\0")
    return digest.hexdigest()


def stale(static: Path, sources: Path) -> list[str]:
    """The bundles in `static` that are not made from `sources`."""
    found = {
        name: re.search(r"sha256 (\w+)", (static / name).read_text(encoding="utf-8")[:200])
        for name in BUNDLES
    }
    expected = hash_of_sources(sources)
    return [name for name, match in found.items() if match is None or match[1] != expected]


def test_bundles_are_fresh():
    assert stale(STATIC, SOURCES) == [], "run make js"


@pytest.fixture
def copied(tmp_path):
    shutil.copytree(SOURCES, tmp_path / "js", ignore=shutil.ignore_patterns("node_modules"))
    assert stale(STATIC, tmp_path / "js") == [], "what npm has installed does not count"
    return tmp_path / "js"


def test_a_planted_change_or_file_is_found(copied):
    for name in ("index.js", "lessons/race.css", "package.json", "kit/more.js"):
        source = copied / name
        before = source.read_text(encoding="utf-8") if source.exists() else ""
        source.write_text(before + "\n", encoding="utf-8")
        assert stale(STATIC, copied) == list(BUNDLES), name
        source.write_text(before, encoding="utf-8")
    source.unlink()
    assert stale(STATIC, copied) == []


def test_a_bundle_without_a_hash_is_found(tmp_path):
    shutil.copytree(STATIC, tmp_path / "static")
    (tmp_path / "static/stub.js").write_text("export default {};\n")
    assert stale(tmp_path / "static", SOURCES) == ["stub.js"]
