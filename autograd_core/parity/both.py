"""The two-engine cell. `%%both` runs a cell on autograd_core and on PyTorch and compares what it left behind.

    %load_ext autograd_core.parity                %%both
                                                  x = T.tensor([1.0, 2.0], requires_grad=True)
                                                  loss = (x * x).sum()
                                                  loss.backward()

In the cell T, F, nn and optim mean the engine. Afterwards plain names hold autograd_core's results and
`on_torch.loss` PyTorch's. The cell uses what %%both cells made, modules and what is imported from them, and
plain values (numbers, strings, arrays, lists and dicts of them), which are copied. Draw and time in ordinary
cells. Both sides run to their own end, also when the cell fails.

    %%both raises RuntimeError      the cell must raise this on both sides
    %%both tolerance=1e-12          numbers must agree to this part of their magnitude
    %%both second-order             the cell differentiates a gradient: numbers are compared, graphs are not
    %%both unwatched                nothing is kept for `watch`: a long training then runs at full speed

Both sides are in this process. What a cell leaves in a file, in the environment or in an imported module is
there for both: the report says so, and it is not compared. So is a file that both sides only read.
"""

import contextlib
import math
import sys
import weakref
from collections.abc import Callable

import numpy as np

from .cell import Cell, Options
from .claims import shown_claims
from .compare import PRINTED, Comparison, ParityError, compare_printed, compare_results, numbers_in
from .namespaces import MadeOutside, Side, learners_names
from .parts import is_imported, is_shareable
from .report import AgreementReport, ParityReport, RaisesReport, first_line
from .results import PLAIN_KINDS, VALUE_KINDS, as_array
from .rounding import differences
from .run import Outcome, Step, Trial, copied, run_on
from .surroundings import Settings, Shared

TRIALS = 3


NOTHING = Outcome()


