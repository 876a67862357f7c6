"""The bar of a training: it says whose it is, and follows the steps of a loop."""

from autograd_core.lessons.progress import progress, progress_bar


def test_the_bar_follows_the_loop():
    bar = progress_bar(steps=4)
    assert (bar.value, bar.max, bar.description) == (0, 4, "0 of 4")
    seen = [(step, bar.value, repr(bar)) for step in progress(range(4), "torch")]
    assert seen == [(step, step, f"torch: {step} of 4") for step in range(4)]
    assert (bar.value, repr(bar)) == (4, "torch: 4 of 4")


def test_a_loop_that_ends_early_leaves_the_bar_where_it_was():
    bar = progress_bar(steps=4)
    for step in progress(range(4), "autograd_core"):
        if step == 2:
            break
    assert repr(bar) == "autograd_core: 2 of 4"


def test_no_steps_are_no_division_by_zero():
    assert [*progress(range(0), "torch")] == []
    assert repr(progress_bar()) == "torch: 0 of 0"


def test_a_long_training_moves_it_by_hundredths():
    bar, moves = progress_bar(steps=5_000), []
    bar.observe(lambda change: moves.append(change["new"]), "value")
    assert [*progress(range(5_000), "torch")] == [*range(5_000)]
    assert moves == [*range(50, 5_001, 50)]
