"""Engines that are wrong by a little, changes that one side alone saw, and rows beyond the tables of
test_planted.py and test_correct.py. Each cell runs in a real IPython shell.

The rows are cells: ` ;; ` stands between two of them, ` %% ` between a cell and the next of its
program. `<<a|b>>` is `a` on autograd_core's side and `b` on PyTorch's; SHORT has abbreviations.
"""

import contextlib
import re

import numpy as np
import pytest

from autograd_core.core.recording import recording
from autograd_core.parity.both import MadeOutside
from autograd_core.parity.compare import ParityError
from tests.budget import budget

SHORT = {
    "{NET}": "net = nn.Sequential(nn.Linear(1, 1), nn.Sigmoid())\n",
    "{HOOK}": "net[1].register_forward_hook(keep)\ny = net(T.ones(1, 1))",
    "{W}": "w = T.ones(2, requires_grad=True)\n",
    "{A}": "a = T.ones(2, requires_grad=True)\n",
    "{SGD}": "opt = optim.SGD([w], lr=0.1)\n",
    "{S}": "optim.lr_scheduler.",
    "{D}": "T.utils.data.",
    "{DC}": "from dataclasses import dataclass\n@dataclass\nclass D:\n ",
    "{NP}": "import numpy as np\n",
    "{POOL}": "import torch\nfrom concurrent.futures import ThreadPoolExecutor as Pool\n",
    "{CHAOS}": "x = T.tensor(0.3)\nfor i in range(200): x = <<3.9|3.8>> * x * (1 - x)\n",
    "{MLP}": "net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))\n"
    "x, t = T.randn(16, 4), T.randint(0, 3, (16,))\n",
    "{CNN}": "net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), "
    "nn.Flatten(), nn.Linear(64, 3))\nx, t = T.randn(12, 1, 8, 8), T.randint(0, 3, (12,))\n",
    "{STEP}": "opt.zero_grad(); loss = F.cross_entropy(net(x), t); loss.backward(); opt.step()",
}


def cell(text):
    """The cell that a row stands for."""
    for name, code in [(r"\n", "\n"), *SHORT.items()]:
        text = text.replace(name, code)
    for side, engine in (("OURS", "autograd_core"), ("THEIRS", "torch")):
        text = text.replace(side, f"T.__name__ == '{engine}'")
    return re.sub(
        r"<<(.*?)\|(.*?)>>", r"(\1 if T.__name__ == 'autograd_core' else \2)", text, flags=re.S
    )


def rows(table):
    return [row for line in table.strip().splitlines() for row in line.split(" ;; ")]


def outcome(notebook, text, more=""):
    """What is said of a row's last cell: "told" and a message, "said" or "tick" and what is shown."""
    *before, last = re.split(r" %% ", text)
    for each in before:
        notebook.both(cell(each))
    line, _, last = (
        cell(last).rpartition("%%")[2].partition("\n") if last[:2] == "%%" else ("", "", cell(last))
    )
    shown = notebook.both(more * (not line) + last, line)
    if isinstance(shown.error, MadeOutside | ParityError):
        return "told", shown.message
    assert shown.error is None, shown.message
    if "not compared" not in shown.line and "; but " not in shown.line:
        return "tick", shown.line
    return "said", f"{shown.line}\n{shown.table}"


# ---- a difference that one cell makes ----------------------------------------------------------

