"""Engines that are wrong by 0.1 %, and changes that an ordinary cell made on one side alone. Each
cell runs in a real IPython shell.

The rows are cells: ` ;; ` stands between two of them.
"""

import contextlib

import numpy as np
import pytest

from autograd_core.core.recording import recording
from autograd_core.parity.compare import ParityError
from tests.budget import budget

from .cells import written


def rows(table):
    return [row.strip() for line in table.strip().splitlines() for row in line.split(" ;; ")]


def told(notebook, *cells):
    """Whether the last cell says that the sides differ, and what it shows."""
    for cell in cells:
        shown = notebook.both(written(cell))
        assert shown.error is None or isinstance(shown.error, ParityError), shown.message
    return shown.error is not None, shown.line if shown.error is None else shown.message


OPERATIONS = r"""
F.conv2d(x.reshape(1, 1, 8, 6), y[:3, :3].reshape(1, 1, 3, 3)) ;; torch.addmm(y[:, :1], x, y.t()) ;; -x
F.binary_cross_entropy_with_logits(x, (y > 1) * 1.0) ;; F.batch_norm(x, None, None, training=True)
torch.bmm(x.reshape(2, 4, 6), y.reshape(2, 6, 4)) ;; x.gather(1, torch.zeros(8, 1, dtype=torch.int64)) ;; x * y
F.avg_pool2d(x.reshape(1, 1, 8, 6), 2) ;; F.cross_entropy(x, torch.arange(8) % 6) ;; y.reciprocal() * x
F.smooth_l1_loss(x, y) ;; F.layer_norm(x, (6,)) ;; torch.where(y > 1, x, y) ;; F.log_softmax(x, 1)
x.clamp(-0.5, 0.5) ;; F.mse_loss(x, y) ;; F.softmax(x, 1) ;; torch.maximum(x, y)
F.leaky_relu(x) ;; F.l1_loss(x, y) ;; torch.stack([x, y]) ;; torch.log1p(y) * x ;; x.logsumexp(1) ;; x + y
F.linear(x, y) ;; y.rsqrt() * x ;; y.prod(0) * x ;; F.softplus(x) ;; torch.cat([x, y]) ;; torch.sigmoid(x)
y.sqrt() * x ;; y ** 2.5 * x ;; y.log() * x ;; x.cumsum(0) ;; x.max(0)[0] ;; x.square() ;; x.tanh()
F.relu(x) ;; x @ y.t() ;; x.mean(0) ;; x.amax(0) ;; F.gelu(x) ;; F.silu(x) ;; x.exp()
torch.erf(x) ;; x.sum(0) ;; x.var(0) ;; x.std(0) ;; x.norm() ;; x.sin() ;; x.cos() ;; x - y
x.abs() ;; x / y
"""
OPTIMIZERS = r"""
SGD(p, lr=0.5) ;; SGD(p, lr=0.2, momentum=0.9) ;; Adam(p, lr=0.05) ;; AdamW(p, lr=0.05)
RMSprop(p, lr=0.05)
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


# float32 has the wider tolerance: what is told there is told in float64 too
WRONG = [(each, "float32") for each in rows(OPERATIONS)]
WRONG += [(each, "float64") for each in rows(OPERATIONS)[::8]]


@pytest.mark.parametrize("expression, dtype", WRONG)
def test_a_wrong_operation_is_told(notebook, expression, dtype):
    make = f"torch.set_default_dtype(torch.{dtype})\ntorch.manual_seed(3)\nx = torch.randn(8, 6, {LEAF})\n"
    make += f"y = torch.rand(8, 6) + 0.5\nout = {expression}\n"
    left = f"{make}v = out.detach() * 3\ns = [(out * 0.37).abs().sum().item()]\ndel out, x, y"
    grads = f"{make}(out.sin() * out).sum().backward()\ng = x.grad * 1\ndel out, x, y"
    for kind, first, text in (("operation", make, left), ("node", grads, grads)):
        with recording.subscribed(wrong := Wrong(kind, 1.0)):
            notebook.restart()
            notebook.both(first)
        names = [name for name in wrong.names if not name.startswith(OF_THE_TEST)]
        for name in names[-1:]:
            with recording.subscribed(Wrong(kind, 1.001, name)):
                notebook.restart()
                assert told(notebook, text)[0], (kind, name)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("optimizer", rows(OPTIMIZERS))
def test_a_wrong_step_is_told(notebook, optimizer, dtype):
    made = f"torch.set_default_dtype(torch.{dtype})\n{{MLP}}p = [*net.parameters()]\nopt = optim.{optimizer}\n"
    with recording.subscribed(Wrong("step", 1.001)):
        assert told(notebook, f"{made}for i in range(4):\n    {{STEP}}")[0]


# ---- an ordinary cell that changed one side alone ----------------------------------------------

TRAINED = "{MLP}t = torch.randn(16, 3)\nloss = F.mse_loss(net(x), t)\nloss.backward()\n"
TRAINED += "opt = optim.{}(net.parameters(), lr=0.1)"
FIRST = {
    "w": "w = torch.randn(50)",
    "sgd": TRAINED.replace("{}", "SGD"),
    "adam": TRAINED.replace("{}", "Adam"),
}
SLIPS = """
sgd | nn.utils.clip_grad_norm_(net.parameters(), 0.01); opt.step() | y = net(x) | net.0.weight
sgd | net.load_state_dict({k: v * 2 for k, v in net.state_dict().items()}) | y = net(x) | net.2.bias
sgd | nn.init.constant_(net[0].weight, 0.5) | loss = F.mse_loss(net(x), t) | net.0.weight
sgd | F.mse_loss(net(x), t).backward() | opt.step() | net.0.weight.grad
adam | for i in range(10): opt.step() | loss = F.mse_loss(net(x), t) | net.0.weight
sgd | opt.param_groups[0]["lr"] = 1.0 | opt.step() | opt.param_groups[0].lr
sgd | net[0].weight.requires_grad_(False) | y = net(x) | net.0.weight
adam | for i in range(10): opt.step() | opt.step() | net.0.weight ;; w | w.mul_(2) | v = w * 3 | w
sgd | net[0].weight.grad.zero_() | opt.step() | net.0.weight.grad
adam | opt.step() | y = net(x).sum().item() | opt.state[0].step ;; w | w.fill_(2.0) | v = w * 3 | w
sgd | opt.step() | loss = F.mse_loss(net(x), t) | net.0.weight ;; w | w.mul_(2) | v = w.max() | w
sgd | opt.zero_grad() | opt.step() | net.0.weight.grad ;; w | w.mul_(1.1) | v = F.softmax(w, 0) | w
sgd | net.note = net[0].bias.detach() + 1 | y = net(x) | net.note ;; w | w.data[...] += 3 | v = (w * w).sum() | w
sgd | net[1].eval() | y = net(x) | net.1.training ;; w | on_torch.w.data.mul_(2) | v = w * 3 | w
sgd | opt.step() | v = torch.ones(1) | net.0.weight ;; sgd | net[1] = nn.ReLU() | y = net(x) | net.1
sgd | net.eval() | y = net(x) | net.training ;; w | w.mul_(1.002) | v = w.sum() | w
w | w.mul_(1.1) | v = torch.ones(1) | w ;; w | w[7] = 0.25 | v = w.mean() | w
"""


@pytest.mark.parametrize("row", rows(SLIPS))
def test_a_change_on_one_side_alone_is_told_by_name(notebook, row):
    first, ordinary, text, name = (part.strip() for part in row.split(" | "))
    for seed in range(budget(1, 20)):
        notebook.restart()
        assert not told(notebook, f"torch.manual_seed({seed})\n{FIRST[first]}")[0]
        assert notebook.run(ordinary).error is None
        said = told(notebook, text)[1]
        assert "✓" not in said and name in said
        assert "an ordinary cell changed it only on" in said


@pytest.mark.parametrize("optimizer", ["SGD(p, lr=0.05, momentum=0.9)", "Adam(p, lr=0.01)"])
@pytest.mark.parametrize("net, dtype", [("{MLP}", "float64"), ("{CNN}", "float32")])
def test_a_training_over_twenty_cells_is_no_false_alarm(notebook, net, dtype, optimizer):
    for seed in range(budget(1, 4)):
        notebook.restart()
        seeded = f"torch.set_default_dtype(torch.{dtype})\ntorch.manual_seed({seed})\n"
        told(notebook, f"{seeded}{net}p = [*net.parameters()]\nopt = optim.{optimizer}")
        for number in range(20):
            assert told(notebook, "{STEP}") == (False, "✓ same on PyTorch"), (seed, number)
