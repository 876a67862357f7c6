"""The pictures in the README are up to date, and its five lines print the output below them."""

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


def test_the_moving_picture_is_small_and_shows_the_numbers_of_now():
    found = moving_picture.numbers()
    assert moving_picture.PICTURE.stat().st_size <= moving_picture.MOST
    with Image.open(moving_picture.PICTURE) as picture:
        assert picture.n_frames > 20
        assert picture.info["xmp"] == moving_picture.drawn(found), "run make picture"
        other_sign = found._replace(gradients=-found.gradients)
        assert picture.info["xmp"] != moving_picture.drawn(other_sign)


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
