"""For each exercise, answers that people give and that are wrong: each is refused, and told its mistake."""

import re

import pytest
import torch

import autograd_core as T
from autograd_core.lessons.exercises.check import check
from autograd_core.nn import functional as F
from notebooks.authoring import refresh
from notebooks.authoring.exercises import exercises
from tests.notebooks.test_notebooks import read

WRONG = {}


def wrong(name: str, **answers):
    """`key=[(answer, words), ...]` for the one key of exercise `name`."""
    (key, cases), = answers.items()
    WRONG[name] = [({key: answer}, words) for answer, words in cases]


def nodes(root, once=True, leaves=True):
    met, stack, count = set(), [root.grad_fn], 0
    while stack:
        node = stack.pop()
        if node in met and once or not node.next_functions and not leaves:
            continue
        met.add(node)
        count += 1
        stack += [producer for producer, _ in node.next_functions if producer]
    return count


def recursive_count(root):
    def walk(node):
        return 1 + sum(walk(producer) for producer, _ in node.next_functions or [(None, 0)])
    return walk(root.grad_fn)


wrong("01.1", divisions=[
    (6, "One too few"), (8, "One too many"), (100, "That is where it starts"), (0.78125, "That is where it ends"),
    (6.6438561898, "so the number is whole"), (-7, "Look at its sign"), ("seven", "cannot be read as numbers"),
    ([7], "has shape [1]"), (lambda: 7, "That is a function")])
wrong("01.2", loss=[
    (lambda a, c: a ** 2, "no path leads to `c`"), (lambda a, c: a ** 2 + 0 * c.detach(), "no path leads to `c`"),
    (lambda a, c: a ** 2 + c, "for every `c`"), (lambda a, c: a ** 2 * c, "this is a product"),
    (lambda a, c: 0 * (a ** 2 + c), "0 everywhere"), (lambda a, c: a ** 2 * c * 0, "0 everywhere"),
    (lambda a, c: 0 * c, "itself is missing"), (lambda a, c: 4.0, "returns a float, not a tensor"),
    (lambda a, c: (a ** 2 + 0 * c).detach(), "without a graph"), (lambda a, c: a.item() ** 2 + 0 * c, "In the gradient of a")])
wrong("01.3", count=[
    (lambda root: 7, "7 is right for the loss"), (lambda root: nodes(root, once=False), "counted twice"),
    (lambda root: nodes(root, leaves=False), "nodes of the leaves are missing"), (lambda root: nodes(root) - 1, "One too few"),
    (lambda root: nodes(root) + 1, "a place that holds None"), (recursive_count, "Your function raises AttributeError"),
    (lambda root: None, "Your function returns None"), (lambda root: [], "returns 0 results"), (5, "A function is asked for")])


def f(x):
    return x.exp() * x.flip(0)


def row(v, through=lambda out, v: out.backward(v)):
    def answer(x):
        x = x.detach().requires_grad_()
        through(f(x), x.new_tensor(v))
        return x.grad
    return answer


def row_of_the_whole_table(x):
    x = x.detach().requires_grad_()
    return T.stack([T.autograd.grad(f(x), x, x.new_tensor([float(i == k) for i in range(3)]))[0] for k in range(3)])[2]


wrong("02.1", a_grad=[
    (-0.055, "two paths of three"), (-0.5, "one path of three"), (1.11, "that is the gradient at `u`"), (2.22, "goes to `b`"),
    (0.445, "with its own sign"), (0.555, "the sign is that of `b`"), (-1.11, "is not what PyTorch computes")])
wrong("02.2", rule=[
    (lambda g, a, b: (b.exp(), a * b.exp()), "`g` is missing"), (lambda g, a, b: (g * a * b.exp(), g * b.exp()), "swapped"),
    (lambda g, a, b: (g * b.exp(), g * b.exp()), "has the factor `a`"), (lambda g, a, b: (g * b, g * a), "exponential is missing"),
    (lambda g, a, b: (g + b.exp(), g + a * b.exp()), "not added"), (lambda g, a, b: g * b.exp(), "returns 1 result"),
    (lambda g, a, b: (-g * b.exp(), -g * a * b.exp()), "Everywhere −1 times"), (lambda g, a, b: 2 * (a * b.exp(),), "not a slope"),
    (lambda g, a, b: (g * b.exp(), g * a * b * b.exp()), "as a factor"), (lambda a, b: (b.exp(), a), "raises TypeError")])
wrong("02.3", last_row=[
    (row([1.0, 0.0, 0.0]), "the first row"), (row([0.0, 1.0, 0.0]), "in the middle"), (row([1.0, 1.0, 1.0]), "sum of all rows"),
    (row([0.0, 0.0, 3.0]), "a single 1"), (f, "not a slope"), (row_of_the_whole_table, "took 3 backward passes"),
    (row([0.0, 0.0, 1.0], lambda out, v: out.backward()), "grad can be implicitly created only for scalar outputs"),
    (lambda x: x.requires_grad_().grad, "Your function returns None")])

CASES = [(name, answers, words) for name, cases in WRONG.items() for answers, words in cases]
LESSONS = [path for path in sorted(refresh.NOTEBOOKS.glob("0[1-8]_*.ipynb"))]


@pytest.mark.parametrize("name, answers, words", CASES, ids=[f"{name}-{i}" for i, (name, *_) in enumerate(CASES)])
def test_a_wrong_answer_is_told_its_mistake(name, answers, words):
    verdict = check(name, **answers)
    assert not verdict.correct and verdict.attempted
    assert words.casefold() in repr(verdict).casefold()


def test_every_exercise_has_five_wrong_answers_or_more():
    asked = [exercise.name for path in LESSONS for exercise in exercises(read(path))]
    assert {name: len(WRONG.get(name, ())) for name in asked if len(WRONG.get(name, ())) < 5} == {}


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_no_wrong_answer_is_told_the_solution(path):
    """Numbers of the solution that nothing else in its exercise mentions stand in no verdict."""
    for exercise in exercises(read(path)):
        solution = set(re.findall(r"(?<=[=\[ ,])-?\d+\.?\d*", exercise.solution.partition("check(")[0].partition("#")[0]))
        fixed = {n for n in solution if "def " not in exercise.solution and len(n) > 1}
        for answers, _ in WRONG[exercise.name]:
            said = repr(check(exercise.name, **answers)).partition(" ")[2].replace("−", "-")
            given = repr(answers)
            assert not [n for n in fixed if n not in given and re.search(rf"(?<![\d.]){re.escape(n)}(?!\d)", said)], said
