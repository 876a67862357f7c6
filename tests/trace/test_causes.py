"""The causes that `report` finds in a loss: faulty programs with their fixed twins on both engines, and
healthy programs that look similar.
"""

import json

import pytest
import torch
from torch.utils.checkpoint import checkpoint as run_again

import autograd_core
from autograd_core.lessons.failing_loops import LOOPS, setting
from autograd_core.parity import watching
from autograd_core.trace import report

N = 8
pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch's warnings about these programs
ENGINES = {"PyTorch": torch, "autograd_core": autograd_core}


def told(engine, program):
    """The report on the `loss` of a program on this engine."""
    engine.manual_seed(0)
    nn = engine.nn
    names = {"torch": engine, "nn": nn, "F": nn.functional, "checkpoint": run_again, "N": N}
    names |= {"x": engine.randn(N, 6), "y": engine.randn(N), "label": engine.arange(N) % 3}
    names |= {"net": nn.Linear(6, 1), "cls": nn.Linear(6, 3), "w": engine.rand(N)}
    names |= {"body": nn.Linear(6, 6), "t": nn.Linear(6, 3).requires_grad_(False)}
    names["bn"] = nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.Linear(4, 3))
    with watching():
        exec(program, names)
    return report(names["loss"])


CE, MSE = "F.cross_entropy(cls(x), label)", "F.mse_loss(net(x)[:, 0], y)"
FROZEN = "bn[:2].requires_grad_(False)\n"
FAULTY = {  # kind -> {program: its fixed twin}
    "broadcast": {
        "loss = ((net(x) - y) ** 2).mean()": "loss = ((net(x)[:, 0] - y) ** 2).mean()",
        "loss = F.mse_loss(net(x), y)": "loss = F.mse_loss(net(x), y[:, None])",
        "loss = F.mse_loss(net(x).squeeze(1), y[:, None])": "loss = F.mse_loss(net(x).squeeze(1), y)",
        "loss = nn.MSELoss()(net(x), y)": "loss = nn.MSELoss()(net(x).squeeze(), y)",
        "loss = F.l1_loss(net(x), y)": "loss = F.l1_loss(net(x), y.reshape(N, 1))",
        "loss = F.smooth_l1_loss(net(x), y)": "loss = F.smooth_l1_loss(net(x).flatten(), y)",
        "loss = (y - net(x).tanh()).abs().sum(1).mean()": "loss = (y - net(x)[:, 0]).abs().sum()",
        "loss = 0.5 * (-net(x) * y).mean()": "loss = 0.5 * (-net(x)[:, 0] * y).mean()",
        "with torch.no_grad():\n    t = y + net(x)[:, 0]\nloss = (net(x) - t).pow(2).sum()": (
            "with torch.no_grad():\n    t = y + net(x)[:, 0]\nloss = (net(x)[:, 0] - t).pow(2).sum()"
        ),
    },
    "softmax": {
        "loss = F.cross_entropy(torch.softmax(cls(x), 1), label)": f"loss = {CE}",
        "loss = nn.CrossEntropyLoss()(nn.Softmax(1)(cls(x)), label)": "loss = F.nll_loss(F.softmax(cls(x), 1).log(), label)",
        "p = cls(x).view(2, 4, 3).softmax(-1)\nloss = F.cross_entropy(p.transpose(1, 2), label.view(2, 4))": (
            "p = cls(x).view(2, 4, 3)\nloss = F.cross_entropy(p.transpose(1, 2), label.view(2, 4))"
        ),
        "loss = F.cross_entropy(torch.sigmoid(cls(x)), label)": f"loss = {CE}",
        "loss = F.binary_cross_entropy_with_logits(torch.sigmoid(net(x)), w[:, None])": (
            "loss = F.binary_cross_entropy(torch.sigmoid(net(x)), w[:, None])"
        ),
        "loss = F.binary_cross_entropy_with_logits(net(x).sigmoid().squeeze(1), w)": (
            "loss = F.binary_cross_entropy_with_logits(net(x).squeeze(1), w)"
        ),
        "loss = -F.log_softmax(F.softmax(cls(x), -1), -1)[torch.arange(N), label].mean()": (
            "loss = -F.log_softmax(cls(x), -1)[torch.arange(N), label].mean()"
        ),
    },
    "batch axis": {
        "loss = F.nll_loss(F.log_softmax(cls(x), 0), label)": "loss = F.nll_loss(F.log_softmax(cls(x), 1), label)",
        "loss = nn.NLLLoss()(nn.LogSoftmax(0)(cls(x)), label)": "loss = nn.NLLLoss()(nn.LogSoftmax(-1)(cls(x)), label)",
        "loss = -torch.log_softmax(cls(x), 0)[torch.arange(N), label].mean()": (
            "loss = -torch.log_softmax(cls(x).T, 0)[label, torch.arange(N)].mean()"
        ),
        "loss = -cls(x).log_softmax(-2).gather(1, label[:, None]).mean()": (
            "loss = -cls(x).T.log_softmax(-2).gather(0, label[None]).mean()"
        ),
    },
    "dead term": {
        f"loss = {CE} + {MSE}.item()": f"loss = {CE} + {MSE}",
        f"loss = {CE} + 0.5 * float({MSE})": f"loss = {CE} + 0.5 * {MSE}",
        f"aux = {MSE}.detach()\nloss = ({CE} + 0.1 * aux) / 2": f"loss = ({CE} + 0.1 * {MSE}) / 2",
        f"with torch.no_grad():\n    a = {MSE}\nloss = torch.stack([{CE}, a]).mean()": (
            f"loss = torch.stack([{CE}, {MSE}]).mean()"
        ),
        f"loss = sum([{CE}, {MSE}.detach()])": f"loss = sum([{CE}, {MSE}])",
        f"loss = {CE} - 1e-2 * (cls(x).argmax(1) == label).float().mean()": f"loss = {CE} - 1e-2",
        f"loss = {CE} + 1e-4 * sum((q.data ** 2).sum() for q in cls.parameters())": (
            f"loss = {CE} + 1e-4 * sum((q ** 2).sum() for q in cls.parameters())"
        ),
        f"loss = {CE} + (net(x) - torch.round(net(x).round())).abs().sum() * 0 + net(x).sign().mean()": (
            f"loss = {CE} + net(x).tanh().mean()"
        ),
        f"total = 0.0\nfor part in ({CE}, {MSE}.item()):\n    total += part\nloss = total": (
            f"total = 0.0\nfor part in ({CE}, {MSE}):\n    total += part\nloss = total"
        ),
    },
    "buffers": {
        f"{FROZEN}loss = F.cross_entropy(bn(x), label)": f"{FROZEN}bn[1].eval()\nloss = F.cross_entropy(bn(x), label)",
        "bn[1].requires_grad_(False)\nloss = F.cross_entropy(cls(x) + bn[1](x[:, :4])[:, :3], label)": (
            "bn[1].requires_grad_(False).eval()\nloss = F.cross_entropy(cls(x) + bn[1](x[:, :4])[:, :3], label)"
        ),
        f"{FROZEN}with torch.no_grad():\n    h = bn[1](bn[0](x))\nloss = bn[2](h).pow(2).mean()": (
            f"{FROZEN}bn.eval()\nwith torch.no_grad():\n    h = bn[1](bn[0](x))\nloss = bn[2](h).pow(2).mean()"
        ),
        "bn.requires_grad_(False)\nloss = F.mse_loss(cls(x), bn(x))": (
            "bn.requires_grad_(False).eval()\nloss = F.mse_loss(cls(x), bn(x))"
        ),
    },
}
HEALTHY = """
loss = (((q := body(x)) @ body(x).T / 6**0.5).softmax(-1) @ q).pow(2).mean()  # attention
loss = F.nll_loss((body(x) @ x.T).softmax(-1).log(), torch.arange(N))  # attention that points
loss = F.cross_entropy(body(x) @ (e := nn.Embedding(3, 6)).weight.T + e(label).sum(), label)  # tied
loss = F.cross_entropy(cls(body(x).softmax(-1)), label)
loss = F.cross_entropy(cls(x) * net(x).sigmoid(), label)
loss = F.cross_entropy(t(x) + (x @ nn.Parameter(torch.randn(6, 2))) @ nn.Parameter(torch.zeros(2, 3)), label)
loss = F.cross_entropy(cls(checkpoint(body, x, use_reentrant=False)), label)
bn[0].requires_grad_(False); loss = F.cross_entropy(bn(x), label)
loss = F.cross_entropy(cls(nn.BatchNorm1d(6, affine=False)(x)), label)
z = nn.BatchNorm1d(3, affine=False)(t(x)); loss = F.cross_entropy(cls(torch.cat([z, z], 1)), label)
bn.requires_grad_(False); loss = F.cross_entropy(bn(body(x)), label)  # a GAN's generator
loss = F.softplus(net(bn[:2](x).sum(1, keepdim=True).detach() * x)).mean() + F.softplus(-net(x)).mean()
loss = F.mse_loss(net(x), torch.ones(N))  # least squares GAN: every pair is the same
loss = F.cross_entropy(cls(x).bfloat16().float(), label) / 4  # accumulation
loss = (F.cross_entropy(cls(x), label, reduction="none") * (m := (w > 0.3).float())).sum() / m.sum()
loss = ((body(x) - x) ** 2 * (w > 0.3)[:, None]).sum()  # an ordinary mask
loss = F.kl_div(cls(x).log_softmax(1), t(x).softmax(1), reduction="batchmean") + F.cross_entropy(cls(x), label)
loss = -(t(x).softmax(1) * cls(x).log_softmax(1)).sum(1).mean()
loss = F.mse_loss(body(x), x) - 0.0 * (1 + (s := net(x)) - s.exp()).mean()  # the KL of a VAE, warming up
loss = F.cross_entropy(cls(x), label, label_smoothing=0.1)
loss = ((1 - (l := -cls(x).log_softmax(1)[torch.arange(N), label]).neg().exp()) ** 2 * l).mean()  # focal
loss = torch.exp(-(s := nn.Parameter(torch.zeros(1)))) * F.cross_entropy(cls(x), label) + s
loss = (torch.stack([net(x).pow(2).mean(), cls(x).pow(2).mean()]) * torch.tensor([0.3, 0.7])).sum()
loss = F.cross_entropy((z := F.normalize(body(x), dim=1)) @ z.T / 0.5, torch.arange(N))
loss = -((s := body(x) @ x.T).log_softmax(0).diagonal() + s.log_softmax(1).diagonal()).mean()  # CLIP
loss = F.softplus(-((s := net(x)) - s.T) * (y[:, None] - y).sign()).mean()  # ranking in pairs
loss = (-((net(x) - torch.linspace(-1, 1, N)) ** 2)).exp().mean()  # kernels on a grid
loss = F.mse_loss(nn.Conv2d(3, 3, 1)(i := torch.randn(2, 3, 4, 4)), (i - torch.rand(3, 1, 1)) / torch.rand(3, 1, 1))
loss = (net(x) - 0.7).pow(2).mean() + F.mse_loss(net(x).mean(), torch.tensor(0.3))
loss = F.gaussian_nll_loss(net(x)[:, 0], y, w)
loss = F.huber_loss(net(x)[:, 0], y) + F.smooth_l1_loss(net(x), y[:, None])
loss = F.ctc_loss(cls(torch.randn(8, 2, 6)).log_softmax(-1), torch.ones(2, 2).long(), torch.tensor([8, 8]), torch.tensor([2, 2]))
loss = (nn.Linear(6, N)(x) + (torch.arange(N)[:, None] * torch.arange(N)).sin()).pow(2).mean()  # positions
loss = ((y[:, None] * nn.Parameter(torch.randn(N)) + nn.Parameter(torch.randn(N))).mean(1) - y).pow(2).mean()
loss = (h := net(x)).pow(2).mean() + (body(x) + (body(x).round() - body(x)).detach()).pow(2).mean()
loss = (s := F.mse_loss(net(x)[:, 0], y)) + ((net(x)[:, 0] - y).abs().mean() - s).detach()  # another value
loss = (v := net(x).abs().mean()).detach() + ((s := net(x).pow(2).mean()) - s.detach())
loss = (a := net(x).pow(2).mean()) + (b := cls(x).pow(2).mean()) * (a.item() / b.item())
loss = (a := net(x).pow(2).mean()) / a.item() + 0.25
loss = (F.cross_entropy(cls(x), label) - 0.05).abs() + 0.05  # flooding
loss = net(x).mul(y[:, None]).mean() + 1e-3 * sum((p - p.detach() * 0.9).pow(2).sum() for p in net.parameters())
loss = torch.zeros(()); loss += F.cross_entropy(cls(x), label); print(end=str(loss.item())[:0])
loss = F.relu(1 - (net(x) + 50)).mean() + F.cross_entropy(cls(x), label)  # a hinge that is satisfied
""".strip().splitlines()
ONLY_TORCH = (
    "bfloat16",
    "checkpoint",
    "kl_div",
    "gaussian",
    "huber",
    "ctc_loss",
    "Embedding",
    "diagonal",
)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("kind", FAULTY)
def test_a_cause_is_found_and_not_in_the_fixed_program(kind, engine):
    for faulty, fixed in FAULTY[kind].items():
        found = told(engine, faulty)
        assert [each.kind for each in found.causes] == [kind], faulty
        assert f"Mistakes: {kind}. " in found.line and f"\n{kind:<12}" in str(found)
        with pytest.raises(AssertionError, match="found: cause"):
            found.raise_if(cause=True)
        told(engine, fixed).raise_if(cause=True)


