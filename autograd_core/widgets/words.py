"""What the graph view says: names and signs of operations, rules, and one sentence for each event.

A text is a list of runs, (style, text). Styles: "" plain, "b" strong, "q" quiet, "v" value, "g" gradient, "c" code,
"n" the value that the event is about. No other number stands in a sentence, so that the words of a trace stay the same
while its numbers change.
"""

import re
from collections import Counter

import numpy as np

from ..trace import Edge, Event, Trace, TraceNode
from .numerals import shape_text, shorten, tensor_text

Runs = list[tuple[str, str]]

SIGNS = {
    "Add": "+", "Sub": "−", "Rsub": "1−", "Mul": "×", "Div": "÷", "Neg": "−", "Pow": "xⁿ", "Sqrt": "√", "Abs": "|x|",
    "Mv": "@", "Mm": "@", "Dot": "@", "Bmm": "@", "Addmm": "@+", "T": "T", "Transpose": "T", "Permute": "T",
    "Sigmoid": "σ", "Tanh": "th", "Relu": "⌐", "Exp": "eˣ", "Log": "ln", "Sin": "sin", "Cos": "cos", "Clamp": "⊓",
    "Sum": "Σ", "Mean": "x̄", "Max": "max", "Min": "min", "Where": "?:", "Softmax": "sm", "LogSoftmax": "lsm",
    "MseLoss": "²", "BinaryCrossEntropy": "H", "BinaryCrossEntropyWithLogits": "H", "NllLoss": "H",
    "View": "▭", "Reshape": "▭", "Squeeze": "▭", "Unsqueeze": "▭", "Expand": "⇉", "Clone": "=",
    "Index": "[ ]", "Select": "[i]", "Cat": "⊕", "Stack": "⊕",
}
SPOKEN = {"T": "the transpose", "Addmm": "the matrix product + bias"}
MATRIX_PRODUCT = r"@|\b(mm|mv|bmm)\("
LONGEST_RULE = 80
COUNTS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def split_name(name: str) -> tuple[str, str]:
    """ "SigmoidBackward0" as "Sigmoid" and "Backward0"."""
    match = re.fullmatch(r"(.+?)(Backward\d*)", name)
    return match.groups() if match else (name, "")


def sign(node: TraceNode) -> str:
    """The two or three characters in the round glyph of a box."""
    if node.kind == "leaf":
        last = node.label.rsplit(".", 1)[-1]
        return last if len(last) <= 3 else last[:1]
    short = split_name(node.name)[0]
    return SIGNS.get(short, short[:2])


def called(node: TraceNode, fallback: str = "its result") -> str:
    return shorten(node.label, 24) or fallback


def root_of(trace: Trace) -> int:
    """The node at which backward() starts."""
    return next(event.node for event in trace.events if event.kind == "loss")


def root_name(trace: Trace) -> str:
    """What gradients are gradients of: the learner's name for it, else "loss"."""
    return called(trace.nodes[root_of(trace)], "loss")


def title_of(node: TraceNode) -> Runs:
    if node.kind == "leaf":
        return [("v", called(node, "a leaf"))]
    short, rest = split_name(node.name)
    return [("b", short), ("q", rest)]


def counts(trace: Trace) -> str:
    """How large the trace is: "11 nodes, 27 events". Constants are no nodes of the graph."""
    return f"{sum(node.kind != 'constant' for node in trace.nodes)} nodes, {len(trace.events)} events"


def titles_of(trace: Trace) -> list[Runs]:
    """What each node is called in a sentence: "MulBackward0", or "Mul (u)" where there is more than one."""
    count = Counter(node.name for node in trace.nodes)
    titles = []
    for node in trace.nodes:
        title = title_of(node)
        if node.kind == "operation":
            short = title[0][1]
            if short in SPOKEN:
                title = [("b", SPOKEN[short])]
            if count[node.name] > 1 and node.label:
                title = [("b", SPOKEN.get(short, short)), ("q", f" ({called(node)})")]
        titles.append(title)
    return titles


def short_title(title: Runs) -> str:
    """A title of `titles_of` in a table: "Mul", "Mul (u)"."""
    return split_name("".join(text for _, text in title))[0]


def _list(items: list[Runs]) -> Runs:
    """Runs joined as in a sentence: a, b and c."""
    out: Runs = []
    for i, item in enumerate(items):
        out += [("", "" if i == 0 else " and " if i == len(items) - 1 else ", "), *item]
    return [run for run in out if run[1]]


def _stretched(small: tuple | None, large: tuple | None, rule: str) -> str:
    """Along what an input of shape `small` was broadcast to `large`, in words; "" where it was not.

    The gradient is then summed there, which `rule`, the input's own, does not say. What a matrix product sends has
    another shape for another reason.
    """
    if small is None or large is None or small == large or len(small) > len(large) or re.search(MATRIX_PRODUCT, rule):
        return ""
    padded = (1,) * (len(large) - len(small)) + tuple(small)
    axes = [axis for axis, (a, b) in enumerate(zip(padded, large)) if a != b]
    if not axes or any(padded[axis] != 1 for axis in axes):
        return ""
    if len(large) == 2 and len(axes) == 1:
        return ("rows", "columns")[axes[0]]
    return "elements" if all(size == 1 for size in padded) else "axes"


