"""Lesson 01, recording the graph: what PyTorch answers to its exercises."""

import functools

import torch

import autograd_core

from ....trace.nodes import walk
from ..check import Function, Loss, Refused, exercise, function_exercise


@exercise(
    "01.1",
    mistakes={
        "one too few: at 1.5625 the loop goes on, for that is still above 1": 6,
        "one too many: it stops at 1 or below, and the leaf's node is no division": 8,
        "that is where it starts; how often is it halved?": 100,
        "that is where it ends; how many divisions led there?": 0.78125,
        "a node is recorded for each division, so the number is whole": 6.6438561898,
    },
)
def divisions_until_small():
    v = torch.tensor(100.0, requires_grad=True)
    while v.abs() > 1:
        v = v / 2
    node, count = v.grad_fn, 0
    while node.next_functions:
        node, count = node.next_functions[0][0], count + 1
    return {"divisions": count}


class Path(Loss):
    """A loss whose function leaves `.grad` to `backward()`."""

    def call(self, function, arguments):
        def loss_of(*leaves):
            loss = function(*leaves)
            if any(leaf.grad is not None for leaf in leaves):
                path = "make a path, and let the loss' `backward()` fill it"
                raise Refused(f"fills `.grad` itself: {path}")
            return loss

        return super().call(loss_of, arguments)


PAIRS = [(1.5, 0.0), (0.0, 1.5), (0.0, 0.0), (-2.0, 1e4), (2.0, -1e4), (3.0, 3.0)]


@function_exercise(
    "01.2", tolerance=1e-9, loss=Path(lambda a, c: a**2 + 0 * c, {"a": (), "c": ()}, PAIRS)
)
def wrong_paths(a, c):
    return {
        "the value is right, but no path leads to `c`, so its gradient is None": a**2,
        "the value must be that of `a ** 2`, for every `c`": a**2 + c,
        "the value must be that of `a ** 2`, and this is a product with it": a**2 * c,
        "the value must be that of `a ** 2`: this is 0 everywhere": a**2 * c * 0,
        "`a ** 2` itself is missing": 0 * c + 0 * a.detach(),
    }


PROGRAMS = (
    lambda T, a, b, c: a * a,
    lambda T, a, b, c: T.tanh(a * b) + 0 * T.exp(c),
    lambda T, a, b, c: T.exp(T.sin(a + 1)),
    lambda T, a, b, c: (two := T.ones(2, requires_grad=True).unbind())[0] * two[1],
    lambda T, a, b, c: functools.reduce(lambda v, _: v + v * v, range(5), a),  # many paths
    lambda T, a, b, c: a * 3,
    lambda T, a, b, c: T.tensor(3.0) * T.sin(a),
    lambda T, a, b, c: T.exp(a).detach() * T.exp(b),
    lambda T, a, b, c: T.stack([T.sin(a), T.sin(b), T.sin(c), a]).sum(),
    lambda T, a, b, c: (u := a * b) * T.sigmoid(u + c),
)


def _root(program, T):
    return program(T, *(T.tensor(value, requires_grad=True) for value in (2.0, -0.5, 0.3)))


def _producers(node):
    return [producer for producer, _ in node.next_functions if producer]


def _visits(node):
    return 1 + sum(map(_visits, _producers(node)))


def _longest(node):
    return 1 + max(map(_longest, _producers(node)), default=0)


def _first_path(node):
    return (
        1 + _first_path(node.next_functions[0][0]) if node and node.next_functions else bool(node)
    )


class Counting(Function):
    """A reference for a function of the tensor at the end of a graph, that of one of `PROGRAMS`."""

    def call(self, function, arguments):
        return function(_root(arguments[0], autograd_core))


@function_exercise(
    "01.3",
    count=Counting(
        lambda program: len(walk(_root(program, torch).grad_fn)),
        {"root": ()},
        [(program,) for program in PROGRAMS],
        random=0,
    ),
)
def wrong_counts(program):
    root = _root(program, torch)
    nodes, last = walk(root.grad_fn), root.grad_fn
    pointers = [producer for node in nodes for producer, _ in node.next_functions]
    leaves, names = sum(not node.next_functions for node in nodes), {each.name() for each in nodes}
    return {
        "a node to which two pointers lead is counted twice": _visits(last),
        "the nodes of the leaves are missing, which point at nothing": len(nodes) - leaves,
        "one too few: the node of `root` itself counts as well": len(nodes) - 1,
        "one too many: a place that holds None is no node": len(nodes) + 1,
        "None is counted, and it is no node": len({*nodes, *pointers}),
        "that is the longest path, and not all nodes": _longest(last),
        "8 is right for the loss that you watched; the check has other graphs": 8,
        "two nodes of one name count once: collect the nodes, not their names": len(names),
        "only the leaves are counted; what leads to them are nodes as well": leaves,
        "only the first pointer of each node is followed": _first_path(last),
        "these are the pointers; several of them may lead to one node": sum(map(bool, pointers)),
        "a pointer to None is no node": 1 + len(pointers),
    }
