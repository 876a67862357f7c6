"""The two-engine cell. `%%both` runs a cell on autograd_core and on PyTorch and compares what it
left behind.

    %load_ext autograd_core.parity                %%both
                                                  x = T.tensor([1.0, 2.0], requires_grad=True)
                                                  loss = (x * x).sum()
                                                  loss.backward()

In the cell T, F, nn and optim mean the engine. Afterwards plain names hold autograd_core's results
and `on_torch.loss` PyTorch's. The cell uses what %%both cells made, modules and what is imported
from them, and plain values (numbers, strings, arrays, lists and dicts of them), which are copied.
Draw and time in ordinary cells. Both sides run to their own end, also when the cell fails.

    %%both raises RuntimeError      the cell must raise this on both sides
    %%both second-order             the cell differentiates a gradient: numbers are compared, graphs
                                    are not
    %%both unwatched                nothing is kept for `watch`: a long training then runs at full
                                    speed

Both sides are in this process. What a cell leaves in a file, in the environment or in an imported
module is there for both: the report says so, and it is not compared. So is a file that both sides
only read.

Attributes whose names begin with an underscore are not compared. If PyTorch leaves a result open,
the report says "PyTorch leaves this open" and gives the reason. This happens to the order in which
`topk` and `sort` return equal elements, and to the graph of a parameter's view after a step."""

import contextlib
import sys
import weakref
from collections.abc import Callable

import numpy as np

from ..core.recording import recording
from .agreement_report import AgreementReport, ParityReport, RaisesReport, first_line
from .cell import Cell, Options
from .claims import shown_claims
from .compare import PRINTED, Comparison, ParityError, compare_results, listed, numbers_in
from .results import VALUE_KINDS, is_shareable, walk_together
from .rounding import differences
from .sides import MadeOutside, Outcome, Side, Step, Trial, copied, learners_names
from .surroundings import Settings, Shared
from .ties import Ties

TRIALS = 6
NOTHING = Outcome()


