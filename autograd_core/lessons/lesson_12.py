"""Lesson 12: the race of optimizers, one's own rules against theirs, and momentum by hand."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..widgets.kit.format import number
from .datasets import BOWL, RAVINE, ROSENBROCK
from .engines import ENGINES
from .widgets.race import race as Race
from .widgets.table import table

__all__ = ["compare", "race", "table", "you_step"]

STEPS = 150
RATES = {"SGD": 0.128, "momentum": 0.0453, "RMSprop": 0.064, "Adam": 0.256}
"""The best learning rates in the ravine: of 0.001 · 2^(k/2) those with the lowest mean loss of 150
steps."""


def race() -> Race:
    """The race of four optimizers with PyTorch's defaults in the ravine."""
    return Race(
        *map(walks, ENGINES),
        surface=RAVINE,
        rates=RATES,
        step=1,
        words={"scale": "loss ×"},
        scale=["1", "2", "100"],
    )


def walks(T: Any) -> Callable[..., dict[str, list[dict[str, Any]]]]:
    """The `run` of the race on one engine."""

    def run(
        height: Callable[[Any, Any], Any],
        start: tuple[float, float],
        lr: float | dict[str, float],
        scale: str = "1",
    ) -> dict[str, list[dict[str, Any]]]:
        optim = T.optim
        kinds: dict[str, tuple[Any, dict[str, Any]]] = {
            "SGD": (optim.SGD, {}),
            "momentum": (optim.SGD, {"momentum": 0.9}),
            "RMSprop": (optim.RMSprop, {}),
            "Adam": (optim.Adam, {}),
        }
        rates = lr if isinstance(lr, dict) else dict.fromkeys(kinds, lr)
        places = [T.tensor(start, dtype=T.float64, requires_grad=True) for _ in kinds]
        optimizers = [
            make([place], lr=rates[name], **options)
            for place, (name, (make, options)) in zip(places, kinds.items())
        ]
        seen: dict[str, list[dict[str, Any]]] = {name: [] for name in kinds}
        for _ in range(STEPS + 1):
            losses = height(*T.stack(places).T)
            (float(scale) * losses).sum().backward()
            for name, place, optimizer, loss in zip(kinds, places, optimizers, losses):
                row = {"position": place.tolist(), ".grad": place.grad.tolist()}
                seen[name].append({**row, "loss": loss.item(), **buffers(optimizer, place)})
                optimizer.step()
                optimizer.zero_grad()
        return seen

    return run


def buffers(optimizer: Any, place: Any) -> dict[str, list[float]]:
    """{name: buffer} of the optimizer for one parameter, without the number of steps."""
    kept = optimizer.state[place].items()
    return {name: each.tolist() for name, each in kept if getattr(each, "ndim", 0)}


RUNS: list[tuple[str, str, dict[str, float]]] = [
    ("sgd", "SGD", {}),
    ("sgd", "SGD", {"momentum": 0.9}),
    ("sgd", "SGD", {"momentum": 0.9, "weight_decay": 0.1}),
    ("rmsprop", "RMSprop", {}),
    ("adam", "Adam", {}),
    ("adam", "Adam", {"weight_decay": 0.1}),
    ("adamw", "AdamW", {"weight_decay": 0.1}),
]
LR = 0.02
CLOSE = 1e-12


def compare(*rules: Callable[..., Any], on_torch: Sequence[Callable[..., Any]]) -> table:
    """Compare rules with the optimizers of `torch.optim`, on each engine with its own: the weights
    and the buffers after each of 300 steps in Rosenbrock's valley. A rule has the optimizer's name
    in small letters."""
    sides = [*zip(ENGINES, ({rule.__name__: rule for rule in each} for each in (rules, on_torch)))]
    rows = {}
    for rule, name, options in RUNS:
        given = ", ".join(f"{key}={value}" for key, value in options.items())
        (kept, ours), (_, theirs) = (_gap(T, own[rule], name, options) for T, own in sides)
        said = ours if ours == theirs else f"autograd_core: {ours}; PyTorch: {theirs}"
        rows[f"`{name}({given})`"] = [f"`{rule}`", ", ".join(kept) or "–", said]
    return table(
        rows, ["optimizer", "rule", "memory after step 1", "largest difference in 300 steps"]
    )


def _gap(
    T: Any, rule: Callable[..., Any], name: str, options: Mapping[str, float]
) -> tuple[list[str], str]:
    """An optimizer's buffers after its first step, as multiples of the gradient `g` or of `g` plus
    the decay; and a sentence on how far a rule is from the optimizer in 300 steps."""
    p = T.tensor(ROSENBROCK.start, dtype=T.float64, requires_grad=True)
    w, optimizer = p.detach().clone(), getattr(T.optim, name)([p], lr=LR, **options)
    state: dict[str, Any] = {}
    kept, said = [], ""
    for step in range(1, 301):
        optimizer.zero_grad()
        ROSENBROCK.height(*p).backward()
        before = p.detach().clone()
        optimizer.step()
        if step == 1:
            decay = 0.0 if name == "AdamW" else options.get("weight_decay", 0.0)
            g = p.grad + decay * before
            added = f"(g + {number(decay)} w)" if decay else "g"
            for key, buffer in buffers(optimizer, p).items():
                base, unit = (g**2, f"{added}²") if "sq" in key else (g, added)
                part = round(buffer[0] / base[0].item(), 9)
                kept.append(f"{key} = {unit if part == 1 else f'{number(part)} {unit}'}")
        if said:
            continue
        try:
            w_before, w = w, rule(w, p.grad, state, lr=LR, **options)
            pairs = [
                (w, p),
                *((state[key], optimizer.state[p][key]) for key in buffers(optimizer, p)),
            ]
            far = max((ours - theirs).abs().max().item() for ours, theirs in pairs)
        except Exception as error:
            said = f"raises {type(error).__name__}: {error}"
            continue
        if not far < CLOSE:
            moves = ((w, w_before), (p, before))
            yours, its = (abs((new[0] - old[0]).item()) for new, old in moves)
            said = f"differs from step {step} on: yours moved x by {yours:.4f}, {name} by {its:.4f}"
            if its and (times := number(yours / its)) != "1":
                said += f", {times} times as far"
    return kept, said or "below 1e−12"


def you_step() -> Race:
    """Momentum on the surface `BOWL`. The learner marks its next steps on the map."""

    def only_momentum(T: Any) -> Callable[..., dict[str, list[dict[str, Any]]]]:
        run = walks(T)
        return lambda **settings: {"momentum": run(lr=0.3, **settings)["momentum"][:21]}

    return Race(
        *map(only_momentum, ENGINES),
        surface=BOWL,
        title="You step: momentum 0.9, lr 0.3",
        step=4,
        by_hand=True,
    )
