"""Learning rate schedulers against PyTorch: the rates of every epoch."""

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
CHAINS = [(0,), (1,), (2,), (3,), (4,), (0, 2), (1, 4), (3, 0, 2)]
"""Which of SCHEDULERS share an optimizer."""


def optimizer_of(T):
    """An optimizer with two groups, lr 0.1 and 0.7, that has gradients."""
    a, b = (T.tensor([float(i)], requires_grad=True) for i in (1, 2))
    a.grad, b.grad = T.ones(1), T.ones(1)
    return T.optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.7}], lr=0.1)


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_every_epoch(chain):
    """The rates after each epoch, as the schedulers tell them and as the optimizer has them."""
    runs = []
    for T in ENGINES:
        optimizer = optimizer_of(T)
        schedulers = [
            getattr(T.optim.lr_scheduler, name)(optimizer, **options)
            for name, options in map(SCHEDULERS.__getitem__, chain)
        ]
        rates = [[(g["lr"], g["initial_lr"]) for g in optimizer.param_groups]]
        for _ in range(EPOCHS):
            optimizer.step()
            for scheduler in schedulers:
                scheduler.step()
            rates += [(s.get_last_lr(), s.last_epoch) for s in schedulers]
            rates.append([g["lr"] for g in optimizer.param_groups])
        runs.append(rates)
    assert runs[0] == runs[1]  # to the last bit


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
