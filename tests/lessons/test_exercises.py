"""The checks of exercises: right, wrong in every way that happens, open, and asked for wrongly."""

import pytest
import torch

import autograd_core
from autograd_core.lessons.excavation import bare_loss
from autograd_core.lessons.exercises import check as checks
from autograd_core.lessons.exercises.check import check, exercise, function_exercise
from autograd_core.lessons.exercises.references import BackwardRule, Function, Loss
from autograd_core.trace.nodes import walk


@pytest.fixture(autouse=True)
def five_exercises(monkeypatch):
    monkeypatch.setattr(checks, "_exercises", {})

    @exercise("99.1", tolerance=1e-3, mistakes={"one path of two": -0.5})
    def number():
        a = torch.tensor(2.0, requires_grad=True)
        u = a * -0.5
        (u * torch.sigmoid(u + 0.3) + u).backward()
        return {"a_grad": a.grad}

    @exercise("99.2")
    def several():
        return {
            "table": torch.arange(6.0).reshape(2, 3),
            "names": ["MulBackward0", "AddBackward0"],
        }

    def positive(generator):
        return torch.rand(2, 3, generator=generator, dtype=torch.float64) + 0.5

    function_exercise(
        "99.3",
        rule=BackwardRule(
            lambda a, b: a * torch.log(b),
            {"a": (3,), "b": positive},
            mistakes={
                "`g` is missing": lambda g, a, b: (torch.log(b).sum(0), a / b),
                "the two are swapped": [
                    lambda g, a, b: (g * a / b, (g * torch.log(b)).sum(0)),
                    lambda g, a, b: (a / b, torch.log(b).sum(0)),
                ],
            },
        ),
    )

    absolute = {"that is the absolute value": torch.abs}
    function_exercise("99.4", f=Function(torch.relu, {"x": (50,)}, mistakes=absolute))

    @exercise("99.5")
    def fraction():
        return {"share": torch.tensor(2.0, dtype=torch.float64) / 3}


TABLE = [[0, 1, 2], [3, 4, 5]]
NAMES = ["MulBackward0", "AddBackward0"]


def right_rule(gradient, a, b):
    return gradient.sum(0) * 0 + (gradient * b.log()).sum(0), gradient * a / b


CORRECT = [
    ("99.1", {"a_grad": -0.555}, "Yours −0.555, PyTorch −0.55505, within 0.001."),
    ("99.5", {"share": 0.6667}, "Yours 0.6667, PyTorch 0.66667, rounded to 4 digits."),
    ("99.5", {"share": 2 / 3}, ""),
    ("99.1", {"a_grad": torch.tensor(-0.555)}, ""),
    ("99.2", {"table": TABLE, "names": [" mulbackward0", NAMES[1]]}, "All 6 numbers equal"),
    ("99.3", {"rule": right_rule}, "The same as PyTorch on 5 inputs, within 1e-06."),
    ("99.4", {"f": lambda x: torch.relu(x)}, ""),
    ("99.4", {"f": lambda x: autograd_core.relu(x)}, ""),
]


LEAF = ". See find_your_error.md#leaf_inplace (lesson 05)."


def raises(error):
    raise error


