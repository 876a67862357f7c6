"""Recording switched on and off, against PyTorch: contexts, decorators, generators, threads."""

import threading

import autograd_core
from tests.engines import leaves, on_both, raised


@on_both
def test_grad_modes(T):
    (a,) = leaves(T, 1)
    seen = []

    def note():
        seen.append((T.is_grad_enabled(), (a * 2).requires_grad))

    with T.no_grad():
        note()
        with T.enable_grad():
            note()
            with T.set_grad_enabled(False):
                note()
            note()
        note()
    T.no_grad()(note)()
    T.enable_grad()(note)()
    T.set_grad_enabled(False)
    note()
    T.set_grad_enabled(True)
    note()

    @T.no_grad()
    def outer():
        note()
        inner()
        note()

    @T.enable_grad()
    def inner():
        note()
        raise_inside()

    @T.set_grad_enabled(False)
    def raise_inside():
        note()

    outer()
    note()
    return seen


@on_both
def test_grad_mode_is_restored_after_an_error(T):
    def fail():
        with T.no_grad():
            raise KeyError

    return raised(fail), T.is_grad_enabled(), raised(T.no_grad()(fail)), T.is_grad_enabled()


@on_both
def test_one_context_entered_twice(T):
    context, seen = T.no_grad(), []
    with context:
        seen.append(T.is_grad_enabled())
    with context:
        seen.append(T.is_grad_enabled())
    return seen, T.is_grad_enabled()


def test_a_generator_is_not_decorated():
    def generate():
        yield 1

    assert isinstance(raised(autograd_core.no_grad(), generate), NotImplementedError)


@on_both
def test_grad_mode_belongs_to_the_thread(T):
    seen = []
    with T.no_grad():
        thread = threading.Thread(target=lambda: seen.append(T.is_grad_enabled()))
        thread.start()
        thread.join()
    return seen
