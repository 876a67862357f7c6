"""Exercises 09 to 16: plausible wrong answers, and the words that each must get."""

import re

import numpy as np
import pytest
import torch

import autograd_core as T
from autograd_core.lessons.datasets import STREET, curved_text_batch
from autograd_core.lessons.exercises.check import check
from autograd_core.nn import functional as F

WRONG = []


def wrong(exercise, words, **answer):
    WRONG.append(pytest.param(exercise, answer, words, id=f"{exercise}: {words[:40]}"))


# 09.1: the mean over a mask

wrong("09.1", "mean over all elements", loss=lambda each, mask: (each * mask.detach()).mean())
wrong(
    "09.1",
    "mean over all elements",
    loss=lambda each, mask: T.where(mask.bool(), each, 0.0 * each).mean(),
)
wrong(
    "09.1", "divides 0 by 0", loss=lambda each, mask: each[mask.bool()].sum() / mask.detach().sum()
)
wrong("09.1", "divides 0 by 0", loss=lambda each, mask: each[mask.bool()].mean())
wrong(
    "09.1", "the sum over the mask, not its mean", loss=lambda each, mask: each[mask.bool()].sum()
)
wrong(
    "09.1",
    "Leave it boolean",
    loss=lambda each, mask: each[mask.long()].sum() / mask.detach().sum().clamp(min=1),
)
wrong(
    "09.1",
    "at least 1 is not 1 more",
    loss=lambda each, mask: each[mask.bool()].sum() / (mask.detach().sum() + 1),
)
wrong(
    "09.1",
    "without a graph",
    loss=lambda each, mask: each[mask.bool()].mean() if mask.any() else T.tensor(0.0),
)
wrong(
    "09.1",
    "0 times nan is nan",
    loss=lambda each, mask: (each * mask).sum() / mask.sum().clamp(min=1),
)
wrong(
    "09.1",
    "hidden too",
    loss=lambda each, mask: each.nan_to_num()[mask].sum() / mask.sum().clamp(min=1),
)
wrong("09.1", "hidden too", loss=lambda each, mask: each[mask].mean().nan_to_num())
wrong("09.1", "a float", loss=lambda each, mask: each[mask.bool()].mean() if mask.any() else 0.0)
wrong("09.1", "without a graph", loss=lambda each, mask: each.detach()[mask.bool()].sum())

# 09.2: scaling to the circle


def unit(pairs):
    return pairs / pairs.norm(dim=1, keepdim=True)


def across(g, u):
    return g - u * (u * g).sum(dim=1, keepdim=True)


wrong("09.2", "a long vector turns less", rule=lambda g, pairs: across(g, unit(pairs)))
wrong(
    "09.2",
    "The part along the vector is still there",
    rule=lambda g, pairs: g / pairs.norm(dim=1, keepdim=True),
)
wrong(
    "09.2",
    "you kept it",
    rule=lambda g, pairs: (
        unit(pairs) * (unit(pairs) * g).sum(dim=1, keepdim=True) / pairs.norm(dim=1, keepdim=True)
    ),
)
wrong(
    "09.2",
    "sum over dim=1",
    rule=lambda g, pairs: (
        (g - unit(pairs) * (unit(pairs) * g).sum()) / pairs.norm(dim=1, keepdim=True)
    ),
)
wrong(
    "09.2",
    "once is enough",
    rule=lambda g, pairs: across(g, unit(pairs)) / (pairs**2).sum(dim=1, keepdim=True),
)
wrong(
    "09.2",
    "with the unit vector",
    rule=lambda g, pairs: across(g, pairs) / pairs.norm(dim=1, keepdim=True),
)
wrong(
    "09.2",
    "not over the column",
    rule=lambda g, pairs: (
        (g - unit(pairs) * (unit(pairs) * g).sum(dim=0, keepdim=True))
        / pairs.norm(dim=1, keepdim=True)
    ),
)
wrong(
    "09.2",
    "times PyTorch's",
    rule=lambda g, pairs: -across(g, unit(pairs)) / pairs.norm(dim=1, keepdim=True),
)
wrong(
    "09.2", "raises RuntimeError", rule=lambda g, pairs: across(g, unit(pairs)) / pairs.norm(dim=1)
)


# 10.1: intersection over union

wrong("10.1", "that do not count are counted", iou=lambda f, t, c: (f & t).sum() / (f | t).sum())
wrong("10.1", "still holds pixels", iou=lambda f, t, c: (f & t & c).sum() / (f | t).sum())
wrong(
    "10.1",
    "the union counts it once",
    iou=lambda f, t, c: (f & t & c).sum() / ((f & c).sum() + (t & c).sum()),
)
wrong("10.1", "false alarms cost nothing", iou=lambda f, t, c: (f & t & c).sum() / (t & c).sum())
wrong(
    "10.1", "what was missed costs nothing", iou=lambda f, t, c: (f & t & c).sum() / (f & c).sum()
)
wrong("10.1", "On background everybody agrees", iou=lambda f, t, c: ((f == t) & c).sum() / c.sum())
wrong("10.1", "It is to be 1", iou=lambda f, t, c: (f & t & c).sum() / ((f | t) & c).sum())
wrong("10.1", "Dice", iou=lambda f, t, c: 2 * (f & t & c).sum() / ((f & c).sum() + (t & c).sum()))
wrong("10.1", "brackets are missing", iou=lambda f, t, c: (f & t & c).sum() / (f | t & c).sum())
wrong("10.1", "In the result", iou=lambda f, t, c: 0.5)
wrong("10.1", "shape", iou=lambda f, t, c: f & t & c)

