"""A loss as lines: edit one of them, and see what gradient arrives at its result and where it goes."""

import ast
import inspect
import linecache
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

STEP = 1e-6  # by how much an output is moved to find the results that depend on it


class Result(NamedTuple):
    """A tensor that a line of a loss computes, if it requires a gradient."""

    line: int
    name: str
    value: Any


def source_of(loss: Callable) -> str:
    """The source of a loss, also of an edited one."""
    return getattr(loss, "source", None) or inspect.getsource(loss)


def compiled(source: str, names: Mapping[str, Any]) -> Callable:
    """The function that `source` defines, with these global names."""
    function = _function(source)
    file, names = f"<{function.name}>", {**names}
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    exec(compile(source, file, "exec"), names)
    loss = names[function.name]
    loss.source = source
    return loss


def _function(source: str) -> ast.FunctionDef:
    function = ast.parse(source).body[0]
    if not isinstance(function, ast.FunctionDef):
        raise TypeError("a loss is a function")
    return function


def on_engine(engine: Any, loss: Callable) -> Callable:
    """The same loss, in which `torch` is this engine."""
    return compiled(source_of(loss), {"torch": engine, "F": engine.nn.functional})


def edited(loss: Callable, line: int, code: str) -> Callable:
    """The loss with another statement at `line`, indented as the old one."""
    lines = source_of(loss).splitlines()
    old = lines[line - 1]
    lines[line - 1] = old[: len(old) - len(old.lstrip())] + code.strip()
    return compiled("\n".join(lines), loss.__globals__)


def moved_up(loss: Callable, line: int) -> Callable:
    """The loss in which `line` and the line above it are exchanged."""
    lines = source_of(loss).splitlines()
    lines[line - 2 : line] = lines[line - 1], lines[line - 2]
    return compiled("\n".join(lines), loss.__globals__)


def results_of(
    loss: Callable, out: Any, truth: Sequence, heard: list | None = None
) -> list[Result]:
    """Run a loss statement by statement: its results that require a gradient, the total last.
    `heard` gets the warnings as (line, message). An error has its line in `error.line`.
    """
    function = _function(source_of(loss))
    names = {**loss.__globals__, **dict(zip([a.arg for a in function.args.args], [out, *truth]))}
    found: list[Result] = []

    def value_of(expression: ast.expr) -> Any:
        return eval(compile(ast.Expression(expression), "<loss>", "eval"), names)

    def execute(statement: ast.stmt) -> bool:
        """Whether the loss returns here."""
        if isinstance(statement, ast.If):
            return run(statement.body if value_of(statement.test) else statement.orelse)
        if isinstance(statement, ast.Return):
            total = value_of(statement.value or ast.Constant(None))
            total.backward  # noqa: B018  a number has none: the error of a training loop
            found.append(Result(statement.lineno, "return", total))
            return True
        exec(compile(ast.Module([statement], []), "<loss>", "exec"), names)
        nodes = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        for name in sorted({node.id for node in nodes if isinstance(node.ctx, ast.Store)}):
            value, here = names[name], [r.value for r in found if r.line == statement.lineno]
            if getattr(value, "requires_grad", False) and not any(value is each for each in here):
                found.append(Result(statement.lineno, name, value))
        return False

    def run(body: list[ast.stmt]) -> bool:
        for statement in body:
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                try:
                    returns = execute(statement)
                except Exception as error:
                    error.line = getattr(error, "line", statement.lineno)  # type: ignore[attr-defined]
                    raise
            if heard is not None:
                heard.extend((statement.lineno, str(each.message).strip()) for each in warned)
            if returns:
                return True
        return False

    if not run(function.body):
        raise TypeError("the loss returns nothing")
    return found


def traced(
    loss: Callable,
    out: Any,
    truth: Sequence,
    heard: list | None = None,
    total_only: bool = False,
) -> list[tuple[Result, Any, Any]]:
    """Return (result, its gradient, the gradient that it sends to the outputs) for each result that
    the total depends on. The last result is the total.
    """
    leaf = out.detach().clone().requires_grad_()
    results = results_of(loss, leaf, truth, heard)[-1 if total_only else 0 :]
    grad = loss.__globals__["torch"].autograd.grad
    return [
        (each, g, grad(each.value, leaf, grad_outputs=g, retain_graph=True)[0])
        for each, g in _arrived(grad, results)
    ]


def lines_of(loss: Callable, out: Any, truth: Sequence) -> dict[tuple[int, str], tuple[Any, Any]]:
    """Return {(line, name of a result): (its gradient, the gradient that it sends to the outputs)}."""
    return {(each.line, each.name): (g, sent) for each, g, sent in traced(loss, out, truth)}


def path_of(loss: Callable, out: Any, truth: Sequence, pixel: int, channel: int) -> dict[int, list]:
    """Return {line: the gradients at those elements of its results that depend on one output}."""
    moved = out.detach().clone()
    moved[pixel, channel] += STEP
    leaf, other = out.detach().clone().requires_grad_(), moved.requires_grad_()
    results = results_of(loss, leaf, truth)
    after = {(line, name): value for line, name, value in results_of(loss, other, truth)}
    path: dict[int, list] = {}
    for (line, name, value), g in _arrived(loss.__globals__["torch"].autograd.grad, results):
        old, new = value.detach(), after.get((line, name), value).detach()
        if old.shape == new.shape:
            differs = (old != new) & ~(old.isnan() & new.isnan())
            if differs.any():
                path[line] = path.get(line, []) + g[differs].tolist()
    return path


def _arrived(grad: Callable, results: list[Result]) -> list[tuple[Result, Any]]:
    """Return (result, its gradient) for each result that the total depends on."""
    values = [each.value for each in results]
    found = grad(values[-1], values, retain_graph=True, allow_unused=True)
    return [(each, g) for each, g in zip(results, found) if g is not None]
