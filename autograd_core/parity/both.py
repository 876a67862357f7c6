"""The two-engine cell. `%%both` runs a cell on autograd_core and on PyTorch and compares the
results.

    %load_ext autograd_core.parity                %%both
                                                  x = torch.tensor([1.0, 2.0], requires_grad=True)
                                                  loss = (x * x).sum()
                                                  loss.backward()

The cell runs on autograd_core first, then on PyTorch. In each run, `torch`, F, nn, optim and
every import of torch refer to that engine. Afterwards your variables hold autograd_core's results,
and `on_torch.loss` is PyTorch's `loss`. The cell can use the objects of earlier %%both cells,
imports, and plain values of ordinary cells (numbers, strings, arrays, and lists and dicts of them),
which are copied. Plot and measure time in ordinary cells.

%%both compares every tensor that the cell made or changed (value, dtype, shape, requires_grad,
.grad), parameters, buffers, optimizer state, numbers, and the graph (names of the nodes, edges with
their output numbers). It finds them in variables, in lists, tuples and dicts, in modules and
optimizers, and in the attributes of objects of your own classes. The tolerance is 1e-7 for float64
and 1e-4 for float32, times the largest element of the tensor. Hooks, version counters, aliasing,
private attributes, random generators, text and files are not compared. PyTorch leaves two results
open: the order in which `topk` and `sort` return equal elements, and the graph of a parameter's view
after an optimizer step. If a result is left out for such a reason, the line under the cell names it
and gives the reason.

    %%both raises RuntimeError      the cell must raise this exception on both sides
    %%both rtol=1e-3                a different tolerance, for a cell with a long training run
    %%both second-order             the cell differentiates a gradient: graphs are not compared
    %%both unwatched                nothing is recorded for `watch`: a long training runs faster"""

import random

import numpy as np
import torch
from IPython.utils.capture import capture_output

import autograd_core

from ..core.recording import recording
from .agreement_report import AgreementReport, first_line, place_of
from .cell import Cell, Options
from .compare import ParityError, compare_results, listed
from .results import MISSING, Result, walk_together
from .sides import MadeOutside, Outcome, Side, copied, is_shareable, learners_names
from .ties import Ties

NOTHING = Outcome()
ABSENT = Result("missing", MISSING).mark()


