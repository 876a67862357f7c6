"""Code that only the lessons use. Each lesson imports the following names from here:

    from autograd_core.lessons import check, predict

exercises     `check("01.1", a_grad=-0.5)` compares an answer with PyTorch's; the references are
              in its answers/
questions     `predict` and `quiz`
widgets       the widgets of single lessons: `curves`, `paint`, `mining`, `race`, …
datasets      curved text and loss surfaces
own_engine    lesson 14's own solution; `own_trace` takes a trace of such an engine
processes     lesson 16: a function in several processes; `distributed` runs inside of them
"""

__all__ = ["check", "predict", "quiz", "watch_own"]


def __getattr__(name: str) -> object:
    """Load the tools of the lessons at the first use, because the processes of lesson 16 need none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ..widgets.kit.shown import show_all
    from .exercises.check import check
    from .own_loop import watch_own
    from .questions.predict import predict
    from .questions.quiz import quiz

    show_all()
    return {"check": check, "predict": predict, "quiz": quiz, "watch_own": watch_own}[name]
