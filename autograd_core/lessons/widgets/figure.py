"""A picture that doesn't change, for the output of a cell."""

from ...widgets.kit.sheet import Sheet


class Figure:
    """A still picture, and the words for readers who don't see it."""

    def __init__(self, sheet: Sheet, words: str):
        self.sheet, self.words = sheet, words

    def __repr__(self) -> str:
        return self.words

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        return {"text/plain": self.words, "image/svg+xml": self.sheet.svg(self.words)}
