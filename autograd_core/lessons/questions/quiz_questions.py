"""The ten questions of the quiz, each about something that people who write PyTorch commonly
believe, in the order of the lessons that settle them. A test runs the experiment behind each."""

from dataclasses import dataclass

TEXT = """
graph-made, lesson 01
When is the graph made that `loss.backward()` walks?
- when the network is defined
- when `backward()` is called
* while the forward pass runs
because: Each operation records its node as it runs, so an `if` or a `for` gives another graph
each time.

interior-grad, lesson 02
`h = w * x` and `loss = h.sum()`, where `w` is a parameter. After `loss.backward()`, what is
`h.grad`?
- the gradient of the loss at `h`
* `None`
- zeros
because: The gradient passes through `h`, but only leaves keep it, and tensors that asked with
`retain_grad()`.

step-needs-loss, lesson 03
Which call moves the weights, and what does it read?
- `loss.backward()`, from the loss
- `optimizer.step()`, from the loss
* `optimizer.step()`, from `.grad`
because: `backward()` fills `.grad` and moves nothing. `step()` reads `.grad` and never sees the
loss.

grad-accumulates, lesson 03
`loss1.backward()` and then `loss2.backward()`, and nothing is zeroed. What is in `w.grad`?
* the gradient of `loss1 + loss2`
- the gradient of `loss2`
- the mean of both gradients
because: Every backward adds to `.grad`. That is why it is zeroed between steps.

second-time, lesson 04
`h = w ** 2` is computed once, before the loop. In the loop stand `loss = (h * x).sum()`,
`loss.backward()` and a step on `w`; the second pass raises. What makes it learn as it should?
- `backward(retain_graph=True)`
* computing `h` anew in every pass
- `zero_grad()` before `backward()`
because: The first pass freed the `w` that `w ** 2` had saved. Retained, it is stale after the
step, and raises again.

in-place, lesson 05
A tensor of the graph is changed in place before `backward()`. When does `backward()` raise?
- always
* when a node had saved that tensor for its rule
- never, it uses the new numbers
because: A saved tensor carries a version number. `backward()` compares it, and minds no other
change.

where-nan, lesson 06
`loss = torch.where(p > 0, torch.log(p), 0.0).sum()` at `p = 0`. The loss is 0. What is `p.grad`?
- 0, for that branch was not taken
- `None`
* `nan`
because: `where` sends 0 into the dead branch, and the slope of `log` makes 0 times infinity of
it.

which-head, lesson 08
Several heads, one summed loss. How does autograd know which loss belongs to which head?
* it follows the edges from each term to what computed it
- the terms must be added in the order of the heads
- each head needs its own `backward()`
because: No path leads from one head's term to another head, so its gradient there is zero.

frozen, lesson 11
`loss = net2(net1(x))`, and all parameters of `net2` have `requires_grad=False`. What gradient do
the parameters of `net1` get?
- none
- zeros
* the same as when `net2` is not frozen
because: Freezing stops what is kept at `net2`'s own weights. The gradient of its input still
passes.

zero-gradient, lesson 12
A weight's `.grad` is exactly 0 in this step. Can `optimizer.step()` move the weight?
- no optimizer can
* yes: momentum, weight decay or Adam's memory can
- only if the learning rate is large
because: `step()` adds what it remembers and what decays. Plain SGD has neither; a `.grad` of
`None` is skipped.
"""
"""For each question its key in the file of answers and the lesson that settles it, the question, its
choices (the right one has a star), and what is told in the end."""


@dataclass(frozen=True)
class QuizQuestion:
    """`right` is the index of the one right choice; `lesson` is "03"."""

    key: str
    lesson: str
    text: str
    choices: tuple[str, ...]
    right: int
    why: str


def _read(block: str) -> QuizQuestion:
    head, *lines = block.splitlines()
    marks = [i for i, line in enumerate(lines) if line[:2] in ("- ", "* ")]
    text, why = (" ".join(part) for part in (lines[: marks[0]], lines[marks[-1] + 1 :]))
    return QuizQuestion(
        *head.split(", lesson "),
        text,
        tuple(lines[i][2:] for i in marks),
        next(place for place, i in enumerate(marks) if lines[i][0] == "*"),
        why.removeprefix("because: "),
    )


QUESTIONS = tuple(map(_read, TEXT.strip().split("\n\n")))
