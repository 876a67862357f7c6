"""Lesson 01, recording the graph: what PyTorch answers to its exercises."""

import itertools
from dataclasses import dataclass

import torch

import autograd_core

from ..check import Function, Loss, exercise


@exercise("01.1", mistakes={
    "one too few: at 1.5625 the loop goes on, for that is still above 1": 6,
    "one too many: it stops as soon as the number is at most 1": 8,
    "that is where it starts; how often is it halved?": 100,
    "that is where it ends; how many divisions led there?": 0.78125,
    "a node is recorded for each division, so the number is whole": 6.6438561898,
})
def divisions_until_small(torch):
    v = torch.tensor(100.0, requires_grad=True)
    while v.abs() > 1:
        v = v / 2
    node, count = v.grad_fn, 0
    while node.next_functions:
        node, count = node.next_functions[0][0], count + 1
    return {"divisions": count}


@exercise("01.2", mistakes={
    "the value is right, but no path leads to `c`, so its gradient is None": lambda a, c: a ** 2,
    "the value must be that of `a ** 2`, for every `c`": lambda a, c: a ** 2 + c,
    "the value must be that of `a ** 2`, and this is a product with it": lambda a, c: a ** 2 * c,
    "the value must be that of `a ** 2`: this is 0 everywhere": lambda a, c: a ** 2 * c * 0,
    "`a ** 2` itself is missing": lambda a, c: 0 * c + 0 * a.detach(),
})
def a_path_that_carries_zero(torch):
    return {"loss": Loss(lambda a, c: a ** 2 + 0 * c, {"a": (), "c": ()})}


def _shared_leaf(T):
    a = T.tensor(2.0, requires_grad=True)
    return a * a


def _as_watched(T):
    a, b, c = (T.tensor(value, requires_grad=True) for value in (2.0, -0.5, 0.3))
    u = a * b
    return u * T.sigmoid(u + c)


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


PROGRAMS = (_shared_leaf, _as_watched, _chain, _two_outputs_of_one_node, _many_paths)


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
    """A reference for a function of the tensor at the end of a graph. Its one argument is a program of `PROGRAMS`."""

    def call(self, function, arguments):
        return function(arguments[0](autograd_core))


@exercise("01.3", mistakes={
    "a node to which two pointers lead is counted twice": lambda program: _nodes(program(torch), once=False),
    "the nodes of the leaves are missing, which point at nothing": lambda program: _nodes(program(torch), leaves=False),
    "one too few: the node of `root` itself counts as well": lambda program: _nodes(program(torch)) - 1,
    "one too many: a place that holds None is no node": lambda program: _nodes(program(torch)) + 1,
    "7 is right for the loss that you watched; the check has other graphs": lambda program: 7,
})
def nodes_of_a_graph(torch):
    turn = itertools.cycle(PROGRAMS)
    return {"count": Counting(lambda program: _nodes(program(torch)), {"root": lambda generator: next(turn)})}
