"""How a Chromium is found and got, with the machine played by the test."""

from types import SimpleNamespace

import pytest

from tests.browser import chromium


@pytest.fixture
def debian(monkeypatch):
    monkeypatch.setattr(chromium.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(chromium.os, "geteuid", lambda: 0, raising=False)


def test_installed_chromium_is_taken_and_else_debians_package_comes_last(debian):
    assert chromium.obtain(lambda: "1.0", pytest.fail) == "1.0"
    ran = []

    def version():
        return "1.0" if any("--no-install-recommends" in line for line in ran) else None

    def run(command):
        ran.append(" ".join(command[-3:]))
        return "playwright" not in ran[-1]

    assert chromium.obtain(version, run) == "1.0"
    assert len(ran) == 3 and ran[-1] == "--yes --no-install-recommends chromium"


def test_without_any_it_fails_and_says_what_to_install(debian):
    with pytest.raises(chromium.NoChromium, match="apt-get install chromium"):
        chromium.obtain(lambda: None, lambda command: True)


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
