"""What theory lets expect of the t-score: selection probabilities, stability, sample sizes."""

from __future__ import annotations

from holdfast.theory._effects import EffectMixture, TriangularEffects
from holdfast.theory._expected import expected_stability
from holdfast.theory._fit import fit_effects
from holdfast.theory._required import RequiredSamples, required_samples
from holdfast.theory._selection import SelectionProbability, selection_probability
from holdfast.theory._surface import stability_surface

__all__ = [
    "EffectMixture",
    "RequiredSamples",
    "SelectionProbability",
    "TriangularEffects",
    "expected_stability",
    "fit_effects",
    "required_samples",
    "selection_probability",
    "stability_surface",
]
