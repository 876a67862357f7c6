"""Every exercise: a right answer is accepted, and a wrong answer is told its mistake.

The references hold a table of mistakes, {what the learner is told: a wrong answer}. It is the check
and its test. The table `WRONG` holds the answers that are refused for another reason than their
results: how they were computed, or the error that they raise.
"""

import functools
import importlib
import inspect
import math
import pkgutil

import pytest
import torch
from torch import nn

import autograd_core
from autograd_core.lessons import lesson_09
from autograd_core.lessons.exercises import answers
from autograd_core.lessons.exercises import check as checks
from autograd_core.lessons.exercises.check import check
from autograd_core.lessons.exercises.references import Function
from autograd_core.lessons.exercises.you_run import YouRun
from tests.lessons.right_answers import FIXED, POSTED, RIGHT, Net, Square, f, loss_of, windows

for lesson in pkgutil.iter_modules(answers.__path__):
    importlib.import_module(f"{answers.__name__}.{lesson.name}")
with torch.random.fork_rng(devices=[]):
    REFERENCES = {name: found.answer() for name, found in sorted(checks._exercises.items())}

MISTAKES = [
    *(
        (name, key, wrong, words)
        for name, references in REFERENCES.items()
        for key, reference in references.items()
        if isinstance(reference, Function)
        for words, wrong in reference.wrong_functions()
    ),
    *(
        (name, "", wrong, words)
        for name in REFERENCES
        for words, wrong in checks._exercises[name].mistakes.items()
    ),
]


def on_each_engine(cases):
    """The cases (exercise, key, answer, …) as parameters; an answer that takes `torch` with both."""
    for name, key, answer, *more in cases:
        takes = [*inspect.signature(answer).parameters] if inspect.isroutine(answer) else []
        engines = (torch, autograd_core) if takes[:1] == ["torch"] else ()
        titles = [name, getattr(answer, "__name__", str(answer)), *more]
        for engine in engines:
            title = " ".join([*titles, engine.__name__])
            yield pytest.param(name, key, functools.partial(answer, engine), *more, id=title)
        if not engines:
            yield pytest.param(name, key, answer, *more, id=" ".join(titles))


def verdict_of(name, key, answer):
    """The verdict on one answer; of the other functions of the exercise the first right ones."""
    others = {other: each for exercise, other, each in RIGHT if exercise == name}
    keys = {other: others.get(other) for other in REFERENCES[name]}
    return check(name, **{**keys, key or next(iter(keys)): answer})


@pytest.mark.parametrize("name, key, answer", [*on_each_engine(RIGHT)])
def test_a_right_answer_is_accepted(name, key, answer):
    verdict = verdict_of(name, key, answer)
    assert verdict.correct, repr(verdict)


@pytest.mark.filterwarnings("ignore:invalid value", "ignore:divide by zero")
@pytest.mark.parametrize("name, key, wrong, words", MISTAKES)
def test_a_mistake_is_told(name, key, wrong, words):
    verdict = verdict_of(name, key, wrong)
    assert not verdict.correct and repr(verdict).endswith(checks._sentence(words)), repr(verdict)


def test_each_exercise_has_a_right_answer_and_mistakes():
    asked = {
        (name, key if len(references) > 1 else "")
        for name, references in REFERENCES.items()
        for key, reference in references.items()
        if not isinstance(reference, YouRun)
    }
    assert {(name, key) for name, key, _ in RIGHT} == asked
    with_mistakes = {name for name, *_ in MISTAKES}
    parts = {"01.2", "09.1", "13.1", "14.2"}  # judged by their parts
    assert {name for name, _ in asked} - with_mistakes == parts


# ---- answers that are refused for another reason than their results ----

WRONG = []


def wrong(exercise, words, *answers):
    """Register answers, or the decorated function, under the words that they are told."""

    def register(answer):
        WRONG.append((exercise, "", answer, words))
        return answer

    for answer in answers:
        register(answer)
    return register


@wrong("01.1", "fills `.grad` itself")
def writes_the_gradient(torch, a, c):
    c.grad = torch.zeros_like(c)
    return a**2


wrong("01.1", "In the value: ", lambda torch, a, c: a**2 + torch.relu(-c))


def built(*layers):
    """A function that builds a network from a description: "3 5", "5 4 no bias", "Tanh"."""

    def network(torch):
        made = [
            getattr(torch.nn, layer)()
            if layer.isalpha()
            else torch.nn.Linear(*map(int, layer.split()[:2]), bias="no bias" not in layer)
            for layer in layers
        ]
        return torch.nn.Sequential(*made)

    network.__name__ = ", ".join(layers)
    return network


