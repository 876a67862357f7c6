"""The verdicts on a model: which parameters are trained, frozen or cut off, and where gradients
vanish or explode. They use only summaries, so they don't depend on which arrays were kept. If
something isn't known, the verdict is "cannot tell".
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from .data import Edge, Parameter, Trace
from .flow import FADED, Flow, is_zero
from .names import leaf_names
from .nodes import walk
from .sentences import WHY
from .summary import Summary, summary_of
from .values import Values

EXPLODED = 1e4  # times the norm of the layer's weights, or 1 if that is larger
FEWEST_VANISHED = 2  # layers


@dataclass(frozen=True)
class ParameterStatus:
    """The `status` of a parameter:

    trained       this backward pass brought a finite gradient that is larger than rounding errors
    nan           it brought a gradient that contains nan or inf
    only rounding it brought a gradient that is 0 except for rounding errors
    zero          it brought a gradient that is 0 everywhere
    cut           the path to the loss ends at a known place, or an operation sent no gradient
    unused        no recorded operation used it, or no recorded path leads from its uses to the loss
    unregistered  it got a gradient, and no model has it
    frozen        it has requires_grad=False
    cannot tell   no backward pass is known, or the end of the path wasn't recorded

    `origins` are the nodes where the gradient first became 0 or only rounding, or that sent none.
    `waits` is the name of a parameter that is close to 0 and moves, if the gradient is multiplied by
    this parameter at all `origins`.
    """

    parameter: Parameter
    status: str
    reason: str = ""
    gradient: Summary | None = None
    origins: tuple[int, ...] = ()
    waits: str = ""


class Layer(NamedTuple):
    """A module's own parameters: the largest norm of their gradients, the largest norm of the
    parameters, and whether every path to them leads through a gate (see `Flow.gate`).
    """

    path: str
    norm: float
    size: float
    gated: bool
    first: int  # the operation that uses it first


def short_names(parameters: Collection[Parameter]) -> dict[str, str]:
    """{name: name without the variable of the model}, if all parameters belong to one model."""
    models = {parameter.model for parameter in parameters}
    redundant = f"{models.pop()}." if len(models) == 1 and len(parameters) > 1 else ""
    return {p.name: p.name.removeprefix(redundant) for p in parameters}


def parameters_in(trace: Trace) -> tuple[Parameter, ...]:
    """The parameters of a trace, or its leaves if it lists no parameters."""
    return trace.parameters or tuple(_leaves(trace))


def _leaves(trace: Trace) -> Iterator[Parameter]:
    leaves = {i: node for i, node in enumerate(trace.nodes) if node.kind in ("leaf", "frozen")}
    names = leaf_names([i for i, node in leaves.items() if not node.label])
    for i, node in leaves.items():
        why = (WHY["frozen"], "frozen") if node.kind == "frozen" else ()
        yield Parameter(node.label or names[i], node.shape or (), i, *why)


class Verdicts:
    def __init__(self, trace: Trace):
        self.trace, self.flow, self.values = trace, Flow(trace), Values(trace)
        self.parameters = parameters_in(trace)
        self.names = short_names(self.parameters)

    @cached_property
    def statuses(self) -> tuple[ParameterStatus, ...]:
        return tuple(map(self._status_of, self.parameters))

    def having(self, *statuses: str) -> list[ParameterStatus]:
        return [each for each in self.statuses if each.status in statuses]

    def _status_of(self, parameter: Parameter) -> ParameterStatus:
        node, flow = parameter.node, self.flow
        if parameter.ending:
            return ParameterStatus(parameter, parameter.ending, parameter.reason)
        if not flow.known or node is None:
            return ParameterStatus(parameter, "cannot tell", WHY["cannot tell, no pass"])
        gradient = flow.gradients.get(node)
        if gradient is None:
            silent = tuple(flow.silent(node))
            status = "cut" if silent else "cannot tell"
            return ParameterStatus(parameter, status, WHY["cut, not sent"], origins=silent)
        if is_zero(gradient):
            origins = flow.zero_from[node]
            gates = ["" if edge is None else flow.gate(edge) for edge in origins.values()]
            waits = gates[0] if gates and all(gates) else ""
            return ParameterStatus(parameter, "zero", WHY["zero"], gradient, (*origins,), waits)
        if not gradient.finite:
            return ParameterStatus(parameter, "nan", WHY["nan"], gradient)
        if node in self.trace.rounding:
            begun = tuple(origin.node for origin in self.trace.rounding[node])
            return ParameterStatus(parameter, "only rounding", WHY["rounding"], gradient, begun)
        if parameter.loose:
            return ParameterStatus(parameter, "unregistered", parameter.loose, gradient)
        return ParameterStatus(parameter, "trained", "", gradient)

    @cached_property
    def frozen(self) -> set[int]:
        """The operations that pass no gradient only because all parameters before them are frozen."""
        found: set[int] = set()

        def only_frozen(edge: Edge) -> bool:
            kind, uncut = self.trace.nodes[edge.producer].kind, ("", "requires_grad=False")
            return edge.cut in uncut and (edge.producer in found or kind in ("frozen", "constant"))

        for number, node in enumerate(self.trace.nodes):
            before = self.trace.inputs.get(number)
            if node.kind == "severed" and before and all(map(only_frozen, before.values())):
                found.add(number)
        return found

    @cached_property
    def _measured(self) -> list[tuple[Parameter, int, float]]:
        """(parameter, its node, its gradient's norm) of parameters that got a finite gradient."""
        return [
            (each.parameter, each.parameter.node, each.gradient.norm)
            for each in self.statuses
            if each.gradient and each.gradient.finite and each.parameter.node is not None
        ]

    @cached_property
    def range(self) -> tuple[float, float] | None:
        """The smallest and the largest norm among the finite gradients of parameters, or None."""
        norms = [norm for _, _, norm in self._measured]
        return (min(norms), max(norms)) if norms else None

    @cached_property
    def layers(self) -> list[Layer]:
        """The layers in order of use. A parameter of an unknown module is its own layer, and so is
        each parameter in a ParameterList.
        """
        kinds = dict(self.trace.modules)
        parts = defaultdict[str, list[tuple[int, float, float, bool]]](list)
        for parameter, node, norm in self._measured:
            owner, _, last = parameter.name.rpartition(".")
            alone = kinds.get(owner, "Parameter").startswith("Parameter")
            path = self.names[parameter.name]
            path = path if alone else path.removesuffix(last).removesuffix(".")
            value = self.trace.nodes[node].value
            size = 0.0 if value is None else summary_of(value).norm
            parts[path].append((self._user_of(node), norm, size, node not in self.flow.ungated))
        layers = []
        for path, rows in sorted(parts.items(), key=lambda item: min(item[1])):
            firsts, norms, sizes, gated = zip(*rows)
            layers.append(Layer(path, max(norms), max(sizes), all(gated), min(firsts)))
        return layers

    def _user_of(self, node: int) -> int:
        """The first operation that combines a leaf with other inputs, like a transpose doesn't."""
        takers = self.trace.outputs
        while node in self.flow.leaf_of and node in takers:
            node = min(edge.consumer for edge in takers[node].values())
        return node

    @cached_property
    def vanishing(self) -> str:
        """The layer whose earlier layers (nearer to the input) have vanishing gradients, or ""."""
        layers = [layer for layer in self.layers if not layer.gated]
        nearest = next((layer.norm for layer in reversed(layers) if layer.norm), 0.0)
        alive = [place for place, layer in enumerate(layers) if layer.norm > FADED * nearest]
        if not alive or alive[0] < FEWEST_VANISHED:
            return ""
        turn, inputs = layers[alive[0]], self.trace.inputs
        leads_to = {
            *walk(turn.first, below=lambda n: (e.producer for e in inputs.get(n, {}).values()))
        }
        below = [layer for layer in layers[: alive[0]] if layer.first in leads_to]
        return turn.path if len(below) >= FEWEST_VANISHED else ""

    @cached_property
    def exploding_layers(self) -> list[str]:
        """The layers whose gradient norm is over 10,000 times their weights' norm, in order of use."""
        return [layer.path for layer in self.layers if layer.norm > EXPLODED * max(1.0, layer.size)]

    @property
    def exploding(self) -> str:
        layers = self.exploding_layers
        return " to ".join(dict.fromkeys([*layers[:1], *layers[-1:]]))
