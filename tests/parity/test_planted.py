"""Planted differences, changes that one side alone saw, and cells in which nothing is wrong.

The rows are cells: ` ;; ` stands between two of them, ` %% ` between a cell and the next of its
session. `<<a|b>>` is `a` on autograd_core's side and `b` on PyTorch's; SHORT has abbreviations.
"""

import contextlib
import re

import numpy as np
import pytest
import torch

import autograd_core
from autograd_core.core.recording import recording
from autograd_core.parity.both import MadeOutside, Session
from autograd_core.parity.compare import ParityError
from autograd_core.parity.surroundings import Settings
from tests.budget import budget

START = Settings.of(autograd_core)
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


def fresh():
    """A session from the settings that the engines have from the start."""
    for engine in (autograd_core, torch):
        START.give_to(engine)
        engine.manual_seed(0)
    return Session(autograd_core, torch, {})


def outcome(session, text, more=""):
    """What is said of a row's last cell: "told" and a message, "said" or "tick" and a line."""
    *before, last = re.split(r" %% ", text)
    for each in before:
        session.run(cell(each))
    line, _, last = (
        cell(last).rpartition("%%")[2].partition("\n") if last[:2] == "%%" else ("", "", cell(last))
    )
    try:
        report, _ = session.run(more * (not line) + last, line)
    except (MadeOutside, ParityError) as error:
        return "told", "\n".join([str(error), *getattr(error, "__notes__", [])])
    if "not compared" not in report.line() and "; but " not in report.line():
        return "tick", report.line()
    names = [row.name for row in report.comparison.rows if row.not_compared or row.unknown]
    return "said", f"{report.line()}\n{names}"


# ---- a difference that one cell makes ----------------------------------------------------------

