"""The form in which an operation is called that is neither of one tensor nor of two: the third
beside those in core/operation.

A list of tensors, three tensors and more, masks and indices beside them, several results.
"""

from ..core.graph import LEAF, NO_EDGE, next_sequence_nr
from ..core.operation import CONSTANT
from ..core.recording import recording
from ..core.tensor import TensorBase, wrap


def of_any(op):
    """An operation of any number of tensors: `addmm(x, y, z)`, `cat([x, y])`, `topk(x, k)`."""
    names = sorted(
        (name for name in op.asked if name not in ("ops", "g")),
        key=lambda name: not op.counts_changes(name),
    )
    forward, rules, (node_type, readers) = (
        op.forward,
        [*op.rules.values()],
        op.node_that_saves(names),
    )
    count, numbers, places, slots = len(op.parameters), op.numbers, sorted(op.tensors), op.slots
    first, between, last = (slots[0], slots[len(slots) // 2], slots[-1]) if slots else (0, 0, 0)
    promotes, variadic, one = op.promotes, op.variadic, op.returns_one
    # for each saved value: where it is from, whether its changes are counted
    plan = []
    for name, kind, position, asking in op.saves:
        only = slots.index(asking[0]) if kind == "argument" and len(asking) == 1 else None
        plan.append((kind, position, op.counts_changes(name), only))

    def call(*args, **named):
        if named or len(args) != count or numbers:
            args = op.arguments(args, named)
        arrays, usual = [*args], not variadic
        for i in places:
            if isinstance(args[i], TensorBase):
                arrays[i] = args[i]._array
            else:
                usual = False
        if (
            not usual
            or promotes
            and not (arrays[first].dtype is arrays[last].dtype is arrays[between].dtype)
        ):
            arrays = op.bring_together(args, arrays)
        try:
            result = forward(*arrays)
        except (ValueError, IndexError) as error:
            raise op.explain(error, arrays) from None
        outs = (wrap(result),) if one else type(result)([wrap(array) for array in result])
        enabled, subscribers = recording.state
        if op.view:
            for out in outs:
                out._become_view(args[0], not one, enabled)
        node, wanted, edges = None, False, []
        if enabled:
            for x in args[0] if variadic else map(args.__getitem__, slots):
                edge = NO_EDGE
                if isinstance(x, TensorBase):
                    edge = x._edge if x._base is None else x._current_edge()
                    if edge is not NO_EDGE:
                        wanted = True
                        if edge is LEAF:
                            edge = x._leaf_edge()
                edges.append(edge)
        if wanted:
            node = node_type()
            node.sequence_nr = next_sequence_nr()
            node.hooks = None
            node.inputs = tuple(edges)
            place(node, outs)
            saved, versions = [], []
            for kind, position, counted, only in plan:
                value = outs[position] if kind == "result" else args[position]
                if kind == "shape":
                    value = [x._array.shape for x in value] if variadic else arrays[position].shape
                elif counted:
                    version = CONSTANT
                    # one rule alone asks for it, and does not run
                    if only is not None and edges[only] is NO_EDGE:
                        value = None
                    elif isinstance(value, TensorBase):
                        counter = value._counter or value._version_counter()
                        value, version = value._array, (counter, counter[0])
                    versions.append(version)
                saved.append(value)
            node.saved, node.versions = tuple(saved), tuple(versions)
        if subscribers:
            recording.publish("on_operation", op, node, args, outs)
        return outs[0] if one else outs

    def place(node, outs):
        outs = outs[: op.outputs]
        if op.outputs is None:
            node.outputs = len(outs)
        if node.outputs == 1:
            array = outs[0]._array
            if one and array.dtype.kind != "f":
                raise op.not_floating(array)
            node.shape, node.dtype, outs[0]._edge = array.shape, array.dtype, node
        else:
            node.shape, node.dtype = (
                [out._array.shape for out in outs],
                [out._array.dtype for out in outs],
            )
            for number, out in enumerate(outs):
                out._edge = node.output(number)

    def apply(node, ops, gradient):
        if node.outputs > 1:
            gradient = [
                ops.zeros(*of) if g is None else g
                for g, *of in zip(gradient, node.shape, node.dtype)
            ]
        elif op.outputs is None:
            gradient = [gradient]
        values, sent = node.values(ops, gradient), []
        if variadic:
            return rules[0](*readers[0](values))
        for edge, rule, read in zip(node.inputs, rules, readers):
            sent.append(None if edge is NO_EDGE else rule(*read(values)))
        return sent

    return call, apply
