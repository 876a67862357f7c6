"""A second `backward()` raises at the first node, in the order of the engine, that had saved
something: what "You run it" asks for last.
"""

import contextlib

import pytest
import torch

import autograd_core
from autograd_core.trace import trace
from autograd_core.trace.nodes import walk

TWICE = "backward through the graph a second time"
# a plain number that one of these keeps is not among what a trace tells of as saved
WITH_A_NUMBER = "MulBackward0", "DivBackward0"
LOSSES = {
    "a product": lambda T, a, b: (a * b).sum(),
    "sums alone": lambda T, a, b: (a + b).sum(),
    "a mean and a view before it": lambda T, a, b: (a * b).reshape(4).mean(),
    "a leaf first": lambda T, a, b: a.sum() + (b * b).sum(),
    "a branch that saved nothing": lambda T, a, b: (a + 1).sum() + T.sin(b).sum(),
    "softmax": lambda T, a, b: -T.log(T.softmax(a + b, 1)).mean(),
    "cat and stack": lambda T, a, b: T.cat([a, b]).tanh().sum() + T.stack([a, b]).mean(),
    "shapes alone": lambda T, a, b: a.T.reshape(4)[1:3].sum() - b.sum(),
    "a division by a number": lambda T, a, b: ((a + b) ** 2).sum() / 2,
    "a number times a sum": lambda T, a, b: 3 * (a + b).sum() - (b - a).mean(),
}


@pytest.mark.parametrize("T", [torch, autograd_core], ids=["PyTorch", "autograd_core"])
@pytest.mark.parametrize("name", LOSSES)
def test_it_raises_at_the_first_node_that_had_saved_something(T, name):
    a = T.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
    b = T.tensor([[1.5, 0.5], [-0.75, 3.0]], requires_grad=True)
    loss, ran = LOSSES[name](T, a, b), []
    seen = trace(loss)
    passed = [seen.nodes[e.node] for e in seen.events if e.kind in ("backward", "accumulate")]
    saving = [i for i, node in enumerate(passed) if node.saved or node.name in WITH_A_NUMBER]
    for node in walk(loss.grad_fn):
        node.register_prehook(lambda gradients, node=node: ran.append(node))
    loss.backward()
    assert len(ran) == len(passed)
    first, ran[:] = [*ran], []
    with pytest.raises(RuntimeError, match=TWICE) if saving else contextlib.nullcontext():
        loss.backward()
    assert ran == (first[: saving[0] + 1] if saving else first)
