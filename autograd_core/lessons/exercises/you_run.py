"""Exercises that are done in the step view: the learner runs the backward pass ("You run it")."""

from dataclasses import dataclass

import numpy as np

from ...parity.agreement_report import counted
from ...widgets import GraphView
from .judging import judge_numbers


@dataclass(frozen=True)
class YouRun:
    """A backward pass that the learner runs, in the step view of a pass that PyTorch ran.

    events   how many events it has.
    wrong    wrong turns that are allowed.
    refuses  the node at which a second backward() raises. If given, the learner clicks only this node.
    """

    events: int = 0
    wrong: int = 2
    refuses: str = ""

    def judge(self, view: object) -> tuple[bool, str]:
        """(whether it was run rightly, a sentence); no sentence as long as nothing was run."""
        if not isinstance(view, GraphView):
            return False, "Pass the step view, the return value of `watch`."
        you = view.you
        if "ran" not in you or not (you["ran"] or you["wrong"]):
            return False, ""
        if self.refuses:
            return self._judge_second(you)
        if you["events"] != self.events:
            events = counted(you["events"], "event")
            return False, f"That is another graph: its pass has {events}, not {self.events}."
        if you["ran"] < self.events:
            return False, f"{you['ran']} of {self.events} events have run. Go on in the picture."
        leaves = _gradients(view)
        for name, gradient in leaves.items():
            given = you["gradients"][name]
            mine = np.array(given["values"], float).reshape(given["shape"])
            right, sentence = judge_numbers(mine, gradient, 1e-5)
            if not right:
                return False, f"At {name}: {sentence[0].lower()}{sentence[1:]}"
        if you["shown"]:
            shown = counted(you["shown"], "event")
            return False, f"{shown} of it ran without you. Press “Once more”, and run all of it."
        turns = counted(len(you["wrong"]), "wrong turn") if you["wrong"] else "no wrong turn"
        if len(you["wrong"]) > self.wrong:
            return False, f"{turns}; at most {self.wrong} are allowed. Press “Once more”."
        same = " and ".join(leaves) if len(leaves) < 3 else f"{len(leaves)} leaves"
        return True, f"You ran {self.events} events, {turns}. PyTorch has the same at {same}."

    def _judge_second(self, you: dict) -> tuple[bool, str]:
        if you["refuses"] != self.refuses:
            return False, "Press “Call backward() again”, and click the node that raises."
        turns = len(you["wrong"])
        if turns > self.wrong:
            most = counted(self.wrong, "wrong click")
            return (
                False,
                f"{turns} wrong clicks; at most {most} are allowed. Press the button again.",
            )
        return True, f"The second call raises at {self.refuses}."


def _gradients(view: GraphView) -> dict[str, np.ndarray]:
    """Return {leaf: the `.grad` that PyTorch computed}, with the names that the view shows."""
    events = (view.other or view.trace).events
    return {
        view.trace.nodes[event.node].label: np.asarray(event.after)
        for event in events
        if event.kind == "accumulate"
    }
