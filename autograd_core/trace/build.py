"""`trace(loss)`: a trace taken from a loss of either engine.

It works through the names both engines share (`grad_fn`, `next_functions`, `register_prehook`,
`register_hook`, `variable`), so a PyTorch loss gives one too. It leaves nothing behind: no hook, no
graph, `.grad` as it was."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .backward import BackwardRecord, SavedTensor, dry_run_backward
from .cuts import parameter_status, severed, why_cut
from .data import Edge, Event, Saved, Trace, TraceNode
from .formula import rules_of
from .modules import infer_modules
from .names import Names
from .nodes import check_bearable, engine_of, is_leaf, is_meta, key_of, shape_and_type, walk
from .provenance import Call, Input, Operation
from .size import return_freed_memory
from .summary import Summary, Value, value_of
from .tape import Tape, tape_of


def trace(
    loss: Any, names: Names | None = None, tape: Tape | None = None, gradient: Any = None
) -> Trace:
    """The graph of `loss`, its values, and its backward pass, as a `Trace`.

    loss      a tensor of either engine, with a `grad_fn`.
    names     what `names_in` returned: for the labels, the modules and the list of parameters.
    tape      a `Tape` that was recording: forward values, source lines, cuts, and what has happened
              to this loss since; by default the tape on which this loss is, if there is one.
    gradient  what `backward` starts with; None: 1, for a single number.

    A backward pass that is not on the tape is run here, on the side: `.grad` of every leaf is as
    before afterwards. If it cannot run, since the graph has released what it saved, the trace has
    no backward events and a `note`.
    Raises TypeError for what is not a tensor, RuntimeError for a tensor without a graph, ValueError
    for a graph of PyTorch's that is too large to be looked at, and what `backward` raises.
    """
    if not hasattr(loss, "grad_fn"):
        raise TypeError(f"trace() takes a tensor, for example a loss, not {type(loss).__name__}")
    if loss.grad_fn is None:
        raise RuntimeError(
            "this tensor has no grad_fn, so there is no graph to show: compute it from a tensor"
            " with requires_grad=True, outside of no_grad()"
        )
    if is_meta(loss):
        raise RuntimeError(
            "this tensor is on the device 'meta': it has a shape and a graph, and no numbers to"
            " show. Compute it on real tensors"
        )
    check_bearable(loss, what="trace")
    names, tape = names or Names({}), tape or tape_of(loss) or Tape()
    passed = tape.backward_of(loss) or dry_run_backward(loss, gradient, tape.budget)
    traced = TraceBuilder(loss, names, tape, passed).trace()
    if any(isinstance(gradient, Summary) for event in traced.events for _, gradient in event.sent):
        return_freed_memory()  # of what was too large to be kept
    return traced


class TraceBuilder:
    """One trace in the making: nodes are numbered as they are met, inputs before their consumer."""

    def __init__(self, loss: Any, names: Names, tape: Tape, passed: BackwardRecord):
        self.loss, self.names, self.tape, self.passed = loss, names, tape, passed
        self.engine, self.provenance, self.budget = engine_of(loss), tape.provenance, tape.budget
        self.modules, self.parameters = names.of_engine(self.engine)
        graph = walk(loss.grad_fn)
        self.live = {
            key_of(node): node for node in sorted(graph, key=lambda node: node._sequence_nr())
        }
        made = {key: node for key, node in self.live.items() if not is_leaf(node)}
        self.untaped = {
            key: Operation(node.name())
            for key, node in made.items()
            if key not in self.provenance.forward
        }
        root = self.untaped.get(key_of(loss.grad_fn))
        if root:
            (root.shape, root.dtype), root.value = shape_and_type(loss), self.budget.keep(loss)
        self.drawn = [*made, *severed(self.provenance.forward, self.live)]
        self.paths = {id(module): path for path, module in self.modules}
        self.classes = {path: type(module).__name__ for path, module in self.modules}
        self.inferred = infer_modules(list(made.values()), self.parameters) if self.untaped else {}
        self.results = self.provenance.names_of(names.tensors)
        self.nodes: list[TraceNode] = []
        self.edges: list[Edge] = []
        self.events: list[Event] = []
        self.source: list[str] = []
        # the latest one that is known to have made a node
        self.statement = ""
        self.lines: dict[str, int] = {}  # statement -> its latest place in self.source
        self.numbers: dict[Hashable, int] = {}  # key of a node -> its place in self.nodes
        # path of a module -> {a call of it: its number in this graph}
        self.calls: defaultdict[str, dict[Call, int]] = defaultdict(dict)
        # (key of the consumer, input number there) -> place in self.edges
        self.edge_numbers: dict[tuple[int, int], int] = {}

    def trace(self) -> Trace:
        for key in sorted(self.drawn, key=self._time):
            self._add(key)
        self.events.append(
            Event(
                "loss",
                self.numbers[key_of(self.loss.grad_fn)],
                after=value_of(self.budget.keep(self.loss)),
            )
        )
        self.events += self._later_events()
        complete = not self.untaped and not self.provenance.forgotten
        held, unnamed = self._held()
        parameters = parameter_status(
            [*self.parameters, *unnamed],
            self.numbers,
            self.live,
            self.nodes,
            self.edges,
            self.provenance,
            complete,
            held,
        )
        return Trace(
            "PyTorch" if self.engine == "torch" else self.engine,
            tuple(self.nodes),
            tuple(self.edges),
            tuple(self.events),
            tuple(self.source),
            tuple(self.classes.items()),
            tuple(parameters),
            self.passed.note,
            " ".join(self._not_kept()),
        )

    def _held(self) -> tuple[dict[int, str], list[tuple[str, Any]]]:
        """({id of a parameter: name of an optimizer that holds it and something that this loss
        trains}, and of these the ones of models that nobody has a name for, as (how to get at it,
        parameter))."""
        found = {
            id(optimizer): (name, optimizer)
            for name, optimizer in (
                *((type(optimizer).__name__, optimizer) for optimizer in self.tape.optimizers),
                *self.names.optimizers,
            )
        }
        known, held, unnamed = (
            {id(parameter) for _, parameter in self.parameters},
            dict[int, str](),
            [],
        )
        for name, optimizer in found.values():
            places = [
                (f"{name}.param_groups[{i}]['params'][{k}]", parameter)
                for i, group in enumerate(optimizer.param_groups)
                for k, parameter in enumerate(group["params"])
            ]
            if any(id(parameter) in self.live for _, parameter in places):
                held |= {id(parameter): name for _, parameter in places}
                unnamed += [
                    (place, p)
                    for place, p in places
                    if known and id(p) not in known and id(p) not in self.live and p.requires_grad
                ]
        return held, unnamed

    def _not_kept(self) -> Iterator[str]:
        """What is not known of this pass, and how it would be, in sentences."""
        if self.provenance.forgotten and self.untaped:
            yield (
                f"The forward of {len(self.untaped)} of"
                f" {len(self.untaped) + len(self.provenance.forward)} operations was not kept:"
                " watching(limit=...) keeps more."
            )
        computed = [node.value for node in self.nodes if node.kind in ("operation", "severed")]
        gradients = [gradient for event in self.events for _, gradient in event.sent]
        told = [
            f"{missing} of {len(values)} {what}"
            for values, what in ((computed, "operations"), (gradients, "gradients on their way"))
            if (missing := sum(isinstance(value, Summary) for value in values))
        ]
        if told:
            yield (
                f"Values of {' and of '.join(told)} not kept whole, but their norm, range, zeros,"
                ' nan and inf: watching(keep="1 GB") keeps more.'
            )

    def _time(self, key: int) -> tuple[int, int]:
        """When an operation was recorded: to sort by."""
        return (key, 0) if key >= 0 else (self.provenance.forward[key].after, -key)

    def _place(self, key: Hashable, make: Callable[[], TraceNode]) -> int:
        """The place in nodes of what has this key; `make()` is put there if nothing has it yet."""
        if key not in self.numbers:
            self.numbers[key] = len(self.nodes)
            self.nodes.append(make())
        return self.numbers[key]

    # ---- operations ------------------------------------------------------------------------------

    def _add(self, key: int) -> None:
        node, operation = self.live.get(key), self.untaped.get(key) or self.provenance.forward[key]
        inputs = self._inputs(node, operation)
        label = self.names.of_node(self.engine, node) if node else self.results.get((key, 0), "")
        arrays, plain = self.passed.saved.get(key, ((), ()))
        rules = rules_of(node.name(), plain) if node else ()
        line, value = (
            self._line(operation.statement, operation.statement != self.statement),
            value_of(operation.value),
        )
        self.statement = operation.statement or self.statement
        around = [
            (self.nodes[producer].label, self.nodes[producer].value) for _, producer, *_ in inputs
        ]
        saved = self._saved(arrays, (label, value), around, rules)
        number = self._place(
            key,
            lambda: TraceNode(
                "operation" if node else "severed",
                operation.node_name or operation.name,
                label,
                operation.shape,
                operation.dtype,
                value,
                tuple(saved),
                rules,
                line,
                self._module(key, operation.calls),
                calls=self._numbered(operation.calls),
                others=operation.others,
            ),
        )
        self.events.append(Event("forward", number, after=value))
        for slot, producer, output, k, cut, statement in inputs:
            if k is not None:
                self.edge_numbers[key, k] = len(self.edges)
            self.edges.append(Edge(number, slot, producer, output, cut, self._line(statement)))

    def _inputs(
        self, node: Any, operation: Operation
    ) -> list[tuple[int, int, int, int | None, str, str]]:
        """(slot, producer's place in nodes, output, number among next_functions, why it is cut, the
        statement).
        """
        recorded = list(enumerate(operation.inputs))
        producers = [
            (k, producer, output)
            for k, (producer, output) in enumerate(node.next_functions if node else ())
            if producer is not None
        ]
        slots = [slot for slot, x in recorded if x.in_graph]
        if len(slots) != len(producers):
            slots = [k for k, _, _ in producers]
        passing = [
            (
                slot,
                self._leaf(p.variable) if is_leaf(p) else self.numbers[key_of(p)],
                output,
                k,
                "",
                "",
            )
            for slot, (k, p, output) in zip(slots, producers)
        ]
        others = [
            (
                slot,
                self._producer(x),
                x.source.output if x.source else 0,
                None,
                *why_cut(self.provenance.forward, operation, x),
            )
            for slot, x in recorded
            if not (node and x.in_graph)
        ]
        return sorted([*passing, *others], key=lambda given: given[0])

    def _producer(self, given: Input) -> int:
        """The place in nodes of what an input came from."""
        key: Any = given.source.producer if given.source else object()
        if key in self.numbers:
            return self.numbers[key]
        leaf = self.provenance.leaves.get(key)
        if leaf is not None:
            return self._leaf(leaf)
        return self._place(
            ("constant", key),
            lambda: TraceNode(
                "constant",
                "",
                self.results.get((key, 0), ""),
                given.shape,
                given.dtype,
                value_of(given.value),
            ),
        )

    def _leaf(self, variable: Any) -> int:
        """The place of a leaf, or of a frozen parameter."""
        key = id(variable)
        kind, name = (
            ("leaf", "AccumulateGrad")
            if variable.requires_grad or key in self.live
            else ("frozen", "")
        )
        return self._place(
            key,
            lambda: TraceNode(
                kind,
                name,
                self.names.tensors.get(key, ""),
                *shape_and_type(variable),
                value_of(self.passed.leaf_values.get(key) or self.budget.keep(variable)),
                grad=value_of(self.budget.keep_grad(variable)),
            ),
        )

    def _saved(
        self,
        tensors: Iterable[SavedTensor],
        result: tuple[str, Value | None],
        inputs: Sequence[tuple[str, Value | None]],
        rules: Sequence[tuple[str, str]],
    ) -> Iterator[Saved]:
        """The saved tensors of a node, called as its result or its input with the same numbers is
        called.

        Of several with the same numbers it is the one in the argument's own place; so it is where
        the numbers are too many to be compared.
        result, inputs  each as (label, value)
        """
        in_place = dict(zip((argument for argument, _ in reversed(rules)), reversed(inputs)))
        for argument, shape, dtype, value in tensors:
            first = result if argument.startswith("result") else in_place.get(argument, ("", None))
            if value is None:
                label = first[0] if first[1] is not None and first[1].shape == shape else ""
            else:
                label = next(
                    (label for label, numbers in (first, *inputs, result) if _same(value, numbers)),
                    "",
                )
            yield Saved(argument, label, value, shape, dtype)

    def _line(self, statement: str, again: bool = False) -> int | None:
        """The latest place of a statement in `source`, a new one if it has none or `again`; None
        for an unknown one.
        """
        if statement and (again or statement not in self.lines):
            self.lines[statement] = len(self.source)
            self.source.append(statement)
        return self.lines.get(statement)

    def _module(self, key: int, calls: tuple[Call, ...]) -> str:
        """The path of the module that made a node, inside of `calls`."""
        if not calls:
            return self.inferred.get(key, "")
        path = self._path(calls[-1]) or calls[-1].class_name
        self.classes.setdefault(path, calls[-1].class_name)
        return path

    def _path(self, call: Call) -> str:
        """The path of the called module as the learner names it."""
        return ".".join(filter(None, (self.paths.get(id(call.root()), ""), call.path)))

    def _numbered(self, calls: tuple[Call, ...]) -> tuple[tuple[str, int], ...]:
        """(path, number) of each call; calls of the same path are counted from 1."""
        around = [(self._path(call), call) for call in calls]
        return tuple(
            (path, self.calls[path].setdefault(call, len(self.calls[path]) + 1))
            for path, call in around
        )

    def _later_events(self) -> Iterator[Event]:
        for happened in (self.passed, *self.tape.after(self.passed)):
            for event in happened.events:
                if event.node in self.numbers:
                    sent = (((event.node, k), gradient) for k, gradient in event.sent)
                    yield Event(
                        event.kind,
                        self.numbers[event.node],
                        value_of(event.before),
                        value_of(event.after),
                        tuple(
                            (self.edge_numbers[edge], gradient.value)
                            for edge, gradient in sent
                            if edge in self.edge_numbers
                        ),
                    )


def _same(a: np.ndarray, b: Value | None) -> bool:
    return (
        isinstance(b, np.ndarray)
        and a.dtype == b.dtype
        and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    )
