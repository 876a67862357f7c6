"""The two-engine cell. `%%both` runs a cell on autograd_core and on PyTorch and compares what it left behind.

    %load_ext autograd_core.parity                %%both
                                                  x = T.tensor([1.0, 2.0], requires_grad=True)
                                                  loss = (x * x).sum()
                                                  loss.backward()

In the cell T, F, nn and optim mean the engine. Afterwards plain names hold autograd_core's results and `on_torch.loss`
PyTorch's. If a cell fails in any way, both sides are as before; what PyTorch cannot take back is named. Draw and time
in ordinary cells.

    %%both raises RuntimeError      the cell must raise this on both sides
    %%both tolerance=1e-12          numbers must agree to this part of their magnitude
    %%both second-order             the cell differentiates a gradient: its numbers are compared, graphs are not
    %%both unwatched                nothing is kept for `watch`: for a long training, which then runs at full speed
"""

import contextlib
import io
import weakref

import numpy as np

from ..core.graph import next_sequence_nr
from .cell import Cell, Options
from .claims import shown_claims
from .compare import Comparison, ParityError, as_array, compare_results
from .namespaces import Side, learners_names
from .report import AgreementReport, ParityReport, RaisesReport, first_line
from .results import PLAIN_KINDS, VALUE_KINDS, Result, name_results
from .rounding import TRIALS, Shaking, differences
from .snapshot import FreedGraphs, Snapshot
from .surroundings import EngineState, Interrupts, ProcessState
from .to_torch import NotTransferable, ToTorch


