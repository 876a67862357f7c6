"""The pictures in the README are those that the step view draws now."""

import pytest

from notebooks.authoring.picture import NOTEBOOKS, PICTURE, SAVED, saved, view


def test_picture_is_up_to_date():
    assert PICTURE.read_text(encoding="utf-8") == view().svg(), "run make notebooks"


@pytest.mark.parametrize("name", SAVED)
def test_pictures_of_the_day_after_are_those_of_its_notebook_and_small(name):
    picture = (NOTEBOOKS / name).read_text(encoding="utf-8")
    assert picture == saved(SAVED[name]), "run make notebooks"
    assert len(picture.encode()) < 100_000
    assert (">nan<" in picture) == (name == "nan.svg")
