"""`trace(loss)` takes a trace of a loss of either engine. It keeps no hook and no graph."""

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .backward import BackwardRecord, dry_run_backward
from .crossing import why_refused
from .cuts import Reachability, severed, why_cut
from .data import Edge, Event, Saved, Stale, Trace, TraceNode
from .formula import rules_of
from .inplace import writer_of
from .listing import Listing, Names, named_models
from .nodes import OF_VIEWS, engine_of, graph_of, in_order, is_leaf, key_of, shape_and_type
from .provenance import Call, Input, Operation, Statement, memory_of
from .rounding import Origin
from .sentences import FIXES, REFUSED
from .summary import Value
from .tape import Tape, tape_of


def trace(
    loss: Any,
    names: Names | None = None,
    tape: Tape | None = None,
    model: Any = None,
    caller: str = "trace",
) -> Trace:
    """The graph of `loss`, its values, and its backward pass, as a `Trace`.

    loss      a tensor of either engine, with a `grad_fn`; for `report` also one without.
    names     the result of `names_in`, for the labels, the modules and the list of parameters.
    tape      a `Tape` that recorded this loss. The default is the tape that recorded most of it.
    model     a module, or a list or a dict of modules, whose parameters are listed. The default is
              all modules of `names` that are part of this loss.
    caller    the function that errors name.

    If the tape has no backward pass, this function runs one that changes no `.grad`. If that can't
    run, for example because saved tensors were modified in place (`Trace.stale`), the trace has a
    `note` and no backward events.
    Raises TypeError if `loss` isn't a tensor, and RuntimeError if it has no numbers, no graph to draw
    or several elements; ValueError if a graph of PyTorch is too large, and any error of `backward`.
    """
    _check_loss(loss, caller)
    graph = graph_of(loss, what=caller) if loss.grad_fn is not None else []
    tape = tape or tape_of(loss, graph) or Tape()
    named, given = named_models(names, engine_of(loss), model)
    passed = tape.backward_of(loss) if graph else BackwardRecord(tape.budget, note=_no_graph(loss))
    if passed is None:
        if loss.numel() != 1:
            raise RuntimeError(
                "grad can be implicitly created only for scalar outputs, and this has the shape"
                f" {shape_and_type(loss)[0]}: make one number of it, loss.mean() or loss.sum()"
            )
        retaining = (*named.retaining, *tape.retaining.values())
        passed = dry_run_backward(loss, graph, tape.budget, retaining)
    return TraceBuilder(loss, graph, named, tape, passed, given).trace()


def _check_loss(loss: Any, caller: str) -> None:
    if not hasattr(loss, "grad_fn"):
        raise TypeError(f"{caller}() takes a tensor as the loss, but got {type(loss).__name__}")
    if getattr(loss, "is_meta", False):  # also for PyTorch's fake tensors
        raise RuntimeError("this tensor is on the device 'meta', so it has no numbers to show")
    if loss.grad_fn is None and caller != "report":
        raise RuntimeError(f"{_no_graph(loss)} report(loss) shows where its graph ended")


def _no_graph(loss: Any) -> str:
    cause = "a leaf" if loss.requires_grad else "no graph"
    return f"{REFUSED[cause]} {FIXES[cause]}"


_Named = tuple[str, Value | None]  # the name of a tensor, and its numbers
_Row = tuple[str, str, str]


class _Given(NamedTuple):
    """An input of an operation. `edge` is its index in `next_functions`, or None after a cut."""

    slot: int
    producer: int
    output: int = 0
    edge: int | None = None
    cut: str = ""
    statement: Statement | None = None


