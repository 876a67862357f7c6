"""Lesson 01: right answers written otherwise, inputs on which wrong ones differ, and changes that
are no mistake.
"""

import random

import torch

import autograd_core as T
from tests.lessons.answer_mutants import right, right_values, wide

# 01.1: divisions of 100

right_values("01.1", 7, 7.0, 3 + 4, T.tensor(7), T.tensor(7.0))


# 01.2: a path that carries zero


@right("01.2")
def times_zero(a, c):
    nothing = c * 0.0
    return a * a + nothing


@right("01.2")
def minus_itself(a, c):
    return a**2 + (c - c)


@right("01.2")
def inside_the_square(a, c):
    return (a + 0 * c) ** 2


@right("01.2")
def by_selection(a, c):
    return T.where(T.tensor(True), a**2, c)


@right("01.2")
def by_index(a, c):
    both = T.stack([a**2, c])
    return both[0]


@right("01.2")
def times_one(a, c):
    return a**2 * c**0


@right("01.2")
def with_relu(a, c):
    square = a.pow(2)
    if c > 0:
        return square + T.relu(-c)
    return square + T.relu(c)


wide(
    "01.2",
    lambda generator: [
        tuple(scale * torch.randn((), generator=generator, dtype=torch.float64) for _ in range(2))
        for scale in (0, 0.1, 1, 1, 3, 10, 100)
    ],
)


# 01.3: nodes of a graph


@right("01.3")
def recursive(root):
    met = set()

    def walk(node):
        if node is None or node in met:
            return
        met.add(node)
        for producer, _ in node.next_functions:
            walk(producer)

    walk(root.grad_fn)
    return len(met)


@right("01.3")
def with_a_list(root):
    met = [root.grad_fn]
    for node in met:
        for producer, _ in node.next_functions:
            if producer is not None and producer not in met:
                met.append(producer)
    return len(met)


@right("01.3")
def layer_by_layer(root):
    met, layer = set(), {root.grad_fn}
    while layer:
        met |= layer
        layer = {
            producer for node in layer for producer, number in node.next_functions if producer
        } - met
    return len(met)


@right("01.3")
def with_a_counter(root):
    count, met, stack = 0, set(), [root.grad_fn]
    while len(stack) > 0:
        node = stack.pop(0)
        if node is None or id(node) in met:
            continue
        count += 1
        met.add(id(node))
        for pair in node.next_functions:
            stack.append(pair[0])
    return count


@right("01.3")
def with_a_dictionary(root):
    inputs, stack = {}, [root.grad_fn]
    while stack:
        node = stack.pop()
        if node in inputs:
            continue
        inputs[node] = [
            producer for producer, number in node.next_functions if producer is not None
        ]
        stack.extend(inputs[node])
    return len(inputs.keys())


def drawn(seed, size):
    """A program: a graph drawn at random, with constants, detached parts and nodes that are used
    often.
    """

    def program(T):
        draw = random.Random(seed)
        made = [
            T.tensor(0.5, requires_grad=True),
            T.tensor(-1.0, requires_grad=True),
            T.tensor(2.0),
        ]
        for _ in range(size):
            one, other = draw.choice(made), draw.choice(made)
            made.append(
                draw.choice(
                    (
                        lambda: one + other,
                        lambda: T.sin(one),
                        lambda: one * other,
                        lambda: one.detach(),
                    )
                )()
            )
        return T.stack([part for part in made if part.requires_grad]).sum()

    return program


wide("01.3", [(drawn(seed, size),) for seed in range(6) for size in (0, 2, 6)])
