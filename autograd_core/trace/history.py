"""`follow(model, optimizer)` records what each training step did to each parameter;
`autograd_core.widgets.follow` draws pictures.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .arrivals import Arrivals, Loss
from .listing import kept_in, without_owner
from .measure import copied, measured, share_moved
from .rows import brief
from .sentences import FOLLOW
from .surprises import Surprise, Surprises, first_lines, in_sentences, missing

COLUMNS = "gradient", "share", "zeros", "nan", "inf"
LOGGED = Loss._fields
MOST_ROWS = 10
STILL = 1e-6  # share of a matrix: a step that moves all matrices by less has no effect
GROWING = 8  # consecutive steps at which the graph grows; fewer may be chance


def follow(model: Any, optimizer: Any) -> "History":
    """Record what each `optimizer.step()` does to each parameter of `model`. It works on both
    engines.

    The recording ends with `history.stop()`, or with the block of `with follow(...) as history:`.
    It doesn't change any number of the training. It keeps a copy of the trained parameters on their
    device, to measure how far a step moved them. The copy needs as much memory as the gradients. A
    step of large parameters takes 1.1 to 1.5 times as long on a CPU; this wasn't measured on a GPU.
    Raises TypeError if `model` isn't a module or `optimizer` isn't an optimizer, and ValueError if
    the optimizer moves none of the model's parameters.
    """
    return History(model, optimizer)


def places_without(parameters: Iterable[Any], optimizer: Any) -> set[int]:
    moved = {id(p) for group in optimizer.param_groups for p in group["params"]}
    return {place for place, p in enumerate(parameters) if id(p) not in moved}


class History:
    """The recording of `follow`. Each of the following is an array, steps × parameters in the order
    of `names`.

    gradient  the norm of `.grad` before the step; nan if there was no gradient
    share     how far the step moved the parameter: the norm of the change, divided by the norm of
              the parameter
    zeros     the fraction of the gradient's numbers that are 0
    nan, inf  how many of the gradient's numbers are nan and inf

    One number for each step, taken from the backward passes whose gradients the step used; nan if
    none is known, for example because a pass reaches no parameter of the model:

    loss      the loss; the sum of the losses if there were several passes
    nodes     how many nodes its graph had; nan for more than 20,000
    """

    def __init__(self, model: Any, optimizer: Any):
        known = hasattr(optimizer, "register_step_post_hook")
        if not hasattr(model, "named_parameters") or not known:
            kinds = f"{type(model).__name__} and {type(optimizer).__name__}"
            raise TypeError(f"follow() takes a module and an optimizer, not {kinds}")
        named = dict(model.named_parameters())
        self.names, self._parameters = tuple(named), tuple(named.values())
        self._left_out = places_without(self._parameters, optimizer)
        if len(self._left_out) == len(self.names):
            raise ValueError(
                "this optimizer moves none of the parameters of this model: was it made for another"
                " model, or before this model was copied?"
            )
        self._model, self._optimizer = model, optimizer
        self._rows: list[np.ndarray] = []
        self._surprises = Surprises(self.names)
        self._arrivals = Arrivals(self.names)
        # for each step: which parameters its optimizer holds, and whether a pass brought a gradient
        self._held_at, self._brought = list[np.ndarray](), list[bool]()
        self._losses = self._arrivals.losses
        self._loss_at: dict[int, Loss] = {}  # step -> its loss, if it is known
        mine = set(map(id, self._parameters))
        kept = [each for each in kept_in(type(model).__name__, model) if id(each[2]) not in mine]
        self._kept = {id(leaf): (name, how) for name, how, leaf in kept}
        self._lost: list[Surprise] = []  # leaves of the first graph that no module registers
        # (path, BatchNorm, its running mean and the version of its weight at the start)
        self._norms = [
            (path, module, copied(module.running_mean), module.weight._version)
            for path, module in model.named_modules()
            if "BatchNorm" in type(module).__name__ and module.weight is not None
            if module.running_mean is not None
        ]
        # copies of the parameters
        self._before = {n: copied(p) for n, p in enumerate(self._parameters) if p.requires_grad}
        self._arrivals.hook(self._parameters)
        self._handles = [
            optimizer.register_step_pre_hook(self._step_begins),
            optimizer.register_step_post_hook(self._step_ended),
        ]

    # ---- while it trains -------------------------------------------------------------------------

    def _step_begins(self, _: Any, args: Any, options: Any) -> None:
        self._arrivals.hook(self._parameters)
        left_out = places_without(self._parameters, self._optimizer)
        self._held = np.array([place not in left_out for place in range(len(self.names))])
        with_closure = options.get("closure") or len(args) > 1 and args[1]
        for place, p in enumerate(self._parameters):
            if self._held[place] and (with_closure or p.grad is not None):
                self._left_out.discard(place)
                self._before[place] = copied(p, self._before.get(place))
            elif place in self._left_out and p.requires_grad:
                if not len(self) or place not in self._before:
                    self._before[place] = copied(p, self._before.get(place))
                elif share_moved(self._before[place], p):  # another optimizer moves it
                    self._left_out.remove(place)
        self._sizes = None if with_closure else self._measured()

    def _measured(self) -> list[tuple[float, float, int, int] | None]:
        return [None if p.grad is None else measured(p.grad) for p in self._parameters]

    def _step_ended(self, *_: Any) -> None:
        sizes = self._measured() if self._sizes is None else self._sizes
        row = np.full((len(self.names), len(COLUMNS)), (np.nan, 0.0, 0.0, 0.0, 0.0))
        for place, size in enumerate(sizes):
            if size is not None:
                moves = self._held[place] and place in self._before
                share = share_moved(self._before[place], self._parameters[place]) if moves else 0.0
                row[place] = size[0], share, *size[1:]
        used = self._losses.take()
        if used is not None and any(sizes):  # else the gradients were cleared before the step
            self._loss_at[len(self)] = used
        self._rows.append(row)
        step, (gradient, shares, _zeros, nan, inf) = len(self) - 1, row.T
        is_matrix = np.array([len(p.shape) > 1 for p in self._parameters])
        told = np.where(is_matrix | ~np.isfinite(shares), shares, 0.0)
        self._surprises.see(gradient, nan, inf, told)
        frozen = np.array([p.grad is None and not p.requires_grad for p in self._parameters])
        held = self._held & ~frozen
        self._held_at.append(held)
        self._brought.append(self._arrivals.brought(self._held))
        self._arrivals.step_ended(step, held, gradient, self._parameters)
        if not step:
            self._lost += self._unregistered()

    def stop(self) -> None:
        """Stop recording, and remove all hooks."""
        for handle in self._handles:
            handle.remove()
        self._arrivals.stop()
        self._handles, self._before = [], {}

    def __enter__(self) -> "History":
        return self

    def __exit__(self, *error: Any) -> None:
        self.stop()

    # ---- results ---------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._rows)

    def __getattr__(self, name: str) -> np.ndarray:
        if name in LOGGED:
            known = (self._loss_at.get(step) for step in range(len(self)))
            return np.array([np.nan if x is None else getattr(x, name) for x in known], float)
        if name not in COLUMNS:
            raise AttributeError(f"a history has {', '.join((*COLUMNS, *LOGGED))}, not {name!r}")
        rows = np.array(self._rows).reshape(len(self._rows), len(self.names), len(COLUMNS))
        return np.asarray(rows[:, :, COLUMNS.index(name)])

    def surprises(self) -> list[tuple[int, str]]:
        """(step, sentence) of each surprise (see `FOLLOW` for the kinds), in order. The step is the
        one that caused the surprise, even if the effect shows later.
        """
        return [(found.step, f"{found.name}: {found.text}") for found in self._found()]

    def sentences(self) -> list[tuple[int, str]]:
        """As `surprises()`, but if more than three parameters have the same surprise at one step,
        the sentence names only the first parameter.
        """
        return in_sentences(self._found())

    def _found(self) -> list[Surprise]:
        found = [*self._surprises.found, *self._lost]
        if len(self):
            there = ~np.isnan(self.gradient) | (self.nan > 0)
            found += missing(self.names, np.array(self._held_at), there, np.array(self._brought))
        if len(self) > 1:  # no optimizer uses a parameter that the second step didn't move either
            found += [*self._unused(), *self._idle(), *self._drifting()]
        found += [*self._arrivals.reused.values(), *self._growing()]
        return sorted(found, key=lambda surprise: surprise.step)

    def _unused(self) -> Iterator[Surprise]:
        """The parameters that have a gradient and that no step moves."""
        for place in sorted(self._left_out):
            steps = np.flatnonzero(self.gradient[:, place] > 0)
            if steps.size:
                yield Surprise(int(steps[0]), self.names[place], "unused", FOLLOW["unused"])

    def _unregistered(self) -> Iterator[Surprise]:
        """The leaves of the first graph that the model keeps, or no module has, unregistered."""
        mine, leaves = set(map(id, self._parameters)), (each() for each in self._losses.leaves)
        rest = {id(x): x for x in leaves if x is not None and id(x) not in mine}
        apart = without_owner((x for key, x in rest.items() if key not in self._kept), mine)
        names = dict.fromkeys(map(id, apart), ("a Parameter", "")) | self._kept
        for name, how in (names[key] for key in names if key in rest):
            yield Surprise(0, name, "unregistered", FOLLOW["unregistered"].format(how=how))

    def _idle(self) -> Iterator[Surprise]:
        """The weight matrices, if each step moves each of them by almost nothing."""
        matrices = {place for place, p in enumerate(self._parameters) if len(p.shape) > 1}
        held = sorted(
            matrices.intersection(np.flatnonzero((self.gradient > 0).any(0))) - self._left_out
        )
        if held and (most := self.share[:, held].max()) < STILL:
            text = FOLLOW["idle"].format(share=brief(most), steps=len(self))
            yield Surprise(0, "all weight matrices", "idle", text)

    def _drifting(self) -> Iterator[Surprise]:
        """The BatchNorms that are frozen, but whose running statistics have changed."""
        for path, module, mean, version in self._norms:
            still = not module.weight.requires_grad and module.weight._version == version
            if still and share_moved(mean, module.running_mean):
                name = f"{type(module).__name__} {path}"
                yield Surprise(0, name, "buffers", FOLLOW["buffers"])

    def _growing(self) -> Iterator[Surprise]:
        nodes = self.nodes
        grows = np.diff(nodes) > 0
        for step in range(GROWING, len(nodes)):
            if grows[step - GROWING : step].all():
                text = FOLLOW["grows"].format(nodes=nodes[step])
                yield Surprise(step, "the graph", "grows", text)
                return

    def __repr__(self) -> str:
        surprises = self.sentences()
        end = ":" if surprises else "; no surprise"
        head = f"{len(self)} steps of {len(self.names)} parameters{end}"
        return "\n".join([head, *first_lines(surprises, MOST_ROWS)])
