"""Theory of selection by the t-score: selection probabilities, expected stability, sample sizes."""

from __future__ import annotations

from holdfast.theory._effects import Effect, EffectMixture, TriangularEffects
from holdfast.theory._expected_stability import expected_stability, stability_surface
from holdfast.theory._sample_size import RequiredSamples, fit_effects, required_samples
from holdfast.theory._selection_probability import SelectionProbability, selection_probability

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
