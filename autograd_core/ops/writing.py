"""How an operation is called with tensors, and run back: two functions for each, written as Python source when needed.

An operation's description says which arguments are tensors, which of them a rule needs, what is saved for whom. To ask
this again at every call takes longer than all the rest of recording. So it is asked once, and what follows from it is
written in straight lines, as PyTorch's build writes a `VariableType::mul` for each entry of its derivatives.yaml.
A debugger steps through these lines, and `print(forward_source(operation))` shows them.
"""

import types

import numpy as np

from .. import dtypes
from ..graph import FREED, LEAF, NO_EDGE, PLAIN, next_sequence_nr
from ..recording import recording
from ..tensor import Tensor
from .checks import as_pytorch_says, check, check_list, check_tensors, plain_number

# `x` stands for an argument, `x_` for its array (or for `x` itself where it is no tensor), `x_edge` for the place to
# which its gradient goes, `x_saved` for what is saved of it, `x_counter` and `x_version` for what counts its changes and
# how many there were then. What is in braces depends on the operation.
_FORWARD = """\
def {name}({signature}):
    {unwrap}
    try:
        result = forward({arrays})
    except (ValueError, IndexError) as error:
        raise as_pytorch_says(error, ({arrays},)) from None
    {wrap}
    enabled, listeners = recording.state
    {view}
    node = None
    if enabled:
        {edges}
        if {wanted}:
            {floating}
            node = node_type()
            node.sequence_nr = next_sequence_nr()
            node.hooks = None
            {outputs}
            {save}
            node.saved = {places}
            node.inputs = ({inputs})
    for listener in listeners:
        listener(operation, node, ({arguments},), {outs})
    return out
"""
_ONE = "out = new(Tensor)\nout._array, out._edge, out._base = result, NO_EDGE, None"
_SEVERAL = "out = type(result)([Tensor._make(array, NO_EDGE) for array in result])"
_PLACE_ONE = "node.shape = result.shape\nnode.dtype = result.dtype\nout._edge = node"
_FLOATING = "if result.dtype.kind != 'f':\n    raise not_floating(out)"

# A gradient runs back: are the saved values what they were? Then each rule gets those it asks for by name.
_BACKWARD = """\
def {name}_backward(node, ops, g, keep=True):
    {check}
    {several}
    {edges}
    sent = {sent}
    {free}
    return sent
"""
_CHECK = """\
saved = node.saved
if saved is FREED:
    node.check_saved()
{unpack}= saved
if {changed}:
    node.check_saved()
if ops.creates_graph:
    {names}= operation.unpacked(node)"""
_PLAIN = "{unpack}= node.saved"    # nothing can have been freed or changed
NEVER_CHANGED = [0]                 # the counter of a saved tensor that nobody else can change, or of one not needed
NUMBERS = frozenset({int, float, bool})


def forward_source(operation):
    """The source of the function that people call for `operation`."""
    names, slots = operation.parameters, [operation.parameters[i] for i in operation.slots]
    first, options = names[0], _defaults(operation)
    unwrap = [f"{x}_ = {x} if type({x}) in NUMBERS else as_number(operation, '{x}', {x})" if _is_number(operation, x) else
              f"{x}_ = {x}._array if isinstance({x}, Tensor) else {x}" for x in names]
    edges = [f"{x}_edge = NO_EDGE if {x}_ is {x} else {x}._edge if {x}._base is None else {x}._place()" for x in slots]
    wanted = [f"{x}_edge is not NO_EDGE" for x in slots]
    sent = [f"{x}._leaf_node() or {x}._leaf_edge() if {x}_edge is LEAF else {x}_edge, " for x in slots]
    if operation.variadic:
        unwrap[0] = f"check_list('{operation.__name__}', tensors)\ntensors_ = [x._array for x in tensors]"
        edges = ["tensors_edge = [x._edge if x._base is None else x._place() for x in tensors]"]
        wanted = ["any([edge is not NO_EDGE for edge in tensors_edge])"]
        sent = ["*[x._leaf_node() or x._leaf_edge() if edge is LEAF else edge for x, edge in zip(tensors, tensors_edge)], "]
        if operation.promotes:
            unwrap.append(f"tensors_ = bring_to_one_type(tensors_, {operation.promotes == 'float'})")
    else:
        unwrap.append(_checking(operation, [names[i] for i in operation.operands], slots))
    if operation.view:
        unwrap.append(f"{first}_ = {first}._storage()")
    one = operation.returns_one
    look_up, places = _saving(operation, wanted)
    return _filled(_FORWARD, {
        "name": operation.__name__,
        "signature": ", ".join(f"{x}=None" if x in options else x for x in names),
        "unwrap": "\n".join(unwrap),
        "arrays": ", ".join(f"{x}_" for x in names),
        "arguments": ", ".join(names),
        "wrap": _ONE if one else _SEVERAL,
        "outs": "(out,)" if one else "out",
        "view": "" if not operation.view else f"out._become_view({first}, False, enabled)" if one else
                f"for view in out:\n    view._become_view({first}, True, enabled)",
        "edges": "\n".join(edges),
        "wanted": " or ".join(wanted) or "False",
        "floating": "" if not one or operation.promotes else _FLOATING,
        "outputs": _PLACE_ONE if one else "operation.place_outputs(node, out)",
        "save": "\n".join(look_up),
        "places": places,
        "inputs": "".join(sent)})


