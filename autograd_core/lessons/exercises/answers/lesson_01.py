"""Lesson 01, recording the graph: what PyTorch answers to its exercises."""

import itertools
from dataclasses import dataclass

import torch

import autograd_core

from ..check import Function, Loss, _Refused, exercise


@exercise(
    "01.1",
    mistakes={
        "one too few: at 1.5625 the loop goes on, for that is still above 1": 6,
        "one too many: it stops as soon as the number is at most 1, and the leaf's node is no division": (
            8
        ),
        "that is where it starts; how often is it halved?": 100,
        "that is where it ends; how many divisions led there?": 0.78125,
        "a node is recorded for each division, so the number is whole": 6.6438561898,
    },
)
def divisions_until_small(torch):
    v = torch.tensor(100.0, requires_grad=True)
    while v.abs() > 1:
        v = v / 2
    node, count = v.grad_fn, 0
    while node.next_functions:
        node, count = node.next_functions[0][0], count + 1
    return {"divisions": count}


@dataclass(frozen=True)
class Path(Loss):
    """A loss whose function leaves `.grad` to `backward()`."""

    def call(self, function, arguments):
        def loss_of(*leaves):
            loss = function(*leaves)
            if any(leaf.grad is not None for leaf in leaves):
                raise _Refused(
                    "fills `.grad` itself: make a path, and let the loss' `backward()` fill it"
                )
            return loss

        return super().call(loss_of, arguments)


def _pairs(torch):
    return [
        tuple(torch.tensor(number, dtype=torch.float64) for number in pair)
        for pair in ((1.5, 0.0), (0.0, 1.5), (0.0, 0.0), (-2.0, 1e4), (2.0, -1e4), (3.0, 3.0))
    ]


@exercise(
    "01.2",
    tolerance=1e-9,
    mistakes={
        "the value is right, but no path leads to `c`, so its gradient is None": lambda a, c: a**2,
        "the value must be that of `a ** 2`, for every `c`": lambda a, c: a**2 + c,
        "the value must be that of `a ** 2`, and this is a product with it": lambda a, c: a**2 * c,
        "the value must be that of `a ** 2`: this is 0 everywhere": lambda a, c: a**2 * c * 0,
        "`a ** 2` itself is missing": lambda a, c: 0 * c + 0 * a.detach(),
    },
)
def a_path_that_carries_zero(torch):
    return {"loss": Path(lambda a, c: a**2 + 0 * c, {"a": (), "c": ()}, cases=_pairs(torch))}


def _shared_leaf(T):
    a = T.tensor(2.0, requires_grad=True)
    return a * a


def _as_watched(T):
    a, b, c = (T.tensor(value, requires_grad=True) for value in (2.0, -0.5, 0.3))
    return T.tanh(a * b) + 0 * T.exp(c)


def _chain(T):
    return T.exp(T.sin(T.tensor(0.5, requires_grad=True) + 1))


def _two_outputs_of_one_node(T):
    first, second = T.ones(2, requires_grad=True).unbind()
    return first * second


def _many_paths(T):
    h = T.ones(1, requires_grad=True)
    for _ in range(5):
        h = h + h * h
    return h


def _one_operation(T):
    return T.tensor(2.0, requires_grad=True) * 3


def _a_constant_comes_first(T):
    return T.tensor(3.0) * T.sin(T.tensor(2.0, requires_grad=True))


def _cut(T):
    a, b = (T.tensor(value, requires_grad=True) for value in (2.0, -0.5))
    return T.exp(a).detach() * T.exp(b)


def _alike(T):
    a, b, c = (T.tensor(value, requires_grad=True) for value in (2.0, -0.5, 0.3))
    return T.stack([T.sin(a), T.sin(b), T.sin(c), a]).sum()


def _used_in_the_middle(T):
    a, b, c = (T.tensor(value, requires_grad=True) for value in (2.0, -0.5, 0.3))
    u = a * b
    return u * T.sigmoid(u + c)


PROGRAMS = (_shared_leaf, _as_watched, _chain, _two_outputs_of_one_node, _many_paths)


EDGES = (_one_operation, _a_constant_comes_first, _cut, _alike, _used_in_the_middle)


def _met(root):
    """The nodes of a graph, each once."""
    met, stack = set(), [root.grad_fn]
    while stack:
        node = stack.pop()
        if node not in met:
            met.add(node)
            stack += [producer for producer, _ in node.next_functions if producer]
    return met


def _first_path(root):
    node, count = root.grad_fn, 0
    while node:
        count += 1
        node = node.next_functions[0][0] if node.next_functions else None
    return count


def _longest(node):
    return 1 + max(
        (_longest(producer) for producer, _ in node.next_functions if producer), default=0
    )


def _nodes(root, *, once=True, leaves=True):
    met, stack, count = set(), [root.grad_fn], 0
    while stack:
        node = stack.pop()
        if node in met and once or not node.next_functions and not leaves:
            continue
        met.add(node)
        count += 1
        stack += [producer for producer, _ in node.next_functions if producer]
    return count


@dataclass(frozen=True)
class Counting(Function):
    """A reference for a function of the tensor at the end of a graph. Its one argument is a program
    of `PROGRAMS`.
    """

    def call(self, function, arguments):
        return function(arguments[0](autograd_core))


@exercise(
    "01.3",
    mistakes={
        "a node to which two pointers lead is counted twice": lambda program: _nodes(
            program(torch), once=False
        ),
        "the nodes of the leaves are missing, which point at nothing": lambda program: _nodes(
            program(torch), leaves=False
        ),
        "one too few: the node of `root` itself counts as well": lambda program: (
            _nodes(program(torch)) - 1
        ),
        "one too many: a place that holds None is no node": lambda program: (
            _nodes(program(torch)) + 1
        ),
        "None is counted, and it is no node": lambda program: len(
            _met(program(torch))
            | {
                producer
                for node in _met(program(torch))
                for producer, _ in node.next_functions
                if producer is None
            }
        ),
        "that is the longest path, and not all nodes": lambda program: _longest(
            program(torch).grad_fn
        ),
        "8 is right for the loss that you watched; the check has other graphs": lambda program: 8,
        "two nodes of one name count once: collect the nodes, not their names": lambda program: len(
            {node.name() for node in _met(program(torch))}
        ),
        "only the leaves are counted; what leads to them are nodes as well": lambda program: sum(
            not node.next_functions for node in _met(program(torch))
        ),
        "only the first pointer of each node is followed": lambda program: _first_path(
            program(torch)
        ),
        "these are the pointers; several of them may lead to one node": lambda program: sum(
            producer is not None
            for node in _met(program(torch))
            for producer, _ in node.next_functions
        ),
        "a pointer to None is no node": lambda program: (
            1 + sum(len(node.next_functions) for node in _met(program(torch)))
        ),
    },
)
def nodes_of_a_graph(torch):
    turn = itertools.cycle(PROGRAMS)
    return {
        "count": Counting(
            lambda program: _nodes(program(torch)),
            {"root": lambda generator: next(turn)},
            cases=[(program,) for program in EDGES],
        )
    }