WRONG = [
    ("99.1", {"a_grad": 0.555}, "0.555 is not what PyTorch computes. Look at its sign."),
    ("99.1", {"a_grad": float("nan")}, "nan is not what PyTorch computes."),
    ("99.1", {"a_grad": [-0.555]}, "Yours has shape [1], PyTorch's []."),
    ("99.1", {"a_grad": "much"}, "“much” is text. Write the number without quotes."),
    ("99.1", {"a_grad": [1, [2, 3]]}, "Yours is list, which cannot be read as numbers."),
    ("99.1", {"a_grad": -0.56}, "−0.56 is rounded too far: give 4 digits, or a fraction."),
    ("99.1", {"a_grad": -0.5}, "99.1 not yet. One path of two."),
    ("99.1", {"a_grad": abs}, "This is a function. Pass a value."),
    ("99.2", {"table": [[0, 1, 1.5], [3, 4, 5]], "names": NAMES}, "table: 5 of 6 numbers are what"),
    ("99.2", {"table": TABLE, "names": NAMES[::-1]}, "names: 0 of 2 entries are as in PyTorch."),
    ("99.2", {"table": TABLE, "names": NAMES[:1]}, "Yours has 1 entries, PyTorch's 2."),
    ("99.2", {"table": TABLE, "names": 3}, "Pass a list."),
    ("99.2", {"table": TABLE, "names": ...}, "Right: table. Still open: names."),
    ("99.3", {"rule": lambda g, a, b: (b.log().sum(0), a / b)}, "not yet. `g` is missing."),
    ("99.3", {"rule": lambda *x: right_rule(*x)[::-1]}, "99.3 not yet. The two are swapped."),
    ("99.3", {"rule": lambda g, a, b: (g * b.log(), 0)}, "has shape [2, 3], PyTorch's [3]."),
    ("99.3", {"rule": lambda *x: [-part for part in right_rule(*x)]}, "Everywhere −1 times"),
    ("99.3", {"rule": lambda *x: [1.001 * right_rule(*x)[0], 0]}, "In the gradient of a: at ["),
    ("99.3", {"rule": lambda g, a, b: g}, "Your function returns 1 result, and 2 are asked for."),
    ("99.3", {"rule": lambda g: g}, "Your function raises TypeError: "),
    ("99.3", {"rule": lambda g, a, b: None}, "Your function returns None: it has no `return`"),
    ("99.3", {"rule": 3}, "Pass a function, not int."),
    ("99.4", {"f": lambda x: {"x": x}}, "yours is dict, which cannot be read as numbers."),
    ("99.4", {"f": lambda x: exit()}, "Your function raises SystemExit"),
    ("99.4", {"f": lambda x: raises(ValueError("too late."))}, " raises ValueError: too late."),
    ("99.4", {"f": lambda x: raises(KeyboardInterrupt)}, "was interrupted. Does its loop end?"),
    ("99.4", {"f": lambda x: torch.abs(x)}, "99.4 not yet. That is the absolute value."),
    ("99.4", {"f": lambda x: autograd_core.abs(x)}, "99.4 not yet. That is the absolute value."),
    ("99.4", {"f": lambda x: torch.abs(x).backward()}, "raises RuntimeError: element 0 of tensors"),
    ("99.4", {"f": lambda x: x.clone().requires_grad_().add_(1)}, LEAF),
    ("99.4", {"f": lambda x: x.relu_()}, "Your function writes into argument 1"),
    ("99.4", {"f": lambda x: x.relu().tolist()}, "and one tensor is asked for."),
    ("99.4", {"f": lambda x: x}, "In the result: at ["),
    ("99.5", {"share": 0.667}, "0.667 is rounded too far: give 4 digits"),
]

OPEN = [
    ("99.1", {"a_grad": ...}),
    ("99.1", {"a_grad": None}),
    ("99.2", {"table": ..., "names": None}),
    ("99.3", {"rule": lambda g, a, b: ...}),
    ("99.4", {"f": lambda x: (autograd_core.relu(x), ...)[1]}),
]


@pytest.mark.parametrize("name, answers, message", CORRECT)
def test_a_right_answer(name, answers, message):
    verdict = check(name, **answers)
    assert verdict.correct and repr(verdict).startswith(f"✓ {name} correct.")
    assert message in repr(verdict)


@pytest.mark.parametrize("name, answers, message", WRONG)
def test_a_wrong_answer_is_named_and_raises_nothing(name, answers, message):
    verdict = check(name, **answers)
    assert not verdict.correct and verdict.attempted
    assert message in repr(verdict) and repr(verdict).startswith(f"{name} not yet.")
    assert not repr(verdict).endswith("..")


