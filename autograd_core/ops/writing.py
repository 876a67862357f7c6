"""How an operation is called with tensors: one function for each, written as Python source when it is first called.

An operation's description says which arguments are tensors, which of them a rule needs, what is saved for whom. To ask
this again at every call takes longer than all the rest of recording. So it is asked once, and what follows from it is
written in straight lines, as PyTorch's build writes a `VariableType::mul` for each entry of its derivatives.yaml.
A debugger steps through these lines, and `print(source_of(operation))` shows them.
"""

import numpy as np

from .. import dtypes
from ..graph import LEAF, NO_EDGE, next_sequence_nr, recording
from ..tensor import Tensor
from .checks import as_pytorch_says, check_list, check_tensors

# `x` stands for an argument, `x_` for its array (or for `x` itself where it is no tensor), `x_edge` for the place to
# which its gradient goes. What is in braces depends on the operation.
_TEMPLATE = """\
def {name}({signature}):
    {unwrap}
    try:
        result = operation.forward({arrays})
    except (ValueError, IndexError) as error:
        raise as_pytorch_says(error, ({arrays},)) from None
    if type(result) is tuple or type(result) is list:
        outs = [Tensor._make(array, NO_EDGE) for array in result]
        returned = type(result)(outs)
    else:
        returned = Tensor._make(result, NO_EDGE)
        outs = (returned,)
    {view}
    node = None
    if recording.enabled:
        {edges}
        if {wanted}:
            array = outs[0]._array
            if array.dtype.kind != "f":
                raise not_floating(outs[0])
            node = operation.node_type()
            node.sequence_nr = next_sequence_nr()
            node.hooks = None
            {outputs}
            node.saved, node.versions = saved, versions = {places}
            {save}
            node.next_functions = ({next_functions})
    for listener in recording.listeners:
        listener(operation, node, ({arguments},), outs)
    return returned
"""
_ONE_OUTPUT = """\
node.shape = array.shape
node.dtype = array.dtype
outs[0]._edge = (node, 0)"""
_SAVE = """\
saved[{index}] = {x}._array
counter = {x}._counter or {x}._version_counter()
versions.append(({index}, counter, counter[0]))"""
NEVER_CHANGED = [0]                 # the version counter of a saved value that nobody else can change


def source_of(operation):
    """The source of the function that people call for `operation`."""
    names, slots = operation.parameters, [operation.parameters[i] for i in operation.slots]
    first, options = names[0], names[len(names) - len(operation.forward.__defaults__ or ()):]
    unwrap = [f"{x}_ = {x}._array if isinstance({x}, Tensor) else {x}" for x in names]
    edges = [f"{x}_edge = NO_EDGE if {x}_ is {x} else {x}._edge if {x}._base is None else {x}._place()" for x in slots]
    wanted = [f"{x}_edge is not NO_EDGE" for x in slots]
    sent = [f"{x}._gradient_edge() if {x}_edge is LEAF else {x}_edge, " for x in slots]
    if operation.variadic:
        unwrap[0] = f"check_list('{operation.__name__}', tensors)\ntensors_ = [x._array for x in tensors]"
        edges = ["tensors_edge = [x._edge if x._base is None else x._place() for x in tensors]"]
        wanted = ["any(edge is not NO_EDGE for edge in tensors_edge)"]
        sent = ["*[x._gradient_edge() if edge is LEAF else edge for x, edge in zip(tensors, tensors_edge)], "]
        if operation.promotes:
            unwrap.append(f"tensors_ = bring_to_one_type(tensors_, {operation.promotes == 'float'})")
    else:
        needed = [names[i] for i in operation.operands]
        unwrap.append(_under(" or ".join(f"{x}_ is {x}" for x in needed), f"check_operands(operation, {', '.join(names)})"))
        if operation.promotes:
            unwrap.append(_promotion(slots, operation.promotes == "float"))
    if operation.view:
        unwrap.append(f"{first}_ = {first}._storage()")
    parts = {
        "name": operation.__name__,
        "signature": ", ".join(f"{x}=None" if x in options else x for x in names),
        "unwrap": "\n".join(unwrap),
        "arrays": ", ".join(f"{x}_" for x in names),
        "arguments": ", ".join(names),
        "view": f"for out in outs:\n    out._become_view({first}, returned is not out)" if operation.view else "",
        "edges": "\n".join(edges),
        "wanted": " or ".join(wanted) or "False",
        "outputs": _ONE_OUTPUT if operation.outputs == 1 else "operation.place_outputs(node, outs)",
        "places": f"[None] * {len(operation.save_names)}, []" if operation.save_names else "(), ()",
        "save": "\n".join(_saving(operation, wanted)),
        "next_functions": "".join(sent)}
    lines = [_indented(line.format(**parts), len(line) - len(line.lstrip())) for line in _TEMPLATE.splitlines()]
    return "\n".join(line for line in lines if line.strip()) + "\n"


