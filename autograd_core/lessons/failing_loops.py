"""The failing loops of lesson 13, as text that a learner edits, and the names that they use."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEALTHY = """\
net = network()
optimizer = optim.Adam(net.parameters(), lr=0.05)
for step in range(40):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(x), label)
    loss.backward()
    optimizer.step()"""
WARDS = {
    "I": "The loss does not move",
    "II": "The loss changes, and an alarm goes off",
    "III": "The loss falls, and no alarm goes off",
    "more": "Three more loops, and no alarm",
}


@dataclass(frozen=True)
class FailingLoop:
    """A training loop with one bug.

    source    the text of the loop
    goal      the loss that the loop should minimize, in words
    meant     this loss as expressions: a fix follows one of them; loop 15 has none
    faulty    the lines that contain the bug, counted from 1
    because   the reason, shown after the right click
    questions hints, shown after a wrong click
    tempting  an edit that doesn't fix the loop: (before, after) pairs of text
    fix       an edit that fixes it
    missing   whether the bug is also a missing line
    """

    ward: str
    source: str
    goal: str
    meant: list[str]
    faulty: list[int]
    because: str
    questions: list[str]
    tempting: list[list[str]]
    fix: list[list[str]]
    missing: bool = False

    @property
    def edits(self) -> list[str]:
        """The loop after the tempting edit and after the fix."""
        return [replaced(self.source, self.tempting), replaced(self.source, self.fix)]


def replaced(source: str, pairs: list[list[str]]) -> str:
    for before, after in pairs:
        source = source.replace(before, after)
    return source


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
LOOPS = {
    number: FailingLoop(**{**_TABLE[number], "source": _TABLE[number]["source"].strip()})
    for number in sorted(_TABLE, key=int)
}


def setting(torch: Any, seed: int = 0, made: Any = lambda net: net) -> dict[str, Any]:
    """The names that a loop may use, on one engine. Each network goes through `made`."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(seed)
    centres = torch.randn(10, 4, dtype=torch.float64)
    label = torch.arange(100) % 10  # ten classes, ten points each
    x = centres[label] + 0.4 * torch.randn(100, 4, dtype=torch.float64)
    known, size = torch.arange(100) % 3 > 0, torch.sigmoid(x[:, 0])

    def network(outputs: int = 10, *between: Any) -> Any:
        torch.manual_seed(seed + 1)
        layers = nn.Linear(4, 16), nn.Tanh(), *between, nn.Linear(16, outputs)
        return made(nn.Sequential(*layers).double())

    def two_heads() -> Any:
        torch.manual_seed(seed + 1)
        sizes = {"trunk": (4, 16), "label": (16, 10), "size": (16, 1)}
        layers = {name: nn.Linear(*size) for name, size in sizes.items()}
        return made(nn.ModuleDict(layers).double())

    def two_losses(net: Any) -> tuple[Any, Any]:
        h = torch.tanh(net["trunk"](x))
        return F.cross_entropy(net["label"](h), label), F.mse_loss(net["size"](h)[:, 0], size)

    def accuracy(net: Any, some: Any = slice(None)) -> float:
        return (net(x[some]).argmax(1) == label[some]).double().mean().item()

    means = dict.fromkeys((True, False), torch.zeros(16, dtype=torch.float64))

    def centred_loss(net: Any, through: bool) -> Any:
        """The loss of loop 12 at its next step: the new part of the mean has a graph, or not."""
        h = net[1](net[0](x))
        mean = 0.9 * means[through] + 0.1 * h.mean(0)
        means[through] = mean.detach()
        return F.cross_entropy(net[2](h - (mean if through else mean.detach())), label)

    own = {"network": network, "two_heads": two_heads, "two_losses": two_losses}
    own |= {"one_output": lambda: network(1), "accuracy": accuracy, "centred_loss": centred_loss}
    own |= {"torch": torch, "nn": nn, "optim": torch.optim, "F": F, "x": x, "label": label}
    return own | {
        **{"known": known, "size": size, "area": torch.where(known, 1 + x[:, 0] ** 2, 0.0)},
        "common": torch.nonzero(label < 8)[:32, 0],
        "rare": torch.nonzero(label >= 8)[:4, 0],
        "with_dropout": lambda: network(10, nn.Dropout(0.8)),
    }