def test_a_function_that_prints_much_is_cut_short(capsys):
    def f(x):
        for line in range(2000):
            print("line", line)
        return x.relu()

    assert check("99.4", f=f).correct
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["line 0", "line 1"] and len(lines) == 21
    assert lines[-1] == "… and 9,980 more lines"


@pytest.mark.parametrize(
    "abs_of", [torch.abs, autograd_core.abs, lambda x: x.abs()], ids=["PyTorch", "own", "both"]
)
def test_a_wrong_function_prints_each_line_once(capsys, abs_of):
    def f(x):
        print("called")
        return abs_of(x)

    assert not check("99.4", f=f).correct
    assert capsys.readouterr().out.splitlines() == ["called"] * 5


@pytest.mark.parametrize(
    "loss, words",
    [
        (lambda x: 3.0, "a float, not a tensor: nothing can go back through it."),
        (lambda x: x.detach().sum(), "a tensor without a graph: no path leads from it"),
    ],
)
def test_a_loss_that_cannot_go_back_says_why(loss, words):
    exercise("99.6")(lambda: {"loss": Loss(lambda x: x.sum(), {"x": (3,)})})
    assert f"Your function returns {words}" in repr(check("99.6", loss=loss))


def test_a_forbidden_way_is_refused():
    def retains(x):
        x = x.detach().requires_grad_()
        x.exp().sum().backward(retain_graph=retain)
        return x.grad

    def conduct(seen):
        return "the graph was retained" if seen.retained else ""

    function_exercise("99.6", f=Function(torch.exp, {"x": (3,)}, conduct=conduct))
    for retain in (True, False):
        verdict = check("99.6", f=retains)
        assert verdict.correct is not retain
        assert ("The graph was retained." in repr(verdict)) is retain


@pytest.mark.parametrize("name, answers", OPEN)
def test_an_open_exercise_says_so(name, answers):
    verdict = check(name, **answers)
    assert repr(verdict) == f"{name} not attempted yet"
    assert not verdict.correct and not verdict.attempted


def test_html_shows_the_same_and_keeps_markup_as_text():
    right, wrong = (check("99.1", a_grad=answer)._repr_html_() for answer in (-0.555, "<b>"))
    assert "<strong>99.1 correct.</strong> Yours −0.555" in right
    assert "<b>”" not in wrong and "&lt;b&gt;" in wrong


@pytest.mark.parametrize(
    "name, answers, error, message",
    [
        (
            "99.9",
            {},
            LookupError,
            "no exercise '99.9'. Lesson 99 has 99.1, 99.2, 99.3, 99.4, 99.5.",
        ),
        ("77.1", {}, LookupError, "there is no exercise '77.1'. Lessons with exercises: "),
        ("99.1", {"b_grad": 1}, TypeError, "not b_grad: write check('99.1', a_grad=...)"),
        ("99.1", {}, TypeError, "exercise 99.1 takes a_grad, not nothing"),
    ],
)
def test_a_wrong_question_lists_what_exists(name, answers, error, message):
    with pytest.raises(error) as caught:
        check(name, **answers)
    assert message in str(caught.value)


def test_a_check_leaves_random_numbers_alone():
    before = torch.random.get_rng_state()
    check("99.3", rule=right_rule)
    assert torch.equal(before, torch.random.get_rng_state())


def test_the_graph_of_01_2_holds_the_batch_and_leaves_out_an_identity():
    loss = bare_loss()
    assert loss.grad_fn.name() == "MeanBackward0"
    assert loss.grad_fn._saved_self_sym_sizes == (6, 1)
    batches = [
        node._saved_mat1
        for node in walk(loss.grad_fn)
        if node.name() == "AddmmBackward0" and node._saved_mat1.shape == (6, 3)
    ]
    assert len(batches) == 1 and torch.equal(batches[0], torch.ones(6, 3))
    for engine in (autograd_core, torch):
        x = engine.ones(1, requires_grad=True)
        assert engine.nn.Identity()(x).grad_fn is None
