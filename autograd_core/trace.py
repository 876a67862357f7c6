"""One forward and backward pass as plain data: nodes, edges, and events in the order in which they happened.

A trace holds NumPy arrays, strings and integers, nothing that is alive: it keeps no graph, no tensor and no hook.
Everything drawn in the lessons is drawn from one. `trace(loss)` takes it through the names both engines share
(`grad_fn`, `next_functions`, `register_prehook`, `register_hook`, `variable`), so a PyTorch loss gives one too.
"""

from dataclasses import dataclass, field

import numpy as np

from .formula import rules_of


@dataclass(frozen=True)
class Saved:
    """A tensor that a node keeps for its backward rule.

    `name` is the argument it was (`other`), or `result`; `label` the learner's own name for that tensor, or "".
    """

    name: str
    label: str
    value: np.ndarray


@dataclass(frozen=True)
class TraceNode:
    """A box of the graph.

    `kind` is "operation", "leaf" (an `AccumulateGrad`, which keeps `.grad`), or "constant" (an input without gradient:
    a tensor, or a plain number). `name` is PyTorch's node name, "MulBackward0" ("" for a constant).
    `label` is the learner's variable or parameter name, or "". `value` is what the operation computed, `None` where
    the forward was not recorded. `line` is the index into `Trace.source` of the line that made it, or `None`.
    `rules` holds, per differentiable input, its name and its derivative as text: `("input", "g * other")`.
    """

    kind: str
    name: str
    label: str
    shape: tuple | None = None
    dtype: str = ""
    value: np.ndarray | None = None
    saved: tuple[Saved, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()
    line: int | None = None


@dataclass(frozen=True)
class Edge:
    """Input number `slot` of node `consumer` is output number `output` of node `producer` (indices into `nodes`)."""

    consumer: int
    slot: int
    producer: int
    output: int = 0


@dataclass(frozen=True)
class Event:
    """Something that happened, at node `node`.

    | kind       | before           | after              | sent                                                    |
    | ---------- | ---------------- | ------------------ | ------------------------------------------------------- |
    | forward    | None             | the value computed |                                                         |
    | loss       | None             | the loss           |                                                         |
    | backward   | the sum received | None               | (edge index, gradient) for each edge that was sent one  |
    | accumulate | `.grad` before   | `.grad` after      |                                                         |
    | step       | parameter before | parameter after    |                                                         |
    | zero_grad  | `.grad` before   | `.grad` after      |                                                         |
    """

    kind: str
    node: int
    before: np.ndarray | None = None
    after: np.ndarray | None = None
    sent: tuple[tuple[int, np.ndarray], ...] = ()


@dataclass(frozen=True)
class Trace:
    """Nodes in the order of recording (inputs before their consumer), edges by consumer and slot, events in time."""

    engine: str
    nodes: tuple[TraceNode, ...]
    edges: tuple[Edge, ...]
    events: tuple[Event, ...]
    source: tuple[str, ...] = field(default=())


# ---- taking a trace ------------------------------------------------------------------------------------------------


def names_in(namespace):
    """The learner's names for tensors: {id of a leaf or constant, or sequence number of a node: name}.

    `namespace` is a dict of variables. Parameters of a module are named by their path: "net.0.weight".
    """
    names = {}
    for name, value in namespace.items():
        if name.startswith("_"):
            continue
        if hasattr(value, "named_parameters"):
            for path, parameter in value.named_parameters():
                names.setdefault(id(parameter), f"{name}.{path}")
    for name, value in namespace.items():
        if hasattr(value, "grad_fn") and not name.startswith("_"):
            key = id(value) if value.grad_fn is None else (value.grad_fn._sequence_nr(), value.output_nr)
            names.setdefault(key, name)
    return names


def trace(loss, names=None, tape=None, gradient=None):
    """The graph of `loss`, its values, and its backward pass, as a `Trace`.

    loss      a tensor of either engine, with a `grad_fn`.
    names     what `names_in` returned, for the labels.
    tape      a `Tape` that was recording: forward values, source lines, and what has happened to this loss since;
              by default the tape on which this loss is, if there is one.
    gradient  what `backward` starts with; None: 1, for a single number.

    A backward pass that is not on the tape is run here, on the side: `.grad` of every leaf is as before afterwards.
    Raises TypeError for what is not a tensor, RuntimeError for a tensor without a graph, and what `backward` raises.
    """
    if not hasattr(loss, "grad_fn"):
        raise TypeError(f"trace() takes a tensor, for example a loss, not {type(loss).__name__}")
    if loss.grad_fn is None:
        raise RuntimeError("this tensor has no grad_fn, so there is no graph to show: compute it from a tensor with "
                           "requires_grad=True, outside of no_grad()")
    from .tape import Tape, tape_of
    tape = tape or tape_of(loss) or Tape()
    passed = tape.backward_of(loss)
    if passed is None:
        passed = tape.rehearse(loss, gradient)
    return _Drawing(loss, names or {}, tape, passed).trace()


def walk(*roots):
    """All nodes that can be reached from the nodes `roots`, as a list, without recursion."""
    seen, stack = {}, list(roots)
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen[node] = None
            stack.extend(producer for producer, _ in node.next_functions)
    return list(seen)


def is_leaf(node):
    """Whether `node` is an AccumulateGrad, of either engine."""
    return hasattr(node, "variable")


def key_of(node):
    """What identifies a node on a tape: its sequence number, or the identity of a leaf's variable."""
    return id(node.variable) if is_leaf(node) else node._sequence_nr()


def copy(tensor):
    """The numbers of a tensor of either engine as an array of its own; None stays None."""
    return None if tensor is None else np.array(tensor.detach().numpy())


class _Drawing:
    """One trace in the making: nodes are numbered as they are met, inputs before their consumer."""

    def __init__(self, loss, names, tape, passed):
        self.loss, self.names, self.tape, self.passed = loss, names, tape, passed
        self.nodes, self.edges, self.source = [], [], []
        self.numbers = {}               # key of a node -> its place in self.nodes
        self.edge_numbers = {}          # (key of the consumer, input number there) -> place in self.edges

    def trace(self):
        graph = walk(self.loss.grad_fn)
        operations = sorted((n for n in graph if not is_leaf(n)), key=lambda n: n._sequence_nr())
        for node in operations:
            self._add_operation(node)
        forward = [Event("forward", self.numbers[key_of(n)], after=self.nodes[self.numbers[key_of(n)]].value)
                   for n in operations]
        root = self.numbers[key_of(self.loss.grad_fn)]
        events = [*forward, Event("loss", root, after=copy(self.loss)), *self._later_events()]
        engine = "PyTorch" if type(self.loss).__module__.startswith("torch") else "autograd_core"
        return Trace(engine, tuple(self.nodes), tuple(self.edges), tuple(events), tuple(self.source))

    def _append(self, key, node):
        self.numbers[key] = len(self.nodes)
        self.nodes.append(node)
        return self.numbers[key]

    def _leaf(self, node):
        key = key_of(node)
        if key not in self.numbers:
            value = self.passed.leaf_values.get(key)
            value = copy(node.variable) if value is None else value
            self._append(key, TraceNode("leaf", "AccumulateGrad", self.names.get(key, ""), value.shape,
                                        str(value.dtype), value))
        return self.numbers[key]

    def _constant(self, constant):
        label = self.names.get(constant.key, "")
        key = ("constant", constant.key if constant.key is not None else object())
        if key in self.numbers:
            return self.numbers[key]
        value = np.asarray(constant.value)
        return self._append(key, TraceNode("constant", "", label, value.shape, str(value.dtype), value))

    def _add_operation(self, node):
        key, record = key_of(node), self.tape.forward.get(key_of(node))
        producers = [(k, producer, output) for k, (producer, output) in enumerate(node.next_functions)
                     if producer is not None]
        slots = record.slots if record and len(record.slots) == len(producers) else [k for k, _, _ in producers]
        sources = [(slot, self._leaf(p) if is_leaf(p) else self.numbers[key_of(p)], output, k)
                   for slot, (k, p, output) in zip(slots, producers)]
        sources += [(slot, self._constant(c), 0, None) for slot, c in (record.constants if record else ())]
        value = record.value if record else (copy(self.loss) if node is self.loss.grad_fn else None)
        label = next((self.names[key, output] for output in range(8) if (key, output) in self.names), "")
        number = self._append(key, TraceNode(
            "operation", node.name(), label, None if value is None else value.shape,
            "" if value is None else str(value.dtype), value,
            self._saved(key, value, label, [n for _, n, _, _ in sources]),
            rules_of(node.name(), tuple(self.passed.numbers.get(key, {}).items())), self._line(record)))
        for slot, producer, output, k in sorted(sources, key=lambda s: s[0]):
            if k is not None:
                self.edge_numbers[key, k] = len(self.edges)
            self.edges.append(Edge(number, slot, producer, output))

    def _saved(self, key, value, label, sources):
        """The saved tensors of a node, called as its result or its input with the same numbers is called."""
        known = [(label, value), *((self.nodes[n].label, self.nodes[n].value) for n in sources)]
        return tuple(Saved(argument, next((name for name, other in known if _same(numbers, other)), ""), numbers)
                     for argument, numbers in self.passed.saved.get(key, ()))

    def _line(self, record):
        """The place in `source` of the statement that made a node; a new one whenever the statement changes."""
        if record is None or not record.statement:
            return None
        if not self.source or self.source[-1] != record.statement:
            self.source.append(record.statement)
        return len(self.source) - 1

    def _later_events(self):
        for happened in (self.passed, *self.tape.after(self.passed)):
            for kind, key, before, after, sent in happened.events:
                if key in self.numbers:
                    edges = tuple((self.edge_numbers[key, k], g) for k, g in sent if (key, k) in self.edge_numbers)
                    yield Event(kind, self.numbers[key], before, after, edges)


def _same(a, b):
    return b is not None and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


# ---- comparing two traces ------------------------------------------------------------------------------------------


def difference(first, second, close):
    """The first place where two traces differ, as a sentence; None if they are equal event by event.

    close  a function of two arrays: whether they count as equal. Kind, order, node, shape and every gradient are
           compared; values and labels too, where both have them.
    """
    for i, (a, b) in enumerate(zip(first.nodes, second.nodes)):
        if (a.kind, a.name) != (b.kind, b.name) or a.label and b.label and a.label != b.label:
            return f"node {i} is {_called(a)} in {first.engine}, {_called(b)} in {second.engine}"
        if a.value is not None and b.value is not None and not _equal(a.value, b.value, close):
            return f"node {i}, {_called(a)}, has value {a.value} in {first.engine}, {b.value} in {second.engine}"
    if len(first.nodes) != len(second.nodes):
        return f"{first.engine} has {len(first.nodes)} nodes, {second.engine} has {len(second.nodes)}"
    if first.edges != second.edges:
        wrong = next((p for p in zip(first.edges, second.edges) if p[0] != p[1]), ("more edges", "fewer edges"))
        return f"edges differ: {wrong[0]} in {first.engine}, {wrong[1]} in {second.engine}"
    for i, (a, b) in enumerate(zip(first.events, second.events)):
        where = f"event {i + 1}, {a.kind} at {_called(first.nodes[a.node])}"
        if (a.kind, a.node) != (b.kind, b.node):
            return f"{where} in {first.engine} is {b.kind} at {_called(second.nodes[b.node])} in {second.engine}"
        if [e for e, _ in a.sent] != [e for e, _ in b.sent]:
            return f"{where}: sent along edges {[e for e, _ in a.sent]} and {[e for e, _ in b.sent]}"
        for x, y in ((a.before, b.before), (a.after, b.after), *((g, h) for (_, g), (_, h) in zip(a.sent, b.sent))):
            if not _equal(x, y, close):
                return f"{where}: {x} in {first.engine}, {y} in {second.engine}"
    if len(first.events) != len(second.events):
        return f"{first.engine} has {len(first.events)} events, {second.engine} has {len(second.events)}"
    return None


def _called(node):
    return f"{node.name or 'a constant'}{f' ({node.label})' if node.label else ''}"


def _equal(x, y, close):
    if x is None or y is None:
        return x is y
    return x.shape == y.shape and x.dtype == y.dtype and bool(close(x, y))
