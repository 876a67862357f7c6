"""Recurrent layers against PyTorch: first values, results, the graph, each gradient under
random cotangents.
"""

import numpy as np
import pytest

from tests.engines import ENGINES, assert_close, assert_same_steps, backward, graph

# (module, shape of the input, shapes of the hidden states or None for zeros)
MODULES = [
    ("nn.LSTM(3, 4)", (5, 2, 3), None),
    ("nn.LSTM(3, 4, 2, bidirectional=True)", (5, 2, 3), [(4, 2, 4)] * 2),
    ("nn.LSTM(3, 4, batch_first=True)", (2, 5, 3), None),
    ("nn.LSTM(3, 4, bias=False)", (5, 2, 3), [(1, 2, 4)] * 2),
    ("nn.GRU(3, 4)", (5, 2, 3), [(1, 2, 4)]),
    ("nn.GRU(3, 4, 2, bidirectional=True, batch_first=True)", (2, 5, 3), None),
    ("nn.GRU(3, 4, 3, dropout=0.5)", (5, 2, 3), None),
    ("nn.RNN(3, 4, 2)", (5, 2, 3), None),
    ("nn.RNN(3, 4, batch_first=True)", (2, 5, 3), [(1, 2, 4)]),
]


class Pass:
    """One pass forward on one engine: what came out, flat, and the leaves."""

    def __init__(self, engine, module, shape, states, dtype):
        engine.manual_seed(0)
        self.engine, self.module = engine, eval(module, {"nn": engine.nn}).to(dtype)
        self.first = [p.detach().clone() for p in self.module.parameters()]
        rng = np.random.default_rng(0)
        made = [
            engine.tensor(rng.standard_normal(sizes), dtype=dtype, requires_grad=True)
            for sizes in (shape, *(states or ()))
        ]
        hidden = (made[1:] if len(made) > 2 else made[1],) if states else ()
        self.leaves = [*made, *self.module.parameters()]
        self.roots, left = (
            [],
            [self.module(made[0], *(tuple(h) if isinstance(h, list) else h for h in hidden))],
        )
        while left:
            out = left.pop(0)
            if isinstance(out, tuple):
                left = [*out, *left]
            else:
                self.roots.append(out)

    def cotangents(self):
        rng = np.random.default_rng(1)
        return [
            self.engine.tensor(rng.standard_normal(tuple(r.shape)), dtype=r.dtype)
            for r in self.roots
        ]


@pytest.mark.parametrize("module, shape, states", MODULES)
def test_recurrent(module, shape, states):
    ours, theirs = (Pass(T, module, shape, states, T.float64) for T in ENGINES)
    assert repr(ours.module) == repr(theirs.module)
    assert list(ours.module.state_dict()) == list(theirs.module.state_dict())
    for mine, other in zip([*ours.first, *ours.roots], [*theirs.first, *theirs.roots], strict=True):
        assert_close(mine, other, "value")
    assert graph(ours.roots) == graph(theirs.roots)
    assert [x._version for x in ours.roots] == [x._version for x in theirs.roots]
    assert_same_steps(
        *(backward(run.engine, run.roots, run.cotangents()) for run in (ours, theirs))
    )
    for i, (mine, other) in enumerate(zip(ours.leaves, theirs.leaves, strict=True)):
        assert_close(mine.grad, other.grad, f"gradient {i}")


@pytest.mark.parametrize("module, shape, states", MODULES)
def test_float32(module, shape, states):
    """PyTorch's LSTM in float32 is one node of another library; its numbers are the same up to
    rounding.
    """
    ours, theirs = (Pass(T, module, shape, states, T.float32) for T in ENGINES)
    for mine, other in zip(ours.first, theirs.first, strict=True):
        assert mine.tolist() == other.tolist()
    for mine, other in zip(ours.roots, theirs.roots, strict=True):
        assert_close(mine, other, "value")


def test_planted_gate_is_found(monkeypatch):
    """The blocks of rows in another order: the forget gate where the input gate should be."""
    from autograd_core.nn import recurrent

    chunk = recurrent.unsafe_chunk

    def exchanged(*args):
        first, second, *others = chunk(*args)
        return second, first, *others

    monkeypatch.setattr(recurrent, "unsafe_chunk", exchanged)
    with pytest.raises(AssertionError):
        test_recurrent(*MODULES[0])
