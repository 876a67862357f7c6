"""Right answers to the exercises of lesson 14."""

import numpy as np

from tests.lessons.right_answers import right

# ---- 14.1


@right("14.1")
def mul_with_a_rule_of_its_own(self, other):
    other = self.lift(other)

    def rule(g):
        to_self = g * other.data
        to_other = g * self.data
        return to_self, to_other

    return self.record("MulBackward0", self.data * other.data, (self, other), rule)


@right("14.1")
def mul_that_keeps_the_arrays(self, other):
    other = self.lift(other)
    a, b = self.data, other.data
    return self.record("MulBackward0", a * b, (self, other), lambda g: (b * g, a * g))


@right("14.1")
def mul_with_a_list(self, other):
    other = self.lift(other)
    return self.record(
        "MulBackward0",
        np.multiply(self.data, other.data),
        [self, other],
        lambda g: [np.multiply(g, other.data), np.multiply(g, self.data)],
    )


@right("14.1")
def mul_with_what_it_saved(self, other):
    other = self.lift(other)
    saved = (self.data, other.data)
    value = saved[0] * saved[1]

    def rule(g):
        return tuple(g * factor for factor in saved[::-1])

    return self.record("MulBackward0", value, (self, other), rule)


@right("14.1")
def mul_with_defaults(self, other):
    other = self.lift(other)
    value = self.data * other.data
    return self.record(
        name="MulBackward0",
        value=value,
        inputs=(self, other),
        rule=lambda g, mine=self.data, theirs=other.data: (g * theirs, g * mine),
    )


# ---- 14.2


@right("14.2")
def with_get(self):
    arrived = {self: np.ones(self.data.shape)}
    for node in self.graph():
        gradient = arrived.pop(node)
        if not node.inputs:
            node.grad = gradient if node.grad is None else node.grad + gradient
            continue
        for x, part in zip(node.inputs, node.send(gradient)):
            if x.requires_grad:
                arrived[x] = arrived.get(x, 0) + part


@right("14.2")
def with_lists(self):
    arrived = {self: [np.ones_like(self.data)]}
    for node in self.graph():
        gradient = sum(arrived[node])
        if node.inputs:
            for x, part in zip(node.inputs, node.send(gradient)):
                if x.requires_grad:
                    arrived.setdefault(x, []).append(part)
        elif node.grad is None:
            node.grad = gradient
        else:
            node.grad = node.grad + gradient


@right("14.2")
def with_ids(self):
    arrived = {id(self): np.ones_like(self.data)}
    for node in self.graph():
        gradient = arrived[id(node)]
        if len(node.inputs) == 0:
            old = 0 if node.grad is None else node.grad
            node.grad = old + gradient
        else:
            parts = node.send(gradient)
            for place in range(len(parts)):
                x = node.inputs[place]
                if not x.requires_grad:
                    continue
                if id(x) in arrived:
                    arrived[id(x)] = arrived[id(x)] + parts[place]
                else:
                    arrived[id(x)] = parts[place]


@right("14.2")
def with_none_for_what_gets_nothing(self):
    arrived = {self: np.ones_like(self.data)}
    for node in self.graph():
        gradient = arrived[node]
        if node.inputs:
            for x, part in zip(node.inputs, node.send(gradient)):
                if part is not None:
                    arrived[x] = part if x not in arrived else np.add(arrived[x], part)
        else:
            node.grad = np.copy(gradient) if node.grad is None else np.add(node.grad, gradient)


@right("14.2")
def with_leaves_at_the_end(self):
    arrived, order = {self: np.ones_like(self.data)}, self.graph()
    for node in order:
        if node.inputs:
            for x, part in zip(node.inputs, node.send(arrived[node])):
                if x.requires_grad:
                    arrived[x] = arrived[x] + part if x in arrived else part
    for node in order:
        if not node.inputs:
            node.grad = arrived[node] if node.grad is None else node.grad + arrived[node]


# ---- 14.3


@right("14.3")
def one_axis_at_a_time(self, gradient):
    while gradient.ndim > self.data.ndim:
        gradient = gradient.sum(0)
    for axis, size in enumerate(self.data.shape):
        if size == 1:
            gradient = gradient.sum(axis, keepdims=True)
    return gradient


@right("14.3")
def where_the_sizes_differ(self, gradient):
    shape = self.data.shape
    new = gradient.ndim - len(shape)
    if new > 0:
        gradient = gradient.sum(axis=tuple(range(new)))
    stretched = tuple(i for i in range(len(shape)) if shape[i] != gradient.shape[i])
    if stretched:
        gradient = gradient.sum(axis=stretched, keepdims=True)
    return gradient


@right("14.3")
def with_a_padded_shape(self, gradient):
    padded = (1,) * (gradient.ndim - self.data.ndim) + self.data.shape
    axes = tuple(i for i, (size, full) in enumerate(zip(padded, gradient.shape)) if size < full)
    return gradient.sum(axes, keepdims=True).reshape(self.data.shape)


