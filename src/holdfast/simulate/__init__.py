"""Data with known truth: which features are informative, and by how much."""

from __future__ import annotations

from holdfast.simulate._base import Generator, Simulated
from holdfast.simulate._microarray import Microarray

__all__ = ["Generator", "Microarray", "Simulated"]
