"""Right answers to the exercises of lesson 16."""

import autograd_core as T
from tests.lessons.right_answers import right


@right("16.1")
def weighted_by_shares(of_12, of_4):
    return 0.75 * of_12 + 0.25 * of_4


@right("16.1")
def through_the_sums(of_12, of_4):
    rows = 12 + 4
    total = of_12 * 12
    total = total + of_4 * 4
    return total / rows


@right("16.1")
def row_by_row(of_12, of_4):
    return T.stack([of_12] * 12 + [of_4] * 4).mean(0)


@right("16.1")
def with_a_matrix_product(of_12, of_4):
    weights = T.tensor([12.0, 4.0], dtype=T.float64) / 16
    return weights @ T.stack([of_12, of_4])


@right("16.1")
def from_the_large_one(of_12, of_4):
    return of_12 + (of_4 - of_12) / 4


@right("16.1")
def in_a_loop(of_12, of_4):
    total, rows = T.zeros_like(of_12), 0
    for gradient, number in ((of_12, 12), (of_4, 4)):
        total = total + gradient * number
        rows += number
    return total / rows


@right("16.2")
def with_maximum(sum_1, number_1, sum_2, number_2):
    one = T.tensor(1.0, dtype=T.float64)
    first = sum_1 / T.maximum(number_1, one)
    second = sum_2 / T.maximum(number_2, one)
    return (sum_1 + sum_2) / T.maximum(number_1 + number_2, one), (first + second) / 2


@right("16.2")
def with_numbers(sum_1, number_1, sum_2, number_2):
    whole = (sum_1 + sum_2) / max(number_1 + number_2, 1)
    return whole, 0.5 * sum_1 / max(number_1, 1) + 0.5 * sum_2 / max(number_2, 1)


@right("16.2")
def with_a_function(sum_1, number_1, sum_2, number_2):
    def mean(total, number):
        if number == 0:
            return T.zeros_like(total)
        return total / number

    return mean(sum_1 + sum_2, number_1 + number_2), (
        mean(sum_1, number_1) + mean(sum_2, number_2)
    ) / 2


@right("16.2")
def with_where(sum_1, number_1, sum_2, number_2):
    number = number_1 + number_2
    mean_1 = T.where(number_1 > 0, sum_1 / number_1.clamp(min=1), 0.0)
    mean_2 = T.where(number_2 > 0, sum_2 / number_2.clamp(min=1), 0.0)
    return T.where(number > 0, (sum_1 + sum_2) / number.clamp(min=1), 0.0), T.stack(
        [mean_1, mean_2]
    ).mean()


@right("16.2")
def in_a_loop_over_processes(sum_1, number_1, sum_2, number_2):
    total, number, means = 0, 0, []
    for part, count in ((sum_1, number_1), (sum_2, number_2)):
        total = total + part
        number = number + count
        means.append(part / count if count > 0 else part * 0)
    return total / number if number > 0 else total * 0, sum(means) / 2


@right("16.2")
def stacked(sum_1, number_1, sum_2, number_2):
    sums, numbers = T.stack([sum_1, sum_2]), T.stack([number_1, number_2])
    return sums.sum() / numbers.sum().clamp(min=1), (sums / numbers.clamp(min=1)).mean()
