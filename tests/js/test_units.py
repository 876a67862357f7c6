"""The unit tests of the scripts, *.test.mjs beside this file, each run under node."""

from pathlib import Path

import pytest

from tests.js import node

UNITS = sorted(Path(__file__).parent.glob("*.test.mjs"))


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name.removesuffix(".test.mjs"))
def test_unit(path):
    done = node.run("--test", "--test-reporter=spec", str(path))
    assert done.returncode == 0, done.stdout + done.stderr


def test_planted_failure_is_found(tmp_path):
    planted = tmp_path / "planted.test.mjs"
    planted.write_text(
        'import assert from "node:assert";\nimport { test } from "node:test";\n'
        'test("two is three", () => assert.equal(2, 3));\n'
    )
    done = node.run("--test", "--test-reporter=spec", str(planted))
    assert done.returncode != 0 and "two is three" in done.stdout
