"""The learner's own loop in the step view: the last cell of each lesson.

If the loop fails, a message is shown instead of the view, and the notebook goes on."""

import html
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import FrameType

from ..parity.agreement_report import STYLE, first_line
from ..parity.watching import watching
from ..trace import Names, names_in
from ..widgets import watch
from .exercises.conduct import few_lines, kind_of


@dataclass(frozen=True)
class Message:
    """A message that is shown instead of a view."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'{STYLE}<div class="ac-parity">{html.escape(self.text)}</div>'


def watch_own(loop: Callable[[], object]) -> object:
    """Call `loop` and show the graph of the loss that it returns, of PyTorch or of autograd_core.

    `loop` takes nothing and returns a loss, or a loss and the network that it trains. Its forward
    is recorded, so the view says where paths were cut. Returns the view; or a message where the
    loop raises, is interrupted, or returns something else."""
    if not callable(loop):
        asked = "watch_own takes a function, without calling it: watch_own(my_loop)"
        return Message(f"{asked}. Got {_kind(loop)}.")
    try:
        with few_lines(), watching():
            returned, names = _called(loop)
    except KeyboardInterrupt:
        return Message(f"{_name(loop)} was interrupted before it returned. Does its loop end?")
    except (Exception, SystemExit) as error:
        return Message(f"{_name(loop)} raises {first_line(error)}{_place(error, loop)}.")
    pair = isinstance(returned, tuple) and len(returned) == 2
    loss, network = returned if pair else (returned, None)
    if not hasattr(loss, "grad_fn"):
        asked = "A loss is asked for: a tensor, without .item(); or the loss and its network"
        return Message(f"{_name(loop)} returns {_kind(loss)}. {asked}.")
    # held until the view is made: a name lasts as long as its tensor
    held = {**names, "loss": loss, "net": network}
    try:
        return watch(loss, names=_short(names_in(held)), title="Your loop")
    except (TypeError, RuntimeError) as error:
        return Message(f"The loss of {_name(loop)} cannot be shown: {first_line(error)}")


def _short(names: Names) -> Names:
    """With the parameters of the only model called as `named_parameters()` calls them, as in the
    boxes of the picture.
    """
    if len(names.models) != 1:
        return names
    ((model, _),) = names.models
    short = {key: name.removeprefix(f"{model}.") for key, name in names.tensors.items()}
    return replace(names, tensors=short)


def _called(loop: Callable) -> tuple[object, dict[str, object]]:
    """Return the result of `loop`, and its local variables at that time."""
    names: dict[str, object] = {}

    def noted(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_code is getattr(loop, "__code__", None):
            names.update(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(noted)
    try:
        return loop(), names
    finally:
        sys.setprofile(before)


def _name(loop: Callable) -> str:
    return f"{getattr(loop, '__name__', 'your function')}()"


def _kind(value: object) -> str:
    return "None: a return is missing" if value is None else kind_of(value)


def _place(error: BaseException, loop: Callable) -> str:
    """ " in line 3: `y = x`", the last line of the learner's own that was reached."""
    here = getattr(getattr(loop, "__code__", None), "co_filename", None)
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == here]
    return f", in line {lines[-1].lineno}: {lines[-1].line}" if lines else ""
