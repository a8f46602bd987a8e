"""The expected stability of selection by the t-score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
import pandas as pd

from holdfast._kernels.overlaps import overlap_distributions
from holdfast._typing import FloatArray
from holdfast._validation import check_flag, check_integer
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure
from holdfast.theory._effects import Effect, Population
from holdfast.theory._overlap import (
    expectation_over_overlap,
    overlap_probabilities,
    overlap_variance,
)
from holdfast.theory._selection_probability import (
    Classes,
    Law,
    compute_selection,
    read_population,
    read_scores,
)
from holdfast.theory._t_score import TScoreDistribution


@overload
def expected_stability(  # type: ignore[overload-overlap]  # a name is an iterable of names, too
    measure: str,
    *,
    n_per_class: Classes,
    effect: Effect,
    n_informative: int | None = ...,
    n_features: int,
    n_selected: int,
    law: Law = ...,
    n_runs: int | None = ...,
    plug_in: bool = ...,
) -> float: ...
@overload
def expected_stability(
    measure: Iterable[str],
    *,
    n_per_class: Classes,
    effect: Effect,
    n_informative: int | None = ...,
    n_features: int,
    n_selected: int,
    law: Law = ...,
    n_runs: int | None = ...,
    plug_in: bool = ...,
) -> pd.DataFrame: ...
def expected_stability(
    measure: str | Iterable[str],
    *,
    n_per_class: Classes,
    effect: Effect,
    n_informative: int | None = None,
    n_features: int,
    n_selected: int,
    law: Law = "f",
    n_runs: int | None = None,
    plug_in: bool = False,
) -> float | pd.DataFrame:
    r"""Compute the expected stability of selection by the t-score over independent samples.

    Features are independent and Gaussian; a sample selects the d features with the largest
    t-scores. With :math:`p_j` from :func:`selection_probability`, two samples share

    .. math:: E[R] = \sum_j p_j^2

    features on average. Most measures are linear in the overlap R, so their expectation is exact:
    :math:`E[CW] = \sum_j p_j^2 / d` for any number of runs. The expected Jaccard index needs the
    distribution of R: its mean and variance are computed, its shape is that of independent
    features, tilted to them (normal for d > 400). Errors were below 0.001 wherever the exact value
    was computed, and the value lies between D/(2 - D) and D for an expected Dice index D.

    Parameters
    ----------
    measure : str or iterable of str
        A measure, or several: ``relative_weighted_consistency``, ``weighted_consistency``,
        ``jaccard``, ``ati_pa``, ``kuncheva``, ``nogueira``, ``dice``, ``pog``, ``ochiai``,
        ``npog``, ``phi``, ``kappa``, ``wald``, ``unadjusted``, ``lustgarten``, ``hamming``,
        ``anhd`` or ``relative_anhd``.
    n_per_class, effect, n_informative, n_features, n_selected, law
        As in :func:`selection_probability`.
    n_runs : int, optional
        The number of samples m, each with its selection. It matters for relative weighted
        consistency, whose bounds depend on it; by default, the limit of many. The other measures
        have the same expectation for any m. ``ati_pa`` is that of many runs: with few runs and a
        stability near chance, cutting off values below 0 adds a little.
    plug_in : bool, default False
        Put expected frequencies into weighted consistency, as Dernoncourt et al. (2014) do,
        instead of taking its expectation: :math:`(m\,E[CW] - 1)/(m - 1)`, too low for few runs.
        Needs `n_runs`.

    Returns
    -------
    float or pandas.DataFrame
        A number for one name; for several a table, indexed by measure, with the column
        ``value``. Values lie in the range of each measure; 1 where d = p (measures that are
        corrected for chance are undefined there and refused).

    References
    ----------
    Dernoncourt, Hanczar and Zucker (2014), Section 3.

    Examples
    --------
    >>> from holdfast.theory import expected_stability
    >>> setting = {"effect": 0.15, "n_informative": 100, "n_features": 1000, "n_selected": 100}
    >>> round(expected_stability("nogueira", n_per_class=100, **setting), 3)
    0.258
    >>> expected_stability(["jaccard", "ati_pa"], n_per_class=500, **setting).round(3)
             value
    measure
    jaccard  0.878
    ati_pa   0.872
    """
    names = [
        get_supported_measure(name) for name in ([measure] if isinstance(measure, str) else measure)
    ]
    check_runs(names, n_runs, plug_in=plug_in)
    population = read_population(effect, n_informative, n_features, n_selected)
    scores = read_scores(n_per_class, law)
    expected = ExpectedSelections(population, scores, n_selected, n_runs, plug_in)
    values = [compute_expectation(name, expected) for name in names]
    if isinstance(measure, str):
        return values[0]
    return pd.DataFrame({"value": values}, index=pd.Index(names, name="measure"))


def check_runs(names: list[str], n_runs: int | None, *, plug_in: bool) -> None:
    """Check the number of runs, and that `plug_in` is used with measures that allow it."""
    if n_runs is not None:
        check_integer(n_runs, "n_runs", 2)
    if not check_flag(plug_in, "plug_in"):
        return
    others = [name for name in names if name not in PLUG_IN_MEASURES]
    if others or n_runs is None:
        raise InvalidInputError(
            f"plug_in=True is for {' and '.join(PLUG_IN_MEASURES)}, with n_runs=; got "
            f"{', '.join(names)} with n_runs={n_runs!r}."
        )


@dataclass(frozen=True)
class ExpectedSelections:
    """Expectations over selections of d features by independent samples."""

    population: Population
    scores: TScoreDistribution
    n_selected: int
    n_runs: int | None = None
    plug_in: bool = False

    @cached_property
    def p(self) -> float:
        """The number of features."""
        return float(self.population.counts.sum())

    @cached_property
    def _groups(self) -> tuple[FloatArray, FloatArray]:
        # everything is selected: there is no threshold to integrate over
        if self.n_selected >= self.p:
            return np.ones(1), np.array([self.p])
        return overlap_probabilities(self.population, self.scores, self.n_selected)

    @cached_property
    def overlap(self) -> float:
        """The expected overlap of two selections, Σ p_j²."""
        probabilities, counts = self._groups
        return float(counts @ np.square(probabilities))

    @cached_property
    def jaccard(self) -> float:
        """The expected Jaccard index, from the distribution of the overlap."""
        d = self.n_selected
        if d >= self.p:
            return 1.0
        # r / (2 d - r) is convex in the overlap r, so its mean needs more than the mean of r
        variance = overlap_variance(self.population, self.scores, d)
        return expectation_over_overlap(lambda r: r / (2 * d - r), *self._groups, variance, d)

    @property
    def chance_jaccard(self) -> float:
        """The expected Jaccard index of random selections."""
        d = np.array([self.n_selected])
        _, overlaps, pmf = overlap_distributions(int(self.p), d, d)
        return float(pmf @ (overlaps / (2 * self.n_selected - overlaps)))

    @property
    def consistency(self) -> float:
        """The expected weighted consistency, or that of expected frequencies."""
        expected = self.overlap / self.n_selected
        if not self.plug_in:
            return expected
        assert self.n_runs is not None
        # E[CW] counts pairs of runs; with expected frequencies a run is paired with itself as well,
        # and CW subtracts those pairs as if each agreed completely
        return (self.n_runs * expected - 1) / (self.n_runs - 1)

    @property
    def relative_consistency(self) -> float:
        """The expected weighted consistency, relative to its bounds for `n_runs`."""
        d, m = self.n_selected, self.n_runs
        low = d / self.p  # the limit of many runs
        if m is not None:  # lowest if all frequencies differ by at most 1
            p, q = int(self.p), m * d
            rest = q % p
            # CW_min of [Somol2008]_ for q selections of p features in m runs
            low = (q * q - p * (q - rest) - rest * rest) / (p * q * (m - 1))
        # d = p: all selections are equal, and the bounds coincide
        if low >= 1:
            return self.consistency
        return (self.consistency - low) / (1 - low)


def _overlap_share(selections: ExpectedSelections) -> float:
    return selections.overlap / selections.n_selected


def _chance_corrected_overlap(selections: ExpectedSelections) -> float:
    d = selections.n_selected
    return (selections.overlap * selections.p / d - d) / (selections.p - d)


def _lustgarten(selections: ExpectedSelections) -> float:
    d = selections.n_selected
    # overlap beyond chance, over the range from the least possible overlap to d
    return (selections.overlap - d * d / selections.p) / (d - max(0.0, 2 * d - selections.p))


def _hamming_distance(selections: ExpectedSelections) -> float:
    return 2 * (selections.n_selected - selections.overlap) / selections.p


def _ati_pa(selections: ExpectedSelections) -> float:
    chance = selections.chance_jaccard
    # ati_pa is cut off at 0 by definition
    return max((selections.jaccard - chance) / (1 - chance), 0.0)


FORMULAS: dict[str, Callable[[ExpectedSelections], float]] = {
    "relative_weighted_consistency": lambda selections: selections.relative_consistency,
    "weighted_consistency": lambda selections: selections.consistency,
    "jaccard": lambda selections: selections.jaccard,
    "ati_pa": _ati_pa,
    # with subsets of equal size d these measures are the same linear function of the overlap
    "kuncheva": _chance_corrected_overlap,
    "nogueira": _chance_corrected_overlap,
    "dice": _overlap_share,
    "pog": _overlap_share,
    "ochiai": _overlap_share,
    "npog": _chance_corrected_overlap,
    "phi": _chance_corrected_overlap,
    "kappa": _chance_corrected_overlap,
    "wald": _chance_corrected_overlap,
    "unadjusted": _chance_corrected_overlap,
    "lustgarten": _lustgarten,
    "hamming": lambda selections: 1 - _hamming_distance(selections),
    "anhd": _hamming_distance,
    "relative_anhd": lambda selections: 1 - selections.relative_consistency,
}
PLUG_IN_MEASURES = ("relative_weighted_consistency", "weighted_consistency")


def get_supported_measure(name: str) -> str:
    """Return the full name of a measure whose expectation is known."""
    full = get_measure(name).name
    if full not in FORMULAS:
        raise InvalidInputError(
            f"there is no expectation of {full}; it is known for {', '.join(FORMULAS)}."
        )
    return full


def compute_expectation(name: str, expected: ExpectedSelections) -> float:
    """Return the expectation of a measure; corrected ones are undefined if all are selected."""
    if expected.n_selected >= expected.p and get_measure(name).corrected:
        raise InvalidInputError(
            f"{name} is undefined where all features are selected: n_selected must be below "
            f"n_features ({expected.p:,.0f})."
        )
    value = FORMULAS[name](expected)
    assert not math.isnan(value)
    return value


DEFAULT_SAMPLE_SIZES = (30, 50, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000)
DEFAULT_EFFECTS = (0.01, 0.03, 0.05, 0.07, 0.10, 0.15)
"""Sample sizes and effects of Figure 1 of [Dernoncourt2014]_."""


def stability_surface(
    *,
    n_per_class: Iterable[int] = DEFAULT_SAMPLE_SIZES,
    effects: Iterable[float] = DEFAULT_EFFECTS,
    n_informative: int = 100,
    n_features: int = 1000,
    n_selected: int = 100,
    measure: str = "relative_weighted_consistency",
    n_runs: int | None = None,
    law: Law = "f",
) -> pd.DataFrame:
    """Tabulate selection probability and expected stability by sample size and effect.

    The defaults are those of Figure 1 of Dernoncourt, Hanczar and Zucker (2014), with their N as
    samples of each class; :func:`holdfast.plot.stability_surface` draws the table.

    Parameters
    ----------
    n_per_class : iterable of int
        Numbers of samples of each class.
    effects : iterable of float
        Effects of the informative features.
    n_informative, n_features, n_selected, law
        As in :func:`selection_probability`.
    measure, n_runs
        As in :func:`expected_stability`.

    Returns
    -------
    pandas.DataFrame
        Columns ``n_per_class``, ``effect``, ``informative`` and ``other`` (the probabilities of
        an informative and of any other feature) and ``stability``.

    Examples
    --------
    >>> from holdfast.theory import stability_surface
    >>> stability_surface(n_per_class=[100, 500], effects=[0.15]).round(3)
       n_per_class  effect  informative  other  stability
    0          100    0.15        0.557  0.049      0.258
    1          500    0.15        0.967  0.004      0.928
    """
    name = get_supported_measure(measure)
    check_runs([name], n_runs, plug_in=False)
    rows, sizes = [], list(n_per_class)
    for effect in effects:
        population = read_population(effect, n_informative, n_features, n_selected)
        for size in sizes:
            scores = read_scores(size, law)
            selection = compute_selection(population, scores, n_selected)
            stability = compute_expectation(
                name, ExpectedSelections(population, scores, n_selected, n_runs)
            )
            rows.append((size, effect, selection.informative, selection.other, stability))
    columns = ["n_per_class", "effect", "informative", "other", "stability"]
    return pd.DataFrame(rows, columns=columns)
