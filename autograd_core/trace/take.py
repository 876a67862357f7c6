"""`trace(loss)`: a trace taken from a loss of either engine.

It works through the names both engines share (`grad_fn`, `next_functions`, `register_prehook`, `register_hook`,
`variable`), so a PyTorch loss gives one too. It leaves nothing behind: no hook, no graph, `.grad` as it was.
"""

import numpy as np

from ..formula import rules_of
from .data import Edge, Event, Saved, Trace, TraceNode
from .nodes import copy, is_leaf, key_of, walk
from .tape import Tape, tape_of


def names_in(namespace):
    """The learner's names for tensors: {id of a leaf or constant, or (node's type, sequence number, output): name}.

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
            key = id(value) if value.grad_fn is None else _output_key(value.grad_fn, value.output_nr)
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
    tape = tape or tape_of(loss) or Tape()
    passed = tape.backward_of(loss)
    if passed is None:
        passed = tape.rehearse(loss, gradient)
    return _Drawing(loss, names or {}, tape, passed).trace()


def _output_key(node, output):
    """What identifies a result: both engines count their nodes from 0, so the number alone does not tell."""
    return type(node), node._sequence_nr(), output


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
        label = next(filter(None, (self.names.get(_output_key(node, output)) for output in range(8))), "")
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