TOLD = r"""
net = nn.Sequential(nn.Linear(1, 1))\nif OURS:\n net[0].kept = T.ones(1) ;; T.tensor([<<1.0|2.0>>])
g = T.Generator().manual_seed(1) %% if OURS:\n T.rand(1, generator=g) ;; v = T.tensor([3, <<4|5>>])
v = T.ones(2, requires_grad=True)\nif OURS:\n v.grad = T.zeros(2) ;; {W}{SGD}opt.note = <<1.0|2.0>>
T.manual_seed(0)\nx = T.rand(1000)\nv = (x > 0.5).sum() + <<0|1>> ;; v = T.ones(<<(2, 1)|(1, 2)>>)
{W}{SGD}s = {S}StepLR(opt, 5)\nopt.step()\nif OURS:\n s.step() ;; {A}v = [a * 1.5, <<a + a|a * 2>>]
{NP}net = nn.Linear(1, 1)\nnet.kept = np.array([<<1.0|2.0>>]) ;; v = T.tensor([1.0, <<2.0|2.001>>])
net = nn.Sequential()\nnet.add_module(<<'a'|'b'>>, nn.ReLU()) ;; a = [1, 2]\nb = [a, <<a|list(a)>>]
%%raises ValueError\nraise <<ValueError('x')|TypeError('x')>> ;; if OURS:\n T.no_grad().__enter__()
{W}{SGD}s = {S}ReduceLROnPlateau(opt)\ns.step(<<1.0|0.9>>) ;; v = [[1], 2]\nv[0].append(<<v|v[0]>>)
{A}b = T.ones(2, requires_grad=True)\nv = <<a * a|a * b>> ;; v = T.ones(4) %% if OURS:\n v[2] = 1.5
{NET}def keep(m, i, o):\n m.out = o * <<1|2>> + 1\n{HOOK} ;; {A}b = a * 2\nv = a + <<b|b.detach()>>
{W}opt = <<optim.Adam|optim.AdamW>>([w], weight_decay=0) ;; {W}opt = optim.SGD([w], lr=<<0.1|0.2>>)
from functools import partial\nf = partial(pow, <<2|3>>) ;; {W}{SGD}opt.state[w]['n'] = <<1.0|2.0>>
net = nn.Linear(1, 1)\nnet.kept = T.ones(<<1|2>>).shape ;; {W}v = w * 2.5 %% if OURS:\n v.detach_()
%%raises ValueError\nv = <<1|2>>\nraise ValueError('x') ;; T.set_grad_enabled(<<True|False>>)\nNone
v = T.ones(4) %% v.requires_grad_(<<True|False>>);None ;; v = T.tensor([1.0, <<float('nan')|1.0>>])
net = nn.BatchNorm1d(2)\nnet.running_mean += <<0|0.5>> ;; def f():\n f.n += <<1|2>>\nf.n = 0\nf()
x = T.tensor([1e8])\nv = (x / 3 + <<0.3|9.0>>) - x / 3 ;; v = [1]\nv.append(v)\nv.append(<<1|2>>)
class A:\n __slots__ = ('n',)\na = A()\na.n = <<1|2>> ;; net = nn.BatchNorm1d(3, eps=<<1e-5|1e-4>>)
%%raises ValueError\nif OURS:\n raise ValueError('x') ;; {NP}v = np.array([1, <<'a'|'b'>>], object)
v = T.ones(4)\nw = v[1:] %% w.mul_(<<2.0|2.5>>);None ;; v = T.ones(2, requires_grad=<<True|False>>)
v = T.ones(4) %% v.data = <<v.data|v.data.double()>> ;; v = T.ones(4) %% v.numpy()[1] = <<2.0|2.5>>
v = (T.exp(T.tensor([1.3])) * <<1|1.00001>>).item() ;; class A:\n n = 0\na = A() %% A.n += <<1|2>>
{W}{SGD} %% opt.param_groups[0]['lr'] = <<0.1|0.2>> ;; v = T.ones(2, dtype=<<T.float32|T.float64>>)
for i in range(5): print(i, 0.5 * i * <<1|1.001>>) ;; v = F.dropout(T.ones(<<4|5>>), 0.5).sum() * 0
{W}{SGD}s = {S}StepLR(opt, 2, gamma=<<0.1|0.2>>) ;; v = T.ones(4) %% v.data = <<v.data|v.data * 2>>
{DC}x: object\nd = D([D({'a': D(<<1.0|2.0>>)})]) ;; net = nn.Linear(1, 1)\nnet.kept = {<<1.0|2.0>>}
def f():\n pass\nf.n = T.tensor([<<1.0|2.0>>]) ;; v = T.zeros(2) / T.tensor([0.0, <<0.0|1.0>>])
net = nn.Sequential(nn.Dropout(<<0.5|0.4>>)) ;; T.set_default_dtype(<<T.float32|T.float64>>)
v = T.exp(T.tensor([1.3])) * <<1|1.00001>> ;; v = T.exp(T.tensor([1.3])) * <<1|1.00012>>
v = T.tensor([True, <<False|True>>]) ;; v = T.ones(2)\nif OURS:\n v.note = 1 ;; v = [1, 2, <<3|4>>]
{NP}v = np.array([1.0, <<2.0|2.1>>]) ;; if THEIRS:\n raise RuntimeError('x') ;; v = {'a': <<3|4>>}
v = T.exp(T.tensor([<<88.0|89.0>>])) ;; {W}{SGD}s = {S}StepLR(opt, <<2|3>>) ;; v = {<<'a'|'b'>>: 1}
{NP}v = np.array([2**62 + <<1|2>>]) ;; {NP}v = np.random.rand(<<2|3>>)[:1] ;; v = (1, (2, <<3|4>>))
print(T.tensor([1.5, <<2.5|2.6>>])) ;; if OURS:\n raise RuntimeError('x') ;; {W}v = <<w + w|w * 2>>
{NP}v = np.ones(2, <<'f4'|'f8'>>) ;; {NP}v = np.float32(<<1.0|1.001>>) ;; v = <<float('nan')|1.0>>
def f(k=<<2.0|3.0>>):\n return k ;; {DC}x: float\nd = D(<<1.0|2.0>>) ;; v = T.tensor(<<[1.0]|1.0>>)
v = str(T.tensor([<<0.1|0.2>>])) ;; v = T.tensor([2**60 + <<1|2>>]) ;; T.manual_seed(<<0|1>>)\nNone
v = T.ones(4)\nw = v[<<0|1>>:3] ;; v = T.ones(2)\nv.note = <<1|2>> ;; {NP}v = <<1.0|np.float64(1)>>
{DC}x: float = <<1.0|2.0>> ;; v = <<float('inf')|1e308>>
v = T.rand(<<2|3>>)[:2] ;; print(<<'-1.5'|'1.5'>>) ;; class A:\n n = <<1|2>> ;; v = {<<1|1.0>>: 1}
v = <<1.0|1.00000001>> ;; v = <<1e8|1e8 + 16>> ;; v = 10**30 + <<1|2>> ;; print(<<1.5|1.6>>)
v = [1] * <<3|4>> ;; v = <<b'1'|b'2'>> ;; v = <<[1]|(1,)>> ;; v = {1, <<2|3>>} ;; if OURS:\n v = 1
v = <<None|0>> ;; f = <<(lambda x: x)|(lambda x: 2 * x)>> ;; v = <<True|1>> ;; v = <<1|1.0>> ;; <<None|2.0>> ;; <<1.0|2.0>>
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
def test_a_difference_is_told(text):
    assert outcome(fresh(), text, "nothing_wrong = T.ones(1)\n")[0] == "told"


@pytest.mark.parametrize("text", rows(SAID))
def test_what_cannot_be_compared_is_said(text):
    kind, said = outcome(fresh(), text, "nothing_wrong = T.ones(1)\n")
    assert kind == "said" and "[]" not in said


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
def test_a_wrong_operation_is_told(expression, dtype, factor):
    make = f"T.set_default_dtype(T.{dtype})\nT.manual_seed(3)\nx = T.randn(8, 6, {LEAF})\n"
    make += f"y = T.rand(8, 6) + 0.5\nout = {expression}\n"
    left = f"{make}v = out.detach() * 3\ns = [(out * 0.37).abs().sum().item()]\ndel out, x, y"
    grads = f"{make}(out.sin() * out).sum().backward()\ng = x.grad * 1\ndel out, x, y"
    for kind, first, text in (("operation", make, left), ("node", grads, grads)):
        with recording.subscribed(wrong := Wrong(kind, 1.0)):
            fresh().run(first)
        names = [name for name in wrong.names if not name.startswith(OF_THE_TEST)]
        for name in names[-1:]:
            with recording.subscribed(Wrong(kind, factor, name)):
                assert outcome(fresh(), text)[0] == "told", (kind, name)


@pytest.mark.parametrize("dtype, factor", [("float32", 1 + 1e-4), ("float64", 1 + 1e-8)])
@pytest.mark.parametrize("optimizer", rows(OPTIMIZERS))
def test_a_wrong_step_is_told(optimizer, dtype, factor):
    made = (
        f"T.set_default_dtype(T.{dtype})\n{{MLP}}p = [*net.parameters()]\nopt = optim.{optimizer}\n"
    )
    with recording.subscribed(Wrong("step", factor)):
        said = outcome(fresh(), f"{made}for i in range(5):\n {{STEP}}\nw = p[0].detach() * 1")
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
sgd | net[1].eval() | y = net(x) | net.1.training ;; w | theirs["w"].data.mul_(2) | v = w * 3 | w
sgd | opt.step() | v = T.ones(1) | net.0.weight ;; sgd | net[1] = T.nn.ReLU() | y = net(x) | net.1
sgd | net.eval() | y = net(x) | net.training ;; w | w.mul_(1.000002) | v = w.sum() | w
w | w.mul_(1.1) | v = T.ones(1) | w ;; w | w[7] = 0.25 | v = w.mean() | w
"""


