"""In place, where what is read lies in the memory that is written: PyTorch's numbers where each
element reads its own place, else an error. (PyTorch has a number there too, if a tensor is no dense
piece of memory: it depends on how many elements its processor computes at once.)
"""

import re

import numpy as np
import pytest

import autograd_core
from tests.budget import SEED, budget
from tests.engines import ENGINES, differing, numbers, raised

ALIKE = [
    "x.add_(x.detach())",
    "x.t().add_(x.t())",
    "x += x.expand(2, 3, 3)[0]",
    "x.fill_(x[1, 1])",
    "x[x > 2] = x[1, 1]",
    "x[::2].add_(x[1:2])",
    "x[:, ::2] -= x[:, 1:2] * 2",
]
REFUSED = [
    "x += x[0]",
    "x += x.t()",
    "x[1:] = x[:2]",
    "x.pow_(x[0])",
    "x = x.t(); x /= x[:, :1]",
    "x = x > 4; x &= x[0]",
    "x = x > 4; x.masked_fill_(x[0], False)",
    "x[i] = x[1:]",
    "i[i] = 5",
]
# the result in PyTorch depends on how many elements its processor computes at once
BEYOND = [
    "x /= x[:, :1]",
    "x += x[:1].expand(3, 3)",
    "x **= x[:, :1]",
    "x.div_(other=x[:, :1])",
    "x[:, 1:] = x[:, :-1]",
    "x[:] = x[1]",
    "x = w; x[:] = x[:, :1]",
    "x = w[:, :8]; x[1:] -= x[:-1]",
]


def changed(T, change):
    """What `change` leaves, with x, a computed matrix of 3 x 3, w of 20 x 20, and indices; and the
    gradient of the leaf.
    """
    p = T.tensor(np.arange(1.0, 410), requires_grad=True)
    names = {
        "T": T,
        "x": (p * 1)[:9].view(3, 3) * 1,
        "w": (p * 1)[9:].view(20, 20) * 1,
        "i": T.tensor([0, 1]),
    }
    exec(change, names)
    x, gradient = names["x"], None
    if x.requires_grad and not (x * 1).isinf().any():
        try:
            x.sum().backward()
            gradient = p.grad.tolist()
        except RuntimeError as error:
            gradient = re.search("modified by an inplace operation", str(error)).group()
    return x.tolist(), gradient, x._version


@pytest.mark.parametrize("change", ALIKE)
def test_what_reads_its_own_places(change):
    ours, theirs = (changed(T, change) for T in ENGINES)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
    assert ours[1:] == theirs[1:]


@pytest.mark.parametrize("change", REFUSED + BEYOND)
def test_what_is_refused(change):
    for T in ENGINES if change in REFUSED else ENGINES[:1]:
        error = raised(changed, T, change)
        assert type(error) is RuntimeError, f"{T.__name__}: {error!r}"
        assert "refer to a single memory location. Please clone()" in str(error), T.__name__


def test_a_refused_change_changes_nothing():
    x = autograd_core.ones(3, 20)
    version = x._version
    with pytest.raises(RuntimeError):
        x += x[:, :1]
    assert x.tolist() == [[1.0] * 20] * 3 and x._version == version


PARTS = [
    ": :",
    ": :1",
    ": -1:",
    ": 1:2",
    "1: :-1",
    ":-1 1:",
    "::2 ::2",
    "::2 :1",
    ":2 -2:",
    ":1 :1",
    "1: :1",
]
TURNS = ["", "", "", ".transpose(0, 1)", ".transpose(1, 2)", "[:, 0]", "[0]", ".reshape(-1)"]


def random_change(rng):
    """Two views of one memory, an operation that reads one while it writes the other, and the
    numbers.
    """
    size = [int(n) for n in rng.choice([1, 2, 3, 4, 5, 7, 8, 9, 17], 3)]
    x, y = zip(*(part.split() for part in rng.choice(PARTS, 3)))
    turns = rng.choice(TURNS, 2) if rng.random() < 0.3 else [rng.choice(TURNS)] * 2
    change = rng.choice(["x.add_(y)", "x.mul_(y)", "x.copy_(y)", "x.sub_(y, alpha=2)"])
    return (
        f"b = T.tensor(a.reshape({size})); x = b[{', '.join(x)}]{turns[0]}; y = b[{', '.join(y)}]{turns[1]}; {change}",
        rng.integers(1, 5, size).astype(rng.choice(["float32", "float64", "int64", "uint8"])),
    )


def test_no_overlap_is_silently_different():
    """Equal numbers, or an error of both, or an error of ours alone that names the overlap."""
    rng, told = np.random.default_rng(SEED), set()
    for _ in range(budget(400, 20_000)):
        change, array = random_change(rng)
        named = [{"T": T, "a": array.copy()} for T in ENGINES]
        error, refused = (raised(exec, change, names) for names in named)
        what = f"{change} of {array.tolist()}: {error!r} here, {refused!r} in PyTorch"
        if error is None:
            assert refused is None, what
            assert not differing(*(numbers(names["b"]) for names in named)).any(), what
        else:
            assert refused is not None or "single memory location" in str(error), what
        told.add((error is None, refused is None))
    assert {(True, True), (False, False)} <= told


def test_a_planted_error_is_found(monkeypatch):
    """A rule that looks for no overlap must show."""
    monkeypatch.setattr(autograd_core.ops.inplace, "_check_apart", lambda *_: None)
    assert changed(ENGINES[0], BEYOND[0])[0] != changed(ENGINES[1], BEYOND[0])[0]
