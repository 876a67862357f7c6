"""The sentences of `report` and `follow`, by status.

A sentence of WHY comes after the name of one parameter or the names of several, so it refers to them
neither as "it" nor as "they". A sentence of FOLLOW comes after one name.
"""

STATUSES = {  # status of a parameter -> its words in the report's line, in that order
    "trained": "trained",
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

CAUSES = {  # kind of cause -> (its sentence, its fix, its lesson)
    "broadcast": (
        "The prediction {of} and the {other} broadcast to {to}, so all predictions meet all {other}s",
        "Give both the same shape, for example by squeeze(1)",
        "06",
    ),
    "softmax": (
        "The loss applies its own {second} to the result of {first}",
        "Pass it the logits, without {first}",
        "07",
    ),
    "batch axis": (
        "log_softmax runs over dimension 0, the batch, and not over the classes",
        "Use dim=1",
        "13",
    ),
    "dead term": (
        "A term of the loss sends no gradient, because its path ends at {end}",
        "Compute it from tensors with a graph, by operations that have a derivative",
        "13",
    ),
    "buffers": (
        "{which} in train mode, so the running statistics change{where}",
        "Call eval() on the frozen part, after each train()",
        "11",
    ),
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