def rule_runs(trace: Trace, index: int, edges: list[Edge], root: str) -> list[Runs]:
    """Each rule of node `index`, which has the inputs `edges`, as a formula; gradients are those of `root`.

    ("input", "g * other") becomes "∂loss/∂a = ∂loss/∂u · b" where `u = a * b`. A rule too long for a line, or one that
    calls what is private to the operations, is shown as a function f of what it needs.
    """
    node = trace.nodes[index]
    if edges and edges[-1].slot >= len(node.rules):                         # inputs without a rule come first
        slots = [e.slot for e in edges[len(edges) - len(node.rules):]]
    else:
        slots = list(range(len(node.rules)))
    producer = {e.slot: trace.nodes[e.producer] for e in edges}
    names = {name: called(producer[slot], name) for (name, _), slot in zip(node.rules, slots) if slot in producer}
    names |= {saved.name: shorten(saved.label, 24) or saved.name for saved in node.saved}
    names["result"] = called(node, "result")
    of = called(node, "result")
    lines = []
    for (name, text), slot in zip(node.rules, slots):
        if slot in producer and producer[slot].kind == "constant":
            continue
        runs: Runs = [("g", f"∂{root}/∂{names.get(name, name)}"), ("", " = ")]
        tokens = re.findall(r"[A-Za-z_][\w.]*|\d[\d.e]*|\s+|\*\*|.", text)
        if len(text) > LONGEST_RULE or any(token.startswith("_") for token in tokens):
            needs = {token.split(".")[0] for token in tokens}
            needed = [name for name in names if name in needs] or [saved.name for saved in node.saved]
            tokens = re.findall(r"\w+|.", f"f({', '.join(['g', *needed])})")
        for token in tokens:
            plain = token.removeprefix("ops.").removesuffix(".T")
            if plain == "g":
                runs.append(("g", f"∂{root}/∂{of}" + "ᵀ" * token.endswith(".T")))
            elif plain in names:
                runs.append(("v", names[plain] + "ᵀ" * token.endswith(".T")))
            else:
                runs.append(("", {"*": "·", "-": "−", "**": "^"}.get(plain, plain)))
        if slot in producer and (along := _stretched(producer[slot].shape, node.shape, text)):
            runs.append(("q", f", summed over its {along}"))
        lines.append(runs)
    return lines


def _action(node: TraceNode, several: bool) -> str:
    """What the node does with the gradient that it received, read from its rules."""
    it = "the sum" if several else "it"
    texts = [text for _, text in node.rules]

    def every(pattern: str) -> bool:
        return all(re.fullmatch(pattern, text) for text in texts)

    if not texts:
        return f"applies its rule to {it}"
    if every("g"):
        return f"passes {it} on as it is"
    if every("-g"):
        return f"changes the sign of {it}"
    if every("-?g"):
        return f"passes {it} on to one input as it is, to the other with its sign changed"
    if every(r"masked\(.*|.*where\(.*"):
        return f"passes {it} on where its mask is true, and 0 elsewhere"
    if split_name(node.name)[0] == "T":
        return "swaps rows and columns"
    if every(r"(reshape|transpose|permute|squeeze_dim)\(g.*"):
        return f"gives {it} the shape of its input, and changes no number"
    if every(r"(expand|_restore)\([^/]*"):
        return f"hands {it} to every element of its input"
    if every(r"(ops\.)?(expand|_restore)\(.*/ .*"):
        return f"shares {it} out evenly among the elements of its input"
    if every(r"-?g [*/] .*"):
        return f"multiplies {it} by its own slope" if len(texts) == 1 else f"multiplies {it} by the slope in each input"
    if any(re.search(MATRIX_PRODUCT, text) for text in texts):
        if "g" in texts:
            return f"passes {it} on to the bias; for each matrix it multiplies {it} by the other one, transposed"
        return f"multiplies {it} by the other matrix, transposed"
    return f"applies its rule to {it}"


def event_title(trace: Trace, event: Event, titles: list[Runs]) -> Runs:
    node = trace.nodes[event.node]
    name, label = title_of(node), called(node, "the leaf")
    if titles[event.node][-1][1].startswith(" ("):                          # one of two with the same name
        name = [name[0], titles[event.node][-1]]
    if event.kind == "forward":
        return [("v", name[0][1]), ("b", f" computes {called(node)}")]
    if event.kind == "loss":
        return [("v", called(node, "loss")), ("b", " = "), ("n", "")]
    if event.kind == "backward":
        return [("g", name[0][1]), *name[1:], ("b", " runs")]
    if event.kind == "accumulate":
        return [("g", f"{label}.grad"), ("b", " is written" if event.before is None else " grows")]
    if event.kind == "step":
        return [("b", "step() moves "), ("v", label)]
    return [("b", "zero_grad() clears "), ("g", f"{label}.grad")]


