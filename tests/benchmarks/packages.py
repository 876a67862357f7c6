"""The works in the packages `autograd` and `micrograd`, as far as these can express them.

`autograd` differentiates functions of NumPy arrays; it has no convolution without SciPy, and no
losses or optimizers. `micrograd` has Python numbers (so float64 in both tables), + × ** and relu,
and walks back recursively: no long chain. Both are imported where they are used: `make bench`
installs them, nothing else needs them."""

import types

import numpy as np

from . import inputs
from .by_hand import OPTIMIZERS


def autograd_functions():
    """What a work's text calls by name, with autograd's NumPy behind it."""
    import autograd.numpy as anp

    return types.SimpleNamespace(
        tanh=anp.tanh,
        exp=anp.exp,
        log=anp.log,
        relu=lambda x: anp.maximum(x, 0),
        sigmoid=lambda x: 1 / (1 + anp.exp(-x)),
    )


def forward_and_backward(function, given, seed):
    """Two stages for `function` of the tuple of arrays `given`; `seed` is the gradient that its
    value starts from.
    """
    from autograd import make_vjp

    gradients = []
    vjp_of = make_vjp(function)

    def backward(vjp):
        gradients[:] = vjp(seed)

    return [lambda _: vjp_of(given)[0], backward], lambda: gradients


def scalars_on_autograd(dtype, formula):
    """`works.scalars`."""
    M, kind = autograd_functions(), np.dtype(dtype).type
    return forward_and_backward(
        lambda given: formula(M, *given), tuple(map(kind, inputs.SCALARS)), kind(1)
    )


def chain_on_autograd(dtype, formula, links):
    """`works.chain`."""
    M, (w, small) = autograd_functions(), inputs.near_one(dtype)
    return forward_and_backward(lambda given: formula(M, *given, small, links), (w,), small)


def additions_on_autograd(dtype, formula, count):
    """`works.additions`."""
    kind = np.dtype(dtype).type
    return forward_and_backward(lambda given: formula(*given, count), (kind(1),), kind(1))


def loss_of_layers(x, classes, sizes):
    """The loss of a perceptron as a function of the list of its weights and biases."""
    import autograd.numpy as anp

    targets, rows = classes.astype(x.dtype)[:, None], np.arange(len(classes))

    def loss(parameters):
        z = x
        for i in range(0, len(parameters), 2):
            z = anp.dot(anp.maximum(z, 0) if i else z, parameters[i].T) + parameters[i + 1]
        if sizes[-1] == 1:
            return anp.mean(anp.logaddexp(0, z) - z * targets)
        z = z - anp.max(z, axis=1, keepdims=True)
        return anp.mean(anp.log(anp.sum(anp.exp(z), axis=1)) - z[rows, classes])

    return loss


def perceptron_on_autograd(dtype, sizes, batch, optimizer, lr):
    """`works.perceptron`, with the update by hand."""
    from autograd import grad

    parameters, x, classes = inputs.layers(sizes, batch, dtype)
    gradient_of, gradients = grad(loss_of_layers(x, classes, sizes)), []
    update = OPTIMIZERS[optimizer](parameters, lr)

    def step(_):
        gradients[:] = gradient_of(parameters)
        update(gradients)

    return [step], lambda: gradients


def hessian_on_autograd(dtype, sizes, batch):
    """`works.hessian`."""
    from autograd import make_hvp

    parameters, x, classes = inputs.layers(sizes, batch, dtype)
    hvp_of, products = make_hvp(loss_of_layers(x, classes, sizes)), []
    vectors = inputs.directions(sizes, dtype)

    def product(_):
        products[:] = hvp_of(parameters)[0](vectors)

    return [product], lambda: products


def scalars_on_micrograd(dtype, formula):
    """`works.scalars`; only the answers are of `dtype`."""
    from micrograd.engine import Value

    M, leaves = types.SimpleNamespace(relu=Value.relu), []

    def forward(_):
        leaves[:] = map(Value, inputs.SCALARS)
        return formula(M, *leaves)

    return [forward, lambda loss: loss.backward()], lambda: [
        np.asarray(leaf.grad, dtype) for leaf in leaves
    ]
