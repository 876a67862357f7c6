"""The backward rules of a node in text: as formulas, and in words.

A text is a list of runs, as `describe` explains.
"""

import re
from functools import cache

from ...trace import Trace, TraceNode
from ..kit.format import shorten

Run = tuple[str, str]
Runs = list[Run]

MATRIX_PRODUCT = r"@|\b(mm|mv|bmm)\("
# characters of a rule that is shown as a formula; in a sentence
LONGEST_RULE, LONGEST_IN_WORDS = 80, 40
LONGEST_ON_EDGE = 26  # characters of a rule next to a number that moves along an edge
IN_FULL = 3  # elements of a tensor that a sentence shows
ELEMENTARY = {"sin", "cos", "exp", "log", "sqrt", "sign", "tanh"}
# the form of all rules of a node -> what the node does
ACTIONS = {
    r"g": "passes {it} on unchanged",
    r"-g": "changes the sign of {it}",
    r"-?g": "passes {it} to one input unchanged, and to the other with its sign changed",
    r"masked\(.*|.*where\(.*": "passes {it} on where its mask is true, and sends 0 elsewhere",
    r"(reshape|transpose|permute|squeeze_dim)\(g.*": (
        "gives {it} the shape of its input, without changing a number"
    ),
    r"(expand|_restore)\([^/]*": "sends {it} to every element of its input",
    r"(ops\.)?(expand|_restore)\(.*/ .*": ("divides {it} equally among the elements of its input"),
}
SIGNS = {"*": "·", "-": "−", "**": "^"}


@cache
def split_name(name: str) -> tuple[str, str]:
    """ "SigmoidBackward0" as "Sigmoid" and "Backward0"."""
    match = re.fullmatch(r"(.+?)(Backward\d*)", name)
    return match.groups() if match else (name, "")


def called(node: TraceNode, fallback: str = "its result") -> str:
    return shorten(node.label, 24) or fallback


def join(items: list[Runs]) -> Runs:
    """Runs joined as in a sentence: a, b and c."""
    out: Runs = []
    for i, item in enumerate(items):
        out += [("", "" if i == 0 else " and " if i == len(items) - 1 else ", "), *item]
    return [run for run in out if run[1]]


def fill(text: str, *parts: Runs | Run | str) -> Runs:
    """Replace each {} in `text` by one of `parts`, in order."""
    first, *others = text.split("{}")
    runs: Runs = [("", first)]
    for part, plain in zip(parts, others, strict=True):
        if isinstance(part, str):
            part = "", part
        runs += [*(part if isinstance(part, list) else [part]), ("", plain)]
    found: Runs = []
    for style, words in runs:
        if found and (found[-1][0], style) == ("", ""):
            words = found.pop()[1] + words
        if words:
            found.append((style, words))
    return found


def stretched(small: tuple | None, large: tuple | None, rule: str) -> str:
    """The word for the axes along which an input of shape `small` was broadcast to `large`; "" if it
    wasn't.

    The gradient is summed along them. The text of `rule`, the rule for this input, doesn't mention
    the sum. A matrix product is no broadcast, although the shapes differ.
    """
    if (
        small is None
        or large is None
        or small == large
        or len(small) > len(large)
        or re.search(MATRIX_PRODUCT, rule)
    ):
        return ""
    padded = (1,) * (len(large) - len(small)) + tuple(small)
    axes = [axis for axis, (a, b) in enumerate(zip(padded, large)) if a != b]
    if not axes or any(padded[axis] != 1 for axis in axes):
        return ""
    if len(large) == 2 and len(axes) == 1:
        return ("rows", "columns")[axes[0]]
    return "elements" if all(size == 1 for size in padded) else "axes"


class _Rules:
    """The rules of node `index`, and the names of the tensors that they use."""

    def __init__(self, trace: Trace, index: int):
        self.node, edges = trace.nodes[index], [*trace.inputs.get(index, {}).values()]
        rules = self.node.rules
        self.slots = list(range(len(rules)))
        # inputs without a rule come first
        if edges and edges[-1].slot >= len(rules):
            self.slots = [edge.slot for edge in edges[len(edges) - len(rules) :]]
        self.producers = {edge.slot: edge.producer for edge in edges}
        self.of = called(self.node, "result")
        # the name of each argument in the text, and the node that made it
        self.names, self.places = {"result": self.of}, {"result": index}
        for (name, _), slot in zip(rules, self.slots):
            if slot in self.producers:
                self.places[name] = self.producers[slot]
                self.names[name] = called(trace.nodes[self.producers[slot]], name)
        self.names |= {
            saved.name: shorten(saved.label, 24) or saved.name for saved in self.node.saved
        }
        self.names["result"] = self.of

    def formula(self, text: str, g: str) -> Runs:
        """`text`, a rule as code, with the learner's names and mathematical signs; the gradient is
        called `g`.

        A rule that is too long for a line, or that calls a private function, is written as a
        function f of its tensors.
        """
        tokens = _tokens(text)
        if len(text) > LONGEST_RULE or any(token.startswith("_") for token in tokens):
            needs = {token.split(".")[0] for token in tokens}
            needed = [name for name in self.names if name in needs] or [
                saved.name for saved in self.node.saved
            ]
            tokens = re.findall(r"\w+|.", f"f({', '.join(['g', *needed])})")
        runs: Runs = []
        for token in tokens:
            plain = token.removeprefix("ops.").removesuffix(".T")
            transposed = "ᵀ" * token.endswith(".T")
            if plain == "g":
                runs.append(("b", g + transposed))
            elif plain in self.names:
                runs.append(("v", self.names[plain] + transposed))
            else:
                runs.append(("", SIGNS.get(plain, plain)))
        return runs


