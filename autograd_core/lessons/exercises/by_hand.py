"""Exercises that are done in the step view: the learner runs the backward pass ("You run it")."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

from ...parity.agreement_report import counted
from .judging import judge_numbers

NEAR = 0.006  # of a typed number, which may have been worked out from rounded ones


@dataclass(frozen=True)
class ByHand:
    """What has to come of a backward pass that was run by hand.

    gradients  called without arguments: {name: the leaf's `.grad`}, of PyTorch.
    wrong      wrong turns that are allowed.
    refuses    the node at which a second backward() raises, where that is asked for as well.
    """

    gradients: Callable[[], Mapping[str, torch.Tensor]]
    wrong: int = 2
    refuses: str = ""

    def judge(self, view: object) -> tuple[bool, str]:
        """(whether it was run rightly, a sentence); no sentence as long as nothing was run."""
        you = getattr(view, "you", None)
        if you is None:
            return False, "The step view is asked for: what `watch` has returned."
        if not you or not (you["ran"] or you["wrong"]):
            return False, ""
        if you["ran"] < you["events"]:
            return False, f"{you['ran']} of {you['events']} events have run. Go on in the picture."
        given, wanted = you["gradients"], self.gradients()
        if given.keys() != wanted.keys():
            leaves = ", ".join(wanted)
            return (
                False,
                f"That is another graph: this exercise asks for the gradients of {leaves}.",
            )
        for name, gradient in wanted.items():
            mine = torch.tensor(given[name]["values"]).reshape(given[name]["shape"])
            right, sentence = judge_numbers(
                mine, gradient, NEAR * max(1e-3, gradient.abs().max().item())
            )
            if not right:
                return False, f"At {name}: {sentence[0].lower()}{sentence[1:]}"
        if you["shown"]:
            shown = counted(you["shown"], "event")
            return False, f"{shown} of it ran without you. Press “Once more”, and run all of it."
        turns = counted(len(you["wrong"]), "wrong turn") if you["wrong"] else "no wrong turn"
        if len(you["wrong"]) > self.wrong:
            return False, f"{turns}; at most {self.wrong} are allowed. Press “Once more”."
        if self.refuses and you["refuses"] != self.refuses:
            return False, "Now press “Call backward() again”, and click the node that raises."
        leaves = " and ".join(wanted) if len(wanted) < 3 else f"{len(wanted)} leaves"
        return True, f"You ran {you['events']} events, {turns}. PyTorch has the same at {leaves}."
