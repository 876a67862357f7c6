"""Lesson 10: right answers written otherwise, inputs on which wrong ones differ, and changes that
are no mistake.
"""

import numpy as np
import torch

from tests.lessons.answer_mutants import right, wide

# ---- 10.1


@right("10.1")
def in_two_lines(found, true, counted):
    both = (found & true)[counted].sum()
    either = (found | true)[counted].sum()
    return both / either if either else 1.0


@right("10.1")
def masked_first(found, true, counted):
    found, true = found & counted, true & counted
    if not (found | true).any():
        return 1.0
    return (found & true).sum() / (found | true).sum()


@right("10.1")
def by_what_was_missed(found, true, counted):
    both = (found & true & counted).sum()
    false_alarms = (found & ~true & counted).sum()
    missed = (~found & true & counted).sum()
    union = both + false_alarms + missed
    return both / union if union > 0 else union + 1.0


@right("10.1")
def by_adding_and_taking_away(found, true, counted):
    both = (found & true & counted).sum()
    union = (found & counted).sum() + (true & counted).sum() - both
    if union == 0:
        return 1
    return both / union


@right("10.1")
def with_products(found, true, counted):
    found, true, counted = found.float(), true.float(), counted.float()
    union = ((found + true).clamp(max=1) * counted).sum()
    return (found * true * counted).sum() / union if union != 0 else 1.0


@right("10.1")
def with_a_mean(found, true, counted):
    either = (found | true) & counted
    return (found & true)[either].float().mean() if either.any() else 1.0


def masks(generator, *shape, shares=(0.3, 0.5, 0.8)):
    return tuple(torch.rand(shape, generator=generator) < share for share in shares)


wide(
    "10.1",
    lambda generator: [
        masks(generator, *shape, shares=shares)
        for shape in ((3, 3), (8, 8), (5, 20))
        for shares in (
            (0.3, 0.5, 0.8),
            (0.9, 0.1, 0.5),
            (0.1, 0.9, 0.9),
            (0.5, 0.5, 0.3),
            (0, 0, 1),
            (1, 1, 0),
            (0, 0.1, 1),
        )
    ],
)

# ---- 10.2


@right("10.2")
def by_the_shorter_way_round(sin, cos, true_sin, true_cos):
    turn = abs(np.degrees(np.arctan2(sin, cos)) - np.degrees(np.arctan2(true_sin, true_cos)))
    return np.minimum(turn, 360 - turn)


@right("10.2")
def by_a_product_of_unit_vectors(sin, cos, true_sin, true_cos):
    length = np.sqrt(sin**2 + cos**2)
    along = (sin * true_sin + cos * true_cos) / length
    return np.degrees(np.arccos(np.clip(along, -1, 1)))


@right("10.2")
def by_both_products(sin, cos, true_sin, true_cos):
    across = sin * true_cos - cos * true_sin
    along = sin * true_sin + cos * true_cos
    return np.degrees(abs(np.arctan2(across, along)))


@right("10.2")
def with_a_remainder(sin, cos, true_sin, true_cos):
    turn = np.degrees(np.arctan2(sin, cos) - np.arctan2(true_sin, true_cos))
    return abs((turn + 180) % 360 - 180)


@right("10.2")
def with_complex_numbers(sin, cos, true_sin, true_cos):
    turn = (cos + 1j * sin) / (true_cos + 1j * true_sin)
    return abs(np.angle(turn, deg=True))


@right("10.2")
def with_hypot(sin, cos, true_sin, true_cos):
    length = np.hypot(sin, cos)
    sin, cos = sin / length, cos / length
    chord = np.hypot(sin - true_sin, cos - true_cos)
    return np.degrees(2 * np.arcsin(np.clip(chord / 2, 0, 1)))


def directions(generator, size, length):
    found, true = (
        torch.rand(size, generator=generator, dtype=torch.float64) * 6.2 for _ in range(2)
    )
    return length * found.sin(), length * found.cos(), true.sin(), true.cos()


wide(
    "10.2",
    lambda generator: [
        directions(generator, size, length) for size in (7, 60) for length in (0.1, 1.0, 5.0)
    ],
)

# ---- 10.3


@right("10.3")
def with_polyval(blurred, radius, new):
    return np.polyval(np.polyfit(blurred, radius, 1), new)


@right("10.3")
def from_the_means(blurred, radius, new):
    away = blurred - blurred.mean()
    slope = (away * (radius - radius.mean())).sum() / (away**2).sum()
    return radius.mean() + slope * (new - blurred.mean())


@right("10.3")
def by_least_squares(blurred, radius, new):
    columns = np.stack([blurred, np.ones(len(blurred))], axis=1)
    slope, level = np.linalg.lstsq(columns, radius, rcond=None)[0]
    return level + slope * new


@right("10.3")
def by_the_covariance(blurred, radius, new):
    covariance = np.cov(blurred, radius)
    slope = covariance[0, 1] / covariance[0, 0]
    return slope * new + (np.mean(radius) - slope * np.mean(blurred))


@right("10.3")
def with_a_polynomial(blurred, radius, new):
    line = np.polynomial.Polynomial.fit(blurred, radius, 1)
    return line(new)


wide(
    "10.3",
    lambda generator: [
        (
            size * torch.randn(n, generator=generator, dtype=torch.float64) + 0.5,
            3 + torch.randn(n, generator=generator, dtype=torch.float64),
            torch.randn(m, generator=generator, dtype=torch.float64),
        )
        for n in (3, 8, 40)
        for m in (1, 6)
        for size in (0.3, 2)
    ],
)