TOLD = r"""
net = nn.Sequential(nn.Linear(1, 1))\nif OURS:\n net[0].kept = T.ones(1)
g = T.Generator().manual_seed(1) %% if OURS:\n T.rand(1, generator=g)
{W}{SGD}opt.note = <<1.0|2.0>> ;; {W}{SGD}s = {S}StepLR(opt, 5)\nopt.step()\nif OURS:\n s.step()
{NP}net = nn.Linear(1, 1)\nnet.kept = np.array([<<1.0|2.0>>])
net = nn.Sequential()\nnet.add_module(<<'a'|'b'>>, nn.ReLU())
a = [1, 2]\nb = [a, <<a|list(a)>>] ;; if OURS:\n T.no_grad().__enter__()
{W}{SGD}s = {S}CosineAnnealingLR(opt, <<9|8>>)\nopt.step()\ns.step()
v = [[1], 2]\nv[0].append(<<v|v[0]>>) ;; {NET}def keep(m, i, o):\n m.out = o * <<1|2>> + 1\n{HOOK}
{W}opt = <<optim.Adam|optim.AdamW>>([w], weight_decay=0)
from functools import partial\nf = partial(pow, <<2|3>>)
{W}{SGD}opt.state[w]['n'] = <<1.0|2.0>> ;; net = nn.Linear(1, 1)\nnet.kept = T.ones(<<1|2>>).shape
%%raises ValueError\nv = <<1|2>>\nraise ValueError('x')
net = nn.BatchNorm1d(2)\nnet.running_mean += <<0|0.5>> ;; def f():\n f.n += <<1|2>>\nf.n = 0\nf()
x = T.tensor([1e8])\nv = (x / 3 + <<0.3|9.0>>) - x / 3 ;; v = [1]\nv.append(v)\nv.append(<<1|2>>)
class A:\n __slots__ = ('n',)\na = A()\na.n = <<1|2>>
net = nn.BatchNorm1d(3, eps=<<1e-5|1e-4>>)
%%raises ValueError\nif OURS:\n raise ValueError('x')
{NP}v = np.array([1, <<'a'|'b'>>], object) ;; v = (T.exp(T.tensor([1.3])) * <<1|1.00001>>).item()
class A:\n n = 0\na = A() %% A.n += <<1|2>> ;; for i in range(5): print(i, 0.5 * i * <<1|1.001>>)
{W}{SGD}s = {S}StepLR(opt, 2, gamma=<<0.1|0.2>>)
{DC}x: object\nd = D([D({'a': D(<<1.0|2.0>>)})])
net = nn.Linear(1, 1)\nnet.kept = {<<1.0|2.0>>} ;; def f():\n pass\nf.n = T.tensor([<<1.0|2.0>>])
net = nn.Sequential(nn.Dropout(<<0.5|0.4>>)) ;; v = T.exp(T.tensor([1.3])) * <<1|1.00001>>
v = T.exp(T.tensor([1.3])) * <<1|1.00012>> ;; v = T.ones(2)\nif OURS:\n v.note = 1
v = [1, 2, <<3|4>>] ;; {NP}v = np.array([1.0, <<2.0|2.1>>])
if THEIRS:\n raise RuntimeError('x') ;; v = {'a': <<3|4>>} ;; {W}{SGD}s = {S}StepLR(opt, <<2|3>>)
v = {<<'a'|'b'>>: 1} ;; {NP}v = np.array([2**62 + <<1|2>>]) ;; {NP}v = np.random.rand(<<2|3>>)[:1]
v = (1, (2, <<3|4>>)) ;; print(T.tensor([1.5, <<2.5|2.6>>])) ;; if OURS:\n raise RuntimeError('x')
{NP}v = np.ones(2, <<'f4'|'f8'>>) ;; {NP}v = np.float32(<<1.0|1.001>>) ;; v = <<float('nan')|1.0>>
def f(k=<<2.0|3.0>>):\n return k ;; {DC}x: float\nd = D(<<1.0|2.0>>)
v = str(T.tensor([<<0.1|0.2>>])) ;; T.manual_seed(<<0|1>>)\nNone
v = T.ones(4)\nw = v[<<0|1>>:3] ;; v = T.ones(2)\nv.note = <<1|2>>
{NP}v = <<1.0|np.float64(1)>> ;; {DC}x: float = <<1.0|2.0>> ;; v = <<float('inf')|1e308>>
print(<<'-1.5'|'1.5'>>) ;; class A:\n n = <<1|2>> ;; v = {<<1|1.0>>: 1} ;; v = <<1.0|1.00000001>>
v = <<1e8|1e8 + 16>> ;; v = 10**30 + <<1|2>> ;; print(<<1.5|1.6>>) ;; v = [1] * <<3|4>>
v = <<b'1'|b'2'>> ;; v = <<[1]|(1,)>> ;; v = {1, <<2|3>>} ;; if OURS:\n v = 1 ;; v = <<None|0>>
f = <<(lambda x: x)|(lambda x: 2 * x)>> ;; v = <<True|1>> ;; v = <<1|1.0>> ;; <<None|2.0>>
<<1.0|2.0>>
{POOL}with Pool(1) as p:\n v = p.submit(lambda: T.exp(T.tensor([<<1.0|2.0>>]))).result()\ndel p
{POOL}with Pool(1) as p:\n v = p.submit(lambda: torch.ones(1).exp().item()).result()\ndel p
{POOL}import autograd_core as a\nwith Pool(1) as p:\n v = p.submit(lambda: a.ones(1).exp().item()).result()\ndel p
{POOL}p = Pool(1)\nv = p.submit(lambda: 1).result() %% v = p.submit(lambda: torch.ones(1).item()).result()
{POOL}import autograd_core as a\np = Pool(1)\nv = p.submit(lambda: 1).result() %% v = p.submit(a.ones, 1).result().item()
import torch\nv = torch.ones(2).sum().item() ;; import autograd_core as a\nv = a.ones(2).sum()
import torch\ntry:\n v = torch.ones(2).sum().item()\nexcept BaseException:\n v = 1.0
{NP}f = <<np.exp|np.log>> ;; e = ValueError(<<1|2>>) ;; e = ValueError(T.tensor([<<1.0|2.0>>]))
g = iter([1, <<1|2>>]) ;; {NP}v = np.random.default_rng(<<1|2>>)
o = object()\nclass Z:\n pass\nz = <<object()|Z()>> ;; {NP}v = np.finfo(<<np.float32|np.float64>>)
import queue\nv = queue.Queue()\nv.put(T.tensor([<<1.0|2.0>>]))
{NP}v = np.random.RandomState(<<1|2>>) ;; import random\nv = random.Random(<<1|2>>)
"""
SAID = r"""
class L(set):\n pass\nv = L('a')\nv.n = <<1|2>> ;; print(<<1|2>>)
g = (i for i in range(5))\nnext(g)\nif OURS:\n next(g) ;; print(<<'a'|'b'>>)
import weakref\nt = T.tensor([1.0])\nu = T.tensor([2.0])\nv = weakref.ref(<<t|u>>)
if OURS:\n print('a') ;; print(<<'97%'|'98%'>>) ;; print(<<'1.2.3'|'1.2.4'>>)
T.manual_seed(0)\nx = T.rand(5)\nfor i in range(200): x = <<3.9|3.8>> * x * (1 - x)\ndel i
T.manual_seed(0)\nx = T.rand(5)\nfor i in range(200): x = <<3.9|3.9 + 1e-6>> * x * (1 - x)\ndel i
{CHAOS}v = x.item()\ndel i, x ;; {CHAOS}v = str(x)\ndel x, i
v = <<'loss 0.4567'|'loss 0.4568'>> ;; print(<<'0.12345'|'0.12346'>>)
x = T.tensor(0.3)\nn = 5\nfor i in range(200): x = <<3.9|3.8>> * x * (1 - x)
{CHAOS}v = (x.item(), {'x': x.item()})\ndel x, i ;; {CHAOS}print(x)\ndel x, i
{CHAOS}net = nn.ReLU()\nnet.kept = x\ndel x, i
{CHAOS}v = [T.ones(1) * k for k in range(70)] + [x]\ndel x, i ;; if OURS:\n T.mine = 1
import string %% string.mine = <<1|2>>
"""


