"""The stability that theory lets expect."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np
import pandas as pd

from holdfast._kernels.overlaps import overlap_distributions
from holdfast._validation import check_integer, flag
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure
from holdfast.theory._overlap import expected_of_overlap, overlap_probabilities, overlap_variance
from holdfast.theory._selection_probability import read_population, read_scores, selection_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from holdfast.theory._effects import Effect, Population
    from holdfast.theory._selection_probability import Classes, Law
    from holdfast.theory._t_score import Scores

    Array: TypeAlias = NDArray[np.float64]


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
def expected_stability(  # noqa: PLR0913  (a setting of the theory has so many parts)
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
    distribution of R: its mean and variance are those of R, its shape is that of independent
    features bent to them (normal for d > 400). Errors stayed below 0.001 wherever the exact value
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
        have the same expectation for any m. ``ati_pa`` is given for many runs: cutting off
        values below 0 adds a little where runs are few and stability is near chance.
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
    names = [known_measure(name) for name in ([measure] if isinstance(measure, str) else measure)]
    check_runs(names, n_runs, plug_in=plug_in)
    population = read_population(effect, n_informative, n_features, n_selected)
    scores = read_scores(n_per_class, law)
    expected = ExpectedSelections(population, scores, n_selected, n_runs, plug_in)
    values = [value_of(name, expected) for name in names]
    return values[0] if isinstance(measure, str) else _table(names, values)


def check_runs(names: list[str], n_runs: int | None, *, plug_in: bool) -> None:
    """Refuse numbers of runs that are none, and expected frequencies without their use."""
    if n_runs is not None:
        check_integer(n_runs, "n_runs", 2)
    if not flag(plug_in, "plug_in"):
        return
    others = [name for name in names if name not in PLUGGED]
    if others or n_runs is None:
        raise InvalidInputError(
            f"plug_in=True is for {' and '.join(PLUGGED)}, with n_runs=; received "
            f"{', '.join(names)} with n_runs={n_runs!r}."
        )


def _table(names: list[str], values: list[float]) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415  (kept out of the way of single numbers)

    return pd.DataFrame({"value": values}, index=pd.Index(names, name="measure"))


# Expected measures of stability, from the expected overlap of two selections of equal size.


@dataclass(frozen=True)
class ExpectedSelections:
    """What is expected of selections of d features by independent samples."""

    population: Population
    scores: Scores
    n_selected: int
    n_runs: int | None = None
    plug_in: bool = False

    @cached_property
    def p(self) -> float:
        """The number of features."""
        return float(self.population.counts.sum())

    @cached_property
    def _groups(self) -> tuple[Array, Array]:
        if self.n_selected >= self.p:
            return np.ones(1), np.array([self.p])
        return overlap_probabilities(self.population, self.scores, self.n_selected)

    @cached_property
    def overlap(self) -> float:
        """The expected overlap of two selections: a feature is in both with p_j²."""
        probabilities, counts = self._groups
        return float(counts @ np.square(probabilities))

    @cached_property
    def jaccard(self) -> float:
        """The expected Jaccard index, by the distribution of the overlap."""
        d = self.n_selected
        if d >= self.p:
            return 1.0
        variance = overlap_variance(self.population, self.scores, d)
        return expected_of_overlap(lambda r: r / (2 * d - r), *self._groups, variance, d)

    @property
    def jaccard_of_chance(self) -> float:
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
        return (self.n_runs * expected - 1) / (self.n_runs - 1)

    @property
    def relative_consistency(self) -> float:
        """The expected weighted consistency between its bounds for so many runs."""
        low = self._least_consistency
        if low >= 1:
            return self.consistency
        return (self.consistency - low) / (1 - low)

    @property
    def _least_consistency(self) -> float:
        d, m = self.n_selected, self.n_runs
        if m is None:
            return d / self.p
        p, q = int(self.p), m * d
        rest = q % p
        return (q * q - p * (q - rest) - rest * rest) / (p * q * (m - 1))


def _share(of: ExpectedSelections) -> float:
    return of.overlap / of.n_selected


def _beyond_chance(of: ExpectedSelections) -> float:
    d = of.n_selected
    return (of.overlap * of.p / d - d) / (of.p - d)


def _lustgarten(of: ExpectedSelections) -> float:
    d = of.n_selected
    return (of.overlap - d * d / of.p) / (d - max(0.0, 2 * d - of.p))


def _distance(of: ExpectedSelections) -> float:
    return 2 * (of.n_selected - of.overlap) / of.p


def _ati_pa(of: ExpectedSelections) -> float:
    chance = of.jaccard_of_chance
    return max((of.jaccard - chance) / (1 - chance), 0.0)


FORMULAS: dict[str, Callable[[ExpectedSelections], float]] = {
    "relative_weighted_consistency": lambda of: of.relative_consistency,
    "weighted_consistency": lambda of: of.consistency,
    "jaccard": lambda of: of.jaccard,
    "ati_pa": _ati_pa,
    "kuncheva": _beyond_chance,
    "nogueira": _beyond_chance,
    "dice": _share,
    "pog": _share,
    "ochiai": _share,
    "npog": _beyond_chance,
    "phi": _beyond_chance,
    "kappa": _beyond_chance,
    "wald": _beyond_chance,
    "unadjusted": _beyond_chance,
    "lustgarten": _lustgarten,
    "hamming": lambda of: 1 - _distance(of),
    "anhd": _distance,
    "relative_anhd": lambda of: 1 - of.relative_consistency,
}
PLUGGED = ("relative_weighted_consistency", "weighted_consistency")


def known_measure(name: str) -> str:
    """Return the name of a measure whose expectation is known, given it or an alias."""
    full = get_measure(name).name
    if full not in FORMULAS:
        raise InvalidInputError(
            f"theory has no expectation of {full}; it has those of {', '.join(FORMULAS)}."
        )
    return full


def value_of(name: str, expected: ExpectedSelections) -> float:
    """Return an expectation; what is corrected for chance needs features that are left out."""
    if expected.n_selected >= expected.p and get_measure(name).corrected:
        raise InvalidInputError(
            f"{name} is undefined where all features are selected: n_selected must be below "
            f"n_features ({expected.p:,.0f})."
        )
    value = FORMULAS[name](expected)
    assert not math.isnan(value)
    return value


# Selection probability and stability over sample sizes and effects.

DEFAULT_SAMPLE_SIZES = (30, 50, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000)
DEFAULT_EFFECTS = (0.01, 0.03, 0.05, 0.07, 0.10, 0.15)


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
    name = known_measure(measure)
    check_runs([name], n_runs, plug_in=False)
    rows, sizes = [], list(n_per_class)
    for effect in effects:
        population = read_population(effect, n_informative, n_features, n_selected)
        for size in sizes:
            scores = read_scores(size, law)
            found = selection_of(population, scores, n_selected)
            stability = value_of(name, ExpectedSelections(population, scores, n_selected, n_runs))
            rows.append((size, effect, found.informative, found.other, stability))
    columns = ["n_per_class", "effect", "informative", "other", "stability"]
    return pd.DataFrame(rows, columns=columns)