NO_MODULE = "reaches 6 parameters, and `parameters()` lists 2. A module registers only"
wrong("01.2", NO_MODULE, lambda: Net(tuple), lambda: Net(dict.fromkeys))
wrong("01.2", "Keep both hidden", lambda: Net(nn.ModuleList, nn.Linear(2, 3)))
wrong("01.2", "has a single layer", lambda: Net(lambda layers: layers[0]))
wrong("01.2", "takes one list", lambda: Net(lambda layers: nn.ModuleList(*layers)))
wrong("01.2", "the last layer with 2 inputs", lambda: Net(lambda layers: nn.ModuleList()))
wrong("01.2", "is an int: pass the class", lambda: 3)

for words, *layers in [
    ("lacks an activation", "3 5", "5 4 no bias", "ReLU", "4 1"),
    ("(Tanh, ReLU, Tanh) than", "3 5", "Tanh", "5 4 no bias", "ReLU", "4 1", "Tanh"),
    ("in the wrong order", "4 1", "ReLU", "5 4 no bias", "Tanh", "3 5"),
    ("is named after", "3 5", "Tanh", "5 4 no bias", "Sigmoid", "4 1"),
    ("a bias too many in layer 2", "3 5", "Tanh", "5 4", "ReLU", "4 1"),
    ("lacks a bias in layer 3", "3 5", "Tanh", "5 4 no bias", "ReLU", "4 1 no bias"),
    ("in and out exchanged in weight 1", "5 3", "Tanh", "5 4 no bias", "ReLU", "4 1"),
    ("has [6, 3] as weight 1", "3 6", "Tanh", "6 4 no bias", "ReLU", "4 1"),
    ("has 2 layers with a weight, and", "3 5", "Tanh", "5 1"),
]:
    WRONG.append(("01.3", "network", built(*layers), words))
WRONG.append(("01.3", "network", lambda torch: [torch.nn.Linear(3, 5)], "is a list: return"))


@wrong("02.2", "You used 3 backward passes; one is enough")
def last_of_all_rows(torch, x):
    x = x.detach().requires_grad_()
    return torch.stack([torch.autograd.grad(f(x), x, v)[0] for v in torch.eye(3).to(x.dtype)])[2]


@wrong("02.2", "no backward pass computed them")
def by_its_formula(torch, x):
    last = x[2].exp()
    return torch.stack([last, 0 * last, last * x[0]])


@wrong("02.2", "`f(x)` has three elements, so pass a `g` of three")
def without_a_vector(x):
    f(x.requires_grad_()).backward()


@wrong("02.2", "`backward()` returns nothing: the gradient is in `x.grad`")
def what_backward_returns(torch, x):
    return f(x.requires_grad_()).backward(torch.ones(3))


wrong("03.1", "Write the calls as text", 3, "bxs", "")
wrong("03.1", "After each call, w and w.grad are 0 and None, 0 and −3, 2.25 and −3.", "zbs")


@wrong("03.2", "records the update itself, which PyTorch refuses.")
def an_update_that_is_recorded(parameters, lr):
    for p in parameters:
        if p.grad is not None:
            p -= lr * p.grad


@wrong("03.2", "doesn't test for None")
def no_test_for_none(parameters, lr):
    with torch.no_grad():
        for p in parameters:
            p -= lr * p.grad


@wrong("03.2", "No parameter changed.")
def a_new_tensor(parameters, lr):
    for p in parameters:
        if p.grad is not None:
            p = p - lr * p.grad


@wrong("03.3", "multiplies a gradient that isn't there")
def no_gradient_of_a_frozen_parameter(net, batches, loss_of):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for x in batches:
        loss_of(net(x)).backward()
        optimizer.step()
        for p in net.parameters():
            p.grad *= 0.9


@wrong("03.3", "multiplies a gradient that isn't there")
def no_old_gradient_in_the_first_pass(net, batches, loss_of):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for x in batches:
        for p in net.parameters():
            p.grad *= 0.9
        loss_of(net(x)).backward()
        optimizer.step()


def through_the_trunk(words):
    """Register the answer to 04.2 in which the decorated `branches` call backward."""

    def register(branches):
        def early(torch, x):
            branches(torch, x, torch.tanh(x))
            return x.grad

        early.__name__ = branches.__name__
        WRONG.append(("04.2", "", early, words))

    return register


