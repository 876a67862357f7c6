"""L-BFGS (Nocedal 1980): steps by the curvature that the last gradients tell, along a line if asked
(Wolfe 1969).
"""

import math
from typing import NamedTuple

import numpy as np

from ..autograd.grad_mode import enable_grad, no_grad
from ..compat.creation import from_numpy
from ..core.graph import check
from .optimizer import Optimizer


class Point(NamedTuple):
    """What was found at the place `t` along a direction d: the loss, the gradient, and the slope
    gradient · d.
    """

    t: float
    loss: float
    gradient: np.ndarray
    slope: float


class LBFGS(Optimizer):
    """Steps against the gradient g, bent by the curvature that the last `history_size` steps s and
    changes y of g showed:

        d ← −H g, H from the pairs (s, y) by two loops, beginning with (s · y) / (y · y)       p ← p
        + t d

    A `step(closure)` makes up to `max_iter` such steps and calls the closure, which clears the
    gradients, computes the loss and runs backward, up to `max_eval` times. t is `lr`, or with
    `line_search_fn="strong_wolfe"` what a search along d finds.

    State, of the first parameter: "d", "t", "old_dirs" (y), "old_stps" (s), "ro" (1 / s · y),
    "H_diag", "prev_flat_grad", "prev_loss", "func_evals", "n_iter", "al". As `torch.optim.LBFGS`.
    """

    def __init__(
        self,
        params,
        lr=1,
        max_iter=20,
        max_eval=None,
        tolerance_grad=1e-7,
        tolerance_change=1e-9,
        history_size=100,
        line_search_fn=None,
    ):
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        super().__init__(
            params,
            dict(
                lr=lr,
                max_iter=max_iter,
                max_eval=max_eval,
                tolerance_grad=tolerance_grad,
                tolerance_change=tolerance_change,
                history_size=history_size,
                line_search_fn=line_search_fn,
            ),
        )
        check(
            len(self.param_groups) == 1,
            "LBFGS doesn't support per-parameter options (parameter groups)",
            error=ValueError,
        )

    def step(self, closure):
        """Steps until the loss no longer changes, or `max_iter` are made. Returns the loss before
        the first one.
        """
        with no_grad():
            return self._steps(enable_grad()(closure))

    def _steps(self, closure):
        (group,) = self.param_groups
        state = self.state[group["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = closure()
        loss, g, calls = float(first), self._flat_gradient(), 1
        state["func_evals"] += 1
        if np.abs(g).max(initial=0) <= group["tolerance_grad"]:
            return first
        for n in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            d = self._direction(state, g, group["history_size"])
            state["prev_flat_grad"], before = from_numpy(g.copy()), loss
            t = (
                min(1.0, 1.0 / float(np.abs(g).sum())) * group["lr"]
                if state["n_iter"] == 1
                else group["lr"]
            )
            state["d"], state["t"], state["prev_loss"] = from_numpy(d), t, before
            slope = float(g @ d)
            if slope > -group["tolerance_change"]:
                break
            if group["line_search_fn"] is not None:
                check(group["line_search_fn"] == "strong_wolfe", "only 'strong_wolfe' is supported")
                point, more = self._search(closure, Point(0, loss, g, slope), t, d)
                t, loss, g = point.t, point.loss, point.gradient
                state["t"] = t
                self._add(t, d)
            else:
                self._add(t, d)
                more = int(n != group["max_iter"])
                if more:
                    loss, g = float(closure()), self._flat_gradient()
            calls += more
            state["func_evals"] += more
            if calls >= group["max_eval"] or np.abs(g).max() <= group["tolerance_grad"]:
                break
            if (
                np.abs(d * t).max() <= group["tolerance_change"]
                or abs(loss - before) < group["tolerance_change"]
            ):
                break
        return first

    @staticmethod
    def _direction(state, g, history_size):
        """−H g, after the last step has been added to what is remembered."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return -g
        y, s = g - state["prev_flat_grad"]._array, state["d"]._array * g.dtype.type(state["t"])
        curvature = float(y @ s)
        kept = state["old_dirs"], state["old_stps"], state["ro"]
        if curvature > 1e-10:
            for remembered, new in zip(kept, (from_numpy(y), from_numpy(s), 1.0 / curvature)):
                if len(remembered) == history_size:
                    del remembered[0]
                remembered.append(new)
            state["H_diag"] = curvature / float(y @ y)
        pairs, parts = [(y._array, s._array, ro) for y, s, ro in zip(*kept)], []
        q = -g
        for y, s, ro in reversed(pairs):
            parts.append(g.dtype.type(float(s @ q) * ro))
            q = q - parts[-1] * y
        q = q * g.dtype.type(state["H_diag"])
        state["al"] = [float(part) for part in reversed(parts)]
        for (y, s, ro), part in zip(pairs, reversed(parts)):
            q = q + s * (part - g.dtype.type(float(y @ q) * ro))
        return q

    def _search(self, closure, start, t, d):
        """(a point along d where loss and slope fell enough, how often the closure was called)."""
        parameters = [p._array.copy() for p in self._parameters()]
        calls = 0

        def at(t):
            nonlocal calls
            calls += 1
            self._add(t, d)
            loss, g = float(closure()), self._flat_gradient()
            for p, before in zip(self._parameters(), parameters):
                p._storage()[...] = before
                p._bump_version()
            return Point(t, loss, g, float(g @ d))

        return strong_wolfe(at, start, t, float(np.abs(d).max())), calls

    def _flat_gradient(self):
        return np.concatenate(
            [
                np.zeros(p.numel(), p._array.dtype) if p.grad is None else p.grad._array.reshape(-1)
                for p in self._parameters()
            ]
        )

    def _add(self, t, d):
        """Move the parameters by `t` times the direction `d`."""
        start = 0
        for p in self._parameters():
            p._storage()[...] += (d[start : start + p.numel()] * d.dtype.type(t)).reshape(p.shape)
            p._bump_version()
            start += p.numel()


def strong_wolfe(at, start, t, size, c1=1e-4, c2=0.9, least=1e-9, tries=25):
    """The point `at(t)` at which the loss fell by at least c1 of what the slope foretold, and the
    slope to c2 of itself.

    First steps that grow until a bracket [a, b] holds such a point, then ever smaller brackets, by
    cubic interpolation. size  the greatest entry of the direction: a bracket that moves no
                               parameter by `least` is left alone.
    """

    def fell(point):
        return point.loss <= start.loss + c1 * point.t * start.slope

    def flat(point):
        return abs(point.slope) <= -c2 * start.slope

    before, new, tried, done, bracket = start, at(t), 0, False, None
    while tried < tries:
        if (
            not fell(new)
            or tried > 1
            and new.loss >= before.loss
            or not flat(new)
            and new.slope >= 0
        ):
            bracket = [before, new]
            break
        if flat(new):
            bracket, done = [new], True
            break
        bounds = new.t + 0.01 * (new.t - before.t), new.t * 10
        before, new = new, at(cubic_minimum(before, new, bounds))
        tried += 1
    bracket = bracket or [start, new]
    low, high, stuck = *_lower_first(bracket), False
    while not done and tried < tries and abs(bracket[1].t - bracket[0].t) * size >= least:
        t = cubic_minimum(*bracket)
        left, right = sorted(point.t for point in bracket)
        margin = 0.1 * (right - left)
        # too near to an end: the second time, move away from it
        near = min(right - t, t - left) < margin
        if near and (stuck or not left < t < right):
            t, near = right - margin if abs(t - right) < abs(t - left) else left + margin, False
        stuck = near
        new = at(t)
        tried += 1
        if not fell(new) or new.loss >= bracket[low].loss:
            bracket[high] = new
            low, high = _lower_first(bracket)
            continue
        done = flat(new)
        if not done and new.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = new
    return bracket[low]


def _lower_first(bracket):
    return (0, 1) if bracket[0].loss <= bracket[-1].loss else (1, 0)


def cubic_minimum(a, b, bounds=None):
    """Where the cubic through two points, with their slopes, is least, within `bounds` (by default
    between the points).
    """
    least, most = bounds or sorted((a.t, b.t))
    first = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = first * first - a.slope * b.slope
    if square < 0:
        return (least + most) / 2
    root = math.sqrt(square)
    if a.t > b.t:
        a, b = b, a
    return min(
        max(b.t - (b.t - a.t) * ((b.slope + root - first) / (b.slope - a.slope + 2 * root)), least),
        most,
    )
