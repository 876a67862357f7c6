"""detect_anomaly, copies and pickles: as PyTorch allows and forbids."""

import copy
import pickle
import warnings

import pytest

import autograd_core
from tests.engines import ENGINES, on_both, raised

from .test_function import cube, function


def warned(action):
    """(what `action` raised, the warnings' texts that name an error)."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        error = raised(action)
    return error, [str(w.message) for w in caught if "Error detected" in str(w.message)]


# ---- anomalies -----------------------------------------------------------------------------------


def failing(T):
    """{kind: a loss whose backward fails in the node of the line marked so}."""
    x = T.tensor([0.0, 1.0], requires_grad=True)
    root = (x * 1).sqrt() * 0  # the root
    stale = (x * 2).exp()  # the stale one
    end = stale.sum()
    with T.no_grad():
        stale.add_(1)
    mine = function(T, lambda ctx, x: x * 2, lambda ctx, g: (g, g, g))(x)  # my own
    return {"root": root.sum(), "stale": end, "own": mine.sum()}


@pytest.mark.parametrize(
    "kind, node, phrase, line",
    [
        (
            "root",
            "SqrtBackward0",
            "Function 'SqrtBackward0' returned nan values in its 0th output.",
            "# the root",
        ),
        ("stale", "ExpBackward0", "modified by an inplace operation", "# the stale one"),
        ("own", "MineBackward", "incorrect number of gradients", "# my own"),
    ],
)
def test_the_forward_line_is_named(kind, node, phrase, line):
    for T in ENGINES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with T.autograd.detect_anomaly():
                loss = failing(T)[kind]
                error, texts = warned(loss.backward)
        assert phrase in str(error) and type(error) is RuntimeError
        assert (
            len(texts) == 1 and f"Error detected in {node}. Traceback of forward call" in texts[0]
        )
        assert line in texts[0] and "test_modes.py" in texts[0]


def test_the_last_line_is_the_callers():
    """No frame of the engine stands below it."""
    x = autograd_core.ones(1, requires_grad=True)
    with autograd_core.autograd.set_detect_anomaly(True):
        node = (x * 2).grad_fn
    assert node.metadata["traceback_"][-1].strip().endswith("node = (x * 2).grad_fn")


@on_both
def test_nan_is_looked_for_in_what_is_sent(T):
    results = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for check_nan in (True, False):
            with T.autograd.detect_anomaly(check_nan):
                results += [str(raised(failing(T)["root"].backward)), T.is_anomaly_enabled()]
        x = T.tensor([1.0], requires_grad=True)
        with T.autograd.detect_anomaly():
            results += [raised((x + 0).backward, T.tensor([float("nan")])), x.grad is None]
            loss = (x.detach().requires_grad_() * float("inf")).sum()
            results.append(raised(loss.backward))
    return results


@on_both
def test_without_the_forward(T):
    loss = failing(T)["root"]
    with T.autograd.set_detect_anomaly(True):
        error, texts = warned(loss.backward)
    return error, ["No forward pass information available" in t for t in texts]


@on_both
def test_switched_on_and_off(T):
    seen = [T.is_anomaly_enabled()]
    T.autograd.set_detect_anomaly(True)
    seen.append(T.is_anomaly_enabled())
    with T.autograd.set_detect_anomaly(False):
        seen += [T.is_anomaly_enabled(), raised(failing(T)["root"].backward)]
    seen += [T.is_anomaly_enabled(), type(warned(failing(T)["root"].backward)[0])]
    T.autograd.set_detect_anomaly(False)
    return seen, T.is_anomaly_enabled(), raised(failing(T)["root"].backward)


@on_both
def test_second_backwards_under_anomaly_mode(T):
    x = T.tensor([0.0], requires_grad=True, dtype=T.float64)
    with T.autograd.set_detect_anomaly(True):
        (g,) = T.autograd.grad((x * x.abs() ** 1.5).sum(), x, create_graph=True)
        return type(warned(g.sum().backward)[0]), type(warned(cube(T)(x).sum().backward)[0])


def test_it_warns_that_it_is_slow():
    for T in ENGINES:
        with pytest.warns(UserWarning, match="will increase the runtime"):
            T.autograd.detect_anomaly()


# ---- copies and pickles --------------------------------------------------------------------------


def copies(t):
    return [copy.copy(t), copy.deepcopy(t), pickle.loads(pickle.dumps(t))]


@on_both
def test_copies_of_leaves(T):
    results = []
    for leaf in (
        T.tensor([1.0, 2.0], requires_grad=True),
        T.arange(3),
        T.nn.Parameter(T.ones(2)),
        T.tensor(1.5),
    ):
        if leaf.requires_grad:
            (leaf * 3).sum().backward()
        leaf.note = ["kept"]
        for made in copies(leaf):
            note = getattr(made, "note", None)
            results += [made, made.grad, type(made).__name__, note, note is leaf.note]
        shallow, deep, loaded = copies(leaf.detach())
        for made in (shallow, deep, loaded):
            made.fill_(7)
            results.append(leaf.detach().clone())
    return results


@on_both
def test_copies_of_computed_tensors(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    return (
        copy.copy(y),
        pickle.loads(pickle.dumps(y)),
        raised(copy.deepcopy, y),
        raised(copy.deepcopy, [y.grad_fn]),
        raised(pickle.dumps, y.grad_fn),
        y,
    )


@on_both
def test_no_copy_keeps_hooks(T):
    x, seen = T.tensor([1.0], requires_grad=True), []
    x.register_hook(lambda g: seen.append(g))
    for made in (copy.copy(x), copy.deepcopy(x)):
        (made * 2).sum().backward()
    return seen, x.grad


@on_both
def test_layout_is_kept(T):
    x = T.arange(6).view(2, 3)
    return [made.stride() for t in (x.t(), x) for made in copies(t)[1:]]


@on_both
def test_one_tensor_in_two_places_stays_one(T):
    x = T.ones(2, requires_grad=True)
    pair, loaded = copy.deepcopy([x, {"again": x}]), pickle.loads(pickle.dumps([x, x]))
    return pair[0] is pair[1]["again"], loaded[0] is loaded[1], pair[0] is x
