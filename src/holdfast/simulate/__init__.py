"""Data with known truth: which features are informative, and by how much."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from holdfast.simulate._gaussian import BlockGaussian, IndependentGaussian
from holdfast.simulate._gaussian_model import GaussianModel
from holdfast.simulate._lda import LinearRule, lda
from holdfast.simulate._microarray import Generator, Microarray, Simulated

if TYPE_CHECKING:
    from holdfast.simulate._figures import figure_tables
    from holdfast.simulate._stability import SimulatedStability, simulate_stability

# These need selectors, which take their time; whoever wants data only need not wait for them.
_HOME = {
    "SimulatedStability": "_stability",
    "figure_tables": "_figures",
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


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name in _HOME:
        return getattr(importlib.import_module(f"holdfast.simulate.{_HOME[name]}"), name)
    raise AttributeError(f"module 'holdfast.simulate' has no attribute {name!r}")
