"""The verdicts on a model: which parameters are trained, frozen or cut off. They use only summaries,
so they don't depend on which arrays were kept. If something isn't known, the verdict is "cannot
tell".
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from .data import Edge, Parameter, Trace
from .flow import Flow, is_zero
from .names import leaf_names
from .sentences import WHY
from .summary import Summary
from .values import Values


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
    def range(self) -> tuple[float, float] | None:
        """The smallest and the largest norm among the finite gradients of parameters, or None."""
        found = (each.gradient for each in self.statuses if each.gradient)
        norms = [gradient.norm for gradient in found if gradient.finite]
        return (min(norms), max(norms)) if norms else None
