"""The picture in the README is the one that the step view draws now."""

from notebooks.authoring.picture import PICTURE, view


def test_picture_is_up_to_date():
    assert PICTURE.read_text(encoding="utf-8") == view().svg(), "run make notebooks"
