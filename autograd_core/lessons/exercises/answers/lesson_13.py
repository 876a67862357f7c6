"""Lesson 13, debug the loop: what PyTorch answers to its exercises."""

from ..check import Function, Loss, exercise


@exercise("13.1")
def which_loops_move_the_weight(torch):
    def stays_a_leaf(w):
        (w ** 2).detach().requires_grad_().backward()
        return w

    def gets_other_memory(w):
        w.data = w.data.clone()
        (w ** 2).backward()
        return w

    def has_a_dead_branch(w):
        torch.where(w > 9, torch.sqrt(w - 4), w).backward()
        return w

    def is_a_result(w):
        w = w * 1.0
        (w ** 2).backward()
        return w

    def outcome(loop):
        leaf = torch.tensor([4.0], requires_grad=True)
        optimizer = torch.optim.SGD([leaf], lr=0.1)
        w = loop(leaf)
        optimizer.step()
        return "nan" if w.isnan().any() else "stays" if w.item() == 4 else "moves"

    loops = stays_a_leaf, gets_other_memory, has_a_dead_branch, is_a_result
    return {"outcomes": [outcome(loop) for loop in loops]}


@exercise("13.2")
def two_loaders_that_weigh_the_same(torch):
    def loss(common, rare):
        return (common.sum() / 32 + rare.sum() / 4) / 2
    return {"loss": Loss(loss, {"common": (32,), "rare": (4,)})}


@exercise("13.3")
def how_far_a_step_goes(torch):
    def fraction(w, gradient):
        moved = w.clone().requires_grad_()
        moved.grad = gradient
        torch.optim.SGD([moved], lr=0.1).step()
        return (moved.detach() - w).norm() / w.norm()
    return {"fraction": Function(fraction, {"w": (5,), "gradient": (5,)})}