def _tokens(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_][\w.]*|\d[\d.e]*|\s+|\*\*|.", text)


def rule_runs(trace: Trace, index: int, root: str) -> list[Runs]:
    """Each rule of node `index` as a formula. `root` is the tensor that is differentiated.

    ("input", "g * other") becomes "∂loss/∂a = ∂loss/∂u · b" where `u = a * b`.
    """
    rules, lines = _Rules(trace, index), []
    for (name, text), slot in zip(rules.node.rules, rules.slots):
        producer = trace.nodes[rules.producers[slot]] if slot in rules.producers else None
        if producer is not None and producer.kind not in ("operation", "leaf"):
            continue
        runs = [
            ("b", f"∂{root}/∂{rules.names.get(name, name)}"),
            ("", " = "),
            *rules.formula(text, f"∂{root}/∂{rules.of}"),
        ]
        if producer is not None and (along := stretched(producer.shape, rules.node.shape, text)):
            runs.append(("q", f", summed over its {along}"))
        lines.append(runs)
    return lines


def edge_rules(trace: Trace, index: int) -> dict[int, str]:
    """{slot: the rule for the gradient of this input, short enough for a place next to a number}

    "× p · (1 − p)" for "g * p * (1 - p)", "× 1" if the gradient is passed on, and the rule itself,
    "xᵀ @ g", if it isn't a product."""
    rules, short = _Rules(trace, index), {}
    for (_, text), slot in zip(rules.node.rules, rules.slots):
        product = re.fullmatch(r"(-?)g *(?:([*/]) *(.+))?", text)
        if product and not product[2]:
            found = f"× {'−' * bool(product[1])}1"
        elif product:
            factor = "".join(part for _, part in rules.formula(product[3], "g"))
            found = f"{'×' if product[2] == '*' else '÷'} {'−' * bool(product[1])}{factor}"
        else:
            found = "".join(part for _, part in rules.formula(text, "g"))
        short[slot] = found if len(found) <= LONGEST_ON_EDGE else "its rule"
    return short


def rules_in_words(trace: Trace, index: int, sent: list[int]) -> list[Runs] | None:
    """For each edge that was sent a gradient "Its rule is g · b; b was saved as −1". None if that
    helps little: a rule isn't a plain formula, all rules pass the gradient on, or a rule needs
    a tensor with many numbers or one that isn't in the graph.
    """
    rules, described = _Rules(trace, index), []
    by_slot = dict(zip(rules.slots, rules.node.rules))
    wanted = [by_slot.get(trace.edges[edge].slot) for edge in sent]
    if None in wanted or all(text in ("g", "-g") for _, text in wanted):
        return None
    kept = {saved.name: saved.value for saved in rules.node.saved}
    targets = [rules.names.get(name, name) for name, _ in wanted]
    for (name, text), edge in zip(wanted, sent):
        tokens = _tokens(text)
        words = {token.removeprefix("ops.") for token in tokens if re.match(r"[A-Za-z_]", token)}
        needed = [each for each in rules.places if each in words]
        unknown = words - {"g", *needed} - ELEMENTARY or any(each not in kept for each in needed)
        if len(text) > LONGEST_IN_WORDS or unknown:
            return None
        if any(kept[each] is None or kept[each].size > IN_FULL for each in needed):
            return None
        target = rules.names.get(name, name)
        target = target if targets.count(target) == 1 else f"input {trace.edges[edge].slot}"
        formula = rules.formula(text, "g")
        runs = (
            fill("Its rule is {}", formula)
            if len(sent) == 1
            else fill("For {} its rule is {}", ("v", target), formula)
        )
        saved = [
            fill(
                "{} was saved as {}",
                ("v", rules.names[each]),
                ("nv", f"value {rules.places[each]}"),
            )
            for each in needed
        ]
        described.append(runs + (fill("; {}", join(saved)) if saved else []))
    return described


def action_of(node: TraceNode, several: bool) -> str:
    """A clause that says what the node does with its gradient, according to its rules."""
    it = "the sum" if several else "it"
    texts = [text for _, text in node.rules]
    if not texts:
        return f"applies its rule to {it}"
    if split_name(node.name)[0] == "T":
        return "swaps rows and columns"
    for pattern, action in ACTIONS.items():
        if all(re.fullmatch(pattern, text) for text in texts):
            return action.format(it=it)
    if all(re.fullmatch(r"-?g [*/] .*", text) for text in texts):
        slope = "its own slope" if len(texts) == 1 else "the slope in each input"
        return f"multiplies {it} by {slope}"
    if not any(re.search(MATRIX_PRODUCT, text) for text in texts):
        return f"applies its rule to {it}"
    if "g" in texts:
        return (
            f"passes {it} on to the bias. For each matrix, it multiplies {it} by the transpose of"
            " the other matrix"
        )
    return f"multiplies {it} by the transpose of the other matrix"