class Session:
    """The two sides of a notebook, which run the same cells.

    `namespace` holds the learner's variables; after each cell it gets the variables of
    autograd_core's side."""

    def __init__(self, namespace: dict):
        self.sides = self.ours, self.theirs = Side(autograd_core), Side(torch)
        self.namespace, self._ties = namespace, Ties()
        self._outside: dict[str, object] = {}  # objects of ordinary cells that can't be copied
        self._given: set[str] = set()  # the names that ordinary cells gave to both sides
        self._left: dict[str, tuple] = {}  # path -> marks of both sides after the last cell
        self._apart: dict[str, str] = {}  # path -> how the sides differ there, and why

    def run(self, source: str, line: str = "", filename: str = "<both>"):
        """Run one cell on both sides. Returns the report, or `None` if nothing was compared, and
        the value of the last expression.

        Raises CellError before anything runs, ParityError if the sides differ, the cell's own
        exception if both sides raise it, and MadeOutside if the cell uses an object that can't be
        copied to PyTorch.
        """
        __tracebackhide__ = True
        options, cell = Options.parse(line), Cell.compile(source, filename)
        outside = self._begin(cell)
        before, apart = self._left, self._apart
        outcomes = self._run_sides(cell, not options.unwatched)
        pairs, marks = self._pairs(cell.last_text, outcomes)
        made = {
            path
            for path, pair in pairs.items()
            if pair.root in cell.assigned
            or cell.last_text in (path, pair.root)
            or marks[path] != before.get(path)
        }
        comparison = compare_results(pairs, made, options.rtol, graphs=not options.second_order)
        self._ties.leave_open(comparison, pairs, cell.loaded)
        self._end(comparison, pairs, marks, made)
        try:
            report = self._judged(outcomes, options.raises, comparison, cell, outside)
        except (Exception, KeyboardInterrupt) as error:
            for note in self._advice(error, apart, source):
                error.add_note(note)
            raise
        return report, outcomes[0].value

    # ---- before a cell ---------------------------------------------------------------------------

    def _begin(self, cell):
        """Give both sides the variables of ordinary cells, and compare the results that these cells
        changed. Returns the names that neither side can use.
        """
        ours, theirs = self.ours.namespace, self.theirs.namespace
        now = {name: self.namespace[name] for name in learners_names(self.namespace)}
        new = {name: each for name, each in now.items() if ours.get(name, MISSING) is not each}
        for side in (ours, theirs):
            for name in [name for name in learners_names(side) if name not in now or name in new]:
                del side[name]
        given = {
            name: each
            for name, each in new.items()
            if not (self._outside.get(name) is each and not isinstance(each, list | dict | set))
            and is_shareable(name, each)
        }
        plain, spoiled = self._changed_outside()
        for name in spoiled:
            for side in (ours, theirs):
                side.pop(name, None)
        outside = (new.keys() - given.keys()) | spoiled
        self._outside = {name: now[name] for name in outside}
        for name in outside & cell.loaded:
            raise self._made_outside(name)
        given |= {name: ours[name] for name in plain}
        self._given = (self._given | given.keys()) - cell.assigned - outside
        if given:
            ours |= given
            theirs |= copied(given)
            self._left = self._pairs()[1]
        return outside

    def _changed_outside(self):
        """The names of values of ordinary cells that these cells changed: those that are still
        plain, and those that can't be copied any more. If ordinary cells changed anything else and
        the sides now differ in it, `_apart` records the difference.
        """
        pairs, marks = self._pairs()
        changed = {  # path -> the labels of the sides on which it changed
            path: [side.label for side, a, b in zip(self.sides, mark, was) if a != b]
            for path, mark in marks.items()
            if (was := self._left.get(path, (ABSENT, ABSENT))) != mark
        }
        roots = {pairs[path].root for path in changed if self.ours.label in changed[path]}
        plain = {name for name in roots if is_shareable(name, self.ours.namespace.get(name))}
        spoiled = (roots & self._given) - plain
        found = compare_results(pairs, changed | self._apart, graphs=False)
        apart = {}
        for row in found.differences:
            if pairs[row.name].root not in plain | spoiled:
                labels = changed.get(row.name, [])
                where = f"only on {labels[0]}'s side" if len(labels) == 1 else "on both sides"
                told = f"{row.differs}: an ordinary cell changed it {where}"
                apart[row.name] = self._apart.get(row.name, told)
        self._apart, self._left = apart, marks
        return plain, spoiled

    def _made_outside(self, name):
        kind = type(self.namespace[name]).__name__
        why = f"comes from an ordinary cell and can't be copied to PyTorch (its type is {kind})"
        return MadeOutside(f"{name} {why}: make it in a %%both cell", name=name)

    # ---- the cell --------------------------------------------------------------------------------

    def _run_sides(self, cell, recorded):
        """Run the cell on both sides, with the same settings and random states at the start."""
        __tracebackhide__ = True
        settings = _settings(self.ours.engine)
        _set(self.theirs.engine, settings)
        self._ties.begin()
        try:
            with recording.subscribed(self._ties):
                outcome = self.ours.run(cell, recorded)
        finally:
            self._show_names()
        if isinstance(outcome.error, KeyboardInterrupt):
            return outcome, outcome
        random.setstate(settings["python"])
        np.random.set_state(settings["numpy"])
        with capture_output():
            return outcome, self.theirs.run(cell, recorded)

    def _show_names(self):
        """Give the learner autograd_core's variables, and the names F, nn and optim."""
        ours, namespace = self.ours.namespace, self.namespace
        names = learners_names(ours)
        for name in self.ours.names - {*names}:
            namespace.pop(name, None)
        namespace |= {name: ours[name] for name in names}
        for name, package in self.ours.bindings.items():
            if name != "torch":
                namespace.setdefault(name, package)

    def _pairs(self, last_text="", outcomes=(NOTHING, NOTHING)):
        """The pairs of all results, and their marks."""
        results = [
            side.results(last_text, outcome.value) for side, outcome in zip(self.sides, outcomes)
        ]
        pairs = walk_together(*results)
        marks = {path: (pair.ours.mark(), pair.theirs.mark()) for path, pair in pairs.items()}
        return pairs, marks

    # ---- after a cell ----------------------------------------------------------------------------

    def _end(self, comparison, pairs, marks, made):
        """Record the results' marks after the cell, and where the sides differ."""
        left = pairs.keys() - made
        self._apart = {path: why for path, why in self._apart.items() if path in left}
        for row in comparison.differences:
            if row.name in pairs:
                self._apart[row.name] = f"{row.differs}: a failed cell left this difference"
        self._left = marks

    def _judged(self, outcomes, expected, comparison, cell, outside):
        """Return the report if both sides end as expected; otherwise raise the learner's error."""
        __tracebackhide__ = True
        ours, theirs = errors = [outcome.error for outcome in outcomes]
        for error in errors:
            if isinstance(error, NameError) and error.name in outside:
                raise self._made_outside(error.name)
            if isinstance(error, KeyboardInterrupt):
                raise error
        if ours is None and theirs is None:
            if expected:
                why = "but raised nothing on either engine"
                raise ParityError(f"the cell should raise {expected.__name__}, {why}")
            comparison.check()
            report = AgreementReport(comparison, cell.asserts, _sentence(self._apart))
            return report if report.is_worth_a_line else None
        if ours is None or theirs is None:
            raising, other = self.sides if theirs is None else self.sides[::-1]
            raises = f"{raising.label} raises {first_line(ours or theirs)}"
            raise ParityError(f"{raises}, but {other.label} raises nothing") from ours or theirs
        here, there = first_line(ours), first_line(theirs)
        same = type(ours).__name__ == type(theirs).__name__
        if not expected:
            how = "the same exception" if same else "a different exception"
            ours.add_note(f"PyTorch raises {how}: {there}")
            raise ours
        if not (same and isinstance(ours, expected)):
            wanted = f"the cell should raise {expected.__name__} on both engines"
            raised = f"autograd_core raises {here} and PyTorch raises {there}"
            raise ParityError(f"{wanted}, but {raised}") from ours
        comparison.check()
        return AgreementReport(comparison, 0, _sentence(self._apart), (here, there))

    def _advice(self, error, apart, source):
        if apart:
            yield f"The sides already differed before this cell: {_sentence(apart)}"
        elif self._apart:
            names = listed(self._apart)
            yield f"The sides now differ in {names}: run the notebook from the top."
        if "create_graph" in source and str(error).startswith("graph of"):
            compared = "Only the numbers of a gradient must match PyTorch's, not its graph"
            yield f"{compared}: write %%both second-order."
        if place := place_of(error):
            yield place


def _settings(engine):
    """The random states and the settings with which both sides start."""
    return {
        "generator": np.asarray(engine.random.default_generator.get_state()).copy(),
        "python": random.getstate(),
        "numpy": np.random.get_state(),
        "default_dtype": str(engine.get_default_dtype()).removeprefix("torch."),
        "records": engine.is_grad_enabled(),
    }


def _set(engine, settings):
    """Give PyTorch the settings of autograd_core."""
    engine.random.default_generator.set_state(engine.from_numpy(settings["generator"]))
    engine.set_default_dtype(getattr(engine, settings["default_dtype"]))
    engine.set_grad_enabled(settings["records"])


def _sentence(apart):
    """Say where the sides differ for another reason than this cell; "" if they don't differ."""
    if not apart:
        return ""
    first, *others = apart
    more = f"; {listed(others)} {'differ' if len(others) > 1 else 'differs'} too" if others else ""
    top = "Run the notebook from the top, and change these objects only in %%both cells."
    return f"{apart[first]}{more}. {top}"
