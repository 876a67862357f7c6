"""Learning rate schedulers against PyTorch: the rates of every epoch, the state after each."""

import copy
import warnings

import numpy as np
import pytest

from tests.engines import ENGINES, on_both, raised

EPOCHS = 40


def halves(epoch):
    return 0.5**epoch


class Ramp:
    """A callable with a state of its own."""

    def __init__(self, slope):
        self.slope = slope

    def __call__(self, epoch):
        return self.slope * epoch


SCHEDULERS = [
    ("StepLR", {"step_size": 7}),
    ("StepLR", {"step_size": 1, "gamma": 0.97}),
    ("MultiStepLR", {"milestones": [3, 3, 10, 31], "gamma": 0.3}),
    ("ExponentialLR", {"gamma": 0.9}),
    ("CosineAnnealingLR", {"T_max": 10}),
    ("CosineAnnealingLR", {"T_max": 13, "eta_min": 0.01}),
    ("CosineAnnealingLR", {"T_max": 100, "eta_min": 0.5}),
    ("LambdaLR", {"lr_lambda": halves}),
    ("LambdaLR", {"lr_lambda": [halves, Ramp(0.3)]}),
]
CASES = [
    pytest.param(name, options, id=f"{name} {' '.join(options)} {i}")
    for i, (name, options) in enumerate(SCHEDULERS)
]


def optimizer_of(T, **options):
    """An optimizer with two groups, lr 0.1 and 0.7, that has gradients."""
    a, b = (T.tensor([float(i)], requires_grad=True) for i in (1, 2))
    a.grad, b.grad = T.ones(1), T.ones(1)
    return T.optim.SGD([{"params": [a], **options}, {"params": [b], "lr": 0.7}], lr=0.1)


def epochs(optimizer, *schedulers, count=EPOCHS):
    """The rates after each of `count` epochs, as the scheduler tells them and as the optimizer has
    them.
    """
    for _ in range(count):
        optimizer.step()
        for scheduler in schedulers:
            scheduler.step()
        yield (
            [s.get_last_lr() for s in schedulers],
            [g["lr"] for g in optimizer.param_groups],
            [s.last_epoch for s in schedulers],
        )


def state_of(scheduler):
    """Its `state_dict`, but for PyTorch's mark that `get_lr` was called by `step`: what it is for,
    a warning, we lack.
    """
    return {
        name: value
        for name, value in scheduler.state_dict().items()
        if name != "_get_lr_called_within_step"
    }


@pytest.mark.parametrize("name, options", CASES)
def test_every_epoch(name, options):
    runs = []
    for T in ENGINES:
        optimizer = optimizer_of(T)
        scheduler = getattr(T.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(options))
        start = [g["lr"] for g in optimizer.param_groups], state_of(scheduler)
        runs.append(
            (
                start,
                [(*rates, state_of(scheduler)) for rates in epochs(optimizer, scheduler)],
                optimizer.state_dict()["param_groups"],
            )
        )
    assert runs[0] == runs[1]  # to the last bit
    assert list(runs[0][0][1]) == list(runs[1][0][1])


@pytest.mark.parametrize("names", [(0, 3), (4, 7), (2, 5, 3), (7, 3), (3, 7)])
def test_several_in_a_chain(names):
    runs = []
    for T in ENGINES:
        optimizer = optimizer_of(T)
        chain = [
            getattr(T.optim.lr_scheduler, SCHEDULERS[i][0])(optimizer, **SCHEDULERS[i][1])
            for i in names
        ]
        runs.append(list(epochs(optimizer, *chain)))
    assert runs[0] == runs[1]


@pytest.mark.parametrize("name, options", CASES)
def test_resuming(name, options):
    """State from one engine, loaded into the other; and a scheduler begun at a later epoch."""
    states, ends = {}, []
    for T in ENGINES:
        optimizer = optimizer_of(T)
        scheduler = getattr(T.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(options))
        list(epochs(optimizer, scheduler, count=5))
        states[T] = copy.deepcopy(scheduler.state_dict()), [g["lr"] for g in optimizer.param_groups]
    for T, other in zip(ENGINES, reversed(ENGINES)):
        optimizer = optimizer_of(T)
        scheduler = getattr(T.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(options))
        scheduler.load_state_dict(states[other][0])
        for group, lr in zip(optimizer.param_groups, states[other][1]):
            group["lr"] = lr
        resumed = list(epochs(optimizer, scheduler, count=10))
        later = getattr(T.optim.lr_scheduler, name)(
            optimizer, **copy.deepcopy(options), last_epoch=12
        )
        ends.append((resumed, list(epochs(optimizer, later, count=10))))
    assert ends[0] == ends[1]


