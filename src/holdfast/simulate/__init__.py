"""Simulated data whose informative features and effects are known."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from holdfast.simulate._gaussian import BlockGaussian, IndependentGaussian
from holdfast.simulate._gaussian_model import GaussianModel
from holdfast.simulate._lda import LinearRule, lda
from holdfast.simulate._microarray import Generator, Microarray, Simulated, load_simulated

if TYPE_CHECKING:
    from holdfast.simulate._figures import SimulatedFigure, figure_tables, get_figure
    from holdfast.simulate._stability import SimulatedStability, simulate_stability

# Loaded on first use: these import all selectors, which is slow and not needed to draw data.
_LAZY_MODULES = {
    "SimulatedFigure": "_figures",
    "SimulatedStability": "_stability",
    "figure_tables": "_figures",
    "get_figure": "_figures",
    "simulate_stability": "_stability",
}

__all__ = [
    "BlockGaussian",
    "GaussianModel",
    "Generator",
    "IndependentGaussian",
    "LinearRule",
    "Microarray",
    "Simulated",
    "SimulatedStability",
    "figure_tables",
    "lda",
    "simulate_stability",
]


def __getattr__(name: str) -> object:
    if name in _LAZY_MODULES:
        return getattr(importlib.import_module(f"holdfast.simulate.{_LAZY_MODULES[name]}"), name)
    raise AttributeError(f"module 'holdfast.simulate' has no attribute {name!r}")