def backward_source(operation):
    """The source of `apply` of the nodes of `operation`: one gradient for each input, `None` where none is wanted."""
    rules = [rule and f"rule{i}({', '.join(parameters_of(rule))})" for i, rule in enumerate(operation.rules)]
    if operation.variadic:
        sent = rules[0]
    elif len(rules) == 1:
        sent = f"({rules[0]},)"
    else:
        sent = ", ".join(rule and f"None if edges[{i}] is None else {rule}" or "None" for i, rule in enumerate(rules))
    names, kinds = operation.save_names, [_counted(operation, i) for i in range(len(operation.save_names))]
    changed = " or ".join(f"{x}_counter[0] != {x}_version" for x, counted in zip(names, kinds) if counted is not False)
    return _filled(_BACKWARD, {
        "name": operation.__name__,
        "check": names and (_CHECK if changed else _PLAIN).format(
            unpack="".join(f"{x}, {x}_counter, {x}_version, " for x in names), names="".join(f"{x}, " for x in names),
            changed=changed),
        "several": "" if operation.outputs == 1 else "g = operation.all_outputs(node, ops, g)",
        "edges": "edges = node.inputs" if "edges" in sent else "",
        "sent": sent,
        "free": "if not keep:\n    node.saved = FREED" if True in kinds else
                "if not keep:\n    node.free()" if None in kinds else ""})


def _filled(template, parts):
    """`template` with its braces filled; what has several lines stands below one another, and empty lines are gone."""
    lines = [_indented(line.format(**parts), len(line) - len(line.lstrip())) for line in template.splitlines()]
    return "\n".join(line for line in lines if line.strip()) + "\n"


def _indented(lines, columns):
    """All but the first of `lines` moved to the right, to stand below it."""
    return lines.replace("\n", "\n" + " " * columns)


def _under(condition, lines):
    return _indented(f"if {condition}:\n{lines}", 4)


def _checking(operation, needed, slots):
    """Look again at the operands unless all are tensors, and if the types are to be one, of the same type."""
    unusual = [f"{x}_ is {x}" for x in needed]
    look = f"check_operands(operation, {', '.join(operation.parameters)})"
    if len(needed) > 1 and (operation.promotes or not slots):       # a number may stand beside a tensor
        look += "".join(f"\nif {x}_ is {x}:\n    {x} = {x}_ = plain_number({x})" for x in needed)
    if not operation.promotes:
        return _under(" or ".join(unusual), look)
    first, *others = slots
    unusual += [f"{x}_ is {x}" for x in slots if x not in needed]
    unusual += [f"{x}_.dtype is not {first}_.dtype" for x in others]
    if operation.promotes == "float":
        unusual.append(f"{first}_.dtype.kind != 'f'")
    arrays = ", ".join(f"{x}_" for x in slots)
    convert = f"{look}\n{arrays}, = bring_to_one_type([{arrays}], {operation.promotes == 'float'})"
    if len(others) == 1:                # a tensor of floating point numbers, and a number: nothing is to be done
        second, = others
        fine = f"type({second}) in (int, float) and {first}_ is not {first} and {first}_.dtype.kind == 'f'"
        convert = _under(f"not ({fine})", convert)
    return _under(" or ".join(unusual), convert)


def _defaults(operation):
    """The parameters that may be left out, and what they are then."""
    values = operation.forward.__defaults__ or ()
    return dict(zip(operation.parameters[len(operation.parameters) - len(values):], values))


def _is_number(operation, name):
    """Whether this parameter is a number: one that need not be given is known by what it is then."""
    return type(_defaults(operation).get(name)) in NUMBERS


def _counted(operation, index):
    """Whether saved value number `index` is a tensor, whose changes are counted; None: it shows when it is saved."""
    kind, position = operation.sources[index]
    if kind == "argument" and position not in operation.slots:
        return False if _is_number(operation, operation.parameters[position]) else None
    return kind != "shape"