PLATEAU = [
    {},
    {"patience": 2},
    {"patience": 0, "factor": 0.5, "cooldown": 3},
    {"mode": "max", "patience": 1},
    {"threshold_mode": "abs", "threshold": 0.3, "patience": 1},
    {"mode": "max", "threshold_mode": "abs", "patience": 2},
    {"patience": 0, "min_lr": [0.05, 0.001]},
    {"patience": 0, "min_lr": 0.02, "eps": 0.01},
]


@pytest.mark.parametrize("options", PLATEAU, ids=str)
def test_plateau(options):
    losses = np.abs(np.random.default_rng(3).standard_normal(60)).cumsum()[::-1] ** 0.2
    runs = []
    for T in ENGINES:
        optimizer = optimizer_of(T)
        scheduler, seen = T.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options), []
        for i, loss in enumerate([*losses, *losses[:30]]):
            scheduler.step(T.tensor(loss) if i % 2 else loss)
            seen.append((scheduler.get_last_lr(), scheduler.state_dict()))
        again = T.optim.lr_scheduler.ReduceLROnPlateau(optimizer_of(T))
        again.load_state_dict(scheduler.state_dict())
        again.step(float("inf"))
        runs.append((seen, again.state_dict(), list(again.state_dict())))
    assert runs[0] == runs[1]


@on_both
def test_a_group_added_later(T):
    results = []
    for make in (
        lambda o: T.optim.lr_scheduler.ExponentialLR(o, 0.5),
        lambda o: T.optim.lr_scheduler.LambdaLR(o, halves),
    ):
        optimizer = optimizer_of(T)
        scheduler = make(optimizer)
        optimizer.step()
        optimizer.add_param_group({"params": [T.ones(1, requires_grad=True)], "lr": 3.0})
        results += [raised(scheduler.step), [g["lr"] for g in optimizer.param_groups]]
    optimizer = optimizer_of(T)
    plateau = T.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=0.01)
    optimizer.add_param_group({"params": [T.ones(1, requires_grad=True)], "lr": 3.0})
    for loss in (1.0, 2.0):
        plateau.step(loss)
    return results, plateau.get_last_lr()


# ---- warnings and errors -------------------------------------------------------------------------


def warned(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [(w.category, str(w.message).split(". ")[0], w.filename == __file__) for w in caught]


@on_both
def test_a_step_before_the_optimizers_own(T):
    results = []
    for order in ("so", "os", "sso", "oss"):
        optimizer = optimizer_of(T)
        scheduler = T.optim.lr_scheduler.StepLR(optimizer, 2)
        results.append([warned({"s": scheduler.step, "o": optimizer.step}[who]) for who in order])
    return results


@on_both
def test_wrong_use(T):
    S, optimizer = T.optim.lr_scheduler, optimizer_of(T)
    errors = [
        raised(*call)
        for call in (
            (S.StepLR, T.ones(1), 3),
            (S.ReduceLROnPlateau, T.ones(1)),
            (S.LambdaLR, optimizer, [halves]),
            (S.ExponentialLR, optimizer, 0.9, 3),
            (S.ReduceLROnPlateau, optimizer, "down"),
            (S.ReduceLROnPlateau, optimizer, "min", 1.0),
            (S.LRScheduler, optimizer_of(T)),
        )
    ]
    errors += [
        raised(S.ReduceLROnPlateau, optimizer, threshold_mode="x"),
        raised(S.ReduceLROnPlateau, optimizer, min_lr=[0]),
    ]
    return errors, [str(e) for e in errors if isinstance(e, ValueError)]


@on_both
def test_a_scheduler_of_ones_own(T):
    class Inverse(T.optim.lr_scheduler.LRScheduler):
        def get_lr(self):
            return [base / (1 + self.last_epoch) for base in self.base_lrs]

    optimizer = optimizer_of(T)
    return list(epochs(optimizer, Inverse(optimizer), count=5))


@pytest.mark.parametrize(
    "name, planted",
    [
        ("StepLR", {"step_size": 7, "gamma": 0.1 + 1e-16}),
        ("CosineAnnealingLR", {"T_max": 10, "eta_min": 1e-17}),
        ("MultiStepLR", {"milestones": [3, 10, 31], "gamma": 0.3}),
    ],
)
def test_a_planted_difference_is_found(name, planted):
    options = next(options for known, options in SCHEDULERS if known == name)
    runs = []
    for T, used in zip(ENGINES, (planted, options)):
        optimizer = optimizer_of(T)
        runs.append(list(epochs(optimizer, getattr(T.optim.lr_scheduler, name)(optimizer, **used))))
    assert runs[0] != runs[1]
