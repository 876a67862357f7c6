"""A prediction before the experiment, with the verdict in the same widget after it.

    predict("01.1", "The gradient at `u` is", ["the last to arrive", "the sum | of both paths"],
            result=lambda at_u, sum_of_both: int(at_u == sum_of_both),
            because="`u` feeds two nodes, and each sends a gradient back")

`result` returns the index of the choice that happened. Its parameters are names of the notebook:
as soon as the cells after the question have assigned all of them, `result` is called once, with
their values. The order of the choices is shuffled, but it is the same for everyone. The first
answer is kept, also if it comes after the experiment. Predictions last as long as the kernel."""

import inspect
import random
import symtable
from collections.abc import Callable, Mapping
from dataclasses import replace

from ...widgets.kit.shown import shell
from .choice import NONE, ChoiceWidget, Question

KEPT = "Your answer is kept. Run the cells below to see what happens."
UNANSWERED = "The experiment has run. Choose an answer to see the verdict."

_predictions: dict[str, "Prediction"] = {}


class Prediction(ChoiceWidget):
    """One question about the experiment below it. `answer` and `result` are indices of
    `question.choices`, `None` while unknown; `is_late` says that the answer came after the result.
    """

    def __init__(self, question: Question, result: Callable[..., int], because: str):
        self.order = shuffled(question)
        super().__init__(
            [replace(question, choices=tuple(question.choices[i] for i in self.order))], [NONE]
        )
        self.question = question
        self.result: int | None = None
        self.is_late = False
        self._first = NONE
        self.observe(self._keep_first, "answers")
        self.ask(result, because)

    def ask(self, result: Callable[..., int], because: str) -> None:
        """Await the names that `result` needs. A verdict stays until they are all assigned again."""
        self.find_result, self.because = result, because
        self._needed = set(inspect.signature(result).parameters)
        self._awaited = set(self._needed)

    @property
    def answer(self) -> int | None:
        return None if self._first == NONE else self.order[self._first]

    def settle(self, assigned: set[str], values: Mapping[str, object]) -> None:
        """Find the result once every name that it needs has been assigned after the question."""
        was_open = bool(self._awaited)
        self._awaited -= assigned
        if self._awaited or not was_open:
            return
        self.message, found = "", None
        try:
            found = self.find_result(**{name: values[name] for name in self._needed})
        except Exception as error:
            self.message = f"The result fits no choice: {type(error).__name__}: {error}"
        else:
            if found not in range(len(self.order)):
                self.message = f"The result fits no choice: {found!r}"
                found = None
        self.result = found
        self._show()

    def verdict(self, place: int) -> dict:
        """The entry of `results` for the choice shown at `place`."""
        if self.result is None:
            return {"status": KEPT}
        titles = [title for title, _ in self.question.parts()]
        chosen, happened = titles[self.order[place]], titles[self.result]
        is_right = self.order[place] == self.result
        said = "Chosen after the run" if self.is_late else "You predicted"
        what = "That is what happened" if is_right else f"What happened: {happened}"
        reason = self.because and f", because {self.because.rstrip('.')}"
        return {
            "status": f"{said}: {chosen}. {what}{reason}.",
            "marks": [
                [self.order.index(self.result), "right", "what happened"],
                [place, "yours", "your answer"],
            ],
            "state": "right" if is_right else "other",
        }

    def _keep_first(self, _change) -> None:
        if self._first == NONE:
            self._first, self.is_late = self.answers[0], self.result is not None
            self._show()
        elif self.answers[0] != self._first:
            self.answers = [self._first]

    def _show(self) -> None:
        if self._first == NONE:
            self.summary = UNANSWERED if self.result is not None else ""
        else:
            self.results, self.summary = [self.verdict(self._first)], ""


def shuffled(question: Question) -> list[int]:
    """The order in which the choices are shown: shuffled with the question as the seed."""
    order = list(range(len(question.choices)))
    random.Random(question.text).shuffle(order)
    return order


def predict(
    name: str,
    question: str,
    choices: list[str],
    *,
    result: Callable[..., int],
    because: str = "",
) -> Prediction:
    """Ask `question` under `name`, "01.1" for the first one of lesson 01.

    A choice is "title" or "title | detail". The module docstring explains `result`. `because`
    completes the verdict: "What happened: …, because …". The same question, asked again, keeps its
    answer. Raises `ValueError` for fewer than two different choices."""
    asked = Question(question, tuple(choices), KEPT, "Predict first.")
    ipython = shell()
    if ipython and _settle_all not in ipython.events.callbacks["post_run_cell"]:
        ipython.events.register("post_run_cell", _settle_all)
    if name not in _predictions or _predictions[name].question != asked:
        _predictions[name] = Prediction(asked, result, because)
    else:
        _predictions[name].ask(result, because)
    return _predictions[name]


def assigned_names(cell: str) -> set[str]:
    """The names that the cell assigns, outside of its functions and classes."""
    code = cell.partition("\n")[2] if cell.startswith("%%") else cell
    try:
        symbols = symtable.symtable(code, "<cell>", "exec").get_symbols()
    except SyntaxError:  # a line of IPython's, as `%load_ext`
        return set()
    return {each.get_name() for each in symbols if each.is_assigned() or each.is_imported()}


def _settle_all(run) -> None:
    """Settle the predictions that wait for the cell that IPython has just run."""
    if run.success and _predictions:
        assigned = assigned_names(run.info.raw_cell)
        for prediction in _predictions.values():
            prediction.settle(assigned, shell().user_ns)
