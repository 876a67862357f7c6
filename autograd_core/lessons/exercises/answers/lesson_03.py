"""Lesson 03, accumulate and step: what PyTorch answers to its exercises."""

from ..check import Function, exercise


@exercise(
    "03.1",
    mistakes={
        "that is a step with one gradient; what is in `.grad` after three passes?": 1.2,
        "that is a step with two gradients; three passes were made": 1.4,
        "the sign: a step goes against the gradient": 0.4,
        "that is where three steps lead; here only one is made": 1.542,
        "`lr` is missing": 7.0,
        "that is what is in `.grad`, before `lr`": -6.0,
        "that is how far `w` goes; where is it then?": 0.6,
        "the slope of half a square has no factor 2": 2.2,
        "that is the minimum; one step does not lead there": 3.0,
        "nothing moved? `step()` is called": 1.0,
    },
)
def three_backwards_one_step(torch):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(3):
        ((w - 3) ** 2 / 2).backward()
    optimizer.step()
    return {"w_after": w}


def _gradient(w, x):
    w = w.detach().requires_grad_()
    ((x @ w) ** 2).mean().backward()
    return w.grad


def _halves(seen):
    if (8, 3) in seen.shapes:
        return "the gradient is right, but the whole batch went through at once"
    return (
        ""
        if seen.passes >= 2 * seen.calls
        else "the gradient is right, but two backward passes are asked for"
    )


@exercise(
    "03.2",
    mistakes={
        "twice too much: each half is a mean over 4, and the whole is a mean over 8": lambda w, x: (
            2 * _gradient(w, x)
        ),
        "that is the first half alone": lambda w, x: _gradient(w, x.chunk(2)[0]),
        "that is the second half alone": lambda w, x: _gradient(w, x.chunk(2)[1]),
        "that is the second half alone, divided by 2": lambda w, x: _gradient(w, x.chunk(2)[1]) / 2,
        "that is the first half alone, divided by 2": lambda w, x: _gradient(w, x.chunk(2)[0]) / 2,
        "4 examples are one half of 8 alone; batches of other lengths are tried too": lambda w, x: (
            (_gradient(w, x[:4]) + _gradient(w, x[4:])) / 2
        ),
        "that is `w`; its gradient is asked for": lambda w, x: w,
        "too small: each half counts for one half, not for less": lambda w, x: _gradient(w, x) / 4,
    },
)
def a_batch_in_two_halves(torch):
    cases = [
        (
            torch.linspace(-1, 1, width).double(),
            torch.linspace(-2, 3, count * width).double().reshape(count, width) ** 2,
        )
        for count, width in ((12, 3), (6, 1), (10, 4))
    ]
    return {"gradient": Function(_gradient, {"w": (3,), "x": (8, 3)}, conduct=_halves, cases=cases)}


@exercise(
    "03.3",
    mistakes={
        "the decay is missing": lambda w, gradient: w - 0.1 * gradient,
        "the decay is added before it is multiplied with `lr`": lambda w, gradient: (
            w - 0.1 * gradient - 0.01 * w
        ),
        "the decay pulls `w` towards 0, so it has the sign of the gradient": lambda w, gradient: (
            w - 0.1 * (gradient - 0.01 * w)
        ),
        "`lr` is missing": lambda w, gradient: w - (gradient + 0.01 * w),
        "a step goes against the gradient": lambda w, gradient: w + 0.1 * (gradient + 0.01 * w),
        "the decay is taken from the weight before the step, not from the moved one": (
            lambda w, gradient: (w - 0.1 * gradient) * (1 - 0.1 * 0.01)
        ),
        "a bracket is missing: `lr` multiplies the sum": lambda w, gradient: (
            w - 0.1 * gradient + 0.01 * w
        ),
        "that is what is subtracted; the new weight is asked for": lambda w, gradient: (
            0.1 * (gradient + 0.01 * w)
        ),
        "that is the change; the new weight is asked for": lambda w, gradient: (
            -0.1 * (gradient + 0.01 * w)
        ),
        "the decay is a part of the weight, not a number for all": lambda w, gradient: (
            w - 0.1 * (gradient + 0.01)
        ),
        "the decay is a part of `w`, not of the gradient": lambda w, gradient: (
            w - 0.1 * (gradient + 0.01 * gradient)
        ),
    },
)
def a_step_with_weight_decay(torch):
    def step(w, gradient):
        w = w.clone().requires_grad_()
        w.grad = gradient
        torch.optim.SGD([w], lr=0.1, weight_decay=0.01).step()
        return w.detach()

    one, several = torch.tensor(-2.0).double(), torch.arange(6.0).double().reshape(2, 3)
    cases = [
        (one, 3 * one),
        (several, several),
        (several, 0 * several),
        (0 * several, several),
        (300 * several, several),
    ]
    return {"step": Function(step, {"w": (3,), "gradient": (3,)}, cases=cases)}
