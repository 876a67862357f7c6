"""Check a backward rule: compare it with finite differences, coordinate by coordinate.

The derivative ∂output/∂input at one coordinate is about (f(x + eps) − f(x − eps)) / 2 eps. With
eps = 1e-6, it has about nine correct digits in float64, and hardly two in float32. Gradients below
`atol` aren't checked, a kink has no slope, and the result holds only for the tested point. PyTorch's
check sends unit vectors, so a rule that squares its gradient passes. This check also sends a random
vector. Otherwise, it is like `torch.autograd.gradcheck`. See lesson 14."""

import warnings

import numpy as np

from ..core.graph import check
from ..core.tensor import TensorBase, wrap
from .entry import as_tuple
from .functional import pull
from .grad_mode import no_grad


class GradcheckError(RuntimeError):
    """A backward rule disagrees with finite differences, or with itself."""


def _outputs(func, inputs):
    """The floating-point results of `func`, each with its index among all results."""
    found = enumerate(as_tuple(func(*inputs)))
    return [(i, t) for i, t in found if isinstance(t, TensorBase) and t.is_floating_point()]


def _flat(tensor):
    return np.array(tensor._array, dtype=np.float64).ravel()


def _numerical(func, inputs, x, eps):
    """For each output, its Jacobian in `x` by central differences: (output elements, x elements)."""
    memory, columns = x._storage(), []
    for index in np.ndindex(memory.shape):
        middle, sides = memory[index], []
        try:
            for moved in (middle + eps, middle - eps):
                memory[index] = moved
                with no_grad():
                    sides.append([_flat(out) for _, out in _outputs(func, inputs)])
        finally:
            memory[index] = middle
        columns.append([(up - down) / (2 * eps) for up, down in zip(*sides)])
    return [np.stack(column, axis=1) for column in zip(*columns)]


def _pull(out, x, v):
    """vᵀJ by a backward pass, flattened, for an array `v` of any shape."""
    v = wrap(v.astype(out._array.dtype).reshape(out.shape))
    return _flat(pull(out, x, v))


def _compare(what, shapes, atol, rtol, **pair):
    """Raise GradcheckError with the first coordinate where a `pair` of arrays differs, which means
    |a − b| > atol + rtol |b|. `shapes` has {name: shape} of the tensor behind each axis.
    """
    wrong = ~np.isclose(*pair.values(), rtol, atol, equal_nan=True)
    if wrong.any():
        at, places = tuple(np.argwhere(wrong)[0]), []
        for i, (name, shape) in zip(at, shapes.items()):
            places.append(f"{name} coordinate {tuple(map(int, np.unravel_index(i, shape)))}")
        values = [f"{name} {float(array[at])!r}" for name, array in pair.items()]
        raise GradcheckError(f"{what}, at {' and '.join(places)}: {', '.join(values)}")


def _checked(inputs):
    """The inputs that require a gradient, each with its index among all inputs."""
    tensors = [(i, x) for i, x in enumerate(inputs) if isinstance(x, TensorBase)]
    checked = [(i, x) for i, x in tensors if x.requires_grad]
    words = "gradcheck expects at least one input tensor to require gradient"
    check(checked, words, error=ValueError)
    for i, x in checked:
        if x._array.dtype != np.float64:
            words = (
                f"Input #{i} requires gradient and is not a double precision floating point tensor"
            )
            words += ". This check will likely fail if all the inputs are not of double precision."
            warnings.warn(words, UserWarning, stacklevel=4)
    return checked


def _check(func, inputs, eps, atol, rtol):
    checked, outputs = _checked(inputs), _outputs(func, inputs)
    rng = np.random.default_rng(0)
    for i, x in checked:
        for (o, out), numerical in zip(outputs, _numerical(func, inputs, x, eps)):
            between = f"for output {o} with respect to input {i}"
            rows = [_pull(out, x, v) for v in np.eye(out.numel())]
            analytical = np.array(rows).reshape(numerical.shape)
            what, shapes = f"Jacobian mismatch {between}", {"output": out.shape, "input": x.shape}
            _compare(what, shapes, atol, rtol, analytical=analytical, numerical=numerical)
            v, shapes = rng.standard_normal(out.numel()), {"input": x.shape}
            what = f"Backward is not linear {between}: a random gradient v does not give vᵀJ"
            once, again = _pull(out, x, v), _pull(out, x, v)
            _compare(what, shapes, atol, rtol, got=once, expected=v @ analytical)
            what = f"Backward is not reentrant {between}: called twice it gives two results"
            _compare(what, shapes, 0, 0, first=once, then=again)


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True) -> bool:
    """Whether the gradients of `func(*inputs)` agree with finite differences for every input that
    requires a gradient. Inputs should be float64, away from kinks. Like `torch.autograd.gradcheck`.

    eps              the distance by which each coordinate is changed in both directions.
    atol, rtol       |analytical − numerical| ≤ atol + rtol |numerical|.
    raise_exception  if False, return False instead of raising GradcheckError, which names the
                     output, the input, the coordinates and both values.
    """
    try:
        _check(func, as_tuple(inputs), eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True
