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
    "cut": "The path to the loss ends {at}.",
    "cut, new graph": "The path to the loss ends {at}. A new graph starts there.",
    "cut, no graph": "The loss has no graph.",
    "cut, not sent": "The pass ran through the graph and brought no gradient.",
    "not sent by": "{places} sent no gradient.",
    "unused": "No recorded operation used this.",
    "unused, lost": "No recorded path leads to the loss. The last recorded use:",
    "unused, taken": (
        "No recorded path leads to the loss. The last recorded use is {how}, which takes only numbers:"
    ),
    "unregistered": "Used {place}, registered nowhere{how}.",
    "zero": "The gradient is 0.",
    "zero from": "It becomes 0 at {places}.",
    "zero until": "It becomes 0 at {places}, because {gate} is close to 0. {gate} moves.",
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

CAUSES = {  # kind of cause -> its sentence
    "broadcast": (
        "The prediction {of} and the {other} broadcast to {to}, so all predictions meet all {other}s"
    ),
    "softmax": "The loss applies its own {second} to the result of {first}",
    "batch axis": "log_softmax runs over dimension 0, the batch, and not over the classes",
    "dead term": "A term of the loss sends no gradient, because its path ends at {end}",
    "buffers": "{which} in train mode, so the running statistics change{where}",
}

FOLLOW = {  # a kind of surprise, or a kind and a case of it -> its sentence, with fix and lesson
    "none": (
        "no step found a gradient. Compute the loss from the model's output, and call backward()"
        " before step() (lesson 03)"
    ),
    "none, taken away": (
        "no step found a gradient {when}, though backward() brought some. Call zero_grad() before"
        " backward() (lesson 13, find_your_error.md#zero_grad_before_step)"
    ),
    "none, one": (
        "the optimizer holds it, but no step found a gradient. report(loss, model) says where its"
        " path ends (lesson 01)"
    ),
    "twice": (
        "its .grad still held the gradient of step {before} when backward() added to it, and this"
        " step uses both. Call zero_grad() in each step (lesson 03, find_your_error.md#no_zero_grad)"
    ),
    "unused": (
        "has a gradient but never changes. Create the optimizer after the whole model, with all its"
        " parameters (the day after, find_your_error.md#wrong_optimizer)"
    ),
    "unregistered": (
        "takes part in the loss, but no module registers it{how}. model.parameters() and state_dict()"
        " don't contain it. Use nn.Parameter, nn.ModuleList or nn.ParameterList (lesson 01,"
        " find_your_error.md#list_not_registered)"
    ),
    "buffers": (
        "its parameters are frozen, but its running statistics change. Call eval() on it after each"
        " train() (lesson 11, find_your_error.md#frozen_batchnorm_drifts)"
    ),
    "idle": (
        "no step moves one by more than {share} times its own length. Raise the learning rate, unscale"
        " before you clip (the day after), or look for small gradients with report() (lesson 12)"
    ),
    "grows": (
        "has more nodes at each step, {nodes:.0f} by now. Detach the results of earlier steps that it"
        " contains (lesson 04, find_your_error.md#retain_graph_slow)"
    ),
    "nan": "first nan in its gradient. report(loss, model) names the operation (lesson 09)",
    "inf": "first inf in its gradient. report(loss, model) names the operation (lesson 09)",
    "jump": (
        "after this step its gradient is {times:.3g} times as large, of norm {now}; the step moved"
        " {name} by {share} times its own length. Clip the gradient norm, or lower the learning rate"
        " (the day after)"
    ),
    "leap": (
        "moved by {share} times its own length. Lower the learning rate, or clip the gradient norm"
        " (the day after, find_your_error.md#lr_too_large)"
    ),
    "leap, not finite": (
        "nan or inf in it after this step. Lower the learning rate, or clip the gradient norm (the day"
        " after, find_your_error.md#lr_too_large)"
    ),
}


def ends(cut: str) -> str:
    """Where a path ends, in words: `cut` is `Edge.cut`."""
    is_function = cut.endswith(" is not differentiable")
    return CUTS.get(cut, f"because {cut}" if is_function else f"at {cut}")


CUTS = {
    "boolean result": "at a boolean result",
    "integer result": "at an integer result",
    "a result that is not differentiable": "at a result that is not differentiable",
    "no_grad": "at no_grad()",
    "inference_mode": "at inference_mode()",
    "checkpoint": "at a checkpoint with use_reentrant=True, none of whose inputs requires a gradient",
}

