"""The exercises of lesson 13, each with its table of mistakes."""

import math

import torch

from ..check import exercise, function_exercise
from ..conduct import kind_of
from ..references import Function, Refused

LINES = (
    "(w ** 2).detach().requires_grad_().backward()",
    "w.data = w.data.clone(); (w ** 2).backward()",
    "torch.where(w > 9, torch.sqrt(w - 4), w).backward()",
    "w = w * 1.0; (w ** 2).backward()",
)
REASONS = (
    "In 1, `requires_grad_()` made the loss a new leaf. `backward()` fills the `.grad` of that leaf, "
    "and `w.grad` stays None.",
    "In 2, `w` is still the same tensor object, but with other memory. The optimizer holds the "
    "object, so it moves `w`.",
    "In 3, the branch that wasn't selected receives 0, and the slope of the square root at 0 is "
    "infinite: 0 · ∞ = nan.",
    "In 4, the optimizer moves the leaf. The name `w` now refers to a result that was computed "
    "before the step.",
)
NO_NAN = "Nothing in {} divides by 0. Which tensor does the optimizer hold, and which one is `w`?"
NOT_FOUR_WORDS = '`outcomes` is a list of four words: "moves", "stays" or "nan".'


class Outcomes:
    """What each of `LINES` does to `w`, in one word. A wrong word gets its own sentence."""

    def judge(self, outcomes: object) -> tuple[bool, str]:
        """(whether all are right, a sentence about the first wrong one)."""
        words = outcomes if isinstance(outcomes, (list, tuple)) else []
        words = [str(word).strip().lower() for word in words]
        if len(words) != len(LINES) or not {"moves", "stays", "nan"}.issuperset(words):
            return False, NOT_FOUR_WORDS
        for number, (word, line) in enumerate(zip(words, LINES)):
            if word != _outcome(line):
                return False, NO_NAN.format(number + 1) if word == "nan" else REASONS[number]
        return True, "All 4 outcomes are PyTorch's."


def _outcome(line: str) -> str:
    leaf = torch.tensor([4.0], requires_grad=True)
    names = {"torch": torch, "w": leaf}
    exec(line, names)
    torch.optim.SGD([leaf], lr=0.1).step()
    shown = names["w"].item()
    return "nan" if math.isnan(shown) else "stays" if shown == 4 else "moves"


exercise("13.1")(lambda: {"outcomes": Outcomes()})


class _VisibleLoss(Function):
    """A loss made of a loss: its gradient at three losses, as a multiple of the gradient of
    `loss / loss.detach()`, and how many different values it has."""

    def trial(self, generator, arguments):
        names = [
            f"the gradient at a loss of {x:g}, divided by the wanted one" for x in arguments[0]
        ]
        return arguments, self.call(self.reference, arguments), [*names, "the number of values"]

    def call(self, function, given):
        factors, values = [], set()
        for number in given[0]:
            w = number.sqrt().requires_grad_()
            made = function(w**2)
            if made is ... or made is None:
                return made
            if not hasattr(made, "backward"):
                raise Refused(
                    f"returns {kind_of(made)}, not a tensor: `backward()` can't start at it"
                )
            if not made.requires_grad:
                raise Refused("returns a tensor without a graph: `detach()` or a copy cut it off")
            made.backward()
            factors.append((w.grad * w / 2).item())
            values.add(round(made.item(), 9))
        return [*factors, len(values)]

    def praise(self, seen, tolerance):
        return (
            "The gradient is that of `loss / loss.detach()`, and the value changes with the loss."
        )


AT = "At a loss of 2.5, the gradient is {} times the wanted one. "
SLOPE = AT + "You need the function whose slope is 1 / L"
VISIBLE = {
    AT.format(2.5) + "Dividing by `loss.detach()` divides it by the loss": lambda loss: loss,
    "The gradient is right, but the value is the same for every loss": [
        lambda loss: loss / loss.detach(),
        lambda loss: (loss - loss.detach()) / loss.detach(),
    ],
    "The gradient is 1.44 times too large. Which logarithm has the slope 1 / L?": torch.log2,
    "The sign is wrong: such a step makes the loss larger": lambda loss: -loss.log(),
    SLOPE.format(0.4): lambda loss: -1 / loss,
    SLOPE.format(0.791): torch.sqrt,
}
function_exercise(
    "13.2",
    tolerance=1e-9,
    loss=_VisibleLoss(torch.log, {}, [([0.4, 2.5, 30.0],)], random=0, mistakes=VISIBLE),
)


class _Lowest(Function):
    """A reference for a function of one number, not of a tensor."""

    def trial(self, generator, arguments):
        return arguments, [self.reference(*arguments)], [f"the loss for {arguments[0]:g} classes"]

    def call(self, function, given):
        return function(int(given[0]))


def _log_sum(classes):
    return torch.as_tensor(classes - 1 + math.e).log()


LOWEST = {
    "That is the lowest loss for logits, which may be as large as needed. A probability is at most 1": (
        lambda classes: 0.0
    ),
    "That is the loss for equal probabilities. The true class may have more than the others": (
        math.log
    ),
    "Almost: how many classes have probability 0?": [
        lambda classes: _log_sum(classes + 1) - 1,
        lambda classes: _log_sum(classes - 1) - 1,
    ],
    "Almost: the loss also subtracts the true class's input, which is 1": _log_sum,
    "The sign is wrong: the loss is minus the logarithm of a probability": (
        lambda classes: 1 - _log_sum(classes)
    ),
    "That is the value for 10 classes. Return one for each number of `classes`": (
        lambda classes: 1.461
    ),
}
CLASSES = [(2,), (10,), (1000,)]
function_exercise(
    "13.3",
    tolerance=1e-3,
    lowest=_Lowest(lambda n: _log_sum(n) - 1, {}, CLASSES, random=0, mistakes=LOWEST),
)
