"""The patients of lesson 13: training loops with one mistake each, as text that can be edited.

    PATIENTS["1"].source, .cured        the loop, and the same with its mistake mended

A loop uses the names of the lesson: T, F, nn, optim, the data, `network()`, STEPS, and
`instruments`, which write down a `History`."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import dedent
from typing import NamedTuple

from ..widgets.graph.heat import apart

LEAVE = "Leave the optimizer and its rate as they are: what they hide is not cured."


@dataclass(frozen=True)
class Patient:
    """A loop with a mistake.

    complaint  what is seen from outside.
    changes    what stands in place of lines of the healthy loop, see `loop`; guilty lines end in
               "#!", a mark that is taken away.
    goal       what is True after the cured loop, an expression.
    because    what is wrong, told once the learner has pointed.
    mended     ways to mend it, as `changes`; with none the healthy loop is its cure.
    then       a line after the loop.
    """

    complaint: str
    changes: dict[str, str]
    goal: str
    because: str
    mended: Sequence[dict[str, str]] = ()
    then: str = ""

    @property
    def marked(self) -> str:
        return f"{loop(self.changes)}\n{self.then}".rstrip()

    @property
    def source(self) -> str:
        return "\n".join(line.removesuffix("#!").rstrip() for line in self.marked.splitlines())

    @property
    def guilty(self) -> set[int]:
        """The lines to point at, counted from 0."""
        return {i for i, line in enumerate(self.marked.splitlines()) if line.endswith("#!")}

    @property
    def cured(self) -> str:
        return self.cures[0]

    @property
    def cures(self) -> list[str]:
        return [loop(mended, self.source) for mended in self.mended] or [HEALTHY]


class Parting(NamedTuple):
    """Where two histories first differ, in words and as a place.

    what  "gradient", or "share" where the gradients are the same; "" where no norm differs; and
          without a place: "names" of the parameters, or number of "steps"."""

    text: str
    what: str = ""
    step: int = 0
    name: str = ""


def objection(yours: dict, cures: Iterable[dict]) -> str:
    """Why a loop is not cured though its goal is reached; "" where its history is that of one of
    the `cures`. A small loss can be had without a cure, the gradients of the cured loop cannot."""
    for what in "gradient", "share":
        for name, numbers in yours[what].items():
            for step, number in enumerate(numbers):
                if number is not None and not math.isfinite(number):
                    place = f"Its {what} of {name} is {number} at step {step}"
                    return f"{place}. The patient is dead, whatever its loss says."
    lowest = min((loss for loss in yours["loss"] if loss is not None), default=0)
    if lowest < 0:
        least = f"{lowest:.3g}".replace("-", "−")
        return f"The loss is {least}, and the loss that is meant is never below 0."
    where = [parting(yours, cure) for cure in cures]
    if not all(each.what for each in where):
        return ""
    first = where[0]
    return f"{first.text} {LEAVE}" if first.what == "share" else first.text


def parting(yours: dict, mended: dict) -> Parting:
    """Where a history first is not that of the mended loop. Norms are compared, no directions."""
    here, there = (len(history["loss"]) for history in (yours, mended))
    if here != there:
        return Parting(f"It has {here} steps, the mended loop {there}.", "steps")
    if yours["gradient"].keys() != mended["gradient"].keys():
        return Parting("Its parameters have other names than the mended loop's.", "names")
    for step in range(here):
        since = f"Until step {step} no norm differs. Then" if step else "At step 0"
        for what in "gradient", "share":
            of_mended = mended[what]
            pairs = {name: (row[step], of_mended[name][step]) for name, row in yours[what].items()}
            differ = {name: pair for name, pair in pairs.items() if apart(*pair)}
            if differ:
                name = min(differ, key=lambda name: None not in differ[name])  # what is missing
                text = _sentence(what, name, *differ[name], _factor(pairs.values()))
                return Parting(f"{since} {text}", what, step, name)
    return Parting("No norm differs at any step. Look beyond them.")


def _sentence(what: str, name: str, here: float | None, there: float | None, factor: float) -> str:
    if here is None:
        return f"no gradient arrives at {name}."
    if there is None:
        return f"a gradient arrives at {name}, and none in the mended loop."
    if what == "gradient" and factor:
        return f"each gradient is {factor:.3g} times the mended loop's."
    mine, others = f"{here:.4g}", f"{there:.4g}"  # so they differ, by what `apart` forgives
    if what == "gradient":
        return f"the gradient of {name} has the norm {mine}, and {others} in the mended loop."
    moves = f"{name} moves by {mine} of its length, not by {others}."
    return f"the gradients are those of the mended loop, and {moves}"


def _factor(pairs: Iterable[tuple[float | None, float | None]]) -> float:
    """What the first number of each pair is divided by the second; 0 where that is not one number."""
    first, *others = (here / there if here and there else 0 for here, there in pairs)
    return 0 if any(apart(first, other) for other in others) else first


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

NET, ADAM, HISTORY, FOR, ZERO, LOSS, BACKWARD, LOG, STEP = map(str.strip, HEALTHY.splitlines())


def loop(changes: dict[str, str], source: str = HEALTHY) -> str:
    """`source` with others in place of some lines: {line: lines}, without indentation, "" for none."""
    lines = []
    for line in source.splitlines():
        indentation = line[: len(line) - len(line.lstrip())]
        instead = changes.get(line.strip(), line.strip())
        lines += [indentation + part for part in instead.splitlines()]
    return "\n".join(lines)


SAME = "the loss stays where it is"
LEARNED, LOW = "accuracy(net) > 0.9", "loss.item() < 0.2"
WEIGHT = "layer.weight = nn.Parameter(layer.weight.clamp(-1, 1))"
BIAS = "layer.bias = nn.Parameter(layer.bias.clamp(-1, 1))"
RATIO = "ratio = net(x)[:, 0] / area"
MEAN = "mean = 0.9 * mean + 0.1 * h.mean(0)"
RETAINED = "loss.backward(retain_graph=True)"
OF_RARE = "loss = loss + F.cross_entropy(out[rare], label[rare])"
KNOWN = "loss = T.where(known, (ratio - 1) ** 2, 0.0).mean()"
NORMED = "p.data /= p.data.sum(1, keepdim=True)"
COMPARED = "loss = ((net(x) - size) ** 2).mean()"

PATIENTS = {
    "1": Patient(
        SAME,
        {BACKWARD: LOG, LOG: f"{STEP} #!", STEP: f"{BACKWARD} #!"},
        LEARNED,
        "zero, step, backward: the gradient comes too late, and is cleared before it is used",
    ),
    "2": Patient(
        SAME,
        {
            LOSS: "mean = F.cross_entropy(net(x), label).item() #!\n"
            "loss = T.tensor(mean, requires_grad=True) #!"
        },
        LEARNED,
        "a tensor made of a number has no past; requires_grad=True only silenced the error",
    ),
    "3": Patient(
        SAME,
        {
            NET: "teacher, net = network(), network()",
            ADAM: "optimizer = optim.Adam(teacher.parameters(), lr=0.05) #!",
        },
        LEARNED,
        "the optimizer holds another network's parameters: nobody reads or clears these gradients",
        [{"optimizer = optim.Adam(teacher.parameters(), lr=0.05)": ADAM}],
    ),
    "4": Patient(
        "two heads; the loss falls, and the size is never right",
        {
            NET: "net = two_heads()",
            LOSS: "kind, how_large = two_losses(net)\nloss = kind + how_large.item() #!",
        },
        "two_losses(net)[1].item() < 0.01",
        ".item() turns the second loss into a plain number: it is in the sum, and not in the graph",
        [{"loss = kind + how_large.item()": "loss = kind + how_large"}],
    ),
    "5": Patient(
        "labels are known for two of three points; the loss is almost 0, and the answers are wrong",
        {
            HISTORY: f"{HISTORY}\nmask = known.to(T.int64) #!",
            LOSS: "loss = F.cross_entropy(net(x)[mask], label[mask]) #!",
        },
        "accuracy(net) > 0.8",
        "whole numbers are places, not choices: a hundred times in all it takes point 0 or 1",
        [{"mask = known.to(T.int64)": "mask = known"}],
    ),
    "6": Patient(
        "two loaders, 32 common points and 4 rare ones; each should count the same, and in 40 steps"
        " no rare one is found",
        {
            ADAM: "optimizer = optim.SGD(net.parameters(), lr=0.01)",
            LOSS: "out = net(x)\n"
            'loss = F.cross_entropy(out[common], label[common], reduction="sum") #!\n'
            f"{OF_RARE} #!",
        },
        "accuracy(net, rare) >= 0.5",
        "one loss is a sum, the other a mean: all rare points together weigh as one common point",
        [{OF_RARE: OF_RARE.replace("[rare])", '[rare], reduction="sum")')}],
    ),
    "7": Patient(
        "it learns for a while, and then the loss rises again",
        {
            FOR: f"{FOR} #!",
            ZERO: "",
            LOSS: f"{LOSS} #!",
            BACKWARD: f"{BACKWARD} #!",
            STEP: f"{STEP} #!",
        },
        LOW,
        "zero_grad() is missing, so .grad is the sum of all gradients so far",
    ),
    "8": Patient(
        "it falls, but not far; the softmax is written by hand",
        {LOSS: f"p = T.exp(net(x))\n{NORMED} #!\nloss = -T.log(p[T.arange(100), label]).mean()"},
        LOW,
        "exp has saved its result, and .data changes it: the gradient is not this loss's slope",
        [{NORMED: "p = p / p.sum(1, keepdim=True)"}],
    ),
    "9": Patient(
        "nearly all answers are right, and the loss stays large",
        {LOSS: "p = F.softmax(net(x), 1) #!\nloss = F.cross_entropy(p, label) #!"},
        LOW,
        "cross_entropy applies its own softmax, to the probabilities as if they were logits",
    ),
    "10": Patient(
        "the weights are limited once, after 15 steps; since then nothing happens",
        {
            ZERO: "if step == 15:\n    for layer in (net[0], net[2]):\n"
            f"        {WEIGHT} #!\n        {BIAS} #!\n{ZERO}"
        },
        LOW,
        "a new Parameter is a new leaf, and the optimizer still holds the one before",
        [
            {WEIGHT: "layer.weight.data.clamp_(-1, 1)", BIAS: "layer.bias.data.clamp_(-1, 1)"},
            {BIAS: f"{BIAS}\noptimizer.param_groups[0]['params'] = list(net.parameters())"},
            {BIAS: f"{BIAS}\n{ADAM}"},
            {BIAS: f"{BIAS}\n{ADAM}\n{HISTORY}"},
        ],
    ),
    "11": Patient(
        "the first loss is fine, the second is nan",
        {LOSS: f"{RATIO} #!\n{KNOWN} #!"},
        LOW,
        "where sends 0 into the dead branch, and there 0 times infinity makes the gradient nan",
        [
            {
                RATIO: "ratio = net(x)[known, 0] / area[known]",
                KNOWN: "loss = ((ratio - 1) ** 2).mean()",
            },
            {RATIO: "ratio = net(x)[:, 0] / T.where(known, area, 1.0)"},
        ],
    ),
    "12": Patient(
        "it learns well, and its graph has more nodes at each step",
        {
            NET: "net, mean = network(), T.zeros(16, dtype=T.float64)",
            LOSS: f"h = net[1](net[0](x))\n{MEAN} #!\n"
            "loss = F.cross_entropy(net[2](h - mean), label)",
            BACKWARD: f"{RETAINED} #!",
        },
        f"len(set(history.nodes)) == 1 and {LOW}",
        "the running mean brings the graph of every batch along; retain_graph only hid the error",
        [
            {MEAN: "mean = 0.9 * mean.detach() + 0.1 * h.mean(0)", RETAINED: BACKWARD},
            {MEAN: "mean = (0.9 * mean + 0.1 * h.mean(0)).detach()", RETAINED: BACKWARD},
        ],
    ),
}

UNSEEN = {
    "13": Patient(
        "the loss falls at first, and stops far too high",
        {NET: "net = one_output()", LOSS: f"{COMPARED} #!"},
        "((net(x)[:, 0] - size) ** 2).mean().item() < 0.01",
        "(100, 1) minus (100,) is (100, 100): each answer meets every truth, and learns their mean",
        [{COMPARED: "loss = ((net(x)[:, 0] - size) ** 2).mean()"}],
    ),
    "14": Patient(
        "the loss falls, and the answers are worse than the healthy loop's",
        {LOSS: "q = F.log_softmax(net(x), 0) #!\nloss = -q[T.arange(100), label].mean()"},
        LEARNED,
        "dim 0 are the points: the softmax shares 1 among a hundred points instead of ten kinds",
    ),
    "15": Patient(
        "all instruments are fine, and the score at the end is poor",
        {NET: "net = with_dropout()", FOR: FOR.replace("STEPS", "2 * STEPS")},
        "score > 0.9 and score == accuracy(net.eval())",
        "eval() is missing: dropout goes on throwing units away while the score is taken",
        [{"score = accuracy(net)": "net.eval()\nscore = accuracy(net)"}],
        then="score = accuracy(net) #!",
    ),
}