# 10.2: degrees


def turn(sin, cos, true_sin, true_cos):
    return np.arctan2(sin, cos) - np.arctan2(true_sin, true_cos)


def signed(*four):
    return np.degrees(np.arctan2(np.sin(turn(*four)), np.cos(turn(*four))))


wrong("10.2", "A full turn is missing", degrees=lambda *four: np.degrees(abs(turn(*four))))
wrong("10.2", "These are radians", degrees=lambda *four: np.radians(abs(signed(*four))))
wrong("10.2", "An error has no sign", degrees=signed)
wrong(
    "10.2",
    "its sine alone",
    degrees=lambda s, c, ts, tc: np.degrees(abs(np.arcsin(s) - np.arcsin(ts))),
)
wrong(
    "10.2",
    "cannot tell a direction from its opposite",
    degrees=lambda s, c, ts, tc: abs(
        np.degrees(
            np.arctan2(
                np.sin(np.arctan(s / c) - np.arctan(ts / tc)),
                np.cos(np.arctan(s / c) - np.arctan(ts / tc)),
            )
        )
    ),
)
wrong(
    "10.2",
    "are 180° apart",
    degrees=lambda *four: np.minimum(abs(signed(*four)), 180 - abs(signed(*four))),
)
wrong("10.2", "exactly opposite is 180", degrees=lambda *four: abs(signed(*four)) % 180)
wrong("10.2", "not one for all", degrees=lambda *four: abs(signed(*four)).mean())

# 10.3: the rival of the radius