@through_the_trunk("row 3 of the four ways")
def retained(torch, x, h):
    torch.exp(h).sum().backward(retain_graph=True)
    torch.sin(h).sum().backward()


@through_the_trunk("row 1 of the four ways")
def one_sum(torch, x, h):
    (torch.exp(h).sum() + torch.sin(h).sum()).backward()


@through_the_trunk("you computed the trunk twice")
def two_trunks(torch, x, h):
    torch.exp(h).sum().backward()
    torch.sin(torch.tanh(x)).sum().backward()


@through_the_trunk("the first call freed it")
def freed(torch, x, h):
    torch.exp(h).sum().backward()
    torch.sin(h).sum().backward()


@through_the_trunk("the first call freed it")
def sent_on_after_each(torch, x, h):
    copy = h.detach().requires_grad_()
    for branch in (torch.exp, torch.sin):
        branch(copy).sum().backward()
        h.backward(copy.grad)


@through_the_trunk("a tensor that collects no gradient")
def no_leaf(torch, x, h):
    torch.exp(h.detach()).sum().backward()


@through_the_trunk("returns None: the gradient stopped at the copy")
def not_sent_on(torch, x, h):
    copy = h.detach().requires_grad_()
    for branch in (torch.exp, torch.sin):
        branch(copy).sum().backward()


@through_the_trunk("both branches were in memory at once")
def both_at_once(torch, x, h):
    copy = h.detach().requires_grad_()
    branches = torch.exp(copy).sum(), torch.sin(copy).sum()
    for branch in branches:
        branch.backward()
    h.backward(copy.grad)


wrong("04.3", "detach `h` and reset `total`", windows(lambda h: h), windows(reset=lambda t: t))
wrong("04.3", "Detach instead", windows(lambda h: h, retain_graph=True))
wrong("04.3", "Detach instead", windows(reset=lambda t: t, retain_graph=True))


@wrong("05.1", "modified by an inplace operation")
def one_more_write(torch, x):
    h = torch.sigmoid(x)
    h *= 2
    h += x
    return h.sum()


@wrong("07.2", "in the order of `x`")
def placed_by_a_mask(torch, g, x):
    gradient = torch.zeros_like(x)
    gradient[x >= x.topk(3).values[-1]] = g
    return gradient


wrong("07.3", "not a tensor", lambda losses, is_text, train: 0.0)


@wrong("07.3", "asks `topk` for more negatives than the crop has")
def mined_without_min(losses, is_text, train):
    positive, negative = losses[is_text & train], losses[~is_text & train]
    wanted = 2 * len(positive)
    return (positive.sum() + negative.topk(wanted)[0].sum()) / max(len(positive) + wanted, 1)


@wrong("07.3", "without a graph for a crop without text, so `backward()` raises")
def mined_as_a_constant(torch, losses, is_text, train):
    positive, negative = losses[is_text & train], losses[~is_text & train]
    hardest = negative.topk(min(2 * len(positive), len(negative)))[0]
    number = len(positive) + len(hardest)
    return (positive.sum() + hardest.sum()) / number if number else torch.zeros(())


@wrong("08.3", "returns a Tensor, not two tensors, `sin` and `cos`")
def only_sin(torch, sin, cos):
    return sin / torch.sqrt(sin**2 + cos**2)


def nearly_fixed(line, code):
    """The loss of 09.1 without its faults, except for one line."""
    return lesson_09.edited(FIXED, line, code)


MULTIPLIED = lesson_09.corrected(POSTED, but="wrong mask")
for line, name, given in (
    (20, "sin_loss", "pair[:, 0], sin[on_line]"),
    (21, "cos_loss", "pair[:, 1], cos[on_line]"),
    (23, "radius_loss", "ratio, torch.ones_like(ratio)"),
):
    each = f'F.smooth_l1_loss({given}, reduction="none")'
    MULTIPLIED = lesson_09.edited(MULTIPLIED, line, f"{name} = ({each} * train[on_line]).mean()")
