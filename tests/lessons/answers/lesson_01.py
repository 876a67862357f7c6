"""Right answers to the exercises of lesson 01."""

import torch

import autograd_core as T
from autograd_core import nn
from tests.lessons.right_answers import right

# 01.1: a path that carries zero


@right("01.1")
def times_zero(a, c):
    nothing = c * 0.0
    return a * a + nothing


@right("01.1")
def minus_itself(a, c):
    return a**2 + (c - c)


@right("01.1")
def inside_the_square(a, c):
    return (a + 0 * c) ** 2


@right("01.1")
def by_selection(a, c):
    return T.where(T.tensor(True), a**2, c)


@right("01.1")
def by_index(a, c):
    both = T.stack([a**2, c])
    return both[0]


@right("01.1")
def times_one(a, c):
    return a**2 * c**0


@right("01.1")
def with_relu(a, c):
    square = a.pow(2)
    if c > 0:
        return square + T.relu(-c)
    return square + T.relu(c)


# 01.2: a network that was deleted


@right("01.2")
def line_by_line():
    net = nn.Sequential()
    net.append(nn.Linear(3, 5))
    net.append(nn.Tanh())
    net.append(nn.Linear(5, 4, bias=False))
    net.append(nn.ReLU())
    net.append(nn.Linear(4, 1))
    return net


@right("01.2")
def in_blocks():
    head = nn.Sequential(nn.ReLU(), nn.Linear(4, 1))
    return nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 4, bias=False), head)


@right("01.2")
def of_pytorch():
    first, second = torch.nn.Linear(3, 5), torch.nn.Linear(5, 4, bias=False)
    return torch.nn.Sequential(
        first, torch.nn.Tanh(), second, torch.nn.ReLU(), torch.nn.Linear(4, 1)
    )


@right("01.2")
def of_double_precision():
    last = nn.Linear(5, 4, False), nn.ReLU(inplace=True), nn.Linear(4, 1)
    return nn.Sequential(nn.Linear(3, 5), nn.Tanh(), *last).float()


@right("01.2")
def with_a_layer_that_leaves_no_node():
    first = nn.Linear(3, 5), nn.Identity(), nn.Tanh(), nn.Linear(5, 4, bias=False)
    return nn.Sequential(*first, nn.ReLU(), nn.Linear(4, 1), nn.Identity())


@right("01.2")
def a_class_of_ones_own():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.bend = nn.Linear(3, 5), nn.Tanh()
            self.second, self.cut = nn.Linear(5, 4, bias=False), nn.ReLU()
            self.last = nn.Linear(4, 1)

        def forward(self, x):
            return self.last(self.cut(self.second(self.bend(self.first(x)))))

    return Net()
