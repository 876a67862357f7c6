"""What the README shows is so: its picture is the one that the step view draws now, its five lines
print what is shown.
"""

import re

import pytest
import torch
from PIL import Image

from notebooks.authoring import moving_picture, refresh
from notebooks.authoring.picture import NOTEBOOKS, SAVED, saved


@pytest.mark.parametrize("name", SAVED)
def test_pictures_of_the_day_after_are_those_of_its_notebook_and_small(name):
    picture = (NOTEBOOKS / name).read_text(encoding="utf-8")
    assert picture == saved(SAVED[name]), "run make notebooks"
    assert len(picture.encode()) < 100_000
    assert (">nan<" in picture) == (name == "nan.svg")


def test_the_moving_picture_moves_is_small_and_of_the_view_as_it_is():
    assert moving_picture.PICTURE.stat().st_size <= moving_picture.MOST
    with Image.open(moving_picture.PICTURE) as picture:
        assert picture.n_frames > 20
        assert picture.info["xmp"] == moving_picture.drawn(), "run make picture"


def test_the_five_lines_of_the_readme_print_what_is_shown(capsys, tmp_path):
    readme = (refresh.NOTEBOOKS.parent / "README.md").read_text(encoding="utf-8")
    code, shown = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", readme, re.DOTALL).groups()
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.BatchNorm1d(64), torch.nn.Linear(64, 1)
    )
    script = tmp_path / "train.py"
    script.write_text(code, encoding="utf-8")
    exec(
        compile(code, str(script), "exec"),
        {"torch": torch, "model": model, "x": torch.randn(16, 20)},
    )
    assert capsys.readouterr().out == shown