def rival(size=13, fit=lambda others, new: others, there=lambda crops: crops.tcl_mask, line=None):
    """A blur and a straight line, of which each may be wrong."""

    def blur(crops):
        image = crops.image
        return F.avg_pool2d(image, size, 1, size // 2, count_include_pad=False)[:, 0].numpy()

    def found(others, new):
        crops = fit(others, new)
        on = there(crops).numpy()
        known = np.polyfit(blur(crops)[on], crops.radii_map.numpy()[on], 1)
        return np.polyval(line(*known) if line else known, blur(new))

    return found


wrong("10.3", "fit on `others`, not on what is scored", rival=rival(fit=lambda others, new: new))
wrong("10.3", "fitted where no text is", rival=rival(there=lambda crops: crops.tr_mask | True))
for size in (1, 3, 5, 7):
    wrong("10.3", "inside of thick text sees letters and gaps", rival=rival(size))
for size in (19, 27, 41):
    wrong("10.3", "A far wider one sees the street", rival=rival(size))
wrong("10.3", "Nearly all are too large", rival=rival(line=lambda slope, level: (level, slope)))
wrong("10.3", "Nearly all are too small", rival=rival(line=lambda slope, level: (slope, 0.0)))
wrong("10.3", "gets a smaller radius", rival=rival(line=lambda slope, level: (-slope, 8 - level)))
wrong("10.3", "one radius for all", rival=rival(line=lambda slope, level: (0.0, 4.0)))
wrong("10.3", "not finite", rival=rival(line=lambda slope, level: (slope, np.nan)))
wrong("10.3", "[64, 64, 64] is asked for", rival=lambda others, new: rival()(others, new)[:, None])


def test_a_rival_is_scored_beside_the_network_and_the_constant():
    def all_at_4(image):
        return T.full((len(image), 7, 64, 64), 4.0)

    told = repr(check("10.3", rival=rival(), network=all_at_4))
    errors = [float(word) for word in re.findall(r" (\d\.\d\d)[,.]", told)]
    assert told.startswith("✓ 10.3 correct. Mean error in pixels, on 64 crops") and len(errors) == 3
    yours, constant, network = errors
    new = curved_text_batch(5_000_000, 64, style=STREET)
    radii = new.radii_map[new.tcl_mask & new.train_mask]
    assert network == pytest.approx(abs(radii - 4).mean(), abs=0.005) and yours < 0.8 * network
    assert yours < 0.8 * constant and constant == pytest.approx(0.91, abs=0.005)
    assert "network" not in repr(check("10.3", rival=rival()))


# 11.1: how often each loss counts


# 11.2: through a network that gets nothing


def switched_off_for_a_while(w, second):
    second.requires_grad_(False)
    loss = ((w * second) ** 2).sum()
    second.requires_grad_(True)
    return loss


wrong("11.2", "`second` gets a gradient too", loss=lambda w, s: ((w * s) ** 2).sum())
wrong("11.2", "`w` learns nothing", loss=lambda w, s: ((w.detach() * s) ** 2).sum())
wrong(
    "11.2",
    "requires_grad of an input was changed",
    loss=lambda w, s: ((w * s.requires_grad_(False)) ** 2).sum(),
)
wrong("11.2", "The sum is asked for".lower(), loss=lambda w, s: ((w * s.detach()) ** 2).mean())
wrong("11.2", "The square is missing", loss=lambda w, s: (w * s.detach()).sum())
wrong("11.2", "requires_grad of an input was changed", loss=switched_off_for_a_while)
wrong(
    "11.2", "half of the gradient still arrives", loss=lambda w, s: (w * s * w * s.detach()).sum()
)
wrong(
    "11.2",
    "only half of the gradient arrives at `w`",
    loss=lambda w, s: ((w * s).detach() * w * s.detach()).sum(),
)
wrong("11.2", "without a graph", loss=lambda w, s: ((w * s) ** 2).sum().detach())
wrong("11.2", "a float", loss=lambda w, s: ((w * s) ** 2).sum().item())

# 11.3: every sample counts the same

wrong(
    "11.3", "a sample of the smaller one counts more", loss=lambda a, b: (a.mean() + b.mean()) / 2
)
wrong("11.3", "Two means are added", loss=lambda a, b: a.mean() + b.mean())
wrong(
    "11.3", "swapped", loss=lambda a, b: (len(b) * a.mean() + len(a) * b.mean()) / (len(a) + len(b))
)
wrong("11.3", "sum over all samples", loss=lambda a, b: a.sum() + b.sum())
wrong(
    "11.3", "Right for 4 and 2 samples alone", loss=lambda a, b: (4 * a.mean() + 2 * b.mean()) / 6
)
wrong(
    "11.3",
    "must be divided by their sum",
    loss=lambda a, b: (len(a) * a.mean() + len(b) * b.mean()) / 2,
)
wrong(
    "11.3", "must first be multiplied", loss=lambda a, b: (a.mean() + b.mean()) / (len(a) + len(b))
)
wrong("11.3", "ask `len` for them", loss=lambda a, b: 2 * a.mean() + b.mean())
wrong("11.3", "has only these two means", loss=lambda a, b: T.cat([a, b]).mean())
wrong(
    "11.3",
    "has only these two means",
    loss=lambda a, b: (a.sum() + b.sum()) / (len(a) + len(b)),
)
wrong("11.3", "In the value", loss=lambda a, b: a.mean())
wrong("11.3", "without a graph", loss=lambda a, b: T.tensor(a.mean().item()))


# 12.1: two steps with momentum

wrong("12.1", "nothing is remembered", two_steps=lambda w, a, b: w - 0.1 * (a + b))
wrong(
    "12.1", "not a tenth of it", two_steps=lambda w, a, b: w - 0.1 * a - 0.1 * (0.9 * a + 0.1 * b)
)
wrong(
    "12.1",
    "That is Nesterov",
    two_steps=lambda w, a, b: w - 0.1 * 1.9 * a - 0.1 * (b + 0.9 * (0.9 * a + b)),
)
wrong(
    "12.1",
    "The friction acts on the old buffer",
    two_steps=lambda w, a, b: w - 0.1 * a - 0.09 * (a + b),
)
wrong("12.1", "The learning rate is missing", two_steps=lambda w, a, b: w - a - (0.9 * a + b))
wrong("12.1", "The first step is missing", two_steps=lambda w, a, b: w - 0.1 * (0.9 * a + b))
wrong("12.1", "Downhill is minus", two_steps=lambda w, a, b: w + 0.1 * a + 0.1 * (0.9 * a + b))
wrong(
    "12.1",
    "at the second step only",
    two_steps=lambda w, a, b: w - 0.1 * a - 0.1 * (b + 0.9 * (0.9 * a + b)),
)
wrong(
    "12.1", "multiplied by 0.1 twice", two_steps=lambda w, a, b: w - 0.01 * a - 0.01 * (0.9 * a + b)
)
wrong("12.1", "`g2` has not been added", two_steps=lambda w, a, b: w - 0.1 * a - 0.09 * a)
wrong("12.1", "In the result", two_steps=lambda w, a, b: w)

# 12.2: micro-batches with masks


def loss_of(w, x):
    return (w - x) ** 2


def by_rows(share):
    def row_by_row(w, x, mask):
        w = w.detach().requires_grad_()
        for row, valid in zip(x, mask):
            share(loss_of(w, row), valid, mask).backward()
        return w.grad

    return row_by_row


def at_once(w, x, mask):
    w = w.detach().requires_grad_()
    loss_of(w, x)[mask].mean().backward()
    return w.grad


def thirds_of_the_whole(w, x, mask):
    w = w.detach().requires_grad_()
    for _ in x:
        (loss_of(w, x)[mask].mean() / len(x)).backward()
    return w.grad


def only_the_last(w, x, mask):
    w = w.detach().requires_grad_()
    for row, valid in zip(x, mask):
        w.grad = None
        (loss_of(w, row)[valid].sum() / mask.sum()).backward()
    return w.grad


wrong(
    "12.2",
    "Each row counts the same here",
    gradient=by_rows(lambda each, valid, mask: each[valid].mean() / len(mask)),
)
wrong(
    "12.2",
    "Each row is a third here",
    gradient=by_rows(lambda each, valid, mask: each[valid].mean() / 3),
)
wrong(
    "12.2",
    "The means of the rows are added",
    gradient=by_rows(lambda each, valid, mask: each[valid].mean()),
)
wrong("12.2", "never divided", gradient=by_rows(lambda each, valid, mask: each[valid].sum()))
wrong(
    "12.2",
    "valid or not",
    gradient=by_rows(lambda each, valid, mask: each[valid].sum() / mask.numel()),
)
wrong(
    "12.2",
    "The mask is not used",
    gradient=by_rows(lambda each, valid, mask: each.sum() / mask.numel()),
)
wrong("12.2", "Make one backward() for each row", gradient=at_once)
wrong("12.2", "All rows are in each graph", gradient=thirds_of_the_whole)
wrong("12.2", "nothing may be zeroed", gradient=only_the_last)
wrong("12.2", "raises", gradient=lambda w, x, mask: w.missing)


# 13.1: which loops move the weight

wrong("13.1", "the same tensor with other memory", outcomes=["stays", "stays", "nan", "stays"])
wrong("13.1", "0 times infinity", outcomes=["stays", "moves", "moves", "stays"])
wrong("13.1", "a result, computed before", outcomes=["stays", "moves", "nan", "moves"])
wrong("13.1", "a new leaf", outcomes=["moves", "moves", "nan", "stays"])
wrong("13.1", "look at the gradient", outcomes=["stays", "moves", "stays", "stays"])
wrong("13.1", "1 of 4 entries", outcomes=["moves", "moves", "moves", "moves"])
wrong("13.1", "Two are wrong", outcomes=["moves", "moves", "nan", "moves"])
wrong("13.1", "a branch was not chosen", outcomes=["stays", "moves", "moves", "moves"])
wrong("13.1", "3 entries", outcomes=["stays", "moves", "nan"])

# 13.2: two loaders that weigh the same

wrong("13.2", "If all losses are 1 this is 2", loss=lambda a, b: a.mean() + b.mean())
wrong("13.2", "Every point counts the same here", loss=lambda a, b: (a.sum() + b.sum()) / 36)
wrong("13.2", "the common loader weighs 32", loss=lambda a, b: a.sum() + b.sum())
wrong("13.2", "that is patient 6", loss=lambda a, b: a.sum() + b.mean())
wrong("13.2", "counted too much", loss=lambda a, b: (a.sum() + 32 * b.sum()) / 160)
wrong("13.2", "a float", loss=lambda a, b: (a.mean().item() + b.mean().item()) / 2)

# 13.3: how far a step goes

wrong("13.3", "The learning rate is missing", fraction=lambda w, g: g.norm() / w.norm())
wrong("13.3", "not its fraction", fraction=lambda w, g: 0.1 * g.norm())
wrong("13.3", "upside down", fraction=lambda w, g: w.norm() / (0.1 * g.norm()))
wrong("13.3", "Divide lengths", fraction=lambda w, g: (0.1 * g / w).norm())
wrong("13.3", "The root is missing", fraction=lambda w, g: 0.1 * (g**2).sum() / (w**2).sum())
wrong("13.3", "how far it lands from 0", fraction=lambda w, g: (w - 0.1 * g).norm() / w.norm())
wrong("13.3", "before the step", fraction=lambda w, g: 0.1 * g.norm() / (w - 0.1 * g).norm())
wrong("13.3", "may go sideways", fraction=lambda w, g: 1 - (w - 0.1 * g).norm() / w.norm())
wrong("13.3", "not a sum of sizes", fraction=lambda w, g: 0.1 * g.abs().mean() / w.abs().mean())
wrong("13.3", "has no sign", fraction=lambda w, g: -0.1 * g.norm() / w.norm())
wrong("13.3", "shape", fraction=lambda w, g: 0.1 * g.norm(dim=-1) / w.norm(dim=-1))
wrong("13.3", "In the result", fraction=lambda w, g: 0.01)

# 15.1: a Hessian times a vector


def gradient(w, **options):
    w = w.detach().requires_grad_()
    return w, T.autograd.grad((T.exp(w) * w.sum()).sum(), w, **options)[0]


def second(w, number_of):
    w, g = gradient(w, create_graph=True)
    return T.autograd.grad(number_of(g), w)[0]


wrong("15.1", "nothing was differentiated twice", product=lambda w, v: gradient(w)[1] * v)
wrong("15.1", "Its gradient is asked for", product=lambda w, v: (gradient(w)[1] * v).sum())
wrong("15.1", "`v` comes too late", product=lambda w, v: second(w, lambda g: g.sum()) * v)
wrong("15.1", "`v` is missing", product=lambda w, v: second(w, lambda g: g.sum()))
wrong("15.1", "That is the gradient itself", product=lambda w, v: gradient(w)[1])
wrong("15.1", "the number is g · v", product=lambda w, v: second(w, lambda g: (g * g).sum()))
wrong(
    "15.1",
    "the whole Hessian",
    product=lambda w, v: T.autograd.functional.hessian(lambda w: (T.exp(w) * w.sum()).sum(), w) @ v,
)
wrong(
    "15.1",
    "what has no graph",
    product=lambda w, v: T.autograd.grad((gradient(w)[1] * v).sum(), w)[0],
)

# 15.2: a hook that scales down

wrong("15.2", "A shorter gradient is made longer", hook=lambda g: g / g.norm())
wrong("15.2", "so the direction turns", hook=lambda g: g.clamp(-1, 1))
wrong("15.2", "a root is missing", hook=lambda g: g / (g**2).sum().clamp(min=1))
wrong("15.2", "Every gradient is let through", hook=lambda g: g)
wrong("15.2", "a length has no sign", hook=lambda g: g.clamp(max=1))
wrong("15.2", "not the sum of sizes", hook=lambda g: g / g.abs().sum().clamp(min=1))
wrong("15.2", "changes the gradient in place", hook=lambda g: g.div_(g.norm().clamp(min=1)))
wrong("15.2", "Every gradient is let through", hook=lambda g: None)
wrong("15.2", "A shorter gradient is made longer", hook=lambda g: F.normalize(g, dim=0))
wrong(
    "15.2",
    "Each row is scaled by its own length",
    hook=lambda g: g / g.norm(dim=-1, keepdim=True).clamp(min=1),
)
wrong(
    "15.2",
    "Each column is scaled by its own length",
    hook=lambda g: g / g.norm(dim=0, keepdim=True).clamp(min=1),
)
wrong(
    "15.2",
    "Each column is scaled by its own length",
    hook=lambda g: F.normalize(g, dim=0) if g.norm() > 1 else g,
)


def scaled_by_numpy(gradient):
    numbers = gradient.numpy()
    return numbers / max(np.linalg.norm(numbers), 1.0)


wrong("15.2", "a value of type `ndarray`. A hook must return a tensor", hook=scaled_by_numpy)
wrong(
    "15.2",
    "a value of type `tuple`. A hook must return a tensor",
    hook=lambda g: (g / g.norm().clamp(min=1),),
)


@pytest.mark.parametrize("hook", [scaled_by_numpy, lambda g: (g,)], ids=["ndarray", "tuple"])
def test_pytorch_raises_type_error_if_a_hook_returns_no_tensor(hook):
    h = 2 * torch.ones(3, requires_grad=True)
    h.register_hook(hook)
    with pytest.raises(TypeError, match="hook returned"):
        h.sum().backward()


# 15.3: where two rules agree

wrong("15.3", "That one is known", x=0)
wrong("15.3", "The wrong way round", x=1.5)
wrong("15.3", "rounded too far: give 4 digits, or a fraction", x=0.667)
wrong("15.3", "rounded too far: give 4 digits, or a fraction", x=0.67)
wrong("15.3", "where x² and 3x meet", x=3)
wrong("15.3", "Look at its sign", x=-2 / 3)
wrong("15.3", "is not what", x=1)

# 16.1: unequal shards

wrong("16.1", "Each process counts the same here", gradient=lambda a, b: (a + b) / 2)
wrong("16.1", "means that are added", gradient=lambda a, b: a + b)
wrong("16.1", "swapped", gradient=lambda a, b: (4 * a + 12 * b) / 16)
wrong("16.1", "Divide by their number", gradient=lambda a, b: 12 * a + 4 * b)
wrong("16.1", "too small", gradient=lambda a, b: (a / 12 + b / 4) / 2)
wrong("16.1", "12 + 4 rows", gradient=lambda a, b: (12 * a + 4 * b) / 2)

# 16.2: masked means of two processes


def over_all(a, n, b, m, least=1):
    return (a + b) / (n + m).clamp(min=least)


def averaged(a, n, b, m, least=1):
    return (a / n.clamp(min=least) + b / m.clamp(min=least)) / 2


wrong(
    "16.2",
    "A process without valid elements",
    means=lambda *four: (over_all(*four), averaged(*four, least=0)),
)
wrong(
    "16.2",
    "nothing is valid anywhere",
    means=lambda a, n, b, m: ((a + b) / (n + m), (a / n + b / m) / 2),
)
wrong("16.2", "swapped", means=lambda *four: (averaged(*four), over_all(*four)))
wrong("16.2", "halve their sum", means=lambda *four: (over_all(*four), 2 * averaged(*four)))
wrong("16.2", "adds before it divides", means=lambda *four: (averaged(*four), averaged(*four)))
wrong("16.2", "what averaging would give", means=lambda *four: (over_all(*four), over_all(*four)))
wrong("16.2", "1 result, and 2 are asked for", means=over_all)


# 14: parts of an engine


def recorded(name, value, inputs, rule):
    return inputs[0].record(name, value, inputs, rule)


def mul(rule):
    def mul(self, other):
        other = self.lift(other)
        return recorded(
            "MulBackward0",
            self.data * other.data,
            (self, other),
            lambda g: rule(g, self.data, other.data),
        )

    return mul


wrong("14.1", "The factors are swapped", mul=mul(lambda g, a, b: (g * a, g * b)))
wrong("14.1", "`g` is missing", mul=mul(lambda g, a, b: (b, a)))
wrong("14.1", "the rule of a sum", mul=mul(lambda g, a, b: (g, g)))
wrong("14.1", "Both inputs get the same", mul=mul(lambda g, a, b: (g * b, g * b)))
wrong("14.1", "returns a tuple, a part for each input", mul=mul(lambda g, a, b: g * b))
wrong(
    "14.1",
    "The result of `self.record(…)` is asked for",
    mul=lambda self, other: self.data * other.data,
)
wrong(
    "14.1",
    "write `other.data`",
    mul=lambda self, other: recorded(
        "MulBackward0", self.data * self.lift(other), (self, other), None
    ),
)
wrong(
    "14.1",
    "calls itself",
    mul=lambda self, other: recorded("MulBackward0", (self * other).data, (self, other), None),
)
wrong(
    "14.1",
    "PyTorch's name is asked for: MulBackward0",
    mul=lambda self, other: recorded(
        "Mul", self.data * other.data, (self, other), lambda g: (g * other.data, g * self.data)
    ),
)
wrong(
    "14.1",
    "in another order",
    mul=lambda self, other: recorded(
        "MulBackward0",
        self.data * other.data,
        (other, self),
        lambda g: (g * self.data, g * other.data),
    ),
)


def writes_into_what_arrives(self, other):
    other = self.lift(other)

    def rule(g):
        to_other = g * self.data
        g *= other.data
        return g, to_other

    return recorded("MulBackward0", self.data * other.data, (self, other), rule)


wrong("14.1", "writes into `g`", mul=writes_into_what_arrives)
wrong(
    "14.1",
    "makes one of it",
    mul=lambda self, other: recorded(
        "MulBackward0",
        self.data * other.data,
        (self, other),
        lambda g: (g * other.data, g * self.data),
    ),
)
wrong("14.1", "1 of 2 parts", mul=mul(lambda g, a, b: (g * b,)))
wrong("14.1", "returns None for an input", mul=mul(lambda g, a, b: (g * b, None)))
wrong("14.1", "returns None", mul=lambda self, other: None)


def backward(meet=lambda old, new: old + new, send="send", asks=True, everywhere=False, last=None):
    def backward(self):
        arrived = {self: np.ones_like(self.data)}
        for node in self.graph():
            gradient = arrived.pop(node)
            if node.inputs:
                for x, part in zip(node.inputs, getattr(node, send)(gradient)):
                    if x.requires_grad or not asks:
                        arrived[x] = meet(arrived[x], part) if x in arrived else part
            if everywhere or not node.inputs:
                node.grad = gradient if node.grad is None else node.grad + gradient
        return last

    return backward


def overwrites(self):
    arrived = {self: np.ones_like(self.data)}
    for node in self.graph():
        gradient = arrived.pop(node)
        for x, part in zip(node.inputs, node.send(gradient) if node.inputs else ()):
            if x.requires_grad:
                arrived[x] = arrived[x] + part if x in arrived else part
        if not node.inputs:
            node.grad = gradient


def calls_itself(self, gradient=1.0):
    if not self.inputs:
        self.grad = gradient if self.grad is None else self.grad + gradient
    for x, part in zip(
        self.inputs, self.send(gradient * np.ones_like(self.data)) if self.inputs else ()
    ):
        if x.requires_grad:
            calls_itself(x, part)


def first_made_first(self):
    arrived = {self: np.ones_like(self.data)}
    for node in reversed(self.graph()):
        node.grad = arrived.pop(node)


def starts_from_a_number(self):
    arrived = {self: 1.0}
    for node in self.graph():
        for x, part in zip(node.inputs, node.send(arrived[node]) if node.inputs else ()):
            if x.requires_grad:
                arrived[x] = arrived[x] + part if x in arrived else part
        if not node.inputs:
            node.grad = arrived[node] if node.grad is None else node.grad + arrived[node]


wrong("14.2", "Overwritten where two meet", backward=backward(meet=lambda old, new: new))
wrong("14.2", "The second backward overwrites", backward=overwrites)
wrong(
    "14.2",
    "`+=` writes into what arrived",
    backward=backward(meet=lambda old, new: np.add(old, new, out=old)),
)
wrong("14.2", "Ask `node.send(gradient)`", backward=backward(send="rule"))


def a_leaf_at_once(self):
    arrived = {self: np.ones_like(self.data)}
    for node in self.graph():
        if node.inputs:
            for x, part in zip(node.inputs, node.send(arrived[node])):
                if x.requires_grad and x.inputs:
                    arrived[x] = arrived[x] + part if x in arrived else part
                elif x.requires_grad:
                    x.grad = part if x.grad is None else x.grad + part


def grad_in_place(self):
    arrived = {self: np.ones_like(self.data)}
    for node in self.graph():
        gradient = arrived.pop(node)
        for x, part in zip(node.inputs, node.send(gradient) if node.inputs else ()):
            if x.requires_grad:
                arrived[x] = arrived[x] + part if x in arrived else part
        if not node.inputs and node.grad is None:
            node.grad = gradient
        elif not node.inputs:
            node.grad += gradient


wrong("14.2", "A leaf is a node too", backward=a_leaf_at_once)
wrong("14.2", "another leaf may hold", backward=grad_in_place)
wrong("14.2", "Only leaves keep theirs", backward=backward(everywhere=True))
wrong("14.2", "gets nothing", backward=backward(asks=False))
wrong(
    "14.2",
    "both contributions count whole",
    backward=backward(meet=lambda old, new: (old + new) / 2),
)
wrong("14.2", "Only the first to arrive", backward=backward(meet=lambda old, new: old))
wrong("14.2", "nothing has arrived", backward=first_made_first)


def adds_to_none(self):
    arrived = {self: np.ones_like(self.data)}
    for node in self.graph():
        gradient = arrived.pop(node)
        if not node.inputs:
            node.grad += gradient
            continue
        for x, part in zip(node.inputs, node.send(gradient)):
            if x.requires_grad:
                arrived[x] = arrived[x] + part if x in arrived else part


def adds_to_none_of_a_name(self):
    arrived = {self: np.ones_like(self.data)}
    for node in self.graph():
        gradient = arrived.pop(node)
        if not node.inputs:
            node.grad = node.grad + gradient
            continue
        for x, part in zip(node.inputs, node.send(gradient)):
            if x.requires_grad:
                arrived[x] = arrived[x] + part if x in arrived else part


def sends_from_leaves(self):
    arrived = {self: np.ones_like(self.data)}
    for node in self.graph():
        gradient = arrived.pop(node)
        for x, part in zip(node.inputs, node.send(gradient)):
            if x.requires_grad:
                arrived[x] = arrived[x] + part if x in arrived else part


def in_topological_order(self):
    order, seen, stack = [], set(), [(self, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack += [(node, True), *((x, False) for x in node.inputs)]
    self.grad = np.ones_like(self.data)
    for node in reversed(order):
        node._backward()


def popped_twice(self):
    arrived = {self: np.ones_like(self.data)}
    for node in self.graph():
        if node.inputs:
            for x, part in zip(node.inputs, node.send(arrived.pop(node))):
                if x.requires_grad:
                    arrived[x] = arrived[x] + part if x in arrived else part
        else:
            node.grad = arrived[node] if node.grad is None else node.grad + arrived[node]
        arrived.pop(node)


def popped_twice_at_a_leaf(self):
    arrived = {self: np.ones_like(self.data)}
    for node in self.graph():
        gradient = arrived.pop(node)
        if node.inputs:
            for x, part in zip(node.inputs, node.send(gradient)):
                if x.requires_grad:
                    arrived[x] = arrived[x] + part if x in arrived else part
        else:
            node.grad = arrived.pop(node)


def adds_to_what_has_not_come(self):
    arrived = {self: np.ones_like(self.data)}
    for node in self.graph():
        gradient = arrived.pop(node)
        if node.inputs:
            for x, part in zip(node.inputs, node.send(gradient)):
                if x.requires_grad:
                    arrived[x] += part


wrong("14.2", "adds to the `.grad` of a tensor that has none yet", backward=adds_to_none)
wrong("14.2", "adds to the `.grad` of a tensor that has none yet", backward=adds_to_none_of_a_name)
wrong("14.2", "calls `send` on a leaf", backward=sends_from_leaves)
wrong("14.2", "calls `_backward`, which these tensors don't", backward=in_topological_order)
wrong("14.2", "a tensor that it has already removed", backward=popped_twice)
wrong("14.2", "a tensor that it has already removed", backward=popped_twice_at_a_leaf)
wrong("14.2", "nothing has arrived", backward=adds_to_what_has_not_come)
wrong("14.2", "starts from a number", backward=starts_from_a_number)
wrong("14.2", "delete that line", backward=backward(last=...))
wrong("14.2", "RecursionError", backward=calls_itself)
wrong("14.2", "Nothing arrives at the leaves", backward=lambda self: None)

wrong("14.3", "keeps its stretched shape", fit=lambda self, g: g)
wrong(
    "14.3", "An axis of length 1", fit=lambda self, g: g.sum(tuple(range(g.ndim - self.data.ndim)))
)
wrong(
    "14.3",
    "A mean in place of the sum",
    fit=lambda self, g: (
        g
        if g.shape == self.data.shape
        else g.mean(tuple(range(g.ndim - self.data.ndim))).mean(
            tuple(i for i, n in enumerate(self.data.shape) if n == 1), keepdims=True
        )
    ),
)
wrong("14.3", "raises", fit=lambda self, g: g.reshape(self.data.shape))
wrong("14.3", "shape", fit=lambda self, g: g.sum())
wrong("14.3", "returns None", fit=lambda self, g: None)


def whole(**parts):
    def matmul(self, other):
        return recorded(
            "MmBackward0",
            self.data @ other.data,
            (self, other),
            lambda g: (g @ other.data.T, self.data.T @ g),
        )

    def relu(self):
        return recorded(
            "ReluBackward0", np.maximum(self.data, 0), (self,), lambda g: (g * (self.data > 0),)
        )

    return {"matmul": matmul, "relu": relu, "step": stepping(lambda v, g, m: m * v + g)} | parts


def stepping(velocity_of, sign=-1, rate=True, writes=False):
    def step(parameters, velocity, lr, momentum):
        for i, p in enumerate(parameters):
            velocity[i] = velocity_of(velocity[i], p.grad, momentum)
            if writes:
                p.grad *= 0.5
            p.data = p.data + sign * (lr if rate else 1) * velocity[i]

    return step


def relu(rule):
    return lambda self: recorded(
        "ReluBackward0", np.maximum(self.data, 0), (self,), lambda g: (rule(g, self.data),)
    )


wrong("14.4", "passes where relu is flat", **whole(relu=relu(lambda g, a: g)))
wrong("14.4", "The mask alone", **whole(relu=relu(lambda g, a: 1.0 * (a > 0))))
wrong("14.4", "plain SGD", **whole(step=stepping(lambda v, g, m: g)))
wrong("14.4", "does not fade", **whole(step=stepping(lambda v, g, m: v + g)))
wrong("14.4", "not a tenth of it", **whole(step=stepping(lambda v, g, m: m * v + (1 - m) * g)))
wrong(
    "14.4",
    "The learning rate is missing",
    **whole(step=stepping(lambda v, g, m: m * v + g, rate=False)),
)
wrong("14.4", "Downhill is minus", **whole(step=stepping(lambda v, g, m: m * v + g, sign=1)))
wrong("14.4", "writes into `.grad`", **whole(step=stepping(lambda v, g, m: m * v + g, writes=True)))
wrong(
    "14.4",
    "A matrix is not turned",
    **whole(
        matmul=lambda self, other: recorded(
            "MmBackward0",
            self.data @ other.data,
            (self, other),
            lambda g: (g @ other.data, self.data @ g),
        )
    ),
)
wrong(
    "14.4",
    "in each other's place",
    **whole(
        matmul=lambda self, other: recorded(
            "MmBackward0",
            self.data @ other.data,
            (self, other),
            lambda g: (self.data.T @ g, g @ other.data.T),
        )
    ),
)
wrong(
    "14.4",
    "write `other.data`",
    **whole(
        matmul=lambda self, other: recorded(
            "MmBackward0",
            self.data @ other.data,
            (self, other),
            lambda g: (g @ other.T, self.data.T @ g),
        )
    ),
)


def writes_into_its_input(self):
    self.data[self.data < 0] = 0
    return recorded("ReluBackward0", self.data, (self,), lambda g: (g * (self.data > 0),))


wrong("14.4", "into the data of its input", **whole(relu=writes_into_its_input))
wrong(
    "14.4",
    "Right: matmul, relu. Still open: step",
    **whole(step=lambda parameters, velocity, lr, momentum: ...),
)
wrong("14.4", "the sign of `g`", **whole(relu=relu(lambda g, a: g * (g > 0))))


def step_of(body):
    """`body` takes the weight, its gradient, the velocity and the rate, and returns the weight's
    data and the velocity.
    """

    def step(parameters, velocity, lr, momentum):
        for i, p in enumerate(parameters):
            p.data, velocity[i] = body(p.data, p.grad, velocity[i], lr, momentum)

    return step


wrong(
    "14.4",
    "learning rate is in the velocity",
    **whole(step=step_of(lambda w, g, v, lr, m: (w - m * v - lr * g, m * v + lr * g))),
)
wrong(
    "14.4",
    "Nothing is written into `velocity`",
    **whole(step=step_of(lambda w, g, v, lr, m: (w - lr * (m * v + g), v))),
)
wrong(
    "14.4",
    "moves before the velocity",
    **whole(step=step_of(lambda w, g, v, lr, m: (w - lr * v, m * v + g))),
)
wrong(
    "14.4",
    "looks ahead",
    **whole(step=step_of(lambda w, g, v, lr, m: (w - lr * (g + m * (m * v + g)), m * v + g))),
)
wrong(
    "14.4",
    "`lr` is given",
    **whole(step=step_of(lambda w, g, v, lr, m: (w - 0.1 * (m * v + g), m * v + g))),
)
wrong(
    "14.4",
    "`momentum` is given",
    **whole(step=step_of(lambda w, g, v, lr, m: (w - lr * (0.9 * v + g), 0.9 * v + g))),
)


def keeps_the_gradient(parameters, velocity, lr, momentum):
    for i, p in enumerate(parameters):
        if isinstance(velocity[i], float):
            velocity[i] = p.grad
        else:
            velocity[i] *= momentum
            velocity[i] += p.grad
        p.data = p.data - lr * velocity[i]


wrong("14.4", "writes into `.grad`", **whole(step=keeps_the_gradient))
wrong("14.4", "assign `p.data`", **whole(step=step_of(lambda w, g, v, lr, m: (w, m * v + g))))


@pytest.mark.parametrize("exercise, answer, words", WRONG)
def test_a_plausible_wrong_answer_is_refused_and_told_why(exercise, answer, words):
    verdict = check(exercise, **answer)
    assert not verdict.correct and words in repr(verdict), repr(verdict)
