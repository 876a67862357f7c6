"""Lesson 16, many processes: what PyTorch answers to its exercises."""

from ..check import Function, exercise


@exercise(
    "16.1",
    mistakes={
        "Each process counts the same here: each of the 4 rows weighs three times too much": (
            lambda a, b: (a + b) / 2
        ),
        "These are means, and means that are added are too large": lambda a, b: a + b,
        "The shares are swapped": lambda a, b: (4 * a + 12 * b) / 16,
        "That is the gradient of the sum over all rows. Divide by their number": lambda a, b: (
            12 * a + 4 * b
        ),
        "A mean that is divided by its rows once more is too small": lambda a, b: (
            (a / 12 + b / 4) / 2
        ),
        "12 + 4 rows are 16 rows": lambda a, b: (12 * a + 4 * b) / 2,
        "12 + 4 rows are 16 rows, and not 8": lambda a, b: (12 * a + 4 * b) / 8,
        "These are means already: a mean times its rows is a sum": lambda a, b: a / 12 + b / 4,
        "Only one of the two sums is divided: brackets are missing": lambda a, b: (
            12 * a + 4 * b / 16
        ),
    },
)
def unequal_shards(torch):
    def mean_over_all(of_12, of_4):
        w = torch.zeros(3, dtype=torch.float64, requires_grad=True)
        (torch.cat([of_12.expand(12, 3), of_4.expand(4, 3)]) @ w).mean().backward()
        return w.grad

    return {"gradient": Function(mean_over_all, {"of_12": (3,), "of_4": (3,)})}


def _whole(s1, n1, s2, n2, least=1):
    return (s1 + s2) / (n1 + n2).clamp(min=least)


def _means(s1, n1, s2, n2, least=1):
    return (s1 / n1.clamp(min=least) + s2 / n2.clamp(min=least)) / 2


def _shifted(by):
    return lambda s1, n1, s2, n2: (
        (s1 + s2) / (n1 + n2 + by),
        (s1 / (n1 + by) + s2 / (n2 + by)) / 2,
    )


@exercise(
    "16.2",
    mistakes={
        "A process without valid elements divides 0 by 0": lambda *four: (
            _whole(*four),
            _means(*four, least=0),
        ),
        "Where nothing is valid anywhere, 0 is divided by 0": lambda *four: (
            _whole(*four, least=0),
            _means(*four, least=0),
        ),
        "The two are swapped": lambda *four: (_means(*four), _whole(*four)),
        "The second is a mean of two means: halve their sum": lambda *four: (
            _whole(*four),
            2 * _means(*four),
        ),
        "Both are the mean of the means. The first adds before it divides": lambda *four: (
            _means(*four),
            _means(*four),
        ),
        "Clamp the sum of the numbers: an empty process adds no element": lambda s1, n1, s2, n2: (
            (s1 + s2) / (n1.clamp(min=1) + n2.clamp(min=1)),
            _means(s1, n1, s2, n2),
        ),
        "An empty process counts as well: its mean is 0, and there are two": (
            lambda s1, n1, s2, n2: (
                _whole(s1, n1, s2, n2),
                _means(s1, n1, s2, n2) * 2 / ((n1 > 0).double() + (n2 > 0)).clamp(min=1),
            )
        ),
        "1e-6 shifts every result. Divide by at least 1 instead": _shifted(1e-6),
        "1e-8 shifts every result. Divide by at least 1 instead": _shifted(1e-8),
        "1 is added to each number, where it is not 0 as well": _shifted(1),
        "Both are the mean over all. The second is what averaging would give": lambda *four: (
            _whole(*four),
            _whole(*four),
        ),
    },
)
def two_masked_means(torch):
    # of valid elements, for each process of each trial
    numbers = iter([3, 1, 4, 4, 0, 2, 2, 0, 0, 0])
    known = []

    def number(generator):
        return known.pop()

    def total(generator):
        known.append(torch.tensor(float(next(numbers)), dtype=torch.float64))
        return torch.randn((), generator=generator, dtype=torch.float64) * (known[-1] > 0)

    def means(sum_1, number_1, sum_2, number_2):
        return _whole(sum_1, number_1, sum_2, number_2), _means(sum_1, number_1, sum_2, number_2)

    few = [(0.7, 1, 0, 0), (0, 0, -1.3, 1), (2.1, 1, 0.4, 1), (-0.9, 2, 0, 0), (1.7, 5, -2.9, 1)]
    cases = [torch.tensor(four, dtype=torch.float64) for four in few]
    return {
        "means": Function(
            means,
            {"sum_1": total, "number_1": number, "sum_2": total, "number_2": number},
            cases=cases,
        )
    }
