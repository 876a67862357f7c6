"""The works without an engine: NumPy as somebody would write it who knows the derivatives."""

import math

import numpy as np

from . import inputs


def sgd(parameters, lr):
    """A function of the gradients that changes `parameters` by a step of gradient descent."""

    def update(gradients):
        for p, g in zip(parameters, gradients):
            p -= lr * g

    return update


def adam(parameters, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """A function of the gradients that changes `parameters` by a step of Adam."""
    means, squares = ([np.zeros_like(p) for p in parameters] for _ in range(2))
    step = 0

    def update(gradients):
        nonlocal step
        step += 1
        for p, g, m, v in zip(parameters, gradients, means, squares):
            m += (g - m) * (1 - beta1)
            v *= beta2
            v += g * g * (1 - beta2)
            p -= lr / (1 - beta1**step) * m / (np.sqrt(v) / math.sqrt(1 - beta2**step) + eps)

    return update


OPTIMIZERS = {"SGD": sgd, "Adam": adam}


def perceptron(dtype, sizes, batch, optimizer, lr):
    """A training step of linear layers with ReLU between them; see `works.perceptron`."""
    parameters, x, classes = inputs.layers(sizes, batch, dtype)
    gradients = [np.zeros_like(p) for p in parameters]
    update = OPTIMIZERS[optimizer](parameters, lr)
    targets, chosen = classes.astype(dtype)[:, None], (np.arange(batch), classes)

    def step(_):
        received = [x]  # by each layer
        for i in range(0, len(parameters), 2):
            z = received[-1] @ parameters[i].T + parameters[i + 1]
            received.append(np.maximum(z, 0))
        if sizes[-1] == 1:
            g = (1 / (1 + np.exp(-z)) - targets) / batch
        else:
            g = np.exp(z - z.max(1, keepdims=True))
            g /= g.sum(1, keepdims=True)
            g[chosen] -= 1
            g /= batch
        for i in range(len(parameters) - 2, -1, -2):
            gradients[i], gradients[i + 1] = g.T @ received[i // 2], g.sum(0)
            if i:
                g = (g @ parameters[i]) * (received[i // 2] > 0)
        update(gradients)

    return [step], lambda: gradients


def chain(dtype, links):
    """tanh(x · w + small) − small, `links` times."""
    (w, small), gradient = inputs.near_one(dtype), []

    def forward(_):
        x, saved = small, []
        for _ in range(links):
            y = np.tanh(x * w + small)
            saved.append((x, y))
            x = y - small
        return saved

    def backward(saved):
        g, total = small, np.zeros_like(w)
        for x, y in reversed(saved):
            g = g * (1 - y * y)
            total += g * x
            g = g * w
        gradient[:] = [total]

    return [forward, backward], lambda: gradient


# ---- the TextSnake head --------------------------------------------------------------------------


def windows(maps):
    """The 3×3 neighbourhood of every pixel, zeros outside: (B, C, H, W) to (B, C · 9, H · W)."""
    count, channels, height, width = maps.shape
    padded = np.zeros((count, channels, height + 2, width + 2), maps.dtype)
    padded[:, :, 1:-1, 1:-1] = maps
    columns = np.empty((count, channels, 3, 3, height, width), maps.dtype)
    for i in range(3):
        for j in range(3):
            columns[:, :, i, j] = padded[:, :, i : i + height, j : j + width]
    return columns.reshape(count, 9 * channels, height * width)


def two_classes(logits, target):
    """Cross-entropy of each of N pixels and its slope towards the second logit (that to the first
    is its negative).

    `logits` (2, N), `target` (N,) bool. Two logits are a sigmoid of their difference.
    """
    gap = logits[1] - logits[0]
    return np.logaddexp(0, np.where(target, -gap, gap)), 1 / (1 + np.exp(-gap)) - target


def smooth_l1(error):
    """The sum over all entries, and the slope at each."""
    slope = np.clip(error, -1, 1)
    return np.sum(slope * (error - slope / 2)), slope


def textsnake_losses(out, crops):
    """The five losses of lesson 09, and the gradient of their sum with respect to `out` (7, N), N
    pixels.
    """
    tr, tcl, train, sin, cos, radii = (each.reshape(-1) for each in crops[1:])
    gradient = np.zeros_like(out)

    each, slope = two_classes(out[:2], tr)
    positive, negative = np.flatnonzero(tr & train), np.flatnonzero(~tr & train)
    worst = min(3 * len(positive) if len(positive) else 100, len(negative))
    mined = negative[
        np.argpartition(each[negative], len(negative) - worst)[len(negative) - worst :]
    ]
    chosen = np.concatenate([positive, mined])
    count = max(len(chosen), 1)
    losses = [each[chosen].sum() / count]
    gradient[1, chosen] = slope[chosen] / count
    gradient[0] = -gradient[1]

    inside = np.flatnonzero(tr & train)
    each, slope = two_classes(out[2:4, inside], tcl[inside])
    count = max(len(inside), 1)
    losses.append(each.sum() / count)
    gradient[3, inside] = slope / count
    gradient[2] = -gradient[3]

    line = np.flatnonzero(tcl & train)
    count = max(len(line), 1)
    pairs = out[4:6, line]
    length = np.maximum(np.sqrt((pairs**2).sum(0)), 1e-6)
    unit = pairs / length
    slopes = np.empty_like(unit)
    for i, target in enumerate((sin, cos)):
        loss, slopes[i] = smooth_l1(unit[i] - target[line])
        losses.append(loss / count)
    gradient[4:6, line] = (slopes - unit * (unit * slopes).sum(0)) / length / count

    loss, slope = smooth_l1(out[6, line] / radii[line] - 1)
    losses.append(loss / count)
    gradient[6, line] = slope / radii[line] / count
    return losses, gradient


def textsnake_head(dtype, count, side, lr):
    """A training step of the head; see `textsnake.head`."""
    parameters, features = inputs.head(count, side, dtype)
    crops, pixels = inputs.crops(count, side, dtype), count * side**2
    kernel, bias, last, last_bias = parameters
    flat, last_flat = kernel.reshape(16, -1), last.reshape(7, 16)
    gradients = [np.zeros_like(array) for array in (*parameters, features)]
    update = sgd(parameters, lr)

    def step(_):
        columns = windows(features)
        hidden = flat @ columns + bias[:, None]
        out = last_flat @ hidden + last_bias[:, None]
        losses, g = textsnake_losses(out.transpose(1, 0, 2).reshape(7, pixels), crops)
        g = np.ascontiguousarray(g.reshape(7, count, -1).transpose(1, 0, 2))
        gradients[2] = (g @ hidden.transpose(0, 2, 1)).sum(0).reshape(last.shape)
        gradients[3] = g.sum((0, 2))
        g = last_flat.T @ g
        gradients[0] = (g @ columns.transpose(0, 2, 1)).sum(0).reshape(kernel.shape)
        gradients[1] = g.sum((0, 2))
        turned = kernel[:, :, ::-1, ::-1].swapaxes(0, 1).reshape(16, -1)
        gradients[4] = (turned @ windows(g.reshape(features.shape))).reshape(features.shape)
        update(gradients)
        return losses

    return [step], lambda: gradients