@pytest.mark.parametrize("text", rows(TOLD))
def test_a_difference_is_told(notebook, text):
    assert outcome(notebook, text, "nothing_wrong = T.ones(1)\n")[0] == "told"


@pytest.mark.parametrize("text", rows(SAID))
def test_what_cannot_be_compared_is_said(notebook, text):
    kind, said = outcome(notebook, text, "nothing_wrong = T.ones(1)\n")
    assert kind == "said" and "not compared: " in said


# ---- an engine that is wrong by a thousand last places -----------------------------------------

OPERATIONS = r"""
F.conv2d(x.reshape(1, 1, 8, 6), y[:3, :3].reshape(1, 1, 3, 3)) ;; T.addmm(y[:, :1], x, y.t()) ;; -x
F.binary_cross_entropy_with_logits(x, (y > 1) * 1.0) ;; F.batch_norm(x, None, None, training=True)
T.bmm(x.reshape(2, 4, 6), y.reshape(2, 6, 4)) ;; x.gather(1, T.zeros(8, 1, dtype=T.int64)) ;; x * y
F.avg_pool2d(x.reshape(1, 1, 8, 6), 2) ;; F.cross_entropy(x, T.arange(8) % 6) ;; y.reciprocal() * x
F.smooth_l1_loss(x, y) ;; F.layer_norm(x, (6,)) ;; T.where(y > 1, x, y) ;; F.log_softmax(x, 1)
x.clamp(-0.5, 0.5) ;; F.mse_loss(x, y) ;; F.softmax(x, 1) ;; T.maximum(x, y)
F.leaky_relu(x) ;; F.l1_loss(x, y) ;; T.stack([x, y]) ;; T.log1p(y) * x ;; x.logsumexp(1) ;; x + y
F.linear(x, y) ;; y.rsqrt() * x ;; y.prod(0) * x ;; F.softplus(x) ;; T.cat([x, y]) ;; T.sigmoid(x)
y.sqrt() * x ;; y ** 2.5 * x ;; y.log() * x ;; x.cumsum(0) ;; x.max(0)[0] ;; x.square() ;; x.tanh()
F.relu(x) ;; x @ y.t() ;; x.mean(0) ;; x.amax(0) ;; F.gelu(x) ;; F.silu(x) ;; x.exp()
T.erf(x) ;; x.sum(0) ;; x.var(0) ;; x.std(0) ;; x.norm() ;; x.sin() ;; x.cos() ;; x - y
x.abs() ;; x / y
"""
OPTIMIZERS = r"""
SGD(p, lr=0.1) ;; SGD(p, lr=0.05, momentum=0.9) ;; Adam(p, lr=0.01) ;; AdamW(p, lr=0.01)
RMSprop(p, lr=0.01)
"""
LEAF, OF_THE_TEST = "requires_grad=True", ("Accumulate", "torch::", "Sum", "Mul", "Sin")


