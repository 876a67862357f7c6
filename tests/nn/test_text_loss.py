"""The loss of a text detector, with the calls that published code uses: byte masks as indices,
`new(size).fill_`, `topk`, cross-entropy with each reduction, smooth L1. Losses, gradients and errors
on both engines.
"""

import numpy as np
import pytest

from tests.engines import ENGINES, assert_same

pytestmark = pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8")

RATIO, HARDEST = 3.0, 100
PLACES = 2, 9, 9


def mine_hard(T, logits, text, counted):
    """Cross-entropy over all text pixels and the hardest of the others. Without text, the hardest
    100, whether there are so many or not.
    """
    F = T.nn.functional
    is_text, is_other = (text * counted).byte(), ((1 - text) * counted).byte()
    of_others = F.cross_entropy(logits[is_other], text[is_other], reduction="none")
    found, of_text, kept = is_text.float().sum(), 0.0, HARDEST
    if found.item() > 0:
        of_text = F.cross_entropy(logits[is_text], text[is_text], reduction="sum")
        kept = min(int(is_other.float().sum().item()), int(RATIO * found.float()))
    hardest = T.topk(of_others, kept)[0]
    return (of_text + hardest.sum()) / (found + kept).float()


def losses_of(T, output, text, line, counted, sines, cosines, radii):
    """Five losses of the output (B, 7, H, W); those without a pixel are the number 0."""
    F = T.nn.functional
    flat = output.permute(0, 2, 3, 1).contiguous().view(-1, 7)
    text, line, counted = (mask.contiguous().view(-1) for mask in (text, line, counted))
    sines, cosines, radii = (values.view(-1) for values in (sines, cosines, radii))
    found = {"text": mine_hard(T, flat[:, :2], text.long(), counted.long())}
    both = counted * text
    found["line"] = 0.0
    if both.sum().item() > 0:
        found["line"] = F.cross_entropy(flat[:, 2:4][both], line[both].long())
    if (counted * line).sum().item() > 0:
        scale = T.sqrt(1.0 / (flat[:, 4] ** 2 + flat[:, 5] ** 2))
        found["sine"] = F.smooth_l1_loss((flat[:, 4] * scale)[line], sines[line])
        found["cosine"] = F.smooth_l1_loss((flat[:, 5] * scale)[line], cosines[line])
        ratio = flat[:, 6][line] / radii[line]
        found["radius"] = F.smooth_l1_loss(ratio, radii.new(ratio.size()).fill_(1.0).float())
    return found


def ended(T, with_text, counted, size=PLACES, mask_type="uint8"):
    """The losses and the gradient of their sum; or the error."""
    rng = np.random.default_rng(0)
    output = T.tensor(rng.standard_normal((size[0], 7, *size[1:])), requires_grad=True)
    text = with_text * (rng.random(size) < 0.3)
    line = text * (rng.random(size) < 0.5)
    masks = (text, line, counted * (rng.random(size) < 0.9))
    maps = (rng.uniform(-1, 1, size), rng.uniform(-1, 1, size), rng.uniform(1, 3, size))
    kind = getattr(T, mask_type)
    masks = [T.tensor(mask.astype(np.uint8)).to(kind) for mask in masks]
    try:
        losses = losses_of(T, output, *masks, *map(T.tensor, maps))
    except RuntimeError as error:
        return error
    sum(losses.values()).backward()
    return losses, output.grad


CASES = {
    "with text": (True, True, PLACES, 5),
    "without text": (False, True, PLACES, 1),
    "without text, fewer pixels than are mined": (False, True, (1, 9, 9), None),
    "everything ignored": (True, False, PLACES, None),
    "neither text nor a counted pixel": (False, False, PLACES, None),
}
"""Whether there is text, and pixels that count; the size; and how many losses are computed, None
where `topk` raises.
"""


@pytest.mark.parametrize("mask_type", ["uint8", "bool", "int64"])
@pytest.mark.parametrize("name", CASES)
def test_the_loss_of_a_text_detector(name, mask_type):
    with_text, counted, size, computed = CASES[name]
    ours, theirs = (ended(T, with_text, counted, size, mask_type) for T in ENGINES)
    assert_same(ours, theirs)
    if computed is None:
        for error in ours, theirs:
            assert "selected index k out of range" in str(error)
    else:
        assert sum(hasattr(loss, "grad_fn") for loss in theirs[0].values()) == computed
        assert ours[1].isfinite().all()
