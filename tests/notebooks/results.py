"""What the runs of a notebook are compared with: its outputs without the words that `refresh` has put
before folded results.

    python -m pytest notebooks --nbval -p tests.notebooks.results
"""

import pytest
from nbval.plugin import IPyNbCell

from notebooks.authoring.refresh import results


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, IPyNbCell):
            item.cell.outputs = results(item.cell)
