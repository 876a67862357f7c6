"""Correct programs, each in a real IPython shell: no cell may raise, and nothing is left out.

A row is the cells of a program, each on both engines. It runs in float32 and in float64.
"""

import re

import pytest

from tests.budget import budget

from .cells import written

CORRECT = {
    # ---- tensors
    "arithmetic": (
        "x, y = torch.randn(9), torch.rand(9) + 0.5\nz = (x * y - x / y) ** 2",
        "s = z.sum()",
    ),
    "nan and inf": (
        "x = torch.tensor([float('nan'), float('inf'), -float('inf')])\nn = float('nan')",
    ),
    "empty tensors and containers": ("x = torch.zeros(0, 3)\nxs, d = [], {}",),
    "integers and booleans": ("i = torch.arange(5)\nm = i > 2\nn = 10**30",),
    "shapes, dtypes, devices": (
        "x = torch.ones(2, 3)\ns, d = x.shape, x.dtype\nn, m = s\nc = x.device",
    ),
    "containers in containers": (
        "d = {'a': [torch.ones(2), (torch.zeros(1), 3)], 'b': {'c': torch.ones(1)}}",
    ),
    "a list that contains itself": ("xs = [1]\nxs.append(xs)",),
    "changes in place": (
        "x = torch.randn(9)",
        "x[2:5] = 1\nx += 0.5\nx.mul_(2)",
        "y = x.clamp(-1, 1)",
    ),
    "a view and its base": (
        "x = torch.zeros(3, 4)\nrow, flat = x[1], x.view(-1)",
        "row += 1\nflat[0] = 7",
    ),
    "masks": ("x = torch.randn(99)\ny = torch.where(x > 0, x.exp(), x)\nz = x[x > 0]",),
    "sums that cancel": (
        "x = torch.randn(99) + 1000\nu = (x * x).mean() - x.mean() ** 2\nv = x.var()",
    ),
    "sorting without ties": (
        "x = torch.randn(50)\nv, i = x.sort()\nj = x.argsort(descending=True)",
    ),
    "arrays of NumPy": (
        "import numpy as np\na = np.arange(6.0).reshape(2, 3)\nx = torch.from_numpy(a) * 2",
    ),
    "numbers from tensors": (
        "xs = [round(torch.exp(a).item(), 4) for a in torch.randn(50)]\nn = sum(xs)",
    ),
    "random numbers": (
        "torch.manual_seed(3)\nx, i = torch.rand(5), torch.randperm(9)",
        "y = torch.randn(40)\nb = torch.rand(9) < 0.3",
    ),
    "a generator of one's own": (
        "g = torch.Generator().manual_seed(0)\nx = torch.rand(2, generator=g)",
        "y = torch.rand(3, generator=g)",
    ),
    # ---- files, classes and functions
    "a file": ("import os\nwith open(os.devnull) as file:\n    text = file.read()\ndel file",),
    "a subclass of Parameter": (
        "class P(nn.Parameter):\n    pass",
        "p = nn.Parameter(torch.ones(2))\ny = p * 2",
    ),
    "a class with a grad_fn": (
        "class G:\n    grad_fn = 'mine'\n    next_functions = ()\n    @property\n    def variable(self):\n        return 3",
        "g = G()\ng.grad_fn, g.dtype, g.output_nr = 1, 2, 3",
    ),
    "a property that raises": (
        "class G:\n    @property\n    def grad_fn(self):\n        raise ValueError",
        "g = G()",
    ),
    "a graph of one's own": (
        "class Node:\n    def __init__(self, value, parents=()):\n        self.value, self.parents, self.grad = value, parents, 0.0\n"
        "    def __mul__(self, other):\n        return Node(self.value * other.value, (self, other))",
        "a = Node(2.0)\nb = a * a",
    ),
    "a closure that counts": (
        "def counter():\n    total = 0\n    def add(x):\n        nonlocal total\n        total += x.exp().sum().item()\n        return total\n    return add",
        "add = counter()\nfor i in range(9):\n    n = add(torch.randn(99))",
    ),
    "a dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass Batch:\n    x: object\n    n: int = 2",
        "b = Batch(torch.randn(3))\ns = b.x.sum() * b.n",
    ),
    "hooks": (
        "net, seen = nn.Linear(3, 2), []\nh = net.register_forward_hook(lambda m, i, o: seen.append(o.mean().item()))",
        "net.weight.register_hook(lambda g: g * 2)\nnet(torch.randn(4, 3)).sum().backward()\nh.remove()",
    ),
    # ---- gradients
    "a chain of forty layers": (
        "h = torch.ones(1, 20)\nws = [torch.randn(20, 20, requires_grad=True) for _ in range(40)]\nfor w in ws:\n    h = torch.tanh(h @ w * 0.1)\nh.sum().backward()",
    ),
    "a gradient that accumulates": (
        "w = torch.randn(9, requires_grad=True)\nfor i in range(3):\n    (w.sin() * w.exp()).sum().backward()",
    ),
    "detach and no_grad": (
        "w = torch.randn(9, requires_grad=True)\nc = w.detach() * 2\nwith torch.no_grad():\n    n = w.norm()\n(w * c / n).sum().backward()",
    ),
    "autograd.grad": (
        "w = torch.randn(9, requires_grad=True)\n(g,) = torch.autograd.grad(w.norm() ** 3, w)",
    ),
    "chunks": (
        "a = torch.randn(6, requires_grad=True)\nx, y, z = a.chunk(3)\nv = (y * z).sum()\nv.backward()",
    ),
    "two losses of one trunk": (
        "w = torch.randn(3, requires_grad=True)\nh = w.exp()\np, q = h.sum(), (h * h).mean()\np.backward(retain_graph=True)\nq.backward()",
    ),
    "a retained gradient": (
        "w = torch.randn(3, requires_grad=True)\nu = w * 2\nu.retain_grad()\n(u * u).sum().backward()",
    ),
    "double backward": (
        "%%second-order\nw = torch.randn(5, requires_grad=True)\n(g,) = torch.autograd.grad((w**3).sum(), w, create_graph=True)\n(h,) = torch.autograd.grad(g.pow(2).sum(), w)",
    ),
    "a gradient penalty": (
        "%%second-order\n{MLP}x.requires_grad_()\n(g,) = torch.autograd.grad(F.cross_entropy(net(x), t), x, create_graph=True)\n((g.norm(dim=1) - 1) ** 2).mean().backward()",
    ),
    "a custom Function": (
        "class Double(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * 2",
        "w = torch.randn(3, requires_grad=True)\ny = Double.apply(w)\nnode = y.grad_fn\ny.sum().backward()",
    ),
    "a straight-through estimator": (
        "class Round(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x.round()\n    @staticmethod\n    def backward(ctx, g):\n        return g",
        "w = torch.randn(5, requires_grad=True)\n((Round.apply(w) - w) ** 2).sum().backward()",
    ),
    "an expected exception": (
        "w = torch.ones(2, requires_grad=True)\nloss = (w * w).sum()\nloss.backward()",
        "%%raises RuntimeError\nloss.backward()",
    ),
    # ---- losses
    "a masked loss": (
        "x, t, m = torch.randn(4, 9, requires_grad=True), torch.rand(4, 9), torch.rand(4, 9) > 0.5\n"
        "each = F.binary_cross_entropy_with_logits(x, t, reduction='none')\nloss = (each * m).sum() / m.sum()\nloss.backward()",
    ),
    "hard negative mining": (
        "x, t = torch.randn(60, requires_grad=True), (torch.rand(60) > 0.8).float()\n"
        "each = F.binary_cross_entropy_with_logits(x, t.to(x.dtype), reduction='none')\n"
        "worst, i = each[t == 0].topk(9)\nloss = (each[t == 1].sum() + worst.sum()) / 20\nloss.backward()",
    ),
    "topk without ties": (
        "x = torch.randn(50, requires_grad=True)\nv, i = x.topk(5)\nv.sum().backward()\nxs = i.tolist()",
    ),
    # ---- models
    "a subclass of Module": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layer, self._calls = nn.Linear(3, 2), 0\n"
        "    def forward(self, x):\n        self._calls += 1\n        return F.relu(self.layer(x))",
        "net = Net()\nnet(torch.randn(4, 3)).sum().backward()",
    ),
    "attention": (
        "q, k = nn.Linear(8, 8), nn.Linear(8, 8)\nx = torch.randn(2, 5, 8)\na = F.softmax(q(x) @ k(x).transpose(-2, -1) / 3, -1)\n(a @ x).pow(2).mean().backward()",
    ),
    "a convolution": ("{CNN}F.cross_entropy(net(x), t).backward()",),
    "BatchNorm": (
        "net = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU())\nx = torch.randn(9, 4)",
        "net(x).pow(2).sum().backward()",
        "net.eval()\ny = net(x)",
    ),
    "dropout": (
        "torch.manual_seed(1)\nnet = nn.Sequential(nn.Linear(9, 9), nn.Dropout(0.4))\ny = net(torch.randn(5, 9))\ny.sum().backward()",
        "net.eval()\nz = net(torch.ones(2, 9))",
    ),
    "a frozen layer": ("{MLP}net[0].requires_grad_(False)\nF.cross_entropy(net(x), t).backward()",),
    "tied weights": (
        "a, b = nn.Linear(3, 3), nn.Linear(3, 3)\nb.weight = a.weight\nb(a(torch.randn(2, 3))).sum().backward()",
    ),
    "a state dict": (
        "import copy\nnet = nn.BatchNorm1d(3)\nsaved = copy.deepcopy(net.state_dict())",
        "net(torch.randn(5, 3))\nnet.load_state_dict(saved);None",
    ),
    "initialization": (
        "net = nn.Linear(9, 9)\nnn.init.xavier_uniform_(net.weight)\nnn.init.zeros_(net.bias)\nn = net.weight.std()",
    ),
    # ---- trainings
    "SGD": (
        "{MLP}opt = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)",
        "for i in range(5):\n    {STEP}",
    ),
    "Adam": (
        "{MLP}opt = optim.Adam(net.parameters(), lr=0.01)",
        "for i in range(5):\n    {STEP}",
        "{STEP}",
    ),
    "AdamW": (
        "{MLP}opt = optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.1)",
        "for i in range(5):\n    {STEP}",
    ),
    "RMSprop": (
        "{MLP}opt = optim.RMSprop(net.parameters(), lr=0.01)",
        "for i in range(5):\n    {STEP}",
    ),
    "two parameter groups": (
        "{MLP}opt = optim.SGD([{'params': net[0].parameters()}, {'params': net[2].parameters(), 'lr': 0.01}], lr=0.1)",
        "{STEP}",
    ),
    "a step scheduler": (
        "{MLP}opt = optim.SGD(net.parameters(), lr=0.1)\ns = optim.lr_scheduler.StepLR(opt, 2)",
        "for i in range(5):\n    {STEP}\n    s.step()",
    ),
    "a cosine scheduler": (
        "{MLP}opt = optim.SGD(net.parameters(), lr=0.1)\ns = optim.lr_scheduler.CosineAnnealingLR(opt, 5)",
        "for i in range(3):\n    {STEP}\n    s.step()",
    ),
    "clipping": (
        "{MLP}opt = optim.SGD(net.parameters(), lr=0.1)",
        "for i in range(3):\n    opt.zero_grad()\n    F.cross_entropy(net(x), t).backward()\n    n = nn.utils.clip_grad_norm_(net.parameters(), 0.1)\n    opt.step()",
    ),
    "accumulation": (
        "{MLP}opt = optim.SGD(net.parameters(), lr=0.1)\nopt.zero_grad()",
        "for i in range(4):\n    (F.cross_entropy(net(x[i::4]), t[i::4]) / 4).backward()\nopt.step()",
    ),
    "an exponential moving average": (
        "import copy\n{MLP}opt, mean = optim.SGD(net.parameters(), lr=0.1), copy.deepcopy(net)",
        "for i in range(3):\n    {STEP}\n    with torch.no_grad():\n        for m, p in zip(mean.parameters(), net.parameters()):\n            m.mul_(0.9).add_(p, alpha=0.1)",
    ),
    "an iterator of the learner's class": (
        "class Batches:\n    def __init__(self, x):\n        self.x = x\n    def __iter__(self):\n        yield from self.x.split(2)",
        "batches = Batches(torch.rand(4, 2))\nn = sum(b.sum() for b in batches)",
    ),
    "an optimizer of the learner's class": (
        "class Sign(optim.Optimizer):\n    def __init__(self, ps, lr):\n        super().__init__(ps, dict(lr=lr))\n        self._steps = 0\n"
        "    @torch.no_grad()\n    def step(self, closure=None):\n        for group in self.param_groups:\n            for p in group['params']:\n                p -= group['lr'] * p.grad.sign()",
        "w = torch.randn(9, requires_grad=True)\nopt = Sign([w], lr=0.1)",
        "(w * w).sum().backward()\nopt.step()",
    ),
    "a scheduler of the learner's class": (
        "class Half(optim.lr_scheduler.LRScheduler):\n    def get_lr(self):\n        return [g['lr'] * 0.5 for g in self.optimizer.param_groups]",
        "w = torch.randn(9, requires_grad=True)\nopt = optim.SGD([w], lr=0.1)\ns = Half(opt)",
        "(w * w).sum().backward()\nopt.step()\ns.step()",
    ),
    "a training loop in a function": (
        "def train(net, x, t, steps):\n    opt, log = optim.Adam(net.parameters(), lr=0.01), []\n    for _ in range(steps):\n        {STEP}\n        log.append(loss.item())\n    return log",
        "{MLP}log = train(net, x, t, 5)\nacc = (net(x).argmax(1) == t).float().mean().item()",
    ),
    "descent by hand": (
        "w = torch.randn(5, requires_grad=True)",
        "for i in range(5):\n    ((w - 1) ** 2).sum().backward()\n    with torch.no_grad():\n        w -= 0.1 * w.grad\n    w.grad = None",
    ),
    "two optimizers": (
        "g, d = nn.Linear(2, 3), nn.Linear(3, 1)\nog, od = optim.Adam(g.parameters(), lr=0.01), optim.Adam(d.parameters(), lr=0.01)",
        "od.zero_grad()\n(d(g(torch.randn(4, 2)).detach()).mean() - d(torch.randn(4, 3)).mean()).backward()\nod.step()",
        "og.zero_grad()\n(-d(g(torch.randn(4, 2))).mean()).backward()\nog.step()",
    ),
}