def _indented(lines, columns):
    """All but the first of `lines` moved to the right, to stand below it."""
    return lines.replace("\n", "\n" + " " * columns)


def _under(condition, lines):
    return _indented(f"if {condition}:\n{lines}", 4)


def _promotion(slots, floating):
    """Bring the arrays of `slots` to one type, unless all are tensors of the same."""
    first, *others = slots
    unlike = [f"{x}_ is {x}" for x in slots] + [f"{x}_.dtype is not {first}_.dtype" for x in others]
    if floating:
        unlike.append(f"{first}_.dtype.kind != 'f'")
    arrays = ", ".join(f"{x}_" for x in slots)
    return _under(" or ".join(unlike), f"{arrays}, = bring_to_one_type([{arrays}], {floating})")


def _saving(operation, wanted):
    """The lines that save what the rules need. What one rule alone needs is saved if its input requires a gradient.

    As in PyTorch, a result is always saved, and so is what several rules need.
    """
    for index, (kind, position) in enumerate(operation.sources):
        x = f"outs[{position}]" if kind == "result" else operation.parameters[position]
        lines = _SAVE.format(x=x, index=index)
        if kind == "shape":
            lines = f"saved[{index}] = " + ("[x.shape for x in tensors_]" if operation.variadic else f"{x}_.shape")
        elif kind == "argument":
            plain = f"save_plain(saved, versions, {index}, {x}, {position in operation.slots})"
            lines = _under(f"{x}_ is {x}", plain) + "\n" + _indented(f"else:\n{lines}", 4)
        readers = [condition for rule, condition in zip(operation.rules, wanted) if rule and index in rule.needs]
        guarded = len(readers) == 1 < len(wanted) and kind != "result"
        yield _under(readers[0], lines) if guarded else lines


# ---- what the written lines call -----------------------------------------------------------------------------------


def _check_operands(operation, *args):
    """Raises TypeError where a tensor should stand. A number may stand beside one, to be brought to its type."""
    for position in operation.operands:
        x = args[position]
        if not isinstance(x, Tensor) and not (
                len(operation.operands) > 1 and (operation.promotes or position and not operation.slots)
                and isinstance(x, (int, float, np.number, np.bool_)) and any(isinstance(a, Tensor) for a in args)):
            check_tensors(operation.__name__, **{operation.parameters[position]: x})


def _not_floating(out):
    return RuntimeError(f"Autograd not support dtype: {out.dtype.short}: ask for a floating point result, or detach() the "
                        "input")


def _save_plain(saved, versions, index, value, is_slot):
    """Save what is no tensor. In place of a tensor, or if it holds arrays, it counts as one, and is freed as one."""
    saved[index] = value
    if is_slot or isinstance(value, tuple) and any(isinstance(part, np.ndarray) for part in value):
        versions.append((index, NEVER_CHANGED, 0))


def written(operation):
    """The function for `operation`, from its source, which a debugger finds under its file name."""
    import linecache                    # loads what reads source files: not before the first call
    source, file = source_of(operation), f"{__file__}: {operation.__name__}"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"__name__": operation.forward.__module__, "operation": operation, "Tensor": Tensor, "LEAF": LEAF,
             "NO_EDGE": NO_EDGE, "next_sequence_nr": next_sequence_nr, "recording": recording, "check_list": check_list,
             "bring_to_one_type": dtypes.bring_to_one_type, "check_operands": _check_operands, "as_pytorch_says": as_pytorch_says,
             "not_floating": _not_floating, "save_plain": _save_plain}
    exec(compile(source, file, "exec"), names)
    function = names[operation.__name__]
    function.__defaults__ = operation.forward.__defaults__
    return function
