"""What the rooms offer: the names that are meant and no others, with PyTorch's signatures and a
docstring each.
"""

import builtins
import importlib
import inspect

import pytest
import torch

import autograd_core

ROOMS = (
    "nn",
    "nn.functional",
    "nn.init",
    "nn.utils",
    "optim",
    "optim.lr_scheduler",
    "autograd",
    "autograd.functional",
)
CLASSES = [
    f"{room}.{name}"
    for room in ("nn", "optim", "optim.lr_scheduler")
    for name in importlib.import_module(f"autograd_core.{room}").__all__
    if name[0].isupper() and name != "Module"
]
# PyTorch chooses a dimension where none is given, and warns: here it must be given.
NEEDED = {"nn.Softmax": {"dim"}, "nn.LogSoftmax": {"dim"}}


def room_of(engine, room):
    return importlib.import_module(f"{engine.__name__}.{room}")


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_room_offers(room):
    ours, theirs = (room_of(engine, room) for engine in (autograd_core, torch))
    assert dir(ours) == sorted(set(ours.__all__)) and len(ours.__all__) == len(dir(ours))
    for name in ours.__all__:
        # `torch.is_grad_enabled` and its like are made in our room `autograd`
        assert hasattr(theirs, name) or hasattr(torch, name), f"PyTorch has no {room}.{name}"
        assert inspect.getdoc(getattr(ours, name)), f"{name} has no docstring"
    with pytest.raises(AttributeError, match=f"autograd_core has no {room}.missing"):
        ours.missing


def test_what_the_package_offers():
    assert dir(autograd_core) == sorted({*dir(autograd_core)})
    for name in dir(autograd_core):
        ours = getattr(autograd_core, name)
        assert hasattr(torch, name) != (name in autograd_core.TOOLS), name
        assert not callable(ours) or inspect.getdoc(ours), f"{name} has no docstring"
    with pytest.raises(AttributeError, match="autograd_core has no missing"):
        autograd_core.missing


def test_import_star_brings_what_is_meant_and_leaves_pythons_own_names():
    brought = {}
    exec("from autograd_core import *", brought)
    names = {*brought} - {"__builtins__"}
    pythons = {name for name in dir(autograd_core) if hasattr(builtins, name)}
    assert {"abs", "sum", "float", "round"} <= pythons
    assert names == {*dir(autograd_core)} - pythons - {"__version__", *autograd_core.TOOLS}
    exec("from autograd_core import watching, report, watch, follow, explore", brought)
    assert {*autograd_core.TOOLS} <= {*brought}


def parameters_of(function):
    return [
        p
        for p in inspect.signature(function).parameters.values()
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]


def differences(name, ours, theirs):
    """In what the parameters of a constructor differ from PyTorch's. We may lack some: what follows
    the first of these is given by name.
    """
    known = {p.name: (place, p) for place, p in enumerate(theirs)}
    for place, p in enumerate(ours):
        if p.name not in known:
            yield f"{p.name} is no parameter of PyTorch's"
            continue
        their_place, other = known[p.name]
        if p.default != other.default and p.name not in NEEDED.get(name, ()):
            yield f"{p.name} is {p.default} by default, in PyTorch {other.default}"
        if p.kind is p.POSITIONAL_OR_KEYWORD and place != their_place:
            yield f"{p.name} stands at place {place}, in PyTorch at {their_place}"
        if p.kind is p.POSITIONAL_OR_KEYWORD and other.kind is other.KEYWORD_ONLY:
            yield f"{p.name} is given by name only in PyTorch"


@pytest.mark.parametrize("name", CLASSES)
def test_signatures_are_pytorchs(name):
    ours, theirs = (
        getattr(room_of(engine, name.rpartition(".")[0]), name.rpartition(".")[2])
        for engine in (autograd_core, torch)
    )
    known = parameters_of(theirs)
    assert list(differences(name, parameters_of(ours), known)) == []
    assert vars(ours)["__doc__"] and inspect.getsource(ours).startswith("class ")
    if name != "nn.Identity":
        kinds = {p.kind for p in inspect.signature(ours).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds
        with pytest.raises(TypeError, match="'missing'"):
            ours(**{p.name: 1 for p in known if p.default is p.empty}, missing=1)


def test_a_planted_difference_is_found():
    def theirs(a, b=1, *, c=2):
        pass

    for planted in (
        lambda a, b=2: None,
        lambda b, a=1: None,
        lambda a, c=2: None,
        lambda a, b=1, c=2: None,
        lambda a, d=1: None,
    ):
        assert list(differences("", parameters_of(planted), parameters_of(theirs)))
    assert not list(differences("", parameters_of(lambda a, *, c=2: None), parameters_of(theirs)))
