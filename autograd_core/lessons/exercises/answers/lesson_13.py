"""Lesson 13, debug the loop: what PyTorch answers to its exercises."""

import math

import torch

from ..check import exercise, function_exercise
from ..conduct import kind_of
from ..references import Function, Refused


def _new_leaf(w):
    (w**2).detach().requires_grad_().backward()
    return w


def _other_memory(w):
    w.data = w.data.clone()
    (w**2).backward()
    return w


def _unselected_branch(w):
    torch.where(w > 9, torch.sqrt(w - 4), w).backward()
    return w


def _result(w):
    w = w * 1.0
    (w**2).backward()
    return w


def outcome(line):
    """ "moves", "stays" or "nan": what `w` shows after the line and a step."""
    leaf = torch.tensor([4.0], requires_grad=True)
    optimizer = torch.optim.SGD([leaf], lr=0.1)
    w = line(leaf)
    optimizer.step()
    return "nan" if w.isnan().any() else "stays" if w.item() == 4 else "moves"


LINES = _new_leaf, _other_memory, _unselected_branch, _result
WORDS = {"moves", "stays", "nan"}
NOT_FOUR_WORDS = '`outcomes` is a list of four words: "moves", "stays" or "nan".'
MOVES_AND_STAYS = (
    "In 1, `requires_grad_()` made the loss a new leaf. `backward()` fills the `.grad` of that leaf, and "
    "`w.grad` stays None.",
    "In 2, `w` is still the same tensor object, but with other memory. The optimizer holds the object, so "
    "it moves `w`.",
    "In 3, the branch that wasn't selected receives 0, and the slope of the square root at 0 is infinite: "
    "0 · ∞ = nan.",
    "In 4, the optimizer moves the leaf. The name `w` now refers to a result that was computed before the "
    "step.",
)
NAN = (
    "Nothing in 1 divides by 0. Ask which tensor's `.grad` is filled.",
    "Nothing in 2 divides by 0. Ask which object the optimizer holds.",
    "",
    "Nothing in 4 divides by 0. Ask which tensor the name `w` refers to.",
)


class Outcomes:
    """What four lines do to `w`, in four words. A wrong word gets its own sentence."""

    def judge(self, outcomes: object) -> tuple[bool, str]:
        """(whether all are right, a sentence about the first wrong one)."""
        if not isinstance(outcomes, (list, tuple)) or len(outcomes) != len(LINES):
            return False, NOT_FOUR_WORDS
        words = [each.strip().lower() if isinstance(each, str) else None for each in outcomes]
        if not WORDS.issuperset(words):
            return False, NOT_FOUR_WORDS
        for number, (word, line) in enumerate(zip(words, LINES)):
            if word != outcome(line):
                return False, (NAN if word == "nan" else MOVES_AND_STAYS)[number]
        return True, "All 4 outcomes are PyTorch's."


exercise("13.1")(lambda: {"outcomes": Outcomes()})

LOSSES = 0.4, 2.5, 30.0


class _VisibleLoss(Function):
    """A loss made of a loss: its gradient at each of `LOSSES`, as a multiple of the gradient of
    `loss / loss.detach()`, and whether its values at two losses differ."""

    def trial(self, generator, arguments):
        names = [
            f"the gradient at a loss of {loss:g}, divided by the wanted one" for loss in LOSSES
        ]
        return arguments, self.call(self.reference, arguments), [*names, "the number of values"]

    def call(self, function, given):
        factors, values = [], set()
        for number in LOSSES:
            w = (0 * given[0] + number**0.5).requires_grad_()
            loss = (w**2).sum()
            made = function(loss)
            if made is ... or made is None:
                return made
            if not hasattr(made, "backward"):
                raise Refused(
                    f"returns {kind_of(made)}, not a tensor, so `backward()` can't start at it"
                )
            if not made.requires_grad:
                raise Refused("returns a tensor without a graph: `detach()` or a copy cut it off")
            made.backward()
            wanted = 2 * number**0.5 / number
            factors.append(w.grad.item() / wanted)
            values.add(round(made.item(), 9))
        return [*factors, len(values)]

    def praise(self, seen, tolerance):
        return (
            "The gradient is that of `loss / loss.detach()`, and the value changes with the loss."
        )


function_exercise(
    "13.2",
    tolerance=1e-9,
    loss=_VisibleLoss(
        lambda loss: loss.log(),
        {"w": ()},
        [(0.0,)],
        random=0,
        mistakes={
            "At a loss of 2.5, the gradient is 2.5 times the wanted one. Dividing by "
            "`loss.detach()` divides the gradient by the loss": lambda loss: loss,
            "The gradient is right, but the value is the same for every loss": [
                lambda loss: loss / loss.detach(),
                lambda loss: (loss - loss.detach()) / loss.detach(),
            ],
            "The gradient is 1.44 times too large. Which logarithm has the slope 1 / L?": (
                torch.log2
            ),
            "The gradient is 0.434 times the wanted one. Which logarithm has the slope 1 / L?": (
                torch.log10
            ),
            "The sign of the gradient is wrong: such a step makes the loss larger": lambda loss: (
                -loss.log()
            ),
            "At a loss of 2.5, the gradient is 0.4 times the wanted one. You need the function whose "
            "slope is 1 / L": lambda loss: -1 / loss,
            "At a loss of 2.5, the gradient is 0.791 times the wanted one. You need the function "
            "whose slope is 1 / L": torch.sqrt,
            "At a loss of 2.5, the gradient is 0.714 times the wanted one. `log1p` has the slope "
            "1 / (1 + L)": torch.log1p,
        },
    ),
)


class _OfANumber(Function):
    """A reference for a function of one number, not of a tensor."""

    def trial(self, generator, arguments):
        return arguments, [self.reference(*arguments)], [f"the loss for {arguments[0]:g} classes"]

    def call(self, function, given):
        return function(int(given[0]))


function_exercise(
    "13.3",
    tolerance=1e-3,
    lowest=_OfANumber(
        lambda classes: torch.tensor(math.log(classes - 1 + math.e) - 1),
        {"classes": ()},
        [(2,), (10,), (1000,)],
        random=0,
        mistakes={
            "That is the lowest loss for logits, which may be as large as needed. A probability is "
            "at most 1": lambda classes: 0.0,
            "That is the loss for equal probabilities. The true class may have more than the "
            "others": math.log,
            "Almost: how many classes have probability 0?": [
                lambda classes: math.log(classes + math.e) - 1,
                lambda classes: math.log(classes - 2 + math.e) - 1,
            ],
            "Almost: the loss also subtracts the true class's input, which is 1": lambda classes: (
                math.log(classes - 1 + math.e)
            ),
            "The sign is wrong: the loss is minus the logarithm of a probability": lambda classes: (
                1 - math.log(classes - 1 + math.e)
            ),
            "That is the value for 10 classes. Return one for each number of `classes`": (
                lambda classes: 1.461
            ),
        },
    ),
)
