"""The sentences of `report` and `follow`, by status.

A sentence of WHY comes after the name of one parameter or the names of several, so it refers to them
neither as "it" nor as "they". A sentence of FOLLOW comes after one name.
"""

STATUSES = {  # status of a parameter -> its words in the report's line, in that order
    "trained": "trained",
    "nan": "with nan or inf in the gradient",
    "only rounding": "with only rounding in the gradient",
    "zero": "with a gradient of 0",
    "frozen": "frozen (requires_grad=False)",
    "cut": "cut",
    "unused": "not reached",
    "unregistered": "registered nowhere",
    "cannot tell": "cannot tell",
}

WHY = {  # a status, or a status and a case of it -> the sentence in its row
    "frozen": "requires_grad=False.",
    "cut": "The path to the loss ends at {at}.",
    "cut, new graph": "The path to the loss ends at {at}. A new graph starts there.",
    "cut, not sent": "The pass ran through the graph and brought no gradient.",
    "not sent by": "Nothing was sent by {places}.",
    "unused": "No recorded operation used this.",
    "unused, lost": (
        "No recorded path leads to the loss. Numbers taken by item(), tolist() or numpy() are not"
        " followed."
    ),
    "unregistered": "Used {place}, registered nowhere{how}.",
    "zero": "The gradient is 0.",
    "zero from": "From {places} on.",
    "zero until": "From {places} on. {gate} is close to 0 there, and moves.",
    "zero, cancels": "Nonzero gradients were sent to {place}: a hook changed them, or they cancel.",
    "nan": "The gradient contains nan or inf, and a step would write it into the parameter.",
    "rounding": "The gradient is 0 except for rounding.",
    "rounding from": (
        "At {places}, the terms of a sum cancel to {left}, and their rounding errors are up to"
        " {errors}. Adam turns this into full steps: remove the parameter (bias=False), or change what"
        " cancels."
    ),
    "cannot tell": "No path leads to the loss.",  # without a recording, the rest is unknown
    "cannot tell, no pass": "No backward pass is known.",
    "cannot tell, checkpoint": "A checkpoint may bring a gradient in a pass that it runs on its own.",
}

NOTES = {  # the report's notes about what its answer depends on
    "masks": "inf in {where} is intended: all consumers turn it to finite numbers",
    "no model": "report(loss, model) would name the parameters of the model, and count them all.",
    "not recorded": "Compute the loss inside watching() to see values, lines and why a path ends.",
}

UNTOLD = {  # why `raise_if` cannot tell
    "no pass": "no backward pass of this loss is known.",
    "no numbers": "NumPy has no form for the numbers of a gradient.",
    "no values": "not all values are known: compute the loss inside watching().",
    "no reason": "why no gradient arrives is not known: compute the loss inside watching().",
    "no model": "which parameters should get a gradient isn't known: report(loss, model) knows.",
}

FOLLOW = {  # a kind of surprise, or a kind and a case of it -> its sentence
    "none": (
        "no step found a gradient: was backward() called before step(), on a loss that was computed"
        " from them?"
    ),
    "none, taken away": (
        "no step found a gradient {when}, though backward() brought some: set to None before step()"
    ),
    "none, one": (
        "the optimizer holds it, but no step found a gradient: is it used, and does a path lead from"
        " it to the loss?"
    ),
    "twice": (
        "its .grad still held the gradient of step {before} when backward() added to it, and this"
        " step uses both: is zero_grad() missing?"
    ),
    "unused": (
        "has a gradient but never changes: was it created after the optimizer, or not passed to it?"
    ),
    "unused, replaced": "another Parameter has replaced it, and the optimizer moves the old one",
    "unregistered": (
        "takes part in the loss, but no module registers it{how}. model.parameters() and state_dict()"
        " don't contain it"
    ),
    "idle": (
        "no step moves one by more than {share} times its own length: is the learning rate too small,"
        " or are the gradients?"
    ),
    "grows": "has more nodes at each step, {nodes:.0f} by now: it contains results of earlier steps",
    "nan": "first nan in its gradient",
    "inf": "first inf in its gradient",
    "jump": (
        "after this step its gradient is {times:.3g} times as large, of norm {now}; the step moved"
        " {name} by {share} times its own length"
    ),
    "leap": "moved by {share} times its own length: the learning rate or the gradient is too large",
    "leap, not finite": "nan or inf in it after this step",
}
