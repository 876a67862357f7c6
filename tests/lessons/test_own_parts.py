"""Exercises of lesson 14: methods that are accepted or refused for another reason than those in the
tables of mistakes (`test_answers.py`), and the picture of a wrong pass.
"""

import numpy as np
import pytest

from autograd_core.lessons.exercises.check import check
from autograd_core.lessons.own_engine import Tensor, lift
from autograd_core.lessons.own_trace import made_before
from tests.lessons.test_answers import verdict_of

ORDER = Tensor.order


def operation(rule, name="MulBackward0"):
    """A product that records `rule(g, a, b)`."""

    def mul(self, other):
        other = lift(other)
        a, b = self.data, other.data
        return Tensor(a * b).record(name, (self, other), lambda g: rule(g, a, b))

    return mul


def nearest_first(self):
    found = [self]
    for node in found:
        found += [x for x in node.inputs if x.requires_grad and x not in found]
    return found


def every_path(node):
    return [node, *(t for x in node.inputs if x.requires_grad for t in every_path(x))]


def never_ends(self):
    return [self, *(t for x in self.inputs for t in never_ends(self))]


def without(value):
    """The right order without the tensor of this value."""
    return lambda self: [x for x in ORDER(self) if x.data != value]


def constants_too(self):
    found = ORDER(self)
    return [*found, *(x for node in found for x in node.inputs if not x.requires_grad)]


def passing(meet=lambda old, new: old + new, keep=lambda old, new: old + new, leaves=True):
    """A `backward` with a part changed."""

    def backward(self):
        arrived = {self: 1}
        for node in self.order():
            g = arrived.pop(node)
            for x, part in zip(node.inputs, node.rule(g) if node.inputs else ()):
                if x.requires_grad:
                    arrived[x] = meet(arrived[x], part) if x in arrived else part
            if not leaves or not node.inputs:
                node.grad = g if node.grad is None else keep(node.grad, g)

    return backward


def calls_itself(self, g=1):
    if not self.inputs:
        self.grad = g if self.grad is None else self.grad + g
    for x, part in zip(self.inputs, self.rule(g) if self.inputs else ()):
        if x.requires_grad:
            calls_itself(x, part)


def newest_first(self):
    return made_before(self)[::-1]


def by_rules(self):
    return [node.rule for node in newest_first(self) if node.inputs]


def with_stored_functions(self):
    """`_backward` functions, as in micrograd."""
    found = newest_first(self)
    for node in found:
        node._backward = lambda: None
    return [node._backward for node in found]


ACCEPTED = {
    "order": [
        (by_rules, ""),
        (with_stored_functions, ""),
        (lambda self: iter(newest_first(self)), ""),
        (lambda self: [x for x in newest_first(self) if x.inputs], ""),
        (ORDER, "it calls itself: a chain of 10,000 operations raises RecursionError"),
    ],
    "backward": [
        (calls_itself, "it calls itself: a chain of 10,000 operations raises RecursionError"),
        (passing(), ""),
    ],
}
NUMBER = {"order": "14.2", "backward": "14.3"}


@pytest.mark.parametrize(
    ("part", "function", "words"),
    [(part, *case) for part, cases in ACCEPTED.items() for case in cases],
)
def test_an_order_may_be_a_list_of_functions_or_a_recursion(part, function, words):
    said = repr(check(NUMBER[part], **{part: function}))
    assert said.startswith(f"✓ {NUMBER[part]} correct") and words in said
    assert words or "RecursionError" not in said


def marks_only(self, name, inputs, rule):
    self.requires_grad = self.requires_grad or any(x.requires_grad for x in inputs)
    return self


