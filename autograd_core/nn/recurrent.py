"""Recurrent layers: a cell that takes one step in time, and layers that take all of them.

For a step with input x and hidden state h, σ the sigmoid, ∘ element by element, each W with its
bias:

    RNN     h' = tanh(W x + U h)
    GRU     r, z = σ(W x + U h);  n = tanh(W x + r ∘ (U h));  h' = (1 - z) ∘ n + z ∘ h
    LSTM    i, f, o = σ(W x + U h);  g = tanh(W x + U h);  c' = f ∘ c + i ∘ g;  h' = o ∘ tanh(c')
"""

import math
import warnings

from ..compat.creation import empty, zeros
from ..core.graph import check
from ..ops.inplace import transpose_
from ..ops.shape import cat, stack, transpose, unbind, unsafe_chunk, unsqueeze
from . import functional as F
from . import init
from .module import Module, Parameter


def _rnn_step(activation):
    def step(from_input, weights, h):
        return (activation(F.linear(h, *weights) + from_input()),)

    return step


def _lstm_step(from_input, weights, h, c):
    i, f, g, o = unsafe_chunk(F.linear(h, *weights) + from_input(), 4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    c = f * c + i * g
    return o * c.tanh(), c


def _gru_step(from_input, weights, h):
    x_r, x_z, x_n = unsafe_chunk(from_input(), 3, 1)
    h_r, h_z, h_n = unsafe_chunk(F.linear(h, *weights), 3, 1)
    r, z = (h_r + x_r).sigmoid(), (h_z + x_z).sigmoid()
    n = (x_n + h_n * r).tanh()
    return ((h - n) * z + n,)


_RNN_STEPS = {"tanh": _rnn_step(F.tanh), "relu": _rnn_step(F.relu)}


class _Recurrent(Module):
    """Weights of `gates` blocks of rows, one for each gate, and their biases. `states`: how many
    are carried along.
    """

    gates, states = 1, 1

    def _make(self, suffix, input_size, new):
        sizes = {
            "weight_ih": (input_size,),
            "weight_hh": (self.hidden_size,),
            "bias_ih": (),
            "bias_hh": (),
        }
        for name, columns in sizes.items():
            wanted = self.bias or name.startswith("weight")
            made = (
                Parameter(empty(self.gates * self.hidden_size, *columns, **new)) if wanted else None
            )
            if made is not None or not suffix:
                self.register_parameter(name + suffix, made)

    def _weights(self, kind, suffix=""):
        """The weight and the bias for the input ("ih") or for the hidden state ("hh")."""
        return getattr(self, f"weight_{kind}{suffix}"), (
            getattr(self, f"bias_{kind}{suffix}") if self.bias else None
        )

    def _step(self, *given):
        raise NotImplementedError

    def reset_parameters(self):
        """Uniform within ±1/sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)


# ---- one step ------------------------------------------------------------------------------------


class _Cell(_Recurrent):
    """One step in time: an input (N, input_size) or (input_size), and the hidden state (N,
    hidden_size), zeros if left out.
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        self._make("", input_size, dict(device=device, dtype=dtype))
        self.reset_parameters()

    def forward(self, input, hx=None):
        check(
            input.ndim in (1, 2),
            "{}: Expected input to be 1D or 2D, got {}D instead",
            type(self).__name__,
            input.ndim,
            error=ValueError,
        )
        state = (hx,) if self.states == 1 and hx is not None else hx
        for h in state or ():
            check(
                h.ndim in (1, 2),
                "{}: Expected hidden to be 1D or 2D, got {}D instead",
                type(self).__name__,
                h.ndim,
                error=ValueError,
            )
        rows = input if input.ndim == 2 else unsqueeze(input, 0)
        if state is None:
            state = (zeros(len(rows), self.hidden_size, dtype=input.dtype),) * self.states
        elif input.ndim == 1:
            state = [unsqueeze(h, 0) for h in state]
        check(
            rows.shape[1] == self.input_size,
            "input has inconsistent input_size: got {} expected {}",
            rows.shape[1],
            self.input_size,
        )
        check(
            state[0].shape == (len(rows), self.hidden_size),
            "hidden0 has inconsistent hidden_size or batch: got {}, expected {}",
            list(state[0].shape),
            [len(rows), self.hidden_size],
        )
        state = self._step(
            lambda: F.linear(rows, *self._weights("ih")), self._weights("hh"), *state
        )
        if input.ndim == 1:
            state = tuple(h.squeeze(0) for h in state)
        return state if self.states > 1 else state[0]

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}" + (
            "" if self.bias is True else f", bias={self.bias}"
        )
        return text + (
            f", nonlinearity={self.nonlinearity}"
            if getattr(self, "nonlinearity", "tanh") != "tanh"
            else ""
        )


