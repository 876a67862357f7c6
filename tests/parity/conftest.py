"""Each test begins with a session of its own and with the settings that both engines have from the
start.
"""

import contextlib

import pytest
import torch

import autograd_core
from autograd_core.parity.both import Session
from autograd_core.parity.surroundings import Settings

ENGINES = (autograd_core, torch)


@pytest.fixture(autouse=True)
def settings_of_the_engines():
    settings, exp = Settings.of(autograd_core), [(engine, engine.exp) for engine in ENGINES]
    yield
    for engine, function in exp:
        settings.give_to(engine)
        engine.exp = function
        with contextlib.suppress(AttributeError):
            del engine.mine


@pytest.fixture
def session():
    return Session(autograd_core, torch, {})