REFUSED = [
    ("14.1", "__mul__", "b.grad: yours 15, PyTorch 14", operation(lambda g, a, b: (g * b, g * b))),
    ("14.1", "__mul__", "a.grad: yours None", operation(lambda g, a, b: (g * b,)[:0])),
    ("14.1", "__mul__", "Yours raises AttributeError", lambda self, other: self.data * other.data),
    ("14.1", "record", "'int' object is not callable", 3),
    ("14.2", "order", "comes before `v`, which uses it: every consumer", nearest_first),
    ("14.2", "order", "`u` must be there once, not 2 times", every_path),
    ("14.2", "order", "Your search never ends", never_ends),
    ("14.2", "order", "`loss` must be there once, not 0 times", without(24)),
    ("14.2", "order", "`b` must be there once, not 0 times", without(3)),
    ("14.2", "order", "`a` comes before `u`", lambda self: ORDER(self)[::-1]),
    ("14.1", "__mul__", "The rule returns one gradient", operation(lambda g, a, b: (g * b,))),
    ("14.1", "record", "`backward` can't reach `a`", marks_only),
    ("14.2", "order", "5 is listed: it doesn't require a gradient", constants_too),
    ("14.2", "order", "'NoneType' object is not iterable", lambda self: None),
    ("14.3", "backward", "yours 6, PyTorch 12", passing(lambda old, new: (old + new) / 2)),
    ("14.3", "backward", "a.grad: yours 12, PyTorch 24", passing(keep=lambda old, new: new)),
    ("14.3", "backward", "a.grad: yours None", lambda self: self.order()[9]),
    ("14.4", "fit", "x.grad: yours −48, PyTorch [−3, −2, 1]", lambda self, g: g.sum()),
]


@pytest.mark.parametrize("name, key, words, part", REFUSED)
def test_a_method_is_refused_and_told_why(name, key, words, part):
    verdict = verdict_of(name, key, part)
    assert verdict.attempted and not verdict.correct and words in repr(verdict), repr(verdict)


def test_a_verdict_has_the_input_the_loss_and_both_numbers():
    said = repr(check("14.3", backward=passing(lambda old, new: new)))
    assert said == (
        "14.3 not yet. Test: a = 2, b = 3, u = a * b, v = u * b, loss = u + v = 24. a.grad: yours 9,"
        " PyTorch 12. Two gradients meet at `u`: 1 and 3. Yours keeps only the last one: add them."
    )


def test_each_right_part_is_known_also_if_another_one_is_wrong():
    right, wrong = Tensor.__mul__, operation(lambda g, a, b: (g, g))
    record = Tensor.record.__wrapped__
    assert check("14.1", record=record, __mul__=wrong).right == ("record",)
    assert check("14.1", record=record, __mul__=right).right == ("record", "__mul__")
    assert check("14.1", record=lambda *_: None, __mul__=right).right == ("__mul__",)


def stub(self):
    found = []
    ...
    return found


def test_a_stub_is_open_and_has_no_picture():
    verdict = check("14.2", order=stub)
    assert repr(verdict) == "14.2 not attempted yet" and verdict.view is None


def interrupted(self):
    raise KeyboardInterrupt


def test_an_interrupted_method_is_answered_without_a_picture():
    verdict = check("14.3", backward=interrupted)
    assert "interrupted" in repr(verdict) and verdict.view is None


@pytest.mark.parametrize(
    "part, wrong, words, stands_at",
    [
        ("order", nearest_first, "runs v first, and there it passes on 4.", "u"),
        ("order", without(6), "v first", None),
        ("backward", passing(lambda old, new: new), "u passes on 3 here. The right pass passes on 4.", "u"),
        ("backward", passing(keep=lambda old, new: new), ".grad was 10. It becomes 12 here, and 22", "a"),
        ("backward", lambda self: None, "Your pass ends here. Next would be loss.", "loss"),
        ("backward", lambda self: self.rule(1) + 3, "Your pass raises TypeError", "loss"),
        ("backward", lambda self: self.order()[1].rule(1), "The right pass runs loss first", "v"),
    ],
)  # fmt: skip
def test_the_picture_stands_where_the_pass_departs(part, wrong, words, stands_at):
    view = check(NUMBER[part], **{part: wrong}).view
    assert stands_at is None or words in view.notice, view.notice
    label = view.trace.nodes[view.trace.events[view.event - 1].node].label
    assert stands_at in (None, label), (view.event, label)
    said = ["".join(text for _, text in each["text"]) for each in view.structure["events"]]
    assert not any("added" in each for each in said[view.event - 1 :])
    after = ["".join(text for _, text in each["next"]) for each in view.structure["events"]]
    assert not any("ready" in each for each in after[view.event - 2 :])


def test_the_class_is_as_before_after_a_check():
    before = dict(vars(Tensor))
    check("14.2", order=nearest_first)
    check("14.4", fit=lambda self, g: g, __matmul__=...)
    assert dict(vars(Tensor)) == before
    assert np.array_equal((Tensor([1.0, 2.0]) * 2.0).data, [2.0, 4.0])
