"""Functions of PyTorch that are wrapped while something records."""

import contextlib

from autograd_core.parity.torch_tape import wrapped


class Owner:
    def method(self):
        return "done"


def test_a_block_that_ends_while_a_call_begins_disturbs_no_other():
    """Another thread may end its block at any moment: no other is skipped, or entered twice."""
    first, entered = contextlib.ExitStack(), []

    def during(name, then=lambda: None):
        @contextlib.contextmanager
        def context(_owner):
            entered.append(name)
            then()
            yield

        return context

    first.enter_context(wrapped(Owner, "method", during("first")))
    second, third = during("second"), during("third", first.close)
    with wrapped(Owner, "method", second), wrapped(Owner, "method", third):
        assert Owner().method() == "done"
    assert entered.count("second") == entered.count("third") == 1
    assert vars(Owner)["method"].__name__ == "method" and Owner().method() == "done"
    assert entered.count("third") == 1