@pytest.mark.parametrize("program", HEALTHY)
def test_a_healthy_program_raises_no_alarm(program):
    for engine in ENGINES.values():
        if engine is torch or not any(word in program for word in ONLY_TORCH):
            assert told(engine, program).causes == []


CAUSES = {"4": "dead term", "9": "softmax", "13": "broadcast", "14": "batch axis"}


@pytest.mark.parametrize("number", CAUSES)
def test_failing_loops_of_lesson_13_are_found(number):
    failing, fixed = LOOPS[number].source, LOOPS[number].edits[1]
    for engine in ENGINES.values():
        for source, kinds in ((failing, [CAUSES[number]]), (fixed, [])):
            names = setting(engine)
            with watching():
                exec(source.replace("range(40)", "range(2)"), names)
            assert [each.kind for each in report(names["loss"], names["net"]).causes] == kinds


def test_a_cause_names_its_place_fix_and_lesson():
    class Regressor(torch.nn.Linear):
        def loss(self, x, y):
            out = self(x)
            return ((out - y) ** 2).mean()

        def forward(self, x, y=None):
            return super().forward(x) if y is None else self.loss(x, y)

    model = Regressor(6, 1)
    with watching():
        loss = model(torch.randn(N, 6), torch.randn(N))
    found = report(loss, model)
    (data,) = json.loads(json.dumps(found.data()["causes"]))
    assert data["line"] == "return ((out - y) ** 2).mean()" and "test_causes.py:" in data["file"]
    row = (
        "broadcast   The prediction [8, 1] and the target broadcast to [8, 8], so all predictions"
        f" meet all targets in Regressor: {data['line']} ({data['file']}, called in {data['called']}). Give both the"
        " same shape, for example by squeeze(1) (lesson 06, find_your_error.md#silent_broadcast)."
    )
    assert row in str(found).splitlines()


def test_item_ends_the_path_of_a_parameter():
    found = told(torch, f"aux = {MSE}.item()\nloss = {CE} + aux")
    assert "The path to the loss ends at item()." in str(found)
    (row,) = found.data()["causes"]
    assert row["sentence"].endswith("its path ends at item()")
    repeated = f"a = {MSE}\nloss = {CE}\nfor _ in range(3):\n    loss = loss + a.item()"
    assert len(told(torch, repeated).causes) == 1
    assert told(torch, f"print(end=str({MSE}.item())[:0])\nloss = {CE} + 0.25").causes == []
