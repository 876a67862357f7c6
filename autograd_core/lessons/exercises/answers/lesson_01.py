"""Lesson 01, recording the graph: what PyTorch answers to its exercises."""

from ..check import Loss, exercise


@exercise("01.1")
def divisions_until_small(torch):
    v = torch.tensor(100.0, requires_grad=True)
    while v.abs() > 1:
        v = v / 2
    node, count = v.grad_fn, 0
    while node.next_functions:
        node, count = node.next_functions[0][0], count + 1
    return {"divisions": count}


@exercise("01.2")
def a_path_that_carries_zero(torch):
    return {"loss": Loss(lambda a, c: a ** 2 + 0 * c, {"a": (), "c": ()})}


@exercise("01.3")
def nodes_of_the_watched_loss(torch):
    a, b, c = (torch.tensor(value, requires_grad=True) for value in (2.0, -0.5, 0.3))
    u = a * b
    loss = u * torch.sigmoid(u + c)
    met, stack = set(), [loss.grad_fn]
    while stack:
        node = stack.pop()
        if node not in met:
            met.add(node)
            stack += [producer for producer, _ in node.next_functions if producer]
    return {"nodes": len(met)}