class RNNCell(_Cell):
    """One step of `RNN`: `h' = tanh(W x + U h)`, or with `nonlinearity="relu"` of relu."""

    def __init__(
        self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None
    ):
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def _step(self, *given):
        check(self.nonlinearity in _RNN_STEPS, "Unknown nonlinearity: {}", self.nonlinearity)
        return _RNN_STEPS[self.nonlinearity](*given)


class LSTMCell(_Cell):
    """One step of `LSTM`: takes and returns the pair (h, c)."""

    gates, states, _step = 4, 2, staticmethod(_lstm_step)


class GRUCell(_Cell):
    """One step of `GRU`."""

    gates, _step = 3, staticmethod(_gru_step)


# ---- all steps -----------------------------------------------------------------------------------


class _Layers(_Recurrent):
    """`num_layers` layers, each of which takes all steps of what the one below gave.

    input   (T, N, input_size), with `batch_first` (N, T, input_size), or without a batch (T,
            input_size).
    hidden  for each layer and direction one: (num_layers · directions, N, hidden_size); zeros if
            left out.
    Returns the last layer's h of each step, shaped as the input, and the hidden state after the
    last step. `bidirectional`: a second row of steps from the end, whose h stand beside the others.
    `dropout`: between layers."""

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=0,
        device=None,
        dtype=None,
    ):
        super().__init__()
        check(
            not proj_size,
            "autograd_core has recurrent layers without proj_size",
            error=NotImplementedError,
        )
        check(
            isinstance(hidden_size, int),
            "hidden_size should be of type int, got: {}",
            type(hidden_size).__name__,
            error=TypeError,
        )
        check(hidden_size > 0, "hidden_size must be greater than zero", error=ValueError)
        check(num_layers > 0, "num_layers must be greater than zero", error=ValueError)
        check(
            isinstance(dropout, (int, float))
            and 0 <= dropout <= 1
            and not isinstance(dropout, bool),
            "dropout should be "
            "a number in range [0, 1] representing the probability of an element being zeroed",
            error=ValueError,
        )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero"
                f" dropout expects num_layers greater than 1, but got dropout={dropout} and"
                f" num_layers={num_layers}",
                stacklevel=3,
            )
        self.input_size, self.hidden_size, self.num_layers, self.bias = (
            input_size,
            hidden_size,
            num_layers,
            bias,
        )
        self.batch_first, self.dropout, self.bidirectional = (
            batch_first,
            float(dropout),
            bidirectional,
        )
        self._directions = ("", "_reverse")[: 1 + bool(bidirectional)]
        for layer in range(num_layers):
            for direction in self._directions:
                self._make(
                    f"_l{layer}{direction}",
                    hidden_size * len(self._directions) if layer else input_size,
                    dict(device=device, dtype=dtype),
                )
        self.reset_parameters()

    def flatten_parameters(self):
        """Nothing to do: there is no other memory to bring them to."""

    def forward(self, input, hx=None):
        check(
            input.ndim in (2, 3),
            "{}: Expected input to be 2D or 3D, got {}D instead",
            type(self).__name__,
            input.ndim,
            error=ValueError,
        )
        batched = input.ndim == 3
        if not batched:
            input = unsqueeze(input, 0 if self.batch_first else 1)
        check(
            input.shape[-1] == self.input_size,
            "input.size(-1) must be equal to input_size. Expected {}, got {}",
            self.input_size,
            input.shape[-1],
        )
        batch = input.shape[0 if self.batch_first else 1]
        wanted = (self.num_layers * len(self._directions), batch, self.hidden_size)
        states = self._first_states(hx, wanted, batched, input.dtype)
        if self.batch_first:
            input = transpose(input, 0, 1)
        states = [unbind(state, 0) for state in states]
        states, layer_out, ends = iter(zip(*states)), input, []
        for layer in range(self.num_layers):
            outs = []
            for direction in self._directions:
                out, end = self._steps(
                    layer_out, next(states), f"_l{layer}{direction}", bool(direction)
                )
                outs.append(out)
                ends.append(end)
            layer_out = outs[0] if len(outs) == 1 else cat(outs, 2)
            if self.dropout and layer < self.num_layers - 1:
                layer_out = F.dropout(layer_out, self.dropout, self.training)
        # c first, as PyTorch records
        last = tuple(stack(list(part), 0) for part in reversed([*zip(*ends)]))[::-1]
        if self.batch_first:
            layer_out = (
                transpose(layer_out, 0, 1)
                if self.states > 1 or layer_out._base
                else transpose_(layer_out, 0, 1)
            )
        if not batched:
            layer_out, last = (
                layer_out.squeeze(0 if self.batch_first else 1),
                tuple(part.squeeze(1) for part in last),
            )
        return layer_out, last if self.states > 1 else last[0]

    def _first_states(self, hx, wanted, batched, dtype):
        """h and perhaps c: each a tensor with one entry for each layer and direction."""
        if hx is None:
            return [zeros(*wanted, dtype=dtype) for _ in range(self.states)]
        states = hx if self.states > 1 else (hx,)
        states = [state if batched else unsqueeze(state, 1) for state in states]
        for state in states:
            check(
                state.shape == wanted, "Expected hidden size {}, got {}", wanted, list(state.shape)
            )
        return states

    def _steps(self, input, state, suffix, backwards):
        parts, weights, outs = (
            unbind(F.linear(input, *self._weights("ih", suffix)), 0),
            self._weights("hh", suffix),
            [],
        )
        for part in reversed(parts) if backwards else parts:
            state = self._step(lambda part=part: part, weights, *state)
            outs.append(state[0])
        return stack(outs[::-1] if backwards else outs, 0), state

    def extra_repr(self):
        usual = {
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0.0,
            "bidirectional": False,
        }
        said = [
            f"{name}={getattr(self, name)}" for name in usual if getattr(self, name) != usual[name]
        ]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *said])


class RNN(_Layers):
    """The simplest recurrent layers: `h' = tanh(W x + U h)`, or with `nonlinearity="relu"` of relu."""

    def __init__(
        self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, **options
    ):
        check(
            nonlinearity in _RNN_STEPS,
            "Unknown nonlinearity '{}'. Select from 'tanh' or 'relu'.",
            nonlinearity,
            error=ValueError,
        )
        super().__init__(input_size, hidden_size, num_layers, bias, **options)
        self.nonlinearity = nonlinearity

    def _step(self, *given):
        return _RNN_STEPS[self.nonlinearity](*given)


class LSTM(_Layers):
    """Long short-term memory (Hochreiter and Schmidhuber 1997). Its hidden state is the pair (h,
    c).
    """

    gates, states, _step = 4, 2, staticmethod(_lstm_step)


class GRU(_Layers):
    """Gated recurrent units (Cho et al. 2014)."""

    gates, _step = 3, staticmethod(_gru_step)