class Session:
    """Two sides that go from cell to cell in step.

    `ours` and `theirs` are the engines; `namespace` is the learner's, in which ours runs. `quiet` is a context
    in which PyTorch's side runs, so that nothing is shown twice.
    """

    def __init__(self, ours, theirs, namespace: dict, quiet=contextlib.nullcontext):
        self.ours, self.theirs = Side("autograd_core", ours, namespace), Side("PyTorch", theirs, {})
        self.sides, self.quiet = (self.ours, self.theirs), quiet
        self.made = self.compared = self.cells = 0
        self.not_compared: list[str] = []
        self.carried: dict[
            str, float
        ] = {}  # path -> how far rounding in a cell left the sides apart
        self._history: list[Step] = []
        self._trials = [Trial(ours, seed) for seed in range(TRIALS)]
        self._known: dict[str, Callable] = {}  # name -> reference to what both sides have under it
        self._outside: dict[
            str, object
        ] = {}  # name -> what an ordinary cell made, and cannot be copied
        self._left: list[dict] = [{}, {}]  # for each side its marks when the last cell ended
        self._apart: dict[str, str] = {}  # path -> how the sides differ there, and since when
        self._changed: set[str] = (
            set()
        )  # names of what an ordinary cell changed: no trial knows of it

    def run(self, source: str, line: str = "", filename: str = "<both>"):
        """Run one cell on both sides; returns (report, value of the last expression).

        Raises MadeOutside before anything runs, ParityError where the sides differ, and the cell's own exception
        if it raises on both.
        """
        __tracebackhide__ = True
        options, cell = Options.parse(line), Cell.compile(source, filename)
        step, before = self._begin(cell), self._results()
        marks, apart = _marks(before), self._apart
        with self._hiding_what_is_outside():
            outcomes, comparison = self._run_sides(step, not options.unwatched)
        self._history.append(step)
        after = self._results(cell.last_text, outcomes)
        made = _made(cell, before, marks, after)
        comparison = self._compare(comparison, outcomes, after, made, options, cell)
        self._end(comparison, after, made, cell)
        try:
            report = self._judge(outcomes, options.raises, comparison)
        except Exception as error:
            for note in self._advice(error, apart, source):
                error.add_note(note)
            raise
        return report or AgreementReport(
            comparison, shown_claims(cell.claims, self.ours.namespace), self._told()
        ), outcomes[0].value

    def report(self) -> ParityReport:
        """How many of the results made so far were compared."""
        return ParityReport(self.cells, self.made, self.compared, tuple(self.not_compared))

    # ---- before a cell ---------------------------------------------------------------------------------------

    def _begin(self, cell):
        """Give PyTorch's side what ordinary cells made, and note where they changed one side alone."""
        self.ours.check_names()
        for side in self.sides:
            side.bind()
        ours, theirs = self.ours.namespace, self.theirs.namespace
        fresh = {
            name: ours[name]
            for name in learners_names(ours)
            if name not in self._known or self._known[name]() is not ours[name]
        }
        given = {
            name: value
            for name, value in fresh.items()
            if is_shareable(value) or is_imported(name, value)
        }
        self._outside = {name: value for name, value in fresh.items() if name not in given}
        for name in [name for name in learners_names(theirs) if name not in ours or name in fresh]:
            del theirs[name]
        for name in self._outside.keys() & cell.loaded:
            raise self._made_outside(name)
        given |= {name: ours[name] for name in self._changed_outside(fresh)}
        step = Step(cell, copied(given), Settings.of(self.ours.engine))
        theirs |= copied(step.given)
        return step

    def _changed_outside(self, fresh):
        """The names of plain values that ordinary cells changed. What else they changed is apart from now on."""
        results = self._results(but=fresh)
        changed = [
            {path for path, result in found.items() if left.get(path) != result.mark()}
            | set(left.keys() - found.keys())
            for found, left in zip(results, self._left)
        ]
        roots = {path: result.root for found in results for path, result in found.items()}
        plain = {roots[path] for path in changed[0] & roots.keys()}
        plain -= {result.root for result in results[0].values() if result.kind not in PLAIN_KINDS}
        asked = changed[0] | changed[1] | self._apart.keys()
        found = compare_results(*results, asked.__contains__, cap=0.0, graphs=False).differences
        apart = {}
        for path, message in [
            (each.name, each.message) for each in found if roots[each.name] not in plain
        ]:
            labels = [side.label for side, paths in zip(self.sides, changed) if path in paths]
            who = f"an ordinary cell changed {' and '.join(labels)}'s side{' alone' if len(labels) == 1 else ''}"
            apart[path] = self._apart.get(path) or f"{message}: {who}"
        self._apart = apart
        self._changed |= {roots[path] for path in changed[0] & roots.keys()} - plain
        return plain

    def _made_outside(self, name):
        return MadeOutside(
            f"{name} was made outside %%both and is no plain value (it is a "
            f"{type(self._outside[name]).__name__}): make it in a %%both cell",
            name=name,
        )

    # ---- the cell --------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _hiding_what_is_outside(self):
        """No side finds what PyTorch's side does not have."""
        for name in self._outside:
            del self.ours.namespace[name]
        try:
            yield
        finally:
            for name, value in self._outside.items():
                self.ours.namespace.setdefault(name, value)

    def _run_sides(self, step, recorded):
        """Run the cell on both sides from the same settings; returns what came of it, and what belongs to no name."""
        __tracebackhide__ = True
        engines, comparison, shared = (
            [side.engine for side in self.sides],
            Comparison(),
            Shared(*self.sides),
        )
        ours = run_on(self.ours, step, recorded, seen=sys.stdout)
        settings = Settings.of(engines[0])
        step.settings.give_to(engines[1])
        try:
            with self.quiet():
                theirs = run_on(self.theirs, step, recorded)
            for name, sentence in settings.differences(Settings.of(engines[1])):
                comparison.differ(name, sentence)
        finally:
            settings.give_to(engines[0])
        for name, kind, why in shared.changes():
            comparison.leave_out(name, kind, why)
        return (ours, theirs), comparison

    def _results(self, last_text="", outcomes=(NOTHING, NOTHING), but=()):
        return [
            side.results(last_text, outcome.value, {*self._outside, *but}, other.engine)
            for side, other, outcome in zip(self.sides, self.sides[::-1], outcomes)
        ]

    def _compare(self, comparison, outcomes, after, made, options, cell):
        """Compare what the cell made; where it is off, after as many trials as it takes."""

        def compare(moved):
            found = compare_results(
                *after, made.__contains__, options.tolerance, not options.second_order, moved
            )
            compare_printed(found, *(each.printed for each in outcomes), moved.get(PRINTED))
            return found

        found, moved = compare({}), {}
        tried = [] if self._changed or options.tolerance < math.inf else self._trials
        for trial in tried:
            if found.differences and all(each.may_be_rounding for each in found.differences):
                self._try(trial, moved, after[0], outcomes[0], cell.last_text)
                found = compare(moved)
        found.rows[:0], found.differences[:0] = comparison.rows, comparison.differences
        return found

    def _try(self, trial, moved, results, outcome, last_text):
        """Add to `moved` how far each number of ours moves in this trial."""
        settings = Settings.of(self.ours.engine)
        try:
            with self.quiet():
                again = trial.run(self._history)
        finally:
            settings.give_to(self.ours.engine)
        if type(again.error) is not type(outcome.error):
            return  # shaken, the numbers took another way
        found = trial.side.results(last_text, again.value)
        pairs = [
            (path, as_array(result.value), as_array(found[path].value))
            for path, result in results.items()
            if _is_numeric(result) and path in found and _is_numeric(found[path])
        ]
        for path, here, there in [
            *pairs,
            (PRINTED, numbers_in(outcome.printed), numbers_in(again.printed)),
        ]:
            if here.shape == there.shape:
                gap = differences(here, there)
                moved[path] = np.maximum(moved.get(path, 0.0), np.where(np.isfinite(gap), gap, 0.0))

    # ---- after a cell ----------------------------------------------------------------------------------------

    def _end(self, comparison, results, made, cell):
        """Count, and remember how the sides are left."""
        self.cells += 1
        self.made += comparison.made
        self.compared += comparison.compared
        self.not_compared += [
            f"{row.name}: {row.not_compared}" for row in comparison.rows if row.not_compared
        ]
        namespace = self.ours.namespace
        self._known = {
            name: _reference(namespace[name])
            for name in learners_names(namespace)
            if name not in self._outside or self._outside[name] is not namespace[name]
        }
        asked = self._apart.keys() - made
        still = {
            each.name
            for each in compare_results(
                *results, asked.__contains__, cap=0.0, graphs=False
            ).differences
        }
        self._apart = {path: why for path, why in self._apart.items() if path in still}
        self._apart |= {
            each.name: f"{each.message}: a cell that failed left it so"
            for each in comparison.differences
            if each.name in results[0] or each.name in results[1]
        }
        self._changed -= cell.assigned
        self._left = _marks(results)
        self.carried = {
            path: size
            for path, size in self.carried.items()
            if path in results[0] and path not in made
        }
        self.carried |= {row.name: row.difference for row in comparison.rows if row.difference}

    def _judge(self, outcomes, expected, comparison):
        """A report if both sides raise what was expected; raises what the learner has to see otherwise."""
        __tracebackhide__ = True
        ours, theirs = errors = [outcome.error for outcome in outcomes]
        for error in errors:
            if isinstance(error, NameError) and error.name in self._outside:
                raise self._made_outside(error.name)
            if isinstance(error, ParityError):
                raise error
        if not (ours or theirs or expected):
            return comparison.check()
        if ours is None and theirs is None:
            raise ParityError(
                f"the cell was to raise {expected.__name__}, but it ran through on both engines"
            )
        if ours is None or theirs is None:
            raising, other = self.sides if theirs is None else self.sides[::-1]
            error = ours or theirs
            raise ParityError(
                f"only {raising.label} raises {first_line(error)}; {other.label} does not"
            ) from error
        same = type(ours).__name__ == type(theirs).__name__
        if expected and same and isinstance(ours, expected):
            comparison.check()
            return RaisesReport(ours, theirs, self._told())
        if expected:
            raise ParityError(
                f"the cell was to raise {expected.__name__} on both engines; autograd_core raises {first_line(ours)}; "
                f"PyTorch raises {first_line(theirs)}"
            ) from ours
        ours.add_note(f"PyTorch raises {'the same' if same else 'otherwise'}: {first_line(theirs)}")
        raise ours

    def _told(self):
        """Where the sides differ although this cell did not do it, as a sentence; "" where they do not."""
        return _sentence(self._apart)

    def _advice(self, error, apart, source):
        if apart:
            yield f"Before this cell {_sentence(apart)}"
        elif self._apart:
            names = ", ".join([*self._apart][:8])
            yield f"Both sides ran to their end, and are no longer in step in {names}: mend the cell and run from the top."
        if self.carried and isinstance(error, ParityError):
            path = max(self.carried, key=self.carried.__getitem__)
            yield f"By rounding in earlier cells {path} was {self.carried[path]:.0e} apart."
        if "create_graph" in source and str(error).startswith("graph of"):
            yield "The graph of a gradient need not be PyTorch's, only its numbers: write %%both second-order."


def _made(cell, before, marks, after):
    """The paths that the cell made or changed, on either side."""
    paths = set()
    for was, marked, now in zip(before, marks, after):
        paths |= was.keys() ^ now.keys()
        paths |= {
            path
            for path, result in now.items()
            if result.root in cell.assigned
            or cell.last_text in (path, result.root)
            or path in was
            and (
                marked[path] != result.mark()
                or was[path].value is not result.value
                and result.kind not in (*VALUE_KINDS, "optimizer state")
            )
        }
    return paths


def _marks(results):
    return [{path: result.mark() for path, result in found.items()} for found in results]


def _sentence(apart):
    if not apart:
        return ""
    first, *others = apart
    more = f"; so do {', '.join(others[:8])}{', …' if len(others) > 8 else ''}" if others else ""
    return f"{apart[first]}{more}. Make such changes in a %%both cell, and run from the top."


def _is_numeric(result):
    return result.kind in ("number", "array") or hasattr(type(result.value), "detach")


def _reference(value):
    """A weak reference where the type allows one, so that the session keeps no deleted graph alive."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value
