"""Right answers to the exercises of lesson 07."""

import autograd_core as T
from autograd_core.nn import functional as F
from tests.lessons.right_answers import right, right_values

right_values(
    "07.1",
    [1 / 3, 1 / 3, -2 / 3],
    [0.3333, 0.3333, -0.6667],
    [0.33333, 0.33333, -0.66667],
    (1 / 3, 1 / 3, -2 / 3),
    T.tensor([1 / 3, 1 / 3, -2 / 3]),
)


@right("07.2")
def with_logits(d):
    label = T.tensor([0.0, 1.0, 1.0, 0.0])
    return F.binary_cross_entropy_with_logits(d, label.to(d.dtype))


@right("07.2")
def with_softplus(d):
    label = T.tensor([0, 1, 1, 0])
    return (F.softplus(d) - label * d).mean()


@right("07.2")
def with_signs(d):
    label = T.tensor([0, 1, 1, 0])
    return -F.logsigmoid((2 * label - 1) * d).mean()


@right("07.2")
def with_halves(d):
    label = T.tensor([0, 1, 1, 0])
    return F.cross_entropy(T.stack([-d / 2, d / 2], 1), label)


@right("07.2")
def with_where(d):
    label = T.tensor([0, 1, 1, 0]).bool()
    return T.where(label, F.softplus(-d), F.softplus(d)).mean()


@right("07.2")
def with_logsumexp(d):
    label = T.tensor([0, 1, 1, 0])
    logits = T.stack([T.zeros_like(d), d], 1)
    each = T.logsumexp(logits, 1) - logits[T.arange(4), label]
    return each.sum() / 4


@right("07.2")
def with_log_softmax(d):
    label = T.tensor([0, 1, 1, 0])
    return F.nll_loss(F.log_softmax(T.stack([T.zeros_like(d), d], 1), 1), label)


@right("07.3")
def by_indices(g, x):
    gradient = T.zeros(x.shape, dtype=x.dtype)
    places = x.topk(3).indices
    gradient[places] = g
    return gradient


@right("07.3")
def by_adding(g, x):
    values, places = x.topk(3)
    gradient = T.zeros_like(x)
    gradient[places] += g
    return gradient


@right("07.3")
def by_scatter(g, x):
    return T.zeros_like(x).scatter(0, x.topk(3)[1], g)


@right("07.3")
def by_index_add(g, x):
    return T.zeros_like(x).index_add(0, x.topk(3)[1], g)


@right("07.3")
def by_sorting(g, x):
    gradient = T.zeros_like(x)
    gradient[x.argsort(descending=True)[:3]] = g
    return gradient


@right("07.3")
def one_by_one(g, x):
    gradient = T.zeros_like(x)
    for number, place in enumerate(x.topk(3)[1]):
        gradient[place] = g[number]
    return gradient


@right("07.3")
def by_one_hot(g, x):
    return g @ F.one_hot(x.topk(3)[1], len(x)).to(g.dtype)


@right("07.4")
def by_sort(loss, text):
    wanted = min(2 * int(text.sum()), int((~text).sum()))
    hardest = loss[~text].sort(descending=True)[0][:wanted]
    return T.cat([loss[text], hardest]).sum() / max(int(text.sum()) + wanted, 1)


@right("07.4")
def by_clamp(loss, text):
    positives = text.sum()
    wanted = (2 * positives).clamp(max=(~text).sum())
    hardest = loss[~text].topk(int(wanted))[0]
    return (loss[text].sum() + hardest.sum()) / (positives + wanted).clamp(min=1)


@right("07.4")
def by_a_branch(loss, text):
    if not text.any():
        return 0 * loss.sum()
    positive, negative = loss[text], loss[~text]
    wanted = 2 * len(positive)
    if wanted < len(negative):
        negative = negative.topk(wanted)[0]
    return T.cat([positive, negative]).mean()


@right("07.4")
def by_slices(loss, text):
    positive = loss[text]
    negative = loss[~text].sort(descending=True)[0][: 2 * len(positive)]
    number = len(positive) + len(negative)
    if number == 0:
        number = 1
    return (positive.sum() + negative.sum()) / number


@right("07.4")
def by_a_mask(loss, text):
    chosen = text.clone()
    wanted = min(2 * int(text.sum()), int((~text).sum()))
    for place in loss.argsort(descending=True):
        if wanted > 0 and not text[place]:
            chosen[place] = True
            wanted -= 1
    return loss[chosen].sum() / max(int(chosen.sum()), 1)


@right("07.4")
def by_a_count(loss, text):
    negatives = loss[~text]
    hardest = negatives.topk(min(2 * int(text.sum()), len(negatives)))[0]
    count = max(len(loss[text]) + len(hardest), 1)
    return loss[text].sum() / count + hardest.sum() / count