@pytest.mark.parametrize("row", rows(SLIPS))
def test_a_change_on_one_side_alone_is_told_by_name(row):
    first, ordinary, text, name = (part.strip() for part in row.split(" | "))
    for seed in range(budget(3, 20)):
        session = fresh()
        assert outcome(session, f"T.manual_seed({seed})\n{FIRST[first]}")[0] != "told"
        session.ours.namespace["theirs"] = session.theirs.namespace
        exec(ordinary, session.ours.namespace)
        del session.ours.namespace["theirs"]
        kind, said = outcome(session, text)
        assert kind != "tick" and name in said
        assert "an ordinary cell changed" in said and "side alone" in said


# ---- nothing is wrong --------------------------------------------------------------------------

DRAWS = r"""
rand({n}) ;; randn({n}) ;; rand({n}, dtype=T.float64) ;; randn({n}, dtype=T.float64)
randint(0, 9, ({n},)) ;; randperm({n}) ;; bernoulli(T.full(({n},), 0.3)) ;; empty({n}).normal_(1, 2)
nn.functional.dropout(T.ones({n})) ;; randint(0, 2**40, ({n},)) ;; empty({n}).uniform_(-1, 1)
"""
BLOCKS = {w // p + d for w in (624, 1248, 1872) for p in (1, 2, 8) for d in (-1, 0, 1)}
QUIET = r"""
x, t = T.randn(50, 3, requires_grad=True), T.randn(50, 3)\nloss = F.mse_loss(x, t)\nloss.backward()
h = T.ones(1, 20)\nws = [T.randn(20, 20) * 0.1 for _ in range(40)]\nfor w in ws: h = T.tanh(h @ w)
x, y = T.randn(200, 5), T.randint(0, 5, (200,))\nacc = (x.argmax(1) == y).float().mean().item()
class S(nn.Sequential):\n pass\nnet = S(nn.Linear(2, 2), nn.ReLU())\ny = net(T.randn(3, 2))
a = T.randn(20, 20)\nv = T.ones(20)\nfor i in range(50):\n v = a @ v\n v = v / v.norm()
net = nn.Linear(3, 2)\nbest = {k: v.clone() for k, v in net.state_dict().items()}
x = T.randn(1000) * 5\ns = x.exp().sum()\nl = x.logsumexp(0)\nd = s.log() - l
x = T.randn(1000) + 1000\nv = x.var()\nu = (x * x).mean() - x.mean() ** 2 ;; y = T.randn(9).prod()
w = T.randn(9, requires_grad=True)\n(w.sin() * w.exp()).sum().backward() ;; y = F.silu(T.randn(99))
s = T.ones(2, 3).shape\nn, m = s\nd = T.float32\ndev = T.device('cpu') ;; x = T.randn(50).sort()[0]
class S(nn.BatchNorm1d):\n pass\nnet = S(2)\ny = net(T.randn(3, 2)) ;; y = T.rand(99).sqrt().mean()
w = T.randn(9, requires_grad=True)\nF.softmax(w, 0)[2].backward() ;; y = T.randn(5, 5) @ T.randn(5)
m = nn.GRU(4, 8)\ny = m(T.randn(2, 3, 4), T.randn(1, 3, 8))[0] ;; x = T.randn(99).exp()\ny = x / x.sum()
x = T.rand(50)\nfor i in range(30): x = 3.9 * x * (1 - x) ;; x = T.floor(T.randn(1000).exp() * 10)
x = T.randn(100).exp()\ni = x.argsort()\nm, j = x.max(0) ;; y = F.layer_norm(T.randn(9, 16), (16,))
w = T.randn(9, requires_grad=True)\nw.norm().backward() ;; y = F.max_pool2d(T.randn(1, 1, 8, 8), 2)
y = T.einsum('ij,kj->ik', T.randn(5, 9), T.randn(7, 9)) ;; {NP}d = np.array([1, 'a', None], object)
x = [round(T.exp(a).item(), 4) for a in T.randn(100)] ;; x = T.randn(9, 9)\ny = x.exp() @ x.tanh()
for a in T.randn(50): print(f'{a.exp().item():.4f}') ;; for a in T.randn(50): print(a.exp().item())
x = T.randn(99)\ny = T.where(x > 0, x.exp(), x) ;; {NP}d = np.array([True])\nc = np.array([1j])
class S(nn.Dropout):\n pass\nnet = S(0.5) ;; y = F.dropout(T.ones(99), 0.3).sum()
class S(nn.ReLU):\n pass\nnet = S() ;; y = T.rand(99).log().cumsum(0)[-1]
y = F.softplus(T.randn(99)).log() ;; print(T.exp(T.randn(500))) ;; g = (i for i in range(3))
class Q(T.autograd.Function):\n @staticmethod\n def forward(c, x):\n  return x * 2\n @staticmethod\n def backward(c, g):\n  return g * 2\ny = Q.apply(T.randn(3, requires_grad=True))
net = nn.Linear(2, 2)\ndef f(*a):\n pass\nh = [net.register_forward_hook(f), net.weight.register_hook(f)]\nh[0].remove()
l = T.utils.data.DataLoader(T.utils.data.TensorDataset(T.randn(9, 2)), batch_size=2)\nit = iter(l)\nb = next(it)
{MLP}opt = optim.SGD(net.parameters(), lr=0.1)\ns = {S}ReduceLROnPlateau(opt)\nfor i in range(5):\n {STEP}\n s.step(loss.item())
def counter():\n total = 0\n def add(x):\n  nonlocal total\n  total += x.exp().sum().item()\n return add\nadd = counter()\nfor i in range(9): add(T.randn(99))
def f(x, log=[]):\n f.last = x.exp().sum().item()\n log.append(f.last)\nfor i in range(3): f(T.randn(99))
net = nn.Linear(9, 9)\ndef keep(m, i, o):\n m.mean = o.exp().mean().item()\nh = net.register_forward_hook(keep)\ny = net(T.randn(9, 9))
import copy\nnet = nn.BatchNorm1d(3)\nsd = copy.deepcopy(net.state_dict()) ;; import io\nb = io.StringIO()\nb.write('a')
log = []\nfor x in T.randn(40, 99): log.append(format(x.exp().mean().item(), '.6f'))\nfor each in log: print(each)
q, k = nn.Linear(8, 8), nn.Linear(8, 8)\nx = T.randn(2, 5, 8)\na = F.softmax(q(x) @ k(x).transpose(-2, -1) / 3, -1)
{NP}t = np.array(['2020-01-01', 'NaT'], 'datetime64[D]') ;; import json\ns = json.dumps(T.randn(9).exp().tolist())
y = T.randn(9, 9).var(0)
"""


@pytest.mark.parametrize("draw", rows(DRAWS))
def test_the_generators_stay_in_step(draw):
    session = fresh()
    for n in budget(0, 1) * [*range(1, 2000)] or BLOCKS:
        text = f"T.manual_seed(0)\nx = T.{draw.format(n=n)}\ny = T.rand(1)"
        assert outcome(session, text)[0] == "tick", n


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("text", rows(QUIET))
def test_an_ordinary_cell_is_no_false_alarm(text, dtype):
    for seed in range(budget(2, 5)):
        seeded = f"T.set_default_dtype(T.{dtype})\nT.manual_seed({seed})\n"
        assert outcome(fresh(), seeded + text)[0] != "told", seed


@pytest.mark.parametrize("optimizer", rows(OPTIMIZERS)[:3])
@pytest.mark.parametrize("net", ["{MLP}", "{CNN}"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_training_over_twenty_cells_is_no_false_alarm(net, dtype, optimizer):
    for seed in range(budget(1, 4)):
        session, seeded = fresh(), f"T.set_default_dtype(T.{dtype})\nT.manual_seed({seed})\n"
        outcome(session, f"{seeded}{net}p = [*net.parameters()]\nopt = optim.{optimizer}")
        for number in range(20):
            assert outcome(session, "{STEP}")[0] != "told", (seed, number)
