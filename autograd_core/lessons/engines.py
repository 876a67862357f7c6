"""The two engines that run the computations of a widget."""

import torch

import autograd_core

ENGINES = autograd_core, torch
