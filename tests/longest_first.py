"""What takes longest begins first, so that two processes end together; what fails is told at once,
since a run that is stopped tells nothing at its end.

    make test SECONDS=write         and write the committed table anew, from this run
    python -m pytest -p tests.longest_first [--write-seconds] …

tests/seconds.json has the seconds of each file whose tests take one or more.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

TABLE = Path(__file__).with_name("seconds.json")


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-seconds", action="store_true", help=f"write {TABLE.name} anew, from this run"
    )


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        return
    config.pluginmanager.register(Teller(config), "teller")
    if config.option.write_seconds:
        config.pluginmanager.register(Stopwatch(), "stopwatch")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file's tests stay together, in their order."""
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    items.sort(key=lambda item: -table.get(file_of(item.nodeid), 0))


class Teller:
    """Says which test failed, and why, when it fails."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            terminal = self.config.pluginmanager.get_plugin("terminalreporter")
            terminal.write_line(f"\n{report.nodeid} ({report.when}): {report.longreprtext}")


class Stopwatch:
    """Adds up what each file took, and at the end writes it into the table; files that did not run
    keep their places.
    """

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[file_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        known = json.loads(TABLE.read_text(encoding="utf-8")) | {
            file: round(s) for file, s in self.seconds.items()
        }
        there = {
            file: s for file, s in sorted(known.items()) if s and (TABLE.parents[1] / file).exists()
        }
        TABLE.write_text(json.dumps(there, indent=1) + "\n", encoding="utf-8")