NOT_MOVED = lesson_09.corrected(POSTED, but="late selection")
wrong("09.1", "Two rows of the table still fail. Start with a striped pixel", POSTED)
wrong("09.1", "Start with a striped pixel: which line computes with it before", NOT_MOVED)
wrong("09.1", "Only two pixels learn text.", nearly_fixed(2, lesson_09.OFFERED[2][0]))
wrong("09.1", "Which type should a mask have?", lesson_09.corrected(POSTED, but="mask type"))
wrong("09.1", "Keep the 100", nearly_fixed(5, lesson_09.OFFERED[5][0]))
wrong("09.1", "fewer negatives than `topk`", lesson_09.corrected(POSTED, but="too many negatives"))
wrong(
    "09.1", "A printed nan is the only symptom.", lesson_09.corrected(POSTED, but="division by 0")
)
wrong("09.1", "a Python number without a graph", nearly_fixed(9, lesson_09.OFFERED[9][1]))
wrong("09.1", "inside the text anyway", nearly_fixed(16, "on_line = tcl * tr"))
wrong("09.1", "Ignored pixels still learn in 3 maps", lesson_09.corrected(POSTED, but="wrong mask"))
wrong("09.1", "58/118 of their gradient: the mean still counts 60 ignored", MULTIPLIED)
for code in lesson_09.OFFERED[18][:2]:
    wrong("09.1", "768 gradients are still nan", lesson_09.edited(NOT_MOVED, 18, code))
wrong("09.1", "1,924 nan gradients", lesson_09.edited(NOT_MOVED, 18, lesson_09.OFFERED[18][2]))
hidden = lesson_09.edited(NOT_MOVED, 19, "pair = pair[on_line].nan_to_num()")
wrong("09.1", "This hides the value", hidden)
wrong("09.1", "raises NameError", nearly_fixed(13, "line_loss = nothing"))
wrong("09.1", "On crop 1 the loss is", nearly_fixed(13, lesson_09.OFFERED[13][0]))
nearly = "text_loss = (loss_pos + hardest.sum()) / (n_pos + n_neg + 1e-6)"
wrong("09.1", "A small bound in a denominator", nearly_fixed(9, nearly))
wrong("09.1", "changes with what is ignored", nearly_fixed(4, "n_pos = int(tr.sum())"))
wrong(
    "09.1",
    "nothing is learned from it",
    lesson_09.edited(FIXED, 5, "n_neg = min(3 * n_pos, int(neg.sum()))"),
)
wrong("09.1", "On crop 1 the loss is", nearly_fixed(16, "on_line = pos"))
wrong("09.1", "page.loss", 3)
wrong("09.3", "such as [[0, 1], [2]]", 7, [0, 1, 2], "no")
wrong(
    "09.3", "belongs to exactly one block", [[0, 1, 2], [3], [4]], [[0, 1, 2], [2, 3], [4], [5, 6]]
)


@wrong("09.2", "The sum of an empty selection is 0 and has a graph")
def zero_without_a_graph(torch, points, target, visible):
    if not visible.any():
        return torch.tensor(0.0)
    return (points[visible] - target[visible]).norm(dim=1).mean()


@wrong("11.2", "leaves no graph for the student")
def all_under_no_grad(student, teacher, x):
    with torch.no_grad():
        return ((student(x) - teacher(x)) ** 2).mean()


@wrong("11.3", "its `running_mean` has moved, because it ran in training mode")
def eval_too_early(net1, net2, optimizer1, losses_of):
    net2.eval()
    net1.train(), net2.train()
    net2.requires_grad_(False)
    for _ in range(3):
        optimizer1.zero_grad()
        sum(losses_of(net1, net2)).backward()
        optimizer1.step()


@wrong("11.2", "The teacher got a gradient")
def with_a_detached_input(student, teacher, x):
    return ((student(x) - teacher(x.detach())) ** 2).mean()


@wrong("11.3", "and now it is gone")
def cleared_at_the_end(net1, net2, optimizer1, losses_of):
    net1.train(), net2.eval()
    for _ in range(3):
        optimizer1.zero_grad()
        sum(losses_of(net1, net2)).backward()
        optimizer1.step()
    for p in net2.parameters():
        p.grad = None


@wrong("11.3", "In net1")
def with_the_statistics_of_the_batch(net1, net2, optimizer1, losses_of):
    net1.train(), net2.train()
    net2.requires_grad_(False)
    net2[0].momentum = 0.0
    for _ in range(3):
        optimizer1.zero_grad()
        sum(losses_of(net1, net2)).backward()
        optimizer1.step()


@wrong("12.2", "Make one backward() for each row")
def at_once(torch, w, x, mask):
    w = w.detach().requires_grad_()
    return torch.autograd.grad(((w - x) ** 2)[mask].mean(), w)[0]


@wrong("12.2", "All rows are in each graph")
def thirds_of_the_whole(w, x, mask):
    w = w.detach().requires_grad_()
    for _ in x:
        (((w - x) ** 2)[mask].mean() / len(x)).backward()
    return w.grad


