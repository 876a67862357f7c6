"""Learning rate schedulers against PyTorch: the rates of every epoch."""

import copy
import warnings

import pytest

from tests.engines import ENGINES, on_both, raised

EPOCHS = 40


SCHEDULERS = [
    ("StepLR", {"step_size": 7}),
    ("StepLR", {"step_size": 1, "gamma": 0.97}),
    ("CosineAnnealingLR", {"T_max": 10}),
    ("CosineAnnealingLR", {"T_max": 13, "eta_min": 0.01}),
    ("CosineAnnealingLR", {"T_max": 100, "eta_min": 0.5}),
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


@pytest.mark.parametrize("name, options", CASES)
def test_every_epoch(name, options):
    runs = []
    for T in ENGINES:
        optimizer = optimizer_of(T)
        scheduler = getattr(T.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(options))
        start = [g["lr"] for g in optimizer.param_groups]
        runs.append(
            (
                start,
                list(epochs(optimizer, scheduler)),
                [group["initial_lr"] for group in optimizer.param_groups],
            )
        )
    assert runs[0] == runs[1]  # to the last bit


@pytest.mark.parametrize("names", [(0, 2), (1, 4), (3, 0, 2)])
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


@on_both
def test_a_group_added_later(T):
    optimizer = optimizer_of(T)
    scheduler = T.optim.lr_scheduler.StepLR(optimizer, 1)
    optimizer.step()
    optimizer.add_param_group({"params": [T.ones(1, requires_grad=True)], "lr": 3.0})
    return raised(scheduler.step), [g["lr"] for g in optimizer.param_groups]


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
    return raised(T.optim.lr_scheduler.LRScheduler, optimizer_of(T))


@pytest.mark.parametrize(
    "name, planted",
    [
        ("StepLR", {"step_size": 7, "gamma": 0.1 + 1e-16}),
        ("CosineAnnealingLR", {"T_max": 10, "eta_min": 1e-17}),
    ],
)
def test_a_planted_difference_is_found(name, planted):
    options = next(options for known, options in SCHEDULERS if known == name)
    runs = []
    for T, used in zip(ENGINES, (planted, options)):
        optimizer = optimizer_of(T)
        runs.append(list(epochs(optimizer, getattr(T.optim.lr_scheduler, name)(optimizer, **used))))
    assert runs[0] != runs[1]