class _Source:
    """The statements of a trace: rows of the text, its place, and the call of the outermost module."""

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self._latest: dict[_Row, int] = {}  # row -> its latest index
        self._rows_of: dict[Statement, _Row] = {}
        self._maker: _Row | None = None  # the known statement that created the latest node

    def place(self, statement: Statement | None, makes: bool = False) -> int | None:
        """The latest index of a statement, None if it is unknown. A statement gets a new index if it
        has none, or if it `makes` a node and another statement made the node before.
        """
        if statement is None:
            return None
        if statement not in self._rows_of:
            place, called = statement.place, statement.called.place if statement.called else ""
            self._rows_of[statement] = str(statement), place, called if called != place else ""
        row = self._rows_of[statement]
        if not row[0]:
            return None
        if row not in self._latest or (makes and row != self._maker):
            self._latest[row] = len(self.rows)
            self.rows.append(row)
        self._maker = row if makes else self._maker
        return self._latest[row]


class TraceBuilder:
    """Builds one trace. Nodes are numbered in the order of their discovery, inputs before consumers.

    graph  the nodes upstream of `loss`, in recording order
    """

    def __init__(
        self,
        loss: Any,
        graph: list[Any],
        names: Names,
        tape: Tape,
        passed: BackwardRecord,
        given: list[Any] | None,
    ):
        self.loss, self.tape, self.passed = loss, tape, passed
        self.engine, self.budget = engine_of(loss), tape.budget
        self.live = {key_of(node): node for node in graph}
        self.origin = None if graph else tape.made_from(loss)
        self.root: int = (
            key_of(loss.grad_fn) if graph else self.origin.producer if self.origin else 0
        )
        begun = [*self.live] or [key for key in [self.root] if key in tape.forward]
        self.refusal = why_refused(graph, passed, tape)
        made = {key: node for key, node in self.live.items() if not is_leaf(node)}
        self.untaped = made.keys() - tape.forward.keys()
        drawn = [*(made if graph else begun), *severed(tape.forward, begun)]
        self.operations = {
            key: tape.forward.get(key)
            or Operation(made[key].name(), after=made[key]._sequence_nr())
            for key in drawn
        }
        leaves = {id(node.variable): node.variable for node in graph if is_leaf(node)}
        unseen = {self.operations[key].name for key in self.untaped}
        self.recorded = OF_VIEWS.issuperset(unseen) and not self.tape.forgotten
        self.recorded &= bool(graph) or self.origin is not None
        self.listing = Listing(names, tape, leaves, self.operations.values(), self.recorded, given)
        beside = {id(each.tensor): each.name for each in self.listing.all if each.loose}
        self.names = replace(names, tensors=names.tensors | beside)
        # {memory of a leaf: its name}
        self.memory = {
            memory_of(leaf)[0]: self.names.tensors.get(k, "") for k, leaf in leaves.items()
        }
        root = self.operations.get(self.root)
        if root is not None and root.value is None:
            (root.shape, root.dtype), root.value = shape_and_type(loss), self.budget.keep(loss)
        self.paths = {id(module): path for path, module in names.modules}
        self.classes = {path: type(module).__name__ for path, module in names.modules}
        self.results = self.tape.names_of(names.tensors)
        self.nodes: list[TraceNode] = []
        self.edges: list[Edge] = []
        self.events: list[Event] = []
        self.source = _Source()
        self.numbers: dict[Hashable, int] = {}  # key of a node -> its index in self.nodes
        # path of a module -> {a call of it: its number in this graph}
        self.calls: defaultdict[str, dict[Call, int]] = defaultdict(dict)
        # (key of the consumer, index of the input) -> index in self.edges
        self.edge_numbers: dict[tuple[int, int], int] = {}

    def trace(self) -> Trace:
        # operations without a node have the keys -1, -2, ... in recording order
        keys = sorted(self.operations, key=lambda k: (self.operations[k].after, max(-k, 0)))
        for key in in_order(keys, self.live):
            self._add(key)
        root = self.numbers[self.root] if self.live else self._end()
        value = self.budget.keep(self.loss)
        self.events += [Event("loss", root, after=value), *self._later_events()]
        traced = Trace(
            "PyTorch" if self.engine == "torch" else self.engine,
            tuple(self.nodes),
            tuple(self.edges),
            tuple(self.events),
            modules=tuple(self.classes.items()),
            note=" ".join(filter(None, (self.refusal, self.passed.note))),
            recorded=self.recorded,
            asked=self.listing.given is not None,
            stale=tuple(self._stale()),
            rounding=dict(self._rounding()),
            drifting=frozenset(self._drifting()),
        )
        known = self.numbers, self.listing.live, self.tape, self.source.place
        reached = Reachability(traced, *known, bool(self.live))
        parameters = tuple(reached.of(self.listing.all))  # which may add to the source
        source, places, called = zip(*self.source.rows) if self.source.rows else ((), (), ())
        return replace(traced, source=source, places=places, called=called, parameters=parameters)

    def _end(self) -> int:
        """The node of a loss without a graph, and the edge along which the loss was cut off."""
        label, value = self.names.tensors.get(id(self.loss), ""), self.budget.keep(self.loss)
        made = TraceNode("severed", "loss", label, *shape_and_type(self.loss), value)
        number, origin = self._put(object(), made), self.origin
        if origin is not None and origin.producer in self.numbers:
            operation = self.tape.forward.get(origin.producer, Operation(""))
            cut = origin.cut or operation.mode
            line = self.source.place(origin.statement or operation.switch or operation.statement)
            self.edges.append(Edge(number, 0, self.numbers[origin.producer], 0, cut, line))
        return number

    def _put(self, key: Hashable, node: TraceNode) -> int:
        self.numbers[key] = len(self.nodes)
        self.nodes.append(node)
        return self.numbers[key]

    def _add(self, key: int) -> None:
        node, operation = self.live.get(key), self.operations[key]
        inputs = self._inputs(node, operation)
        _, label = self.names.results.get((self.engine, key), (0, self.results.get((key, 0), "")))
        arrays, plain = self.passed.saved.get(key, ((), ()))
        rules, value = rules_of(node.name(), plain) if node else (), operation.value
        around = [(self.nodes[x.producer].label, self.nodes[x.producer].value) for x in inputs]
        line = self.source.place(operation.statement, makes=True)
        calls = self._numbered(operation.calls)
        module = calls[-1][0] if calls else ""
        if calls:
            self.classes.setdefault(module, operation.calls[-1].class_name)
        refused = (
            Saved(each.name, next(filter(None, map(self.memory.get, each.memory)), ""), None)
            for each in self.passed.stale.get(key, ())
        )
        made = TraceNode(
            "operation" if node else "severed",
            operation.node_name or operation.name,
            label,
            operation.shape,
            operation.dtype,
            value,
            rules=rules,
            line=line,
            module=module,
            calls=calls,
            saved=(*_saved(arrays, (label, value), around, rules), *refused),
            numbers=plain,
        )
        number = self._put(key, made)
        self.events.append(Event("forward", number, after=value))
        for each in inputs:
            if each.edge is not None:
                self.edge_numbers[key, each.edge] = len(self.edges)
            self.edges.append(Edge(number, *each[:3], each.cut, self.source.place(each.statement)))

    def _stale(self) -> Iterator[Stale]:
        """Saved tensors that were modified in place afterwards, nearest to the loss first."""
        drawn = {id(operation): self.numbers[key] for key, operation in self.operations.items()}
        for key, stale in sorted(self.passed.stale.items(), reverse=True):
            for each in stale:
                writer = writer_of(each, self.live[key], self.tape.writes) or Operation("")
                calls = self._numbered(writer.calls)
                by = " in ".join([writer.name, *(path for path, _ in calls[-1:])])
                place, line = drawn.get(id(writer)), self.source.place(writer.statement)
                yield Stale(self.numbers[key], *each[:3], place, by, line)

    def _drifting(self) -> Iterator[tuple[str, int]]:
        """(path, number) of each call of a BatchNorm that changed its running statistics."""
        for write in self.tape.writes:
            if write.operation.calls and "BatchNorm" in write.operation.calls[-1].class_name:
                yield self._numbered(write.operation.calls)[-1]

    def _inputs(self, node: Any, operation: Operation) -> list[_Given]:
        """The inputs of an operation, in order. `node` is the node that it created, or None."""
        recorded, forward = list(enumerate(operation.inputs)), self.tape.forward
        producers = [
            (k, producer, output)
            for k, (producer, output) in enumerate(node.next_functions if node else ())
            if producer is not None
        ]
        slots = [slot for slot, x in recorded if x.in_graph]
        if len(slots) != len(producers):
            slots = [k for k, _, _ in producers]
        given = [
            _Given(slot, self._leaf(p.variable) if is_leaf(p) else self.numbers[key_of(p)], out, k)
            for slot, (k, p, out) in zip(slots, producers)
        ]
        for slot, x in recorded:
            if not (node and x.in_graph):
                output, why = x.source.output if x.source else 0, why_cut(forward, operation, x)
                given.append(_Given(slot, self._producer(x), output, None, *why))
        return sorted(given, key=lambda each: each.slot)

    def _producer(self, given: Input) -> int:
        key: Any = given.source.producer if given.source else object()
        leaf = self.tape.leaves.get(key)
        if key not in self.numbers and leaf is not None:
            return self._leaf(leaf)
        if key not in self.numbers:
            label, value = self.results.get((key, 0), ""), given.value
            made = TraceNode("constant", "", label, given.shape, given.dtype, value)
            self._put(key, made)
        return self.numbers[key]

    def _leaf(self, variable: Any) -> int:
        key = id(variable)
        if key in self.numbers:
            return self.numbers[key]
        is_leaf = variable.requires_grad or key in self.live
        value = self.passed.leaf_values.get(key)
        node = TraceNode(
            "leaf" if is_leaf else "frozen",
            "AccumulateGrad" if is_leaf else "",
            self.names.tensors.get(key, ""),
            *shape_and_type(variable),
            self.budget.keep(variable) if value is None else value,
            grad=self.budget.keep_grad(variable),
        )
        return self._put(key, node)

    def _numbered(self, calls: tuple[Call, ...]) -> tuple[tuple[str, int], ...]:
        """(path in the learner's names, or the module's class; its number from 1) of each call."""
        numbered = []
        for call in calls:
            path = ".".join(filter(None, (self.paths.get(id(call.root()), ""), call.path)))
            path = path or call.class_name
            of_path = self.calls[path]
            numbered.append((path, of_path.setdefault(call, len(of_path) + 1)))
        return tuple(numbered)

    def _later_events(self) -> Iterator[Event]:
        for happened in (self.passed, *self.tape.after(self.passed)):
            for event in happened.events:
                key = event.node
                if key in self.numbers:
                    sent = tuple(
                        (self.edge_numbers[key, k], gradient)
                        for k, gradient in event.sent
                        if (key, k) in self.edge_numbers
                    )
                    alone = event.before is None and event.after is not None
                    added = None if alone else event.arrived
                    yield replace(event, node=self.numbers[key], sent=sent, arrived=added)

    def _rounding(self) -> Iterator[tuple[int, tuple[Origin, ...]]]:
        numbers = self.numbers
        for key, origins in self.passed.rounding.found.items():
            if key in numbers and all(origin.node in numbers for origin in origins):
                yield numbers[key], tuple(o._replace(node=numbers[o.node]) for o in origins)


def _saved(
    tensors: tuple[Saved, ...],
    result: _Named,
    inputs: list[_Named],
    rules: tuple[tuple[str, str], ...],
) -> Iterator[Saved]:
    """The saved tensors of a node, each named after its result or the input with the same numbers. If
    several inputs match, or the numbers are too many to compare, the argument's position decides.
    """
    in_place = dict(zip((argument for argument, _ in reversed(rules)), reversed(inputs)))
    for saved in tensors:
        own = result if saved.name.startswith("result") else in_place.get(saved.name, ("", None))
        if saved.value is None:
            label = own[0] if own[1] is not None and own[1].shape == saved.shape else ""
        else:
            alike = (label for label, x in (own, *inputs, result) if _same(saved.value, x))
            label = next(alike, "")
        yield replace(saved, label=label)


def _same(a: np.ndarray, b: Value | None) -> bool:
    if not isinstance(b, np.ndarray) or a.dtype != b.dtype:
        return False
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
