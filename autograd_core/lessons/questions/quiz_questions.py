"""The ten questions of the quiz, in the order of the lessons that settle them.

Each is about something that people who write PyTorch commonly believe. `right` is the index of the
one right choice; a test runs the experiment behind every question and compares.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class QuizQuestion:
    """`key` names the question in the file of answers; `lesson` ("03") settles it; `why` is told in
    the end.
    """

    key: str
    text: str
    choices: tuple[str, ...]
    right: int
    lesson: str
    why: str


QUESTIONS = (
    QuizQuestion(
        key="graph-made",
        text="When is the graph made that `loss.backward()` walks?",
        choices=(
            "when the network is defined",
            "when `backward()` is called",
            "while the forward pass runs",
        ),
        right=2,
        lesson="01",
        why=(
            "Each operation records its node as it runs, so an `if` or a `for` gives another graph"
            " each time."
        ),
    ),
    QuizQuestion(
        key="interior-grad",
        text=(
            "`h = w * x` and `loss = h.sum()`, where `w` is a parameter. After `loss.backward()`,"
            " what is `h.grad`?"
        ),
        choices=("the gradient of the loss at `h`", "`None`", "zeros"),
        right=1,
        lesson="02",
        why=(
            "The gradient passes through `h`, but only leaves keep it, and tensors that asked with"
            " `retain_grad()`."
        ),
    ),
    QuizQuestion(
        key="step-needs-loss",
        text="Which call moves the weights, and what does it read?",
        choices=(
            "`loss.backward()`, from the loss",
            "`optimizer.step()`, from the loss",
            "`optimizer.step()`, from `.grad`",
        ),
        right=2,
        lesson="03",
        why=(
            "`backward()` fills `.grad` and moves nothing. `step()` reads `.grad` and never sees"
            " the loss."
        ),
    ),
    QuizQuestion(
        key="grad-accumulates",
        text=(
            "`loss1.backward()` and then `loss2.backward()`, and nothing is zeroed. What is in"
            " `w.grad`?"
        ),
        choices=(
            "the gradient of `loss1 + loss2`",
            "the gradient of `loss2`",
            "the mean of both gradients",
        ),
        right=0,
        lesson="03",
        why="Every backward adds to `.grad`. That is why it is zeroed between steps.",
    ),
    QuizQuestion(
        key="second-time",
        text=(
            "`h = w ** 2` is computed once, before the loop. In the loop stand `loss = (h *"
            " x).sum()`, `loss.backward()` and a step on `w`; the second pass raises. What makes it"
            " learn as it should?"
        ),
        choices=(
            "`backward(retain_graph=True)`",
            "computing `h` anew in every pass",
            "`zero_grad()` before `backward()`",
        ),
        right=1,
        lesson="04",
        why=(
            "The first pass freed the `w` that `w ** 2` had saved. Retained, it is stale after the"
            " step, and raises again."
        ),
    ),
    QuizQuestion(
        key="in-place",
        text=(
            "A tensor of the graph is changed in place before `backward()`. When does `backward()`"
            " raise?"
        ),
        choices=(
            "always",
            "when a node had saved that tensor for its rule",
            "never, it uses the new numbers",
        ),
        right=1,
        lesson="05",
        why=(
            "A saved tensor carries a version number. `backward()` compares it, and minds no other"
            " change."
        ),
    ),
    QuizQuestion(
        key="where-nan",
        text=(
            "`loss = torch.where(p > 0, torch.log(p), 0.0).sum()` at `p = 0`. The loss is 0. What"
            " is `p.grad`?"
        ),
        choices=("0, for that branch was not taken", "`None`", "`nan`"),
        right=2,
        lesson="06",
        why=(
            "`where` sends 0 into the dead branch, and the slope of `log` makes 0 times infinity"
            " of it."
        ),
    ),
    QuizQuestion(
        key="which-head",
        text=(
            "Several heads, one summed loss. How does autograd know which loss belongs to which"
            " head?"
        ),
        choices=(
            "it follows the edges from each term to what computed it",
            "the terms must be added in the order of the heads",
            "each head needs its own `backward()`",
        ),
        right=0,
        lesson="08",
        why="No path leads from one head's term to another head, so its gradient there is zero.",
    ),
    QuizQuestion(
        key="frozen",
        text=(
            "`loss = net2(net1(x))`, and all parameters of `net2` have `requires_grad=False`. "
            "What gradient do the parameters of `net1` get?"
        ),
        choices=("none", "zeros", "the same as when `net2` is not frozen"),
        right=2,
        lesson="11",
        why=(
            "Freezing stops what is kept at `net2`'s own weights. The gradient of its input still"
            " passes."
        ),
    ),
    QuizQuestion(
        key="zero-gradient",
        text=(
            "A weight's `.grad` is exactly 0 in this step. Can `optimizer.step()` move the weight?"
        ),
        choices=(
            "no optimizer can",
            "yes: momentum, weight decay or Adam's memory can",
            "only if the learning rate is large",
        ),
        right=1,
        lesson="12",
        why=(
            "`step()` adds what it remembers and what decays. Plain SGD has neither; a `.grad` of"
            " `None` is skipped."
        ),
    ),
)
