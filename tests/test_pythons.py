"""A Python on which a test fails is told, and the one that runs this is not tried again."""

from types import SimpleNamespace

import pytest

from . import pythons


@pytest.mark.parametrize("fails", ["", "notebooks", "tests/core"])
def test_a_python_on_which_something_fails_is_told(monkeypatch, capsys, fails):
    own = pythons.version_of(pythons.sys.executable)
    monkeypatch.setattr(pythons, "found", lambda: {own: "mine", "3.99": "another"})
    ran = []

    def run(command, **options):
        ran.append(list(map(str, command)))
        return SimpleNamespace(returncode=int(fails in ran[-1]), stdout="")

    monkeypatch.setattr(pythons, "version_of", lambda python: own)
    monkeypatch.setattr(pythons.subprocess, "run", run)
    assert pythons.main() == bool(fails)
    assert capsys.readouterr().out.endswith(
        f"-- 3.99 tried, failed: {'3.99' if fails else 'none'}\n"
    )
    assert len(ran) == 3 and {"tests/core", "tests/trace"} <= {*ran[1]} and "--nbval" in ran[2]
    assert all("build/python3.99" in " ".join(command) for command in ran)
