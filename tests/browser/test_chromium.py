"""How a Chromium is found and got, with the machine played by the test."""

from types import SimpleNamespace

import pytest

from tests.browser import chromium


class Machine:
    """A machine on which Chromium starts after the command that contains `works_after` succeeded."""

    def __init__(self, works_after: str | None, failing: str = ""):
        self.works_after, self.failing = works_after, failing
        self.ran: list[str] = []

    def version(self) -> str | None:
        works = self.works_after == "" or any(
            self.works_after in command for command in self.ran if self.works_after
        )
        return "1.0" if works else None

    def run(self, command: list[str]) -> bool:
        line = " ".join(command[-3:])
        if self.failing and self.failing in line:
            return False
        self.ran.append(line)
        return True


@pytest.fixture
def debian(monkeypatch):
    monkeypatch.setattr(chromium.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(chromium.os, "geteuid", lambda: 0, raising=False)


def test_installed_chromium_is_taken_as_it_is():
    machine = Machine(works_after="")
    assert chromium.obtain(machine.version, machine.run) == "1.0"
    assert machine.ran == []


@pytest.mark.parametrize("failing", ["playwright", ""])
def test_debians_package_comes_last(debian, failing):
    machine = Machine(works_after="--no-install-recommends", failing=failing)
    assert chromium.obtain(machine.version, machine.run) == "1.0"
    assert machine.ran[-1] == "--yes --no-install-recommends chromium"


def test_without_any_it_fails_and_says_what_to_install(debian):
    machine = Machine(works_after=None)
    with pytest.raises(chromium.NoChromium, match="apt-get install chromium"):
        chromium.obtain(machine.version, machine.run)


def test_chromium_that_does_not_start_is_passed_over_and_named(tmp_path, monkeypatch, browser):
    stub = tmp_path / "chromium"
    stub.write_text("#!/bin/sh\nexit 1\n")
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "none"))
    with pytest.raises(chromium.NoChromium) as raised:
        chromium.launch(SimpleNamespace(chromium=browser.browser_type))
    assert f"{stub}: " in str(raised.value)
    assert "apt-get install chromium" in str(raised.value)