wrong(
    "06.2",
    "the logarithm still reads 0",
    lambda torch, p: torch.nan_to_num(-p * torch.log(p)).sum(),
    lambda torch, p: -(p * torch.where(p > 0, torch.log(p), 0.0)).sum(),
)
wrong("06.2", "−log ε", lambda torch, p: -(p * torch.log(p + 1e-9)).sum())
wrong("06.2", "the true derivative", lambda p: torch.special.entr(p).sum())
wrong("06.2", "not a tensor", lambda p: 0.5)
wrong("06.2", "the logarithm still reads 0", lambda p: -torch.xlogy(p, p).sum())


@wrong("06.2", "leave out only those that are 0")
def small_ones_left_out(torch, p):
    return -(p * torch.log(torch.where(p > 0.1, p, 1.0))).sum()


wrong("06.3", "without a graph", lambda torch, x: torch.tensor(0.0, dtype=torch.float64))
wrong("06.3", "An ε in the divisor", lambda x: x[x > 1].sum() / ((x > 1).sum() + 1e-6))


for words, outcomes in (
    ("made the loss a new leaf", "moves moves nan stays"),
    ("Nothing in 1 divides by 0", "nan moves nan stays"),
    ("the same tensor object", "stays stays nan stays"),
    ("Nothing in 2 divides by 0", "stays nan nan stays"),
    ("0 · ∞ = nan", "stays moves moves stays"),
    ("0 · ∞ = nan", "stays moves stays stays"),
    ("a result that was computed before", "stays moves nan moves"),
    ("Nothing in 4 divides by 0", "stays moves nan nan"),
    ("a list of four words", "stays moves nan"),
    ("a list of four words", "stays moves nan same"),
):
    wrong("13.1", words, outcomes.split())
wrong("13.1", "a list of four words", "stays", 3, [4.0, 2.4, 3.0, 4.0])
wrong("13.2", "not a tensor", lambda loss: loss.item(), lambda loss: math.log(loss))
wrong("13.2", "without a graph", lambda loss: loss.detach().log())
wrong("13.2", "at a loss of 0.4, divided by the wanted one: yours 0.32", lambda loss: loss**2)
wrong("13.3", "In the loss for 2 classes: ", lambda classes: classes)


@wrong("15.1", "the whole Hessian")
def by_the_hessian(torch, w, v):
    return torch.autograd.functional.hessian(loss_of, w) @ v


@wrong("15.1", "Two passes are enough")
def with_a_third_pass(torch, w, v):
    w = w.detach().requires_grad_()
    torch.autograd.grad(loss_of(w), w)
    (g,) = torch.autograd.grad(loss_of(w), w, create_graph=True)
    return torch.autograd.grad((g * v).sum(), w)[0]


@wrong("15.1", "a gradient that has no graph")
def not_recorded(torch, w, v):
    w = w.detach().requires_grad_()
    (g,) = torch.autograd.grad(loss_of(w), w)
    return torch.autograd.grad((g * v).sum(), w)[0]


class SquareOfTheLesson(Square):
    @staticmethod
    def forward(ctx, r):
        ctx.twice = 2 * r
        return r * r

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.twice


class TwiceForbidden(Square):
    backward = staticmethod(torch.autograd.function.once_differentiable(Square.backward))


wrong("15.2", "`2 * r` is a constant for the second pass", SquareOfTheLesson.apply)
wrong("15.2", "In its second derivative: ", TwiceForbidden.apply)


@wrong("16.1", "skips an `all_reduce` on one rank, and the other rank waits for it")
def leaves_if_nothing_is_valid(losses, valid, world, all_reduce):
    if not valid.any():
        return 0 * losses.sum()
    count = valid.sum()
    all_reduce(count)
    return world * losses[valid].sum() / count


@wrong("16.1", "returns a loss without a graph, so DDP on the other rank waits")
def returns_a_number_if_nothing_is_valid(losses, valid, world, all_reduce):
    count = valid.sum()
    all_reduce(count)
    return world * losses[valid].sum() / count if valid.any() else 0.0


@wrong("16.2", "so DDP still waits")
def detached(text, line):
    return text.mean() + 0 * line.detach().sum()


@pytest.mark.parametrize("name, key, answer, words", [*on_each_engine(WRONG)])
def test_an_answer_is_refused_and_told_why(name, key, answer, words):
    verdict = verdict_of(name, key, answer)
    assert not verdict.correct and words in repr(verdict), repr(verdict)