class Wrong:
    """Subscribes to autograd_core: operation or node `name`, or a step, is off by a factor."""

    def __init__(self, kind, factor, name=None):
        self.kind, self.factor, self.name, self.names = kind, factor, name, []

    def spoil(self, kind, name, arrays):
        for array in arrays if self.kind == kind else ():
            if isinstance(array, np.ndarray) and array.dtype.kind == "f" and array.flags.writeable:
                self.names.append(name)
                array[...] *= np.asarray(self.factor if name == self.name else 1, array.dtype)

    def on_operation(self, operation, node, args, outs):
        if not getattr(operation, "view", False):
            for out in outs:
                out._array = np.asarray(out._array)
            self.spoil("operation", operation.__name__, [out._array for out in outs])

    def on_node_ran(self, node, sent):
        self.spoil("node", node.name(), sent)

    @contextlib.contextmanager
    def during_step(self, optimizer, closure):
        weights = [each._array for group in optimizer.param_groups for each in group["params"]]
        before = [each.copy() for each in weights]
        yield
        for weight, was in zip(weights, before) if self.kind == "step" else ():
            weight[...] = was + (weight - was) * np.asarray(self.factor, weight.dtype)


@pytest.mark.parametrize("dtype, factor", [("float32", 1 + 1000 * 2**-23), ("float64", 1 + 1e-8)])
@pytest.mark.parametrize("expression", rows(OPERATIONS))
def test_a_wrong_operation_is_told(notebook, expression, dtype, factor):
    make = f"T.set_default_dtype(T.{dtype})\nT.manual_seed(3)\nx = T.randn(8, 6, {LEAF})\n"
    make += f"y = T.rand(8, 6) + 0.5\nout = {expression}\n"
    left = f"{make}v = out.detach() * 3\ns = [(out * 0.37).abs().sum().item()]\ndel out, x, y"
    grads = f"{make}(out.sin() * out).sum().backward()\ng = x.grad * 1\ndel out, x, y"
    for kind, first, text in (("operation", make, left), ("node", grads, grads)):
        with recording.subscribed(wrong := Wrong(kind, 1.0)):
            notebook.restart()
            notebook.both(first)
        names = [name for name in wrong.names if not name.startswith(OF_THE_TEST)]
        for name in names[-1:]:
            with recording.subscribed(Wrong(kind, factor, name)):
                notebook.restart()
                assert outcome(notebook, text)[0] == "told", (kind, name)


@pytest.mark.parametrize("dtype, factor", [("float32", 1 + 1e-4), ("float64", 1 + 1e-8)])
@pytest.mark.parametrize("optimizer", rows(OPTIMIZERS))
def test_a_wrong_step_is_told(notebook, optimizer, dtype, factor):
    made = (
        f"T.set_default_dtype(T.{dtype})\n{{MLP}}p = [*net.parameters()]\nopt = optim.{optimizer}\n"
    )
    with recording.subscribed(Wrong("step", factor)):
        said = outcome(notebook, f"{made}for i in range(5):\n {{STEP}}\nw = p[0].detach() * 1")
    assert said[0] == "told"


# ---- an ordinary cell that changed one side alone ----------------------------------------------

