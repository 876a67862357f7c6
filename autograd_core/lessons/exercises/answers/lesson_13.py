"""Lesson 13, debug the loop: what PyTorch answers to its exercises."""

from ..check import Function, Loss, exercise


@exercise(
    "13.1",
    mistakes={
        "In 2 it is the same tensor with other memory: the optimizer still holds it": [
            "stays",
            "stays",
            "nan",
            "stays",
        ],
        "In 3 the branch that was not chosen sends 0 times infinity": [
            "stays",
            "moves",
            "moves",
            "stays",
        ],
        "In 4 the optimizer moves the leaf; the new `w` is a result, computed before": [
            "stays",
            "moves",
            "nan",
            "moves",
        ],
        "In 1 the detached number is a new leaf: nothing leads from it to `w`": [
            "moves",
            "moves",
            "nan",
            "stays",
        ],
        "In 3 look at the gradient, not at the loss": ["stays", "moves", "stays", "stays"],
        "Two are wrong. In 3 a branch was not chosen; in 4 it is the leaf that moves": [
            "stays",
            "moves",
            "moves",
            "moves",
        ],
        "Two are wrong. Which leaf does the optimizer hold, in 1 and in 4?": [
            "moves",
            "moves",
            "nan",
            "moves",
        ],
        "Two are wrong. Which memory does the optimizer write, in 2 and in 4?": [
            "stays",
            "stays",
            "nan",
            "moves",
        ],
    },
)
def which_loops_move_the_weight(torch):
    def stays_a_leaf(w):
        (w**2).detach().requires_grad_().backward()
        return w

    def gets_other_memory(w):
        w.data = w.data.clone()
        (w**2).backward()
        return w

    def has_a_dead_branch(w):
        torch.where(w > 9, torch.sqrt(w - 4), w).backward()
        return w

    def is_a_result(w):
        w = w * 1.0
        (w**2).backward()
        return w

    def outcome(loop):
        leaf = torch.tensor([4.0], requires_grad=True)
        optimizer = torch.optim.SGD([leaf], lr=0.1)
        w = loop(leaf)
        optimizer.step()
        return "nan" if w.isnan().any() else "stays" if w.item() == 4 else "moves"

    loops = stays_a_leaf, gets_other_memory, has_a_dead_branch, is_a_result
    return {"outcomes": [outcome(loop) for loop in loops]}


@exercise(
    "13.2",
    mistakes={
        "If all losses are 1 this is 2": lambda a, b: a.mean() + b.mean(),
        "Every point counts the same here, so the rare ones together count an eighth of the common": lambda a, b: (
            (a.sum() + b.sum()) / 36
        ),
        "Sums: the common loader weighs 32, the rare one 4": lambda a, b: a.sum() + b.sum(),
        "A sum and a mean: that is patient 6": lambda a, b: a.sum() + b.mean(),
        "The rare ones are counted too much: 32 / 4 = 8 for each, not more": lambda a, b: (
            (a.sum() + 32 * b.sum()) / 160
        ),
        "Only the rare ones learn": lambda a, b: b.mean() + 0 * a.sum(),
    },
)
def two_loaders_that_weigh_the_same(torch):
    def loss(common, rare):
        return (common.sum() / 32 + rare.sum() / 4) / 2

    return {"loss": Loss(loss, {"common": (32,), "rare": (4,)})}


@exercise(
    "13.3",
    mistakes={
        "The learning rate is missing": lambda w, g: g.norm() / w.norm(),
        "That is the length of the step, not its fraction of `w`": lambda w, g: 0.1 * g.norm(),
        "The fraction is upside down": lambda w, g: w.norm() / (0.1 * g.norm()),
        "Divide lengths, not numbers one by one": lambda w, g: (0.1 * g / w).norm(),
        "The root is missing: a length is the root of the sum of squares": lambda w, g: (
            0.1 * (g**2).sum() / (w**2).sum()
        ),
        "That is how far it lands from 0, not how far it goes": lambda w, g: (
            (w - 0.1 * g).norm() / w.norm()
        ),
        "The fraction is of the length before the step": lambda w, g: (
            0.1 * g.norm() / (w - 0.1 * g).norm()
        ),
        "That is by how much the length changes; a step may go sideways": (
            lambda w, g: (w.norm() - (w - 0.1 * g).norm()) / w.norm(),
            lambda w, g: ((w - 0.1 * g).norm() - w.norm()) / w.norm(),
        ),
        "A length is the root of the sum of squares, not a sum of sizes": lambda w, g: (
            0.1 * g.abs().sum() / w.abs().sum()
        ),
        "How far it goes has no sign": lambda w, g: -0.1 * g.norm() / w.norm(),
    },
)
def how_far_a_step_goes(torch):
    def fraction(w, gradient):
        moved = w.clone().requires_grad_()
        moved.grad = gradient
        torch.optim.SGD([moved], lr=0.1).step()
        return (moved.detach() - w).norm() / w.norm()

    return {
        "fraction": Function(
            fraction,
            {"w": (5,), "gradient": (5,)},
            cases=[
                (torch.tensor([3.0, 4.0]), torch.tensor([0.0, -100.0])),
                (torch.tensor([-0.5]), torch.zeros(1)),
                (torch.tensor([[3.0, 0.0], [0.0, 4.0]]), torch.tensor([[1.0, 2.0], [0.0, -2.0]])),
            ],
        )
    }