class Session:
    """Two sides that stay in step from cell to cell.

    `ours` and `theirs` are the engines; `namespace` is the learner's, in which ours runs. `quiet` is a context
    in which PyTorch's side runs, so that nothing is printed twice.
    """

    def __init__(self, ours, theirs, namespace: dict, quiet=None):
        self.ours = Side("autograd_core", ours, namespace)
        self.theirs = Side("PyTorch", theirs, {})
        self.quiet = quiet or _quiet
        self.made = self.compared = self.cells = 0
        self.not_compared: list[str] = []
        self._shared: dict[str, object] = {}            # name -> reference to what it held after the last cell
        self._ordinary: dict[str, str] = {}             # name that PyTorch's side cannot have -> why

    def run(self, source: str, line: str = "", filename: str = "<both>"):
        """Run one cell on both sides; returns (report, value of the last expression).

        Raises ParityError where the sides differ, and the cell's own exception if it raises on both. Both sides are
        then as they were before the call, or a note at the exception says what is not.
        """
        __tracebackhide__ = True
        options = Options.parse(line)
        cell = Cell.compile(source, filename)
        with Interrupts(Cell.run.__code__, compare_results.__code__) as interrupts:
            self.ours.bind()
            self.theirs.bind()
            before = _Before(self, self._share_ordinary_names())
            self._remember_names()
            try:
                report, value = self._run(cell, options, before)
                interrupts.check()
            except BaseException as error:
                before.restore()
                if isinstance(error, ParityError):
                    self._note_earlier_differences(error)
                    if "create_graph" in source and str(error).startswith("graph of"):
                        error.add_note("The graph of a gradient need not be PyTorch's, only its numbers: write "
                                       "%%both second-order.")
                if before.not_restored:
                    error.add_note(f"Not as before the cell: {before.not_restored}.")
                raise
            self._remember_names()
            return report, value

    def run_side(self, side: Side, cell: Cell, recorded: bool = True):
        """Run `cell` on one side; returns (value of its last expression, exception or `None`)."""
        __tracebackhide__ = True
        try:
            with side.guarded(), side.recording() if recorded else contextlib.nullcontext():
                return cell.run(side.namespace), None
        except ParityError:
            raise
        except Exception as error:
            return None, error

    def report(self) -> ParityReport:
        """How many of the results made so far were compared."""
        return ParityReport(self.cells, self.made, self.compared, tuple(self.not_compared))

    def _run(self, cell, options, before):
        __tracebackhide__ = True
        values, errors = self._run_sides(cell, before, not options.unwatched)
        if options.raises or any(errors):
            report = self._judge_errors(errors, options.raises)
            before.restore()
            report.not_restored = before.not_restored
            self.cells += 1
            return report, None
        self.ours.check_bindings()
        self.theirs.check_bindings()
        results = self._results(cell.last_text, values)
        made = before.made(results, cell.assigned, cell.last_text)

        def compare(moved=None):
            comparison = compare_results(*results, made.__contains__, options.tolerance, not options.second_order, moved)
            self._compare_surroundings(comparison, before)
            return comparison
        comparison = compare()
        if comparison.differences and options.tolerance == float("inf") and all(
                difference.may_be_rounding for difference in comparison.differences):
            comparison = compare(self._moved_by_rounding(cell, before, results))
        comparison.check()
        self._count(comparison)
        return AgreementReport(comparison, shown_claims(cell.claims, self.ours.namespace)), values[0]

    def _run_sides(self, cell, before, recorded):
        with before.freed.watching():
            our_value, our_error = self.run_side(self.ours, cell, recorded)
        left_by_ours = ProcessState.now()
        before.process.restore()
        try:
            with self.quiet():
                their_value, their_error = self.run_side(self.theirs, cell, recorded)
        finally:
            left_by_ours.restore()
        return (our_value, their_value), (our_error, their_error)

    def _judge_errors(self, errors, expected):
        """A report if both sides raise what was expected; raises what the learner has to see otherwise."""
        __tracebackhide__ = True
        ours, theirs = errors
        for error in (ours, theirs):
            if isinstance(error, NameError) and error.name in self._ordinary:
                raise NameError(f"{error.name} was made outside %%both: {self._ordinary[error.name]}. Make it in a "
                                "%%both cell", name=error.name)
        if ours is None and theirs is None:
            raise ParityError(f"the cell was to raise {expected.__name__}, but it ran through on both engines")
        if ours is None or theirs is None:
            raised, calm = (self.ours, self.theirs) if theirs is None else (self.theirs, self.ours)
            error = ours or theirs
            raise ParityError(f"only {raised.label} raises {first_line(error)}; {calm.label} does not") from error
        same = type(ours).__name__ == type(theirs).__name__
        if expected and same and isinstance(ours, expected):
            return RaisesReport(ours, theirs)
        if expected:
            wanted = f"the cell was to raise {expected.__name__} on both engines; "
            raise ParityError(f"{wanted}autograd_core raises {first_line(ours)}; "
                              f"PyTorch raises {first_line(theirs)}") from ours
        ours.add_note(f"PyTorch raises {'the same' if same else 'otherwise'}: {first_line(theirs)}")
        raise ours

    def _compare_surroundings(self, comparison, before):
        """The engines' settings, and what the cell did to the engines themselves."""
        for name, sentence in EngineState.of(self.ours.engine).differences(EngineState.of(self.theirs.engine)):
            comparison.differ(name, sentence)
        for name in before.snapshots[0].engine_names.changed() | before.snapshots[1].engine_names.changed():
            comparison.leave_out(name, "engine", "the cell changed the engine itself")

    def _moved_by_rounding(self, cell, before, results):
        """How far each result of ours moves when the cell runs again with the last place of every number shaken.

        Both sides are afterwards what they are now. A cell that cannot run again tells nothing.
        """
        namespace, process = self.ours.namespace, ProcessState.now()
        after = Snapshot(namespace, learners_names(namespace), self.ours.engine)
        numbers = {path: as_array(result.value).copy() for path, result in results[0].items() if _is_numeric(result)}
        moved = {}
        for seed in range(TRIALS):
            shaking = Shaking(seed)
            before.snapshots[0].restore()
            before.freed.restore()
            before.process.restore()
            before.shake(shaking)
            with self.quiet(), shaking.watching():
                value, error = self.run_side(self.ours, cell.without_assertions(), recorded=False)
            if error is None:
                for path, result in self._results(cell.last_text, (value, None))[0].items():
                    if path in numbers and _is_numeric(result) and np.shape(result.value) == numbers[path].shape:
                        gap = differences(as_array(result.value), numbers[path])
                        moved[path] = np.maximum(moved.get(path, 0.0), np.where(np.isfinite(gap), gap, 0.0))
        before.snapshots[0].restore()
        after.restore()
        before.freed.free()
        process.restore()
        return moved

    def _count(self, comparison: Comparison):
        self.cells += 1
        self.made += comparison.made
        self.compared += comparison.compared
        self.not_compared += [f"{row.name}: {row.not_compared}" for row in comparison.rows if row.not_compared]

    def _share_ordinary_names(self):
        """Bring what ordinary cells made, changed or deleted over to PyTorch's side; returns both sides' results."""
        ours, theirs = self.ours.namespace, self.theirs.namespace
        for name in set(learners_names(theirs)) - set(learners_names(ours)):
            del theirs[name]
        results = self._results()
        fresh = {name for name in learners_names(ours)
                 if name not in self._shared or self._shared[name]() is not ours[name]}
        fresh |= _changed_plain_names(*results)
        to_torch = ToTorch(self.ours, self.theirs, _counterparts(*results, fresh))
        self._ordinary = {name: why for name, why in self._ordinary.items() if name in ours}
        for name in [name for name in learners_names(ours) if name in fresh]:
            try:
                theirs[name] = to_torch(ours[name])
                self._ordinary.pop(name, None)
            except NotTransferable as refusal:
                theirs.pop(name, None)
                self._ordinary[name] = str(refusal)
        EngineState.of(self.ours.engine).give_to(self.theirs.engine)
        return self._results() if fresh else results

    def _remember_names(self):
        namespace = self.ours.namespace
        self._shared = {name: _reference(namespace[name]) for name in learners_names(namespace)}

    def _results(self, last_text="", values=(None, None)):
        """What each side's names hold, and its last expression's value under the expression's own text.

        A name that PyTorch's side cannot have is left out, unless a cell has bound it anew.
        """
        pair = []
        for side, other, value in zip((self.ours, self.theirs), (self.theirs, self.ours), values):
            names = {name: side.namespace[name] for name in learners_names(side.namespace) if not (
                name in self._ordinary and name not in self.theirs.namespace)}
            found = name_results(names, side.engine, other.engine)
            if value is not None and last_text not in found:
                found |= name_results({last_text: value}, side.engine, other.engine)
            pair.append(found)
        return pair

    def _note_earlier_differences(self, error):
        """Both sides are as before the cell: if they differed already, an ordinary cell did it. Say so."""
        results = self._results()
        shared = {result.root for result in results[1].values()}
        paths = {path for side in results for path, result in side.items() if result.root in shared}
        differences = compare_results(*results, made=paths.__contains__).differences
        differences = [each for each in differences if not each.may_be_rounding]
        if differences:
            names = ", ".join(dict.fromkeys(difference.name for difference in differences))
            error.add_note(f"Before this cell the sides differed already in {names}: an ordinary cell changed "
                           "autograd_core's side alone. Make such changes in a %%both cell.")


