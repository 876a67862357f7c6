"""The two-engine cell. `%%both` runs a cell on autograd_core and on PyTorch and compares what it left behind.

    %load_ext autograd_core.parity                %%both
                                                  x = T.tensor([1.0, 2.0], requires_grad=True)
                                                  loss = (x * x).sum()
                                                  loss.backward()

In the cell T, F, nn and optim mean the engine. Afterwards plain names hold autograd_core's results and `on_torch.loss`
PyTorch's. If a cell fails in any way, both sides are as they were before it. Draw and time in ordinary cells.

    %%both raises RuntimeError      the cell must raise this on both sides
    %%both tolerance=1e-12          numbers must agree more closely than the rule in `compare` asks
    %%both second-order             the cell differentiates a gradient: its numbers are compared, graphs are not
    %%both unwatched                nothing is kept for `watch`: for a long training, which then runs at full speed
"""

import contextlib
import io
import weakref

import numpy as np

from .cell import Cell, Options
from .compare import Comparison, ParityError, compare_results
from .report import AgreementReport, ParityReport, RaisesReport, first_line
from .results import PLAIN_KINDS, VALUE_KINDS, Result, name_results
from .sides import MadeElsewhere, Sharing, Side, learners_names
from .snapshot import EngineState, Snapshot, python_random_state


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
        self._made_elsewhere: set[str] = set()

    def run(self, source: str, line: str = "", filename: str = "<both>"):
        """Run one cell on both sides; returns (report, value of the last expression).

        Raises ParityError where the sides differ, and the cell's own exception if it raises on both. Both sides are
        then as they were before the call.
        """
        __tracebackhide__ = True
        options = Options.parse(line)
        cell = Cell.compile(source, filename)
        self.ours.bind()
        self.theirs.bind()
        before = _Before(self, self._share_ordinary_names())
        self._remember_names()
        try:
            values, errors = self._run_sides(cell, not options.unwatched)
            if options.raises or any(errors):
                report = self._judge_errors(errors, options.raises)
                before.restore()
                self.cells += 1
                return report, None
            self.ours.check_bindings()
            self.theirs.check_bindings()
            results = self._results(cell.last_text, values)
            made = before.made(results, cell.assigned, cell.last_text)
            comparison = compare_results(*results, made.__contains__, options.tolerance, not options.second_order)
            self._compare_engine_states(comparison)
            comparison.check()
        except BaseException as error:
            before.restore()
            if isinstance(error, ParityError):
                self._note_earlier_differences(error)
                if "create_graph" in source and str(error).startswith("graph of"):
                    error.add_note("The graph of a gradient need not be PyTorch's, only its numbers: write "
                                   "%%both second-order.")
            raise
        self._remember_names()
        self._count(comparison)
        return AgreementReport(comparison), values[0]

    def run_side(self, side: Side, cell: Cell, recorded: bool = True):
        """Run `cell` on one side; returns (value of its last expression, exception or `None`)."""
        __tracebackhide__ = True
        try:
            with side.recording() if recorded else contextlib.nullcontext():
                return cell.run(side.namespace), None
        except Exception as error:
            return None, error

    def report(self) -> ParityReport:
        """How many of the results made so far were compared."""
        return ParityReport(self.cells, self.made, self.compared, tuple(self.not_compared))

    def _run_sides(self, cell, recorded):
        rewind = python_random_state()
        our_value, our_error = self.run_side(self.ours, cell, recorded)
        keep = python_random_state()
        rewind()
        try:
            with self.quiet():
                their_value, their_error = self.run_side(self.theirs, cell, recorded)
        finally:
            keep()
        return (our_value, their_value), (our_error, their_error)

    def _judge_errors(self, errors, expected):
        """A report if both sides raise what was expected; raises what the learner has to see otherwise."""
        __tracebackhide__ = True
        ours, theirs = errors
        if isinstance(theirs, NameError) and not ours and theirs.name in self._made_elsewhere:
            raise NameError(f"{theirs.name} was made outside %%both, by autograd_core alone, so PyTorch has no "
                            f"{theirs.name}: make it in a %%both cell", name=theirs.name)
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

    def _compare_engine_states(self, comparison):
        ours, theirs = EngineState.of(self.ours.engine), EngineState.of(self.theirs.engine)
        if ours.random != theirs.random:
            comparison.differ("random numbers",
                              "the random generators differ: the engines did not draw the same amount")
        for name in ("default_dtype", "records"):
            here, there = getattr(ours, name), getattr(theirs, name)
            if here != there:
                comparison.differ(name, f"{name} is {here} here, {there} in PyTorch")

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
        sharing = Sharing(self.ours, self.theirs, _counterparts(*results, fresh))
        self._made_elsewhere &= ours.keys()
        for name in [name for name in learners_names(ours) if name in fresh]:
            try:
                theirs[name] = sharing.carry(ours[name])
                self._made_elsewhere.discard(name)
            except MadeElsewhere:
                theirs.pop(name, None)
                self._made_elsewhere.add(name)
        EngineState.of(self.ours.engine).give_to(self.theirs.engine)
        return self._results() if fresh else results

    def _remember_names(self):
        namespace = self.ours.namespace
        self._shared = {name: _reference(namespace[name]) for name in learners_names(namespace)}

    def _results(self, last_text="", values=(None, None)):
        """What each side's names hold, and its last expression's value under the expression's own text."""
        pair = []
        for side, other, value in zip((self.ours, self.theirs), (self.theirs, self.ours), values):
            names = {name: side.namespace[name] for name in learners_names(side.namespace)}
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
        if differences:
            names = ", ".join(dict.fromkeys(difference.name for difference in differences))
            error.add_note(f"Before this cell the sides differed already in {names}: an ordinary cell changed "
                           "autograd_core's side alone. Make such changes in a %%both cell.")


class _Before:
    """Both sides as they were before a cell: to go back to, and to see what the cell made or changed."""

    def __init__(self, session: Session, results: list[dict[str, Result]]):
        self.restore_random = python_random_state()
        self.snapshots = [Snapshot(side.namespace, learners_names(side.namespace), side.engine)
                          for side in (session.ours, session.theirs)]
        self.results = results

    def restore(self):
        for snapshot in self.snapshots:
            snapshot.restore()
        self.restore_random()

    def made(self, after: list[dict[str, Result]], assigned: frozenset[str], last_text: str) -> set[str]:
        """The paths that the cell made or changed, on either side."""
        paths = set()
        for snapshot, before, now in zip(self.snapshots, self.results, after):
            paths |= before.keys() ^ now.keys()
            paths |= {path for path, result in now.items()
                      if result.root in assigned or last_text in (path, result.root)
                      or path in before and _changed(snapshot, before[path], result)}
        return paths


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