def event_sentence(trace: Trace, event: Event, titles: list[Runs], arrived: int, edges: list[Edge]) -> Runs:
    """What happened, in words. The node has the inputs `edges`, and `arrived` contributions had come to it."""
    node = trace.nodes[event.node]
    label = called(node, "the leaf")
    grad = ("c", f"{label}.grad")
    if event.kind == "forward":
        inputs = [(trace.nodes[edge.producer], short_title(titles[edge.producer])) for edge in edges]
        named = [[("v", called(n, "a constant" if n.kind == "constant" else f"the result of {short}"))] for n, short in inputs]
        kept = [[("v", shorten(s.label, 24))] if s.label else [("", "its result")] if s.name.startswith("result")
                else [("", "its argument "), ("c", s.name)] for s in node.saved]
        runs: Runs = [("", "Computed from "), *_list(named), ("", ".")] if named else [("", "Computed.")]
        return runs + ([("", " The node keeps "), *_list(kept), ("", " for its way back.")] if kept else [])
    if event.kind == "loss":
        return [("c", "backward()"), ("", " will start here.")]
    if event.kind == "backward":
        targets = [titles[trace.edges[i].producer] for i, _ in event.sent]
        if arrived > 1:
            where = [("", " at "), ("v", called(node))] if node.label else []
            count = COUNTS[arrived] if arrived < len(COUNTS) else str(arrived)
            runs = [("", f"{count} contributions met"), *where, ("", " and were "), ("b", "added"), ("", ".")]
        elif arrived:
            runs = [("", "One contribution arrived.")]
        else:
            runs = [("c", "backward()"), ("", " starts here, with 1.")]
        runs += [("", f" The node {_action(node, arrived > 1)}.")]
        runs += [("", " What comes out goes to "), *_list(targets), ("", ".")] if targets else []
        return runs + _sums(trace, event, titles)
    if event.kind == "accumulate":
        if event.before is None:
            return [("", "A leaf keeps what arrives. "), grad, ("", " was None and now holds the gradient.")]
        return [("", "A leaf keeps what arrives: the gradient is "), ("b", "added"), ("", " to what "), grad,
                ("", " holds.")]
    if event.kind == "step":
        return [("", "The optimizer reads "), grad, ("", " and changes "), ("v", label),
                ("", " in place. The graph has no part in it.")]
    after = "None" if event.after is None else "zero"
    return [grad, ("", f" is {after} again. Without this the next backward would add to it.")]


def _sums(trace: Trace, event: Event, titles: list[Runs]) -> Runs:
    """Which inputs were broadcast, so that what they are sent is a sum."""
    runs: Runs = []
    rules = [text for _, text in trace.nodes[event.node].rules]
    for i, sent in event.sent:
        edge = trace.edges[i]
        rule = rules[edge.slot] if edge.slot < len(rules) else ""
        along = _stretched(sent.shape, event.before.shape, rule)
        if along:
            runs += [("", " What "), *titles[edge.producer], ("", f" gets is summed over the {along} it was stretched to.")]
    return runs


def next_runs(trace: Trace, following: Event | None, titles: list[Runs], ready: int, empty: list[TraceNode]) -> Runs:
    """What comes next, and why it is its turn: `ready` nodes could run, the leaves `empty` hold no gradient yet."""
    if following is None:
        return [("", "Nothing: this is the last event.")]
    node = trace.nodes[following.node]
    if following.kind == "backward":
        several = f"of {ready} nodes that are ready the one recorded last."
        why = several if ready > 1 else "the only node that is ready."
        (style, name), *more = titles[following.node]
        runs = [(style, name[:1].upper() + name[1:]), *more, ("", ", " + why)]
        if not 0 < len(empty) <= 3:
            return runs
        leaves = _list([[("v", called(leaf, "a leaf"))] for leaf in empty])
        have = " still has " if len(empty) == 1 else " still have "
        return [*runs, ("q", " "), *leaves, ("q", have), ("c", ".grad = None"), ("q", ".")]
    if following.kind == "accumulate":
        return [("b", "AccumulateGrad"), ("", " of "), *title_of(node), ("", ", which runs as soon as it is ready.")]
    if following.kind == "forward":
        return [("b", split_name(node.name)[0]), ("", f" computes {called(node)}.")]
    then = {"loss": "backward() will start here.", "step": "step() moves it.", "zero_grad": "zero_grad() clears its .grad."}
    return [("v", called(node, "loss")), ("", f": {then[following.kind]}")]


def saved_sentence(node: TraceNode, index: int) -> str:
    saved = node.saved[index]
    value = np.asarray(saved.value)
    what = "its own result" if saved.name.startswith("result") else f"its argument {saved.name}"
    count = f"{value.size} number{'s' * (value.size != 1)}"
    return f"{what}, {count}, {value.nbytes} bytes."


def value_line(node: TraceNode, value, shape: tuple | None) -> str:
    """A box's second line: "p = 0.525", the number alone without a name, the shape where nothing was recorded."""
    if value is None:
        text = shape_text(shape) if shape is not None else "not recorded"
    else:
        text = tensor_text(value)
    return f"{shorten(node.label, 24)} = {text}" if node.label else text