class Session:
    """Two sides that go from cell to cell in step.

    `ours` and `theirs` are the engines; `namespace` is the learner's, in which ours runs. `quiet`
    is a context in which PyTorch's side runs, so that nothing is shown twice. `report` counts what
    was compared so far; `carried` says for each path how far rounding in earlier cells left the
    sides apart."""

    def __init__(self, ours, theirs, namespace: dict, quiet=contextlib.nullcontext):
        self.sides = self.ours, self.theirs = Side(ours, namespace), Side(theirs, {})
        self.quiet = quiet
        self.carried: dict[str, float] = {}
        self.report = ParityReport()
        self._history: list[Step] = []
        self._trials, self._ties = _trials(ours), Ties()
        self._known: dict[str, Callable] = {}  # name -> reference to what both sides have under it
        self._given: set[str] = set()  # names of what ordinary cells made for both sides
        self._outside: dict[str, object] = {}  # what an ordinary cell made, and cannot be copied
        self._left: dict[str, tuple] = {}  # path -> marks of both sides when the last cell ended
        self._unlike: dict[str, None] = {}  # what the trial that shakes nothing does not give again
        self._apart: dict[str, str] = {}  # path -> how the sides differ there, and since when

    def run(self, source: str, line: str = "", filename: str = "<both>"):
        """Run one cell on both sides; returns (report, value of the last expression).

        Raises MadeOutside before anything runs, ParityError where the sides differ, and the cell's
        own exception if it raises on both.
        """
        __tracebackhide__ = True
        options, cell = Options.parse(line), Cell.compile(source, filename)
        step = self._begin(cell)
        before, apart = self._pairs(), self._apart
        marks = _marks(before)
        outcomes, comparison = self._run_sides(step, not options.unwatched)
        self._history.append(step)
        after = self._pairs(cell.last_text, outcomes)
        made = _made(cell, before, marks, after)
        try:
            comparison.add(self._compare(outcomes, after, made, options, cell))
        except KeyboardInterrupt as error:  # a trial that did not end knows nothing of later cells
            self._trials, outcomes = _trials(self.ours.engine), (Outcome(error=error),) * 2
        self._end(comparison, after, made, cell)
        try:
            report = self._judged(outcomes, options.raises, comparison, cell.claims)
        except (Exception, KeyboardInterrupt) as error:
            for note in self._advice(error, apart, source):
                error.add_note(note)
            raise
        return report, outcomes[0].value

    # ---- before a cell ---------------------------------------------------------------------------

    def _begin(self, cell):
        """Give PyTorch's side what ordinary cells made, and note where they changed one side alone."""
        for side in self.sides:
            side.bind()
        ours, theirs = self.ours.namespace, self.theirs.namespace
        known = {name for name, found in self._known.items() if found() is ours.get(name, self)}
        known -= {name for name in self._given & known if not is_shareable(name, ours[name])}
        fresh = {name: ours[name] for name in learners_names(ours) if name not in known}
        given = {name: each for name, each in fresh.items() if is_shareable(name, each)}
        self._outside = {name: fresh[name] for name in fresh.keys() - given.keys()}
        for name in [name for name in learners_names(theirs) if name not in known]:
            del theirs[name]
        for name in self._outside.keys() & cell.loaded:
            raise self._made_outside(name)
        given |= {name: ours[name] for name in self._changed_outside(fresh)}
        self._given = (self._given | given.keys()) - cell.assigned
        step = Step(cell, copied(given), Settings.of(self.ours.engine))
        theirs |= copied(step.given)
        return step

    def _changed_outside(self, fresh):
        """The names of plain values that ordinary cells changed. What else they changed is apart
        from now on.
        """
        pairs = self._pairs(but=fresh)
        changed = {  # path -> the sides on which it is not as it was
            path: [side.label for side, a, b in zip(self.sides, mark, was) if a != b]
            for path, mark in _marks(pairs).items()
            if (was := self._left.get(path, (None, None))) != mark
        }
        roots = {pairs[path].root for path in changed if self.ours.label in changed[path]}
        plain = {name for name in roots if is_shareable(name, self.ours.namespace.get(name))}
        found = compare_results(pairs, (changed | self._apart).__contains__, graphs=False).apart()
        apart = {}
        for path, message in found.items():
            if pairs[path].root not in plain:
                labels = changed.get(path, [])
                alone = f"{' and '.join(labels)}'s side{' alone' if len(labels) == 1 else ''}"
                told = f"{message}: an ordinary cell changed {alone}"
                apart[path] = self._apart.get(path, told)
        self._apart = apart
        return plain

    def _still_outside(self):
        """The names of what ordinary cells made and no %%both cell has made since."""
        ours = self.ours.namespace
        return [name for name, value in self._outside.items() if ours.get(name) is value]

    def _made_outside(self, name):
        kind = type(self._outside[name]).__name__
        why = f"was made outside %%both and is no plain value (it is a {kind})"
        return MadeOutside(f"{name} {why}: make it in a %%both cell", name=name)

    # ---- the cell --------------------------------------------------------------------------------

    def _run_sides(self, step, recorded):
        """Run the cell on both sides from the same settings; returns what came of it, and what
        belongs to no name.
        """
        __tracebackhide__ = True
        (ours, theirs), comparison = (side.engine for side in self.sides), Comparison()
        for name in self._outside:  # no side finds what PyTorch's side does not have
            del self.ours.namespace[name]
        shared = Shared(*self.sides)
        try:
            self._ties.begin()
            with recording.subscribed(self._ties):
                outcome = self.ours.run(step.cell, recorded, seen=sys.stdout)
            settings = Settings.of(ours)
            step.settings.give_to(theirs)
            try:
                with self.quiet():
                    interrupted = isinstance(outcome.error, KeyboardInterrupt)
                    theirs_too = outcome if interrupted else self.theirs.run(step.cell, recorded)
                outcomes = outcome, theirs_too
                for name, sentence in settings.differences(Settings.of(theirs)):
                    comparison.differ(name, sentence)
            finally:
                settings.give_to(ours)
        finally:
            for name, value in self._outside.items():
                self.ours.namespace.setdefault(name, value)
        for name, kind in shared.changes():
            comparison.leave_out(name, kind, "the cell changed it, and both sides share it")
        return outcomes, comparison

    def _pairs(self, last_text="", outcomes=(NOTHING, NOTHING), but=()):
        but = {*self._still_outside(), *but}
        values = [outcome.value for outcome in outcomes]
        names = [side.names(but, last_text, value) for side, value in zip(self.sides, values)]
        return walk_together(*names, [side.engine for side in self.sides])

    def _compare(self, outcomes, after, made, options, cell):
        """Compare what the cell made; where it is off by what may be rounding, after as many trials
        as it takes.
        """
        moved: dict[str, np.ndarray] = {}

        def compare():
            found = compare_results(after, made.__contains__, moved, not options.second_order)
            printed = [outcome.printed for outcome in outcomes]
            if printed[0] != printed[1]:
                found.compare_texts(PRINTED, "printed text", *printed, moved.get(PRINTED))
            self._ties.leave_open(found, after, cell.loaded)
            return found

        found, self._unlike = compare(), {}
        is_waited_for = not isinstance(outcomes[1].error, KeyboardInterrupt)
        for trial in self._trials if is_waited_for else ():
            if not (found.may_be_rounding or trial.shaking.is_still and found.differences):
                break
            gaps = self._gaps(trial, outcomes[0], cell.last_text)
            if trial.shaking.is_still:
                self._unlike = {
                    row.name: None
                    for row in found.differences
                    if np.any(gaps.get(row.name, row.allowed is not None))
                }
                if self._unlike:
                    break  # nothing is excused
                continue
            for path, gap in gaps.items():
                moved[path] = np.maximum(moved.get(path, 0.0), np.where(np.isfinite(gap), gap, 0.0))
            found = compare()
        return found

    def _gaps(self, trial, outcome, last_text):
        """How far each number of ours is from what this trial makes of it."""
        with self.quiet():
            again = trial.run(self._history)
        if isinstance(again.error, KeyboardInterrupt):
            raise again.error
        if type(again.error) is not type(outcome.error):
            return {}  # shaken, the numbers took another way
        names = [
            self.ours.names(self._still_outside(), last_text, outcome.value),
            trial.side.names((), last_text, again.value),
        ]
        numbers = {
            path: [here.numbers, there.numbers]
            for path, (_, here, there) in walk_together(*names, [self.ours.engine] * 2).items()
        }
        numbers[PRINTED] = [outcome.printed, again.printed]
        gaps = {}
        for path, both in numbers.items():
            both = [numbers_in(each) if isinstance(each, str) else each for each in both]
            if all(each is not None for each in both) and both[0].shape == both[1].shape:
                gaps[path] = differences(*both)
        return gaps

    # ---- after a cell ----------------------------------------------------------------------------

    def _end(self, comparison, pairs, made, cell):
        """Count, and remember how the sides are left."""
        self.report += comparison
        names = self.ours.names(self._still_outside())
        self._known = {name: _reference(value) for name, value in names.items()}
        asked = self._apart.keys() - made
        still = compare_results(pairs, asked.__contains__, graphs=False).apart()
        self._apart = {path: why for path, why in self._apart.items() if path in still}
        for row in comparison.differences:
            if row.name in pairs:
                self._apart[row.name] = f"{row.differs}: a cell that failed left it so"
        self._left = _marks(pairs)
        for path in self.carried.keys() & made | self.carried.keys() - pairs.keys():
            del self.carried[path]
        self.carried |= {row.name: row.difference for row in comparison.rows if row.difference}

    def _judged(self, outcomes, expected, comparison, claims):
        """A report if both sides raise what was expected; raises what the learner has to see
        otherwise.
        """
        __tracebackhide__ = True
        ours, theirs = errors = [outcome.error for outcome in outcomes]
        for error in errors:
            if isinstance(error, NameError) and error.name in self._outside:
                raise self._made_outside(error.name)
            if isinstance(error, ParityError | KeyboardInterrupt):
                raise error
        same = type(ours).__name__ == type(theirs).__name__
        if ours is None and theirs is None:
            if expected:
                why = "but it ran through on both engines"
                raise ParityError(f"the cell was to raise {expected.__name__}, {why}")
            comparison.check()
            shown = shown_claims(claims, self.ours.namespace)
            return AgreementReport(comparison, shown, _sentence(self._apart))
        if ours is None or theirs is None:
            raising, other = self.sides if theirs is None else self.sides[::-1]
            raises = f"only {raising.label} raises {first_line(ours or theirs)}"
            raise ParityError(f"{raises}; {other.label} does not") from ours or theirs
        if expected and same and isinstance(ours, expected):
            comparison.check()
            return RaisesReport(ours, theirs, comparison, _sentence(self._apart))
        if expected:
            raised = f"autograd_core raises {first_line(ours)}; PyTorch raises {first_line(theirs)}"
            wanted = f"the cell was to raise {expected.__name__} on both engines"
            raise ParityError(f"{wanted}; {raised}") from ours
        ours.add_note(f"PyTorch raises {'the same' if same else 'otherwise'}: {first_line(theirs)}")
        raise ours

    def _advice(self, error, apart, source):
        if apart:
            yield f"Before this cell {_sentence(apart)}"
        elif self._apart:
            where = f"are no longer in step in {listed(self._apart)}"
            if isinstance(error, KeyboardInterrupt):
                yield f"The sides {where}: run from the top."
            else:
                yield (
                    f"Both sides ran to their end, and {where}: mend the cell and run from the top."
                )
        if self._unlike and not apart:  # which would be the reason
            yield (
                f"The %%both cells alone do not give {listed(self._unlike)} again: something else"
                " changed that this cell uses, such as a hook or a method that an ordinary cell"
                " set."
            )
        if self.carried and isinstance(error, ParityError):
            path = max(self.carried, key=self.carried.__getitem__)
            yield f"By rounding in earlier cells {path} was {self.carried[path]:.0e} apart."
        if "create_graph" in source and str(error).startswith("graph of"):
            yield (
                "The graph of a gradient need not be PyTorch's, only its numbers: write %%both"
                " second-order."
            )


def _trials(engine):
    return [Trial(engine, 0, is_still=True), *(Trial(engine, seed) for seed in range(TRIALS))]


def _made(cell, before, marks, after):
    """The paths that the cell made or changed, on either side."""

    def is_another(was, now):
        return was.value is not now.value and now.kind not in ("optimizer state", *VALUE_KINDS)

    found = set()
    for path, mark in _marks(after).items():
        root, *now = after[path]
        named = root in cell.assigned or cell.last_text in (path, root)
        if named or mark != marks.get(path) or any(map(is_another, before[path][1:], now)):
            found.add(path)
    return found


def _marks(pairs):
    return {path: (ours.mark(), theirs.mark()) for path, (_, ours, theirs) in pairs.items()}


def _sentence(apart):
    """Where the sides differ although this cell did not do it; "" where they do not."""
    if not apart:
        return ""
    first, *others = apart
    more = f"; so do {listed(others)}" if others else ""
    return f"{apart[first]}{more}. Run from the top, and change things only in %%both cells."


def _reference(value):
    """A weak reference where the type allows one, so that the session keeps no deleted graph alive."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value
