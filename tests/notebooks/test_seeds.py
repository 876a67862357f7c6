"""A sentence holds under other seeds; and one that holds under its own seed alone is found."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from notebooks.authoring import seeds
from notebooks.authoring.refresh import NOTEBOOKS


@pytest.mark.prove
@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_what_a_lesson_asserts_holds_under_other_seeds(path):
    found = [
        failure
        for k in range(1, seeds.TIMES + 1)
        for failure in seeds.failures(path, k * seeds.APART)
    ]
    assert not found, "\n".join(map(str, found))


@pytest.fixture
def lesson(tmp_path):
    cells = [
        "import numpy as np\nrng = np.random.default_rng(0)\nx = rng.normal(size=3)",
        "assert len(x) == 3\nassert abs(x[0] - 0.1257) < 1e-3",
        "y = np.random.default_rng(0)  # this seed\nassert abs(y.normal() - 0.1257) < 1e-3",
        "raise ValueError('on purpose')",
    ]
    notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
    notebook.cells[3].metadata.tags = ["raises-exception"]
    path = tmp_path / "00_sample.ipynb"
    nbformat.write(notebook, path)
    return path


def test_a_claim_that_holds_for_one_seed_is_found(lesson, monkeypatch, capsys):
    assert not list(seeds.failures(lesson, 0))
    monkeypatch.setattr(seeds, "NOTEBOOKS", lesson.parent)
    assert seeds.main(["00", "--times", "1"]) == 1
    told = capsys.readouterr().out
    assert "00_sample: failed under 1 of 1" in told and told.count("seeds + ") == 1
    assert "seeds + 1009: cell 1: AssertionError\n      assert abs(x[0] - 0.1257) < 1e-3" in told


@pytest.mark.parametrize(
    "before, after",
    [
        ("T.manual_seed(0)", "T.manual_seed(0 + 7)"),
        ("g = torch.Generator().manual_seed(seed)", "g = torch.Generator().manual_seed(seed + 7)"),
        ("np.random.default_rng(1).normal()", "np.random.default_rng(1 + 7).normal()"),
        ("crops(seed=2_000_000, count=16)", "crops(seed=2_000_000 + 7, count=16)"),
        ("T.manual_seed(0)      # this seed", "T.manual_seed(0)      # this seed"),
        ("  assert x(seed=1) < 2    # this seed\nassert True", "  pass\nassert True"),
        ("seeds = [1, 2]", "seeds = [1, 2]"),
    ],
)
def test_what_is_moved(before, after):
    assert seeds.moved(before, 7) == after