REFUSED = {  # a cause -> why no gradient is known
    "no graph": (
        "This loss does not require grad and does not have a grad_fn: no parameter gets a gradient."
    ),
    "a leaf": "This loss is a leaf: backward() runs, but no parameter gets a gradient.",
    "again": "A backward pass has freed the saved tensors of this graph, so no gradient is known.",
    "through": "The backward pass of another loss has freed the saved tensors of this graph.",
    "shared": (
        "This loss and another one share {what}{at}, and the backward pass of the other loss has freed"
        " its graph."
    ),
    "once": "This loss contains {what}{at}, and an earlier backward pass has freed its graph.",
    "carried": (
        "This loss contains the graph of an earlier step, through {what}{at}, and the backward pass of"
        " that step has freed it."
    ),
    "carried, step": (
        "This loss contains the graph of an earlier step, through {what}{at}, and the parameters saved"
        " there have changed since."
    ),
    "between": "{by} changed parameters that this loss needs, after a backward pass of another loss.",
    "early": "{by} changed parameters before the backward pass of this loss, which needs them.",
    "outside": (
        "An in-place write outside watching(), probably step(), changed parameters that this loss"
        " needs."
    ),
    "unseen": "An in-place write outside watching() changed a saved tensor.",
    "in place": "A saved tensor was modified in place.",
    "relu": "An activation with inplace=True has overwritten a saved tensor.",
}

FIXES = {  # a cause, an `Edge.cut` or the kind of a row -> what to do, and the lesson about it
    "no graph": "Compute the loss from the model's output by functions of tensors (lesson 13).",
    "a leaf": "Compute it from the model's output, without requires_grad_() (lesson 13).",
    "again": "Look before loss.backward(), or call it inside watching() (lesson 04).",
    "through": "Report on the loss at which that pass began (lesson 04).",
    "shared": "Add both losses, and call backward() once (lesson 04).",
    "once": "Compute it again, or detach it in the earlier loss (lesson 04).",
    "carried": "Detach between the steps: {how} (lesson 04).",
    "carried, step": "Detach between the steps: {how} (lesson 04).",
    "between": (
        "Call step() after the backward pass of this loss too, or run its forward pass again after"
        " step() (lesson 05)."
    ),
    "early": "Call backward() before step() or another change of parameters (lesson 05).",
    "outside": "Call backward() before step(), or compute the loss again after it (lesson 05).",
    "unseen": "Run that statement inside watching() too, to see its line (lesson 05).",
    "in place": "Compute out of place (h = h + 1, not h += 1), or modify a clone() (lesson 05).",
    "relu": "Use the activation without inplace=True (lesson 05).",
    "detach()": "Remove detach() if these should learn (lesson 01).",
    ".data": "Remove .data if these should learn (lesson 05).",
    "no_grad": "Compute this outside no_grad() if these should learn (lesson 11).",
    "inference_mode": "Compute this outside inference_mode() if these should learn (lesson 11).",
    "checkpoint": "Call checkpoint() with use_reentrant=False (the day after).",
    "torch.tensor()": "Use the tensor itself, or torch.stack() for several (lesson 13).",
    "taken": "Compute with the tensor, without {how}, if the loss needs it (lesson 13).",
    "cut": "Use a differentiable function there, such as softmax or sigmoid (lesson 06).",
    "not sent": "Return a gradient for each input from the Function's backward() (lesson 15).",
    "unused": "Use these in the forward pass, or remove them from the model (lesson 01).",
    "unused, lost": "Add a term that depends on these to the loss (lesson 08).",
    "unregistered": "Use nn.Parameter, nn.ModuleList or nn.ParameterList (lesson 01).",
    "zero": "Change this operation, or keep its input where the derivative isn't 0 (lesson 06).",
    "zero, cancels": "Look for a hook, or for terms of the loss that cancel (lesson 09).",
    "frozen": "Call requires_grad_() before the forward pass if these should learn (lesson 11).",
    "first nan": "Keep its input where value and derivative are finite, as clamp() does (lesson 09).",
    "broadcast": "Give both the same shape, for example by squeeze(1) (lesson 06).",
    "softmax": "Pass it the logits, without {first} (lesson 07).",
    "batch axis": "Use dim=1 (lesson 13).",
    "dead term": (
        "Compute it from tensors with a graph, by operations that have a derivative (lesson 13)."
    ),
    "buffers": "Call eval() on the frozen part, after each train() (lesson 11).",
}

ERRORS = {  # a key of FIXES -> the row of notebooks/find_your_error.md about it
    "no graph": "no_graph_item",
    "a leaf": "silenced_requires_grad",
    "again": "backward_twice",
    "shared": "backward_twice",
    "once": "backward_twice_outside_loop",
    "carried": "backward_twice_rnn_state",
    "carried, step": "backward_twice_rnn_state",
    "between": "inplace_after_step",
    "early": "inplace_after_step",
    "outside": "inplace_after_step",
    "in place": "inplace_saved_output",
    "relu": "inplace_relu",
    "detach()": "only_last_layer_learns",
    ".data": "detach_no_grad_data",
    "no_grad": "only_last_layer_learns",
    "checkpoint": "checkpoint_no_grad_inputs",
    "torch.tensor()": "stack_of_losses_tensor",
    "taken": "no_graph_item",
    "cut": "no_graph_argmax",
    "unregistered": "list_not_registered",
    "broadcast": "silent_broadcast",
    "softmax": "softmax_before_cross_entropy",
    "buffers": "frozen_batchnorm_drifts",
}
FIXES |= {
    key: f"{FIXES[key].removesuffix(').')}, find_your_error.md#{row})."
    for key, row in ERRORS.items()
}