class _Before:
    """Both sides as they were before a cell: to go back to, and to see what the cell made or changed.

    `not_restored` says after `restore()` what is not as before, "" if all is.
    """

    def __init__(self, session: Session, results: list[dict[str, Result]]):
        self.process = ProcessState.now()
        self.snapshots = [Snapshot(side.namespace, learners_names(side.namespace), side.engine)
                          for side in (session.ours, session.theirs)]
        self.results = results
        self.freed = FreedGraphs(next_sequence_nr())
        self.not_restored = ""

    def restore(self):
        """Go back. What PyTorch's side has no way back from stays on ours too, so that both remain the same."""
        ours, theirs = self.snapshots
        lasting = theirs.lasting()
        pairs = [(path, theirs_one.value, self.results[0][path].value, lasting[id(theirs_one.value)])
                 for path, theirs_one in self.results[1].items()
                 if id(theirs_one.value) in lasting and path in self.results[0]]
        changed = [pair for pair in pairs if pair[-1] == "changed in place"]
        renamed = ours.engine_names.changed()
        ours.restore(kept=[here for _, _, here, _ in changed])
        theirs.restore([there for _, there, _, _ in changed], renamed)
        for _, _, here, how in pairs:
            if how == "retain_grad":
                here.retain_grad()
        self.process.restore()
        told = [f"{path} ({how})" for path, _, _, how in pairs]
        told += [f"the graph of {path} (freed by backward)" for path in self.freed.names(self.results[0])]
        self.not_restored = ", ".join(told)

    def shake(self, shaking):
        """Move the numbers that were there by their last place, or by as much as the sides differed."""
        seen = set()
        for path, result in self.results[0].items():
            if hasattr(result.value, "_array") and id(result.value) not in seen:
                seen.add(id(result.value))
                other, here = self.results[1].get(path), as_array(result.value)
                same = other is not None and hasattr(other.value, "detach") and tuple(other.value.shape) == here.shape
                by = differences(here, as_array(other.value)) if same else 0.0
                shaking.shaken(result.value._storage(), np.where(np.isfinite(by), by, 0.0))

    def made(self, after: list[dict[str, Result]], assigned: frozenset[str], last_text: str) -> set[str]:
        """The paths that the cell made or changed, on either side."""
        paths = set()
        for snapshot, before, now in zip(self.snapshots, self.results, after):
            paths |= before.keys() ^ now.keys()
            paths |= {path for path, result in now.items()
                      if result.root in assigned or last_text in (path, result.root)
                      or path in before and _changed(snapshot, before[path], result)}
        return paths


def _is_numeric(result):
    return result.kind in ("number", "array") or hasattr(type(result.value), "detach")


def _changed(snapshot, before, now):
    if isinstance(now.value, np.ndarray) or hasattr(now.value, "grad_fn"):
        return before.value is not now.value or not snapshot.unchanged(now.value)
    if now.kind in (*VALUE_KINDS, "optimizer state"):
        return before.value is not now.value and before.value != now.value
    return before.text != now.text or before.value is not now.value


def _counterparts(ours, theirs, fresh):
    """PyTorch's object for each of ours that both sides know under one path, by `id(ours)`."""
    return {id(result.value): theirs[path].value for path, result in ours.items()
            if path in theirs and result.root not in fresh and result.kind not in VALUE_KINDS}


def _changed_plain_names(ours, theirs):
    """Names of plain values (numbers, strings, arrays, containers of them) that an ordinary cell changed in place."""
    engines = {result.root for result in ours.values() if result.kind not in PLAIN_KINDS}
    plain = {path for path, result in ours.items() if result.root not in engines}
    differences = compare_results(ours, theirs, made=plain.__contains__).differences
    return {ours[difference.name].root for difference in differences}


def _reference(value):
    """A weak reference where the type allows one, so that the session keeps no deleted graph alive."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


@contextlib.contextmanager
def _quiet():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield
