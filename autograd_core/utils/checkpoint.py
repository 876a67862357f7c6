"""The place of `torch.utils.checkpoint`, which autograd_core doesn't have: the import says so."""

from ..core.public import missing_error

raise missing_error("utils.checkpoint", ModuleNotFoundError)
