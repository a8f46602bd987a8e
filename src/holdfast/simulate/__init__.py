"""Simulated data whose informative features and effects are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._lazy_exports import lazy_exports
from holdfast.simulate._gaussian import BlockGaussian, IndependentGaussian
from holdfast.simulate._gaussian_model import GaussianModel
from holdfast.simulate._lda import LinearRule, lda
from holdfast.simulate._microarray import Generator, Microarray, Simulated, load_simulated

if TYPE_CHECKING:
    from holdfast.simulate._figures import SimulatedFigure, figure_tables, get_figure
    from holdfast.simulate._stability import SimulatedStability, simulate_stability

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

# imported on first use: these import all selectors, which data do not need
__getattr__, __dir__ = lazy_exports(__name__)
