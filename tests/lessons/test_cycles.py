"""The picture of the two cycles of lesson 13."""

import itertools
import xml.etree.ElementTree as xml

from autograd_core.lessons.lesson_13 import cycles

CALLS = "zero_grad", "backward", "step"
RIGHT = [CALLS[k:] + CALLS[:k] for k in range(3)]


def last(**other):
    """The last loss of each order; `other` changes the loss of orders that start with a call."""
    return {
        order: other.get(order[0], 0.1) if order in RIGHT else 2.5
        for order in itertools.permutations(CALLS)
    }


def test_each_order_is_in_its_cycle_with_its_loss():
    one, other = repr(cycles(last(step=0.2))).split(". ")
    assert one == (
        "backward → step → zero_grad: this cycle trains, last loss 0.1 from backward, 0.2 from step,"
        " 0.1 from zero_grad"
    )
    assert "doesn't train" in other and other.count("2.5 from") == 3


def test_a_cycle_with_a_high_loss_does_not_train():
    assert repr(cycles(last(step=1.5))).count("doesn't train") == 2


def test_the_picture_shows_each_call_with_its_loss_and_stays_inside():
    figure = cycles(last())
    texts = [each for each in xml.fromstring(figure.sheet.svg("")).iter() if each.text]
    assert sum(each.text == "ends at 0.1" for each in texts) == 3
    assert sum(each.text in CALLS for each in texts) == 6
    heights = [float(each.get("y")) for each in texts if each.get("y")]
    assert min(heights) > 0 and max(heights) < figure.sheet.height