NOT_COMPARED = re.compile("not compared(?!: rounding alone)")


def run(notebook, cells):
    """What is shown of each cell; a cell that begins with %% has its options there."""
    for cell in cells:
        options, cell = cell[2:].split("\n", 1) if cell.startswith("%%") else ("", cell)
        yield notebook.both(written(cell), options)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CORRECT)
def test_a_correct_program_raises_nothing(notebook, name, dtype):
    for seed in range(budget(1, 5)):
        notebook.restart()
        notebook.both(f"torch.set_default_dtype(torch.{dtype})\ntorch.manual_seed({seed})")
        for shown in run(notebook, CORRECT[name]):
            assert shown.error is None, shown.message
            assert (
                shown.line in ("", "✓ same on PyTorch") or " raise RuntimeError\n" in shown.line
            ), shown.line


TIED = "x = torch.tensor([1.0, 0.0, 1.0, 1.0, 0.0, 1.0], requires_grad=True)\n"
ORDER = "the order in which {} returns equal elements decides {}."
VIEW = "an in-place change of {} makes PyTorch record its views again, which changes {}."
LEFT_OPEN = {
    "topk": (ORDER.format("topk", "x.grad, i"), TIED + "v, i = x.topk(2)\nv.sum().backward()"),
    "sort": (
        ORDER.format("sort", "x.grad, i"),
        "x = (torch.arange(40) % 3).float().requires_grad_()\nv, i = x.sort()\n(v * torch.arange(40)).sum().backward()",
    ),
    "a later backward pass": (
        ORDER.format("topk", "x.grad"),
        TIED + "v, i = x.topk(2)\nloss = (v * v).sum()",
        "loss.backward()",
    ),
    "a gradient asked for": (
        ORDER.format("topk", "g"),
        TIED + "v = x.topk(2)[0]",
        "(g,) = torch.autograd.grad(v.sum(), x)",
    ),
    "a retained gradient": (
        ORDER.format("topk", "x.grad, u.grad"),
        TIED + "u = x * 2\nu.retain_grad()\nu.topk(2)[0].sum().backward()",
    ),
    "what is computed from the indices": (
        ORDER.format("topk", "chosen"),
        TIED + "v, i = x.topk(2)",
        "chosen = torch.arange(6)[i] + 1",
    ),
    "indices as numbers": (
        ORDER.format("topk", "first"),
        TIED + "v, i = x.topk(2)",
        "first = i[0].item()",
    ),
    "a step and what follows": (
        ORDER.format("topk", "y"),
        TIED + "opt = optim.Adam([x], lr=0.1)\nx.topk(2)[0].sum().backward()\nopt.step()",
        "y = x * 2",
    ),
    "a step by hand": (
        ORDER.format("topk", "y"),
        TIED + "x.topk(2)[0].sum().backward()\nwith torch.no_grad():\n    x -= x.grad\n",
        "y = x.detach() * 2",
    ),
    "a mask": (
        ORDER.format("topk", "m"),
        TIED + "v, i = x.topk(2)",
        "m = torch.zeros(6)\nm[i] = 1",
    ),
    "a view of a parameter": (
        VIEW.format("p", "the graph of v"),
        "p = nn.Parameter(torch.ones(3, 2))\nv = p[0]\nopt = optim.SGD([p], lr=0.1)\nv.sum().backward()",
        "opt.step()",
    ),
    "what uses such a view": (
        VIEW.format("p", "the graph of z"),
        "p = nn.Parameter(torch.ones(3, 2))\nv = p[0].view(2)\nv.sum().backward()\noptim.SGD([p], lr=0.1).step()",
        "z = v * 2",
    ),
    "a transposed weight": (
        VIEW.format("net.weight", "the graph of w"),
        "net = nn.Linear(3, 2)\nw = net.weight.t()\n(torch.ones(1, 3) @ w).sum().backward()\noptim.SGD(net.parameters(), lr=0.1).step()",
    ),
}


@pytest.mark.parametrize("name", LEFT_OPEN)
def test_what_pytorch_leaves_open_is_said(notebook, name):
    sentence, *cells = LEFT_OPEN[name]
    for shown in run(notebook, cells):
        assert shown.error is None, shown.message
    assert shown.line.endswith(f"PyTorch leaves this open: {sentence}")
    assert "not compared: PyTorch leaves this open: " in shown.table
