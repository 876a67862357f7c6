"""Recurrent layers, which take all steps in time.

For a step with input x and hidden state h, σ the sigmoid, ∘ element by element, each W with its
bias:

    RNN     h' = tanh(W x + U h)
    GRU     r, z = σ(W x + U h);  n = tanh(W x + r ∘ (U h));  h' = (1 - z) ∘ n + z ∘ h
    LSTM    i, f, o = σ(W x + U h);  g = tanh(W x + U h);  c' = f ∘ c + i ∘ g;  h' = o ∘ tanh(c')
"""

import itertools
import math

from ..compat.creation import empty, zeros
from ..compat.tensor import Tensor
from ..core.graph import check
from ..ops.shape import cat, stack, transpose, transpose_temporary, unbind, unsafe_chunk
from . import functional as F
from . import init
from .module import Module, Parameter


class _Recurrent(Module):
    """`num_layers` layers, each of which takes all steps of what the one below gave.

    input   (T, N, input_size), or with `batch_first` (N, T, input_size).
    hidden  (num_layers · directions, N, hidden_size), zeros if left out; two of them for two `states`.
    Returns the last layer's h of each step, shaped as the input, and the hidden state after the
    last step. `bidirectional`: a second row of steps from the end, whose h stand beside the others.
    `dropout`: between layers.

    A weight has `gates` blocks of rows; `_step(x, suffix, *states)` gives the next states, from W x.
    """

    gates, states = 1, 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        *,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__()
        check(hidden_size > 0, "hidden_size must be greater than zero", error=ValueError)
        check(num_layers > 0, "num_layers must be greater than zero", error=ValueError)
        check(0 <= dropout <= 1, "dropout should be a number in range [0, 1]", error=ValueError)
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional = bidirectional
        self._directions = ("", "_reverse") if bidirectional else ("",)
        rows = self.gates * hidden_size
        for layer, direction in itertools.product(range(num_layers), self._directions):
            below = hidden_size * len(self._directions) if layer else input_size
            sizes = {"weight_ih": (rows, below), "weight_hh": (rows, hidden_size)}
            if bias:
                sizes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
            for name, size in sizes.items():
                made = Parameter(empty(size, device=device, dtype=dtype))
                self.register_parameter(f"{name}_l{layer}{direction}", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Uniform within ±1/sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def flatten_parameters(self) -> None:
        """Nothing to do: there is no other memory to bring them to."""

    def forward(self, input: Tensor, hx=None) -> tuple:
        states, ends = self._first_states(hx, input), []
        steps = transpose(input, 0, 1) if self.batch_first else input
        states = iter(zip(*(unbind(state, 0) for state in states)))
        for layer in range(self.num_layers):
            outs = []
            for direction in self._directions:
                out, end = self._all_steps(steps, next(states), f"_l{layer}{direction}")
                outs.append(out)
                ends.append(end)
            steps = outs[0] if len(outs) == 1 else cat(outs, 2)
            if self.dropout and layer < self.num_layers - 1:
                steps = F.dropout(steps, self.dropout, self.training)
        # c first, as PyTorch records
        last = tuple(stack(list(part), 0) for part in reversed([*zip(*ends)]))[::-1]
        if self.batch_first:
            steps = (transpose_temporary if self.states == 1 else transpose)(steps, 0, 1)
            if self.states == 1:  # PyTorch turns it in place
                steps._bump_version()
        return steps, last if self.states > 1 else last[0]

    def _first_states(self, hx, input):
        """h and perhaps c: each a tensor with one entry for each layer and direction."""
        if input.ndim != 3:
            raise ValueError(f"{type(self).__name__}: Expected 3D input, got {input.ndim}D instead")
        size, given = self.input_size, input.shape[2]
        words = "input.size(-1) must be equal to input_size. Expected {}, got {}"
        check(given == size, words, size, given)
        count = self.num_layers * len(self._directions)
        wanted = (count, input.shape[0 if self.batch_first else 1], self.hidden_size)
        if hx is None:
            return [zeros(*wanted, dtype=input.dtype) for _ in range(self.states)]
        states = hx if self.states > 1 else (hx,)
        for h in states:
            check(h.shape == wanted, "Expected hidden size {}, got {}", wanted, list(h.shape))
        return states

    def _all_steps(self, input, states, suffix):
        """h of each step, and the states after the last one."""
        parts, outs = unbind(self._linear(input, "ih", suffix), 0), []
        backwards = suffix.endswith("_reverse")
        for part in reversed(parts) if backwards else parts:
            states = self._step(part, suffix, *states)
            outs.append(states[0])
        return stack(outs[::-1] if backwards else outs, 0), states

    def _linear(self, x, kind, suffix):
        """W x of a direction and layer ("ih"), or U h ("hh")."""
        bias = getattr(self, f"bias_{kind}{suffix}") if self.bias else None
        return F.linear(x, getattr(self, f"weight_{kind}{suffix}"), bias)

    def extra_repr(self) -> str:
        usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0}
        return self._other_than(
            {**usual, "bidirectional": False}, self.input_size, self.hidden_size
        )


class RNN(_Recurrent):
    """The simplest recurrent layers: `h' = tanh(W x + U h)`."""

    def _step(self, x, suffix, h):
        return (F.tanh(self._linear(h, "hh", suffix) + x),)


class LSTM(_Recurrent):
    """Long short-term memory (Hochreiter, Schmidhuber 1997). Its state is the pair (h, c)."""

    gates, states = 4, 2

    def _step(self, x, suffix, h, c):
        i, f, g, o = unsafe_chunk(self._linear(h, "hh", suffix) + x, 4, 1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        c = f * c + i * g
        return o * c.tanh(), c


class GRU(_Recurrent):
    """Gated recurrent units (Cho et al. 2014)."""

    gates = 3

    def _step(self, x, suffix, h):
        x_r, x_z, x_n = unsafe_chunk(x, 3, 1)
        h_r, h_z, h_n = unsafe_chunk(self._linear(h, "hh", suffix), 3, 1)
        r, z = (h_r + x_r).sigmoid(), (h_z + x_z).sigmoid()
        n = (x_n + h_n * r).tanh()
        return ((h - n) * z + n,)