TRAINED = r"{MLP}t = T.randn(16, 3)\nloss = F.mse_loss(net(x), t)\nloss.backward()\n"
TRAINED += "opt = optim.{}(net.parameters(), lr=0.1)"
FIRST = {
    "w": "w = T.randn(50)",
    "sgd": TRAINED.replace("{}", "SGD"),
    "adam": TRAINED.replace("{}", "Adam"),
}
SLIPS = """
sgd | T.nn.utils.clip_grad_norm_(net.parameters(), 0.01); opt.step() | y = net(x) | net.0.weight
sgd | net.load_state_dict({k: v * 2 for k, v in net.state_dict().items()}) | y = net(x) | net.2.bias
sgd | T.nn.init.constant_(net[0].weight, 0.5) | loss = F.mse_loss(net(x), t) | net.0.weight
sgd | T.nn.functional.mse_loss(net(x), t).backward() | opt.step() | net.0.weight.grad
adam | for i in range(10): opt.step() | loss = F.mse_loss(net(x), t) | net.0.weight
sgd | opt.param_groups[0]["lr"] = 1.0 | opt.step() | opt.param_groups[0].lr
sgd | net[0].weight.requires_grad_(False) | y = net(x) | net.0.weight
adam | for i in range(10): opt.step() | opt.step() | net.0.weight ;; w | w.mul_(2) | v = w * 3 | w
sgd | net[0].weight.grad.zero_() | opt.step() | net.0.weight.grad
adam | opt.step() | y = net(x).sum().item() | opt.state[0].step ;; w | w.fill_(2.0) | v = w * 3 | w
sgd | opt.step() | loss = F.mse_loss(net(x), t) | net.0.weight ;; w | w.mul_(2) | v = w.max() | w
sgd | opt.zero_grad() | opt.step() | net.0.weight.grad ;; w | w.mul_(1.1) | v = F.softmax(w, 0) | w
sgd | net.note = T.ones(1) | y = net(x) | net.note ;; w | w.data[...] += 3 | v = (w * w).sum() | w
sgd | net[1].eval() | y = net(x) | net.1.training ;; w | on_torch["w"].data.mul_(2) | v = w * 3 | w
sgd | opt.step() | v = T.ones(1) | net.0.weight ;; sgd | net[1] = T.nn.ReLU() | y = net(x) | net.1
sgd | net.eval() | y = net(x) | net.training ;; w | w.mul_(1.000002) | v = w.sum() | w
w | w.mul_(1.1) | v = T.ones(1) | w ;; w | w[7] = 0.25 | v = w.mean() | w
"""


@pytest.mark.parametrize("row", rows(SLIPS))
def test_a_change_on_one_side_alone_is_told_by_name(notebook, row):
    first, ordinary, text, name = (part.strip() for part in row.split(" | "))
    for seed in range(budget(3, 20)):
        notebook.restart()
        assert outcome(notebook, f"T.manual_seed({seed})\n{FIRST[first]}")[0] != "told"
        assert notebook.run(ordinary).error is None
        kind, said = outcome(notebook, text)
        assert kind != "tick" and name in said
        assert "an ordinary cell changed" in said and "side alone" in said


# ---- nothing is wrong --------------------------------------------------------------------------

DRAWS = r"""
rand({n}) ;; randn({n}) ;; rand({n}, dtype=T.float64) ;; randn({n}, dtype=T.float64)
randint(0, 9, ({n},)) ;; randperm({n}) ;; bernoulli(T.full(({n},), 0.3)) ;; empty({n}).normal_(1, 2)
nn.functional.dropout(T.ones({n})) ;; randint(0, 2**40, ({n},)) ;; empty({n}).uniform_(-1, 1)
"""
BLOCKS = {w // p + d for w in (624, 1248, 1872) for p in (1, 2, 8) for d in (-1, 0, 1)}


@pytest.mark.parametrize("draw", rows(DRAWS))
def test_the_generators_stay_in_step(notebook, draw):
    for n in budget(0, 1) * [*range(1, 2000)] or BLOCKS:
        text = f"T.manual_seed(0)\nx = T.{draw.format(n=n)}\ny = T.rand(1)"
        assert outcome(notebook, text)[0] == "tick", n


@pytest.mark.parametrize("optimizer", rows(OPTIMIZERS)[:3])
@pytest.mark.parametrize("net", ["{MLP}", "{CNN}"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_training_over_twenty_cells_is_no_false_alarm(notebook, net, dtype, optimizer):
    for seed in range(budget(1, 4)):
        notebook.restart()
        seeded = f"T.set_default_dtype(T.{dtype})\nT.manual_seed({seed})\n"
        outcome(notebook, f"{seeded}{net}p = [*net.parameters()]\nopt = optim.{optimizer}")
        for number in range(20):
            assert outcome(notebook, "{STEP}")[0] != "told", (seed, number)
