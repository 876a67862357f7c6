"""The patients of lesson 13: training loops with one mistake each, as text, so that a learner can
point at a line and edit it.

    PATIENTS["1"].source        the loop; `history` is what the instruments wrote down, a `History`
    PATIENTS["1"].cured         the same with its mistake mended
    objection(history.data(), [mended.data()])      why a loop that reached its goal is not cured;
    "" if it is

A loop uses the names of the lesson: T, F, nn, optim, the data, `network()`, `instruments`, and the
number of its STEPS."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import dedent

CLOSE = 1e-3
"""How far norms may lie apart that are called the same: a cure may write 1e-6 where another has 0.
"""


@dataclass(frozen=True)
class Patient:
    """A loop with a mistake.

    complaint  what is seen from outside.
    source     the loop. A line that ends in "#!" is guilty; the mark is taken away.
    mended     {guilty line: what stands there instead}, lines without indentation.
    goal       what is True after the cured loop, an expression.
    because    what is wrong, told once the learner has pointed.
    also       other ways to mend it, which train otherwise than the first.
    """

    complaint: str
    marked: str
    mended: dict[str, str]
    goal: str
    because: str
    also: tuple[dict[str, str], ...] = ()

    @property
    def source(self) -> str:
        return "\n".join(
            line.removesuffix("#!").rstrip() for line in dedent(self.marked).strip().splitlines()
        )

    @property
    def guilty(self) -> set[int]:
        """The lines to point at, counted from 0."""
        return {
            i
            for i, line in enumerate(dedent(self.marked).strip().splitlines())
            if line.endswith("#!")
        }

    @property
    def cured(self) -> str:
        return self.cures[0]

    @property
    def cures(self) -> list[str]:
        return [
            "\n".join(_mended(line, mended) for line in self.source.splitlines())
            for mended in (self.mended, *self.also)
        ]


def _mended(line: str, mended: dict[str, str]) -> str:
    indentation = line[: len(line) - len(line.lstrip())]
    text = mended.get(line.strip(), line.strip())
    return "\n".join(indentation + part for part in text.splitlines())


def objection(yours: dict, cures: Iterable[dict]) -> str:
    """Why a loop is not cured though its goal is reached; "" where its history is that of one of
    the `cures`.

    A loss that is small can be had without a cure: it is asked whether the patient lives, and which
    gradients it gets."""
    for what in "gradient", "share":
        for name, numbers in yours[what].items():
            for step, number in enumerate(numbers):
                if number is not None and not math.isfinite(number):
                    return (
                        f"Its {what} of {name} is {number} at step {step}. The patient is dead,"
                        " whatever its loss says."
                    )
    lowest = min(yours["loss"], default=0)
    if lowest < 0:
        return f"The loss is {_short(lowest)}, and the loss that is meant is never below 0."
    said = ""
    for cure in cures:
        where = parting(yours, cure)
        if not where:
            return ""
        said = said or where
    return said


def parting(yours: dict, mended: dict) -> str:
    """The first step and parameter at which a history is not that of the mended loop, in a
    sentence; "" if there is none.
    """
    steps = [len(history["loss"]) for history in (yours, mended)]
    for step in range(min(steps)):
        since = (
            f"Up to step {step} nothing differs from the mended loop. Then"
            if step
            else "At the first step"
        )
        pairs = {
            name: (norms[step], mended["gradient"][name][step])
            for name, norms in yours["gradient"].items()
            if name in mended["gradient"]
        }
        # what is missing first
        for name, (here, there) in sorted(pairs.items(), key=lambda pair: None not in pair[1]):
            if not _same(here, there):
                if here is None:
                    return f"{since} no gradient arrives at {name}."
                if there is None:
                    return f"{since} a gradient arrives at {name}, and none in the mended loop."
                factor = _factor(pairs.values())
                if factor:
                    return (
                        f"{since} each gradient is {_short(factor)} times the mended loop's. A"
                        " factor changes how far it goes, not where."
                    )
                return (
                    f"{since} the gradient of {name} has the norm {_short(here)}, and"
                    f" {_short(there)} in the mended loop. It is not the gradient that was meant."
                )
        for name in pairs:
            here, there = yours["share"][name][step], mended["share"][name][step]
            if not _same(here, there):
                return (
                    f"{since} the gradients are those of the mended loop, and {name} moves by"
                    f" {_short(here)} of its length, not by {_short(there)}. Leave the optimizer"
                    " and its rate as they are: what they hide is not cured."
                )
    if steps[0] != steps[1] or yours["gradient"].keys() != mended["gradient"].keys():
        return (
            f"It takes {steps[0]} steps, the mended loop {steps[1]}. More or less time is no cure."
        )
    return ""


def _same(here: float | None, there: float | None) -> bool:
    return (
        here is there
        if here is None or there is None
        else math.isclose(here, there, rel_tol=CLOSE, abs_tol=1e-9)
    )


def _factor(pairs: Iterable[tuple[float | None, float | None]]) -> float:
    """What the first number of each pair is divided by the second; 0 where that is not one number."""
    pairs = list(pairs)
    if any(not here or not there for here, there in pairs):
        return 0
    first = pairs[0][0] / pairs[0][1]
    return (
        first
        if all(math.isclose(here / there, first, rel_tol=CLOSE) for here, there in pairs)
        else 0
    )


def _short(number: float | None) -> str:
    return "None" if number is None else f"{number:.3g}".replace("-", "−")


HEALTHY = dedent("""
    net = network()
    optimizer = optim.Adam(net.parameters(), lr=0.05)
    history = instruments(net, optimizer)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), label)
        loss.backward()
        history.log(loss)
        optimizer.step()
    """).strip()

LEARNED = "accuracy(net) > 0.9"
BIAS = "layer.bias = nn.Parameter(layer.bias.clamp(-1, 1))"

PATIENTS = {
    "1": Patient(
        "the loss stays where it is",
        """
        net = network()
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        for step in range(STEPS):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), label)
            history.log(loss)
            optimizer.step()                                #!
            loss.backward()                                 #!
        """,
        {
            "history.log(loss)": "loss.backward()",
            "optimizer.step()": "history.log(loss)",
            "loss.backward()": "optimizer.step()",
        },
        LEARNED,
        "zero, step, backward: the gradient comes too late, and is cleared before the next step"
        " finds it",
    ),
    "2": Patient(
        "the loss stays where it is",
        """
        net = network()
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        for step in range(STEPS):
            optimizer.zero_grad()
            mean = F.cross_entropy(net(x), label).item()    #!
            loss = T.tensor(mean, requires_grad=True)       #!
            loss.backward()
            history.log(loss)
            optimizer.step()
        """,
        {
            "mean = F.cross_entropy(net(x), label).item()": "loss = F.cross_entropy(net(x), label)",
            "loss = T.tensor(mean, requires_grad=True)": "mean = loss.item()",
        },
        LEARNED,
        "a tensor made of a number is a new leaf without a past; requires_grad=True only made the"
        " error message go away",
    ),
    "3": Patient(
        "the loss stays where it is",
        """
        teacher, net = network(), network()
        optimizer = optim.Adam(teacher.parameters(), lr=0.05)   #!
        history = instruments(net, optimizer)
        for step in range(STEPS):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), label)
            loss.backward()
            history.log(loss)
            optimizer.step()
        """,
        {
            "optimizer = optim.Adam(teacher.parameters(), lr=0.05)": (
                "optimizer = optim.Adam(net.parameters(), lr=0.05)"
            )
        },
        LEARNED,
        "the optimizer holds another network's parameters: gradients arrive, nobody reads them,"
        " nobody clears them",
    ),
    "4": Patient(
        "two heads; the loss falls, and the size is never right",
        """
        net = two_heads()
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        for step in range(STEPS):
            optimizer.zero_grad()
            kind, how_large = two_losses(net)
            loss = kind + how_large.item()                  #!
            loss.backward()
            history.log(loss)
            optimizer.step()
        """,
        {"loss = kind + how_large.item()": "loss = kind + how_large"},
        "two_losses(net)[1].item() < 0.01",
        ".item() turns the second loss into a plain number: it is in the sum, and not in the graph",
    ),
    "5": Patient(
        "labels are known for two of three points; the loss is almost 0, and the answers are wrong",
        """
        net = network()
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        mask = known.to(T.int64)                            #!
        for step in range(STEPS):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x)[mask], label[mask])   #!
            loss.backward()
            history.log(loss)
            optimizer.step()
        """,
        {"mask = known.to(T.int64)": "mask = known"},
        "accuracy(net) > 0.8",
        "whole numbers are places, not choices: it takes the points 0 and 1, a hundred times"
        " in all",
    ),
    "6": Patient(
        "two loaders, 32 common points and 4 rare ones; each should count the same, and in 40 steps"
        " no rare one is found",
        """
        net = network()
        optimizer = optim.SGD(net.parameters(), lr=0.01)
        history = instruments(net, optimizer)
        for step in range(STEPS):
            optimizer.zero_grad()
            out = net(x)
            loss = F.cross_entropy(out[common], label[common], reduction="sum")     #!
            loss = loss + F.cross_entropy(out[rare], label[rare])                   #!
            loss.backward()
            history.log(loss)
            optimizer.step()
        """,
        {
            "loss = loss + F.cross_entropy(out[rare], label[rare])": (
                'loss = loss + F.cross_entropy(out[rare], label[rare], reduction="sum")'
            )
        },
        "accuracy(net, rare) >= 0.5",
        "one loss is a sum and the other a mean: all rare points together weigh as much as one"
        " common",
    ),
    "7": Patient(
        "it learns for a while, and then the loss rises again",
        """
        net = network()
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        for step in range(STEPS):                              #!
            loss = F.cross_entropy(net(x), label)           #!
            loss.backward()                                 #!
            history.log(loss)
            optimizer.step()                                #!
        """,
        {"loss.backward()": "optimizer.zero_grad()\nloss.backward()"},
        "loss.item() < 0.2",
        "zero_grad() is missing, so .grad is the sum of all gradients so far",
    ),
    "8": Patient(
        "it falls, but not far; the softmax is written by hand",
        """
        net = network()
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        for step in range(STEPS):
            optimizer.zero_grad()
            p = T.exp(net(x))
            p.data /= p.data.sum(1, keepdim=True)           #!
            loss = -T.log(p[T.arange(100), label]).mean()
            loss.backward()
            history.log(loss)
            optimizer.step()
        """,
        {"p.data /= p.data.sum(1, keepdim=True)": "p = p / p.sum(1, keepdim=True)"},
        "loss.item() < 0.2",
        "exp has saved its result, and .data changes it behind its back: the gradient is not the"
        " slope of this loss",
    ),
    "9": Patient(
        "nearly all answers are right, and the loss stays large",
        """
        net = network()
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        for step in range(STEPS):
            optimizer.zero_grad()
            p = F.softmax(net(x), 1)                        #!
            loss = F.cross_entropy(p, label)                #!
            loss.backward()
            history.log(loss)
            optimizer.step()
        """,
        {"loss = F.cross_entropy(p, label)": "loss = F.cross_entropy(net(x), label)"},
        "loss.item() < 0.2",
        "cross_entropy applies its own softmax, to the probabilities as if they were logits",
    ),
    "10": Patient(
        "the weights are limited once, after 15 steps; since then nothing happens",
        """
        net = network()
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        for step in range(STEPS):
            if step == 15:
                for layer in (net[0], net[2]):
                    layer.weight = nn.Parameter(layer.weight.clamp(-1, 1))     #!
                    layer.bias = nn.Parameter(layer.bias.clamp(-1, 1))         #!
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), label)
            loss.backward()
            history.log(loss)
            optimizer.step()
        """,
        {
            "layer.weight = nn.Parameter(layer.weight.clamp(-1, 1))": (
                "layer.weight.data.clamp_(-1, 1)"
            ),
            "layer.bias = nn.Parameter(layer.bias.clamp(-1, 1))": "layer.bias.data.clamp_(-1, 1)",
        },
        "loss.item() < 0.2",
        "a new Parameter is a new leaf, and the optimizer still holds the one before",
        tuple(
            {BIAS: f"{BIAS}\n{told}"}
            for told in (
                "optimizer.param_groups[0]['params'] = list(net.parameters())",
                "optimizer = optim.Adam(net.parameters(), lr=0.05)",
                (
                    "optimizer = optim.Adam(net.parameters(), lr=0.05)\nhistory = instruments(net,"
                    " optimizer)"
                ),
            )
        ),
    ),
    "11": Patient(
        "the first loss is fine, the second is nan",
        """
        net = network()
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        for step in range(STEPS):
            optimizer.zero_grad()
            ratio = net(x)[:, 0] / area                     #!
            loss = T.where(known, (ratio - 1) ** 2, 0.0).mean()     #!
            loss.backward()
            history.log(loss)
            optimizer.step()
        """,
        {
            "ratio = net(x)[:, 0] / area": "ratio = net(x)[known, 0] / area[known]",
            "loss = T.where(known, (ratio - 1) ** 2, 0.0).mean()": (
                "loss = ((ratio - 1) ** 2).mean()"
            ),
        },
        "loss.item() < 0.2",
        "where sends 0 into the dead branch, and there 0 meets infinity: the gradient is nan, and"
        " the loss is not",
        ({"ratio = net(x)[:, 0] / area": "ratio = net(x)[:, 0] / T.where(known, area, 1.0)"},),
    ),
    "12": Patient(
        "it learns well, and its graph has more nodes at each step",
        """
        net, mean = network(), T.zeros(16, dtype=T.float64)
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        for step in range(STEPS):
            optimizer.zero_grad()
            h = net[1](net[0](x))
            mean = 0.9 * mean + 0.1 * h.mean(0)             #!
            loss = F.cross_entropy(net[2](h - mean), label)
            loss.backward(retain_graph=True)                #!
            history.log(loss)
            optimizer.step()
        """,
        {
            "mean = 0.9 * mean + 0.1 * h.mean(0)": "mean = 0.9 * mean.detach() + 0.1 * h.mean(0)",
            "loss.backward(retain_graph=True)": "loss.backward()",
        },
        "len(set(history.nodes)) == 1 and loss.item() < 0.2",
        "the running mean brings along the graph of every batch that it has seen; retain_graph only"
        " silenced the error",
        (
            {
                "mean = 0.9 * mean + 0.1 * h.mean(0)": (
                    "mean = (0.9 * mean + 0.1 * h.mean(0)).detach()"
                ),
                "loss.backward(retain_graph=True)": "loss.backward()",
            },
        ),
    ),
}

UNSEEN = {
    "13": Patient(
        "the loss falls at first, and stops far too high",
        """
        net = one_output()
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        for step in range(STEPS):
            optimizer.zero_grad()
            loss = ((net(x) - size) ** 2).mean()            #!
            loss.backward()
            history.log(loss)
            optimizer.step()
        """,
        {"loss = ((net(x) - size) ** 2).mean()": "loss = ((net(x)[:, 0] - size) ** 2).mean()"},
        "((net(x)[:, 0] - size) ** 2).mean().item() < 0.01",
        "(100, 1) minus (100,) is (100, 100): every answer is compared with every truth, and the"
        " best answer is the mean",
    ),
    "14": Patient(
        "the loss falls, and the answers are worse than the healthy loop's",
        """
        net = network()
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        for step in range(STEPS):
            optimizer.zero_grad()
            q = F.log_softmax(net(x), 0)                    #!
            loss = -q[T.arange(100), label].mean()
            loss.backward()
            history.log(loss)
            optimizer.step()
        """,
        {"q = F.log_softmax(net(x), 0)": "q = F.log_softmax(net(x), 1)"},
        LEARNED,
        "dim 0 are the points: the softmax shares 1 among a hundred points instead of ten kinds",
    ),
    "15": Patient(
        "all instruments are fine, and the score at the end is poor",
        """
        net = with_dropout()
        optimizer = optim.Adam(net.parameters(), lr=0.05)
        history = instruments(net, optimizer)
        for step in range(2 * STEPS):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), label)
            loss.backward()
            history.log(loss)
            optimizer.step()
        score = accuracy(net)                               #!
        """,
        {"score = accuracy(net)": "net.eval()\nscore = accuracy(net)"},
        "score > 0.9 and score == accuracy(net.eval())",
        "eval() is missing: dropout goes on throwing units away while the score is taken",
    ),
}