def _saving(operation, wanted):
    """How what the rules need is saved: the lines before, and the tuple of each value, the counter of its changes, and
    what that counts now.

    What one rule alone needs is saved if its input requires a gradient. As in PyTorch, a result is always saved, and so
    is what several rules need.
    """
    lines, places = [], ""
    for index, (name, (kind, position)) in enumerate(zip(operation.save_names, operation.sources)):
        x = operation.parameters[position] if kind != "result" else "out" if operation.returns_one else f"out[{position}]"
        counted, place = _counted(operation, index), f"{name}_saved, {name}_counter, {name}_version, "
        of_tensor = (f"{name}_saved, {name}_counter = {x}._array, {x}._counter\n"
                     + _under(f"{name}_counter is None", f"{name}_counter = {x}._counter = [0]")
                     + f"\n{name}_version = {name}_counter[0]")
        if kind == "shape":
            place = "[x.shape for x in tensors_], PLAIN, 0, " if operation.variadic else f"{x}_.shape, PLAIN, 0, "
        elif kind == "result":
            lines.append(of_tensor)
        elif counted is False:                              # a number
            place = f"{x}_, PLAIN, 0, "
        elif counted is None:                               # a mask, an index, something left out
            lines.append(f"{name}_saved, {name}_counter, {name}_version = {x}_, PLAIN, 0\n"
                         + _under(f"holds_array({x}_)", f"{name}_counter, {name}_version = version_of({x})"))
        else:
            readers = [condition for rule, condition in zip(operation.rules, wanted)
                       if rule and name in parameters_of(rule)]
            of_tensor = _under(f"{x}_ is {x}", f"{name}_saved = {x}") + "\nelse:\n    " + _indented(of_tensor, 4)
            lines.append(f"{name}_saved, {name}_counter, {name}_version = None, NEVER_CHANGED, 0")
            lines.append(_under(readers[0], of_tensor) if len(readers) == 1 < len(wanted) else of_tensor)
        places += place
    if usual := _usual(operation):                          # of 100,000 additions, the forward takes a third less time
        return lines, f"usual if {operation.save_names[0]}_ is usual[0] else ({places})"
    return lines, f"({places})"


def _usual(operation):
    """What all nodes save whose only saved value is a number that was left out; () where there is no such number."""
    if len(operation.save_names) == 1 and _is_number(operation, operation.save_names[0]):
        return _defaults(operation)[operation.save_names[0]], PLAIN, 0
    return ()


# ---- what the written lines call -----------------------------------------------------------------------------------


def _check_operands(operation, *args):
    """Raises TypeError where a tensor should stand. A number may stand beside one, to be brought to its type."""
    for position in operation.operands:
        x = args[position]
        if not isinstance(x, Tensor) and not (
                len(operation.operands) > 1 and (operation.promotes or position and not operation.slots)
                and isinstance(x, (int, float, np.number, np.bool_)) and any(isinstance(a, Tensor) for a in args)):
            check_tensors(operation.__name__, **{operation.parameters[position]: x})


def _as_number(operation, name, x):
    """What was given for the number `name`: a tensor may be one, if nobody asks for its gradient. Raises TypeError."""
    if isinstance(x, Tensor):
        check(not x.ndim and not x.requires_grad, "{}(): argument '{}' must be Number, not {}", operation.__name__, name,
              type(x).__name__, error=TypeError)
        return x.item()
    return plain_number(x)


def _not_floating(out):
    return RuntimeError(f"Autograd not support dtype: {out.dtype.short}: ask for a floating point result, or detach() the "
                        "input")


def _holds_array(value):
    return isinstance(value, (np.ndarray, np.generic)) or type(value) is tuple and any(
        isinstance(part, np.ndarray) for part in value)


def _version_of(x):
    """The counter of a saved argument and what it counts: of a tensor, or of what holds arrays that nobody changes."""
    return (x._version_counter(), x._version) if isinstance(x, Tensor) else (NEVER_CHANGED, 0)


def namespace(operation):
    """The names that the lines written for `operation` know."""
    rules = {f"rule{i}": rule for i, rule in enumerate(operation.rules)}
    compute = getattr(operation.forward, "compute", operation.forward)      # NumPy's function, where it is no more
    return _NAMES | rules | {"forward": compute, "__name__": operation.forward.__module__, "operation": operation,
                             "node_type": operation.node_type, "usual": _usual(operation)}


_NAMES = {"Tensor": Tensor, "FREED": FREED, "LEAF": LEAF, "NO_EDGE": NO_EDGE, "NEVER_CHANGED": NEVER_CHANGED,
          "NUMBERS": NUMBERS, "PLAIN": PLAIN, "new": object.__new__, "next_sequence_nr": next_sequence_nr, "recording": recording,
          "check_list": check_list, "bring_to_one_type": dtypes.bring_to_one_type, "check_operands": _check_operands,
          "as_number": _as_number, "plain_number": plain_number,
          "as_pytorch_says": as_pytorch_says, "not_floating": _not_floating, "holds_array": _holds_array,
          "version_of": _version_of}


def written(source, name, names, defaults):
    """The function in `source`, which a debugger finds under its file name; it knows `names`."""
    import linecache                    # loads what reads source files: not before the first call
    file = f"{__file__}: {name}"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    code, = (part for part in compile(source, file, "exec").co_consts if isinstance(part, types.CodeType))
    return types.FunctionType(code, names, code.co_name, defaults)


def parameters_of(function):
    """The names of a function's parameters."""
    return function.__code__.co_varnames[:function.__code__.co_argcount]
