"""Planted differences, each in a real IPython shell: the cell must raise, and name what differs.

A row is the message that a learner must see, and the cells that lead to it. The last one raises.
"""

import pytest

from autograd_core.parity.compare import ParityError

from .cells import written

PLANTED = {
    # ---- values of tensors
    "an element": (r"x differs at \[1\]: 2.0 here, 2.00", "x = torch.tensor([1.0, <<2.0|2.01>>])"),
    "a float64": (
        r"x differs at \[2\]",
        "x = torch.ones(3, dtype=torch.float64)\nx[2] += <<0.0|1e-6>>",
    ),
    "an integer": (r"x differs at \[1\]: 4 here, 5 in PyTorch", "x = torch.tensor([3, <<4|5>>])"),
    "a large integer": (r"x differs at \[0\]", "x = torch.tensor([2**60 + <<1|2>>])"),
    "a boolean": (
        r"x differs at \[1\]: False here, True",
        "x = torch.tensor([True, <<False|True>>])",
    ),
    "nan against a number": (
        r"x differs at \[1\]: 1.0 here, nan in PyTorch",
        "x = torch.tensor([0.0, <<1.0|float('nan')>>])",
    ),
    "an element of a matrix": (
        r"m differs at \[1, 2\]",
        "m = torch.arange(6.0).reshape(2, 3)\nm[1, 2] = <<1.0|2.0>>",
    ),
    "a tensor of an earlier cell": (
        r"x differs at \[2\]: 1.5 here, 1.0",
        "x = torch.ones(4)",
        "if OURS:\n    x[2] = 1.5",
    ),
    "a change through a view": (
        r"x differs at \[1\]: 2.0 here, 2.5",
        "x = torch.ones(4)\nview = x[1:]",
        "view.mul_(<<2.0|2.5>>);None",
    ),
    "a change through an array": (
        r"x differs at \[1\]: 2.0 here, 2.5",
        "x = torch.ones(4)",
        "x.numpy()[1] = <<2.0|2.5>>",
    ),
    "the last expression": (r"differs at \[0\]: 1.0 here, 2.0", "torch.tensor([<<1.0|2.0>>])"),
    "a tensor in a tuple in a list": (
        r"d\['k'\]\[1\]\[0\] differs at \[1\]: 1.0 here, 5.0 in PyTorch",
        "d = {'k': [torch.ones(1), (torch.tensor([1.0, <<1.0|5.0>>]), 3)]}",
    ),
    "a tensor on a module": (
        r"net.kept differs at \[0\]: 1.0 here, 2.0",
        "net = nn.Linear(1, 1)\nnet.kept = torch.tensor([<<1.0|2.0>>])",
    ),
    "a tensor that only one side has": (
        "extra is missing here, a tensor of shape",
        "x = torch.ones(1)\nif THEIRS:\n    extra = torch.ones(2)",
    ),
    "None in place of a tensor": (
        r"x is NoneType here, a tensor of shape \[2\]",
        "x = <<None|torch.ones(2)>>",
    ),
    "a list that is shorter": (
        "xs is list of 2 here, list of 3 in PyTorch",
        "xs = [torch.ones(1) for _ in range(<<2|3>>)]",
    ),
    "an int in place of a float": ("n is int here, float in PyTorch", "n = <<3|3.0>>"),
    "a loss as a number": ("n differs: ", "{LOSS}n = loss.item() * <<1|1.01>>"),
    # ---- dtype, shape, requires_grad
    "float32 against float64": (
        "x.dtype is torch.float32 here, torch.float64 in PyTorch",
        "x = torch.ones(2, dtype=<<torch.float32|torch.float64>>)",
    ),
    "a transposed shape": (
        r"x.shape is \[2, 1\] here, \[1, 2\] in PyTorch",
        "x = torch.ones(<<(2, 1)|(1, 2)>>)",
    ),
    "requires_grad": (
        "x.requires_grad is False here, True in PyTorch",
        "x = torch.ones(2, requires_grad=<<False|True>>)",
    ),
    "requires_grad set later": (
        "x.requires_grad is True here, False in PyTorch",
        "x = torch.ones(4)",
        "x.requires_grad_(<<True|False>>);None",
    ),
    "a leaf against a result": (
        "u.is_leaf is False here, True in PyTorch",
        "{LOSS}if THEIRS:\n    u = u.detach().requires_grad_()",
    ),
    # ---- gradients
    "a gradient that is 0.1% off": (
        r"a.grad differs at \[1\]: ",
        "{LOSS}if THEIRS:\n    u.register_hook(lambda g: g * 1.001)\nloss.backward()",
    ),
    "a missing gradient": (
        r"b.grad is a tensor of shape \[2\] here, None in PyTorch",
        "{LOSS}loss.backward()\nif THEIRS:\n    b.grad = None",
    ),
    "zeros in place of no gradient": (
        r"a.grad is a tensor of shape \[2\] here, None",
        "{LOSS}if OURS:\n    a.grad = torch.zeros(2)",
    ),
    "a retained gradient": (
        "u.grad differs",
        "{LOSS}u.retain_grad()\nloss.backward()\nu.grad.mul_(<<1|2>>);None",
    ),
    "a gradient asked for": (
        r"g differs at \[1\]",
        "{LOSS}(g,) = torch.autograd.grad(loss, a)\ng = g * <<1|1.01>>",
    ),
    "a gradient of a gradient": (
        r"h differs at \[1\]",
        "%%second-order\n{LOSS}(g,) = torch.autograd.grad(loss, a, create_graph=True)\n"
        "(h,) = torch.autograd.grad(g.sum(), a)\nh = h * <<1|1.01>>",
    ),
    # ---- parameters and buffers
    "a frozen parameter": (
        "net.0.weight.requires_grad is True here, False",
        "{NET}net[0].weight.requires_grad_(<<True|False>>);None",
    ),
    "a parameter that only one side has": (
        "net.extra is missing here",
        "net = nn.Linear(2, 1)\nif THEIRS:\n    net.extra = nn.Parameter(torch.ones(1))",
    ),
    "a layer more": (
        "net.2 is missing here",
        "net = nn.Sequential(*[nn.ReLU() for _ in range(<<2|3>>)])",
    ),
    "another layer": ("net.0 is ReLU here, Tanh", "net = nn.Sequential(<<nn.ReLU()|nn.Tanh()>>)"),
    "a training flag": (
        "net.1.training differs: True here, False in PyTorch",
        "{NET}net[1].train(<<True|False>>);None",
    ),
    "a buffer": (
        r"net.count differs at \[0\]: 0.0 here, 1.0 in PyTorch",
        "net = nn.Module()\nnet.register_buffer('count', torch.zeros(2))\nnet.count += <<0|1>>",
    ),
    "the number of batches": (
        "2 more results differ: .*net.num_batches_tracked",
        "net, x = nn.BatchNorm1d(2), torch.ones(4, 2)\nfor _ in range(<<1|2>>):\n    net(x)",
    ),
    # ---- optimizers
    "a learning rate": (
        r"opt.param_groups\[0\].lr differs: 0.1 here, 0.2",
        "{NET}{ADAM}opt.param_groups[0]['lr'] = <<0.1|0.2>>",
    ),
    "a step more": (
        "net.0.weight differs",
        "{NET}{SGD}",
        "for _ in range(<<1|2>>):\n    opt.step()",
    ),
    "a running mean of gradients": (
        r"opt.state\[0\].exp_avg differs at \[0, 0\]",
        "{NET}{ADAM}opt.step()\nopt.state[net[0].weight]['exp_avg'][0, 0] += <<0|1>>",
    ),
    "a state that only one side has": (
        r"15 more results differ: .*opt.state\[0\].step",
        "{NET}{ADAM}if OURS:\n    opt.step()",
    ),
    "a scheduler's step": (
        r"opt.param_groups\[0\].lr differs",
        "{NET}{SGD}s = optim.lr_scheduler.StepLR(opt, 1)\nopt.step()\nif OURS:\n    s.step()\ndel s",
    ),
    "an optimizer of the learner's class": (
        r"w differs at \[0\]: 0.8",
        "class Own(optim.Optimizer):\n    def __init__(self, ps):\n        super().__init__(ps, {})\n"
        "    @torch.no_grad()\n    def step(self, closure=None):\n"
        "        for group in self.param_groups:\n            for p in group['params']:\n"
        "                p -= <<0.1|0.2>> * p.grad",
        "w = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()\nOwn([w]).step()",
    ),
    # ---- the graph
    "another node": (
        "graph of y: node 0 is MulBackward0 here, AddBackward0 in PyTorch",
        "{LOSS}y = <<a * 2|a + a>>",
    ),
    "a node more": (
        "graph of y: node 1 .input 0 of MulBackward0. is AccumulateGrad of a here, MulBackward0",
        "{LOSS}y = <<a|(a * 1)>> * 2",
    ),
    "a node far below": (
        r"graph of y: node 3 .* ExpBackward0",
        "x = torch.zeros(2, requires_grad=True)\ny = <<x.exp()|x.cos()>>.detach() * 0 + <<x.exp()|x.cos()>>\n"
        "y = y.sin().sum()",
    ),
    "swapped edges": (
        r"graph of p: node 1 \(input 0 of MulBackward0\) is AccumulateGrad of a here, "
        "AccumulateGrad of b in PyTorch",
        "{LOSS}p = <<a * b|b * a>>",
    ),
    "a lost edge": (
        "AccumulateGrad of b here, a constant in PyTorch",
        "{LOSS}p = a * <<b|b.detach()>>",
    ),
    "the output number of an edge": (
        "graph of v: node 0, MulBackward0: input 0 comes from output 1 here, 0 in PyTorch",
        "a = torch.ones(4, requires_grad=True)\nx, y = a.chunk(2)",
        "v = <<y|x>> * 2",
    ),
    "the output number of a result": (
        "v is output 1 of its node here, 0 in PyTorch",
        "a = torch.ones(4, requires_grad=True)\nv = a.chunk(2)[<<1|0>>]",
    ),
    "an equal node in place of the same": (
        "MulBackward0 on both sides, but not the same edges lead to it",
        "a = torch.tensor(2.0, requires_grad=True)\nu = a * 3\nv = u + <<u|a * 3>>",
    ),
    "two nodes the other way round": (
        "MulBackward0 on both sides, but not the same edges lead to it",
        "a = torch.tensor(2.0, requires_grad=True)\nx = [a * 3, a * 3]\ny = x[0] - x[1]\n"
        "if THEIRS:\n    x.reverse()",
    ),
    "a number of inputs": (
        "with 2 inputs here, 3 in PyTorch",
        "a = torch.ones(2, requires_grad=True)\ny = torch.cat([a, a] + <<[]|[a[:0]]>>)",
    ),
    "a node in a variable": (
        "node 0 is SumBackward0 here, MulBackward0",
        "{LOSS}node = <<loss|u>>.grad_fn",
    ),
    "the name of a custom Function": (
        "graph of y: node 0 is AHereBackward here, AThereBackward in PyTorch",
        "class A(torch.autograd.Function):\n    @staticmethod\n    def forward(c, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(c, g):\n        return g * 2\n"
        "Made = type(<<'AHere'|'AThere'>>, (A,), {})\n"
        "y = Made.apply(torch.ones(2, requires_grad=True))\ndel A, Made",
    ),
    "a wrong backward of a custom Function": (
        r"w.grad differs at \[0\]: 2.0 here, 2.00",
        "class A(torch.autograd.Function):\n    @staticmethod\n    def forward(c, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(c, g):\n        return g * <<2|2.002>>",
        "w = torch.ones(2, requires_grad=True)\nA.apply(w).sum().backward()",
    ),
    "a graph of an optimized parameter": (
        "graph of y: node 1 .* is TBackward0 here",
        "{NET}{SGD}opt.step()\ny = <<net[0].weight.t()|net[0].weight.transpose(0, 1)>> * 2",
    ),
    # ---- beside results that PyTorch leaves open
    "a wrong index beside ties": (
        r"i differs at \[1\]",
        "x = torch.tensor([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])\nv, i = x.topk(2)\nif THEIRS:\n    i[0] = 1",
    ),
    "an unrelated value beside ties": (
        "z differs: 1.0 here, 2.0",
        "x = torch.tensor([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])\nv, i = x.topk(2)\nz = torch.tensor(<<1.0|2.0>>)",
    ),
    "an unrelated gradient beside ties": (
        r"w.grad differs at \[0\]",
        "x = torch.tensor([1.0, 0.0, 1.0, 1.0, 0.0, 1.0], requires_grad=True)\nx.topk(2)[0].sum().backward()\n"
        "w = torch.ones(1, requires_grad=True)\n(w * <<1.0|2.0>>).sum().backward()",
    ),
    "values beside ties": (
        r"v differs at \[0\]",
        "x = torch.tensor([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])\nv = x.topk(2)[0] * <<1|2>>",
    ),
    "a view of a parameter that no step changed": (
        "graph of v: node 0 is SelectBackward0 here, AsStridedBackward0",
        "p = nn.Parameter(torch.ones(3, 2))\nv = <<p[0]|p.as_strided((2,), (1,))>>",
    ),
    "a node above a rebuilt view": (
        "graph of z: node 0 is MulBackward0 here, AddBackward0",
        "p = nn.Parameter(torch.ones(3, 2))\nv = p[0]\nv.sum().backward()\noptim.SGD([p], lr=0.1).step()",
        "z = <<v * 2|v + v>>",
    ),
    "a rebuilt view of another parameter": (
        "graph of v: node 1 .* is AccumulateGrad of p here, AccumulateGrad of q",
        "p, q = nn.Parameter(torch.ones(3, 2)), nn.Parameter(torch.ones(3, 2))\nv = <<p|q>>[0]\n"
        "with torch.no_grad():\n    p += 1\n    q += 1",
    ),
    # ---- exceptions
    "a result before an expected exception": (
        r"x differs at \[0\]",
        "%%raises ValueError\nx = torch.tensor([<<1.0|2.0>>])\nraise ValueError('x')",
    ),
    "objects with a grad_fn of their own": (
        "g.grad_fn differs: 1 here, 2 in PyTorch",
        "class G:\n    pass\ng = G()\ng.grad_fn = <<1|2>>",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_difference_is_named(notebook, name):
    message, *before, last = PLANTED[name]
    for cell in before:
        assert notebook.both(written(cell)).error is None
    options, last = last[2:].split("\n", 1) if last.startswith("%%") else ("", last)
    shown = notebook.both(written(last), options)
    assert isinstance(shown.error, ParityError), shown
    with pytest.raises(ParityError, match=message):
        raise shown.error
    assert "Traceback" not in shown.printed