@right("14.3")
def only_where_needed(self, gradient):
    if gradient.shape == self.data.shape:
        return gradient
    gradient = gradient.sum(tuple(range(gradient.ndim - self.data.ndim)))
    axes = [axis for axis in range(self.data.ndim) if self.data.shape[axis] == 1]
    return np.sum(gradient, axis=tuple(axes), keepdims=True)


@right("14.3")
def with_add_reduce(self, gradient):
    new = gradient.ndim - self.data.ndim
    gradient = np.add.reduce(gradient, axis=tuple(range(new)))
    return np.add.reduce(
        gradient, axis=tuple(np.flatnonzero(np.array(self.data.shape) == 1)), keepdims=True
    )


# ---- 14.4


@right("14.4", "matmul")
def matmul_with_a_rule_of_its_own(self, other):
    def rule(g):
        return g @ other.data.T, self.data.T @ g

    return self.record("MmBackward0", self.data @ other.data, (self, other), rule)


@right("14.4", "matmul")
def matmul_with_functions(self, other):
    a, b = self.data, other.data
    return self.record(
        "MmBackward0",
        np.matmul(a, b),
        (self, other),
        lambda g: (np.matmul(g, b.transpose()), np.matmul(a.transpose(), g)),
    )


@right("14.4", "matmul")
def matmul_turned_as_a_whole(self, other):
    return self.record(
        "MmBackward0",
        self.data.dot(other.data),
        (self, other),
        lambda g: ((other.data @ g.T).T, (g.T @ self.data).T),
    )


@right("14.4", "matmul")
def matmul_with_letters(self, other):
    a, b = self.data, other.data
    return self.record(
        "MmBackward0",
        np.einsum("nk,km->nm", a, b),
        (self, other),
        lambda g: (np.einsum("nm,km->nk", g, b), np.einsum("nk,nm->km", a, g)),
    )


@right("14.4", "matmul")
def matmul_that_lifts(self, other):
    other = self.lift(other)
    value = self.data @ other.data

    def rule(g):
        left = g @ other.data.T
        right = self.data.T @ g
        return left, right

    return self.record("MmBackward0", value, (self, other), rule)


@right("14.4", "relu")
def relu_with_where(self):
    value = np.where(self.data > 0, self.data, 0.0)
    return self.record(
        "ReluBackward0", value, (self,), lambda g: (np.where(self.data > 0, g, 0.0),)
    )


@right("14.4", "relu")
def relu_with_a_mask(self):
    mask = self.data > 0
    return self.record("ReluBackward0", self.data * mask, (self,), lambda g: (g * mask,))


@right("14.4", "relu")
def relu_that_asks_its_result(self):
    value = self.data.clip(0)

    def rule(g):
        return [g * (value > 0)]

    return self.record("ReluBackward0", value, [self], rule)


@right("14.4", "relu")
def relu_with_a_copy(self):
    def rule(g):
        g = g.copy()
        g[self.data <= 0] = 0
        return (g,)

    return self.record("ReluBackward0", np.maximum(0, self.data), (self,), rule)


@right("14.4", "relu")
def relu_with_a_sign(self):
    positive = np.sign(self.data).clip(0, 1)
    return self.record("ReluBackward0", positive * self.data, (self,), lambda g: (positive * g,))


@right("14.4", "step")
def step_with_a_name_for_the_velocity(parameters, velocity, lr, momentum):
    for i in range(len(parameters)):
        v = velocity[i] * momentum + parameters[i].grad
        velocity[i] = v
        parameters[i].data = parameters[i].data - v * lr


@right("14.4", "step")
def step_in_two_loops(parameters, velocity, lr, momentum):
    for i, p in enumerate(parameters):
        velocity[i] = p.grad + momentum * velocity[i]
    for p, v in zip(parameters, velocity):
        p.data = p.data - lr * v


@right("14.4", "step")
def step_with_a_slice(parameters, velocity, lr, momentum):
    velocity[:] = [momentum * v + p.grad for v, p in zip(velocity, parameters)]
    for p, v in zip(parameters, velocity):
        p.data = p.data + (-lr) * v


@right("14.4", "step")
def step_with_a_copy(parameters, velocity, lr, momentum):
    for i, p in enumerate(parameters):
        v = np.array(p.grad)
        v += momentum * velocity[i]
        velocity[i] = v
        p.data = p.data - lr * v


@right("14.4", "step")
def step_with_functions(parameters, velocity, lr, momentum):
    for i, p in enumerate(parameters):
        velocity[i] = np.add(np.multiply(momentum, velocity[i]), p.grad)
        p.data = np.subtract(p.data, np.multiply(lr, velocity[i]))
